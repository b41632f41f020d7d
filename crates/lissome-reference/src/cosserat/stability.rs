//! How many ways an equilibrium can lower its energy: the Morse index of the exact rod.
//!
//! Over one segment the linearised equations carry (x, y) = ((φ, δp), (δm, δn)) from cut to cut by
//! [A B; C D]. Eliminating y gives the segment's exact stiffness between its end displacements,
//!
//! k = [ B⁻¹A, −B⁻¹ ; C − D B⁻¹A, D B⁻¹ ].
//!
//! A segment that is stable with both ends clamped adds no negative direction of its own (Wittrick and Williams), and
//! segments are far shorter than their buckling length. The index is then the number of negative eigenvalues of the
//! assembled block-tridiagonal matrix, counted on the pivots of its block elimination.
//!
//! Rotations are varied on the left in world axes. A segment's end blocks then have the antisymmetric part −½ m~ at the
//! tip side and +½ m~ at the base side, m the moment there: between segments they cancel, up to the moment applied at
//! the cut from outside. Under follower loads or dead moments the index is that of the symmetric part, and says nothing
//! about motion.
//!
//! Round-off on the smallest eigenvalue is that of the stiffest one: about 1e-16 (L/r)² relative to bending.

use super::CosseratSolution;
use super::equations::{SectionState, Transfer};
use super::newton::{End, Stage};
use crate::OracleError;
use nalgebra::{DMatrix, Matrix6, SymmetricEigen};

/// Number of independent directions in which the energy falls; zero for a stable equilibrium.
pub fn negative_directions(solution: &CosseratSolution) -> Result<usize, OracleError> {
    let (rod, cuts) = solution.scaled();
    let base = rod.base().map_or(End::Free, End::Held);
    let tip = rod.tip().map_or(End::Free, End::Held);
    let transfers = Stage { rod, load_factor: 1.0, base, tip }.transfers(cuts)?;
    let free_at_tip = match tip {
        End::Free => DMatrix::identity(6, 6),
        End::Held(_) => DMatrix::zeros(6, 0),
    };
    index(&transfers, matches!(base, End::Held(_)), &free_at_tip)
}

/// The index from the segments' transfers, the base held or free, the tip free to move in the given columns.
pub(crate) fn index(transfers: &[Transfer], base_held: bool, free_at_tip: &DMatrix<f64>) -> Result<usize, OracleError> {
    let mut negative = 0;
    // What the segments before the cut leave of its stiffness; nothing before a free base.
    let mut left = Matrix6::zeros();
    for (k, transfer) in transfers.iter().enumerate() {
        let [near, near_far, far_near, far] = segment_stiffness(transfer)?;
        if k == 0 && base_held {
            left = far;
            continue;
        }
        let pivot = symmetric(&(left + near));
        negative += count_negative(SymmetricEigen::new(pivot).eigenvalues.as_slice());
        let inverse = pivot.try_inverse().ok_or(OracleError::Singular { load_factor: 1.0 })?;
        left = far - far_near * inverse * near_far;
    }
    let left = symmetric(&left);
    let tip = free_at_tip.transpose() * DMatrix::from_column_slice(6, 6, left.as_slice()) * free_at_tip;
    if tip.nrows() > 0 {
        negative += count_negative(SymmetricEigen::new(tip).eigenvalues.as_slice());
    }
    Ok(negative)
}

/// The four blocks of a segment's stiffness, from its base side to its tip side.
fn segment_stiffness(transfer: &Transfer) -> Result<[Matrix6<f64>; 4], OracleError> {
    let block = |i: usize, j: usize| -> Matrix6<f64> { transfer.fixed_view::<6, 6>(i, j).into() };
    let (a, b, c, d) = (block(0, 0), block(0, 6), block(6, 0), block(6, 6));
    let inverse = b.try_inverse().ok_or(OracleError::Singular { load_factor: 1.0 })?;
    Ok([inverse * a, -inverse, c - d * inverse * a, d * inverse])
}

fn symmetric(a: &Matrix6<f64>) -> Matrix6<f64> {
    (a + a.transpose()) * 0.5
}

fn count_negative(eigenvalues: &[f64]) -> usize {
    eigenvalues.iter().filter(|x| **x < 0.0).count()
}

impl Stage<'_> {
    /// How the variations at each cut arrive at the next, point loads included, at given states.
    pub(crate) fn transfers(&self, cuts: &[SectionState]) -> Result<Vec<Transfer>, OracleError> {
        Ok(self.linearise(cuts)?.segments.into_iter().map(|(transfer, _)| transfer).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cosserat::equations::cross;
    use crate::solve_cantilever;
    use lissome_lie::{Pose, Wrench};
    use lissome_model::{
        Discretization, Job, Load, LoadFrame, LoadKind, Material, NaturalShape, Profile, Rod, Scene, Section,
        StaticsJob,
    };
    use nalgebra::Vector3;

    #[test]
    fn antisymmetric_parts_cancel_between_segments_at_equilibrium() {
        let rod = Rod {
            name: "rod".into(),
            length: 1.0,
            profile: Profile::uniform(Section::circle(0.03, Material::from_poisson(1e6, 0.4))),
            natural: NaturalShape::curved(Vector3::new(1.0, 2.0, -0.5)),
            base: Some(Pose::identity()),
            tip: None,
            discretization: Discretization::default(),
        };
        let force = Vector3::new(-1.0, 2.0, 1.5);
        let kind = LoadKind::Point { at: 1.0, wrench: Wrench::new(Vector3::zeros(), force) };
        let scene = Scene {
            title: "bent in space".into(),
            gravity: Vector3::zeros(),
            rods: vec![rod],
            loads: vec![Load { name: "force".into(), rod: 0, frame: LoadFrame::World, kind }],
            job: Job::Statics(StaticsJob::default()),
        };
        let solution = solve_cantilever(&scene, 0, None).unwrap();
        let (rod, cuts) = solution.scaled();
        let stage = Stage { rod, load_factor: 1.0, base: End::Held(Pose::identity()), tip: End::Free };
        let transfers = stage.transfers(cuts).unwrap();
        for (k, w) in transfers.windows(2).enumerate() {
            let [_, _, _, far] = segment_stiffness(&w[0]).unwrap();
            let [near, near_far, far_near, _] = segment_stiffness(&w[1]).unwrap();
            let block = far + near;
            // The largest entries are EA/h, 1e5 in these units; B⁻¹ keeps ten digits of them.
            assert!((block - block.transpose()).amax() < 1e-9 * block.amax());
            assert!((near_far - far_near.transpose()).amax() < 1e-9 * block.amax());
            let skew_part = (far - far.transpose()).fixed_view::<3, 3>(0, 0).into_owned();
            assert!((skew_part + cross(&cuts[k + 1].m)).amax() < 1e-9 * block.amax());
        }
    }
}
