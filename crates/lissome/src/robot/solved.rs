//! An equilibrium together with the equations it solves, so that more can be asked of it later.

use crate::derivatives::{self, Jacobian, Source};
use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::observer::{Observer, Watch};
use crate::sensitivity_record;
use crate::simulate::{check, options};
use crate::tendon_method;
use lissome_io::fault::PathReason;
use lissome_io::nearest::nearest;
use lissome_io::scene::drive_target;
use lissome_io::{DerivativeFault, Diagnostic, Fault};
use lissome_mech::index::RodIndex;
use lissome_mech::{CurvatureOf, Input, Inputs, State, System};
use lissome_model::{Drive, DriveTarget, Job, Scene, Signal, StaticsJob};
use lissome_solve::accuracy::{self, Accurate};
use lissome_solve::statics::{self, Solution, StaticOptions};
use lissome_solve::{Equilibrium, Iteration, Stability, stability};
use nalgebra::{DMatrix, Vector6};
use std::sync::Arc;

/// How stability is judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judgement {
    /// By the signs of the pivots: stable or not, and how many directions are not. Loads without a potential are examined in
    /// full all the same, since signs do not tell of them.
    #[default]
    Sign,
    /// With the smallest eigenvalue, which costs as much as several searches.
    Eigenvalue,
}

/// An equilibrium and what it was found with.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The scene that was asked for, its job statics.
    pub scene: Arc<Scene>,
    /// The numbers.
    pub equilibrium: Equilibrium,
    /// True if the observer stopped the search.
    pub stopped: bool,
    pub(crate) equations: Option<Arc<Equations>>,
}

/// The equations of a solved robot, and where it stands.
#[derive(Debug)]
pub(crate) struct Equations {
    pub scene: Scene,
    pub system: Arc<System>,
    pub state: State,
    pub inputs: Inputs,
}

/// The same, borrowed.
#[derive(Clone, Copy)]
pub(crate) struct Standing<'a> {
    pub scene: &'a Scene,
    pub system: &'a System,
    pub state: &'a State,
    pub inputs: &'a Inputs,
}

/// A scene with quantities held at values (SI), each by its dotted path such as `a.tension`, and statics as its job. Drives
/// that are not named stand at their beginning.
pub fn with_drives(scene: &Scene, drives: &[(&str, f64)]) -> Result<Scene, Box<Diagnostic>> {
    let mut held = scene.clone();
    if !matches!(held.job, Job::Statics(_)) {
        let (max_iterations, winding) = match &held.job {
            Job::Path(job) => (job.max_iterations, job.winding),
            _ => (StaticsJob::default().max_iterations, StaticsJob::default().winding),
        };
        held.job = Job::Statics(StaticsJob { max_iterations, winding, ..StaticsJob::default() });
    }
    for (path, value) in drives {
        hold(&mut held, path, *value)?;
    }
    Ok(held)
}

/// Holds one quantity of a scene at a value.
pub(crate) fn hold(scene: &mut Scene, path: &str, value: f64) -> Result<Input, Box<Diagnostic>> {
    let target = drive_target(scene, path, Some(value))?;
    match scene.drives.iter_mut().find(|drive| drive.target == target) {
        Some(drive) => drive.signal = Signal::Constant(value),
        None => scene.drives.push(Drive { path: path.to_owned(), target, signal: Signal::Constant(value) }),
    }
    if let DriveTarget::TubeInsertion { rod, tube } = target {
        // Where tubes end is a matter of the equations, not of what acts on them.
        scene.insert_tube(rod, tube, value);
    }
    Ok(target.into())
}

/// The equilibrium of a scene from its natural shape, to the bit as [`crate::run`] finds it where the job is statics. Drives
/// stand at their beginning.
pub fn solve(scene: &Scene, judgement: Judgement, observer: &mut dyn Observer) -> Result<Solved, SimulateError> {
    solve_watched(scene, judgement, &Watch::new(observer))
}

