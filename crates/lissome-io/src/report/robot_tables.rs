//! The tables of bodies, joints, cables and of the samples of a path.

use super::connections::{coordinates, tension_words};
use super::contacts;
use super::sensitivity;
use super::springs;
use super::svg::escape;
use super::tables::{frame_words, table, titled};
use super::tendons;
use crate::number;
use crate::summary::Summary;
use lissome_model::{JointKind, JointMotion, Mount};

/// Rows of the table of samples; a longer path shows every so many.
const SHOWN_SAMPLES: usize = 101;

/// Bodies, joints, cables, tendons, springs and contacts; empty if the scene has none.
pub fn all(summary: &Summary<'_>) -> String {
    let threads = format!("{}{}", cables(summary), tendons::table(summary));
    let moves = sensitivity::tables(summary);
    let pressed = contacts::table(summary);
    format!("{}{}{threads}{}{pressed}{moves}", bodies(summary), joints(summary), springs::table(summary))
}

fn bodies(summary: &Summary<'_>) -> String {
    let scene = summary.scene;
    let rows: Vec<Vec<String>> = scene
        .bodies
        .iter()
        .zip(&summary.equilibrium.bodies)
        .map(|(body, record)| {
            let mount = match &body.mount {
                Mount::On(frame) => frame_words(scene, frame),
                Mount::Free(_) => "what is attached to it".into(),
            };
            let mass = match body.inertia.mass {
                0.0 => "–".into(),
                // Prefixes count from the gram.
                kilograms => number::with_unit(1e3 * kilograms, "g"),
            };
            let turn = record.pose.rotation.log().map(f64::to_degrees);
            let position = number::vector(record.pose.position.as_slice(), "m");
            vec![body.name.clone(), mount, mass, position, format!("{}°", rotation_words(turn.as_slice()))]
        })
        .collect();
    titled("Bodies", &["body", "carried by", "mass", "position", "rotation vector"], rows)
}

fn rotation_words(degrees: &[f64]) -> String {
    let parts: Vec<String> =
        degrees.iter().map(|x| format!("{x:.3}").replace("-0.000", "0.000").replace('-', "−")).collect();
    format!("({})", parts.join(", "))
}

fn joints(summary: &Summary<'_>) -> String {
    let scene = summary.scene;
    let rows: Vec<Vec<String>> = scene
        .joints
        .iter()
        .zip(&summary.equilibrium.joints)
        .map(|(joint, record)| {
            let values = coordinates(joint, record);
            let motion = match joint.motion {
                JointMotion::Free { .. } => "free",
                JointMotion::Driven { .. } => "driven",
                JointMotion::Actuated { .. } => "actuated",
            };
            let motion = if joint.kind == JointKind::Fixed { "" } else { motion };
            vec![
                joint.name.clone(),
                kind_word(&joint.kind).into(),
                frame_words(scene, &joint.parent),
                motion.into(),
                values.join(", "),
                number::vector(record.pose.position.as_slice(), "m"),
            ]
        })
        .collect();
    titled("Joints", &["joint", "kind", "sits on", "motion", "coordinates", "position"], rows)
}

fn kind_word(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Cylindrical { .. } => "cylindrical",
        JointKind::Universal { .. } => "universal",
        JointKind::Spherical => "spherical",
        JointKind::Planar { .. } => "planar",
        JointKind::Free => "free",
    }
}

fn cables(summary: &Summary<'_>) -> String {
    let rows: Vec<Vec<String>> = summary
        .scene
        .cables
        .iter()
        .zip(&summary.equilibrium.cables)
        .map(|(cable, record)| {
            let points: Vec<String> = cable.points.iter().map(|point| frame_words(summary.scene, point)).collect();
            let row =
                [cable.drive.name().into(), tension_words(record), number::length(record.length), points.join(" – ")];
            [vec![cable.name.clone()], row.to_vec()].concat()
        })
        .collect();
    titled("Cables", &["cable", "prescribed", "tension", "length", "through"], rows)
}

/// One row a sample, folded away.
pub fn samples(summary: &Summary<'_>) -> String {
    let path = &summary.path;
    if path.is_empty() {
        return String::new();
    }
    let mut head = vec!["parameter".to_owned()];
    let several = summary.branches.len() > 1;
    head.extend(several.then(|| "branch".to_owned()));
    head.extend(summary.scene.drives.iter().map(|drive| drive.path.clone()));
    head.extend(["iterations", "residual", "stable", "elastic energy"].map(str::to_owned));
    head.extend(path[0].equilibrium.bodies.iter().map(|body| body.name.clone()));
    let free_tips: Vec<usize> =
        (0..summary.scene.rods.len()).filter(|i| summary.scene.rods[*i].tip.is_none()).collect();
    head.extend(free_tips.iter().map(|i| format!("tip of {}", summary.scene.rods[*i].name)));
    let rows = path.iter().step_by(path.len().div_ceil(SHOWN_SAMPLES)).map(|sample| {
        let (answer, outcome) = (&sample.equilibrium, &sample.equilibrium.outcome);
        let mut row = vec![number::significant(sample.at, 4)];
        row.extend(several.then(|| sample.branch.to_string()));
        row.extend(sample.drives.iter().map(|value| number::significant(*value, 4)));
        row.push(outcome.iterations().to_string());
        row.push(number::significant(outcome.residual, 2));
        row.push(outcome.stability.map_or("–", |s| if s.stable { "yes" } else { "no" }).into());
        row.push(number::with_unit(outcome.energy.elastic, "J"));
        row.extend(answer.bodies.iter().map(|body| number::vector(body.pose.position.as_slice(), "m")));
        let tips = free_tips.iter().filter_map(|i| answer.rods.get(*i));
        row.extend(tips.map(|rod| number::vector(rod.tip.position.as_slice(), "m")));
        row
    });
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let table = table(&head, rows.collect());
    format!("<details><summary>{}</summary>{table}</details>", escape(&format!("The {} samples", path.len())))
}
