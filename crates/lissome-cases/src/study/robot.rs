//! Robots along their paths against tabulated poses or the exact robot, and how hard each sample was to reach.

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use crate::robot::{ExactRobot, Robot};
use crate::table::Table;
use lissome::lie::{Pose, Rotation};
use nalgebra::Vector3;
use serde::Deserialize;

/// Robots along their paths against the truth.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotStudy {
    scene: String,
    /// Settings `path=value` of the scene, for every variant.
    #[serde(default)]
    set: Vec<String>,
    /// Ways to compute the same robot; one as the scene says without any.
    #[serde(default)]
    variant: Vec<Variant>,
    /// Parts whose poses are compared; every body and rod tip without any.
    #[serde(default)]
    parts: Vec<String>,
    /// Columns: `sample` (from 1), `x`, `y`, `z` (m), `rx`, `ry`, `rz` (rotation vector; may be empty). One part only.
    table: Option<String>,
    /// Also against the oracle, at every sample.
    oracle: Option<Oracle>,
    /// Farthest distance from the truth, m, of variants that do not give their own.
    position: Option<f64>,
    /// Largest turn from the truth, rad, likewise.
    angle: Option<f64>,
    /// Most Newton iterations for a sample.
    iterations: Option<usize>,
    /// Is every answer stable?
    #[serde(default)]
    stable: bool,
}

/// How often the oracle is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Oracle {
    /// Once: the variants are the same robot, computed in several ways.
    Once,
    /// For each variant.
    Each,
}

/// A tabulated pose.
struct Tabulated {
    sample: usize,
    position: Vector3<f64>,
    turn: Option<Rotation>,
}

/// The largest deviation of a variant, and where.
#[derive(Default)]
struct Largest {
    position: f64,
    angle: f64,
}

impl Largest {
    fn see(&mut self, found: &Pose, position: &Vector3<f64>, turn: Option<&Rotation>) {
        self.position = self.position.max((found.position - position).norm());
        if let Some(turn) = turn {
            self.angle = self.angle.max((turn.inverse() * found.rotation).angle());
        }
    }
}

impl RobotStudy {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let table = self.table.as_ref().map(|file| tabulated(&format!("{folder}/{file}"))).transpose()?;
        let mut exact: Option<ExactRobot> = None;
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let robot = variant.follow(folder, &self.scene, &self.set)?;
            let parts = if self.parts.is_empty() { robot.parts() } else { self.parts.clone() };
            let position = variant.position.or(self.position).unwrap_or(0.0);
            let angle = variant.angle.or(self.angle).unwrap_or(0.0);
            let mut compare = |truth: &str, largest: &Largest| {
                let title =
                    |what: &str| variant.title(&format!("{what} from {truth}, {} samples", robot.samples.len()));
                rows.push(Row::deviation(title("farthest, m,"), largest.position, position));
                rows.push(Row::deviation(title("turned farthest, rad,"), largest.angle, angle));
            };
            if let Some(table) = &table {
                let mut largest = Largest::default();
                for line in table {
                    let found = robot.pose(line.sample, &parts[0])?;
                    largest.see(&found, &line.position, line.turn.as_ref());
                }
                compare("the table", &largest);
            }
            if let Some(oracle) = self.oracle {
                let exact = match &exact {
                    Some(exact) if oracle == Oracle::Once => exact,
                    _ => &*exact.insert(ExactRobot::follow(&robot.scene)?),
                };
                let mut largest = Largest::default();
                for sample in 0..robot.samples.len() {
                    for part in &parts {
                        let truth = exact.pose(sample, part)?;
                        largest.see(&robot.pose(sample, part)?, &truth.position, Some(&truth.rotation));
                    }
                }
                compare("the exact robot", &largest);
            }
            self.effort(variant, &robot, &mut rows);
        }
        Ok(rows)
    }

    fn effort(&self, variant: &Variant, robot: &Robot, rows: &mut Vec<Row>) {
        if let Some(most) = self.iterations {
            let count = robot.samples.iter().map(|sample| sample.outcome.iterations()).max().unwrap_or(0);
            let title = variant.title("most iterations for a sample, at most");
            rows.push(Row::at_most(title, count as f64, most as f64));
        }
        if self.stable {
            let stable = |sample: &&lissome::solve::Equilibrium| sample.outcome.stability.is_some_and(|s| s.stable);
            let unstable = robot.samples.len() - robot.samples.iter().filter(stable).count();
            rows.push(Row::deviation(variant.title("samples that are not stable"), unstable as f64, 0.0));
        }
    }
}

fn tabulated(path: &str) -> Result<Vec<Tabulated>, CaseError> {
    let table = Table::read(path)?;
    let mut poses = Vec::new();
    for line in table.lines() {
        let turn = match line.number("rx")? {
            Some(rx) => Some(Rotation::exp(&Vector3::new(rx, line.need("ry")?, line.need("rz")?))),
            None => None,
        };
        let position = Vector3::new(line.need("x")?, line.need("y")?, line.need("z")?);
        poses.push(Tabulated { sample: (line.need("sample")? as usize).saturating_sub(1), position, turn });
    }
    Ok(poses)
}
