//! The linear-strain element of [cfpr2025, section 2]: between two poses the strain is ξ(t) = ξ̄ + β t, t ∈ [−h/2, h/2].
//!
//! The increment between the poses follows by the fourth-order Magnus formula, with the sign of the left-invariant
//! equation g′ = g ξ [cfpr2025, eq. (8)]:
//!
//! ```text
//! Ω = log(g_a⁻¹ g_{a+1}) = A(β) ξ̄        A(β) = h I − (h³/12) ad_β
//! ```
//!
//! Two forms of the same element stand side by side:
//!
//! - `complementary`: the stress μ conjugate to Ω is independent; ξ̄ and β follow from it. Nothing in it is a difference
//!   of large numbers, so it serves Newton's iteration however slender the rod is.
//! - `displacement`: the element as the paper has it, ξ̄ and β from Ω. It gives the stress that belongs to given poses.
//! - `tendons`: the complementary form of an element that tendons pass.
//!
//! The stationary points of both are the same: ∂U/∂Ω = μ and ∂C/∂μ = Ω are inverse to each other. A rod of such elements
//! is a mixed spline of degree one whose compliance depends on its stress.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | h | natural length of the element | `length` | m | – |
//! | t | arc length from the middle | `offset` | m | – |
//! | ξ̄, β | strain in the middle, its slope | [`Line`] | 1/m, 1 (β per m) | body |
//! | ξ̄₀, β₀ | the natural strain's straight line | `natural` | as ξ̄, β | body |
//! | e, b | ξ̄ − ξ̄₀, β − β₀ | `e`, `b` | as ξ̄, β | body |
//! | Ω | increment between the two poses | `increment` | rad, m | body |
//! | μ | stress conjugate to Ω | `stress` | N·m, N | body |
//! | K₀, K₁, K₂ | Σ w K, Σ w t K, Σ w t² K | `moments` | N·m³ … | body |

pub mod complementary;
pub mod displacement;
mod tendons;

pub use complementary::Response;

use crate::rod::tendons::SpanTendons;
use crate::rod::vectors::{strain_vector, twist};
use lissome_lie::dual::{Dual, DualMatrix, DualVector};
use nalgebra::{Matrix6, Vector6};

/// Gauss points of an element: exact for moments up to t² of a stiffness that varies like s³.
pub const GAUSS_POINTS: usize = 3;

/// A strain that varies along a straight line: ξ(t) = mean + slope t.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// ξ̄, the strain in the middle.
    pub mean: DualVector,
    /// β, its slope.
    pub slope: DualVector,
}

impl Line {
    /// ξ at a distance from the middle.
    #[inline(always)]
    pub fn at(&self, offset: f64) -> DualVector {
        self.mean + self.slope * offset
    }

    /// The motion from the start of an element of length `length` over its first `along`. Over the whole of it this is
    /// Ω itself, so a curve sampled with it goes through the poses.
    pub fn motion(&self, length: f64, along: f64) -> DualVector {
        let middle = self.at(0.5 * (along - length));
        mean_map(along, &self.slope).apply(&middle)
    }
}

/// A(β) = h I − (h³/12) ad_β.
#[inline(always)]
fn mean_map(length: f64, slope: &DualVector) -> DualMatrix {
    DualMatrix::diagonal(Dual::new(length, 0.0)) - (*slope * commutator_weight(length)).skew()
}

/// h³/12, the weight of the commutator in the Magnus formula.
#[inline(always)]
fn commutator_weight(length: f64) -> f64 {
    length.powi(3) / 12.0
}

/// What an element knows of the section at one of its Gauss points.
#[derive(Clone, Copy, Debug)]
pub struct SectionPoint {
    /// t, distance from the middle of the element, m.
    pub offset: f64,
    /// Weight; the weights of an element sum to its length.
    pub weight: f64,
    /// Section stiffness K.
    pub stiffness: Matrix6<f64>,
    /// Natural strain ξ₀.
    pub natural: DualVector,
}

/// The constant data of one element.
///
/// With (ξ̄₀, β₀) the straight line closest to the natural strain in the norm of K, the energy is
/// W = ½ eᵀK₀e + eᵀK₁b + ½ bᵀK₂b. The part of the natural strain that is no straight line costs a constant, which is
/// left out: an element in its natural shape has no energy.
#[derive(Clone, Debug)]
pub struct LinearStrainElement {
    /// h, m.
    pub length: f64,
    /// (ξ̄₀, β₀).
    pub natural: Line,
    /// K₀, K₁, K₂.
    moments: [Matrix6<f64>; 3],
    /// K₀⁻¹.
    flexibility: Matrix6<f64>,
    /// Offset and weight of its Gauss points, where tendons pass.
    points: [(f64, f64); GAUSS_POINTS],
}

