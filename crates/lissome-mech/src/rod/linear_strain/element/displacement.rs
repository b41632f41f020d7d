//! Stress and strain of an element from its increment: its displacement form, ξ̄ = A(β)⁻¹Ω and β by least energy.
//!
//! With a = (h²/12) β, A = h(I − a~) in dual numbers, and its inverse is (I + a~ + aaᵀ)/(h(1 + a·a)).
//!
//! | derivative | value | source |
//! |---|---|---|
//! | ∂ξ̄/∂β | −(h³/12) A⁻¹ ad_ξ̄ | [cfpr2025, eq. (13)] with its sign corrected |
//! | ∂W/∂Ω = μ | A⁻ᵀ(K₀e + K₁b) | [cfpr2025, eq. (27)] |
//! | ∂W/∂β | K₂b + K₁e − (h³/12) ad_ξ̄ᵀ μ | [cfpr2025, eq. (29)] |

use super::{Line, LinearStrainElement, commutator_weight};
use crate::rod::tendons::SpanTendons;
use crate::rod::vectors::{covector, twist, wrench_vector};
use lissome_lie::dual::{Dual, DualMatrix, DualVector};
use nalgebra::{Cholesky, Matrix6, Vector6};

/// Strain and stress that belong to an increment.
#[derive(Clone, Copy, Debug)]
pub struct Deformed {
    /// (ξ̄, β), β of least energy.
    pub strain: Line,
    /// μ = ∂W/∂Ω, (moment, force).
    pub stress: Vector6<f64>,
}

/// Newton steps at most; a handful is the rule.
const MOST_ITERATIONS: usize = 60;
/// Decrease of the energy that ends the iteration, relative to the energy.
const ENERGY_TOLERANCE: f64 = 1e-15;
/// Shortest fraction of a step that is tried.
const SHORTEST_FRACTION: f64 = 1e-6;

impl LinearStrainElement {
    /// Strain and stress at an increment Ω, by Newton steps on β that never raise the energy.
    pub fn deform(&self, increment: &DualVector, tendons: Option<SpanTendons<'_>>) -> Deformed {
        let mut at = self.with_slope(increment, &self.natural.slope, tendons);
        let mut energy = self.line_energy(&at.strain, tendons).value;
        for _ in 0..MOST_ITERATIONS {
            let Some((gradient, hessian)) = self.slope_derivatives(&at, tendons) else { return at };
            let step = -hessian.solve(&gradient);
            let slope = gradient.dot(&step);
            if -slope <= ENERGY_TOLERANCE * energy.abs() {
                // The last step costs nothing more than has been done, and its error is the square of what was left.
                return self.with_slope(increment, &(at.strain.slope + twist(&step)), tendons);
            }
            let mut fraction = 1.0;
            loop {
                let trial = self.with_slope(increment, &(at.strain.slope + twist(&(step * fraction))), tendons);
                let trial_energy = self.line_energy(&trial.strain, tendons).value;
                if trial_energy <= energy + 1e-4 * fraction * slope {
                    (at, energy) = (trial, trial_energy);
                    break;
                }
                fraction *= 0.5;
                if fraction < SHORTEST_FRACTION {
                    return at;
                }
            }
        }
        at
    }

    /// Mean strain and stress at given Ω and β.
    fn with_slope(&self, increment: &DualVector, slope: &DualVector, tendons: Option<SpanTendons<'_>>) -> Deformed {
        let inverse = self.inverse_mean_map(slope);
        let strain = Line { mean: inverse.apply(increment), slope: *slope };
        let [by_mean, _] = self.line_energy(&strain, tendons).gradient;
        let stress = wrench_vector(&inverse.apply_transpose(&covector(&by_mean)));
        Deformed { strain, stress }
    }

    /// A(β)⁻¹.
    fn inverse_mean_map(&self, slope: &DualVector) -> DualMatrix {
        let a = *slope * (self.length * self.length / 12.0);
        let square = a.dot(&a);
        let scale = 1.0 / (self.length * (1.0 + square.re));
        // 1/(1 + a·a) in dual numbers.
        let factor = Dual::new(scale, -scale * square.du / (1.0 + square.re));
        let scaled = a.scaled(factor);
        DualMatrix::diagonal(factor) + scaled.skew() + a.outer(&scaled)
    }

    /// ∂W/∂β, and ∂²W/∂β² where it is positive definite; its Gauss–Newton part elsewhere. `None` where a number is not finite,
    /// or a tendon pushes.
    fn slope_derivatives(
        &self,
        at: &Deformed,
        tendons: Option<SpanTendons<'_>>,
    ) -> Option<(Vector6<f64>, Cholesky<f64, nalgebra::Const<6>>)> {
        let energy = self.line_energy(&at.strain, tendons);
        let [k0, k1, k2] = &energy.hessian;
        let k = commutator_weight(self.length);
        let mu = covector(&at.stress);
        let gradient = energy.gradient[1] - wrench_vector(&mu.cross(&at.strain.mean)) * k;
        let inverse = self.inverse_mean_map(&at.strain.slope);
        let ad = at.strain.mean.skew();
        // ∂ξ̄/∂β
        let j = (inverse * ad).twist_map() * -k;
        let gauss_newton = k2 + k1 * j + j.tr_mul(k1) + j.tr_mul(&(k0 * j));
        // What is left of ∂²W: μ·∂²(A(β)ξ̄), since Ω stays.
        let mx = mu.skew().covector_map();
        let bent = mx * j * -k;
        let exact: Matrix6<f64> = gauss_newton + bent + bent.transpose();
        Some((gradient, Cholesky::new(exact).or_else(|| Cholesky::new(gauss_newton))?))
    }
}
