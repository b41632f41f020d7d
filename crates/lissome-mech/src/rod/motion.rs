//! Rods that move: the data of one time step, and the step of a rod of any model.
//!
//! A step goes from the configuration Q⁰ with point velocities η⁰ to Q¹; the unknowns are the control poses of Q¹ and a
//! stress β̄ that stands for the whole step. Every scheme is one choice of the numbers in [`StepRule`]:
//!
//! ```text
//! R_m = Ad_{x_m}ᵀ (θ⁰ Σ J⁰ᵀΦ⁰ + hφ⁰ (A⁰ᵀβ̄ − f⁰)) + θ¹ Σ J¹ᵀΦ¹ + hφ¹ (A¹ᵀβ̄ − f¹) = 0      in the frame of g_m¹   (1)
//! s_a = C_a b_a¹ + k_a + μ(b_a¹ − b_a⁰) − e_a(β̄) = 0                                                           (2)
//! ```
//!
//! with the impulse Φ¹ at a point in its frame at the end, Φ⁰ = Ad_{exp(−y)}ᵀΦ¹ the same in its frame at the start, and
//! e_a(β̄) the strain that answers to the stress: Mβ̄ where the law is linear. Tests with a rigid motion make J and A drop
//! out on both sides, so momentum is kept whatever the numbers are.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | x_m | motion of control pose m, g_m¹ = g_m⁰ exp(x_m) | `relative` | rad, m | body |
//! | y, η, Φ | motion, velocity and impulse of a point | [`PointStep`] | | body |
//! | θ, hφ | weights of the two frames for impulses and forces | `StepRule::inertia`, `StepRule::force` | –, s | |
//! | b_a | strain moment Σ w φ_a (ξ − ξ₀), or the increment of a linear-strain element | `RodShape::strain` | rad, m | body |
//! | A_am | ∂b_a/∂z_m | `RodShape::coupling` | | |
//! | C_a, k_a | weight of b¹ and the known part of the strain that makes β̄ | `gain`, `known_strain` | | |
//!
//! On a strain basis the coordinates q take the place of the strain moments, and (2) that of the stress: see
//! `strain_basis/motion`. A displacement rod has no stress of its own and does not move: [`Rod::moving`] gives nothing.

use super::curve::Curve;
use super::curve::inertia::{PointShape, RodInertia};
use super::curve::pose_map::PoseMap;
use super::linear_strain::LinearStrainRod;
use super::mixed::MixedRod;
use super::scratch::{RodCompliance, RodNodes, RodScratch};
use super::strain_basis::StrainBasisRod;
use super::vectors::{covector, strain_vector};
use super::{Carried, Rod};
use crate::impulse::{PointStep, StepRule};
use crate::load::SectionLoad;
use crate::sink::BlockSink;
use lissome_lie::dual::{DualMatrix, DualVector};
use lissome_lie::{Pose, Twist};
use lissome_sparse::FactorError;
use nalgebra::{Matrix6, Vector6};

/// Everything a step needs of a rod in one configuration.
#[derive(Clone, Debug)]
pub struct RodShape {
    /// Ψ of each increment.
    pub psi: Vec<DualVector>,
    /// One per quadrature point.
    pub points: Vec<PointShape>,
    /// b_a.
    pub strain: Vec<Vector6<f64>>,
    /// A_am for m = a − p + 1 … a + p: entry `a * 2p + (m + p − 1 − a)`.
    pub(super) coupling: Vec<DualMatrix>,
    /// The same by the increments, of a mixed rod.
    pub(super) in_increments: Vec<DualMatrix>,
}

impl RodShape {
    /// For one rod.
    pub fn new(curve: &Curve) -> Self {
        let (n, p) = (curve.increments(), curve.degree());
        Self {
            psi: vec![DualVector::zero(); n],
            points: vec![PointShape::default(); curve.point_count()],
            strain: vec![Vector6::zeros(); n],
            coupling: vec![DualMatrix::zero(); n * 2 * p],
            in_increments: vec![DualMatrix::zero(); n * (2 * p - 1)],
        }
    }
}

