//! Segments joined into a rod: the unknowns are the rotations of the inner nodes and the bubbles of every segment.
//!
//! R(τ) is continuous by construction and the energy needs no more, so a step of the section is no obstacle: the moment
//! comes out continuous as a natural condition. A node turns by R_j ← R_j exp(δ_j~), and then
//!
//! | symbol | meaning |
//! |---|---|
//! | x̄_j = log(R_jᵀ R_{j+1}) | δx̄ = T₊ δ_{j+1} − T₋ δ_j, T± = dexp_{±x̄}⁻¹ |
//! | G = ∂ℒ/∂x̄, N± = ∂(T±ᵀG)/∂x̄ | G·δ²x̄ = (δ_{j+1}ᵀN₊ − δ_jᵀN₋) δx̄ |
//! | r = Σ R_j ρ_j | δ(f·R_jρ_j) = δ_j·(ρ_j×f_j), second order ½δ_jᵀ(f_jρ_jᵀ + ρ_jf_jᵀ − 2(f_j·ρ_j) I)δ_j |

use super::element::{self, Basis, Blocks, Element, SectionPoint};
use crate::canonical::Canonical;
use crate::elastic::ElasticRod;
use crate::polynomial::{MAX_POWER, PolynomialCurve, Segment};
use lissome_lie::Rotation;
use lissome_lie::dual::{DualVector, InverseMap};
use nalgebra::{Matrix3, Vector3};

/// Most segments offered.
pub const MAX_SEGMENTS: usize = 24;

/// A rod of polynomial segments with both end rotations held.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Polynomial degree of every segment.
    pub degree: usize,
    /// Start and length of every segment, in τ.
    pub spans: Vec<(f64, f64)>,
    /// Rotations of the nodes, base frame; the first is the identity, the last is held.
    rotations: Vec<Matrix3<f64>>,
    /// End value and bubbles of every segment.
    blocks: Vec<Blocks>,
    /// Fewest quadrature points to use: those that a minimum was found with, or its tip would not be where it was put.
    pub(super) least_points: usize,
}

/// Where a chain's derivatives go.
#[derive(Clone, Debug)]
pub struct System {
    /// Unknowns.
    pub n: usize,
    /// Energy over B/L.
    pub energy: f64,
    /// Tip position over L, base frame.
    pub reach: Vector3<f64>,
    /// ∂E.
    pub energy_slope: Vec<f64>,
    /// ∂(reach), one column of three per unknown.
    pub reach_slope: Vec<Vector3<f64>>,
    /// ∂²ℒ, lower triangle, row by row.
    pub hessian: Vec<f64>,
    /// Moment at the base, the reaction to turning it.
    pub base_moment: Vector3<f64>,
    element: Element,
}

impl System {
    /// Room for a chain's derivatives.
    pub fn sized(chain: &Chain) -> Self {
        let n = chain.unknowns();
        Self {
            n,
            energy: 0.0,
            reach: Vector3::zeros(),
            energy_slope: vec![0.0; n],
            reach_slope: vec![Vector3::zeros(); n],
            hessian: vec![0.0; n * n],
            base_moment: Vector3::zeros(),
            element: Element::zero(),
        }
    }

    /// Adds a 3×3 block of the symmetric Hessian at (row, column) of the whole matrix.
    #[inline(always)]
    fn add(&mut self, row: usize, column: usize, block: &Matrix3<f64>) {
        for i in 0..3 {
            for j in 0..3 {
                let (r, c) = (row + i, column + j);
                if row > column {
                    self.hessian[r * self.n + c] += block[(i, j)];
                } else if row < column {
                    self.hessian[c * self.n + r] += block[(i, j)];
                } else if j <= i {
                    self.hessian[r * self.n + c] += block[(i, j)];
                }
            }
        }
    }

    fn add_slopes(&mut self, at: usize, energy: &Vector3<f64>, reach: &Matrix3<f64>) {
        for i in 0..3 {
            self.energy_slope[at + i] += energy[i];
            self.reach_slope[at + i] += reach.column(i);
        }
    }
}

