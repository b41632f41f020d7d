//! The eigenvalue problem of small motions about an equilibrium: its matrices, its solutions, and why there may be none.

use lissome_lie::Twist;
use lissome_mech::{CurvatureOf, Inputs, MotionWorkspace, State, System, Workspace};
use lissome_sparse::kkt::KktMatrix;
use nalgebra::Complex;
use std::fmt;

/// Why there are no modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModesError {
    /// Nothing has mass.
    NoMass,
    /// No shift makes the tangent definite: constraints contradict each other, or the state is no equilibrium.
    Indefinite,
    /// The iteration did not find as many modes as were asked for.
    NotConverged,
    /// Stops hold everything that has mass.
    Held,
    /// A rod in displacement form (without independent stresses) has no damped modes.
    DisplacementForm,
}

impl fmt::Display for ModesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMass => write!(f, "nothing has mass, so nothing swings"),
            Self::Indefinite => write!(f, "no shift makes the tangent definite: the constraints contradict each other"),
            Self::NotConverged => write!(f, "the modes did not converge; ask for fewer, or refine the rods"),
            Self::Held => write!(f, "stops hold everything, so nothing swings"),
            Self::DisplacementForm => write!(f, "damped modes need rods in mixed form; the printed form has none"),
        }
    }
}

impl std::error::Error for ModesError {}

/// Factor by which a shift grows that is not enough, and how often.
pub(super) const SHIFT_GROWTH: f64 = 10.0;
pub(super) const MOST_SHIFTS: usize = 16;

/// A solution of the eigenvalue problem over the unknowns.
pub(super) struct Solution {
    pub lambda: Complex<f64>,
    pub real: Vec<f64>,
    pub imaginary: Vec<f64>,
    pub error: f64,
    /// √(xᴴKx/xᴴMx): how fast the same shape would swing without damping. It orders the solutions, since over-damped ones
    /// of high order are all alike slow: λ ≈ −1/τ for a material that relaxes within τ.
    pub order: f64,
}

/// An equilibrium with the matrices of small motions about it.
pub(super) struct Rest<'a> {
    pub system: &'a System,
    pub state: &'a State,
    pub inputs: &'a Inputs,
    pub work: MotionWorkspace,
    pub mass: KktMatrix,
}

impl<'a> Rest<'a> {
    pub fn new(system: &'a System, state: &'a State, inputs: &'a Inputs) -> Result<Self, ModesError> {
        let mut work = system.motion_workspace();
        system.start_motion(state, &vec![Twist::zero(); state.poses.len()], inputs, &mut work);
        // Also where a number is not finite.
        let heavy = system.total_mass(&work) > 0.0;
        if !heavy {
            return Err(ModesError::NoMass);
        }
        let mass = system.mass_matrix(&mut work);
        Ok(Self { system, state, inputs, work, mass })
    }

    /// Fills a tangent at the equilibrium.
    pub fn assemble(&self, tangent: &mut Workspace) {
        self.system.assemble(self.state, self.inputs, CurvatureOf::Poses, tangent);
    }
}
