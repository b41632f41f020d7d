//! `path=value` arguments: each changes one value of the document before it is read.
//!
//! A value is TOML if it parses as TOML, else a plain string, so that a shell needs few quotes:
//! `rod.arm.length=0.5`, `rod.arm.length="240 mm"`, `load.tip.force="[0, 0, 1] N"`, `rod.arm.material=steel`. Components of
//! vectors have names, `load.tip.force.z="1 N"`, and what can be driven but is no key of its part becomes a drive that
//! stands: `tip.scale=2`.

use super::document::{Document, Entry, Node, Number, Table, Value};
use super::keys;
use super::reader::clip;
use super::syntax::parse_value;
use super::units;
use crate::fault::{Fault, PathReason};
use crate::nearest::nearest;
use crate::source::{Source, Span};

/// Families whose members must be in the file: a mistyped name would otherwise make a thing of its own.
const FAMILIES: [&str; 11] =
    ["rod", "tubes", "body", "joint", "closure", "cable", "tendon", "spring", "obstacle", "load", "material"];

/// Vectors that are zero where nothing is written, so that one component of them can be given alone.
const ZERO_VECTORS: [&str; 6] = ["force", "moment", "force_per_length", "moment_per_length", "gravity", "position"];

/// What of a family can be driven and is no key of it, as its dotted path ends.
fn is_driven_alone(family: &str, last: &str) -> bool {
    match family {
        "load" => last == "scale",
        "cable" | "tendon" => ["tension", "length", "pull"].contains(&last),
        "tubes" => ["rotation", "insertion"].contains(&last),
        "joint" | "closure" => {
            let coordinates = ["angle", "travel", "first", "second", "rx", "ry", "rz", "u", "v", "x", "y", "z"];
            coordinates.contains(&last.strip_prefix("effort_").unwrap_or(last))
        }
        _ => false,
    }
}

/// Applies the arguments in order; the first that cannot be applied ends it.
pub fn apply(document: &mut Document, arguments: &[String]) -> Result<(), (Fault, Span)> {
    for (index, argument) in arguments.iter().enumerate() {
        let source = document.sources.len();
        document.sources.push(Source { name: format!("argument {}", index + 1), text: argument.clone() });
        apply_one(&mut document.root, argument, source)?;
    }
    Ok(())
}

fn apply_one(root: &mut Table, argument: &str, source: usize) -> Result<(), (Fault, Span)> {
    let whole = Span::new(source, 0..argument.len());
    let Some((path, value)) = argument.split_once('=') else {
        return Err((Fault::NotAnAssignment { argument: clip(argument) }, whole));
    };
    if value.trim().is_empty() {
        return Err((Fault::NotAnAssignment { argument: clip(argument) }, whole));
    }
    let offset = path.len() + 1 + (value.len() - value.trim_start().len());
    let value = value.trim();
    let span = Span::new(source, offset..offset + value.len());
    let node = parse_value(value, source, offset)
        .map(|node| Node { span, ..node })
        .unwrap_or_else(|| Node { span, value: Value::Text(value.to_owned()) });

    let trimmed = path.trim_start();
    let mut start = path.len() - trimmed.len();
    let mut parts = Vec::new();
    for part in trimmed.trim_end().split('.') {
        parts.push((part.trim(), Span::new(source, start..start + part.len())));
        start += part.len() + 1;
    }
    let parts = whole_path(root, parts);
    let parts: Vec<(&str, Span)> = parts.iter().map(|(part, span)| (part.as_str(), *span)).collect();
    check_path(root, trimmed.trim_end(), &parts)?;
    fill_vector(root, &parts, trimmed.trim_end())?;
    set(root, &parts, node, trimmed.trim_end())
}

