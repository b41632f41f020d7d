//! Does a robot keep the rotational symmetry it was built with?

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use crate::robot::Robot;
use lissome::lie::{Pose, Rotation};
use nalgebra::Vector3;
use serde::Deserialize;
use std::f64::consts::TAU;

/// Rotational symmetry about the world's z axis at every sample.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Symmetry {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// The robot is to look the same after this part of a turn.
    fold: usize,
    /// Farthest that a rod's image may lie from the rod it should be, m and rad.
    tolerance: f64,
}

impl Symmetry {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let turn = Pose::new(Rotation::exp(&(Vector3::z() * (TAU / self.fold as f64))), Vector3::zeros());
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let robot = variant.follow(folder, &self.scene, &self.set)?;
            let largest = (0..robot.samples.len()).map(|sample| asymmetry(&robot, sample, &turn)).fold(0.0, f64::max);
            let title = variant.title(&format!("{}-fold symmetry, {} samples", self.fold, robot.samples.len()));
            rows.push(Row::deviation(title, largest, self.tolerance));
        }
        Ok(rows)
    }
}

/// The farthest that the image of a rod lies from the nearest rod: distances of points, angles between tangents.
fn asymmetry(robot: &Robot, sample: usize, turn: &Pose) -> f64 {
    let rods = &robot.samples[sample].rods;
    let tangent = |pose: &Pose| pose.rotation.rotate(&Vector3::x());
    let apart = |a: &Pose, b: &Pose| {
        let image = *turn * *a;
        (image.position - b.position).norm().max((tangent(&image) - tangent(b)).norm())
    };
    let rods_apart = |a: usize, b: usize| {
        let pairs = rods[a].samples.iter().zip(&rods[b].samples);
        pairs.map(|(a, b)| apart(&a.pose, &b.pose)).fold(0.0, f64::max)
    };
    let nearest = |a: usize| (0..rods.len()).map(|b| rods_apart(a, b)).fold(f64::INFINITY, f64::min);
    (0..rods.len()).map(nearest).fold(0.0, f64::max)
}
