//! Contacts of a compiled system: what presses at a state, and that nothing begins inside an obstacle.

use lissome_mech::{Inputs, State, System};
use lissome_model::{Invalid, Problem, Scene, Toucher};
use lissome_solve::{ContactFrame, ContactPoint, ContactRecord};
use std::collections::HashMap;

/// Deeper than this part of the robot's length at the start is inside: what only touches may be off by rounding.
const INSIDE: f64 = 1e-9;

/// What presses between each pair of the scene, in the order of [`Scene::contact_pairs`].
pub(crate) fn frames(scene: &Scene, system: &System, state: &State, inputs: &Inputs) -> Vec<ContactFrame> {
    if !system.has_obstacles() {
        return Vec::new();
    }
    let pairs: HashMap<(Toucher, Toucher), usize> = scene.contact_pairs().zip(0..).collect();
    let mut frames = vec![ContactFrame::default(); pairs.len()];
    for found in system.contact_states(state, inputs) {
        if let Some(pair) = pairs.get(&(found.toucher, found.touched)) {
            frames[*pair].push(ContactPoint { s: found.s, gap: found.gap, place: found.place, force: found.force });
        }
    }
    frames
}

/// The same with the names of both.
pub(crate) fn records(scene: &Scene, system: &System, state: &State, inputs: &Inputs) -> Vec<ContactRecord> {
    let pairs = scene.contact_pairs().zip(frames(scene, system, state, inputs));
    let record = |((toucher, touched), contact): ((Toucher, Toucher), ContactFrame)| ContactRecord {
        part: toucher.name(scene).to_owned(),
        obstacle: touched.name(scene).to_owned(),
        contact,
    };
    pairs.map(record).collect()
}

/// Refuses a scene in which something begins inside an obstacle: rods without stress, joints at their start. Where rods are
/// held at both ends, their natural shapes are not what the search begins with, and say nothing.
pub(crate) fn validate_start(scene: &Scene) -> Result<(), Invalid> {
    if !scene.has_contacts() {
        return Ok(());
    }
    let system = System::compile(scene)?;
    let mut state = system.natural_state();
    let (turn, shift) = system.largest_gap(&state);
    let length = system.scales().length;
    if turn.max(shift / length) > INSIDE {
        return Ok(());
    }
    let inputs = system.inputs_at(0.0);
    system.drive(&inputs, &mut state);
    system.meet(&mut state, 0.0);
    let contacts = system.contact_states(&state, &inputs);
    let deepest =
        contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).filter(|deepest| deepest.gap < -INSIDE * length);
    if let Some(deepest) = deepest {
        let problem = Problem::Penetrates {
            obstacle: deepest.touched.path(scene),
            s: matches!(deepest.toucher, Toucher::Rod(_)).then_some(deepest.s),
            depth: -deepest.gap,
            place: deepest.place.into(),
        };
        return Err(Invalid::new(deepest.toucher.path(scene), problem));
    }
    // Between its points a rod may be in something that is thinner than they are apart.
    match system.inside_between(&state).filter(|(sunk, _)| sunk.depth > INSIDE * length) {
        None => Ok(()),
        Some((sunk, touched)) => {
            let toucher = Toucher::Rod(sunk.rod);
            let (s, depth, place) = (Some(sunk.s), sunk.depth, sunk.place.into());
            let problem = Problem::Penetrates { obstacle: touched.path(scene), s, depth, place };
            Err(Invalid::new(toucher.path(scene), problem))
        }
    }
}
