//! One polynomial segment: energy and reach, with first and second derivatives by its coefficients.
//!
//! | symbol | meaning | code | frame |
//! |---|---|---|---|
//! | x(t) = t x̄ + t(1−t) Σ P_k(2t−1) b_k | canonical coordinates; x̄ = end value, b_k bubbles, P_k Legendre | `blocks[0]`, `blocks[1..]` | segment start |
//! | κ̂ = dexp_x x′ / span | curvature times L | | section |
//! | E = span ∫ ½(κ̂−κ̄)ᵀK(κ̂−κ̄) dt | energy over B/L | `energy` | |
//! | ρ = span ∫ exp(x~) e₁ dt | reach over L | `reach` | segment start |
//! | ℒ = E − f·ρ | Lagrangian with the force f | `gradient`, `hessian` | segment start |

use crate::canonical::Canonical;
use crate::elastic::ElasticRod;
use crate::polynomial::{MAX_POWER, Segment};
use crate::quadrature::{self, MAX_POINTS};
use nalgebra::{Matrix3, Vector3};

/// Coefficient vectors of a segment: its end value and up to six bubbles.
pub type Blocks = [Vector3<f64>; MAX_POWER];

/// Values of the segment's basis functions at the points of a quadrature rule.
#[derive(Clone, Debug)]
pub struct Basis {
    /// Number of blocks = polynomial degree.
    pub degree: usize,
    /// Number of quadrature points.
    pub points: usize,
    nodes: &'static [f64],
    weights: &'static [f64],
    value: [[f64; MAX_POWER]; MAX_POINTS],
    slope: [[f64; MAX_POWER]; MAX_POINTS],
}

/// Legendre polynomials P_k(2t−1), k = 0 … 5, as powers of t.
const SHIFTED_LEGENDRE: [[f64; MAX_POWER - 1]; MAX_POWER - 1] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [-1.0, 2.0, 0.0, 0.0, 0.0, 0.0],
    [1.0, -6.0, 6.0, 0.0, 0.0, 0.0],
    [-1.0, 12.0, -30.0, 20.0, 0.0, 0.0],
    [1.0, -20.0, 90.0, -140.0, 70.0, 0.0],
    [-1.0, 30.0, -210.0, 560.0, -630.0, 252.0],
];

/// Coefficients of t, t², … of basis function `k`.
const fn powers_of_basis(k: usize) -> [f64; MAX_POWER] {
    let mut powers = [0.0; MAX_POWER];
    if k == 0 {
        powers[0] = 1.0;
        return powers;
    }
    // t(1−t) P: shift by one, subtract the shift by two.
    let legendre = SHIFTED_LEGENDRE[k - 1];
    let mut i = 0;
    while i < MAX_POWER - 1 {
        powers[i] += legendre[i];
        powers[i + 1] -= legendre[i];
        i += 1;
    }
    powers
}

const BASIS_POWERS: [[f64; MAX_POWER]; MAX_POWER] = {
    let mut all = [[0.0; MAX_POWER]; MAX_POWER];
    let mut k = 0;
    while k < MAX_POWER {
        all[k] = powers_of_basis(k);
        k += 1;
    }
    all
};

/// The segment's coefficients as powers of t.
pub fn to_powers(blocks: &Blocks) -> Blocks {
    let mut powers = [Vector3::zeros(); MAX_POWER];
    for (block, basis) in blocks.iter().zip(&BASIS_POWERS) {
        for (power, c) in powers.iter_mut().zip(basis) {
            *power += block * *c;
        }
    }
    powers
}

/// Blocks of a cubic (or lower) given by powers of t.
pub fn from_cubic(powers: &Blocks) -> Blocks {
    let mut blocks = [Vector3::zeros(); MAX_POWER];
    blocks[0] = powers[0] + powers[1] + powers[2];
    // t(1−t)(A + Bt) with A + Bt = b₁ + b₂(2t−1).
    let (a, b) = (powers[0] - blocks[0], -powers[2]);
    blocks[1] = a + b * 0.5;
    blocks[2] = b * 0.5;
    blocks
}

/// Inner points of a segment at which [`fit_bubbles`] interpolates: those of Gauss, where the remainder is least.
pub const INNER_POINTS: [f64; 4] =
    [0.069_431_844_202_973_71, 0.330_009_478_207_571_87, 0.669_990_521_792_428_1, 0.930_568_155_797_026_3];
/// Their Gauss weights, which make Legendre polynomials up to degree 3 orthogonal in the sum.
const INNER_WEIGHTS: [f64; 4] =
    [0.173_927_422_568_726_93, 0.326_072_577_431_273_07, 0.326_072_577_431_273_07, 0.173_927_422_568_726_93];

