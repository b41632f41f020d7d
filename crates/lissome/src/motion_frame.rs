//! From a moving system to the numbers that are recorded at an output time.

use crate::contact_record;
use lissome_mech::System;
use lissome_mech::index::{RodIndex, Slot};
use lissome_model::{Scene, TendonRun};
use lissome_solve::dynamics::{Integrator, Motion};
use lissome_solve::{CableFrame, Momentum, MotionEffort, MotionEnergy, MotionFrame, RodFrame, Velocity};
use nalgebra::Vector3;

/// The curve of a rod and its strain integrated again lie about so many times as far apart as the latter errs: the median over
/// random scenes, where nine in ten lie between 1 and 200.
const GAP_OVER_ERROR: f64 = 10.0;
/// Stations recorded along each rod.
pub(crate) const STATIONS: usize = 33;

/// What a slot of the system belongs to.
pub(crate) fn place_of(system: &System, slot: Slot) -> String {
    match system.place_of(slot) {
        Some((path, Some(s))) => format!("{path} at {s:.4} m"),
        Some((path, None)) => path,
        None => String::new(),
    }
}

/// The numbers to record at an output time.
pub(crate) fn frame(scene: &Scene, system: &System, integrator: &mut Integrator<'_>, motion: &Motion) -> MotionFrame {
    let state = integrator.state_now(motion);
    let inputs = integrator.inputs_at(motion.time);
    let energies = integrator.energies(motion);
    let at = system.at(&state, &inputs);
    let rods: Vec<RodFrame> = RodIndex::first(scene.rods.len())
        .map(|index| {
            let samples = system.sample(index, &state, STATIONS);
            let mut poses: Vec<_> = samples.iter().map(|sample| sample.pose).collect();
            if let (Some(last), Some(tip)) = (poses.last_mut(), system.rod_poses(index, &state).last()) {
                *last = *tip;
            }
            let length = scene.rods[index.index()].length;
            let station = |k: usize| length * k as f64 / (STATIONS - 1) as f64;
            let velocities = poses.iter().enumerate().map(|(k, pose)| {
                Velocity::of_body(pose, &system.rod_velocity(index, station(k), &state, &motion.velocity))
            });
            let velocities = velocities.collect();
            let (turn, shift) = system.field_gap(index, &state);
            RodFrame {
                poses,
                velocities,
                stress: samples.iter().map(|sample| sample.stress).collect(),
                discretisation_error: turn.max(shift) / GAP_OVER_ERROR,
            }
        })
        .collect();
    let tendons = scene.tendons.iter().zip(system.tendon_states(&state)).map(|(tendon, own)| {
        let points = tendon.runs.iter().flat_map(|run| points_of(run, scene.rods[run.rod].length, &rods[run.rod]));
        CableFrame { tension: own.tension, length: own.length, points: points.collect() }
    });
    let tendons: Vec<CableFrame> = tendons.collect();
    let cables = (0..scene.cables.len()).filter_map(|index| {
        let (tension, length, points) = system.cable(index, &at)?;
        Some(CableFrame { tension, length, points: points.iter().map(|slot| state.poses[*slot].position).collect() })
    });
    let counts = motion.counts;
    let (turn, shift) = system.largest_gap(&state);
    MotionFrame {
        loop_gap: turn.max(shift),
        time: motion.time,
        drives: scene.drives.iter().map(|drive| drive.signal.at(motion.time)).collect(),
        rods,
        tendons,
        bodies: system.bodies().iter().map(|body| state.poses[body.slot]).collect(),
        body_velocities: system
            .bodies()
            .iter()
            .map(|body| Velocity::of_body(&state.poses[body.slot], &motion.velocity[body.slot]))
            .collect(),
        joints: (0..scene.joints.len()).map(|index| system.joint_values(index, &state)).collect(),
        joint_rates: (0..scene.joints.len())
            .map(|index| system.joint_rates(index, &state, &motion.joint_rates))
            .collect(),
        cables: cables.collect(),
        contacts: contact_record::frames(scene, system, &state, &inputs),
        energy: MotionEnergy {
            kinetic: energies.kinetic,
            elastic: energies.elastic,
            gravity: energies.gravity,
            dissipated: motion.dissipated,
            friction: motion.friction,
            work: motion.work,
        },
        momentum: Momentum { linear: energies.linear_momentum, angular: energies.angular_momentum },
        effort: MotionEffort {
            step: motion.memory.last_step,
            steps: counts.steps,
            iterations: counts.iterations,
            rejected: counts.rejected,
            halved: counts.halved,
        },
    }
}

/// Where a tendon is at the stations of its rod that it passes.
fn points_of<'a>(run: &'a TendonRun, length: f64, rod: &'a RodFrame) -> impl Iterator<Item = Vector3<f64>> + 'a {
    let last = rod.poses.len().saturating_sub(1).max(1) as f64;
    let places = rod.poses.iter().enumerate().map(move |(k, pose)| (length * k as f64 / last, pose));
    let near = 1e-9 * length;
    let passed = places.filter(move |(s, _)| *s >= run.from - near && *s <= run.to + near);
    passed.map(|(s, pose)| pose.transform(&run.routing.at(s).position))
}
