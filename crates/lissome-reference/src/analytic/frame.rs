//! A right-angle frame, clamped at one end, under a dead force in its plane at the other: the forces at which it buckles out
//! of that plane.
//!
//! Two legs of unit length, the first along x from the clamp, the second along y; the force P e_x acts at the free end. In its
//! own plane the frame is rigid. With the small rotation φ (in the plane) and deflection w (out of it), w* that of the free
//! end, the moments are M = −P (1 − y) about the normal before it buckles, and P (w* − w) e_y more beside it:
//!
//! ```text
//! first leg    GJ φ_x′ = −M φ_y,                  EI φ_y′ = P (w* − w) + M φ_x,     w′ = −φ_y
//! second leg   EI φ_x′ = −M φ_y,                  GJ φ_y′ = P (w* − w) + M φ_x,     w′ = φ_x
//! ```
//!
//! from φ = 0, w = 0. P is critical where the w that comes out at the free end is w*.

use super::root::bisect;
use crate::OracleError;

/// Steps of the fourth-order method a leg: the error is below 1e-9.
const STEPS: usize = 400;
/// Forces between which signs are compared, in EI/L².
const SPACING: f64 = 0.05;

/// The critical force nearest to zero of each sense, P L²/EI: pushing the free end away from the clamp along x, and pulling
/// it back. `torsion` is GJ/EI.
pub fn right_angle_frame(torsion: f64) -> Result<[f64; 2], OracleError> {
    if !(torsion > 0.0 && torsion.is_finite()) {
        return Err(OracleError::OutOfDomain { quantity: "GJ/EI", value: torsion });
    }
    let nearest = |sense: f64| {
        let mut inner = sense * SPACING;
        loop {
            let outer = inner + sense * SPACING;
            if gap(inner, torsion) * gap(outer, torsion) <= 0.0 {
                return bisect(inner.min(outer), inner.max(outer), |load| gap(load, torsion));
            }
            if outer.abs() > 100.0 {
                return Err(OracleError::OutOfDomain { quantity: "P L²/EI", value: outer });
            }
            inner = outer;
        }
    };
    Ok([nearest(1.0)?, nearest(-1.0)?])
}

/// The deflection that comes out at the free end for one that was assumed, less that.
fn gap(load: f64, torsion: f64) -> f64 {
    let mut state = [0.0; 3];
    for first in [true, false] {
        let rate = |s: f64, [about_x, about_y, w]: [f64; 3]| {
            let moment = if first { -load } else { -load * (1.0 - s) };
            let (along_x, along_y) = (-moment * about_y, load * (1.0 - w) + moment * about_x);
            match first {
                true => [along_x / torsion, along_y, -about_y],
                false => [along_x, along_y / torsion, about_x],
            }
        };
        let h = 1.0 / STEPS as f64;
        for step in 0..STEPS {
            let s = step as f64 * h;
            let moved = |by: f64, k: [f64; 3]| std::array::from_fn(|i| state[i] + by * k[i]);
            let k1 = rate(s, state);
            let k2 = rate(s + 0.5 * h, moved(0.5 * h, k1));
            let k3 = rate(s + 0.5 * h, moved(0.5 * h, k2));
            let k4 = rate(s + h, moved(h, k3));
            state = std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
    }
    state[2] - 1.0
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_frame_of_argyris() {
        // [argyris1979]: legs of 240 mm, 30 mm × 0.6 mm, E = 71 240 N/mm², ν = 0.31: 1.088 N and −0.680 N by finite
        // elements that are not rigid in their plane (EI/EI₂ = 4e-4) and coarse.
        let (bending, torsion) = (38_469.6, 57_991.9);
        let [push, pull] = right_angle_frame(torsion / bending).unwrap();
        let newton = bending / (240.0f64 * 240.0);
        assert!((push * newton - 1.088).abs() < 0.006, "{}", push * newton);
        assert!((pull * newton + 0.680).abs() < 0.002, "{}", pull * newton);
    }
}
