//! What the motion of touching places along their rods takes from the second derivative of −λδ: λ c φ_ss⁻¹ cᵀ, with
//! c = ∂²φ/∂s∂z over the poses of both rods.

use super::Touch;
use super::carrier::Spot;
use crate::index::Node;
use crate::sink::BlockSink;
use lissome_lie::Strain;
use lissome_lie::knots::MAX_DEGREE;
use nalgebra::{Matrix6, RowVector3, RowVector6, Vector3};

/// Poses that move the two places.
const MOST_NODES: usize = 2 * (MAX_DEGREE + 1);

/// Rows over the nodes that move both places; those of a node that moves both add up.
struct NodeRows {
    count: usize,
    nodes: [Node; MOST_NODES],
    rows: [[RowVector6<f64>; 2]; MOST_NODES],
}

impl NodeRows {
    fn add(&mut self, node: Node, rows: [RowVector6<f64>; 2]) {
        let known = self.nodes[..self.count].iter().position(|own| *own == node);
        let place = known.unwrap_or(self.count);
        if known.is_none() {
            self.nodes[place] = node;
            self.rows[place] = [RowVector6::zeros(); 2];
            self.count += 1;
        }
        (0..2).for_each(|k| self.rows[place][k] += rows[k]);
    }
}

/// δ(ν·p′) of a place by its own poses: `turned` is (H p′)ᵀ and `normal` νᵀ, both in its body axes.
fn own_row(
    strain: &Strain,
    (j, d): (&Matrix6<f64>, &Matrix6<f64>),
    turned: &RowVector3<f64>,
    normal: &RowVector3<f64>,
) -> RowVector6<f64> {
    // p′ = R ε, so that δp′ = R(ω × ε + δε).
    let swung = strain.stretch.cross(&normal.transpose()).transpose();
    turned * j.fixed_rows::<3>(3) + swung * j.fixed_rows::<3>(0) + normal * d.fixed_rows::<3>(3)
}

/// Adds `weight` times c φ_ss⁻¹ cᵀ.
pub(super) fn add(touch: &Touch, weight: f64, sink: &mut dyn BlockSink) {
    let near = &touch.near;
    let Spot::Rod { first, point, .. } = &touch.spot else { return };
    let r = touch.relative.rotation.matrix();
    let strain = point.strain();
    let tangent: Vector3<f64> = r * strain.stretch;
    let bent = near.curvature * tangent;
    let (turned, normal) = (bent.transpose() * r, near.normal.transpose() * r);
    let x = touch.relative.position;
    // What is touched moves by −v − ω × x, and with it ν turns against the tangent.
    let mut on_base = RowVector6::zeros();
    on_base.fixed_columns_mut::<3>(3).copy_from(&-bent.transpose());
    let turn = x.cross(&bent) + tangent.cross(&near.normal);
    on_base.fixed_columns_mut::<3>(0).copy_from(&-turn.transpose());
    // The tangent of the rod that is touched.
    let other = match &touch.base {
        Spot::Rod { point, .. } => point.strain().stretch,
        Spot::Point { .. } => Vector3::zeros(),
    };
    let other_bent = near.curvature * other;
    let zero = RowVector6::zeros();
    let mut rows = NodeRows { count: 0, nodes: [Node::new(0); MOST_NODES], rows: [[zero; 2]; MOST_NODES] };
    let (motion, strained) = (point.motion(), point.strain_jacobian());
    for (m, pose) in point.poses().enumerate() {
        let j = motion.jacobian(m);
        let by_other = -other_bent.transpose() * r * j.fixed_rows::<3>(3);
        rows.add(first.after(pose).node(), [own_row(&strain, (&j, &strained[m]), &turned, &normal), by_other]);
    }
    match &touch.base {
        Spot::Rod { first, point, .. } => {
            let (motion, strained) = (point.motion(), point.strain_jacobian());
            for (m, pose) in point.poses().enumerate() {
                let (j, d) = (motion.jacobian(m), strained[m]);
                let mut own = other_bent.transpose() * j.fixed_rows::<3>(3);
                own += near.normal.cross(&other).transpose() * j.fixed_rows::<3>(0);
                own -= near.normal.transpose() * d.fixed_rows::<3>(3);
                rows.add(first.after(pose).node(), [on_base * j, own]);
            }
        }
        base => base.visit(|node, j| rows.add(node, [on_base * j, zero])),
    }
    let gives = touch.gives * weight;
    for i in 0..rows.count {
        let left = [0, 1].map(|k| rows.rows[i][0] * gives[(0, k)] + rows.rows[i][1] * gives[(1, k)]);
        for k in 0..=i {
            let right = &rows.rows[k];
            let block: Matrix6<f64> = left[0].transpose() * right[0] + left[1].transpose() * right[1];
            sink.add_symmetric(rows.nodes[i], rows.nodes[k], &block);
        }
    }
}
