//! Branches of equilibria followed by their own length: through folds, past bifurcations, onto the branches that cross there.
//!
//! The parameter of the drives runs both ways, within the range that it has. A branch ends where it leaves that range, closes
//! on itself, runs into one that is known, or has had its steps. Bifurcations wait in a queue until the branch that they were
//! found on is done; then each is left to both sides along the motion that nothing resists there, made normal to the branch:
//!
//! ```text
//! (s*, t*) ⊞ a (φ, 0),  corrected at constant amplitude a: both signs of a are two branches
//! ```

use crate::Iteration;
use crate::arc_events::{ArcEvent, ArcEventKind};
use crate::arclength::{AIM, FIRST_STEP, Place, SHORTER, SHORTEST_STEP, STRAIGHT, Station, Tangent, seen_from};
use crate::continuation::Continuation;
use crate::driver::Driver;
use crate::event::{Event, EventKind};
use crate::outcome::Status;
use crate::path::Step;
use crate::stability;
use crate::statics::{self, StaticOptions};
use lissome_mech::{CurvatureOf, Inputs, System, Workspace};
use lissome_model::{ArcDirection, Arclength};
use std::collections::VecDeque;
use std::ops::Range;

/// The inputs beyond the ends of the range go on as they did over this last part of it: trials may reach beyond.
pub(crate) const EDGE: f64 = 1e-3;
/// Two places nearer than this are one: rad and fractions of the length in the mean, parts of the range.
const SAME: f64 = 1e-4;
/// What is farther from the way of a step than this part of it does not lie on it.
const NEAR_THE_WAY: f64 = 0.3;
/// Tangents whose cosine is above this are those of one branch.
const ALIGNED: f64 = 0.9;
/// How far a bifurcation is left at first, and what is tried next.
const AMPLITUDES: [f64; 5] = [0.05, 0.1, 0.02, 0.2, 0.005];
/// Trials to meet the end of the range, and how near to it is good enough.
const LANDINGS: usize = 40;
const AT_THE_END: f64 = 1e-12;
/// Events nearer than this many of their own errors, or than [`SAME`], are one.
const SAME_CROSSING: f64 = 1e-3;

/// A branch of a diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedBranch {
    /// Where it begins: `None` for the branch through the first equilibrium, and for the same the other way.
    pub from: Option<Origin>,
    /// Its samples, of all in the order in which they were recorded.
    pub samples: Range<usize>,
    /// True if its equilibria may turn for free, as a buckled round column about its thrust: one of a family stands for all.
    pub neutral: bool,
    /// How it ended.
    pub end: BranchEnd,
}

/// The bifurcation that a branch begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The branch it was found on.
    pub branch: usize,
    /// The sample that stands there.
    pub sample: usize,
    /// To which side: 1 or −1.
    pub side: i8,
}

/// How a branch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchEnd {
    /// It leaves the range of the drives.
    LeavesRange,
    /// It is a closed loop.
    Closes,
    /// It runs into a branch that is known.
    Meets {
        /// Which.
        branch: usize,
    },
    /// It has had as many steps as were allowed.
    StepsSpent,
    /// No step, however short, leads on.
    Lost,
    /// The observer asked to stop.
    Stopped,
}

impl BranchEnd {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::LeavesRange => "leaves-range",
            Self::Closes => "closes",
            Self::Meets { .. } => "meets-branch",
            Self::StepsSpent => "steps-spent",
            Self::Lost => "lost",
            Self::Stopped => "stopped",
        }
    }

    /// True if the branch was followed as far as there was to follow.
    pub fn is_complete(self) -> bool {
        matches!(self, Self::LeavesRange | Self::Closes | Self::Meets { .. })
    }
}

