//! `[job]`: what to compute.

use super::arclength;
use super::dimension::Dimension;
use super::document::{Entry, Table, Value};
use super::findings::Findings;
use super::job_values::{given, max_iterations, positive, positive_count};
use super::keys;
use super::optimise;
use super::reader::{Reader, Sign, clip};
use crate::fault::Fault;
use lissome_model::{
    BucklingJob, BucklingStart, DynamicsJob, Follow, InverseJob, Job, LoopWinding, ModesJob, OnEvent, PathJob, Scheme,
    ShapeJob, ShapeMethod, ShapeWinding, Start, StaticsJob, StepControl, TendonMethod,
};

/// Keys that only some kinds of job take, by kind.
const OWN_KEYS: [(&str, &[&str]); 9] = [
    ("statics", &["max_iterations", "winding", "method", "functions", "nodes", "derivatives"]),
    (
        "path",
        &[
            "max_iterations",
            "samples",
            "end",
            "on_event",
            "winding",
            "follow",
            "start_at",
            "direction",
            "branches",
            "max_steps",
            "longest_step",
            "derivatives",
        ],
    ),
    ("dynamics", &["duration", "output_rate", "scheme", "step", "tolerance", "start", "release", "derivatives"]),
    ("modes", &["max_iterations", "count"]),
    ("buckling", &["max_iterations", "count", "from"]),
    ("fold-curve", &["max_iterations", "over", "end", "start_at", "max_steps", "longest_step"]),
    ("inverse", &["max_iterations", "samples", "end", "winding"]),
    ("optimise", &["max_iterations", "winding", "minimise", "maximise", "constraints", "rounds", "stable"]),
    ("shape", &["method", "segments", "stretching", "winding", "all"]),
];

/// Names of the loads, in the order of the file, as far as they were read.
pub struct LoadNames<'s> {
    /// Loads on rods, then those on frames.
    pub known: Vec<&'s str>,
}

/// Reads `[job]`; statics if there is none.
pub fn read(scene: &Reader<'_>, loads: &LoadNames<'_>, findings: &mut Findings) -> Option<Job> {
    if !scene.has("job") {
        return Some(Job::Statics(StaticsJob::default()));
    }
    let job = scene.table("job", keys::JOB, findings)?;
    let kind = if job.has("kind") { job.choice("kind", keys::JOBS, findings) } else { job.missing("kind", findings) };
    let kind = keys::JOBS[kind?];
    let alone = refuse_foreign_keys(&job, kind, findings);
    let read = match kind {
        "path" => read_path(&job, findings),
        "dynamics" => read_dynamics(&job, loads, findings),
        "modes" => read_modes(&job, findings),
        "buckling" => read_buckling(&job, findings),
        "fold-curve" => arclength::read_fold_curve(scene, &job, findings),
        "inverse" => read_inverse(scene, &job, findings),
        "shape" => read_shape(&job, findings),
        "optimise" => loop_winding(&job, findings).and_then(|winding| optimise::read_job(&job, winding, findings)),
        _ => read_statics(&job, findings),
    };
    alone.and(read)
}

fn read_statics(job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let max_iterations = max_iterations(job, findings);
    let winding = loop_winding(job, findings)?;
    let method = read_tendon_method(job, findings);
    Some(Job::Statics(StaticsJob { max_iterations: max_iterations?, winding, method: method? }))
}

/// A classical method for one clamped rod with tendons, if one is asked for.
fn read_tendon_method(job: &Reader<'_>, findings: &mut Findings) -> Option<Option<TendonMethod>> {
    let method = match job.has("method") {
        true => Some(keys::TENDON_METHODS[job.choice("method", keys::TENDON_METHODS, findings)?]),
        false => None,
    };
    let foreign = ["functions", "nodes"].into_iter().find(|key| job.has(key));
    if let Some(key) = foreign.filter(|_| method != Some("lagrangian")) {
        let reason = "it belongs to `method = \"lagrangian\"`";
        let fault = Fault::Clash { first: "method".into(), second: key.into(), reason };
        return job.fault(key, fault, findings);
    }
    Some(match method {
        Some("total-stress") => Some(TendonMethod::TotalStress),
        Some("newtonian") => Some(TendonMethod::Newtonian),
        Some(_) => {
            let TendonMethod::Lagrangian { functions, nodes } = TendonMethod::lagrangian() else { return None };
            let functions = given(job, "functions", functions, |f| read_functions(job, f), findings);
            let nodes = positive_count(job, "nodes", nodes, findings);
            Some(TendonMethod::Lagrangian { functions: functions?, nodes: nodes? })
        }
        None => None,
    })
}

