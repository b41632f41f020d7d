//! A scene solved, and what can be read off it.

use crate::error::CaseError;
use lissome::lie::{Pose, Wrench};
use lissome::mech::index::RodIndex;
use lissome::mech::{Sample, System};
use lissome::model::Scene;
use lissome::solve::statics::{self, StaticOptions};
use lissome::solve::{Outcome, Solution};

/// A scene with its answer. Cases have one rod.
pub struct Solved {
    /// The scene.
    pub scene: Scene,
    /// The answer.
    pub solution: Solution,
    /// What the rod exerts on whatever holds its base, world axes.
    pub base_wrench: Wrench,
    system: System,
}

impl Solved {
    /// Solves a scene from its natural state.
    pub fn new(scene: Scene, options: &StaticOptions) -> Result<Self, CaseError> {
        scene.validate()?;
        let system = System::compile(&scene)?;
        let mut work = system.workspace();
        let solution =
            statics::solve(&system, &system.natural_state(), &system.inputs_at(0.0), options, &mut work, &mut |_| true);
        let on_base = system.reaction(RodIndex::new(0), true, &solution.state, &work);
        let base = solution.state.poses[0].rotation;
        let base_wrench = Wrench::new(base.rotate(&on_base.moment), base.rotate(&on_base.force));
        Ok(Self { scene, solution, base_wrench, system })
    }

    /// How it went.
    pub fn outcome(&self) -> &Outcome {
        &self.solution.outcome
    }

    /// Length of the rod, m.
    pub fn length(&self) -> f64 {
        self.scene.rods[0].length
    }

    /// Pose of the tip.
    pub fn tip(&self) -> Pose {
        let poses = self.system.rod_poses(RodIndex::new(0), &self.solution.state);
        poses[poses.len() - 1]
    }

    /// State of the sections at increasing arc lengths.
    pub fn samples(&self, arc: &[f64]) -> Vec<Sample> {
        self.system.sample_at(RodIndex::new(0), &self.solution.state, arc)
    }

    /// The same, unless the solve did not converge.
    pub fn converged(self, what: &str) -> Result<Self, CaseError> {
        if self.outcome().converged() { Ok(self) } else { Err(CaseError::NotConverged { what: what.to_owned() }) }
    }
}

/// `count` evenly spaced arc lengths, both ends included.
pub fn evenly(length: f64, count: usize) -> Vec<f64> {
    (0..count).map(|k| length * k as f64 / (count - 1) as f64).collect()
}
