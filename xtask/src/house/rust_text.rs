//! A Rust file split into code and comments, line by line, so that words in strings and comments are not mistaken for
//! code, nor test code for product code.

use std::ops::Range;

/// A Rust file in three layers of equal line structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RustText {
    /// The code; comments and the insides of strings are blank.
    pub code: String,
    /// The code without items under `#[cfg(test)]`.
    pub product_code: String,
    /// The comments; everything else is blank.
    pub comments: String,
    /// The modules declared as `#[cfg(test)] mod name;`.
    pub test_modules: Vec<TestModule>,
}

/// A module of tests in a file of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestModule {
    /// Its name.
    pub name: String,
    /// The file that `#[path = "…"]` gives it, relative to the folder of the declaring file.
    pub path: Option<String>,
}

impl RustText {
    /// Splits a file.
    pub fn split(text: &str) -> Self {
        let (code, comments) = separate(text);
        let (product_code, declared) = without_tests(&code);
        let test_modules = declared.into_iter().map(|(name, lines)| TestModule { name, path: path_in(text, lines) });
        Self { code, product_code, comments, test_modules: test_modules.collect() }
    }
}

/// What the next character belongs to.
enum Within {
    Code,
    LineComment,
    BlockComment { depth: usize },
    Text,
    RawText { hashes: usize },
}

fn separate(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut comments) = (String::with_capacity(text.len()), String::with_capacity(text.len()));
    let mut within = Within::Code;
    let mut i = 0;
    while i < chars.len() {
        let rest = &chars[i..];
        let mut length = 1;
        let mut is_code = false;
        let mut is_comment = false;
        match within {
            Within::Code => {
                is_code = true;
                if starts(rest, "//") {
                    (is_code, is_comment) = (false, true);
                    within = Within::LineComment;
                } else if starts(rest, "/*") {
                    (is_code, is_comment, length) = (false, true, 2);
                    within = Within::BlockComment { depth: 1 };
                } else if let Some(hashes) = raw_string_hashes(rest, i.checked_sub(1).map(|b| chars[b])) {
                    length = 2 + hashes;
                    within = Within::RawText { hashes };
                } else if rest[0] == '"' {
                    within = Within::Text;
                } else if rest[0] == '\'' {
                    length = char_literal_length(rest);
                    if length > 1 {
                        // A quoted brace or quote must not count as code.
                        code.push('\'');
                        comments.push(' ');
                        blank(&rest[1..length], &mut code, &mut comments);
                        i += length;
                        continue;
                    }
                }
            }
            Within::LineComment => {
                is_comment = true;
                if rest[0] == '\n' {
                    within = Within::Code;
                }
            }
            Within::BlockComment { depth } => {
                is_comment = true;
                if starts(rest, "*/") {
                    length = 2;
                    within = if depth == 1 { Within::Code } else { Within::BlockComment { depth: depth - 1 } };
                } else if starts(rest, "/*") {
                    length = 2;
                    within = Within::BlockComment { depth: depth + 1 };
                }
            }
            Within::Text => {
                if rest[0] == '\\' {
                    length = 2.min(rest.len());
                } else if rest[0] == '"' {
                    is_code = true;
                    within = Within::Code;
                }
            }
            Within::RawText { hashes } => {
                if rest[0] == '"' && rest[1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes {
                    length = 1 + hashes;
                    within = Within::Code;
                }
            }
        }
        for c in &rest[..length] {
            code.push(if is_code || *c == '\n' { *c } else { ' ' });
            comments.push(if is_comment || *c == '\n' { *c } else { ' ' });
        }
        i += length;
    }
    (code, comments)
}

fn blank(chars: &[char], code: &mut String, comments: &mut String) {
    for c in chars {
        let shown = if *c == '\n' { '\n' } else { ' ' };
        code.push(shown);
        comments.push(shown);
    }
}

fn starts(chars: &[char], with: &str) -> bool {
    with.chars().enumerate().all(|(k, c)| chars.get(k) == Some(&c))
}

/// The number of `#` of a raw string that starts here.
fn raw_string_hashes(chars: &[char], before: Option<char>) -> Option<usize> {
    // `br"…"` and `cr"…"` arrive here at their `r`.
    let prefix_ends = before.is_none_or(|c| !is_word(c) || c == 'b' || c == 'c');
    if chars[0] != 'r' || !prefix_ends {
        return None;
    }
    let hashes = chars[1..].iter().take_while(|c| **c == '#').count();
    (chars.get(1 + hashes) == Some(&'"')).then_some(hashes)
}

