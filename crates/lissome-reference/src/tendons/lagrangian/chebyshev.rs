//! Chebyshev collocation of linear differential equations on an interval, as \[tendon2025\] integrates them.
//!
//! y′ = A(s) y + b(s), with y given at one end, is asked at every other node of the polynomial through the nodes.

use nalgebra::{DMatrix, Dyn, LU};
use std::f64::consts::PI;

/// Chebyshev–Lobatto nodes on [0, 1], both ends among them.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub nodes: Vec<f64>,
    /// Values at the nodes to slopes at the nodes.
    pub derivative: DMatrix<f64>,
    /// ∫ f over [0, 1] as the collocation of y′ = f with y(1) = 0 has it: no weight on the last node.
    pub weights: Vec<f64>,
}

impl Grid {
    pub fn new(count: usize) -> Self {
        let last = count - 1;
        let nodes: Vec<f64> = (0..count).map(|k| 0.5 * (1.0 - (PI * k as f64 / last as f64).cos())).collect();
        // Barycentric weights of these nodes: alternating signs, half at both ends.
        let barycentric = |k: usize| {
            let sign = if k.is_multiple_of(2) { 1.0 } else { -1.0 };
            if k == 0 || k == last { 0.5 * sign } else { sign }
        };
        let mut derivative = DMatrix::from_fn(count, count, |i, j| {
            if i == j { 0.0 } else { barycentric(j) / barycentric(i) / (nodes[i] - nodes[j]) }
        });
        for i in 0..count {
            // Constants have no slope.
            derivative[(i, i)] = -derivative.row(i).sum();
        }
        let inner = derivative.view((0, 0), (last, last)).clone_owned();
        let integral = inner.try_inverse().expect("a polynomial that is zero at an end is known by its slopes");
        let weights = (0..count).map(|k| if k < last { -integral[(0, k)] } else { 0.0 }).collect();
        Self { nodes, derivative, weights }
    }
}

/// The end at which a field is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    AtFirst,
    AtLast,
}

/// The factored equations of a linear field on an interval.
pub(super) struct Collocation {
    size: usize,
    nodes: usize,
    length: f64,
    given: Given,
    factor: LU<f64, Dyn, Dyn>,
    /// What multiplies the given value in every equation.
    border: DMatrix<f64>,
}

impl Collocation {
    /// `coefficients[k]` is A at node k.
    pub fn new(grid: &Grid, length: f64, given: Given, coefficients: &[DMatrix<f64>]) -> Self {
        let (nodes, size) = (grid.nodes.len(), coefficients[0].nrows());
        let (first, fixed) = match given {
            Given::AtFirst => (1, 0),
            Given::AtLast => (0, nodes - 1),
        };
        let mut matrix = DMatrix::zeros(size * (nodes - 1), size * (nodes - 1));
        let mut border = DMatrix::zeros(size * (nodes - 1), size);
        for row in 0..nodes - 1 {
            for i in 0..size {
                for column in 0..nodes - 1 {
                    matrix[(row * size + i, column * size + i)] = grid.derivative[(row + first, column + first)];
                }
                border[(row * size + i, i)] = grid.derivative[(row + first, fixed)];
            }
            let mut own = matrix.view_mut((row * size, row * size), (size, size));
            own -= &coefficients[row + first] * length;
        }
        Self { size, nodes, length, given, factor: matrix.lu(), border }
    }

    /// Values at all nodes, one below the other, for many right sides at once.
    ///
    /// `sources` has b at all nodes, one below the other; `start` the given values. `None` if the equations are
    /// singular.
    pub fn solve(&self, sources: &DMatrix<f64>, start: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        let (rows, columns) = (self.size * (self.nodes - 1), start.ncols());
        let (first, fixed) = match self.given {
            Given::AtFirst => (self.size, 0),
            Given::AtLast => (0, rows),
        };
        let right = sources.rows(first, rows) * self.length - &self.border * start;
        let inner = self.factor.solve(&right)?;
        let mut all = DMatrix::zeros(rows + self.size, columns);
        all.rows_mut(first, rows).copy_from(&inner);
        all.rows_mut(fixed, self.size).copy_from(start);
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn weights_integrate_polynomials_that_the_nodes_resolve() {
        let grid = Grid::new(10);
        for power in 0..9 {
            let sum: f64 = grid.nodes.iter().zip(&grid.weights).map(|(x, w)| w * x.powi(power)).sum();
            assert!((sum - 1.0 / f64::from(power + 1)).abs() < 1e-13, "{power}");
        }
    }

    #[test]
    fn a_turning_vector_is_carried_both_ways_with_spectral_accuracy() {
        // y′ = ω J y turns by 2 rad over the interval; 16 nodes resolve it to rounding.
        let grid = Grid::new(16);
        let turning = vec![DMatrix::from_row_slice(2, 2, &[0.0, -4.0, 4.0, 0.0]); 16];
        let sources = DMatrix::zeros(32, 1);
        let start = DMatrix::from_row_slice(2, 1, &[1.0, 0.0]);
        let forward = Collocation::new(&grid, 0.5, Given::AtFirst, &turning).solve(&sources, &start).unwrap();
        assert!((forward[30] - 2f64.cos()).abs() < 1e-12 && (forward[31] - 2f64.sin()).abs() < 1e-12);
        let end = forward.rows(30, 2).clone_owned();
        let back = Collocation::new(&grid, 0.5, Given::AtLast, &turning).solve(&sources, &end).unwrap();
        assert!((back.rows(0, 2) - start).amax() < 1e-12);
    }
}
