//! The one screen that `run` and `demo` print: what the scene holds, how the work went, where the parts are.

use crate::solving::Solved;
use lissome::io::places;
use lissome::io::report::number;
use lissome::io::size::Size;
use lissome::io::{Summary, run_folder::robot};
use lissome::model::{Coordinate, FrameOf, Job, JointMotion, Mount, Scene};
use lissome::solve::{Recording, RodRecord};

/// Parts of each family that have a line; the others are counted.
const SHOWN: usize = 3;

/// Families of the scene and the size of its equations.
pub fn scene_line(scene: &Scene) -> String {
    let families = [
        (scene.rods.len(), "rod", "rods"),
        (scene.bodies.len(), "body", "bodies"),
        (scene.joints.len(), "joint", "joints"),
        (scene.cables.len(), "cable", "cables"),
        (scene.springs.len(), "spring", "springs"),
        (scene.loads.len() + scene.frame_loads.len(), "load", "loads"),
        (places::loops(scene), "loop", "loops"),
    ];
    let mut what: Vec<String> = families
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| format!("{n} {}", if n == 1 { one } else { many }))
        .collect();
    if scene.gravity.norm() > 0.0 {
        what.push("gravity".into());
    }
    let unknowns = || crate::solving::unknowns(scene).map_or(String::new(), |n| format!("{n} unknowns"));
    let model = match (&scene.job, scene.rods.len()) {
        (Job::Shape(_), _) => "shape from the poses of both ends".into(),
        (_, 1) if scene.bodies.is_empty() => Size::of(scene, 0).words(),
        _ => unknowns(),
    };
    format!("  scene    {:<36}  {model}", what.join(", ")).trim_end().to_owned()
}

/// How the work ended.
pub fn outcome_line(summary: &Summary<'_>, solved: &Solved) -> String {
    let outcome = &summary.recording.outcome;
    let time = number::with_unit(solved.elapsed.as_secs_f64(), "s");
    let how = match summary.status() {
        "converged" => "converged in",
        "fold" => "met a fold after",
        "limit" => "stopped by the limit after",
        "interrupted" => "interrupted after",
        _ => "not converged after",
    };
    let iterations = summary.iterations().count();
    let mut how = format!("{how} {iterations} iteration{}, {time}", if iterations == 1 { "" } else { "s" });
    if let Some((_, done)) = summary.reached() {
        how = format!("{done} of {} samples, {how}", summary.samples_asked());
    }
    let tip = match summary.recording.rods.as_slice() {
        [rod] => format!("tip {}   ", number::vector(rod.tip.position.as_slice(), "m")),
        _ => String::new(),
    };
    let stability = outcome.stability.map_or(String::new(), |s| {
        let word = if s.stable { "stable" } else { "unstable" };
        format!("{word} (smallest relative stiffness {})", number::significant(s.smallest_eigenvalue, 3))
    });
    let job = match summary.scene.job {
        Job::Shape(_) => "shape",
        Job::Path(_) => "path",
        _ => "statics",
    };
    format!("  {job:<8} {how:<36}  {tip}{stability}").trim_end().to_owned()
}

