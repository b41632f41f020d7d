//! What a motion can be turned into: tables, arrays, pictures, an animation.

use super::{Format, glb, vtk};
use crate::columns;
use crate::diagnostic::Diagnostic;
use crate::report;
use crate::run_folder::motion::columns::{Columns, visit};
use crate::run_folder::motion::{StoredMotion, read};
use crate::run_folder::npz;
use lissome_model::Scene;
use lissome_solve::{MotionFrame, MotionRecord};
use std::fmt::Write as _;
use std::path::Path;

/// An animation shows this many states a second, or this many in all if that is more.
const STATES_PER_SECOND: f64 = 60.0;
const STATES: usize = 600;

/// Files of a motion: names and contents.
pub fn files(run: &Path, formats: &[Format]) -> Result<Vec<(String, Vec<u8>)>, Vec<Diagnostic>> {
    let stored = read(run)?;
    let scene = &stored.loaded.scene;
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for format in formats {
        match format {
            Format::Csv => {
                files.push(("motion.csv".into(), motion_csv(scene, &stored.frames).into_bytes()));
                files.push(("motion_shapes.csv".into(), shapes_csv(scene, &stored.frames).into_bytes()));
            }
            Format::Npz => files.push(("motion.npz".into(), archive(&stored)?)),
            Format::Svg => {
                let mut record = MotionRecord::of(scene);
                stored.frames.iter().for_each(|frame| record.push(frame));
                for picture in report::motion::pictures(scene, &record) {
                    files.push((format!("{}.svg", picture.name), picture.svg.standalone().into_bytes()));
                }
            }
            Format::Glb => files.push(("motion.glb".into(), glb::bytes(scene, &thinned(&stored.frames)))),
            Format::Vtk => files.extend(series(scene, "motion", &thinned(&stored.frames))),
        }
    }
    Ok(files)
}

/// A ParaView series: the list of states, and a file each.
pub(super) fn series(scene: &Scene, name: &str, frames: &[&MotionFrame]) -> Vec<(String, Vec<u8>)> {
    let mut files = vec![(format!("{name}.pvd"), vtk::collection(name, frames).into_bytes())];
    for (i, frame) in frames.iter().enumerate() {
        files.push((vtk::frame_name(name, i), vtk::frame(scene, frames[0], frame).into_bytes()));
    }
    files
}

fn archive(stored: &StoredMotion) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut columns = Columns::default();
    stored.frames.iter().for_each(|frame| columns.push(&stored.loaded.scene, frame));
    let mut bytes = Vec::new();
    npz::write(&mut bytes, columns.arrays()).map_err(|error| super::cannot(Path::new("motion.npz"), &error))?;
    Ok(bytes)
}

/// Every so many frames, so that an animation is neither jerky nor huge.
pub(super) fn thinned(frames: &[MotionFrame]) -> Vec<&MotionFrame> {
    let duration = frames.last().map_or(0.0, |last| last.time - frames[0].time);
    let wanted = ((STATES_PER_SECOND * duration).ceil() as usize).max(STATES);
    frames.iter().step_by(frames.len().div_ceil(wanted).max(1)).collect()
}

/// A line a state: everything but the shapes, of which the two ends of each rod are taken.
pub(super) fn motion_csv(scene: &Scene, frames: &[MotionFrame]) -> String {
    let mut out = String::new();
    for (index, frame) in frames.iter().enumerate() {
        let (mut names, mut numbers): (Vec<String>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut add = |part: &str, field: &str, values: &[f64]| {
            if index == 0 {
                match values.len() {
                    1 => names.push(columns::array(part, field)),
                    _ => names.extend(columns::columns(part, field)),
                }
            }
            numbers.extend_from_slice(values);
        };
        visit(scene, frame, &mut |name, shape, values| match (name.rsplit_once('.'), shape) {
            // The points of a cable belong to its shape.
            (Some((_, "points")), _) => {}
            (Some((rod, field)), [stations, width]) if *stations > 0 => {
                add(&columns::array(rod, "base"), field, &values[..*width]);
                add(&columns::array(rod, "tip"), field, &values[(stations - 1) * width..]);
            }
            _ => add("", &name, &values),
        });
        if index == 0 {
            out = names.join(",") + "\n";
        }
        push_line(&mut out, "", &numbers);
    }
    out
}

/// A line a station and state.
fn shapes_csv(scene: &Scene, frames: &[MotionFrame]) -> String {
    let fields = ["time", "s", "position", columns::QUATERNION, "velocity", "angular_velocity", "moment", "force"];
    let mut out = columns::header("rod", &fields) + "\n";
    for frame in frames {
        for (rod, at) in scene.rods.iter().zip(&frame.rods) {
            let last = at.poses.len().saturating_sub(1).max(1) as f64;
            let places = at.poses.iter().zip(&at.velocities).zip(&at.stress);
            for (k, ((pose, velocity), stress)) in places.enumerate() {
                let mut row = vec![frame.time, rod.length * k as f64 / last];
                row.extend(pose.position.iter());
                row.extend(pose.rotation.quat_wxyz());
                row.extend(velocity.linear.iter().chain(velocity.angular.iter()));
                row.extend(stress.moment.iter().chain(stress.force.iter()));
                push_line(&mut out, &rod.name, &row);
            }
        }
    }
    out
}

fn push_line(out: &mut String, name: &str, numbers: &[f64]) {
    out.push_str(name);
    for (i, number) in numbers.iter().enumerate() {
        let comma = if i == 0 && name.is_empty() { "" } else { "," };
        // The shortest text that reads back to the same bits; writing to a String cannot fail.
        let _ = write!(out, "{comma}{number:?}");
    }
    out.push('\n');
}
