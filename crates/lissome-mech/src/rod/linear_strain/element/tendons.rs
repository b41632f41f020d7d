//! Strain, increment and compliance of an element that tendons pass, from its stress.
//!
//! The tendons are no quadratic function of the strain, so (ξ̄, β) is found by Newton's method on W − μᵀA(β)ξ̄, W with the
//! tendons:
//!
//! ```text
//! r = (W_ξ̄, W_β) − Bᵀμ        B = ∂Ω/∂(ξ̄, β) = [h − (h³/12) ad_β, (h³/12) ad_ξ̄]
//! H = W″ + (h³/12) [[0, Mx(μ)], [Mx(μ)ᵀ, 0]]        ∂²C/∂μ² = B H⁻¹ Bᵀ
//! ```

use super::{Line, LineEnergy, LinearStrainElement, Response, commutator_weight, mean_map};
use crate::rod::definite::Definite;
use crate::rod::tendons::{CLOSED, SpanTendons};
use crate::rod::vectors::{covector, strain_vector, twist};
use nalgebra::{SMatrix, SVector, Vector6};

type Twelve = SVector<f64, 12>;

/// Newton steps at most; four are the rule.
const MOST_ITERATIONS: usize = 60;
/// Decrease that a last step promises, relative to the energies at hand.
const LAST_DECREASE: f64 = 1e-18;
/// Part of the decrease promised by the slope that a step must bring, and the shortest part of a step.
const SUFFICIENT: f64 = 1e-4;
const SHORTEST_FRACTION: f64 = 1e-6;
/// Rounding of a sum of energies.
const ROUNDING: f64 = 1e-15;

impl LinearStrainElement {
    /// The response to a stress (moment, force) under the tendons of its span.
    pub fn respond_with(&self, stress: &Vector6<f64>, tendons: Option<SpanTendons<'_>>) -> Response {
        let Some(own) = tendons else { return self.respond(stress) };
        // What the tendons pull with in the natural shape is most of what they pull with.
        let pulls = self.points.iter().enumerate().map(|(k, (offset, weight))| {
            own.pull(k, &strain_vector(&self.natural.at(*offset))).stress * (weight / self.length)
        });
        let mut line = self.respond(&(stress - pulls.sum::<Vector6<f64>>())).strain;
        let mut last = None;
        for _ in 0..MOST_ITERATIONS {
            let energy = self.line_energy(&line, tendons);
            let (value, gradient) = self.complementary_gradient(&line, &energy, stress);
            let (factor, resolved) = self.factor(&energy, stress);
            let Some(factor) = factor else { break };
            let step = factor.solve(&gradient);
            let decrease = gradient.dot(&step);
            let sizes = energy.value.abs() + value.abs();
            let end = decrease <= LAST_DECREASE * sizes;
            last = Some((factor, resolved && energy.narrowest > CLOSED));
            if end {
                line = moved(&line, &step, 1.0);
                break;
            }
            let mut fraction = 1.0;
            while fraction > SHORTEST_FRACTION {
                let there = moved(&line, &step, fraction);
                let reached = self.complementary_gradient(&there, &self.line_energy(&there, tendons), stress).0;
                if reached <= value - SUFFICIENT * fraction * decrease + ROUNDING * sizes {
                    break;
                }
                fraction *= 0.5;
            }
            line = moved(&line, &step, fraction);
        }
        let b = self.increment_jacobian(&line);
        let increment = mean_map(self.length, &line.slope).apply(&line.mean);
        match last {
            Some((factor, resolved)) => {
                let compliance = b * factor.inverse() * b.transpose();
                Response { strain: line, increment, compliance, resolved }
            }
            // No number is finite: the factorisation of the whole says so.
            None => Response { strain: line, increment, compliance: nalgebra::Matrix6::zeros(), resolved: false },
        }
    }

