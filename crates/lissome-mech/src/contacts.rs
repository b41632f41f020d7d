//! The contacts of a system: what they do at a state, and the memory of their friction.

use crate::constraints::Standing;
use crate::contribution::{At, Constraint, Part};
use crate::index::Node;
use crate::kind::contact::Contact;
use crate::kind::contact::law::{Held, Phase};
use crate::kind::contact::sunk::Sunk;
use crate::{Inputs, State, System, Workspace};
use lissome_lie::Twist;
use lissome_model::Toucher;
use nalgebra::{Vector2, Vector3, Vector6};
use std::collections::HashMap;

/// A contact at a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactState {
    /// What touches.
    pub toucher: Toucher,
    /// Arc length of its touching place where it is a rod, m; zero for bodies.
    pub s: f64,
    /// What it touches; of two parts of the robot the one that comes later in the scene, bodies after rods.
    pub touched: Toucher,
    /// The gap, m; negative inside.
    pub gap: f64,
    /// Where the two touch, world axes, m.
    pub place: Vector3<f64>,
    /// Force on what touches, world axes, N.
    pub force: Vector3<f64>,
}

/// What two things that press do to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairState {
    /// Both, the lower in the order of rods, bodies and obstacles first.
    pub of: [Toucher; 2],
    /// Sliding if one of their points slides, stuck else.
    pub does: Held,
}

fn pair_of(a: Toucher, b: Toucher) -> [Toucher; 2] {
    [a.min(b), a.max(b)]
}

impl System {
    /// What the pairs do that press, from what each contact does.
    pub(crate) fn pair_states(&self, state: &State, does: impl Fn(&Contact) -> Held, out: &mut Vec<PairState>) {
        out.clear();
        for contact in &self.values.kinds.contacts {
            let does = does(contact);
            let Some(touched) = contact.touched(state).filter(|_| does != Held::Open) else { continue };
            let of = pair_of(contact.toucher, touched);
            match out.iter_mut().rev().find(|pair| pair.of == of) {
                Some(pair) if does == Held::Sliding => pair.does = does,
                Some(_) => {}
                None => out.push(PairState { of, does }),
            }
        }
    }

    /// All pairs of what may touch, each with its place in an order that stays the same.
    pub fn pair_order(&self) -> HashMap<[Toucher; 2], usize> {
        let mut order = HashMap::new();
        let contacts = &self.values.kinds.contacts;
        // Points that follow each other touch the same, as a rule.
        for own in contacts.chunk_by(|a, b| a.toucher == b.toucher && a.ground.touches_like(&b.ground)) {
            own[0].ground.each_touched(|other| {
                let next = order.len();
                order.entry(pair_of(own[0].toucher, other)).or_insert(next);
            });
        }
        order
    }

    /// Dotted paths of both sides of a pair.
    pub fn pair_path(&self, pair: &PairState) -> String {
        self.path_of_both(pair.of)
    }

    fn path_of_both(&self, both: [Toucher; 2]) -> String {
        let [a, b] = both.map(|side| match side {
            Toucher::Rod(rod) => self.path_of(Part::rod(rod)),
            Toucher::Body(body) => self.path_of(Part::body(body)),
            Toucher::Obstacle(obstacle) => self.path_of(Part::new("obstacle", obstacle)),
        });
        format!("{a} {b}")
    }

    /// True if something may touch something.
    pub fn has_obstacles(&self) -> bool {
        !self.values.kinds.contacts.is_empty()
    }

    /// True if some contact has friction.
    pub fn has_contact_friction(&self) -> bool {
        self.values.kinds.contacts.iter().any(|contact| contact.friction.is_some())
    }

    /// Sum of the forces of all contacts at a state, N.
    pub fn contact_forces(&self, state: &State) -> f64 {
        let force = |contact: &Contact| state.block(contact.multiplier.block).fixed_rows::<3>(0).norm();
        self.values.kinds.contacts.iter().map(force).sum()
    }

    /// The deepest place of every stretch of a rod that lies in a surface between the points that may touch.
    pub fn sunk(&self, state: &State) -> impl Iterator<Item = Sunk> {
        self.values.kinds.contacts.iter().filter_map(|contact| contact.sunk(state))
    }

    /// True if something presses with friction.
    pub fn rubs(&self, state: &State, inputs: &Inputs) -> bool {
        let at = self.at(state, inputs);
        let rough = |contact: &&Contact| contact.friction_at(state).is_some_and(|friction| friction.coefficient > 0.0);
        self.values.kinds.contacts.iter().filter(rough).any(|contact| contact.wish(&at) != Held::Open)
    }

