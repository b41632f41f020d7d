//! Rows of the condition of a contact by the motion of the two places that touch, and their second derivative.

use super::carrier::Spot;
use super::grip::Grip;
use super::ground::Ground;
use super::{Contact, Touch, ridges};
use crate::index::Node;
use crate::sink::BlockSink;
use crate::state::State;
use lissome_lie::{Pose, Wrench, skew};
use nalgebra::{Matrix3, Matrix3x6, Matrix6, Vector3, Vector6};

/// The three rows of a condition by the motion of two places, each in its body axes.
#[derive(Clone, Copy, Debug)]
struct Rows<'t> {
    spot: &'t Spot,
    base: &'t Spot,
    relative: Pose,
    on_spot: Matrix3x6<f64>,
    on_base: Matrix3x6<f64>,
}

impl<'t> Rows<'t> {
    fn new(spot: &'t Spot, base: &'t Spot, relative: &Pose) -> Self {
        Self { spot, base, relative: *relative, on_spot: Matrix3x6::zeros(), on_base: Matrix3x6::zeros() }
    }

    /// d·(dx + dω × arm) of the first, less d·(v + ω × point) of the second.
    fn write(&mut self, row: usize, direction: &Vector3<f64>, arm: &Vector3<f64>) {
        let r = self.relative.rotation.matrix();
        let point = self.relative.position + arm;
        self.on_spot.fixed_view_mut::<1, 3>(row, 3).copy_from(&(direction.transpose() * r));
        self.on_spot.fixed_view_mut::<1, 3>(row, 0).copy_from(&(arm.cross(direction).transpose() * r));
        self.on_base.fixed_view_mut::<1, 3>(row, 3).copy_from(&-direction.transpose());
        self.on_base.fixed_view_mut::<1, 3>(row, 0).copy_from(&-point.cross(direction).transpose());
    }

    fn visit(&self, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        let mut all = Matrix6::zeros();
        let mut show = |node: Node, rows: &Matrix3x6<f64>| {
            all.fixed_rows_mut::<3>(0).copy_from(rows);
            visit(node, &all);
        };
        self.spot.visit_rows(&self.on_spot, &mut show);
        self.base.visit_rows(&self.on_base, &mut show);
    }
}

impl Contact {
    /// Visits the nodes that move a touch, with the rows of the condition by their motion.
    pub(super) fn visit_rows(&self, touch: &Touch, state: &State, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        let places = self.grip_places(state);
        let grip = self.friction.map(|_| self.grip(touch, places.as_ref(), state));
        self.rows(touch, grip.as_ref()).iter().flatten().for_each(|rows| rows.visit(visit));
    }

    /// Rows of the condition, each with the two places whose motion they are by: that of the gap, and those of the slip.
    /// Where the places are the same all rows stand in one.
    fn rows<'t>(&self, touch: &'t Touch, grip: Option<&Grip<'t>>) -> [Option<Rows<'t>>; 2] {
        let mut gap = Rows::new(&touch.spot, &touch.base, &touch.relative);
        gap.write(0, &touch.near.normal, &Vector3::zeros());
        let Some(grip) = grip else { return [Some(gap), None] };
        let mut slip = match grip.elsewhere {
            false => gap,
            true => Rows::new(grip.spot, grip.base, &grip.relative),
        };
        for (k, direction) in grip.slip.directions.iter().enumerate() {
            slip.write(k + 1, direction, &grip.slip.arm);
        }
        match grip.elsewhere {
            false => [Some(slip), None],
            true => [Some(gap), Some(slip)],
        }
    }

    /// Adds the second derivative of ρ·c, but for what places do that move along their rods.
    pub(super) fn add_curvature(
        &self,
        touch: &Touch,
        state: &State,
        multiplier: &Vector6<f64>,
        sink: &mut dyn BlockSink,
    ) {
        let bend = touch.near.curvature * multiplier[0];
        let places = self.grip_places(state);
        let grip = self.friction.map(|_| self.grip(touch, places.as_ref(), state));
        let along = grip.as_ref().map(|grip| (grip, multiplier));
        match self.rows(touch, grip.as_ref()) {
            [Some(gap), Some(slip)] => {
                add_bend(&gap, multiplier, &bend, None, sink);
                add_bend(&slip, multiplier, &Matrix3::zeros(), along, sink);
                if let (Ground::Surface { .. }, Some(following), Some(grip)) = (&self.ground, &touch.following, &grip) {
                    let along = grip.slip.directions[0] * multiplier[1] + grip.slip.directions[1] * multiplier[2];
                    ridges::add_arm(touch, following, [grip.spot, grip.base], &along, sink);
                }
            }
            [Some(rows), None] => add_bend(&rows, multiplier, &bend, along, sink),
            [None, _] => {}
        }
    }
}

