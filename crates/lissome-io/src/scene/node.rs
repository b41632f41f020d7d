//! Names and values of a TOML document, each of which knows where it was written.

use crate::source::Span;

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
