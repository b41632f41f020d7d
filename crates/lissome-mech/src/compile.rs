//! From a scene to a system: slots for every pose, contributions on them.

mod at_rest;
mod line_loads;
mod refill;
mod renew;

use crate::attach::Attach;
use crate::body::Body;
use crate::chain::Chains;
use crate::contribution::{Multiplier, Scales};
use crate::index::{Block, Group, JointIndex, Node, RodIndex, Slot};
use crate::inputs::Inputs;
use crate::joint::{Joint, Subgroup, TubeAngle};
use crate::kind::Kinds;
use crate::kind::contact::surface;
use crate::layout::{Layout, Place, RodPlace, Source};
use crate::names::Names;
use crate::node::{Homes, Role};
use crate::numbering::Numbering;
use crate::rod::strain_basis::StrainBasisRod;
use crate::rod::tendons::line::routes_of;
use crate::rod::{Rod, tubes};
use crate::system::System;
use crate::values::Values;
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, Inertia, Invalid, Item, JointMotion, Mount, Scene};
use nalgebra::{Matrix6, Vector3, Vector6};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Work in progress.
struct Compiler<'s> {
    scene: &'s Scene,
    rods: Vec<Arc<Rod>>,
    places_of_rods: Vec<RodPlace>,
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    joint_slots: Vec<Slot>,
    sources: Vec<Source>,
    offsets: Vec<Pose>,
    places: Vec<Place>,
    world: Slot,
    /// Slots of frames with an offset: carrier and bits of the offset.
    known: BTreeMap<(Slot, [u64; 7]), Slot>,
    /// Slots that something follows.
    carries: Vec<bool>,
    /// Slots that something is tied to as it is, without an offset.
    tied_to: Vec<Slot>,
    embedded: Vec<Slot>,
    roles: Vec<Role>,
    block_nodes: Vec<Option<Node>>,
    /// Slots of the frames that contributions asked for, one after the other.
    asked: Vec<Slot>,
    /// First block behind stresses and tensions.
    first_multiplier: Block,
}

impl System {
    /// Numbers the unknowns and places every load. The scene must have passed [`Scene::validate`].
    pub fn compile(scene: &Scene) -> Result<Self, Invalid> {
        let (mut layout, mut values) = lay_out(scene, None, &[])?;
        Numbering::of(&mut layout, &mut values);
        let mut system = Self { layout: Arc::new(layout), values, names: Names::of(scene) };
        system.note_natural_state(scene, None)?;
        Ok(system)
    }
}

/// Slots, nodes and values of a scene; nothing is numbered yet, and nothing knows the natural state. Rods that are the same in a
/// system that is known are taken from there.
fn lay_out(scene: &Scene, known: Option<&System>, same: &[bool]) -> Result<(Layout, Values), Invalid> {
    scene.obstacles.iter().try_for_each(surface::validate)?;
    let mut compiler = Compiler::new(scene, known, same)?;
    compiler.make_slots();
    compiler.carry()?;
    compiler.note_ties();
    // Contributions make slots for the places they act on, and slots are numbered before everything else: the first round
    // makes the slots, the second finds them and numbers the rest.
    compiler.number_nodes();
    Kinds::make_slots(&mut compiler);
    compiler.embedded.clear();
    compiler.asked.clear();
    compiler.number_nodes();
    let kinds = Kinds::compile(&mut compiler);
    Ok(compiler.finish(kinds))
}

