//! What a fit found, as numbers, as JSON and as complaints.

use super::FitFault;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::number::significant;
use crate::scene::dimension::Dimension;
use crate::summary::Ending;
use lissome_solve::least_squares::distribution::half_width;
use lissome_solve::least_squares::{Estimate, Noise};
use serde_json::{Value as Json, json};

pub use lissome_solve::least_squares::End as FitEnd;

/// Noise alone makes the farthest of all values lie farther than an outlier in one fit of so many.
const FITS: f64 = 100.0;
/// Stated noise that is this unlikely to leave such residuals, or so small ones, is told.
const UNLIKELY: f64 = 1e-3;
/// Parts of a combination below this are not named.
const NAMED: f64 = 1e-3;

/// A number that was fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedNumber {
    /// Its dotted path.
    pub path: String,
    /// SI unit.
    pub unit: String,
    /// Where the fit began.
    pub start: f64,
    /// What was found.
    pub value: f64,
    /// Infinite where the data do not tell, zero at a limit.
    pub standard_error: f64,
    /// Half of the 95 % interval around the value.
    pub half_width: f64,
    /// Least and greatest value allowed.
    pub limits: (f64, f64),
    /// True if it stands at one of them and is pushed against it.
    pub at_limit: bool,
}

/// A column of measured values.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedOutput {
    /// Its name.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// Number of measured values.
    pub count: usize,
    /// Root mean square of predicted less measured.
    pub rms: f64,
    /// Their mean.
    pub mean: f64,
    /// Noise that they were weighed with, root mean square.
    pub noise: f64,
}

/// A measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedPoint {
    /// Row of the data, from 1.
    pub row: usize,
    /// Line of the file.
    pub line: usize,
    /// Moment of a motion, s.
    pub time: Option<f64>,
    /// Which output.
    pub output: usize,
    /// What was measured, SI.
    pub measured: f64,
    /// Predicted less measured; of an attitude the turn from what was measured to what is predicted, in the axes of the part.
    pub residual: f64,
    /// Noise that it was weighed with.
    pub sigma: f64,
    /// The residual over what it should scatter by, what the numbers follow of it taken into account.
    pub standardised: f64,
    /// True if it lies farther out than noise makes any value lie.
    pub outlier: bool,
}

impl FittedPoint {
    /// What is predicted.
    pub fn predicted(&self) -> f64 {
        self.measured + self.residual
    }
}

/// A combination that the data cannot tell, or hardly.
#[derive(Clone, Debug, PartialEq)]
pub struct Untold {
    /// Paths and how far each goes, in parts of its size; the largest is one.
    pub parts: Vec<(String, f64)>,
    /// Standard error along it in the same parts; infinite if nothing measured changes along it.
    pub error: f64,
}

impl Untold {
    /// In words: `a +1 % together with b -0.25 %`.
    pub fn words(&self) -> String {
        if let [(path, _)] = self.parts.as_slice() {
            return format!("`{path}`");
        }
        let part = |(path, part): &(String, f64)| {
            let sign = if *part > 0.0 { "+" } else { "" };
            format!("`{path}` {sign}{} %", significant(*part, 3))
        };
        self.parts.iter().map(part).collect::<Vec<_>>().join(" together with ")
    }
}

/// What a fit found.
#[derive(Clone, Debug)]
pub struct FitAnswer {
    /// The numbers.
    pub numbers: Vec<FittedNumber>,
    /// How well the data tell them.
    pub estimate: Estimate,
    /// Where the noise came from.
    pub noise: Noise,
    /// What was measured.
    pub outputs: Vec<FittedOutput>,
    /// Every measured value.
    pub points: Vec<FittedPoint>,
    /// What the data cannot tell.
    pub untold: Vec<Untold>,
    /// How the search ended.
    pub end: FitEnd,
    /// Rounds it took.
    pub rounds: usize,
    /// Points at which every experiment was solved.
    pub evaluations: usize,
    /// Experiments: settings that differ.
    pub experiments: usize,
    /// Tendons that rub, whose shares of the tension derivatives hold.
    pub rubbing: Vec<String>,
    /// The scene with the numbers found, as TOML.
    pub fitted_scene: String,
}

