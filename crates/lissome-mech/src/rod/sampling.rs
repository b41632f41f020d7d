//! The state of a rod at any arc length, and a start for another discretisation of it.

use super::Rod;
use crate::field::Sample;
use lissome_lie::Pose;
use nalgebra::Vector6;

impl Rod {
    /// Samples at `count` evenly spaced arc lengths, both ends included.
    pub fn sample(&self, poses: &[Pose], stress: &[Vector6<f64>], count: usize) -> Vec<Sample> {
        let count = count.max(2);
        let length = self.curve().length();
        let arc: Vec<f64> = (0..count).map(|k| length * k as f64 / (count - 1) as f64).collect();
        self.sample_at(poses, stress, &arc)
    }

    /// Samples at increasing arc lengths.
    pub fn sample_at(&self, poses: &[Pose], stress: &[Vector6<f64>], arc: &[f64]) -> Vec<Sample> {
        match self {
            Self::Mixed(rod) => rod.sample_at(poses, stress, arc),
            Self::LinearStrain(rod) => rod.sample_at(poses, stress, arc),
            Self::Displacement(rod) => rod.sample_at(poses, arc),
        }
    }

    /// Control poses and stresses close to those of another discretisation of the same rod: its field at the Greville
    /// abscissae. A start for Newton, not an answer. `from` are poses and stresses of `coarse`, `to` those of this rod.
    pub fn resample(&self, coarse: &Rod, from: (&[Pose], &[Vector6<f64>]), to: (&mut [Pose], &mut [Vector6<f64>])) {
        let curve = self.curve();
        let knots = curve.knot_vector();
        let arc: Vec<f64> = (0..curve.pose_count()).map(|i| knots.greville(i)).collect();
        for (pose, sample) in to.0.iter_mut().zip(coarse.sample_at(from.0, from.1, &arc)) {
            *pose = sample.pose;
        }
        if self.has_independent_stress() {
            let p = curve.degree();
            let knots = &curve.layout.knots;
            // The centre of a stress function, its own Greville abscissa.
            let centre = |a: usize| match p {
                1 => 0.5 * (knots[a + 1] + knots[a + 2]),
                _ => knots[a + 2..a + p + 1].iter().sum::<f64>() / (p - 1) as f64,
            };
            let arc: Vec<f64> = (0..curve.increments()).map(centre).collect();
            for (stress, sample) in to.1.iter_mut().zip(coarse.sample_at(from.0, from.1, &arc)) {
                *stress = sample.stress.to_vector();
            }
        }
    }
}
