//! Contact: points of rods and bodies that cannot enter an obstacle, with Coulomb's friction.
//!
//! The condition of a contact has the gap in its first row and, with friction, the slip since the state that it is
//! anchored to in the next two. Its multiplier is minus the force on what touches: −λ along the normal, −λ_t along the
//! two directions of the surface. `law` says which rows act.
//!
//! Without friction and at rest a point of a rod on a round surface **moves** to the least gap of its cell, so that it does
//! not matter where spans begin; on flat ones, in bores, with friction, and in motion, it is **fixed** to the rod, since what slips or carries momentum is a piece of
//! material.
//!
//! | symbol | meaning | code | unit | frame |
//! |---|---|---|---|---|
//! | x, R | place and axes of the section, seen from the obstacle | `Touch::relative` | m | obstacle |
//! | δ, ν, H | gap, its gradient and second derivative | `Touch::near` | m, –, 1/m | obstacle |
//! | e₁, e₂ | directions of the surface | `Slip::directions` | – | obstacle |
//! | s | slip of the touching point of the material, e·(x − x⁰ − r θ × ν) | `Slip::way` | m | obstacle |
//! | θ | rotation vector of the section since then | | rad | obstacle |
//! | ζ, η | motion of the section, of the obstacle | | rad, m | body |

pub mod carrier;
mod compile;
mod crossing;
pub mod law;
mod place;
pub mod surface;

use crate::contribution::{At, Condition, Constraint, Multiplier, Part, Scales};
use crate::index::{Block, Node, Slot};
use crate::sink::BlockSink;
use crate::state::State;
use carrier::{Carrier, Spot};
use law::{Friction, Held, Phase};
use lissome_geometry::Nearest;
use lissome_lie::{Pose, Rotation, Wrench, skew};
use lissome_model::Toucher;
use nalgebra::{Matrix6, Vector2, Vector3, Vector6};
use std::sync::Arc;
use surface::Surface;

/// Distance that counts as far where a bore has no wall, in lengths of the robot.
const FAR: f64 = 1.0;

/// A point that may touch an obstacle.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The obstacle of the scene.
    pub obstacle: usize,
    /// What touches it.
    pub toucher: Toucher,
    /// Where on that.
    pub carrier: Carrier,
    /// Slot of the obstacle.
    pub frame: Slot,
    /// Its surface.
    pub surface: Arc<Surface>,
    /// Friction; `None` for none.
    pub friction: Option<Friction>,
    /// Part of the approach speed that is given back.
    pub restitution: f64,
    /// Mass that moves with the point, kg: what weighs a gap against a force within a time step.
    pub mass: f64,
    /// The same at rest, N/m: what a rod resists with if a piece as long as a span is bent.
    pub firmness: f64,
    /// Where its forces are.
    pub multiplier: Multiplier,
    /// Where the pose is that slip counts from; only with friction.
    pub anchor: Option<Block>,
    /// Where the mean force of the last time step is, as the multiplier has it: with what its impact added.
    pub told: Block,
}

/// A contact at a state.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// The place of what touches.
    pub spot: Spot,
    /// Its arc length, m.
    pub s: f64,
    /// Its pose seen from the obstacle.
    pub relative: Pose,
    /// The gap, in axes of the obstacle; `None` where there is no surface.
    pub near: Option<Nearest>,
    /// Of a point that moves along its rod: 1/(second derivative of what it minimises), m.
    pub moves: Option<f64>,
    /// What is added to the gap of such a point, m: see `place`.
    pub centring: f64,
}

/// What the condition of a contact needs of it.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Pose of what touches seen from the obstacle.
    relative: Pose,
    radius: f64,
    near: Option<Nearest>,
    centring: f64,
}

impl Touch {
    fn seen(&self) -> Seen {
        let Self { relative, near, centring, .. } = *self;
        Seen { relative, radius: self.spot.radius(), near, centring }
    }
}

impl Contact {
    /// True if the point is fixed to what touches. Where a rod lies along a surface it does not matter where points sit.
    fn is_fixed(&self, at: &At<'_>) -> bool {
        self.friction.is_some() || at.inputs.duration > 0.0 || !self.surface.is_convex()
    }

