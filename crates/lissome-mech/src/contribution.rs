//! The interface of everything that contributes to a system: forces, and constraints.
//!
//! A kind of contribution is a struct in a file of its own under `kind/` that implements [`Force`] or [`Constraint`], and
//! a line in the list of `kinds`. It says once what it does; statics, time steps, velocities, modes, the judgement of
//! steps and the search for defects loop over that list. Kinds do not know each other, nor who carries the nodes they
//! act on, nor what is solved for.
//!
//! Forces and Jacobians are in the left-trivialised (body) coordinates of the nodes, second derivatives in exponential
//! coordinates, g exp(z).

use crate::index::{Block, Node};
use crate::inputs::{Input, Inputs};
use crate::sink::BlockSink;
use crate::state::State;
use lissome_lie::dual::DualVector;
use lissome_lie::{Twist, Wrench};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Sizes that forces and distances are compared with where nothing nearer is at hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// N: what bending of the softest rod resists with, EI/L².
    pub force: f64,
    /// m: the longest rod.
    pub length: f64,
}

impl Scales {
    /// Energy that rounding alone makes, J: strains of 1e-16 in a rod that is ten thousand times as long as thick have
    /// 1e-24 of EI/L; a swing by a millionth of the length has 1e-12 of it.
    pub fn noise_energy(&self) -> f64 {
        1e-18 * self.force * self.length
    }
}

/// Where a contribution is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Poses, joints and multipliers.
    pub state: &'a State,
    /// What acts.
    pub inputs: &'a Inputs,
    /// Sizes to compare with.
    pub scales: &'a Scales,
}

/// A covector of a node, as rods sum them.
#[inline(always)]
pub fn covector(v: &Vector6<f64>) -> DualVector {
    Wrench::from_vector(v).into()
}

/// Adds a force on a node to the forces on all nodes that move.
#[inline(always)]
pub fn push(forces: &mut [DualVector], node: Node, force: &Vector6<f64>) {
    forces[node] += covector(force);
}

/// On which side of the balance of energy a force stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// Its potential is that of gravity.
    Gravity,
    /// Its potential is stored in the robot.
    Stored,
    /// It does work on the robot from outside.
    Applied,
}

/// A part of a robot: its kind, as the table of the scene file is called, and its number among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// Such as `rod` or `joint`.
    pub kind: &'static str,
    /// Number in the scene (closures: in the system).
    pub index: usize,
}

impl Part {
    /// A part by its kind and number.
    pub const fn new(kind: &'static str, index: usize) -> Self {
        Self { kind, index }
    }

    /// A rod of the scene.
    pub const fn rod(index: usize) -> Self {
        Self::new("rod", index)
    }

    /// A body of the scene.
    pub const fn body(index: usize) -> Self {
        Self::new("body", index)
    }

    /// A joint of the scene.
    pub const fn joint(index: usize) -> Self {
        Self::new("joint", index)
    }
}

/// What acts on nodes without unknowns of its own.
pub trait Force {
    /// Pairs of nodes whose motions its tangent couples.
    fn couple(&self, visit: &mut dyn FnMut(Node, Node));

