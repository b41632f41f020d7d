//! Does the job of a scene as the program does it: with a progress bar, a limit, Ctrl-C, and a folder at the end.

use crate::console::{OutputMode, complain, say, say_json, show};
use crate::exit::Exit;
use crate::interrupt::{self, Clock};
use crate::motion_recorder::MotionRecorder;
use crate::patience::{cut_short, patiently};
use crate::progress::Bar;
use crate::screen;
use lissome::io::run_folder::motion::Resumption;
use lissome::io::run_folder::{self, RunFacts};
use lissome::io::{DerivativeFault, Diagnostic, Ending, Fault, LoadedScene, MotionSummary, Severity, Summary};
use lissome::solve::{MotionAnswer, PathAnswer, PathSample};
use lissome::{Answer, Observer, Progress, SimulateError};
use serde_json::{Value as Json, json};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How a job is done and reported.
pub struct Settings<'a> {
    /// Folder to write.
    pub out: &'a Path,
    /// Limit of the time it takes, s.
    pub limit: Option<f64>,
    /// What the manifest says beside the answer.
    pub facts: RunFacts,
    /// Where the answer goes.
    pub mode: OutputMode,
    /// The first line of the screen.
    pub headline: &'a str,
}

/// Does the job, writes the folder and reports; `Err` if the scene is refused or the folder cannot be written.
pub fn run(loaded: &LoadedScene, settings: Settings<'_>) -> Result<Exit, Vec<Diagnostic>> {
    run_folder::check_target(settings.out).map_err(one)?;
    if settings.mode != OutputMode::Json {
        show(&loaded.warnings);
    }
    if settings.mode == OutputMode::Screen {
        say(settings.headline);
        say(&screen::scene_line(&loaded.scene));
    }
    let recorder = MotionRecorder::new(loaded, settings.out, settings.facts.clone());
    let watcher = Mutex::new(Watcher::new(recorder, &settings, [0.0, loaded.scene.job.end()]));
    let answer = work(loaded, &watcher, &settings, |observer| lissome::run_file(loaded, observer));
    report(loaded, answer, watcher, &settings, 0.0)
}

/// Goes on with a motion.
pub fn resume(resumption: &Resumption, settings: Settings<'_>) -> Result<Exit, Vec<Diagnostic>> {
    if settings.mode == OutputMode::Screen {
        say(settings.headline);
    }
    let (loaded, from) = (&resumption.loaded, resumption.record.reached());
    if !loaded.derivatives.is_empty() {
        return Err(one(Fault::Derivative(DerivativeFault::NotResumed)));
    }
    let recorder = MotionRecorder::resume(resumption, settings.out, settings.facts.clone()).map_err(one)?;
    let watcher = Mutex::new(Watcher::new(recorder, &settings, [from, loaded.scene.job.end()]));
    let record = resumption.record.clone();
    let answer = work(loaded, &watcher, &settings, |observer| {
        let resumed = lissome::resume(&loaded.scene, &resumption.snapshot, record, observer);
        resumed.map_err(|SimulateError::Invalid(invalid)| vec![loaded.diagnose(&invalid)])
    });
    report(loaded, answer, watcher, &settings, from)
}

