//! A TOML document as a tree in which every name and value knows where it was written.

use super::sections;
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
    pub text: Box<str>,
    /// Its value; infinite if it is too large.
    pub value: f64,
    /// True if it was written without fraction or exponent.
    pub integer: bool,
}

impl Number {
    /// With the shortest text that is read as this number.
    pub fn written(value: f64) -> Self {
        Self { text: format!("{value:?}").into(), value, integer: false }
    }

    /// Of a document that nobody will see.
    pub fn unwritten(value: f64) -> Self {
        Self { text: Box::default(), value, integer: false }
    }
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
        let found = count_values(&text);
        if found > MOST_VALUES {
            return Err(Box::new(Diagnostic::new(Fault::TooManyValues { found, limit: MOST_VALUES })));
        }
        let read = sections::read(&text);
        let source = Source { name: name.to_owned(), text };
        match read {
            Ok(root) => Ok(Self { sources: vec![source], root }),
            Err((fault, span)) => Err(Box::new(Diagnostic::at(fault, None, Some(span), &[source]))),
        }
    }

    /// The folder that the scene lies in; files it names are sought from there on.
    pub fn folder(&self) -> PathBuf {
        self.sources.first().and_then(|source| Path::new(&source.name).parent()).unwrap_or(Path::new("")).to_owned()
    }

    /// The span that speaks for a dotted path: the value at the longest part of the path that exists. Where an argument changed
    /// something below it, that is the value in force.
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
            if rest.is_empty()
                && let Some(changed) = last_argument(&entry.node)
            {
                return Some(changed);
            }
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

/// The span of the last argument that gave a value at or below a node.
fn last_argument(node: &Node) -> Option<Span> {
    let below = match &node.value {
        Value::Table(table) => table.entries.iter().filter_map(|entry| last_argument(&entry.node)).collect(),
        Value::Array(items) => items.iter().filter_map(last_argument).collect(),
        _ => Vec::new(),
    };
    let own = (node.span.source > 0).then_some(node.span);
    below.into_iter().chain(own).max_by_key(|span| span.source)
}

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

/// Values that a scene may have: a robot of 20,000 rods has 300,000.
const MOST_VALUES: usize = 500_000;

/// About how many values a text has, by the signs that come before each, outside of strings and comments.
fn count_values(text: &str) -> usize {
    let (mut count, mut inside, mut escaped) = (0, None, false);
    for byte in text.bytes() {
        match (inside, byte) {
            (Some(b'"'), b'\\') if !escaped => {
                escaped = true;
                continue;
            }
            // A line ends a comment, and a string that was not closed.
            (Some(_), b'\n') => inside = None,
            (Some(open), close) if open == close && open != b'#' && !escaped => inside = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'' | b'#') => inside = Some(byte),
            (None, b',' | b'=' | b'[' | b'{') => count += 1,
            (None, _) => {}
        }
        escaped = false;
    }
    count
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text_at(document: &Document, path: &str) -> String {
        let span = document.locate(path).unwrap();
        document.sources[span.source as usize].text[span.start as usize..span.end as usize].to_owned()
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
    fn empty_lines_cost_nothing_and_move_nothing() {
        let empty = "\n".repeat(1000);
        let text = format!("{empty}a = 1\n{empty}{empty}[b]\n\n\n\nc = [1,\n{empty}2]\nd = \"é\"{empty}");
        let document = Document::parse("x", text.clone()).unwrap();
        for (path, written) in [("a", "1"), ("b.d", "\"é\"")] {
            assert_eq!(text_at(&document, path), written);
        }
        assert_eq!(text_at(&document, "b.c"), format!("[1,\n{empty}2]"));
        let wrong = Document::parse("x", format!("{empty}a = 1\n{empty}a = 2\n")).unwrap_err();
        assert_eq!(wrong.place.map(|p| (p.line, p.column)), Some((2002, 1)));
        // In a string they are part of it.
        let string = format!("a = \"\"\"x{empty}y\"\"\"");
        let document = Document::parse("x", string).unwrap();
        assert_eq!(document.root.get("a").unwrap().value, Value::Text(format!("x{empty}y")));
    }

    #[test]
    /// What the parser complains of.
    pub(super) fn syntax_faults_have_a_place() {
        let twice = Document::parse("x", "a = 1\na = 2\n".into()).unwrap_err();
        assert_eq!(twice.fault, Fault::DuplicateKey);
        assert_eq!(twice.place.map(|p| (p.line, p.column)), Some((2, 1)));
        let deep = Document::parse("x", format!("a = {}", "[".repeat(500))).unwrap_err();
        assert!(matches!(deep.fault, Fault::TooDeep | Fault::Syntax { .. }), "{deep:?}");
    }

    #[test]
    fn values_are_counted_before_they_are_read() {
        assert_eq!(count_values("a = 1 # x, y, [z]\nb = [1, 2]\nc = \"a, \\\" b\"\nd = 'x, y'\n[e]\n"), 7);
        let dense = format!("schema = 1\nx = [{}]\n", "1,".repeat(MOST_VALUES));
        let refused = Document::parse("x", dense).unwrap_err();
        assert!(matches!(refused.fault, Fault::TooManyValues { .. }), "{refused:?}");
        // Comments and long strings are no values, however many commas they have.
        let long = format!("a = \"{}\" # {}\n", ",".repeat(600_000), ",".repeat(600_000));
        assert!(Document::parse("x", long).is_ok());
    }

    #[test]
    fn numbers_keep_their_digits() {
        let document = Document::parse("x", "a = 1e999\nb = 0x10\nc = 0.10\nd = 1_000".into()).unwrap();
        let number = |name: &str| match &document.root.get(name).unwrap().value {
            Value::Number(n) => (n.text.to_string(), n.value),
            other => panic!("{other:?}"),
        };
        assert_eq!(number("a").1, f64::INFINITY);
        assert_eq!(number("b"), ("16".into(), 16.0));
        assert_eq!(number("c"), ("0.10".into(), 0.10));
        assert_eq!(number("d").1, 1000.0);
    }
}
