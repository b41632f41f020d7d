//! Two scenes beside each other that differ in some of their parts alone.

use crate::joint::Joint;
use crate::{Body, Frame, FrameOf, Item, JointMotion, LoadKind, Mount, Rod, Scene};
use std::mem::discriminant;

/// A part of a scene, by its place in the list of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScenePart {
    /// Gravity.
    Gravity,
    /// A rod.
    Rod(usize),
    /// A rigid body.
    Body(usize),
    /// A joint.
    Joint(usize),
    /// What closes a loop.
    Closure(usize),
    /// A cable.
    Cable(usize),
    /// A tendon.
    Tendon(usize),
    /// Disks of a tendon.
    Disks(usize),
    /// A spring.
    Spring(usize),
    /// What may be touched.
    Obstacle(usize),
    /// A load on a rod.
    Load(usize),
    /// A load on a frame.
    FrameLoad(usize),
    /// All drives.
    Drives,
}

/// A scene that has passed the door, if there is one beside the scene that stands there, and the parts in which the two may differ, if they
/// are known.
#[derive(Clone, Copy)]
pub(crate) struct Passed<'s>(Option<&'s Scene>, Option<&'s [ScenePart]>);

impl<'s> Passed<'s> {
    /// Nothing that passed.
    pub const NOTHING: Self = Self(None, None);

    /// A scene that passed, and the parts in which the other may differ.
    pub fn beside(passed: &'s Scene, changed: Option<&'s [ScenePart]>) -> Self {
        Self(Some(passed), changed)
    }

    /// The same if the scene that passed has something in common with the other.
    pub fn when(self, alike: impl FnOnce(&Scene) -> bool) -> Self {
        Self(self.0.filter(|passed| alike(passed)), self.1)
    }

    /// True if there is no scene that passed.
    pub fn is_none(self) -> bool {
        self.0.is_none()
    }

    /// Parts that did not pass as they are.
    pub fn others<T: PartialEq + 's>(
        self,
        own: &'s [T],
        of: impl Fn(&'s Scene) -> &'s [T],
        part: fn(usize) -> ScenePart,
    ) -> impl Iterator<Item = &'s T> {
        let passed = self.0.map_or(&[][..], of);
        // Most changes are of one part.
        let own = match self.1 {
            Some(changed) if own.len() == passed.len() && !has_kind(changed, part) => &[],
            _ => own,
        };
        let is_other = move |(index, own): &(usize, &'s T)| match (passed.get(*index), self.1) {
            (None, _) => true,
            (Some(_), Some(changed)) => changed.contains(&part(*index)),
            (Some(passed), None) => passed != *own,
        };
        own.iter().enumerate().filter(is_other).map(|(_, part)| part)
    }

    /// True if a part is known to be as it passed.
    pub fn keeps(self, part: ScenePart) -> bool {
        self.0.is_some() && self.1.is_some_and(|changed| !changed.contains(&part))
    }

    /// True if nothing is different but parts of this sort.
    pub fn differs_in(self, sort: impl Fn(&ScenePart) -> bool) -> bool {
        self.0.is_some() && self.1.is_some_and(|changed| changed.iter().all(sort))
    }

    /// The same if everything in a scene stands on, and is tied to, what it is there.
    pub fn standing(self, scene: &Scene) -> Self {
        let alike = |passed: &Scene| match self.1 {
            Some(changed) => changed.iter().all(|part| scene.stands_like_in(passed, *part)),
            None => scene.stands_like(passed),
        };
        self.when(alike)
    }
}

fn has_kind(parts: &[ScenePart], kind: fn(usize) -> ScenePart) -> bool {
    parts.iter().any(|part| discriminant(part) == discriminant(&kind(0)))
}

