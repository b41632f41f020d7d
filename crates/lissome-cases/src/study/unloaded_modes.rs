//! Does every motion of the unloaded rod cost energy? A form that under-integrates would let some pass for free.
//!
//! Three signs that none does: the inertia of the unloaded tangent, its smallest eigenvalue relative to the elastic
//! stiffness, and, on stocky rods, the least ratio over all motions of its energy to that of the same splines with full
//! integration at every point (the printed form): 0 for a zero-energy mode, 1 if nothing is lost. On slender rods the
//! printed form locks, and the ratio says nothing.

use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::mech::{CurvatureOf, System};
use lissome::model::Scene;
use lissome::solve::stability;
use nalgebra::{DMatrix, SymmetricEigen};
use serde::Deserialize;

/// Does every motion of the unloaded rod cost energy?
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnloadedModes {
    scene: String,
    /// Words for each rod, and its settings.
    rods: Vec<Variant>,
    /// Settings that make the fully integrated form.
    full: Vec<String>,
    /// Of the smallest eigenvalue of the tangent relative to the elastic stiffness, which is 1 without load.
    eigenvalue_tolerance: f64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    name: String,
    set: Vec<String>,
    /// Least ratio of the energies, where it says something.
    ratio: Option<f64>,
}

impl UnloadedModes {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let path = format!("{folder}/{}", self.scene);
        let mut rows = Vec::new();
        for rod in &self.rods {
            let scene = unloaded(template::scene(&path, &rod.set)?);
            let system = System::compile(&scene)?;
            let (zero_modes, smallest) = inertia_and_eigenvalue(&system);
            rows.push(Row::deviation(format!("{}: zero-energy modes by inertia", rod.name), zero_modes, 0.0));
            rows.push(Row::within(
                format!("{}: smallest eigenvalue of the unloaded tangent", rod.name),
                1.0,
                smallest,
                (smallest - 1.0).abs(),
                self.eigenvalue_tolerance,
            ));
            if let Some(bar) = rod.ratio {
                let settings: Vec<String> = rod.set.iter().chain(&self.full).cloned().collect();
                let full = System::compile(&unloaded(template::scene(&path, &settings)?))?;
                let ratio = least_ratio(&stiffness(&system), &stiffness(&full));
                let words = format!("{}: least energy over full integration's, at least", rod.name);
                rows.push(Row::at_least(words, ratio, bar));
            }
        }
        Ok(rows)
    }
}

fn unloaded(mut scene: Scene) -> Scene {
    scene.loads.clear();
    scene.gravity.fill(0.0);
    scene
}

fn inertia_and_eigenvalue(system: &System) -> (f64, f64) {
    let mut work = system.workspace();
    let state = system.natural_state();
    system.assemble(&state, &system.inputs_at(0.0).with_factor(0.0), CurvatureOf::Poses, &mut work);
    let zero_modes = match system.symmetric_inertia(&mut work) {
        Ok(inertia) => (inertia.zero + inertia.negative.abs_diff(6 * system.stress_blocks())) as f64,
        Err(_) => f64::INFINITY,
    };
    let mode = stability::lowest_mode(system, &state, &system.inputs_at(0.0).with_factor(0.0), &mut work);
    (zero_modes, mode.map_or(f64::NAN, |mode| mode.eigenvalue))
}

/// The elastic stiffness of the poses at the natural state, stresses condensed.
fn stiffness(system: &System) -> DMatrix<f64> {
    let mut work = system.workspace();
    system.assemble(&system.natural_state(), &system.inputs_at(0.0).with_factor(0.0), CurvatureOf::Poses, &mut work);
    let poses: Vec<usize> = system.displacement_rows().flatten().collect();
    let n = system.unknowns();
    let mut matrix = DMatrix::zeros(poses.len(), poses.len());
    let (mut unit, mut column) = (vec![0.0; n], vec![0.0; n]);
    for (j, at) in poses.iter().enumerate() {
        unit[*at] = 1.0;
        if system.stress_blocks() > 0 {
            system.material_times(&unit, &mut column, &mut work);
        } else {
            work.multiply(&unit, &mut column);
        }
        unit[*at] = 0.0;
        for (i, row) in poses.iter().enumerate() {
            matrix[(i, j)] = column[*row];
        }
    }
    matrix
}

/// Smallest λ of A x = λ B x, both symmetric, B positive definite.
fn least_ratio(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    let Some(factor) = b.clone().cholesky() else { return f64::NAN };
    let l = factor.l();
    let half = l.solve_lower_triangular(a).expect("a Cholesky factor has no zero on its diagonal");
    let whole = l.solve_lower_triangular(&half.transpose()).expect("a Cholesky factor has no zero on its diagonal");
    let symmetric = (&whole + whole.transpose()) * 0.5;
    SymmetricEigen::new(symmetric).eigenvalues.min()
}
