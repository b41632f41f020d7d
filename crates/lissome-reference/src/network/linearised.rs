//! The equations of a network about a state, and Newton's step: transfers for what is integrated, central differences for the
//! algebraic conditions, the inner cuts of the rods condensed.

use super::chain::{Chain, Link};
use super::conditions::Equations;
use super::unknowns::Unknowns;
use crate::OracleError;
use crate::cosserat::equations::{Transfer, Variation};
use nalgebra::{DMatrix, DVector, Dyn, LU};

/// Step of the central differences: truncation h² and rounding 1e-16/h meet near here.
const DIFFERENCE: f64 = 1e-5;

/// The equations about a state.
pub(crate) struct Linearised {
    /// All of them, segments first.
    pub residual: DVector<f64>,
    /// One per rod.
    chains: Vec<Chain>,
    /// The algebraic conditions by the unknowns that are not inner cuts.
    conditions: DMatrix<f64>,
}

/// Newton's step.
pub(crate) struct NewtonStep {
    pub change: DVector<f64>,
    /// Sign of the equations' determinant: it changes where a path crosses a simple bifurcation, and between branches that
    /// differ in stability by an odd number of directions.
    pub orientation: f64,
}

impl Linearised {
    /// About `state`, with `given` taken from the residual.
    pub fn new(
        equations: &Equations,
        state: &Unknowns,
        load_factor: f64,
        given: &DVector<f64>,
    ) -> Result<Self, OracleError> {
        let segments = equations.segments(state, load_factor)?;
        let gaps = segments.iter().flat_map(|x| x.gap.iter().copied());
        let now = equations.conditions(state, load_factor);
        let residual = DVector::from_iterator(state.count(), gaps.chain(now.iter().copied())) - given;
        let mut links = vec![Vec::new(); state.rods.len()];
        for (row, segment) in segments.iter().enumerate() {
            let right = -residual.fixed_rows::<12>(12 * row);
            links[segment.rod].push(Link { from: segment.transfer, to: -Transfer::identity(), right });
        }
        let outside = state.outside_rods();
        let mut conditions = DMatrix::zeros(now.len(), outside.len());
        let mut x = DVector::zeros(state.count());
        for (column, j) in outside.iter().enumerate() {
            let mut at = |step: f64| {
                x[*j] = step;
                DVector::from_vec(equations.conditions(&state.moved(&x), load_factor))
            };
            let difference = (at(DIFFERENCE) - at(-DIFFERENCE)) / (2.0 * DIFFERENCE);
            x[*j] = 0.0;
            conditions.set_column(column, &difference);
        }
        Ok(Self { residual, chains: links.iter().map(|x| Chain::new(x)).collect(), conditions })
    }

    /// Newton's step: ends of rods, bodies and reactions first, then the inner cuts. `None` if it is singular.
    pub fn newton_step(&self, state: &Unknowns) -> Option<NewtonStep> {
        let outside = state.outside_rods();
        let column = |j: usize| outside.partition_point(|x| *x < j);
        let ends = |rod: usize| (state.cut_at(rod, 0), state.cut_at(rod, state.rods[rod].len() - 1));
        let count = outside.len();
        let (mut matrix, mut right) = (DMatrix::zeros(count, count), DVector::zeros(count));
        for (rod, chain) in self.chains.iter().enumerate() {
            let (first, last) = ends(rod);
            matrix.fixed_view_mut::<12, 12>(12 * rod, column(first)).copy_from(&chain.link.from);
            matrix.fixed_view_mut::<12, 12>(12 * rod, column(last)).copy_from(&chain.link.to);
            right.fixed_rows_mut::<12>(12 * rod).copy_from(&chain.link.right);
        }
        let (row, rows) = (12 * self.chains.len(), self.conditions.nrows());
        matrix.rows_mut(row, rows).copy_from(&self.conditions);
        right.rows_mut(row, rows).copy_from(&-self.residual.rows(self.residual.len() - rows, rows));
        let factor = matrix.lu();
        let solved = factor.solve(&right)?;
        // A rod carries x₀ to T x₀ with det T > 0. Its condensed link is (−B T, B): without the sign of B, that of the whole
        // changes only where the equations are singular.
        let links: f64 = self.chains.iter().map(|chain| chain.link.to.determinant().signum()).product();
        let orientation = sign_of_determinant(&factor) * links;
        let mut step = DVector::zeros(state.count());
        for (column, j) in outside.iter().enumerate() {
            step[*j] = solved[column];
        }
        for (rod, chain) in self.chains.iter().enumerate() {
            let (first, last) = ends(rod);
            let end = |at: usize| Variation::from_column_slice(&step.as_slice()[at..at + 12]);
            for (k, inner) in chain.inner_steps(&end(first), &end(last))?.iter().enumerate() {
                step.fixed_rows_mut::<12>(first + 12 * (k + 1)).copy_from(inner);
            }
        }
        Some(NewtonStep { change: step, orientation })
    }
}

/// The sign of a determinant that itself may overflow.
fn sign_of_determinant(factor: &LU<f64, Dyn, Dyn>) -> f64 {
    let pivots: f64 = factor.u().diagonal().iter().map(|x| x.signum()).product();
    factor.p().determinant::<f64>() * pivots
}
