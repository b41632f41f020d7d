//! The equilibrium of a scene within its tolerances.
//!
//! ```text
//! starting division ──▶ equilibrium ──▶ equilibrium on halved spans ──▶ within the tolerance? the answer
//!        ▲                   │ none, or on another branch │                     │
//!        └─ halved, from the natural shape ◀──────────────┘   divided where ◀───┘
//!                                                             it is needed
//! ```

use super::difference::Difference;
use super::division;
use super::finer::Finer;
use crate::statics::{self, Solution, StaticOptions};
use crate::{Event, Iteration};
use lissome_mech::index::RodIndex;
use lissome_mech::{System, Workspace};
use lissome_model::{Invalid, NaturalShape, Rod, Scene};

/// The error on halved spans is this part of the distance between both answers. The field along a cubic spline errs by the
/// fourth power of its spans, but by the second where the natural curvature or the section has a corner: that is assumed. On
/// 500 random scenes the estimate is 0.36 to 14 times the true error of a rod then.
pub(super) const LEFT_BY_HALVING: f64 = 0.25;
/// Divisions before a tolerance is given up.
const MOST_ROUNDS: usize = 8;
/// A division that leaves more than this part of the excess is the last: something else than spans is the matter.
pub(super) const HOPELESS: f64 = 0.8;
/// The error that the next division aims at, of the tolerance.
const AIM: f64 = 0.3;
/// What leads to an answer is settled to this part of the tolerance.
const SETTLED: f64 = 0.05;
/// Two answers farther apart than this (lengths, rad) may be on two branches.
const ANOTHER_BRANCH: f64 = 0.3;
/// How often the search starts anew on halved spans.
const MOST_NEW_STARTS: usize = 2;
/// Two failures whose loads differ by less than this are the same.
const SAME_LOAD: f64 = 0.02;
/// More unknowns than this are not reached for.
const MOST_UNKNOWNS: usize = 2_000_000;

/// An answer and how far it can be trusted.
#[derive(Clone, Debug)]
pub struct Accurate {
    /// The scene as it was divided.
    pub scene: Scene,
    /// Its equations.
    pub system: System,
    /// The answer.
    pub solution: Solution,
    /// Memory as the answer left it.
    pub work: Workspace,
    /// Estimated error of each rod anywhere along it, of its length or in rad; NaN where there is no estimate.
    pub errors: Vec<f64>,
}

/// A divided scene and its answer.
pub(super) struct Solved {
    pub scene: Scene,
    pub system: System,
    pub work: Workspace,
    pub solution: Solution,
}

impl Solved {
    /// From the natural shape.
    pub fn from_natural(scene: Scene, options: &StaticOptions, observer: Observer<'_>) -> Result<Self, Invalid> {
        let system = System::compile(&scene)?;
        let mut work = system.workspace();
        let solution = statics::solve_from_natural(&system, options, &mut work, observer);
        Ok(Self { scene, system, work, solution })
    }

    /// The same robot on other spans, from this answer.
    pub fn on(&self, scene: Scene, options: &StaticOptions, observer: Observer<'_>) -> Result<Self, Invalid> {
        let system = System::compile(&scene)?;
        let mut work = system.workspace();
        let start = system.resampled_state(&self.system, &self.solution.state);
        let options = StaticOptions { load_steps: false, ..*options };
        let inputs = system.inputs_at(0.0);
        let solution = statics::solve(&system, &start, &inputs, &options, &mut work, observer);
        Ok(Self { scene, system, work, solution })
    }

    pub fn converged(&self) -> bool {
        self.solution.outcome.converged()
    }

    /// How far this answer lies from the one on halved spans, for each rod.
    pub fn differences(&self, fine: &Self) -> Vec<Difference> {
        let (own, other) = ((&self.system, &self.solution.state), (&fine.system, &fine.solution.state));
        let rods = self.scene.rods.iter().enumerate().map(|(index, rod)| {
            let index = RodIndex::new(index);
            let mut found = Difference::between(own, other, index);
            if has_own_poses(rod) {
                found.include(fine.system.field_gap(index, other.1), 1.0 / LEFT_BY_HALVING);
            }
            found
        });
        rods.collect()
    }
}

