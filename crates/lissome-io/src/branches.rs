//! Branches of equilibria that were followed by their length: in JSON, back, and in words.

use crate::number::significant;
use lissome_model::{Drive, Scene};
use lissome_solve::{BranchEnd, Event, EventKind, FoldCurve, FoldPoint, Origin, PathSample, TracedBranch};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;

/// One branch.
pub fn branch_json(index: usize, branch: &TracedBranch) -> Json {
    let mut json = json!({
        "branch": index,
        "from": branch.from.map(|from| json!({ "branch": from.branch, "sample": from.sample, "side": from.side })),
        "first_sample": branch.samples.start,
        "samples": branch.samples.len(),
        "neutral": branch.neutral,
        "end": branch.end.name(),
    });
    if let BranchEnd::Meets { branch } = branch.end {
        json["met"] = json!(branch);
    }
    json
}

/// A branch out of its JSON; `None` if it is none.
pub fn branch_of(json: &Json) -> Option<TracedBranch> {
    let count = |json: &Json| json.as_u64().map(|n| n as usize);
    let met = BranchEnd::Meets { branch: count(&json["met"]).unwrap_or(0) };
    let ends = [BranchEnd::LeavesRange, BranchEnd::Closes, met, BranchEnd::StepsSpent, BranchEnd::Lost];
    let end = ends.into_iter().find(|end| json["end"] == end.name()).unwrap_or(BranchEnd::Stopped);
    let from = &json["from"];
    let origin = |branch| {
        let side = if from["side"].as_i64()? < 0 { -1 } else { 1 };
        Some(Origin { branch, sample: count(&from["sample"])?, side })
    };
    let first = count(&json["first_sample"])?;
    Some(TracedBranch {
        from: count(&from["branch"]).and_then(origin),
        samples: first..first + count(&json["samples"])?,
        neutral: json["neutral"].as_bool()?,
        end,
    })
}

/// Where a branch begins, in words.
pub fn origin_words(branch: &TracedBranch) -> String {
    match branch.from {
        None => "the first equilibrium".into(),
        Some(from) => {
            let side = if from.side < 0 { "−" } else { "+" };
            format!("branch {}, sample {}, side {side}", from.branch, from.sample)
        }
    }
}

/// How a branch ended, in words.
pub fn end_words(branch: &TracedBranch) -> String {
    match branch.end {
        BranchEnd::LeavesRange => "leaves the range of the drives".into(),
        BranchEnd::Closes => "closes on itself".into(),
        BranchEnd::Meets { branch } => format!("runs into branch {branch}"),
        BranchEnd::StepsSpent => "has had its steps".into(),
        BranchEnd::Lost => "lost: no step leads on".into(),
        BranchEnd::Stopped => "stopped".into(),
    }
}

/// An event in words: what, and how many eigenvalues pass through zero there.
pub fn event_words(event: &Event) -> String {
    match (event.kind, event.multiplicity) {
        (EventKind::Bifurcation, 0 | 1) => "bifurcation".into(),
        (EventKind::Bifurcation, 2) => "double bifurcation".into(),
        (EventKind::Bifurcation, n) => format!("{n}-fold bifurcation"),
        (kind, _) => kind.name().into(),
    }
}

/// Stability on both sides of an event, in words.
pub fn change_words(event: &Event) -> String {
    let side = |negative: usize| match negative {
        0 => "stable".to_owned(),
        n => format!("unstable in {n}"),
    };
    let (before, after) = event.negative_directions;
    format!("{} → {}", side(before), after.map_or("?".into(), side))
}

/// The values of the drives that move, at an event.
pub fn drive_words(scene: &Scene, event: &Event) -> String {
    let moving = |drive: &&Drive| !matches!(drive.signal, lissome_model::Signal::Constant(_));
    let values = scene.drives.iter().filter(moving).take(3);
    let words: Vec<String> =
        values.map(|drive| format!("{} = {}", drive.path, significant(drive.signal.at(event.at), 7))).collect();
    words.join(", ")
}

/// Every event on the branches, with the index of its sample, in order.
pub fn events(path: &[PathSample]) -> impl Iterator<Item = (usize, &PathSample, &Event)> {
    path.iter()
        .enumerate()
        .skip(1)
        .flat_map(|(index, sample)| sample.equilibrium.outcome.events.iter().map(move |event| (index, sample, event)))
}

/// A curve of folds.
pub fn fold_curve_json(scene: &Scene, curve: &FoldCurve) -> Json {
    let point = |point: &FoldPoint| {
        let drives: Map<String, Json> =
            scene.drives.iter().zip(&point.drives).map(|(drive, value)| (drive.path.clone(), json!(value))).collect();
        json!({
            "parameter": point.at,
            "over": point.over,
            "drives": drives,
            "negative_directions": point.negative_directions,
            "cusp": point.cusp,
        })
    };
    json!({ "end": curve.end.name(), "folds": curve.points.iter().map(point).collect::<Json>() })
}

/// `fold_curve.csv`.
pub fn fold_curves_csv(scene: &Scene, curves: &[FoldCurve]) -> String {
    let mut out = "curve,fold,parameter,over".to_owned();
    for drive in &scene.drives {
        // Writing to a String cannot fail.
        let _ = write!(out, ",drive.{}", drive.path);
    }
    out.push_str(",negative_directions,cusp\n");
    for (index, curve) in curves.iter().enumerate() {
        for (number, point) in curve.points.iter().enumerate() {
            let _ = write!(out, "{index},{number},{:?},{:?}", point.at, point.over);
            for value in &point.drives {
                let _ = write!(out, ",{value:?}");
            }
            let _ = writeln!(out, ",{},{}", point.negative_directions, u8::from(point.cusp));
        }
    }
    out
}
