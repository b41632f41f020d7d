//! Where a tendon runs in the section: at a radius and an angle, through a table of holes, in pieces.

use super::dimension::Dimension;
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, Sign};
use crate::fault::Fault;
use lissome_model::{HolePath, Routing, RoutingPiece};
use nalgebra::Vector2;
use std::f64::consts::TAU;

/// Where a piece begins if it does not say so: where the piece before it ended.
#[derive(Clone, Copy)]
struct Polar {
    radius: f64,
    angle: f64,
}

impl Polar {
    fn place(self) -> Vector2<f64> {
        Vector2::new(self.angle.cos(), self.angle.sin()) * self.radius
    }
}

/// Reads the routing of a run between two arc lengths of a rod, without the `angle` of the whole, which turns it.
pub fn read(reader: &Reader<'_>, from: f64, to: f64, length: f64, findings: &mut Findings) -> Option<Routing> {
    let same = "each says where the whole run is";
    for (first, second) in [("table", "pieces"), ("table", "radius"), ("table", "position"), ("table", "turns")]
        .into_iter()
        .chain([("table", "pitch"), ("pieces", "radius"), ("pieces", "position"), ("pieces", "turns")])
        .chain([("pieces", "pitch")])
    {
        if !reader.not_both(first, second, same, findings) {
            return None;
        }
    }
    if reader.has("table") {
        return read_table(reader, from, to, length, findings);
    }
    if reader.has("pieces") {
        return read_pieces(reader, from, to, length, findings);
    }
    let (path, _) = read_path(reader, [from, to], None, 0.0, findings)?;
    Some(Routing { pieces: vec![RoutingPiece { from, to, path }] })
}

fn read_table(reader: &Reader<'_>, from: f64, to: f64, length: f64, findings: &mut Findings) -> Option<Routing> {
    let entries = reader.list("table", keys::HOLE, findings)?;
    let mut points: Vec<(f64, Vector2<f64>)> = Vec::new();
    let mut complete = true;
    for entry in entries {
        let point = entry.and_then(|entry| read_hole(&entry, length, findings).map(|point| (entry, point)));
        let Some((entry, point)) = point else {
            complete = false;
            continue;
        };
        if let Some((before, _)) = points.last().copied().filter(|(before, _)| point.0 < *before) {
            entry.fault::<()>("at", Fault::NotInOrder { before, after: point.0 }, findings);
            complete = false;
        }
        points.push(point);
    }
    if !complete {
        return None;
    }
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return reader.fault("table", Fault::WrongCount { found: 0, expected: "two holes or more" }, findings);
    };
    if points.len() < 2 {
        return reader.fault("table", Fault::WrongCount { found: 1, expected: "two holes or more" }, findings);
    }
    let (first, last, slack) = (first.0, last.0, 1e-9 * length);
    if first > from + slack || last < to - slack {
        let reason = format!("its table covers {first} m to {last} m, but the tendon runs from {from} m to {to} m");
        let help = "give holes from where it enters to where it is tied";
        return reader.fault("table", Fault::Contradiction { reason, help }, findings);
    }
    Some(Routing::table(&points))
}

fn read_hole(entry: &Reader<'_>, length: f64, findings: &mut Findings) -> Option<(f64, Vector2<f64>)> {
    let at = if entry.has("at") { entry.station("at", length, findings) } else { entry.missing("at", findings) };
    let reason = "both say where the hole is";
    if !(entry.not_both("position", "radius", reason, findings)
        && entry.not_both("position", "angle", reason, findings))
    {
        return None;
    }
    let place = match entry.has("position") {
        true => entry.pair("position", Dimension::LENGTH, findings).map(Vector2::from),
        false => {
            let radius = entry.required("radius", Dimension::LENGTH, Sign::NotNegative, findings);
            let angle = angle_of(entry, 0.0, findings);
            radius.zip(angle).map(|(radius, angle)| Polar { radius, angle }.place())
        }
    };
    Some((at?, place?))
}

