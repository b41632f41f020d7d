//! The equations of a network: gaps between the cuts of its rods, and algebraic conditions for everything else.
//!
//! | equations | number |
//! |---|---|
//! | a rod carried from cut to cut arrives at the next cut | 12 per segment |
//! | its first section is on its mount; so is its last, or it carries nothing | 6 + 6 per rod |
//! | what the joint forbids, and the reaction along what it allows | 6 per joint |
//! | forces and moments on a body vanish | 6 per body |
//! | a cable has its given length | 1 per such cable |
//!
//! The internal wrench (m, n) of a rod is that of the part beyond s on the part before it. So the body at its base gets
//! +(m, n), the body at its tip −(m, n).

use super::description::{Cable, CableDrive, JointMotion, Load, Network, Rod, RodSection};
use super::forces::{Balance, cable_length};
use super::place::Place;
use super::unknowns::Unknowns;
use crate::OracleError;
use crate::cosserat::equations::{Acting, SectionState, Transfer, Variation, carry_along, carry_along_with_transfer};
use crate::cosserat::scaled_rod::{LoadPair, SectionAt};
use lissome_lie::Wrench;
use nalgebra::{Matrix3, Matrix6x3, Vector3};

/// Neighbouring solutions may part by a factor e to this power along one segment: e² of the integrator's 1e-13.
const GROWTH_PER_SEGMENT: f64 = 2.0;
/// Growth allowed for in a rod without loads: three segments, over which Newton's method spreads the turn of its ends.
const LEAST_GROWTH: f64 = 6.0;

/// A network in its own units, cut.
#[derive(Clone, Debug)]
pub(crate) struct Equations {
    pub network: Network,
    /// Arc lengths of the cuts of each rod, both ends included.
    pub cuts: Vec<Vec<f64>>,
}

/// One segment carried to its end.
pub(crate) struct Carried {
    pub rod: usize,
    /// From the next cut to where the segment arrives.
    pub gap: Variation,
    pub transfer: Transfer,
}

impl Equations {
    pub fn new(network: Network) -> Self {
        let force = largest_force(&network);
        let cuts = network.rods.iter().map(|rod| cuts_of(rod, force)).collect();
        Self { network, cuts }
    }

    /// The start: bodies where they are put, rods in their natural shapes from their bases, nothing carries anything.
    pub fn unloaded(&self) -> Result<Unknowns, OracleError> {
        let network = &self.network;
        let given_lengths = network.cables.iter().filter(|x| matches!(x.drive, CableDrive::Length(_))).count();
        let mut state = Unknowns {
            bodies: network.bodies.iter().map(|x| Place::from_pose(&x.start)).collect(),
            rods: Vec::new(),
            reactions: vec![Wrench::zero(); network.joints.len()],
            tensions: vec![0.0; given_lengths],
        };
        for (index, rod) in network.rods.iter().enumerate() {
            let base = state.mount(&rod.base).to_pose();
            let mut cuts = vec![SectionState::new(&base, &Wrench::zero())];
            for w in self.cuts[index].windows(2) {
                cuts.push(self.carry(index, &cuts[cuts.len() - 1], 0.0, w[0], w[1])?);
            }
            state.rods.push(cuts);
        }
        Ok(state)
    }

    fn acting(&self, rod: &Rod, load_factor: f64) -> Acting {
        let load = LoadPair { dead: rod.dead_load, follower: rod.follower_load };
        Acting { load, gravity: self.network.gravity, load_factor }
    }

    /// Carries a section of a rod from one s to another.
    pub fn carry(
        &self,
        rod: usize,
        start: &SectionState,
        load_factor: f64,
        from: f64,
        to: f64,
    ) -> Result<SectionState, OracleError> {
        let rod = &self.network.rods[rod];
        carry_along(|s| section_at(rod, s), &self.acting(rod, load_factor), start, from, to)
    }

    /// All segments of all rods.
    pub fn segments(&self, state: &Unknowns, load_factor: f64) -> Result<Vec<Carried>, OracleError> {
        let mut carried = Vec::new();
        for (index, rod) in self.network.rods.iter().enumerate() {
            let acting = self.acting(rod, load_factor);
            let states = &state.rods[index];
            for (k, w) in self.cuts[index].windows(2).enumerate() {
                let (end, transfer) =
                    carry_along_with_transfer(|s| section_at(rod, s), &acting, &states[k], w[0], w[1])?;
                carried.push(Carried { rod: index, gap: end.minus(&states[k + 1]), transfer });
            }
        }
        Ok(carried)
    }

    /// Tension of each cable. A stretched elastic one does not wait for the load factor.
    pub fn tensions(&self, state: &Unknowns, load_factor: f64) -> Vec<f64> {
        let mut unknown = state.tensions.iter();
        let tension = |cable: &Cable| match cable.drive {
            CableDrive::Tension(tension) => tension * load_factor,
            CableDrive::Length(_) => *unknown.next().expect("a tension is kept for every cable of given length"),
            CableDrive::Elastic { length, stiffness } => {
                f64::max(0.0, stiffness * (cable_length(state, &cable.points) / length - 1.0))
            }
        };
        self.network.cables.iter().map(tension).collect()
    }

