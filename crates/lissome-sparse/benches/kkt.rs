//! Time of sparse factorisations: one mixed rod next to its band, and six of them that carry a platform.

mod timing;

use std::hint::black_box;
use std::time::Instant;

use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix, Group, KktFactor, KktMatrix, Pattern, Role, Slot};
use lissome_sparse::{SymmetricBand, SymmetricFactor};
use nalgebra::Matrix6;
use timing::random_block;

/// Degree of the splines.
const DEGREE: usize = 3;

/// Shortest of some runs, in microseconds.
fn shortest(blocks: usize, run: impl FnMut()) -> f64 {
    timing::shortest(600_000, blocks, run)
}

/// Blocks of a mixed rod held at its base: stress a at 2a, the pose i ≥ 1 that increment i − 1 reaches at 2i − 1.
/// Poses couple over the degree, stresses over one less, stress a with the poses a − p + 1 … a + p.
fn rod(increments: usize) -> Vec<(usize, usize, Matrix6<f64>)> {
    let mut seed = 1;
    let (stress, pose) = (|a: usize| 2 * a, |i: usize| 2 * i - 1);
    let mut blocks = Vec::new();
    let mut put = |row: usize, col: usize, own: f64| {
        let diagonal = Matrix6::identity() * own;
        let block = if row == col { diagonal } else { random_block(&mut seed) + diagonal };
        blocks.push((row.max(col), row.min(col), block));
    };
    for a in 0..increments {
        put(stress(a), stress(a), -30.0);
        for b in a.saturating_sub(DEGREE - 1)..a {
            put(stress(a), stress(b), 0.0);
        }
        for i in (a + 1).saturating_sub(DEGREE).max(1)..=(a + DEGREE).min(increments) {
            put(pose(i), stress(a), if i == a + 1 { 30.0 } else { 0.0 });
        }
    }
    for i in 1..=increments {
        put(pose(i), pose(i), 3.0);
        for j in i.saturating_sub(DEGREE).max(1)..i {
            put(pose(i), pose(j), 0.0);
        }
    }
    blocks
}

fn declare_rod(pattern: &mut Pattern, increments: usize, values: &mut Vec<(Slot, Matrix6<f64>)>) -> Vec<Group> {
    let groups: Vec<Group> = (0..2 * increments).map(|_| pattern.group(6, Role::Primal)).collect();
    for pair in groups.chunks_exact(2) {
        pattern.after(pair[1], pair[0]);
    }
    for (row, col, block) in rod(increments) {
        values.push((pattern.couple(groups[row], groups[col]), block));
    }
    groups
}

fn chain(increments: usize) {
    let n = 2 * increments;
    let blocks = rod(increments);
    let width = blocks.iter().map(|(row, col, _)| row - col).max().expect("a rod has increments");
    let mut band = SymmetricBand::new(n, width);
    let mut pattern = Pattern::new();
    let mut values = Vec::new();
    declare_rod(&mut pattern, increments, &mut values);
    let (mut kkt, mut general_kkt) = (KktMatrix::new(&pattern), GeneralKktMatrix::new(&pattern));
    for ((row, col, block), (slot, _)) in blocks.iter().zip(&values) {
        band.add(*row, *col, block);
        kkt.add(*slot, block);
        general_kkt.add(*slot, block);
        if row != col {
            general_kkt.add(slot.mirrored(), &block.transpose());
        }
    }
    let mut x = vec![1.0; 6 * n];
    let mut report = |name: &str, factor: f64, solve: &mut dyn FnMut(&mut [f64])| {
        let solve = shortest(n, || {
            x.fill(1.0);
            solve(black_box(&mut x));
        });
        println!("{name} {n:5} groups: factor {factor:8.2} us, solve {solve:7.2} us");
    };
    let mut f = SymmetricFactor::new(n, width);
    let time = shortest(n, || {
        black_box(band.factor_into(&mut f)).expect("the matrix is regular");
    });
    report("symmetric band", time, &mut |x| f.solve(x));
    let mut f = KktFactor::new(&pattern).expect("nothing waits in circles");
    let time = shortest(n, || {
        black_box(kkt.factor_into(&mut f)).expect("the matrix is regular");
    });
    report("symmetric kkt ", time, &mut |x| f.solve(x));
    println!("  {} block products", f.block_products());
    let mut f = GeneralKktFactor::new(&pattern).expect("nothing waits in circles");
    let time = shortest(n, || {
        black_box(general_kkt.factor_into(&mut f)).expect("the matrix is regular");
    });
    report("general kkt   ", time, &mut |x| f.solve(x));

    let count = blocks.len() as f64;
    let find = shortest(n, || {
        for (row, col, _) in &blocks {
            black_box(kkt.slot(black_box(*row), black_box(*col)));
        }
    });
    let clear = shortest(n, || kkt.clear());
    let by_slot = shortest(n, || {
        for (row, col, block) in &blocks {
            let slot = kkt.slot(*row, *col).expect("the block was declared");
            kkt.add(slot, block);
        }
    });
    kkt.clear();
    let direct = shortest(n, || {
        for (row, col, block) in &blocks {
            kkt.add_block(*row, *col, block);
        }
    });
    let general_direct = shortest(n, || {
        for (row, col, block) in &blocks {
            general_kkt.add_block(*row, *col, block);
        }
    });
    let in_band = shortest(n, || {
        for (row, col, block) in &blocks {
            band.add(*row, *col, block);
        }
    });
    println!(
        "  {count} blocks, ns each: find {:.1}, clear {:.1}, find and add {:.1}, add_block {:.1}, unsymmetric {:.1}, band {:.1}",
        1e3 * find / count,
        1e3 * clear / count,
        1e3 * by_slot / count,
        1e3 * direct / count,
        1e3 * general_direct / count,
        1e3 * in_band / count
    );
}

