//! Any point of a rod: its pose, its Jacobian and its second-order term in the control poses.
//!
//! The point lies on the curve through the control poses: the one that carries inertia and line loads. For a mixed rod it
//! differs from the sampled field, which integrates the assumed strain, by the error of the discretisation; for a rod of
//! linear-strain elements it is the chain of degree one through the poses, on which mass and line loads of these rods lie.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | g(s) | pose of the point | `PointAt::pose` | –, m | world_from_body |
//! | ζ | motion of the point, g(s) ← g(s) exp(ζ) | | rad, m | body |
//! | z_m | motion of control pose m, g_m ← g_m exp(z_m) | | rad, m | body of g_m |
//! | J_m | ∂ζ/∂z_m | [`PointMotion::jacobian`] | | body |
//! | F·∂²ζ | second derivatives of F·ζ by z_l, z_m | [`PointAt::second_order`] | | |
//! | ξ, D_m | strain of the curve there, ∂ξ/∂z_m | [`PointAt::strain`], [`PointAt::strain_jacobian`] | 1/m, – | body |

use super::inertia::pose_jacobians;
use super::kernel::{self, PointBasis, cross_columns};
use super::point_tangent::{MAX_POSES, inverse_maps};
use super::{Curve, by_degree};
use lissome_lie::dual::{DualMatrix, DualVector, ExpMap, InverseMap};
use lissome_lie::knots::MAX_DEGREE;
use lissome_lie::{Pose, Strain, Twist, Wrench};
use nalgebra::{Matrix3x6, Matrix6};

/// A point of a rod and how it follows the control poses of its span.
#[derive(Clone, Copy, Debug)]
pub struct PointAt {
    /// Arc length, m.
    pub s: f64,
    /// World pose of the section.
    pub pose: Pose,
    first: usize,
    degree: usize,
    basis: PointBasis,
    psi: [DualVector; MAX_DEGREE],
}

/// J of a point over the control poses of its span.
#[derive(Clone, Debug)]
pub struct PointMotion {
    jacobian: [DualMatrix; MAX_POSES],
}

/// Symmetric blocks F·∂²ζ/∂z_l∂z_m over the control poses of a span.
#[derive(Clone, Debug)]
pub struct SecondOrder {
    /// Row by row of the lower half.
    blocks: [DualMatrix; MAX_POSES * (MAX_POSES + 1) / 2],
}

impl SecondOrder {
    /// The block of the span's poses l and m, both from 0 to p.
    pub fn block(&self, l: usize, m: usize) -> Matrix6<f64> {
        match m <= l {
            true => self.blocks[l * (l + 1) / 2 + m].covector_map(),
            false => self.blocks[m * (m + 1) / 2 + l].transpose().covector_map(),
        }
    }
}

impl Curve {
    /// The point at arc length s of the curve through these control poses.
    pub fn point_at(&self, s: f64, poses: &[Pose]) -> PointAt {
        let (span, basis) = self.basis_of(s);
        self.point_with((span, &basis), s, poses)
    }

    /// The same where the knot span and the basis functions are known.
    pub(crate) fn point_with(&self, (span, basis): (usize, &PointBasis), s: f64, poses: &[Pose]) -> PointAt {
        let first = span - self.degree();
        let mut psi = [DualVector::zero(); MAX_DEGREE];
        for (psi, pair) in psi.iter_mut().zip(poses[first..=first + self.degree()].windows(2)) {
            *psi = pair[1].boxminus(&pair[0]).into();
        }
        let mut point = PointAt { s, pose: poses[first], first, degree: self.degree(), basis: *basis, psi };
        by_degree!(point.degree, place() on point);
        point
    }
}

impl PointAt {
    fn place<const P: usize>(&mut self) {
        let psi: &[DualVector; P] = self.psi.first_chunk().expect("the degree is within its bound");
        self.pose = self.pose * kernel::relative_pose(psi, &self.basis);
    }

    fn strain_here<const P: usize>(&self) -> DualVector {
        kernel::strain::<P>(self.psi.first_chunk().expect("the degree is within its bound"), &self.basis)
    }

    /// Strain of the curve through the control poses.
    pub fn strain(&self) -> Strain {
        let strain = by_degree!(self.degree, strain_here() on self);
        Strain::new(strain.re, strain.du)
    }

