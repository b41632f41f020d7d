//! `pattern = { count, about }`: a part and its copies around an axis of what carries them.
//!
//! `[rod.leg]` with a pattern of 6 becomes `leg_1` to `leg_6`. Each frame of a copy is turned about the axis of its carrier
//! (`turned`), unless the carrier is a part of a pattern as long: then it is the copy of the same number, which is turned already.

use super::dimension::Dimension;
use super::document::{Entry, Node, Number, Table, Value};
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, Sign, clip};
use crate::fault::Fault;
use crate::source::Span;
use std::collections::{HashMap, HashSet};

/// Families whose members may be repeated.
const FAMILIES: [&str; 8] = ["rod", "body", "joint", "closure", "cable", "spring", "obstacle", "load"];
/// Keys that hold frames.
const FRAMES: [&str; 8] = ["base", "tip", "mount", "parent", "a", "b", "on", "points"];
/// Copies of one part.
const MOST_COPIES: usize = 1000;

/// What a pattern says.
struct Pattern {
    count: usize,
    about: &'static str,
    /// Angle from one to the next, rad.
    step: f64,
}

/// Carries out every pattern of the scene.
pub fn expand(root: &mut Table, findings: &mut Findings) {
    let mut patterns: HashMap<String, Pattern> = HashMap::new();
    for family in FAMILIES {
        let Some(Value::Table(members)) = root.get(family).map(|node| &node.value) else { continue };
        for entry in &members.entries {
            let Value::Table(table) = &entry.node.value else { continue };
            let Some(node) = table.get("pattern") else { continue };
            let path = format!("{family}.{}.pattern", clip(&entry.name));
            if let Some(pattern) = read(node, path, findings) {
                patterns.insert(entry.name.clone(), pattern);
            }
        }
    }
    if patterns.is_empty() || findings.has_errors() {
        return;
    }
    for family in FAMILIES {
        let Some(entry) = root.entry_mut(family) else { continue };
        let Value::Table(members) = &mut entry.node.value else { continue };
        let mut all = Vec::new();
        for member in std::mem::take(&mut members.entries) {
            match patterns.get(&member.name) {
                Some(pattern) => {
                    all.extend((1..=pattern.count).map(|number| copy(&member, pattern, number, &patterns)))
                }
                None => all.push(member),
            }
        }
        let mut names = HashSet::new();
        for entry in &all {
            if !names.insert(entry.name.as_str()) {
                let other = format!("{family}.{}", entry.name);
                let fault = Fault::NameTaken { name: clip(&entry.name), other: clip(&other) };
                findings.add::<()>(fault, other, Some(entry.name_span));
            }
        }
        members.entries = all;
    }
}

fn read(node: &Node, path: String, findings: &mut Findings) -> Option<Pattern> {
    let reader = Reader::open_node(node, keys::PATTERN, path, Some(node.span), findings)?;
    if !reader.has("count") {
        return reader.missing("count", findings);
    }
    let count = reader.count("count", findings)?;
    if !(1..=MOST_COPIES).contains(&count) {
        let fault = Fault::OutOfRange { value: count as f64, interval: format!("1 to {MOST_COPIES}") };
        return reader.fault("count", fault, findings);
    }
    let about = match reader.has("about") {
        true => keys::AXES[reader.choice("about", keys::AXES, findings)?],
        false => "z",
    };
    let step = match reader.has("step") {
        true => reader.quantity("step", Dimension::ANGLE, Sign::Any, findings)?,
        false => std::f64::consts::TAU / count as f64,
    };
    Some(Pattern { count, about, step })
}

/// The copy of that number, from 1.
fn copy(member: &Entry, pattern: &Pattern, number: usize, patterns: &HashMap<String, Pattern>) -> Entry {
    let mut copy = Entry { name: format!("{}_{number}", member.name), ..member.clone() };
    let Value::Table(table) = &mut copy.node.value else { return copy };
    table.entries.retain(|entry| entry.name != "pattern");
    let place = Place { pattern, number, patterns };
    // The frame of an obstacle stands among its other keys.
    if ["fixed_to", "position"].iter().any(|key| table.get(key).is_some()) {
        place.turn(table, member.name_span);
    }
    for entry in &mut table.entries {
        match &mut entry.node.value {
            Value::Array(items) if entry.name == "points" => items.iter_mut().for_each(|item| place.frame(item)),
            Value::Text(name) if entry.name == "rod" => place.same_number(name),
            _ if FRAMES.contains(&entry.name.as_str()) => place.frame(&mut entry.node),
            // Where a body begins that nothing carries is a place in the world.
            Value::Table(start) if entry.name == "start" => place.turn(start, entry.name_span),
            _ => {}
        }
    }
    copy
}

/// Where a copy stands.
struct Place<'p> {
    pattern: &'p Pattern,
    number: usize,
    patterns: &'p HashMap<String, Pattern>,
}

