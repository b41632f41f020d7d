//! One part of a scene read anew, where one of its numbers changes nothing else: what derivatives ask for most.

use super::document::{Entry, Node, Number, Table, Value};
use super::drive::{self, Drivable, Driven};
use super::findings::Findings;
use super::frame::Carriers;
use super::in_si::table_in_si;
use super::keys::Key;
use super::load::ReadLoad;
use super::numbers::{SceneNumber, replaced, walk_table};
use super::pieces::Piece;
use super::reader::Reader;
use super::section::Materials;
use super::tendon::ReadTendons;
use super::{
    LoadedScene, body, cable, joint, keys, like, load, lower, material, natural, overrides, rod, spring, tendon, tubes,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use lissome_model::{Drive, DriveTarget, Job, NaturalShape, Scene, ScenePart};
use std::borrow::Cow;
use std::sync::Arc;

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
pub(super) struct Part<'d> {
    of: &'d str,
    index: usize,
    entry: Cow<'d, Entry>,
}

/// What is read anew for some numbers of a file, whatever their values.
pub(super) struct PartsAnew<'d> {
    context: &'d Context,
    /// The numbers, which all stand in the same key of the same parts.
    numbers: Vec<SceneNumber>,
    /// Which of them have another value than that of the file.
    moved: Vec<usize>,
    /// Parts that have the numbers.
    holders: Vec<Part<'d>>,
    /// Other parts that name these.
    naming: Vec<Part<'d>>,
    /// What all are read with, where that changes with the number.
    noted: Option<(Carriers, Materials)>,
    /// True if the numbers stand in control poses of rods without stress.
    in_poses: bool,
}

impl LoadedScene {
    /// The scene with a number of one part changed, and of all that have it from there; `None` where more may change with it than is
    /// known.
    pub(super) fn part_anew(&self, number: &SceneNumber, value: f64) -> Option<Result<Scene, Box<Diagnostic>>> {
        if number.key.first().is_some_and(|family| family == "drive") {
            return self.drives_anew(number, value);
        }
        let mut findings = Findings::default();
        let pieces = self.parts_anew(number, &[], Vec::new())?.read(&[(0, value)], &self.scene, &mut findings);
        let mut scene = self.scene.clone();
        pieces.into_iter().for_each(|mut piece| piece.swap(&mut scene));
        lower::begin_where_driven(&mut scene);
        Some(self.passed(scene, findings))
    }

    /// True if parts may be read alone.
    fn is_read_in_parts(&self) -> bool {
        // Drives that are sought begin where their parts say, and what stands on tubes that are pushed moves with them.
        let is_pushed = |drive: &Drive| match drive.target {
            DriveTarget::TubeInsertion { rod, .. } => !self.scene.places_on(rod).is_empty(),
            _ => false,
        };
        !self.context().is_patterned
            && !matches!(self.scene.job, Job::Inverse(_))
            && !self.scene.drives.iter().any(is_pushed)
    }

