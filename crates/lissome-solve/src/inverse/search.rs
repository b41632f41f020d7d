//! The rounds of the search: a step of state and drives together, judged by what it did to the gaps.

use super::bounded::Held;
use super::chord::Aim;
use super::judge::across;
use super::linear::{Ended, Linear, Memories, Memory, Way, gaps, linearise};
use super::model::Model;
use super::quantity::At;
use super::stepping::{LARGEST_CONTRACTION, LONGEST, MOST_CORRECTIONS, Refusal, Search, corrected, drives_of};
use super::{Crease, End, Found, Posture, Problem, TARGET_TOLERANCE, Unknown};
use crate::event::Event;
use crate::newton::{Iteration, STEP_TOLERANCE};
use crate::path;
use crate::statics::StaticOptions;

/// The same of what a step began with, which is judged again nearer to equilibrium where it seems to gain nothing.
const EXACT: f64 = 0.02;
/// A step this short ends the search without another factor where the gaps are closed after it: what is left is its square, times
/// some hundreds in long robots.
const LAST_STEP: f64 = 1e-6;
/// Drives that are not determined by the targets must settle to this, in their units.
const SETTLED: f64 = 1e-8;
/// Part of the predicted decrease above which damping is taken back.
const GOOD_GAIN: f64 = 0.5;
/// The same after a longer step was refused.
const BEST_GAIN: f64 = 0.9;
/// The first damping, the factors on it, and where it ends.
const FIRST_DAMPING: f64 = 1e-3;
const MORE_DAMPING: f64 = 8.0;
/// The first where a step is only too long. Columns grow without bound toward a fold, and damping with them: the least that shortens enough is found
/// without a factor.
const FAINT_DAMPING: f64 = 1e-11;
/// A step that was refused is followed by one of at most this part of its size.
const SHRINK: f64 = 0.35;
/// The same where that was foreseen without a factor.
const FORESEEN_SHRINK: f64 = 0.5;
/// Steps that gain at least this part of what they promise may be followed by one that is longer by this factor; those that gain less than the last part, by
/// none that is longer.
const LONGER_GAIN: f64 = 0.75;
const GROW: f64 = 3.0;
const SHORTER_GAIN: f64 = 0.25;
/// The least part of the way to the targets that a step aims at where all of it is too far. Damping would shorten it in what drives do least, and
/// lead along a curved valley; a part of the way keeps its direction.
const LEAST_PART: f64 = 0.1;
/// Steps in a row that left at least this part of the gaps after which a hasty search ends.
const MOST_STALLS: usize = 3;
const STALLED: f64 = 0.95;
/// The same where a step is only too long: that is seen without a factor.
const SHORTER: f64 = 2.0;
const LESS_DAMPING: f64 = 0.1;
const LEAST_DAMPING: f64 = 1e-5;
const MOST_DAMPING: f64 = 1e9;
/// Gaps this small may grow a little again while effort is made less.
const FUNNEL: f64 = 1e-4;
/// The same where the targets leave drives open: steps along the curved set on which they are met leave it by the square of their
/// length, and the next step comes back.
const WIDE_FUNNEL: f64 = 2e-2;
/// Gaps from which on steps lead along the set on which the targets are met.
const NEAR_TARGETS: f64 = 0.05;
/// The least part of the way to less effort that is taken at once.
const LEAST_SHARE: f64 = 0.03;
/// Cosine between the gaps and what drives do to them, below which no drive brings them nearer.
const ACROSS: f64 = 1e-8;
/// The same for what a step that is not damped promises, in parts of the square of the gaps.
const NO_GAIN: f64 = 1e-12;
/// A step of at least this, in the units of the drives, moves on.
const MOVED_ON: f64 = 1e-3;
/// The secant takes part where a step left more than this part of the gaps.
const SLOW: f64 = 0.5;
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

