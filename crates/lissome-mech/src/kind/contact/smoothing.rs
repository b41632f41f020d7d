//! The law of contact and friction with a smooth function in place of max(u, 0), over time steps.
//!
//! The paper writes force and gap, and force and slip, by slacks. The slacks are eliminated here: with σ = λ_n − kδ,
//! q = λ_t − k_s s, the smooth function a of max(·, 0) over a width, and f the same over a ratio,
//!
//! ```text
//! λ_n − a(σ) = 0
//! λ_t − g(x) q = 0,    g(x) = x − f(x − 1),    x = μ a(σ) / |q|
//! ```
//!
//! With max itself these are the exact law: g = min(x, 1). They are that for every function with a(u) = 0 for u ≤ 0 too,
//! such as the trigonometric one: its slack only runs along the same curve at another pace.

use super::law::{Friction, Phase};
use crate::contribution::{Condition, Slide};
use lissome_model::{SmoothFamily, Smoothing};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3, Vector6};

/// max(u, 0) over a width of one, and its derivative.
fn smooth_max(family: SmoothFamily, u: f64) -> [f64; 2] {
    match family {
        SmoothFamily::Sigmoid => {
            let step = sigmoid(u);
            [u * step, step * (1.0 + u * sigmoid(-u))]
        }
        SmoothFamily::Chks => {
            let root = u.hypot(2.0);
            // Either way without a difference of large numbers.
            let value = if u > 0.0 { 0.5 * (u + root) } else { 2.0 / (root - u) };
            [value, value / root]
        }
        SmoothFamily::Softplus => [u.max(0.0) + (-u.abs()).exp().ln_1p(), sigmoid(u)],
    }
}

/// 1 / (1 + exp(−u)).
fn sigmoid(u: f64) -> f64 {
    match u > 0.0 {
        true => 1.0 / (1.0 + (-u).exp()),
        false => u.exp() / (1.0 + u.exp()),
    }
}

/// The rows of a contact that is pressed by σ, with its friction and slip. The stiffnesses weigh a gap and a slip against a
/// force. What presses and what sticks are said to be held, too: their velocities stop.
pub(super) fn decide(
    smoothing: &Smoothing,
    friction: Option<(Friction, Vector2<f64>)>,
    multiplier: &Vector6<f64>,
    pressed: f64,
    [stiffness, grip]: [f64; 2],
    condition: &mut Condition,
) {
    let [unit, slope] = smooth_max(smoothing.family, pressed / smoothing.force);
    let force = unit * smoothing.force;
    let mut slide =
        Slide { rows: [true, false, false], own: Matrix3::zeros(), motion: Matrix3::zeros(), value: Vector3::zeros() };
    condition.sides[0] = None;
    condition.active[0] = pressed > 0.0;
    // ΔF = Δλ − a′ (Δλ − k Δδ), with Δλ = −Δρ.
    slide.value[0] = -multiplier[0] - force;
    slide.own[(0, 0)] = slope - 1.0;
    slide.motion[(0, 0)] = slope * stiffness;
    if let Some((friction, slip)) = friction {
        slide.rows = [true; 3];
        let along = -Vector2::new(multiplier[1], multiplier[2]);
        let pull = along - slip * grip;
        let (size, mu) = (pull.norm(), friction.coefficient);
        let (ratio, e) = match size > 0.0 {
            true => (mu * force.max(0.0) / size, pull / size),
            false => (f64::INFINITY, Vector2::zeros()),
        };
        let frozen = Phase::read(multiplier) == Phase::Frozen;
        let [part, change] = if ratio.is_finite() { share(smoothing, ratio) } else { [1.0, 0.0] };
        let mut through = Matrix2::identity() * part;
        if change != 0.0 {
            through -= e * e.transpose() * (change * ratio);
        }
        let pushed = e * (change * mu * if force > 0.0 { slope } else { 0.0 });
        for k in 0..2 {
            condition.active[k + 1] = !frozen && ratio > 1.0 && condition.active[0];
            slide.own[(k + 1, k + 1)] = -1.0;
            if frozen {
                continue;
            }
            // ΔF = Δλ_t − (g − g′ x e eᵀ)(Δλ_t − k_s Δs) − g′ μ a′ e (Δλ_n − k Δδ).
            slide.value[k + 1] = along[k] - part * pull[k];
            slide.own[(k + 1, 0)] = pushed[k];
            slide.motion[(k + 1, 0)] = pushed[k] * stiffness;
            for j in 0..2 {
                slide.own[(k + 1, j + 1)] += through[(k, j)];
                slide.motion[(k + 1, j + 1)] = through[(k, j)] * grip;
            }
        }
    }
    condition.slide = Some(slide);
}

