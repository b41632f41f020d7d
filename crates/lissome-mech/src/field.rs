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

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    fn strain(s: f64) -> Strain {
        Strain::new(
            Vector3::new(1.0 + s, (2.0 * s).sin(), s * s - 0.5),
            Vector3::new(1.0 + 0.1 * s, 0.2 * (3.0 * s).cos(), -0.1 * s),
        )
    }

    fn end(steps: usize) -> Pose {
        let h = 1.0 / steps as f64;
        (0..steps).fold(Pose::identity(), |g, k| magnus_step(g, strain, h * k as f64, h))
    }

    #[test]
    fn magnus_step_is_of_sixth_order() {
        let exact = end(512);
        let error = |n: usize| end(n).boxminus(&exact).to_vector().norm();
        let order = (error(4) / error(8)).log2();
        assert!((order - 6.0).abs() < 0.3, "order {order}");
    }

    /// Against a method that knows no Lie groups: classical Runge–Kutta on the rotation matrix and the position.
    #[test]
    fn magnus_step_follows_the_strain() {
        let steps = 2000;
        let h = 1.0 / steps as f64;
        let (mut r, mut p) = (nalgebra::Matrix3::identity(), Vector3::zeros());
        let slope = |r: &nalgebra::Matrix3<f64>, s: f64| {
            let xi = strain(s);
            (r * lissome_lie::skew(&xi.curvature), r * xi.stretch)
        };
        for k in 0..steps {
            let s = h * k as f64;
            let a = slope(&r, s);
            let b = slope(&(r + a.0 * (h / 2.0)), s + h / 2.0);
            let c = slope(&(r + b.0 * (h / 2.0)), s + h / 2.0);
            let d = slope(&(r + c.0 * h), s + h);
            r += (a.0 + b.0 * 2.0 + c.0 * 2.0 + d.0) * (h / 6.0);
            p += (a.1 + b.1 * 2.0 + c.1 * 2.0 + d.1) * (h / 6.0);
        }
        let g = end(64);
        assert!((g.position - p).norm() < 1e-11 && (g.rotation.matrix() - r).norm() < 1e-11);
    }
}
