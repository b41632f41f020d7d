//! Pose slots: every pose of a system, and where it comes from.
//!
//! The slots are the control poses of the rods, the frames of bodies and joints, and every place that something is
//! attached to with an offset. A slot has unknowns of its own, is prescribed, follows another through an offset and
//! perhaps a joint, or is the far end of a rod that an embedded closure ties to its frame. Trees therefore need no
//! constraint: what stands on something moves with it.

use crate::index::{Node, RodIndex, Slot};
use crate::layout::{Place, Source};
use crate::node::{Home, Term};
use crate::{State, System};
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;
use nalgebra::Matrix6;

impl System {
    /// The slot that decides about a place, if it follows another.
    pub(crate) fn followers(&self) -> impl Iterator<Item = Slot> + '_ {
        self.layout.places.iter().filter_map(|place| match *place {
            Place::Own(_) => None,
            Place::Follow(slot) => Some(slot),
            Place::Chain(rod) => Some(self.anchor(rod)),
        })
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
        for slot in self.followers() {
            self.fill_followed(slot, state, terms);
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
    /// acts on all that moves with it when the joints and increments beyond keep still; `direct` what acts there
    /// without what other slots hand on. Rods are swept on the way by `sweep`, which returns what their far poses
    /// hand to the end they stand on.
    pub(crate) fn gather_loads(
        &self,
        state: &State,
        direct: &mut [DualVector],
        total: &mut [DualVector],
        mut sweep: impl FnMut(RodIndex, &[DualVector]) -> DualVector,
    ) {
        total.copy_from_slice(direct);
        for place in self.layout.places.iter().rev() {
            let slot = match *place {
                Place::Own(slot) | Place::Follow(slot) => slot,
                Place::Chain(rod) => {
                    let anchor = self.anchor(rod);
                    let beyond = sweep(rod, &total[self.layout.rods[rod].poses()]);
                    total[anchor] += beyond;
                    direct[anchor] += beyond;
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
