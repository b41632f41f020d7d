//! Velocities of what a scene names: places along rods and coordinates of joints.

use crate::index::RodIndex;
use crate::state::State;
use crate::system::System;
use lissome_lie::Twist;
use nalgebra::Vector6;

impl System {
    /// Velocity of a rod's section at arc length s, in its own axes, from the velocities of all slots.
    pub fn rod_velocity(&self, rod: RodIndex, s: f64, state: &State, velocity: &[Twist]) -> Twist {
        let point = self.rods()[rod].point_at(s, self.rod_poses(rod, state));
        point.velocity(&velocity[self.layout().rods[rod].poses()])
    }

    /// Rates of the coordinates of a joint of the scene, from the rates along the motions of all joints.
    pub fn joint_rates(&self, model: usize, state: &State, rates: &[Vector6<f64>]) -> Vec<f64> {
        let own = self.joints().iter().filter(|joint| joint.model == Some(model));
        own.flat_map(|joint| {
            let (along, _) = joint.subgroup.coordinates(state.joint(joint.index), &Vector6::zeros());
            let rate = along * rates[joint.index];
            rate.as_slice()[..joint.subgroup.freedom].to_vec()
        })
        .collect()
    }
}
