//! exp at one twist: transport, left-trivialised tangent and the derivatives of that tangent.

use super::{Coefficients, Dual, DualMatrix, DualVector};

/// Everything one exponential exp(x) contributes, sharing one set of coefficients.
#[derive(Clone, Copy, Debug)]
pub struct ExpMap {
    x: DualVector,
    h0: Dual,
    h1: Dual,
    h2: Dual,
    h3: Dual,
    alpha: Dual,
    beta: Dual,
}

impl ExpMap {
    /// At the twist x.
    #[inline(always)]
    pub fn at(x: DualVector) -> Self {
        let t = x.re.norm_squared();
        let d = x.re.dot(&x.du);
        let c = Coefficients::at(t);
        Self {
            x,
            h0: Dual::new(c.c0, -d * c.c1),
            h1: Dual::new(c.c1, d * (c.c3 - c.c2)),
            h2: Dual::new(c.c2, d * (2.0 * c.c4 - c.c3)),
            h3: Dual::new(c.c3, d * (3.0 * c.c5 - c.c4)),
            alpha: Dual::new(2.0 * c.c4 - c.c3, d * (8.0 * c.c6 - 5.0 * c.c5 + c.c4)),
            beta: Dual::new(3.0 * c.c5 - c.c4, d * (15.0 * c.c7 - 7.0 * c.c6 + c.c5)),
        }
    }

    #[inline(always)]
    fn rodrigues(&self, a: Dual, b: Dual, c: Dual) -> DualMatrix {
        // a I − b x~ + c x xᵀ, entry by entry.
        let bx = self.x.scaled(b);
        let cx = self.x.scaled(c);
        let mut m = self.x.outer(&cx);
        for (m, a, v) in [(&mut m.re, a.re, &bx.re), (&mut m.du, a.du, &bx.du)] {
            m[(0, 0)] += a;
            m[(1, 1)] += a;
            m[(2, 2)] += a;
            m[(0, 1)] += v.z;
            m[(1, 0)] -= v.z;
            m[(2, 0)] += v.y;
            m[(0, 2)] -= v.y;
            m[(1, 2)] += v.x;
            m[(2, 1)] -= v.x;
        }
        m
    }

    /// Ad_{exp(−x)} = ĉ₀ I − ĉ₁ x~ + ĉ₂ xxᵀ.
    #[inline(always)]
    pub fn ad_exp_neg(&self) -> DualMatrix {
        self.rodrigues(self.h0, self.h1, self.h2)
    }

    /// dexp_x = ĉ₁ I − ĉ₂ x~ + ĉ₃ xxᵀ.
    #[inline(always)]
    pub fn dexp(&self) -> DualMatrix {
        self.rodrigues(self.h1, self.h2, self.h3)
    }

    /// a v − b x×v + c x(x·v): the Rodrigues form applied to a vector without building its matrix.
    #[inline(always)]
    fn rodrigues_apply(&self, a: Dual, b: Dual, c: Dual, v: &DualVector) -> DualVector {
        v.scaled(a) - self.x.cross(v).scaled(b) + self.x.scaled(c * self.x.dot(v))
    }

    /// Ad_{exp(−x)} v of a twist.
    #[inline(always)]
    pub fn transport(&self, v: &DualVector) -> DualVector {
        self.rodrigues_apply(self.h0, self.h1, self.h2, v)
    }

    /// Ad_{exp(−x)}ᵀ μ of a covector.
    #[inline(always)]
    pub fn transport_transpose(&self, mu: &DualVector) -> DualVector {
        self.rodrigues_apply(self.h0, self.h1 * -1.0, self.h2, mu)
    }

    /// dexp_xᵀ μ.
    #[inline(always)]
    pub fn dexp_transpose_apply(&self, mu: &DualVector) -> DualVector {
        self.rodrigues_apply(self.h1, self.h2 * -1.0, self.h3, mu)
    }

    /// The two pieces of sym S(x,ν) = (first) I + sym(second xᵀ).
    #[inline(always)]
    pub fn symmetric_curvature(&self, nu: &DualVector) -> (Dual, DualVector) {
        let xn = self.x.dot(nu);
        (self.h3 * xn, self.curvature_vector(nu, xn))
    }

    #[inline(always)]
    fn curvature_vector(&self, nu: &DualVector, xn: Dual) -> DualVector {
        self.x.cross(nu).scaled(self.alpha) - nu.scaled(self.h2 - self.h3 * 2.0) + self.x.scaled(self.beta * xn)
    }

    /// S(x,ν) = ∂ₓ(dexp_xᵀ ν), a map of twists to covectors (not symmetric).
    pub fn dexp_transpose_derivative(&self, nu: &DualVector) -> DualMatrix {
        let xn = self.x.dot(nu);
        let w = self.curvature_vector(nu, xn);
        let x3 = self.x.scaled(self.h3);
        DualMatrix::diagonal(self.h3 * xn) + w.outer(&self.x) + (x3.outer(nu) - nu.outer(&x3))
            - nu.scaled(self.h2).skew()
    }

    /// d/dt(dexp_x) for ẋ = y: with σ = x·y it is σ(ĉ₃−ĉ₂)I − σα x~ − ĉ₂ y~ + σβ xxᵀ + ĉ₃(xyᵀ + yxᵀ).
    pub fn dexp_rate(&self, y: &DualVector) -> DualMatrix {
        let sigma = self.x.dot(y);
        let y3 = y.scaled(self.h3);
        // d ĉ_m/dt = σ(m ĉ_{m+2} − ĉ_{m+1}): the three coefficients of `dexp` differentiated.
        self.rodrigues((self.h3 - self.h2) * sigma, self.alpha * sigma, self.beta * sigma)
            + (self.x.outer(&y3) + y3.outer(&self.x))
            - y.scaled(self.h2).skew()
    }
}