/// Writes a vector that is zero by default where one of its components is to be set and the file has none.
fn fill_vector(root: &mut Table, parts: &[(&str, Span)], path: &str) -> Result<(), (Fault, Span)> {
    let Some(((axis, span), vector)) = parts.split_last() else { return Ok(()) };
    let Some((name, _)) = vector.last().filter(|(name, _)| ZERO_VECTORS.contains(name)) else { return Ok(()) };
    if !keys::AXES.contains(axis) || *name == "gravity" && vector.len() != 2 {
        return Ok(());
    }
    let mut table = &*root;
    for (level, (part, _)) in vector.iter().enumerate() {
        // What is like another takes its vectors from there.
        if level == 2 && (table.get("like").is_some() || table.get("pattern").is_some()) {
            return Ok(());
        }
        match table.get(part).map(|node| &node.value) {
            Some(Value::Table(inner)) if level + 1 < vector.len() => table = inner,
            None => break,
            Some(_) => return Ok(()),
        }
    }
    let zero = || Node { span: *span, value: Value::Number(Number { text: "0".into(), value: 0.0, integer: true }) };
    let zeros = Node { span: *span, value: Value::Array(vec![zero(), zero(), zero()]) };
    set(root, vector, zeros, path)
}

/// The path with the names of drives in one piece, and its family before a name alone: `motor.angle` is the drive
/// `motor.angle` if there is one, else `joint.motor.angle`.
fn whole_path(root: &Table, parts: Vec<(&str, Span)>) -> Vec<(String, Span)> {
    let mut whole: Vec<(String, Span)> = parts.iter().map(|(part, span)| ((*part).to_owned(), *span)).collect();
    let members = |family: &str| match root.get(family).map(|node| &node.value) {
        Some(Value::Table(table)) => Some(table),
        _ => None,
    };
    let [(first, span), second, ..] = parts.as_slice() else { return whole };
    // Names of tubes and of members of a family have a part more.
    for parts_of_name in [2, 3] {
        let Some(name) = parts.get(..parts_of_name) else { continue };
        let driven = name.iter().map(|(part, _)| *part).collect::<Vec<_>>().join(".");
        if members("drive").is_some_and(|drives| drives.get(&driven).is_some()) {
            whole.splice(0..parts_of_name, [("drive".into(), *span), (driven, second.1)]);
            return whole;
        }
    }
    if *first == "drive" {
        // Quotes as in the file are welcome; they hold a name of three parts together.
        let closes = |(part, _): &(&str, Span)| part.ends_with(['"', '\'']);
        let quoted = second.0.starts_with(['"', '\'']).then(|| parts.iter().position(closes)).flatten();
        let known = |last: &usize| {
            let name =
                parts.get(1..=*last).map(|name| name.iter().map(|(part, _)| *part).collect::<Vec<_>>().join("."));
            name.is_some_and(|name| members("drive").is_some_and(|drives| drives.get(&name).is_some()))
        };
        let known = [2, 3].into_iter().find(known);
        let last = quoted.or(known).unwrap_or(2).min(parts.len() - 1);
        let name = parts[1..=last].iter().map(|(part, _)| *part).collect::<Vec<_>>().join(".");
        whole.splice(1..=last, [(name.trim_matches(['"', '\'']).to_owned(), second.1)]);
        return whole;
    }
    if keys::find(keys::SCENE, first).is_none() {
        let owner = FAMILIES.iter().find(|family| members(family).is_some_and(|table| table.get(first).is_some()));
        if let Some(family) = owner {
            whole.insert(0, ((*family).to_owned(), *span));
        }
    }
    if let [(family, _), (name, at), (what, _), rest @ ..] = whole.as_slice()
        && rest.len() < 2
        && members(family).is_some_and(|table| table.get(name).is_some())
        && !is_key(family, what)
        && is_driven_alone(family, rest.last().map_or(what, |(last, _)| last))
    {
        let driven = whole[1..].iter().map(|(part, _)| part.as_str()).collect::<Vec<_>>().join(".");
        return vec![("drive".into(), *span), (driven, *at)];
    }
    whole
}

/// True if the members of a family have this key.
fn is_key(family: &str, name: &str) -> bool {
    match keys::find(keys::SCENE, family).map(|key| &key.kind) {
        Some(keys::Kind::Family(own)) => keys::find(own, name).is_some(),
        _ => false,
    }
}

/// A dotted path as it is applied: with its family, the name of a drive in one piece, components of vectors by their number.
pub fn canonical(root: &Table, path: &str) -> String {
    canonical_parts(root, path).join(".")
}

