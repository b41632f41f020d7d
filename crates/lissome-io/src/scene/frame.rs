//! Frames: `{ fixed_to = "arm", at = "tip", position = […] }`, or only the name of a carrier.

use super::document::{Node, Value};
use super::findings::Findings;
use super::keys;
use super::pose;
use super::reader::{Reader, clip};
use crate::fault::Fault;
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf};
use nalgebra::Vector3;
use std::collections::HashMap;
use std::sync::Arc;

/// Named frames of a body; `None` for one that was refused.
pub type NamedFrames = Vec<(String, Option<Pose>)>;

/// What can carry a frame, by name.
#[derive(Clone, Debug, Default)]
pub struct Carriers {
    /// Rods in order, with their lengths unless they were refused.
    pub rods: Vec<(String, Option<f64>)>,
    /// Bodies in order, with their named frames.
    pub bodies: Vec<(String, NamedFrames)>,
    /// Joints in order; the articulated closures follow.
    pub joints: Vec<String>,
    /// What each name is of: the same in every neighbour of a scene.
    by_name: Arc<HashMap<String, FrameOf>>,
}

/// A carrier that was found: what it is, and where on it the named frame sits.
struct Carrier {
    of: FrameOf,
    pose: Pose,
    /// Length of a rod.
    length: Option<f64>,
}

impl Carriers {
    /// Of these parts; where two share a name, which is refused, the rod or the joint is meant.
    pub fn new(rods: Vec<(String, Option<f64>)>, bodies: Vec<(String, NamedFrames)>, joints: Vec<String>) -> Self {
        let named = |(index, (name, _)): (usize, &(String, NamedFrames))| (name.clone(), FrameOf::Body(index));
        let mut by_name: HashMap<String, FrameOf> = bodies.iter().enumerate().map(named).collect();
        by_name.extend(joints.iter().enumerate().map(|(index, name)| (name.clone(), FrameOf::Joint(index))));
        by_name.extend(rods.iter().enumerate().map(|(rod, (name, _))| (name.clone(), FrameOf::Rod { rod, s: 0.0 })));
        Self { rods, bodies, joints, by_name: Arc::new(by_name) }
    }

    /// The number of a rod.
    pub fn rod(&self, name: &str) -> Option<usize> {
        match self.by_name.get(name) {
            Some(FrameOf::Rod { rod, .. }) => Some(*rod),
            _ => None,
        }
    }

    /// `Err` if there is no such name, `Ok(None)` if what it names was refused.
    fn find(&self, name: &str) -> Result<Option<Carrier>, ()> {
        let carrier = |of: FrameOf| Carrier { of, pose: Pose::identity(), length: None };
        if name == "world" {
            return Ok(Some(carrier(FrameOf::World)));
        }
        match self.by_name.get(name) {
            Some(FrameOf::Rod { rod, .. }) => {
                let (rod, length) = (*rod, self.rods[*rod].1);
                return Ok(length.map(|s| Carrier { length, ..carrier(FrameOf::Rod { rod, s }) }));
            }
            Some(of) => return Ok(Some(carrier(*of))),
            None => {}
        }
        let (body, frame) = name.split_once('.').ok_or(())?;
        let Some(FrameOf::Body(body)) = self.by_name.get(body) else { return Err(()) };
        let (_, pose) = self.bodies[*body].1.iter().find(|(known, _)| known == frame).ok_or(())?;
        Ok(pose.map(|pose| Carrier { pose, ..carrier(FrameOf::Body(*body)) }))
    }

    /// Every name, for hints; of the frames of bodies those of the one that `near` begins with.
    fn names(&self, near: &str) -> Vec<String> {
        let mut names = vec!["world".to_owned()];
        names.extend(self.bodies.iter().map(|(name, _)| name.clone()));
        for (body, frames) in &self.bodies {
            if near.split_once('.').is_none_or(|(start, _)| start == body) {
                names.extend(frames.iter().map(|(frame, _)| format!("{body}.{frame}")));
            }
        }
        names.extend(self.joints.iter().cloned());
        names.extend(self.rods.iter().map(|(name, _)| name.clone()));
        names
    }
}

/// Reads the frame under a key, if it is given.
pub fn read(reader: &Reader<'_>, name: &str, carriers: &Carriers, findings: &mut Findings) -> Option<Frame> {
    let entry = reader.entry(name)?;
    read_node(&entry.node, &|| reader.join(name), carriers, findings)
}

/// Reads a frame that must be there.
pub fn required(
    reader: &Reader<'_>,
    name: &'static str,
    carriers: &Carriers,
    findings: &mut Findings,
) -> Option<Frame> {
    if reader.has(name) { read(reader, name, carriers, findings) } else { reader.missing(name, findings) }
}

/// Reads the array of frames under a key.
pub fn read_list(reader: &Reader<'_>, name: &str, carriers: &Carriers, findings: &mut Findings) -> Option<Vec<Frame>> {
    let node = &reader.entry(name)?.node;
    let Value::Array(items) = &node.value else {
        let example = "[\"base.hole\", \"plate.hole\"]";
        let fault = Fault::WrongType { expected: "an array of frames", found: node.value.kind(), example };
        return reader.fault(name, fault, findings);
    };
    let read = |(i, item)| read_node(item, &|| format!("{}.{i}", reader.join(name)), carriers, findings);
    let frames: Vec<Option<Frame>> = items.iter().enumerate().map(read).collect();
    frames.into_iter().collect()
}

fn read_node(node: &Node, path: &dyn Fn() -> String, carriers: &Carriers, findings: &mut Findings) -> Option<Frame> {
    match &node.value {
        Value::Text(name) => {
            let Ok(carrier) = carriers.find(name) else {
                return findings.add(unknown(carriers, name), path(), Some(node.span));
            };
            carrier.map(|carrier| Frame { of: carrier.of, pose: carrier.pose })
        }
        Value::Table(table) => {
            let table = Reader::open(table, keys::FRAME, path(), Some(node.span), findings);
            read_table(&table, carriers, findings)
        }
        other => {
            let fault = Fault::WrongType {
                expected: "a frame",
                found: other.kind(),
                example: "{ fixed_to = \"world\", position = [0, 0, 0] }, or \"platform.hole\"",
            };
            findings.add(fault, path(), Some(node.span))
        }
    }
}

fn unknown(carriers: &Carriers, name: &str) -> Fault {
    Fault::UnknownCarrier { name: clip(name), known: carriers.names(name) }
}

/// Reads the frame whose keys stand in a table, maybe beside others.
pub fn read_table(table: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<Frame> {
    let pose = pose::read_on_carrier(table, findings);
    let turned = pose::read_turned(table, findings);
    let name = if table.has("fixed_to") { table.text("fixed_to", findings)? } else { "world" };
    let Ok(carrier) = carriers.find(name) else { return table.fault("fixed_to", unknown(carriers, name), findings) };
    let carrier = carrier?;
    let of = match (carrier.of, carrier.length) {
        (FrameOf::Rod { rod, .. }, Some(length)) if table.has("at") => {
            FrameOf::Rod { rod, s: table.station("at", length, findings)? }
        }
        (FrameOf::Rod { .. }, _) => carrier.of,
        (of, _) if table.has("at") => {
            let reason = "only a rod has places along it; use `position`";
            let fault = Fault::Clash { first: "fixed_to".into(), second: "at".into(), reason };
            table.fault::<()>("at", fault, findings)?;
            of
        }
        (of, _) => of,
    };
    Some(Frame { of, pose: Pose::new(turned?, Vector3::zeros()) * carrier.pose * pose? })
}
