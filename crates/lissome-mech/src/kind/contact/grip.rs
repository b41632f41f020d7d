//! How a contact holds on to what it touches: directions of the surface, and the slip since the state that it is anchored to.

use super::carrier::Spot;
use super::edges::Crossed;
use super::ground::{Ground, Partner};
use super::law::Phase;
use super::lie::Lie;
use super::{Contact, Seen, Touch, between};
use crate::contribution::At;
use crate::index::Block;
use crate::state::State;
use lissome_lie::{Pose, Rotation};
use nalgebra::{Matrix3, Vector2, Vector3, Vector6};

/// How a contact holds on to what it touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grip<'t> {
    /// Places of both.
    pub spot: &'t Spot,
    pub base: &'t Spot,
    /// Pose of the first seen from the second.
    pub relative: Pose,
    pub slip: Slip,
    /// True if slip is counted at other places than the gap.
    pub elsewhere: bool,
    /// How the normal turns, 1/m.
    pub turns: Matrix3<f64>,
}

/// Directions of a surface and the slip along them, in axes of what is touched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slip {
    /// e₁, e₂.
    pub directions: [Vector3<f64>; 2],
    pub normal: Vector3<f64>,
    /// From the axis of what touches to its surface, m.
    pub arm: Vector3<f64>,
    /// Slip since the anchor, m.
    pub way: Vector2<f64>,
}

impl Slip {
    pub(super) fn new(
        relative: &Pose,
        anchor: &Pose,
        before: &Vector3<f64>,
        normal: &Vector3<f64>,
        radius: f64,
    ) -> Self {
        Self::with_arm(relative, anchor, before, normal, normal * -radius)
    }

    fn with_arm(
        relative: &Pose,
        anchor: &Pose,
        before: &Vector3<f64>,
        normal: &Vector3<f64>,
        arm: Vector3<f64>,
    ) -> Self {
        let directions = turned(before, normal);
        let turn = (relative.rotation * anchor.rotation.inverse()).log();
        let way = relative.position - anchor.position + turn.cross(&arm);
        let way = Vector2::from_fn(|k, _| directions[k].dot(&way));
        Self { directions, normal: *normal, arm, way }
    }
}

impl Contact {
    /// The pose that slip counts from, seen from the obstacle.
    pub(super) fn anchored(&self, state: &State) -> Option<Pose> {
        let numbers = state.block(self.anchor?);
        let [angular, linear] = [0, 3].map(|first| numbers.fixed_rows::<3>(first).into_owned());
        Some(Pose::new(Rotation::exp(&angular), linear))
    }

    /// The two places that slip is counted at where those are others than of the gap: with friction between rods, of a rod that lies
    /// across something, and of ridges.
    pub(super) fn grip_places(&self, state: &State) -> Option<[Spot; 2]> {
        self.friction?;
        let own = match (&self.ground, self.lie(state)) {
            (Ground::Rods { own, .. }, _) => own,
            (Ground::Surface { frame, .. }, Lie::Across(anchor)) => {
                return Some([self.carrier.spot(anchor, state), Spot::of(*frame, state)]);
            }
            (Ground::Edges(edges), _) => return edges.grip_places(state),
            _ => return self.ridge_places(state),
        };
        let (partner, neighbour) = self.ground.partner(state)?;
        Some([own.spot(partner.anchors[0], state), neighbour.skin.spot(partner.anchors[1], state)])
    }

