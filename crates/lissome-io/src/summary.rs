//! What a run has to say of itself: status, numbers and, if it failed, why. The JSON here is the stable schema of
//! `lissome run --json` (docs/reference/cli.md) and of the manifest's `result`.

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use lissome_lie::Pose;
use lissome_model::Scene;
use lissome_solve::{Iteration, Recording, RodRecord, Stability, Status};
use serde_json::{Map, Value as Json, json};

/// What ended a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    /// The solver itself.
    Finished,
    /// `--limit`.
    TimeLimit {
        /// The limit, s.
        seconds: f64,
    },
    /// Ctrl-C.
    Interrupted,
}

/// A scene, its answer, and what ended the work.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Its answer.
    pub recording: &'a Recording,
    /// What ended the work.
    pub ending: Ending,
}

impl Summary<'_> {
    /// `converged`, `fold`, `not_converged`, `limit` or `interrupted`.
    pub fn status(&self) -> &'static str {
        match (self.recording.outcome.status, self.ending) {
            (Status::Converged, _) => "converged",
            (Status::Fold { .. }, _) => "fold",
            (_, Ending::TimeLimit { .. }) => "limit",
            (_, Ending::Interrupted) => "interrupted",
            (Status::NotConverged { .. }, Ending::Finished) => "not_converged",
        }
    }

    /// Why there is no equilibrium, or that it is unstable; `None` if all is well.
    pub fn complaint(&self) -> Option<Diagnostic> {
        let outcome = &self.recording.outcome;
        let fault = match (outcome.status, self.ending) {
            (Status::Converged, _) => match outcome.stability {
                Some(Stability { stable: false, negative_directions, .. }) => Fault::Unstable { negative_directions },
                _ => return None,
            },
            (Status::Fold { load_factor, rod, s }, _) => {
                let rod = self.scene.rods.get(rod).map_or(String::new(), |r| r.name.clone());
                Fault::Fold { load_factor, rod, s }
            }
            (Status::NotConverged { load_factor }, Ending::TimeLimit { seconds }) => {
                Fault::TimeLimit { seconds, load_factor }
            }
            (Status::NotConverged { load_factor }, Ending::Interrupted) => Fault::Interrupted { load_factor },
            (Status::NotConverged { load_factor }, Ending::Finished) => {
                Fault::NotConverged { load_factor, residual: outcome.residual, iterations: outcome.iterations() }
            }
        };
        Some(Diagnostic::new(fault))
    }

    /// The stable JSON.
    pub fn to_json(&self) -> Json {
        let outcome = &self.recording.outcome;
        let energy = outcome.energy;
        let rods: Map<String, Json> = self.recording.rods.iter().map(|rod| (rod.name.clone(), rod_json(rod))).collect();
        let mut json = json!({
            "status": self.status(),
            "iterations": outcome.iterations(),
            "load_steps": outcome.load_steps,
            "residual": outcome.residual,
            "stable": outcome.stability.map(|s| s.stable),
            "energy": energy.elastic,
            "energies": {
                "elastic": energy.elastic,
                "gravity": energy.gravity,
                "loads": energy.loads,
                "total": energy.elastic + energy.gravity + energy.loads,
            },
            "stability": outcome.stability.map(|s| json!({
                "stable": s.stable,
                "negative_directions": s.negative_directions,
                "smallest_eigenvalue": s.smallest_eigenvalue,
                "nonconservative": s.nonconservative,
            })),
            "rods": rods,
        });
        match outcome.status {
            Status::Converged => json["load_factor"] = json!(1.0),
            Status::NotConverged { load_factor } => json["load_factor"] = json!(load_factor),
            Status::Fold { load_factor, rod, s } => {
                json["load_factor"] = json!(load_factor);
                json["fold"] = json!({ "rod": self.scene.rods.get(rod).map(|r| &r.name), "s": s });
            }
        }
        json
    }
}

fn rod_json(rod: &RodRecord) -> Json {
    json!({
        "tip": pose_json(&rod.tip),
        "base": {
            "position": rod.samples.first().map(|s| s.pose.position.as_slice().to_vec()),
            "quat_wxyz": rod.samples.first().map(|s| s.pose.rotation.quat_wxyz()),
            "wrench": rod.base_wrench.to_vector().as_slice(),
        },
        "control_poses": rod.control_poses.len(),
        "discretisation_error": rod.discretisation_error(),
    })
}

fn pose_json(pose: &Pose) -> Json {
    json!({ "position": pose.position.as_slice(), "quat_wxyz": pose.rotation.quat_wxyz() })
}

/// One Newton iteration, for `events.jsonl` and progress.
pub fn iteration_json(index: usize, iteration: &Iteration) -> Json {
    json!({
        "iteration": index,
        "load_factor": iteration.load_factor,
        "residual": iteration.residual,
        "step": iteration.step,
        "fraction": iteration.fraction,
        "shift": iteration.shift,
    })
}
