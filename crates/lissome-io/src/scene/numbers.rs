//! Numbers of a scene file by their dotted paths, and the scene with one of them changed: what derivatives are by.

use super::LoadedScene;
use super::dimension::Dimension;
use super::document::{Document, Node, Number, Table, Value};
use super::keys::{self, Key, Kind};
use super::overrides;
use super::reader::clip;
use super::units;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::fault_derivative::DerivativeFault;
use crate::nearest::nearest;
use crate::source::Span;
use lissome_model::Scene;
use std::sync::Arc;

/// Components of a vector.
const AXES: [&str; 3] = ["x", "y", "z"];

/// A number of a scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneNumber {
    /// Its dotted path, such as `load.tip.force.z`.
    pub path: String,
    /// Its value, SI.
    pub value: f64,
    /// Largest of the values that it stands in a row with; of a number that stands alone its own size.
    pub beside: f64,
    /// What it measures.
    pub dimension: Dimension,
    /// True if it is a component of a vector.
    pub is_component: bool,
    /// The key that holds it.
    pub(super) key: Arc<[String]>,
    /// Where it stands among the values of the key.
    pub(super) index: Arc<[usize]>,
}

impl SceneNumber {
    /// The value of its key with this number changed.
    pub(super) fn replaced_in(&self, node: &Node, value: f64) -> Node {
        replaced(node, &self.index, &Number::written(value))
    }
}

/// Values of a key: where each stands, and what its path ends with.
type Leaves = Vec<(Vec<usize>, String, f64)>;

impl LoadedScene {
    /// The numbers that a dotted path names: one, or those of a vector or table row by row.
    pub fn numbers(&self, path: &str) -> Result<Vec<SceneNumber>, Box<Diagnostic>> {
        let refuse = |fault| Err(Box::new(Diagnostic::new(Fault::Derivative(fault))));
        let mut parts = overrides::parts(&self.context().written, path);
        let root = &self.document.root;
        let Some((node, kind, used)) = walk_table(root, keys::SCENE, &parts, 0) else {
            let known = self.number_paths();
            let whole = parts.join(".");
            let nearest = nearest(&whole, known.iter().map(String::as_str)).map(str::to_owned);
            return refuse(DerivativeFault::UnknownInput { path: clip(path), nearest });
        };
        let not_a_number = |found: &str| {
            let found = found.to_owned();
            refuse(DerivativeFault::NotANumber { path: clip(path), found })
        };
        let Some(dimension) = dimension_of(kind) else { return not_a_number(what_is(kind)) };
        let in_space = matches!(kind, Kind::Vector(_));
        let mut leaves = Leaves::new();
        if !collect(node, in_space, &mut Vec::new(), String::new(), &mut leaves) {
            return not_a_number("a word");
        }
        let beside = leaves.iter().fold(0.0f64, |most, (_, _, value)| most.max(value.abs()));
        let rest = parts.split_off(used);
        let stem = parts.join(".");
        let wanted = rest.iter().fold(String::new(), |all, part| format!("{all}.{part}"));
        let key: Arc<[String]> = parts.into();
        let chosen: Vec<SceneNumber> = leaves
            .into_iter()
            .filter(|(index, name, _)| {
                let by_index = || index.iter().fold(String::new(), |all, i| format!("{all}.{i}"));
                let fits = |name: &str| {
                    name.strip_prefix(wanted.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                };
                fits(name) || fits(&by_index())
            })
            .map(|(index, name, value)| SceneNumber {
                path: [stem.as_str(), &name].concat(),
                value,
                beside,
                dimension,
                is_component: in_space || matches!(kind, Kind::Pair(_)),
                key: key.clone(),
                index: index.into(),
            })
            .collect();
        if chosen.is_empty() {
            return refuse(DerivativeFault::UnknownInput { path: clip(path), nearest: Some(key.join(".")) });
        }
        let written =
            key.get(..2).is_none_or(|start| match self.context().written.get(&start[0]).map(|node| &node.value) {
                Some(Value::Table(table)) => table.get(&start[1]).is_some(),
                _ => false,
            });
        if !written {
            return not_a_number("one of several copies that the file writes as one (a pattern)");
        }
        Ok(chosen)
    }

    /// The scene with one of its numbers changed. All that is like the part it belongs to changes with it, as it does when the file
    /// is changed.
    pub fn with_number(&self, number: &SceneNumber, value: f64) -> Result<Scene, Box<Diagnostic>> {
        self.part_anew(number, value).unwrap_or_else(|| self.whole_anew(number, value))
    }

    /// The same by reading all of the file.
    pub(super) fn whole_anew(&self, number: &SceneNumber, value: f64) -> Result<Scene, Box<Diagnostic>> {
        let unknown = || {
            let fault = DerivativeFault::UnknownInput { path: number.path.clone(), nearest: None };
            Box::new(Diagnostic::new(Fault::Derivative(fault)))
        };
        let (node, ..) = walk_table(&self.document.root, keys::SCENE, &number.key, 0).ok_or_else(unknown)?;
        let changed = replaced(node, &number.index, &Number::written(value));
        let nowhere = Span::new(0, 0..0);
        let parts: Vec<(&str, Span)> = number.key.iter().map(|part| (part.as_str(), nowhere)).collect();
        let refuse = |(fault, _): (Fault, Span)| Box::new(Diagnostic::new(fault));
        let mut root = self.context().written.clone();
        if walk_table(&root, keys::SCENE, &number.key, 0).is_none() {
            // It stands in a part that this one is like: what it takes from there is written out, as far as the number needs.
            let whole = self.document.root.entry(&number.key[0]).map(|family| family.node.clone());
            let taken = whole.and_then(|family| below(&family, number.key.get(1..3)?)).ok_or_else(unknown)?;
            overrides::set(&mut root, &parts[..3], taken, &number.path).map_err(refuse)?;
        }
        overrides::set(&mut root, &parts, changed, &number.path).map_err(refuse)?;
        super::scene_of(Document { sources: self.document.sources.clone(), root })
    }

    /// The key that holds a number, and its value.
    pub(super) fn place_of(&self, number: &SceneNumber) -> Option<(Vec<String>, Node)> {
        let (node, ..) = walk_table(&self.document.root, keys::SCENE, &number.key, 0)?;
        Some((number.key.to_vec(), node.clone()))
    }

    /// Dotted paths of all keys that hold numbers.
    pub fn number_paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        list_table(&self.document.root, keys::SCENE, "", &mut paths);
        paths
    }
}