/// Length of the character literal that starts here; 1 if it is a lifetime.
fn char_literal_length(chars: &[char]) -> usize {
    match (chars.get(1), chars.get(2)) {
        (Some('\\'), _) => chars[2..].iter().skip(1).position(|c| *c == '\'').map_or(1, |end| end + 4),
        (Some(_), Some('\'')) => 3,
        _ => 1,
    }
}

/// True for characters of identifiers.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

const TEST_ATTRIBUTE: &str = "#[cfg(test)]";

/// The argument of a `#[path = "…"]` on one of these lines, counted from 0.
fn path_in(text: &str, lines: Range<usize>) -> Option<String> {
    let mut attributes = text.lines().skip(lines.start).take(lines.len());
    attributes.find_map(|line| line.split_once("#[path = \"")?.1.split('"').next().map(str::to_string))
}

/// The code with every item under `#[cfg(test)]` blanked, and the modules declared that way with their lines.
fn without_tests(code: &str) -> (String, Vec<(String, Range<usize>)>) {
    let mut out = code.to_string();
    let mut modules = Vec::new();
    let mut from = 0;
    while let Some(at) = out[from..].find(TEST_ATTRIBUTE) {
        let start = from + at;
        let end = item_end(&out, start + TEST_ATTRIBUTE.len());
        let item = &out[start + TEST_ATTRIBUTE.len()..end];
        if let Some((head, "")) = item.trim().split_once(';')
            && let Some((_, name)) = head.rsplit_once("mod ")
        {
            let line = |at: usize| out[..at].matches('\n').count();
            modules.push((name.trim().to_string(), line(start)..line(end) + 1));
        }
        let blank: String = out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        // Blanks are one byte each, so characters of several bytes shorten the text: go on from the new end.
        out.replace_range(start..end, &blank);
        from = start + blank.len();
    }
    (out, modules)
}

/// Byte offset just behind the item that starts at `from`: its closing brace or its semicolon.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0usize;
    for (at, c) in code[from..].char_indices() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && c == '}' {
                    return from + at + 1;
                }
            }
            ';' if depth == 0 => return from + at + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_code_are_told_apart() {
        let text =
            "let a = \"// not a comment { \\\" }\"; // a comment \"quoted\"\n/* outer /* inner */ still */ b();\n";
        let split = RustText::split(text);
        assert!(!split.code.contains("not a comment") && !split.code.contains("quoted"));
        assert!(split.comments.contains("a comment \"quoted\"") && split.comments.contains("still"));
        assert!(split.code.contains("let a = \"") && split.code.contains("b();"));
        assert_eq!(split.code.lines().count(), text.lines().count());
    }

    #[test]
    fn raw_strings_end_where_their_hashes_end() {
        let split = RustText::split("let r = r#\"a \"quote\" // no\"#; after(); let var = br\"x\";");
        assert!(!split.code.contains("quote") && split.code.contains("after();") && split.comments.trim().is_empty());
    }

    #[test]
    fn lifetimes_are_not_character_literals() {
        let split = RustText::split("fn f<'a>(x: &'a str) -> char { if x == \"{\" { '{' } else { '\\'' } } // end");
        let braces = split.code.matches('{').count();
        assert_eq!(braces, split.code.matches('}').count());
        assert!(split.code.contains("<'a>") && split.comments.contains("end"));
    }

    #[test]
    fn test_items_leave_the_product_code() {
        let text = "fn a() { x.unwrap() }\n#[cfg(test)]\nmod tests { fn b() { y.unwrap() } }\nfn c() {}\n";
        let split = RustText::split(text);
        assert!(split.product_code.contains("x.unwrap()") && !split.product_code.contains("y.unwrap()"));
        assert!(split.product_code.contains("fn c()") && split.code.contains("y.unwrap()"));
    }

    #[test]
    fn test_modules_in_files_of_their_own_are_named() {
        let split = RustText::split("#[cfg(test)]\nmod proofs;\n#[cfg(test)]\nuse a::{b, c};\nmod real;\n");
        assert_eq!(split.test_modules, [TestModule { name: "proofs".into(), path: None }]);
        assert!(split.product_code.contains("mod real;") && !split.product_code.contains("a::"));
        let elsewhere = RustText::split("fn f() {}\n#[cfg(test)]\n#[path = \"f_tests.rs\"]\nmod tests;\n");
        assert_eq!(elsewhere.test_modules, [TestModule { name: "tests".into(), path: Some("f_tests.rs".into()) }]);
    }
}