/// The four bubbles of a quintic from (x(t) − t x̄)/(t(1−t)) at the inner points: b_k = (2k+1) Σ w P_k value.
pub fn fit_bubbles(values: &[Vector3<f64>; 4], blocks: &mut Blocks) {
    for k in 0..4 {
        blocks[k + 1] = Vector3::zeros();
        for i in 0..4 {
            let legendre = SHIFTED_LEGENDRE[k].iter().rev().fold(0.0, |sum, c| sum * INNER_POINTS[i] + c);
            blocks[k + 1] += values[i] * ((2 * k + 1) as f64 * INNER_WEIGHTS[i] * legendre);
        }
    }
}

impl Basis {
    /// The basis of a degree at the points of a rule.
    pub fn new(degree: usize, points: usize) -> Self {
        let (nodes, weights) = quadrature::rule(points);
        let (mut value, mut slope) = ([[0.0; MAX_POWER]; MAX_POINTS], [[0.0; MAX_POWER]; MAX_POINTS]);
        for (q, &t) in nodes.iter().enumerate() {
            for k in 0..degree {
                let (mut v, mut d) = (0.0, 0.0);
                for i in (0..MAX_POWER).rev() {
                    v = (v + BASIS_POWERS[k][i]) * t;
                    d = d * t + BASIS_POWERS[k][i] * (i + 1) as f64;
                }
                (value[q][k], slope[q][k]) = (v, d);
            }
        }
        Self { degree, points: nodes.len(), nodes, weights, value, slope }
    }

    #[inline(always)]
    fn coordinates(&self, q: usize, blocks: &Blocks) -> (Vector3<f64>, Vector3<f64>) {
        let (mut x, mut y) = (Vector3::zeros(), Vector3::zeros());
        for k in 0..self.degree {
            x += blocks[k] * self.value[q][k];
            y += blocks[k] * self.slope[q][k];
        }
        (x, y)
    }
}

/// Stiffness and natural curvature at a quadrature point.
#[derive(Clone, Copy, Debug)]
pub struct SectionPoint {
    stiffness: Matrix3<f64>,
    natural: Vector3<f64>,
}

/// The section at every quadrature point of a segment.
pub fn section_points(rod: &ElasticRod, from: f64, span: f64, basis: &Basis, out: &mut Vec<SectionPoint>) {
    out.extend(basis.nodes.iter().map(|t| {
        let (bending, natural) = rod.bending_at(from + span * t);
        SectionPoint { stiffness: bending.stiffness, natural }
    }));
}

/// Energy and reach alone.
pub fn value(basis: &Basis, sections: &[SectionPoint], span: f64, blocks: &Blocks) -> (f64, Vector3<f64>) {
    let (mut energy, mut reach) = (0.0, Vector3::zeros());
    for (q, section) in sections.iter().enumerate() {
        let (x, y) = basis.coordinates(q, blocks);
        let here = Canonical::at(x);
        let strain = here.rate(&y) / span - section.natural;
        let w = basis.weights[q] * span;
        energy += 0.5 * w * strain.dot(&(section.stiffness * strain));
        reach += here.tangent() * w;
    }
    (energy, reach)
}

/// Energy, reach and their derivatives.
#[derive(Clone, Debug)]
pub struct Element {
    /// E.
    pub energy: f64,
    /// ρ.
    pub reach: Vector3<f64>,
    /// ∂E/∂(block k); the force's part is `reach_slope` transposed.
    pub energy_slope: Blocks,
    /// ∂ρ/∂(block k).
    pub reach_slope: [Matrix3<f64>; MAX_POWER],
    /// ∂²ℒ/∂(block k)∂(block l), l ≥ k.
    pub hessian: [[Matrix3<f64>; MAX_POWER]; MAX_POWER],
}

impl Element {
    /// All zero.
    pub fn zero() -> Self {
        Self {
            energy: 0.0,
            reach: Vector3::zeros(),
            energy_slope: [Vector3::zeros(); MAX_POWER],
            reach_slope: [Matrix3::zeros(); MAX_POWER],
            hessian: [[Matrix3::zeros(); MAX_POWER]; MAX_POWER],
        }
    }

