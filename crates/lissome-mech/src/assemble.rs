//! Filling the linear system of one Newton iteration.
//!
//! ```text
//! [ G   Aᵀ        ] [ δ  ]     [ Aᵀβ − W ]
//! [ A  −M/(1 + μ) ] [ Δβ ] = − [ b − Mβ  ]
//! ```
//!
//! G is the geometric stiffness of the stresses β and of the loads; μ shifts the condensed matrix by μ AᵀM⁻¹A.
//! With β = M⁻¹b it is Newton on the potential; with β carried along independently it is Newton on the mixed
//! functional. In the printed form the stress is condensed at each quadrature point. Joints, closures and cables add
//! rows of their own.

use crate::element::spline::SplineRod;
use crate::element::spline::pose_map::RodBlocks;
use crate::energy::Frozen;
use crate::inputs::Inputs;
use crate::load::SectionLoad;
use crate::sink::{BlockSink, GroupMatrix, NoTangent, Node, NodeSink, Term};
use crate::slots::Source;
use crate::{State, System, Workspace};
use lissome_lie::Rotation;
use lissome_lie::dual::DualVector;
use lissome_model::StrainForm;
use nalgebra::Vector6;

/// Whose second derivative enters the tangent: it decides which retraction the step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurvatureOf {
    /// Step in exponential coordinates of the poses, [`System::retract_poses`].
    Poses,
    /// Step in the increments, [`System::retract_increments`].
    Increments,
}

/// How far a state is from equilibrium.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// Largest unbalanced wrench: force over F, moment over F L, with F the larger of the loads and EI/L² of the rod.
    pub balance: f64,
    /// Largest misfit of strain and stress, of closures and of cables, in the units of a scaled step.
    pub misfit: f64,
}

impl System {
    /// Fills the tangent and the right-hand side at `state` with its own stresses.
    pub fn assemble(&self, state: &State, inputs: &Inputs, curvature: CurvatureOf, work: &mut Workspace) -> Residual {
        work.shift = 0.0;
        work.inputs.copy_from(inputs);
        for (i, rod) in self.rods.iter().enumerate() {
            let scratch = &mut work.scratch[i];
            rod.fill_increments(&state.poses, &mut scratch.psi);
            rod.fill_tangent(&state.stress[rod.first_stress..][..rod.stress_count()], scratch);
            work.maps[i].fill(&scratch.psi);
            for (kept, psi) in work.increments[i].iter_mut().zip(&scratch.psi) {
                kept.0 = *psi;
            }
        }
        self.fill_line_loads(inputs, &mut work.line);
        self.fill_terms(state, &mut work.terms);
        self.fill_decided(state, &mut work.decided);
        match work.general.take() {
            Some((mut matrix, factor)) => {
                matrix.clear();
                self.write_tangent(state, inputs, curvature, work, &mut matrix);
                work.general = Some((matrix, factor));
            }
            None => {
                let mut matrix = std::mem::take(&mut work.symmetric);
                matrix.clear();
                self.write_tangent(state, inputs, curvature, work, &mut matrix);
                work.symmetric = matrix;
            }
        }
        self.freeze_loads(state, inputs, work);
        self.fill_right_hand_side(state, inputs, work)
    }