/// Adds the second derivative of ρ·c by the motion of two places, where the gap bends by `bend`. Along a surface the
/// directions turn with its normal, and the moment of the force stays as it is on what is touched, not in the section.
fn add_bend(
    rows: &Rows<'_>,
    multiplier: &Vector6<f64>,
    bend: &Matrix3<f64>,
    along: Option<(&Grip<'_>, &Vector6<f64>)>,
    sink: &mut dyn BlockSink,
) {
    let r = rows.relative.rotation.matrix();
    // ρ·c as a function of the first place alone: its gradient, and its second derivative in exponential coordinates.
    let gradient = rows.on_spot.tr_mul(&multiplier.fixed_rows::<3>(0));
    let [moment, force] = [0, 3].map(|first| gradient.fixed_rows::<3>(first).into_owned());
    let mut bend = *bend;
    let mut second = Matrix6::zeros();
    second.fixed_view_mut::<3, 3>(0, 3).copy_from(&(skew(&force) * -0.5));
    second.fixed_view_mut::<3, 3>(3, 0).copy_from(&(skew(&force) * 0.5));
    if let Some((grip, multiplier)) = along {
        let along = grip.slip.directions[0] * multiplier[1] + grip.slip.directions[1] * multiplier[2];
        bend -= grip.slip.normal * (grip.turns * along).transpose();
        second.fixed_view_mut::<3, 3>(0, 0).copy_from(&(skew(&moment) * 0.5));
        // The arm turns with the normal.
        let swung = skew(&along) * grip.turns * grip.spot.radius();
        let mut mixed = second.fixed_view_mut::<3, 3>(0, 3);
        mixed += r.transpose() * swung * r;
    }
    second.fixed_view_mut::<3, 3>(3, 3).copy_from(&(r.transpose() * bend * r));
    let symmetric = along.is_none();
    let wrench = Wrench::new(moment, force);
    rows.spot.add_second(&second, &wrench, symmetric, sink);
    if rows.base.is_moved(sink) {
        add_base_bend(rows, &second, &wrench, symmetric, sink);
    }
}

/// What the motion of the second place adds: g_rel ← exp(−η) g_rel exp(ζ), to second order.
fn add_base_bend(rows: &Rows<'_>, second: &Matrix6<f64>, wrench: &Wrench, symmetric: bool, sink: &mut dyn BlockSink) {
    let seen = rows.relative.inverse().adjoint();
    // ½ w·[ζ, Aη] in the mixed block.
    let bracket = lissome_lie::dual::DualVector::from(*wrench).skew().covector_map();
    let mixed = second * -seen + bracket.transpose() * seen * 0.5;
    let mirrored = seen.tr_mul(&(bracket * 0.5 - second));
    let own = seen.tr_mul(&(second * seen));
    rows.spot.visit(|node, on_spot| {
        let (left, right) = (on_spot.tr_mul(&mixed), mirrored * on_spot);
        rows.base.visit(|other, on_base| {
            let (block, back) = (left * on_base, on_base.tr_mul(&right));
            match (symmetric, node == other) {
                (true, false) => sink.add_symmetric(node, other, &block),
                (true, true) => sink.add_symmetric(node, node, &(block + block.transpose())),
                (false, _) => {
                    sink.add_general(node, other, &block);
                    sink.add_general(other, node, &back);
                }
            }
        });
    });
    let on_base = Wrench::from_vector(&-seen.tr_mul(&wrench.to_vector()));
    rows.base.add_second(&own, &on_base, symmetric, sink);
}
