//! Block LDLᵀ against dense nalgebra: solution, inertia, units, singular matrices, cost.
#![allow(clippy::unwrap_used)]

mod matrices;

use lissome_sparse::{FactorError, Inertia, SymmetricBand, SymmetricFactor};
use matrices::{First, banded, dense, in_other_units, noise, random_block, random_vector, saddle};
use nalgebra::{DVector, Matrix6};
use proptest::prelude::*;

fn factored(a: &SymmetricBand) -> (SymmetricFactor, Inertia) {
    let mut factor = SymmetricFactor::new(a.block_rows(), a.half_bandwidth());
    let inertia = a.factor_into(&mut factor).unwrap();
    (factor, inertia)
}

/// Inertia from the eigenvalues, solution from dense LU; both share no code with the band.
fn check_against_dense(a: &SymmetricBand, seed: &mut u64) {
    let n = 6 * a.block_rows();
    let d = dense(a);
    let eigenvalues = d.clone().symmetric_eigen().eigenvalues;
    let negative = eigenvalues.iter().filter(|&&l| l < 0.0).count();
    let (factor, inertia) = factored(a);
    assert_eq!(inertia, Inertia { positive: n - negative, negative, zero: 0 });

    let b = random_vector(n, seed);
    let mut x = vec![0.0; n];
    let residual = factor.solve_refined(a, b.as_slice(), &mut x, &mut Vec::new());
    let x = DVector::from_vec(x);
    let reference = d.clone().lu().solve(&b).unwrap();
    let condition = eigenvalues.amax() / eigenvalues.iter().fold(f64::INFINITY, |m, l| m.min(l.abs()));
    // Backward stable to n ulps: the error is that times the condition, for both solutions.
    let roundoff = n as f64 * f64::EPSILON;
    let error = (&x - &reference).norm() / reference.norm();
    assert!(error <= 2.0 * roundoff * condition, "error {error:e}, condition {condition:e}");
    assert!(residual <= roundoff, "residual {residual:e}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn positive_definite(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = banded(n, w, &mut seed, 12.0 * (w + 1) as f64);
        check_against_dense(&a, &mut seed);
    }

    #[test]
    fn quasi_definite_saddle(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = saddle(n, w, First::Stress, 1.0, &mut seed);
        check_against_dense(&a, &mut seed);
    }

    #[test]
    fn indefinite(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = banded(n, w, &mut seed, 0.0);
        check_against_dense(&a, &mut seed);
    }

    /// Poses without stiffness of their own: their blocks are zero until their stresses are eliminated.
    #[test]
    fn zero_pose_blocks_after_their_stresses(half in 1usize..7, w in 1usize..7, mut seed in any::<u64>()) {
        let a = saddle(2 * half, w, First::Stress, 0.0, &mut seed);
        check_against_dense(&a, &mut seed);
    }

    /// The same, poses first: the zero blocks themselves come up as pivots.
    #[test]
    fn zero_pose_blocks_before_their_stresses(half in 1usize..7, w in 1usize..7, mut seed in any::<u64>()) {
        let a = saddle(2 * half, w, First::Pose, 0.0, &mut seed);
        check_against_dense(&a, &mut seed);
    }

    /// Poses whose stiffness is a rounding error, after their stresses: neither accuracy nor speed suffer.
    #[test]
    fn nearly_zero_pose_blocks_after_their_stresses(half in 1usize..7, w in 1usize..7, mut seed in any::<u64>()) {
        let a = saddle(2 * half, w, First::Stress, 1e-17, &mut seed);
        check_against_dense(&a, &mut seed);
        let (factor, _) = factored(&a);
        prop_assert!(factor.growth() < 1e3);
        prop_assert_eq!(factor.block_products(), factored(&saddle(2 * half, w, First::Stress, 1.0, &mut seed)).0.block_products());
    }

    /// Powers of two as units of single rows: every decision and every digit stays the same.
    #[test]
    fn units_do_not_change_decisions(n in 1usize..12, w in 0usize..7, mut seed in any::<u64>()) {
        let a = banded(n, w, &mut seed, 0.0);
        let exponent: Vec<i32> = (0..6 * n).map(|_| (noise(&mut seed) * 20.0) as i32).collect();
        let unit = |i: usize| 2f64.powi(exponent[i]);
        let (plain, inertia) = factored(&a);
        let scaled_matrix = in_other_units(&a, unit);
        let (scaled, scaled_inertia) = factored(&scaled_matrix);
        prop_assert_eq!(inertia, scaled_inertia);
        prop_assert_eq!(plain.growth(), scaled.growth());
        let b: Vec<f64> = (0..6 * n).map(|_| noise(&mut seed)).collect();
        let scaled_b: Vec<f64> = b.iter().enumerate().map(|(i, b)| b * unit(i)).collect();
        let (mut x, mut y) = (vec![0.0; 6 * n], vec![0.0; 6 * n]);
        let r = plain.solve_refined(&a, &b, &mut x, &mut Vec::new());
        let s = scaled.solve_refined(&scaled_matrix, &scaled_b, &mut y, &mut Vec::new());
        prop_assert_eq!(r, s);
        prop_assert!(x.iter().zip(&y).enumerate().all(|(i, (x, y))| *x == y * unit(i)));
    }
}

