//! What an observation says in a few lines: its status, complaints and warnings.

use super::fault::ObserveFault;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::held_shares::rubbing;
use crate::summary::Ending;
use lissome_model::{Resolution, Scene};
use lissome_solve::accuracy::COARSE;
use lissome_solve::least_squares::distribution::chi_squared_above;
use lissome_solve::observe::{Observation, ObservedFrame, Seen};
use serde_json::{Value as Json, json};

/// A misfit is worth telling where chance leaves less than this for a larger one.
const IMPROBABLE: f64 = 1e-3;

/// An observation and how it ended.
#[derive(Clone, Copy, Debug)]
pub struct ObserveSummary<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The answer.
    pub observation: &'a Observation,
    /// Frames of the table.
    pub of: usize,
    /// How the work ended.
    pub ending: Ending,
}

impl ObserveSummary<'_> {
    /// `finished`, `not_converged`, `limit` or `interrupted`.
    pub fn status(&self) -> &'static str {
        match self.ending {
            Ending::TimeLimit { .. } if self.observation.frames.len() < self.of => "limit",
            Ending::Interrupted if self.observation.frames.len() < self.of => "interrupted",
            _ if self.observation.succeeded() => "finished",
            _ => "not_converged",
        }
    }

    /// What is wrong with it, if anything is.
    pub fn complaint(&self) -> Option<Diagnostic> {
        let (done, of) = (self.observation.frames.len(), self.of);
        let fault = match (self.status(), self.ending) {
            ("limit", Ending::TimeLimit { seconds }) => ObserveFault::Limit { seconds, done, of },
            ("interrupted", _) => ObserveFault::Interrupted { done, of },
            ("not_converged", _) => {
                let (time, count) = self.first(|frame| frame.seen == Seen::NotConverged)?;
                ObserveFault::NotFound { time, count }
            }
            _ => return None,
        };
        Some(Diagnostic::new(Fault::Observe(fault)))
    }

    /// The first frame of a kind, and how many there are.
    fn first(&self, is: impl Fn(&ObservedFrame) -> bool) -> Option<(f64, usize)> {
        let mut all = self.observation.frames.iter().filter(|frame| is(frame));
        let first = all.next()?.time;
        Some((first, 1 + all.count()))
    }

    /// What is worth telling.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut told = Vec::new();
        let frames = &self.observation.frames;
        if self.observation.exact {
            told.push(ObserveFault::NeedlessNoise);
        }
        let tendons = rubbing(self.scene);
        if !tendons.is_empty() {
            told.push(ObserveFault::HeldShares { tendons });
        }
        let outliers = frames.iter().flat_map(|frame| frame.markers.iter().map(move |own| (frame.time, own)));
        let outliers: Vec<_> = outliers.filter(|(_, own)| own.outlier).collect();
        if let Some((time, own)) = outliers.first() {
            let (name, surprise, count) = (own.name.clone(), own.surprise, outliers.len());
            told.push(ObserveFault::Outlier { name, time: *time, surprise, count });
        }
        let misfits = |frame: &ObservedFrame| {
            // With less than one number to spare there is nothing to judge by.
            frame.freedom >= 1.0 && chi_squared_above(frame.misfit, frame.freedom) < IMPROBABLE
        };
        if let Some((time, count)) = self.first(misfits)
            && let Some(frame) = frames.iter().find(|frame| misfits(frame))
        {
            told.push(ObserveFault::Misfit { misfit: frame.misfit, freedom: frame.freedom, time, count });
        }
        if let Some(frame) = frames.iter().find(|frame| !frame.blind.is_empty()) {
            let directions = frame.blind.iter().map(|direction| super::json::blind_words(frame, direction)).collect();
            told.push(ObserveFault::Blind { directions, time: frame.time });
        }
        if let Some((time, count)) = self.first(|frame| frame.seen == Seen::Found && !frame.least) {
            told.push(ObserveFault::NotLeast { time, count });
        }
        if let Some((time, count)) = self.first(|frame| frame.seen == Seen::Nothing) {
            told.push(ObserveFault::Unseen { time, count });
        }
        for (rod, own) in self.scene.rods.iter().enumerate() {
            let allowed = match own.discretization.resolution() {
                Resolution::Tolerance(tolerance) => tolerance.max(COARSE),
                _ => COARSE,
            };
            let errors = frames.iter().filter_map(|frame| Some(frame.rods.get(rod)?.discretisation_error));
            let error = errors.fold(0.0, f64::max);
            if error > allowed {
                told.push(ObserveFault::Coarse { rod: own.name.clone(), error });
            }
        }
        told.into_iter().map(|fault| Diagnostic::new(Fault::Observe(fault))).collect()
    }

    /// For programs.
    pub fn to_json(&self) -> Json {
        let observation = self.observation;
        json!({
            "status": self.status(),
            "title": self.scene.title,
            "marker_forces": observation.marker_forces,
            "exact": observation.exact,
            "noise_from_residuals": observation.noise_from_residuals,
            "frames": observation.frames.iter().map(super::json::frame).collect::<Vec<_>>(),
        })
    }
}
