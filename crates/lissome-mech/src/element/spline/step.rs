//! One time step of a spline rod: momentum balance of its control poses between two configurations, and its tangent.
//!
//! A step goes from the configuration Q⁰ with point velocities η⁰ to Q¹; the unknowns are the control poses of Q¹ and a
//! stress β̄ that stands for the whole step. Every scheme is one choice of the numbers in [`StepRule`]:
//!
//! ```text
//! R_m = Ad_{x_m}ᵀ (θ⁰ Σ J⁰ᵀΦ⁰ + hφ⁰ (A⁰ᵀβ̄ − f⁰)) + θ¹ Σ J¹ᵀΦ¹ + hφ¹ (A¹ᵀβ̄ − f¹) = 0      in the frame of g_m¹   (1)
//! s_a = C_a b_a¹ + k_a + μ(b_a¹ − b_a⁰) − (Mβ̄)_a = 0                                                           (2)
//! ```
//!
//! with the impulse Φ¹ at a point in its frame at the end, Φ⁰ = Ad_{exp(−y)}ᵀΦ¹ the same in its frame at the start.
//! Tests with a rigid motion make J and A drop out on both sides, so momentum is kept whatever the numbers are.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | x_m | motion of control pose m, g_m¹ = g_m⁰ exp(x_m) | `relative` | rad, m | body |
//! | y | motion of a point, log((g_q⁰)⁻¹ g_q¹) | `RodStep::motion` | rad, m | body |
//! | η⁰, η¹ | velocity of the point at both ends of the step | `start_velocity`, `end_velocity` | rad/s, m/s | body |
//! | Φ | impulse that changes the point's momentum | `RodStep::impulse` | N·m·s, N·s | body |
//! | θ, hφ | weights of the two frames for impulses and forces | `StepRule::inertia`, `StepRule::force` | –, s | |
//! | C_a, k_a | weight of b¹ and the known part of the strain that makes β̄ | `gain`, `known_strain` | | |
//!
//! The tangent is in `step_tangent`.

use super::by_degree;
use super::inertia::{RodInertia, RodShape, momentum};
use super::kernel;
use super::rod::SplineRod;
use super::tangent::{covector, strain_vector};
use crate::load::SectionLoad;
use lissome_lie::dual::{DualMatrix, DualVector, ExpMap, InverseMap};
use lissome_lie::{Pose, skew};
use nalgebra::{Matrix6, Vector6};

/// How the momentum at the end of a step follows from the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Impulse {
    /// Φ = Mη¹ − Ad_yᵀπ, η¹ = rate y + known.
    Difference,
    /// Φ = dexp_y⁻ᵀ M y/h − Ad_yᵀπ: the derivative of the discrete Lagrangian [xun2025, eq. (54), corrected].
    Variational,
    /// As `Difference` with a second, earlier configuration: backward differentiation.
    TwoPast {
        /// ∂η¹/∂y of the earlier configuration.
        earlier_rate: f64,
    },
}

/// The numbers that make a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRule {
    /// Length of the step h, s.
    pub step: f64,
    /// θ⁰, θ¹.
    pub inertia: [f64; 2],
    /// hφ⁰, hφ¹.
    pub force: [f64; 2],
    /// ∂η¹/∂y, 1/s.
    pub rate: f64,
    /// Kind of impulse.
    pub impulse: Impulse,
    /// Weight of b¹ in the strain that makes β̄, without damping.
    pub strain: f64,
    /// μ: adds μ(b¹ − b⁰) to that strain.
    pub correction: f64,
}

