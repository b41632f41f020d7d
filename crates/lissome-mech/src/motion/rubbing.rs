//! Friction in an impact: what is hit is stopped along the surface too, as far as μ times the impulse along the normal does.

use super::{MotionWorkspace, Rates, Velocities};
use crate::contribution::Constraint;
use crate::kind::contact::Contact;
use crate::{State, System};
use lissome_lie::Twist;
use lissome_sparse::FactorError;
use nalgebra::{Vector2, Vector6};

/// An impulse that exceeds the bound of friction by less than this part of it does not.
const SAME: f64 = 1e-9;

/// A contact that is hit.
struct Rubbing {
    /// Its number.
    contact: usize,
    coefficient: f64,
    /// Speed along the surface before, m/s.
    before: Vector2<f64>,
    sticks: bool,
}

/// Velocities of slots and joints.
type All<'a> = (&'a [Twist], &'a [Vector6<f64>]);

impl System {
    /// Impulses of friction of the contacts that an impact holds along their normals, in the velocities and in what it takes, J. All stick
    /// at first; those that would need more than their bound slide on as they did. Where friction would give energy it does nothing, as where
    /// parts are wedged.
    pub(super) fn rub_in_impact(
        &self,
        state: &State,
        rates: &Rates<'_>,
        before: All<'_>,
        velocities: &mut Velocities<'_>,
        work: &mut MotionWorkspace,
    ) -> Result<f64, FactorError> {
        let mut hit = self.hit_with_friction(state, before, work);
        if hit.is_empty() {
            return Ok(0.0);
        }
        for _ in 0..=hit.len() {
            self.hold_along(&hit, true, work);
            self.solve_from(state, rates, before, velocities, work)?;
            let slides = hit.iter().filter(|own| !own.sticks);
            let slides = slides.map(|own| (own.contact, own.before.normalize() * -own.coefficient));
            self.slide_on(state, slides, work);
            self.settle_sliding(velocities, work);
            let mut more = false;
            for own in hit.iter_mut().filter(|own| own.sticks) {
                let impulse = self.impulse_of(self.values.kinds.contacts[own.contact].multiplier.block, work);
                let bound = own.coefficient * -impulse[0].min(0.0);
                own.sticks = impulse[1].hypot(impulse[2]) <= bound * (1.0 + SAME) || own.before.norm() == 0.0;
                more |= !own.sticks;
            }
            if !more {
                break;
            }
        }
        let (mut taken, mut rubbed) = (0.0, 0.0);
        for own in &hit {
            let contact = &self.values.kinds.contacts[own.contact];
            let impulse = self.impulse_of(contact.multiplier.block, work) + work.velocity.sliding.impulse(own.contact);
            let [was, is] =
                [before, (&*velocities.slots, &*velocities.joints)].map(|all| self.rate_along(contact, state, all));
            let mean = (was + is) * 0.5;
            taken += impulse[0] * mean[0];
            rubbed += impulse[1] * mean[1] + impulse[2] * mean[2];
        }
        self.hold_along(&hit, false, work);
        self.release_sliding(work);
        if taken + rubbed < 0.0 || rubbed < 0.0 {
            self.solve_from(state, rates, before, velocities, work)?;
            rubbed = 0.0;
        }
        Ok(rubbed)
    }

    fn hit_with_friction(&self, state: &State, before: All<'_>, work: &MotionWorkspace) -> Vec<Rubbing> {
        let contacts = self.values.kinds.contacts.iter().enumerate();
        let found = contacts.filter_map(|(number, contact)| {
            let block = contact.multiplier.block;
            let coefficient = contact.friction_at(state)?.coefficient;
            let hit = work.velocity.wanted[block.index()].holds[0] && self.impulse_of(block, work)[0] < 0.0;
            let rate = self.rate_along(contact, state, before);
            (hit && coefficient > 0.0).then_some(Rubbing {
                contact: number,
                coefficient,
                before: Vector2::new(rate[1], rate[2]),
                sticks: true,
            })
        });
        found.collect()
    }

    /// Rates of the rows of a contact.
    pub(super) fn rate_along(&self, contact: &Contact, state: &State, velocities: All<'_>) -> Vector6<f64> {
        let mut rate = Vector6::zeros();
        let at = self.at(state, &self.values.nominal);
        contact.jacobian(&at, &mut |node, j| rate += j * self.node_velocity(node, velocities));
        rate
    }

    /// Holds contacts that stick along the surface too, or none.
    fn hold_along(&self, hit: &[Rubbing], any: bool, work: &mut MotionWorkspace) {
        for own in hit {
            let wanted = &mut work.velocity.wanted[self.values.kinds.contacts[own.contact].multiplier.block.index()];
            for row in 1..3 {
                wanted.holds[row] = any && own.sticks;
                wanted.rate[row] = 0.0;
            }
        }
    }

    /// Velocities from those before the impact, with the rows that hold.
    fn solve_from(
        &self,
        state: &State,
        rates: &Rates<'_>,
        before: All<'_>,
        velocities: &mut Velocities<'_>,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        velocities.slots.copy_from_slice(before.0);
        velocities.joints.copy_from_slice(before.1);
        self.take_momentum(velocities, work);
        self.solve_velocities(state, rates, false, velocities, work)
    }
}
