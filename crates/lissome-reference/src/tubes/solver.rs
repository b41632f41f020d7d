//! Newton's method on the cuts of a robot of tubes.

use super::description::TubeRobot;
use super::equations::{State, carry, carry_with_transfer};
use super::scaled::ScaledTubes;
use super::solution::TubeSolution;
use crate::OracleError;
use crate::cosserat::equations::turn_between;
use crate::quaternion::Quaternion;
use nalgebra::{DMatrix, DVector, Vector3};

/// Gaps that count as closed, relative to the largest unknown: the integrator's tolerance on a dozen steps.
const CLOSED: f64 = 1e-12;
/// Newton steps before the search is given up.
const MOST_STEPS: usize = 100;
/// Part of the predicted decrease that a shortened step must reach.
const ARMIJO: f64 = 1e-4;
/// No step shorter than this fraction of Newton's.
const SHORTEST_STEP: f64 = 1.0 / 1024.0;
/// Smallest stage of loading.
const SMALLEST_STAGE: f64 = 1.0 / 256.0;

/// An equilibrium, searched from torsionally rigid tubes; loads are brought on in stages where they are too much at once.
pub fn solve(robot: &TubeRobot) -> Result<TubeSolution, OracleError> {
    let tubes = ScaledTubes::new(robot)?;
    let rigid = torsionally_rigid(&tubes)?;
    if let Ok((cuts, residual)) = close(&tubes, rigid.clone(), 1.0) {
        return Ok(TubeSolution::new(tubes, cuts, residual));
    }
    let (mut cuts, mut residual) = close(&tubes, rigid, 0.0)?;
    let (mut reached, mut stage) = (0.0, 0.5);
    while reached < 1.0 {
        let next: f64 = f64::min(1.0, reached + stage);
        match close(&tubes, cuts.clone(), next) {
            Ok(found) => {
                (cuts, residual) = found;
                reached = next;
            }
            Err(error) if stage <= SMALLEST_STAGE => return Err(error),
            Err(_) => stage *= 0.5,
        }
    }
    Ok(TubeSolution::new(tubes, cuts, residual))
}

/// The equilibrium next to that of a similar robot with the same number of tubes.
pub fn solve_from(robot: &TubeRobot, near: &TubeSolution) -> Result<TubeSolution, OracleError> {
    let tubes = ScaledTubes::new(robot)?;
    let (other, _) = near.scaled();
    let (here, there) = (robot.tubes.len(), other.robot.tubes.len());
    if here != there {
        return Err(OracleError::OtherParts { part: "tubes", here, there });
    }
    // Wrenches in the units of the new robot.
    let moment = (other.bending / other.length) / (tubes.bending / tubes.length);
    let force = moment * tubes.length / other.length;
    let ends = std::iter::once(0.0).chain(tubes.segments.iter().map(|segment| segment.to));
    let cuts = ends.map(|s| {
        let state = near.state_at(s * tubes.length);
        let (p, m, n) = (state.p * (other.length / tubes.length), state.m * moment, state.n * force);
        State { p, m, n, torque: &state.torque * moment, energy: 0.0, ..state }
    });
    let (cuts, residual) = close(&tubes, cuts.collect(), 1.0)?;
    Ok(TubeSolution::new(tubes, cuts, residual))
}

/// Tubes that do not twist, without stress in the whole.
fn torsionally_rigid(tubes: &ScaledTubes) -> Result<Vec<State>, OracleError> {
    let k = tubes.robot.tubes.len();
    let (zero, none) = (Vector3::zeros(), DVector::zeros(k));
    let angle = DVector::from_iterator(k, tubes.robot.tubes.iter().map(|tube| tube.angle));
    let q = Quaternion::from_rotation(&tubes.robot.entry.rotation);
    let start = State { q, p: zero, m: zero, n: zero, angle, torque: none, energy: 0.0 };
    let mut cuts = vec![start.clone()];
    for (i, segment) in tubes.segments.iter().enumerate() {
        let end = carry(tubes, segment, 0.0, &cuts[i], segment.to)?;
        cuts.push(State { q: end.q, p: end.p, ..start.clone() });
    }
    Ok(cuts)
}

/// Gaps at the entry, between segments and at the tip, and their linearisation.
pub(super) struct Gaps {
    matrix: DMatrix<f64>,
    value: DVector<f64>,
}

