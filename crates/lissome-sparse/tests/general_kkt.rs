//! Sparse block LU against dense nalgebra: saddle matrices with follower loads on chains, trees and loops.
#![allow(clippy::unwrap_used)]

mod matrices;

use lissome_sparse::FactorError;
use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix, Group, KktFactor, KktMatrix, Pattern, Role};
use matrices::{noise, random_vector};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

/// An unsymmetric matrix next to its dense copy.
struct System {
    pattern: Pattern,
    blocks: Vec<(Group, Group, DMatrix<f64>)>,
}

impl System {
    fn new() -> Self {
        Self { pattern: Pattern::new(), blocks: Vec::new() }
    }

    fn block(&mut self, row: Group, col: Group, values: DMatrix<f64>) {
        self.pattern.couple(row, col);
        self.blocks.push((row, col, values));
    }

    fn matrices(&self) -> (GeneralKktMatrix, DMatrix<f64>) {
        let mut sparse = GeneralKktMatrix::new(&self.pattern);
        let mut dense = DMatrix::zeros(self.pattern.rows(), self.pattern.rows());
        for (row, col, values) in &self.blocks {
            let slot = sparse.slot(row.index(), col.index()).unwrap();
            sparse.add(slot, values);
            let (rows, cols) = (self.pattern.rows_of(*row), self.pattern.rows_of(*col));
            assert_eq!(sparse.rows_of(row.index()), rows);
            let mut target = dense.view_mut((rows.start, cols.start), (rows.len(), cols.len()));
            target += values;
        }
        (sparse, dense)
    }
}

/// Bodies in a random tree (a chain if `reach` is 1) of stiffness 1 + follower, `loops` further couplings by multipliers of
/// random size. Diagonal blocks dominate their rows.
fn robot(bodies: usize, reach: usize, loops: usize, seed: &mut u64) -> System {
    let pick = |n: usize, seed: &mut u64| ((noise(seed).abs() * n as f64) as usize).min(n - 1);
    let mut system = System::new();
    let random = |rows: usize, cols: usize, seed: &mut u64| DMatrix::from_fn(rows, cols, |_, _| noise(seed));
    let sizes: Vec<usize> = (0..bodies).map(|_| 1 + pick(6, seed)).collect();
    let groups: Vec<Group> = sizes.iter().map(|&size| system.pattern.group(size, Role::Primal)).collect();
    let mut degree = vec![1.0; bodies];
    for child in 1..bodies {
        let parent = child - 1 - pick(reach.min(child), seed);
        // The mirrored blocks are not transposes of each other.
        system.block(groups[child], groups[parent], random(sizes[child], sizes[parent], seed));
        system.block(groups[parent], groups[child], random(sizes[parent], sizes[child], seed));
        (degree[child], degree[parent]) = (degree[child] + 1.0, degree[parent] + 1.0);
    }
    for (body, &group) in groups.iter().enumerate() {
        let size = sizes[body];
        let dominant = DMatrix::identity(size, size) * (7.0 * degree[body]);
        system.block(group, group, random(size, size, seed) + dominant);
    }
    for _ in 0..loops {
        let (a, b) = (pick(bodies, seed), pick(bodies, seed));
        let size = 1 + pick(sizes[a].min(sizes[b]), seed);
        let multiplier = system.pattern.group(size, Role::Multiplier);
        let gradient = random(size, sizes[a], seed);
        system.block(multiplier, groups[a], gradient.clone());
        system.block(groups[a], multiplier, gradient.transpose());
        if a != b {
            let gradient = random(size, sizes[b], seed);
            system.block(multiplier, groups[b], gradient.clone());
            system.block(groups[b], multiplier, gradient.transpose());
        }
    }
    system
}

