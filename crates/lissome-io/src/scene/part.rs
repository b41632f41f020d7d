//! One part of a scene read anew, where one of its numbers changes nothing else: what derivatives ask for most.

use super::document::{Entry, Node, Number, Table, Value};
use super::drive::{self, Drivable, Driven};
use super::findings::Findings;
use super::frame::Carriers;
use super::in_si::table_in_si;
use super::keys::Key;
use super::load::ReadLoad;
use super::numbers::{SceneNumber, replaced, walk_table};
use super::reader::Reader;
use super::section::Materials;
use super::tendon::ReadTendons;
use super::{
    LoadedScene, body, cable, joint, keys, like, load, lower, material, overrides, rod, spring, tendon, tubes,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use lissome_model::{Job, Scene};
use std::borrow::Cow;

const NOWHERE: Span = Span { source: 0, start: 0, end: 0 };

/// What parts of a scene are read with.
#[derive(Debug)]
pub(super) struct Context {
    /// The file with its overrides, nothing carried out.
    pub written: Table,
    /// The same with everything carried out, in which text with units was read once for all.
    root: Table,
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
        Self {
            is_patterned,
            carriers,
            materials,
            driven: Driven::of(&file),
            root: table_in_si(root, keys::SCENE),
            written,
        }
    }
}

/// What else of a scene changes with a number of a part.
enum Reach {
    /// The part alone.
    Alone,
    /// All that names the part: where places on a rod are, which frames a body has, what a material is.
    Named,
    /// No one knows.
    All,
}

fn reach(family: &str, key: &[String]) -> Reach {
    let first = key.first().map_or("", String::as_str);
    match (family, first) {
        ("rod", "surface") | ("joint", "limits") => Reach::All,
        // What is like this one takes over other keys of the section.
        ("rod", "section") if key[1..].iter().any(|part| part == "table" || part == "stiffness") => Reach::All,
        ("rod", "length") | ("body", "frames") | ("material", _) => Reach::Named,
        ("tubes", _) if key.iter().any(|part| part == "insertion") => Reach::Named,
        ("rod" | "tubes" | "body" | "joint" | "cable" | "tendon" | "spring" | "load" | "drive", _) => Reach::Alone,
        _ => Reach::All,
    }
}

/// Families that are read part by part, in the order in which they are read.
const READ: [(&str, &[Key]); 8] = [
    ("rod", keys::ROD),
    ("tubes", keys::TUBES),
    ("body", keys::BODY),
    ("joint", keys::JOINT),
    ("cable", keys::CABLE),
    ("tendon", keys::TENDON),
    ("spring", keys::SPRING),
    ("load", keys::LOAD),
];
/// Families that are read as a whole, and may name parts.
const WHOLE: [&str; 5] = ["closure", "obstacle", "contact", "target", "job"];

/// A part whose table may be another than that of the file: its family, number and table.
struct Part<'d> {
    of: &'d str,
    index: usize,
    entry: Cow<'d, Entry>,
}

impl LoadedScene {
    /// The scene with a number of one part changed, and of all that have it from there; `None` where more may change with it than is
    /// known.
    pub(super) fn part_anew(&self, number: &SceneNumber, value: f64) -> Option<Result<Scene, Box<Diagnostic>>> {
        let (of, reach) = match number.key.as_slice() {
            [of, _, key @ ..] => (of.as_str(), reach(of, key)),
            _ => return None,
        };
        let context = self.context();
        // Drives that are sought begin where their parts say.
        let sought = matches!(self.scene.job, Job::Inverse(_));
        if context.is_patterned || sought || matches!(reach, Reach::All) {
            return None;
        }
        let mut findings = Findings::default();
        if of == "drive" {
            return self.drives_anew(number, value, findings);
        }
        let changed = self.changed_parts(number, value)?;
        let (mut carriers, mut materials) = (Cow::Borrowed(&context.carriers), Cow::Borrowed(&context.materials));
        let mut parts = Vec::new();
        if matches!(reach, Reach::Named) {
            for part in &changed {
                part.note(carriers.to_mut(), materials.to_mut(), &mut findings)?;
            }
            parts = self.parts_that_name(&changed)?;
        }
        if of != "material" {
            parts.extend(changed);
        }
        let mut scene = self.scene.clone();
        let with = (&*carriers, &*materials, &context.driven);
        for part in &parts {
            if part.read(with, &mut scene, &mut findings).is_none() {
                break;
            }
        }
        Some(self.checked(scene, findings))
    }

