//! Pose slots: every pose of a system, and where it comes from.
//!
//! The slots are the control poses of the rods, the frames of bodies and joints, and every place that something is
//! attached to with an offset. A slot has unknowns of its own, is prescribed, follows another through an offset and
//! perhaps a joint, or is the far end of a rod that an embedded closure ties to its frame. Trees therefore need no
//! constraint: what stands on something moves with it.

use crate::index::{Node, RodIndex, Slot};
use crate::layout::{Place, Source};
use crate::node::{Home, Term};
use crate::rod::strain_basis::OutwardStep;
use crate::rod::strain_basis::magnus::MagnusStep;
use crate::{State, System};
use lissome_lie::dual::{DualVector, ExpMap};
use lissome_lie::{Pose, Twist};
use nalgebra::Matrix6;

impl System {
    /// Places all that follows something, carriers first; poses with unknowns of their own stay.
    pub(crate) fn renew_followers(&self, state: &mut State) {
        for place in &self.layout.places {
            match *place {
                Place::Own(_) => {}
                Place::Follow(slot) => state.poses[slot] = self.followed(slot, state),
                Place::Chain(rod) => {
                    let anchor = self.anchor(rod);
                    state.poses[anchor] = self.followed(anchor, state);
                    self.renew_strained(rod, state);
                }
            }
        }
    }

    /// Poses of a rod on a strain basis from its coordinates and the pose it stands on; nothing on other rods.
    pub(crate) fn renew_strained(&self, rod: RodIndex, state: &mut State) {
        let place = &self.layout.rods[rod];
        let (Some(own), Some(first)) = (self.values.rods[rod].strain_basis(), place.first_coordinate) else { return };
        let State { poses, joints, linear } = state;
        let blocks = &mut linear[place.stresses()];
        for (block, joint) in blocks.iter_mut().zip(&joints[first.index()..]) {
            *block = joint.value;
        }
        own.integrate(blocks, &mut poses[place.poses()]);
    }

    /// Takes the strain coordinates of every rod from its blocks; poses follow when they are renewed.
    pub(crate) fn adopt_coordinates(&self, state: &mut State) {
        for place in &self.layout.rods {
            if let Some(first) = place.first_coordinate {
                for (a, joint) in self.values.joints[first.index()..][..place.stress_count].iter().enumerate() {
                    state.joints[joint.index] = joint.subgroup.at(&state.linear[place.first_stress.after(a)]);
                }
            }
        }
    }

    /// Gives a rod on a strain basis the coordinates that come nearest to its poses.
    pub(crate) fn adopt_poses(&self, rod: RodIndex, state: &mut State) {
        let place = &self.layout.rods[rod];
        if let Some(own) = self.values.rods[rod].strain_basis() {
            let coordinates = own.coordinates_of_poses(&state.poses[place.poses()]);
            state.linear[place.stresses()].copy_from_slice(&coordinates);
            self.adopt_coordinates(state);
            self.renew_strained(rod, state);
        }
    }

    /// Slot of the control pose that a rod stands on.
    pub fn anchor(&self, rod: RodIndex) -> Slot {
        self.layout.rods[rod].first_pose.after(self.values.rods[rod].curve().anchor())
    }

    /// Renews every pose that follows another; rods move rigidly with what they stand on.
    pub fn settle(&self, state: &mut State) {
        for place in &self.layout.places {
            match *place {
                Place::Own(_) => {}
                Place::Follow(slot) => state.poses[slot] = self.followed(slot, state),
                Place::Chain(rod) => {
                    let anchor = self.anchor(rod);
                    let moved = self.followed(anchor, state) * state.poses[anchor].inverse();
                    for pose in &mut state.poses[self.layout.rods[rod].poses()] {
                        *pose = moved * *pose;
                    }
                    state.poses[anchor] = self.followed(anchor, state);
                    self.renew_strained(rod, state);
                }
            }
        }
    }

    /// Pose of a slot that follows, from its parent.
    pub(crate) fn followed(&self, slot: Slot, state: &State) -> Pose {
        let Source::Follows { parent, joint } = self.layout.sources[slot] else { return state.poses[slot] };
        let at = state.poses[parent] * self.values.offsets[slot];
        match joint {
            Some(joint) => at * state.joints[joint].motion,
            None => at,
        }
    }

    /// Fills the terms of every slot that moves with others.
    pub(crate) fn fill_terms(&self, state: &State, terms: &mut [Term]) {
        for place in &self.layout.places {
            match *place {
                Place::Own(_) => {}
                Place::Follow(slot) => self.fill_followed(slot, state, terms),
                Place::Chain(rod) => {
                    self.fill_followed(self.anchor(rod), state, terms);
                    self.fill_strained(rod, state, terms);
                }
            }
        }
        // Nothing stands on an embedded end, so these may come last.
        for &tied in &self.layout.embedded {
            let Source::Embedded { frame, gap } = self.layout.sources[tied] else { continue };
            let carried = (state.poses[tied].inverse() * state.poses[frame]).adjoint();
            self.carry_terms(frame, tied, &carried, terms);
            self.end_terms(tied, gap, &Matrix6::identity(), terms);
        }
    }