fn check_against_dense(system: &System, seed: &mut u64) {
    let (sparse, dense) = system.matrices();
    let n = system.pattern.rows();
    let singular = dense.clone().svd(false, false).singular_values;
    let condition = singular.max() / singular.min();
    // Closures drawn at random may contradict each other.
    if condition > 1e8 {
        return;
    }
    let b = random_vector(n, seed);
    let roundoff = n as f64 * f64::EPSILON;
    let mut y = vec![0.0; n];
    sparse.multiply(b.as_slice(), &mut y);
    assert!((DVector::from_vec(y) - &dense * &b).amax() < roundoff * dense.amax());

    let mut factor = GeneralKktFactor::new(&system.pattern).unwrap();
    sparse.factor_into(&mut factor).unwrap();
    let mut x = vec![0.0; n];
    let residual = factor.solve_refined(&sparse, b.as_slice(), &mut x, &mut Vec::new());
    let reference = dense.clone().lu().solve(&b).unwrap();
    let error = (DVector::from_vec(x) - &reference).norm() / reference.norm();
    assert!(error <= 2.0 * roundoff * condition, "error {error:e}, condition {condition:e}");
    assert!(residual <= roundoff, "residual {residual:e}");

    let transposed = dense.transpose();
    let mut y = vec![0.0; n];
    sparse.multiply_transposed(b.as_slice(), &mut y);
    assert!((DVector::from_vec(y.clone()) - &transposed * &b).amax() < roundoff * dense.amax());
    // Refined once, as the other is.
    let mut x = b.as_slice().to_vec();
    factor.solve_transposed(&mut x);
    sparse.multiply_transposed(&x, &mut y);
    let mut left: Vec<f64> = b.iter().zip(&y).map(|(b, y)| b - y).collect();
    factor.solve_transposed(&mut left);
    let x = DVector::from_vec(x) + DVector::from_vec(left);
    let reference = transposed.lu().solve(&b).unwrap();
    let error = (x - &reference).norm() / reference.norm();
    assert!(error <= 2.0 * roundoff * condition, "transposed: error {error:e}, condition {condition:e}");

    let mut part = KktMatrix::new(&system.pattern);
    sparse.symmetric_part_into(&mut part);
    let mut y = vec![0.0; n];
    part.multiply(b.as_slice(), &mut y);
    let symmetric = (&dense + dense.transpose()) * 0.5;
    assert!((DVector::from_vec(y) - &symmetric * &b).amax() < roundoff * dense.amax());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chains(bodies in 1usize..30, mut seed in any::<u64>()) {
        check_against_dense(&robot(bodies, 1, 0, &mut seed), &mut seed);
    }

    #[test]
    fn trees(bodies in 2usize..30, reach in 2usize..10, mut seed in any::<u64>()) {
        check_against_dense(&robot(bodies, reach, 0, &mut seed), &mut seed);
    }

    #[test]
    fn loops(bodies in 2usize..24, reach in 1usize..6, loops in 1usize..4, mut seed in any::<u64>()) {
        check_against_dense(&robot(bodies, reach, loops, &mut seed), &mut seed);
    }

    /// On a symmetric matrix LU and LDLᵀ agree, which share neither pivots nor updates.
    #[test]
    fn symmetric_values(bodies in 2usize..20, mut seed in any::<u64>()) {
        let system = robot(bodies, 3, 1, &mut seed);
        let (sparse, dense) = system.matrices();
        let n = system.pattern.rows();
        let mut part = KktMatrix::new(&system.pattern);
        sparse.symmetric_part_into(&mut part);
        let symmetric = (&dense + dense.transpose()) * 0.5;
        let mut general = GeneralKktMatrix::new(&system.pattern);
        for (row, col, _) in &system.blocks {
            let (rows, cols) = (system.pattern.rows_of(*row), system.pattern.rows_of(*col));
            let block = symmetric.view((rows.start, cols.start), (rows.len(), cols.len())).into_owned();
            general.add(general.slot(row.index(), col.index()).unwrap(), &block);
        }
        let eigenvalues = symmetric.symmetric_eigen().eigenvalues;
        let smallest = eigenvalues.iter().fold(f64::INFINITY, |m, l| m.min(l.abs()));
        let condition = eigenvalues.amax() / smallest;
        prop_assume!(condition < 1e8);
        let (mut lu, mut ldl) =
            (GeneralKktFactor::new(&system.pattern).unwrap(), KktFactor::new(&system.pattern).unwrap());
        general.factor_into(&mut lu).unwrap();
        let inertia = part.factor_into(&mut ldl).unwrap();
        prop_assert_eq!(inertia.negative, eigenvalues.iter().filter(|&&l| l < 0.0).count());
        let b = random_vector(n, &mut seed);
        let (mut x, mut y) = (b.clone(), b);
        lu.solve(x.as_mut_slice());
        ldl.solve(y.as_mut_slice());
        prop_assert!((&x - &y).norm() <= 4.0 * n as f64 * f64::EPSILON * condition * x.norm());
    }
}

#[test]
fn values_that_are_not_finite_and_other_patterns_are_refused() {
    let mut seed = 6;
    let system = robot(4, 1, 1, &mut seed);
    let (mut sparse, _) = system.matrices();
    let mut factor = GeneralKktFactor::new(&system.pattern).unwrap();
    let other = GeneralKktMatrix::new(&robot(3, 1, 0, &mut seed).pattern);
    assert!(matches!(other.factor_into(&mut factor), Err(FactorError::SizeMismatch { .. })));
    let (row, col, values) = &system.blocks[1];
    let slot = sparse.slot(row.index(), col.index()).unwrap();
    sparse.add(slot, &values.map(|_| f64::NAN));
    assert_eq!(sparse.factor_into(&mut factor), Err(FactorError::NotFinite { block: row.index() }));
}
