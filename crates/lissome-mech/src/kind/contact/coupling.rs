//! What a contact couples: the nodes that move the two places that touch, while these are near each other.

use super::carrier::Carrier;
use super::ground::{Ground, Ridges};
use super::law::{Held, Phase};
use super::{Contact, NEAR, Seen, Touch};
use crate::contribution::{At, Condition};
use crate::index::Node;
use nalgebra::{Matrix6, Vector6};

impl Contact {
    /// Its condition with a multiplier where it touches so, and whether it may act there or soon after; shows the rows by the motion
    /// of the nodes.
    pub fn stand(
        &self,
        touch: Option<&Touch>,
        at: &At<'_>,
        multiplier: &Vector6<f64>,
        visit: &mut dyn FnMut(Node, &Matrix6<f64>),
    ) -> (Condition, bool) {
        if let Some(touch) = touch {
            self.visit_rows(touch, at.state, visit);
        }
        let seen = touch.map(Touch::seen);
        (self.condition(at, seen.as_ref(), multiplier), self.meets(seen.as_ref(), multiplier))
    }

    /// Shows the nodes that it couples at a state; none of a contact that is far, unless it `holds` whatever is near.
    pub fn coupled_nodes(&self, at: &At<'_>, holds: bool, visit: &mut dyn FnMut(Node)) {
        let multiplier = at.state.block(self.multiplier.block);
        if !self.slides() {
            return self.reachable_nodes(at, holds, visit);
        }
        let Some(touch) = self.touch(at) else { return };
        if !holds && !self.meets(Some(&touch.seen()), multiplier) {
            return;
        }
        let Touch { spot, base, .. } = &touch;
        spot.nodes(visit);
        base.nodes(visit);
        match (self.friction, &self.ground, self.ground.partner(at.state)) {
            (Some(_), Ground::Rods { own, .. }, Some((partner, neighbour))) => {
                for (skin, anchor) in [own, &neighbour.skin].into_iter().zip(partner.anchors) {
                    skin.nodes(anchor, anchor, visit);
                }
            }
            (Some(_), Ground::Edges(edges), _) => {
                let anchor = edges.crossed(at.state).map(|crossed| crossed.anchor);
                anchor.into_iter().for_each(|anchor| edges.own.nodes(anchor, anchor, visit));
            }
            _ => {}
        }
    }

    /// The same with the nodes of all places that it may slide to before partners are looked up again: at rest, where steps are
    /// long.
    pub fn reachable_nodes(&self, at: &At<'_>, holds: bool, visit: &mut dyn FnMut(Node)) {
        let multiplier = at.state.block(self.multiplier.block);
        if !(holds || self.presses(multiplier) || self.meets(self.glance(at).as_ref(), multiplier)) {
            return;
        }
        match &self.ground {
            Ground::Surface { frame, across, .. } => {
                match (across, &self.carrier) {
                    (Some(across), Carrier::Rod(cell)) => across.own.nodes(cell.cell[0], cell.last(), visit),
                    _ => self.carrier.nodes(visit),
                }
                visit(frame.node());
            }
            Ground::Ridges(Ridges { slot, .. }) => {
                self.carrier.nodes(visit);
                visit(slot.node());
            }
            Ground::Edges(edges) => {
                let Some(crossed) = edges.crossed(at.state) else { return };
                let [low, high] = edges.own.window(crossed.window);
                edges.own.nodes(low, high, visit);
                if crossed.anchor < low || crossed.anchor > high {
                    edges.own.nodes(crossed.anchor, crossed.anchor, visit);
                }
                visit(edges.slot.node());
            }
            Ground::Rods { own, .. } => {
                self.carrier.nodes(visit);
                let Some((partner, neighbour)) = self.ground.partner(at.state) else { return };
                for (skin, side) in [(own, 0), (&neighbour.skin, 1)] {
                    let [low, high] = skin.window(partner.windows[side]);
                    skin.nodes(low, high, visit);
                    let anchor = partner.anchors[side];
                    if anchor < low || anchor > high {
                        skin.nodes(anchor, anchor, visit);
                    }
                }
            }
        }
    }

    /// True if it may act or soon will: what it touches is near, or it presses, or is held to do so. What does not meet couples nothing.
    fn meets(&self, seen: Option<&Seen>, multiplier: &Vector6<f64>) -> bool {
        self.presses(multiplier) || seen.is_some_and(|seen| seen.gap() <= NEAR * self.carrier.size(seen.radius))
    }

    /// True if it presses by its multiplier, or is held to do so.
    pub(super) fn presses(&self, multiplier: &Vector6<f64>) -> bool {
        multiplier[0] != 0.0 || matches!(Phase::read(multiplier), Phase::Held(Held::Stuck | Held::Sliding))
    }
}
