//! How a wrench on a point acts on the control poses of its span, and how that changes.
//!
//! In the variables (z_0, Ψ_1 … Ψ_p) of a span, z_0 its first pose, a body wrench F with ∂F/∂ζ = L gives
//!
//! ```text
//! r_i = J_iᵀ F        ∂r_i/∂k = J_iᵀ L J_k             k ≤ i
//!                             = J_iᵀ (L − Mx(F)) J_k   k > i      + b_i² S(x_i, C_iᵀ F) on k = i ≥ 1
//! ```
//!
//! and the map to poses is that of `pose_map`, not symmetrised; subtracting ½Mx(r) from the diagonal leaves the
//! tangent in exponential coordinates. A covector F on ζ = log(g⁻¹ g(z)) itself, for the second-order term F·∂²ζ, is the
//! case L = ½Mx(F), which makes all of it symmetric.

use super::kernel::{PointBasis, PointJacobians};
use lissome_lie::dual::{DualMatrix, DualVector, ExpMap, InverseMap};
use lissome_lie::knots::MAX_DEGREE;
use nalgebra::{Matrix3, Matrix6};

/// Control poses of a span at most.
pub const MAX_POSES: usize = MAX_DEGREE + 1;

/// Wrenches on points of one span, summed in its own variables: index 0 is z_0, 1 … p are the increments.
pub struct SpanWrench<const P: usize> {
    r: [DualVector; MAX_POSES],
}

/// The same with how they change.
pub struct SpanLoad<const P: usize> {
    wrench: SpanWrench<P>,
    k: [[Matrix6<f64>; MAX_POSES]; MAX_POSES],
}

/// A map of twists to covectors by its 3×3 blocks; what vanishes is left out. Few are left of the tangent of a load, which
/// depends on the rotation alone, and each Jacobian is [[A, 0], [B, A]].
#[derive(Clone, Copy, Default)]
struct Blocks([[Option<Matrix3<f64>>; 2]; 2]);

impl Blocks {
    fn of(matrix: &Matrix6<f64>) -> Self {
        let block = |r: usize, c: usize| {
            let block: Matrix3<f64> = matrix.fixed_view::<3, 3>(3 * r, 3 * c).into();
            block.iter().any(|x| *x != 0.0).then_some(block)
        };
        Self([[block(0, 0), block(0, 1)], [block(1, 0), block(1, 1)]])
    }

    /// M J.
    fn times(&self, j: &DualMatrix) -> Self {
        let row = |row: &[Option<Matrix3<f64>>; 2]| match *row {
            [first, None] => [first.map(|first| first * j.re), None],
            [None, Some(second)] => [Some(second * j.du), Some(second * j.re)],
            [Some(first), Some(second)] => [Some(first * j.re + second * j.du), Some(second * j.re)],
        };
        Self([row(&self.0[0]), row(&self.0[1])])
    }

    /// Adds Jᵀ M.
    fn add_pulled_back(&self, j: &DualMatrix, to: &mut Matrix6<f64>) {
        let (re, du) = (j.re.transpose(), j.du.transpose());
        for c in 0..2 {
            if let Some(first) = &self.0[0][c] {
                add_product(&re, first, (0, 3 * c), to);
            }
            if let Some(second) = &self.0[1][c] {
                add_product(&du, second, (0, 3 * c), to);
                add_product(&re, second, (3, 3 * c), to);
            }
        }
    }
}

/// The maps between the increments of a span and its control poses.
pub fn inverse_maps<const P: usize>(psi: &[DualVector; P]) -> [InverseMap; P] {
    psi.map(InverseMap::at)
}

/// Adds a product to the block of a matrix that begins at (row, column).
#[inline(always)]
fn add_product(a: &Matrix3<f64>, b: &Matrix3<f64>, (row, column): (usize, usize), to: &mut Matrix6<f64>) {
    for c in 0..3 {
        for r in 0..3 {
            to[(row + r, column + c)] += a[(r, 0)] * b[(0, c)] + a[(r, 1)] * b[(1, c)] + a[(r, 2)] * b[(2, c)];
        }
    }
}

impl<const P: usize> SpanWrench<P> {
    /// Nothing summed yet.
    pub fn zero() -> Self {
        Self { r: [DualVector::zero(); MAX_POSES] }
    }

    /// Adds a wrench on one point. The Jacobians must include those of the first pose.
    pub fn add(&mut self, j: &PointJacobians<P>, wrench: &DualVector) {
        self.r[0] += j.transport_first.apply_transpose(wrench);
        for i in 0..P {
            self.r[i + 1] += j.jacobian[i].apply_transpose(wrench);
        }
    }

