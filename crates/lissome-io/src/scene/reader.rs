//! Typed access to one table of the document. Unknown keys are reported when the table is opened; every getter
//! reports what it refuses and answers `None`, so that reading goes on to the next mistake.

use super::dimension::Dimension;
use super::document::{Entry, Node, Table, Value};
use super::findings::Findings;
use super::keys::{self, Key};
use super::units::{self, Quantity, UnitError};
use crate::fault::Fault;
use crate::nearest::nearest;
use crate::source::Span;
use lissome_model::{Bounds, Quantity as Kind};
use nalgebra::Vector3;

/// Which numbers a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Any finite number.
    Any,
    /// Above zero.
    Positive,
    /// Zero or more.
    NotNegative,
}

/// One table being read.
pub struct Reader<'d> {
    table: &'d Table,
    keys: &'static [Key],
    /// Dotted path of the table.
    pub path: String,
    /// The name under which the table stands.
    pub span: Option<Span>,
}

impl<'d> Reader<'d> {
    /// Opens a table, reporting the keys it should not have.
    pub fn open(
        table: &'d Table,
        keys: &'static [Key],
        path: impl Into<String>,
        span: Option<Span>,
        findings: &mut Findings,
    ) -> Self {
        let reader = Self { table, keys, path: path.into(), span };
        for entry in &table.entries {
            if keys::find(keys, &entry.name).is_none() {
                let known = keys.iter().map(|k| k.name.to_owned()).collect();
                let fault = Fault::UnknownKey { key: clip(&entry.name), known };
                findings.add::<()>(fault, reader.join(&entry.name), Some(entry.name_span));
            }
        }
        reader
    }

    /// Opens the table that `node` should be.
    pub fn open_node(
        node: &'d Node,
        keys: &'static [Key],
        path: impl Into<String>,
        span: Option<Span>,
        findings: &mut Findings,
    ) -> Option<Self> {
        let path = path.into();
        match &node.value {
            Value::Table(table) => Some(Self::open(table, keys, path, span.or(Some(node.span)), findings)),
            other => {
                let expected = "a table";
                let fault = Fault::WrongType { expected, found: other.kind(), example: "{ key = value }" };
                findings.add(fault, path, Some(node.span))
            }
        }
    }

    /// Dotted path of a key; of the table itself if the key is empty.
    pub fn join(&self, name: &str) -> String {
        if name.is_empty() {
            return self.path.clone();
        }
        if self.path.is_empty() { clip(name) } else { [&*self.path, &*clip(name)].join(".") }
    }