    /// How far the increment falls behind by the tension of a route: B H⁻¹ Σ w (a, t a), since H d(ξ̄, β) = −Σ w (a, t a) dT.
    pub fn tension_rate(&self, stress: &Vector6<f64>, tendons: SpanTendons<'_>, route: usize) -> Vector6<f64> {
        let line = self.respond_with(stress, Some(tendons)).strain;
        let energy = self.line_energy(&line, Some(tendons));
        match self.factor(&energy, stress).0 {
            Some(factor) => self.increment_jacobian(&line) * factor.solve(&self.length_gradient(&line, tendons, route)),
            None => Vector6::zeros(),
        }
    }

    /// Adds how far the length of a route gives way to the tension of each of the others at a given stress.
    pub fn add_tension_couplings(
        &self,
        stress: &Vector6<f64>,
        tendons: SpanTendons<'_>,
        (route, others): (usize, &[usize]),
        sums: &mut [f64],
    ) {
        let line = self.respond_with(stress, Some(tendons)).strain;
        let energy = self.line_energy(&line, Some(tendons));
        let Some(factor) = self.factor(&energy, stress).0 else { return };
        let answer = factor.solve(&self.length_gradient(&line, tendons, route));
        for (sum, other) in sums.iter_mut().zip(others) {
            *sum += answer.dot(&self.length_gradient(&line, tendons, *other));
        }
    }

    /// Derivative of the length of a route within the element by (ξ̄, β).
    fn length_gradient(&self, line: &Line, tendons: SpanTendons<'_>, route: usize) -> Twelve {
        let mut sum = Twelve::zeros();
        for (k, (offset, weight)) in self.points.iter().enumerate() {
            let gradient = tendons.length_gradient(k, route, &strain_vector(&line.at(*offset))) * *weight;
            for i in 0..6 {
                sum[i] += gradient[i];
                sum[6 + i] += gradient[i] * offset;
            }
        }
        sum
    }

    /// W − μᵀΩ and its gradient by (ξ̄, β).
    fn complementary_gradient(&self, line: &Line, energy: &LineEnergy, stress: &Vector6<f64>) -> (f64, Twelve) {
        let increment = mean_map(self.length, &line.slope).apply(&line.mean);
        let held = self.increment_jacobian(line).tr_mul(stress);
        let [mean, slope] = &energy.gradient;
        let gradient = Twelve::from_fn(|i, _| if i < 6 { mean[i] } else { slope[i - 6] }) - held;
        (energy.value - stress.dot(&strain_vector(&increment)), gradient)
    }

    /// B = ∂Ω/∂(ξ̄, β).
    fn increment_jacobian(&self, line: &Line) -> SMatrix<f64, 6, 12> {
        let k = commutator_weight(self.length);
        let mut b = SMatrix::<f64, 6, 12>::zeros();
        b.fixed_view_mut::<6, 6>(0, 0).copy_from(&mean_map(self.length, &line.slope).twist_map());
        b.fixed_view_mut::<6, 6>(0, 6).copy_from(&(line.mean.skew().twist_map() * k));
        b
    }

    /// The factor of H, or of W″ where H is not positive definite; true if it is.
    fn factor(&self, energy: &LineEnergy, stress: &Vector6<f64>) -> (Option<Definite<12>>, bool) {
        let [first, mixed, second] = &energy.hessian;
        let bent = covector(stress).skew().covector_map() * commutator_weight(self.length);
        let build = |corner: &nalgebra::Matrix6<f64>| {
            let mut h = SMatrix::<f64, 12, 12>::zeros();
            h.fixed_view_mut::<6, 6>(0, 0).copy_from(first);
            h.fixed_view_mut::<6, 6>(6, 6).copy_from(second);
            h.fixed_view_mut::<6, 6>(0, 6).copy_from(corner);
            h.fixed_view_mut::<6, 6>(6, 0).copy_from(&corner.transpose());
            h
        };
        match Definite::new(&build(&(mixed + bent))) {
            Some(factor) => (Some(factor), true),
            None => (Definite::new(&build(mixed)), false),
        }
    }
}

fn moved(line: &Line, step: &Twelve, fraction: f64) -> Line {
    let part = |first: usize| Vector6::from_fn(|i, _| step[first + i] * -fraction);
    Line { mean: line.mean + twist(&part(0)), slope: line.slope + twist(&part(6)) }
}
