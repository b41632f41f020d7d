//! Where tubes start, what they do at any arc length, and their angles on other knots.

use super::force::scalar;
use super::sums::{MOST_COEFFICIENTS, functions, turned};
use super::tilt::{FIELDS, Tilted};
use super::{Further, Tubes};
use crate::field::Sample;
use crate::inputs::Inputs;
use crate::joint::Subgroup;
use crate::rod::refinement;
use crate::state::State;
use lissome_lie::{KnotVector, Pose, Strain};
use lissome_model::Relative;
use nalgebra::{Vector2, Vector3};

/// One tube at one arc length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TubeSample {
    /// Number of the tube in its set, from the innermost outward.
    pub tube: usize,
    /// Turn about the tangent from the innermost tube, rad.
    pub angle: f64,
    /// Torque that it carries, N·m.
    pub torque: f64,
}

impl Tubes {
    /// Control poses of tubes that do not twist and carry no load, from the entry on.
    pub(crate) fn start_poses(&self, inputs: &Inputs) -> Vec<Pose> {
        let strain = |s: f64| {
            let (mut moment, mut stiffness) = (Vector2::zeros(), 0.0);
            for (j, tube) in self.set.present(s.min(self.curve().length() * (1.0 - 1e-12))) {
                let angle = self.rotation(j, inputs) - self.rotation(0, inputs);
                moment += turned(&(tube.curvature_at(s) * tube.bending()), angle);
                stiffness += tube.bending();
            }
            let bend = moment / stiffness;
            Strain::new(Vector3::new(0.0, bend.x, bend.y), Vector3::x())
        };
        self.curve().poses_of_strain(strain, &[])
    }

    /// The tubes at a sample of their rod.
    pub(crate) fn tubes_at(&self, state: &State, sample: &Sample) -> Vec<TubeSample> {
        let knots = self.curve().knot_vector();
        let span = knots.find_span(sample.s);
        let number = knots.spans().position(|other| other.index == span).unwrap_or(0);
        let functions = functions(self.curve().degree(), &self.curve().basis_at(span, sample.s));
        let twist = sample.strain.curvature.x;
        let first = TubeSample { tube: 0, angle: 0.0, torque: self.bases[0].torsion * twist };
        let present = self.further.iter().enumerate().filter(|(_, tube)| tube.axis == 0 && number < tube.spans);
        let further = present.map(|(r, tube)| {
            let first = span - self.curve().degree();
            let (angle, slope) = self.angle(r, first, &functions, state);
            let torque = match self.set.relative {
                Relative::Torsion => tube.torsion * (twist + slope),
                Relative::General => self.tilted_at(r / FIELDS, first, &functions, state, sample).torque,
            };
            TubeSample { tube: tube.number, angle, torque }
        });
        std::iter::once(first).chain(further).collect()
    }

    /// A tube that may tilt, at a sample of its rod.
    fn tilted_at(
        &self,
        tube: usize,
        first: usize,
        functions: &[(f64, f64); MOST_COEFFICIENTS],
        state: &State,
        sample: &Sample,
    ) -> Tilted {
        let number = self.further[tube * FIELDS].number;
        let own = &self.set.tubes[number];
        let moment = own.curvature_at(self.curve().inside_of(sample.s)) * own.bending();
        let fields = self.tilt(tube, first, functions, state);
        Tilted::at(&self.stiffness(number), &moment, &sample.strain.curvature, fields)
    }

    /// Turns the stress of the rod alone into what all its tubes carry together.
    pub(crate) fn complete_stress(&self, state: &State, sample: &mut Sample) {
        let inside = self.curve().inside_of(sample.s);
        if self.set.relative == Relative::General {
            let innermost = &self.set.tubes[0];
            let moment = innermost.curvature_at(inside) * innermost.bending();
            let mut all = Vector3::new(0.0, -moment.x, -moment.y);
            let knots = self.curve().knot_vector();
            let span = knots.find_span(sample.s);
            let number = knots.spans().position(|other| other.index == span).unwrap_or(0);
            let functions = functions(self.curve().degree(), &self.curve().basis_at(span, sample.s));
            let first = span - self.curve().degree();
            for tube in (0..self.further.len() / FIELDS).filter(|tube| number < self.further[tube * FIELDS].spans) {
                all += self.tilted_at(tube, first, &functions, state, sample).by_kappa;
            }
            sample.stress.moment += all;
            return;
        }
        for own in self.tubes_at(state, sample) {
            let tube = &self.set.tubes[own.tube];
            let moment = turned(&(tube.curvature_at(inside) * tube.bending()), own.angle);
            sample.stress.moment.y -= moment.x;
            sample.stress.moment.z -= moment.y;
            if own.tube > 0 {
                sample.stress.moment.x += own.torque;
            }
        }
    }