    /// The scene with a number of its drives changed.
    fn drives_anew(
        &self,
        number: &SceneNumber,
        value: f64,
        mut findings: Findings,
    ) -> Option<Result<Scene, Box<Diagnostic>>> {
        let root = &self.context().root;
        let (node, ..) = walk_table(root, keys::SCENE, &number.key, 0)?;
        // Drives are checked against the limits of joints.
        let needed = ["drive", "joint", "closure"].iter().filter_map(|family| root.entry(family).cloned());
        let mut file = Table { entries: needed.collect() };
        let parts: Vec<(&str, Span)> = number.key.iter().map(|part| (part.as_str(), NOWHERE)).collect();
        overrides::set(&mut file, &parts, replaced(node, &number.index, &Number::unwritten(value)), "").ok()?;
        let mut scene = self.scene.clone();
        let Scene { rods, joints, cables, tendons, loads, frame_loads, .. } = &scene;
        let things = Drivable { rods, joints, cables, tendons, loads, frame_loads };
        let file = Reader::open(&file, keys::SCENE, "", None, &mut findings);
        if let Some(drives) = drive::read(&file, &things, &scene.job, &mut findings) {
            scene.drives = drives;
        }
        Some(self.checked(scene, findings))
    }

    /// A scene whose parts have been read, at the door.
    fn checked(&self, mut scene: Scene, findings: Findings) -> Result<Scene, Box<Diagnostic>> {
        lower::begin_where_driven(&mut scene);
        self.passed(scene, findings)
    }

    /// The same of one in which what is driven begins where its drive does.
    pub(super) fn passed(&self, scene: Scene, mut findings: Findings) -> Result<Scene, Box<Diagnostic>> {
        if !findings.has_errors() {
            lower::check_beside(&scene, &self.scene, &self.document, &mut findings);
        }
        match findings.has_errors() {
            true => Err(Box::new(findings.into_diagnostics(&self.document).swap_remove(0))),
            false => Ok(scene),
        }
    }

    /// The parts that have a number, with another value of it.
    fn changed_parts(&self, number: &SceneNumber, value: f64) -> Option<Vec<Part<'_>>> {
        let (of, name) = (&number.key[0], &number.key[1]);
        let Context { written, root, .. } = self.context();
        // What a part has from another is its own from now on: what is like it would have it too.
        let is_own = walk_table(written, keys::SCENE, &number.key, 0).is_some();
        let span = walk_table(root, keys::SCENE, &number.key, 0)?.0.span;
        let models = members(written, of)?;
        let family = root.entry(of)?;
        let mut path = number.key.clone();
        let mut changed = Vec::new();
        for (index, entry) in members(root, of)?.entries.iter().enumerate() {
            path[1].clone_from(&entry.name);
            let Some((node, ..)) = walk_table(root, keys::SCENE, &path, 0) else { continue };
            if node.span == span && (is_own || is_like(models, &entry.name, name)) {
                let mut table = Table { entries: vec![entry.clone()] };
                let parts: Vec<(&str, Span)> = path[1..].iter().map(|part| (part.as_str(), NOWHERE)).collect();
                overrides::set(&mut table, &parts, replaced(node, &number.index, &Number::unwritten(value)), "")
                    .ok()?;
                changed.push(Part { of: &family.name, index, entry: Cow::Owned(table.entries.swap_remove(0)) });
            }
        }
        Some(changed)
    }

    /// Other parts that name one of these; `None` if something does that is not read part by part.
    fn parts_that_name(&self, named: &[Part<'_>]) -> Option<Vec<Part<'_>>> {
        let root = &self.context().root;
        let names = |node: &Node| named.iter().any(|part| mentions(node, &part.entry.name));
        if WHOLE.iter().any(|family| root.get(family).is_some_and(names)) {
            return None;
        }
        let mut found = Vec::new();
        for (of, _) in READ {
            let Some(members) = members(root, of) else { continue };
            let is_changed = |index: usize| named.iter().any(|part| part.of == of && part.index == index);
            for (index, entry) in members.entries.iter().enumerate() {
                if !is_changed(index) && names(&entry.node) {
                    found.push(Part { of, index, entry: Cow::Borrowed(entry) });
                }
            }
        }
        Some(found)
    }
}

impl Part<'_> {
    fn open<'t>(&'t self, keys: &'static [Key], findings: &mut Findings) -> Option<Reader<'t>> {
        let path = format!("{}.{}", self.of, self.entry.name);
        Reader::open_node(&self.entry.node, keys, path, Some(self.entry.name_span), findings)
    }

    /// Notes what others look up of it.
    fn note(&self, carriers: &mut Carriers, materials: &mut Materials, findings: &mut Findings) -> Option<()> {
        let length = |carriers: &mut Carriers, length: Option<f64>| {
            let own = carriers.rods.iter_mut().find(|(name, _)| *name == self.entry.name);
            own.map(|own| own.1 = length)
        };
        match self.of {
            "rod" if members_of(&self.entry.node)?.get("surface").is_some() => None,
            "rod" => length(carriers, rod::read_length(&self.open(keys::ROD, findings)?)),
            "tubes" => length(carriers, tubes::read_length(&self.open(keys::TUBES, findings)?)),
            "body" => {
                carriers.bodies.get_mut(self.index)?.1 = body::read_frames(&self.open(keys::BODY, findings)?, findings);
                Some(())
            }
            _ => {
                let read = material::read(&self.open(keys::MATERIAL, findings)?, findings);
                materials.insert(self.entry.name.clone(), read);
                Some(())
            }
        }
    }

    /// Reads it to its place in the scene; `None` if it was refused.
    fn read(
        &self,
        (carriers, materials, driven): (&Carriers, &Materials, &Driven),
        scene: &mut Scene,
        findings: &mut Findings,
    ) -> Option<()> {
        let (index, name) = (self.index, self.entry.name.as_str());
        let (_, keys) = READ.iter().find(|(of, _)| *of == self.of)?;
        let reader = self.open(keys, findings)?;
        match self.of {
            "rod" => *scene.rods.get_mut(index)? = rod::read(name, &reader, materials, carriers, findings)?,
            "tubes" => {
                // They stand behind the rods.
                let own = scene.rods.iter_mut().find(|rod| rod.name == name)?;
                *own = tubes::read(name, &reader, materials, carriers, findings)?;
            }
            "body" => {
                let (_, frames) = carriers.bodies.get(index)?;
                *scene.bodies.get_mut(index)? = body::read(name, &reader, frames, carriers, findings)?;
            }
            "joint" => *scene.joints.get_mut(index)? = joint::read(name, &reader, carriers, driven, findings)?,
            "cable" => *scene.cables.get_mut(index)? = cable::read(name, &reader, carriers, driven, findings)?,
            "tendon" => {
                let ReadTendons { tendons, cables, disks } = tendon::read(name, &reader, carriers, driven, findings)?;
                for tendon in tendons {
                    let own = scene.tendons.iter_mut().find(|own| own.name == tendon.name);
                    *own? = tendon;
                }
                for cable in cables {
                    let own = scene.cables.iter_mut().find(|own| own.name == cable.name);
                    *own? = cable;
                }
                for (own, read) in scene.disks.iter_mut().filter(|own| own.name == name).zip(disks) {
                    *own = read;
                }
            }
            "spring" => *scene.springs.get_mut(index)? = spring::read(name, &reader, carriers, findings)?,
            _ => match load::read(name, &reader, carriers, findings)? {
                ReadLoad::Rod(load) => *scene.loads.iter_mut().find(|own| own.name == name)? = load,
                ReadLoad::Frame(load) => *scene.frame_loads.iter_mut().find(|own| own.name == name)? = load,
            },
        }
        Some(())
    }
}

