//! The integrators: each is a choice of numbers in the same balance of momentum.
//!
//! | scheme | order | stability | energy |
//! |---|---|---|---|
//! | robust (default) | 2 | any step | falls slowly, fast oscillations first: a mode loses in proportion to (hω)⁶ |
//! | conserving | 2 | any step where motion is resolved | kept to the tolerance of the iteration |
//! | symplectic | 2 | no bound in theory, fails by resonance when h ω_max is large | oscillates, does not drift |
//! | explicit | 2 | h < 2/ω_max, refused beyond | oscillates, does not drift |
//! | implicit Euler | 1 | any step | lost quickly |
//! | TR-BDF2 | 2 (1 with damping) | any step, strong damping included | lost where hω is not small |

use lissome_mech::impulse::{Impulse, StepRule};
use lissome_mech::motion::Recall;

/// A time integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// Energy–momentum with a third-difference filter of this strength; 0 is energy–momentum alone.
    Robust {
        /// δ = χ.
        filter: f64,
    },
    /// Energy–momentum, with a scalar correction of the stress that makes the energy exact.
    Conserving,
    /// Variational with averaged strain.
    Symplectic,
    /// The variational scheme of [xun2025, section 6], explicit in the potential.
    Explicit,
    /// Backward Euler on the group.
    ImplicitEuler,
    /// Trapezoidal rule, then backward differentiation.
    TrBdf2,
}

/// Default strength of the filter: the spectral radius at infinite frequency is 0.92.
pub const FILTER: f64 = 0.005;

impl Default for Scheme {
    fn default() -> Self {
        Self::Robust { filter: FILTER }
    }
}

/// γ of TR-BDF2: with 2 − √2 both stages have the same weight, and the method is L-stable.
pub const TR_FRACTION: f64 = 2.0 - std::f64::consts::SQRT_2;

impl Scheme {
    /// Order in time, for position and orientation.
    pub fn order(self) -> usize {
        match self {
            Self::ImplicitEuler => 1,
            _ => 2,
        }
    }

    /// Error of one step over h³x‴, for a scheme of second order.
    pub fn error_constant(self) -> f64 {
        match self {
            // (3γ² − 4γ + 2)/(12 (2 − γ)): of both stages together.
            Self::TrBdf2 => {
                let gamma = TR_FRACTION;
                (3.0 * gamma * gamma - 4.0 * gamma + 2.0) / (12.0 * (2.0 - gamma))
            }
            _ => 1.0 / 12.0,
        }
    }

    /// δ = χ.
    pub fn filter(self) -> f64 {
        match self {
            Self::Robust { filter } => filter,
            _ => 0.0,
        }
    }

    /// How a step uses the past.
    pub fn recall(self) -> Recall {
        let filter = self.filter();
        Recall {
            filter,
            reflects_velocity: matches!(self, Self::Robust { .. } | Self::Conserving | Self::TrBdf2),
            start_strain: match self {
                Self::Explicit => 1.0,
                Self::ImplicitEuler => 0.0,
                _ => 0.5 - 1.5 * filter,
            },
        }
    }

    /// Forces at the end of a step of length h come as a kick of this many seconds after it.
    pub fn kick(self, h: f64) -> f64 {
        match self {
            Self::Symplectic | Self::Explicit => 0.5 * h,
            _ => 0.0,
        }
    }

    /// The rule of a step of length h (the first stage of TR-BDF2).
    pub fn rule(self, h: f64) -> StepRule {
        let half = [0.5, 0.5];
        match self {
            Self::Robust { .. } | Self::Conserving | Self::TrBdf2 => {
                let weight = 0.5 + 1.5 * self.filter();
                StepRule {
                    step: h,
                    duration: h,
                    inertia: half,
                    force: [0.5 * h, 0.5 * h],
                    rate: 1.0 / (h * weight),
                    impulse: Impulse::Difference,
                    strain: weight,
                    correction: 0.0,
                }
            }
            Self::Symplectic | Self::Explicit => StepRule {
                step: h,
                duration: h,
                inertia: [1.0, 0.0],
                force: [0.5 * h, 0.0],
                rate: 1.0 / h,
                impulse: Impulse::Variational,
                strain: if self == Self::Explicit { 0.0 } else { 0.5 },
                correction: 0.0,
            },
            Self::ImplicitEuler => StepRule {
                step: h,
                duration: h,
                inertia: [0.0, 1.0],
                force: [0.0, h],
                rate: 1.0 / h,
                impulse: Impulse::Difference,
                strain: 1.0,
                correction: 0.0,
            },
        }
    }
}

/// Numbers of the second stage of TR-BDF2 for a whole step h: u¹ = k₁u^γ − k₀u⁰ + h b f¹.
#[derive(Clone, Copy, Debug)]
pub struct BackwardStage {
    /// k₁.
    pub near: f64,
    /// k₀.
    pub far: f64,
    /// b.
    pub weight: f64,
}

impl BackwardStage {
    /// For γ = [`TR_FRACTION`].
    pub fn new() -> Self {
        let gamma = TR_FRACTION;
        let bottom = gamma * (2.0 - gamma);
        Self { near: 1.0 / bottom, far: (1.0 - gamma).powi(2) / bottom, weight: (1.0 - gamma) / (2.0 - gamma) }
    }

    /// The rule of the stage; the motion is counted from the end of the first stage.
    pub fn rule(&self, h: f64) -> StepRule {
        let hb = h * self.weight;
        StepRule {
            step: h,
            duration: h * (1.0 - TR_FRACTION),
            inertia: [0.0, 1.0],
            force: [0.0, hb],
            rate: self.near / hb,
            impulse: Impulse::TwoPast { earlier_rate: -self.far / hb },
            strain: 1.0,
            correction: 0.0,
        }
    }
}

impl Default for BackwardStage {
    fn default() -> Self {
        Self::new()
    }
}

impl From<lissome_model::Scheme> for Scheme {
    fn from(asked: lissome_model::Scheme) -> Self {
        match asked {
            lissome_model::Scheme::Robust => Self::default(),
            lissome_model::Scheme::Conserving => Self::Conserving,
            lissome_model::Scheme::Symplectic => Self::Symplectic,
            lissome_model::Scheme::Explicit => Self::Explicit,
            lissome_model::Scheme::Euler => Self::ImplicitEuler,
            lissome_model::Scheme::TrBdf2 => Self::TrBdf2,
        }
    }
}
