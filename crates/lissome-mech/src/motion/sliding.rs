//! What contacts that slide do to the velocities at the end of a step, and what contacts exerted over it.

use super::MotionWorkspace;
use crate::constraints::Acting;
use crate::contribution::{At, Constraint, push};
use crate::kind::contact::Contact;
use crate::{Inputs, State, System};
use lissome_lie::dual::DualVector;
use nalgebra::Vector6;

/// A round that changes no impulse by more than this part is the last.
const SAME_IMPULSE: f64 = 1e-13;

impl System {
    /// Impulses of friction of the contacts that slide, from those along their normals in the last solve; false if they are
    /// what they were.
    pub(super) fn brake_sliding(&self, end: &State, inputs: &Inputs, work: &mut MotionWorkspace) -> bool {
        let at = self.at(end, inputs);
        let mut forces = std::mem::take(&mut work.base.forces);
        forces.fill(DualVector::zero());
        let (mut change, mut largest) = (0.0f64, 0.0f64);
        for (k, contact) in self.values.kinds.contacts.iter().enumerate() {
            let impulse = self.sliding_impulse(contact, &at, work);
            change = change.max((impulse - work.velocity.sliding[k]).amax());
            largest = largest.max(impulse.amax());
            work.velocity.sliding[k] = impulse;
            if impulse != Vector6::zeros() {
                contact.jacobian(&at, &mut |node, j| push(&mut forces, node, &-j.tr_mul(&impulse)));
            }
        }
        work.base.forces = forces;
        change > SAME_IMPULSE * largest
    }

    /// Impulse along the surface of a contact that slides: μ times that along the normal, as its force goes.
    fn sliding_impulse(&self, contact: &Contact, at: &At<'_>, work: &MotionWorkspace) -> Vector6<f64> {
        let mut impulse = Vector6::zeros();
        let Some(friction) = contact.friction_at(at.state) else { return impulse };
        let Acting { multiplier, condition, .. } = Acting::of(contact, at);
        let along = multiplier[1].hypot(multiplier[2]);
        if condition.slides(1) && along > 0.0 {
            let pressed = self.impulse_of(contact.multiplier.block, work)[0];
            let part = -friction.coefficient * pressed / along;
            (impulse[1], impulse[2]) = (part * multiplier[1], part * multiplier[2]);
        }
        impulse
    }

    /// Writes down what contacts exerted over a step of length h: their forces and what stopped what ran in.
    pub fn tell_contacts(&self, h: f64, end: &mut State, inputs: &Inputs, work: &MotionWorkspace) {
        for (contact, sliding) in self.values.kinds.contacts.iter().zip(&work.velocity.sliding) {
            let Acting { force, .. } = Acting::of(contact, &self.at(end, inputs));
            let impulse = self.impulse_of(contact.multiplier.block, work) + sliding;
            end.linear[contact.told] = force + impulse / h;
        }
    }
}
