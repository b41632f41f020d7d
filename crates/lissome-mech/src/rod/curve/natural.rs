//! Control poses of a rod without stress, and of one that is turned evenly along its length.

use super::Curve;
use crate::field::magnus_step;
use lissome_lie::{Pose, Rotation, Strain, Twist};
use lissome_model::NaturalShape;
use nalgebra::Vector3;

/// Which way round a rod held at both ends turns from one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winding {
    /// By the rotation of at most half a turn.
    Short,
    /// By its complement to a full turn.
    Long,
}

/// A turn of less than this has no axis of its own, rad.
const NO_AXIS: f64 = 1e-9;
/// Turn that one step of the integration may make, rad.
const TURN_PER_STEP: f64 = 0.05;

impl Curve {
    /// Control poses of the rod as it begins, relative to the one it stands on: unstressed, unless it is laid otherwise.
    pub fn starting_poses(&self) -> Vec<Pose> {
        let relative: Vec<Pose> = match &self.values.natural.shape {
            _ if self.is_laid() => self.laid_poses(),
            NaturalShape::ControlPoses(poses) => poses.clone(),
            shape => {
                let strain = |s: f64| shape.strain_at(s).expect("a table has a strain everywhere");
                self.poses_of_strain(strain, &shape.places())
            }
        };
        let onto_anchor = relative[self.anchor()].inverse();
        relative.iter().map(|g| onto_anchor * *g).collect()
    }

    /// Control poses at the Greville abscissae of an integrated strain, which may have corners at these places: exact for a
    /// straight rod, close for a curved one; the elastic energy takes care of the rest.
    pub(in crate::rod) fn poses_of_strain(&self, strain: impl Fn(f64) -> Strain, corners: &[f64]) -> Vec<Pose> {
        let knots = self.knot_vector();
        let mut corners = corners.iter().copied().peekable();
        let mut g = Pose::identity();
        let mut at = 0.0;
        let mut go = |i: usize| {
            let to = knots.greville(i);
            while let Some(corner) = corners.next_if(|corner| *corner < to) {
                g = integrate(&strain, g, at, corner);
                at = at.max(corner);
            }
            g = integrate(&strain, g, at, to);
            at = to;
            g
        };
        (0..self.pose_count()).map(&mut go).collect()
    }

    /// Adds the turn that is missing at the tip to every increment, in proportion to its length.
    pub fn turn_evenly(&self, poses: &mut [Pose], tip: &Pose, winding: Winding) {
        let n = self.increments();
        let mut turn = (poses[n].rotation.inverse() * tip.rotation).log();
        let angle = turn.norm();
        if winding == Winding::Long {
            // Parallel ends have no axis of their own: a full turn about the tangent is a twist.
            turn = if angle > NO_AXIS {
                turn * (1.0 - std::f64::consts::TAU / angle)
            } else {
                Vector3::x() * std::f64::consts::TAU
            };
        }
        let knots = self.knot_vector();
        let increments: Vec<_> = poses.windows(2).map(|w| w[1].boxminus(&w[0])).collect();
        for (i, mut increment) in increments.into_iter().enumerate() {
            increment.angular += turn * ((knots.greville(i + 1) - knots.greville(i)) / self.length());
            poses[i + 1] = poses[i].boxplus(&increment);
        }
    }
}

impl Curve {
    /// True if a start has full turns on top.
    pub fn has_turns(&self) -> bool {
        self.values.natural.turns != Vector3::zeros()
    }

    /// Adds the full turns that the rod is given: at the part u of its length each section turns by exp(2πu b) exp(2πu n x),
    /// b the turns in bending and n those in twist. Both are the identity at the two ends, so that these keep their
    /// orientation. Steps keep their length, so that a straight rod with one turn in bending becomes a circle.
    pub fn add_turns(&self, poses: &mut [Pose]) {
        if !self.has_turns() {
            return;
        }
        let turns = self.values.natural.turns * std::f64::consts::TAU;
        let knots = self.knot_vector();
        let stands_on = poses[self.anchor()];
        let turned = |i: usize, pose: &Pose| {
            let part = knots.greville(i) / self.length();
            let (bend, twist) = (Vector3::new(0.0, turns.y, turns.z), Vector3::x() * turns.x);
            pose.rotation * Rotation::exp(&(bend * part)) * Rotation::exp(&(twist * part))
        };
        let rotations: Vec<Rotation> = poses.iter().enumerate().map(|(i, pose)| turned(i, pose)).collect();
        let steps: Vec<_> = poses.windows(2).map(|w| w[1].boxminus(&w[0])).collect();
        poses[0].rotation = rotations[0];
        for (i, step) in steps.into_iter().enumerate() {
            let angular = (rotations[i].inverse() * rotations[i + 1]).log();
            poses[i + 1] = poses[i].boxplus(&Twist { angular, ..step });
        }
        let back = stands_on * poses[self.anchor()].inverse();
        poses.iter_mut().for_each(|pose| *pose = back * *pose);
    }
}

/// Follows a strain from `from` to `to` by sixth-order Magnus steps. Between the two it has no corner.
fn integrate(strain: impl Fn(f64) -> Strain, start: Pose, from: f64, to: f64) -> Pose {
    if to <= from {
        return start;
    }
    let bend = strain(0.5 * (from + to)).curvature.norm() * (to - from).abs();
    let steps = (bend / TURN_PER_STEP).ceil().clamp(1.0, 1e4) as usize;
    let h = (to - from) / steps as f64;
    (0..steps).fold(start, |g, k| magnus_step(g, &strain, from + h * k as f64, h))
}
