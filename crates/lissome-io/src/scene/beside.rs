//! Scenes beside that of a file, in which one of its numbers is a little different: one after the other in the same memory, in which only what
//! the number changes is exchanged.
//!
//! Where a number stands in the scene is not told by names: the parts read with one other value tell it. What has that value there holds the
//! number, and if the parts are those of the file once the old value stands in these places, nothing else follows from it. Then further values
//! are written there, and nothing is read.

use super::findings::Findings;
use super::part::{Part, PartsAnew};
use super::pieces::Piece;
use super::{LoadedScene, SceneNumber, lower};
use crate::diagnostic::Diagnostic;
use lissome_model::{Scene, ScenePart};
use std::sync::Arc;

/// Part of a number by which it is another one where all that stand in one key are sought at once, and the part of that by which these parts
/// differ from one number to the next.
const MARK: f64 = 1.0 / 16_384.0;
const MARKS_APART: f64 = 1.0 / 1_048_576.0;
/// Size that numbers without any are given there.
const SMALL: f64 = 1e-3;

/// Scenes beside that of a file.
pub struct Beside<'f> {
    file: &'f LoadedScene,
    /// Numbers that will be asked for.
    numbers: Vec<SceneNumber>,
    scene: Arc<Scene>,
    /// What changes with the number that was asked for last.
    asked: Option<Asked<'f>>,
    /// True if the pieces of the last number stand in the scene, and those of the file wait in their places.
    exchanged: bool,
    /// One in which more is different than can be exchanged.
    whole: Option<Arc<Scene>>,
    /// True if the scene that these are compared with is that of the file, but for how rods are divided.
    is_compared: bool,
}

/// A scene beside that of a file, and the parts in which it may be another one than the scene that it is compared with, if they are known.
pub type Neighbour<'b> = (&'b mut Arc<Scene>, Option<&'b [ScenePart]>);

/// Numbers that stand in one key, and what of a scene changes with them.
struct Asked<'f> {
    numbers: Vec<SceneNumber>,
    /// Where each stands.
    stands: Vec<Stands>,
    /// The one that was asked for last.
    last: usize,
    /// What is read for them; `None` if that is more than parts.
    parts: Option<PartsAnew<'f>>,
    /// Parts of the file in which numbers stand as they are.
    pieces: Vec<Piece>,
    /// Parts that were read for the last number, where it does not.
    read: Vec<Piece>,
    /// What changes with the last number.
    changed: Vec<ScenePart>,
}

/// Where a number stands.
#[derive(Clone, Debug, PartialEq)]
enum Stands {
    /// Not sought yet.
    Unsought,
    /// Something else follows from it.
    Elsewhere,
    /// In these numbers of pieces alone.
    In(Vec<Place>),
}

/// A piece, and a number in it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    piece: usize,
    number: usize,
}

impl LoadedScene {
    /// Scenes in which one of these numbers is a little different, to be compared with a scene.
    pub fn beside(&self, numbers: Vec<SceneNumber>, known: &Scene) -> Beside<'_> {
        let mut scene = self.scene.clone();
        let is_compared = scene.divide_like(known) && scene == *known;
        Beside { file: self, numbers, scene: Arc::new(scene), asked: None, exchanged: false, whole: None, is_compared }
    }
}

impl<'f> Beside<'f> {
    /// The scene with a number changed, which has passed the door. It may be changed further in how its rods are divided.
    pub fn at(&mut self, number: &SceneNumber, value: f64) -> Result<Neighbour<'_>, Box<Diagnostic>> {
        let (file, scene) = (self.file, Arc::make_mut(&mut self.scene));
        if let Some(asked) = self.asked.as_mut().filter(|_| self.exchanged) {
            asked.put_back(scene);
        }
        self.exchanged = false;
        let asked = match self.asked.take().map(|asked| asked.ask(number)) {
            Some(Ok(known)) => self.asked.insert(known),
            before => {
                let at_hand = before.and_then(Result::err).unwrap_or_default();
                let asked = self.asked.insert(Asked::of(file, number, &self.numbers, at_hand));
                if asked.numbers.len() > 1 {
                    asked.seek_together(file, scene);
                }
                asked
            }
        };
        let mut findings = Findings::default();
        let mut passed = false;
        if !asked.write(file, value) {
            let seeks = match &mut asked.parts {
                Some(parts) => {
                    asked.read = parts.read(&[(asked.last, value)], &file.scene, &mut findings);
                    asked.read.iter_mut().for_each(|piece| piece.swap(scene));
                    lower::begin_where_driven(scene);
                    asked.read.iter_mut().for_each(|piece| piece.swap(scene));
                    asked.stands[asked.last] == Stands::Unsought && !findings.has_errors()
                }
                // It passes the door there.
                None => match Piece::between(&file.scene, file.with_number(number, value)?) {
                    Ok(pieces) => {
                        asked.read = pieces;
                        passed = true;
                        asked.stands[asked.last] == Stands::Unsought
                    }
                    Err(scene) => return Ok((self.whole.insert(Arc::new(*scene)), None)),
                },
            };
            if !(seeks && asked.seek(file, value)) {
                asked.changed.clear();
                asked.changed.extend(asked.read.iter().map(Piece::place));
            }
        }
        if findings.has_errors() {
            file.check(&file.scene, None, findings)?;
        } else {
            asked.stand_in(scene);
            self.exchanged = true;
            if !passed {
                file.check(scene, Some(&asked.changed), findings)?;
            }
        }
        let changed = self.asked.as_ref().filter(|_| self.exchanged && self.is_compared);
        Ok((&mut self.scene, changed.map(|asked| asked.changed.as_slice())))
    }

    /// True if the number that was asked for last is written where it stands.
    #[cfg(test)]
    pub(super) fn is_written(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| matches!(asked.stands[asked.last], Stands::In(_)))
    }
}

