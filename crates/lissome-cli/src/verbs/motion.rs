//! Runs whose job is a motion: written while they run, stopped by Ctrl-C or `--limit` without loss, gone on with by
//! `--resume`.

use super::run::Voice;
use crate::args::RunArgs;
use crate::console::{complain, say, say_json};
use crate::exit::Exit;
use crate::solving::{self, Solved};
use indicatif::{ProgressBar, ProgressStyle};
use lissome::SimulateError;
use lissome::io::report::number;
use lissome::io::run_folder::motion::{self as folder, Chronicle, Disk, MotionSummary, MotionWriter, Resumption};
use lissome::io::run_folder::{RunFacts, npz};
use lissome::io::{Diagnostic, Ending, Fault, LoadedScene};
use lissome::moving::{self, Moment, Moved, Seen};
use lissome::solve::dynamics::Snapshot;
use lissome::solve::{MotionEnd, MotionFrame};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::time::{Duration, Instant};

/// A part is closed at least this often, so that a kill costs no more.
const LONGEST_OPEN: Duration = Duration::from_secs(10);
/// Steps of the progress bar.
const BAR: u64 = 1000;

/// How a motion came out.
pub enum Done {
    /// It ran, and everything about it has been said.
    Ended(Exit),
    /// There is no equilibrium to start from.
    NoStart(Box<Solved>),
}

/// Runs a motion from its beginning.
pub fn run(
    loaded: &LoadedScene,
    out: &Path,
    limit: Option<f64>,
    facts: &RunFacts,
    voice: Voice,
) -> Result<Done, Vec<Diagnostic>> {
    let keeper = Keeper::new(loaded, out, limit, facts.clone(), voice);
    keeper.work(None)
}

/// `lissome run --resume RUN`.
pub fn resume(args: &RunArgs, voice: Voice) -> Result<Exit, Vec<Diagnostic>> {
    let Resumption { loaded, snapshot, written, chronicle } = folder::resume(&args.file, &args.overrides)?;
    let facts = RunFacts { threads: args.threads, overrides: args.overrides.clone(), ..RunFacts::default() };
    if voice == Voice::People {
        let from = chronicle.last.as_ref().map_or(0.0, |frame| frame.time);
        let title = &loaded.scene.title;
        let from = number::with_unit(from, "s");
        say(&format!("lissome {}: {title}   (resumed at {from})", env!("CARGO_PKG_VERSION")));
    }
    let lists = snapshot.iter().map(|array| (array.name.clone(), array.values.clone())).collect();
    let from = Snapshot { lists };
    let mut keeper = Keeper::new(&loaded, &args.file, args.limit, facts.clone(), voice);
    let one = |fault: Fault| vec![Diagnostic::new(fault)];
    keeper.began = chronicle.last.as_ref().map_or(0.0, |frame| frame.time);
    keeper.effort = chronicle.last.as_ref().map_or((0, 0), |frame| (frame.effort.halved, frame.effort.rejected));
    let mut writer =
        MotionWriter::reopen(&args.file, &loaded, facts, Disk::default(), written, chronicle).map_err(one)?;
    writer.event(&json!({ "event": "resumed", "time": keeper.began }));
    keeper.writer = Some(writer);
    keeper.latest = arrays(&from);
    match keeper.work(Some(&from))? {
        Done::Ended(exit) => Ok(exit),
        // A resumed motion looks for no equilibrium.
        Done::NoStart(_) => Ok(Exit::Bug),
    }
}

/// Writes what a motion shows, and says when to stop.
struct Keeper<'a> {
    loaded: &'a LoadedScene,
    out: &'a Path,
    limit: Option<f64>,
    facts: RunFacts,
    voice: Voice,
    bar: ProgressBar,
    start: Instant,
    closed: Instant,
    writer: Option<MotionWriter<'a>>,
    /// What follows the last frame that was taken.
    latest: Vec<npz::Array>,
    ending: Ending,
    fault: Option<Fault>,
    /// Time at which this stretch began, s.
    began: f64,
    /// Steps halved and rejected so far.
    effort: (u64, u64),
}

