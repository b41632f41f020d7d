//! How many ways an equilibrium can lower its energy: the Morse index of the exact rod.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | x, y | variations (φ, δp) and (δm, δn) at a cut | – |
//! | [A B; C D] | transfer of (x, y) over a segment | `Blocks` |
//! | F | flexibility of all that lies towards the held end, x = F y | `flexibility` |
//! | c = A⁻¹B | flexibility of the segment ahead, its far cut held | `ahead` |
//!
//! Cut by cut from the held end, the energy is minimised over the displacement of the cut, whose stiffness is
//! F⁻¹ + c⁻¹; each negative eigenvalue there is a negative direction of the rod. (A segment that is stable with both ends
//! clamped adds none of its own, by Wittrick and Williams; segments are far shorter than their buckling length.) Since
//! c > 0, Haynsworth's additivity of inertia counts them without inverting a flexibility,
//!
//! neg(F⁻¹ + c⁻¹) = neg F − neg(F + c), then F ← (A F + B)(C F + D)⁻¹,
//!
//! so that axial and shear compliances, smaller than bending by (L/r)², do no harm. A far end that is held in some
//! directions Q and free in the others adds neg F − neg(Qᵀ F Q).
//!
//! Rotations are varied on the left in world axes, which gives the stiffness F⁻¹ the antisymmetric part −½ m~ and c⁻¹
//! the part +½ m~, m the moment at the cut. They cancel in the sum and are taken out of both before counting. What
//! remains antisymmetric comes from follower loads and dead moments, and is dropped: there the index is that of the
//! symmetric part, and says nothing about motion.

use super::CosseratSolution;
use super::equations::{SectionState, Transfer, cross};
use super::newton::{End, Stage};
use crate::OracleError;
use nalgebra::{DMatrix, Matrix6, SymmetricEigen, Vector3};

/// Eigenvalues of a flexibility above this, in units of bending, are zero or positive up to rounding.
const ROUNDING: f64 = -1e-13;

/// Number of independent directions in which the energy falls; zero for a stable equilibrium.
pub fn negative_directions(solution: &CosseratSolution) -> Result<usize, OracleError> {
    let (rod, cuts) = solution.scaled();
    let base = rod.base().map_or(End::Free, End::Held);
    let tip = rod.tip().map_or(End::Free, End::Held);
    Stage { rod, load_factor: 1.0, base, tip }.negative_directions(cuts)
}

impl Stage<'_> {
    /// How the variations at each cut arrive at the next, point loads included, at given states.
    pub(crate) fn transfers(&self, cuts: &[SectionState]) -> Result<Vec<Transfer>, OracleError> {
        Ok(self.linearise(cuts)?.segments.into_iter().map(|(transfer, _)| transfer).collect())
    }

    /// The index at an equilibrium of this stage.
    pub(crate) fn negative_directions(&self, cuts: &[SectionState]) -> Result<usize, OracleError> {
        let transfers = self.transfers(cuts)?;
        let moments: Vec<_> = cuts.iter().map(|x| x.m).collect();
        match (self.base, self.tip) {
            (End::Held(_), End::Held(_)) => index(&transfers, &moments, &DMatrix::identity(6, 6)),
            (End::Held(_), End::Free) => index(&transfers, &moments, &DMatrix::zeros(6, 0)),
            (End::Free, _) => {
                // Read from the tip, where forces change sign.
                let turned = transfers.iter().rev().map(turned_around).collect::<Option<Vec<_>>>();
                let turned = turned.ok_or(OracleError::SingularCut { cut: 0 })?;
                let moments: Vec<_> = moments.iter().rev().map(|m| -m).collect();
                index(&turned, &moments, &DMatrix::zeros(6, 0))
            }
        }
    }
}

/// The index from the segments' transfers and the moments at the cuts, the first cut held, the last held in the given
/// columns of (φ, δp).
pub(crate) fn index(
    transfers: &[Transfer],
    moments: &[Vector3<f64>],
    held: &DMatrix<f64>,
) -> Result<usize, OracleError> {
    let mut flexibility = Matrix6::zeros();
    let mut count = 0;
    for (k, transfer) in transfers.iter().enumerate() {
        let blocks = Blocks::of(transfer);
        let singular = OracleError::SingularCut { cut: k };
        if k > 0 {
            let ahead = blocks.a.try_inverse().ok_or(singular.clone())? * blocks.b;
            let behind = symmetric(&flexibility, &moments[k]);
            let ahead = symmetric(&ahead, &-moments[k]);
            count += count_negative(&behind) - count_negative(&(behind + ahead));
        }
        let forces = blocks.c * flexibility + blocks.d;
        flexibility = (blocks.a * flexibility + blocks.b) * forces.try_inverse().ok_or(singular)?;
    }
    let all = symmetric(&flexibility, &moments[transfers.len()]);
    let seen = held.transpose() * DMatrix::from_column_slice(6, 6, all.as_slice()) * held;
    let hidden = if seen.is_empty() { 0 } else { negative_among(SymmetricEigen::new(seen).eigenvalues.as_slice()) };
    // Negative only if rounding has miscounted a direction; then there is none.
    Ok((count + count_negative(&all) - hidden).max(0) as usize)
}

