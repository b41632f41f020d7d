//! When two dotted paths name the same number: with and without the family, components by letter or by index, and what can be driven by
//! the key that holds its value.
//!
//! `load.tip.force.z` and `tip.force.2`, `tendon.pull.tension.0` and `pull.1.tension`, `joint.ball.value.1` and `ball.ry`.

use super::document::{Document, Node, Table, Value};
use super::overrides;
use crate::fault::Fault;
use crate::source::Span;

/// One name for every number, however a path calls it: for comparison alone.
pub fn identity(root: &Table, path: &str) -> String {
    let canonical = overrides::canonical_parts(root, path);
    driven_as(root, &canonical).unwrap_or_else(|| canonical.join("."))
}

/// True if a path of this identity holds all that one of another identity holds.
pub fn holds(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Refuses arguments of which a later one takes back what an earlier one set. A vector and then one component of it is no such pair.
pub fn check_once(document: &Document, arguments: &[String]) -> Result<(), (Fault, Span)> {
    let first = document.sources.len() - arguments.len();
    let path = |argument: &String| argument.split_once('=').map_or(0, |(path, _)| path.len());
    let named: Vec<String> =
        arguments.iter().map(|argument| identity(&document.root, &argument[..path(argument)])).collect();
    for (index, later) in named.iter().enumerate() {
        if let Some(earlier) = named[..index].iter().position(|earlier| holds(later, earlier)) {
            let name = |index: usize| arguments[index][..path(&arguments[index])].trim().to_owned();
            let span = Span::new(first + index, 0..path(&arguments[index]));
            let fault = Fault::GivenTwice {
                path: super::reader::clip(&name(index)),
                other: super::reader::clip(&name(earlier)),
            };
            return Err((fault, span));
        }
    }
    Ok(())
}

/// What a drive of this number is called.
fn driven_as(root: &Table, parts: &[String]) -> Option<String> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["drive", name] => {
            let (owner, what) = name.rsplit_once('.')?;
            let joint = ["joint", "closure"].into_iter().find_map(|family| member(root, family, owner));
            let coordinate = joint.and_then(|joint| effort_of(joint, what));
            Some(coordinate.map_or_else(|| (*name).to_owned(), |coordinate| format!("{owner}.effort_{coordinate}")))
        }
        // How a drive goes is not what it holds at a moment.
        ["drive", name @ ..] if is_course(root, name) => None,
        // Its name has a part more where it is one of a family.
        ["drive", name @ ..] => driven_as(root, &["drive".to_owned(), name.join(".")]),
        ["cable", name, what @ ("tension" | "length" | "pull")] => Some(format!("{name}.{what}")),
        ["tendon", name, what @ ("tension" | "length" | "pull"), index @ ..] => {
            let family = member(root, "tendon", name)?.get("count").is_some();
            match (family, index) {
                (false, []) => Some(format!("{name}.{what}")),
                (true, [index]) => Some(format!("{name}.{}.{what}", index.parse::<usize>().ok()? + 1)),
                _ => None,
            }
        }
        ["tubes", set, "tube", tube, what @ ("rotation" | "insertion")] => Some(format!("{set}.{tube}.{what}")),
        [family @ ("joint" | "closure"), name, what, index @ ..] => {
            let joint = member(root, family, name)?;
            let coordinates = coordinates(joint);
            let at = match index {
                [] if coordinates.len() == 1 => Some(0),
                [index] => index.parse::<usize>().ok(),
                _ => None,
            };
            let coordinate = match (*what, index) {
                ("value", _) => coordinates.get(at?).copied()?,
                ("angle" | "travel", []) => what,
                ("effort", _) => return Some(format!("{name}.effort_{}", coordinates.get(at?)?)),
                (_, []) => return Some(format!("{name}.effort_{}", effort_of(joint, what)?)),
                _ => return None,
            };
            Some(format!("{name}.{coordinate}"))
        }
        _ => None,
    }
}

/// True if the parts behind `drive` are a key of one that is there.
fn is_course(root: &Table, parts: &[&str]) -> bool {
    let Some(Value::Table(drives)) = root.get("drive").map(|node| &node.value) else { return false };
    (1..parts.len()).any(|count| drives.get(&parts[..count].join(".")).is_some())
}

/// The coordinate that an effort acts along.
fn effort_of<'j>(joint: &'j Table, what: &'j str) -> Option<&'j str> {
    match (what, coordinates(joint)) {
        ("torque", all) if all.contains(&"angle") => Some("angle"),
        ("force", all) if all.contains(&"travel") => Some("travel"),
        ("effort", [alone]) => Some(alone),
        _ => what.strip_prefix("effort_"),
    }
}