    /// At a state.
    pub fn touch(&self, at: &At<'_>) -> Touch {
        let fixed = self.touch_at(self.carrier.fixed_place(), at.state);
        match &self.carrier {
            Carrier::Rod(cell) if !self.is_fixed(at) => place::least_gap(self, cell, fixed, at.state),
            _ => fixed,
        }
    }

    /// The same without how it follows the unknowns, which costs less.
    fn glance(&self, at: &At<'_>) -> Seen {
        if matches!(self.carrier, Carrier::Rod(_)) && !self.is_fixed(at) {
            return self.touch(at).seen();
        }
        let (pose, radius) = self.carrier.glance(self.carrier.fixed_place(), at.state);
        let relative = at.state.pose(self.frame).inverse() * pose;
        Seen { relative, radius, near: self.surface.gap(&relative.position, radius), centring: 0.0 }
    }

    /// At arc length s.
    fn touch_at(&self, s: f64, state: &State) -> Touch {
        let spot = self.carrier.spot(s, state);
        let relative = state.pose(self.frame).inverse() * *spot.pose();
        let near = self.surface.gap(&relative.position, spot.radius());
        Touch { spot, s, relative, near, moves: None, centring: 0.0 }
    }

    /// Stiffness that weighs a gap against a force, N/m.
    fn stiffness(&self, at: &At<'_>) -> f64 {
        match at.inputs.duration {
            0.0 => self.firmness,
            h => self.mass / (h * h),
        }
    }

    /// The pose that slip counts from, seen from the obstacle.
    fn anchored(&self, state: &State) -> Option<Pose> {
        let numbers = state.block(self.anchor?);
        let [angular, linear] = [0, 3].map(|first| numbers.fixed_rows::<3>(first).into_owned());
        Some(Pose::new(Rotation::exp(&angular), linear))
    }

    /// Directions of the surface, turned with its normal from those at the anchor, and the slip since then.
    fn slip(&self, seen: &Seen, near: &Nearest, state: &State) -> Slip {
        let Seen { relative, radius, .. } = *seen;
        let anchor = self.anchored(state).unwrap_or(relative);
        let before = self.surface.gap(&anchor.position, radius).map_or(near.normal, |near| near.normal);
        let directions = turned(&before, &near.normal);
        let turn = (relative.rotation * anchor.rotation.inverse()).log();
        let way = relative.position - anchor.position - turn.cross(&near.normal) * radius;
        Slip { directions, way: Vector2::from_fn(|k, _| directions[k].dot(&way)) }
    }

    /// Force on what touches, world axes, N; and where it acts, m.
    pub fn force(&self, at: &At<'_>) -> (Vector3<f64>, Vector3<f64>) {
        let touch = self.touch(at);
        let frame = at.state.pose(self.frame);
        let Some(near) = touch.near else { return (Vector3::zeros(), touch.spot.pose().position) };
        let acting = match at.inputs.duration > 0.0 {
            true => *at.state.block(self.told),
            false => {
                let multiplier = at.state.block(self.multiplier.block);
                self.condition(at, &touch.seen(), multiplier).acting(multiplier)
            }
        };
        let mut force = near.normal * -acting[0];
        if self.friction.is_some() {
            let slip = self.slip(&touch.seen(), &near, at.state);
            force -= slip.directions[0] * acting[1] + slip.directions[1] * acting[2];
        }
        let point = touch.relative.position - near.normal * touch.spot.radius();
        (frame.rotation.rotate(&force), frame.transform(&point))
    }

    /// What friction takes over a step or an increment that ends at a state, J.
    pub fn friction_loss(&self, at: &At<'_>) -> f64 {
        let seen = self.glance(at);
        let (Some(near), true) = (seen.near, self.friction.is_some()) else { return 0.0 };
        let multiplier = at.state.block(self.multiplier.block);
        let acting = self.condition(at, &seen, multiplier).acting(multiplier);
        let way = self.slip(&seen, &near, at.state).way;
        acting[1] * way.x + acting[2] * way.y
    }

    /// The gap, m; `None` where there is no surface.
    pub fn gap(&self, at: &At<'_>) -> Option<f64> {
        self.glance(at).near.map(|near| near.distance)
    }

