//! Random motions of every kind, each to its end with default settings.

use crate::error::CaseError;
use crate::random::Random;
use crate::random_motion::draw;
use crate::report::Row;
use lissome::solve::MotionEnd;
use lissome::{Answer, Unobserved};
use serde::Deserialize;

/// Random motions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionBattery {
    seed: u64,
    count: usize,
}

impl MotionBattery {
    pub(super) fn rows(&self) -> Result<Vec<Row>, CaseError> {
        let mut random = Random::new(self.seed);
        let (mut unfinished, mut broken, mut silent) = (Vec::new(), Vec::new(), Vec::new());
        let (mut worst, mut warned): (f64, usize) = (0.0, 0);
        for k in 0..self.count {
            let (words, text) = draw(k, &mut random);
            let title = format!("motion {k}: {words}");
            let scene = crate::template::parse(&title, text, &[])?;
            let Answer::Dynamics(answer) = lissome::run(&scene, &mut Unobserved)? else {
                return Err(CaseError::WrongJob { what: title, need: "dynamics" });
            };
            let balance = &answer.record.balance;
            match &answer.end {
                MotionEnd::Finished => {}
                MotionEnd::BalanceBroken { .. } => {
                    broken.push(format!("{title}: balance rose by {:.1e}", balance.relative_rise()));
                }
                MotionEnd::RanThrough(event) => {
                    unfinished.push(format!("{title}: {} ran through each other", event.part))
                }
                MotionEnd::Stopped(stop) => unfinished.push(format!("{title}: {}", stop.reason)),
                MotionEnd::NoStart | MotionEnd::Asked => unfinished.push(format!("{title}: did not begin")),
            }
            if balance.loses_much() {
                warned += 1;
            } else {
                worst = worst.max(balance.relative_loss());
                if balance.relative_loss() > 0.01 {
                    silent.push(format!("{title}: lost {:.1e} in silence", balance.relative_loss()));
                }
            }
        }
        let n = self.count;
        let none = |what: &str, found: &[String]| Row::at_most(format!("{n} motions: {what}"), found.len() as f64, 0.0);
        let mut rows = vec![
            none("that stop before their time, at most", &unfinished),
            none("whose energy balance is broken, at most", &broken),
            none("that lose more than 1 % to the scheme in silence, at most", &silent),
            Row::at_most(format!("{n} motions: warned of a loss above 1 %, at most"), warned as f64, n as f64),
            Row::at_most(format!("{n} motions: largest loss of those without a warning, at most"), worst, 0.01),
        ];
        rows.extend([unfinished, broken, silent].concat().into_iter().map(|words| Row::at_most(words, 1.0, 0.0)));
        Ok(rows)
    }
}
