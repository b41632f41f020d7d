//! Parts of a scene beside those that stand there: told apart, exchanged, walked number by number.

use super::places;
use lissome_model::{
    Body, Cable, Disks, Drive, FrameLoad, Joint, Load, NaturalShape, Rod, Scene, ScenePart, Spring, Tendon,
};
use nalgebra::Vector3;
use std::mem::swap;

/// A part that may stand in the place of the one that a scene has there.
// They change places with what stands in the scene, of any size.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Gravity(Vector3<f64>),
    Rod(usize, Rod),
    /// The shape of a rod without stress.
    Natural(usize, NaturalShape),
    Body(usize, Body),
    Joint(usize, Joint),
    Cable(usize, Cable),
    Tendon(usize, Tendon),
    Disks(usize, Disks),
    Spring(usize, Spring),
    Load(usize, Load),
    FrameLoad(usize, FrameLoad),
    Drives(Vec<Drive>),
}

/// Pieces of a list that are others than those of another list;
fn others<T: PartialEq>(own: &[T], list: Vec<T>, piece: fn(usize, T) -> Piece, pieces: &mut Vec<Piece>) {
    let others = list.into_iter().zip(own).enumerate().filter(|(_, (other, own))| other != *own);
    pieces.extend(others.map(|(index, (other, _))| piece(index, other)));
}

/// True if two scenes have as many parts of every kind, and all is the same in them that cannot be exchanged.
fn is_like(scene: &Scene, other: &Scene) -> bool {
    let counts = |scene: &Scene| {
        let Scene { rods, bodies, joints, cables, tendons, disks, springs, loads, frame_loads, .. } = scene;
        let on_what = [cables.len(), tendons.len(), disks.len(), springs.len(), loads.len(), frame_loads.len()];
        (rods.len(), bodies.len(), joints.len(), on_what)
    };
    counts(scene) == counts(other)
        && other.title == scene.title
        && other.closures == scene.closures
        && other.obstacles == scene.obstacles
        && other.touching == scene.touching
        && other.loops == scene.loops
        && other.job == scene.job
}

impl Piece {
    /// What makes another scene of one; the other if more is different than can be exchanged.
    pub fn between(scene: &Scene, other: Scene) -> Result<Vec<Self>, Box<Scene>> {
        if !is_like(scene, &other) {
            return Err(Box::new(other));
        }
        let Scene { gravity, rods, bodies, joints, cables, tendons, .. } = other;
        let Scene { disks, springs, loads, frame_loads, drives, .. } = other;
        let mut pieces = Vec::new();
        others(&scene.rods, rods, Self::Rod, &mut pieces);
        others(&scene.bodies, bodies, Self::Body, &mut pieces);
        others(&scene.joints, joints, Self::Joint, &mut pieces);
        others(&scene.cables, cables, Self::Cable, &mut pieces);
        others(&scene.tendons, tendons, Self::Tendon, &mut pieces);
        others(&scene.disks, disks, Self::Disks, &mut pieces);
        others(&scene.springs, springs, Self::Spring, &mut pieces);
        others(&scene.loads, loads, Self::Load, &mut pieces);
        others(&scene.frame_loads, frame_loads, Self::FrameLoad, &mut pieces);
        if gravity != scene.gravity {
            pieces.push(Self::Gravity(gravity));
        }
        if drives != scene.drives {
            pieces.push(Self::Drives(drives));
        }
        Ok(pieces)
    }

    /// Where it stands.
    pub fn place(&self) -> ScenePart {
        match *self {
            Self::Gravity(_) => ScenePart::Gravity,
            Self::Rod(index, _) | Self::Natural(index, _) => ScenePart::Rod(index),
            Self::Body(index, _) => ScenePart::Body(index),
            Self::Joint(index, _) => ScenePart::Joint(index),
            Self::Cable(index, _) => ScenePart::Cable(index),
            Self::Tendon(index, _) => ScenePart::Tendon(index),
            Self::Disks(index, _) => ScenePart::Disks(index),
            Self::Spring(index, _) => ScenePart::Spring(index),
            Self::Load(index, _) => ScenePart::Load(index),
            Self::FrameLoad(index, _) => ScenePart::FrameLoad(index),
            Self::Drives(_) => ScenePart::Drives,
        }
    }

    /// True if it is what stands in the scene.
    pub fn is_in(&self, scene: &Scene) -> bool {
        match self {
            Self::Gravity(own) => *own == scene.gravity,
            Self::Rod(index, own) => *own == scene.rods[*index],
            Self::Natural(index, own) => *own == scene.rods[*index].natural,
            Self::Body(index, own) => *own == scene.bodies[*index],
            Self::Joint(index, own) => *own == scene.joints[*index],
            Self::Cable(index, own) => *own == scene.cables[*index],
            Self::Tendon(index, own) => *own == scene.tendons[*index],
            Self::Disks(index, own) => *own == scene.disks[*index],
            Self::Spring(index, own) => *own == scene.springs[*index],
            Self::Load(index, own) => *own == scene.loads[*index],
            Self::FrameLoad(index, own) => *own == scene.frame_loads[*index],
            Self::Drives(own) => *own == scene.drives,
        }
    }

    /// Is divided as what stands in the scene, if it is a rod.
    pub fn divide_as_in(&mut self, scene: &Scene) {
        if let Self::Rod(index, own) = self {
            let given = scene.rods[*index].discretization.resolution();
            if own.discretization.resolution() != given {
                *own.discretization.resolution_mut() = given.clone();
            }
        }
    }

    /// Stands in the scene, and is what stood there.
    pub fn swap(&mut self, scene: &mut Scene) {
        match self {
            Self::Gravity(own) => swap(own, &mut scene.gravity),
            Self::Rod(index, own) => swap(own, &mut scene.rods[*index]),
            Self::Natural(index, own) => swap(own, &mut scene.rods[*index].natural),
            Self::Body(index, own) => swap(own, &mut scene.bodies[*index]),
            Self::Joint(index, own) => swap(own, &mut scene.joints[*index]),
            Self::Cable(index, own) => swap(own, &mut scene.cables[*index]),
            Self::Tendon(index, own) => swap(own, &mut scene.tendons[*index]),
            Self::Disks(index, own) => swap(own, &mut scene.disks[*index]),
            Self::Spring(index, own) => swap(own, &mut scene.springs[*index]),
            Self::Load(index, own) => swap(own, &mut scene.loads[*index]),
            Self::FrameLoad(index, own) => swap(own, &mut scene.frame_loads[*index]),
            Self::Drives(own) => swap(own, &mut scene.drives),
        }
    }

    /// Its numbers that a file may hold as they are.
    pub fn each_number(&mut self, see: &mut impl FnMut(&mut f64)) {
        match self {
            Self::Gravity(own) => places::vector(own, see),
            Self::Rod(_, own) => places::rod(own, see),
            Self::Natural(_, own) => places::natural(own, see),
            Self::Body(_, own) => places::body(own, see),
            Self::Joint(_, own) => places::joint(own, see),
            Self::Cable(_, own) => places::cable(own, see),
            Self::Tendon(_, own) => places::tendon(own, see),
            Self::Disks(..) => {}
            Self::Spring(_, own) => places::spring(own, see),
            Self::Load(_, own) => places::load(own, see),
            Self::FrameLoad(_, own) => places::frame_load(own, see),
            Self::Drives(own) => places::drives(own, see),
        }
    }
}
