//! What a stage of a scheme knows from the past, and the first guess of its end: the part of a scheme that looks at rods
//! and bodies. A scheme itself is numbers only.

use super::MotionWorkspace;
use crate::contribution::Constraint;
use crate::impulse::{PointStep, StepRule};
use crate::index::{Block, Slot};
use crate::inputs::Inputs;
use crate::kind::each_constraint;
use crate::layout::Source;
use crate::{State, System};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

/// What later steps remember of the last two, latest first.
#[derive(Clone, Debug, PartialEq)]
pub struct StepMemory {
    /// Length of the last step, s; the changes below belong to it.
    pub last_step: f64,
    /// Length of the step before, s; zero if there was none.
    pub earlier_step: f64,
    /// Changes of the strain moments b.
    pub strain_change: [Vec<Vector6<f64>>; 2],
    /// Changes of the velocities of all that has mass: quadrature points of the rods, then bodies.
    pub velocity_change: [Vec<DualVector>; 2],
    /// Motions x of the slots, for the first guess of the next step.
    pub displacement: [Vec<Twist>; 2],
    /// Motion over length of the last two steps, of all that has mass; before the first step the velocity at the start.
    pub mean_velocity: [Vec<DualVector>; 2],
    /// Increments of all rods at the end of the last step: they tell which way round a rod is bent by more than half a
    /// turn between two control poses.
    pub increments: Vec<DualVector>,
}

impl StepMemory {
    /// How long a step of length h is compared with the last; `first` if there was none.
    fn ratio(&self, h: f64, first: f64) -> f64 {
        if self.last_step > 0.0 { h / self.last_step } else { first }
    }
}

/// How a stage uses the past.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recall {
    /// Strength of the third-difference filter.
    pub filter: f64,
    /// True if the velocity at the end is the mean motion reflected at that of the start.
    pub reflects_velocity: bool,
    /// Weight of the strain at the start in that of the stage.
    pub start_strain: f64,
}

impl System {
    /// Nothing remembered.
    pub fn step_memory(&self) -> StepMemory {
        let points: usize = self.values.rods.iter().map(|rod| rod.curve().point_count()).sum();
        let massive = vec![DualVector::zero(); points + self.values.bodies.len()];
        let strains = vec![Vector6::zeros(); self.layout.stress_nodes.len()];
        let slots = vec![Twist::zero(); self.layout.sources.len()];
        StepMemory {
            last_step: 0.0,
            earlier_step: 0.0,
            increments: vec![DualVector::zero(); self.increment_counts().sum()],
            strain_change: [strains.clone(), strains],
            mean_velocity: [massive.clone(), massive.clone()],
            velocity_change: [massive.clone(), massive],
            displacement: [slots.clone(), slots],
        }
    }

    /// True for the slots of rods and for those that carry one.
    pub fn slots_of_rods(&self) -> Vec<bool> {
        let mut found = vec![false; self.layout.sources.len()];
        for start in self.layout.rods.iter().flat_map(|place| place.poses()) {
            let mut slot = Slot::new(start);
            while !std::mem::replace(&mut found[slot.index()], true) {
                let Source::Follows { parent, .. } = self.layout.sources[slot] else { break };
                slot = parent;
            }
        }
        found
    }

    /// Where stresses and multipliers are, and how many numbers of their blocks these are.
    pub fn force_blocks(&self) -> Vec<(Block, usize)> {
        let rods = self.layout.rods.iter().filter(|place| place.first_coordinate.is_none());
        let mut blocks: Vec<(Block, usize)> =
            rods.flat_map(|place| place.stresses().map(|block| (Block::new(block), 6))).collect();
        each_constraint!(self.values.kinds, |constraint| {
            blocks.push((constraint.multiplier().block, constraint.size()));
        });
        blocks
    }

    /// Forgets the last steps; where the rods are is kept.
    pub fn forget_steps(&self, memory: &mut StepMemory) {
        let increments = std::mem::take(&mut memory.increments);
        *memory = StepMemory { increments, ..self.step_memory() };
    }