/// Bodies, joints that forces move, and cables at the end; how far bodies went along a path.
pub fn robot_lines(summary: &Summary<'_>) -> Vec<String> {
    if !summary.recording.modes.is_empty() {
        let all: Vec<String> =
            summary.recording.modes.iter().map(|mode| number::significant(mode.frequency, 6)).collect();
        return vec![format!("  modes    {} Hz", all.join(", "))];
    }
    let (scene, recording) = (summary.scene, summary.recording);
    let first = recording.path.first().map(|sample| &sample.answer);
    let travel = |index: usize| {
        let start = first.and_then(|first| first.bodies.get(index))?;
        Some((recording.bodies[index].pose.position - start.pose.position).norm())
    };
    // What moved most comes first; what the world holds is of no interest.
    let mut order: Vec<usize> = (0..recording.bodies.len()).filter(|index| !stands(scene, *index)).collect();
    order.sort_by(|a, b| travel(*b).unwrap_or(0.0).total_cmp(&travel(*a).unwrap_or(0.0)));
    let bodies = order.into_iter().map(|index| {
        let body = &recording.bodies[index];
        let moved = first.and_then(|first| first.bodies.get(index)).map_or(String::new(), |start| {
            let way = body.pose.position - start.pose.position;
            let turn = (start.pose.rotation.inverse() * body.pose.rotation).angle().to_degrees();
            format!("   moved {}, turned {}°", number::with_unit(way.norm(), "m"), number::significant(turn, 3))
        });
        format!("{} at {}{moved}", body.name, number::vector(body.pose.position.as_slice(), "m"))
    });
    let moves = |name: &str| {
        let joint = scene.joints.iter().find(|joint| joint.name == name);
        joint.is_some_and(|joint| joint.freedom() > 0 && !matches!(joint.motion, JointMotion::Driven { .. }))
    };
    let joints = recording.joints.iter().filter(|joint| moves(&joint.name)).map(|joint| {
        let kinds = scene.joints.iter().find(|other| other.name == joint.name).map(|joint| joint.kind.coordinates());
        let values: Vec<String> = robot::coordinates(scene, joint)
            .into_iter()
            .zip(kinds.unwrap_or_default())
            .map(|((name, value), (_, kind))| match kind {
                Coordinate::Angle => format!("{name} {}°", number::significant(value.to_degrees(), 4)),
                Coordinate::Distance => format!("{name} {}", number::length(value)),
            })
            .collect();
        format!("{} {}", joint.name, values.join(", "))
    });
    let cables = recording.cables.iter().map(|cable| {
        let tension = if cable.tension > 0.0 { number::with_unit(cable.tension, "N") } else { "slack".into() };
        format!("{} {tension}, {} long", cable.name, number::length(cable.length))
    });
    let mut lines = Vec::new();
    for (family, all) in [
        ("bodies", bodies.collect::<Vec<_>>()),
        ("joints", joints.collect::<Vec<_>>()),
        ("cables", cables.collect::<Vec<_>>()),
    ] {
        let more = all.len().saturating_sub(SHOWN);
        for (index, words) in all.into_iter().take(SHOWN).enumerate() {
            lines.push(format!("  {:<8} {words}", if index == 0 { family } else { "" }));
        }
        if more > 0 {
            lines.push(format!("           and {more} more"));
        }
    }
    lines
}

/// True if a body is part of the world.
fn stands(scene: &Scene, index: usize) -> bool {
    matches!(scene.bodies.get(index).map(|body| body.mount), Some(Mount::On(frame)) if frame.of == FrameOf::World)
}

/// What can be trusted, and how far.
pub fn checks(summary: &Summary<'_>) -> String {
    let recording = summary.recording;
    let energy = number::with_unit(recording.outcome.energy.elastic, "J");
    let residual = number::significant(recording.outcome.residual, 2);
    let finite = if finite(recording) { "all finite" } else { "NOT all finite" };
    let error = recording.rods.iter().map(RodRecord::discretisation_error).fold(0.0, f64::max);
    let advice = if error > COARSE { "; more spans would change the shape" } else { "" };
    let error = number::significant(error, 2);
    let gap = places::largest_gap(summary.scene, recording).map_or(String::new(), |gap| {
        let (position, rotation) = (number::significant(gap.position, 1), number::significant(gap.rotation, 1));
        format!("loops closed to {position} m and {rotation} rad, ")
    });
    format!(
        "residual {residual}, {gap}discretisation about {error} of the length{advice}, elastic energy {energy}, {finite}"
    )
}

fn finite(recording: &Recording) -> bool {
    let rods = recording.rods.iter().all(|rod| {
        rod.tip.is_finite()
            && rod.base_wrench.is_finite()
            && rod.samples.iter().all(|s| s.pose.is_finite() && s.strain.is_finite() && s.stress.is_finite())
    });
    rods && recording.bodies.iter().all(|body| body.pose.is_finite())
        && recording.cables.iter().all(|cable| cable.tension.is_finite() && cable.length.is_finite())
}

/// Above this estimated error a run says that its rods are divided too coarsely.
const COARSE: f64 = 1e-3;
