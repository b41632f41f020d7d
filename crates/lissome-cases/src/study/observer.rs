//! Does the strain from measured markers come out right, and do its bands hold the truth as often as they say?

use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use crate::slope::log_slope;
use crate::{all_cores, template, truth};
use lissome::io::observe::{Marker, MarkerFrame, MarkerTable};
use lissome::model::{Frame, LoadKind, Scene};
use lissome::observe::{ObserveOptions, Refused, observe_scene};
use lissome::solve::observe::{Observation, ObservedFrame, Seen};
use lissome_reference::CosseratSolution;
use serde::Deserialize;
use std::f64::consts::TAU;

/// Markers on one rod whose truth the oracle tells.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observer {
    scene: String,
    /// The load that the observer does not know.
    unknown: String,
    /// How many, evenly along the rod, the tip included.
    markers: usize,
    /// Standard deviation of each axis, m.
    noise: f64,
    /// Of each bend.
    trials: usize,
    seed: u64,
    order: Order,
    /// Least and largest part of places and trials in which the truth lies inside the band.
    inside: [f64; 2],
    bend: Vec<Bend>,
}

/// How the strain from exact markers converges.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    /// Setting with `{spans}` to fill.
    set: String,
    spans: Vec<usize>,
    at_least: f64,
}

/// A load that bends the rod.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bend {
    name: String,
    set: Vec<String>,
}

/// How often the truth lies inside.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    inside: usize,
    of: usize,
}

impl Count {
    fn see(&mut self, error: f64, band: f64) {
        self.of += 1;
        self.inside += usize::from(error.abs() <= band);
    }

    fn add(&mut self, other: Self) {
        self.inside += other.inside;
        self.of += other.of;
    }

    fn part(&self) -> f64 {
        self.inside as f64 / self.of.max(1) as f64
    }
}

