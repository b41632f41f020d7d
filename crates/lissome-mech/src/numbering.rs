//! Numbering: which groups of unknowns the nodes of a system have or move with, and the pattern of the matrix.
//!
//! Stress a of a rod is declared just before the pose that increment a reaches and eliminated before it, so that a pose
//! has stiffness when its turn comes. The multiplier of a constraint that orders itself comes after the poses that the
//! elastic rods hold, and before bodies and joints that nothing but multipliers hold. Other multipliers come after
//! everything they act on.

use crate::chain::{Chain, Chains, Link};
use crate::contribution::{Constraint, Force, Part, Scales};
use crate::index::{Group, JointIndex, Node, RodIndex, Slot};
use crate::kind::{Kinds, each_constraint, each_force};
use crate::layout::{Layout, Place, Source};
use crate::node::{Home, Homes, Role};
use crate::rod::Held;
use crate::values::Values;
use lissome_sparse::kkt::{Group as MatrixGroup, Pattern, Role as PivotRole};

/// Work in progress.
pub(crate) struct Numbering<'a> {
    layout: &'a mut Layout,
    values: &'a mut Values,
    pattern: Pattern,
    /// Free groups in the order of declaration.
    declared: Vec<MatrixGroup>,
    parts: Vec<Option<Part>>,
    /// Groups of every node, from the root of what carries it outward.
    groups: Vec<Vec<Group>>,
    /// Groups that some stress couples with.
    elastic: Vec<bool>,
}

