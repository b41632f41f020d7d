//! The state of a moving system: everything a later step depends on, in one plain struct.

use super::accuracy::MotionScale;
use crate::motion_record::MotionEventKind;
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_mech::motion::StepMemory;
use lissome_mech::{State, System};
use nalgebra::Vector6;

/// A moving system at one instant. Restoring a copy of it where a call of `Run::advance` ended continues the run bit for bit; within
/// one, steps share a tangent.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Time, s.
    pub time: f64,
    /// Poses, and the stress of the last step.
    pub state: State,
    /// Body velocity of every slot.
    pub velocity: Vec<Twist>,
    /// Rates of the joints' coordinates.
    pub joint_rates: Vec<Vector6<f64>>,
    /// What later steps remember of the last two.
    pub memory: StepMemory,
    /// What it has shown of itself so far: steps are measured by it.
    pub scale: MotionScale,
    /// Energy dissipated by materials, joints, friction and landings so far, J.
    pub dissipated: f64,
    /// The part of that which friction of contacts took, J.
    pub friction: f64,
    /// Energy that a conserving run must have, J.
    pub kept_energy: Option<f64>,
    /// Work of loads, cables, efforts and drives so far, J.
    pub work: f64,
    /// What it has cost so far.
    pub counts: Counts,
    /// What happened since whoever watches took these last; no later step depends on them.
    pub events: Vec<Event>,
}

/// Something that happened in a motion at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When, s.
    pub time: f64,
    /// What.
    pub kind: MotionEventKind,
    /// Dotted path of the part that it happened to.
    pub part: String,
    /// Which of its coordinates.
    pub coordinate: usize,
    /// The number that goes with the kind: the speed at which it reached its limit, rad/s or m/s, or the force of a contact, N.
    pub value: f64,
    /// Kinetic energy that all impacts of the instant took, J.
    pub loss: f64,
}

/// Effort of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations, rejected steps included.
    pub iterations: u64,
    /// Factorisations.
    pub factorizations: u64,
    /// Steps taken back because their error was too large.
    pub rejected: u64,
    /// Steps halved because the iteration failed or energy appeared.
    pub halved: u64,
}

impl Motion {
    /// Within which rods that touch each other are looked for at the start of a step of length h, m: so far two may come closer
    /// in it.
    pub(super) fn reach(&self, h: f64) -> f64 {
        2.0 * h * self.velocity.iter().map(|slot| slot.linear.norm()).fold(0.0, f64::max)
    }

    /// A system that starts from a state with given velocities.
    pub fn new(system: &System, state: State, velocity: Vec<Twist>) -> Self {
        let memory = system.step_memory();
        let steady = vec![DualVector::zero(); memory.mean_velocity[0].len()];
        Self {
            time: 0.0,
            state,
            velocity,
            joint_rates: vec![Vector6::zeros(); system.joints().len()],
            memory,
            scale: MotionScale { displacement: steady.clone(), steady, ..MotionScale::default() },
            dissipated: 0.0,
            friction: 0.0,
            kept_energy: None,
            work: 0.0,
            counts: Counts::default(),
            events: Vec::new(),
        }
    }

    /// The same, at rest.
    pub fn at_rest(system: &System, state: State) -> Self {
        let velocity = vec![Twist::zero(); state.poses.len()];
        Self::new(system, state, velocity)
    }
}