    /// Number of increments of each rod, in the order of [`StepMemory::increments`].
    pub fn increment_counts(&self) -> impl Iterator<Item = usize> {
        self.values.rods.iter().map(|rod| rod.curve().increments())
    }

    /// Hands the increments that are remembered to a workspace.
    pub fn recall_increments(&self, memory: &StepMemory, work: &mut MotionWorkspace) {
        let own = work.rods.iter_mut().flat_map(|step| &mut step.start.psi);
        own.zip(&memory.increments).for_each(|(psi, known)| *psi = *known);
    }

    /// Prepares a stage of length h that starts where the workspace stands.
    pub fn begin_stage(
        &self,
        rule: &StepRule,
        recall: &Recall,
        memory: &StepMemory,
        (velocity, joint_rates): (&[Twist], &[Vector6<f64>]),
        h: f64,
        work: &mut MotionWorkspace,
    ) {
        work.standing[0].forget();
        let ratio = memory.ratio(h, 1.0);
        let [latest, earlier] = &memory.velocity_change;
        for ((point, latest), earlier) in points_mut(work).zip(latest).zip(earlier) {
            point.known_velocity = DualVector::zero();
            if recall.reflects_velocity {
                let past = *latest * 4.0 - *earlier;
                point.known_velocity =
                    point.start_velocity * (1.0 - rule.rate * h) + past * (0.5 * rule.rate * h * recall.filter * ratio);
            }
        }
        for (i, rod, place) in self.moving_rods() {
            let step = &mut work.rods[i];
            if recall.filter > 0.0 && memory.last_step == 0.0 {
                // Δb₋₁ = Δb₋₂ = h A v⁰
                match place.first_coordinate {
                    Some(first) => {
                        step.known_strain.copy_from_slice(&joint_rates[first.index()..][..place.stress_count]);
                    }
                    None => rod.strain_rate(&step.start, &velocity[place.poses()], &mut step.known_strain),
                }
                step.known_strain.iter_mut().for_each(|known| *known *= -1.5 * recall.filter * h);
            } else {
                let [latest, earlier] = &memory.strain_change;
                let past = earlier[place.stresses()].iter().zip(&latest[place.stresses()]);
                for (known, (earlier, latest)) in step.known_strain.iter_mut().zip(past) {
                    *known = (earlier - latest * 4.0) * (0.5 * recall.filter * ratio);
                }
            }
            for (known, b) in step.known_strain.iter_mut().zip(&step.start.strain) {
                *known += b * recall.start_strain;
            }
        }
        set_gain(rule, work);
    }

    /// Prepares a stage of backward differentiation that follows a first stage to `end`: momenta of the start of the
    /// whole step count −`far`, those of the end of the first stage `near`.
    pub fn begin_backward_stage(
        &self,
        rule: &StepRule,
        [near, far]: [f64; 2],
        end: &State,
        inputs: &Inputs,
        work: &mut MotionWorkspace,
    ) {
        work.standing[0].forget();
        for step in &mut work.rods {
            for (point, shape) in step.points.iter_mut().zip(&step.start.points) {
                point.earlier = (shape.pose, point.start_momentum * -far);
            }
        }
        for (body, point) in self.values.bodies.iter().zip(&mut work.bodies) {
            point.earlier = (work.before.poses[body.slot], point.start_momentum * -far);
        }
        self.advance_motion(end, inputs, work);
        for point in points_mut(work) {
            point.start_momentum = point.start_momentum * near;
            point.known_velocity = DualVector::zero();
        }
        work.rods.iter_mut().for_each(|step| step.known_strain.fill(Vector6::zeros()));
        set_gain(rule, work);
    }

