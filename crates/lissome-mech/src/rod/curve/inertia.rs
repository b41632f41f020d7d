//! Inertia of a rod: Jacobians of its quadrature points in the control poses, momenta and the consistent mass.
//!
//! The velocity of a point is η = Σ_m J_m v_m over the p + 1 control poses of its span, so the kinetic energy is
//! ½ vᵀ M(Q) v with M = Σ_q w JᵀM_sJ, rotary inertia included [xun2025, eqs. (30), (52)].
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | J_m | change of the point's pose with control pose m | `PointShape::jacobian` | | body |
//! | η | velocity of the point | `velocity_at` | rad/s, m/s | body |
//! | w M_s | mass of the section times the quadrature weight | `RodInertia::mass` | kg·m², kg | body |
//! | Θ_a | K⁻¹K_v, the relaxation times of the Kelvin–Voigt material | `RodInertia::relaxation` | s | body |

use super::kernel::{self, PointJacobians};
use super::layout::Span;
use super::{Curve, by_degree};
use crate::index::Node;
use crate::rod::Rod;
use crate::rod::section::SectionAt;
use crate::sink::BlockSink;
use lissome_lie::dual::{DualMatrix, DualVector, InverseMap};
use lissome_lie::knots::MAX_DEGREE;
use lissome_lie::{Pose, Twist};
use nalgebra::Matrix6;

/// What a rod's sections weigh and how they damp; constant while the values of the rod are.
#[derive(Clone, Debug)]
pub struct RodInertia {
    /// w M_s at each quadrature point.
    pub mass: Vec<Matrix6<f64>>,
    /// Θ at the centre of each stress function; empty if the material does not damp, or has no stress functions.
    pub relaxation: Vec<Matrix6<f64>>,
    /// Longest relaxation time, s; zero if the material does not damp.
    pub slowest: f64,
}

impl RodInertia {
    /// Of a rod; on a strain basis the damping is that of the coordinates.
    pub fn of(rod: &Rod) -> Self {
        match rod {
            Rod::StrainBasis(own) => {
                Self { relaxation: Vec::new(), slowest: own.slowest(), mass: Self::new(own.curve()).mass }
            }
            _ => Self::new(rod.curve()),
        }
    }

