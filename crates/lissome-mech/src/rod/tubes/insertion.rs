//! How what tubes exert changes with their insertion, and how their sections lengthen.
//!
//! A section lives on a unit interval: control poses and coefficients of angles stay, weights w go with its length ℓ and
//! slopes with 1/ℓ. So w D, w κ and w B′ do not depend on ℓ, and of the derivatives of V only those of torsion do:
//!
//! ```text
//! ∂(∂V/∂Ψ)/∂ℓ = −(1/ℓ) Σ_q w Dᵀ e_x Σ_j τ_j      ∂(∂V/∂t_l)/∂ℓ = −(1/ℓ) Σ_q w B_l′ τ_j
//! ```
//!
//! To these comes the curvature that a table gives the place of a point, which moves past the tube, and the spring of the
//! transmission, which becomes shorter: ∂k_j/∂β_j = k_j/|β_j|.

use super::sums::{functions, turned};
use super::tilt::{FIELDS, Stiffness, Tilted};
use super::{Coefficient, Tubes};
use crate::contribution::{At, push};
use crate::rod::curve::layout::Span;
use crate::rod::curve::{by_degree, kernel};
use crate::rod::vectors::{covector, wrench_vector};
use lissome_lie::MAX_DEGREE;
use lissome_lie::dual::DualVector;
use lissome_model::tubes::MAX_TUBES;
use lissome_model::{Relative, Sections};
use nalgebra::{Vector2, Vector3, Vector6};

/// Rates of the gradient over one span with the push of a tube.
struct SpanRates {
    increments: [Vector6<f64>; MAX_DEGREE],
    angles: [[f64; MAX_DEGREE + 1]; MAX_TUBES - 1],
}

impl Tubes {
    /// Its sections.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// True if both act on the same unknowns: as many spans may lie otherwise between the places of tubes.
    pub(crate) fn couples_alike(&self, other: &Self) -> bool {
        let own_nodes = |own: &Self| (own.first_pose, own.entry.1, own.set.relative, own.curve().degree());
        let first = |span: &Span| span.first;
        let spans = |own: &Self| own.curve().layout.spans.iter().map(first).collect::<Vec<_>>();
        let node = |own: &Coefficient| (own.node, own.held, own.fixed);
        let angles = self.further.iter().zip(&other.further);
        own_nodes(self) == own_nodes(other)
            && spans(self) == spans(other)
            && self.further.len() == other.further.len()
            && angles.into_iter().all(|(own, other)| {
                let (nodes, others) = (own.coefficients.iter().map(node), other.coefficients.iter().map(node));
                own.spans == other.spans && own.axis == other.axis && nodes.eq(others)
            })
    }

    /// By what part each span grows for each unit of length that a tube is pushed, 1/m.
    pub(crate) fn stretches(&self, tube: usize) -> Vec<f64> {
        let places = self.curve().layout.spans.iter().map(|span| self.curve().point_place(span.points.start));
        places.map(|s| self.sections.stretch(s, tube)).collect()
    }

    /// Length of each span over that of the same span at other insertions, where both have the same sections.
    pub(crate) fn growth(&self, before: &Self) -> Vec<f64> {
        let spans = self.curve().layout.spans.iter().zip(before.curve().layout.spans.iter());
        let weights = spans.map(|(own, other)| {
            (self.curve().point_weight(own.points.start), before.curve().point_weight(other.points.start))
        });
        weights.map(|(own, other)| own / other).collect()
    }

    /// Factor by which each increment has grown since other insertions with the same sections.
    pub(crate) fn increment_growth(&self, before: &Self) -> Vec<f64> {
        let mut factors = vec![1.0; self.curve().increments()];
        for (span, growth) in self.curve().layout.spans.iter().zip(self.growth(before)) {
            factors[span.first..][..self.curve().degree()].fill(growth);
        }
        factors
    }

    /// Adds the derivative of what is exerted by the insertion of a tube.
    pub(super) fn insertion_rate(&self, tube: usize, at: &At<'_>, forces: &mut [DualVector]) {
        self.transmission_rate(tube, at, forces);
        let stretches = self.stretches(tube);
        for (number, span) in self.curve().layout.spans.iter().enumerate() {
            let rates = by_degree!(self.curve().degree(), span_rates(number, stretches[number], tube, at) on self);
            let map = super::force::SpanMap::at(&self.increments(span.first, at), self.curve().degree());
            for i in 0..self.curve().degree() {
                let [near, far] = map.pull_back(i, &rates.increments[i]);
                push(forces, self.pose_node(span.first + i), &-near);
                push(forces, self.pose_node(span.first + i + 1), &-far);
            }
            for (further, own) in self.further.iter().zip(&rates.angles).filter(|(own, _)| number < own.spans) {
                for (l, rate) in own[..=self.curve().degree()].iter().enumerate() {
                    let (node, sign) = self.home(further, span.first + l);
                    push(forces, node, &super::force::scalar(-sign * rate));
                }
            }
        }
    }

