//! Where tubes start, what they do at any arc length, and their angles on other knots.

use super::Tubes;
use super::sums::{functions, turned};
use crate::contribution::{At, Scales};
use crate::field::Sample;
use crate::inputs::Inputs;
use crate::joint::Subgroup;
use crate::rod::refinement;
use crate::state::State;
use lissome_lie::{KnotVector, Pose, Strain};
use nalgebra::{Vector2, Vector3, Vector6};

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
            for (j, tube) in self.set.present(s.min(self.curve.length() * (1.0 - 1e-12))) {
                let angle = self.rotation(j, inputs) - self.rotation(0, inputs);
                moment += turned(&(tube.curvature_at(s) * tube.bending()), angle);
                stiffness += tube.bending();
            }
            let bend = moment / stiffness;
            Strain::new(Vector3::new(0.0, bend.x, bend.y), Vector3::x())
        };
        self.curve.poses_of_strain(strain)
    }

    /// The tubes at a sample of their rod.
    pub(crate) fn tubes_at(&self, state: &State, inputs: &Inputs, sample: &Sample) -> Vec<TubeSample> {
        let knots = self.curve.knot_vector();
        let span = knots.find_span(sample.s);
        let number = knots.spans().position(|other| other.index == span).unwrap_or(0);
        let functions = functions(self.curve.degree(), &self.curve.basis_at(span, sample.s));
        let at = At { state, inputs, scales: &UNSCALED };
        let twist = sample.strain.curvature.x;
        let first = TubeSample { tube: 0, angle: 0.0, torque: self.bases[0].torsion * twist };
        let present = self.further.iter().enumerate().filter(|(_, tube)| number < tube.spans);
        let further = present.map(|(r, tube)| {
            let (angle, slope) = self.angle(r, span - self.curve.degree(), &functions, &at);
            TubeSample { tube: tube.number, angle, torque: tube.torsion * (twist + slope) }
        });
        std::iter::once(first).chain(further).collect()
    }

    /// Turns the stress of the rod alone into what all its tubes carry together.
    pub(crate) fn complete_stress(&self, state: &State, inputs: &Inputs, sample: &mut Sample) {
        let inside = self.curve.inside_of(sample.s);
        for own in self.tubes_at(state, inputs, sample) {
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
    pub(crate) fn resample(&self, coarse: &Self, from: &State, inputs: &Inputs, to: &mut State) {
        to.joints[self.entry.0] = from.joints[coarse.entry.0];
        let p = self.curve.degree();
        let knots = |set: &Self, coefficients: usize| {
            let mut knots = set.curve.layout.knots[..coefficients + p].to_vec();
            knots.extend(knots.last().copied());
            knots
        };
        for (tube, other) in self.further.iter().zip(&coarse.further) {
            let values: Vec<f64> =
                (0..other.coefficients.len()).map(|i| coarse.coefficient(other, i, from, inputs)).collect();
            let (old, new) = (knots(coarse, values.len()), knots(self, tube.coefficients.len()));
            let mut refined = vec![0.0; tube.coefficients.len()];
            if coarse.curve.degree() == p && refinement::is_refined(&old, &new) {
                refinement::refine(p, &old, &new, &values, |a, b, part| a + (b - a) * part, &mut refined);
            } else {
                let own = KnotVector::accepted(p, &new);
                let other = KnotVector::accepted(coarse.curve.degree(), &old);
                for (i, value) in refined.iter_mut().enumerate() {
                    let s = own.greville(i);
                    let span = other.find_span(s);
                    let basis = other.basis(span, s);
                    let first = span - coarse.curve.degree();
                    *value = (0..=coarse.curve.degree()).map(|k| basis[k] * values[first + k]).sum();
                }
            }
            for (coefficient, value) in tube.coefficients.iter().zip(refined) {
                if let Some((joint, _)) = coefficient {
                    to.joints[*joint] = Subgroup::twist().at(&Vector6::new(value, 0.0, 0.0, 0.0, 0.0, 0.0));
                }
            }
        }
    }
}

/// Sizes that nothing here compares with.
const UNSCALED: Scales = Scales { force: 1.0, length: 1.0 };
