//! From a solved system to the numbers of its equilibrium.

use lissome_lie::{Rotation, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{Inputs, System, Workspace};
use lissome_model::Scene;
use lissome_solve::statics::Solution;
use lissome_solve::{BodyRecord, CableRecord, Equilibrium, JointRecord, RodRecord};

/// Samples recorded along each rod.
pub(crate) const SAMPLES: usize = 101;

/// What a solution says of every part of its scene. `work` must be as the solve left it; `errors` are the estimates of the
/// rods, none if there are none.
pub(crate) fn record(
    scene: &Scene,
    system: &System,
    solution: &Solution,
    inputs: &Inputs,
    work: &Workspace,
    errors: &[f64],
) -> Equilibrium {
    let state = &solution.state;
    let at = system.at(state, inputs);
    let rods = scene.rods.iter().enumerate().map(|(index, rod)| {
        let discretisation_error = errors.get(index).copied().unwrap_or(f64::NAN);
        let index = RodIndex::new(index);
        let control_poses = system.rod_poses(index, state).to_vec();
        let (base, tip) = (control_poses[0], control_poses[control_poses.len() - 1]);
        RodRecord {
            name: rod.name.clone(),
            samples: system.sample(index, state, SAMPLES),
            tip,
            base_wrench: in_world(&base.rotation, &system.reaction(index, true, state, work)),
            tip_wrench: in_world(&tip.rotation, &system.reaction(index, false, state, work)),
            control_poses,
            discretisation_error,
        }
    });
    let bodies = scene.bodies.iter().zip(system.bodies());
    let joints = scene.joints.iter().enumerate();
    let cables = scene.cables.iter().enumerate();
    Equilibrium {
        outcome: solution.outcome.clone(),
        rods: rods.collect(),
        bodies: bodies
            .map(|(body, compiled)| BodyRecord { name: body.name.clone(), pose: state.poses[compiled.slot] })
            .collect(),
        joints: joints
            .map(|(index, joint)| JointRecord {
                name: joint.name.clone(),
                values: system.joint_values(index, state),
                pose: state.poses[system.joint_slot(index)],
            })
            .collect(),
        cables: cables
            .filter_map(|(index, cable)| {
                let (tension, length, points) = system.cable(index, &at)?;
                let points = points.iter().map(|slot| state.poses[*slot].position).collect();
                Some(CableRecord { name: cable.name.clone(), tension, length, points })
            })
            .collect(),
    }
}

fn in_world(axes: &Rotation, wrench: &Wrench) -> Wrench {
    Wrench::new(axes.rotate(&wrench.moment), axes.rotate(&wrench.force))
}
