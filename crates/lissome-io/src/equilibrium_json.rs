//! The parts of an answer as JSON: rods, robots, stability, modes, critical loads, samples of a path.

use crate::places;
use crate::sought;
use lissome_lie::{Pose, Wrench};
use lissome_model::Scene;
use lissome_solve::buckling::CriticalKind;
use lissome_solve::flutter::{Examination, Verdict};
use lissome_solve::{
    BucklingAnswer, ContactFrame, DerivativeRecord, Equilibrium, JointRecord, ModeRecord, PathSample, RodRecord,
    SensitivityRecord, Status,
};
use nalgebra::Vector6;
use serde_json::{Map, Value as Json, json};

/// What only robots have; left out where there is none of it.
pub(crate) fn robot_json(scene: &Scene, equilibrium: &Equilibrium, json: &mut Json) {
    if !equilibrium.bodies.is_empty() {
        let bodies = equilibrium.bodies.iter().map(|body| (body.name.clone(), pose_json(&body.pose)));
        json["bodies"] = Json::Object(bodies.collect());
    }
    if !equilibrium.joints.is_empty() {
        let joints = equilibrium.joints.iter().map(|joint| {
            let values = coordinates(scene, joint).into_iter().map(|(name, value)| (name.to_owned(), json!(value)));
            let mut entry: Map<String, Json> = values.collect();
            entry.insert("frame".into(), pose_json(&joint.pose));
            (joint.name.clone(), Json::Object(entry))
        });
        json["joints"] = Json::Object(joints.collect());
    }
    if !equilibrium.cables.is_empty() {
        let cables = equilibrium.cables.iter().map(|cable| {
            let points: Vec<&[f64]> = cable.points.iter().map(|point| point.as_slice()).collect();
            let entry = json!({ "tension": cable.tension, "length": cable.length, "points": points });
            (cable.name.clone(), entry)
        });
        json["cables"] = Json::Object(cables.collect());
    }
    if !equilibrium.tendons.is_empty() {
        let tendons = equilibrium.tendons.iter().map(|tendon| {
            let runs = tendon.runs.iter().map(|run| {
                let points: Vec<&[f64]> = run.points.iter().map(|point| point.as_slice()).collect();
                json!({
                    "rod": scene.rods.get(run.rod).map(|rod| &rod.name),
                    "s": run.s,
                    "position": points,
                    "tension": run.tension,
                    "pressure": run.pressure,
                })
            });
            let runs: Vec<Json> = runs.collect();
            (
                tendon.name.clone(),
                json!({
                    "tension": tendon.tension,
                    "length": tendon.length,
                    "pulled": tendon.pulled,
                    "runs": runs,
                }),
            )
        });
        json["tendons"] = Json::Object(tendons.collect());
    }
    if let Some(record) = &equilibrium.sensitivity {
        json["sensitivity"] = sensitivity_json(record);
    }
    if !equilibrium.derivatives.is_empty() {
        let records = equilibrium.derivatives.iter();
        json["derivatives"] = records.map(derivative_json).collect();
    }
    if !equilibrium.springs.is_empty() {
        let springs = equilibrium.springs.iter().map(|spring| {
            let mut entry = json!({ "length": spring.length, "pull": spring.pull });
            add_wrench(&mut entry, &spring.wrench);
            (spring.name.clone(), entry)
        });
        json["springs"] = Json::Object(springs.collect());
    }
    if !equilibrium.contacts.is_empty() {
        let pairs = equilibrium.contacts.iter();
        json["contacts"] = pairs.map(|pair| contact_json(&pair.part, &pair.obstacle, &pair.contact)).collect();
    }
    if let Some(gap) = places::largest_gap(scene, equilibrium) {
        let loops = places::loops(scene);
        json["loops"] = json!({ "count": loops, "gap": { "position": gap.position, "rotation": gap.rotation } });
    }
}

/// A pair of a part and an obstacle: its least gap, the force on the part and the points that press.
pub(crate) fn contact_json(part: &str, obstacle: &str, contact: &ContactFrame) -> Json {
    let points = contact.points.iter().map(|point| {
        json!({ "s": point.s, "gap": point.gap, "position": point.place.as_slice(), "force": point.force.as_slice() })
    });
    json!({
        "part": part,
        "obstacle": obstacle,
        "gap": contact.least_gap,
        "touching": contact.points.len(),
        "force": contact.force().as_slice(),
        "centre": contact.centre().as_slice(),
        "points": points.collect::<Vec<Json>>(),
    })
}

