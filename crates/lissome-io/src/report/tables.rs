//! The tables of the page: facts of the solve, rods, loads.

use super::svg::escape;
use crate::equilibrium_json::stability_words;
use crate::number;
use crate::places;
use crate::size::Size;
use crate::summary::Summary;
use lissome_model::{Frame, FrameLoadKind, FrameOf, LoadFrame, LoadKind, NaturalShape, Scene, Section, Shape};

/// The elastic energy; zero where it is rounding beside what it takes to bend a rod by a radian.
fn elastic(summary: &Summary<'_>) -> f64 {
    const ROUNDING: f64 = 1e-24;
    let bend = |rod: &lissome_model::Rod| {
        let stiffness = rod.profile.at(0.0).stiffness();
        stiffness[(1, 1)].max(stiffness[(2, 2)]) / rod.length
    };
    let energy = summary.equilibrium.outcome.energy.elastic;
    let beside = summary.scene.rods.iter().map(bend).fold(0.0, f64::max);
    if energy.abs() < ROUNDING * beside { 0.0 } else { energy }
}

/// The row of facts under the title.
pub fn facts(summary: &Summary<'_>) -> String {
    let outcome = &summary.equilibrium.outcome;
    let iterations = summary.iterations().count().to_string();
    let path = &summary.path;
    let mut facts = match summary.reached() {
        None => vec![
            (iterations, "Newton iterations".to_owned()),
            (outcome.load_steps.to_string(), "load steps".to_owned()),
        ],
        Some((at, done)) => {
            let most = path.iter().map(|sample| sample.equilibrium.outcome.iterations()).max().unwrap_or(0);
            vec![
                (format!("{done} of {}", summary.samples_asked()), "samples with an equilibrium".to_owned()),
                (number::significant(at, 4), "parameter reached".to_owned()),
                (iterations, format!("Newton iterations, at most {most} a sample")),
            ]
        }
    };
    if let Some(method) = summary.equilibrium.method {
        facts.push((method.name().to_owned(), "method".to_owned()));
    }
    facts.push((number::significant(outcome.residual, 2), "scaled residual".to_owned()));
    facts.push((number::with_unit(elastic(summary), "J"), "elastic energy".to_owned()));
    if let Some(gap) = places::largest_gap(summary.scene, summary.equilibrium) {
        let open = format!("{} m", number::significant(gap.position, 2));
        let loops = match places::loops(summary.scene) {
            1 => "one loop".into(),
            n => format!("{n} loops"),
        };
        facts.push((open, format!("largest gap of {loops}")));
    }
    if let Some(stability) = outcome.stability {
        let word = match path.iter().find(|sample| sample.equilibrium.is_stable() == Some(false)) {
            Some(_) => "unstable".into(),
            None => stability_words(summary.equilibrium).unwrap_or_default(),
        };
        let eigenvalue = number::significant(stability.smallest_eigenvalue, 3);
        facts.push((word, format!("smallest relative stiffness {eigenvalue}")));
    } else if let Some(words) = stability_words(summary.equilibrium) {
        facts.push(("not examined".to_owned(), words));
    }
    if let [rod] = summary.equilibrium.rods.as_slice() {
        facts.push((number::vector(rod.tip.position.as_slice(), "m"), format!("tip of {}", rod.name)));
    }
    cells(&facts)
}

/// Values in large type, each above its name.
pub(super) fn cells(facts: &[(String, String)]) -> String {
    let cells: String = facts
        .iter()
        .map(|(value, name)| format!("<div class=\"fact\"><b>{}</b><span>{}</span></div>", escape(value), escape(name)))
        .collect();
    format!("<div class=\"facts\">{cells}</div>")
}

/// A vector, or a dash for none at all.
pub(super) fn vector_or_dash(v: &[f64], unit: &str) -> String {
    if v.iter().all(|x| *x == 0.0) { "–".into() } else { number::vector(v, unit) }
}

/// A table under a heading; nothing without rows.
pub(super) fn titled(title: &str, head: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() { String::new() } else { format!("<h2>{title}</h2>{}", table(head, rows)) }
}

/// Rows of text under a head.
pub(super) fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let head: String = head.iter().map(|h| format!("<th>{}</th>", escape(h))).collect();
    let rows: String = rows
        .iter()
        .map(|row| format!("<tr>{}</tr>", row.iter().map(|c| format!("<td>{}</td>", escape(c))).collect::<String>()))
        .collect();
    format!("<div class=\"card\"><table><tr>{head}</tr>{rows}</table></div>")
}