    /// Everything that is not integrated.
    pub fn conditions(&self, state: &Unknowns, load_factor: f64) -> Vec<f64> {
        let network = &self.network;
        let mut rows = Vec::new();
        let mut balance = Balance::new(state);

        for (rod, cuts) in network.rods.iter().zip(&state.rods) {
            let (first, last) = (&cuts[0], &cuts[cuts.len() - 1]);
            rows.extend(place_of(first).gap_to(&state.mount(&rod.base)).iter());
            balance.push(rod.base.on, &first.p, &Wrench::new(first.m, first.n));
            match &rod.tip {
                Some(tip) => {
                    rows.extend(place_of(last).gap_to(&state.mount(tip)).iter());
                    balance.push(tip.on, &last.p, &Wrench::new(-last.m, -last.n));
                }
                None => rows.extend(last.m.iter().chain(last.n.iter())),
            }
        }

        for (joint, reaction) in network.joints.iter().zip(&state.reactions) {
            let (parent, child) = (state.mount(&joint.parent), state.mount(&joint.child));
            let seen = parent.sees(&child);
            balance.push(joint.child.on, &child.p, reaction);
            balance.push(joint.parent.on, &child.p, &-*reaction);
            match &joint.motion {
                JointMotion::Driven(coordinates) => {
                    let now: Vec<f64> = coordinates.iter().map(|q| q * load_factor).collect();
                    rows.extend(seen.gap_to(&joint.kind.placed(&now)).iter());
                }
                JointMotion::Passive { stiffness, rest, effort } => {
                    rows.extend(joint.kind.forbidden(&seen));
                    let back = parent.q.conjugate().matrix();
                    let carried = joint.kind.efforts(&seen, &(back * reaction.moment), &(back * reaction.force));
                    for (i, q) in joint.kind.coordinates(&seen).into_iter().enumerate() {
                        rows.push(carried[i] + stiffness[i] * (q - rest[i]) - effort[i] * load_factor);
                    }
                }
            }
        }

        for (cable, tension) in network.cables.iter().zip(self.tensions(state, load_factor)) {
            balance.push_cable(cable, tension);
            if let CableDrive::Length(length) = cable.drive {
                rows.push(cable_length(state, &cable.points) - length);
            }
        }
        // Springs do not wait for the load factor: where they are not at rest in the beginning, the start does not fit.
        network.springs.iter().for_each(|spring| spring.push(state, &mut balance));
        for load in &network.loads {
            balance.push_load(load, load_factor);
        }
        balance.push_weights(network, load_factor);
        for sum in &balance.sums {
            rows.extend(sum.moment.iter().chain(sum.force.iter()));
        }
        rows
    }
}

fn place_of(section: &SectionState) -> Place {
    Place { q: section.q, p: section.p }
}

/// Where the natural shape of a stretch leads from its start, or (with a negative length) back from its end.
pub(crate) fn natural_end(
    section: &dyn Fn(f64) -> RodSection,
    length: f64,
    start: &Place,
) -> Result<Place, OracleError> {
    let nothing = Acting { load: LoadPair::default(), gravity: Vector3::zeros(), load_factor: 0.0 };
    let state = SectionState::new(&start.to_pose(), &Wrench::zero());
    let (from, to) = if length < 0.0 { (-length, 0.0) } else { (0.0, length) };
    Ok(place_of(&carry_along(|s| compliant(&section(s)), &nothing, &state, from, to)?))
}

fn section_at(rod: &Rod, s: f64) -> SectionAt {
    compliant(&(rod.section)(s))
}

fn compliant(section: &RodSection) -> SectionAt {
    let compliance = section.stiffness.try_inverse().expect("a checked stiffness is positive definite");
    let mut weight = Matrix6x3::zeros();
    weight.fixed_view_mut::<3, 3>(3, 0).copy_from(&(Matrix3::identity() * section.mass_per_length));
    SectionAt { compliance, natural: section.natural, weight }
}

/// A bound on the force that the loads can bring about in any rod.
fn largest_force(network: &Network) -> f64 {
    let on_bodies = network.loads.iter().map(|load| match load {
        Load::Dead { wrench, .. } | Load::Follower { wrench, .. } => wrench.force.norm() + wrench.moment.norm(),
        Load::Toward { force, .. } => force.abs(),
    });
    let along_rods = network.rods.iter().map(|rod| {
        let weight = (rod.section)(0.5 * rod.length).mass_per_length * network.gravity.norm();
        rod.length * (rod.dead_load.force.norm() + rod.follower_load.force.norm() + weight)
    });
    let weights = network.bodies.iter().map(|body| body.mass * network.gravity.norm());
    let cables = network.cables.iter().map(|cable| match cable.drive {
        CableDrive::Tension(tension) => tension.abs(),
        CableDrive::Length(_) | CableDrive::Elastic { .. } => 0.0,
    });
    on_bodies.chain(along_rods).chain(weights).chain(cables).sum()
}

fn cuts_of(rod: &Rod, force: f64) -> Vec<f64> {
    let middle = (rod.section)(0.5 * rod.length);
    let bending = middle.stiffness[(1, 1)].min(middle.stiffness[(2, 2)]);
    // Solutions of EI θ″ = n θ part at the rate √(n/EI), and a section turns at the rate of its curvature.
    let growth = LEAST_GROWTH + rod.length * ((force / bending).sqrt() + middle.natural.curvature.norm());
    let pieces = (growth / GROWTH_PER_SEGMENT).ceil() as usize;
    (0..=pieces).map(|k| rod.length * k as f64 / pieces as f64).collect()
}
