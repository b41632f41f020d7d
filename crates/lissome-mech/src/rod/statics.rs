//! What every rod contributes to statics, by a match over the models.

use super::curve::pose_map::PoseMap;
use super::scratch::{RodCompliance, RodNodes, RodScratch};
use super::{Carried, Rod};
use crate::sink::BlockSink;
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;
use lissome_sparse::FactorError;
use nalgebra::Vector6;

/// The elastic energy along a step of independent stresses, E(α) − E(0) = α linear + ½ α² quadratic; exact where the
/// compliance is constant, that of the last assembly otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StressWork {
    /// βᵀ M Δβ.
    pub linear: f64,
    /// Δβᵀ M Δβ.
    pub quadratic: f64,
}

impl Rod {
    /// Ψ of these control poses.
    pub fn fill_increments(&self, poses: &[Pose], scratch: &mut RodScratch) {
        self.curve().fill_increments(poses, &mut scratch.psi);
    }

    /// The strain of the curve at `scratch.psi`, for what follows from the poses alone.
    pub fn fill_strain(&self, scratch: &mut RodScratch) {
        match self {
            Self::Mixed(rod) => rod.fill_strain(scratch),
            // The increments are its strain.
            // So are the coordinates of a strain basis.
            Self::LinearStrain(_) | Self::StrainBasis(_) => {}
            Self::Displacement(rod) => rod.fill_strain(scratch),
        }
    }

    /// First order only: gradient and misfit at `scratch.psi` for these stresses.
    pub fn fill_gradient(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        match self {
            Self::Mixed(rod) => rod.fill_gradient(carried, scratch),
            Self::LinearStrain(rod) => rod.fill_tangent(carried, scratch),
            Self::Displacement(rod) => rod.fill_gradient(carried.tension, scratch),
            Self::StrainBasis(rod) => rod.fill_gradient(carried, scratch),
        }
    }

    /// The same where the gradient stands there, and so does the strain of the curve at its points: what depends on sections and on
    /// the natural shape alone.
    pub fn fill_misfit(&self, carried: Carried<'_>, strains: &[DualVector], scratch: &mut RodScratch) {
        match self {
            Self::Mixed(rod) => rod.fill_misfit(carried, strains, scratch),
            _ => self.fill_gradient(carried, scratch),
        }
    }

    /// Everything second-order at `scratch.psi`, with the geometric stiffness of these stresses.
    pub fn fill_tangent(&self, carried: Carried<'_>, scratch: &mut RodScratch) {
        match self {
            Self::Mixed(rod) => rod.fill_tangent(carried, scratch),
            Self::LinearStrain(rod) => rod.fill_tangent(carried, scratch),
            Self::Displacement(rod) => rod.fill_tangent(carried, scratch),
            Self::StrainBasis(rod) => rod.fill_tangent(carried, scratch),
        }
    }

    /// Adds the rate of the misfits of a rod of tubes whose spans lengthen by these parts.
    pub fn add_misfit_rate(&self, stretches: &[f64], carried: Carried<'_>, add: impl FnMut(usize, Vector6<f64>)) {
        if let Self::Mixed(rod) = self {
            rod.add_misfit_rate(stretches, carried, add);
        }
    }

    /// Adds the tangent in poses and stresses, without the compliance. λ weighs the curvature of the increments.
    pub fn add_tangent(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        lambda: &[DualVector],
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        match self {
            Self::Mixed(rod) => rod.add_tangent(scratch, map, lambda, nodes, sink),
            Self::LinearStrain(rod) => rod.add_tangent(map, lambda, nodes, sink),
            Self::Displacement(rod) => rod.add_tangent(scratch, map, lambda, nodes, sink),
            Self::StrainBasis(rod) => rod.add_tangent(scratch, map, lambda, nodes, sink),
        }
    }

    /// Adds `factor` times the compliance of the last assembly to the blocks of the independent stresses, if there are any.
    pub fn add_compliance(&self, scratch: &RodScratch, factor: f64, nodes: &RodNodes<'_>, sink: &mut dyn BlockSink) {
        match self {
            Self::Mixed(rod) => rod.add_compliance(&scratch.compliance, factor, nodes, sink),
            Self::LinearStrain(rod) => rod.add_compliance(&scratch.compliance, factor, nodes, sink),
            Self::Displacement(_) | Self::StrainBasis(_) => {}
        }
    }

    /// Changes the shift of an assembled tangent from μ = `from` to `to`: condensed to the poses it becomes K + μ K_mat,
    /// K_mat the stiffness without stress and load. Independent stresses have M/(1 + μ) for that.
    pub fn add_shift(
        &self,
        scratch: &RodScratch,
        map: &PoseMap,
        from: f64,
        to: f64,
        nodes: &RodNodes<'_>,
        sink: &mut dyn BlockSink,
    ) {
        match self {
            Self::Mixed(_) | Self::LinearStrain(_) => {
                self.add_compliance(scratch, 1.0 / (1.0 + from) - 1.0 / (1.0 + to), nodes, sink);
            }
            Self::Displacement(rod) => rod.add_material(scratch, map, to - from, nodes, sink),
            Self::StrainBasis(rod) => rod.add_band(&scratch.material, to - from, nodes, sink),
        }
    }