/// One rod's data of a step; sized once.
#[derive(Clone, Debug)]
pub struct RodStep {
    /// Q⁰.
    pub start: RodShape,
    /// Q¹, filled with the tangent and at the end of the step.
    pub end: RodShape,
    /// η⁰.
    pub start_velocity: Vec<DualVector>,
    /// π: momentum at the start, weight included.
    pub start_momentum: Vec<DualVector>,
    /// Loads on the points at Q⁰, weight included.
    pub start_load: Vec<DualVector>,
    /// Known part of η¹.
    pub known_velocity: Vec<DualVector>,
    /// k_a.
    pub known_strain: Vec<Vector6<f64>>,
    /// C_a where the material damps; empty if it is `StepRule::strain` throughout.
    pub gain: Vec<Matrix6<f64>>,
    /// Poses and momenta of the points at an earlier time, for [`Impulse::TwoPast`].
    pub earlier: Vec<(Pose, DualVector)>,
    /// y at the last evaluation.
    pub motion: Vec<DualVector>,
    /// η¹ at the last evaluation.
    pub end_velocity: Vec<DualVector>,
    /// Momentum at the end, weight included.
    pub end_momentum: Vec<DualVector>,
    /// Φ.
    pub impulse: Vec<DualVector>,
    /// b¹ at the last evaluation.
    pub end_strain: Vec<Vector6<f64>>,
    /// R_m.
    pub balance: Vec<DualVector>,
    /// The part of R_m that is not carried over from the start.
    pub at_end: Vec<DualVector>,
    /// s_a.
    pub misfit: Vec<Vector6<f64>>,
    /// Ψ¹.
    pub psi: Vec<DualVector>,
    /// What acts on the increments at the end.
    pub gradient: Vec<DualVector>,
    at_start: Vec<DualVector>,
}

impl RodStep {
    /// For one rod.
    pub fn new(rod: &SplineRod) -> Self {
        let (n, q) = (rod.increments(), rod.points.len());
        let (zero, six) = (DualVector::zero(), Vector6::zeros());
        Self {
            start: RodShape::new(rod),
            end: RodShape::new(rod),
            start_velocity: vec![zero; q],
            start_momentum: vec![zero; q],
            start_load: vec![zero; q],
            known_velocity: vec![zero; q],
            known_strain: vec![six; n],
            gain: Vec::new(),
            earlier: Vec::new(),
            motion: vec![zero; q],
            end_velocity: vec![zero; q],
            end_momentum: vec![zero; q],
            impulse: vec![zero; q],
            end_strain: vec![six; n],
            balance: vec![zero; n + 1],
            at_end: vec![zero; n + 1],
            misfit: vec![six; n],
            psi: vec![zero; n],
            gradient: vec![zero; n],
            at_start: vec![zero; n + 1],
        }
    }
}

/// Ad of a pose as a dual matrix.
#[inline(always)]
pub fn adjoint(g: &Pose) -> DualMatrix {
    let r = g.rotation.matrix();
    DualMatrix { re: r, du: skew(&g.position) * r }
}

/// Ad_gᵀ of a covector.
#[inline(always)]
pub fn coadjoint(g: &Pose, mu: &DualVector) -> DualVector {
    g.coadjoint_wrench(&mu.wrench()).into()
}

/// Loads along the rod at the end of a step.
#[derive(Clone, Copy, Debug)]
pub struct EndLoads<'a> {
    /// One per quadrature point, weight included; empty if none.
    pub at_points: &'a [SectionLoad],
    /// What scales them.
    pub factor: f64,
}

impl SplineRod {
    /// Evaluates (1) and (2) for the control poses at both ends of the step (this rod's own) and the stress β̄. Loads on
    /// control poses are not part of it.
    #[allow(clippy::too_many_arguments)]
    pub fn step_residual(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        start_poses: &[Pose],
        end_poses: &[Pose],
        stress: &[Vector6<f64>],
        loads: EndLoads<'_>,
        step: &mut RodStep,
    ) {
        for (psi, pair) in step.psi.iter_mut().zip(end_poses.windows(2)) {
            *psi = pair[1].boxminus(&pair[0]).into();
        }
        step.at_end.fill(DualVector::zero());
        step.gradient.fill(DualVector::zero());
        step.at_start.fill(DualVector::zero());
        step.end_strain.fill(Vector6::zeros());
        step.misfit.copy_from_slice(&step.known_strain);
        by_degree!(self.degree, step_pass(rule, inertia, end_poses, stress, loads, step) on self);
        self.add_stress_gradient(&step.start, stress, rule.force[0], &mut step.at_start);
        for (k, psi) in step.psi.iter().enumerate() {
            let inverse = InverseMap::at(*psi);
            step.at_end[k + 1] += inverse.plus().apply_transpose(&step.gradient[k]);
            step.at_end[k] = step.at_end[k] - inverse.minus().apply_transpose(&step.gradient[k]);
        }
        for (m, balance) in step.balance.iter_mut().enumerate() {
            *balance = step.at_end[m] + coadjoint(&(start_poses[m].inverse() * end_poses[m]), &step.at_start[m]);
        }
        for (a, misfit) in step.misfit.iter_mut().enumerate() {
            *misfit += (step.end_strain[a] - step.start.strain[a]) * rule.correction;
            *misfit += match step.gain.get(a) {
                Some(gain) => gain * step.end_strain[a],
                None => step.end_strain[a] * rule.strain,
            };
        }
    }

