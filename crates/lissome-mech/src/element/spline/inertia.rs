//! Inertia of a spline rod: Jacobians of its quadrature points in the control poses, momenta and the consistent mass.
//!
//! The velocity of a point is η = Σ_m J_m v_m over the p + 1 control poses of its span, so the kinetic energy is
//! ½ vᵀ M(Q) v with M = Σ_q w JᵀM_sJ, rotary inertia included [xun2025, eqs. (30), (52)].
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | J_m | change of the point's pose with control pose m | `PointShape::jacobian` | | body |
//! | η | velocity of the point | `velocity_at` | rad/s, m/s | body |
//! | w M_s | mass of the section times the quadrature weight | `RodInertia::mass` | kg·m², kg | body |
//! | A_am | ∂b_a/∂z_m, b_a = Σ w φ_a (ξ − ξ₀) | `RodShape::coupling` | | |
//! | Θ_a | K⁻¹K_v, the relaxation times of the Kelvin–Voigt material | `RodInertia::relaxation` | s | body |

use super::by_degree;
use super::kernel::{self, PointJacobians};
use super::rod::{Span, SplineRod};
use super::tangent::{covector, strain_vector};
use crate::index::Node;
use crate::sink::BlockSink;
use lissome_lie::dual::{DualMatrix, DualVector, InverseMap};
use lissome_lie::knots::MAX_DEGREE;
use lissome_lie::{Pose, Twist};
use nalgebra::{Matrix6, Vector6};

/// What a rod's sections weigh and how they damp; constant.
#[derive(Clone, Debug)]
pub struct RodInertia {
    /// w M_s at each quadrature point.
    pub mass: Vec<Matrix6<f64>>,
    /// Θ at the centre of each stress function; empty if the material does not damp.
    pub relaxation: Vec<Matrix6<f64>>,
}

impl RodInertia {
    /// Reads the sections of a rod.
    pub fn new(rod: &SplineRod) -> Self {
        let profile = &rod.model.profile;
        let mass = rod.points.iter().map(|q| profile.at(q.s).mass() * q.basis.weight).collect();
        let knots = rod.knot_vector();
        let relaxation: Vec<Matrix6<f64>> = (0..rod.increments())
            .map(|a| {
                let section = profile.at(0.5 * (knots.greville(a) + knots.greville(a + 1)));
                let stiffness = section.stiffness();
                stiffness.try_inverse().expect("a validated stiffness is positive definite") * section.viscosity()
            })
            .collect();
        let damps = relaxation.iter().any(|theta| *theta != Matrix6::zeros());
        Self { mass, relaxation: if damps { relaxation } else { Vec::new() } }
    }
}

/// Where a quadrature point is and how it follows the control poses of its span.
#[derive(Clone, Copy, Debug)]
pub struct PointShape {
    /// World pose.
    pub pose: Pose,
    /// J_0 … J_p; the rest unused.
    pub jacobian: [DualMatrix; MAX_DEGREE + 1],
}

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
    pub coupling: Vec<DualMatrix>,
    in_increments: Vec<DualMatrix>,
}

impl RodShape {
    /// For one rod.
    pub fn new(rod: &SplineRod) -> Self {
        let (n, p) = (rod.increments(), rod.degree);
        let still = PointShape { pose: Pose::identity(), jacobian: [DualMatrix::zero(); MAX_DEGREE + 1] };
        Self {
            psi: vec![DualVector::zero(); n],
            points: vec![still; rod.points.len()],
            strain: vec![Vector6::zeros(); n],
            coupling: vec![DualMatrix::zero(); n * 2 * p],
            in_increments: vec![DualMatrix::zero(); n * (2 * p - 1)],
        }
    }

    pub(super) fn clear(&mut self) {
        self.strain.fill(Vector6::zeros());
        self.in_increments.fill(DualMatrix::zero());
    }
}

impl SplineRod {
    /// Control poses that stress a couples with.
    pub fn coupled_poses(&self, a: usize) -> std::ops::RangeInclusive<usize> {
        (a + 1).saturating_sub(self.degree)..=(a + self.degree).min(self.increments())
    }

