//! Tangent maps of exp on SE(3), written once for both groups with dual numbers (ε² = 0).
//!
//! A twist (κ, e) is the dual vector κ + εe; a covector (moment c, force n) is **n + εc**. Then a
//! 6×6 matrix `[[X, 0], [Y, X]]` (Ad, ad, dexp, dexp⁻¹, …) is X + εY, a product of two such matrices is
//! three 3×3 products, and every formula of SO(3) holds on SE(3) as it stands. Maps from twists to
//! covectors are S₀ + εS₁, meaning `[[S₁, S₀], [S₀, 0]]`.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | t, d | κ·κ, κ·e | `t`, `d` |
//! | c_m | Σⱼ (−t)ʲ/(2j+m)!  (c₀ = cos θ, c₁ = sin θ/θ, …) | [`Coefficients`] |
//! | Ad_{exp(−x)} | transport to the far end | [`ExpMap::ad_exp_neg`] |
//! | dexp_x | left-trivialised tangent | [`ExpMap::dexp`] |
//! | S(x,ν) | ∂ₓ(dexp_xᵀ ν) | [`ExpMap::dexp_transpose_derivative`] |
//! | T± | dexp_{±x}⁻¹ | [`InverseMap::plus`], [`InverseMap::minus`] |
//! | N± | ∂ₓ(T±ᵀ λ) | [`InverseMap::derivatives`] |

use crate::{Twist, Wrench};
use nalgebra::{Matrix3, Matrix6, Vector3};
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A dual number re + ε du.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dual {
    /// Real part.
    pub re: f64,
    /// Dual part.
    pub du: f64,
}

/// A dual 3-vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DualVector {
    /// Real part: rotation of a twist, force of a covector.
    pub re: Vector3<f64>,
    /// Dual part: translation of a twist, moment of a covector.
    pub du: Vector3<f64>,
}

/// A dual 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DualMatrix {
    /// Real part.
    pub re: Matrix3<f64>,
    /// Dual part.
    pub du: Matrix3<f64>,
}

impl Dual {
    /// re + ε du.
    #[inline(always)]
    pub fn new(re: f64, du: f64) -> Self {
        Self { re, du }
    }
}

impl Add for Dual {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.re + o.re, self.du + o.du)
    }
}
impl Sub for Dual {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.re - o.re, self.du - o.du)
    }
}
impl Mul for Dual {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self::new(self.re * o.re, self.re * o.du + self.du * o.re)
    }
}
impl Mul<f64> for Dual {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: f64) -> Self {
        Self::new(self.re * k, self.du * k)
    }
}
impl AddAssign for Dual {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl DualVector {
    /// Zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::default()
    }

    /// Dual cross product; for a covector μ and a twist x, `μ × x = ad_xᵀ μ`.
    #[inline(always)]
    pub fn cross(&self, o: &Self) -> Self {
        Self { re: self.re.cross(&o.re), du: self.re.cross(&o.du) + self.du.cross(&o.re) }
    }

    /// Dual scalar product; for a covector and a twist its dual part is the power.
    #[inline(always)]
    pub fn dot(&self, o: &Self) -> Dual {
        Dual::new(self.re.dot(&o.re), self.re.dot(&o.du) + self.du.dot(&o.re))
    }

    /// Scaled by a dual number.
    #[inline(always)]
    pub fn scaled(&self, k: Dual) -> Self {
        Self { re: self.re * k.re, du: self.du * k.re + self.re * k.du }
    }

    /// The antisymmetric dual matrix x~ (= ad_x of a twist, Mx(μ) of a covector).
    #[inline(always)]
    pub fn skew(&self) -> DualMatrix {
        DualMatrix { re: crate::skew(&self.re), du: crate::skew(&self.du) }
    }

    /// The dual matrix self ⊗ o.
    #[inline(always)]
    pub fn outer(&self, o: &Self) -> DualMatrix {
        DualMatrix { re: self.re * o.re.transpose(), du: self.re * o.du.transpose() + self.du * o.re.transpose() }
    }

    /// Read as a twist.
    #[inline(always)]
    pub fn twist(&self) -> Twist {
        Twist::new(self.re, self.du)
    }

    /// Read as a covector.
    #[inline(always)]
    pub fn wrench(&self) -> Wrench {
        Wrench::new(self.du, self.re)
    }
}

impl Add for DualVector {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { re: self.re + o.re, du: self.du + o.du }
    }
}
impl Sub for DualVector {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { re: self.re - o.re, du: self.du - o.du }
    }
}
impl Neg for DualVector {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { re: -self.re, du: -self.du }
    }
}
impl AddAssign for DualVector {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.re += o.re;
        self.du += o.du;
    }
}
impl Mul<f64> for DualVector {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: f64) -> Self {
        Self { re: self.re * k, du: self.du * k }
    }
}

