//! Tubes that are pushed at one instant: sections become longer or shorter, and nothing else changes along them.
//!
//! Strains at the places of the unit intervals are kept, and so are the twists of tubes and of their transmissions. Where places
//! of tubes pass each other, sections that are next to nothing vanish and others begin; all the rest corresponds one to one.

use super::sums::turned;
use super::{Further, Tubes, is_held};
use crate::field::Sample;
use crate::inputs::Inputs;
use crate::rod::curve::values::spline_strain;
use crate::state::State;
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Strain, Twist};
use lissome_model::Sections;
use nalgebra::{Vector2, Vector3, Vector6};
use std::ops::Range;

/// Places nearer than this part of the length are about to pass each other.
const NEAR: f64 = 4e-6;
/// A place is an end of its section if it is nearer to it than this part of the section.
const END: f64 = 1e-6;

/// What an increment between control poses comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    /// That of another division, which has become longer by a factor.
    Kept { from: usize, growth: f64 },
    /// None: its section begins here. Beside it lies this arc length of the other division.
    Begins { beside: f64 },
}

/// How the control poses of one rod of tubes correspond to those of another division of it.
#[derive(Clone, Debug)]
pub(crate) struct Alignment {
    increments: Vec<Source>,
    /// Number of the control pose that each comes from.
    pub poses: Vec<usize>,
}

impl Alignment {
    fn of(increments: Vec<Source>) -> Self {
        let mut poses = vec![0];
        for source in &increments {
            let last = poses[poses.len() - 1];
            poses.push(match source {
                Source::Kept { from, .. } => from + 1,
                Source::Begins { .. } => last,
            });
        }
        // Where what is kept goes on behind what begins, it does so with the pose that it had there.
        for i in 1..increments.len() {
            if let (Source::Begins { .. }, Source::Kept { from, .. }) = (increments[i - 1], increments[i]) {
                poses[i] = from;
            }
        }
        Self { increments, poses }
    }

    /// Takes vectors at the increments; one that begins has that before it.
    pub fn carry(&self, from: &[Vector6<f64>], to: &mut [Vector6<f64>]) {
        let mut last = 0;
        for (to, source) in to.iter_mut().zip(&self.increments) {
            if let Source::Kept { from, .. } = source {
                last = *from;
            }
            *to = from[last];
        }
    }

    /// Where on the other division the sections lie that begin, one place for each increment of them.
    pub fn beside(&self) -> impl Iterator<Item = f64> + '_ {
        self.increments.iter().filter_map(|source| match source {
            Source::Begins { beside } => Some(*beside),
            Source::Kept { .. } => None,
        })
    }

    /// The increment that one comes from, if it is kept.
    pub fn kept(&self, increment: usize) -> Option<usize> {
        match self.increments[increment] {
            Source::Kept { from, .. } => Some(from),
            Source::Begins { .. } => None,
        }
    }
}

/// Groups of boundaries that are about to pass each other: the first and the last of each.
fn groups(sections: &Sections, near: f64) -> Vec<[usize; 2]> {
    let mut groups: Vec<[usize; 2]> = Vec::new();
    for (i, boundary) in sections.boundaries.iter().enumerate() {
        match groups.last_mut().filter(|group| boundary.s - sections.boundaries[group[1]].s <= near) {
            Some(group) => group[1] = i,
            None => groups.push([i, i]),
        }
    }
    groups
}

/// The control pose after one that has been pushed, with its velocity: from the first two of these, the increment between which
/// grows by a factor and its rate by another.
pub(crate) fn grow(from: (Pose, Twist), poses: &[Pose], velocity: &[Twist], factors: [f64; 2]) -> (Pose, Twist) {
    let relative = poses[0].inverse() * poses[1];
    let rate = velocity[1] - relative.inverse().adjoint_twist(&velocity[0]);
    let increment = relative.log() * factors[0];
    let carried = Pose::exp(&increment).inverse().adjoint_twist(&from.1);
    (from.0.boxplus(&increment), carried + rate * factors[1])
}

