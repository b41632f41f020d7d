//! Random scenes in which things touch: all come to their end, nothing is inside anything, energy does not rise, and momentum
//! is what the forces made.
//!
//! A case runs the first scenes of the stream. With `LISSOME_ALL_SCENES` in the environment it runs as many as its `all` says.

use crate::all_cores;
use crate::error::CaseError;
use crate::random::Random;
use crate::random_contact::{Asks, Drawn, draw};
use crate::report::Row;
use lissome::model::{ObstacleShape, Scene, Toucher};
use lissome::solve::{MotionEnd, MotionFrame};
use lissome::{Answer, Progress};
use nalgebra::Vector3;
use serde::Deserialize;
use std::ops::ControlFlow;

/// Random scenes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactBattery {
    seed: u64,
    count: usize,
    /// As many where all are asked for.
    all: usize,
    /// Of each motion, s.
    duration: f64,
    /// How far something may be inside another thing in motion, of the shortest length.
    sinks: f64,
    /// And at rest, where a rod on something round may be closest at the end of a span.
    sinks_at_rest: f64,
    /// How far kinetic, elastic and potential energy together may rise, of what was exchanged.
    rise: f64,
    /// The same with what was dissipated: how far the books may be off.
    books: f64,
    /// What may be missing in the balance of momentum of a step, of the largest impulse of a step.
    momentum: f64,
    /// Scenes that are known not to come to their end.
    #[serde(default)]
    unfinished: usize,
    /// Scenes in which a rod may pass through something thinner than its spans, which the answer names.
    #[serde(default)]
    named: usize,
}

/// What a motion shows while it runs.
struct Seen<'a> {
    drawn: &'a Drawn,
    /// What does not move, pair by pair in the order of the frames.
    outside: Vec<Outside>,
    last: Option<(f64, u64, Vector3<f64>)>,
    lowest: f64,
    rise: f64,
    sinks: f64,
    missing: f64,
    largest: f64,
}

/// What a part may touch that does not move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outside {
    /// Another part, which does.
    Nothing,
    /// A plane.
    Flat,
    /// Something whose normal turns over a step: the force that is told has the normal of its end, and tells its impulse to first
    /// order only.
    Round,
}

/// What became of a scene.
#[derive(Default)]
struct Outcome {
    title: String,
    /// Why it has no end.
    unfinished: Option<String>,
    /// What the answer says that came through each other.
    named: Option<String>,
    sinks: f64,
    sinks_at_rest: f64,
    rise: f64,
    books: f64,
    momentum: f64,
}