/// Its parts.
pub(super) fn canonical_parts(root: &Table, path: &str) -> Vec<String> {
    let mut parts = parts(root, path);
    let in_vector = parts.len() > 3 || parts.first().is_some_and(|first| first == "world");
    if let Some(last) = parts.last_mut().filter(|_| in_vector)
        && let Some(axis) = keys::AXES.iter().position(|axis| axis == last)
    {
        *last = axis.to_string();
    }
    parts
}

/// The parts of a path, with its family, the name of a drive in one piece.
pub fn parts(root: &Table, path: &str) -> Vec<String> {
    let parts = path.trim().split('.').map(|part| (part.trim(), Span::new(0, 0..0))).collect();
    whole_path(root, parts).into_iter().map(|(part, _)| part).collect()
}

fn check_path(root: &Table, path: &str, parts: &[(&str, Span)]) -> Result<(), (Fault, Span)> {
    let no_path =
        |nearest: Option<String>, reason, span| Err((Fault::NoSuchPath { path: clip(path), nearest, reason }, span));
    if let Some((_, span)) = parts.iter().find(|(part, _)| part.is_empty()) {
        return no_path(None, PathReason::Incomplete, *span);
    }
    let (first, first_span) = parts[0];
    if !FAMILIES.contains(&first) {
        let members = FAMILIES.iter().filter_map(|family| match root.get(family).map(|node| &node.value) {
            Some(Value::Table(table)) => Some(table.names()),
            _ => None,
        });
        return match nearest(first, members.flatten()) {
            Some(near) if keys::find(keys::SCENE, first).is_none() => {
                let rest: String = parts.iter().skip(1).map(|(part, _)| format!(".{part}")).collect();
                no_path(Some(format!("{near}{rest}")), PathReason::NoSuchThing, first_span)
            }
            _ => Ok(()),
        };
    }
    let Some((name, span)) = parts.get(1) else { return no_path(None, PathReason::Incomplete, first_span) };
    let members: Vec<&str> = match root.get(first).map(|node| &node.value) {
        Some(Value::Table(table)) => table.names().collect(),
        _ => Vec::new(),
    };
    if !members.contains(name) {
        let hint = nearest(name, members.iter().copied()).map(|near| {
            let rest: String = parts.iter().skip(2).map(|(part, _)| format!(".{part}")).collect();
            format!("{first}.{near}{rest}")
        });
        return no_path(hint, PathReason::NoSuchThing, *span);
    }
    if parts.len() == 2 {
        return no_path(None, PathReason::Incomplete, *span);
    }
    Ok(())
}

pub(super) fn set(table: &mut Table, parts: &[(&str, Span)], node: Node, path: &str) -> Result<(), (Fault, Span)> {
    let Some(((name, span), rest)) = parts.split_first() else { return Ok(()) };
    if rest.is_empty() {
        match table.entry_mut(name) {
            Some(entry) => entry.node = node,
            None => table.entries.push(Entry { name: (*name).to_owned(), name_span: *span, node }),
        }
        return Ok(());
    }
    if table.entry(name).is_none() {
        let node = Node { span: *span, value: Value::Table(Table::default()) };
        table.entries.push(Entry { name: (*name).to_owned(), name_span: *span, node });
    }
    match table.entry_mut(name) {
        Some(entry) => set_below(&mut entry.node, rest, node, path),
        None => Ok(()),
    }
}

fn set_below(target: &mut Node, parts: &[(&str, Span)], node: Node, path: &str) -> Result<(), (Fault, Span)> {
    let Some(((name, span), rest)) = parts.split_first() else {
        *target = node;
        return Ok(());
    };
    let fault = |reason| (Fault::NoSuchPath { path: clip(path), nearest: None, reason }, *span);
    // A vector with one unit, `"[0, 0, 1] N"`, is the same as three numbers with theirs.
    if let Value::Text(text) = &target.value
        && let Some(components) = components(text)
    {
        let own = target.span;
        let item = |text: String| Node { span: own, value: Value::Text(text) };
        target.value = Value::Array(components.into_iter().map(item).collect());
    }
    match &mut target.value {
        Value::Table(table) => set(table, parts, node, path),
        Value::Array(items) => {
            let length = items.len();
            let axis = || keys::AXES.iter().position(|axis| axis == name).filter(|_| length == keys::AXES.len());
            let item = name.parse::<usize>().ok().or_else(axis).and_then(|i| items.get_mut(i));
            set_below(item.ok_or(fault(PathReason::NoSuchIndex { length }))?, rest, node, path)
        }
        _ => Err(fault(PathReason::BelowAValue)),
    }
}

