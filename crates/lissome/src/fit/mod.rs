//! Numbers of a scene from measurements: nonlinear least squares over many experiments.
//!
//! ```text
//! Scene, DataTable ── Fit::new ──▶ experiments, each solved once ── Fit::run ──▶ FitAnswer
//!                                        │  residuals and derivatives at x, each from its last equilibrium
//!                                        └───────── least_squares::solve ◀──┘
//! ```
//!
//! `docs/theory/fit.md` tells how errors and intervals are made.

mod columns;
mod comparison;
mod free;
mod loss;
mod moving;
mod noise;
mod readings;
mod still;

pub use lissome_solve::least_squares::Loss;
pub use loss::loss_named;

use crate::observer::{Observer, Watch};
use columns::Columns;
use comparison::{Comparison, Experiment, Known, Model};
use free::Free;
use lissome_io::fit::{DataTable, FitAnswer, FitEnd, FitFault, FittedNumber, FittedOutput, FittedPoint};
use lissome_io::scene::{SceneNumber, Variants};
use lissome_io::{Diagnostic, Fault, LoadedScene};
use lissome_mech::System;
use lissome_model::Job;
use lissome_solve::least_squares::{self, Found, Noise, Variable};
use noise::Stated;
use readings::Reading;
use std::sync::Arc;
use still::Family;

/// Relative error of derivatives at rest, and of those of motions: combinations that change residuals by less are not told.
const EXACT: f64 = 1e-8;
const DIFFERENCED: f64 = 1e-6;
/// Noise that is estimated is found in rounds, until it changes by less than this part.
const NOISE_ROUNDS: usize = 12;
const SAME_NOISE: f64 = 1e-3;
/// The first guess of noise, of the largest value of its kind; it does not matter where there is one kind only.
const FIRST_NOISE: f64 = 1e-3;
/// Least noise, of the same: data without any.
const LEAST_NOISE: f64 = 1e-12;
/// Standard deviation over the median of what is normal.
const NORMAL: f64 = 1.4826;
/// Divisions are looked at again so often.
const DIVISIONS: usize = 2;

/// What is to be fitted, and how.
#[derive(Clone, Debug)]
pub struct FitOptions {
    /// Dotted paths of numbers of the file, perhaps with limits: `material.silicone.young`, `rod.arm.length=0.9..1.1 m`.
    pub free: Vec<String>,
    /// Noise, such as `position=0.1mm`; estimated if there is none.
    pub noise: Vec<String>,
    /// How much what lies far out counts.
    pub loss: Loss,
    /// Steps of the search at most.
    pub max_rounds: usize,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { free: Vec::new(), noise: Vec::new(), loss: Loss::Square, max_rounds: 100 }
    }
}

/// Experiments compiled once, and what was measured in them.
#[derive(Clone)]
pub struct Fit {
    columns: Arc<Columns>,
    /// Of the scene without settings.
    base: Arc<Variants>,
    /// Tendons that rub.
    rubbing: Vec<String>,
    numbers: Vec<SceneNumber>,
    variables: Vec<Variable>,
    experiments: Vec<Experiment>,
    readings: Vec<Reading>,
    /// Line of each row of the data, and its moment.
    lines: Arc<[usize]>,
    times: Arc<[Option<f64>]>,
    noise: Noise,
    loss: Loss,
    max_rounds: usize,
    /// What many searches begin with.
    known: Option<Arc<Known>>,
}

fn refuse(fault: FitFault) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Fault::Fit(fault))]
}

fn one(diagnostic: Box<Diagnostic>) -> Vec<Diagnostic> {
    vec![*diagnostic]
}

/// Fits numbers of a scene file to data: [`Fit::new`] and [`Fit::run`].
pub fn fit(
    loaded: &LoadedScene,
    data: &DataTable,
    options: &FitOptions,
    observer: &mut dyn Observer,
) -> Result<FitAnswer, Vec<Diagnostic>> {
    Fit::new(loaded, data, options)?.run(observer)
}

