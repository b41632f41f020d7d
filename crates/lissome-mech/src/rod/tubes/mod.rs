//! Concentric tubes: the further tubes of a rod whose frame is that of the innermost one.
//!
//! A rod of tubes is a mixed spline rod with the torsion of tube 1 and the bending, stretch and mass of all tubes. Every
//! further tube j turns about the tangent by θ_j(s), a spline on the knots of the rod whose coefficients are the angles of
//! revolute joints on the control poses: so tubes move, have inertia and are judged as joints do. What is left of their
//! energy is a force between these joints and the curve,
//!
//! ```text
//! V = Σ_q w [ −Re(u* N) + ½ Σ_{j≥2} GJ_j (κ_x + θ_j′)² + ½ Σ EI_j |z_j|² ] + ½ Σ_j k_j (φ + θ_j(0) − α_j)²
//! ```
//!
//! since Σ ½EI_j |u − z_j e^{iθ_j}|² = ½EI |u|² − Re(u* N) + ½ Σ EI_j |z_j|², and the first term is the rod's own.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | u | curvature κ_y + iκ_z of the centreline, in the frame of tube 1 | | 1/m |
//! | z_j | natural curvature of tube j in its own frame | | 1/m |
//! | e_j, N | EI_j z_j e^{iθ_j}, and their sum with θ_1 = 0 | `moments`, turned by the angle | N·m |
//! | τ_j | torque GJ_j (κ_x + θ_j′) of tube j | [`TubeSample::torque`] | N·m |
//! | φ | angle of tube 1 at the entry | `entry` | rad |
//! | k_j | GJ_j over the length of the transmission: behind the entry the torque is constant | [`Tubes::spring`] | N·m/rad |
//! | α_j | turn of the base of tube j | `Inputs::tubes` | rad |
//!
//! A tube without transmission is held at the entry: tube 1 by a driven joint, a further one by θ_j(0) = α_j − φ, which then
//! is no unknown. Ends of tubes and starts of curvature are knots of full multiplicity, so that free ends and jumps of the
//! curvature are natural conditions.
//!
//! - `sums`: derivatives of V over one span, `tilt` the same for tubes that may tilt against each other.
//! - `force`: what is exerted, and the columns of the inputs.
//! - `feed`: tubes that are pushed at one instant of a motion.
//! - `insertion`: sections that lengthen, and the columns of insertions.
//! - `shape`: the start, samples, another division.

mod feed;
mod force;
mod insertion;
mod shape;
mod sums;
mod tilt;

pub(crate) use feed::grow;
pub use shape::TubeSample;

use super::Rod;
use super::curve::Curve;
use crate::attach::Attach;
use crate::index::{Block, JointIndex, Node, RodIndex, Slot};
use crate::inputs::Inputs;
use crate::joint::TubeAngle;
use crate::state::State;
use lissome_model::{Relative, Scene, Sections, Tube, TubeSet};
use nalgebra::Vector2;
use std::sync::Arc;

/// The tubes of one rod.
#[derive(Clone, Debug)]
pub struct Tubes {
    /// The rod.
    pub rod: RodIndex,
    compiled: Arc<Rod>,
    set: TubeSet,
    sections: Sections,
    first_pose: Slot,
    first_stress: Block,
    /// The joint of tube 1 at the entry and its node.
    entry: (JointIndex, Node),
    /// GJ and whole length of every tube.
    bases: Vec<Base>,
    /// EI_1 z_1 at each point.
    innermost: Vec<Vector2<f64>>,
    further: Vec<Further>,
    /// ½ Σ w EI_j |z_j|².
    unbent: f64,
}

/// What the spring of a base follows from.
#[derive(Clone, Copy, Debug)]
struct Base {
    torsion: f64,
    length: f64,
}

/// How fast a tube is pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feed {
    /// Index of the rod.
    pub rod: usize,
    /// Number of the tube.
    pub tube: usize,
    /// m/s.
    pub rate: f64,
    /// m/s².
    pub acceleration: f64,
}

/// An angle of a tube around the innermost one.
#[derive(Clone, Debug)]
struct Further {
    /// Its number in the set.
    number: usize,
    /// Axis that its angle turns about: the tangent, or that of a tilt. A tube that tilts has three of these in a row.
    axis: usize,
    /// GJ.
    torsion: f64,
    /// Number of spans that it reaches over.
    spans: usize,
    /// EI z in its own frame at each point of these spans.
    moments: Vec<Vector2<f64>>,
    /// The coefficients of its angle.
    coefficients: Vec<Coefficient>,
}

/// A coefficient of the angle of a further tube.
#[derive(Clone, Copy, Debug)]
struct Coefficient {
    joint: JointIndex,
    node: Node,
    /// True if the joint is the base itself, held at the entry: the angle is that of the base less φ.
    held: bool,
    /// True if there is no such angle: a tilt at the entry.
    fixed: bool,
}

