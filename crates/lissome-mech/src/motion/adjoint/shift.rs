//! How pulled-back covectors change as the nodes move on along a direction: derivatives of Jacobians, transposed, without any second
//! derivative of a curve or a constraint.
//!
//! | symbol | meaning |
//! |---|---|
//! | w | a small motion of all nodes, the direction |
//! | δ | another, by which is differentiated |
//! | J | body motion of a point, ζ = Jw, or rate of a quantity c that adds up, ċ = Cw |
//! | f | a covector that does not change |
//!
//! Second derivatives along two fields that are constant in the axes of the nodes differ by brackets (Maurer and Cartan),
//!
//! ```text
//! D_δ(Jw)·f = D_w(Jᵀf)·δ − ad_wᵀ(Jᵀf)·δ + Jᵀ(ad_{Jw}ᵀ f)·δ          D_δ(Cw)·f = D_w(Cᵀf)·δ − ad_wᵀ(Cᵀf)·δ
//! ```
//!
//! so that what a functional of w wants of the place is one derivative along w, of rows that exist. The last term of the first says that f
//! stays as it is in space while its point moves on. Where w goes with the end of a step instead, w = Ad w¹, its own change cancels the
//! term before.

use crate::contribution::{At, Constraint, push};
use crate::damping::Damper;
use crate::impulse::coadjoint;
use crate::index::{Group, Node, Slot};
use crate::inputs::Inputs;
use crate::kind::{each_constraint, each_damper};
use crate::motion::MotionWorkspace;
use crate::node::{Home, Term};
use crate::rod::RodStep;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Twist, Wrench};
use nalgebra::{Matrix6, Vector6};

/// Places along a direction and their weights: exact for polynomials of the fourth degree.
pub(super) const PLACES: [(f64, f64); 4] =
    [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)];
/// Distance of the places, rad and lengths of the robot: the error goes with its fourth power over 30, and rounding with 1e-16 over it.
pub(super) const WAY: f64 = 1e-3;

/// What stays as it is on a rod while it moves on: covectors of its points in space, and stresses.
#[derive(Clone, Debug, Default)]
pub(super) struct OnRod {
    pub points: Vec<DualVector>,
    /// Empty if none.
    pub stress: Vec<Vector6<f64>>,
}

/// What stays as it is on the nodes of a system.
#[derive(Clone, Debug)]
pub(super) struct OnNodes {
    /// Of every node that moves, in space.
    pub rows: Vec<DualVector>,
    /// Forces along the rows of the constraints, by block of the multiplier.
    pub conditions: Vec<Vector6<f64>>,
    /// Forces of the dampers, in their order; empty if none.
    pub dampers: Vec<Vector6<f64>>,
}

impl OnNodes {
    /// Rows of the slots; the others stay.
    pub fn set_slots(&mut self, slots: Vec<DualVector>) {
        self.rows.iter_mut().zip(slots).for_each(|(row, slot)| *row = slot);
    }

    fn is_rows_alone(&self) -> bool {
        self.conditions.iter().chain(&self.dampers).all(|force| *force == Vector6::zeros())
    }
}

/// Which end of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Start,
    End,
}

/// ad_xᵀ μ.
pub(super) fn ad_transpose(x: &Twist, mu: &DualVector) -> DualVector {
    Wrench::from_vector(&x.ad().tr_mul(&mu.wrench().to_vector())).into()
}

impl System {
    pub(super) fn nothing_on_nodes(&self) -> OnNodes {
        OnNodes {
            rows: vec![DualVector::zero(); self.layout.moving_nodes()],
            conditions: vec![Vector6::zeros(); self.layout.block_nodes.len()],
            dampers: Vec::new(),
        }
    }

    /// Rows of control poses that what is on rods has at one end of the step.
    pub(super) fn pulled(&self, side: Side, on: &[OnRod], work: &MotionWorkspace) -> Vec<DualVector> {
        let mut rows = vec![DualVector::zero(); self.layout.sources.len()];
        for (i, rod, place) in self.moving_rods() {
            let shape = shape_of(side, &work.rods[i]);
            let own = &mut rows[place.poses()];
            rod.curve().add_pulled(&shape.points, |q| on[i].points[q], own);
            rod.add_stress_gradient(shape, &on[i].stress, 1.0, own);
        }
        rows
    }

