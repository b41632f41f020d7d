//! Evaluating a system: potential, residual, tangent and the linear solve, in memory allocated once.
//!
//! The linear system of one Newton iteration, stresses and poses interleaved:
//!
//! ```text
//! [ G   Aᵀ        ] [ δ  ]     [ Aᵀβ − W ]
//! [ A  −M/(1 + μ) ] [ Δβ ] = − [ b − Mβ  ]
//! ```
//!
//! G is the geometric stiffness of the stresses β and of the loads; μ shifts the condensed matrix by μ AᵀM⁻¹A.
//! With β = M⁻¹b it is Newton on the potential; with β carried along independently it is Newton on the mixed
//! functional. In the printed form the stress is condensed at each quadrature point.

use crate::assembly::BlockSink;
use crate::element::spline::pose_map::{PoseMap, RodBlocks};
use crate::element::spline::tangent::RodScratch;
use crate::element::spline::{Compliance, Softening, SplineRod};
use crate::load::SectionLoad;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_model::StrainForm;
use lissome_sparse::{FactorError, GeneralBand, GeneralFactor, Inertia, SymmetricBand, SymmetricFactor};
use nalgebra::{Vector3, Vector6};

/// Whose second derivative enters the tangent: it decides which retraction the step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurvatureOf {
    /// Step in exponential coordinates of the poses, [`System::retract_poses`].
    Poses,
    /// Step in the increments, [`System::retract_increments`].
    Increments,
}

/// The elasticity of every rod at one softening.
#[derive(Clone, Debug)]
pub struct Elasticity {
    rods: Vec<Compliance>,
}

/// How far a state is from equilibrium.
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// Largest unbalanced wrench on a free pose: force over F, moment over F L, with F the larger of the loads
    /// and EI/L² of the rod.
    pub balance: f64,
    /// Largest misfit of strain and stress, in the units of a scaled step.
    pub misfit: f64,
}

/// A wrench as it was at the last assembly, for the work along a step.
#[derive(Clone, Copy, Debug)]
struct Frozen {
    force: Vector3<f64>,
    moment_body: Vector3<f64>,
    rotation: Rotation,
}

impl Frozen {
    fn at(load: &SectionLoad, rotation: Rotation, factor: f64) -> Self {
        let wrench = load.evaluate(&rotation, factor).wrench;
        Self { force: rotation.rotate(&wrench.force), moment_body: wrench.moment, rotation }
    }

    /// −work of the frozen wrench on the way to `pose`, up to a constant.
    fn potential(&self, pose: &Pose) -> f64 {
        let mut potential = -self.force.dot(&pose.position);
        if self.moment_body != Vector3::zeros() {
            potential -= self.moment_body.dot(&(self.rotation.inverse() * pose.rotation).log());
        }
        potential
    }
}

/// Memory for evaluating a system. Dropping it never changes a result.
#[derive(Clone, Debug)]
pub struct Workspace {
    scratch: Vec<RodScratch>,
    maps: Vec<PoseMap>,
    lambda: Vec<Vec<DualVector>>,
    loads: Vec<DualVector>,
    frozen_poses: Vec<Frozen>,
    frozen_points: Vec<Vec<Frozen>>,
    symmetric: SymmetricBand,
    symmetric_factor: SymmetricFactor,
    general: Option<(GeneralBand, GeneralFactor)>,
    /// The solution of the last solve, block by block.
    solution: Vec<f64>,
    right_hand_side: Vec<f64>,
    refinement: Vec<f64>,
    /// δ of every pose, zero where prescribed.
    pub pose_step: Vec<Twist>,
    /// Δβ of every stress.
    pub stress_step: Vec<Vector6<f64>>,
}

impl System {
    /// Memory for this system.
    pub fn workspace(&self) -> Workspace {
        let (n, w) = (self.blocks, self.half_bandwidth);
        Workspace {
            scratch: self.rods.iter().map(RodScratch::new).collect(),
            maps: self.rods.iter().map(|rod| PoseMap::new(rod.increments())).collect(),
            lambda: self.rods.iter().map(|rod| vec![DualVector::zero(); rod.increments()]).collect(),
            loads: vec![DualVector::zero(); self.pose_block.len()],
            frozen_poses: Vec::with_capacity(self.pose_loads.len()),
            frozen_points: self.line_loads.iter().map(|line| Vec::with_capacity(line.at_points.len())).collect(),
            symmetric: SymmetricBand::new(n, w),
            symmetric_factor: SymmetricFactor::new(n, w),
            general: (!self.is_conservative()).then(|| (GeneralBand::new(n, w), GeneralFactor::new(n, w))),
            solution: vec![0.0; 6 * n],
            right_hand_side: vec![0.0; 6 * n],
            refinement: Vec::new(),
            pose_step: vec![Twist::zero(); self.pose_block.len()],
            stress_step: vec![Vector6::zeros(); self.stress_block.len()],
        }
    }

