//! What a system asks of a state, and the step that answers a change of it: derivatives by the values of a system, and by
//! whatever the values are made from.
//!
//! ```text
//! b(x, p) = −R(x, p)          what the equations with values p ask of the state x, zero at an equilibrium
//! K dx/dp = db/dp             K the tangent at the equilibrium; driven poses and gaps prescribe their own part of dx
//! ```
//!
//! Any smooth course x(p) through the equilibrium serves for db/dp: the step is then the rest of the motion.

use crate::assemble::{CurvatureOf, Held, Known, KnownRod, add_to};
use crate::constraints::{Acting, Sharing, give_of};
use crate::contribution::Constraint;
use crate::index::{RodIndex, Slot};
use crate::inputs::Inputs;
use crate::kind::each_constraint;
use crate::node::{Home, Role};
use crate::rod::Rod;
use crate::rod::curve::Curve;
use crate::sink::{HeldBlock, NoMatrix};
use crate::{State, Step, System, Workspace};
use lissome_lie::{Pose, Twist, Wrench};
use nalgebra::{Vector3, Vector6};
use std::sync::Arc;

/// What equations ask of a state, or how that changes with a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Of every row: −R.
    rows: Vec<f64>,
    /// Steps of the groups that are prescribed; zero in the rows of others.
    steps: Vec<f64>,
}

impl Demand {
    /// From the rows of all groups, of which those from `first` on are prescribed, and their steps.
    pub(crate) fn of_rows(rows: &[f64], steps: &[f64], first: usize) -> Self {
        let mut own = vec![0.0; rows.len()];
        own[first..].copy_from_slice(&steps[first..]);
        Self { rows: rows.to_vec(), steps: own }
    }

    /// True if a step of the groups from `first` on is prescribed.
    pub(crate) fn prescribes(&self, first: usize) -> bool {
        self.steps[first..].iter().any(|step| *step != 0.0)
    }

    /// Writes the prescribed steps into those of all groups.
    pub(crate) fn write_steps(&self, first: usize, steps: &mut [f64]) {
        steps[first..].copy_from_slice(&self.steps[first..]);
    }

    /// Adds what the prescribed steps cost.
    pub(crate) fn charge(&mut self, cost: &[f64]) {
        add_to(cost, &mut self.rows);
    }

    /// The largest number in it.
    pub fn largest(&self) -> f64 {
        self.rows.iter().chain(&self.steps).fold(0.0, |largest, x| largest.max(x.abs()))
    }

    /// Largest difference from another, of the largest number of this one; zero if both vanish.
    pub fn distance(&self, other: &Self) -> f64 {
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        let size = |own: &[f64]| own.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        let part = |a: &[f64], b: &[f64]| if apart(a, b) == 0.0 { 0.0 } else { apart(a, b) / size(a) };
        part(&self.rows, &other.rows).max(part(&self.steps, &other.steps))
    }

    /// Puts in the place of each number what a function makes of it and of its like in others.
    pub fn combine<const N: usize>(&mut self, others: [&Self; N], make: impl Fn(f64, [f64; N]) -> f64) {
        for (i, own) in self.rows.iter_mut().enumerate() {
            *own = make(*own, others.map(|other| other.rows[i]));
        }
        for (i, own) in self.steps.iter_mut().enumerate() {
            *own = make(*own, others.map(|other| other.steps[i]));
        }
    }

    /// The largest sum with another one over the largest difference, of rows and of steps; zero where all sums vanish in rounding.
    pub fn bend_of_growth(&self, below: &Self, rounding: &Self) -> f64 {
        let part = |above: &[f64], below: &[f64], rounding: &[f64]| {
            let pairs = above.iter().zip(below).zip(rounding);
            let (bend, growth) = pairs.fold((0.0f64, 0.0f64), |(bend, growth), ((above, below), lost)| {
                let own = (above + below).abs();
                (if own <= *lost { bend } else { bend.max(own) }, growth.max((above - below).abs()))
            });
            if bend == 0.0 { 0.0 } else { bend / growth }
        };
        part(&self.rows, &below.rows, &rounding.rows).max(part(&self.steps, &below.steps, &rounding.steps))
    }

