//! Functionals of the velocities that belong to momenta, as ones of the momenta and of the place.
//!
//! ```text
//! TᵀJᵀMJT u + Cᵀν = TᵀJᵀp,  C u = r            velocities u of the groups, T u those of the nodes, p the momenta of the points
//! a·(T u) = μ·(TᵀJᵀp) + κ·r                    μ, κ the solution for Tᵀa: the matrix is symmetric
//! ```
//!
//! By the place changes what μ and u are pulled back with, once along each of the two (`shift`).

use super::shift::{OnRod, Side, shape_of};
use crate::contribution::Constraint;
use crate::impulse::momentum;
use crate::index::{Node, Slot};
use crate::inputs::Inputs;
use crate::kind::each_constraint;
use crate::motion::MotionWorkspace;
use crate::{State, System};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use nalgebra::Vector6;

/// Numbers of all that has mass: the points of each rod, and the bodies.
#[derive(Clone, Debug)]
pub(super) struct Massive {
    pub rods: Vec<Vec<DualVector>>,
    pub bodies: Vec<DualVector>,
}

impl Massive {
    /// Out of a list of all points, then bodies.
    pub fn of_list(system: &System, list: &[DualVector]) -> Self {
        let mut rest = list.iter().copied();
        let rods = system.values.rods.iter();
        let rods = rods.map(|rod| rest.by_ref().take(rod.curve().point_count()).collect()).collect();
        Self { rods, bodies: rest.collect() }
    }

    /// All points, then bodies.
    pub fn all(&self) -> impl Iterator<Item = &DualVector> {
        self.rods.iter().flatten().chain(&self.bodies)
    }

    /// What a function makes of these and of others.
    pub fn with(&self, other: &Self, make: impl Fn(&DualVector, &DualVector) -> DualVector) -> Self {
        let both = |a: &[DualVector], b: &[DualVector]| a.iter().zip(b).map(|(a, b)| make(a, b)).collect();
        let rods = self.rods.iter().zip(&other.rods).map(|(a, b)| both(a, b)).collect();
        Self { rods, bodies: both(&self.bodies, &other.bodies) }
    }

    pub fn on_rods(&self) -> Vec<OnRod> {
        self.rods.iter().map(|points| OnRod { points: points.clone(), stress: Vec::new() }).collect()
    }
}

/// A functional of velocities.
pub(super) struct OnVelocities<'a> {
    /// Of those of the slots.
    pub slots: &'a [DualVector],
    /// Of the rates of joints.
    pub joints: &'a [Vector6<f64>],
    /// Of those of all that has mass.
    pub massive: &'a Massive,
}

/// What became of it.
pub(super) struct VelocityTest {
    /// μ as motions of all that has mass: the functional of the momenta.
    pub massive: Massive,
    /// What changes with the place, over all groups, momenta as they are.
    pub rows: Vec<f64>,
}

impl System {
    /// Motions of all that has mass for those of the slots.
    pub(super) fn massive_motions(&self, side: Side, slots: &[Twist], work: &MotionWorkspace) -> Massive {
        let mut rods: Vec<Vec<DualVector>> =
            self.values.rods.iter().map(|rod| vec![DualVector::zero(); rod.curve().point_count()]).collect();
        for (i, rod, place) in self.moving_rods() {
            let points = &shape_of(side, &work.rods[i]).points;
            rod.curve().velocities_at_points(points, &slots[place.poses()], |q, motion| rods[i][q] = motion);
        }
        let bodies = self.values.bodies.iter().map(|body| slots[body.slot].into()).collect();
        Massive { rods, bodies }
    }

    /// Momenta of motions of all that has mass.
    pub(super) fn momenta(&self, motions: &Massive, work: &MotionWorkspace) -> Massive {
        let of_rod = |(points, inertia): (&Vec<DualVector>, &crate::rod::RodInertia)| {
            points.iter().zip(&inertia.mass).map(|(motion, mass)| momentum(mass, motion)).collect()
        };
        let bodies = self.values.bodies.iter().zip(&motions.bodies);
        Massive {
            rods: motions.rods.iter().zip(&work.inertia).map(of_rod).collect(),
            bodies: bodies.map(|(body, motion)| momentum(&body.mass, motion)).collect(),
        }
    }

    /// Rows of slots for covectors of all that has mass.
    pub(super) fn pulled_massive(&self, side: Side, on: &Massive, work: &MotionWorkspace) -> Vec<DualVector> {
        let mut rows = self.pulled(side, &on.on_rods(), work);
        for (body, covector) in self.values.bodies.iter().zip(&on.bodies) {
            rows[body.slot] += *covector;
        }
        rows
    }

