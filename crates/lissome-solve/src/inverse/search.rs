//! The rounds of the search: a step of state and drives together, judged by what it did to the gaps.

use super::bounded::Held;
use super::chord::Aim;
use super::judge::across;
use super::linear::{Ended, Linear, Memories, Memory, Way, gaps, linearise};
use super::model::Model;
use super::pace::{FUNNEL, Pace, Taken};
use super::quantity::At;
use super::stepping::{LARGEST_CONTRACTION, LONGEST, MOST_CORRECTIONS, Refusal, Search, corrected, drives_of};
use super::{Crease, End, Found, Posture, Problem, TARGET_TOLERANCE, Unknown};
use crate::event::Event;
use crate::newton::{Iteration, STEP_TOLERANCE};
use crate::path;
use crate::statics::StaticOptions;
use nalgebra::DVector;

/// The same of what a step began with, which is judged again nearer to equilibrium where it seems to gain nothing.
const EXACT: f64 = 0.02;
/// A step this short ends the search without another factor where the gaps are closed after it: what is left is its square, times
/// some hundreds in long robots.
const LAST_STEP: f64 = 1e-6;
/// Drives that are not determined by the targets must settle to this, in their units.
const SETTLED: f64 = 1e-8;
/// The same where the targets leave drives open: steps along the curved set on which they are met leave it by the square of their
/// length, and the next step comes back.
const WIDE_FUNNEL: f64 = 2e-2;
/// Gaps from which on steps lead along the set on which the targets are met.
const NEAR_TARGETS: f64 = 0.05;
/// Cosine between the gaps and what drives do to them, below which no drive brings them nearer.
const ACROSS: f64 = 1e-8;
/// The same for what a step that is not damped promises, in parts of the square of the gaps.
const NO_GAIN: f64 = 1e-12;
/// Steps that change less than this, in the units of the drives, change nothing.
const NOTHING: f64 = 1e-11;

/// Looks for the drives that bring a robot from an equilibrium to the targets. `observer` sees every round and stops the
/// work with `false`.
pub fn solve(start: &Posture, problem: &Problem<'_>, observer: &mut dyn FnMut(&Iteration) -> bool) -> Found {
    solve_with(&mut Memories::of(start), start, problem, observer)
}

/// The same in memory that is kept from search to search, of the equations of the start.
pub fn solve_with(
    memories: &mut Memories,
    start: &Posture,
    problem: &Problem<'_>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
) -> Found {
    seek(memories, start, problem, observer, false)
}

/// The same; a hasty search ends unfinished where gaps hardly become less any more.
pub(super) fn seek(
    memories: &mut Memories,
    start: &Posture,
    problem: &Problem<'_>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
    hasty: bool,
) -> Found {
    let Memories { here, there, ended } = memories;
    Search { problem, here, there, ended, history: Vec::new(), observer, hasty, held: &[] }.run(start)
}

/// The same along creases that the start lies on.
pub(super) fn seek_along(
    memories: &mut Memories,
    start: &Posture,
    problem: &Problem<'_>,
    observer: &mut dyn FnMut(&Iteration) -> bool,
    held: &[Crease],
) -> Found {
    let Memories { here, there, ended } = memories;
    Search { problem, here, there, ended, history: Vec::new(), observer, hasty: false, held }.run(start)
}

/// A step that is asked for where a search stands.
struct Proposal {
    /// In the units of the drives.
    step: DVector<f64>,
    /// Which drives their limits hold.
    held: Vec<Held>,
    /// The gaps as they should be after it.
    foretold: DVector<f64>,
    /// True if it aims at a part of the way to the targets, undamped.
    in_parts: bool,
    /// Its largest component, as long as it would be without its share: what a short one leaves is not settled.
    size: f64,
}

