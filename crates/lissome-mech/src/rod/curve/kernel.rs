//! One quadrature point of a cumulative spline rod: strain, gradient and second derivatives in the increments.
//!
//! [xun2025, eqs. (27), (28)] for the strain; the derivatives are carried to the frame of the point, so that no
//! transport is repeated. All vectors and matrices are dual (see `lissome_lie::dual`).
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | Ψ_i | increment log(g_{i−1}⁻¹ g_i), i = 1 … p within the span | `psi[i - 1]` |
//! | b_i, b_i′ | cumulative basis and its slope | `value`, `slope` |
//! | φ_a | stress functions B_{a,p−1} | `stress_basis` |
//! | Λ | internal wrench times the quadrature weight | `stress` |
//! | C_i, J_i, D_i | transport, ∂ζ/∂Ψ_i, ∂ξ/∂Ψ_i in the frame of the point | `transport`, `jacobian`, `strain_jacobian` |
//! | H_ik | ∂²(Λ·ξ)/∂Ψ_i∂Ψ_k | `SpanTangent::geometric` |

use lissome_lie::dual::{Dual, DualMatrix, DualVector, ExpMap};
use lissome_lie::knots::MAX_DEGREE;
use nalgebra::{Matrix3, Vector3};

/// What is constant at a quadrature point as far as kinematics goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointBasis {
    /// b_i of the span's p increments.
    pub value: [f64; MAX_DEGREE],
    /// b_i′.
    pub slope: [f64; MAX_DEGREE],
    /// φ_a for the same indices.
    pub stress_basis: [f64; MAX_DEGREE],
    /// Quadrature weight, m.
    pub weight: f64,
}

/// ξ at a point: p − 1 transports.
#[inline(always)]
pub fn strain<const P: usize>(psi: &[DualVector; P], at: &PointBasis) -> DualVector {
    let mut xi = psi[0] * at.slope[0];
    for i in 1..P {
        xi = ExpMap::at(psi[i] * at.value[i]).transport(&xi) + psi[i] * at.slope[i];
    }
    xi
}

/// ξ at a point, with what a stress there is pulled back by.
#[derive(Clone, Copy, Debug)]
pub struct PointStrain<const P: usize> {
    /// ξ, as [`strain`] answers.
    pub strain: DualVector,
    /// What the increments before each contribute to ξ.
    transported: [DualVector; P],
    maps: [ExpMap; P],
}

impl<const P: usize> PointStrain<P> {
    /// At these increments of the span.
    #[inline(always)]
    pub fn at(psi: &[DualVector; P], at: &PointBasis) -> Self {
        let mut transported = [DualVector::zero(); P];
        let mut maps = [ExpMap::at(DualVector::zero()); P];
        let mut strain = psi[0] * at.slope[0];
        for i in 1..P {
            maps[i] = ExpMap::at(psi[i] * at.value[i]);
            transported[i] = maps[i].transport(&strain);
            strain = transported[i] + psi[i] * at.slope[i];
        }
        Self { strain, transported, maps }
    }

    /// f_i += D_iᵀ Λ for every increment of the span.
    #[inline(always)]
    pub fn add_gradient(&self, at: &PointBasis, stress: &DualVector, gradient: &mut [DualVector]) {
        let Self { transported, maps, .. } = self;
        let mut mu = *stress;
        for i in (1..P).rev() {
            gradient[i] += mu * at.slope[i] + maps[i].dexp_transpose_apply(&mu.cross(&transported[i])) * at.value[i];
            mu = maps[i].transport_transpose(&mu);
        }
        gradient[0] += mu * at.slope[0];
    }
}

/// The pose of the point relative to the first control pose of the span.
#[inline(always)]
pub fn relative_pose<const P: usize>(psi: &[DualVector; P], at: &PointBasis) -> lissome_lie::Pose {
    let mut g = lissome_lie::Pose::exp(&(psi[0] * at.value[0]).twist());
    for i in 1..P {
        g = g * lissome_lie::Pose::exp(&(psi[i] * at.value[i]).twist());
    }
    g
}

/// First derivatives at one point, all in the frame of the point.
#[derive(Clone, Copy, Debug)]
pub struct PointJacobians<const P: usize> {
    /// C_0 … C_p: transport from the frame after increment i.
    pub transport: [DualMatrix; P],
    /// C_0, transport from the span's first control pose; J_0 of the loads.
    pub transport_first: DualMatrix,
    /// J_i.
    pub jacobian: [DualMatrix; P],
    /// D_i.
    pub strain_jacobian: [DualMatrix; P],
    /// v_i = Σ_{k<i} b_k′ C_k Ψ_k.
    pub partial_strain: [DualVector; P],
    /// exp(b_i Ψ_i).
    pub maps: [ExpMap; P],
}

impl<const P: usize> PointJacobians<P> {
    /// ξ, of which all but the last term stands here already.
    #[inline(always)]
    pub fn strain(&self, psi: &[DualVector; P], at: &PointBasis) -> DualVector {
        let last = P - 1;
        self.partial_strain[last] + self.transport[last].apply(&psi[last]) * at.slope[last]
    }
}

