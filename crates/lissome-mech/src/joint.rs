//! Joints: motions in a subgroup of SE(3), J ← J exp(S δ).
//!
//! Every joint but the universal moves in a subgroup, so that its tangent S is constant and exp(S δ) needs no second
//! derivative. The universal joint is two revolute ones in a row. What acts along the coordinates is in files of its own:
//! `kind/joint_spring`, `kind/joint_effort` and `kind/joint_limit`.

use crate::contribution::Scales;
use crate::index::{JointIndex, Node, Slot};
use crate::inputs::Inputs;
use crate::state::JointState;
use lissome_lie::dual::InverseMap;
use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_model::JointKind;
use nalgebra::{Matrix6, Vector3, Vector6};

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
                let frame = Rotation::from_tangent(&normal).expect("a validated normal has a direction");
                let (u, v) = (frame.rotate(&Vector3::y()), frame.rotate(&Vector3::z()));
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

    /// exp(S q).
    pub fn at(&self, value: &Vector6<f64>) -> JointState {
        JointState { value: *value, motion: Pose::exp(&Twist::from_vector(&(self.subspace * value))) }
    }

    /// J exp(S δ).
    pub fn moved(&self, from: &JointState, step: &Vector6<f64>) -> JointState {
        if self.commutes {
            return self.at(&(from.value + step));
        }
        let motion = from.motion.boxplus(&Twist::from_vector(&(self.subspace * step)));
        JointState { value: self.subspace.tr_mul(&motion.log().to_vector()), motion }
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
        // value = Sᵀ log J, δ(log J) = T₊ S δ.
        let inverse = InverseMap::at(state.motion.log().into());
        let along = self.subspace.tr_mul(&(inverse.plus().twist_map() * self.subspace));
        let pull = Wrench::from_vector(&(self.subspace * force)).into();
        let (curvature, _) = inverse.derivatives(&pull);
        let curvature = (curvature * inverse.plus()).symmetric_part().covector_map();
        (along, self.subspace.tr_mul(&(curvature * self.subspace)))
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