impl<'s> Compiler<'s> {
    fn new(scene: &'s Scene, known: Option<&System>, same: &[bool]) -> Result<Self, Invalid> {
        let mut rods: Vec<Arc<Rod>> = Vec::with_capacity(scene.rods.len());
        let mut places_of_rods: Vec<RodPlace> = Vec::with_capacity(scene.rods.len());
        let (mut poses, mut stresses, mut tensions) = (0, 0, 0);
        for (index, breaks) in scene.places_by_rod().into_iter().enumerate() {
            let rod = match known.filter(|_| same[index]) {
                Some(system) => system.values.rods[index].clone(),
                None => Arc::new(compile_rod(scene, index, &breaks, known)?),
            };
            places_of_rods.push(RodPlace {
                first_pose: Slot::new(poses),
                pose_count: rod.curve().pose_count(),
                first_stress: Block::new(stresses),
                stress_count: rod.stress_count(),
                // Counted from the first stress until the nodes before it are known.
                first_stress_node: Node::new(stresses),
                // Counted from the first tension until the stresses before it are known.
                first_tension: Block::new(tensions),
                tension_count: rod.tension_count(),
                first_coordinate: None,
            });
            tensions += rod.tension_count();
            poses += rod.curve().pose_count();
            stresses += rod.stress_count();
            rods.push(rod);
        }
        for place in &mut places_of_rods {
            place.first_tension = place.first_tension.after(stresses);
        }
        let room = known.map_or(0, |system| system.layout.sources.len());
        let mut compiler = Self {
            scene,
            rods,
            places_of_rods,
            bodies: Vec::with_capacity(known.map_or(0, |system| system.values.bodies.len())),
            joints: Vec::with_capacity(known.map_or(0, |system| system.values.joints.len())),
            joint_slots: Vec::new(),
            sources: Vec::with_capacity(room),
            offsets: Vec::with_capacity(room),
            places: Vec::with_capacity(room),
            world: Slot::new(poses),
            known: BTreeMap::new(),
            carries: Vec::with_capacity(room),
            tied_to: Vec::new(),
            embedded: Vec::new(),
            roles: Vec::with_capacity(known.map_or(0, |system| system.layout.roles.len())),
            block_nodes: Vec::with_capacity(known.map_or(0, |system| system.layout.block_nodes.len())),
            asked: Vec::new(),
            first_multiplier: Block::new(0),
        };
        for index in 0..compiler.rods.len() {
            let (count, anchor) = (compiler.rods[index].curve().pose_count(), compiler.rods[index].curve().anchor());
            let follows = compiler.rods[index].strain_basis().is_some();
            for local in 0..count {
                let source = if follows && local != anchor { Source::Strained } else { Source::Own };
                compiler.new_slot(source, Pose::identity());
            }
        }
        compiler.new_slot(Source::Fixed, Pose::identity());
        Ok(compiler)
    }

    fn new_slot(&mut self, source: Source, offset: Pose) -> Slot {
        self.sources.push(source);
        self.offsets.push(offset);
        self.carries.push(false);
        Slot::new(self.sources.len() - 1)
    }

    fn follow(&mut self, slot: Slot, parent: Slot, offset: Pose, joint: Option<JointIndex>) {
        self.sources[slot] = Source::Follows { parent, joint };
        self.offsets[slot] = offset;
        self.carries[parent] = true;
    }

    /// Slots of bodies and joints, before anything says what carries them.
    fn make_slots(&mut self) {
        for body in &self.scene.bodies {
            let start = match body.mount {
                Mount::Free(pose) => Some(pose),
                Mount::On(_) => None,
            };
            let slot = self.new_slot(Source::Own, Pose::identity());
            self.bodies.push(Body { slot, mass: body.inertia.matrix(), start });
        }
        for (model, joint) in self.scene.joints.iter().enumerate() {
            let mut first = 0;
            let mut last = None;
            for subgroup in Subgroup::of(&joint.kind) {
                let slot = self.new_slot(Source::Fixed, Pose::identity());
                let index = JointIndex::new(self.joints.len());
                self.joints.push(Joint {
                    index,
                    model: Some(model),
                    tube: None,
                    strain_of: None,
                    first,
                    subgroup,
                    slot,
                    // Counted from the first joint until the slots before it are known.
                    node: Node::new(index.index()),
                    driven: matches!(joint.motion, JointMotion::Driven { .. }),
                    start: subgroup.own(joint.start().get(first..).unwrap_or_default()),
                });
                first += subgroup.freedom;
                last = Some(slot);
            }
            let slot = last.unwrap_or_else(|| self.new_slot(Source::Fixed, Pose::identity()));
            self.joint_slots.push(slot);
        }
        for rod in 0..self.scene.rods.len() {
            self.make_tube_joints(rod);
        }
        for rod in 0..self.scene.rods.len() {
            self.make_coordinates(rod);
        }
    }

