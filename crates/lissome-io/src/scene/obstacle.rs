//! `[obstacle.NAME]`: what rods and bodies may touch, its shape and what carries it.

use super::dimension::Dimension;
use super::document::{Table, Value};
use super::findings::Findings;
use super::frame::{self, Carriers};
use super::keys::{self, OBSTACLE_SHAPES};
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use crate::mesh_file;
use lissome_lie::{Pose, Rotation};
use lissome_model::{BoreAxis, BorePiece, Obstacle, ObstacleShape};
use nalgebra::Vector3;
use std::path::Path;

/// Reads one obstacle. The name is checked by the caller; files are sought from `folder` on.
pub fn read(
    name: &str,
    reader: &Reader<'_>,
    carriers: &Carriers,
    folder: &Path,
    findings: &mut Findings,
) -> Option<Obstacle> {
    let frame = frame::read_table(reader, carriers, findings);
    let shape = read_shape(reader, folder, findings);
    let (shape, pose) = shape?;
    Some(Obstacle { name: name.to_owned(), shape, frame: frame?.at(pose) })
}

/// The one shape that is given, and where it sits in the frame of the obstacle.
fn read_shape(reader: &Reader<'_>, folder: &Path, findings: &mut Findings) -> Option<(ObstacleShape, Pose)> {
    let given: Vec<&'static str> = OBSTACLE_SHAPES.iter().copied().filter(|shape| reader.has(shape)).collect();
    let shape = match given[..] {
        [] => {
            let fault = Fault::NoneGiven { owner: reader.owner(), choices: OBSTACLE_SHAPES };
            return findings.add(fault, reader.path.clone(), reader.span);
        }
        [shape] => shape,
        [first, second, ..] => {
            reader.not_both(first, second, "an obstacle has one shape; make two obstacles", findings);
            return None;
        }
    };
    let here = |shape: ObstacleShape| Some((shape, Pose::identity()));
    match shape {
        "plane" => Some((ObstacleShape::Plane, read_plane(reader, findings)?)),
        "sphere" => {
            let sphere = reader.table("sphere", keys::SPHERE, findings)?;
            here(ObstacleShape::Sphere { radius: length_of(&sphere, "radius", findings)? })
        }
        "box" => {
            let size = reader.vector("box", Dimension::LENGTH, findings)?;
            if let Some(value) = size.iter().copied().find(|edge| *edge <= 0.0) {
                return reader.fault("box", Fault::NotPositive { value }, findings);
            }
            here(ObstacleShape::Box { size })
        }
        "mesh" => here(read_mesh(&reader.table("mesh", keys::MESH, findings)?, folder, findings)?),
        "heights" => here(read_heights(&reader.table("heights", keys::HEIGHTS, findings)?, findings)?),
        "bore" => here(read_bore(&reader.table("bore", keys::BORE, findings)?, findings)?),
        round => {
            let table = reader.table(round, keys::CYLINDER, findings)?;
            let (radius, length) = (length_of(&table, "radius", findings), length_of(&table, "length", findings));
            let (radius, length) = (radius?, length?);
            here(match round {
                "capsule" => ObstacleShape::Capsule { radius, length },
                _ => ObstacleShape::Cylinder { radius, length },
            })
        }
    }
}

fn length_of(reader: &Reader<'_>, name: &'static str, findings: &mut Findings) -> Option<f64> {
    reader.required(name, Dimension::LENGTH, Sign::Positive, findings)
}

/// Where the plane z = 0 is put by its normal and a point of it.
fn read_plane(reader: &Reader<'_>, findings: &mut Findings) -> Option<Pose> {
    let plane = reader.table("plane", keys::PLANE, findings)?;
    let vector = |name: &str, dimension, otherwise: Vector3<f64>, findings: &mut Findings| match plane.has(name) {
        true => plane.vector(name, dimension, findings),
        false => Some(otherwise),
    };
    let normal = vector("normal", Dimension::NONE, Vector3::z(), findings);
    let point = vector("point", Dimension::LENGTH, Vector3::zeros(), findings);
    let Some(normal) = normal?.try_normalize(0.0) else {
        return plane.fault("normal", Fault::NoDirection { what: "normal" }, findings);
    };
    Some(Pose::new(turn_from_z(&normal), point?))
}

/// The shortest turn that takes z to a direction; the half turn about x takes it to −z.
fn turn_from_z(normal: &Vector3<f64>) -> Rotation {
    let axis = Vector3::z().cross(normal);
    let angle = axis.norm().atan2(normal.z);
    Rotation::exp(&(axis.try_normalize(0.0).unwrap_or(Vector3::x()) * angle))
}

