//! A state of a robot on another division of its rods: shape, stress, and the forces of what touches.

use crate::index::RodIndex;
use crate::kind::contact::Contact;
use crate::kind::contact::law::Phase;
use crate::kind::contact::transfer::PressedPlace;
use crate::{State, System};
use lissome_model::Toucher;
use std::collections::HashMap;

/// Shares of a force that exceed the whole by more than this overlap; by less they are rounded.
const OVERLAP: f64 = 1e-9;

impl System {
    /// A start near an equilibrium of the same scene compiled with other resolutions.
    pub fn resampled_state(&self, coarse: &System, from: &State) -> State {
        let mut state = self.natural_state();
        let of_scene = |system: &System| system.values.joints.partition_point(|joint| joint.model.is_some());
        state.joints[..of_scene(self)].copy_from_slice(&from.joints[..of_scene(coarse)]);
        for (own, other) in self.values.kinds.tubes.iter().zip(&coarse.values.kinds.tubes) {
            own.resample(other, from, &mut state);
        }
        for (body, other) in self.values.bodies.iter().zip(&coarse.values.bodies) {
            state.poses[body.slot] = from.poses[other.slot];
        }
        for (r, rod) in self.values.rods.iter().enumerate() {
            let r = RodIndex::new(r);
            let (place, own) = (&self.layout.rods[r], &coarse.values.rods[r]);
            let (poses, stress) = (coarse.rod_poses(r, from), coarse.rod_carried(r, from));
            let State { poses: to_poses, linear, .. } = &mut state;
            rod.curve().resample_friction(own.curve(), stress.tension, &mut linear[place.tensions()]);
            rod.resample(own, (poses, stress), (&mut to_poses[place.poses()], &mut linear[place.stresses()]));
        }
        self.adopt_coordinates(&mut state);
        self.settle(&mut state);
        // Behind the stresses both have the same multipliers, but for contacts: those belong to spans.
        let (own, other) = (self.multipliers_before_contacts(), coarse.multipliers_before_contacts());
        state.linear[own].copy_from_slice(&from.linear[other]);
        self.resample_contacts(coarse, from, &mut state);
        self.settle_tensions(&mut state);
        state
    }

    /// Carries the forces of contacts over from a state of the same robot on other spans: forces that are spread along a rod
    /// by the length of the stretches, others to the place where they act. Slip counts from here.
    fn resample_contacts(&self, coarse: &System, from: &State, to: &mut State) {
        if self.values.kinds.contacts.is_empty() {
            return;
        }
        self.meet(to, 0.0);
        self.anchor_contacts(to, &self.values.nominal, Phase::Frozen);
        let at = coarse.at(from, &coarse.values.nominal);
        let pressed: Vec<PressedPlace> =
            coarse.numbered_contacts(from).filter_map(|(number, contact)| contact.pressed_place(&at, number)).collect();
        if pressed.is_empty() {
            return;
        }
        let state = to.clone();
        let at = self.at(&state, &self.values.nominal);
        let own: Vec<_> = self
            .numbered_contacts(&state)
            .filter_map(|(number, contact)| Some((number, contact, contact.touched(&state)?)))
            .collect();
        for place in &pressed {
            let alike = own
                .iter()
                .filter(|(_, contact, touched)| contact.toucher == place.toucher && *touched == place.touched);
            let shares = alike.map(|(number, contact, _)| (contact, contact.share_of(place, *number, &state)));
            let shares: Vec<_> = shares.filter(|(_, share)| *share > 0.0).collect();
            // At the end of a rod there is a contact of the end beside the stretch that begins there.
            let all: f64 = shares.iter().map(|(_, share)| share).sum();
            let part = if all > 1.0 + OVERLAP { 1.0 / all } else { 1.0 };
            for (contact, share) in shares {
                contact.add_force(&(place.force() * (share * part)), &at, to);
            }
        }
    }

    /// Contacts with their numbers among those of the same two things.
    fn numbered_contacts<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (usize, &'a Contact)> {
        let mut counts: HashMap<(Toucher, Option<Toucher>), usize> = HashMap::new();
        self.values.kinds.contacts.iter().map(move |contact| {
            let count = counts.entry((contact.toucher, contact.touched(state))).or_default();
            *count += 1;
            (*count, contact)
        })
    }
}
