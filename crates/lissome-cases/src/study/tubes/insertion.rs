//! A tube pushed out of its guide, past the breaks of the others.

use super::{set_of, stationary, tube_named};
use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::lie::Pose;
use lissome::mech::index::RodIndex;
use lissome::mech::{CurvatureOf, Input, System};
use lissome::model::{Job, Scene, StaticsJob};
use lissome::{Answer, Unobserved};
use lissome_reference::tubes::{TubeRobot, solve, solve_from};
use serde::Deserialize;

/// How far to either side of a break the tip is looked at, parts of the length: far below `across`.
const BESIDE: f64 = 1e-8;

/// A path of insertion.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeInsertion {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// The tube that is pushed.
    tube: String,
    /// Insertions at which its end or the start of its curvature passes a break of another tube, m.
    crossings: Vec<f64>,
    /// Jump of the tip across each, parts of the length.
    across: f64,
    /// Distance of the tip from the oracle at every sample, parts of the length.
    within: f64,
    /// Insertions of that tube at which the derivative of the tip by the insertion of every tube is looked at, m.
    derivatives_at: Vec<f64>,
    /// Derivative against differences of solved neighbours, relative.
    derivative: f64,
}

/// By how much tubes are pushed to either side for a difference, m: beside it the neighbours' own errors are 1e-7.
const PUSHED: f64 = 2e-5;

impl TubeInsertion {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let Answer::Path(path) = lissome::run(&scene, &mut Unobserved)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "a path" });
        };
        let lost = path.samples.iter().filter(|sample| !sample.equilibrium.outcome.converged()).count();
        let mut rows = vec![Row::deviation("samples without an equilibrium", lost as f64, 0.0)];
        let mut apart: f64 = 0.0;
        let mut near = None;
        for sample in path.samples.iter().filter(|sample| sample.equilibrium.outcome.converged()) {
            let robot = TubeRobot::from_scene(&scene, 0, sample.at)?;
            // The oracle goes along too: what it finds is next to what it found before.
            let exact = match &near {
                Some(near) => solve_from(&robot, near).or_else(|_| solve(&robot))?,
                None => solve(&robot)?,
            };
            let rod = &sample.equilibrium.rods[0];
            apart = apart.max((rod.tip.position - exact.tip().position).norm() / robot.length());
            near = Some(exact);
        }
        let count = path.samples.len();
        rows.push(Row::deviation(format!("tip from the oracle / L, {count} samples"), apart, self.within));
        for insertion in self.crossings.iter().copied() {
            let beside = BESIDE * scene.rods[0].length;
            let (before, after) = (self.tip(&scene, insertion - beside)?, self.tip(&scene, insertion + beside)?);
            let jump = (before.position - after.position).norm() / scene.rods[0].length;
            let title = format!("tip across a break at {} mm / L", (1e3 * insertion).round());
            rows.push(Row::deviation(title, jump, self.across));
        }
        let mut worst: f64 = 0.0;
        for insertion in self.derivatives_at.iter().copied() {
            worst = worst.max(self.derivative_error(&scene, insertion)?);
        }
        rows.push(Row::deviation("∂(tip)/∂(insertion) of every tube against differences", worst, self.derivative));
        Ok(rows)
    }

    /// Of the exact derivative of the tip by each insertion against solved neighbours, relative.
    fn derivative_error(&self, scene: &Scene, insertion: f64) -> Result<f64, CaseError> {
        let mut here = scene.clone();
        here.drives.clear();
        here.job = Job::Statics(StaticsJob::default());
        here.insert_tube(0, tube_named(scene, &self.tube)?, insertion);
        let system = System::compile(&here)?;
        let mut work = system.workspace();
        let found = stationary(&system, &system.natural_state(), &system.inputs_at(0.0), &self.scene)?;
        let mut worst: f64 = 0.0;
        for tube in 0..set_of(&here)?.tubes.len() {
            system.assemble(&found.state, &found.inputs, CurvatureOf::Poses, &mut work);
            system.factor(&mut work).map_err(|_| CaseError::NotConverged { what: self.scene.clone() })?;
            let input = Input::TubeInsertion { rod: 0, tube };
            system.assemble_input_column(&found.state, &found.inputs, input, &mut work);
            let step = system.solve_input_column(&found.state, &mut work);
            let exact = step.poses[system.rod_poses(RodIndex::new(0), &found.state).len() - 1];
            let there = |change: f64| -> Result<Pose, CaseError> {
                let mut pushed = here.clone();
                pushed.insert_tube(0, tube, found.inputs.get(input) + change);
                let near = System::compile(&pushed)?;
                let inputs = near.inputs_at(0.0);
                let start = near.carried_state(&system, &found.state, &inputs);
                let solution = stationary(&near, &start, &inputs, &self.scene)?;
                Ok(near.rod_poses(RodIndex::new(0), &solution.state).last().copied().unwrap_or_default())
            };
            let difference = there(PUSHED)?.boxminus(&there(-PUSHED)?) * (0.5 / PUSHED);
            worst = worst.max((difference - exact).to_vector().norm() / difference.to_vector().norm());
        }
        Ok(worst)
    }

    /// The tip at one insertion, computed by itself.
    fn tip(&self, scene: &Scene, insertion: f64) -> Result<Pose, CaseError> {
        let mut scene = scene.clone();
        scene.drives.clear();
        scene.job = Job::Statics(StaticsJob::default());
        scene.insert_tube(0, tube_named(&scene, &self.tube)?, insertion);
        let Answer::Statics(found) = lissome::run(&scene, &mut Unobserved)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "statics" });
        };
        if !found.outcome.converged() {
            return Err(CaseError::NotConverged { what: self.scene.clone() });
        }
        Ok(found.rods[0].tip)
    }
}
