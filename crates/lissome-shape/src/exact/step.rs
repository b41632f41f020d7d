//! One step along the rod by the eleven-stage Runge–Kutta method of order 8 of Cooper and Verner.
//!
//! \[cooper1972\]: all coefficients lie in the field of √21; the weights are Lobatto's. Every step starts at the
//! identity of its own frame, so it is a function of the wrench there and of nothing else.

use super::field::{self, Law, POSE, POSE_AND_ENERGY, POSE_AND_VARIATION};
use crate::elastic::ElasticRod;
use lissome_lie::{Pose, Rotation, Wrench};
use nalgebra::{Matrix3, Matrix6, Vector3};

const STAGES: usize = 11;
/// √21.
const S: f64 = 4.582_575_694_955_84;

/// Abscissae c_i.
const NODES: [f64; STAGES] = [
    0.0,
    0.5,
    0.5,
    (7.0 + S) / 14.0,
    (7.0 + S) / 14.0,
    0.5,
    (7.0 - S) / 14.0,
    (7.0 - S) / 14.0,
    0.5,
    (7.0 + S) / 14.0,
    1.0,
];

/// Rows a_ij, strictly lower triangular, the zeros left out: (stage j, coefficient).
const ROWS: [&[(usize, f64)]; STAGES] = [
    &[],
    &[(0, 0.5)],
    &[(0, 0.25), (1, 0.25)],
    &[(0, 1.0 / 7.0), (1, (-7.0 - 3.0 * S) / 98.0), (2, (21.0 + 5.0 * S) / 49.0)],
    &[(0, (11.0 + S) / 84.0), (2, (18.0 + 4.0 * S) / 63.0), (3, (21.0 - S) / 252.0)],
    &[(0, (5.0 + S) / 48.0), (2, (9.0 + S) / 36.0), (3, (-231.0 + 14.0 * S) / 360.0), (4, (63.0 - 7.0 * S) / 80.0)],
    &[
        (0, (10.0 - S) / 42.0),
        (2, (-432.0 + 92.0 * S) / 315.0),
        (3, (633.0 - 145.0 * S) / 90.0),
        (4, (-504.0 + 115.0 * S) / 70.0),
        (5, (63.0 - 13.0 * S) / 35.0),
    ],
    &[(0, 1.0 / 14.0), (4, (14.0 - 3.0 * S) / 126.0), (5, (13.0 - 3.0 * S) / 63.0), (6, 1.0 / 9.0)],
    &[
        (0, 1.0 / 32.0),
        (4, (91.0 - 21.0 * S) / 576.0),
        (5, 11.0 / 72.0),
        (6, (-385.0 - 75.0 * S) / 1152.0),
        (7, (63.0 + 13.0 * S) / 128.0),
    ],
    &[
        (0, 1.0 / 14.0),
        (4, 1.0 / 9.0),
        (5, (-733.0 - 147.0 * S) / 2205.0),
        (6, (515.0 + 111.0 * S) / 504.0),
        (7, (-51.0 - 11.0 * S) / 56.0),
        (8, (132.0 + 28.0 * S) / 245.0),
    ],
    &[
        (4, (-42.0 + 7.0 * S) / 18.0),
        (5, (-18.0 + 28.0 * S) / 45.0),
        (6, (-273.0 - 53.0 * S) / 72.0),
        (7, (301.0 + 53.0 * S) / 72.0),
        (8, (28.0 - 28.0 * S) / 45.0),
        (9, (49.0 - 7.0 * S) / 18.0),
    ],
];

/// Weights b_i: 1/20, 49/180, 16/45, 49/180, 1/20.
const WEIGHTS: [(usize, f64); 5] =
    [(0, 1.0 / 20.0), (7, 49.0 / 180.0), (8, 16.0 / 45.0), (9, 49.0 / 180.0), (10, 1.0 / 20.0)];

/// A stretch of the rod that one step crosses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Index of the rod's smooth piece.
    pub piece: usize,
    /// τ at its start.
    pub from: f64,
    /// Its length in τ.
    pub span: f64,
}

#[inline(always)]
fn run<const N: usize, L: Law>(
    rod: &ElasticRod,
    stretch: &Stretch,
    rates: impl Fn(&L, &[f64; N]) -> [f64; N],
) -> [f64; N] {
    let h = stretch.span;
    let mut start = [0.0; N];
    (start[0], start[4], start[8]) = (1.0, 1.0, 1.0);
    let uniform = L::uniform(rod, stretch.piece);
    let mut law = L::at(rod, stretch.piece, stretch.from);
    let mut k = [[0.0; N]; STAGES];
    for i in 0..STAGES {
        let mut y = start;
        for &(j, a) in ROWS[i] {
            let (ha, kj) = (h * a, &k[j]);
            for (y, kj) in y.iter_mut().zip(kj) {
                *y += ha * kj;
            }
        }
        if !uniform {
            law = L::at(rod, stretch.piece, stretch.from + h * NODES[i]);
        }
        k[i] = rates(&law, &y);
    }
    let mut end = start;
    for (i, b) in WEIGHTS {
        for (y, ki) in end.iter_mut().zip(&k[i]) {
            *y += h * b * ki;
        }
    }
    end
}

/// The nearest rotation and the position; a step so large that nothing like a rotation is left gives a NaN position.
fn pose_of(state: &[f64]) -> Pose {
    let r = Matrix3::from_column_slice(&state[..9]);
    // One Newton step of the polar decomposition: the defect is at most the step's error, so its square is nothing.
    let r = r * (Matrix3::identity() * 3.0 - r.tr_mul(&r)) * 0.5;
    match Rotation::from_matrix(&r, 0.5) {
        Some(rotation) => Pose::new(rotation, Vector3::new(state[9], state[10], state[11])),
        None => Pose::at(Vector3::repeat(f64::NAN)),
    }
}

/// The pose at the end of a stretch, seen from its start, for the wrench at its start (section axes).
pub fn advance<L: Law>(rod: &ElasticRod, stretch: &Stretch, wrench: &Wrench) -> Pose {
    let end = run::<POSE, L>(rod, stretch, |law, y| field::rates(law, &wrench.moment, &wrench.force, y));
    pose_of(&end)
}

/// The same with the energy stored in the stretch, over B/L.
pub fn advance_with_energy<L: Law>(rod: &ElasticRod, stretch: &Stretch, wrench: &Wrench) -> (Pose, f64) {
    let end = run::<POSE_AND_ENERGY, L>(rod, stretch, |law, y| {
        field::rates_with_energy(law, &wrench.moment, &wrench.force, y)
    });
    (pose_of(&end), end[POSE])
}

/// The same with ∂η/∂(m₀, n₀), the body-frame change of that pose with the wrench.
pub fn advance_with_variation<L: Law>(rod: &ElasticRod, stretch: &Stretch, wrench: &Wrench) -> (Pose, Matrix6<f64>) {
    let end = run::<POSE_AND_VARIATION, L>(rod, stretch, |law, y| {
        field::rates_with_variation(law, &wrench.moment, &wrench.force, y)
    });
    (pose_of(&end), Matrix6::from_column_slice(&end[POSE..]))
}
