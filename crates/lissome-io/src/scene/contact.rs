//! `[contact]`: friction and restitution of all pairs, and the pairs that have laws of their own.

use super::dimension::Dimension;
use super::document::{Node, Value};
use super::findings::Findings;
use super::frame::Carriers;
use super::keys;
use super::reader::{Reader, Sign, clip};
use crate::fault::Fault;
use lissome_model::{SmoothFamily, Smoothing, Stretch, Toucher, Touching, TouchingPair};

/// How near to its bound friction is smoothed, as a part of it, if nothing is said.
const RATIO: f64 = 0.01;

/// Reads how things touch. `obstacles` are the names in the order of the scene, `stretches` those of its rods.
pub fn read(
    file: &Reader<'_>,
    carriers: &Carriers,
    obstacles: &[String],
    stretches: Vec<Stretch>,
    findings: &mut Findings,
) -> Option<Touching> {
    if !file.has("contact") {
        return Some(Touching { stretches, ..Touching::default() });
    }
    let contact = file.table("contact", keys::CONTACT, findings)?;
    let number = |name: &str, findings: &mut Findings| match contact.has(name) {
        true => contact.quantity(name, Dimension::NONE, Sign::NotNegative, findings),
        false => Some(0.0),
    };
    let friction = number("friction", findings);
    let mut restitution = number("restitution", findings);
    if let Some(value) = restitution.filter(|restitution| *restitution > 1.0) {
        restitution = contact.fault("restitution", Fault::OutOfRange { value, interval: "[0, 1]".into() }, findings);
    }
    if restitution.is_some_and(|restitution| restitution > 0.0) && !carriers.rods.is_empty() && !obstacles.is_empty() {
        let rods = carriers.rods.iter().map(|(name, _)| format!("`{name}`")).collect();
        contact.fault::<()>("restitution", Fault::RestitutionOfRods { rods }, findings);
    }
    let smoothing = match contact.has("smoothing") {
        true => read_smoothing(&contact.table("smoothing", keys::SMOOTHING, findings)?, findings),
        false => Some(None),
    };
    let pairs = match contact.has("pairs") {
        true => contact.list("pairs", keys::CONTACT_PAIR, findings)?,
        false => Vec::new(),
    };
    let names = Names { carriers, obstacles, stretches: &stretches };
    let pairs: Vec<Option<TouchingPair>> = pairs.into_iter().map(|pair| read_pair(&pair?, &names, findings)).collect();
    let among = if contact.has("among") { contact.flag("among", findings)? } else { false };
    let pairs = pairs.into_iter().collect::<Option<_>>()?;
    Some(Touching { friction: friction?, restitution: restitution?, among, smoothing: smoothing?, stretches, pairs })
}

/// The smooth law; `Some(None)` for the families that are the exact one.
fn read_smoothing(reader: &Reader<'_>, findings: &mut Findings) -> Option<Option<Smoothing>> {
    if !reader.has("family") {
        return reader.missing("family", findings);
    }
    let family = match keys::FAMILIES[reader.choice("family", keys::FAMILIES, findings)?] {
        "sigmoid" => SmoothFamily::Sigmoid,
        "chks" => SmoothFamily::Chks,
        "softplus" => SmoothFamily::Softplus,
        _ => return Some(None),
    };
    if !reader.has("force") {
        return reader.missing("force", findings);
    }
    let force = reader.quantity("force", Dimension::FORCE, Sign::Positive, findings);
    let ratio = match reader.has("ratio") {
        true => reader.quantity("ratio", Dimension::NONE, Sign::Positive, findings),
        false => Some(RATIO),
    };
    Some(Some(Smoothing { family, force: force?, ratio: ratio? }))
}

