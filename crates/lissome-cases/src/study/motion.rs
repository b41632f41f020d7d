//! Does a motion keep its energy, come by when it should, and swing at the right pace?

use super::Variant;
use crate::error::CaseError;
use crate::report::Row;
use crate::table::Table;
use crate::template;
use lissome::mech::System;
use lissome::model::{Job, Scene};
use lissome::solve::{MotionFrame, StaticOptions, dynamics, statics};
use lissome::{Answer, Progress};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A motion and what is asked of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionStudy {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    variant: Vec<Variant>,
    /// Bars on the quantities of [`quantity`].
    #[serde(default)]
    at_most: BTreeMap<String, f64>,
    #[serde(default)]
    at_least: BTreeMap<String, f64>,
    /// Where the tip of the first rod is to be, and when.
    places: Option<Places>,
    /// Mean time between the moments when the tip of the first rod rises through z = 0.
    period: Option<Bar>,
}

/// A table with `t` and any of `x`, `y`, `z`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Places {
    table: String,
    within: f64,
}

/// A figure and how near it must be met.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bar {
    expected: f64,
    within: f64,
}

impl MotionStudy {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let mut rows = Vec::new();
        for variant in &Variant::each(&self.variant) {
            let scene = variant.scene(folder, &self.scene, &self.set)?;
            let frames = frames(&scene, &variant.title("motion"))?;
            for (name, bar) in &self.at_most {
                rows.push(Row::at_most(
                    variant.title(&format!("{}, at most", words(name))),
                    quantity(name, &frames)?,
                    *bar,
                ));
            }
            for (name, bar) in &self.at_least {
                let title = variant.title(&format!("{}, at least", words(name)));
                rows.push(Row::at_least(title, quantity(name, &frames)?, *bar));
            }
            if let Some(places) = &self.places {
                place_rows(folder, places, &frames, variant, &mut rows)?;
            }
            if let Some(bar) = &self.period {
                let measured = mean_period(&frames)?;
                let title = variant.title("mean period of the tip / s");
                rows.push(Row::within(title, bar.expected, measured, (measured - bar.expected).abs(), bar.within));
            }
        }
        Ok(rows)
    }
}

/// Every recorded frame of a motion that must reach its end.
pub(super) fn frames(scene: &Scene, what: &str) -> Result<Vec<MotionFrame>, CaseError> {
    let mut frames = Vec::new();
    let answer = lissome::run(scene, &mut |progress: &Progress<'_>| {
        if let Progress::Frame(state) = progress {
            frames.push(state.frame.clone());
        }
        ControlFlow::Continue(())
    })?;
    match answer {
        Answer::Dynamics(_) if !answer.succeeded() => Err(CaseError::NotConverged { what: what.to_owned() }),
        Answer::Dynamics(_) if frames.len() > 1 => Ok(frames),
        _ => Err(CaseError::WrongJob { what: what.to_owned(), need: "dynamics" }),
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// A quantity of a motion by its name in the data.
fn quantity(name: &str, frames: &[MotionFrame]) -> Result<f64, CaseError> {
    let (first, last) = (&frames[0], &frames[frames.len() - 1]);
    let start = first.energy.balance();
    let relative = |frame: &MotionFrame| (frame.energy.balance() - start) / start.abs();
    let effort = &last.effort;
    Ok(match name {
        "energy_error" => frames.iter().map(|frame| relative(frame).abs()).fold(0.0, f64::max),
        "loop_gap" => frames.iter().map(|frame| frame.loop_gap).fold(0.0, f64::max),
        "energy_gain" => frames.iter().map(relative).fold(0.0, f64::max),
        "energy_loss" => -relative(last),
        "iterations_per_step" => effort.iterations as f64 / effort.steps.max(1) as f64,
        "steps_halved" => effort.halved as f64,
        _ => return Err(CaseError::NoSuchPart { name: name.to_owned() }),
    })
}

fn tip(frame: &MotionFrame) -> Option<nalgebra::Vector3<f64>> {
    Some(frame.rods.first()?.poses.last()?.position)
}

fn place_rows(
    folder: &str,
    places: &Places,
    frames: &[MotionFrame],
    variant: &Variant,
    rows: &mut Vec<Row>,
) -> Result<(), CaseError> {
    let table = Table::read(&format!("{folder}/{}", places.table))?;
    for line in table.lines() {
        let Some(at) = line.number("t")? else { continue };
        let nearest = frames.iter().min_by(|a, b| (a.time - at).abs().total_cmp(&(b.time - at).abs()));
        let Some(place) = nearest.and_then(tip) else { continue };
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            if let Some(expected) = line.number(name)? {
                let error = (place[axis] - expected).abs();
                let title = variant.title(&format!("tip {name} at {at} s / m"));
                rows.push(Row::within(title, expected, place[axis], error, places.within));
            }
        }
    }
    Ok(())
}

/// Mean time between upward crossings of z = 0, linear between frames.
fn mean_period(frames: &[MotionFrame]) -> Result<f64, CaseError> {
    let heights: Vec<(f64, f64)> = frames.iter().filter_map(|frame| Some((frame.time, tip(frame)?.z))).collect();
    let crossings: Vec<f64> = heights
        .windows(2)
        .filter(|pair| pair[0].1 < 0.0 && pair[1].1 >= 0.0)
        .map(|pair| pair[0].0 - pair[0].1 * (pair[1].0 - pair[0].0) / (pair[1].1 - pair[0].1))
        .collect();
    match crossings.as_slice() {
        [first, .., last] => Ok((last - first) / (crossings.len() - 1) as f64),
        few => Err(CaseError::TooFew { what: "crossings of z = 0", found: few.len(), need: 2 }),
    }
}

/// Natural frequencies about an equilibrium.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frequencies {
    scene: String,
    #[serde(default)]
    set: Vec<String>,
    /// The lowest, Hz.
    lowest: Vec<f64>,
    /// Relative.
    within: f64,
}

impl Frequencies {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let scene = template::scene(&format!("{folder}/{}", self.scene), &self.set)?;
        scene.validate()?;
        let system = System::compile(&scene)?;
        let mut work = system.workspace();
        let options = StaticOptions::default();
        let solution = statics::solve_from_natural(&system, &options, &mut work, &mut |_| true);
        let what = || CaseError::NotConverged { what: "equilibrium and modes".into() };
        if !solution.outcome.converged() || !matches!(scene.job, Job::Modes(_)) {
            return Err(what());
        }
        let inputs = system.inputs_at(0.0);
        let modes = dynamics::modes(&system, &solution.state, &inputs, self.lowest.len()).map_err(|_| what())?;
        let rows = self.lowest.iter().zip(&modes).enumerate().map(|(i, (expected, mode))| {
            let error = (mode.frequency / expected - 1.0).abs();
            Row::within(format!("frequency {} / Hz, relative", i + 1), *expected, mode.frequency, error, self.within)
        });
        Ok(rows.collect())
    }
}
