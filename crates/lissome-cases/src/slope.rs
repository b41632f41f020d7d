//! Observed orders: the slope of a figure over a size on logarithmic axes.

/// Slope of ln(y) over ln(x), by least squares. NaN for fewer than two points.
pub fn log_slope(points: impl Iterator<Item = (f64, f64)>) -> f64 {
    let points: Vec<(f64, f64)> = points.map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / count, sum.1 + p.1 / count));
    let (up, across) = points.iter().fold((0.0, 0.0), |sum, p| {
        let (dx, dy) = (p.0 - mean.0, p.1 - mean.1);
        (sum.0 + dx * dy, sum.1 + dx * dx)
    });
    up / across
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_of_a_power() {
        let cubic = [2.0f64, 5.0, 11.0].map(|x| (x, 7.0 * x.powi(-3)));
        assert!((log_slope(cubic.into_iter()) + 3.0).abs() < 1e-12);
        assert!(log_slope([(2.0, 1.0)].into_iter()).is_nan());
    }
}
