//! A TOML text read one `[header]` at a time.
//!
//! The parser keeps many bytes for each sign of a text, and a table of one entry takes it a kilobyte. What stands between
//! two headers is therefore parsed alone, taken over, and forgotten before the next. Where the sections belong, and which
//! may not follow each other, is decided here, by the rules of TOML for headers.
//!
//! ```text
//! text ── lines, without empty ones and comments ── header, body ── parser ── Branch ── Table
//! ```

use super::node::{Entry, Node, Table, Value};
use super::syntax::{Origin, convert_table};
use crate::fault::Fault;
use crate::source::Span;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A fault and where it is.
type Complaint = (Fault, Span);

/// Reads a text.
pub fn read(text: &str) -> Result<Table, Complaint> {
    let mut root = Branch::default();
    let mut lines = Lines { text, at: 0, state: State::default() };
    let mut header: Option<Piece<'_>> = None;
    let mut body = Piece::default();
    loop {
        let line = lines.next();
        let ends = line.as_ref().is_none_or(|line| line.is_header);
        if ends {
            let branch = match &header {
                Some(header) => root.below(header)?,
                None => &mut root,
            };
            branch.take(&body)?;
        }
        let Some(line) = line else { break };
        if line.is_header {
            body = Piece::default();
            let mut piece = Piece::default();
            piece.push(text, line.start..line.end);
            header = Some(piece);
        } else if !line.is_empty {
            body.push(text, line.start..line.end);
        }
    }
    Ok(root.into_table())
}

/// Part of a text, with what was left out of it.
#[derive(Default)]
struct Piece<'t> {
    /// As it was written, as long as nothing is left out: a section can be as long as the whole text.
    text: Cow<'t, str>,
    /// Places after which something was left out, and how many bytes in all until there.
    cuts: Vec<(usize, usize)>,
}

impl<'t> Piece<'t> {
    /// Adds a range of the whole text, which comes after all that was added before.
    fn push(&mut self, whole: &'t str, range: Range<usize>) {
        let removed = range.start - self.text.len();
        let before = self.cuts.last().map_or(0, |(_, until)| *until);
        let follows = before == removed;
        if !follows {
            self.cuts.push((self.text.len(), removed));
        }
        match &mut self.text {
            text if text.is_empty() => *text = Cow::Borrowed(&whole[range]),
            Cow::Borrowed(_) if follows => self.text = Cow::Borrowed(&whole[before..range.end]),
            text => text.to_mut().push_str(&whole[range]),
        }
    }

    fn origin(&self) -> Origin<'_> {
        Origin { source: 0, offset: 0, cuts: &self.cuts }
    }

    fn parse(&self) -> Result<DeTable<'_>, Complaint> {
        let told = |error: toml::de::Error| {
            (super::syntax::syntax_fault(&error), self.origin().span(error.span().unwrap_or(0..0)))
        };
        DeTable::parse(&self.text).map(Spanned::into_inner).map_err(told)
    }
}

/// What is open where a line begins.
#[derive(Clone, Copy, Default)]
struct State {
    /// Brackets.
    depth: usize,
    /// The quote of a string of several lines.
    string: Option<u8>,
}

impl State {
    /// The state after a line.
    fn after(mut self, line: &[u8]) -> Self {
        let mut at = 0;
        while at < line.len() {
            let three = |quote: u8| line[at..].starts_with(&[quote; 3]);
            match (self.string, line[at]) {
                (Some(b'"'), b'\\') => at += 1,
                (Some(quote), _) if three(quote) => {
                    self.string = None;
                    // Up to two quotes before the closing ones belong to the string.
                    at += line[at..].iter().take(5).take_while(|byte| **byte == quote).count() - 1;
                }
                (Some(_), _) => {}
                (None, b'#') => break,
                (None, quote @ (b'"' | b'\'')) if three(quote) => {
                    self.string = Some(quote);
                    at += 2;
                }
                (None, quote @ (b'"' | b'\'')) => at += length_of_string(&line[at..], quote) - 1,
                (None, b'[' | b'{') => self.depth += 1,
                (None, b']' | b'}') => self.depth = self.depth.saturating_sub(1),
                (None, _) => {}
            }
            at += 1;
        }
        self
    }
}

/// Bytes of a string on one line, with its quotes; the rest of the line if it is not closed.
fn length_of_string(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' if quote == b'"' => at += 1,
            byte if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// One line, with its end.
struct Line {
    start: usize,
    end: usize,
    /// A header begins here.
    is_header: bool,
    /// Nothing is said here: a comment, or nothing at all.
    is_empty: bool,
}

/// The lines of a text.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    state: State,
}

