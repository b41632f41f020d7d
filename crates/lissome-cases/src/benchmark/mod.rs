//! Timings on one core, in units of 6×6 matrix products on the same core in the same minute.
//!
//! Solves and calibration take turns, and the median of each is kept, so that a busy or throttled machine slows both.
//! A timing never decides a test.

mod columns;

use crate::error::CaseError;
use crate::report::BenchReport;
use crate::slope::log_slope;
use crate::study::inverse_battery::trajectory;
use crate::study::shape::{self, MethodName};
use crate::table::Table;
use crate::template;
use lissome::inverse::Seeker;
use lissome::mech::{CurvatureOf, System};
use lissome::model::{Follow, Job, OnEvent, PathJob, Scene};
use lissome::shape::{Ends, Options, Winding, solve, solve_batch};
use lissome::solve::MotionEffort;
use lissome::solve::inverse::End;
use lissome::solve::path::{self, Path};
use lissome::solve::statics::{self, StaticOptions};
use lissome::solve::{accuracy, diagram};
use lissome::{Answer, Unobserved};
use nalgebra::Matrix6;
use serde::Deserialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A timing that a case asks for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Benchmark {
    /// Its name on the command line.
    pub name: String,
    scene: String,
    /// Settings `path=value` of the scene with `{n}` to fill where there are sizes.
    #[serde(default)]
    set: Vec<String>,
    /// Numbers to fill in for `{n}`, one timing each.
    #[serde(default)]
    sizes: Vec<usize>,
    /// A text that is added to the scene once for each unit of size, `{i}` and `{next}` filled with the numbers from 0 and 1.
    layer: Option<String>,
    /// Settings beside those of `set` that make a neighbour, from whose equilibrium the solve starts instead of from rest.
    #[serde(default)]
    neighbour: Vec<String>,
    /// Only the numeric factorisation and solve of the linear system at the equilibrium.
    #[serde(default)]
    factor: bool,
    /// The whole way from the scene to an answer within its tolerances, instead of one solve.
    #[serde(default)]
    within_tolerance: bool,
    /// A second of the motion of the scene instead of a static solve, its start included.
    #[serde(default)]
    motion: bool,
    /// A step of the path by its length over a step from sample to sample of as many, instead of a static solve.
    #[serde(default)]
    arclength: bool,
    /// A pose of a trajectory whose drives are sought, of as many poses, instead of a static solve; its start is left out.
    inverse: Option<usize>,
    /// A shape from end poses instead of a static solve.
    shape: Option<ShapeTiming>,
    /// Outputs whose derivatives by each number of the scene are timed, over a whole solve.
    columns_of: Option<Vec<String>>,
    /// The most products that a solve may cost.
    bar: Option<f64>,
}

/// What shape to time.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShapeTiming {
    method: MethodName,
    /// Pairs of ends; the slowest counts.
    table: String,
}

/// Products in the calibration.
const PRODUCTS: usize = 1_000_000;
/// A timing goes on for this long, and for this many rounds at least.
const BUDGET: Duration = Duration::from_secs(2);
const FEWEST_ROUNDS: usize = 5;
/// Pairs of ends in a batch, and how often it is timed.
const BATCH: usize = 400;
const BATCH_ROUNDS: usize = 7;
/// Short solves are repeated within a round until they fill this.
const ROUND: Duration = Duration::from_millis(20);

/// One timed scene.
struct Timing {
    solve: f64,
    calibration: f64,
    iterations: usize,
    /// Newton iterations of a motion, whose every part has its own.
    newton: Option<u64>,
    rounds: usize,
    /// What was timed, in words.
    what: String,
}

impl Timing {
    fn products(&self) -> f64 {
        self.solve / self.calibration * PRODUCTS as f64
    }
}

