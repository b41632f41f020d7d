//! A robot followed along its drives, and the exact robot beside it: where their parts are.

use crate::error::CaseError;
use lissome::lie::Pose;
use lissome::model::{Job, Scene};
use lissome::solve::Equilibrium;
use lissome::{Answer, Unobserved};
use lissome_reference::network::{NetworkSolution, SceneNetwork, solve, solve_from};

/// A scene with its equilibria, one for each sample of its path; one alone for statics.
pub struct Robot {
    /// The scene.
    pub scene: Scene,
    /// The equilibria.
    pub samples: Vec<Equilibrium>,
}

impl Robot {
    /// Solves the scene. Every sample must converge.
    pub fn follow(scene: Scene, what: &str) -> Result<Self, CaseError> {
        let samples = match lissome::run(&scene, &mut Unobserved)? {
            Answer::Statics(equilibrium) => vec![equilibrium],
            Answer::Path(path) => path.samples.into_iter().map(|sample| sample.equilibrium).collect(),
            _ => return Err(CaseError::WrongJob { what: what.to_owned(), need: "statics or path" }),
        };
        match samples.iter().position(|sample| !sample.outcome.converged()) {
            Some(index) => Err(CaseError::NotConverged { what: format!("{what}, sample {}", index + 1) }),
            None if samples.len() < moments(&scene).len() => {
                Err(CaseError::TooFew { what: "samples", found: samples.len(), need: moments(&scene).len() })
            }
            None => Ok(Self { scene, samples }),
        }
    }

    /// Pose of a part in a sample: a body, a frame `BODY.FRAME` on it, the tip of a rod, the child of a joint.
    pub fn pose(&self, sample: usize, part: &str) -> Result<Pose, CaseError> {
        let equilibrium = &self.samples[sample];
        match Part::find(&self.scene, part)? {
            Part::Body(index, offset) => Ok(equilibrium.bodies[index].pose * offset),
            Part::Rod(index) => Ok(equilibrium.rods[index].tip),
            Part::Joint(index) => Ok(equilibrium.joints[index].pose),
        }
    }

    /// Names of every body and rod.
    pub fn parts(&self) -> Vec<String> {
        let bodies = self.scene.bodies.iter().map(|body| body.name.clone());
        bodies.chain(self.scene.rods.iter().map(|rod| rod.name.clone())).collect()
    }

    /// A coordinate `JOINT.COORDINATE`, rad or m, over the samples.
    pub fn coordinate(&self, path: &str) -> Result<Vec<f64>, CaseError> {
        let unknown = || CaseError::NoSuchPart { name: path.to_owned() };
        let (name, coordinate) = path.split_once('.').ok_or_else(unknown)?;
        let joint = self.scene.joints.iter().position(|joint| joint.name == name).ok_or_else(unknown)?;
        let known = self.scene.joints[joint].kind.coordinates();
        let index = known.iter().position(|(name, _)| *name == coordinate).ok_or_else(unknown)?;
        Ok(self.samples.iter().map(|sample| sample.joints[joint].values[index]).collect())
    }
}

/// The exact robot of the oracle at each sample of a scene.
pub struct ExactRobot {
    scene: Scene,
    samples: Vec<(SceneNetwork, NetworkSolution)>,
}

impl ExactRobot {
    /// Solves the scene, each sample from its predecessor.
    pub fn follow(scene: &Scene) -> Result<Self, CaseError> {
        let mut samples: Vec<(SceneNetwork, NetworkSolution)> = Vec::new();
        for moment in moments(scene) {
            let read = SceneNetwork::new(scene, moment)?;
            let solved = match samples.last() {
                Some((_, before)) => solve_from(&read.network, before)?,
                None => solve(&read.network)?,
            };
            samples.push((read, solved));
        }
        Ok(Self { scene: scene.clone(), samples })
    }

    /// Pose of a part in a sample, as [`Robot::pose`]; the oracle keeps no poses of joints.
    pub fn pose(&self, sample: usize, part: &str) -> Result<Pose, CaseError> {
        let (read, solved) = &self.samples[sample];
        match Part::find(&self.scene, part)? {
            Part::Body(index, offset) => Ok(read.body_pose(solved, index) * offset),
            Part::Rod(index) => Ok(read.rod_pose(solved, index, self.scene.rods[index].length)),
            Part::Joint(_) => Err(CaseError::NoSuchPart { name: part.to_owned() }),
        }
    }
}

/// Something with a pose.
enum Part {
    Body(usize, Pose),
    Rod(usize),
    Joint(usize),
}

impl Part {
    fn find(scene: &Scene, part: &str) -> Result<Self, CaseError> {
        let (name, frame) = part.split_once('.').map_or((part, None), |(name, frame)| (name, Some(frame)));
        let unknown = || CaseError::NoSuchPart { name: part.to_owned() };
        if let Some(index) = scene.bodies.iter().position(|body| body.name == name) {
            let Some(frame) = frame else { return Ok(Self::Body(index, Pose::identity())) };
            let found = scene.bodies[index].frames.iter().find(|(known, _)| known == frame);
            return found.map(|(_, pose)| Self::Body(index, *pose)).ok_or_else(unknown);
        }
        if frame.is_some() {
            return Err(unknown());
        }
        let rod = scene.rods.iter().position(|rod| rod.name == name).map(Self::Rod);
        let joint = || scene.joints.iter().position(|joint| joint.name == name).map(Self::Joint);
        rod.or_else(joint).ok_or_else(unknown)
    }
}

/// Values of the parameter at the samples of a scene.
fn moments(scene: &Scene) -> Vec<f64> {
    match scene.job {
        Job::Path(job) => (0..job.samples).map(|i| job.end * i as f64 / (job.samples - 1) as f64).collect(),
        _ => vec![0.0],
    }
}