impl Chain {
    /// One segment with the given blocks.
    pub fn single(degree: usize, blocks: Blocks) -> Self {
        let tip = Canonical::at(blocks[0]).matrix();
        Self {
            degree,
            spans: vec![(0.0, 1.0)],
            rotations: vec![Matrix3::identity(), tip],
            blocks: vec![blocks],
            least_points: 0,
        }
    }

    /// Segments between the given cuts (0 first, 1 last) through rotations that `rotation` gives; no bubbles.
    pub fn through(degree: usize, cuts: &[f64], rotation: impl Fn(f64) -> Matrix3<f64>) -> Self {
        let rotations: Vec<_> = cuts.iter().map(|tau| rotation(*tau)).collect();
        let spans = cuts.windows(2).map(|cut| (cut[0], cut[1] - cut[0])).collect();
        let blocks = rotations
            .windows(2)
            .map(|pair| {
                let mut blocks = [Vector3::zeros(); MAX_POWER];
                blocks[0] = log(&(pair[0].transpose() * pair[1]));
                blocks
            })
            .collect();
        Self { degree, spans, rotations, blocks, least_points: 0 }
    }

    /// Quintic segments that agree with `rotation` at four inner points each.
    pub fn interpolating(cuts: &[f64], rotation: impl Fn(f64) -> Matrix3<f64>) -> Self {
        let mut chain = Self::through(5, cuts, &rotation);
        for (j, (from, span)) in chain.spans.iter().enumerate() {
            // From point to point the logarithm is followed round, also beyond half a turn.
            let mut x = Vector3::zeros();
            let mut values = element::INNER_POINTS.map(|t| {
                x = nearest_log(&(chain.rotations[j].transpose() * rotation(from + span * t)), &x);
                x
            });
            let end = nearest_log(&(chain.rotations[j].transpose() * chain.rotations[j + 1]), &x);
            chain.blocks[j][0] = end;
            for (value, t) in values.iter_mut().zip(element::INNER_POINTS) {
                *value = (*value - end * t) / (t * (1.0 - t));
            }
            element::fit_bubbles(&values, &mut chain.blocks[j]);
        }
        chain
    }

    /// The same chain without the bubbles beyond a degree.
    pub fn truncated(mut self, degree: usize) -> Self {
        for blocks in &mut self.blocks {
            blocks[degree..].fill(Vector3::zeros());
        }
        Self { degree, ..self }
    }

    /// The same chain with more bubbles, all zero.
    pub fn elevated(&self, degree: usize) -> Self {
        Self { degree, ..self.clone() }
    }

    /// Three per inner node and per bubble.
    pub fn unknowns(&self) -> usize {
        let m = self.spans.len();
        3 * (m * (self.degree - 1) + (m - 1))
    }

    /// First unknown of a segment's bubbles; those of its end node follow them.
    fn bubbles_at(&self, segment: usize) -> usize {
        3 * self.degree * segment
    }

    /// A basis that integrates every segment of this chain accurately.
    pub fn basis(&self) -> Basis {
        let rate = |b: &Blocks| element::to_segment(0.0, 1.0, b).turning();
        let turn = self.blocks.iter().map(rate).fold(0.0, f64::max);
        // The energy is quadratic in a rate of the chain's degree: at least degree + 1 points.
        let needed = crate::quadrature::points_for_rotation(turn).max(self.degree + 1).max(self.least_points);
        Basis::new(self.degree, needed)
    }

    /// Sections at the quadrature points of all segments.
    pub fn sections(&self, rod: &ElasticRod, basis: &Basis) -> Vec<SectionPoint> {
        let mut all = Vec::with_capacity(self.spans.len() * basis.points);
        for (from, span) in &self.spans {
            element::section_points(rod, *from, *span, basis, &mut all);
        }
        all
    }

    /// Energy and tip position.
    pub fn value(&self, basis: &Basis, sections: &[SectionPoint]) -> (f64, Vector3<f64>) {
        let (mut energy, mut reach) = (0.0, Vector3::zeros());
        for (j, sections) in sections.chunks(basis.points).enumerate() {
            let (e, rho) = element::value(basis, sections, self.spans[j].1, &self.blocks[j]);
            energy += e;
            reach += self.rotations[j] * rho;
        }
        (energy, reach)
    }

