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
use lissome_lie::{Pose, Twist, Wrench, skew};
use nalgebra::{Matrix6, Vector3};

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

/// How a motion y and what is known of velocities are read from the poses at both ends of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// y = log((g⁰)⁻¹ g¹): a screw. A rod has it, whose points turn little in a step.
    Screw,
    /// The turn, and apart from it the way of this point of the body, in axes of the end: what spins goes straight on, not along
    /// a screw that would have it turn its velocity with it.
    Apart(Vector3<f64>),
}

impl Way {
    /// The motion between two poses.
    #[inline(always)]
    fn motion(&self, relative: &Pose) -> DualVector {
        match self {
            Self::Screw => relative.log().into(),
            Self::Apart(centre) => {
                let gone = relative.rotation.inverse_rotate(&(relative.transform(centre) - centre));
                let turn = relative.rotation.log();
                Twist::new(turn, gone + centre.cross(&turn)).into()
            }
        }
    }

    /// A velocity in axes of the start as it is in those of the end.
    #[inline(always)]
    pub(crate) fn carried(&self, relative: &Pose, velocity: &DualVector) -> DualVector {
        match self {
            Self::Screw => *velocity,
            Self::Apart(centre) => {
                let Twist { angular, linear } = velocity.twist();
                let seen = relative.rotation.inverse_rotate(&(linear + angular.cross(centre)));
                Twist::new(angular, seen + centre.cross(&angular)).into()
            }
        }
    }

    /// The derivative of rate y and of a velocity that is carried along, by a motion of the end, where the motion is y.
    fn tangent(&self, [before, pose]: [&Pose; 2], y: DualVector, rate: f64, velocity: &DualVector) -> Matrix6<f64> {
        let Self::Apart(centre) = self else { return (InverseMap::at(y).plus() * rate).twist_map() };
        let relative = before.inverse() * *pose;
        let Twist { angular, linear } = velocity.twist();
        let moves = (relative.transform(centre) - centre) * rate + linear + angular.cross(centre);
        let turn = Twist::new(relative.rotation.log(), Vector3::zeros());
        let turns = InverseMap::at(turn.into()).plus().twist_map().fixed_view::<3, 3>(0, 0) * rate;
        let mut all = Matrix6::identity() * rate;
        // The centre moves by v + ω × c.
        let (c, seen) = (skew(centre), skew(&relative.rotation.inverse_rotate(&moves)));
        all.fixed_view_mut::<3, 3>(3, 0).copy_from(&(seen - c * rate + c * turns));
        all.fixed_view_mut::<3, 3>(0, 0).copy_from(&turns);
        all
    }
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

impl StepRule {
    /// Part of their size by which numbers of two rules with the same tangent may differ: lengths of steps that follow each other
    /// are rounded.
    const ROUNDED: f64 = 1e-9;

    /// True if a step by this rule has the tangent that one by another has at the same place, but for its correction.
    pub fn has_tangent_of(&self, other: &Self) -> bool {
        let numbers = |rule: &Self| {
            let [first, last] = rule.inertia;
            let [start, end] = rule.force;
            [rule.step, rule.duration, first, last, start, end, rule.rate, rule.strain]
        };
        let mut pairs = numbers(self).into_iter().zip(numbers(other));
        self.impulse == other.impulse && pairs.all(|(own, other)| (own - other).abs() <= Self::ROUNDED * own.abs())
    }
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
    pub fn pass(&mut self, rule: &StepRule, mass: &Matrix6<f64>, way: Way, relative: &Pose, pose: &Pose) {
        let way = if rule.impulse == Impulse::Variational { Way::Screw } else { way };
        let y = way.motion(relative);
        self.motion = y;
        self.whole_motion = y;
        let mut eta = y * rule.rate + way.carried(relative, &self.known_velocity);
        let mut past = coadjoint(relative, &self.start_momentum);
        match rule.impulse {
            Impulse::Difference => self.end_momentum = momentum(mass, &eta),
            Impulse::Variational => {
                self.end_momentum = InverseMap::at(y).plus().apply_transpose(&momentum(mass, &eta));
            }
            Impulse::TwoPast { earlier_rate } => {
                let (earlier, weighted) = &self.earlier;
                let relative = earlier.inverse() * *pose;
                self.whole_motion = way.motion(&relative);
                eta += self.whole_motion * earlier_rate;
                past += coadjoint(&relative, weighted);
                self.end_momentum = momentum(mass, &eta);
            }
        }
        self.end_velocity = eta;
        self.impulse = self.end_momentum - past;
    }

