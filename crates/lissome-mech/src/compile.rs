//! From a scene to a system: slots for every pose, contributions on them.

use crate::cable::{CableInput, CompiledCable, Driven};
use crate::closure::Closure;
use crate::element::spline::SplineRod;
use crate::element::spline::line_load::LineLoads;
use crate::element::spline::rod::Held;
use crate::inputs::Inputs;
use crate::joint::CompiledJoint;
use crate::load::{FactorOf, SectionLoad};
use crate::numbering::Numbering;
use crate::slots::{Place, Source};
use crate::system::{CompiledBody, Names, PoseLoad, System};
use lissome_lie::{Pose, Wrench};
use lissome_model::{
    CableDrive, Frame, FrameLoadKind, FrameOf, Invalid, Item, JointMotion, Load, LoadFrame, LoadKind, LoopMethod,
    Mount, Scene,
};
use nalgebra::Vector3;

/// Work in progress.
pub(crate) struct Compiler<'a> {
    scene: &'a Scene,
    rods: Vec<SplineRod>,
    bodies: Vec<CompiledBody>,
    joints: Vec<CompiledJoint>,
    joint_slots: Vec<usize>,
    sources: Vec<Source>,
    places: Vec<Place>,
    world: usize,
    closures: Vec<Closure>,
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Result<Self, Invalid> {
        let mut rods: Vec<SplineRod> = Vec::with_capacity(scene.rods.len());
        let (mut poses, mut stresses) = (0, 0);
        for (index, model) in scene.rods.iter().enumerate() {
            let on_rod = scene.loads.iter().filter(|load| load.rod == index);
            let mut breaks: Vec<f64> = on_rod
                .flat_map(|load| match load.kind {
                    LoadKind::Point { at, .. } => vec![at],
                    LoadKind::Distributed { from, to, .. } => vec![from, to],
                })
                .collect();
            breaks.extend(scene.stations(index));
            let rod = SplineRod::compile(model, &format!("rod.{}", model.name), &breaks, poses, stresses)?;
            poses += rod.pose_count;
            stresses += rod.stress_count();
            rods.push(rod);
        }
        let mut sources = vec![Source::Own; poses];
        let world = sources.len();
        sources.push(Source::Fixed);
        let mut compiler = Self {
            scene,
            rods,
            bodies: Vec::new(),
            joints: Vec::new(),
            joint_slots: Vec::new(),
            sources,
            places: Vec::new(),
            world,
            closures: Vec::new(),
        };
        compiler.make_slots();
        compiler.carry()?;
        compiler.close_loops();
        Ok(compiler)
    }

    /// Slots of bodies and joints, before anything says what carries them.
    fn make_slots(&mut self) {
        for body in &self.scene.bodies {
            let start = match body.mount {
                Mount::Free(pose) => Some(pose),
                Mount::On(_) => None,
            };
            self.bodies.push(CompiledBody { slot: self.sources.len(), mass: body.inertia.matrix(), start });
            self.sources.push(Source::Own);
        }
        for (index, joint) in self.scene.joints.iter().enumerate() {
            for mut compiled in CompiledJoint::compile(joint, index) {
                compiled.slot = self.sources.len();
                self.sources.push(Source::Fixed);
                self.joints.push(compiled);
            }
            if joint.freedom() == 0 {
                self.sources.push(Source::Fixed);
            }
            self.joint_slots.push(self.sources.len() - 1);
        }
    }

    /// The slot that carries a frame.
    fn carrier(&self, of: FrameOf) -> usize {
        match of {
            FrameOf::World => self.world,
            FrameOf::Body(body) => self.bodies[body].slot,
            FrameOf::Joint(joint) => self.joint_slots[joint],
            FrameOf::Rod { rod, s } => self.rods[rod].first_pose + self.rods[rod].pose_at_knot(s),
        }
    }

    /// The slot of a frame; a new one if it has an offset.
    fn slot_of(&mut self, frame: &Frame) -> usize {
        let parent = self.carrier(frame.of);
        if frame.pose == Pose::identity() {
            return parent;
        }
        self.sources.push(Source::Follows { parent, offset: frame.pose, joint: None });
        self.places.push(Place::Follow(self.sources.len() - 1));
        self.sources.len() - 1
    }

    /// Who carries whom, carriers first.
    fn carry(&mut self) -> Result<(), Invalid> {
        for item in self.scene.assembly_order()? {
            let follow = self.scene.carrier(item).map(|frame| Source::Follows {
                parent: self.carrier(frame.of),
                offset: frame.pose,
                joint: None,
            });
            match item {
                Item::Body(index) => {
                    let slot = self.bodies[index].slot;
                    self.places.push(if follow.is_some() { Place::Follow(slot) } else { Place::Own(slot) });
                    self.sources[slot] = follow.unwrap_or(Source::Own);
                }
                Item::Rod(index) => {
                    let rod = &self.rods[index];
                    self.sources[rod.first_pose + rod.anchor()] = follow.unwrap_or(Source::Own);
                    self.places.push(Place::Chain(index));
                }
                Item::Joint(index) => self.carry_joint(index),
            }
        }
        Ok(())
    }

    fn carry_joint(&mut self, index: usize) {
        let frame = self.scene.joints[index].parent;
        let (mut parent, mut offset) = (self.carrier(frame.of), frame.pose);
        let own: Vec<usize> = (0..self.joints.len()).filter(|i| self.joints[*i].model == index).collect();
        if own.is_empty() {
            let slot = self.joint_slots[index];
            self.sources[slot] = Source::Follows { parent, offset, joint: None };
            self.places.push(Place::Follow(slot));
        }
        for joint in own {
            let slot = self.joints[joint].slot;
            self.sources[slot] = Source::Follows { parent, offset, joint: Some(joint) };
            self.places.push(Place::Follow(slot));
            (parent, offset) = (slot, Pose::identity());
        }
    }

    /// Rods held at both ends, and what the scene calls closures.
    fn close_loops(&mut self) {
        let scene = self.scene;
        for (index, model) in scene.rods.iter().enumerate() {
            let (Some(_), Some(tip)) = (model.base, model.tip) else { continue };
            let frame = self.slot_of(&tip);
            let rod = &self.rods[index];
            let tied = rod.first_pose + rod.far_end();
            let embedded = scene.loops != LoopMethod::Constraints && !self.carries(tied);
            if embedded {
                self.sources[tied] = Source::Welded { closure: self.closures.len() };
            }
            self.closures.push(Closure {
                path: format!("rod.{}.tip", model.name),
                rod: Some(index),
                tied,
                frame,
                // A node that numbering replaces by the true one.
                node: (!embedded).then_some(usize::MAX),
                length: model.length,
                penalty: None,
            });
        }
        let length = self.length_scale();
        for closure in &scene.closures {
            let (frame, tied) = (self.slot_of(&closure.a), self.slot_of(&closure.b));
            let path = format!("closure.{}", closure.name);
            let node = Some(usize::MAX);
            self.closures.push(Closure { path, rod: None, tied, frame, node, length, penalty: None });
        }
    }

    /// Whether anything follows a slot or is tied to it: an embedded end cannot carry, since its own motion is only known
    /// after that of everything else.
    fn carries(&self, slot: usize) -> bool {
        let scene = self.scene;
        let follows = |source: &Source| matches!(source, Source::Follows { parent, .. } if *parent == slot);
        let on = |frame: &Frame| self.carrier(frame.of) == slot;
        let aside = |frame: &Frame| on(frame) && frame.pose != Pose::identity();
        let ties = scene.rods.iter().filter_map(|rod| rod.base.and(rod.tip));
        let mut ties = ties.chain(scene.closures.iter().flat_map(|closure| [closure.a, closure.b]));
        let points = scene.cables.iter().flat_map(|cable| cable.points.iter());
        self.sources.iter().any(follows)
            || ties.any(|frame| on(&frame))
            || points.chain(scene.frame_loads.iter().map(|load| &load.on)).any(aside)
    }

    fn length_scale(&self) -> f64 {
        let longest = self.rods.iter().map(|rod| rod.length).fold(0.0, f64::max);
        if longest > 0.0 { longest } else { 1.0 }
    }

    fn cables(&mut self) -> Vec<CompiledCable> {
        let scene = self.scene;
        let mut cables = Vec::new();
        for (index, cable) in scene.cables.iter().enumerate() {
            let points = cable.points.iter().map(|point| self.slot_of(point)).collect();
            let drive = match cable.drive {
                CableDrive::Tension(_) => Driven::Tension,
                CableDrive::Length(_) => Driven::Length,
                CableDrive::Pull(_) => Driven::Pull,
            };
            cables.push(CompiledCable {
                points,
                drive,
                input: CableInput::Cable(index),
                node: (drive != Driven::Tension).then_some(usize::MAX),
                compliance: cable.stiffness.map_or(0.0, |stiffness| 1.0 / stiffness),
                natural_length: 0.0,
            });
        }
        for (index, load) in scene.frame_loads.iter().enumerate() {
            let FrameLoadKind::Toward { point, size } = load.kind else { continue };
            let points = vec![self.slot_of(&load.on), self.slot_of(&Frame::world(Pose::at(point)))];
            cables.push(CompiledCable {
                points,
                drive: Driven::Tension,
                input: CableInput::FrameLoad(index, size),
                node: None,
                compliance: 0.0,
                natural_length: 0.0,
            });
        }
        cables
    }

    fn pose_loads(&mut self) -> Vec<PoseLoad> {
        let scene = self.scene;
        let mut loads = Vec::new();
        for (index, load) in scene.loads.iter().enumerate() {
            if let LoadKind::Point { at, wrench } = load.kind {
                let rod = &self.rods[load.rod];
                let pose = rod.first_pose + rod.pose_at_knot(at);
                loads.push(PoseLoad { pose, load: SectionLoad::on(load.frame, wrench), factor: FactorOf::Load(index) });
            }
        }
        for (index, load) in scene.frame_loads.iter().enumerate() {
            if let FrameLoadKind::Wrench { axes, wrench } = load.kind {
                let pose = self.slot_of(&load.on);
                loads.push(PoseLoad { pose, load: SectionLoad::on(axes, wrench), factor: FactorOf::FrameLoad(index) });
            }
        }
        for (index, body) in scene.bodies.iter().enumerate() {
            let weight = scene.gravity * body.inertia.mass;
            if weight != Vector3::zeros() {
                let pose = self.slot_of(&Frame::body(index).at(Pose::at(body.inertia.centre)));
                let load = SectionLoad::on(LoadFrame::World, Wrench::new(Vector3::zeros(), weight));
                loads.push(PoseLoad { pose, load, factor: FactorOf::Gravity });
            }
        }
        loads
    }

    pub(crate) fn finish(mut self) -> Result<System, Invalid> {
        let cables = self.cables();
        let pose_loads = self.pose_loads();
        let line_loads = self.rods.iter().enumerate().map(|(i, rod)| line_loads(self.scene, i, rod)).collect();
        for joint in &mut self.joints {
            let driven = matches!(self.scene.joints[joint.model].motion, JointMotion::Driven { .. });
            joint.node = (!driven).then_some(usize::MAX);
        }
        let length_scale = self.length_scale();
        let softest = self.rods.iter().map(|rod| rod.soft_bending / rod.length.powi(2)).fold(f64::INFINITY, f64::min);
        let mut system = System {
            rods: self.rods,
            line_loads,
            bodies: self.bodies,
            joints: self.joints,
            joint_slots: self.joint_slots,
            closures: self.closures,
            cables,
            pose_loads,
            sources: self.sources,
            places: self.places,
            nodes: Vec::new(),
            pose_node: Vec::new(),
            stress_node: Vec::new(),
            loose_bodies: Vec::new(),
            branching: Vec::new(),
            term_count: 0,
            pattern: Default::default(),
            group_rows: Vec::new(),
            negative_pivots: 0,
            gravity: self.scene.gravity,
            length_scale,
            force_scale: if softest.is_finite() { softest } else { 1.0 },
            names: Names {
                bodies: self.scene.bodies.iter().map(|body| body.name.clone()).collect(),
                joints: self.scene.joints.iter().map(|joint| joint.name.clone()).collect(),
                cables: self.scene.cables.iter().map(|cable| cable.name.clone()).collect(),
            },
            nominal: Inputs::nominal(self.scene),
            drives: self.scene.drives.clone(),
        };
        Numbering::of(&mut system);
        let start = system.natural_state();
        for index in 0..system.cables.len() {
            system.cables[index].natural_length = system.cables[index].length(&start);
        }
        Ok(system)
    }
}

