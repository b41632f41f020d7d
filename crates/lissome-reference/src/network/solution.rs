//! What a solved network answers, in SI units.

use super::conditions::Equations;
use super::description::Spring;
use super::description::{Cable, CableDrive, JointMotion, Mount};
use super::forces::cable_length;
use super::place::Place;
use super::units::Units;
use super::unknowns::Unknowns;
use crate::OracleError;
use crate::cosserat::equations::SectionState;
use lissome_lie::{Pose, Wrench};

/// An equilibrium of a network.
#[derive(Clone, Debug)]
pub struct NetworkSolution {
    equations: Equations,
    units: Units,
    state: Unknowns,
    /// Largest of all equations in rad and the network's own units: its longest rod's length L, its softest rod's B/L
    /// and B/L².
    pub residual: f64,
    /// How often the path that led here crossed a simple bifurcation: if it did, this is the branch that it came by, and a
    /// stable one may have left it.
    pub bifurcations_crossed: usize,
}

impl NetworkSolution {
    pub(crate) fn new(
        equations: Equations,
        units: Units,
        state: Unknowns,
        residual: f64,
        bifurcations_crossed: usize,
    ) -> Self {
        Self { equations, units, state, residual, bifurcations_crossed }
    }

    /// Pose of a body.
    pub fn body_pose(&self, body: usize) -> Pose {
        self.pose_in_si(&self.state.bodies[body])
    }

    /// Pose of a frame on the ground or on a body.
    pub fn mount_pose(&self, mount: &Mount) -> Pose {
        let scaled = Mount { on: mount.on, pose: self.units.scaled_pose(&mount.pose) };
        self.pose_in_si(&self.state.mount(&scaled))
    }

    /// Coordinates of a joint, rad and m; see [`super::JointKind`] for their order.
    pub fn joint_coordinates(&self, joint: usize) -> Vec<f64> {
        let description = &self.equations.network.joints[joint];
        let (parent, child) = (self.state.mount(&description.parent), self.state.mount(&description.child));
        let q = description.kind.coordinates(&parent.sees(&child));
        self.units.coordinates_in_si(description, &q)
    }

    /// What the parent of a joint exerts on its child: world axes, moment about the origin of the child's frame.
    pub fn joint_reaction(&self, joint: usize) -> Wrench {
        self.units.wrench_in_si(&self.state.reactions[joint])
    }

    /// Pose of the section of a rod at s (m; values beyond the ends are the ends).
    pub fn rod_pose(&self, rod: usize, s: f64) -> Pose {
        let section = self.section(rod, s);
        self.pose_in_si(&Place { q: section.q, p: section.p })
    }

    /// Internal wrench of a rod at s in world axes, moment about the section's centre: of the part beyond on the part
    /// before. At s = 0 this is what the rod exerts on what it is mounted on, at s = L the opposite of it.
    pub fn rod_wrench(&self, rod: usize, s: f64) -> Wrench {
        let section = self.section(rod, s);
        self.units.wrench_in_si(&Wrench::new(section.m, section.n))
    }

    /// Poses at `count` evenly spaced sections of a rod, both ends included.
    pub fn rod_samples(&self, rod: usize, count: usize) -> Vec<Pose> {
        let length = self.equations.network.rods[rod].length * self.units.length;
        let last = count.saturating_sub(1).max(1) as f64;
        (0..count).map(|i| self.rod_pose(rod, length * i as f64 / last)).collect()
    }

    /// Length of a cable between its first and its last point.
    pub fn cable_length(&self, cable: usize) -> f64 {
        cable_length(&self.state, &self.equations.network.cables[cable].points) * self.units.length
    }

    /// Tension of a cable.
    pub fn cable_tension(&self, cable: usize) -> f64 {
        self.equations.tensions(&self.state, 1.0)[cable] * self.units.force
    }

    /// What a spring exerts on its side b: world axes, moment about the origin of b.
    pub fn spring_wrench(&self, spring: usize) -> Wrench {
        self.units.wrench_in_si(&self.equations.network.springs[spring].wrench(&self.state))
    }

    /// Distance between the two sides of a spring, m.
    pub fn spring_length(&self, spring: usize) -> f64 {
        let Spring { a, b, .. } = &self.equations.network.springs[spring];
        (self.state.mount(b).p - self.state.mount(a).p).norm() * self.units.length
    }

