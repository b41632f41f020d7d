//! The material stiffness of a rod in its displacement form, from increments to poses.

use super::DisplacementRod;
use crate::rod::curve::pose_map::PoseMap;
use crate::rod::scratch::{RodNodes, RodScratch};
use crate::sink::BlockSink;

impl DisplacementRod {
    /// Adds `factor` times the material stiffness Tᵀ(Σ w DᵀKD)T.
    pub(in crate::rod) fn add_material(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        factor: f64,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        let p = self.curve.degree();
        for i in 0..self.curve.increments() {
            let rows = [(i + 1, map.plus[i].twist_map(), 1.0), (i, map.minus[i].twist_map(), -1.0)];
            for k in i.saturating_sub(p - 1)..=i {
                let columns = [(k + 1, map.plus[k].twist_map(), 1.0), (k, map.minus[k].twist_map(), -1.0)];
                let block = &scratch.material[i * p + (i - k)];
                for (row, t_row, sign_row) in &rows {
                    for (column, t_column, sign_column) in &columns {
                        let (Some(r), Some(c)) = (nodes.pose[*row], nodes.pose[*column]) else { continue };
                        let value = t_row.tr_mul(&(block * t_column)) * (factor * sign_row * sign_column);
                        if i == k {
                            // Both orders of an off-diagonal pair occur within the loop: keep the lower one.
                            if row >= column {
                                sink.add_symmetric(r, c, &value);
                            }
                        } else if row == column {
                            // This block and its mirror image both land on the diagonal.
                            sink.add_symmetric(r, r, &(value + value.transpose()));
                        } else {
                            sink.add_symmetric(r, c, &value);
                        }
                    }
                }
            }
        }
    }
}
