//! Block LU and its fallback against dense nalgebra.
#![allow(clippy::unwrap_used)]

mod matrices;

use lissome_sparse::{FactorError, GeneralBand, GeneralFactor};
use matrices::{dense_general, random_block, random_vector};
use nalgebra::{DVector, Matrix6};
use proptest::prelude::*;

fn banded(n: usize, w: usize, diagonal: f64, seed: &mut u64) -> GeneralBand {
    let mut a = GeneralBand::new(n, w);
    for j in 0..n {
        for i in j.saturating_sub(w)..(j + w + 1).min(n) {
            a.add(i, j, &random_block(seed));
        }
        a.add(j, j, &(Matrix6::identity() * diagonal));
    }
    a
}

fn check_against_dense(a: &GeneralBand, seed: &mut u64) -> GeneralFactor {
    let n = 6 * a.block_rows();
    let d = dense_general(a);
    let b = random_vector(n, seed);
    let mut factor = GeneralFactor::new(a.block_rows(), a.half_bandwidth());
    a.factor_into(&mut factor).unwrap();
    let mut x = b.clone();
    factor.solve(x.as_mut_slice());
    let reference = d.clone().lu().solve(&b).unwrap();
    let singular_values = d.singular_values();
    let condition = singular_values.max() / singular_values.min();
    let growth = if factor.fell_back() { 1.0 } else { factor.growth() };
    let error = (&x - &reference).norm() / reference.norm();
    assert!(error <= n as f64 * f64::EPSILON * condition * growth, "error {error:e}, condition {condition:e}");
    factor
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn diagonally_dominant(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = banded(n, w, 12.0 * (w + 1) as f64, &mut seed);
        prop_assert!(!check_against_dense(&a, &mut seed).fell_back());
    }

    #[test]
    fn arbitrary(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = banded(n, w, 0.0, &mut seed);
        check_against_dense(&a, &mut seed);
    }

    /// Zero diagonal blocks whose neighbours carry the coupling: pivots of two blocks.
    #[test]
    fn zero_diagonal_blocks(half in 1usize..7, w in 1usize..7, mut seed in any::<u64>()) {
        let mut a = GeneralBand::new(2 * half, w);
        for j in 0..2 * half {
            if j % 2 == 1 {
                a.add(j, j, &(Matrix6::identity() * -12.0));
                a.add(j, j - 1, &(random_block(&mut seed) + Matrix6::identity() * 12.0));
                a.add(j - 1, j, &(random_block(&mut seed) + Matrix6::identity() * 12.0));
            } else if j > 0 {
                a.add(j, j - 1, &random_block(&mut seed));
                a.add(j - 1, j, &random_block(&mut seed));
            }
        }
        prop_assert!(!check_against_dense(&a, &mut seed).fell_back());
    }
}

#[test]
fn a_permutation_of_blocks_falls_back_on_partial_pivoting() {
    let mut a = GeneralBand::new(6, 2);
    for (i, j) in [(0, 2), (1, 0), (2, 1), (3, 5), (4, 3), (5, 4)] {
        a.add(i, j, &(random_block(&mut 4) + Matrix6::identity() * 6.0));
    }
    assert!(check_against_dense(&a, &mut 5).fell_back());
}

#[test]
fn multiply_agrees_with_dense() {
    let mut seed = 7;
    let a = banded(9, 4, 1.0, &mut seed);
    let x = random_vector(54, &mut seed);
    let mut y = vec![0.0; 54];
    a.multiply(x.as_slice(), &mut y);
    assert!((DVector::from_vec(y) - dense_general(&a) * x).amax() < 54.0 * f64::EPSILON * 2.0);
}

#[test]
fn singular_and_infinite_matrices_are_refused() {
    let mut a = banded(4, 1, 30.0, &mut 1);
    let mut factor = GeneralFactor::new(4, 1);
    // Two equal rows.
    for j in 1..4 {
        let mut block = *a.block(2, j);
        block.set_row(3, &block.row(1).into_owned());
        *a.block_mut(2, j) = block;
    }
    assert_eq!(a.factor_into(&mut factor), Err(FactorError::Singular { block: 3 }));
    a.block_mut(0, 1)[(0, 0)] = f64::NAN;
    assert_eq!(a.factor_into(&mut factor), Err(FactorError::NotFinite { block: 1 }));
}
