//! Coulomb friction along a tendon: how far it turns, and what is left of its tension.
//!
//! A tendon that slides loses tension where it turns: with Θ(s) the angle that it has turned by from the driven end to s, in
//! space, it carries at most e^{μΘ} and at least e^{−μΘ} of the tension T there,
//!
//! ```text
//! T e^{−μΘ} ≤ T(s) ≤ T e^{μΘ}        Θ′ = |κ×t + t′|
//! ```
//!
//! and what it carried before where that lies between the two: it sticks there. So pulling leaves the lower limit, and a
//! release that follows reaches the upper one from the driven end on.

use super::{Tendons, stretch};
use crate::rod::{Carried, Rod};
use nalgebra::{Vector3, Vector6};

/// Differentiation and integration of the polynomial through the points of a span, the span of length one.
#[derive(Clone, Debug, Default)]
pub(super) struct SpanRules {
    /// Abscissae of the points.
    points: Vec<f64>,
    /// Derivative at point k of the function that is one at point l: entry `k * n + l`.
    derivative: Vec<f64>,
    /// Its integral from the start to point k.
    integral: Vec<f64>,
    /// Its integral over the span.
    whole: Vec<f64>,
}

impl SpanRules {
    /// For these abscissae.
    pub(super) fn at(points: &[f64]) -> Self {
        let n = points.len();
        // Coefficients of the Lagrange polynomials, lowest power first.
        let polynomial = |l: usize| {
            let mut coefficients = vec![1.0];
            for (k, x) in points.iter().enumerate().filter(|(k, _)| *k != l) {
                let scale = 1.0 / (points[l] - points[k]);
                let mut next = vec![0.0; coefficients.len() + 1];
                for (power, c) in coefficients.iter().enumerate() {
                    next[power] -= c * x * scale;
                    next[power + 1] += c * scale;
                }
                coefficients = next;
            }
            coefficients
        };
        let all: Vec<Vec<f64>> = (0..n).map(polynomial).collect();
        let slope = |c: &[f64], x: f64| {
            c.iter().enumerate().skip(1).map(|(p, c)| c * p as f64 * x.powi(p as i32 - 1)).sum::<f64>()
        };
        let area = |c: &[f64], x: f64| {
            c.iter().enumerate().map(|(p, c)| c * x.powi(p as i32 + 1) / (p + 1) as f64).sum::<f64>()
        };
        Self {
            derivative: points.iter().flat_map(|x| all.iter().map(|c| slope(c, *x))).collect(),
            integral: points.iter().flat_map(|x| all.iter().map(|c| area(c, *x))).collect(),
            whole: all.iter().map(|c| area(c, 1.0)).collect(),
            points: points.to_vec(),
        }
    }

    /// The value at one end of the span of the polynomial through vectors at the points.
    fn end(&self, values: &[Vector3<f64>], at: f64) -> Vector3<f64> {
        let weight = |l: usize| {
            let others = self.points.iter().enumerate().filter(|(k, _)| *k != l);
            others.map(|(_, x)| (at - x) / (self.points[l] - x)).product::<f64>()
        };
        values.iter().enumerate().map(|(l, value)| value * weight(l)).sum()
    }
}

impl Rod {
    /// The angle that a tendon has turned by at each quadrature point it passes, and its rate along the rod; `before` is the
    /// angle at the start of this rod. Returns that at its end.
    pub fn turning(
        &self,
        route: usize,
        carried: Carried<'_>,
        before: f64,
        mut see: impl FnMut(usize, f64, f64),
    ) -> f64 {
        let (curve, tendons): (_, &Tendons) = (self.curve(), self.tendons());
        let mut strains = vec![Vector6::zeros(); curve.point_count()];
        self.visit_strains(carried, |point| strains[point.q] = point.strain);
        let kinks = tendons.routes()[route].routing.kinks();
        let rules = &tendons.rules;
        let n = rules.points.len();
        let (mut angle, mut last): (f64, Option<Vector3<f64>>) = (before, None);
        let (mut directions, mut rates) = (vec![Vector3::zeros(); n], vec![0.0; n]);
        for span in curve.layout.spans.iter() {
            let first = span.points.start;
            if tendons.hole(first, route).is_none() {
                continue;
            }
            let (start, end) =
                (curve.layout.knots[span.first + curve.degree()], curve.layout.knots[span.first + curve.degree() + 1]);
            let length = end - start;
            for (k, q) in span.points.clone().enumerate() {
                if let Some(hole) = tendons.hole(q, route) {
                    directions[k] = stretch(&hole, &strains[q]).direction;
                }
            }
            if let Some(last) = last.filter(|_| kinks.iter().any(|s| (s - start).abs() < 1e-9 * curve.length())) {
                angle += last.angle(&rules.end(&directions, 0.0));
            }
            for (k, q) in span.points.clone().enumerate() {
                let change: Vector3<f64> = (0..n).map(|l| directions[l] * (rules.derivative[k * n + l] / length)).sum();
                let kappa: Vector3<f64> = strains[q].fixed_rows::<3>(0).into();
                rates[k] = (kappa.cross(&directions[k]) + change).norm();
            }
            for (k, q) in span.points.clone().enumerate() {
                let turned = (0..n).map(|l| rates[l] * rules.integral[k * n + l] * length).sum::<f64>();
                see(q, angle + turned, rates[k]);
            }
            angle += (0..n).map(|l| rates[l] * rules.whole[l] * length).sum::<f64>();
            last = Some(rules.end(&directions, 1.0));
        }
        angle
    }
}

#[cfg(test)]
mod tests {
    use super::SpanRules;
    use nalgebra::Vector3;

    /// A cubic through four points: its derivative, integrals and ends are exact up to rounding.
    #[test]
    fn rules_are_exact_for_their_degree() {
        let points = [0.07, 0.33, 0.67, 0.93];
        let rules = SpanRules::at(&points);
        let f = |x: f64| 1.0 - 2.0 * x + 3.0 * x * x - 5.0 * x * x * x;
        let slope = |x: f64| -2.0 + 6.0 * x - 15.0 * x * x;
        let area = |x: f64| x - x * x + x.powi(3) - 1.25 * x.powi(4);
        for (k, x) in points.iter().enumerate() {
            let sum = |rule: &[f64]| (0..4).map(|l| rule[k * 4 + l] * f(points[l])).sum::<f64>();
            assert!((sum(&rules.derivative) - slope(*x)).abs() < 1e-12);
            assert!((sum(&rules.integral) - area(*x)).abs() < 1e-12);
        }
        assert!(((0..4).map(|l| rules.whole[l] * f(points[l])).sum::<f64>() - area(1.0)).abs() < 1e-12);
        let values = points.map(|x| Vector3::x() * f(x));
        assert!((rules.end(&values, 1.0).x - f(1.0)).abs() < 1e-12);
    }
}
