//! The reference pages say what the code does: every code, every key, every fault in words.

use lissome_io::scene::keys::{FRAME, Key, Kind, SCENE};
use std::collections::BTreeSet;

const FAULTS: &str = concat!(
    include_str!("../src/fault_code.rs"),
    include_str!("../src/fault_derivative.rs"),
    include_str!("../src/sweep/fault.rs"),
    include_str!("../src/inverse_fault.rs"),
    include_str!("../src/fit/fault.rs"),
    include_str!("../src/observe/fault.rs"),
    include_str!("../src/optimise_fault.rs")
);
const FAULT_TEXT: &str = concat!(
    include_str!("../src/fault_text/mod.rs"),
    include_str!("../src/fault_text/outcome.rs"),
    include_str!("../src/fault_text/warnings.rs"),
    include_str!("../src/fault_derivative.rs"),
    include_str!("../src/sweep/fault.rs"),
    include_str!("../src/inverse_fault.rs"),
    include_str!("../src/fit/fault.rs"),
    include_str!("../src/observe/fault.rs"),
    include_str!("../src/optimise_fault.rs")
);
const ERRORS_PAGE: &str = include_str!("../../../docs/reference/errors.md");
const SCENE_PAGE: &str = include_str!("../../../docs/reference/scene.md");

/// The `Self::Variant … => "code"` lines of `Fault::code`.
fn codes() -> Vec<(&'static str, &'static str)> {
    FAULTS
        .lines()
        .filter_map(|line| {
            let (variant, code) = line.trim().strip_prefix("Self::")?.split_once("=> \"")?;
            Some((variant.split([' ', '{']).next()?, code.strip_suffix("\",")?))
        })
        .filter(|(_, code)| code.starts_with(['E', 'W']))
        .collect()
}

#[test]
fn every_code_is_on_the_page_once_and_none_is_used_twice() {
    let ours: Vec<&str> = codes().into_iter().map(|(_, code)| code).collect();
    assert!(ours.len() > 60, "the scan of fault_code.rs still works");
    let unique: BTreeSet<&str> = ours.iter().copied().collect();
    assert_eq!(unique.len(), ours.len(), "a code is used twice");
    let page: Vec<&str> = ERRORS_PAGE
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next())
        .filter(|word| word.starts_with(['E', 'W']) && word.len() == 5)
        .collect();
    assert_eq!(page.iter().copied().collect::<BTreeSet<_>>(), unique);
    assert_eq!(page.len(), unique.len(), "a code is on the page twice");
}

#[test]
fn every_fault_has_words() {
    for (variant, code) in codes() {
        let worded = FAULT_TEXT
            .match_indices(&format!("Self::{variant}"))
            .any(|(at, found)| !FAULT_TEXT[at + found.len()..].starts_with(|c: char| c.is_alphanumeric()));
        assert!(worded, "{code} {variant} has no words");
    }
}

fn check_keys(keys: &'static [Key]) {
    for key in keys {
        let shown = SCENE_PAGE.contains(&format!("`{}`", key.name)) || SCENE_PAGE.contains(&format!("{} = ", key.name));
        assert!(shown, "docs/reference/scene.md lacks `{}`", key.name);
        match &key.kind {
            Kind::Table(inner)
            | Kind::Family(inner)
            | Kind::List(inner)
            | Kind::OneOrList(inner)
            | Kind::Drives(inner)
            | Kind::Course(inner)
            | Kind::Courses(inner)
            | Kind::Paths(inner)
            | Kind::WordOrTable(_, inner) => check_keys(inner),
            Kind::Frame | Kind::Frames => check_keys(FRAME),
            _ => {}
        }
    }
}

#[test]
fn every_key_is_on_the_page() {
    check_keys(SCENE);
}

#[test]
fn the_scene_on_the_page_is_a_scene() {
    let example = SCENE_PAGE.split("```toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap_or_default();
    let loaded = lissome_io::scene::parse("page.toml", example.to_owned(), &[]);
    assert!(loaded.is_ok_and(|scene| scene.warnings.is_empty()));
}

#[test]
fn every_bound_of_magnitude_is_on_the_page() {
    for quantity in lissome_model::Quantity::all() {
        let lissome_model::Bounds { name, unit, least, most } = quantity.bounds();
        let number = |x: f64| if x == 0.0 { "0".to_owned() } else { format!("{x:e}") };
        let unit = if unit.is_empty() { "–" } else { unit };
        let row = format!("| {name} | {} | {} | {unit} |", number(least), number(most));
        assert!(SCENE_PAGE.contains(&row), "docs/reference/scene.md lacks {row}");
    }
}