impl DualMatrix {
    /// Zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::default()
    }

    /// The identity.
    #[inline(always)]
    pub fn identity() -> Self {
        Self { re: Matrix3::identity(), du: Matrix3::zeros() }
    }

    /// k times the identity.
    #[inline(always)]
    pub fn diagonal(k: Dual) -> Self {
        Self { re: Matrix3::from_diagonal_element(k.re), du: Matrix3::from_diagonal_element(k.du) }
    }

    /// Aᵀ.
    #[inline(always)]
    pub fn transpose(&self) -> Self {
        Self { re: self.re.transpose(), du: self.du.transpose() }
    }

    /// Aᵀ B.
    #[inline(always)]
    pub fn transpose_mul(&self, o: &Self) -> Self {
        Self { re: self.re.tr_mul(&o.re), du: self.re.tr_mul(&o.du) + self.du.tr_mul(&o.re) }
    }

    /// A x.
    #[inline(always)]
    pub fn apply(&self, x: &DualVector) -> DualVector {
        DualVector { re: self.re * x.re, du: self.re * x.du + self.du * x.re }
    }

    /// Aᵀ x: the transpose of a twist map acts on covectors.
    #[inline(always)]
    pub fn apply_transpose(&self, x: &DualVector) -> DualVector {
        DualVector { re: self.re.tr_mul(&x.re), du: self.re.tr_mul(&x.du) + self.du.tr_mul(&x.re) }
    }

    /// ½(A + Aᵀ).
    #[inline(always)]
    pub fn symmetric_part(&self) -> Self {
        Self { re: (self.re + self.re.transpose()) * 0.5, du: (self.du + self.du.transpose()) * 0.5 }
    }

    /// A map of twists to twists as a 6×6 matrix `[[X, 0], [Y, X]]`.
    #[inline(always)]
    pub fn twist_map(&self) -> Matrix6<f64> {
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.re);
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&self.du);
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.re);
        m
    }

    /// A map of twists to covectors as a 6×6 matrix `[[S₁, S₀], [S₀, 0]]`.
    #[inline(always)]
    pub fn covector_map(&self) -> Matrix6<f64> {
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.du);
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.re);
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&self.re);
        m
    }
}

impl Add for DualMatrix {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { re: self.re + o.re, du: self.du + o.du }
    }
}
impl Sub for DualMatrix {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { re: self.re - o.re, du: self.du - o.du }
    }
}
impl AddAssign for DualMatrix {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.re += o.re;
        self.du += o.du;
    }
}
impl Mul for DualMatrix {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self { re: self.re * o.re, du: self.re * o.du + self.du * o.re }
    }
}
impl Mul<f64> for DualMatrix {
    type Output = Self;
    #[inline(always)]
    fn mul(self, k: f64) -> Self {
        Self { re: self.re * k, du: self.du * k }
    }
}

/// The functions c_m(t) = Σⱼ (−t)ʲ/(2j+m)!, without a branch at small angles.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Coefficients {
    pub c0: f64,
    pub c1: f64,
    pub c2: f64,
    pub c3: f64,
    pub c4: f64,
    pub c5: f64,
    pub c6: f64,
    pub c7: f64,
}

/// 1/m! for m = 0 … 29.
const INVERSE_FACTORIAL: [f64; 30] = {
    let mut table = [1.0; 30];
    let mut m = 1;
    while m < 30 {
        table[m] = table[m - 1] / m as f64;
        m += 1;
    }
    table
};

/// Terms of the two series: the first left out is below 1e-17 of the sum for θ ≤ π.
const SERIES_TERMS: usize = 12;

/// Beyond θ² = 10 (just above π²) the recurrence is run upwards from sin and cos instead.
const SERIES_LIMIT: f64 = 10.0;

impl Coefficients {
    /// At t = θ².
    #[inline(always)]
    pub fn at(t: f64) -> Self {
        if t > SERIES_LIMIT {
            return Self::from_trigonometry(t);
        }
        let (mut c6, mut c7) = (0.0, 0.0);
        let mut j = SERIES_TERMS;
        while j > 0 {
            j -= 1;
            c6 = INVERSE_FACTORIAL[2 * j + 6] - t * c6;
            c7 = INVERSE_FACTORIAL[2 * j + 7] - t * c7;
        }
        // The Horner sums above carry 1/(2j+m)! with alternating powers of t.
        let c5 = INVERSE_FACTORIAL[5] - t * c7;
        let c4 = INVERSE_FACTORIAL[4] - t * c6;
        let c3 = INVERSE_FACTORIAL[3] - t * c5;
        let c2 = INVERSE_FACTORIAL[2] - t * c4;
        let c1 = 1.0 - t * c3;
        let c0 = 1.0 - t * c2;
        Self { c0, c1, c2, c3, c4, c5, c6, c7 }
    }

    #[cold]
    fn from_trigonometry(t: f64) -> Self {
        let theta = t.sqrt();
        let (c0, c1) = (theta.cos(), theta.sin() / theta);
        let next = |m: usize, c: f64| (INVERSE_FACTORIAL[m] - c) / t;
        let (c2, c3) = (next(0, c0), next(1, c1));
        let (c4, c5) = (next(2, c2), next(3, c3));
        let (c6, c7) = (next(4, c4), next(5, c5));
        Self { c0, c1, c2, c3, c4, c5, c6, c7 }
    }
}

/// γ(t) of dexp⁻¹ on SO(3): (1 − (θ/2) cot(θ/2))/θ², valid for θ < 2π.
pub fn inverse_gamma(t: f64) -> f64 {
    let c = Coefficients::at(0.25 * t);
    0.25 * (c.c2 - c.c3) / c.c1
}

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

    /// dexp_x v.
    #[inline(always)]
    pub fn dexp_apply(&self, v: &DualVector) -> DualVector {
        self.rodrigues_apply(self.h1, self.h2, self.h3, v)
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

    /// q = d/dt(dexp_x) ẋ for ẋ = y, the quadratic velocity term of an acceleration.
    pub fn velocity_term(&self, y: &DualVector) -> DualVector {
        let xy = self.x.cross(y);
        let dot = self.x.dot(y);
        y.cross(&xy).scaled(self.h3) - xy.scaled(self.alpha * dot) + self.x.cross(&xy).scaled(self.beta * dot)
    }
}

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
