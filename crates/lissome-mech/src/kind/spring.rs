//! Springs with dampers between two frames: along the line between their origins, or a bushing in all six directions.
//!
//! - line: ½ k (d − d₀)², d the distance; the damper resists ḋ.
//! - bushing: ½ cᵀKc with c = log(g_a⁻¹ g_b); the damper resists ċ.
//! - along the axes of the world: ½ Σ k d², d from the origin of a to that of b; no damper.

use crate::attach::Attach;
use crate::between::{Leg, LegAt, RelativePose};
use crate::contribution::{Account, At, Force, push};
use crate::damping::Damper;
use crate::index::{Node, Slot};
use crate::sink::BlockSink;
use crate::state::State;
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Wrench};
use lissome_model::SpringLaw;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Below this distance, in rest lengths, a spring has no direction.
const COINCIDENT: f64 = 1e-9;

/// A spring with a damper.
#[derive(Clone, Debug)]
pub struct Spring {
    /// Slot of its frame a.
    pub a: Slot,
    /// Slot of its frame b.
    pub b: Slot,
    /// How it pulls; the rest length is known once the natural state is.
    pub law: SpringLaw,
    /// d₀, m.
    pub rest: f64,
}

impl Spring {
    /// The springs of a scene.
    pub(crate) fn compile<'s>(places: &mut impl Attach<'s>) -> Vec<Self> {
        let springs = places.scene().springs.iter();
        springs
            .map(|spring| {
                let rest = match spring.law {
                    SpringLaw::Line { rest_length, .. } => rest_length.unwrap_or(0.0),
                    SpringLaw::Bushing { .. } | SpringLaw::Axes { .. } => 0.0,
                };
                Self { a: places.slot(&spring.a), b: places.slot(&spring.b), law: spring.law, rest }
            })
            .collect()
    }

    /// Takes the distance in the natural state where none is given.
    pub(crate) fn set_at_rest(&mut self, natural: &State) {
        if let SpringLaw::Line { rest_length: None, .. } = self.law {
            self.rest = self.length(natural);
        }
    }

    fn leg<'a>(&self, state: &'a State) -> LegAt<'a> {
        Leg { from: self.a, to: self.b }.at(state, COINCIDENT * self.rest)
    }

    /// From the origin of a to that of b, world axes.
    fn apart(&self, state: &State) -> Vector3<f64> {
        state.pose(self.b).position - state.pose(self.a).position
    }

    fn relative(&self, state: &State) -> RelativePose {
        RelativePose::at(state, self.a, &Pose::identity(), self.b)
    }

    /// Distance of its origins, m.
    pub fn length(&self, state: &State) -> f64 {
        self.leg(state).length
    }

    /// What it exerts on its end b, in the axes there, moment about its origin.
    pub fn wrench_on_b(&self, state: &State) -> Wrench {
        let mut force = Vector6::zeros();
        match &self.law {
            SpringLaw::Line { .. } => force[0] = self.pull(state),
            SpringLaw::Bushing { stiffness, .. } => force = stiffness * self.relative(state).value(),
            SpringLaw::Axes { stiffness } => {
                let pull = -stiffness.component_mul(&self.apart(state));
                return Wrench::new(Vector3::zeros(), state.pose(self.b).rotation.inverse_rotate(&pull));
            }
        }
        let mut wrench = Wrench::zero();
        let node = self.b.node();
        self.jacobian(state, &mut |at, jacobian| {
            if at == node {
                wrench = Wrench::from_vector(&-jacobian.tr_mul(&force));
            }
        });
        wrench
    }

    /// Pull along its line, N; of a bushing, the size of its force.
    pub fn pull(&self, state: &State) -> f64 {
        match &self.law {
            SpringLaw::Line { stiffness, .. } => stiffness * (self.length(state) - self.rest),
            SpringLaw::Bushing { stiffness, .. } => {
                (stiffness * self.relative(state).value()).fixed_rows::<3>(3).norm()
            }
            SpringLaw::Axes { stiffness } => stiffness.component_mul(&self.apart(state)).norm(),
        }
    }
}

impl Force for Spring {
    fn couple(&self, visit: &mut dyn FnMut(Node, Node)) {
        visit(self.a.node(), self.a.node());
        visit(self.b.node(), self.b.node());
        visit(self.b.node(), self.a.node());
    }

    fn exert(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink) {
        match &self.law {
            SpringLaw::Line { stiffness, .. } => {
                let leg = self.leg(at.state);
                let tension = stiffness * (leg.length - self.rest);
                leg.pull(tension, forces);
                // A spring without rest length pulls like one in each direction, at any distance.
                let sideways = if self.rest == 0.0 { *stiffness } else { leg.sideways(tension) };
                leg.add_curvature(tension, *stiffness, sideways, sink);
            }
            SpringLaw::Bushing { stiffness, .. } => {
                let relative = self.relative(at.state);
                let force = stiffness * relative.value();
                relative.jacobian(&mut |node, j| push(forces, node, &-j.tr_mul(&force)));
                relative.add_curvature(&force, sink);
                relative.add_stiffness(stiffness, sink);
            }
            SpringLaw::Axes { stiffness } => {
                let (leg, gradient) = (self.leg(at.state), stiffness.component_mul(&self.apart(at.state)));
                leg.pull_down(&gradient, forces);
                leg.add_second_derivative(&gradient, &Matrix3::from_diagonal(stiffness), sink);
            }
        }
    }

    fn potential(&self, at: &At<'_>) -> f64 {
        match &self.law {
            SpringLaw::Line { stiffness, .. } => 0.5 * stiffness * (self.length(at.state) - self.rest).powi(2),
            SpringLaw::Bushing { stiffness, .. } => {
                let c = self.relative(at.state).value();
                0.5 * c.dot(&(stiffness * c))
            }
            SpringLaw::Axes { stiffness } => {
                let apart = self.apart(at.state);
                0.5 * stiffness.component_mul(&apart).dot(&apart)
            }
        }
    }

    fn account(&self) -> Account {
        Account::Stored
    }
}

impl Damper for Spring {
    fn resistance(&self) -> Matrix6<f64> {
        match &self.law {
            SpringLaw::Line { damping, .. } => Matrix6::from_fn(|i, j| if (i, j) == (0, 0) { *damping } else { 0.0 }),
            SpringLaw::Bushing { damping, .. } => *damping,
            SpringLaw::Axes { .. } => Matrix6::zeros(),
        }
    }

    fn travelled(&self, before: &State, after: &State) -> Vector6<f64> {
        match &self.law {
            SpringLaw::Line { .. } | SpringLaw::Axes { .. } => {
                let mut travelled = Vector6::zeros();
                travelled[0] = self.length(after) - self.length(before);
                travelled
            }
            SpringLaw::Bushing { .. } => self.relative(after).value() - self.relative(before).value(),
        }
    }

    fn jacobian(&self, at: &State, visit: &mut dyn FnMut(Node, &Matrix6<f64>)) {
        match &self.law {
            SpringLaw::Line { .. } | SpringLaw::Axes { .. } => self.leg(at).jacobian(visit),
            SpringLaw::Bushing { .. } => self.relative(at).jacobian(visit),
        }
    }

    fn curvature(&self, at: &State, force: &Vector6<f64>, sink: &mut dyn BlockSink) {
        match &self.law {
            SpringLaw::Line { .. } | SpringLaw::Axes { .. } => {
                let leg = self.leg(at);
                leg.add_curvature(force[0], 0.0, leg.sideways(force[0]), sink);
            }
            SpringLaw::Bushing { .. } => self.relative(at).add_curvature(force, sink),
        }
    }
}
