//! Links: what a document refers to is there, file and heading.

use crate::house::Violation;
use std::path::{Component, Path, PathBuf};

/// Relative links of a Markdown file that lead nowhere.
pub fn check(root: &Path, file: &str, text: &str) -> Vec<Violation> {
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let mut found = Vec::new();
    for (line, target) in links(text) {
        let (path, heading) = target.split_once('#').unwrap_or((&target, ""));
        let named = if path.is_empty() { PathBuf::from(file) } else { tidy(&folder.join(path)) };
        if !root.join(&named).exists() {
            found.push(Violation::new(file, line, format!("links to `{target}`, which is not there")));
        } else if !heading.is_empty() {
            let page = std::fs::read_to_string(root.join(&named)).unwrap_or_default();
            if !headings(&page).any(|anchor| anchor == heading) {
                found.push(Violation::new(file, line, format!("links to `{target}`, which has no such heading")));
            }
        }
    }
    found
}

/// Targets of `](…)` and `src="…"` outside code, with their lines; addresses of other hosts are left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for (open, close) in [("](", ')'), ("src=\"", '"')] {
            let targets = line.split(open).skip(1).filter_map(|rest| rest.split(close).next());
            links.extend(targets.filter(|t| !t.contains("://")).map(|t| (index + 1, t.to_string())));
        }
    }
    links
}

/// The anchors of a page: headings in lower case, blanks to hyphens, other signs dropped.
fn headings(page: &str) -> impl Iterator<Item = String> {
    page.lines().filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}

/// Resolves `..`.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(tidy.pop()),
            Component::CurDir => {}
            other => tidy.push(other),
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_and_headings_are_followed() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let good = "# A page\n[code](src/lib.rs) [up](src/house/../main.rs) [far](https://example.org/x)\n\
                    ```text\n[not](a-link)\n```\n";
        assert_eq!(check(root, "page.md", good), []);
        let bad = "[gone](src/gone.rs)\n\n<img src=\"gone.svg\">\n[no heading](Cargo.toml#nowhere)\n";
        let lines: Vec<_> = check(root, "page.md", bad).iter().map(|violation| violation.line).collect();
        assert_eq!(lines, [1, 3, 4]);
    }

    #[test]
    fn headings_become_anchors() {
        let anchors: Vec<_> = headings("# 3. Two forms: `a_b` (x)\ntext\n## Łódź\n").collect();
        assert_eq!(anchors, ["3-two-forms-a_b-x", "łódź"]);
    }
}
