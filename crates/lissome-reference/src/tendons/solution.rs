//! What every method hands over.

use super::active_stress::{active_stress, halves, velocity};
use super::span::Span;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Wrench};
use nalgebra::{Vector3, Vector6};

/// A section of a solved rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TendonSample {
    /// Arc length, in m.
    pub s: f64,
    /// Where the section is.
    pub pose: Pose,
    /// Curvatures in 1/m, then stretch and shears.
    pub strain: Vector6<f64>,
    /// Moment in N·m and force in N of the rod alone, body axes.
    pub rod_stress: Vector6<f64>,
    /// The same of rod and tendons together.
    pub total_stress: Vector6<f64>,
}

/// An equilibrium with how it was found.
#[derive(Clone, Debug, PartialEq)]
pub struct TendonSolution {
    /// In the order of s. Where the strain may jump there are two samples, before and after.
    pub samples: Vec<TendonSample>,
    /// Length of each tendon inside the rod, in m.
    pub tendon_lengths: Vec<f64>,
    /// Newton iterations of all load steps.
    pub iterations: usize,
    /// In how many steps the load was applied.
    pub load_steps: usize,
    /// What the last iteration left, scaled as the method scales it.
    pub residual: f64,
}

impl TendonSolution {
    /// Pose of the last section.
    pub fn tip(&self) -> Pose {
        self.samples.last().expect("a solution has samples").pose
    }

    /// Total moment and force at the base in world axes: the base exerts their opposite on rod and tendons.
    pub fn base_wrench(&self) -> Wrench {
        let first = self.samples.first().expect("a solution has samples");
        let turn = Quaternion::from_rotation(&first.pose.rotation).matrix();
        let (moment, force) = halves(&first.total_stress);
        Wrench::new(turn * moment, turn * force)
    }

    /// Distance in m and angle in rad between two tips.
    pub fn tip_difference(&self, other: &Self) -> (f64, f64) {
        pose_difference(&self.tip(), &other.tip())
    }
}

/// Distance in m and angle in rad between two poses.
pub fn pose_difference(a: &Pose, b: &Pose) -> (f64, f64) {
    let turn = Quaternion::from_rotation(&a.rotation).conjugate().times(Quaternion::from_rotation(&b.rotation));
    ((a.position - b.position).norm(), turn.rotation_vector().norm())
}

/// A sample from what a method knows of a section.
pub(super) fn sample(
    span: &Span,
    s: f64,
    turn: Quaternion,
    position: Vector3<f64>,
    elastic: &Vector6<f64>,
) -> TendonSample {
    let strain = span.segment.natural + elastic;
    let rod_stress = span.segment.stiffness.component_mul(elastic);
    TendonSample {
        s,
        pose: Pose::new(turn.normalized().to_rotation(), position),
        strain,
        rod_stress,
        total_stress: rod_stress + active_stress(span, s, &strain).0,
    }
}

/// Adds ∫ |Γ_i| over a span, by weights that belong to some of its samples.
pub(super) fn add_lengths<'a>(
    lengths: &mut [f64],
    span: &Span,
    weighted: impl Iterator<Item = (f64, &'a TendonSample)>,
) {
    for (weight, sample) in weighted {
        for strand in &span.strands {
            lengths[strand.tendon] += weight * velocity(&strand.piece.offset(sample.s), &sample.strain).norm();
        }
    }
}
