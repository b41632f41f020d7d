//! From a scene whose job is `shape` to its answer: every rod's shape between its two held ends.

use crate::error::SimulateError;
use crate::sampling::SAMPLES;
use lissome_lie::Wrench;
use lissome_model::{Invalid, Problem, Rod, Scene, ShapeJob};
use lissome_shape::{RodShapes, Shape, ShapeError, Stability as RodStability, Verdict, comparison};
use lissome_solve::{Energy, Equilibrium, Iteration, Outcome, RodRecord, Sample, ShapeAnswer, Stability, Status};

/// Every rod's shapes, and those that were asked for as an equilibrium, so that whatever reads one works here too.
pub(crate) fn shapes(scene: &Scene, job: &ShapeJob) -> Result<ShapeAnswer, SimulateError> {
    let (mut rods, mut shapes) = (Vec::new(), Vec::new());
    let mut outcome = Outcome {
        status: Status::Converged,
        history: Vec::new(),
        checks: 0,
        load_steps: 1,
        residual: 0.0,
        stability: None,
        energy: Energy::default(),
        defect: None,
        events: Vec::new(),
    };
    for rod in &scene.rods {
        match comparison::compare(rod, job) {
            Ok(comparison) => {
                let shape = &comparison.asked;
                let before_each = &shape.history[..shape.iterations()];
                outcome.history.extend(before_each.iter().map(|residual| iteration(*residual)));
                outcome.residual = f64::max(outcome.residual, shape.history.last().copied().unwrap_or(0.0));
                outcome.energy.elastic += shape.energy;
                outcome.stability = Some(worse(outcome.stability, &shape.stability()));
                rods.push(record_of(rod, shape));
                shapes.push(RodShapes { rod: rod.name.clone(), comparison });
            }
            Err(
                ShapeError::NotConverged { residual, .. }
                | ShapeError::NearFold { residual, .. }
                | ShapeError::NoPolynomial { residual, .. },
            ) => {
                outcome.status = Status::NotConverged { load_factor: 0.0 };
                outcome.residual = residual;
            }
            Err(error) => return Err(refusal(rod, &error).into()),
        }
    }
    Ok(ShapeAnswer { equilibrium: Equilibrium::of_rods(outcome, rods), shapes })
}

/// One iteration of a shape: it has no load to step and no step to cut.
fn iteration(residual: f64) -> Iteration {
    Iteration { load_factor: 1.0, residual, step: f64::NAN, fraction: 1.0, shift: 0.0 }
}

fn worse(before: Option<Stability>, rod: &RodStability) -> Stability {
    let margin = rod.fold_margin.unwrap_or(f64::NAN);
    let here = Stability {
        stable: rod.verdict != Verdict::Unstable,
        negative_directions: rod.conjugate_points.len().max(usize::from(rod.verdict == Verdict::Unstable)),
        smallest_eigenvalue: margin,
        nonconservative: false,
    };
    match before {
        Some(other) => Stability {
            stable: other.stable && here.stable,
            negative_directions: other.negative_directions + here.negative_directions,
            smallest_eigenvalue: other.smallest_eigenvalue.min(here.smallest_eigenvalue),
            nonconservative: false,
        },
        None => here,
    }
}

fn record_of(rod: &Rod, shape: &Shape) -> RodRecord {
    let sample = |i: usize| {
        let tau = i as f64 / (SAMPLES - 1) as f64;
        Sample { s: tau * rod.length, pose: shape.pose(tau), strain: shape.strain(tau), stress: shape.wrench(tau) }
    };
    let samples: Vec<Sample> = (0..SAMPLES).map(sample).collect();
    let turn = shape.pose(0.0).rotation;
    let on_base = shape.wrench_on_base();
    RodRecord {
        name: rod.name.clone(),
        control_poses: vec![shape.pose(0.0), shape.pose(1.0)],
        tip: shape.pose(1.0),
        base_wrench: Wrench::new(turn.rotate(&on_base.moment), turn.rotate(&on_base.force)),
        // Nothing else acts on it, so what it exerts on its two ends balances.
        tip_wrench: tip_wrench(shape),
        samples,
        discretisation_error: 0.0,
        tubes: Vec::new(),
    }
}

/// What the rod exerts on the holder of its tip: the holder keeps the section there in balance with the stress.
fn tip_wrench(shape: &Shape) -> Wrench {
    let (turn, stress) = (shape.pose(1.0).rotation, shape.wrench(1.0));
    Wrench::new(-turn.rotate(&stress.moment), -turn.rotate(&stress.force))
}

/// Ends that no shape fits are a defect of the scene, at the tip's pose.
fn refusal(rod: &Rod, error: &ShapeError) -> Invalid {
    match error {
        ShapeError::Rod(invalid) => invalid.clone(),
        other => Invalid::new(format!("rod.{}.tip", rod.name), Problem::Contradiction { reason: words(other) }),
    }
}

fn words(error: &ShapeError) -> String {
    // The path comes first in the message, so the sentence goes on from it.
    format!("does not fit: {error}")
}
