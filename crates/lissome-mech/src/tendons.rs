//! Tendons of a whole system: where their tensions are put, their lengths, and how the equations change with a tension.

use crate::contribution::{At, Constraint};
use crate::index::{Node, RodIndex};
use crate::inputs::{Input, Inputs};
use crate::layout::RodPlace;
use crate::rod::tendons::Tendons;
use crate::rod::tendons::line::TendonLine;
use crate::rod::tendons::rates::{RunLength, TensionRows};
use crate::rod::{PoseMap, RodScratch};
use crate::{State, Step, System, Workspace};
use nalgebra::Vector6;

/// A tendon at one place of its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TendonPoint {
    /// Index of the rod.
    pub rod: usize,
    /// Arc length of the rod, m.
    pub s: f64,
    /// Tension, N.
    pub tension: f64,
    /// Force per length of the rod with which it presses on the rod, N/m.
    pub pressure: f64,
}

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

    /// True if a tendon rubs.
    pub fn has_friction(&self) -> bool {
        self.tendons().iter().any(|line| line.friction > 0.0)
    }

    /// Renews what is left of the tensions along tendons with friction, for the shape that the state has. The equations hold
    /// these parts fixed; whoever iterates renews them between its steps.
    pub fn renew_friction(&self, state: &mut State) {
        for line in self.tendons().iter().filter(|line| line.friction > 0.0) {
            self.settle_friction(line, state);
        }
    }

    /// Renews what is left of the tension of a tendon along its way, for the shape that the state has.
    fn settle_friction(&self, line: &TendonLine, state: &mut State) {
        let tension = line.tension(state);
        let mut angle = 0.0;
        for run in &line.runs {
            let rod = &self.values.rods[run.rod];
            let place = self.layout.rods[run.rod];
            let mut turned = vec![0.0; rod.curve().point_count()];
            let carried = place.carried(&state.linear);
            angle = rod.turning(run.route, carried, angle, |q, angle, _| turned[q] = angle);
            let own = &mut state.linear[place.tensions()];
            for (q, turned) in turned.into_iter().enumerate() {
                // Between its points a tendon that hardly turns may seem to turn back.
                let most = (line.friction * turned.max(0.0)).exp();
                let before = rod.tendons().carried_before(q, run.route, own);
                // Where it sticks it carries what it carried before.
                let share = if tension > 0.0 { (before / tension).max(1.0 / most).min(most) } else { 1.0 };
                rod.tendons().set_share(q, run.route, share, own);
            }
        }
    }

    /// Takes what tendons with friction carry now for what they carried before: the state is one that the robot was in.
    pub fn keep_tensions(&self, state: &mut State) {
        for line in self.tendons().iter().filter(|line| line.friction > 0.0) {
            let tension = line.tension(state);
            self.set_kept(line, state, |tendons, q, route, own| tension * tendons.share(q, route, own));
        }
    }

    /// Tendons that have not moved yet: those that are pulled carried nothing before, those that are let go more than now.
    pub(crate) fn forget_tensions(&self, state: &mut State) {
        for line in self.tendons().iter().filter(|line| line.friction > 0.0) {
            let before = if line.released { f64::MAX } else { 0.0 };
            self.set_kept(line, state, |_, _, _, _| before);
            for run in &line.runs {
                let rod = &self.values.rods[run.rod];
                let own = &mut state.linear[self.layout.rods[run.rod].tensions()];
                (0..rod.curve().point_count()).for_each(|q| rod.tendons().set_share(q, run.route, 1.0, own));
            }
        }
    }

    fn set_kept(
        &self,
        line: &TendonLine,
        state: &mut State,
        value: impl Fn(&Tendons, usize, usize, &[Vector6<f64>]) -> f64,
    ) {
        for run in &line.runs {
            let rod = &self.values.rods[run.rod];
            let own = &mut state.linear[self.layout.rods[run.rod].tensions()];
            for q in 0..rod.curve().point_count() {
                let kept = value(rod.tendons(), q, run.route, own);
                rod.tendons().set_carried_before(q, run.route, kept, own);
            }
        }
    }

    /// What every tendon of the scene does in a state.
    pub fn tendon_states(&self, state: &State) -> Vec<TendonState> {
        let rods = RodIndex::first(self.values.rods.len());
        let along: Vec<Vec<RunLength>> =
            rods.map(|rod| self.values.rods[rod].tendon_lengths(self.rod_carried(rod, state))).collect();
        let of = |line: &TendonLine| {
            let mut sum = TendonState {
                tension: line.tension(state),
                length: 0.0,
                pulled: 0.0,
                narrowest: f64::INFINITY,
                narrowest_at: (0, 0.0),
            };
            for run in &line.runs {
                let own = along[run.rod.index()][run.route];
                sum.length += own.length;
                if own.narrowest < sum.narrowest {
                    (sum.narrowest, sum.narrowest_at) = (own.narrowest, (run.rod.index(), own.narrowest_at));
                }
            }
            sum.pulled = line.law.natural_length - sum.length;
            sum
        };
        self.tendons().iter().map(of).collect()
    }

    /// What a tendon of the scene does in a state.
    pub fn tendon(&self, index: usize, state: &State) -> TendonState {
        self.tendon_states(state)[index]
    }

    /// Tension of a tendon of the scene at arc length s of a rod, N; that of its driven end where it does not run.
    pub fn tension_at(&self, index: usize, rod: usize, s: f64, state: &State) -> f64 {
        let line = &self.tendons()[index];
        let there = line.runs.iter().filter(|run| run.rod.index() == rod);
        let own = there
            .filter_map(|run| self.values.rods[run.rod].tension_at(run.route, s, self.rod_carried(run.rod, state)));
        own.into_iter().next().unwrap_or_else(|| line.tension(state))
    }

    /// Tension and pressure of a tendon of the scene along its way, at the quadrature points of the rods.
    pub fn tendon_points(&self, index: usize, state: &State) -> Vec<TendonPoint> {
        let line = &self.tendons()[index];
        let tension = line.tension(state);
        let mut points = Vec::new();
        for run in &line.runs {
            let (rod, carried) = (&self.values.rods[run.rod], self.rod_carried(run.rod, state));
            rod.turning(run.route, carried, 0.0, |q, _, rate| {
                let tension = tension * rod.tendons().share(q, run.route, carried.tension);
                let (rod, s) = (run.rod.index(), rod.curve().point_place(q));
                points.push(TendonPoint { rod, s, tension, pressure: tension * rate });
            });
        }
        points
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

    /// Changes of tension and length of every tendon along the step that answers a unit of an input.
    pub fn tendon_rates(&self, state: &State, inputs: &Inputs, input: Input, step: &Step) -> Vec<(f64, f64)> {
        let tension = |line: &TendonLine| match line.is_given() {
            true => line.law.tension_rate(inputs, input),
            false => step.block(line.block)[0],
        };
        let tensions: Vec<f64> = self.tendons().iter().map(tension).collect();
        let length = |line: &TendonLine| {
            let mut sum = 0.0;
            for run in &line.runs {
                let (rod, place) = (&self.values.rods[run.rod], self.layout.rods[run.rod]);
                let carried = self.rod_carried(run.rod, state);
                let mut along = Along { place, step, sum: 0.0 };
                let mut scratch = RodScratch::new(rod);
                rod.fill_increments(&state.poses[place.poses()], &mut scratch);
                let mut map = PoseMap::new(rod.curve().increments());
                map.fill(&scratch.psi);
                rod.add_tension_change(run.route, -1.0, carried, Some(&scratch), &map, &mut along);
                sum += along.sum;
                let others = self.tendons().iter().zip(&tensions).filter(|(_, tension)| **tension != 0.0);
                let (routes, tensions): (Vec<usize>, Vec<f64>) = others
                    .flat_map(|(other, tension)| other.runs.iter().map(move |with| (with, *tension)))
                    .filter(|(with, _)| with.rod == run.rod)
                    .map(|(with, tension)| (with.route, tension))
                    .unzip();
                let mut gives = vec![0.0; routes.len()];
                rod.add_tension_couplings(run.route, &routes, carried, &mut gives);
                sum -= gives.iter().zip(&tensions).map(|(gives, tension)| gives * tension).sum::<f64>();
            }
            sum
        };
        self.tendons().iter().zip(&tensions).map(|(line, tension)| (*tension, length(line))).collect()
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
        let all = self.tendons().iter().zip(self.tendon_states(state));
        all.filter(|(line, _)| line.is_given()).map(|(_, own)| own.tension * own.length).sum()
    }

    /// Rod, arc length and tendon where one has closed up.
    pub fn closed_tendon(&self, state: &State) -> Option<(usize, RodIndex, f64)> {
        let states = self.tendon_states(state);
        let (index, own) = states.iter().enumerate().find(|(_, own)| own.narrowest < crate::rod::tendons::CLOSED)?;
        Some((index, RodIndex::new(own.narrowest_at.0), own.narrowest_at.1))
    }
}

/// Sums rows times a step.
struct Along<'a> {
    place: RodPlace,
    step: &'a Step,
    sum: f64,
}

impl TensionRows for Along<'_> {
    fn stress(&mut self, a: usize, row: &Vector6<f64>) {
        self.sum += match self.place.first_coordinate {
            Some(first) => row.dot(self.step.joint(first.after(a))),
            None => row.dot(self.step.block(self.place.first_stress.after(a))),
        };
    }

    fn pose(&mut self, m: usize, row: &Vector6<f64>) {
        self.sum += row.dot(&self.step.pose(self.place.first_pose.after(m)).to_vector());
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
