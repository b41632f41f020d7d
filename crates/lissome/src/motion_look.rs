//! States of a motion that are looked at on more spans: those that strain the rods most, and the last.

use lissome_mech::index::RodIndex;
use lissome_mech::{Inputs, State, System};
use lissome_model::{Invalid, Scene};
use lissome_solve::accuracy::{Difference, MotionFiner};
use lissome_solve::dynamics::{Integrator, Motion};

/// How strained a state is, by each of these measures: bending and twist, and tension.
const MEASURES: usize = 2;

/// A state of a motion, kept until it is looked at.
struct Kept {
    time: f64,
    state: State,
    inputs: Inputs,
}