/// The same under a watch that others share.
pub(crate) fn solve_watched(scene: &Scene, judgement: Judgement, watch: &Watch<'_>) -> Result<Solved, SimulateError> {
    check(scene)?;
    let job = match &scene.job {
        Job::Statics(job) => *job,
        _ => StaticsJob::default(),
    };
    if let Some(method) = job.method {
        let equilibrium = tendon_method::equilibrium(scene, method)?;
        return Ok(Solved { scene: Arc::new(scene.clone()), equilibrium, stopped: false, equations: None });
    }
    let (found, equilibrium) = accurate(scene, &job, judgement, watch)?;
    let Accurate { scene: divided, system, solution, .. } = found;
    let (system, Solution { state, inputs, .. }) = (Arc::new(system), solution);
    let equations = Equations { scene: divided, system, state, inputs };
    let equations = equilibrium.outcome.converged().then(|| Arc::new(equations));
    Ok(Solved { scene: Arc::new(scene.clone()), equilibrium, stopped: watch.stopped(), equations })
}

/// The equilibrium with as many spans as the scene's tolerances need, and its record.
pub(crate) fn accurate(
    scene: &Scene,
    job: &StaticsJob,
    judgement: Judgement,
    watch: &Watch<'_>,
) -> Result<(Accurate, Equilibrium), SimulateError> {
    let mut options = options(job.max_iterations, job.winding);
    options.eigenvalue = judgement == Judgement::Eigenvalue;
    let mut found = accuracy::solve(scene, &options, &mut |iteration| watch.iteration(iteration))?;
    let mut equilibrium = record(scene, &found.system, &found.solution, &found.work, &found.errors);
    if judgement == Judgement::Sign && equilibrium.outcome.converged() && !found.system.is_conservative() {
        let Accurate { system, solution, work, .. } = &mut found;
        let judged = stability::examine(system, &solution.state, &solution.inputs, work);
        (equilibrium.outcome.stability, solution.outcome.stability) = (Some(judged), Some(judged));
    }
    let inputs = found.system.inputs_at(0.0);
    let mut equilibrium = examined(equilibrium, scene, &found.system, &found.solution.state, &inputs);
    // Who asks for many equilibria asks for signs.
    if judgement == Judgement::Eigenvalue {
        let standing = Standing { scene, system: &found.system, state: &found.solution.state, inputs: &inputs };
        add_sensitivity(&mut equilibrium, standing);
    }
    Ok((found, equilibrium))
}

/// How tips move with what drives and loads the robot, where that is not known yet and one equilibrium is told in full.
fn add_sensitivity(equilibrium: &mut Equilibrium, standing: Standing<'_>) {
    let Standing { scene, system, state, inputs } = standing;
    let wanted = matches!(scene.job, Job::Statics(_)) && !scene.has_contacts();
    if wanted && equilibrium.outcome.converged() && equilibrium.sensitivity.is_none() {
        equilibrium.sensitivity = sensitivity_record::record(scene, system, state, inputs);
    }
}

impl Solved {
    /// The stability with its smallest eigenvalue; `None` without an equilibrium.
    pub fn stability(&self) -> Option<Stability> {
        let known = self.equilibrium.outcome.stability?;
        let Some(own) = &self.equations else { return Some(known) };
        if !known.smallest_eigenvalue.is_nan() {
            return Some(known);
        }
        Some(stability::examine(&own.system, &own.state, &own.inputs, &mut own.system.workspace()))
    }

    /// The numbers with how tips move with loads, which a judgement by signs leaves out, computed when they are asked for.
    pub fn in_full(&self) -> Equilibrium {
        let mut told = self.equilibrium.clone();
        if let Some(own) = &self.equations {
            let inputs = own.system.inputs_at(0.0);
            let standing = Standing { scene: &self.scene, system: &own.system, state: &own.state, inputs: &inputs };
            add_sensitivity(&mut told, standing);
        }
        told
    }

    /// How poses move with drives: six rows for each of `of` (turn in rad, then shift in m, world axes), a column for each
    /// of `by`, per SI unit of it. `of` are `ROD.tip`, `BODY` or `JOINT.frame`, as results are called, `by` dotted paths of
    /// what can be driven. Exact while slack cables stay slack and what sticks sticks; `None` where the tangent is singular or there is no
    /// equilibrium.
    pub fn jacobian(&self, of: &[&str], by: &[&str]) -> Result<Option<DMatrix<f64>>, Box<Diagnostic>> {
        let Some(own) = &self.equations else { return Ok(None) };
        let Equations { scene, system, state, inputs } = &**own;
        Standing { scene, system, state, inputs }.jacobian(of, by)
    }

