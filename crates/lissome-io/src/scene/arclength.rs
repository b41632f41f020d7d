//! The keys of a path that is followed by its own length.

use super::dimension::Dimension;
use super::document::Value;
use super::findings::Findings;
use super::job_values::{given, max_iterations, positive, positive_count};
use super::keys;
use super::reader::{Reader, Sign, clip};
use crate::fault::Fault;
use lissome_model::{ArcDirection, Arclength, FoldCurveJob, Follow, Job, MOST_BRANCHES};

/// Keys that only a path by arclength takes, and those that only one from sample to sample does.
const OWN: [&str; 5] = ["start_at", "direction", "branches", "max_steps", "longest_step"];
const FOREIGN: [(&str, &str); 2] = [
    ("samples", "a path by arclength chooses its samples itself; `longest_step` says how dense they are"),
    ("on_event", "a path by arclength follows its branch through every event"),
];
/// A longer step cannot see what it passes.
const LONGEST_STEP: f64 = 0.5;

/// What the path goes along: its drives, if nothing is said.
pub fn read(job: &Reader<'_>, findings: &mut Findings) -> Option<Follow> {
    let word = given(job, "follow", 0, |f| job.choice("follow", keys::FOLLOW, f), findings)?;
    if keys::FOLLOW[word] != "arclength" {
        let Some(key) = OWN.into_iter().find(|key| job.has(key)) else { return Some(Follow::Drives) };
        let reason = "it belongs to a path with `follow = \"arclength\"`";
        return job.fault(key, Fault::Clash { first: "follow".into(), second: key.into(), reason }, findings);
    }
    for (key, reason) in FOREIGN {
        job.not_both("follow", key, reason, findings).then_some(())?;
    }
    let default = Arclength::default();
    let start_at =
        given(job, "start_at", 0.0, |f| job.quantity("start_at", Dimension::TIME, Sign::NotNegative, f), findings);
    let direction = given(job, "direction", 0, |f| job.choice("direction", keys::DIRECTIONS, f), findings);
    let branches = branches(job, findings);
    let max_steps = positive_count(job, "max_steps", default.max_steps, findings);
    let longest_step = positive(job, "longest_step", Dimension::NONE, default.longest_step, findings);
    if let Some(value) = longest_step.filter(|step| *step > LONGEST_STEP) {
        let fault = Fault::OutOfRange { value, interval: format!("(0, {LONGEST_STEP}]") };
        return job.fault("longest_step", fault, findings);
    }
    Some(Follow::Arclength(Arclength {
        start_at: start_at?,
        direction: match keys::DIRECTIONS[direction?] {
            "backward" => ArcDirection::Backward,
            "both" => ArcDirection::Both,
            _ => ArcDirection::Forward,
        },
        branches: branches?,
        max_steps: max_steps?,
        longest_step: longest_step?,
    }))
}

/// Curves of folds. The drives are read later, in the order of the file.
pub fn read_fold_curve(scene: &Reader<'_>, job: &Reader<'_>, findings: &mut Findings) -> Option<Job> {
    let names: Vec<&str> = match scene.entry("drive").map(|entry| &entry.node.value) {
        Some(Value::Table(drives)) => drives.names().collect(),
        _ => Vec::new(),
    };
    let over = if job.has("over") { job.text("over", findings) } else { job.missing("over", findings) };
    let over = over?;
    let Some(index) = names.iter().position(|name| *name == over) else {
        let known = names.into_iter().map(str::to_owned).collect();
        return job.fault("over", Fault::UnknownName { family: "drive", name: clip(over), known }, findings);
    };
    let usual = FoldCurveJob::over(index);
    let end = positive(job, "end", Dimension::TIME, usual.end, findings);
    let start_at =
        given(job, "start_at", 0.0, |f| job.quantity("start_at", Dimension::TIME, Sign::NotNegative, f), findings);
    let max_steps = positive_count(job, "max_steps", usual.max_steps, findings);
    let longest_step = positive(job, "longest_step", Dimension::NONE, usual.longest_step, findings);
    let max_iterations = max_iterations(job, findings);
    let (end, start_at, longest_step) = (end?, start_at?, longest_step?);
    if longest_step > LONGEST_STEP {
        let fault = Fault::OutOfRange { value: longest_step, interval: format!("(0, {LONGEST_STEP}]") };
        return job.fault("longest_step", fault, findings);
    }
    if start_at > end {
        let fault = Fault::OutOfRange { value: start_at, interval: format!("[0, {end}], the range of the path") };
        return job.fault("start_at", fault, findings);
    }
    let (max_steps, max_iterations) = (max_steps?, max_iterations?);
    Some(Job::FoldCurve(FoldCurveJob { over: index, end, start_at, max_steps, longest_step, max_iterations }))
}

/// `"main"`, `"all"`, or how many beside the main one.
fn branches(job: &Reader<'_>, findings: &mut Findings) -> Option<usize> {
    let Some(entry) = job.entry("branches") else { return Some(0) };
    if let Value::Text(_) = entry.node.value {
        let word = job.choice("branches", keys::BRANCHES, findings)?;
        return Some(if keys::BRANCHES[word] == "all" { MOST_BRANCHES } else { 0 });
    }
    let count = job.count("branches", findings)?;
    if count > MOST_BRANCHES {
        let fault = Fault::OutOfRange { value: count as f64, interval: format!("[0, {MOST_BRANCHES}]") };
        return job.fault("branches", fault, findings);
    }
    Some(count)
}
