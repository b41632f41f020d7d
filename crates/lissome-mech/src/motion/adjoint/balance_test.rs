//! What the balance of a step is tested with: motions of everything at both ends of it.

use super::points::Passing;
use super::velocities::Massive;
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;

/// A test of the balance: motions at the end and at the start.
pub(super) struct BalanceTest {
    /// Over all groups.
    pub groups: [Vec<f64>; 2],
    pub slots: [Vec<Twist>; 2],
    pub massive: [Massive; 2],
}

impl BalanceTest {
    /// θ⁰ and θ¹ of the motions of all that has mass, both as they are at the end.
    pub fn impulses(&self, inertia: [f64; 2], all: &[Passing<'_>]) -> [Vec<DualVector>; 2] {
        let back = |(start, own): (&DualVector, &Passing<'_>)| {
            DualVector::from(own.relative().inverse().adjoint_twist(&start.twist())) * inertia[0]
        };
        let at_end = self.massive[0].all().map(|end| *end * inertia[1]);
        [self.massive[1].all().zip(all).map(back).collect(), at_end.collect()]
    }
}