    /// The coordinates of a rod on a strain basis, a joint for each block.
    fn make_coordinates(&mut self, rod: usize) {
        let Some(own) = self.rods[rod].strain_basis() else { return };
        let subgroups = strain_subgroups(own);
        let place = &mut self.places_of_rods[rod];
        place.first_coordinate = Some(JointIndex::new(self.joints.len()));
        let slot = place.first_pose.after(place.pose_count - 1);
        for subgroup in subgroups {
            let index = JointIndex::new(self.joints.len());
            self.joints.push(Joint {
                index,
                model: None,
                tube: None,
                strain_of: Some(rod),
                first: 0,
                subgroup,
                slot,
                node: Node::new(index.index()),
                driven: false,
                start: Vector6::zeros(),
            });
        }
    }

    /// Angles of tubes: that of the innermost at its entry, and one of every further tube on each control pose that it
    /// reaches, which carries the inertia of its piece of the tube about the tangent.
    fn make_tube_joints(&mut self, rod: usize) {
        let Some(set) = &self.scene.rods[rod].tubes else { return };
        self.new_tube_joint(TubeAngle { rod, tube: 0, index: 0, axis: 0 }, tubes::is_held(&set.tubes[0]));
        for (number, tube) in set.tubes.iter().enumerate().skip(1) {
            let lengths = tubes::lumped_lengths(self.rods[rod].curve(), tube.insertion);
            for axis in 0..tubes::fields(set) {
                // The guide holds sections parallel at the entry: no tilt there.
                for (index, length) in lengths.iter().enumerate().skip(usize::from(axis > 0)) {
                    let held = index == 0 && tubes::is_held(tube);
                    let slot = self.new_tube_joint(TubeAngle { rod, tube: number, index, axis }, held);
                    if held {
                        continue;
                    }
                    let inertia = if axis == 0 { tube.polar_inertia() } else { tube.rotary_inertia() };
                    let turning = Vector6::ith(axis, length * inertia);
                    self.bodies.push(Body { slot, mass: Matrix6::from_diagonal(&turning), start: None });
                }
            }
        }
    }

    fn new_tube_joint(&mut self, angle: TubeAngle, driven: bool) -> Slot {
        let slot = self.new_slot(Source::Fixed, Pose::identity());
        let index = JointIndex::new(self.joints.len());
        self.joints.push(Joint {
            index,
            model: None,
            tube: Some(angle),
            strain_of: None,
            first: 0,
            subgroup: Subgroup::turn_about(angle.axis),
            slot,
            node: Node::new(index.index()),
            driven,
            start: Vector6::zeros(),
        });
        slot
    }

    /// The frame behind the entry of a rod of tubes, where the innermost has turned.
    fn entry_of(&self, rod: usize) -> Option<(JointIndex, Slot)> {
        let entry = |joint: &&Joint| joint.tube == Some(TubeAngle { rod, tube: 0, index: 0, axis: 0 });
        self.joints.iter().find(entry).map(|joint| (joint.index, joint.slot))
    }

    /// Angles of further tubes stand on the control poses. Nothing may stand on a far end that is held.
    fn carry_tubes(&mut self, rod: usize) {
        let place = self.places_of_rods[rod];
        let last = place.pose_count - 1 - usize::from(self.scene.rods[rod].tip.is_some());
        let further = self.joints.iter().filter_map(|joint| {
            let angle = joint.tube.filter(|angle| angle.rod == rod && angle.tube > 0)?;
            Some((joint.index, joint.slot, place.first_pose.after(angle.index.min(last))))
        });
        for (joint, slot, pose) in further.collect::<Vec<_>>() {
            self.follow(slot, pose, Pose::identity(), Some(joint));
            self.places.push(Place::Follow(slot));
        }
    }

