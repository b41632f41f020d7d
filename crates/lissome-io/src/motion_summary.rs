//! What a motion has to say of itself. The JSON is the stable schema of `lissome run --json` for motions and of the
//! manifest's `result`.

use crate::coarseness;
use crate::diagnostic::Diagnostic;
use crate::equilibrium_json::{contact_json, pose_json};
use crate::fault::Fault;
use crate::moment::Moment;
use crate::summary::{Ending, Summary};
use lissome_lie::Pose;
use lissome_model::{Body, Scene};
use lissome_solve::{DerivativeCourse, MotionAnswer, MotionEnd, MotionEvent, MotionFrame, Velocity};
use serde_json::{Map, Value as Json, json};

/// A motion begins with a tenth of its tolerance, and may come to ten times of it before it is worth a warning: its steps in
/// time err by as much.
const MOTION_ALLOWANCE: f64 = 10.0;

/// A motion, and what asked it to end.
#[derive(Clone, Copy, Debug)]
pub struct MotionSummary<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// Its motion.
    pub motion: &'a MotionAnswer,
    /// What asked it to end, if it was asked.
    pub ending: Ending,
    /// Time the computation took, s.
    pub wall_seconds: f64,
}

impl MotionSummary<'_> {
    /// `finished`, `balance_broken`, `ran_through`, `stopped`, `no_start`, `limit` or `interrupted`.
    pub fn status(&self) -> &'static str {
        match (&self.motion.end, self.ending) {
            (MotionEnd::Finished, _) => "finished",
            (MotionEnd::BalanceBroken { .. }, _) => "balance_broken",
            (MotionEnd::RanThrough(_), _) => "ran_through",
            (MotionEnd::Stopped(_), _) => "stopped",
            (MotionEnd::NoStart, _) => "no_start",
            (MotionEnd::Asked, Ending::TimeLimit { .. }) => "limit",
            (MotionEnd::Asked, _) => "interrupted",
        }
    }

    /// Bodies that have no mass, or resist no turn.
    fn massless(&self) -> Vec<String> {
        let light = |body: &&Body| body.inertia.mass == 0.0 && body.inertia.about_centre.amax() == 0.0;
        self.scene.bodies.iter().filter(light).map(|body| format!("body.{}", body.name)).collect()
    }

    /// Time reached, s.
    pub fn reached(&self) -> f64 {
        self.motion.record.reached()
    }

    /// Why it is not a success; `None` if it is.
    pub fn complaint(&self) -> Option<Diagnostic> {
        let (time, duration) = (self.reached(), self.scene.job.end());
        let fault = match (&self.motion.end, self.ending) {
            (MotionEnd::Finished, _) => return None,
            (MotionEnd::BalanceBroken { time, missing, allowed }, _) => {
                Fault::BalanceBroken { time: *time, missing: *missing, allowed: *allowed }
            }
            (MotionEnd::RanThrough(event), _) => {
                Fault::RanThrough { time: event.time, pair: event.part.clone(), depth: event.value }
            }
            (MotionEnd::Stopped(stop), _) => Fault::MotionStopped {
                time: stop.time,
                step: stop.step,
                place: stop.place.clone(),
                reason: stop.reason.clone(),
                massless: if stop.time > 0.0 { Vec::new() } else { self.massless() },
            },
            (MotionEnd::NoStart, ending) => {
                let start = self.motion.start.as_ref()?;
                return Summary::of_equilibrium(self.scene, start, ending).complaint();
            }
            (MotionEnd::Asked, Ending::TimeLimit { seconds }) => Fault::MotionLimit { seconds, time, duration },
            (MotionEnd::Asked, _) => Fault::MotionInterrupted { time, duration },
        };
        Some(Diagnostic::new(fault))
    }

    /// What to be careful about although it ran: what the scheme dissipates, and the rod that is divided too coarsely by far.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let balance = &self.motion.record.balance;
        let loss = Fault::SchemeLoss { loss: balance.scheme_loss(), part: balance.relative_loss() };
        let rods = self.scene.rods.iter().zip(&self.motion.record.coarsest);
        let coarse = rods.filter_map(|(rod, (error, time))| {
            coarseness::fault(rod, *error, MOTION_ALLOWANCE, Some(Moment::Time(*time)))
        });
        let worst = coarse.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, fault)| fault);
        balance.loses_much().then_some(loss).into_iter().chain(worst).map(Diagnostic::new).collect()
    }

    /// The stable JSON.
    pub fn to_json(&self) -> Json {
        let record = &self.motion.record;
        let balance = &record.balance;
        let mut json = json!({
            "status": self.status(),
            "time": self.reached(),
            "duration": self.scene.job.end(),
            "frames": record.count,
            "energy_drift": balance.relative_drift(),
            "energy_turnover": balance.turnover(),
            "energy_rise": balance.relative_rise(),
            "scheme_loss": balance.relative_loss(),
            "discretisation_error": record.coarsest.iter().map(|(error, _)| *error).reduce(worse).unwrap_or(0.0),
            "dissipation": balance.relative_dissipation(),
            "events": record.events.iter().map(event_json).collect::<Json>(),
            "event_count": record.event_count,
        });
        if !record.derivatives.is_empty() {
            json["derivatives"] = record.derivatives.iter().map(derivatives_json).collect();
        }
        if let Some(last) = &record.last {
            json["last"] = frame_json(self.scene, last);
        }
        match &self.motion.end {
            MotionEnd::Stopped(stop) => {
                json["stop"] =
                    json!({ "time": stop.time, "step": stop.step, "place": stop.place, "reason": stop.reason });
            }
            MotionEnd::BalanceBroken { time, missing, allowed } => {
                json["broken_balance"] = json!({ "time": time, "missing": missing, "allowed": allowed });
            }
            MotionEnd::RanThrough(event) => json["ran_through"] = event_json(event),
            MotionEnd::Finished | MotionEnd::Asked | MotionEnd::NoStart => {}
        }
        json
    }
}