fn coordinates(joint: &Table) -> &'static [&'static str] {
    match joint.get("kind").map(|node| &node.value) {
        Some(Value::Text(kind)) => match kind.as_str() {
            "revolute" => &["angle"],
            "prismatic" => &["travel"],
            "cylindrical" => &["angle", "travel"],
            "universal" => &["first", "second"],
            "spherical" => &["rx", "ry", "rz"],
            "planar" => &["angle", "u", "v"],
            "free" => &["rx", "ry", "rz", "x", "y", "z"],
            _ => &[],
        },
        _ => &[],
    }
}

fn member<'t>(root: &'t Table, family: &str, name: &str) -> Option<&'t Table> {
    let table = |node: &'t Node| match &node.value {
        Value::Table(table) => Some(table),
        _ => None,
    };
    table(table(root.get(family)?)?.get(name)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::scene::parse;

    const SCENE: &str = r#"
schema = 1
[material]
soft = { young = "200 kPa", poisson = 0.45 }
[joint.ball]
kind = "spherical"
parent = "world"
value = [0, 0.1, 0]
[joint.motor]
kind = "revolute"
parent = { position = [0, "1 m", 0] }
torque = 0
[rod.a]
material = "soft"
length   = "1 m"
section  = { shape = "circle", radius = "20 mm" }
base     = "ball"
[rod.b]
like = "a"
base = "motor"
[tendon.pull]
rod     = "a"
count   = 2
radius  = "10 mm"
tension = ["1 N", "2 N"]
[cable.c]
points  = [{ position = [0, 0, "1 cm"] }, "a"]
tension = "1 N"
[load.tip]
rod   = "a"
at    = "tip"
force = "[0, 1, 2] mN"
"#;

    #[test]
    fn every_name_of_a_number_is_the_same() {
        let loaded = parse("x.toml", SCENE.into(), &[]).unwrap();
        for names in [
            &["load.tip.force.z", "tip.force.2", "load.tip.force.2"][..],
            &["rod.a.section.radius", "a.section.radius"],
            &["tendon.pull.tension.1", "pull.2.tension", "drive.pull.2.tension", "pull.tension.1"],
            &["cable.c.tension", "c.tension", "drive.c.tension"],
            &["joint.ball.value.1", "ball.ry", "ball.value.1"],
            &["joint.motor.torque", "motor.effort", "motor.torque", "motor.effort_angle", "joint.motor.effort"],
        ] {
            let all: Vec<String> = names.iter().map(|name| loaded.identity(name)).collect();
            assert!(all.iter().all(|own| *own == all[0]), "{names:?}: {all:?}");
        }
        assert_ne!(loaded.identity("pull.1.tension"), loaded.identity("pull.2.tension"));
        let driven = parse("x.toml", format!("{SCENE}[drive]\n\"tip.scale\" = {{ ramp = [0, 1] }}\n"), &[]).unwrap();
        assert_eq!(driven.identity("drive.tip.scale"), driven.identity("tip.scale"));
        assert!(!super::holds(&driven.identity("tip.scale"), &driven.identity("drive.tip.scale.ramp")));
        assert_ne!(loaded.identity("ball.rx"), loaded.identity("ball.ry"));
    }

    #[test]
    fn what_a_later_argument_takes_back_is_refused() {
        let read = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            let told = parse("x.toml", SCENE.into(), &arguments);
            told.map(|_| ()).map_err(|told| (told[0].fault.code(), told[0].place.clone().map(|place| place.file)))
        };
        let twice = Err(("E0220", Some("argument 2".to_owned())));
        assert_eq!(read(&["load.tip.force.z=1", "load.tip.force.2=2"]), twice);
        assert_eq!(read(&["load.tip.force.z=1", "tip.force.z=1"]), twice);
        assert_eq!(read(&["load.tip.force.z=1", "load.tip.force=[0, 0, 2]"]), twice);
        assert_eq!(read(&["cable.c.tension=1", "drive.c.tension=2"]), twice);
        assert_eq!(read(&["pull.2.tension=1", "tendon.pull.tension.1=2"]), twice);
        assert_eq!(read(&["load.tip.force=[0, 0, 2]", "load.tip.force.z=1"]), Ok(()));
        assert_eq!(read(&["load.tip.force.z=1", "load.tip.force.y=1", "tip.scale=2"]), Ok(()));
    }
}