    /// Fills `shape` at these control poses (this rod's own).
    pub fn fill_shape(&self, poses: &[Pose], shape: &mut RodShape) {
        for (psi, pair) in shape.psi.iter_mut().zip(poses.windows(2)) {
            *psi = pair[1].boxminus(&pair[0]).into();
        }
        self.complete_shape(Some(poses), shape);
    }

    /// Fills the rest of `shape` at its increments; without control poses the poses of its points are there already.
    pub fn complete_shape(&self, poses: Option<&[Pose]>, shape: &mut RodShape) {
        shape.clear();
        by_degree!(self.degree, shape_pass(poses, shape) on self);
        self.couple_with_poses(shape);
        self.take_increments_for_strain(shape);
    }

    /// Linear-strain elements answer to increments as a whole, natural ones included.
    pub(super) fn take_increments_for_strain(&self, shape: &mut RodShape) {
        if self.is_linear_strain() {
            for (strain, psi) in shape.strain.iter_mut().zip(&shape.psi) {
                *strain = strain_vector(psi);
            }
        }
    }

    fn shape_pass<const P: usize>(&self, poses: Option<&[Pose]>, shape: &mut RodShape) {
        for span in &self.spans {
            self.shape_span::<P>(span, poses, shape, |_, _, _| {});
        }
    }