fn read_mesh(reader: &Reader<'_>, folder: &Path, findings: &mut Findings) -> Option<ObstacleShape> {
    let unit = length_of(reader, "unit", findings);
    let file = if reader.has("file") { reader.text("file", findings) } else { reader.missing("file", findings) };
    match mesh_file::read_mesh(&folder.join(file?), unit?) {
        Ok(mesh) => {
            Some(ObstacleShape::Mesh { corners: mesh.corners().to_vec(), triangles: mesh.corner_numbers().to_vec() })
        }
        Err(fault) => reader.fault("file", fault, findings),
    }
}

/// Names mesh files of a scene from the root of all folders, so that the scene can be run from anywhere.
pub fn fix_files(root: &mut Table, folder: &Path) {
    let Some(Value::Table(obstacles)) = root.entry_mut("obstacle").map(|entry| &mut entry.node.value) else { return };
    for obstacle in &mut obstacles.entries {
        let Value::Table(keys) = &mut obstacle.node.value else { continue };
        let Some(Value::Table(mesh)) = keys.entry_mut("mesh").map(|entry| &mut entry.node.value) else { continue };
        if let Some(Value::Text(file)) = mesh.entry_mut("file").map(|entry| &mut entry.node.value)
            && let Ok(whole) = folder.join(&file).canonicalize()
        {
            *file = whole.display().to_string();
        }
    }
}

fn read_heights(reader: &Reader<'_>, findings: &mut Findings) -> Option<ObstacleShape> {
    let pair = |name: &'static str, findings: &mut Findings| reader.pair(name, Dimension::LENGTH, findings);
    let spacing = if reader.has("spacing") { pair("spacing", findings) } else { reader.missing("spacing", findings) };
    let origin = if reader.has("origin") { pair("origin", findings) } else { Some([0.0; 2]) };
    let rows = match reader.has("rows") {
        true => reader.grid("rows", Dimension::LENGTH, findings),
        false => reader.missing("rows", findings),
    };
    if let Some(value) = spacing.iter().flatten().copied().find(|distance| *distance <= 0.0) {
        return reader.fault("spacing", Fault::NotPositive { value }, findings);
    }
    let (columns, heights) = rows?;
    if columns < 2 || heights.len() < 2 * columns {
        let fault = Fault::WrongCount { found: heights.len(), expected: "two rows of two heights at least" };
        return reader.fault("rows", fault, findings);
    }
    Some(ObstacleShape::Heights { origin: origin?, spacing: spacing?, columns, heights })
}

fn read_bore(bore: &Reader<'_>, findings: &mut Findings) -> Option<ObstacleShape> {
    let radius = length_of(bore, "radius", findings);
    if !bore.has("axis") {
        return bore.missing("axis", findings);
    }
    let pieces = bore.list("axis", keys::BORE_PIECE, findings)?;
    if pieces.is_empty() {
        let fault = Fault::WrongCount { found: 0, expected: "at least one straight or curved piece" };
        return bore.fault("axis", fault, findings);
    }
    let pieces: Vec<Option<BorePiece>> =
        pieces.into_iter().map(|piece| read_piece(&piece?, radius, findings)).collect();
    let pieces = pieces.into_iter().collect::<Option<Vec<_>>>()?;
    Some(ObstacleShape::Bore { axis: BoreAxis { pieces }, radius: radius? })
}

fn read_piece(piece: &Reader<'_>, bore: Option<f64>, findings: &mut Findings) -> Option<BorePiece> {
    let reason = "a piece is straight or curved";
    for key in ["arc", "radius", "toward"] {
        if !piece.not_both("straight", key, reason, findings) {
            return None;
        }
    }
    if piece.has("straight") {
        return Some(BorePiece::Straight { length: length_of(piece, "straight", findings)? });
    }
    if !piece.has("arc") {
        let fault = Fault::NoneGiven { owner: piece.owner(), choices: &["straight", "arc"] };
        return findings.add(fault, piece.path.clone(), piece.span);
    }
    let angle = piece.quantity("arc", Dimension::ANGLE, Sign::Positive, findings);
    let radius = length_of(piece, "radius", findings);
    let toward = match piece.has("toward") {
        true => piece.quantity("toward", Dimension::ANGLE, Sign::Any, findings),
        false => Some(0.0),
    };
    let radius = radius?;
    if let Some(bore) = bore.filter(|bore| radius <= *bore) {
        let interval = format!("({bore}, inf) m: the inside of the bend would fold over itself");
        return piece.fault("radius", Fault::OutOfRange { value: radius, interval }, findings);
    }
    Some(BorePiece::Arc { radius, angle: angle?, toward: toward? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turn_takes_z_to_any_direction() {
        for direction in [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.3, -0.4, 0.2], [1e-9, 0.0, -1.0]] {
            let normal = Vector3::from(direction).normalize();
            let found = turn_from_z(&normal).rotate(&Vector3::z());
            // A turn by exp is exact to a few units in the last place.
            assert!((found - normal).norm() < 1e-14, "{direction:?}: {found:?}");
        }
    }
}
