//! A network in units of its own, in which its numbers are of order one: its longest rod's length and its softest rod's
//! B/L². Tolerances then mean the same for a robot of a millimetre and of a kilometre.

use super::description::{Anchor, CableDrive, Joint, JointMotion, Load, Mount, Network, Rod, RodSection};
use super::description::{Spring, SpringLaw};
use super::joints::Coordinate;
use lissome_lie::{Pose, Strain, Wrench};
use nalgebra::Vector3;
use std::sync::Arc;

/// Units of length (m) and force (N).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Units {
    pub length: f64,
    pub force: f64,
}

impl Units {
    pub fn of(network: &Network) -> Self {
        let Some(length) = network.rods.iter().map(|rod| rod.length).reduce(f64::max) else {
            return Self { length: 1.0, force: 1.0 };
        };
        let softest = |rod: &Rod| {
            let bending = |s: f64| {
                let k = (rod.section)(s).stiffness;
                k[(1, 1)].min(k[(2, 2)])
            };
            bending(0.0).min(bending(rod.length))
        };
        let bending = network.rods.iter().map(softest).fold(f64::INFINITY, f64::min);
        Self { length, force: bending / (length * length) }
    }

    pub fn energy(&self) -> f64 {
        self.force * self.length
    }

    pub fn scaled_wrench(&self, w: &Wrench) -> Wrench {
        Wrench::new(w.moment / self.energy(), w.force / self.force)
    }

    pub fn wrench_in_si(&self, w: &Wrench) -> Wrench {
        Wrench::new(w.moment * self.energy(), w.force * self.force)
    }

    pub fn scaled_pose(&self, pose: &Pose) -> Pose {
        Pose::new(pose.rotation, pose.position / self.length)
    }

    fn scaled_point(&self, p: &Vector3<f64>) -> Vector3<f64> {
        p / self.length
    }

    fn scaled_mount(&self, mount: &Mount) -> Mount {
        Mount { on: mount.on, pose: self.scaled_pose(&mount.pose) }
    }

    fn scaled_section(&self, section: &RodSection) -> RodSection {
        let mut stiffness = section.stiffness;
        for i in 0..6 {
            for j in 0..6 {
                // Rows of moments, columns of curvatures: each brings a length.
                let lengths = i32::from(i < 3) + i32::from(j < 3);
                stiffness[(i, j)] /= self.force * self.length.powi(lengths);
            }
        }
        let natural = Strain::new(section.natural.curvature * self.length, section.natural.stretch);
        // Gravity keeps its unit; a mass is then a weight per m/s².
        RodSection { stiffness, natural, mass_per_length: section.mass_per_length * self.length / self.force }
    }

    fn scaled_rod(&self, rod: &Rod) -> Rod {
        let (units, section) = (*self, rod.section.clone());
        let per_length = |w: &Wrench| self.scaled_wrench(w) * self.length;
        Rod {
            length: rod.length / self.length,
            section: Arc::new(move |s| units.scaled_section(&section(s * units.length))),
            base: self.scaled_mount(&rod.base),
            tip: rod.tip.map(|tip| self.scaled_mount(&tip)),
            dead_load: per_length(&rod.dead_load),
            follower_load: per_length(&rod.follower_load),
        }
    }

    /// Multiplies each coordinate of a joint by its own unit.
    fn each(joint: &Joint, values: &[f64], angle: f64, shift: f64) -> Vec<f64> {
        let unit = |x: &Coordinate| if *x == Coordinate::Angle { angle } else { shift };
        joint.kind.measures().iter().zip(values).map(|(x, value)| value * unit(x)).collect()
    }

    fn scaled_joint(&self, joint: &Joint) -> Joint {
        let coordinates = |q: &[f64]| Self::each(joint, q, 1.0, 1.0 / self.length);
        let motion = match &joint.motion {
            JointMotion::Passive { stiffness, rest, effort } => JointMotion::Passive {
                stiffness: Self::each(joint, stiffness, 1.0 / self.energy(), self.length / self.force),
                rest: coordinates(rest),
                effort: Self::each(joint, effort, 1.0 / self.energy(), 1.0 / self.force),
            },
            JointMotion::Driven(q) => JointMotion::Driven(coordinates(q)),
        };
        let (parent, child) = (self.scaled_mount(&joint.parent), self.scaled_mount(&joint.child));
        Joint { parent, child, kind: joint.kind, motion }
    }

    /// Coordinates of a scaled joint, in rad and m.
    pub fn coordinates_in_si(&self, joint: &Joint, q: &[f64]) -> Vec<f64> {
        Self::each(joint, q, 1.0, self.length)
    }

    fn scaled_load(&self, load: &Load) -> Load {
        match *load {
            Load::Dead { body, at, wrench } => {
                Load::Dead { body, at: self.scaled_point(&at), wrench: self.scaled_wrench(&wrench) }
            }
            Load::Follower { body, at, wrench } => {
                Load::Follower { body, at: self.scaled_point(&at), wrench: self.scaled_wrench(&wrench) }
            }
            Load::Toward { body, at, target, force } => Load::Toward {
                body,
                at: self.scaled_point(&at),
                target: self.scaled_point(&target),
                force: force / self.force,
            },
        }
    }

    fn scaled_spring(&self, spring: &Spring) -> Spring {
        let law = match spring.law {
            SpringLaw::Line { stiffness, rest_length } => SpringLaw::Line {
                stiffness: stiffness * self.length / self.force,
                rest_length: rest_length / self.length,
            },
            SpringLaw::Bushing(mut stiffness) => {
                for i in 0..6 {
                    for j in 0..6 {
                        // Rows of forces and columns of shifts each bring a length.
                        let lengths = i32::from(i >= 3) + i32::from(j >= 3);
                        stiffness[(i, j)] *= self.length.powi(lengths) / self.energy();
                    }
                }
                SpringLaw::Bushing(stiffness)
            }
            SpringLaw::Axes(stiffness) => SpringLaw::Axes(stiffness * (self.length / self.force)),
        };
        Spring { a: self.scaled_mount(&spring.a), b: self.scaled_mount(&spring.b), law }
    }

    /// The whole network in these units.
    pub fn scaled(&self, network: &Network) -> Network {
        let mut scaled = network.clone();
        for body in &mut scaled.bodies {
            body.mass /= self.force;
            body.centre = self.scaled_point(&body.centre);
            body.start = self.scaled_pose(&body.start);
        }
        scaled.rods = network.rods.iter().map(|rod| self.scaled_rod(rod)).collect();
        scaled.joints = network.joints.iter().map(|joint| self.scaled_joint(joint)).collect();
        scaled.loads = network.loads.iter().map(|load| self.scaled_load(load)).collect();
        scaled.springs = network.springs.iter().map(|spring| self.scaled_spring(spring)).collect();
        for cable in &mut scaled.cables {
            for point in &mut cable.points {
                *point = Anchor { on: point.on, point: self.scaled_point(&point.point) };
            }
            cable.drive = match cable.drive {
                CableDrive::Tension(tension) => CableDrive::Tension(tension / self.force),
                CableDrive::Length(length) => CableDrive::Length(length / self.length),
                CableDrive::Elastic { length, stiffness } => {
                    CableDrive::Elastic { length: length / self.length, stiffness: stiffness / self.force }
                }
            };
        }
        scaled
    }
}