    /// Residual at `state` without its tangent; what [`System::reaction`] needs.
    pub fn evaluate(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> Residual {
        for (i, rod) in self.rods.iter().enumerate() {
            let scratch = &mut work.scratch[i];
            rod.fill_increments(&state.poses, &mut scratch.psi);
            rod.fill_gradient(&state.stress[rod.first_stress..][..rod.stress_count()], scratch);
            work.maps[i].fill(&scratch.psi);
        }
        self.fill_line_loads(inputs, &mut work.line);
        self.fill_terms(state, &mut work.terms);
        work.node_costs.fill(Vector6::zeros());
        self.write_loads(state, inputs, work, &mut NoTangent);
        self.fill_right_hand_side(state, inputs, work)
    }

    fn write_tangent<M: GroupMatrix>(
        &self,
        state: &State,
        inputs: &Inputs,
        curvature: CurvatureOf,
        work: &mut Workspace,
        matrix: &mut M,
    ) {
        work.node_costs.fill(Vector6::zeros());
        let terms = std::mem::take(&mut work.terms);
        let decided = std::mem::take(&mut work.decided);
        let mut costs = std::mem::take(&mut work.node_costs);
        let mut rows = std::mem::take(&mut work.rows);
        rows.clear();
        let mut sink = NodeSink {
            matrix,
            nodes: &self.nodes,
            terms: &terms,
            decided: &decided,
            right_hand_side: &mut costs,
            rows: &mut rows,
        };
        self.write_loads(state, inputs, work, &mut sink);
        self.write_elastic(state, curvature, work, &mut sink);
        let pull = |slot: usize| self.open_wrench(slot, work);
        let gradient = |slot: usize| match curvature {
            CurvatureOf::Poses => pull(slot),
            CurvatureOf::Increments => -work.direct[slot],
        };
        self.add_motion_curvature(gradient, &terms, |row, column, block| sink.pair(row, column, block));
        work.terms = terms;
        work.decided = decided;
        work.node_costs = costs;
        work.rows = rows;
    }

    /// Every load on its slot, and −∂W in the tangent; closures and joints.
    fn write_loads(&self, state: &State, inputs: &Inputs, work: &mut Workspace, sink: &mut impl BlockSink) {
        let Workspace { scratch, loads, line, joint_gradient, .. } = work;
        loads.fill(DualVector::zero());
        for at in &self.pose_loads {
            let load = at.load.evaluate(&state.poses[at.pose].rotation, at.factor.of(inputs));
            let f: DualVector = load.wrench.into();
            loads[at.pose] += f;
            sink.add_general(at.pose, at.pose, &-(load.tangent - f.skew().covector_map() * 0.5));
        }
        for (i, rod) in self.rods.iter().enumerate() {
            rod.add_line_loads(&line[i], &state.poses, &scratch[i].psi, loads, &self.rod_blocks(rod), sink);
        }
        self.add_cables(state, inputs, loads, sink);
        self.add_closures(state, loads, sink);
        self.add_joints(state, inputs, joint_gradient, sink);
    }

    fn write_elastic(&self, state: &State, curvature: CurvatureOf, work: &mut Workspace, sink: &mut impl BlockSink) {
        let Workspace { scratch, maps, lambda, loads, direct, total, .. } = work;
        match curvature {
            CurvatureOf::Increments => {
                direct.copy_from_slice(loads);
                self.gather_loads(state, direct, total, |i, own| {
                    self.rods[i].sweep_loads(&scratch[i].psi, own, &mut lambda[i])
                });
            }
            CurvatureOf::Poses => {
                for (lambda, scratch) in lambda.iter_mut().zip(&*scratch) {
                    lambda.copy_from_slice(&scratch.gradient);
                }
            }
        }
        for (i, rod) in self.rods.iter().enumerate() {
            let blocks = self.rod_blocks(rod);
            rod.add_tangent(&scratch[i], &maps[i], &lambda[i], &blocks, sink);
            if rod.form == StrainForm::Mixed {
                rod.add_compliance(&scratch[i], -1.0, &blocks, sink);
            }
        }
    }

    /// Shifts the assembled matrix: its condensed form becomes K + μ K_mat, K_mat the stiffness without stress and
    /// load. Cheap: only the stress blocks change (and the material blocks of printed rods, and the joints).
    pub fn shift_to(&self, mu: f64, work: &mut Workspace) {
        match work.general.take() {
            Some((mut matrix, factor)) => {
                self.write_shift(mu, work, &mut matrix);
                work.general = Some((matrix, factor));
            }
            None => {
                let mut matrix = std::mem::take(&mut work.symmetric);
                self.write_shift(mu, work, &mut matrix);
                work.symmetric = matrix;
            }
        }
        work.shift = mu;
    }

    fn write_shift<M: GroupMatrix>(&self, mu: f64, work: &mut Workspace, matrix: &mut M) {
        let gram_change = 1.0 / (1.0 + work.shift) - 1.0 / (1.0 + mu);
        let material_change = mu - work.shift;
        let Workspace { scratch, maps, terms, decided, node_costs, rows, .. } = work;
        node_costs.fill(Vector6::zeros());
        let mut sink = NodeSink { matrix, nodes: &self.nodes, terms, decided, right_hand_side: node_costs, rows };
        for (i, rod) in self.rods.iter().enumerate() {
            let blocks = self.rod_blocks(rod);
            match rod.form {
                StrainForm::Mixed => rod.add_compliance(&scratch[i], gram_change, &blocks, &mut sink),
                StrainForm::Printed => rod.add_material(&scratch[i], &maps[i], material_change, &blocks, &mut sink),
            }
        }
        for (group, stiffness) in self.lent_stiffness() {
            let own = nalgebra::Matrix6::from_diagonal(&(stiffness * material_change));
            sink.matrix.add_block(group, group, &own);
        }
        self.spread_rows(&work.node_costs, &work.terms, &mut work.right_hand_side);
    }

    /// Groups that count as having a stiffness where only rods have one: joints, and bodies that only cables hold.
    pub(crate) fn lent_stiffness(&self) -> impl Iterator<Item = (usize, Vector6<f64>)> + '_ {
        let joints = self.joints.iter().filter_map(|joint| match self.nodes[joint.node?] {
            Node::Own(group) => Some((group, self.joint_scale(joint))),
            _ => None,
        });
        let (turn, shift) = (self.force_scale * self.length_scale, self.force_scale / self.length_scale);
        let body = Vector6::new(turn, turn, turn, shift, shift, shift);
        joints.chain(self.loose_bodies.iter().map(move |group| (*group, body)))
    }

