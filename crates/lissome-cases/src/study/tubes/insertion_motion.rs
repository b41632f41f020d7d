//! A tube pushed out of its guide in time, past the breaks of the others.

use super::tube_named;
use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::lie::Pose;
use lissome::model::{DriveTarget, Job, Scene, StaticsJob};
use lissome::observer::{Observer, Progress};
use lissome::solve::dynamics::Snapshot;
use lissome::solve::{MotionEnd, MotionRecord};
use lissome::{Answer, Unobserved};
use serde::Deserialize;
use std::ops::ControlFlow;

/// How far to either side of a break the robot is looked at, parts of the length: far below `across`, and beyond where the motion
/// takes on another layout.
const BESIDE: f64 = 1.5e-7;

/// A motion of insertion that comes to rest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TubeInsertionMotion {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// The tube that is pushed.
    tube: String,
    /// Insertions at which its end or the start of its curvature passes a break of another tube, m.
    crossings: Vec<f64>,
    /// Farthest that any station moves across each, parts of the length.
    across: f64,
    /// Distance of the tip at the end from the equilibrium of the same insertions, parts of the length.
    settled: f64,
    /// Energy that is missing in the balance at the end, of what was exchanged.
    balance: f64,
}

/// The last shape, and what was kept at output times.
#[derive(Default)]
struct Seen {
    poses: Vec<Pose>,
    kept: Vec<(f64, Snapshot)>,
}

impl Observer for Seen {
    fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if let Progress::Frame(output) = progress {
            self.poses.clone_from(&output.frame.rods[0].poses);
            self.kept.push((output.frame.time, output.snapshot()));
        }
        ControlFlow::Continue(())
    }
}

impl TubeInsertionMotion {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        let mut seen = Seen::default();
        let Answer::Dynamics(motion) = lissome::run(&scene, &mut seen)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "dynamics" });
        };
        if motion.end != MotionEnd::Finished {
            return Err(CaseError::NotConverged { what: format!("{}: {:?}", self.scene, motion.end) });
        }
        let tube = tube_named(&scene, &self.tube)?;
        let mut resting = scene.inserted_at(scene.job.end());
        let length = resting.rods[0].length;
        let pushed = resting.tube(0, tube).map_or(0.0, |tube| tube.insertion / tube.length);
        resting.drives.clear();
        resting.job = Job::Statics(StaticsJob::default());
        let Answer::Statics(rest) = lissome::run(&resting, &mut Unobserved)? else {
            return Err(CaseError::WrongJob { what: self.scene.clone(), need: "statics" });
        };
        let tip = rest.rods[0].tip.position;
        let off = seen.poses.last().map_or(f64::INFINITY, |last| (last.position - tip).norm() / length);
        let mut rows = vec![Row::at_least("in one motion: inserted at the end, part of the tube", pushed, 1.0)];
        for insertion in self.crossings.iter().copied() {
            let beside = BESIDE * length;
            let [before, behind] = [insertion - beside, insertion + beside].map(|s| self.time_of(&scene, tube, s));
            let start = seen.kept.iter().rev().find(|(time, _)| *time < before).map(|(_, snapshot)| snapshot);
            let start = start.ok_or_else(|| CaseError::NotConverged { what: self.scene.clone() })?;
            let (before, behind) = (self.shape_at(&scene, start, before)?, self.shape_at(&scene, start, behind)?);
            let apart = before.iter().zip(&behind).map(|(a, b)| (a.position - b.position).norm() / length);
            let title = format!("in one motion: any station across a break at {} mm / L", (1e3 * insertion).round());
            rows.push(Row::deviation(title, apart.fold(0.0, f64::max), self.across));
        }
        let missing = motion.record.balance.relative_drift();
        rows.push(Row::deviation("in one motion: tip at rest from the equilibrium / L", off, self.settled));
        rows.push(Row::deviation("in one motion: missing in the energy balance", missing, self.balance));
        Ok(rows)
    }

    /// When a tube has an insertion that its drive passes once.
    fn time_of(&self, scene: &Scene, tube: usize, insertion: f64) -> f64 {
        let target = DriveTarget::TubeInsertion { rod: 0, tube };
        let at =
            |time: f64| scene.drives.iter().find(|drive| drive.target == target).map(|drive| drive.signal.at(time));
        let (mut low, mut high) = (0.0, scene.job.end());
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match at(middle).is_some_and(|there| there < insertion) {
                true => low = middle,
                false => high = middle,
            }
        }
        high
    }

    /// The shape at a time soon after one that was kept.
    fn shape_at(&self, scene: &Scene, from: &Snapshot, time: f64) -> Result<Vec<Pose>, CaseError> {
        let mut scene = scene.clone();
        if let Job::Dynamics(job) = &mut scene.job {
            job.duration = time;
        }
        let mut seen = Seen::default();
        let earlier = MotionRecord::of(&scene);
        lissome::resume(&scene, from, earlier, &mut seen)?;
        Ok(seen.poses)
    }
}