    fn condition(&self, at: &At<'_>, seen: &Seen, multiplier: &Vector6<f64>) -> Condition {
        let mut condition = Condition::equality(Vector6::zeros(), 0);
        let Some(near) = seen.near else {
            condition.open[0] = FAR * at.scales.length;
            return condition;
        };
        let stiffness = self.stiffness(at);
        condition.open[0] = near.distance + seen.centring;
        condition.sides[0] = Some(-1.0);
        let pressed = -multiplier[0] - stiffness * condition.open[0];
        condition.active[0] = match Phase::read(multiplier) {
            Phase::Held(held) => {
                condition.sides[0] = None;
                held != Held::Open
            }
            _ => pressed > 0.0,
        };
        if let Some(friction) = &self.friction
            && condition.active[0]
        {
            let pressed = pressed.max(0.0);
            let slip = self.slip(seen, &near, at.state);
            let grip = match at.inputs.duration {
                0.0 => self.carrier.grip(stiffness),
                _ => stiffness,
            };
            friction.decide(multiplier, pressed, [stiffness, grip], &slip.way, &mut condition);
        }
        condition
    }

    /// Rows of the condition by the motion of the section, in its body axes, and by that of the obstacle.
    fn rows(&self, touch: &Touch, near: &Nearest, state: &State) -> [Matrix6<f64>; 2] {
        let mut on_spot = Matrix6::zeros();
        let mut on_frame = Matrix6::zeros();
        let r = touch.relative.rotation.matrix();
        let mut write = |row: usize, direction: &Vector3<f64>, arm: &Vector3<f64>, point: &Vector3<f64>| {
            // d·(dx + dω × arm) of the section, less d·(v + ω × point) of the obstacle.
            on_spot.fixed_view_mut::<1, 3>(row, 3).copy_from(&(direction.transpose() * r));
            on_spot.fixed_view_mut::<1, 3>(row, 0).copy_from(&(arm.cross(direction).transpose() * r));
            on_frame.fixed_view_mut::<1, 3>(row, 3).copy_from(&-direction.transpose());
            on_frame.fixed_view_mut::<1, 3>(row, 0).copy_from(&-point.cross(direction).transpose());
        };
        let x = touch.relative.position;
        write(0, &near.normal, &Vector3::zeros(), &x);
        if self.friction.is_some() {
            let arm = -near.normal * touch.spot.radius();
            for (k, direction) in self.slip(&touch.seen(), near, state).directions.iter().enumerate() {
                write(k + 1, direction, &arm, &(x + arm));
            }
        }
        [on_spot, on_frame]
    }

    /// The part of a step that may be taken before the point could come out on the other side of the obstacle: it goes no
    /// deeper than half of what that is thick. `motion` is the step of each node.
    pub fn longest_fraction(&self, at: &At<'_>, motion: impl Fn(Node) -> Vector6<f64>) -> f64 {
        let Some(depth) = self.surface.depth() else { return 1.0 };
        let touch = self.touch(at);
        let Some(near) = touch.near else { return 1.0 };
        let allowed = near.distance.max(0.0) + 0.5 * (depth + touch.spot.radius());
        let mut way = Vector6::zeros();
        touch.spot.visit(|node, jacobian| way += jacobian * motion(node));
        let mut way: Vector3<f64> = touch.relative.rotation.matrix() * way.fixed_rows::<3>(3);
        let frame = motion(self.frame.node());
        let [turn, shift] = [0, 3].map(|first| frame.fixed_rows::<3>(first).into_owned());
        way -= shift + turn.cross(&touch.relative.position);
        let size = way.norm();
        if size > allowed { allowed / size } else { 1.0 }
    }

