//! A mixed rod whose spans lengthen while its control poses stay: w ξ does not change, w does.

use super::MixedRod;
use crate::rod::Carried;
use crate::rod::curve::by_degree;
use crate::rod::vectors::strain_vector;
use nalgebra::Vector6;

impl MixedRod {
    /// Adds the rate of the misfit of curve and stress, −Σ w φ_a (ξ₀ + e(n̄)) times the relative rate of each span.
    pub(in crate::rod) fn add_misfit_rate(
        &self,
        stretches: &[f64],
        carried: Carried<'_>,
        add: impl FnMut(usize, Vector6<f64>),
    ) {
        by_degree!(self.curve.degree(), misfit_rate_pass(stretches, carried, add) on self);
    }

    fn misfit_rate_pass<const P: usize>(
        &self,
        stretches: &[f64],
        carried: Carried<'_>,
        mut add: impl FnMut(usize, Vector6<f64>),
    ) {
        for (span, stretch) in self.curve.layout.spans.iter().zip(stretches).filter(|(_, stretch)| **stretch != 0.0) {
            for q in span.points.clone() {
                let basis = &self.curve.layout.points[q].basis;
                let answer =
                    self.answer(q, &self.stress_at::<P>(span.first, q, carried.stress), carried.tension).strain;
                let lost = (answer + strain_vector(&self.curve.values.points[q].natural)) * (basis.weight * stretch);
                (0..P).for_each(|a| add(span.first + a, -lost * basis.stress_basis[a]));
            }
        }
    }
}
