//! Contacts of a robot on another division of its rods: who touches whom, and with what force.

use crate::kind::contact::Contact;
use crate::kind::contact::law::Phase;
use crate::kind::contact::transfer::PressedPlace;
use crate::{State, System};
use lissome_model::Toucher;
use std::collections::HashMap;

impl System {
    /// Carries the forces of contacts over from a state of the same robot on other spans: forces that are spread along a rod
    /// by the length of the stretches, others to the place where they act. Slip counts from here.
    pub(crate) fn resample_contacts(&self, coarse: &System, from: &State, to: &mut State) {
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
        for (number, contact) in self.numbered_contacts(&state) {
            for place in pressed.iter().filter(|place| place.toucher == contact.toucher) {
                let share = contact.share_of(place, number);
                if share > 0.0 && contact.touched(&state) == Some(place.touched) {
                    contact.add_force(&(place.force() * share), &at, to);
                }
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
