//! The classical methods for one clamped rod with tendons, as an answer like any other.
//!
//! They are the oracles of `lissome-reference`; no solver calls them. A scene that they cannot do is refused at the door
//! ([`Scene::validate_tendon_method`]).

use crate::error::SimulateError;
use crate::sampling::SAMPLES;
use crate::tendon_record::{self, Carried};
use lissome_lie::quadrature::gauss_legendre;
use lissome_lie::{Strain, Twist, Wrench};
use lissome_model::{Invalid, LoadKind, Problem, Scene, TendonMethod};
use lissome_reference::OracleError;
use lissome_reference::tendons::lagrangian::{self, Reduction};
use lissome_reference::tendons::newtonian::{self, Jump};
use lissome_reference::tendons::{TendonRod, TendonSample, TendonSolution, total_stress};
use lissome_solve::{Energy, Equilibrium, Iteration, Outcome, RodRecord, Sample, Status};

/// Gauss points between two borders for the energies: exact for the polynomials that the strains are.
const POINTS: usize = 8;

/// The equilibrium by a classical method. Not to converge is an answer here too.
pub(crate) fn equilibrium(scene: &Scene, method: TendonMethod) -> Result<Equilibrium, SimulateError> {
    let rod = TendonRod::from_scene(scene, 0.0).map_err(refusal)?;
    let solved = match method {
        TendonMethod::TotalStress => total_stress::solve(&rod),
        TendonMethod::Newtonian => newtonian::solve(&rod, Jump::Exact),
        TendonMethod::Lagrangian { functions, nodes } => {
            lagrangian::solve(&rod, &Reduction { functions, nodes, ..Reduction::of_the_paper() })
        }
    };
    let mut found = match solved {
        Ok(solution) => of_solution(scene, &rod, &solution),
        Err(OracleError::NotConverged { load_factor, iterations, residual }) => {
            of_failure(scene, &rod, load_factor, iterations, residual)
        }
        // The integrator is stuck: nothing smooth leads on from there.
        Err(OracleError::StepTooSmall { .. }) => of_failure(scene, &rod, 0.0, 0, f64::NAN),
        Err(other) => return Err(refusal(other)),
    };
    found.method = Some(method);
    Ok(found)
}

fn refusal(error: OracleError) -> SimulateError {
    let invalid = match error {
        OracleError::Invalid(invalid) => invalid,
        other => Invalid::new("job.method", Problem::Contradiction { reason: other.to_string() }),
    };
    SimulateError::Invalid(invalid)
}

fn outcome(status: Status, iterations: usize, load_steps: usize, residual: f64) -> Outcome {
    // These methods tell the last residual only.
    let iteration = |k: usize| {
        let residual = if k + 1 == iterations { residual } else { f64::NAN };
        Iteration { load_factor: status.load_factor(), residual, step: f64::NAN, fraction: 1.0, shift: 0.0 }
    };
    Outcome {
        status,
        history: (0..iterations).map(iteration).collect(),
        checks: 0,
        load_steps,
        residual,
        stability: None,
        energy: Energy::default(),
        defect: None,
        events: Vec::new(),
    }
}

fn of_solution(scene: &Scene, rod: &TendonRod, solution: &TendonSolution) -> Equilibrium {
    let mut outcome = outcome(Status::Converged, solution.iterations, solution.load_steps, solution.residual);
    outcome.energy = energy(scene, rod, solution);
    let samples = even(scene).map(|s| plain(&solution.at(s))).collect();
    let on_base = solution.base_wrench();
    let record = RodRecord {
        name: scene.rods[0].name.clone(),
        samples,
        control_poses: vec![rod.base, solution.tip()],
        tip: solution.tip(),
        base_wrench: Wrench::new(on_base.moment, on_base.force),
        tip_wrench: Wrench::new(Default::default(), Default::default()),
        discretisation_error: f64::NAN,
        tubes: Vec::new(),
    };
    let carried =
        |index: usize| Carried { tension: scene.tendons[index].drive.value(), length: solution.tendon_lengths[index] };
    let sections = |_: usize, arc: &[f64]| arc.iter().map(|s| plain(&solution.at(*s))).collect();
    let tendons = tendon_record::records(scene, carried, |index, _, _| scene.tendons[index].drive.value(), sections);
    Equilibrium { tendons, ..Equilibrium::of_rods(outcome, vec![record]) }
}

