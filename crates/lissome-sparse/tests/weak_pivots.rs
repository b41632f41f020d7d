//! Singular saddle matrices: which closure repeats or contradicts another, and what nothing holds.
#![allow(clippy::unwrap_used)]

mod matrices;
mod saddle;

use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix, Group, KktFactor, Role};
use lissome_sparse::{FactorError, Inertia};
use matrices::{noise, random_vector};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use saddle::System;

fn random(rows: usize, cols: usize, seed: &mut u64) -> DMatrix<f64> {
    DMatrix::from_fn(rows, cols, |_, _| noise(seed))
}

/// Bodies on springs of equal stiffness, the first one also held to the ground if `held`.
fn springs(count: usize, held: bool) -> (System, Vec<Group>) {
    let mut system = System::new();
    let one = DMatrix::<f64>::identity(6, 6);
    let bodies: Vec<Group> = (0..count).map(|_| system.pattern.group(6, Role::Primal)).collect();
    for pair in bodies.windows(2) {
        system.block(pair[0], pair[0], one.clone());
        system.block(pair[1], pair[1], one.clone());
        system.block(pair[1], pair[0], -one.clone());
    }
    if held {
        system.block(bodies[0], bodies[0], one);
    }
    (system, bodies)
}

/// ‖A x‖ against the terms that cancel in it.
fn remainder(dense: &DMatrix<f64>, x: &DVector<f64>) -> f64 {
    (dense * x).amax() / (dense.abs() * x.abs()).amax()
}

