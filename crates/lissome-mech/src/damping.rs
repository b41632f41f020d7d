//! Dampers: forces that resist the rate of a quantity r of the nodes, with the impulse −(∂r/∂z)ᵀ D (r¹ − r⁰) over a step.
//!
//! Half of it acts where the step starts and half where it ends, which is of second order, conserves momentum where r
//! depends on relative motion alone, and takes (r¹ − r⁰)ᵀ D (r¹ − r⁰)/h of energy.

use crate::index::Node;
use crate::sink::BlockSink;
use crate::state::State;
use nalgebra::{Matrix6, Vector6};

/// Something that damps.
pub trait Damper {
    /// D, symmetric; zero if it does not damp.
    fn resistance(&self) -> Matrix6<f64>;

    /// r¹ − r⁰.
    fn travelled(&self, before: &State, after: &State) -> Vector6<f64>;

    /// ∂r/∂z of every node.
    fn jacobian(&self, at: &State, visit: &mut dyn FnMut(Node, &Matrix6<f64>));

    /// Adds the second derivative of force · r.
    fn curvature(&self, at: &State, force: &Vector6<f64>, sink: &mut dyn BlockSink);
}
