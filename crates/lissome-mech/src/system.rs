//! The compiled system: rods, bodies, joints, closures, cables and loads on pose slots. Built once, never changed.

use crate::State;
use crate::cable::CompiledCable;
use crate::closure::Closure;
use crate::element::spline::SplineRod;
use crate::element::spline::line_load::LineLoads;
use crate::element::spline::rod::Winding;
use crate::inputs::Inputs;
use crate::joint::CompiledJoint;
use crate::load::{FactorOf, SectionLoad};
use crate::sink::Node;
use crate::slots::{Place, Source};
use lissome_lie::Pose;
use lissome_model::{Drive, Invalid, Scene, StrainForm};
use lissome_sparse::kkt::Pattern;
use nalgebra::{Vector3, Vector6};

/// A wrench on one slot.
#[derive(Clone, Copy, Debug)]
pub struct PoseLoad {
    /// The slot.
    pub pose: usize,
    /// What acts there.
    pub load: SectionLoad,
    /// Which input scales it.
    pub factor: FactorOf,
}

/// A rigid body as it is computed.
#[derive(Clone, Debug)]
pub struct CompiledBody {
    /// Slot of its frame.
    pub slot: usize,
    /// Mass in that frame, angular part first.
    pub mass: nalgebra::Matrix6<f64>,
    /// Where it is in the beginning, if nothing carries it.
    pub start: Option<Pose>,
}

/// A part of a robot, by index in the scene (closures: in the system).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Part {
    Rod(usize),
    Body(usize),
    Joint(usize),
    Closure(usize),
    Cable(usize),
}

/// Names of the scene's parts, for messages.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Names {
    pub bodies: Vec<String>,
    pub joints: Vec<String>,
    pub cables: Vec<String>,
}

/// A compiled scene.
#[derive(Clone, Debug)]
pub struct System {
    /// The rods, in the order of the scene.
    pub rods: Vec<SplineRod>,
    /// Line loads of each rod.
    pub line_loads: Vec<Vec<LineLoads>>,
    /// The bodies, in the order of the scene.
    pub bodies: Vec<CompiledBody>,
    /// The joints; a universal one is two in a row.
    pub joints: Vec<CompiledJoint>,
    /// Slot of the frame after each joint of the scene.
    pub joint_slots: Vec<usize>,
    /// What closes loops.
    pub closures: Vec<Closure>,
    /// The cables, and forces toward points.
    pub cables: Vec<CompiledCable>,
    /// Wrenches on slots.
    pub pose_loads: Vec<PoseLoad>,
    /// Where each pose comes from.
    pub sources: Vec<Source>,
    /// How poses are renewed, carriers first.
    pub places: Vec<Place>,
    /// The unknowns of every node: slots, stresses, joints, closures, cables.
    pub nodes: Vec<Node>,
    /// Node of each slot for rods; `None` if it is prescribed.
    pub pose_node: Vec<Option<usize>>,
    /// Node of each stress.
    pub stress_node: Vec<usize>,
    /// Groups of free bodies that cables hold, and no rod.
    pub loose_bodies: Vec<usize>,
    /// Slots that move with several groups.
    pub branching: Vec<usize>,
    /// Number of terms that slots refer to.
    pub term_count: usize,
    /// Groups and couplings of the matrix.
    pub pattern: Pattern,
    /// Rows of each group.
    pub group_rows: Vec<std::ops::Range<usize>>,
    /// Negative pivots of the saddle matrix at a stable equilibrium: stresses and multipliers.
    pub negative_pivots: usize,
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
    /// Length that distances are compared with where no rod is at hand, m.
    pub length_scale: f64,
    /// Force that bending resists with, N: the smallest EI/L² of the rods.
    pub force_scale: f64,
    /// Names of the parts.
    pub names: Names,
    /// What the scene's drives start from.
    pub nominal: Inputs,
    /// The scene's drives.
    pub drives: Vec<Drive>,
}

impl System {
    /// Numbers the unknowns and places every load. The scene must have passed [`Scene::validate`].
    pub fn compile(scene: &Scene) -> Result<Self, Invalid> {
        crate::compile::Compiler::new(scene)?.finish()
    }

    /// True if every load derives from a potential, so that the tangent is symmetric.
    pub fn is_conservative(&self) -> bool {
        self.pose_loads.iter().all(|at| at.load.is_conservative())
            && self.line_loads.iter().flatten().flat_map(|line| &line.at_points).all(SectionLoad::is_conservative)
    }

    /// Inputs at a moment of the scene's drives.
    pub fn inputs_at(&self, moment: f64) -> Inputs {
        let mut inputs = self.nominal.clone();
        inputs.drive(&self.drives, moment);
        inputs
    }

