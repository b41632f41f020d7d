//! Joints: motions in a subgroup of SE(3), J ← J exp(S δ).
//!
//! Every joint but the universal moves in a subgroup, so that its tangent S is constant and exp(S δ) needs no second
//! derivative. The universal joint is two revolute ones in a row. What acts along the coordinates is in files of its own:
//! `kind/joint_spring`, `kind/joint_effort` and `kind/joint_limit`.
//!
//! | symbol | meaning | axes |
//! |---|---|---|
//! | R, p | rotation and position of the frame after the joint, J = (R, p) | before the joint |
//! | q = Sᵀ (log R, p) | coordinates: rotation vector or angle, and position | before the joint |
//! | δ | a small motion | after the joint |
//!
//! ```text
//! q̇ = Sᵀ diag(T, R) S δ,  T = dexp⁻¹ at log R          f·p moves by f·R (v + ½ ω×v) + …
//! ```

use crate::contribution::Scales;
use crate::index::{JointIndex, Node, Slot};
use crate::inputs::Inputs;
use crate::state::JointState;
use lissome_lie::dual::{ExpMap, InverseMap};
use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_model::JointKind;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// A joint as it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Where it stands among the compiled joints.
    pub index: JointIndex,
    /// Index of the scene's joint; `None` for the angle of a tube and for strain coordinates.
    pub model: Option<usize>,
    /// The rod whose strain coordinates it holds, if it does: they have rates and rows as joints have.
    pub strain_of: Option<usize>,
    /// The angle of a tube that it is, if it is one.
    pub tube: Option<TubeAngle>,
    /// Its first coordinate among those of the scene's joint.
    pub first: usize,
    /// The motions it allows.
    pub subgroup: Subgroup,
    /// Slot of the frame after it.
    pub slot: Slot,
    /// Its node; the group of a driven joint is a prescribed one.
    pub node: Node,
    /// True if its coordinates are inputs.
    pub driven: bool,
    /// Coordinates in the beginning.
    pub start: Vector6<f64>,
}

/// Which angle of which tube a joint is: that of the innermost at the entry, or a coefficient of the angle of a further one.
/// A first coefficient that is driven stands for the base of a tube without transmission, and is its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TubeAngle {
    /// Index of the rod.
    pub rod: usize,
    /// Number of the tube.
    pub tube: usize,
    /// Number of the coefficient.
    pub index: usize,
    /// Axis of the section that it turns about: the tangent, or y or z of a tube that tilts.
    pub axis: usize,
}

impl TubeAngle {
    /// The angle between tubes that do not twist: that of the base, for further tubes from the innermost.
    pub fn rigid(&self, inputs: &Inputs) -> f64 {
        let bases = &inputs.tubes[self.rod];
        if self.axis > 0 {
            return 0.0;
        }
        if self.tube == 0 { bases[0].rotation } else { bases[self.tube].rotation - bases[0].rotation }
    }
}

impl Joint {
    /// Its part of the inputs: coordinates of a driven joint, efforts of an actuated one.
    pub fn input(&self, inputs: &Inputs) -> Vector6<f64> {
        match (self.model, self.tube) {
            (Some(model), _) => self.subgroup.own(&inputs.joints[model][self.first..]),
            (None, Some(angle)) => self.subgroup.own(&[inputs.tubes[angle.rod][angle.tube].rotation]),
            (None, None) => Vector6::zeros(),
        }
    }

    /// Where it stands before anything acts.
    pub fn start_at(&self, inputs: &Inputs) -> JointState {
        match (self.driven_to(inputs), self.tube) {
            (Some(driven), _) => driven,
            (None, Some(angle)) => self.subgroup.at(&self.subgroup.own(&[angle.rigid(inputs)])),
            (None, None) => self.subgroup.at(&self.start),
        }
    }

    /// Where it stands if it is driven.
    pub fn driven_to(&self, inputs: &Inputs) -> Option<JointState> {
        self.driven.then(|| self.subgroup.at(&self.input(inputs)))
    }
}

/// A subgroup of SE(3) with coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subgroup {
    /// Number of coordinates.
    pub freedom: usize,
    /// S: one column a coordinate.
    pub subspace: Matrix6<f64>,
    /// True if its motions commute, so that coordinates add up beyond a full turn.
    pub commutes: bool,
}

