//! `[job]`: what to compute.

use super::findings::Findings;
use super::keys;
use super::reader::Reader;
use crate::fault::Fault;
use lissome_model::{Job, ShapeJob, ShapeMethod, ShapeWinding, StaticsJob};

/// Keys that only one kind of job takes.
const STATICS_KEYS: [&str; 1] = ["max_iterations"];
const SHAPE_KEYS: [&str; 5] = ["method", "segments", "stretching", "winding", "all"];

/// Reads `[job]`; statics if there is none.
pub fn read(scene: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    if !scene.has("job") {
        return Some(Job::Statics(StaticsJob::default()));
    }
    let job = scene.table("job", keys::JOB, findings)?;
    let kind = if job.has("kind") { job.choice("kind", keys::JOBS, findings) } else { job.missing("kind", findings) };
    match keys::JOBS[kind?] {
        "shape" => read_shape(&job, findings),
        _ => read_statics(&job, findings),
    }
}

fn read_statics(job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let alone = refuse_keys(job, &SHAPE_KEYS, "it belongs to `kind = \"shape\"`, and this is statics", findings);
    let max_iterations = match job.count("max_iterations", findings) {
        Some(0) => job.fault("max_iterations", Fault::NotPositive { value: 0.0 }, findings),
        None if job.has("max_iterations") => None,
        given => Some(given.unwrap_or(StaticsJob::default().max_iterations)),
    };
    alone?;
    Some(Job::Statics(StaticsJob { max_iterations: max_iterations? }))
}

fn read_shape(job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let alone = refuse_keys(job, &STATICS_KEYS, "it belongs to `kind = \"statics\"`, and this is a shape", findings);
    let method = given(job, "method", 4, |f| job.choice("method", keys::METHODS, f), findings);
    let segments = given(job, "segments", 0, |f| job.count("segments", f), findings);
    let stretching = given(job, "stretching", false, |f| job.flag("stretching", f), findings);
    let winding = given(job, "winding", 0, |f| job.choice("winding", keys::WINDINGS, f), findings);
    let all = given(job, "all", false, |f| job.flag("all", f), findings);
    alone?;
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
        winding: match keys::WINDINGS[winding?] {
            "shortest" => ShapeWinding::Shortest,
            "unwrapped" => ShapeWinding::Unwrapped,
            _ => ShapeWinding::Least,
        },
        all: all?,
    }))
}

/// What the key says if it is there, else `default`; nothing if it is refused.
fn given<T>(
    job: &Reader<'_>,
    name: &str,
    default: T,
    read: impl FnOnce(&mut Findings) -> Option<T>,
    findings: &mut Findings,
) -> Option<T> {
    if job.has(name) { read(findings) } else { Some(default) }
}

/// Reports the first of these keys that is given.
fn refuse_keys(job: &Reader<'_>, names: &[&str], reason: &'static str, findings: &mut Findings) -> Option<()> {
    match names.iter().find(|name| job.has(name)) {
        Some(name) => {
            let fault = Fault::Clash { first: "kind".into(), second: (*name).to_owned(), reason };
            job.fault(name, fault, findings)
        }
        None => Some(()),
    }
}
