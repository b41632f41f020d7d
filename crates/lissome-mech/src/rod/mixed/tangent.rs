//! The tangent of a mixed rod in its poses and stresses.

use super::MixedRod;
use crate::rod::curve::pose_map::PoseMap;
use crate::rod::scratch::{RodNodes, RodScratch};
use crate::sink::BlockSink;
use lissome_lie::dual::{DualMatrix, DualVector};

impl MixedRod {
    /// Adds the tangent in poses and stresses: geometric stiffness, λ·∂²Ψ, coupling. The compliance comes besides.
    pub(in crate::rod) fn add_tangent(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        lambda: &[DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        self.curve.add_curvature_of_increments(map, lambda, nodes, sink);
        // A geodesic increment has strain Ψ/h: no curvature of its own.
        if self.curve.degree() > 1 {
            self.curve.add_banded(&scratch.geometric, map, nodes, sink);
        }
        self.add_coupling(scratch, map, nodes, sink);
    }

    /// A in poses.
    fn add_coupling(&self, scratch: &RodScratch, map: &PoseMap, nodes: &RodNodes<'_>, sink: &mut dyn BlockSink) {
        let (p, n) = (self.curve.degree(), self.curve.increments());
        for a in 0..n {
            let from = a.saturating_sub(p - 1);
            let to = (a + p).min(n);
            let entry = |k: usize| scratch.coupling[a * (2 * p - 1) + (k + p - 1 - a)];
            for m in from..=to {
                let Some(column) = nodes.pose[m] else { continue };
                let mut block = DualMatrix::zero();
                if m > from {
                    block += entry(m - 1) * map.plus[m - 1];
                }
                if m < to {
                    block = block - entry(m) * map.minus[m];
                }
                sink.add_symmetric(nodes.stress[a], column, &block.twist_map());
            }
        }
    }
}
