//! Natural modes and critical loads: a table of each, and one of the motions.

use crate::columns;
use crate::equilibrium_json::critical_kind;
use crate::summary::Summary;
use nalgebra::Vector3;
use std::fmt::Write as _;

/// Files of the modes or critical loads that the answer has, with their texts.
pub fn tables(summary: &Summary<'_>) -> Vec<(&'static str, String)> {
    let mut files = Vec::new();
    if !summary.modes.is_empty() {
        let mut out = "mode,frequency,growth,damping_ratio,error,word\n".to_owned();
        for (index, mode) in summary.modes.iter().enumerate() {
            let word = mode.word().unwrap_or("swings");
            // Writing to a String cannot fail.
            let numbers =
                [mode.frequency, mode.growth, mode.damping_ratio, mode.error].map(|x| format!("{x:?}")).join(",");
            let _ = writeln!(out, "{},{numbers},{word}", index + 1);
        }
        files.push(("modes.csv", out));
        let shapes = summary.modes.iter().map(|mode| &mode.rods);
        files.push(("mode_shapes.csv", shapes_csv(summary, "mode", shapes)));
    }
    if let Some(buckling) = summary.buckling {
        let mut out = "load,factor,kind,uncertainty,estimate\n".to_owned();
        for (index, load) in buckling.loads.iter().enumerate() {
            let kind = critical_kind(load.kind);
            let _ = writeln!(out, "{},{:?},{kind},{:?},{:?}", index + 1, load.factor, load.uncertainty, load.estimate);
        }
        files.push(("critical_loads.csv", out));
        let shapes = buckling.loads.iter().map(|load| &load.rods);
        files.push(("buckling_shapes.csv", shapes_csv(summary, "load", shapes)));
    }
    files
}

/// Files that [`tables`] may write.
pub const FILES: [&str; 4] = ["modes.csv", "mode_shapes.csv", "critical_loads.csv", "buckling_shapes.csv"];

/// Displacements at evenly spaced places of the rods, one motion after the other.
fn shapes_csv<'a>(
    summary: &Summary<'_>,
    head: &str,
    shapes: impl Iterator<Item = &'a Vec<Vec<Vector3<f64>>>>,
) -> String {
    let mut out = columns::header(&format!("{head},rod,s"), &["displacement"]) + "\n";
    for (index, rods) in shapes.enumerate() {
        for (rod, way) in summary.scene.rods.iter().zip(rods) {
            let last = way.len().saturating_sub(1).max(1) as f64;
            for (k, d) in way.iter().enumerate() {
                let s = rod.length * k as f64 / last;
                let _ = writeln!(out, "{},{},{s:?},{:?},{:?},{:?}", index + 1, rod.name, d.x, d.y, d.z);
            }
        }
    }
    out
}
