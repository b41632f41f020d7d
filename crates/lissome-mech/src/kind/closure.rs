//! Closures: two frames that are one, which makes a tree of rods and bodies a mechanism with loops.
//!
//! A chain stays open in its coordinates, and its far end is tied by c = log((g_F g_t)⁻¹ g) = 0 with a multiplier ρ,
//! the wrench that the frame F takes; g_t is the identity but for load steps. Two ways to solve for it:
//!
//! - *constraint*: ρ is an unknown of its own, six more rows.
//! - *embedding*: δc = −c is solved for the tied pose, δ = Ad_{g⁻¹g_F} δ_F − c, which then has no unknowns of its own
//!   but a gap whose step is prescribed, and ρ drops out of the equations; its step follows from the row of the gap.
//!
//! Both take the same steps. An articulated closure ties to the frame after a joint.

use crate::attach::Attach;
use crate::between::RelativePose;
use crate::contribution::{At, Condition, Constraint, Multiplier, Part, Scales};
use crate::index::{Node, RodIndex, Slot};
use crate::sink::BlockSink;
use lissome_lie::Wrench;
use lissome_model::{LoopMethod, Scene};
use nalgebra::{Matrix6, Vector6};

/// The stiffness that weighs a gap when a step is judged, over that of what is closed: a third of it takes half as many
/// iterations more on random end poses, three times as much changes little.
const FIRMNESS: f64 = 3.0;

/// Two frames that are one.
#[derive(Clone, Debug)]
pub struct Closure {
    /// Its number among the closures of the system.
    pub index: usize,
    /// The rod whose far end it ties, if it is one.
    pub rod: Option<RodIndex>,
    /// Slot that is tied.
    pub tied: Slot,
    /// Slot it is tied to.
    pub frame: Slot,
    /// Where the multiplier is; without a node if the tied pose is embedded.
    pub multiplier: Multiplier,
    /// Node of the gap of an embedded closure, whose step is prescribed: it closes.
    pub gap: Option<Node>,
    /// Length that distances are compared with, m.
    pub length: f64,
    /// Stiffness that opposes the gap beside the multiplier (moment per rad, force per m), where no elastic rod gives the
    /// tied parts one: ½ cᵀ W c, nothing at the solution.
    pub penalty: Option<(f64, f64)>,
}

impl Closure {
    /// What is left to close, and how it changes.
    pub fn relative(&self, at: &At<'_>) -> RelativePose {
        RelativePose::at(at.state, self.frame, &at.inputs.closures[self.index], self.tied)
    }
}

fn turn_and_shift(turn: f64, shift: f64) -> Vector6<f64> {
    Vector6::new(turn, turn, turn, shift, shift, shift)
}

impl Constraint for Closure {
    fn part(&self) -> Part {
        Part::new("closure", self.index)
    }

    fn multiplier(&self) -> Multiplier {
        self.multiplier
    }

    fn size(&self) -> usize {
        6
    }

    fn nodes(&self, visit: &mut dyn FnMut(Node)) {
        visit(self.tied.node());
        visit(self.frame.node());
    }

    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        visit(self.tied.node(), self.tied.node());
        visit(self.tied.node(), self.frame.node());
        visit(self.frame.node(), self.frame.node());
    }

    fn evaluate(&self, at: &At<'_>, _: &Vector6<f64>) -> Condition {
        let gap = at.state.pose(self.tied).boxminus(&(*at.state.pose(self.frame) * at.inputs.closures[self.index]));
        Condition::equality(gap.to_vector(), 6)
    }

    fn jacobian(&self, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        self.relative(at).jacobian(visit);
    }

    fn curvature(&self, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink) {
        let relative = self.relative(at);
        relative.add_curvature(multiplier, sink);
        if let Some((turn, shift)) = self.penalty {
            relative.add_stiffness(&Matrix6::from_diagonal(&turn_and_shift(turn, shift)), sink);
        }
    }

    fn unit(&self, _: &Scales) -> Vector6<f64> {
        turn_and_shift(1.0, self.length)
    }

    fn firmness(&self, scales: &Scales, expected: &Vector6<f64>) -> Vector6<f64> {
        let Wrench { moment, force } = Wrench::from_vector(expected);
        let turn = FIRMNESS * (scales.force * self.length + moment.norm() + force.norm() * self.length);
        turn_and_shift(turn, turn / (self.length * self.length))
    }

    fn penalty(&self) -> Option<Vector6<f64>> {
        self.penalty.map(|(turn, shift)| turn_and_shift(turn, shift))
    }

    fn set_penalty(&mut self, scales: &Scales) {
        self.penalty = Some((scales.force * scales.length, scales.force / scales.length));
    }

    fn orders_itself(&self) -> bool {
        true
    }
}

impl Closure {
    /// Rods held at both ends, and what the scene calls closures.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let scene = places.scene();
        let mut closures: Vec<Self> = Vec::new();
        for (rod, model) in scene.rods.iter().enumerate() {
            let (Some(_), Some(tip)) = (model.base, model.tip) else { continue };
            let (index, rod) = (closures.len(), RodIndex::new(rod));
            let (frame, tied) = (places.slot(&tip), places.far_end(rod));
            let embeds = scene.loops != LoopMethod::Constraints;
            let gap = if embeds { places.embed(tied, frame) } else { None };
            let multiplier = match gap {
                Some(_) => Multiplier { block: places.reaction(), node: None },
                None => places.multiplier(6),
            };
            closures.push(Self {
                index,
                rod: Some(rod),
                tied,
                frame,
                multiplier,
                gap,
                length: model.length,
                penalty: None,
            });
        }
        let length = places.length_scale();
        for closure in &scene.closures {
            let index = closures.len();
            let (frame, tied) = (places.slot(&closure.a), places.slot(&closure.b));
            let multiplier = places.multiplier(6);
            closures.push(Self { index, rod: None, tied, frame, multiplier, gap: None, length, penalty: None });
        }
        closures
    }

    /// Dotted paths of a scene's closures in the same order.
    pub(crate) fn paths(scene: &Scene) -> Vec<String> {
        let held = scene.rods.iter().filter(|rod| rod.base.is_some() && rod.tip.is_some());
        let rods = held.map(|rod| format!("{}.tip", rod.path()));
        rods.chain(scene.closures.iter().map(|closure| format!("closure.{}", closure.name))).collect()
    }
}
