//! Derived quantities of rods: stiffness and mass that follow from material and section, and ratios between them.

use super::{Quantity, size};
use crate::invalid::Invalid;
use crate::{Rod, Scene, Section, Station};
use std::fmt::Display;

/// Stiffness and mass per length at every station, mass of the whole, slenderness.
pub(super) fn rod(path: &str, rod: &Rod) -> Result<(), Invalid> {
    let of_station = |station: &Station| section(format_args!("{path}.section"), &station.section, rod.length);
    rod.profile.stations.iter().try_for_each(of_station)?;
    let mass = rod.profile.stations.iter().map(|station| station.section.mass()[(3, 3)]).fold(0.0, f64::max);
    size(|| format!("{path}.length"), Quantity::Mass, mass * rod.length)
}

fn section(path: impl Display, section: &Section, length: f64) -> Result<(), Invalid> {
    let (stiffness, mass) = (section.stiffness(), section.mass());
    for axis in 0..3 {
        size(|| format!("{path}.stiffness"), Quantity::BendingStiffness, stiffness[(axis, axis)])?;
        size(|| format!("{path}.stiffness"), Quantity::Force, stiffness[(axis + 3, axis + 3)])?;
        size(|| format!("{path}.rotary_inertia"), Quantity::RotaryMass, mass[(axis, axis)])?;
        size(|| format!("{path}.mass_per_length"), Quantity::MassPerLength, mass[(axis + 3, axis + 3)])?;
    }
    let bending = stiffness[(1, 1)].min(stiffness[(2, 2)]);
    // The radius of gyration is √(EI/EA).
    size(|| path.to_string(), Quantity::Slenderness, length * (stiffness[(3, 3)] / bending).sqrt())
}

/// How far apart the stiffnesses of the rods of one scene are. A solver adds them in one matrix.
pub(super) fn between_rods(scene: &Scene) -> Result<(), Invalid> {
    if scene.rods.len() < 2 {
        return Ok(());
    }
    let stiffness = |rod: &Rod| {
        let bending = rod.profile.stations.iter().map(|station| station.section.soft_bending());
        bending.fold(f64::INFINITY, f64::min) / rod.length.powi(2)
    };
    let all = scene.rods.iter().map(|rod| (rod, stiffness(rod)));
    let mut finite = all.filter(|(_, stiffness)| stiffness.is_finite() && *stiffness > 0.0);
    let Some(first) = finite.next() else { return Ok(()) };
    let (softest, stiffest) = finite.fold((first, first), |(softest, stiffest), next| {
        (if next.1 < softest.1 { next } else { softest }, if next.1 > stiffest.1 { next } else { stiffest })
    });
    size(|| softest.0.path(), Quantity::StiffnessRatio, stiffest.1 / softest.1)
}
