//! A TOML document as a tree in which every name and value knows where it was written.

use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::source::{Source, Span};
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it was written.
    pub span: Span,
    /// What was written.
    pub value: Value,
}

/// A TOML value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer or a float.
    Number(Number),
    /// A boolean.
    Flag(bool),
    /// A date or time; no key of a scene takes one.
    Date(String),
    /// An array.
    Array(Vec<Node>),
    /// A table, inline or not.
    Table(Table),
}

/// A number as it was written, so that a resolved scene repeats it digit for digit.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// As written.
    pub text: String,
    /// Its value; infinite if it is too large.
    pub value: f64,
    /// True if it was written without fraction or exponent.
    pub integer: bool,
}

/// Names and values in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The entries.
    pub entries: Vec<Entry>,
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Where the name was written.
    pub name_span: Span,
    /// The value.
    pub node: Node,
}

/// The scene's text and its tree.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file first, then the arguments.
    pub sources: Vec<Source>,
    /// The tree.
    pub root: Table,
}

impl Value {
    /// The kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Number(n) if n.integer => "an integer",
            Self::Number(_) => "a number",
            Self::Flag(_) => "a boolean",
            Self::Date(_) => "a date",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

impl Table {
    /// The entry of that name.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.name == name)
    }

    /// The entry of that name, to change it.
    pub fn entry_mut(&mut self, name: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().find(|e| e.name == name)
    }

    /// The value of that name.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|e| &e.node)
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.name.as_str())
    }
}

impl Document {
    /// Parses a scene file's text.
    pub fn parse(name: &str, text: String) -> Result<Self, Box<Diagnostic>> {
        let parsed = DeTable::parse(&text).map(|table| convert_table(table.get_ref(), 0, 0));
        let source = Source { name: name.to_owned(), text };
        match parsed {
            Ok(root) => Ok(Self { sources: vec![source], root }),
            Err(error) => {
                let span = Span::new(0, error.span().unwrap_or(0..0));
                Err(Box::new(Diagnostic::at(syntax_fault(&error), None, Some(span), &[source])))
            }
        }
    }

    /// The folder that the scene lies in; files it names are sought from there on.
    pub fn folder(&self) -> PathBuf {
        self.sources.first().and_then(|source| Path::new(&source.name).parent()).unwrap_or(Path::new("")).to_owned()
    }

    /// The span that speaks for a dotted path: the value at the longest part of the path that exists.
    pub fn locate(&self, path: &str) -> Option<Span> {
        let parts: Vec<&str> = path.split('.').collect();
        let mut rest = &parts[..];
        let mut table = &self.root;
        let mut found = None;
        while !rest.is_empty() {
            // The names of drives have dots of their own: the longest name that fits is meant.
            let longest = (1..=rest.len()).rev().find_map(|n| Some((n, table.entry(&rest[..n].join("."))?)));
            let Some((n, entry)) = longest else { break };
            rest = &rest[n..];
            match &entry.node.value {
                Value::Table(inner) => {
                    found = Some(entry.name_span);
                    table = inner;
                }
                // An entry of an array, counted from 0.
                Value::Array(items) => {
                    let item = rest.first().and_then(|part| items.get(part.parse::<usize>().ok()?));
                    match item.map(|item| (&item.value, item.span)) {
                        Some((Value::Table(inner), span)) => {
                            (found, table, rest) = (Some(span), inner, &rest[1..]);
                        }
                        Some((_, span)) => return Some(span),
                        None => return Some(entry.node.span),
                    }
                }
                _ => return Some(entry.node.span),
            }
        }
        found
    }
}

/// Parses one TOML value out of a larger text that starts `offset` bytes before it; `None` if it is not one.
pub fn parse_value(text: &str, source: usize, offset: usize) -> Option<Node> {
    DeValue::parse(text).ok().map(|value| convert(&value, source, offset))
}

