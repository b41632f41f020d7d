//! Joints: motions in a subgroup of SE(3), J ← J exp(S δ), with springs, efforts and limits along their coordinates.
//!
//! Every joint but the universal moves in a subgroup, so that its tangent S is constant and exp(S δ) needs no second
//! derivative. The universal joint is two revolute ones in a row. A limit is a multiplier: while the coordinate is at it,
//! a force holds it there; while it is not, the force is zero.

use crate::state::JointState;
use lissome_lie::dual::InverseMap;
use lissome_lie::{Pose, Twist, Wrench};
use lissome_model::{Joint, JointKind, JointMotion};
use nalgebra::{Matrix6, Vector3, Vector6};

/// A joint as it is computed.
#[derive(Clone, Debug)]
pub struct CompiledJoint {
    /// Index of the scene's joint.
    pub model: usize,
    /// Its first coordinate among those of the scene's joint.
    pub first: usize,
    /// Number of coordinates.
    pub freedom: usize,
    /// S: one column a coordinate.
    pub subspace: Matrix6<f64>,
    /// True if its motions commute, so that coordinates add up beyond a full turn.
    pub commutes: bool,
    /// Slot of the frame after it.
    pub slot: usize,
    /// Node of its unknowns; `None` if it is driven.
    pub node: Option<usize>,
    /// True if efforts act along its coordinates.
    pub actuated: bool,
    /// Spring stiffness along its coordinates.
    pub stiffness: Vector6<f64>,
    /// Where the springs rest.
    pub rest: Vector6<f64>,
    /// Damping along its coordinates.
    pub damping: Vector6<f64>,
    /// Range of its coordinates.
    pub limits: [Option<(f64, f64)>; 6],
    /// Node of the force at the limits of its coordinates, one a coordinate; `None` if it has no limits or is driven.
    pub limit_node: Option<usize>,
    /// Coordinates in the beginning.
    pub start: Vector6<f64>,
}

/// The subgroups that a joint is made of: tangents of each, and whether they commute.
fn subgroups(kind: &JointKind) -> Vec<(Vec<Twist>, bool)> {
    let turn = |axis: Vector3<f64>| Twist::new(axis, Vector3::zeros());
    let slide = |axis: Vector3<f64>| Twist::new(Vector3::zeros(), axis);
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    match *kind {
        JointKind::Fixed => vec![],
        JointKind::Revolute { axis } => vec![(vec![turn(axis)], true)],
        JointKind::Prismatic { axis } => vec![(vec![slide(axis)], true)],
        JointKind::Cylindrical { axis } => vec![(vec![turn(axis), slide(axis)], true)],
        JointKind::Universal { first, second } => vec![(vec![turn(first)], true), (vec![turn(second)], true)],
        JointKind::Spherical => vec![(axes.iter().map(|axis| turn(*axis)).collect(), false)],
        JointKind::Planar { normal } => {
            let u = lissome_lie::Rotation::from_tangent(&normal).expect("a validated normal has a direction");
            let (u, v) = (u.rotate(&Vector3::y()), u.rotate(&Vector3::z()));
            vec![(vec![turn(normal), slide(u), slide(v)], false)]
        }
        JointKind::Free => {
            vec![(axes.iter().map(|axis| turn(*axis)).chain(axes.iter().map(|axis| slide(*axis))).collect(), false)]
        }
    }
}