    /// The spring of a base that comes nearer to the entry.
    fn transmission_rate(&self, tube: usize, at: &At<'_>, forces: &mut [DualVector]) {
        let Some(k) = self.spring_of(tube, at.inputs) else { return };
        let stiffer = k * k / self.bases[tube].torsion;
        if tube == 0 {
            let wound = self.entry_angle(at.state) - self.rotation(0, at.inputs);
            return push(forces, self.entry.1, &super::force::scalar(-stiffer * wound));
        }
        if let Some(own) = self.further.iter().find(|own| own.number == tube && !own.coefficients[0].held) {
            let pull = super::force::scalar(-stiffer * self.wound(own, at));
            push(forces, self.entry.1, &pull);
            push(forces, own.coefficients[0].node, &pull);
        }
    }

    fn span_rates<const P: usize>(&self, number: usize, stretch: f64, tube: usize, at: &At<'_>) -> SpanRates {
        let mut rates =
            SpanRates { increments: [Vector6::zeros(); MAX_DEGREE], angles: [[0.0; MAX_DEGREE + 1]; MAX_TUBES - 1] };
        let span = &self.curve().layout.spans[number];
        let psi: [DualVector; P] = *self.increments(span.first, at).first_chunk().expect("a span has p increments");
        for q in span.points.clone() {
            let basis = &self.curve().layout.points[q].basis;
            let (w, functions) = (basis.weight, functions(P, basis));
            let j = kernel::jacobians(&psi, basis, false);
            let kappa = j.strain(&psi, basis).re;
            let bend = Vector2::new(kappa.y, kappa.z);
            let s = self.curve().point_place(q);
            let place = self.sections.rate(s, tube);
            // The point moves along tube `number` by its own way less that of the tube.
            let moment_rate = |number: usize| {
                let own = &self.set.tubes[number];
                let past = place - f64::from(u8::from(number == tube));
                own.curvature_slope(s) * (own.bending() * past)
            };
            if self.set.relative == Relative::General {
                let innermost = moment_rate(0);
                let mut on_curve = Vector3::new(0.0, -innermost.x, -innermost.y);
                let tubes = self.further.chunks_exact(FIELDS).enumerate().filter(|(_, own)| number < own[0].spans);
                for (tube, own) in tubes {
                    let fields = self.tilt(tube, span.first, &functions, at.state);
                    let stiffness = self.stiffness(own[0].number);
                    let found = Tilted::at(&stiffness, &own[0].moments[q], &kappa, fields);
                    // The energy is linear in the moment of the tube: what a change of it exerts is its own derivative.
                    let slack = Stiffness { torsion: 0.0, bending: 0.0, shear: 0.0 };
                    let moved = Tilted::at(&slack, &moment_rate(own[0].number), &kappa, fields);
                    let (by_kappa, by) = found.lengthened(&kappa, &fields);
                    on_curve += by_kappa * stretch + moved.by_kappa;
                    for f in 0..FIELDS {
                        for (rate, (b, slope)) in rates.angles[FIELDS * tube + f].iter_mut().zip(&functions[..=P]) {
                            let value = (found.by[2 * f] + by[2 * f]) * stretch + moved.by[2 * f];
                            *rate += w * (value * b + (by[2 * f + 1] * stretch + moved.by[2 * f + 1]) * slope);
                        }
                    }
                }
                let stress = covector(&Vector6::new(on_curve.x, on_curve.y, on_curve.z, 0.0, 0.0, 0.0)) * w;
                for i in 0..P {
                    rates.increments[i] += wrench_vector(&j.strain_jacobian[i].apply_transpose(&stress));
                }
                continue;
            }
            let (mut torque, mut moment) = (0.0, moment_rate(0));
            for (r, further) in self.further.iter().enumerate().filter(|(_, own)| number < own.spans) {
                let (angle, slope) = self.angle(r, span.first, &functions, at.state);
                let tau = further.torsion * (kappa.x + slope);
                let e = turned(&moment_rate(further.number), angle);
                torque -= stretch * tau;
                moment += e;
                for (rate, (b, slope)) in rates.angles[r].iter_mut().zip(&functions[..=P]) {
                    *rate -= w * (stretch * tau * slope + bend.dot(&Vector2::new(-e.y, e.x)) * b);
                }
            }
            let stress = covector(&Vector6::new(torque, -moment.x, -moment.y, 0.0, 0.0, 0.0)) * w;
            for i in 0..P {
                rates.increments[i] += wrench_vector(&j.strain_jacobian[i].apply_transpose(&stress));
            }
        }
        rates
    }
}
