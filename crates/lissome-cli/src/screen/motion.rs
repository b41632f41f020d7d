//! What the screen says of a motion.

use super::{contacts_words, family_lines};
use lissome::io::{MotionSummary, number};
use lissome::model::Toucher;
use lissome::solve::{ContactFrame, ContactRecord, MotionFrame, MotionRecord};
use std::path::Path;

/// Events that have a line; the others are counted.
const SHOWN_EVENTS: usize = 3;

/// How it went, what happened and what can be trusted. The motion began at `from`, s.
pub fn lines(summary: &MotionSummary<'_>, from: f64) -> Vec<String> {
    let simulated = summary.reached() - from;
    let pace = number::significant(simulated / summary.wall_seconds.max(1e-9), 3);
    let (moved, took) = (number::with_unit(simulated, "s"), number::with_unit(summary.wall_seconds, "s"));
    let record = &summary.motion.record;
    let mut lines = vec![format!("  motion   {moved} of motion in {took}, {pace} × real time   {}", steps(record))];
    for (index, event) in record.events.iter().take(SHOWN_EVENTS).enumerate() {
        let (what, _) = event.kind.words();
        let (time, value) = (number::with_unit(event.time, "s"), number::significant(event.value, 3));
        let family = if index == 0 { "events" } else { "" };
        lines.push(format!("  {family:<8} {} {what} at {time} ({value})", event.part));
    }
    if record.event_count > SHOWN_EVENTS {
        lines.push(format!("           and {} more", record.event_count - SHOWN_EVENTS));
    }
    lines.extend(family_lines("contacts", contacts_words(&contacts(summary))));
    lines.push(format!("  checks   {}", checks(record)));
    lines
}

/// What presses at the end.
fn contacts(summary: &MotionSummary<'_>) -> Vec<ContactRecord> {
    let scene = summary.scene;
    let last = summary.motion.record.last.iter().flat_map(|frame| frame.contacts.iter().cloned());
    let record = |((part, obstacle), contact): ((Toucher, Toucher), ContactFrame)| ContactRecord {
        part: part.name(scene).to_owned(),
        obstacle: obstacle.name(scene).to_owned(),
        contact,
    };
    scene.contact_pairs().zip(last).map(record).collect()
}

/// What was written, and what can be done next.
pub fn files(files: &[String], out: &Path, status: &str) -> Vec<String> {
    if files.is_empty() {
        return Vec::new();
    }
    let (parts, out) = (files.iter().filter(|name| name.starts_with("motion-")).count(), out.display());
    let mut lines = vec![format!("  wrote    {out}/   report.html  scene.toml  and {parts} part(s) of columns")];
    if status == "finished" {
        lines.push(format!("  next     lissome export {out} --to glb,csv"));
    }
    lines
}

fn steps(record: &MotionRecord) -> String {
    let Some(last) = &record.last else { return String::new() };
    let (effort, states) = (last.effort, record.count);
    format!("{states} states, {} steps, {} rejected, {} halved", effort.steps, effort.rejected, effort.halved)
}

fn checks(record: &MotionRecord) -> String {
    let finite = |frame: &MotionFrame| {
        let rods = frame.rods.iter().all(|rod| {
            rod.poses.iter().all(|pose| pose.is_finite()) && rod.stress.iter().all(|stress| stress.is_finite())
        });
        let lines = frame.cables.iter().chain(&frame.tendons);
        rods && frame.bodies.iter().all(|pose| pose.is_finite())
            && frame.joints.iter().flatten().chain(&frame.drives).all(|value| value.is_finite())
            && lines.flat_map(|line| [line.tension, line.length]).all(f64::is_finite)
            && frame.energy.balance().is_finite()
    };
    let finite = if record.frames.iter().all(finite) { "all finite" } else { "NOT all finite" };
    let balance = &record.balance;
    let percent = |part: f64| number::significant(100.0 * part, 2);
    format!(
        "energy balance within {} of the energy, rose by {} %, {} % lost to the scheme, {} % to damping, {finite}",
        number::significant(balance.relative_drift(), 2),
        percent(balance.relative_rise()),
        percent(balance.relative_loss()),
        percent(balance.relative_dissipation())
    )
}
