//! Shapes in closed form: on each segment R(t) = R_j exp(x(t)~) with a polynomial x, positions by Gauss quadrature.
//!
//! Equations (4) and (5) of \[muller2025cfk\], for any degree and any number of segments, and with the length that
//! (3) and (5) leave out: r′ = L exp(x~) e₁. Here L = 1 and the base is the origin.

use crate::canonical::Canonical;
use crate::quadrature;
use nalgebra::{Matrix3, Vector3};

/// Highest power of t in x(t): five offered, two more for error estimates.
pub const MAX_POWER: usize = 7;

/// One polynomial stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// τ where it begins.
    pub from: f64,
    /// Its share of the length.
    pub span: f64,
    /// Rotation at its start, base frame.
    pub rotation: Matrix3<f64>,
    /// Position of its start, base frame, over L.
    pub position: Vector3<f64>,
    /// Coefficients of t, t², … in x(t), t ∈ [0, 1].
    pub powers: [Vector3<f64>; MAX_POWER],
    /// Quadrature points for positions; 0 chooses from the rotation.
    pub points: usize,
}

/// A curve of one or more segments.
#[derive(Clone, Debug, PartialEq)]
pub struct PolynomialCurve {
    segments: Vec<Segment>,
}

impl Segment {
    /// x(t).
    #[inline(always)]
    pub fn coordinates(&self, t: f64) -> Vector3<f64> {
        let mut x = Vector3::zeros();
        for c in self.powers.iter().rev() {
            x = (x + c) * t;
        }
        x
    }

    /// dx/dt.
    #[inline(always)]
    pub fn rate(&self, t: f64) -> Vector3<f64> {
        let mut y = Vector3::zeros();
        for (k, c) in self.powers.iter().enumerate().rev() {
            y = y * t + c * (k + 1) as f64;
        }
        y
    }

    /// Angle that the segment would turn at its fastest, rad.
    pub fn turning(&self) -> f64 {
        [0.0, 0.25, 0.5, 0.75, 1.0].into_iter().map(|t| self.rate(t).norm_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Position at t from the segment's start, in its frame, over L.
    pub fn displacement(&self, t: f64) -> Vector3<f64> {
        let points = if self.points > 0 { self.points } else { quadrature::points_for_rotation(self.turning()) };
        let (nodes, weights) = quadrature::rule(points);
        let mut sum = Vector3::zeros();
        for (node, weight) in nodes.iter().zip(weights) {
            sum += Canonical::at(self.coordinates(node * t)).tangent() * *weight;
        }
        sum * (self.span * t)
    }
}

impl PolynomialCurve {
    /// From segments whose start poses are overwritten so that the curve is continuous from the identity.
    pub fn chained(mut segments: Vec<Segment>) -> Self {
        let (mut rotation, mut position) = (Matrix3::identity(), Vector3::zeros());
        for segment in &mut segments {
            (segment.rotation, segment.position) = (rotation, position);
            position += rotation * segment.displacement(1.0);
            rotation *= Canonical::at(segment.coordinates(1.0)).matrix();
        }
        Self { segments }
    }

    /// The segments, in order.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    fn locate(&self, tau: f64) -> (&Segment, f64) {
        let index = self.segments.iter().rposition(|segment| segment.from <= tau).unwrap_or(0);
        let segment = &self.segments[index];
        (segment, ((tau - segment.from) / segment.span).clamp(0.0, 1.0))
    }

    /// Rotation and position (over L) at τ, base frame.
    pub fn pose(&self, tau: f64) -> (Matrix3<f64>, Vector3<f64>) {
        let (segment, t) = self.locate(tau);
        (
            segment.rotation * Canonical::at(segment.coordinates(t)).matrix(),
            segment.position + segment.rotation * segment.displacement(t),
        )
    }

    /// Curvature κ̂ = L κ at τ, section frame; equation (2) solved for κ.
    pub fn curvature(&self, tau: f64) -> Vector3<f64> {
        let (segment, t) = self.locate(tau);
        Canonical::at(segment.coordinates(t)).rate(&segment.rate(t)) / segment.span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twisted_segment() -> Segment {
        let mut powers = [Vector3::zeros(); MAX_POWER];
        powers[0] = Vector3::new(0.4, 1.1, -0.3);
        powers[1] = Vector3::new(-0.2, 0.5, 0.6);
        powers[2] = Vector3::new(0.3, -0.4, 0.2);
        Segment { from: 0.0, span: 1.0, rotation: Matrix3::identity(), position: Vector3::zeros(), powers, points: 0 }
    }

    #[test]
    fn curvature_and_tangent_are_the_derivatives_of_the_pose() {
        let curve = PolynomialCurve::chained(vec![twisted_segment()]);
        let h = 1e-4;
        for tau in [0.2, 0.5, 0.8] {
            let (r, _) = curve.pose(tau);
            let (ahead, behind) = (curve.pose(tau + h), curve.pose(tau - h));
            let tangent = (ahead.1 - behind.1) / (2.0 * h);
            assert!((tangent - r.column(0)).amax() < 1e-7, "r′ = R e₁ (times L)");
            let rate = r.transpose() * (ahead.0 - behind.0) / (2.0 * h);
            let numeric = Vector3::new(rate[(2, 1)], rate[(0, 2)], rate[(1, 0)]);
            assert!((numeric - curve.curvature(tau)).amax() < 1e-7);
        }
    }
}
