//! The compiled system: its layout, its values, and the states it can be in. Built once, evaluated often.

use crate::body::Body;
use crate::contribution::{At, Constraint, Force, Part, Scales};
use crate::field::Sample;
use crate::index::{Group, RodIndex, Slot};
use crate::inputs::Inputs;
use crate::joint::Joint;
use crate::kind::spring::Spring;
use crate::kind::{Kinds, each_constraint, each_force};
use crate::layout::Layout;
use crate::load::SectionLoad;
use crate::names::Names;
use crate::node::Home;
use crate::rod::tubes::{TubeSample, Tubes};
use crate::rod::{Carried, Rod, RodScratch, Winding};
use crate::state::State;
use crate::values::Values;
use lissome_lie::Pose;
use lissome_model::{Drive, NaturalShape};
use nalgebra::{Vector3, Vector6};
use std::ops::Range;
use std::sync::Arc;

/// Places along a rod of tubes whose strain is carried over to other insertions.
const CARRIED: usize = 400;

/// A compiled scene.
#[derive(Clone, Debug)]
pub struct System {
    /// Shared by all systems that differ in their values alone.
    pub(crate) layout: Arc<Layout>,
    pub(crate) values: Values,
    pub(crate) names: Names,
}

impl System {
    /// Its structure.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The rods, in the order of the scene.
    pub fn rods(&self) -> &[Arc<Rod>] {
        &self.values.rods
    }

    /// The bodies, in the order of the scene.
    pub fn bodies(&self) -> &[Body] {
        &self.values.bodies
    }

    /// The joints; a universal joint of the scene is two in a row.
    pub fn joints(&self) -> &[Joint] {
        &self.values.joints
    }

    /// Everything else that contributes.
    pub fn kinds(&self) -> &Kinds {
        &self.values.kinds
    }

    /// The scene's drives.
    pub fn drives(&self) -> &[Drive] {
        &self.values.drives
    }

    /// What the scene says without its drives.
    pub fn nominal_inputs(&self) -> &Inputs {
        &self.values.nominal
    }

    /// Sizes that forces and distances are compared with.
    pub fn scales(&self) -> &Scales {
        &self.values.scales
    }

    /// Dotted path of a part.
    pub fn path_of(&self, part: Part) -> String {
        self.names.path(part)
    }