    /// The parts that a number changes, and which others change the same ones by the same key; `None` where more may change with it than is
    /// known. Parts that another number changed may be among them, and stand at hand.
    pub(super) fn parts_anew(
        &self,
        number: &SceneNumber,
        others: &[SceneNumber],
        mut at_hand: Vec<Part<'_>>,
    ) -> Option<PartsAnew<'_>> {
        let (of, reach) = match &*number.key {
            [of, _, key @ ..] if of != "drive" => (of.as_str(), reach(of, key)),
            _ => return None,
        };
        if !self.is_read_in_parts() || matches!(reach, Reach::All) {
            return None;
        }
        let context = self.context();
        let family = members(&context.root, of)?;
        let holding = self.holders(number)?;
        // Components of one vector share their key, and stand side by side.
        let mut last: Option<(Arc<[String]>, bool)> = None;
        let same_key = |other: &&SceneNumber| {
            if other.key.len() < 3 || !(0..3).rev().all(|part| number.key.get(part) == Some(&other.key[part])) {
                return false;
            }
            let held_alike = match &last {
                Some((key, alike)) if Arc::ptr_eq(key, &other.key) => *alike,
                _ => self.holders(other).as_ref() == Some(&holding),
            };
            last = Some((other.key.clone(), held_alike));
            held_alike && *other != number
        };
        let numbers = [number].into_iter().chain(others.iter().filter(same_key)).cloned().collect();
        let (of, _) = READ.iter().find(|(own, _)| *own == of).unwrap_or(&("material", keys::MATERIAL));
        let mut part = |index: &usize| match at_hand.iter().position(|own| own.of == *of && own.index == *index) {
            Some(found) => at_hand.swap_remove(found).entry.into_owned(),
            None => family.entries[*index].clone(),
        };
        let mut part = |index: &usize| Part { of, index: *index, entry: Cow::Owned(part(index)) };
        let holders: Vec<Part<'_>> = holding.iter().map(&mut part).collect();
        let (mut noted, mut naming) = (None, Vec::new());
        if matches!(reach, Reach::Named) {
            if holders.iter().any(|own| own.of == "rod" && own.has("surface")) {
                return None;
            }
            noted = Some((context.carriers.clone(), context.materials.clone()));
            naming = self.parts_that_name(&holders)?;
        }
        let in_poses = *of == "rod" && number.key.get(2..4).is_some_and(|key| key == ["shape", "control_poses"]);
        Some(PartsAnew { context, numbers, moved: Vec::new(), holders, naming, noted, in_poses })
    }

    /// The scene with a number of its drives changed.
    fn drives_anew(&self, number: &SceneNumber, value: f64) -> Option<Result<Scene, Box<Diagnostic>>> {
        if !self.is_read_in_parts() {
            return None;
        }
        let mut findings = Findings::default();
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
        lower::begin_where_driven(&mut scene);
        Some(self.passed(scene, findings))
    }

    /// A scene whose parts have been read, and in which what is driven begins where its drive does, at the door.
    fn passed(&self, scene: Scene, findings: Findings) -> Result<Scene, Box<Diagnostic>> {
        self.check(&scene, None, findings).map(|()| scene)
    }

    /// The door for a scene beside that of the file, and what was found where it was read. With the parts in which the two may differ, if they
    /// are known.
    pub(super) fn check(
        &self,
        scene: &Scene,
        changed: Option<&[ScenePart]>,
        mut findings: Findings,
    ) -> Result<(), Box<Diagnostic>> {
        if !findings.has_errors() {
            lower::check_beside(scene, (&self.scene, changed), &self.document, &mut findings);
        }
        match findings.has_errors() {
            true => Err(Box::new(findings.into_diagnostics(&self.document).swap_remove(0))),
            false => Ok(()),
        }
    }

    /// The parts that have a number, by their places in its family.
    fn holders(&self, number: &SceneNumber) -> Option<Vec<usize>> {
        let (of, name) = (&number.key[0], &number.key[1]);
        let Context { written, root, .. } = self.context();
        // What a part has from another is its own from now on: what is like it would have it too.
        let is_own = walk_table(written, keys::SCENE, &number.key, 0).is_some();
        let span = walk_table(root, keys::SCENE, &number.key, 0)?.0.span;
        let models = members(written, of)?;
        let mut holders = Vec::new();
        for (index, entry) in members(root, of)?.entries.iter().enumerate() {
            // Other parts have it where they have it from this one.
            let is_same = |node: &Node| node.span == span && (is_own || is_like(models, &entry.name, name));
            if below(&entry.node, &number.key[2..]).is_some_and(is_same) {
                below(&entry.node, &number.key[2..]).and_then(|node| number_at(node, &number.index))?;
                holders.push(index);
            }
        }
        Some(holders)
    }

    /// Other parts that name one of these; `None` if something does that is not read part by part.
    fn parts_that_name(&self, named: &[Part<'_>]) -> Option<Vec<Part<'_>>> {
        let root = &self.context().root;
        let names = |node: &Node| named.iter().any(|own| mentions(node, &own.entry.name));
        if WHOLE.iter().any(|family| root.get(family).is_some_and(names)) {
            return None;
        }
        let mut found = Vec::new();
        for (of, _) in READ {
            let Some(members) = members(root, of) else { continue };
            let is_changed = |index: usize| named.iter().any(|own| own.of == of && own.index == index);
            for (index, entry) in members.entries.iter().enumerate() {
                if !is_changed(index) && names(&entry.node) {
                    found.push(Part { of, index, entry: Cow::Borrowed(entry) });
                }
            }
        }
        Some(found)
    }
}

impl<'d> PartsAnew<'d> {
    /// The numbers, which all stand in the same key of the same parts.
    pub fn numbers(&self) -> &[SceneNumber] {
        &self.numbers
    }

    /// The parts that have the numbers, as they are in the file.
    pub fn into_parts(mut self) -> Vec<Part<'d>> {
        self.put_back();
        self.holders
    }

    fn put_back(&mut self) {
        for index in std::mem::take(&mut self.moved) {
            self.put(index, self.numbers[index].value);
        }
    }

    /// Writes a number where it stands in the tables.
    fn put(&mut self, index: usize, value: f64) {
        let SceneNumber { key, index, .. } = &self.numbers[index];
        for part in &mut self.holders {
            let node = below_mut(&mut part.entry.to_mut().node, &key[2..]);
            if let Some(found) = node.and_then(|node| number_at_mut(node, index)) {
                found.value = value;
            }
        }
    }

    /// The parts with other values of some of the numbers, to stand in a scene in the place of those that are there. Fewer where one was
    /// refused.
    pub fn read(&mut self, values: &[(usize, f64)], scene: &Scene, findings: &mut Findings) -> Vec<Piece> {
        self.put_back();
        values.iter().for_each(|(index, value)| self.put(*index, *value));
        let Self { context, numbers, moved, holders, naming, noted, in_poses } = self;
        moved.extend(values.iter().map(|(index, _)| *index));
        let (carriers, materials) = match noted {
            Some((carriers, materials)) => {
                for own in holders.iter() {
                    own.note(carriers, materials, findings);
                }
                (&*carriers, &*materials)
            }
            None => (&context.carriers, &context.materials),
        };
        let with = (carriers, materials, &context.driven);
        let mut pieces = Vec::with_capacity(naming.len() + holders.len());
        let is_read = |part: &&Part<'_>| part.of != "material";
        for part in naming.iter().chain(holders.iter()).filter(is_read) {
            let read = match in_poses {
                true => {
                    let some = moved.iter().filter_map(|index| numbers[*index].key.get(4)?.parse().ok());
                    part.read_poses(some, scene, findings).map(|piece| pieces.push(piece))
                }
                false => part.read(with, scene, &mut pieces, findings),
            };
            if read.is_none() {
                break;
            }
        }
        pieces
    }
}