/// Does the work in a thread of its own, and leaves it there if it does not stop when it should.
fn work<F>(
    loaded: &LoadedScene,
    watcher: &Mutex<Watcher<'_>>,
    settings: &Settings<'_>,
    job: F,
) -> Result<Answer, Vec<Diagnostic>>
where
    F: FnOnce(&mut dyn Observer) -> Result<Answer, Vec<Diagnostic>> + Send,
{
    let clock = lock(watcher).clock;
    patiently(
        clock,
        |ending| leave(loaded, lock(watcher), settings, ending),
        || job(&mut |progress: &Progress<'_>| lock(watcher).see(progress)),
    )
}

fn lock<'m, 'a>(watcher: &'m Mutex<Watcher<'a>>) -> MutexGuard<'m, Watcher<'a>> {
    watcher.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the program in the middle of something that cannot be cut short, with what there is until then: the states of a
/// motion and the samples of a path are written, of anything else there is nothing.
fn leave(
    loaded: &LoadedScene,
    mut watcher: MutexGuard<'_, Watcher<'_>>,
    settings: &Settings<'_>,
    ending: Ending,
) -> Infallible {
    watcher.bar.clear();
    let exit = match ending {
        Ending::TimeLimit { .. } => Exit::Limit,
        _ => Exit::Interrupted,
    };
    let status = if exit == Exit::Limit { "limit" } else { "interrupted" };
    let samples = std::mem::take(&mut watcher.samples);
    let seconds = watcher.clock.elapsed().as_secs_f64();
    let fault = if samples.is_empty() {
        match watcher.recorder.leave(status, seconds) {
            Ok(Some(time)) => match ending {
                Ending::TimeLimit { seconds } => Fault::MotionLimit { seconds, time, duration: loaded.scene.job.end() },
                _ => Fault::MotionInterrupted { time, duration: loaded.scene.job.end() },
            },
            Ok(None) => Fault::CutShort { seconds },
            Err(fault) => fault,
        }
    } else {
        let answer = Answer::Path(PathAnswer { samples, branches: Vec::new() });
        let summary = Summary::of(&loaded.scene, &answer, ending);
        let told = summary.map(|summary| report_equilibrium(loaded, &summary, &watcher.clock, settings));
        match told {
            Some(Err(diagnostics)) => {
                crate::console::refuse(&diagnostics, settings.mode == OutputMode::Json);
                interrupt::end(exit)
            }
            _ => interrupt::end(exit),
        }
    };
    let diagnostic = Diagnostic::new(fault);
    if settings.mode == OutputMode::Json {
        let errors = [diagnostic.to_json()];
        say_json(&json!({ "status": status, "errors": errors, "warnings": [], "wall_seconds": seconds }));
    } else {
        complain(diagnostic.to_string().trim_end());
    }
    interrupt::end(exit)
}

fn one(fault: Fault) -> Vec<Diagnostic> {
    vec![Diagnostic::new(fault)]
}

/// Shows progress, writes what moves, and stops the work where it is asked to.
struct Watcher<'a> {
    recorder: MotionRecorder<'a>,
    bar: Bar,
    clock: Clock,
    ending: Ending,
    fault: Option<Fault>,
    /// Samples of a path so far, kept where they cost little beside what the path itself keeps.
    samples: Vec<PathSample>,
}

impl<'a> Watcher<'a> {
    fn new(recorder: MotionRecorder<'a>, settings: &Settings<'_>, times: [f64; 2]) -> Self {
        let bar = Bar::new(settings.mode == OutputMode::Screen, times);
        Self {
            recorder,
            bar,
            clock: Clock::start(settings.limit),
            ending: Ending::Finished,
            fault: None,
            samples: Vec::new(),
        }
    }
}

impl Watcher<'_> {
    fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.bar.show(progress);
        match progress {
            Progress::Event(event) => self.recorder.event(event),
            Progress::Frame(state) => {
                if let Err(fault) = self.recorder.frame(state) {
                    self.fault = Some(fault);
                    return ControlFlow::Break(());
                }
            }
            // A path by its length is told by its branches, which are not known before its end.
            Progress::Sample { of, sample, .. } if *of > 0 => self.samples.push((*sample).clone()),
            Progress::Iteration(_) | Progress::Sample { .. } | Progress::Step { .. } | Progress::Observed(_) => {}
        }
        match self.clock.stop_reason() {
            Some(ending) => {
                self.ending = ending;
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }
}

/// Writes what there is and says it. A motion began at `from`, s.
fn report(
    loaded: &LoadedScene,
    answer: Result<Answer, Vec<Diagnostic>>,
    watcher: Mutex<Watcher<'_>>,
    settings: &Settings<'_>,
    from: f64,
) -> Result<Exit, Vec<Diagnostic>> {
    let mut watcher = watcher.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Those that the answer has are the ones that count.
    watcher.samples = Vec::new();
    watcher.bar.clear();
    let answer = answer?;
    if let Some(fault) = watcher.fault {
        return Err(one(fault));
    }
    // Of an optimisation the scene is the one with the numbers that it found.
    let found = loaded.at_optimum(answer.equilibrium());
    match (Summary::of(&found.scene, &answer, watcher.ending), &answer) {
        (Some(summary), _) => report_equilibrium(loaded, &summary, &watcher.clock, settings),
        (None, Answer::Dynamics(motion)) => report_motion(loaded, motion, watcher, settings, from),
        // Every other answer has an equilibrium.
        (None, _) => Ok(Exit::Bug),
    }
}

fn report_equilibrium(
    loaded: &LoadedScene,
    summary: &Summary<'_>,
    clock: &Clock,
    settings: &Settings<'_>,
) -> Result<Exit, Vec<Diagnostic>> {
    let (out, wall_seconds) = (settings.out, clock.elapsed().as_secs_f64());
    let facts = RunFacts { wall_seconds, ..settings.facts.clone() };
    let contents = || run_folder::contents(loaded, summary, &facts);
    let contents = match summary.ending {
        // Samples of a path that were found are kept, however long that takes, and what there is when the time is over.
        Ending::TimeLimit { .. } => contents(),
        Ending::Interrupted if !summary.path.is_empty() => contents(),
        // Whoever asks to stop meanwhile does not want what takes long.
        _ => patiently(Clock::start(None), |ending| cut_short(ending, *clock, settings.mode), contents),
    };
    let contents = contents.map_err(one)?;
    let _undisturbed = interrupt::files();
    run_folder::place(out, &contents).map_err(one)?;
    let complaints: Vec<Diagnostic> = summary.complaint().into_iter().chain(summary.warnings()).collect();
    match settings.mode {
        OutputMode::Json => {
            let mut json = result_json(summary.to_full_json(), loaded, &complaints, wall_seconds, out);
            json["unknowns"] = json!(screen::unknowns(&loaded.scene));
            say_json(&json);
        }
        OutputMode::Quiet => complain_about(&complaints),
        OutputMode::Screen => {
            screen::lines(summary, wall_seconds).iter().for_each(|line| say(line));
            complain_about(&complaints);
            say(&format!("  checks   {}", screen::checks(summary)));
            let table = if summary.path.is_empty() { "samples.csv" } else { "path.csv" };
            let shown = ["report.html", table, "scene.toml"];
            let more = contents.len() - shown.len();
            say(&format!("  wrote    {}/   {}  and {more} more", out.display(), shown.join("  ")));
        }
    }
    Ok(Exit::of_status(summary.status()))
}

fn report_motion(
    loaded: &LoadedScene,
    motion: &MotionAnswer,
    watcher: Watcher<'_>,
    settings: &Settings<'_>,
    from: f64,
) -> Result<Exit, Vec<Diagnostic>> {
    let (out, wall_seconds) = (settings.out, watcher.clock.elapsed().as_secs_f64());
    let summary = MotionSummary { scene: &loaded.scene, motion, ending: watcher.ending, wall_seconds };
    let _undisturbed = interrupt::files();
    let files = watcher.recorder.finish(&summary).map_err(one)?;
    let complaints: Vec<Diagnostic> = summary.complaint().into_iter().chain(summary.warnings()).collect();
    match settings.mode {
        OutputMode::Json => say_json(&result_json(summary.to_json(), loaded, &complaints, wall_seconds, out)),
        OutputMode::Quiet => complain_about(&complaints),
        OutputMode::Screen => {
            screen::motion::lines(&summary, from).iter().for_each(|line| say(line));
            complain_about(&complaints);
            screen::motion::files(&files, out, summary.status()).iter().for_each(|line| say(line));
        }
    }
    Ok(Exit::of_status(summary.status()))
}

fn complain_about(complaints: &[Diagnostic]) {
    complaints.iter().for_each(|complaint| complain(complaint.to_string().trim_end()));
}

/// The summary's JSON with what the program adds.
fn result_json(mut json: Json, loaded: &LoadedScene, complaints: &[Diagnostic], seconds: f64, out: &Path) -> Json {
    let of = |severity: Severity| {
        let all = complaints.iter().filter(move |complaint| complaint.severity() == severity);
        all.map(Diagnostic::to_json).collect::<Vec<Json>>()
    };
    let read: Vec<Json> = loaded.warnings.iter().map(Diagnostic::to_json).collect();
    json["errors"] = json!(of(Severity::Error));
    json["warnings"] = json!([read, of(Severity::Warning)].concat());
    json["wall_seconds"] = json!(seconds);
    json["out"] = json!(out.display().to_string());
    json
}