/// Runs a benchmark of the case in `folder`: one report for each size.
pub fn run(folder: &str, bench: &Benchmark) -> Vec<BenchReport> {
    if bench.arclength {
        return vec![compare_steps(folder, bench).unwrap_or_else(|error| broken(bench, &error))];
    }
    if let Some(count) = bench.inverse {
        return match time_trajectory(folder, bench, count) {
            Ok(timing) => report(bench, &[(None, timing)]),
            Err(error) => vec![broken(bench, &error)],
        };
    }
    if let Some(of) = &bench.columns_of {
        return vec![columns::time_columns(folder, bench, of).unwrap_or_else(|error| broken(bench, &error))];
    }
    if let Some(shape) = &bench.shape {
        return vec![time_shapes(folder, bench, shape).unwrap_or_else(|error| broken(bench, &error))];
    }
    let timings = if bench.sizes.is_empty() {
        time(folder, bench, None).map(|timing| vec![(None, timing)])
    } else {
        bench.sizes.iter().map(|n| time(folder, bench, Some(*n)).map(|timing| (Some(*n), timing))).collect()
    };
    match timings {
        Ok(timings) => report(bench, &timings),
        Err(error) => vec![broken(bench, &error)],
    }
}

fn broken(bench: &Benchmark, error: &CaseError) -> BenchReport {
    BenchReport {
        name: bench.name.clone(),
        median_seconds: 0.0,
        calibration_seconds: 0.0,
        products: f64::INFINITY,
        bar: bench.bar,
        unit: "",
        note: format!("could not be run: {error}"),
    }
}

/// The step of a path by its length over that of a path from sample to sample with as many samples, start left out.
fn compare_steps(folder: &str, bench: &Benchmark) -> Result<BenchReport, CaseError> {
    let scene = template::scene(&format!("{folder}/{}", bench.scene), &bench.set)?;
    scene.validate()?;
    let Job::Path(PathJob { follow: Follow::Arclength(how), end, .. }) = scene.job else {
        return Err(CaseError::WrongJob { what: bench.name.clone(), need: "a path by its length" });
    };
    let system = System::compile(&scene)?;
    let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
    let mut work = system.workspace();
    let start = || statics::solve_from_natural(&system, &options, &mut system.workspace(), &mut |_| true);
    let mut steps = 0;
    let mut by_length = || {
        steps = 0;
        diagram::trace(&system, end, &how, &options, &mut work, &mut |_| true, &mut |_| {
            steps += 1;
            true
        })
    };
    by_length();
    let first = measure(1, &mut { start }).solve;
    let traced = measure(1, &mut by_length);
    let samples = steps;
    let way = Path { samples, end, on_event: OnEvent::Jump };
    let (mut work, mut found) = (system.workspace(), 0);
    let mut plain = || {
        found = 0;
        path::follow(&system, &way, &options, &mut work, &mut |_| true, &mut |_| {
            found += 1;
            true
        });
    };
    plain();
    let followed = measure(1, &mut plain);
    if samples < 3 || found != samples {
        return Err(CaseError::NotConverged { what: bench.name.clone() });
    }
    // Each in products of its own minute.
    let step = |timing: &Timing| (timing.solve - first) / (samples - 1) as f64 / timing.calibration * PRODUCTS as f64;
    let (arc, sample) = (step(&traced), step(&followed));
    Ok(BenchReport {
        name: bench.name.clone(),
        median_seconds: (traced.solve - first) / (samples - 1) as f64,
        calibration_seconds: traced.calibration,
        products: arc / sample,
        bar: bench.bar,
        unit: "×",
        note: format!(
            "a step by length costs {arc:.0} products, one from sample to sample {sample:.0}; mean of {} each, inertia included",
            samples - 1
        ),
    })
}

