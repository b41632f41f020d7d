//! What contacts that slide or part do to the velocities at the end of a step, and what contacts exerted over it.

use super::{MotionWorkspace, Rates, Velocities};
use crate::constraints::Acting;
use crate::contribution::{Constraint, push};
use crate::index::Node;
use crate::{Inputs, State, System};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_sparse::FactorError;
use nalgebra::{Vector2, Vector3, Vector6};

/// A round that changes no impulse by more than this part of the largest of the step is the last.
const SAME_IMPULSE: f64 = 1e-11;
/// Rounds in which friction follows the impulses along the normals: each adds a power of μ.
const SLIDING_ROUNDS: usize = 40;
/// What sticks to something driven is let go at the end of a step if that takes so many times what friction can give.
const BEYOND: f64 = 2.0;
/// What pulls by less than this part of what it pressed by does not.
const PULLS: f64 = 1e-6;
/// What slides back by less than this part of its speed does not.
const BACKWARD: f64 = 1e-6;

/// A contact that slides: how the impulse along its normal brakes what touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slide {
    /// Number of the contact.
    contact: usize,
    /// Impulse of its force over the step along the normal, N s; what presses is negative.
    pressed: f64,
    /// Impulse along the surface for one along the normal.
    along: Vector6<f64>,
    /// Its entries in the list of what it does to nodes.
    pushes: (usize, usize),
}

/// What contacts that slide do to the velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct Sliding {
    slides: Vec<Slide>,
    /// What one unit of impulse along the normal does to nodes.
    pushes: Vec<(Node, Vector6<f64>)>,
    /// Impulses along the surface of all contacts.
    impulses: Vec<Vector6<f64>>,
    /// The largest impulse of a contact in the step, N s: what a change is small beside.
    scale: f64,
}

impl Sliding {
    pub(super) fn new(contacts: usize) -> Self {
        Self { impulses: vec![Vector6::zeros(); contacts], ..Self::default() }
    }

    /// Nothing slides.
    fn clear(&mut self) {
        self.slides.clear();
        self.pushes.clear();
        self.impulses.fill(Vector6::zeros());
        self.scale = 0.0;
    }

    /// Impulse along the surface of a contact.
    pub(super) fn impulse(&self, contact: usize) -> Vector6<f64> {
        self.impulses[contact]
    }
}

impl System {
    /// Finds the contacts that slide at the end of a step: the force of each goes against its slip, and so does its part of
    /// the impulses that stop what runs in.
    fn find_sliding(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) {
        let at = self.at(end, inputs);
        work.velocity.sliding.clear();
        let MotionWorkspace { duration, velocity, standing: [_, standing], .. } = work;
        let (duration, Sliding { slides, pushes, scale, .. }) = (*duration, &mut velocity.sliding);
        for (k, contact) in self.values.kinds.contacts.iter().enumerate() {
            let Some(friction) = contact.friction_at(at.state) else { continue };
            let Acting { multiplier, condition, .. } = standing.acting(contact, &at);
            let tangential = multiplier[1].hypot(multiplier[2]);
            if !condition.slides(1) || tangential == 0.0 {
                continue;
            }
            *scale = scale.max(multiplier[0].abs() * duration);
            let part = -friction.coefficient / tangential;
            let mut along = Vector6::zeros();
            (along[1], along[2]) = (part * multiplier[1], part * multiplier[2]);
            let first = pushes.len();
            standing.visit(contact, &at, &mut |node, j| pushes.push((node, -j.tr_mul(&along))));
            let pressed = multiplier[0] * duration;
            slides.push(Slide { contact: k, pressed, along, pushes: (first, pushes.len()) });
        }
    }

