//! The two held ends: read with their relation checked, reduced to the one pose that matters.

use crate::error::{End, ROTATION_TOLERANCE, ShapeError};
use lissome_lie::{Pose, Rotation};
use nalgebra::{Matrix3, Vector3};

/// Poses of the two ends in the world; the rod leaves the base along its x axis and arrives along the tip's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ends {
    /// Pose that holds s = 0.
    pub base: Pose,
    /// Pose that holds s = length.
    pub tip: Pose,
}

impl Ends {
    /// From two poses.
    pub fn new(base: Pose, tip: Pose) -> Result<Self, ShapeError> {
        for (end, pose) in [(End::Base, &base), (End::Tip, &tip)] {
            if !pose.is_finite() {
                return Err(ShapeError::NotFinite { end });
            }
        }
        Ok(Self { base, tip })
    }

    /// From the tip's pose seen from the base.
    pub fn relative(base_from_tip: Pose) -> Result<Self, ShapeError> {
        Self::new(Pose::identity(), base_from_tip)
    }

    /// The tip seen from the base, H₀₁ = H₀⁻¹ H₁.
    pub fn base_from_tip(&self) -> Pose {
        self.base.inverse() * self.tip
    }
}

/// A pose from a rotation matrix and a position; refuses what is no rotation. Like [`pose_from_quat_wxyz`] a door for those
/// who measure poses: scenes have their own, in the file format.
pub fn pose_from_matrix(end: End, rotation: &Matrix3<f64>, position: Vector3<f64>) -> Result<Pose, ShapeError> {
    if rotation.iter().chain(position.iter()).any(|x| !x.is_finite()) {
        return Err(ShapeError::NotFinite { end });
    }
    match Rotation::from_matrix(rotation, ROTATION_TOLERANCE) {
        Some(r) => Ok(Pose::new(r, position)),
        None => Err(ShapeError::NotARotation {
            end,
            defect: (rotation.transpose() * rotation - Matrix3::identity()).amax(),
            determinant: rotation.determinant(),
        }),
    }
}

/// A pose from a unit quaternion and a position; refuses a length other than one.
pub fn pose_from_quat_wxyz(end: End, quat_wxyz: [f64; 4], position: Vector3<f64>) -> Result<Pose, ShapeError> {
    if quat_wxyz.iter().chain(position.iter()).any(|x| !x.is_finite()) {
        return Err(ShapeError::NotFinite { end });
    }
    let norm = quat_wxyz.iter().map(|x| x * x).sum::<f64>().sqrt();
    match Rotation::from_quat_wxyz(quat_wxyz) {
        Some(r) if (norm - 1.0).abs() <= ROTATION_TOLERANCE => Ok(Pose::new(r, position)),
        _ => Err(ShapeError::NotAUnitQuaternion { end, norm }),
    }
}