impl Subgroup {
    /// The subgroups that a joint is made of, one after the other.
    pub fn of(kind: &JointKind) -> Vec<Self> {
        let turn = |axis: Vector3<f64>| Twist::new(axis, Vector3::zeros());
        let slide = |axis: Vector3<f64>| Twist::new(Vector3::zeros(), axis);
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        match *kind {
            JointKind::Fixed => vec![],
            JointKind::Revolute { axis } => vec![Self::spanned(&[turn(axis)], true)],
            JointKind::Prismatic { axis } => vec![Self::spanned(&[slide(axis)], true)],
            JointKind::Cylindrical { axis } => vec![Self::spanned(&[turn(axis), slide(axis)], true)],
            JointKind::Universal { first, second } => {
                vec![Self::spanned(&[turn(first)], true), Self::spanned(&[turn(second)], true)]
            }
            JointKind::Spherical => vec![Self::spanned(&axes.map(turn), false)],
            JointKind::Planar { normal } => {
                let (u, v) = JointKind::plane_directions(&normal);
                vec![Self::spanned(&[turn(normal), slide(u), slide(v)], false)]
            }
            JointKind::Free => {
                let all: Vec<Twist> = axes.into_iter().map(turn).chain(axes.into_iter().map(slide)).collect();
                vec![Self::spanned(&all, false)]
            }
        }
    }

    /// Turns about the tangent of a rod.
    pub fn twist() -> Self {
        Self::turn_about(0)
    }

    /// Turns about an axis of the section.
    pub fn turn_about(axis: usize) -> Self {
        Self::spanned(&[Twist::new(Vector3::ith(axis, 1.0), Vector3::zeros())], true)
    }

    /// Coordinates that add up, each along one of the six strains of a rod.
    pub fn strains(strains: impl Iterator<Item = usize>) -> Self {
        let along = |strain: usize| {
            let mut unit = Vector6::zeros();
            unit[strain] = 1.0;
            Twist::from_vector(&unit)
        };
        Self::spanned(&strains.map(along).collect::<Vec<_>>(), true)
    }

    fn spanned(tangents: &[Twist], commutes: bool) -> Self {
        let mut subspace = Matrix6::zeros();
        for (i, tangent) in tangents.iter().enumerate() {
            subspace.set_column(i, &tangent.to_vector());
        }
        Self { freedom: tangents.len(), subspace, commutes }
    }

    /// The first entries of a list as coordinates, missing ones zero.
    pub fn own(&self, list: &[f64]) -> Vector6<f64> {
        Vector6::from_fn(|i, _| if i < self.freedom { list.get(i).copied().unwrap_or(0.0) } else { 0.0 })
    }

    /// The frame at given coordinates: turned by the rotation vector, and then at the position.
    pub fn at(&self, value: &Vector6<f64>) -> JointState {
        let Twist { angular, linear } = Twist::from_vector(&(self.subspace * value));
        JointState { value: *value, motion: Pose::new(Rotation::exp(&angular), linear) }
    }

    /// J exp(S δ).
    pub fn moved(&self, from: &JointState, step: &Vector6<f64>) -> JointState {
        if self.commutes {
            return self.at(&(from.value + step));
        }
        let motion = from.motion.boxplus(&Twist::from_vector(&(self.subspace * step)));
        let turned = motion.rotation.log();
        let mut value = self.subspace.tr_mul(&Twist::new(turned, motion.position).to_vector());
        if self.turns_about_one_axis() {
            // One angle adds up, beyond a full turn too.
            value[0] = from.value[0] + step[0];
        }
        JointState { value, motion }
    }

    /// What the coordinates went through from one state to another.
    pub fn travelled(&self, from: &JointState, to: &JointState) -> Vector6<f64> {
        if self.commutes {
            return to.value - from.value;
        }
        self.subspace.tr_mul(&to.motion.boxminus(&from.motion).to_vector())
    }