pub(super) type Observer<'a> = &'a mut dyn FnMut(&Iteration) -> bool;

/// Finds the equilibrium of a scene from its natural shape on as many spans as its tolerances need, and estimates its
/// error. Numbers of spans are obeyed.
pub fn solve(scene: &Scene, options: &StaticOptions, observer: Observer<'_>) -> Result<Accurate, Invalid> {
    let search = Search {
        scene,
        options,
        observer,
        stopped: false,
        history: Vec::new(),
        load_steps: 0,
        events: Vec::new(),
        new_starts: 0,
    };
    if scene.rods.iter().any(division::is_open) { search.refine() } else { search.solve_as_divided() }
}

/// Work in progress.
struct Search<'a> {
    scene: &'a Scene,
    options: &'a StaticOptions,
    observer: Observer<'a>,
    /// The observer has asked to stop.
    stopped: bool,
    /// All that was done for answers that were left behind.
    history: Vec<Iteration>,
    load_steps: usize,
    /// What was met on the way from the natural shape to the answer that all others begin from.
    events: Vec<Event>,
    new_starts: usize,
}

impl Search<'_> {
    /// The equilibrium on the spans that the scene has, and its error.
    fn solve_as_divided(mut self) -> Result<Accurate, Invalid> {
        let solved = self.solve_natural(self.scene.clone(), self.options)?;
        let found = if solved.converged() { self.estimate(&solved)? } else { None };
        Ok(self.answer(solved, found.as_deref(), 1.0))
    }

    fn refine(mut self) -> Result<Accurate, Invalid> {
        // Where every rod may be divided the answer is the one on halved spans; what leads to it is not judged.
        let all_open = self.scene.rods.iter().all(|rod| division::is_open(rod) || has_own_poses(rod));
        let mut options = *self.options;
        if all_open {
            options.eigenvalue = false;
            options.settled = SETTLED * self.scene.rods.iter().filter_map(Rod::tolerance).fold(f64::INFINITY, f64::min);
        }
        let left = if all_open { LEFT_BY_HALVING } else { 1.0 };
        let first = division::starting(self.scene, division::FIRST_SPANS);
        let mut coarse = self.solve_natural(first, &options)?;
        let mut failed_at = None;
        let mut last = f64::INFINITY;
        for round in 1.. {
            while !coarse.converged() {
                let reached = coarse.solution.outcome.load_factor();
                let again = failed_at.is_some_and(|other: f64| reached > 0.0 && (other - reached).abs() < SAME_LOAD);
                let known = coarse.solution.outcome.defect.is_some();
                if again || known || !self.may_start_anew() {
                    return Ok(self.answer(coarse, None, left));
                }
                failed_at = Some(reached);
                coarse = self.start_anew(coarse, &options)?;
            }
            let fine =
                if all_open { Some(self.on(&coarse, division::halved(&coarse.scene)?, self.options)?) } else { None };
            // How deep the rods of the answer lie in what they touch.
            let mut sunk = None;
            let found = match &fine {
                Some(fine) if fine.converged() => {
                    let mut found = coarse.differences(fine);
                    let between = Difference::sunk(&coarse.system, (&fine.system, &fine.solution.state), 1.0 / left);
                    found.iter_mut().zip(&between).for_each(|(rod, between)| rod.cover(between));
                    let excess = division::excess(self.scene, &between, left);
                    sunk = (excess > 1.0).then_some((between, excess));
                    Some(found)
                }
                Some(_) => None,
                None => self.estimate(&coarse)?,
            };
            let near = found.as_ref().is_some_and(|rods| rods.iter().all(|rod| rod.size() < ANOTHER_BRANCH));
            if !near && self.may_start_anew() {
                self.history.extend(fine.into_iter().flat_map(|fine| fine.solution.outcome.history));
                coarse = self.start_anew(coarse, &options)?;
                continue;
            }
            let Some(found) = found else { return Ok(self.answer(coarse, None, left)) };
            let excess = division::excess(self.scene, &found, left);
            let largest = division::largest_contribution(self.scene, &found);
            let too_large = coarse.system.unknowns() > MOST_UNKNOWNS;
            // That falls with their spans in the end, but not in every round: over an edge it is how far the next point happens to be.
            let stuck = excess > HOPELESS * last && sunk.is_none();
            let hopeless = stuck || largest == 0.0 || round == MOST_ROUNDS || too_large;
            if excess <= 1.0 || hopeless || self.stopped {
                return Ok(match fine {
                    Some(fine) => {
                        self.leave(coarse);
                        self.answer(fine, Some(&found), left)
                    }
                    None => self.answer(coarse, Some(&found), left),
                });
            }
            last = excess;
            // Where an edge is missed the forces are wrong everywhere, and all spans differ: first it is to be met.
            let grid = match &sunk {
                Some((between, excess)) => {
                    division::refined_where_sunk(&coarse.scene, self.scene, between, AIM / excess)?
                }
                None => division::refined(&coarse.scene, self.scene, &found, AIM / excess)?,
            };
            let next = self.on(&coarse, grid, &options)?;
            self.leave(coarse);
            self.history.extend(fine.into_iter().flat_map(|fine| fine.solution.outcome.history));
            coarse = next;
        }
        unreachable!("the rounds are counted")
    }

    fn may_start_anew(&self) -> bool {
        !self.stopped && self.new_starts < MOST_NEW_STARTS
    }

    /// From the natural shape, on halved spans of the rods that may be divided.
    fn start_anew(&mut self, before: Solved, options: &StaticOptions) -> Result<Solved, Invalid> {
        self.new_starts += 1;
        let grid = division::halved_open(&before.scene, self.scene)?;
        self.leave(before);
        self.solve_natural(grid, options)
    }

    /// Keeps the account of an answer that is left behind.
    fn leave(&mut self, solved: Solved) {
        self.load_steps = self.load_steps.max(solved.solution.outcome.load_steps);
        self.history.extend(solved.solution.outcome.history);
    }

    fn solve_natural(&mut self, scene: Scene, options: &StaticOptions) -> Result<Solved, Invalid> {
        let solved = Solved::from_natural(scene, options, &mut self.watch())?;
        self.events.clone_from(&solved.solution.outcome.events);
        Ok(solved)
    }

    /// The same robot on other spans, from an answer.
    fn on(&mut self, known: &Solved, scene: Scene, options: &StaticOptions) -> Result<Solved, Invalid> {
        known.on(scene, options, &mut self.watch())
    }

    fn watch(&mut self) -> impl FnMut(&Iteration) -> bool {
        |iteration| {
            self.stopped |= !(self.observer)(iteration);
            !self.stopped
        }
    }

    /// Distance of an answer from that on halved spans.
    fn estimate(&self, solved: &Solved) -> Result<Option<Vec<Difference>>, Invalid> {
        let inputs = solved.system.inputs_at(0.0);
        Ok(Finer::new(&solved.scene)?.differences(&solved.system, &solved.solution.state, &inputs))
    }

    fn answer(self, solved: Solved, found: Option<&[Difference]>, left: f64) -> Accurate {
        let Solved { scene, system, work, mut solution } = solved;
        let outcome = &mut solution.outcome;
        let own = std::mem::replace(&mut outcome.history, self.history);
        outcome.history.extend(own);
        outcome.load_steps = outcome.load_steps.max(self.load_steps);
        if outcome.events.is_empty() {
            outcome.events = self.events;
        }
        let errors = match found {
            Some(rods) => rods.iter().map(|rod| left * rod.size()).collect(),
            None => vec![f64::NAN; scene.rods.len()],
        };
        Accurate { scene, system, solution, work, errors }
    }
}

/// True if control poses are the natural shape of a rod, which cannot be divided then.
pub(super) fn has_own_poses(rod: &Rod) -> bool {
    matches!(rod.natural, NaturalShape::ControlPoses(_))
}
