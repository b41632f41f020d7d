//! The mass over all unknowns of a system, for natural frequencies: M beside the tangent K of statics.

use super::MotionWorkspace;
use crate::sink::{BlockSink, NodeSink};
use crate::{System, Workspace};
use lissome_lie::Twist;
use lissome_sparse::kkt::KktMatrix;
use lissome_sparse::{FactorError, Inertia};
use nalgebra::{Matrix6, Vector6};

impl System {
    /// M at the start of the step, zero for stresses and multipliers.
    pub fn mass_matrix(&self, work: &mut MotionWorkspace) -> KktMatrix {
        let mut matrix = KktMatrix::new(&self.pattern);
        self.write_mass(1.0, &mut matrix, work);
        matrix
    }

    /// Adds σM to an assembled tangent and factors it; the tangent must belong to the start of the step.
    pub fn factor_shifted(
        &self,
        sigma: f64,
        tangent: &mut Workspace,
        work: &mut MotionWorkspace,
    ) -> Result<Inertia, FactorError> {
        if let Some((matrix, _)) = &tangent.general {
            matrix.symmetric_part_into(&mut tangent.symmetric);
        }
        self.write_mass(sigma, &mut tangent.symmetric, work);
        tangent.symmetric.factor_into(&mut tangent.symmetric_factor)
    }

    fn write_mass(&self, factor: f64, matrix: &mut KktMatrix, work: &mut MotionWorkspace) {
        let decided = vec![None; self.nodes.len()];
        let (mut unused, mut rows) = (vec![Vector6::zeros(); self.nodes.len()], Vec::new());
        let sink = NodeSink {
            matrix,
            nodes: &self.nodes,
            terms: &work.start_terms,
            decided: &decided,
            right_hand_side: &mut unused,
            rows: &mut rows,
        };
        let mut sink = Times { factor, sink };
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            rod.add_mass(&work.inertia[i], &work.rods[i].start, &self.pose_node[own], &mut sink);
        }
        for body in &self.bodies {
            sink.add_symmetric(body.slot, body.slot, &body.mass);
        }
    }

    /// Motion of every slot for a vector over the unknowns, at the start of the step.
    pub fn slot_motions(&self, x: &[f64], work: &MotionWorkspace) -> Vec<Twist> {
        let read = |group: usize| {
            let rows = &x[self.group_rows[group].clone()];
            Vector6::from_fn(|i, _| rows.get(i).copied().unwrap_or(0.0))
        };
        (0..self.sources.len())
            .map(|slot| {
                let moved = match self.nodes[slot] {
                    crate::sink::Node::Fixed => Vector6::zeros(),
                    crate::sink::Node::Own(group) => read(group),
                    crate::sink::Node::Through { first, count } => work.start_terms[first..first + count]
                        .iter()
                        .fold(Vector6::zeros(), |sum: Vector6<f64>, term| sum + term.jacobian * read(term.group)),
                };
                Twist::from_vector(&moved)
            })
            .collect()
    }
}

/// Scales what it is given.
struct Times<S> {
    factor: f64,
    sink: S,
}

impl<S: BlockSink> BlockSink for Times<S> {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        self.sink.add_symmetric(row, column, &(block * self.factor));
    }
    fn add_general(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        self.sink.add_general(row, column, &(block * self.factor));
    }
}