impl Part<'_> {
    fn open<'t>(&'t self, keys: &'static [Key], findings: &mut Findings) -> Option<Reader<'t>> {
        let path = [self.of, &self.entry.name].join(".");
        Reader::open_node(&self.entry.node, keys, path, Some(self.entry.name_span), findings)
    }

    fn has(&self, key: &str) -> bool {
        members_of(&self.entry.node).is_some_and(|members| members.get(key).is_some())
    }

    /// Notes what others look up of it.
    fn note(&self, carriers: &mut Carriers, materials: &mut Materials, findings: &mut Findings) -> Option<()> {
        let length = |carriers: &mut Carriers, length: Option<f64>| {
            let own = carriers.rods.iter_mut().find(|(name, _)| *name == self.entry.name);
            own.map(|own| own.1 = length)
        };
        match self.of {
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

    /// Reads some control poses of a rod without stress: the others are those of the scene, and nothing else depends on where they are.
    fn read_poses(&self, some: impl Iterator<Item = usize>, scene: &Scene, findings: &mut Findings) -> Option<Piece> {
        let (reader, rod) = (self.open(keys::ROD, findings)?, &scene.rods[self.index]);
        let NaturalShape::ControlPoses(known) = &rod.natural else { return None };
        let shape = natural::read_some_poses(&reader, known, some, rod.length, findings)?;
        Some(Piece::Natural(self.index, shape))
    }

    /// Reads what stands in the scene for it; `None` if it was refused.
    fn read(
        &self,
        (carriers, materials, driven): (&Carriers, &Materials, &Driven),
        scene: &Scene,
        pieces: &mut Vec<Piece>,
        findings: &mut Findings,
    ) -> Option<()> {
        let (index, name) = (self.index, self.entry.name.as_str());
        let (_, keys) = READ.iter().find(|(of, _)| *of == self.of)?;
        let reader = self.open(keys, findings)?;
        pieces.push(match self.of {
            "rod" => Piece::Rod(index, rod::read(name, &reader, materials, carriers, findings)?),
            "tubes" => {
                // They stand behind the rods.
                let index = scene.rods.iter().position(|rod| rod.name == name)?;
                Piece::Rod(index, tubes::read(name, &reader, materials, carriers, findings)?)
            }
            "body" => {
                let (_, frames) = carriers.bodies.get(index)?;
                Piece::Body(index, body::read(name, &reader, frames, carriers, findings)?)
            }
            "joint" => Piece::Joint(index, joint::read(name, &reader, carriers, driven, findings)?),
            "cable" => Piece::Cable(index, cable::read(name, &reader, carriers, driven, findings)?),
            "tendon" => {
                let ReadTendons { tendons, cables, disks } = tendon::read(name, &reader, carriers, driven, findings)?;
                for tendon in tendons {
                    let index = scene.tendons.iter().position(|own| own.name == tendon.name)?;
                    pieces.push(Piece::Tendon(index, tendon));
                }
                for cable in cables {
                    let index = scene.cables.iter().position(|own| own.name == cable.name)?;
                    pieces.push(Piece::Cable(index, cable));
                }
                let places = scene.disks.iter().enumerate().filter(|(_, own)| own.name == name);
                pieces.extend(places.zip(disks).map(|((index, _), disks)| Piece::Disks(index, disks)));
                return Some(());
            }
            "spring" => Piece::Spring(index, spring::read(name, &reader, carriers, findings)?),
            _ => match load::read(name, &reader, carriers, findings)? {
                ReadLoad::Rod(load) => Piece::Load(scene.loads.iter().position(|own| own.name == name)?, load),
                ReadLoad::Frame(load) => {
                    Piece::FrameLoad(scene.frame_loads.iter().position(|own| own.name == name)?, load)
                }
            },
        });
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

/// The value under names in tables and numbers in arrays.
fn below<'n>(node: &'n Node, names: &[String]) -> Option<&'n Node> {
    let Some((first, rest)) = names.split_first() else { return Some(node) };
    match &node.value {
        Value::Table(table) => below(table.get(first)?, rest),
        Value::Array(items) => below(items.get(first.parse::<usize>().ok()?)?, rest),
        _ => None,
    }
}

/// The number under places in arrays.
fn number_at<'n>(node: &'n Node, index: &[usize]) -> Option<&'n Number> {
    match (&node.value, index) {
        (Value::Number(number), []) => Some(number),
        (Value::Array(items), [first, rest @ ..]) => number_at(items.get(*first)?, rest),
        _ => None,
    }
}

