//! What a motion leaves behind: plain numbers at each output time, ready to be written or drawn.

use crate::contact_record::ContactFrame;
use lissome_lie::{Pose, Twist, Wrench};
use nalgebra::Vector3;

/// A moving scene at one output time. Lists are in the order of the scene's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionFrame {
    /// Time, s.
    pub time: f64,
    /// Value of each drive.
    pub drives: Vec<f64>,
    /// Shape and internal forces of each rod.
    pub rods: Vec<RodFrame>,
    /// World pose of each body.
    pub bodies: Vec<Pose>,
    /// Velocity of each body.
    pub body_velocities: Vec<Velocity>,
    /// Coordinates of each joint, rad or m.
    pub joints: Vec<Vec<f64>>,
    /// Their rates, rad/s or m/s.
    pub joint_rates: Vec<Vec<f64>>,
    /// What each cable does.
    pub cables: Vec<CableFrame>,
    /// What each tendon does; its points are those at the stations of its rods.
    pub tendons: Vec<CableFrame>,
    /// What presses between each pair of a rod or body and an obstacle, in the order of `Scene::contact_pairs`.
    pub contacts: Vec<ContactFrame>,
    /// Where the energy is.
    pub energy: MotionEnergy,
    /// Momenta of all that moves.
    pub momentum: Momentum,
    /// What it has cost so far.
    pub effort: MotionEffort,
    /// Largest gap of a closed loop, rad or m.
    pub loop_gap: f64,
}

/// A rod at one output time, at evenly spaced stations, both ends included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RodFrame {
    /// World poses of the sections.
    pub poses: Vec<Pose>,
    /// Velocities of the sections.
    pub velocities: Vec<Velocity>,
    /// Internal wrenches (what the far side exerts on the near side), section axes.
    pub stress: Vec<Wrench>,
    /// Estimate of the largest error of its poses anywhere along it, of its length or in rad, by the distance between two
    /// answers that converge at different rates: its curve, and its strain integrated again. Rougher than that of statics.
    pub discretisation_error: f64,
}

/// How a section or a body moves: world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// Of its origin, m/s.
    pub linear: Vector3<f64>,
    /// rad/s.
    pub angular: Vector3<f64>,
}

impl Velocity {
    /// From a velocity in the axes of what moves.
    pub fn of_body(pose: &Pose, twist: &Twist) -> Self {
        Self { linear: pose.rotation.rotate(&twist.linear), angular: pose.rotation.rotate(&twist.angular) }
    }
}

/// A cable or tendon at one output time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CableFrame {
    /// Its tension, N.
    pub tension: f64,
    /// Length of its path, m.
    pub length: f64,
    /// World positions of the points it runs through.
    pub points: Vec<Vector3<f64>>,
}

/// Energies of a motion, J. Their balance is [`MotionEnergy::balance`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionEnergy {
    /// Of motion.
    pub kinetic: f64,
    /// Stored in rods and springs.
    pub elastic: f64,
    /// Potential of gravity.
    pub gravity: f64,
    /// Turned to heat since the beginning.
    pub dissipated: f64,
    /// The part of that which friction of contacts took.
    pub friction: f64,
    /// Work done by loads, drives and cables since the beginning.
    pub work: f64,
}

impl MotionEnergy {
    /// Kinetic and potential energy.
    pub fn mechanical(&self) -> f64 {
        self.kinetic + self.elastic + self.gravity
    }

    /// What stays constant in exact motion: mechanical energy and heat, less the work put in.
    pub fn balance(&self) -> f64 {
        self.mechanical() + self.dissipated - self.work
    }
}

/// Momenta in world axes, about the world's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// kg·m/s.
    pub linear: Vector3<f64>,
    /// kg·m²/s.
    pub angular: Vector3<f64>,
}

/// What a motion has cost since its beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionEffort {
    /// Length of the last step, s.
    pub step: f64,
    /// Steps taken.
    pub steps: u64,
    /// Newton iterations, those of rejected steps included.
    pub iterations: u64,
    /// Steps taken back because their error was too large.
    pub rejected: u64,
    /// Steps halved because the iteration failed or energy appeared from nowhere.
    pub halved: u64,
}

/// Something that happened in a motion, at a time between two outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionEvent {
    /// When, s.
    pub time: f64,
    /// What.
    pub kind: MotionEventKind,
    /// To which part: its dotted path, such as `joint.hinge`.
    pub part: String,
    /// The number that goes with the kind.
    pub value: f64,
}

/// What can happen in a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionEventKind {
    /// A joint reached a limit; the number is the speed at which it did, rad/s or m/s.
    Limit,
    /// A part begins to touch an obstacle; the number is the force between them, N. So it is of the next three.
    Touch,
    /// It no longer does.
    Release,
    /// It begins to slide on it.
    Slip,
    /// It sticks again.
    Stick,
    /// A rod and something thinner than its spans came through each other between the points that keep them apart; the number is
    /// how deep they lie in each other, m.
    Through,
}

impl MotionEventKind {
    /// Every kind, for readers of files.
    pub const ALL: [Self; 6] = [Self::Limit, Self::Touch, Self::Release, Self::Slip, Self::Stick, Self::Through];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Limit => "limit",
            Self::Touch => "touch",
            Self::Release => "release",
            Self::Slip => "slip",
            Self::Stick => "stick",
            Self::Through => "through",
        }
    }

    /// What happened and what the number is, for people.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Limit => ("reached its limit", "speed of impact, rad/s or m/s"),
            Self::Touch => ("touches", "force, N"),
            Self::Release => ("lets go", "force, N"),
            Self::Slip => ("begins to slide", "force, N"),
            Self::Stick => ("sticks again", "force, N"),
            Self::Through => ("passes through", "depth, m"),
        }
    }
}

/// How a motion ended.
#[derive(Clone, Debug, PartialEq)]
pub enum MotionEnd {
    /// It reached its duration, and its energy balance holds.
    Finished,
    /// It reached its duration, but energy appeared from nowhere on the way: its numbers are not to be trusted.
    BalanceBroken {
        /// Time at which the balance had risen most, s.
        time: f64,
        /// Energy that has no source, J.
        missing: f64,
        /// What would have been allowed, J.
        allowed: f64,
    },
    /// It reached its duration, but a rod passed through something thinner than its spans: what came after that is not to be
    /// trusted.
    RanThrough(MotionEvent),
    /// The observer asked to stop.
    Asked,
    /// It could not go on. What was recorded until then is sound.
    Stopped(MotionStop),
    /// There is no equilibrium to start from.
    NoStart,
}

/// Why a motion could not go on.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionStop {
    /// Time of the last good state, s.
    pub time: f64,
    /// Shortest step that was tried, s.
    pub step: f64,
    /// What moved most when it failed, such as `rod.arm at 0.3 m`; empty if that is not known.
    pub place: String,
    /// Why, in words.
    pub reason: String,
}