struct Blocks {
    a: Matrix6<f64>,
    b: Matrix6<f64>,
    c: Matrix6<f64>,
    d: Matrix6<f64>,
}

impl Blocks {
    fn of(transfer: &Transfer) -> Self {
        let block = |i: usize, j: usize| -> Matrix6<f64> { transfer.fixed_view::<6, 6>(i, j).into() };
        Self { a: block(0, 0), b: block(0, 6), c: block(6, 0), d: block(6, 6) }
    }
}

/// The transfer from the far side to the near one, with forces reversed.
fn turned_around(transfer: &Transfer) -> Option<Transfer> {
    let mut inverse = transfer.try_inverse()?;
    for (i, j) in [(0, 6), (6, 0)] {
        let mut block = inverse.fixed_view_mut::<6, 6>(i, j);
        block.neg_mut();
    }
    Some(inverse)
}

/// (F⁻¹ + ½ m~)⁻¹ = F (1 + ½ m~ F)⁻¹, symmetrised.
fn symmetric(flexibility: &Matrix6<f64>, moment: &Vector3<f64>) -> Matrix6<f64> {
    let mut turned = Matrix6::identity();
    let half = cross(moment) * 0.5 * flexibility.fixed_rows::<3>(0);
    let mut rows = turned.fixed_rows_mut::<3>(0);
    rows += half;
    // 1 + ½ m~ F has positive definite symmetric part where F is positive; elsewhere it is singular only by chance.
    let f = turned.try_inverse().map_or(*flexibility, |inverse| flexibility * inverse);
    (f + f.transpose()) * 0.5
}

fn count_negative(a: &Matrix6<f64>) -> isize {
    negative_among(SymmetricEigen::new(*a).eigenvalues.as_slice())
}

fn negative_among(eigenvalues: &[f64]) -> isize {
    let largest = eigenvalues.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
    eigenvalues.iter().filter(|x| **x < ROUNDING * largest).count() as isize
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::solve_cantilever;
    use lissome_lie::{Pose, Wrench};
    use lissome_model::{
        Discretization, Load, LoadFrame, LoadKind, Material, NaturalShape, Profile, Rod, Scene, Section,
    };
    use nalgebra::Vector3;

    #[test]
    fn antisymmetric_part_of_a_stiffness_is_half_the_moment() {
        let rod = Rod {
            name: "rod".into(),
            length: 1.0,
            profile: Profile::uniform(Section::circle(0.03, Material::from_poisson(1e6, 0.4))),
            natural: NaturalShape::curved(Vector3::new(1.0, 2.0, -0.5)),
            base: Some(Pose::identity().into()),
            tip: None,
            discretization: Discretization::default(),
            ..Rod::default()
        };
        let force = Vector3::new(-1.0, 2.0, 1.5);
        let kind = LoadKind::Point { at: 1.0, wrench: Wrench::new(Vector3::zeros(), force) };
        let scene = Scene {
            title: "bent in space".into(),
            gravity: Vector3::zeros(),
            rods: vec![rod],
            loads: vec![Load { name: "force".into(), rod: 0, frame: LoadFrame::World, kind }],
            ..Scene::default()
        };
        let solution = solve_cantilever(&scene, 0, None).unwrap();
        let (rod, cuts) = solution.scaled();
        let stage = Stage { rod, load_factor: 1.0, base: End::Held(Pose::identity()), tip: End::Free };
        let transfers = stage.transfers(cuts).unwrap();
        let mut flexibility = Matrix6::zeros();
        for (k, transfer) in transfers.iter().enumerate() {
            let Blocks { a, b, c, d } = Blocks::of(transfer);
            flexibility = (a * flexibility + b) * (c * flexibility + d).try_inverse().unwrap();
            // The stiffness has the antisymmetric part −½ m~ among rotations, and no other.
            let stiffness = flexibility.try_inverse().unwrap();
            let mut skew = stiffness - stiffness.transpose();
            let mut turns = skew.fixed_view_mut::<3, 3>(0, 0);
            turns += cross(&cuts[k + 1].m);
            // Largest entries EA/h = 1e5, condition number of F up to 1e6.
            assert!(skew.amax() < 1e-9 * stiffness.amax(), "{k}: {skew}");
        }
        assert!(cuts[0].m.norm() > 1.0, "the moment is felt");
    }
}