    /// A functional of the velocities that were last solved for at one end of the step, from momenta p.
    pub(super) fn velocity_test(
        &self,
        (side, state, inputs): (Side, &State, &Inputs),
        on: &OnVelocities<'_>,
        momenta: &Massive,
        work: &MotionWorkspace,
    ) -> VelocityTest {
        let system = &work.velocity;
        let mut slots = self.pulled_massive(side, on.massive, work);
        slots.iter_mut().zip(on.slots).for_each(|(row, own)| *row += *own);
        let mut nodes = vec![Vector6::zeros(); self.layout.roles.len()];
        nodes.iter_mut().zip(&slots).for_each(|(row, slot)| *row = slot.wrench().to_vector());
        for (joint, row) in self.values.joints.iter().zip(on.joints) {
            nodes[joint.node] += row;
        }
        let mut test = vec![0.0; system.homes.all_rows()];
        system.homes.spread(nodes.iter().copied(), &system.terms, &mut test);
        let n = system.rows();
        test[n..].fill(0.0);
        system.factor.solve(&mut test[..n]);

        let (mu, moved) = self.of_velocity_groups(&test, work);
        let (u, velocity) = self.of_velocity_groups(&system.solution, work);
        let motions = self.massive_motions(side, &moved, work);
        let has = self.momenta(&self.massive_motions(side, &velocity, work), work);
        // Along μ: what momenta are more than the velocities have. Along u: what is asked of velocities, less what μ has.
        let more = momenta.with(&has, |p, has| *p - *has);
        let less = on.massive.with(&self.momenta(&motions, work), |own, has| *own - *has);
        let (mut along_mu, mut along_u) = (self.nothing_on_nodes(), self.nothing_on_nodes());
        along_mu.set_slots(self.pulled_massive(side, &more, work));
        let wanted = self.pulled_massive(side, &less, work);
        along_u.set_slots(wanted.iter().zip(on.slots).map(|(a, b)| *a + *b).collect());
        each_constraint!(self.values.kinds, |constraint| {
            let multiplier = constraint.multiplier();
            if let Some(node) = multiplier.node {
                let holds = system.wanted[multiplier.block.index()].holds;
                let held = |x: &[f64]| {
                    let own = system.homes.read_own(node, x);
                    Vector6::from_fn(|i, _| if holds[i] { -own[i] } else { 0.0 })
                };
                along_mu.conditions[multiplier.block] = held(&system.solution);
                along_u.conditions[multiplier.block] = held(&test);
            }
        });
        let mut rows = self.change_on_nodes(state, inputs, &mu, false, &along_mu);
        crate::assemble::add_to(&self.change_on_nodes(state, inputs, &u, false, &along_u), &mut rows);
        let mut on_slots = self.change_on_rods(side, &state.poses, &moved, &more.on_rods(), work);
        let others = self.change_on_rods(side, &state.poses, &velocity, &less.on_rods(), work);
        on_slots.iter_mut().zip(others).for_each(|(row, other)| *row += other);
        self.spread_slots(side, &on_slots, work, &mut rows);
        VelocityTest { massive: motions, rows }
    }

    /// Adds rows of slots to those of all groups.
    pub(super) fn spread_slots(&self, side: Side, slots: &[DualVector], work: &MotionWorkspace, rows: &mut [f64]) {
        let terms = match side {
            Side::Start => &work.start_terms,
            Side::End => &work.base.terms,
        };
        self.layout.homes.spread(slots.iter().map(|row| row.wrench().to_vector()), terms, rows);
    }

    /// A vector over the groups of velocities as one over all groups, and as motions of the slots.
    fn of_velocity_groups(&self, x: &[f64], work: &MotionWorkspace) -> (Vec<f64>, Vec<Twist>) {
        let (system, homes) = (&work.velocity, &self.layout.homes);
        let mut all = vec![0.0; homes.all_rows()];
        for group in self.layout.displacements.iter().copied().chain(homes.held_groups()) {
            if let Some(own) = system.groups[group] {
                homes.write(group, &system.homes.read(own, x), &mut all);
            }
        }
        let motion = |slot: Slot| {
            let node: Node = slot.node();
            Twist::from_vector(&system.homes.motion(node, &system.terms, x))
        };
        (all, Slot::first(self.layout.sources.len()).map(motion).collect())
    }
}