/// The value under names in tables.
pub(super) fn below(node: &Node, names: &[String]) -> Option<Node> {
    let Some((first, rest)) = names.split_first() else { return Some(node.clone()) };
    match &node.value {
        Value::Table(table) => below(table.get(first)?, rest),
        _ => None,
    }
}

/// The value that a path leads to, what its key takes, and how many parts of the path lead there.
pub(super) fn walk_table<'d>(
    table: &'d Table,
    keys: &'static [Key],
    parts: &[String],
    used: usize,
) -> Option<(&'d Node, &'static Kind, usize)> {
    let name = parts.get(used)?;
    let (node, key) = (table.get(name)?, keys::find(keys, name)?);
    walk(node, &key.kind, parts, used + 1)
}

fn walk<'d>(
    node: &'d Node,
    kind: &'static Kind,
    parts: &[String],
    used: usize,
) -> Option<(&'d Node, &'static Kind, usize)> {
    match (kind, &node.value) {
        (Kind::Table(keys) | Kind::WordOrTable(_, keys) | Kind::OneOrList(keys), Value::Table(table)) => {
            walk_table(table, keys, parts, used)
        }
        (Kind::Frame, Value::Table(table)) => walk_table(table, keys::FRAME, parts, used),
        (Kind::Frames, Value::Array(items)) => {
            let item = items.get(parts.get(used)?.parse::<usize>().ok()?)?;
            walk(item, &Kind::Frame, parts, used + 1)
        }
        (Kind::List(keys) | Kind::OneOrList(keys), Value::Array(items)) => {
            match &items.get(parts.get(used)?.parse::<usize>().ok()?)?.value {
                Value::Table(table) => walk_table(table, keys, parts, used + 1),
                _ => None,
            }
        }
        (Kind::Family(keys), Value::Table(members)) => match &members.get(parts.get(used)?)?.value {
            Value::Table(table) => walk_table(table, keys, parts, used + 1),
            _ => None,
        },
        (Kind::Drives(keys), Value::Table(drives)) => {
            let node = drives.get(parts.get(used)?)?;
            match &node.value {
                Value::Table(table) => walk_table(table, keys, parts, used + 1),
                _ => Some((node, &Kind::Driven, used + 1)),
            }
        }
        (Kind::Table(_) | Kind::Frame | Kind::List(_) | Kind::Family(_) | Kind::Drives(_), _) => None,
        _ => Some((node, kind, used)),
    }
}

fn list_table(table: &Table, keys: &'static [Key], path: &str, out: &mut Vec<String>) {
    for entry in &table.entries {
        if let Some(key) = keys::find(keys, &entry.name) {
            let path = if path.is_empty() { entry.name.clone() } else { format!("{path}.{}", entry.name) };
            list(&entry.node, &key.kind, &path, out);
        }
    }
}