/// v~ M, column by column.
#[inline(always)]
pub fn cross_columns(v: &DualVector, m: &DualMatrix) -> DualMatrix {
    let cross = |a: &Vector3<f64>, m: &Matrix3<f64>| {
        Matrix3::new(
            a.y * m[(2, 0)] - a.z * m[(1, 0)],
            a.y * m[(2, 1)] - a.z * m[(1, 1)],
            a.y * m[(2, 2)] - a.z * m[(1, 2)],
            a.z * m[(0, 0)] - a.x * m[(2, 0)],
            a.z * m[(0, 1)] - a.x * m[(2, 1)],
            a.z * m[(0, 2)] - a.x * m[(2, 2)],
            a.x * m[(1, 0)] - a.y * m[(0, 0)],
            a.x * m[(1, 1)] - a.y * m[(0, 1)],
            a.x * m[(1, 2)] - a.y * m[(0, 2)],
        )
    };
    DualMatrix { re: cross(&v.re, &m.re), du: cross(&v.re, &m.du) + cross(&v.du, &m.re) }
}

/// Geometric stiffness and strain Jacobians of one span, summed over its points.
#[derive(Clone, Copy, Debug)]
pub struct SpanTangent<const P: usize> {
    /// Σ_q H_ik for k ≤ i (twist to covector), without the S terms of the diagonal.
    pub geometric: [[DualMatrix; P]; P],
    /// Σ_q w φ_a D_k (twist to strain).
    pub coupling: [[DualMatrix; P]; P],
    scalar: [Dual; P],
    vector: [DualVector; P],
}

impl<const P: usize> SpanTangent<P> {
    /// Nothing summed yet.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            geometric: [[DualMatrix::zero(); P]; P],
            coupling: [[DualMatrix::zero(); P]; P],
            scalar: [Dual::default(); P],
            vector: [DualVector::zero(); P],
        }
    }

    /// Adds one point: the derivatives `at_point` there, and the weighted stress Λ.
    #[inline(always)]
    pub fn add_geometric(&mut self, at: &PointBasis, j: &PointJacobians<P>, stress: &DualVector) {
        for i in 1..P {
            // H_ik = J_iᵀ Λ~ D_k = −(Λ~ J_i)ᵀ D_k
            let x = cross_columns(stress, &j.jacobian[i]) * -1.0;
            for k in 0..i {
                self.geometric[i][k] += x.transpose_mul(&j.strain_jacobian[k]);
            }
            let v = cross_columns(&j.partial_strain[i], &j.jacobian[i]);
            self.geometric[i][i] += x.transpose_mul(&v).symmetric_part();
            let nu = j.transport[i].apply_transpose(&stress.cross(&j.partial_strain[i]));
            let (scalar, vector) = j.maps[i].symmetric_curvature(&nu);
            let b = at.value[i];
            self.scalar[i] += scalar * (b * b);
            self.vector[i] += vector * (b * b * b);
        }
    }

    /// Adds w φ_a D_k of one point.
    #[inline(always)]
    pub fn add_coupling(&mut self, at: &PointBasis, j: &PointJacobians<P>) {
        for a in 0..P {
            let k_a = at.weight * at.stress_basis[a];
            for k in 0..P {
                self.coupling[a][k] += j.strain_jacobian[k] * k_a;
            }
        }
    }

    /// Expands the S terms, once per span: Σ b²ĉ₃(x·ν) I + sym(Σ b³ w Ψᵀ).
    #[inline(always)]
    pub fn finish(&mut self, psi: &[DualVector; P]) {
        for i in 1..P {
            self.geometric[i][i] +=
                DualMatrix::diagonal(self.scalar[i]) + self.vector[i].outer(&psi[i]).symmetric_part();
        }
    }
}

/// First derivatives at a point. `with_first` also fills what only loads need: J_1 and C_0.
#[inline(always)]
pub fn jacobians<const P: usize>(psi: &[DualVector; P], at: &PointBasis, with_first: bool) -> PointJacobians<P> {
    let identity = DualMatrix::identity();
    let mut out = PointJacobians {
        transport: [identity; P],
        transport_first: identity,
        jacobian: [DualMatrix::zero(); P],
        strain_jacobian: [DualMatrix::zero(); P],
        partial_strain: [DualVector::zero(); P],
        maps: [ExpMap::at(DualVector::zero()); P],
    };
    let mut c = identity;
    for i in (1..P).rev() {
        out.transport[i] = c;
        let map = ExpMap::at(psi[i] * at.value[i]);
        out.maps[i] = map;
        let q = map.dexp() * at.value[i];
        if i == P - 1 {
            out.jacobian[i] = q;
            c = map.ad_exp_neg();
        } else {
            out.jacobian[i] = c * q;
            c = c * map.ad_exp_neg();
        }
    }
    out.transport[0] = c;
    if with_first {
        let map = ExpMap::at(psi[0] * at.value[0]);
        out.maps[0] = map;
        out.jacobian[0] = c * map.dexp() * at.value[0];
        out.transport_first = c * map.ad_exp_neg();
    }
    let mut v = DualVector::zero();
    for i in 0..P {
        out.partial_strain[i] = v;
        out.strain_jacobian[i] = out.transport[i] * at.slope[i];
        if i > 0 {
            out.strain_jacobian[i] += cross_columns(&v, &out.jacobian[i]);
        }
        v += out.transport[i].apply(&psi[i]) * at.slope[i];
    }
    out
}
