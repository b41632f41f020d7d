//! The view that a page opens with: the robot in three dimensions, which turns, zooms and plays. Here are its numbers; the
//! script that shows them is beside it.
//!
//! A page holds no more than fits (`thinning`): some frames of the run, some stations of every rod, in few bytes (`pack`).
//! Names go into the page as JSON inside a block that no browser runs, with every `<` written as an escape.

mod arrows;
mod pack;
mod rods;
pub mod sequence;
mod solids;
#[cfg(test)]
mod tests;
mod thinning;

use super::plane::Plane;
use super::{modes, undeformed};
use crate::summary::Summary;
use lissome_model::Scene;
use lissome_solve::MotionFrame;
use nalgebra::Vector3;
pub use pack::base64;
use sequence::{Axis, Sequence};
use serde_json::{Value as Json, json};
pub use thinning::evenly;
use thinning::{Parts, Thinning};

/// What runs on the page: one script in three files.
const SCRIPT: [&str; 3] =
    [include_str!("../script/scene.js"), include_str!("../script/painter.js"), include_str!("../script/page.js")];

/// Stations of a rod, if they fit.
const MOST_STATIONS: usize = 49;
/// The robot is flat where it reaches less than this part of its size.
const FLAT: f64 = 0.1;
/// Unstressed rods that are shown in grey, and points of each.
const GHOSTS: usize = 40;
const GHOST_POINTS: usize = 41;

/// The script of every page.
pub fn script() -> String {
    format!("(function () {{\n'use strict';\n{}}})();\n", SCRIPT.concat())
}

/// The view of equilibria; empty if there is nothing to show.
pub fn of_summary(summary: &Summary<'_>) -> String {
    let scene = summary.scene;
    let frame = crate::still_frame::of_equilibrium(scene, summary.equilibrium);
    let frames = summary.path.len().max(1);
    let thinning = Thinning::of(frames, parts(scene, &frame));
    let sequence = if !summary.shapes.is_empty() {
        Sequence::of_shapes(scene, summary.shapes)
    } else if !summary.modes.is_empty() {
        Sequence::of_modes(summary)
    } else if summary.buckling.is_some_and(|buckling| !buckling.loads.is_empty()) {
        Sequence::of_buckling(summary)
    } else if summary.path.len() > 1 {
        Sequence::of_path(summary, thinning.frames)
    } else {
        Sequence::of_equilibrium(scene, summary.equilibrium)
    };
    block(scene, &sequence)
}

/// The view of a motion; empty if there is nothing to show.
pub fn of_motion(scene: &Scene, frames: &[MotionFrame]) -> String {
    let Some(first) = frames.first() else { return String::new() };
    let thinning = Thinning::of(frames.len(), parts(scene, first));
    block(scene, &Sequence::of_motion(frames, thinning.frames))
}

fn parts(scene: &Scene, frame: &MotionFrame) -> Parts {
    Parts { rods: scene.rods.len(), points: solids::thread_count(scene, frame), solids: solids::count(scene) }
}

/// The element that the script fills, hidden until it runs, and its numbers.
fn block(scene: &Scene, sequence: &Sequence) -> String {
    let Some(json) = numbers(scene, sequence) else { return String::new() };
    // Nothing in a block of data may look like its end.
    let text = json.to_string().replace('<', "\\u003c");
    format!(
        "<section id=\"stage\" class=\"stage\" hidden></section>\
         <script type=\"application/json\" id=\"stage-numbers\">{text}</script>"
    )
}

