//! `lissome observe SCENE MARKERS`.

use crate::args::ObserveArgs;
use crate::console::{OutputMode, complain, refuse, say, say_json, show};
use crate::exit::Exit;
use crate::interrupt::{self, Clock};
use crate::patience::{cut_short, patiently};
use lissome::Progress;
use lissome::io::number::{self, significant, with_unit};
use lissome::io::observe::{self as files, MarkerTable, Noise, ObserveSummary};
use lissome::io::scene::units;
use lissome::io::{Diagnostic, Ending, Fault, Severity, load};
use lissome::observe::{ObserveOptions, observe};
use lissome::solve::observe::{Observation, ObservedFrame, Seen};
use serde_json::{Value as Json, json};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Frames told on the screen; all are in the folder.
const SHOWN: usize = 12;

/// Finds the robot in every frame, writes the folder and says what was found.
pub fn run(args: &ObserveArgs) -> Exit {
    work(args).unwrap_or_else(|diagnostics| refuse(&diagnostics, args.json))
}

fn usage(message: String) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Fault::Usage { message })]
}

fn work(args: &ObserveArgs) -> Result<Exit, Vec<Diagnostic>> {
    if let Some(limit) = args.limit.filter(|l| !(l.is_finite() && *l > 0.0)) {
        return Err(usage(format!("--limit must be a positive number of seconds, not {limit}")));
    }
    let energy = args.energy.as_deref().map(energy).transpose()?;
    let noise = Noise::read(&args.noise).map_err(|told| vec![*told])?;
    let loaded = load(&args.file, &args.overrides)?;
    let table = MarkerTable::load(&args.markers, &loaded.scene, &noise)?;
    let out = args.out.clone().unwrap_or_else(|| default_folder(&args.file));
    lissome::io::run_folder::check_target(&out).map_err(|fault| vec![Diagnostic::new(fault)])?;
    let options = ObserveOptions { unknown: args.unknown.clone(), energy, keep_outliers: args.keep_outliers };
    let mode = OutputMode::of(args.json, args.quiet);
    if mode != OutputMode::Json {
        show(&loaded.warnings);
    }
    let clock = Clock::start(args.limit);
    let so_far: Mutex<(Option<Observation>, Ending)> = Mutex::new((None, Ending::Finished));
    let text = std::fs::read_to_string(&args.markers).unwrap_or_default();
    let tell = |observation: &Observation, ending: Ending| -> Result<Exit, Vec<Diagnostic>> {
        let summary = ObserveSummary { scene: &loaded.scene, observation, of: table.frames.len(), ending };
        let _undisturbed = interrupt::files();
        let names = files::write(&out, &loaded, &text, &summary).map_err(|fault| vec![Diagnostic::new(fault)])?;
        let complaints: Vec<Diagnostic> = summary.complaint().into_iter().chain(summary.warnings()).collect();
        let seconds = clock.elapsed().as_secs_f64();
        match mode {
            OutputMode::Json => say_json(&result(&summary, &loaded.warnings, &complaints, seconds, &out)),
            OutputMode::Quiet => complaints.iter().for_each(|told| complain(told.to_string().trim_end())),
            OutputMode::Screen => {
                screen(&summary, &table, seconds);
                complaints.iter().for_each(|told| complain(told.to_string().trim_end()));
                say(&format!("  wrote    {}/   {}", out.display(), names.join("  ")));
            }
        }
        Ok(Exit::of_status(summary.status()))
    };
    let leave = |ending: Ending| {
        // The frames that were found are kept; without one there is nothing to keep.
        let (found, _) = std::mem::replace(&mut *lock(&so_far), (None, ending));
        match found.map(|found| tell(&found, ending)) {
            Some(Ok(exit)) => interrupt::end(exit),
            Some(Err(diagnostics)) => interrupt::end(refuse(&diagnostics, args.json)),
            None => cut_short(ending, clock, mode),
        }
    };
    let observation = patiently(clock, leave, || {
        observe(&loaded, &table, &options, &mut |progress: &Progress<'_>| {
            let mut so_far = lock(&so_far);
            if let Progress::Observed(observation) = progress {
                keep(&mut so_far.0, observation);
            }
            let Some(ending) = clock.stop_reason() else { return ControlFlow::Continue(()) };
            so_far.1 = ending;
            ControlFlow::Break(())
        })
    })?;
    let ending = lock(&so_far).1;
    tell(&observation, ending)
}

fn lock<T>(own: &Mutex<T>) -> MutexGuard<'_, T> {
    own.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps what is new of an observation.
