//! The state of a rod at any arc length, and a start for another discretisation of it.

use super::refinement;
use super::{Carried, Rod};
use crate::field::Sample;
use lissome_lie::Pose;
use nalgebra::Vector6;

impl Rod {
    /// Samples at `count` evenly spaced arc lengths, both ends included.
    pub fn sample(&self, poses: &[Pose], carried: Carried<'_>, count: usize) -> Vec<Sample> {
        let count = count.max(2);
        let length = self.curve().length();
        let arc: Vec<f64> = (0..count).map(|k| length * k as f64 / (count - 1) as f64).collect();
        self.sample_at(poses, carried, &arc)
    }

    /// Samples at increasing arc lengths.
    pub fn sample_at(&self, poses: &[Pose], carried: Carried<'_>, arc: &[f64]) -> Vec<Sample> {
        match self {
            Self::Mixed(rod) => rod.sample_at(poses, carried, arc),
            Self::LinearStrain(rod) => rod.sample_at(poses, carried, arc),
            Self::Displacement(rod) => rod.sample_at(poses, arc),
            Self::StrainBasis(rod) => rod.sample_at(poses, carried.stress, arc),
        }
    }

    /// Largest turn (rad) and distance (lengths) between the curve through the control poses and the assumed strain
    /// integrated again: both converge, at different rates. Elements are compared at their ends, where alone their curve is
    /// meant; a displacement rod and a strain basis have one answer and no gap.
    pub fn field_gap(&self, poses: &[Pose], carried: Carried<'_>) -> (f64, f64) {
        if !self.has_independent_stress() {
            return (0.0, 0.0);
        }
        let curve = self.curve();
        let spans = curve.knot_vector().spans();
        let arc: Vec<f64> = match curve.degree() {
            1 => spans.map(|span| span.end).collect(),
            _ => spans.flat_map(|span| [0.5 * (span.start + span.end), span.end]).collect(),
        };
        let gaps = self.sample_at(poses, carried, &arc).into_iter().map(|sample| {
            let gap = curve.pose_of(sample.s, poses).boxminus(&sample.pose);
            (gap.angular.norm(), gap.linear.norm() / curve.length())
        });
        gaps.fold((0.0, 0.0), |(turn, shift), gap| (gap.0.max(turn), gap.1.max(shift)))
    }

    /// Control poses and stresses close to those of another discretisation of the same rod: by the insertion of knots
    /// where its knots are among those of this rod, else its field at the Greville abscissae. A start for Newton, not an
    /// answer. `from` are poses and stresses of `coarse`, `to` those of this rod.
    pub fn resample(&self, coarse: &Rod, from: (&[Pose], Carried<'_>), to: (&mut [Pose], &mut [Vector6<f64>])) {
        let curve = self.curve();
        if let Self::StrainBasis(rod) = self {
            // Its poses follow once it stands on something.
            let samples = coarse.sample_at(from.0, from.1, &rod.places());
            let beyond = |k: usize| samples[k].strain.to_vector() - rod.natural_at_point(k);
            to.1.copy_from_slice(&rod.coordinates_of_strain(beyond));
            for (pose, s) in to.0.iter_mut().zip(std::iter::once(0.0).chain(rod.places())) {
                *pose = coarse.curve().pose_of(s, from.0);
            }
            return;
        }
        let (own, other) = (&curve.layout, &coarse.curve().layout);
        if own.degree == other.degree
            && own.degree > 1
            && coarse.strain_basis().is_none()
            && refinement::is_refined(&other.knots, &own.knots)
        {
            refinement::refine(own.degree, &other.knots, &own.knots, from.0, geodesic, to.0);
            if self.has_independent_stress() && coarse.has_independent_stress() {
                let inner = |knots: &[f64]| knots[1..knots.len() - 1].to_vec();
                let line = |a: &Vector6<f64>, b: &Vector6<f64>, part: f64| a + (b - a) * part;
                refinement::refine(own.degree - 1, &inner(&other.knots), &inner(&own.knots), from.1.stress, line, to.1);
            }
            return;
        }
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

/// The pose part of the way from one to another.
fn geodesic(from: &Pose, to: &Pose, part: f64) -> Pose {
    from.boxplus(&(to.boxminus(from) * part))
}
