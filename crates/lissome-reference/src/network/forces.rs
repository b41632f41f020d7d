//! Everything that acts on the bodies of a network, in world axes, summed about each body's origin.

use super::description::{Anchor, Cable, Load, Network, On};
use super::unknowns::Unknowns;
use lissome_lie::Wrench;
use nalgebra::Vector3;

/// Sums of wrenches, one per body.
pub(crate) struct Balance<'a> {
    state: &'a Unknowns,
    pub sums: Vec<Wrench>,
}

impl<'a> Balance<'a> {
    pub fn new(state: &'a Unknowns) -> Self {
        Self { state, sums: vec![Wrench::zero(); state.bodies.len()] }
    }

    /// A moment, and a force through a point of the world; the ground takes what it gets.
    pub fn push(&mut self, on: On, point: &Vector3<f64>, wrench: &Wrench) {
        if let On::Body(i) = on {
            let arm = point - self.state.bodies[i].p;
            self.sums[i] += Wrench::new(wrench.moment + arm.cross(&wrench.force), wrench.force);
        }
    }

    fn push_force(&mut self, on: On, point: &Vector3<f64>, force: Vector3<f64>) {
        self.push(on, point, &Wrench::new(Vector3::zeros(), force));
    }

    pub fn push_load(&mut self, load: &Load, factor: f64) {
        match *load {
            Load::Dead { body, at, wrench } => {
                let point = self.state.bodies[body].point(&at);
                self.push(On::Body(body), &point, &(wrench * factor));
            }
            Load::Follower { body, at, wrench } => {
                let place = self.state.bodies[body];
                let turned = Wrench::new(place.direction(&wrench.moment), place.direction(&wrench.force));
                self.push(On::Body(body), &place.point(&at), &(turned * factor));
            }
            Load::Toward { body, at, target, force } => {
                let point = self.state.bodies[body].point(&at);
                self.push_force(On::Body(body), &point, (target - point).normalize() * (force * factor));
            }
        }
    }

    pub fn push_weights(&mut self, network: &Network, factor: f64) {
        for (i, body) in network.bodies.iter().enumerate() {
            let centre = self.state.bodies[i].point(&body.centre);
            self.push_force(On::Body(i), &centre, network.gravity * (body.mass * factor));
        }
    }

    /// Each stretch of the cable pulls its two points together.
    pub fn push_cable(&mut self, cable: &Cable, tension: f64) {
        for pair in cable.points.windows(2) {
            let (a, b) = (self.state.anchor(&pair[0]), self.state.anchor(&pair[1]));
            let pull = (b - a).normalize() * tension;
            self.push_force(pair[0].on, &a, pull);
            self.push_force(pair[1].on, &b, -pull);
        }
    }
}

/// Length of the straight stretches between the points of a cable.
pub(crate) fn cable_length(state: &Unknowns, points: &[Anchor]) -> f64 {
    points.windows(2).map(|pair| (state.anchor(&pair[1]) - state.anchor(&pair[0])).norm()).sum()
}
