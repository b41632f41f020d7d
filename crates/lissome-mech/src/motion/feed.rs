//! Tubes that are pushed while they move: sections whose lengths change from one step to the next.
//!
//! A section lives on a unit interval, and its control poses are places of that interval. From the start of a step to its
//! end the intervals become longer or shorter; poses and velocities are those of places on the interval, and the strain at
//! the start is that of the lengths there,
//!
//! ```text
//! b_a⁰ = Σ w φ_a (r ξ − ξ₀)        w, ξ with the lengths of the end, r the length at the end over that at the start
//! ```
//!
//! while control poses alone would say Σ w φ_a (ξ − ξ₀). The difference f_a is what the push does in the step: it does the work
//! −Σ β̄_a·f_a.
//!
//! The material of tube j moves past a place with γ_j = β̇_j − ċ, c the distance of the place from the entry. Its acceleration is
//! that of the place and, beside that,
//!
//! ```text
//! 2γ_j ω × ε + γ_j² κ × ε + (β̈_j − c̈) ε          in body axes
//! ```
//!
//! which acts on the rod as a load along it, with what is known at the start of the step.

use super::MotionWorkspace;
use crate::index::RodIndex;
use crate::inputs::{Input, Inputs};
use crate::load::SectionLoad;
use crate::rod::{LineLoads, MovingRod, RodShape};
use crate::{State, System};
use lissome_lie::{Twist, Wrench};
use lissome_model::{LoadFrame, Sections};
use nalgebra::{Vector3, Vector6};

/// How fast a tube is pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feed {
    /// Index of the rod.
    pub rod: usize,
    /// Number of the tube.
    pub tube: usize,
    /// m/s.
    pub rate: f64,
    /// m/s².
    pub acceleration: f64,
}

/// A state with its velocities.
#[derive(Clone, Debug)]
pub struct Moving {
    /// Where everything is.
    pub state: State,
    /// Body velocity of every slot.
    pub velocity: Vec<Twist>,
    /// Rates of the joints' coordinates.
    pub joint_rates: Vec<Vector6<f64>>,
}

/// How far things move for a difference that tells their velocities, rad or lengths of the robot.
const DIFFERENCE: f64 = 1e-6;

impl System {
    /// Gives the start of a step the strain that it had with the lengths of `before`, which shares the layout.
    pub fn grow_start(&self, before: &Self, work: &mut MotionWorkspace) {
        for (tubes, other) in self.values.kinds.tubes.iter().zip(&before.values.kinds.tubes) {
            let i = tubes.rod.index();
            let Some(MovingRod::Mixed(rod)) = self.values.rods[i].moving() else { continue };
            let fed = &mut work.fed[i];
            fed.clear();
            fed.resize(rod.curve().increments(), Vector6::zeros());
            let RodShape { psi, strain, .. } = &mut work.rods[i].start;
            rod.strain_of_growth(&tubes.growth(other), psi, |a, more| {
                strain[a] += more;
                fed[a] += more;
            });
        }
    }

    /// Work of the push over the step that ends at this state.
    pub(super) fn work_of_feed(&self, end: &State, work: &MotionWorkspace) -> f64 {
        let rods = self.layout.rods.iter().zip(&work.fed);
        let of = |stress: &[Vector6<f64>], fed: &[Vector6<f64>]| {
            stress.iter().zip(fed).map(|(stress, fed)| -stress.dot(fed)).sum::<f64>()
        };
        rods.map(|(place, fed)| of(&end.linear[place.stresses()], fed)).sum()
    }

    /// Loads the rods of tubes with the inertia of the material that moves along them. What was so before is replaced.
    pub fn count_transport(&mut self, moving: (&State, &[Twist]), feeds: &[Feed]) {
        let (state, velocity) = moving;
        for i in 0..self.values.rods.len() {
            let own: Vec<&Feed> = feeds.iter().filter(|feed| feed.rod == i).collect();
            let still = own.iter().all(|feed| feed.rate == 0.0 && feed.acceleration == 0.0);
            self.values.line_loads[i].retain(|line| line.scaled_by != Input::Factor);
            if own.is_empty() || still {
                continue;
            }
            let at_points = self.transport(RodIndex::new(i), state, velocity, &own);
            self.values.line_loads[i].push(LineLoads { scaled_by: Input::Factor, at_points });
        }
    }

    fn transport(&self, rod: RodIndex, state: &State, velocity: &[Twist], feeds: &[&Feed]) -> Vec<SectionLoad> {
        let (Some(tubes), Some(moving)) = (self.tubes(rod), self.values.rods[rod].moving()) else { return Vec::new() };
        let (curve, place) = (moving.curve(), self.layout.rods[rod].poses());
        let mut shape = RodShape::new(curve);
        moving.fill_shape(&state.poses[place.clone()], &mut shape);
        let mut loads = vec![SectionLoad::default(); curve.point_count()];
        curve.velocities_at_points(&shape.points, &velocity[place], |q, eta| {
            let (s, strain) = (curve.point_place(q), curve.point_strain(q, &shape.psi));
            let of = |by: &dyn Fn(&Feed) -> f64| feeds.iter().map(|feed| by(feed)).sum::<f64>();
            let sections = tubes.sections();
            let place_rate = of(&|feed| feed.rate * sections.rate(s, feed.tube));
            let place_acceleration = of(&|feed| feed.acceleration * sections.rate(s, feed.tube));
            let mut force = Vector3::zeros();
            for (number, line_density) in tubes.line_densities(s) {
                let own = feeds.iter().find(|feed| feed.tube == number);
                let past = own.map_or(0.0, |feed| feed.rate) - place_rate;
                let gain = own.map_or(0.0, |feed| feed.acceleration) - place_acceleration;
                let (kappa, epsilon) = (strain.re, strain.du);
                let acceleration =
                    eta.re.cross(&epsilon) * (2.0 * past) + kappa.cross(&epsilon) * (past * past) + epsilon * gain;
                force -= acceleration * line_density;
            }
            let wrench = Wrench::new(Vector3::zeros(), force * curve.point_weight(q));
            loads[q] = SectionLoad::on(LoadFrame::Body, wrench);
        });
        loads
    }