    /// Fills what the points of one span contribute, and shows the derivatives of each to `visit`.
    #[inline(always)]
    pub(super) fn shape_span<const P: usize>(
        &self,
        span: &Span,
        poses: Option<&[Pose]>,
        shape: &mut RodShape,
        mut visit: impl FnMut(usize, &PointJacobians<P>, &Pose),
    ) {
        let psi: [DualVector; P] = *shape.psi[span.first..].first_chunk().expect("a span has p increments");
        let inverse: [InverseMap; P] = std::array::from_fn(|i| InverseMap::at(psi[i]));
        let plus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].plus());
        let minus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].minus());
        for q in span.points.clone() {
            let basis = &self.points[q].basis;
            let j = kernel::jacobians(&psi, basis, true);
            let point = &mut shape.points[q];
            if let Some(poses) = poses {
                point.pose = poses[span.first] * kernel::relative_pose(&psi, basis);
            }
            point.jacobian[0] = j.transport_first - j.jacobian[0] * minus[0];
            for m in 1..P {
                point.jacobian[m] = j.jacobian[m - 1] * plus[m - 1] - j.jacobian[m] * minus[m];
            }
            point.jacobian[P] = j.jacobian[P - 1] * plus[P - 1];
            let last = P - 1;
            let xi = j.partial_strain[last] + j.transport[last].apply(&psi[last]) * basis.slope[last];
            let e = strain_vector(&(xi - self.points[q].natural));
            for a in 0..P {
                let k = basis.weight * basis.stress_basis[a];
                shape.strain[span.first + a] += e * k;
                let row = &mut shape.in_increments[(span.first + a) * (2 * P - 1) + P - 1 - a..][..P];
                for (entry, d) in row.iter_mut().zip(&j.strain_jacobian) {
                    *entry += *d * k;
                }
            }
            visit(q, &j, &point.pose);
        }
    }

    /// A in poses: A_am = A^Ψ_{a,m−1} T₊ − A^Ψ_{a,m} T₋.
    pub(super) fn couple_with_poses(&self, shape: &mut RodShape) {
        let (n, p) = (self.increments(), self.degree);
        shape.coupling.fill(DualMatrix::zero());
        for k in 0..n {
            let inverse = InverseMap::at(shape.psi[k]);
            let (plus, minus) = (inverse.plus(), inverse.minus());
            for a in (k + 1).saturating_sub(p)..(k + p).min(n) {
                let entry = shape.in_increments[a * (2 * p - 1) + (k + p - 1 - a)];
                let row = &mut shape.coupling[a * 2 * p..][..2 * p];
                row[k + p - a] += entry * plus;
                row[k + p - 1 - a] = row[k + p - 1 - a] - entry * minus;
            }
        }
    }

    /// Shows η of every quadrature point for the velocities of this rod's control poses.
    pub fn velocities_at_points(&self, shape: &RodShape, velocity: &[Twist], mut see: impl FnMut(usize, DualVector)) {
        for span in &self.spans {
            let own = &velocity[span.first..][..self.degree + 1];
            for q in span.points.clone() {
                see(q, velocity_at(&shape.points[q], own));
            }
        }
    }

    /// Rate of the strain moments, ḃ = A v.
    pub fn strain_rate(&self, shape: &RodShape, velocity: &[Twist], rate: &mut [Vector6<f64>]) {
        let p = self.degree;
        for (a, rate) in rate.iter_mut().enumerate() {
            let mut sum = DualVector::zero();
            for m in self.coupled_poses(a) {
                sum += shape.coupling[a * 2 * p + (m + p - 1 - a)].apply(&velocity[m].into());
            }
            *rate = strain_vector(&sum);
        }
    }

    /// Adds Aᵀβ: what stresses exert on the control poses.
    pub fn add_stress_gradient(&self, shape: &RodShape, stress: &[Vector6<f64>], factor: f64, on: &mut [DualVector]) {
        let p = self.degree;
        for (a, beta) in stress.iter().enumerate() {
            let beta = covector(beta) * factor;
            for m in self.coupled_poses(a) {
                on[m] += shape.coupling[a * 2 * p + (m + p - 1 - a)].apply_transpose(&beta);
            }
        }
    }

    /// Adds Σ_q Jᵀ π_q: what covectors at the quadrature points (weight included) exert on the control poses.
    pub fn add_pulled(&self, shape: &RodShape, covector: impl Fn(usize) -> DualVector, on: &mut [DualVector]) {
        for span in &self.spans {
            for q in span.points.clone() {
                let covector = covector(q);
                for (on, j) in on[span.first..][..=self.degree].iter_mut().zip(&shape.points[q].jacobian) {
                    *on += j.apply_transpose(&covector);
                }
            }
        }
    }

    /// Adds the consistent mass Σ w JᵀM_sJ. `block` gives the block of each control pose, `None` where it is held.
    pub fn add_mass(&self, inertia: &RodInertia, shape: &RodShape, block: &[Option<Node>], sink: &mut impl BlockSink) {
        by_degree!(self.degree, mass_pass(inertia, shape, block, sink) on self);
    }

    fn mass_pass<const P: usize>(
        &self,
        inertia: &RodInertia,
        shape: &RodShape,
        block: &[Option<Node>],
        sink: &mut impl BlockSink,
    ) {
        for span in &self.spans {
            let mut sum = [[Matrix6::zeros(); MAX_DEGREE + 1]; MAX_DEGREE + 1];
            for q in span.points.clone() {
                let j = &shape.points[q].jacobian;
                for k in 0..=P {
                    let m_j = inertia.mass[q] * j[k].twist_map();
                    for i in k..=P {
                        add_pulled_matrix(&j[i], &m_j, &mut sum[i][k]);
                    }
                }
            }
            for i in 0..=P {
                for k in 0..=i {
                    if let (Some(row), Some(column)) = (block[span.first + i], block[span.first + k]) {
                        sink.add_symmetric(row, column, &sum[i][k]);
                    }
                }
            }
        }
    }
}

/// η of one point.
#[inline(always)]
pub fn velocity_at(point: &PointShape, velocity: &[Twist]) -> DualVector {
    let mut eta = DualVector::zero();
    for (j, v) in point.jacobian.iter().zip(velocity) {
        eta += j.apply(&(*v).into());
    }
    eta
}

/// sum += Jᵀ X with J a twist map `[[R, 0], [D, R]]`: a quarter of the products vanishes.
#[inline(always)]
pub fn add_pulled_matrix(j: &DualMatrix, x: &Matrix6<f64>, sum: &mut Matrix6<f64>) {
    for c in 0..6 {
        let (a, l) = (x.fixed_view::<3, 1>(0, c), x.fixed_view::<3, 1>(3, c));
        for r in 0..3 {
            let (re, du) = (j.re.column(r), j.du.column(r));
            sum[(r, c)] += re[0] * a[0] + re[1] * a[1] + re[2] * a[2] + du[0] * l[0] + du[1] * l[1] + du[2] * l[2];
            sum[(r + 3, c)] += re[0] * l[0] + re[1] * l[1] + re[2] * l[2];
        }
    }
}