/// A unit as people write it.
pub(crate) fn symbol(dimension: Dimension) -> String {
    const NAMED: [(Dimension, &str); 9] = [
        (Dimension::NONE, ""),
        (Dimension::LENGTH, "m"),
        (Dimension::ANGLE, "rad"),
        (Dimension::FORCE, "N"),
        (Dimension::MOMENT, "N·m"),
        (Dimension::PRESSURE, "Pa"),
        (Dimension::DENSITY, "kg/m³"),
        (Dimension::FREQUENCY, "Hz"),
        (Dimension::FORCE_PER_LENGTH, "N/m"),
    ];
    let known = NAMED.iter().find(|(own, _)| *own == dimension);
    known.map_or_else(|| dimension.to_string(), |(_, symbol)| (*symbol).to_owned())
}

impl FittedNumber {
    /// A number that was found, without its errors.
    pub fn new(path: &str, dimension: Dimension, start: f64, value: f64, limits: (f64, f64)) -> Self {
        Self {
            path: path.to_owned(),
            unit: symbol(dimension),
            start,
            value,
            standard_error: f64::INFINITY,
            half_width: f64::INFINITY,
            limits,
            at_limit: false,
        }
    }
}

impl FittedOutput {
    /// A column without any value yet.
    pub fn new(name: &str, dimension: Dimension) -> Self {
        Self { name: name.to_owned(), unit: symbol(dimension), count: 0, rms: 0.0, mean: 0.0, noise: 0.0 }
    }
}

impl FitAnswer {
    /// How far out a value lies that is told as an outlier, in standard deviations.
    pub fn outlier_from(count: usize) -> f64 {
        half_width(1.0 - 1.0 / (FITS * count.max(1) as f64), None)
    }

    /// Fills what follows from the points and from the estimate.
    pub fn complete(mut self) -> Self {
        for (index, output) in self.outputs.iter_mut().enumerate() {
            let own: Vec<&FittedPoint> = self.points.iter().filter(|point| point.output == index).collect();
            let count = own.len().max(1) as f64;
            output.count = own.len();
            output.mean = own.iter().map(|point| point.residual).sum::<f64>() / count;
            output.rms = (own.iter().map(|point| point.residual.powi(2)).sum::<f64>() / count).sqrt();
            output.noise = (own.iter().map(|point| point.sigma.powi(2)).sum::<f64>() / count).sqrt();
        }
        for (index, number) in self.numbers.iter_mut().enumerate() {
            number.standard_error = self.estimate.standard_errors[index];
            number.half_width = self.estimate.half_widths[index];
        }
        let named = |direction: &lissome_solve::least_squares::Direction| {
            let parts = self.numbers.iter().zip(&direction.parts).filter(|(_, part)| part.abs() >= NAMED);
            Untold { parts: parts.map(|(own, part)| (own.path.clone(), *part)).collect(), error: direction.error }
        };
        self.untold = self.estimate.untold.iter().map(named).collect();
        self
    }

    /// Values that lie far out.
    pub fn outliers(&self) -> impl Iterator<Item = &FittedPoint> {
        self.points.iter().filter(|point| point.outlier)
    }

    /// What is left over the stated noise: √(χ² / degrees of freedom).
    pub fn noise_ratio(&self) -> f64 {
        (self.estimate.chi_squared / self.estimate.degrees.max(1) as f64).sqrt()
    }

    /// True if it came to its end.
    pub fn succeeded(&self) -> bool {
        self.end == FitEnd::Converged
    }