/// Times the shape of every line, and one batch of all of them on every core; the slowest line is reported.
fn time_shapes(folder: &str, bench: &Benchmark, timing: &ShapeTiming) -> Result<BenchReport, CaseError> {
    let rod = shape::rod_of(folder, &bench.scene)?;
    let table = Table::read(&format!("{folder}/{}", timing.table))?;
    let mut slowest: Option<(Timing, String)> = None;
    let mut all = Vec::new();
    for line in table.lines() {
        let name = line.cell("name").unwrap_or_default();
        let (ends, options) = shape::problem(&rod, &line)?;
        let options = Options { method: timing.method.method(), winding: Winding::Least, ..options };
        let iterations = solve(&rod, &ends, &options).map_err(|error| CaseError::shape(name, &error))?.iterations();
        let measured = measure(iterations, &mut || solve(&rod, black_box(&ends), &options));
        if slowest.as_ref().is_none_or(|(other, _)| measured.products() > other.products()) {
            slowest = Some((measured, name.to_owned()));
        }
        all.push(ends);
    }
    let (slow, name) = slowest.ok_or(CaseError::TooFew { what: "pairs of ends", found: 0, need: 1 })?;
    let options = Options::with(timing.method.method());
    let many: Vec<Ends> = all.iter().cycle().take(BATCH).copied().collect();
    // In turns, the best of each: another program on the same cores slows either.
    let (mut alone, mut together) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..BATCH_ROUNDS {
        let one_by_one = || many.iter().for_each(|ends| drop(black_box(solve(&rod, ends, &options))));
        alone = alone.min(clock(&mut { one_by_one }).1);
        together = together.min(clock(&mut || drop(black_box(solve_batch(&rod, &many, &options)))).1);
    }
    Ok(BenchReport {
        name: bench.name.clone(),
        median_seconds: slow.solve,
        calibration_seconds: slow.calibration,
        products: slow.products(),
        bar: bench.bar,
        unit: "",
        note: format!(
            "slowest of {} ends ({name}), {} iterations; a batch of {BATCH} runs {:.1} times as fast as one by one",
            all.len(),
            slow.iterations,
            alone / together
        ),
    })
}

fn report(bench: &Benchmark, timings: &[(Option<usize>, Timing)]) -> Vec<BenchReport> {
    let growth = growth_exponent(timings);
    let one = |(size, timing): &(Option<usize>, Timing)| {
        let Timing { iterations, rounds, what, .. } = timing;
        let mut note = format!("{what}; median of {rounds} rounds on one core");
        let mut name = bench.name.clone();
        if let Some(n) = size {
            name = format!("{name}/{n}");
            let each = timing.products() / *n as f64;
            note = match iterations {
                1 => format!("{each:.0} products per unit of size; {note}"),
                n => format!("{each:.0} products per unit of size, {:.0} an iteration; {note}", each / *n as f64),
            };
        }
        if let (Some(exponent), true) = (growth, *size == bench.sizes.last().copied()) {
            let of_motion =
                growth_of_iterations(timings).map(|exponent| format!(", that of an iteration with size^{exponent:.2}"));
            note = format!("time grows with size^{exponent:.2}{}; {note}", of_motion.unwrap_or_default());
        }
        BenchReport {
            name,
            median_seconds: timing.solve,
            calibration_seconds: timing.calibration,
            products: timing.products(),
            bar: bench.bar,
            unit: "",
            note,
        }
    };
    timings.iter().map(one).collect()
}

/// How the time of an iteration grows with the size, as a power.
fn growth_exponent(timings: &[(Option<usize>, Timing)]) -> Option<f64> {
    let points = timings.iter().filter_map(|(n, timing)| {
        let size = (*n)? as f64;
        Some((size, timing.products() / timing.iterations as f64))
    });
    Some(log_slope(points)).filter(|exponent| exponent.is_finite())
}

/// The same of the Newton iterations of motions: larger ones take more of them where more happens in a step.
fn growth_of_iterations(timings: &[(Option<usize>, Timing)]) -> Option<f64> {
    let points = timings.iter().filter_map(|(n, timing)| {
        let size = (*n)? as f64;
        Some((size, timing.products() / timing.newton? as f64))
    });
    Some(log_slope(points)).filter(|exponent| exponent.is_finite())
}