impl Search<'_, '_> {
    fn run(mut self, start: &Posture) -> Found {
        let (problem, unknowns) = (self.problem, self.problem.unknowns);
        let mut model = Model::new(unknowns, self.held);
        let mut at = match self.gone_on(start, &mut model) {
            Some(at) => at,
            None => {
                let Some(at) = linearise(start.clone(), problem, self.here) else { return self.nowhere(start) };
                if !self.note(&at, 0.0) {
                    return self.found(at, End::Stopped, None);
                }
                at
            }
        };
        model.see(&at.jacobian);
        let undetermined = unknowns.len() > at.gap.len();
        let funnel = if undetermined { WIDE_FUNNEL } else { FUNNEL };
        let mut pace = Pace::default();
        // Where the last step began, with its damping.
        let mut before = None;
        while self.history.len() < problem.max_iterations && !(self.hasty && pace.is_stalled()) {
            let drives = drives_of(&at.posture, unknowns);
            let proposal = self.proposed(&at, &drives, &model, &pace);
            let all_open_settled = !undetermined || proposal.size < SETTLED;
            if let Some(end) = self.ends_here(&at, &drives, &proposal, &pace, all_open_settled) {
                let event = if end == End::BranchEnds { self.event_ahead(&at, &mut model) } else { None };
                return self.found(at, end, event);
            }
            let whole = if proposal.in_parts { pace.part == 1.0 } else { pace.damping == 0.0 };
            if whole
                && pace.share == 1.0
                && all_open_settled
                && let Some(beside) = self.finished(&at, &proposal.step, &model)
            {
                return self.found_at(at, Some(beside), (End::Met, None));
            }
            let way = Way::of(proposal.step.clone());
            let tried = self.moved_under(&at, &way, None, pace.longest.min(LONGEST));
            let length = tried.as_ref().map_or(0.0, |t| t.1);
            if let Ok((posture, _)) = &tried
                && length < LAST_STEP
                && at.gap.amax() < FUNNEL
                && all_open_settled
                && self.are_met(posture)
            {
                let beside = (posture.clone(), way);
                return self.found_at(at, Some(beside), (End::Met, None));
            }
            // Within the funnel what drives do least decides, and an old factor no longer knows that.
            let explores = at.gap.norm() > funnel;
            let damping = if proposal.in_parts { 0.0 } else { pace.damping };
            let aim = (!undetermined && !pace.slow).then_some(Aim { model: &model, damping, parts: proposal.in_parts });
            let tried = tried.and_then(|(posture, length)| match explores {
                true => self.explored(&at, (posture, way, length), &proposal.foretold, aim),
                false => Ok((posture, way)),
            });
            let tried = tried.and_then(|(posture, way)| {
                let aim = aim.filter(|_| explores);
                self.judged(&at, posture, (&way.drives, aim), &proposal.foretold, funnel)
            });
            let refusal = match tried {
                Ok((next, step)) => {
                    let damped = pace.damping;
                    pace.after(&Taken {
                        before: at.gap.norm(),
                        promised: at.gap.norm().powi(2) - proposal.foretold.norm_squared(),
                        left: next.gap.norm(),
                        funnel,
                        undetermined,
                        curves: model.foresees(&step, (&at.jacobian, &at.gap), &next.gap),
                        length,
                        size: proposal.size,
                    });
                    model.learn(&step, (&at.jacobian, &at.gap), (&next.jacobian, &next.gap));
                    model.see(&next.jacobian);
                    if undetermined && at.gap.norm() < NEAR_TARGETS {
                        let drives = drives_of(&next.posture, unknowns);
                        model.learn_effort(&step, (&at.jacobian, &next.jacobian), (&drives, &proposal.held), unknowns);
                    }
                    before = Some((at.posture, damped));
                    at = next;
                    std::mem::swap(self.here, self.there);
                    continue;
                }
                Err(Refusal::Stopped) => return self.found(at, End::Stopped, None),
                Err(refusal) => refusal,
            };
            if undetermined && at.gap.norm() < funnel && pace.takes_smaller_share() {
                continue;
            }
            // What a step was judged by may have promised too much: it was extrapolated to equilibrium from some way off.
            let promised = at.gap.norm() - proposal.foretold.norm();
            let far_off = at.plain_size > STEP_TOLERANCE && at.plain_size.powi(2) > EXACT * promised;
            if refusal != Refusal::TooLong && far_off {
                match self.nearer(&at) {
                    Ok(nearer) => {
                        at = nearer;
                        continue;
                    }
                    Err(Refusal::Stopped) => return self.found(at, End::Stopped, None),
                    Err(_) => {}
                }
                // The step that led here had left the branch.
                if let Some((posture, damped)) = before.take() {
                    if problem.renew.is_some() {
                        *self.here = Memory::of(&posture);
                    }
                    let Some(back) = linearise(posture, problem, self.here) else { return self.nowhere(start) };
                    at = back;
                    pace.back(damped);
                    if !self.note(&at, 0.0) {
                        return self.found(at, End::Stopped, None);
                    }
                    continue;
                }
                // The factor of a step that leads nowhere is given up.
                let Some(again) = linearise(at.posture.clone(), problem, self.here) else { return self.nowhere(start) };
                at = again;
            }
            pace.after_refusal(refusal, proposal.in_parts, length);
            if !proposal.in_parts && (pace.is_exhausted() || proposal.size < NOTHING) {
                return self.ended_short(at, start, pace.lost, &mut model);
            }
        }
        match self.at_rest(at) {
            Some(rest) => self.found(rest, End::Unfinished, None),
            None => self.nowhere(start),
        }
    }