fn read_pieces(reader: &Reader<'_>, from: f64, to: f64, length: f64, findings: &mut Findings) -> Option<Routing> {
    let entries = reader.list("pieces", keys::PIECE, findings)?;
    let last = entries.len().checked_sub(1);
    let Some(last) = last else {
        return reader.fault("pieces", Fault::WrongCount { found: 0, expected: "at least one piece" }, findings);
    };
    let mut routing = Routing::default();
    let (mut begin, mut before) = (from, None);
    for (index, entry) in entries.into_iter().enumerate() {
        let entry = entry?;
        let end = match entry.has("to") {
            true => entry.station("to", length, findings)?,
            false if index == last => to,
            false => return entry.missing("to", findings),
        };
        if end <= begin {
            return entry.fault("to", Fault::NotInOrder { before: begin, after: end }, findings);
        }
        let angle = angle_of(&entry, before.map_or(0.0, |polar: Polar| polar.angle), findings)?;
        let (path, end_of_piece) = read_path(&entry, [begin, end], before, angle, findings)?;
        routing.pieces.push(RoutingPiece { from: begin, to: end, path });
        (begin, before) = (end, Some(end_of_piece));
    }
    if begin < to - 1e-9 * length {
        let reason = format!("its pieces end at {begin} m, but the tendon runs to {to} m");
        let help = "leave `to` out of the last piece, or give another";
        return reader.fault("pieces", Fault::Contradiction { reason, help }, findings);
    }
    Some(routing)
}

fn angle_of(reader: &Reader<'_>, default: f64, findings: &mut Findings) -> Option<f64> {
    match reader.has("angle") {
        true => reader.quantity("angle", Dimension::ANGLE, Sign::Any, findings),
        false => Some(default),
    }
}

/// What `position`, or `radius` with `turns` or `pitch`, say of one piece, and where it ends.
fn read_path(
    reader: &Reader<'_>,
    [from, to]: [f64; 2],
    before: Option<Polar>,
    angle: f64,
    findings: &mut Findings,
) -> Option<(HolePath, Polar)> {
    let reason = "both say where the tendon runs";
    for key in ["radius", "turns", "pitch"] {
        if !reader.not_both("position", key, reason, findings) {
            return None;
        }
    }
    if !reader.not_both("turns", "pitch", "both give the helix", findings) {
        return None;
    }
    if reader.has("position") {
        let place = Vector2::from(reader.pair("position", Dimension::LENGTH, findings)?);
        let end = Polar { radius: place.norm(), angle: place.y.atan2(place.x) };
        return Some((HolePath::Parallel { position: place }, end));
    }
    let radius = match (reader.has("radius"), before) {
        (true, _) => reader.tapered("radius", Dimension::LENGTH, Sign::NotNegative, findings),
        (false, Some(before)) => Some([before.radius; 2]),
        (false, None) => reader.missing("radius", findings),
    };
    let turns = match (reader.has("turns"), reader.has("pitch")) {
        (true, _) => reader.quantity("turns", Dimension::NONE, Sign::Any, findings),
        (_, true) => match reader.quantity("pitch", Dimension::LENGTH, Sign::Any, findings)? {
            0.0 => reader.fault("pitch", Fault::NotPositive { value: 0.0 }, findings),
            pitch => Some((to - from) / pitch),
        },
        _ => Some(0.0),
    };
    let (radius, turns) = (radius?, turns?);
    let [start, end] =
        [(radius[0], angle), (radius[1], angle + TAU * turns)].map(|(radius, angle)| Polar { radius, angle });
    let path = match (turns != 0.0, radius[0] == radius[1]) {
        (true, _) if radius[0].max(radius[1]) == 0.0 => {
            return reader.fault("radius", Fault::NotPositive { value: 0.0 }, findings);
        }
        (true, _) => HolePath::Helix { radius, angle, turns },
        (false, true) => HolePath::Parallel { position: start.place() },
        (false, false) => HolePath::Linear { start: start.place(), end: end.place() },
    };
    Some((path, end))
}
