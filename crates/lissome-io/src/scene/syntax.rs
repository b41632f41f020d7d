//! TOML text to names and values that know where they were written.

use super::node::{Entry, Node, Number, Table, Value};
use crate::fault::Fault;
use crate::source::Span;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Parses one TOML value out of a larger text that starts `offset` bytes before it; `None` if it is not one.
pub fn parse_value(text: &str, source: usize, offset: usize) -> Option<Node> {
    DeValue::parse(text).ok().map(|value| convert(value, &Origin { source, offset, cuts: &[] }))
}

/// What the parser complains of.
pub(super) fn syntax_fault(error: &toml::de::Error) -> Fault {
    let message = error.message().to_owned();
    if message.contains("duplicate") {
        Fault::DuplicateKey
    } else if message.contains("recurs") {
        Fault::TooDeep
    } else {
        Fault::Syntax { message }
    }
}

/// Where a text that is parsed came from.
pub(super) struct Origin<'a> {
    /// Index of its source.
    pub source: usize,
    /// Where it begins there.
    pub offset: usize,
    /// Places of the text after which something was left out, and how many bytes in all until there.
    pub cuts: &'a [(usize, usize)],
}

impl Origin<'_> {
    /// A range of the text, where it was written.
    pub fn span(&self, range: Range<usize>) -> Span {
        let original = |at: usize| match self.cuts.partition_point(|(place, _)| *place <= at) {
            0 => self.offset + at,
            after => self.offset + at + self.cuts[after - 1].1,
        };
        let start = original(range.start);
        // What was left out after the last byte does not belong to it.
        let end = range.end.checked_sub(1).filter(|last| *last >= range.start).map_or(start, |last| original(last) + 1);
        Span::new(self.source, start..end)
    }
}

/// The parser's tree is taken apart on the way: both trees at once would be twice the memory.
fn convert(value: Spanned<DeValue<'_>>, at: &Origin<'_>) -> Node {
    let span = at.span(value.span());
    let number = |text: String, integer: bool| {
        let value = text.parse().unwrap_or(f64::NAN);
        Value::Number(Number { text: text.into(), value, integer })
    };
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(n) if n.radix() == 10 => number(n.as_str().to_owned(), true),
        DeValue::Integer(n) => match i64::from_str_radix(n.as_str(), n.radix()) {
            Ok(value) => Value::Number(Number { text: value.to_string().into(), value: value as f64, integer: true }),
            Err(_) => Value::Number(Number { text: n.to_string().into(), value: f64::INFINITY, integer: true }),
        },
        DeValue::Float(x) => number(x.as_str().to_owned(), false),
        DeValue::Boolean(flag) => Value::Flag(flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => {
            let mut items: Vec<Node> = items.into_iter().map(|item| convert(item, at)).collect();
            items.shrink_to_fit();
            Value::Array(items)
        }
        DeValue::Table(table) => Value::Table(convert_table(table, at)),
    };
    Node { span, value }
}

/// A table of the parser, in the order of the text.
pub(super) fn convert_table(table: DeTable<'_>, at: &Origin<'_>) -> Table {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(name, value)| Entry {
            name_span: at.span(name.span()),
            name: name.into_inner().into_owned(),
            node: convert(value, at),
        })
        .collect();
    // The parser sorts by name; people expect the order in which they wrote.
    entries.sort_by_key(|e| e.name_span.start);
    // Most tables have one or two entries, and a growing list room for four.
    entries.shrink_to_fit();
    Table { entries }
}
