//! What a factor is good for beside where it was made: the end of a search without another one, and the beginning of the next.
//!
//! Near the targets the equations hardly change any more. With K, z_j and J of one linearisation and the residual of each new state, steps
//! shrink by the part that the equations change over the whole way, instead of quadratically, and each costs a residual and a
//! solution in the place of a factor and as many solutions as there are drives. Where the last search ended, its factor stands too: targets
//! that moved a little are followed from it at once, and the first factor of a search is made where they are nearly met.

use super::linear::{Linear, Memory, Way, aimed, gaps};
use super::model::Model;
use super::quantity::At;
use super::stepping::{LONGEST, LOOSE, Refusal, Search, drives_of};
use super::{Posture, TARGET_TOLERANCE};
use crate::newton::STEP_TOLERANCE;
use lissome_mech::{KeptStep, System};
use nalgebra::DVector;
use std::sync::Arc;

/// No pose moves farther than this from the last factor before a search ends, rad or lengths: the number of directions in which the
/// potential falls is known there.
const NEAR: f64 = 2e-2;
/// Steps with an old factor, and their largest ratio; they are given up as soon as they would not arrive at the rate at which they shrink.
const MOST: usize = 10;
const CONTRACTION: f64 = 0.4;
/// Gaps beyond which the targets did not move a little, in lengths and rad.
const LITTLE: f64 = 0.2;

/// Steps to equilibrium with an old factor where it only looks ahead, their largest ratio, and where they end: a size, rad or lengths, and
/// its square in parts of what a step promises.
const MOST_SETTLING: usize = 5;
const SETTLING: f64 = 0.7;
const CLOSE: f64 = 1e-2;
const CLOSE_PART: f64 = 1e-2;
/// Corrections of the drives with an old factor, the part of the gaps above which another one is not worth its residuals, and the part of the
/// promise at which what was foretold has come true.
const MOST_AIMS: usize = 6;
const WORTH: f64 = 0.7;
const MET_PART: f64 = 0.1;
/// What is left to aim at once a part of the way to the targets has come true.
const FARTHER: f64 = 0.5;
/// Part of the promised decrease that must be foreseen; steps shorter than this, rad or lengths, are judged by a factor of their own.
const LEAST_FORESEEN: f64 = 0.35;
const SHORT: f64 = 2e-2;

/// How drives are corrected while a factor looks ahead.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    pub model: &'a Model<'a>,
    pub damping: f64,
    /// True if a part of the way to the targets is aimed at: what the step foretold first.
    pub parts: bool,
}

/// True if nothing in the equations acts on one side only, so that a residual of zero is all there is to find.
pub(super) fn is_plain(system: &System) -> bool {
    let kinds = system.kinds();
    let one_sided = [kinds.contacts.len(), kinds.joint_limits.len(), kinds.length_cables.len()];
    one_sided.iter().all(|count| *count == 0) && kinds.length_tendons.is_empty() && !system.has_friction()
}

impl Search<'_, '_> {
    /// Goes to the targets with the factor at hand, beginning with a step of the drives; `None` where they are too far for it. Tells the way.
    pub(super) fn finished(&mut self, at: &Linear, step: &DVector<f64>, model: &Model) -> Option<(Posture, Way)> {
        let problem = self.problem;
        let system = at.posture.system.clone();
        if at.plain_size > NEAR || !is_plain(&system) {
            return None;
        }
        let mut way = Way::of(step.clone());
        let mut last = f64::INFINITY;
        for k in 0..MOST {
            let (mut posture, length) = self.moved(at, &way).ok()?;
            if length > NEAR || !posture.system.shares_layout(&system) {
                return None;
            }
            posture.system.refresh_dependent_stress(&mut posture.state, &mut self.here.beside);
            let (size, gap) = self.left(at, &posture);
            if size < STEP_TOLERANCE && gap.amax() < TARGET_TOLERANCE {
                return Some((posture, way));
            }
            let open = size.max(gap.amax());
            let left = (MOST - 1 - k) as i32;
            let arrives = last.is_infinite() || open * (open / last).powi(left) < TARGET_TOLERANCE;
            if open.is_nan() || open > CONTRACTION * last || !arrives {
                return None;
            }
            last = open;
            let drives = drives_of(&posture, problem.unknowns);
            let (more, _) = model.toward(&at.jacobian, &gap, &drives, problem, (0.0, 1.0));
            way.drives += more;
            way.plains.push(KeptStep::of(&self.here.work));
        }
        None
    }

    /// Looks with the factor at hand at what a step does, and corrects it: the posture is brought nearer to equilibrium, and the drives nearer
    /// to what the step foretold (`aim.parts`) or to the targets. What would be refused is seen here at the price of residuals instead of
    /// factors.
    pub(super) fn explored(
        &mut self,
        at: &Linear,
        (posture, way, length): (Posture, Way, f64),
        foretold: &DVector<f64>,
        aim: Option<Aim<'_>>,
    ) -> Result<(Posture, Way), Refusal> {
        let system = &at.posture.system;
        if !is_plain(system) || !posture.system.shares_layout(system) {
            return Ok((posture, way));
        }
        let (before, after) = (at.gap.norm(), foretold.norm());
        let promised = (before - after).max(TARGET_TOLERANCE);
        let Some((mut posture, mut way, mut gap)) = self.settled(at, (posture.clone(), way.clone()), promised) else {
            return if length < SHORT { Ok((posture, way)) } else { Err(Refusal::Foreseen) };
        };
        (posture, way, gap) = self.led_on(at, (posture, way, gap), (foretold, promised), aim);
        let gained = before * before - gap.norm_squared();
        match length > SHORT && gained < LEAST_FORESEEN * (before * before - after * after) {
            true => Err(Refusal::Foreseen),
            false => Ok((posture, way)),
        }
    }

