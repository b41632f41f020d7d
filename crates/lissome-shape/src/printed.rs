//! The method of \[muller2025cfk\], section V, corrected: cubic interpolation on SO(3), boundary curvatures of least
//! weighted change, Newton on the tip position with the closed-form Jacobian.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | x̄ | total rotation, exp(x̄~) = R₀₁; unwrapped beyond 180° | `total` | rad |
//! | κ₀, κ₁ | boundary curvatures times L, the six unknowns k | `k0`, `k1` | rad |
//! | g | tip position minus where it must be, equation (7) | `gap` | L |
//! | J₀, J₁ | ∂g/∂κ₀, ∂g/∂κ₁ | `j0`, `j1` | L/rad |
//! | C₀, C₁ | K⁻¹ at the two ends | `c0`, `c1` | L/B |
//!
//! Where it differs from the print: positions carry the length; the increment (not the iterate) is −J⁺g; the loop
//! runs while the constraint is violated; the quadrature order follows the rotation; a start that makes J regular is
//! used for parallel and purely twisted ends; a pre-curved rod starts from its own curvature.

use crate::canonical::{Canonical, dexp_inverse};
use crate::elastic::ElasticRod;
use crate::options::Quadrature;
use crate::polynomial::{MAX_POWER, PolynomialCurve, Segment};
use crate::quadrature;
use nalgebra::{Matrix3, Vector3};

/// Where the iteration stops, as a fraction of the length. The paper's ε₂ = 1e-5 leaves the tip up to 6 µm off; one
/// more iteration, which its own figure 3 shows, leaves nothing.
pub const POSITION_TOLERANCE: f64 = 1e-11;
/// Newton iterations allowed; the reference poses take 4 or 5.
pub const MAX_ITERATIONS: usize = 20;
/// A tip still this far off (over the length) after this many iterations is not on its way.
const HOPELESS: f64 = 0.1;
const PATIENCE: usize = 8;
/// Longest change of a boundary curvature in one iteration, rad: half a turn.
const MAX_CHANGE: f64 = std::f64::consts::PI;

/// What the printed method returns.
#[derive(Clone, Debug)]
pub struct Printed {
    /// The cubic.
    pub curve: PolynomialCurve,
    /// ‖g‖ over the length, at the start and after every iteration.
    pub history: History,
    /// True if the last of them is below the tolerance.
    pub converged: bool,
}

/// A short list of residuals kept without allocation.
#[derive(Clone, Copy, Debug)]
pub struct History {
    values: [f64; MAX_ITERATIONS + 1],
    len: usize,
}

impl History {
    fn new() -> Self {
        Self { values: [0.0; MAX_ITERATIONS + 1], len: 0 }
    }

    fn push(&mut self, value: f64) {
        self.values[self.len] = value;
        self.len += 1;
    }

    /// Residuals in order; one more than there were iterations.
    pub fn as_slice(&self) -> &[f64] {
        &self.values[..self.len]
    }
}

/// Solves for the boundary curvatures. `total` is x̄, `position` is r₀₁/L.
pub fn solve(rod: &ElasticRod, total: &Vector3<f64>, position: &Vector3<f64>, quadrature: Quadrature) -> Printed {
    let ((bending0, natural0), (bending1, natural1)) = (rod.bending_at(0.0), rod.bending_at(1.0));
    let (c0, c1) = (bending0.compliance, bending1.compliance);
    let to_rate = dexp_inverse(total);
    let buckling = regular_start(rod, total, position);
    let (mut k0, mut k1) = (natural0 + buckling, natural1 + buckling);
    let mut history = History::new();
    loop {
        let (gap, j0, j1) = constraint(total, &to_rate, &k0, &k1, position, quadrature);
        let norm = gap.norm();
        history.push(norm);
        let converged = norm <= POSITION_TOLERANCE;
        let hopeless = history.len > PATIENCE && norm > HOPELESS;
        if converged || hopeless || history.len > MAX_ITERATIONS || !norm.is_finite() {
            return Printed { curve: curve(total, &to_rate, &k0, &k1, quadrature), history, converged };
        }
        // J⁺_K g = K⁻¹Jᵀ (J K⁻¹ Jᵀ)⁻¹ g.
        let (cj0, cj1) = (c0 * j0.transpose(), c1 * j1.transpose());
        let gram = j0 * cj0 + j1 * cj1;
        let Some(inverse) = gram.try_inverse() else {
            return Printed { curve: curve(total, &to_rate, &k0, &k1, quadrature), history, converged: false };
        };
        let multiplier = inverse * gap;
        let (d0, d1) = (cj0 * multiplier, cj1 * multiplier);
        let longest = d0.norm().max(d1.norm());
        let fraction = if longest > MAX_CHANGE { MAX_CHANGE / longest } else { 1.0 };
        k0 -= d0 * fraction;
        k1 -= d1 * fraction;
    }
}

