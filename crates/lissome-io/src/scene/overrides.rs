//! `path=value` arguments: each changes one value of the document before it is read.
//!
//! A value is TOML if it parses as TOML, else a plain string, so that a shell needs few quotes:
//! `rod.arm.length=0.5`, `rod.arm.length="240 mm"`, `load.tip.force="[0, 0, 1] N"`, `rod.arm.material=steel`.

use super::document::{self, Document, Entry, Node, Table, Value};
use super::keys;
use super::reader::clip;
use crate::fault::{Fault, PathReason};
use crate::nearest::nearest;
use crate::source::{Source, Span};

/// Families whose members must be in the file: a mistyped name would otherwise make a thing of its own.
const FAMILIES: [&str; 11] =
    ["rod", "tubes", "body", "joint", "closure", "cable", "tendon", "spring", "obstacle", "load", "material"];

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
    let node = document::parse_value(value, source, offset)
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
    set(root, &parts, node, trimmed.trim_end())
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
    whole
}

/// A dotted path as it is applied: with its family, and the name of a drive in one piece.
pub fn canonical(root: &Table, path: &str) -> String {
    parts(root, path).join(".")
}

/// Its parts.
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
    match &mut target.value {
        Value::Table(table) => set(table, parts, node, path),
        Value::Array(items) => {
            let length = items.len();
            let item = name.parse::<usize>().ok().and_then(|i| items.get_mut(i));
            set_below(item.ok_or(fault(PathReason::NoSuchIndex { length }))?, rest, node, path)
        }
        _ => Err(fault(PathReason::BelowAValue)),
    }
}
