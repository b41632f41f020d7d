//! Fields along a rod between its control poses: the assumed strain integrated again.
//!
//! The spline itself is accurate to h³–h⁴ between its control poses; the assumed strain ξ̄ = ξ₀ + K⁻¹ n̄ is
//! accurate to the order of the tip, and so is the curve g′ = g ξ̄ through the held end.

use lissome_lie::{Pose, Strain, Twist, Wrench};

/// The state of one section of a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Arc length, m.
    pub s: f64,
    /// World pose of the section.
    pub pose: Pose,
    /// Strain, body frame.
    pub strain: Strain,
    /// Internal wrench (what the far side exerts on the near side), body frame.
    pub stress: Wrench,
}

/// One step of g′ = g ξ(s) from s to s + h, sixth order: three Gauss points,
/// Ω = h ξ̄₀-combination with the commutators of [blanes2009, eq. (254)].
pub fn magnus_step(start: Pose, strain: impl Fn(f64) -> Strain, s: f64, h: f64) -> Pose {
    let offset = 15f64.sqrt() / 10.0;
    let at = |c: f64| strain(s + c * h).times(h);
    let (a1, a2, a3) = (at(0.5 - offset), at(0.5), at(0.5 + offset));
    // α₁ = hA₂, α₂ = h√15/3 (A₃ − A₁), α₃ = h 10/3 (A₃ − 2A₂ + A₁)
    let alpha1 = a2;
    let alpha2 = (a3 - a1) * (15f64.sqrt() / 3.0);
    let alpha3 = (a3 - a2 * 2.0 + a1) * (10.0 / 3.0);
    // The left-invariant equation g′ = g ξ reverses the sign of every commutator of Y′ = A Y.
    let c1 = bracket(&alpha2, &alpha1);
    let c2 = bracket(&(alpha3 * 2.0 + c1), &alpha1) * (-1.0 / 60.0);
    let omega =
        alpha1 + alpha3 * (1.0 / 12.0) + bracket(&(alpha2 + c2), &(alpha1 * -20.0 - alpha3 + c1)) * (1.0 / 240.0);
    start.boxplus(&omega)
}

/// [x, y] of se(3).
fn bracket(x: &Twist, y: &Twist) -> Twist {
    Twist::new(x.angular.cross(&y.angular), x.angular.cross(&y.linear) + x.linear.cross(&y.angular))
}