    /// The slot of a frame; the same one each time it is asked for.
    fn slot_of(&mut self, frame: &Frame) -> Slot {
        let parent = self.carrier(frame.of);
        if frame.pose == Pose::identity() {
            return parent;
        }
        let ([w, x, y, z], p) = (frame.pose.rotation.stored(), frame.pose.position);
        let key = (parent, [w, x, y, z, p.x, p.y, p.z].map(f64::to_bits));
        if let Some(slot) = self.known.get(&key) {
            return *slot;
        }
        let slot = self.new_slot(Source::Fixed, Pose::identity());
        self.follow(slot, parent, frame.pose, None);
        self.places.push(Place::Follow(slot));
        self.known.insert(key, slot);
        slot
    }

    /// The slot that carries a frame.
    fn carrier(&self, of: FrameOf) -> Slot {
        match of {
            FrameOf::World => self.world,
            FrameOf::Body(body) => self.bodies[body].slot,
            FrameOf::Joint(joint) => self.joint_slots[joint],
            FrameOf::Rod { rod, s } => self.rod_slot(rod, s),
        }
    }

    /// Who carries whom, carriers first.
    fn carry(&mut self) -> Result<(), Invalid> {
        for item in self.scene.assembly_order()? {
            let on = self.scene.carrier(item).map(|frame| (self.carrier(frame.of), frame.pose));
            match item {
                Item::Body(index) => {
                    let slot = self.bodies[index].slot;
                    self.places.push(if on.is_some() { Place::Follow(slot) } else { Place::Own(slot) });
                    if let Some((parent, offset)) = on {
                        self.follow(slot, parent, offset, None);
                    }
                }
                Item::Rod(index) => {
                    let rod = RodIndex::new(index);
                    if let Some((mut parent, mut offset)) = on {
                        let anchor = self.places_of_rods[rod].first_pose.after(self.rods[rod].curve().anchor());
                        if let Some((joint, slot)) = self.entry_of(index) {
                            self.follow(slot, parent, offset, Some(joint));
                            self.places.push(Place::Follow(slot));
                            (parent, offset) = (slot, Pose::identity());
                        }
                        self.follow(anchor, parent, offset, None);
                    }
                    self.places.push(Place::Chain(rod));
                    self.carry_tubes(index);
                }
                Item::Joint(index) => self.carry_joint(index),
            }
        }
        Ok(())
    }

    fn carry_joint(&mut self, index: usize) {
        let frame = self.scene.joints[index].parent;
        let (mut parent, mut offset) = (self.carrier(frame.of), frame.pose);
        // The joints of one joint of the scene stand in a row.
        let scene_joints = self.joints.partition_point(|joint| joint.model.is_some());
        let before = |limit: usize| self.joints[..scene_joints].partition_point(|joint| joint.model < Some(limit));
        let own = before(index)..before(index + 1);
        if own.is_empty() {
            let slot = self.joint_slots[index];
            self.follow(slot, parent, offset, None);
            self.places.push(Place::Follow(slot));
        }
        for joint in own {
            let slot = self.joints[joint].slot;
            self.follow(slot, parent, offset, Some(JointIndex::new(joint)));
            self.places.push(Place::Follow(slot));
            (parent, offset) = (slot, Pose::identity());
        }
    }

    /// Slots that closures and held tips are tied to directly.
    fn note_ties(&mut self) {
        let scene = self.scene;
        let tips = scene.rods.iter().filter_map(|rod| rod.base.and(rod.tip));
        let closures = scene.closures.iter().flat_map(|closure| [closure.a, closure.b]);
        self.tied_to = tips.chain(closures).map(|frame| self.carrier(frame.of)).collect();
        self.tied_to.sort_unstable();
    }

