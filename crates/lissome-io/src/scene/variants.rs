//! A scene file whose numbers are changed many times: read once, changed in memory.

use super::document::{Document, Number, Table};
use super::keys;
use super::numbers::{SceneNumber, below, replaced, walk_table};
use super::{LoadedScene, cases, lower, obstacle, overrides, write};
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use crate::fault_derivative::DerivativeFault;
use crate::source::{Source, Span};
use lissome_model::{Drive, Scene};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The scene of a file for any values of some of its numbers. All that is like the part that a number belongs to changes with it, as
/// it does when the file is changed; what is one of the numbers itself does not.
#[derive(Clone, Debug)]
pub struct Variants {
    numbers: Vec<SceneNumber>,
    /// The file, with every number written out.
    root: Table,
    /// Names of the texts it came from.
    sources: Vec<Source>,
    folder: PathBuf,
    /// Drives in the place of those of the file.
    drives: Option<Vec<Drive>>,
    memory: Arc<Memory>,
}

/// Scenes that were read last, by their values: derivatives and experiments that differ in their drives alone ask for the same ones.
#[derive(Debug, Default)]
struct Memory {
    scenes: Mutex<VecDeque<(Vec<u64>, Arc<Scene>)>>,
}

/// Scenes kept for each number: four neighbours on the way through a difference, for a few searches at once.
const KEPT: usize = 16;

impl Memory {
    fn get(&self, values: &[u64]) -> Option<Arc<Scene>> {
        let scenes = self.scenes.lock().unwrap_or_else(PoisonError::into_inner);
        scenes.iter().find(|(own, _)| own == values).map(|(_, scene)| scene.clone())
    }

    fn keep(&self, values: Vec<u64>, scene: Arc<Scene>) {
        let most = KEPT * (values.len() + 1);
        let mut scenes = self.scenes.lock().unwrap_or_else(PoisonError::into_inner);
        if scenes.len() >= most {
            scenes.pop_front();
        }
        scenes.push_back((values, scene));
    }
}

impl LoadedScene {
    /// The scenes of other values of these numbers, which are of this file.
    pub fn variants(&self, numbers: &[SceneNumber]) -> Result<Variants, Box<Diagnostic>> {
        let mut root = self.context().written.clone();
        for number in numbers {
            if walk_table(&root, keys::SCENE, &number.key, 0).is_some() {
                continue;
            }
            // It stands in a part that this one is like: what it takes from there is written out, as far as the number needs.
            let unknown = || {
                let fault = DerivativeFault::UnknownInput { path: number.path.clone(), nearest: None };
                Box::new(Diagnostic::new(Fault::Derivative(fault)))
            };
            let whole = self.document.root.entry(&number.key[0]).map(|family| family.node.clone());
            let names = number.key.get(1..3).ok_or_else(unknown)?;
            let taken = whole.and_then(|family| below(&family, names)).ok_or_else(unknown)?;
            let parts: Vec<(&str, Span)> = number.key[..3].iter().map(|part| (part.as_str(), NOWHERE)).collect();
            overrides::set(&mut root, &parts, taken, &number.path)
                .map_err(|(fault, _)| Box::new(Diagnostic::new(fault)))?;
        }
        let name = |source: &Source| Source { name: source.name.clone(), text: String::new() };
        let sources = self.document.sources.iter().map(name).collect();
        let (numbers, folder) = (numbers.to_vec(), self.folder.clone());
        Ok(Variants { numbers, root, sources, folder, drives: None, memory: Arc::default() })
    }
}

const NOWHERE: Span = Span { source: 0, start: 0, end: 0 };

impl Variants {
    /// The numbers, with the values that the file has.
    pub fn numbers(&self) -> &[SceneNumber] {
        &self.numbers
    }

    /// The scene with these values (SI), one for each number.
    pub fn scene(&self, values: &[f64]) -> Result<Scene, Box<Diagnostic>> {
        let key: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        let scene = match self.memory.get(&key) {
            Some(known) => known,
            None => {
                let document = Document { sources: self.sources.clone(), root: self.root_with(values)? };
                // Places are those of the file as it was.
                let elsewhere = |told: Box<Diagnostic>| Box::new(Diagnostic { place: None, ..*told });
                let scene = Arc::new(super::scene_of(document).map_err(elsewhere)?);
                self.memory.keep(key, scene.clone());
                scene
            }
        };
        let mut scene = (*scene).clone();
        if let Some(drives) = &self.drives {
            drive_by(&mut scene, drives);
        }
        Ok(scene)
    }

