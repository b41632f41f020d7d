//! No circles: files of a crate that import each other in a ring are one idea cut in pieces, or an idea that stands in
//! the wrong file. A folder and what it holds count as one, so that a file may name what its folder's `mod.rs` defines.

use crate::house::Violation;
use crate::house::imports::{self, Mention};
use crate::house::workspace::{Package, Source};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The shortest ring through each file that stands in one, told once.
pub fn check(package: &Package) -> Vec<Violation> {
    let rooms: BTreeMap<&str, Room> = package
        .sources
        .iter()
        .filter(|source| !source.is_test)
        .filter_map(|source| Some((source.module.as_deref()?, Room::of(source))))
        .collect();
    let imports: BTreeMap<&str, BTreeMap<&str, &Mention>> =
        rooms.iter().map(|(module, room)| (*module, imported(module, room, &rooms))).collect();
    let mut told = BTreeSet::new();
    let mut found = Vec::new();
    for start in imports.keys() {
        let Some(ring) = shortest_ring(start, &imports) else { continue };
        let members: BTreeSet<&str> = ring.iter().copied().collect();
        if !told.is_disjoint(&members) {
            continue;
        }
        told.extend(&members);
        let next = ring.get(1).unwrap_or(start);
        let line = imports[start][next].line;
        let way = ring.join("` → `");
        found.push(Violation::new(
            rooms[start].file,
            line,
            format!("modules import each other in a circle: `{way}` → `{start}`"),
        ));
    }
    found
}

/// A file: what it names, and what its `pub use` hands on.
struct Room<'a> {
    file: &'a str,
    mentions: Vec<Mention>,
    handed_on: Vec<(String, String)>,
}

impl<'a> Room<'a> {
    fn of(source: &'a Source) -> Self {
        let module = source.module.as_deref().unwrap_or_default();
        let code = &source.rust.product_code;
        let mentions = imports::own_paths(module, code);
        Self { file: &source.file, mentions, handed_on: imports::re_exports(module, code) }
    }
}

/// The modules that `module` imports, each with the first place where it does.
fn imported<'a>(module: &str, room: &'a Room, rooms: &BTreeMap<&'a str, Room>) -> BTreeMap<&'a str, &'a Mention> {
    let mut found = BTreeMap::new();
    for mention in &room.mentions {
        let Some(other) = home(&mention.name, rooms) else { continue };
        if !imports::within(other, module) && !imports::within(module, other) {
            found.entry(other).or_insert(mention);
        }
    }
    found
}

/// The module that defines what a path names: through all modules that only hand it on.
fn home<'a>(path: &str, rooms: &BTreeMap<&'a str, Room>) -> Option<&'a str> {
    let mut path = path.to_owned();
    // A name is handed on up the folders, and there are few of those.
    for _ in 0..8 {
        let (module, room) =
            rooms.iter().filter(|(module, _)| imports::within(&path, module)).max_by_key(|(module, _)| module.len())?;
        let name = path[module.len()..].trim_start_matches('/').split('/').next().unwrap_or_default();
        match room.handed_on.iter().find(|(handed, _)| handed == name) {
            Some((_, from)) if *from != *module => path = format!("{from}/{name}"),
            _ => return Some(module),
        }
    }
    None
}

/// The shortest way from a module back to it.
fn shortest_ring<'a>(start: &'a str, imports: &BTreeMap<&'a str, BTreeMap<&'a str, &Mention>>) -> Option<Vec<&'a str>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for next in imports.get(module)?.keys() {
            if *next == start {
                let mut ring = vec![module];
                while let Some(before) = ring.last().and_then(|last| came_from.get(last)) {
                    ring.push(before);
                }
                ring.reverse();
                return Some(ring);
            }
            if !came_from.contains_key(next) {
                came_from.insert(next, module);
                queue.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::rules::fixture::package;

    fn found(sources: &[(&str, &str)]) -> Vec<String> {
        let package = package("lissome-x", &[], &[], sources);
        check(&package).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn one_way_passes_and_so_does_a_folder_with_what_it_holds() {
        let sources = [
            ("lib", "mod a;\nmod b;\npub use b::B;\n"),
            ("a/mod", "mod inner;\nuse crate::B;\npub struct A;\npub use inner::Inner;\n"),
            ("a/inner", "use super::A;\npub struct Inner;\n"),
            ("b", "pub struct B;\n"),
        ];
        assert_eq!(found(&sources), [""; 0]);
    }

    #[test]
    fn a_circle_is_told_once_with_its_place() {
        let sources = [
            ("lib", "mod a;\nmod b;\nmod c;\n"),
            ("a", "//! A.\nuse crate::b::B;\npub struct A;\n"),
            ("b", "use super::c::C;\npub struct B;\n"),
            ("c", "fn f() -> crate::a::A {}\npub struct C;\n"),
        ];
        assert_eq!(
            found(&sources),
            ["crates/lissome-x/src/a.rs:2: modules import each other in a circle: `a` → `b` → `c` → `a`"]
        );
    }

    #[test]
    fn a_circle_is_seen_through_what_others_hand_on() {
        let sources = [
            ("lib", "mod deep;\nmod b;\npub use deep::A;\n"),
            ("deep/mod", "mod a;\npub use a::A;\n"),
            ("deep/a", "use crate::b::B;\npub struct A;\n"),
            ("b", "use crate::{A, other};\npub struct B;\n"),
        ];
        assert_eq!(found(&sources).len(), 1);
    }

    #[test]
    fn tests_may_look_around() {
        let sources = [
            ("lib", "mod a;\nmod b;\n"),
            ("a", "use crate::b::B;\npub struct A;\n"),
            ("b", "pub struct B;\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
        ];
        assert_eq!(found(&sources), [""; 0]);
    }
}
