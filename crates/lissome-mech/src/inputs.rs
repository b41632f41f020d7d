//! What may change while a system does not: loads, tensions, driven joints.

use lissome_model::{CableDrive, Drive, DriveTarget, JointMotion, Scene};

/// The quantities that act on a system, as functions of nothing: a drive fills them for each moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// Part of all loads, tensions and efforts that acts: 1 but for load steps. Driven coordinates are not scaled.
    pub factor: f64,
    /// Factor on gravity.
    pub gravity: f64,
    /// Factor on each load of a rod.
    pub loads: Vec<f64>,
    /// Factor on each load of a frame.
    pub frame_loads: Vec<f64>,
    /// Tension, N, or length, m, or pull, m, of each cable.
    pub cables: Vec<f64>,
    /// Of each joint of the scene: coordinates of a driven one, efforts of an actuated one.
    pub joints: Vec<[f64; 6]>,
}

impl Inputs {
    /// What the scene says without its drives.
    pub fn nominal(scene: &Scene) -> Self {
        Self {
            factor: 1.0,
            gravity: 1.0,
            loads: vec![1.0; scene.loads.len()],
            frame_loads: vec![1.0; scene.frame_loads.len()],
            cables: scene
                .cables
                .iter()
                .map(|cable| match cable.drive {
                    CableDrive::Tension(value) | CableDrive::Length(value) | CableDrive::Pull(value) => value,
                })
                .collect(),
            joints: scene
                .joints
                .iter()
                .map(|joint| {
                    let values: &[f64] = match &joint.motion {
                        JointMotion::Driven { value } => value,
                        JointMotion::Actuated { effort, .. } => effort,
                        JointMotion::Free { .. } => &[],
                    };
                    std::array::from_fn(|i| values.get(i).copied().unwrap_or(0.0))
                })
                .collect(),
        }
    }

    /// Becomes a copy of other inputs of the same system, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        (self.factor, self.gravity) = (other.factor, other.gravity);
        self.loads.clone_from(&other.loads);
        self.frame_loads.clone_from(&other.frame_loads);
        self.cables.clone_from(&other.cables);
        self.joints.clone_from(&other.joints);
    }

    /// Takes what the drives say at a moment.
    pub fn drive(&mut self, drives: &[Drive], at: f64) {
        for drive in drives {
            let value = drive.signal.at(at);
            match drive.target {
                DriveTarget::JointValue { joint, coordinate } | DriveTarget::JointEffort { joint, coordinate } => {
                    self.joints[joint][coordinate] = value;
                }
                DriveTarget::Cable(cable) => self.cables[cable] = value,
                DriveTarget::Load(load) => self.loads[load] = value,
                DriveTarget::FrameLoad(load) => self.frame_loads[load] = value,
                DriveTarget::Gravity => self.gravity = value,
            }
        }
    }

    /// The same with another part of the loads.
    pub fn with_factor(&self, factor: f64) -> Self {
        Self { factor, ..self.clone() }
    }

    /// A fraction of the way from these inputs to others.
    pub fn toward(&self, to: &Self, fraction: f64) -> Self {
        let mix = |a: f64, b: f64| a + (b - a) * fraction;
        let mixed = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| mix(*a, *b)).collect();
        Self {
            factor: mix(self.factor, to.factor),
            gravity: mix(self.gravity, to.gravity),
            loads: mixed(&self.loads, &to.loads),
            frame_loads: mixed(&self.frame_loads, &to.frame_loads),
            cables: mixed(&self.cables, &to.cables),
            joints: self.joints.iter().zip(&to.joints).map(|(a, b)| std::array::from_fn(|i| mix(a[i], b[i]))).collect(),
        }
    }
}