    /// y = M x over the independent stresses, M the compliance of the last assembly. Displacement rods have none: y = 0.
    pub fn compliance_times(&self, last: &mut RodCompliance, x: &[Vector6<f64>], y: &mut [Vector6<f64>]) {
        y.fill(Vector6::zeros());
        self.visit_compliance_times(last, x, |a, value| y[a] = value);
    }

    fn visit_compliance_times(
        &self,
        last: &mut RodCompliance,
        x: &[Vector6<f64>],
        see: impl FnMut(usize, Vector6<f64>),
    ) {
        match self {
            Self::Mixed(rod) => rod.compliance_times(last, x, see),
            Self::LinearStrain(rod) => rod.compliance_times(last, x, see),
            Self::Displacement(_) | Self::StrainBasis(_) => {}
        }
    }

    /// x ← M⁻¹ x over the independent stresses, M the compliance of the last evaluation. It is positive definite, so this
    /// fails only where it holds a number that is not finite. Displacement rods have no such stresses: nothing happens.
    pub fn solve_compliance(&self, last: &mut RodCompliance, x: &mut [Vector6<f64>]) -> Result<(), FactorError> {
        match self {
            Self::Mixed(rod) => rod.solve_compliance(last, x),
            Self::LinearStrain(rod) => rod.solve_compliance(last, x),
            Self::Displacement(_) | Self::StrainBasis(_) => Ok(()),
        }
    }

    /// What independent stresses do along a step Δβ; nothing for displacement rods.
    pub fn stress_work(&self, scratch: &mut RodScratch, stress: &[Vector6<f64>], step: &[Vector6<f64>]) -> StressWork {
        let mut sum = StressWork::default();
        self.visit_compliance_times(&mut scratch.compliance, step, |a, y| {
            sum.linear += stress[a].dot(&y);
            sum.quadratic += step[a].dot(&y);
        });
        sum
    }

    /// The stresses that the strain of [`Rod::fill_strain`] implies. Fails only where a number is not finite.
    pub fn consistent_stress(
        &self,
        scratch: &mut RodScratch,
        tension: &[Vector6<f64>],
        stress: &mut [Vector6<f64>],
    ) -> Result<(), FactorError> {
        let RodScratch { psi, strain, compliance, .. } = scratch;
        match self {
            Self::Mixed(rod) => rod.stress_of_strain(strain, tension, compliance, stress)?,
            Self::LinearStrain(rod) => rod.stress_of_increments(psi, tension, stress),
            Self::Displacement(rod) => rod.stress_of_strain(strain, tension, stress),
            // Its blocks hold coordinates, which know no other.
            Self::StrainBasis(_) => {}
        }
        Ok(())
    }

    /// Elastic energy of the stresses of [`Rod::consistent_stress`].
    pub fn elastic_energy(&self, scratch: &RodScratch, carried: Carried<'_>) -> f64 {
        match self {
            Self::Mixed(rod) => rod.consistent_energy(&scratch.strain, carried),
            Self::LinearStrain(rod) => rod.stored_energy(carried),
            Self::Displacement(rod) => rod.strain_energy(&scratch.strain),
            Self::StrainBasis(rod) => rod.energy(carried.stress),
        }
    }

    /// Energy stored by the strains that answer to any stresses.
    pub fn stored_energy(&self, carried: Carried<'_>) -> f64 {
        match self {
            Self::Mixed(rod) => rod.stored_energy(carried),
            Self::LinearStrain(rod) => rod.stored_energy(carried),
            Self::Displacement(rod) => rod.stored_energy(carried),
            Self::StrainBasis(rod) => rod.energy(carried.stress),
        }
    }

    /// The part of the energy of sections and tendons that depends on the poses rather than on independent stresses:
    /// Σ w (½ eᵀKe + Σ T ℓ′) of a displacement rod at `scratch.psi`, that of the coordinates of a strain basis, else nothing. A
    /// search along a step adds it to the work of the stresses.
    pub fn pose_energy(&self, carried: Carried<'_>, scratch: &mut RodScratch) -> f64 {
        match self {
            Self::Mixed(_) | Self::LinearStrain(_) => 0.0,
            Self::Displacement(rod) => {
                rod.fill_strain(scratch);
                rod.strain_energy(&scratch.strain) + rod.pull_energy(&scratch.strain, carried.tension)
            }
            Self::StrainBasis(rod) => rod.energy(carried.stress) + rod.pull_energy(carried),
        }
    }

    /// Slope of [`Rod::pose_energy`] along a step of the increments (pairs Ψ, ΔΨ) or of the coordinates, at the last assembly.
    pub fn pose_energy_slope(
        &self,
        scratch: &RodScratch,
        increments: &[(DualVector, DualVector)],
        coordinates: &[Vector6<f64>],
    ) -> f64 {
        match self {
            Self::Mixed(_) | Self::LinearStrain(_) => 0.0,
            Self::Displacement(_) => {
                let pairs = scratch.gradient.iter().zip(increments);
                pairs.map(|(gradient, (_, step))| gradient.dot(step).du).sum()
            }
            Self::StrainBasis(_) => scratch.misfit.iter().zip(coordinates).map(|(row, step)| row.dot(step)).sum(),
        }
    }
}
