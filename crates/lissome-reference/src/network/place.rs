//! Poses as the oracle computes with them: a unit quaternion and a point.

use crate::cosserat::equations::turn_between;
use crate::quaternion::Quaternion;
use lissome_lie::Pose;
use nalgebra::{Vector3, Vector6};

/// Where a frame is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub q: Quaternion,
    pub p: Vector3<f64>,
}

impl Place {
    pub fn origin() -> Self {
        Self { q: Quaternion::identity(), p: Vector3::zeros() }
    }

    pub fn from_pose(pose: &Pose) -> Self {
        Self { q: Quaternion::from_rotation(&pose.rotation), p: pose.position }
    }

    pub fn to_pose(self) -> Pose {
        Pose::new(self.q.to_rotation(), self.p)
    }

    /// World coordinates of a point of this frame.
    pub fn point(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.p + self.direction(x)
    }

    /// World axes of a direction of this frame.
    pub fn direction(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.q.matrix() * x
    }

    /// A frame given in this one.
    pub fn times(&self, other: &Self) -> Self {
        Self { q: self.q.times(other.q), p: self.point(&other.p) }
    }

    /// `other` as seen from this frame.
    pub fn sees(&self, other: &Self) -> Self {
        let back = self.q.conjugate();
        Self { q: back.times(other.q), p: back.matrix() * (other.p - self.p) }
    }

    /// World rotation vector and shift that lead from here to `other`.
    pub fn gap_to(&self, other: &Self) -> Vector6<f64> {
        let (turn, shift) = (turn_between(&self.q, &other.q), other.p - self.p);
        Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z)
    }
}