    fn fill_motion<const P: usize>(&self, out: &mut [DualMatrix; MAX_POSES]) {
        let psi: &[DualVector; P] = self.psi.first_chunk().expect("the degree is within its bound");
        let inverse: [InverseMap; P] = std::array::from_fn(|i| InverseMap::at(psi[i]));
        let plus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].plus());
        let minus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].minus());
        pose_jacobians(&kernel::jacobians(psi, &self.basis, true), &plus, &minus, out);
    }

    /// How it follows the control poses of its span.
    pub fn motion(&self) -> PointMotion {
        let mut motion = PointMotion { jacobian: [DualMatrix::zero(); MAX_POSES] };
        by_degree!(self.degree, fill_motion(&mut motion.jacobian) on self);
        motion
    }

    /// Shows A J_m of three rows A by ζ for each control pose of the span, m from p to 0: to pull three covectors back costs less
    /// than J.
    pub fn visit_rows(&self, rows: &Matrix3x6<f64>, visit: &mut dyn FnMut(usize, &Matrix3x6<f64>)) {
        by_degree!(self.degree, pull_rows(rows, visit) on self);
    }

    fn pull_rows<const P: usize>(&self, rows: &Matrix3x6<f64>, visit: &mut dyn FnMut(usize, &Matrix3x6<f64>)) {
        let psi: &[DualVector; P] = self.psi.first_chunk().expect("the degree is within its bound");
        let part = |first: usize| rows.fixed_columns::<3>(first).into_owned();
        // Rows are covectors, with the force in the real part: they are carried from the point back to its first pose.
        let mut mu = DualMatrix { re: part(3), du: part(0) };
        let mut out = Matrix3x6::zeros();
        let mut show = |m: usize, covectors: &DualMatrix| {
            out.fixed_columns_mut::<3>(0).copy_from(&covectors.du);
            out.fixed_columns_mut::<3>(3).copy_from(&covectors.re);
            visit(m, &out);
        };
        // What the increment beyond a pose takes from it.
        let mut taken = DualMatrix::zero();
        for i in (0..P).rev() {
            let (map, inverse) = (ExpMap::at(psi[i] * self.basis.value[i]), InverseMap::at(psi[i]));
            let on_increment = mu * map.dexp() * self.basis.value[i];
            show(i + 1, &(on_increment * inverse.plus() - taken));
            taken = on_increment * inverse.minus();
            mu = mu * map.ad_exp_neg();
        }
        show(0, &(mu - taken));
    }

    fn fill_strain_jacobian<const P: usize>(&self, out: &mut [DualMatrix; MAX_POSES]) {
        let psi: &[DualVector; P] = self.psi.first_chunk().expect("the degree is within its bound");
        let inverse: [InverseMap; P] = std::array::from_fn(|i| InverseMap::at(psi[i]));
        let d = kernel::jacobians(psi, &self.basis, true).strain_jacobian;
        out[0] = d[0] * inverse[0].minus() * -1.0;
        for m in 1..P {
            out[m] = d[m - 1] * inverse[m - 1].plus() - d[m] * inverse[m].minus();
        }
        out[P] = d[P - 1] * inverse[P - 1].plus();
    }

    /// Indices of the control poses that the point follows.
    pub fn poses(&self) -> std::ops::RangeInclusive<usize> {
        self.first..=self.first + self.degree
    }

    /// D of the span's control poses; computed when asked for, since few ask.
    pub fn strain_jacobian(&self) -> [Matrix6<f64>; MAX_POSES] {
        let mut out = [DualMatrix::zero(); MAX_POSES];
        by_degree!(self.degree, fill_strain_jacobian(&mut out) on self);
        out.map(|d| d.twist_map())
    }

    /// ζ̇ for the velocities of all control poses of the rod.
    pub fn velocity(&self, velocity: &[Twist]) -> Twist {
        let motion = self.motion();
        let own = motion.jacobian.iter().zip(&velocity[self.poses()]);
        own.fold(DualVector::zero(), |sum, (j, v)| sum + j.apply(&(*v).into())).twist()
    }

    /// F·∂²ζ in exponential coordinates of the control poses, for a body wrench F on the point.
    pub fn second_order(&self, wrench: &Wrench) -> SecondOrder {
        let mut out = SecondOrder { blocks: [DualMatrix::zero(); MAX_POSES * (MAX_POSES + 1) / 2] };
        by_degree!(self.degree, fill_second_order(&(*wrench).into(), &mut out) on self);
        out
    }

    /// TᵀHT + Σ r_i·∂²Ψ_i, with H that of `step_tangent` over the motion of the first pose and the increments, and r what the
    /// wrench exerts on these. What of a block on the diagonal is not symmetric is the bracket term that exponential coordinates do
    /// without.
    fn fill_second_order<const P: usize>(&self, wrench: &DualVector, out: &mut SecondOrder) {
        let psi: &[DualVector; P] = self.psi.first_chunk().expect("the degree is within its bound");
        let j = kernel::jacobians(psi, &self.basis, true);
        let inverse = inverse_maps(psi);
        let plus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].plus());
        let minus: [DualMatrix; P] = std::array::from_fn(|i| inverse[i].minus());
        // Row i of H: with the first pose, then with increments up to i.
        let mut with_first = [DualMatrix::zero(); P];
        let mut within = [[DualMatrix::zero(); P]; P];
        for i in 0..P {
            let f = cross_columns(wrench, &j.jacobian[i]) * -0.5;
            with_first[i] = f.transpose_mul(&j.transport_first);
            (0..i).for_each(|k| within[i][k] = f.transpose_mul(&j.jacobian[k]));
            let (scalar, vector) = j.maps[i].symmetric_curvature(&j.transport[i].apply_transpose(wrench));
            let b = self.basis.value[i];
            within[i][i] =
                DualMatrix::diagonal(scalar * (b * b)) + (vector * (b * b * b)).outer(&psi[i]).symmetric_part();
        }
        let h = |i: usize, k: usize| if k <= i { within[i][k] } else { within[k][i].transpose() };
        // (n₊, n₋) of the increments.
        let bends: [_; P] = std::array::from_fn(|i| inverse[i].derivatives(&j.jacobian[i].apply_transpose(wrench)));
        for l in 0..=P {
            // Row l of TᵀH: with the first pose, then with the increments.
            let first = match l {
                0 => DualMatrix::zero(),
                _ => plus[l - 1].transpose_mul(&with_first[l - 1]),
            };
            let first = if l < P { first - minus[l].transpose_mul(&with_first[l]) } else { first };
            let mut row = [DualMatrix::zero(); P];
            for k in 0..P.min(l + 1) {
                let mut sum = if l == 0 { with_first[k].transpose() } else { DualMatrix::zero() };
                if l > 0 {
                    sum += plus[l - 1].transpose_mul(&h(l - 1, k));
                }
                if l < P {
                    sum = sum - minus[l].transpose_mul(&h(l, k));
                }
                row[k] = sum;
            }
            for m in 0..=l {
                let mut block = if m == 0 { first } else { row[m - 1] * plus[m - 1] };
                if m < P {
                    block = block - row[m] * minus[m];
                }
                if m + 1 == l {
                    block = block - bends[m].0 * minus[m];
                }
                if m == l {
                    if l > 0 {
                        block += bends[l - 1].0 * plus[l - 1];
                    }
                    if l < P {
                        block += bends[l].1 * minus[l];
                    }
                    block = block.symmetric_part();
                }
                out.blocks[l * (l + 1) / 2 + m] = block;
            }
        }
    }
}

