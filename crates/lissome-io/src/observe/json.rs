//! Observations as JSON. What is not finite is `null`.

use crate::number::significant;
use lissome_lie::Pose;
use lissome_solve::observe::{ObservedFrame, ObservedMarker, ObservedRod};
use nalgebra::Vector3;
use serde_json::{Value as Json, json};

fn three(vector: &Vector3<f64>) -> Json {
    json!([vector.x, vector.y, vector.z])
}

fn pose(pose: &Pose) -> Json {
    json!({ "position": three(&pose.position), "quat_wxyz": pose.rotation.quat_wxyz() })
}

pub(super) fn frame(frame: &ObservedFrame) -> Json {
    json!({
        "time": frame.time,
        "status": frame.seen.name(),
        "least_energy": frame.least,
        "energy": frame.energy,
        "misfit": frame.misfit,
        "degrees_of_freedom": frame.freedom,
        "noise": frame.noise,
        "solves": frame.solves,
        "rods": frame.rods.iter().map(rod).collect::<Vec<_>>(),
        "bodies": frame.bodies.iter().map(|body| json!({
            "name": body.name,
            "pose": pose(&body.pose),
            "position_band": three(&body.position_band),
            "rotation_band": three(&body.rotation_band),
        })).collect::<Vec<_>>(),
        "markers": frame.markers.iter().map(marker).collect::<Vec<_>>(),
        "unknowns": frame.unknowns.iter().map(|own| json!({
            "path": own.path,
            "unit": own.unit,
            "value": own.value,
            "standard_error": own.standard_error,
            "low": own.value - own.band,
            "high": own.value + own.band,
        })).collect::<Vec<_>>(),
        "cannot_tell": frame.blind.iter().map(|own| blind_words(frame, own)).collect::<Vec<_>>(),
    })
}

/// A rod by its tip and by what is largest along it; the whole of it is in the run folder.
fn rod(rod: &ObservedRod) -> Json {
    let tip = rod.samples.last();
    let largest = |of: fn(&lissome_solve::observe::SampleBand) -> Vector3<f64>| {
        rod.samples.iter().map(|own| of(&own.band).amax()).fold(0.0, f64::max)
    };
    json!({
        "name": rod.name,
        "tip": tip.map(|own| pose(&own.sample.pose)),
        "tip_position_band": tip.map(|own| three(&own.band.position)),
        "largest_band": {
            "position": largest(|band| band.position),
            "rotation": largest(|band| band.rotation),
            "curvature": largest(|band| band.curvature),
            "stretch": largest(|band| band.stretch),
            "moment": largest(|band| band.moment),
            "force": largest(|band| band.force),
        },
        "discretisation_error": rod.discretisation_error,
    })
}

fn marker(own: &ObservedMarker) -> Json {
    json!({
        "name": own.name,
        "place": pose(&own.place),
        "measured": three(&own.measured),
        "residual": three(&own.residual),
        "turn_residual": three(&own.turn_residual),
        "numbers": own.numbers,
        "surprise": own.surprise,
        "probability": own.probability,
        "outlier": own.outlier,
        "moment": three(&own.wrench.moment),
        "moment_band": three(&own.wrench_band.moment),
        "force": three(&own.wrench.force),
        "force_band": three(&own.wrench_band.force),
    })
}

/// A combination of unknowns: `load.tip.force.x`, or `load.a.force.x + 2 load.b.force.x`.
pub(crate) fn blind_words(frame: &ObservedFrame, direction: &[f64]) -> String {
    let largest = direction.iter().fold(0.0f64, |most, part| most.max(part.abs()));
    let parts = frame.unknowns.iter().zip(direction).filter(|(_, part)| part.abs() > 1e-3 * largest);
    let parts: Vec<(&str, f64)> = parts.map(|(own, part)| (own.path.as_str(), part / largest)).collect();
    if let [(path, _)] = parts[..] {
        return path.to_owned();
    }
    let words: Vec<String> = parts.iter().map(|(path, part)| format!("{} {path}", significant(*part, 3))).collect();
    words.join(" + ")
}
