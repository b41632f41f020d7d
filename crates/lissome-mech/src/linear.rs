//! Solving the linear system, and moving along its solution.

use crate::contribution::{Constraint, Part, covector};
use crate::index::{Block, Group, RodIndex, Slot};
use crate::kind::each_constraint;
use crate::layout::{Place, RodPlace};
use crate::node::{Home, Role};
use crate::one_sided::{AtRest, Push};
use crate::{State, Step, System, Workspace};
use lissome_lie::dual::{DualVector, ExpMap};
use lissome_lie::{Twist, Wrench};
use lissome_sparse::{FactorError, Inertia};
use nalgebra::Vector6;

/// Share in an undetermined motion or reaction below which a part does not take part.
const SHARE: f64 = 1e-6;

/// What an assembled matrix does not determine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Undetermined {
    /// Parts that take part, the strongest share first; empty if everything is determined.
    pub parts: Vec<Part>,
    /// True if it is a reaction that is not determined, false if it is a motion.
    pub reaction: bool,
    /// Of closures, the gap that cannot be closed, rad or m.
    pub missed: f64,
}

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

    /// What the assembled matrix does not determine, pivots beyond `growth` counting as zero: the parts of the first such
    /// pivot.
    pub fn undetermined(&self, growth: f64, work: &mut Workspace) -> Undetermined {
        // An error is just what is looked for; the factor goes on without the vanished rows.
        let _ = self.symmetric_inertia(work);
        let Some(weak) = work.symmetric_factor.weak_pivots(growth).next() else { return Undetermined::default() };
        let mut shares = vec![0.0; self.unknowns()];
        work.symmetric_factor.undetermined(&weak, &mut shares);
        let multipliers = self.multiplier_groups();
        let first = Group::new(weak.group);
        let reaction = multipliers[first];
        let mut parts: Vec<Part> = self.part_of(first).into_iter().collect();
        for group in self.layout.homes.free_groups() {
            let takes_part = shares[self.layout.homes.rows(group)].iter().any(|share| share.abs() > SHARE);
            // Redundant reactions belong to constraints, loose motions to what moves.
            let part = self.part_of(group).filter(|part| takes_part && !parts.contains(part));
            parts.extend(part.filter(|_| multipliers[group] == reaction));
        }
        // The factor leaves vanished rows out: what is left of the right-hand side in them cannot be reached.
        let mut x = work.right_hand_side().to_vec();
        work.symmetric_factor.solve(&mut x);
        work.symmetric.multiply(&x, &mut shares);
        let closures = self.values.kinds.closures.iter().filter_map(|closure| closure.multiplier.node);
        let homes = &self.layout.homes;
        let missed = closures
            .map(|node| (homes.read_own(node, &shares) - homes.read_own(node, &work.right_hand_side)).amax())
            .fold(0.0, f64::max);
        Undetermined { parts, reaction, missed }
    }

    /// For each group whether it holds multipliers.
    fn multiplier_groups(&self) -> Vec<bool> {
        let mut is = vec![false; self.layout.homes.free_groups().count()];
        for (home, role) in self.layout.homes.all().iter().zip(&self.layout.roles) {
            if let (Home::Own(group), Role::Multiplier) = (home, role) {
                is[*group] = true;
            }
        }
        is
    }

    /// Solves for the Newton step of every unknown, one-sided rows as they settle within it. No refinement: the next
    /// iteration is one.
    pub fn solve(&self, state: &State, work: &mut Workspace) {
        self.solve_with(state, &AtRest, work);
    }

    /// The same where multipliers push as they do in a time step.
    pub(crate) fn solve_with(&self, state: &State, push: &impl Push, work: &mut Workspace) {
        let n = self.unknowns();
        work.solution[..n].copy_from_slice(&work.right_hand_side[..n]);
        self.solve_in_place(work);
        work.solution[n..].copy_from_slice(&work.steps[n..]);
        self.settle_one_sided(state, push, work);
        self.read_step(work);
        self.read_embedded_reactions(state, work);
    }

    /// Solves with the last factor where the right-hand side stands in the solution.
    pub(crate) fn solve_in_place(&self, work: &mut Workspace) {
        let x = &mut work.solution[..self.unknowns()];
        match &work.general {
            Some((_, factor)) => factor.solve(x),
            None => work.symmetric_factor.solve(x),
        }
        drop_negligible(x);
    }

    /// Steps of the multipliers of embedded closures out of the last solution.
    pub(crate) fn read_embedded_reactions(&self, state: &State, work: &mut Workspace) {
        for closure in &self.values.kinds.closures {
            if let Some(gap) = closure.gap.and_then(|gap| self.held_group(gap)) {
                let open = closure.relative(&self.at(state, &work.inputs)).gap;
                let step = self.embedded_reaction_step(gap, &open, work);
                work.step.linear[closure.multiplier.block] = step;
            }
        }
    }

    /// Δρ of an embedded closure from the row of its gap, T₊ᵀ(ρ + Δρ) = −(what holds it open) − Σ blocks · steps.
    fn embedded_reaction_step(&self, gap: Group, open: &DualVector, work: &Workspace) -> Vector6<f64> {
        let homes = &self.layout.homes;
        let rows = work.held.rows.iter().filter(|row| row.row == gap);
        let sum = rows.fold(-homes.read(gap, &work.right_hand_side), |sum, row| {
            sum + row.block * homes.read(row.column, &work.solution)
        });
        -ExpMap::at(*open).dexp_transpose_apply(&covector(&sum)).wrench().to_vector()
    }

    /// The step out of the last solution.
    pub(crate) fn read_step(&self, work: &mut Workspace) {
        self.read_displacements(work);
        let homes = &self.layout.homes;
        let stresses = self.layout.stress_nodes.len();
        for (block, node) in self.layout.block_nodes.iter().enumerate() {
            let Some(node) = node else { continue };
            let read = homes.read_own(*node, &work.solution);
            // With M/(1 + μ) in the matrix the solution of a stress is (1 + μ) Δβ.
            work.step.linear[Block::new(block)] = if block < stresses { read / (1.0 + work.shift) } else { read };
        }
    }

    /// Steps of slots, joints and increments out of the last solution.
    fn read_displacements(&self, work: &mut Workspace) {
        let homes = &self.layout.homes;
        for (slot, step) in work.step.poses.iter_mut().enumerate() {
            *step = Twist::from_vector(&homes.motion(Slot::new(slot).node(), &work.terms, &work.solution));
        }
        for (joint, step) in self.values.joints.iter().zip(&mut work.step.joints) {
            *step = homes.read_own(joint.node, &work.solution);
        }
        // ΔΨ = Tδ of every increment.
        for (i, place) in self.layout.rods.iter().enumerate() {
            let step = &work.step.poses[place.poses()];
            for (k, kept) in work.increments[i].iter_mut().enumerate() {
                kept.1 = work.maps[i].push_forward(step, k);
            }
        }
    }

    /// Motion of a slot for a vector over the unknowns, where the workspace was assembled.
    pub fn motion_of(&self, slot: Slot, x: &[f64], work: &Workspace) -> Twist {
        let mut all = vec![0.0; self.layout.homes.all_rows()];
        all[..x.len()].copy_from_slice(x);
        Twist::from_vector(&self.layout.homes.motion(slot.node(), &work.terms, &all))
    }

    /// The step that a vector over the unknowns stands for: poses and joints with unknowns of their own, stresses and
    /// multipliers. What follows others is placed by the retraction.
    pub fn step_of(&self, x: &[f64]) -> Step {
        let mut all = vec![0.0; self.layout.homes.all_rows()];
        all[..x.len()].copy_from_slice(x);
        let homes = &self.layout.homes;
        let mut step = self.zero_step();
        for (slot, step) in step.poses.iter_mut().enumerate() {
            *step = Twist::from_vector(&homes.read_own(Slot::new(slot).node(), &all));
        }
        for (joint, step) in self.values.joints.iter().zip(&mut step.joints) {
            *step = homes.read_own(joint.node, &all);
        }
        for (node, step) in self.layout.block_nodes.iter().zip(&mut step.linear) {
            *step = node.map_or(Vector6::zeros(), |node| homes.read_own(node, &all));
        }
        step
    }

    /// Scaled length of the step: rotations in rad, translations over the rod's length.
    pub fn step_size(&self, work: &Workspace) -> f64 {
        let size = |d: &Twist, length: f64| d.angular.norm().max(d.linear.norm() / length);
        let mut largest: f64 = 0.0;
        let mut in_rods = 0;
        for (rod, place) in self.values.rods.iter().zip(&self.layout.rods) {
            largest =
                work.step.poses[place.poses()].iter().map(|d| size(d, rod.curve().length())).fold(largest, f64::max);
            in_rods = place.poses().end;
        }
        let others = work.step.poses[in_rods..].iter().map(|d| size(d, self.values.scales.length));
        others.fold(largest, |a, b| if b.is_nan() { b } else { a.max(b) })
    }

    /// Largest change of an increment's rotation that the step would make, rad; joints and bodies count as well.
    pub fn increment_turn(&self, work: &Workspace) -> f64 {
        let rods = work.increments.iter().flatten().map(|(_, step)| step.re.norm());
        let joints = self.values.joints.iter().zip(&work.step.joints);
        let joints = joints.map(|(joint, step)| (joint.subgroup.subspace * step).fixed_rows::<3>(0).norm());
        let bodies = self.layout.places.iter().filter_map(|place| match place {
            Place::Own(slot) => Some(work.step.poses[*slot].angular.norm()),
            _ => None,
        });
        rods.chain(joints).chain(bodies).fold(0.0, f64::max)
    }

    /// g ← g exp(fraction δ) of every pose with unknowns of its own, β ← β + fraction Δβ.
    pub fn retract_poses(&self, from: &State, fraction: f64, step: &Step, to: &mut State) {
        self.move_joints(from, fraction, step, to);
        for ((to, from), step) in to.poses.iter_mut().zip(&from.poses).zip(&step.poses) {
            *to = from.boxplus(&(*step * fraction));
        }
        self.move_linear(from, fraction, step, to);
        self.renew_followers(to);
    }

    /// Ψ ← Ψ + fraction Tδ, chains integrated again from the end they stand on; β ← β + fraction Δβ.
    pub fn retract_increments(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        let step = &work.step;
        self.move_joints(from, fraction, step, to);
        self.move_linear(from, fraction, step, to);
        to.poses.copy_from_slice(&from.poses);
        for place in &self.layout.places {
            match *place {
                Place::Own(slot) => to.poses[slot] = from.poses[slot].boxplus(&(step.poses[slot] * fraction)),
                Place::Follow(slot) => to.poses[slot] = self.followed(slot, to),
                Place::Chain(rod) => {
                    let anchor = self.anchor(rod);
                    to.poses[anchor] = match self.layout.homes.of(anchor.node()) {
                        Home::Own(_) => from.poses[anchor].boxplus(&(step.poses[anchor] * fraction)),
                        _ => self.followed(anchor, to),
                    };
                    if self.values.rods[rod].strain_basis().is_some() {
                        self.renew_strained(rod, to);
                        continue;
                    }
                    let own = self.layout.rods[rod].poses();
                    self.values.rods[rod].curve().retract_increments(
                        &work.increments[rod],
                        fraction,
                        &mut to.poses[own],
                    );
                }
            }
        }
    }

    /// Blocks of the linear part move along the step.
    fn move_linear(&self, from: &State, fraction: f64, step: &Step, to: &mut State) {
        for ((to, from), step) in to.linear.iter_mut().zip(&from.linear).zip(&step.linear) {
            *to = from + step * fraction;
        }
        self.settle_tensions(to);
    }

    fn move_joints(&self, from: &State, fraction: f64, step: &Step, to: &mut State) {
        for joint in &self.values.joints {
            to.joints[joint.index] = match joint.driven {
                false => joint.subgroup.moved(from.joint(joint.index), &(step.joint(joint.index) * fraction)),
                true => *from.joint(joint.index),
            };
        }
    }

    /// Wrench that rod `index` exerts on whatever holds its base (or its tip): body axes, at that end, from the
    /// balance of the last assembly.
    pub fn reaction(&self, index: RodIndex, at_base: bool, state: &State, work: &Workspace) -> Wrench {
        let place = &self.layout.rods[index];
        let l = if at_base { 0 } else { place.pose_count - 1 };
        let slot = place.first_pose.after(l);
        let mut held = self.open_wrench(slot, work) - self.handed_to(index, slot, state, work);
        if let Some(closure) = self.values.kinds.closures.iter().find(|closure| closure.tied == slot) {
            // The multiplier is what the holder takes: it stands among the forces, but holds.
            held = held - covector(state.block(closure.multiplier.block));
        }
        // What the holder must exert is ∂U/∂z − W; the rod answers with the opposite.
        (-held).wrench()
    }

    /// What the poses of a rod on a strain basis hand to the one it stands on, with all that they carry; nothing on other
    /// slots, and nothing on rods whose stress holds their poses.
    fn handed_to(&self, index: RodIndex, slot: Slot, state: &State, work: &Workspace) -> DualVector {
        let mut handed = DualVector::zero();
        if self.values.rods[index].strain_basis().is_none() || slot != self.anchor(index) {
            return handed;
        }
        let slots = Slot::first(self.layout.sources.len());
        let mut total: Vec<DualVector> = slots.map(|slot| -self.open_wrench(slot, work)).collect();
        self.gather_loads(state, &mut total, |i, own| {
            if self.values.rods[i].strain_basis().is_none() {
                return DualVector::zero();
            }
            let mut unused = vec![DualVector::zero(); own.len() - 1];
            let beyond = self.values.rods[i].curve().sweep_loads(&work.scratch[i].psi, own, &mut unused);
            if i == index {
                handed = beyond;
            }
            beyond
        });
        handed
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
    /// as springs of the softest rod's size. Uses the assembled matrix, so every rod must have independent stresses.
    pub fn material_times(&self, x: &[f64], y: &mut [f64], work: &mut Workspace) {
        self.elastic_times(x, y, work, |_, _| {});
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            let Some(own) = rod.strain_basis() else { continue };
            self.add_on_coordinates(place, x, y, |x, y| own.add_stiffness_times(&work.scratch[i], x, y));
        }
        for (group, stiffness) in self.nominal_stiffness() {
            for (row, scale) in self.layout.homes.rows(group).zip(stiffness.iter()) {
                y[row] += scale * x[row];
            }
        }
    }

    /// Adds a product over the strain coordinates of one rod.
    pub(crate) fn add_on_coordinates(
        &self,
        place: &RodPlace,
        x: &[f64],
        y: &mut [f64],
        product: impl FnOnce(&[Vector6<f64>], &mut [Vector6<f64>]),
    ) {
        let homes = &self.layout.homes;
        let nodes = || (0..place.stress_count).map(|a| place.first_stress_node.after(a));
        let own: Vec<Vector6<f64>> = nodes().map(|node| homes.read_own(node, x)).collect();
        let mut out = vec![Vector6::zeros(); own.len()];
        product(&own, &mut out);
        for (node, out) in nodes().zip(&out) {
            if let Some(group) = self.layout.own_group(node) {
                homes.add(group, out, y);
            }
        }
    }

    /// y = AᵀM⁻¹BA x on displacements; `change` applies B to the strain moments of a rod.
    pub(crate) fn elastic_times(
        &self,
        x: &[f64],
        y: &mut [f64],
        work: &mut Workspace,
        change: impl Fn(usize, &mut [Vector6<f64>]),
    ) {
        let homes = &self.layout.homes;
        let mut stresses = vec![0.0; y.len()];
        let mut only = vec![0.0; y.len()];
        self.copy_displacements(x, &mut only);
        // Stress rows of (matrix)(x, 0) are A x.
        work.multiply(&only, y);
        for (i, (rod, place)) in self.values.rods.iter().zip(&self.layout.rods).enumerate() {
            if !rod.has_independent_stress() {
                continue;
            }
            let nodes = (0..place.stress_count).map(|a| place.first_stress_node.after(a));
            let mut own: Vec<Vector6<f64>> = nodes.clone().map(|node| homes.read_own(node, y)).collect();
            change(i, &mut own);
            if rod.solve_compliance(&mut work.scratch[i].compliance, &mut own).is_err() {
                // Seen by whoever iterates with it.
                own.fill(Vector6::repeat(f64::NAN));
            }
            for (node, own) in nodes.zip(&own) {
                if let Some(group) = self.layout.own_group(node) {
                    homes.write(group, own, &mut stresses);
                }
            }
        }
        // Rows of displacements of (matrix)(0, M⁻¹BAx) are AᵀM⁻¹BA x.
        work.multiply(&stresses, &mut only);
        y.fill(0.0);
        self.copy_displacements(&only, y);
    }

    /// y = W x over all unknowns, the inner product of energies: K_mat on displacements, the compliance on stresses, and on
    /// multipliers their units over the elastic scale. Uses the assembled matrix without shift; every rod must have
    /// independent stresses.
    pub fn energy_times(&self, x: &[f64], y: &mut [f64], work: &mut Workspace) {
        let homes = &self.layout.homes;
        self.material_times(x, y, work);
        let (mut only, mut rows) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let stresses = || {
            let nodes = self.layout.stress_nodes.iter().filter(|node| !self.layout.roles[**node].is_motion());
            nodes.filter_map(|node| self.layout.own_group(*node))
        };
        for group in stresses() {
            only[homes.rows(group)].copy_from_slice(&x[homes.rows(group)]);
        }
        work.multiply(&only, &mut rows);
        for row in stresses().flat_map(|group| homes.rows(group)) {
            y[row] = -rows[row];
        }
        let scales = &self.values.scales;
        each_constraint!(self.values.kinds, |constraint| {
            if let Some(group) = constraint.multiplier().node.and_then(|node| self.layout.own_group(node)) {
                let unit = constraint.unit(scales);
                for (row, unit) in homes.rows(group).zip(unit.iter()) {
                    y[row] = x[row] * unit * unit / (scales.force * scales.length);
                }
            }
        });
    }

    /// y = K x on displacements, stresses condensed: K = G + AᵀM⁻¹A of the assembled matrix, multipliers held. Every rod
    /// must have independent stresses.
    pub fn stiffness_times(&self, x: &[f64], y: &mut [f64], work: &mut Workspace) {
        self.elastic_times(x, y, work, |_, _| {});
        let (mut only, mut rows) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        self.copy_displacements(x, &mut only);
        work.multiply(&only, &mut rows);
        only.fill(0.0);
        self.copy_displacements(&rows, &mut only);
        y.iter_mut().zip(&only).for_each(|(y, direct)| *y += direct);
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
        for rows in self.displacement_rows() {
            to[rows.clone()].copy_from_slice(&from[rows]);
        }
    }

    /// Replaces the last step by a given direction of the displacements, stresses untouched.
    pub fn set_pose_step(&self, direction: &[f64], work: &mut Workspace) {
        work.solution.fill(0.0);
        let Workspace { solution, .. } = work;
        self.copy_displacements(direction, solution);
        self.read_displacements(work);
        work.step.linear.fill(Vector6::zeros());
    }
}

/// A number this much smaller than the largest of a solution is nothing: round-off is 1e-16.
const NEGLIGIBLE: f64 = 1e-40;

/// What a symmetry forbids (out of its plane, say) shrinks from one Newton step to the next, until it reaches the smallest
/// numbers that a processor knows, on which it computes twenty times as slowly.
fn drop_negligible(x: &mut [f64]) {
    let largest = x.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
    for x in x.iter_mut().filter(|x| x.abs() < NEGLIGIBLE * largest) {
        *x = 0.0;
    }
}
