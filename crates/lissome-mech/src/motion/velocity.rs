//! Velocities at the end of a step: M(Q)u + Cᵀν = momentum, C u = rate of the constraints.
//!
//! The unknowns are those of poses and joints, and one multiplier for every constraint, without the stresses: a matrix of
//! its own.

use super::MotionWorkspace;
use crate::impulse::momentum;
use crate::inputs::Inputs;
use crate::sink::{BlockSink, Node, NodeSink, Row, Term};
use crate::slots::{Place, Source};
use crate::{State, System};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_sparse::FactorError;
use lissome_sparse::kkt::{Group, KktFactor, KktMatrix, Pattern, Role};
use nalgebra::{Matrix6, Vector6};
use std::ops::Range;

/// The linear system of the velocities.
#[derive(Clone, Debug)]
pub struct VelocitySystem {
    nodes: Vec<Node>,
    /// Group of each group of the system that is a displacement.
    groups: Vec<Option<usize>>,
    group_rows: Vec<Range<usize>>,
    terms: Vec<Term>,
    matrix: KktMatrix,
    factor: KktFactor,
    decided: Vec<Option<Vector6<f64>>>,
    unused: Vec<Row>,
    node_rows: Vec<Vector6<f64>>,
    slot_rows: Vec<DualVector>,
    solution: Vec<f64>,
    /// What drives prescribe of each slot's velocity.
    prescribed: Vec<Twist>,
}

/// Inputs a little before and after a moment: the rates of what is driven.
#[derive(Clone, Copy, Debug)]
pub struct Rates<'a> {
    /// Inputs before.
    pub behind: &'a Inputs,
    /// Inputs after.
    pub ahead: &'a Inputs,
    /// Time between them, s.
    pub apart: f64,
}

impl VelocitySystem {
    pub(crate) fn new(system: &System, terms: &[Term]) -> Self {
        let mut pattern = Pattern::new();
        let mut groups: Vec<Option<Group>> = vec![None; system.group_rows.len()];
        for group in system.displacement_groups() {
            groups[group] = Some(pattern.group(system.group_rows[group].len(), Role::Primal));
        }
        let mut nodes: Vec<Node> = vec![Node::Fixed; system.nodes.len()];
        for (node, own) in nodes.iter_mut().zip(&system.nodes) {
            *node = match *own {
                Node::Own(group) => groups[group].map_or(Node::Fixed, |group| Node::Own(group.index())),
                other => other,
            };
        }
        let of = |node: usize| -> Vec<Group> {
            match system.nodes[node] {
                Node::Fixed => Vec::new(),
                Node::Own(group) => groups[group].into_iter().collect(),
                Node::Through { first, count } => {
                    terms[first..first + count].iter().filter_map(|term| groups[term.group]).collect()
                }
            }
        };
        let couple = |pattern: &mut Pattern, a: &[Group], b: &[Group]| {
            for a in a {
                for b in b {
                    pattern.couple(*a, *b);
                }
            }
        };
        for rod in &system.rods {
            for i in 0..rod.pose_count {
                for k in i.saturating_sub(rod.degree)..=i {
                    couple(&mut pattern, &of(rod.first_pose + i), &of(rod.first_pose + k));
                }
            }
        }
        for body in &system.bodies {
            couple(&mut pattern, &of(body.slot), &of(body.slot));
        }
        let mut constrain = |pattern: &mut Pattern, node: usize, size: usize, slots: &[usize]| {
            let own = pattern.group(size, Role::Multiplier);
            nodes[node] = Node::Own(own.index());
            for slot in slots {
                couple(pattern, &[own], &of(*slot));
            }
        };
        for closure in &system.closures {
            if let Some(node) = closure.node {
                constrain(&mut pattern, node, 6, &[closure.tied, closure.frame]);
            }
        }
        for cable in &system.cables {
            if let Some(node) = cable.node {
                constrain(&mut pattern, node, 1, &cable.points);
            }
        }
        let slots = system.sources.len();
        let matrix = KktMatrix::new(&pattern);
        Self {
            group_rows: (0..pattern.groups()).map(|group| matrix.rows_of(group)).collect(),
            groups: groups.iter().map(|group| group.map(Group::index)).collect(),
            terms: terms.to_vec(),
            factor: KktFactor::new(&pattern).expect("multipliers wait for displacements only"),
            decided: vec![None; nodes.len()],
            unused: Vec::new(),
            node_rows: vec![Vector6::zeros(); nodes.len()],
            slot_rows: vec![DualVector::zero(); slots],
            solution: vec![0.0; pattern.rows()],
            prescribed: vec![Twist::zero(); slots],
            nodes,
            matrix,
        }
    }

