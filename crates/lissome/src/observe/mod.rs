//! The shape and the strain of a real robot from measured places of it \[contact2025, section XI.B\].
//!
//! Without named unknowns the robot takes the shape of least energy that the markers allow: exactly through them, or, with
//! their noise, pulled by springs of their accuracy (`springs`). With named unknowns (a force at the tip, a tension) those are
//! found by least squares, and nothing else acts (`unknowns`). Both carry their covariance to everything along the rods
//! (`reading`). `docs/theory/observer.md` derives what they do.

mod prepared;
mod reading;
mod springs;
mod stand;
mod unknowns;

use crate::observer::{Observer, Progress, Watch};
use lissome_io::observe::{MarkerTable, ObserveFault};
use lissome_io::{Diagnostic, Fault, LoadedScene};
use lissome_model::Scene;
use lissome_solve::least_squares::distribution::chi_squared_above;
use lissome_solve::observe::{Observation, ObservedFrame, Seen};
use prepared::Prepared;
use stand::Stand;

/// A marker is left out where what the others say of it is so improbable, in a whole frame.
const CONTRADICTION: f64 = 1e-3;
/// At most this part of the markers of a frame is left out.
const MOST_LEFT_OUT: f64 = 1.0 / 3.0;

/// What is asked for beside the markers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObserveOptions {
    /// Dotted paths of what acts on the robot and is not known; if none, forces on the markers are.
    pub unknown: Vec<String>,
    /// T, J, where it is not to be found from the data.
    pub energy: Option<f64>,
    /// Markers that contradict the others count all the same.
    pub keep_outliers: bool,
}

/// Where the estimate of a frame stands, and what can be said of it.
struct Estimate {
    frame: ObservedFrame,
    /// Improbability of each marker against all others: χ² and its tail; NaN where nothing can be said.
    surprises: Vec<(f64, f64)>,
}

/// Finds the robot of a scene file in every frame of a table of markers. Not to find it in a frame is an answer, not an error.
pub fn observe(
    loaded: &LoadedScene,
    table: &MarkerTable,
    options: &ObserveOptions,
    observer: &mut dyn Observer,
) -> Result<Observation, Vec<Diagnostic>> {
    observe_scene(&loaded.scene, table, options, observer).map_err(|told| match told {
        Refused::Told(diagnostics) => diagnostics,
        Refused::Invalid(invalid) => vec![loaded.diagnose(&invalid)],
    })
}

/// Why there is no observation.
#[derive(Debug)]
pub enum Refused {
    /// In words.
    Told(Vec<Diagnostic>),
    /// The scene cannot be.
    Invalid(lissome_model::Invalid),
}

impl From<lissome_model::Invalid> for Refused {
    fn from(invalid: lissome_model::Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<ObserveFault> for Refused {
    fn from(fault: ObserveFault) -> Self {
        Self::Told(vec![Diagnostic::new(Fault::Observe(fault))])
    }
}

/// The same of a scene that comes from nowhere.
pub fn observe_scene(
    scene: &Scene,
    table: &MarkerTable,
    options: &ObserveOptions,
    observer: &mut dyn Observer,
) -> Result<Observation, Refused> {
    let watch = Watch::new(observer);
    let prepared = Prepared::new(scene, table, &options.unknown)?;
    if let Some(frame) = table.frames.iter().find(|frame| {
        let numbers = frame.numbers();
        numbers > 0 && numbers < prepared.unknowns.len()
    }) {
        let (numbers, unknowns) = (frame.numbers(), prepared.unknowns.len());
        return Err(ObserveFault::FewerData { numbers, unknowns, time: frame.time }.into());
    }
    let mut answer = Observation {
        frames: Vec::with_capacity(table.frames.len()),
        marker_forces: prepared.unknowns.is_empty(),
        exact: prepared.exact && prepared.unknowns.is_empty(),
        noise_from_residuals: prepared.exact && !prepared.unknowns.is_empty(),
    };
    let mut stand = Stand::begin(prepared, table, options, &watch)?;
    for index in 0..table.frames.len() {
        let frame = stand.frame(index)?;
        let stopped = frame.seen == Seen::Stopped;
        if stopped {
            break;
        }
        answer.frames.push(frame);
        if !watch.show(&Progress::Observed(&answer)) {
            break;
        }
    }
    Ok(answer)
}

impl Stand<'_> {
    /// One frame: markers that contradict the others are left out one by one.
    fn frame(&mut self, index: usize) -> Result<ObservedFrame, Refused> {
        let table = self.table;
        if table.frames[index].numbers() == 0 {
            return Ok(self.unseen(index, Seen::Nothing));
        }
        let count = table.markers.len();
        let mut left_out = vec![f64::NAN; count];
        loop {
            let counts: Vec<bool> = left_out.iter().map(|surprise| surprise.is_nan()).collect();
            let Some(estimate) = self.estimate(index, &counts)? else {
                let seen = if self.watch.stopped() { Seen::Stopped } else { Seen::NotConverged };
                return Ok(self.unseen(index, seen));
            };
            let Estimate { mut frame, surprises } = estimate;
            let measured = frame.markers.iter().filter(|marker| marker.numbers > 0).count();
            let already = counts.iter().filter(|counts| !**counts).count();
            let worst = surprises.iter().enumerate().filter(|(own, (_, tail))| counts[*own] && !tail.is_nan());
            let worst = worst.min_by(|a, b| a.1.1.total_cmp(&b.1.1));
            if let Some((marker, (surprise, tail))) = worst
                && !self.options.keep_outliers
                && *tail * (measured as f64) < CONTRADICTION
                && ((already + 1) as f64) <= MOST_LEFT_OUT * measured as f64
            {
                left_out[marker] = *surprise;
                self.forget_energy();
                continue;
            }
            for (marker, (surprise, tail)) in frame.markers.iter_mut().zip(&surprises) {
                (marker.surprise, marker.probability) = (*surprise, *tail);
            }
            for (marker, surprise) in frame.markers.iter_mut().zip(&left_out).filter(|(_, own)| !own.is_nan()) {
                marker.outlier = true;
                marker.surprise = *surprise;
                marker.probability = chi_squared_above(*surprise, marker.numbers as f64);
            }
            return Ok(frame);
        }
    }

    /// The estimate from the markers that count; `None` if there is none. Rods are divided until their tolerances are met.
    fn estimate(&mut self, index: usize, counts: &[bool]) -> Result<Option<Estimate>, Refused> {
        const MOST_DIVISIONS: usize = 4;
        for _ in 0..MOST_DIVISIONS {
            let found = match self.prepared.unknowns.is_empty() {
                true => self.pulled(index, counts)?,
                false => self.explained(index, counts)?,
            };
            if found.is_none() || !self.divide_further()? {
                return Ok(found);
            }
        }
        Ok(match self.prepared.unknowns.is_empty() {
            true => self.pulled(index, counts)?,
            false => self.explained(index, counts)?,
        })
    }
}