    /// A way near equilibrium led on by the drives: to what the step foretold and from there toward the targets (`aim.parts`), or toward the
    /// targets at once, as long as the factor at hand brings each correction back to equilibrium. What drives do is carried along with the
    /// poses that they move, so that the derivatives of the gaps are those of where the robot has come.
    pub(super) fn led_on(
        &mut self,
        at: &Linear,
        (mut posture, mut way, mut gap): (Posture, Way, DVector<f64>),
        (foretold, promised): (&DVector<f64>, f64),
        aim: Option<Aim<'_>>,
    ) -> (Posture, Way, DVector<f64>) {
        let Some(Aim { model, damping, parts }) = aim else { return (posture, way, gap) };
        let mut wanted = if parts { foretold.clone() } else { DVector::zeros(gap.len()) };
        for _ in 0..MOST_AIMS {
            if (&gap - &wanted).norm() < MET_PART * promised {
                if wanted.norm() < MET_PART * promised {
                    break;
                }
                wanted *= FARTHER;
            }
            let open = &gap - &wanted;
            let drives = drives_of(&posture, self.problem.unknowns);
            let jacobian = aimed(at, &posture, self.problem, &mut self.here.beside);
            let (more, _) = model.toward(&jacobian, &open, &drives, self.problem, (damping, 1.0));
            let farther = Way { drives: &way.drives + more, ..way.clone() };
            let Ok((next, _)) = self.moved(at, &farther) else { break };
            if !next.system.shares_layout(&at.posture.system) {
                break;
            }
            let Some((next, farther, left)) = self.settled(at, (next, farther), promised) else { break };
            let part = (&left - &wanted).norm() / open.norm();
            if part.is_nan() || part > 1.0 {
                break;
            }
            (posture, way, gap) = (next, farther, left);
            if part > WORTH {
                break;
            }
        }
        (posture, way, gap)
    }

    /// The end of a way brought nearer to equilibrium with the factor at hand, and the gaps there. `None` where it does not lead there.
    pub(super) fn settled(
        &mut self,
        at: &Linear,
        (mut posture, mut way): (Posture, Way),
        promised: f64,
    ) -> Option<(Posture, Way, DVector<f64>)> {
        let mut last = f64::INFINITY;
        for k in 0..=MOST_SETTLING {
            posture.system.refresh_dependent_stress(&mut posture.state, &mut self.here.beside);
            let (size, gap) = self.left(at, &posture);
            if !size.is_finite() || size > SETTLING * last {
                return None;
            }
            let near = size < CLOSE && size * size < CLOSE_PART * promised;
            if near || k == MOST_SETTLING {
                return (size < LOOSE).then_some((posture, way, gap));
            }
            last = size;
            way.plains.push(KeptStep::of(&self.here.work));
            posture = self.moved_under(at, &way, Some(&posture.system), LONGEST).ok()?.0;
        }
        None
    }

    /// The step to equilibrium from a posture near a factor, left as the last step, its size, and the gaps behind it.
    fn left(&mut self, at: &Linear, posture: &Posture) -> (f64, DVector<f64>) {
        let Posture { system, state, inputs } = posture;
        let Memory { work, beside, .. } = &mut *self.here;
        let mut demand = system.demand(state, inputs, beside);
        let factored = &at.posture.system;
        factored.charge_steps(&at.posture.state, &at.posture.inputs, &mut demand, work);
        let step = factored.answer_demand(&at.posture.state, &demand, work);
        let size = factored.step_size(work);
        let view = At { system, state, inputs };
        let mut gap = gaps(view, self.problem.goals, beside);
        let mut rates = Vec::with_capacity(gap.len());
        for goal in self.problem.goals {
            let first = rates.len();
            goal.quantity.rate(view, &step, None, beside, &mut rates);
            rates[first..].iter_mut().for_each(|own| *own *= goal.weight);
        }
        gap.iter_mut().zip(&rates).for_each(|(own, rate)| *own += rate);
        (size, gap)
    }

    /// The first step of a search that begins where the last one ended, from the factor of that one; `None` where there is none or it does
    /// not lead on.
    pub(super) fn gone_on(&mut self, start: &Posture, model: &mut Model) -> Option<Linear> {
        let ended = self.ended.take()?;
        let same = Arc::ptr_eq(&ended.posture.system, &start.system)
            && ended.posture.state == start.state
            && ended.posture.inputs == start.inputs
            && ended.near.motions.len() == self.problem.unknowns.len();
        if !same || self.problem.renew.is_some() || !is_plain(&start.system) {
            return None;
        }
        let (mut near, mut way) = (ended.near, ended.way);
        let view = At { system: &start.system, state: &start.state, inputs: &start.inputs };
        near.gap = gaps(view, self.problem.goals, &mut self.there.beside);
        if near.gap.is_empty() || near.gap.amax() > LITTLE || near.gap.amax() < TARGET_TOLERANCE {
            return None;
        }
        near.jacobian = aimed(&near, start, self.problem, &mut self.there.beside);
        if near.jacobian.ncols() > near.jacobian.nrows() {
            // What the targets leave open is settled from the start on.
            return None;
        }
        model.see(&near.jacobian);
        let drives = drives_of(start, self.problem.unknowns);
        let (step, _) = model.toward(&near.jacobian, &near.gap, &drives, self.problem, (0.0, 1.0));
        way.drives += &step;
        let (posture, _) = self.moved(&near, &way).ok()?;
        let predicted = &near.gap + &near.jacobian * &step;
        let (next, _) = self.judged(&near, posture, (&way.drives, None), &predicted, 0.0).ok()?;
        std::mem::swap(self.here, self.there);
        Some(next)
    }
}
