//! Scenes beside that of a file, in which one of its numbers is a little different: one after the other in the same memory, in which only what
//! the number changes is exchanged.
//!
//! Where a number stands in the scene is not told by names: the parts read with one other value tell it. What has that value there holds the
//! number, and if the parts are those of the file once the old value stands in these places, nothing else follows from it. Then further values
//! are written there, and nothing is read.

use super::findings::Findings;
use super::part::PartsAnew;
use super::pieces::Piece;
use super::{LoadedScene, SceneNumber, lower};
use crate::diagnostic::Diagnostic;
use lissome_model::{Scene, ScenePart};
use std::sync::Arc;

/// Scenes beside that of a file.
pub struct Beside<'f> {
    file: &'f LoadedScene,
    scene: Arc<Scene>,
    /// The number that was asked for last, with what changes with it.
    asked: Option<Asked<'f>>,
    /// True if its pieces stand in the scene, and those of the file wait in their places.
    exchanged: bool,
    /// One in which more is different than can be exchanged.
    whole: Option<Arc<Scene>>,
}

/// A number, and what of a scene changes with it.
struct Asked<'f> {
    number: SceneNumber,
    /// What is read for it; `None` if that is more than parts.
    parts: Option<PartsAnew<'f>>,
    pieces: Vec<Piece>,
    changed: Vec<ScenePart>,
    stands: Stands,
}

/// Where a number stands.
enum Stands {
    /// Not sought yet.
    Unsought,
    /// Something else follows from it.
    Elsewhere,
    /// In these numbers of its pieces alone.
    In(Vec<usize>),
}

impl LoadedScene {
    /// Scenes in which one number is a little different.
    pub fn beside(&self) -> Beside<'_> {
        Beside { file: self, scene: Arc::new(self.scene.clone()), asked: None, exchanged: false, whole: None }
    }
}

impl<'f> Beside<'f> {
    /// The scene with a number changed, which has passed the door. It may be changed further in how its rods are divided.
    pub fn at(&mut self, number: &SceneNumber, value: f64) -> Result<&mut Arc<Scene>, Box<Diagnostic>> {
        self.put_back();
        let file = self.file;
        let asked = match &mut self.asked {
            Some(asked) if asked.number == *number => asked,
            other => other.insert(Asked::of(file, number)),
        };
        let mut findings = Findings::default();
        let is_read = !asked.write(file, value);
        if let (true, Some(parts)) = (is_read, &mut asked.parts) {
            let pieces = parts.read(value, &file.scene, &mut findings);
            if findings.has_errors() {
                file.check(&file.scene, None, findings)?;
                return Ok(&mut self.scene);
            }
            asked.take(pieces);
        } else if is_read {
            // It passes the door there.
            match Piece::between(&file.scene, file.with_number(number, value)?) {
                Ok(pieces) => asked.take(pieces),
                Err(scene) => return Ok(self.whole.insert(Arc::new(*scene))),
            }
        }
        let scene = Arc::make_mut(&mut self.scene);
        asked.swap(scene);
        self.exchanged = true;
        if is_read {
            lower::begin_where_driven(scene);
            asked.seek(file, scene, value);
        }
        file.check(scene, Some(&asked.changed), findings)?;
        Ok(&mut self.scene)
    }

    /// The scene of the file again, but for how its rods are divided.
    fn put_back(&mut self) {
        if let Some(asked) = self.asked.as_mut().filter(|_| self.exchanged) {
            asked.swap(Arc::make_mut(&mut self.scene));
        }
        self.exchanged = false;
    }

    /// True if the number that was asked for last is written where it stands.
    #[cfg(test)]
    pub(super) fn is_written(&self) -> bool {
        matches!(&self.asked, Some(Asked { stands: Stands::In(_), .. }))
    }
}

impl<'f> Asked<'f> {
    fn of(file: &'f LoadedScene, number: &SceneNumber) -> Self {
        let (pieces, changed) = (Vec::new(), Vec::new());
        Self { number: number.clone(), parts: file.parts_anew(number), pieces, changed, stands: Stands::Unsought }
    }

    fn take(&mut self, pieces: Vec<Piece>) {
        self.changed.clear();
        self.changed.extend(pieces.iter().map(Piece::place));
        self.pieces = pieces;
    }

    fn swap(&mut self, scene: &mut Scene) {
        self.pieces.iter_mut().for_each(|piece| piece.swap(scene));
    }

    /// Writes a value where the number stands; false if that is not known.
    fn write(&mut self, file: &LoadedScene, value: f64) -> bool {
        let Stands::In(places) = &self.stands else { return false };
        put(&mut self.pieces, places, value);
        for piece in &mut self.pieces {
            piece.divide_as_in(&file.scene);
        }
        true
    }

    /// Seeks where the number stands, of which pieces in a scene have a value.
    fn seek(&mut self, file: &LoadedScene, scene: &mut Scene, value: f64) {
        if !matches!(self.stands, Stands::Unsought) {
            return;
        }
        self.swap(scene);
        let mut places = Vec::new();
        let mut place = 0;
        for piece in &mut self.pieces {
            piece.each_number(&mut |found| {
                if *found == value {
                    places.push(place);
                }
                place += 1;
            });
        }
        put(&mut self.pieces, &places, self.number.value);
        let alone = self.pieces.iter().all(|piece| piece.is_in(&file.scene));
        put(&mut self.pieces, &places, value);
        self.swap(scene);
        self.stands = if alone { Stands::In(places) } else { Stands::Elsewhere };
    }
}

/// Writes a value to numbers of pieces.
fn put(pieces: &mut [Piece], places: &[usize], value: f64) {
    let (mut left, mut place) = (places.iter().copied().peekable(), 0);
    for piece in pieces {
        piece.each_number(&mut |found| {
            if left.next_if_eq(&place).is_some() {
                *found = value;
            }
            place += 1;
        });
    }
}
