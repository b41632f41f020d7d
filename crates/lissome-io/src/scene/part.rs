//! One part of a scene read anew, where one of its numbers changes nothing else: what derivatives ask for most.

use super::document::{Entry, Node, Table, Value};
use super::drive::Driven;
use super::findings::Findings;
use super::frame::Carriers;
use super::load::ReadLoad;
use super::names::family;
use super::numbers::{SceneNumber, replaced, walk_table};
use super::reader::Reader;
use super::section::Materials;
use super::{LoadedScene, body, cable, joint, keys, like, load, lower, material, overrides, rod, spring, tubes};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use lissome_model::Scene;
use std::collections::HashSet;

const NOWHERE: Span = Span { source: 0, start: 0, end: 0 };

/// What parts of a scene are read with.
#[derive(Debug)]
pub(super) struct Context {
    /// The file with its overrides, nothing carried out.
    pub written: Table,
    /// True if a part stands for several copies, which are turned.
    is_patterned: bool,
    carriers: Carriers,
    materials: Materials,
    driven: Driven,
}

impl Context {
    /// Of a scene that was read without complaint.
    pub fn of(written: Table, root: &Table) -> Self {
        let findings = &mut Findings::default();
        let file = Reader::open(root, keys::SCENE, "", None, findings);
        let carriers = lower::carriers(&file, findings);
        let materials = lower::read_materials(&file, findings);
        let is_patterned = like::is_patterned(&written);
        Self { is_patterned, carriers, materials, driven: Driven::of(&file), written }
    }
}

/// True if a number of a part says something about other parts too: where places on a rod are, which frames a body has, how
/// surfaces are divided, which keys are taken over from a part that this one is like, how far something may be driven.
fn concerns_others(family: &str, key: &[String]) -> bool {
    let first = key.first().map(String::as_str);
    match family {
        "rod" => {
            matches!(first, Some("length" | "surface"))
                || first == Some("section") && key[1..].iter().any(|part| part == "table" || part == "stiffness")
        }
        "tubes" => key.iter().any(|part| part == "insertion"),
        "body" => first == Some("frames"),
        "joint" => first == Some("limits"),
        "cable" | "spring" | "load" | "material" => false,
        _ => true,
    }
}

impl LoadedScene {
    /// The scene with a number of one part changed, and of all that have it from there; `None` where more may change with it.
    pub(super) fn part_anew(&self, number: &SceneNumber, value: f64) -> Option<Result<Scene, Box<Diagnostic>>> {
        let [of, name, key @ ..] = number.key.as_slice() else { return None };
        let context = self.context();
        if context.is_patterned || concerns_others(of, key) {
            return None;
        }
        // What a part has from another is its own from now on: what is like it would have it too.
        let written = walk_table(&context.written, keys::SCENE, &number.key, 0).map(|(node, ..)| node.span);
        if written.is_none() && is_model(members(&context.written, of)?, name) {
            return None;
        }
        let members = members(&self.document.root, of)?;
        let mut findings = Findings::default();
        let mut scene = self.scene.clone();
        for (index, entry) in members.entries.iter().enumerate() {
            let mut path = number.key.clone();
            path[1].clone_from(&entry.name);
            let Some((node, ..)) = walk_table(&self.document.root, keys::SCENE, &path, 0) else { continue };
            let follows = written.map_or(entry.name == *name, |span| node.span == span);
            if !follows {
                continue;
            }
            let file = alone(of, entry, &path, replaced(node, &number.index, value))?;
            let file = Reader::open(&file, keys::SCENE, "", None, &mut findings);
            let read = match of.as_str() {
                "material" => self.read_what_is_of(&entry.name, &file, &mut scene, &mut findings),
                of => read(of, index, &file, (context, &context.materials), &mut scene, &mut findings),
            };
            if read.is_none() {
                break;
            }
        }
        lower::begin_where_driven(&mut scene);
        if !findings.has_errors() {
            lower::check(&scene, &self.document, &mut findings);
        }
        Some(match findings.has_errors() {
            true => Err(Box::new(findings.into_diagnostics(&self.document).swap_remove(0))),
            false => Ok(scene),
        })
    }