impl Tubes {
    /// The tube sets of a scene.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s, Rod = Rod>) -> Vec<Self> {
        let scene = places.scene();
        let sets = scene.rods.iter().enumerate().filter(|(_, rod)| rod.tubes.is_some());
        sets.filter_map(|(rod, _)| Self::of(scene, rod, places)).collect()
    }

    fn of<'s>(scene: &Scene, rod: usize, places: &impl Attach<'s, Rod = Rod>) -> Option<Self> {
        let model = &scene.rods[rod];
        let set = model.tubes.as_ref()?;
        let tubes = &set.tubes;
        let compiled = places.rod(rod).clone();
        let curve = compiled.curve();
        let joint = |tube: usize, index: usize, axis: usize| {
            // A tilt at the entry is none: it stands for the entry and does nothing.
            let fixed = axis > 0 && index == 0;
            let meant = match fixed {
                true => TubeAngle { rod, tube: 0, index: 0, axis: 0 },
                false => TubeAngle { rod, tube, index, axis },
            };
            let own = places.joints().iter().find(|joint| joint.tube == Some(meant));
            own.map(|joint| Coefficient { joint: joint.index, node: joint.node, held: fixed || joint.driven, fixed })
        };
        let moment = |tube: &Tube, q: usize| tube.curvature_at(curve.point_place(q)) * tube.bending();
        let spans_of = |tube: &Tube| {
            let places = curve.layout.spans.iter().map(|span| curve.point_place(span.points.start));
            places.take_while(|s| *s < tube.insertion).count()
        };
        let angles = tubes.iter().enumerate().skip(1).flat_map(|own| (0..fields(set)).map(move |axis| (own, axis)));
        let further = angles.map(|((number, tube), axis)| {
            let spans = spans_of(tube);
            let points = curve.layout.spans[..spans].last().map_or(0, |span| span.points.end);
            let end = curve.layout.spans[..spans].last().map_or(0, |span| span.first + curve.degree());
            Further {
                number,
                axis,
                torsion: tube.torsion(),
                spans,
                moments: (0..points).map(|q| moment(tube, q)).collect(),
                coefficients: (0..=end).filter_map(|index| joint(number, index, axis)).collect(),
            }
        });
        let further: Vec<Further> = further.collect();
        let innermost: Vec<Vector2<f64>> = (0..curve.point_count()).map(|q| moment(&tubes[0], q)).collect();
        let bent =
            |q: usize, tube: &Tube| 0.5 * tube.bending() * tube.curvature_at(curve.point_place(q)).norm_squared();
        let unbent = (0..curve.point_count())
            .map(|q| curve.point_weight(q) * tubes.iter().map(|tube| bent(q, tube)).sum::<f64>())
            .sum();
        Some(Self {
            rod: RodIndex::new(rod),
            first_pose: places.rod_slot(rod, 0.0),
            first_stress: places.rod_stress(rod),
            entry: joint(0, 0, 0).map(|entry| (entry.joint, entry.node))?,
            bases: tubes.iter().map(|tube| Base { torsion: tube.torsion(), length: tube.length }).collect(),
            innermost,
            further,
            unbent,
            compiled,
            sections: scene.sections(rod)?,
            set: set.clone(),
        })
    }

    /// What the rod lies on.
    fn curve(&self) -> &Curve {
        self.compiled.curve()
    }

    /// Stiffness between the base of a tube and the entry, N·m/rad; infinite where the base is at the entry.
    pub fn spring(&self, tube: usize, inputs: &Inputs) -> f64 {
        let base = &self.bases[tube];
        let transmission = base.length - inputs.tubes[self.rod.index()][tube].insertion;
        if transmission > HELD * base.length { base.torsion / transmission } else { f64::INFINITY }
    }

    /// How far each tube reaches beyond the entry, m.
    pub fn ends(&self) -> Vec<f64> {
        self.set.tubes.iter().map(|tube| tube.insertion).collect()
    }

    /// Turn of the base of a tube, rad.
    fn rotation(&self, tube: usize, inputs: &Inputs) -> f64 {
        inputs.tubes[self.rod.index()][tube].rotation
    }

    /// φ, rad.
    fn entry_angle(&self, state: &State) -> f64 {
        state.joint(self.entry.0).value[0]
    }

    /// A coefficient of the angle of a further tube, rad.
    fn coefficient(&self, tube: &Further, index: usize, state: &State) -> f64 {
        let Coefficient { joint, held, fixed, .. } = tube.coefficients[index];
        if fixed {
            return 0.0;
        }
        let angle = state.joint(joint).value[0];
        if held { angle - self.entry_angle(state) } else { angle }
    }

    /// Node that a coefficient belongs to, and how it moves with it: a held base turns back as the entry turns.
    fn home(&self, tube: &Further, index: usize) -> (Node, f64) {
        let Coefficient { node, held, fixed, .. } = tube.coefficients[index];
        match (fixed, held) {
            (true, _) => (self.entry.1, 0.0),
            (false, true) => (self.entry.1, -1.0),
            (false, false) => (node, 1.0),
        }
    }
}

/// Angles of each further tube: one about the tangent, and two where it may tilt.
pub(crate) fn fields(set: &TubeSet) -> usize {
    match set.relative {
        Relative::Torsion => 1,
        Relative::General => tilt::FIELDS,
    }
}

/// Length of the rod that belongs to each coefficient of the angle of a tube, m: where its inertia is counted.
pub(crate) fn lumped_lengths(curve: &Curve, insertion: f64) -> Vec<f64> {
    let p = curve.degree();
    let mut lengths = Vec::new();
    for span in curve.layout.spans.iter().take_while(|span| curve.point_place(span.points.start) < insertion) {
        lengths.resize(span.first + p + 1, 0.0);
        for q in span.points.clone() {
            let basis = &curve.layout.points[q].basis;
            for (l, (value, _)) in sums::functions(p, basis)[..=p].iter().enumerate() {
                lengths[span.first + l] += basis.weight * value;
            }
        }
    }
    lengths
}

/// True if the transmission of a tube is too short to twist: its base holds it at the entry.
pub(crate) fn is_held(tube: &Tube) -> bool {
    tube.transmission() <= HELD * tube.length
}

/// A transmission shorter than this part of the tube holds it at the entry.
pub const HELD: f64 = 1e-9;