/// The same to change it.
fn number_at_mut<'n>(node: &'n mut Node, index: &[usize]) -> Option<&'n mut Number> {
    match (&mut node.value, index) {
        (Value::Number(number), []) => Some(number),
        (Value::Array(items), [first, rest @ ..]) => number_at_mut(items.get_mut(*first)?, rest),
        _ => None,
    }
}

/// The value under names in tables and numbers in arrays, to change it.
fn below_mut<'n>(node: &'n mut Node, names: &[String]) -> Option<&'n mut Node> {
    let Some((first, rest)) = names.split_first() else { return Some(node) };
    match &mut node.value {
        Value::Table(table) => below_mut(&mut table.entry_mut(first)?.node, rest),
        Value::Array(items) => below_mut(items.get_mut(first.parse::<usize>().ok()?)?, rest),
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
    use crate::scene::parse;
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
            let numbers = loaded.number_paths().iter().flat_map(|path| loaded.numbers(path)).flatten().collect();
            let mut beside = loaded.beside(numbers, &loaded.scene);
            for path in loaded.number_paths() {
                for number in loaded.numbers(&path).into_iter().flatten() {
                    let value = number.value * 1.001 + 1e-6;
                    all += 1;
                    let near = beside.at(&number, number.value * 1.0005 + 5e-7).map(drop);
                    let found = beside.at(&number, value).map(|(scene, _)| scene.clone());
                    written += usize::from(near.is_ok() && beside.is_written());
                    match (found, loaded.whole_anew(&number, value)) {
                        (Ok(found), Ok(whole)) => assert!(*found == whole, "{path}"),
                        (found, whole) => assert_eq!(found.is_err(), whole.is_err(), "{path}"),
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