/// Derivatives of an output by numbers of the scene.
fn derivative_json(record: &DerivativeRecord) -> Json {
    json!({ "of": record.of, "wrt": record.wrt, "values": record.values, "adjoint": record.adjoint })
}

/// Derivatives of tips, tensions and lengths.
fn sensitivity_json(record: &SensitivityRecord) -> Json {
    let sixes = |list: &[Vector6<f64>]| list.iter().map(|v| v.as_slice().to_vec()).collect::<Vec<_>>();
    let tips = record.tips.iter().map(|tip| {
        let compliance: Vec<Vec<f64>> = tip.compliance.row_iter().map(|row| row.iter().copied().collect()).collect();
        let entry = json!({
            "by_input": sixes(&tip.by_inputs),
            "by_length": sixes(&tip.by_lengths),
            "compliance": compliance,
        });
        (tip.part.clone(), entry)
    });
    json!({
        "inputs": record.inputs,
        "tendons": record.tendons,
        "tips": Json::Object(tips.collect()),
        "tension_by_input": record.tensions,
        "length_by_input": record.lengths,
    })
}

/// Names and values of a joint's coordinates.
pub fn coordinates(scene: &Scene, record: &JointRecord) -> Vec<(&'static str, f64)> {
    let joint = scene.joints.iter().find(|joint| joint.name == record.name);
    let names = joint.map_or(&[][..], |joint| joint.kind.coordinates());
    names.iter().zip(&record.values).map(|((name, _), value)| (*name, *value)).collect()
}

/// Ends of a rod, what it exerts there, and how far it can be trusted.
pub(crate) fn rod_json(rod: &RodRecord) -> Json {
    let mut tip = pose_json(&rod.tip);
    add_wrench(&mut tip, &rod.tip_wrench);
    let mut base = json!({
        "position": rod.samples.first().map(|s| s.pose.position.as_slice().to_vec()),
        "quat_wxyz": rod.samples.first().map(|s| s.pose.rotation.quat_wxyz()),
    });
    add_wrench(&mut base, &rod.base_wrench);
    let mut json = json!({
        "tip": tip,
        "base": base,
        "control_poses": rod.control_poses.len(),
        "discretisation_error": rod.discretisation_error,
    });
    if !rod.tubes.is_empty() {
        let tubes = rod.tubes.iter().map(|tube| {
            (tube.name.clone(), json!({ "angle": tube.angle.as_slice(), "torque": tube.torque.as_slice() }))
        });
        json["tubes"] = Json::Object(tubes.collect());
    }
    json
}

/// What acts, beside what is there already.
fn add_wrench(json: &mut Json, wrench: &Wrench) {
    json["moment"] = json!(wrench.moment.as_slice());
    json["force"] = json!(wrench.force.as_slice());
}

/// Position and orientation.
pub(crate) fn pose_json(pose: &Pose) -> Json {
    json!({ "position": pose.position.as_slice(), "quat_wxyz": pose.rotation.quat_wxyz() })
}

/// What was examined of the stability of an equilibrium, and what came out; `None` without one.
pub(crate) fn stability_json(equilibrium: &Equilibrium) -> Option<Json> {
    let stability = equilibrium.outcome.stability?;
    let mut examined = vec!["divergence"];
    if equilibrium.flutter.is_some_and(|flutter| !matches!(flutter.verdict, Verdict::NotExamined(_))) {
        examined.push("flutter");
    }
    Some(json!({
        "stable": stability.stable,
        "neutral": stability.is_neutral(),
        "negative_directions": stability.negative_directions,
        "smallest_eigenvalue": stability.smallest_eigenvalue,
        "nonconservative": stability.nonconservative,
        "examined": examined,
        "flutter": equilibrium.flutter.as_ref().map(flutter_json),
        "words": stability_words(equilibrium),
    }))
}

fn flutter_json(flutter: &Examination) -> Json {
    let (verdict, growth, frequency) = match flutter.verdict {
        Verdict::Stable { .. } => ("none", None, None),
        Verdict::Flutters { growth, frequency } => ("flutters", Some(growth), Some(frequency)),
        Verdict::Diverges { growth } => ("runs away", Some(growth), Some(0.0)),
        Verdict::NotExamined(_) => ("not examined", None, None),
    };
    json!({ "verdict": verdict, "growth": growth, "frequency": frequency, "from_load_factor": flutter.onset })
}

