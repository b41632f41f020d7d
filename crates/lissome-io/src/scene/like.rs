//! `like = "OTHER"`: a part takes the keys of another of its family where it has none of its own.
//!
//! Tables merge one level deep, so that `section = { radius = "2 mm" }` changes the radius and keeps the rest. A key that
//! stands instead of another, such as `diameter` for `radius`, drives the other out.

use super::document::{Entry, Node, Table, Value};
use super::findings::Findings;
use super::keys::OBSTACLE_SHAPES;
use super::reader::clip;
use crate::fault::Fault;
use std::collections::HashMap;

/// Families whose members may be like another.
const FAMILIES: [&str; 8] = ["rod", "body", "joint", "closure", "cable", "tendon", "spring", "obstacle"];

/// Keys of which each on the left excludes each on the right (but for itself).
const INSTEAD: [(&[&str], &[&str]); 17] = [
    (&["tangent", "quat_wxyz", "rotvec", "euler"], &["tangent", "quat_wxyz", "rotvec", "euler"]),
    (&["radius", "diameter", "taper"], &["radius", "diameter", "taper"]),
    (&["mount"], &["start", "velocity", "spin"]),
    (&["density"], &["mass", "centre", "inertia"]),
    (&["angle", "travel", "value"], &["torque", "force", "effort", "start", "rate"]),
    (&["angle", "travel", "torque", "force"], &["value", "effort"]),
    (&["tension", "length", "pull"], &["tension", "length", "pull"]),
    (&["table", "pieces", "runs"], &["table", "pieces", "runs", "radius", "position", "turns", "pitch"]),
    (&["position"], &["radius", "turns", "pitch"]),
    (&["turns", "pitch"], &["turns", "pitch"]),
    (&["spans", "control_poses", "tolerance"], &["spans", "control_poses", "tolerance"]),
    (&["spline", "linear_strain", "strain_basis"], &["spline", "linear_strain", "strain_basis"]),
    (&["curvature", "table", "control_poses"], &["curvature", "table", "control_poses"]),
    (OBSTACLE_SHAPES, OBSTACLE_SHAPES),
    (&["bushing"], &["stiffness", "rest_length", "damping"]),
    (&["stiffness_matrix"], &["turn", "shift"]),
    (&["damping_matrix"], &["turn_damping", "shift_damping"]),
];
/// Keys of a section that say what kind it is: with another kind, nothing of the old one is left.
const SECTION_KINDS: [&str; 3] = ["shape", "table", "stiffness"];

/// True if a part stands for several copies.
pub fn is_patterned(root: &Table) -> bool {
    has_part_with(root, "pattern")
}

/// True if a part of a family has that key.
fn has_part_with(root: &Table, key: &str) -> bool {
    let uses = |node: &Node| matches!(&node.value, Value::Table(own) if own.get(key).is_some());
    let of_family = |node: &Node| match &node.value {
        Value::Table(members) => members.entries.iter().any(|entry| uses(&entry.node)),
        _ => false,
    };
    root.entries.iter().any(|entry| of_family(&entry.node))
}

/// Carries out every `like` of the scene.
pub fn expand(root: &mut Table, findings: &mut Findings) {
    for family in FAMILIES {
        let Some(Value::Table(members)) = root.entry_mut(family).map(|entry| &mut entry.node.value) else { continue };
        let by_name: HashMap<&str, &Node> =
            members.entries.iter().map(|entry| (entry.name.as_str(), &entry.node)).collect();
        let mut all = Members { table: members, by_name, told_of_length: false };
        // Only what is like another is copied: a large scene is mostly members.
        let is_like = |entry: &Entry| matches!(&entry.node.value, Value::Table(own) if own.get("like").is_some());
        let expanded: Vec<(usize, Entry)> = (members.entries.iter().enumerate())
            .filter(|(_, entry)| is_like(entry))
            .map(|(index, entry)| (index, expand_member(entry, &mut all, family, findings)))
            .collect();
        for (index, entry) in expanded {
            members.entries[index] = entry;
        }
    }
}

