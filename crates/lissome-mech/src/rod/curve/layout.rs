//! What a curve owes to its discretisation: knots, spans, quadrature points. No material, no shape.

use super::Held;
use super::kernel::PointBasis;
use crate::rod::strain_basis::basis::{Basis, BasisPoint};
use lissome_lie::knots::{KnotVector, MAX_DEGREE};
use lissome_lie::quadrature::gauss_legendre;
use lissome_model::{Discretization, Invalid, Rod};
use std::ops::Range;
use std::sync::Arc;

/// A quadrature point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Basis functions and weight.
    pub basis: PointBasis,
    /// Arc length, m.
    pub s: f64,
}

/// A knot span.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// Index of its first control pose; its increments are the p after it.
    pub first: usize,
    /// Its quadrature points.
    pub points: Range<usize>,
}

/// Knots, spans and points of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Where the rod stands in the scene, for messages.
    pub path: String,
    /// Where loads and attachments let the stress jump, as they were given.
    pub breaks: Vec<f64>,
    /// Degree p.
    pub degree: usize,
    /// Open knot vector in arc length.
    pub knots: Vec<f64>,
    /// Its non-empty spans, which layouts with the same points share.
    pub spans: Arc<[Span]>,
    /// Its quadrature points.
    pub points: Arc<[Point]>,
    /// How many of them a span has.
    pub points_per_span: usize,
    /// Which end the rod stands on.
    pub held: Held,
    /// Natural length, m.
    pub length: f64,
}

impl Layout {
    /// The layout that a model needs. Points of one that is known are taken from there if its knots are the same.
    pub fn of(
        rod: &Rod,
        path: &str,
        breaks: &[f64],
        points_per_span: usize,
        known: Option<&Self>,
    ) -> Result<Self, Invalid> {
        if let Discretization::StrainBasis { .. } = rod.discretization {
            return Self::of_steps(rod, path, breaks);
        }
        let degree = rod.discretization.degree();
        let knots = rod.knots(breaks)?.knots;
        let mut layout = Self {
            path: path.to_owned(),
            breaks: breaks.to_vec(),
            degree,
            knots,
            spans: Arc::default(),
            points: Arc::default(),
            points_per_span,
            held: held(rod),
            length: rod.length,
        };
        match known.filter(|known| known.points_are_those_of(&layout)) {
            Some(known) => {
                layout.spans = known.spans.clone();
                layout.points = known.points.clone();
            }
            None => layout.place_points(),
        }
        Ok(layout)
    }

    /// True if another layout has the same points.
    pub fn points_are_those_of(&self, other: &Self) -> bool {
        self.degree == other.degree && self.points_per_span == other.points_per_span && self.knots == other.knots
    }

    /// The chain of degree one of a rod on a strain basis: a control pose at each of its points, each the end of a span.
    fn of_steps(rod: &Rod, path: &str, breaks: &[f64]) -> Result<Self, Invalid> {
        let basis = Basis::of(rod, breaks)?;
        let mut knots = vec![0.0, 0.0];
        knots.extend(basis.points.iter().map(|point| point.s));
        knots.push(rod.length);
        let point = |point: &BasisPoint| {
            let first = |value: f64| {
                let mut values = [0.0; MAX_DEGREE];
                values[0] = value;
                values
            };
            let basis = PointBasis {
                value: first(1.0),
                slope: first(1.0 / point.step),
                stress_basis: first(1.0),
                weight: point.weight,
            };
            Point { basis, s: point.s }
        };
        Ok(Self {
            path: path.to_owned(),
            breaks: breaks.to_vec(),
            degree: 1,
            knots,
            spans: (0..basis.points.len()).map(|k| Span { first: k, points: k..k + 1 }).collect(),
            points: basis.points.iter().map(point).collect(),
            points_per_span: 1,
            held: held(rod),
            length: rod.length,
        })
    }

    fn place_points(&mut self) {
        let knots = KnotVector::accepted(self.degree, &self.knots);
        let (mut spans, mut points) = (Vec::new(), Vec::new());
        for span in knots.spans() {
            let start = points.len();
            for gauss in gauss_legendre(self.points_per_span) {
                let s = span.start + gauss.abscissa * (span.end - span.start);
                let (cumulative, stress_basis) = knots.cumulative_and_stress(span.index, s);
                let basis = PointBasis {
                    value: cumulative.value,
                    slope: cumulative.slope,
                    stress_basis,
                    weight: gauss.weight * (span.end - span.start),
                };
                points.push(Point { basis, s });
            }
            spans.push(Span { first: span.index - self.degree, points: start..points.len() });
        }
        (self.spans, self.points) = (spans.into(), points.into());
    }
}

fn held(rod: &Rod) -> Held {
    if rod.base.is_none() && rod.tip.is_some() { Held::Tip } else { Held::Base }
}