    /// Adds what it exerts on the nodes, and minus the derivative of that to the tangent.
    fn exert(&self, at: &At<'_>, forces: &mut [DualVector], sink: &mut dyn BlockSink);

    /// Its potential, J; of what has none, zero.
    fn potential(&self, at: &At<'_>) -> f64;

    /// Its potential as a step from `from` is judged: what has none acts as it does there.
    fn potential_from(&self, _from: &At<'_>, at: &At<'_>) -> f64 {
        self.potential(at)
    }

    /// True if the force is the gradient of a potential, so that its tangent is symmetric.
    fn is_conservative(&self) -> bool {
        true
    }

    /// Where its energy is booked.
    fn account(&self) -> Account;

    /// Adds the derivative of what it exerts by a number of the inputs.
    fn input_rate(&self, _at: &At<'_>, _input: Input, _forces: &mut [DualVector]) {}
}

/// A condition c = 0 (or c ≥ 0, c ≤ 0) on the nodes, which a multiplier ρ enforces by the force −(∂c/∂z)ᵀρ.
pub trait Constraint {
    /// The part that its multiplier belongs to.
    fn part(&self) -> Part;

    /// Where its multiplier is.
    fn multiplier(&self) -> Multiplier;

    /// Number of scalar conditions, at most six.
    fn size(&self) -> usize;

    /// The nodes it acts on.
    fn nodes(&self, visit: &mut dyn FnMut(Node));

    /// Pairs of nodes that its second derivative couples.
    fn couple(&self, visit: &mut dyn FnMut(Node, Node));

    /// True if some of its rows may let go.
    fn is_one_sided(&self) -> bool {
        false
    }

    /// c and which of its rows act, for a value of the multiplier.
    fn evaluate(&self, at: &At<'_>, multiplier: &Vector6<f64>) -> Condition;

    /// c where the rows stand on the sides that they had in an earlier condition.
    fn open_like(&self, at: &At<'_>, multiplier: &Vector6<f64>, _earlier: &Condition) -> Vector6<f64> {
        self.evaluate(at, multiplier).open
    }

    /// ∂c/∂z of every node it acts on; a node may be visited more than once, parts add up.
    fn jacobian(&self, at: &At<'_>, visit: &mut dyn FnMut(Node, &Matrix6<f64>));

    /// Where a time step keeps its condition and rows of an iteration, if it costs much to find them and many ask.
    fn kept_as(&self) -> Option<usize> {
        None
    }

    /// Adds the second derivative of multiplier · c.
    fn curvature(&self, at: &At<'_>, multiplier: &Vector6<f64>, sink: &mut dyn BlockSink);

    /// ∂c/∂(number of the inputs) with the nodes held.
    fn input_rate(&self, _at: &At<'_>, _input: Input) -> Vector6<f64> {
        Vector6::zeros()
    }

    /// What a gap counts as in the units of a scaled step: 1 for rad, a length for m.
    fn unit(&self, scales: &Scales) -> Vector6<f64>;

    /// Stiffness W that weighs ½ cᵀWc when a step is judged, for the multiplier that is expected.
    fn firmness(&self, scales: &Scales, expected: &Vector6<f64>) -> Vector6<f64>;

    /// Stiffness that opposes the gap beside the multiplier, where nothing else gives the nodes one; nothing at a solution.
    fn penalty(&self) -> Option<Vector6<f64>> {
        None
    }

    /// Fixes that stiffness: called once if no elastic rod holds any of its nodes.
    fn set_penalty(&mut self, _scales: &Scales) {}

    /// True if what it couples is in the matrix for good; false if that comes and goes with what is near.
    fn stays(&self) -> bool {
        true
    }

    /// True if the robot's own stiffness decides when its rows are eliminated, false if they just come last.
    fn orders_itself(&self) -> bool {
        false
    }

    /// True if what it exerts counts as work from outside (a winch), false if it does none or hands it on.
    fn does_work(&self) -> bool {
        false
    }

    /// True if its multiplier exerts −(∂c/∂z)ᵀρ. False if what it does stands in the equations already, as the tension of a
    /// tendon stands in the law of a rod's points; then it is no condition on velocities either.
    fn exerts(&self) -> bool {
        true
    }

    /// True if a time step is cut at the instant at which a row of it closes. False where many rows close one after the
    /// other, as along a rod that is laid down: there the step itself stops what runs in.
    fn locates_impacts(&self) -> bool {
        true
    }

    /// Mass that moves with it, kg, where several such conditions may hold the same thing: an impulse is shared by them.
    fn shared_mass(&self) -> Option<f64> {
        None
    }

    /// For one-sided conditions: the part of the approach speed that is given back.
    fn restitution(&self) -> f64 {
        0.0
    }
}

/// Where the multiplier of a constraint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    /// Its block of the state.
    pub block: Block,
    /// Its node; `None` if the condition is met by embedding, without rows of its own.
    pub node: Option<Node>,
}

/// The value of a constraint at one state.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// c, of the one-sided rows signed so that the side they are at is zero.
    pub open: Vector6<f64>,
    /// Rows that act.
    pub active: [bool; 6],
    /// −∂c/∂ρ: how far a row gives way to its multiplier.
    pub compliance: f64,
    /// Rows that may let go: for each the sign that its multiplier must have.
    pub sides: [Option<f64>; 6],
    /// Rows whose force follows a law though they are not held: friction that slides, and contacts whose law is smooth.
    pub slide: Option<Slide>,
    /// How far a row gives way to the *change* of its multiplier in one iteration: nothing at a solution. It shares a force
    /// between rows that hold the same thing, as the corners of a box on a floor do.
    pub sharing: f64,
}

/// Rows of a condition, among its first three, whose multiplier follows from the others and from the motion:
/// F(ρ, c) = 0 with ΔF = `own` Δρ + `motion` Δc.
#[derive(Clone, Copy, Debug)]
pub struct Slide {
    /// Rows that follow it.
    pub rows: [bool; 3],
    /// ∂F/∂ρ.
    pub own: Matrix3<f64>,
    /// ∂F/∂c.
    pub motion: Matrix3<f64>,
    /// F.
    pub value: Vector3<f64>,
}

impl Condition {
    /// A two-sided condition whose rows all act.
    pub fn equality(open: Vector6<f64>, size: usize) -> Self {
        Self {
            open,
            active: std::array::from_fn(|i| i < size),
            compliance: 0.0,
            sides: [None; 6],
            slide: None,
            sharing: 0.0,
        }
    }

    /// True if a row slides: its force follows, and nothing holds it.
    pub fn slides(&self, row: usize) -> bool {
        self.follows(row) && !self.active[row]
    }

    /// True if the force of a row follows a law.
    pub fn follows(&self, row: usize) -> bool {
        row < 3 && self.slide.is_some_and(|slide| slide.rows[row])
    }

    /// True if any row is held or follows.
    pub fn acts(&self) -> bool {
        (0..6).any(|row| self.exerts(row))
    }

    /// True if the force of a row acts: it is held, or follows a law.
    fn exerts(&self, row: usize) -> bool {
        self.active[row] || self.follows(row)
    }

    /// The entries of rows whose force acts; the others zero.
    pub fn acting(&self, v: &Vector6<f64>) -> Vector6<f64> {
        Vector6::from_fn(|i, _| if self.exerts(i) { v[i] } else { 0.0 })
    }

    /// The rows of a Jacobian that are held; the others zero.
    pub fn acting_rows(&self, jacobian: &Matrix6<f64>) -> Matrix6<f64> {
        Matrix6::from_fn(|i, j| if self.active[i] { jacobian[(i, j)] } else { 0.0 })
    }

    /// The rows of a Jacobian whose force acts; the others zero.
    pub fn force_rows(&self, jacobian: &Matrix6<f64>) -> Matrix6<f64> {
        Matrix6::from_fn(|i, j| if self.exerts(i) { jacobian[(i, j)] } else { 0.0 })
    }

    /// How the rows of the condition change with a node: as the Jacobian does, or as what slides makes of it.
    pub fn condition_rows(&self, jacobian: &Matrix6<f64>) -> Matrix6<f64> {
        let mut rows = self.acting_rows(jacobian);
        if let Some(slide) = &self.slide {
            let moved = slide.motion * jacobian.fixed_rows::<3>(0);
            for i in (0..3).filter(|i| slide.rows[*i]) {
                rows.set_row(i, &moved.row(i));
            }
        }
        rows
    }

    /// The block of the multiplier's own row: gives way, or lets its force go.
    pub fn own_block(&self, size: usize, give: &Vector6<f64>) -> Matrix6<f64> {
        let own = |i: usize| match (i < size, self.active[i]) {
            (false, _) => 0.0,
            (true, true) => -give[i],
            (true, false) => -1.0,
        };
        let mut block = Matrix6::from_diagonal(&Vector6::from_fn(|i, _| own(i)));
        if let Some(slide) = &self.slide {
            for i in (0..3).filter(|i| slide.rows[*i]) {
                block.fixed_view_mut::<1, 3>(i, 0).copy_from(&slide.own.row(i));
            }
        }
        block
    }

    /// The multiplier's row on the right-hand side: −c, or −Δρ = ρ, or −F.
    pub fn own_row(&self, multiplier: &Vector6<f64>, size: usize) -> Vector6<f64> {
        Vector6::from_fn(|i, _| match (i < size, self.active[i], &self.slide) {
            (false, ..) => 0.0,
            (true, _, Some(slide)) if i < 3 && slide.rows[i] => -slide.value[i],
            (true, true, _) => -self.open[i],
            (true, false, _) => multiplier[i],
        })
    }
}

/// Half the bracket term that turns the derivative of a body force into one in exponential coordinates.
#[inline(always)]
pub fn half_bracket(force: &DualVector) -> Matrix6<f64> {
    force.skew().covector_map() * 0.5
}

/// A 6-vector as a twist.
#[inline(always)]
pub fn twist(v: &Vector6<f64>) -> Twist {
    Twist::from_vector(v)
}
