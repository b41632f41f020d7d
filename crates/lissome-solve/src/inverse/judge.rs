//! Is a step taken? What it did to the gaps, near enough to equilibrium to tell, on the same branch.

use super::chord::{Aim, is_plain};
use super::linear::{Linear, Way, linearise};
use super::stepping::{GOOD_PREDICTION, LARGEST_CONTRACTION, LEAST_GAIN, LOOSE, MOST_CORRECTIONS, Refusal, Search};
use super::{Crease, Posture, TARGET_TOLERANCE, Unknown};
use crate::continuation::{LARGEST_BEND, LARGEST_ERROR};
use crate::corrector::KINK;
use crate::newton::STEP_TOLERANCE;
use lissome_lie::Twist;
use lissome_mech::Step;
use nalgebra::DVector;

impl Search<'_, '_> {
    /// Linearises there, comes near enough to equilibrium to judge, and judges. What a step leaves open where the factor before it could not look
    /// ahead, as in another layout, the new factor corrects before another one is made. Returns the whole change of the drives, too.
    pub(super) fn judged(
        &mut self,
        before: &Linear,
        posture: Posture,
        (step, aim): (&DVector<f64>, Option<Aim<'_>>),
        predicted: &DVector<f64>,
        funnel: f64,
    ) -> Result<(Linear, DVector<f64>), Refusal> {
        let mut step = step.clone();
        // Where tubes are pushed every trial has equations of its own.
        self.there.fit(&posture);
        let mut next = linearise(posture, self.problem, self.there).ok_or(Refusal::Lost)?;
        let size = next.plain_size;
        if !self.note(&next, size) {
            return Err(Refusal::Stopped);
        }
        let same = |next: &Linear| next.negative == before.negative;
        let promised = (before.gap.norm() - predicted.norm()).max(TARGET_TOLERANCE);
        let near =
            |next: &Linear| next.plain_size <= LOOSE && next.plain_size * next.plain_size <= GOOD_PREDICTION * promised;
        let (gap, decrease) = (before.gap.norm_squared(), before.gap.norm_squared() - predicted.norm_squared());
        // Near the targets the gaps may grow again within bounds: effort is made less along what is curved.
        let gains = |left: &DVector<f64>| {
            let left = left.norm_squared();
            let within = left.sqrt() < funnel && (gap.sqrt() < funnel || left < gap);
            within || gap - left >= LEAST_GAIN * decrease.max(0.0)
        };
        if !near(&next) && is_plain(&next.posture.system) {
            // With the factor that is there now, before another one is made.
            std::mem::swap(self.here, self.there);
            let way = Way { moves: true, ..Way::none(step.len()) };
            let settled =
                self.moved(&next, &way).ok().and_then(|(posture, _)| self.settled(&next, (posture, way), promised));
            let settled = settled.map(|found| self.led_on(&next, found, (predicted, promised), aim));
            std::mem::swap(self.here, self.there);
            if let Some((posture, way, left)) = settled {
                step += &way.drives;
                if !gains(&left) {
                    return Err(Refusal::NoGain);
                }
                next = linearise(posture, self.problem, self.there).ok_or(Refusal::Lost)?;
                if !self.note(&next, size) {
                    return Err(Refusal::Stopped);
                }
            }
        }
        for k in 0..MOST_CORRECTIONS {
            if near(&next) && (same(&next) || next.plain_size < STEP_TOLERANCE) {
                break;
            }
            let size = next.plain_size;
            next = self.corrected(next).ok_or(Refusal::Lost)?;
            if !self.note(&next, size) {
                return Err(Refusal::Stopped);
            }
            if k > 0 && next.plain_size > LARGEST_CONTRACTION * size && next.plain_size > KINK {
                return Err(Refusal::Lost);
            }
        }
        if !near(&next) || !same(&next) || !is_smooth(before, &next, &step, self.problem.unknowns) {
            return Err(Refusal::Lost);
        }
        match gains(&next.gap) {
            true => Ok((next, step)),
            false => Err(Refusal::NoGain),
        }
    }
}

/// True if the way between two equilibria near these postures is what the answers to the drives at both ends say (the
/// trapezoidal rule), as [`crate::continuation`] asks of its steps.
fn is_smooth(from: &Linear, to: &Linear, step: &DVector<f64>, unknowns: &[Unknown]) -> bool {
    if from.posture.state.poses.len() != to.posture.state.poses.len() {
        // Where tubes passed each other the poses are others.
        return true;
    }
    let length = from.posture.system.scales().length;
    let size = |v: &Twist| v.angular.norm().max(v.linear.norm() / length);
    let sum = |motions: &[Step], slot: usize| {
        let parts = motions.iter().zip(step.iter().zip(unknowns));
        parts.fold(Twist::zero(), |sum, (own, (x, unknown))| sum + own.poses[slot] * (x * unknown.unit))
    };
    let (mut way, mut bend, mut off, mut tangent) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for (slot, (a, b)) in from.posture.state.poses.iter().zip(&to.posture.state.poses).enumerate() {
        let between = b.boxminus(a);
        let (forward, backward) = (sum(&from.motions, slot), sum(&to.motions, slot));
        way = way.max(size(&between));
        bend = bend.max(size(&(forward - backward)));
        off = off.max(size(&(between - (forward + backward) * 0.5)));
        tangent = tangent.max(size(&forward)).max(size(&backward));
    }
    let open = from.plain_size + to.plain_size;
    bend <= KINK.max(LARGEST_BEND * tangent) && off <= KINK.max(LARGEST_ERROR * way) + open
}

/// Largest cosine between the gaps and what a drive does to them, along creases that are held, that no limit keeps from bringing them nearer.
pub(super) fn across(at: &Linear, drives: &[f64], unknowns: &[Unknown], held: &[Crease]) -> f64 {
    let gap = at.gap.norm();
    let mut along = at.jacobian.clone();
    for crease in held {
        let (row, _) = crease.row(drives, unknowns);
        let off = &along * &row;
        along.ger(-1.0, &off, &row, 1.0);
    }
    let cosines = along.column_iter().zip(at.jacobian.column_iter()).zip(drives.iter().zip(unknowns));
    let cosines = cosines.map(|((along, column), (now, own))| {
        // Of a column that a crease leaves nothing of, rounding is no slope.
        let slope = along.dot(&at.gap) / (column.norm() * gap).max(f64::MIN_POSITIVE);
        let blocked = if slope < 0.0 { *now >= own.limits.1 } else { *now <= own.limits.0 };
        if blocked { 0.0 } else { slope.abs() }
    });
    cosines.fold(0.0, f64::max)
}