/// Follows the branch through the equilibrium at the start, and those that cross it as far as asked. `record` sees every
/// point, `observer` every iteration; either stops the work with `false`.
pub fn trace(
    system: &System,
    end: f64,
    how: &Arclength,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
    record: &mut dyn FnMut(Step<'_>) -> bool,
) -> Vec<TracedBranch> {
    let course = |t: f64| extended(system, end, t);
    trace_along(system, end, &course, how, options, work, observer, record)
}

/// The same along a course of inputs of one's own, in parts of the range.
// As many as it takes: what it works on, how, and who looks on.
#[allow(clippy::too_many_arguments)]
pub(crate) fn trace_along(
    system: &System,
    end: f64,
    course: &dyn Fn(f64) -> Inputs,
    how: &Arclength,
    options: &StaticOptions,
    work: &mut Workspace,
    observer: &mut dyn FnMut(&Iteration) -> bool,
    record: &mut dyn FnMut(Step<'_>) -> bool,
) -> Vec<TracedBranch> {
    let begin = how.start_at / end;
    let inputs = course(begin);
    let first = statics::solve_from_natural_under(system, &inputs, options, work, observer);
    let at = how.start_at;
    let go_on =
        record(Step { index: 0, at, inputs: &inputs, solution: &first, work, branch: 0, arc: 0.0, friction: 0.0 });
    let lost = |end| vec![TracedBranch { from: None, samples: 0..1, neutral: false, end }];
    if !go_on || !first.outcome.converged() {
        return lost(if go_on { BranchEnd::Lost } else { BranchEnd::Stopped });
    }
    let mut driver = Driver { system, work, options, history: Vec::new(), checks: 0, definite: false, observer };
    let limit = usize::MAX;
    let way = Continuation { driver: &mut driver, course, tolerance: SAME, judged: true, limit, steps: 0 };
    let place = Place { state: first.state, inputs, t: begin };
    let mut tracer = Tracer {
        way,
        how,
        end,
        record,
        branches: Vec::new(),
        known: Vec::new(),
        crossings: Vec::new(),
        samples: 1,
        stopped: false,
    };
    let Some(station) = tracer.station(place) else { return lost(BranchEnd::Lost) };
    tracer.run(station);
    tracer.branches
}

/// The inputs at a part of the range, continued beyond its ends.
pub(crate) fn extended(system: &System, end: f64, t: f64) -> Inputs {
    let beyond = |inner: f64, edge: f64, by: f64| {
        system.inputs_at(end * inner).toward(&system.inputs_at(end * edge), 1.0 + by / EDGE)
    };
    match t {
        t if t < 0.0 => beyond(EDGE, 0.0, -t),
        t if t > 1.0 => beyond(1.0 - EDGE, 1.0, t - 1.0),
        t => system.inputs_at(end * t),
    }
}

/// A bifurcation that waits to be left.
struct Crossing {
    branch: usize,
    sample: usize,
    station: Station,
    beside: Station,
    multiplicity: usize,
}

/// A branch to be followed.
enum Seed {
    Main { forward: bool },
    Switched { crossing: usize, mode: usize, side: i8 },
}

struct Tracer<'t, 'd, 'a> {
    way: Continuation<'d, 'a>,
    how: &'t Arclength,
    end: f64,
    record: &'t mut dyn FnMut(Step<'_>) -> bool,
    branches: Vec<TracedBranch>,
    /// The points of every branch, with the length of the step that follows.
    known: Vec<Vec<(Station, f64)>>,
    crossings: Vec<Crossing>,
    samples: usize,
    stopped: bool,
}

