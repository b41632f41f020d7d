//! Tubes that are pushed while they move.
//!
//! A step has sections of constant lengths. Between steps the tubes are pushed at one instant: strains at the places of the
//! sections stay, and poses follow from the entry on. Of the velocities, in sections that become shorter the rates of the strains
//! stay, in others the velocities of their ends against each other: so neither grows where a section is next to nothing. The
//! velocity of a place is that of the steps, v, and that of the push, f, which follows from the shape and the rates alone,
//!
//! ```text
//! f_{i+1} = Ad_{exp(−Ψ_i)} f_i + (ℓ̇/ℓ) Ψ_i                         body axes of the control poses
//! ```
//!
//! `push_load` has what that adds to the inertia.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | f | velocity that the push gives to a place | `push_velocities` | rad/s, m/s |
//! | ℓ̇/ℓ | by what part of its length a section grows in a second | `increment_rates` | 1/s |

use crate::index::{RodIndex, Slot};
use crate::inputs::Inputs;
use crate::layout::{Place, Source};
use crate::rod::tubes::{Feed, Tubes, grow};
use crate::{State, System};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Twist};
use nalgebra::Vector6;

/// A state with its velocities.
#[derive(Clone, Debug, PartialEq)]
pub struct Moving {
    /// Where everything is.
    pub state: State,
    /// Body velocity of every slot.
    pub velocity: Vec<Twist>,
    /// Rates of the joints' coordinates.
    pub joint_rates: Vec<Vector6<f64>>,
}

impl System {
    /// The same motion with the tubes at the insertions of this system, which were those of `before`: by any way where both have
    /// the same sections, by next to nothing where places pass each other. `feeds` are the rates of the tubes then. Nothing if
    /// the sections of the two do not correspond.
    pub fn pushed(&self, before: &Self, moving: &Moving, inputs: &Inputs, feeds: &[Feed]) -> Option<Moving> {
        let same = self.shares_layout(before);
        let mut pushed = match same {
            true => self.grown(before, moving),
            false => self.relaid(before, moving, inputs),
        };
        let from = &moving.state;
        for (tubes, other) in self.values.kinds.tubes.iter().zip(&before.values.kinds.tubes) {
            let alignment = tubes.alignment(other)?;
            let beside: Vec<_> = alignment.beside().flat_map(|s| before.sample_at(tubes.rod, from, &[s])).collect();
            let (own, theirs) = (&self.layout.rods[tubes.rod], &before.layout.rods[tubes.rod]);
            if !same {
                let old = (from, &from.poses[theirs.poses()], &moving.velocity[theirs.poses()]);
                let poses = tubes.push_poses(other, (&alignment, &beside), old);
                for (slot, (pose, velocity)) in own.poses().zip(poses) {
                    (pushed.state.poses[slot], pushed.velocity[slot]) = (pose, velocity);
                }
                alignment.carry(&from.linear[theirs.stresses()], &mut pushed.state.linear[own.stresses()]);
                tubes.carry_rates(other, &alignment, &moving.joint_rates, &mut pushed.joint_rates);
            }
            tubes.push_angles(other, (&alignment, &beside), from, inputs, &mut pushed.state);
        }
        self.place_driven(inputs, &mut pushed.state);
        self.settle(&mut pushed.state);
        self.settle_tensions(&mut pushed.state);
        if !same {
            self.change_places(before, &pushed.state, from, feeds, &mut pushed.velocity);
            self.carry_velocities(&mut pushed);
        }
        Some(pushed)
    }

    /// Poses and velocities where all sections stay; angles of tubes are left.
    fn grown(&self, before: &Self, moving: &Moving) -> Moving {
        let growth = |tubes: &Tubes| {
            let factors = before.tubes(tubes.rod).map_or_else(Vec::new, |other| tubes.increment_growth(other));
            factors.into_iter().map(|growth| [growth, growth.min(1.0)]).collect::<Vec<_>>()
        };
        let (poses, velocity) = self.grow_all(&moving.state.poses, &moving.velocity, growth);
        Moving { state: State { poses, ..moving.state.clone() }, velocity, joint_rates: moving.joint_rates.clone() }
    }

