//! What the benches share: a clock and numbers.

use std::time::Instant;

use nalgebra::Matrix6;

/// Shortest of some runs over so many blocks, in microseconds. `work` is the number of blocks of all runs together.
pub fn shortest(work: usize, blocks: usize, mut run: impl FnMut()) -> f64 {
    let repeats = (work / blocks).clamp(10, work / 30);
    let seconds = (0..repeats)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    seconds * 1e6
}

/// A deterministic number in −1 … 1.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// A block of such numbers.
pub fn random_block(seed: &mut u64) -> Matrix6<f64> {
    Matrix6::from_fn(|_, _| noise(seed))
}