/// Gravity and the loads along a rod, each with the input that scales it.
fn line_loads(scene: &Scene, index: usize, rod: &SplineRod) -> Vec<LineLoads> {
    let mut lines = Vec::new();
    if scene.gravity != Vector3::zeros() {
        let weight = |line_density: f64, weight: f64| {
            let force = scene.gravity * (line_density * weight);
            SectionLoad::on(LoadFrame::World, Wrench::new(Vector3::zeros(), force))
        };
        let at_points = rod.points.iter().map(|q| weight(q.line_density, q.basis.weight)).collect();
        lines.push(LineLoads { factor: FactorOf::Gravity, at_points });
    }
    let on_rod = scene.loads.iter().enumerate().filter(|(_, load)| load.rod == index);
    for (number, Load { kind, frame, .. }) in on_rod {
        if let LoadKind::Distributed { from, to, per_length } = *kind {
            let load = SectionLoad::on(*frame, per_length);
            let part =
                |s: f64, weight: f64| if s > from && s < to { load.scaled(weight) } else { SectionLoad::default() };
            let at_points = rod.points.iter().map(|q| part(q.s, q.basis.weight)).collect();
            lines.push(LineLoads { factor: FactorOf::Load(number), at_points });
        }
    }
    lines
}

impl SplineRod {
    /// Local index of the pose that the chain is integrated from.
    pub fn anchor(&self) -> usize {
        match self.held {
            Held::Base => 0,
            Held::Tip => self.increments(),
        }
    }

    /// Local index of the pose at the other end.
    pub fn far_end(&self) -> usize {
        self.increments() - self.anchor()
    }
}
