//! Time of factorisation and solve per block column, next to the time of one 6×6 product.

use std::hint::black_box;
use std::time::Instant;

use lissome_sparse::{GeneralBand, GeneralFactor, SymmetricBand, SymmetricFactor};
use nalgebra::Matrix6;

/// Shortest of `repeats` runs, in seconds.
fn shortest(repeats: usize, mut run: impl FnMut()) -> f64 {
    (0..repeats)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

/// A deterministic number in −1 … 1.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn main() {
    let mut seed = 1;
    let a = Matrix6::from_fn(|_, _| noise(&mut seed));
    let mut c = Matrix6::zeros();
    let product = shortest(200, || {
        for _ in 0..1000 {
            c = black_box(&a) * black_box(&a);
            black_box(&c);
        }
    });
    println!("6x6 product {:.1} ns", product * 1e6);
    let w = 6;
    for n in [10, 28, 100, 1000, 10_000] {
        let mut band = SymmetricBand::new(n, w);
        let mut general = GeneralBand::new(n, w);
        for j in 0..n {
            // Stresses at even, poses at odd block rows.
            let sign = if j % 2 == 0 { -1.0 } else { 1.0 };
            band.add(j, j, &(Matrix6::identity() * (sign * 30.0)));
            general.add(j, j, &(Matrix6::identity() * (sign * 30.0)));
            for i in j + 1..(j + w + 1).min(n) {
                let block = Matrix6::from_fn(|_, _| noise(&mut seed));
                band.add(i, j, &block);
                general.add(i, j, &block);
                general.add(j, i, &block.transpose());
            }
        }
        let mut factor = SymmetricFactor::new(n, w);
        let repeats = (200_000 / n).clamp(10, 5000);
        let mut x = vec![1.0; 6 * n];
        let f = shortest(repeats, || {
            black_box(band.factor_into(&mut factor)).expect("the matrix is quasi-definite");
        });
        let s = shortest(repeats, || factor.solve(black_box(&mut x)));
        let mut y = vec![1.0; 6 * n];
        let m = shortest(repeats, || band.multiply(black_box(&x), &mut y));
        println!(
            "n {n:6} w {w}: factor {:9.2} us ({:6.0} ns/column), solve {:8.2} us, multiply {:8.2} us",
            f * 1e6,
            f * 1e9 / n as f64,
            s * 1e6,
            m * 1e6
        );
        let mut lu = GeneralFactor::new(n, w);
        let f = shortest(repeats.min(300), || {
            black_box(general.factor_into(&mut lu)).expect("the matrix is quasi-definite");
        });
        let s = shortest(repeats.min(300), || lu.solve(black_box(&mut x)));
        println!(
            "         general: factor {:9.2} us ({:6.0} ns/column), solve {:8.2} us",
            f * 1e6,
            f * 1e9 / n as f64,
            s * 1e6
        );
    }
}
