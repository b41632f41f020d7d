//! What a rigid motion of the whole scene, or a change of its units, may change: nothing.

use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use crate::solved::{Solved, evenly};
use crate::template;
use crate::transform::{moved, scaled};
use lissome::lie::{Pose, Rotation};
use lissome::model::Scene;
use lissome::solve::StaticOptions;
use serde::Deserialize;
use std::f64::consts::PI;

/// What a rigid motion of the whole scene, or a change of its units, changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Invariance {
    scenes: Vec<String>,
    seed: u64,
    /// Rigid motions drawn for each scene: a direction and an angle in [0, π) of rotation, a direction and a distance
    /// of translation.
    motions: usize,
    /// Farthest translation, in lengths of the rod.
    farthest: f64,
    /// Of positions over the length, angles, stresses over the largest, and energy.
    tolerance: f64,
    /// Factors on lengths.
    lengths: Vec<f64>,
    /// Factors on moduli.
    moduli: Vec<f64>,
}

/// Places along the rod that are compared.
const SAMPLES: usize = 33;

impl Invariance {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut random = Random::new(self.seed);
        let mut rows = Vec::new();
        for file in &self.scenes {
            let scene = template::scene(&format!("{folder}/{file}"), &[])?;
            let name = file.trim_end_matches(".toml");
            let original = solve(scene.clone(), name)?;
            self.rigid_motions(name, &scene, &original, &mut random, &mut rows)?;
            let units = self.lengths.iter().map(|k| (*k, 1.0)).chain(self.moduli.iter().map(|k| (1.0, *k)));
            for (length, modulus) in units {
                let other = solve(scaled(&scene, length, modulus), name)?;
                let what = format!("{name}, lengths × {length}, moduli × {modulus}");
                rows.push(iterations_row(&what, &original, &other));
                let change = change(&original, &other, &Pose::identity(), length, modulus);
                rows.push(Row::deviation(format!("{what}: largest relative change"), change, self.tolerance));
            }
        }
        Ok(rows)
    }

    fn rigid_motions(
        &self,
        name: &str,
        scene: &Scene,
        original: &Solved,
        random: &mut Random,
        rows: &mut Vec<Row>,
    ) -> Result<(), CaseError> {
        let what = format!("{name}, {} rigid motions", self.motions);
        let (mut largest, mut farthest_count) = (0.0f64, iterations_row(&what, original, original));
        for _ in 0..self.motions {
            let turn = random.direction() * random.uniform(0.0, PI);
            let shift = random.direction() * random.uniform(0.0, self.farthest * original.length());
            let motion = Pose::new(Rotation::exp(&turn), shift);
            let other = solve(moved(scene, &motion), name)?;
            largest = largest.max(change(original, &other, &motion, 1.0, 1.0));
            let row = iterations_row(&what, original, &other);
            if row.error > farthest_count.error {
                farthest_count = row;
            }
        }
        rows.push(Row::deviation(format!("{what}: largest relative change"), largest, self.tolerance));
        rows.push(farthest_count);
        Ok(())
    }
}

fn solve(scene: Scene, name: &str) -> Result<Solved, CaseError> {
    Solved::new(scene, &StaticOptions::default())?.converged(name)
}

fn iterations_row(what: &str, original: &Solved, other: &Solved) -> Row {
    let (expected, measured) = (original.outcome().iterations() as f64, other.outcome().iterations() as f64);
    Row::within(format!("{what}: Newton iterations"), expected, measured, (measured - expected).abs(), 0.0)
}

/// The largest difference between a rod and its image: positions over the length, angles, stresses over the largest of
/// their kind, elastic energy.
fn change(original: &Solved, image: &Solved, motion: &Pose, length: f64, modulus: f64) -> f64 {
    let (force, total) = (modulus * length * length, original.length());
    let here = original.samples(&evenly(total, SAMPLES));
    let there = image.samples(&evenly(total * length, SAMPLES));
    let most = |size: &dyn Fn(&lissome::mech::Sample) -> f64| here.iter().map(size).fold(f64::MIN_POSITIVE, f64::max);
    let (most_moment, most_force) = (most(&|s| s.stress.moment.norm()), most(&|s| s.stress.force.norm()));
    let mut largest =
        (image.outcome().energy.elastic / (original.outcome().energy.elastic * force * length) - 1.0).abs();
    for (a, b) in here.iter().zip(&there) {
        let expected = *motion * a.pose;
        let changes = [
            (b.pose.position / length - expected.position).norm() / total,
            (expected.rotation.inverse() * b.pose.rotation).angle(),
            (b.stress.moment / (force * length) - a.stress.moment).norm() / most_moment,
            (b.stress.force / force - a.stress.force).norm() / most_force,
        ];
        largest = changes.into_iter().fold(largest, f64::max);
    }
    largest
}