impl Search<'_, '_> {
    fn run(mut self, start: &Posture) -> Found {
        let problem = self.problem;
        let (unknowns, count) = (problem.unknowns, problem.unknowns.len());
        let mut model = Model::new(unknowns, self.held);
        let begun = self.gone_on(start, &mut model);
        let mut at = match begun {
            Some(at) => at,
            None => {
                let Some(at) = linearise(start.clone(), problem, self.here) else {
                    return self.nowhere(start);
                };
                if !self.note(&at, 0.0) {
                    return self.found(at, End::Stopped, true, None);
                }
                at
            }
        };
        model.see(&at.jacobian);
        let undetermined = count > at.gap.len();
        let funnel = if undetermined { WIDE_FUNNEL } else { FUNNEL };
        let (mut damping, mut share, mut slow, mut on_branch) = (0.0, 1.0, false, true);
        let mut last_move = f64::INFINITY;
        // True if the branch was lost since the robot last moved on.
        let mut lost = false;
        // True if a step was refused since; and where the last one began, with its damping.
        let (mut refused, mut before) = (false, None);
        // No step is tried on which a pose moves farther than this, rad or lengths; steps in a row that gained little; and the part of the way to
        // the targets that is aimed at.
        let (mut longest, mut stalls, mut part) = (f64::INFINITY, 0, 1.0_f64);
        while self.history.len() < problem.max_iterations && (!self.hasty || stalls < MOST_STALLS) {
            let drives = drives_of(&at.posture, unknowns);
            // A part of the way to targets that can all be met, where no limit is in it.
            let all = count == at.gap.len() && self.held.is_empty();
            let parts = (part >= LEAST_PART && all && !slow).then(|| {
                let aim = &at.gap * part;
                model.toward(&at.jacobian, &aim, &drives, problem, (0.0, share))
            });
            let parts = parts.filter(|(_, held)| held.iter().all(|own| *own == Held::Free));
            let in_parts = parts.is_some();
            let plain = || model.toward(&at.jacobian, &at.gap, &drives, problem, (damping, share));
            let (step, held) = match (parts, slow) {
                (Some(parts), _) => parts,
                (None, true) => model.curved(&at.jacobian, &at.gap, &drives, problem, damping).unwrap_or_else(plain),
                (None, false) => plain(),
            };
            // As long as the step would be without its share: what a short one leaves is not settled.
            let size = step.amax() / share;
            let predicted = &at.gap + &at.jacobian * &step;
            let settled = at.plain_size < STEP_TOLERANCE;
            if settled && at.gap.amax() < TARGET_TOLERANCE && (!undetermined || size < SETTLED) {
                return self.found(at, End::Met, on_branch, None);
            }
            let gain = at.gap.norm_squared() - predicted.norm_squared();
            let nearest = match damping == 0.0 || in_parts {
                true => gain < NO_GAIN * at.gap.norm_squared(),
                false => across(&at, &drives, unknowns, self.held) < ACROSS,
            };
            if settled && at.gap.amax() > TARGET_TOLERANCE && nearest {
                if lost {
                    let event = self.event_ahead(&at, &mut model);
                    return self.found(at, End::BranchEnds, on_branch, event);
                }
                return self.found(at, End::Nearest, on_branch, None);
            }
            let whole = if in_parts { part == 1.0 } else { damping == 0.0 };
            let may_end = whole && share == 1.0 && (!undetermined || size < SETTLED);
            if may_end && let Some((posture, way)) = self.finished(&at, &step, &model) {
                return self.found_at(at, Some((posture, way)), (End::Met, on_branch, None));
            }
            let way = Way::of(step.clone());
            let tried = self.moved_under(&at, &way, None, longest.min(LONGEST));
            let length = tried.as_ref().map_or(0.0, |t| t.1);
            if let Ok((posture, length)) = &tried
                && *length < LAST_STEP
                && at.gap.amax() < FUNNEL
                && (!undetermined || size < SETTLED)
            {
                let view = At { system: &posture.system, state: &posture.state, inputs: &posture.inputs };
                if gaps(view, problem.goals, &mut self.there.beside).amax() < TARGET_TOLERANCE {
                    on_branch &= posture.state.is_finite();
                    let end = Some((posture.clone(), Way::of(step)));
                    return self.found_at(at, end, (End::Met, on_branch, None));
                }
            }
            // Within the funnel what drives do least decides, and an old factor no longer knows that.
            let explores = at.gap.norm() > funnel;
            let nu = if in_parts { 0.0 } else { damping };
            let aim = (!undetermined && !slow).then_some(Aim { model: &model, damping: nu, parts: in_parts });
            let tried = tried.and_then(|(posture, length)| match explores {
                true => self.explored(&at, (posture, way, length), &predicted, aim),
                false => Ok((posture, way)),
            });
            let mut step = step;
            let tried = tried.and_then(|(posture, way)| {
                step = way.drives;
                self.judged(&at, posture, &step, &predicted, funnel)
            });
            let refusal = match tried {
                Ok(next) => {
                    let (gap, left, damped) = (at.gap.norm(), next.gap.norm(), damping);
                    let gain =
                        (gap * gap - left * left) / (gap * gap - predicted.norm_squared()).max(f64::MIN_POSITIVE);
                    let curves = model.foresees(&step, (&at.jacobian, &at.gap), &next.gap);
                    model.learn(&step, (&at.jacobian, &at.gap), (&next.jacobian, &next.gap));
                    model.see(&next.jacobian);
                    if undetermined && at.gap.norm() < NEAR_TARGETS {
                        let drives = drives_of(&next.posture, unknowns);
                        model.learn_effort(&step, (&at.jacobian, &next.jacobian), (&drives, &held), unknowns);
                    }
                    slow = left > SLOW * gap && left > FUNNEL && curves;
                    if left < funnel {
                        // Damping would hold what the targets leave open; there effort is approached by shares.
                        damping = 0.0;
                    } else if gain > GOOD_GAIN && (!refused || gain > BEST_GAIN) {
                        damping = if damping * LESS_DAMPING < LEAST_DAMPING { 0.0 } else { damping * LESS_DAMPING };
                    }
                    if left < funnel {
                        // There gaps may grow within bounds: that says nothing against long steps.
                        longest = f64::INFINITY;
                    } else if gain > LONGER_GAIN {
                        longest = longest.max(GROW * length);
                    } else if gain < SHORTER_GAIN {
                        longest = longest.min(length);
                    }
                    (refused, part) = (false, 1.0);
                    stalls = if left > STALLED * gap && left > funnel { stalls + 1 } else { 0 };
                    // Effort goes down along a curved valley: shorter steps where they do not shrink by themselves.
                    if left < funnel && undetermined {
                        share = if size < last_move { 2.0 * share } else { 0.5 * share }.clamp(LEAST_SHARE, 1.0);
                        last_move = size;
                    }
                    lost &= size < MOVED_ON;
                    before = Some((at.posture, damped));
                    at = next;
                    std::mem::swap(self.here, self.there);
                    continue;
                }
                Err(Refusal::Stopped) => return self.found(at, End::Stopped, on_branch, None),
                Err(refusal) => refusal,
            };
            if undetermined && damping == 0.0 && at.gap.norm() < funnel && share > LEAST_SHARE {
                share *= 0.5;
                continue;
            }
            // What a step was judged by may have promised too much: it was extrapolated to equilibrium from some way off.
            let promised = at.gap.norm() - predicted.norm();
            if refusal != Refusal::TooLong && at.plain_size > STEP_TOLERANCE && at.plain_size.powi(2) > EXACT * promised
            {
                match (self.nearer(&at), before.take()) {
                    (Ok(nearer), last) => {
                        (at, before) = (nearer, last);
                        continue;
                    }
                    (Err(Refusal::Stopped), _) => return self.found(at, End::Stopped, on_branch, None),
                    // The step that led here had left the branch.
                    (Err(_), Some((posture, damped))) => {
                        if problem.renew.is_some() {
                            *self.here = Memory::of(&posture);
                        }
                        let Some(back) = linearise(posture, problem, self.here) else { return self.nowhere(start) };
                        at = back;
                        (damping, lost) = (MORE_DAMPING * f64::max(damped, FIRST_DAMPING), true);
                        if !self.note(&at, 0.0) {
                            return self.found(at, End::Stopped, on_branch, None);
                        }
                        continue;
                    }
                    // The factor of a step that leads nowhere is given up.
                    (Err(_), None) => match linearise(at.posture.clone(), problem, self.here) {
                        Some(again) => at = again,
                        None => return self.nowhere(start),
                    },
                }
            }
            // Seen without a factor.
            let cheap = matches!(refusal, Refusal::TooLong | Refusal::Foreseen);
            lost |= refusal == Refusal::Lost;
            if in_parts {
                part *= if cheap { 0.5 } else { 0.25 };
                continue;
            }
            if refusal == Refusal::Foreseen {
                longest = FORESEEN_SHRINK * length;
            } else if !cheap {
                (refused, longest) = (true, SHRINK * length);
            }
            damping = match refusal {
                Refusal::TooLong if damping < FIRST_DAMPING => f64::max(damping * MORE_DAMPING, FAINT_DAMPING),
                _ if damping == 0.0 => FIRST_DAMPING,
                _ => damping * if cheap { SHORTER } else { MORE_DAMPING },
            };
            if damping > MOST_DAMPING || size < NOTHING {
                let Some(rest) = self.at_rest(at.clone()) else { return self.nowhere(start) };
                return match lost && rest.gap.amax() > TARGET_TOLERANCE {
                    true => {
                        let event = self.event_ahead(&rest, &mut model);
                        self.found(rest, End::BranchEnds, on_branch, event)
                    }
                    _ if rest.gap.amax() < TARGET_TOLERANCE => self.found(rest, End::Met, on_branch, None),
                    _ => self.found(rest, End::Nearest, on_branch, None),
                };
            }
        }
        match self.at_rest(at) {
            Some(rest) => self.found(rest, End::Unfinished, on_branch, None),
            None => self.nowhere(start),
        }
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

    fn found(self, at: Linear, end: End, on_branch: bool, event: Option<Event>) -> Found {
        self.found_at(at, None, (end, on_branch, event))
    }

    /// The same where the search ended a little way from the last factor.
    fn found_at(
        self,
        at: Linear,
        beside: Option<(Posture, Way)>,
        (end, on_branch, event): (End, bool, Option<Event>),
    ) -> Found {
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
            on_branch,
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
            on_branch: false,
            event: None,
            history: self.history,
            jacobian: nalgebra::DMatrix::zeros(0, self.problem.unknowns.len()),
        }
    }
}
