//! Functionals of a motion at the end of a step as ones of its start: the transposed tangent of a step.
//!
//! ```text
//! b(x¹; x⁰, v⁰, m⁰) = 0,   v¹, m¹ = V(x¹; x⁰, v⁰, m⁰)                a step
//! Kᵀλ = a_x + ∂(a_v·v¹ + a_m·m¹)/∂x¹                                K its tangent at the end, factored
//! on the start:  λ·∂b/∂(x⁰, v⁰, m⁰) + ∂(a_v·v¹ + a_m·m¹)/∂(x⁰, v⁰, m⁰)
//! ```
//!
//! What the balance wants of the start is summed point by point and node by node; second derivatives of curves and constraints are derivatives of
//! rows along λ and along velocities (`shift`). So a functional is carried back over a step at the price of a few residuals,
//! however many unknowns there are.

mod balance_test;
mod end;
mod nodes;
mod points;
mod shift;
mod start;
mod velocities;

use super::MotionWorkspace;
use super::stage::{Recall, StepMemory};
use crate::impulse::StepRule;
use crate::index::RodIndex;
use crate::inputs::Inputs;
use crate::layout::Source;
use crate::value_change::Covector;
use crate::{State, System};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use nalgebra::Vector6;
use points::dot;
use shift::Side;
use velocities::{Massive, OnVelocities};

/// A functional of a moving system: of its place, its velocities and what it remembers.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionCovector {
    /// Of small motions, over all groups.
    pub state: Vec<f64>,
    /// Of the velocities of the slots.
    pub velocity: Vec<DualVector>,
    /// Of the rates of joints.
    pub joint_rates: Vec<Vector6<f64>>,
    /// Of the remembered changes of strain.
    pub strain_change: [Vec<Vector6<f64>>; 2],
    /// Of the remembered changes of velocity.
    pub velocity_change: [Vec<DualVector>; 2],
}

/// A step that was taken; the workspace stands at its end, its velocities found.
#[derive(Clone, Copy, Debug)]
pub struct StepTaken<'a> {
    /// Its rule.
    pub rule: &'a StepRule,
    /// How it uses the past.
    pub recall: &'a Recall,
    /// What was remembered at its start.
    pub memory: &'a StepMemory,
    /// Velocities of the slots at its start.
    pub velocity: &'a [Twist],
    /// Its end.
    pub end: &'a State,
    /// What acts there.
    pub inputs: &'a Inputs,
}

impl MotionCovector {
    /// Adds a multiple of another.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        self.state.iter_mut().zip(&other.state).for_each(|(a, b)| *a += factor * b);
        self.velocity.iter_mut().zip(&other.velocity).for_each(|(a, b)| *a += *b * factor);
        self.joint_rates.iter_mut().zip(&other.joint_rates).for_each(|(a, b)| *a += b * factor);
        for age in 0..2 {
            self.strain_change[age].iter_mut().zip(&other.strain_change[age]).for_each(|(a, b)| *a += b * factor);
            self.velocity_change[age].iter_mut().zip(&other.velocity_change[age]).for_each(|(a, b)| *a += *b * factor);
        }
    }

    /// The part that velocities and memory have in it, for a change of them.
    pub fn of_rates(
        &self,
        (velocity, joint_rates): (&[Twist], &[Vector6<f64>]),
        memory: &StepMemory,
        known: (&[Twist], &[Vector6<f64>], &StepMemory),
    ) -> f64 {
        let (known_velocity, known_rates, known_memory) = known;
        let slots = self.velocity.iter().zip(velocity.iter().zip(known_velocity));
        let mut sum: f64 = slots.map(|(own, (a, b))| dot(own, &(*a - *b).into())).sum();
        let joints = self.joint_rates.iter().zip(joint_rates.iter().zip(known_rates));
        sum += joints.map(|(own, (a, b))| own.dot(&(a - b))).sum::<f64>();
        for age in 0..2 {
            let strains = memory.strain_change[age].iter().zip(&known_memory.strain_change[age]);
            sum += self.strain_change[age].iter().zip(strains).map(|(own, (a, b))| own.dot(&(a - b))).sum::<f64>();
            let changes = memory.velocity_change[age].iter().zip(&known_memory.velocity_change[age]);
            sum += self.velocity_change[age].iter().zip(changes).map(|(own, (a, b))| dot(own, &(*a - *b))).sum::<f64>();
        }
        sum
    }
}

impl System {
    /// The functional that is nothing.
    pub fn motion_covector(&self) -> MotionCovector {
        let memory = self.step_memory();
        MotionCovector {
            state: vec![0.0; self.layout.homes.all_rows()],
            velocity: vec![DualVector::zero(); self.layout.sources.len()],
            joint_rates: vec![Vector6::zeros(); self.values.joints.len()],
            strain_change: memory.strain_change,
            velocity_change: memory.velocity_change,
        }
    }

