//! Wrenches per length along a rod, with their exact tangent. They act on the curve of the rod, whatever its model.

use super::point_tangent::{SpanLoad, inverse_maps};
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
        for span in &self.layout.spans {
            if self.is_weightless(span) {
                continue;
            }
            let psi: &[DualVector; P] = psi[span.first..].first_chunk().expect("a span has p increments");
            let mut sum = SpanLoad::<P>::zero();
            for q in span.points.clone() {
                let basis = &self.layout.points[q].basis;
                let rotation = poses[span.first].rotation * kernel::relative_pose(psi, basis).rotation;
                if !sink.is_wanted() {
                    sum.add_wrench_alone(psi, basis, loads[q].wrench(&rotation, 1.0).into());
                    continue;
                }
                let load = loads[q].evaluate(&rotation, 1.0);
                sum.add(basis, &kernel::jacobians(psi, basis, true), &load.wrench.into(), &load.tangent);
            }
            let inverse = inverse_maps(psi);
            let on_poses = sum.on_poses(&inverse);
            if sink.is_wanted() {
                sum.visit_tangent(&inverse, &mut |l, m, block| {
                    if let (Some(row), Some(column)) = (nodes.pose[span.first + l], nodes.pose[span.first + m]) {
                        sink.add_general(row, column, &-block);
                    }
                });
            }
            for (to, load) in pose_loads[span.first..][..=P].iter_mut().zip(&on_poses) {
                *to += *load;
            }
        }
    }
}