    /// Starts the numbering of nodes and blocks behind the slots that are there: joints, stresses; gaps and multipliers as
    /// they are asked for.
    fn number_nodes(&mut self) {
        let slots = self.sources.len();
        self.roles.clear();
        self.roles.resize(slots, Role::Pose);
        for joint in &mut self.joints {
            joint.node = Node::new(self.roles.len());
            self.roles.push(Role::Joint);
        }
        // Every rod that may be embedded has a gap of its own, used or not, so that gaps come before stresses.
        self.roles.extend(std::iter::repeat_n(Role::Gap, self.held_rods()));
        self.block_nodes.clear();
        for (rod, place) in self.rods.iter().zip(&mut self.places_of_rods) {
            if let Some(first) = place.first_coordinate {
                // Blocks of coordinates are copies of what the joints hold.
                place.first_stress_node = self.joints[first].node;
                self.block_nodes.extend(std::iter::repeat_n(None, rod.stress_count()));
                continue;
            }
            place.first_stress_node = Node::new(self.roles.len());
            for a in 0..rod.stress_count() {
                let node = place.first_stress_node.after(a);
                self.block_nodes.push(rod.has_independent_stress().then_some(node));
                self.roles.push(Role::Stress);
            }
        }
        let tensions: usize = self.rods.iter().map(|rod| rod.tension_count()).sum();
        self.block_nodes.extend(std::iter::repeat_n(None, tensions));
        self.first_multiplier = Block::new(self.block_nodes.len());
    }

    /// Number of rods that are held at both ends.
    fn held_rods(&self) -> usize {
        self.scene.rods.iter().filter(|rod| rod.base.is_some() && rod.tip.is_some()).count()
    }

    fn finish(self, kinds: Kinds) -> (Layout, Values) {
        let scene = self.scene;
        let scales = scales(scene, &self.rods);
        let stress_nodes = self.places_of_rods.iter().flat_map(|place| {
            let first = place.first_stress_node;
            (0..place.stress_count).map(move |a| first.after(a))
        });
        let layout = Layout {
            stress_nodes: stress_nodes.collect(),
            first_multiplier: self.first_multiplier,
            asked: self.asked,
            sources: self.sources,
            places: self.places,
            rods: self.places_of_rods,
            joint_slots: self.joint_slots,
            embedded: self.embedded,
            roles: self.roles,
            homes: Homes::default(),
            pose_nodes: Vec::new(),
            block_nodes: self.block_nodes,
            parts: Vec::new(),
            loose_bodies: Vec::new(),
            branching: Vec::new(),
            displacements: Vec::new(),
            first_gap: Group::new(0),
            term_count: 0,
            chains: Chains::default(),
            pattern: Default::default(),
            negative_pivots: 0,
        };
        let line_loads = line_loads::line_loads(scene, &self.rods);
        let values = Values {
            rods: self.rods,
            line_loads,
            bodies: self.bodies,
            joints: self.joints,
            kinds,
            offsets: self.offsets,
            gravity: scene.gravity,
            scales,
            nominal: Inputs::nominal(scene),
            drives: scene.drives.clone(),
        };
        (layout, values)
    }
}

