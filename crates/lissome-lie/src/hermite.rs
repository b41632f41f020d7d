//! Cubic Hermite curves on a group: two end poses and two end strains, [xun2025, section 3.5].
//!
//! A cubic Bernstein curve with g₁ = g_a ⊞ ψ_a and g₂ = g_b ⊞ (−ψ_b). At s = 0 only Ψ₁ moves, with
//! B̄₁′ = 3/L, so ψ_a = L ξ_a/3 (the paper has L = 1); at s = L only Ψ₃ does, so dτ_{ψ_b} ψ_b = L ξ_b/3,
//! which is ψ_b itself for exp but not for Cayley.
//!
//! No part of the program draws one; it stays as the third of the three curves of the paper, beside B-splines and
//! Bernstein curves, for those who use the library.

use crate::{CumulativeCurve, CurveError, Exponential, KnotVector, LieGroup, Retraction};
use std::marker::PhantomData;

/// A cubic curve of length L that owns its knots and its four control poses.
#[derive(Clone, Copy, Debug)]
pub struct CubicHermite<G, R = Exponential> {
    knots: [f64; 8],
    poses: [G; 4],
    retraction: PhantomData<R>,
}

impl<G: LieGroup, R: Retraction<G>> CubicHermite<G, R> {
    /// From g_a, ξ_a at s = 0 to g_b, ξ_b at s = `length`.
    pub fn new(start: (G, G::Tangent), end: (G, G::Tangent), length: f64) -> Result<Self, CurveError> {
        if !(length > 0.0 && length.is_finite()) {
            return Err(CurveError::Length { length });
        }
        let leave = start.1 * (length / 3.0);
        let arrive =
            R::increment_with_end_velocity(&(end.1 * (length / 3.0))).ok_or(CurveError::EndStrain { length })?;
        let poses = [start.0, R::plus(&start.0, &leave), R::plus(&end.0, &-arrive), end.0];
        let knots = [0.0, 0.0, 0.0, 0.0, length, length, length, length];
        let hermite = Self { knots, poses, retraction: PhantomData };
        CumulativeCurve::<G, R>::new(hermite.knot_vector(), &hermite.poses)?;
        Ok(hermite)
    }

    /// The curve.
    pub fn curve(&self) -> CumulativeCurve<'_, G, R> {
        CumulativeCurve::new(self.knot_vector(), &self.poses).expect("checked when the Hermite curve was made")
    }

    fn knot_vector(&self) -> KnotVector<'_> {
        KnotVector::new(3, &self.knots).expect("four zeros and four positive lengths are open cubic knots")
    }
}
