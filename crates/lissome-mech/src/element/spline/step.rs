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
//! | y, η, Φ | motion, velocity and impulse of a point | [`PointStep`] | | body |
//! | θ, hφ | weights of the two frames for impulses and forces | `StepRule::inertia`, `StepRule::force` | –, s | |
//! | C_a, k_a | weight of b¹ and the known part of the strain that makes β̄ | `gain`, `known_strain` | | |
//!
//! The tangent is in `step_tangent`.

use super::by_degree;
use super::inertia::{RodInertia, RodShape};
use super::kernel;
use super::rod::SplineRod;
use super::tangent::{covector, strain_vector};
use crate::impulse::{PointStep, StepRule, coadjoint};
use crate::load::SectionLoad;
use lissome_lie::Pose;
use lissome_lie::dual::{DualVector, ExpMap, InverseMap};
use nalgebra::{Matrix6, Vector6};

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
    /// ∂²C/∂β² of linear-strain elements at the last evaluation; empty for splines, whose M is constant.
    pub compliance: Vec<Matrix6<f64>>,
    /// C_a where the material damps; empty if it is `StepRule::strain` throughout.
    pub gain: Vec<Matrix6<f64>>,
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
    /// What is carried over from the start, in the frames there.
    pub at_start: Vec<DualVector>,
}

impl RodStep {
    /// For one rod.
    pub fn new(rod: &SplineRod) -> Self {
        let (n, q) = (rod.increments(), rod.points.len());
        let (zero, six) = (DualVector::zero(), Vector6::zeros());
        Self {
            start: RodShape::new(rod),
            end: RodShape::new(rod),
            points: vec![PointStep::default(); q],
            known_strain: vec![six; n],
            compliance: vec![Matrix6::zeros(); rod.compliance.elements.len()],
            gain: Vec::new(),
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
        if self.is_linear_strain() {
            self.answer_stress(stress, step);
        }
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

    /// Compliance of the elements at these stresses, where it depends on them.
    pub fn fill_step_compliance(&self, stress: &[Vector6<f64>], step: &mut RodStep) {
        for ((element, stress), compliance) in self.compliance.elements.iter().zip(stress).zip(&mut step.compliance) {
            *compliance = element.respond(stress).compliance;
        }
    }

    /// ½ bᵀM⁻¹b, or the energy of linear-strain elements at these increments. `buffer` must hold six numbers per stress.
    pub fn strain_energy(&self, strain: &[Vector6<f64>], buffer: &mut [f64]) -> f64 {
        if self.is_linear_strain() {
            let elements = self.compliance.elements.iter().zip(strain);
            let increment = |b: &Vector6<f64>| lissome_lie::Twist::from_vector(b).into();
            return elements.map(|(element, b)| element.energy(&element.deform(&increment(b)).strain)).sum();
        }
        let x = &mut buffer[..6 * strain.len()];
        for (x, b) in x.chunks_exact_mut(6).zip(strain) {
            x.copy_from_slice(b.as_slice());
        }
        self.compliance.gram_factor.solve(x);
        let pairs = x.chunks_exact(6).zip(strain);
        0.5 * pairs.map(|(x, b)| x.iter().zip(b.iter()).map(|(x, b)| x * b).sum::<f64>()).sum::<f64>()
    }

    /// The stress that belongs to these strain moments (of linear-strain elements: increments).
    pub fn stress_of_strain(&self, strain: &[Vector6<f64>], stress: &mut [Vector6<f64>], buffer: &mut [f64]) {
        if self.is_linear_strain() {
            for ((element, b), mu) in self.compliance.elements.iter().zip(strain).zip(stress) {
                *mu = element.deform(&lissome_lie::Twist::from_vector(b).into()).stress;
            }
            return;
        }
        stress.copy_from_slice(strain);
        self.solve_compliance(&[], stress, buffer);
    }

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

    /// Linear-strain elements: the strain is the increment itself, and −Mβ̄ becomes −∂C/∂β̄.
    fn answer_stress(&self, stress: &[Vector6<f64>], step: &mut RodStep) {
        for (a, (element, stress)) in self.compliance.elements.iter().zip(stress).enumerate() {
            let response = element.respond(stress);
            step.end_strain[a] = strain_vector(&step.psi[a]);
            step.misfit[a] = step.known_strain[a] - strain_vector(&response.increment);
            step.compliance[a] = response.compliance;
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
                step.points[q].pass(rule, &inertia.mass[q], &relative, &pose);
                let impulse = step.points[q].impulse;

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

                let before = coadjoint(&relative.inverse(), &impulse) * rule.inertia[0]
                    - step.points[q].start_load * rule.force[0];
                let jacobian = &step.start.points[q].jacobian;
                for m in 0..=P {
                    step.at_start[span.first + m] += jacobian[m].apply_transpose(&before);
                }
            }
        }
    }
}
