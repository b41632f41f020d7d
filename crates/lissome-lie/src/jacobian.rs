//! How a cumulative curve moves with its control poses: J, J′ and the strain Jacobian B.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | J_k | η = Σ J_k η_k over the p+1 poses of a span | [`Jacobian::value`] |
//! | J_k′ | its derivative along s | [`Jacobian::slope`] |
//! | B_k | δξ = Σ B_k δζ_k, B = J′ + ad_ξ J | [`Jacobian::strain`] |
//! | Q_i | b dτ_{bΨ_i}, in closed form and not by an integral along s | `own` |
//! | T₊, T₋ | dτ_Ψ⁻¹ and dτ_Ψ⁻¹ Ad_{τ(−Ψ)}: δΨ = T₊ δζ_i − T₋ δζ_{i−1} | `ahead`, `behind` |
//!
//! The kernels of the rods have their own, faster form; this one stays as its plain statement, for either group and map.
//!
//! A rigid motion of all poses moves the curve rigidly: Σ J_k Ad_{g_k}⁻¹ = Ad_g⁻¹ and Σ B_k Ad_{g_k}⁻¹ = 0.

use crate::{CumulativeBasis, CumulativeCurve, LieGroup, MAX_DEGREE, Retraction, Segment};

/// The blocks of the p+1 control poses that move a point; entries beyond p are zero.
#[derive(Clone, Copy, Debug)]
pub struct Jacobian<G: LieGroup> {
    /// Index of the control pose of block 0.
    pub first: usize,
    /// How many blocks there are, p+1.
    pub count: usize,
    /// J_k: body velocity of the point.
    pub value: [G::Operator; MAX_DEGREE + 1],
    /// J_k′.
    pub slope: [G::Operator; MAX_DEGREE + 1],
    /// B_k: change of the strain at the point.
    pub strain: [G::Operator; MAX_DEGREE + 1],
}

impl<G: LieGroup, R: Retraction<G>> Segment<G, R> {
    /// J by [xun2025, eqs. (33), (34)], J′ by eqs. (35), (36) with the first term corrected to −ad_{w_i} A_i J.
    pub fn jacobian(&self, b: &CumulativeBasis) -> Jacobian<G> {
        let zero = [G::Operator::default(); MAX_DEGREE + 1];
        let (mut value, mut slope, mut strain) = (zero, zero, zero);
        value[0] = G::identity_operator();
        let mut xi = G::Tangent::default();
        for i in 0..self.degree {
            let psi = &self.increments[i];
            let x = *psi * b.value[i];
            let (transport, own_strain) = (self.transport(i, b), self.own_strain(i, b));
            let turn = G::ad(&own_strain);
            for k in 0..=i {
                value[k] = transport * value[k];
                slope[k] = transport * slope[k] - turn * value[k];
            }
            xi = G::apply(&transport, &xi) + own_strain;

            let ahead = R::tangent_inverse(psi);
            let behind = ahead * R::retract(&-*psi).adjoint();
            let own = R::tangent(&x) * b.value[i];
            let own_slope = R::scaled_tangent_slope(&x) * b.slope[i];
            value[i + 1] = own * ahead;
            slope[i + 1] = own_slope * ahead;
            value[i] = value[i] - own * behind;
            slope[i] = slope[i] - own_slope * behind;
        }
        let bracket = G::ad(&xi);
        for k in 0..=self.degree {
            strain[k] = slope[k] + bracket * value[k];
        }
        Jacobian { first: b.first, count: self.degree + 1, value, slope, strain }
    }
}

impl<G: LieGroup, R: Retraction<G>> CumulativeCurve<'_, G, R> {
    /// J, J′ and B at s.
    pub fn jacobian(&self, s: f64) -> Jacobian<G> {
        let (segment, basis) = self.at(s);
        segment.jacobian(&basis)
    }
}
