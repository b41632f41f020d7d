//! What became of an optimisation: in JSON, as a table of its rounds, in words and as warnings.

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::optimise_fault::OptimiseFault;
use lissome_model::{Job, OptimiseJob, Scene};
use lissome_solve::optimise::{CONSTRAINT_TOLERANCE, OptimumEnd};
use lissome_solve::{Equilibrium, OptimumRecord};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

/// Characters of a formula that are shown in a line.
const LONGEST: usize = 60;

/// The job of a scene and what became of it.
pub fn of<'a>(scene: &'a Scene, equilibrium: &'a Equilibrium) -> Option<(&'a OptimiseJob, &'a OptimumRecord)> {
    match (&scene.job, &equilibrium.optimum) {
        (Job::Optimise(job), Some(record)) => Some((job, record)),
        _ => None,
    }
}

/// What is made least or greatest, in words.
pub fn goal(job: &OptimiseJob) -> String {
    let words: Vec<&str> = job.objective.text.split_whitespace().collect();
    let text = words.join(" ");
    let shown = match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{} …", &text[..cut]),
        None => text,
    };
    format!("{} {shown}", if job.maximise { "greatest" } else { "least" })
}

/// How the search ended, in words.
pub fn end_words(record: &OptimumRecord) -> &'static str {
    match record.end {
        OptimumEnd::Converged => "converged",
        OptimumEnd::Infeasible => "not all constraints can hold",
        OptimumEnd::Blocked => "ended by what stood in the way",
        OptimumEnd::Stalled => "no step is better",
        OptimumEnd::Unfinished => "rounds used up",
        OptimumEnd::Stopped => "stopped",
    }
}

/// The whole record.
pub fn json_of(job: &OptimiseJob, record: &OptimumRecord) -> Json {
    let finite = |value: f64| if value.is_finite() { json!(value) } else { Json::Null };
    let free: Map<String, Json> = (record.free.iter())
        .map(|own| {
            let limits = [finite(own.limits.0), finite(own.limits.1)];
            let entry = json!({
                "value": own.value, "unit": own.unit, "limits": limits, "at_limit": own.at_limit, "price": own.price,
            });
            (own.path.clone(), entry)
        })
        .collect();
    let constraint = |own: &lissome_solve::ConstraintRecord| {
        json!({
            "constraint": own.text,
            "gap": own.gap,
            "violation": own.violation,
            "holds": own.violation <= CONSTRAINT_TOLERANCE,
            "price": own.price,
        })
    };
    json!({
        "end": record.end.name(),
        "goal": if job.maximise { "maximise" } else { "minimise" },
        "formula": job.objective.text,
        "objective": record.objective,
        "start": record.rounds.first().map(|first| first.objective),
        "violation": record.violation,
        "kkt": finite(record.kkt),
        "rounds": record.rounds.len().saturating_sub(1),
        "solves": record.solves,
        "free": free,
        "constraints": record.constraints.iter().map(constraint).collect::<Vec<Json>>(),
        "obstacle": record.obstacle,
    })
}

/// `rounds.csv`: a row for each place that the search came to.
pub fn csv(record: &OptimumRecord) -> String {
    let mut out = String::from("round,objective,violation,kkt,tries");
    // Writing to a String cannot fail.
    for own in &record.free {
        let _ = write!(out, ",free.{}", own.path);
    }
    for number in 1..=record.constraints.len() {
        let _ = write!(out, ",constraint.{number}");
    }
    out.push('\n');
    for (index, round) in record.rounds.iter().enumerate() {
        let _ = write!(out, "{index},{:?},{:?},{:?},{}", round.objective, round.violation, round.kkt, round.tries);
        for value in round.values.iter().chain(&round.gaps) {
            let _ = write!(out, ",{value:?}");
        }
        out.push('\n');
    }
    out
}

/// What is to be told of how it ended.
pub fn warnings(scene: &Scene, equilibrium: &Equilibrium) -> Vec<Diagnostic> {
    let Some((_, record)) = of(scene, equilibrium) else { return Vec::new() };
    let told = |fault: OptimiseFault, path: &str| Diagnostic {
        path: Some(path.to_owned()),
        ..Diagnostic::new(Fault::Optimise(fault))
    };
    let mut found = Vec::new();
    if record.idle {
        found.push(told(OptimiseFault::Idle, "job"));
    }
    let violated = || {
        let all = record.constraints.iter().filter(|own| own.violation > CONSTRAINT_TOLERANCE);
        all.map(|own| own.text.clone()).collect::<Vec<String>>()
    };
    let (kkt, violation) = (record.kkt, record.violation);
    let fault = match record.end {
        OptimumEnd::Converged | OptimumEnd::Stopped => return found,
        OptimumEnd::Infeasible => OptimiseFault::Infeasible { constraints: violated(), violation },
        OptimumEnd::Blocked => OptimiseFault::Blocked { reason: record.obstacle.clone().unwrap_or_default() },
        OptimumEnd::Stalled => OptimiseFault::Stalled { kkt },
        OptimumEnd::Unfinished => {
            OptimiseFault::Unfinished { rounds: record.rounds.len().saturating_sub(1), kkt, violation }
        }
    };
    found.push(told(fault, "job"));
    found
}