    /// Stiffness that a joint's coordinates count as having where only rods have one: of the softest rod's size.
    pub(crate) fn joint_scale(&self, joint: &crate::joint::CompiledJoint) -> Vector6<f64> {
        let (turn, shift) = (self.force_scale * self.length_scale, self.force_scale / self.length_scale);
        Vector6::from_fn(|i, _| {
            let turns = joint.subspace.fixed_view::<3, 1>(0, i).norm_squared() > 0.5;
            match (i < joint.freedom, turns) {
                (false, _) => 0.0,
                (true, true) => turn,
                (true, false) => shift,
            }
        })
    }

    /// Loads along each rod with their factors.
    pub(crate) fn fill_line_loads(&self, inputs: &Inputs, line: &mut [Vec<SectionLoad>]) {
        for (sum, lines) in line.iter_mut().zip(&self.line_loads) {
            sum.fill(SectionLoad::default());
            for own in lines {
                let factor = own.factor.of(inputs);
                for (sum, load) in sum.iter_mut().zip(&own.at_points) {
                    sum.add(&load.scaled(factor));
                }
            }
        }
    }

    fn freeze_loads(&self, state: &State, inputs: &Inputs, work: &mut Workspace) {
        work.frozen_poses.clear();
        work.frozen_poses.extend(
            self.pose_loads.iter().map(|at| Frozen::at(&at.load, state.poses[at.pose].rotation, at.factor.of(inputs))),
        );
        for (i, rod) in self.rods.iter().enumerate() {
            let frozen = &mut work.frozen_points[i];
            frozen.clear();
            let psi = &work.scratch[i].psi;
            frozen.extend(work.line[i].iter().enumerate().map(|(q, load)| {
                // A dead force needs no orientation.
                let rotation = if load.is_conservative() {
                    Rotation::identity()
                } else {
                    rod.point_pose(q, &state.poses, psi).rotation
                };
                Frozen::at(load, rotation, 1.0)
            }));
        }
    }

    /// Gradient of the potential at a slot: what its rod's stress exerts less what loads it.
    fn open_wrench(&self, slot: usize, work: &Workspace) -> DualVector {
        // Rods come first, in order.
        let rod = self.rods.partition_point(|rod| rod.first_pose + rod.pose_count <= slot);
        match self.rods.get(rod) {
            Some(own) => {
                work.maps[rod].pull_back(&work.scratch[rod].gradient, slot - own.first_pose) - work.loads[slot]
            }
            None => -work.loads[slot],
        }
    }