    /// The same without Jacobians: the wrench is carried from increment to increment.
    pub fn add_alone(&mut self, psi: &[DualVector; P], at: &PointBasis, wrench: DualVector) {
        let mut carried = wrench;
        for i in (0..P).rev() {
            let map = ExpMap::at(psi[i] * at.value[i]);
            self.r[i + 1] += map.dexp_transpose_apply(&carried) * at.value[i];
            carried = map.transport_transpose(&carried);
        }
        self.r[0] += carried;
    }

    /// What acts on the p + 1 control poses.
    pub fn on_poses(&self, inverse: &[InverseMap; P]) -> [DualVector; MAX_POSES] {
        let mut on_pose = [DualVector::zero(); MAX_POSES];
        on_pose[0] = self.r[0];
        for i in 0..P {
            on_pose[i + 1] += inverse[i].plus().apply_transpose(&self.r[i + 1]);
            on_pose[i] = on_pose[i] - inverse[i].minus().apply_transpose(&self.r[i + 1]);
        }
        on_pose
    }
}

impl<const P: usize> SpanLoad<P> {
    /// Nothing summed yet.
    pub fn zero() -> Self {
        Self { wrench: SpanWrench::zero(), k: [[Matrix6::zeros(); MAX_POSES]; MAX_POSES] }
    }

    /// Adds a wrench on one point, with L. The Jacobians must include those of the first pose.
    pub fn add(&mut self, basis: &PointBasis, j: &PointJacobians<P>, wrench: &DualVector, tangent: &Matrix6<f64>) {
        self.wrench.add(j, wrench);
        let jacobian = |i: usize| if i == 0 { &j.transport_first } else { &j.jacobian[i - 1] };
        let (within, beyond) = (Blocks::of(tangent), Blocks::of(&(tangent - wrench.skew().covector_map())));
        for c in 0..=P {
            let (below, above) = (within.times(jacobian(c)), beyond.times(jacobian(c)));
            for i in 0..=P {
                let block = if c <= i { &below } else { &above };
                block.add_pulled_back(jacobian(i), &mut self.k[i][c]);
            }
        }
        for i in 0..P {
            let nu = j.transport[i].apply_transpose(wrench);
            let b = basis.value[i];
            self.k[i + 1][i + 1] += j.maps[i].dexp_transpose_derivative(&nu).covector_map() * (b * b);
        }
    }

    /// What acts on the p + 1 control poses.
    pub fn on_poses(&self, inverse: &[InverseMap; P]) -> [DualVector; MAX_POSES] {
        self.wrench.on_poses(inverse)
    }

    /// Every block (l, m) of the tangent of `on_poses` in exponential coordinates.
    pub fn visit_tangent(&self, inverse: &[InverseMap; P], visit: &mut dyn FnMut(usize, usize, &Matrix6<f64>)) {
        let on_pose = self.on_poses(inverse);
        // T: variable 0 is z_0 itself, variable i + 1 is T₊ on pose i + 1 and −T₋ on pose i.
        let plus: [Matrix6<f64>; P] = std::array::from_fn(|i| inverse[i].plus().twist_map());
        let minus: [Matrix6<f64>; P] = std::array::from_fn(|i| inverse[i].minus().twist_map());
        let mut kt = [[Matrix6::zeros(); MAX_POSES]; MAX_POSES];
        for i in 0..=P {
            for m in 0..=P {
                kt[i][m] = if m == 0 { self.k[i][0] } else { self.k[i][m] * plus[m - 1] };
                if m < P {
                    kt[i][m] -= self.k[i][m + 1] * minus[m];
                }
            }
        }
        // Σ r_i·∂²Ψ_i couples the two ends of each increment.
        let bends: [_; P] = std::array::from_fn(|i| inverse[i].derivatives(&self.wrench.r[i + 1]));
        for l in 0..=P {
            for m in 0..=P {
                let mut block = if l == 0 { kt[0][m] } else { plus[l - 1].tr_mul(&kt[l][m]) };
                if l < P {
                    block -= minus[l].tr_mul(&kt[l + 1][m]);
                }
                if l == m {
                    block -= on_pose[l].skew().covector_map() * 0.5;
                }
                if l > 0 && (m == l || m + 1 == l) {
                    let end = if m == l { inverse[l - 1].plus() } else { inverse[l - 1].minus() * -1.0 };
                    block += (bends[l - 1].0 * end).covector_map();
                }
                if l < P && (m == l || m == l + 1) {
                    let end = if m == l { inverse[l].minus() } else { inverse[l].plus() * -1.0 };
                    block += (bends[l].1 * end).covector_map();
                }
                visit(l, m, &block);
            }
        }
    }
}