fn list(node: &Node, kind: &'static Kind, path: &str, out: &mut Vec<String>) {
    let each = |table: &Table, keys, out: &mut Vec<String>| {
        for member in &table.entries {
            if let Value::Table(inner) = &member.node.value {
                list_table(inner, keys, &format!("{path}.{}", member.name), out);
            }
        }
    };
    match (kind, &node.value) {
        (Kind::Table(keys) | Kind::WordOrTable(_, keys) | Kind::OneOrList(keys), Value::Table(table)) => {
            list_table(table, keys, path, out);
        }
        (Kind::Frame, Value::Table(table)) => list_table(table, keys::FRAME, path, out),
        (Kind::Family(keys) | Kind::Drives(keys), Value::Table(members)) => each(members, keys, out),
        (Kind::List(keys) | Kind::OneOrList(keys), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                if let Value::Table(table) = &item.value {
                    list_table(table, keys, &format!("{path}.{index}"), out);
                }
            }
        }
        (Kind::Frames, Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                if let Value::Table(table) = &item.value {
                    list_table(table, keys::FRAME, &format!("{path}.{index}"), out);
                }
            }
        }
        _ => {
            let mut leaves = Leaves::new();
            if dimension_of(kind).is_some() && collect(node, false, &mut Vec::new(), String::new(), &mut leaves) {
                out.push(path.to_owned());
            }
        }
    }
}

/// What the numbers of a key measure; `None` if it takes no numbers that may change a little.
pub(super) fn dimension_of(kind: &Kind) -> Option<Dimension> {
    match kind {
        Kind::Quantity(dimension)
        | Kind::Tapered(dimension)
        | Kind::Pair(dimension)
        | Kind::Several(dimension)
        | Kind::Vector(dimension)
        | Kind::Each(dimension)
        | Kind::Grid(dimension) => Some(*dimension),
        Kind::Station => Some(Dimension::LENGTH),
        Kind::Stiffness
        | Kind::Matrix
        | Kind::Inertia
        | Kind::Coordinates
        | Kind::Limits
        | Kind::Driven
        | Kind::DrivenList(_)
        | Kind::DrivenTable => Some(Dimension::NONE),
        _ => None,
    }
}

fn what_is(kind: &Kind) -> &'static str {
    match kind {
        Kind::Count | Kind::OneOrSix | Kind::WordOrCount(_) => "a whole number",
        Kind::Flag => "true or false",
        Kind::Quaternion => "a unit quaternion, whose components do not change alone (use rotvec)",
        Kind::Table(_) | Kind::Family(_) | Kind::List(_) | Kind::Frame | Kind::Frames => "a table",
        _ => "a word",
    }
}

/// Lists the numbers of a value; false if one of them is a word.
fn collect(node: &Node, in_space: bool, index: &mut Vec<usize>, name: String, out: &mut Leaves) -> bool {
    let part = |i: usize| match AXES.get(i) {
        Some(axis) if in_space => [&name, ".", axis].concat(),
        _ => format!("{name}.{i}"),
    };
    match &node.value {
        Value::Number(number) => out.push((index.clone(), name, number.value)),
        Value::Text(text) => match (units::parse(text), units::parse_vector(text)) {
            (Ok(quantity), _) => out.push((index.clone(), name, quantity.value)),
            (_, Ok(parts)) => {
                for (i, quantity) in parts.iter().enumerate() {
                    let at = index.iter().copied().chain([i]).collect();
                    out.push((at, part(i), quantity.value));
                }
            }
            _ => return false,
        },
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                index.push(i);
                let all = collect(item, in_space, index, part(i), out);
                index.pop();
                if !all {
                    return false;
                }
            }
        }
        _ => return false,
    }
    true
}

/// The value with one number of it replaced.
pub(super) fn replaced(node: &Node, index: &[usize], number: &Number) -> Node {
    let span = node.span;
    let Some((first, rest)) = index.split_first() else { return Node { span, value: Value::Number(number.clone()) } };
    let items: Vec<Node> = match &node.value {
        Value::Array(items) => items.clone(),
        Value::Text(text) => {
            let parts = units::parse_vector(text).unwrap_or_default();
            let beside = |value| {
                Value::Number(if number.text.is_empty() { Number::unwritten(value) } else { Number::written(value) })
            };
            parts.iter().map(|part| Node { span, value: beside(part.value) }).collect()
        }
        _ => Vec::new(),
    };
    let change = |(i, item): (usize, Node)| if i == *first { replaced(&item, rest, number) } else { item };
    Node { span, value: Value::Array(items.into_iter().enumerate().map(change).collect()) }
}