    /// Derivatives of outputs by numbers of the scene, both by their dotted paths; [`crate::derivatives`] tells which there are.
    /// `source` says where the scene came from, if it came from a file. Exact while slack cables stay slack, what touches
    /// touches, and with the friction of tendons as it is.
    pub fn derivatives(&self, source: Source<'_>, of: &[&str], wrt: &[&str]) -> Result<Jacobian, Box<Diagnostic>> {
        derivatives::jacobian(self.standing()?, source, of, wrt, None)
    }

    /// The same by a way of one's own: with `adjoint` one solve for each row where that can be, without one for each column.
    pub fn derivatives_by(
        &self,
        adjoint: bool,
        source: Source<'_>,
        of: &[&str],
        wrt: &[&str],
    ) -> Result<Jacobian, Box<Diagnostic>> {
        derivatives::jacobian(self.standing()?, source, of, wrt, Some(adjoint))
    }

    /// Derivatives of Σ weight · row of the outputs by numbers, each with its dotted path: one solve in all where the outputs are
    /// poses.
    pub fn vjp(
        &self,
        source: Source<'_>,
        of: &[&str],
        weights: &[f64],
        wrt: &[&str],
    ) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
        derivatives::vjp(self.standing()?, source, of, weights, wrt)
    }

    /// The equilibrium of a scene that differs in its numbers alone, on the same division, sought from this one; `None` if there is
    /// none near.
    pub fn settled_anew(&self, scene: &Scene) -> Result<Option<Self>, SimulateError> {
        let StaticsJob { max_iterations, winding, .. } = StaticsJob::default();
        let options = StaticOptions { eigenvalue: false, look_back: false, ..options(max_iterations, winding) };
        self.settled(scene, &options, &mut |_| true)
    }

    /// The same on the branch of this one: the nearest equilibrium, stable or not, and none that only steps of the load lead to.
    pub(crate) fn beside(
        &self,
        scene: &Scene,
        observer: &mut dyn FnMut(&Iteration) -> bool,
    ) -> Result<Option<Self>, SimulateError> {
        let options = StaticOptions {
            leave_saddles: false,
            eigenvalue: false,
            look_back: false,
            load_steps: false,
            ..StaticOptions::default()
        };
        self.settled(scene, &options, observer)
    }

    fn settled(
        &self,
        scene: &Scene,
        options: &StaticOptions,
        observer: &mut dyn FnMut(&Iteration) -> bool,
    ) -> Result<Option<Self>, SimulateError> {
        let Some(own) = &self.equations else { return Ok(None) };
        let mut scene = scene.clone();
        scene.validate()?;
        if !scene.divide_like(&own.scene) {
            return Ok(None);
        }
        let mut system = System::clone(&own.system);
        system.set_values_to_solve(&scene, (&own.scene, &own.system))?;
        let mut work = system.workspace();
        let inputs = system.inputs_at(0.0);
        let start = system.adapted_state(&own.system, &own.state, &inputs, &mut work);
        let solution = statics::solve(&system, &start, &inputs, options, &mut work, observer);
        if !solution.outcome.converged() {
            return Ok(None);
        }
        let mut equilibrium = record(&scene, &system, &solution, &work, &[]);
        if !system.is_conservative() {
            // Signs of pivots do not tell of loads without a potential.
            equilibrium.outcome.stability =
                Some(stability::examine(&system, &solution.state, &solution.inputs, &mut work));
        }
        let (system, Solution { state, inputs, .. }) = (Arc::new(system), solution);
        let equations = Equations { scene: scene.clone(), system, state, inputs };
        Ok(Some(Self { scene: Arc::new(scene), equilibrium, stopped: false, equations: Some(Arc::new(equations)) }))
    }

    /// How outputs change along a family of scenes that differ in their numbers alone; this is the equilibrium of its member 0, and
    /// `size` is what counts as a large change (1 where the number is a factor). Eigenvalues are left out.
    pub fn derivatives_along(
        &self,
        of: &[&str],
        size: f64,
        scene_at: &mut dyn FnMut(f64) -> Scene,
    ) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
        derivatives::along_family(self.standing()?, of, size, scene_at)
    }

    /// Outputs by their dotted paths, each row with its name. Turns and shifts of poses count from those of another equilibrium of
    /// the same robot, where one is given.
    pub fn outputs(&self, of: &[&str], from: Option<&Self>) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
        let from = from.map(Self::standing).transpose()?;
        derivatives::outputs(self.standing()?, of, from)
    }

    /// Names of all outputs that derivatives can be of, but those of places along rods.
    pub fn output_names(&self) -> Vec<String> {
        self.standing().map(|standing| derivatives::output_names(&standing)).unwrap_or_default()
    }

    /// The equations that it solves, where the program's own found it.
    pub(crate) fn equations(&self) -> Option<&Equations> {
        self.equations.as_deref()
    }

    pub(crate) fn standing(&self) -> Result<Standing<'_>, Box<Diagnostic>> {
        let Some(own) = &self.equations else {
            let reason = "no equilibrium was found, or a classical method found it".to_owned();
            return Err(Box::new(Diagnostic::new(Fault::Derivative(DerivativeFault::NoTangent { reason }))));
        };
        let Equations { scene, system, state, inputs } = &**own;
        Ok(Standing { scene, system, state, inputs })
    }
}