impl Lines<'_> {
    fn next(&mut self) -> Option<Line> {
        let start = self.at;
        let rest = &self.text[start..];
        if rest.is_empty() {
            return None;
        }
        let end = rest.find('\n').map_or(self.text.len(), |length| start + length + 1);
        let line = &self.text[start..end];
        let said = line.trim_start_matches([' ', '\t']);
        let outside = self.state.string.is_none();
        // A carriage return or another control character may be a fault, which is the parser's to find.
        let plain =
            || !said.trim_end_matches('\n').trim_end_matches('\r').contains(|c: char| c.is_control() && c != '\t');
        let is_empty = outside && (said == "\n" || said == "\r\n" || (said.starts_with('#') && plain()));
        let is_header = outside && self.state.depth == 0 && said.starts_with('[');
        if !is_empty {
            self.state = self.state.after(line.as_bytes());
        }
        self.at = end;
        Some(Line { start, end, is_header, is_empty })
    }
}

/// A table that headers speak of.
#[derive(Default)]
struct Branch {
    /// It has had a header of its own, or is the whole text.
    is_explicit: bool,
    /// What was said below its header.
    body: Vec<Entry>,
    /// What other headers said.
    children: Vec<Child>,
    by_name: HashMap<String, usize>,
}

/// A name that a header spoke of.
struct Child {
    name_span: Span,
    span: Span,
    value: Grown,
}

/// What headers made of a name.
enum Grown {
    One(Branch),
    /// `[[name]]`, each with its place.
    Many(Vec<(Span, Branch)>),
}

impl Branch {
    /// The branch that a header opens.
    fn below(&mut self, header: &Piece<'_>) -> Result<&mut Self, Complaint> {
        let origin = header.origin();
        let mut path = header.parse()?;
        let mut branch = self;
        loop {
            let Some((name, value)) = path.into_iter().next() else { return Ok(branch) };
            let name_span = origin.span(name.span());
            let span = origin.span(value.span());
            let (last, many, inner) = match value.into_inner() {
                DeValue::Table(inner) => (inner.is_empty(), false, inner),
                // An array of tables: what a header can end with.
                _ => (true, true, DeTable::new()),
            };
            branch = branch.child(&name.into_inner(), name_span, span, last, many)?;
            path = inner;
        }
    }

    /// The table of a name that a header speaks of, made where it is not there.
    fn child(
        &mut self,
        name: &str,
        name_span: Span,
        span: Span,
        last: bool,
        many: bool,
    ) -> Result<&mut Self, Complaint> {
        if let Some(index) = self.body.iter().position(|entry| entry.name == name) {
            if !last && is_dotted(&self.body[index]) {
                return Ok(self.grow(index));
            }
            let message = "a header cannot add to what was given as a value".to_owned();
            return Err((if last { Fault::DuplicateKey } else { Fault::Syntax { message } }, name_span));
        }
        let index = match self.by_name.get(name) {
            Some(index) => *index,
            None => {
                let value = if many { Grown::Many(Vec::new()) } else { Grown::One(Self::default()) };
                self.children.push(Child { name_span, span, value });
                self.by_name.insert(name.to_owned(), self.children.len() - 1);
                self.children.len() - 1
            }
        };
        let child = &mut self.children[index];
        match &mut child.value {
            Grown::One(_) if many => Err((Fault::DuplicateKey, name_span)),
            Grown::One(branch) if last && branch.is_explicit => Err((Fault::DuplicateKey, name_span)),
            Grown::One(branch) => {
                if last {
                    branch.is_explicit = true;
                    (child.name_span, child.span) = (name_span, span);
                }
                Ok(branch)
            }
            Grown::Many(_) if last && !many => Err((Fault::DuplicateKey, name_span)),
            Grown::Many(items) => {
                if many {
                    items.push((span, Self { is_explicit: true, ..Self::default() }));
                }
                items.last_mut().map(|(_, branch)| branch).ok_or((Fault::DuplicateKey, name_span))
            }
        }
    }

    /// Makes a branch of an entry of the body that is a table.
    fn grow(&mut self, index: usize) -> &mut Self {
        let Entry { name, name_span, node } = self.body.remove(index);
        let body = if let Value::Table(table) = node.value { table.entries } else { Vec::new() };
        let branch = Self { is_explicit: true, body, ..Self::default() };
        let index = self.children.len();
        self.by_name.insert(name, index);
        self.children.push(Child { name_span, span: node.span, value: Grown::One(branch) });
        let Grown::One(branch) = &mut self.children[index].value else { unreachable!("it was made above") };
        branch
    }

    /// Takes over what stands below a header.
    fn take(&mut self, body: &Piece<'_>) -> Result<(), Complaint> {
        let parsed = body.parse()?;
        let said = convert_table(parsed, &body.origin()).entries;
        match said.iter().find(|entry| self.by_name.contains_key(&*entry.name)) {
            Some(twice) => Err((Fault::DuplicateKey, twice.name_span)),
            None => {
                self.body = said;
                Ok(())
            }
        }
    }

