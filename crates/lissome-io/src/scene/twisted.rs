//! Warns of rods that are twisted between their ends at rest though nobody said how the ends are rolled.
//!
//! `tangent` alone says where a frame points; how it is rolled about that direction follows from the carrier. Two frames that
//! point the same way may then still be rolled against each other, and a rod between them is twisted without anyone having
//! meant it.

use super::document::{Document, Value};
use super::findings::Findings;
use crate::fault::Fault;
use crate::placing::Placing;
use crate::report::undeformed;
use lissome_lie::Rotation;
use lissome_model::{Rod, Scene};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Keys of a frame that say how it is rolled.
const SAYS_ROLL: [&str; 4] = ["roll", "quat_wxyz", "rotvec", "euler"];
/// Beyond this bend between its ends no roll of one end is that of the other, rad.
const LARGEST_BEND: f64 = 5.0 / 6.0 * PI;

/// Warns of every rod that is held at both ends and twisted by more than 90°.
pub fn warn(scene: &Scene, document: &Document, findings: &mut Findings) {
    let held = |rod: &Rod| rod.base.is_some() && rod.tip.is_some();
    if !scene.rods.iter().any(held) {
        return;
    }
    let start = Placing::at_start(scene);
    for rod in scene.rods.iter().filter(|rod| held(rod)) {
        let path = format!("rod.{}", rod.name);
        let Some(twist) = twist(rod, &start) else { continue };
        if twist.abs() <= FRAC_PI_2 || says_roll(document, &rod.name) {
            continue;
        }
        let fault = Fault::TwistedRod { rod: rod.name.clone(), twist, roll: -twist };
        let place = format!("{path}.tip");
        let span = document.locate(&place);
        findings.add::<()>(fault, place, span);
    }
}

/// True if one of the two frames says how it is rolled.
fn says_roll(document: &Document, rod: &str) -> bool {
    let table = |value: Option<&Value>, key: &str| match value {
        Some(Value::Table(table)) => table.get(key).map(|node| node.value.clone()),
        _ => None,
    };
    let rods = document.root.get("rod").map(|node| node.value.clone());
    let rod = table(rods.as_ref(), rod);
    ["base", "tip"].iter().any(|end| {
        let frame = table(rod.as_ref(), end);
        SAYS_ROLL.iter().any(|key| table(frame.as_ref(), key).is_some())
    })
}

/// Angle by which the tip is rolled against the natural shape of the rod from its base, rad; `None` where that means nothing.
fn twist(rod: &Rod, start: &Placing) -> Option<f64> {
    let (base, tip) = (start.frame(&rod.base?)?, start.frame(&rod.tip?)?);
    let (_, natural) = undeformed::relative(rod).pop()?;
    twist_about_x(&(natural.rotation.inverse() * base.rotation.inverse() * tip.rotation))
}

/// A rotation as a turn about x and then a bend about an axis across it: the angle of the turn, in (−π, π].
fn twist_about_x(rotation: &Rotation) -> Option<f64> {
    let [w, x, ..] = rotation.quat_wxyz();
    if w.hypot(x) < (0.5 * LARGEST_BEND).cos() {
        return None;
    }
    let angle = 2.0 * x.atan2(w);
    Some(if angle > PI {
        angle - TAU
    } else if angle <= -PI {
        angle + TAU
    } else {
        angle
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn bends_are_no_twist() {
        for bend in [0.0, 1.0, 2.5] {
            for twist in [0.0, 0.3, 2.0, -3.0, 3.1] {
                let across = Vector3::new(0.0, 0.6, -0.8) * bend;
                let turned = Rotation::exp(&across) * Rotation::exp(&(Vector3::x() * twist));
                assert!((twist_about_x(&turned).unwrap() - twist).abs() < 1e-14);
            }
        }
        assert_eq!(twist_about_x(&Rotation::exp(&(Vector3::y() * 3.0))), None, "a hairpin");
    }
}
