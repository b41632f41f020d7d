//! The tables of a path: one row a sample in `path.csv`, rods along it in `path_samples.csv` and
//! `path_control_poses.csv`, the same as arrays in `path.npz`; and back.

use super::npz::Array;
use super::robot::six;
use super::table::{OF_SAMPLE, add_fields, pose_of, pose_row, push_row, rows, sample_of, sample_row};
use crate::columns::{self, CONTACT, POSE, SAMPLE, WRENCH};
use crate::fault::Fault;
use crate::summary::coordinates;
use lissome_lie::{Pose, Wrench};
use lissome_model::{Drive, FreeDrive, InverseJob, Job, Scene};
use lissome_solve::inverse::End;
use lissome_solve::{
    BodyRecord, CableRecord, ContactFrame, ContactRecord, Energy, Equilibrium, Iteration, JointRecord, Outcome,
    PathSample, RodRecord, Sample, Sought, SpringRecord, Stability, Status, TendonRecord,
};
use nalgebra::{Vector3, Vector6};
use std::collections::HashMap;

/// Rows of `path_samples.csv` beyond which only every 2nd, 4th, 5th … place of the rods is written.
const MOST_ROWS: usize = 200_000;
/// Steps between the places that are written; all divide the number of intervals of a rod's samples, so that both ends
/// are always there.
const STRIDES: [usize; 8] = [1, 2, 4, 5, 10, 20, 25, 50];
/// Calls `see` with name and value of every column of `path.csv`, in order.
pub(crate) fn visit(scene: &Scene, index: usize, sample: &PathSample, see: &mut dyn FnMut(String, f64)) {
    let equilibrium = &sample.equilibrium;
    let outcome = &equilibrium.outcome;
    see("sample".into(), index as f64);
    see("parameter".into(), sample.at);
    see("branch".into(), sample.branch as f64);
    see("arc".into(), sample.arc);
    for (Drive { path, .. }, value) in scene.drives.iter().zip(&sample.drives) {
        see(columns::drive(path), *value);
    }
    if let Job::Inverse(job) = &scene.job {
        visit_sought(job, sample.sought.as_ref(), see);
    }
    see("converged".into(), f64::from(outcome.converged()));
    see("iterations".into(), outcome.iterations() as f64);
    see("checks".into(), outcome.checks as f64);
    see("steps".into(), outcome.load_steps as f64);
    see("residual".into(), outcome.residual);
    let stability = outcome.stability;
    see("stable".into(), stability.map_or(f64::NAN, |s| f64::from(s.stable)));
    see("negative_directions".into(), stability.map_or(f64::NAN, |s| s.negative_directions as f64));
    see("smallest_eigenvalue".into(), stability.map_or(f64::NAN, |s| s.smallest_eigenvalue));
    see("nonconservative".into(), stability.map_or(f64::NAN, |s| f64::from(s.nonconservative)));
    let energy = outcome.energy;
    for (name, value) in [("elastic", energy.elastic), ("gravity", energy.gravity), ("loads", energy.loads)] {
        see(format!("energy.{name}"), value);
    }
    if let Some(friction) = sample.friction {
        see("energy.friction".into(), friction);
    }
    let mut all = |part: &str, fields: &[&str], values: &[f64]| {
        let names = fields.iter().flat_map(|field| columns::columns(part, field));
        names.zip(values).for_each(|(name, value)| see(name, *value));
    };
    let end = |rod: &str, end: &str| columns::array(rod, end);
    for rod in &equilibrium.rods {
        all(&end(&rod.name, "tip"), &POSE, &pose_row(&rod.tip));
        all(&end(&rod.name, "base"), &WRENCH, &six(&rod.base_wrench));
        all(&end(&rod.name, "tip"), &WRENCH, &six(&rod.tip_wrench));
        all(&rod.name, &["discretisation_error"], &[rod.discretisation_error]);
    }
    for body in &equilibrium.bodies {
        all(&body.name, &POSE, &pose_row(&body.pose));
    }
    for joint in &equilibrium.joints {
        for (name, value) in coordinates(scene, joint) {
            all(&joint.name, &[name], &[value]);
        }
        all(&columns::array(&joint.name, "frame"), &POSE, &pose_row(&joint.pose));
    }
    for cable in &equilibrium.cables {
        all(&cable.name, &["tension", "length"], &[cable.tension, cable.length]);
        for (index, point) in cable.points.iter().enumerate() {
            all(&cable.name, &[&point_field(index)], point.as_slice());
        }
    }
    for tendon in &equilibrium.tendons {
        all(&tendon.name, &["tension", "length", "pulled"], &[tendon.tension, tendon.length, tendon.pulled]);
    }
    for spring in &equilibrium.springs {
        all(&spring.name, &["length", "pull"], &[spring.length, spring.pull]);
        all(&spring.name, &WRENCH, &six(&spring.wrench));
    }
    for ContactRecord { part, obstacle, contact } in &equilibrium.contacts {
        let (force, centre) = (contact.force(), contact.centre());
        let sums = [&[contact.least_gap, contact.points.len() as f64][..], force.as_slice(), centre.as_slice()];
        all(&columns::pair(part, obstacle), &CONTACT, &sums.concat());
    }
}

