//! Solving the linear system, and moving along its solution.

use crate::sink::Node;
use crate::slots::Place;
use crate::{Part, State, System, Workspace};
use lissome_lie::{Twist, Wrench};
use lissome_model::StrainForm;
use lissome_sparse::{FactorError, Inertia};
use nalgebra::Vector6;

/// Share in an undetermined motion or reaction below which a part does not take part.
const SHARE: f64 = 1e-6;

impl System {
    /// Factors the assembled matrix. The inertia is that of the symmetric matrix; `None` if it is not symmetric.
    pub fn factor(&self, work: &mut Workspace) -> Result<Option<Inertia>, FactorError> {
        match &mut work.general {
            Some((matrix, factor)) => matrix.factor_into(factor).map(|()| None),
            None => work.symmetric.factor_into(&mut work.symmetric_factor).map(Some),
        }
    }

    /// Inertia of the symmetric part of the assembled matrix: what [`System::factor`] gives for conservative loads.
    pub fn symmetric_inertia(&self, work: &mut Workspace) -> Result<Inertia, FactorError> {
        if let Some((matrix, _)) = &work.general {
            matrix.symmetric_part_into(&mut work.symmetric);
        }
        work.symmetric.factor_into(&mut work.symmetric_factor)
    }

    /// Parts whose unknowns the assembled matrix does not determine, pivots beyond `growth` counting as zero: those of the
    /// first such pivot, the strongest share first. Empty if it determines all. Beside them, how far the right-hand side is
    /// from what the matrix can reach: of closures, the gap that cannot be closed, rad or m.
    pub fn undetermined(&self, growth: f64, work: &mut Workspace) -> (Vec<Part>, f64) {
        // An error is just what is looked for; the factor goes on without the vanished rows.
        let _ = self.symmetric_inertia(work);
        let Some(weak) = work.symmetric_factor.weak_pivots(growth).next() else { return (Vec::new(), 0.0) };
        let mut shares = vec![0.0; self.unknowns()];
        work.symmetric_factor.undetermined(&weak, &mut shares);
        let kind = self.part_of(weak.group);
        let mut parts: Vec<Part> = kind.into_iter().collect();
        for (group, rows) in self.group_rows.iter().enumerate() {
            let takes_part = shares[rows.clone()].iter().any(|share| share.abs() > SHARE);
            let part = self.part_of(group).filter(|part| takes_part && !parts.contains(part));
            // Redundant reactions belong to closures, loose motions to what moves.
            let alike = |part: &Part| matches!(part, Part::Closure(_)) == matches!(kind, Some(Part::Closure(_)));
            parts.extend(part.filter(alike));
        }
        // The factor leaves vanished rows out: what is left of the right-hand side in them cannot be reached.
        let mut x = work.right_hand_side.clone();
        work.symmetric_factor.solve(&mut x);
        work.symmetric.multiply(&x, &mut shares);
        let closures = self.closures.iter().filter_map(|closure| closure.node);
        let missed = closures
            .map(|node| (self.read(node, &shares) - self.read(node, &work.right_hand_side)).amax())
            .fold(0.0, f64::max);
        (parts, missed)
    }

    /// Solves for the Newton step of every unknown. No refinement: the next iteration is one.
    pub fn solve(&self, state: &State, work: &mut Workspace) {
        work.solution.copy_from_slice(&work.right_hand_side);
        match &work.general {
            Some((_, factor)) => factor.solve(&mut work.solution),
            None => work.symmetric_factor.solve(&mut work.solution),
        }
        self.read_displacements(work);
        self.close_decided(state, work);
        self.push_step_to_increments(work);
        for rod in self.rods.iter().filter(|rod| rod.form != StrainForm::Printed) {
            for a in rod.first_stress..rod.first_stress + rod.stress_count() {
                // With M/(1 + μ) in the matrix the solution is (1 + μ) Δβ.
                work.stress_step[a] = self.read(self.stress_node[a], &work.solution) / (1.0 + work.shift);
            }
        }
        for (i, closure) in self.closures.iter().enumerate() {
            work.reaction_step[i] = match closure.node {
                Some(node) => self.read(node, &work.solution),
                None => self.embedded_reaction_step(i, state, work),
            };
        }
        for (i, joint) in self.joints.iter().enumerate() {
            work.limit_step[i] = joint.limit_node.map_or(Vector6::zeros(), |node| self.read(node, &work.solution));
        }
        for (i, cable) in self.cables.iter().enumerate() {
            work.tension_step[i] = cable.node.map_or(0.0, |node| self.read(node, &work.solution)[0]);
        }
    }

