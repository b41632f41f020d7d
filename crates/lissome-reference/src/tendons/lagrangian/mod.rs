//! The Lagrangian method: strain modes as coordinates, tendons as an active stress.
//!
//! The Ritz reduction of \[tendon2025, sec. V and VII-B\]: e(s) = Φ(s) q on every segment, residual by the inverse
//! kineto-static problem (`inverse_problem`), Jacobian by its tangent (`tangent_problem`), both by Chebyshev
//! collocation (`chebyshev`). A segment ends wherever a tendon begins, kinks or ends, so that its strain is smooth.
//!
//! The virtual work of the tendons is −Σ T δℓ: the sign that eqs. (38), (40) and the first line of (41) have lost.

mod basis;
mod chebyshev;
mod inverse_problem;
mod tangent_problem;

use super::description::TendonRod;
use super::shooting::in_load_steps;
use super::solution::{TendonSolution, add_lengths, sample};
use super::span::spans;
use crate::OracleError;
use basis::StrainBasis;
use chebyshev::Grid;
use inverse_problem::InverseProblem;
use nalgebra::DVector;

/// Sizes of the reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// Number of polynomials for torsion, the two curvatures, stretch and the two shears, on every segment.
    pub functions: [usize; 6],
    /// Chebyshev nodes on every segment.
    pub nodes: usize,
    /// Whether the Jacobian knows that the tendons' stress changes with the strain. The paper leaves it out.
    pub active_tangent: bool,
}

impl Reduction {
    /// The paper's 28 functions and 10 nodes, with the exact Jacobian.
    pub fn of_the_paper() -> Self {
        Self { functions: [5, 7, 7, 3, 3, 3], nodes: 10, active_tangent: true }
    }

    /// The same number of polynomials for every strain.
    pub fn equal(functions: usize, nodes: usize) -> Self {
        Self { functions: [functions; 6], nodes, active_tangent: true }
    }

    fn validate(&self) -> Result<(), OracleError> {
        let most = self.functions.iter().copied().max().unwrap_or(0);
        // One node carries the boundary value; the others must tell the polynomials apart.
        if self.nodes < 3 || most >= self.nodes {
            return Err(OracleError::OutOfDomain { quantity: "number of Chebyshev nodes", value: self.nodes as f64 });
        }
        if most == 0 {
            return Err(OracleError::OutOfDomain { quantity: "number of strain functions", value: 0.0 });
        }
        Ok(())
    }
}

/// A step that changes no strain by more than this (curvatures times the length) is the last.
const LAST_STEP: f64 = 1e-9;
const MOST_ITERATIONS: usize = 60;