/// What became of the targets of an inverse job.
fn visit_sought(job: &InverseJob, sought: Option<&Sought>, see: &mut dyn FnMut(String, f64)) {
    let number = |value: fn(&Sought) -> f64| sought.map_or(f64::NAN, value);
    see(ENDED.into(), number(|own| ENDS.iter().position(|end| *end == own.end).unwrap_or(0) as f64));
    see(DISTANCE.into(), number(|own| own.distance));
    see(ROUNDS.into(), number(|own| own.iterations as f64));
    for (index, target) in job.targets.iter().enumerate() {
        see(gap_column(&target.name), sought.and_then(|own| own.gaps.get(index)).copied().unwrap_or(f64::NAN));
    }
}

/// Columns of an inverse job: how a search ended by the number in [`ENDS`], the largest weighted gap, and the rounds.
const ENDED: &str = "target.ended";
const DISTANCE: &str = "target.distance";
const ROUNDS: &str = "target.rounds";
const ENDS: [End; 5] = [End::Met, End::Nearest, End::BranchEnds, End::Unfinished, End::Stopped];

/// How far a target was missed.
fn gap_column(target: &str) -> String {
    format!("target.{target}.gap")
}

/// Names and values of one row of `path.csv`, in order.
pub fn row(scene: &Scene, index: usize, sample: &PathSample) -> Vec<(String, f64)> {
    let mut row = Vec::new();
    visit(scene, index, sample, &mut |name, value| row.push((name, value)));
    row
}

/// `path.csv`.
pub fn csv(scene: &Scene, path: &[PathSample]) -> String {
    let mut out = String::new();
    for (index, sample) in path.iter().enumerate() {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        visit(scene, index, sample, &mut |name, value| {
            names.push(name);
            values.push(value);
        });
        if index == 0 {
            out.push_str(&names.join(","));
            out.push('\n');
        }
        push_row(&mut out, &index.to_string(), &values[1..]);
    }
    out
}

/// Step between the places of rods that are written.
fn stride(path: &[PathSample]) -> usize {
    let rods = || path.iter().flat_map(|sample| &sample.equilibrium.rods);
    let rows: usize = rods().map(|rod| rod.samples.len()).sum();
    let fits = |step: usize| {
        rows / step <= MOST_ROWS && rods().all(|rod| rod.samples.len().saturating_sub(1).is_multiple_of(step))
    };
    STRIDES.into_iter().find(|step| fits(*step)).unwrap_or(1)
}

/// `path_samples.csv`.
pub fn samples_csv(path: &[PathSample]) -> String {
    let mut out = columns::header(OF_SAMPLE, &SAMPLE) + "\n";
    let step = stride(path);
    for (index, sample) in path.iter().enumerate() {
        for rod in &sample.equilibrium.rods {
            let key = format!("{index},{}", rod.name);
            rod.samples.iter().step_by(step).for_each(|place| push_row(&mut out, &key, &sample_row(place)));
        }
    }
    out
}