fn syntax_fault(error: &toml::de::Error) -> Fault {
    let message = error.message().to_owned();
    if message.contains("duplicate") {
        Fault::DuplicateKey
    } else if message.contains("recurs") {
        Fault::TooDeep
    } else {
        Fault::Syntax { message }
    }
}

fn shift(range: Range<usize>, source: usize, offset: usize) -> Span {
    Span::new(source, range.start + offset..range.end + offset)
}

fn convert(value: &Spanned<DeValue<'_>>, source: usize, offset: usize) -> Node {
    let span = shift(value.span(), source, offset);
    let number = |text: String, integer: bool| {
        let value = text.parse().unwrap_or(f64::NAN);
        Value::Number(Number { text, value, integer })
    };
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.clone().into_owned()),
        DeValue::Integer(n) if n.radix() == 10 => number(n.as_str().to_owned(), true),
        DeValue::Integer(n) => match i64::from_str_radix(n.as_str(), n.radix()) {
            Ok(value) => Value::Number(Number { text: value.to_string(), value: value as f64, integer: true }),
            Err(_) => Value::Number(Number { text: n.to_string(), value: f64::INFINITY, integer: true }),
        },
        DeValue::Float(x) => number(x.as_str().to_owned(), false),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(date) => Value::Date(date.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| convert(item, source, offset)).collect()),
        DeValue::Table(table) => Value::Table(convert_table(table, source, offset)),
    };
    Node { span, value }
}

fn convert_table(table: &DeTable<'_>, source: usize, offset: usize) -> Table {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(name, value)| Entry {
            name: name.get_ref().clone().into_owned(),
            name_span: shift(name.span(), source, offset),
            node: convert(value, source, offset),
        })
        .collect();
    // The parser sorts by name; people expect the order in which they wrote.
    entries.sort_by_key(|e| e.name_span.start);
    Table { entries }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text_at(document: &Document, path: &str) -> String {
        let span = document.locate(path).unwrap();
        document.sources[span.source].text[span.start..span.end].to_owned()
    }

    #[test]
    fn every_value_knows_where_it_was_written() {
        let text = "schema = 1\n[rod.b]\nlength = \"2 m\"\nbase = { position = [0, 1.5, 0] }\n[rod.a]\nlength = 3\n";
        let document = Document::parse("x.toml", text.into()).unwrap();
        assert_eq!(text_at(&document, "rod.b.length"), "\"2 m\"");
        assert_eq!(text_at(&document, "rod.b.base.position"), "[0, 1.5, 0]");
        assert_eq!(text_at(&document, "rod.a.nothing.there"), "a");
        let Value::Table(rods) = &document.root.get("rod").unwrap().value else { panic!("rod is a table") };
        assert_eq!(rods.names().collect::<Vec<_>>(), ["b", "a"], "file order");
    }

    #[test]
    fn syntax_faults_have_a_place() {
        let twice = Document::parse("x", "a = 1\na = 2\n".into()).unwrap_err();
        assert_eq!(twice.fault, Fault::DuplicateKey);
        assert_eq!(twice.place.map(|p| (p.line, p.column)), Some((2, 1)));
        let deep = Document::parse("x", format!("a = {}", "[".repeat(500))).unwrap_err();
        assert!(matches!(deep.fault, Fault::TooDeep | Fault::Syntax { .. }), "{deep:?}");
    }

    #[test]
    fn numbers_keep_their_digits() {
        let document = Document::parse("x", "a = 1e999\nb = 0x10\nc = 0.10\nd = 1_000".into()).unwrap();
        let number = |name: &str| match &document.root.get(name).unwrap().value {
            Value::Number(n) => (n.text.clone(), n.value),
            other => panic!("{other:?}"),
        };
        assert_eq!(number("a").1, f64::INFINITY);
        assert_eq!(number("b"), ("16".into(), 16.0));
        assert_eq!(number("c"), ("0.10".into(), 0.10));
        assert_eq!(number("d").1, 1000.0);
    }
}