/// k = 0 makes J lose rank when x̄ is zero or along e₁ (the straight, possibly twisted rod): start from an arch instead,
/// κ₀ = κ₁ = 4π √(1 − |r|/L), the amplitude of a buckled clamped rod, about the softer axis (z when there is none).
fn regular_start(rod: &ElasticRod, total: &Vector3<f64>, position: &Vector3<f64>) -> Vector3<f64> {
    /// Below this total bending angle (rad) the straight start is taken for singular.
    const NEARLY_STRAIGHT: f64 = 0.05;
    if total.y.hypot(total.z) > NEARLY_STRAIGHT || !rod.is_naturally_straight() {
        return Vector3::zeros();
    }
    let amplitude = 4.0 * std::f64::consts::PI * (1.0 - position.norm()).max(0.0).sqrt();
    rod.softer_axis() * amplitude
}

/// x(t) = (3t² − 2t³) x̄ + t(t−1)² κ₀ + (t³ − t²) dexp_x̄⁻¹ κ₁, equation (4); returns g, ∂g/∂κ₀, ∂g/∂κ₁.
fn constraint(
    total: &Vector3<f64>,
    to_rate: &Matrix3<f64>,
    k0: &Vector3<f64>,
    k1: &Vector3<f64>,
    position: &Vector3<f64>,
    quadrature: Quadrature,
) -> (Vector3<f64>, Matrix3<f64>, Matrix3<f64>) {
    let y1 = to_rate * k1;
    // x′ at the ends and in the middle, the extremes of a cubic's rate.
    let turning = k0.norm().max(y1.norm()).max((total * 1.5 - (k0 + y1) * 0.25).norm());
    let points = if quadrature == Quadrature::Printed { 3 } else { quadrature::points_for_rotation(turning) };
    let (nodes, weights) = quadrature::rule(points);
    let (mut gap, mut j0, mut j1) = (-position, Matrix3::zeros(), Matrix3::zeros());
    for (&t, &w) in nodes.iter().zip(weights) {
        let (a, b, c) = (t * t * (3.0 - 2.0 * t), t * (t - 1.0) * (t - 1.0), t * t * (t - 1.0));
        let here = Canonical::at(total * a + k0 * b + y1 * c);
        let slope = here.tangent_slope();
        gap += here.tangent() * w;
        j0 += slope * (w * b);
        j1 += slope * (w * c);
    }
    (gap, j0, j1 * to_rate)
}

fn curve(
    total: &Vector3<f64>,
    to_rate: &Matrix3<f64>,
    k0: &Vector3<f64>,
    k1: &Vector3<f64>,
    quadrature: Quadrature,
) -> PolynomialCurve {
    let y1 = to_rate * k1;
    let mut powers = [Vector3::zeros(); MAX_POWER];
    powers[0] = *k0;
    powers[1] = total * 3.0 - k0 * 2.0 - y1;
    powers[2] = k0 + y1 - total * 2.0;
    let points = if quadrature == Quadrature::Printed { 3 } else { 0 };
    let (rotation, position) = (Matrix3::identity(), Vector3::zeros());
    let start = Segment { from: 0.0, span: 1.0, rotation, position, powers, points };
    PolynomialCurve::chained(vec![start])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lissome_model::Material;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
        [-size..size, -size..size, -size..size].prop_map(Vector3::from)
    }

    proptest! {
        #[test]
        fn jacobian_matches_differences(x in vector(1.7), k0 in vector(3.0), k1 in vector(3.0), d in vector(1.0)) {
            let to_rate = dexp_inverse(&x);
            let gap = |h: f64, on0: f64| {
                constraint(&x, &to_rate, &(k0 + d * (h * on0)), &(k1 + d * (h * (1.0 - on0))), &Vector3::zeros(), Quadrature::FromRotation).0
            };
            let (_, j0, j1) = constraint(&x, &to_rate, &k0, &k1, &Vector3::zeros(), Quadrature::FromRotation);
            let h = 1e-4;
            for (on0, j) in [(1.0, j0), (0.0, j1)] {
                let numeric = (gap(h, on0) - gap(-h, on0)) / (2.0 * h);
                prop_assert!((numeric - j * d).amax() < 2e-7);
            }
        }
    }

    #[test]
    fn boundary_curvatures_are_the_unknowns() {
        let rod = ElasticRod::round(0.6, 1e-3, Material::from_moduli(35e9, 3e9)).unwrap();
        let total = Vector3::new(0.77, 1.33, 0.31);
        let found = solve(&rod, &total, &(Vector3::new(0.46, 0.187, -0.252) / 0.6), Quadrature::FromRotation);
        assert!(found.converged);
        let end = found.curve.segments()[0].coordinates(1.0);
        assert!((end - total).amax() < 1e-14);
    }

    #[test]
    fn parallel_and_twisted_ends_converge() {
        let rod = ElasticRod::round(0.6, 1e-3, Material::from_moduli(35e9, 3e9)).unwrap();
        for (twist, distance) in [(0.0, 0.95), (0.0, 0.7), (0.0, 0.4), (1.0, 0.8), (2.5, 0.6)] {
            let found = solve(
                &rod,
                &Vector3::new(twist, 0.0, 0.0),
                &Vector3::new(distance, 0.0, 0.0),
                Quadrature::FromRotation,
            );
            assert!(found.converged, "twist {twist}, distance {distance}: {:?}", found.history.as_slice());
        }
    }
}