    /// True if nothing is asked.
    pub fn is_nothing(&self) -> bool {
        self.rows.iter().chain(&self.steps).all(|own| *own == 0.0)
    }

    /// Adds a multiple of another.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a += factor * b);
        self.steps.iter_mut().zip(&other.steps).for_each(|(a, b)| *a += factor * b);
    }
}

/// Memory in which many systems are asked of states near one: rods that are the same there, with the same stresses and moved as a whole
/// at most, are evaluated once, since what a rod resists with depends on its shape alone. Of those that have the same shape and stresses, and
/// are others themselves, the strain of their curve is known, and what their stresses exert.
#[derive(Clone, Debug)]
pub struct Neighbourhood {
    here: State,
    work: Workspace,
    /// The rods here.
    rods: Vec<Arc<Rod>>,
    /// What the memory holds of each as it is here.
    known: Vec<KnownRod>,
    /// True if it holds here how everything moves with what carries it.
    holds_terms: bool,
}

/// The columns of prescribed groups in a tangent.
#[derive(Clone, Debug)]
pub struct PrescribedColumns {
    blocks: Vec<HeldBlock>,
}

/// What a functional of the steps makes of every demand: its adjoint solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Covector {
    on_rows: Vec<f64>,
    on_steps: Vec<f64>,
}

impl Covector {
    /// What it makes of the rows of all groups.
    pub(crate) fn on_rows(&self) -> &[f64] {
        &self.on_rows
    }

    /// Adds another; true if that was so small that the next one would be lost in rounding.
    pub(crate) fn add(&mut self, system: &System, other: &Self) -> bool {
        let n = system.unknowns();
        let settled = system.is_settled(&self.on_rows[..n], &other.on_rows[..n]);
        add_to(&other.on_rows, &mut self.on_rows);
        settled
    }

    /// How the functional changes with what the demand tells the change of.
    pub fn of(&self, demand: &Demand) -> f64 {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        dot(&self.on_rows, &demand.rows) + dot(&self.on_steps, &demand.steps)
    }
}

impl System {
    /// What is asked of nothing.
    pub fn no_demand(&self) -> Demand {
        let all = self.layout.homes.all_rows();
        Demand { rows: vec![0.0; all], steps: vec![0.0; all] }
    }

    /// What rounding leaves of what is asked of a state: of conditions what it leaves of poses, of balances what it leaves of the stresses
    /// that stand in the state.
    pub fn rounding(&self, state: &State) -> Demand {
        let (homes, length) = (&self.layout.homes, self.values.scales.length);
        let carried = || self.layout.rods.iter().flat_map(|place| &state.linear[place.stresses()]);
        let largest = |rows: std::ops::Range<usize>| {
            carried().flat_map(|stress| &stress.as_slice()[rows.clone()]).fold(0.0f64, |most, own| most.max(own.abs()))
        };
        let moment = largest(0..3).max(largest(3..6) * length);
        let mut lost = self.no_demand();
        for (home, role) in homes.all().iter().zip(&self.layout.roles) {
            let Home::Own(group) = home else { continue };
            let balance = role.is_motion();
            for (i, row) in homes.rows(*group).enumerate() {
                lost.rows[row] = ROUNDING
                    * match (balance, i < 3) {
                        (true, true) => moment,
                        (true, false) => moment / length,
                        (false, true) => 1.0,
                        (false, false) => length,
                    };
                lost.steps[row] = ROUNDING * if i < 3 { 1.0 } else { length };
            }
        }
        lost
    }

    /// True if something in it acts on one side alone, so that a neighbour may feel nothing where one on the other side does.
    pub fn is_one_sided(&self) -> bool {
        let kinds = &self.values.kinds;
        let mut found = !kinds.tendons.is_empty();
        each_constraint!(kinds, |constraint| {
            found |= constraint.is_one_sided();
        });
        found
    }