fn members<'d>(root: &'d Table, family: &str) -> Option<&'d Table> {
    members_of(root.get(family)?)
}

fn members_of(node: &Node) -> Option<&Table> {
    match &node.value {
        Value::Table(members) => Some(members),
        _ => None,
    }
}

/// True if a part is another one, or like it, or like one that is.
fn is_like(members: &Table, part: &str, other: &str) -> bool {
    let mut part = part;
    // Circles were refused, and chains that are longer.
    for _ in 0..=like::LONGEST_CHAIN {
        if part == other {
            return true;
        }
        match members.get(part).and_then(members_of).and_then(|own| own.get("like")).map(|node| &node.value) {
            Some(Value::Text(model)) => part = model,
            _ => return false,
        }
    }
    false
}

/// True if a text somewhere below is a name, or begins with it and a dot.
fn mentions(node: &Node, name: &str) -> bool {
    match &node.value {
        Value::Text(text) => {
            text.trim().strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }
        Value::Array(items) => items.iter().any(|item| mentions(item, name)),
        Value::Table(table) => table.entries.iter().any(|entry| mentions(&entry.node, name)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::scene::{NumberPlaces, parse};
    use std::path::Path;

    /// Every number of every shipped scene, a little larger: the part alone, the places where the number stands and the whole file make the
    /// same scene.
    #[test]
    fn a_part_alone_is_what_the_whole_file_makes_of_it() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
        let (mut alone, mut written, mut all) = (0, 0, 0);
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
                    let mut places = NumberPlaces::default();
                    let near = loaded.with_number_at(&number, number.value * 1.0005 + 5e-7, &mut places);
                    let at = loaded.with_number_at(&number, value, &mut places);
                    if near.is_ok() && matches!(places, NumberPlaces::Found(_)) {
                        written += 1;
                        match (at, loaded.whole_anew(&number, value)) {
                            (Ok(written), Ok(whole)) => assert!(written == whole, "{path}"),
                            (written, whole) => assert_eq!(written.is_err(), whole.is_err(), "{path}"),
                        }
                    }
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
        assert!(alone * 4 > all * 3, "{alone} of {all} numbers need one part alone");
        assert!(written * 2 > all, "{written} of {all} numbers stand in the scene as they are");
    }
}
