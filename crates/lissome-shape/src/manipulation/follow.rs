//! Following the ends along a trajectory: each shape starts from the last, and the branch is never left in silence.
//!
//! Between two given pairs of end poses the tip is led along the screw motion that joins them, in as many steps as the
//! shape needs. A step is taken only if Newton stays on the branch: the wrench must change about as the linearised rod
//! says, and det ∂(tip)/∂(base wrench) must keep its sign. Where no step is small enough, the branch ends in a fold and
//! the rod would snap.

use crate::elastic::ElasticRod;
use crate::ends::Ends;
use crate::error::ShapeError;
use crate::exact::refine::{self, Equilibrium};
use crate::exact::shooting;
use crate::options::{Mechanics, Options};
use crate::shape::Shape;
use crate::solve::{self, Reduced};
use lissome_lie::Pose;
use nalgebra::Vector6;

/// Smallest step, as a fraction of the way between two given poses: the fold is located to this.
const SMALLEST_STEP: f64 = 1e-5;
/// How far the wrench may end from where the linearised rod puts it, relative to the change itself.
const TRUST: f64 = 0.7;
/// Changes of the wrench below this (dimensionless) are trusted as they are.
const SMALL_CHANGE: f64 = 0.05;
/// Reciprocal condition below which the sign of a determinant says nothing (a round rod between coaxial ends).
const FREE_TURNING: f64 = 1e-10;

/// The rod cannot follow any farther.
#[derive(Clone, Debug)]
pub struct Fold {
    /// Fraction of the way from the last given ends to the next that still has a shape on this branch.
    pub fraction: f64,
    /// The ends there.
    pub ends: Ends,
    /// The last shape on the branch.
    pub shape: Shape,
}

/// What came of one move of the ends.
#[derive(Clone, Debug)]
pub enum Followed {
    /// The shape at the new ends, and the steps it took.
    Shape {
        /// The shape.
        shape: Box<Shape>,
        /// Steps between the old ends and the new.
        steps: usize,
    },
    /// The branch ended before.
    Fold(Box<Fold>),
}

/// A rod being moved by its ends.
#[derive(Clone, Debug)]
pub struct Follower {
    rod: ElasticRod,
    mechanics: Mechanics,
    ends: Ends,
    here: Equilibrium,
    winding: nalgebra::Vector3<f64>,
}

impl Follower {
    /// Starts from the shape between the given ends.
    pub fn start(rod: &ElasticRod, ends: &Ends, options: &Options) -> Result<Self, ShapeError> {
        let (here, winding) = solve::equilibrium(rod, ends, options)?;
        Ok(Self { rod: rod.clone(), mechanics: options.mechanics, ends: *ends, here, winding })
    }

    /// The present ends.
    pub fn ends(&self) -> &Ends {
        &self.ends
    }

    /// The present shape.
    pub fn shape(&self) -> Shape {
        solve::shape_of(&self.rod, &self.ends, self.here.clone(), self.winding)
    }

    /// Moves the ends and lets the shape follow. After a fold the follower stays at the last shape of the branch;
    /// [`Self::start`] at the new ends finds the shape that the rod snaps to, or another.
    pub fn advance(&mut self, ends: &Ends) -> Result<Followed, ShapeError> {
        solve::refuse(&self.rod, ends, self.mechanics)?;
        let from = Reduced::new(&self.rod, &self.ends).tip;
        let to = Reduced::new(&self.rod, ends).tip;
        let way = to.boxminus(&from);
        let (mut reached, mut step, mut steps) = (0.0, 1.0_f64, 0);
        while reached < 1.0 {
            let next = f64::min(1.0, reached + step);
            let tip = if next == 1.0 { to } else { from.boxplus(&(way * next)) };
            if let Some(there) = self.try_step(&tip) {
                self.here = there;
                (reached, step, steps) = (next, 2.0 * step, steps + 1);
                continue;
            }
            step *= 0.5;
            if step < SMALLEST_STEP {
                let tip = from.boxplus(&(way * reached));
                self.ends = self.ends_at(ends, reached, &tip);
                let fold = Fold { fraction: reached, ends: self.ends, shape: self.shape() };
                return Ok(Followed::Fold(Box::new(fold)));
            }
        }
        self.ends = *ends;
        Ok(Followed::Shape { shape: Box::new(self.shape()), steps })
    }

    /// The base on its own screw, the tip where the rod has it.
    fn ends_at(&self, to: &Ends, fraction: f64, tip: &Pose) -> Ends {
        let base = self.ends.base.boxplus(&(to.base.boxminus(&self.ends.base) * fraction));
        let relative = Pose::new(tip.rotation, tip.position * self.rod.length());
        Ends { base, tip: base * relative }
    }

    fn try_step(&self, tip: &Pose) -> Option<Equilibrium> {
        let mut curve = self.here.coarse.clone();
        let last = curve.nodes.last_mut().expect("a curve has at least two nodes");
        let move_of_tip = tip.boxminus(last).to_vector();
        *last = *tip;
        let before = Vector6::from(curve.wrench);
        let expected = shooting::solve(&self.here.tip_by_wrench, &move_of_tip);
        let there = refine::polish(&self.rod, curve);
        let change = Vector6::from(there.curve.wrench) - before;
        let on_branch = (change - expected).norm() <= TRUST * expected.norm() + SMALL_CHANGE;
        (there.converged && on_branch && same_side(&self.here, &there)).then_some(there)
    }
}

/// True if the determinant keeps its sign, or has none to speak of.
fn same_side(a: &Equilibrium, b: &Equilibrium) -> bool {
    let side = |e: &Equilibrium| {
        let values = e.tip_by_wrench.singular_values();
        if values.min() < FREE_TURNING * values.max() { 0.0 } else { e.tip_by_wrench.determinant().signum() }
    };
    side(a) * side(b) >= 0.0
}