    fn step_pass<const P: usize>(
        &self,
        rule: &StepRule,
        inertia: &RodInertia,
        poses: &[Pose],
        stress: &[Vector6<f64>],
        loads: EndLoads<'_>,
        step: &mut RodStep,
    ) {
        for span in &self.spans {
            let psi: [DualVector; P] = *step.psi[span.first..].first_chunk().expect("a span has p increments");
            let beta: [Vector6<f64>; P] = *stress[span.first..].first_chunk().expect("a span has p stresses");
            for q in span.points.clone() {
                let point = &self.points[q];
                let basis = &point.basis;
                let maps: [ExpMap; P] = std::array::from_fn(|i| ExpMap::at(psi[i] * basis.value[i]));
                let mut carried = [DualVector::zero(); P];
                let mut xi = psi[0] * basis.slope[0];
                for i in 1..P {
                    carried[i] = maps[i].transport(&xi);
                    xi = carried[i] + psi[i] * basis.slope[i];
                }
                let e = strain_vector(&(xi - point.natural));
                let mut n = Vector6::zeros();
                for a in 0..P {
                    n += beta[a] * basis.stress_basis[a];
                    step.end_strain[span.first + a] += e * (basis.weight * basis.stress_basis[a]);
                }
                let assumed = self.compliance.flexibility[q] * n;
                for a in 0..P {
                    step.misfit[span.first + a] -= assumed * (basis.weight * basis.stress_basis[a]);
                }
                let pose = poses[span.first] * kernel::relative_pose(&psi, basis);
                step.end.points[q].pose = pose;
                let relative = step.start.points[q].pose.inverse() * pose;
                step.set_impulse(rule, q, &inertia.mass[q], &relative, &pose);
                let impulse = step.impulse[q];

                let mut mu = impulse * rule.inertia[1];
                if let Some(load) = loads.at_points.get(q) {
                    let wrench: DualVector = load.evaluate(&pose.rotation, loads.factor).wrench.into();
                    mu = mu - wrench * rule.force[1];
                }
                let mut lambda = covector(&n) * (basis.weight * rule.force[1]);
                for i in (1..P).rev() {
                    let pulled = maps[i].dexp_transpose_apply(&(lambda.cross(&carried[i]) + mu));
                    step.gradient[span.first + i] += lambda * basis.slope[i] + pulled * basis.value[i];
                    lambda = maps[i].transport_transpose(&lambda);
                    mu = maps[i].transport_transpose(&mu);
                }
                step.gradient[span.first] +=
                    lambda * basis.slope[0] + maps[0].dexp_transpose_apply(&mu) * basis.value[0];
                step.at_end[span.first] += maps[0].transport_transpose(&mu);

                let before =
                    coadjoint(&relative.inverse(), &impulse) * rule.inertia[0] - step.start_load[q] * rule.force[0];
                let jacobian = &step.start.points[q].jacobian;
                for m in 0..=P {
                    step.at_start[span.first + m] += jacobian[m].apply_transpose(&before);
                }
            }
        }
    }
}

impl RodStep {
    /// y, η¹, the momentum at the end and Φ of one point.
    #[inline(always)]
    fn set_impulse(&mut self, rule: &StepRule, q: usize, mass: &Matrix6<f64>, relative: &Pose, pose: &Pose) {
        let y: DualVector = relative.log().into();
        self.motion[q] = y;
        let mut eta = y * rule.rate + self.known_velocity[q];
        let mut past = coadjoint(relative, &self.start_momentum[q]);
        match rule.impulse {
            Impulse::Difference => self.end_momentum[q] = momentum(mass, &eta),
            Impulse::Variational => {
                self.end_momentum[q] = InverseMap::at(y).plus().apply_transpose(&momentum(mass, &eta));
            }
            Impulse::TwoPast { earlier_rate } => {
                let (earlier, weighted) = &self.earlier[q];
                let relative = earlier.inverse() * *pose;
                eta += DualVector::from(relative.log()) * earlier_rate;
                past += coadjoint(&relative, weighted);
                self.end_momentum[q] = momentum(mass, &eta);
            }
        }
        self.end_velocity[q] = eta;
        self.impulse[q] = self.end_momentum[q] - past;
    }
}
