//! Quantities of an equilibrium that a target is set for, and how they change along a step.
//!
//! | symbol | meaning | unit | frame |
//! |---|---|---|---|
//! | g = (R, p) | pose of the place | –, m | world_from_body |
//! | ζ = (ω, v) | motion of the place, g ← g exp(ζ) | rad, m | body |
//! | φ | log(R*ᵀR), the turn from the target | rad | target |
//!
//! ```text
//! position    p − p*               ṗ = R v
//! rotation    φ                    φ̇ = ω + ½ φ × ω + c φ × (φ × ω),   c = (1 − (θ/2) cot(θ/2))/θ²,   θ = |φ|
//! direction   R e_x − d            R (ω × e_x)
//! ```
//!
//! Tensions, lengths, pulls of springs and reactions are differenced along the step instead: they are linear in the stresses
//! and multipliers that a step changes, or nearly so.

use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_mech::index::{RodIndex, Slot};
use lissome_mech::{Input, Inputs, State, Step, System, Workspace};
use nalgebra::Vector3;

/// A place of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// What it is on.
    pub on: Carrier,
    /// Where it is on that.
    pub offset: Pose,
}

/// What carries a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carrier {
    /// What stands still.
    World,
    /// A body.
    Body(usize),
    /// The frame of a joint.
    Joint(usize),
    /// The end of a rod, wherever tubes that are pushed have it.
    Tip(RodIndex),
    /// A section of a rod, by its arc length, m.
    Rod(RodIndex, f64),
}

impl Carrier {
    /// Where it is.
    pub fn pose(self, system: &System, state: &State) -> Pose {
        match self.among(system) {
            Among::Nothing => Pose::identity(),
            Among::Poses(slot) => state.poses[slot],
            Among::Sections(rod, s) => system.rods()[rod].curve().point_at(s, system.rod_poses(rod, state)).pose,
        }
    }

    /// Looked up in the system at hand: its poses are numbered anew where tubes pass each other.
    fn among(self, system: &System) -> Among {
        match self {
            Self::World => Among::Nothing,
            Self::Body(body) => Among::Poses(system.bodies()[body].slot),
            Self::Joint(joint) => Among::Poses(system.joint_slot(joint)),
            Self::Tip(rod) => Among::Poses(system.tip(rod)),
            Self::Rod(rod, s) => Among::Sections(rod, s),
        }
    }
}

/// What of a system a carrier is.
enum Among {
    Nothing,
    Poses(Slot),
    Sections(RodIndex, f64),
}

/// A quantity and what it is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Quantity {
    /// Where a place is, m; only the axes of the world that are marked count.
    Position { place: Place, target: Vector3<f64>, axes: [bool; 3] },
    /// How a place is turned.
    Rotation { place: Place, target: Rotation },
    /// Where the x axis of a place points: along a unit vector of the world.
    Direction { place: Place, target: Vector3<f64> },
    /// Tension of a tendon, N.
    TendonTension { tendon: usize, target: f64 },
    /// Length of a tendon, m.
    TendonLength { tendon: usize, target: f64 },
    /// Tension of a cable, N.
    CableTension { cable: usize, target: f64 },
    /// Length of a cable, m.
    CableLength { cable: usize, target: f64 },
    /// Pull of a spring, N.
    SpringPull { spring: usize, target: f64 },
    /// Force that a rod exerts on what holds its base or its tip, N, world axes; only the axes that are marked count.
    Reaction { rod: RodIndex, at_base: bool, target: Vector3<f64>, axes: [bool; 3] },
}

/// Kinds of unit that quantities have: what is compared with a length, an angle or a force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// rad, or components of a unit vector.
    Angle,
    /// m.
    Length,
    /// N.
    Force,
}

/// An equilibrium, or a state near one.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub system: &'a System,
    pub state: &'a State,
    pub inputs: &'a Inputs,
}

/// Largest motion of a pose by which forces are differenced: rad, or lengths of the robot.
const DIFFERENCE: f64 = 1e-5;

impl Place {
    fn pose(&self, at: At<'_>) -> Pose {
        self.on.pose(at.system, at.state) * self.offset
    }

    /// ζ along a step.
    fn motion(&self, at: At<'_>, step: &Step) -> Twist {
        let carrier = match self.on.among(at.system) {
            Among::Nothing => Twist::zero(),
            Among::Poses(slot) => *step.pose(slot),
            Among::Sections(rod, s) => {
                let curve = at.system.rods()[rod].curve();
                let end = at.system.tip(rod).index() + 1;
                let poses = at.system.rod_poses(rod, at.state);
                curve.point_at(s, poses).velocity(&step.poses[end - poses.len()..end])
            }
        };
        self.offset.inverse().adjoint_twist(&carrier)
    }
}

impl Quantity {
    /// Numbers that it has.
    pub fn size(&self) -> usize {
        match self {
            Self::Position { axes, .. } | Self::Reaction { axes, .. } => axes.iter().filter(|on| **on).count(),
            Self::Rotation { .. } | Self::Direction { .. } => 3,
            _ => 1,
        }
    }

