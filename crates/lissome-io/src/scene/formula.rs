//! Formulas in a scene: text to a tree, every complaint with its place in the text.
//!
//! ```text
//! comparison = sum ("<=" | ">=" | "=") sum
//! sum        = product (("+" | "-") product)*
//! product    = sign (("*" | "/") sign)*
//! sign       = "-" sign | power
//! power      = atom ("^" sign)?
//! atom       = number unit? | name | function "(" sum ("," sum)* ")" | "(" sum ")"
//! ```
//!
//! A unit stands behind its number and has no blanks inside: `3 N/m` is one number, `3 N / m` is 3 N divided by what is called m. A name
//! is a dotted path; one with other characters than letters, digits and `_` stands between backquotes.

use super::units;
use crate::nearest::nearest;
use lissome_model::formula::FUNCTIONS;
use lissome_model::{Formula, FormulaName, Operation, Term, TermKind};
use std::ops::Range;

/// Longest formula, bytes, and how deep its parentheses may be.
const LONGEST: usize = 4000;
const DEEPEST: usize = 60;

/// What is wrong with a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    /// Bytes of the text.
    pub place: Range<usize>,
    /// What was found there.
    pub reason: String,
    /// How to mend it.
    pub help: String,
}

/// How two sides compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// At most.
    AtMost,
    /// At least.
    AtLeast,
    /// Equal.
    Equal,
}

/// Reads a formula.
pub fn parse(text: &str) -> Result<Formula, FormulaError> {
    let mut parser = Parser::new(text)?;
    let tree = parser.sum()?;
    if parser.at < text.len() {
        let compares = text[parser.at..].starts_with(['<', '>', '=']);
        return Err(match compares {
            true => parser.error("a formula has one value: nothing to compare", "put comparisons into `constraints`"),
            false => parser.unexpected(),
        });
    }
    Ok(parser.formula(text, tree))
}