    /// All derivatives of E − force·(reach) at the present chain.
    pub fn assemble(
        &self,
        basis: &Basis,
        sections: &[SectionPoint],
        force: &Vector3<f64>,
        geometric: f64,
        system: &mut System,
    ) {
        system.energy = 0.0;
        system.reach = Vector3::zeros();
        system.energy_slope.fill(0.0);
        system.reach_slope.fill(Vector3::zeros());
        system.hessian.fill(0.0);
        let last = self.spans.len() - 1;
        let mut element = std::mem::replace(&mut system.element, Element::zero());
        for (j, sections) in sections.chunks(basis.points).enumerate() {
            let rotation = &self.rotations[j];
            let f = rotation.tr_mul(force);
            element.assemble(basis, sections, self.spans[j].1, &self.blocks[j], &f, geometric);
            system.energy += element.energy;
            system.reach += rotation * element.reach;
            let bubbles = self.bubbles_at(j);
            for k in 1..self.degree {
                let at = bubbles + 3 * (k - 1);
                system.add_slopes(at, &element.energy_slope[k], &(rotation * element.reach_slope[k]));
                for l in k..self.degree {
                    system.add(at, bubbles + 3 * (l - 1), &element.hessian[k][l]);
                }
            }
            let map = InverseMap::at(DualVector { re: self.blocks[j][0], du: Vector3::zeros() });
            let minus = map.minus().re;
            let g = element.energy_slope[0] - element.reach_slope[0].tr_mul(&f);
            if j == 0 {
                // ∂ℒ/∂δ₀ = −T₋ᵀG − ρ×f is minus the moment that holds the base.
                system.base_moment = minus.tr_mul(&g) + element.reach.cross(&f);
            }
            if last == 0 {
                continue;
            }
            let plus = map.plus().re;
            let (n_plus, n_minus) = map.derivatives(&DualVector { re: g, du: Vector3::zeros() });
            let (n_plus, n_minus) = (n_plus.re * geometric, n_minus.re * geometric);
            let start = if j > 0 { Some(self.bubbles_at(j) - 3) } else { None };
            let end = if j < last { Some(bubbles + 3 * (self.degree - 1)) } else { None };
            let hx = &element.hessian[0][0];
            let f_skew = lissome_lie::skew(&f) * geometric;
            if let Some(b) = end {
                system.add_slopes(
                    b,
                    &plus.tr_mul(&element.energy_slope[0]),
                    &(rotation * element.reach_slope[0] * plus),
                );
                let block = plus.tr_mul(&(hx * plus)) + symmetric(&(n_plus * plus));
                system.add(b, b, &block);
                for k in 1..self.degree {
                    system.add(b, bubbles + 3 * (k - 1), &plus.tr_mul(&element.hessian[0][k]));
                }
            }
            if let Some(a) = start {
                let reach = &element.reach;
                let turn = rotation * (-element.reach_slope[0] * minus - lissome_lie::skew(reach));
                system.add_slopes(a, &-minus.tr_mul(&element.energy_slope[0]), &turn);
                let mixed = f_skew * element.reach_slope[0];
                let outer = (f * reach.transpose() + reach * f.transpose()) * 0.5
                    - Matrix3::from_diagonal_element(f.dot(reach));
                let block = minus.tr_mul(&(hx * minus)) + symmetric(&(n_minus * minus))
                    - outer * geometric
                    - symmetric(&(mixed * minus)) * 2.0;
                system.add(a, a, &block);
                for k in 1..self.degree {
                    let block = -minus.tr_mul(&element.hessian[0][k]) + f_skew * element.reach_slope[k];
                    system.add(a, bubbles + 3 * (k - 1), &block);
                }
                if let Some(b) = end {
                    let block = -minus.tr_mul(&(hx * plus)) - ((n_plus * minus).transpose() + n_minus * plus) * 0.5
                        + mixed * plus;
                    system.add(a, b, &block);
                }
            }
        }
        system.element = element;
    }