    /// Π, with the part of −Mx(Φ) that the weighted mean of both frames has.
    pub fn impulse_tangent(
        &self,
        rule: &StepRule,
        mass: &Matrix6<f64>,
        way: Way,
        [before, pose]: [&Pose; 2],
    ) -> Matrix6<f64> {
        let y = self.motion;
        let inverse = InverseMap::at(y);
        // ∂(Ad_yᵀπ) = Mx(Ad_yᵀπ).
        let past = self.end_momentum - self.impulse * (0.5 * rule.inertia[1]);
        match rule.impulse {
            Impulse::Difference => {
                mass * way.tangent([before, pose], y, rule.rate, &self.known_velocity) - past.skew().covector_map()
            }
            Impulse::Variational => {
                let nu = momentum(mass, &(y * rule.rate));
                let (_, n_minus) = inverse.derivatives(&nu);
                let change = n_minus.covector_map() + inverse.minus().twist_map().transpose() * mass * rule.rate;
                let forward = adjoint(&Pose::exp(&y.twist())).twist_map();
                forward.tr_mul(&(change * inverse.plus().twist_map()))
            }
            Impulse::TwoPast { earlier_rate } => {
                let known = DualVector::zero();
                let rate = way.tangent([before, pose], y, rule.rate, &self.known_velocity)
                    + way.tangent([&self.earlier.0, pose], self.whole_motion, earlier_rate, &known);
                mass * rate - past.skew().covector_map()
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

#[cfg(test)]
mod tests {
    use super::*;

    const CENTRE: Vector3<f64> = Vector3::new(0.3, -0.2, 0.5);

    #[test]
    fn straight_motions_have_their_tangent() {
        let start = Pose::exp(&Twist::new(Vector3::new(0.1, 0.2, 0.9), Vector3::new(-1.0, 0.2, 0.3)));
        let relative = Pose::exp(&Twist::new(Vector3::new(0.4, -0.7, 0.2), Vector3::new(0.1, 0.5, -0.3)));
        let known: DualVector = Twist::new(Vector3::new(0.2, 0.6, -0.1), Vector3::new(1.0, -2.0, 0.4)).into();
        for way in [Way::Apart(CENTRE), Way::Apart(Vector3::zeros())] {
            let tangent = way.tangent([&start, &(start * relative)], way.motion(&relative), 3.0, &known);
            for k in 0..6 {
                let h = 1e-6;
                let moved = |by: f64| {
                    let mut x = nalgebra::Vector6::zeros();
                    x[k] = by;
                    let end = relative.boxplus(&Twist::from_vector(&x));
                    (way.motion(&end) * 3.0 + way.carried(&end, &known)).twist().to_vector()
                };
                let difference = (moved(h) - moved(-h)) / (2.0 * h);
                assert!((difference - tangent.column(k)).norm() < 1e-8, "{k}: {difference} and {}", tangent.column(k));
            }
        }
    }

    /// A body that spins about its centre and flies straight on: the mean of its velocities at both ends is the way over the time.
    #[test]
    fn what_spins_flies_straight_on() {
        let h = 0.1;
        let (spin, flight) = (Vector3::new(1.0, 7.0, 2.0), Vector3::new(3.0, -1.0, 0.5));
        let turned = lissome_lie::Rotation::exp(&(spin * h));
        let relative = Pose::new(turned, flight * h + CENTRE - turned.rotate(&CENTRE));
        // Velocities of the centre at both ends, each in its own axes, then of the origin of the frame.
        let seen = |linear: Vector3<f64>| DualVector::from(Twist::new(spin, linear + CENTRE.cross(&spin)));
        let [first, last] = [seen(flight), seen(turned.inverse_rotate(&flight))];
        let way = Way::Apart(CENTRE);
        for weight in [0.5, 0.6, 1.0] {
            let rate = 1.0 / (h * weight);
            let found = way.motion(&relative) * rate + way.carried(&relative, &(first * (1.0 - rate * h)));
            assert!((found - last).twist().to_vector().norm() < 1e-13);
        }
    }
}