/// Reads two formulas that compare: left side, right side, and how. Both have all names.
pub fn parse_comparison(text: &str) -> Result<(Formula, Formula, Comparison), FormulaError> {
    let mut parser = Parser::new(text)?;
    let left = parser.sum()?;
    let rest = &text[parser.at..];
    let (sign, comparison) = [
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("==", Comparison::Equal),
        ("=", Comparison::Equal),
        ("<", Comparison::AtMost),
        (">", Comparison::AtLeast),
    ]
    .into_iter()
    .find(|(sign, _)| rest.starts_with(sign))
    .ok_or_else(|| {
        let reason = if rest.is_empty() { "it compares nothing" } else { "expected <=, >= or =" };
        parser.error(reason, "write a constraint as \"FORMULA <= VALUE\", such as \"arm.volume <= 2e-5\"")
    })?;
    parser.at += sign.len();
    parser.skip_blanks();
    let right = parser.sum()?;
    if parser.at < text.len() {
        return Err(parser.unexpected());
    }
    Ok((parser.formula(text, left), parser.formula(text, right), comparison))
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    names: Vec<FormulaName>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self, FormulaError> {
        let mut parser = Self { text, at: 0, depth: 0, names: Vec::new() };
        if text.len() > LONGEST {
            let help = format!("{LONGEST} characters are the most");
            return Err(FormulaError { place: 0..text.len(), reason: "the formula is too long".into(), help });
        }
        parser.skip_blanks();
        match text.trim().is_empty() {
            true => Err(FormulaError {
                place: 0..text.len(),
                reason: "the formula is empty".into(),
                help: "write for instance \"arm.tip.position.z\"".into(),
            }),
            false => Ok(parser),
        }
    }

    fn formula(&self, text: &str, tree: Term) -> Formula {
        Formula { text: text.to_owned(), names: self.names.clone(), tree }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a character if it comes next.
    fn take(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len_utf8();
            self.skip_blanks();
        }
        found
    }

    fn error(&self, reason: impl Into<String>, help: impl Into<String>) -> FormulaError {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        FormulaError { place: self.at..self.at + length, reason: reason.into(), help: help.into() }
    }

    fn unexpected(&self) -> FormulaError {
        match self.rest().chars().next() {
            None => self.error("the formula ends here", "a number, a name or a parenthesis is missing"),
            Some(')') => self.error("this parenthesis was not opened", "remove it, or open one before"),
            Some('-') => self.error("a name cannot go on like this", "put a name with a hyphen between backquotes"),
            Some(_) => self.error("not expected here", "write an operation + - * / ^ between numbers and names"),
        }
    }

    fn sum(&mut self) -> Result<Term, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("parentheses are nested too deep", "make it simpler"));
        }
        let start = self.at;
        let mut terms = vec![self.product()?];
        loop {
            let place = self.at;
            if self.take('+') {
                terms.push(self.product()?);
            } else if self.take('-') {
                let term = self.product()?;
                let place = place..term.place.end;
                terms.push(Term { kind: TermKind::Apply(Operation::Negate, vec![term]), place });
            } else {
                break;
            }
        }
        self.depth -= 1;
        Ok(self.joined(Operation::Add, terms, start))
    }

    /// One term as it is, several as an operation on them.
    fn joined(&self, operation: Operation, mut terms: Vec<Term>, start: usize) -> Term {
        let end = terms.last().map_or(start, |last| last.place.end);
        match terms.len() {
            1 => terms.swap_remove(0),
            _ => Term { kind: TermKind::Apply(operation, terms), place: start..end },
        }
    }

    fn product(&mut self) -> Result<Term, FormulaError> {
        let start = self.at;
        let mut terms = vec![self.sign()?];
        loop {
            if self.take('*') {
                terms.push(self.sign()?);
            } else if self.take('/') {
                let above = self.joined(Operation::Multiply, terms, start);
                let below = self.sign()?;
                let place = start..below.place.end;
                terms = vec![Term { kind: TermKind::Apply(Operation::Divide, vec![above, below]), place }];
            } else {
                return Ok(self.joined(Operation::Multiply, terms, start));
            }
        }
    }

    fn sign(&mut self) -> Result<Term, FormulaError> {
        let start = self.at;
        if !self.take('-') {
            return self.power();
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("signs are nested too deep", "make it simpler"));
        }
        let term = self.sign()?;
        self.depth -= 1;
        let place = start..term.place.end;
        // A number with a sign is a number.
        let kind = match term.kind {
            TermKind::Number(value) => TermKind::Number(-value),
            _ => TermKind::Apply(Operation::Negate, vec![term]),
        };
        Ok(Term { kind, place })
    }

    fn power(&mut self) -> Result<Term, FormulaError> {
        let base = self.atom(false)?;
        if !self.take('^') {
            return Ok(base);
        }
        let exponent = self.sign()?;
        let place = base.place.start..exponent.place.end;
        Ok(Term { kind: TermKind::Apply(Operation::Power, vec![base, exponent]), place })
    }

    fn atom(&mut self, may_be_vector: bool) -> Result<Term, FormulaError> {
        let Some(first) = self.rest().chars().next() else { return Err(self.unexpected()) };
        if first == '(' {
            let opened = self.at;
            self.take('(');
            let mut inner = self.sum()?;
            let end = self.at;
            if !self.take(')') {
                let place = opened..opened + 1;
                let help = "close it with )".to_owned();
                return Err(FormulaError { place, reason: "this parenthesis is not closed".into(), help });
            }
            inner.place = opened..end + 1;
            return Ok(inner);
        }
        if first.is_ascii_digit() || first == '.' {
            return self.number();
        }
        if first.is_alphabetic() || first == '`' || first == '_' {
            return self.name(may_be_vector);
        }
        Err(self.unexpected())
    }

    fn number(&mut self) -> Result<Term, FormulaError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start;
        let digits = |mut end: usize| {
            while end < bytes.len() && bytes[end].is_ascii_digit() {
                end += 1;
            }
            end
        };
        end = digits(end);
        if bytes.get(end) == Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let after = digits(end + 1 + sign);
            if after > end + 1 + sign {
                end = after;
            }
        }
        let text = &self.text[start..end];
        self.at = end;
        self.skip_blanks();
        let unit = self.unit();
        let whole = start..if unit.is_empty() { end } else { self.at };
        self.at += unit.len();
        let place = start..if unit.is_empty() { end } else { self.at };
        self.skip_blanks();
        let written = format!("{text} {unit}");
        match units::parse(written.trim()) {
            Ok(quantity) if quantity.value.is_finite() => Ok(Term { kind: TermKind::Number(quantity.value), place }),
            _ if unit.is_empty() => Err(FormulaError {
                place: whole,
                reason: "this is no number".into(),
                help: "write a number such as 2.5 or 1e-3".into(),
            }),
            _ => Err(FormulaError {
                place: place.end - unit.len()..place.end,
                reason: format!("`{unit}` is no unit"),
                help: "a unit follows its number; write * between a number and a name, and blanks around / and *"
                    .into(),
            }),
        }
    }

    /// The unit that begins here, if one does.
    fn unit(&self) -> &'t str {
        let rest = self.rest();
        let is_letter = |c: char| c.is_alphabetic() || c == '°' || c == '%';
        let letters = |from: usize| rest[from..].find(|c: char| !is_letter(c)).map_or(rest.len(), |n| from + n);
        let mut end = letters(0);
        while end > 0 {
            let tail = &rest[end..];
            if let Some(power) = tail.strip_prefix('^') {
                let digits = power.strip_prefix('-').unwrap_or(power);
                let count = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                if count == 0 {
                    break;
                }
                end = rest.len() - digits.len() + count;
            } else if let Some(next) = tail.strip_prefix(['*', '/', '·'])
                && next.starts_with(is_letter)
            {
                end = letters(rest.len() - next.len());
            } else {
                break;
            }
        }
        &rest[..end]
    }

    fn name(&mut self, may_be_vector: bool) -> Result<Term, FormulaError> {
        let start = self.at;
        let (path, end) = if let Some(quoted) = self.rest().strip_prefix('`') {
            let Some(length) = quoted.find('`') else {
                return Err(self.error("this backquote is not closed", "close it with another"));
            };
            (&quoted[..length], start + length + 2)
        } else {
            let end = start + path_length(self.rest());
            (&self.text[start..end], end)
        };
        self.at = end;
        self.skip_blanks();
        let quoted = end - start > path.len();
        if self.rest().starts_with('(') && !quoted {
            return self.function(path, start..end);
        }
        if path == "pi" {
            return Ok(Term { kind: TermKind::Number(std::f64::consts::PI), place: start..end });
        }
        let known = self.names.iter().position(|name| name.path == path);
        let index = known.unwrap_or_else(|| {
            self.names.push(FormulaName { path: path.to_owned(), place: start..end, may_be_vector: true });
            self.names.len() - 1
        });
        if !may_be_vector && self.names[index].may_be_vector {
            // The caret stands where one number is needed.
            self.names[index] = FormulaName { path: path.to_owned(), place: start..end, may_be_vector: false };
        }
        Ok(Term { kind: TermKind::Name(index), place: start..end })
    }

    fn function(&mut self, name: &str, place: Range<usize>) -> Result<Term, FormulaError> {
        let Some((_, operation, least, most)) = FUNCTIONS.iter().find(|(own, ..)| *own == name) else {
            let known = FUNCTIONS.map(|(own, ..)| own);
            let help = match nearest(name, known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("functions: {}", known.join(", ")),
            };
            return Err(FormulaError { place, reason: format!("no function is called `{name}`"), help });
        };
        self.take('(');
        let mut terms = Vec::new();
        loop {
            terms.push(match operation {
                Operation::Norm => self.norm_part()?,
                _ => self.sum()?,
            });
            if !self.take(',') {
                break;
            }
        }
        let end = self.at + 1;
        if !self.take(')') {
            let help = "close its parenthesis with )".to_owned();
            return Err(FormulaError { place, reason: format!("`{name}` is not closed"), help });
        }
        if !(*least..=*most).contains(&terms.len()) {
            let help = match (least, most) {
                (1, 1) => "it takes one".to_owned(),
                (least, _) => format!("it takes {least} or more, with commas between"),
            };
            let reason = format!("`{name}` of {}", terms.len());
            return Err(FormulaError { place: place.start..end, reason, help });
        }
        Ok(Term { kind: TermKind::Apply(*operation, terms), place: place.start..end })
    }

    /// A part of a norm: a name alone may be a vector.
    fn norm_part(&mut self) -> Result<Term, FormulaError> {
        let (at, names) = (self.at, self.names.clone());
        let is_name = self.rest().starts_with(|c: char| c.is_alphabetic() || c == '`' || c == '_');
        if is_name {
            let alone = self.atom(true)?;
            if matches!(alone.kind, TermKind::Name(_)) && self.rest().starts_with([',', ')']) {
                return Ok(alone);
            }
        }
        (self.at, self.names) = (at, names);
        self.sum()
    }
}

/// Bytes of the dotted path that a text begins with. `.at(0.1)` is part of one.
fn path_length(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        end += rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let place = text[..end].ends_with(".at") && text[end..].starts_with('(');
        match text[end..].find(')').filter(|_| place) {
            Some(close) => end += close + 1,
            None => return end,
        }
    }
}

#[cfg(test)]
#[path = "formula_tests.rs"]
mod tests;
