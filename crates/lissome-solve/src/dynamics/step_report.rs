//! What an attempt of a step tells: its numbers, or why there is no step.

use super::scheme::Scheme;
use lissome_mech::MechanicalState;
use lissome_mech::index::Slot;
use lissome_mech::motion::Pace;

/// Why a step could not be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepFailure {
    /// The iteration did not settle.
    NotConverged {
        /// Last scaled Newton step.
        step: f64,
        /// The slot that moved most in it.
        slot: Slot,
    },
    /// The tangent or the mass could not be factored: something has no mass, or constraints contradict each other.
    Singular,
    /// A number became infinite or undefined.
    NotFinite,
    /// Sections of tubes that are pushed do not correspond to those before.
    Sections,
    /// Something moves so far within the step that it could come out, or came out, on the other side of something.
    PassesThrough,
}

/// What a step tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Newton iterations.
    pub iterations: usize,
    /// Estimated local error: the third difference of the positions times the constant of the scheme, root mean square
    /// over the mass, m. Zero where no step came before.
    pub error: f64,
    /// How fast everything moves, and how fast that changes.
    pub pace: Pace,
    /// Energies and momenta at the end of the step.
    pub end: MechanicalState,
    /// Energy dissipated by materials, joints, friction and landings in the step, J.
    pub dissipated: f64,
    /// The part of that which friction of contacts took, J.
    pub friction: f64,
    /// Work of loads, cables, efforts and drives in the step, J.
    pub work: f64,
    /// The scheme that took it, its filter as strong as it acted.
    pub acted: Scheme,
}
