//! The displacement form of the spline rod of [xun2025, section 5]: the stress Λ = K(ξ − ξ₀) at each quadrature point
//! follows from the curve, and only the control poses are unknowns.
//!
//! It locks as the rod becomes slender and does not move in time; it stands here because the papers have it. The stresses
//! it keeps, one for each point, are those of its geometric stiffness: they follow the strain after every step.
//!
//! - `passes`: sums over the rod in its increments.
//! - `material`: the material stiffness in poses.

mod material;
mod passes;

use super::Carried;
use super::curve::Curve;
use super::curve::pose_map::PoseMap;
use super::curve::values::{PointValues, spline_strain};
use super::law::Law;
use super::scratch::{RodNodes, RodScratch};
use super::tendons::Pull;
use super::vectors::{covector, strain_vector};
use crate::field::Sample;
use crate::sink::BlockSink;
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Strain};
use lissome_model::{Invalid, Rod};
use nalgebra::{Matrix6, Vector6};

/// A spline rod in its displacement form.
#[derive(Clone, Debug)]
pub struct DisplacementRod {
    curve: Curve,
}

impl DisplacementRod {
    /// On a compiled curve.
    pub(super) fn new(curve: Curve) -> Self {
        Self { curve }
    }

    pub(super) fn set_values(&mut self, model: &Rod) -> Result<(), Invalid> {
        self.curve.set_values(model)
    }

    /// Its curve.
    pub fn curve(&self) -> &Curve {
        &self.curve
    }

    /// Adds the tangent in poses: geometric and material stiffness, λ·∂²Ψ.
    pub(super) fn add_tangent(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        lambda: &[DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        self.curve.add_curvature_of_increments(map, lambda, nodes, sink);
        // A geodesic increment has strain Ψ/h: no curvature of its own.
        if self.curve.degree() > 1 {
            self.curve.add_banded(&scratch.geometric, map, nodes, sink);
        }
        self.add_material(scratch, map, 1.0, nodes, sink);
    }

    /// What section and tendons resist at point q with, and its derivative by the strain.
    fn resist(&self, q: usize, e: &Vector6<f64>, tension: &[Vector6<f64>]) -> (Vector6<f64>, Matrix6<f64>) {
        let values = &self.curve.values.points[q];
        let (stress, stiffness) = (values.section.elastic.stiffness * e, values.section.elastic.stiffness);
        if self.curve.tendons.is_empty() {
            return (stress, stiffness);
        }
        let pull = self.curve.tendons.pull(q, tension, &(strain_vector(&values.natural) + e));
        (stress + pull.stress, stiffness + pull.stiffness)
    }

    /// Λ = K(ξ − ξ₀) of each point and what its tendons add, from `scratch.strain`.
    pub(super) fn stress_of_strain(
        &self,
        strain: &[Vector6<f64>],
        tension: &[Vector6<f64>],
        stress: &mut [Vector6<f64>],
    ) {
        for (q, (lambda, e)) in stress.iter_mut().zip(strain).enumerate() {
            *lambda = self.resist(q, e, tension).0;
        }
    }

    /// Σ w Σ T ℓ′ at these strains.
    pub(super) fn pull_energy(&self, strain: &[Vector6<f64>], tension: &[Vector6<f64>]) -> f64 {
        if self.curve.tendons.is_empty() {
            return 0.0;
        }
        let points = strain.iter().zip(&self.curve.values.points).enumerate();
        let of = |(q, (e, values)): (usize, (&Vector6<f64>, &PointValues))| {
            let threads = self.curve.tendons.threads(q, tension);
            self.curve.point_weight(q) * Pull::energy_of(threads, &(strain_vector(&values.natural) + e))
        };
        points.map(of).sum()
    }

    /// ½ Σ w eᵀKe.
    pub(super) fn strain_energy(&self, strain: &[Vector6<f64>]) -> f64 {
        let points = strain.iter().zip(&self.curve.values.points).enumerate();
        points
            .map(|(q, (e, values))| 0.5 * self.curve.point_weight(q) * e.dot(&(values.section.elastic.stiffness * e)))
            .sum()
    }

    /// ½ Σ w eᵀKe of the strains that answer to these stresses.
    pub(super) fn stored_energy(&self, carried: Carried<'_>) -> f64 {
        let points = carried.stress.iter().zip(&self.curve.values.points).enumerate();
        let of = |(q, (n, values)): (usize, (&Vector6<f64>, &PointValues))| {
            let law = Law::of(&values.section.elastic, 0.0);
            let threads = self.curve.tendons.threads(q, carried.tension);
            let natural = strain_vector(&values.natural);
            let energy = match self.curve.tendons.is_empty() {
                true => law.respond(n).energy,
                false => law.answer_with(n, &values.section.elastic.stiffness, &natural, threads).energy,
            };
            self.curve.point_weight(q) * energy
        };
        points.map(of).sum()
    }

    /// The spline itself.
    pub(super) fn sample_at(&self, poses: &[Pose], arc: &[f64]) -> Vec<Sample> {
        let p = self.curve.degree();
        let mut psi = vec![DualVector::zero(); self.curve.increments()];
        self.curve.fill_increments(poses, &mut psi);
        let one = |s: &f64| {
            let s = *s;
            let span = self.curve.knot_vector().find_span(s);
            let basis = self.curve.basis_at(span, s);
            let psi = &psi[span - p..][..p];
            let start = poses[span - p];
            let pose = psi.iter().zip(&basis.value).fold(start, |g, (psi, b)| g.boxplus(&(*psi * *b).twist()));
            let strain = strain_vector(&spline_strain(psi, &basis));
            let stiffness = self.curve.section_at(span, s).stiffness();
            let stress = covector(&(stiffness * (strain - self.curve.natural_at(span, s)))).wrench();
            Sample { s, pose, strain: Strain::from_vector(&strain), stress }
        };
        arc.iter().map(one).collect()
    }
}
