//! Deterministic matrices and their dense copies, for the tests of every factorisation.
#![allow(dead_code)] // Each test file uses its own part.

use lissome_sparse::SymmetricBand;
use nalgebra::{DMatrix, DVector, Matrix6};

/// A deterministic number in −1 … 1.
pub fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

pub fn random_block(seed: &mut u64) -> Matrix6<f64> {
    Matrix6::from_fn(|_, _| noise(seed))
}

pub fn random_vector(n: usize, seed: &mut u64) -> DVector<f64> {
    DVector::from_fn(n, |_, _| noise(seed))
}

pub fn dense(a: &SymmetricBand) -> DMatrix<f64> {
    let n = a.block_rows();
    let mut d = DMatrix::zeros(6 * n, 6 * n);
    for j in 0..n {
        for i in j..(j + a.half_bandwidth() + 1).min(n) {
            d.view_mut((6 * i, 6 * j), (6, 6)).copy_from(a.block(i, j));
            d.view_mut((6 * j, 6 * i), (6, 6)).copy_from(&a.block(i, j).transpose());
        }
    }
    d
}

/// Symmetric noise plus a multiple of the identity in each diagonal block.
pub fn banded(n: usize, w: usize, seed: &mut u64, diagonal: f64) -> SymmetricBand {
    let mut a = SymmetricBand::new(n, w);
    for j in 0..n {
        let block = random_block(seed);
        a.add(j, j, &((block + block.transpose()) * 0.5 + Matrix6::identity() * diagonal));
        for i in j + 1..(j + w + 1).min(n) {
            a.add(i, j, &random_block(seed));
        }
    }
    a
}

/// Which of a pose and its stress comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum First {
    Stress,
    Pose,
}

/// [K Aᵀ; A −M] with stresses and poses interleaved, M positive definite, K `stiffness` times positive definite.
pub fn saddle(n: usize, w: usize, first: First, stiffness: f64, seed: &mut u64) -> SymmetricBand {
    let mut a = SymmetricBand::new(n, w);
    // More than the absolute row sum of the random entries.
    let dominant = 12.0 * (w + 1) as f64;
    for j in 0..n {
        let is_first = j % 2 == 0;
        let size = if is_first == (first == First::Stress) { -1.0 } else { stiffness };
        a.add(j, j, &(Matrix6::identity() * (size * dominant)));
        for i in j + 1..(j + w + 1).min(n) {
            let same_kind = (i - j) % 2 == 0;
            a.add(i, j, &(random_block(seed) * if same_kind { size } else { 1.0 }));
            if is_first && i == j + 1 {
                // The increment of a pose against its own stress keeps A well away from singular.
                a.add(i, j, &(Matrix6::identity() * dominant));
            }
        }
    }
    a
}

/// D A D for a diagonal matrix D given per scalar row.
pub fn in_other_units(a: &SymmetricBand, unit: impl Fn(usize) -> f64) -> SymmetricBand {
    let mut scaled = a.clone();
    for j in 0..a.block_rows() {
        for i in j..(j + a.half_bandwidth() + 1).min(a.block_rows()) {
            let block = scaled.block_mut(i, j);
            for c in 0..6 {
                for r in 0..6 {
                    block[(r, c)] *= unit(6 * i + r) * unit(6 * j + c);
                }
            }
        }
    }
    scaled
}
