//! Critical loads of straight rods: Euler's columns, the shear corrections, Greenhill's column, and lateral buckling.

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
    /// Clamped at the root; the tip turns freely and stays on the axis.
    ClampedPinned,
}

/// The first positive root of tan u = u: √(P L²/EI) of a column that is clamped at one end and pinned at the other.
pub const CLAMPED_PINNED: f64 = 4.493_409_457_909_064;

/// Euler's load π² EI/(μL)², with the effective length μL of the ends: neither shear nor compression of the axis.
pub fn euler(bending_stiffness: f64, length: f64, ends: Ends) -> f64 {
    let effective = match ends {
        Ends::ClampedFree => 2.0,
        Ends::PinnedPinned => 1.0,
        Ends::ClampedClamped => 0.5,
        Ends::ClampedPinned => PI / CLAMPED_PINNED,
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
/// kind of [`Ends`] but [`Ends::ClampedPinned`], whose transverse force V does not vanish: there it is an estimate.
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

/// Lateral buckling of a narrow cantilever under a dead force P at its tip, in its stiff plane: P L²/√(EI GJ) = 2 j, with
/// EI of the weak plane and j the first zero of the Bessel function J₋₁⸝₄; 4.0126 \[timoshenko1961\].
///
/// The stiff plane is taken as rigid before buckling, and the force acts at the centroid.
pub fn lateral_cantilever() -> f64 {
    2.0 * bisect(1.0, 2.5, |x| bessel(-0.25, x)).expect("J₋₁⸝₄ changes sign once between 1 and 2.5")
}

/// Moment in the stiff plane at which a narrow rod on fork supports buckles laterally: π √(EI GJ)/L.
pub fn lateral_pure_bending(weak_bending: f64, torsion: f64, length: f64) -> f64 {
    PI * (weak_bending * torsion).sqrt() / length
}

fn bessel_minus_third(x: f64) -> f64 {
    bessel(-1.0 / 3.0, x)
}

/// J_ν(x) x^{−ν}, up to a constant: Σ (−x²/4)^m / (m! (ν + 1)(ν + 2)…(ν + m)).
fn bessel(order: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    // For x < 3 the terms fall below 1e-20 by m = 15.
    for m in 1..=20 {
        let m = f64::from(m);
        term *= -0.25 * x * x / (m * (m + order));
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
    fn four_columns_of_euler() {
        for (ends, load) in [
            (Ends::ClampedFree, PI * PI / 4.0),
            (Ends::PinnedPinned, PI * PI),
            (Ends::ClampedPinned, 20.190728556),
            (Ends::ClampedClamped, 4.0 * PI * PI),
        ] {
            assert!((euler(3.0, 2.0, ends) - 0.75 * load).abs() < 1e-9, "{ends:?}");
        }
        assert!((CLAMPED_PINNED.tan() - CLAMPED_PINNED).abs() < 1e-13);
    }

    #[test]
    fn lateral_buckling_of_the_textbook() {
        assert!((lateral_cantilever() - 4.0126).abs() < 5e-5);
        assert!((lateral_pure_bending(4.0, 9.0, 2.0) - 3.0 * PI).abs() < 1e-14);
    }

    #[test]
    fn lateral_buckling_by_integration() {
        // EI GJ φ″ + P² (L − s)² φ = 0 with φ = 0 at the root and φ′ = 0 at the tip; z = 1 − s from the tip.
        let load = lateral_cantilever();
        let rate = |z: f64, y: &nalgebra::Vector2<f64>| nalgebra::Vector2::new(y[1], -(load * z).powi(2) * y[0]);
        let root = crate::extrapolation::integrate(rate, 0.0, 1.0, nalgebra::Vector2::x(), 1e-13)
            .expect("a linear equation with smooth coefficients");
        assert!(root[0].abs() < 1e-11, "{root}");
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