    /// Of the curve of a rod with stresses.
    pub fn new(curve: &Curve) -> Self {
        let points = curve.layout.points.iter().zip(&curve.values.points);
        let mass = points.map(|(place, values)| values.section.mass * place.basis.weight).collect();
        let knots = curve.knot_vector();
        let centre = |a: usize| 0.5 * (knots.greville(a) + knots.greville(a + 1));
        let relaxation: Vec<Matrix6<f64>> =
            (0..curve.increments()).map(|a| SectionAt::read(&curve.values.profile, centre(a)).relaxation()).collect();
        let damps = relaxation.iter().any(|theta| *theta != Matrix6::zeros());
        let slowest = relaxation.iter().map(|theta| theta.diagonal().amax()).fold(0.0, f64::max);
        Self { mass, relaxation: if damps { relaxation } else { Vec::new() }, slowest }
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

impl Default for PointShape {
    fn default() -> Self {
        Self { pose: Pose::identity(), jacobian: [DualMatrix::zero(); MAX_DEGREE + 1] }
    }
}

/// J of the control poses from the derivatives by the increments, `plus` and `minus` being T₊ and T₋ of the increments.
#[inline(always)]
pub(super) fn pose_jacobians<const P: usize>(
    j: &PointJacobians<P>,
    plus: &[DualMatrix; P],
    minus: &[DualMatrix; P],
    jacobian: &mut [DualMatrix; MAX_DEGREE + 1],
) {
    jacobian[0] = j.transport_first - j.jacobian[0] * minus[0];
    for m in 1..P {
        jacobian[m] = j.jacobian[m - 1] * plus[m - 1] - j.jacobian[m] * minus[m];
    }
    jacobian[P] = j.jacobian[P - 1] * plus[P - 1];
}

impl Curve {
    /// Fills the points of one span, and shows the derivatives of each to `visit`. Without control poses the poses of the
    /// points are there already.
    #[inline(always)]
    pub(in crate::rod) fn shape_span<const P: usize>(
        &self,
        span: &Span,
        psi: &[DualVector],
        poses: Option<&[Pose]>,
        points: &mut [PointShape],
        mut visit: impl FnMut(usize, &PointJacobians<P>, &Pose),
    ) {
        let psi: [DualVector; P] = *psi[span.first..].first_chunk().expect("a span has p increments");
        let inverse: [InverseMap; P] = std::array::from_fn(|i| InverseMap::at(psi[i]));
        let plus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].plus());
        let minus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].minus());
        for q in span.points.clone() {
            let basis = &self.layout.points[q].basis;
            let j = kernel::jacobians(&psi, basis, true);
            let point = &mut points[q];
            if let Some(poses) = poses {
                point.pose = poses[span.first] * kernel::relative_pose(&psi, basis);
            }
            pose_jacobians(&j, &plus, &minus, &mut point.jacobian);
            visit(q, &j, &point.pose);
        }
    }

    /// Shows η of every quadrature point for the velocities of the control poses.
    pub fn velocities_at_points(
        &self,
        points: &[PointShape],
        velocity: &[Twist],
        mut see: impl FnMut(usize, DualVector),
    ) {
        for span in self.layout.spans.iter() {
            let own = &velocity[span.first..][..self.degree() + 1];
            for q in span.points.clone() {
                see(q, velocity_at(&points[q], own));
            }
        }
    }

    /// Adds Σ_q Jᵀ π_q: what covectors at the quadrature points (weight included) exert on the control poses.
    pub fn add_pulled(&self, points: &[PointShape], covector: impl Fn(usize) -> DualVector, on: &mut [DualVector]) {
        for span in self.layout.spans.iter() {
            for q in span.points.clone() {
                let covector = covector(q);
                for (on, j) in on[span.first..][..=self.degree()].iter_mut().zip(&points[q].jacobian) {
                    *on += j.apply_transpose(&covector);
                }
            }
        }
    }

    /// Adds the consistent mass Σ w JᵀM_sJ. `nodes` are those of the control poses, `None` where one is held.
    pub fn add_mass(
        &self,
        inertia: &RodInertia,
        points: &[PointShape],
        nodes: &[Option<Node>],
        sink: &mut dyn BlockSink,
    ) {
        by_degree!(self.degree(), mass_pass(inertia, points, nodes, sink) on self);
    }

    fn mass_pass<const P: usize>(
        &self,
        inertia: &RodInertia,
        points: &[PointShape],
        nodes: &[Option<Node>],
        sink: &mut dyn BlockSink,
    ) {
        for span in self.layout.spans.iter() {
            if self.is_weightless(span) {
                continue;
            }
            // Column by column: all blocks of a span at once would be more memory to empty than to fill.
            for k in 0..=P {
                let mut sum = [Matrix6::zeros(); MAX_DEGREE + 1];
                for q in span.points.clone() {
                    let j = &points[q].jacobian;
                    let m_j = times_map(&inertia.mass[q], &j[k]);
                    for i in k..=P {
                        add_pulled_matrix(&j[i], &m_j, &mut sum[i]);
                    }
                }
                for i in k..=P {
                    if let (Some(row), Some(column)) = (nodes[span.first + i], nodes[span.first + k]) {
                        sink.add_symmetric(row, column, &sum[i]);
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

/// M J with J a twist map `[[R, 0], [D, R]]`.
#[inline(always)]
fn times_map(m: &Matrix6<f64>, j: &DualMatrix) -> Matrix6<f64> {
    let mut out = Matrix6::zeros();
    for c in 0..3 {
        let (re, du) = (j.re.column(c), j.du.column(c));
        for r in 0..6 {
            let turn = m[(r, 0)] * re[0] + m[(r, 1)] * re[1] + m[(r, 2)] * re[2];
            out[(r, c)] = turn + m[(r, 3)] * du[0] + m[(r, 4)] * du[1] + m[(r, 5)] * du[2];
            out[(r, c + 3)] = m[(r, 3)] * re[0] + m[(r, 4)] * re[1] + m[(r, 5)] * re[2];
        }
    }
    out
}

/// sum += Jᵀ X with J a twist map `[[R, 0], [D, R]]`: a quarter of the products vanishes.
#[inline(always)]
pub(super) fn add_pulled_matrix(j: &DualMatrix, x: &Matrix6<f64>, sum: &mut Matrix6<f64>) {
    for c in 0..6 {
        let (a, l) = (x.fixed_view::<3, 1>(0, c), x.fixed_view::<3, 1>(3, c));
        for r in 0..3 {
            let (re, du) = (j.re.column(r), j.du.column(r));
            sum[(r, c)] += re[0] * a[0] + re[1] * a[1] + re[2] * a[2] + du[0] * l[0] + du[1] * l[1] + du[2] * l[2];
            sum[(r + 3, c)] += re[0] * l[0] + re[1] * l[1] + re[2] * l[2];
        }
    }
}
