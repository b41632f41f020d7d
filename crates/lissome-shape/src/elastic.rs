//! The rod as the shape solvers see it: stiffness and natural curvature along τ = s/L, without dimensions.
//!
//! Lengths are in units of L, stiffness in units of B (the mean bending stiffness at the base), so moments are in
//! units of B/L, forces of B/L², energies of B/L, and κ̂ = L κ as in \[muller2025cfk, section III\]. A millimetre
//! rod and a kilometre rod then meet the same tolerances.

use crate::error::ShapeError;
use lissome_lie::{Pose, Wrench};
use lissome_model::{Invalid, Material, NaturalShape, Problem, Profile, Rod, Section};
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3};
use std::sync::Arc;

/// Chebyshev points that a tapered stretch is sampled at: stiffness is a polynomial of degree 4 in the dimensions
/// (circle, annulus; exact) or nearly so (torsion of a rectangle: 1e-9 for a two-to-one taper).
const TAPER_POINTS: usize = 13;
/// Chebyshev coefficients below this part of the largest are left out.
const TAPER_CUT: f64 = 1e-15;

/// Ends count as coaxial if offset (over L) and angle (rad) are below this.
const COAXIAL: f64 = 1e-9;

/// An inextensible or extensible elastic rod, ready to be bent.
#[derive(Clone, Debug)]
pub struct ElasticRod {
    length: f64,
    bending: f64,
    least: f64,
    /// Shared, so that every shape can keep its rod.
    pieces: Arc<[Piece]>,
}

/// A stretch on which everything varies smoothly.
#[derive(Clone, Debug)]
struct Piece {
    from: f64,
    to: f64,
    stiffness: Stiffness,
    /// Natural curvature at the start, and its rate along τ.
    natural: Vector3<f64>,
    natural_rate: Vector3<f64>,
    /// True if stiffness or natural curvature steps at `from`.
    steps: bool,
}

/// Few and shared, so the size of the larger variant costs nothing, and its direct access is the common case.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)]
enum Stiffness {
    Uniform {
        bending: Bending,
        full: Matrix6<f64>,
        compliance: Matrix6<f64>,
    },
    /// Chebyshev coefficients along the piece, of the bending block and of the whole.
    Tapered {
        bending: Vec<Matrix3<f64>>,
        full: Vec<Matrix6<f64>>,
    },
}

/// Stiffness of bending and torsion at one section, dimensionless.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bending {
    /// K, moment per curvature.
    pub stiffness: Matrix3<f64>,
    /// K⁻¹.
    pub compliance: Matrix3<f64>,
}

impl Bending {
    fn of(stiffness: Matrix3<f64>) -> Self {
        let compliance =
            stiffness.try_inverse().expect("the bending block of a positive definite stiffness is invertible");
        Self { stiffness, compliance }
    }
}

impl ElasticRod {
    /// A straight uniform rod of the given section.
    pub fn uniform(length: f64, section: Section) -> Result<Self, ShapeError> {
        Self::new(length, &Profile::uniform(section), &NaturalShape::Straight)
    }

    /// A straight uniform round rod.
    pub fn round(length: f64, radius: f64, material: Material) -> Result<Self, ShapeError> {
        let layer = lissome_model::Layer { shape: lissome_model::Shape::Circle { radius }, material };
        Self::uniform(length, Section::Layers { layers: vec![layer], shear_factor: 1.0 })
    }

    /// From a rod of a scene; its base and tip poses play no part here.
    pub fn from_rod(rod: &Rod) -> Result<Self, ShapeError> {
        rod.validate(&format!("rod.{}", rod.name))?;
        Self::new(rod.length, &rod.profile, &rod.natural)
    }

