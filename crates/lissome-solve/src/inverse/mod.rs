//! Which drives give the wanted outputs: equilibrium and drives are found together.
//!
//! ```text
//! min ½ |W (y(q, u) − y*)|²   and, of all that are alike, least effort ½ Σ w (u − u₀)²
//! such that R(q, u) = 0,  u⁻ ≤ u ≤ u⁺
//! ```
//!
//! R are the equations of equilibrium. One round factors their matrix once: the factor answers the residual (x = −K⁻¹R, the
//! step to equilibrium) and each drive (z_j = −K⁻¹ ∂R/∂u_j). Outputs then change by Y x + Σ Y z_j Δu_j, and a least-squares
//! problem of the size of the drives, between bounds, gives Δu (`model`, `bounded`). State and drives move at once by
//! x + Σ z_j Δu_j: no equilibrium is solved for inside (`search`). The factor at hand looks ahead and corrects a step before another one is
//! made (`chord`), and a step is judged by what it did (`judge`). Too far away, a part of the way is aimed at, or steps are damped as Levenberg and Marquardt do,
//! and pure steps to equilibrium come between where a prediction was poor. Where targets are out of reach the secant of
//! Dennis, Gay and Welsch adds the curvature that Gauss and Newton leave out.
//!
//! Where the derivatives of the outputs jump, as where tubes pass each other, the nearest point may lie on the jump and is sought along it (`crease`).
//!
//! Every step must keep the number of directions in which the potential falls: the search does not leave its branch over a
//! fold or a bifurcation, and says so where one is in its way.

mod along_creases;
mod bounded;
mod chord;
mod crease;
mod judge;
mod linear;
mod model;
mod pace;
mod quantity;
mod restart;
mod search;
mod stepping;

pub use crease::Crease;
pub use linear::Memories;
pub(crate) use quantity::log_rate;
pub use quantity::{Carrier, Place, Quantity, Unit};
pub use restart::solve_widely;
pub use search::{solve, solve_with};

use crate::event::Event;
use crate::newton::Iteration;
use lissome_mech::{Input, Inputs, State, System};
use std::sync::Arc;

/// A drive to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unknown {
    /// Which one.
    pub input: Input,
    /// Between these; infinite where nothing limits it.
    pub limits: (f64, f64),
    /// Where it costs no effort.
    pub rest: f64,
    /// What a unit away from there costs, relative to the other drives.
    pub weight: f64,
    /// Its unit: numbers of very different size are compared in these.
    pub unit: f64,
}

/// A target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// What is to become what.
    pub quantity: Quantity,
    /// How much a deviation counts, in one over its unit.
    pub weight: f64,
}

/// Where a robot stands.
#[derive(Clone, Debug)]
pub struct Posture {
    /// Its equations.
    pub system: Arc<System>,
    /// An equilibrium.
    pub state: State,
    /// What acts on it.
    pub inputs: Inputs,
}

/// The equations where tubes were pushed: from those before, with these inputs. `None` where tubes cannot be there.
pub type Renewal<'a> = &'a dyn Fn(&System, &Inputs) -> Option<System>;

/// What is asked for.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// What is to be found.
    pub unknowns: &'a [Unknown],
    /// What is wanted.
    pub goals: &'a [Goal],
    /// Rounds at most.
    pub max_iterations: usize,
    /// How equations follow tubes that are pushed; needed only where a drive pushes one.
    pub renew: Option<Renewal<'a>>,
    /// Where derivatives of the outputs jump: a nearest point may lie there. Looked at only where equations are renewed.
    pub creases: &'a [Crease],
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every target is met.
    Met,
    /// Out of reach: no drive brings it nearer.
    Nearest,
    /// What lies nearer is not on the branch: it ends, or loses its stability, before.
    BranchEnds,
    /// The rounds allowed are used up.
    Unfinished,
    /// The observer asked to stop.
    Stopped,
}

impl End {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Nearest => "nearest",
            Self::BranchEnds => "branch-ends",
            Self::Unfinished => "unfinished",
            Self::Stopped => "stopped",
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The robot there.
    pub posture: Posture,
    /// How the search ended.
    pub end: End,
    /// What is left, goal by goal, in the units of the quantities.
    pub gaps: Vec<f64>,
    /// The largest of them, weighted.
    pub distance: f64,
    /// Root of the sum of their squares, weighted: what is to become least.
    pub misfit: f64,
    /// Factorisations that it took.
    pub iterations: usize,
    /// For each drive: −1 at its lower limit, 1 at its upper, 0 between.
    pub at_limit: Vec<i8>,
    /// Directions in which the potential falls; `None` without one.
    pub negative: Option<usize>,
    /// What is in the way, where the branch ends.
    pub event: Option<Event>,
    /// Of every round.
    pub history: Vec<Iteration>,
    /// Derivatives of the gaps (rows, weighted) by the drives (columns, in their units), column by column.
    pub jacobian: nalgebra::DMatrix<f64>,
}

/// A target is met where its weighted gap is below this.
pub const TARGET_TOLERANCE: f64 = 1e-9;
