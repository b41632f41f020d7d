//! Newton's method on a network, and the path that leads there.
//!
//! With R(x, λ) the equations at load factor λ, the path solves R(x, λ) = (1 − λ) R(x₀, 0): at λ = 0 the start x₀ with its
//! misfits as given, at λ = 1 the network itself. Where everything fits at the start, this follows the loads alone.

use super::chain::{Chain, Link};
use super::conditions::Equations;
use super::description::Network;
use super::solution::NetworkSolution;
use super::units::Units;
use super::unknowns::Unknowns;
use crate::OracleError;
use crate::cosserat::equations::{Transfer, Variation};
use nalgebra::{DMatrix, DVector};

/// Equations that count as solved, relative to the largest internal wrench: the integrator's tolerance on a few steps.
const SOLVED: f64 = 1e-12;
/// Steps must shrink by at least this factor, so that a path of solutions is not left.
const CONTRACTION: f64 = 0.5;
const MOST_STEPS: usize = 15;
/// No body or cut may turn by more than this along one step of the path, rad.
const LARGEST_TURN: f64 = 0.7;
/// Growth of the step along the path after one that contracted.
const GROWTH: f64 = 2.0;
/// Points of the path that its next point is extrapolated from.
const EXTRAPOLATED: usize = 4;
/// A path whose steps get shorter than this has met a fold or a bifurcation.
const SHORTEST_STEP: f64 = 1e-6;
/// Step of the central differences of the algebraic conditions: truncation h² and rounding 1e-16/h meet near here.
const DIFFERENCE: f64 = 1e-5;

/// The equilibrium that belongs to the start poses of the bodies: loads, driven joints and tensions grow from zero while
/// the misfits of the start shrink.
pub fn solve(network: &Network) -> Result<NetworkSolution, OracleError> {
    network.check()?;
    let units = Units::of(network);
    let equations = Equations::new(units.scaled(network));
    let start = equations.unloaded()?;
    let path = Path { equations: &equations, start_factor: 0.0 };
    let (state, residual) = path.follow(start)?;
    Ok(NetworkSolution::new(equations, units, state, residual))
}

/// The equilibrium that belongs to a solved one of the same bodies, rods, joints and cables, under other loads.
pub fn solve_from(network: &Network, start: &NetworkSolution) -> Result<NetworkSolution, OracleError> {
    network.check()?;
    let units = Units::of(network);
    let equations = Equations::new(units.scaled(network));
    let start = start.resampled(&equations, &units)?;
    let path = Path { equations: &equations, start_factor: 1.0 };
    let (state, residual) = path.follow(start)?;
    Ok(NetworkSolution::new(equations, units, state, residual))
}

/// Where a path that has passed these points (place along it, state) will be next: a polynomial through the last few.
fn extrapolated(passed: &[(f64, Unknowns)], next: f64) -> Unknowns {
    let points = &passed[passed.len().saturating_sub(EXTRAPOLATED)..];
    let last = &points[points.len() - 1].1;
    let mut change = DVector::zeros(last.count());
    for (i, (at, state)) in points.iter().enumerate() {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        let weight: f64 = others.map(|(_, (other, _))| (next - other) / (at - other)).product();
        change += state.minus(last) * weight;
    }
    last.moved(&change)
}

struct Path<'a> {
    equations: &'a Equations,
    /// Load factor at the start of the path; it ends at one.
    start_factor: f64,
}