/// One rod's data of a step; sized once.
#[derive(Clone, Debug)]
pub struct RodStep {
    /// Q⁰.
    pub start: RodShape,
    /// Q¹, filled with the tangent and at the end of the step.
    pub end: RodShape,
    /// The quadrature points.
    pub points: Vec<PointStep>,
    /// k_a.
    pub known_strain: Vec<Vector6<f64>>,
    /// ∂e/∂β̄ at the last evaluation.
    pub compliance: RodCompliance,
    /// C_a where the material damps; empty if it is `StepRule::strain` throughout.
    pub gain: Vec<Matrix6<f64>>,
    /// b¹ at the last evaluation.
    pub end_strain: Vec<Vector6<f64>>,
    /// R_m.
    pub balance: Vec<DualVector>,
    /// The part of R_m that is not carried over from the start.
    pub at_end: Vec<DualVector>,
    /// s_a; on a strain basis the rows of the coordinates.
    pub misfit: Vec<Vector6<f64>>,
    /// What the stress over the step exerts on the coordinates of a strain basis; empty on other rods.
    pub coordinate_stress: Vec<Vector6<f64>>,
    /// Ψ¹.
    pub psi: Vec<DualVector>,
    /// What acts on the increments at the end.
    pub(super) gradient: Vec<DualVector>,
    /// What is carried over from the start, in the frames there.
    pub at_start: Vec<DualVector>,
}

impl RodStep {
    /// For one rod.
    pub fn new(rod: &Rod) -> Self {
        let curve = rod.curve();
        let n = curve.increments();
        let (zero, six) = (DualVector::zero(), Vector6::zeros());
        let blocks = rod.strain_basis().map(StrainBasisRod::block_count);
        let strains = blocks.unwrap_or(n);
        let shape = RodShape { strain: vec![six; strains], ..RodShape::new(curve) };
        Self {
            start: shape.clone(),
            end: shape,
            points: vec![PointStep::default(); curve.point_count()],
            known_strain: vec![six; strains],
            compliance: RodCompliance::new(rod),
            gain: Vec::new(),
            end_strain: vec![six; strains],
            balance: vec![zero; n + 1],
            at_end: vec![zero; n + 1],
            misfit: vec![six; strains],
            coordinate_stress: vec![six; blocks.unwrap_or(0)],
            psi: vec![zero; n],
            gradient: vec![zero; n],
            at_start: vec![zero; n + 1],
        }
    }
}

/// Loads along the rod at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct EndLoads<'a> {
    /// One per quadrature point, weight included; empty if none.
    pub at_points: &'a [SectionLoad],
    /// What scales them.
    pub factor: f64,
}

/// Where a step is evaluated, and what loads it.
#[derive(Clone, Copy, Debug)]
pub struct StepPoint<'a> {
    /// Control poses at the start.
    pub start: &'a [Pose],
    /// Control poses at the end.
    pub end: &'a [Pose],
    /// β̄, and the tensions that stand for the whole step.
    pub carried: Carried<'a>,
    /// Loads along the rod.
    pub loads: EndLoads<'a>,
}