    /// How it holds on to what it touches: directions of the surface, and the slip since the anchor. On a surface the
    /// directions turn with its normal; between rods, and across what is thin, all is said of the two places that slip is counted at, `places`.
    pub(super) fn grip<'t>(&self, touch: &'t Touch, places: Option<&'t [Spot; 2]>, state: &State) -> Grip<'t> {
        match (&self.ground, self.ground.partner(state), places) {
            (Ground::Rods { own, .. }, Some((partner, neighbour)), Some([spot, base])) => {
                let (radius, hollow) = neighbour.touching_radius(own, partner.anchors[0]);
                let relative = base.pose().inverse() * *spot.pose();
                let slip = self.slip_between(&relative, radius, hollow, state);
                Grip { spot, base, relative, slip, elsewhere: true, turns: Matrix3::zeros() }
            }
            (Ground::Surface { .. }, _, Some([spot, base])) => {
                let relative = base.pose().inverse() * *spot.pose();
                let slip = match self.carrier.is_ridge() {
                    true => self.slip_of_ridge(&relative, &touch.seen(), state),
                    false => self.slip_across(&relative, spot.radius(), state),
                };
                Grip { spot, base, relative, slip, elsewhere: true, turns: Matrix3::zeros() }
            }
            (Ground::Edges(_), _, Some([spot, base])) => {
                let relative = base.pose().inverse() * *spot.pose();
                let slip = self.slip_across(&relative, spot.radius(), state);
                Grip { spot, base, relative, slip, elsewhere: true, turns: Matrix3::zeros() }
            }
            (_, None, Some([spot, base])) => {
                let relative = base.pose().inverse() * *spot.pose();
                let slip = self.slip_of_ridge(&relative, &touch.seen(), state);
                Grip { spot, base, relative, slip, elsewhere: true, turns: Matrix3::zeros() }
            }
            _ => {
                let slip = self.slip_on(&touch.seen(), state);
                let Touch { spot, base, relative, near, .. } = touch;
                Grip { spot, base, relative: *relative, slip, elsewhere: false, turns: near.curvature }
            }
        }
    }

    /// The slip on a surface.
    fn slip_on(&self, seen: &Seen, state: &State) -> Slip {
        let anchor = self.anchored(state).unwrap_or(seen.relative);
        let before = match &self.ground {
            Ground::Surface { surface, .. } => surface.gap(&anchor.position, seen.radius),
            Ground::Rods { .. } | Ground::Ridges(_) | Ground::Edges(_) => None,
        };
        let before = before.map_or(seen.near.normal, |near| near.normal);
        Slip::new(&seen.relative, &anchor, &before, &seen.near.normal, seen.radius)
    }

    /// The slip between two rods, by the poses of the places that it counts from.
    fn slip_between(&self, relative: &Pose, radius: f64, hollow: bool, state: &State) -> Slip {
        let anchor = self.anchored(state).unwrap_or(*relative);
        let outward = between(&anchor.position, 0.0).normal;
        // What is inside is pushed toward the axis.
        let normal = if hollow { -outward } else { outward };
        Slip::new(relative, &anchor, &normal, &normal, radius)
    }

    /// The slip of a ridge, by the pose of the place that it counts from, seen from the other one.
    fn slip_of_ridge(&self, relative: &Pose, seen: &Seen, state: &State) -> Slip {
        let anchor = self.anchored(state).unwrap_or(*relative);
        let normal = self.anchored_normal(&anchor, state).unwrap_or(seen.near.normal);
        let arm = match &self.ground {
            // A wheel: from its centre to where it touches.
            Ground::Surface { .. } => seen.relative.position - relative.position,
            _ => normal * -seen.radius,
        };
        Slip::with_arm(relative, &anchor, &normal, &normal, arm)
    }

    /// How far it slipped, m.
    pub(super) fn way(&self, seen: &Seen, state: &State) -> Vector2<f64> {
        if let (Ground::Surface { frame, .. }, Lie::Across(anchor)) = (&self.ground, self.lie(state)) {
            let (pose, radius) = self.carrier.glance(anchor, state);
            return self.slip_across(&(state.pose(*frame).inverse() * pose), radius, state).way;
        }
        if let (Ground::Edges(edges), Some([spot, base])) = (&self.ground, self.grip_places(state)) {
            let radius = edges.crossed(state).map_or(seen.radius, |crossed| edges.own.radius(crossed.anchor));
            return self.slip_across(&(base.pose().inverse() * *spot.pose()), radius, state).way;
        }
        if let Some([spot, base]) = self.carrier.is_ridge().then(|| self.ridge_places(state)).flatten() {
            return self.slip_of_ridge(&(base.pose().inverse() * *spot.pose()), seen, state).way;
        }
        match (&self.ground, self.ground.partner(state)) {
            (Ground::Rods { own, .. }, Some((partner, neighbour))) => {
                let [here, there] = partner.anchors;
                let relative = neighbour.skin.pose(there, state).inverse() * own.pose(here, state);
                let (radius, hollow) = neighbour.touching_radius(own, here);
                self.slip_between(&relative, radius, hollow, state).way
            }
            _ => self.slip_on(seen, state).way,
        }
    }