    fn example(&self, name: &str) -> &'static str {
        keys::find(self.keys, name).map_or("…", |k| k.example)
    }

    /// True if the key is given.
    pub fn has(&self, name: &str) -> bool {
        self.table.entry(name).is_some()
    }

    /// The entry of a key.
    pub fn entry(&self, name: &str) -> Option<&'d Entry> {
        self.table.entry(name)
    }

    /// Where a key's value stands, or else the table's name.
    pub fn span_of(&self, name: &str) -> Option<Span> {
        self.table.get(name).map(|node| node.span).or(self.span)
    }

    /// Notes a fault at a key (or at the table, if it lacks the key).
    pub fn fault<T>(&self, name: &str, fault: Fault, findings: &mut Findings) -> Option<T> {
        findings.add(fault, self.join(name), self.span_of(name))
    }

    /// Notes that a key is missing, unless a mistyped one was already reported in its place.
    pub fn missing<T>(&self, name: &'static str, findings: &mut Findings) -> Option<T> {
        let mistyped = |written: &str| {
            keys::find(self.keys, written).is_none() && nearest(written, self.keys.iter().map(|k| k.name)) == Some(name)
        };
        if self.table.names().any(mistyped) {
            return None;
        }
        let fault = Fault::MissingKey { owner: self.owner(), key: name, example: self.example(name) };
        findings.add(fault, self.join(name), self.span)
    }

    /// What the table is called in messages.
    pub fn owner(&self) -> String {
        if self.path.is_empty() { "the scene".into() } else { self.path.clone() }
    }

    fn wrong_type<T>(&self, name: &str, expected: &'static str, node: &Node, findings: &mut Findings) -> Option<T> {
        let fault = Fault::WrongType { expected, found: node.value.kind(), example: self.example(name) };
        findings.add(fault, self.join(name), Some(node.span))
    }

    /// Reports two keys that exclude each other; true if they do not both stand here.
    pub fn not_both(&self, first: &str, second: &str, reason: &'static str, findings: &mut Findings) -> bool {
        if !(self.has(first) && self.has(second)) {
            return true;
        }
        let fault = Fault::Clash { first: first.into(), second: second.into(), reason };
        let span = self.entry(second).map(|e| e.name_span);
        findings.add::<()>(fault, self.join(second), span);
        false
    }

    /// Text, if given.
    pub fn text(&self, name: &str, findings: &mut Findings) -> Option<&'d str> {
        let node = self.table.get(name)?;
        match &node.value {
            Value::Text(text) => Some(text),
            _ => self.wrong_type(name, "a string", node, findings),
        }
    }

    /// One of a few words, if given; the index of the word.
    pub fn choice(&self, name: &str, choices: &'static [&'static str], findings: &mut Findings) -> Option<usize> {
        let text = self.text(name, findings)?;
        choices.iter().position(|c| *c == text).or_else(|| {
            let fault = Fault::UnknownChoice { value: clip(text), choices: choices.to_vec() };
            self.fault(name, fault, findings)
        })
    }

    /// A whole number from 0 up, if given.
    pub fn count(&self, name: &str, findings: &mut Findings) -> Option<usize> {
        let node = self.table.get(name)?;
        let Value::Number(number) = &node.value else {
            return self.wrong_type(name, "a whole number", node, findings);
        };
        // Whole numbers are exact in f64 up to 2⁵³; no count of a scene comes near.
        let whole = number.value.fract() == 0.0 && (0.0..=9e15).contains(&number.value);
        if whole {
            Some(number.value as usize)
        } else {
            let fault = if number.value < 0.0 {
                Fault::Negative { value: number.value }
            } else if number.value.is_finite() {
                Fault::NotACount { value: number.value }
            } else {
                Fault::NotFinite { value: number.value }
            };
            self.fault(name, fault, findings)
        }
    }

    /// `true` or `false`, if given.
    pub fn flag(&self, name: &str, findings: &mut Findings) -> Option<bool> {
        let node = self.table.get(name)?;
        match node.value {
            Value::Flag(flag) => Some(flag),
            _ => self.wrong_type(name, "true or false", node, findings),
        }
    }

    /// A table, if given.
    pub fn table(&self, name: &str, keys: &'static [Key], findings: &mut Findings) -> Option<Reader<'d>> {
        let entry = self.table.entry(name)?;
        Reader::open_node(&entry.node, keys, self.join(name), Some(entry.name_span), findings)
    }

    /// An array of tables, if given: each entry opened, `None` where one is not a table.
    pub fn list(&self, name: &str, keys: &'static [Key], findings: &mut Findings) -> Option<Vec<Option<Reader<'d>>>> {
        let node = self.table.get(name)?;
        let Value::Array(items) = &node.value else {
            return self.wrong_type(name, "an array of tables", node, findings);
        };
        let path = self.join(name);
        let open = |(i, item): (usize, &'d Node)| {
            Reader::open_node(item, keys, [path.as_str(), &i.to_string()].join("."), None, findings)
        };
        Some(items.iter().enumerate().map(open).collect())
    }

    /// One table of such an array.
    pub fn item(&self, name: &str, index: usize, keys: &'static [Key], f: &mut Findings) -> Option<Reader<'d>> {
        let Value::Array(items) = &self.table.get(name)?.value else { return None };
        Reader::open_node(items.get(index)?, keys, [self.path.as_str(), name, &index.to_string()].join("."), None, f)
    }

    /// A quantity, if given.
    pub fn quantity(&self, name: &str, dimension: Dimension, sign: Sign, findings: &mut Findings) -> Option<f64> {
        let node = self.table.get(name)?;
        self.quantity_of(name, node, dimension, sign, findings)
    }

    /// A quantity that must be there.
    pub fn required(&self, name: &'static str, dimension: Dimension, sign: Sign, f: &mut Findings) -> Option<f64> {
        if self.has(name) { self.quantity(name, dimension, sign, f) } else { self.missing(name, f) }
    }

    /// A quantity at the base and at the tip: one value for both, or an array of two.
    pub fn tapered(&self, name: &str, dimension: Dimension, sign: Sign, findings: &mut Findings) -> Option<[f64; 2]> {
        let node = self.table.get(name)?;
        match &node.value {
            Value::Array(items) => {
                let [base, tip] = items.as_slice() else {
                    let fault = Fault::WrongCount { found: items.len(), expected: "two values, at base and tip" };
                    return self.fault(name, fault, findings);
                };
                let base = self.quantity_of(name, base, dimension, sign, findings);
                let tip = self.quantity_of(name, tip, dimension, sign, findings);
                Some([base?, tip?])
            }
            _ => self.quantity_of(name, node, dimension, sign, findings).map(|x| [x, x]),
        }
    }

    /// Three components, if given.
    pub fn vector(&self, name: &str, dimension: Dimension, findings: &mut Findings) -> Option<Vector3<f64>> {
        self.vector_of(name, self.table.get(name)?, dimension, findings)
    }

    /// Three components of a key, which may be an array's element.
    pub fn vector_of(
        &self,
        name: &str,
        node: &Node,
        dimension: Dimension,
        findings: &mut Findings,
    ) -> Option<Vector3<f64>> {
        let [x, y, z] = self.components(name, node, dimension, "three components", findings)?;
        Some(Vector3::new(x, y, z))
    }

    /// Two components, if given.
    pub fn pair(&self, name: &str, dimension: Dimension, findings: &mut Findings) -> Option<[f64; 2]> {
        self.components(name, self.table.get(name)?, dimension, "two components", findings)
    }

    /// Rows of quantities, all of the same length, if given: that length, and the quantities row by row.
    pub fn grid(&self, name: &str, dimension: Dimension, findings: &mut Findings) -> Option<(usize, Vec<f64>)> {
        let node = self.table.get(name)?;
        let Value::Array(rows) = &node.value else { return self.wrong_type(name, "an array of rows", node, findings) };
        let (mut columns, mut values) = (0, Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let Value::Array(items) = &row.value else { return self.wrong_type(name, "an array", row, findings) };
            if index > 0 && items.len() != columns {
                let fault = Fault::WrongCount { found: items.len(), expected: "rows of the same length" };
                return findings.add(fault, self.join(name), Some(row.span));
            }
            columns = items.len();
            for item in items {
                values.push(self.quantity_of(name, item, dimension, Sign::Any, findings)?);
            }
        }
        Some((columns, values))
    }

    /// `[w, x, y, z]`, if given.
    pub fn quaternion(&self, name: &str, findings: &mut Findings) -> Option<[f64; 4]> {
        let node = self.table.get(name)?;
        self.components(name, node, Dimension::NONE, "four components, w first", findings)
    }

    /// An arc length from 0 to `length`, if given; `"base"` and `"tip"` are its ends.
    pub fn station(&self, name: &str, length: f64, findings: &mut Findings) -> Option<f64> {
        let node = self.table.get(name)?;
        match &node.value {
            Value::Text(text) if text == "base" => Some(0.0),
            Value::Text(text) if text == "tip" => Some(length),
            Value::Text(text) if text.starts_with(|c: char| c.is_alphabetic()) && units::parse(text).is_err() => {
                let fault = Fault::UnknownChoice { value: clip(text), choices: vec!["base", "tip", "an arc length"] };
                self.fault(name, fault, findings)
            }
            _ => {
                let s = self.quantity_of(name, node, Dimension::LENGTH, Sign::Any, findings)?;
                // Arc lengths come from sums of decimal fractions: allow their rounding.
                let slack = 1e-9 * length;
                if (-slack..=length + slack).contains(&s) {
                    Some(s.clamp(0.0, length))
                } else {
                    self.fault(name, Fault::OffTheRod { s, length }, findings)
                }
            }
        }
    }

    /// Exactly `N` quantities: an array, or a string such as `"[0, 0, 1] N"`.
    fn components<const N: usize>(
        &self,
        name: &str,
        node: &Node,
        dimension: Dimension,
        expected: &'static str,
        findings: &mut Findings,
    ) -> Option<[f64; N]> {
        let values: [Option<f64>; N] = match &node.value {
            Value::Array(items) if items.len() == N => {
                std::array::from_fn(|i| self.quantity_of(name, &items[i], dimension, Sign::Any, findings))
            }
            Value::Array(items) => {
                return self.fault(name, Fault::WrongCount { found: items.len(), expected }, findings);
            }
            Value::Text(text) => match units::parse_vector(text) {
                Ok(parts) if parts.len() == N => std::array::from_fn(|i| {
                    self.checked(name, node.span, text, parts[i], dimension, Sign::Any, findings)
                }),
                Ok(parts) => {
                    return self.fault(name, Fault::WrongCount { found: parts.len(), expected }, findings);
                }
                Err(error) => return self.fault(name, unit_fault(error, text, dimension), findings),
            },
            _ => return self.wrong_type(name, "an array", node, findings),
        };
        let mut all = [0.0; N];
        for (own, value) in all.iter_mut().zip(values) {
            *own = value?;
        }
        Some(all)
    }

    /// One quantity of a key, which may be an array's element.
    pub fn quantity_of(
        &self,
        name: &str,
        node: &Node,
        dimension: Dimension,
        sign: Sign,
        findings: &mut Findings,
    ) -> Option<f64> {
        match &node.value {
            Value::Number(number) => {
                let quantity = Quantity { value: number.value, dimension, has_unit: true };
                self.checked(name, node.span, &number.text, quantity, dimension, sign, findings)
            }
            Value::Text(text) => match units::parse(text) {
                Ok(quantity) => self.checked(name, node.span, text, quantity, dimension, sign, findings),
                Err(error) => findings.add(unit_fault(error, text, dimension), self.join(name), Some(node.span)),
            },
            _ => self.wrong_type(name, "a number or a string with a unit", node, findings),
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn checked(
        &self,
        name: &str,
        span: Span,
        text: &str,
        quantity: Quantity,
        expected: Dimension,
        sign: Sign,
        findings: &mut Findings,
    ) -> Option<f64> {
        let Quantity { value, dimension: found, has_unit } = quantity;
        let fault = if !value.is_finite() {
            Fault::NotFinite { value }
        } else if !has_unit && expected != Dimension::NONE {
            Fault::NoUnit { text: clip(text), expected }
        } else if !expected.accepts(found) {
            Fault::WrongDimension { text: clip(text), found, expected }
        } else if sign == Sign::Positive && value <= 0.0 {
            Fault::NotPositive { value }
        } else if sign == Sign::NotNegative && value < 0.0 {
            Fault::Negative { value }
        } else if let Some(bounds) = beyond(value, expected, sign) {
            Fault::Magnitude { value, bounds }
        } else {
            return Some(value);
        };
        findings.add(fault, self.join(name), Some(span))
    }
}

/// The bounds that a value lies beyond. What must be positive is a size; whatever else may be as small as it likes, until
/// the model knows what it is of.
fn beyond(value: f64, dimension: Dimension, sign: Sign) -> Option<Bounds> {
    let kind = match (dimension.quantity()?, sign) {
        (Kind::Coordinate, Sign::Positive) => Kind::Size,
        (kind, _) => kind,
    };
    let permitted = if sign == Sign::Positive { kind.permits(value) } else { kind.permits_component(value) };
    (!permitted).then(|| kind.bounds())
}

fn unit_fault(error: UnitError, text: &str, expected: Dimension) -> Fault {
    let text = clip(text);
    match error {
        UnitError::NoNumber => Fault::Unreadable { text, found: None, expected },
        UnitError::Unexpected { found } => Fault::Unreadable { text, found: Some(found), expected },
        UnitError::Power => Fault::Unreadable { text, found: Some("power".into()), expected },
        UnitError::UnknownUnit { unit } => {
            let nearest = units::suggest(&unit, expected);
            Fault::UnknownUnit { unit, nearest, expected }
        }
    }
}

/// Names and values shorten in messages: a megabyte of pasted text helps nobody.
pub fn clip(text: &str) -> String {
    const SHOWN: usize = 48;
    clip_to(text, SHOWN)
}

/// The first `shown` characters, without control characters.
pub fn clip_to(text: &str, shown: usize) -> String {
    if text.len() <= shown && !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    let clean: String = text.chars().take(shown).map(|c| if c.is_control() { '·' } else { c }).collect();
    if text.chars().nth(shown).is_some() { format!("{clean}…") } else { clean }
}
