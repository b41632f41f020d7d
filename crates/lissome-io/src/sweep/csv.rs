//! Lines of comma-separated values: fields in double quotes may hold commas, and two double quotes stand for one.

use std::ops::Range;

/// A field and where it stands in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Without quotes and blanks around it.
    pub text: String,
    /// Bytes of the whole text, quotes included.
    pub span: Range<usize>,
}

/// The fields of one line, which begins at byte `offset` of its text; the error is the place of a quote that is not closed
/// or is followed by anything but a comma.
pub fn fields(line: &str, offset: usize) -> Result<Vec<Field>, Range<usize>> {
    let (mut fields, mut start) = (Vec::new(), 0);
    loop {
        let rest = &line[start..];
        let blank = rest.len() - rest.trim_start().len();
        let begin = start + blank;
        if line[begin..].starts_with('"') {
            let (mut text, mut at) = (String::new(), begin + 1);
            loop {
                let Some(quote) = line[at..].find('"') else { return Err(offset + begin..offset + line.len()) };
                text.push_str(&line[at..at + quote]);
                at += quote + 1;
                if !line[at..].starts_with('"') {
                    break;
                }
                text.push('"');
                at += 1;
            }
            fields.push(Field { text: text.trim().to_owned(), span: offset + begin..offset + at });
            let after = line[at..].trim_start();
            match after.strip_prefix(',') {
                Some(next) => start = line.len() - next.len(),
                None if after.is_empty() => return Ok(fields),
                None => return Err(offset + begin..offset + at),
            }
        } else {
            let end = rest.find(',').map_or(line.len(), |comma| start + comma);
            let text = line[start..end].trim();
            let begin = begin.min(end);
            fields.push(Field { text: text.to_owned(), span: offset + begin..offset + begin + text.len() });
            if end == line.len() {
                return Ok(fields);
            }
            start = end + 1;
        }
    }
}

/// A text as a field: in quotes where it has to be.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn fields_are_read_as_they_were_written() {
        for texts in [vec!["a", "b c", ""], vec!["[0, 1] N", "say \"so\"", "x"], vec![""], vec!["", ""]] {
            let line: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
            let read = fields(&line.join(","), 0).unwrap();
            assert_eq!(read.iter().map(|field| field.text.as_str()).collect::<Vec<_>>(), texts);
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let line = " a , \"b, c\",  d";
        let spans: Vec<&str> = fields(line, 0).unwrap().iter().map(|f| &line[f.span.clone()]).collect();
        assert_eq!(spans, ["a", "\"b, c\"", "d"]);
        assert_eq!(fields("a,\"b", 10), Err(12..14));
        assert!(fields("\"a\"b,c", 0).is_err());
    }
}
