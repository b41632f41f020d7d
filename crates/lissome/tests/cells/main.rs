//! Every kind of contribution × every job × every rod model × every way to close loops.
//!
//! Each cell runs a small scene to an answer that is checked by other means, or is refused with its reason:
//!
//! - equilibria and paths: converged and balanced, and the rod models agree on where the rod's tip and the bodies are;
//! - motions: finished with their energy balance kept, and all schemes agree on where things are at the end;
//! - modes: the rod models agree on the lowest frequency.
//!
//! The table of what came out is `docs/reference/kinds-and-jobs.md`; the test compares the page with what it found, and
//! writes it anew if `LISSOME_WRITE_TABLES` is set.
#![allow(clippy::unwrap_used)]

mod jobs;
mod kinds;
mod table;

use jobs::{JOBS, Place};
use kinds::{Kind, MODELS};
use lissome_model::LoopMethod;
use table::Cell;

/// Rod models of a few pieces differ by their discretisation: this much of the length.
const MODELS_APART: f64 = 0.02;
/// Schemes of first order over the short motions of this test differ by more than those of second order.
const SCHEMES_APART: f64 = 0.02;

/// The cells of one kind, by job; the models and the ways to close loops share one, since they must agree. What is wrong
/// is added to `wrong`.
fn cells_of(kind: &Kind, wrong: &mut Vec<String>) -> Vec<Cell> {
    let loops: &[LoopMethod] =
        if kind.has_loops { &[LoopMethod::Embedding, LoopMethod::Constraints] } else { &[LoopMethod::Embedding] };
    let mut ends: Vec<(String, Place)> = Vec::new();
    let mut cells = Vec::new();
    for job in &JOBS {
        let mut places: Vec<(String, Place)> = Vec::new();
        let mut cell = Cell::default();
        for model in MODELS {
            for method in loops {
                let context = format!("{} / {} / {} / {method:?}", kind.name, job.name, model.name);
                match job.run(kind.scene(model, *method), kind) {
                    Ok(place) => places.push((context, place)),
                    Err(refusal) if kind.may_refuse(job, model, &refusal) => cell.refuse(model.name, &refusal),
                    Err(refusal) => wrong.push(format!("{context}: {refusal}")),
                }
            }
        }
        compare(&places, MODELS_APART, wrong);
        if let (true, Some(first)) = (job.is_motion(), places.first()) {
            ends.push(first.clone());
        }
        cell.worked = places.len();
        cells.push(cell);
    }
    compare(&ends, SCHEMES_APART, wrong);
    cells
}

fn compare(places: &[(String, Place)], tolerance: f64, wrong: &mut Vec<String>) {
    for pair in places.windows(2) {
        let apart = pair[0].1.apart(&pair[1].1);
        if apart >= tolerance || apart.is_nan() {
            wrong.push(format!("{apart:.2e} between {} and {}", pair[0].0, pair[1].0));
        }
    }
}

fn check(group: &str) {
    let kinds: Vec<Kind> = kinds::all().into_iter().filter(|kind| kind.group == group).collect();
    assert!(!kinds.is_empty());
    let mut wrong = Vec::new();
    let rows: Vec<(String, Vec<Cell>)> =
        kinds.iter().map(|kind| (kind.name.clone(), cells_of(kind, &mut wrong))).collect();
    assert!(wrong.is_empty(), "{group}:\n{}", wrong.join("\n"));
    table::compare(group, &rows);
}

#[test]
fn loads() {
    check("loads");
}

#[test]
fn bodies() {
    check("bodies");
}

#[test]
fn joints_free() {
    check("joints, free");
}

#[test]
fn joints_driven() {
    check("joints, driven");
}

#[test]
fn joints_pushed() {
    check("joints, pushed");
}

#[test]
fn joints_with_springs() {
    check("joints, with springs and dampers");
}

#[test]
fn joints_with_limits() {
    check("joints, with limits");
}

#[test]
fn closures() {
    check("closures");
}

#[test]
fn tendons() {
    check("tendons");
}

#[test]
fn cables() {
    check("cables");
}

#[test]
fn springs() {
    check("springs");
}

#[test]
fn tubes() {
    check("tubes");
}

#[test]
fn obstacles() {
    check("obstacles");
}
