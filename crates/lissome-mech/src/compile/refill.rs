//! Values of a scene that is laid out as one whose system is known: every slot and node stands where it stands there, and only
//! what fills them is made anew. What does not fit is left to the compiler, which lays out slots and nodes again.

use super::{compile_rod, length_scale, line_loads, scales, strain_subgroups};
use crate::attach::Attach;
use crate::body::Body;
use crate::contribution::Multiplier;
use crate::index::{Block, Node, RodIndex, Slot};
use crate::inputs::Inputs;
use crate::joint::{Joint, Subgroup};
use crate::kind::Kinds;
use crate::kind::contact::surface;
use crate::layout::Source;
use crate::rod::Rod;
use crate::system::System;
use crate::values::Values;
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, Invalid, Item, JointMotion, Mount, Scene};
use std::sync::Arc;

/// Work in progress.
pub(super) struct Refill<'a> {
    scene: &'a Scene,
    /// The scene that the known system is of, and the system.
    known: (&'a Scene, &'a System),
    rods: Vec<Arc<Rod>>,
    joints: Vec<Joint>,
    bodies: Vec<Body>,
    offsets: Vec<Pose>,
    /// Frames that contributions have asked for.
    asked: usize,
    /// Slots whose offset such a frame gave.
    given: Vec<bool>,
    /// The first block that no contribution has taken.
    next: Block,
    /// False as soon as something is laid out otherwise.
    fits: bool,
}

impl<'a> Refill<'a> {
    /// The values of a scene, of whose rods some are the same as in another one; `None` if it may need another layout.
    pub fn values(scene: &'a Scene, known: (&'a Scene, &'a System), same: &[bool]) -> Result<Option<Values>, Invalid> {
        let counts = |scene: &Scene| (scene.rods.len(), scene.bodies.len(), scene.joints.len());
        if counts(scene) != counts(known.0) {
            return Ok(None);
        }
        scene.obstacles.iter().try_for_each(surface::validate)?;
        let Some(rods) = Self::rods(scene, known, same)? else { return Ok(None) };
        let (layout, values) = (&known.1.layout, &known.1.values);
        let mut refill = Self {
            scene,
            known,
            rods,
            joints: values.joints.clone(),
            bodies: values.bodies.clone(),
            offsets: values.offsets.clone(),
            asked: 0,
            given: vec![false; layout.sources.len()],
            next: layout.first_multiplier,
            fits: true,
        };
        refill.fill_joints();
        refill.fill_bodies();
        refill.carry();
        if !refill.fits {
            return Ok(None);
        }
        let kinds = Kinds::compile(&mut refill);
        let all = refill.next.index() == layout.block_nodes.len() && refill.asked == layout.asked.len();
        if !(refill.fits && all) {
            return Ok(None);
        }
        let Self { rods, joints, bodies, offsets, .. } = refill;
        Ok(Some(Values {
            line_loads: line_loads::line_loads(scene, &rods),
            scales: scales(scene, &rods),
            rods,
            bodies,
            joints,
            kinds,
            offsets,
            gravity: scene.gravity,
            nominal: Inputs::nominal(scene),
            drives: scene.drives.clone(),
        }))
    }

    /// The rods; `None` if one has more or fewer poses or stresses.
    fn rods(
        scene: &Scene,
        (before, known): (&Scene, &System),
        same: &[bool],
    ) -> Result<Option<Vec<Arc<Rod>>>, Invalid> {
        let mut rods = known.values.rods.clone();
        if same.iter().all(|same| *same) {
            return Ok(Some(rods));
        }
        let other = || (0..rods.len()).filter(|index| !same[*index]);
        // Most changes are of one rod.
        let breaks: Vec<(usize, Vec<f64>)> = match other().count() {
            1 => other().map(|index| (index, scene.places_on(index))).collect(),
            _ => scene.places_by_rod().into_iter().enumerate().filter(|(index, _)| !same[*index]).collect(),
        };
        for (index, breaks) in breaks {
            // Angles of tubes have inertia of their own.
            if scene.rods[index].tubes.is_some() || before.rods[index].tubes.is_some() {
                return Ok(None);
            }
            let rod = compile_rod(scene, index, &breaks, Some(known))?;
            let place = &known.layout.rods[index];
            let counts = |rod: &Rod| (rod.curve().pose_count(), rod.stress_count(), rod.tension_count());
            let other = &known.values.rods[index];
            let coordinates = |rod: &Rod| rod.strain_basis().map(strain_subgroups);
            if counts(&rod) != (place.pose_count, place.stress_count, place.tension_count)
                || rod.curve().anchor() != other.curve().anchor()
                || rod.curve().far_end() != other.curve().far_end()
                || coordinates(&rod) != coordinates(other)
            {
                return Ok(None);
            }
            rods[index] = Arc::new(rod);
        }
        Ok(Some(rods))
    }

    fn fill_joints(&mut self) {
        let Self { scene, known: (before, _), joints, fits, .. } = self;
        for joint in joints {
            let Some(model) = joint.model else { continue };
            let own = &scene.joints[model];
            if *own == before.joints[model] {
                continue;
            }
            let of_kind = Subgroup::of(&own.kind);
            let subgroup = of_kind.iter().scan(0, |first, subgroup| {
                let own = (*first, *subgroup);
                *first += subgroup.freedom;
                Some(own)
            });
            let like = subgroup
                .into_iter()
                .find(|(first, own)| *first == joint.first && own.freedom == joint.subgroup.freedom);
            let driven = matches!(own.motion, JointMotion::Driven { .. });
            match like {
                Some((first, subgroup)) if driven == joint.driven => {
                    joint.subgroup = subgroup;
                    joint.start = subgroup.own(own.start().get(first..).unwrap_or_default());
                }
                _ => *fits = false,
            }
        }
    }

