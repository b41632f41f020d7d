//! What a curve owes to its discretisation: knots, spans, quadrature points. No material, no shape.

use super::Held;
use super::kernel::PointBasis;
use lissome_lie::knots::KnotVector;
use lissome_lie::quadrature::gauss_legendre;
use lissome_model::{Invalid, Rod};
use std::ops::Range;

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
    /// Its non-empty spans.
    pub spans: Vec<Span>,
    /// Its quadrature points.
    pub points: Vec<Point>,
    /// How many of them a span has.
    pub points_per_span: usize,
    /// Which end the rod stands on.
    pub held: Held,
    /// Natural length, m.
    pub length: f64,
}

impl Layout {
    /// The layout that a model needs.
    pub fn of(rod: &Rod, path: &str, breaks: &[f64], points_per_span: usize) -> Result<Self, Invalid> {
        let degree = rod.discretization.degree();
        let knots = rod.knots(breaks)?.knots;
        let mut layout = Self {
            path: path.to_owned(),
            breaks: breaks.to_vec(),
            degree,
            knots,
            spans: Vec::new(),
            points: Vec::new(),
            points_per_span,
            held: if rod.base.is_none() && rod.tip.is_some() { Held::Tip } else { Held::Base },
            length: rod.length,
        };
        layout.place_points();
        Ok(layout)
    }

    fn place_points(&mut self) {
        let knots = KnotVector::accepted(self.degree, &self.knots);
        for span in knots.spans() {
            let start = self.points.len();
            for gauss in gauss_legendre(self.points_per_span) {
                let s = span.start + gauss.abscissa * (span.end - span.start);
                let cumulative = knots.cumulative(span.index, s);
                let basis = PointBasis {
                    value: cumulative.value,
                    slope: cumulative.slope,
                    stress_basis: knots.stress_basis(span.index, s),
                    weight: gauss.weight * (span.end - span.start),
                };
                self.points.push(Point { basis, s });
            }
            self.spans.push(Span { first: span.index - self.degree, points: start..self.points.len() });
        }
    }
}