    /// Every contact at a state; those beyond the ends of a bore, and those without a partner, are left out.
    pub fn contact_states(&self, state: &State, inputs: &Inputs) -> Vec<ContactState> {
        let at = self.at(state, inputs);
        let contacts = self.values.kinds.contacts.iter();
        contacts
            .filter_map(|contact| {
                let (touch, touched) = (contact.touch(&at)?, contact.touched(state)?);
                let (force, place) = contact.force(&touch, &at);
                let gap = touch.near.distance;
                let (toucher, [s, other]) = (contact.toucher, touch.places);
                Some(match toucher <= touched {
                    true => ContactState { toucher, s, touched, gap, place, force },
                    false => ContactState { toucher: touched, s: other, touched: toucher, gap, place, force: -force },
                })
            })
            .collect()
    }

    /// Slip counts from this state on. `phase` is how friction goes on.
    pub fn anchor_contacts(&self, state: &mut State, inputs: &Inputs, phase: Phase) {
        if self.has_contact_friction() {
            let from = state.clone();
            self.anchor_contacts_from(&from, inputs, phase, state);
        }
    }

    /// The same from one state to another, whose slip counts from there.
    pub fn anchor_contacts_from(&self, from: &State, inputs: &Inputs, phase: Phase, to: &mut State) {
        if self.has_contact_friction() {
            let at = self.at(from, inputs);
            self.values.kinds.contacts.iter().for_each(|contact| contact.anchor_at(&at, phase, to));
        }
    }

    /// What each contact does by its law.
    pub fn contact_wishes(&self, state: &State, inputs: &Inputs, out: &mut Vec<Held>) {
        let at = self.at(state, inputs);
        out.clear();
        out.extend(self.values.kinds.contacts.iter().map(|contact| contact.wish(&at)));
    }

    /// Holds every contact to something, or lets all go by their law again.
    pub fn hold_contacts(&self, held: Option<&[Held]>, state: &mut State) {
        for (k, contact) in self.values.kinds.contacts.iter().enumerate() {
            let block = &mut state.linear[contact.multiplier.block];
            let slid = Vector2::new(block[4], block[5]);
            Phase::write(held.map_or(Phase::Free, |held| Phase::Held(held[k])), &slid, block);
        }
    }

    /// Remembers in `to` how contacts slid in the iteration that led there from `from`.
    pub fn remember_slip(&self, from: &State, inputs: &Inputs, to: &mut State) {
        let at = self.at(from, inputs);
        for contact in &self.values.kinds.contacts {
            let condition = || contact.evaluate(&at, from.block(contact.multiplier.block));
            contact.remember_slip(from, condition, Phase::Free, to);
        }
    }

    /// True if something presses at `to` whose friction stayed as it was in the iteration that led there from `from`: the law has
    /// not been asked yet.
    pub fn awaits_friction(&self, from: &State, to: &State) -> bool {
        self.values.kinds.contacts.iter().filter(|contact| contact.friction.is_some()).any(|contact| {
            let block = contact.multiplier.block;
            Phase::read(from.block(block)) == Phase::Frozen && to.block(block)[0] != 0.0
        })
    }

    /// Which contacts press.
    pub fn touching(&self, state: &State, inputs: &Inputs, out: &mut Vec<bool>) {
        let at = self.at(state, inputs);
        out.clear();
        out.extend(
            self.values
                .kinds
                .contacts
                .iter()
                .map(|contact| contact.evaluate(&at, state.block(contact.multiplier.block)).active[0]),
        );
    }

    /// The part of the last solved step that may be taken before something could come out on the other side of an obstacle.
    pub fn contact_fraction(&self, state: &State, work: &Workspace) -> f64 {
        self.motion_fraction(state, &work.inputs, &work.step.poses)
    }

    /// The same of any motion of the slots.
    pub fn motion_fraction(&self, state: &State, inputs: &Inputs, motion: &[Twist]) -> f64 {
        self.seen_fraction(&Standing::default(), state, inputs, motion)
    }

    /// The same where contacts stand as they are known to.
    pub(crate) fn seen_fraction(&self, standing: &Standing, state: &State, inputs: &Inputs, motion: &[Twist]) -> f64 {
        let clear = self.clear_fraction(standing, &self.at(state, inputs), motion, 1.0);
        match self.has_meetings() {
            true => clear.min(self.unseen_fraction(state, |slot| motion[slot].linear.norm())),
            false => clear,
        }
    }