/// Numbers of polynomials: one for all six strains, or one for each.
fn read_functions(job: &Reader<'_>, findings: &mut Findings) -> Option<[usize; 6]> {
    let node = &job.entry("functions")?.node;
    let Value::Array(items) = &node.value else { return job.count("functions", findings).map(|count| [count; 6]) };
    let mut counts = Vec::new();
    for item in items {
        let value = job.quantity_of("functions", item, Dimension::NONE, Sign::NotNegative, findings)?;
        if value.fract() != 0.0 || value > 1e6 {
            return job.fault("functions", Fault::NotACount { value }, findings);
        }
        counts.push(value as usize);
    }
    let found = counts.len();
    let six = <[usize; 6]>::try_from(counts).ok();
    six.or_else(|| job.fault("functions", Fault::WrongCount { found, expected: "six counts, or one" }, findings))
}

fn loop_winding(job: &Reader<'_>, findings: &mut Findings) -> Option<LoopWinding> {
    let reason = "only a shape is unwrapped; `turns` of a rod counts its full turns";
    Some(match winding(job, "unwrapped", reason, findings)? {
        "shortest" => LoopWinding::Shortest,
        "longest" => LoopWinding::Longest,
        _ => LoopWinding::Least,
    })
}

/// Which way round, but for one word that this kind of job does not know.
fn winding(job: &Reader<'_>, foreign: &str, reason: &'static str, findings: &mut Findings) -> Option<&'static str> {
    let word = keys::WINDINGS[given(job, "winding", 0, |f| job.choice("winding", keys::WINDINGS, f), findings)?];
    if word == foreign {
        let fault = Fault::Clash { first: "kind".into(), second: "winding".into(), reason };
        return job.fault("winding", fault, findings);
    }
    Some(word)
}

fn read_path(job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let default = PathJob::default();
    let samples = given(job, "samples", default.samples, |f| job.count("samples", f), findings);
    if let Some(found) = samples.filter(|samples| *samples < 2) {
        let fault = Fault::OutOfRange { value: found as f64, interval: "2 or more, both ends included".into() };
        job.fault::<()>("samples", fault, findings);
    }
    let end = positive(job, "end", Dimension::TIME, default.end, findings);
    let max_iterations = max_iterations(job, findings);
    let on_event = match given(job, "on_event", 0, |f| job.choice("on_event", keys::ON_EVENT, f), findings)? {
        0 => OnEvent::Jump,
        1 => OnEvent::Stop,
        _ => OnEvent::Follow,
    };
    let winding = loop_winding(job, findings);
    let follow = arclength::read(job, findings);
    let (samples, end, max_iterations, winding, follow) = (samples?, end?, max_iterations?, winding?, follow?);
    if let Follow::Arclength(how) = &follow
        && how.start_at > end
    {
        let fault = Fault::OutOfRange { value: how.start_at, interval: format!("[0, {end}], the range of the path") };
        return job.fault("start_at", fault, findings);
    }
    Some(Job::Path(PathJob { samples, end, max_iterations, on_event, winding, follow }))
}

/// Rounds of an inverse job for one moment.
const ROUNDS: usize = 200;
/// Samples of one whose targets move.
const MOVING_SAMPLES: usize = 11;

/// All but the targets and the free drives, which name parts and drives that are read later.
fn read_inverse(scene: &Reader<'_>, job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let moves = scene.entry("target").is_some_and(|entry| has_course(&entry.node.value));
    let samples = positive_count(job, "samples", if moves { MOVING_SAMPLES } else { 1 }, findings);
    let end = positive(job, "end", Dimension::TIME, PathJob::default().end, findings);
    let max_iterations = positive_count(job, "max_iterations", ROUNDS, findings);
    let winding = loop_winding(job, findings);
    Some(Job::Inverse(InverseJob {
        targets: Vec::new(),
        free: Vec::new(),
        samples: samples?,
        end: end?,
        max_iterations: max_iterations?,
        winding: winding?,
    }))
}

