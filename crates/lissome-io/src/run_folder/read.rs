//! Reads a run folder back, for `export`.

use super::path::{self, Texts};
use super::{MANIFEST, MANIFEST_SCHEMA, OPTIMISED, table};
use crate::branches::branch_of;
use crate::diagnostic::Diagnostic;
use crate::events::event_of;
use crate::fault::Fault;
use crate::files::{RESULT_LIMIT, read_limited};
use crate::scene::{self, LoadedScene};
use crate::summary::{Ending, Summary};
use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::{Job, StaticsJob};
use lissome_solve::{
    BodyRecord, CableRecord, ContactFrame, ContactPoint, ContactRecord, Energy, Equilibrium, Event, JointRecord,
    Outcome, PathSample, RodRecord, SpringRecord, Stability, Status, TendonRecord, TendonRunRecord, TracedBranch,
};
use nalgebra::Vector3;
use serde_json::Value as Json;
use std::path::Path;

/// A run folder in memory.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// Its scene.
    pub loaded: LoadedScene,
    /// Its equilibrium; of a path the last.
    pub equilibrium: Equilibrium,
    /// Every equilibrium of a path; empty for another job.
    pub path: Vec<PathSample>,
    /// The branches of a path that was followed by its length; empty for another.
    pub branches: Vec<TracedBranch>,
    /// What ended it.
    pub ending: Ending,
}

impl StoredRun {
    /// The run's summary.
    pub fn summary(&self) -> Summary<'_> {
        let alone = Summary::of_equilibrium(&self.loaded.scene, &self.equilibrium, self.ending);
        Summary { path: &self.path, branches: &self.branches, ..alone }
    }
}

