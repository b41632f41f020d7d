//! How many ways an equilibrium of tubes can lower its energy: the method of [`crate::cosserat`], with the angle of every tube
//! beside the pose of the centre line.
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | x, y | variations (φ, δp, δψ) and (δm, δn, δτ) at a cut | – |
//! | [A B; C D] | transfer of (x, y) over a segment | in `index` |
//! | F | flexibility of all that lies towards the entry, x = F y; of the plates at the entry itself | `flexibility` |
//! | c = A⁻¹B | flexibility of the segment ahead, its far cut held | `ahead` |
//!
//! neg(F⁻¹ + c⁻¹) = neg F − neg(F + c) counts the negative directions of one cut, then F ← (A F + B)(C F + D)⁻¹; the free tip adds neg F.
//! The moment at a cut is taken out of the rotations as ½ m~ on either side.

use super::equations::{State, carry_with_transfer};
use super::scaled::ScaledTubes;
use crate::OracleError;
use crate::cosserat::equations::cross;
use nalgebra::{DMatrix, SymmetricEigen, Vector3};

/// Eigenvalues of a flexibility above this, relative to the largest, are zero or positive up to rounding.
const ROUNDING: f64 = -1e-12;
/// Compliance against stretch and shear, in units of L²/B, that an inextensible centre line is given where directions are
/// counted: above rounding, and far below what moves a critical state.
const LEAST_STRETCH: f64 = 1e-8;

/// How the variations at each cut arrive at the next.
fn transfers(tubes: &ScaledTubes, cuts: &[State]) -> Result<Vec<DMatrix<f64>>, OracleError> {
    let each = tubes.segments.iter().zip(cuts);
    each.map(|(segment, cut)| Ok(carry_with_transfer(tubes, segment, 1.0, cut)?.1)).collect()
}

pub(super) fn index(tubes: &ScaledTubes, cuts: &[State]) -> Result<usize, OracleError> {
    let transfers = transfers(tubes, cuts)?;
    let k = tubes.robot.tubes.len();
    let half = 6 + k;
    let mut flexibility = DMatrix::zeros(half, half);
    for i in 3..6 {
        flexibility[(i, i)] = LEAST_STRETCH;
    }
    for j in 0..k {
        flexibility[(6 + j, 6 + j)] = tubes.transmission(j);
    }
    let mut count = 0;
    for (i, transfer) in transfers.iter().enumerate() {
        let block = |row: usize, column: usize| transfer.view((row * half, column * half), (half, half));
        let singular = OracleError::SingularCut { cut: i };
        let mut ahead = block(0, 0).clone_owned().try_inverse().ok_or(singular.clone())? * block(0, 1);
        for d in 3..6 {
            ahead[(d, d)] += LEAST_STRETCH;
        }
        let behind = symmetric(&flexibility, &cuts[i].m);
        let ahead = symmetric(&ahead, &-cuts[i].m);
        count += count_negative(&behind) - count_negative(&(behind + ahead));
        let forces = block(1, 0) * &flexibility + block(1, 1);
        let moved = block(0, 0) * &flexibility + block(0, 1);
        flexibility = moved * forces.try_inverse().ok_or(singular)?;
    }
    let all = symmetric(&flexibility, &cuts[transfers.len()].m);
    // Negative only if rounding has miscounted a direction; then there is none.
    Ok((count + count_negative(&all)).max(0) as usize)
}

/// (F⁻¹ + ½ m~)⁻¹ = F (1 + ½ m~ F)⁻¹, symmetrised.
fn symmetric(flexibility: &DMatrix<f64>, moment: &Vector3<f64>) -> DMatrix<f64> {
    let size = flexibility.nrows();
    let mut turned = DMatrix::identity(size, size);
    let half = cross(moment) * 0.5 * flexibility.rows(0, 3);
    let mut rows = turned.rows_mut(0, 3);
    rows += half;
    // 1 + ½ m~ F has positive definite symmetric part where F is positive; elsewhere it is singular only by chance.
    let f = turned.try_inverse().map_or_else(|| flexibility.clone(), |inverse| flexibility * inverse);
    (&f + f.transpose()) * 0.5
}

fn count_negative(a: &DMatrix<f64>) -> isize {
    let eigenvalues = SymmetricEigen::new(a.clone()).eigenvalues;
    let largest = eigenvalues.iter().fold(1.0, |a: f64, x| a.max(x.abs()));
    eigenvalues.iter().filter(|x| **x < ROUNDING * largest).count() as isize
}