    /// The same of a time step of length h by the velocities of the slots, for which partners were looked up.
    pub fn flight_fraction(&self, state: &State, inputs: &Inputs, velocity: &[Twist], h: f64) -> f64 {
        self.clear_fraction(&Standing::default(), &self.at(state, inputs), velocity, h)
    }

    /// True if something came through an obstacle on the way from one state to another.
    pub fn crosses_obstacles(&self, from: &State, to: &State) -> bool {
        self.runs_through(to) || self.values.kinds.contacts.iter().any(|contact| contact.crosses(from, to))
    }

    /// True if a rod lies so deep in something, between the points that keep it out, that it would come out on the other side.
    pub fn runs_through(&self, state: &State) -> bool {
        self.values.kinds.contacts.iter().any(|contact| contact.run_through(state).is_some())
    }

    /// Pairs of a rod and something thin that came through each other on the way from one state to another, between the points that
    /// keep them apart: the dotted paths of both and the deepest place.
    pub fn newly_run_through(&self, from: &State, to: &State) -> Vec<(String, Sunk)> {
        let mut found: Vec<([Toucher; 2], Sunk)> = Vec::new();
        for contact in &self.values.kinds.contacts {
            let Some(sunk) = contact.ran_through(from, to) else { continue };
            let Some(touched) = contact.touched(to) else { continue };
            let of = pair_of(contact.toucher, touched);
            match found.iter_mut().find(|(pair, _)| *pair == of) {
                Some((_, deepest)) if deepest.depth >= sunk.depth => {}
                Some((_, deepest)) => *deepest = sunk,
                None => found.push((of, sunk)),
            }
        }
        found.into_iter().map(|(of, sunk)| (self.path_of_both(of), sunk)).collect()
    }

    /// The deepest place of a rod in something between the points that keep it out, and what that is.
    pub fn inside_between(&self, state: &State) -> Option<(Sunk, Toucher)> {
        let contacts = self.values.kinds.contacts.iter();
        let inside = contacts.filter_map(|contact| Some((contact.inside_between(state)?, contact.touched(state)?)));
        inside.max_by(|(a, _), (b, _)| a.depth.total_cmp(&b.depth))
    }

    fn clear_fraction(&self, standing: &Standing, at: &At<'_>, slots: &[Twist], times: f64) -> f64 {
        let motion = |node: Node| slots.get(node.index()).map_or(Vector6::zeros(), |slot| slot.to_vector() * times);
        let contacts = self.values.kinds.contacts.iter();
        contacts.map(|contact| standing.longest_fraction(contact, at, motion)).fold(1.0, f64::min)
    }

    /// True if a motion of the slots could carry a rod through another one, or past one that was not seen.
    pub fn crosses_rods(&self, state: &State, motion: &[Twist]) -> bool {
        let at = self.at(state, &self.values.nominal);
        let moves = |node: Node| motion.get(node.index()).map_or(Vector6::zeros(), |slot| slot.to_vector());
        self.has_meetings()
            && (self.unseen_fraction(state, |slot| motion[slot].linear.norm()) < 1.0
                || self.seekers().any(|contact| contact.longest_fraction(&at, moves) < 1.0))
    }

    /// What friction takes over a step that ends at a state, J.
    pub fn friction_loss(&self, end: &State, inputs: &Inputs) -> f64 {
        let at = self.at(end, inputs);
        self.values.kinds.contacts.iter().map(|contact| contact.friction_loss(&at)).sum()
    }

    /// The same on the way from one equilibrium to the next, whose slip counts from there, J.
    pub fn friction_loss_between(&self, start: &State, end: &State, inputs: &Inputs) -> f64 {
        let at = self.at(end, inputs);
        self.values.kinds.contacts.iter().map(|contact| contact.increment_loss(start, &at)).sum()
    }

    /// Gives every contact a force: along the normal, and along the two directions of the surface.
    pub fn press_contacts(&self, state: &mut State, force: &Vector3<f64>) {
        for contact in &self.values.kinds.contacts {
            let own = &mut state.linear[contact.multiplier.block];
            own[0] = -force.x;
            if contact.friction.is_some() {
                (own[1], own[2]) = (-force.y, -force.z);
                Phase::write(Phase::Free, &Vector2::zeros(), own);
            }
        }
    }
}