fn keep(kept: &mut Option<Observation>, observation: &Observation) {
    match kept {
        Some(kept) => kept.frames.extend_from_slice(&observation.frames[kept.frames.len()..]),
        None => *kept = Some(observation.clone()),
    }
}

/// `--energy "2 mJ"`.
fn energy(text: &str) -> Result<f64, Vec<Diagnostic>> {
    use lissome::io::scene::dimension::Dimension;
    let found = units::parse(text).ok().filter(|own| own.dimension == Dimension::MOMENT);
    let value = found.map(|own| own.value).filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| usage(format!("--energy must be a positive energy such as \"2 mJ\", not `{text}`")))
}

/// `arm.toml` writes `arm.observe` in the current folder.
fn default_folder(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_os_string();
    name.push(".observe");
    PathBuf::from(name)
}

fn result(
    summary: &ObserveSummary<'_>,
    read: &[Diagnostic],
    complaints: &[Diagnostic],
    seconds: f64,
    out: &Path,
) -> Json {
    let of = |severity: Severity| {
        let all = read.iter().chain(complaints).filter(move |own| own.severity() == severity);
        all.map(Diagnostic::to_json).collect::<Vec<Json>>()
    };
    let mut json = summary.to_json();
    json["errors"] = json!(of(Severity::Error));
    json["warnings"] = json!(of(Severity::Warning));
    json["wall_seconds"] = json!(seconds);
    json["out"] = json!(out.display().to_string());
    json
}

fn screen(summary: &ObserveSummary<'_>, table: &MarkerTable, seconds: f64) {
    let observation = summary.observation;
    say(&format!("lissome {}: {}", env!("CARGO_PKG_VERSION"), summary.scene.title));
    let found = observation.frames.iter().filter(|frame| frame.seen == Seen::Found).count();
    let how = match (observation.marker_forces, observation.exact) {
        (true, true) => "least energy through exact markers",
        (true, false) => "least energy, markers as springs of their accuracy",
        (false, _) => "named unknowns by least squares",
    };
    let (markers, of) = (table.markers.len(), summary.of);
    say(&format!("  observe  {found} of {of} frames, {markers} markers: {how}   in {} s", significant(seconds, 3)));
    for frame in observation.frames.iter().take(SHOWN) {
        lines(observation, frame, table.timed).iter().for_each(|line| say(line));
    }
    if observation.frames.len() > SHOWN {
        say(&format!("           … {} more frames", observation.frames.len() - SHOWN));
    }
}

fn lines(observation: &Observation, frame: &ObservedFrame, timed: bool) -> Vec<String> {
    let when = if timed { with_unit(frame.time, "s") } else { format!("frame {}", frame.time + 1.0) };
    if frame.seen != Seen::Found {
        return vec![format!("  {when}: {}", frame.seen.name().replace('_', " "))];
    }
    let mut all = Vec::new();
    for rod in &frame.rods {
        let Some(tip) = rod.samples.last() else { continue };
        let curvature = rod.samples.iter().map(|own| own.sample.strain.curvature.norm()).fold(0.0, f64::max);
        let band = rod.samples.iter().map(|own| own.band.curvature.amax()).fold(0.0, f64::max);
        all.push(format!(
            "  {when}: {} tip {} ± {}   curvature up to {} ± {} 1/m",
            rod.name,
            number::vector(tip.sample.pose.position.as_slice(), "m"),
            with_unit(tip.band.position.amax(), "m"),
            significant(curvature, 4),
            significant(band, 2),
        ));
    }
    for own in &frame.unknowns {
        let told = match own.band.is_finite() {
            true => format!("± {}", shown(own.band, own.unit)),
            false => "(cannot be told)".into(),
        };
        all.push(format!("           {} = {} {told}", own.path, shown(own.value, own.unit)));
    }
    let fit = match (observation.exact, observation.noise_from_residuals) {
        (true, _) => format!("markers met to {}", with_unit(frame.noise, "m")),
        (_, true) => format!("noise of the markers {}", with_unit(frame.noise, "m")),
        _ => format!("χ² {} with {} degrees of freedom", significant(frame.misfit, 4), significant(frame.freedom, 3)),
    };
    let strongest = frame.markers.iter().max_by(|a, b| a.wrench.force.norm().total_cmp(&b.wrench.force.norm()));
    let force = strongest.filter(|_| observation.marker_forces).map_or(String::new(), |own| {
        format!("   strongest force {} at {}", number::vector(own.wrench.force.as_slice(), "N"), own.name)
    });
    all.push(format!("           {fit}{force}"));
    all
}

fn shown(value: f64, unit: &str) -> String {
    if unit.is_empty() { significant(value, 4) } else { with_unit(value, unit) }
}
