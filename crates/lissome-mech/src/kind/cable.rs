//! Cables that run freely through points: a tension along a path of straight legs, with the length ℓ of the whole.
//!
//! A cable driven by its tension T pulls every point toward its neighbours, with the potential T ℓ. A cable driven by its
//! length is a condition on ℓ whose multiplier is the tension. Both pull along the same path by the same law.

use crate::attach::Attach;
use crate::between::{Leg, LegAt};
use crate::contribution::{Account, At, Condition, Constraint, Force, Multiplier, Part, Scales};
use crate::index::{Node, Slot};
use crate::inputs::Input;
use crate::sink::BlockSink;
use crate::state::State;
use crate::tension::{DrivenBy, TensionLaw};
use lissome_lie::Pose;
use lissome_lie::dual::DualVector;
use lissome_model::{Cable, CableDrive, Frame, FrameLoadKind};
use nalgebra::{Matrix6, Vector6};

/// Below this distance, in lengths of the whole cable, two points count as one: no direction.
const COINCIDENT: f64 = 1e-9;

/// A path of straight legs.
#[derive(Clone, Debug)]
pub struct CablePath {
    /// Slots of its points, in order.
    pub points: Vec<Slot>,
    /// Length below which a leg has no direction, m.
    smallest: f64,
}

impl CablePath {
    /// Through these points.
    pub fn new(points: Vec<Slot>) -> Self {
        Self { points, smallest: 0.0 }
    }

    /// Takes the length in the natural state as what distances are compared with.
    pub fn set_natural_length(&mut self, length: f64) {
        self.smallest = COINCIDENT * length;
    }

    fn legs<'a>(&'a self, state: &'a State) -> impl Iterator<Item = LegAt<'a>> + 'a {
        self.points.windows(2).map(move |w| Leg { from: w[0], to: w[1] }.at(state, self.smallest))
    }

    /// Length of the path.
    pub fn length(&self, state: &State) -> f64 {
        self.legs(state).map(|leg| leg.length).sum()
    }

    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        for (i, point) in self.points.iter().enumerate() {
            visit(point.node(), point.node());
            if i > 0 {
                visit(point.node(), self.points[i - 1].node());
            }
        }
    }
}

/// A cable under a given tension, or a force of given size toward a point.
#[derive(Clone, Debug)]
pub struct TensionCable {
    /// Number of the scene's cable; `None` for a force toward a point.
    pub cable: Option<usize>,
    /// Where it runs.
    pub path: CablePath,
    /// Its tension.
    pub law: TensionLaw,
}

impl Force for TensionCable {
    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        self.path.couple(visit);
    }

    fn exert(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink) {
        let tension = self.law.given_tension(at.inputs);
        for leg in self.path.legs(at.state) {
            leg.pull(tension, forces);
            leg.add_curvature(tension, 0.0, leg.sideways(tension), sink);
        }
    }

    fn potential(&self, at: &At<'_>) -> f64 {
        self.law.given_tension(at.inputs) * self.path.length(at.state)
    }

    fn account(&self) -> Account {
        Account::Applied
    }

    fn input_rate(&self, at: &At<'_>, input: Input, forces: &mut [DualVector]) {
        let rate = self.law.tension_rate(at.inputs, input);
        if rate != 0.0 {
            self.path.legs(at.state).for_each(|leg| leg.pull(rate, forces));
        }
    }
}

/// A cable of given length; its multiplier is its tension.
#[derive(Clone, Debug)]
pub struct LengthCable {
    /// Number of the scene's cable.
    pub cable: usize,
    /// Where it runs.
    pub path: CablePath,
    /// Its length and stretch.
    pub law: TensionLaw,
    /// Where the tension is.
    pub multiplier: Multiplier,
}

impl LengthCable {
    /// Its tension: none while it is slack.
    pub fn tension(&self, at: &At<'_>) -> f64 {
        let multiplier = at.state.block(self.multiplier.block);
        if self.evaluate(at, multiplier).active[0] { multiplier[0] } else { 0.0 }
    }
}

impl Constraint for LengthCable {
    fn part(&self) -> Part {
        Part::new("cable", self.cable)
    }