impl Tubes {
    /// Increments of each section.
    fn section_increments(&self) -> Vec<Range<usize>> {
        let mut ranges: Vec<Option<Range<usize>>> = vec![None; self.sections.boundaries.len() - 1];
        for span in self.curve().layout.spans.iter() {
            let own = &mut ranges[self.sections.of(self.curve().point_place(span.points.start))];
            let first = own.as_ref().map_or(span.first, |own| own.start);
            *own = Some(first..span.first + self.curve().degree());
        }
        ranges.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// How the control poses of these tubes correspond to those of the same tubes at insertions next to theirs, or further away
    /// where both have the same sections. Nothing if they do not correspond.
    pub(crate) fn alignment(&self, before: &Self) -> Option<Alignment> {
        let alike =
            self.sections.is_alike(&before.sections) && self.curve().increments() == before.curve().increments();
        if alike {
            let kept = |(from, growth)| Source::Kept { from, growth };
            return Some(Alignment::of(self.increment_growth(before).into_iter().enumerate().map(kept).collect()));
        }
        let near = NEAR * self.curve().length();
        let (own, other) = (groups(&self.sections, near), groups(&before.sections, near));
        if own.len() != other.len() {
            return None;
        }
        let (ranges, sources) = (self.section_increments(), before.section_increments());
        let place = |tubes: &Self, boundary: usize| tubes.sections.boundaries[boundary].s;
        let mut increments = vec![Source::Begins { beside: 0.0 }; self.curve().increments()];
        for (k, (group, old)) in own.iter().zip(&other).enumerate() {
            // Beyond the place, or before it if it is the last.
            let last = k + 1 == own.len();
            let beside = place(before, if last { old[0] } else { old[1] });
            let beside = if last { beside - 0.5 * near } else { beside + 0.5 * near };
            for range in &ranges[group[0]..group[1]] {
                increments[range.clone()].fill(Source::Begins { beside });
            }
            if last {
                break;
            }
            let (section, from) = (group[1], old[1]);
            let (range, source) = (ranges[section].clone(), sources[from].clone());
            if range.len() != source.len() {
                return None;
            }
            let length = |tubes: &Self, k: usize| place(tubes, k + 1) - place(tubes, k);
            let growth = length(self, section) / length(before, from);
            range.zip(source).for_each(|(i, from)| increments[i] = Source::Kept { from, growth });
        }
        Some(Alignment::of(increments))
    }

    /// Angles of tubes that have just been pushed: their twists are kept, and those of their transmissions. `beside` are samples
    /// at the places of [`Alignment::beside`].
    pub(crate) fn push_angles(
        &self,
        before: &Self,
        (alignment, beside): (&Alignment, &[Sample]),
        from: &State,
        inputs: &Inputs,
        to: &mut State,
    ) {
        // What a transmission keeps of its turn as it becomes shorter; nothing is known of one that was none.
        let part = |tube: usize| match is_held(&before.set.tubes[tube]) {
            true => 0.0,
            false => self.set.tubes[tube].transmission() / before.set.tubes[tube].transmission(),
        };
        let turn = |tube: usize| self.rotation(tube, inputs);
        let old_entry = before.entry_angle(from);
        let entry = turn(0) + (old_entry - turn(0)) * part(0);
        if !is_held(&self.set.tubes[0]) {
            to.joints[self.entry.0] = crate::joint::Subgroup::turn_about(0).at(&super::force::scalar(entry));
        }
        for (own, other) in self.further.iter().zip(&before.further) {
            let known = |i: usize| before.coefficient(other, i.min(other.coefficients.len() - 1), from);
            if own.axis > 0 {
                let tilts: Vec<f64> = (0..own.coefficients.len()).map(|i| known(alignment.poses[i])).collect();
                self.set_angles(own, &tilts, to);
                continue;
            }
            let wound = old_entry + known(0) - turn(own.number);
            let mut angles = vec![turn(own.number) - entry + wound * part(own.number)];
            let mut beside = beside.iter();
            for i in 1..own.coefficients.len() {
                let more = match alignment.increments[i - 1] {
                    Source::Kept { from, growth } => (known(from + 1) - known(from)) * growth,
                    Source::Begins { .. } => {
                        let sample = beside.next();
                        sample.map_or(0.0, |sample| before.slope_beside(other, from, sample)) * self.between(i - 1)
                    }
                };
                angles.push(angles[i - 1] + more);
            }
            self.set_angles(own, &angles, to);
        }
    }

    /// Slope of an angle next to where a section begins: the torque of the tube goes on, or is none.
    fn slope_beside(&self, tube: &Further, state: &State, sample: &Sample) -> f64 {
        let there = self.tubes_at(state, sample).into_iter().find(|there| there.tube == tube.number);
        there.map_or(0.0, |there| there.torque / tube.torsion) - sample.strain.curvature.x
    }

    /// Arc length that belongs to an increment, m.
    fn between(&self, increment: usize) -> f64 {
        let knots = self.curve().knot_vector();
        knots.greville(increment + 1) - knots.greville(increment)
    }

    /// Control poses from the same entry on, with the strains that they had, and their body velocities with the rates of the
    /// strains. Sections that begin go on with the moment of what lies beside them, as if they were rigid.
    pub(crate) fn push_poses(
        &self,
        before: &Self,
        (alignment, beside): (&Alignment, &[Sample]),
        (state, old, velocity): (&State, &[Pose], &[Twist]),
    ) -> Vec<(Pose, Twist)> {
        let mut beside = beside.iter();
        let mut pushed = vec![(old[0], velocity[0])];
        for (i, source) in alignment.increments.iter().enumerate() {
            let next = match *source {
                Source::Kept { from, growth } => {
                    grow(pushed[i], &old[from..], &velocity[from..], [growth, growth.min(1.0)])
                }
                Source::Begins { .. } => {
                    let sample = beside.next().expect("every increment that begins has a sample beside it");
                    let strain = self.strain_beside(before, state, sample, self.place_of(i));
                    let increment = Twist::new(strain.curvature, strain.stretch) * self.between(i);
                    let carried = Pose::exp(&increment).inverse().adjoint_twist(&pushed[i].1);
                    (pushed[i].0.boxplus(&increment), carried)
                }
            };
            pushed.push(next);
        }
        pushed
    }

    /// Arc length in the middle of the section that an increment belongs to, m.
    fn place_of(&self, increment: usize) -> f64 {
        let ranges = self.section_increments();
        let section = ranges.iter().position(|range| range.contains(&increment)).unwrap_or(0);
        0.5 * (self.sections.boundaries[section].s + self.sections.boundaries[section + 1].s)
    }

    /// Strain at arc length s of these tubes if they carry the moment of a sample of the old ones.
    fn strain_beside(&self, before: &Self, state: &State, sample: &Sample, s: f64) -> Strain {
        let angles = before.tubes_at(state, sample);
        let angle = |tube: usize| {
            angles.iter().find(|there| there.tube == tube).map_or_else(
                // A tube that ends here has the angle of its end.
                || match before.further.iter().find(|own| own.number == tube && own.axis == 0) {
                    Some(own) => before.coefficient(own, own.coefficients.len() - 1, state),
                    None => 0.0,
                },
                |there| there.angle,
            )
        };
        let (mut moment, mut stiffness) = (Vector2::new(sample.stress.moment.y, sample.stress.moment.z), 0.0);
        for (j, tube) in self.set.present(s) {
            moment += turned(&(tube.curvature_at(s) * tube.bending()), angle(j));
            stiffness += tube.bending();
        }
        let bend = moment / stiffness;
        Strain::new(Vector3::new(sample.strain.curvature.x, bend.x, bend.y), sample.strain.stretch)
    }

    /// Takes rates of the angles.
    pub(crate) fn carry_rates(
        &self,
        before: &Self,
        alignment: &Alignment,
        from: &[Vector6<f64>],
        to: &mut [Vector6<f64>],
    ) {
        to[self.entry.0.index()] = from[before.entry.0.index()];
        for (own, other) in self.further.iter().zip(&before.further) {
            let last = other.coefficients.len() - 1;
            for (coefficient, i) in own.coefficients.iter().zip(&alignment.poses).filter(|(own, _)| !own.fixed) {
                let source = other.coefficients[(*i).min(last)];
                if !source.fixed {
                    to[coefficient.joint.index()] = from[source.joint.index()];
                }
            }
        }
    }

    /// By what part each increment grows in a second while tubes are pushed at these rates, 1/s; and the second derivative of its
    /// length as a part of it, 1/s².
    pub(crate) fn increment_rates(&self, feeds: &[super::Feed]) -> Vec<[f64; 2]> {
        let mut rates = vec![[0.0; 2]; self.curve().increments()];
        for feed in feeds.iter().filter(|feed| feed.rod == self.rod.index()) {
            for (range, pair) in self.section_increments().into_iter().zip(self.sections.boundaries.windows(2)) {
                let stretch = self.sections.stretch(0.5 * (pair[0].s + pair[1].s), feed.tube);
                for rate in &mut rates[range] {
                    rate[0] += stretch * feed.rate;
                    rate[1] += stretch * feed.acceleration;
                }
            }
        }
        rates
    }

    /// How fast and with what acceleration the place at s moves away from the entry.
    pub(crate) fn place_rate(&self, s: f64, feeds: &[super::Feed]) -> [f64; 2] {
        let own = feeds.iter().filter(|feed| feed.rod == self.rod.index());
        own.fold([0.0; 2], |[rate, gain], feed| {
            let part = self.sections.rate(s, feed.tube);
            [rate + part * feed.rate, gain + part * feed.acceleration]
        })
    }

    /// How fast a control pose moves along the curve with its place, seen from the section `below` it or from that above; `psi`
    /// are the increments.
    pub(crate) fn along_curve(&self, pose: usize, below: bool, psi: &[DualVector], feeds: &[super::Feed]) -> Twist {
        let (curve, knots) = (self.curve(), self.curve().knot_vector());
        let s = knots.greville(pose);
        let section = self.sections.of(if below { s * (1.0 - 1e-12) } else { s * (1.0 + 1e-12) });
        let [from, to] = [section, section + 1].map(|k| self.sections.boundaries[k].s);
        let nudge = END * (to - from);
        let inside = s.clamp(from + nudge, to - nudge);
        let span = knots.find_span(inside);
        let basis = curve.basis_at(span, inside);
        let strain = spline_strain(&psi[span - curve.degree()..][..curve.degree()], &basis);
        strain.twist() * self.place_rate(inside, feeds)[0]
    }

    /// Mass per length of each tube that is there, with its number, kg/m.
    pub(crate) fn line_densities(&self, s: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.set.present(s).map(|(j, tube)| (j, tube.material.density.unwrap_or(0.0) * tube.shape().area()))
    }
}