impl Fit {
    /// Reads what the columns are and what is free; nothing is solved yet.
    pub fn new(loaded: &LoadedScene, data: &DataTable, options: &FitOptions) -> Result<Self, Vec<Diagnostic>> {
        let stated = Stated::read(&options.noise)?;
        let system = System::compile(&loaded.scene).map_err(|invalid| vec![loaded.diagnose(&invalid)])?;
        let text = loaded.to_toml();
        let columns = Columns::read(loaded, &text, &system, data, &stated)?;
        let free = Free::read(loaded, data, &columns.settings, &options.free)?;
        let numbers: Vec<SceneNumber> = free.iter().map(|own| own.number.clone()).collect();
        let times = times(loaded, data, &columns)?;
        let mut readings = Vec::new();
        let mut experiments: Vec<Experiment> = Vec::new();
        let mut known: Vec<Vec<String>> = Vec::new();
        for row in 0..data.len() {
            let settings: Vec<String> =
                columns.settings.iter().map(|column| data.text(row, *column).to_owned()).collect();
            let experiment = match known.iter().position(|other| *other == settings) {
                Some(index) => index,
                None => {
                    let scene = data.scene(&text, row, &columns.settings)?;
                    let variants = scene.variants(&numbers).map_err(one)?;
                    let first = experiments.first().map(|first| &first.family);
                    let family = Family::new(variants, &scene.scene, first);
                    experiments.push(Experiment::new(family, row, times[row].is_some()));
                    known.push(settings);
                    known.len() - 1
                }
            };
            let own = readings::of_row(data, &columns, row).map_err(one)?;
            experiments[experiment].add(readings.len()..readings.len() + own.len(), times[row]);
            readings.extend(own);
        }
        let is_stated = readings::is_noise_stated(data, &columns, &readings).map_err(one)?;
        let noise = if is_stated { Noise::Stated } else { Noise::Estimated };
        let needed = numbers.len() + usize::from(noise == Noise::Estimated);
        if readings.len() < needed {
            return Err(refuse(FitFault::TooFewData { numbers: numbers.len(), data: readings.len() }));
        }
        let base = Arc::new(loaded.variants(&numbers).map_err(one)?);
        Ok(Self {
            base,
            rubbing: lissome_io::held_shares::rubbing(&loaded.scene),
            variables: free.iter().map(Free::variable).collect(),
            numbers,
            columns: Arc::new(columns),
            experiments,
            readings,
            lines: (0..data.len()).map(|row| data.line(row)).collect(),
            times: times.into(),
            noise,
            loss: options.loss,
            max_rounds: options.max_rounds,
            known: None,
        })
    }

    /// Dotted paths of the numbers that are fitted.
    pub fn paths(&self) -> Vec<&str> {
        self.numbers.iter().map(|number| number.path.as_str()).collect()
    }

    /// Begins elsewhere.
    pub fn begin_at(&mut self, x: &[f64]) {
        self.variables.iter_mut().zip(x).for_each(|(own, x)| own.start = x.clamp(own.limits.0, own.limits.1));
    }

    /// Solves all experiments at rest where searches begin, derivatives too: what is fitted to other measured values from there on, as copies
    /// of this are, begins with them.
    pub fn prepare(&mut self, observer: &mut dyn Observer) {
        let watch = Watch::new(observer);
        let start: Vec<f64> = self.variables.iter().map(|own| own.start).collect();
        let sigmas = vec![1.0; self.readings.len()];
        self.known = Comparison::new(self, &sigmas, &watch).known_at(&start).map(Arc::new);
    }

    /// Number of measured values.
    pub fn measured(&self) -> usize {
        self.readings.len()
    }

    /// Noise of each measured value, where it is stated.
    pub fn stated_noise(&self) -> Vec<Option<f64>> {
        self.readings.iter().map(|reading| reading.sigma).collect()
    }

