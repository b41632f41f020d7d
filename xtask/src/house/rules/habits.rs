//! Habits of every file: a header, a size, no placeholders, no `unwrap` in product code; and of the core crates: no
//! files, no printing, no clock, no global state.

use crate::house::Violation;
use crate::house::page::Page;
use crate::house::rules::PAGE;
use crate::house::rust_text::is_word;
use crate::house::workspace::{Package, Source};

/// Lines a file may have. Files aim at 250 and think at 500; beyond this they hold two ideas.
pub const LONGEST_FILE: usize = 600;

/// The highest floor of the core, which does no input or output.
pub const CORE_FLOORS: usize = 3;

/// Placeholders, in code.
const PLACEHOLDERS: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];
/// Placeholders, in comments.
const NOTES_TO_SELF: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];
/// File names that say nothing.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc", "types"];
/// What the core does without.
const OUTSIDE_WORLD: &[(&str, &str)] = &[
    ("std::fs", "does no file access"),
    ("std::io", "does no input or output"),
    ("std::net", "knows no network"),
    ("std::process", "starts no processes"),
    ("std::env", "reads no environment"),
    ("std::time", "reads no clock"),
    ("println!", "prints nothing"),
    ("eprintln!", "prints nothing"),
    ("print!", "prints nothing"),
    ("eprint!", "prints nothing"),
    ("thread_local!", "has no global state"),
    ("LazyLock", "has no global state"),
    ("Mutex", "has no shared state"),
];

/// What makes a static more than a constant. A field may be found when it is first asked for.
const CHANGES: &[&str] = &["mut ", "OnceLock", "LazyLock", "Cell", "Atomic"];

/// Checks one package.
pub fn check(page: &Page, package: &Package) -> Vec<Violation> {
    let mut found = Vec::new();
    if !package.dependencies.workspace_lints {
        found.push(Violation::new(&package.manifest, 0, "does not apply the lints of the workspace"));
    }
    let floor = page.row(&package.name).and_then(|row| row.floor);
    let in_core = floor.is_some_and(|floor| floor <= CORE_FLOORS);
    for source in &package.sources {
        check_file(source, &mut found);
        if !source.is_test {
            check_product_code(source, &mut found);
            if in_core {
                check_core(source, &mut found);
            }
        }
    }
    found
}

fn check_file(source: &Source, found: &mut Vec<Violation>) {
    let mut wrong = |line: usize, what: String| found.push(Violation::new(&source.file, line, what));
    if !source.text.starts_with("//! ") {
        wrong(1, "does not open with `//! ` and a line on what it is".into());
    }
    let lines = source.text.lines().count();
    if lines > LONGEST_FILE {
        wrong(0, format!("has {lines} lines, more than {LONGEST_FILE}: split it by meaning"));
    }
    let stem = source.file.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    if EMPTY_NAMES.contains(&stem) {
        wrong(0, format!("is called `{stem}`, which says nothing"));
    }
    for word in PLACEHOLDERS {
        each(&source.rust.code, word, |line| wrong(line, format!("contains `{word}`")));
    }
    for word in NOTES_TO_SELF {
        each(&source.rust.comments, word, |line| wrong(line, format!("a comment says `{word}`")));
    }
    for (index, line) in source.rust.code.lines().enumerate() {
        if let Some(odd) = line.chars().find(|c| !c.is_ascii()) {
            wrong(index + 1, format!("an identifier contains `{odd}`: symbols belong in comments"));
        }
    }
}

fn check_product_code(source: &Source, found: &mut Vec<Violation>) {
    let code = &source.rust.product_code;
    each(code, ".unwrap()", |line| {
        found.push(Violation::new(&source.file, line, "calls `unwrap`: return the error, or `expect` the invariant"));
    });
    each(code, "clippy::unwrap_used", |line| {
        found.push(Violation::new(&source.file, line, "allows `unwrap` outside tests"));
    });
}

fn check_core(source: &Source, found: &mut Vec<Violation>) {
    for (word, rule) in OUTSIDE_WORLD {
        each(&source.rust.product_code, word, |line| {
            let what = format!("names `{word}`; a crate up to floor {CORE_FLOORS} of {PAGE} {rule}");
            found.push(Violation::new(&source.file, line, what));
        });
    }
    for (index, line) in source.rust.product_code.lines().enumerate() {
        let item =
            line.trim_start().trim_start_matches("pub").trim_start_matches("(crate)").trim_start_matches("(super)");
        if item.trim_start().starts_with("static ") && CHANGES.iter().any(|word| item.contains(word)) {
            let what =
                format!("has a static that changes; a crate up to floor {CORE_FLOORS} of {PAGE} has no global state");
            found.push(Violation::new(&source.file, index + 1, what));
        }
    }
}