impl Place<'_> {
    /// Turns a frame that is written in a table or as a name.
    fn frame(&self, node: &mut Node) {
        match &mut node.value {
            Value::Table(table) => self.turn(table, node.span),
            Value::Text(name) => {
                let before = name.clone();
                self.same_number(name);
                if *name == before {
                    let carrier = Node { span: node.span, value: Value::Text(before) };
                    let mut table = Table { entries: vec![entry("fixed_to", carrier)] };
                    self.turn(&mut table, node.span);
                    node.value = Value::Table(table);
                }
            }
            _ => {}
        }
    }

    /// Turns a frame about its carrier, unless that is a copy too.
    fn turn(&self, table: &mut Table, span: Span) {
        if let Some(Entry { node: Node { value: Value::Text(name), .. }, .. }) = table.entry_mut("fixed_to") {
            let before = name.clone();
            self.same_number(name);
            if *name != before {
                return;
            }
        }
        let angle = self.pattern.step * (self.number - 1) as f64;
        if angle != 0.0 {
            let number = Value::Number(Number { text: format!("{angle:?}").into(), value: angle, integer: false });
            let turned = vec![
                entry("about", Node { span, value: Value::Text(self.pattern.about.to_owned()) }),
                entry("angle", Node { span, value: number }),
            ];
            table.entries.push(entry("turned", Node { span, value: Value::Table(Table { entries: turned }) }));
        }
    }

    /// The copy of the same number of a part that is repeated as often; `leg.hole` is a place on `leg`.
    fn same_number(&self, name: &mut String) {
        let (part, rest) = match name.split_once('.') {
            Some((part, rest)) => (part.to_owned(), format!(".{rest}")),
            None => (name.clone(), String::new()),
        };
        if self.patterns.get(&part).is_some_and(|other| other.count == self.pattern.count) {
            *name = format!("{part}_{}{rest}", self.number);
        }
    }
}

fn entry(name: &str, node: Node) -> Entry {
    Entry { name: name.to_owned(), name_span: node.span, node }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::scene::parse;
    use lissome_lie::{Pose, Rotation};
    use lissome_model::Mount;
    use nalgebra::Vector3;
    use std::f64::consts::TAU;

    const LEGS: &str = r#"
schema = 1
[material.m]
young = "1 GPa"
poisson = 0.3
[joint.motor]
kind = "revolute"
parent = { position = ["50 mm", 0, 0], rotvec = [0, 0, "90 deg"] }
angle = 0
pattern = { count = 6, about = "z" }
[rod.leg]
material = "m"
length = "200 mm"
section = { shape = "circle", radius = "0.5 mm" }
base = { fixed_to = "motor", tangent = [0, 0, 1] }
tip = "plate.rim"
pattern = { count = 6 }
[body.plate]
mass = "10 g"
start = { position = [0, 0, "200 mm"] }
frames = { rim = { position = ["30 mm", 0, 0], tangent = [0, 0, 1] } }
[load.push]
rod = "leg"
at = "100 mm"
force = [0, 0, "0.01 N"]
pattern = { count = 6 }
"#;

    #[test]
    fn copies_stand_around_the_axis_and_hang_on_each_other() {
        let scene = parse("t", LEGS.into(), &[]).unwrap().scene;
        assert_eq!((scene.rods.len(), scene.joints.len(), scene.loads.len()), (6, 6, 6));
        let quarter = Rotation::exp(&(Vector3::z() * TAU / 4.0));
        for k in 0..6 {
            let name = format!("leg_{}", k + 1);
            assert_eq!((&scene.rods[k].name, &scene.joints[k].name), (&name, &format!("motor_{}", k + 1)));
            let turn = Pose::new(Rotation::exp(&(Vector3::z() * (TAU * k as f64 / 6.0))), Vector3::zeros());
            let motor = turn * Pose::new(quarter, Vector3::new(0.05, 0.0, 0.0));
            let gap = scene.joints[k].parent.pose.boxminus(&motor);
            assert!(gap.linear.norm() < 1e-15 && gap.angular.norm() < 1e-15, "{name}");
            // The leg stands on its own motor, as the first does on its.
            let (base, first) = (scene.rods[k].base.unwrap(), scene.rods[0].base.unwrap());
            assert_eq!((base.of, base.pose), (lissome_model::FrameOf::Joint(k), first.pose));
            let tip = scene.rods[k].tip.unwrap().pose.position;
            assert!((tip - turn.transform(&Vector3::new(0.03, 0.0, 0.0))).norm() < 1e-15, "{name}");
            assert_eq!(scene.loads[k].rod, k);
        }
        assert!(matches!(scene.bodies[0].mount, Mount::Free(_)));
    }

    #[test]
    fn faults_of_patterns_are_told() {
        let code = |from: &str, to: &str| {
            let text = LEGS.replacen(from, to, 1);
            assert_ne!(text, LEGS);
            parse("t", text, &[]).err().map_or("no fault", |faults| faults[0].fault.code())
        };
        assert_eq!(code("count = 6, about = \"z\"", "about = \"z\""), "E0204");
        assert_eq!(code("about = \"z\"", "about = \"w\""), "E0206");
        assert_eq!(code("count = 6, ", "count = 0, "), "E0305");
        assert_eq!(code("[body.plate]", "[rod.leg_2]\nlike = \"leg\"\n[body.plate]"), "E0213");
    }

    #[test]
    fn euler_angles_by_the_name_of_their_sequence() {
        let at = |euler: &str| {
            let text = LEGS.replacen("rotvec = [0, 0, \"90 deg\"]", &format!("euler = {euler}"), 1);
            parse("t", text, &[]).unwrap().scene.joints[0].parent.pose.rotation
        };
        let turn = |axis: Vector3<f64>, degrees: f64| Rotation::exp(&(axis * degrees.to_radians()));
        let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
        let near = |a: Rotation, b: Rotation| (a.matrix() - b.matrix()).amax() < 1e-15;
        let moving = at("{ sequence = \"ZYX\", angles = [\"30 deg\", \"20 deg\", \"10 deg\"] }");
        assert!(near(moving, turn(z, 30.0) * turn(y, 20.0) * turn(x, 10.0)));
        // Turns about fixed axes are those about moving ones in the opposite order.
        assert!(near(moving, at("{ sequence = \"xyz\", angles = [\"10 deg\", \"20 deg\", \"30 deg\"] }")));
        let proper = at("{ sequence = \"ZXZ\", angles = [0.1, 0.2, 0.3] }");
        assert!(near(proper, Rotation::exp(&(z * 0.1)) * Rotation::exp(&(x * 0.2)) * Rotation::exp(&(z * 0.3))));
    }
}