    /// What a node with a group of its own has in a vector of groups.
    pub(crate) fn read(&self, node: usize, from: &[f64]) -> Vector6<f64> {
        let Node::Own(group) = self.nodes[node] else { return Vector6::zeros() };
        let rows = &from[self.group_rows[group].clone()];
        Vector6::from_fn(|i, _| rows.get(i).copied().unwrap_or(0.0))
    }

    /// Steps of slots and joints out of the last solution.
    fn read_displacements(&self, work: &mut Workspace) {
        for (slot, step) in work.pose_step.iter_mut().enumerate() {
            *step = match self.nodes[slot] {
                Node::Fixed => Twist::zero(),
                Node::Own(_) => Twist::from_vector(&self.read(slot, &work.solution)),
                Node::Through { first, count } => {
                    let terms = &work.terms[first..first + count];
                    let moved = terms.iter().fold(Vector6::zeros(), |sum: Vector6<f64>, term| {
                        let rows = &work.solution[self.group_rows[term.group].clone()];
                        let x = Vector6::from_fn(|i, _| rows.get(i).copied().unwrap_or(0.0));
                        sum + term.jacobian * x
                    });
                    Twist::from_vector(&moved)
                }
            };
        }
        for (joint, step) in self.joints.iter().zip(&mut work.joint_step) {
            *step = joint.node.map_or(Vector6::zeros(), |node| self.read(node, &work.solution));
        }
    }

    /// Embedded ends close their gaps.
    fn close_decided(&self, state: &State, work: &mut Workspace) {
        let Workspace { decided, pose_step, .. } = work;
        self.fill_decided(state, decided);
        for closure in &self.closures {
            if let Some(step) = decided[closure.tied] {
                pose_step[closure.tied] += Twist::from_vector(&step);
            }
        }
    }

    /// ΔΨ = Tδ of every increment.
    fn push_step_to_increments(&self, work: &mut Workspace) {
        for (i, rod) in self.rods.iter().enumerate() {
            let step = &work.pose_step[rod.first_pose..][..rod.pose_count];
            for (k, kept) in work.increments[i].iter_mut().enumerate() {
                kept.1 = work.maps[i].push_forward(step, k);
            }
        }
    }

    /// Scaled length of the step: rotations in rad, translations over the rod's length.
    pub fn step_size(&self, work: &Workspace) -> f64 {
        let size = |d: &Twist, length: f64| d.angular.norm().max(d.linear.norm() / length);
        let mut largest: f64 = 0.0;
        let mut rods = 0;
        for rod in &self.rods {
            let own = &work.pose_step[rod.first_pose..][..rod.pose_count];
            largest = own.iter().map(|d| size(d, rod.length)).fold(largest, f64::max);
            rods += rod.pose_count;
        }
        let others = work.pose_step[rods..].iter().map(|d| size(d, self.length_scale));
        others.fold(largest, |a, b| if b.is_nan() { b } else { a.max(b) })
    }