    /// Anchors the contact where it is at a state; forces along the surface stay what they are. `phase` is how friction goes
    /// on from there.
    pub fn anchor_at(&self, at: &At<'_>, phase: Phase, to: &mut State) {
        let Some(anchor) = self.anchor else { return };
        let seen = self.glance(at);
        let relative = seen.relative;
        let block = self.multiplier.block;
        let before = *at.state.block(block);
        let mut after = before;
        if let Some(near) = seen.near {
            let old = self.slip(&seen, &near, at.state).directions;
            let new = turned(&near.normal, &near.normal);
            let world = old[0] * before[1] + old[1] * before[2];
            (after[1], after[2]) = (new[0].dot(&world), new[1].dot(&world));
        }
        Phase::write(phase, &Vector2::zeros(), &mut after);
        let (turn, x) = (relative.rotation.log(), relative.position);
        to.linear[anchor] = Vector6::new(turn.x, turn.y, turn.z, x.x, x.y, x.z);
        to.linear[block] = after;
    }

    /// What the contact would do by its law, whatever it is held to.
    pub fn wish(&self, at: &At<'_>) -> Held {
        let mut multiplier = *at.state.block(self.multiplier.block);
        multiplier[3] = 0.0;
        let condition = self.evaluate(at, &multiplier);
        match (condition.active[0], condition.slides(1)) {
            (false, _) => Held::Open,
            (true, false) => Held::Stuck,
            (true, true) => Held::Sliding,
        }
    }

    /// Remembers in `to` how the contact slid in the iteration that led there from `from`.
    pub fn remember_slip(&self, from: &At<'_>, to: &mut State) {
        if self.friction.is_some() {
            let block = self.multiplier.block;
            let condition = self.evaluate(from, from.state.block(block));
            let sense = law::sense_of(&condition);
            let phase = match Phase::read(from.state.block(block)) {
                Phase::Frozen => Phase::Free,
                other => other,
            };
            Phase::write(phase, &sense, &mut to.linear[block]);
        }
    }
}

/// Directions of the surface and the slip along them.
#[derive(Clone, Copy, Debug)]
pub struct Slip {
    /// e₁, e₂.
    pub directions: [Vector3<f64>; 2],
    /// m.
    pub way: Vector2<f64>,
}

/// Two directions across a normal, as they were across an earlier one and turned with it.
fn turned(before: &Vector3<f64>, now: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let least = before.iamin();
    let axis = Vector3::from_fn(|i, _| if i == least { 1.0 } else { 0.0 });
    let first = before.cross(&axis).try_normalize(0.0).unwrap_or(Vector3::x());
    let (turn, cosine) = (before.cross(now), before.dot(now));
    // Nothing is turned about by half a turn in one step.
    let carry = |e: &Vector3<f64>| e + turn.cross(e) + turn.cross(&turn.cross(e)) / (1.0 + cosine).max(1e-6);
    [carry(&first), carry(&before.cross(&first))]
}

impl Constraint for Contact {
    fn part(&self) -> Part {
        Part::new("obstacle", self.obstacle)
    }

    fn multiplier(&self) -> Multiplier {
        self.multiplier
    }