/// The rod without stress, where there is nothing better to show.
fn of_failure(scene: &Scene, rod: &TendonRod, load_factor: f64, iterations: usize, residual: f64) -> Equilibrium {
    let outcome = outcome(Status::NotConverged { load_factor }, iterations, 1, residual);
    let at = |s: f64| {
        let (mut pose, mut before) = (rod.base, 0.0);
        let mut strain = strain_of(&rod.segments[0].natural);
        for segment in &rod.segments {
            let step = (s - before).clamp(0.0, segment.length);
            if step > 0.0 || before == 0.0 {
                strain = strain_of(&segment.natural);
                pose = pose * lissome_lie::Pose::exp(&Twist::new(strain.curvature * step, strain.stretch * step));
            }
            before += segment.length;
        }
        Sample { s, pose, strain, stress: Wrench::new(Default::default(), Default::default()) }
    };
    let samples: Vec<Sample> = even(scene).map(at).collect();
    let tip = samples.last().map_or(rod.base, |sample| sample.pose);
    let none = Wrench::new(Default::default(), Default::default());
    let record = RodRecord {
        name: scene.rods[0].name.clone(),
        samples,
        control_poses: vec![rod.base, tip],
        tip,
        base_wrench: none,
        tip_wrench: none,
        discretisation_error: f64::NAN,
        tubes: Vec::new(),
    };
    Equilibrium::of_rods(outcome, vec![record])
}

fn even(scene: &Scene) -> impl Iterator<Item = f64> {
    let length = scene.rods[0].length;
    (0..SAMPLES).map(move |k| length * k as f64 / (SAMPLES - 1) as f64)
}

fn strain_of(six: &nalgebra::Vector6<f64>) -> Strain {
    Strain::new(six.fixed_rows::<3>(0).into(), six.fixed_rows::<3>(3).into())
}

/// The stress is that of the rod alone, as of every rod.
fn plain(sample: &TendonSample) -> Sample {
    let stress = &sample.rod_stress;
    Sample {
        s: sample.s,
        pose: sample.pose,
        strain: strain_of(&sample.strain),
        stress: Wrench::new(stress.fixed_rows::<3>(0).into(), stress.fixed_rows::<3>(3).into()),
    }
}

/// Elastic energy, and the potentials of gravity, of dead forces and of the tensions.
fn energy(scene: &Scene, rod: &TendonRod, solution: &TendonSolution) -> Energy {
    let mut energy = Energy::default();
    for pair in solution.borders().windows(2) {
        for gauss in gauss_legendre(POINTS) {
            let s = pair[0] + gauss.abscissa * (pair[1] - pair[0]);
            let (weight, sample) = (gauss.weight * (pair[1] - pair[0]), solution.at(s));
            let section = scene.rods[0].profile.at(s);
            let weight_per_length = scene.gravity * section.mass()[(3, 3)];
            let (line_load, natural) = segment_at(rod, s);
            energy.elastic += 0.5 * weight * sample.rod_stress.dot(&(sample.strain - natural));
            energy.gravity -= weight * weight_per_length.dot(&sample.pose.position);
            energy.loads -= weight * (line_load - weight_per_length).dot(&sample.pose.position);
        }
    }
    let tip = solution.tip().position;
    let forces = scene.loads.iter().filter_map(|load| match load.kind {
        LoadKind::Point { wrench, .. } => Some(wrench.force.dot(&tip)),
        LoadKind::Distributed { .. } => None,
    });
    energy.loads -= forces.sum::<f64>();
    let pulls = rod.tendons.iter().zip(&solution.tendon_lengths);
    energy.loads += pulls.map(|(tendon, length)| tendon.tension * length).sum::<f64>();
    energy
}

/// Line load and natural strain of the segment around s.
fn segment_at(rod: &TendonRod, s: f64) -> (nalgebra::Vector3<f64>, nalgebra::Vector6<f64>) {
    let mut end = 0.0;
    for segment in &rod.segments {
        end += segment.length;
        if s < end {
            return (segment.line_load, segment.natural);
        }
    }
    let last = &rod.segments[rod.segments.len() - 1];
    (last.line_load, last.natural)
}
