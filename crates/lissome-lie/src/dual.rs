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
//! | d/dt dexp_x | its rate for ẋ = y | [`ExpMap::dexp_rate`] |
//! | S(x,ν) | ∂ₓ(dexp_xᵀ ν) | [`ExpMap::dexp_transpose_derivative`] |
//! | T± | dexp_{±x}⁻¹ | [`InverseMap::plus`], [`InverseMap::minus`] |
//! | N± | ∂ₓ(T±ᵀ λ) | [`InverseMap::derivatives`] |

mod coefficients;
mod exp_map;
mod inverse_map;

pub use coefficients::{Coefficients, inverse_gamma};
pub use exp_map::ExpMap;
pub use inverse_map::InverseMap;

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
