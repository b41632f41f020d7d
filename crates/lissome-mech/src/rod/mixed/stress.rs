//! The stresses that belong to strain moments b, and the energies of both.
//!
//! For a linear law β = M⁻¹b. For any other the stresses are where the convex function Σ w c(n̄) − b·β is least: Newton
//! steps on it, its Hessian being the Gram matrix, that never raise it.

use super::MixedRod;
use super::compliance::solve_blocks;
use crate::rod::Carried;
use crate::rod::scratch::RodCompliance;
use crate::rod::tendons::rates::StrainedPoint;
use crate::rod::vectors::strain_vector;
use lissome_sparse::{FactorError, SymmetricBand};
use nalgebra::{Matrix6, Vector6};

/// Newton steps at most; a handful is the rule.
const MOST_ITERATIONS: usize = 60;
/// Decrease that ends the iteration, relative to b·β and to what the stresses do on their own compliance.
const TOLERANCE: f64 = 1e-15;
/// Rounding of a sum of energies.
const ROUNDING: f64 = 1e-15;
/// Part of the decrease promised by the slope that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Shortest fraction of a step that is tried.
const SHORTEST_FRACTION: f64 = 1e-6;

/// The function that the search lowers, at some stresses.
struct SearchPoint {
    /// Σ w c(n̄) − b·β.
    value: f64,
    /// |b·β| + Σ w n̄·Cn̄, which does not vanish where b does.
    scale: f64,
    /// Sizes of the terms of the value.
    sizes: f64,
}

impl MixedRod {
    /// β of strain moments b.
    pub(in crate::rod) fn stress_of_strain(
        &self,
        strain: &[Vector6<f64>],
        tension: &[Vector6<f64>],
        memory: &mut RodCompliance,
        stress: &mut [Vector6<f64>],
    ) -> Result<(), FactorError> {
        match self.constant_factor() {
            Some(factor) => {
                stress.copy_from_slice(strain);
                solve_blocks(&*factor?, stress, &mut memory.flat);
                Ok(())
            }
            None => self.search_stress(strain, tension, memory, stress),
        }
    }

