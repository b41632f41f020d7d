//! How much of the measured numbers the data decide, and what follows: covariances, forces, markers that the others contradict.
//!
//! With r the residuals over their standard deviations, A = U a Uᵀ and forces f = −k (h − m):
//!
//! ```text
//! effective numbers          γ = Σ a
//! variance of a reading y    T Σ q²/a,   q = Uᵀ √k ∂y/∂f            ∂y/∂f with the springs in place
//! variance of a force        Σ U² T² (1 − a)²/a over σ²
//! what the others say        rᵢᵀ (1 − A)ᵢᵢ⁻¹ rᵢ is χ² with as many degrees of freedom as marker i has numbers
//! ```

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use std::ops::Range;

/// Shares below this part of the largest are rounding: what moves a marker by nothing.
const NOTHING: f64 = 1e-13;
/// Singular values below this part of the largest, columns made equal, are directions that the data cannot tell.
const BLIND: f64 = 1e-7;

/// What the data decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// r.
    pub residual: DVector<f64>,
    share: DMatrix<f64>,
    axes: DMatrix<f64>,
    values: DVector<f64>,
}

impl Decided {
    /// Where springs stand for the data: from D, their stiffnesses, and r.
    pub fn by_springs(response: &DMatrix<f64>, stiffness: &[f64], residual: DVector<f64>) -> Self {
        let n = stiffness.len();
        let root: Vec<f64> = stiffness.iter().map(|k| k.sqrt()).collect();
        let share = DMatrix::from_fn(n, n, |i, j| 0.5 * (response[(i, j)] + response[(j, i)]) * root[i] * root[j]);
        Self::of(share, residual)
    }

    fn of(share: DMatrix<f64>, residual: DVector<f64>) -> Self {
        let found = SymmetricEigen::new(share);
        let floor = NOTHING * found.eigenvalues.amax();
        let values = found.eigenvalues.map(|a| if a > floor { a } else { 0.0 });
        let axes = found.eigenvectors;
        let share = &axes * DMatrix::from_diagonal(&values) * axes.transpose();
        Self { residual, share, axes, values }
    }

    /// γ: how many of the numbers the data decide, the others being left to the robot.
    pub fn degrees(&self) -> f64 {
        self.values.sum()
    }

    /// Smallest share of what the springs hold at all.
    pub fn least_share(&self) -> f64 {
        self.values.iter().filter(|a| **a > 0.0).fold(1.0, |least, a| least.min(*a))
    }

    /// Σ r².
    pub fn misfit(&self) -> f64 {
        self.residual.norm_squared()
    }

    /// χ² of every group of numbers against what the others say of it.
    pub fn left_out(&self, groups: &[Range<usize>]) -> Vec<f64> {
        let of = |group: &Range<usize>| {
            let size = group.len();
            if size == 0 {
                return 0.0;
            }
            let own = self.residual.rows(group.start, size);
            let open = DMatrix::identity(size, size) - self.share.view((group.start, group.start), (size, size));
            open.lu().solve(&own).map_or(0.0, |solved| own.dot(&solved).max(0.0))
        };
        groups.iter().map(of).collect()
    }

    /// Standard deviations of readings, which answer to a unit of force on the numbers as the rows of `readings` say.
    pub fn deviations(&self, readings: &DMatrix<f64>, stiffness: &[f64], energy: f64) -> Vec<f64> {
        let root = DVector::from_iterator(stiffness.len(), stiffness.iter().map(|k| k.sqrt()));
        let of = |row: usize| {
            let weighed = readings.row(row).transpose().component_mul(&root);
            let turned = self.axes.tr_mul(&weighed);
            let parts = turned.iter().zip(self.values.iter()).filter(|(_, a)| **a > 0.0);
            (energy * parts.map(|(q, a)| q * q / a).sum::<f64>()).sqrt()
        };
        (0..readings.nrows()).map(of).collect()
    }

    /// Standard deviations of the forces on the numbers; infinite where a marker cannot move.
    pub fn force_deviations(&self, sigma: &[f64], energy: f64) -> Vec<f64> {
        let of = |row: usize| {
            let parts = self.values.iter().enumerate().map(|(column, a)| {
                let part = self.axes[(row, column)].powi(2);
                // What no force moves tells of no force.
                if part < NOTHING { 0.0 } else { part * (1.0 - a).powi(2) / a }
            });
            energy / sigma[row] * parts.sum::<f64>().sqrt()
        };
        (0..sigma.len()).map(of).collect()
    }
}

/// What the data tell of a few unknowns.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What they decide of the numbers.
    pub decided: Decided,
    /// Covariance of the unknowns, as the stated noise has it; what cannot be told is left out.
    pub covariance: DMatrix<f64>,
    /// Directions that the data cannot tell, in units of the unknowns.
    pub blind: Vec<DVector<f64>>,
}