impl Scene {
    /// The frames that a part is attached to.
    fn frames_of(&self, part: ScenePart) -> impl Iterator<Item = &Frame> {
        let (some, row): ([Option<&Frame>; 2], &[Frame]) = match part {
            ScenePart::Rod(index) => ([self.rods[index].base.as_ref(), self.rods[index].tip.as_ref()], &[]),
            ScenePart::Body(index) => match &self.bodies[index].mount {
                Mount::On(frame) => ([Some(frame), None], &[]),
                Mount::Free(_) => ([None; 2], &[]),
            },
            ScenePart::Joint(index) => ([Some(&self.joints[index].parent), None], &[]),
            ScenePart::Closure(index) => ([Some(&self.closures[index].a), Some(&self.closures[index].b)], &[]),
            ScenePart::Cable(index) => ([None; 2], &self.cables[index].points),
            ScenePart::Spring(index) => ([Some(&self.springs[index].a), Some(&self.springs[index].b)], &[]),
            ScenePart::Obstacle(index) => ([Some(&self.obstacles[index].frame), None], &[]),
            ScenePart::FrameLoad(index) => ([Some(&self.frame_loads[index].on), None], &[]),
            ScenePart::Gravity
            | ScenePart::Tendon(_)
            | ScenePart::Disks(_)
            | ScenePart::Load(_)
            | ScenePart::Drives => ([None; 2], &[]),
        };
        some.into_iter().flatten().chain(row)
    }

    /// True if everything stands on, and is tied to, what it is in another scene: whom each carries and what floats is the same.
    fn stands_like(&self, other: &Self) -> bool {
        let lists = |scene: &Self| {
            let Self { rods, bodies, joints, closures, cables, springs, obstacles, frame_loads, .. } = scene;
            [
                (ScenePart::Rod as fn(usize) -> ScenePart, rods.len()),
                (ScenePart::Body, bodies.len()),
                (ScenePart::Joint, joints.len()),
                (ScenePart::Closure, closures.len()),
                (ScenePart::Cable, cables.len()),
                (ScenePart::Spring, springs.len()),
                (ScenePart::Obstacle, obstacles.len()),
                (ScenePart::FrameLoad, frame_loads.len()),
            ]
        };
        lists(self).map(|(_, count)| count) == lists(other).map(|(_, count)| count)
            && lists(self).iter().all(|(part, count)| (0..*count).all(|index| self.stands_like_in(other, part(index))))
    }

    /// The same of one part.
    fn stands_like_in(&self, other: &Self, part: ScenePart) -> bool {
        let held = |rod: &Rod| [rod.base.is_some(), rod.tip.is_some()];
        let mounted = |body: &Body| matches!(body.mount, Mount::On(_));
        let tied = |joint: &Joint| {
            let driven = matches!(joint.motion, JointMotion::Driven { .. });
            driven || joint.stiffness.iter().any(|k| *k > 0.0)
        };
        let is_held_alike = match part {
            ScenePart::Rod(index) => held(&self.rods[index]) == held(&other.rods[index]),
            ScenePart::Body(index) => mounted(&self.bodies[index]) == mounted(&other.bodies[index]),
            ScenePart::Joint(index) => {
                let (own, other) = (&self.joints[index], &other.joints[index]);
                tied(own) == tied(other) && own.kind == other.kind
            }
            ScenePart::Spring(index) => self.springs[index].is_elastic() == other.springs[index].is_elastic(),
            _ => true,
        };
        is_held_alike && self.frames_of(part).map(Item::of).eq(other.frames_of(part).map(Item::of))
    }

    /// True if loads, attachments and kinks of tendons lie where they do along the rods of another scene, from which some parts may differ.
    pub fn has_places_of(&self, other: &Self, changed: &[ScenePart]) -> bool {
        let on_rods = |frame: &Frame| match frame.of {
            FrameOf::Rod { rod, s } => Some((rod, s)),
            _ => None,
        };
        changed.iter().all(|part| match *part {
            ScenePart::Load(index) => {
                let places = |scene: &Self| match (scene.loads[index].rod, scene.loads[index].kind) {
                    (rod, LoadKind::Point { at, .. }) => (rod, at, at),
                    (rod, LoadKind::Distributed { from, to, .. }) => (rod, from, to),
                };
                places(self) == places(other)
            }
            ScenePart::Tendon(_) => false,
            part => self.frames_of(part).filter_map(on_rods).eq(other.frames_of(part).filter_map(on_rods)),
        })
    }
}
