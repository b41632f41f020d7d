//! Complex Schur form by the QR algorithm with single shifts: A = Q T Qᴴ, T upper triangular, Q unitary.
//!
//! nalgebra's own form stalls on matrices whose eigenvalues gather at a point, such as those of over-damped motions.

use nalgebra::{Complex, DMatrix};

/// Sweeps for one eigenvalue at most, and how often an unusual shift breaks a cycle.
const MOST_SWEEPS: usize = 120;
const UNUSUAL_EVERY: usize = 10;

/// Q and T of a square matrix; `None` if a number is not finite or the sweeps do not end.
pub fn schur(a: DMatrix<Complex<f64>>) -> Option<[DMatrix<Complex<f64>>; 2]> {
    let n = a.nrows();
    if n < 2 {
        return Some([DMatrix::identity(n, n), a]);
    }
    let (mut q, mut t) = a.hessenberg().unpack();
    let size = t.norm();
    if !size.is_finite() {
        return None;
    }
    let (mut last, mut sweeps) = (n - 1, 0);
    while last > 0 {
        let first = (1..=last).rev().find(|k| negligible(&mut t, *k, size)).unwrap_or(0);
        if first == last {
            (last, sweeps) = (last - 1, 0);
            continue;
        }
        sweeps += 1;
        if sweeps > MOST_SWEEPS {
            return None;
        }
        let shift = match sweeps % UNUSUAL_EVERY {
            0 => t[(last, last)] + t[(last, last - 1)].norm(),
            _ => wilkinson(&t, last),
        };
        sweep(&mut t, &mut q, first, last, shift);
    }
    Some([q, t])
}

/// True if the entry below the diagonal in row k is round-off; it becomes zero then.
fn negligible(t: &mut DMatrix<Complex<f64>>, k: usize, size: f64) -> bool {
    let beside = t[(k - 1, k - 1)].norm() + t[(k, k)].norm();
    let scale = if beside > 0.0 { beside } else { size };
    let small = t[(k, k - 1)].norm() <= f64::EPSILON * scale;
    if small {
        t[(k, k - 1)] = Complex::from(0.0);
    }
    small
}

/// The eigenvalue of the last 2×2 block that is nearer to its last entry.
fn wilkinson(t: &DMatrix<Complex<f64>>, last: usize) -> Complex<f64> {
    let (a, b) = (t[(last - 1, last - 1)], t[(last - 1, last)]);
    let (c, d) = (t[(last, last - 1)], t[(last, last)]);
    let half = (a - d) * 0.5;
    let root = (half * half + b * c).sqrt();
    let [one, other] = [half + root, half - root];
    d + if one.norm() < other.norm() { one } else { other }
}

/// One QR sweep T − s = QR, T ← RQ + s on the rows from `first` to `last`, by rotations.
fn sweep(t: &mut DMatrix<Complex<f64>>, q: &mut DMatrix<Complex<f64>>, first: usize, last: usize, shift: Complex<f64>) {
    let n = t.nrows();
    (first..=last).for_each(|k| t[(k, k)] -= shift);
    let mut rotations = Vec::with_capacity(last - first);
    for k in first..last {
        let (x, y) = (t[(k, k)], t[(k + 1, k)]);
        let length = x.norm().hypot(y.norm());
        let (c, s) = if length > 0.0 { (x / length, y / length) } else { (Complex::from(1.0), Complex::from(0.0)) };
        for j in k..n {
            let (x, y) = (t[(k, j)], t[(k + 1, j)]);
            t[(k, j)] = c.conj() * x + s.conj() * y;
            t[(k + 1, j)] = c * y - s * x;
        }
        rotations.push((c, s));
    }
    for (k, (c, s)) in (first..last).zip(rotations) {
        let turn = |m: &mut DMatrix<Complex<f64>>, rows: usize| {
            for i in 0..rows {
                let (x, y) = (m[(i, k)], m[(i, k + 1)]);
                m[(i, k)] = x * c + y * s;
                m[(i, k + 1)] = y * c.conj() - x * s.conj();
            }
        };
        turn(t, k + 2);
        turn(q, n);
    }
    (first..=last).for_each(|k| t[(k, k)] += shift);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn check(a: DMatrix<Complex<f64>>) -> DMatrix<Complex<f64>> {
        let n = a.nrows();
        let [q, t] = schur(a.clone()).unwrap();
        // A backward error of a few units of round-off for each of the sweeps.
        let bar = 100.0 * n as f64 * f64::EPSILON * a.norm().max(1.0);
        assert!((&q * &t * q.adjoint() - &a).norm() < bar);
        assert!((q.adjoint() * &q - DMatrix::<Complex<f64>>::identity(n, n)).norm() < bar);
        assert!((0..n).all(|j| (j + 1..n).all(|i| t[(i, j)].norm() < bar)));
        t
    }

    #[test]
    fn a_full_matrix() {
        let entry = |i: usize, j: usize| {
            Complex::new((1.0 + 3.1 * i as f64 + 1.7 * j as f64).sin(), (0.3 * (i * j) as f64).cos())
        };
        for n in [1, 2, 3, 30] {
            let a = DMatrix::from_fn(n, n, entry);
            let t = check(a.clone());
            assert!((t.trace() - a.trace()).norm() < 1e-11 * n as f64);
        }
    }

    #[test]
    fn a_turn_of_the_coordinates() {
        // All eigenvalues on the unit circle, the plain shift being zero: only an unusual one breaks the cycle.
        let n = 12;
        let a = DMatrix::from_fn(n, n, |i, j| Complex::from(if i == (j + 1) % n { 1.0 } else { 0.0 }));
        let t = check(a);
        assert!(t.diagonal().iter().all(|root| (root.powi(12) - Complex::from(1.0)).norm() < 1e-12));
    }

    #[test]
    fn eigenvalues_that_gather_at_a_point() {
        let n = 80;
        let a = DMatrix::from_fn(n, n, |i, j| {
            let near = if i == j { 1.0 + 0.5f64.powi(i as i32) } else { 0.0 };
            Complex::from(near + if j > i { (0.1 * (i + 2 * j) as f64).sin() / n as f64 } else { 0.0 })
        });
        // Mixed by a reflection, so that it is not triangular to begin with.
        let v = DMatrix::from_fn(n, 1, |i, _| Complex::from((1.0 + i as f64).sqrt()));
        let mirror = DMatrix::identity(n, n) - &v * v.transpose() * Complex::from(2.0 / v.norm_squared());
        check(&mirror * a * &mirror);
    }
}
