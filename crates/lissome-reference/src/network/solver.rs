//! Newton's method on a network, and the path that leads there.
//!
//! With R(x, λ) the equations at load factor λ, the path solves R(x, λ) = (1 − λ) R(x₀, 0): at λ = 0 the start x₀ with its
//! misfits as given, at λ = 1 the network itself. Where everything fits at the start, this follows the loads alone.

use super::conditions::Equations;
use super::description::Network;
use super::linearised::Linearised;
use super::place::Place;
use super::solution::NetworkSolution;
use super::units::Units;
use super::unknowns::Unknowns;
use crate::OracleError;
use crate::cosserat::equations::SectionState;
use lissome_lie::{Pose, Wrench};
use nalgebra::DVector;

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
/// A path that ends before this has not begun.
const NO_START: f64 = 1e-4;
/// No body or cut may turn by more than this between where a point of the path is expected and where it is found, rad.
const LARGEST_CORRECTION: f64 = 0.1;

/// The equilibrium that belongs to the start poses of the bodies: loads, driven joints and tensions grow from zero while
/// the misfits of the start shrink. A mechanism that only its loads hold, such as a pendulum, cannot start without them: it
/// starts under full loads, whose misfit shrinks.
pub fn solve(network: &Network) -> Result<NetworkSolution, OracleError> {
    network.check()?;
    let units = Units::of(network);
    let equations = Equations::new(units.scaled(network));
    let start = equations.unloaded()?;
    let from = |start_factor: f64| Path { equations: &equations, start_factor }.follow(start.clone());
    let (state, residual, crossed) = match from(0.0) {
        Err(OracleError::NotConverged { load_factor, .. }) if load_factor < NO_START => from(1.0)?,
        other => other?,
    };
    Ok(NetworkSolution::new(equations, units, state, residual, crossed))
}

/// The equilibrium that belongs to a solved one of the same bodies, rods, joints and cables, under other loads.
pub fn solve_from(network: &Network, start: &NetworkSolution) -> Result<NetworkSolution, OracleError> {
    network.check()?;
    let units = Units::of(network);
    let equations = Equations::new(units.scaled(network));
    let start = start.resampled(&equations, &units)?;
    let path = Path { equations: &equations, start_factor: 1.0 };
    let (state, residual, crossed) = path.follow(start)?;
    Ok(NetworkSolution::new(equations, units, state, residual, crossed))
}

/// The equilibrium that Newton's method finds from poses of the bodies and from poses and internal wrenches (world axes)
/// along the rods, both in SI; what joints and cables carry need not be known.
pub(crate) fn solve_near(
    network: &Network,
    body: &dyn Fn(usize) -> Pose,
    section: &dyn Fn(usize, f64) -> (Pose, Wrench),
) -> Result<NetworkSolution, OracleError> {
    network.check()?;
    let units = Units::of(network);
    let equations = Equations::new(units.scaled(network));
    let mut start = equations.unloaded()?;
    for (index, place) in start.bodies.iter_mut().enumerate() {
        *place = Place::from_pose(&units.scaled_pose(&body(index)));
    }
    for (rod, cuts) in start.rods.iter_mut().enumerate() {
        for (cut, s) in cuts.iter_mut().zip(&equations.cuts[rod]) {
            let (pose, wrench) = section(rod, s * units.length);
            *cut = SectionState::new(&units.scaled_pose(&pose), &units.scaled_wrench(&wrench));
        }
    }
    let path = Path { equations: &equations, start_factor: 1.0 };
    let nothing = DVector::zeros(start.count());
    let Point { state, residual, .. } = path.newton(&start, 1.0, &nothing)?;
    Ok(NetworkSolution::new(equations, units, state, residual, 0))
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

/// A point of a path.
struct Point {
    state: Unknowns,
    residual: f64,
    orientation: f64,
}

impl Path<'_> {
    /// From the start to the network itself, and how often the orientation of the equations changed on the way. A step is as
    /// long as Newton's method contracts at once, nothing turns far, the path is where it was expected, and the orientation
    /// stays; where it changes however short the step, the path itself has crossed a bifurcation.
    fn follow(&self, start: Unknowns) -> Result<(Unknowns, f64, usize), OracleError> {
        let misfit = self.residual(&start, self.start_factor)?;
        let mut orientation = self.newton(&start, 0.0, &misfit)?.orientation;
        let mut passed = vec![(0.0, start)];
        let (mut residual, mut step, mut crossed) = (0.0, 1.0, 0);
        loop {
            let (along, state) = &passed[passed.len() - 1];
            if *along >= 1.0 {
                return Ok((state.clone(), residual, crossed));
            }
            let next = f64::min(along + step, 1.0);
            let expected = extrapolated(&passed, next);
            let shortest = step < SHORTEST_STEP;
            match self.newton(&expected, next, &misfit) {
                Ok(found)
                    if shortest
                        || (found.orientation == orientation
                            && found.state.largest_turn(state) < LARGEST_TURN
                            && found.state.largest_turn(&expected) < LARGEST_CORRECTION) =>
                {
                    residual = found.residual;
                    crossed += usize::from(found.orientation != orientation);
                    orientation = found.orientation;
                    passed.push((next, found.state));
                    step *= GROWTH;
                }
                Err(error) if shortest => return Err(error),
                _ => step *= 0.5,
            }
        }
    }

    fn load_factor(&self, along: f64) -> f64 {
        self.start_factor + (1.0 - self.start_factor) * along
    }

    fn newton(&self, start: &Unknowns, along: f64, misfit: &DVector<f64>) -> Result<Point, OracleError> {
        let load_factor = self.load_factor(along);
        let given = misfit * (1.0 - along);
        let mut state = start.clone();
        let mut previous = f64::INFINITY;
        let mut gap = f64::INFINITY;
        for iteration in 0..MOST_STEPS {
            let linear = Linearised::new(self.equations, &state, load_factor, &given)?;
            gap = linear.residual.amax();
            let failed = || OracleError::NotConverged { load_factor: along, iterations: iteration, residual: gap };
            let step = linear.newton_step(&state).ok_or_else(failed)?;
            let orientation = step.orientation;
            if gap <= SOLVED * (1.0 + state.largest_wrench()) {
                // One more step, unless rounding makes it worse.
                let polished = state.moved(&step.change);
                let better = (self.residual(&polished, load_factor)? - &given).amax();
                let (state, residual) = if better <= gap { (polished, better) } else { (state, gap) };
                return Ok(Point { state, residual, orientation });
            }
            let size = step.change.amax();
            if !size.is_finite() || size > CONTRACTION * previous {
                return Err(failed());
            }
            previous = size;
            state = state.moved(&step.change);
        }
        Err(OracleError::NotConverged { load_factor: along, iterations: MOST_STEPS, residual: gap })
    }

    fn residual(&self, state: &Unknowns, load_factor: f64) -> Result<DVector<f64>, OracleError> {
        let gaps = self.equations.segments(state, load_factor)?;
        let rows = gaps.iter().flat_map(|x| x.gap.iter().copied().collect::<Vec<_>>());
        Ok(DVector::from_iterator(state.count(), rows.chain(self.equations.conditions(state, load_factor))))
    }
}
