//! The keys of a path that is followed by its own length.

use super::dimension::Dimension;
use super::document::Value;
use super::findings::Findings;
use super::job::{given, positive, positive_count};
use super::keys;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::{ArcDirection, Arclength, Follow, MOST_BRANCHES};

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
