//! Random scenes of all kinds with default settings, each held against the exact equilibrium nearest to its answer.

use crate::all_cores;
use crate::error::CaseError;
use crate::random_scene::RandomScene;
use crate::report::Row;
use lissome::lie::{Pose, Wrench};
use lissome::model::Scene;
use lissome::solve::{Equilibrium, RodRecord, Sample, Status};
use lissome::{Answer, Unobserved};
use lissome_reference::network::SceneNetwork;
use serde::Deserialize;

/// Every fourth sample of a rod is asked of the oracle.
const STRIDE: usize = 4;
/// Estimates and errors below this are round-off of both: Newton's last step, the oracle's integrator.
pub const ROUND_OFF: f64 = 1e-8;

/// Rows of the histogram begin with this.
pub const HISTOGRAM: &str = "share of estimates over true errors ";

/// Random scenes of all kinds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StaticsBattery {
    seed: u64,
    count: usize,
    /// Share that must converge.
    converged: f64,
    /// True error over the told error, at most.
    factor: f64,
    /// Least and largest told error over true error, and the share of scenes that must lie between.
    estimate: [f64; 2],
    estimated: f64,
}

/// What a scene came to.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Number, kind and size.
    pub words: String,
    /// How it ended.
    pub status: Status,
    /// Why it has no equilibrium under the whole load, if that is known: a fold, points that meet, a defect.
    pub event: Option<String>,
    /// Newton iterations.
    pub iterations: usize,
    /// Estimated and true error of each rod, of its length or in rad; none if there is no answer, or no exact one near it.
    pub rods: Vec<(f64, f64)>,
    /// Why the oracle has no answer.
    pub silent: Option<String>,
}

impl Judged {
    /// Largest estimate and largest error of its rods.
    pub fn errors(&self) -> Option<(f64, f64)> {
        let first = *self.rods.first()?;
        Some(self.rods.iter().fold(first, |(told, real), rod| (told.max(rod.0), real.max(rod.1))))
    }
}

/// Draws a scene, computes it with default settings, and asks the oracle.
pub fn judge(seed: u64, index: usize) -> Result<Judged, CaseError> {
    let RandomScene { words, scene } = RandomScene::draw(seed, index);
    let Answer::Statics(found) = lissome::run(&scene, &mut Unobserved)? else {
        return Err(CaseError::WrongJob { what: words, need: "statics" });
    };
    let (status, iterations) = (found.outcome.status, found.outcome.iterations());
    let event = match (&found.outcome.defect, status) {
        (Some(defect), _) => Some(format!("{:?} at {}", defect.kind, defect.paths.join(", "))),
        (None, Status::Fold { load_factor, .. }) => Some(format!("fold at {load_factor:.4}")),
        (None, _) => None,
    };
    let mut judged = Judged { words, status, event, iterations, rods: Vec::new(), silent: None };
    if found.outcome.converged() {
        match errors(&scene, &found) {
            Ok(rods) => judged.rods = rods,
            Err(error) => judged.silent = Some(error.to_string()),
        }
    }
    Ok(judged)
}

/// Scenes 0 to `count` of a seed on all cores, in order.
pub fn judge_all(seed: u64, count: usize) -> Result<Vec<Judged>, CaseError> {
    all_cores::map(count, |index| judge(seed, index)).into_iter().collect()
}

/// Estimated and true error of each rod.
pub fn errors(scene: &Scene, found: &Equilibrium) -> Result<Vec<(f64, f64)>, CaseError> {
    let network = SceneNetwork::new(scene, 0.0)?;
    let exact = network.solve_near(&|body| found.bodies[body].pose, &|joint| found.joints[joint].pose, &|rod, s| {
        section(&found.rods[rod], s)
    })?;
    let rods = scene.rods.iter().enumerate().map(|(index, rod)| {
        let record = &found.rods[index];
        let apart = record.samples.iter().step_by(STRIDE).map(|sample| {
            let truth = network.rod_pose(&exact, index, sample.s);
            let shift = (truth.position - sample.pose.position).norm() / rod.length;
            shift.max((truth.rotation.inverse() * sample.pose.rotation).angle())
        });
        (record.discretisation_error, apart.fold(0.0, f64::max))
    });
    Ok(rods.collect())
}