/// Which stability was examined, in words: `stable`, `stable against divergence and flutter`, `stable against divergence,
/// flutters from load factor 0.80204`, `unstable`, or that a classical method does not tell. `None` without an equilibrium.
pub fn stability_words(equilibrium: &Equilibrium) -> Option<String> {
    let Some(stability) = equilibrium.outcome.stability else {
        let method = equilibrium.method.filter(|_| equilibrium.outcome.converged())?;
        return Some(format!("stability not examined by the {} method", method.name()));
    };
    Some(match (stability.stable, &equilibrium.flutter) {
        (false, _) => "unstable".into(),
        (true, None) if stability.nonconservative => "stable against divergence".into(),
        (true, None) if stability.is_neutral() => "neutral: some motion costs nothing".into(),
        (true, None) => "stable".into(),
        (true, Some(flutter)) => match flutter.verdict {
            Verdict::Stable { .. } => "stable against divergence and flutter".into(),
            Verdict::NotExamined(reason) => format!("stable against divergence; flutter is not examined: {reason}"),
            _ => format!("stable against divergence, {flutter}"),
        },
    })
}

/// One mode.
pub(crate) fn mode_json(mode: &ModeRecord) -> Json {
    json!({
        "frequency": mode.frequency,
        "growth": mode.growth,
        "damping_ratio": mode.damping_ratio,
        "error": mode.error,
        "word": mode.word(),
    })
}

/// The word for what happens at a critical load.
pub fn critical_kind(kind: CriticalKind) -> &'static str {
    match kind {
        CriticalKind::Bifurcation => "bifurcation",
        CriticalKind::Limit => "limit",
        CriticalKind::Estimate => "estimate",
    }
}

/// The critical loads of an answer.
pub(crate) fn critical_loads_json(buckling: &BucklingAnswer) -> Json {
    let loads = buckling.loads.iter().map(|load| {
        json!({
            "factor": load.factor,
            "kind": critical_kind(load.kind),
            "uncertainty": load.uncertainty,
            "estimate": load.estimate,
        })
    });
    let flutter = buckling.flutter.as_ref();
    json!({
        "from": buckling.from,
        "loads": loads.collect::<Json>(),
        "missed": buckling.missed,
        "stopped": buckling.stopped,
        "flutter": flutter.map(|onset| json!({ "factor": onset.factor, "frequency": onset.mode.frequency })),
    })
}

/// One sample of a path: what drives it, how it ended, where the tips and bodies are.
pub(crate) fn sample_json(scene: &Scene, sample: &PathSample) -> Json {
    let (equilibrium, outcome) = (&sample.equilibrium, &sample.equilibrium.outcome);
    let drives: Map<String, Json> =
        scene.drives.iter().zip(&sample.drives).map(|(drive, value)| (drive.path.clone(), json!(value))).collect();
    let tips: Map<String, Json> = equilibrium.rods.iter().map(|rod| (rod.name.clone(), pose_json(&rod.tip))).collect();
    let status = match outcome.status {
        Status::Converged => "converged",
        Status::Fold { .. } => "fold",
        Status::NotConverged { .. } => "not_converged",
        Status::Stopped { .. } => "stopped",
    };
    let mut json = json!({
        "parameter": sample.at,
        "branch": sample.branch,
        "arc": sample.arc,
        "drives": drives,
        "status": status,
        "iterations": outcome.iterations(),
        "residual": outcome.residual,
        "stable": equilibrium.is_stable(),
        "stability": stability_words(equilibrium),
        "smallest_eigenvalue": outcome.stability.map(|stability| stability.smallest_eigenvalue),
        "energy": outcome.energy.elastic,
        "total_energy": outcome.energy.total(),
        "tips": tips,
    });
    if !equilibrium.bodies.is_empty() {
        let bodies = equilibrium.bodies.iter().map(|body| (body.name.clone(), pose_json(&body.pose)));
        json["bodies"] = Json::Object(bodies.collect());
    }
    if let Some((job, sought)) = sought::job_of(scene).zip(sample.sought.as_ref()) {
        json["inverse"] = sought::json_of(scene, job, sought);
    }
    json
}
