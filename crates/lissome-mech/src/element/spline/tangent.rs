//! Sums over a spline rod in its increments: strains, energy, gradient, geometric stiffness and coupling.

use super::by_degree;
use super::kernel::{self, SpanTangent};
use super::rod::SplineRod;
use lissome_lie::Pose;
use lissome_lie::dual::{DualMatrix, DualVector};
use lissome_model::StrainForm;
use nalgebra::{Matrix6, Vector6};

/// Working arrays of one rod, sized once.
#[derive(Clone, Debug)]
pub struct RodScratch {
    /// Ψ of each increment.
    pub psi: Vec<DualVector>,
    /// ∂U/∂Ψ (or its mixed counterpart Σ_a A_aᵀ β_a).
    pub gradient: Vec<DualVector>,
    /// Geometric stiffness H in the increments, lower band: entry `i * p + d` couples i with i − d.
    pub geometric: Vec<DualMatrix>,
    /// Material stiffness Σ w DᵀKD in the increments, same layout; printed form only.
    pub material: Vec<Matrix6<f64>>,
    /// A_ak = Σ w φ_a D_k: entry `a * (2p − 1) + (k − a + p − 1)`; mixed form only.
    pub coupling: Vec<DualMatrix>,
    /// Mixed: b − Mβ, the misfit between the curve's strain and the stress's. Printed: strain misfit per point.
    pub misfit: Vec<Vector6<f64>>,
    /// b = Σ w φ_a (ξ − ξ₀), or the strain at each point.
    pub strain: Vec<Vector6<f64>>,
    /// ∂²C/∂μ² of each linear-strain element.
    pub compliance: Vec<Matrix6<f64>>,
    /// False if a linear-strain element is too long for its stress.
    pub resolved: bool,
}

impl RodScratch {
    /// For one rod.
    pub fn new(rod: &SplineRod) -> Self {
        let n = rod.increments();
        let p = rod.degree;
        let mixed = rod.form == StrainForm::Mixed;
        Self {
            psi: vec![DualVector::zero(); n],
            gradient: vec![DualVector::zero(); n],
            geometric: vec![DualMatrix::zero(); n * p],
            material: vec![Matrix6::zeros(); if mixed { 0 } else { n * p }],
            coupling: vec![DualMatrix::zero(); if mixed { n * (2 * p - 1) } else { 0 }],
            misfit: vec![Vector6::zeros(); rod.stress_count()],
            strain: vec![Vector6::zeros(); rod.stress_count()],
            compliance: vec![Matrix6::zeros(); rod.compliance.elements.len()],
            resolved: true,
        }
    }
}

/// A strain (dual: κ + εe) as a plain 6-vector.
#[inline(always)]
pub fn strain_vector(x: &DualVector) -> Vector6<f64> {
    Vector6::new(x.re.x, x.re.y, x.re.z, x.du.x, x.du.y, x.du.z)
}

/// A covector given as (moment, force) in dual form.
#[inline(always)]
pub fn covector(v: &Vector6<f64>) -> DualVector {
    DualVector { re: nalgebra::Vector3::new(v[3], v[4], v[5]), du: nalgebra::Vector3::new(v[0], v[1], v[2]) }
}

impl SplineRod {
    /// Ψ_i = log(g_i⁻¹ g_{i+1}) of this rod's control poses.
    pub fn fill_increments(&self, poses: &[Pose], psi: &mut [DualVector]) {
        for (psi, pair) in psi.iter_mut().zip(poses.windows(2)) {
            *psi = pair[1].boxminus(&pair[0]).into();
        }
    }

    /// Fills `strain` (b, or ξ − ξ₀ per point) from `scratch.psi`.
    pub fn fill_strain(&self, scratch: &mut RodScratch) {
        if self.is_linear_strain() {
            return;
        }
        by_degree!(self.degree, strain_pass(scratch) on self);
    }