fn read_pair(pair: &Reader<'_>, names: &Names<'_>, findings: &mut Findings) -> Option<TouchingPair> {
    let of = match pair.has("of") {
        true => read_sides(pair, names, findings),
        false => pair.missing("of", findings),
    };
    let friction = match pair.has("friction") {
        true => Some(pair.quantity("friction", Dimension::NONE, Sign::NotNegative, findings)?),
        false => None,
    };
    let touches = if pair.has("touches") { pair.flag("touches", findings)? } else { true };
    if friction.is_some() && !touches {
        let reason = "what does not touch has no friction";
        let fault = Fault::Clash { first: "touches".into(), second: "friction".into(), reason };
        return pair.fault("friction", fault, findings);
    }
    let bore = match pair.has("bore") {
        true => Some(pair.quantity("bore", Dimension::LENGTH, Sign::Positive, findings)?),
        false => None,
    };
    let of = of?;
    let (of, stretches) = (of.map(|(part, _)| part), of.map(|(_, stretch)| stretch));
    let read = TouchingPair { of, stretches, friction, touches, bore };
    if read.names_stretch() && !touches {
        let reason = "a stretch of a rod touches what the rod does";
        let fault = Fault::Clash { first: "touches".into(), second: "of".into(), reason };
        return pair.fault("touches", fault, findings);
    }
    if read.names_stretch() && friction.is_none() {
        return pair.missing("friction", findings);
    }
    Some(read)
}

fn read_sides(pair: &Reader<'_>, names: &Names<'_>, findings: &mut Findings) -> Option<[Side; 2]> {
    let node = &pair.entry("of")?.node;
    let sides = match &node.value {
        Value::Array(sides) => sides,
        other => {
            let example = "[\"arm\", \"floor\"]";
            let fault = Fault::WrongType { expected: "an array of two names", found: other.kind(), example };
            return pair.fault("of", fault, findings);
        }
    };
    let [a, b] = sides.as_slice() else {
        return pair.fault("of", Fault::WrongCount { found: sides.len(), expected: "two names" }, findings);
    };
    let mut side = |node: &Node| match &node.value {
        Value::Text(name) => names.find(name).or_else(|| {
            let fault = Fault::UnknownToucher { name: clip(name), known: names.all() };
            findings.add(fault, pair.join("of"), Some(node.span))
        }),
        other => {
            let fault = Fault::WrongType { expected: "a name", found: other.kind(), example: "\"arm\"" };
            findings.add(fault, pair.join("of"), Some(node.span))
        }
    };
    let (a, b) = (side(a), side(b));
    Some([a?, b?])
}

/// A side of a pair: a part, and the number of the stretch of it that is meant.
type Side = (Toucher, Option<usize>);

/// What can touch or be touched, by name.
struct Names<'a> {
    carriers: &'a Carriers,
    obstacles: &'a [String],
    stretches: &'a [Stretch],
}

impl Names<'_> {
    /// A part by its name, or a stretch of a rod by both of theirs: `wire.tip`.
    fn find(&self, name: &str) -> Option<Side> {
        let Some((rod, stretch)) = name.split_once('.') else { return Some((self.part(name)?, None)) };
        let part = self.part(rod)?;
        let own = |known: &Stretch| part == Toucher::Rod(known.rod) && known.name == stretch;
        Some((part, Some(self.stretches.iter().position(own)?)))
    }

    fn part(&self, name: &str) -> Option<Toucher> {
        let rod = self.carriers.rods.iter().position(|(known, _)| known == name).map(Toucher::Rod);
        let body = || self.carriers.bodies.iter().position(|(known, _)| known == name).map(Toucher::Body);
        let obstacle = || self.obstacles.iter().position(|known| known == name).map(Toucher::Obstacle);
        rod.or_else(body).or_else(obstacle)
    }

    fn all(&self) -> Vec<String> {
        let rods = self.carriers.rods.iter().map(|(name, _)| name.clone());
        let bodies = self.carriers.bodies.iter().map(|(name, _)| name.clone());
        let stretch = |own: &Stretch| Some(format!("{}.{}", self.carriers.rods.get(own.rod)?.0, own.name));
        let stretches = self.stretches.iter().filter_map(stretch);
        rods.chain(bodies).chain(self.obstacles.iter().cloned()).chain(stretches).collect()
    }
}