    /// D_δ(J w)·f of the points and stresses of all rods for motions w of their control poses, as rows of those.
    pub(super) fn change_on_rods(
        &self,
        side: Side,
        poses: &[Pose],
        along: &[Twist],
        on: &[OnRod],
        work: &MotionWorkspace,
    ) -> Vec<DualVector> {
        let mut rows = vec![DualVector::zero(); self.layout.sources.len()];
        let pulled = self.pulled(side, on, work);
        let distance = self.distance_along(along);
        for (i, rod, place) in self.moving_rods() {
            let own = place.poses();
            // Points of a strain basis are poses and move with nothing else.
            if distance == 0.0 || rod.strain_basis().is_some() {
                continue;
            }
            let base = shape_of(side, &work.rods[i]);
            let mut shape = base.clone();
            let mut moved: Vec<Pose> = poses[own.clone()].to_vec();
            let mut sum = vec![DualVector::zero(); own.len()];
            for (at, weight) in PLACES {
                for ((to, from), step) in moved.iter_mut().zip(&poses[own.clone()]).zip(&along[own.clone()]) {
                    *to = from.boxplus(&(*step * (at * distance)));
                }
                rod.fill_shape(&moved, &mut shape);
                let weight = weight / distance;
                let in_space = |q: usize| {
                    let gone = base.points[q].pose.inverse() * shape.points[q].pose;
                    coadjoint(&gone, &on[i].points[q]) * weight
                };
                rod.curve().add_pulled(&shape.points, in_space, &mut sum);
                rod.add_stress_gradient(&shape, &on[i].stress, weight, &mut sum);
            }
            for ((slot, row), sum) in own.clone().zip(&mut rows[own]).zip(sum) {
                *row = sum - ad_transpose(&along[slot], &pulled[slot]);
            }
        }
        rows
    }

    /// D_δ(T w)·f of all nodes, as rows of all groups: w a vector over these, T how nodes move with them. `goes` says that w goes with the
    /// end of the step.
    pub(super) fn change_on_nodes(
        &self,
        state: &State,
        inputs: &Inputs,
        along: &[f64],
        goes: bool,
        on: &OnNodes,
    ) -> Vec<f64> {
        let homes = &self.layout.homes;
        let mut rows = vec![0.0; homes.all_rows()];
        let own: Vec<Twist> =
            self.slots_of_their_own().map(|node| Twist::from_vector(&homes.read_own(node, along))).collect();
        let joints: Vec<Vector6<f64>> =
            self.values.joints.iter().map(|joint| homes.read_own(joint.node, along)).collect();
        let of_joints =
            self.values.joints.iter().zip(&joints).map(|(joint, x)| Twist::from_vector(&(joint.subgroup.subspace * x)));
        let every: Vec<Twist> = own.iter().copied().chain(of_joints).collect();
        let distance = self.distance_along(&every);
        if distance == 0.0 {
            return rows;
        }
        if self.layout.term_count == 0 && on.is_rows_alone() && joints.is_empty() {
            // Every node has a group of its own: what stays in space changes by the bracket, which the axes take back.
            for (slot, along) in own.iter().enumerate().filter(|_| goes) {
                homes.spread_one(
                    Node::new(slot),
                    &ad_transpose(along, &on.rows[slot]).wrench().to_vector(),
                    &[],
                    &mut rows,
                );
            }
            return rows;
        }
        let (mut to, mut terms) = (state.clone(), self.no_terms());
        for (at, weight) in PLACES {
            for joint in &self.values.joints {
                let step = joints[joint.index.index()] * (at * distance);
                to.joints[joint.index] = joint.subgroup.moved(state.joint(joint.index), &step);
            }
            for ((to, from), step) in to.poses.iter_mut().zip(&state.poses).zip(&own) {
                *to = from.boxplus(&(*step * (at * distance)));
            }
            self.renew_followers(&mut to);
            self.fill_terms(&to, &mut terms);
            let nodes = self.rows_on_nodes(state, &to, inputs, on);
            let weight = weight / distance;
            let scaled = nodes.iter().map(|row| row.wrench().to_vector() * weight);
            homes.spread(scaled, &terms, &mut rows);
        }
        if !goes {
            self.fill_terms(state, &mut terms);
            let nodes = self.rows_on_nodes(state, state, inputs, on);
            let mut here = vec![0.0; homes.all_rows()];
            homes.spread(nodes.iter().map(|row| row.wrench().to_vector()), &terms, &mut here);
            self.subtract_brackets(&own, &joints, &here, &mut rows);
        }
        rows
    }

