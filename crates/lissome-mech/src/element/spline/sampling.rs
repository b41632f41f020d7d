//! The state of a spline rod at any arc length.

use super::kernel::PointBasis;
use super::rod::{Held, SplineRod, natural_strain, spline_strain};
use super::tangent::{covector, strain_vector};
use crate::field::{Sample, magnus_step};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Strain, Wrench};
use lissome_model::{NaturalShape, StrainForm};
use nalgebra::Vector6;

/// Magnus steps per span: sixth order, so two leave the field at the accuracy of the control poses.
const STEPS_PER_SPAN: usize = 2;

impl SplineRod {
    /// Samples at `count` evenly spaced arc lengths, both ends included.
    pub fn sample(&self, poses: &[Pose], stress: &[Vector6<f64>], count: usize) -> Vec<Sample> {
        let count = count.max(2);
        let arc: Vec<f64> = (0..count).map(|k| self.length * k as f64 / (count - 1) as f64).collect();
        self.sample_at(poses, stress, &arc)
    }

    /// Samples at increasing arc lengths.
    pub fn sample_at(&self, own: &[Pose], stress: &[Vector6<f64>], arc: &[f64]) -> Vec<Sample> {
        let mut psi = vec![DualVector::zero(); self.increments()];
        self.fill_increments(own, &mut psi);
        let natural_psi: Option<Vec<DualVector>> = match &self.model.natural {
            NaturalShape::ControlPoses(poses) => Some(poses.windows(2).map(|w| w[1].boxminus(&w[0]).into()).collect()),
            _ => None,
        };
        let view = View { rod: self, psi: &psi, natural_psi: natural_psi.as_deref(), stress };
        match self.form {
            StrainForm::Printed => arc.iter().map(|s| view.on_spline(*s, own)).collect(),
            StrainForm::Mixed if self.is_linear_strain() => arc.iter().map(|s| view.in_element(*s, own)).collect(),
            StrainForm::Mixed => view.along_assumed_strain(arc, own),
        }
    }
}

impl SplineRod {
    /// Control poses and stresses close to those of another discretisation of the same rod: its field at the Greville
    /// abscissae. A start for Newton, not an answer.
    pub fn resample(
        &self,
        coarse: &SplineRod,
        from_poses: &[Pose],
        from_stress: &[Vector6<f64>],
        to_poses: &mut [Pose],
        to_stress: &mut [Vector6<f64>],
    ) {
        let knots = self.knot_vector();
        let arc: Vec<f64> = (0..self.pose_count).map(|i| knots.greville(i)).collect();
        for (pose, sample) in to_poses.iter_mut().zip(coarse.sample_at(from_poses, from_stress, &arc)) {
            *pose = sample.pose;
        }
        if self.form == StrainForm::Mixed {
            let p = self.degree;
            let centre = |a: usize| match p {
                1 => 0.5 * (self.knots[a + 1] + self.knots[a + 2]),
                _ => self.knots[a + 2..a + p + 1].iter().sum::<f64>() / (p - 1) as f64,
            };
            let arc: Vec<f64> = (0..self.increments()).map(centre).collect();
            for (stress, sample) in to_stress.iter_mut().zip(coarse.sample_at(from_poses, from_stress, &arc)) {
                *stress = sample.stress.to_vector();
            }
        }
    }
}

struct View<'a> {
    rod: &'a SplineRod,
    psi: &'a [DualVector],
    natural_psi: Option<&'a [DualVector]>,
    stress: &'a [Vector6<f64>],
}

