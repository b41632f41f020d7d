//! Filling the linear system of one Newton iteration.
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

use crate::element::spline::SplineRod;
use crate::element::spline::pose_map::{PoseMap, RodBlocks};
use crate::element::spline::tangent::RodScratch;
use crate::energy::Frozen;
use crate::sink::{BlockSink, NoTangent};
use crate::{State, System, Workspace};
use lissome_lie::Rotation;
use lissome_lie::dual::DualVector;
use lissome_model::StrainForm;

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
    /// Largest unbalanced wrench on a free pose: force over F, moment over F L, with F the larger of the loads
    /// and EI/L² of the rod.
    pub balance: f64,
    /// Largest misfit of strain and stress, in the units of a scaled step.
    pub misfit: f64,
}

impl System {
    /// Fills the tangent and the right-hand side at `state` with its own stresses.
    pub fn assemble(&self, state: &State, factor: f64, curvature: CurvatureOf, work: &mut Workspace) -> Residual {
        work.shift = 0.0;
        let Workspace { scratch, maps, lambda, loads, increments, symmetric, general, .. } = work;
        for (i, rod) in self.rods.iter().enumerate() {
            rod.fill_increments(&state.poses, &mut scratch[i].psi);
            let stress = &state.stress[rod.first_stress..][..rod.stress_count()];
            rod.fill_tangent(stress, &mut scratch[i]);
            maps[i].fill(&scratch[i].psi);
            for (kept, psi) in increments[i].iter_mut().zip(&scratch[i].psi) {
                kept.0 = *psi;
            }
        }
        loads.fill(DualVector::zero());
        symmetric.clear();
        if let Some((matrix, _)) = general {
            matrix.clear();
            self.add_loads(state, factor, scratch, loads, matrix);
            self.add_closures(state, loads, matrix);
            self.add_elastic(curvature, scratch, maps, lambda, loads, matrix);
        } else {
            self.add_loads(state, factor, scratch, loads, symmetric);
            self.add_closures(state, loads, symmetric);
            self.add_elastic(curvature, scratch, maps, lambda, loads, symmetric);
        }
        self.freeze_loads(state, factor, work);
        self.fill_right_hand_side(state, work)
    }

    /// Residual at `state` without its tangent; what [`System::reaction`] needs.
    pub fn evaluate(&self, state: &State, factor: f64, work: &mut Workspace) -> Residual {
        for (i, rod) in self.rods.iter().enumerate() {
            let scratch = &mut work.scratch[i];
            rod.fill_increments(&state.poses, &mut scratch.psi);
            rod.fill_gradient(&state.stress[rod.first_stress..][..rod.stress_count()], scratch);
            work.maps[i].fill(&scratch.psi);
        }
        work.loads.fill(DualVector::zero());
        self.add_loads(state, factor, &work.scratch, &mut work.loads, &mut NoTangent);
        self.add_closures(state, &mut work.loads, &mut NoTangent);
        self.fill_right_hand_side(state, work)
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
        curvature: CurvatureOf,
        scratch: &[RodScratch],
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
            rod.add_tangent(&scratch[i], &maps[i], &lambda[i], &blocks, sink);
            if rod.form == StrainForm::Mixed {
                add_gram(rod, &blocks, -1.0, sink);
            }
        }
    }

    /// Shifts the assembled matrix: its condensed form becomes K + μ K_mat, K_mat the stiffness without stress and
    /// load. Cheap: only the stress blocks change (and the material blocks of printed rods).
    pub fn shift_to(&self, mu: f64, work: &mut Workspace) {
        let gram_change = 1.0 / (1.0 + work.shift) - 1.0 / (1.0 + mu);
        let material_change = mu - work.shift;
        let Workspace { scratch, maps, symmetric, general, .. } = work;
        for (i, rod) in self.rods.iter().enumerate() {
            let blocks = self.rod_blocks(rod);
            match (rod.form, &mut *general) {
                (StrainForm::Mixed, None) => add_gram(rod, &blocks, gram_change, symmetric),
                (StrainForm::Mixed, Some((matrix, _))) => add_gram(rod, &blocks, gram_change, matrix),
                (StrainForm::Printed, None) => {
                    rod.add_material(&scratch[i], &maps[i], material_change, &blocks, symmetric);
                }
                (StrainForm::Printed, Some((matrix, _))) => {
                    rod.add_material(&scratch[i], &maps[i], material_change, &blocks, matrix);
                }
            }
        }
        work.shift = mu;
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

    fn fill_right_hand_side(&self, state: &State, work: &mut Workspace) -> Residual {
        let mut residual = Residual::default();
        work.right_hand_side.fill(0.0);
        residual.misfit = self.fill_closure_rows(state, &mut work.right_hand_side);
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

    fn rod_blocks(&self, rod: &SplineRod) -> RodBlocks<'_> {
        RodBlocks {
            pose: &self.pose_block[rod.first_pose..][..rod.pose_count],
            stress: &self.stress_block[rod.first_stress..][..rod.stress_count()],
        }
    }
}

/// Adds `factor` M to the stress blocks of a mixed rod.
fn add_gram(rod: &SplineRod, blocks: &RodBlocks<'_>, factor: f64, sink: &mut impl BlockSink) {
    let gram = &rod.compliance.gram;
    for a in 0..rod.increments() {
        for b in a.saturating_sub(rod.degree - 1)..=a {
            sink.add_symmetric(blocks.stress[a], blocks.stress[b], &(gram.block(a, b) * factor));
        }
    }
}