/// g(x) = x − f(x − 1), and its derivative: the part of the pull that friction stands.
fn share(smoothing: &Smoothing, x: f64) -> [f64; 2] {
    let [unit, slope] = smooth_max(smoothing.family, (x - 1.0) / smoothing.ratio);
    [x - unit * smoothing.ratio, 1.0 - slope]
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: [SmoothFamily; 3] = [SmoothFamily::Sigmoid, SmoothFamily::Chks, SmoothFamily::Softplus];

    #[test]
    fn functions_tend_to_the_larger_of_u_and_nothing() {
        for family in FAMILIES {
            for u in [-1e6, -700.0, -3.0, -0.1, 0.0, 0.4, 5.0, 800.0, 1e6] {
                let [value, slope] = smooth_max(family, u);
                assert!((value - u.max(0.0)).abs() <= 1.0, "{family:?} {u}: {value}");
                assert!((value - smooth_max(family, -u)[0] - u).abs() <= 1e-12 * u.abs().max(1.0), "a(u) − a(−u) = u");
                let near = |u: f64| smooth_max(family, u)[0];
                let h = 1e-5 * f64::max(u.abs(), 1.0);
                let difference = (near(u + h) - near(u - h)) / (2.0 * h);
                assert!((difference - slope).abs() < 1e-6, "{family:?} {u}: {slope} and {difference}");
            }
        }
    }

    /// The rows by differences: of F by the multiplier and by gap and slip.
    #[test]
    fn rows_are_the_derivatives_of_the_law() {
        let [stiffness, grip] = [50.0, 30.0];
        for family in FAMILIES {
            let smoothing = Smoothing { family, force: 0.02, ratio: 0.1 };
            let law = |x: &Vector6<f64>| {
                let multiplier = Vector6::new(x[0], x[1], x[2], 0.0, 0.0, 0.0);
                let pressed = -x[0] - stiffness * x[3];
                let mut condition = Condition::equality(Vector6::zeros(), 0);
                let friction = Some((Friction { coefficient: 0.4 }, Vector2::new(x[4], x[5])));
                decide(&smoothing, friction, &multiplier, pressed, [stiffness, grip], &mut condition);
                condition.slide.expect("it follows a law")
            };
            for x in [
                Vector6::new(-0.1, 0.01, -0.02, 1e-4, 2e-4, -1e-4),
                Vector6::new(-0.1, 0.05, -0.02, -1e-4, 9e-3, 4e-3),
                Vector6::new(-0.01, 0.002, 0.001, 3e-4, -1e-4, 0.0),
            ] {
                let at = law(&x);
                for j in 0..6 {
                    let h = 1e-7;
                    let moved = |by: f64| {
                        let mut moved = x;
                        moved[j] += by;
                        law(&moved).value
                    };
                    let difference = (moved(h) - moved(-h)) / (2.0 * h);
                    let column = if j < 3 { at.own.column(j) } else { at.motion.column(j - 3) };
                    let scale = if j < 3 { 1.0 } else { stiffness };
                    assert!((difference - column).norm() < 1e-5 * scale, "{family:?} {j}: {difference} and {column}");
                }
            }
        }
    }
}
