//! Table III of \[tendon2025\]: two methods on many load cases, and the program beside them.

use super::{scene, set_tensions, solve};
use crate::all_cores;
use crate::error::CaseError;
use crate::report::Row;
use lissome::model::{Scene, TendonMethod};
use lissome::solve::Equilibrium;
use lissome_reference::tendons::comparison::Spread;
use lissome_reference::tendons::scenarios::Scenario;
use serde::Deserialize;

/// One scenario of the table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonTable {
    scenario: Letter,
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Draws the load cases of D and E.
    seed: u64,
    /// The paper's median of the differences between the tips, m.
    median: f64,
    /// The paper's upper bound of the 95 % of the differences, m.
    upper: f64,
    /// Share of the cases that the Newtonian method solved in one load step, in the paper.
    newtonian: f64,
    /// The same of the Lagrangian one.
    lagrangian: f64,
    /// How far the program may be from the Newtonian method, m.
    within: f64,
}

/// A scenario by its letter.
#[derive(Clone, Copy, Debug, Deserialize)]
enum Letter {
    A,
    B,
    C,
    D,
    E,
}

/// How the cases came out.
#[derive(Default)]
struct Sums {
    differences: Vec<f64>,
    newtonian_in_one_step: usize,
    lagrangian_in_one_step: usize,
    lost: usize,
    farthest: f64,
    most_iterations: usize,
}

impl TendonTable {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = scene(folder, &self.scene, &self.set)?;
        let scenario = match self.scenario {
            Letter::A => Scenario::A,
            Letter::B => Scenario::B,
            Letter::C => Scenario::C,
            Letter::D => Scenario::D,
            Letter::E => Scenario::E,
        };
        let cases = scenario.table3_cases(self.seed);
        let mut sums = Sums::default();
        for found in all_cores::map(cases.len(), |index| solve_all(&scene, &cases[index])) {
            sums.add(&found?);
        }
        let title = |what: &str| format!("{:?}, {} cases: {what}", self.scenario, cases.len());
        let share = |count: usize| count as f64 / cases.len() as f64;
        let empty = CaseError::TooFew { what: "load cases", found: 0, need: 1 };
        let spread = Spread::of(&sums.differences).ok_or(empty)?;
        // 95 % of the differences lie between the bounds; the lower one is shown, and has no bar.
        let shown = |what: &str, value: f64| Row::within(title(what), value, value, 0.0, 0.0);
        Ok(vec![
            Row::at_most(title("two methods, median difference, mm"), 1e3 * spread.median, 1e3 * self.median),
            shown("two methods, lower bound of 95 %, mm", 1e3 * spread.lower),
            Row::at_most(title("two methods, upper bound of 95 %, mm"), 1e3 * spread.upper, 1e3 * self.upper),
            Row::at_least(title("Newtonian in one load step"), share(sums.newtonian_in_one_step), self.newtonian),
            Row::at_least(title("Lagrangian in one load step"), share(sums.lagrangian_in_one_step), self.lagrangian),
            Row::deviation(title("default settings, without an equilibrium"), sums.lost as f64, 0.0),
            Row::deviation(title("default settings, farthest tip, mm"), 1e3 * sums.farthest, 1e3 * self.within),
            shown("default settings, most iterations", sums.most_iterations as f64),
        ])
    }
}

/// A load case by the Newtonian method, by the Lagrangian one and by the program.
fn solve_all(scene: &Scene, tensions: &[f64]) -> Result<[Equilibrium; 3], CaseError> {
    let mut scene = scene.clone();
    set_tensions(&mut scene, tensions);
    let by = |method| solve(&scene, method);
    Ok([by(Some(TendonMethod::Newtonian))?, by(Some(TendonMethod::lagrangian()))?, by(None)?])
}

impl Sums {
    fn add(&mut self, [newtonian, lagrangian, ours]: &[Equilibrium; 3]) {
        let one_step = |found: &Equilibrium| usize::from(found.outcome.converged() && found.outcome.load_steps == 1);
        self.newtonian_in_one_step += one_step(newtonian);
        self.lagrangian_in_one_step += one_step(lagrangian);
        let truth = newtonian.rods[0].tip.position;
        if newtonian.outcome.converged() && lagrangian.outcome.converged() {
            self.differences.push((lagrangian.rods[0].tip.position - truth).norm());
        }
        if !ours.outcome.converged() {
            self.lost += 1;
        } else if newtonian.outcome.converged() {
            self.farthest = self.farthest.max((ours.rods[0].tip.position - truth).norm());
        }
        self.most_iterations = self.most_iterations.max(ours.outcome.iterations());
    }
}