impl Fit {
    /// From derivatives of the normalised numbers by the unknowns, the size of each unknown that counts as large, and r.
    pub fn new(jacobian: &DMatrix<f64>, sizes: &[f64], residual: DVector<f64>) -> Self {
        let mut scaled = jacobian.clone();
        sizes.iter().enumerate().for_each(|(column, size)| scaled.column_mut(column).scale_mut(*size));
        let found = SymmetricEigen::new(scaled.tr_mul(&scaled));
        let most = found.eigenvalues.amax();
        let n = residual.len();
        let (mut covariance, mut share) = (DMatrix::zeros(sizes.len(), sizes.len()), DMatrix::zeros(n, n));
        let mut blind = Vec::new();
        for (index, value) in found.eigenvalues.iter().enumerate() {
            let direction = found.eigenvectors.column(index);
            let own = DVector::from_fn(sizes.len(), |row, _| direction[row] * sizes[row]);
            if *value <= BLIND * BLIND * most || *value <= 0.0 {
                blind.push(own);
                continue;
            }
            covariance += &own * own.transpose() / *value;
            let seen = jacobian * &own;
            share += &seen * seen.transpose() / *value;
        }
        Self { decided: Decided::of(share, residual), covariance, blind }
    }

    /// Standard deviations of readings by how they answer to the unknowns.
    pub fn deviations(&self, readings: &DMatrix<f64>) -> Vec<f64> {
        let of = |row: usize| {
            let own = readings.row(row);
            (own * &self.covariance * own.transpose())[(0, 0)].max(0.0).sqrt()
        };
        (0..readings.nrows()).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear robot: C, noise σ and T are known, so that everything has a closed form.
    fn linear() -> (DMatrix<f64>, Vec<f64>, f64) {
        let root = DMatrix::from_fn(4, 4, |i, j| ((3 * i + 5 * j + i * j) as f64).sin());
        let compliance = &root * root.transpose() + DMatrix::identity(4, 4) * 0.1;
        (compliance, vec![0.3, 0.2, 0.5, 0.4], 0.7)
    }

    fn response(compliance: &DMatrix<f64>, sigma: &[f64], energy: f64) -> (DMatrix<f64>, Vec<f64>) {
        let stiffness: Vec<f64> = sigma.iter().map(|s| energy / (s * s)).collect();
        let k = DMatrix::from_diagonal(&DVector::from_vec(stiffness.clone()));
        let inverse = compliance.clone().try_inverse().map(|own| own + k).and_then(DMatrix::try_inverse);
        (inverse.unwrap_or_else(|| DMatrix::zeros(4, 4)), stiffness)
    }

    #[test]
    fn variances_are_those_of_the_normal_posterior() {
        let (compliance, sigma, energy) = linear();
        let (response, stiffness) = response(&compliance, &sigma, energy);
        let data = DVector::from_vec(vec![0.4, -1.0, 0.7, 0.2]);
        let noise = DMatrix::from_diagonal(&DVector::from_iterator(4, sigma.iter().map(|s| s * s)));
        let whole = (&compliance * energy + &noise).try_inverse().unwrap_or_else(|| DMatrix::zeros(4, 4));
        // The most probable forces, and the covariance of forces: those of f ~ N(0, T C⁻¹), m = C f + noise.
        let forces = &whole * &data * energy;
        let residual = DVector::from_fn(4, |i, _| (&compliance * &forces - &data)[i] / sigma[i]);
        let decided = Decided::by_springs(&response, &stiffness, residual.clone());
        let inverse = compliance.clone().try_inverse().unwrap_or_else(|| DMatrix::zeros(4, 4));
        let of_forces = &inverse * energy - &whole * (energy * energy);
        let found = decided.force_deviations(&sigma, energy);
        (0..4).for_each(|i| assert!((found[i].powi(2) / of_forces[(i, i)] - 1.0).abs() < 1e-9, "{i}"));
        // Positions of the markers are C f: they answer to a force by D with the springs in place.
        let of_markers = &compliance * &of_forces * &compliance;
        let found = decided.deviations(&response, &stiffness, energy);
        (0..4).for_each(|i| assert!((found[i].powi(2) / of_markers[(i, i)] - 1.0).abs() < 1e-9, "{i}"));
        // A marker as the others predict it.
        let chi = decided.left_out(&[0..1, 1..2, 2..3, 3..4, 4..4]);
        assert_eq!(chi[4], 0.0, "who has no number says nothing");
        for i in 0..4 {
            let others: Vec<usize> = (0..4).filter(|j| *j != i).collect();
            let all = &compliance * energy + &noise;
            let (a, b) =
                (all.select_rows(&others).select_columns(&others), all.select_rows(&others).column(i).clone_owned());
            let weights = a.try_inverse().unwrap_or_else(|| DMatrix::zeros(3, 3)) * &b;
            let (mean, variance) = (weights.dot(&data.select_rows(&others)), all[(i, i)] - weights.dot(&b));
            assert!((chi[i] / ((data[i] - mean).powi(2) / variance) - 1.0).abs() < 1e-9, "{i}");
        }
        assert!((decided.degrees() - (&compliance * &whole * energy).trace()).abs() < 1e-12);
    }

    #[test]
    fn what_data_cannot_tell_is_named() {
        let jacobian = DMatrix::from_row_slice(3, 3, &[1.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 1.0]);
        let fit = Fit::new(&jacobian, &[1.0, 1.0, 1.0], DVector::zeros(3));
        assert_eq!(fit.blind.len(), 1);
        assert!((&jacobian * &fit.blind[0]).norm() < 1e-12);
        let whole = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 0.0, 2.0, 1.0, 1.0]);
        let fit = Fit::new(&whole, &[10.0, 0.1], DVector::zeros(3));
        let expected = whole.tr_mul(&whole).try_inverse().unwrap_or_else(|| DMatrix::zeros(2, 2));
        assert!((fit.covariance - expected).norm() < 1e-12 && fit.blind.is_empty());
    }
}
