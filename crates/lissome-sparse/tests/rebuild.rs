//! Multipliers that come and go at the end of a pattern: rebuilt matrices and factors against new ones and dense nalgebra.
#![allow(clippy::unwrap_used)]

mod matrices;
mod saddle;

use lissome_sparse::Inertia;
use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix, Group, KktFactor, KktMatrix, Role};
use matrices::{noise, random_vector};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use saddle::System;

fn pick(n: usize, seed: &mut u64) -> usize {
    ((noise(seed).abs() * n as f64) as usize).min(n - 1)
}

fn random(rows: usize, cols: usize, seed: &mut u64) -> DMatrix<f64> {
    DMatrix::from_fn(rows, cols, |_, _| noise(seed))
}

/// Bodies in a random tree, dominated by their stiffness.
fn tree(bodies: usize, seed: &mut u64) -> (System, Vec<Group>) {
    let mut system = System::new();
    let groups: Vec<Group> = (0..bodies).map(|_| system.pattern.group(6, Role::Primal)).collect();
    for (body, &group) in groups.iter().enumerate() {
        system.block(group, group, DMatrix::identity(6, 6) * (12.0 * bodies as f64));
        if body > 0 {
            system.block(group, groups[pick(body, seed)], random(6, 6, seed));
        }
    }
    (system, groups)
}

/// A multiplier between some bodies, which it also couples directly; sometimes a passive joint waits for it.
fn touch(system: &mut System, groups: &[Group], seed: &mut u64) {
    let size = 1 + pick(3, seed);
    let multiplier = system.pattern.group(size, Role::Multiplier);
    let (a, b) = (groups[pick(groups.len(), seed)], groups[pick(groups.len(), seed)]);
    system.block(multiplier, a, random(size, 6, seed));
    if a != b {
        system.block(b, multiplier, random(6, size, seed));
        system.block(a, b, random(6, 6, seed));
    }
    if noise(seed) > 0.6 {
        let joint = system.pattern.group(1, Role::Primal);
        system.block(joint, multiplier, random(1, size, seed));
        system.block(joint, joint, DMatrix::identity(1, 1) * 3.0);
        system.pattern.after(joint, multiplier);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rebuilt_and_new_agree(bodies in 1usize..20, mut seed in any::<u64>()) {
        let (mut system, groups) = tree(bodies, &mut seed);
        let (mark, blocks) = (system.pattern.mark(), system.slots.len());
        let mut matrix = KktMatrix::new(&system.pattern);
        let mut factor = KktFactor::new(&system.pattern).unwrap();
        let mut general = GeneralKktMatrix::new(&system.pattern);
        let mut general_factor = GeneralKktFactor::new(&system.pattern).unwrap();
        for contacts in [2, 0, 5, 1, 3] {
            system.pattern.rewind(mark);
            system.slots.truncate(blocks);
            prop_assert_eq!((system.pattern.groups(), system.pattern.rows()), (bodies, 6 * bodies));
            for _ in 0..contacts {
                touch(&mut system, &groups, &mut seed);
            }
            let (fresh, dense) = system.matrices();
            matrix.rebuild(&system.pattern);
            general.rebuild(&system.pattern);
            for (row, col, slot, values) in &system.slots {
                matrix.add(*slot, values);
                general.add(*slot, values);
                if row != col {
                    general.add(slot.mirrored(), &values.transpose());
                }
            }
            let n = dense.nrows();
            let b = random_vector(n, &mut seed);
            let (mut y, mut z) = (vec![0.0; n], vec![0.0; n]);
            fresh.multiply(b.as_slice(), &mut y);
            matrix.multiply(b.as_slice(), &mut z);
            prop_assert_eq!(y, z);

            let eigenvalues = dense.clone().symmetric_eigen().eigenvalues;
            let condition = eigenvalues.amax() / eigenvalues.iter().fold(f64::INFINITY, |m, l| m.min(l.abs()));
            // Contacts drawn at random may contradict each other.
            if condition > 1e8 {
                continue;
            }
            factor.rebuild(&system.pattern).unwrap();
            general_factor.rebuild(&system.pattern).unwrap();
            let negative = eigenvalues.iter().filter(|&&l| l < 0.0).count();
            let inertia = matrix.factor_into(&mut factor);
            if contacts >= bodies && inertia.is_err() {
                // More contacts than bodies: the multipliers alone may be singular in the order of elimination, though the
                // whole is regular.
                continue;
            }
            prop_assert_eq!(inertia, Ok(Inertia { positive: n - negative, negative, zero: 0 }));
            general.factor_into(&mut general_factor).unwrap();
            let reference = dense.clone().lu().solve(&b).unwrap();
            let bound = 4.0 * n as f64 * f64::EPSILON * condition * reference.norm();
            let mut x = vec![0.0; n];
            factor.solve_refined(&matrix, b.as_slice(), &mut x, &mut Vec::new());
            prop_assert!((DVector::from_vec(x.clone()) - &reference).norm() <= bound);
            general_factor.solve_refined(&general, b.as_slice(), &mut x, &mut Vec::new());
            prop_assert!((DVector::from_vec(x) - &reference).norm() <= bound);
        }
    }
}

/// A contact of a chain costs what its own neighbourhood costs, wherever it is.
#[test]
fn a_contact_in_a_chain_is_eliminated_where_it_acts() {
    let mut system = System::new();
    let bodies: Vec<Group> = (0..400).map(|_| system.pattern.group(6, Role::Primal)).collect();
    for pair in bodies.windows(2) {
        system.pattern.couple(pair[0], pair[1]);
    }
    let mark = system.pattern.mark();
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    let plain = factor.block_products();
    for at in [0, 57, 200, 398] {
        system.pattern.rewind(mark);
        let multiplier = system.pattern.group(3, Role::Multiplier);
        system.pattern.couple(multiplier, bodies[at]);
        system.pattern.couple(bodies[at + 1], multiplier);
        factor.rebuild(&system.pattern).unwrap();
        // Columns of two blocks instead of one at both bodies, and that of the multiplier, which reaches one more body.
        assert!(factor.block_products() <= plain + 2 * (5 - 2) + 2, "at {at}: {} {plain}", factor.block_products());
    }
}

/// An old group that shall wait for a new one cannot keep its place.
#[test]
fn an_order_that_no_longer_holds_is_searched_anew() {
    let mut seed = 8;
    let (mut system, groups) = tree(6, &mut seed);
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    let weld = system.pattern.group(6, Role::Multiplier);
    system.block(weld, groups[5], DMatrix::identity(6, 6));
    system.pattern.after(groups[0], weld);
    factor.rebuild(&system.pattern).unwrap();
    let (matrix, dense) = system.matrices();
    let b = random_vector(dense.nrows(), &mut seed);
    assert_eq!(matrix.factor_into(&mut factor).map(|inertia| inertia.negative), Ok(6));
    let mut x = b.clone();
    factor.solve(x.as_mut_slice());
    assert!((x - dense.lu().solve(&b).unwrap()).norm() < 1e-12 * b.norm());
    // And circles are found.
    system.pattern.after(weld, groups[0]);
    assert!(factor.rebuild(&system.pattern).is_err());
}
