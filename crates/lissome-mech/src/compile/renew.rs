//! New values for the layout that is there, and which rods they leave as they were.

use super::compile;
use crate::contribution::Constraint;
use crate::system::System;
use lissome_model::{Invalid, Problem, Scene};

/// Rods of a scene that are the same in another one whose system is known, places of loads and attachments included.
pub(super) fn same_rods(scene: &Scene, known: Option<(&Scene, &System)>) -> Vec<bool> {
    // Tendons run inside rods.
    let known = known.filter(|(other, _)| other.tendons == scene.tendons && other.rods.len() == scene.rods.len());
    let Some((other, _)) = known else { return vec![false; scene.rods.len()] };
    let places = scene.places_by_rod().into_iter().zip(other.places_by_rod());
    let rods = scene.rods.iter().zip(&other.rods);
    rods.zip(places).map(|((own, other), (places, others))| own == other && places == others).collect()
}

impl System {
    /// Takes new values from a scene of the same structure: stiffness, natural shapes, masses, loads, offsets, constants of
    /// joints. Workspaces of the system stay valid. Refused if the scene needs another layout.
    pub fn set_values(&mut self, scene: &Scene) -> Result<(), Invalid> {
        self.take_values(scene, None)
    }

    /// The same beside a scene whose system is known: rods that are the same in both are taken from there, and only the others
    /// are made anew. Tells which are the same.
    pub fn set_values_beside(&mut self, scene: &Scene, known: (&Scene, &System)) -> Result<Vec<bool>, Invalid> {
        self.take_values(scene, Some(known))?;
        Ok(same_rods(scene, Some(known)))
    }

    fn take_values(&mut self, scene: &Scene, known: Option<(&Scene, &System)>) -> Result<(), Invalid> {
        let renewed = compile(scene, false, known)?;
        let tubes = self.values.kinds.tubes.iter().zip(&renewed.values.kinds.tubes);
        if !self.layout.fits(&renewed.layout) || !tubes.into_iter().all(|(own, other)| own.couples_alike(other)) {
            let reason = "the scene has other parts or another resolution; compile it anew".into();
            return Err(Invalid::new("scene", Problem::Contradiction { reason }));
        }
        let penalties: Vec<bool> = self.values.kinds.closures.iter().map(|closure| closure.penalty.is_some()).collect();
        self.values = renewed.values;
        for (closure, opposed) in self.values.kinds.closures.iter_mut().zip(penalties) {
            if opposed {
                closure.set_penalty(&self.values.scales);
            }
        }
        Ok(())
    }
}