    /// What it is measured in.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Rotation { .. } | Self::Direction { .. } => Unit::Angle,
            Self::Position { .. } | Self::TendonLength { .. } | Self::CableLength { .. } => Unit::Length,
            _ => Unit::Force,
        }
    }

    /// How far it is from its target.
    pub(crate) fn gap(&self, at: At<'_>, work: &mut Workspace, out: &mut Vec<f64>) {
        match self {
            Self::Position { place, target, axes } => marked(&(place.pose(at).position - target), axes, out),
            Self::Rotation { place, target } => out.extend((target.inverse() * place.pose(at).rotation).log().iter()),
            Self::Direction { place, target } => {
                out.extend((place.pose(at).rotation.rotate(&Vector3::x()) - target).iter());
            }
            Self::TendonTension { tendon, target } => {
                out.push(at.system.tendon(*tendon, at.state).tension - target);
            }
            Self::TendonLength { tendon, target } => out.push(at.system.tendon(*tendon, at.state).length - target),
            Self::CableTension { cable, target } => out.push(cable_of(at, *cable).0 - target),
            Self::CableLength { cable, target } => out.push(cable_of(at, *cable).1 - target),
            Self::SpringPull { spring, target } => {
                out.push(at.system.spring(*spring).map_or(0.0, |own| own.pull(at.state)) - target);
            }
            Self::Reaction { rod, at_base, target, axes } => {
                at.system.evaluate(at.state, at.inputs, work);
                let held: Wrench = at.system.reaction(*rod, *at_base, at.state, work);
                let poses = at.system.rod_poses(*rod, at.state);
                let end = if *at_base { poses[0] } else { poses[poses.len() - 1] };
                marked(&(end.rotation.rotate(&held.force) - target), axes, out);
            }
        }
    }

    /// How that changes along a step, which answers a unit of an input or none. `work` is not the one of the step.
    pub(crate) fn rate(&self, at: At<'_>, step: &Step, input: Option<Input>, work: &mut Workspace, out: &mut Vec<f64>) {
        match self {
            Self::Position { place, axes, .. } => {
                let rotation = place.pose(at).rotation;
                marked(&rotation.rotate(&place.motion(at, step).linear), axes, out);
            }
            Self::Rotation { place, target } => {
                let turn = (target.inverse() * place.pose(at).rotation).log();
                out.extend(log_rate(&turn, &place.motion(at, step).angular).iter());
            }
            Self::Direction { place, .. } => {
                let turn = place.motion(at, step).angular;
                out.extend(place.pose(at).rotation.rotate(&turn.cross(&Vector3::x())).iter());
            }
            _ => self.difference(at, step, input, work, out),
        }
    }

    /// The same by a central difference.
    fn difference(&self, at: At<'_>, step: &Step, input: Option<Input>, work: &mut Workspace, out: &mut Vec<f64>) {
        let length = at.system.scales().length;
        let sizes = step.poses.iter().map(|own| own.angular.norm().max(own.linear.norm() / length));
        let size = sizes.fold(0.0, f64::max);
        let by = if size > 0.0 { DIFFERENCE / size } else { 1.0 };
        let mut side = |by: f64| {
            let mut inputs = at.inputs.clone();
            if let Some(input) = input {
                inputs.set(input, inputs.get(input) + by);
            }
            let mut driven = at.state.clone();
            at.system.drive(&inputs, &mut driven);
            let mut state = driven.clone();
            at.system.retract_poses(&driven, by, step, &mut state);
            let mut found = Vec::with_capacity(self.size());
            self.gap(At { state: &state, inputs: &inputs, ..at }, work, &mut found);
            found
        };
        let (plus, minus) = (side(by), side(-by));
        out.extend(plus.iter().zip(&minus).map(|(plus, minus)| (plus - minus) / (2.0 * by)));
    }
}

/// Derivative of the logarithm of a rotation that turns at ω, body axes.
pub(crate) fn log_rate(turn: &Vector3<f64>, omega: &Vector3<f64>) -> Vector3<f64> {
    let theta = turn.norm();
    let c = match theta < 1e-2 {
        true => 1.0 / 12.0 + theta * theta / 720.0,
        false => (1.0 - 0.5 * theta / (0.5 * theta).tan()) / (theta * theta),
    };
    let cross = turn.cross(omega);
    omega + cross * 0.5 + turn.cross(&cross) * c
}

fn cable_of(at: At<'_>, cable: usize) -> (f64, f64) {
    at.system.cable(cable, &at.system.at(at.state, at.inputs)).map_or((0.0, 0.0), |own| (own.0, own.1))
}

fn marked(vector: &Vector3<f64>, axes: &[bool; 3], out: &mut Vec<f64>) {
    out.extend(vector.iter().zip(axes).filter(|(_, on)| **on).map(|(x, _)| *x));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_changes_as_differences_say() {
        let omega = Vector3::new(0.3, -0.7, 0.5);
        for turn in [Vector3::zeros(), Vector3::new(1e-4, 2e-3, 0.0), Vector3::new(0.2, -1.1, 0.8), Vector3::x() * 3.0]
        {
            let h = 1e-6;
            let at = |h: f64| (Rotation::exp(&turn) * Rotation::exp(&(omega * h))).log();
            let difference = (at(h) - at(-h)) / (2.0 * h);
            // The difference is good to h² and 1e-16/h.
            assert!((log_rate(&turn, &omega) - difference).norm() < 1e-8, "{turn}");
        }
    }
}
