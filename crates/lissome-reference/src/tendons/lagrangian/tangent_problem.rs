//! The tangent of the inverse problem: the Jacobian of the residual, all columns at once.
//!
//! \[tendon2025, eq. (68)\]: Δζ′ = −ad_ξ Δζ + ΦΔq from the base, ΔΛ′ = ad_ξᵀ ΔΛ + ad_{ΦΔq}ᵀ Λ − ΔF̄ from the tip,
//! ΔR = ∫ Φᵀ ((K + B) ΦΔq − ΔΛ). A dead force f in body axes turns the other way: Δ(Rᵀf) = (Rᵀf)~ Δφ. The paper
//! leaves B = ∂Λ_act/∂ξ out; the root stays the same, the convergence becomes linear.

use super::super::active_stress::halves;
use super::chebyshev::{Collocation, Given};
use super::inverse_problem::{Fields, InverseProblem, ad, dynamic};
use nalgebra::{DMatrix, Matrix6, Vector6};

/// Mx(Λ) with Mx(Λ) x = ad_xᵀ Λ.
fn carried(stress: &Vector6<f64>) -> Matrix6<f64> {
    let (moment, force) = halves(stress);
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&moment.cross_matrix());
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&force.cross_matrix());
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&force.cross_matrix());
    matrix
}

/// ∂R/∂q; `None` if a collocation is singular.
pub(super) fn jacobian(problem: &InverseProblem, fields: &[Fields], with_active: bool) -> Option<DMatrix<f64>> {
    let (count, nodes) = (problem.basis.count, problem.grid.nodes.len());
    let columns = count * problem.spans.len();
    let mut motions: Vec<DMatrix<f64>> = Vec::with_capacity(problem.spans.len());
    let mut motion = DMatrix::zeros(6, columns);
    for (j, (span, fields)) in problem.spans.iter().zip(fields).enumerate() {
        let transports: Vec<_> = fields.strain.iter().map(|xi| dynamic(&-ad(xi))).collect();
        let mut sources = DMatrix::zeros(6 * nodes, columns);
        for (k, phi) in problem.basis.at.iter().enumerate() {
            sources.view_mut((6 * k, j * count), (6, count)).copy_from(phi);
        }
        let forward = Collocation::new(problem.grid, span.to - span.from, Given::AtFirst, &transports);
        let all = forward.solve(&sources, &motion)?;
        motion = all.rows(6 * (nodes - 1), 6).clone_owned();
        motions.push(all);
    }

    let tip = problem.tip_wrench(fields.last()?.turn.last()?);
    let (moment, force) = halves(&tip);
    let mut stress = DMatrix::zeros(6, columns);
    let turn = motion.rows(0, 3).clone_owned();
    stress.rows_mut(0, 3).copy_from(&(moment.cross_matrix() * &turn));
    stress.rows_mut(3, 3).copy_from(&(force.cross_matrix() * &turn));

    let mut jacobian = DMatrix::zeros(columns, columns);
    for (j, (span, fields)) in problem.spans.iter().zip(fields).enumerate().rev() {
        let length = span.to - span.from;
        let transports: Vec<_> = fields.strain.iter().map(|xi| dynamic(&ad(xi).transpose())).collect();
        let mut sources = DMatrix::zeros(6 * nodes, columns);
        for (k, phi) in problem.basis.at.iter().enumerate() {
            let mut own = sources.view_mut((6 * k, j * count), (6, count));
            own += carried(&fields.stress[k]) * phi;
            let load = fields.turn[k].matrix().transpose() * span.line_load;
            let mut forces = sources.rows_mut(6 * k + 3, 3);
            forces -= load.cross_matrix() * motions[j].rows(6 * k, 3);
        }
        let backward = Collocation::new(problem.grid, length, Given::AtLast, &transports);
        let all = backward.solve(&sources, &stress)?;
        stress = all.rows(0, 6).clone_owned();
        let mut rows = jacobian.rows_mut(j * count, count);
        for (k, phi) in problem.basis.at.iter().enumerate() {
            let weight = problem.grid.weights[k] * length;
            let mut stiffness = Matrix6::from_diagonal(&span.segment.stiffness);
            if with_active {
                stiffness += fields.active_tangent[k];
            }
            rows -= phi.tr_mul(&all.rows(6 * k, 6)) * weight;
            let mut own = rows.columns_mut(j * count, count);
            own += phi.tr_mul(&(stiffness * phi)) * weight;
        }
    }
    Some(jacobian)
}