/// The numbers of `[a, b, c] unit`, each with the unit; `None` for any other text.
fn components(text: &str) -> Option<Vec<String>> {
    units::parse_vector(text).ok()?;
    let (inside, unit) = text.trim().strip_prefix('[')?.split_once(']')?;
    let one = |part: &str| format!("{} {}", part.trim().trim_matches(['"', '\'']), unit.trim()).trim().to_owned();
    Some(inside.split(',').map(one).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::scene::parse;
    use lissome_model::{LoadKind, Scene};
    use nalgebra::Vector3;

    const SCENE: &str = r#"
schema = 1
[material]
soft = { young = "200 kPa", poisson = 0.45, density = 1000 }
[rod.a]
material = "soft"
length   = "1 m"
section  = { shape = "circle", radius = "10 mm" }
base     = { fixed_to = "world" }
[rod.b]
like = "a"
base = { position = "[1, 2, 3] cm" }
[rod.c]
like = "b"
[load.tip]
rod   = "a"
at    = "tip"
force = "[1, 2, 3] mN"
[load.twist]
rod    = "a"
at     = "tip"
moment = [0, "1 mN*m", 0]
"#;

    fn scene(arguments: &[&str]) -> Result<Scene, String> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let read = parse("x.toml", SCENE.into(), &arguments);
        read.map(|loaded| loaded.scene).map_err(|told| told[0].fault.code().to_owned())
    }

    fn force(scene: &Scene, load: usize) -> Vector3<f64> {
        let LoadKind::Point { wrench, .. } = &scene.loads[load].kind else { panic!("a load at a point") };
        wrench.force
    }

    #[test]
    fn components_of_vectors_are_set_by_name_and_by_number() {
        for path in ["load.tip.force.z", "tip.force.z", "load.tip.force.2"] {
            let found = force(&scene(&[&format!("{path}=5 mN")]).unwrap(), 0);
            assert_eq!(found, Vector3::new(1e-3, 2e-3, 5e-3), "{path}");
        }
        // A vector that the file leaves at zero.
        assert_eq!(force(&scene(&["load.twist.force.y=0.5"]).unwrap(), 1), Vector3::new(0.0, 0.5, 0.0));
        assert_eq!(scene(&["world.gravity.z=-9.81"]).unwrap().gravity, Vector3::new(0.0, 0.0, -9.81));
        let moved = scene(&["rod.b.base.position.y=\"5 cm\""]).unwrap();
        assert_eq!(moved.rods[1].base, scene(&["rod.b.base.position=\"[1, 5, 3] cm\""]).unwrap().rods[1].base);
        // A part that is like another has no vector of its own to change.
        assert!(scene(&["rod.c.base.position.y=0.1"]).is_err());
        assert_eq!(scene(&["load.tip.force.w=1"]), Err("E0210".to_owned()));
        assert_eq!(scene(&["load.tip.force.3=1"]), Err("E0210".to_owned()));
        assert!(scene(&["load.tip.force.z=1 mm"]).is_err());
    }

    #[test]
    fn what_can_be_driven_is_set_without_a_table_of_drives() {
        for path in ["tip.scale", "load.tip.scale", "drive.tip.scale"] {
            let found = scene(&[&format!("{path}=2")]).unwrap();
            assert_eq!(found.drives.len(), 1, "{path}");
            assert_eq!((found.drives[0].path.as_str(), found.drives[0].signal.at(0.0)), ("tip.scale", 2.0), "{path}");
        }
        // A slip of a key stays one.
        assert_eq!(scene(&["load.tip.scal=2"]), Err("E0203".to_owned()));
        let loaded = parse("x.toml", SCENE.into(), &[]).unwrap();
        assert_eq!(loaded.canonical_path("tip.force.z"), loaded.canonical_path("load.tip.force.2"));
    }
}