    fn into_table(self) -> Table {
        let mut names: Vec<(String, usize)> = self.by_name.into_iter().collect();
        names.sort_by_key(|(_, index)| *index);
        let mut entries = self.body;
        entries.reserve_exact(names.len());
        for ((name, _), Child { name_span, span, value }) in names.into_iter().zip(self.children) {
            let value = match value {
                Grown::One(branch) => Value::Table(branch.into_table()),
                Grown::Many(items) => Value::Array(
                    items
                        .into_iter()
                        .map(|(span, item)| Node { span, value: Value::Table(item.into_table()) })
                        .collect(),
                ),
            };
            entries.push(Entry { name, name_span, node: Node { span, value } });
        }
        // People expect the order in which they wrote.
        entries.sort_by_key(|entry| entry.name_span.start);
        Table { entries }
    }
}

/// True for `a` of `a.b = 1`, to which a header may add tables of their own; not for `a = { b = 1 }`.
fn is_dotted(entry: &Entry) -> bool {
    matches!(entry.node.value, Value::Table(_)) && entry.node.span == entry.name_span
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Whether a text is TOML, by the parser that reads it whole, and by this one.
    fn both(text: &str) -> (Option<Table>, Result<Table, Complaint>) {
        let origin = Origin { source: 0, offset: 0, cuts: &[] };
        (DeTable::parse(text).ok().map(|table| convert_table(table.into_inner(), &origin)), read(text))
    }

    /// Names and values without their places.
    fn plain(table: &Table) -> String {
        super::super::write::to_toml(table)
    }

    #[test]
    fn the_same_as_a_text_read_whole() {
        let texts = [
            "",
            "a = 1",
            "a = 1\n[b]\nc = 2\n\n# x\n\n[b.d]\ne = [\n1,\n\n# y\n[2]\n]\n",
            "[a.b.c]\nx = 1\n[a]\ny = 2\n[a.b]\nz = 3\n",
            "[[a]]\nx = 1\n[a.b]\ny = 2\n[[a]]\nx = 3\n[[a.c]]\n[[a.c]]\nz = 1\n",
            "a = \"\"\"\n[b]\n\n# no comment\n\"\"\"\nb = '''\n[c]\n'''\n",
            "a = \"\"\"x\"\"\"\"\"\n[b]\n",
            "a = \"\\\"[\" # [\n[b]\nc = '['\n[d]\n",
            "a.b = 1\na.c = 2\n[d]\ne.f = 1\n",
            "[ \"x.y\" . z ] # end\nq = { a = 1, b = [ { c = 1 } ] }\n",
            "a = 1\r\n\r\n[b]\r\nc = 1\r\n",
            "\u{feff}a = 1\n",
            "  [a]\n\tb = 1\n",
            "[a]\nb.c = 1\n[a.b.d]\nx = 1\n[a.b.d.e]\n",
            "[a]\nb.c.e = 1\n[a.b.c.f]\nx = 1\n",
        ];
        for text in texts {
            let (whole, parts) = both(text);
            assert_eq!(
                plain(&parts.unwrap_or_else(|told| panic!("{text:?}: {told:?}"))),
                plain(&whole.unwrap()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_is_no_toml_is_refused_by_both() {
        let texts = [
            "[a]\n[a]\n",
            "[a.b]\n[a]\nb = 1\n",
            "[a]\nb = 1\n[a.b]\n",
            "[a]\nb = {}\n[a.b]\n",
            "[a]\nb = {}\n[a.b.c]\n",
            "[a]\nb.c = 1\n[a.b]\n",
            "[a]\nb.c = 1\n[a.b.d]\n[a.b.d]\n",
            "[a]\nb.c.e = 1\n[a.b.c]\n",
            "a = 1\n[a]\n",
            "[[a]]\n[a]\n",
            "[a]\n[[a]]\n",
            "[a]\nx = 1\n[[a.x]]\n",
            "a = []\n[[a]]\n",
            "[a\nb = 1\n",
            "[a] b = 1\n",
            "[]\n",
            "a = [1\n[b]\n",
            "a = \"\"\"\n[b]\n",
            "a = \"x\n[b]\n",
            "a = 1 # \u{0}\n",
            "# \u{0}\n",
            "a = 1\rb = 2\n",
            "[a]\nx = 1\nx = 2\n",
            "]\n[a]\n",
        ];
        for text in texts {
            let (whole, parts) = both(text);
            assert!(whole.is_none() && parts.is_err(), "{text:?}: {whole:?} {parts:?}");
        }
    }

    #[test]
    fn every_place_is_that_of_the_whole_text() {
        let text = "\n\n# c\na = 1\n\n\n[b.c]\n\n# d\n\nd = [1,\n\n 2]\n\n[[e]]\n\nf = \"é\"\n";
        let (whole, parts) = both(text);
        assert_eq!(parts.unwrap(), whole.unwrap());
    }
}
