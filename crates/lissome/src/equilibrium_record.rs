//! From a solved system to the numbers of its equilibrium.

use crate::contact_record;
use crate::sampling::SAMPLES;
use crate::sensitivity_record;
use crate::tendon_record::{self, Carried};
use lissome_lie::{Rotation, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{Inputs, State, System, Workspace};
use lissome_model::{Rod, Scene};
use lissome_solve::flutter;
use lissome_solve::statics::Solution;
use lissome_solve::{BodyRecord, CableRecord, Equilibrium, JointRecord, RodRecord, SpringRecord, TubeRecord};

/// What a solution says of every part of its scene. `work` must be as the solve left it; `errors` are the estimates of the
/// rods, none if there are none.
pub(crate) fn record(
    scene: &Scene,
    system: &System,
    solution: &Solution,
    work: &Workspace,
    errors: &[f64],
) -> Equilibrium {
    let state = &solution.state;
    let at = system.at(state, &solution.inputs);
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
            tubes: tubes_of(rod, system, index, state),
        }
    });
    let bodies = scene.bodies.iter().zip(system.bodies());
    let joints = scene.joints.iter().enumerate();
    let cables = scene.cables.iter().enumerate();
    let springs = scene.springs.iter().enumerate();
    let states = system.tendon_states(state);
    let tendons = tendon_record::records(
        scene,
        |index| Carried { tension: states[index].tension, length: states[index].length },
        |index, rod, s| system.tension_at(index, rod, s, state),
        |rod, arc| system.sample_at(RodIndex::new(rod), state, arc),
    );
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
        springs: springs
            .filter_map(|(index, spring)| {
                let compiled = system.spring(index)?;
                let wrench = in_world(&state.poses[compiled.b].rotation, &compiled.wrench_on_b(state));
                let (length, pull) = (compiled.length(state), compiled.pull(state));
                Some(SpringRecord { name: spring.name.clone(), length, pull, wrench })
            })
            .collect(),
        contacts: contact_record::records(scene, system, state, &solution.inputs),
        tendons,
        method: None,
        sensitivity: None,
        flutter: None,
        derivatives: Vec::new(),
        optimum: None,
    }
}

/// Angles and torques of the tubes of a rod of tubes.
fn tubes_of(rod: &Rod, system: &System, index: RodIndex, state: &State) -> Vec<TubeRecord> {
    let tubes = rod.tubes.iter().flat_map(|set| &set.tubes);
    let mut records: Vec<TubeRecord> =
        tubes.map(|tube| TubeRecord { name: tube.name.clone(), angle: Vec::new(), torque: Vec::new() }).collect();
    let length = system.rods()[index].curve().length();
    // Seen from within the robot, where the tubes that end at the tip are still there.
    let inside = length * (1.0 - 1e-12);
    let arc: Vec<f64> = (0..SAMPLES).map(|k| (length * k as f64 / (SAMPLES - 1) as f64).min(inside)).collect();
    for sample in system.tubes_at(index, state, &arc).iter().flatten() {
        records[sample.tube].angle.push(sample.angle);
        records[sample.tube].torque.push(sample.torque);
    }
    records
}

/// The record with its derivatives, and with what is known of its flutter: examined where a stable equilibrium carries loads
/// without a potential.
pub(crate) fn examined(
    mut record: Equilibrium,
    scene: &Scene,
    system: &System,
    state: &State,
    inputs: &Inputs,
) -> Equilibrium {
    if record.outcome.converged() && !scene.tendons.is_empty() {
        record.sensitivity = sensitivity_record::record(scene, system, state, inputs);
    }
    if record.outcome.converged() && record.is_stable() == Some(true) {
        record.flutter = flutter::examine_loads(system, state, inputs);
    }
    record
}

fn in_world(axes: &Rotation, wrench: &Wrench) -> Wrench {
    Wrench::new(axes.rotate(&wrench.moment), axes.rotate(&wrench.force))
}
