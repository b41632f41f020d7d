//! What contacts couple in the matrix: parts that are near each other, and nothing else.
//!
//! Most points of a robot are far from all that they may touch. What is near changes as things move: a workspace remembers for
//! which contacts its matrix was laid out, and lays it out anew where others are near.

use crate::System;
use crate::contribution::{At, Constraint};
use crate::index::{Group, Node};
use crate::kind::contact::Contact;
use crate::kind::contact::ground::Ground;
use crate::node::{Home, Homes, Term};
use lissome_sparse::kkt::{Mark, Pattern};

/// For which contacts a matrix was laid out.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetPattern {
    /// The pattern, with what contacts couple at its end.
    pattern: Option<Pattern>,
    base: Option<Mark>,
    /// Which and where, contact by contact.
    met: Vec<Place>,
}

/// Where a contact is, as far as the pattern depends on it: the partner, and spans on both rods; `None` of one that couples
/// nothing.
type Place = Option<[usize; 5]>;

/// What a pattern is over.
pub(crate) struct Over<'a> {
    /// Homes of the nodes, and the terms of those that follow others.
    pub homes: &'a Homes,
    pub terms: &'a [Term],
    /// Where multipliers have no order of their own: the groups with mass, for which they wait; the others wait for them.
    pub heavy: Option<&'a [bool]>,
    /// Contacts that act whether something is near or not.
    pub holds: &'a dyn Fn(&Contact) -> bool,
}

impl Over<'_> {
    /// The groups of a matrix that a node moves with.
    fn groups(&self, node: Node, out: &mut Vec<usize>) {
        let mut add = |group: Group| {
            if self.homes.is_free(group) && !out.contains(&group.index()) {
                out.push(group.index());
            }
        };
        match self.homes.of(node) {
            Home::Fixed => {}
            Home::Own(group) => add(group),
            Home::Through { first, count } => self.terms[first..first + count].iter().for_each(|term| add(term.group)),
        }
    }

    fn place(&self, contact: &Contact, at: &At<'_>) -> Place {
        if !contact.meets(at) && !(self.holds)(contact) {
            return None;
        }
        let Ground::Rods { own, .. } = &contact.ground else { return Some([0; 5]) };
        let (partner, near) = contact.ground.partner(at.state)?;
        let [here, anchor] = [partner.windows[0], partner.anchors[0]].map(|s| own.span_at(s));
        let [there, other_anchor] = [partner.windows[1], partner.anchors[1]].map(|s| near.skin.span_at(s));
        Some([partner.which, here, anchor, there, other_anchor])
    }
}

impl System {
    /// Contacts whose couplings come and go.
    fn coming(&self) -> impl Iterator<Item = &Contact> {
        self.values.kinds.contacts.iter().filter(|contact| !contact.stays())
    }

    /// Lays the pattern out for what is near at a state; `None` if it is laid out for that already.
    pub(crate) fn met_pattern<'a>(
        &self,
        at: &At<'_>,
        base: impl Fn() -> Pattern,
        over: &Over<'_>,
        known: &'a mut MetPattern,
    ) -> Option<&'a Pattern> {
        // A matrix that is new has nothing of what comes and goes.
        known.met.resize(self.coming().count(), None);
        let mut changed = false;
        for (contact, known) in self.coming().zip(&mut known.met) {
            let place = over.place(contact, at);
            changed |= place != *known;
            *known = place;
        }
        if !changed {
            return None;
        }
        let MetPattern { pattern, base: mark, met } = known;
        let pattern = pattern.get_or_insert_with(base);
        pattern.rewind(*mark.get_or_insert_with(|| pattern.mark()));
        let (mut own, mut other, mut multiplier) = (Vec::new(), Vec::new(), Vec::new());
        for (contact, _) in self.coming().zip(met).filter(|(_, place)| place.is_some()) {
            [&mut own, &mut other, &mut multiplier].into_iter().for_each(Vec::clear);
            contact.coupled_nodes(at.state, &mut |node| over.groups(node, &mut own), &mut |node| {
                over.groups(node, &mut other)
            });
            if let Some(node) = contact.multiplier.node {
                over.groups(node, &mut multiplier);
            }
            let is_heavy = |group: usize, heavy: &[bool]| heavy.get(group).copied().unwrap_or(false);
            let any_heavy = over.heavy.is_some_and(|heavy| own.iter().chain(&other).any(|b| is_heavy(*b, heavy)));
            for b in other.iter().chain(&own) {
                for a in own.iter().chain(&multiplier).chain(&other) {
                    pattern.couple_at(*a, *b);
                }
                for (a, heavy) in multiplier.iter().zip(over.heavy) {
                    match !any_heavy || is_heavy(*b, heavy) {
                        true => pattern.after_at(*a, *b),
                        false => pattern.after_at(*b, *a),
                    }
                }
            }
        }
        Some(pattern)
    }
}