    /// How the coordinates change with δ, and the second derivative of force · coordinates.
    pub fn coordinates(&self, state: &JointState, force: &Vector6<f64>) -> (Matrix6<f64>, Matrix6<f64>) {
        if self.commutes {
            return (Matrix6::identity(), Matrix6::zeros());
        }
        let rotation = state.motion.rotation;
        let Twist { angular: on_turn, linear: on_shift } = Twist::from_vector(&(self.subspace * force));
        let inverse = InverseMap::at(Twist::new(rotation.log(), Vector3::zeros()).into());
        let (turn, shift) = (inverse.plus().twist_map(), rotation.matrix());
        let along =
            self.subspace.tr_mul(&(block_diagonal(&turn.fixed_view::<3, 3>(0, 0).into(), &shift) * self.subspace));
        let (curved, _) = inverse.derivatives(&Wrench::new(on_turn, Vector3::zeros()).into());
        let curved = (curved * inverse.plus()).symmetric_part().covector_map();
        let curvature = block_diagonal(&curved.fixed_view::<3, 3>(0, 0).into(), &Matrix3::zeros())
            + shift_curvature(&rotation.inverse_rotate(&on_shift));
        (along, self.subspace.tr_mul(&(curvature * self.subspace)))
    }

    /// What a damper feels between two states: turns about the axes of the frame after the joint, which go on beyond half a
    /// turn, and changes of the position.
    pub fn slipped(&self, from: &JointState, to: &JointState) -> Vector6<f64> {
        if self.commutes {
            return to.value - from.value;
        }
        let turned = (from.motion.rotation.inverse() * to.motion.rotation).log();
        let shifted = to.motion.position - from.motion.position;
        self.subspace.tr_mul(&Twist::new(turned, shifted).to_vector())
    }

    /// How that changes with δ at the later state, and the second derivative of force · it.
    pub fn slip(&self, state: &JointState, force: &Vector6<f64>) -> (Matrix6<f64>, Matrix6<f64>) {
        if self.commutes {
            return (Matrix6::identity(), Matrix6::zeros());
        }
        let rotation = state.motion.rotation;
        let along = block_diagonal(&Matrix3::identity(), &rotation.matrix());
        let on_shift = Twist::from_vector(&(self.subspace * force)).linear;
        let curvature = shift_curvature(&rotation.inverse_rotate(&on_shift));
        (self.subspace.tr_mul(&(along * self.subspace)), self.subspace.tr_mul(&(curvature * self.subspace)))
    }

    /// Small motions δ that change each coordinate alone, one column a coordinate: the inverse of q̇ by δ.
    pub fn motions(&self, value: &Vector6<f64>) -> Matrix6<f64> {
        if self.commutes {
            return Matrix6::identity();
        }
        let turned = Twist::from_vector(&(self.subspace * value)).angular;
        let turn = ExpMap::at(Twist::new(turned, Vector3::zeros()).into()).dexp().twist_map();
        let back = Rotation::exp(&turned).matrix().transpose();
        self.subspace.tr_mul(&(block_diagonal(&turn.fixed_view::<3, 3>(0, 0).into(), &back) * self.subspace))
    }

    /// True if the first coordinate is an angle and no other is.
    fn turns_about_one_axis(&self) -> bool {
        self.turns(0) && (1..self.freedom).all(|i| !self.turns(i))
    }

    /// True if a coordinate is an angle.
    pub fn turns(&self, coordinate: usize) -> bool {
        self.subspace.fixed_view::<3, 1>(0, coordinate).norm_squared() > 0.5
    }

    /// A number for each angle and another for each distance.
    pub fn by_coordinate(&self, turn: f64, shift: f64) -> Vector6<f64> {
        Vector6::from_fn(|i, _| match i < self.freedom {
            false => 0.0,
            true if self.turns(i) => turn,
            true => shift,
        })
    }

    /// Stiffness of the coordinates that is of the softest rod's size.
    pub fn stiffness_scale(&self, scales: &Scales) -> Vector6<f64> {
        self.by_coordinate(scales.force * scales.length, scales.force / scales.length)
    }
}

/// Second derivative of force · position by a small motion, for a force in the moving axes: f·(½ ω×v) = ½ v·(f × ω), once for
/// each order of the two.
fn shift_curvature(force: &Vector3<f64>) -> Matrix6<f64> {
    let mut whole = Matrix6::zeros();
    let half = force.cross_matrix() * 0.5;
    whole.fixed_view_mut::<3, 3>(3, 0).copy_from(&half);
    whole.fixed_view_mut::<3, 3>(0, 3).copy_from(&half.transpose());
    whole
}