    /// The normal that the directions of a ridge are across.
    fn anchored_normal(&self, anchor: &Pose, state: &State) -> Option<Vector3<f64>> {
        match &self.ground {
            Ground::Surface { surface, .. } => Some(surface.gap(&anchor.position, 0.0)?.normal),
            _ => self.remembered_normal(state),
        }
    }

    /// [`Self::anchor_at`] of a ridge.
    fn anchor_ridge(&self, anchor: Block, at: &At<'_>, phase: Phase, to: &mut State) {
        let block = self.multiplier.block;
        let mut after = *at.state.block(block);
        let axes = |places: &[Spot; 2]| places[1].pose().rotation;
        let relative = |places: &[Spot; 2]| places[1].pose().inverse() * *places[0].pose();
        let mut force = Vector3::zeros();
        let normal = self.anchored(at.state).and_then(|anchor| self.anchored_normal(&anchor, at.state));
        if let (Some(places), Some(normal)) = (self.ridge_places(at.state), normal) {
            let [first, second] = across(&normal);
            force = axes(&places).rotate(&(first * after[1] + second * after[2]));
        }
        self.remember_pieces(at, to);
        if let Some(places) = self.ridge_places_by(at.state, to) {
            let relative = relative(&places);
            to.linear[anchor] = memory_of(&relative);
            let new = self.anchored_normal(&relative, to).map(|normal| across(&normal));
            let along = axes(&places).inverse().rotate(&force);
            (after[1], after[2]) = new.map_or((0.0, 0.0), |new| (new[0].dot(&along), new[1].dot(&along)));
        }
        let phase = if after[0] == 0.0 { Phase::Frozen } else { phase };
        Phase::write(phase, &Vector2::zeros(), &mut after);
        to.linear[block] = after;
    }

    /// Anchors the contact where it is at a state; forces along the surface stay what they are. `phase` is how friction goes
    /// on from there. Partners are those of `to`.
    pub fn anchor_at(&self, at: &At<'_>, phase: Phase, to: &mut State) {
        let Some(anchor) = self.anchor else { return };
        if self.carrier.is_ridge() {
            return self.anchor_ridge(anchor, at, phase, to);
        }
        let block = self.multiplier.block;
        let mut after = *at.state.block(block);
        let (met, kept) = match &self.ground {
            Ground::Surface { frame, .. } => {
                let axes = at.state.pose(*frame).rotation;
                let seen = match self.lies_across(to) {
                    true => self
                        .least_touch(at.inputs.duration > 0.0, at.state)
                        .map(|touch| (touch.seen(), Some(touch.places[0]))),
                    false => self.glance_fixed(at.state).map(|seen| (seen, None)),
                };
                let met = seen.map(|(seen, place)| {
                    let slip = match self.lies_across(at.state) {
                        true => self.slip_across(&seen.relative, seen.radius, at.state),
                        false => self.slip_on(&seen, at.state),
                    };
                    let [first, second] = slip.directions;
                    let force = axes.rotate(&(first * after[1] + second * after[2]));
                    if let Some(place) = place {
                        self.anchor_across(place, to);
                    }
                    Met { relative: seen.relative, normal: seen.near.normal, axes, force }
                });
                (met, true)
            }
            Ground::Rods { memory, .. } => {
                let [was, is] = [at.state, &*to].map(|state| self.ground.partner(state));
                let kept = was.map(|(partner, _)| partner.which) == is.map(|(partner, _)| partner.which);
                // However far it is: whoever comes to touch it in the next step slips from where it is now.
                let met = is.and_then(|(partner, near)| Some((partner, self.touch_partner(&partner, near, at)?)));
                if let Some((partner, touch)) = &met {
                    to.linear[*memory] = Partner { anchors: touch.places, ..*partner }.memory();
                }
                let met = met.map(|(_, touch)| {
                    let mut force = Vector3::zeros();
                    if kept {
                        let places = self.grip_places(at.state);
                        let old = self.grip(&touch, places.as_ref(), at.state);
                        let [first, second] = old.slip.directions;
                        force = old.base.pose().rotation.rotate(&(first * after[1] + second * after[2]));
                    }
                    let axes = touch.base.pose().rotation;
                    Met { relative: touch.relative, normal: touch.near.normal, axes, force }
                });
                (met, kept)
            }
            Ground::Edges(edges) => {
                let [was, is] = [at.state, &*to].map(|state| edges.crossed(state));
                let kept = was.map(|crossed| crossed.which) == is.map(|crossed| crossed.which);
                let met = is.and_then(|crossed| Some((crossed, edges.touch_at(&crossed, at.state)?)));
                let met = met.map(|(crossed, touch)| {
                    let mut force = Vector3::zeros();
                    if let Some(places) = self.grip_places(at.state).filter(|_| kept) {
                        let old = self.grip(&touch, Some(&places), at.state);
                        let [first, second] = old.slip.directions;
                        force = old.base.pose().rotation.rotate(&(first * after[1] + second * after[2]));
                    }
                    let s = touch.places[0];
                    to.linear[edges.memory] = Crossed { anchor: s, window: s, ..crossed }.memory();
                    let axes = touch.base.pose().rotation;
                    Met { relative: touch.relative, normal: touch.near.normal, axes, force }
                });
                (met, kept)
            }
            Ground::Ridges(_) => return,
        };
        if let Some(met) = &met {
            let new = across(&met.normal);
            let along = met.axes.inverse().rotate(&met.force);
            (after[1], after[2]) = (new[0].dot(&along), new[1].dot(&along));
        }
        if !kept {
            after[0] = 0.0;
        }
        let phase = if after[0] == 0.0 { Phase::Frozen } else { phase };
        Phase::write(phase, &Vector2::zeros(), &mut after);
        let relative = match (&met, &self.ground) {
            (Some(met), _) => Some(met.relative),
            // Beyond the end of a surface: it may come onto it in the next step.
            (None, Ground::Surface { frame, .. }) => {
                let (pose, _) = self.carrier.glance(self.carrier.fixed_place(), at.state);
                Some(at.state.pose(*frame).inverse() * pose)
            }
            (None, Ground::Rods { .. } | Ground::Ridges(_) | Ground::Edges(_)) => None,
        };
        if let Some(relative) = relative {
            to.linear[anchor] = memory_of(&relative);
        }
        to.linear[block] = after;
    }

