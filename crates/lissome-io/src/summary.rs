//! What a run has to say of itself: status, numbers and, if it failed, why. The JSON here is the stable schema of
//! `lissome run --json` (docs/reference/cli.md) and of the manifest's `result`.

use crate::branches::{branch_json, fold_curve_json};
use crate::coarseness;
use crate::diagnostic::Diagnostic;
pub use crate::equilibrium_json::coordinates;
use crate::equilibrium_json::{critical_loads_json, mode_json, robot_json, rod_json, sample_json, stability_json};
use crate::events;
use crate::fault::Fault;
use crate::moment::Moment;
use crate::optimum;
use crate::overlap;
use crate::sought;
use lissome_model::{Follow, Job, Scene};
use lissome_shape::RodShapes;
use lissome_solve::defect::DefectKind;
use lissome_solve::optimise::OptimumEnd;
use lissome_solve::{
    Answer, BranchEnd, BucklingAnswer, Equilibrium, Event, FoldCurve, Iteration, ModeRecord, MotionEnd, PathSample,
    Stability, Status, TracedBranch,
};
use serde_json::{Map, Value as Json, json};

/// Events that have a warning of their own; all are in the JSON.
const MOST_WARNINGS: usize = 5;

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

/// A scene, its equilibria with what belongs to them, and what ended the work. Motions have a summary of their own.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// The scene.
    pub scene: &'a Scene,
    /// The equilibrium; of a path the last.
    pub equilibrium: &'a Equilibrium,
    /// Every equilibrium of a path; empty for another job.
    pub path: &'a [PathSample],
    /// The branches of a path that was followed by its length; empty for another.
    pub branches: &'a [TracedBranch],
    /// Curves of folds; empty for another job.
    pub fold_curves: &'a [FoldCurve],
    /// Natural modes about the equilibrium; empty for another job.
    pub modes: &'a [ModeRecord],
    /// Critical loads; none for another job.
    pub buckling: Option<&'a BucklingAnswer>,
    /// Shapes of rods between their two ends; empty for another job.
    pub shapes: &'a [RodShapes],
    /// What ended the work.
    pub ending: Ending,
}

impl<'a> Summary<'a> {
    /// Of an answer with an equilibrium. A motion has one if it is all there is: no start was found. `None` for a motion
    /// that began.
    pub fn of(scene: &'a Scene, answer: &'a Answer, ending: Ending) -> Option<Self> {
        let alone = Self::of_equilibrium(scene, answer.equilibrium()?, ending);
        match answer {
            Answer::Statics(_) => Some(alone),
            Answer::Path(path) => Some(Self { path: &path.samples, branches: &path.branches, ..alone }),
            Answer::Shape(shape) => Some(Self { shapes: &shape.shapes, ..alone }),
            Answer::Modes(modes) => Some(Self { modes: &modes.modes, ..alone }),
            Answer::Buckling(buckling) => Some(Self { buckling: Some(buckling), ..alone }),
            Answer::FoldCurve(folds) => Some(Self { fold_curves: &folds.curves, ..alone }),
            Answer::Dynamics(motion) => (motion.end == MotionEnd::NoStart).then_some(alone),
        }
    }

    /// Of one equilibrium and nothing else.
    pub fn of_equilibrium(scene: &'a Scene, equilibrium: &'a Equilibrium, ending: Ending) -> Self {
        Self {
            scene,
            equilibrium,
            path: &[],
            branches: &[],
            fold_curves: &[],
            modes: &[],
            buckling: None,
            shapes: &[],
            ending,
        }
    }