    /// What the model has for every measured value, with these values of the numbers.
    pub fn predict(&mut self, x: &[f64], observer: &mut dyn Observer) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let watch = Watch::new(observer);
        let sigmas = vec![1.0; self.readings.len()];
        let mut comparison = Comparison::new(self, &sigmas, &watch);
        let values = comparison.values_at(x);
        let row = comparison.refused.take();
        values.ok_or_else(|| no_answer(row))
    }

    /// Puts other measured values in the place of those of the data, one for each.
    pub fn measure(&mut self, values: &[f64]) {
        for (reading, value) in self.readings.iter_mut().zip(values) {
            reading.measured = *value;
        }
        for index in 0..self.readings.len() {
            let (row, own) = (self.readings[index].row, &self.columns.measured[self.readings[index].output]);
            let Some(mut whole) = self.readings[index].attitude else { continue };
            for other in self.readings.iter().filter(|other| other.row == row) {
                let column = &self.columns.measured[other.output];
                if column.is_rotation && column.first == own.first {
                    whole[column.component] = other.measured;
                }
            }
            self.readings[index].attitude = Some(whole);
        }
    }

    /// Looks for the numbers.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<FitAnswer, Vec<Diagnostic>> {
        let watch = Watch::new(observer);
        let mut variables = self.variables.clone();
        let mut sigmas = self.first_sigmas();
        let (mut rounds, mut evaluations) = (0, 0);
        let mut divisions = 0;
        let mut noise_rounds = 0;
        let found = loop {
            let found = self.search(&variables, &sigmas, &watch)?;
            rounds += found.rounds;
            evaluations += found.evaluations;
            variables.iter_mut().zip(&found.x).for_each(|(own, x)| own.start = *x);
            if found.end != FitEnd::Converged {
                break found;
            }
            if self.noise == Noise::Estimated && noise_rounds < NOISE_ROUNDS {
                noise_rounds += 1;
                // What was found is in units of those that it was looked for with.
                let mut renewed = sigmas.clone();
                if self.renew_sigmas(&mut renewed, &found) {
                    sigmas = renewed;
                    continue;
                }
            }
            if divisions < DIVISIONS && self.divide_anew(&found.x, &watch) {
                divisions += 1;
                continue;
            }
            break found;
        };
        let found = Found { rounds, evaluations, ..found };
        self.answer(&found, &sigmas)
    }

    fn search(&mut self, variables: &[Variable], sigmas: &[f64], watch: &Watch<'_>) -> Result<Found, Vec<Diagnostic>> {
        let options = least_squares::Options { loss: self.loss, max_rounds: self.max_rounds };
        let mut comparison = Comparison::new(self, sigmas, watch);
        let found = least_squares::solve(&mut comparison, variables, &options);
        let (refused, underivable) = (comparison.refused.take(), comparison.underivable.take());
        match found.end {
            FitEnd::NoStart if !watch.stopped() => Err(no_answer(refused)),
            FitEnd::NoJacobian if !watch.stopped() => Err(underivable.map_or_else(|| no_answer(refused), one)),
            FitEnd::NoStart | FitEnd::NoJacobian => {
                let (residuals, jacobian) = (found.residuals, found.jacobian);
                let count = self.readings.len();
                // Stopped before anything was known.
                let residuals = residuals.resize_vertically(count, 0.0);
                let jacobian = jacobian.resize_vertically(count, 0.0);
                Ok(Found { end: FitEnd::Stopped, residuals, jacobian, ..found })
            }
            _ => Ok(found),
        }
    }

    /// Kinds of measured values, whose noise is estimated each by itself: those that measure the same.
    fn kind(&self, reading: &Reading) -> usize {
        let dimension = self.columns.measured[reading.output].dimension;
        let same = |other: &columns::Measured| other.dimension == dimension;
        self.columns.measured.iter().position(same).unwrap_or(0)
    }

    fn largest(&self, kind: usize) -> f64 {
        let own = self.readings.iter().filter(|reading| self.kind(reading) == kind);
        let largest = own.fold(0.0f64, |most, reading| most.max(reading.measured.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }

    fn first_sigmas(&self) -> Vec<f64> {
        let guess = |reading: &Reading| FIRST_NOISE * self.largest(self.kind(reading));
        self.readings.iter().map(|reading| reading.sigma.unwrap_or_else(|| guess(reading))).collect()
    }

    /// Takes what is left as noise, each kind by itself; true if that makes another fit.
    fn renew_sigmas(&self, sigmas: &mut [f64], found: &Found) -> bool {
        let kinds: Vec<usize> = self.readings.iter().map(|reading| self.kind(reading)).collect();
        let all = kinds.len() as f64;
        let used = (all - found.x.len() as f64).max(1.0) / all;
        let mut changed = false;
        let mut distinct = kinds.clone();
        distinct.sort_unstable();
        distinct.dedup();
        for kind in &distinct {
            let own: Vec<usize> = (0..kinds.len()).filter(|index| kinds[*index] == *kind).collect();
            let left: Vec<f64> = own.iter().map(|index| (found.residuals[*index] * sigmas[*index]).abs()).collect();
            let sigma = match self.loss {
                Loss::Square => (left.iter().map(|r| r * r).sum::<f64>() / (left.len() as f64 * used)).sqrt(),
                _ => NORMAL * median(left) / used.sqrt(),
            };
            let sigma = sigma.max(LEAST_NOISE * self.largest(*kind));
            changed |= (sigma / sigmas[own[0]] - 1.0).abs() > SAME_NOISE;
            own.iter().for_each(|index| sigmas[*index] = sigma);
        }
        // With one kind the numbers do not depend on its noise; they do once a loss has a width.
        changed && (distinct.len() > 1 || self.loss != Loss::Square)
    }

    /// Divides rods as the numbers that were found need it; true if one has more spans now.
    fn divide_anew(&mut self, x: &[f64], watch: &Watch<'_>) -> bool {
        let mut finer = false;
        for experiment in &mut self.experiments {
            finer |= experiment.divide_anew(x, watch);
        }
        if finer {
            self.known = None;
        }
        finer && !watch.stopped()
    }

    fn answer(&self, found: &Found, sigmas: &[f64]) -> Result<FitAnswer, Vec<Diagnostic>> {
        let moving = self.experiments.iter().any(|own| matches!(own.model, Model::Moving { .. }));
        let accuracy = if moving { DIFFERENCED } else { EXACT };
        // The estimate of what has no noise stated is that of residuals in units of what is left.
        let mut scaled = found.clone();
        let mut sigmas = sigmas.to_vec();
        if self.noise == Noise::Estimated && self.loss == Loss::Square {
            let before = sigmas.clone();
            self.renew_sigmas(&mut sigmas, found);
            for (row, (before, after)) in before.iter().zip(&sigmas).enumerate() {
                scaled.residuals[row] *= before / after;
                scaled.jacobian.row_mut(row).scale_mut(before / after);
            }
        }
        // Large is what is large beside what was found.
        let mut variables = self.variables.clone();
        for ((own, number), x) in variables.iter_mut().zip(&self.numbers).zip(&found.x) {
            own.size = free::size(number, *x);
        }
        let estimate = least_squares::estimate(&scaled, &variables, self.loss, self.noise, accuracy);
        let far = FitAnswer::outlier_from(self.readings.len());
        let point = |(index, own): (usize, &Reading)| {
            let normalised = scaled.residuals[index];
            // What the numbers follow wholly says nothing.
            let free = (1.0 - estimate.leverages.get(index).copied().unwrap_or(0.0)).max(0.0).sqrt();
            let standardised = if free > EXACT.sqrt() { normalised / free } else { 0.0 };
            FittedPoint {
                row: own.row + 1,
                line: self.lines[own.row],
                time: self.times[own.row],
                output: own.output,
                measured: own.measured,
                residual: normalised * sigmas[index],
                sigma: sigmas[index],
                standardised,
                outlier: standardised.abs() > far,
            }
        };
        let points = self.readings.iter().enumerate().map(point).collect();
        let number = |(index, own): (usize, &SceneNumber)| FittedNumber {
            at_limit: found.at_limit[index],
            ..FittedNumber::new(&own.path, own.dimension, own.value, found.x[index], self.variables[index].limits)
        };
        let answer = FitAnswer {
            numbers: self.numbers.iter().enumerate().map(number).collect(),
            noise: self.noise,
            outputs: self.columns.measured.iter().map(|own| FittedOutput::new(&own.name, own.dimension)).collect(),
            points,
            untold: Vec::new(),
            end: found.end,
            rounds: found.rounds,
            evaluations: found.evaluations,
            experiments: self.experiments.len(),
            rubbing: self.rubbing.clone(),
            fitted_scene: self.base.to_toml(&found.x).map_err(one)?,
            estimate,
        };
        Ok(answer.complete())
    }
}

fn no_answer(refused: Option<(usize, String)>) -> Vec<Diagnostic> {
    let (row, reason) = refused.unwrap_or_default();
    refuse(FitFault::NoAnswer { row: row + 1, reason })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The moment of each row; none where the scene is at rest.
fn times(loaded: &LoadedScene, data: &DataTable, columns: &Columns) -> Result<Vec<Option<f64>>, Vec<Diagnostic>> {
    use lissome_io::scene::dimension::Dimension;
    let job = match &loaded.scene.job {
        Job::Dynamics(job) => Some(job),
        _ => None,
    };
    let (column, job) = match (columns.time, job) {
        (None, None) => return Ok(vec![None; data.len()]),
        (Some(column), Some(job)) => (column, job),
        (Some(column), None) => {
            let (reason, help) = (
                "rows have a time, and the job of the scene is no motion",
                "write `kind = \"dynamics\"` in [job], or leave the column out",
            );
            return Err(one(data.refuse_column(column, FitFault::WrongJob { reason, help })));
        }
        (None, Some(_)) => {
            let (reason, help) = (
                "the job of the scene is a motion, and rows have no time",
                "add a column `time (s)`, or write `kind = \"statics\"` in [job]",
            );
            return Err(refuse(FitFault::WrongJob { reason, help }));
        }
    };
    if loaded.scene.moves_tubes() {
        let (reason, help) = ("tubes are pushed while the motion lasts", "fit tubes at rest, each insertion a row");
        return Err(refuse(FitFault::WrongJob { reason, help }));
    }
    let mut times = Vec::with_capacity(data.len());
    for row in 0..data.len() {
        let Some(time) = data.number(row, column, Dimension::TIME).map_err(one)? else {
            return Err(one(data.refuse_cell(row, column, "the time of this row is missing".into())));
        };
        if time < 0.0 || time > job.duration * (1.0 + 1e-9) {
            let reason = format!("the motion lasts from 0 to {} s", job.duration);
            return Err(one(data.refuse_cell(row, column, reason)));
        }
        times.push(Some(time));
    }
    Ok(times)
}
