//! Beck's column: a cantilever under a compressive follower force at its tip \[beck1952\].
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | p | load P L²/EI | – |
//! | ω | frequency in units of √(EI/ρA)/L² | – |
//! | a, b | wave numbers, a² = √(p²/4 + ω²) + p/2, b² = √(p²/4 + ω²) − p/2 | 1/L |
//!
//! EI w⁗ + P w″ + ρA ẅ = 0 with w = w′ = 0 at the root and w″ = w‴ = 0 at the tip has a motion w(x) e^{iωt} where
//!
//! p² + 2ω² (1 + cos a cosh b) + p ω sin a sinh b = 0.
//!
//! Neither shear, nor rotary inertia, nor compression of the axis. The column never diverges (no root has ω = 0); its two
//! lowest frequencies meet at the flutter load, beyond which they are complex conjugates.

use super::root::{bisect, bisect_fallible};
use crate::OracleError;
use nalgebra::Complex;

/// Load P L²/EI at which the column flutters.
pub const FLUTTER_LOAD: f64 = 20.050_953_618_973_76;
/// Frequency at which it then does, in √(EI/ρA)/L².
pub const FLUTTER_FREQUENCY: f64 = 11.015_557_640_922_874;

/// Load beyond which the search for the second frequency has no bracket (the pair that flutters has changed).
const LARGEST_LOAD: f64 = 100.0;
/// Newton's method on an analytic function, from a neighbouring root.
const MOST_ITERATIONS: usize = 50;

/// The characteristic function and its derivative by ω² = `square`, which may be complex.
pub fn characteristic(load: f64, square: Complex<f64>) -> (Complex<f64>, Complex<f64>) {
    let root = (square + 0.25 * load * load).sqrt();
    let (a, b) = ((root + 0.5 * load).sqrt(), (root - 0.5 * load).sqrt());
    // a′ = 1/(4 a √), b′ = 1/(4 b √), and a b = ω.
    let (a1, b1) = ((a * root * 4.0).inv(), (b * root * 4.0).inv());
    let (ab, ab1) = (a * b, a1 * b + a * b1);
    let (ca, sa, cb, sb) = (a.cos(), a.sin(), b.cosh(), b.sinh());
    let value = square * 2.0 * (ca * cb + 1.0) + ab * sa * sb * load + load * load;
    let slope = (ca * cb + 1.0) * 2.0
        + square * 2.0 * (ca * sb * b1 - sa * cb * a1)
        + (ab1 * sa * sb + ab * (ca * sb * a1 + sa * cb * b1)) * load;
    (value, slope)
}

fn real(load: f64, square: f64) -> (f64, f64) {
    let (value, slope) = characteristic(load, Complex::new(square, 0.0));
    (value.re, slope.re)
}

/// ω² between the two lowest frequencies where the characteristic function is least.
fn valley(load: f64) -> Result<f64, OracleError> {
    // The lowest ω² is 12.36 at p = 0 and grows; the function falls there. The second falls from 485.5.
    bisect(12.3, 400.0, |square| real(load, square).1)
}

/// The two lowest frequencies, in √(EI/ρA)/L², of the column below flutter, 0 ≤ `load` ≤ [`FLUTTER_LOAD`].
pub fn frequencies(load: f64) -> Result<[f64; 2], OracleError> {
    if !(0.0..=FLUTTER_LOAD).contains(&load) {
        return Err(OracleError::OutOfDomain { quantity: "P L²/EI below flutter", value: load });
    }
    let valley = valley(load)?;
    let square = |low: f64, high: f64| bisect(low, high, |square| real(load, square).0);
    // At p = 0 the second ω is 22.03, and it falls with the load.
    Ok([square(0.1, valley)?.sqrt(), square(valley, 500.0)?.sqrt()])
}

/// The load at which the two lowest frequencies meet, found from the equation: the value of the valley is zero.
pub fn flutter_load() -> Result<f64, OracleError> {
    bisect_fallible(15.0, 22.0, |load| Ok(real(load, valley(load)?).0))
}

