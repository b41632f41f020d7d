//! Tendons driven by their length: back from computed lengths to the tensions, and random pulls.

use super::{scene, set_tensions, solve};
use crate::all_cores;
use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use lissome::model::{CableDrive, Scene};
use serde::Deserialize;

/// Random tensions and random pulls of one robot.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonLengths {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Words for the robot.
    name: String,
    seed: u64,
    /// Draws of tensions.
    count: usize,
    /// Largest tension, N.
    tension: f64,
    /// How far the tip may be off, parts of the length, and tensions, parts of the largest.
    same: f64,
    /// Draws of pulls.
    pulls: usize,
    /// Largest pull, m, either way.
    pull: f64,
}

impl TendonLengths {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut scene = scene(folder, &self.scene, &self.set)?;
        let mut random = Random::new(self.seed);
        let (mut off, mut tension_off, mut lost) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..self.count {
            // Two thirds pull, as far as the draw goes; the others are slack.
            let draw = |random: &mut Random| {
                let pulls = random.below(3) > 0;
                let tension = random.uniform(0.1, 1.0) * self.tension;
                if pulls { tension } else { 0.0 }
            };
            let tensions: Vec<f64> = scene.tendons.iter().map(|_| draw(&mut random)).collect();
            set_tensions(&mut scene, &tensions);
            let given = solve(&scene, None)?;
            for (tendon, record) in scene.tendons.iter_mut().zip(&given.tendons) {
                tendon.drive = CableDrive::Length(record.length);
            }
            let back = solve(&scene, None)?;
            if !(given.outcome.converged() && back.outcome.converged()) {
                lost += 1;
                continue;
            }
            let apart = (given.rods[0].tip.position - back.rods[0].tip.position).norm() / scene.rods[0].length;
            off = off.max(apart);
            for (tension, record) in tensions.iter().zip(&back.tendons) {
                tension_off = tension_off.max((tension - record.tension).abs() / self.tension);
            }
        }
        let title = |what: &str| format!("{}, {} draws of tensions: {what}", self.name, self.count);
        let mut rows = vec![
            Row::deviation(title("without an equilibrium by length"), f64::from(lost), 0.0),
            Row::deviation(title("by the lengths they lead to, tip off / L"), off, self.same),
            Row::deviation(title("tensions off, parts of the largest"), tension_off, self.same),
        ];
        rows.extend(self.random_pulls(&scene, &mut random)?);
        Ok(rows)
    }

    fn random_pulls(&self, scene: &Scene, random: &mut Random) -> Result<Vec<Row>, CaseError> {
        let mut draw = || scene.tendons.iter().map(|_| random.uniform(-1.0, 1.0) * self.pull).collect();
        let draws: Vec<Vec<f64>> = (0..self.pulls).map(|_| draw()).collect();
        let found = all_cores::map(draws.len(), |index| {
            let mut scene = scene.clone();
            for (tendon, pull) in scene.tendons.iter_mut().zip(&draws[index]) {
                tendon.drive = CableDrive::Pull(*pull);
            }
            solve(&scene, None)
        });
        let (mut lost, mut pushing, mut pulling_slack, mut most) = (0, 0, 0, 0);
        for (pulls, found) in draws.iter().zip(found) {
            let found = found?;
            lost += usize::from(!found.outcome.converged());
            most = most.max(found.outcome.iterations());
            for (pull, record) in pulls.iter().zip(&found.tendons) {
                pushing += usize::from(record.tension < 0.0);
                // It is slack where its path is shorter than it; rounding of the length is far below this.
                let slack = record.pulled - pull > 1e-9 * record.length;
                pulling_slack += usize::from(slack && record.tension != 0.0);
            }
        }
        let title = |what: &str| format!("{}, {} draws of pulls: {what}", self.name, self.pulls);
        Ok(vec![
            Row::deviation(title("without an equilibrium"), lost as f64, 0.0),
            Row::deviation(title("tendons that push"), pushing as f64, 0.0),
            Row::deviation(title("slack tendons that pull"), pulling_slack as f64, 0.0),
            Row::within(title("most iterations"), most as f64, most as f64, 0.0, 0.0),
        ])
    }
}