    /// Energy of the rods, of joints' springs, of springs between mounts and of elastic cables, J.
    pub fn elastic_energy(&self) -> f64 {
        let rods: f64 = (0..self.state.rods.len())
            .flat_map(|rod| (1..self.equations.cuts[rod].len()).map(move |k| (rod, k)))
            .map(|(rod, k)| self.carried(rod, k - 1, self.equations.cuts[rod][k]).energy)
            .sum();
        let springs: f64 = self.equations.network.joints.iter().enumerate().map(|(i, _)| self.spring_energy(i)).sum();
        let cables: f64 = self.equations.network.cables.iter().map(|cable| self.cable_energy(cable)).sum();
        let between: f64 = self.equations.network.springs.iter().map(|spring| spring.energy(&self.state)).sum();
        (rods + springs + between + cables) * self.units.energy()
    }

    fn spring_energy(&self, joint: usize) -> f64 {
        let description = &self.equations.network.joints[joint];
        let JointMotion::Passive { stiffness, rest, .. } = &description.motion else { return 0.0 };
        let (parent, child) = (self.state.mount(&description.parent), self.state.mount(&description.child));
        let q = description.kind.coordinates(&parent.sees(&child));
        (0..q.len()).map(|i| 0.5 * stiffness[i] * (q[i] - rest[i]).powi(2)).sum()
    }

    fn cable_energy(&self, cable: &Cable) -> f64 {
        let CableDrive::Elastic { length, stiffness } = cable.drive else { return 0.0 };
        let stretch = f64::max(0.0, cable_length(&self.state, &cable.points) / length - 1.0);
        0.5 * stiffness * stretch * stretch * length
    }

    fn pose_in_si(&self, place: &Place) -> Pose {
        Pose::new(place.q.to_rotation(), place.p * self.units.length)
    }

    fn section(&self, rod: usize, s: f64) -> SectionState {
        let cuts = &self.equations.cuts[rod];
        let s = (s / self.units.length).clamp(0.0, cuts[cuts.len() - 1]);
        let k = cuts.partition_point(|x| *x <= s).saturating_sub(1);
        self.carried(rod, k, s)
    }

    /// Carries cut k of a rod to s, energy counted from the cut.
    fn carried(&self, rod: usize, k: usize, s: f64) -> SectionState {
        let start = SectionState { energy: 0.0, ..self.state.rods[rod][k] };
        let from = self.equations.cuts[rod][k];
        self.equations.carry(rod, &start, 1.0, from, s).expect("a segment that closed can be integrated again")
    }

    /// This state on the cuts and in the units of other equations for the same parts.
    pub(crate) fn resampled(&self, equations: &Equations, units: &Units) -> Result<Unknowns, OracleError> {
        let mut state = equations.unloaded()?;
        for (part, here, there) in [
            ("bodies", state.bodies.len(), self.state.bodies.len()),
            ("rods", state.rods.len(), self.state.rods.len()),
            ("joints", state.reactions.len(), self.state.reactions.len()),
            ("cables of given length", state.tensions.len(), self.state.tensions.len()),
        ] {
            if here != there {
                return Err(OracleError::OtherParts { part, here, there });
            }
        }
        let place = |x: &Place| Place { q: x.q, p: x.p * (self.units.length / units.length) };
        let wrench = |w: &Wrench| units.scaled_wrench(&self.units.wrench_in_si(w));
        state.bodies = self.state.bodies.iter().map(place).collect();
        state.reactions = self.state.reactions.iter().map(wrench).collect();
        state.tensions = self.state.tensions.iter().map(|x| x * (self.units.force / units.force)).collect();
        for (rod, cuts) in state.rods.iter_mut().enumerate() {
            for (cut, s) in cuts.iter_mut().zip(&equations.cuts[rod]) {
                let section = self.section(rod, s * units.length);
                let stress = wrench(&Wrench::new(section.m, section.n));
                let at = place(&Place { q: section.q, p: section.p });
                *cut = SectionState { q: at.q, p: at.p, m: stress.moment, n: stress.force, energy: 0.0 };
            }
        }
        Ok(state)
    }
}
