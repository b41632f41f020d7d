//! The numbers of a case: what an answer says in one row, under the names of `path.csv`.
//!
//! Equilibria give the columns of `path.csv`, of a path those of its last sample; modes and critical loads follow. A motion
//! gives its last state, and of every number of the state the least and the greatest over all its frames.

use super::fault::SweepFault;
use crate::fault::Fault;
use crate::run_folder::path::visit;
use lissome_lie::{Pose, Wrench};
use lissome_model::{Job, Scene};
use lissome_solve::{
    Answer, BodyRecord, CableFrame, CableRecord, ContactFrame, ContactRecord, Energy, Equilibrium, JointRecord,
    MotionFrame, Outcome, PathSample, RodFrame, RodRecord, SpringRecord, Status, TendonRecord,
};
use nalgebra::Vector3;

/// Families that a name may be written with.
const FAMILIES: [&str; 7] = ["rod", "body", "joint", "cable", "tendon", "spring", "tubes"];
/// What an equilibrium that is alone has no use for.
const OF_PATHS: [&str; 4] = ["sample", "parameter", "branch", "arc"];
/// Columns that tell how the work went; those alone are told of a case without an answer.
const HOW_IT_WENT: [&str; 8] =
    ["sample", "parameter", "converged", "iterations", "checks", "steps", "residual", "time"];
/// Words of the names that are left out where nobody asked for them.
const LEFT_OUT: [&str; 12] = [
    "sample",
    "branch",
    "arc",
    "checks",
    "steps",
    "iterations",
    "residual",
    "nonconservative",
    "discretisation",
    "quat",
    "moment",
    "centre",
];
/// All columns are asked for.
const ALL: &str = "all";

/// Least and greatest values of a motion, over all its frames.
#[derive(Clone, Debug, Default)]
pub struct Extremes {
    least: Vec<f64>,
    most: Vec<f64>,
}

impl Extremes {
    /// Takes a frame.
    pub fn see(&mut self, scene: &Scene, frame: &MotionFrame) {
        let mut column = 0;
        visit_state(scene, frame, &mut |_, value| {
            if column == self.least.len() {
                self.least.push(value);
                self.most.push(value);
            }
            // What is no number for a while (a gap beside nothing) does not count.
            self.least[column] = self.least[column].min(value);
            self.most[column] = self.most[column].max(value);
            column += 1;
        });
    }
}

/// Names of all numbers that the job of a scene has.
pub fn names(scene: &Scene) -> Vec<String> {
    let mut names = Vec::new();
    if let Job::Dynamics(_) = scene.job {
        visit_motion(scene, &blank_frame(scene), &Extremes::default(), &mut |name, _| names.push(name));
        return names;
    }
    let sample = sample_of(scene, equilibrium_of(scene, &blank_frame(scene)));
    visit_equilibrium(scene, 0, &sample, &mut |name, _| names.push(name));
    match &scene.job {
        Job::Modes(job) => names.extend((1..=job.count).flat_map(|k| MODE.map(|field| format!("mode.{k}.{field}")))),
        Job::Buckling(job) => names.extend((1..=job.count).map(critical_load)),
        _ => {}
    }
    names
}

const MODE: [&str; 3] = ["frequency", "growth", "damping_ratio"];

fn critical_load(k: usize) -> String {
    format!("critical_load.{k}.factor")
}

/// The numbers of an answer by their names. Without success only those that tell how the work went.
pub fn values(scene: &Scene, answer: &Answer, extremes: &Extremes) -> Vec<(String, f64)> {
    let mut values = Vec::new();
    let mut see = |name: String, value: f64| values.push((name, value));
    match answer {
        Answer::Dynamics(motion) => {
            if let Some(last) = &motion.record.last {
                visit_motion(scene, last, extremes, &mut see);
            }
        }
        Answer::Path(path) => {
            if let Some(last) = path.samples.last() {
                visit_equilibrium(scene, path.samples.len() - 1, last, &mut see);
            }
        }
        _ => {
            if let Some(equilibrium) = answer.equilibrium() {
                visit_equilibrium(scene, 0, &sample_of(scene, equilibrium.clone()), &mut see);
            }
        }
    }
    match answer {
        Answer::Modes(modes) => {
            for (k, mode) in modes.modes.iter().enumerate() {
                let numbers = [mode.frequency, mode.growth, mode.damping_ratio];
                MODE.iter().zip(numbers).for_each(|(field, value)| see(format!("mode.{}.{field}", k + 1), value));
            }
        }
        Answer::Buckling(buckling) => {
            buckling.loads.iter().enumerate().for_each(|(k, load)| see(critical_load(k + 1), load.factor));
        }
        _ => {}
    }
    if !answer.succeeded() {
        values.retain(|(name, _)| HOW_IT_WENT.contains(&name.as_str()));
    }
    values
}

