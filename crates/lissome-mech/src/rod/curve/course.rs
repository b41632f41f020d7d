//! Where a curve runs: position, tangent and how that turns, without Jacobians, for searches along it.

use super::{Curve, kernel};
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;
use lissome_lie::knots::MAX_DEGREE;
use nalgebra::Vector3;

use super::by_degree;
use super::kernel::PointBasis;

/// Part of a span over which the change of the strain is taken as a difference.
const DIFFERENCE: f64 = 1e-4;

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

/// The increments of one span.
struct SpanIncrements {
    psi: [DualVector; MAX_DEGREE],
    degree: usize,
}

impl SpanIncrements {
    fn relative<const P: usize>(&self, basis: &PointBasis) -> Pose {
        kernel::relative_pose(self.psi.first_chunk::<P>().expect("the degree is within its bound"), basis)
    }

    fn strain<const P: usize>(&self, basis: &PointBasis) -> DualVector {
        kernel::strain(self.psi.first_chunk::<P>().expect("the degree is within its bound"), basis)
    }
}

impl Curve {
    /// The place at arc length s of the curve through these control poses.
    pub fn course_at(&self, s: f64, poses: &[Pose]) -> CoursePoint {
        let knots = self.knot_vector();
        let span = knots.find_span(s);
        let (from, to) = (knots.knots()[span], knots.knots()[span + 1]);
        let first = span - self.degree();
        let mut own = SpanIncrements { psi: [DualVector::zero(); MAX_DEGREE], degree: self.degree() };
        for (psi, pair) in own.psi.iter_mut().zip(poses[first..=span].windows(2)) {
            *psi = pair[1].boxminus(&pair[0]).into();
        }
        let way = DIFFERENCE * (to - from);
        let [before, after] = [(s - way).max(from), (s + way).min(to)];
        let strain = |s: f64| -> DualVector {
            let basis = self.basis_at(span, s);
            by_degree!(own.degree, strain(&basis) on own)
        };
        let basis = self.basis_at(span, s);
        let relative = by_degree!(own.degree, relative(&basis) on own);
        let (pose, here) = (poses[first] * relative, strain(s));
        let change = (strain(after).du - strain(before).du) / (after - before);
        CoursePoint {
            position: pose.position,
            first: pose.rotation.rotate(&here.du),
            second: pose.rotation.rotate(&(here.re.cross(&here.du) + change)),
        }
    }
}