    /// Moves by `fraction` of a step; the chain `from` is left as it is.
    pub fn move_from(&mut self, from: &Self, step: &[f64], fraction: f64) {
        let vector = |at: usize| Vector3::new(step[at], step[at + 1], step[at + 2]) * fraction;
        let m = self.spans.len();
        for j in 0..m {
            let bubbles = self.bubbles_at(j);
            for k in 1..self.degree {
                self.blocks[j][k] = from.blocks[j][k] + vector(bubbles + 3 * (k - 1));
            }
            if j + 1 < m {
                let turn = Canonical::at(vector(bubbles + 3 * (self.degree - 1))).matrix();
                self.rotations[j + 1] = from.rotations[j + 1] * turn;
            }
        }
        if m > 1 {
            for j in 0..m {
                let relative = self.rotations[j].transpose() * self.rotations[j + 1];
                self.blocks[j][0] = nearest_log(&relative, &from.blocks[j][0]);
            }
        }
    }

    /// The curve in closed form, integrated with the points that the chain itself is.
    pub fn curve(&self) -> PolynomialCurve {
        let points = self.basis().points;
        let segments = self
            .spans
            .iter()
            .zip(&self.blocks)
            .map(|((from, span), b)| Segment { points, ..element::to_segment(*from, *span, b) });
        PolynomialCurve::chained(segments.collect())
    }
}

fn symmetric(m: &Matrix3<f64>) -> Matrix3<f64> {
    (m + m.transpose()) * 0.5
}

fn log(m: &Matrix3<f64>) -> Vector3<f64> {
    // A product of rotation matrices is one to a few roundings.
    Rotation::from_matrix(m, 1e-6).map_or_else(|| Vector3::repeat(f64::NAN), |r| r.log())
}

/// The logarithm, on the turn nearest to a previous value.
fn nearest_log(m: &Matrix3<f64>, near: &Vector3<f64>) -> Vector3<f64> {
    let x = log(m);
    let angle = x.norm();
    if angle < 1e-9 {
        return x;
    }
    let other = x * (1.0 - 2.0 * std::f64::consts::PI / angle);
    if (other - near).norm() < (x - near).norm() { other } else { x }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lissome_model::Material;

    /// ∂ℒ along a step, and ∂²ℒ along it twice, against central differences of the values.
    #[test]
    fn derivatives_of_three_segments_match_differences() {
        let rod = ElasticRod::round(0.6, 1e-3, Material::from_moduli(35e9, 3e9)).unwrap();
        let x = Vector3::new(1.3, -0.9, 1.9);
        let mut chain = Chain::through(4, &[0.0, 0.3, 0.65, 1.0], |t| Canonical::at(x * t).matrix());
        let n = chain.unknowns();
        assert_eq!(n, 3 * (3 * 3 + 2));
        let wave = |i: usize, k: f64| (k * i as f64 + 0.3).sin();
        let bumped: Vec<f64> = (0..n).map(|i| 0.3 * wave(i, 1.7)).collect();
        let start = chain.clone();
        chain.move_from(&start, &bumped, 1.0);
        let force = Vector3::new(2.0, -3.0, 1.5);
        let basis = Basis::new(4, 12);
        let sections = chain.sections(&rod, &basis);
        let direction: Vec<f64> = (0..n).map(|i| wave(i, 2.3)).collect();
        let lagrangian = |h: f64| {
            let mut moved = chain.clone();
            moved.move_from(&chain, &direction, h);
            let (energy, reach) = moved.value(&basis, &sections);
            energy - force.dot(&reach)
        };
        let mut system = System::sized(&chain);
        chain.assemble(&basis, &sections, &force, 1.0, &mut system);
        let first: f64 =
            (0..n).map(|i| direction[i] * (system.energy_slope[i] - force.dot(&system.reach_slope[i]))).sum();
        let second: f64 = (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| direction[i] * direction[j] * system.hessian[i.max(j) * n + i.min(j)])
            .sum();
        let h = 1e-3;
        let (ahead, here, behind) = (lagrangian(h), lagrangian(0.0), lagrangian(-h));
        let scale = here.abs() + second.abs();
        assert!(((ahead - behind) / (2.0 * h) - first).abs() < 1e-5 * scale);
        assert!(((ahead - 2.0 * here + behind) / (h * h) - second).abs() < 1e-4 * scale, "{second}");
    }
}
