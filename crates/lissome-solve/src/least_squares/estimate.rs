//! How well residuals tell the numbers: standard errors, intervals, correlations, and what they do not tell.
//!
//! ```text
//! square, noise stated      C = (JᵀJ)⁻¹              normal
//! square, noise estimated   C = s² (JᵀJ)⁻¹           Student's t,  s² = Σ r² / (m - p)
//! other losses              C = m/(m-p) A⁻¹ B A⁻¹    Student's t,  A = Σ ψ' ∂r ∂rᵀ,  B = Σ ψ² ∂r ∂rᵀ   [huber1981]
//! ```
//!
//! Residuals are in units of their noise. The rank is that of J with columns of length one, by its singular values, so that units
//! do not matter; directions beyond it are named, and numbers that have a part in them have no error.

use super::distribution::{chi_squared_above, half_width};
use super::linear::triangle;
use super::{Found, Loss, Variable};
use nalgebra::{DMatrix, DVector, SVD, SymmetricEigen};

/// Part of an interval's probability.
const INTERVAL: f64 = 0.95;
/// A number has a part in a direction from this on.
const PART: f64 = 1e-4;

/// Where the size of the noise comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// It was stated, and the residuals are in units of it.
    Stated,
    /// It is what the residuals are.
    Estimated,
}

/// A combination of numbers that is told badly or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Direction {
    /// How far each number goes along it, in parts of its size; the largest is one.
    pub parts: Vec<f64>,
    /// Standard error along it, in the same parts; infinite if residuals do not tell at all.
    pub error: f64,
}

/// How well the residuals tell the numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Standard errors; infinite where the residuals do not tell, zero of what is held at a limit.
    pub standard_errors: Vec<f64>,
    /// Halves of the 95 % intervals around the numbers.
    pub half_widths: Vec<f64>,
    /// Covariances; zero where there is none.
    pub covariance: DMatrix<f64>,
    /// Correlations; zero where there is none.
    pub correlations: DMatrix<f64>,
    /// Combinations that residuals do not tell, and those that they tell worse than to the size of the numbers.
    pub untold: Vec<Direction>,
    /// Number of directions that are told.
    pub rank: usize,
    /// Residuals without those that the numbers use up.
    pub degrees: usize,
    /// Σ r².
    pub chi_squared: f64,
    /// Probability that normal noise alone makes Σ r² this large or larger; one where the noise is estimated.
    pub chance: f64,
    /// Part of each residual that the numbers follow: from 0 to 1.
    pub leverages: Vec<f64>,
}

/// The estimate at a point that was found. `accuracy` is the relative error of the derivatives: what is less cannot be told.
pub fn estimate(found: &Found, variables: &[Variable], loss: Loss, noise: Noise, accuracy: f64) -> Estimate {
    let (rows, count) = found.jacobian.shape();
    let free: Vec<usize> = (0..count).filter(|index| !found.at_limit[*index]).collect();
    let mut columns = found.jacobian.select_columns(&free);
    let mut norms = Vec::with_capacity(free.len());
    for (position, index) in free.iter().enumerate() {
        let mut column = columns.column_mut(position);
        let norm = column.norm();
        norms.push(if norm > 0.0 { norm } else { 1.0 / variables[*index].size });
        column.unscale_mut(norms[position]);
    }
    let (told, untold) = subspaces(&columns, accuracy);
    let rank = told.ncols();
    let degrees = rows.saturating_sub(rank);
    let chi_squared = found.residuals.norm_squared();
    let along = &columns * &told;
    let within = within(&along, &found.residuals, loss, noise, degrees);
    let scaled = &told * within * told.transpose();
    let degrees_of_interval = match (loss, noise) {
        (Loss::Square, Noise::Stated) => None,
        _ => Some(degrees.max(1) as f64),
    };
    let factor = half_width(INTERVAL, degrees_of_interval);
    let mut answer = Estimate {
        standard_errors: vec![0.0; count],
        half_widths: vec![0.0; count],
        covariance: DMatrix::zeros(count, count),
        correlations: DMatrix::identity(count, count),
        untold: Vec::new(),
        rank,
        degrees,
        chi_squared,
        chance: match noise {
            Noise::Stated if degrees > 0 => chi_squared_above(chi_squared, degrees as f64),
            _ => 1.0,
        },
        leverages: leverages(&along),
    };
    for (i, row) in free.iter().enumerate() {
        let nowhere = untold.row(i).amax() > PART || degrees == 0 && noise == Noise::Estimated;
        answer.standard_errors[*row] = if nowhere { f64::INFINITY } else { scaled[(i, i)].max(0.0).sqrt() / norms[i] };
        answer.half_widths[*row] = factor * answer.standard_errors[*row];
    }
    for (i, row) in free.iter().enumerate() {
        for (j, column) in free.iter().enumerate() {
            let (a, b) = (answer.standard_errors[*row], answer.standard_errors[*column]);
            if a.is_finite() && b.is_finite() {
                answer.covariance[(*row, *column)] = scaled[(i, j)] / (norms[i] * norms[j]);
                if i != j && a * b > 0.0 {
                    answer.correlations[(*row, *column)] =
                        (answer.covariance[(*row, *column)] / (a * b)).clamp(-1.0, 1.0);
                }
            }
        }
    }
    let of_all = |parts: &dyn Fn(usize) -> f64| {
        let mut all = vec![0.0; count];
        free.iter().enumerate().for_each(|(position, index)| all[*index] = parts(position));
        all
    };
    for column in untold.column_iter() {
        let parts = of_all(&|position| column[position] / (norms[position] * variables[free[position]].size));
        answer.untold.push(Direction { parts: largest_one(parts), error: f64::INFINITY });
    }
    answer.untold.extend(weak(&answer.covariance, variables));
    answer
}