#[test]
fn a_row_given_twice_is_named_and_the_rest_solved() {
    let mut seed = 6;
    let mut system = System::new();
    let body = system.pattern.group(6, Role::Primal);
    let row = random(1, 6, &mut seed);
    system.block(body, body, DMatrix::identity(6, 6) * 7.0);
    for _ in 0..2 {
        let multiplier = system.pattern.group(1, Role::Multiplier);
        system.block(multiplier, body, row.clone());
    }
    let (sparse, dense) = system.matrices();
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    assert_eq!(sparse.factor_into(&mut factor), Err(FactorError::Singular { block: 2 }));
    assert_eq!(factor.inertia(), Inertia { positive: 6, negative: 1, zero: 1 });
    let weak: Vec<_> = factor.weak_pivots(1e10).collect();
    assert_eq!((weak.len(), weak[0].group, weak[0].row), (1, 2, 0));

    // The reactions that are in balance by themselves.
    let mut x = DVector::zeros(8);
    factor.undetermined(&weak[0], x.as_mut_slice());
    assert!(remainder(&dense, &x) < 8.0 * f64::EPSILON);
    assert!(x[7] == 1.0 && (x[6] + 1.0).abs() < 8.0 * f64::EPSILON);

    // Repeated, then contradicted.
    for (other, contradicts) in [(0.5, false), (0.75, true)] {
        let mut b = random_vector(8, &mut seed);
        (b[6], b[7]) = (0.5, other);
        let mut x = b.clone();
        factor.solve(x.as_mut_slice());
        assert_eq!(x[7], 0.0);
        let left = &b - &dense * &x;
        assert!(left.rows(0, 7).amax() < 64.0 * f64::EPSILON);
        assert_eq!(left[7].abs() > 64.0 * f64::EPSILON, contradicts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A weld and the same weld written in other axes: six rows that depend on six others, none equal to another.
    #[test]
    fn a_weld_given_twice_in_other_axes(count in 2usize..12, mut seed in any::<u64>()) {
        let (mut system, bodies) = springs(count, true);
        let (tip, base) = (bodies[count - 1], bodies[0]);
        let gradients = [random(6, 6, &mut seed) + DMatrix::identity(6, 6) * 3.0, random(6, 6, &mut seed)];
        let axes = random(6, 6, &mut seed) + DMatrix::identity(6, 6) * 3.0;
        let mut welds = Vec::new();
        for turn in [DMatrix::identity(6, 6), axes] {
            let weld = system.pattern.group(6, Role::Multiplier);
            system.block(weld, tip, &turn * &gradients[0]);
            system.block(weld, base, &turn * &gradients[1]);
            welds.push(weld.index());
        }
        let (sparse, dense) = system.matrices();
        let mut factor = KktFactor::new(&system.pattern).unwrap();
        // Rounding may leave something in the pivots, but not more than the conditions of gradients and axes allow.
        let _ = sparse.factor_into(&mut factor);
        prop_assert!(factor.growth() > 1e10, "growth {:e}", factor.growth());
        let weak: Vec<_> = factor.weak_pivots(1e10).collect();
        prop_assert_eq!(weak.iter().map(|w| w.group).collect::<Vec<_>>(), vec![welds[1]]);
        let mut x = DVector::zeros(dense.nrows());
        factor.undetermined(&weak[0], x.as_mut_slice());
        prop_assert!(remainder(&dense, &x) < 1e-10);
        // Both welds and nothing else take part.
        let size = |group: usize| x.rows(sparse.rows_of(group).start, 6).amax();
        prop_assert!(size(welds[0]) > 1e-3 && size(welds[1]) >= 1.0 - 1e-10);
        prop_assert!((0..count).all(|body| size(body) < 1e-10));
    }

    /// What is weak does not depend on units.
    #[test]
    fn units(exponents in proptest::collection::vec(-20i32..20, 5 * 6 + 2), mut seed in any::<u64>()) {
        let (mut system, bodies) = springs(5, true);
        let row = random(1, 6, &mut seed);
        for _ in 0..2 {
            let multiplier = system.pattern.group(1, Role::Multiplier);
            system.block(multiplier, bodies[2], row.clone());
        }
        let plain: Vec<_> = {
            let (sparse, _) = system.matrices();
            let mut factor = KktFactor::new(&system.pattern).unwrap();
            let _ = sparse.factor_into(&mut factor);
            factor.weak_pivots(1.0).collect()
        };
        for (row, col, _, values) in &mut system.slots {
            let (rows, cols) = (system.pattern.rows_of(*row), system.pattern.rows_of(*col));
            *values = DMatrix::from_fn(rows.len(), cols.len(), |r, c| {
                values[(r, c)] * 2f64.powi(exponents[rows.start + r]) * 2f64.powi(exponents[cols.start + c])
            });
        }
        let (sparse, _) = system.matrices();
        let mut factor = KktFactor::new(&system.pattern).unwrap();
        prop_assert_eq!(sparse.factor_into(&mut factor), Err(FactorError::Singular { block: 6 }));
        prop_assert_eq!(factor.weak_pivots(1.0).collect::<Vec<_>>(), plain);
    }
}

#[test]
fn what_nothing_holds_moves_as_a_whole() {
    let (system, _) = springs(7, false);
    let (sparse, dense) = system.matrices();
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    assert!(matches!(sparse.factor_into(&mut factor), Err(FactorError::Singular { .. })));
    assert_eq!(factor.inertia(), Inertia { positive: 36, negative: 0, zero: 6 });
    let weak: Vec<_> = factor.weak_pivots(1e10).collect();
    assert_eq!(weak.len(), 1);
    let mut x = DVector::zeros(42);
    factor.undetermined(&weak[0], x.as_mut_slice());
    assert!(remainder(&dense, &x) < 42.0 * f64::EPSILON);
    for body in 0..7 {
        assert!((x[6 * body + weak[0].row] - 1.0).abs() < 42.0 * f64::EPSILON);
    }
}

#[test]
fn a_multiplier_without_values_is_named() {
    let (mut system, bodies) = springs(3, true);
    let multiplier = system.pattern.group(2, Role::Multiplier);
    system.block(multiplier, bodies[1], DMatrix::from_fn(2, 6, |r, c| if (r, c) == (0, 4) { 1.0 } else { 0.0 }));
    let (sparse, _) = system.matrices();
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    assert_eq!(sparse.factor_into(&mut factor), Err(FactorError::Singular { block: 3 }));
    assert_eq!(factor.inertia(), Inertia { positive: 18, negative: 1, zero: 1 });
    let weak: Vec<_> = factor.weak_pivots(1e10).collect();
    assert_eq!((weak.len(), weak[0].group, weak[0].row), (1, 3, 1));
}

#[test]
fn the_unsymmetric_factor_names_the_group_too() {
    let (mut system, bodies) = springs(3, true);
    for _ in 0..2 {
        let multiplier = system.pattern.group(1, Role::Multiplier);
        system.block(multiplier, bodies[1], DMatrix::from_fn(1, 6, |_, c| 1.0 + c as f64));
    }
    let mut general = GeneralKktMatrix::new(&system.pattern);
    for (row, col, slot, values) in &system.slots {
        general.add(*slot, values);
        if row != col {
            general.add(slot.mirrored(), &values.transpose());
        }
    }
    let mut factor = GeneralKktFactor::new(&system.pattern).unwrap();
    assert_eq!(general.factor_into(&mut factor), Err(FactorError::Singular { block: 4 }));
    assert_eq!(factor.weak_pivots(1e10).count(), 0);
}

fn check_solution(system: &System, seed: &mut u64) {
    let (sparse, dense) = system.matrices();
    let mut factor = KktFactor::new(&system.pattern).unwrap();
    let eigenvalues = dense.clone().symmetric_eigen().eigenvalues;
    let negative = eigenvalues.iter().filter(|&&l| l < 0.0).count();
    let condition = eigenvalues.amax() / eigenvalues.iter().fold(f64::INFINITY, |m, l| m.min(l.abs()));
    let n = dense.nrows();
    assert_eq!(sparse.factor_into(&mut factor), Ok(Inertia { positive: n - negative, negative, zero: 0 }));
    assert!(factor.growth() < 1e4, "growth {:e}", factor.growth());
    let b = random_vector(n, seed);
    let mut x = b.clone();
    factor.solve(x.as_mut_slice());
    assert!((&x - dense.lu().solve(&b).unwrap()).norm() < 2.0 * n as f64 * f64::EPSILON * condition * x.norm());
}

/// A joint without stiffness between two bodies of a closed loop: told to follow the multiplier, it gets its stiffness
/// from it.
#[test]
fn a_passive_joint_follows_the_multiplier_that_closes_its_loop() {
    let mut seed = 3;
    let (mut system, bodies) = springs(6, true);
    let joint = system.pattern.group(1, Role::Primal);
    let weld = system.pattern.group(6, Role::Multiplier);
    system.block(weld, bodies[5], DMatrix::identity(6, 6));
    system.block(weld, joint, random(6, 1, &mut seed));
    system.pattern.after(joint, weld);
    check_solution(&system, &mut seed);
}

/// A mixed rod on a passive joint, its far end welded: e_i = z_i − z_{i−1} with z_0 = a q. Without the weld the rod
/// turns freely, so that one of joint and poses has no pivot unless it waits for the weld.
#[test]
fn a_rod_on_a_passive_joint_is_held_by_its_far_end() {
    let mut seed = 5;
    let axis = random(6, 1, &mut seed);
    let one = DMatrix::<f64>::identity(6, 6);
    for waits in [true, false] {
        let mut system = System::new();
        let joint = system.pattern.group(1, Role::Primal);
        let mut last = joint;
        for _ in 0..10 {
            let stress = system.pattern.group(6, Role::Primal);
            let pose = system.pattern.group(6, Role::Primal);
            system.pattern.after(pose, stress);
            system.block(stress, stress, &one * -0.3);
            system.block(stress, pose, one.clone());
            let before = if last == joint { -&axis } else { -&one };
            system.block(stress, last, before);
            if last == joint {
                system.pattern.after(joint, stress);
            }
            last = pose;
        }
        let weld = system.pattern.group(6, Role::Multiplier);
        system.block(weld, last, random(6, 6, &mut seed) + &one * 3.0);
        if waits {
            system.pattern.after(joint, weld);
            check_solution(&system, &mut seed);
        } else {
            let (sparse, _) = system.matrices();
            let mut factor = KktFactor::new(&system.pattern).unwrap();
            let _ = sparse.factor_into(&mut factor);
            assert!(factor.weak_pivots(1e10).next().is_some());
        }
    }
}