impl<'s> Attach<'s> for Compiler<'s> {
    type Rod = Rod;

    fn scene(&self) -> &'s Scene {
        self.scene
    }

    fn slot(&mut self, frame: &Frame) -> Slot {
        let slot = self.slot_of(frame);
        self.asked.push(slot);
        slot
    }

    fn rod_slot(&self, rod: usize, s: f64) -> Slot {
        let rod = RodIndex::new(rod);
        self.places_of_rods[rod].first_pose.after(self.rods[rod].curve().pose_at_knot(s))
    }

    fn rod_stress(&self, rod: usize) -> Block {
        self.places_of_rods[rod].first_stress
    }

    fn rod_stress_node(&self, rod: usize) -> Node {
        self.places_of_rods[rod].first_stress_node
    }

    fn rod_tension(&self, rod: usize) -> Block {
        self.places_of_rods[rod].first_tension
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
        let node = Node::new(self.roles.len());
        self.roles.push(Role::Multiplier);
        self.block_nodes.push(Some(node));
        Multiplier { block: Block::new(self.block_nodes.len() - 1), node: Some(node) }
    }

    fn reaction(&mut self) -> Block {
        self.block_nodes.push(None);
        Block::new(self.block_nodes.len() - 1)
    }

    fn far_end(&self, rod: RodIndex) -> Slot {
        self.places_of_rods[rod].first_pose.after(self.rods[rod].curve().far_end())
    }

    fn embed(&mut self, tied: Slot, frame: Slot) -> Option<Node> {
        if self.sources[tied] == Source::Strained {
            // It has no unknowns that a frame could take the place of.
            return None;
        }
        if self.tied_to.binary_search(&tied).is_ok() || self.carries[tied] {
            // The first round may have embedded it before it was known what stands on it.
            self.sources[tied] = Source::Own;
            return None;
        }
        let gaps = self.roles.iter().position(|role| *role == Role::Gap)?;
        let gap = Node::new(gaps + self.embedded.len());
        self.sources[tied] = Source::Embedded { frame, gap };
        self.embedded.push(tied);
        Some(gap)
    }
}

/// A rod of a scene, with what it has in common with that of a system that is known.
fn compile_rod(scene: &Scene, index: usize, breaks: &[f64], known: Option<&System>) -> Result<Rod, Invalid> {
    let model = &scene.rods[index];
    let (path, routes) = (model.path(), routes_of(scene, index));
    match known {
        Some(system) => Rod::compile_beside(model, &path, breaks, routes, Some(&system.values.rods[index])),
        None => Rod::compile(model, &path, breaks, routes),
    }
}

/// What the coordinates of a rod on a strain basis move, block by block.
fn strain_subgroups(rod: &StrainBasisRod) -> Vec<Subgroup> {
    let basis = rod.basis();
    let block = |block: &Range<usize>| Subgroup::strains(basis.coordinates[block.clone()].iter().map(|own| own.strain));
    basis.blocks.iter().map(block).collect()
}

/// Sizes that forces and distances of a scene are compared with.
fn scales(scene: &Scene, rods: &[Arc<Rod>]) -> Scales {
    let softest = rods.iter().map(|rod| rod.curve().bending_force()).fold(f64::INFINITY, f64::min);
    let weight = || {
        let mass: f64 = scene.bodies.iter().map(|body| body.inertia.mass).sum();
        let acceleration = if scene.gravity == Vector3::zeros() { 1.0 } else { scene.gravity.norm() };
        if mass > 0.0 { mass * acceleration } else { 1.0 }
    };
    Scales { force: if softest.is_finite() { softest } else { weight() }, length: length_scale(scene, rods) }
}

/// Length that distances are compared with where no rod is at hand, m.
fn length_scale(scene: &Scene, rods: &[Arc<Rod>]) -> f64 {
    let longest = rods.iter().map(|rod| rod.curve().length()).fold(0.0, f64::max);
    if longest > 0.0 {
        return longest;
    }
    // Without rods, the bodies tell: how far their mass lies from where they are held, and how far apart they are.
    let arm = |body: &lissome_model::Body| {
        let Inertia { mass, centre, about_centre } = &body.inertia;
        let gyration = if *mass > 0.0 { (about_centre.trace() / mass).sqrt() } else { 0.0 };
        let free = matches!(body.mount, Mount::Free(_));
        centre.norm() + gyration + scene.bodies.first().filter(|_| free).map_or(0.0, |first| apart(first, body))
    };
    let largest = scene.bodies.iter().map(arm).fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Distance of two free bodies, m.
fn apart(a: &lissome_model::Body, b: &lissome_model::Body) -> f64 {
    match (&a.mount, &b.mount) {
        (Mount::Free(a), Mount::Free(b)) => (a.position - b.position).norm(),
        _ => 0.0,
    }
}