impl<'a> Keeper<'a> {
    fn new(loaded: &'a LoadedScene, out: &'a Path, limit: Option<f64>, facts: RunFacts, voice: Voice) -> Self {
        let bar = if voice == Voice::People { ProgressBar::new(BAR) } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("  motion   [{bar:20}] {percent} %   {msg}") {
            bar.set_style(style.progress_chars("#> "));
        }
        let now = Instant::now();
        Self {
            loaded,
            out,
            limit,
            facts,
            voice,
            bar,
            start: now,
            closed: now,
            writer: None,
            latest: Vec::new(),
            ending: Ending::Finished,
            fault: None,
            began: 0.0,
            effort: (0, 0),
        }
    }

    fn work(mut self, from: Option<&Snapshot>) -> Result<Done, Vec<Diagnostic>> {
        let (limit, start) = (self.limit, self.start);
        let stop = || asked(limit, start);
        let result = moving::advance(&self.loaded.scene, from, &mut |_| stop().is_none(), &mut |seen| self.see(&seen));
        self.bar.finish_and_clear();
        let ended = match result {
            Ok(moved) => moved,
            Err(SimulateError::Invalid(invalid)) => return Err(vec![self.loaded.diagnose(&invalid)]),
        };
        if let Some(fault) = self.fault {
            return Err(vec![Diagnostic::new(fault)]);
        }
        match ended {
            Moved::NoStart(recording) => {
                let ending = stop().unwrap_or(Ending::Finished);
                Ok(Done::NoStart(Box::new(Solved { recording, ending, elapsed: self.start.elapsed() })))
            }
            Moved::Ended(end) => self.finish(&end).map(Done::Ended).map_err(|fault| vec![Diagnostic::new(fault)]),
        }
    }

    fn see(&mut self, seen: &Seen<'_>) -> bool {
        let time = match seen {
            Seen::Step { time } => *time,
            Seen::Frame(moment) => {
                if let Err(fault) = self.take(moment) {
                    self.fault = Some(fault);
                    return false;
                }
                moment.frame.time
            }
        };
        let part = time / self.loaded.scene.job.end();
        self.bar.set_position((BAR as f64 * part.clamp(0.0, 1.0)) as u64);
        let factor = (time - self.began) / self.start.elapsed().as_secs_f64().max(1e-9);
        self.bar.set_message(format!("{time:.3} s, {} × real time", number::significant(factor, 2)));
        match asked(self.limit, self.start) {
            Some(ending) => {
                self.ending = ending;
                false
            }
            None => true,
        }
    }