fn linearise(tubes: &ScaledTubes, cuts: &[State], load_factor: f64) -> Result<Gaps, OracleError> {
    let k = tubes.robot.tubes.len();
    let (half, size) = (6 + k, 12 + 2 * k);
    let total = size * cuts.len();
    let mut gaps = Gaps { matrix: DMatrix::zeros(total, total), value: DVector::zeros(total) };
    // The entry holds the frame; each tube is held by its plate: ψ(0) = α + τ(0)·|β|/GJ.
    let entry = &cuts[0];
    let turn = turn_between(&entry.q, &Quaternion::from_rotation(&tubes.robot.entry.rotation));
    gaps.value.fixed_rows_mut::<3>(0).copy_from(&turn);
    gaps.value.fixed_rows_mut::<3>(3).copy_from(&-entry.p);
    gaps.matrix.view_mut((0, 0), (half, half)).fill_with_identity();
    for (j, tube) in tubes.robot.tubes.iter().enumerate() {
        let compliance = tubes.transmission(j);
        gaps.value[6 + j] = tube.angle + compliance * entry.torque[j] - entry.angle[j];
        gaps.matrix[(6 + j, half + 6 + j)] = -compliance;
    }
    for (i, segment) in tubes.segments.iter().enumerate() {
        let (end, transfer) = carry_with_transfer(tubes, segment, load_factor, &cuts[i])?;
        let row = half + i * size;
        gaps.value.rows_mut(row, size).copy_from(&end.minus(&cuts[i + 1]));
        gaps.matrix.view_mut((row, i * size), (size, size)).copy_from(&-transfer);
        gaps.matrix.view_mut((row, (i + 1) * size), (size, size)).fill_with_identity();
    }
    // Beyond its end a tube carries no torque, and beyond the tip there is nothing.
    let (tip, row) = (&cuts[cuts.len() - 1], total - half);
    gaps.value.fixed_rows_mut::<3>(row).copy_from(&-tip.m);
    gaps.value.fixed_rows_mut::<3>(row + 3).copy_from(&-tip.n);
    gaps.value.rows_mut(row + 6, k).copy_from(&-&tip.torque);
    gaps.matrix.view_mut((row, total - half), (half, half)).fill_with_identity();
    Ok(gaps)
}

/// Closes the gaps by steps that are shortened until they lessen them.
fn close(tubes: &ScaledTubes, start: Vec<State>, load_factor: f64) -> Result<(Vec<State>, f64), OracleError> {
    let mut cuts = start;
    let mut gaps = linearise(tubes, &cuts, load_factor)?;
    for iteration in 0..MOST_STEPS {
        let residual = gaps.value.amax();
        let failed = || OracleError::NotConverged { load_factor, iterations: iteration, residual };
        let largest = |x: &State| x.m.amax().max(x.n.amax()).max(x.torque.amax());
        let scale = 1.0 + cuts.iter().map(largest).fold(0.0, f64::max);
        let step = gaps.matrix.clone().lu().solve(&gaps.value).ok_or_else(failed)?;
        if residual <= CLOSED * scale {
            // The last step is taken unless rounding already makes it worse.
            let last = moved(&cuts, &step, 1.0);
            let after = linearise(tubes, &last, load_factor)?.value.amax();
            return Ok(if after < residual { (last, after) } else { (cuts, residual) });
        }
        let squares = gaps.value.norm_squared();
        let mut length: f64 = 1.0;
        (cuts, gaps) = loop {
            let trial = moved(&cuts, &step, length);
            // A trial shape too wild to integrate is only a reason for a shorter step.
            if let Ok(at_trial) = linearise(tubes, &trial, load_factor)
                && at_trial.value.norm_squared() <= (1.0 - 2.0 * ARMIJO * length) * squares
            {
                break (trial, at_trial);
            }
            length *= 0.5;
            if length < SHORTEST_STEP {
                return Err(failed());
            }
        };
    }
    Err(OracleError::NotConverged { load_factor, iterations: MOST_STEPS, residual: gaps.value.amax() })
}

fn moved(cuts: &[State], step: &DVector<f64>, length: f64) -> Vec<State> {
    let size = cuts[0].variations();
    cuts.iter().enumerate().map(|(i, state)| state.moved(&(step.rows(i * size, size) * length))).collect()
}
