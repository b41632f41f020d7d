//! What may change while a system does not: loads, tensions, driven joints.

use lissome_lie::Pose;
use lissome_model::{Drive, DriveTarget, JointMotion, Rod, Scene, Tube};

/// One number of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The part of all loads, tensions and efforts that acts.
    Factor,
    /// The factor on gravity.
    Gravity,
    /// The factor on a load of a rod, by index.
    Load(usize),
    /// The factor on a load of a frame, by index.
    FrameLoad(usize),
    /// Tension, length or pull of a cable of the scene, by index.
    Cable(usize),
    /// Tension, length or pull of a tendon of the scene, by index.
    Tendon(usize),
    /// Coordinate of a driven joint of the scene, or effort along that of an actuated one.
    Joint {
        /// Index of the joint.
        joint: usize,
        /// Number of the coordinate.
        coordinate: usize,
    },
    /// Turn of the base of a tube, rad.
    TubeRotation {
        /// Index of the rod.
        rod: usize,
        /// Number of the tube.
        tube: usize,
    },
    /// How far a tube reaches beyond the entry, m.
    TubeInsertion {
        /// Index of the rod.
        rod: usize,
        /// Number of the tube.
        tube: usize,
    },
}

/// What the base of a tube does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TubeInput {
    /// Its turn, rad.
    pub rotation: f64,
    /// How far the tube reaches beyond the entry, m.
    pub insertion: f64,
}

impl From<DriveTarget> for Input {
    fn from(target: DriveTarget) -> Self {
        match target {
            DriveTarget::JointValue { joint, coordinate } | DriveTarget::JointEffort { joint, coordinate } => {
                Self::Joint { joint, coordinate }
            }
            DriveTarget::Cable(cable) => Self::Cable(cable),
            DriveTarget::Tendon(tendon) => Self::Tendon(tendon),
            DriveTarget::Load(load) => Self::Load(load),
            DriveTarget::FrameLoad(load) => Self::FrameLoad(load),
            DriveTarget::Gravity => Self::Gravity,
            DriveTarget::TubeRotation { rod, tube } => Self::TubeRotation { rod, tube },
            DriveTarget::TubeInsertion { rod, tube } => Self::TubeInsertion { rod, tube },
        }
    }
}

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
    /// Tension, N, or length, m, or pull, m, of each tendon.
    pub tendons: Vec<f64>,
    /// Of each joint of the scene: coordinates of a driven one, efforts of an actuated one.
    pub joints: Vec<[f64; 6]>,
    /// Of each rod, what the bases of its tubes do.
    pub tubes: Vec<Vec<TubeInput>>,
    /// Where each closure is to bring its tied pose, relative to its frame: the identity but for load steps.
    pub closures: Vec<Pose>,
    /// Duration of the time step under way, s; zero at rest. What touches weighs gaps against forces by it.
    pub duration: f64,
}