/// A member may be like one that is like another, and so on, so many times: every link is read again for each member.
pub(super) const LONGEST_CHAIN: usize = 64;

/// The members of a family.
struct Members<'d> {
    table: &'d Table,
    by_name: HashMap<&'d str, &'d Node>,
    /// One chain that is too long is told, the others are its links.
    told_of_length: bool,
}

/// The member with what its models say, from the nearest to the farthest.
fn expand_member(entry: &Entry, members: &mut Members<'_>, family: &'static str, findings: &mut Findings) -> Entry {
    let mut expanded = entry.clone();
    let Value::Table(own) = &mut expanded.node.value else { return expanded };
    let mut chain = vec![entry.name.clone()];
    let mut link = own.entry("like").cloned();
    own.entries.retain(|e| e.name != "like");
    while let Some(like) = link {
        let path = format!("{family}.{}.like", clip(&entry.name));
        let Value::Text(name) = &like.node.value else {
            let found = like.node.value.kind();
            let fault = Fault::WrongType { expected: "a name", found, example: "\"leg_1\"" };
            findings.add::<()>(fault, path, Some(like.node.span));
            break;
        };
        let Some(Value::Table(model)) = members.by_name.get(name.as_str()).map(|node| &node.value) else {
            let known = members.table.names().filter(|known| *known != entry.name).map(str::to_owned).collect();
            let fault = Fault::UnknownName { family, name: clip(name), known };
            findings.add::<()>(fault, path, Some(like.node.span));
            break;
        };
        let closed = chain.contains(name);
        chain.push(name.clone());
        if closed {
            // A circle is told once, of its first member.
            let first = members.table.names().find(|known| chain.iter().any(|name| name == known));
            if *name == entry.name && first == Some(name) {
                findings.add::<()>(Fault::LikeCircle { chain }, path, Some(like.node.span));
            }
            break;
        }
        if chain.len() > LONGEST_CHAIN {
            if !std::mem::replace(&mut members.told_of_length, true) {
                let fault = Fault::LikeTooLong { limit: LONGEST_CHAIN };
                findings.add::<()>(fault, path, Some(like.node.span));
            }
            break;
        }
        inherit(own, model, 1);
        link = model.entry("like").cloned();
    }
    expanded
}

/// Adds the keys of `model` that are not there, merging tables `depth` levels deep.
fn inherit(own: &mut Table, model: &Table, depth: usize) {
    let mut added = Vec::new();
    // A copy of a part that is repeated is one part.
    for entry in model.entries.iter().filter(|entry| !["like", "pattern"].contains(&entry.name.as_str())) {
        let replaced = is_replaced(own, &entry.name);
        match (own.entry_mut(&entry.name).map(|e| &mut e.node.value), &entry.node.value) {
            (Some(Value::Table(own)), Value::Table(model)) if depth > 0 => {
                if !(entry.name == "section" && is_another_kind(own, model)) {
                    inherit(own, model, depth - 1);
                }
            }
            (Some(_), _) => {}
            (None, _) if replaced => {}
            (None, _) => added.push(entry.clone()),
        }
    }
    own.entries.append(&mut added);
}

fn is_another_kind(own: &Table, model: &Table) -> bool {
    let value = |table: &Table, key: &str| table.get(key).map(|node| node.value.clone());
    SECTION_KINDS.iter().any(|key| own.get(key).is_some() && value(own, key) != value(model, key))
}

/// True if a key of the table stands instead of this one, or makes it meaningless.
fn is_replaced(own: &Table, name: &str) -> bool {
    let any = |keys: &[&str]| keys.iter().any(|key| own.get(key).is_some());
    let instead = |(left, right): &(&[&str], &[&str])| {
        (left.contains(&name) && any(right)) || (right.contains(&name) && any(left))
    };
    // A place along one rod says nothing about another carrier.
    INSTEAD.iter().any(instead) || (name == "at" && any(&["fixed_to"]))
}
