//! A knotted rod that is pulled: the radius of its loop goes with the inverse root of the tension.

use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::solve::MotionFrame;
use lissome::{Answer, Progress};
use serde::Deserialize;
use std::f64::consts::PI;
use std::ops::ControlFlow;

/// A motion at whose end a rod with a loop is at rest under a load that pulls it straight.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knot {
    scene: String,
    /// Two rods, the thicker one first.
    rods: [Pulled; 2],
    /// How far what the law of thin rods says may be off, relative.
    within: f64,
    /// Deepest that a rod may enter itself, m.
    sinks: f64,
}

/// A rod and what pulls it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pulled {
    /// Its radius, m.
    radius: f64,
    /// Bending stiffness B, N·m².
    bending: f64,
    /// Tension T, N.
    tension: f64,
    /// What is set in the scene.
    set: Vec<String>,
}

/// Sections whose curvature is above this part of the largest belong to the loop.
const OF_THE_LOOP: f64 = 0.5;
/// Parts of the way between two sections in which curvature is taken as linear.
const PARTS: usize = 32;

impl Knot {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        let mut found = Vec::new();
        for rod in &self.rods {
            let what = format!("radius {} m, {} N", rod.radius, rod.tension);
            let (last, deepest) = self.at_rest(folder, rod, &what)?;
            rows.push(Row::at_most(format!("{what}: how deep it enters itself / m"), -deepest, self.sinks));
            let thin = PI * (2.0 * rod.tension * rod.bending).sqrt();
            let error = (last.energy.elastic / thin - 1.0).abs();
            rows.push(Row::within(format!("{what}: energy / J"), thin, last.energy.elastic, error, self.within));
            let radius = rod.loop_of(&last).ok_or(CaseError::NotConverged { what })?;
            found.push(((rod.radius / radius).sqrt(), 2.0 * rod.tension * radius * radius / rod.bending));
        }
        if let [(thick, first), (thin, second)] = found[..] {
            // The law is the leading term in √(h/R).
            let law = second + (second - first) * thin / (thick - thin);
            rows.push(Row::within("2 T R²/B of a rod without thickness", 1.0, law, (law - 1.0).abs(), self.within));
            rows.push(Row::at_most(
                "error of the thin rod over that of the thick one",
                (second - 1.0) / (first - 1.0),
                1.0,
            ));
        }
        Ok(rows)
    }

    /// The end of the motion, and how far inside itself the rod was at most, below zero.
    fn at_rest(&self, folder: &str, rod: &Pulled, what: &str) -> Result<(MotionFrame, f64), CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &rod.set)?;
        let (mut last, mut deepest) = (None, 0.0f64);
        let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
            if let Progress::Frame(state) = progress {
                let gaps = state.frame.contacts.iter().map(|pair| pair.least_gap);
                deepest = gaps.filter(|gap| gap.is_finite()).fold(deepest, f64::min);
                last = Some(state.frame.clone());
            }
            ControlFlow::Continue(())
        })?;
        if !matches!(answer, Answer::Dynamics(_)) {
            return Err(CaseError::WrongJob { what: what.to_owned(), need: "dynamics" });
        }
        match last {
            Some(last) if answer.succeeded() => Ok((last, deepest)),
            _ => Err(CaseError::NotConverged { what: what.to_owned() }),
        }
    }
}

impl Pulled {
    /// Length of the loop over the angle that it turns by.
    fn loop_of(&self, frame: &MotionFrame) -> Option<f64> {
        let stress = &frame.rods.first()?.stress;
        let bend: Vec<f64> = stress.iter().map(|own| own.moment.y.hypot(own.moment.z) / self.bending).collect();
        let largest = bend.iter().copied().fold(0.0, f64::max);
        let between = bend.windows(2).flat_map(|pair| {
            let (a, b) = (pair[0], pair[1]);
            (0..PARTS).map(move |k| a + (b - a) * (k as f64 + 0.5) / PARTS as f64)
        });
        let of_the_loop: Vec<f64> = between.filter(|own| *own > OF_THE_LOOP * largest).collect();
        let turn: f64 = of_the_loop.iter().sum();
        (turn > 0.0).then(|| of_the_loop.len() as f64 / turn)
    }
}
