//! Velocities that jump: impacts, in which one-sided constraints close while their nodes approach, and drives that change their rate at once.
//!
//! Velocities jump from u⁻ to u⁺ by an impulse ν along the rows that close, M(u⁺ − u⁻) = −Cᵀν, so that each such row
//! gives back the part e of its approach speed, (C u⁺) = −e (C u⁻) [Newton's law of restitution]; an impulse only pushes.

use super::{MotionWorkspace, Rates, Velocities};
use crate::constraints::Acting;
use crate::contribution::{Constraint, Part};
use crate::index::{Block, Node, Slot};
use crate::inputs::Inputs;
use crate::kind::each_constraint;
use crate::{State, System};
use lissome_lie::Twist;
use lissome_sparse::FactorError;
use nalgebra::Vector6;

/// Gap below which a one-sided row counts as closed, in its unit (rad, or lengths of the robot).
pub const TOUCHING: f64 = 1e-7;
/// Rounds of finding who pushes, and as many more as there are rows; each releases or adds one.
const ROUNDS: usize = 32;
/// What parts by less than this part of the largest speed does not.
const PARTS: f64 = 1e-9;

/// A one-sided row of a constraint at a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// What it belongs to.
    pub part: Part,
    /// Block of its multiplier.
    pub block: Block,
    /// Row in that block.
    pub row: usize,
    /// How far it is open, rad or m.
    pub gap: f64,
    /// What a gap is compared with.
    pub unit: f64,
    /// Rate of the gap, rad/s or m/s: negative while its nodes approach.
    pub speed: f64,
    /// True if its force acts.
    pub closed: bool,
    /// Sign that its multiplier must have.
    side: f64,
    restitution: f64,
}

impl Contact {
    /// True if the gap is closed.
    pub fn touches(&self) -> bool {
        self.gap <= TOUCHING * self.unit
    }
}

impl System {
    /// Every one-sided row that does not give way and whose impacts are located, at a state with the velocities of its slots and joints.
    pub fn contacts(
        &self,
        state: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocities: (&[Twist], &[Vector6<f64>]),
        out: &mut Vec<Contact>,
    ) {
        self.one_sided_rows(state, inputs, rates, velocities, false, out);
    }