/// Directions (as columns) that unit columns tell, and those that they do not.
fn subspaces(columns: &DMatrix<f64>, accuracy: f64) -> (DMatrix<f64>, DMatrix<f64>) {
    let count = columns.ncols();
    if count == 0 {
        return (DMatrix::zeros(0, 0), DMatrix::zeros(0, 0));
    }
    let (r, _) = triangle(columns.clone(), &DVector::zeros(columns.nrows()));
    let SVD { v_t, singular_values: s, .. } = r.svd(false, true);
    let v = v_t.map_or_else(|| DMatrix::identity(count, count), |v_t| v_t.transpose());
    // Rounding of the factors themselves.
    let least = s.max() * accuracy.max(count as f64 * f64::EPSILON);
    let (told, untold): (Vec<usize>, Vec<usize>) = (0..count).partition(|index| s[*index] > least);
    (v.select_columns(&told), v.select_columns(&untold))
}

/// The covariance within the directions that are told.
fn within(along: &DMatrix<f64>, residuals: &DVector<f64>, loss: Loss, noise: Noise, degrees: usize) -> DMatrix<f64> {
    let rank = along.ncols();
    let sum = |weight: &dyn Fn(f64) -> f64| {
        let mut weighted = along.clone();
        residuals.iter().enumerate().for_each(|(row, r)| weighted.row_mut(row).scale_mut(weight(*r)));
        along.tr_mul(&weighted)
    };
    let inverse = |matrix: DMatrix<f64>| matrix.cholesky().map(|factor| factor.inverse());
    let nothing = || DMatrix::zeros(rank, rank);
    let per_degree = degrees.max(1) as f64;
    match (loss, noise) {
        (Loss::Square, Noise::Stated) => inverse(sum(&|_| 1.0)).unwrap_or_else(nothing),
        (Loss::Square, Noise::Estimated) => {
            inverse(sum(&|_| 1.0)).unwrap_or_else(nothing) * (residuals.norm_squared() / per_degree)
        }
        _ => {
            // Far outliers may make the curvature indefinite; the search's own is never so.
            let slope = inverse(sum(&|r| loss.slope(r))).or_else(|| inverse(sum(&|r| loss.curvature(r))));
            let a = slope.unwrap_or_else(nothing);
            let b = sum(&|r| loss.influence(r).powi(2));
            &a * b * &a * (residuals.len() as f64 / per_degree)
        }
    }
}

/// Squares of the rows of an orthonormal basis of the columns.
fn leverages(along: &DMatrix<f64>) -> Vec<f64> {
    let q = if along.ncols() == 0 { along.clone() } else { along.clone().qr().q() };
    q.row_iter().map(|row| row.norm_squared().min(1.0)).collect()
}

/// Directions with finite errors that are larger than the numbers themselves.
fn weak(covariance: &DMatrix<f64>, variables: &[Variable]) -> Vec<Direction> {
    let size = DVector::from_iterator(variables.len(), variables.iter().map(|own| own.size));
    let in_sizes = covariance.map_with_location(|i, j, value| value / (size[i] * size[j]));
    let SymmetricEigen { eigenvalues, eigenvectors } = in_sizes.symmetric_eigen();
    let weak = (0..variables.len()).filter(|index| eigenvalues[*index] > 1.0);
    let direction = |index: usize| {
        let parts: Vec<f64> = eigenvectors.column(index).iter().copied().collect();
        let most = parts.iter().fold(0.0f64, |most, part| most.max(part.abs()));
        Direction { parts: largest_one(parts), error: eigenvalues[index].sqrt() * most }
    };
    weak.map(direction).collect()
}

/// Divided by the largest.
fn largest_one(mut parts: Vec<f64>) -> Vec<f64> {
    let most = parts.iter().fold(0.0f64, |most, part| if part.abs() > most.abs() { *part } else { most });
    if most != 0.0 {
        parts.iter_mut().for_each(|part| *part /= most);
    }
    parts
}