/// The columns that are asked for, in the order of `known`: whole names, beginnings of names (`arm.tip.position` for its
/// three components), or `all`. Nothing asked for is a sensible few.
pub fn select(known: &[String], wanted: &[String]) -> Result<Vec<String>, Fault> {
    if wanted.is_empty() {
        return Ok(known.iter().filter(|name| is_told_unasked(name)).cloned().collect());
    }
    for name in wanted {
        if name != ALL && !known.iter().any(|column| belongs(column, name)) {
            return Err(Fault::Sweep(SweepFault::UnknownOutput { name: name.clone(), known: known.to_vec() }));
        }
    }
    let asked = |column: &&String| wanted.iter().any(|name| name == ALL || belongs(column, name));
    Ok(known.iter().filter(asked).cloned().collect())
}

/// True if a column is what a name says, or a part of it.
fn belongs(column: &str, name: &str) -> bool {
    let plain = |text: &'_ str| -> String {
        let family = FAMILIES.iter().find_map(|family| text.strip_prefix(family)?.strip_prefix('.'));
        family.unwrap_or(text).to_owned()
    };
    let (column, name) = (plain(column), plain(name));
    let Some(rest) = column.strip_prefix(&name) else { return false };
    rest.is_empty() || rest.starts_with('.') || ["_x", "_y", "_z", "_w"].contains(&rest)
}

fn is_told_unasked(name: &str) -> bool {
    let words: Vec<&str> = name.split(['.', '_']).collect();
    let has = |word: &str| words.contains(&word);
    let of_contact = name.starts_with("contact.");
    let extreme = name.ends_with(".least") || name.ends_with(".most");
    !(LEFT_OUT.iter().any(|word| has(word))
        || (has("force") && !of_contact)
        || has("frame")
        || has("point")
        || has("points")
        || name.starts_with("effort.")
        || name.starts_with("momentum.")
        || (extreme && !(has("position") || has("tension") || has("gap") || has("angle") || has("travel"))))
}

/// The columns of an equilibrium; those of a path if the job is one.
fn visit_equilibrium(scene: &Scene, index: usize, sample: &PathSample, see: &mut dyn FnMut(String, f64)) {
    let on_path = matches!(scene.job, Job::Path(_) | Job::Inverse(_));
    visit(scene, index, sample, &mut |name, value| {
        if on_path || !OF_PATHS.contains(&name.as_str()) {
            see(name, value);
        }
    });
}

fn sample_of(scene: &Scene, equilibrium: Equilibrium) -> PathSample {
    let drives = scene.drives.iter().map(|drive| drive.signal.at(0.0)).collect();
    let friction = (matches!(scene.job, Job::Path(_)) && scene.has_contacts()).then_some(0.0);
    PathSample { at: 0.0, drives, branch: 0, arc: 0.0, sought: None, friction, equilibrium }
}

/// The last state of a motion, then the extremes of each of its numbers.
fn visit_motion(scene: &Scene, last: &MotionFrame, extremes: &Extremes, see: &mut dyn FnMut(String, f64)) {
    see("time".into(), last.time);
    let mut names = Vec::new();
    visit_state(scene, last, &mut |name, value| {
        names.push(name.clone());
        see(name, value);
    });
    for (column, name) in names.iter().enumerate() {
        let of = |list: &[f64]| list.get(column).copied().unwrap_or(f64::NAN);
        see(format!("{name}.least"), of(&extremes.least));
        see(format!("{name}.most"), of(&extremes.most));
    }
    let effort = last.effort;
    for (name, count) in [("steps", effort.steps), ("iterations", effort.iterations)] {
        see(format!("effort.{name}"), count as f64);
    }
}

/// The numbers of a state of a motion, under the names that an equilibrium gives them.
fn visit_state(scene: &Scene, frame: &MotionFrame, see: &mut dyn FnMut(String, f64)) {
    let sample = PathSample { drives: frame.drives.clone(), ..sample_of(scene, equilibrium_of(scene, frame)) };
    let mut reached = false;
    visit(scene, 0, &sample, &mut |name, value| {
        // What comes before the parts tells of a search for an equilibrium.
        let of_state = reached || name.starts_with("drive.");
        reached |= name == "energy.loads";
        let words: Vec<&str> = name.split(['.', '_']).collect();
        let has = |word: &str| words.contains(&word);
        // A frame of a motion does not hold what rods exert on their ends, nor where joints are.
        let unknown = has("moment")
            || (has("force") && !name.starts_with("contact."))
            || has("frame")
            || has("pulled")
            || has("pull")
            || has("discretisation")
            || scene
                .springs
                .iter()
                .any(|spring| name.trim_start_matches("spring.").starts_with(&format!("{}.", spring.name)));
        if of_state && !unknown {
            see(name, value);
        }
    });
    let energy = frame.energy;
    for (name, value) in [
        ("kinetic", energy.kinetic),
        ("elastic", energy.elastic),
        ("gravity", energy.gravity),
        ("dissipated", energy.dissipated),
        ("friction", energy.friction),
        ("work", energy.work),
    ] {
        see(format!("energy.{name}"), value);
    }
    for (name, vector) in [("linear", frame.momentum.linear), ("angular", frame.momentum.angular)] {
        for (axis, value) in ["x", "y", "z"].iter().zip(vector.iter()) {
            see(format!("momentum.{name}.{axis}"), *value);
        }
    }
}