impl View<'_> {
    fn basis(&self, span: usize, s: f64) -> PointBasis {
        let knots = self.rod.knot_vector();
        let cumulative = knots.cumulative(span, s);
        PointBasis {
            value: cumulative.value,
            slope: cumulative.slope,
            stress_basis: knots.stress_basis(span, s),
            weight: 0.0,
        }
    }

    /// ξ₀ within a span, so that a step at its end counts as seen from inside.
    fn natural(&self, span: usize, s: f64, basis: &PointBasis) -> Vector6<f64> {
        let p = self.rod.degree;
        match self.natural_psi {
            Some(psi) => strain_vector(&spline_strain(p, &psi[span - p..][..p], basis)),
            None => natural_strain(&self.rod.model.natural, self.inside(span, s)).to_vector(),
        }
    }

    fn inside(&self, span: usize, s: f64) -> f64 {
        let (a, b) = (self.rod.knots[span], self.rod.knots[span + 1]);
        let margin = 1e-9 * (b - a);
        s.clamp(a + margin, b - margin)
    }

    /// Assumed strain and stress of the mixed form.
    fn assumed(&self, span: usize, s: f64) -> (Strain, Wrench) {
        let p = self.rod.degree;
        let basis = self.basis(span, s);
        let first = span - p;
        let mut stress = Vector6::zeros();
        for a in 0..p {
            stress += self.stress[first + a] * basis.stress_basis[a];
        }
        let stiffness = self.rod.model.profile.at(self.inside(span, s)).stiffness();
        let flexibility = stiffness.try_inverse().expect("a validated stiffness is positive definite");
        let strain = self.natural(span, s, &basis) + flexibility * stress;
        (Strain::from_vector(&strain), Wrench::from_vector(&stress))
    }

    fn along_assumed_strain(&self, arc: &[f64], own: &[Pose]) -> Vec<Sample> {
        let rod = self.rod;
        let mut samples: Vec<Sample> = Vec::with_capacity(arc.len());
        let mut g = own[0];
        let mut next = 0;
        for span in rod.knot_vector().spans() {
            let strain = |s: f64| self.assumed(span.index, s).0;
            let mut at = span.start;
            let longest = (span.end - span.start) / STEPS_PER_SPAN as f64;
            let go = |g: Pose, from: f64, to: f64| {
                let steps = ((to - from) / longest - 1e-9).ceil().max(1.0) as usize;
                let h = (to - from) / steps as f64;
                (0..steps).fold(g, |g, k| magnus_step(g, strain, from + h * k as f64, h))
            };
            let last = span.end >= rod.length;
            while next < arc.len() && (arc[next] < span.end || (last && arc[next] <= rod.length * (1.0 + 1e-12))) {
                if arc[next] > at {
                    g = go(g, at, arc[next]);
                    at = arc[next];
                }
                let (strain, stress) = self.assumed(span.index, at);
                samples.push(Sample { s: arc[next], pose: g, strain, stress });
                next += 1;
            }
            if span.end > at {
                g = go(g, at, span.end);
            }
        }
        if rod.held == Held::Tip {
            // Hang the curve on the end that is held.
            let shift = own[own.len() - 1] * g.inverse();
            samples.iter_mut().for_each(|sample| sample.pose = shift * sample.pose);
        }
        samples
    }

    /// Along the straight line of strain of one element, which leads from pose to pose.
    fn in_element(&self, s: f64, own: &[Pose]) -> Sample {
        let rod = self.rod;
        let span = rod.knot_vector().find_span(s);
        let index = span - 1;
        let element = &rod.compliance.elements[index];
        let line = element.respond(&self.stress[index]).strain;
        let along = s - rod.knots[span];
        let pose = own[index].boxplus(&line.motion(element.length, along).twist());
        let strain = strain_vector(&line.at(along - 0.5 * element.length));
        let stiffness = rod.model.profile.at(self.inside(span, s)).stiffness();
        let stress = stiffness * (strain - self.natural(span, s, &self.basis(span, s)));
        Sample { s, pose, strain: Strain::from_vector(&strain), stress: covector(&stress).wrench() }
    }

    /// The spline itself, for the printed form.
    fn on_spline(&self, s: f64, own: &[Pose]) -> Sample {
        let rod = self.rod;
        let p = rod.degree;
        let span = rod.knot_vector().find_span(s);
        let basis = self.basis(span, s);
        let psi = &self.psi[span - p..][..p];
        let pose = psi.iter().zip(&basis.value).fold(own[span - p], |g, (psi, b)| g.boxplus(&(*psi * *b).twist()));
        let strain = strain_vector(&spline_strain(p, psi, &basis));
        let stiffness = rod.model.profile.at(self.inside(span, s)).stiffness();
        let stress = stiffness * (strain - self.natural(span, s, &basis));
        Sample { s, pose, strain: Strain::from_vector(&strain), stress: covector(&stress).wrench() }
    }
}
