//! Do numbers of a scene come back from poses with noise, and does the truth lie in the intervals as often as they say?

use crate::all_cores;
use crate::error::CaseError;
use crate::random::Random;
use crate::report::Row;
use lissome::fit::{Fit, FitOptions};
use lissome::io::fit::DataTable;
use lissome::io::{Diagnostic, LoadedScene, scene};
use lissome::{Unobserved, model::Scene};
use serde::Deserialize;

/// Fits of the same experiments with other noise.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitBattery {
    name: String,
    /// The true robot; its job is a path, each sample of which is an experiment.
    scene: String,
    /// What the scene is changed by before a fit begins.
    start: Vec<String>,
    /// Numbers that are sought.
    free: Vec<String>,
    /// Outputs that are measured.
    measured: Vec<String>,
    /// Noise of each.
    noise: Vec<String>,
    seed: u64,
    trials: usize,
    /// Part of the trials in which the truth must lie in the 95 % interval: least and greatest.
    covered: [f64; 2],
    /// Largest relative error without noise.
    within: f64,
}

impl FitBattery {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let path = if self.scene.contains(':') { self.scene.clone() } else { format!("{folder}/{}", self.scene) };
        let load = |settings: &[String]| -> Result<LoadedScene, CaseError> {
            let text = crate::embedded::text(&path)?.to_owned();
            scene::parse(&path, text, settings).map_err(|told| self.error(&told))
        };
        let (robot, begun) = (load(&[])?, load(&self.start)?);
        let data = DataTable::parse("poses", self.table(&robot.scene)).map_err(|told| self.error(&[*told]))?;
        let options = FitOptions { free: self.free.clone(), noise: self.noise.clone(), ..FitOptions::default() };
        let mut exact = Fit::new(&robot, &data, &options).map_err(|told| self.error(&told))?;
        let truth: Vec<f64> =
            self.free.iter().flat_map(|path| robot.numbers(path).unwrap_or_default()).map(|n| n.value).collect();
        let poses = exact.predict(&truth, &mut Unobserved).map_err(|told| self.error(&told))?;
        let mut fit = Fit::new(&begun, &data, &options).map_err(|told| self.error(&told))?;
        fit.measure(&poses);
        let clean = fit.clone().run(&mut Unobserved).map_err(|told| self.error(&told))?;
        // Every trial begins at the numbers and in the equilibria of the fit without noise.
        let there: Vec<f64> = clean.numbers.iter().map(|own| own.value).collect();
        fit.begin_at(&there);
        fit.prepare(&mut Unobserved);
        let off = clean.numbers.iter().zip(&truth).map(|(own, truth)| (own.value / truth - 1.0).abs());
        let off = off.fold(0.0, f64::max);
        let noise: Vec<f64> = fit.stated_noise().into_iter().map(|sigma| sigma.unwrap_or(0.0)).collect();
        let trials = all_cores::map(self.trials, |trial| {
            let mut random = Random::new(self.seed.wrapping_add(trial as u64));
            let noisy: Vec<f64> =
                poses.iter().zip(&noise).map(|(pose, sigma)| pose + sigma * normal(&mut random)).collect();
            let mut fit = fit.clone();
            fit.measure(&noisy);
            let answer = fit.run(&mut Unobserved).ok().filter(|answer| answer.succeeded())?;
            let inside =
                answer.numbers.iter().zip(&truth).map(|(own, truth)| (own.value - truth).abs() <= own.half_width);
            Some((inside.collect::<Vec<bool>>(), answer.rounds, answer.estimate.chance))
        });
        let done: Vec<_> = trials.into_iter().flatten().collect();
        let title = |what: &str| format!("{}: {what}", self.name);
        let mut rows = vec![
            Row::deviation(title("relative error without noise"), off, self.within),
            Row::deviation(title("trials without an end"), (self.trials - done.len()) as f64, 0.0),
        ];
        let count = done.len().max(1) as f64;
        for (index, number) in clean.numbers.iter().enumerate() {
            let part = done.iter().filter(|(inside, ..)| inside[index]).count() as f64 / count;
            let what = format!("{} in its 95 % interval", number.path);
            rows.push(Row::at_least(title(&what), part, self.covered[0]));
            rows.push(Row::at_most(title(&what), part, self.covered[1]));
        }
        // χ² of true noise is below any chance as often as that says: the median is one half.
        let mut chances: Vec<f64> = done.iter().map(|(_, _, chance)| *chance).collect();
        chances.sort_by(f64::total_cmp);
        let median = chances.get(chances.len() / 2).copied().unwrap_or(f64::NAN);
        // Standard deviation of a median of uniform numbers: 1/(2√n); four of them.
        rows.push(Row::within(
            title("median chance of a larger chi²"),
            0.5,
            median,
            (median - 0.5).abs(),
            2.0 / count.sqrt(),
        ));
        Ok(rows)
    }

    /// A row for each sample of the path; what is measured is filled in later.
    fn table(&self, robot: &Scene) -> String {
        let samples = match &robot.job {
            lissome::model::Job::Path(job) => {
                let last = job.samples.saturating_sub(1).max(1) as f64;
                (0..job.samples).map(|index| job.end * index as f64 / last).collect()
            }
            _ => vec![0.0],
        };
        let drives = robot.drives.iter().map(|drive| format!("set:drive.{}", drive.path));
        let mut text = drives.chain(self.measured.iter().cloned()).collect::<Vec<_>>().join(",") + "\n";
        for at in samples {
            let drives = robot.drives.iter().map(|drive| format!("{:?}", drive.signal.at(at)));
            let zeros = self.measured.iter().map(|_| "0".to_owned());
            text += &(drives.chain(zeros).collect::<Vec<_>>().join(",") + "\n");
        }
        text
    }

    fn error(&self, told: &[Diagnostic]) -> CaseError {
        let message = told.first().map_or_else(String::new, ToString::to_string);
        CaseError::Scene { path: self.name.clone(), message }
    }
}

/// A normal number by the method of Box and Muller: two draws.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * random.uniform(f64::MIN_POSITIVE, 1.0).ln()).sqrt();
    radius * random.uniform(0.0, std::f64::consts::TAU).cos()
}
