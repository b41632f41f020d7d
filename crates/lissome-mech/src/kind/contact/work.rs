//! What friction takes from what slides: force along the surface times slip.

use super::{Contact, Seen};
use crate::contribution::{At, Constraint};
use crate::state::State;
use lissome_lie::Twist;
use nalgebra::Vector6;

impl Contact {
    /// What friction takes over a time step that ends at a state, J: the force that was told of the step, with what stopped what
    /// ran in, times the slip in it.
    pub fn friction_loss(&self, at: &At<'_>) -> f64 {
        let told = *at.state.block(self.told);
        match told[1] == 0.0 && told[2] == 0.0 {
            // What exerts nothing along the surface need not be looked at.
            true => 0.0,
            false => self.loss_by(at, |_| told),
        }
    }

    /// A force times the slip since the anchor, J.
    fn loss_by(&self, at: &At<'_>, force: impl Fn(&Seen) -> Vector6<f64>) -> f64 {
        let Some(seen) = self.glance(at).filter(|_| self.friction.is_some()) else { return 0.0 };
        let (force, way) = (force(&seen), self.way(&seen, at.state));
        force[1] * way.x + force[2] * way.y
    }

    /// What friction takes on the way from one equilibrium to the next, J. While it slides its force is μ times the force
    /// along the normal, which goes from what it was at `start` to what it is now: the mean of the two counts, so that longer
    /// increments cost an error of second order only. What begins to touch on the way begins with nothing.
    pub fn increment_loss(&self, start: &State, at: &At<'_>) -> f64 {
        let pressed = |state: &State| -state.block(self.multiplier.block)[0];
        let partner = |state: &State| self.ground.partner(state).map(|(partner, _)| partner.which);
        let now = pressed(at.state);
        if now <= 0.0 {
            return 0.0;
        }
        let before = if partner(start) == partner(at.state) { pressed(start).max(0.0) } else { 0.0 };
        let multiplier = at.state.block(self.multiplier.block);
        let loss = self.loss_by(at, |seen| self.condition(at, Some(seen), multiplier).acting(multiplier));
        loss * 0.5 * (1.0 + before / now)
    }

    /// What friction takes over a step of length h in which something lands, J: its impulse, with its part of what stops what
    /// runs in, times the mean of the speeds of slip at both ends. Such a step goes as far as its last speed says, though
    /// what lands is braked from its first. `mean` is the mean velocity of a slot, in its axes at the end.
    pub fn landing_loss(&self, h: f64, at: &At<'_>, mean: &dyn Fn(usize) -> Option<Twist>) -> f64 {
        let told = at.state.block(self.told);
        if self.friction.is_none() || (told[1] == 0.0 && told[2] == 0.0) {
            return 0.0;
        }
        let mut speed = Vector6::zeros();
        self.jacobian(at, &mut |node, rows| {
            speed += mean(node.index()).map_or(Vector6::zeros(), |velocity| rows * velocity.to_vector());
        });
        h * (told[1] * speed[1] + told[2] * speed[2])
    }
}
