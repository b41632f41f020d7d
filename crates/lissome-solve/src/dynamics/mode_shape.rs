//! What a mode looks like: how far each station of the rods and each body moves.

use super::{Integrator, Mode, Motion, Scheme};
use crate::ModeRecord;
use lissome_lie::Twist;
use lissome_mech::index::RodIndex;
use lissome_mech::{State, System};
use nalgebra::Vector3;

/// A mode is shown as the difference to a state moved by this much (rad, and of the system's length): small enough to be
/// linear, large enough not to drown in rounding.
const NUDGE: f64 = 1e-5;

/// The mode about a state at so many stations of each rod, at the moment of its swing when it is largest.
pub fn mode_record(system: &System, state: &State, mode: &Mode, stations: usize) -> ModeRecord {
    let (_, Displacements { rods, bodies }) = displacements(system, state, &mode.shape, stations);
    let runs_away = mode.frequency == 0.0 && mode.grows();
    let frequency = if runs_away { -mode.growth / std::f64::consts::TAU } else { mode.frequency };
    ModeRecord { frequency, growth: mode.growth, damping_ratio: mode.damping_ratio(), error: f64::NAN, rods, bodies }
}

/// Vectors at the stations of every rod, and at the origins of the bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Displacements {
    /// Of each rod.
    pub rods: Vec<Vec<Vector3<f64>>>,
    /// Of each body.
    pub bodies: Vec<Vector3<f64>>,
}

/// Positions at a state, and the way that a motion of its slots takes them, scaled so that the largest is 1.
pub fn displacements(
    system: &System,
    state: &State,
    shape: &[Twist],
    stations: usize,
) -> (Displacements, Displacements) {
    let scale = NUDGE / largest(system, shape);
    let rest = places(system, &moved(system, state, shape, 0.0), stations);
    let way = difference(&rest, &places(system, &moved(system, state, shape, scale), stations));
    (rest, way)
}

/// The largest motion of a slot: rad, or of the system's length.
pub(crate) fn largest(system: &System, shape: &[Twist]) -> f64 {
    let size = |x: &Twist| x.angular.norm().max(x.linear.norm() / system.scales().length);
    shape.iter().map(size).fold(f64::MIN_POSITIVE, f64::max)
}

/// A state moved along a motion of its slots, with all that follows from its poses.
pub(crate) fn moved(system: &System, state: &State, shape: &[Twist], scale: f64) -> State {
    let mut moved = state.clone();
    for (pose, x) in moved.poses.iter_mut().zip(shape) {
        *pose = pose.boxplus(&(*x * scale));
    }
    Integrator::new(system, Scheme::default()).state_now(&Motion::at_rest(system, moved))
}

fn places(system: &System, state: &State, stations: usize) -> Displacements {
    let positions = |rod: RodIndex| {
        let samples = system.sample(rod, state, stations);
        samples.iter().map(|sample| sample.pose.position).collect()
    };
    Displacements {
        rods: RodIndex::first(system.rods().len()).map(positions).collect(),
        bodies: system.bodies().iter().map(|body| state.poses[body.slot].position).collect(),
    }
}

/// The way from one to the other, scaled so that the largest is 1.
fn difference(rest: &Displacements, moved: &Displacements) -> Displacements {
    let between = |a: &[Vector3<f64>], b: &[Vector3<f64>]| b.iter().zip(a).map(|(b, a)| b - a).collect::<Vec<_>>();
    let mut rods: Vec<Vec<Vector3<f64>>> = rest.rods.iter().zip(&moved.rods).map(|(a, b)| between(a, b)).collect();
    let mut bodies = between(&rest.bodies, &moved.bodies);
    let largest = rods.iter().flatten().chain(&bodies).map(|v| v.norm()).fold(f64::MIN_POSITIVE, f64::max);
    rods.iter_mut().flatten().chain(&mut bodies).for_each(|v| *v /= largest);
    Displacements { rods, bodies }
}
