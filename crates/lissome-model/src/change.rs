//! Two scenes beside each other that differ in some of their parts alone.

use crate::joint::Joint;
use crate::{Body, Frame, FrameOf, Item, JointMotion, LoadKind, Mount, Rod, Scene, ScenePart};

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
    pub(crate) fn stands_like(&self, other: &Self) -> bool {
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
    pub(crate) fn stands_like_in(&self, other: &Self, part: ScenePart) -> bool {
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
