//! Places of a robot by the names that columns give them: `arm.at(0.12)`, `arm.at(0.12; 8 mm; 0)`, `arm.tip`, a body, `hinge.frame`.

use crate::nearest::nearest;
use crate::scene::dimension::Dimension;
use crate::scene::units;
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, Scene};
use nalgebra::Vector3;

/// Families that a name may be written with.
const FAMILIES: [&str; 4] = ["rod", "tubes", "body", "joint"];

/// Why a name is no place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlace {
    /// Nothing is called so; the nearest name.
    Unknown(Option<String>),
    /// It is one, but not there.
    Wrong(String),
}

/// The frame that a name means.
pub fn find(scene: &Scene, name: &str) -> Result<Frame, NoPlace> {
    let plain = FAMILIES.iter().find_map(|family| name.strip_prefix(family)?.strip_prefix('.')).unwrap_or(name);
    if let Some((rod, rest)) = plain.split_once(".at(")
        && let Some(inside) = rest.strip_suffix(')')
    {
        let Some(index) = scene.rods.iter().position(|own| own.name == rod) else {
            let near = nearest(rod, scene.rods.iter().map(|own| own.name.as_str()));
            return Err(NoPlace::Unknown(near.map(|near| format!("{near}.at({inside})"))));
        };
        let numbers = inside.split(';').map(length).collect::<Result<Vec<f64>, String>>().map_err(NoPlace::Wrong)?;
        let whole = scene.rods[index].length;
        let (s, y, z) = match numbers[..] {
            [s] => (s, 0.0, 0.0),
            [s, y, z] => (s, y, z),
            _ => return Err(NoPlace::Wrong("write the arc length, or arc length; y; z of the section".into())),
        };
        if !(-1e-9 * whole..=whole * (1.0 + 1e-9)).contains(&s) {
            return Err(NoPlace::Wrong(format!("{s} m is not on the rod, which is {whole} m long")));
        }
        return Ok(Frame::rod(index, s.clamp(0.0, whole)).at(Pose::at(Vector3::new(0.0, y, z))));
    }
    let tips = scene
        .rods
        .iter()
        .enumerate()
        .map(|(rod, own)| (format!("{}.tip", own.name), FrameOf::Rod { rod, s: own.length }));
    let bodies = scene.bodies.iter().enumerate().map(|(body, own)| (own.name.clone(), FrameOf::Body(body)));
    let joints =
        scene.joints.iter().enumerate().map(|(joint, own)| (format!("{}.frame", own.name), FrameOf::Joint(joint)));
    let known: Vec<(String, FrameOf)> = tips.chain(bodies).chain(joints).collect();
    match known.iter().find(|(own, _)| own == plain) {
        Some((_, of)) => Ok(Frame { of: *of, pose: Pose::identity() }),
        None => Err(NoPlace::Unknown(nearest(plain, known.iter().map(|(own, _)| own.as_str())).map(str::to_owned))),
    }
}

/// A length: a bare number is in m.
fn length(text: &str) -> Result<f64, String> {
    match units::parse(text.trim()) {
        Ok(own) if !own.value.is_finite() => Err(format!("`{}` is not a finite number", text.trim())),
        Ok(own) if own.has_unit && own.dimension != Dimension::LENGTH => {
            Err(format!("`{}` is {}, not a length", text.trim(), own.dimension.name()))
        }
        Ok(own) => Ok(own.value),
        Err(_) => Err(format!("`{}` is not a length", text.trim())),
    }
}
