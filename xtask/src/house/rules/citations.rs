//! Citations: every key in brackets, in code, cases and documents, is an entry of `references.bib`.

use crate::house::Violation;
use std::collections::BTreeSet;

/// Where the entries are.
pub const BIBLIOGRAPHY: &str = "references.bib";

/// The keys of a BibTeX file.
pub fn keys(bibliography: &str) -> BTreeSet<String> {
    let entries = bibliography.lines().filter(|line| line.starts_with('@'));
    entries.filter_map(|line| line.split_once('{')?.1.split(',').next()).map(|key| key.trim().to_string()).collect()
}

/// Keys cited in a text that the bibliography does not have.
pub fn check(file: &str, text: &str, known: &BTreeSet<String>) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for group in line.split('[').skip(1) {
            let group = group.split([']', '\\']).next().unwrap_or_default();
            for key in group.split([',', ';']).map(str::trim).filter(|part| is_key(part)) {
                if !known.contains(key) {
                    found.push(Violation::new(file, index + 1, format!("cites `{key}`, which {BIBLIOGRAPHY} lacks")));
                }
            }
        }
    }
    found
}

/// A name of at least three letters, a year, and at most a few letters: `muller2025cfk`.
fn is_key(word: &str) -> bool {
    let name = word.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let year = name.get(..4).unwrap_or_default();
    let suffix = name.get(4..).unwrap_or("?");
    word.len() - name.len() >= 3
        && (year.starts_with("18") || year.starts_with("19") || year.starts_with("20"))
        && year.bytes().all(|b| b.is_ascii_digit())
        && suffix.len() <= 4
        && suffix.bytes().all(|b| b.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIB: &str = "% comment\n@article{xun2025,\n  title = {A},\n}\n@book{muller2025cfk,\n}\n";

    #[test]
    fn entries_are_read() {
        assert_eq!(keys(BIB).into_iter().collect::<Vec<_>>(), ["muller2025cfk", "xun2025"]);
    }

    #[test]
    fn known_keys_pass_and_unknown_ones_are_found() {
        let known = keys(BIB);
        let good =
            "//! [xun2025, eq. (16)], [muller2025cfk; xun2025], \\[xun2025\\], a[index2], `m[2025]`, [Link](x)\n";
        assert_eq!(check("a.rs", good, &known), []);
        let bad = "line\n// as in [xun2025, gone1999]\n";
        let found = check("a.rs", bad, &known);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].what.contains("gone1999")), (2, true));
    }
}
