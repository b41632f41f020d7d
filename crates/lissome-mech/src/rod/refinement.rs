//! Control values of a spline on more knots: the Oslo algorithm \[cohen1980\], with the way from one control value to the
//! next in place of the straight line.
//!
//! For values in a vector space the refined spline is the same function. For poses it is the same curve up to the
//! curvature of the group, third order in the increments: a start for Newton that one step brings to the square of the
//! error of the discretisation.

/// Highest degree plus one.
const MOST: usize = lissome_lie::MAX_DEGREE + 1;

/// True if every knot of `coarse` is in `fine` at least as often.
pub fn is_refined(coarse: &[f64], fine: &[f64]) -> bool {
    let mut fine = fine.iter();
    coarse.iter().all(|knot| fine.by_ref().any(|other| other == knot))
}

/// Control values on the knots `fine` of the spline with the values `from` on the knots `coarse`, all of degree p.
/// `between` is the value part of the way from one to another.
pub fn refine<T: Copy>(
    degree: usize,
    coarse: &[f64],
    fine: &[f64],
    from: &[T],
    between: impl Fn(&T, &T, f64) -> T,
    to: &mut [T],
) {
    let mut span = degree;
    for (i, to) in to.iter_mut().enumerate() {
        // Knots rise, so the span of the next control value is this one or a later one.
        while span + 1 < from.len() && coarse[span + 1] <= fine[i] {
            span += 1;
        }
        let mut values = [from[span]; MOST];
        values[..=degree].copy_from_slice(&from[span - degree..=span]);
        for r in 1..=degree {
            let x = fine[i + degree + 1 - r];
            for k in (r..=degree).rev() {
                let j = span - degree + k;
                let (start, end) = (coarse[j], coarse[j + degree + 1 - r]);
                values[k] = between(&values[k - 1], &values[k], (x - start) / (end - start));
            }
        }
        *to = values[degree];
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lissome_lie::KnotVector;

    /// Value at s of the spline with scalar control values.
    fn value(degree: usize, knots: &[f64], control: &[f64], s: f64) -> f64 {
        let knots = KnotVector::new(degree, knots).unwrap();
        let span = knots.find_span(s);
        let basis = knots.basis(span, s);
        (0..=degree).map(|k| basis[k] * control[span - degree + k]).sum()
    }

    #[test]
    fn a_refined_spline_is_the_same_function() {
        let coarse = [0.0, 0.0, 0.0, 0.0, 0.3, 0.5, 0.5, 0.5, 0.8, 1.0, 1.0, 1.0, 1.0];
        let fine = [0.0, 0.0, 0.0, 0.0, 0.1, 0.3, 0.4, 0.5, 0.5, 0.5, 0.65, 0.8, 0.8, 0.9, 1.0, 1.0, 1.0, 1.0];
        assert!(is_refined(&coarse, &fine) && !is_refined(&fine, &coarse));
        let from = [1.0, -0.5, 2.0, 0.7, 3.0, -1.0, 0.2, 0.9, 1.3];
        let mut to = [0.0; 14];
        refine(3, &coarse, &fine, &from, |a, b, part| a + (b - a) * part, &mut to);
        for k in 0..=100 {
            let s = 0.01 * f64::from(k);
            let (before, after) = (value(3, &coarse, &from, s), value(3, &fine, &to, s));
            assert!((before - after).abs() < 1e-13, "{s}: {before} {after}");
        }
    }
}
