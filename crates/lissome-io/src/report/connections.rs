//! Joints as small symbols and cables as thin lines.

use super::plane::Plane;
use super::svg::{Anchor, Point, Svg};
use super::window::Window;
use crate::number;
use lissome_model::{Coordinate, Joint, JointKind, JointMotion, Scene};
use lissome_solve::{CableRecord, Equilibrium, JointRecord};

/// Half the size of a joint's symbol, px.
const SYMBOL: f64 = 4.5;
/// Half the length of the line along its axis, px.
const AXIS: f64 = 12.0;
/// Cables beyond this number show their tensions only on demand.
const LABELLED_CABLES: usize = 6;

/// Draws the joints: round if they turn, square if they slide, full if they are driven, with a line along the axis.
pub(super) fn draw_joints(svg: &mut Svg, scene: &Scene, equilibrium: &Equilibrium, plane: Plane, window: &Window) {
    for (joint, record) in scene.joints.iter().zip(&equilibrium.joints) {
        let at = window.at(plane.project(&record.pose.position));
        svg.open(&words(joint, record));
        let axis = match joint.kind {
            JointKind::Revolute { axis } | JointKind::Prismatic { axis } | JointKind::Cylindrical { axis } => {
                Some(axis)
            }
            JointKind::Planar { normal } => Some(normal),
            JointKind::Universal { second, .. } => Some(second),
            JointKind::Fixed | JointKind::Spherical | JointKind::Free => None,
        };
        if let Some(axis) = axis {
            let (right, up) = plane.project(&record.pose.rotation.rotate(&axis));
            let end = |side: f64| (at.0 + side * AXIS * right, at.1 - side * AXIS * up);
            svg.line("joint-axis", end(-1.0), end(1.0));
        }
        let class = if matches!(joint.motion, JointMotion::Driven { .. }) { "joint driven" } else { "joint" };
        match joint.kind {
            JointKind::Fixed | JointKind::Prismatic { .. } | JointKind::Planar { .. } => {
                svg.rectangle(class, (at.0 - SYMBOL, at.1 - SYMBOL), 2.0 * SYMBOL, 2.0 * SYMBOL);
            }
            _ => svg.circle(class, at, SYMBOL),
        }
        if matches!(joint.kind, JointKind::Spherical | JointKind::Universal { .. }) {
            svg.circle("joint", at, 0.4 * SYMBOL);
        }
        svg.close();
    }
}

/// The coordinates of a joint, such as `angle 12.5°`.
pub(super) fn coordinates(joint: &Joint, record: &JointRecord) -> Vec<String> {
    let names = joint.kind.coordinates().iter();
    names.zip(&record.values).map(|((name, kind), value)| format!("{name} {}", coordinate(*kind, *value))).collect()
}

/// Name and coordinates of a joint, such as `elbow: angle 12.5°`.
pub(super) fn words(joint: &Joint, record: &JointRecord) -> String {
    let values = coordinates(joint, record);
    format!("{}: {}", joint.name, if values.is_empty() { "fixed".into() } else { values.join(", ") })
}

/// A coordinate of a joint with its unit.
pub(super) fn coordinate(kind: Coordinate, value: f64) -> String {
    match kind {
        Coordinate::Angle => format!("{}°", number::significant(value.to_degrees(), 4)),
        Coordinate::Distance => number::length(value),
    }
}

/// Draws the cables through their points.
pub(super) fn draw_cables(svg: &mut Svg, equilibrium: &Equilibrium, plane: Plane, window: &Window) {
    for cable in &equilibrium.cables {
        let points: Vec<Point> = cable.points.iter().map(|p| window.at(plane.project(p))).collect();
        let tension = tension_words(cable);
        svg.open(&format!("{}: {tension}, {}", cable.name, number::length(cable.length)));
        svg.polyline(if cable.tension > 0.0 { "cable" } else { "cable slack" }, &points);
        points.iter().for_each(|point| svg.circle("cable-point", *point, 1.8));
        svg.close();
        let middle = points.windows(2).max_by(|a, b| span(a).total_cmp(&span(b)));
        if let Some(pair) = middle.filter(|_| equilibrium.cables.len() <= LABELLED_CABLES) {
            let at = (0.5 * (pair[0].0 + pair[1].0) + 5.0, 0.5 * (pair[0].1 + pair[1].1) - 5.0);
            svg.label("cable-name", at, Anchor::Start, &tension);
        }
    }
}

fn span(pair: &[Point]) -> f64 {
    (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)
}

/// The tension, or that there is none.
pub(super) fn tension_words(cable: &CableRecord) -> String {
    if cable.tension > 0.0 { number::with_unit(cable.tension, "N") } else { "slack".into() }
}
