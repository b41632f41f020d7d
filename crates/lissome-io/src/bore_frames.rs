//! Sections along the axis of a bore, for pictures and exports.

use lissome_lie::{Pose, Rotation};
use lissome_model::{BoreAxis, BorePiece};
use nalgebra::Vector3;

/// An arc is divided so that its chords turn by no more than this, rad.
const FINEST: f64 = 0.06;

/// Poses along the axis, x along the tangent, both ends included, seen from where it begins.
pub fn along(axis: &BoreAxis) -> Vec<Pose> {
    let mut here = Pose::identity();
    let mut frames = vec![here];
    for piece in &axis.pieces {
        let (steps, angle, toward) = match *piece {
            BorePiece::Straight { .. } => (1, 0.0, 0.0),
            BorePiece::Arc { angle, toward, .. } => ((angle / FINEST).ceil().max(1.0) as usize, angle, toward),
        };
        // In axes of the section: the centre lies along (0, cos, sin), and the tangent turns toward it.
        let inward = Vector3::new(0.0, toward.cos(), toward.sin());
        let start = here;
        for step in 1..=steps {
            let part = step as f64 / steps as f64;
            let turned = angle * part;
            let shift = match *piece {
                BorePiece::Straight { length } => Vector3::x() * (length * part),
                BorePiece::Arc { radius, .. } => (Vector3::x() * turned.sin() + inward * (1.0 - turned.cos())) * radius,
            };
            here = start * Pose::new(Rotation::exp(&(Vector3::x().cross(&inward) * turned)), shift);
            frames.push(here);
        }
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn two_half_circles_toward_opposite_sides_make_an_s() {
        let arc = |toward: f64| BorePiece::Arc { radius: 0.1, angle: PI, toward };
        let frames = along(&BoreAxis { pieces: vec![BorePiece::Straight { length: 0.3 }, arc(0.0), arc(PI)] });
        let end = frames[frames.len() - 1];
        // 0.3 along x, then twice a diameter along y; the tangent is x again.
        assert!((end.position - Vector3::new(0.3, 0.4, 0.0)).norm() < 1e-14, "{:?}", end.position);
        assert!((end.rotation.rotate(&Vector3::x()) - Vector3::x()).norm() < 1e-14);
    }
}
