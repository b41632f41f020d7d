//! How a robot swings under loads without a potential, and from which load on a swing grows.

use crate::error::CaseError;
use crate::report::Row;
use crate::table::{Line, Table};
use crate::template::{self, exact};
use lissome::mech::System;
use lissome::model::Scene;
use lissome::solve::branch::Branch;
use lissome::solve::dynamics::{self, Mode};
use lissome::solve::flutter;
use serde::Deserialize;
use std::f64::consts::TAU;

/// Modes at several loads, and the load from which one grows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flutter {
    scene: String,
    /// Settings `path=value` of the scene with `{load}` to fill.
    set: Vec<String>,
    /// Columns: `load`; below flutter `first` and `second`, beyond it `frequency` and `growth` of the swing that grows. In rad/s
    /// and 1/s.
    table: String,
    /// How often every mode occurs.
    times: usize,
    /// Relative; beyond flutter, to |λ|.
    within: f64,
    onset: Option<Onset>,
}

/// The load from which a swing grows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Onset {
    expected: f64,
    /// A load above it.
    up_to: f64,
    /// Relative.
    within: f64,
}

impl Flutter {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let table = Table::read(&format!("{folder}/{}", self.table))?;
        let mut rows = Vec::new();
        for line in table.lines() {
            self.line(folder, &line, &mut rows)?;
        }
        if let Some(bar) = &self.onset {
            let system = System::compile(&self.scene(folder, bar.up_to)?)?;
            let search = flutter::onset(&system, system.nominal_inputs(), 1.0);
            let found = search.ok().and_then(|search| search.onset);
            let found = found.ok_or(CaseError::NoChange { low: 0.0, high: bar.up_to })?;
            let load = found.factor * bar.up_to;
            let error = (load / bar.expected - 1.0).abs();
            rows.push(Row::within("flutter load, relative", bar.expected, load, error, bar.within));
            let swings = f64::from(u8::from(found.mode.frequency > 0.0));
            rows.push(Row::within("what begins to grow there swings: 1", 1.0, swings, 1.0 - swings, 0.0));
        }
        Ok(rows)
    }

    fn scene(&self, folder: &str, load: f64) -> Result<Scene, CaseError> {
        let settings = template::fill_all(&self.set, &|name| (name == "load").then(|| exact(load)))?;
        let scene = template::scene(&format!("{folder}/{}", self.scene), &settings)?;
        scene.validate()?;
        Ok(scene)
    }

    fn line(&self, folder: &str, line: &Line<'_>, rows: &mut Vec<Row>) -> Result<(), CaseError> {
        let load = line.need("load")?;
        let modes = self.modes(folder, load)?;
        let swings = [line.number("first")?, line.number("second")?];
        for (k, expected) in swings.into_iter().enumerate() {
            let Some(expected) = expected else { continue };
            for mode in modes.iter().skip(k * self.times).take(self.times) {
                let omega = TAU * mode.frequency;
                let title = format!("load {load}: frequency {} / (rad/s), relative", k + 1);
                rows.push(Row::within(title, expected, omega, (omega / expected - 1.0).abs(), self.within));
            }
        }
        let growing: Vec<&Mode> = modes.iter().filter(|mode| mode.grows()).collect();
        let (frequency, growth) = (line.number("frequency")?, line.number("growth")?);
        let times = if growth.is_some() { self.times } else { 0 };
        let title = format!("load {load}: modes that grow");
        rows.push(Row::within(title, times as f64, growing.len() as f64, growing.len().abs_diff(times) as f64, 0.0));
        if let (Some(frequency), Some(growth)) = (frequency, growth) {
            let rate = frequency.hypot(growth);
            for mode in growing {
                let omega = TAU * mode.frequency;
                let error = (omega - frequency).abs() / rate;
                let title = format!("load {load}: frequency of the growing swing / (rad/s), relative to |λ|");
                rows.push(Row::within(title, frequency, omega, error, self.within));
                let error = (mode.growth - growth).abs() / rate;
                let title = format!("load {load}: its growth / (1/s), relative to |λ|");
                rows.push(Row::within(title, growth, mode.growth, error, self.within));
            }
        }
        Ok(())
    }

    /// The lowest modes on the branch that begins without load.
    fn modes(&self, folder: &str, load: f64) -> Result<Vec<Mode>, CaseError> {
        let what = || CaseError::NotConverged { what: format!("modes at load {load}") };
        let system = System::compile(&self.scene(folder, load)?)?;
        let mut branch = Branch::unloaded(&system, system.nominal_inputs()).ok_or_else(what)?;
        if !branch.advance(1.0) {
            return Err(what());
        }
        dynamics::modes(&system, branch.state(), branch.inputs(), 2 * self.times).map_err(|_| what())
    }
}