    /// From its length, its sections and its stress-free shape.
    pub fn new(length: f64, profile: &Profile, natural: &NaturalShape) -> Result<Self, ShapeError> {
        if !length.is_finite() {
            return Err(Invalid::new("rod.length", Problem::NotFinite).into());
        }
        if length <= 0.0 {
            return Err(Invalid::new("rod.length", Problem::NotPositive { value: length }).into());
        }
        profile.validate("rod.section", length)?;
        let table: &[(f64, Vector3<f64>)] = match natural {
            NaturalShape::Straight => &[],
            NaturalShape::Curvature(table) => table,
            NaturalShape::ControlPoses(_) => {
                let reason = "is given by control poses; shape from end poses takes a natural curvature".to_string();
                return Err(Invalid::new("rod.shape", Problem::Contradiction { reason }).into());
            }
        };
        for (s, curvature) in table {
            if !s.is_finite() || curvature.iter().any(|x| !x.is_finite()) {
                return Err(Invalid::new("rod.shape.curvature", Problem::NotFinite).into());
            }
        }
        let at_base = profile.at(0.0).stiffness();
        let bending = 0.5 * (at_base[(1, 1)] + at_base[(2, 2)]);
        let mut cuts: Vec<f64> = [0.0, length]
            .into_iter()
            .chain(profile.stations.iter().map(|station| station.s))
            .chain(table.iter().map(|(s, _)| *s))
            .filter(|s| (0.0..=length).contains(s))
            .collect();
        cuts.sort_by(f64::total_cmp);
        cuts.dedup_by(|b, a| *b - *a < 1e-9 * length);
        if let Some(last) = cuts.last_mut() {
            *last = length;
        }
        let steps: Vec<f64> = profile.steps().into_iter().chain(natural.steps()).collect();
        let pieces: Arc<[Piece]> = cuts
            .windows(2)
            .map(|cut| Piece {
                from: cut[0] / length,
                to: cut[1] / length,
                stiffness: Stiffness::between(profile, cut[0], cut[1], length, bending),
                natural: natural_inside(natural, cut[0], cut[1], 0.0) * length,
                natural_rate: (natural_inside(natural, cut[0], cut[1], 1.0)
                    - natural_inside(natural, cut[0], cut[1], 0.0))
                    * (length * length / (cut[1] - cut[0])),
                steps: steps.iter().any(|s| (s - cut[0]).abs() < 1e-9 * length),
            })
            .collect();
        let least = pieces.iter().map(|piece| piece.stiffness.least()).fold(f64::INFINITY, f64::min);
        Ok(Self { length, bending, least, pieces })
    }

    /// L, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// A wrench in SI units from one in units of (B/L, B/L²).
    pub fn wrench_in_si(&self, wrench: &Wrench) -> Wrench {
        let moment = self.bending / self.length;
        Wrench::new(wrench.moment * moment, wrench.force * (moment / self.length))
    }

    /// An energy in J from one in units of B/L.
    pub fn energy_in_si(&self, energy: f64) -> f64 {
        energy * self.bending / self.length
    }

    /// Bending stiffness and natural curvature (times L) at τ; at a step, those beyond it.
    pub fn bending_at(&self, tau: f64) -> (Bending, Vector3<f64>) {
        self.bending_in(self.piece_at(tau), tau)
    }

    /// The same within a given piece, so that both sides of a step can be asked for.
    #[inline(always)]
    pub(crate) fn bending_in(&self, piece: usize, tau: f64) -> (Bending, Vector3<f64>) {
        let piece = &self.pieces[piece];
        let natural = piece.natural + piece.natural_rate * (tau - piece.from);
        match &piece.stiffness {
            Stiffness::Uniform { bending, .. } => (*bending, natural),
            Stiffness::Tapered { bending, .. } => (Bending::of(clenshaw(bending, piece.fraction(tau))), natural),
        }
    }

    /// Compliance (strain per wrench) and natural curvature (times L) at τ within a piece.
    #[inline(always)]
    pub(crate) fn compliance_in(&self, piece: usize, tau: f64) -> (Matrix6<f64>, Vector3<f64>) {
        let piece = &self.pieces[piece];
        let natural = piece.natural + piece.natural_rate * (tau - piece.from);
        match &piece.stiffness {
            Stiffness::Uniform { compliance, .. } => (*compliance, natural),
            Stiffness::Tapered { full, .. } => (inverse(&clenshaw(full, piece.fraction(tau))), natural),
        }
    }

    /// True if neither stiffness nor natural curvature changes along the piece.
    pub(crate) fn is_uniform_in(&self, piece: usize) -> bool {
        let piece = &self.pieces[piece];
        matches!(piece.stiffness, Stiffness::Uniform { .. }) && piece.natural_rate.amax() == 0.0
    }

    pub(crate) fn piece_at(&self, tau: f64) -> usize {
        self.pieces.iter().rposition(|piece| piece.from <= tau).unwrap_or(0)
    }

    /// Start and end of each smooth piece, in order.
    pub(crate) fn piece_bounds(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.pieces.iter().map(|piece| (piece.from, piece.to))
    }