    fn size(&self) -> usize {
        if self.friction.is_some() { 3 } else { 1 }
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        self.carrier.nodes(visit);
        visit(self.frame.node());
    }

    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        let mut nodes = vec![self.frame.node()];
        self.carrier.nodes(&mut |node| nodes.push(node));
        for (i, a) in nodes.iter().enumerate() {
            nodes[..=i].iter().for_each(|b| visit(*a, *b));
        }
    }

    fn is_one_sided(&self) -> bool {
        true
    }

    fn evaluate(&self, at: &At<'_>, multiplier: &Vector6<f64>) -> Condition {
        self.condition(at, &self.glance(at), multiplier)
    }

    fn open_like(&self, at: &At<'_>, _: &Vector6<f64>, earlier: &Condition) -> Vector6<f64> {
        let seen = self.glance(at);
        let mut open = Vector6::zeros();
        if let Some(near) = seen.near {
            open[0] = near.distance + seen.centring;
            if self.friction.is_some() {
                let way = self.slip(&seen, &near, at.state).way;
                (0..2).filter(|k| earlier.active[k + 1]).for_each(|k| open[k + 1] = way[k]);
            }
        }
        open
    }

    fn jacobian(&self, at: &At<'_>, visit: &mut impl FnMut(Node, &Matrix6<f64>)) {
        let touch = self.touch(at);
        let Some(near) = touch.near else { return };
        let [on_spot, on_frame] = self.rows(&touch, &near, at.state);
        touch.spot.visit(|node, jacobian| visit(node, &(on_spot * jacobian)));
        visit(self.frame.node(), &on_frame);
    }

    fn curvature(&self, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut impl BlockSink) {
        if !sink.is_wanted() || *multiplier == Vector6::zeros() {
            return;
        }
        let touch = self.touch(at);
        let Some(near) = touch.near else { return };
        let symmetric = self.friction.is_none();
        let [on_spot, _] = self.rows(&touch, &near, at.state);
        let r = touch.relative.rotation.matrix();
        // ρ·c as a function of the section alone: its gradient, and its second derivative in exponential coordinates.
        let gradient = on_spot.tr_mul(multiplier);
        let force = gradient.fixed_rows::<3>(3).into_owned();
        let mut bend = near.curvature * multiplier[0];
        let mut along = Vector3::zeros();
        if !symmetric {
            let slip = self.slip(&touch.seen(), &near, at.state);
            along = slip.directions[0] * multiplier[1] + slip.directions[1] * multiplier[2];
            // Directions turn with the normal.
            bend -= near.normal * (near.curvature * along).transpose();
        }
        let mut second = Matrix6::zeros();
        second.fixed_view_mut::<3, 3>(3, 3).copy_from(&(r.transpose() * bend * r));
        second.fixed_view_mut::<3, 3>(0, 3).copy_from(&(skew(&force) * -0.5));
        second.fixed_view_mut::<3, 3>(3, 0).copy_from(&(skew(&force) * 0.5));
        if !symmetric {
            // The moment of the force along the surface stays as it is on the obstacle, not in the section.
            let moment = gradient.fixed_rows::<3>(0).into_owned();
            second.fixed_view_mut::<3, 3>(0, 0).copy_from(&(skew(&moment) * 0.5));
            // And its arm turns with the normal.
            let swung = skew(&along) * near.curvature * touch.spot.radius();
            let mut mixed = second.fixed_view_mut::<3, 3>(0, 3);
            mixed += r.transpose() * swung * r;
        }
        let wrench = Wrench::new(gradient.fixed_rows::<3>(0).into_owned(), force);
        touch.spot.add_second(&second, &wrench, symmetric, sink);
        self.add_frame_curvature(&touch, &second, &wrench, symmetric, sink);
        if let Some(gives) = touch.moves {
            place::add_following(&touch, &near, -multiplier[0] * gives, self.frame, sink);
        }
    }

    fn unit(&self, scales: &Scales) -> Vector6<f64> {
        Vector6::repeat(scales.length)
    }

    fn firmness(&self, _: &Scales, _: &Vector6<f64>) -> Vector6<f64> {
        Vector6::repeat(self.firmness)
    }

    fn locates_impacts(&self) -> bool {
        self.restitution > 0.0
    }

    fn restitution(&self) -> f64 {
        self.restitution
    }
}

impl Contact {
    /// What the motion of the obstacle adds: g_rel ← exp(−η) g_rel exp(ζ), to second order.
    fn add_frame_curvature(
        &self,
        touch: &Touch,
        second: &Matrix6<f64>,
        wrench: &Wrench,
        symmetric: bool,
        sink: &mut impl BlockSink,
    ) {
        let seen = touch.relative.inverse().adjoint();
        let frame = self.frame.node();
        // ½ w·[ζ, Aη] in the mixed block.
        let bracket = lissome_lie::dual::DualVector::from(*wrench).skew().covector_map();
        let mixed = second * -seen + bracket.transpose() * seen * 0.5;
        let own = seen.tr_mul(&(second * seen));
        touch.spot.visit(|node, jacobian| {
            let block = jacobian.tr_mul(&mixed);
            match symmetric {
                true => sink.add_symmetric(node, frame, &block),
                false => {
                    sink.add_general(node, frame, &block);
                    let other = seen.tr_mul(&((bracket * 0.5 - second) * jacobian));
                    sink.add_general(frame, node, &other);
                }
            }
        });
        match symmetric {
            true => sink.add_symmetric(frame, frame, &own),
            false => sink.add_general(frame, frame, &own),
        }
    }
}
