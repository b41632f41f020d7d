//! Numbers that make an objective least within limits and under constraints: sequential quadratic programming.
//!
//! ```text
//! min f(x)   l ≤ x ≤ u,   c(x) ≤ 0  (or = 0)
//!
//! each round   min  g·d + ½ d·B d + ν Σ t     J d + c ≤ t,  t ≥ 0,  l ≤ x + d ≤ u,  |d| ≤ Δ        (quadratic.rs)
//!              accept x + d if f + ν Σ max(c, 0) falls as the model says, else a smaller Δ          (search.rs)
//! ```
//!
//! Variables, objective and constraints come scaled: one is a large change of each. The slacks t make every problem solvable; the penalty ν
//! grows until they vanish where they can. B is that of a sum of squares (Gauss and Newton) or Powell's damped update. A point at which the
//! design does not exist, as an equilibrium that is lost, is answered with a smaller Δ. See `docs/theory/optimise.md`.

mod quadratic;
mod search;

pub use search::search;

use nalgebra::{DMatrix, DVector};

/// Something that can be optimised.
pub trait Design {
    /// Looks at a place near the present one.
    fn probe(&mut self, x: &DVector<f64>) -> Result<Values, Obstacle>;
    /// The place that was looked at last becomes the present one.
    fn accept(&mut self);
    /// Derivatives at the present place.
    fn slopes(&mut self) -> Result<Slopes, Obstacle>;
    /// True once whoever watches has asked to stop.
    fn stopped(&self) -> bool;
    /// Hears of every round.
    fn see(&mut self, round: &Round);
}

/// Objective and constraints at a place, scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// What is made least.
    pub objective: f64,
    /// At most zero, or zero where it is to be equal.
    pub constraints: Vec<f64>,
}

/// Their derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Slopes {
    /// Of the objective.
    pub objective: DVector<f64>,
    /// Of the constraints, a row each.
    pub constraints: DMatrix<f64>,
    /// 2 Σ w ∇r ∇rᵀ where the objective is a sum of squares Σ w r².
    pub squares: Option<DMatrix<f64>>,
}

/// What stands in the way of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// No equilibrium was found beside the last.
    NoEquilibrium,
    /// It is not stable.
    Unstable,
    /// The numbers make no scene.
    Refused(String),
    /// A formula has no value there.
    Undefined(String),
    /// There is no derivative.
    NoDerivative(String),
    /// Whoever watches asked to stop.
    Stopped,
}

impl Obstacle {
    /// In words: what was in the way.
    pub fn words(&self) -> String {
        match self {
            Self::NoEquilibrium => "the equilibrium ends on the way: a fold, or none is found near the last".into(),
            Self::Unstable => "the equilibrium loses its stability on the way".into(),
            Self::Refused(reason) => format!("the scene is refused on the way: {reason}"),
            Self::Undefined(reason) => format!("on the way {reason}"),
            Self::Stopped => "it was stopped".into(),
            Self::NoDerivative(reason) => format!("a derivative does not exist on the way: {reason}"),
        }
    }
}

/// The limits of a search.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Least values of the variables; may be infinite.
    pub lower: DVector<f64>,
    /// Greatest values.
    pub upper: DVector<f64>,
    /// Of each constraint: is it an equality?
    pub equal: Vec<bool>,
    /// Rounds at most.
    pub rounds: usize,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptimumEnd {
    /// No neighbour is better: the conditions of a minimum hold to the tolerance.
    Converged,
    /// The constraints cannot all hold near here: their violation is least.
    Infeasible,
    /// Something stands in the way of every step.
    Blocked,
    /// No step is better, but the conditions of a minimum do not hold to the tolerance.
    Stalled,
    /// The rounds were used up.
    Unfinished,
    /// Whoever watched stopped it.
    Stopped,
}

impl OptimumEnd {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Converged, Self::Infeasible, Self::Blocked, Self::Stalled, Self::Unfinished, Self::Stopped];

    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Infeasible => "infeasible",
            Self::Blocked => "blocked",
            Self::Stalled => "stalled",
            Self::Unfinished => "unfinished",
            Self::Stopped => "stopped",
        }
    }
}

/// One place that a search came to, scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// The place.
    pub x: DVector<f64>,
    /// Objective and constraints.
    pub values: Values,
    /// Largest violation of a constraint.
    pub violation: f64,
    /// Largest part of the conditions of a minimum that does not hold.
    pub kkt: f64,
    /// Steps that were tried from the place before.
    pub tries: usize,
}

/// What a search found, scaled.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// How it ended.
    pub end: OptimumEnd,
    /// The last place.
    pub last: Round,
    /// What each constraint costs: minus the derivative of the least objective by its limit.
    pub multipliers: Vec<f64>,
    /// What the limits of each variable cost: positive at the lower one.
    pub limit_multipliers: Vec<f64>,
    /// What stood in the way last.
    pub obstacle: Option<Obstacle>,
    /// Rounds that it took.
    pub rounds: usize,
}

/// Conditions of a minimum hold where they are violated by less, scaled.
pub const KKT_TOLERANCE: f64 = 1e-6;
/// Constraints hold where they are violated by less, of what is large for them.
pub const CONSTRAINT_TOLERANCE: f64 = 1e-7;