fn platform(increments: usize) {
    let mut pattern = Pattern::new();
    let mut values = Vec::new();
    let platform = pattern.group(6, Role::Primal);
    values.push((pattern.couple(platform, platform), Matrix6::identity()));
    for _ in 0..6 {
        let groups = declare_rod(&mut pattern, increments, &mut values);
        let joint = pattern.group(6, Role::Multiplier);
        values.push((pattern.couple(joint, groups[groups.len() - 1]), Matrix6::identity()));
        values.push((pattern.couple(joint, platform), -Matrix6::identity()));
    }
    let mut matrix = KktMatrix::new(&pattern);
    for (slot, block) in &values {
        matrix.add(*slot, block);
    }
    let start = Instant::now();
    let mut factor = KktFactor::new(&pattern).expect("nothing waits in circles");
    let setup = start.elapsed().as_secs_f64() * 1e6;
    let n = pattern.groups();
    let f = shortest(n, || {
        black_box(matrix.factor_into(&mut factor)).expect("the matrix is regular");
    });
    let mut x = vec![1.0; pattern.rows()];
    let s = shortest(n, || {
        x.fill(1.0);
        factor.solve(black_box(&mut x));
    });
    println!(
        "six legs {n:5} groups: setup {setup:8.1} us, factor {f:9.1} us, solve {s:8.1} us, {} products",
        factor.block_products()
    );
}

/// Six legs, of which `count` control poses touch something: a multiplier of three rows and the poses next to it, half of
/// them between neighbouring legs.
fn contacts(increments: usize, count: usize) {
    let mut pattern = Pattern::new();
    let mut values = Vec::new();
    let legs: Vec<Vec<Group>> = (0..6).map(|_| declare_rod(&mut pattern, increments, &mut values)).collect();
    let mark = pattern.mark();
    let declare = |pattern: &mut Pattern, shift: usize| {
        pattern.rewind(mark);
        for contact in 0..count {
            let multiplier = pattern.group(3, Role::Multiplier);
            let at = 2 * ((shift + contact * increments / count) % (increments - 4)) + 1;
            for leg in [contact % 5, contact % 5 + contact % 2] {
                for neighbour in 0..4 {
                    pattern.couple(multiplier, legs[leg][at + 2 * neighbour]);
                }
            }
        }
    };
    let mut factor = KktFactor::new(&pattern).expect("nothing waits in circles");
    let plain = factor.block_products();
    let mut matrix = KktMatrix::new(&pattern);
    let mut shift = 0;
    let n = pattern.groups();
    let declared = shortest(n, || {
        shift += 1;
        declare(&mut pattern, shift);
    });
    let laid = shortest(n, || matrix.rebuild(&pattern));
    let planned = shortest(n, || factor.rebuild(&pattern).expect("nothing waits in circles"));
    let anew = shortest(20 * n, || {
        black_box(KktFactor::new(&pattern)).expect("nothing waits in circles");
    });
    let searched = KktFactor::new(&pattern).expect("nothing waits in circles").block_products();
    println!(
        "six legs {n:5} groups, {count:2} contacts: declare {declared:6.1} us, matrix {laid:7.1} us, factor {planned:8.1} us \
         (new {anew:9.1} us); products {plain} without, {} rebuilt, {searched} new",
        factor.block_products()
    );
}

fn main() {
    for increments in [14, 100] {
        chain(increments);
    }
    for increments in [8, 15, 500] {
        platform(increments);
    }
    for (increments, count) in [(8, 4), (15, 8), (15, 30), (500, 30)] {
        contacts(increments, count);
    }
}