    /// The same; with `all` also those whose impacts are steps.
    fn one_sided_rows(
        &self,
        state: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocities: (&[Twist], &[Vector6<f64>]),
        all: bool,
        out: &mut Vec<Contact>,
    ) {
        out.clear();
        let at = self.at(state, inputs);
        let (behind, ahead) = (self.at(state, rates.behind), self.at(state, rates.ahead));
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { multiplier, condition, .. } = Acting::of(constraint, &at);
            if (all || constraint.locates_impacts())
                && condition.compliance == 0.0
                && condition.sides.iter().any(Option::is_some)
            {
                let mut rate = Vector6::zeros();
                constraint.jacobian(&at, &mut |node, j| rate += j * self.node_velocity(node, velocities));
                if rates.ahead != rates.behind {
                    let [before, after] = [&behind, &ahead].map(|at| constraint.open_like(at, &multiplier, &condition));
                    rate += (after - before) / rates.apart;
                }
                let unit = constraint.unit(at.scales);
                for row in 0..constraint.size() {
                    if let Some(side) = condition.sides[row] {
                        out.push(Contact {
                            part: constraint.part(),
                            block: constraint.multiplier().block,
                            row,
                            gap: -side * condition.open[row],
                            unit: unit[row],
                            speed: -side * rate[row],
                            closed: condition.active[row],
                            side,
                            restitution: constraint.restitution(),
                        });
                    }
                }
            }
        });
    }

    /// True if some constraint is one-sided.
    pub fn has_contacts(&self) -> bool {
        let mut any = false;
        let (state, inputs) = (self.natural_state(), &self.values.nominal);
        let at = self.at(&state, inputs);
        each_constraint!(self.values.kinds, |constraint| {
            let condition = Acting::of(constraint, &at).condition;
            any |= constraint.locates_impacts()
                && condition.compliance == 0.0
                && condition.sides.iter().any(Option::is_some);
        });
        any
    }

    pub(super) fn node_velocity(&self, node: Node, (slots, joints): (&[Twist], &[Vector6<f64>])) -> Vector6<f64> {
        if node.index() < self.layout.sources.len() {
            return slots[Slot::new(node.index())].to_vector();
        }
        let joint = self.values.joints.iter().find(|joint| joint.node == node);
        joint.map_or(Vector6::zeros(), |joint| joints[joint.index])
    }

    /// Velocities after the impact of all rows that touch and approach, at the start of the step. Without `rebound` nothing
    /// is given back. Shows each row that was hit; returns what friction took, J.
    pub fn impact(
        &self,
        inputs: &Inputs,
        rates: &Rates<'_>,
        rebound: bool,
        velocities: &mut Velocities<'_>,
        work: &mut MotionWorkspace,
        hit: &mut dyn FnMut(&Contact),
    ) -> Result<f64, FactorError> {
        let state = work.before.clone();
        let mut contacts = Vec::new();
        self.contacts(&state, inputs, rates, (velocities.slots, velocities.joints), &mut contacts);
        contacts.iter().filter(|contact| contact.touches() && contact.speed < 0.0).for_each(hit);
        let (slots, joints) = (velocities.slots.to_vec(), velocities.joints.to_vec());
        self.want_rates(&state, inputs, rates, false, work);
        self.let_go_along(work);
        for contact in contacts.iter().filter(|contact| contact.touches() && contact.speed < 0.0) {
            let back = if rebound { contact.restitution } else { 0.0 };
            self.want_gap_rate(contact, -back * contact.speed, work);
        }
        for _ in 0..ROUNDS + contacts.len() {
            velocities.slots.copy_from_slice(&slots);
            velocities.joints.copy_from_slice(&joints);
            self.take_momentum(velocities, work);
            self.solve_velocities(&state, rates, false, velocities, work)?;
            if !self.correct_impact(&state, inputs, rates, velocities, false, &mut contacts, work) {
                break;
            }
        }
        let rubbed = self.rub_in_impact(&state, rates, (&slots, &joints), velocities, work)?;
        self.start_motion(&state, velocities.slots, inputs, work);
        Ok(rubbed)
    }

    /// Makes velocities of slots consistent with what follows what, with constraints and drives: the nearest in the mass. One-sided rows
    /// hold where they push; what a drive that stops leaves behind flies or slides on. Friction has no past there, and takes what it
    /// touches along in the steps to come.
    pub fn consistent_velocities(
        &self,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocities: &mut Velocities<'_>,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let state = work.before.clone();
        let (slots, joints) = (velocities.slots.to_vec(), velocities.joints.to_vec());
        let mut rows = Vec::new();
        self.one_sided_rows(&state, inputs, rates, (&slots, &joints), true, &mut rows);
        self.want_rates(&state, inputs, rates, false, work);
        self.let_go_along(work);
        let fastest = rows.iter().map(|row| row.speed.abs()).fold(0.0, f64::max);
        for row in rows.iter().filter(|row| row.speed > PARTS * fastest) {
            work.velocity.wanted[row.block.index()].holds[row.row] = false;
        }
        for _ in 0..ROUNDS + rows.len() {
            velocities.slots.copy_from_slice(&slots);
            velocities.joints.copy_from_slice(&joints);
            self.take_momentum(velocities, work);
            self.solve_velocities(&state, rates, false, velocities, work)?;
            if !self.correct_impact(&state, inputs, rates, velocities, true, &mut rows, work) {
                break;
            }
        }
        self.start_motion(&state, velocities.slots, inputs, work);
        Ok(())
    }

    /// Asks a row to hold, with a rate of its gap.
    fn want_gap_rate(&self, contact: &Contact, rate: f64, work: &mut MotionWorkspace) {
        let wanted = &mut work.velocity.wanted[contact.block.index()];
        wanted.holds[contact.row] = true;
        wanted.rate[contact.row] = -contact.side * rate;
    }

    /// Lets go the row that pulls most, or adds the one that goes in fastest; false if there is none.
    #[allow(clippy::too_many_arguments)]
    fn correct_impact(
        &self,
        state: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocities: &Velocities<'_>,
        all: bool,
        contacts: &mut Vec<Contact>,
        work: &mut MotionWorkspace,
    ) -> bool {
        let impulse = |contact: &Contact| self.impulse_of(contact.block, work)[contact.row] * contact.side;
        let holds = |contact: &Contact| work.velocity.wanted[contact.block.index()].holds[contact.row];
        let largest = contacts.iter().filter(|c| holds(c)).map(|c| impulse(c).abs()).fold(0.0, f64::max);
        let pulls = contacts.iter().filter(|c| holds(c) && impulse(c) < -1e-9 * largest);
        if let Some(worst) = pulls.min_by(|a, b| impulse(a).total_cmp(&impulse(b))).copied() {
            work.velocity.wanted[worst.block.index()].holds[worst.row] = false;
            return true;
        }
        let before = contacts.iter().map(|contact| contact.speed.abs()).fold(0.0, f64::max);
        self.one_sided_rows(state, inputs, rates, (velocities.slots, velocities.joints), all, contacts);
        let holds = |contact: &Contact| work.velocity.wanted[contact.block.index()].holds[contact.row];
        let sinks = contacts.iter().filter(|c| c.touches() && !holds(c) && c.speed < -1e-9 * before);
        let Some(worst) = sinks.min_by(|a, b| a.speed.total_cmp(&b.speed)).copied() else { return false };
        self.want_gap_rate(&worst, 0.0, work);
        true
    }
}
