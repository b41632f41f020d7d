//! New values for the layout that is there, and which rods they leave as they were.

use super::lay_out;
use super::refill::Refill;
use crate::contribution::Constraint;
use crate::joint::Joint;
use crate::kind::each_constraint;
use crate::layout::{Layout, RodPlace};
use crate::system::System;
use crate::values::Values;
use lissome_model::{Body, Invalid, Problem, Rod, Scene, ScenePart};
use std::sync::Arc;

/// Rods of a scene that are the same in another one, places of loads and attachments included; with the parts in which the two may
/// differ, if they are known.
fn same_rods(scene: &Scene, other: &Scene, changed: Option<&[ScenePart]>) -> Vec<bool> {
    let pairs = || scene.rods.iter().zip(&other.rods);
    if let Some(changed) = changed.filter(|changed| scene.has_places_of(other, changed)) {
        let is_same = |(index, (own, other)): (usize, (&Rod, &Rod))| {
            !changed.contains(&ScenePart::Rod(index)) || compile_alike(own, other)
        };
        return pairs().enumerate().map(is_same).collect();
    }
    // Tendons run inside rods.
    if other.tendons != scene.tendons || other.rods.len() != scene.rods.len() {
        return vec![false; scene.rods.len()];
    }
    let places = scene.places_by_rod().into_iter().zip(other.places_by_rod());
    pairs().zip(places).map(|((own, other), (places, others))| compile_alike(own, other) && places == others).collect()
}

/// True if two rods differ in their name, in where they are held, and in how they begin to move alone.
fn compile_alike(own: &Rod, other: &Rod) -> bool {
    let Rod { name: _, length, profile, natural, base, tip, turns, laid, discretization, initial_velocity: _, tubes } =
        own;
    *length == other.length
        && *profile == other.profile
        && *natural == other.natural
        && base.is_some() == other.base.is_some()
        && tip.is_some() == other.tip.is_some()
        && *turns == other.turns
        && *laid == other.laid
        && *discretization == other.discretization
        && *tubes == other.tubes
}

/// True if values of one layout give it the same groups: joints that are driven, multipliers.
fn number_alike(own: &Values, other: &Values) -> bool {
    let joint = |joint: &Joint| (joint.node, joint.driven, joint.subgroup.freedom, joint.tube, joint.strain_of);
    let multipliers = |values: &Values| {
        let mut all = Vec::new();
        each_constraint!(values.kinds, |constraint| {
            all.push((constraint.multiplier().node, constraint.size()));
        });
        all
    };
    own.joints.iter().map(joint).eq(other.joints.iter().map(joint)) && multipliers(own) == multipliers(other)
}

impl System {
    /// True if a scene makes the equations that this system has from another one: they differ in their title and job, in the frames that bodies
    /// name for others, and in what bodies look like where nothing touches. With the parts in which they may differ, if they are known.
    pub fn is_of_both(&self, scene: &Scene, other: &Scene, changed: Option<&[ScenePart]>) -> bool {
        let Scene { title: _, job: _, gravity, rods, bodies, joints, closures, cables, tendons, .. } = scene;
        let Scene { disks, springs, obstacles, touching, loads, frame_loads, drives, loops, .. } = scene;
        let touches = !self.values.kinds.contacts.is_empty();
        let alike = |(own, other): (&Body, &Body)| {
            let Body { name: _, frames: _, inertia, mount, solids, initial_velocity } = own;
            *inertia == other.inertia
                && *mount == other.mount
                && *initial_velocity == other.initial_velocity
                && (!touches || *solids == other.solids)
        };
        if let Some(changed) = changed {
            return changed.iter().all(|part| match *part {
                ScenePart::Body(index) => alike((&bodies[index], &other.bodies[index])),
                _ => false,
            });
        }
        bodies.len() == other.bodies.len()
            && bodies.iter().zip(&other.bodies).all(alike)
            && *cables == other.cables
            && *rods == other.rods
            && *joints == other.joints
            && *closures == other.closures
            && *tendons == other.tendons
            && *disks == other.disks
            && *springs == other.springs
            && *obstacles == other.obstacles
            && *touching == other.touching
            && *loads == other.loads
            && *frame_loads == other.frame_loads
            && *drives == other.drives
            && *gravity == other.gravity
            && *loops == other.loops
    }

    /// Takes new values from a scene of the same structure: stiffness, natural shapes, masses, loads, offsets, constants of
    /// joints. Workspaces of the system stay valid. Refused if the scene needs another layout.
    pub fn set_values(&mut self, scene: &Scene) -> Result<(), Invalid> {
        self.take_values(scene, None, &[])
    }

    /// The same beside a scene whose system is known, to evaluate: rods that are the same in both are taken from there, and only the others
    /// are made anew. With the parts in which the scenes may differ, if they are known. Tells which rods are the same.
    pub fn set_values_beside(
        &mut self,
        scene: &Scene,
        known: (&Scene, &System),
        changed: Option<&[ScenePart]>,
    ) -> Result<Vec<bool>, Invalid> {
        let same = same_rods(scene, known.0, changed);
        self.take_values(scene, Some(known), &same)?;
        Ok(same)
    }

    /// The same for a search from there.
    pub fn set_values_to_solve(&mut self, scene: &Scene, known: (&Scene, &System)) -> Result<(), Invalid> {
        let same = self.set_values_beside(scene, known, None)?;
        let made = self.values.rods.iter_mut().zip(same).filter(|(_, same)| !same);
        made.map(|(rod, _)| rod).try_for_each(|rod| Arc::make_mut(rod).complete())
    }

    fn take_values(&mut self, scene: &Scene, known: Option<(&Scene, &System)>, same: &[bool]) -> Result<(), Invalid> {
        let refilled = match known {
            Some(known) if Arc::ptr_eq(&self.layout, &known.1.layout) => Refill::values(scene, known, same)?,
            _ => None,
        };
        let known = known.map(|(_, known)| known);
        let (fits, comes_apart, values) = match refilled {
            Some(values) => (true, false, values),
            None => {
                let (layout, values) = lay_out(scene, known, same)?;
                // As many unknowns, but not as many frames.
                let counts = |layout: &Layout| {
                    let of = |rod: &RodPlace| (rod.pose_count, rod.stress_count, rod.tension_count);
                    layout.rods.iter().map(of).collect::<Vec<_>>()
                };
                let comes_apart =
                    counts(&layout) == counts(&self.layout) && layout.sources.len() != self.layout.sources.len();
                (self.layout.fits(&layout), comes_apart, values)
            }
        };
        let mut tubes = self.values.kinds.tubes.iter().zip(&values.kinds.tubes);
        let alike = fits && number_alike(&self.values, &values);
        if !alike || !tubes.all(|(own, other)| own.couples_alike(other)) {
            let reason = match comes_apart {
                true => {
                    "frames at one and the same place come apart, or come together: set them a little apart, or let all name one"
                }
                false => "the scene has other parts or another resolution; compile it anew",
            };
            let reason = reason.into();
            return Err(Invalid::new("scene", Problem::Contradiction { reason }));
        }
        let penalties: Vec<bool> = self.values.kinds.closures.iter().map(|closure| closure.penalty.is_some()).collect();
        let before = std::mem::replace(&mut self.values, values);
        for (closure, opposed) in self.values.kinds.closures.iter_mut().zip(penalties) {
            if opposed {
                closure.set_penalty(&self.values.scales);
            }
        }
        if let Err(refused) = self.note_natural_state(scene, known) {
            self.values = before;
            return Err(refused);
        }
        Ok(())
    }
}
