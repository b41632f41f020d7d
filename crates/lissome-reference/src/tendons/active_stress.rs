//! What tendons do to a section: stress, its tangent, and the strain that answers to a total stress.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | Γ_i | ε + κ×D + D′, velocity of the tendon by s | `velocity` | – | body |
//! | t | Γ_i/abs(Γ_i) | | – | body |
//! | J | ∂Γ_i/∂ξ = [−D~, 1] | `velocity_jacobian` | | body |
//! | Λ_act | Σ T Jᵀt = Σ T (D×t; t) | `active_stress` | N·m, N | body |
//! | B | ∂Λ_act/∂ξ = Σ T/abs(Γ_i) Jᵀ(1−ttᵀ)J | | | body |
//!
//! The work of a tension on a growing tendon is −T δℓ, so that T ℓ is its potential and Λ_act the derivative of T ℓ′
//! by the strain \[tendon2025, eq. (41), second line\].

use super::routing::Offset;
use super::span::Span;
use nalgebra::{Matrix3, Matrix3x6, Matrix6, Vector3, Vector6};

/// Γ_i: its length is that of the tendon per length of rod.
pub(super) fn velocity(offset: &Offset, strain: &Vector6<f64>) -> Vector3<f64> {
    let (curvature, stretch) = halves(strain);
    stretch + curvature.cross(&offset.position) + offset.slope
}

/// The angular and the linear half of six numbers.
pub(super) fn halves(six: &Vector6<f64>) -> (Vector3<f64>, Vector3<f64>) {
    (six.fixed_rows::<3>(0).into(), six.fixed_rows::<3>(3).into())
}

/// Six numbers from their halves.
pub(super) fn joined(angular: &Vector3<f64>, linear: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(angular.x, angular.y, angular.z, linear.x, linear.y, linear.z)
}

fn velocity_jacobian(offset: &Offset) -> Matrix3x6<f64> {
    let mut jacobian = Matrix3x6::zeros();
    jacobian.fixed_columns_mut::<3>(0).copy_from(&-offset.position.cross_matrix());
    jacobian.fixed_columns_mut::<3>(3).copy_from(&Matrix3::identity());
    jacobian
}

/// Λ_act and B of one tendon.
pub(super) fn of_tendon(tension: f64, offset: &Offset, strain: &Vector6<f64>) -> (Vector6<f64>, Matrix6<f64>) {
    let velocity = velocity(offset, strain);
    let length = velocity.norm();
    let (tangent, jacobian) = (velocity / length, velocity_jacobian(offset));
    let across = (Matrix3::identity() - tangent * tangent.transpose()) * (tension / length);
    (jacobian.transpose() * tangent * tension, jacobian.transpose() * across * jacobian)
}

/// Λ_act and B of all tendons of a span at s.
pub(super) fn active_stress(span: &Span, s: f64, strain: &Vector6<f64>) -> (Vector6<f64>, Matrix6<f64>) {
    let mut sum = (Vector6::zeros(), Matrix6::zeros());
    for strand in &span.strands {
        let (stress, tangent) = of_tendon(strand.tension, &strand.piece.offset(s), strain);
        sum.0 += stress;
        sum.1 += tangent;
    }
    sum
}

/// Newton steps of the point's law that count as the last, in units of the rod's length: the next would be its square.
const LAST_STEP: f64 = 1e-9;
const MOST_STEPS: usize = 100;
/// Part of the predicted decrease that a shortened step must reach.
const ARMIJO: f64 = 1e-4;
/// Decreases of the potential below this part of it are rounding, and full steps are taken.
const ROUNDING: f64 = 1e-12;

/// The elastic strain e with K e + Λ_act(ξ₀ + e) = `total`; the least point of a strictly convex function.
///
/// `offsets` are those of the tendons with their tensions, `start` a guess. `None` where a tendon has closed up or
/// numbers are not finite.
pub(super) fn elastic_strain(
    stiffness: &Vector6<f64>,
    natural: &Vector6<f64>,
    tendons: &[(f64, Offset)],
    total: &Vector6<f64>,
    start: Vector6<f64>,
    rod_length: f64,
) -> Option<Vector6<f64>> {
    let potential = |e: &Vector6<f64>| {
        let tendon: f64 = tendons.iter().map(|(t, offset)| t * velocity(offset, &(natural + e)).norm()).sum();
        0.5 * stiffness.dot(&e.component_mul(e)) + tendon - total.dot(e)
    };
    let mut e = start;
    for _ in 0..MOST_STEPS {
        let mut gradient = stiffness.component_mul(&e) - total;
        let mut hessian = Matrix6::from_diagonal(stiffness);
        for (tension, offset) in tendons {
            let (stress, tangent) = of_tendon(*tension, offset, &(natural + e));
            gradient += stress;
            hessian += tangent;
        }
        let step = -hessian.cholesky()?.solve(&gradient);
        let (turn, stretch) = halves(&step);
        let size = turn.amax() * rod_length + stretch.amax();
        if !size.is_finite() {
            return None;
        }
        if size <= LAST_STEP {
            return Some(e + step);
        }
        let (here, slope) = (potential(&e), gradient.dot(&step));
        let mut part = 1.0;
        while potential(&(e + step * part)) > here + ARMIJO * part * slope + ROUNDING * here.abs() {
            part *= 0.5;
            if part < 1e-6 {
                return None;
            }
        }
        e += step * part;
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn sample() -> (Offset, Vector6<f64>) {
        let offset = Offset {
            position: Vector3::new(0.0, 8e-3, -3e-3),
            slope: Vector3::new(0.0, -0.1, 0.2),
            bend: Vector3::zeros(),
        };
        (offset, Vector6::new(2.0, -7.0, 11.0, 1.01, 0.02, -0.01))
    }

    #[test]
    fn active_stress_is_the_derivative_of_the_tendons_length_and_its_tangent_the_second() {
        let (offset, strain) = sample();
        let (stress, tangent) = of_tendon(3.0, &offset, &strain);
        assert!((tangent - tangent.transpose()).amax() < 1e-16);
        for k in 0..6 {
            let step = Vector6::ith(k, 1e-5);
            let (above, below) = (strain + step, strain - step);
            let length = |strain: &Vector6<f64>| 3.0 * velocity(&offset, strain).norm();
            assert!(((length(&above) - length(&below)) / 2e-5 - stress[k]).abs() < 1e-8);
            let difference = (of_tendon(3.0, &offset, &above).0 - of_tendon(3.0, &offset, &below).0) / 2e-5;
            assert!((difference - tangent.column(k)).amax() < 1e-8);
        }
    }

    #[test]
    fn strain_answers_to_the_total_stress() {
        let (offset, strain) = sample();
        let stiffness = Vector6::new(3.2e-3, 4.2e-3, 4.2e-3, 1e5, 4e4, 4e4);
        let natural = super::super::description::straight();
        let elastic = strain - natural;
        let total = stiffness.component_mul(&elastic) + of_tendon(3.0, &offset, &strain).0;
        let found = elastic_strain(&stiffness, &natural, &[(3.0, offset)], &total, Vector6::zeros(), 0.3).unwrap();
        assert!((found - elastic).amax() < 1e-11);
    }
}