    /// The step that leads toward the targets at this pace.
    fn proposed(&self, at: &Linear, drives: &[f64], model: &Model<'_>, pace: &Pace) -> Proposal {
        let (problem, damping, share) = (self.problem, pace.damping, pace.share);
        let toward =
            |aim: &DVector<f64>, damping: f64| model.toward(&at.jacobian, aim, drives, problem, (damping, share));
        // A part of the way to targets that can all be met, where no limit is in it.
        let all = problem.unknowns.len() == at.gap.len() && self.held.is_empty();
        let in_parts = (all && pace.goes_in_parts()).then(|| toward(&(&at.gap * pace.part), 0.0));
        let in_parts = in_parts.filter(|(_, held)| held.iter().all(|own| *own == Held::Free));
        let is_part = in_parts.is_some();
        let curved = || model.curved(&at.jacobian, &at.gap, drives, problem, damping);
        let (step, held) =
            in_parts.or_else(|| if pace.slow { curved() } else { None }).unwrap_or_else(|| toward(&at.gap, damping));
        let foretold = &at.gap + &at.jacobian * &step;
        Proposal { size: step.amax() / share, held, foretold, in_parts: is_part, step }
    }

    /// How the search ends where it stands, if it does.
    fn ends_here(
        &self,
        at: &Linear,
        drives: &[f64],
        proposal: &Proposal,
        pace: &Pace,
        all_open_settled: bool,
    ) -> Option<End> {
        if at.plain_size >= STEP_TOLERANCE {
            return None;
        }
        if at.gap.amax() <= TARGET_TOLERANCE {
            return (at.gap.amax() < TARGET_TOLERANCE && all_open_settled).then_some(End::Met);
        }
        let nearest = match pace.damping == 0.0 || proposal.in_parts {
            true => at.gap.norm_squared() - proposal.foretold.norm_squared() < NO_GAIN * at.gap.norm_squared(),
            false => across(at, drives, self.problem.unknowns, self.held) < ACROSS,
        };
        nearest.then_some(if pace.lost { End::BranchEnds } else { End::Nearest })
    }

    /// True if a posture meets the targets.
    fn are_met(&mut self, posture: &Posture) -> bool {
        let view = At { system: &posture.system, state: &posture.state, inputs: &posture.inputs };
        gaps(view, self.problem.goals, &mut self.there.beside).amax() < TARGET_TOLERANCE
    }

    /// The end of a search that no shorter step brings nearer.
    fn ended_short(mut self, at: Linear, start: &Posture, lost: bool, model: &mut Model<'_>) -> Found {
        let Some(rest) = self.at_rest(at) else { return self.nowhere(start) };
        if rest.gap.amax() < TARGET_TOLERANCE {
            return self.found(rest, End::Met, None);
        }
        if lost && rest.gap.amax() > TARGET_TOLERANCE {
            let event = self.event_ahead(&rest, model);
            return self.found(rest, End::BranchEnds, event);
        }
        self.found(rest, End::Nearest, None)
    }

    /// Where the search stands, a step nearer to equilibrium; lost if that is on another branch.
    fn nearer(&mut self, at: &Linear) -> Result<Linear, Refusal> {
        let next = corrected(at.clone(), self.problem, self.here).ok_or(Refusal::Lost)?;
        if !self.note(&next, at.plain_size) {
            return Err(Refusal::Stopped);
        }
        let leads = next.plain_size < LARGEST_CONTRACTION * at.plain_size && next.negative == at.negative;
        if leads { Ok(next) } else { Err(Refusal::Lost) }
    }