    /// `converged`, `fold`, `not_converged`, `limit` or `interrupted`.
    pub fn status(&self) -> &'static str {
        let stopped = self.branches.iter().any(|branch| branch.end == BranchEnd::Stopped);
        let stopped = stopped || self.buckling.is_some_and(|buckling| buckling.stopped);
        let sought = self.equilibrium.optimum.as_ref();
        let stopped = stopped || sought.is_some_and(|record| record.end == OptimumEnd::Stopped);
        let cut_short = stopped || self.samples_asked() > self.path.len();
        match (self.equilibrium.outcome.status, self.ending) {
            // Looking for a way round, a path that is stopped may end in any state.
            (_, Ending::TimeLimit { .. }) if cut_short => "limit",
            (_, Ending::Interrupted) if cut_short => "interrupted",
            (Status::Converged, _) => "converged",
            (Status::Fold { .. }, _) => "fold",
            (_, Ending::TimeLimit { .. }) => "limit",
            (_, Ending::Interrupted) | (Status::Stopped { .. }, Ending::Finished) => "interrupted",
            (Status::NotConverged { .. }, Ending::Finished) => "not_converged",
        }
    }

    /// Samples that the scene's path has; zero if its job is no path.
    pub fn samples_asked(&self) -> usize {
        match &self.scene.job {
            Job::Path(job) if job.follow == Follow::Drives => job.samples,
            // By its length a path has the samples that it needs.
            Job::Path(_) => self.path.len(),
            Job::Inverse(job) => job.samples,
            _ => 0,
        }
    }

    /// Every Newton iteration, of all samples of a path.
    pub fn iterations(&self) -> impl Iterator<Item = &Iteration> {
        let alone = self.path.is_empty().then_some(&self.equilibrium.outcome.history);
        alone.into_iter().chain(self.path.iter().map(|sample| &sample.equilibrium.outcome.history)).flatten()
    }

    /// The parameter up to which a path has equilibria, and the samples that have one; `None` if the job is no path.
    pub fn reached(&self) -> Option<(f64, usize)> {
        let path = self.path;
        let done = path.iter().filter(|sample| sample.equilibrium.outcome.converged()).count();
        let last = path.last()?;
        let from = path.len().checked_sub(2).map_or(0.0, |before| path[before].at);
        // The last sample says which part of the way from its predecessor has equilibria.
        Some((from + (last.at - from) * last.equilibrium.outcome.load_factor(), done))
    }

    /// Why there is no equilibrium, or that it is unstable; `None` if all is well.
    pub fn complaint(&self) -> Option<Diagnostic> {
        let outcome = &self.equilibrium.outcome;
        if let (Some(defect), "not_converged" | "fold") = (&outcome.defect, self.status()) {
            let parts = defect.paths.clone();
            let fault = match defect.kind {
                DefectKind::Loose => Fault::Loose { parts },
                DefectKind::Redundant => Fault::Redundant { parts },
                DefectKind::Contradictory => Fault::Contradictory { parts },
                DefectKind::PointsMeet => Fault::PointsMeet { parts, load_factor: outcome.load_factor() },
                DefectKind::TendonClosed => {
                    let (rod, s) = defect.place.clone().unwrap_or_default();
                    Fault::TendonClosed { tendon: parts.into_iter().next().unwrap_or_default(), rod, s }
                }
            };
            return Some(Diagnostic { path: defect.paths.first().cloned(), ..Diagnostic::new(fault) });
        }
        let fault = match (self.reached(), self.status()) {
            (None, _) => self.complaint_of_one()?,
            (Some((at, done)), status) => {
                let of = self.samples_asked();
                match (status, outcome.status, self.ending) {
                    ("converged", ..) => self.unstable_samples()?,
                    ("limit", _, Ending::TimeLimit { seconds }) => Fault::PathTimeLimit { seconds, at, done, of },
                    ("interrupted", ..) => Fault::PathInterrupted { at, done, of },
                    (_, Status::Fold { rod, s, .. }, _) => Fault::PathFold { at, done, of, rod: self.rod_name(rod), s },
                    _ => Fault::PathNotConverged { at, done, of, residual: outcome.residual },
                }
            }
        };
        Some(Diagnostic::new(fault))
    }

    /// Events on the way, in order, with the sample of the path that tells of them; none on the way along the load.
    pub fn events(&self) -> impl Iterator<Item = (&Event, Option<usize>)> {
        let alone = self.path.is_empty().then_some(&self.equilibrium.outcome.events);
        let along = self.path.iter().map(|sample| &sample.equilibrium.outcome.events).enumerate();
        // The first sample of a path is found along the load.
        let on_path = |index: usize| (index > 0).then_some(index);
        let along = along.flat_map(move |(index, events)| events.iter().map(move |event| (event, on_path(index))));
        alone.into_iter().flatten().map(|event| (event, None)).chain(along)
    }

    /// The same in JSON.
    pub fn events_json(&self) -> impl Iterator<Item = Json> {
        self.events().map(|(event, sample)| {
            let mut json = events::event_json(self.scene, event, sample.is_some());
            if let Some(sample) = sample {
                json["sample"] = json!(sample);
                json["branch"] = json!(self.path[sample].branch);
            }
            json
        })
    }

    /// What to be careful about although there is an answer: the first events, and a rod that is divided too coarsely.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        if self.status() != "converged" {
            return Vec::new();
        }
        // By its length a path goes through events, which are part of the answer; along the load they are not.
        let told = |sample: &Option<usize>| self.branches.is_empty() || sample.is_none();
        let events = self.events().filter(|(_, sample)| told(sample)).take(MOST_WARNINGS);
        let events = events.map(|(event, at)| Diagnostic::new(events::fault_of(self.scene, event, at.is_some())));
        let sought = sought::warnings(self.scene, self.path);
        let sought = sought.into_iter().chain(optimum::warnings(self.scene, self.equilibrium));
        events
            .chain(sought)
            .chain(self.unfinished())
            .chain(self.coarse())
            .chain(self.coarse_mode())
            .chain(self.overlap())
            .collect()
    }

    /// Bodies that a path led into each other.
    fn overlap(&self) -> Option<Diagnostic> {
        let (first, last) = (self.path.first()?, self.path.last()?);
        let found = overlap::new_pairs(self.scene, &first.equilibrium.bodies, &last.equilibrium.bodies);
        let name = |body: usize| &self.scene.bodies[body].name;
        let pairs: Vec<String> = found.iter().map(|(a, b)| format!("{} and {}", name(*a), name(*b))).collect();
        (!pairs.is_empty()).then(|| Diagnostic::new(Fault::BodiesOverlap { pairs }))
    }

    /// Branches that go on beyond what was followed of them.
    fn unfinished(&self) -> impl Iterator<Item = Diagnostic> {
        self.branches.iter().enumerate().filter_map(|(branch, traced)| {
            let last = self.path.get(traced.samples.end.checked_sub(1)?)?;
            let lost = match traced.end {
                BranchEnd::Lost => true,
                BranchEnd::StepsSpent => false,
                _ => return None,
            };
            Some(Diagnostic::new(Fault::BranchUnfinished { branch, at: last.at, lost }))
        })
    }

    fn rod_name(&self, rod: usize) -> String {
        self.scene.rods.get(rod).map_or(String::new(), |r| r.name.clone())
    }

    /// Samples of a path that are unstable.
    fn unstable(&self) -> impl Iterator<Item = &PathSample> {
        self.path.iter().filter(|sample| sample.equilibrium.is_stable() == Some(false))
    }

    /// How many samples of a path are unstable, or 1 for a single equilibrium that is.
    pub fn unstable_count(&self) -> usize {
        match self.path {
            [] => usize::from(self.equilibrium.is_stable() == Some(false)),
            _ => self.unstable().count(),
        }
    }

    /// Where a path that was found is unstable.
    fn unstable_samples(&self) -> Option<Fault> {
        if !self.branches.is_empty() {
            return None;
        }
        let at = self.unstable().next()?.at;
        Some(Fault::PathUnstable { at, count: self.unstable_count() })
    }

    fn complaint_of_one(&self) -> Option<Fault> {
        let outcome = &self.equilibrium.outcome;
        Some(match (outcome.status, self.ending) {
            (Status::Converged, Ending::TimeLimit { seconds }) if self.status() == "limit" => {
                Fault::TimeLimit { seconds, load_factor: 1.0 }
            }
            (Status::Converged, Ending::Interrupted) if self.status() == "interrupted" => {
                Fault::Interrupted { load_factor: 1.0 }
            }
            (Status::Converged, _) => match outcome.stability {
                Some(Stability { stable: false, negative_directions, .. }) => Fault::Unstable { negative_directions },
                _ => match self.equilibrium.flutter {
                    Some(flutter) if flutter.grows() => Fault::Flutters { words: flutter.to_string() },
                    _ => return None,
                },
            },
            (Status::Fold { load_factor, rod, s }, _) => Fault::Fold { load_factor, rod: self.rod_name(rod), s },
            (Status::NotConverged { load_factor } | Status::Stopped { load_factor }, Ending::TimeLimit { seconds }) => {
                Fault::TimeLimit { seconds, load_factor }
            }
            (Status::NotConverged { load_factor }, Ending::Interrupted) | (Status::Stopped { load_factor }, _) => {
                Fault::Interrupted { load_factor }
            }
            (Status::NotConverged { .. }, Ending::Finished) if matches!(self.scene.job, Job::Shape(_)) => {
                Fault::NoShape { residual: outcome.residual }
            }
            (Status::NotConverged { load_factor }, Ending::Finished) => {
                Fault::NotConverged { load_factor, residual: outcome.residual, iterations: outcome.iterations() }
            }
        })
    }

    /// The stable JSON with every sample of a path; the manifest of a run folder leaves these to its tables.
    pub fn to_full_json(&self) -> Json {
        let mut json = self.to_json();
        if !self.path.is_empty() {
            json["path"]["states"] = self.path.iter().map(|sample| sample_json(self.scene, sample)).collect();
        }
        json
    }

    /// The rod whose estimated error exceeds what is allowed most.
    fn coarse(&self) -> Option<Diagnostic> {
        let alone = std::slice::from_ref(self.equilibrium);
        let along: Vec<(Option<f64>, &Equilibrium)> = match self.path {
            [] => alone.iter().map(|one| (None, one)).collect(),
            path => path.iter().map(|sample| (Some(sample.at), &sample.equilibrium)).collect(),
        };
        // A classical method has no division to refine.
        let ours = |equilibrium: &Equilibrium| equilibrium.outcome.converged() && equilibrium.method.is_none();
        let found = along.iter().filter(|(_, equilibrium)| ours(equilibrium));
        let rods = found.flat_map(|(at, equilibrium)| equilibrium.rods.iter().map(move |rod| (*at, rod)));
        let faults = rods.filter_map(|(at, rod)| {
            let model = self.scene.rods.iter().find(|model| model.name == rod.name)?;
            coarseness::fault(model, rod.discretisation_error, 1.0, at.map(Moment::Parameter))
        });
        let worst = faults.max_by(|(a, _), (b, _)| a.total_cmp(b));
        worst.map(|(_, fault)| Diagnostic::new(fault))
    }

    /// The mode whose frequency has the largest estimated error, if that is worth a warning.
    fn coarse_mode(&self) -> Option<Diagnostic> {
        let known = |error: f64| if error.is_nan() { f64::INFINITY } else { error };
        let worst = self.modes.iter().enumerate().max_by(|(_, a), (_, b)| known(a.error).total_cmp(&known(b.error)));
        worst.and_then(|(index, mode)| Some(Diagnostic::new(coarseness::of_mode(self.scene, index + 1, mode.error)?)))
    }

    /// The stable JSON.
    pub fn to_json(&self) -> Json {
        let outcome = &self.equilibrium.outcome;
        let energy = outcome.energy;
        let rods: Map<String, Json> =
            self.equilibrium.rods.iter().map(|rod| (rod.name.clone(), rod_json(rod))).collect();
        let mut json = json!({
            "status": self.status(),
            "iterations": self.iterations().count(),
            "load_steps": outcome.load_steps,
            "residual": outcome.residual,
            "stable": self.equilibrium.is_stable(),
            "energy": energy.elastic,
            "energies": {
                "elastic": energy.elastic,
                "gravity": energy.gravity,
                "loads": energy.loads,
                "total": energy.elastic + energy.gravity + energy.loads,
            },
            "stability": stability_json(self.equilibrium),
            "rods": rods,
        });
        if let Some(method) = self.equilibrium.method {
            json["method"] = json!(method.name());
        }
        robot_json(self.scene, self.equilibrium, &mut json);
        if !self.modes.is_empty() {
            json["modes"] = self.modes.iter().map(mode_json).collect::<Json>();
        }
        if let Some(buckling) = self.buckling {
            json["buckling"] = critical_loads_json(buckling);
        }
        if !self.fold_curves.is_empty() {
            json["fold_curves"] = self.fold_curves.iter().map(|curve| fold_curve_json(self.scene, curve)).collect();
        }
        if let Some((at, done)) = self.reached() {
            json["path"] = json!({
                "samples": self.samples_asked(),
                "done": done,
                "reached": at,
                "unstable": self.unstable_count(),
                "most_iterations": self.path.iter().map(|s| s.equilibrium.outcome.iterations()).max(),
            });
        }
        if !self.branches.is_empty() {
            json["path"]["branches"] =
                self.branches.iter().enumerate().map(|(index, branch)| branch_json(index, branch)).collect();
        }
        if let Some(sought) = sought::summary_json(self.scene, self.path) {
            json["inverse"] = sought;
        }
        if let Some((job, record)) = optimum::of(self.scene, self.equilibrium) {
            json["optimise"] = optimum::json_of(job, record);
        }
        let events: Vec<Json> = self.events_json().collect();
        if !events.is_empty() {
            json["events"] = Json::Array(events);
        }
        match outcome.status {
            Status::Converged => json["load_factor"] = json!(1.0),
            Status::NotConverged { load_factor } | Status::Stopped { load_factor } => {
                json["load_factor"] = json!(load_factor);
            }
            Status::Fold { load_factor, rod, s } => {
                json["load_factor"] = json!(load_factor);
                json["fold"] = json!({ "rod": self.scene.rods.get(rod).map(|r| &r.name), "s": s });
            }
        }
        json
    }
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
