//! Working memory of one rod, and where its unknowns stand.

use super::Rod;
use crate::index::Node;
use lissome_lie::dual::{DualMatrix, DualVector};
use lissome_sparse::{SymmetricBand, SymmetricFactor};
use nalgebra::{Matrix6, Vector6};

/// Where the unknowns of a rod stand in a system.
#[derive(Clone, Copy, Debug)]
pub struct RodNodes<'a> {
    /// Node of each control pose; `None` if the pose is prescribed.
    pub pose: &'a [Option<Node>],
    /// Node of each independent stress; empty if the rod has none.
    pub stress: &'a [Node],
}

/// Working arrays of one rod, sized once.
#[derive(Clone, Debug)]
pub struct RodScratch {
    /// Ψ of each increment.
    pub psi: Vec<DualVector>,
    /// ∂U/∂Ψ, or Σ_a A_aᵀ β_a where the stress is independent.
    pub gradient: Vec<DualVector>,
    /// Misfit of each independent stress: what the curve's strain has over that of the stress. On a strain basis the
    /// derivative of the elastic energy by each block of coordinates.
    pub misfit: Vec<Vector6<f64>>,
    /// False if a linear-strain element is too long for its stress.
    pub resolved: bool,
    /// b = Σ w φ_a (ξ − ξ₀) of a mixed rod, ξ − ξ₀ at each point of a displacement rod.
    pub(super) strain: Vec<Vector6<f64>>,
    /// Geometric stiffness H in the increments, lower band: entry `i * p + d` couples i with i − d.
    pub(super) geometric: Vec<DualMatrix>,
    /// Material stiffness Σ w DᵀKD in the increments, same layout, of displacement rods; on a strain basis that in the
    /// coordinates, entry `i * band + d` couples block i with i − d.
    pub(super) material: Vec<Matrix6<f64>>,
    /// A_ak = Σ w φ_a D_k: entry `a * (2p − 1) + (k − a + p − 1)`; mixed rods only.
    pub(super) coupling: Vec<DualMatrix>,
    /// Moments of the strain over each step, on a strain basis.
    pub(super) moments: Vec<[Vector6<f64>; 3]>,
    /// Compliance at the last assembly.
    pub compliance: RodCompliance,
}

impl RodScratch {
    /// For one rod.
    pub fn new(rod: &Rod) -> Self {
        let (n, p) = (rod.curve().increments(), rod.curve().degree());
        let (mixed, displacement) = (matches!(rod, Rod::Mixed(_)), matches!(rod, Rod::Displacement(_)));
        let (steps, blocks, band) = match rod {
            Rod::StrainBasis(rod) => (n, rod.block_count(), rod.basis().band()),
            _ => (0, 0, 0),
        };
        let misfits = if rod.has_independent_stress() { n } else { blocks };
        let strains = if displacement { rod.curve().point_count() } else { n };
        Self {
            psi: vec![DualVector::zero(); n],
            gradient: vec![DualVector::zero(); n],
            misfit: vec![Vector6::zeros(); misfits],
            resolved: true,
            strain: vec![Vector6::zeros(); strains],
            geometric: vec![DualMatrix::zero(); n * p],
            material: vec![Matrix6::zeros(); if displacement { n * p } else { blocks * band }],
            coupling: vec![DualMatrix::zero(); if mixed { n * (2 * p - 1) } else { 0 }],
            moments: vec![[Vector6::zeros(); 3]; steps],
            compliance: RodCompliance::new(rod),
        }
    }
}

/// ∂(strain)/∂(stress) of a rod at its last evaluation, where it depends on the stress, and memory to solve with it.
#[derive(Clone, Debug)]
pub struct RodCompliance {
    /// ∂²C/∂μ² of each linear-strain element.
    pub(super) elements: Vec<Matrix6<f64>>,
    /// Gram matrix Σ w φφᵀ ⊗ C of a mixed rod whose law is not linear.
    pub(super) gram: SymmetricBand,
    /// The same during the search for the stresses of a strain, which must not disturb the last evaluation.
    pub(super) search_gram: SymmetricBand,
    /// The factor of either, filled when it is needed.
    pub(super) factor: SymmetricFactor,
    /// Vectors of that search, and what it finds.
    pub(super) search: [Vec<Vector6<f64>>; 3],
    pub(super) found: Vec<Vector6<f64>>,
    /// Two vectors of six numbers for each stress.
    pub(super) flat: Vec<f64>,
}

impl RodCompliance {
    /// For one rod.
    pub fn new(rod: &Rod) -> Self {
        let n = if rod.has_independent_stress() { rod.curve().increments() } else { 0 };
        let elements = if matches!(rod, Rod::LinearStrain(_)) { n } else { 0 };
        let changing = match rod {
            Rod::Mixed(rod) if !rod.is_linear() => n,
            _ => 0,
        };
        let half_width = rod.curve().degree() - 1;
        let search = vec![Vector6::zeros(); changing];
        Self {
            elements: vec![Matrix6::zeros(); elements],
            gram: SymmetricBand::new(changing, half_width),
            search_gram: SymmetricBand::new(changing, half_width),
            factor: SymmetricFactor::new(changing, half_width),
            search: [search.clone(), search.clone(), search.clone()],
            found: search,
            flat: vec![0.0; 12 * n],
        }
    }

    /// Copies vectors into the first half of the flat memory and hands out both halves.
    pub(super) fn flatten(&mut self, x: &[Vector6<f64>]) -> (&mut [f64], &mut [f64]) {
        let n = 6 * x.len();
        let (flat, rest) = self.flat.split_at_mut(n);
        for (flat, x) in flat.chunks_exact_mut(6).zip(x) {
            flat.copy_from_slice(x.as_slice());
        }
        (flat, &mut rest[..n])
    }
}