/// A figure of every scene: words, what it is, and how large it may be.
type Figure = (&'static str, fn(&Outcome) -> f64, f64);

impl<'a> Seen<'a> {
    fn new(drawn: &'a Drawn, scene: &Scene) -> Self {
        let is_flat = |index: usize| matches!(scene.obstacles[index].shape, ObstacleShape::Plane);
        let outside = |(_, other): (Toucher, Toucher)| match other {
            Toucher::Obstacle(index) if is_flat(index) => Outside::Flat,
            Toucher::Obstacle(_) => Outside::Round,
            _ => Outside::Nothing,
        };
        let outside = scene.contact_pairs().map(outside).collect();
        Self { drawn, outside, last: None, lowest: f64::INFINITY, rise: 0.0, sinks: 0.0, missing: 0.0, largest: 0.0 }
    }

    fn see(&mut self, frame: &MotionFrame) {
        let deepest = frame.contacts.iter().map(|pair| pair.least_gap).fold(0.0, f64::min);
        self.sinks = self.sinks.max(-deepest / self.drawn.length);
        let energy = frame.energy.kinetic + frame.energy.elastic + frame.energy.gravity;
        self.lowest = self.lowest.min(energy);
        self.rise = self.rise.max(energy - self.lowest);
        let (time, steps, momentum) = (frame.time, frame.effort.steps, frame.momentum.linear);
        // Forces are means over the last step: only where that is all of the time between two frames they tell its impulse.
        let pressed = |which: Outside| {
            let pairs = frame.contacts.iter().zip(&self.outside);
            pairs.filter(move |(_, outside)| **outside == which)
        };
        let round = pressed(Outside::Round).any(|(pair, _)| pair.force().norm() > 0.0);
        if let Some((before, taken, earlier)) = self.last
            && steps == taken + 1
            && !round
        {
            let force = pressed(Outside::Flat)
                .fold(Vector3::z() * (-9.81 * self.drawn.mass), |sum, (pair, _)| sum + pair.force());
            let impulse = force * (time - before);
            self.missing = self.missing.max((momentum - earlier - impulse).norm());
            self.largest = self.largest.max((momentum - earlier).norm()).max(9.81 * self.drawn.mass * (time - before));
        }
        self.last = Some((time, steps, momentum));
    }
}

impl ContactBattery {
    pub(super) fn rows(&self) -> Result<Vec<Row>, CaseError> {
        let count = if std::env::var_os("LISSOME_ALL_SCENES").is_some() { self.all } else { self.count };
        let mut random = Random::new(self.seed);
        let drawn: Vec<Drawn> = (0..count).map(|k| draw(k, self.duration, &mut random)).collect();
        let outcomes = all_cores::map(count, |k| run(k, &drawn[k]));
        let outcomes: Vec<Outcome> = outcomes.into_iter().collect::<Result<_, _>>()?;
        let unfinished = outcomes.iter().filter(|outcome| outcome.unfinished.is_some());
        let mut rows = vec![Row::at_most(
            format!("{count} scenes: without an end, at most"),
            unfinished.clone().count() as f64,
            self.unfinished as f64,
        )];
        let named = outcomes.iter().filter(|outcome| outcome.named.is_some());
        rows.push(Row::at_most(
            format!("{count} scenes: in which a rod passes something thinner than its spans, as it says, at most"),
            named.clone().count() as f64,
            self.named as f64,
        ));
        let figures: [Figure; 5] = [
            ("how far something is inside in motion, of the length", |o| o.sinks, self.sinks),
            ("how far something is inside at rest, of the length", |o| o.sinks_at_rest, self.sinks_at_rest),
            ("largest rise of energy over what was exchanged", |o| o.rise, self.rise),
            ("the same with what was dissipated", |o| o.books, self.books),
            ("momentum that no force made, of the largest impulse", |o| o.momentum, self.momentum),
        ];
        for (words, figure, bar) in figures {
            let worst = outcomes.iter().max_by(|a, b| figure(a).total_cmp(&figure(b)));
            if let Some(worst) = worst {
                rows.push(Row::at_most(format!("{count} scenes: {words} ({})", worst.title), figure(worst), bar));
            }
        }
        rows.extend(unfinished.chain(named).map(|outcome| {
            let why = outcome.unfinished.as_deref().or(outcome.named.as_deref()).unwrap_or_default();
            Row::at_most(format!("{}: {why}", outcome.title), 1.0, 1.0)
        }));
        Ok(rows)
    }
}

fn run(k: usize, drawn: &Drawn) -> Result<Outcome, CaseError> {
    let title = format!("scene {k}: {}", drawn.words);
    let scene = crate::template::parse(&title, drawn.text.clone(), &[])?;
    let mut seen = Seen::new(drawn, &scene);
    let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(state) = progress {
            seen.see(state.frame);
        }
        ControlFlow::Continue(())
    })?;
    let mut outcome = Outcome { title, ..Outcome::default() };
    match (answer, drawn.asks) {
        (Answer::Statics(found), Asks::Rest) => {
            if !found.outcome.converged() {
                outcome.unfinished = Some(format!("{:?}", found.outcome.status));
                return Ok(outcome);
            }
            let gaps = found.contacts.iter().map(|pair| pair.contact.least_gap);
            outcome.sinks_at_rest = -gaps.fold(0.0, f64::min) / drawn.length;
        }
        (Answer::Dynamics(answer), Asks::Motion) => {
            let balance = &answer.record.balance;
            match &answer.end {
                MotionEnd::Finished => {}
                MotionEnd::RanThrough(event) => {
                    outcome.named = Some(format!("{} at {:.3} s", event.part, event.time));
                }
                MotionEnd::Stopped(stop) => outcome.unfinished = Some(stop.reason.clone()),
                _ => outcome.unfinished = Some("did not come to its end".into()),
            }
            outcome.sinks = seen.sinks;
            outcome.rise = seen.rise / balance.turnover().max(f64::MIN_POSITIVE);
            outcome.books = balance.relative_rise();
            outcome.momentum = seen.missing / seen.largest.max(f64::MIN_POSITIVE);
        }
        _ => return Err(CaseError::WrongJob { what: outcome.title, need: "statics or dynamics" }),
    }
    Ok(outcome)
}
