//! Lengths of tendons along a rod, and what a change of a tension asks of the rod.

use super::stretch;
use crate::rod::curve::Curve;
use crate::rod::curve::pose_map::PoseMap;
use crate::rod::law::Law;
use crate::rod::scratch::RodScratch;
use crate::rod::vectors::strain_vector;
use crate::rod::{Carried, Rod};
use lissome_lie::dual::DualVector;
use lissome_model::Hole;
use nalgebra::Vector6;

/// A quadrature point with the strain that answers to the stress there.
#[derive(Clone, Copy, Debug)]
pub struct StrainedPoint {
    /// Its number.
    pub q: usize,
    /// ξ*.
    pub strain: Vector6<f64>,
}

/// A tendon along one rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunLength {
    /// Its length, m.
    pub length: f64,
    /// Smallest length per length of the rod.
    pub narrowest: f64,
    /// Arc length where that is, m.
    pub narrowest_at: f64,
}

impl RunLength {
    const NOTHING: Self = Self { length: 0.0, narrowest: f64::INFINITY, narrowest_at: 0.0 };

    fn add(&mut self, hole: &Hole, point: &StrainedPoint, curve: &Curve) {
        let own = stretch(hole, &point.strain).length;
        self.length += curve.point_weight(point.q) * own;
        if own < self.narrowest {
            (self.narrowest, self.narrowest_at) = (own, curve.point_place(point.q));
        }
    }
}

/// What a change of one tension adds to the rows of a rod, negative residuals.
pub trait TensionRows {
    /// To the row of stress a.
    fn stress(&mut self, a: usize, row: &Vector6<f64>);
    /// To the row of control pose m.
    fn pose(&mut self, m: usize, row: &Vector6<f64>);
}

impl Rod {
    /// Shows every point with the strain that answers to what the rod carries.
    pub fn visit_strains(&self, carried: Carried<'_>, mut see: impl FnMut(StrainedPoint)) {
        match self {
            Self::Mixed(rod) => rod.visit_strains(carried, see),
            Self::LinearStrain(rod) => rod.visit_strains(carried, see),
            Self::StrainBasis(rod) => rod.visit_strains(carried.stress, see),
            Self::Displacement(rod) => {
                let curve = rod.curve();
                for (q, (values, n)) in curve.values.points.iter().zip(carried.stress).enumerate() {
                    let natural = strain_vector(&values.natural);
                    let threads = curve.tendons.threads(q, carried.tension);
                    let law = Law::of(&values.section.elastic, 0.0);
                    let answer = law.answer_with(n, &values.section.elastic.stiffness, &natural, threads);
                    see(StrainedPoint { q, strain: natural + answer.strain });
                }
            }
        }
    }

    /// Tension of a route at arc length s, N; nothing where it does not run.
    pub fn tension_at(&self, route: usize, s: f64, carried: Carried<'_>) -> Option<f64> {
        let span = self.curve().knot_vector().find_span(s);
        self.curve().threads_at(span, s, carried.tension).find(|own| own.route == route).map(|own| own.tension)
    }

    /// Adds Σ w aᵀC a of a route with each of the others: how far its length gives way to their tensions at given stresses.
    pub fn add_tension_couplings(&self, route: usize, others: &[usize], carried: Carried<'_>, sums: &mut [f64]) {
        match self {
            Self::Mixed(rod) => rod.visit_compliances(carried, |point, compliance| {
                let tendons = &rod.curve().tendons;
                let Some(own) = tendons.hole(point.q, route) else { return };
                let answer = compliance * stretch(&own, &point.strain).gradient * rod.curve().point_weight(point.q);
                for (sum, other) in sums.iter_mut().zip(others) {
                    if let Some(with) = tendons.hole(point.q, *other) {
                        let share = tendons.share(point.q, *other, carried.tension);
                        *sum += share * answer.dot(&stretch(&with, &point.strain).gradient);
                    }
                }
            }),
            Self::LinearStrain(rod) => rod.add_tension_couplings(route, others, carried, sums),
            // Their lengths follow from poses, or coordinates, alone.
            Self::Displacement(_) | Self::StrainBasis(_) => {}
        }
    }

    /// Σ w f ℓ′ of a tendon: what its tension at the driven end does work on, m.
    pub fn pulling_length(&self, route: usize, carried: Carried<'_>) -> f64 {
        let mut sum = 0.0;
        self.visit_strains(carried, |point| {
            if let Some(hole) = self.tendons().hole(point.q, route) {
                let share = self.tendons().share(point.q, route, carried.tension);
                sum += self.curve().point_weight(point.q) * share * stretch(&hole, &point.strain).length;
            }
        });
        sum
    }

    /// Length of a tendon along the rod, m.
    pub fn tendon_length(&self, route: usize, carried: Carried<'_>) -> f64 {
        let mut sum = RunLength::NOTHING;
        self.visit_strains(carried, |point| {
            if let Some(hole) = self.tendons().hole(point.q, route) {
                sum.add(&hole, &point, self.curve());
            }
        });
        sum.length
    }

    /// All tendons along the rod, by route: one search for the strains serves them all.
    pub fn tendon_lengths(&self, carried: Carried<'_>) -> Vec<RunLength> {
        let mut sums = vec![RunLength::NOTHING; self.tendons().routes().len()];
        if sums.is_empty() {
            return sums;
        }
        self.visit_strains(carried, |point| {
            for (route, sum) in sums.iter_mut().enumerate() {
                if let Some(hole) = self.tendons().hole(point.q, route) {
                    sum.add(&hole, &point, self.curve());
                }
            }
        });
        sums
    }

    /// Adds what a change of a tension asks for, the poses and stresses held: minus the derivative of the rows by it, times
    /// the change. `scratch` holds the increments of a displacement rod, `map` their map to the poses.
    pub fn add_tension_change(
        &self,
        route: usize,
        change: f64,
        carried: Carried<'_>,
        scratch: Option<&RodScratch>,
        map: &PoseMap,
        rows: &mut dyn TensionRows,
    ) {
        match self {
            Self::Mixed(rod) => {
                let curve = rod.curve();
                rod.visit_compliances(carried, |point, compliance| {
                    let Some(hole) = curve.tendons.hole(point.q, route) else { return };
                    let share = curve.tendons.share(point.q, route, carried.tension);
                    let answer = compliance * stretch(&hole, &point.strain).gradient * (share * change);
                    let first = curve.layout.spans[point.q / curve.layout.points_per_span].first;
                    let basis = &curve.layout.points[point.q].basis;
                    for a in 0..curve.degree() {
                        rows.stress(first + a, &(answer * (-basis.weight * basis.stress_basis[a])));
                    }
                });
            }
            Self::LinearStrain(rod) => {
                rod.visit_tension_rates(route, carried, |a, rate| rows.stress(a, &(rate * -change)))
            }
            Self::StrainBasis(rod) => {
                rod.visit_tension_rates(route, carried, |a, rate| rows.stress(a, &(rate * -change)));
            }
            Self::Displacement(rod) => {
                let Some(scratch) = scratch else { return };
                let mut gradient = vec![DualVector::zero(); rod.curve().increments()];
                rod.add_tension_gradient(route, change, carried.tension, scratch, &mut gradient);
                for m in 0..rod.curve().pose_count() {
                    rows.pose(m, &-map.pull_back(&gradient, m).wrench().to_vector());
                }
            }
        }
    }
}
