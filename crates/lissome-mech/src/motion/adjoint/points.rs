//! What has mass over a step: functionals of its impulse and of its momentum at the end, as ones of the poses, velocities and memory at
//! the start.
//!
//! ```text
//! s(g⁰, g¹) = ζ̄·Φ + ζ·p + …             depends on r = (g⁰)⁻¹ g¹ alone, velocities as they are
//! e = ∂s/∂ζ¹,   ∂s/∂ζ⁰ = −Ad_{r⁻¹}ᵀ e
//! ```

use super::shift::{PLACES, WAY, ad_transpose};
use crate::impulse::{Impulse, PointStep, StepRule, Way, coadjoint, momentum};
use lissome_lie::dual::{DualVector, InverseMap};
use lissome_lie::{Pose, Twist, Wrench};
use nalgebra::{Matrix6, Vector6};

/// One point or body over a step.
pub(super) struct Passing<'a> {
    pub rule: &'a StepRule,
    pub mass: &'a Matrix6<f64>,
    pub way: Way,
    pub before: &'a Pose,
    pub after: &'a Pose,
    /// As the step found it, momenta and impulse those of the balance.
    pub point: PointStep,
    /// A length that shifts are small beside, m.
    pub length: f64,
}

/// Functionals of a point.
pub(super) struct OnPoint {
    /// ζ̄, of Φ.
    pub impulse: DualVector,
    /// ζ, of p.
    pub momentum: DualVector,
    /// Of the change of its velocity, and of the change before, which is this by now.
    pub change: [DualVector; 2],
    pub earlier: DualVector,
}

/// What they are of.
pub(super) struct OnPast {
    /// e of the impulse, and of all else.
    pub moved: [DualVector; 2],
    /// Of the known part of the velocity.
    pub known: DualVector,
    /// Of the velocity at the start, what is known aside.
    pub velocity: DualVector,
    /// Of the change before.
    pub earlier: DualVector,
}

impl Passing<'_> {
    pub fn relative(&self) -> Pose {
        self.before.inverse() * *self.after
    }

    /// The point with momenta and impulse of the balance, not of the velocities that were found.
    pub fn passed(mut self) -> Self {
        let relative = self.relative();
        self.point.pass(self.rule, self.mass, self.way, &relative, self.after);
        self
    }

    pub fn pull(&self, on: &OnPoint) -> OnPast {
        let relative = self.relative();
        let start = self.carried_momentum(&on.impulse, &relative);
        let [first, last] = on.change;
        if self.way == Way::Screw && self.rule.impulse == Impulse::Difference {
            let inverse = InverseMap::at(self.point.motion).plus();
            let of_rate = |test: &DualVector| inverse.apply_transpose(&(momentum(self.mass, test) * self.rule.rate));
            let past = coadjoint(&relative, &self.point.start_momentum);
            let moved = [of_rate(&on.impulse) + ad_transpose(&on.impulse.twist(), &past), of_rate(&on.momentum)];
            let known = momentum(self.mass, &(on.impulse + on.momentum));
            return OnPast { moved, known, velocity: start - first, earlier: last };
        }
        let known = match self.rule.impulse {
            Impulse::Variational => DualVector::zero(),
            _ => self.carry_transposed(&relative, &momentum(self.mass, &(on.impulse + on.momentum))),
        };
        OnPast {
            moved: self.differences(on),
            known,
            velocity: start - self.carry_transposed(&relative, &first),
            earlier: self.carry_transposed(&relative, &last),
        }
    }

    /// What the momentum at the start has in ζ̄·Φ.
    fn carried_momentum(&self, test: &DualVector, relative: &Pose) -> DualVector {
        -momentum(self.mass, &relative.adjoint_twist(&test.twist()).into())
    }

    fn carry_transposed(&self, relative: &Pose, covector: &DualVector) -> DualVector {
        let sum = Vector6::from_fn(|i, _| {
            let unit = Twist::from_vector(&Vector6::ith(i, 1.0));
            dot(covector, &self.way.carried(relative, &unit.into()))
        });
        Wrench::from_vector(&sum).into()
    }

    /// e by differences: bodies whose way is none of a screw, and momenta of the variational scheme.
    fn differences(&self, on: &OnPoint) -> [DualVector; 2] {
        let relative = self.relative();
        let mut moved = [Vector6::zeros(); 2];
        for i in 0..6 {
            let way = if i < 3 { WAY } else { WAY * self.length };
            for (at, weight) in PLACES {
                let other = relative.boxplus(&Twist::from_vector(&Vector6::ith(i, at * way)));
                let mut point = self.point;
                point.pass(self.rule, self.mass, self.way, &other, &(*self.before * other));
                let [change, earlier] = [&point.start_velocity, &on.earlier].map(|v| self.way.carried(&other, v));
                moved[0][i] += dot(&point.impulse, &on.impulse) * weight / way;
                let rest = dot(&point.end_momentum, &on.momentum) - dot(&on.change[0], &change);
                moved[1][i] += (rest + dot(&on.change[1], &earlier)) * weight / way;
            }
        }
        moved.map(|e| Wrench::from_vector(&e).into())
    }
}

/// A covector on a motion.
pub(super) fn dot(covector: &DualVector, motion: &DualVector) -> f64 {
    covector.wrench().to_vector().dot(&motion.twist().to_vector())
}
