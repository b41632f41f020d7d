//! The one screen that `run` and `demo` print: what the scene holds, how the work went, where the parts are.

mod branches;
pub mod fit;
pub mod motion;
mod optimum;
mod shapes;
mod targets;
mod vibration;

use lissome::io::equilibrium_json::stability_words;
use lissome::io::size::Size;
use lissome::io::summary::coordinates;
use lissome::io::{Summary, number, places};
use lissome::mech::System;
use lissome::model::{Coordinate, FrameOf, Job, JointMotion, Mount, Resolution, Rod, Scene};
use lissome::solve::{ContactRecord, Equilibrium};

/// Parts of each family that have a line; the others are counted.
const SHOWN: usize = 3;

/// Families of the scene and the size of its equations.
pub fn scene_line(scene: &Scene) -> String {
    let families = [
        (scene.rods.len(), "rod", "rods"),
        (scene.bodies.len(), "body", "bodies"),
        (scene.joints.len(), "joint", "joints"),
        (scene.cables.len(), "cable", "cables"),
        (scene.tendons.len(), "tendon", "tendons"),
        (scene.springs.len(), "spring", "springs"),
        (scene.obstacles.len(), "obstacle", "obstacles"),
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
    let unknowns = || unknowns(scene).map_or(String::new(), |n| format!("{n} unknowns"));
    let model = match (&scene.job, scene.rods.len()) {
        (Job::Shape(_), _) => "shape from the poses of both ends".into(),
        (_, 1) if scene.bodies.is_empty() => Size::of(scene, 0).words(),
        _ => unknowns(),
    };
    format!("  scene    {:<36}  {model}", what.join(", ")).trim_end().to_owned()
}

/// Beyond so many control poses the number of unknowns is an estimate.
const COUNTED_POSES: usize = 20_000;

/// Scalar unknowns of a scene's equations; `None` if a tolerance decides, or if there are none to solve.
pub fn unknowns(scene: &Scene) -> Option<usize> {
    let open = |rod: &Rod| matches!(rod.discretization.resolution(), Resolution::Tolerance(_));
    if scene.rods.iter().any(open) || matches!(scene.job, Job::Shape(_)) {
        return None;
    }
    // A large scene is not made to be counted: each control pose has six unknowns, and each stress between two of them.
    let sizes = Size::of_all(scene);
    let poses: usize = sizes.iter().filter_map(|size| size.control_poses).sum();
    if poses > COUNTED_POSES {
        return Some(12 * poses);
    }
    System::compile(scene).ok().map(|system| system.unknowns())
}

/// How the work ended, and where the parts are.
pub fn lines(summary: &Summary<'_>, seconds: f64) -> Vec<String> {
    let mut lines = vec![outcome_line(summary, seconds)];
    lines.extend(shapes::lines(summary.shapes));
    lines.extend(branches::lines(summary));
    lines.extend(targets::lines(summary));
    lines.extend(optimum::lines(summary));
    lines.extend(robot_lines(summary));
    lines
}

/// How the work ended.
fn outcome_line(summary: &Summary<'_>, seconds: f64) -> String {
    let outcome = &summary.equilibrium.outcome;
    let time = number::with_unit(seconds, "s");
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
        how = match summary.branches.len() {
            0 => format!("{done} of {} samples, {how}", summary.samples_asked()),
            1 => format!("{done} points on one branch, {how}"),
            n => format!("{done} points on {n} branches, {how}"),
        };
    }
    let tip = match summary.equilibrium.rods.as_slice() {
        [rod] => format!("tip {}   ", number::vector(rod.tip.position.as_slice(), "m")),
        _ => String::new(),
    };
    let word = stability_words(summary.equilibrium).unwrap_or_default();
    let stability = match outcome.stability {
        // Of a neutral one it is what rounding leaves of zero.
        Some(s) if s.is_neutral() || s.smallest_eigenvalue.is_nan() => word,
        Some(s) => format!("{word} (smallest relative stiffness {})", number::significant(s.smallest_eigenvalue, 3)),
        None => word,
    };
    let job = match summary.scene.job {
        Job::Shape(_) => "shape",
        Job::Path(_) => "path",
        Job::FoldCurve(_) => "folds",
        Job::Inverse(_) => "inverse",
        Job::Optimise(_) => "optimise",
        Job::Statics(_) | Job::Dynamics(_) | Job::Modes(_) | Job::Buckling(_) => "statics",
    };
    format!("  {job:<8} {how:<36}  {tip}{stability}").trim_end().to_owned()
}

