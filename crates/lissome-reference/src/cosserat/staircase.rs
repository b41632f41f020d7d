//! The linear system of multiple shooting, by orthogonal elimination from base to tip.
//!
//! Unknown x₀ … x_N of twelve numbers each; six conditions at the base, B x₀ = b; twelve per segment,
//! x_{k+1} − T_k x_k = c_k; six at the tip, E x_N = e. Six conditions on x_k and the twelve of segment k make
//! eighteen rows over (x_k, x_{k+1}); a QR factorisation of the columns of x_k leaves twelve rows that give x_k, and
//! six conditions on x_{k+1}. Orthogonal steps keep growing and decaying solutions apart, whatever the load.
//!
//! T_k is invertible, so that only the last twelve equations can be singular: at a fold, at a bifurcation, or where
//! equilibria form a family (a round rod buckled between clamps may turn about the line of its ends). There the shortest
//! solution is taken, which leaves a member of a family where it is.

use super::equations::{Transfer, Variation};
use nalgebra::{SMatrix, SVector, Vector6};

/// Six conditions on twelve numbers.
pub(crate) type EndRows = SMatrix<f64, 6, 12>;

/// The system, block by block.
pub(crate) struct Staircase {
    pub base: (EndRows, Vector6<f64>),
    pub segments: Vec<(Transfer, Variation)>,
    pub tip: (EndRows, Vector6<f64>),
}

/// Singular values below this fraction of the largest count as zero. The axial compliance of a straight rod between
/// clamps, B/(EA L²) = 2.5e-9 at L/r = 10⁴, must stay above it.
const SINGULAR: f64 = 1e-13;

impl Staircase {
    /// The unknowns from base to tip, the shortest if there are several; `None` if the system is not finite.
    pub fn solve(&self) -> Option<Vec<Variation>> {
        // Rows kept for the way back: R x_k = d − S x_{k+1}.
        let mut kept: Vec<(Transfer, Transfer, Variation)> = Vec::with_capacity(self.segments.len());
        let (mut conditions, mut values) = self.base;
        for (transfer, gap) in &self.segments {
            let mut columns = SMatrix::<f64, 18, 12>::zeros();
            columns.fixed_rows_mut::<6>(0).copy_from(&conditions);
            columns.fixed_rows_mut::<12>(6).copy_from(&-transfer);
            let mut rest = SMatrix::<f64, 18, 13>::zeros();
            rest.fixed_view_mut::<12, 12>(6, 0).fill_with_identity();
            rest.fixed_view_mut::<6, 1>(0, 12).copy_from(&values);
            rest.fixed_view_mut::<12, 1>(6, 12).copy_from(gap);
            let qr = columns.qr();
            qr.q_tr_mul(&mut rest);
            let r: Transfer = qr.r().fixed_rows::<12>(0).into();
            kept.push((r, rest.fixed_view::<12, 12>(0, 0).into(), rest.fixed_view::<12, 1>(0, 12).into()));
            conditions = rest.fixed_view::<6, 12>(12, 0).into();
            values = rest.fixed_view::<6, 1>(12, 12).into();
        }
        let mut last = Transfer::zeros();
        last.fixed_rows_mut::<6>(0).copy_from(&conditions);
        last.fixed_rows_mut::<6>(6).copy_from(&self.tip.0);
        let mut right = SVector::<f64, 12>::zeros();
        right.fixed_rows_mut::<6>(0).copy_from(&values);
        right.fixed_rows_mut::<6>(6).copy_from(&self.tip.1);
        let mut x = shortest_solution(&last, &right)?;
        let mut solution = vec![x];
        for (r, s, d) in kept.iter().rev() {
            x = r.solve_upper_triangular(&(d - s * x))?;
            solution.push(x);
        }
        solution.reverse();
        Some(solution)
    }
}

fn shortest_solution(a: &Transfer, b: &Variation) -> Option<Variation> {
    // The decomposition does not return from a NaN.
    if a.iter().chain(b.iter()).any(|x| !x.is_finite()) {
        return None;
    }
    let svd = a.svd(true, true);
    svd.solve(b, SINGULAR * svd.singular_values.max()).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn solves_what_a_dense_matrix_solves() {
        // A deterministic jumble of entries in (−1, 1).
        let mut seed = 1u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let system = Staircase {
            base: (EndRows::from_fn(|_, _| next()), Vector6::from_fn(|_, _| next())),
            segments: (0..3)
                .map(|_| (Transfer::from_fn(|_, _| 2.0 * next()), Variation::from_fn(|_, _| next())))
                .collect(),
            tip: (EndRows::from_fn(|_, _| next()), Vector6::from_fn(|_, _| next())),
        };
        let x = system.solve().unwrap();
        assert!((system.base.0 * x[0] - system.base.1).amax() < 1e-11);
        assert!((system.tip.0 * x[3] - system.tip.1).amax() < 1e-11);
        for (k, (transfer, gap)) in system.segments.iter().enumerate() {
            assert!((x[k + 1] - transfer * x[k] - gap).amax() < 1e-11);
        }
    }

    #[test]
    fn of_many_solutions_the_shortest_is_taken() {
        // Both ends ask for the same six numbers; the other six are free and stay zero.
        let mut rows = EndRows::zeros();
        rows.fixed_view_mut::<6, 6>(0, 0).fill_with_identity();
        let values = Vector6::new(1.0, -2.0, 3.0, 0.5, 0.0, 1.5);
        let system = Staircase {
            base: (rows, values),
            segments: vec![(Transfer::identity(), Variation::zeros())],
            tip: (rows, values),
        };
        for x in system.solve().unwrap() {
            assert!((x.fixed_rows::<6>(0) - values).amax() < 1e-14);
            assert!(x.fixed_rows::<6>(6).amax() < 1e-14);
        }
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        let system = Staircase {
            base: (EndRows::repeat(f64::NAN), Vector6::zeros()),
            segments: vec![(Transfer::identity(), Variation::zeros())],
            tip: (EndRows::zeros(), Vector6::zeros()),
        };
        assert!(system.solve().is_none());
    }
}
