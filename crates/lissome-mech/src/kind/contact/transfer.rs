//! Forces of contacts carried over from another division of the same robot.

use super::Contact;
use super::carrier::Carrier;
use crate::contribution::At;
use crate::state::State;
use lissome_model::Toucher;
use nalgebra::Vector3;

/// A force that something exerts on a stretch of a rod or on a point of a body.
#[derive(Clone, Copy, Debug)]
pub struct PressedPlace {
    /// What touches.
    pub toucher: Toucher,
    /// What it touches.
    pub touched: Toucher,
    /// Number among the contacts of these two: points of a body are the same in every division.
    pub number: usize,
    /// Stretch of the rod that the force is spread over, m; both the same where it acts at one place.
    stretch: [f64; 2],
    /// The edge that the rod lies across, of those of what it touches.
    edge: Option<usize>,
    /// Force on what touches, world axes, N.
    force: Vector3<f64>,
}

impl PressedPlace {
    /// Force on what touches, world axes, N.
    pub fn force(&self) -> Vector3<f64> {
        self.force
    }
}

impl Contact {
    /// The force of a contact that presses.
    pub fn pressed_place(&self, at: &At<'_>, number: usize) -> Option<PressedPlace> {
        if self.is_idle(at.state) {
            return None;
        }
        let touch = self.touch(at)?;
        let (force, _) = self.force(&touch, at);
        let stretch = match &self.carrier {
            Carrier::Rod(cell) if touch.gives[(0, 0)] == 0.0 && !self.touches_at_one_place(at.state) => cell.cell,
            _ => [touch.places[0]; 2],
        };
        let (touched, edge) = (self.touched(at.state)?, self.edge(at.state));
        Some(PressedPlace { toucher: self.toucher, touched, number, stretch, edge, force })
    }

    /// True if it touches at one place, which may slide along the rod.
    fn touches_at_one_place(&self, state: &State) -> bool {
        self.lies_across(state)
            || self.edge(state).is_some()
            || self.ground.partner(state).is_some_and(|(partner, _)| !partner.alongside)
    }

    /// The edge that it lies across at a state.
    fn edge(&self, state: &State) -> Option<usize> {
        Some(self.ground.edges()?.crossed(state)?.which)
    }

    /// The part of a force that falls to this contact, whose memory is that of a state.
    pub fn share_of(&self, pressed: &PressedPlace, number: usize, state: &State) -> f64 {
        if self.edge(state) != pressed.edge {
            return 0.0;
        }
        let [from, to] = pressed.stretch;
        match &self.carrier {
            Carrier::Point { .. } | Carrier::Ridge { .. } => f64::from(u8::from(number == pressed.number)),
            Carrier::Rod(own) if to > from && own.length() > 0.0 => {
                (to.min(own.cell[1]) - from.max(own.cell[0])).max(0.0) / (to - from)
            }
            // Half of it each where a place lies between two stretches, all of it to the end of a rod from its end.
            Carrier::Rod(own) if to == from => match own.length() > 0.0 {
                true if from > own.cell[0] && from < own.cell[1] => 1.0,
                true if from == own.cell[0] || from == own.cell[1] => 0.5,
                true => 0.0,
                false => f64::from(u8::from(from == own.cell[0])),
            },
            Carrier::Rod(_) => 0.0,
        }
    }

    /// Adds a force on what touches, world axes, N, to the multipliers of a state.
    pub fn add_force(&self, force: &Vector3<f64>, at: &At<'_>, to: &mut State) {
        let Some(touch) = self.touch(at) else { return };
        let block = &mut to.linear[self.multiplier.block];
        let seen = touch.base.pose().rotation.inverse().rotate(force);
        block[0] -= touch.near.normal.dot(&seen).max(0.0);
        if self.friction.is_some() {
            let places = self.grip_places(at.state);
            let grip = self.grip(&touch, places.as_ref(), at.state);
            let seen = grip.base.pose().rotation.inverse().rotate(force);
            (0..2).for_each(|k| block[k + 1] -= grip.slip.directions[k].dot(&seen));
        }
    }
}
