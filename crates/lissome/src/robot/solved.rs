//! An equilibrium together with the equations it solves, so that more can be asked of it later.

use crate::derivatives::{self, Jacobian, Source};
use crate::door::check;
use crate::equilibrium_record::{examined, record};
use crate::error::SimulateError;
use crate::observer::{Observer, Watch};
use crate::robot::standing::Standing;
use crate::sensitivity_record;
use crate::tendon_method;
use lissome_io::{DerivativeFault, Diagnostic, Fault};
use lissome_mech::{Inputs, State, System};
use lissome_model::{Job, Scene, StaticsJob};
use lissome_solve::accuracy::{self, Accurate};
use lissome_solve::statics::{self, Solution, StaticOptions};
use lissome_solve::{Equilibrium, Iteration, Stability, stability};
use nalgebra::DMatrix;
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
    let mut options = StaticOptions::of_job(job.max_iterations, job.winding);
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
        let options =
            StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::of_job(max_iterations, winding) };
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
