//! `[job] derivatives`: which outputs are differentiated by which numbers.

use super::LoadedScene;
use super::document::{Table, Value};
use super::findings::Findings;
use super::keys;
use super::reader::{Reader, clip};
use super::same;
use crate::fault::Fault;

/// Derivatives that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivativeRequest {
    /// Dotted path of the output.
    pub of: String,
    /// Dotted paths of numbers.
    pub wrt: Vec<String>,
}

/// Reads them; none where the job asks for none.
pub(super) fn read(root: &Table, findings: &mut Findings) -> Vec<DerivativeRequest> {
    let Some(Value::Table(job)) = root.get("job").map(|node| &node.value) else { return Vec::new() };
    // What is wrong with the other keys has been told.
    let job = Reader::open(job, keys::JOB, "job", None, &mut Findings::default());
    if !job.has("derivatives") {
        return Vec::new();
    }
    let entries = job.list("derivatives", keys::DERIVATIVE, findings).unwrap_or_default();
    entries.into_iter().flatten().filter_map(|entry| read_one(&entry, findings)).collect()
}

/// Refuses a number that an entry is by twice, under one name or two.
pub(super) fn check_once(loaded: &LoadedScene, findings: &mut Findings) {
    for (entry, DerivativeRequest { wrt, .. }) in loaded.derivatives.iter().enumerate() {
        let named: Vec<String> = wrt.iter().map(|path| loaded.identity(path)).collect();
        let same = |later: usize| {
            let earlier = (0..later).find(|earlier| {
                let (one, other) = (named[*earlier].as_str(), named[later].as_str());
                same::holds(one, other) || same::holds(other, one)
            });
            earlier.map(|earlier| (later, earlier))
        };
        if let Some((later, earlier)) = (0..named.len()).find_map(same) {
            let fault = Fault::GivenTwice { path: clip(&wrt[later]), other: clip(&wrt[earlier]) };
            findings.add::<()>(fault, format!("job.derivatives.{entry}.wrt"), None);
        }
    }
}

fn read_one(entry: &Reader<'_>, findings: &mut Findings) -> Option<DerivativeRequest> {
    let of = if entry.has("of") { entry.text("of", findings) } else { entry.missing("of", findings) };
    let Some(node) = entry.entry("wrt").map(|entry| &entry.node) else { return entry.missing("wrt", findings) };
    let example = "[\"material.silicone.young\"]";
    let Value::Array(items) = &node.value else {
        let fault = Fault::WrongType { expected: "an array of paths", found: node.value.kind(), example };
        return entry.fault("wrt", fault, findings);
    };
    let mut wrt = Vec::new();
    for item in items {
        let Value::Text(path) = &item.value else {
            let fault = Fault::WrongType { expected: "a path", found: item.value.kind(), example };
            return findings.add(fault, entry.join("wrt"), Some(item.span));
        };
        wrt.push(path.clone());
    }
    if wrt.is_empty() {
        let fault = Fault::WrongCount { found: 0, expected: "at least one path" };
        return entry.fault("wrt", fault, findings);
    }
    Some(DerivativeRequest { of: of?.to_owned(), wrt })
}
