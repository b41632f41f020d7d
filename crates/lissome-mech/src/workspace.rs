//! Memory for evaluating a system, allocated once.

use crate::System;
use crate::element::spline::pose_map::PoseMap;
use crate::element::spline::tangent::RodScratch;
use crate::energy::Frozen;
use crate::inputs::Inputs;
use crate::load::SectionLoad;
use crate::sink::{Row, Term};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_sparse::kkt::{GeneralKktFactor, GeneralKktMatrix, KktFactor, KktMatrix};
use nalgebra::{Matrix6, Vector6};

/// Memory for evaluating a system. Dropping it never changes a result.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) scratch: Vec<RodScratch>,
    pub(crate) maps: Vec<PoseMap>,
    pub(crate) lambda: Vec<Vec<DualVector>>,
    /// Loads along each rod with their factors, point by point.
    pub(crate) line: Vec<Vec<SectionLoad>>,
    /// Loads on every slot.
    pub(crate) loads: Vec<DualVector>,
    /// The same with what rods hand to the poses they stand on, and with all that is carried.
    pub(crate) direct: Vec<DualVector>,
    pub(crate) total: Vec<DualVector>,
    /// Gradient of springs and efforts of each joint.
    pub(crate) joint_gradient: Vec<Vector6<f64>>,
    /// Rows of embedded ends.
    pub(crate) rows: Vec<Row>,
    pub(crate) terms: Vec<Term>,
    pub(crate) decided: Vec<Option<Vector6<f64>>>,
    /// Right-hand side by nodes, and what decided steps cost.
    pub(crate) node_rows: Vec<Vector6<f64>>,
    pub(crate) node_costs: Vec<Vector6<f64>>,
    /// Ψ at the last assembly and its step Tδ, rod by rod: trial states must not disturb them.
    pub(crate) increments: Vec<Vec<(DualVector, DualVector)>>,
    pub(crate) frozen_poses: Vec<Frozen>,
    pub(crate) frozen_points: Vec<Vec<Frozen>>,
    pub(crate) symmetric: KktMatrix,
    pub(crate) symmetric_factor: KktFactor,
    pub(crate) general: Option<(GeneralKktMatrix, GeneralKktFactor)>,
    /// μ of the matrix as it stands.
    pub(crate) shift: f64,
    /// What acted at the last assembly.
    pub(crate) inputs: Inputs,
    /// The solution of the last solve, group by group.
    pub(crate) solution: Vec<f64>,
    pub(crate) right_hand_side: Vec<f64>,
    /// Two vectors as long as the stresses of the largest rod.
    pub(crate) buffer: Vec<f64>,
    /// δ of every slot, zero where prescribed.
    pub pose_step: Vec<Twist>,
    /// Δβ of every stress.
    pub stress_step: Vec<Vector6<f64>>,
    /// Δρ of every closure.
    pub reaction_step: Vec<Vector6<f64>>,
    /// δ of every joint.
    pub joint_step: Vec<Vector6<f64>>,
    /// Change of the force at the limits of every joint.
    pub limit_step: Vec<Vector6<f64>>,
    /// ΔT of every cable.
    pub tension_step: Vec<f64>,
}

impl System {
    /// Memory for this system.
    pub fn workspace(&self) -> Workspace {
        let (slots, rows) = (self.sources.len(), self.unknowns());
        let general = || {
            let factor = GeneralKktFactor::new(&self.pattern).expect("numbering waits in one direction only");
            (GeneralKktMatrix::new(&self.pattern), factor)
        };
        Workspace {
            scratch: self.rods.iter().map(RodScratch::new).collect(),
            maps: self.rods.iter().map(|rod| PoseMap::new(rod.increments())).collect(),
            lambda: self.rods.iter().map(|rod| vec![DualVector::zero(); rod.increments()]).collect(),
            line: self
                .rods
                .iter()
                .zip(&self.line_loads)
                .map(|(rod, lines)| vec![SectionLoad::default(); if lines.is_empty() { 0 } else { rod.points.len() }])
                .collect(),
            loads: vec![DualVector::zero(); slots],
            direct: vec![DualVector::zero(); slots],
            total: vec![DualVector::zero(); slots],
            joint_gradient: vec![Vector6::zeros(); self.joints.len()],
            rows: Vec::new(),
            terms: vec![Term { group: 0, jacobian: Matrix6::zeros() }; self.term_count],
            decided: vec![None; self.nodes.len()],
            node_rows: vec![Vector6::zeros(); self.nodes.len()],
            node_costs: vec![Vector6::zeros(); self.nodes.len()],
            increments: self.rods.iter().map(|rod| vec![Default::default(); rod.increments()]).collect(),
            frozen_poses: Vec::with_capacity(self.pose_loads.len()),
            frozen_points: self.rods.iter().map(|rod| Vec::with_capacity(rod.points.len())).collect(),
            symmetric: KktMatrix::new(&self.pattern),
            symmetric_factor: KktFactor::new(&self.pattern).expect("numbering waits in one direction only"),
            general: (!self.is_conservative()).then(general),
            shift: 0.0,
            inputs: self.nominal.clone(),
            solution: vec![0.0; rows],
            right_hand_side: vec![0.0; rows],
            buffer: vec![0.0; 12 * self.rods.iter().map(|rod| rod.stress_count()).max().unwrap_or(0)],
            pose_step: vec![Twist::zero(); slots],
            stress_step: vec![Vector6::zeros(); self.stress_node.len()],
            reaction_step: vec![Vector6::zeros(); self.closures.len()],
            joint_step: vec![Vector6::zeros(); self.joints.len()],
            limit_step: vec![Vector6::zeros(); self.joints.len()],
            tension_step: vec![0.0; self.cables.len()],
        }
    }
}

impl Workspace {
    /// −residual of the last assembly, group by group.
    pub fn right_hand_side(&self) -> &[f64] {
        &self.right_hand_side
    }

    /// y = (assembled matrix) x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        match &self.general {
            Some((matrix, _)) => matrix.multiply(x, y),
            None => self.symmetric.multiply(x, y),
        }
    }
}
