//! Time of factorisation and solve, next to the time of one 6×6 product: chains in the mixed form.

mod timing;

use std::hint::black_box;

use lissome_sparse::{SymmetricBand, SymmetricFactor};
use nalgebra::Matrix6;
use timing::random_block;

/// Half-bandwidth of cubic splines with stresses and poses interleaved.
const HALF_BANDWIDTH: usize = 6;

/// Shortest of some runs, in microseconds.
fn shortest(blocks: usize, run: impl FnMut()) -> f64 {
    timing::shortest(200_000, blocks, run)
}

/// Stresses at even, poses at odd block rows; `pose_stiffness` 0 makes the poses depend on their stresses.
fn chain(n: usize, pose_stiffness: f64, poses_first: bool) -> SymmetricBand {
    let mut seed = 1;
    let mut band = SymmetricBand::new(n, HALF_BANDWIDTH);
    for j in 0..n {
        let is_pose = (j % 2 == 0) == poses_first;
        band.add(j, j, &(Matrix6::identity() * if is_pose { 30.0 * pose_stiffness } else { -30.0 }));
        for i in j + 1..(j + HALF_BANDWIDTH + 1).min(n) {
            let both_poses = is_pose && (i - j) % 2 == 0;
            band.add(i, j, &(random_block(&mut seed) * if both_poses { pose_stiffness } else { 1.0 }));
        }
        if j % 2 == 0 && j + 1 < n {
            band.add(j + 1, j, &(Matrix6::identity() * 30.0));
        }
    }
    band
}

fn symmetric(name: &str, band: &SymmetricBand) {
    let n = band.block_rows();
    let mut factor = SymmetricFactor::new(n, HALF_BANDWIDTH);
    let f = shortest(n, || {
        black_box(band.factor_into(&mut factor)).expect("the matrix is regular");
    });
    let mut x = vec![1.0; 6 * n];
    let s = shortest(n, || {
        x.fill(1.0);
        factor.solve(black_box(&mut x));
    });
    let b = vec![1.0; 6 * n];
    let mut work = Vec::new();
    let r = shortest(n, || {
        black_box(factor.solve_refined(band, &b, &mut x, &mut work));
    });
    println!("{name} {n:6} block rows: factor {f:9.1} us, solve {s:8.1} us, solve_refined {r:8.1} us");
}

fn main() {
    let a = random_block(&mut 1);
    let product = shortest(100, || {
        for _ in 0..1000 {
            black_box(black_box(&a) * black_box(&a));
        }
    });
    println!("6x6 product {product:.1} ns");
    for n in [10, 28, 100, 1000, 10_000] {
        symmetric("stresses first   ", &chain(n, 1.0, false));
        symmetric("poses 0, after   ", &chain(n, 0.0, false));
        symmetric("poses 0, before  ", &chain(n, 0.0, true));
    }
}