/// Frequency and growth rate (both positive, in √(EI/ρA)/L²) of the motion that grows, beyond flutter.
pub fn flutter(load: f64) -> Result<[f64; 2], OracleError> {
    if !(load > FLUTTER_LOAD && load <= LARGEST_LOAD) {
        return Err(OracleError::OutOfDomain { quantity: "P L²/EI beyond flutter", value: load });
    }
    // Follow the root in steps of one: ω² leaves the double root as ±i times the square root of what exceeds flutter.
    let start = FLUTTER_FREQUENCY * FLUTTER_FREQUENCY;
    let mut square = Complex::new(start, 48.0 * (load - FLUTTER_LOAD).min(1.0).sqrt());
    let mut at = FLUTTER_LOAD;
    while at < load {
        at = (at + 1.0).min(load);
        let mut step = Complex::new(f64::INFINITY, 0.0);
        for _ in 0..MOST_ITERATIONS {
            let (value, slope) = characteristic(at, square);
            step = value / slope;
            square -= step;
            if step.norm() < 1e-14 * square.norm() {
                break;
            }
        }
        // Rounding at a nearly double root leaves steps of its square root.
        if step.norm() > 1e-6 * square.norm() || square.im <= 0.0 {
            let residual = step.norm() / square.norm();
            return Err(OracleError::NotConverged { load_factor: at / load, iterations: MOST_ITERATIONS, residual });
        }
    }
    let omega = square.sqrt();
    Ok([omega.re, omega.im])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn frequencies_of_the_loaded_column() {
        // The same equation in 25 digits of multiple precision; at p = 0 the cantilever of the textbooks.
        let table = [
            (0.0, 3.516015268500151, 22.03449156466677),
            (5.0, 4.217675234829633, 20.43562243499892),
            (10.0, 5.175762261277975, 18.58679489298592),
            (15.0, 6.627406683472078, 16.25982976252846),
            (19.0, 8.880697844712543, 13.32546416631257),
        ];
        for (load, first, second) in table {
            let found = frequencies(load).unwrap();
            assert!((found[0] - first).abs() < 1e-12 && (found[1] - second).abs() < 1e-12, "{load}: {found:?}");
        }
    }

    #[test]
    fn flutter_where_the_frequencies_meet() {
        let load = flutter_load().unwrap();
        assert!((load - FLUTTER_LOAD).abs() < 1e-12, "{load}");
        // Beck's own figure is 20.05 EI/L².
        assert!((load - 20.05).abs() < 5e-3);
        assert!((valley(load).unwrap().sqrt() - FLUTTER_FREQUENCY).abs() < 1e-10);
        let [first, second] = frequencies(load - 1e-8).unwrap();
        // They meet like a square root, and ω² ± 48 √(difference) there.
        assert!(second - first < 1e-3 && second > first);
    }

    #[test]
    fn beyond_flutter_the_motion_grows() {
        let table = [
            (21.0, 10.937351561153951, 2.124940618497688),
            (25.0, 10.617997423932707, 4.917017877589179),
            (30.0, 10.249158960835504, 7.10122144585052),
        ];
        for (load, frequency, growth) in table {
            let found = flutter(load).unwrap();
            assert!((found[0] - frequency).abs() < 1e-11 && (found[1] - growth).abs() < 1e-11, "{load}: {found:?}");
        }
        assert!(flutter(20.0).is_err() && frequencies(20.1).is_err());
    }

    #[test]
    fn modes_satisfy_the_equation_of_motion() {
        // w = C (cos aξ − cosh bξ) + D (b sin aξ − a sinh bξ) meets the root's conditions; at a root of the
        // characteristic function the tip's two conditions are linearly dependent.
        for load in [3.0, 12.0, 18.0f64] {
            for omega in frequencies(load).unwrap() {
                let root = (0.25 * load * load + omega * omega).sqrt();
                let (a, b) = ((root + 0.5 * load).sqrt(), (root - 0.5 * load).sqrt());
                let (sa, ca, sb, cb) = (a.sin(), a.cos(), b.sinh(), b.cosh());
                let moment = [-a * a * ca - b * b * cb, -b * a * a * sa - a * b * b * sb];
                let shear = [a * a * a * sa - b * b * b * sb, -b * a * a * a * ca - a * b * b * b * cb];
                let determinant = moment[0] * shear[1] - moment[1] * shear[0];
                let size = (moment[0] * shear[1]).abs() + (moment[1] * shear[0]).abs();
                assert!(determinant.abs() < 1e-12 * size, "{load} {omega}");
            }
        }
    }
}
