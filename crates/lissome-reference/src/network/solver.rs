//! Newton's method on a network, and the path that leads there.
//!
//! With R(x, λ) the equations at load factor λ, the path solves R(x, λ) = (1 − λ) R(x₀, 0): at λ = 0 the start x₀ with its
//! misfits as given, at λ = 1 the network itself. Where everything fits at the start, this follows the loads alone.

use super::conditions::Equations;
use super::description::Network;
use super::solution::NetworkSolution;
use super::units::Units;
use super::unknowns::Unknowns;
use crate::OracleError;
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
            let (residual, tangent) = self.linearised(&state, self.load_factor(along))?;
            let residual = residual - misfit * (1.0 - along);
            gap = residual.amax();
            let failed = || OracleError::NotConverged { load_factor: along, iterations: iteration, residual: gap };
            let solved = gap <= SOLVED * (1.0 + state.largest_wrench());
            let change = tangent.lu().solve(&-residual).ok_or_else(failed)?;
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

    /// Equations and their derivative: transfers for what is integrated, central differences for the rest.
    fn linearised(&self, state: &Unknowns, load_factor: f64) -> Result<(DVector<f64>, DMatrix<f64>), OracleError> {
        let count = state.count();
        let (mut residual, mut tangent) = (DVector::zeros(count), DMatrix::zeros(count, count));
        let mut row = 0;
        for segment in self.equations.segments(state, load_factor)? {
            residual.rows_mut(row, 12).copy_from(&segment.gap);
            let (here, next) = (state.cut_at(segment.rod, segment.k), state.cut_at(segment.rod, segment.k + 1));
            tangent.view_mut((row, here), (12, 12)).copy_from(&segment.transfer);
            tangent.view_mut((row, next), (12, 12)).fill_diagonal(-1.0);
            row += 12;
        }
        let conditions = DVector::from_vec(self.equations.conditions(state, load_factor));
        residual.rows_mut(row, conditions.len()).copy_from(&conditions);
        let mut x = DVector::zeros(count);
        for j in state.outside_rods() {
            let mut at = |step: f64| {
                x[j] = step;
                DVector::from_vec(self.equations.conditions(&state.moved(&x), load_factor))
            };
            let column = (at(DIFFERENCE) - at(-DIFFERENCE)) / (2.0 * DIFFERENCE);
            x[j] = 0.0;
            tangent.view_mut((row, j), (column.len(), 1)).copy_from(&column);
        }
        Ok((residual, tangent))
    }
}