/// True if a course that changes stands somewhere below.
fn has_course(value: &Value) -> bool {
    const COURSES: [&str; 4] = ["ramp", "sine", "table", "values"];
    match value {
        Value::Table(table) => {
            table.entries.iter().any(|entry| COURSES.contains(&entry.name.as_str()) || has_course(&entry.node.value))
        }
        Value::Array(items) => items.iter().any(|item| has_course(&item.value)),
        _ => false,
    }
}

fn read_modes(job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let count = positive_count(job, "count", ModesJob::default().count, findings);
    let max_iterations = max_iterations(job, findings);
    Some(Job::Modes(ModesJob { count: count?, max_iterations: max_iterations? }))
}

fn read_buckling(job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let count = positive_count(job, "count", BucklingJob::default().count, findings);
    let from = given(job, "from", 0, |f| job.choice("from", keys::BUCKLING_STARTS, f), findings);
    let max_iterations = max_iterations(job, findings);
    let from = match keys::BUCKLING_STARTS[from?] {
        "loaded" => BucklingStart::Loaded,
        _ => BucklingStart::Unloaded,
    };
    Some(Job::Buckling(BucklingJob { count: count?, from, max_iterations: max_iterations? }))
}

fn read_dynamics(job: &Reader<'_>, loads: &LoadNames<'_>, findings: &mut Findings) -> Option<Job> {
    let default = DynamicsJob::default();
    let duration = job.required("duration", Dimension::TIME, Sign::Positive, findings);
    let output_rate = positive(job, "output_rate", Dimension::FREQUENCY, default.output_rate, findings);
    let scheme = given(job, "scheme", 0, |f| job.choice("scheme", keys::SCHEMES, f), findings);
    let alone = job.not_both("step", "tolerance", "the step is fixed, or an error estimate chooses it", findings);
    let step = match job.has("step") {
        true => job.quantity("step", Dimension::TIME, Sign::Positive, findings).map(StepControl::Fixed),
        false => given(
            job,
            "tolerance",
            default.step,
            |f| job.quantity("tolerance", Dimension::NONE, Sign::Positive, f).map(StepControl::Tolerance),
            findings,
        ),
    };
    let start = given(job, "start", 0, |f| job.choice("start", keys::STARTS, f), findings);
    let release = read_release(job, loads, findings);
    if !alone {
        return None;
    }
    let (duration, step) = (duration?, step?);
    if let StepControl::Fixed(value) = step
        && value > duration
    {
        let fault = Fault::OutOfRange { value, interval: format!("(0, {duration}] s, the duration") };
        return job.fault("step", fault, findings);
    }
    Some(Job::Dynamics(DynamicsJob {
        duration,
        output_rate: output_rate?,
        scheme: match keys::SCHEMES[scheme?] {
            "conserving" => Scheme::Conserving,
            "symplectic" => Scheme::Symplectic,
            "explicit" => Scheme::Explicit,
            "euler" => Scheme::Euler,
            "tr-bdf2" => Scheme::TrBdf2,
            _ => Scheme::Robust,
        },
        step,
        start: match keys::STARTS[start?] {
            "natural" => Start::Natural,
            _ => Start::Equilibrium,
        },
        release: release?,
    }))
}