    /// Interior τ where stiffness or natural curvature steps.
    pub(crate) fn breaks(&self) -> impl Iterator<Item = f64> + '_ {
        self.pieces.iter().skip(1).filter(|piece| piece.steps).map(|piece| piece.from)
    }

    /// True if the rod is straight when unloaded.
    pub fn is_naturally_straight(&self) -> bool {
        self.pieces.iter().all(|piece| piece.natural.amax() == 0.0 && piece.natural_rate.amax() == 0.0)
    }

    /// True if every shape between the base and `tip` may be turned about their common axis at no cost: a round, straight
    /// rod between coaxial ends.
    pub(crate) fn turns_freely(&self, tip: &Pose) -> bool {
        let tangent = tip.rotation.rotate(&Vector3::x());
        let coaxial = tip.position.y.hypot(tip.position.z) < COAXIAL && tangent.y.hypot(tangent.z) < COAXIAL;
        coaxial && self.is_isotropic()
    }

    /// The section axis about which the rod bends most easily at its base; z where there is no difference.
    pub(crate) fn softer_axis(&self) -> Vector3<f64> {
        let k = self.bending_at(0.0).0.stiffness;
        if k[(1, 1)] < k[(2, 2)] { Vector3::y() } else { Vector3::z() }
    }

    /// Force per stretch of the whole rod, over B/L²: 1/∫(1/EA).
    pub(crate) fn stretch_stiffness(&self) -> f64 {
        let soft = |(index, piece): (usize, &Piece)| {
            (piece.to - piece.from) * self.compliance_in(index, 0.5 * (piece.from + piece.to)).0[(3, 3)]
        };
        1.0 / self.pieces.iter().enumerate().map(soft).sum::<f64>()
    }

    /// Smallest eigenvalue of K anywhere, over B.
    pub(crate) fn least_stiffness(&self) -> f64 {
        self.least
    }

    /// True if bending costs the same in every direction all along and the rod is straight by nature, so that
    /// turning a shape about coaxial ends changes nothing.
    pub fn is_isotropic(&self) -> bool {
        let round = |full: &Matrix6<f64>| {
            let k: Matrix3<f64> = full.fixed_view::<3, 3>(0, 0).into();
            let round = Matrix3::from_diagonal(&Vector3::new(k[(0, 0)], k[(1, 1)], k[(1, 1)]));
            (k - round).amax() <= 1e-12 * k.amax()
        };
        self.is_naturally_straight()
            && self.pieces.iter().all(|piece| match &piece.stiffness {
                Stiffness::Uniform { full, .. } => round(full),
                Stiffness::Tapered { full, .. } => full.iter().all(round),
            })
    }
}

impl Piece {
    fn fraction(&self, tau: f64) -> f64 {
        (tau - self.from) / (self.to - self.from)
    }
}

impl Stiffness {
    fn between(profile: &Profile, from: f64, to: f64, length: f64, bending: f64) -> Self {
        // Just inside, so that a step at either end belongs to the neighbour.
        let inset = 1e-12 * length;
        let at = |u: f64| {
            dimensionless(&profile.at(from + inset + u * (to - from - 2.0 * inset)).stiffness(), length, bending)
        };
        let (first, middle, last) = (at(0.0), at(0.5), at(1.0));
        if (first - last).amax() <= 1e-13 * first.amax() && (first - middle).amax() <= 1e-13 * first.amax() {
            return Self::Uniform {
                bending: Bending::of(bending_block(&middle)),
                compliance: inverse(&middle),
                full: middle,
            };
        }
        let full = chebyshev(&std::array::from_fn(|i| at(chebyshev_node(i))));
        Self::Tapered { bending: full.iter().map(bending_block).collect(), full }
    }

