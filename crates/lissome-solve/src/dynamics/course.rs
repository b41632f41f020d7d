//! What acts on a moving system, as a function of time.

use lissome_mech::{Inputs, System};

/// Inputs over the course of a run.
pub trait Course {
    /// Writes what acts at a time.
    fn at(&self, time: f64, inputs: &mut Inputs);
}

/// The scene's drives as functions of time.
#[derive(Clone, Copy, Debug)]
pub struct SceneCourse<'a>(pub &'a System);

impl Course for SceneCourse<'_> {
    fn at(&self, time: f64, inputs: &mut Inputs) {
        inputs.drive(self.0.drives(), time);
    }
}

impl<F: Fn(f64, &mut Inputs)> Course for F {
    fn at(&self, time: f64, inputs: &mut Inputs) {
        self(time, inputs);
    }
}