impl PointMotion {
    /// J of the span's control pose m, from 0 to p.
    pub fn jacobian(&self, m: usize) -> Matrix6<f64> {
        self.jacobian[m].twist_map()
    }

    /// J_mᵀ B, without the zeros of J_m.
    pub fn pulled_rows(&self, b: &Matrix6<f64>, m: usize) -> Matrix6<f64> {
        let j = &self.jacobian[m];
        let (turn, shift) = (b.fixed_rows::<3>(0), b.fixed_rows::<3>(3));
        let mut out = Matrix6::zeros();
        out.fixed_rows_mut::<3>(0).copy_from(&(j.re.tr_mul(&turn) + j.du.tr_mul(&shift)));
        out.fixed_rows_mut::<3>(3).copy_from(&j.re.tr_mul(&shift));
        out
    }

    /// A J_m of any six rows A, without the zeros of J_m.
    pub fn columns(&self, rows: &Matrix6<f64>, m: usize) -> Matrix6<f64> {
        let j = &self.jacobian[m];
        let (turn, shift) = (rows.fixed_columns::<3>(0), rows.fixed_columns::<3>(3));
        let mut out = Matrix6::zeros();
        out.fixed_columns_mut::<3>(0).copy_from(&(turn * j.re + shift * j.du));
        out.fixed_columns_mut::<3>(3).copy_from(&(shift * j.re));
        out
    }

    /// J_mᵀF: what a body wrench on the point exerts on the span's control pose m.
    pub fn pulled(&self, m: usize, wrench: &Wrench) -> Wrench {
        self.jacobian[m].apply_transpose(&(*wrench).into()).wrench()
    }
}