    /// Lets the increments of tubes grow, and their rates, by a factor each; what is carried moves along.
    pub(super) fn grow_all(
        &self,
        poses: &[Pose],
        velocity: &[Twist],
        growth: impl Fn(&Tubes) -> Vec<[f64; 2]>,
    ) -> (Vec<Pose>, Vec<Twist>) {
        let (mut new, mut rates) = (poses.to_vec(), velocity.to_vec());
        // What is carried without a change of its place on what carries it.
        let carry = |slot: usize, by: usize, new: &mut [Pose], rates: &mut [Twist]| {
            let relative = poses[by].inverse() * poses[slot];
            new[slot] = new[by] * relative;
            rates[slot] = velocity[slot] + relative.inverse().adjoint_twist(&(rates[by] - velocity[by]));
        };
        for place in &self.layout.places {
            let slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.anchor(rod),
            };
            if let Source::Follows { parent, .. } = self.layout.sources[slot] {
                carry(slot.index(), parent.index(), &mut new, &mut rates);
            }
            let Place::Chain(rod) = *place else { continue };
            let own = self.layout.rods[rod].poses();
            match self.tubes(rod) {
                None => own.filter(|other| *other != slot.index()).for_each(|other| {
                    carry(other, slot.index(), &mut new, &mut rates);
                }),
                Some(tubes) => {
                    for (i, growth) in growth(tubes).into_iter().enumerate() {
                        let at = own.start + i;
                        (new[at + 1], rates[at + 1]) =
                            grow((new[at], rates[at]), &poses[at..], &velocity[at..], growth);
                    }
                }
            }
        }
        (new, rates)
    }

    /// Everything but tubes, where sections begin and end.
    fn relaid(&self, before: &Self, moving: &Moving, inputs: &Inputs) -> Moving {
        let state = self.carried_frames(before, &moving.state, inputs);
        let of_scene = self.values.joints.partition_point(|joint| joint.model.is_some());
        let mut joint_rates = moving.joint_rates[..of_scene].to_vec();
        joint_rates.resize(self.values.joints.len(), Vector6::zeros());
        let mut velocity = vec![Twist::zero(); state.poses.len()];
        for rod in RodIndex::first(self.values.rods.len()).filter(|rod| self.tubes(*rod).is_none()) {
            let (own, other) = (self.layout.rods[rod].poses(), before.layout.rods[rod].poses());
            velocity[own].copy_from_slice(&moving.velocity[other]);
        }
        for (own, other) in self.values.bodies.iter().zip(&before.values.bodies) {
            velocity[own.slot] = moving.velocity[other.slot];
        }
        Moving { state, velocity, joint_rates }
    }

    /// Places of two divisions move in different ways along one curve: velocities of the same points of space stay, so that
    /// those of the places change. Sections that begin are rigid.
    fn change_places(&self, before: &Self, state: &State, from: &State, feeds: &[Feed], velocity: &mut [Twist]) {
        let (new, old) = (self.push_velocities(state, feeds), before.push_velocities(from, feeds));
        for (tubes, other) in self.values.kinds.tubes.iter().zip(&before.values.kinds.tubes) {
            let Some(alignment) = tubes.alignment(other) else { continue };
            let (own, theirs) = (self.layout.rods[tubes.rod].poses(), before.layout.rods[tubes.rod].poses());
            let [psi, old_psi] =
                [(self, state, own.clone()), (before, from, theirs.clone())].map(|(system, state, own)| {
                    let curve = system.values.rods[tubes.rod].curve();
                    let mut psi = vec![DualVector::zero(); curve.increments()];
                    curve.fill_increments(&state.poses[own], &mut psi);
                    psi
                });
            let kept = velocity[own.clone()].to_vec();
            for i in 0..kept.len() - 1 {
                let slot = own.start + i;
                let back = (state.poses[slot].inverse() * state.poses[slot + 1]).inverse();
                let mut rate = kept[i + 1] - back.adjoint_twist(&kept[i]);
                if let Some(source) = alignment.kept(i) {
                    // At either end, seen from between them.
                    let [near, far] = [(0, false), (1, true)].map(|(end, below)| {
                        let still =
                            old[theirs.start + source + end] - other.along_curve(source + end, below, &old_psi, feeds);
                        still - (new[slot + end] - tubes.along_curve(i + end, below, &psi, feeds))
                    });
                    rate += far - back.adjoint_twist(&near);
                }
                velocity[slot + 1] = back.adjoint_twist(&velocity[slot]) + rate;
            }
        }
    }

    /// Brings velocities of what follows into line with what it follows.
    fn carry_velocities(&self, moving: &mut Moving) {
        let Moving { state, velocity, joint_rates } = moving;
        for place in &self.layout.places {
            let slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.anchor(rod),
            };
            if matches!(self.layout.sources[slot], Source::Follows { .. }) {
                velocity[slot] = self.carried(slot, state, velocity, joint_rates);
            }
        }
    }

    /// Velocity f that the push gives to each slot.
    pub fn push_velocities(&self, state: &State, feeds: &[Feed]) -> Vec<Twist> {
        self.push_later(&state.poses, feeds, 0.0)
    }

    /// The same for poses that are reached some time later.
    pub(super) fn push_later(&self, poses: &[Pose], feeds: &[Feed], later: f64) -> Vec<Twist> {
        let mut velocity = vec![Twist::zero(); poses.len()];
        let carried = |slot: usize, by: usize, velocity: &[Twist]| {
            (poses[slot].inverse() * poses[by]).adjoint_twist(&velocity[by])
        };
        for place in &self.layout.places {
            let slot: Slot = match *place {
                Place::Own(_) => continue,
                Place::Follow(slot) => slot,
                Place::Chain(rod) => self.anchor(rod),
            };
            if let Source::Follows { parent, .. } = self.layout.sources[slot] {
                velocity[slot] = carried(slot.index(), parent.index(), &velocity);
            }
            let Place::Chain(rod) = *place else { continue };
            let own = self.layout.rods[rod].poses();
            let Some(tubes) = self.tubes(rod) else {
                for other in own.filter(|other| *other != slot.index()) {
                    velocity[other] = carried(other, slot.index(), &velocity);
                }
                continue;
            };
            for (i, [rate, gain]) in tubes.increment_rates(feeds).into_iter().enumerate() {
                let at = own.start + i;
                let relative = poses[at].inverse() * poses[at + 1];
                // Ψ grows along itself, as the length of its section does.
                let stretch = (rate + gain * later) / (1.0 + rate * later);
                velocity[at + 1] = relative.inverse().adjoint_twist(&velocity[at]) + relative.log() * stretch;
            }
        }
        velocity
    }
}
