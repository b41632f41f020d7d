//! Equilibria as frames of a motion, so that whatever shows or exports motions serves them too.

use lissome_lie::Pose;
use lissome_model::Scene;
use lissome_solve::{CableFrame, Equilibrium, MotionEnergy, MotionFrame, PathSample, RodFrame};

/// An equilibrium; drives stand where they stand at parameter zero.
pub fn of_equilibrium(scene: &Scene, equilibrium: &Equilibrium) -> MotionFrame {
    let drives = scene.drives.iter().map(|drive| drive.signal.at(0.0)).collect();
    frame(equilibrium, 0.0, drives)
}

/// A sample of a path; the parameter stands for the time.
pub fn of_sample(sample: &PathSample) -> MotionFrame {
    frame(&sample.equilibrium, sample.at, sample.drives.clone())
}

/// True if there is something to draw and nothing of it is NaN, infinite or beyond single precision.
pub fn can_be_shown(frame: &MotionFrame) -> bool {
    let fits = |x: &f64| x.is_finite() && x.abs() < f64::from(f32::MAX);
    let pose = |pose: &Pose| pose.is_finite() && pose.position.iter().all(fits);
    let threads = frame.cables.iter().chain(&frame.tendons).flat_map(|thread| &thread.points);
    let things = frame.rods.iter().any(|rod| !rod.poses.is_empty()) || !frame.bodies.is_empty();
    things
        && frame.rods.iter().flat_map(|rod| &rod.poses).all(pose)
        && frame.bodies.iter().all(pose)
        && threads.flatten().all(fits)
}

fn frame(equilibrium: &Equilibrium, time: f64, drives: Vec<f64>) -> MotionFrame {
    let rod = |rod: &lissome_solve::RodRecord| RodFrame {
        poses: rod.samples.iter().map(|sample| sample.pose).collect(),
        stress: rod.samples.iter().map(|sample| sample.stress).collect(),
        discretisation_error: rod.discretisation_error,
        ..RodFrame::default()
    };
    let cable = |cable: &lissome_solve::CableRecord| CableFrame {
        tension: cable.tension,
        length: cable.length,
        points: cable.points.clone(),
    };
    let tendon = |tendon: &lissome_solve::TendonRecord| CableFrame {
        tension: tendon.tension,
        length: tendon.length,
        points: tendon.runs.iter().flat_map(|run| run.points.iter().copied()).collect(),
    };
    let energy = equilibrium.outcome.energy;
    MotionFrame {
        time,
        drives,
        rods: equilibrium.rods.iter().map(rod).collect(),
        bodies: equilibrium.bodies.iter().map(|body| body.pose).collect(),
        joints: equilibrium.joints.iter().map(|joint| joint.values.clone()).collect(),
        cables: equilibrium.cables.iter().map(cable).collect(),
        tendons: equilibrium.tendons.iter().map(tendon).collect(),
        contacts: equilibrium.contacts.iter().map(|pair| pair.contact.clone()).collect(),
        energy: MotionEnergy { elastic: energy.elastic, gravity: energy.gravity, ..MotionEnergy::default() },
        ..MotionFrame::default()
    }
}
