//! From a moving system to the numbers that are recorded at an output time.

use lissome_mech::System;
use lissome_model::Scene;
use lissome_solve::dynamics::{Integrator, Motion};
use lissome_solve::{CableFrame, Momentum, MotionEffort, MotionEnergy, MotionFrame, RodFrame};

/// Stations recorded along each rod.
pub(crate) const STATIONS: usize = 33;

/// What a slot of the system belongs to.
pub(crate) fn place_of(scene: &Scene, system: &System, slot: usize) -> String {
    for (rod, compiled) in scene.rods.iter().zip(&system.rods) {
        if let Some(pose) = slot.checked_sub(compiled.first_pose).filter(|pose| *pose < compiled.pose_count) {
            let s = compiled.knot_vector().greville(pose);
            return format!("rod.{} at {s:.4} m", rod.name);
        }
    }
    let body = scene.bodies.iter().zip(&system.bodies).find(|(_, compiled)| compiled.slot == slot);
    let joint = scene.joints.iter().zip(&system.joint_slots).find(|(_, own)| **own == slot);
    match (body, joint) {
        (Some((body, _)), _) => format!("body.{}", body.name),
        (_, Some((joint, _))) => format!("joint.{}", joint.name),
        _ => String::new(),
    }
}

/// The numbers to record at an output time.
pub(crate) fn frame(scene: &Scene, system: &System, integrator: &mut Integrator<'_>, motion: &Motion) -> MotionFrame {
    let state = integrator.state_now(motion);
    let inputs = integrator.inputs_at(motion.time);
    let energies = integrator.energies(motion);
    let rods = system.rods.iter().enumerate().map(|(index, rod)| {
        let samples = rod.sample(&state, STATIONS);
        let mut poses: Vec<_> = samples.iter().map(|sample| sample.pose).collect();
        if let (Some(last), Some(tip)) = (poses.last_mut(), system.rod_poses(index, &state).last()) {
            *last = *tip;
        }
        RodFrame { poses, stress: samples.iter().map(|sample| sample.stress).collect() }
    });
    let cables = system.cables.iter().enumerate().map(|(index, cable)| CableFrame {
        tension: system.tension(index, &state, &inputs),
        length: cable.length(&state),
        points: cable.points.iter().map(|slot| state.poses[*slot].position).collect(),
    });
    let counts = motion.counts;
    let (turn, shift) = system.largest_gap(&state);
    MotionFrame {
        loop_gap: turn.max(shift),
        time: motion.time,
        drives: scene.drives.iter().map(|drive| drive.signal.at(motion.time)).collect(),
        rods: rods.collect(),
        bodies: system.bodies.iter().map(|body| state.poses[body.slot]).collect(),
        joints: (0..scene.joints.len()).map(|index| system.joint_values(index, &state)).collect(),
        cables: cables.collect(),
        energy: MotionEnergy {
            kinetic: energies.kinetic,
            elastic: energies.elastic,
            gravity: energies.gravity,
            dissipated: motion.dissipated,
            work: motion.work,
        },
        momentum: Momentum { linear: energies.linear_momentum, angular: energies.angular_momentum },
        effort: MotionEffort {
            step: motion.last_step,
            steps: counts.steps,
            iterations: counts.iterations,
            rejected: counts.rejected,
            halved: counts.halved,
        },
    }
}
