//! Newton's method on the cuts of a rod.

use super::equations::{SectionState, Variation, carry_with_transfer, pass_kick, turn_between};
use super::scaled_rod::ScaledRod;
use super::staircase::{EndRows, Staircase};
use crate::OracleError;
use crate::quaternion::Quaternion;
use lissome_lie::Pose;
use nalgebra::{Vector3, Vector6};

/// What holds an end, scaled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum End {
    Held(Pose),
    Free,
}

/// A rod on its way to the full problem.
#[derive(Clone, Copy)]
pub(crate) struct Stage<'a> {
    pub rod: &'a ScaledRod,
    /// Multiplies every load and gravity.
    pub load_factor: f64,
    pub base: End,
    pub tip: End,
}

/// How far Newton's method may stray from where it started.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Globalisation {
    /// Full steps that must contract at once, so that a path of solutions is not left.
    Follow,
    /// Steps shortened until the gaps close.
    Search,
}

/// Cuts of an equilibrium and the largest gap left, scaled.
#[derive(Clone, Debug)]
pub(crate) struct Closed {
    pub cuts: Vec<SectionState>,
    pub residual: f64,
}

/// Gaps that count as closed, relative to the largest unknown: the integrator's tolerance on a dozen steps.
const CLOSED: f64 = 1e-12;
/// Steps on a followed path must shrink by at least this factor (Deuflhard's contraction test).
const CONTRACTION: f64 = 0.5;
const MOST_FOLLOW_STEPS: usize = 15;
const MOST_SEARCH_STEPS: usize = 100;
/// Part of the predicted decrease a shortened step must reach.
const ARMIJO: f64 = 1e-4;
/// No step shorter than this fraction of Newton's.
const SHORTEST_STEP: f64 = 1.0 / 1024.0;

impl Stage<'_> {
    /// Gaps and their linearisation: the system whose solution is Newton's step.
    pub(super) fn linearise(&self, cuts: &[SectionState]) -> Result<Staircase, OracleError> {
        let n = self.rod.segments.len();
        let mut segments = Vec::with_capacity(n);
        for (k, segment) in self.rod.segments.iter().enumerate() {
            let (mut end, mut transfer) = carry_with_transfer(self.rod, segment, self.load_factor, &cuts[k])?;
            // A load on a held tip goes into its support.
            if k + 1 < n || matches!(self.tip, End::Free) {
                let (after, jump) = pass_kick(&end, &self.rod.kicks[k + 1], self.load_factor);
                end = after;
                transfer = jump * transfer;
            }
            segments.push((transfer, end.minus(&cuts[k + 1])));
        }
        let base = match self.base {
            End::Held(pose) => pose_conditions(&cuts[0], &pose),
            End::Free => {
                // Zero internal wrench before the load at s = 0.
                let nothing = SectionState { m: Vector3::zeros(), n: Vector3::zeros(), ..cuts[0] };
                let (after, jump) = pass_kick(&nothing, &self.rod.kicks[0], self.load_factor);
                let mut rows = wrench_rows();
                rows.fixed_columns_mut::<3>(0).copy_from(&-jump.fixed_view::<6, 3>(6, 0));
                (rows, after.minus(&cuts[0]).fixed_rows::<6>(6).into())
            }
        };
        let tip = match self.tip {
            End::Held(pose) => pose_conditions(&cuts[n], &pose),
            End::Free => {
                let mut value = Vector6::zeros();
                value.fixed_rows_mut::<3>(0).copy_from(&-cuts[n].m);
                value.fixed_rows_mut::<3>(3).copy_from(&-cuts[n].n);
                (wrench_rows(), value)
            }
        };
        Ok(Staircase { base, segments, tip })
    }

    /// Closes the gaps.
    pub fn solve(&self, start: Vec<SectionState>, globalisation: Globalisation) -> Result<Closed, OracleError> {
        let most = match globalisation {
            Globalisation::Follow => MOST_FOLLOW_STEPS,
            Globalisation::Search => MOST_SEARCH_STEPS,
        };
        let mut cuts = start;
        let mut system = self.linearise(&cuts)?;
        let mut previous_step = f64::INFINITY;
        for iteration in 0..most {
            let gap = system.largest_gap();
            let scale = 1.0 + cuts.iter().map(|x| x.m.amax().max(x.n.amax())).fold(0.0, f64::max);
            let failed =
                |residual| OracleError::NotConverged { load_factor: self.load_factor, iterations: iteration, residual };
            let step = system.solve().ok_or_else(|| failed(gap))?;
            let size = step.iter().map(|x| x.amax()).fold(0.0, f64::max);
            if gap <= CLOSED * scale {
                // The last step is taken unless rounding already makes it worse.
                let polished = moved(&cuts, &step, 1.0);
                let residual = self.linearise(&polished)?.largest_gap();
                return Ok(if residual <= gap {
                    Closed { cuts: polished, residual }
                } else {
                    Closed { cuts, residual: gap }
                });
            }
            match globalisation {
                Globalisation::Follow => {
                    if iteration > 0 && size > CONTRACTION * previous_step {
                        return Err(failed(gap));
                    }
                    previous_step = size;
                    cuts = moved(&cuts, &step, 1.0);
                    system = self.linearise(&cuts)?;
                }
                Globalisation::Search => {
                    let squares = system.sum_of_squares();
                    let mut length: f64 = 1.0;
                    (cuts, system) = loop {
                        let trial = moved(&cuts, &step, length);
                        // A trial shape too wild to integrate is only a reason for a shorter step.
                        if let Ok(at_trial) = self.linearise(&trial)
                            && at_trial.sum_of_squares() <= (1.0 - 2.0 * ARMIJO * length) * squares
                        {
                            break (trial, at_trial);
                        }
                        length *= 0.5;
                        if length < SHORTEST_STEP {
                            return Err(failed(gap));
                        }
                    };
                }
            }
        }
        Err(OracleError::NotConverged {
            load_factor: self.load_factor,
            iterations: most,
            residual: system.largest_gap(),
        })
    }
}

impl Staircase {
    fn gaps(&self) -> impl Iterator<Item = f64> + '_ {
        let inner = self.segments.iter().flat_map(|(_, gap)| gap.iter());
        self.base.1.iter().chain(inner).chain(self.tip.1.iter()).copied()
    }

    fn largest_gap(&self) -> f64 {
        self.gaps().map(f64::abs).fold(0.0, f64::max)
    }

    fn sum_of_squares(&self) -> f64 {
        self.gaps().map(|x| x * x).sum()
    }
}

fn moved(cuts: &[SectionState], step: &[Variation], length: f64) -> Vec<SectionState> {
    cuts.iter().zip(step).map(|(state, x)| state.moved(&(x * length))).collect()
}

fn pose_conditions(state: &SectionState, pose: &Pose) -> (EndRows, Vector6<f64>) {
    let mut rows = EndRows::zeros();
    rows.fixed_view_mut::<6, 6>(0, 0).fill_with_identity();
    let turn = turn_between(&state.q, &Quaternion::from_rotation(&pose.rotation));
    let shift = pose.position - state.p;
    (rows, Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z))
}

fn wrench_rows() -> EndRows {
    let mut rows = EndRows::zeros();
    rows.fixed_view_mut::<6, 6>(0, 6).fill_with_identity();
    rows
}
