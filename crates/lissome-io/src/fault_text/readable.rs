//! Makes any sentence readable: numbers of at most twelve digits, and an end.

/// Longest sentence, characters: three of them, a file name and a line of the file are less than two kilobytes.
const LONGEST: usize = 400;
/// Numbers of more digits are rounded.
const MOST_DIGITS: usize = 12;
/// Digits that are left of them.
const KEPT_DIGITS: usize = 6;

/// The sentence with its numbers rounded to what people read, and cut where nobody reads on. What stands between backticks
/// is somebody's own text and stays as it is.
pub(super) fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut word) = (false, String::new());
    for c in text.chars() {
        let in_number = c.is_ascii_alphanumeric() || c == '.' || c == '_' || (c == '-' && word.ends_with(['e', 'E']));
        if in_number {
            word.push(c);
            continue;
        }
        flush(&mut word, quoted, &mut out);
        quoted ^= c == '`';
        out.push(c);
    }
    flush(&mut word, quoted, &mut out);
    match out.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", out[..end].trim_end()),
        None => out,
    }
}

/// Moves a word to the text, rounded if it is a long number.
fn flush(word: &mut String, quoted: bool, out: &mut String) {
    // A full stop at the end belongs to the sentence.
    let number = word.trim_end_matches('.');
    let digits = number.chars().filter(char::is_ascii_digit).count();
    match number.parse::<f64>() {
        Ok(value) if !quoted && digits > MOST_DIGITS && value.is_finite() => {
            out.push_str(&rounded(value));
            out.push_str(&word[number.len()..]);
        }
        _ => out.push_str(word),
    }
    word.clear();
}

fn rounded(value: f64) -> String {
    let scientific = format!("{value:.*e}", KEPT_DIGITS - 1);
    // Read back, it has no more digits than were kept.
    let short = scientific.parse::<f64>().unwrap_or(value);
    if short == 0.0 || (1e-4..1e9).contains(&short.abs()) { format!("{short}") } else { format!("{short:e}") }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn long_numbers_are_rounded_where_they_stand() {
        assert_eq!(readable("must lie in [0, 0.30000000000000004] m."), "must lie in [0, 0.3] m.");
        assert_eq!(readable("is 1.7976931348623157e308, not 1e-300"), "is 1.79769e308, not 1e-300");
        assert_eq!(readable(&format!("{}", 1e-300)), "1e-300");
        assert_eq!(readable(&format!("{}", 1e300)), "1e300");
        assert_eq!(readable("-12345678901234.5 and 3.25"), "-1.23457e13 and 3.25");
        assert_eq!(readable("ends at 2.0000000000001."), "ends at 2.");
    }

    #[test]
    fn names_and_codes_stay() {
        for text in
            ["`rod.a1234567890123456` is", "rod12345678901234 x", "E0305: 123456789012", "`0.1234567890123456 m`", ""]
        {
            assert_eq!(readable(text), text);
        }
    }

    #[test]
    fn endless_texts_have_an_end() {
        let long = readable(&"é".repeat(5000));
        assert_eq!(long.chars().count(), 401);
    }
}