    /// Takes ad_wᵀ of rows off others, group by group.
    fn subtract_brackets(&self, own: &[Twist], joints: &[Vector6<f64>], here: &[f64], rows: &mut [f64]) {
        let homes = &self.layout.homes;
        for (slot, along) in own.iter().enumerate() {
            if let Home::Own(group) = homes.of(Node::new(slot)) {
                let row: DualVector = Wrench::from_vector(&homes.read(group, here)).into();
                homes.add(group, &-ad_transpose(along, &row).wrench().to_vector(), rows);
            }
        }
        for (joint, along) in self.values.joints.iter().zip(joints).filter(|(joint, _)| !joint.subgroup.commutes) {
            if let Home::Own(group) = homes.of(joint.node) {
                let bracket = self.joint_bracket(&joint.subgroup.subspace, along);
                homes.add(group, &-bracket.tr_mul(&homes.read(group, here)), rows);
            }
        }
    }

    /// ad of a motion of a joint in its coordinates.
    fn joint_bracket(&self, subspace: &Matrix6<f64>, along: &Vector6<f64>) -> Matrix6<f64> {
        subspace.tr_mul(&(Twist::from_vector(&(subspace * along)).ad() * subspace))
    }

    /// What is on the nodes where they have moved on: rows as they are in space, conditions and dampers with the Jacobians there.
    fn rows_on_nodes(&self, from: &State, to: &State, inputs: &Inputs, on: &OnNodes) -> Vec<DualVector> {
        let mut rows = on.rows.clone();
        for (row, (from, to)) in rows.iter_mut().zip(from.poses.iter().zip(&to.poses)) {
            *row = coadjoint(&(from.inverse() * *to), row);
        }
        for joint in self.values.joints.iter().filter(|joint| !joint.subgroup.commutes) {
            let moved = self.joint_carry(joint, from, to);
            let row = &mut rows[joint.node];
            *row = Wrench::from_vector(&moved.tr_mul(&row.wrench().to_vector())).into();
        }
        let at: At<'_> = self.at(to, inputs);
        each_constraint!(self.values.kinds, |constraint| {
            let force = on.conditions[constraint.multiplier().block];
            if force != Vector6::zeros() && constraint.exerts() {
                constraint.jacobian(&at, &mut |node, j| push(&mut rows, node, &j.tr_mul(&force)));
            }
        });
        let mut forces = on.dampers.iter();
        each_damper!(self.values.kinds, |damper| {
            if let Some(force) = forces.next().filter(|force| **force != Vector6::zeros()) {
                damper.jacobian(to, &mut |node, j| push(&mut rows, node, &j.tr_mul(force)));
            }
        });
        rows
    }

    /// The places of a direction lie so many times it apart; zero if it leads nowhere.
    fn distance_along(&self, along: &[Twist]) -> f64 {
        let length = self.values.scales.length;
        let size = along.iter().map(|x| x.angular.norm().max(x.linear.norm() / length)).fold(0.0, f64::max);
        if size > 0.0 && size.is_finite() { WAY / size } else { 0.0 }
    }

    fn slots_of_their_own(&self) -> impl Iterator<Item = Node> {
        Slot::first(self.layout.sources.len()).map(Slot::node)
    }

    fn no_terms(&self) -> Vec<Term> {
        vec![Term { group: Group::new(0), jacobian: Matrix6::zeros() }; self.layout.term_count]
    }
}

/// The shape at one end of the step.
pub(super) fn shape_of(side: Side, step: &RodStep) -> &crate::rod::RodShape {
    match side {
        Side::Start => &step.start,
        Side::End => &step.end,
    }
}