/// The larger of two errors; none that is known where one is not.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// Derivatives at the last time that was reached; those of all times are in a file.
fn derivatives_json(record: &DerivativeCourse) -> Json {
    let rows: Vec<&[f64]> =
        record.values.last().map_or(Vec::new(), |all| all.chunks(record.wrt.len().max(1)).collect());
    json!({ "of": record.of, "wrt": record.wrt, "time": record.at.last(), "values": rows })
}

/// An event, for the summary and for `events.jsonl`.
pub fn event_json(event: &MotionEvent) -> Json {
    json!({ "event": event.kind.name(), "time": event.time, "part": event.part, "value": event.value })
}

/// Pose and velocity.
fn moving_json(pose: &Pose, velocity: &Velocity) -> Json {
    let mut json = pose_json(pose);
    json["velocity"] = json!(velocity.linear.as_slice());
    json["angular_velocity"] = json!(velocity.angular.as_slice());
    json
}

fn frame_json(scene: &Scene, frame: &MotionFrame) -> Json {
    let rods: Map<String, Json> = scene
        .rods
        .iter()
        .zip(&frame.rods)
        .map(|(rod, at)| {
            let tip = at.poses.last().zip(at.velocities.last()).map(|(pose, velocity)| moving_json(pose, velocity));
            (rod.name.clone(), json!({ "tip": tip }))
        })
        .collect();
    let bodies = scene.bodies.iter().zip(frame.bodies.iter().zip(&frame.body_velocities));
    let bodies: Map<String, Json> =
        bodies.map(|(body, (pose, velocity))| (body.name.clone(), moving_json(pose, velocity))).collect();
    let (energy, effort) = (frame.energy, frame.effort);
    let mut json = json!({
        "time": frame.time,
        "rods": rods,
        "bodies": bodies,
        "energies": {
            "kinetic": energy.kinetic,
            "elastic": energy.elastic,
            "gravity": energy.gravity,
            "dissipated": energy.dissipated,
            "friction": energy.friction,
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
    });
    if !frame.contacts.is_empty() {
        let pairs = scene
            .contact_pairs()
            .zip(&frame.contacts)
            .map(|((part, obstacle), contact)| contact_json(part.name(scene), obstacle.name(scene), contact));
        json["contacts"] = pairs.collect();
    }
    json
}