/// `path_control_poses.csv`.
pub fn control_poses_csv(path: &[PathSample]) -> String {
    let mut out = columns::header(OF_SAMPLE, &POSE) + "\n";
    for (index, sample) in path.iter().enumerate() {
        for rod in &sample.equilibrium.rods {
            let key = format!("{index},{}", rod.name);
            rod.control_poses.iter().for_each(|pose| push_row(&mut out, &key, &pose_row(pose)));
        }
    }
    out
}

/// The arrays of `path.npz`: every column of `path.csv` by its name, and for each rod the fields of
/// [`columns::SAMPLE`], samples × places × components; `ROD.s` is the same for all samples.
pub fn arrays(scene: &Scene, path: &[PathSample]) -> Vec<Array> {
    let mut arrays: Vec<Array> = Vec::new();
    for (index, sample) in path.iter().enumerate() {
        let mut column = 0;
        visit(scene, index, sample, &mut |name, value| {
            if index == 0 {
                arrays.push(Array { name, shape: vec![path.len()], values: Vec::with_capacity(path.len()) });
            }
            arrays[column].values.push(value);
            column += 1;
        });
    }
    let step = stride(path);
    let Some(first) = path.first() else { return arrays };
    for (index, rod) in first.equilibrium.rods.iter().enumerate() {
        let places = rod.samples.iter().step_by(step);
        let s: Vec<f64> = places.map(|place| place.s).collect();
        let count = s.len();
        let table: Vec<[f64; 20]> = path
            .iter()
            .flat_map(|sample| sample.equilibrium.rods[index].samples.iter().step_by(step).map(sample_row))
            .collect();
        let first = arrays.len();
        add_fields(&mut arrays, &rod.name, &SAMPLE, &[path.len(), count], &table);
        arrays[first] = Array { shape: vec![count], values: s, ..arrays[first].clone() };
    }
    arrays
}

/// A point that a cable runs through, by its number in the array `points`.
fn point_field(index: usize) -> String {
    format!("points.{index}")
}

/// The files that a path is read back from.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// `path.csv`, as it is called in messages.
    pub file: &'a str,
    /// `path.csv`.
    pub path: &'a str,
    /// `path_samples.csv`.
    pub samples: &'a str,
    /// `path_control_poses.csv`.
    pub control_poses: &'a str,
}

/// Reads a path back. `history` holds the iterations of all samples; `last` is how the last ended if it did not converge.
pub fn read(scene: &Scene, texts: Texts<'_>, history: &[Iteration], last: Status) -> Result<Vec<PathSample>, Fault> {
    let file = texts.file;
    let damaged = |reason: &str| Fault::DamagedRun { path: file.to_owned(), reason: reason.to_owned() };
    let header = columns::header(OF_SAMPLE, &SAMPLE);
    let mut places: HashMap<[String; 2], Vec<Sample>> = HashMap::new();
    for (key, row) in rows::<2, 20>("path_samples.csv", texts.samples, &header)? {
        places.entry(key).or_default().push(sample_of(&row, file)?);
    }
    let header = columns::header(OF_SAMPLE, &POSE);
    let mut control: HashMap<[String; 2], Vec<Pose>> = HashMap::new();
    for (key, row) in rows::<2, 7>("path_control_poses.csv", texts.control_poses, &header)? {
        control.entry(key).or_default().push(pose_of(&row, file)?);
    }
    let mut lines = texts.path.lines();
    let names: HashMap<&str, usize> =
        lines.next().unwrap_or_default().split(',').enumerate().map(|(i, name)| (name, i)).collect();
    let mut iterations = history.iter();
    let mut path = Vec::new();
    for (index, line) in lines.enumerate() {
        let values: Option<Vec<f64>> = line.split(',').map(|field| field.parse().ok()).collect();
        let values = values.filter(|v| v.len() == names.len()).ok_or_else(|| damaged("a row is not one of it"))?;
        let row = Row { file, names: &names, values: &values };
        let equilibrium = row.equilibrium(scene, last, &mut iterations, &mut |rod| {
            let key = [index.to_string(), rod.to_owned()];
            (places.remove(&key).unwrap_or_default(), control.remove(&key).unwrap_or_default())
        })?;
        let drives = scene.drives.iter().map(|drive| row.get(&columns::drive(&drive.path)));
        let drives = drives.collect::<Result<Vec<f64>, _>>()?;
        let or_zero = |name: &str| row.get(name).unwrap_or(0.0);
        let (branch, arc) = (or_zero("branch") as usize, or_zero("arc"));
        let sought = match &scene.job {
            Job::Inverse(job) => read_sought(job, scene, &drives, |name| row.get(name))?,
            _ => None,
        };
        let (at, friction) = (row.get("parameter")?, row.get("energy.friction").ok());
        path.push(PathSample { at, drives, branch, arc, sought, friction, equilibrium });
    }
    Ok(path)
}