    fn strain_pass<const P: usize>(&self, scratch: &mut RodScratch) {
        let mixed = self.form == StrainForm::Mixed;
        scratch.strain.fill(Vector6::zeros());
        for span in &self.spans {
            let psi: &[DualVector; P] = scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let point = &self.points[q];
                let e = strain_vector(&(kernel::strain(psi, &point.basis) - point.natural));
                if mixed {
                    for a in 0..P {
                        scratch.strain[span.first + a] += e * (point.basis.weight * point.basis.stress_basis[a]);
                    }
                } else {
                    scratch.strain[q] = e;
                }
            }
        }
    }

    /// The stresses that the strain implies: β = M⁻¹ b, or Λ = K(ξ − ξ₀) per point, or ∂U/∂Ω per linear-strain element.
    /// `buffer` must hold six numbers per stress.
    pub fn consistent_stress(&self, scratch: &RodScratch, buffer: &mut [f64], stress: &mut [Vector6<f64>]) {
        match self.form {
            StrainForm::Mixed if self.is_linear_strain() => self.stress_of_increments(&scratch.psi, stress),
            StrainForm::Mixed => {
                let x = &mut buffer[..6 * stress.len()];
                for (x, b) in x.chunks_exact_mut(6).zip(&scratch.strain) {
                    x.copy_from_slice(b.as_slice());
                }
                self.compliance.gram_factor.solve(x);
                for (beta, x) in stress.iter_mut().zip(x.chunks_exact(6)) {
                    *beta = Vector6::from_column_slice(x);
                }
            }
            StrainForm::Printed => {
                for ((lambda, e), q) in stress.iter_mut().zip(&scratch.strain).zip(&self.points) {
                    *lambda = q.stiffness * e;
                }
            }
        }
    }

    /// ½ bᵀ M⁻¹ b or ½ Σ w eᵀ K e from consistent stresses.
    pub fn elastic_energy(&self, scratch: &RodScratch, stress: &[Vector6<f64>]) -> f64 {
        let pairs = scratch.strain.iter().zip(stress);
        match self.form {
            StrainForm::Mixed if self.is_linear_strain() => self.energy_of_stresses(stress),
            StrainForm::Mixed => pairs.map(|(b, beta)| 0.5 * b.dot(beta)).sum(),
            StrainForm::Printed => {
                pairs.zip(&self.points).map(|((e, lambda), q)| 0.5 * q.basis.weight * e.dot(lambda)).sum()
            }
        }
    }

    /// Elastic energy at these control poses, of a rod whose stress follows from its strain.
    pub fn energy_of_poses(&self, poses: &[Pose], scratch: &mut RodScratch) -> f64 {
        self.fill_increments(poses, &mut scratch.psi);
        self.fill_strain(scratch);
        let at_points = scratch.strain.iter().zip(&self.points);
        at_points.map(|(e, q)| 0.5 * q.basis.weight * e.dot(&(q.stiffness * e))).sum()
    }

    /// First order only: gradient, misfit and strain at `scratch.psi` for these stresses.
    pub fn fill_gradient(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        if self.is_linear_strain() {
            return self.fill_from_stresses(stress, scratch);
        }
        scratch.gradient.fill(DualVector::zero());
        scratch.misfit.fill(Vector6::zeros());
        scratch.strain.fill(Vector6::zeros());
        by_degree!(self.degree, gradient_pass(stress, scratch) on self);
    }

    fn gradient_pass<const P: usize>(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        let mixed = self.form == StrainForm::Mixed;
        for span in &self.spans {
            let psi: [DualVector; P] = *scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            for q in span.points.clone() {
                let point = &self.points[q];
                let basis = &point.basis;
                let e = strain_vector(&(kernel::strain(&psi, basis) - point.natural));
                let independent = self.add_misfit::<P>(span.first, q, &e, stress, scratch);
                let lambda = if mixed { independent } else { point.stiffness * e };
                let weighted = covector(&lambda) * basis.weight;
                kernel::add_gradient(&psi, basis, &weighted, &mut scratch.gradient[span.first..]);
            }
        }
    }

    /// Adds what point q says of strain and misfit, and returns the independent stress there.
    #[inline(always)]
    fn add_misfit<const P: usize>(
        &self,
        first: usize,
        q: usize,
        e: &Vector6<f64>,
        stress: &[Vector6<f64>],
        scratch: &mut RodScratch,
    ) -> Vector6<f64> {
        if self.form == StrainForm::Printed {
            scratch.strain[q] = *e;
            scratch.misfit[q] = e - self.compliance.flexibility[q] * stress[q];
            return stress[q];
        }
        let basis = &self.points[q].basis;
        let mut n = Vector6::zeros();
        for a in 0..P {
            n += stress[first + a] * basis.stress_basis[a];
        }
        let misfit = e - self.compliance.flexibility[q] * n;
        for a in 0..P {
            let k = basis.weight * basis.stress_basis[a];
            scratch.misfit[first + a] += misfit * k;
            scratch.strain[first + a] += e * k;
        }
        n
    }

    /// Everything second-order at `scratch.psi`, with the geometric stiffness of `stress` (this rod's stresses).
    pub fn fill_tangent(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        if self.is_linear_strain() {
            return self.fill_from_stresses(stress, scratch);
        }
        scratch.gradient.fill(DualVector::zero());
        scratch.geometric.fill(DualMatrix::zero());
        scratch.coupling.fill(DualMatrix::zero());
        scratch.material.fill(Matrix6::zeros());
        scratch.misfit.fill(Vector6::zeros());
        scratch.strain.fill(Vector6::zeros());
        by_degree!(self.degree, tangent_pass(stress, scratch) on self);
        if self.form == StrainForm::Mixed {
            self.sum_mixed_gradient(stress, scratch);
        }
    }

    fn tangent_pass<const P: usize>(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        let mixed = self.form == StrainForm::Mixed;
        for span in &self.spans {
            let psi: [DualVector; P] = *scratch.psi[span.first..].first_chunk().expect("a span has p increments");
            let mut sum = SpanTangent::<P>::zero();
            for q in span.points.clone() {
                let point = &self.points[q];
                let basis = &point.basis;
                let j = kernel::jacobians(&psi, basis, false);
                let last = P - 1;
                let xi = j.partial_strain[last] + j.transport[last].apply(&psi[last]) * basis.slope[last];
                let e = strain_vector(&(xi - point.natural));
                let lambda = self.add_misfit::<P>(span.first, q, &e, stress, scratch);
                if mixed {
                    sum.add_coupling(basis, &j);
                } else {
                    self.add_printed_material(span.first, basis.weight, &point.stiffness, &e, &j, scratch);
                }
                sum.add_geometric(basis, &j, &(covector(&lambda) * basis.weight));
            }
            sum.finish(&psi);
            for i in 0..P {
                for k in 0..=i {
                    scratch.geometric[(span.first + i) * P + (i - k)] += sum.geometric[i][k];
                }
                if mixed {
                    for k in 0..P {
                        scratch.coupling[(span.first + i) * (2 * P - 1) + (k + P - 1 - i)] += sum.coupling[i][k];
                    }
                }
            }
        }
    }

    /// Printed form: Σ w DᵀKD and the true gradient Σ w DᵀK(ξ − ξ₀).
    fn add_printed_material<const P: usize>(
        &self,
        first: usize,
        weight: f64,
        stiffness: &Matrix6<f64>,
        e: &Vector6<f64>,
        j: &kernel::PointJacobians<P>,
        scratch: &mut RodScratch,
    ) {
        let lambda = covector(&(stiffness * e)) * weight;
        let d: [Matrix6<f64>; P] = std::array::from_fn(|i| j.strain_jacobian[i].twist_map());
        for i in 0..P {
            scratch.gradient[first + i] += j.strain_jacobian[i].apply_transpose(&lambda);
            let kd = stiffness * d[i] * weight;
            for k in 0..=i {
                scratch.material[(first + i) * P + (i - k)] += kd.tr_mul(&d[k]);
            }
        }
    }

    /// Mixed form: Σ_a A_akᵀ β_a.
    fn sum_mixed_gradient(&self, stress: &[Vector6<f64>], scratch: &mut RodScratch) {
        let p = self.degree;
        let n = self.increments();
        for a in 0..n {
            let beta = covector(&stress[a]);
            for k in a.saturating_sub(p - 1)..(a + p).min(n) {
                let block = &scratch.coupling[a * (2 * p - 1) + (k + p - 1 - a)];
                scratch.gradient[k] += block.apply_transpose(&beta);
            }
        }
    }
}
