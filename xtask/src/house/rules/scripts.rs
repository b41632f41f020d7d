//! Scripts of the pages: they say what they are, stay short, and never turn text into markup or code, nor fetch anything.

use crate::house::Violation;
use std::path::Path;

/// Lines of a script.
const MOST_LINES: usize = 400;
/// What a script must not hold, and why.
const FORBIDDEN: [(&str, &str); 12] = [
    ("innerHTML", "turns text into markup: use textContent"),
    ("outerHTML", "turns text into markup: use textContent"),
    ("insertAdjacentHTML", "turns text into markup: use textContent"),
    ("document.write", "turns text into markup: use textContent"),
    ("DOMParser", "turns text into markup: use textContent"),
    ("eval(", "turns text into code"),
    ("new Function", "turns text into code"),
    ("http:", "a page fetches nothing"),
    ("https:", "a page fetches nothing"),
    ("fetch(", "a page fetches nothing"),
    ("XMLHttpRequest", "a page fetches nothing"),
    ("import(", "a page fetches nothing"),
];

/// Every script under a folder.
pub fn check_all(root: &Path, folder: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return found };
    for entry in entries.flatten() {
        let file = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(check_all(root, &file));
        } else if file.ends_with(".js") {
            match std::fs::read_to_string(entry.path()) {
                Ok(text) => found.extend(check(&file, &text)),
                Err(error) => found.push(Violation::new(file, 0, error.to_string())),
            }
        }
    }
    found
}

fn check(file: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    if !text.starts_with("// ") {
        found.push(Violation::new(file, 1, "a script opens with `// ` and a line on what it is"));
    }
    let lines = text.lines().count();
    if lines > MOST_LINES {
        found.push(Violation::new(file, 0, format!("{lines} lines, {MOST_LINES} are the limit")));
    }
    for (index, line) in text.lines().enumerate() {
        for (word, why) in FORBIDDEN.iter().filter(|(word, _)| line.contains(word)) {
            found.push(Violation::new(file, index + 1, format!("`{word}`: {why}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_code_and_addresses_are_found() {
        assert_eq!(check("a.js", "// A script.\nnode.textContent = name;\n"), []);
        let bad = "let a;\nnode.innerHTML = name;\nload('https://x');\n";
        let found: Vec<usize> = check("a.js", bad).iter().map(|violation| violation.line).collect();
        assert_eq!(found, [1, 2, 3]);
        let long = format!("// Long.\n{}", "a();\n".repeat(MOST_LINES));
        assert_eq!(check("a.js", &long).len(), 1);
    }
}
