//! A knotted rod that is pulled stays knotted: nothing passes through anything.

use crate::error::CaseError;
use crate::report::Row;
use crate::template;
use lissome::lie::Pose;
use lissome::{Answer, Progress};
use lissome_reference::knot;
use nalgebra::Vector3;
use serde::Deserialize;
use std::ops::ControlFlow;

/// Motions of a rod that begins knotted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Knotted {
    scene: String,
    /// Determinant of the knot.
    determinant: u64,
    /// What is set in the scene, motion by motion.
    motions: Vec<Vec<String>>,
}

/// Parts of the way between two sections in which the rod is taken as straight.
const PARTS: usize = 8;

impl Knotted {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for set in &self.motions {
            let what = if set.is_empty() { "as it is".to_owned() } else { set.join(", ") };
            let scene = template::scene(&format!("{folder}/{}", self.scene), set)?;
            let length = scene.rods.first().map_or(0.0, |rod| rod.length);
            let (mut states, mut others) = (0, 0);
            let answer = lissome::run(&scene, &mut |progress: &Progress<'_>| {
                if let Progress::Frame(state) = progress
                    && let Some(rod) = state.frame.rods.first()
                {
                    states += 1;
                    others += usize::from(knot::determinant(&line(&rod.poses, length)) != self.determinant);
                }
                ControlFlow::Continue(())
            })?;
            if !matches!(answer, Answer::Dynamics(_)) {
                return Err(CaseError::WrongJob { what, need: "dynamics" });
            }
            if !answer.succeeded() {
                return Err(CaseError::NotConverged { what });
            }
            rows.push(Row::at_least(format!("{what}: states"), f64::from(states), 2.0));
            rows.push(Row::at_most(format!("{what}: states with another knot"), others as f64, 0.0));
        }
        Ok(rows)
    }
}

/// Points along a rod: cubics between its sections, which are equally far apart and across which it runs.
fn line(poses: &[Pose], length: f64) -> Vec<Vector3<f64>> {
    let apart = length / (poses.len().max(2) - 1) as f64;
    let mut points = Vec::new();
    for pair in poses.windows(2) {
        let [a, b] = [&pair[0], &pair[1]];
        let [along_a, along_b] = [a, b].map(|pose| pose.rotation.rotate(&Vector3::x()) * apart);
        points.extend((0..PARTS).map(|k| {
            let t = k as f64 / PARTS as f64;
            let (u, v) = (t * t * (3.0 - 2.0 * t), 1.0 - t);
            a.position * (1.0 - u) + along_a * (t * v * v) + b.position * u - along_b * (t * t * v)
        }));
    }
    points.extend(poses.last().map(|pose| pose.position));
    points
}