impl CompiledJoint {
    /// The joints in a row that a scene's joint is computed as; slots and nodes are filled in later.
    pub(crate) fn compile(joint: &Joint, model: usize) -> Vec<Self> {
        let at = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0);
        let mut first = 0;
        subgroups(&joint.kind)
            .into_iter()
            .map(|(tangents, commutes)| {
                let mut subspace = Matrix6::zeros();
                for (i, tangent) in tangents.iter().enumerate() {
                    subspace.set_column(i, &tangent.to_vector());
                }
                let own =
                    |list: &[f64]| Vector6::from_fn(|i, _| if i < tangents.len() { at(list, first + i) } else { 0.0 });
                let compiled = Self {
                    model,
                    first,
                    freedom: tangents.len(),
                    subspace,
                    commutes,
                    slot: 0,
                    node: None,
                    actuated: matches!(joint.motion, JointMotion::Actuated { .. }),
                    stiffness: own(&joint.stiffness),
                    rest: own(&joint.rest),
                    damping: own(&joint.damping),
                    limits: std::array::from_fn(|i| joint.limits.get(first + i).copied().flatten()),
                    limit_node: None,
                    start: own(joint.start()),
                };
                first += tangents.len();
                compiled
            })
            .collect()
    }

    /// exp(S q).
    pub fn at(&self, value: &Vector6<f64>) -> JointState {
        JointState {
            value: *value,
            motion: Pose::exp(&Twist::from_vector(&(self.subspace * value))),
            limit_force: Vector6::zeros(),
        }
    }

    /// J exp(S δ).
    pub fn moved(&self, from: &JointState, step: &Vector6<f64>) -> JointState {
        let limit_force = from.limit_force;
        if self.commutes {
            return JointState { limit_force, ..self.at(&(from.value + step)) };
        }
        let motion = from.motion.boxplus(&Twist::from_vector(&(self.subspace * step)));
        JointState { value: self.subspace.tr_mul(&motion.log().to_vector()), motion, limit_force }
    }

    /// Elastic energy of its springs.
    pub fn energy(&self, state: &JointState) -> f64 {
        let stretch = state.value - self.rest;
        0.5 * stretch.component_mul(&self.stiffness).dot(&stretch)
    }

    /// Gradient and second derivative of the springs' energy in δ.
    pub(crate) fn spring(&self, state: &JointState) -> (Vector6<f64>, Matrix6<f64>) {
        let force = (state.value - self.rest).component_mul(&self.stiffness);
        if self.commutes || self.stiffness == Vector6::zeros() {
            return (force, Matrix6::from_diagonal(&self.stiffness));
        }
        let (along, curvature) = self.coordinates(state, &force);
        (along.tr_mul(&force), along.tr_mul(&(Matrix6::from_diagonal(&self.stiffness) * along)) + curvature)
    }

    /// How the coordinates change with δ, and the second derivative of force · coordinates.
    pub(crate) fn coordinates(&self, state: &JointState, force: &Vector6<f64>) -> (Matrix6<f64>, Matrix6<f64>) {
        if self.commutes {
            return (Matrix6::identity(), Matrix6::zeros());
        }
        // value = Sᵀ log J, δ(log J) = T₊ S δ.
        let inverse = InverseMap::at(state.motion.log().into());
        let along = self.subspace.tr_mul(&(inverse.plus().twist_map() * self.subspace));
        let pull = Wrench::from_vector(&(self.subspace * force)).into();
        let (curvature, _) = inverse.derivatives(&pull);
        let curvature = (curvature * inverse.plus()).symmetric_part().covector_map();
        (along, self.subspace.tr_mul(&(curvature * self.subspace)))
    }

    /// The limit that coordinate `i` is at, if its force or its position says so. `stiffness` weighs one against the other.
    pub(crate) fn touched(&self, state: &JointState, i: usize, stiffness: f64) -> Option<f64> {
        let (low, high) = self.limits[i]?;
        let (value, force) = (state.value[i], state.limit_force[i]);
        if force + stiffness * (low - value) > 0.0 {
            return Some(low);
        }
        (force + stiffness * (high - value) < 0.0).then_some(high)
    }
}

impl CompiledJoint {
    /// What its coordinates went through from one state to another.
    pub fn travelled(&self, from: &JointState, to: &JointState) -> Vector6<f64> {
        if self.commutes {
            return to.value - from.value;
        }
        self.subspace.tr_mul(&to.motion.boxminus(&from.motion).to_vector())
    }
}
