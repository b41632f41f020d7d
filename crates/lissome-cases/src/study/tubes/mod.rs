//! Questions about nested tubes: against the shooting oracle, against the closed forms of two tubes, and in limits.

pub(super) mod bifurcation;
pub(super) mod border;
pub(super) mod insertion;
pub(super) mod insertion_motion;
pub(super) mod oracle;
pub(super) mod pair;
pub(super) mod rod;
pub(super) mod sheath;
pub(super) mod snap;
pub(super) mod tilt;

use crate::error::CaseError;
use lissome::mech::index::RodIndex;
use lissome::mech::{Inputs, State, System};
use lissome::model::{Scene, TubeSet};
use lissome::solve::statics::{self, StaticOptions};
use lissome::solve::{Solution, Status};

/// The tubes of the only rod of a scene.
fn set_of(scene: &Scene) -> Result<&TubeSet, CaseError> {
    let tubes = scene.rods.first().and_then(|rod| rod.tubes.as_ref());
    tubes.ok_or_else(|| CaseError::NoSuchPart { name: "tubes".to_owned() })
}

/// The number of a tube.
fn tube_named(scene: &Scene, name: &str) -> Result<usize, CaseError> {
    set_of(scene)?.index_of(name).ok_or_else(|| CaseError::NoSuchPart { name: name.to_owned() })
}

/// Angle of the second tube from the innermost where the second ends.
fn angle_at_end(system: &System, scene: &Scene, state: &State) -> Result<f64, CaseError> {
    let end = set_of(scene)?.tubes.get(1).ok_or_else(|| CaseError::NoSuchPart { name: "second tube".to_owned() })?;
    // Just inside: beyond its end a tube has no angle.
    let at = system.tubes_at(RodIndex::new(0), state, &[end.insertion * (1.0 - 1e-12)]);
    let found = at.first().and_then(|tubes| tubes.iter().find(|tube| tube.tube == 1)).map(|tube| tube.angle);
    found.ok_or_else(|| CaseError::NoSuchPart { name: "angle of the second tube".to_owned() })
}

/// The stationary point that a search from a state ends at, stable or not.
fn stationary(system: &System, start: &State, inputs: &Inputs, what: &str) -> Result<Solution, CaseError> {
    let options = StaticOptions { leave_saddles: false, ..StaticOptions::default() };
    let solution = statics::solve(system, start, inputs, &options, &mut system.workspace(), &mut |_| true);
    if solution.outcome.status != Status::Converged {
        return Err(CaseError::NotConverged { what: what.to_owned() });
    }
    Ok(solution)
}

/// Directions in which the energy falls.
fn negative_directions(solution: &Solution) -> usize {
    solution.outcome.stability.map_or(0, |stability| stability.negative_directions)
}
