//! What both shooting methods share: units, Newton's method on the unknowns at the base, load steps, stations.

use super::description::TendonRod;
use super::span::Span;
use crate::OracleError;
use crate::extrapolation::integrate;
use crate::motion::legendre::Points;
use nalgebra::{DMatrix, DVector, SVector};

/// Units in which every state is of order one: the integrator's tolerance is absolute below one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// The rod's length.
    pub length: f64,
    /// Bending stiffness by length.
    pub moment: f64,
    /// Bending stiffness by length squared.
    pub force: f64,
}

impl Units {
    pub fn of(rod: &TendonRod) -> Self {
        let length = rod.length();
        let bending = rod.segments[0].stiffness[1].max(rod.segments[0].stiffness[2]);
        Self { length, moment: bending / length, force: bending / (length * length) }
    }
}

/// Per step of the integrator.
pub(super) const INTEGRATION: f64 = 1e-13;
/// Residuals that count as zero, relative to the unknowns: the integrator's tolerance on some dozens of steps.
const CLOSED: f64 = 1e-11;
/// Step of the differences that make the Jacobian: its error is of the same size, which costs at most one iteration.
const DIFFERENCE: f64 = 1e-7;
const MOST_ITERATIONS: usize = 40;
const ARMIJO: f64 = 1e-4;
const SHORTEST_STEP: f64 = 1.0 / 1024.0;
const MOST_LOAD_STEPS: usize = 64;

/// Unknowns at the base that close the conditions at the tip.
pub(super) struct Closed<const N: usize> {
    pub unknowns: SVector<f64, N>,
    pub iterations: usize,
    pub load_steps: usize,
    pub residual: f64,
}

/// Applies the load in one step from zero unknowns, and in twice as many steps as often as that fails.
pub(super) fn in_load_steps<T: Clone>(
    start: T,
    mut solve: impl FnMut(f64, T) -> Result<(T, usize, f64), OracleError>,
) -> Result<(T, usize, usize, f64), OracleError> {
    let mut steps = 1;
    loop {
        let (mut state, mut iterations, mut residual) = (start.clone(), 0, 0.0);
        let mut failure = None;
        for step in 1..=steps {
            match solve(step as f64 / steps as f64, state.clone()) {
                Ok((next, more, left)) => {
                    state = next;
                    iterations += more;
                    residual = left;
                }
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        match failure {
            None => return Ok((state, iterations, steps, residual)),
            Some(error) if steps >= MOST_LOAD_STEPS => return Err(error),
            Some(_) => steps *= 2,
        }
    }
}

/// Shoots: `miss(load factor, unknowns)` is what the tip misses.
pub(super) fn shoot<const N: usize>(
    mut miss: impl FnMut(f64, &SVector<f64, N>) -> Result<SVector<f64, N>, OracleError>,
) -> Result<Closed<N>, OracleError> {
    let (unknowns, iterations, load_steps, residual) =
        in_load_steps(SVector::zeros(), |factor, start| newton(factor, start, |x| miss(factor, x)))?;
    Ok(Closed { unknowns, iterations, load_steps, residual })
}

fn newton<const N: usize>(
    load_factor: f64,
    start: SVector<f64, N>,
    mut miss: impl FnMut(&SVector<f64, N>) -> Result<SVector<f64, N>, OracleError>,
) -> Result<(SVector<f64, N>, usize, f64), OracleError> {
    let (mut x, mut gap) = (start, miss(&start)?);
    for iteration in 0..MOST_ITERATIONS {
        if gap.amax() <= CLOSED * (1.0 + x.amax()) {
            return Ok((x, iteration, gap.amax()));
        }
        let failed = OracleError::NotConverged { load_factor, iterations: iteration, residual: gap.amax() };
        let mut jacobian = DMatrix::zeros(N, N);
        for k in 0..N {
            let step = DIFFERENCE * (1.0 + x[k].abs());
            let mut beside = x;
            beside[k] += step;
            jacobian.set_column(k, &((miss(&beside)? - gap) / step));
        }
        let right = DVector::from_iterator(N, gap.iter().map(|g| -g));
        let Some(step) = jacobian.lu().solve(&right) else { return Err(failed) };
        let step = SVector::<f64, N>::from_iterator(step.iter().copied());
        let mut part = 1.0;
        loop {
            let trial = x + step * part;
            // A rod that cannot be integrated is as bad as one that misses by far.
            if let Ok(after) = miss(&trial)
                && after.norm() <= (1.0 - ARMIJO * part) * gap.norm()
            {
                (x, gap) = (trial, after);
                break;
            }
            part *= 0.5;
            if part < SHORTEST_STEP {
                return Err(failed);
            }
        }
    }
    Err(OracleError::NotConverged { load_factor, iterations: MOST_ITERATIONS, residual: gap.amax() })
}

/// Gauss points of a span at which a solution is recorded; lengths of smooth tendons are integrated to rounding.
const STATIONS: usize = 14;

/// States at both ends and at the Gauss points of a span; weights of the quadrature, zero at the ends.
pub(super) struct Recorded<const N: usize> {
    pub at: Vec<(f64, SVector<f64, N>)>,
    pub weights: Vec<f64>,
}

/// Integrates over a span and keeps the states at its stations.
pub(super) fn record<const N: usize>(
    span: &Span,
    start: SVector<f64, N>,
    mut rate: impl FnMut(f64, &SVector<f64, N>) -> SVector<f64, N>,
) -> Result<Recorded<N>, OracleError> {
    let (points, length) = (Points::new(STATIONS), span.to - span.from);
    let mut recorded = Recorded { at: vec![(span.from, start)], weights: vec![0.0] };
    let inner = points.at.iter().zip(points.weights.iter()).map(|(x, w)| (span.from + length * x, length * w));
    let (mut s, mut y) = (span.from, start);
    for (next, weight) in inner.chain([(span.to, 0.0)]) {
        y = integrate(&mut rate, s, next, y, INTEGRATION)?;
        s = next;
        recorded.at.push((s, y));
        recorded.weights.push(weight);
    }
    Ok(recorded)
}
