//! Names of things: which can be one, and that rods, tubes, bodies, joints, closures, cables, tendons, springs
//! and obstacles do not share one.

use super::document::Table;
use super::document::Value;
use super::findings::Findings;
use super::keys::Key;
use super::reader::{Reader, clip};
use crate::fault::Fault;
use std::collections::HashMap;

/// Families that share one space of names.
pub const SHARED: [&str; 9] = ["rod", "tubes", "body", "joint", "closure", "cable", "tendon", "spring", "obstacle"];

/// Names make dotted paths and file names.
pub fn is_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

/// A reader of every named table of a family; bad names and values that are not tables are reported.
pub fn family<'d>(
    scene: &Reader<'d>,
    name: &str,
    keys: &'static [Key],
    findings: &mut Findings,
) -> Vec<(&'d str, Reader<'d>)> {
    let Some(entry) = scene.entry(name) else { return Vec::new() };
    let Value::Table(tables) = &entry.node.value else {
        let fault = Fault::WrongType {
            expected: "named tables",
            found: entry.node.value.kind(),
            example: "[rod.arm], [material.steel], [load.tip]",
        };
        findings.add::<()>(fault, scene.join(name), Some(entry.node.span));
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in &tables.entries {
        let path = format!("{}.{}", scene.join(name), clip(&entry.name));
        if !is_name(&entry.name) {
            findings.add::<()>(Fault::BadName { name: clip(&entry.name) }, path, Some(entry.name_span));
            continue;
        }
        match &entry.node.value {
            Value::Table(table) => {
                let reader = Reader::open(table, keys, path, Some(entry.name_span), findings);
                found.push((entry.name.as_str(), reader));
            }
            other => {
                let example = "a table such as [rod.arm]";
                let fault = Fault::WrongType { expected: "a table", found: other.kind(), example };
                findings.add::<()>(fault, path, Some(entry.name_span));
            }
        }
    }
    found
}

/// Reports names that two families of the scene use, and `world`, which is taken.
pub fn check_shared(root: &Table, findings: &mut Findings) {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    for family in SHARED {
        let Some(Value::Table(members)) = root.get(family).map(|node| &node.value) else { continue };
        for entry in &members.entries {
            let name = entry.name.as_str();
            let other = match name {
                "world" => Some("world".to_owned()),
                _ => seen.insert(name, family).map(|other| format!("{other}.{name}")),
            };
            if let Some(other) = other {
                let fault = Fault::NameTaken { name: clip(name), other: clip(&other) };
                findings.add::<()>(fault, format!("{family}.{}", clip(name)), Some(entry.name_span));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SHARED;

    /// What a name could want to do: run in a page, leave its folder, repaint a terminal, end a line of a table.
    const HOSTILE: [&str; 10] = [
        "<script>alert(1)</script>",
        "x\\\" onload=\\\"alert(1)",
        "../../../etc/passwd",
        "a/b",
        "\\u001b[31mred",
        "a,b\\nc",
        "=cmd()",
        "\\u202Ereversed",
        "${HOME}`id`",
        "name.with.dots",
    ];

    #[test]
    fn a_hundred_hostile_names_are_refused_in_every_family() {
        let families: Vec<&str> = SHARED.into_iter().chain(["material"]).collect();
        let mut tried = 0;
        for family in families {
            for name in HOSTILE {
                let text = format!("schema = 1\n[{family}.\"{name}\"]\n");
                let told = crate::scene::parse("x.toml", text, &[]).expect_err("it is no name");
                assert!(told.iter().any(|one| one.fault.code() == "E0211"), "{family} {name}: {told:?}");
                let shown: String = told.iter().map(ToString::to_string).collect();
                assert!(!shown.contains('\u{1b}') && shown.len() < 2000 * told.len(), "{family} {name}: {shown}");
                tried += 1;
            }
        }
        assert_eq!(tried, 100);
    }
}