    /// First guess of the end of a step: h v⁰, half the change of the last two motions and what that will have `missed` of the motion
    /// of each slot; stress as it was.
    #[allow(clippy::too_many_arguments)]
    pub fn guess_end(
        &self,
        start: &State,
        velocity: &[Twist],
        joint_rates: &[Vector6<f64>],
        memory: &StepMemory,
        missed: &[Vector6<f64>],
        h: f64,
        inputs: &Inputs,
        end: &mut State,
    ) {
        end.copy_from(start);
        let ratio = memory.ratio(h, 0.0);
        let [latest, earlier] = &memory.displacement;
        for (slot, pose) in end.poses.iter_mut().enumerate() {
            let x = velocity[slot] * h
                + (latest[slot] - earlier[slot]) * (0.5 * ratio * ratio)
                + Twist::from_vector(&missed[slot]);
            *pose = pose.boxplus(&x);
        }
        // Strain coordinates carry what their poses would.
        let [latest, earlier] = &memory.strain_change;
        for place in &self.layout.rods {
            let Some(first) = place.first_coordinate else { continue };
            for (a, block) in place.stresses().enumerate() {
                let joint = first.after(a);
                end.joints[joint].value += (latest[block] - earlier[block]) * (0.5 * ratio * ratio);
            }
        }
        self.bend_joints(memory, missed, 0.5 * ratio * ratio, end);
        self.move_on(joint_rates, h, inputs, end);
    }

    /// Moves joints by a part of the change of the last two motions of the slots behind and before them: what stands on a
    /// joint would be torn off its end otherwise, which goes on to be accelerated.
    fn bend_joints(&self, memory: &StepMemory, missed: &[Vector6<f64>], part: f64, state: &mut State) {
        let [latest, earlier] = &memory.displacement;
        let change = |slot: Slot| ((latest[slot] - earlier[slot]) * part).to_vector() + missed[slot.index()];
        for slot in Slot::first(self.layout.sources.len()) {
            let Source::Follows { parent, joint: Some(index) } = self.layout.sources[slot] else { continue };
            let before = *state.joint(index);
            let carried = (self.values.offsets[slot] * before.motion).inverse().adjoint() * change(parent);
            let subgroup = &self.values.joints[index].subgroup;
            let step = subgroup.subspace.tr_mul(&(change(slot) - carried));
            state.joints[index] = subgroup.moved(&before, &step);
        }
    }

    /// Moves joints by their rates for a time, and places what follows.
    fn move_on(&self, joint_rates: &[Vector6<f64>], h: f64, inputs: &Inputs, state: &mut State) {
        for joint in &self.values.joints {
            let rate = joint_rates[joint.index];
            state.joints[joint.index] = joint.subgroup.moved(state.joint(joint.index), &(rate * h));
        }
        self.place_followers(inputs, state);
    }

    /// Moves a state by its velocities for a time: the first guess of a second stage.
    pub fn extrapolate(
        &self,
        velocity: &[Twist],
        joint_rates: &[Vector6<f64>],
        h: f64,
        inputs: &Inputs,
        state: &mut State,
    ) {
        for (pose, velocity) in state.poses.iter_mut().zip(velocity) {
            *pose = pose.boxplus(&(*velocity * h));
        }
        self.move_on(joint_rates, h, inputs, state);
    }