    /// Slip counts from a pose seen from what is touched; nothing holds along the surface yet.
    pub(super) fn anchor_where(&self, relative: &Pose, to: &mut State) {
        let Some(anchor) = self.anchor else { return };
        to.linear[anchor] = memory_of(relative);
        Phase::write(Phase::Frozen, &Vector2::zeros(), &mut to.linear[self.multiplier.block]);
    }

    /// Slip from a new partner counts from where the two meet.
    pub fn anchor_partner(&self, at: &At<'_>, to: &mut State) {
        let (Ground::Rods { memory, .. }, Some(anchor)) = (&self.ground, self.anchor) else { return };
        let partner = self.ground.partner(to);
        let met = partner.and_then(|(partner, near)| Some((partner, self.touch_partner(&partner, near, at)?)));
        if let Some((partner, touch)) = met {
            to.linear[*memory] = Partner { anchors: touch.places, ..partner }.memory();
            to.linear[anchor] = memory_of(&touch.relative);
        }
        Phase::write(Phase::Frozen, &Vector2::zeros(), &mut to.linear[self.multiplier.block]);
    }
}

/// Where a contact is when it is anchored.
struct Met {
    relative: Pose,
    normal: Vector3<f64>,
    /// Axes of what is touched.
    axes: Rotation,
    /// Force along the surface that goes on, world axes, N.
    force: Vector3<f64>,
}

/// A pose that slip counts from, as it is remembered.
fn memory_of(relative: &Pose) -> Vector6<f64> {
    let (turn, x) = (relative.rotation.log(), relative.position);
    Vector6::new(turn.x, turn.y, turn.z, x.x, x.y, x.z)
}

/// Two directions across a normal.
fn across(normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let least = normal.iamin();
    let axis = Vector3::from_fn(|i, _| if i == least { 1.0 } else { 0.0 });
    let first = normal.cross(&axis).try_normalize(0.0).unwrap_or(Vector3::x());
    [first, normal.cross(&first)]
}

/// Two directions across a normal, as they were across an earlier one and turned with it.
fn turned(before: &Vector3<f64>, now: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let (turn, cosine) = (before.cross(now), before.dot(now));
    // Nothing is turned about by half a turn in one step.
    across(before).map(|e| e + turn.cross(&e) + turn.cross(&turn.cross(&e)) / (1.0 + cosine).max(1e-6))
}
