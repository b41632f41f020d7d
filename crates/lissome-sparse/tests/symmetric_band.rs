//! Block LDLᵀ against dense nalgebra: solution, inertia, units, singular matrices.
#![allow(clippy::unwrap_used)]

use lissome_sparse::{FactorError, SymmetricBand, SymmetricFactor};
use nalgebra::{DMatrix, DVector, Matrix6};
use proptest::prelude::*;

/// A deterministic number in −1 … 1.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn random_block(seed: &mut u64) -> Matrix6<f64> {
    Matrix6::from_fn(|_, _| noise(seed))
}

fn dense(a: &SymmetricBand) -> DMatrix<f64> {
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

/// Off-diagonal noise, and on the diagonal a multiple of the identity with the given sign per block.
fn banded(n: usize, w: usize, seed: &mut u64, diagonal: impl Fn(usize) -> f64) -> SymmetricBand {
    let mut a = SymmetricBand::new(n, w);
    for j in 0..n {
        let block = random_block(seed);
        a.add(j, j, &((block + block.transpose()) * 0.5 + Matrix6::identity() * diagonal(j)));
        for i in j + 1..(j + w + 1).min(n) {
            a.add(i, j, &random_block(seed));
        }
    }
    a
}

/// [K Aᵀ; A −M] with stresses at even and poses at odd block rows; K and M positive definite or zero.
fn saddle(n: usize, w: usize, seed: &mut u64, stiffness: f64) -> SymmetricBand {
    let mut a = SymmetricBand::new(n, w);
    for j in 0..n {
        let stress = j % 2 == 0;
        let size = if stress { -1.0 } else { stiffness };
        a.add(j, j, &(Matrix6::identity() * (size * 12.0 * (w + 1) as f64)));
        for i in j + 1..(j + w + 1).min(n) {
            let same = (i - j) % 2 == 0;
            a.add(i, j, &(random_block(seed) * if same { size } else { 1.0 }));
            if stress && i == j + 1 {
                // The increment of a pose against its own stress: keeps A well away from singular.
                a.add(i, j, &(Matrix6::identity() * (12.0 * (w + 1) as f64)));
            }
        }
    }
    a
}

fn check_against_dense(a: &SymmetricBand, seed: &mut u64) {
    let n = 6 * a.block_rows();
    let d = dense(a);
    let b = DVector::from_fn(n, |_, _| noise(seed));
    let mut factor = SymmetricFactor::new(a.block_rows(), a.half_bandwidth());
    let inertia = a.factor_into(&mut factor).unwrap();

    let eigenvalues = d.clone().symmetric_eigen().eigenvalues;
    let negative = eigenvalues.iter().filter(|&&l| l < 0.0).count();
    assert_eq!((inertia.negative, inertia.positive, inertia.zero), (negative, n - negative, 0));

    let mut x = vec![0.0; n];
    let residual = factor.solve_refined(a, b.as_slice(), &mut x, &mut Vec::new());
    let x = DVector::from_vec(x);
    let reference = d.clone().lu().solve(&b).unwrap();
    let condition = eigenvalues.amax() / eigenvalues.iter().fold(f64::INFINITY, |m, l| m.min(l.abs()));
    let roundoff = n as f64 * f64::EPSILON;
    assert!(
        (&x - &reference).norm() <= 10.0 * roundoff * condition * reference.norm(),
        "error {:e}, condition {condition:e}",
        (&x - &reference).norm() / reference.norm()
    );
    // Refined: the residual is that of a backward stable solve.
    assert!(residual * b.amax() <= 10.0 * roundoff * d.norm() * x.norm(), "residual {residual:e}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positive_definite(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = banded(n, w, &mut seed, |_| 12.0 * (w + 1) as f64);
        check_against_dense(&a, &mut seed);
    }

    #[test]
    fn quasi_definite_saddle(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = saddle(n, w, &mut seed, 1.0);
        check_against_dense(&a, &mut seed);
    }

    #[test]
    fn indefinite(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = banded(n, w, &mut seed, |_| 0.0);
        check_against_dense(&a, &mut seed);
    }

    /// Poses carry no stiffness of their own: their blocks are zero until their stresses are eliminated.
    #[test]
    fn zero_pose_blocks(half in 1usize..7, w in 1usize..7, mut seed in any::<u64>()) {
        let a = saddle(2 * half, w, &mut seed, 0.0);
        check_against_dense(&a, &mut seed);
    }
}

#[test]
fn multiply_agrees_with_dense() {
    let mut seed = 7;
    let a = banded(9, 4, &mut seed, |_| 1.0);
    let x = DVector::from_fn(54, |_, _| noise(&mut seed));
    let mut y = vec![0.0; 54];
    a.multiply(x.as_slice(), &mut y);
    assert!((DVector::from_vec(y) - dense(&a) * x).amax() < 54.0 * f64::EPSILON * 10.0);
}

#[test]
fn a_singular_matrix_is_refused() {
    // Two free bodies joined by a spring: the sum of the block rows is zero.
    let mut seed = 3;
    let g = random_block(&mut seed);
    let k = g * g.transpose() + Matrix6::identity();
    let mut a = SymmetricBand::new(2, 1);
    a.add(0, 0, &k);
    a.add(1, 1, &k);
    a.add(1, 0, &-k);
    let mut factor = SymmetricFactor::new(2, 1);
    assert_eq!(a.factor_into(&mut factor), Err(FactorError::Singular { block: 1 }));
}
