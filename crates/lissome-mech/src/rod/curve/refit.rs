//! The same curve on another division.

use super::Curve;
use lissome_lie::Pose;

/// Sweeps of a fit at most; each takes off a fifth of what is left or more, for any degree.
pub const REFIT_SWEEPS: usize = 400;
/// What a fit may leave, rad or m.
pub const REFITTED: f64 = 1e-14;

impl Curve {
    /// Control poses of the curve on this division that goes through the poses of another one at its Greville abscissae;
    /// the two may differ in length by next to nothing. Ends and breaks are among these places.
    pub fn refit(&self, before: &Self, poses: &[Pose]) -> Vec<Pose> {
        let (knots, scale) = (self.knot_vector(), before.length() / self.length());
        let places: Vec<f64> = (0..self.pose_count()).map(|i| knots.greville(i)).collect();
        let targets: Vec<Pose> =
            places.iter().map(|s| before.pose_of((s * scale).min(before.length()), poses)).collect();
        let mut fitted = targets.clone();
        for _ in 0..REFIT_SWEEPS {
            let missing: Vec<_> =
                places.iter().zip(&targets).map(|(s, to)| to.boxminus(&self.pose_of(*s, &fitted))).collect();
            for (pose, missing) in fitted.iter_mut().zip(&missing) {
                *pose = pose.boxplus(missing);
            }
            if missing.iter().all(|missing| missing.to_vector().amax() < REFITTED) {
                break;
            }
        }
        fitted
    }
}
