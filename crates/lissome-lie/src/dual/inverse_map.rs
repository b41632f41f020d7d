//! The inverse tangents of exp at one twist and their derivatives.

use super::{Coefficients, Dual, DualMatrix, DualVector};

/// The two inverse tangents T± = dexp_{±x}⁻¹ and their derivatives; valid for rotations below 2π.
#[derive(Clone, Copy, Debug)]
pub struct InverseMap {
    x: DualVector,
    t: Dual,
    gamma: Dual,
    gamma1: Dual,
}

impl InverseMap {
    /// At the twist x.
    #[inline(always)]
    pub fn at(x: DualVector) -> Self {
        let t = x.re.norm_squared();
        let d = x.re.dot(&x.du);
        let c = Coefficients::at(0.25 * t);
        let inv = 1.0 / c.c1;
        let r = (c.c2 - c.c3) * inv;
        let s = (3.0 * c.c4 - c.c3 - 3.0 * c.c5) * inv;
        let s1 = 0.5 * (15.0 * (c.c6 - c.c7) - 6.0 * c.c5 + c.c4) * inv + 0.5 * s * r;
        let g1 = (s + r * r) / 16.0;
        let g2 = (s1 + r * (s + r * r)) / 32.0;
        Self { x, t: Dual::new(t, 2.0 * d), gamma: Dual::new(0.25 * r, d * g1), gamma1: Dual::new(g1, d * g2) }
    }

    #[inline(always)]
    fn map(&self, sign: f64) -> DualMatrix {
        let one = Dual::new(1.0, 0.0) - self.gamma * self.t;
        DualMatrix::diagonal(one) + (self.x * (0.5 * sign)).skew() + self.x.outer(&self.x.scaled(self.gamma))
    }

    /// T₊ = dexp_x⁻¹.
    #[inline(always)]
    pub fn plus(&self) -> DualMatrix {
        self.map(1.0)
    }

    /// T₋ = dexp_{−x}⁻¹ = dexp_x⁻¹ Ad_{exp(−x)}.
    #[inline(always)]
    pub fn minus(&self) -> DualMatrix {
        self.map(-1.0)
    }

    /// (N₊, N₋) = ∂ₓ(T±ᵀ λ), maps of twists to covectors.
    #[inline(always)]
    pub fn derivatives(&self, lambda: &DualVector) -> (DualMatrix, DualMatrix) {
        let xl = self.x.dot(lambda);
        let gx = self.x.scaled(self.gamma);
        let even = DualMatrix::diagonal(self.gamma * xl) + gx.outer(lambda) - lambda.outer(&gx) * 2.0
            + (self.x.scaled(xl) - lambda.scaled(self.t)).outer(&self.x.scaled(self.gamma1));
        let odd = (*lambda * 0.5).skew();
        (even + odd, even - odd)
    }
}