/// Bodies, joints that forces move, and cables at the end; how far bodies went along a path.
fn robot_lines(summary: &Summary<'_>) -> Vec<String> {
    if !summary.modes.is_empty() {
        return vibration::modes(summary.modes);
    }
    if let Some(buckling) = summary.buckling {
        return vibration::critical_loads(buckling);
    }
    let (scene, equilibrium) = (summary.scene, summary.equilibrium);
    let first = summary.path.first().map(|sample| &sample.equilibrium);
    let travel = |index: usize| {
        let start = first.and_then(|first| first.bodies.get(index))?;
        Some((equilibrium.bodies[index].pose.position - start.pose.position).norm())
    };
    // What moved most comes first; what the world holds is of no interest.
    let mut order: Vec<usize> = (0..equilibrium.bodies.len()).filter(|index| !stands(scene, *index)).collect();
    order.sort_by(|a, b| travel(*b).unwrap_or(0.0).total_cmp(&travel(*a).unwrap_or(0.0)));
    let bodies = order.into_iter().map(|index| {
        let body = &equilibrium.bodies[index];
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
    let joints = equilibrium.joints.iter().filter(|joint| moves(&joint.name)).map(|joint| {
        let kinds = scene.joints.iter().find(|other| other.name == joint.name).map(|joint| joint.kind.coordinates());
        let values: Vec<String> = coordinates(scene, joint)
            .into_iter()
            .zip(kinds.unwrap_or_default())
            .map(|((name, value), (_, kind))| match kind {
                Coordinate::Angle => format!("{name} {}°", number::significant(value.to_degrees(), 4)),
                Coordinate::Distance => format!("{name} {}", number::length(value)),
            })
            .collect();
        format!("{} {}", joint.name, values.join(", "))
    });
    let cables = equilibrium.cables.iter().map(|cable| {
        let tension = if cable.tension > 0.0 { number::with_unit(cable.tension, "N") } else { "slack".into() };
        format!("{} {tension}, {} long", cable.name, number::length(cable.length))
    });
    let tendons = equilibrium.tendons.iter().map(|tendon| {
        let tension = if tendon.tension > 0.0 { number::with_unit(tendon.tension, "N") } else { "slack".into() };
        format!("{} {tension}, {} long", tendon.name, number::length(tendon.length))
    });
    let mut lines = Vec::new();
    for (family, all) in [
        ("bodies", bodies.collect::<Vec<_>>()),
        ("joints", joints.collect::<Vec<_>>()),
        ("cables", cables.collect::<Vec<_>>()),
        ("tendons", tendons.collect::<Vec<_>>()),
        ("contacts", contacts_words(&equilibrium.contacts)),
    ] {
        lines.extend(family_lines(family, all));
    }
    lines
}

/// A line for each of the first parts of a family.
fn family_lines(family: &str, all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(SHOWN);
    let mut lines = Vec::new();
    for (index, words) in all.into_iter().take(SHOWN).enumerate() {
        lines.push(format!("  {:<8} {words}", if index == 0 { family } else { "" }));
    }
    if more > 0 {
        lines.push(format!("           and {more} more"));
    }
    lines
}

/// What is said of each pair; what presses comes first.
fn contacts_words(records: &[ContactRecord]) -> Vec<String> {
    let mut pairs: Vec<&ContactRecord> = records.iter().collect();
    pairs.sort_by_key(|pair| pair.contact.points.is_empty());
    pairs.into_iter().map(contact_words).collect()
}

/// What presses between a part and an obstacle, or how far apart they are.
fn contact_words(record: &ContactRecord) -> String {
    let ContactRecord { part, obstacle, contact } = record;
    let gap = match contact.least_gap.is_nan() {
        true => "none of it beside the other".into(),
        false => format!("least gap {}", number::length(contact.least_gap)),
    };
    let touching = match contact.points.len() {
        0 => return format!("{part} – {obstacle} apart, {gap}"),
        1 => "1 point".into(),
        n => format!("{n} points"),
    };
    let force = number::vector(contact.force().as_slice(), "N");
    format!("{part} – {obstacle} touch at {touching}, force {force}, {gap}")
}

/// True if a body is part of the world.
fn stands(scene: &Scene, index: usize) -> bool {
    matches!(scene.bodies.get(index).map(|body| body.mount), Some(Mount::On(frame)) if frame.of == FrameOf::World)
}

/// What can be trusted, and how far.
pub fn checks(summary: &Summary<'_>) -> String {
    let equilibrium = summary.equilibrium;
    let energy = number::with_unit(equilibrium.outcome.energy.elastic, "J");
    let residual = number::significant(equilibrium.outcome.residual, 2);
    let finite = if finite(equilibrium) { "all finite" } else { "NOT all finite" };
    // A rod without an estimate has its own warning.
    let errors = equilibrium.rods.iter().map(|rod| rod.discretisation_error).filter(|error| !error.is_nan());
    let error = number::significant(errors.fold(0.0, f64::max), 2);
    let gap = places::largest_gap(summary.scene, equilibrium).map_or(String::new(), |gap| {
        let (position, rotation) = (number::significant(gap.position, 1), number::significant(gap.rotation, 1));
        format!("loops closed to {position} m and {rotation} rad, ")
    });
    let trust = match equilibrium.method {
        Some(method) => format!("by the {} method", method.name()),
        None => format!("discretisation about {error} of the length"),
    };
    format!("residual {residual}, {gap}{trust}, elastic energy {energy}, {finite}")
}

/// True if every number of an equilibrium that is written down is one.
fn finite(equilibrium: &Equilibrium) -> bool {
    let rods = equilibrium.rods.iter().all(|rod| {
        rod.tip.is_finite()
            && rod.base_wrench.is_finite()
            && rod.tip_wrench.is_finite()
            && rod.samples.iter().all(|s| s.pose.is_finite() && s.strain.is_finite() && s.stress.is_finite())
    });
    let lines = equilibrium.cables.iter().map(|cable| (cable.tension, cable.length));
    let lines = lines.chain(equilibrium.tendons.iter().map(|tendon| (tendon.tension, tendon.length)));
    let outcome = &equilibrium.outcome;
    rods && equilibrium.bodies.iter().all(|body| body.pose.is_finite())
        && equilibrium.joints.iter().flat_map(|joint| &joint.values).all(|value| value.is_finite())
        && lines
            .chain(equilibrium.springs.iter().map(|spring| (spring.pull, spring.length)))
            .all(|(a, b)| (a + b).is_finite())
        && (outcome.energy.elastic + outcome.energy.gravity + outcome.energy.loads + outcome.residual).is_finite()
}