/// A frame with everything that the scene has, at no particular place.
fn blank_frame(scene: &Scene) -> MotionFrame {
    let thread = |points: usize| CableFrame { tension: 0.0, length: 0.0, points: vec![Vector3::zeros(); points] };
    MotionFrame {
        drives: vec![0.0; scene.drives.len()],
        rods: scene.rods.iter().map(|_| RodFrame { poses: vec![Pose::identity()], ..RodFrame::default() }).collect(),
        bodies: vec![Pose::identity(); scene.bodies.len()],
        joints: scene.joints.iter().map(|joint| vec![0.0; joint.kind.coordinates().len()]).collect(),
        cables: scene.cables.iter().map(|cable| thread(cable.points.len())).collect(),
        tendons: scene.tendons.iter().map(|_| thread(0)).collect(),
        contacts: scene.contact_pairs().map(|_| ContactFrame::default()).collect(),
        ..MotionFrame::default()
    }
}

/// A frame as an equilibrium, so that one place names all columns. What frames do not hold is zero.
fn equilibrium_of(scene: &Scene, frame: &MotionFrame) -> Equilibrium {
    let outcome = Outcome {
        status: Status::Converged,
        history: Vec::new(),
        checks: 0,
        load_steps: 0,
        residual: 0.0,
        stability: None,
        energy: Energy::default(),
        defect: None,
        events: Vec::new(),
    };
    let rods = scene.rods.iter().zip(&frame.rods).map(|(rod, at)| RodRecord {
        name: rod.name.clone(),
        samples: Vec::new(),
        control_poses: Vec::new(),
        tip: at.poses.last().copied().unwrap_or_else(Pose::identity),
        base_wrench: Wrench::zero(),
        tip_wrench: Wrench::zero(),
        discretisation_error: at.discretisation_error,
        tubes: Vec::new(),
    });
    let bodies = scene.bodies.iter().zip(&frame.bodies);
    let joints = scene.joints.iter().zip(&frame.joints).map(|(joint, values)| JointRecord {
        name: joint.name.clone(),
        values: values.clone(),
        pose: Pose::identity(),
    });
    let cables = scene.cables.iter().zip(&frame.cables).map(|(cable, at)| CableRecord {
        name: cable.name.clone(),
        tension: at.tension,
        length: at.length,
        points: at.points.clone(),
    });
    let tendons = scene.tendons.iter().zip(&frame.tendons).map(|(tendon, at)| TendonRecord {
        name: tendon.name.clone(),
        tension: at.tension,
        length: at.length,
        ..TendonRecord::default()
    });
    let springs = scene.springs.iter().map(|spring| SpringRecord {
        name: spring.name.clone(),
        length: 0.0,
        pull: 0.0,
        wrench: Wrench::zero(),
    });
    let contacts = scene.contact_pairs().zip(&frame.contacts).map(|((part, obstacle), contact)| ContactRecord {
        part: part.name(scene).to_owned(),
        obstacle: obstacle.name(scene).to_owned(),
        contact: contact.clone(),
    });
    Equilibrium {
        bodies: bodies.map(|(body, pose)| BodyRecord { name: body.name.clone(), pose: *pose }).collect(),
        joints: joints.collect(),
        cables: cables.collect(),
        springs: springs.collect(),
        contacts: contacts.collect(),
        tendons: tendons.collect(),
        ..Equilibrium::of_rods(outcome, rods.collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_are_asked_for_whole_or_by_their_beginning() {
        assert!(belongs("rod.arm.tip.position_x", "rod.arm.tip.position"));
        assert!(belongs("arm.tip.position.x", "rod.arm.tip.position"));
        assert!(belongs("arm.tip.position.x", "arm"));
        assert!(belongs("plate_1.position.x", "body.plate_1"));
        assert!(!belongs("plate_1.position.x", "plate"));
        assert!(!belongs("plate_10.position.x", "plate_1"));
        let known = ["stable", "arm.tip.position.x", "arm.tip.quat_wxyz.w"].map(str::to_owned);
        assert_eq!(select(&known, &[]).unwrap(), ["stable", "arm.tip.position.x"]);
        assert_eq!(select(&known, &["all".into()]).unwrap(), known);
        assert_eq!(select(&known, &["arm".into()]).unwrap(), known[1..]);
        assert_eq!(select(&known, &["stabel".into()]).unwrap_err().code(), "E0704");
    }
}