    /// One word.
    pub fn status(&self, ending: Ending) -> &'static str {
        match (self.end, ending) {
            (FitEnd::Converged, _) => "converged",
            (FitEnd::Stopped, Ending::TimeLimit { .. }) => "limit",
            (FitEnd::Stopped, _) => "interrupted",
            _ => "not_converged",
        }
    }

    /// What is to be told of it.
    pub fn warnings(&self, ending: Ending) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut tell = |fault: FitFault| found.push(Diagnostic::new(Fault::Fit(fault)));
        match (self.end, ending) {
            (FitEnd::Converged, _) => {}
            (FitEnd::Stopped, Ending::TimeLimit { seconds }) => {
                tell(FitFault::Stopped { rounds: self.rounds, seconds: Some(seconds) });
            }
            (FitEnd::Stopped, _) => tell(FitFault::Stopped { rounds: self.rounds, seconds: None }),
            (FitEnd::Unfinished, _) => tell(FitFault::Unfinished { reason: "the rounds allowed were used up" }),
            _ => tell(FitFault::Unfinished { reason: "no step goes down: an equilibrium ends or jumps there" }),
        }
        if !self.rubbing.is_empty() {
            tell(FitFault::HeldShares { tendons: self.rubbing.clone() });
        }
        for untold in &self.untold {
            tell(FitFault::Untold { combination: untold.words(), error: untold.error });
        }
        for number in self.numbers.iter().filter(|number| number.at_limit) {
            tell(FitFault::AtLimit { path: number.path.clone() });
        }
        let rows: Vec<String> =
            self.outliers().map(|point| format!("line {} `{}`", point.line, self.outputs[point.output].name)).collect();
        if !rows.is_empty() {
            tell(FitFault::Outliers { count: rows.len(), rows });
        }
        let chance = self.estimate.chance;
        if self.noise == Noise::Stated && self.succeeded() && !(UNLIKELY..=1.0 - UNLIKELY).contains(&chance) {
            tell(FitFault::NoiseDiffers { ratio: self.noise_ratio() });
        }
        found
    }

    /// For programs. What is infinite is `null`.
    pub fn to_json(&self, ending: Ending) -> Json {
        let estimate = &self.estimate;
        let numbers = self.numbers.iter().map(|own| {
            json!({
                "path": own.path, "unit": own.unit, "start": own.start, "value": own.value,
                "standard_error": own.standard_error,
                "interval": [own.value - own.half_width, own.value + own.half_width],
                "limits": [own.limits.0, own.limits.1], "at_limit": own.at_limit,
            })
        });
        let outputs = self.outputs.iter().map(|own| {
            json!({
                "name": own.name, "unit": own.unit, "count": own.count, "rms": own.rms, "mean": own.mean,
                "noise": own.noise,
            })
        });
        let outliers = self.outliers().map(|own| {
            json!({
                "row": own.row, "line": own.line, "output": self.outputs[own.output].name,
                "residual": own.residual, "standardised": own.standardised,
            })
        });
        let untold = self.untold.iter().map(|own| {
            let parts: Vec<Json> = own.parts.iter().map(|(path, part)| json!({ "path": path, "part": part })).collect();
            json!({ "parts": parts, "error": own.error })
        });
        let correlations = estimate.correlations.row_iter().map(|row| row.iter().copied().collect::<Vec<f64>>());
        json!({
            "status": self.status(ending),
            "numbers": numbers.collect::<Vec<_>>(),
            "correlations": correlations.collect::<Vec<_>>(),
            "rank": estimate.rank,
            "chi_squared": estimate.chi_squared,
            "degrees_of_freedom": estimate.degrees,
            "chance": estimate.chance,
            "noise": match self.noise { Noise::Stated => "stated", Noise::Estimated => "estimated" },
            "outputs": outputs.collect::<Vec<_>>(),
            "measured": self.points.len(),
            "experiments": self.experiments,
            "outliers": outliers.collect::<Vec<_>>(),
            "cannot_tell": untold.collect::<Vec<_>>(),
            "rounds": self.rounds,
            "evaluations": self.evaluations,
        })
    }
}
