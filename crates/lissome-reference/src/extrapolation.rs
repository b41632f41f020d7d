//! Gragg–Bulirsch–Stoer extrapolation: y′ = f(s, y) to near machine precision, without a table of coefficients.
//!
//! The leapfrog result over a step H with an even number n of substeps has an error expansion in (H/n)² only
//! (Gragg's theorem). With n = 2, 4, 6, … Richardson's scheme T_{j,k+1} = T_{j,k} + (T_{j,k} − T_{j−1,k}) /
//! ((n_j/n_{j−k−1})² − 1) therefore gains two orders per column. A step is taken as soon as two neighbours in a
//! row agree, and halved if they still do not at order 16.

use crate::OracleError;
use nalgebra::allocator::Allocator;
use nalgebra::{DefaultAllocator, Dim, OVector};

/// Rows of the extrapolation table; row j has 2(j + 1) substeps and order 2(j + 1).
const ROWS: usize = 8;
/// A step that converges by this row may be lengthened.
const EASY_ROW: usize = 5;
/// Growth of an easy step; below 2, so that the next step is not refused at once.
const GROWTH: f64 = 1.6;
/// Steps below this fraction of the interval mean that f is not smooth.
const SMALLEST_STEP: f64 = 1e-10;

/// Integrates from `from` to `to` (either order), each component to `tolerance·(1 + |y|)` per step.
pub fn integrate<D: Dim>(
    mut rate: impl FnMut(f64, &OVector<f64, D>) -> OVector<f64, D>,
    from: f64,
    to: f64,
    start: OVector<f64, D>,
    tolerance: f64,
) -> Result<OVector<f64, D>, OracleError>
where
    DefaultAllocator: Allocator<D>,
{
    let span = to - from;
    let (mut s, mut y, mut step) = (from, start, span);
    while s != to {
        // The last step ends on `to` exactly.
        let last = step.abs() >= (to - s).abs() * (1.0 - SMALLEST_STEP);
        let h = if last { to - s } else { step };
        match extrapolated_step(&mut rate, s, h, &y, tolerance) {
            Some((next, row)) => {
                y = next;
                s = if last { to } else { s + h };
                step = if row <= EASY_ROW { GROWTH * h } else { h };
            }
            None if h.abs() < SMALLEST_STEP * span.abs() => return Err(OracleError::StepTooSmall { s, step: h }),
            None => step = 0.5 * h,
        }
    }
    Ok(y)
}

/// One step and the row at which it converged; `None` if no row did.
fn extrapolated_step<D: Dim>(
    rate: &mut impl FnMut(f64, &OVector<f64, D>) -> OVector<f64, D>,
    s: f64,
    h: f64,
    y: &OVector<f64, D>,
    tolerance: f64,
) -> Option<(OVector<f64, D>, usize)>
where
    DefaultAllocator: Allocator<D>,
{
    let slope = rate(s, y);
    let mut previous: Vec<OVector<f64, D>> = Vec::with_capacity(ROWS);
    for row in 0..ROWS {
        let substeps = 2 * (row + 1);
        let mut current = vec![leapfrog(rate, s, h, y, &slope, substeps)];
        for column in 0..row {
            let ratio = substeps as f64 / (2 * (row - column)) as f64;
            let correction = (&current[column] - &previous[column]) / (ratio * ratio - 1.0);
            current.push(&current[column] + correction);
        }
        if row > 0 {
            let (best, next_best) = (&current[row], &current[row - 1]);
            let error = best.zip_map(next_best, |a, b| (a - b).abs() / (1.0 + a.abs())).max();
            // False for NaN.
            if error <= tolerance {
                return Some((best.clone(), row));
            }
        }
        previous = current;
    }
    None
}

/// Gragg's leapfrog: Euler's first substep, then midpoint substeps.
fn leapfrog<D: Dim>(
    rate: &mut impl FnMut(f64, &OVector<f64, D>) -> OVector<f64, D>,
    s: f64,
    h: f64,
    y: &OVector<f64, D>,
    slope: &OVector<f64, D>,
    substeps: usize,
) -> OVector<f64, D>
where
    DefaultAllocator: Allocator<D>,
{
    let dt = h / substeps as f64;
    let (mut before, mut here) = (y.clone(), y + slope * dt);
    for i in 1..substeps {
        let next = before + rate(s + dt * i as f64, &here) * (2.0 * dt);
        before = here;
        here = next;
    }
    here
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use nalgebra::{Vector1, Vector2};

    #[test]
    fn a_thousand_radians_of_rotation_keep_phase_and_norm() {
        // 1000 rad need a thousand steps or so: each may err by its tolerance.
        let end = integrate(|_, y: &Vector2<f64>| Vector2::new(-y[1], y[0]), 0.0, 1000.0, Vector2::x(), 1e-14).unwrap();
        assert!((end - Vector2::new(1000f64.cos(), 1000f64.sin())).amax() < 1e-11);
    }

    #[test]
    fn forward_and_back_returns() {
        let rate = |s: f64, y: &Vector1<f64>| Vector1::new((3.0 * s).cos() * y[0]);
        let there = integrate(rate, 0.0, 2.0, Vector1::new(1.5), 1e-14).unwrap();
        assert!((there[0] - 1.5 * (6f64.sin() / 3.0).exp()).abs() < 1e-13);
        let back = integrate(rate, 2.0, 0.0, there, 1e-14).unwrap();
        assert!((back[0] - 1.5).abs() < 1e-13);
    }

    #[test]
    fn a_pole_is_reported() {
        let blow_up = integrate(|_, y: &Vector1<f64>| Vector1::new(y[0] * y[0]), 0.0, 2.0, Vector1::new(1.0), 1e-13);
        assert!(matches!(blow_up, Err(OracleError::StepTooSmall { s, .. }) if (s - 1.0).abs() < 1e-2));
    }
}