    /// From the stresses at hand, which are near where a state goes on from the last; from none where they are no numbers.
    fn search_stress(
        &self,
        strain: &[Vector6<f64>],
        tension: &[Vector6<f64>],
        memory: &mut RodCompliance,
        stress: &mut [Vector6<f64>],
    ) -> Result<(), FactorError> {
        if !stress.iter().all(|beta| beta.iter().all(|x| x.is_finite())) {
            stress.fill(Vector6::zeros());
        }
        let RodCompliance { search_gram, search: [left, step, trial], factor, flat, .. } = memory;
        let mut at = self.search_point(Carried { stress, tension }, strain, left, search_gram);
        for _ in 0..MOST_ITERATIONS {
            search_gram.factor_into(factor)?;
            step.copy_from_slice(left);
            solve_blocks(factor, step, flat);
            let slope = -dot(left, step);
            if -slope <= TOLERANCE * at.scale {
                // The last step costs nothing more than has been done, and its error is the square of what was left.
                advance(stress, step, 1.0, trial);
                stress.copy_from_slice(trial);
                return Ok(());
            }
            let mut fraction = 1.0;
            loop {
                advance(stress, step, fraction, trial);
                let there = self.search_point(Carried { stress: trial, tension }, strain, left, search_gram);
                // Near the end the decrease drowns in rounding.
                if there.value <= at.value + SUFFICIENT * fraction * slope + ROUNDING * at.sizes {
                    stress.copy_from_slice(trial);
                    at = there;
                    break;
                }
                fraction *= 0.5;
                if fraction < SHORTEST_FRACTION {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Σ w c(n̄) − b·β with its gradient Σ w φ e(n̄) − b and its Hessian.
    fn search_point(
        &self,
        carried: Carried<'_>,
        strain: &[Vector6<f64>],
        gradient: &mut [Vector6<f64>],
        gram: &mut SymmetricBand,
    ) -> SearchPoint {
        for (gradient, b) in gradient.iter_mut().zip(strain) {
            *gradient = -b;
        }
        gram.clear();
        let held = dot(strain, carried.stress);
        let mut point = SearchPoint { value: -held, scale: held.abs(), sizes: held.abs() };
        self.visit_points(carried.stress, |first, q, n| {
            let response = self.respond(q, n, carried.tension);
            self.add_to_gram(first, q, &response.compliance, gram);
            let basis = &self.curve.layout.points[q].basis;
            for a in 0..self.curve.degree() {
                gradient[first + a] += response.strain * (basis.weight * basis.stress_basis[a]);
            }
            let held = n.dot(&response.strain);
            point.value += basis.weight * (held - response.energy - response.pull);
            point.scale += basis.weight * n.dot(&(response.compliance * n));
            point.sizes += basis.weight * (held.abs() + response.energy + response.pull.abs());
        });
        point
    }

    /// Shows n̄ of every quadrature point with the first increment of its span.
    fn visit_points(&self, stress: &[Vector6<f64>], mut visit: impl FnMut(usize, usize, &Vector6<f64>)) {
        for span in self.curve.layout.spans.iter() {
            for q in span.points.clone() {
                let basis = &self.curve.layout.points[q].basis;
                let own = stress[span.first..][..self.curve.degree()].iter().zip(&basis.stress_basis);
                let n = own.fold(Vector6::zeros(), |n: Vector6<f64>, (beta, phi)| n + beta * *phi);
                visit(span.first, q, &n);
            }
        }
    }

    /// Shows every point with the strain that answers to what the rod carries.
    pub(in crate::rod) fn visit_strains(&self, carried: Carried<'_>, mut see: impl FnMut(StrainedPoint)) {
        // What carries nothing has its natural strain, whatever the law: nothing need be searched for.
        let is_slack = carried.tension.iter().all(|own| *own == Vector6::zeros());
        self.visit_points(carried.stress, |_, q, n| {
            let mut strain = strain_vector(&self.curve.values.points[q].natural);
            if !(is_slack && *n == Vector6::zeros()) {
                strain += self.answer(q, n, carried.tension).strain;
            }
            see(StrainedPoint { q, strain });
        });
    }

    /// The same with C = ∂ξ*/∂n of section and tendons.
    pub(in crate::rod) fn visit_compliances(
        &self,
        carried: Carried<'_>,
        mut see: impl FnMut(StrainedPoint, &Matrix6<f64>),
    ) {
        self.visit_points(carried.stress, |_, q, n| {
            let response = self.respond(q, n, carried.tension);
            let strain = strain_vector(&self.curve.values.points[q].natural) + response.strain;
            see(StrainedPoint { q, strain }, &response.compliance);
        });
    }

    /// Σ w U of the strains that answer to these stresses.
    pub(in crate::rod) fn stored_energy(&self, carried: Carried<'_>) -> f64 {
        let mut sum = 0.0;
        self.visit_points(carried.stress, |_, q, n| {
            sum += self.curve.point_weight(q) * self.answer(q, n, carried.tension).energy;
        });
        sum
    }

    /// The energy of stresses that belong to strain moments b: ½ b·β where the law is linear.
    pub(in crate::rod) fn consistent_energy(&self, strain: &[Vector6<f64>], carried: Carried<'_>) -> f64 {
        if self.is_linear() { 0.5 * dot(strain, carried.stress) } else { self.stored_energy(carried) }
    }

    /// The energy at strain moments b under the tensions of what is carried; its stresses are where the search begins.
    pub(in crate::rod) fn strain_energy(
        &self,
        strain: &[Vector6<f64>],
        carried: Carried<'_>,
        memory: &mut RodCompliance,
    ) -> f64 {
        match self.constant_factor() {
            Some(factor) => {
                let Ok(factor) = factor else { return f64::NAN };
                let (x, _) = memory.flatten(strain);
                factor.solve(x);
                let pairs = x.chunks_exact(6).zip(strain);
                0.5 * pairs.map(|(x, b)| x.iter().zip(b.iter()).map(|(x, b)| x * b).sum::<f64>()).sum::<f64>()
            }
            None => {
                let (mut stress, tension) = (std::mem::take(&mut memory.found), carried.tension);
                stress.copy_from_slice(carried.stress);
                let found = self.search_stress(strain, tension, memory, &mut stress);
                let energy = found.map_or(f64::NAN, |()| self.stored_energy(Carried { stress: &stress, tension }));
                memory.found = stress;
                energy
            }
        }
    }
}

fn dot(a: &[Vector6<f64>], b: &[Vector6<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(b)).sum()
}

/// to = from − fraction step.
fn advance(from: &[Vector6<f64>], step: &[Vector6<f64>], fraction: f64, to: &mut [Vector6<f64>]) {
    for ((to, from), step) in to.iter_mut().zip(from).zip(step) {
        *to = from - step * fraction;
    }
}
