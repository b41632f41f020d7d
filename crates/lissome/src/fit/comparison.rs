//! The model beside the data at any values of the numbers: what the search asks for.

use super::Fit;
use super::moving::{Asked, Course, Division};
use super::still::{self, Family};
use crate::observer::Watch;
use crate::robot::solved::Equations;
use lissome_io::Diagnostic;
use lissome_model::Scene;
use lissome_solve::least_squares::{Problem, Round};
use nalgebra::{DMatrix, DVector};
use std::ops::Range;
use std::sync::Arc;

/// What an experiment is computed with.
#[derive(Clone)]
pub(super) enum Model {
    /// The last equilibrium that was accepted.
    Still(Option<Arc<Equations>>),
    /// How the motion is divided.
    Moving(Option<Arc<Division>>),
}

/// Readings under the same settings.
#[derive(Clone)]
pub(super) struct Experiment {
    pub family: Family,
    /// The first of its rows.
    row: usize,
    pub model: Model,
    /// In order.
    times: Vec<f64>,
    /// Readings, each with its moment.
    readings: Vec<(usize, f64)>,
}

/// What is known at a point, so that many searches can begin there.
pub(super) struct Known {
    x: Vec<u64>,
    trials: Vec<Trial>,
    /// Of each experiment, how outputs change with the numbers.
    rates: Vec<DMatrix<f64>>,
}

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|value| value.to_bits()).collect()
}

/// What an experiment gave at a point.
#[derive(Clone)]
enum Trial {
    Still(Arc<Equations>, Vec<f64>),
    Moving(Course),
}

impl Trial {
    fn values(&self, moment: usize) -> &[f64] {
        match self {
            Self::Still(_, values) => values,
            Self::Moving(course) => &course.values[moment],
        }
    }
}

impl Experiment {
    pub fn new(family: Family, row: usize, moves: bool) -> Self {
        let model = if moves { Model::Moving(None) } else { Model::Still(None) };
        Self { family, row, model, times: Vec::new(), readings: Vec::new() }
    }

    /// Adds the readings of a row.
    pub fn add(&mut self, readings: Range<usize>, time: Option<f64>) {
        let time = time.unwrap_or(0.0);
        if let Err(place) = self.times.binary_search_by(|own| own.total_cmp(&time)) {
            self.times.insert(place, time);
        }
        self.readings.extend(readings.map(|index| (index, time)));
    }

    /// Readings, each with the number of its moment.
    fn moments(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.readings.iter().map(|(index, time)| (*index, self.times.partition_point(|own| own < time)))
    }

    /// What it gives at a point; else why nothing.
    fn try_at(&mut self, x: &[f64], asked: &Asked<'_>, watch: &Watch<'_>) -> Result<Trial, String> {
        let (family, variants) = (&self.family, &*self.family.variants);
        match &mut self.model {
            Model::Still(present) => {
                let near = present.as_ref().and_then(|own| still::near(own, family, x, watch));
                let found = match near {
                    Some(found) => found,
                    None => still::from_nothing(variants, x, watch)?,
                };
                let values = still::values(&found, asked.outputs).map_err(|refused| refused.message())?;
                Ok(Trial::Still(found, values))
            }
            Model::Moving(division) => {
                let own = match division {
                    Some(own) => own.clone(),
                    None => division.insert(Arc::new(Division::of(variants, x, watch)?)).clone(),
                };
                let asked = Asked { times: &self.times, ..*asked };
                let course = own.run(variants, x, &asked, watch);
                course
                    .map(Trial::Moving)
                    .ok_or_else(|| "the motion does not come to its end, or a rod runs through something".to_owned())
            }
        }
    }

    /// Divides rods anew at a point; true if one has more spans now.
    pub fn divide_anew(&mut self, x: &[f64], watch: &Watch<'_>) -> bool {
        let Model::Still(Some(present)) = &self.model else { return false };
        let open = |scene: Scene| scene.rods.iter().any(|rod| rod.tolerance().is_some());
        if !self.family.variants.scene(x).is_ok_and(open) {
            return false;
        }
        let Ok(fresh) = still::from_nothing(&self.family.variants, x, watch) else { return false };
        let spans = |scene: &Scene| {
            let lines = |rod: usize| scene.rod_knots(rod).map_or(0, |knots| knots.lines().len());
            (0..scene.rods.len()).map(lines).collect::<Vec<usize>>()
        };
        let finer = spans(&fresh.scene).iter().zip(spans(&present.scene)).any(|(fresh, own)| *fresh > own);
        if finer {
            self.model = Model::Still(Some(fresh));
        }
        finer
    }
}

/// The model beside the data.
pub(super) struct Comparison<'a, 'w> {
    fit: &'a mut Fit,
    sigmas: &'a [f64],
    watch: &'a Watch<'w>,
    trials: Vec<Trial>,
    /// The point that they are of.
    tried: Vec<u64>,
    /// The row that had no answer last, and why.
    pub refused: Option<(usize, String)>,
    /// Why there are no derivatives.
    pub underivable: Option<Box<Diagnostic>>,
}

impl<'a, 'w> Comparison<'a, 'w> {
    pub fn new(fit: &'a mut Fit, sigmas: &'a [f64], watch: &'a Watch<'w>) -> Self {
        Self { fit, sigmas, watch, trials: Vec::new(), tried: Vec::new(), refused: None, underivable: None }
    }

