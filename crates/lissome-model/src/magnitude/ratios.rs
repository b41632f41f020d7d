//! Derived quantities of rods: stiffness and mass that follow from material and section, and ratios between them.

use super::{Quantity, size};
use crate::invalid::Invalid;
use crate::{Rod, Scene, Section};

/// Stiffness and mass per length at every station, mass of the whole, slenderness.
pub(super) fn rod(path: &str, rod: &Rod) -> Result<(), Invalid> {
    for station in &rod.profile.stations {
        section(&format!("{path}.section"), &station.section, rod.length)?;
    }
    let mass = rod.profile.stations.iter().map(|station| station.section.mass()[(3, 3)]).fold(0.0, f64::max);
    size(|| format!("{path}.length"), Quantity::Mass, mass * rod.length)
}

fn section(path: &str, section: &Section, length: f64) -> Result<(), Invalid> {
    let (stiffness, mass) = (section.stiffness(), section.mass());
    for axis in 0..3 {
        size(|| format!("{path}.stiffness"), Quantity::BendingStiffness, stiffness[(axis, axis)])?;
        size(|| format!("{path}.stiffness"), Quantity::Force, stiffness[(axis + 3, axis + 3)])?;
        size(|| format!("{path}.rotary_inertia"), Quantity::RotaryMass, mass[(axis, axis)])?;
        size(|| format!("{path}.mass_per_length"), Quantity::MassPerLength, mass[(axis + 3, axis + 3)])?;
    }
    let bending = stiffness[(1, 1)].min(stiffness[(2, 2)]);
    // The radius of gyration is √(EI/EA).
    size(|| path.to_owned(), Quantity::Slenderness, length * (stiffness[(3, 3)] / bending).sqrt())
}

/// How far apart the stiffnesses of the rods of one scene are. A solver adds them in one matrix.
pub(super) fn between_rods(scene: &Scene) -> Result<(), Invalid> {
    let stiffness = |rod: &Rod| {
        let least = |station: &crate::Station| {
            let k = station.section.stiffness();
            k[(1, 1)].min(k[(2, 2)])
        };
        rod.profile.stations.iter().map(least).fold(f64::INFINITY, f64::min) / rod.length.powi(2)
    };
    let all = scene.rods.iter().map(|rod| (rod, stiffness(rod)));
    let mut finite = all.filter(|(_, stiffness)| stiffness.is_finite() && *stiffness > 0.0);
    let Some(first) = finite.next() else { return Ok(()) };
    let (softest, stiffest) = finite.fold((first, first), |(softest, stiffest), next| {
        (if next.1 < softest.1 { next } else { softest }, if next.1 > stiffest.1 { next } else { stiffest })
    });
    size(|| softest.0.path(), Quantity::StiffnessRatio, stiffest.1 / softest.1)
}