/// Reads a folder that [`super::write()`] wrote.
pub fn read(folder: &Path) -> Result<StoredRun, Vec<Diagnostic>> {
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    let shown = |name: &str| folder.join(name).display().to_string();
    let text = |name: &str| -> Result<String, Vec<Diagnostic>> {
        let bytes = read_limited(&folder.join(name), RESULT_LIMIT).map_err(one)?;
        String::from_utf8(bytes)
            .map_err(|_| one(Fault::DamagedRun { path: shown(name), reason: "it is not UTF-8".into() }))
    };
    let not_a_run = || one(Fault::NotARun { path: folder.display().to_string() });
    if !folder.join(MANIFEST).is_file() {
        return Err(not_a_run());
    }
    let manifest: Json = serde_json::from_str(&text(MANIFEST)?).map_err(|_| not_a_run())?;
    let is_sweep = manifest["kind"] == crate::sweep::folder::KIND;
    if manifest["program"] != "lissome" || manifest["schema"] != MANIFEST_SCHEMA || is_sweep {
        return Err(not_a_run());
    }
    // Of an optimisation what was found is what there is to see.
    let own = if folder.join(OPTIMISED).is_file() { OPTIMISED } else { "scene.toml" };
    let loaded = scene::load(&folder.join(own), &[])?;
    let samples = table::read_samples(&shown("samples.csv"), &text("samples.csv")?).map_err(one)?;
    let poses = table::read_control_poses(&shown("control_poses.csv"), &text("control_poses.csv")?).map_err(one)?;
    let history = table::read_history(&shown("history.csv"), &text("history.csv")?).map_err(one)?;

    let result = &manifest["result"];
    let rods = loaded
        .scene
        .rods
        .iter()
        .filter_map(|rod| {
            let samples: Vec<_> = samples.iter().filter(|(name, _)| *name == rod.name).map(|(_, s)| *s).collect();
            let control_poses = poses.iter().filter(|(name, _)| *name == rod.name).map(|(_, p)| *p).collect();
            let entry = &result["rods"][&rod.name];
            Some(RodRecord {
                name: rod.name.clone(),
                tip: pose(&entry["tip"]).or(samples.last().map(|sample| sample.pose))?,
                samples,
                control_poses,
                base_wrench: wrench(&entry["base"]),
                tip_wrench: wrench(&entry["tip"]),
                discretisation_error: number(&entry["discretisation_error"]),
                tubes: Vec::new(),
            })
        })
        .collect();
    let whole = history.clone();
    let with_sample = |json: &Json| {
        let sample = json["sample"].as_u64().map(|sample| sample as usize);
        Some((event_of(&loaded.scene, json)?, sample))
    };
    let events: Vec<(Event, Option<usize>)> =
        result["events"].as_array().map_or(Vec::new(), |all| all.iter().filter_map(with_sample).collect());
    let outcome = Outcome {
        status: status(result, &loaded),
        history,
        checks: 0,
        load_steps: result["load_steps"].as_u64().unwrap_or(0) as usize,
        residual: number(&result["residual"]),
        stability: stability(&result["stability"]),
        energy: Energy {
            elastic: number(&result["energies"]["elastic"]),
            gravity: number(&result["energies"]["gravity"]),
            loads: number(&result["energies"]["loads"]),
        },
        // The diagnostic of a defect is in the manifest; what is read back are the results.
        defect: None,
        events: if folder.join("path.csv").is_file() {
            Vec::new()
        } else {
            events.iter().map(|(event, _)| *event).collect()
        },
    };
    let ending = match manifest["status"].as_str() {
        Some("limit") => Ending::TimeLimit { seconds: number(&manifest["wall_seconds"]) },
        Some("interrupted") => Ending::Interrupted,
        _ => Ending::Finished,
    };
    let scene = &loaded.scene;
    let bodies = scene
        .bodies
        .iter()
        .filter_map(|body| Some(BodyRecord { name: body.name.clone(), pose: pose(&result["bodies"][&body.name])? }));
    let joints = scene.joints.iter().filter_map(|joint| {
        let entry = &result["joints"][&joint.name];
        let values = joint.kind.coordinates().iter().map(|(name, _)| number(&entry[name])).collect();
        Some(JointRecord { name: joint.name.clone(), values, pose: pose(&entry["frame"])? })
    });
    let cables = scene.cables.iter().filter_map(|cable| {
        let entry = &result["cables"][&cable.name];
        let points = entry["points"].as_array()?.iter().map(|point| Vector3::from(numbers(point))).collect();
        let (tension, length) = (number(&entry["tension"]), number(&entry["length"]));
        Some(CableRecord { name: cable.name.clone(), tension, length, points })
    });
    let tendons = scene.tendons.iter().filter_map(|tendon| {
        let entry = result["tendons"].get(&tendon.name)?;
        let list = |json: &Json| json.as_array().map_or(Vec::new(), |all| all.iter().map(number).collect());
        let runs = tendon.runs.iter().zip(entry["runs"].as_array()?).map(|(run, entry)| TendonRunRecord {
            rod: run.rod,
            s: list(&entry["s"]),
            points: entry["position"]
                .as_array()
                .map_or(Vec::new(), |all| all.iter().map(|point| Vector3::from(numbers(point))).collect()),
            tension: list(&entry["tension"]),
            pressure: list(&entry["pressure"]),
        });
        let (tension, length) = (number(&entry["tension"]), number(&entry["length"]));
        let pulled = number(&entry["pulled"]);
        Some(TendonRecord { name: tendon.name.clone(), tension, length, pulled, runs: runs.collect() })
    });
    let springs = scene.springs.iter().filter_map(|spring| {
        let entry = result["springs"].get(&spring.name)?;
        let (length, pull) = (number(&entry["length"]), number(&entry["pull"]));
        Some(SpringRecord { name: spring.name.clone(), length, pull, wrench: wrench(entry) })
    });
    let contacts = scene.contact_pairs().filter_map(|(part, obstacle)| {
        let (part, obstacle) = (part.name(scene).to_owned(), obstacle.name(scene).to_owned());
        let pairs = result["contacts"].as_array()?;
        let entry = pairs.iter().find(|entry| entry["part"] == part && entry["obstacle"] == obstacle)?;
        let points = entry["points"].as_array()?.iter().map(|point| ContactPoint {
            s: number(&point["s"]),
            gap: number(&point["gap"]),
            place: Vector3::from(numbers(&point["position"])),
            force: Vector3::from(numbers(&point["force"])),
        });
        let contact = ContactFrame { least_gap: number(&entry["gap"]), points: points.collect() };
        Some(ContactRecord { part, obstacle, contact })
    });
    let mut equilibrium = Equilibrium {
        contacts: contacts.collect(),
        bodies: bodies.collect(),
        joints: joints.collect(),
        cables: cables.collect(),
        springs: springs.collect(),
        tendons: tendons.collect(),
        method: match scene.job {
            Job::Statics(StaticsJob { method, .. }) => method,
            _ => None,
        },
        ..Equilibrium::of_rods(outcome, rods)
    };
    let mut samples = Vec::new();
    if folder.join("path.csv").is_file() {
        let (file, path) = (shown("path.csv"), text("path.csv")?);
        let (along, poses) = (text("path_samples.csv")?, text("path_control_poses.csv")?);
        let texts = Texts { file: &file, path: &path, samples: &along, control_poses: &poses };
        samples = path::read(scene, texts, &whole, equilibrium.outcome.status).map_err(one)?;
        for (event, sample) in events {
            // One without a sample lies on the way along the load to the first.
            if let Some(sample) = samples.get_mut(sample.unwrap_or(0)) {
                sample.equilibrium.outcome.events.push(event);
            }
        }
        if let Some(last) = samples.last() {
            equilibrium.outcome.events.clone_from(&last.equilibrium.outcome.events);
            equilibrium.outcome.history.clone_from(&last.equilibrium.outcome.history);
        }
    }
    let branches = result["path"]["branches"].as_array();
    let branches = branches.map_or(Vec::new(), |all| all.iter().filter_map(branch_of).collect());
    Ok(StoredRun { loaded, equilibrium, path: samples, branches, ending })
}