/// A rod that can move: one with independent stresses or strain coordinates.
#[derive(Clone, Copy, Debug)]
pub enum MovingRod<'a> {
    /// A spline with independent stresses.
    Mixed(&'a MixedRod),
    /// A chain of linear-strain elements.
    LinearStrain(&'a LinearStrainRod),
    /// A rod on a strain basis.
    StrainBasis(&'a StrainBasisRod),
}

impl Rod {
    /// The rod as one that moves; nothing in its displacement form.
    pub fn moving(&self) -> Option<MovingRod<'_>> {
        match self {
            Self::Mixed(rod) => Some(MovingRod::Mixed(rod)),
            Self::LinearStrain(rod) => Some(MovingRod::LinearStrain(rod)),
            Self::StrainBasis(rod) => Some(MovingRod::StrainBasis(rod)),
            Self::Displacement(_) => None,
        }
    }
}

impl<'a> MovingRod<'a> {
    /// Its curve.
    pub fn curve(&self) -> &'a Curve {
        match self {
            Self::Mixed(rod) => rod.curve(),
            Self::LinearStrain(rod) => rod.curve(),
            Self::StrainBasis(rod) => rod.curve(),
        }
    }

    /// The rod as one on a strain basis, if it is.
    pub fn strain_basis(&self) -> Option<&'a StrainBasisRod> {
        match self {
            Self::StrainBasis(rod) => Some(rod),
            _ => None,
        }
    }

    /// Fills `shape` at these control poses; its increments are those nearest to what they were.
    pub fn fill_shape(&self, poses: &[Pose], shape: &mut RodShape) {
        for (psi, pair) in shape.psi.iter_mut().zip(poses.windows(2)) {
            *psi = (pair[0].inverse() * pair[1]).log_near(&psi.re).into();
        }
        self.complete_shape(Some(poses), shape);
    }

    /// Fills the rest of `shape` at its increments; without control poses the poses of its points are there already.
    pub fn complete_shape(&self, poses: Option<&[Pose]>, shape: &mut RodShape) {
        match self {
            Self::Mixed(rod) => rod.complete_shape(poses, shape),
            Self::LinearStrain(rod) => rod.complete_shape(poses, shape),
            Self::StrainBasis(rod) => rod.complete_shape(poses, shape),
        }
    }

    /// Evaluates (1) and (2). Loads on control poses are not part of it.
    pub fn step_residual(&self, rule: &StepRule, inertia: &RodInertia, at: &StepPoint<'_>, step: &mut RodStep) {
        self.curve().begin_step(at, step);
        match self {
            Self::Mixed(rod) => rod.add_step(rule, inertia, at, step),
            Self::LinearStrain(rod) => rod.add_step(rule, inertia, at, step),
            Self::StrainBasis(rod) => rod.add_step(rule, inertia, at, step),
        }
        self.add_stress_gradient(&step.start, at.carried.stress, rule.force[0], &mut step.at_start);
        self.curve().finish_step(rule, at, step);
        if let Self::StrainBasis(rod) = self {
            rod.finish_step(rule, at.carried.tension, step);
        }
    }

    /// Adds the tangent of a step at the point of the last [`MovingRod::step_residual`], and fills `step.end`.
    #[allow(clippy::too_many_arguments)]
    pub fn add_step_tangent(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        at: &StepPoint<'_>,
        step: &mut RodStep,
        scratch: &mut RodScratch,
        map: &mut PoseMap,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        map.fill(&step.psi);
        step.end.psi.copy_from_slice(&step.psi);
        if rule.inertia[1] == 0.0 && rule.force[1] == 0.0 || self.strain_basis().is_some() {
            // Points of a strain basis are poses: they have no second derivative by them.
            self.complete_shape(None, &mut step.end);
        } else {
            match self {
                Self::Mixed(rod) => rod.add_step_curvature(rule, at, step, scratch, map, nodes, sink),
                Self::LinearStrain(rod) => rod.add_step_curvature(rule, at, step, scratch, map, nodes, sink),
                Self::StrainBasis(_) => {}
            }
            self.curve().add_curvature_of_increments(map, &step.gradient, nodes, sink);
            self.curve().add_banded(&scratch.geometric, map, nodes, sink);
        }
        self.curve().add_step_turns(step, nodes, sink);
        if let Self::StrainBasis(rod) = self {
            rod.add_step_stiffness(rule, at, scratch, nodes, sink);
        } else {
            self.curve().add_step_coupling(rule, at, step, nodes, sink);
        }
        match self {
            Self::Mixed(rod) => rod.add_compliance(&step.compliance, -1.0, nodes, sink),
            Self::LinearStrain(rod) => rod.add_compliance(&step.compliance, -1.0, nodes, sink),
            Self::StrainBasis(_) => {}
        }
        match self {
            Self::StrainBasis(rod) => rod.add_step_inertia(rule, inertia, at, step, nodes, sink),
            _ => self.curve().add_step_inertia(rule, inertia, at, step, nodes, sink),
        }
    }

    /// Rate of the strain moments, ḃ = A v; that of strain coordinates is known by itself.
    pub fn strain_rate(&self, shape: &RodShape, velocity: &[Twist], rate: &mut [Vector6<f64>]) {
        let (curve, p) = (self.curve(), self.curve().degree());
        for (a, rate) in rate.iter_mut().enumerate() {
            let mut sum = DualVector::zero();
            for m in curve.coupled_poses(a) {
                sum += shape.coupling[a * 2 * p + (m + p - 1 - a)].apply(&velocity[m].into());
            }
            *rate = strain_vector(&sum);
        }
    }

    /// Adds Aᵀβ: what stresses exert on the control poses.
    pub fn add_stress_gradient(&self, shape: &RodShape, stress: &[Vector6<f64>], factor: f64, on: &mut [DualVector]) {
        if self.strain_basis().is_some() {
            // On a strain basis they exert on the coordinates.
            return;
        }
        let (curve, p) = (self.curve(), self.curve().degree());
        for (a, beta) in stress.iter().enumerate() {
            let beta = covector(beta) * factor;
            for m in curve.coupled_poses(a) {
                on[m] += shape.coupling[a * 2 * p + (m + p - 1 - a)].apply_transpose(&beta);
            }
        }
    }

    /// Fills the compliance at a stress, for [`MovingRod::solve_compliance`] before the first evaluation of a step.
    pub fn fill_compliance(&self, carried: Carried<'_>, compliance: &mut RodCompliance) {
        match self {
            Self::Mixed(rod) => rod.fill_compliance(carried, compliance),
            Self::LinearStrain(rod) => rod.fill_compliance(carried, compliance),
            Self::StrainBasis(_) => {}
        }
    }

    /// x ← M⁻¹ x with the compliance of the last evaluation. Fails only where that holds a number that is not finite.
    pub fn solve_compliance(&self, compliance: &mut RodCompliance, x: &mut [Vector6<f64>]) -> Result<(), FactorError> {
        match self {
            Self::Mixed(rod) => rod.solve_compliance(compliance, x),
            Self::LinearStrain(rod) => rod.solve_compliance(compliance, x),
            Self::StrainBasis(_) => Ok(()),
        }
    }

    /// The stresses that belong to strain moments b; strain coordinates as they are.
    pub fn stress_of_strain(
        &self,
        strain: &[Vector6<f64>],
        tension: &[Vector6<f64>],
        compliance: &mut RodCompliance,
        stress: &mut [Vector6<f64>],
    ) -> Result<(), FactorError> {
        match self {
            Self::Mixed(rod) => rod.stress_of_strain(strain, tension, compliance, stress),
            Self::LinearStrain(rod) => {
                rod.stress_of_strain(strain, tension, stress);
                Ok(())
            }
            Self::StrainBasis(_) => {
                stress.copy_from_slice(strain);
                Ok(())
            }
        }
    }

    /// The energy stored at strain moments b under the tensions of what is carried, whose stresses are a guess of those that
    /// belong to b; not a number where these are not.
    pub fn strain_energy(&self, strain: &[Vector6<f64>], carried: Carried<'_>, compliance: &mut RodCompliance) -> f64 {
        match self {
            Self::Mixed(rod) => rod.strain_energy(strain, carried, compliance),
            Self::LinearStrain(rod) => rod.strain_energy(strain, carried.tension),
            Self::StrainBasis(rod) => rod.energy(strain),
        }
    }
}