    fn fill_bodies(&mut self) {
        for (index, (own, body)) in self.scene.bodies.iter().zip(&mut self.bodies).enumerate() {
            if own.inertia != self.known.0.bodies[index].inertia {
                body.mass = own.inertia.matrix();
            }
            let start = match own.mount {
                Mount::Free(pose) => Some(pose),
                Mount::On(_) => None,
            };
            self.fits &= start.is_some() == body.start.is_some();
            body.start = start;
        }
    }

    /// Where everything stands on what carries it.
    fn carry(&mut self) {
        let Scene { rods, bodies, joints, .. } = self.scene;
        for index in 0..bodies.len() {
            self.stand(Item::Body(index), self.bodies[index].slot);
        }
        for index in 0..joints.len() {
            let first = self.joints.iter().find(|joint| joint.model == Some(index)).map(|joint| joint.slot);
            self.stand(Item::Joint(index), first.unwrap_or(self.known.1.layout.joint_slots[index]));
        }
        for index in 0..rods.len() {
            let entry = self.joints.iter().find(|joint| {
                joint.tube.is_some_and(|angle| (angle.rod, angle.tube, angle.index, angle.axis) == (index, 0, 0, 0))
            });
            let anchor = self.rods[index].curve().anchor();
            let anchor = self.known.1.layout.rods[index].first_pose.after(anchor);
            self.stand(Item::Rod(index), entry.map_or(anchor, |joint| joint.slot));
        }
    }

    fn stand(&mut self, item: Item, slot: Slot) {
        let carrier = self.scene.carrier(item);
        if carrier.is_some() != self.known.0.carrier(item).is_some() {
            self.fits = false;
        }
        let Some(frame) = carrier else { return };
        match self.known.1.layout.sources[slot] {
            Source::Follows { parent, .. } if parent == self.carrier(frame.of) => self.offsets[slot] = frame.pose,
            _ => self.fits = false,
        }
    }

    /// The slot that carries a frame.
    fn carrier(&self, of: FrameOf) -> Slot {
        let layout = &self.known.1.layout;
        match of {
            FrameOf::World => layout.world(),
            FrameOf::Body(body) => self.bodies[body].slot,
            FrameOf::Joint(joint) => layout.joint_slots[joint],
            FrameOf::Rod { rod, s } => self.rod_slot(rod, s),
        }
    }

    fn take_block(&mut self) -> (Block, Option<Node>) {
        let block = self.next;
        self.next = block.after(1);
        let node = self.known.1.layout.block_nodes.get(block.index());
        self.fits &= node.is_some();
        (block, node.copied().flatten())
    }
}

impl<'a> Attach<'a> for Refill<'a> {
    type Rod = Rod;

    fn scene(&self) -> &'a Scene {
        self.scene
    }

    fn slot(&mut self, frame: &Frame) -> Slot {
        let parent = self.carrier(frame.of);
        let layout = &self.known.1.layout;
        let Some(slot) = layout.asked.get(self.asked).copied() else {
            self.fits = false;
            return parent;
        };
        self.asked += 1;
        let is_carrier = frame.pose == Pose::identity();
        if is_carrier || slot == parent {
            self.fits &= is_carrier && slot == parent;
            return slot;
        }
        // Frames that were one may have come apart.
        let moves_apart = self.given[slot] && self.offsets[slot] != frame.pose;
        self.fits &= !moves_apart && layout.sources[slot] == Source::Follows { parent, joint: None };
        self.given[slot] = true;
        self.offsets[slot] = frame.pose;
        slot
    }

    fn rod_slot(&self, rod: usize, s: f64) -> Slot {
        self.known.1.layout.rods[rod].first_pose.after(self.rods[rod].curve().pose_at_knot(s))
    }

    fn rod_stress(&self, rod: usize) -> Block {
        self.known.1.layout.rods[rod].first_stress
    }

    fn rod_stress_node(&self, rod: usize) -> Node {
        self.known.1.layout.rods[rod].first_stress_node
    }

    fn rod_tension(&self, rod: usize) -> Block {
        self.known.1.layout.rods[rod].first_tension
    }

    fn joints(&self) -> &[Joint] {
        &self.joints
    }

    fn rod(&self, rod: usize) -> &Arc<Rod> {
        &self.rods[rod]
    }

    fn length_scale(&self) -> f64 {
        length_scale(self.scene, &self.rods)
    }

    fn multiplier(&mut self, _: usize) -> Multiplier {
        let (block, node) = self.take_block();
        self.fits &= node.is_some();
        Multiplier { block, node }
    }

    fn reaction(&mut self) -> Block {
        let (block, node) = self.take_block();
        self.fits &= node.is_none();
        block
    }

    fn far_end(&self, rod: RodIndex) -> Slot {
        self.known.1.layout.rods[rod].first_pose.after(self.rods[rod].curve().far_end())
    }

    fn embed(&mut self, tied: Slot, frame: Slot) -> Option<Node> {
        match self.known.1.layout.sources[tied] {
            Source::Embedded { frame: known, gap } => {
                self.fits &= known == frame;
                Some(gap)
            }
            _ => None,
        }
    }
}