    /// Elasticity of every rod; `softening` gives each rod's caps, `None` the true stiffness.
    pub fn elasticity(&self, softening: impl Fn(&SplineRod) -> Option<Softening>) -> Elasticity {
        Elasticity { rods: self.rods.iter().map(|rod| rod.compliance(softening(rod))).collect() }
    }

    /// Sets every stress to what the strain of the poses implies, and returns the elastic energy.
    pub fn make_stress_consistent(&self, elasticity: &Elasticity, state: &mut State, work: &mut Workspace) -> f64 {
        let mut energy = 0.0;
        for (i, rod) in self.rods.iter().enumerate() {
            let scratch = &mut work.scratch[i];
            rod.fill_increments(&state.poses, &mut scratch.psi);
            rod.fill_strain(scratch);
            let stress = &mut state.stress[rod.first_stress..][..rod.stress_count()];
            rod.consistent_stress(&elasticity.rods[i], scratch, stress);
            energy += rod.elastic_energy(scratch, stress);
        }
        energy
    }

    /// ½ βᵀMβ of the stresses as they are, whatever the strain: equals the elastic energy once they agree.
    pub fn stress_energy(&self, elasticity: &Elasticity, stress: &[Vector6<f64>], work: &mut Workspace) -> f64 {
        let mut energy = 0.0;
        for (rod, compliance) in self.rods.iter().zip(&elasticity.rods) {
            let own = &stress[rod.first_stress..][..rod.stress_count()];
            energy += match rod.form {
                StrainForm::Mixed => {
                    let x: Vec<f64> = own.iter().flat_map(|v| v.iter().copied()).collect();
                    work.refinement.resize(x.len(), 0.0);
                    compliance.gram.multiply(&x, &mut work.refinement[..x.len()]);
                    0.5 * x.iter().zip(&work.refinement).map(|(a, b)| a * b).sum::<f64>()
                }
                StrainForm::Printed => own
                    .iter()
                    .zip(&rod.points)
                    .zip(&compliance.flexibility)
                    .map(|((n, q), c)| 0.5 * q.basis.weight * n.dot(&(c * n)))
                    .sum(),
            };
        }
        energy
    }

    /// −work of the loads as they were at the last assembly, up to a constant; exact for dead forces.
    pub fn frozen_load_potential(&self, state: &State, work: &mut Workspace) -> f64 {
        let mut potential = 0.0;
        for (at, frozen) in self.pose_loads.iter().zip(&work.frozen_poses) {
            potential += frozen.potential(&state.poses[at.pose]);
        }
        for (i, rod) in self.rods.iter().enumerate() {
            if work.frozen_points[i].is_empty() {
                continue;
            }
            rod.fill_increments(&state.poses, &mut work.scratch[i].psi);
            for (q, frozen) in work.frozen_points[i].iter().enumerate() {
                potential += frozen.potential(&rod.point_pose(q, &state.poses, &work.scratch[i].psi));
            }
        }
        potential
    }

    /// Potential of gravity and of the dead forces separately, J: −Σ f·p.
    pub fn load_energies(&self, state: &State, factor: f64, work: &mut Workspace) -> (f64, f64) {
        let mut loads = 0.0;
        for at in &self.pose_loads {
            loads -= factor * at.load.dead.force.dot(&state.poses[at.pose].position);
        }
        let mut gravity = 0.0;
        for (i, rod) in self.rods.iter().enumerate() {
            let line = &self.line_loads[i];
            rod.fill_increments(&state.poses, &mut work.scratch[i].psi);
            for (q, load) in line.at_points.iter().enumerate() {
                let position = rod.point_pose(q, &state.poses, &work.scratch[i].psi).position;
                let weight = self.gravity * (rod.points[q].line_density * rod.points[q].basis.weight);
                gravity -= factor * weight.dot(&position);
                loads -= factor * (load.dead.force - weight).dot(&position);
            }
        }
        (gravity, loads)
    }

    /// Fills the tangent and the right-hand side at `state` with its own stresses.
    pub fn assemble(
        &self,
        state: &State,
        elasticity: &Elasticity,
        factor: f64,
        curvature: CurvatureOf,
        shift: f64,
        work: &mut Workspace,
    ) -> Residual {
        let Workspace { scratch, maps, lambda, loads, symmetric, general, .. } = work;
        for (i, rod) in self.rods.iter().enumerate() {
            rod.fill_increments(&state.poses, &mut scratch[i].psi);
            let stress = &state.stress[rod.first_stress..][..rod.stress_count()];
            rod.fill_tangent(&elasticity.rods[i], stress, &mut scratch[i]);
            maps[i].fill(&scratch[i].psi);
        }
        loads.fill(DualVector::zero());
        symmetric.clear();
        if let Some((matrix, _)) = general {
            matrix.clear();
            self.add_loads(state, factor, scratch, loads, matrix);
            self.add_elastic(elasticity, curvature, shift, scratch, maps, lambda, loads, matrix);
        } else {
            self.add_loads(state, factor, scratch, loads, symmetric);
            self.add_elastic(elasticity, curvature, shift, scratch, maps, lambda, loads, symmetric);
        }
        self.freeze_loads(state, factor, work);
        self.fill_right_hand_side(work)
    }

