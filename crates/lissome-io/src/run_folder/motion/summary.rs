//! What a motion has to say of itself. The JSON is the stable schema of `lissome run --json` for motions and of the
//! manifest's `result`.

use super::Chronicle;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::summary::Ending;
use lissome_model::Scene;
use lissome_solve::{MotionEnd, MotionFrame};
use serde_json::{Map, Value as Json, json};

/// A motion, how it ended and what ended it.
#[derive(Clone, Copy, Debug)]
pub struct MotionSummary<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// What was recorded.
    pub chronicle: &'a Chronicle,
    /// How the motion ended.
    pub end: &'a MotionEnd,
    /// What asked it to, if it was asked.
    pub ending: Ending,
    /// Time the computation took, s.
    pub wall_seconds: f64,
}

impl MotionSummary<'_> {
    /// `finished`, `stopped`, `limit` or `interrupted`.
    pub fn status(&self) -> &'static str {
        match (self.end, self.ending) {
            (MotionEnd::Finished, _) => "finished",
            (MotionEnd::Stopped(_), _) => "stopped",
            (MotionEnd::Asked, Ending::TimeLimit { .. }) => "limit",
            (MotionEnd::Asked, _) => "interrupted",
        }
    }

    /// Time reached, s.
    pub fn reached(&self) -> f64 {
        self.chronicle.last.as_ref().map_or(0.0, |frame| frame.time)
    }

    /// Simulated seconds per second of computation.
    pub fn real_time_factor(&self) -> f64 {
        let from = self.chronicle.first.as_ref().map_or(0.0, |frame| frame.time);
        (self.reached() - from) / self.wall_seconds.max(1e-9)
    }

    /// Why it is not finished; `None` if it is.
    pub fn complaint(&self) -> Option<Diagnostic> {
        let (time, duration) = (self.reached(), self.scene.job.end());
        let fault = match (self.end, self.ending) {
            (MotionEnd::Finished, _) => return None,
            (MotionEnd::Stopped(stop), _) => Fault::MotionStopped {
                time: stop.time,
                step: stop.step,
                place: stop.place.clone(),
                reason: stop.reason.clone(),
            },
            (MotionEnd::Asked, Ending::TimeLimit { seconds }) => Fault::MotionLimit { seconds, time, duration },
            (MotionEnd::Asked, _) => Fault::MotionInterrupted { time, duration },
        };
        Some(Diagnostic::new(fault))
    }

    /// The stable JSON.
    pub fn to_json(&self) -> Json {
        let mut json = json!({
            "status": self.status(),
            "time": self.reached(),
            "duration": self.scene.job.end(),
            "frames": self.chronicle.count,
            "energy_drift": self.chronicle.relative_drift(),
        });
        if let Some(last) = &self.chronicle.last {
            json["last"] = frame_json(self.scene, last);
        }
        if let MotionEnd::Stopped(stop) = self.end {
            json["stop"] = json!({ "time": stop.time, "step": stop.step, "place": stop.place, "reason": stop.reason });
        }
        json
    }
}

fn frame_json(scene: &Scene, frame: &MotionFrame) -> Json {
    let pose = |pose: &lissome_lie::Pose| json!({ "position": pose.position.as_slice(), "quat_wxyz": pose.rotation.quat_wxyz() });
    let rods: Map<String, Json> = scene
        .rods
        .iter()
        .zip(&frame.rods)
        .map(|(rod, at)| (rod.name.clone(), json!({ "tip": at.poses.last().map(pose) })))
        .collect();
    let bodies: Map<String, Json> =
        scene.bodies.iter().zip(&frame.bodies).map(|(body, at)| (body.name.clone(), pose(at))).collect();
    let (energy, effort) = (frame.energy, frame.effort);
    json!({
        "time": frame.time,
        "rods": rods,
        "bodies": bodies,
        "energies": {
            "kinetic": energy.kinetic,
            "elastic": energy.elastic,
            "gravity": energy.gravity,
            "dissipated": energy.dissipated,
            "work": energy.work,
            "balance": energy.balance(),
        },
        "momentum": {
            "linear": frame.momentum.linear.as_slice(),
            "angular": frame.momentum.angular.as_slice(),
        },
        "effort": {
            "steps": effort.steps,
            "iterations": effort.iterations,
            "rejected": effort.rejected,
            "halved": effort.halved,
        },
    })
}
