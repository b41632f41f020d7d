//! Equations of neighbouring scenes that several equilibria ask for: experiments that differ in what drives them have the same.

use lissome_mech::System;
use lissome_model::{Drive, DriveTarget, Invalid, Resolution, Scene};
use lissome_solve::derivative::Neighbour;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Equations kept for each number: four neighbours on the way through a difference, for two searches at once.
const KEPT: usize = 8;

/// What equations are of: the values of the numbers, which of them is a little different and by how much, and how rods are divided.
#[derive(Clone, Debug, PartialEq)]
struct Key {
    values: Vec<u64>,
    moved: Option<(usize, u64)>,
    division: Vec<Resolution>,
}

/// Equations that were made last.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    kept: Mutex<VecDeque<(Key, Arc<Neighbour>)>>,
}

/// Where a neighbour is: the values of all numbers, and which one is how much larger.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub values: &'a [f64],
    pub moved: Option<(usize, f64)>,
}

impl Neighbours {
    /// True if equations do not depend on these drives: what is driven acts on them and is no part of them. Joints move what lengths
    /// at rest are measured along, and tubes end where they are pushed to.
    pub fn serve(scene: &Scene) -> bool {
        let measured = !scene.cables.is_empty() || !scene.tendons.is_empty() || !scene.springs.is_empty();
        scene.drives.iter().all(|Drive { target, .. }| match target {
            DriveTarget::Load(_) | DriveTarget::FrameLoad(_) | DriveTarget::Gravity => true,
            DriveTarget::JointEffort { .. } => true,
            DriveTarget::JointValue { .. } => !measured,
            _ => false,
        })
    }

    /// The equations of a neighbour of a scene whose equations are known. `scene` makes the scene of it, divided alike.
    pub fn get<E: From<Invalid>>(
        &self,
        known: (&Scene, &System),
        place: Place<'_>,
        scene: impl FnOnce() -> Result<Scene, E>,
    ) -> Result<Arc<Neighbour>, E> {
        let key = Key {
            values: place.values.iter().map(|value| value.to_bits()).collect(),
            moved: place.moved.map(|(index, by)| (index, by.to_bits())),
            division: known.0.rods.iter().map(|rod| rod.discretization.resolution().clone()).collect(),
        };
        let find = || {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter().rev().find(|(own, _)| *own == key).map(|(_, neighbour)| neighbour.clone())
        };
        if let Some(found) = find() {
            return Ok(found);
        }
        let made = Arc::new(Neighbour::of(&scene()?, known)?);
        let most = KEPT * (key.values.len() + 1);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= most {
            kept.pop_front();
        }
        kept.push_back((key, made.clone()));
        Ok(made)
    }
}