    /// y = M x; multipliers of x do not count.
    pub fn mass_times(&self, x: &[f64], y: &mut [f64]) {
        self.matrix.multiply(x, y);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.solution.len()
    }
}

impl System {
    /// Fills and factors the mass at a state. `shapes` tells which end of the step the shapes of the rods are taken from.
    fn factor_mass(
        &self,
        at: &State,
        inputs: &Inputs,
        end: bool,
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let VelocitySystem { nodes, groups, terms, matrix, factor, decided, unused, node_rows, .. } =
            &mut work.velocity;
        let own_terms = if end { &work.base.terms } else { &work.start_terms };
        for (to, from) in terms.iter_mut().zip(own_terms) {
            // Multipliers carry nothing, so every term belongs to a displacement.
            *to = Term { group: groups[from.group].unwrap_or(0), jacobian: from.jacobian };
        }
        matrix.clear();
        node_rows.fill(Vector6::zeros());
        let mut sink = NodeSink { matrix, nodes, terms, decided, right_hand_side: node_rows, rows: unused };
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let shape = if end { &work.rods[i].end } else { &work.rods[i].start };
            rod.add_mass(&work.inertia[i], shape, &self.pose_node[own], &mut sink);
        }
        for body in &self.bodies {
            sink.add_symmetric(body.slot, body.slot, &body.mass);
        }
        for closure in &self.closures {
            if let Some(node) = closure.node {
                let across = (at.poses[closure.tied].inverse() * at.poses[closure.frame]).adjoint();
                sink.add_symmetric(node, closure.tied, &Matrix6::identity());
                sink.add_symmetric(node, closure.frame, &-across);
            }
        }
        let mut rows = Rows { slots: self.sources.len(), system: self, at, inputs, sink: &mut sink };
        self.add_cables(at, inputs, &mut work.base.loads, &mut rows);
        matrix.factor_into(factor).map(|_| ())
    }

    /// Velocities of slots and joints at the end of the step, from the momenta of its points, less `kick` times the
    /// forces at the end and less what the iteration left of the balance: what it missed is not lost.
    #[allow(clippy::too_many_arguments)]
    pub fn end_velocities(
        &self,
        kick: f64,
        end: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocity: &mut [Twist],
        joint_rates: &mut [Vector6<f64>],
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let mut on = std::mem::take(&mut work.velocity.slot_rows);
        on.fill(DualVector::zero());
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let step = &mut work.rods[i];
            // The last evaluation of the step has left increments and poses of the points.
            step.end.psi.copy_from_slice(&step.psi);
            rod.complete_shape(None, &mut step.end);
            rod.add_pulled(&step.end, |q| step.points[q].end_momentum, &mut on[own.clone()]);
            if kick != 0.0 {
                let stress = &end.stress[rod.first_stress..][..rod.stress_count()];
                rod.add_stress_gradient(&step.end, stress, -kick, &mut on[own.clone()]);
                let line = &work.base.line[i];
                if !line.is_empty() {
                    let load = |q: usize| {
                        let rotation = &step.end.points[q].pose.rotation;
                        DualVector::from(line[q].evaluate(rotation, 1.0).wrench) * kick
                    };
                    rod.add_pulled(&step.end, load, &mut on[own]);
                }
            }
        }
        for (body, point) in self.bodies.iter().zip(&work.bodies) {
            on[body.slot] += point.end_momentum;
        }
        if kick != 0.0 {
            let mut loads = std::mem::take(&mut work.base.loads);
            loads.fill(DualVector::zero());
            self.add_all_slot_loads(end, inputs, &mut loads);
            for (on, load) in on.iter_mut().zip(&loads) {
                *on += *load * kick;
            }
            work.base.loads = loads;
            self.add_joints(end, inputs, &mut work.end_joints, &mut crate::sink::NoTangent);
        }
        work.velocity.slot_rows = on;
        self.solve_velocities(kick, end, inputs, rates, true, velocity, joint_rates, work)?;
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let (step, inertia) = (&mut work.rods[i], &work.inertia[i]);
            rod.velocities_at_points(&step.end, &velocity[own], |q, eta| step.points[q].end(&inertia.mass[q], eta));
        }
        for (body, point) in self.bodies.iter().zip(&mut work.bodies) {
            point.end(&body.mass, velocity[body.slot].into());
        }
        Ok(())
    }

    /// Makes velocities of slots consistent with what follows what, with constraints and drives: the nearest in the mass.
    pub fn consistent_velocities(
        &self,
        inputs: &Inputs,
        rates: &Rates<'_>,
        velocity: &mut [Twist],
        joint_rates: &mut [Vector6<f64>],
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        let state = work.before.clone();
        let mut on = std::mem::take(&mut work.velocity.slot_rows);
        on.fill(DualVector::zero());
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let (step, inertia) = (&mut work.rods[i], &work.inertia[i]);
            rod.velocities_at_points(&step.start, &velocity[own.clone()], |q, eta| {
                step.points[q].start(&inertia.mass[q], eta);
            });
            rod.add_pulled(&step.start, |q| step.points[q].start_momentum, &mut on[own]);
        }
        for body in &self.bodies {
            on[body.slot] += momentum(&body.mass, &velocity[body.slot].into());
        }
        work.velocity.slot_rows = on;
        work.base.right_hand_side.fill(0.0);
        self.solve_velocities(0.0, &state, inputs, rates, false, velocity, joint_rates, work)?;
        self.start_motion(&state, velocity, inputs, work);
        Ok(())
    }

    /// Solves for velocities from the momenta of the slots in `slot_rows`.
    #[allow(clippy::too_many_arguments)]
    fn solve_velocities(
        &self,
        kick: f64,
        at: &State,
        inputs: &Inputs,
        rates: &Rates<'_>,
        end: bool,
        velocity: &mut [Twist],
        joint_rates: &mut [Vector6<f64>],
        work: &mut MotionWorkspace,
    ) -> Result<(), FactorError> {
        self.prescribe(at, rates, &mut work.velocity.prescribed);
        self.subtract_prescribed(end, work);
        self.factor_mass(at, inputs, end, work)?;
        let system = &mut work.velocity;
        for (row, on) in system.node_rows.iter_mut().zip(&system.slot_rows) {
            *row = on.wrench().to_vector();
        }
        if kick != 0.0 {
            for (joint, row) in self.joints.iter().zip(&work.end_joints) {
                if let Some(node) = joint.node {
                    system.node_rows[node] = row * -kick;
                }
            }
        }
        for closure in &self.closures {
            if let Some(node) = closure.node {
                let across = at.poses[closure.tied].inverse() * at.poses[closure.frame];
                let open = system.prescribed[closure.tied] - across.adjoint_twist(&system.prescribed[closure.frame]);
                system.node_rows[node] = -open.to_vector();
            }
        }
        self.cable_rates(at, rates, system);
        system.solution.fill(0.0);
        let (nodes, rows) = (&system.nodes, &system.node_rows);
        spread(nodes, rows, &system.terms, &system.group_rows, &mut system.solution);
        // What the iteration left, unknown by unknown.
        for (group, own) in system.groups.iter().enumerate() {
            if let Some(own) = own {
                let left = &work.base.right_hand_side[self.group_rows[group].clone()];
                for (row, left) in system.group_rows[*own].clone().zip(left) {
                    system.solution[row] += left;
                }
            }
        }
        system.factor.solve(&mut system.solution);
        let read = |group: usize| {
            let rows = &system.solution[system.group_rows[group].clone()];
            Vector6::from_fn(|i, _| rows.get(i).copied().unwrap_or(0.0))
        };
        for (slot, v) in velocity.iter_mut().enumerate() {
            let moved = match system.nodes[slot] {
                Node::Fixed => Vector6::zeros(),
                Node::Own(group) => read(group),
                Node::Through { first, count } => system.terms[first..first + count]
                    .iter()
                    .fold(Vector6::zeros(), |sum: Vector6<f64>, term| sum + term.jacobian * read(term.group)),
            };
            *v = Twist::from_vector(&moved) + system.prescribed[slot];
        }
        for (joint, rate) in self.joints.iter().zip(joint_rates) {
            *rate = match joint.node.map(|node| system.nodes[node]) {
                Some(Node::Own(group)) => read(group),
                _ => {
                    let (behind, ahead) =
                        (self.driven_value(joint, rates.behind), self.driven_value(joint, rates.ahead));
                    joint.travelled(&joint.at(&behind), &joint.at(&ahead)) / rates.apart
                }
            };
        }
        Ok(())
    }

    /// Velocities that drives alone give the slots.
    fn prescribe(&self, at: &State, rates: &Rates<'_>, prescribed: &mut [Twist]) {
        prescribed.fill(Twist::zero());
        if rates.ahead == rates.behind {
            return;
        }
        for place in &self.places {
            let slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.rods[rod].first_pose + self.rods[rod].anchor(),
            };
            let Source::Follows { parent, joint, .. } = self.sources[slot] else { continue };
            let across = at.poses[slot].inverse() * at.poses[parent];
            prescribed[slot] = across.adjoint_twist(&prescribed[parent]);
            if let Some(joint) = joint.map(|joint| &self.joints[joint])
                && joint.node.is_none()
            {
                let (behind, ahead) = (self.driven_value(joint, rates.behind), self.driven_value(joint, rates.ahead));
                let moved = joint.at(&ahead).motion.boxminus(&joint.at(&behind).motion);
                prescribed[slot] += moved * (1.0 / rates.apart);
            }
        }
        for closure in self.closures.iter().filter(|closure| closure.node.is_none()) {
            let across = at.poses[closure.tied].inverse() * at.poses[closure.frame];
            prescribed[closure.tied] = across.adjoint_twist(&prescribed[closure.frame]);
        }
    }

    /// Takes the momentum of the prescribed velocities off what the unknowns must carry.
    fn subtract_prescribed(&self, end: bool, work: &mut MotionWorkspace) {
        let VelocitySystem { prescribed, slot_rows, .. } = &mut work.velocity;
        if prescribed.iter().all(|v| *v == Twist::zero()) {
            return;
        }
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let step = &mut work.rods[i];
            let shape = if end { &step.end } else { &step.start };
            let (points, mass) = (&mut step.points, &work.inertia[i].mass);
            rod.velocities_at_points(shape, &prescribed[own.clone()], |q, eta| {
                points[q].motion = -momentum(&mass[q], &eta)
            });
            rod.add_pulled(shape, |q| points[q].motion, &mut slot_rows[own]);
        }
        for body in &self.bodies {
            slot_rows[body.slot] = slot_rows[body.slot] - momentum(&body.mass, &prescribed[body.slot].into());
        }
    }

    /// Rates at which cables of given length shorten.
    fn cable_rates(&self, at: &State, rates: &Rates<'_>, system: &mut VelocitySystem) {
        if self.cables.iter().all(|cable| cable.node.is_none()) || rates.ahead == rates.behind {
            return;
        }
        let mut behind = vec![Vector6::zeros(); system.node_rows.len()];
        let mut ahead = behind.clone();
        self.fill_cable_rows(at, rates.behind, &mut behind);
        self.fill_cable_rows(at, rates.ahead, &mut ahead);
        for (index, cable) in self.cables.iter().enumerate() {
            if let Some(node) = cable.node
                && self.is_taut(index, at, rates.ahead)
                && cable.compliance == 0.0
            {
                system.node_rows[node] = (ahead[node] - behind[node]) / rates.apart;
            }
        }
    }

    /// Mass at the start of the step, factored. Returns the number of rows of its vectors.
    pub fn prepare_mass(&self, work: &mut MotionWorkspace) -> Result<usize, FactorError> {
        let before = work.before.clone();
        let inputs = work.start_inputs.clone();
        self.factor_mass(&before, &inputs, false, work)?;
        Ok(work.velocity.rows())
    }

    /// y = M x at the start of the step.
    pub fn mass_times(&self, x: &[f64], y: &mut [f64], work: &MotionWorkspace) {
        work.velocity.mass_times(x, y);
    }

    /// y = M⁻¹ AᵀM⁻¹A x over the displacements, constraints held, at the start of the step.
    pub fn elastic_acceleration(&self, x: &[f64], y: &mut [f64], work: &mut MotionWorkspace) {
        let mut velocity = std::mem::take(&mut work.base.pose_step);
        let system = &mut work.velocity;
        for (slot, v) in velocity.iter_mut().enumerate() {
            let read = |group: usize| {
                let rows = &x[system.group_rows[group].clone()];
                Vector6::from_fn(|i, _| rows.get(i).copied().unwrap_or(0.0))
            };
            let moved = match system.nodes[slot] {
                Node::Fixed => Vector6::zeros(),
                Node::Own(group) => read(group),
                Node::Through { first, count } => system.terms[first..first + count]
                    .iter()
                    .fold(Vector6::zeros(), |sum: Vector6<f64>, term| sum + term.jacobian * read(term.group)),
            };
            *v = Twist::from_vector(&moved);
        }
        system.slot_rows.fill(DualVector::zero());
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            let stress = &mut work.base.stress_step[rod.first_stress..][..rod.stress_count()];
            rod.strain_rate(&work.rods[i].start, &velocity[own.clone()], stress);
            rod.solve_compliance(&work.rods[i].compliance, stress, &mut work.base.buffer);
            rod.add_stress_gradient(&work.rods[i].start, stress, 1.0, &mut system.slot_rows[own]);
        }
        work.base.pose_step = velocity;
        system.node_rows.fill(Vector6::zeros());
        for (row, on) in system.node_rows.iter_mut().zip(&system.slot_rows) {
            *row = on.wrench().to_vector();
        }
        y.fill(0.0);
        spread(&system.nodes, &system.node_rows, &system.terms, &system.group_rows, y);
        system.factor.solve(y);
        for (node, group) in system.nodes.iter().enumerate() {
            // Multipliers are no displacement.
            if let (Node::Own(group), true) = (group, self.is_multiplier(node)) {
                y[system.group_rows[*group].clone()].fill(0.0);
            }
        }
    }

    fn is_multiplier(&self, node: usize) -> bool {
        self.closures.iter().any(|closure| closure.node == Some(node))
            || self.cables.iter().any(|cable| cable.node == Some(node))
    }
}

