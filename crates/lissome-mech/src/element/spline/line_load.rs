//! Wrenches per length along a spline rod, with their exact tangent.
//!
//! In the variables (z_0, Ψ_1 … Ψ_p) of a span, z_0 its first pose, a body wrench F with ∂F/∂ζ = L gives
//!
//! ```text
//! r_i = J_iᵀ F        ∂r_i/∂k = J_iᵀ L J_k             k ≤ i
//!                             = J_iᵀ (L − Mx(F)) J_k   k > i      + b_i² S(x_i, C_iᵀ F) on k = i ≥ 1
//! ```
//!
//! and the map to poses is that of `pose_map`, not symmetrised; subtracting ½Mx(r) from the diagonal leaves the
//! tangent in exponential coordinates.

use super::by_degree;
use super::kernel;
use super::pose_map::RodBlocks;
use super::rod::SplineRod;
use crate::inputs::Input;
use crate::load::{LoadTangent, SectionLoad};
use crate::sink::BlockSink;
use lissome_lie::Pose;
use lissome_lie::dual::{DualVector, InverseMap};
use nalgebra::Matrix6;

/// A load along a rod, at its quadrature points: weight included.
#[derive(Clone, Debug)]
pub struct LineLoads {
    /// Which input scales it.
    pub scaled_by: Input,
    /// One per quadrature point.
    pub at_points: Vec<SectionLoad>,
}

impl SplineRod {
    /// Adds the loads on the poses, and −∂W to the tangent. `loads` are those of the points, or none.
    #[allow(clippy::too_many_arguments)]
    pub fn add_line_loads(
        &self,
        loads: &[SectionLoad],
        poses: &[Pose],
        psi: &[DualVector],
        pose_loads: &mut [DualVector],
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        if loads.is_empty() {
            return;
        }
        by_degree!(self.degree, line_load_pass(loads, poses, psi, pose_loads, blocks, sink) on self);
    }

    #[allow(clippy::too_many_arguments)]
    fn line_load_pass<const P: usize>(
        &self,
        loads: &[SectionLoad],
        poses: &[Pose],
        psi: &[DualVector],
        pose_loads: &mut [DualVector],
        blocks: &RodBlocks<'_>,
        sink: &mut impl BlockSink,
    ) {
        // Local variable 0 is z_0, 1 … p are the increments.
        const MAX: usize = 6;
        for span in &self.spans {
            let psi: &[DualVector; P] = psi[span.first..].first_chunk().expect("a span has p increments");
            let first_pose = &poses[span.first];
            let mut r = [DualVector::zero(); MAX];
            let mut k = [[Matrix6::zeros(); MAX]; MAX];
            for q in span.points.clone() {
                let basis = &self.points[q].basis;
                let j = kernel::jacobians(psi, basis, true);
                let rotation = first_pose.rotation * kernel::relative_pose(psi, basis).rotation;
                let load = loads[q].evaluate(&rotation, 1.0);
                let f: DualVector = load.wrench.into();
                r[0] += j.transport_first.apply_transpose(&f);
                for i in 0..P {
                    r[i + 1] += j.jacobian[i].apply_transpose(&f);
                }
                add_local_tangent(&mut k, basis, &j, &load, &f);
            }
            map_to_poses(span.first, psi, &r, &k, pose_loads, blocks, sink);
        }
    }
}

fn add_local_tangent<const P: usize>(
    k: &mut [[Matrix6<f64>; 6]; 6],
    basis: &kernel::PointBasis,
    j: &kernel::PointJacobians<P>,
    load: &LoadTangent,
    f: &DualVector,
) {
    let mx = f.skew().covector_map();
    let jacobian = |i: usize| if i == 0 { j.transport_first.twist_map() } else { j.jacobian[i - 1].twist_map() };
    let beyond = load.tangent - mx;
    for c in 0..=P {
        let j_c = jacobian(c);
        let (below, above) = (load.tangent * j_c, beyond * j_c);
        for i in 0..=P {
            k[i][c] += jacobian(i).tr_mul(if c <= i { &below } else { &above });
        }
    }
    for i in 0..P {
        let nu = j.transport[i].apply_transpose(f);
        let b = basis.value[i];
        k[i + 1][i + 1] += j.maps[i].dexp_transpose_derivative(&nu).covector_map() * (b * b);
    }
}

#[allow(clippy::too_many_arguments)]
fn map_to_poses<const P: usize>(
    first: usize,
    psi: &[DualVector; P],
    r: &[DualVector; 6],
    k: &[[Matrix6<f64>; 6]; 6],
    pose_loads: &mut [DualVector],
    blocks: &RodBlocks<'_>,
    sink: &mut impl BlockSink,
) {
    let inverse: [InverseMap; P] = std::array::from_fn(|i| InverseMap::at(psi[i]));
    let mut on_pose = [DualVector::zero(); 6];
    on_pose[0] = r[0];
    for i in 0..P {
        on_pose[i + 1] += inverse[i].plus().apply_transpose(&r[i + 1]);
        on_pose[i] = on_pose[i] - inverse[i].minus().apply_transpose(&r[i + 1]);
    }
    for (m, load) in on_pose.iter().enumerate().take(P + 1) {
        pose_loads[first + m] += *load;
    }
    // T: row 0 is z_0 itself, row i + 1 is T₊ on pose i + 1 and −T₋ on pose i.
    let mut t = [[Matrix6::zeros(); 6]; 6];
    t[0][0] = Matrix6::identity();
    for i in 0..P {
        t[i + 1][i + 1] = inverse[i].plus().twist_map();
        t[i + 1][i] = -inverse[i].minus().twist_map();
    }
    let mut kt = [[Matrix6::zeros(); 6]; 6];
    for i in 0..=P {
        for m in 0..=P {
            for c in m..=(m + 1).min(P) {
                kt[i][m] += k[i][c] * t[c][m];
            }
        }
    }
    for l in 0..=P {
        for m in 0..=P {
            let (Some(row), Some(column)) = (blocks.pose[first + l], blocks.pose[first + m]) else { continue };
            let mut block = Matrix6::zeros();
            for i in l..=(l + 1).min(P) {
                block += t[i][l].tr_mul(&kt[i][m]);
            }
            if l == m {
                block -= on_pose[l].skew().covector_map() * 0.5;
            }
            sink.add_general(row, column, &-block);
        }
    }
    for i in 0..P {
        let (n_plus, n_minus) = inverse[i].derivatives(&r[i + 1]);
        let (plus, minus) = (inverse[i].plus(), inverse[i].minus());
        let (far, near) = (blocks.pose[first + i + 1], blocks.pose[first + i]);
        if let Some(far) = far {
            sink.add_general(far, far, &-(n_plus * plus).covector_map());
        }
        if let Some(near) = near {
            sink.add_general(near, near, &-(n_minus * minus).covector_map());
        }
        if let (Some(far), Some(near)) = (far, near) {
            sink.add_general(far, near, &(n_plus * minus).covector_map());
            sink.add_general(near, far, &(n_minus * plus).covector_map());
        }
    }
}
