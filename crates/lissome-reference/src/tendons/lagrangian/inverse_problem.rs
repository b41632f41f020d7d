//! The inverse kineto-static problem: poses, stress and residual of given strain coordinates.
//!
//! \[tendon2025, eq. (67)\]: g′ = g ξ^ from the base, Λ′ = ad_ξᵀ Λ − F̄ from the tip, and the residual
//! R = ∫ Φᵀ (K e + Λ_act − Λ). The paper collects R in y with y(l) = 0 and y′ = Φᵀ(…); that makes y(0) = −R, not R
//! as printed. All equations are linear in their fields, so that each is one collocation.

use super::super::active_stress::{active_stress, halves, joined};
use super::super::description::TendonRod;
use super::super::span::Span;
use super::basis::StrainBasis;
use super::chebyshev::{Collocation, Given, Grid};
use crate::quaternion::Quaternion;
use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};

/// Fields of one segment at its nodes.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub elastic: Vec<Vector6<f64>>,
    pub strain: Vec<Vector6<f64>>,
    pub turn: Vec<Quaternion>,
    pub position: Vec<Vector3<f64>>,
    /// Λ: the stress that balances the loads beyond, body axes.
    pub stress: Vec<Vector6<f64>>,
    /// K e + Λ_act − Λ.
    pub misfit: Vec<Vector6<f64>>,
    /// ∂Λ_act/∂ξ.
    pub active_tangent: Vec<Matrix6<f64>>,
}

/// The inverse problem of a rod under a load factor.
pub(super) struct InverseProblem<'a> {
    pub rod: &'a TendonRod,
    pub spans: Vec<Span<'a>>,
    pub grid: &'a Grid,
    pub basis: &'a StrainBasis,
    pub load_factor: f64,
}

/// ad_ξ, 6 × 6.
pub(super) fn ad(strain: &Vector6<f64>) -> Matrix6<f64> {
    let (curvature, stretch) = halves(strain);
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&curvature.cross_matrix());
    matrix.fixed_view_mut::<3, 3>(3, 0).copy_from(&stretch.cross_matrix());
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&curvature.cross_matrix());
    matrix
}

/// A 6 × 6 with dynamic size, for collocations.
pub(super) fn dynamic(matrix: &Matrix6<f64>) -> DMatrix<f64> {
    DMatrix::from_column_slice(6, 6, matrix.as_slice())
}

/// q′ = ½ q (0, κ) as a matrix that acts on (w, v).
fn turning(curvature: &Vector3<f64>) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(4, 4);
    for k in 0..4 {
        let mut unit = nalgebra::Vector4::zeros();
        unit[k] = 1.0;
        matrix.set_column(k, &Quaternion::from_vector(&unit).rate(curvature).to_vector());
    }
    matrix
}