impl crate::element::spline::SplineRod {
    /// b ← M⁻¹ b; `compliance` is that of linear-strain elements. `buffer` must hold six numbers per stress.
    pub fn solve_compliance(&self, compliance: &[Matrix6<f64>], b: &mut [Vector6<f64>], buffer: &mut [f64]) {
        if self.is_linear_strain() {
            for (compliance, b) in compliance.iter().zip(b) {
                if let Some(factor) = nalgebra::Cholesky::new(*compliance) {
                    *b = factor.solve(b);
                }
            }
            return;
        }
        let flat = &mut buffer[..6 * b.len()];
        for (x, b) in flat.chunks_exact_mut(6).zip(b.iter()) {
            x.copy_from_slice(b.as_slice());
        }
        self.compliance.gram_factor.solve(flat);
        for (x, b) in flat.chunks_exact(6).zip(b) {
            *b = Vector6::from_column_slice(x);
        }
    }
}

/// Adds the rows of nodes to those of their groups.
fn spread(nodes: &[Node], rows: &[Vector6<f64>], terms: &[Term], group_rows: &[Range<usize>], out: &mut [f64]) {
    let mut add = |group: usize, row: &Vector6<f64>| {
        for (out, value) in out[group_rows[group].clone()].iter_mut().zip(row.iter()) {
            *out += value;
        }
    };
    for (node, row) in nodes.iter().zip(rows) {
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

/// Takes only the rows of cables: taut ones that do not stretch keep their length, the others have no say.
struct Rows<'a, 'b, S> {
    slots: usize,
    system: &'a System,
    at: &'a State,
    inputs: &'a Inputs,
    sink: &'b mut S,
}

impl<S: BlockSink> BlockSink for Rows<'_, '_, S> {
    fn add_symmetric(&mut self, row: usize, column: usize, block: &Matrix6<f64>) {
        if row < self.slots {
            return;
        }
        let Some(index) = self.system.cables.iter().position(|cable| cable.node == Some(row)) else { return };
        let holds = self.system.cables[index].compliance == 0.0 && self.system.is_taut(index, self.at, self.inputs);
        match (holds, row == column) {
            (true, false) => self.sink.add_symmetric(row, column, block),
            (false, true) => self.sink.add_symmetric(row, row, &-Matrix6::identity()),
            _ => {}
        }
    }
    fn add_general(&mut self, _: usize, _: usize, _: &Matrix6<f64>) {}
}