fn wrench(json: &Json) -> Wrench {
    Wrench::new(Vector3::from(numbers(&json["moment"])), Vector3::from(numbers(&json["force"])))
}

fn pose(json: &Json) -> Option<Pose> {
    let rotation = Rotation::from_quat_wxyz(numbers(&json["quat_wxyz"]))?;
    Some(Pose::new(rotation, Vector3::from(numbers(&json["position"]))))
}

/// A number of the manifest; JSON has no NaN, so `null` stands for it.
fn number(json: &Json) -> f64 {
    json.as_f64().unwrap_or(f64::NAN)
}

fn numbers<const N: usize>(json: &Json) -> [f64; N] {
    std::array::from_fn(|i| number(&json[i]))
}

fn status(result: &Json, loaded: &LoadedScene) -> Status {
    let load_factor = number(&result["load_factor"]);
    match result["status"].as_str() {
        Some("converged") => Status::Converged,
        Some("fold") => {
            let name = result["fold"]["rod"].as_str().unwrap_or_default();
            let rod = loaded.scene.rods.iter().position(|r| r.name == name).unwrap_or(0);
            Status::Fold { load_factor, rod, s: number(&result["fold"]["s"]) }
        }
        Some("interrupted" | "limit") => Status::Stopped { load_factor },
        _ => Status::NotConverged { load_factor },
    }
}

fn stability(json: &Json) -> Option<Stability> {
    Some(Stability {
        stable: json["stable"].as_bool()?,
        negative_directions: json["negative_directions"].as_u64()? as usize,
        smallest_eigenvalue: number(&json["smallest_eigenvalue"]),
        nonconservative: json["nonconservative"].as_bool()?,
    })
}