    /// Impulses of friction of the contacts that slide, from those along their normals in the last solve. Returns how much
    /// they changed, N s; `None` if they are what they were.
    fn brake_sliding(&self, work: &mut MotionWorkspace) -> Option<f64> {
        let mut sliding = std::mem::take(&mut work.velocity.sliding);
        let mut forces = std::mem::take(&mut work.base.forces);
        forces.fill(DualVector::zero());
        let (mut change, mut largest) = (0.0f64, sliding.scale);
        for slide in &sliding.slides {
            // What pulls more than was pressed over the step takes the friction of the step away, and does not push.
            let impulse = self.impulse_of(self.values.kinds.contacts[slide.contact].multiplier.block, work)[0];
            let pressed = impulse.min(-slide.pressed);
            let impulse = slide.along * pressed;
            let before = std::mem::replace(&mut sliding.impulses[slide.contact], impulse);
            change = change.max((impulse - before).amax());
            largest = largest.max(impulse.amax());
            let (first, end) = slide.pushes;
            sliding.pushes[first..end].iter().for_each(|(node, on)| push(&mut forces, *node, &(on * pressed)));
        }
        work.base.forces = forces;
        work.velocity.sliding = sliding;
        (change > SAME_IMPULSE * largest).then_some(change)
    }

    /// What slides is braked by its part of the impulses that stop what runs in, and no farther than to a stop.
    pub(super) fn brake(
        &self,
        end: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocities: &mut Velocities<'_>,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let driven = rates.ahead != rates.behind;
        // Each time one at least.
        while driven && self.let_go_of_driven(end, inputs, work) {
            self.solve_velocities(end, rates, true, velocities, work)?;
        }
        self.find_sliding(end, inputs, work);
        self.settle_sliding(velocities, work);
        while self.hold_reversed((end, inputs), velocities, work) {
            self.release_sliding(work);
            self.solve_velocities(end, rates, true, velocities, work)?;
            self.settle_sliding(velocities, work);
            if driven && self.let_go_of_driven(end, inputs, work) {
                self.solve_velocities(end, rates, true, velocities, work)?;
                self.settle_sliding(velocities, work);
            }
        }
        Ok(())
    }

