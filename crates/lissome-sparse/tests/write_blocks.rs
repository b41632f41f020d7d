//! Blocks go where they were declared: by slot or directly, near and far, cropped to the sizes of their groups.
#![allow(clippy::unwrap_used)]

mod matrices;

use lissome_sparse::kkt::{GeneralKktMatrix, Group, KktMatrix, Pattern, Role};
use matrices::{noise, random_block};
use nalgebra::Matrix6;
use proptest::prelude::*;

/// Groups of random size in a chain, with couplings between any two, and a last group that is coupled with every third.
fn pattern(count: usize, far: usize, seed: &mut u64) -> (Pattern, Vec<Group>, Vec<(Group, Group)>) {
    let pick = |n: usize, seed: &mut u64| ((noise(seed).abs() * n as f64) as usize).min(n - 1);
    let mut pattern = Pattern::new();
    let groups: Vec<Group> = (0..count).map(|_| pattern.group(1 + pick(6, seed), Role::Primal)).collect();
    let mut pairs: Vec<(Group, Group)> = groups.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.extend((0..far).map(|_| (groups[pick(count, seed)], groups[pick(count, seed)])));
    pairs.extend(groups[..count - 1].iter().step_by(3).map(|&group| (groups[count - 1], group)));
    for (row, col) in &mut pairs {
        if noise(seed) > 0.0 {
            (*row, *col) = (*col, *row);
        }
        pattern.couple(*row, *col);
    }
    pairs.extend(groups.iter().map(|&group| (group, group)));
    (pattern, groups, pairs)
}

/// The values of a matrix, column by column, by products with unit vectors.
fn columns(rows: usize, multiply: impl Fn(&[f64], &mut [f64])) -> Vec<Vec<f64>> {
    (0..rows)
        .map(|c| {
            let (mut unit, mut column) = (vec![0.0; rows], vec![0.0; rows]);
            unit[c] = 1.0;
            multiply(&unit, &mut column);
            column
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_declared_block_is_found_and_no_other(count in 2usize..160, far in 0usize..60, mut seed in any::<u64>()) {
        let (mut pattern, groups, pairs) = pattern(count, far, &mut seed);
        let matrix = KktMatrix::new(&pattern);
        let mut declared = vec![None; count * count];
        for &(row, col) in &pairs {
            let slot = pattern.couple(row, col);
            declared[row.index() * count + col.index()] = Some(slot);
            declared[col.index() * count + row.index()] = Some(slot.mirrored());
        }
        for row in 0..count {
            for col in 0..count {
                prop_assert_eq!(matrix.slot(row, col), declared[row * count + col]);
            }
        }
        prop_assert_eq!(matrix.slot(count, 0), None);
        prop_assert_eq!(matrix.slot(count, count), None);
        prop_assert_eq!(matrix.rows_of(count - 1), pattern.rows_of(groups[count - 1]));
    }

    /// A whole block cropped by the matrix is the cropped block written to its slot, to the bit.
    #[test]
    fn whole_blocks_are_cropped(count in 2usize..60, far in 0usize..30, mut seed in any::<u64>()) {
        let (pattern, _, pairs) = pattern(count, far, &mut seed);
        let (mut by_slot, mut direct) = (KktMatrix::new(&pattern), KktMatrix::new(&pattern));
        let (mut general_by_slot, mut general_direct) = (GeneralKktMatrix::new(&pattern), GeneralKktMatrix::new(&pattern));
        for &(a, b) in &pairs {
            for (row, col) in [(a, b), (b, a)] {
                let (r, c) = (row.index(), col.index());
                let block: Matrix6<f64> = random_block(&mut seed);
                let own = if r == c { block + block.transpose() } else { block };
                let shape = (pattern.rows_of(row).len(), pattern.rows_of(col).len());
                by_slot.add(by_slot.slot(r, c).unwrap(), &own.view((0, 0), shape));
                direct.add_block(r, c, &own);
                general_by_slot.add(general_by_slot.slot(r, c).unwrap(), &block.view((0, 0), shape));
                general_direct.add_block(r, c, &block);
            }
        }
        let rows = pattern.rows();
        prop_assert_eq!(columns(rows, |x, y| by_slot.multiply(x, y)), columns(rows, |x, y| direct.multiply(x, y)));
        prop_assert_eq!(
            columns(rows, |x, y| general_by_slot.multiply(x, y)),
            columns(rows, |x, y| general_direct.multiply(x, y))
        );
    }
}

#[test]
#[should_panic(expected = "declared as a coupling")]
fn a_block_that_was_not_declared_is_refused() {
    let mut pattern = Pattern::new();
    let (a, b) = (pattern.group(6, Role::Primal), pattern.group(6, Role::Primal));
    KktMatrix::new(&pattern).add_block(a.index(), b.index(), &Matrix6::identity());
}
