//! Linear least squares between bounds, by an active set: min ‖A x − b‖ with low ≤ x ≤ high.
//!
//! Problems are small (a column for each drive), and A has full column rank: whoever calls adds rows that see to it.

use nalgebra::{DMatrix, DVector};

/// Rounds at most for each unknown: each frees one or holds some.
const ROUNDS: usize = 12;
/// A slope smaller than this part of the largest that there could be does not ask to be freed.
const NO_SLOPE: f64 = 1e-12;

/// What holds an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// Nothing.
    Free,
    /// The lower bound.
    Low,
    /// The upper bound.
    High,
}

/// The solution and what holds each of its numbers. The bounds must enclose zero, from where the search begins.
pub(crate) fn solve(a: &DMatrix<f64>, b: &DVector<f64>, bounds: &[(f64, f64)]) -> (DVector<f64>, Vec<Held>) {
    let n = a.ncols();
    let mut x = DVector::zeros(n);
    let mut held = vec![Held::Free; n];
    // An unknown that was freed in vain is not freed again before something else has changed.
    let mut refused = vec![false; n];
    let mut freed: Option<usize> = None;
    for _ in 0..ROUNDS * n.max(1) {
        let free: Vec<usize> = (0..n).filter(|j| held[*j] == Held::Free).collect();
        let Some(z) = on_free(a, b, &x, &free) else { break };
        let outside = |k: usize| {
            let (low, high) = bounds[free[k]];
            z[k] < low || z[k] > high
        };
        if let Some(vain) = freed.take()
            && let Some(k) = free.iter().position(|j| *j == vain)
            && outside(k)
            && x[vain] == bound(bounds[vain], z[k])
        {
            held[vain] = if z[k] < bounds[vain].0 { Held::Low } else { Held::High };
            refused[vain] = true;
            if let Some(next) = steepest(a, b, &x, &held, &refused) {
                (held[next], freed) = (Held::Free, Some(next));
                continue;
            }
            break;
        }
        let part = (0..free.len()).filter(|k| outside(*k)).map(|k| {
            let (j, to) = (free[k], bound(bounds[free[k]], z[k]));
            (to - x[j]) / (z[k] - x[j])
        });
        let part = part.fold(1.0, f64::min);
        for (k, j) in free.iter().enumerate() {
            let to = bound(bounds[*j], z[k]);
            let reaches = outside(k) && (to - x[*j]) / (z[k] - x[*j]) <= part;
            x[*j] = if reaches { to } else { x[*j] + part * (z[k] - x[*j]) };
            if reaches {
                held[*j] = if z[k] < to { Held::Low } else { Held::High };
            }
        }
        if part < 1.0 {
            continue;
        }
        refused.fill(false);
        match steepest(a, b, &x, &held, &refused) {
            Some(next) => (held[next], freed) = (Held::Free, Some(next)),
            None => break,
        }
    }
    (x, held)
}

/// The nearest number within bounds.
fn bound((low, high): (f64, f64), x: f64) -> f64 {
    x.clamp(low, high)
}

/// The free unknowns that are best while the others stay.
fn on_free(a: &DMatrix<f64>, b: &DVector<f64>, x: &DVector<f64>, free: &[usize]) -> Option<DVector<f64>> {
    if free.is_empty() {
        return Some(DVector::zeros(0));
    }
    let mut rest = b.clone();
    for j in (0..a.ncols()).filter(|j| !free.contains(j)) {
        rest.axpy(-x[j], &a.column(j), 1.0);
    }
    let qr = a.select_columns(free).qr();
    qr.q_tr_mul(&mut rest);
    qr.r().solve_upper_triangular(&rest.rows(0, free.len()).into_owned())
}

/// The held unknown that gains most by being freed.
fn steepest(a: &DMatrix<f64>, b: &DVector<f64>, x: &DVector<f64>, held: &[Held], refused: &[bool]) -> Option<usize> {
    let open = b - a * x;
    let size = b.norm();
    let gains = (0..held.len()).filter(|j| !refused[*j]).filter_map(|j| {
        let slope = a.column(j).dot(&open);
        let gain = match held[j] {
            Held::Free => return None,
            Held::Low => slope,
            Held::High => -slope,
        };
        (gain > NO_SLOPE * a.column(j).norm() * size).then_some((gain, j))
    });
    gains.max_by(|p, q| p.0.total_cmp(&q.0)).map(|(_, j)| j)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between −1 and 1 that are always the same.
    fn numbers(seed: u64) -> impl FnMut() -> f64 {
        let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn the_conditions_of_a_bounded_minimum_hold() {
        for seed in 1..400 {
            let mut next = numbers(seed);
            let n = 1 + (seed as usize) % 8;
            let a = DMatrix::from_fn(n + 4, n, |_, _| next());
            let b = DVector::from_fn(n + 4, |_, _| 3.0 * next());
            let bounds: Vec<(f64, f64)> = (0..n)
                .map(|j| {
                    let (low, high) = (-next().abs(), next().abs());
                    if j % 3 == 0 {
                        (low, f64::INFINITY)
                    } else if j % 4 == 1 {
                        (0.0, high)
                    } else {
                        (low, high)
                    }
                })
                .collect();
            let (x, _) = solve(&a, &b, &bounds);
            let slope = a.transpose() * (&b - &a * &x);
            for j in 0..n {
                let (low, high) = bounds[j];
                assert!(x[j] >= low && x[j] <= high, "seed {seed}");
                let tolerance = 1e-9 * (1.0 + b.norm());
                if x[j] == low {
                    assert!(slope[j] < tolerance, "seed {seed}: a lower bound pulls, {}", slope[j]);
                } else if x[j] == high {
                    assert!(slope[j] > -tolerance, "seed {seed}: an upper bound pulls, {}", slope[j]);
                } else {
                    assert!(slope[j].abs() < tolerance, "seed {seed}: a free unknown is not at its best, {}", slope[j]);
                }
            }
        }
    }
}
