//! Strain, increment and compliance of an element from its stress.
//!
//! Let μ bring the strain and the increment together, Π = μᵀ(Ω − A(β)ξ̄) + W(e, b). Stationary over e,
//!
//! ```text
//! e = K₀⁻¹ y        y = A(β)ᵀμ − K₁b = y₀ + N b        y₀ = A(β₀)ᵀμ        N = −(h³/12) Mx(μ) − K₁
//! ```
//!
//! what remains is quadratic in b, since A is linear in β. So the slope, too, follows from the stress by one solve:
//!
//! ```text
//! H b = NᵀK₀⁻¹y₀ + (h³/12) ad_ξ̄₀ᵀ μ        H = K₂ − NᵀK₀⁻¹N
//! ```
//!
//! and Π = μᵀΩ − C(μ) with ∂C/∂μ = A(β)ξ̄ and
//!
//! ```text
//! ∂²C/∂μ² = A K₀⁻¹ Aᵀ + Bᵀ H⁻¹ B        B = NᵀK₀⁻¹Aᵀ + (h³/12) ad_ξ̄ᵀ
//! ```
//!
//! The leading part of b is K⁻¹ ad_ξ̄ᵀ μ: the slope that the balance Λ′ = ad_ξᵀ Λ of an unloaded rod asks for.
//! The increment enters Π linearly, so the element has no geometric stiffness of its own, and the functional is that of a
//! mixed spline of degree one with a compliance that depends on the stress.

use super::{Line, LinearStrainElement, commutator_weight, mean_map};
use crate::rod::vectors::{covector, strain_vector, twist, wrench_vector};
use lissome_lie::dual::DualVector;
use nalgebra::{Cholesky, Matrix6, Vector6};

/// What an element answers to a stress.
#[derive(Clone, Copy, Debug)]
pub struct Response {
    /// (ξ̄, β).
    pub strain: Line,
    /// Ω = ∂C/∂μ, the increment that belongs to the stress.
    pub increment: DualVector,
    /// ∂²C/∂μ², positive definite.
    pub compliance: Matrix6<f64>,
    /// False if H is not positive definite: the stress would bend the element by more than about √12 rad from its
    /// natural shape, which no straight line of strain follows. The response is then only a guide for the iteration.
    pub resolved: bool,
}

impl LinearStrainElement {
    /// The response to a stress (moment, force) without tendons.
    pub fn respond(&self, stress: &Vector6<f64>) -> Response {
        let mu = covector(stress);
        let [_, k1, k2] = &self.moments;
        let k = commutator_weight(self.length);
        let y0 = wrench_vector(&mean_map(self.length, &self.natural.slope).apply_transpose(&mu));
        let n = mu.skew().covector_map() * -k - k1;
        let nt_flexibility = n.tr_mul(&self.flexibility);
        let hessian = k2 - nt_flexibility * n;
        let (factor, resolved) = match Cholesky::new(hessian) {
            Some(factor) => (factor, true),
            None => (Cholesky::new(*k2).expect("K₂ is a sum of positive definite stiffnesses"), false),
        };
        let b = factor.solve(&(nt_flexibility * y0 + wrench_vector(&mu.cross(&self.natural.mean)) * k));
        let e = self.flexibility * (y0 + n * b);
        let strain = Line { mean: self.natural.mean + twist(&e), slope: self.natural.slope + twist(&b) };
        let a = mean_map(self.length, &strain.slope);
        let a6 = a.twist_map();
        let coupling = nt_flexibility * a6.transpose() + strain.mean.skew().twist_map().transpose() * k;
        let compliance = a6 * self.flexibility * a6.transpose() + coupling.tr_mul(&factor.solve(&coupling));
        Response { strain, increment: a.apply(&strain.mean), compliance, resolved }
    }

    /// C(μ) at its response: the complementary energy μᵀΩ − W.
    pub fn complementary_energy(&self, stress: &Vector6<f64>, response: &Response) -> f64 {
        stress.dot(&strain_vector(&response.increment)) - self.energy(&response.strain)
    }
}
