//! What constraints add to the equations, written once for all kinds: forces of the multipliers, their rows and tangent.

use crate::contribution::{At, Condition, Constraint, Scales, push};
use crate::index::Node;
use crate::kind::each_constraint;
use crate::node::Role;
use crate::sink::BlockSink;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

/// A constraint at a state: its multiplier, its value, and the force that acts.
pub(crate) struct Acting {
    pub multiplier: Vector6<f64>,
    pub condition: Condition,
    /// What acts along the rows: multipliers of rows that act, and the penalty on their gap.
    pub force: Vector6<f64>,
}

impl Acting {
    pub(crate) fn of(constraint: &impl Constraint, at: &At<'_>) -> Self {
        let multiplier = *at.state.block(constraint.multiplier().block);
        let condition = constraint.evaluate(at, &multiplier);
        let mut force = condition.acting(&multiplier);
        if let Some(penalty) = constraint.penalty() {
            force += condition.acting(&condition.open.component_mul(&penalty));
        }
        Self { multiplier, condition, force }
    }
}

/// Part of 1/firmness by which a one-sided row gives way to the change of its multiplier in one step: nothing at a
/// solution. It shares a force between rows that hold the same thing, as three parallel lines do, each taking as little as
/// it can; what it costs is a rate of convergence as small as itself over the robot's own flexibility.
const SHARING: f64 = 1e-11;

/// Whether one-sided rows share a force that one of them could carry alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// At rest, where a robot's own flexibility is what the sharing is small beside.
    On,
    /// Over a time step, which may be so short that nothing is.
    Off,
}

/// How far the rows of a constraint give way to a change of their multipliers within a step.
pub(crate) fn give_of(
    constraint: &impl Constraint,
    scales: &Scales,
    condition: &Condition,
    sharing: Sharing,
) -> Vector6<f64> {
    let mut give = Vector6::repeat(condition.compliance);
    if sharing == Sharing::On && constraint.is_one_sided() && condition.compliance == 0.0 {
        let firmness = constraint.firmness(scales, &Vector6::zeros());
        for i in (0..constraint.size()).filter(|i| condition.sides[*i].is_some()) {
            give[i] = SHARING / firmness[i];
        }
    }
    for i in 0..constraint.size() {
        give[i] = give[i].max(condition.sharing);
    }
    give
}

impl System {
    /// Forces of the multipliers on the nodes, their tangent, and the rows of the conditions.
    pub(crate) fn add_constraints(
        &self,
        at: &At<'_>,
        sharing: Sharing,
        forces: &mut [DualVector],
        sink: &mut impl BlockSink,
    ) {
        let idle = self.slack_tendons(at);
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { condition, force, .. } = Acting::of(constraint, at);
            let give = give_of(constraint, at.scales, &condition, sharing);
            let own = constraint.multiplier().node;
            // What neither holds nor pushes couples nothing: most points of a rod are far from what they may touch.
            let idle_rows = constraint.is_one_sided() && constraint.exerts() && !condition.acts();
            let mut add = |node: Node, jacobian: &Matrix6<f64>| {
                if constraint.exerts() {
                    push(forces, node, &-jacobian.tr_mul(&force));
                }
                // Of two conditions that depend on each other's multiplier the later one writes for both.
                let said = |own: &Node| self.layout.roles[node] == Role::Multiplier && node > *own;
                if let Some(own) = own.filter(|own| sink.is_wanted() && !said(own) && !idle.contains(&node)) {
                    match condition.slide {
                        None => sink.add_symmetric(own, node, &condition.acting_rows(jacobian)),
                        Some(_) => {
                            let (rows, forces) = (condition.condition_rows(jacobian), condition.force_rows(jacobian));
                            sink.add_condition(own, node, &rows, &forces);
                        }
                    }
                }
            };
            if !idle_rows {
                constraint.jacobian(at, &mut add);
                if sink.is_wanted() {
                    constraint.curvature(at, &force, sink);
                }
            }
            if let Some(own) = own {
                sink.add_own(own, &condition.own_block(constraint.size(), &give));
            }
        });
    }

    /// Rows of the conditions; returns the largest that is left open, in the units of a scaled step.
    pub(crate) fn fill_constraint_rows(&self, at: &At<'_>, rows: &mut [Vector6<f64>]) -> f64 {
        let mut largest: f64 = 0.0;
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { multiplier, condition, .. } = Acting::of(constraint, at);
            let unit = constraint.unit(at.scales);
            for i in (0..constraint.size()).filter(|i| condition.active[*i]) {
                largest = largest.max(condition.open[i].abs() / unit[i]);
            }
            if let Some(own) = constraint.multiplier().node {
                rows[own] = condition.own_row(&multiplier, constraint.size());
            }
        });
        largest
    }

    /// Steps of the gaps of embedded closures: they close.
    pub(crate) fn fill_gap_steps(&self, at: &At<'_>, steps: &mut [f64]) {
        for closure in &self.values.kinds.closures {
            if let Some(gap) = closure.gap.and_then(|gap| self.held_group(gap)) {
                let open = closure.relative(at).value();
                self.layout.homes.write(gap, &-open, steps);
            }
        }
    }

    /// The prescribed group of a node.
    pub(crate) fn held_group(&self, node: Node) -> Option<crate::index::Group> {
        match self.layout.homes.of(node) {
            crate::node::Home::Own(group) if !self.layout.homes.is_free(group) => Some(group),
            _ => None,
        }
    }

    /// Aims every tied pose at a fraction of the way from where it is on its frame in `start` to the frame itself.
    pub fn aim_closures(&self, start: &State, fraction: f64, inputs: &mut crate::Inputs) {
        for closure in &self.values.kinds.closures {
            let open = start.poses[closure.tied].boxminus(&start.poses[closure.frame]);
            inputs.closures[closure.index] = match fraction >= 1.0 {
                true => lissome_lie::Pose::identity(),
                false => lissome_lie::Pose::exp(&(open * (1.0 - fraction))),
            };
        }
    }
}
