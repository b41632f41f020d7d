//! The last digits of SO(3): both sides of the small-angle switch, near a half turn, long products.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Twist};
use nalgebra::Vector3;
use std::f64::consts::PI;

const AXES: [[f64; 3]; 5] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.0, 0.8], [-0.48, 0.6, 0.64], [2.0, -1.0, -2.0]];

fn axes() -> impl Iterator<Item = Vector3<f64>> {
    AXES.iter().map(|a| Vector3::from(*a).normalize())
}

/// |a − b| in units of the last place of b.
fn ulps(a: f64, b: f64) -> f64 {
    (a - b).abs() / (b.abs().next_up() - b.abs())
}

#[test]
fn exponential_is_right_to_the_last_place_across_the_switch() {
    // The switch is at 0.01: a thousand angles around it, and others on either side.
    let around = (0..1000).map(|i| 0.01 * (0.9 + 0.0002 * f64::from(i)));
    for theta in around.chain([1e-300, 1e-160, 1e-20, 1e-8, 1e-3, 0.1, 1.0, 3.0]) {
        let [w, x, ..] = Rotation::exp(&Vector3::new(theta, 0.0, 0.0)).quat_wxyz();
        assert!(ulps(x, (0.5 * theta).sin()) <= 2.0, "sin at {theta:e}");
        assert!(ulps(w, (0.5 * theta).cos()) <= 2.0, "cos at {theta:e}");
    }
}

#[test]
fn logarithm_undoes_the_exponential_to_rounding() {
    let around = (0..200).map(|i| 0.01 * (0.9 + 0.001 * f64::from(i)));
    // The logarithm switches at sin(θ/2) = 0.01.
    let around_log = (0..200).map(|i| 0.02 * (0.9 + 0.001 * f64::from(i)));
    for theta in around.chain(around_log).chain([0.0, 1e-300, 1e-160, 1e-9, 1e-4, 0.5, 1.5, 3.0, 3.1, PI - 1e-5, PI]) {
        for axis in axes() {
            let k = axis * theta;
            let back = Rotation::exp(&k).log();
            // A quaternion of unit norm to 2⁻⁵³ carries its angle to a few of those, relative below 1 and absolute above.
            let direct = (back - k).norm();
            let other_side = if theta >= PI { (back + k).norm() } else { f64::INFINITY };
            assert!(direct.min(other_side) <= 4.0 * f64::EPSILON * theta, "{theta:e}: {direct:e}");
        }
    }
}

#[test]
fn logarithm_is_accurate_to_1e15_at_half_turns() {
    for axis in axes() {
        for delta in [0.0, 1e-300, 1e-17, 1e-16, 1e-12, 1e-8, 1e-4, 1e-2] {
            // The quaternion of a turn by π − δ, with the small number given directly.
            let (w, s) = ((0.5_f64 * delta).sin(), (0.5_f64 * delta).cos());
            for sign in [1.0, -1.0] {
                let q = [sign * w, sign * s * axis.x, sign * s * axis.y, sign * s * axis.z];
                let r = Rotation::from_quat_wxyz(q).unwrap();
                let k = r.log();
                let angle_error = (k.norm() - (PI - delta)).abs();
                assert!(angle_error < 1e-15, "δ = {delta:e}: {angle_error:e}");
                // At δ = 0 both directions are right; below it the shorter one is.
                let miss = (k - axis * (PI - delta)).norm();
                let opposite = if delta == 0.0 { (k + axis * PI).norm() } else { f64::INFINITY };
                assert!(miss.min(opposite) < 1e-15, "δ = {delta:e}: {miss:e}");
                assert!((r.angle() - (PI - delta)).abs() < 1e-15);
            }
        }
    }
}

#[test]
fn poses_keep_their_logarithm_near_half_turns() {
    for axis in axes() {
        for theta in [3.0, PI - 1e-3, PI - 1e-6, PI - 1e-12] {
            let x = Twist::new(axis * theta, Vector3::new(0.3, -0.8, 1.1));
            let back = Pose::exp(&x).log();
            // The linear part multiplies a rotation error of 4 × 2.2e-16 by at most θ/2 × 2.
            assert!((back - x).to_vector().amax() < 1e-14, "{theta}");
        }
    }
}

#[test]
fn a_million_products_stay_a_rotation() {
    let step = Rotation::exp(&Vector3::new(0.37, -0.21, 0.93));
    let product = (0..1_000_000).fold(Rotation::identity(), |r, _| r * step);
    let norm = product.quat_wxyz().iter().map(|x| x * x).sum::<f64>();
    assert!((norm - 1.0).abs() < 1e-15, "{norm}");
    // The angle drifts by a random walk of 1e6 roundings, √1e6 × 1e-16, or 1e6 × 1e-16 at the very worst.
    let theta = Vector3::new(0.37_f64, -0.21, 0.93).norm() * 1e6;
    let exact = (theta + PI).rem_euclid(2.0 * PI) - PI;
    assert!((product.angle() - exact.abs()).abs() < 1e-9);
}

#[test]
fn matrices_and_quaternions_agree_everywhere() {
    for axis in axes() {
        for theta in [0.0, 1e-9, 0.5, 0.5 * PI, PI / 1.5, 3.0, PI - 1e-9, PI] {
            let r = Rotation::exp(&(axis * theta));
            let m = r.matrix();
            assert!((m.transpose() * m - nalgebra::Matrix3::identity()).amax() < 1e-15);
            let back = Rotation::from_matrix(&m, 1e-12).unwrap();
            assert!((back.matrix() - m).amax() < 1e-15, "{theta}");
            assert!((r.inverse() * back).log().norm() < 1e-15, "{theta}");
            let v = Vector3::new(0.2, -1.3, 0.9);
            assert!((r.rotate(&v) - m * v).norm() < 1e-15);
            assert!((r.inverse_rotate(&v) - m.transpose() * v).norm() < 1e-15);
        }
    }
    let stretched = Rotation::exp(&Vector3::x()).matrix() * (1.0 + 1e-6);
    assert_eq!(Rotation::from_matrix(&stretched, 1e-9), None);
    assert_eq!(Rotation::from_matrix(&-Rotation::identity().matrix(), 1e-9), None);
    assert_eq!(Rotation::from_matrix(&(stretched * f64::NAN), 1e-9), None);
    assert_eq!(Rotation::from_quat_wxyz([0.0; 4]), None);
    assert_eq!(Rotation::from_quat_wxyz([f64::INFINITY, 0.0, 0.0, 0.0]), None);
}

/// The x axis turned onto a tangent, also next to −x, where 1 + t·x cancels.
#[test]
fn tangents_are_met_in_every_direction() {
    let mut directions =
        vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 3.0, 0.0], [-2.0, 0.1, -0.4], [1.0, 1e-9, 1e-12]];
    for small in [1e-3, 1e-6, 5e-7, 1e-8, 1e-12, 1e-16, 1e-100, 1e-162, 1e-300] {
        directions.extend([[-1.0, small, 0.0], [-1.0, -0.3 * small, 0.8 * small]]);
    }
    for d in directions {
        let tangent = Vector3::from(d);
        let r = Rotation::from_tangent(&tangent).unwrap();
        let miss = (r.rotate(&Vector3::x()) - tangent.normalize()).norm();
        assert!(miss < 1e-15, "{d:?}: {miss:e}");
        // The shortest turn: its axis is across the x axis.
        assert!(r.log().x.abs() < 1e-15);
    }
    assert_eq!(Rotation::from_tangent(&Vector3::zeros()), None);
    assert_eq!(Rotation::from_tangent(&Vector3::new(f64::NAN, 0.0, 1.0)), None);
}