    /// The same variants, read together with those of another file that differs in its drives alone; `None` if it does not.
    pub fn sharing(&self, other: &Self) -> Option<Self> {
        if self.numbers.iter().any(|number| number.key[0] == "drive") {
            return None;
        }
        let values: Vec<f64> = self.numbers.iter().map(|number| number.value).collect();
        let (own, mut theirs) = (self.scene(&values).ok()?, other.scene(&values).ok()?);
        drive_by(&mut theirs, &own.drives);
        let shared = || Self {
            drives: Some(own.drives.clone()),
            memory: other.memory.clone(),
            root: other.root.clone(),
            ..self.clone()
        };
        (own == theirs).then(shared)
    }

    /// The file with these values, as TOML that can be run.
    pub fn to_toml(&self, values: &[f64]) -> Result<String, Box<Diagnostic>> {
        let mut root = self.root_with(values)?;
        obstacle::fix_files(&mut root, &self.folder);
        cases::fix_file(&mut root, &self.folder);
        Ok(write::to_toml(&root))
    }

    fn root_with(&self, values: &[f64]) -> Result<Table, Box<Diagnostic>> {
        let mut root = self.root.clone();
        for (number, value) in self.numbers.iter().zip(values) {
            let Some((node, ..)) = walk_table(&root, keys::SCENE, &number.key, 0) else { continue };
            let changed = replaced(node, &number.index, &Number::written(*value));
            let parts: Vec<(&str, Span)> = number.key.iter().map(|part| (part.as_str(), NOWHERE)).collect();
            overrides::set(&mut root, &parts, changed, &number.path)
                .map_err(|(fault, _)| Box::new(Diagnostic::new(fault)))?;
        }
        Ok(root)
    }
}

/// Other drives, and what is driven where they begin.
fn drive_by(scene: &mut Scene, drives: &[Drive]) {
    scene.drives.clear();
    scene.drives.extend_from_slice(drives);
    lower::begin_where_driven(scene);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::scene::parse;

    const SCENE: &str = r#"
schema = 1
[material]
soft = { young = "200 kPa", poisson = 0.45 }
[rod.a]
material = "soft"
length   = "1 m"
section  = { shape = "circle", radius = "10 mm" }
base     = { fixed_to = "world" }
[rod]
b = { like = "a", base = { position = [0, "1 m", 0] } }
[load.tip]
rod   = "a"
at    = "tip"
force = "[0, 1, 2] N"
"#;

    #[test]
    fn several_numbers_change_at_once_and_what_is_like_them_follows() {
        let loaded = parse("x.toml", SCENE.into(), &[]).unwrap();
        let find = |path: &str| loaded.numbers(path).unwrap();
        let both = [find("rod.a.length"), find("load.tip.force")].concat();
        let variants = loaded.variants(&both).unwrap();
        let scene = variants.scene(&[2.0, 5.0, 6.0, 7.0]).unwrap();
        assert_eq!((scene.rods[0].length, scene.rods[1].length), (2.0, 2.0));
        let lissome_model::LoadKind::Point { wrench, .. } = &scene.loads[0].kind else { panic!("a force at a point") };
        assert_eq!(wrench.force, nalgebra::Vector3::new(5.0, 6.0, 7.0));
        // One that is a number itself does not follow.
        let each = loaded.variants(&[find("rod.a.length"), find("rod.b.length")].concat()).unwrap();
        let scene = each.scene(&[2.0, 3.0]).unwrap();
        assert_eq!((scene.rods[0].length, scene.rods[1].length), (2.0, 3.0));
        let again = parse("y.toml", each.to_toml(&[2.0, 3.0]).unwrap(), &[]).unwrap();
        assert_eq!(again.scene, scene);
        assert!(each.scene(&[-1.0, 3.0]).is_err());
    }

    #[test]
    fn files_that_differ_in_their_drives_are_read_once() {
        let read = |set: &str| {
            let text = format!("{SCENE}\n[drive]\n\"tip.scale\" = {set}\n[job]\nkind = \"path\"\nsamples = 3\n");
            let loaded = parse("x.toml", text, &[]).unwrap();
            let numbers = loaded.numbers("rod.a.length").unwrap();
            loaded.variants(&numbers).unwrap()
        };
        let (one, two) = (read("1"), read("2"));
        let shared = two.sharing(&one).unwrap();
        assert_eq!(shared.scene(&[3.0]).unwrap(), two.scene(&[3.0]).unwrap());
        assert_ne!(shared.scene(&[3.0]).unwrap(), one.scene(&[3.0]).unwrap());
    }
}
