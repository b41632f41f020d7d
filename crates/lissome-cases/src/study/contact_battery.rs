//! Random scenes in which things touch: all come to their end, nothing is inside anything, and energy does not rise.

use crate::error::CaseError;
use crate::random::Random;
use crate::random_contact::{Asks, draw};
use crate::report::Row;
use lissome::solve::MotionEnd;
use lissome::{Answer, Progress};
use serde::Deserialize;
use std::ops::ControlFlow;

/// Random scenes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactBattery {
    seed: u64,
    count: usize,
    /// Of each motion, s.
    duration: f64,
    /// How far something may be inside another thing in motion, m.
    sinks: f64,
    /// And at rest, where a rod on something round may be closest at the end of a span, m.
    sinks_at_rest: f64,
    /// How far energy may rise, of what was exchanged.
    rise: f64,
    /// Scenes that are known not to come to their end.
    #[serde(default)]
    unfinished: usize,
}

impl ContactBattery {
    pub(super) fn rows(&self) -> Result<Vec<Row>, CaseError> {
        let mut random = Random::new(self.seed);
        let mut unfinished = Vec::new();
        let (mut deepest, mut at_rest, mut rise) = (0.0f64, 0.0f64, 0.0f64);
        for k in 0..self.count {
            let (words, asks, text) = draw(k, self.duration, &mut random);
            let title = format!("scene {k}: {words}");
            let scene = crate::template::parse(&title, text, &[])?;
            let mut least = 0.0f64;
            let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
                if let Progress::Frame(state) = progress {
                    least = state.frame.contacts.iter().map(|pair| pair.least_gap).fold(least, f64::min);
                }
                ControlFlow::Continue(())
            })?;
            deepest = deepest.min(least);
            match (answer, asks) {
                (Answer::Statics(found), Asks::Rest) => {
                    if !found.outcome.converged() {
                        unfinished.push(format!("{title}: {:?}", found.outcome.status));
                        continue;
                    }
                    let gaps = found.contacts.iter().map(|pair| pair.contact.least_gap);
                    at_rest = at_rest.min(gaps.fold(0.0, f64::min));
                }
                (Answer::Dynamics(answer), Asks::Motion) => {
                    match &answer.end {
                        MotionEnd::Finished => {}
                        MotionEnd::Stopped(stop) => unfinished.push(format!("{title}: {}", stop.reason)),
                        _ => unfinished.push(format!("{title}: did not come to its end")),
                    }
                    rise = rise.max(answer.record.balance.relative_rise());
                }
                _ => return Err(CaseError::WrongJob { what: title, need: "statics or dynamics" }),
            }
        }
        let n = self.count;
        let mut rows = vec![
            Row::at_most(
                format!("{n} scenes: without an end, at most"),
                unfinished.len() as f64,
                self.unfinished as f64,
            ),
            Row::at_most(format!("{n} scenes: how far something is inside in motion / m"), -deepest, self.sinks),
            Row::at_most(format!("{n} scenes: how far something is inside at rest / m"), -at_rest, self.sinks_at_rest),
            Row::at_most(format!("{n} scenes: largest rise of energy over what was exchanged"), rise, self.rise),
        ];
        rows.extend(unfinished.into_iter().map(|words| Row::at_most(words, 1.0, 1.0)));
        Ok(rows)
    }
}