impl Numbering<'_> {
    /// Numbers a layout whose slots and nodes are there.
    pub(crate) fn of(layout: &mut Layout, values: &mut Values) {
        let nodes = layout.roles.len();
        let mut numbering = Numbering {
            layout,
            values,
            pattern: Pattern::new(),
            declared: Vec::new(),
            parts: Vec::new(),
            groups: vec![Vec::new(); nodes],
            elastic: Vec::new(),
        };
        numbering.declare_groups();
        let held = numbering.declare_held();
        numbering.inherit_groups();
        numbering.couple_rods();
        numbering.mark_tubes();
        let kinds = numbering.values.kinds.clone();
        numbering.couple_slots(&kinds);
        numbering.couple_constraints();
        numbering.finish(&held);
    }

    fn declare(&mut self, node: Node, size: usize, role: PivotRole, part: Part) {
        let group = self.pattern.group(size, role);
        self.groups[node] = vec![Group::new(group.index())];
        self.declared.push(group);
        self.parts.push(Some(part));
    }

    fn declare_groups(&mut self) {
        let mut negative = 0;
        let rods: Vec<_> = RodIndex::first(self.values.rods.len()).collect();
        for r in rods {
            let (rod, place, part) = (&self.values.rods[r], self.layout.rods[r], Part::rod(r.index()));
            let (n, held, anchor) = (rod.curve().increments(), rod.curve().held(), rod.curve().anchor());
            let independent = rod.has_independent_stress();
            let slot = |i: usize| place.first_pose.after(i);
            if matches!(self.layout.sources[slot(anchor)], Source::Own) {
                self.declare(slot(anchor).node(), 6, PivotRole::Primal, part);
            }
            for a in 0..n {
                // From the end it stands on outward.
                let (stress, reached) = match held {
                    Held::Base => (a, a + 1),
                    Held::Tip => (n - 1 - a, n - 1 - a),
                };
                if independent {
                    self.declare(place.first_stress_node.after(stress), 6, PivotRole::Primal, part);
                    negative += 6;
                }
                if matches!(self.layout.sources[slot(reached)], Source::Own) {
                    self.declare(slot(reached).node(), 6, PivotRole::Primal, part);
                }
            }
        }
        for b in 0..self.values.bodies.len() {
            let slot = self.values.bodies[b].slot;
            if matches!(self.layout.sources[slot], Source::Own) {
                self.declare(slot.node(), 6, PivotRole::Primal, Part::body(b));
            }
        }
        for j in JointIndex::first(self.values.joints.len()) {
            let joint = &self.values.joints[j];
            if !joint.driven {
                let part = match (joint.tube.map(|angle| angle.rod), joint.strain_of) {
                    (Some(rod), _) | (None, Some(rod)) => Part::rod(rod),
                    (None, None) => Part::joint(joint.model.unwrap_or(0)),
                };
                let (node, freedom) = (joint.node, joint.subgroup.freedom);
                self.declare(node, freedom, PivotRole::Primal, part);
            }
        }
        let mut multipliers = Vec::new();
        each_constraint!(self.values.kinds, |constraint| {
            if let Some(node) = constraint.multiplier().node {
                multipliers.push((node, constraint.size(), constraint.orders_itself(), constraint.part()));
            }
        });
        for (node, size, orders_itself, part) in multipliers {
            // Primal by name if who waits for whom is said below.
            let role = if orders_itself { PivotRole::Primal } else { PivotRole::Multiplier };
            self.declare(node, size, role, part);
            negative += size;
        }
        self.layout.negative_pivots = negative;
        self.elastic = vec![false; self.declared.len()];
    }

    /// Prescribed groups: driven joints, then gaps. Returns their sizes.
    fn declare_held(&mut self) -> Vec<usize> {
        let mut sizes = Vec::new();
        let free = self.declared.len();
        for joint in self.values.joints.iter().filter(|joint| joint.driven) {
            self.groups[joint.node] = vec![Group::new(free + sizes.len())];
            sizes.push(joint.subgroup.freedom);
        }
        self.layout.first_gap = Group::new(free + sizes.len());
        for (node, role) in Node::first(self.layout.roles.len()).zip(&self.layout.roles) {
            if *role == Role::Gap {
                self.groups[node] = vec![Group::new(free + sizes.len())];
                sizes.push(6);
            }
        }
        sizes
    }

    /// Slots that follow move with the groups of what they follow.
    fn inherit_groups(&mut self) {
        for k in 0..self.layout.places.len() {
            match self.layout.places[k] {
                Place::Own(_) => {}
                Place::Follow(slot) => self.inherit(slot),
                Place::Chain(rod) => {
                    let anchor = self.values.rods[rod].curve().anchor();
                    self.inherit(self.layout.rods[rod].first_pose.after(anchor));
                    self.inherit_coordinates(rod);
                }
            }
        }
        for k in 0..self.layout.embedded.len() {
            self.inherit(self.layout.embedded[k]);
        }
    }

    /// Poses on a strain basis move with what the rod stands on and with the coordinates of every step up to them.
    fn inherit_coordinates(&mut self, rod: RodIndex) {
        let (Some(own), place) = (self.values.rods[rod].strain_basis(), self.layout.rods[rod]) else { return };
        let stands_on = self.groups[place.first_pose.after(own.curve().anchor()).node()].clone();
        let coordinates: Vec<Group> =
            (0..place.stress_count).flat_map(|a| self.groups[place.first_stress_node.after(a)].clone()).collect();
        for local in (0..place.pose_count).filter(|local| *local != own.curve().anchor()) {
            let mut groups = stands_on.clone();
            groups.extend(&coordinates[own.blocks_that_move(local)]);
            self.groups[place.first_pose.after(local).node()] = groups;
        }
    }

    fn inherit(&mut self, slot: Slot) {
        let (carrier, last) = match self.layout.sources[slot] {
            Source::Follows { parent, joint } => (parent, joint.map(|joint| self.values.joints[joint].node)),
            Source::Embedded { frame, gap } => (frame, Some(gap)),
            Source::Own | Source::Fixed | Source::Strained => return,
        };
        let mut groups = self.groups[carrier.node()].clone();
        if let Some(node) = last {
            groups.extend(self.groups[node].iter().copied());
        }
        self.groups[slot.node()] = groups;
    }

    fn free(&self, node: Node) -> impl Iterator<Item = MatrixGroup> + use<'_> {
        let groups = self.groups[node].iter().filter(|group| group.index() < self.declared.len());
        groups.map(|group| self.declared[group.index()])
    }

    fn couple(&mut self, a: Node, b: Node) {
        let (rows, columns): (Vec<_>, Vec<_>) = (self.free(a).collect(), self.free(b).collect());
        for row in &rows {
            for column in &columns {
                self.pattern.couple(*row, *column);
            }
        }
    }

    /// The groups of `later` are eliminated after the group of `node`.
    fn wait(&mut self, later: Node, node: Node) {
        let Some(earlier) = self.free(node).next() else { return };
        let waiting: Vec<_> = self.free(later).collect();
        for group in waiting {
            self.pattern.after(group, earlier);
        }
    }

    fn couple_rods(&mut self) {
        for r in RodIndex::first(self.values.rods.len()) {
            let (rod, place) = (&self.values.rods[r], self.layout.rods[r]);
            let curve = rod.curve();
            let (n, p, held, anchor) = (curve.increments(), curve.degree(), curve.held(), curve.anchor());
            let (independent, strained) = (rod.has_independent_stress(), rod.strain_basis().is_some());
            let node = |i: usize| place.first_pose.after(i).node();
            let stress = |a: usize| place.first_stress_node.after(a);
            for i in 0..=n {
                for j in i.saturating_sub(p)..=i {
                    self.couple(node(i), node(j));
                }
            }
            if strained {
                // What it stands on gets no stiffness from it, and comes after what has one.
                for a in 0..place.stress_count {
                    self.mark_elastic(stress(a));
                    self.wait(node(anchor), stress(a));
                }
                continue;
            }
            if !independent {
                for i in 0..=n {
                    self.mark_elastic(node(i));
                }
                continue;
            }
            for a in 0..n {
                for b in a.saturating_sub(p - 1)..a {
                    self.couple(stress(a), stress(b));
                }
                // Stress a couples with poses a − p + 1 … a + p.
                for i in (a + 1).saturating_sub(p)..=(a + p).min(n) {
                    self.couple(stress(a), node(i));
                    // What a rod stands on gets no stiffness from it: the rod follows.
                    if i != anchor {
                        self.mark_elastic(node(i));
                    }
                }
                let reached = match held {
                    Held::Base => a + 1,
                    Held::Tip => a,
                };
                self.wait(node(reached), stress(a));
                if a == 0 && held == Held::Base || a + 1 == n && held == Held::Tip {
                    // What the rod stands on has this stress for its stiffness.
                    self.wait(node(anchor), stress(a));
                }
            }
        }
    }

    /// Angles of tubes have the stiffness of the tubes.
    fn mark_tubes(&mut self) {
        let angles = self.values.joints.iter().filter(|joint| joint.tube.is_some());
        let nodes: Vec<Node> = angles.map(|joint| joint.node).collect();
        nodes.into_iter().for_each(|node| self.mark_elastic(node));
    }

    fn mark_elastic(&mut self, node: Node) {
        let groups: Vec<_> = self.free(node).collect();
        for group in groups {
            self.elastic[group.index()] = true;
        }
    }

    /// The groups that move one slot, and those that a force or a constraint acts on together.
    fn couple_slots(&mut self, kinds: &Kinds) {
        for slot in Slot::first(self.layout.sources.len()) {
            self.couple(slot.node(), slot.node());
        }
        each_force!(kinds, |force| {
            force.couple(&mut |a, b| self.couple(a, b));
        });
        each_constraint!(kinds, |constraint| {
            if constraint.stays() {
                constraint.couple(&mut |a, b| self.couple(a, b));
                if let Some(own) = constraint.multiplier().node {
                    constraint.nodes(&mut |node| self.couple(own, node));
                }
            }
        });
    }

    fn couple_constraints(&mut self) {
        let mut kinds = std::mem::take(&mut self.values.kinds);
        let scales = self.values.scales;
        each_constraint!(&mut kinds, |constraint| {
            if constraint.orders_itself() {
                self.order(constraint, &scales);
            }
        });
        self.values.kinds = kinds;
    }

    /// Says when the multiplier of a constraint is eliminated.
    fn order(&mut self, constraint: &mut impl Constraint, scales: &Scales) {
        let Some(node) = constraint.multiplier().node else { return };
        let mut held: Vec<MatrixGroup> = Vec::new();
        constraint.nodes(&mut |node| held.extend(self.free(node)));
        let any_elastic = held.iter().any(|group| self.elastic[group.index()]);
        if !any_elastic {
            constraint.set_penalty(scales);
        }
        let Some(multiplier) = self.free(node).next() else { return };
        for group in &held {
            if !any_elastic || self.elastic[group.index()] {
                self.pattern.after(multiplier, *group);
            } else {
                self.pattern.after(*group, multiplier);
            }
        }
        if !any_elastic {
            return;
        }
        // A joint without a spring may owe its stiffness to a closure somewhere beyond the rods that stand on it.
        // Rigid loops lend stiffness to nobody, so that waiting goes one way: elastic poses, their multipliers, what hangs
        // on those, multipliers of rigid loops.
        let joints: Vec<Node> = self.values.joints.iter().map(|joint| joint.node).collect();
        for joint in joints {
            let Some(group) = self.free(joint).next() else { continue };
            if !held.contains(&group) && !self.elastic[group.index()] {
                self.pattern.after(group, multiplier);
            }
        }
    }

    fn finish(self, held: &[usize]) {
        let Self { layout, values, pattern, declared, parts, groups, elastic } = self;
        let slots = layout.sources.len();
        let mut terms = 0;
        let homes: Vec<Home> = groups
            .iter()
            .enumerate()
            .map(|(node, own)| {
                let alone = node >= slots || matches!(layout.sources[node], Source::Own);
                match own.as_slice() {
                    [] => Home::Fixed,
                    [group] if alone => Home::Own(*group),
                    several => {
                        let first = terms;
                        terms += several.len();
                        Home::Through { first, count: several.len() }
                    }
                }
            })
            .collect();
        layout.chains = chains_of(layout, values, &mut terms);
        layout.term_count = terms;
        layout.homes = Homes::new(homes, &pattern, &declared, held);
        let mut pulled = vec![false; declared.len()];
        each_force!(values.kinds, |force| {
            force.couple(&mut |a, b| {
                if a != b {
                    for group in groups[a].iter().chain(&groups[b]).filter(|group| group.index() < declared.len()) {
                        pulled[group.index()] = true;
                    }
                }
            });
        });
        each_constraint!(values.kinds, |constraint| {
            if !constraint.orders_itself() {
                constraint.nodes(&mut |node| {
                    for group in groups[node].iter().filter(|group| group.index() < declared.len()) {
                        pulled[group.index()] = true;
                    }
                });
            }
        });
        let bodies = values.bodies.iter().filter_map(|body| match layout.homes.of(body.slot.node()) {
            Home::Own(group) if !elastic[group.index()] && pulled[group.index()] => Some(group),
            _ => None,
        });
        layout.loose_bodies = bodies.collect();
        layout.pose_nodes = Slot::first(slots)
            .map(|slot| (layout.homes.of(slot.node()) != Home::Fixed).then_some(slot.node()))
            .collect();
        layout.branching = Slot::first(slots)
            .filter(|slot| {
                matches!(layout.homes.of(slot.node()), Home::Through { count, .. } if count > 1)
                    && matches!(layout.sources[*slot], Source::Follows { joint: Some(_), .. })
            })
            .collect();
        let moves = |node: &Node| layout.roles[*node].is_motion();
        layout.displacements =
            Node::first(layout.roles.len()).filter(moves).filter_map(|node| layout.own_group(node)).collect();
        layout.parts = parts;
        layout.pattern = pattern;
    }
}

/// The chains of rods on strain bases; the terms of their links come after those of the slots.
fn chains_of(layout: &Layout, values: &Values, terms: &mut usize) -> Chains {
    let mut chains = Chains::default();
    let mut first = 0;
    for (rod, place) in values.rods.iter().zip(&layout.rods) {
        let Some(own) = rod.strain_basis() else { continue };
        chains.of.resize(layout.sources.len(), None);
        let (curve, node) = (own.curve(), |pose: usize| place.first_pose.after(pose).node());
        let links = own.steps_outward().enumerate().map(|(k, step)| {
            let blocks = own.blocks_of_step(step.increment);
            let at = *terms;
            *terms += 1 + blocks.len();
            chains.of[node(step.to)] = Some((chains.all.len(), k));
            Link { node: node(step.to), from: node(step.from), blocks, at }
        });
        let links: Vec<Link> = links.collect();
        let count = links.len();
        chains.all.push(Chain { anchor: node(curve.anchor()), first_block: place.first_stress_node, links, first });
        first += count;
    }
    chains
}
