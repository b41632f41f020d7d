//! Roots of a function of one variable, by bisection: slow and certain.

use crate::OracleError;

/// Bisections that bring any interval of doubles to two neighbours, unless an end is zero.
const MOST_BISECTIONS: usize = 200;

/// The place where `function` changes sign between `low` and `high`, to the last bit.
pub fn bisect(low: f64, high: f64, function: impl Fn(f64) -> f64) -> Result<f64, OracleError> {
    bisect_fallible(low, high, |x| Ok(function(x)))
}

/// [`bisect`] on a function that may fail.
pub fn bisect_fallible(
    low: f64,
    high: f64,
    mut function: impl FnMut(f64) -> Result<f64, OracleError>,
) -> Result<f64, OracleError> {
    let (mut a, mut b) = (low, high);
    let positive_at_a = function(a)? > 0.0;
    if positive_at_a == (function(b)? > 0.0) {
        return Err(OracleError::NoSignChange { low, high });
    }
    for _ in 0..MOST_BISECTIONS {
        let middle = a + 0.5 * (b - a);
        if middle == a || middle == b {
            break;
        }
        if (function(middle)? > 0.0) == positive_at_a { a = middle } else { b = middle }
    }
    Ok(a + 0.5 * (b - a))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn finds_the_root_to_the_last_bit() {
        assert!((bisect(0.0, 2.0, |x| x * x - 2.0).unwrap() - 2f64.sqrt()).abs() < 3e-16);
        assert!((bisect(0.0, 4.0, f64::cos).unwrap() - std::f64::consts::FRAC_PI_2).abs() < 3e-16);
    }

    #[test]
    fn refuses_a_bracket_without_a_root() {
        assert!(matches!(bisect(2.0, 3.0, |x| x), Err(OracleError::NoSignChange { .. })));
    }
}
