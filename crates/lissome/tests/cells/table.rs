//! The table of the cells as a page of the documents.

use crate::jobs::JOBS;
use std::fmt::Write as _;
use std::path::PathBuf;

/// What came out of a kind and a job, over the rod models and ways to close loops.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Combinations that were answered.
    pub worked: usize,
    refused: Vec<(String, String)>,
}

impl Cell {
    /// Notes that a model refused, and why.
    pub fn refuse(&mut self, model: &str, why: &str) {
        let why = why.lines().next().unwrap_or_default().to_owned();
        if !self.refused.iter().any(|(known, _)| known == model) {
            self.refused.push((model.to_owned(), why));
        }
    }

    fn words(&self) -> String {
        match (self.worked, self.refused.as_slice()) {
            (_, []) => "yes".into(),
            (0, _) => "refused".into(),
            (_, refused) => {
                let names: Vec<&str> = refused.iter().map(|(model, _)| model.as_str()).collect();
                format!("yes, not {}", names.join(", "))
            }
        }
    }
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/kinds-and-jobs.md")
}

/// The section of one group.
fn section(group: &str, rows: &[(String, Vec<Cell>)]) -> String {
    let mut text = format!("## {group}\n\n| |");
    JOBS.iter().for_each(|job| write!(text, " {} |", job.name).unwrap());
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(JOBS.len()));
    text.push('\n');
    for (name, cells) in rows {
        write!(text, "| {name} |").unwrap();
        cells.iter().for_each(|cell| write!(text, " {} |", cell.words()).unwrap());
        text.push('\n');
    }
    let mut reasons: Vec<String> = Vec::new();
    for (name, cells) in rows {
        for (job, cell) in JOBS.iter().zip(cells).filter(|(_, cell)| cell.worked == 0) {
            let why = cell.refused.first().map_or("", |(_, why)| why.as_str());
            reasons.push(format!("- {name}, {}: {}", job.name, plain(why)));
        }
    }
    if !reasons.is_empty() {
        write!(text, "\nRefused:\n\n{}\n", reasons.join("\n")).unwrap();
    }
    text
}

/// Numbers out of a reason, so that the page does not change with the last digit.
fn plain(why: &str) -> String {
    why.chars().filter(|c| *c != '"' && *c != '[' && *c != ']').collect()
}

/// Compares the page with what was found, or writes its section.
pub fn compare(group: &str, rows: &[(String, Vec<Cell>)]) {
    let found = section(group, rows);
    let text = std::fs::read_to_string(page()).unwrap();
    let start = text.find(&format!("## {group}\n")).unwrap_or_else(|| panic!("the page has no section `{group}`"));
    let rest = &text[start + 3..];
    let end = rest.find("\n## ").map_or(text.len(), |at| start + 3 + at + 1);
    let known = text[start..end].trim_end();
    if known == found.trim_end() {
        return;
    }
    if std::env::var_os("LISSOME_WRITE_TABLES").is_some() {
        let written = format!("{}{}\n\n{}", &text[..start], found.trim_end(), &text[end..]);
        std::fs::write(page(), written.trim_end().to_owned() + "\n").unwrap();
        return;
    }
    panic!("docs/reference/kinds-and-jobs.md says\n{known}\nbut\n{found}\nset LISSOME_WRITE_TABLES to write it");
}