    fn least(&self) -> f64 {
        let of = |bending: &Matrix3<f64>| bending.symmetric_eigenvalues().min();
        match self {
            Self::Uniform { bending, .. } => of(&bending.stiffness),
            Self::Tapered { bending, .. } => {
                (0..TAPER_POINTS).map(|i| of(&clenshaw(bending, chebyshev_node(i)))).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// Natural curvature at the fraction `u` of an interval without inner table entries, from inside.
fn natural_inside(natural: &NaturalShape, from: f64, to: f64, u: f64) -> Vector3<f64> {
    // Linear inside, so two inner values give the ends without meeting a step there.
    let at = |s: f64| natural.strain_at(s).map_or_else(Vector3::zeros, |strain| strain.curvature);
    let (a, b) = (at(from + 0.25 * (to - from)), at(from + 0.75 * (to - from)));
    a + (b - a) * (2.0 * u - 0.5)
}

fn dimensionless(stiffness: &Matrix6<f64>, length: f64, bending: f64) -> Matrix6<f64> {
    // (κ, ε) → (κ̂/L, ε): moments per B/L, forces per B/L².
    Matrix6::from_fn(|i, j| {
        let power = usize::from(i >= 3) + usize::from(j >= 3);
        stiffness[(i, j)] * length.powi(power as i32) / bending
    })
}

fn inverse(stiffness: &Matrix6<f64>) -> Matrix6<f64> {
    stiffness.cholesky().expect("a validated stiffness is positive definite").inverse()
}

/// Chebyshev point of the second kind on [0, 1].
fn chebyshev_node(i: usize) -> f64 {
    0.5 * (1.0 - (std::f64::consts::PI * i as f64 / (TAPER_POINTS - 1) as f64).cos())
}

fn bending_block(full: &Matrix6<f64>) -> Matrix3<f64> {
    full.fixed_view::<3, 3>(0, 0).into()
}

/// Chebyshev coefficients of the polynomial through values at the nodes, as few as carry it.
fn chebyshev(values: &[Matrix6<f64>; TAPER_POINTS]) -> Vec<Matrix6<f64>> {
    let last = TAPER_POINTS - 1;
    let half_at_ends = |i: usize| if i == 0 || i == last { 0.5 } else { 1.0 };
    let mut coefficients: Vec<Matrix6<f64>> = (0..TAPER_POINTS)
        .map(|k| {
            let wave = |i: usize| (std::f64::consts::PI * (k * (last - i)) as f64 / last as f64).cos();
            let sum: Matrix6<f64> = (0..TAPER_POINTS).map(|i| values[i] * (half_at_ends(i) * wave(i))).sum();
            sum * (2.0 * half_at_ends(k) / last as f64)
        })
        .collect();
    // Entries differ by many orders of magnitude, so each is compared with its own largest value.
    let negligible =
        |c: &Matrix6<f64>| c.iter().zip(values[0].iter()).all(|(c, v)| c.abs() <= 10.0 * TAPER_CUT * v.abs());
    while coefficients.len() > 1 && coefficients.last().is_some_and(negligible) {
        coefficients.pop();
    }
    coefficients
}

/// Σ c_k T_k(2u − 1).
#[inline(always)]
fn clenshaw<const N: usize>(coefficients: &[SMatrix<f64, N, N>], u: f64) -> SMatrix<f64, N, N> {
    let x = 2.0 * u - 1.0;
    let (mut b1, mut b2) = (SMatrix::zeros(), SMatrix::zeros());
    for c in coefficients.iter().skip(1).rev() {
        (b1, b2) = (c + b1 * (2.0 * x) - b2, b1);
    }
    coefficients[0] + b1 * x - b2
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lissome_model::{Layer, Shape, Station};

    fn section(shape: Shape) -> Section {
        Section::Layers { layers: vec![Layer { shape, material: Material::from_moduli(35e9, 3e9) }], shear_factor: 1.0 }
    }

    #[test]
    fn taper_is_reproduced_between_the_nodes() {
        let (root, tip) = (Shape::Circle { radius: 2e-3 }, Shape::Circle { radius: 1e-3 });
        let profile = Profile::taper(section(root), section(tip), 0.5);
        let rod = ElasticRod::new(0.5, &profile, &NaturalShape::Straight).unwrap();
        for tau in [0.013, 0.31, 0.77, 0.999] {
            let want = dimensionless(&profile.at(0.5 * tau).stiffness(), rod.length, rod.bending);
            let (bending, _) = rod.bending_at(tau);
            let k: Matrix3<f64> = want.fixed_view::<3, 3>(0, 0).into();
            assert!((bending.stiffness - k).amax() < 1e-11 * k.amax());
            assert!((bending.compliance * k - Matrix3::identity()).amax() < 1e-11);
        }
    }

    #[test]
    fn a_step_has_two_sides() {
        let thick = section(Shape::Circle { radius: 2e-3 });
        let thin = section(Shape::Circle { radius: 1e-3 });
        let stations = [(0.0, &thick), (0.2, &thick), (0.2, &thin), (0.5, &thin)]
            .map(|(s, section)| Station { s, section: section.clone() });
        let profile = Profile { stations: stations.to_vec() };
        let rod = ElasticRod::new(0.5, &profile, &NaturalShape::Straight).unwrap();
        assert_eq!(rod.breaks().collect::<Vec<_>>(), [0.4]);
        assert!((rod.bending_in(0, 0.4).0.stiffness[(1, 1)] - 1.0).abs() < 1e-14);
        assert!((rod.bending_in(1, 0.4).0.stiffness[(1, 1)] - 1.0 / 16.0).abs() < 1e-14);
    }

    #[test]
    fn natural_curvature_is_linear_between_entries() {
        let table = vec![(0.0, Vector3::new(0.0, 0.0, 1.0)), (0.5, Vector3::new(0.0, 2.0, 3.0))];
        let profile = Profile::uniform(section(Shape::Circle { radius: 1e-3 }));
        let rod = ElasticRod::new(0.5, &profile, &NaturalShape::Curvature(table)).unwrap();
        let (_, natural) = rod.bending_at(0.25);
        assert!((natural - Vector3::new(0.0, 0.5, 1.5) * 0.5).amax() < 1e-14);
        assert!(!rod.is_isotropic());
    }
}
