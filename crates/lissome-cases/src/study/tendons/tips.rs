//! Tips of a tendon-driven rod under the load cases of a table, by every method.

use super::{scene, set_tensions, solve, words};
use crate::error::CaseError;
use crate::report::Row;
use crate::table::{Line, Table};
use lissome::lie::{Pose, Rotation};
use lissome::model::TendonMethod;
use nalgebra::Vector3;
use serde::Deserialize;

/// Load cases of one robot.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TendonTips {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// Tensions `t1`, …, position `x`, `y`, `z` in m and orientation `qw`, … of the tip.
    table: String,
    /// How far the tip may be off by the program, m.
    position: f64,
    /// How far it may be turned, degrees.
    angle: f64,
    /// How far it may be off by both shooting methods, m.
    oracle: f64,
    /// How far it may be off by the Lagrangian method with the paper's numbers, m.
    lagrangian: f64,
}

impl TendonTips {
    pub(in crate::study) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut scene = scene(folder, &self.scene, &self.set)?;
        let path = format!("{folder}/{}", self.table);
        let table = Table::read(&path)?;
        let mut rows = Vec::new();
        for line in table.lines() {
            let tensions = (1..=scene.tendons.len()).map(|k| required(&path, &line, &format!("t{k}")));
            let tensions = tensions.collect::<Result<Vec<f64>, _>>()?;
            let truth = pose(&path, &line)?;
            set_tensions(&mut scene, &tensions);
            let title = |what: &str| format!("{}, {what}", words(&tensions));
            let methods = [
                ("default settings", None, self.position),
                ("total stress", Some(TendonMethod::TotalStress), self.oracle),
                ("Newtonian", Some(TendonMethod::Newtonian), self.oracle),
                ("Lagrangian", Some(TendonMethod::lagrangian()), self.lagrangian),
            ];
            for (name, method, bar) in methods {
                let found = solve(&scene, method)?;
                if !found.outcome.converged() {
                    return Err(CaseError::NotConverged { what: title(name) });
                }
                let tip = found.rods[0].tip;
                let off = (tip.position - truth.position).norm();
                rows.push(Row::deviation(title(&format!("{name}: tip off, mm")), 1e3 * off, 1e3 * bar));
                if method.is_none() {
                    let turned = (truth.rotation.inverse() * tip.rotation).angle().to_degrees();
                    rows.push(Row::deviation(title(&format!("{name}: tip turned, degrees")), turned, self.angle));
                }
            }
        }
        Ok(rows)
    }
}

fn required(path: &str, line: &Line<'_>, column: &str) -> Result<f64, CaseError> {
    let missing = || CaseError::NoColumn { path: path.to_owned(), column: column.to_owned() };
    line.number(column)?.ok_or_else(missing)
}

fn pose(path: &str, line: &Line<'_>) -> Result<Pose, CaseError> {
    let number = |column: &str| required(path, line, column);
    let quaternion = [number("qw")?, number("qx")?, number("qy")?, number("qz")?];
    let missing = || CaseError::NoColumn { path: path.to_owned(), column: "qw".to_owned() };
    let rotation = Rotation::from_quat_wxyz(quaternion).ok_or_else(missing)?;
    Ok(Pose::new(rotation, Vector3::new(number("x")?, number("y")?, number("z")?)))
}