/// What became of the targets, from a row; nothing where no search began.
fn read_sought(
    job: &InverseJob,
    scene: &Scene,
    drives: &[f64],
    get: impl Fn(&str) -> Result<f64, Fault>,
) -> Result<Option<Sought>, Fault> {
    let Some(end) = ENDS.get(get(ENDED)? as usize).filter(|_| get(ENDED).is_ok_and(|own| !own.is_nan())) else {
        return Ok(None);
    };
    let gaps = job.targets.iter().map(|target| get(&gap_column(&target.name))).collect::<Result<Vec<f64>, _>>()?;
    let side = |free: &FreeDrive| {
        let value = drives.get(free.drive).copied().unwrap_or(scene.drives[free.drive].signal.at(0.0));
        i8::from(value >= free.limits.1) - i8::from(value <= free.limits.0)
    };
    Ok(Some(Sought {
        end: *end,
        distance: get(DISTANCE)?,
        moved: vec![true; gaps.len()],
        gaps,
        iterations: get(ROUNDS)? as usize,
        at_limit: job.free.iter().map(side).collect(),
        event: None,
    }))
}

/// Samples and control poses of a rod.
type AlongRod = (Vec<Sample>, Vec<Pose>);

/// A row of `path.csv` by the names of its columns.
struct Row<'a> {
    file: &'a str,
    names: &'a HashMap<&'a str, usize>,
    values: &'a [f64],
}

