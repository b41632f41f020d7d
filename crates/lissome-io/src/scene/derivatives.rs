//! `[job] derivatives`: which outputs are differentiated by which numbers.

use super::document::{Table, Value};
use super::findings::Findings;
use super::keys;
use super::reader::Reader;
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