/// What each rod is, and where it ended.
pub fn rods(summary: &Summary<'_>) -> String {
    let rows = summary
        .scene
        .rods
        .iter()
        .enumerate()
        .map(|(index, rod)| {
            let record = summary.equilibrium.rods.iter().find(|r| r.name == rod.name);
            let wrench = record.map(|r| r.base_wrench);
            let at_tip = record.filter(|_| rod.tip.is_some()).map(|r| r.tip_wrench);
            vec![
                rod.name.clone(),
                number::length(rod.length),
                section_words(&rod.profile.at(0.0), rod.profile.stations.len()),
                natural_words(&rod.natural).into(),
                Size::of(summary.scene, index).words(),
                record.map_or("–".into(), |r| number::vector(r.tip.position.as_slice(), "m")),
                wrench.map_or("–".into(), |w| number::vector(w.force.as_slice(), "N")),
                wrench.map_or("–".into(), |w| number::vector(w.moment.as_slice(), "N·m")),
                at_tip.map_or("–".into(), |w| number::vector(w.force.as_slice(), "N")),
                at_tip.map_or("–".into(), |w| number::vector(w.moment.as_slice(), "N·m")),
            ]
        })
        .collect();
    let head = [
        "rod",
        "length",
        "section",
        "unstressed",
        "model",
        "tip",
        "force on base",
        "moment on base",
        "force on tip",
        "moment on tip",
    ];
    // Only a rod that is held there exerts anything at its tip.
    let columns = if summary.scene.rods.iter().any(|rod| rod.tip.is_some()) { head.len() } else { head.len() - 2 };
    let rows: Vec<Vec<String>> = rows;
    table(&head[..columns], rows.into_iter().map(|row| row[..columns].to_vec()).collect())
}

/// What acts on the rods; empty if nothing does.
pub fn loads(scene: &Scene) -> String {
    let mut rows: Vec<Vec<String>> = scene
        .loads
        .iter()
        .map(|load| {
            let rod = scene.rods.get(load.rod);
            let (place, force, moment) = match load.kind {
                LoadKind::Point { at, wrench } => (
                    number::length(at),
                    vector_or_dash(wrench.force.as_slice(), "N"),
                    vector_or_dash(wrench.moment.as_slice(), "N·m"),
                ),
                LoadKind::Distributed { from, to, per_length } => (
                    format!("{} to {}", number::length(from), number::length(to)),
                    vector_or_dash(per_length.force.as_slice(), "N/m"),
                    vector_or_dash(per_length.moment.as_slice(), "N"),
                ),
            };
            vec![
                load.name.clone(),
                rod.map_or(String::new(), |r| r.name.clone()),
                place,
                force,
                moment,
                frame_of(load.frame).into(),
            ]
        })
        .collect();
    rows.extend(scene.frame_loads.iter().map(|load| {
        let on = frame_words(scene, &load.on);
        let (force, moment, how) = match load.kind {
            FrameLoadKind::Wrench { axes, wrench } => (
                vector_or_dash(wrench.force.as_slice(), "N"),
                vector_or_dash(wrench.moment.as_slice(), "N·m"),
                frame_of(axes).into(),
            ),
            FrameLoadKind::Toward { point, size } => {
                let toward = format!("toward {}", number::vector(point.as_slice(), "m"));
                (number::with_unit(size, "N"), "–".into(), toward)
            }
        };
        vec![load.name.clone(), on, String::new(), force, moment, how]
    }));
    if scene.gravity.norm() > 0.0 {
        let gravity = number::vector(scene.gravity.as_slice(), "m/s²");
        rows.push(vec!["gravity".into(), "all".into(), "everywhere".into(), gravity, String::new(), String::new()]);
    }
    if rows.is_empty() {
        return String::new();
    }
    format!("<h2>Loads</h2>{}", table(&["load", "on", "at", "force", "moment", "frame"], rows))
}

/// What carries a frame, such as `arm at 120 mm`.
pub(super) fn frame_words(scene: &Scene, frame: &Frame) -> String {
    match frame.of {
        FrameOf::World => "world".into(),
        FrameOf::Body(index) => scene.bodies.get(index).map_or(String::new(), |body| body.name.clone()),
        FrameOf::Joint(index) => scene.joints.get(index).map_or(String::new(), |joint| joint.name.clone()),
        FrameOf::Rod { rod, s } => {
            scene.rods.get(rod).map_or(String::new(), |rod| format!("{} at {}", rod.name, number::length(s)))
        }
    }
}

fn frame_of(axes: LoadFrame) -> &'static str {
    match axes {
        LoadFrame::World => "keeps its direction",
        LoadFrame::Body => "turns with what it acts on",
    }
}

fn section_words(section: &Section, stations: usize) -> String {
    let words = match section {
        Section::Given { radius: 0.0, .. } => "given stiffness".into(),
        Section::Given { radius, .. } => format!("given stiffness, radius {}", number::length(*radius)),
        Section::Layers { layers, .. } => {
            let core = layers.first().map_or(String::new(), |layer| match layer.shape {
                Shape::Circle { radius } => format!("circle, radius {}", number::length(radius)),
                Shape::Annulus { inner, outer } => {
                    format!("annulus, {} to {}", number::length(inner), number::length(outer))
                }
                Shape::Rectangle { width, height } => {
                    format!("rectangle, {} × {}", number::length(width), number::length(height))
                }
            });
            if layers.len() > 1 { format!("{core}, in a sheath") } else { core }
        }
    };
    if stations > 1 { format!("{words} at the base, varies") } else { words }
}

fn natural_words(natural: &NaturalShape) -> &'static str {
    match natural {
        NaturalShape::Straight => "straight",
        NaturalShape::Curvature(table) if table.len() == 1 => "curved evenly",
        NaturalShape::Curvature(_) => "curved by a table",
        NaturalShape::ControlPoses(_) => "drawn by control poses",
    }
}