/// The equilibrium of a tendon-driven rod in the reduced space.
pub fn solve(rod: &TendonRod, reduction: &Reduction) -> Result<TendonSolution, OracleError> {
    rod.validate()?;
    reduction.validate()?;
    let (borders, length) = (rod.borders(), rod.length());
    let grid = Grid::new(reduction.nodes);
    let basis = StrainBasis::new(&reduction.functions, &grid.nodes);
    let problem = |load_factor: f64| InverseProblem {
        rod,
        spans: spans(rod, &borders, load_factor),
        grid: &grid,
        basis: &basis,
        load_factor,
    };
    let angular: usize = reduction.functions[..3].iter().sum();
    let start = DVector::zeros(basis.count * (borders.len() - 1));
    let (q, iterations, load_steps, residual) = in_load_steps(start, |factor, mut q| {
        let (problem, mut size) = (problem(factor), f64::INFINITY);
        for iteration in 1..=MOST_ITERATIONS {
            let before = size;
            let failed = || OracleError::NotConverged { load_factor: factor, iterations: iteration, residual: before };
            let fields = problem.fields(&q).ok_or_else(failed)?;
            let jacobian = tangent_problem::jacobian(&problem, &fields, reduction.active_tangent).ok_or_else(failed)?;
            let step = jacobian.lu().solve(&-problem.residual(&fields)).ok_or_else(failed)?;
            let scaled = |(k, x): (usize, &f64)| x.abs() * if k % basis.count < angular { length } else { 1.0 };
            size = step.iter().enumerate().map(scaled).fold(0.0, f64::max);
            if !size.is_finite() {
                return Err(failed());
            }
            q += step;
            if size <= LAST_STEP {
                return Ok((q, iteration, size));
            }
        }
        Err(OracleError::NotConverged { load_factor: factor, iterations: MOST_ITERATIONS, residual: size })
    })?;

    let problem = problem(1.0);
    let singular = OracleError::NotConverged { load_factor: 1.0, iterations, residual };
    let fields = problem.fields(&q).ok_or(singular)?;
    let (mut samples, mut tendon_lengths) = (Vec::new(), vec![0.0; rod.tendons.len()]);
    for (span, fields) in problem.spans.iter().zip(&fields) {
        let first = samples.len();
        for k in 0..reduction.nodes {
            let mut section =
                sample(span, problem.place(span, k), fields.turn[k], fields.position[k], &fields.elastic[k]);
            section.total_stress = fields.stress[k];
            samples.push(section);
        }
        let weights = grid.weights.iter().map(|w| w * (span.to - span.from));
        add_lengths(&mut tendon_lengths, span, weights.zip(&samples[first..]));
    }
    Ok(TendonSolution { samples, tendon_lengths, iterations, load_steps, residual })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::scenarios::Scenario;
    use super::*;
    use lissome_lie::Wrench;
    use nalgebra::Vector3;

    fn problem_of<'a>(
        rod: &'a TendonRod,
        borders: &[f64],
        grid: &'a Grid,
        basis: &'a StrainBasis,
    ) -> InverseProblem<'a> {
        InverseProblem { rod, spans: spans(rod, borders, 1.0), grid, basis, load_factor: 1.0 }
    }

    #[test]
    fn tangent_problem_is_the_derivative_of_the_residual() {
        // A tip load too, so that every term of the tangent is seen. The two are collocated apart from each other:
        // they agree as far as the nodes resolve the fields.
        let mut rod = Scenario::E.robot(&[2.0, 0.0, 1.0, 0.0, 0.0, 3.0]);
        rod.tip_load = Wrench::new(Vector3::new(1e-3, -2e-3, 3e-3), Vector3::new(0.02, 0.03, -0.01));
        let grid = Grid::new(16);
        let basis = StrainBasis::new(&[3; 6], &grid.nodes);
        let borders = rod.borders();
        let problem = problem_of(&rod, &borders, &grid, &basis);
        let size = basis.count * 3;
        let q = DVector::from_fn(size, |k, _| ((k * 37 % 11) as f64 - 5.0) * if k % 18 < 9 { 0.5 } else { 1e-3 });
        let exact = tangent_problem::jacobian(&problem, &problem.fields(&q).unwrap(), true).unwrap();
        let residual = |q: &DVector<f64>| problem.residual(&problem.fields(q).unwrap());
        for k in 0..size {
            let step = if k % 18 < 9 { 1e-3 } else { 1e-5 };
            let (mut above, mut below) = (q.clone(), q.clone());
            above[k] += step;
            below[k] -= step;
            let difference = (residual(&above) - residual(&below)) / (2.0 * step);
            let error = (difference - exact.column(k)).amax();
            assert!(error < 1e-6 * exact.column(k).amax(), "{k}: {error:e}");
        }
        // Without the dead moment the loads have a potential, and the tangent is symmetric.
        let mut without_moment = rod.clone();
        without_moment.tip_load.moment = Vector3::zeros();
        let problem = problem_of(&without_moment, &borders, &grid, &basis);
        let exact = tangent_problem::jacobian(&problem, &problem.fields(&q).unwrap(), true).unwrap();
        for i in 0..size {
            for j in 0..i {
                let scale = (exact[(i, i)] * exact[(j, j)]).abs().sqrt();
                assert!((exact[(i, j)] - exact[(j, i)]).abs() < 1e-7 * scale, "{i} {j}");
            }
        }
    }
}