    /// Largest change of an increment's rotation that the step would make, rad; joints and bodies count as well.
    pub fn increment_turn(&self, work: &Workspace) -> f64 {
        let rods = work.increments.iter().flatten().map(|(_, step)| step.re.norm());
        let joints = self
            .joints
            .iter()
            .zip(&work.joint_step)
            .map(|(joint, step)| (joint.subspace * step).fixed_rows::<3>(0).norm());
        let bodies = self.places.iter().filter_map(|place| match place {
            Place::Own(slot) => Some(work.pose_step[*slot].angular.norm()),
            _ => None,
        });
        rods.chain(joints).chain(bodies).fold(0.0, f64::max)
    }

    /// g ← g exp(fraction δ) of every pose with unknowns of its own, β ← β + fraction Δβ.
    pub fn retract_poses(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        self.move_joints(from, fraction, work, to);
        for ((to, from), step) in to.poses.iter_mut().zip(&from.poses).zip(&work.pose_step) {
            *to = from.boxplus(&(*step * fraction));
        }
        for place in &self.places {
            let slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.rods[rod].first_pose + self.rods[rod].anchor(),
            };
            to.poses[slot] = self.followed(slot, to);
        }
        self.move_stress(from, fraction, work, to);
    }

    /// Ψ ← Ψ + fraction Tδ, chains integrated again from the end they stand on; β ← β + fraction Δβ.
    pub fn retract_increments(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        self.move_joints(from, fraction, work, to);
        to.poses.copy_from_slice(&from.poses);
        for place in &self.places {
            match *place {
                Place::Own(slot) => to.poses[slot] = from.poses[slot].boxplus(&(work.pose_step[slot] * fraction)),
                Place::Follow(slot) => to.poses[slot] = self.followed(slot, to),
                Place::Chain(i) => {
                    let rod = &self.rods[i];
                    let anchor = rod.first_pose + rod.anchor();
                    to.poses[anchor] = match self.nodes[anchor] {
                        Node::Own(_) => from.poses[anchor].boxplus(&(work.pose_step[anchor] * fraction)),
                        _ => self.followed(anchor, to),
                    };
                    let own = rod.first_pose..rod.first_pose + rod.pose_count;
                    rod.retract_increments(&work.increments[i], fraction, &mut to.poses[own]);
                }
            }
        }
        self.move_stress(from, fraction, work, to);
    }

    fn move_joints(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        for (i, joint) in self.joints.iter().enumerate() {
            to.joints[i] = match joint.node {
                Some(_) => joint.moved(&from.joints[i], &(work.joint_step[i] * fraction)),
                None => from.joints[i],
            };
            to.joints[i].limit_force += work.limit_step[i] * fraction;
        }
    }

    fn move_stress(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        for ((to, from), step) in to.stress.iter_mut().zip(&from.stress).zip(&work.stress_step) {
            *to = from + step * fraction;
        }
        for ((to, from), step) in to.tensions.iter_mut().zip(&from.tensions).zip(&work.tension_step) {
            *to = from + step * fraction;
        }
        self.move_reactions(from, fraction, work, to);
    }

    /// Wrench that rod `index` exerts on whatever holds its base (or its tip): body axes, at that end, from the
    /// balance of the last assembly.
    pub fn reaction(&self, index: usize, at_base: bool, state: &State, work: &Workspace) -> Wrench {
        let reactions = &state.reactions;
        let rod = &self.rods[index];
        let l = if at_base { 0 } else { rod.increments() };
        let slot = rod.first_pose + l;
        let mut held = work.maps[index].pull_back(&work.scratch[index].gradient, l) - work.loads[slot];
        if let Some((_, rho)) = self.closures.iter().zip(reactions).find(|(closure, _)| closure.tied == slot) {
            // The multiplier is what the holder takes: it stands among the loads, but holds.
            held = held - crate::element::spline::tangent::covector(rho);
        }
        // What the holder must exert is ∂U/∂z − W; the rod answers with the opposite.
        (-held).wrench()
    }

    /// Largest fraction of the step that keeps every increment's rotation below `limit`, rad.
    pub fn longest_fraction(&self, limit: f64, work: &Workspace) -> f64 {
        let mut fraction: f64 = 1.0;
        for (psi, step) in work.increments.iter().flatten() {
            let (a, b) = (step.re.norm_squared(), psi.re.dot(&step.re));
            let c = psi.re.norm_squared() - limit * limit;
            // |Ψ + f ΔΨ| = limit; an increment that is already beyond must not grow.
            let root =
                if c >= 0.0 { if b > 0.0 { 0.0 } else { 1.0 } } else { (-b + (b * b - a * c).max(0.0).sqrt()) / a };
            if root < fraction {
                fraction = root;
            }
        }
        fraction
    }

    /// y = K_mat x on displacements, K_mat = AᵀM⁻¹A: what the stiffness would be without stress and load, joints counting
    /// as springs of the softest rod's size. Uses the assembled matrix, so no rod may be printed.
    pub fn material_times(&self, x: &[f64], y: &mut [f64], work: &mut Workspace) {
        let mut stresses = vec![0.0; y.len()];
        let mut only = vec![0.0; y.len()];
        self.copy_displacements(x, &mut only);
        // Stress rows of (matrix)(x, 0) are A x.
        work.multiply(&only, y);
        for (i, rod) in self.rods.iter().enumerate().filter(|(_, rod)| rod.form != StrainForm::Printed) {
            let own = rod.first_stress..rod.first_stress + rod.stress_count();
            for (k, stress) in own.clone().enumerate() {
                let row = self.read(self.stress_node[stress], y);
                work.buffer[6 * k..][..6].copy_from_slice(row.as_slice());
            }
            rod.compliance_solve(&work.scratch[i], &mut work.buffer[..6 * rod.stress_count()]);
            for (k, stress) in own.enumerate() {
                if let Node::Own(group) = self.nodes[self.stress_node[stress]] {
                    stresses[self.group_rows[group].clone()].copy_from_slice(&work.buffer[6 * k..][..6]);
                }
            }
        }
        // Rows of displacements of (matrix)(0, M⁻¹Ax) are AᵀM⁻¹A x.
        work.multiply(&stresses, &mut only);
        y.fill(0.0);
        self.copy_displacements(&only, y);
        for (group, stiffness) in self.lent_stiffness() {
            for (row, scale) in self.group_rows[group].clone().zip(stiffness.iter()) {
                y[row] += scale * x[row];
            }
        }
    }

    /// Solves (assembled matrix) z = (y on displacements) with the last factor, symmetric or not.
    pub fn solve_tangent(&self, y: &mut [f64], work: &Workspace) {
        match &work.general {
            Some((_, factor)) => factor.solve(y),
            None => work.symmetric_factor.solve(y),
        }
        let mut only = vec![0.0; y.len()];
        self.copy_displacements(y, &mut only);
        y.copy_from_slice(&only);
    }

    /// Solves (assembled symmetric matrix) z = (y on displacements) with the last symmetric factor.
    pub fn solve_symmetric(&self, y: &mut [f64], work: &Workspace) {
        work.symmetric_factor.solve(y);
        let mut only = vec![0.0; y.len()];
        self.copy_displacements(y, &mut only);
        y.copy_from_slice(&only);
    }

    /// Copies the rows of poses and joints.
    fn copy_displacements(&self, from: &[f64], to: &mut [f64]) {
        for group in self.displacement_groups() {
            let rows = self.group_rows[group].clone();
            to[rows.clone()].copy_from_slice(&from[rows]);
        }
    }

    /// Replaces the last step by a given direction of the displacements, stresses untouched.
    pub fn set_pose_step(&self, direction: &[f64], work: &mut Workspace) {
        work.solution.fill(0.0);
        let Workspace { solution, .. } = work;
        self.copy_displacements(direction, solution);
        self.read_displacements(work);
        work.stress_step.fill(Vector6::zeros());
        work.reaction_step.fill(Vector6::zeros());
        work.tension_step.fill(0.0);
        work.limit_step.fill(Vector6::zeros());
        self.push_step_to_increments(work);
    }
}
