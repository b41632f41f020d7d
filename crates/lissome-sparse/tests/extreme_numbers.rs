//! Numbers that are not finite and numbers at the ends of the range: every factor and every solution has a typed outcome.
#![allow(clippy::unwrap_used)]

mod matrices;

use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix, Group, KktFactor, KktMatrix, Pattern, Role, Slot};
use lissome_sparse::{FactorError, Inertia, SymmetricBand, SymmetricFactor};
use matrices::{banded, noise, random_block, random_vector};
use nalgebra::{DMatrix, Matrix6};
use proptest::prelude::*;

const EXTREME: [f64; 14] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e300,
    1e200,
    1e160,
    1e-160,
    1e-200,
    1e-300,
    -1e-300,
    1e-310,
    5e-324,
    f64::MAX,
];

/// Bodies in a chain with a group of two and a scalar constraint, so that all kinds of blocks and padding are there.
struct System {
    pattern: Pattern,
    blocks: Vec<(Group, Group, Slot, DMatrix<f64>)>,
}

fn system(seed: &mut u64) -> System {
    let mut pattern = Pattern::new();
    let sizes = [6, 6, 2, 6, 1, 3];
    let groups: Vec<Group> = sizes
        .iter()
        .enumerate()
        .map(|(i, &size)| pattern.group(size, if i < 4 { Role::Primal } else { Role::Multiplier }))
        .collect();
    let mut blocks = Vec::new();
    for (row, col) in [(0, 0), (1, 1), (2, 2), (3, 3), (1, 0), (1, 2), (3, 2), (4, 0), (3, 4), (5, 1), (5, 3)] {
        let mut values = DMatrix::from_fn(sizes[row], sizes[col], |_, _| noise(seed));
        if row == col {
            values = &values + values.transpose() + DMatrix::identity(sizes[row], sizes[row]) * 30.0;
        }
        blocks.push((groups[row], groups[col], pattern.couple(groups[row], groups[col]), values));
    }
    System { pattern, blocks }
}

impl System {
    fn symmetric(&self) -> KktMatrix {
        let mut matrix = KktMatrix::new(&self.pattern);
        for (_, _, slot, values) in &self.blocks {
            matrix.add(*slot, values);
        }
        matrix
    }

    fn general(&self) -> GeneralKktMatrix {
        let mut matrix = GeneralKktMatrix::new(&self.pattern);
        for (row, col, slot, values) in &self.blocks {
            matrix.add(*slot, values);
            if row != col {
                matrix.add(slot.mirrored(), &values.transpose());
            }
        }
        matrix
    }

    /// Factors and solves with both factors.
    fn check(&self, b: &[f64]) {
        let all_finite = self.blocks.iter().all(|(_, _, _, values)| values.iter().all(|v| v.is_finite()));
        let matrix = self.symmetric();
        let mut factor = KktFactor::new(&self.pattern).unwrap();
        let outcome = matrix.factor_into(&mut factor);
        let mut x = b.to_vec();
        let solved = factor.solve_checked(&mut x);
        match outcome {
            Ok(inertia) => {
                assert_eq!(inertia.positive + inertia.negative, self.pattern.rows());
                assert!(all_finite && inertia.zero == 0);
            }
            Err(FactorError::NotFinite { block }) => {
                assert!(block < self.pattern.groups());
                assert_eq!(factor.inertia(), Inertia::default());
                assert_eq!(factor.weak_pivots(1e10).count(), 0);
            }
            Err(FactorError::Singular { block }) => assert!(all_finite && block < self.pattern.groups()),
            Err(error) => panic!("{error}"),
        }
        assert_eq!(solved.is_ok(), x.iter().all(|x| x.is_finite()));
        factor.solve_refined(&matrix, b, &mut x, &mut Vec::new());
        for weak in factor.weak_pivots(1.0).collect::<Vec<_>>() {
            factor.undetermined(&weak, &mut x);
        }

        let matrix = self.general();
        let mut factor = GeneralKktFactor::new(&self.pattern).unwrap();
        match matrix.factor_into(&mut factor) {
            Ok(()) => assert!(all_finite),
            Err(FactorError::NotFinite { block }) => assert!(block < self.pattern.groups()),
            Err(FactorError::Singular { block }) => assert!(all_finite && block < self.pattern.groups()),
            Err(error) => panic!("{error}"),
        }
        let mut x = b.to_vec();
        let solved = factor.solve_checked(&mut x);
        assert_eq!(solved.is_ok(), x.iter().all(|x| x.is_finite()));
        factor.solve_refined(&matrix, b, &mut x, &mut Vec::new());
        let _ = factor.weak_pivots(1.0).count();
        // The symmetric part of numbers near the largest one stays finite.
        matrix.symmetric_part_into(&mut KktMatrix::new(&self.pattern));
    }
}

fn check_band(a: &SymmetricBand, b: &[f64], all_finite: bool) {
    let mut factor = SymmetricFactor::new(a.block_rows(), a.half_bandwidth());
    match a.factor_into(&mut factor) {
        Ok(inertia) => {
            assert!(all_finite);
            assert_eq!(inertia.positive + inertia.negative, 6 * a.block_rows());
        }
        Err(FactorError::NotFinite { block }) => assert!(block < a.block_rows()),
        Err(FactorError::Singular { block }) => assert!(all_finite && block < a.block_rows()),
        Err(error) => panic!("{error}"),
    }
    let mut x = b.to_vec();
    factor.solve(&mut x);
    factor.solve_refined(a, b, &mut x, &mut Vec::new());
}

