//! What constraints add to the equations, written once for all kinds: forces of the multipliers, their rows and tangent.

use crate::contribution::{At, Condition, Constraint, Scales, push};
use crate::index::Node;
use crate::kind::cable::LengthCable;
use crate::kind::closure::Closure;
use crate::kind::contact::{Contact, Meeting, Touch};
use crate::kind::each_constraint;
use crate::kind::joint_limit::JointLimit;
use crate::node::Role;
use crate::rod::tendons::length::LengthTendon;
use crate::sink::BlockSink;
use crate::{State, System};
use lissome_lie::dual::DualVector;
use nalgebra::{Matrix6, Vector6};

/// A constraint at a state: its multiplier, its value, and the force that acts.
#[derive(Clone, Copy, Debug)]
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

/// What is kept of a constraint.
#[derive(Clone, Debug)]
struct Kept {
    acting: Acting,
    /// ∂c/∂z by node, and whether that is known.
    rows: Vec<(Node, Matrix6<f64>)>,
    known: bool,
    /// True if it may act or soon will.
    near: bool,
    met: Met,
}

/// How a contact that is kept meets what it may touch.
#[derive(Clone, Copy, Debug)]
enum Met {
    Nobody,
    Far(f64),
    /// The number of its touch.
    Near(usize),
}

impl Kept {
    /// How much of every row moves with a shift of a node.
    fn weight(&self, node: Node, size: usize) -> f64 {
        let own = self.rows.iter().filter(|(other, _)| *other == node);
        let mut shifts = [[0.0; 3]; 6];
        for (_, rows) in own {
            (0..size).for_each(|r| (0..3).for_each(|c| shifts[r][c] += rows[(r, c + 3)]));
        }
        let row = |shift: &[f64; 3]| shift.iter().map(|x| x * x).sum::<f64>().sqrt();
        shifts[..size].iter().map(row).fold(f64::INFINITY, f64::min)
    }
}

/// Constraints at one end of a time step, found once for all that ask in an iteration. Those that are not kept are found anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Standing {
    kept: Vec<Kept>,
    /// Of those that are near what they may touch, in the order of the contacts.
    touches: Vec<Touch>,
}

impl Standing {
    fn of(&self, constraint: &impl Constraint) -> Option<&Kept> {
        self.kept.get(constraint.kept_as()?)
    }

    /// A constraint at the state.
    pub(crate) fn acting(&self, constraint: &impl Constraint, at: &At<'_>) -> Acting {
        self.of(constraint).map_or_else(|| Acting::of(constraint, at), |kept| kept.acting)
    }

    /// ∂c/∂z of every node it acts on.
    pub(crate) fn visit(&self, constraint: &impl Constraint, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        match self.of(constraint).filter(|kept| kept.known) {
            Some(kept) => kept.rows.iter().for_each(|(node, rows)| visit(*node, rows)),
            None => constraint.jacobian(at, visit),
        }
    }

    /// Of each that is kept, whether its first row acts.
    pub(crate) fn presses(&self) -> impl Iterator<Item = bool> {
        self.kept.iter().map(|kept| kept.acting.condition.active[0])
    }

    /// The nodes that a contact couples at the end of a step where this stands, and at its start where it acts there too, with the
    /// part of its motion by theirs at the end. None if it is far, unless it `holds`.
    pub(crate) fn coupled_nodes(
        &self,
        start: Option<&Self>,
        holds: bool,
        contact: &Contact,
        visit: &mut dyn FnMut(Node, f64),
    ) {
        let Some(kept) = self.of(contact).filter(|kept| kept.near || holds) else { return };
        for (node, _) in &kept.rows {
            visit(*node, kept.weight(*node, contact.size()));
        }
        if kept.acting.condition.acts() {
            let start = start.and_then(|start| start.of(contact)).into_iter();
            start.flat_map(|kept| &kept.rows).for_each(|(node, _)| visit(*node, 0.0));
        }
    }

    /// True if a contact may act or soon will; `None` where it is not kept.
    pub(crate) fn is_near(&self, contact: &Contact) -> Option<bool> {
        self.of(contact).map(|kept| kept.near)
    }

    /// How a contact touches, where that was found.
    fn touch_of(&self, contact: &Contact) -> Option<&Touch> {
        match self.of(contact).filter(|kept| kept.known)?.met {
            Met::Near(number) => Some(&self.touches[number]),
            Met::Nobody | Met::Far(_) => None,
        }
    }

    /// [`Contact::longest_fraction`] at the state.
    pub(crate) fn longest_fraction(
        &self,
        contact: &Contact,
        at: &At<'_>,
        motion: impl Fn(Node) -> Vector6<f64>,
    ) -> f64 {
        if contact.is_endless() {
            return 1.0;
        }
        let Some(kept) = self.of(contact).filter(|kept| kept.known) else {
            return contact.longest_fraction(at, motion);
        };
        let meeting = match kept.met {
            Met::Nobody => return 1.0,
            Met::Far(least) => Meeting::Far(least),
            Met::Near(number) => Meeting::Near(self.touches[number]),
        };
        contact.fraction_in(&meeting, at, motion)
    }

    /// Forgets everything: the state is another.
    pub(crate) fn forget(&mut self) {
        self.kept.iter_mut().for_each(|kept| kept.known = false);
    }