/// The energy of section and tendons at a line of strain, with its derivatives by (ξ̄, β).
#[derive(Clone, Copy, Debug)]
struct LineEnergy {
    value: f64,
    /// By ξ̄ and by β.
    gradient: [Vector6<f64>; 2],
    /// By ξ̄ twice, by ξ̄ and β, by β twice.
    hessian: [Matrix6<f64>; 3],
    /// Smallest length of a tendon per length of the rod.
    narrowest: f64,
}

impl LinearStrainElement {
    /// From the sections at its Gauss points, whose stiffnesses must be positive definite.
    pub fn new(length: f64, points: &[SectionPoint]) -> Self {
        let moment = |power: i32| {
            points.iter().fold(Matrix6::zeros(), |sum, q| sum + q.stiffness * (q.weight * q.offset.powi(power)))
        };
        let moments = [moment(0), moment(1), moment(2)];
        let flexibility = moments[0].try_inverse().expect("a sum of positive definite stiffnesses is invertible");
        let natural = natural_line(points, &moments, &flexibility);
        let places = std::array::from_fn(|k| points.get(k).map_or((0.0, 0.0), |q| (q.offset, q.weight)));
        Self { length, natural, moments, flexibility, points: places }
    }

    /// Distance of Gauss point k from the middle, m.
    pub fn offset(&self, k: usize) -> f64 {
        self.points[k].0
    }

    /// W + Σ w Σ T ℓ′ and its derivatives.
    fn line_energy(&self, strain: &Line, tendons: Option<SpanTendons<'_>>) -> LineEnergy {
        let e = strain_vector(&(strain.mean - self.natural.mean));
        let b = strain_vector(&(strain.slope - self.natural.slope));
        let [k0, k1, k2] = &self.moments;
        let gradient = [k0 * e + k1 * b, k1 * e + k2 * b];
        let value = 0.5 * (e.dot(&gradient[0]) + b.dot(&gradient[1]));
        let mut sum = LineEnergy { value, gradient, hessian: self.moments, narrowest: 1.0 };
        if let Some(tendons) = tendons {
            for (k, (offset, weight)) in self.points.iter().enumerate() {
                let pull = tendons.pull(k, &strain_vector(&strain.at(*offset)));
                sum.value += pull.energy * weight;
                sum.gradient[0] += pull.stress * *weight;
                sum.gradient[1] += pull.stress * (weight * offset);
                sum.hessian[0] += pull.stiffness * *weight;
                sum.hessian[1] += pull.stiffness * (weight * offset);
                sum.hessian[2] += pull.stiffness * (weight * offset * offset);
                sum.narrowest = sum.narrowest.min(pull.narrowest);
            }
        }
        sum
    }

    /// W = ½ eᵀK₀e + eᵀK₁b + ½ bᵀK₂b.
    pub fn energy(&self, strain: &Line) -> f64 {
        let e = strain_vector(&(strain.mean - self.natural.mean));
        let b = strain_vector(&(strain.slope - self.natural.slope));
        let [k0, k1, k2] = &self.moments;
        0.5 * e.dot(&(k0 * e)) + e.dot(&(k1 * b)) + 0.5 * b.dot(&(k2 * b))
    }
}

/// The straight line closest to the natural strain. The plain fit comes first and is exact for a straight line;
/// the stiffness weighs only what is left, which keeps round-off of EA out of the curvature.
fn natural_line(points: &[SectionPoint], moments: &[Matrix6<f64>; 3], flexibility: &Matrix6<f64>) -> Line {
    let total: f64 = points.iter().map(|q| q.weight).sum();
    let spread: f64 = points.iter().map(|q| q.weight * q.offset * q.offset).sum();
    let mut plain = Line::default();
    for q in points {
        plain.mean += q.natural * (q.weight / total);
        plain.slope += q.natural * (q.weight * q.offset / spread);
    }
    let (mut f0, mut f1) = (Vector6::zeros(), Vector6::zeros());
    for q in points {
        let force = q.stiffness * strain_vector(&(q.natural - plain.at(q.offset))) * q.weight;
        f0 += force;
        f1 += force * q.offset;
    }
    let [_, k1, k2] = moments;
    let schur = k2 - k1 * flexibility * k1;
    let b = schur.try_inverse().expect("points at distinct offsets") * (f1 - k1 * flexibility * f0);
    let e = flexibility * (f0 - k1 * b);
    Line { mean: plain.mean + twist(&e), slope: plain.slope + twist(&b) }
}

#[cfg(test)]
mod tests;
