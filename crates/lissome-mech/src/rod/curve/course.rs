//! Where a curve runs: position, tangent and how that turns, without Jacobians, for searches along it.
//!
//! With w_i = Ad(exp(−b_iΨ_i)) ξ_{i−1}, the strain ξ_i = w_i + b_i′Ψ_i changes along the curve by
//! ξ_i′ = Ad(exp(−b_iΨ_i)) ξ_{i−1}′ + b_i′ w_i × Ψ_i + b_i″Ψ_i, and p″ = R (ω × v + v′).

use super::{Curve, by_degree};
use lissome_lie::Pose;
use lissome_lie::dual::{DualVector, ExpMap};
use lissome_lie::knots::{CumulativeBasis, MAX_DEGREE};
use nalgebra::Vector3;

/// A place of a curve.
#[derive(Clone, Copy, Debug)]
pub struct CoursePoint {
    /// p, m.
    pub position: Vector3<f64>,
    /// p′.
    pub first: Vector3<f64>,
    /// p″, 1/m.
    pub second: Vector3<f64>,
}

/// A curve through its control poses, looked at here and there; what a span needs is kept until another one is looked at.
pub struct Course<'a> {
    curve: &'a Curve,
    poses: &'a [Pose],
    span: Option<usize>,
    psi: [DualVector; MAX_DEGREE],
}

impl<'a> Course<'a> {
    /// Nothing is looked at yet.
    pub fn new(curve: &'a Curve, poses: &'a [Pose]) -> Self {
        Self { curve, poses, span: None, psi: [DualVector::zero(); MAX_DEGREE] }
    }

    /// The place at arc length s.
    pub fn at(&mut self, s: f64) -> CoursePoint {
        let knots = self.curve.knot_vector();
        let span = knots.find_span(s);
        let degree = self.curve.degree();
        if self.span != Some(span) {
            self.span = Some(span);
            for (psi, pair) in self.psi.iter_mut().zip(self.poses[span - degree..=span].windows(2)) {
                *psi = pair[1].boxminus(&pair[0]).into();
            }
        }
        let basis = knots.cumulative(span, s);
        by_degree!(degree, point(&basis) on self)
    }

    fn point<const P: usize>(&self, basis: &CumulativeBasis) -> CoursePoint {
        let psi: &[DualVector; P] = self.psi.first_chunk().expect("the degree is within its bound");
        let mut pose = self.poses[basis.first] * Pose::exp(&(psi[0] * basis.value[0]).twist());
        let mut strain = psi[0] * basis.slope[0];
        let mut change = psi[0] * basis.curvature[0];
        for i in 1..P {
            let part = psi[i] * basis.value[i];
            pose = pose * Pose::exp(&part.twist());
            let map = ExpMap::at(part);
            let carried = map.transport(&strain);
            change = map.transport(&change) + carried.cross(&psi[i]) * basis.slope[i] + psi[i] * basis.curvature[i];
            strain = carried + psi[i] * basis.slope[i];
        }
        CoursePoint {
            position: pose.position,
            first: pose.rotation.rotate(&strain.du),
            second: pose.rotation.rotate(&(strain.re.cross(&strain.du) + change.du)),
        }
    }
}
