//! What every method hands over.

use super::active_stress::{active_stress, halves, joined, velocity};
use super::span::Span;
use crate::quaternion::Quaternion;
use lissome_lie::{Pose, Wrench};
use nalgebra::{Vector3, Vector4, Vector6};

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

    /// Arc lengths between which the strain is smooth: the ends, and where it may jump.
    pub fn borders(&self) -> Vec<f64> {
        let mut borders: Vec<f64> = self.spans().iter().map(|span| span[0].s).collect();
        borders.extend(self.samples.last().map(|sample| sample.s));
        borders
    }

    /// Samples of each span.
    fn spans(&self) -> Vec<&[TendonSample]> {
        self.samples.chunk_by(|a, b| a.s < b.s).filter(|span| span.len() > 1).collect()
    }

    /// The section at s, by the polynomial through the samples of its span: those are Gauss or Chebyshev points, so that it
    /// is as accurate as they are. At a border, the section behind it.
    pub fn at(&self, s: f64) -> TendonSample {
        let spans = self.spans();
        let after = spans.partition_point(|span| span[0].s <= s).max(1);
        let span = spans[after - 1];
        if let Some(there) = span.iter().find(|sample| sample.s == s) {
            return *there;
        }
        // Barycentric weights, scaled by the length of the span so that products stay within range.
        let length = span[span.len() - 1].s - span[0].s;
        let weight = |k: usize| {
            let others = (0..span.len()).filter(|j| *j != k);
            others.map(|j| 0.25 * length / (span[k].s - span[j].s)).product::<f64>() / (s - span[k].s)
        };
        let weights: Vec<f64> = (0..span.len()).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        let of = |value: &dyn Fn(&TendonSample) -> Vector6<f64>| {
            span.iter().zip(&weights).map(|(sample, w)| value(sample) * (w / sum)).sum::<Vector6<f64>>()
        };
        // A quaternion and its opposite are one turn: each is taken on the side of the one before it.
        let mut quaternions: Vec<Vector4<f64>> = Vec::with_capacity(span.len());
        for sample in span {
            let q = Quaternion::from_rotation(&sample.pose.rotation).to_vector();
            let turned = quaternions.last().is_some_and(|last| last.dot(&q) < 0.0);
            quaternions.push(if turned { -q } else { q });
        }
        let turn: Vector4<f64> = quaternions.iter().zip(&weights).map(|(q, w)| q * (w / sum)).sum();
        let position = of(&|sample| joined(&sample.pose.position, &Vector3::zeros()));
        TendonSample {
            s,
            pose: Pose::new(Quaternion::from_vector(&turn).normalized().to_rotation(), halves(&position).0),
            strain: of(&|sample| sample.strain),
            rod_stress: of(&|sample| sample.rod_stress),
            total_stress: of(&|sample| sample.total_stress),
        }
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