impl Tracer<'_, '_, '_> {
    fn run(&mut self, first: Station) {
        let forward = |forward| Seed::Main { forward };
        let mut queue: VecDeque<Seed> = match self.how.direction {
            ArcDirection::Forward => [forward(true)].into(),
            ArcDirection::Backward => [forward(false)].into(),
            ArcDirection::Both => [forward(true), forward(false)].into(),
        };
        let mut seen = 0;
        let mut switched = 0;
        while let Some(seed) = queue.pop_front() {
            if self.stopped {
                return;
            }
            match seed {
                Seed::Main { forward } => {
                    let tangent = if forward { first.tangent.clone() } else { first.tangent.reversed() };
                    self.begin(None, Station { tangent, ..first.clone() }, !forward);
                }
                Seed::Switched { .. } if switched >= self.how.branches => return,
                Seed::Switched { crossing, mode, side } => match self.switch(crossing, mode, side) {
                    Some(neutral) => {
                        switched += 1;
                        // One of a family stands for all of them.
                        if neutral {
                            queue
                                .retain(|seed| !matches!(seed, Seed::Switched { crossing: of, .. } if *of == crossing));
                        }
                    }
                    None => continue,
                },
            }
            while seen < self.crossings.len() {
                let modes = self.crossings[seen].multiplicity;
                let sides = (0..modes).flat_map(|mode| [(mode, 1), (mode, -1)]);
                queue.extend(sides.map(|(mode, side)| Seed::Switched { crossing: seen, mode, side }));
                seen += 1;
            }
        }
    }

    /// A place with its tangent and its stability.
    fn station(&mut self, place: Place) -> Option<Station> {
        let tangent = self.way.arc_tangent(&place, None)?;
        let negative = self.way.count(&place.state, &place.inputs)?;
        Some(Station { place, tangent, negative })
    }

    /// Follows the branch through the first equilibrium; `anew` if that was recorded for another way already.
    fn begin(&mut self, from: Option<Origin>, station: Station, anew: bool) {
        let branch = self.branches.len();
        let first = if self.branches.is_empty() { 0 } else { self.samples };
        self.branches.push(TracedBranch { from, samples: first..first, neutral: false, end: BranchEnd::Stopped });
        self.known.push(Vec::new());
        if anew && branch > 0 {
            self.keep(&station, 0.0, None);
        }
        self.branches[branch].end = self.follow(station, FIRST_STEP.min(self.how.longest_step), 0.0);
        self.branches[branch].samples.end = self.samples;
    }

    /// Leaves a bifurcation along a mode; `None` if that leads nowhere new, else whether the branch is one of a family.
    fn switch(&mut self, crossing: usize, mode: usize, side: i8) -> Option<bool> {
        let Crossing { branch, sample, ref station, ref beside, multiplicity } = self.crossings[crossing];
        let station = station.clone();
        let system = self.way.driver.system;
        let work = &mut *self.way.driver.work;
        let Station { place: Place { state, inputs, .. }, negative, .. } = beside;
        let modes = stability::critical_modes(system, state, inputs, *negative, multiplicity, work);
        let direction = &modes.get(mode)?.direction;
        let place = &station.place;
        system.assemble(&place.state, &place.inputs, CurvatureOf::Increments, work);
        let mut beside = station.tangent.beside(direction, system, work)?;
        if side < 0 {
            beside = beside.reversed();
        }
        let start = Station { tangent: beside, ..station };
        let (found, length) = AMPLITUDES.iter().find_map(|amplitude| {
            let length = amplitude.min(self.how.longest_step);
            let (found, _) = self.way.station_along(&start, length)?;
            let (along, whole) = seen_from(system, &start.place, &start.tangent, &found.place);
            (along > 0.5 * whole && found.tangent.cosine(&start.tangent, system) > 0.5).then_some((found, length))
        })?;
        if !(0.0..=1.0).contains(&found.place.t) || self.is_known(&found) {
            return None;
        }
        let neutral = system.is_conservative()
            && stability::is_neutral(system, &found.place.state, &found.place.inputs, self.way.driver.work);
        let id = self.branches.len();
        let first = self.samples;
        let from = Some(Origin { branch, sample, side });
        self.branches.push(TracedBranch { from, samples: first..first, neutral, end: BranchEnd::Stopped });
        self.known.push(Vec::new());
        self.keep(&start, 0.0, None);
        if let Some(last) = self.known[id].last_mut() {
            last.1 = length;
        }
        self.keep(&found, length, None);
        self.branches[id].end = match self.stopped {
            true => BranchEnd::Stopped,
            false => self.follow(found, length, length),
        };
        self.branches[id].samples.end = self.samples;
        Some(neutral)
    }

    /// Records a point of the branch that is being followed.
    fn keep(&mut self, station: &Station, arc: f64, event: Option<&ArcEvent>) {
        let Place { state, inputs, t } = &station.place;
        let events = event.map(|event| self.told(event)).into_iter().collect();
        let at = self.end * t;
        let driver = &mut *self.way.driver;
        let steps = std::mem::replace(&mut self.way.steps, 0).max(1);
        let solution = driver.report(Status::Converged, state.clone(), inputs.clone(), steps, events, None);
        let branch = self.branches.len() - 1;
        let work = &*driver.work;
        let step = Step { index: self.samples, at, inputs, solution: &solution, work, branch, arc, friction: 0.0 };
        self.stopped |= !(self.record)(step);
        self.samples += 1;
        self.known[branch].push((station.clone(), 0.0));
    }

    fn told(&mut self, event: &ArcEvent) -> Event {
        let Station { place, tangent, .. } = &event.station;
        let system = self.way.driver.system;
        let (kind, multiplicity) = match event.kind {
            ArcEventKind::Fold => (EventKind::Fold, 1),
            ArcEventKind::Bifurcation { multiplicity } => (EventKind::Bifurcation, multiplicity),
        };
        let moves = match event.kind {
            ArcEventKind::Fold => stability::largest_motion_of(system, &tangent.step),
            ArcEventKind::Bifurcation { .. } => {
                let work = &mut *self.way.driver.work;
                let Station { place: Place { state, inputs, .. }, negative, .. } = &event.beside;
                let mode = stability::critical_mode(system, state, inputs, *negative, work);
                mode.and_then(|mode| stability::largest_motion(system, &mode.direction, work))
            }
        };
        Event {
            kind,
            at: self.end * event.t,
            within: self.end * event.within,
            before: self.way.driver.energy(&place.state, &place.inputs),
            after: None,
            negative_directions: (event.negative.0, Some(event.negative.1)),
            place: moves,
            moved: 0.0,
            multiplicity,
        }
    }

    /// From a point that is recorded along its branch.
    fn follow(&mut self, from: Station, first_step: f64, travelled: f64) -> BranchEnd {
        let system = self.way.driver.system;
        let branch = self.branches.len() - 1;
        // Where it would close: the first regular point of it.
        let reference = from.clone();
        if self.known[branch].is_empty() {
            self.known[branch].push((from.clone(), 0.0));
        }
        let (mut at, mut length, mut arc) = (from, first_step, travelled);
        for _ in 0..self.how.max_steps {
            let next = loop {
                if self.stopped {
                    return BranchEnd::Stopped;
                }
                if length < SHORTEST_STEP {
                    return BranchEnd::Lost;
                }
                match self.way.station_along(&at, length) {
                    Some((next, contraction)) if next.tangent.cosine(&at.tangent, system) > STRAIGHT => {
                        break (next, contraction);
                    }
                    _ => length *= SHORTER,
                }
            };
            let (mut next, contraction) = next;
            let mut ended = None;
            if !(-AT_THE_END..=1.0 + AT_THE_END).contains(&next.place.t) {
                let edge = if next.place.t > 1.0 { 1.0 } else { 0.0 };
                let Some((landed, at_length)) = self.land(&at, (next.clone(), length), edge) else {
                    length *= SHORTER;
                    continue;
                };
                (next, length, ended) = (landed, at_length, Some(BranchEnd::LeavesRange));
            } else if let Some((met, at_length, end)) = self.meets(&at, &next, length, &reference, arc - travelled) {
                (next, length, ended) = (met, at_length, Some(end));
            }
            self.way.steps += 1;
            if let Some(last) = self.known[branch].last_mut() {
                last.1 = length;
            }
            for event in self.way.arc_events(&at, &next, length) {
                self.keep(&event.station, arc + event.h, Some(&event));
                self.known[branch].pop();
                if let ArcEventKind::Bifurcation { multiplicity } = event.kind {
                    self.found_crossing(branch, event.station, event.beside, multiplicity);
                }
            }
            arc += length;
            self.keep(&next, arc, None);
            if let Some(end) = ended {
                return end;
            }
            at = next;
            length = (length * (AIM / contraction).sqrt().clamp(0.5, 2.0)).min(self.how.longest_step);
        }
        BranchEnd::StepsSpent
    }

    fn found_crossing(&mut self, branch: usize, station: Station, beside: Station, multiplicity: usize) {
        let system = self.way.driver.system;
        let known = self.crossings.iter().any(|crossing| {
            seen_from(system, &crossing.station.place, &crossing.station.tangent, &station.place).1 < SAME_CROSSING
        });
        if !known && system.is_conservative() {
            self.crossings.push(Crossing { branch, sample: self.samples - 1, station, beside, multiplicity });
        }
    }

    /// Between a station and one beyond an end of the range: the station at that end, and its length along the tangent.
    fn land(&mut self, from: &Station, beyond: (Station, f64), edge: f64) -> Option<(Station, f64)> {
        let (mut short, mut long) = ((0.0, from.place.t), (beyond.1, beyond.0.place.t));
        let mut found = None;
        for _ in 0..LANDINGS {
            let part = (edge - short.1) / (long.1 - short.1);
            let length = short.0 + (long.0 - short.0) * part;
            let (near, _) = self.way.station_along(from, length)?;
            let t = near.place.t;
            found = Some((near, length));
            if (t - edge).abs() < AT_THE_END {
                break;
            }
            // Outside is where the first trial beyond was.
            if (t - edge) * (beyond.0.place.t - edge) > 0.0 {
                long = (length, t);
            } else {
                short = (length, t);
            }
            if long.0 - short.0 < AT_THE_END {
                break;
            }
        }
        let (mut station, length) = found?;
        (station.place.t, station.place.inputs) = (edge, (self.way.course)(edge));
        Some((station, length))
    }

    /// True if a point lies on a branch that was followed.
    fn is_known(&mut self, point: &Station) -> bool {
        let system = self.way.driver.system;
        let mut near: Vec<(usize, usize, f64)> = Vec::new();
        for (branch, stations) in self.known.iter().enumerate() {
            for (index, (station, length)) in stations.iter().enumerate() {
                let (along, whole) = seen_from(system, &station.place, &station.tangent, &point.place);
                let off = (whole * whole - along * along).max(0.0).sqrt();
                if (-SAME..=length + SAME).contains(&along) && off < NEAR_THE_WAY * length {
                    near.push((branch, index, along));
                }
            }
        }
        near.into_iter().any(|(branch, index, along)| {
            let station = self.known[branch][index].0.clone();
            let Some((there, _)) = self.way.station_along(&station, along) else { return false };
            seen_from(system, &there.place, &there.tangent, &point.place).1 < SAME
                && there.tangent.cosine(&point.tangent, system).abs() > ALIGNED
        })
    }

    /// On the way of a step: a point of a branch that was followed before, or the first of this one.
    fn meets(
        &mut self,
        at: &Station,
        next: &Station,
        length: f64,
        reference: &Station,
        travelled: f64,
    ) -> Option<(Station, f64, BranchEnd)> {
        let system = self.way.driver.system;
        let own = self.branches.len() - 1;
        let mut near: Vec<(f64, BranchEnd, Place, Tangent)> = Vec::new();
        let mut look = |station: &Station, end: BranchEnd| {
            let (along, whole) = seen_from(system, &at.place, &at.tangent, &station.place);
            let off = (whole * whole - along * along).max(0.0).sqrt();
            if along > 0.0 && along <= length && off < NEAR_THE_WAY * length {
                near.push((along, end, station.place.clone(), station.tangent.clone()));
            }
        };
        // The ends of the range are no places to meet: branches begin and end there.
        let inside = |station: &Station| station.place.t > 0.0 && station.place.t < 1.0;
        if travelled > 2.0 * length {
            look(reference, BranchEnd::Closes);
        }
        // The same branch the other way begins where that one began.
        let twin = self.branches[own].from.is_none();
        for (branch, stations) in self.known.iter().enumerate().filter(|(branch, _)| *branch != own) {
            let skipped = if twin && self.branches[branch].from.is_none() { 2 } else { 1 };
            for (station, _) in stations.iter().skip(skipped).filter(|(station, _)| inside(station)) {
                look(station, BranchEnd::Meets { branch });
            }
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (along, end, place, tangent) in near {
            if tangent.cosine(&next.tangent, system).abs() < 0.5 {
                continue;
            }
            let Some((there, _)) = self.way.station_along(at, along) else { continue };
            let near = seen_from(system, &there.place, &there.tangent, &place).1 < SAME;
            if near && there.tangent.cosine(&tangent, system).abs() > ALIGNED {
                return Some((there, along, end));
            }
        }
        None
    }
}
