//! Critical loads of straight rods: Euler, the shear corrections, and Greenhill's column.

use super::root::bisect;
use std::f64::consts::PI;

/// How the ends of a compressed rod are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Clamped at the root, free at the tip.
    ClampedFree,
    /// Both ends turn freely and stay on the axis.
    PinnedPinned,
    /// Both ends keep their direction and stay on the axis.
    ClampedClamped,
}

/// Euler's load π² EI/(μL)², with the effective length μL of the ends: neither shear nor compression of the axis.
pub fn euler(bending_stiffness: f64, length: f64, ends: Ends) -> f64 {
    let effective = match ends {
        Ends::ClampedFree => 2.0,
        Ends::PinnedPinned => 1.0,
        Ends::ClampedClamped => 0.5,
    };
    bending_stiffness * (PI / (effective * length)).powi(2)
}

/// Engesser's correction, P = P_E/(1 + P_E/GA): the shear force taken normal to the deflected axis.
pub fn engesser(euler_load: f64, shear_stiffness: f64) -> f64 {
    euler_load / (1.0 + euler_load / shear_stiffness)
}

/// Haringx's correction, P (1 + P/GA) = P_E: the shear force taken in the plane of the section.
pub fn haringx(euler_load: f64, shear_stiffness: f64) -> f64 {
    quadratic_load(euler_load, 1.0 / shear_stiffness)
}

/// The Cosserat rod's own critical load, P (1 + P/GA − P/EA) = P_E.
///
/// About the compressed straight rod, ε₁ = 1 − P/EA, a small rotation θ meets the shear ε₂ = (V + Pθ)/GA and
/// EI θ″ = −(ε₁ + P/GA)(V + Pθ), which is Euler's equation with P (1 − P/EA + P/GA) for the load. Holds for every
/// kind of [`Ends`].
pub fn cosserat(euler_load: f64, shear_stiffness: f64, axial_stiffness: f64) -> f64 {
    quadratic_load(euler_load, 1.0 / shear_stiffness - 1.0 / axial_stiffness)
}

/// The root near `euler_load` of P (1 + c P) = P_E, in the form that does not cancel.
fn quadratic_load(euler_load: f64, c: f64) -> f64 {
    2.0 * euler_load / (1.0 + (1.0 + 4.0 * c * euler_load).sqrt())
}

/// Greenhill's number: a uniform column of weight w per length buckles under itself at w L³/EI = (9/4) j², with j the
/// first zero of the Bessel function J₋₁⸝₃.
pub fn greenhill() -> f64 {
    let j = bisect(1.0, 2.5, bessel_minus_third).expect("J₋₁⸝₃ changes sign once between 1 and 2.5");
    2.25 * j * j
}

/// J₋₁⸝₃(x) x^{1/3}, up to a constant: Σ (−x²/4)^m / (m! (2/3)(5/3)…(m − 1/3)).
fn bessel_minus_third(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    // For x < 3 the terms fall below 1e-20 by m = 15.
    for m in 1..=20 {
        let m = f64::from(m);
        term *= -0.25 * x * x / (m * (m - 1.0 / 3.0));
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greenhill_number() {
        assert!((greenhill() - 7.837347439).abs() < 5e-10);
    }

    #[test]
    fn chiral_rod_of_the_paper() {
        // Table 8 of [xun2025]: L = 0.8 m, r = 4 cm, E = 1e5 Pa, ν = 0.45.
        let (area, second_moment) = (PI * 0.04f64.powi(2), PI * 0.04f64.powi(4) / 4.0);
        let euler_load = euler(1e5 * second_moment, 0.8, Ends::ClampedClamped);
        assert!((euler_load - 12.402510672).abs() < 5e-10);
        assert!((engesser(euler_load, 1e5 / 2.9 * area) - 11.574314835).abs() < 5e-10);
    }

    #[test]
    fn corrections_solve_their_equations() {
        let p = haringx(10.0, 50.0);
        assert!((p * (1.0 + p / 50.0) - 10.0).abs() < 1e-14);
        let p = cosserat(10.0, 50.0, 130.0);
        assert!((p * (1.0 + p / 50.0 - p / 130.0) - 10.0).abs() < 1e-14);
        assert!((cosserat(10.0, 1e30, 1e30) - 10.0).abs() < 1e-14);
    }
}