    fn multiplier(&self) -> Multiplier {
        self.multiplier
    }

    fn size(&self) -> usize {
        1
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        self.path.points.iter().for_each(|point| visit(point.node()));
    }

    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        self.path.couple(visit);
    }

    fn is_one_sided(&self) -> bool {
        true
    }

    fn evaluate(&self, at: &At<'_>, multiplier: &Vector6<f64>) -> Condition {
        self.law.condition(self.path.length(at.state), multiplier[0], at.inputs, at.scales)
    }

    fn jacobian(&self, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        self.path.legs(at.state).for_each(|leg| leg.jacobian(visit));
    }

    fn curvature(&self, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink) {
        let tension = multiplier[0];
        self.path.legs(at.state).for_each(|leg| leg.add_curvature(tension, 0.0, leg.sideways(tension), sink));
    }

    fn input_rate(&self, at: &At<'_>, input: Input) -> Vector6<f64> {
        let tension = at.state.block(self.multiplier.block)[0];
        let mut rate = Vector6::zeros();
        rate[0] = self.law.condition_rate(at.inputs, input, tension);
        rate
    }

    fn unit(&self, _: &Scales) -> Vector6<f64> {
        Vector6::repeat(self.law.natural_length)
    }

    fn firmness(&self, scales: &Scales, expected: &Vector6<f64>) -> Vector6<f64> {
        Vector6::repeat(self.law.firmness(scales, expected[0]))
    }

    fn does_work(&self) -> bool {
        true
    }
}

impl TensionCable {
    /// Cables driven by their tension, and forces of constant size toward a point.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let mut cables = Vec::new();
        for (index, cable) in scene.cables.iter().enumerate() {
            if matches!(cable.drive, CableDrive::Tension(_)) {
                let law = law_of(cable, index);
                cables.push(Self { cable: Some(index), path: path_of(cable, places), law });
            }
        }
        for (index, load) in scene.frame_loads.iter().enumerate() {
            let FrameLoadKind::Toward { point, size } = load.kind else { continue };
            let points = vec![places.slot(&load.on), places.slot(&Frame::world(Pose::at(point)))];
            let law = TensionLaw {
                driven_by: DrivenBy::Tension,
                input: Input::FrameLoad(index),
                size,
                compliance: 0.0,
                natural_length: 0.0,
            };
            cables.push(Self { cable: None, path: CablePath::new(points), law });
        }
        cables
    }

    /// Takes the length in the natural state.
    pub(crate) fn set_at_rest(&mut self, natural: &State) {
        self.set_natural_length(self.path.length(natural));
    }

    /// Takes it where it is known.
    pub(crate) fn set_natural_length(&mut self, length: f64) {
        self.law.natural_length = length;
        self.path.set_natural_length(length);
    }
}

impl LengthCable {
    /// Cables driven by their length or by how much is pulled in.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let mut cables = Vec::new();
        for (index, cable) in scene.cables.iter().enumerate() {
            if !matches!(cable.drive, CableDrive::Tension(_)) {
                let path = path_of(cable, places);
                let multiplier = places.multiplier(1);
                cables.push(Self { cable: index, path, law: law_of(cable, index), multiplier });
            }
        }
        cables
    }

    /// Takes the length in the natural state.
    pub(crate) fn set_at_rest(&mut self, natural: &State) {
        self.law.natural_length = self.path.length(natural);
        self.path.set_natural_length(self.law.natural_length);
    }
}

fn path_of<'s>(cable: &Cable, places: &mut impl Attach<'s>) -> CablePath {
    CablePath::new(cable.points.iter().map(|point| places.slot(point)).collect())
}

fn law_of(cable: &Cable, index: usize) -> TensionLaw {
    TensionLaw {
        driven_by: match cable.drive {
            CableDrive::Tension(_) => DrivenBy::Tension,
            CableDrive::Length(_) => DrivenBy::Length,
            CableDrive::Pull(_) => DrivenBy::Pull,
        },
        input: Input::Cable(index),
        size: 1.0,
        compliance: cable.stiffness.map_or(0.0, |stiffness| 1.0 / stiffness),
        natural_length: 0.0,
    }
}