impl Observer {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let path = format!("{folder}/{}", self.scene);
        let mut rows = Vec::new();
        for bend in &self.bend {
            rows.push(self.exact(&path, bend)?);
        }
        let counted = all_cores::map(self.bend.len(), |index| self.noisy(&path, index));
        let mut all = [Count::default(); 3];
        for counts in counted {
            all.iter_mut().zip(counts?).for_each(|(sum, own)| sum.add(own));
        }
        rows.extend(self.coverage(&all));
        Ok(rows)
    }

    fn coverage(&self, counts: &[Count; 3]) -> Vec<Row> {
        let [low, high] = self.inside;
        let title = |what: &str, count: &Count| {
            format!("noise {} mm: part of {} in which the {what}", 1e3 * self.noise, count.of)
        };
        // Where every marker may have a force of its own bands hold a truth with one force more often than they say.
        let any = &counts[0];
        let mut rows = vec![Row::at_least(
            title("strain is inside its band, forces on all markers unknown", any),
            any.part(),
            low,
        )];
        let what = ["strain is inside its band, tip force unknown", "tip force is inside its band"];
        for (what, count) in what.iter().zip(&counts[1..]) {
            let (part, middle) = (count.part(), 0.5 * (low + high));
            rows.push(Row::within(title(what, count), middle, part, (part - middle).abs(), 0.5 * (high - low)));
        }
        rows
    }

    /// The truth of a bend, and the scene that the observer knows.
    fn truth(&self, path: &str, bend: &Bend, more: &[String]) -> Result<(CosseratSolution, Scene), CaseError> {
        let mut settings = bend.set.clone();
        let truth = truth::follow_from_natural(&template::scene(path, &settings)?)?;
        settings.extend_from_slice(more);
        let mut scene = template::scene(path, &settings)?;
        for load in scene.loads.iter_mut().filter(|load| load.name == self.unknown) {
            if let LoadKind::Point { wrench, .. } = &mut load.kind {
                *wrench = lissome::lie::Wrench::zero();
            }
        }
        Ok((truth, scene))
    }

    fn table(&self, scene: &Scene, truth: &CosseratSolution, noise: Option<f64>, random: &mut Random) -> MarkerTable {
        let length = scene.rods[0].length;
        let arc: Vec<f64> = (1..=self.markers).map(|k| length * k as f64 / self.markers as f64).collect();
        let marker = |s: &f64| Marker {
            name: format!("{}.at({s})", scene.rods[0].name),
            frame: Frame::rod(0, *s),
            noise,
            turn_noise: None,
            has_position: true,
            has_rotation: false,
        };
        let count = if noise.is_some() { self.trials } else { 1 };
        let frames = (0..count).map(|trial| MarkerFrame {
            time: trial as f64,
            positions: arc
                .iter()
                .map(|s| {
                    let at = truth.pose(*s).position;
                    let sigma = noise.unwrap_or(0.0);
                    [at.x, at.y, at.z].map(|x| Some(x + sigma * normal(random)))
                })
                .collect(),
            rotations: vec![None; arc.len()],
            drives: Vec::new(),
        });
        let frames = frames.collect();
        MarkerTable { markers: arc.iter().map(marker).collect(), drives: Vec::new(), frames, timed: false }
    }

    /// Exact markers: order of the largest error of the curvature.
    fn exact(&self, path: &str, bend: &Bend) -> Result<Row, CaseError> {
        let mut errors = Vec::new();
        for spans in &self.order.spans {
            let setting = template::fill(&self.order.set, &|name| (name == "spans").then(|| spans.to_string()))?;
            let (truth, scene) = self.truth(path, bend, &[setting])?;
            let table = self.table(&scene, &truth, None, &mut Random::new(0));
            let found = observed(&scene, &table, &ObserveOptions::default())?;
            let frame = first(&found, &bend.name)?;
            let error = |own: &lissome::solve::observe::ObservedSample| {
                (own.sample.strain.curvature - truth.strain(own.sample.s).curvature).norm()
            };
            errors.push(frame.rods[0].samples.iter().map(error).fold(0.0, f64::max));
        }
        let list = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(", ");
        let words = format!(
            "{}, exact markers, {} spans: order of the curvature (errors {} 1/m)",
            bend.name,
            list(&mut self.order.spans.iter().map(usize::to_string)),
            list(&mut errors.iter().map(|error| format!("{error:.1e}"))),
        );
        let order = -log_slope(self.order.spans.iter().map(|n| *n as f64).zip(errors.iter().copied()));
        // What is straight has no error to fall.
        let small = errors.iter().all(|error| *error < 1e-6);
        Ok(if small {
            Row::deviation(words, errors[0], 1e-6)
        } else {
            Row::at_least(words, order, self.order.at_least)
        })
    }

    /// Noisy markers: strain with forces on them unknown, strain with the tip force unknown, and that force.
    fn noisy(&self, path: &str, index: usize) -> Result<[Count; 3], CaseError> {
        let bend = &self.bend[index];
        let (truth, scene) = self.truth(path, bend, &[])?;
        let mut random = Random::new(self.seed + index as u64);
        let table = self.table(&scene, &truth, Some(self.noise), &mut random);
        let keep = ObserveOptions { keep_outliers: true, ..ObserveOptions::default() };
        let mut counts = [Count::default(); 3];
        let found = observed(&scene, &table, &keep)?;
        found.frames.iter().for_each(|frame| count_strain(frame, &truth, &mut counts[0]));
        let options = ObserveOptions { unknown: vec![format!("load.{}.force", self.unknown)], ..keep };
        let found = observed(&scene, &table, &options)?;
        let acts = template::scene(path, &bend.set)?;
        let force = acts.loads.iter().find(|load| load.name == self.unknown).map(|load| match load.kind {
            LoadKind::Point { wrench, .. } => wrench.force,
            LoadKind::Distributed { per_length, .. } => per_length.force,
        });
        for frame in &found.frames {
            count_strain(frame, &truth, &mut counts[1]);
            for (own, truth) in frame.unknowns.iter().zip(force.iter().flat_map(|force| force.iter())) {
                counts[2].see(own.value - truth, own.band);
            }
        }
        Ok(counts)
    }
}

fn count_strain(frame: &ObservedFrame, truth: &CosseratSolution, count: &mut Count) {
    if frame.seen != Seen::Found {
        // A shape that was not found holds nothing.
        count.see(1.0, 0.0);
        return;
    }
    for own in &frame.rods[0].samples {
        let error = own.sample.strain.curvature - truth.strain(own.sample.s).curvature;
        // Markers on the axis of a straight rod say little of its twist: bending is what is asked for.
        (1..3).for_each(|axis| count.see(error[axis], own.band.curvature[axis]));
    }
}

fn observed(scene: &Scene, table: &MarkerTable, options: &ObserveOptions) -> Result<Observation, CaseError> {
    observe_scene(scene, table, options, &mut lissome::Unobserved).map_err(|refused| match refused {
        Refused::Invalid(invalid) => lissome::SimulateError::Invalid(invalid).into(),
        Refused::Told(_) => CaseError::WrongJob { what: scene.title.clone(), need: "markers that can be observed" },
    })
}

fn first<'f>(found: &'f Observation, name: &str) -> Result<&'f ObservedFrame, CaseError> {
    let frame = found.frames.first().filter(|frame| frame.seen == Seen::Found);
    frame.ok_or_else(|| CaseError::WrongJob { what: name.to_owned(), need: "markers that the robot can go through" })
}

/// A normal number, by the way of Box and Muller: two draws.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.uniform(0.0, 1.0)).ln()).sqrt();
    radius * random.uniform(0.0, TAU).cos()
}
