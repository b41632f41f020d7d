//! Random end poses that some smooth rod reaches: all but the rarest must get an equilibrium, and a true one.

use super::shape::rod_of;
use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use crate::template;
use lissome::lie::{Pose, Twist};
use lissome::shape::{Ends, Options, ShapeError, solve_batch};
use lissome_reference::kirchhoff::KirchhoffRod;
use nalgebra::Vector3;
use serde::Deserialize;
use std::f64::consts::{PI, TAU};

/// Random end poses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShapeBattery {
    scene: String,
    seed: u64,
    count: usize,
    /// Total bending up to this, rad.
    largest_bend: f64,
    /// Twist up to so many turns either way.
    turns: f64,
    /// Part of the poses that must be solved, or named as near a fold.
    solved: f64,
    /// Of the tip when the oracle integrates from the base, rad and m over the length.
    within: f64,
}

/// Waves of the random curvature, and steps of its integration.
const WAVES: usize = 4;
const STEPS: usize = 400;

impl ShapeBattery {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let rod = rod_of(folder, &self.scene)?;
        let scene = template::scene(&format!("{folder}/{}", self.scene), &[])?;
        let model = scene.rods.first().ok_or(CaseError::TooFew { what: "rods", found: 0, need: 1 })?;
        let oracle = KirchhoffRod { length: model.length, profile: &model.profile, natural: &model.natural };
        let mut random = Random::new(self.seed);
        let ends = (0..self.count)
            .map(|i| {
                let tip = self.tip(&mut random, model.length);
                Ends::relative(tip).map_err(|error| CaseError::shape(&format!("pose {i}"), &error))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let (mut solved, mut folds, mut worst) = (0_usize, 0_usize, 0.0_f64);
        for (answer, ends) in solve_batch(&rod, &ends, &Options::default()).iter().zip(&ends) {
            match answer {
                Ok(shape) => {
                    solved += 1;
                    let gap = oracle.tip(&shape.wrench_on_base())?.boxminus(&ends.base_from_tip());
                    worst = worst.max(gap.angular.amax()).max(gap.linear.amax() / model.length);
                }
                Err(ShapeError::NearFold { .. }) => folds += 1,
                Err(_) => {}
            }
        }
        let part = (solved + folds) as f64 / self.count as f64;
        let words = format!("{} random pairs of ends: part solved or named near a fold, at least", self.count);
        Ok(vec![
            Row::at_least(words, part, self.solved),
            Row::deviation(format!("worst tip of the {solved} solved, integrated by the oracle"), worst, self.within),
        ])
    }

    /// The tip of a rod whose bending curvature has random waves, ∫|κ_⊥| uniform up to the largest, twist uniform.
    fn tip(&self, random: &mut Random, length: f64) -> Pose {
        let bend = random.uniform(0.0, self.largest_bend);
        let twist = random.uniform(-self.turns * TAU, self.turns * TAU);
        let waves: [Vector3<f64>; WAVES] = std::array::from_fn(|_| {
            Vector3::new(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0))
        });
        let raw = |t: f64| {
            let term = |(i, wave): (usize, &Vector3<f64>)| wave * ((i as f64 * PI * t).cos() / (1.0 + i as f64));
            waves.iter().enumerate().map(term).sum::<Vector3<f64>>()
        };
        let middle = |i: usize| (i as f64 + 0.5) / STEPS as f64;
        let total: f64 = (0..STEPS).map(|i| raw(middle(i)).yz().norm() / STEPS as f64).sum();
        let mut pose = Pose::identity();
        for i in 0..STEPS {
            let k = raw(middle(i));
            let turn = Vector3::new(twist + k.x - waves[0].x, k.y * bend / total, k.z * bend / total);
            pose = pose.boxplus(&Twist::new(turn / STEPS as f64, Vector3::x() / STEPS as f64));
        }
        Pose::new(pose.rotation, pose.position * length)
    }
}