impl Path<'_> {
    fn follow(&self, start: Unknowns) -> Result<(Unknowns, f64), OracleError> {
        let misfit = self.residual(&start, self.start_factor)?;
        let mut passed = vec![(0.0, start)];
        let (mut residual, mut step) = (0.0, 1.0);
        loop {
            let (along, state) = &passed[passed.len() - 1];
            if *along >= 1.0 {
                return Ok((state.clone(), residual));
            }
            let next = f64::min(along + step, 1.0);
            match self.newton(&extrapolated(&passed, next), next, &misfit) {
                Ok((found, gap)) if found.largest_turn(state) < LARGEST_TURN => {
                    residual = gap;
                    passed.push((next, found));
                    step *= GROWTH;
                }
                Err(error) if step < SHORTEST_STEP => return Err(error),
                Ok(_) if step < SHORTEST_STEP => {
                    return Err(OracleError::NotConverged { load_factor: next, iterations: MOST_STEPS, residual });
                }
                _ => step *= 0.5,
            }
        }
    }

    fn load_factor(&self, along: f64) -> f64 {
        self.start_factor + (1.0 - self.start_factor) * along
    }

    fn newton(&self, start: &Unknowns, along: f64, misfit: &DVector<f64>) -> Result<(Unknowns, f64), OracleError> {
        let mut state = start.clone();
        let mut previous = f64::INFINITY;
        let mut gap = f64::INFINITY;
        for iteration in 0..MOST_STEPS {
            let linear = Linearised::new(self, &state, along, misfit)?;
            gap = linear.residual.amax();
            let failed = || OracleError::NotConverged { load_factor: along, iterations: iteration, residual: gap };
            let solved = gap <= SOLVED * (1.0 + state.largest_wrench());
            let change = linear.newton_step(&state).ok_or_else(failed)?;
            if solved {
                // One more step, unless rounding makes it worse.
                let polished = state.moved(&change);
                let better = (self.residual(&polished, self.load_factor(along))? - misfit * (1.0 - along)).amax();
                return Ok(if better <= gap { (polished, better) } else { (state, gap) });
            }
            let size = change.amax();
            if !size.is_finite() || size > CONTRACTION * previous {
                return Err(failed());
            }
            // The first step stretches what it turns, and the second takes the forces of that back: no measure yet.
            previous = if iteration == 0 { f64::INFINITY } else { size };
            state = state.moved(&change);
        }
        Err(OracleError::NotConverged { load_factor: along, iterations: MOST_STEPS, residual: gap })
    }

    fn residual(&self, state: &Unknowns, load_factor: f64) -> Result<DVector<f64>, OracleError> {
        let gaps = self.equations.segments(state, load_factor)?;
        let rows = gaps.iter().flat_map(|x| x.gap.iter().copied().collect::<Vec<_>>());
        Ok(DVector::from_iterator(state.count(), rows.chain(self.equations.conditions(state, load_factor))))
    }
}

/// The equations about a state.
struct Linearised {
    /// All of them, segments first.
    residual: DVector<f64>,
    /// One per rod.
    chains: Vec<Chain>,
    /// The algebraic conditions by the unknowns that are not inner cuts.
    conditions: DMatrix<f64>,
}

impl Linearised {
    fn new(path: &Path, state: &Unknowns, along: f64, misfit: &DVector<f64>) -> Result<Self, OracleError> {
        let load_factor = path.load_factor(along);
        let segments = path.equations.segments(state, load_factor)?;
        let gaps = segments.iter().flat_map(|x| x.gap.iter().copied());
        let now = path.equations.conditions(state, load_factor);
        let residual = DVector::from_iterator(state.count(), gaps.chain(now.iter().copied())) - misfit * (1.0 - along);
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
                DVector::from_vec(path.equations.conditions(&state.moved(&x), load_factor))
            };
            let difference = (at(DIFFERENCE) - at(-DIFFERENCE)) / (2.0 * DIFFERENCE);
            x[*j] = 0.0;
            conditions.set_column(column, &difference);
        }
        Ok(Self { residual, chains: links.iter().map(|x| Chain::new(x)).collect(), conditions })
    }

    /// Newton's step: ends of rods, bodies and reactions first, then the inner cuts.
    fn newton_step(&self, state: &Unknowns) -> Option<DVector<f64>> {
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
        let solved = matrix.lu().solve(&right)?;
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
        Some(step)
    }
}