fn time(folder: &str, bench: &Benchmark, size: Option<usize>) -> Result<Timing, CaseError> {
    let settings = template::fill_all(&bench.set, &|name| size.filter(|_| name == "n").map(|n| n.to_string()))?;
    let path = format!("{folder}/{}", bench.scene);
    let scene = match (&bench.layer, size) {
        (Some(layer), Some(layers)) => template::layered(&path, &format!("{folder}/{layer}"), layers, &settings)?,
        _ => template::scene(&path, &settings)?,
    };
    scene.validate()?;
    if bench.motion {
        return time_motion(bench, &scene);
    }
    let options = StaticOptions { eigenvalue: false, look_back: false, ..StaticOptions::default() };
    if bench.within_tolerance {
        return time_to_tolerance(bench, &scene, &options);
    }
    let system = System::compile(&scene)?;
    let mut work = system.workspace();
    let start = match bench.neighbour.is_empty() {
        true => system.natural_state(),
        false => {
            let settings: Vec<String> = settings.iter().chain(&bench.neighbour).cloned().collect();
            let near = System::compile(&template::scene(&path, &settings)?)?;
            let there = statics::solve_from_natural(&near, &options, &mut near.workspace(), &mut |_| true);
            system.resampled_state(&near, &there.state)
        }
    };
    let inputs = system.inputs_at(0.0);
    let mut solve = || statics::solve(&system, black_box(&start), &inputs, &options, &mut work, &mut |_| true);

    let first = solve();
    if !first.outcome.converged() {
        return Err(CaseError::NotConverged { what: bench.name.clone() });
    }
    if !bench.factor {
        let iterations = first.outcome.iterations();
        let from = if bench.neighbour.is_empty() { "" } else { " from a neighbour" };
        let what = format!("{iterations} iterations{from}, inertia included, eigenvalue left out");
        return Ok(Timing { what, ..measure(iterations, &mut solve) });
    }
    system.assemble(&first.state, &inputs, CurvatureOf::Increments, &mut work);
    let mut factor_and_solve = || {
        let factored = system.factor(&mut work);
        system.solve(black_box(&first.state), &mut work);
        factored
    };
    if factor_and_solve().is_err() {
        return Err(CaseError::NotConverged { what: bench.name.clone() });
    }
    let rods = scene.rods.len();
    let what = format!("numeric factorisation and solve of {} rows, {rods} rods", system.unknowns());
    Ok(Timing { what, ..measure(1, &mut factor_and_solve) })
}

/// Times the way from a scene to an answer within its tolerances: equations, refinement and estimate included.
fn time_to_tolerance(bench: &Benchmark, scene: &Scene, options: &StaticOptions) -> Result<Timing, CaseError> {
    let mut solve = || accuracy::solve(black_box(scene), options, &mut |_| true);
    let first = solve()?;
    let outcome = &first.solution.outcome;
    if !outcome.converged() {
        return Err(CaseError::NotConverged { what: bench.name.clone() });
    }
    let (iterations, unknowns) = (outcome.iterations(), first.system.unknowns());
    let error = first.errors.iter().copied().fold(0.0, f64::max);
    let what = format!(
        "{iterations} iterations to {unknowns} unknowns and an estimated error of {error:.1e}, equations and estimate included"
    );
    Ok(Timing { what, ..measure(iterations, &mut solve) })
}

/// Times a whole motion.
fn time_motion(bench: &Benchmark, scene: &Scene) -> Result<Timing, CaseError> {
    let mut run = || lissome::run(black_box(scene), &mut Unobserved);
    let first = run()?;
    if !first.succeeded() {
        return Err(CaseError::NotConverged { what: bench.name.clone() });
    }
    let Answer::Dynamics(motion) = first else {
        return Err(CaseError::WrongJob { what: bench.name.clone(), need: "dynamics" });
    };
    let last = motion.record.last.as_ref();
    let MotionEffort { steps, iterations, .. } = last.map_or(MotionEffort::default(), |frame| frame.effort);
    let pressing: usize = last.map_or(0, |frame| frame.contacts.iter().map(|pair| pair.points.len()).sum());
    let measured = measure(1, &mut run);
    let seconds = scene.job.end();
    let touching = if pressing > 0 { format!(", {pressing} points press at the end") } else { String::new() };
    let what = format!(
        "a simulated second, mean of {seconds}; {steps} steps, {iterations} iterations{touching}, start included"
    );
    Ok(Timing { what, solve: measured.solve / seconds, newton: Some(iterations), ..measured })
}

