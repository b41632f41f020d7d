//! Natural frequencies and modes about an equilibrium: K x = ω² M x by shifted Lanczos on the factor of K + σM.
//!
//! K is the tangent of statics with its stresses and multipliers, so that prestress, loads and constraints count. σ makes
//! the matrix definite even where a system floats freely or is about to buckle.

use super::lanczos::{self, Operator};
use lissome_lie::Twist;
use lissome_mech::{CurvatureOf, Inputs, State, System, Workspace};
use lissome_sparse::kkt::KktMatrix;
use std::fmt;

/// A natural mode.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// ω², (rad/s)²; negative if the equilibrium is left instead of swung about.
    pub square: f64,
    /// ω/2π, Hz; 0 if ω² is not positive.
    pub frequency: f64,
    /// Estimated relative error of ω² + σ.
    pub error: f64,
    /// Motion of every slot, unit mass.
    pub shape: Vec<Twist>,
}

/// Why there are no modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModesError {
    /// Nothing has mass.
    NoMass,
    /// No shift makes the tangent definite: constraints contradict each other, or the state is no equilibrium.
    Indefinite,
}

impl fmt::Display for ModesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMass => write!(f, "nothing has mass, so nothing swings"),
            Self::Indefinite => write!(f, "no shift makes the tangent definite: the constraints contradict each other"),
        }
    }
}

impl std::error::Error for ModesError {}

/// Lanczos vectors beside twice the number of modes asked for.
const SPARE_VECTORS: usize = 40;
/// Relative error of ω² that ends the iteration.
const TOLERANCE: f64 = 1e-12;
/// Factor by which a shift grows that is not enough, and how often.
const SHIFT_GROWTH: f64 = 10.0;
const MOST_SHIFTS: usize = 16;

struct Inverse<'a> {
    system: &'a System,
    tangent: &'a mut Workspace,
    mass: &'a KktMatrix,
}

impl Operator for Inverse<'_> {
    fn mass(&mut self, x: &[f64], y: &mut [f64]) {
        self.mass.multiply(x, y);
    }
    fn apply(&mut self, _: &[f64], mass_x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(mass_x);
        self.system.solve_symmetric(y, self.tangent);
    }
}

/// The `count` lowest modes about an equilibrium. Loads without a potential count with the symmetric part of their
/// tangent.
pub fn modes(system: &System, state: &State, inputs: &Inputs, count: usize) -> Result<Vec<Mode>, ModesError> {
    let mut work = system.motion_workspace();
    let velocity = vec![Twist::zero(); state.poses.len()];
    system.start_motion(state, &velocity, inputs, &mut work);
    let total = system.total_mass(&work);
    // Also where a number is not finite.
    let heavy = total > 0.0;
    if !heavy {
        return Err(ModesError::NoMass);
    }
    let mass = system.mass_matrix(&mut work);
    let mut tangent = system.workspace();
    // Of the size of the lowest frequency of the softest rod, with all the mass.
    let mut sigma = system.scales().force / (total * system.scales().length);
    let mut definite = false;
    for _ in 0..MOST_SHIFTS {
        system.assemble(state, inputs, CurvatureOf::Poses, &mut tangent);
        definite = system
            .factor_shifted(sigma, &mut tangent, &mut work)
            .is_ok_and(|inertia| inertia.negative == system.negative_pivots() && inertia.zero == 0);
        if definite {
            break;
        }
        sigma *= SHIFT_GROWTH;
    }
    if !definite {
        return Err(ModesError::Indefinite);
    }
    let mut start = vec![0.0; system.unknowns()];
    for (i, rows) in system.displacement_rows().enumerate() {
        for (k, row) in rows.enumerate() {
            start[row] = (1.0 + i as f64).sqrt() * (1.0 + 0.37 * k as f64 + 0.11 * i as f64).sin();
        }
    }
    let mut operator = Inverse { system, tangent: &mut tangent, mass: &mass };
    let pairs = lanczos::largest(&mut operator, start, count, 2 * count + SPARE_VECTORS, TOLERANCE);
    let mode = |pair: &lanczos::Eigenpair| {
        let square = 1.0 / pair.value - sigma;
        Mode {
            square,
            frequency: square.max(0.0).sqrt() / std::f64::consts::TAU,
            error: pair.error,
            shape: system.slot_motions(&pair.vector, &work),
        }
    };
    Ok(pairs.iter().map(mode).collect())
}