    /// Remembers a step of length h from `start` to `end`, whose velocities are known.
    pub fn remember_step(
        &self,
        h: f64,
        start: &State,
        (start_velocity, start_rates): (&[Twist], &[Vector6<f64>]),
        end: &State,
        memory: &mut StepMemory,
        work: &MotionWorkspace,
    ) {
        let ratio = memory.ratio(h, 1.0);
        let first = memory.last_step == 0.0;
        memory.displacement.swap(0, 1);
        memory.strain_change.swap(0, 1);
        memory.velocity_change.swap(0, 1);
        memory.displacement[1].iter_mut().for_each(|x| *x = *x * ratio);
        memory.strain_change[1].iter_mut().for_each(|x| *x *= ratio);
        memory.velocity_change[1].iter_mut().for_each(|x| *x = *x * ratio);
        for (x, (from, to)) in memory.displacement[0].iter_mut().zip(start.poses.iter().zip(&end.poses)) {
            *x = to.boxminus(from);
        }
        for (i, rod, place) in self.moving_rods() {
            let step = &work.rods[i];
            if first {
                // Before the first step strain is taken to have changed at the rate it changes now.
                let change = &mut memory.strain_change[1][place.stresses()];
                match place.first_coordinate {
                    Some(first) => change.copy_from_slice(&start_rates[first.index()..][..place.stress_count]),
                    None => rod.strain_rate(&step.start, &start_velocity[place.poses()], change),
                }
                change.iter_mut().for_each(|x| *x *= h);
            }
            let own = &mut memory.strain_change[0][place.stresses()];
            for ((change, before), after) in own.iter_mut().zip(&step.start.strain).zip(&step.end.strain) {
                *change = after - before;
            }
        }
        for (change, point) in memory.velocity_change[0].iter_mut().zip(points(work)) {
            *change = point.end_velocity - point.start_velocity;
        }
        // What spins has its velocities in axes that turn: changes are those in the axes of the end.
        let [latest, earlier] = &mut memory.velocity_change;
        let of_bodies = latest.len() - self.values.bodies.len();
        let changes = latest[of_bodies..].iter_mut().zip(&mut earlier[of_bodies..]);
        for ((body, point), (latest, earlier)) in self.values.bodies.iter().zip(&work.bodies).zip(changes) {
            let relative = start.poses[body.slot].inverse() * end.poses[body.slot];
            *latest = point.end_velocity - body.way().carried(&relative, &point.start_velocity);
            *earlier = body.way().carried(&relative, earlier);
        }
        if first && self.has_obstacles() {
            // What flies or slides goes on to be accelerated as it was in the first step.
            let [latest, earlier] = &mut memory.velocity_change;
            earlier.copy_from_slice(latest);
        }
        memory.mean_velocity.swap(0, 1);
        let [latest, earlier] = &mut memory.mean_velocity;
        for ((latest, earlier), point) in latest.iter_mut().zip(earlier).zip(points(work)) {
            *latest = point.whole_motion * (1.0 / h);
            if first {
                *earlier = point.start_velocity;
            }
        }
        if first {
            let [latest, earlier] = &mut memory.displacement;
            earlier.copy_from_slice(latest);
        }
        let ends = work.rods.iter().flat_map(|step| &step.end.psi);
        memory.increments.iter_mut().zip(ends).for_each(|(known, psi)| *known = *psi);
        memory.earlier_step = memory.last_step;
        memory.last_step = h;
    }

    /// Mass of everything, kg.
    pub fn total_mass(&self, work: &MotionWorkspace) -> f64 {
        self.masses(work).map(|mass| mass[(3, 3)]).sum()
    }

    pub(super) fn masses<'a>(&'a self, work: &'a MotionWorkspace) -> impl Iterator<Item = &'a Matrix6<f64>> {
        let rods = work.inertia.iter().flat_map(|rod| &rod.mass);
        rods.chain(self.values.bodies.iter().map(|body| &body.mass))
    }
}

impl MotionWorkspace {
    /// Forgets with what care matrices had to be factored: from here on it is as in a memory that is new.
    pub fn forget_care(&mut self) {
        self.base.met.trust();
        self.velocity.trust();
    }

    /// Longest relaxation time of a material, s.
    pub fn longest_relaxation(&self) -> f64 {
        self.inertia.iter().map(|rod| rod.slowest).fold(0.0, f64::max)
    }
}

/// Kelvin–Voigt: the stress sees Θ(b¹ − b⁰) over the duration of the stage besides the strain.
fn set_gain(rule: &StepRule, work: &mut MotionWorkspace) {
    for (inertia, step) in work.inertia.iter().zip(&mut work.rods) {
        if inertia.relaxation.is_empty() {
            continue;
        }
        step.gain.resize(inertia.relaxation.len(), Default::default());
        for (a, theta) in inertia.relaxation.iter().enumerate() {
            let viscous = theta / rule.duration;
            step.gain[a] = viscous;
            for c in 0..6 {
                step.gain[a][(c, c)] += rule.strain;
            }
            step.known_strain[a] -= viscous * step.start.strain[a];
        }
    }
}

/// Everything that has mass: quadrature points of all rods, then bodies.
pub(super) fn points(work: &MotionWorkspace) -> impl Iterator<Item = &PointStep> {
    work.rods.iter().flat_map(|step| &step.points).chain(&work.bodies)
}

fn points_mut(work: &mut MotionWorkspace) -> impl Iterator<Item = &mut PointStep> {
    work.rods.iter_mut().flat_map(|step| &mut step.points).chain(&mut work.bodies)
}
