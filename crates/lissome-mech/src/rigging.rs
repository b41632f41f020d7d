//! The cables of a system: their pull on its slots, and the rows of those driven by length.

use crate::cable::Driven;
use crate::inputs::Inputs;
use crate::load::SectionLoad;
use crate::sink::BlockSink;
use crate::{State, System};
use lissome_lie::Wrench;
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Below this distance, in lengths of the whole cable, two points count as one: no direction.
const COINCIDENT: f64 = 1e-9;

impl System {
    /// Tension of a cable at a state.
    pub fn tension(&self, index: usize, state: &State, inputs: &Inputs) -> f64 {
        let cable = &self.cables[index];
        match cable.drive {
            Driven::Tension => cable.input(inputs) * inputs.factor,
            // What is left of a slack cable's tension has gone with the next step.
            _ if self.is_taut(index, state, inputs) => state.tensions[index],
            _ => 0.0,
        }
    }

    /// Forces of the cables on their points, their tangent, and the rows of those driven by length.
    pub(crate) fn add_cables(
        &self,
        state: &State,
        inputs: &Inputs,
        loads: &mut [DualVector],
        sink: &mut impl BlockSink,
    ) {
        for (index, cable) in self.cables.iter().enumerate() {
            let tension = self.tension(index, state, inputs);
            let taut = self.is_taut(index, state, inputs);
            let smallest = COINCIDENT * cable.natural_length;
            for (a, b, between) in cable.legs(state) {
                let distance = between.norm();
                if distance <= smallest {
                    continue;
                }
                let u = between / distance;
                let side = (Matrix3::identity() - u * u.transpose()) * (tension / distance);
                let (ra, rb) = (state.poses[a].rotation.matrix(), state.poses[b].rotation.matrix());
                for (slot, force) in [(a, u * tension), (b, u * -tension)] {
                    let pull = SectionLoad { dead: Wrench::new(Vector3::zeros(), force), follower: Wrench::zero() };
                    let load = pull.evaluate(&state.poses[slot].rotation, 1.0);
                    let f: DualVector = load.wrench.into();
                    loads[slot] += f;
                    sink.add_symmetric(slot, slot, &-(load.tangent - f.skew().covector_map() * 0.5));
                }
                sink.add_symmetric(a, a, &linear(&(ra.tr_mul(&side) * ra)));
                sink.add_symmetric(b, b, &linear(&(rb.tr_mul(&side) * rb)));
                sink.add_symmetric(b, a, &linear(&-(rb.tr_mul(&side) * ra)));
                if let (Some(node), true) = (cable.node, taut) {
                    sink.add_symmetric(node, a, &row(&-(ra.tr_mul(&u))));
                    sink.add_symmetric(node, b, &row(&rb.tr_mul(&u)));
                }
            }
            if let Some(node) = cable.node {
                let own = if taut { -cable.compliance * cable.target(inputs) } else { -1.0 };
                sink.add_symmetric(node, node, &first_entry(own));
            }
        }
    }

    /// A cable is taut if it carries tension, or would if its stretch were resisted.
    pub(crate) fn is_taut(&self, index: usize, state: &State, inputs: &Inputs) -> bool {
        let cable = &self.cables[index];
        let stretch = (cable.length(state) - cable.target(inputs)) / cable.natural_length;
        state.tensions[index] + stretch * self.force_scale > 0.0
    }

    /// Rows of cables driven by their length; returns the largest misfit, over the natural length.
    pub(crate) fn fill_cable_rows(&self, state: &State, inputs: &Inputs, right_hand_side: &mut [Vector6<f64>]) -> f64 {
        let mut largest: f64 = 0.0;
        for (index, cable) in self.cables.iter().enumerate() {
            let Some(node) = cable.node else { continue };
            let tension = state.tensions[index];
            let target = cable.target(inputs);
            let row = if self.is_taut(index, state, inputs) {
                let open = cable.length(state) - target - tension * cable.compliance * target;
                largest = largest.max(open.abs() / cable.natural_length);
                -open
            } else {
                // The row −1 · ΔT = T.
                tension
            };
            right_hand_side[node] = Vector6::new(row, 0.0, 0.0, 0.0, 0.0, 0.0);
        }
        largest
    }

    /// Σ T ℓ of the cables driven by their tension: their potential. The others are conditions, see `merit`.
    pub(crate) fn cable_potential(&self, at: &State, inputs: &Inputs) -> f64 {
        let driven = self.cables.iter().enumerate().filter(|(_, cable)| cable.node.is_none());
        driven.map(|(i, cable)| self.tension(i, at, inputs) * cable.length(at)).sum()
    }
}

/// A block on the linear parts of two poses.
fn linear(block: &Matrix3<f64>) -> Matrix6<f64> {
    let mut m = Matrix6::zeros();
    m.fixed_view_mut::<3, 3>(3, 3).copy_from(block);
    m
}

/// A first row on the linear part of a pose.
fn row(entries: &Vector3<f64>) -> Matrix6<f64> {
    let mut m = Matrix6::zeros();
    m.fixed_view_mut::<1, 3>(0, 3).copy_from(&entries.transpose());
    m
}

fn first_entry(value: f64) -> Matrix6<f64> {
    let mut m = Matrix6::zeros();
    m[(0, 0)] = value;
    m
}