impl Standing<'_> {
    pub(crate) fn jacobian(&self, of: &[&str], by: &[&str]) -> Result<Option<DMatrix<f64>>, Box<Diagnostic>> {
        let slots = of.iter().map(|path| self.slot(path)).collect::<Result<Vec<usize>, _>>()?;
        let inputs = by.iter().map(|path| drive_target(self.scene, path, None).map(Input::from));
        let inputs = inputs.collect::<Result<Vec<Input>, _>>()?;
        let (system, state) = (self.system, self.state);
        let mut work = system.workspace();
        system.assemble(state, self.inputs, CurvatureOf::Poses, &mut work);
        if system.factor(&mut work).is_err() {
            return Ok(None);
        }
        let mut found = DMatrix::zeros(6 * slots.len(), inputs.len());
        for (column, input) in inputs.iter().enumerate() {
            system.assemble_input_column(state, self.inputs, *input, &mut work);
            let step = system.solve_input_column(state, &mut work);
            for (index, slot) in slots.iter().enumerate() {
                let (axes, twist) = (&state.poses[*slot].rotation, step.poses[*slot]);
                let (turn, shift) = (axes.rotate(&twist.angular), axes.rotate(&twist.linear));
                let six = Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z);
                found.fixed_view_mut::<6, 1>(6 * index, column).copy_from(&six);
            }
        }
        Ok(Some(found))
    }

    /// Number of the pose that a path names.
    fn slot(&self, path: &str) -> Result<usize, Box<Diagnostic>> {
        let Scene { rods, bodies, joints, .. } = self.scene;
        let tips = (0..rods.len()).map(|rod| {
            let slot = self.system.tip(RodIndex::new(rod)).index();
            (format!("{}.tip", rods[rod].name), slot)
        });
        let compiled = bodies.iter().zip(self.system.bodies());
        let bodies = compiled.map(|(body, own)| (body.name.clone(), own.slot.index()));
        let joints = joints.iter().enumerate();
        let joints =
            joints.map(|(index, joint)| (format!("{}.frame", joint.name), self.system.joint_slot(index).index()));
        let all: Vec<(String, usize)> = tips.chain(bodies).chain(joints).collect();
        all.iter().find(|(name, _)| name == path).map(|(_, slot)| *slot).ok_or_else(|| {
            let known: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
            let nearest = nearest(path, known.iter().map(String::as_str)).map(str::to_owned);
            let (path, reason) = (path.to_owned(), PathReason::NoSuchThing);
            Box::new(Diagnostic::new(Fault::NoSuchPath { path, nearest, reason }))
        })
    }
}