    /// Number of scalar unknowns.
    pub fn unknowns(&self) -> usize {
        self.pattern.rows()
    }

    /// Groups of the poses and joints: where displacements live.
    pub fn displacement_groups(&self) -> impl Iterator<Item = usize> + '_ {
        let joints = self.joints.iter().filter_map(|joint| joint.node);
        (0..self.sources.len()).chain(joints).filter_map(|node| match self.nodes[node] {
            Node::Own(group) => Some(group),
            _ => None,
        })
    }

    /// The part whose unknowns a group holds.
    pub fn part_of(&self, group: usize) -> Option<Part> {
        let node = self.nodes.iter().position(|node| *node == Node::Own(group))?;
        let rod = |slot: usize| {
            self.rods.iter().position(|rod| (rod.first_pose..rod.first_pose + rod.pose_count).contains(&slot))
        };
        let stress = || {
            let stress = self.stress_node.iter().position(|own| *own == node)?;
            self.rods.iter().position(|rod| (rod.first_stress..rod.first_stress + rod.stress_count()).contains(&stress))
        };
        let joint = || {
            let joint = self.joints.iter().find(|joint| joint.node == Some(node) || joint.limit_node == Some(node))?;
            Some(Part::Joint(joint.model))
        };
        rod(node)
            .map(Part::Rod)
            .or_else(|| self.bodies.iter().position(|body| body.slot == node).map(Part::Body))
            .or_else(|| self.closures.iter().position(|closure| closure.node == Some(node)).map(Part::Closure))
            .or_else(joint)
            .or_else(|| self.cables.iter().position(|cable| cable.node == Some(node)).map(Part::Cable))
            .or_else(|| stress().map(Part::Rod))
    }

    /// Control poses of a rod.
    pub fn rod_poses<'a>(&self, rod: usize, state: &'a State) -> &'a [Pose] {
        &state.poses[self.rods[rod].first_pose..][..self.rods[rod].pose_count]
    }

    /// Group of a stress of a mixed rod.
    pub fn stress_group(&self, stress: usize) -> Option<usize> {
        match self.nodes.get(self.stress_node[stress]) {
            Some(Node::Own(group)) => Some(*group),
            _ => None,
        }
    }

    /// Every rod in its natural shape on what it stands on, without stress.
    pub fn natural_state(&self) -> State {
        self.wound_state(Winding::Short)
    }

    /// The same, where rods held at both ends are turned evenly along their length so that their far ends have the right
    /// orientation; `winding` says which way round.
    pub fn wound_state(&self, winding: Winding) -> State {
        let inputs = self.inputs_at(0.0);
        let mut state = State {
            poses: vec![Pose::identity(); self.sources.len()],
            stress: vec![Vector6::zeros(); self.stress_node.len()],
            aims: vec![Pose::identity(); self.closures.len()],
            reactions: vec![Vector6::zeros(); self.closures.len()],
            joints: self
                .joints
                .iter()
                .map(|joint| match joint.node {
                    Some(_) => joint.at(&joint.start),
                    None => joint.at(&self.driven_value(joint, &inputs)),
                })
                .collect(),
            tensions: vec![0.0; self.cables.len()],
        };
        for body in &self.bodies {
            if let Some(start) = body.start {
                state.poses[body.slot] = start;
            }
        }
        for rod in &self.rods {
            // Each stands on the identity; settling moves it to its place.
            state.poses[rod.first_pose..][..rod.pose_count].copy_from_slice(&rod.natural_poses());
        }
        self.settle(&mut state);
        for closure in &self.closures {
            if let Some(rod) = closure.rod {
                let rod = &self.rods[rod];
                let target = state.poses[closure.frame];
                rod.turn_evenly(&mut state.poses[rod.first_pose..][..rod.pose_count], &target, winding);
            }
        }
        if self.rods.len() > 1 || !self.bodies.is_empty() {
            self.settle(&mut state);
        }
        state
    }

    /// A start near an equilibrium of the same scene compiled with other resolutions.
    pub fn resampled_state(&self, coarse: &System, from: &State) -> State {
        let mut state = self.natural_state();
        state.joints.copy_from_slice(&from.joints);
        for (body, other) in self.bodies.iter().zip(&coarse.bodies) {
            state.poses[body.slot] = from.poses[other.slot];
        }
        for (rod, coarse) in self.rods.iter().zip(&coarse.rods) {
            rod.resample(coarse, from, &mut state);
        }
        self.settle(&mut state);
        state.reactions.copy_from_slice(&from.reactions);
        state.tensions.copy_from_slice(&from.tensions);
        state
    }

    /// Blocks that are stresses.
    pub fn stress_blocks(&self) -> usize {
        self.rods.iter().filter(|rod| rod.form != StrainForm::Printed).map(SplineRod::increments).sum()
    }
}