    /// Adds the velocities of tubes that take up these rates as they lie, without a change of any strain.
    pub fn add_feed(&self, state: &State, feeds: &[Feed], velocity: &mut [Twist]) {
        let feeds: Vec<_> = feeds.iter().map(|feed| (feed.rod, feed.tube, feed.rate)).collect();
        for tubes in &self.values.kinds.tubes {
            let own = self.layout.rods[tubes.rod].poses();
            let poses = &state.poses[own.clone()];
            let mut moving = Twist::zero();
            for (i, stretch) in tubes.increment_rates(&feeds).into_iter().enumerate() {
                // Ψ grows along itself.
                let relative = poses[i].inverse() * poses[i + 1];
                let carried = relative.inverse().adjoint() * moving.to_vector();
                moving = Twist::from_vector(&carried) + relative.log() * stretch;
                velocity[own.start + i + 1] = velocity[own.start + i + 1] + moving;
            }
        }
    }

    /// The same motion on another layout of the same robot, at insertions that differ by next to nothing; `feeds` are the rates
    /// of the tubes. Places of the two layouts move in different ways along the same curve, so that velocities are found from
    /// where the new places were on the old curve a moment before.
    pub fn refitted(&self, before: &Self, moving: &Moving, inputs: &Inputs, feeds: &[Feed]) -> Moving {
        let length = self.values.scales.length;
        let fastest = moving.velocity.iter().map(|v| v.angular.norm().max(v.linear.norm() / length));
        let turning = moving.joint_rates.iter().map(|rate| rate.amax());
        let pushed = feeds.iter().map(|feed| feed.rate.abs() / length);
        let fastest = fastest.chain(turning).chain(pushed).fold(0.0, f64::max);
        let state = self.refitted_state(before, &moving.state, inputs, &[], 0.0);
        if fastest == 0.0 {
            let velocity = vec![Twist::zero(); state.poses.len()];
            let joint_rates = vec![Vector6::zeros(); state.joints.len()];
            return Moving { state, velocity, joint_rates };
        }
        let time = DIFFERENCE / fastest;
        let mut there = moving.state.clone();
        for (pose, velocity) in there.poses.iter_mut().zip(&moving.velocity) {
            *pose = pose.boxplus(&(*velocity * -time));
        }
        for joint in &before.values.joints {
            let (at, rate) = (moving.state.joint(joint.index), moving.joint_rates[joint.index] * -time);
            there.joints[joint.index] = joint.subgroup.moved(at, &rate);
        }
        let behind = self.refitted_state(before, &there, inputs, feeds, -time);
        let poses = behind.poses.iter().zip(&state.poses);
        let joint_rate = |joint: &crate::joint::Joint| {
            joint.subgroup.travelled(behind.joint(joint.index), state.joint(joint.index)) / time
        };
        Moving {
            velocity: poses.map(|(from, to)| to.boxminus(from) * (1.0 / time)).collect(),
            joint_rates: self.values.joints.iter().map(joint_rate).collect(),
            state,
        }
    }

    /// A state of `before` on this layout; `from` is that of some time after now, when tubes have been pushed at these rates.
    fn refitted_state(&self, before: &Self, from: &State, inputs: &Inputs, feeds: &[Feed], time: f64) -> State {
        let mut state = self.carried_frames(before, from, inputs);
        for (tubes, other) in self.values.kinds.tubes.iter().zip(&before.values.kinds.tubes) {
            let own: Vec<&Feed> = feeds.iter().filter(|feed| feed.rod == tubes.rod.index()).collect();
            let moved = |sections: &Sections, s: f64| {
                s + time * own.iter().map(|feed| feed.rate * sections.rate(s, feed.tube)).sum::<f64>()
            };
            let (curve, earlier) = (self.values.rods[tubes.rod].curve(), before.values.rods[tubes.rod].curve());
            let scale = earlier.length() / curve.length();
            let old = other.sections();
            let bounds: Vec<f64> = old.boundaries.iter().map(|bound| bound.s).collect();
            let there: Vec<f64> = old
                .boundaries
                .iter()
                .map(|bound| {
                    let own = own.iter().find(|feed| Some(feed.tube) == bound.tube);
                    bound.s + time * own.map_or(0.0, |feed| feed.rate)
                })
                .collect();
            let place = |s: f64| {
                let at = moved(tubes.sections(), s) * scale;
                let section = there[1..there.len() - 1].partition_point(|bound| *bound <= at);
                let part = (at - there[section]) / (there[section + 1] - there[section]);
                bounds[section] + part * (bounds[section + 1] - bounds[section])
            };
            tubes.refit(other, from, place, &mut state);
            let poses = curve.refit(earlier, before.rod_poses(tubes.rod, from), place);
            state.poses[self.layout.rods[tubes.rod].poses()].copy_from_slice(&poses);
        }
        self.place_driven(inputs, &mut state);
        self.settle(&mut state);
        self.bend_all_tubes(&mut state);
        state
    }
}
