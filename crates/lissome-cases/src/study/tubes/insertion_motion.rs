//! A tube pushed out of its guide in time, past the breaks of the others.

use super::tube_named;
use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::Answer;
use lissome::lie::Pose;
use lissome::model::{Job, StaticsJob};
use lissome::observer::{Observer, Progress};
use lissome::solve::MotionEnd;
use nalgebra::Vector3;
use serde::Deserialize;
use std::ops::ControlFlow;

/// A motion of insertion that comes to rest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeInsertionMotion {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// The tube that is pushed.
    tube: String,
    /// Third difference of the tip over output times, parts of the length: a jump shows in it at least once.
    across: f64,
    /// Distance of the tip at the end from the equilibrium of the same insertions, parts of the length.
    settled: f64,
    /// Energy that is missing in the balance at the end, of what was exchanged.
    balance: f64,
}

/// Where the tip was at every output time.
#[derive(Default)]
struct Tips(Vec<Vector3<f64>>);

impl Observer for Tips {
    fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if let Progress::Frame(output) = progress {
            self.0.extend(output.frame.rods[0].poses.last().map(|pose| pose.position));
        }
        ControlFlow::Continue(())
    }
}

impl TubeInsertionMotion {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let mut tips = Tips::default();
        let Answer::Dynamics(motion) = lissome::run(&scene, &mut tips)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "dynamics" });
        };
        if motion.end != MotionEnd::Finished {
            return Err(CaseError::NotConverged { what: format!("{}: {:?}", self.scene, motion.end) });
        }
        let mut resting = scene.inserted_at(scene.job.end());
        let tube = tube_named(&scene, &self.tube)?;
        let length = resting.rods[0].length;
        let pushed = resting.tube(0, tube).map_or(0.0, |tube| tube.insertion / tube.length);
        resting.drives.clear();
        resting.job = Job::Statics(StaticsJob::default());
        let Answer::Statics(rest) = lissome::run(&resting, &mut lissome::Unobserved)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "statics" });
        };
        let tip: Pose = rest.rods[0].tip;
        let off = tips.0.last().map_or(f64::INFINITY, |last| (last - tip.position).norm() / length);
        let jerk = |w: &[Vector3<f64>]| (w[3] - w[2] * 3.0 + w[1] * 3.0 - w[0]).norm() / length;
        let jump = tips.0.windows(4).map(jerk).fold(0.0, f64::max);
        let missing = motion.record.balance.relative_drift();
        Ok(vec![
            Row::at_least("in one motion: inserted at the end, part of the tube", pushed, 1.0),
            Row::deviation("in one motion: third difference of the tip / L", jump, self.across),
            Row::deviation("in one motion: tip at rest from the equilibrium / L", off, self.settled),
            Row::deviation("in one motion: missing in the energy balance", missing, self.balance),
        ])
    }
}
