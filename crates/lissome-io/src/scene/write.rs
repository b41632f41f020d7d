//! A document back to TOML: the resolved scene, with the overrides in it, that can be run again.

use super::document::{Node, Table, Value};
use std::fmt::Write as _;

/// Arrays longer than this are broken, one entry a line.
const LINE_WIDTH: usize = 100;

/// The document as TOML: plain keys, then `[table]`s and `[family.name]`s, in the order of the file.
pub fn to_toml(root: &Table) -> String {
    let mut out = String::new();
    for entry in root.entries.iter().filter(|e| !is_table(&e.node)) {
        key_value(&mut out, &entry.name, &entry.node);
    }
    for entry in root.entries.iter() {
        let Value::Table(table) = &entry.node.value else { continue };
        let family = !table.entries.is_empty() && table.entries.iter().all(|e| is_table(&e.node));
        if family {
            for member in &table.entries {
                if let Value::Table(inner) = &member.node.value {
                    block(&mut out, &format!("{}.{}", key(&entry.name), key(&member.name)), inner);
                }
            }
        } else {
            block(&mut out, &key(&entry.name), table);
        }
    }
    out
}

fn is_table(node: &Node) -> bool {
    matches!(node.value, Value::Table(_))
}

fn block(out: &mut String, header: &str, table: &Table) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "\n[{header}]");
    for entry in &table.entries {
        key_value(out, &entry.name, &entry.node);
    }
}

fn key_value(out: &mut String, name: &str, node: &Node) {
    let mut text = String::new();
    value(&mut text, node);
    if let Value::Array(items) = &node.value
        && name.len() + 3 + text.len() > LINE_WIDTH
    {
        text = "[\n".into();
        for item in items {
            text.push_str("    ");
            value(&mut text, item);
            text.push_str(",\n");
        }
        text.push(']');
    }
    let _ = writeln!(out, "{} = {text}", key(name));
}

fn value(out: &mut String, node: &Node) {
    match &node.value {
        Value::Text(text) => string(out, text),
        Value::Number(number) => out.push_str(&number.text),
        Value::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Date(date) => out.push_str(date),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                value(out, item);
            }
            out.push(']');
        }
        Value::Table(table) if table.entries.is_empty() => out.push_str("{}"),
        Value::Table(table) => {
            out.push_str("{ ");
            for (i, entry) in table.entries.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { ", " });
                out.push_str(&key(&entry.name));
                out.push_str(" = ");
                value(out, &entry.node);
            }
            out.push_str(" }");
        }
    }
}

/// A value on one line.
pub fn inline(node: &Node) -> String {
    let mut text = String::new();
    value(&mut text, node);
    text
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare {
        return name.to_owned();
    }
    let mut out = String::new();
    string(&mut out, name);
    out
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