    /// A state under inputs, as contributions see it.
    pub fn at<'a>(&'a self, state: &'a State, inputs: &'a Inputs) -> At<'a> {
        At { state, inputs, scales: &self.values.scales }
    }

    /// True if every load derives from a potential and nothing rubs, so that the tangent is symmetric.
    pub fn is_conservative(&self) -> bool {
        let rubs = self.values.kinds.contacts.iter().any(|contact| contact.friction.is_some());
        !rubs && self.loads_have_potential()
    }

    /// True if every load derives from a potential: nothing feeds a motion then, since friction only takes.
    pub fn loads_have_potential(&self) -> bool {
        let mut conservative = true;
        each_force!(self.values.kinds, |force| {
            conservative &= force.is_conservative();
        });
        conservative && self.line_loads().all(SectionLoad::is_conservative)
    }

    /// True if a dead force acts somewhere.
    pub fn has_dead_forces(&self) -> bool {
        let dead = |load: &SectionLoad| load.dead.force != Vector3::zeros();
        self.values.kinds.loads.iter().any(|at| dead(&at.load)) || self.line_loads().any(dead)
    }

    fn line_loads(&self) -> impl Iterator<Item = &SectionLoad> {
        self.values.line_loads.iter().flatten().flat_map(|line| &line.at_points)
    }

    /// True if the elastic stiffness of every rod stands apart from its curve, which eigenvalues relative to it need.
    pub fn has_separate_elasticity(&self) -> bool {
        self.values.rods.iter().all(|rod| rod.has_separate_elasticity())
    }

    /// Inputs at a moment of the scene's drives.
    pub fn inputs_at(&self, moment: f64) -> Inputs {
        self.inputs_driven_by(&self.values.drives, moment)
    }

    /// Inputs at a moment of other drives.
    pub fn inputs_driven_by(&self, drives: &[Drive], moment: f64) -> Inputs {
        let mut inputs = self.values.nominal.clone();
        inputs.drive(drives, moment);
        inputs
    }

    /// Number of scalar unknowns.
    pub fn unknowns(&self) -> usize {
        self.layout.pattern.rows()
    }

    /// Negative pivots of the saddle matrix at a stable equilibrium: stresses and multipliers.
    pub fn negative_pivots(&self) -> usize {
        self.layout.negative_pivots
    }

    /// Rows of the groups where displacements live, group by group.
    pub fn displacement_rows(&self) -> impl Iterator<Item = Range<usize>> + Clone + '_ {
        self.layout.displacements.iter().map(|group| self.layout.homes.rows(*group))
    }

    /// The part whose unknowns a group holds.
    pub fn part_of(&self, group: Group) -> Option<Part> {
        self.layout.parts.get(group.index()).copied().flatten()
    }

    /// What a slot belongs to: dotted path and, on a rod, the arc length.
    pub fn place_of(&self, slot: Slot) -> Option<(String, Option<f64>)> {
        if let Some((rod, local)) = self.layout.rod_of(slot) {
            let s = self.values.rods[rod].curve().knot_vector().greville(local);
            return Some((self.path_of(Part::rod(rod.index())), Some(s)));
        }
        let body = self.values.bodies.iter().position(|body| body.slot == slot).map(Part::body);
        let joint = || self.layout.joint_slots.iter().position(|own| *own == slot).map(Part::joint);
        body.or_else(joint).map(|part| (self.path_of(part), None))
    }

    /// Control poses of a rod.
    pub fn rod_poses<'a>(&self, rod: RodIndex, state: &'a State) -> &'a [Pose] {
        &state.poses[self.layout.rods[rod].poses()]
    }

    /// The pose at the tip of a rod, held or free.
    pub fn tip(&self, rod: RodIndex) -> Slot {
        Slot::new(self.layout.rods[rod].poses().end - 1)
    }

    /// The slot of a rod's far end, if nothing holds it.
    pub fn free_tip(&self, rod: RodIndex) -> Option<Slot> {
        let curve = self.values.rods[rod].curve();
        let slot = self.layout.rods[rod].first_pose.after(curve.far_end());
        let tied = self.values.kinds.closures.iter().any(|closure| closure.tied == slot);
        (!tied && self.layout.homes.of(slot.node()) != Home::Fixed).then_some(slot)
    }

    /// What the sections of a rod carry.
    pub fn rod_carried<'a>(&self, rod: RodIndex, state: &'a State) -> Carried<'a> {
        self.layout.rods[rod].carried(&state.linear)
    }

    /// Samples of a rod at `count` evenly spaced arc lengths, both ends included.
    pub fn sample(&self, rod: RodIndex, state: &State, count: usize) -> Vec<Sample> {
        let count = count.max(2);
        let length = self.values.rods[rod].curve().length();
        let arc: Vec<f64> = (0..count).map(|k| length * k as f64 / (count - 1) as f64).collect();
        self.sample_at(rod, state, &arc)
    }

    /// Samples of a rod at increasing arc lengths.
    pub fn sample_at(&self, rod: RodIndex, state: &State, arc: &[f64]) -> Vec<Sample> {
        let (poses, carried) = (self.rod_poses(rod, state), self.rod_carried(rod, state));
        let mut samples = self.values.rods[rod].sample_at(poses, carried, arc);
        if let Some(tubes) = self.tubes(rod) {
            samples.iter_mut().for_each(|sample| tubes.complete_stress(state, sample));
        }
        samples
    }

    /// The tubes of a rod that consists of some.
    pub fn tubes(&self, rod: RodIndex) -> Option<&Tubes> {
        self.values.kinds.tubes.iter().find(|tubes| tubes.rod == rod)
    }

    /// Angle and torque of every tube of a rod of tubes at increasing arc lengths, those that are there; empty for other
    /// rods.
    pub fn tubes_at(&self, rod: RodIndex, state: &State, arc: &[f64]) -> Vec<Vec<TubeSample>> {
        let Some(tubes) = self.tubes(rod) else { return Vec::new() };
        let samples = self.values.rods[rod].sample_at(self.rod_poses(rod, state), self.rod_carried(rod, state), arc);
        samples.iter().map(|sample| tubes.tubes_at(state, sample)).collect()
    }

    /// Largest turn (rad) and distance (lengths) between the curve of a rod and its strain integrated again.
    pub fn field_gap(&self, rod: RodIndex, state: &State) -> (f64, f64) {
        self.values.rods[rod].field_gap(self.rod_poses(rod, state), self.rod_carried(rod, state))
    }

    /// Blocks of unknown stresses.
    pub fn stress_blocks(&self) -> usize {
        let rods = self.values.rods.iter().filter(|rod| rod.has_independent_stress());
        rods.map(|rod| rod.stress_count()).sum()
    }

    /// Coordinates of a joint of the scene.
    pub fn joint_values(&self, model: usize, state: &State) -> Vec<f64> {
        let own = self.values.joints.iter().filter(|joint| joint.model == Some(model));
        own.flat_map(|joint| state.joint(joint.index).value.as_slice()[..joint.subgroup.freedom].to_vec()).collect()
    }

    /// Slot of the frame after a joint of the scene.
    pub fn joint_slot(&self, model: usize) -> Slot {
        self.layout.joint_slots[model]
    }

    /// Tension, length and points of a cable of the scene.
    pub fn cable(&self, index: usize, at: &At<'_>) -> Option<(f64, f64, &[Slot])> {
        let given = self.values.kinds.tension_cables.iter().find(|cable| cable.cable == Some(index));
        if let Some(cable) = given {
            let tension = cable.law.given_tension(at.inputs);
            return Some((tension, cable.path.length(at.state), &cable.path.points));
        }
        let cable = self.values.kinds.length_cables.iter().find(|cable| cable.cable == index)?;
        Some((cable.tension(at), cable.path.length(at.state), &cable.path.points))
    }

    /// A spring of the scene.
    pub fn spring(&self, index: usize) -> Option<&Spring> {
        self.values.kinds.springs.get(index)
    }

    /// Largest gap of a closed loop that is left: rad, and m.
    pub fn largest_gap(&self, state: &State) -> (f64, f64) {
        let at = self.at(state, &self.values.nominal);
        let gaps = self.values.kinds.closures.iter().map(|closure| closure.relative(&at).gap);
        gaps.fold((0.0, 0.0), |(turn, shift), gap| (gap.re.norm().max(turn), gap.du.norm().max(shift)))
    }

    /// Number of multipliers that are solved for.
    pub fn constraint_rows(&self) -> usize {
        let mut rows = 0;
        each_constraint!(self.values.kinds, |constraint| {
            if constraint.multiplier().node.is_some() {
                rows += constraint.size();
            }
        });
        rows
    }

    /// Puts driven joints where the inputs say, and all that stands on them after; gives tendons their tensions.
    pub fn drive(&self, inputs: &Inputs, state: &mut State) {
        if self.place_driven(inputs, state) {
            self.settle(state);
        }
        self.place_tensions(inputs, state);
    }

    /// Puts driven joints where the inputs say; true if one moved.
    pub(crate) fn place_driven(&self, inputs: &Inputs, state: &mut State) -> bool {
        let mut moved = false;
        for joint in &self.values.joints {
            if let Some(driven) = joint.driven_to(inputs) {
                moved |= driven != state.joints[joint.index];
                state.joints[joint.index] = driven;
            }
        }
        moved
    }

    /// Every rod in its natural shape on what it stands on, without stress; those that are laid otherwise, as they are laid.
    pub fn natural_state(&self) -> State {
        self.wound_state(Winding::Short)
    }

    /// The same, where rods held at both ends are turned evenly along their length so that their far ends have the right
    /// orientation; `winding` says which way round. Full turns that a rod is given come on top.
    pub fn wound_state(&self, winding: Winding) -> State {
        let inputs = self.inputs_at(0.0);
        let mut state = State {
            poses: vec![Pose::identity(); self.layout.sources.len()],
            joints: self.values.joints.iter().map(|joint| joint.start_at(&inputs)).collect(),
            linear: vec![Vector6::zeros(); self.layout.block_nodes.len()],
        };
        for body in &self.values.bodies {
            if let Some(start) = body.start {
                state.poses[body.slot] = start;
            }
        }
        for (rod, place) in self.values.rods.iter().zip(&self.layout.rods) {
            // Each stands on the identity; settling moves it to its place.
            state.poses[place.poses()].copy_from_slice(&rod.curve().starting_poses());
        }
        for tubes in &self.values.kinds.tubes {
            let own = self.layout.rods[tubes.rod].poses();
            state.poses[own].copy_from_slice(&tubes.start_poses(&inputs));
        }
        self.settle(&mut state);
        for closure in &self.values.kinds.closures {
            if let Some(rod) = closure.rod {
                let target = state.poses[closure.frame];
                let own = self.layout.rods[rod].poses();
                let curve = self.values.rods[rod].curve();
                match curve.is_laid() {
                    true => curve.twist_evenly(&mut state.poses[own], &target),
                    false => curve.turn_evenly(&mut state.poses[own], &target, winding),
                }
                self.adopt_poses(rod, &mut state);
            }
        }
        for r in RodIndex::first(self.values.rods.len()) {
            let curve = self.values.rods[r].curve();
            curve.add_turns(&mut state.poses[self.layout.rods[r].poses()]);
            if curve.has_turns() || curve.is_laid() {
                self.adopt_poses(r, &mut state);
            }
        }
        let turned = self.values.rods.iter().any(|rod| rod.curve().has_turns() || rod.curve().is_laid());
        if self.values.rods.len() > 1 || !self.values.bodies.is_empty() || turned {
            self.settle(&mut state);
        }
        self.bend_all_tubes(&mut state);
        self.forget_tensions(&mut state);
        state
    }

    /// Blocks of multipliers that do not depend on how rods are divided.
    pub(crate) fn multipliers_before_contacts(&self) -> std::ops::Range<usize> {
        let first = self.values.kinds.contacts.first();
        let end = first.map_or(self.layout.block_nodes.len(), |contact| contact.multiplier.block.index());
        self.layout.first_multiplier.index()..end
    }

    /// The stress of a rod of tubes counts from the straight one: gives it what its curve has.
    fn bend_tubes(&self, rod: RodIndex, state: &mut State) {
        let (own, place) = (&self.values.rods[rod], &self.layout.rods[rod]);
        let mut scratch = RodScratch::new(own);
        own.fill_increments(&state.poses[place.poses()], &mut scratch);
        own.fill_strain(&mut scratch);
        let (stresses, tension) = place.carried_mut(&mut state.linear);
        own.consistent_stress(&mut scratch, tension, stresses)
            .expect("the compliance of a validated rod is positive definite");
        // Only bending is meant: what control poses stretch and shear is their error, times a large stiffness.
        for stress in stresses {
            *stress = Vector6::new(0.0, stress[1], stress[2], 0.0, 0.0, 0.0);
        }
    }

    /// True if states of the other system are states of this one, with the same places of tubes in the same order.
    pub fn shares_layout(&self, other: &Self) -> bool {
        let (own, others) = (&self.values.kinds.tubes, &other.values.kinds.tubes);
        let alike = own.iter().zip(others).all(|(own, other)| own.sections().is_alike(other.sections()));
        self.layout.fits(&other.layout) && own.len() == others.len() && alike
    }

    /// Gives all rods of tubes the stress of their bending.
    pub(crate) fn bend_all_tubes(&self, state: &mut State) {
        for tubes in &self.values.kinds.tubes {
            self.bend_tubes(tubes.rod, state);
        }
    }

    /// Joints, bodies, rods and multipliers of the same scene with tubes at other insertions; the tubes themselves stand in
    /// their natural state.
    pub(crate) fn carried_frames(&self, before: &System, from: &State, inputs: &Inputs) -> State {
        let mut state = self.natural_state();
        let same = |system: &System| system.values.joints.partition_point(|joint| joint.model.is_some());
        state.joints[..same(self)].copy_from_slice(&from.joints[..same(before)]);
        self.place_driven(inputs, &mut state);
        for (body, other) in self.values.bodies.iter().zip(&before.values.bodies) {
            if body.start.is_some() {
                state.poses[body.slot] = from.poses[other.slot];
            }
        }
        for r in RodIndex::first(self.values.rods.len()).filter(|r| self.tubes(*r).is_none()) {
            let place = &self.layout.rods[r];
            state.poses[place.poses()].copy_from_slice(before.rod_poses(r, from));
            state.linear[place.stresses()].copy_from_slice(before.rod_carried(r, from).stress);
        }
        // Behind the stresses and tensions both have the same multipliers, but for contacts: those belong to spans.
        let (own, other) = (self.multipliers_before_contacts(), before.multipliers_before_contacts());
        state.linear[own].copy_from_slice(&from.linear[other]);
        self.settle_tensions(&mut state);
        state
    }

    /// A start near an equilibrium of the same scene with tubes at other insertions: everything else keeps its place, and
    /// tubes keep strains and angles along their pieces; exactly so where both share their layout.
    pub fn carried_state(&self, before: &System, from: &State, inputs: &Inputs) -> State {
        if self.shares_layout(before) {
            return self.stretched_state(before, from, inputs);
        }
        let mut state = self.carried_frames(before, from, inputs);
        for r in RodIndex::first(self.values.rods.len()) {
            if let (Some(tubes), Some(other)) = (self.tubes(r), before.tubes(r)) {
                let length = before.values.rods[r].curve().length();
                let arc: Vec<f64> = (0..=CARRIED).map(|k| length * k as f64 / CARRIED as f64).collect();
                let samples = before.sample_at(r, from, &arc);
                let strains: Vec<_> = samples.iter().map(|sample| (sample.s, sample.strain)).collect();
                let poses = tubes.carry_over(other, from, &strains, &mut state);
                state.poses[self.layout.rods[r].poses()].copy_from_slice(&poses);
            }
        }
        self.adopt_coordinates(&mut state);
        self.settle(&mut state);
        self.bend_all_tubes(&mut state);
        state
    }

    /// The same strains, angles and stresses at the same places of the sections.
    fn stretched_state(&self, before: &System, from: &State, inputs: &Inputs) -> State {
        let mut state = from.clone();
        // A joint whose axis is another one keeps its coordinates, which are another motion; those of tubes and strains have one for all.
        for (joint, other) in self.values.joints.iter().zip(&before.values.joints) {
            if joint.model.is_some() && joint.subgroup != other.subgroup {
                state.joints[joint.index] = joint.subgroup.at(&from.joints[joint.index].value);
            }
        }
        self.place_driven(inputs, &mut state);
        for (tubes, other) in self.values.kinds.tubes.iter().zip(&before.values.kinds.tubes) {
            let (old, own) = (before.rod_poses(tubes.rod, from), self.layout.rods[tubes.rod].poses());
            let growths = tubes.increment_growth(other).into_iter().enumerate();
            // Poses before the first increment that grows stay where they are.
            for (i, growth) in growths.skip_while(|(_, growth)| *growth == 1.0) {
                state.poses[own.start + i + 1] =
                    state.poses[own.start + i].boxplus(&(old[i + 1].boxminus(&old[i]) * growth));
            }
        }
        self.settle(&mut state);
        self.settle_tensions(&mut state);
        state
    }

    /// True if the whole system is one rod held at both ends, and nothing says how often it is turned on the way.
    pub fn is_single_loop(&self) -> bool {
        let free = |rod: &Rod| !rod.curve().has_turns();
        matches!(self.values.rods.as_slice(), [rod] if free(rod)) && self.values.kinds.closures.len() == 1
    }

    /// Least elastic energy of any shape that is wound the long way round, J, where such a bound is known: a single
    /// straight rod without loads. Its rotations make a path on SO(3) of length at least 2π − |w|, w the rotation between
    /// its ends, so ∫½κᵀKκ ≥ ½ K_min (2π − |w|)²/L.
    pub fn long_winding_energy(&self) -> Option<f64> {
        let kinds = &self.values.kinds;
        let ([closure], [rod]) = (kinds.closures.as_slice(), self.values.rods.as_slice()) else { return None };
        if !self.values.line_loads[0].is_empty()
            || kinds.count() > 1
            || *rod.curve().natural_shape() != NaturalShape::Straight
        {
            return None;
        }
        let state = self.natural_state();
        let (base, tip) = (state.poses[self.anchor(RodIndex::new(0))], state.poses[closure.frame]);
        let long_way = std::f64::consts::TAU - (base.rotation.inverse() * tip.rotation).angle();
        Some(0.5 * rod.curve().softest_turn() * long_way * long_way / rod.curve().length())
    }
}