    /// Solves every experiment.
    fn try_all(&mut self, x: &[f64]) -> Option<()> {
        let columns = self.fit.columns.clone();
        let outputs: Vec<&str> = columns.asked.iter().map(String::as_str).collect();
        let asked = Asked { outputs: &outputs, turns: &[], times: &[] };
        self.tried = bits(x);
        if let Some(known) = self.fit.known.as_ref().filter(|known| known.x == bits(x)) {
            self.trials.clone_from(&known.trials);
            return Some(());
        }
        self.trials.clear();
        for experiment in &mut self.fit.experiments {
            match experiment.try_at(x, &asked, self.watch) {
                Ok(trial) => self.trials.push(trial),
                Err(reason) => {
                    self.refused = Some((experiment.row, reason));
                    return None;
                }
            }
            if self.watch.stopped() {
                return None;
            }
        }
        Some(())
    }

    /// What the model has for every reading.
    pub fn values_at(&mut self, x: &[f64]) -> Option<Vec<f64>> {
        self.try_all(x)?;
        let mut values = vec![0.0; self.fit.readings.len()];
        for (experiment, trial) in self.fit.experiments.iter().zip(&self.trials) {
            for (index, moment) in experiment.moments() {
                let own = &self.fit.columns.measured[self.fit.readings[index].output];
                values[index] = trial.values(moment)[own.first + own.component];
            }
        }
        self.accept();
        Some(values)
    }

    /// What is known at a point; nothing of motions.
    pub fn known_at(&mut self, x: &[f64]) -> Option<Known> {
        self.try_all(x)?;
        self.accept();
        let columns = self.fit.columns.clone();
        let outputs: Vec<&str> = columns.asked.iter().map(String::as_str).collect();
        let mut rates = Vec::with_capacity(self.trials.len());
        for (experiment, trial) in self.fit.experiments.iter().zip(&self.trials) {
            let Trial::Still(found, _) = trial else { return None };
            rates.push(still::rates(found, &outputs, &experiment.family, x).ok()?);
        }
        Some(Known { x: bits(x), trials: self.trials.clone(), rates })
    }

    /// Equilibria that were accepted are those that the next ones are sought from.
    fn accept(&mut self) {
        for (experiment, trial) in self.fit.experiments.iter_mut().zip(&self.trials) {
            if let (Model::Still(present), Trial::Still(found, _)) = (&mut experiment.model, trial) {
                *present = Some(found.clone());
            }
        }
    }
}

impl Problem for Comparison<'_, '_> {
    fn residuals(&mut self, x: &[f64]) -> Option<DVector<f64>> {
        self.try_all(x)?;
        let mut residuals = DVector::zeros(self.fit.readings.len());
        for (experiment, trial) in self.fit.experiments.iter().zip(&self.trials) {
            for (index, moment) in experiment.moments() {
                let reading = &self.fit.readings[index];
                let own = &self.fit.columns.measured[reading.output];
                residuals[index] = reading.residual(trial.values(moment), own) / self.sigmas[index];
            }
        }
        Some(residuals)
    }

    fn jacobian(&mut self, x: &[f64]) -> Option<DMatrix<f64>> {
        if self.tried != bits(x) {
            self.try_all(x)?;
        }
        self.accept();
        let columns = self.fit.columns.clone();
        let outputs: Vec<&str> = columns.asked.iter().map(String::as_str).collect();
        let mut turns: Vec<usize> =
            columns.measured.iter().filter(|own| own.is_rotation).map(|own| own.first).collect();
        turns.dedup();
        let sizes: Vec<f64> = self.fit.variables.iter().map(|own| own.size).collect();
        let mut jacobian = DMatrix::zeros(self.fit.readings.len(), x.len());
        for (number, (experiment, trial)) in self.fit.experiments.iter().zip(&self.trials).enumerate() {
            let family = &experiment.family;
            let known = self.fit.known.as_ref().filter(|known| known.x == bits(x));
            let rates = match trial {
                Trial::Still(..) if known.is_some() => {
                    known.and_then(|known| known.rates.get(number)).cloned().into_iter().collect()
                }
                Trial::Still(found, _) => match still::rates(found, &outputs, family, x) {
                    Ok(rates) => vec![rates],
                    Err(refused) => {
                        self.underivable = Some(refused);
                        return None;
                    }
                },
                Trial::Moving(course) => {
                    let Model::Moving(Some(division)) = &experiment.model else { return None };
                    let asked = Asked { outputs: &outputs, turns: &turns, times: &experiment.times };
                    let found = division.rates(&family.variants, (x, &sizes), &asked, course, self.watch);
                    if found.is_none() {
                        let reason = "a neighbouring motion does not come to its end, or a rod runs through something"
                            .to_owned();
                        self.refused = Some((experiment.row, reason));
                    }
                    found?
                }
            };
            for (index, moment) in experiment.moments() {
                let reading = &self.fit.readings[index];
                let own = &columns.measured[reading.output];
                let row = reading.row(trial.values(moment), &rates[moment], own);
                row.iter().enumerate().for_each(|(j, value)| jacobian[(index, j)] = value / self.sigmas[index]);
            }
        }
        (!self.watch.stopped()).then_some(jacobian)
    }

    fn see(&mut self, _: &Round<'_>) -> bool {
        !self.watch.stopped()
    }
}
