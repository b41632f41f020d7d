//! Memory for evaluating a system, allocated once.

use crate::System;
use crate::element::spline::pose_map::PoseMap;
use crate::element::spline::tangent::RodScratch;
use crate::energy::Frozen;
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_sparse::{GeneralBand, GeneralFactor, SymmetricBand, SymmetricFactor};
use nalgebra::Vector6;

/// Memory for evaluating a system. Dropping it never changes a result.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) scratch: Vec<RodScratch>,
    pub(crate) maps: Vec<PoseMap>,
    pub(crate) lambda: Vec<Vec<DualVector>>,
    pub(crate) loads: Vec<DualVector>,
    /// Ψ at the last assembly and its step Tδ, rod by rod: trial states must not disturb them.
    pub(crate) increments: Vec<Vec<(DualVector, DualVector)>>,
    pub(crate) frozen_poses: Vec<Frozen>,
    pub(crate) frozen_points: Vec<Vec<Frozen>>,
    pub(crate) symmetric: SymmetricBand,
    pub(crate) symmetric_factor: SymmetricFactor,
    pub(crate) general: Option<(GeneralBand, GeneralFactor)>,
    /// μ of the matrix as it stands.
    pub(crate) shift: f64,
    /// The solution of the last solve, block by block.
    pub(crate) solution: Vec<f64>,
    pub(crate) right_hand_side: Vec<f64>,
    /// Two vectors as long as the stresses of the largest rod.
    pub(crate) buffer: Vec<f64>,
    /// δ of every pose, zero where prescribed.
    pub pose_step: Vec<Twist>,
    /// Δβ of every stress.
    pub stress_step: Vec<Vector6<f64>>,
    /// Δρ of every closure.
    pub reaction_step: Vec<Vector6<f64>>,
}

impl System {
    /// Memory for this system.
    pub fn workspace(&self) -> Workspace {
        let (n, w) = (self.blocks, self.half_bandwidth);
        Workspace {
            scratch: self.rods.iter().map(RodScratch::new).collect(),
            maps: self.rods.iter().map(|rod| PoseMap::new(rod.increments())).collect(),
            lambda: self.rods.iter().map(|rod| vec![DualVector::zero(); rod.increments()]).collect(),
            loads: vec![DualVector::zero(); self.pose_block.len()],
            increments: self.rods.iter().map(|rod| vec![Default::default(); rod.increments()]).collect(),
            frozen_poses: Vec::with_capacity(self.pose_loads.len()),
            frozen_points: self.line_loads.iter().map(|line| Vec::with_capacity(line.at_points.len())).collect(),
            symmetric: SymmetricBand::new(n, w),
            symmetric_factor: SymmetricFactor::new(n, w),
            general: (!self.is_conservative()).then(|| (GeneralBand::new(n, w), GeneralFactor::new(n, w))),
            shift: 0.0,
            solution: vec![0.0; 6 * n],
            right_hand_side: vec![0.0; 6 * n],
            buffer: vec![0.0; 12 * self.rods.iter().map(|rod| rod.stress_count()).max().unwrap_or(0)],
            pose_step: vec![Twist::zero(); self.pose_block.len()],
            stress_step: vec![Vector6::zeros(); self.stress_block.len()],
            reaction_step: vec![Vector6::zeros(); self.closures.len()],
        }
    }
}

impl Workspace {
    /// −residual of the last assembly, block by block.
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
