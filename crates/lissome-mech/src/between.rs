//! What depends on two slots: the distance of their points, and one pose relative to the other.

use crate::contribution::{half_bracket, push};
use crate::index::{Node, Slot};
use crate::load::SectionLoad;
use crate::sink::BlockSink;
use crate::state::State;
use lissome_lie::dual::{DualMatrix, DualVector, InverseMap};
use lissome_lie::{Pose, Rotation, Wrench, skew};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// The straight way from the point of one slot to that of another. Only positions count, p ← p + R(v + ½ θ×v).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Where it starts.
    pub from: Slot,
    /// Where it ends.
    pub to: Slot,
}

/// A leg at one state.
#[derive(Clone, Copy, Debug)]
pub struct LegAt<'a> {
    leg: Leg,
    rotations: [&'a Rotation; 2],
    /// Its length d, m.
    pub length: f64,
    /// Its direction u, world axes; zero if it has none.
    pub direction: Vector3<f64>,
}

impl Leg {
    /// At a state; below the length `smallest` it has no direction.
    pub fn at<'a>(&self, state: &'a State, smallest: f64) -> LegAt<'a> {
        let (from, to) = (state.pose(self.from), state.pose(self.to));
        let between = to.position - from.position;
        let length = between.norm();
        let direction = if length > smallest { between / length } else { Vector3::zeros() };
        LegAt { leg: *self, rotations: [&from.rotation, &to.rotation], length, direction }
    }
}

impl LegAt<'_> {
    fn ends(&self) -> [(Slot, &Rotation, f64); 2] {
        [(self.leg.from, self.rotations[0], -1.0), (self.leg.to, self.rotations[1], 1.0)]
    }

    /// ∂d/∂z of both ends, as the first row of a matrix.
    pub fn jacobian(&self, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        for (slot, rotation, sign) in self.ends() {
            let mut row = Matrix6::zeros();
            let along = rotation.inverse_rotate(&self.direction) * sign;
            row.fixed_view_mut::<1, 3>(0, 3).copy_from(&along.transpose());
            visit(slot.node(), &row);
        }
    }

    /// Adds the pull of a tension on both ends.
    pub fn pull(&self, tension: f64, forces: &mut [DualVector]) {
        self.pull_down(&(self.direction * tension), forces);
    }

    /// Adds to both ends what a function of the way between them exerts whose gradient is this, world axes.
    pub fn pull_down(&self, gradient: &Vector3<f64>, forces: &mut [DualVector]) {
        for (slot, rotation, sign) in self.ends() {
            let force = rotation.inverse_rotate(gradient) * -sign;
            push(forces, slot.node(), &Wrench::new(Vector3::zeros(), force).to_vector());
        }
    }

    /// What a tension resists a sideways motion with, N/m: T/d, nothing without a direction.
    pub fn sideways(&self, tension: f64) -> f64 {
        if self.direction == Vector3::zeros() { 0.0 } else { tension / self.length }
    }

    /// Adds the second derivative of a function of the length: its slope is the tension, its second derivative the
    /// stiffness along the leg, and sideways it resists with `sideways`.
    pub fn add_curvature(&self, tension: f64, along_stiffness: f64, sideways: f64, sink: &mut dyn BlockSink) {
        let u = self.direction;
        let along = u * u.transpose();
        let hessian = (Matrix3::identity() - along) * sideways + along * along_stiffness;
        self.add_second_derivative(&(u * tension), &hessian, sink);
    }

    /// Adds the second derivative of a function of the way from one end to the other, by its gradient and its own second
    /// derivative, world axes.
    pub fn add_second_derivative(&self, gradient: &Vector3<f64>, hessian: &Matrix3<f64>, sink: &mut dyn BlockSink) {
        if !sink.is_wanted() {
            return;
        }
        let [ra, rb] = self.rotations.map(Rotation::matrix);
        for (slot, rotation, sign) in self.ends() {
            let dead = Wrench::new(Vector3::zeros(), gradient * -sign);
            let load = SectionLoad { dead, follower: Wrench::zero() }.evaluate(rotation, 1.0);
            sink.add_symmetric(slot.node(), slot.node(), &(half_bracket(&load.wrench.into()) - load.tangent));
        }
        let (a, b) = (self.leg.from.node(), self.leg.to.node());
        sink.add_symmetric(a, a, &linear(&(ra.tr_mul(hessian) * ra)));
        sink.add_symmetric(b, b, &linear(&(rb.tr_mul(hessian) * rb)));
        sink.add_symmetric(b, a, &linear(&-(rb.tr_mul(hessian) * ra)));
    }
}

/// A block on the linear parts of two poses.
fn linear(block: &Matrix3<f64>) -> Matrix6<f64> {
    let mut m = Matrix6::zeros();
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(block);
    m
}

/// The pose of one slot seen from another, c = log((g_a offset)⁻¹ g_b), with its derivatives.
#[derive(Clone, Copy, Debug)]
pub struct RelativePose {
    /// a.
    pub frame: Slot,
    /// b.
    pub tied: Slot,
    inverse: InverseMap,
    /// Ad of the inverse offset.
    carried: DualMatrix,
    /// c.
    pub gap: DualVector,
}

impl RelativePose {
    /// At a state.
    pub fn at(state: &State, frame: Slot, offset: &Pose, tied: Slot) -> Self {
        let gap: DualVector = state.pose(tied).boxminus(&(*state.pose(frame) * *offset)).into();
        let back = offset.inverse();
        let r = back.rotation.matrix();
        let carried = DualMatrix { re: r, du: skew(&back.position) * r };
        Self { frame, tied, inverse: InverseMap::at(gap), carried, gap }
    }

    /// c as a plain vector.
    pub fn value(&self) -> Vector6<f64> {
        self.gap.twist().to_vector()
    }

    /// ∂c/∂z of both slots.
    pub fn jacobian(&self, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        visit(self.tied.node(), &self.inverse.plus().twist_map());
        visit(self.frame.node(), &(self.inverse.minus() * self.carried * -1.0).twist_map());
    }

    /// Adds the second derivative of ρ·c.
    pub fn add_curvature(&self, rho: &Vector6<f64>, sink: &mut dyn BlockSink) {
        if !sink.is_wanted() {
            return;
        }
        let (tied, frame) = (self.tied.node(), self.frame.node());
        let (plus, minus) = (self.inverse.plus(), self.inverse.minus() * self.carried);
        let (far, near) = self.inverse.derivatives(&crate::contribution::covector(rho));
        sink.add_symmetric(tied, tied, &(far * plus).symmetric_part().covector_map());
        sink.add_symmetric(tied, frame, &((far * minus) * -1.0).covector_map());
        let on_frame = self.carried.transpose_mul(&(near * minus)).symmetric_part();
        sink.add_symmetric(frame, frame, &on_frame.covector_map());
    }

    /// Adds (∂c)ᵀ W ∂c.
    pub fn add_stiffness(&self, weight: &Matrix6<f64>, sink: &mut dyn BlockSink) {
        if !sink.is_wanted() {
            return;
        }
        let (tied, frame) = (self.tied.node(), self.frame.node());
        let far = self.inverse.plus().twist_map();
        let near = (self.inverse.minus() * self.carried * -1.0).twist_map();
        sink.add_symmetric(tied, tied, &far.tr_mul(&(weight * far)));
        sink.add_symmetric(tied, frame, &far.tr_mul(&(weight * near)));
        sink.add_symmetric(frame, frame, &near.tr_mul(&(weight * near)));
    }
}