    fn fill_right_hand_side(&self, state: &State, inputs: &Inputs, work: &mut Workspace) -> Residual {
        let mut residual = Residual::default();
        let mut rows = std::mem::take(&mut work.node_rows);
        for (slot, row) in rows.iter_mut().enumerate().take(self.sources.len()) {
            *row = (-self.open_wrench(slot, work)).wrench().to_vector();
        }
        for (i, rod) in self.rods.iter().enumerate().filter(|(_, rod)| rod.form == StrainForm::Mixed) {
            if !work.scratch[i].resolved {
                residual.misfit = f64::INFINITY;
            }
            for (a, misfit) in work.scratch[i].misfit.iter().enumerate() {
                // An increment gains the misfit; its turn counts as it is, its length relative to the rod.
                let size = misfit.fixed_rows::<3>(0).norm().max(misfit.fixed_rows::<3>(3).norm() / rod.length);
                residual.misfit = residual.misfit.max(size);
                rows[self.stress_node[rod.first_stress + a]] = -misfit;
            }
        }
        for (joint, gradient) in self.joints.iter().zip(&work.joint_gradient) {
            if let Some(node) = joint.node {
                rows[node] = -gradient;
            }
        }
        residual.misfit = residual.misfit.max(self.fill_closure_rows(state, &mut rows));
        residual.misfit = residual.misfit.max(self.fill_cable_rows(state, inputs, &mut rows));
        residual.misfit = residual.misfit.max(self.fill_limit_rows(state, &mut rows));
        work.right_hand_side.fill(0.0);
        self.spread_rows(&rows, &work.terms, &mut work.right_hand_side);
        residual.balance = self.balance(work);
        self.spread_rows(&work.node_costs, &work.terms, &mut work.right_hand_side);
        work.node_rows = rows;
        residual
    }

    /// Adds the rows of nodes to those of their groups.
    pub(crate) fn spread_rows(&self, rows: &[Vector6<f64>], terms: &[Term], out: &mut [f64]) {
        let mut add = |group: usize, row: &Vector6<f64>| {
            for (out, value) in out[self.group_rows[group].clone()].iter_mut().zip(row.iter()) {
                *out += value;
            }
        };
        for (node, row) in self.nodes.iter().zip(rows) {
            match *node {
                Node::Fixed => {}
                Node::Own(group) => add(group, row),
                Node::Through { first, count } => {
                    for term in &terms[first..first + count] {
                        add(term.group, &term.jacobian.tr_mul(row));
                    }
                }
            }
        }
    }

    /// Largest unbalanced wrench on a group of poses or a joint, scaled.
    fn balance(&self, work: &Workspace) -> f64 {
        let mut largest: f64 = 0.0;
        let mut strongest = self.force_scale;
        let mut measure = |slot: usize, force: f64, length: f64| {
            if let (Node::Own(group), Source::Own) = (self.nodes[slot], self.sources[slot]) {
                let row = Vector6::from_column_slice(&work.right_hand_side[self.group_rows[group].clone()]);
                let (moment, push) = (row.fixed_rows::<3>(0).norm(), row.fixed_rows::<3>(3).norm());
                largest = largest.max(push / force).max(moment / (force * length));
            }
        };
        for rod in &self.rods {
            let force = self.force_scale_of(rod, &work.loads);
            strongest = strongest.max(force);
            (0..rod.pose_count).for_each(|i| measure(rod.first_pose + i, force, rod.length));
        }
        let rods = self.rods.iter().map(|rod| rod.pose_count).sum::<usize>();
        for load in &work.loads[rods..] {
            strongest = strongest.max(load.re.norm());
        }
        (rods..self.sources.len()).for_each(|slot| measure(slot, strongest, self.length_scale));
        for joint in &self.joints {
            if let Some(Node::Own(group)) = joint.node.map(|node| self.nodes[node]) {
                for (i, row) in self.group_rows[group].clone().enumerate() {
                    let turns = joint.subspace.fixed_view::<3, 1>(0, i).norm_squared() > 0.5;
                    let scale = if turns { strongest * self.length_scale } else { strongest };
                    largest = largest.max(work.right_hand_side[row].abs() / scale);
                }
            }
        }
        largest
    }

    /// Force scale of a rod: the larger of what its bending resists and what loads it.
    fn force_scale_of(&self, rod: &SplineRod, loads: &[DualVector]) -> f64 {
        let own = &loads[rod.first_pose..][..rod.pose_count];
        let total: DualVector = own
            .iter()
            .fold(DualVector::zero(), |sum, w| DualVector { re: sum.re + w.re.abs(), du: sum.du + w.du.abs() });
        (rod.soft_bending / rod.length.powi(2)).max(total.re.norm()).max(total.du.norm() / rod.length)
    }

    fn rod_blocks(&self, rod: &SplineRod) -> RodBlocks<'_> {
        RodBlocks {
            pose: &self.pose_node[rod.first_pose..][..rod.pose_count],
            stress: &self.stress_node[rod.first_stress..][..rod.stress_count()],
        }
    }
}