/// Drives for one pose of a trajectory, each from its predecessor.
fn time_trajectory(folder: &str, bench: &Benchmark, count: usize) -> Result<Timing, CaseError> {
    let scene = template::scene(&format!("{folder}/{}", bench.scene), &bench.set)?;
    let wrong = || CaseError::WrongJob { what: bench.name.clone(), need: "an inverse job with an equilibrium" };
    let mut seeker = Seeker::of(&scene)?.ok_or_else(wrong)?;
    let (start, targets) = trajectory(&seeker, count).ok_or_else(wrong)?;
    let (mut rounds, mut missed) = (0, 0);
    let measured = measure(1, &mut || {
        seeker.stand(start.clone());
        (rounds, missed) = (0, 0);
        for target in &targets {
            let found = seeker.reach_nearby(target, &mut |_| true);
            rounds += found.iterations;
            missed += usize::from(found.end != End::Met);
            seeker.stand(found.posture);
        }
    });
    let what = format!("a pose of a trajectory of {count}; {rounds} rounds for all, {missed} missed");
    Ok(Timing { what, solve: measured.solve / count as f64, ..measured })
}

/// Solves and calibration in turns until the budget is spent.
fn measure<T>(iterations: usize, solve: &mut impl FnMut() -> T) -> Timing {
    let (_, took) = clock(solve);
    let repeats = (ROUND.as_secs_f64() / took).ceil().clamp(1.0, 1e4) as usize;
    let (mut solves, mut calibrations) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    // What alone takes longer than that is timed once more.
    let fewest = if took > BUDGET.as_secs_f64() { 1 } else { FEWEST_ROUNDS };
    while begin.elapsed() < BUDGET || solves.len() < fewest {
        let (_, took) = clock(&mut || (0..repeats).for_each(|_| drop(black_box(solve()))));
        solves.push(took / repeats as f64);
        calibrations.push(calibrate());
    }
    let (solve, calibration) = (median(&mut solves), median(&mut calibrations));
    Timing { rounds: solves.len(), solve, calibration, iterations, newton: None, what: String::new() }
}

fn clock<T>(work: &mut impl FnMut() -> T) -> (T, f64) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed().as_secs_f64())
}

/// Seconds for a million products, each of which needs the one before it. The factor is a rotation in three planes, so
/// that the product neither grows nor fades.
fn calibrate() -> f64 {
    let (sine, cosine) = 0.7f64.sin_cos();
    let factor = Matrix6::from_fn(|i, j| match (i / 2 == j / 2, i as i32 - j as i32) {
        (true, 0) => cosine,
        (true, 1) => sine,
        (true, _) => -sine,
        (false, _) => 0.0,
    });
    let mut product = Matrix6::identity();
    let (_, seconds) = clock(&mut || {
        for _ in 0..PRODUCTS {
            product = black_box(factor) * product;
        }
    });
    black_box(product);
    seconds
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    0.5 * (values[(values.len() - 1) / 2] + values[values.len() / 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_of_a_linear_solver_is_one() {
        let timing = |n: usize| Timing {
            solve: 3e-6 * n as f64 * 7.0,
            calibration: 0.05,
            iterations: 7,
            rounds: 1,
            newton: None,
            what: String::new(),
        };
        let timings: Vec<_> = [10, 100, 1000].iter().map(|n| (Some(*n), timing(*n))).collect();
        assert!(growth_exponent(&timings).is_some_and(|exponent| (exponent - 1.0).abs() < 1e-12));
        assert!(growth_exponent(&timings[..1]).is_none());
    }

    #[test]
    fn median_of_even_and_odd_counts() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
    }
}