impl Row<'_> {
    fn get(&self, name: &str) -> Result<f64, Fault> {
        let value = self.names.get(name).and_then(|index| self.values.get(*index));
        value.copied().ok_or_else(|| Fault::DamagedRun {
            path: self.file.to_owned(),
            reason: format!("it has no column `{name}`"),
        })
    }

    fn all<const N: usize>(&self, part: &str, fields: &[&str]) -> Result<[f64; N], Fault> {
        let mut values = [0.0; N];
        let names = fields.iter().flat_map(|field| columns::columns(part, field));
        for (value, name) in values.iter_mut().zip(names) {
            *value = self.get(&name)?;
        }
        Ok(values)
    }

    fn pose(&self, prefix: &str) -> Result<Pose, Fault> {
        pose_of(&self.all::<7>(prefix, &POSE)?, self.file)
    }

    fn wrench(&self, prefix: &str) -> Result<Wrench, Fault> {
        Ok(Wrench::from_vector(&Vector6::from(self.all::<6>(prefix, &WRENCH)?)))
    }

    fn equilibrium(
        &self,
        scene: &Scene,
        last: Status,
        iterations: &mut std::slice::Iter<'_, Iteration>,
        of_rod: &mut dyn FnMut(&str) -> AlongRod,
    ) -> Result<Equilibrium, Fault> {
        let mut rods = Vec::new();
        for rod in &scene.rods {
            let (samples, control_poses) = of_rod(&rod.name);
            let (base, tip) = (columns::array(&rod.name, "base"), columns::array(&rod.name, "tip"));
            rods.push(RodRecord {
                name: rod.name.clone(),
                samples,
                control_poses,
                tip: self.pose(&tip)?,
                base_wrench: self.wrench(&base)?,
                tip_wrench: self.wrench(&tip)?,
                discretisation_error: self.get(&columns::array(&rod.name, "discretisation_error"))?,
                tubes: Vec::new(),
            });
        }
        let bodies =
            scene.bodies.iter().map(|body| Ok(BodyRecord { name: body.name.clone(), pose: self.pose(&body.name)? }));
        let joints = scene.joints.iter().map(|joint| {
            let name = &joint.name;
            let values = joint.kind.coordinates().iter().map(|(of, _)| self.get(&columns::array(name, of)));
            Ok(JointRecord {
                name: name.clone(),
                values: values.collect::<Result<_, _>>()?,
                pose: self.pose(&columns::array(name, "frame"))?,
            })
        });
        let cables = scene.cables.iter().map(|cable| {
            let [tension, length] = self.all(&cable.name, &["tension", "length"])?;
            let point = |index| self.all::<3>(&cable.name, &[&point_field(index)]).map(Vector3::from);
            let points = (0..cable.points.len()).map(point).collect::<Result<_, _>>()?;
            Ok(CableRecord { name: cable.name.clone(), tension, length, points })
        });
        // Where they ran is kept of the last sample alone, in its own table.
        let tendons = scene.tendons.iter().map(|tendon| {
            let [tension, length, pulled] = self.all(&tendon.name, &["tension", "length", "pulled"])?;
            Ok(TendonRecord { name: tendon.name.clone(), tension, length, pulled, runs: Vec::new() })
        });
        let springs = scene.springs.iter().map(|spring| {
            let [length, pull] = self.all(&spring.name, &["length", "pull"])?;
            Ok(SpringRecord { name: spring.name.clone(), length, pull, wrench: self.wrench(&spring.name)? })
        });
        let contacts = scene.contact_pairs().map(|(part, obstacle)| {
            let (part, obstacle) = (part.name(scene).to_owned(), obstacle.name(scene).to_owned());
            let [gap, _, fx, fy, fz, x, y, z] = self.all(&columns::pair(&part, &obstacle), &CONTACT)?;
            let contact = ContactFrame::of_sums(gap, Vector3::new(fx, fy, fz), Vector3::new(x, y, z));
            Ok(ContactRecord { part, obstacle, contact })
        });
        Ok(Equilibrium {
            contacts: contacts.collect::<Result<_, _>>()?,
            bodies: bodies.collect::<Result<_, _>>()?,
            joints: joints.collect::<Result<_, _>>()?,
            cables: cables.collect::<Result<_, _>>()?,
            springs: springs.collect::<Result<_, _>>()?,
            tendons: tendons.collect::<Result<_, _>>()?,
            ..Equilibrium::of_rods(self.outcome(last, iterations)?, rods)
        })
    }

    fn outcome(&self, last: Status, iterations: &mut std::slice::Iter<'_, Iteration>) -> Result<Outcome, Fault> {
        let [elastic, gravity, loads] = self.all("energy", &["elastic", "gravity", "loads"])?;
        let (stable, checks) = (self.get("stable")?, self.get("checks")?);
        let stability = Stability {
            stable: stable == 1.0,
            negative_directions: self.get("negative_directions")? as usize,
            smallest_eigenvalue: self.get("smallest_eigenvalue")?,
            nonconservative: self.get("nonconservative")? == 1.0,
        };
        Ok(Outcome {
            status: if self.get("converged")? == 1.0 { Status::Converged } else { last },
            history: iterations.by_ref().take((self.get("iterations")? + checks) as usize).copied().collect(),
            checks: checks as usize,
            load_steps: self.get("steps")? as usize,
            residual: self.get("residual")?,
            stability: (!stable.is_nan()).then_some(stability),
            energy: Energy { elastic, gravity, loads },
            defect: None,
            events: Vec::new(),
        })
    }
}
