//! What contacts couple in the matrix: parts that are near each other, and nothing else.
//!
//! Most points of a robot are far from all that they may touch. What is near changes as things move: a workspace remembers for
//! which contacts its matrix was laid out, and lays it out anew where others are near.

use crate::System;
use crate::contribution::Constraint;
use crate::index::{Group, Node, Slot};
use crate::kind::contact::Contact;
use crate::node::{Home, Homes, Term};
use lissome_sparse::kkt::{Mark, Pattern};

/// Part of the largest weight that a node must have to be leant on.
const LEANT_ON: f64 = 0.25;
/// Weights are compared in so many parts of the largest: nearly equal ones do not change places by rounding.
const PARTS: f64 = 8.0;

/// What a pivot may lose where multipliers lean on one node each: beyond, they wait for all that they act on.
pub(crate) const LEAN_GROWTH: f64 = 1e4;

/// For which contacts a matrix was laid out.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetPattern {
    /// The pattern, with what contacts couple at its end.
    pattern: Option<Pattern>,
    base: Option<Mark>,
    /// The nodes that each contact couples, by its number, and which of them it leans on.
    met: Vec<Met>,
    /// Those that are looked up.
    next: Vec<Met>,
    weights: Vec<f64>,
    /// Nodes that someone leans on.
    taken: Vec<bool>,
    /// True if every multiplier waits for all that it acts on.
    cautious: bool,
}

/// A node that a contact couples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Met {
    contact: usize,
    node: Node,
    leant_on: bool,
}

impl MetPattern {
    /// Lets every multiplier wait for all that it acts on; false if it did already.
    pub(crate) fn take_care(&mut self) -> bool {
        !std::mem::replace(&mut self.cautious, true)
    }

    /// Forgets that care was needed.
    pub(crate) fn trust(&mut self) {
        self.cautious = false;
    }
}

/// What a pattern is over.
pub(crate) struct Over<'a> {
    /// Homes of the nodes, and the terms of those that follow others.
    pub homes: &'a Homes,
    pub terms: &'a [Term],
    /// Where contacts couple their multipliers with what they push, and that with nothing else: the groups with mass, for which
    /// multipliers wait; the others wait for them.
    pub heavy: Option<&'a [bool]>,
    /// True if what is pushed resists by its mass, one node as well as all of them: then a multiplier may lean on one.
    pub lean: bool,
    /// Shows the nodes of a contact that is near or acts, with the part of its motion by theirs.
    pub coupled: Coupled<'a>,
}

/// Shows the nodes of a contact, with a weight for each.
pub(crate) type Coupled<'a> = &'a dyn Fn(&Contact, &mut dyn FnMut(Node, f64));

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
}

impl System {
    /// Lays the pattern out for what is near; `None` if it is laid out for that already.
    pub(crate) fn met_pattern<'a>(
        &self,
        base: impl Fn() -> Pattern,
        over: &Over<'_>,
        known: &'a mut MetPattern,
    ) -> Option<&'a Pattern> {
        let contacts = &self.values.kinds.contacts;
        let MetPattern { pattern, base: mark, met, next, weights, taken, cautious } = known;
        next.clear();
        taken.clear();
        taken.resize(self.layout.roles.len(), false);
        // A matrix that is new has nothing of what comes and goes.
        for (number, contact) in contacts.iter().enumerate().filter(|(_, contact)| !contact.stays()) {
            let first = next.len();
            weights.clear();
            (over.coupled)(contact, &mut |node, weight| match next[first..]
                .iter()
                .position(|known: &Met| known.node == node)
            {
                Some(k) => weights[k] = f64::max(weights[k], weight),
                None => {
                    next.push(Met { contact: number, node, leant_on: false });
                    weights.push(weight);
                }
            });
            if over.lean && !*cautious {
                self.lean(over, weights, taken, &mut next[first..]);
            }
        }
        if met == next {
            return None;
        }
        std::mem::swap(met, next);
        let pattern = pattern.get_or_insert_with(base);
        pattern.rewind(*mark.get_or_insert_with(|| pattern.mark()));
        let (mut moved, mut multiplier, mut leant_on) = (Vec::new(), Vec::new(), Vec::new());
        for own in met.chunk_by(|a, b| a.contact == b.contact) {
            [&mut moved, &mut multiplier, &mut leant_on].into_iter().for_each(Vec::clear);
            own.iter().for_each(|known| over.groups(known.node, &mut moved));
            own.iter().filter(|known| known.leant_on).for_each(|known| over.groups(known.node, &mut leant_on));
            if let Some(node) = contacts[own[0].contact].multiplier.node {
                over.groups(node, &mut multiplier);
            }
            let Some(heavy) = over.heavy else {
                for (k, b) in moved.iter().enumerate() {
                    for a in moved[k + 1..].iter().chain(&multiplier) {
                        pattern.couple_at(*a, *b);
                    }
                }
                for (a, b) in multiplier.iter().zip(&leant_on) {
                    pattern.after_only_at(*a, *b);
                }
                continue;
            };
            let is_heavy = |group: usize| heavy.get(group).copied().unwrap_or(false);
            let any_heavy = moved.iter().any(|b| is_heavy(*b));
            for b in &moved {
                for a in &multiplier {
                    pattern.couple_at(*a, *b);
                    match !any_heavy || is_heavy(*b) {
                        true if leant_on.is_empty() || leant_on.contains(b) => pattern.after_at(*a, *b),
                        true => {}
                        false => pattern.after_at(*b, *a),
                    }
                }
            }
        }
        Some(pattern)
    }

    /// Chooses the node that the multiplier of a contact leans on: one with all six motions, on that side of the contact where
    /// others lean least, since two that push the same place of a rod cannot both lean on it. None if there is none.
    fn lean(&self, over: &Over<'_>, weights: &[f64], taken: &mut [bool], own: &mut [Met]) {
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let part = |k: usize| (weights[k] / largest * PARTS).round();
        let fits = |k: &usize| {
            let Home::Own(group) = over.homes.of(own[*k].node) else { return false };
            let whole = over.homes.is_free(group) && over.homes.rows(group).len() == 6;
            whole
                && weights[*k] >= LEANT_ON * largest
                && over.heavy.is_none_or(|heavy| heavy.get(group.index()).copied().unwrap_or(false))
        };
        let rod_of = |k: usize| self.layout.rod_of(Slot::new(own[k].node.index())).map(|(rod, _)| rod);
        let crowd = |k: usize| {
            let side = (0..own.len()).filter(|other| fits(other) && rod_of(*other) == rod_of(k));
            side.map(|other| if taken[own[other].node] { part(other) } else { 0.0 }).sum::<f64>()
        };
        let free = (0..own.len()).filter(fits).filter(|k| !taken[own[*k].node]);
        let best = free.min_by(|a, b| crowd(*a).total_cmp(&crowd(*b)).then(part(*b).total_cmp(&part(*a))));
        if let Some(best) = best.filter(|_| largest > 0.0) {
            taken[own[best].node] = true;
            own[best].leant_on = true;
        }
    }
}
