//! One experiment at rest: the equilibrium under its settings for any values of the numbers, from the last one.

use crate::derivatives::{self, Neighbours, Place};
use crate::door::check;
use crate::observer::Watch;
use crate::robot::solved::{Equations, Judgement, accurate};
use crate::robot::standing::{Standing, with_drives};
use lissome_io::Diagnostic;
use lissome_io::scene::Variants;
use lissome_model::{Invalid, Job, Scene, StaticsJob};
use lissome_solve::accuracy::Accurate;
use lissome_solve::derivative::Neighbour;
use lissome_solve::statics::{self, StaticOptions};
use nalgebra::DMatrix;
use std::sync::Arc;

/// The scenes of an experiment.
#[derive(Clone)]
pub(super) struct Family {
    pub variants: Arc<Variants>,
    /// Equations that experiments share which differ in their drives alone.
    pub neighbours: Option<Arc<Neighbours>>,
}

impl Family {
    /// Of an experiment, beside the first one.
    pub fn new(variants: Variants, scene: &Scene, first: Option<&Self>) -> Self {
        let shared = first.and_then(|first| Some((variants.sharing(&first.variants)?, first)));
        match shared {
            Some((variants, first)) => Self { variants: Arc::new(variants), neighbours: first.neighbours.clone() },
            None => {
                // What the first one keeps is good for those alone that share its file.
                let serves = first.is_none() && Neighbours::serve(scene);
                Self { variants: Arc::new(variants), neighbours: serves.then(Arc::default) }
            }
        }
    }
}

/// The scene of an experiment with its equilibrium as its job.
fn at_rest(variants: &Variants, x: &[f64]) -> Result<Scene, Box<Diagnostic>> {
    with_drives(&variants.scene(x)?, &[])
}

fn job_of(scene: &Scene) -> StaticsJob {
    match &scene.job {
        Job::Statics(job) => StaticsJob { method: None, ..*job },
        _ => StaticsJob::default(),
    }
}

/// The equilibrium for these values from the natural shape, on as many spans as it needs; else why there is none.
pub(super) fn from_nothing(variants: &Variants, x: &[f64], watch: &Watch<'_>) -> Result<Arc<Equations>, String> {
    let scene = at_rest(variants, x).map_err(|refused| format!("the scene is refused: {}", refused.message()))?;
    check(&scene).map_err(|error| format!("the scene is refused: {error}"))?;
    let found = accurate(&scene, &job_of(&scene), Judgement::Sign, watch);
    let (found, equilibrium) = found.map_err(|error| format!("the scene is refused: {error}"))?;
    if !equilibrium.outcome.converged() {
        return Err("no equilibrium was found from the natural shape".into());
    }
    let Accurate { scene, system, solution, .. } = found;
    Ok(Arc::new(Equations { scene, system: Arc::new(system), state: solution.state, inputs: solution.inputs }))
}

/// The equilibrium for these values near another one, on the same division; `None` if there is none near.
pub(super) fn near(own: &Equations, family: &Family, x: &[f64], watch: &Watch<'_>) -> Option<Arc<Equations>> {
    let mut scene = at_rest(&family.variants, x).ok()?;
    scene.validate().ok()?;
    if !scene.divide_like(&own.scene) {
        return None;
    }
    let known = (&own.scene, &*own.system);
    let system = match &family.neighbours {
        Some(neighbours) => {
            let place = Place { values: x, moved: None };
            let found: Result<_, Invalid> = neighbours.get(known, place, || Ok(scene.clone()));
            found.ok()?
        }
        None => Arc::new(Neighbour::of(&scene, known).ok()?),
    };
    let system = system.system.clone();
    let mut work = system.workspace();
    let inputs = system.inputs_driven_by(&scene.drives, 0.0);
    let start = system.adapted_state(&own.system, &own.state, &inputs, &mut work);
    let StaticsJob { max_iterations, winding, .. } = job_of(&scene);
    let options =
        StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::of_job(max_iterations, winding) };
    let found = statics::solve(&system, &start, &inputs, &options, &mut work, &mut |i| watch.iteration(i));
    let equations = || Arc::new(Equations { scene, system, state: found.state, inputs: found.inputs });
    found.outcome.converged().then(equations)
}

fn standing(own: &Equations) -> Standing<'_> {
    let Equations { scene, system, state, inputs } = own;
    Standing { scene, system, state, inputs }
}

/// What the outputs are in an equilibrium.
pub(super) fn values(own: &Equations, asked: &[&str]) -> Result<Vec<f64>, Box<Diagnostic>> {
    let rows = derivatives::outputs(standing(own), asked, None)?;
    Ok(rows.into_iter().map(|(_, value)| value).collect())
}

/// How they change with the numbers; turns in the axes of the part.
pub(super) fn rates(
    own: &Equations,
    asked: &[&str],
    family: &Family,
    x: &[f64],
) -> Result<DMatrix<f64>, Box<Diagnostic>> {
    let of = (&family.variants, family.neighbours.as_ref());
    derivatives::by_variants(standing(own), asked, of, x).map(|found| found.values)
}
