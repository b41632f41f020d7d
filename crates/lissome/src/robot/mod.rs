//! A robot at hand: a scene compiled once, with its present equilibrium. Bindings and live pages stand on it.
//!
//! ```text
//! Scene ── Robot::new ──▶ set("a.tension", 6.0) ── settle ──▶ record, draw
//!                              ▲                      │ warm: from the present equilibrium along the straight way
//!                              └──────────────────────┘ to what was set; where there is none, the present one stays
//! ```
//!
//! [`solved::solve`] finds one equilibrium from nothing, [`by_hand::Hand`] moves a robot in time step by step.

pub mod by_hand;
pub mod solved;
pub(crate) mod standing;

pub use by_hand::Hand;
pub use solved::{Judgement, Solved, solve};
pub use standing::with_drives;

use crate::equilibrium_record::record;
use crate::error::SimulateError;
use crate::insertion::renewed;
use crate::observer::{Observer, Watch};
use lissome_io::Diagnostic;
use lissome_io::scene::{drivable, drive_target};
use lissome_lie::Wrench;
use lissome_mech::index::RodIndex;
use lissome_mech::{Input, Inputs, State, System, Workspace};
use lissome_model::{Invalid, Job, Load, LoadFrame, LoadKind, Problem, Scene, StaticsJob};
use lissome_solve::dynamics::{Motion, Snapshot};
use lissome_solve::statics::{Solution, StaticOptions};
use lissome_solve::{Equilibrium, Outcome, path, statics};
use nalgebra::{DMatrix, Vector3};
use solved::accurate;
use standing::Standing;
use std::sync::Arc;

/// How a search that was asked for ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Settled {
    /// The robot stands in the equilibrium under what was set.
    There(Outcome),
    /// There is none to be found; the robot stands where it stood.
    Nowhere(Outcome),
    /// The observer stopped the search; the robot stands where it stood.
    Stopped,
}

impl Settled {
    /// How the search went; `None` if it was stopped.
    pub fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::There(outcome) | Self::Nowhere(outcome) => Some(outcome),
            Self::Stopped => None,
        }
    }

    /// True if the robot stands in the equilibrium under what was set.
    pub fn is_there(&self) -> bool {
        matches!(self, Self::There(_))
    }
}

/// A scene compiled once, with its present equilibrium.
#[derive(Clone, Debug)]
pub struct Robot {
    /// As it was divided; while the robot is held, with the three loads of the hand behind its own.
    scene: Scene,
    system: Arc<System>,
    work: Workspace,
    /// What is to act.
    wanted: Inputs,
    /// The equilibrium and what acts on it.
    present: Option<Solution>,
    options: StaticOptions,
    /// True if tubes are to be elsewhere than the system has them.
    tubes_moved: bool,
    held: bool,
}

/// Names of the three loads of a hand: no name of a scene file has a space.
const HAND: [&str; 3] = ["the hand x", "the hand y", "the hand z"];

impl Robot {
    /// Compiles a scene on as many spans as its equilibrium needs, and settles in it. Drives stand at their beginning; the job
    /// of the scene does not matter.
    pub fn new(scene: &Scene, observer: &mut dyn Observer) -> Result<Self, SimulateError> {
        crate::check(scene)?;
        let watch = Watch::new(observer);
        let job = match &scene.job {
            Job::Statics(job) => StaticsJob { method: None, ..*job },
            Job::Path(path) => StaticsJob { max_iterations: path.max_iterations, winding: path.winding, method: None },
            _ => StaticsJob::default(),
        };
        let mut still = scene.inserted_at(0.0);
        still.drives.retain(|drive| !drive.target.is_insertion());
        let (found, _) = accurate(&still, &job, Judgement::Sign, &watch)?;
        let wanted = found.system.inputs_at(0.0);
        let options = StaticOptions { eigenvalue: false, ..StaticOptions::of_job(job.max_iterations, job.winding) };
        let mut robot = Self {
            scene: found.scene,
            system: Arc::new(found.system),
            work: found.work,
            wanted,
            present: None,
            options,
            tubes_moved: false,
            held: false,
        };
        if found.solution.outcome.converged() {
            robot.keep(found.solution);
        }
        Ok(robot)
    }