    /// Loads on the poses, and −∂W in the tangent.
    fn add_loads(
        &self,
        state: &State,
        factor: f64,
        scratch: &[RodScratch],
        loads: &mut [DualVector],
        sink: &mut impl BlockSink,
    ) {
        for at in &self.pose_loads {
            let load = at.load.evaluate(&state.poses[at.pose].rotation, factor);
            let f: DualVector = load.wrench.into();
            loads[at.pose] += f;
            if let Some(block) = self.pose_block[at.pose] {
                sink.add_general(block, block, &-(load.tangent - f.skew().covector_map() * 0.5));
            }
        }
        for (i, rod) in self.rods.iter().enumerate() {
            let blocks = self.rod_blocks(rod);
            rod.add_line_loads(&self.line_loads[i], factor, &state.poses, &scratch[i].psi, loads, &blocks, sink);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn add_elastic(
        &self,
        elasticity: &Elasticity,
        curvature: CurvatureOf,
        shift: f64,
        scratch: &mut [RodScratch],
        maps: &[PoseMap],
        lambda: &mut [Vec<DualVector>],
        loads: &[DualVector],
        sink: &mut impl BlockSink,
    ) {
        for (i, rod) in self.rods.iter().enumerate() {
            let blocks = self.rod_blocks(rod);
            let own_loads = &loads[rod.first_pose..][..rod.pose_count];
            match curvature {
                CurvatureOf::Increments => rod.sweep_loads(&scratch[i].psi, own_loads, &mut lambda[i]),
                CurvatureOf::Poses => lambda[i].copy_from_slice(&scratch[i].gradient),
            }
            for block in &mut scratch[i].material {
                *block *= 1.0 + shift;
            }
            rod.add_tangent(&scratch[i], &maps[i], &lambda[i], &blocks, sink);
            if rod.form == StrainForm::Mixed {
                let gram = &elasticity.rods[i].gram;
                for a in 0..rod.increments() {
                    for b in a.saturating_sub(rod.degree - 1)..=a {
                        sink.add_symmetric(
                            blocks.stress[a],
                            blocks.stress[b],
                            &(gram.block(a, b) * (-1.0 / (1.0 + shift))),
                        );
                    }
                }
            }
        }
    }

    fn freeze_loads(&self, state: &State, factor: f64, work: &mut Workspace) {
        work.frozen_poses.clear();
        work.frozen_poses
            .extend(self.pose_loads.iter().map(|at| Frozen::at(&at.load, state.poses[at.pose].rotation, factor)));
        for (i, rod) in self.rods.iter().enumerate() {
            let frozen = &mut work.frozen_points[i];
            frozen.clear();
            let psi = &work.scratch[i].psi;
            frozen.extend(self.line_loads[i].at_points.iter().enumerate().map(|(q, load)| {
                // A dead force needs no orientation.
                let rotation = if load.is_conservative() {
                    Rotation::identity()
                } else {
                    rod.point_pose(q, &state.poses, psi).rotation
                };
                Frozen::at(load, rotation, factor)
            }));
        }
    }

    fn fill_right_hand_side(&self, work: &mut Workspace) -> Residual {
        let mut residual = Residual::default();
        work.right_hand_side.fill(0.0);
        for (i, rod) in self.rods.iter().enumerate() {
            let scratch = &work.scratch[i];
            let (force_scale, moment_scale) = self.wrench_scale(rod, &work.loads);
            for l in 0..rod.pose_count {
                let pose = rod.first_pose + l;
                let Some(block) = self.pose_block[pose] else { continue };
                let r = (work.maps[i].pull_back(&scratch.gradient, l) - work.loads[pose]).wrench();
                residual.balance =
                    residual.balance.max(r.force.norm() / force_scale).max(r.moment.norm() / moment_scale);
                work.right_hand_side[6 * block..][..6].copy_from_slice((-r).to_vector().as_slice());
            }
            if rod.form == StrainForm::Mixed {
                for (a, misfit) in scratch.misfit.iter().enumerate() {
                    // An increment gains the misfit; its turn counts as it is, its length relative to the rod.
                    let size = misfit.fixed_rows::<3>(0).norm().max(misfit.fixed_rows::<3>(3).norm() / rod.length);
                    residual.misfit = residual.misfit.max(size);
                    let block = self.stress_block[rod.first_stress + a];
                    work.right_hand_side[6 * block..][..6].copy_from_slice((-misfit).as_slice());
                }
            }
        }
        residual
    }

    /// Force and moment scale of a rod: the larger of what its bending resists and what loads it.
    fn wrench_scale(&self, rod: &SplineRod, loads: &[DualVector]) -> (f64, f64) {
        let own = &loads[rod.first_pose..][..rod.pose_count];
        let total: DualVector = own
            .iter()
            .fold(DualVector::zero(), |sum, w| DualVector { re: sum.re + w.re.abs(), du: sum.du + w.du.abs() });
        let force = (rod.soft_bending / rod.length.powi(2)).max(total.re.norm()).max(total.du.norm() / rod.length);
        (force, force * rod.length)
    }

    /// Factors the assembled matrix. The inertia is that of the symmetric matrix; `None` if it is not symmetric.
    pub fn factor(&self, work: &mut Workspace) -> Result<Option<Inertia>, FactorError> {
        match &mut work.general {
            Some((matrix, factor)) => matrix.factor_into(factor).map(|()| None),
            None => work.symmetric.factor_into(&mut work.symmetric_factor).map(Some),
        }
    }

    /// Solves for the Newton step into `pose_step` and `stress_step`.
    pub fn solve(&self, work: &mut Workspace) {
        work.solution.copy_from_slice(&work.right_hand_side);
        match &work.general {
            Some((_, factor)) => factor.solve(&mut work.solution),
            None => {
                work.symmetric_factor.solve_refined(
                    &work.symmetric,
                    &work.right_hand_side,
                    &mut work.solution,
                    &mut work.refinement,
                );
            }
        }
        for (pose, block) in self.pose_block.iter().enumerate() {
            work.pose_step[pose] = match block {
                Some(block) => Twist::from_vector(&Vector6::from_column_slice(&work.solution[6 * block..][..6])),
                None => Twist::zero(),
            };
        }
        for rod in self.rods.iter().filter(|rod| rod.form == StrainForm::Mixed) {
            for a in rod.first_stress..rod.first_stress + rod.stress_count() {
                let block = self.stress_block[a];
                work.stress_step[a] = Vector6::from_column_slice(&work.solution[6 * block..][..6]);
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
        let mut turn: f64 = 0.0;
        for (i, rod) in self.rods.iter().enumerate() {
            let step = &work.pose_step[rod.first_pose..][..rod.pose_count];
            for k in 0..rod.increments() {
                turn = turn.max(work.maps[i].push_forward(step, k).re.norm());
            }
        }
        turn
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
            rod.retract_increments(
                &work.scratch[i].psi,
                &work.maps[i],
                &work.pose_step[own.clone()],
                fraction,
                &mut to.poses[own],
            );
        }
        self.move_stress(from, fraction, work, to);
    }

    fn move_stress(&self, from: &State, fraction: f64, work: &Workspace, to: &mut State) {
        for ((to, from), step) in to.stress.iter_mut().zip(&from.stress).zip(&work.stress_step) {
            *to = from + step * fraction;
        }
    }

    /// Slope of the potential along the step at its start: (Aᵀβ − W)·δ.
    pub fn slope(&self, work: &Workspace) -> f64 {
        self.pose_block
            .iter()
            .flatten()
            .map(|block| {
                let at = 6 * block..6 * block + 6;
                -work.right_hand_side[at.clone()].iter().zip(&work.solution[at]).map(|(r, d)| r * d).sum::<f64>()
            })
            .sum()
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

    fn rod_blocks(&self, rod: &SplineRod) -> RodBlocks<'_> {
        RodBlocks {
            pose: &self.pose_block[rod.first_pose..][..rod.pose_count],
            stress: &self.stress_block[rod.first_stress..][..rod.stress_count()],
        }
    }
}

impl SplineRod {
    /// World pose of quadrature point q on the spline.
    fn point_pose(&self, q: usize, poses: &[Pose], psi: &[DualVector]) -> Pose {
        let span = &self.spans[q / (self.degree + 1)];
        let mut g = poses[self.first_pose + span.first];
        for (i, psi) in psi[span.first..][..self.degree].iter().enumerate() {
            g = g * Pose::exp(&(*psi * self.points[q].basis.value[i]).twist());
        }
        g
    }
}

impl Workspace {
    /// −residual of the last assembly, block by block.
    pub fn right_hand_side(&self) -> &[f64] {
        &self.right_hand_side
    }

    /// y = (assembled matrix) x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        match &self.general {
            Some((matrix, _)) => matrix.multiply(x, y),
            None => self.symmetric.multiply(x, y),
        }
    }
}
