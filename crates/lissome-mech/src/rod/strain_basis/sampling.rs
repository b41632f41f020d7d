//! Fields of a rod on a strain basis between its poses, and the coordinates that come nearest to given strains.

use super::StrainBasisRod;
use crate::field::{Sample, magnus_step};
use crate::rod::vectors::{covector, strain_vector};
use lissome_lie::{Pose, Strain};
use nalgebra::{DMatrix, DVector, Vector6};

impl StrainBasisRod {
    /// The strain itself, integrated from the pose before. Strains that are off have no stress but what others lend them.
    pub(in crate::rod) fn sample_at(&self, poses: &[Pose], q: &[Vector6<f64>], arc: &[f64]) -> Vec<Sample> {
        let one = |s: &f64| {
            let s = *s;
            let segment = self.basis.segment_of(s);
            let strain = |s: f64| self.natural_strain(s) + self.basis.strain(&self.basis.seen(segment, s), q);
            // Poses stand at the base and behind every step.
            let before = self.basis.points.partition_point(|point| point.s <= s);
            let from = if before == 0 { 0.0 } else { self.basis.points[before - 1].s };
            let pose = match s > from {
                true => magnus_step(poses[before], |s| Strain::from_vector(&strain(s)), from, s - from),
                false => poses[before],
            };
            let inside = self.curve.inside_of(s);
            let beyond = self.basis.strain(&self.basis.seen(segment, s), q);
            let stiffness = self.curve.section_at(self.curve.knot_vector().find_span(s), s).stiffness();
            let stress = covector(&(stiffness * beyond)).wrench();
            Sample { s, pose, strain: Strain::from_vector(&(self.natural_strain(inside) + beyond)), stress }
        };
        arc.iter().map(one).collect()
    }

    /// Coordinates whose curve comes nearest to the increments between control poses.
    pub fn coordinates_of_poses(&self, poses: &[Pose]) -> Vec<Vector6<f64>> {
        // To first order an increment is α₁ + α₃/12, the integral of the strain.
        let target = |k: usize| {
            let increment = strain_vector(&poses[k + 1].boxminus(&poses[k]).into());
            increment - self.natural[k][0] - self.natural[k][2] / 12.0
        };
        let share = |k: usize, c: usize| {
            let share = &self.basis.points[k].moments.values[c];
            share[0] + share[2] / 12.0
        };
        self.fit(share, |k| 1.0 / self.basis.points[k].step, target)
    }

    /// Coordinates whose strain comes nearest to a given one: `beyond` is that at the arc length of each point, less the
    /// natural one.
    pub(in crate::rod) fn coordinates_of_strain(&self, beyond: impl Fn(usize) -> Vector6<f64>) -> Vec<Vector6<f64>> {
        let points = &self.basis.points;
        self.fit(|k, c| points[k].functions.values[c], |k| points[k].weight, beyond)
    }

    /// Arc lengths of the points that [`StrainBasisRod::coordinates_of_strain`] asks for.
    pub(in crate::rod) fn places(&self) -> Vec<f64> {
        self.basis.points.iter().map(|point| point.s).collect()
    }

    /// Natural strain where the curve has its point k.
    pub(in crate::rod) fn natural_at_point(&self, k: usize) -> Vector6<f64> {
        strain_vector(&self.curve.values.points[k].natural)
    }

    /// Least squares, strain by strain: `share` is what a coordinate of the segment of step k contributes to the target.
    fn fit(
        &self,
        share: impl Fn(usize, usize) -> f64,
        weight: impl Fn(usize) -> f64,
        target: impl Fn(usize) -> Vector6<f64>,
    ) -> Vec<Vector6<f64>> {
        let mut q = vec![Vector6::zeros(); self.block_count()];
        for strain in (0..6).filter(|strain| self.basis.on()[*strain]) {
            let own: Vec<usize> =
                (0..self.basis.coordinates.len()).filter(|c| self.basis.coordinates[*c].strain == strain).collect();
            let mut normal = DMatrix::zeros(own.len(), own.len());
            let mut right = DVector::zeros(own.len());
            for (k, point) in self.basis.points.iter().enumerate() {
                let (range, w, target) = (&point.moments.coordinates, weight(k), target(k)[strain]);
                let first = own.partition_point(|c| *c < range.start);
                let last = own.partition_point(|c| *c < range.end);
                for i in first..last {
                    let a = share(k, own[i] - range.start);
                    right[i] += w * a * target;
                    for j in first..last {
                        normal[(i, j)] += w * a * share(k, own[j] - range.start);
                    }
                }
            }
            // More points than functions on every segment, so it is definite; a target that is no number stays one.
            let found = nalgebra::Cholesky::new(normal).map_or(right.map(|_| f64::NAN), |factor| factor.solve(&right));
            for (c, value) in own.iter().zip(found.iter()) {
                let coordinate = &self.basis.coordinates[*c];
                q[coordinate.block][coordinate.column] = *value;
            }
        }
        q
    }
}