    /// Dotted paths of what can be set.
    pub fn drives(&self) -> Vec<String> {
        drivable(&self.scene).into_iter().filter(|path| !HAND.iter().any(|name| path.starts_with(name))).collect()
    }

    /// What a quantity is set to, SI.
    pub fn get(&self, path: &str) -> Result<f64, Box<Diagnostic>> {
        Ok(self.wanted.get(drive_target(&self.scene, path, None)?.into()))
    }

    /// Sets a quantity, SI; it acts from the next [`Self::settle`] on.
    pub fn set(&mut self, path: &str, value: f64) -> Result<(), Box<Diagnostic>> {
        let input = Input::from(drive_target(&self.scene, path, Some(value))?);
        self.tubes_moved |= matches!(input, Input::TubeInsertion { .. }) && self.wanted.get(input) != value;
        self.wanted.set(input, value);
        Ok(())
    }

    /// Goes from the present equilibrium to the one under what was set, on its branch where that leads there and over named
    /// events where it does not; from the natural shape if there is no present one.
    pub fn settle(&mut self, observer: &mut dyn Observer) -> Result<Settled, SimulateError> {
        let watch = Watch::new(observer);
        let mut see = |iteration: &_| watch.iteration(iteration);
        let mut moved = None;
        if self.tubes_moved {
            let mut now = self.scene.clone();
            for (rod, tubes) in self.wanted.tubes.iter().enumerate() {
                tubes.iter().enumerate().for_each(|(tube, input)| now.insert_tube(rod, tube, input.insertion));
            }
            now.validate()?;
            let system = renewed(Some(&self.system), &now)?;
            let work = system.workspace();
            moved = Some((now, system, work));
        }
        let (wanted, options) = (&self.wanted, &self.options);
        let solution = match (&self.present, &mut moved) {
            (None, None) => statics::solve_from_natural_under(&self.system, wanted, options, &mut self.work, &mut see),
            (None, Some((_, system, work))) => {
                statics::solve_from_natural_under(system, wanted, options, work, &mut see)
            }
            (Some(present), None) => {
                let way = (&present.inputs, wanted);
                path::advance(&self.system, &present.state, way, options, &mut self.work, &mut see)
            }
            (Some(present), Some((_, system, work))) => {
                let start = system.carried_state(&self.system, &present.state, wanted);
                statics::solve(system, &start, wanted, options, work, &mut see)
            }
        };
        if watch.stopped() {
            return Ok(Settled::Stopped);
        }
        if !solution.outcome.converged() {
            return Ok(Settled::Nowhere(solution.outcome));
        }
        if let Some((scene, system, work)) = moved {
            (self.scene, self.system, self.work) = (scene, Arc::new(system), work);
            self.tubes_moved = false;
        }
        let outcome = solution.outcome.clone();
        self.keep(solution);
        Ok(Settled::There(outcome))
    }

    fn keep(&mut self, mut solution: Solution) {
        self.system.keep_tensions(&mut solution.state);
        self.present = Some(solution);
    }

    /// Leaves the present equilibrium: the next search begins with the natural shape.
    pub fn forget(&mut self) {
        self.present = None;
    }

    /// True if the robot stands in an equilibrium under what is set.
    pub fn is_settled(&self) -> bool {
        self.present.as_ref().is_some_and(|present| present.inputs == self.wanted)
    }

    /// The numbers of the present equilibrium; `None` if there is none. Its errors are not estimated.
    pub fn record(&mut self) -> Option<Equilibrium> {
        let present = self.present.as_ref()?;
        // A search that failed left its own numbers in the memory.
        self.system.evaluate(&present.state, &present.inputs, &mut self.work);
        Some(record(&self.scene, &self.system, present, &self.work, &[]))
    }

    /// The scene as it was divided.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Positions of every rod at so many places, evenly spaced, three numbers each, one rod after the other; nothing if there
    /// is no present equilibrium.
    pub fn draw(&self, stations: usize, out: &mut Vec<f32>) {
        out.clear();
        let Some(present) = &self.present else { return };
        for rod in RodIndex::first(self.scene.rods.len()) {
            let samples = self.system.sample(rod, &present.state, stations.max(2));
            out.extend(samples.iter().flat_map(|sample| <[f64; 3]>::from(sample.pose.position)).map(|x| x as f32));
        }
    }

