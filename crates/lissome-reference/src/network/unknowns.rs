//! The unknowns of a network and their numbering: bodies, then the cuts of every rod, then the joints' reactions, then
//! the tensions of the cables whose length is given.

use super::description::{Anchor, Mount, On};
use super::place::Place;
use crate::cosserat::equations::{SectionState, Variation};
use crate::quaternion::Quaternion;
use lissome_lie::Wrench;
use nalgebra::{DVector, Vector3};

/// Numbers that vary at a body, a cut, a reaction.
const BODY: usize = 6;
const CUT: usize = 12;
const REACTION: usize = 6;

/// A state of the network, in its own units.
#[derive(Clone, Debug)]
pub(crate) struct Unknowns {
    pub bodies: Vec<Place>,
    /// Pose and internal wrench at every cut of every rod, both ends included.
    pub rods: Vec<Vec<SectionState>>,
    /// Of each joint's parent on its child: world axes, moment about the origin of the child's frame.
    pub reactions: Vec<Wrench>,
    /// Tensions of the cables whose length is given, in their order.
    pub tensions: Vec<f64>,
}

impl Unknowns {
    fn rods_at(&self) -> usize {
        BODY * self.bodies.len()
    }

    /// Where the variation of cut `k` of a rod begins.
    pub fn cut_at(&self, rod: usize, k: usize) -> usize {
        let before: usize = self.rods[..rod].iter().map(Vec::len).sum();
        self.rods_at() + CUT * (before + k)
    }

    fn reactions_at(&self) -> usize {
        self.cut_at(self.rods.len(), 0)
    }

    fn tensions_at(&self) -> usize {
        self.reactions_at() + REACTION * self.reactions.len()
    }

    /// How many numbers vary.
    pub fn count(&self) -> usize {
        self.tensions_at() + self.tensions.len()
    }

    /// The numbers that do not belong to an inner cut of a rod: only they enter the algebraic conditions.
    pub fn outside_rods(&self) -> Vec<usize> {
        let mut inner = vec![false; self.count()];
        for (rod, cuts) in self.rods.iter().enumerate() {
            inner[self.cut_at(rod, 1)..self.cut_at(rod, cuts.len() - 1)].fill(true);
        }
        (0..inner.len()).filter(|j| !inner[*j]).collect()
    }

    /// Moves by a variation; rotations turn on the left, in world axes.
    pub fn moved(&self, x: &DVector<f64>) -> Self {
        let part = |i: usize| Vector3::new(x[i], x[i + 1], x[i + 2]);
        let mut moved = self.clone();
        for (i, body) in moved.bodies.iter_mut().enumerate() {
            body.q = Quaternion::from_rotation_vector(&part(BODY * i)).times(body.q).normalized();
            body.p += part(BODY * i + 3);
        }
        let mut at = self.rods_at();
        for cut in moved.rods.iter_mut().flatten() {
            *cut = cut.moved(&Variation::from_column_slice(&x.as_slice()[at..at + CUT]));
            at += CUT;
        }
        for reaction in &mut moved.reactions {
            *reaction += Wrench::new(part(at), part(at + 3));
            at += REACTION;
        }
        for tension in &mut moved.tensions {
            *tension += x[at];
            at += 1;
        }
        moved
    }

    /// The variation that leads from `other` here.
    pub fn minus(&self, other: &Self) -> DVector<f64> {
        let mut x = Vec::with_capacity(self.count());
        for (here, there) in self.bodies.iter().zip(&other.bodies) {
            x.extend(there.gap_to(here).iter());
        }
        for (here, there) in self.rods.iter().flatten().zip(other.rods.iter().flatten()) {
            x.extend(here.minus(there).iter());
        }
        for (here, there) in self.reactions.iter().zip(&other.reactions) {
            x.extend((*here - *there).to_vector().iter());
        }
        x.extend(self.tensions.iter().zip(&other.tensions).map(|(here, there)| here - there));
        DVector::from_vec(x)
    }

    /// The largest internal force or moment.
    pub fn largest_wrench(&self) -> f64 {
        let cuts = self.rods.iter().flatten().map(|x| x.m.amax().max(x.n.amax()));
        let reactions = self.reactions.iter().map(|x| x.moment.amax().max(x.force.amax()));
        cuts.chain(reactions).fold(0.0, f64::max)
    }

    /// The largest angle by which a body or a cut has turned since `before`.
    pub fn largest_turn(&self, before: &Self) -> f64 {
        let pairs = self.bodies.iter().zip(&before.bodies).map(|(a, b)| (a.q, b.q));
        let cuts = self.rods.iter().flatten().zip(before.rods.iter().flatten()).map(|(a, b)| (a.q, b.q));
        pairs.chain(cuts).map(|(a, b)| a.times(b.conjugate()).rotation_vector().norm()).fold(0.0, f64::max)
    }

    fn carrier(&self, on: On) -> Place {
        match on {
            On::Ground => Place::origin(),
            On::Body(i) => self.bodies[i],
        }
    }

    /// Where a mount is in the world.
    pub fn mount(&self, mount: &Mount) -> Place {
        self.carrier(mount.on).times(&Place::from_pose(&mount.pose))
    }

    /// Where an anchor is in the world.
    pub fn anchor(&self, anchor: &Anchor) -> Vector3<f64> {
        self.carrier(anchor.on).point(&anchor.point)
    }
}