impl<'f> Asked<'f> {
    /// A number, with those of others that stand in the same key; with tables that are at hand.
    fn of(file: &'f LoadedScene, number: &SceneNumber, others: &[SceneNumber], at_hand: Vec<Part<'f>>) -> Self {
        let parts = file.parts_anew(number, others, at_hand);
        let numbers = parts.as_ref().map_or_else(|| vec![number.clone()], |parts| parts.numbers().to_vec());
        let stands = vec![Stands::Unsought; numbers.len()];
        let (pieces, read, changed) = (Vec::new(), Vec::new(), Vec::new());
        Self { numbers, stands, last: 0, parts, pieces, read, changed }
    }

    /// The same for another of the numbers; if it is none of them, the tables that stand at hand.
    fn ask(mut self, number: &SceneNumber) -> Result<Self, Vec<Part<'f>>> {
        match self.numbers.iter().position(|own| own == number) {
            Some(last) => {
                self.last = last;
                Ok(self)
            }
            None => Err(self.parts.map(PartsAnew::into_parts).unwrap_or_default()),
        }
    }

    /// Writes a value where the last number stands; false if that is not known.
    fn write(&mut self, file: &LoadedScene, value: f64) -> bool {
        let Self { stands, last, pieces, changed, .. } = self;
        let Stands::In(places) = &stands[*last] else { return false };
        put(pieces, places, value);
        changed.clear();
        for (index, piece) in pieces.iter_mut().enumerate() {
            if places.iter().any(|place| place.piece == index) {
                piece.divide_as_in(&file.scene);
                changed.push(piece.place());
            }
        }
        true
    }

    /// What changes with the last number stands in the scene.
    fn stand_in(&mut self, scene: &mut Scene) {
        let Self { stands, last, pieces, read, .. } = self;
        match &stands[*last] {
            Stands::In(places) => {
                let stands = |index: usize| places.iter().any(|place| place.piece == index);
                let pieces = pieces.iter_mut().enumerate().filter(|(index, _)| stands(*index));
                pieces.for_each(|(_, piece)| piece.swap(scene));
            }
            _ => read.iter_mut().for_each(|piece| piece.swap(scene)),
        }
    }

    /// What stood there stands there again.
    fn put_back(&mut self, scene: &mut Scene) {
        self.stand_in(scene);
        if let Stands::In(places) = &self.stands[self.last] {
            put(&mut self.pieces, places, self.numbers[self.last].value);
        }
    }

    /// Seeks where the last number stands, from what was read with a value of it; true if it is written there now.
    fn seek(&mut self, file: &LoadedScene, value: f64) -> bool {
        let mut places = places_of(&mut self.read, &[value]).swap_remove(0);
        put(&mut self.read, &places, self.numbers[self.last].value);
        let alone = self.read.iter().all(|piece| piece.is_in(&file.scene));
        if !alone {
            put(&mut self.read, &places, value);
            self.stands[self.last] = Stands::Elsewhere;
            return false;
        }
        // Behind those that others of the numbers stand in.
        places.iter_mut().for_each(|place| place.piece += self.pieces.len());
        self.pieces.append(&mut self.read);
        self.stands[self.last] = Stands::In(places);
        self.write(file, value)
    }

    /// Seeks where all numbers stand, each with a value of its own.
    fn seek_together(&mut self, file: &LoadedScene, scene: &mut Scene) {
        let mut marks: Vec<(usize, f64)> = self.numbers.iter().enumerate().map(mark).collect();
        // Those that stand nowhere may stand in the way of the others.
        for _ in 0..2 {
            let (Some(parts), mut findings) = (&mut self.parts, Findings::default()) else { return };
            let mut read = parts.read(&marks, &file.scene, &mut findings);
            if findings.has_errors() {
                return;
            }
            read.iter_mut().for_each(|piece| piece.swap(scene));
            lower::begin_where_driven(scene);
            read.iter_mut().for_each(|piece| piece.swap(scene));
            let values: Vec<f64> = marks.iter().map(|(_, value)| *value).collect();
            let places = places_of(&mut read, &values);
            for ((index, _), places) in marks.iter().zip(&places) {
                put(&mut read, places, self.numbers[*index].value);
            }
            if read.iter().all(|piece| piece.is_in(&file.scene)) {
                for ((index, _), places) in marks.iter().zip(places) {
                    self.stands[*index] = Stands::In(places);
                }
                self.pieces = read;
                return;
            }
            let mut found = places.iter().map(|places| !places.is_empty());
            let before = marks.len();
            marks.retain(|_| found.next() == Some(true));
            if marks.is_empty() || marks.len() == before {
                return;
            }
        }
    }
}

