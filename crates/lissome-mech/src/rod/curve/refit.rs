//! The same curve on another division.

use super::Curve;
use lissome_lie::Pose;

/// Sweeps of a fit at most; each takes off a fifth of what is left or more, for any degree.
pub const REFIT_SWEEPS: usize = 400;
/// What a fit may leave, rad or m.
pub const REFITTED: f64 = 1e-14;

impl Curve {
    /// Control poses of the curve on this division that goes through the poses of another one at its Greville abscissae, ends
    /// and breaks among them; `place` says where on the other curve each of these is.
    pub fn refit(&self, before: &Self, poses: &[Pose], place: impl Fn(f64) -> f64) -> Vec<Pose> {
        let knots = self.knot_vector();
        let places: Vec<f64> = (0..self.pose_count()).map(|i| knots.greville(i)).collect();
        let on_other = |s: &f64| before.pose_of(place(*s).clamp(0.0, before.length()), poses);
        let targets: Vec<Pose> = places.iter().map(on_other).collect();
        let mut fitted = targets.clone();
        for _ in 0..REFIT_SWEEPS {
            let off = |(s, to): (&f64, &Pose)| to.boxminus(&self.pose_of(*s, &fitted));
            let missing: Vec<_> = places.iter().zip(&targets).map(off).collect();
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