    /// Integrates over the segment. `geometric` in [0, 1] scales what the stress adds to the Hessian: at 0 it is
    /// DᵀKD, never negative, at 1 the true one.
    pub fn assemble(
        &mut self,
        basis: &Basis,
        sections: &[SectionPoint],
        span: f64,
        blocks: &Blocks,
        force: &Vector3<f64>,
        geometric: f64,
    ) {
        *self = Self::zero();
        let degree = basis.degree;
        for (q, section) in sections.iter().enumerate() {
            let (x, y) = basis.coordinates(q, blocks);
            let here = Canonical::at(x);
            let strain = here.rate(&y) / span - section.natural;
            let nu = section.stiffness * strain;
            let w = basis.weights[q];
            self.energy += 0.5 * w * span * strain.dot(&nu);
            self.reach += here.tangent() * (w * span);

            let (by_y, by_x) = (here.dexp(), here.rate_slope(&y));
            let tangent_slope = here.tangent_slope() * (w * span);
            let (gy, gx) = (by_y.tr_mul(&nu) * w, by_x.tr_mul(&nu) * w);
            let (ky, kx) = (section.stiffness * by_y * (w / span), section.stiffness * by_x * (w / span));
            let yy = by_y.tr_mul(&ky);
            let mut xy = by_x.tr_mul(&ky);
            let mut xx = by_x.tr_mul(&kx);
            if geometric > 0.0 {
                let stress = here.rate_hessian(&y, &nu);
                xx += (stress.xx - here.tangent_hessian(force) * span) * (w * geometric);
                xy += stress.xy * (w * geometric);
            }
            let (value, slope) = (&basis.value[q], &basis.slope[q]);
            for k in 0..degree {
                let (v, d) = (value[k], slope[k]);
                self.energy_slope[k] += gx * v + gy * d;
                self.reach_slope[k] += tangent_slope * v;
                // Row k of the Hessian against x_l and y_l.
                let (row_x, row_y) = (xx * v + xy.transpose() * d, xy * v + yy * d);
                for l in k..degree {
                    self.hessian[k][l] += row_x * value[l] + row_y * slope[l];
                }
            }
        }
    }
}

/// The segment as a curve piece; poses are filled in by [`crate::polynomial::PolynomialCurve::chained`].
pub fn to_segment(from: f64, span: f64, blocks: &Blocks) -> Segment {
    Segment {
        from,
        span,
        rotation: Matrix3::identity(),
        position: Vector3::zeros(),
        powers: to_powers(blocks),
        points: 0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lissome_model::Material;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
        [-size..size, -size..size, -size..size].prop_map(Vector3::from)
    }

    proptest! {
        #[test]
        fn derivatives_match_differences(
            end in vector(1.5), b1 in vector(1.0), b2 in vector(1.0), d0 in vector(1.0), d2 in vector(1.0), f in vector(3.0)
        ) {
            let rod = ElasticRod::round(0.6, 1e-3, Material::from_moduli(35e9, 3e9)).unwrap();
            let basis = Basis::new(5, 8);
            let mut sections = Vec::new();
            section_points(&rod, 0.0, 0.7, &basis, &mut sections);
            let at = |h: f64| {
                let mut blocks = [Vector3::zeros(); MAX_POWER];
                (blocks[0], blocks[1], blocks[3]) = (end + d0 * h, b1, b2 + d2 * h);
                blocks
            };
            let gradient = |h: f64| {
                let mut e = Element::zero();
                e.assemble(&basis, &sections, 0.7, &at(h), &f, 1.0);
                e.energy_slope[0].dot(&d0) + e.energy_slope[3].dot(&d2)
                    - f.dot(&(e.reach_slope[0] * d0 + e.reach_slope[3] * d2))
            };
            let mut e = Element::zero();
            e.assemble(&basis, &sections, 0.7, &at(0.0), &f, 1.0);
            let (h, size) = (1e-4, 1.0 + e.energy);
            let lagrangian = |h: f64| {
                let (energy, reach) = value(&basis, &sections, 0.7, &at(h));
                energy - f.dot(&reach)
            };
            let first = (lagrangian(h) - lagrangian(-h)) / (2.0 * h);
            prop_assert!((first - gradient(0.0)).abs() < 1e-6 * size);
            let second = (gradient(h) - gradient(-h)) / (2.0 * h);
            let exact = d0.dot(&(e.hessian[0][0] * d0)) + d2.dot(&(e.hessian[3][3] * d2))
                + 2.0 * d0.dot(&(e.hessian[0][3] * d2));
            prop_assert!((second - exact).abs() < 1e-6 * size, "{second} against {exact}");
        }

        #[test]
        fn bubbles_are_recovered_from_the_inner_points(b in [vector(1.0), vector(1.0), vector(1.0), vector(1.0)]) {
            let mut blocks = [Vector3::zeros(); MAX_POWER];
            blocks[0] = Vector3::new(0.3, -0.2, 0.9);
            blocks[1..5].copy_from_slice(&b);
            let segment = to_segment(0.0, 1.0, &blocks);
            let values = INNER_POINTS.map(|t| (segment.coordinates(t) - blocks[0] * t) / (t * (1.0 - t)));
            let mut fitted = blocks;
            fit_bubbles(&values, &mut fitted);
            for (a, b) in blocks.iter().zip(&fitted) {
                prop_assert!((a - b).amax() < 1e-12);
            }
        }

        #[test]
        fn a_cubic_keeps_its_shape_in_blocks(a in vector(2.0), b in vector(2.0), c in vector(2.0)) {
            let mut powers = [Vector3::zeros(); MAX_POWER];
            (powers[0], powers[1], powers[2]) = (a, b, c);
            let back = to_powers(&from_cubic(&powers));
            for (p, q) in powers.iter().zip(&back) {
                prop_assert!((p - q).amax() < 1e-14);
            }
        }
    }
}