    fn fill_followed(&self, slot: Slot, state: &State, terms: &mut [Term]) {
        let Source::Follows { parent, joint } = self.layout.sources[slot] else { return };
        let offset = self.values.offsets[slot];
        let motion = match joint {
            Some(joint) => offset * state.joints[joint].motion,
            None => offset,
        };
        self.carry_terms(parent, slot, &motion.inverse().adjoint(), terms);
        if let Some(joint) = joint.map(|joint| &self.values.joints[joint]) {
            self.end_terms(slot, joint.node, &joint.subgroup.subspace, terms);
        }
    }

    /// Terms of the poses of a rod on a strain basis: those of the neighbour, and ∂Ω/∂q of the step in between.
    fn fill_strained(&self, rod: RodIndex, state: &State, terms: &mut [Term]) {
        let place = &self.layout.rods[rod];
        let Some(own) = self.values.rods[rod].strain_basis() else { return };
        let homes = &self.layout.homes;
        let q = &state.linear[place.stresses()];
        let carried_groups = match homes.of(self.anchor(rod).node()) {
            Home::Fixed => 0,
            Home::Own(_) => 1,
            Home::Through { count, .. } => count,
        };
        for OutwardStep { increment: k, from, to, sign } in own.steps_outward() {
            let (from_blocks, to_blocks) = (own.blocks_that_move(from), own.blocks_that_move(to));
            let (from, to) = (place.first_pose.after(from), place.first_pose.after(to));
            let Home::Through { first: at, .. } = homes.of(to.node()) else { continue };
            let step = MagnusStep::at(&own.moments(k, q));
            let map = ExpMap::at(DualVector::from(Twist::from_vector(&step.increment)) * sign);
            let transport = map.ad_exp_neg().twist_map();
            let of_block = |block: usize| at + carried_groups + (block - to_blocks.start);
            for block in to_blocks.clone() {
                let node = place.first_stress_node.after(block);
                if let Home::Own(group) = homes.of(node) {
                    terms[of_block(block)] = Term { group, jacobian: Matrix6::zeros() };
                }
            }
            match homes.of(from.node()) {
                Home::Fixed => {}
                Home::Own(group) => terms[at] = Term { group, jacobian: transport },
                Home::Through { first, .. } => {
                    for c in 0..carried_groups {
                        let Term { group, jacobian } = terms[first + c];
                        terms[at + c] = Term { group, jacobian: transport * jacobian };
                    }
                    for block in from_blocks.clone() {
                        let known = terms[first + carried_groups + (block - from_blocks.start)].jacobian;
                        terms[of_block(block)].jacobian = transport * known;
                    }
                }
            }
            let dexp = map.dexp().twist_map() * sign;
            let link = self.layout.chains.link(to.node()).map(|(_, link)| link);
            own.increment_jacobian(k, &step, |block, by| {
                let moved = dexp * by;
                let Term { group, jacobian } = &mut terms[of_block(block)];
                *jacobian += moved;
                let group = *group;
                if let Some(link) = link {
                    terms[link.at] = Term { group, jacobian: transport };
                    terms[link.at + 1 + (block - link.blocks.start)] = Term { group, jacobian: moved };
                }
            });
        }
    }

    /// Terms of `from` times `map` become the first terms of `to`.
    fn carry_terms(&self, from: Slot, to: Slot, map: &Matrix6<f64>, terms: &mut [Term]) {
        let homes = &self.layout.homes;
        let Home::Through { first: at, .. } = homes.of(to.node()) else { return };
        match homes.of(from.node()) {
            Home::Fixed => {}
            Home::Own(group) => terms[at] = Term { group, jacobian: *map },
            Home::Through { first, count } => {
                for k in 0..count {
                    let Term { group, jacobian } = terms[first + k];
                    terms[at + k] = Term { group, jacobian: map * jacobian };
                }
            }
        }
    }

    /// The last term of a slot: a node with a group of its own, which moves it by `jacobian`.
    fn end_terms(&self, slot: Slot, node: Node, jacobian: &Matrix6<f64>, terms: &mut [Term]) {
        let homes = &self.layout.homes;
        if let (Home::Through { first, count }, Home::Own(group)) = (homes.of(slot.node()), homes.of(node)) {
            terms[first + count - 1] = Term { group, jacobian: *jacobian };
        }
    }

    /// Hands the loads of everything that follows on to what carries it, leaves first: `total` of a slot becomes what
    /// acts on all that moves with it when the joints and increments beyond keep still; in the beginning it is what acts
    /// there. Rods are swept on the way by `sweep`, which returns what their far poses hand to the end they stand on.
    pub(crate) fn gather_loads(
        &self,
        state: &State,
        total: &mut [DualVector],
        mut sweep: impl FnMut(RodIndex, &[DualVector]) -> DualVector,
    ) {
        for place in self.layout.places.iter().rev() {
            let slot = match *place {
                Place::Own(slot) | Place::Follow(slot) => slot,
                Place::Chain(rod) => {
                    let anchor = self.anchor(rod);
                    let beyond = sweep(rod, &total[self.layout.rods[rod].poses()]);
                    total[anchor] += beyond;
                    anchor
                }
            };
            if let Source::Follows { parent, .. } = self.layout.sources[slot] {
                let relative = state.poses[slot].inverse() * state.poses[parent];
                let handed: DualVector = relative.coadjoint_wrench(&total[slot].wrench()).into();
                total[parent] += handed;
            }
        }
    }
}