    /// How poses move with drives at the present equilibrium; see [`Solved::jacobian`].
    pub fn jacobian(&self, of: &[&str], by: &[&str]) -> Result<Option<DMatrix<f64>>, Box<Diagnostic>> {
        let Some(present) = &self.present else { return Ok(None) };
        let (scene, system) = (&self.scene, &*self.system);
        Standing { scene, system, state: &present.state, inputs: &present.inputs }.jacobian(of, by)
    }

    /// Takes hold of a rod at an arc length, m, so that [`Self::pull`] can pull there. A knot comes to lie at that place.
    pub fn grab(&mut self, rod: &str, s: f64) -> Result<(), SimulateError> {
        let Some(index) = self.scene.rods.iter().position(|own| own.name == rod) else {
            let reason = format!("there is no rod `{rod}` to take hold of");
            return Err(Invalid::new("rod", Problem::Contradiction { reason }).into());
        };
        self.release()?;
        let mut scene = self.scene.clone();
        for (axis, name) in HAND.into_iter().enumerate() {
            let mut force = Vector3::zeros();
            force[axis] = 1.0;
            let kind = LoadKind::Point { at: s, wrench: Wrench::new(Vector3::zeros(), force) };
            scene.loads.push(Load { name: name.to_owned(), rod: index, frame: LoadFrame::World, kind });
        }
        scene.validate()?;
        self.rebuild(scene)?;
        self.held = true;
        Ok(())
    }

    /// Pulls where the robot is held, N, world axes; it acts from the next [`Self::settle`] on. False if it is not held.
    pub fn pull(&mut self, force: [f64; 3]) -> Result<bool, SimulateError> {
        if force.iter().any(|x| !x.is_finite()) {
            return Err(Invalid::new("force", Problem::NotFinite).into());
        }
        let first = self.wanted.loads.len() - if self.held { HAND.len() } else { 0 };
        self.wanted.loads[first..].iter_mut().zip(force).for_each(|(own, value)| *own = value);
        Ok(self.held)
    }

    /// Lets go.
    pub fn release(&mut self) -> Result<(), SimulateError> {
        if !self.held {
            return Ok(());
        }
        let mut scene = self.scene.clone();
        scene.loads.truncate(scene.loads.len() - HAND.len());
        self.rebuild(scene)?;
        self.held = false;
        Ok(())
    }

    /// Compiles a scene that differs in the loads at the end of its list, and carries the equilibrium over.
    fn rebuild(&mut self, scene: Scene) -> Result<(), SimulateError> {
        let system = System::compile(&scene)?;
        self.work = system.workspace();
        let count = scene.loads.len();
        self.wanted.loads.resize(count, 0.0);
        if let Some(present) = self.present.take() {
            let mut inputs = present.inputs;
            // What the hand exerted is gone with it.
            inputs.loads.resize(count, 0.0);
            let start = system.resampled_state(&self.system, &present.state);
            let found = statics::solve(&system, &start, &inputs, &self.options, &mut self.work, &mut |_| true);
            self.present = found.outcome.converged().then_some(found);
        }
        (self.scene, self.system) = (scene, Arc::new(system));
        Ok(())
    }

    /// Everything that the next search depends on, as numbers; `None` without an equilibrium.
    pub fn snapshot(&self) -> Option<Snapshot> {
        let present = self.present.as_ref()?;
        Some(Snapshot::take(&Motion::at_rest(&self.system, present.state.clone()), [0.0; 3]))
    }

    /// Takes up a snapshot of a robot of the same scene under the same drives; false if it is of another one.
    pub fn restore(&mut self, snapshot: &Snapshot) -> bool {
        let Some((motion, _)) = snapshot.restore(&self.system) else { return false };
        let state: State = motion.state;
        let (inputs, options) = (self.wanted.clone(), self.options);
        let found = statics::solve(&self.system, &state, &inputs, &options, &mut self.work, &mut |_| true);
        let converged = found.outcome.converged();
        if converged {
            self.keep(found);
        }
        converged
    }
}
