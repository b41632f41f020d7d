//! Small motions about rest: products with the damping C, and the factor of K + cC + mM without symmetry.
//!
//! Materials damp by β = M⁻¹(b + Θ ḃ), so C = AᵀM⁻¹ΘA plus what dampers add. Gyroscopic terms are absent: they belong to
//! motions about a motion.

use super::MotionWorkspace;
use crate::chain::ChainBlocks;
use crate::damping::Damper;
use crate::index::{Node, RodIndex};
use crate::kind::each_damper;
use crate::node::Home;
use crate::rod::RodInertia;
use crate::sink::{BlockSink, HeldBlocks, NodeSink, Scaled};
use crate::{System, Workspace};
use lissome_sparse::FactorError;
use nalgebra::{Matrix6, Vector6};

/// Hands the compliance of a rod on as (1 − (1 + cΘ)⁻¹) M: what its stress rows lack of being those of K + cC.
struct Relaxed<'a> {
    inertia: &'a RodInertia,
    damping: f64,
    first: Node,
    sink: &'a mut dyn BlockSink,
}

impl Relaxed<'_> {
    fn lack(&self, row: Node) -> Matrix6<f64> {
        let theta = self.inertia.relaxation[row.index() - self.first.index()] * self.damping;
        let one = Matrix6::identity();
        // Θ = K⁻¹K_v has no negative eigenvalue; a negative factor may still meet one.
        one - (one + theta).try_inverse().unwrap_or(Matrix6::repeat(f64::NAN))
    }
}

impl BlockSink for Relaxed<'_> {
    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        self.add_general(row, column, block);
        if row != column {
            self.add_general(column, row, &block.transpose());
        }
    }
    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        let lack = self.lack(row) * block;
        self.sink.add_general(row, column, &lack);
    }
}

impl System {
    /// Memory for this system with a matrix that need not be symmetric, whatever acts.
    pub fn general_workspace(&self) -> Workspace {
        let mut work = self.workspace();
        work.general.get_or_insert_with(|| self.general_matrix());
        work
    }

    /// True if a material or a joint resists the rate of its deformation.
    pub fn is_damped(&self, work: &MotionWorkspace) -> bool {
        let mut damped = work.inertia.iter().any(|rod| rod.slowest > 0.0);
        each_damper!(self.values.kinds, |damper| {
            damped |= damper.resistance() != Matrix6::zeros();
        });
        damped
    }

    /// y = C x on displacements, C at the start of the step. Uses the assembled tangent of the same state, so every rod
    /// must have independent stresses.
    pub fn damping_times(&self, x: &[f64], y: &mut [f64], tangent: &mut Workspace, work: &MotionWorkspace) {
        self.elastic_times(x, y, tangent, |rod, strain| {
            let inertia = &work.inertia[rod];
            if inertia.relaxation.is_empty() {
                strain.fill(Vector6::zeros());
            }
            for (strain, theta) in strain.iter_mut().zip(&inertia.relaxation) {
                *strain = theta * *strain;
            }
        });
        for (rod, place) in self.values.rods.iter().zip(&self.layout.rods) {
            if let Some(own) = rod.strain_basis() {
                self.add_on_coordinates(place, x, y, |x, y| own.damping_times(x, y));
            }
        }
        let homes = &self.layout.homes;
        let mut all = vec![0.0; homes.all_rows()];
        all[..x.len()].copy_from_slice(x);
        let mut resisted = vec![0.0; homes.all_rows()];
        each_damper!(self.values.kinds, |damper| {
            let mut rate = Vector6::zeros();
            damper.jacobian(&work.before, &mut |node, j| rate += j * homes.motion(node, &work.start_terms, &all));
            let force = damper.resistance() * rate;
            damper.jacobian(&work.before, &mut |node, j| {
                let on_node = j.tr_mul(&force);
                match homes.of(node) {
                    Home::Fixed => {}
                    Home::Own(group) => homes.add(group, &on_node, &mut resisted),
                    Home::Through { first, count } => {
                        for term in &work.start_terms[first..first + count] {
                            homes.add(term.group, &term.jacobian.tr_mul(&on_node), &mut resisted);
                        }
                    }
                }
            });
        });
        y.iter_mut().zip(&resisted).for_each(|(y, force)| *y += force);
    }

    /// Adds `mass` M + `damping` C to an assembled tangent and factors it without symmetry; the tangent must belong to the
    /// start of the step and come from [`System::general_workspace`]. Solve with [`System::solve_tangent`].
    pub fn factor_vibration(
        &self,
        mass: f64,
        damping: f64,
        tangent: &mut Workspace,
        work: &MotionWorkspace,
    ) -> Result<(), FactorError> {
        let (mut matrix, mut factor) = tangent.general.take().unwrap_or_else(|| self.general_matrix());
        let homes = &self.layout.homes;
        let steps = vec![0.0; homes.all_rows()];
        let mut held = HeldBlocks::new(homes.all_rows(), self.layout.first_gap);
        let chains = &self.layout.chains;
        let mut kept = ChainBlocks::new(chains);
        let mut sink = NodeSink {
            matrix: &mut matrix,
            homes,
            terms: &work.start_terms,
            steps: &steps,
            held: &mut held,
            start: None,
            chains,
            kept: &mut kept,
        };
        self.add_mass(false, work, &mut Scaled { factor: mass, sink: &mut sink });
        if damping != 0.0 {
            self.add_dampers(damping, work, &mut sink);
            for (i, rod) in self.values.rods.iter().enumerate() {
                let (inertia, blocks) = (&work.inertia[i], self.rod_nodes(RodIndex::new(i)));
                if let Some(own) = rod.strain_basis() {
                    own.add_damping(damping, &blocks, &mut sink);
                }
                if let (Some(first), false) = (blocks.stress.first(), inertia.relaxation.is_empty()) {
                    let mut relaxed = Relaxed { inertia, damping, first: *first, sink: &mut sink };
                    rod.add_compliance(&tangent.scratch[i], 1.0, &blocks, &mut relaxed);
                }
            }
        }
        sink.finish();
        let result = matrix.factor_into(&mut factor);
        tangent.general = Some((matrix, factor));
        result
    }

    fn add_dampers(&self, factor: f64, work: &MotionWorkspace, sink: &mut dyn BlockSink) {
        each_damper!(self.values.kinds, |damper| {
            let resistance = damper.resistance() * factor;
            let mut nodes: Vec<(Node, Matrix6<f64>)> = Vec::new();
            damper.jacobian(&work.before, &mut |node, j| nodes.push((node, *j)));
            for (row, a) in &nodes {
                for (column, b) in &nodes {
                    sink.add_general(*row, *column, &a.tr_mul(&(resistance * b)));
                }
            }
        });
    }
}