impl InverseProblem<'_> {
    /// The wrench on the tip in its body axes.
    pub fn tip_wrench(&self, turn: &Quaternion) -> Vector6<f64> {
        let body_from_world = turn.matrix().transpose() * self.load_factor;
        joined(&(body_from_world * self.rod.tip_load.moment), &(body_from_world * self.rod.tip_load.force))
    }

    /// Fields of all segments; `None` if a collocation is singular.
    pub fn fields(&self, q: &DVector<f64>) -> Option<Vec<Fields>> {
        let mut turn = Quaternion::from_rotation(&self.rod.base.rotation);
        let mut position = self.rod.base.position;
        let mut all = Vec::with_capacity(self.spans.len());
        for (j, span) in self.spans.iter().enumerate() {
            let coordinates = &q.as_slice()[j * self.basis.count..(j + 1) * self.basis.count];
            let fields = self.forward(span, coordinates, turn, position)?;
            turn = *fields.turn.last()?;
            position = *fields.position.last()?;
            all.push(fields);
        }
        let mut wrench = self.tip_wrench(&turn);
        for (span, fields) in self.spans.iter().zip(&mut all).rev() {
            self.backward(span, fields, &wrench)?;
            wrench = fields.stress[0];
        }
        Some(all)
    }

    fn forward(&self, span: &Span, q: &[f64], turn: Quaternion, position: Vector3<f64>) -> Option<Fields> {
        let (nodes, length) = (self.grid.nodes.len(), span.to - span.from);
        let elastic: Vec<_> = (0..nodes).map(|k| self.basis.strain(k, q)).collect();
        let strain: Vec<_> = elastic.iter().map(|e| span.segment.natural + e).collect();
        let rates: Vec<_> = strain.iter().map(|xi| turning(&halves(xi).0)).collect();
        let start = DMatrix::from_column_slice(4, 1, turn.to_vector().as_slice());
        let turns = Collocation::new(self.grid, length, Given::AtFirst, &rates);
        let turns = turns.solve(&DMatrix::zeros(4 * nodes, 1), &start)?;
        let turn: Vec<_> =
            (0..nodes).map(|k| Quaternion::from_vector(&turns.fixed_view::<4, 1>(4 * k, 0).into())).collect();

        let mut velocity = DMatrix::zeros(3 * nodes, 1);
        for k in 0..nodes {
            velocity.fixed_view_mut::<3, 1>(3 * k, 0).copy_from(&(turn[k].matrix() * halves(&strain[k]).1));
        }
        let start = DMatrix::from_column_slice(3, 1, position.as_slice());
        let still = vec![DMatrix::zeros(3, 3); nodes];
        let places = Collocation::new(self.grid, length, Given::AtFirst, &still).solve(&velocity, &start)?;
        let position = (0..nodes).map(|k| places.fixed_view::<3, 1>(3 * k, 0).into()).collect();
        let (stress, misfit, active_tangent) = (Vec::new(), Vec::new(), Vec::new());
        Some(Fields { elastic, strain, turn, position, stress, misfit, active_tangent })
    }

    fn backward(&self, span: &Span, fields: &mut Fields, wrench: &Vector6<f64>) -> Option<()> {
        let (nodes, length) = (self.grid.nodes.len(), span.to - span.from);
        let transports: Vec<_> = fields.strain.iter().map(|xi| dynamic(&ad(xi).transpose())).collect();
        let mut sources = DMatrix::zeros(6 * nodes, 1);
        for k in 0..nodes {
            let load = fields.turn[k].matrix().transpose() * span.line_load;
            sources.fixed_view_mut::<3, 1>(6 * k + 3, 0).copy_from(&-load);
        }
        let start = DMatrix::from_column_slice(6, 1, wrench.as_slice());
        let stress = Collocation::new(self.grid, length, Given::AtLast, &transports).solve(&sources, &start)?;
        for k in 0..nodes {
            let total: Vector6<f64> = stress.fixed_view::<6, 1>(6 * k, 0).into();
            let (active, tangent) = active_stress(span, self.place(span, k), &fields.strain[k]);
            fields.stress.push(total);
            fields.misfit.push(span.segment.stiffness.component_mul(&fields.elastic[k]) + active - total);
            fields.active_tangent.push(tangent);
        }
        Some(())
    }

    /// Arc length of a node.
    pub fn place(&self, span: &Span, node: usize) -> f64 {
        span.from + (span.to - span.from) * self.grid.nodes[node]
    }

    /// R, the gradient of elastic energy + Σ T ℓ − work of the loads by the coordinates.
    pub fn residual(&self, fields: &[Fields]) -> DVector<f64> {
        let count = self.basis.count;
        let mut residual = DVector::zeros(count * self.spans.len());
        for (j, (span, fields)) in self.spans.iter().zip(fields).enumerate() {
            let mut own = residual.rows_mut(j * count, count);
            for (k, weight) in self.grid.weights.iter().enumerate() {
                let scaled = fields.misfit[k] * (weight * (span.to - span.from));
                own += self.basis.at[k].tr_mul(&scaled);
            }
        }
        residual
    }
}
