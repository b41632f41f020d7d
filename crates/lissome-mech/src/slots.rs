//! Pose slots: every pose of a system, and where it comes from.
//!
//! The slots are the control poses of the rods, the frames of bodies and joints, and every place that something is
//! attached to with an offset. A slot has unknowns of its own, is prescribed, follows another through an offset and
//! perhaps a joint, or is the far end of a rod that an embedded closure ties to its frame. Trees therefore need no
//! constraint: what stands on something moves with it.

use crate::closure::Closure;
use crate::joint::CompiledJoint;
use crate::sink::{Node, Term};
use crate::{State, System};
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;

/// Where a pose comes from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Six unknowns of its own.
    Own,
    /// Prescribed.
    Fixed,
    /// parent · offset · (motion of the joint).
    Follows {
        /// Slot it follows.
        parent: usize,
        /// Where it is on that.
        offset: Pose,
        /// Index of the compiled joint in between.
        joint: Option<usize>,
    },
    /// The far end of a rod, embedded in the frame of a closure.
    Welded {
        /// Index of the closure.
        closure: usize,
    },
}

/// How the poses of a state are renewed, in order: carriers before what they carry.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A slot with unknowns of its own that is no control pose.
    Own(usize),
    /// A slot that follows.
    Follow(usize),
    /// The control poses of a rod, from the end it stands on.
    Chain(usize),
}

impl System {
    /// Renews every pose that follows another; rods move rigidly with what they stand on.
    pub fn settle(&self, state: &mut State) {
        for place in &self.places {
            match *place {
                Place::Own(_) => {}
                Place::Follow(slot) => state.poses[slot] = self.followed(slot, state),
                Place::Chain(rod) => {
                    let rod = &self.rods[rod];
                    let anchor = rod.first_pose + rod.anchor();
                    let moved = self.followed(anchor, state) * state.poses[anchor].inverse();
                    for pose in &mut state.poses[rod.first_pose..][..rod.pose_count] {
                        *pose = moved * *pose;
                    }
                    state.poses[anchor] = self.followed(anchor, state);
                }
            }
        }
    }

    /// Pose of a slot that follows, from its parent.
    pub(crate) fn followed(&self, slot: usize, state: &State) -> Pose {
        let Source::Follows { parent, offset, joint } = self.sources[slot] else { return state.poses[slot] };
        let at = state.poses[parent] * offset;
        match joint {
            Some(joint) => at * state.joints[joint].motion,
            None => at,
        }
    }

    /// Fills the terms of every slot that moves with others.
    pub(crate) fn fill_terms(&self, state: &State, terms: &mut [Term]) {
        for place in &self.places {
            match *place {
                Place::Follow(slot) => self.fill_followed(slot, state, terms),
                Place::Chain(rod) => {
                    let rod = &self.rods[rod];
                    self.fill_followed(rod.first_pose + rod.anchor(), state, terms);
                }
                Place::Own(_) => {}
            }
        }
        // Nothing stands on an embedded end, so these may come last.
        for Closure { tied, frame, .. } in self.closures.iter().filter(|closure| closure.node.is_none()) {
            let carried = (state.poses[*tied].inverse() * state.poses[*frame]).adjoint();
            self.carry_terms(*frame, *tied, &carried, terms);
        }
    }

    fn fill_followed(&self, slot: usize, state: &State, terms: &mut [Term]) {
        let Source::Follows { parent, offset, joint } = self.sources[slot] else { return };
        let Node::Through { first, count } = self.nodes[slot] else { return };
        let motion = match joint {
            Some(joint) => offset * state.joints[joint].motion,
            None => offset,
        };
        self.carry_terms(parent, slot, &motion.inverse().adjoint(), terms);
        if let Some(CompiledJoint { node: Some(node), subspace, .. }) = joint.map(|joint| &self.joints[joint])
            && let Node::Own(group) = self.nodes[*node]
        {
            terms[first + count - 1] = Term { group, jacobian: *subspace };
        }
    }

    /// Terms of `from` times `map` become the first terms of `to`.
    fn carry_terms(&self, from: usize, to: usize, map: &nalgebra::Matrix6<f64>, terms: &mut [Term]) {
        let Node::Through { first: at, .. } = self.nodes[to] else { return };
        match self.nodes[from] {
            Node::Fixed => {}
            Node::Own(group) => terms[at] = Term { group, jacobian: *map },
            Node::Through { first, count } => {
                for k in 0..count {
                    let Term { group, jacobian } = terms[first + k];
                    terms[at + k] = Term { group, jacobian: map * jacobian };
                }
            }
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
        mut sweep: impl FnMut(usize, &[DualVector]) -> DualVector,
    ) {
        total.copy_from_slice(direct);
        for place in self.places.iter().rev() {
            let slot = match *place {
                Place::Own(slot) | Place::Follow(slot) => slot,
                Place::Chain(rod) => {
                    let compiled = &self.rods[rod];
                    let anchor = compiled.first_pose + compiled.anchor();
                    let beyond = sweep(rod, &total[compiled.first_pose..][..compiled.pose_count]);
                    total[anchor] += beyond;
                    direct[anchor] += beyond;
                    anchor
                }
            };
            if let Source::Follows { parent, .. } = self.sources[slot] {
                let relative = state.poses[slot].inverse() * state.poses[parent];
                let handed: DualVector = relative.coadjoint_wrench(&total[slot].wrench()).into();
                total[parent] += handed;
            }
        }
    }
}
