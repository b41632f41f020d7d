//! `[rod.NAME] surface`: stretches of a rod with names, which pairs of `[contact]` may speak of.

use super::findings::Findings;
use super::keys;
use super::names::family;
use super::reader::Reader;
use super::rod::read_length;
use crate::fault::Fault;
use lissome_model::Stretch;

/// Reads the stretches of a rod, given by its number; `None` if one was refused.
pub fn read(rod: usize, reader: &Reader<'_>, findings: &mut Findings) -> Option<Vec<Stretch>> {
    if !reader.has("surface") {
        return Some(Vec::new());
    }
    // A length that was refused is told of by the rod.
    let length = read_length(reader)?;
    let stretches = family(reader, "surface", keys::STRETCH, findings);
    let read = |(name, stretch): &(&str, Reader<'_>)| {
        let mut station = |key: &str, default: f64| match stretch.has(key) {
            true => stretch.station(key, length, findings),
            false => Some(default),
        };
        let (from, to) = (station("from", 0.0), station("to", length));
        let (from, to) = (from?, to?);
        if to <= from {
            let key = if stretch.has("to") { "to" } else { "from" };
            let (value, interval) = match key {
                "to" => (to, format!("({from}, {length}]")),
                _ => (from, format!("[0, {to})")),
            };
            return stretch.fault(key, Fault::OutOfRange { value, interval }, findings);
        }
        Some(Stretch { rod, name: (*name).to_owned(), from, to })
    };
    let stretches: Vec<Option<Stretch>> = stretches.iter().map(read).collect();
    stretches.into_iter().collect()
}
