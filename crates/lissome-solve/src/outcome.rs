//! What a static solve answers: an equilibrium with its residual and stability, a physical event, or an honest failure.

use crate::defect::Defect;
use crate::energy::Energy;
use crate::event::Event;
use crate::newton::{AT_REST, Iteration, NEUTRAL_SHIFT};
use lissome_mech::{Inputs, State};

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// Equilibrium found to the tolerance.
    Converged,
    /// The tangent stiffness lost rank on the way: the rod snaps or buckles at this fraction of the load. Which of the two
    /// is told by the last of [`Outcome::events`].
    Fold {
        /// Fraction of the full load that still has an equilibrium on this branch.
        load_factor: f64,
        /// Index of the rod whose motion grows without bound there.
        rod: usize,
        /// Arc length where that motion is largest, m.
        s: f64,
    },
    /// Neither an equilibrium nor a fold was established within the iterations allowed.
    NotConverged {
        /// Fraction of the load reached with an equilibrium.
        load_factor: f64,
    },
    /// Whoever watched asked to stop before the search had ended: nothing is known of what it would have found.
    Stopped {
        /// Fraction of the load reached with an equilibrium.
        load_factor: f64,
    },
}

impl Status {
    /// Fraction of the load that the last equilibrium carries.
    pub fn load_factor(self) -> f64 {
        match self {
            Self::Converged => 1.0,
            Self::Fold { load_factor, .. } | Self::NotConverged { load_factor } | Self::Stopped { load_factor } => {
                load_factor
            }
        }
    }

    /// The same of a search that was asked to stop: what it had not found by then it was not given the time to find.
    pub(crate) fn when_stopped(self) -> Self {
        match self {
            Self::NotConverged { load_factor } => Self::Stopped { load_factor },
            other => other,
        }
    }
}

/// What the tangent stiffness says of the equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// True if every small displacement costs energy (up to neutral turns); without a potential, if no motion diverges.
    pub stable: bool,
    /// Number of directions in which the potential falls, or of motions that diverge.
    pub negative_directions: usize,
    /// Smallest eigenvalue of the tangent relative to the elastic stiffness of the same motion; 1 without
    /// load, 0 at a fold. NaN if it was not asked for.
    pub smallest_eigenvalue: f64,
    /// True if follower loads or dead moments leave no potential: eigenvalues with a negative real part are then what
    /// is counted, and flutter is not examined.
    pub nonconservative: bool,
}

impl Stability {
    /// True if some motion costs nothing, to the accuracy with which stability is judged: the equilibrium is one of a family.
    pub fn is_neutral(&self) -> bool {
        self.stable && self.smallest_eigenvalue.abs() < NEUTRAL_SHIFT
    }
}

/// The answer of a static solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// Every Newton iteration, in order.
    pub history: Vec<Iteration>,
    /// How many of them, the last, showed that a sample of a path lies on the branch of its predecessor.
    pub checks: usize,
    /// Load steps taken (1 = the whole load at once).
    pub load_steps: usize,
    /// Scaled residual at the end.
    pub residual: f64,
    /// Stability of the last equilibrium; `None` if there is none.
    pub stability: Option<Stability>,
    /// Energies at the end.
    pub energy: Energy,
    /// What is wrong with the robot, if it did not converge and that is known.
    pub defect: Option<Defect>,
    /// What happened on the way: along the drives since the sample before, or along the load. Empty if the whole load was
    /// taken at once and no branch was left.
    pub events: Vec<Event>,
}

impl Outcome {
    /// Newton iterations that found it; those of the checks not counted.
    pub fn iterations(&self) -> usize {
        self.history.len() - self.checks.min(self.history.len())
    }

    /// Fraction of the load that the last equilibrium carries.
    pub fn load_factor(&self) -> f64 {
        self.status.load_factor()
    }

    /// True if the state is at rest under the part of the load that it carries, converged or not.
    pub fn at_rest(&self) -> bool {
        self.residual < AT_REST
    }

    /// True if an equilibrium was found.
    pub fn converged(&self) -> bool {
        self.status == Status::Converged
    }
}

/// An answer and the state it belongs to.
#[derive(Clone, Debug)]
pub struct Solution {
    /// How it went.
    pub outcome: Outcome,
    /// The equilibrium; if there is none, the last that was found on the way there.
    pub state: State,
    /// What acts on that state: of an unfinished answer, the part of the loads that it carries.
    pub inputs: Inputs,
    /// What friction of contacts took on the way from where the search began, J.
    pub friction: f64,
}