/// Names of loads to indices: loads on rods first, then those on frames.
fn read_release(job: &Reader<'_>, loads: &LoadNames<'_>, findings: &mut Findings) -> Option<Vec<usize>> {
    let Some(entry) = job.entry("release") else { return Some(Vec::new()) };
    let Value::Array(items) = &entry.node.value else {
        let fault =
            Fault::WrongType { expected: "an array of names", found: entry.node.value.kind(), example: "[\"tip\"]" };
        return job.fault("release", fault, findings);
    };
    let mut indices = Vec::new();
    for item in items {
        let name = match &item.value {
            Value::Text(name) => name.as_str(),
            other => {
                let fault = Fault::WrongType { expected: "a name", found: other.kind(), example: "\"tip\"" };
                return findings.add(fault, job.join("release"), Some(item.span));
            }
        };
        let Some(index) = loads.known.iter().position(|known| *known == name) else {
            let known = loads.known.iter().map(|name| (*name).to_owned()).collect();
            let fault = Fault::UnknownName { family: "load", name: clip(name), known };
            return findings.add(fault, job.join("release"), Some(item.span));
        };
        if !indices.contains(&index) {
            indices.push(index);
        }
    }
    Some(indices)
}

fn read_shape(job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let method = given(job, "method", 4, |f| job.choice("method", keys::METHODS, f), findings);
    let segments = given(job, "segments", 0, |f| job.count("segments", f), findings);
    let stretching = given(job, "stretching", false, |f| job.flag("stretching", f), findings);
    let winding = winding(job, "longest", "a shape goes round the long way with `unwrapped`", findings);
    let all = given(job, "all", false, |f| job.flag("all", f), findings);
    Some(Job::Shape(ShapeJob {
        method: match keys::METHODS[method?] {
            "printed" => ShapeMethod::Printed,
            "cubic" => ShapeMethod::Cubic,
            "quartic" => ShapeMethod::Quartic,
            "quintic" => ShapeMethod::Quintic,
            _ => ShapeMethod::Exact,
        },
        segments: segments?,
        stretching: stretching?,
        winding: match winding? {
            "shortest" => ShapeWinding::Shortest,
            "unwrapped" => ShapeWinding::Unwrapped,
            _ => ShapeWinding::Least,
        },
        all: all?,
    }))
}

/// Where an argument names another kind of job, takes the keys of the file's own kind out of `[job]`, and notes it.
pub fn set_aside(root: &mut Table, findings: &mut Findings) {
    let Some(Value::Table(job)) = root.entry_mut("job").map(|entry| &mut entry.node.value) else { return };
    let Some((kind, span)) = job.entry("kind").and_then(|entry| match &entry.node.value {
        Value::Text(kind) if entry.node.span.source > 0 => Some((kind.clone(), entry.node.span)),
        _ => None,
    }) else {
        return;
    };
    let Some((_, own)) = OWN_KEYS.iter().find(|(name, _)| *name == kind) else { return };
    let foreign = |entry: &Entry| {
        let known = OWN_KEYS.iter().any(|(_, keys)| keys.contains(&entry.name.as_str()));
        let own = own.contains(&entry.name.as_str()) && !is_method_of_another(entry, &kind);
        // What an earlier argument said of another kind is set aside too.
        known && !own && entry.node.span.source < span.source
    };
    let keys: Vec<String> = job.entries.iter().filter(|entry| foreign(entry)).map(|entry| entry.name.clone()).collect();
    if !keys.is_empty() {
        job.entries.retain(|entry| !foreign(entry));
        findings.add::<()>(Fault::KeysSetAside { keys, kind: clip(&kind) }, "job", Some(span));
    }
}

/// Shapes and statics both have a `method`, with words of their own.
fn is_method_of_another(entry: &Entry, kind: &str) -> bool {
    let foreign = if kind == "statics" { keys::METHODS } else { keys::TENDON_METHODS };
    entry.name == "method" && matches!(&entry.node.value, Value::Text(word) if foreign.contains(&word.as_str()))
}

/// Reports the first key that belongs to other kinds of job.
fn refuse_foreign_keys(job: &Reader<'_>, kind: &str, findings: &mut Findings) -> Option<()> {
    let own = OWN_KEYS.iter().find(|(name, _)| *name == kind).map_or(&[][..], |(_, keys)| keys);
    let foreign = OWN_KEYS.iter().flat_map(|(_, keys)| *keys).find(|key| job.has(key) && !own.contains(key));
    match foreign {
        Some(key) => {
            let reason = "it belongs to another kind of job";
            let fault = Fault::Clash { first: "kind".into(), second: (*key).to_owned(), reason };
            job.fault(key, fault, findings)
        }
        None => Some(()),
    }
}