/// A value of a number that no other one has.
fn mark((index, number): (usize, &SceneNumber)) -> (usize, f64) {
    let size = if number.beside > 0.0 { number.beside } else { SMALL };
    (index, number.value + size * (MARK + MARKS_APART * index as f64))
}

/// Where in pieces each of these values stands.
fn places_of(pieces: &mut [Piece], values: &[f64]) -> Vec<Vec<Place>> {
    let mut places = vec![Vec::new(); values.len()];
    for (piece, own) in pieces.iter_mut().enumerate() {
        let mut number = 0;
        own.each_number(&mut |found| {
            if let Some(index) = values.iter().position(|value| value == found) {
                places[index].push(Place { piece, number });
            }
            number += 1;
        });
    }
    places
}

/// Writes a value to numbers of pieces, which are in order.
fn put(pieces: &mut [Piece], places: &[Place], value: f64) {
    let mut left = places.iter().copied().peekable();
    for (piece, own) in pieces.iter_mut().enumerate() {
        if left.peek().is_none_or(|next| next.piece != piece) {
            continue;
        }
        let mut number = 0;
        own.each_number(&mut |found| {
            if left.next_if_eq(&Place { piece, number }).is_some() {
                *found = value;
            }
            number += 1;
        });
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::scene::parse;
    use std::path::Path;

    /// A load on the tip of tubes stands where they are pushed to as the path begins, not twice as far out.
    #[test]
    fn what_stands_on_pushed_tubes_moves_with_them_once() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes/concentric-tubes.toml");
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.replace("ramp = [\"150 mm\"", "ramp = [\"160 mm\"");
        let load = "[load.tip]\nrod = \"robot\"\nat = \"tip\"\nforce = \"[0, 0.1, 0] N\"\n";
        let loaded = parse("x.toml", format!("{text}\n{load}"), &[]).unwrap();
        let numbers: Vec<_> = loaded.number_paths().iter().flat_map(|path| loaded.numbers(path)).flatten().collect();
        let mut beside = loaded.beside(numbers.clone(), &loaded.scene);
        for number in &numbers {
            let value = number.value * 1.001 + 1e-6;
            match (beside.at(number, value), loaded.whole_anew(number, value)) {
                (Ok((found, _)), Ok(whole)) => assert!(**found == whole, "{}", number.path),
                (found, whole) => assert_eq!(found.is_err(), whole.is_err(), "{}", number.path),
            }
        }
    }

    /// Numbers that are asked for in turns, and values that are refused between others, leave nothing behind.
    #[test]
    fn one_scene_after_the_other_is_that_of_the_file_but_for_one_number() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes/finger.toml");
        let loaded = parse("finger.toml", std::fs::read_to_string(path).unwrap(), &[]).unwrap();
        let find = |path: &str| loaded.numbers(path).unwrap().swap_remove(0);
        let paths = [
            "rod.joint_1.section.width",
            "body.middle.frames.in.position.x",
            "material.plastic.young",
            "rod.joint_1.shape.control_poses.1.tangent.x",
            "rod.joint_1.shape.control_poses.1.position.x",
            "drive.flexor.tension.ramp.0",
        ];
        let numbers: Vec<_> = paths.into_iter().map(find).collect();
        let mut beside = loaded.beside(numbers.clone(), &loaded.scene);
        for round in 0..3 {
            for number in &numbers {
                let value = number.value * (1.0 + 1e-4 * f64::from(round + 1)) + 1e-6;
                assert!(
                    **beside.at(number, value).unwrap().0 == loaded.whole_anew(number, value).unwrap(),
                    "{}",
                    number.path
                );
            }
            assert!(beside.at(&numbers[round as usize], f64::INFINITY).is_err());
        }
    }
}