    fn make_room(&mut self, count: usize) {
        let condition = Condition::equality(Vector6::zeros(), 0);
        let acting = Acting { multiplier: Vector6::zeros(), condition, force: Vector6::zeros() };
        let met = Met::Nobody;
        self.kept.resize_with(count, || Kept { acting, rows: Vec::new(), known: false, near: false, met });
    }
}

/// −(∂c/∂z)ᵀ f: what forces along the rows of a constraint do to a node.
#[inline]
pub(crate) fn pulled(jacobian: &Matrix6<f64>, force: &Vector6<f64>) -> Vector6<f64> {
    let columns = &jacobian.data.0;
    Vector6::from_fn(|c, _| -(0..6).map(|r| columns[c][r] * force[r]).sum::<f64>())
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
    /// Not even where they are told to, as contacts of the same place.
    None,
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
    if sharing != Sharing::None {
        (0..constraint.size()).for_each(|i| give[i] = give[i].max(condition.sharing));
    }
    give
}

/// Constraints whose second derivative may rest on what an iteration has found of them already.
trait Curved: Constraint {
    /// [`Constraint::curvature`] at the state.
    fn curvature_standing(&self, _: &Standing, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink) {
        self.curvature(at, multiplier, sink);
    }
}

impl Curved for JointLimit {}
impl Curved for Closure {}
impl Curved for LengthCable {}
impl Curved for LengthTendon {}

impl Curved for Contact {
    fn curvature_standing(&self, found: &Standing, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink) {
        match found.touch_of(self) {
            Some(touch) => self.curvature_in(touch, at.state, multiplier, sink),
            None => self.curvature(at, multiplier, sink),
        }
    }
}

impl System {
    /// Finds the contacts at the end of a step under way.
    pub(crate) fn stand(&self, at: &At<'_>, standing: &mut Standing) {
        let contacts = &self.values.kinds.contacts;
        standing.make_room(contacts.len());
        let Standing { kept, touches } = standing;
        touches.clear();
        for (contact, Kept { acting, rows, known, near, met }) in contacts.iter().zip(kept) {
            rows.clear();
            let multiplier = *at.state.block(contact.multiplier.block);
            let meeting = contact.meeting(at);
            let touch = match &meeting {
                Meeting::Near(touch) => Some(touch),
                Meeting::Nobody | Meeting::Far(_) => None,
            };
            let condition;
            (condition, *near) = contact.stand(touch, at, &multiplier, &mut |node, j| rows.push((node, *j)));
            *met = match meeting {
                Meeting::Nobody => Met::Nobody,
                Meeting::Far(least) => Met::Far(least),
                Meeting::Near(touch) => {
                    touches.push(touch);
                    Met::Near(touches.len() - 1)
                }
            };
            *acting = Acting { multiplier, condition, force: condition.acting(&multiplier) };
            *known = true;
        }
    }

    /// Finds the rows at the start of a step of the contacts that act at its end. Those of surfaces stay what they are.
    pub(crate) fn stand_at_start(&self, at: &At<'_>, end: &Standing, start: &mut Standing) {
        let contacts = &self.values.kinds.contacts;
        start.make_room(contacts.len());
        for ((contact, end), Kept { rows, known, .. }) in contacts.iter().zip(&end.kept).zip(&mut start.kept) {
            if end.acting.condition.acts() && (!*known || contact.slides()) {
                rows.clear();
                contact.jacobian(at, &mut |node, j| rows.push((node, *j)));
                *known = true;
            }
        }
    }

    /// Forces of the multipliers on the nodes, their tangent, and the rows of the conditions.
    pub(crate) fn add_constraints(
        &self,
        at: &At<'_>,
        sharing: Sharing,
        standing: &Standing,
        forces: &mut [DualVector],
        sink: &mut dyn BlockSink,
    ) {
        let idle = self.slack_tendons(at);
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { condition, force, .. } = standing.acting(constraint, at);
            let give = give_of(constraint, at.scales, &condition, sharing);
            let own = constraint.multiplier().node;
            // What neither holds nor pushes couples nothing: most points of a rod are far from what they may touch.
            let idle_rows = constraint.is_one_sided() && constraint.exerts() && !condition.acts();
            let mut add = |node: Node, jacobian: &Matrix6<f64>| {
                if constraint.exerts() {
                    push(forces, node, &pulled(jacobian, &force));
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
                standing.visit(constraint, at, &mut add);
                if sink.is_wanted() {
                    constraint.curvature_standing(standing, at, &force, sink);
                }
            }
            if let Some(own) = own {
                sink.add_own(own, &condition.own_block(constraint.size(), &give));
            }
        });
    }

    /// Rows of the conditions; returns the largest that is left open, in the units of a scaled step.
    pub(crate) fn fill_constraint_rows(&self, at: &At<'_>, standing: &Standing, rows: &mut [Vector6<f64>]) -> f64 {
        let mut largest: f64 = 0.0;
        each_constraint!(self.values.kinds, |constraint| {
            let Acting { multiplier, condition, .. } = standing.acting(constraint, at);
            let unit = constraint.unit(at.scales);
            for i in (0..constraint.size()).filter(|i| condition.active[*i] && !condition.follows(*i)) {
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
