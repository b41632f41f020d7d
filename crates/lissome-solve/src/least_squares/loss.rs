//! How much a residual counts: the square, or less than that for what lies far out.
//!
//! ```text
//! cost = ½ Σ ρ(r²)      gradient = Σ ψ(r) ∂r,  ψ(r) = ρ'(r²) r      curvature ≈ Σ ψ'(r) ∂r ∂rᵀ,  ψ'(r) = ρ' + 2 ρ'' r²
//! ```
//!
//! Residuals are in units of their noise, so that the widths are numbers of standard deviations.

/// A loss; its width is where it departs from the square.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Loss {
    /// ρ = r²: the best of all where noise is normal.
    #[default]
    Square,
    /// The square up to a width, straight beyond: outliers pull, but not more the farther they lie.
    Huber(f64),
    /// w² ln(1 + r²/w²): the farther an outlier lies, the less it pulls.
    Cauchy(f64),
}

/// Part of ρ' that the curvature keeps at least: where ψ' is zero or negative an outlier would make no room for a step.
const LEAST_CURVATURE: f64 = 0.1;

impl Loss {
    /// The width at which 95 % of what the square tells of normal noise is kept \[huber1981, holland1977\].
    pub const HUBER: Self = Self::Huber(1.345);
    /// The same of Cauchy's.
    pub const CAUCHY: Self = Self::Cauchy(2.385);

    /// ρ(r²).
    pub fn rho(self, r: f64) -> f64 {
        let z = r * r;
        match self {
            Self::Huber(width) if r.abs() > width => 2.0 * width * r.abs() - width * width,
            Self::Cauchy(width) => width * width * (z / (width * width)).ln_1p(),
            _ => z,
        }
    }

    /// ρ'(r²), which is ψ(r)/r: the weight of the residual.
    pub fn weight(self, r: f64) -> f64 {
        match self {
            Self::Huber(width) if r.abs() > width => width / r.abs(),
            Self::Cauchy(width) => 1.0 / (1.0 + (r / width).powi(2)),
            _ => 1.0,
        }
    }

    /// ψ(r).
    pub fn influence(self, r: f64) -> f64 {
        self.weight(r) * r
    }

    /// ψ'(r).
    pub fn slope(self, r: f64) -> f64 {
        match self {
            Self::Huber(width) if r.abs() > width => 0.0,
            Self::Cauchy(width) => {
                let part = (r / width).powi(2);
                (1.0 - part) / (1.0 + part).powi(2)
            }
            _ => 1.0,
        }
    }

    /// ψ', but never so small that a residual makes no resistance.
    pub(super) fn curvature(self, r: f64) -> f64 {
        self.slope(r).max(LEAST_CURVATURE * self.weight(r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn influence_and_slope_are_derivatives() {
        let h = 1e-4;
        for loss in [Loss::Square, Loss::HUBER, Loss::CAUCHY] {
            for r in [-7.0, -1.0, 0.0, 0.3, 1.3, 1.4, 2.0, 50.0] {
                // Central differences: h² of the third derivative, below 3, and rounding.
                let psi = (loss.rho(r + h) - loss.rho(r - h)) / (4.0 * h);
                assert!((psi - loss.influence(r)).abs() < 1e-7, "{loss:?} at {r}: {psi}");
                let slope = (loss.influence(r + h) - loss.influence(r - h)) / (2.0 * h);
                assert!((slope - loss.slope(r)).abs() < 1e-7, "{loss:?} at {r}: {slope}");
            }
        }
    }
}
