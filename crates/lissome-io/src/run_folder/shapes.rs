//! `shapes.csv` and `shapes.json`: the exact shape of every rod, the approximations beside it, every equilibrium found.

use crate::columns;
use lissome_lie::Wrench;
use lissome_shape::comparison::{PLACES, largest_distance};
use lissome_shape::{Comparison, RodShapes, Shape, Stability, Verdict};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// Columns of `shapes.csv` after what names a row.
const FIELDS: [&str; 5] = ["position", "quat_wxyz", "curvature", "moment", "force"];

/// Every shape along its rod, numbers as the shortest text that reads back to the same bits.
pub fn csv(shapes: &[RodShapes]) -> String {
    let mut text = columns::header("rod,method,tau", &FIELDS) + "\n";
    for RodShapes { rod, comparison } in shapes {
        for shape in std::iter::once(&comparison.exact).chain(&comparison.approximations) {
            for i in 0..PLACES {
                let tau = i as f64 / (PLACES - 1) as f64;
                let (pose, strain, wrench) = (shape.pose(tau), shape.strain(tau), shape.wrench(tau));
                let numbers = pose.position.iter().copied().chain(pose.rotation.quat_wxyz());
                let numbers = numbers.chain(strain.curvature.iter().copied());
                let numbers = numbers.chain(wrench.moment.iter().chain(wrench.force.iter()).copied());
                // Writing to a String cannot fail.
                let _ = write!(text, "{rod},{},{tau}", shape.method.name());
                for x in numbers {
                    let _ = write!(text, ",{x:?}");
                }
                text.push('\n');
            }
        }
    }
    text
}

/// What there is to say of every rod, by name.
pub fn json(shapes: &[RodShapes]) -> Json {
    shapes.iter().map(|s| (s.rod.clone(), rod_json(&s.comparison))).collect::<serde_json::Map<_, _>>().into()
}

fn rod_json(comparison: &Comparison) -> Json {
    let exact = &comparison.exact;
    json!({
        "asked": comparison.asked.method.name(),
        "exact": shape_json(exact, exact),
        "stability": stability_json(&comparison.stability),
        "approximations": comparison.approximations.iter().map(|shape| {
            let mut json = shape_json(shape, exact);
            json["on_another_branch"] = json!(comparison.is_elsewhere(shape));
            json
        }).collect::<Vec<_>>(),
        "failed": comparison.failed.iter().map(|(method, error)| {
            json!({ "method": method.name(), "reason": error.to_string() })
        }).collect::<Vec<_>>(),
        "equilibria": comparison.all.iter().map(|found| json!({
            "energy": found.shape.energy,
            "stability": stability_json(&found.stability),
            "base": wrench_json(&found.shape.wrench_on_base()),
        })).collect::<Vec<_>>(),
    })
}

fn shape_json(shape: &Shape, exact: &Shape) -> Json {
    let (error, distance) = (shape.error(), largest_distance(shape, exact));
    json!({
        "method": shape.method.name(),
        "iterations": shape.iterations(),
        "energy": shape.energy,
        "winding": shape.winding.as_slice(),
        "base": wrench_json(&shape.wrench_on_base()),
        "tip": wrench_json(&shape.wrench_on_tip()),
        "error_estimate": { "position": error.position, "rotation": error.rotation },
        "distance_from_exact": { "position": distance.position, "rotation": distance.rotation },
        "history": shape.history,
    })
}

/// Section axes, moment first.
fn wrench_json(wrench: &Wrench) -> Json {
    json!({ "moment": wrench.moment.as_slice(), "force": wrench.force.as_slice() })
}

fn stability_json(stability: &Stability) -> Json {
    json!({
        "verdict": match stability.verdict {
            Verdict::Stable => "stable",
            Verdict::Neutral => "neutral",
            Verdict::Unstable => "unstable",
        },
        "conjugate_points": stability.conjugate_points,
        "fold_margin": stability.fold_margin,
    })
}
