//! Wrenches per length along a rod, with their exact tangent. They act on the curve of the rod, whatever its model.

use super::layout::Span;
use super::point_tangent::{MAX_POSES, SpanLoad, SpanWrench, inverse_maps};
use super::{Curve, by_degree, kernel};
use crate::inputs::Input;
use crate::load::SectionLoad;
use crate::rod::RodNodes;
use crate::sink::BlockSink;
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;

/// A load along a rod, at its quadrature points: weight included.
#[derive(Clone, Debug)]
pub struct LineLoads {
    /// Which input scales it.
    pub scaled_by: Input,
    /// One per quadrature point.
    pub at_points: Vec<SectionLoad>,
}

/// What loads do to the poses of a span.
pub type OnSpan = [DualVector; MAX_POSES];

impl Curve {
    /// Adds the loads on the poses, and −∂W to the tangent. `loads` are those of the points, or none; `psi` are the
    /// increments of `poses`.
    pub fn add_line_loads(
        &self,
        loads: &[SectionLoad],
        poses: &[Pose],
        psi: &[DualVector],
        pose_loads: &mut [DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        if loads.is_empty() {
            return;
        }
        by_degree!(self.degree(), line_load_pass(loads, poses, psi, pose_loads, nodes, sink) on self);
    }

    fn line_load_pass<const P: usize>(
        &self,
        loads: &[SectionLoad],
        poses: &[Pose],
        psi: &[DualVector],
        pose_loads: &mut [DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        for span in self.layout.spans.iter() {
            if self.is_weightless(span) {
                continue;
            }
            let psi: &[DualVector; P] = psi[span.first..].first_chunk().expect("a span has p increments");
            if !sink.is_wanted() {
                add_on_span::<P>(span, &self.loads_on_span(span, loads, poses, psi), pose_loads);
                continue;
            }
            let mut sum = SpanLoad::<P>::zero();
            for q in span.points.clone() {
                let basis = &self.layout.points[q].basis;
                let rotation = poses[span.first].rotation * kernel::relative_pose(psi, basis).rotation;
                let load = loads[q].evaluate(&rotation, 1.0);
                sum.add(basis, &kernel::jacobians(psi, basis, true), &load.wrench.into(), &load.tangent);
            }
            let inverse = inverse_maps(psi);
            sum.visit_tangent(&inverse, &mut |l, m, block| {
                if let (Some(row), Some(column)) = (nodes.pose[span.first + l], nodes.pose[span.first + m]) {
                    sink.add_general(row, column, &-block);
                }
            });
            add_on_span::<P>(span, &sum.on_poses(&inverse), pose_loads);
        }
    }

    #[inline(always)]
    fn loads_on_span<const P: usize>(
        &self,
        span: &Span,
        loads: &[SectionLoad],
        poses: &[Pose],
        psi: &[DualVector; P],
    ) -> OnSpan {
        let mut sum = SpanWrench::<P>::zero();
        for q in span.points.clone() {
            let basis = &self.layout.points[q].basis;
            let rotation = poses[span.first].rotation * kernel::relative_pose(psi, basis).rotation;
            sum.add_alone(psi, basis, loads[q].wrench(&rotation, 1.0).into());
        }
        sum.on_poses(&inverse_maps(psi))
    }

    /// What loads do to the poses of each span that they act on, to be added more than once.
    pub fn line_loads_on_spans(&self, loads: &[SectionLoad], poses: &[Pose], psi: &[DualVector]) -> Vec<OnSpan> {
        if loads.is_empty() {
            return Vec::new();
        }
        by_degree!(self.degree(), spans_pass(loads, poses, psi) on self)
    }

    fn spans_pass<const P: usize>(&self, loads: &[SectionLoad], poses: &[Pose], psi: &[DualVector]) -> Vec<OnSpan> {
        let on_span = |span: &Span| {
            let psi: &[DualVector; P] = psi[span.first..].first_chunk().expect("a span has p increments");
            self.loads_on_span(span, loads, poses, psi)
        };
        self.layout.spans.iter().filter(|span| !self.is_weightless(span)).map(on_span).collect()
    }

    /// Adds the loads on the poses, where it is known what they do to those of each span.
    pub fn add_loads_on_spans(&self, on_spans: &[OnSpan], pose_loads: &mut [DualVector]) {
        by_degree!(self.degree(), add_pass(on_spans, pose_loads) on self);
    }

    fn add_pass<const P: usize>(&self, on_spans: &[OnSpan], pose_loads: &mut [DualVector]) {
        let spans = self.layout.spans.iter().filter(|span| !self.is_weightless(span));
        spans.zip(on_spans).for_each(|(span, on_span)| add_on_span::<P>(span, on_span, pose_loads));
    }
}

#[inline(always)]
fn add_on_span<const P: usize>(span: &Span, on_span: &OnSpan, pose_loads: &mut [DualVector]) {
    for (to, load) in pose_loads[span.first..][..=P].iter_mut().zip(on_span) {
        *to += *load;
    }
}