impl Inputs {
    /// What the scene says without its drives.
    pub fn nominal(scene: &Scene) -> Self {
        let closures = scene.rods.iter().filter(|rod| rod.base.is_some() && rod.tip.is_some()).count();
        let base = |tube: &Tube| TubeInput { rotation: tube.rotation, insertion: tube.insertion };
        let bases = |rod: &Rod| rod.tubes.iter().flat_map(|set| &set.tubes).map(base).collect();
        Self {
            tubes: scene.rods.iter().map(bases).collect(),
            closures: vec![Pose::identity(); closures + scene.closures.len()],
            duration: 0.0,
            factor: 1.0,
            gravity: 1.0,
            loads: vec![1.0; scene.loads.len()],
            frame_loads: vec![1.0; scene.frame_loads.len()],
            cables: scene.cables.iter().map(|cable| cable.drive.value()).collect(),
            tendons: scene.tendons.iter().map(|tendon| tendon.drive.value()).collect(),
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
        (self.factor, self.gravity, self.duration) = (other.factor, other.gravity, other.duration);
        self.loads.clone_from(&other.loads);
        self.frame_loads.clone_from(&other.frame_loads);
        self.cables.clone_from(&other.cables);
        self.tendons.clone_from(&other.tendons);
        self.joints.clone_from(&other.joints);
        self.tubes.clone_from(&other.tubes);
        self.closures.clone_from(&other.closures);
    }

    /// One of the numbers.
    pub fn get(&self, input: Input) -> f64 {
        match input {
            Input::Factor => self.factor,
            Input::Gravity => self.gravity,
            Input::Load(load) => self.loads[load],
            Input::FrameLoad(load) => self.frame_loads[load],
            Input::Cable(cable) => self.cables[cable],
            Input::Tendon(tendon) => self.tendons[tendon],
            Input::Joint { joint, coordinate } => self.joints[joint][coordinate],
            Input::TubeRotation { rod, tube } => self.tubes[rod][tube].rotation,
            Input::TubeInsertion { rod, tube } => self.tubes[rod][tube].insertion,
        }
    }

    /// Sets one of the numbers.
    pub fn set(&mut self, input: Input, value: f64) {
        match input {
            Input::Factor => self.factor = value,
            Input::Gravity => self.gravity = value,
            Input::Load(load) => self.loads[load] = value,
            Input::FrameLoad(load) => self.frame_loads[load] = value,
            Input::Cable(cable) => self.cables[cable] = value,
            Input::Tendon(tendon) => self.tendons[tendon] = value,
            Input::Joint { joint, coordinate } => self.joints[joint][coordinate] = value,
            Input::TubeRotation { rod, tube } => self.tubes[rod][tube].rotation = value,
            Input::TubeInsertion { rod, tube } => self.tubes[rod][tube].insertion = value,
        }
    }

    /// What a load that follows an input is multiplied by: the input times the part of the loads that acts.
    pub fn acting(&self, input: Input) -> f64 {
        self.get(input) * self.factor
    }

    /// Derivative of [`Inputs::acting`] by one of the numbers.
    pub fn acting_rate(&self, input: Input, by: Input) -> f64 {
        match by {
            Input::Factor => self.get(input),
            own if own == input => self.factor,
            _ => 0.0,
        }
    }

    /// By how much each number must change to become that of other inputs; those that stay are left out.
    pub fn changes(&self, to: &Self) -> Vec<(Input, f64)> {
        let loads = (0..self.loads.len()).map(Input::Load);
        let frame_loads = (0..self.frame_loads.len()).map(Input::FrameLoad);
        let cables = (0..self.cables.len()).map(Input::Cable);
        let tendons = (0..self.tendons.len()).map(Input::Tendon);
        let threads = cables.chain(tendons);
        let coordinates = |joint| (0..6).map(move |coordinate| Input::Joint { joint, coordinate });
        let joints = (0..self.joints.len()).flat_map(coordinates);
        let bases = |(rod, tubes): (usize, &Vec<TubeInput>)| {
            let of = move |tube| [Input::TubeRotation { rod, tube }, Input::TubeInsertion { rod, tube }];
            (0..tubes.len()).flat_map(of)
        };
        let tubes = self.tubes.iter().enumerate().flat_map(bases);
        let whole = [Input::Factor, Input::Gravity];
        let all = whole.into_iter().chain(loads).chain(frame_loads).chain(threads).chain(joints).chain(tubes);
        all.map(|input| (input, to.get(input) - self.get(input))).filter(|(_, change)| *change != 0.0).collect()
    }

    /// Takes what the drives say at a moment.
    pub fn drive(&mut self, drives: &[Drive], at: f64) {
        for drive in drives {
            self.set(drive.target.into(), drive.signal.at(at));
        }
    }

    /// The same with another part of the loads.
    pub fn with_factor(&self, factor: f64) -> Self {
        Self { factor, ..self.clone() }
    }

    /// The same with a part of the loads that act.
    pub fn part(&self, part: f64) -> Self {
        self.with_factor(self.factor * part)
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
            tendons: mixed(&self.tendons, &to.tendons),
            joints: self.joints.iter().zip(&to.joints).map(|(a, b)| std::array::from_fn(|i| mix(a[i], b[i]))).collect(),
            tubes: self
                .tubes
                .iter()
                .zip(&to.tubes)
                .map(|(a, b)| {
                    let way = |(a, b): (&TubeInput, &TubeInput)| TubeInput {
                        rotation: mix(a.rotation, b.rotation),
                        insertion: mix(a.insertion, b.insertion),
                    };
                    a.iter().zip(b).map(way).collect()
                })
                .collect(),
            closures: to.closures.clone(),
            duration: to.duration,
        }
    }
}
