//! Momentum of one point over a time step: a quadrature point of a rod, or a rigid body.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | y | motion over the step, log((g⁰)⁻¹ g¹) | `motion` | rad, m | body |
//! | η⁰, η¹ | velocity at both ends of the step | `start_velocity`, `end_velocity` | rad/s, m/s | body |
//! | π | momentum at the start | `start_momentum` | N·m·s, N·s | body at the start |
//! | Φ | impulse: momentum at the end less the past one | `impulse` | N·m·s, N·s | body at the end |
//! | Π | ∂Φ/∂ζ¹ | [`PointStep::impulse_tangent`] | | body at the end |

use lissome_lie::dual::{DualMatrix, DualVector, InverseMap};
use lissome_lie::{Pose, Wrench, skew};
use nalgebra::Matrix6;

/// How the momentum at the end of a step follows from the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impulse {
    /// Φ = Mη¹ − Ad_yᵀπ, η¹ = rate y + known.
    Difference,
    /// Φ = dexp_y⁻ᵀ M y/h − Ad_yᵀπ: the derivative of the discrete Lagrangian [xun2025, eq. (54), corrected].
    Variational,
    /// As `Difference` with a second, earlier configuration: backward differentiation.
    TwoPast {
        /// ∂η¹/∂y of the earlier configuration.
        earlier_rate: f64,
    },
}

/// The numbers that make a scheme; see `rod/motion`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRule {
    /// Length of the step h, s.
    pub step: f64,
    /// Time between the two configurations of the stage, s: h, or the part of it that a stage of several covers.
    pub duration: f64,
    /// θ⁰, θ¹: weights of the two frames for impulses.
    pub inertia: [f64; 2],
    /// hφ⁰, hφ¹: the same for forces.
    pub force: [f64; 2],
    /// ∂η¹/∂y, 1/s.
    pub rate: f64,
    /// Kind of impulse.
    pub impulse: Impulse,
    /// Weight of b¹ in the strain that makes β̄, without damping.
    pub strain: f64,
    /// μ: adds μ(b¹ − b⁰) to that strain.
    pub correction: f64,
}

/// One point over one step. Momenta include the quadrature weight.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointStep {
    /// η⁰.
    pub start_velocity: DualVector,
    /// π.
    pub start_momentum: DualVector,
    /// Load at the start.
    pub start_load: DualVector,
    /// Known part of η¹.
    pub known_velocity: DualVector,
    /// Pose at an earlier time and what its momentum contributes to π, for [`Impulse::TwoPast`].
    pub earlier: (Pose, DualVector),
    /// y.
    pub motion: DualVector,
    /// The motion of the whole step so far: y, or from the earlier pose for [`Impulse::TwoPast`].
    pub whole_motion: DualVector,
    /// η¹.
    pub end_velocity: DualVector,
    /// Momentum at the end.
    pub end_momentum: DualVector,
    /// Φ.
    pub impulse: DualVector,
}

impl PointStep {
    /// Velocity and momentum at the start.
    #[inline(always)]
    pub fn start(&mut self, mass: &Matrix6<f64>, velocity: DualVector) {
        self.start_velocity = velocity;
        self.start_momentum = momentum(mass, &velocity);
    }

    /// Velocity and momentum at the end, once they are known.
    #[inline(always)]
    pub fn end(&mut self, mass: &Matrix6<f64>, velocity: DualVector) {
        self.end_velocity = velocity;
        self.end_momentum = momentum(mass, &velocity);
    }

    /// The end of this step becomes the start of the next.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.start_velocity = self.end_velocity;
        self.start_momentum = self.end_momentum;
    }

    /// y, η¹, the momentum at the end and Φ, for the pose at the end and its value relative to the start.
    #[inline(always)]
    pub fn pass(&mut self, rule: &StepRule, mass: &Matrix6<f64>, relative: &Pose, pose: &Pose) {
        let y: DualVector = relative.log().into();
        self.motion = y;
        self.whole_motion = y;
        let mut eta = y * rule.rate + self.known_velocity;
        let mut past = coadjoint(relative, &self.start_momentum);
        match rule.impulse {
            Impulse::Difference => self.end_momentum = momentum(mass, &eta),
            Impulse::Variational => {
                self.end_momentum = InverseMap::at(y).plus().apply_transpose(&momentum(mass, &eta));
            }
            Impulse::TwoPast { earlier_rate } => {
                let (earlier, weighted) = &self.earlier;
                let relative = earlier.inverse() * *pose;
                self.whole_motion = relative.log().into();
                eta += self.whole_motion * earlier_rate;
                past += coadjoint(&relative, weighted);
                self.end_momentum = momentum(mass, &eta);
            }
        }
        self.end_velocity = eta;
        self.impulse = self.end_momentum - past;
    }

    /// Π, with the part of −Mx(Φ) that the weighted mean of both frames has.
    pub fn impulse_tangent(&self, rule: &StepRule, mass: &Matrix6<f64>, pose: &Pose) -> Matrix6<f64> {
        let y = self.motion;
        let inverse = InverseMap::at(y);
        // ∂(Ad_yᵀπ) = Mx(Ad_yᵀπ).
        let past = self.end_momentum - self.impulse * (0.5 * rule.inertia[1]);
        match rule.impulse {
            Impulse::Difference => mass * (inverse.plus() * rule.rate).twist_map() - past.skew().covector_map(),
            Impulse::Variational => {
                let nu = momentum(mass, &(y * rule.rate));
                let (_, n_minus) = inverse.derivatives(&nu);
                let change = n_minus.covector_map() + inverse.minus().twist_map().transpose() * mass * rule.rate;
                let forward = adjoint(&Pose::exp(&y.twist())).twist_map();
                forward.tr_mul(&(change * inverse.plus().twist_map()))
            }
            Impulse::TwoPast { earlier_rate } => {
                let y0 = DualVector::from((self.earlier.0.inverse() * *pose).log());
                let rate = inverse.plus() * rule.rate + InverseMap::at(y0).plus() * earlier_rate;
                mass * rate.twist_map() - past.skew().covector_map()
            }
        }
    }
}

/// Ad of a pose as a dual matrix.
#[inline(always)]
pub fn adjoint(g: &Pose) -> DualMatrix {
    let r = g.rotation.matrix();
    DualMatrix { re: r, du: skew(&g.position) * r }
}

/// Ad_gᵀ of a covector.
#[inline(always)]
pub fn coadjoint(g: &Pose, mu: &DualVector) -> DualVector {
    g.coadjoint_wrench(&mu.wrench()).into()
}

/// M η as a covector.
#[inline(always)]
pub fn momentum(mass: &Matrix6<f64>, eta: &DualVector) -> DualVector {
    Wrench::from_vector(&(mass * eta.twist().to_vector())).into()
}
