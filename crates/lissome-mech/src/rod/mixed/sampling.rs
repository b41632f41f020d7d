//! The field of a mixed rod between its control poses: the assumed strain integrated again.
//!
//! The spline is accurate to h³–h⁴ between its poses; the strain that answers to the stress is accurate to the order of
//! the tip, and so is the curve g′ = g ξ through the held end.

use super::MixedRod;
use crate::field::{Sample, magnus_step};
use crate::rod::Carried;
use crate::rod::curve::Held;
use crate::rod::law::Law;
use crate::rod::section::Elastic;
use lissome_lie::{Pose, Strain, Wrench};
use nalgebra::Vector6;

/// Magnus steps per span: sixth order, so two leave the field at the accuracy of the control poses.
const STEPS_PER_SPAN: usize = 2;

impl MixedRod {
    /// Assumed strain and stress of the section at s within a knot span.
    fn assumed(&self, span: usize, s: f64, carried: Carried<'_>) -> (Strain, Wrench) {
        let p = self.curve.degree();
        let basis = self.curve.knot_vector().stress_basis(span, s);
        let own = carried.stress[span - p..][..p].iter().zip(&basis);
        let n = own.fold(Vector6::zeros(), |n: Vector6<f64>, (beta, phi)| n + beta * *phi);
        let natural = self.curve.natural_at(span, s);
        if self.curve.tendons.is_empty() {
            return (Strain::from_vector(&(natural + self.answer_between(span, s, &n))), Wrench::from_vector(&n));
        }
        let elastic = self.elastic_between(span, s);
        let law = Law::of(&elastic, self.stiffening);
        let threads = self.curve.threads_at(span, s, carried.tension);
        let e = law.answer_with(&n, &elastic.stiffness, &natural, threads).strain;
        // What is left of the stress for the section itself.
        let (own, _, _) = law.resist(&elastic.stiffness, &e);
        (Strain::from_vector(&(natural + e)), Wrench::from_vector(&own))
    }

    /// What the section at s within a span answers to a stress where no tendons pass it.
    fn answer_between(&self, span: usize, s: f64, n: &Vector6<f64>) -> Vector6<f64> {
        if self.curve.is_uniform() {
            return self.laws[0].strain(n);
        }
        // Samples are many: a taper of layers needs neither a section nor a matrix.
        if self.stiffening == 0.0
            && let Some(stiffness) = self.curve.layered_stiffness_at(span, s)
        {
            return n.zip_map(&stiffness, |n, k| n * k.recip());
        }
        Law::of(&self.elastic_between(span, s), self.stiffening).strain(n)
    }

    fn elastic_between(&self, span: usize, s: f64) -> Elastic {
        match self.curve.is_uniform() {
            true => self.curve.values.points[0].section.elastic,
            false => self.curve.section_at(span, s).elastic(),
        }
    }

    /// Samples at increasing arc lengths.
    pub(in crate::rod) fn sample_at(&self, poses: &[Pose], carried: Carried<'_>, arc: &[f64]) -> Vec<Sample> {
        let length = self.curve.length();
        let mut samples: Vec<Sample> = Vec::with_capacity(arc.len());
        let mut g = poses[0];
        let mut next = 0;
        for span in self.curve.knot_vector().spans() {
            let strain = |s: f64| self.assumed(span.index, s, carried).0;
            let mut at = span.start;
            let longest = (span.end - span.start) / STEPS_PER_SPAN as f64;
            let go = |g: Pose, from: f64, to: f64| {
                let steps = ((to - from) / longest - 1e-9).ceil().max(1.0) as usize;
                let h = (to - from) / steps as f64;
                (0..steps).fold(g, |g, k| magnus_step(g, strain, from + h * k as f64, h))
            };
            let last = span.end >= length;
            while next < arc.len() && (arc[next] < span.end || (last && arc[next] <= length * (1.0 + 1e-12))) {
                if arc[next] > at {
                    g = go(g, at, arc[next]);
                    at = arc[next];
                }
                let (strain, stress) = self.assumed(span.index, at, carried);
                samples.push(Sample { s: arc[next], pose: g, strain, stress });
                next += 1;
            }
            if span.end > at {
                g = go(g, at, span.end);
            }
        }
        if self.curve.held() == Held::Tip {
            // Hang the curve on the end that is held.
            let shift = poses[poses.len() - 1] * g.inverse();
            samples.iter_mut().for_each(|sample| sample.pose = shift * sample.pose);
        }
        samples
    }
}