    /// All that is made of a material, which has changed.
    fn read_what_is_of(
        &self,
        name: &str,
        changed: &Reader<'_>,
        scene: &mut Scene,
        findings: &mut Findings,
    ) -> Option<()> {
        let context = self.context();
        let (_, reader) = family(changed, "material", keys::MATERIAL, findings).into_iter().next()?;
        let mut materials = context.materials.clone();
        materials.insert(name.to_owned(), material::read(&reader, findings));
        for of in ["rod", "tubes", "body"] {
            let Some(members) = members(&self.document.root, of) else { continue };
            for (index, entry) in members.entries.iter().enumerate() {
                let Value::Table(table) = &entry.node.value else { continue };
                let mut used = HashSet::new();
                lower::collect_materials(table, &mut used);
                if used.contains(name) {
                    let file = with_member(of, entry);
                    let file = Reader::open(&file, keys::SCENE, "", None, findings);
                    read(of, index, &file, (context, &materials), scene, findings)?;
                }
            }
        }
        Some(())
    }
}

fn members<'d>(root: &'d Table, family: &str) -> Option<&'d Table> {
    match &root.get(family)?.value {
        Value::Table(members) => Some(members),
        _ => None,
    }
}

/// True if a part is like that one.
fn is_model(members: &Table, name: &str) -> bool {
    members.entries.iter().any(|entry| match &entry.node.value {
        Value::Table(own) => matches!(own.get("like").map(|node| &node.value), Some(Value::Text(like)) if like == name),
        _ => false,
    })
}

/// A file that has one part and nothing else.
fn with_member(family: &str, entry: &Entry) -> Table {
    let members = Value::Table(Table { entries: vec![entry.clone()] });
    let node = Node { span: NOWHERE, value: members };
    Table { entries: vec![Entry { name: family.to_owned(), name_span: NOWHERE, node }] }
}

/// The same with a value of the part changed.
fn alone(family: &str, entry: &Entry, path: &[String], changed: Node) -> Option<Table> {
    let mut file = with_member(family, entry);
    let parts: Vec<(&str, Span)> = path.iter().map(|part| (part.as_str(), NOWHERE)).collect();
    overrides::set(&mut file, &parts, changed, "").ok()?;
    Some(file)
}

/// Reads the one part of a file to its place in the scene; `None` if it was refused.
fn read(
    of: &str,
    index: usize,
    file: &Reader<'_>,
    (context, materials): (&Context, &Materials),
    scene: &mut Scene,
    findings: &mut Findings,
) -> Option<()> {
    let keys = match of {
        "rod" => keys::ROD,
        "tubes" => keys::TUBES,
        "body" => keys::BODY,
        "joint" => keys::JOINT,
        "cable" => keys::CABLE,
        "spring" => keys::SPRING,
        _ => keys::LOAD,
    };
    let (name, reader) = family(file, of, keys, findings).into_iter().next()?;
    let Context { carriers, driven, .. } = context;
    match of {
        "rod" => *scene.rods.get_mut(index)? = rod::read(name, &reader, materials, carriers, findings)?,
        "tubes" => {
            // They stand behind the rods.
            let place = scene.rods.iter().position(|rod| rod.name == name)?;
            scene.rods[place] = tubes::read(name, &reader, materials, carriers, findings)?;
        }
        "body" => {
            let (_, frames) = carriers.bodies.get(index)?;
            *scene.bodies.get_mut(index)? = body::read(name, &reader, frames, carriers, findings)?;
        }
        "joint" => *scene.joints.get_mut(index)? = joint::read(name, &reader, carriers, driven, findings)?,
        "cable" => *scene.cables.get_mut(index)? = cable::read(name, &reader, carriers, driven, findings)?,
        "spring" => *scene.springs.get_mut(index)? = spring::read(name, &reader, carriers, findings)?,
        _ => match load::read(name, &reader, carriers, findings)? {
            ReadLoad::Rod(load) => *scene.loads.iter_mut().find(|own| own.name == name)? = load,
            ReadLoad::Frame(load) => *scene.frame_loads.iter_mut().find(|own| own.name == name)? = load,
        },
    }
    Some(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::scene::parse;
    use std::path::Path;

    /// Every number of every shipped scene, a little larger: the part alone and the whole file make the same scene.
    #[test]
    fn a_part_alone_is_what_the_whole_file_makes_of_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
        let (mut alone, mut all) = (0, 0);
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let loaded = parse(&path.display().to_string(), text, &[]).unwrap();
            for path in loaded.number_paths() {
                for number in loaded.numbers(&path).into_iter().flatten() {
                    let value = number.value * 1.001 + 1e-6;
                    all += 1;
                    let Some(part) = loaded.part_anew(&number, value) else { continue };
                    let whole = loaded.whole_anew(&number, value);
                    match (part, whole) {
                        (Ok(part), Ok(whole)) => assert!(part == whole, "{path}"),
                        (part, whole) => assert_eq!(part.is_err(), whole.is_err(), "{path}"),
                    }
                    alone += 1;
                }
            }
        }
        assert!(alone * 2 > all, "{alone} of {all} numbers need one part alone");
    }
}