    fn take(&mut self, moment: &Moment<'_>) -> Result<(), Fault> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => {
                let writer = MotionWriter::create(self.out, self.loaded, self.facts.clone(), Disk::default())?;
                self.writer.insert(writer)
            }
        };
        let effort = moment.frame.effort;
        for (name, before, now) in
            [("halved", self.effort.0, effort.halved), ("rejected", self.effort.1, effort.rejected)]
        {
            if now > before {
                writer.event(&json!({ "event": name, "time": moment.frame.time, "steps": now - before }));
            }
        }
        self.effort = (effort.halved, effort.rejected);
        let full = writer.push(moment.frame);
        self.latest = arrays(&moment.snapshot());
        if full || self.closed.elapsed() > LONGEST_OPEN {
            writer.close_part(&self.latest)?;
            self.closed = Instant::now();
        }
        Ok(())
    }

    fn finish(mut self, end: &MotionEnd) -> Result<Exit, Fault> {
        let Some(mut writer) = self.writer.take() else {
            // Stopped before the first frame: there is nothing but the reason.
            let chronicle = Chronicle::default();
            let summary = self.summary(&chronicle, end);
            self.tell(&summary, &[]);
            return Ok(exit_of(&summary));
        };
        writer.close_part(&self.latest)?;
        let chronicle = writer.chronicle().clone();
        let summary = self.summary(&chronicle, end);
        let files = writer.finish(&summary)?;
        self.tell(&summary, &files);
        Ok(exit_of(&summary))
    }

    fn summary<'s>(&'s self, chronicle: &'s Chronicle, end: &'s MotionEnd) -> MotionSummary<'s> {
        let wall_seconds = self.start.elapsed().as_secs_f64();
        MotionSummary { scene: &self.loaded.scene, chronicle, end, ending: self.ending, wall_seconds }
    }

    fn tell(&self, summary: &MotionSummary<'_>, files: &[String]) {
        let complaint = summary.complaint();
        if self.voice == Voice::Json {
            let mut json = summary.to_json();
            let errors: Vec<Json> = complaint.iter().map(Diagnostic::to_json).collect();
            json["errors"] = json!(errors);
            json["warnings"] = json!(self.loaded.warnings.iter().map(Diagnostic::to_json).collect::<Vec<_>>());
            json["wall_seconds"] = json!(summary.wall_seconds);
            json["out"] = json!(self.out.display().to_string());
            say_json(&json);
            return;
        }
        if self.voice == Voice::People {
            let simulated = summary.reached() - self.began;
            let factor = number::significant(simulated / summary.wall_seconds.max(1e-9), 3);
            let took = number::with_unit(summary.wall_seconds, "s");
            let moved = number::with_unit(simulated, "s");
            say(&format!("  motion   {moved} of motion in {took}, {factor} × real time   {}", steps(summary)));
            say(&format!("  checks   {}", checks(summary.chronicle)));
        }
        if let Some(complaint) = complaint {
            complain(complaint.to_string().trim_end());
        }
        if self.voice == Voice::People && !files.is_empty() {
            let parts = files.iter().filter(|name| name.starts_with("motion-")).count();
            let out = self.out.display();
            say(&format!("  wrote    {out}/   report.html  scene.toml  and {parts} part(s) of columns"));
            if summary.complaint().is_none() {
                say(&format!("  next     lissome export {out} --to glb,csv"));
            }
        }
    }
}

/// What asks to stop, if anything does.
fn asked(limit: Option<f64>, start: Instant) -> Option<Ending> {
    if solving::interrupted() {
        return Some(Ending::Interrupted);
    }
    let seconds = limit.filter(|seconds| start.elapsed().as_secs_f64() > *seconds)?;
    Some(Ending::TimeLimit { seconds })
}

fn arrays(snapshot: &Snapshot) -> Vec<npz::Array> {
    let lists = snapshot.lists.iter();
    lists
        .map(|(name, values)| npz::Array { name: name.clone(), shape: vec![values.len()], values: values.clone() })
        .collect()
}

fn steps(summary: &MotionSummary<'_>) -> String {
    let Some(last) = &summary.chronicle.last else { return String::new() };
    let effort = last.effort;
    let states = summary.chronicle.count;
    format!("{states} states, {} steps, {} rejected, {} halved", effort.steps, effort.rejected, effort.halved)
}

fn checks(chronicle: &Chronicle) -> String {
    let finite = |frame: &MotionFrame| {
        let rods = frame.rods.iter().all(|rod| {
            rod.poses.iter().all(|pose| pose.is_finite()) && rod.stress.iter().all(|stress| stress.is_finite())
        });
        rods && frame.bodies.iter().all(|pose| pose.is_finite()) && frame.energy.balance().is_finite()
    };
    let finite = if chronicle.frames.iter().all(finite) { "all finite" } else { "NOT all finite" };
    format!("energy balance within {} of the energy, {finite}", number::significant(chronicle.relative_drift(), 2))
}

fn exit_of(summary: &MotionSummary<'_>) -> Exit {
    match summary.status() {
        "finished" => Exit::Ok,
        "limit" => Exit::Limit,
        "interrupted" => Exit::Interrupted,
        _ => Exit::NoAnswer,
    }
}