/// Calls `report` with the line of every occurrence of `word` that is not part of a longer word.
fn each(text: &str, word: &str, mut report: impl FnMut(usize)) {
    let open = word.starts_with(is_word);
    let closed = word.ends_with(is_word);
    for (index, line) in text.lines().enumerate() {
        let whole = line.match_indices(word).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + word.len()..].chars().next();
            let longer = (open && before.is_some_and(is_word)) || (closed && after.is_some_and(is_word));
            !longer
        });
        if whole {
            report(index + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::house::rules::fixture::package;

    fn page() -> Page {
        let text = "| floor | crate | holds | may import | from outside |\n|---|---|---|---|---|\n\
                    | 3 | `lissome-solve` | solvers | – | – |\n| 4 | `lissome-io` | files | – | – |\n";
        Page::read(PAGE, text).unwrap()
    }

    fn found(name: &str, module: &str, text: &str) -> Vec<String> {
        check(&page(), &package(name, &[], &[], &[(module, text)])).iter().map(|v| v.what.clone()).collect()
    }

    #[test]
    fn a_tidy_file_passes() {
        let text = "//! What it is: \u{3a8}.\nfn f() { g().expect(\"unwrap() and println! in a string\") }\n#[cfg(test)]\nmod t { fn u() { v().unwrap(); } }\n";
        assert_eq!(found("lissome-solve", "lib", text), [""; 0]);
    }

    #[test]
    fn a_missing_header_a_long_file_and_an_empty_name_are_found() {
        assert_eq!(found("lissome-solve", "lib", "fn f() {}\n").len(), 1);
        let long = format!("//! Long.\n{}", "fn f() {}\n".repeat(LONGEST_FILE));
        assert!(found("lissome-solve", "lib", &long)[0].contains("split it by meaning"));
        assert!(found("lissome-solve", "utils", "//! U.\n")[0].contains("says nothing"));
    }

    #[test]
    fn unwrap_is_found_in_product_code_only() {
        let text = "//! F.\nfn f() { g().unwrap(); h().unwrap_or(1); }\n";
        assert_eq!(found("lissome-solve", "lib", text).len(), 1);
        assert_eq!(found("lissome-solve", "tests/t", text), [""; 0]);
        assert_eq!(found("lissome-solve", "lib", "//! F.\n#![allow(clippy::unwrap_used)]\n").len(), 1);
    }

    #[test]
    fn placeholders_are_found_in_code_and_in_comments() {
        let unfinished = ["todo!()", "unimplemented!()", "dbg!(x)"];
        for word in unfinished {
            assert_eq!(found("lissome-solve", "lib", &format!("//! F.\nfn f() {{ {word} }}\n")).len(), 1, "{word}");
        }
        assert_eq!(found("lissome-solve", "tests/t", "//! F.\n#[ignore]\nfn f() {}\n").len(), 1);
        assert_eq!(found("lissome-solve", "lib", &format!("//! F.\n// {}: later\n", NOTES_TO_SELF[1])).len(), 1);
        assert_eq!(found("lissome-solve", "lib", "//! F.\nfn f(\u{3c8}: f64) {}\n").len(), 1);
    }

    #[test]
    fn the_core_has_no_outside_world() {
        let text = "//! F.\nuse std::time::Instant;\nfn f() { println!(); std::fs::read(); }\n";
        assert_eq!(found("lissome-solve", "lib", text).len(), 3);
        assert_eq!(found("lissome-io", "lib", text), [""; 0]);
        let kept = "//! F.\nstatic RULE: Rule = rule();\nstruct F { lazy: OnceLock<f64> }\npub(crate) static SEEN: OnceLock<f64> = OnceLock::new();\n";
        assert_eq!(found("lissome-solve", "lib", kept).len(), 1);
    }

    #[test]
    fn lints_must_be_those_of_the_workspace() {
        let mut bare = package("lissome-io", &[], &[], &[]);
        bare.dependencies.workspace_lints = false;
        assert_eq!(check(&page(), &bare).len(), 1);
    }
}