    /// True if functionals can be carried back over steps of this system and rule: the variational schemes kick after a step, and gaps
    /// that are closed by embedding and contacts have rows of their own.
    pub fn carries_back(&self, rule: &StepRule) -> bool {
        let plain = rule.impulse == crate::impulse::Impulse::Difference && rule.correction == 0.0;
        plain
            && !self.has_gaps()
            && !self.has_obstacles()
            && self.values.kinds.tubes.is_empty()
            && !self.moving_rods().any(|(i, rod, _)| rod.strain_basis().is_none() && self.stands_on_joint(i))
    }

    /// True if a rod stands on a joint that moves by itself: what is carried back there has been seen to be off by 1e-4.
    fn stands_on_joint(&self, rod: usize) -> bool {
        let mut slot = self.anchor(RodIndex::new(rod));
        while let Source::Follows { parent, joint } = self.layout.sources[slot] {
            if joint.is_some_and(|joint| !self.values.joints[joint].driven) {
                return true;
            }
            slot = parent;
        }
        false
    }

    /// How far two states are apart, over all groups that have unknowns of their own: poses and joints.
    pub fn apart(&self, from: &State, to: &State) -> Vec<f64> {
        let homes = &self.layout.homes;
        let mut rows = vec![0.0; homes.all_rows()];
        for (slot, (from, to)) in from.poses.iter().zip(&to.poses).enumerate() {
            if let crate::node::Home::Own(group) = homes.of(crate::index::Node::new(slot)) {
                homes.write(group, &to.boxminus(from).to_vector(), &mut rows);
            }
        }
        for joint in self.values.joints.iter() {
            if let Some(group) = self.layout.own_group(joint.node) {
                let way = joint.subgroup.travelled(from.joint(joint.index), to.joint(joint.index));
                homes.write(group, &way, &mut rows);
            }
        }
        rows
    }

    /// Carries a functional of the end of a step back to its start, and gives what it makes of a change of what the step asks of its end.
    pub fn carry_back(
        &self,
        step: &StepTaken<'_>,
        on: &MotionCovector,
        work: &mut MotionWorkspace,
    ) -> (MotionCovector, Covector) {
        let passed = self.passed_points(step, work);
        let momenta = Massive::of_list(self, &passed.iter().map(|point| point.end_momentum).collect::<Vec<_>>());
        let changes = Massive::of_list(self, &on.velocity_change[0]);
        let velocities = OnVelocities { slots: &on.velocity, joints: &on.joint_rates, massive: &changes };
        let test = self.velocity_test((Side::End, step.end, step.inputs), &velocities, &momenta, work);

        // What velocities and memory want of the end.
        let nothing = Massive::of_list(self, &vec![DualVector::zero(); passed.len()]);
        let past = self.on_past(step, on, &nothing, &test.massive, &passed, work);
        let moved = Massive::of_list(self, &past.iter().map(|own| own.moved[1]).collect::<Vec<_>>());
        let mut rows = test.rows;
        crate::assemble::add_to(&on.state, &mut rows);
        let mut slots = self.pulled_massive(Side::End, &moved, work);
        self.add_strain_rows(Side::End, &on.strain_change[0], &mut slots, &mut rows, work);
        self.spread_slots(Side::End, &slots, work, &mut rows);
        let answer = self.answered(step, &rows, &self.motion_covector(), &passed, work);
        let start = self.on_start(step, on, &answer, &test.massive, &passed, work);
        (start, answer)
    }

    /// Carries a functional of velocities that were made consistent back to those before; what was remembered is forgotten. The workspace
    /// stands where that was done, with the velocities before it at hand.
    pub fn carry_back_restart(
        &self,
        state: &State,
        inputs: &Inputs,
        before: &[Twist],
        on: &MotionCovector,
        work: &mut MotionWorkspace,
    ) -> MotionCovector {
        let nothing =
            Massive::of_list(self, &on.velocity_change[0].iter().map(|_| DualVector::zero()).collect::<Vec<_>>());
        let had = self.momenta(&self.massive_motions(Side::Start, before, work), work);
        let velocities = OnVelocities { slots: &on.velocity, joints: &on.joint_rates, massive: &nothing };
        let test = self.velocity_test((Side::Start, state, inputs), &velocities, &had, work);
        let momenta = self.momenta(&test.massive, work);
        let mut covector = self.motion_covector();
        covector.state = test.rows;
        crate::assemble::add_to(&on.state, &mut covector.state);
        let rods: Vec<shift::OnRod> = momenta.on_rods();
        let turned = self.change_on_rods(Side::Start, &state.poses, before, &rods, work);
        self.spread_slots(Side::Start, &turned, work, &mut covector.state);
        covector.velocity = self.pulled_massive(Side::Start, &momenta, work);
        covector
    }
}