    /// What these equations ask of a state. The workspace may be that of any system with this layout.
    pub fn demand(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> Demand {
        self.evaluate_rows(state, inputs, &Known::default(), work);
        self.demand_evaluated(state, inputs, work)
    }

    /// What these equations ask of a state, and memory for those of their neighbours.
    pub fn neighbourhood(&self, here: &State, inputs: &Inputs) -> (Neighbourhood, Demand) {
        let mut work = self.evaluation_workspace();
        let asked = self.demand(here, inputs, &mut work);
        let rods = self.values.rods.iter().zip(&self.layout.rods).enumerate();
        let known = rods
            .map(|(i, (rod, place))| KnownRod::of(rod, &here.poses[place.poses()], &work.scratch[i], &work.line[i]));
        let known = known.collect();
        let rods = self.values.rods.clone();
        (Neighbourhood { here: here.clone(), work, rods, known, holds_terms: true }, asked)
    }

    /// What these equations ask of a state near that of a neighbourhood of other equations with this layout. `same` tells which rods
    /// have the values that they have there, and no state is given where it is the one there and everything stands on what carries it as it
    /// does there.
    pub fn demand_near(
        &self,
        state: Option<&State>,
        inputs: &Inputs,
        same: &[bool],
        memory: &mut Neighbourhood,
    ) -> Demand {
        let Neighbourhood { here, work, rods, known, holds_terms } = memory;
        let (stays, state) = (state.is_none(), state.unwrap_or(here));
        let mut now = Vec::with_capacity(known.len());
        for (i, known) in known.iter_mut().enumerate() {
            let place = &self.layout.rods[i];
            let (own, other) = (place.carried(&state.linear), place.carried(&here.linear));
            let [poses, others] = [state, here].map(|state| &state.poses[place.poses()]);
            let lies = stays || poses == others;
            let same = same.get(i) == Some(&true);
            let same_points = same || self.values.rods[i].curve().has_points_of(rods[i].curve());
            let shaped = lies || is_carried(poses, others, self.values.scales.length);
            let strained = own.stress == other.stress && own.tension == other.tension;
            let as_here = match shaped {
                true if strained && same => Held::Misfit,
                true if strained && same_points => Held::Gradient,
                true => Held::Shape,
                false => Held::Nothing,
            };
            now.push(as_here);
            known.held = known.held.min(as_here);
            known.lies = lies && same_points;
        }
        let all = Known { rods: known, terms: stays && *holds_terms };
        self.evaluate_rows(state, inputs, &all, work);
        known.iter_mut().zip(now).for_each(|(known, now)| known.held = now);
        *holds_terms = stays;
        self.demand_evaluated(state, inputs, work)
    }

    fn demand_evaluated(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> Demand {
        let n = self.unknowns();
        work.steps[n..].fill(0.0);
        self.fill_gap_steps(&self.at(state, inputs), &mut work.steps);
        Demand::of_rows(&work.right_hand_side, &work.steps, n)
    }

    /// Adds to the rows of a demand what its prescribed steps cost. The workspace must have been assembled at this state.
    pub fn charge_steps(&self, state: &State, inputs: &Inputs, demand: &mut Demand, work: &mut Workspace) {
        let n = self.unknowns();
        if !demand.prescribes(n) {
            return;
        }
        let own = work.steps[n..].to_vec();
        demand.write_steps(n, &mut work.steps);
        self.write_tangent(state, inputs, CurvatureOf::Poses, work, &mut NoMatrix);
        demand.charge(&work.held.cost);
        work.steps[n..].copy_from_slice(&own);
    }

    /// What prescribed steps cost, whatever they are, for many demands at one state. The workspace must have been assembled there.
    pub fn prescribed_columns(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> PrescribedColumns {
        work.held.columns = Some(Vec::new());
        self.write_tangent(state, inputs, CurvatureOf::Poses, work, &mut NoMatrix);
        let mut blocks = work.held.columns.take().unwrap_or_default();
        blocks.sort_by_key(|block| (block.row, block.column));
        blocks.dedup_by(|next, sum| {
            let same = (next.row, next.column) == (sum.row, sum.column);
            if same {
                sum.block += next.block;
            }
            same
        });
        PrescribedColumns { blocks }
    }

    /// Adds to the rows of a demand what its prescribed steps cost.
    pub fn charge_steps_by(&self, columns: &PrescribedColumns, demand: &mut Demand) {
        let homes = &self.layout.homes;
        for HeldBlock { row, column, block } in &columns.blocks {
            let step = homes.read(*column, &demand.steps);
            if step.iter().any(|own| *own != 0.0) {
                homes.add(*row, &-(block * step), &mut demand.rows);
            }
        }
    }

    /// True if a demand prescribes a step.
    pub fn is_prescribing(&self, demand: &Demand) -> bool {
        demand.prescribes(self.unknowns())
    }

    /// Takes out of the assembled matrix by what rows that share a force give way in its factor: answers, which are refined by the matrix,
    /// are those of the tangent itself then.
    pub fn take_sharing_out(&self, state: &State, inputs: &Inputs, work: &mut Workspace) {
        let at = self.at(state, inputs);
        each_constraint!(self.values.kinds, |constraint| {
            let home = constraint.multiplier().node.map(|node| self.layout.homes.of(node));
            if let Some(Home::Own(group)) = home {
                let (condition, size) = (Acting::of(constraint, &at).condition, constraint.size());
                let own =
                    |sharing: Sharing| condition.own_block(size, &give_of(constraint, at.scales, &condition, sharing));
                work.add_block(group, &(own(Sharing::None) - own(Sharing::On)));
            }
        });
    }

    /// The step that answers a demand whose steps have been charged, from the last factor.
    pub fn answer_demand(&self, state: &State, demand: &Demand, work: &mut Workspace) -> Step {
        let n = self.unknowns();
        work.right_hand_side.copy_from_slice(&demand.rows);
        let mut solution = demand.rows[..n].to_vec();
        // Nothing answers nothing: what a body looks like does not move it.
        if solution.iter().any(|row| *row != 0.0) {
            let settled = |x: &[f64], correction: &[f64]| self.is_settled(x, correction);
            solve_refined(&mut solution, |x| work.solve(x), |x, y| work.multiply(x, y), settled);
        }
        work.solution[..n].copy_from_slice(&solution);
        work.solution[n..].copy_from_slice(&demand.steps[n..]);
        self.read_step(work);
        self.read_embedded_reactions(state, work);
        work.step.clone()
    }

    /// The step that answers a wrench on a slot, body axes, from the last factor, to rounding.
    pub fn answer_wrench(&self, slot: usize, wrench: &Wrench, state: &State, work: &mut Workspace) -> Step {
        let mut rows = vec![Vector6::zeros(); self.layout.roles.len()];
        rows[Slot::new(slot).node()] = wrench.to_vector();
        let mut demand = self.no_demand();
        self.layout.homes.spread(rows.iter().copied(), &work.terms, &mut demand.rows);
        self.answer_demand(state, &demand, work)
    }

    /// The functional Σ wrench · step of slots (body axes, step of the slot as in [`Step::poses`]), as one of demands; from the last
    /// factor.
    pub fn adjoint(&self, on: &[(usize, Wrench)], work: &mut Workspace) -> Covector {
        let mut rows = vec![Vector6::zeros(); self.layout.roles.len()];
        for (slot, wrench) in on {
            rows[Slot::new(*slot).node()] += wrench.to_vector();
        }
        let mut on_rows = vec![0.0; self.layout.homes.all_rows()];
        self.layout.homes.spread(rows.iter().copied(), &work.terms, &mut on_rows);
        self.functional(on_rows, work)
    }

    /// A functional of the steps of all groups as one of demands, from the last factor.
    pub(crate) fn functional(&self, mut on_rows: Vec<f64>, work: &Workspace) -> Covector {
        let n = self.unknowns();
        let mut on_steps = vec![0.0; on_rows.len()];
        on_steps[n..].copy_from_slice(&on_rows[n..]);
        on_rows[n..].fill(0.0);
        let (solve, multiply) = (Workspace::solve_transposed, Workspace::multiply_transposed);
        let settled = |x: &[f64], correction: &[f64]| self.is_settled(x, correction);
        solve_refined(&mut on_rows[..n], |x| solve(work, x), |x, y| multiply(work, x, y), settled);
        Covector { on_rows, on_steps }
    }

    /// True if a correction of a solution is so small that the next one would be lost in rounding: each is to the one before as this
    /// one is to the solution. What turns, what shifts and what is a stress or a force are measured apart, since their units are.
    fn is_settled(&self, solution: &[f64], correction: &[f64]) -> bool {
        let mut sizes = [[[0.0f64; 2]; 2]; ROLES];
        let homes = &self.layout.homes;
        for (home, role) in homes.all().iter().zip(&self.layout.roles) {
            let Home::Own(group) = home else { continue };
            let rows = homes.rows(*group);
            if rows.end > solution.len() {
                continue;
            }
            let own = &mut sizes[*role as usize];
            for (i, row) in rows.enumerate() {
                let [known, change] = &mut own[usize::from(i >= 3)];
                *known = known.max(solution[row].abs());
                *change = change.max(correction[row].abs());
            }
        }
        let length = self.values.scales.length;
        let [turn, shift] = sizes[Role::Pose as usize];
        // Where robots move as they are, turns, moments and forces may be what rounding leaves of the motion.
        let motion = turn[0].max(shift[0] / length);
        let unseen = self.unseen_stress(sizes[Role::Stress as usize][0][0], motion);
        sizes.iter().enumerate().all(|(role, [turn, shift])| {
            let [least_turn, least_shift] = match role {
                role if role == Role::Pose as usize => [LEAST_PART * motion, LEAST_PART * motion * length],
                role if role == Role::Stress as usize => unseen,
                _ => [0.0; 2],
            };
            turn[1] <= least_turn.max(CONTRACTION * turn[0]) && shift[1] <= least_shift.max(CONTRACTION * shift[0])
        })
    }

    /// The moment that bends and the force that stretches rods by [`LEAST_PART`] of a motion, or by what rounding leaves beside the turns that moments
    /// of this size bring about: where nothing pulls at slender rods, their forces are made of it.
    fn unseen_stress(&self, moment: f64, motion: f64) -> [f64; 2] {
        let curves = || self.values.rods.iter().map(|rod| rod.curve());
        let stretching = curves().map(Curve::soft_stretching).fold(f64::INFINITY, f64::min);
        let (softest, stiffest) = (curves().map(Curve::soft_bending))
            .fold((f64::INFINITY, 0.0f64), |(least, most), own| (least.min(own), most.max(own)));
        if self.values.rods.is_empty() {
            return [0.0; 2];
        }
        let length = self.values.scales.length;
        let stretch = (LEAST_PART * motion).max(ROUNDING * moment * length / stiffest);
        [LEAST_PART * motion * softest / length, stretch * stretching]
    }

    /// True if all stands here where it stands in a system with this layout and other values, and moves alike with what carries it: states
    /// that are taken over stay what they are. `same` tells which rods have the same values.
    pub fn stands_as(&self, other: &Self, same: &[bool]) -> bool {
        let (own, others) = (&self.values, &other.values);
        let rods = own.rods.iter().zip(&others.rods).zip(same);
        Arc::ptr_eq(&self.layout, &other.layout)
            && own.kinds.tubes.is_empty()
            && own.kinds.tendons.is_empty()
            && own.offsets == others.offsets
            && own.joints == others.joints
            && rods.into_iter().all(|((own, other), same)| {
                let [own_knots, others] = [own, other].map(|rod| rod.curve().knot_vector().knots());
                *same || (own.has_independent_stress() && own_knots == others)
            })
    }

    /// The state of a system with this layout and other values, taken to these: driven poses, and all that stands on something,
    /// are where the new values put them, everything else keeps what it can.
    pub fn adapted_state(&self, before: &System, from: &State, inputs: &Inputs, work: &mut Workspace) -> State {
        let mut state = self.adapted_shape(before, from, inputs);
        self.place_tensions(inputs, &mut state);
        self.refresh_dependent_stress(&mut state, work);
        state
    }

    /// The same without tensions and stresses that follow from shapes: they are as they were.
    pub fn adapted_shape(&self, before: &System, from: &State, inputs: &Inputs) -> State {
        let mut state = self.carried_state(before, from, inputs);
        if self.stretch_rods(before, &mut state) {
            self.settle(&mut state);
        }
        state
    }

    /// Gives rods whose arc length is divided otherwise the strains that they had there: increments grow with the distances of their
    /// control poses. True if a rod was changed.
    fn stretch_rods(&self, before: &System, state: &mut State) -> bool {
        let mut changed = false;
        for r in RodIndex::first(self.values.rods.len()) {
            let (rod, place) = (&self.values.rods[r], self.layout.rods[r].poses());
            let (curve, old) = (rod.curve(), before.values.rods[r].curve());
            let (knots, old) = (curve.knot_vector(), old.knot_vector());
            if rod.strain_basis().is_some() || self.tubes(r).is_some() || knots.knots() == old.knots() {
                continue;
            }
            changed = true;
            let own = &mut state.poses[place];
            let growth =
                |i: usize| (knots.greville(i + 1) - knots.greville(i)) / (old.greville(i + 1) - old.greville(i));
            let grown: Vec<Twist> = (0..own.len() - 1).map(|i| own[i + 1].boxminus(&own[i]) * growth(i)).collect();
            let anchor = curve.anchor();
            for i in anchor..own.len() - 1 {
                own[i + 1] = own[i].boxplus(&grown[i]);
            }
            for i in (0..anchor).rev() {
                own[i] = own[i + 1].boxplus(&(grown[i] * -1.0));
            }
        }
        changed
    }
}

/// What rounding leaves of a pose, rad and lengths.
const ROUNDING: f64 = 1e-14;

/// True if poses are others but for a motion of the whole.
fn is_carried(own: &[Pose], others: &[Pose], length: f64) -> bool {
    let motion = own[0] * others[0].inverse();
    own.iter().zip(others).all(|(own, other)| {
        let apart = own.inverse() * (motion * *other);
        let [_, x, y, z] = apart.rotation.stored();
        apart.position.norm() <= ROUNDING * length && Vector3::new(x, y, z).norm() <= ROUNDING
    })
}

/// Most rounds of refinement: without them the factor of a slender robot leaves 1e-5 in some derivatives.
const REFINEMENTS: usize = 2;
/// Part of a solution that its first correction may be if there is to be no second, which would be about the square of it: 1e-12.
const CONTRACTION: f64 = 1e-6;
/// Part of the motion that a correction may be, of what is next to nothing beside the motion: the second one would be lost in rounding, 1e-20.
const LEAST_PART: f64 = 1e-10;
/// Number of roles that nodes have.
const ROLES: usize = 5;

/// Solves with the last factor where the right-hand side stands, and again for what the matrix leaves of it until that is settled.
fn solve_refined(
    x: &mut [f64],
    solve: impl Fn(&mut [f64]),
    multiply: impl Fn(&[f64], &mut [f64]),
    is_settled: impl Fn(&[f64], &[f64]) -> bool,
) {
    let wanted = x.to_vec();
    solve(x);
    let mut left = vec![0.0; x.len()];
    for _ in 0..REFINEMENTS {
        multiply(x, &mut left);
        left.iter_mut().zip(&wanted).for_each(|(left, wanted)| *left = wanted - *left);
        solve(&mut left);
        let settled = is_settled(x, &left);
        x.iter_mut().zip(&left).for_each(|(x, correction)| *x += correction);
        if settled {
            break;
        }
    }
}
