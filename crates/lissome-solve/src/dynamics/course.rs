//! What acts on a moving system, as a function of time; and the system itself, lent or shared.

use lissome_mech::{Inputs, System};
use std::ops::Deref;
use std::sync::Arc;

/// Inputs over the course of a run.
pub trait Course: Send + Sync {
    /// Writes what acts at a time.
    fn at(&self, time: f64, inputs: &mut Inputs);
}

/// A system that somebody lends, or that its users share: whoever keeps an integrator for longer than a call shares it.
#[derive(Clone, Debug)]
pub enum SystemOf<'a> {
    /// Lent.
    Lent(&'a System),
    /// Shared.
    Shared(Arc<System>),
}

impl Deref for SystemOf<'_> {
    type Target = System;

    fn deref(&self) -> &System {
        match self {
            Self::Lent(system) => system,
            Self::Shared(system) => system,
        }
    }
}

impl<'a> From<&'a System> for SystemOf<'a> {
    fn from(system: &'a System) -> Self {
        Self::Lent(system)
    }
}

impl From<Arc<System>> for SystemOf<'_> {
    fn from(system: Arc<System>) -> Self {
        Self::Shared(system)
    }
}

/// The scene's drives as functions of time.
#[derive(Clone, Debug)]
pub struct SceneCourse<'a>(pub SystemOf<'a>);

impl Course for SceneCourse<'_> {
    fn at(&self, time: f64, inputs: &mut Inputs) {
        inputs.drive(self.0.drives(), time);
    }
}

impl<F: Fn(f64, &mut Inputs) + Send + Sync> Course for F {
    fn at(&self, time: f64, inputs: &mut Inputs) {
        self(time, inputs);
    }
}