    /// Lets go of the contacts that what is driven would pull along, and along the surface of those that it would carry along by far more
    /// than friction can: a drive that sets out or stops at once slides under what lies on it. False if there are none.
    pub(super) fn let_go_of_driven(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> bool {
        let at = self.at(end, inputs);
        let mut any = false;
        for contact in &self.values.kinds.contacts {
            let block = contact.multiplier.block;
            let holds = work.velocity.wanted[block.index()].holds;
            if !holds[0] && !holds[1] {
                continue;
            }
            let pressed = work.standing[1].acting(contact, &at).force * work.duration;
            let total = pressed + self.impulse_of(block, work);
            let wanted = &mut work.velocity.wanted[block.index()];
            if total[0] > PULLS * pressed.norm() {
                wanted.holds = [false; 6];
                any = true;
            } else if let Some(friction) = contact.friction_at(at.state).filter(|_| holds[1])
                && total[1].hypot(total[2]) > BEYOND * friction.coefficient * -total[0].min(0.0)
            {
                (wanted.holds[1], wanted.holds[2]) = (false, false);
                any = true;
            }
        }
        any
    }

    /// Nothing sticks: what has no past moves with what it touches only as far as friction will take it.
    pub(super) fn let_go_along(&self, work: &mut MotionWorkspace) {
        for contact in self.values.kinds.contacts.iter().filter(|contact| contact.friction.is_some()) {
            let wanted = &mut work.velocity.wanted[contact.multiplier.block.index()];
            (wanted.holds[1], wanted.holds[2]) = (false, false);
        }
    }

    /// Holds the contacts along the surface that their own friction would drive back; false if there are none.
    fn hold_reversed(
        &self,
        (end, inputs): (&State, &Inputs),
        velocities: &Velocities<'_>,
        work: &mut MotionWorkspace,
    ) -> bool {
        let at = self.at(end, inputs);
        let all = (&*velocities.slots, &*velocities.joints);
        let mut slides = std::mem::take(&mut work.velocity.sliding.slides);
        let before = slides.len();
        slides.retain(|slide| {
            let contact = &self.values.kinds.contacts[slide.contact];
            let mut rate = Vector6::zeros();
            work.standing[1].visit(contact, &at, &mut |node, j| rate += j * self.node_velocity(node, all));
            // `along` points against the slip.
            let back = rate.dot(&slide.along) / slide.along.norm();
            let reversed = back > BACKWARD * rate.fixed_rows::<3>(0).norm()
                && self.impulse_of(contact.multiplier.block, work)[0] < 0.0;
            if reversed {
                let wanted = &mut work.velocity.wanted[contact.multiplier.block.index()];
                (wanted.holds[1], wanted.holds[2]) = (true, true);
                (wanted.rate[1], wanted.rate[2]) = (0.0, 0.0);
            }
            !reversed
        });
        let held = slides.len() < before;
        work.velocity.sliding.slides = slides;
        held
    }

    /// Contacts slide in an impact, each by its impulse along the surface for one along the normal.
    pub(super) fn slide_on(
        &self,
        state: &State,
        those: impl Iterator<Item = (usize, Vector2<f64>)>,
        work: &mut MotionWorkspace,
    ) {
        let at = self.at(state, &self.values.nominal);
        work.velocity.sliding.clear();
        let Sliding { slides, pushes, .. } = &mut work.velocity.sliding;
        for (contact, along) in those {
            let along = Vector6::new(0.0, along.x, along.y, 0.0, 0.0, 0.0);
            let first = pushes.len();
            self.values.kinds.contacts[contact].jacobian(&at, &mut |node, j| pushes.push((node, -j.tr_mul(&along))));
            slides.push(Slide { contact, pressed: 0.0, along, pushes: (first, pushes.len()) });
        }
    }

    /// Friction and impulses along normals in turns, until both stay.
    pub(super) fn settle_sliding(&self, velocities: &mut Velocities<'_>, work: &mut MotionWorkspace) {
        let mut last = f64::INFINITY;
        for _ in 0..SLIDING_ROUNDS {
            let Some(change) = self.brake_sliding(work) else { break };
            if change >= last {
                // Where parts are wedged, each impulse would call for a larger one: then they are stopped without.
                self.release_sliding(work);
                self.solve_factored_velocities(velocities, work);
                break;
            }
            last = change;
            self.solve_factored_velocities(velocities, work);
        }
    }

    /// No impulses of friction.
    pub(super) fn release_sliding(&self, work: &mut MotionWorkspace) {
        work.velocity.sliding.impulses.fill(Vector6::zeros());
        work.base.forces.fill(DualVector::zero());
    }

    /// What friction took over a step of length h in which something landed, J, from the velocities of the slots at both of its
    /// ends; what contacts exerted was told.
    pub fn landing_friction(
        &self,
        h: f64,
        (end, inputs): (&State, &Inputs),
        [first, last]: [&[Twist]; 2],
        work: &MotionWorkspace,
    ) -> f64 {
        let mean = |slot: usize| {
            let turn = end.poses.get(slot)?.rotation.inverse() * work.before.poses.get(slot)?.rotation;
            let (was, is) = (first.get(slot)?, last.get(slot)?);
            let middle = |was: &Vector3<f64>, is: &Vector3<f64>| (turn.rotate(was) + is) * 0.5;
            Some(Twist { angular: middle(&was.angular, &is.angular), linear: middle(&was.linear, &is.linear) })
        };
        let at = self.at(end, inputs);
        self.values.kinds.contacts.iter().map(|contact| contact.landing_loss(h, &at, &mean)).sum()
    }

    /// Writes down what contacts exerted over a step of length h: their forces and what stopped what ran in.
    pub fn tell_contacts(&self, h: f64, end: &mut State, inputs: &Inputs, work: &MotionWorkspace) {
        for (contact, sliding) in self.values.kinds.contacts.iter().zip(&work.velocity.sliding.impulses) {
            let Acting { force, .. } = work.standing[1].acting(contact, &self.at(end, inputs));
            let impulse = self.impulse_of(contact.multiplier.block, work) + sliding;
            end.linear[contact.told] = force + impulse / h;
        }
    }
}
