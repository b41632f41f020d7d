//! Where a text came from, and how a byte range of it is shown to people: line, column, the line itself.

use std::ops::Range;

/// Longest piece of a source line that is shown; longer lines are cut around the place.
const SHOWN_CHARACTERS: usize = 96;

/// A text that can be pointed into: the scene file, or one `path=value` argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name as the user gave it, or `argument 2`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// A byte range of one of a document's sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the source: 0 is the file, k ≥ 1 the k-th argument.
    pub source: u32,
    /// First byte. A scene has millions of places, and no source has 4 GB.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of a source.
    pub fn new(source: usize, range: Range<usize>) -> Self {
        let short = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Self { source: short(source), start: short(range.start), end: short(range.end) }
    }
}

/// A span resolved for people and for machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name of the source.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Column after the last character on this line.
    pub end_column: usize,
    /// The line, cut to a readable length, control characters made visible.
    pub excerpt: String,
    /// First underlined character of `excerpt`, from 0.
    pub underline_start: usize,
    /// How many characters are underlined, at least one.
    pub underline_length: usize,
}

impl Source {
    /// Resolves a span of this source.
    pub fn place_of(&self, span: Span) -> Place {
        self.place(span.start as usize, span.end as usize)
    }

    /// Resolves a byte range, clamped to the text and to its first line.
    pub fn place(&self, start: usize, end: usize) -> Place {
        let start = floor_boundary(&self.text, start);
        let end = floor_boundary(&self.text, end.max(start));
        let line_start = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |i| start + i);
        let line = self.text[..line_start].matches('\n').count() + 1;
        let before = self.text[line_start..start].chars().count();
        let marked = self.text[start..end.min(line_end).max(start)].chars().count().max(1);

        let all: Vec<char> = self.text[line_start..line_end].trim_end_matches('\r').chars().map(visible).collect();
        let first = if all.len() <= SHOWN_CHARACTERS { 0 } else { before.saturating_sub(SHOWN_CHARACTERS / 2) };
        let last = all.len().min(first + SHOWN_CHARACTERS);
        let excerpt: String = all.get(first..last).unwrap_or_default().iter().collect();
        let underline_start = before - first.min(before);
        Place {
            file: self.name.clone(),
            line,
            column: before + 1,
            end_column: before + 1 + marked,
            underline_length: marked.min(SHOWN_CHARACTERS.saturating_sub(underline_start).max(1)),
            underline_start,
            excerpt,
        }
    }
}

/// The largest character boundary that is not beyond `index`.
fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

/// A tab would shift the caret and an escape sequence could repaint the terminal.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{b7}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { name: "a.toml".into(), text: text.into() }
    }

    #[test]
    fn counts_lines_and_characters_not_bytes() {
        let place = source("a = 1\nµb = \"°\" # x\n").place(12, 14);
        assert_eq!((place.line, place.column), (2, 6));
        assert_eq!(place.excerpt, "µb = \"°\" # x");
    }

    #[test]
    fn stays_on_the_first_line_and_within_the_text() {
        let place = source("ab\ncd").place(1, 5);
        assert_eq!((place.line, place.column, place.underline_length), (1, 2, 1));
        let beyond = source("ab").place(90, 99);
        assert_eq!((beyond.line, beyond.column, beyond.underline_length), (1, 3, 1));
    }

    #[test]
    fn cuts_long_lines_around_the_place() {
        let text = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));
        let place = source(&text).place(5000, 5001);
        assert_eq!(place.excerpt.chars().count(), SHOWN_CHARACTERS);
        assert_eq!(place.excerpt.chars().nth(place.underline_start), Some('X'));
    }

    #[test]
    fn hides_terminal_escapes() {
        assert_eq!(source("\u{1b}[31m\tx").place(0, 1).excerpt, "·[31m x");
    }
}
