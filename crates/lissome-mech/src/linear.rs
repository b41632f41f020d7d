//! Solving the linear system, and moving along its solution.

use crate::{State, System, Workspace};
use lissome_lie::{Twist, Wrench};
use lissome_model::StrainForm;
use lissome_sparse::{FactorError, Inertia};
use nalgebra::Vector6;

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
            work.symmetric.clear();
            for row in 0..self.blocks {
                for column in row.saturating_sub(self.half_bandwidth)..=row {
                    let part = (matrix.block(row, column) + matrix.block(column, row).transpose()) * 0.5;
                    work.symmetric.add(row, column, &part);
                }
            }
        }
        work.symmetric.factor_into(&mut work.symmetric_factor)
    }

    /// Solves for the Newton step into `pose_step` and `stress_step`. No refinement: the next iteration is one.
    pub fn solve(&self, work: &mut Workspace) {
        work.solution.copy_from_slice(&work.right_hand_side);
        match &work.general {
            Some((_, factor)) => factor.solve(&mut work.solution),
            None => work.symmetric_factor.solve(&mut work.solution),
        }
        for (pose, block) in self.pose_block.iter().enumerate() {
            work.pose_step[pose] = match block {
                Some(block) => Twist::from_vector(&Vector6::from_column_slice(&work.solution[6 * block..][..6])),
                None => Twist::zero(),
            };
        }
        self.push_step_to_increments(work);
        self.read_reaction_step(work);
        for rod in self.rods.iter().filter(|rod| rod.form == StrainForm::Mixed) {
            for a in rod.first_stress..rod.first_stress + rod.stress_count() {
                let block = self.stress_block[a];
                // With M/(1 + μ) in the matrix the solution is (1 + μ) Δβ.
                work.stress_step[a] = Vector6::from_column_slice(&work.solution[6 * block..][..6]) / (1.0 + work.shift);
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

    /// Scaled length of the pose step: rotations in rad, translations over the rod's length.
    pub fn step_size(&self, work: &Workspace) -> f64 {
        self.rods
            .iter()
            .flat_map(|rod| {
                work.pose_step[rod.first_pose..][..rod.pose_count]
                    .iter()
                    .map(|d| d.angular.norm().max(d.linear.norm() / rod.length))
            })
            .fold(0.0, f64::max)
    }

    /// Largest change of an increment's rotation that the step would make, rad.
    pub fn increment_turn(&self, work: &Workspace) -> f64 {
        work.increments.iter().flatten().map(|(_, step)| step.re.norm()).fold(0.0, f64::max)
    }

    /// g ← g exp(fraction δ), β ← β + fraction Δβ.
    pub fn retract_poses(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        for ((to, from), step) in to.poses.iter_mut().zip(&from.poses).zip(&work.pose_step) {
            *to = from.boxplus(&(*step * fraction));
        }
        self.move_stress(from, fraction, work, to);
    }

    /// Ψ ← Ψ + fraction Tδ, chains integrated again from their held end; β ← β + fraction Δβ.
    pub fn retract_increments(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        to.poses.copy_from_slice(&from.poses);
        for (i, rod) in self.rods.iter().enumerate() {
            let own = rod.first_pose..rod.first_pose + rod.pose_count;
            rod.retract_increments(&work.increments[i], fraction, &mut to.poses[own]);
        }
        self.move_stress(from, fraction, work, to);
    }

    fn move_stress(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        for ((to, from), step) in to.stress.iter_mut().zip(&from.stress).zip(&work.stress_step) {
            *to = from + step * fraction;
        }
        self.move_reactions(from, fraction, work, to);
    }

    /// Wrench that rod `index` exerts on whatever holds its base (or its tip): body axes, at that end, from the
    /// balance of the last assembly.
    pub fn reaction(&self, index: usize, at_base: bool, work: &Workspace) -> Wrench {
        let rod = &self.rods[index];
        let l = if at_base { 0 } else { rod.increments() };
        let held = work.maps[index].pull_back(&work.scratch[index].gradient, l) - work.loads[rod.first_pose + l];
        // What the holder must exert is ∂U/∂z − W; the rod answers with the opposite.
        (-held).wrench()
    }
}

impl System {
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

    /// y = K_mat x on the pose blocks, K_mat = AᵀM⁻¹A: what the stiffness would be without stress and load. Uses the
    /// assembled matrix, so every rod must be mixed.
    pub fn material_times(&self, x: &[f64], y: &mut [f64], work: &mut Workspace) {
        // Stress rows of (matrix)(x, 0) are A x.
        work.multiply(x, y);
        for block in self.pose_block.iter().flatten() {
            y[6 * block..][..6].fill(0.0);
        }
        let mut stresses = vec![0.0; y.len()];
        for rod in &self.rods {
            let own = &self.stress_block[rod.first_stress..][..rod.stress_count()];
            let buffer = &mut work.buffer[..6 * own.len()];
            for (to, block) in buffer.chunks_exact_mut(6).zip(own) {
                to.copy_from_slice(&y[6 * block..][..6]);
            }
            rod.compliance.gram_factor.solve(buffer);
            for (from, block) in work.buffer.chunks_exact(6).zip(own) {
                stresses[6 * block..][..6].copy_from_slice(from);
            }
        }
        // Pose rows of (matrix)(0, M⁻¹Ax) are AᵀM⁻¹A x.
        work.multiply(&stresses, y);
        self.keep_poses(y);
    }

    /// y = K x on the pose blocks, K the assembled tangent with its stresses condensed: G x + AᵀM⁻¹A x.
    pub fn condensed_times(&self, x: &[f64], y: &mut [f64], work: &mut Workspace) {
        self.material_times(x, y, work);
        let mut geometric = vec![0.0; y.len()];
        work.multiply(x, &mut geometric);
        for block in self.pose_block.iter().flatten() {
            for i in 6 * block..6 * block + 6 {
                y[i] += geometric[i];
            }
        }
    }

    /// Solves (assembled symmetric matrix) z = (y on the pose blocks) with the last symmetric factor.
    pub fn solve_symmetric(&self, y: &mut [f64], work: &Workspace) {
        work.symmetric_factor.solve(y);
        self.keep_poses(y);
    }

    /// Zeroes whatever is not a pose.
    fn keep_poses(&self, x: &mut [f64]) {
        let mixed = self.rods.iter().filter(|rod| rod.form == StrainForm::Mixed);
        let stresses = mixed.flat_map(|rod| &self.stress_block[rod.first_stress..][..rod.stress_count()]).copied();
        for block in stresses.chain(self.closures.iter().map(|closure| closure.block)) {
            x[6 * block..][..6].fill(0.0);
        }
    }

    /// Replaces the last step by a given direction of the poses, stresses untouched.
    pub fn set_pose_step(&self, direction: &[f64], work: &mut Workspace) {
        for (step, block) in work.pose_step.iter_mut().zip(&self.pose_block) {
            *step = match block {
                Some(block) => Twist::from_vector(&Vector6::from_column_slice(&direction[6 * block..][..6])),
                None => Twist::zero(),
            };
        }
        work.stress_step.fill(Vector6::zeros());
        work.reaction_step.fill(Vector6::zeros());
        self.push_step_to_increments(work);
    }
}