    /// Takes the angles of the same tubes on other knots.
    pub(crate) fn resample(&self, coarse: &Self, from: &State, to: &mut State) {
        to.joints[self.entry.0] = from.joints[coarse.entry.0];
        let p = self.curve().degree();
        let knots = |set: &Self, coefficients: usize| {
            let mut knots = set.curve().layout.knots[..coefficients + p].to_vec();
            knots.extend(knots.last().copied());
            knots
        };
        for (tube, other) in self.further.iter().zip(&coarse.further) {
            let values: Vec<f64> = (0..other.coefficients.len()).map(|i| coarse.coefficient(other, i, from)).collect();
            let (old, new) = (knots(coarse, values.len()), knots(self, tube.coefficients.len()));
            let mut refined = vec![0.0; tube.coefficients.len()];
            if coarse.curve().degree() == p && refinement::is_refined(&old, &new) {
                refinement::refine(p, &old, &new, &values, |a, b, part| a + (b - a) * part, &mut refined);
            } else {
                let own = KnotVector::accepted(p, &new);
                let other = KnotVector::accepted(coarse.curve().degree(), &old);
                for (i, value) in refined.iter_mut().enumerate() {
                    let s = own.greville(i);
                    let span = other.find_span(s);
                    let basis = other.basis(span, s);
                    let first = span - coarse.curve().degree();
                    *value = (0..=coarse.curve().degree()).map(|k| basis[k] * values[first + k]).sum();
                }
            }
            self.set_angles(tube, &refined, to);
        }
    }

    /// Sets the angles of a tube; a base that is held stays where it is.
    pub(super) fn set_angles(&self, tube: &Further, angles: &[f64], to: &mut State) {
        for (coefficient, angle) in tube.coefficients.iter().zip(angles).filter(|(own, _)| !own.held) {
            to.joints[coefficient.joint] = Subgroup::turn_about(tube.axis).at(&scalar(*angle));
        }
    }

    /// A start near an equilibrium of the same tubes at other insertions: strains and angles at the places that the same
    /// pieces of tubes had, piece by piece where they follow each other in the same order. Control poses come from the entry
    /// on. `strains` are those of the old rod at increasing arc lengths.
    pub(crate) fn carry_over(
        &self,
        before: &Self,
        from: &State,
        strains: &[(f64, Strain)],
        to: &mut State,
    ) -> Vec<Pose> {
        let ends = |tubes: &Self| {
            let mut ends = vec![0.0];
            ends.extend(tubes.set.breaks());
            ends.push(tubes.curve().length());
            ends
        };
        let (old, new) = (ends(before), ends(self));
        let place = |s: f64| {
            if old.len() != new.len() {
                return s / self.curve().length() * before.curve().length();
            }
            let piece = new.partition_point(|end| *end <= s).clamp(1, new.len() - 1);
            let part = (s - new[piece - 1]) / (new[piece] - new[piece - 1]);
            old[piece - 1] + part.clamp(0.0, 1.0) * (old[piece] - old[piece - 1])
        };
        to.joints[self.entry.0] = from.joints[before.entry.0];
        let (own, other) = (self.curve().knot_vector(), before.curve().knot_vector());
        for (tube, earlier) in self.further.iter().zip(&before.further) {
            let last = earlier.coefficients.len() - 1;
            let angle = |i: usize| {
                let s = place(own.greville(i));
                let span = other.find_span(s);
                let functions = functions(before.curve().degree(), &before.curve().basis_at(span, s));
                let first = span - before.curve().degree();
                let coefficients =
                    (0..=before.curve().degree()).map(|l| before.coefficient(earlier, (first + l).min(last), from));
                coefficients.zip(functions).map(|(t, (b, _))| t * b).sum()
            };
            let angles: Vec<f64> = (0..tube.coefficients.len()).map(angle).collect();
            self.set_angles(tube, &angles, to);
        }
        let strain = |s: f64| {
            let at = place(s);
            let after = strains.partition_point(|(known, _)| *known <= at).min(strains.len() - 1);
            strains[after.saturating_sub(1)].1
        };
        self.curve().poses_of_strain(strain, &[])
    }
}