#[test]
fn one_extreme_entry_in_every_position_of_a_sparse_matrix() {
    let mut seed = 1;
    let plain = system(&mut seed);
    let b = random_vector(plain.pattern.rows(), &mut seed);
    for extreme in EXTREME {
        for block in 0..plain.blocks.len() {
            for at in 0..plain.blocks[block].3.len() {
                let mut system = System { pattern: plain.pattern.clone(), blocks: plain.blocks.clone() };
                let values = &mut system.blocks[block].3;
                values[at] = extreme;
                if plain.blocks[block].0 == plain.blocks[block].1 {
                    let (r, c) = (at % values.nrows(), at / values.nrows());
                    values[(c, r)] = extreme;
                }
                system.check(b.as_slice());
            }
        }
    }
}

#[test]
fn one_extreme_entry_in_every_position_of_a_band() {
    let mut seed = 2;
    let plain = banded(4, 2, &mut seed, 30.0);
    let b = random_vector(24, &mut seed);
    for extreme in EXTREME {
        for col in 0..4 {
            for row in col..(col + 3).min(4) {
                for at in 0..36 {
                    let mut a = plain.clone();
                    a.block_mut(row, col)[at] = extreme;
                    if row == col {
                        a.block_mut(row, col)[(at / 6, at % 6)] = extreme;
                    }
                    check_band(&a, b.as_slice(), extreme.is_finite());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Every entry of every block of a size of its own.
    #[test]
    fn mixed_scales(mut seed in any::<u64>(), span in 1.0..320.0, holes in 0.0..0.9) {
        let mut system = system(&mut seed);
        let size = |seed: &mut u64| if noise(seed).abs() < holes { 0.0 } else { noise(seed) * 10f64.powf(span * noise(seed)) };
        for (row, col, _, values) in &mut system.blocks {
            *values = values.map(|_| size(&mut seed));
            if row == col {
                *values = &*values + values.transpose();
            }
        }
        let b: Vec<f64> = (0..system.pattern.rows()).map(|_| size(&mut seed)).collect();
        system.check(&b);

        let mut a = SymmetricBand::new(5, 2);
        for col in 0..5 {
            for row in col..(col + 3).min(5) {
                let block = random_block(&mut seed).map(|_| size(&mut seed));
                *a.block_mut(row, col) = if row == col { block + block.transpose() } else { block };
            }
        }
        let all_finite = (0..5).all(|c| (c..(c + 3).min(5)).all(|r| a.block(r, c).iter().all(|v| v.is_finite())));
        let b: Vec<f64> = (0..30).map(|_| size(&mut seed)).collect();
        check_band(&a, &b, all_finite);
    }

    /// Units of single rows from 10⁻⁷⁵ to 10⁷⁵: still factored, with the same inertia.
    #[test]
    fn units_far_apart_change_nothing(mut seed in any::<u64>()) {
        let plain = system(&mut seed);
        let inertia = |system: &System| {
            let mut factor = KktFactor::new(&system.pattern).unwrap();
            system.symmetric().factor_into(&mut factor)
        };
        let unit: Vec<f64> = (0..plain.pattern.rows()).map(|_| 2f64.powi((250.0 * noise(&mut seed)) as i32)).collect();
        let mut scaled = System { pattern: plain.pattern.clone(), blocks: plain.blocks.clone() };
        for (row, col, _, values) in &mut scaled.blocks {
            let (rows, cols) = (plain.pattern.rows_of(*row), plain.pattern.rows_of(*col));
            *values = DMatrix::from_fn(rows.len(), cols.len(), |r, c| values[(r, c)] * unit[rows.start + r] * unit[cols.start + c]);
        }
        prop_assert_eq!(inertia(&plain), inertia(&scaled));
        let mut factor = GeneralKktFactor::new(&scaled.pattern).unwrap();
        prop_assert_eq!(scaled.general().factor_into(&mut factor), Ok(()));
    }
}

/// What overflows in the elimination is not finite, rather than singular.
#[test]
fn a_product_that_leaves_the_range_is_not_finite() {
    let mut pattern = Pattern::new();
    let (a, b) = (pattern.group(6, Role::Primal), pattern.group(6, Role::Primal));
    pattern.couple(a, b);
    let mut matrix = KktMatrix::new(&pattern);
    let mut general = GeneralKktMatrix::new(&pattern);
    for (row, col, size) in [(0, 0, 1.0), (1, 1, 1.0), (0, 1, 1e200)] {
        matrix.add_block(row, col, &(Matrix6::identity() * size));
        general.add_block(row, col, &(Matrix6::identity() * size));
        if row != col {
            general.add_block(col, row, &(Matrix6::identity() * size));
        }
    }
    let mut factor = KktFactor::new(&pattern).unwrap();
    assert_eq!(matrix.factor_into(&mut factor), Err(FactorError::NotFinite { block: 1 }));
    let mut factor = GeneralKktFactor::new(&pattern).unwrap();
    assert_eq!(general.factor_into(&mut factor), Err(FactorError::NotFinite { block: 1 }));
}

/// A right-hand side that is not finite is told by its group.
#[test]
fn a_right_hand_side_that_is_not_finite_is_named() {
    let mut pattern = Pattern::new();
    for _ in 0..3 {
        pattern.group(6, Role::Primal);
    }
    let mut matrix = KktMatrix::new(&pattern);
    for group in 0..3 {
        matrix.add_block(group, group, &Matrix6::identity());
    }
    let mut factor = KktFactor::new(&pattern).unwrap();
    matrix.factor_into(&mut factor).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut x = vec![1.0; 18];
        x[13] = bad;
        assert_eq!(factor.solve_checked(&mut x), Err(FactorError::NotFinite { block: 2 }));
    }
    assert_eq!(factor.solve_checked(&mut [1.0; 18]), Ok(()));
}
