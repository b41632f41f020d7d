//! A document with every quantity as a plain number in SI units: where parts of it are read again and again, text need not be parsed
//! each time.

use super::document::{Entry, Node, Number, Table, Value};
use super::keys::{self, Key, Kind};
use super::numbers::dimension_of;
use super::units;

/// The same table of a document that was read without complaint.
pub(super) fn table_in_si(table: &Table, keys: &'static [Key]) -> Table {
    each_entry(table, |entry| match keys::find(keys, &entry.name) {
        Some(key) => in_si(&entry.node, &key.kind),
        None => entry.node.clone(),
    })
}

fn in_si(node: &Node, kind: &Kind) -> Node {
    let each = |items: &[Node], kind: Kind| Value::Array(items.iter().map(|item| in_si(item, &kind)).collect());
    let value = match (kind, &node.value) {
        (Kind::Table(keys) | Kind::WordOrTable(_, keys) | Kind::OneOrList(keys), Value::Table(table)) => {
            Value::Table(table_in_si(table, keys))
        }
        (Kind::Frame, Value::Table(table)) => Value::Table(table_in_si(table, keys::FRAME)),
        (Kind::Family(keys), Value::Table(members)) => {
            Value::Table(each_entry(members, |member| in_si(&member.node, &Kind::Table(keys))))
        }
        (Kind::List(keys) | Kind::OneOrList(keys), Value::Array(items)) => each(items, Kind::Table(keys)),
        (Kind::Frames, Value::Array(items)) => each(items, Kind::Frame),
        (Kind::Drives(keys), Value::Table(drives)) => {
            Value::Table(each_entry(drives, |drive| match drive.node.value {
                Value::Table(_) => in_si(&drive.node, &Kind::Table(keys)),
                _ => in_si(&drive.node, &Kind::Driven),
            }))
        }
        _ if dimension_of(kind).is_some() => quantities_in_si(node),
        _ => node.value.clone(),
    };
    Node { span: node.span, value }
}

/// Words among them stay as they are.
fn quantities_in_si(node: &Node) -> Value {
    let plain = |value| Value::Number(Number::unwritten(value));
    match &node.value {
        Value::Text(text) => match (units::parse(text), units::parse_vector(text)) {
            (Ok(quantity), _) => plain(quantity.value),
            (_, Ok(parts)) => {
                let part = |part: &units::Quantity| Node { span: node.span, value: plain(part.value) };
                Value::Array(parts.iter().map(part).collect())
            }
            _ => node.value.clone(),
        },
        Value::Array(items) => {
            let item = |item: &Node| Node { span: item.span, value: quantities_in_si(item) };
            Value::Array(items.iter().map(item).collect())
        }
        Value::Number(number) => plain(number.value),
        other => other.clone(),
    }
}

fn each_entry(table: &Table, node: impl Fn(&Entry) -> Node) -> Table {
    let entry = |entry: &Entry| Entry { name: entry.name.clone(), name_span: entry.name_span, node: node(entry) };
    Table { entries: table.entries.iter().map(entry).collect() }
}