/// Pose and internal wrench in world axes at s, from the nearest sample.
fn section(rod: &RodRecord, s: f64) -> (Pose, Wrench) {
    let step = rod.samples[1].s - rod.samples[0].s;
    let nearest = ((s / step).round() as usize).min(rod.samples.len() - 1);
    let Sample { pose, strain, stress, s: at } = rod.samples[nearest];
    let turn = pose.rotation;
    let wrench = Wrench::new(turn.rotate(&stress.moment), turn.rotate(&stress.force));
    (pose.boxplus(&strain.times(s - at)), wrench)
}

impl StaticsBattery {
    pub(super) fn rows(&self) -> Result<Vec<Row>, CaseError> {
        let all = judge_all(self.seed, self.count)?;
        let n = all.len() as f64;
        let mut rows = Vec::new();
        let lost: Vec<&Judged> = all.iter().filter(|judged| judged.status != Status::Converged).collect();
        let share = 1.0 - lost.len() as f64 / n;
        rows.push(Row::at_least(format!("{n} random scenes: share converged, at least"), share, self.converged));
        let silent: Vec<&Judged> = all.iter().filter(|judged| judged.silent.is_some()).collect();
        let words = format!("{n} random scenes: answers without an exact one near them, at most");
        rows.push(Row::at_most(words, silent.len() as f64, 0.0));
        let nameless = lost.iter().filter(|judged| judged.event.is_none()).count();
        let words = format!("{n} random scenes: no answer and no event that explains it, at most");
        rows.push(Row::at_most(words, nameless as f64, 0.0));
        let wrong: Vec<(&Judged, f64)> = all.iter().filter_map(|judged| Some((judged, worst_of(judged)?))).collect();
        let worst = wrong.iter().map(|(_, excess)| *excess).fold(0.0, f64::max);
        let words = format!("{n} random scenes: true error over the told error, at most");
        rows.push(Row::at_most(words, worst, self.factor));
        let ratios = ratios(&all);
        let [low, high] = self.estimate;
        let good = ratios.iter().filter(|ratio| (low..=high).contains(*ratio)).count();
        let words = format!("{n} random scenes: share of estimates between {low} and {high} times the error, at least");
        rows.push(Row::at_least(words, good as f64 / ratios.len().max(1) as f64, self.estimated));
        rows.extend(histogram(&ratios));
        let allowed = (1.0 - self.converged) * n;
        rows.extend(lost.iter().map(|judged| {
            let why = judged.event.as_deref().unwrap_or("not converged");
            Row::at_most(format!("{}: {why}", judged.words), 1.0, allowed)
        }));
        rows.extend(silent.iter().map(|judged| {
            Row::at_most(format!("{}: {}", judged.words, judged.silent.as_deref().unwrap_or_default()), 1.0, 0.0)
        }));
        let beyond = wrong.iter().filter(|(_, excess)| *excess > self.factor);
        rows.extend(
            beyond.map(|(judged, excess)| Row::at_most(format!("{}: error", judged.words), *excess, self.factor)),
        );
        Ok(rows)
    }
}

/// True over told error of the rod where that is largest.
fn worst_of(judged: &Judged) -> Option<f64> {
    judged.rods.iter().map(|(told, real)| real / (told + ROUND_OFF)).reduce(f64::max)
}

/// How the estimates are spread, as rows without a bar.
fn histogram(ratios: &[f64]) -> Vec<Row> {
    let bounds = [0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, f64::INFINITY];
    let share = |low: f64, high: f64| {
        let inside = ratios.iter().filter(|ratio| **ratio >= low && **ratio < high).count();
        inside as f64 / ratios.len().max(1) as f64
    };
    let bin = |pair: &[f64]| {
        let words = match (pair[0], pair[1]) {
            (0.0, high) => format!("below {high}"),
            (low, high) if high.is_finite() => format!("{low} to {high}"),
            (low, _) => format!("above {low}"),
        };
        Row::at_least(format!("{HISTOGRAM}{words}"), share(pair[0], pair[1]), 0.0)
    };
    bounds.windows(2).map(bin).collect()
}

/// Told over true error of the scenes where that is not all round-off.
pub fn ratios(all: &[Judged]) -> Vec<f64> {
    let errors = all.iter().filter_map(Judged::errors);
    errors.filter(|(told, real)| told.max(*real) > ROUND_OFF).map(|(told, real)| told / real).collect()
}
