//! Cables that run freely through points: potential T ℓ, ℓ the length of the path.
//!
//! A cable driven by its tension pulls every point toward its neighbours with the same force. Driven by its length, the
//! tension is an unknown with the row ℓ − ℓ₀ − T ℓ₀/EA = 0 while it is taut, and T = 0 while it is slack. The points are
//! slots, and only their positions count, p ← p + R(v + ½ θ×v): the forces are dead loads on the slots with, between
//! neighbours, the stiffness T(1 − u uᵀ)/d.

use crate::inputs::Inputs;
use crate::state::State;
use nalgebra::Vector3;

/// A cable as it is computed.
#[derive(Clone, Debug)]
pub struct CompiledCable {
    /// Slots of its points, in order.
    pub points: Vec<usize>,
    /// What its input means.
    pub drive: Driven,
    /// Factor that its tension follows: an index of the inputs.
    pub input: CableInput,
    /// Node of its tension, if that is an unknown.
    pub node: Option<usize>,
    /// Stretch of the whole cable per tension and length, 1/EA.
    pub compliance: f64,
    /// Length of its path in the natural state, m.
    pub natural_length: f64,
}

/// What the input of a cable means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driven {
    /// Its tension.
    Tension,
    /// Its length.
    Length,
    /// How much shorter than its natural path it is.
    Pull,
}

/// Where the input of a cable comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CableInput {
    /// A cable of the scene, by index.
    Cable(usize),
    /// A force of constant size toward a point: a load of a frame, by index, and its size.
    FrameLoad(usize, f64),
}

impl CompiledCable {
    /// Length of its path.
    pub fn length(&self, state: &State) -> f64 {
        self.legs(state).map(|(_, _, d)| d.norm()).sum()
    }

    /// Pairs of neighbouring points and the vector between them.
    pub(crate) fn legs<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (usize, usize, Vector3<f64>)> + 'a {
        self.points.windows(2).map(|w| (w[0], w[1], state.poses[w[1]].position - state.poses[w[0]].position))
    }

    pub(crate) fn input(&self, inputs: &Inputs) -> f64 {
        match self.input {
            CableInput::Cable(cable) => inputs.cables[cable],
            CableInput::FrameLoad(load, size) => inputs.frame_loads[load] * size,
        }
    }

    /// Length that it is to have without tension; a part of the way from its natural path while loads are stepped.
    pub(crate) fn target(&self, inputs: &Inputs) -> f64 {
        let target = match self.drive {
            Driven::Length => self.input(inputs),
            _ => self.natural_length - self.input(inputs),
        };
        self.natural_length + (target - self.natural_length) * inputs.factor
    }
}
