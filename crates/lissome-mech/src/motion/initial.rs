//! The velocities that a scene begins with, as far as each part says; [`System::consistent_velocities`] brings them into
//! line with what follows what, with constraints and with drives.

use crate::System;
use crate::index::{RodIndex, Slot};
use crate::layout::{Place, Source};
use crate::state::State;
use lissome_lie::{Pose, Twist};
use lissome_model::{InitialVelocity, Scene};
use nalgebra::Vector6;

impl System {
    /// Velocities of slots and rates of joints that the scene gives to a state. Carriers come before what they carry, which
    /// moves with them unless it says otherwise.
    pub fn initial_velocities(&self, scene: &Scene, state: &State) -> (Vec<Twist>, Vec<Vector6<f64>>) {
        let mut velocity = vec![Twist::zero(); state.poses.len()];
        let rates: Vec<Vector6<f64>> = self
            .values
            .joints
            .iter()
            .map(|joint| {
                let model = joint.model.map(|model| &scene.joints[model]);
                let given = model.and_then(|model| model.initial_rate.get(joint.first..)).unwrap_or_default();
                joint.subgroup.motions(&state.joint(joint.index).value) * joint.subgroup.own(given)
            })
            .collect();
        for (body, model) in self.values.bodies.iter().zip(&scene.bodies) {
            velocity[body.slot] = field(&model.initial_velocity, state.pose(body.slot), state.pose(body.slot));
        }
        for place in &self.layout.places {
            match *place {
                Place::Own(_) => {}
                Place::Follow(slot) => velocity[slot] = self.carried(slot, state, &velocity, &rates),
                Place::Chain(rod) => self.start_rod(rod, scene, state, &mut velocity, &rates),
            }
        }
        (velocity, rates)
    }

    /// Control poses of a rod: by its own field, or rigidly with what it stands on.
    fn start_rod(&self, rod: RodIndex, scene: &Scene, state: &State, velocity: &mut [Twist], rates: &[Vector6<f64>]) {
        let (anchor, own) = (self.anchor(rod), self.layout.rods[rod].poses());
        velocity[anchor] = self.carried(anchor, state, velocity, rates);
        let given = scene.rods[rod.index()].initial_velocity;
        let (base, held) = (state.poses[own.start], matches!(self.layout.sources[anchor], Source::Follows { .. }));
        let carrier = velocity[anchor];
        for slot in own.map(Slot::new) {
            velocity[slot] = match &given {
                Some(given) if slot != anchor || !held => field(given, &base, state.pose(slot)),
                _ => (state.pose(slot).inverse() * *state.pose(anchor)).adjoint_twist(&carrier),
            };
        }
    }

    /// Velocity of a slot that follows another, through a joint with its rate.
    pub(super) fn carried(&self, slot: Slot, state: &State, velocity: &[Twist], rates: &[Vector6<f64>]) -> Twist {
        let Source::Follows { parent, joint } = self.layout.sources[slot] else { return velocity[slot] };
        let mut moved = (state.pose(slot).inverse() * *state.pose(parent)).adjoint_twist(&velocity[parent]);
        if let Some(joint) = joint.map(|joint| &self.values.joints[joint]) {
            moved += Twist::from_vector(&(joint.subgroup.subspace * rates[joint.index]));
        }
        moved
    }
}

/// Body velocity at a pose of a rigid motion about an origin.
fn field(given: &InitialVelocity, origin: &Pose, at: &Pose) -> Twist {
    let velocity = given.at(&(at.position - origin.position));
    Twist::new(at.rotation.inverse_rotate(&given.spin), at.rotation.inverse_rotate(&velocity))
}