/// All numbers of the view; `None` if there is nothing to show.
fn numbers(scene: &Scene, sequence: &Sequence) -> Option<Json> {
    let first = sequence.frames.first()?;
    let (low, high) = bounds(scene, &sequence.frames)?;
    // A body without extent is a point, and something must be seen of it.
    let size = Some((high - low).amax()).filter(|size| *size > 0.0).unwrap_or(1.0);
    let thinning = Thinning::of_all(sequence.frames.len(), parts(scene, first), MOST_STATIONS);
    let view = view(sequence, &(high - low));
    let (rods, fields) = rods::json(scene, sequence, &thinning, size);
    let (arrows, ends) = arrows::json(scene, sequence, size);
    let (low, high) = ends.iter().fold((low, high), |(low, high), end| (low.inf(end), high.sup(end)));
    let (meshes, solids) = solids::json(scene, sequence, size);
    let groups: Vec<Json> = sequence
        .groups
        .iter()
        .map(|group| {
            json!({
                "name": group.name, "from": group.from, "count": group.count, "cycle": group.cycle,
                "seconds": group.seconds,
            })
        })
        .collect();
    let hidden = scene.rods.len().saturating_sub(thinning.rods);
    let note = if hidden > 0 { format!("{hidden} more rods are not shown") } else { String::new() };
    Some(json!({
        "axis": sequence.axis.name(),
        "x": sequence.frames.iter().map(|frame| frame.time).collect::<Vec<_>>(),
        "samples": sequence.samples, "labels": sequence.labels, "groups": groups,
        "low": [low.x, low.y, low.z], "high": [high.x, high.y, high.z], "size": size, "view": view,
        "rods": rods, "fields": fields, "meshes": meshes, "solids": solids,
        "threads": solids::threads(scene, sequence), "arrows": arrows,
        "ghosts": ghosts(scene, sequence), "note": note,
    }))
}

/// The box around the robot in all frames; `None` without any point.
fn bounds(scene: &Scene, frames: &[MotionFrame]) -> Option<(Vector3<f64>, Vector3<f64>)> {
    // How far the solids of a body reach from its origin.
    let reach = |body: usize| {
        let solids = scene.bodies.get(body).map_or(&[][..], |body| &body.solids);
        let of = |solid: &lissome_model::Solid| {
            let half = match solid.outline {
                lissome_model::Outline::Box { size } => 0.5 * size.norm(),
                lissome_model::Outline::Cylinder { radius, length } => radius.hypot(0.5 * length),
                lissome_model::Outline::Sphere { radius } => radius,
            };
            solid.pose.position.norm() + half
        };
        solids.iter().map(of).fold(0.0, f64::max)
    };
    let thick = |rod: usize| scene.rods.get(rod).map_or(0.0, |rod| rod.profile.at(0.0).outer_radius());
    let balls = frames.iter().flat_map(|frame| {
        let rods = frame.rods.iter().enumerate();
        let rods = rods.flat_map(|(i, rod)| rod.poses.iter().map(move |pose| (pose.position, thick(i))));
        let bodies = frame.bodies.iter().enumerate().map(|(i, pose)| (pose.position, reach(i)));
        let threads = frame.cables.iter().chain(&frame.tendons);
        rods.chain(bodies).chain(threads.flat_map(|thread| thread.points.iter().map(|p| (*p, 0.0))))
    });
    let boxes = balls.map(|(p, r)| (p.add_scalar(-r), p.add_scalar(r)));
    boxes.reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)))
}

/// Where the reader stands at first: degrees from the x axis about z, and above the horizon.
fn view(sequence: &Sequence, extent: &Vector3<f64>) -> [f64; 2] {
    let oblique = [-62.0, 22.0];
    if let Some((rest, ways)) = sequence.swings.first() {
        return match modes::best_plane(rest, ways) {
            Plane::Side => [-80.0, 10.0],
            Plane::Front => [10.0, 10.0],
            Plane::Top => [-80.0, 65.0],
            Plane::Oblique => oblique,
        };
    }
    let flat = |axis: usize| extent[axis] < FLAT * extent.amax();
    match (flat(0), flat(1), flat(2)) {
        (false, true, false) => [-75.0, 14.0],
        (true, false, false) => [15.0, 14.0],
        (false, false, true) => [-75.0, 55.0],
        _ => oblique,
    }
}

/// The unstressed rods behind a single equilibrium.
fn ghosts(scene: &Scene, sequence: &Sequence) -> Vec<String> {
    if sequence.axis != Axis::Still {
        return Vec::new();
    }
    let alone = scene.rods.iter().filter(|rod| rod.tubes.is_none()).take(GHOSTS);
    let lines = alone.map(undeformed::poses).filter(|poses| !poses.is_empty());
    lines
        .map(|poses| {
            let chosen = thinning::evenly(poses.len(), GHOST_POINTS);
            let points: Vec<Vector3<f64>> = chosen.into_iter().map(|i| poses[i].1.position).collect();
            pack::vectors(points.iter())
        })
        .collect()
}
