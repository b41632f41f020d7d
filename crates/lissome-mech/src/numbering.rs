//! Numbering: which groups of unknowns the nodes of a system have or move with, and the pattern of the matrix.
//!
//! Stress a of a rod is declared just before the pose that increment a reaches and eliminated before it, so that a pose
//! has stiffness when its turn comes. A multiplier comes after the poses that the elastic rods hold, and before bodies
//! and joints that nothing but multipliers hold.

use crate::element::spline::rod::Held;
use crate::sink::Node;
use crate::slots::{Place, Source};
use crate::system::System;
use lissome_model::StrainForm;
use lissome_sparse::kkt::{Group, Pattern, Role};

/// Work in progress.
pub(crate) struct Numbering<'a> {
    system: &'a mut System,
    pattern: Pattern,
    /// Groups of every node, from the root of what carries it outward.
    groups: Vec<Vec<Group>>,
    /// Groups that some stress couples with.
    elastic: Vec<bool>,
}

impl Numbering<'_> {
    /// Numbers a system whose slots, rods, joints, closures and cables are there.
    pub(crate) fn of(system: &mut System) {
        let slots = system.sources.len();
        let mut numbering =
            Numbering { system, pattern: Pattern::new(), groups: vec![Vec::new(); slots], elastic: Vec::new() };
        numbering.declare_groups();
        numbering.inherit_groups();
        numbering.couple_rods();
        numbering.couple_joints();
        numbering.couple_closures();
        numbering.couple_cables();
        numbering.finish();
    }

    /// Adds a node with a group of its own.
    fn node(&mut self, size: usize, role: Role) -> usize {
        let group = self.pattern.group(size, role);
        self.groups.push(vec![group]);
        self.groups.len() - 1
    }

    fn declare_groups(&mut self) {
        let rods = self.system.rods.len();
        let mut negative = 0;
        for r in 0..rods {
            let rod = &self.system.rods[r];
            let (n, first, held, form) = (rod.increments(), rod.first_pose, rod.held, rod.form);
            let own = |system: &System, i: usize| matches!(system.sources[first + i], Source::Own);
            let anchor = rod.anchor();
            let mut stress_nodes = vec![usize::MAX; rod.stress_count()];
            if own(self.system, anchor) {
                self.groups[first + anchor] = vec![self.pattern.group(6, Role::Primal)];
            }
            for a in 0..n {
                // From the end it stands on outward.
                let (stress, reached) = match held {
                    Held::Base => (a, a + 1),
                    Held::Tip => (n - 1 - a, n - 1 - a),
                };
                if form != StrainForm::Printed {
                    stress_nodes[stress] = self.node(6, Role::Primal);
                    negative += 6;
                }
                if own(self.system, reached) {
                    self.groups[first + reached] = vec![self.pattern.group(6, Role::Primal)];
                }
            }
            self.system.stress_node.extend(stress_nodes);
        }
        for b in 0..self.system.bodies.len() {
            let slot = self.system.bodies[b].slot;
            if matches!(self.system.sources[slot], Source::Own) {
                self.groups[slot] = vec![self.pattern.group(6, Role::Primal)];
            }
        }
        for j in 0..self.system.joints.len() {
            if self.system.joints[j].node.is_some() {
                let node = self.node(self.system.joints[j].freedom, Role::Primal);
                self.system.joints[j].node = Some(node);
                if self.system.joints[j].limits.iter().any(Option::is_some) {
                    let freedom = self.system.joints[j].freedom;
                    self.system.joints[j].limit_node = Some(self.node(freedom, Role::Multiplier));
                    negative += freedom;
                }
            }
        }
        for c in 0..self.system.closures.len() {
            if self.system.closures[c].node.is_some() {
                // Primal by name: who waits for whom is said below.
                self.system.closures[c].node = Some(self.node(6, Role::Primal));
                negative += 6;
            }
        }
        for c in 0..self.system.cables.len() {
            if self.system.cables[c].node.is_some() {
                self.system.cables[c].node = Some(self.node(1, Role::Multiplier));
                negative += 1;
            }
        }
        self.system.negative_pivots = negative;
        self.elastic = vec![false; self.pattern.groups()];
    }

    /// Slots that follow move with the groups of what they follow.
    fn inherit_groups(&mut self) {
        let places = self.system.places.clone();
        for place in places {
            match place {
                Place::Own(_) => {}
                Place::Follow(slot) => self.inherit(slot),
                Place::Chain(rod) => self.inherit(self.system.rods[rod].first_pose + self.system.rods[rod].anchor()),
            }
        }
        for closure in &self.system.closures {
            if closure.node.is_none() {
                self.groups[closure.tied] = self.groups[closure.frame].clone();
            }
        }
    }

    fn inherit(&mut self, slot: usize) {
        if let Source::Follows { parent, joint, .. } = self.system.sources[slot] {
            let mut groups = self.groups[parent].clone();
            if let Some(node) = joint.and_then(|joint| self.system.joints[joint].node) {
                groups.extend(self.groups[node].iter().copied());
            }
            self.groups[slot] = groups;
        }
    }

    fn couple(&mut self, a: usize, b: usize) {
        for i in 0..self.groups[a].len() {
            for j in 0..self.groups[b].len() {
                self.pattern.couple(self.groups[a][i], self.groups[b][j]);
            }
        }
    }

    /// The groups of `later` are eliminated after the group of `node`.
    fn wait(&mut self, later: usize, node: usize) {
        let earlier = self.groups[node][0];
        for k in 0..self.groups[later].len() {
            self.pattern.after(self.groups[later][k], earlier);
        }
    }

    fn couple_rods(&mut self) {
        for r in 0..self.system.rods.len() {
            let rod = &self.system.rods[r];
            let (n, p, first, held, form) = (rod.increments(), rod.degree, rod.first_pose, rod.held, rod.form);
            let first_stress = rod.first_stress;
            for i in 0..=n {
                for j in i.saturating_sub(p)..=i {
                    self.couple(first + i, first + j);
                }
            }
            if form == StrainForm::Printed {
                for group in (0..=n).flat_map(|i| self.groups[first + i].clone()) {
                    self.elastic[group.index()] = true;
                }
                continue;
            }
            for a in 0..n {
                let stress = self.system.stress_node[first_stress + a];
                for b in a.saturating_sub(p - 1)..a {
                    self.couple(stress, self.system.stress_node[first_stress + b]);
                }
                // Stress a couples with poses a − p + 1 … a + p.
                let anchor = first + self.system.rods[r].anchor();
                for i in (a + 1).saturating_sub(p)..=(a + p).min(n) {
                    self.couple(stress, first + i);
                    // What a rod stands on gets no stiffness from it: the rod follows.
                    for group in self.groups[first + i].iter().filter(|_| first + i != anchor) {
                        self.elastic[group.index()] = true;
                    }
                }
                let reached = match held {
                    Held::Base => a + 1,
                    Held::Tip => a,
                };
                self.wait(first + reached, stress);
                if a == 0 && held == Held::Base || a + 1 == n && held == Held::Tip {
                    // What the rod stands on has this stress for its stiffness.
                    let anchor = first + self.system.rods[r].anchor();
                    self.wait(anchor, stress);
                }
            }
        }
    }

    fn couple_joints(&mut self) {
        for slot in 0..self.system.sources.len() {
            self.couple(slot, slot);
        }
        for j in 0..self.system.joints.len() {
            if let (Some(node), Some(limit)) = (self.system.joints[j].node, self.system.joints[j].limit_node) {
                self.couple(limit, node);
            }
        }
    }

    fn couple_closures(&mut self) {
        for c in 0..self.system.closures.len() {
            let (tied, frame, node) = {
                let closure = &self.system.closures[c];
                (closure.tied, closure.frame, closure.node)
            };
            self.couple(tied, frame);
            let Some(node) = node else { continue };
            self.couple(node, tied);
            self.couple(node, frame);
            let held: Vec<Group> = self.groups[tied].iter().chain(&self.groups[frame]).copied().collect();
            let any_elastic = held.iter().any(|group| self.elastic[group.index()]);
            if !any_elastic {
                let (force, length) = (self.system.force_scale, self.system.length_scale);
                self.system.closures[c].penalty = Some((force * length, force / length));
            }
            let multiplier = self.groups[node][0];
            let waits_for = |numbering: &Self, group: Group| !any_elastic || numbering.elastic[group.index()];
            for group in &held {
                if waits_for(self, *group) {
                    self.pattern.after(multiplier, *group);
                } else {
                    self.pattern.after(*group, multiplier);
                }
            }
            // A joint without a spring may owe its stiffness to a closure somewhere beyond the rods that stand on it.
            // Rigid loops lend stiffness to nobody, so that waiting goes one way: elastic poses, their multipliers, what hangs
            // on those, multipliers of rigid loops.
            for joint in self.system.joints.iter().filter_map(|joint| joint.node).filter(|_| any_elastic) {
                let group = self.groups[joint][0];
                if !held.contains(&group) && !self.elastic[group.index()] {
                    self.pattern.after(group, multiplier);
                }
            }
        }
    }

    fn couple_cables(&mut self) {
        for c in 0..self.system.cables.len() {
            let cable = &self.system.cables[c];
            let (points, node) = (cable.points.clone(), cable.node);
            for pair in points.windows(2) {
                self.couple(pair[1], pair[0]);
            }
            for point in points {
                if let Some(node) = node {
                    self.couple(node, point);
                }
            }
        }
    }

    fn finish(self) {
        let Self { system, pattern, groups, elastic } = self;
        let slots = system.sources.len();
        let mut terms = 0;
        system.nodes = groups
            .iter()
            .enumerate()
            .map(|(node, own)| {
                let alone = node >= slots || matches!(system.sources[node], Source::Own);
                match own.as_slice() {
                    [] => Node::Fixed,
                    [group] if alone => Node::Own(group.index()),
                    several => {
                        let first = terms;
                        terms += several.len();
                        Node::Through { first, count: several.len() }
                    }
                }
            })
            .collect();
        system.term_count = terms;
        let points = || system.cables.iter().flat_map(|cable| &cable.points);
        let pulled = |group: usize| points().any(|point| groups[*point].iter().any(|own| own.index() == group));
        let bodies = system.bodies.iter().filter_map(|body| match system.nodes[body.slot] {
            Node::Own(group) if !elastic[group] && pulled(group) => Some(group),
            _ => None,
        });
        system.loose_bodies = bodies.collect();
        system.pose_node = (0..slots)
            .map(|slot| {
                let idle = system.nodes[slot] == Node::Fixed && !matches!(system.sources[slot], Source::Welded { .. });
                (!idle).then_some(slot)
            })
            .collect();
        system.branching = (0..slots)
            .filter(|slot| {
                matches!(system.nodes[*slot], Node::Through { count, .. } if count > 1)
                    && !matches!(system.sources[*slot], Source::Welded { .. })
            })
            .collect();
        system.group_rows = groups.iter().flatten().fold(vec![0..0; pattern.groups()], |mut rows, group| {
            rows[group.index()] = pattern.rows_of(*group);
            rows
        });
        system.pattern = pattern;
    }
}
