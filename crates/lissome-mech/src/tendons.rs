//! Tendons of a whole system: where their tensions are put, their lengths, and how the equations change with a tension.

use crate::contribution::{At, Constraint};
use crate::index::{Node, RodIndex};
use crate::inputs::{Input, Inputs};
use crate::layout::RodPlace;
use crate::rod::tendons::line::TendonLine;
use crate::rod::tendons::rates::TensionRows;
use crate::{State, System, Workspace};
use nalgebra::Vector6;

/// What a tendon does in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TendonState {
    /// Tension at the driven end, N.
    pub tension: f64,
    /// Length of its path along the rods, m.
    pub length: f64,
    /// How much longer its path was in the natural shape, m.
    pub pulled: f64,
    /// Smallest length per length of the rod: near zero the tendon has closed up.
    pub narrowest: f64,
    /// Rod and arc length where that is.
    pub narrowest_at: (usize, f64),
}

impl System {
    /// The tendons, in the order of the scene.
    pub fn tendons(&self) -> &[TendonLine] {
        &self.values.kinds.tendons
    }

    /// Gives tendons driven by their tension what the inputs say, and all of them to the rods they run along.
    pub fn place_tensions(&self, inputs: &Inputs, state: &mut State) {
        for line in self.tendons() {
            if let Some(tension) = line.prescribed(inputs) {
                state.linear[line.block][0] = tension;
            }
        }
        self.settle_tensions(state);
    }

    /// Hands the tensions of a state to the rods.
    pub(crate) fn settle_tensions(&self, state: &mut State) {
        for line in self.tendons() {
            let tension = line.tension(state);
            for run in &line.runs {
                let place = &self.layout.rods[run.rod];
                let own = &mut state.linear[place.tensions()];
                self.values.rods[run.rod].tendons().set_tension(run.route, tension, own);
            }
        }
    }

    /// What a tendon of the scene does in a state.
    pub fn tendon(&self, index: usize, state: &State) -> TendonState {
        let line = &self.tendons()[index];
        let mut sum = TendonState {
            tension: line.tension(state),
            length: 0.0,
            pulled: 0.0,
            narrowest: f64::INFINITY,
            narrowest_at: (0, 0.0),
        };
        for run in &line.runs {
            let carried = self.rod_carried(run.rod, state);
            let (length, narrowest, place) = self.values.rods[run.rod].tendon_length(run.route, carried);
            sum.length += length;
            if narrowest < sum.narrowest {
                (sum.narrowest, sum.narrowest_at) = (narrowest, (run.rod.index(), place));
            }
        }
        sum.pulled = line.law.natural_length - sum.length;
        sum
    }

    /// Adds to the rows of nodes what a change of a number of the inputs asks for through the tensions that it prescribes.
    /// The workspace is that of the last assembly.
    pub(crate) fn add_tension_changes(
        &self,
        state: &State,
        inputs: &Inputs,
        (input, change): (Input, f64),
        work: &Workspace,
        rows: &mut [Vector6<f64>],
    ) {
        for line in self.tendons().iter().filter(|line| line.is_given()) {
            let rate = line.law.tension_rate(inputs, input);
            if rate != 0.0 {
                self.add_tension_change(line, rate * change, state, work, rows);
            }
        }
    }

    fn add_tension_change(
        &self,
        line: &TendonLine,
        change: f64,
        state: &State,
        work: &Workspace,
        rows: &mut [Vector6<f64>],
    ) {
        for run in &line.runs {
            let (r, place) = (run.rod, self.layout.rods[run.rod]);
            let mut into = Rows { place, rows };
            let carried = self.rod_carried(r, state);
            let (scratch, map) = (Some(&work.scratch[r]), &work.maps[r]);
            self.values.rods[r].add_tension_change(run.route, change, carried, scratch, map, &mut into);
        }
    }

    /// Nodes of tendons of given length that are slack.
    pub(crate) fn slack_tendons(&self, at: &At<'_>) -> Vec<Node> {
        let slack = self.values.kinds.length_tendons.iter().filter(|tendon| {
            let multiplier = at.state.block(tendon.multiplier().block);
            !tendon.evaluate(at, multiplier).active[0]
        });
        slack.filter_map(|tendon| tendon.multiplier().node).collect()
    }

    /// Σ T ℓ of tendons driven by their tension, J.
    pub(crate) fn tension_potential(&self, state: &State) -> f64 {
        let given = (0..self.tendons().len()).filter(|index| self.tendons()[*index].is_given());
        given.map(|index| self.tendon(index, state)).map(|own| own.tension * own.length).sum()
    }

    /// Rod, arc length and tendon where one has closed up.
    pub fn closed_tendon(&self, state: &State) -> Option<(usize, RodIndex, f64)> {
        let closed = |index: usize| {
            let own = self.tendon(index, state);
            (own.narrowest < crate::rod::tendons::CLOSED).then_some((
                index,
                RodIndex::new(own.narrowest_at.0),
                own.narrowest_at.1,
            ))
        };
        (0..self.tendons().len()).find_map(closed)
    }
}

/// The rows of one rod among those of all nodes.
struct Rows<'a> {
    place: RodPlace,
    rows: &'a mut [Vector6<f64>],
}

impl TensionRows for Rows<'_> {
    fn stress(&mut self, a: usize, row: &Vector6<f64>) {
        self.rows[self.place.first_stress_node.after(a)] += row;
    }

    fn pose(&mut self, m: usize, row: &Vector6<f64>) {
        self.rows[self.place.first_pose.after(m).node()] += row;
    }
}