/// Angular part first.
fn block_diagonal(angular: &Matrix3<f64>, linear: &Matrix3<f64>) -> Matrix6<f64> {
    let mut whole = Matrix6::zeros();
    whole.fixed_view_mut::<3, 3>(0, 0).copy_from(angular);
    whole.fixed_view_mut::<3, 3>(3, 3).copy_from(linear);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central differences: truncation h² and rounding 1e-16/h, both under 1e-9.
    const H: f64 = 1e-5;
    const DIFFERENCES: f64 = 1e-8;

    fn several() -> Vec<(Subgroup, Vector6<f64>)> {
        let value = Vector6::new(0.7, -0.4, 1.1, 0.3, -0.2, 0.5);
        let normal = Vector3::new(0.6, 0.0, 0.8);
        let kinds = [JointKind::Spherical, JointKind::Planar { normal }, JointKind::Free];
        kinds.iter().flat_map(Subgroup::of).map(|own| (own, own.own(value.as_slice()))).collect()
    }

    #[test]
    fn coordinates_are_the_rotation_vector_and_the_position() {
        let free = Subgroup::of(&JointKind::Free)[0];
        let quarter = std::f64::consts::FRAC_PI_2;
        let at = free.at(&Vector6::new(0.0, 0.0, quarter, 0.1, 0.02, 0.0)).motion;
        assert_eq!(at.position, Vector3::new(0.1, 0.02, 0.0));
        assert!((at.rotation.rotate(&Vector3::x()) - Vector3::y()).norm() < 1e-15);
        let flat = Subgroup::of(&JointKind::Planar { normal: Vector3::z() })[0];
        let at = flat.at(&flat.own(&[quarter, 0.1, 0.02]));
        assert_eq!(at.motion.position, Vector3::new(0.1, 0.02, 0.0));
        // Ahead in its own axes is along y of the parent, and the angle adds up beyond a turn.
        let mut moved = at;
        for _ in 0..8 {
            moved = flat.moved(&moved, &flat.own(&[1.0, 0.0, 0.0]));
        }
        assert!((moved.value[0] - quarter - 8.0).abs() < 1e-12);
        assert!((flat.moved(&at, &flat.own(&[0.0, 0.01, 0.0])).value - flat.own(&[quarter, 0.1, 0.03])).norm() < 1e-15);
    }

    #[test]
    fn rates_of_coordinates_and_their_curvature_are_derivatives() {
        let force = Vector6::new(0.3, -0.8, 0.5, 1.2, -0.6, 0.9);
        for (own, value) in several() {
            let (force, state) = (own.own(force.as_slice()), own.at(&value));
            let (along, curvature) = own.coordinates(&state, &force);
            let (slip, slip_curvature) = own.slip(&state, &force);
            let step = Vector6::from_fn(|i, _| if i < own.freedom { 0.4 - 0.3 * i as f64 } else { 0.0 });
            let (plus, minus) = (own.moved(&state, &(step * H)), own.moved(&state, &(step * -H)));
            assert!(((plus.value - minus.value) / (2.0 * H) - along * step).amax() < DIFFERENCES, "{own:?}");
            let slipped = |to: &JointState| own.slipped(&state, to);
            assert!(((slipped(&plus) - slipped(&minus)) / (2.0 * H) - slip * step).amax() < DIFFERENCES);
            // Second differences: truncation h² and rounding 1e-16/h² at h = 1e-4.
            let h = 1e-4;
            let (plus, minus) = (own.moved(&state, &(step * h)), own.moved(&state, &(step * -h)));
            let second = force.dot(&(plus.value + minus.value - state.value * 2.0)) / (h * h);
            assert!((second - step.dot(&(curvature * step))).abs() < 1e-6, "{own:?}: {second}");
            let second = force.dot(&(slipped(&plus) + slipped(&minus))) / (h * h);
            assert!((second - step.dot(&(slip_curvature * step))).abs() < 1e-6, "{own:?}: {second}");
            let back = along * own.motions(&value);
            let unit = Matrix6::from_fn(|i, j| f64::from(u8::from(i == j && i < own.freedom)));
            assert!((back - unit).amax() < 1e-14, "{own:?}: {back}");
        }
    }
}