    /// The equilibrium under the drives of a posture near one.
    fn at_rest(&mut self, at: Linear) -> Option<Linear> {
        if at.plain_size < STEP_TOLERANCE {
            return Some(at);
        }
        *self.there = Memory::of(&at.posture);
        let mut at = linearise(at.posture, self.problem, self.there)?;
        for _ in 0..MOST_CORRECTIONS {
            if at.plain_size < STEP_TOLERANCE {
                break;
            }
            at = self.corrected(at)?;
            let size = at.plain_size;
            self.note(&at, size);
        }
        Some(at)
    }

    /// What lies between an equilibrium and where the targets call the drives.
    fn event_ahead(&mut self, at: &Linear, model: &mut Model) -> Option<Event> {
        let Posture { system, state, inputs } = &at.posture;
        let drives = drives_of(&at.posture, self.problem.unknowns);
        let (step, _) = model.toward(&at.jacobian, &at.gap, &drives, self.problem, (0.0, 1.0));
        let mut wanted = inputs.clone();
        for (own, x) in self.problem.unknowns.iter().zip(step.iter()) {
            wanted.set(own.input, (inputs.get(own.input) + x * own.unit).clamp(own.limits.0, own.limits.1));
        }
        let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
        let mut work = system.workspace();
        let found = path::advance(system, state, (inputs, &wanted), &options, &mut work, &mut |_| true);
        found.outcome.events.first().copied()
    }

    fn found(self, at: Linear, end: End, event: Option<Event>) -> Found {
        self.found_at(at, None, (end, event))
    }

    /// The same where the search ended a little way from the last factor.
    fn found_at(self, at: Linear, beside: Option<(Posture, Way)>, (end, event): (End, Option<Event>)) -> Found {
        let (negative, jacobian) = (at.negative, at.jacobian.clone());
        let (posture, way) = beside.unwrap_or_else(|| (at.posture.clone(), Way::none(self.problem.unknowns.len())));
        // Where tubes are pushed the next search has other equations.
        let goes_on = end == End::Met && self.problem.renew.is_none();
        *self.ended = goes_on.then(|| Box::new(Ended { posture: posture.clone(), near: at, way }));
        if self.problem.renew.is_some() {
            *self.there = Memory::of(&posture);
        }
        let view = At { system: &posture.system, state: &posture.state, inputs: &posture.inputs };
        let weighted = gaps(view, self.problem.goals, &mut self.there.beside);
        let mut plain = Vec::with_capacity(weighted.len());
        for goal in self.problem.goals {
            goal.quantity.gap(view, &mut self.there.beside, &mut plain);
        }
        let side = |own: &Unknown| {
            let value = posture.inputs.get(own.input);
            i8::from(value >= own.limits.1) - i8::from(value <= own.limits.0)
        };
        Found {
            at_limit: self.problem.unknowns.iter().map(side).collect(),
            end,
            distance: weighted.amax(),
            misfit: weighted.norm(),
            gaps: plain,
            iterations: self.history.len(),
            negative,
            event,
            history: self.history,
            jacobian,
            posture,
        }
    }

    /// Nothing can be said: the equations are singular where the search begins, or went there.
    fn nowhere(self, start: &Posture) -> Found {
        let view = At { system: &start.system, state: &start.state, inputs: &start.inputs };
        let mut work = start.system.workspace();
        let weighted = gaps(view, self.problem.goals, &mut work);
        let mut plain = Vec::new();
        self.problem.goals.iter().for_each(|goal| goal.quantity.gap(view, &mut work, &mut plain));
        Found {
            posture: start.clone(),
            end: End::Unfinished,
            distance: weighted.amax(),
            misfit: weighted.norm(),
            gaps: plain,
            iterations: self.history.len(),
            at_limit: vec![0; self.problem.unknowns.len()],
            negative: None,
            event: None,
            history: self.history,
            jacobian: nalgebra::DMatrix::zeros(0, self.problem.unknowns.len()),
        }
    }
}