/// Along such a chain the diagonal blocks of the poses are rounding errors that shrink until they underflow.
#[test]
fn a_long_chain_of_zero_pose_blocks_before_their_stresses() {
    let mut seed = 2;
    let a = saddle(2000, 6, First::Pose, 0.0, &mut seed);
    let (factor, inertia) = factored(&a);
    assert_eq!(inertia, Inertia { positive: 6000, negative: 6000, zero: 0 });
    let b = random_vector(12_000, &mut seed);
    let residual = factor.solve_refined(&a, b.as_slice(), &mut vec![0.0; 12_000], &mut Vec::new());
    assert!(residual < 12_000.0 * f64::EPSILON, "{residual:e}");
}

/// A scene in millimetres or kilometres: poses' linear rows times 10^±3, stresses' force rows divided by it.
#[test]
fn thousandths_and_thousands_keep_inertia_and_accuracy() {
    let mut seed = 11;
    let a = saddle(24, 6, First::Stress, 1e-3, &mut seed);
    let (_, inertia) = factored(&a);
    for length in [1e-3, 1e3] {
        let scaled = in_other_units(&a, |i| match (i / 6 % 2, i % 6 < 3) {
            (0, false) => 1.0 / length,
            (1, false) => length,
            _ => 1.0,
        });
        let (factor, other) = factored(&scaled);
        assert_eq!(inertia, other);
        let b = random_vector(6 * 24, &mut seed);
        let residual = factor.solve_refined(&scaled, b.as_slice(), &mut vec![0.0; 144], &mut Vec::new());
        assert!(residual <= 144.0 * f64::EPSILON, "{residual:e}");
    }
}

#[test]
fn multiply_agrees_with_dense() {
    let mut seed = 7;
    let a = banded(9, 4, &mut seed, 1.0);
    let x = random_vector(54, &mut seed);
    let mut y = vec![0.0; 54];
    a.multiply(x.as_slice(), &mut y);
    assert!((DVector::from_vec(y) - dense(&a) * x).amax() < 54.0 * f64::EPSILON * 2.0);
}

/// A chain of free bodies joined by springs: every block row sums to zero, the last pivot must vanish.
fn free_chain(n: usize, seed: &mut u64) -> SymmetricBand {
    let mut a = SymmetricBand::new(n, 1);
    for j in 0..n - 1 {
        let g = random_block(seed);
        let k = g * g.transpose() + Matrix6::identity();
        a.add(j, j, &k);
        a.add(j + 1, j + 1, &k);
        a.add(j + 1, j, &-k);
    }
    a
}

#[test]
fn a_singular_matrix_is_refused_in_any_units() {
    let mut seed = 3;
    for n in [2, 3, 10] {
        let a = free_chain(n, &mut seed);
        for unit in [1.0, 1e-3, 1e3] {
            let a = in_other_units(&a, |i| if i % 6 < 3 { 1.0 } else { unit });
            let mut factor = SymmetricFactor::new(n, 1);
            assert_eq!(a.factor_into(&mut factor), Err(FactorError::Singular { block: n - 1 }));
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_found() {
    for bad in [f64::NAN, f64::INFINITY] {
        let mut a = banded(5, 2, &mut 1, 40.0);
        a.block_mut(4, 3)[(2, 5)] = bad;
        assert_eq!(a.factor_into(&mut SymmetricFactor::new(5, 2)), Err(FactorError::NotFinite { block: 3 }));
    }
}

#[test]
fn a_factor_of_another_size_is_refused() {
    let a = banded(5, 2, &mut 1, 40.0);
    let expected = FactorError::SizeMismatch { matrix: (5, 2), factor: (5, 3) };
    assert_eq!(a.factor_into(&mut SymmetricFactor::new(5, 3)), Err(expected));
}

/// Weak poses before their stresses, 10⁻⁷ of what follows: the plain solve loses seven digits, refinement returns them.
#[test]
fn refinement_returns_the_digits_that_weak_pivots_took() {
    let mut seed = 5;
    let a = saddle(20, 6, First::Pose, 1e-7, &mut seed);
    let (factor, _) = factored(&a);
    let b = random_vector(120, &mut seed);
    let mut plain = b.clone();
    factor.solve(plain.as_mut_slice());
    let reference = dense(&a).lu().solve(&b).unwrap();
    let mut refined = vec![0.0; 120];
    factor.solve_refined(&a, b.as_slice(), &mut refined, &mut Vec::new());
    let before = (plain - &reference).norm() / reference.norm();
    let after = (DVector::from_vec(refined) - &reference).norm() / reference.norm();
    assert!(before > 1e3 * f64::EPSILON, "the case is too easy: {before:e}");
    assert!(after < 1e-3 * before, "{before:e} → {after:e}");
}

#[test]
fn cost_is_linear_in_the_length() {
    let products = |n| factored(&saddle(n, 6, First::Stress, 1.0, &mut 1)).0.block_products();
    // A full column takes w(w+1)/2 products; the last w columns have fewer blocks below them.
    let end: usize = (0..6).map(|below| below * (below + 1) / 2).sum();
    for n in [10, 100, 1000, 10_000] {
        assert_eq!(products(n), (n - 6) * 21 + end);
    }
}
