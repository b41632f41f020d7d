//! Sparse block LDLᵀ against dense nalgebra: parallel robots, joints, scalar constraints.
#![allow(clippy::unwrap_used)]

mod matrices;
mod saddle;

use lissome_sparse::kkt::{Group, KktFactor, KktMatrix, Role};
use lissome_sparse::{FactorError, Inertia};
use matrices::{noise, random_block, random_vector};
use nalgebra::{DMatrix, DVector, Matrix6, SMatrix};
use proptest::prelude::*;
use saddle::System;

fn dynamic<const R: usize, const C: usize>(values: SMatrix<f64, R, C>) -> DMatrix<f64> {
    DMatrix::from_fn(R, C, |r, c| values[(r, c)])
}

/// Legs of `length` bodies in a chain, fixed at one end, joined to a platform by multipliers of `joint` rows, and one
/// scalar constraint per leg between its first and its last body.
fn platform(legs: usize, length: usize, joint: usize, seed: &mut u64) -> System {
    let mut system = System::new();
    let platform = system.pattern.group(6, Role::Primal);
    system.block(platform, platform, dynamic(Matrix6::identity()));
    for _ in 0..legs {
        let multiplier = system.pattern.group(joint, Role::Multiplier);
        let bodies: Vec<Group> = (0..length).map(|_| system.pattern.group(6, Role::Primal)).collect();
        for (i, &body) in bodies.iter().enumerate() {
            system.block(body, body, dynamic(Matrix6::identity() * 20.0));
            if i > 0 {
                system.block(bodies[i - 1], body, dynamic(random_block(seed)));
            }
        }
        let last = bodies[length - 1];
        system.block(multiplier, last, DMatrix::from_fn(joint, 6, |_, _| noise(seed)));
        system.block(platform, multiplier, DMatrix::from_fn(6, joint, |_, _| noise(seed)));
        let scalar = system.pattern.group(1, Role::Multiplier);
        system.block(scalar, bodies[0], DMatrix::from_fn(1, 6, |_, _| noise(seed)));
        system.block(last, scalar, DMatrix::from_fn(6, 1, |_, _| noise(seed)));
    }
    system
}

/// Slots by index are those of the declaration, in both orientations, and nothing else is found.
fn check_slots(system: &System, matrix: &KktMatrix) {
    let count = system.pattern.groups();
    let mut declared = vec![None; count * count];
    for (row, col, slot, _) in &system.slots {
        declared[row.index() * count + col.index()] = Some(*slot);
        declared[col.index() * count + row.index()] = Some(slot.mirrored());
    }
    for row in 0..count {
        for col in (0..count).filter(|&col| col != row) {
            assert_eq!(matrix.slot(row, col), declared[row * count + col], "({row}, {col})");
        }
    }
    assert_eq!(matrix.slot(count, 0), None);
}

fn check_against_dense(system: &System, seed: &mut u64) {
    let (sparse, dense) = system.matrices();
    let n = system.pattern.rows();
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    let inertia = sparse.factor_into(&mut factor).unwrap();
    let eigenvalues = dense.clone().symmetric_eigen().eigenvalues;
    let negative = eigenvalues.iter().filter(|&&l| l < 0.0).count();
    assert_eq!(inertia, Inertia { positive: n - negative, negative, zero: 0 });

    let b = random_vector(n, seed);
    let mut y = vec![0.0; n];
    sparse.multiply(b.as_slice(), &mut y);
    assert!((DVector::from_vec(y) - &dense * &b).amax() < n as f64 * f64::EPSILON * dense.amax());

    let mut x = vec![0.0; n];
    let residual = factor.solve_refined(&sparse, b.as_slice(), &mut x, &mut Vec::new());
    let reference = dense.clone().lu().solve(&b).unwrap();
    check_slots(system, &sparse);
    let condition = eigenvalues.amax() / eigenvalues.iter().fold(f64::INFINITY, |m, l| m.min(l.abs()));
    let roundoff = n as f64 * f64::EPSILON;
    let error = (DVector::from_vec(x) - &reference).norm() / reference.norm();
    assert!(error <= 2.0 * roundoff * condition, "error {error:e}, condition {condition:e}");
    assert!(residual <= roundoff, "residual {residual:e}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn platforms(legs in 1usize..5, length in 2usize..7, joint in 1usize..7, mut seed in any::<u64>()) {
        let system = platform(legs, length, joint, &mut seed);
        check_against_dense(&system, &mut seed);
    }

    /// Groups coupled at random, dominated by their diagonals of random sign.
    #[test]
    fn random_graphs(count in 1usize..14, mut seed in any::<u64>()) {
        let mut system = System::new();
        let groups: Vec<(Group, usize)> = (0..count)
            .map(|_| {
                let size = 1 + (noise(&mut seed).abs() * 5.99) as usize;
                (system.pattern.group(size, Role::Primal), size)
            })
            .collect();
        for i in 0..count {
            let sign = noise(&mut seed).signum();
            system.block(groups[i].0, groups[i].0, DMatrix::identity(groups[i].1, groups[i].1) * (sign * 6.0 * count as f64));
            for j in 0..i {
                if noise(&mut seed) > 0.4 {
                    system.block(groups[i].0, groups[j].0, DMatrix::from_fn(groups[i].1, groups[j].1, |_, _| noise(&mut seed)));
                }
            }
        }
        check_against_dense(&system, &mut seed);
    }
}

/// Poses without stiffness that wait for their stresses, in a closed loop.
#[test]
fn a_loop_of_mixed_elements() {
    let mut seed = 4;
    let mut system = System::new();
    let poses: Vec<Group> = (0..12).map(|_| system.pattern.group(6, Role::Primal)).collect();
    let stresses: Vec<Group> = (0..12).map(|_| system.pattern.group(6, Role::Primal)).collect();
    for i in 0..12 {
        system.pattern.after(poses[i], stresses[i]);
        system.block(stresses[i], stresses[i], dynamic(-Matrix6::identity() * 30.0));
        system.block(stresses[i], stresses[(i + 1) % 12], dynamic(random_block(&mut seed)));
        system.block(stresses[i], poses[i], dynamic(random_block(&mut seed) + Matrix6::identity() * 30.0));
        system.block(stresses[i], poses[(i + 1) % 12], dynamic(random_block(&mut seed)));
    }
    check_against_dense(&system, &mut seed);
}

#[test]
fn values_that_are_not_finite_and_other_patterns_are_refused() {
    let mut seed = 6;
    let system = platform(2, 3, 3, &mut seed);
    let (mut sparse, _) = system.matrices();
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    let other = KktMatrix::new(&platform(1, 3, 3, &mut seed).pattern);
    assert!(matches!(other.factor_into(&mut factor), Err(FactorError::SizeMismatch { .. })));
    let (_, _, slot, values) = &system.slots[3];
    sparse.add(*slot, &values.map(|_| f64::NAN));
    assert!(matches!(sparse.factor_into(&mut factor), Err(FactorError::NotFinite { .. })));
}

#[test]
fn cost_is_linear_in_the_length_of_the_legs() {
    let products = |length| KktFactor::new(&platform(6, length, 6, &mut 1).pattern).unwrap().block_products();
    let per_body = products(101) - products(100);
    assert_eq!(products(1000), products(100) + 900 * per_body);
    // Six legs of one column each, reaching the next body and the two multipliers, at most.
    assert!(per_body <= 6 * (3 + 3), "{per_body}");
}
