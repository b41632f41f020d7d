//! A rod in free flight, stepped by itself: what it keeps and what it loses.

use crate::models::{Dense, Model, OwnNodes, Random, moving, moving_models, twists};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Twist};
use lissome_mech::impulse::{Impulse, StepRule};
use lissome_mech::rod::{Carried, EndLoads, PoseMap, Rod, RodInertia, RodScratch, RodStep, StepPoint};
use nalgebra::{DVector, Vector6};

/// Scaled length of the Newton step that ends an iteration; what is left is its square.
const CONVERGED: f64 = 1e-9;

/// Trapezoidal averages of both ends, second order; or backward Euler, first order and dissipative.
#[derive(Clone, Copy, PartialEq)]
enum Scheme {
    Averaging,
    Euler,
}

impl Scheme {
    fn rule(self, h: f64) -> StepRule {
        let impulse = Impulse::Difference;
        match self {
            Self::Averaging => StepRule {
                step: h,
                duration: h,
                inertia: [0.5, 0.5],
                force: [0.5 * h, 0.5 * h],
                rate: 2.0 / h,
                impulse,
                strain: 0.5,
                correction: 0.0,
            },
            Self::Euler => StepRule {
                step: h,
                duration: h,
                inertia: [0.0, 1.0],
                force: [0.0, h],
                rate: 1.0 / h,
                impulse,
                strain: 1.0,
                correction: 0.0,
            },
        }
    }
}

struct Flight {
    rod: Rod,
    inertia: RodInertia,
    step: RodStep,
    scratch: RodScratch,
    map: PoseMap,
    nodes: OwnNodes,
    poses: Vec<Pose>,
    stress: Vec<Vector6<f64>>,
}

impl Flight {
    /// In its natural shape, with a velocity that varies smoothly along it.
    fn new(model: &Model, random: &mut Random) -> Self {
        let rod = model.rod(2, random);
        let base = random.pose();
        let poses: Vec<Pose> = rod.curve().starting_poses().iter().map(|g| base * *g).collect();
        let (common, change) = (random.twist(1.0), random.twist(0.6));
        let knots = rod.curve().knot_vector();
        let velocity: Vec<Twist> = (0..poses.len())
            .map(|m| poses[m].inverse().adjoint_twist(&(common + change * knots.greville(m))))
            .collect();
        let inertia = RodInertia::new(rod.curve());
        let mut step = RodStep::new(&rod);
        moving(&rod).fill_shape(&poses, &mut step.start);
        let RodStep { start, points, .. } = &mut step;
        rod.curve().velocities_at_points(&start.points, &velocity, |q, eta| points[q].start(&inertia.mass[q], eta));
        Self {
            inertia,
            scratch: RodScratch::new(&rod),
            map: PoseMap::new(rod.curve().increments()),
            nodes: OwnNodes::new(&rod),
            stress: vec![Vector6::zeros(); rod.stress_count()],
            step,
            poses,
            rod,
        }
    }

    fn advance(&mut self, scheme: Scheme, h: f64) {
        let rule = scheme.rule(h);
        for point in &mut self.step.points {
            point.known_velocity = match scheme {
                Scheme::Averaging => -point.start_velocity,
                Scheme::Euler => DualVector::zero(),
            };
        }
        for (known, b) in self.step.known_strain.iter_mut().zip(&self.step.start.strain) {
            *known = match scheme {
                Scheme::Averaging => b * 0.5,
                Scheme::Euler => Vector6::zeros(),
            };
        }
        let mut end = self.poses.clone();
        for iteration in 0.. {
            let at = StepPoint {
                start: &self.poses,
                end: &end,
                carried: Carried::of(&self.stress),
                loads: EndLoads { at_points: &[], factor: 1.0 },
            };
            let rod = moving(&self.rod);
            rod.step_residual(&rule, &self.inertia, &at, &mut self.step);
            let balance = self.step.balance.iter().map(|r| r.wrench().to_vector());
            let rows: Vec<f64> =
                balance.chain(self.step.misfit.iter().copied()).flat_map(|v| v.as_slice().to_vec()).collect();
            let mut dense = Dense::new(self.nodes.rows());
            let (step, scratch, map) = (&mut self.step, &mut self.scratch, &mut self.map);
            rod.add_step_tangent(&rule, &self.inertia, &at, step, scratch, map, &self.nodes.view(), &mut dense);
            let x = -dense.0.lu().solve(&DVector::from_vec(rows)).unwrap();
            let (moves, stresses) = (6 * end.len(), x.len() - 6 * end.len());
            for (g, z) in end.iter_mut().zip(twists(&x.rows(0, moves).into_owned())) {
                *g = g.boxplus(&z);
            }
            for (beta, z) in self.stress.iter_mut().zip(twists(&x.rows(moves, stresses).into_owned())) {
                *beta += z.to_vector();
            }
            if x.rows(0, moves).amax() < CONVERGED {
                break;
            }
            assert!(iteration < 30, "no convergence: {:e}", x.rows(0, moves).amax());
        }
        self.finish(&rule, &end);
        self.poses = end;
    }

    /// The velocities at the end are those of the poses that have the momenta of the points.
    fn finish(&mut self, rule: &StepRule, end: &[Pose]) {
        let loads = EndLoads { at_points: &[], factor: 1.0 };
        let at = StepPoint { start: &self.poses, end, carried: Carried::of(&self.stress), loads };
        let (rod, curve) = (moving(&self.rod), self.rod.curve());
        rod.step_residual(rule, &self.inertia, &at, &mut self.step);
        rod.fill_shape(end, &mut self.step.end);
        let RodStep { end: shape, points, .. } = &mut self.step;
        let mut on = vec![DualVector::zero(); end.len()];
        curve.add_pulled(&shape.points, |q| points[q].end_momentum, &mut on);
        let mut mass = Dense::new(6 * end.len());
        curve.add_mass(&self.inertia, &shape.points, self.nodes.view().pose, &mut mass);
        let right = on.iter().flat_map(|on| on.wrench().to_vector().as_slice().to_vec()).collect();
        let velocity = twists(&mass.0.cholesky().unwrap().solve(&DVector::from_vec(right)));
        let inertia = &self.inertia;
        curve.velocities_at_points(&shape.points, &velocity, |q, eta| points[q].end(&inertia.mass[q], eta));
        points.iter_mut().for_each(|point| point.advance());
        std::mem::swap(&mut self.step.start, &mut self.step.end);
    }

    /// Kinetic and elastic energy.
    fn energy(&mut self) -> f64 {
        let kinetic: f64 =
            self.step.points.iter().map(|point| 0.5 * point.start_momentum.dot(&point.start_velocity).du).sum();
        let strain = &self.step.start.strain;
        let guess = vec![Vector6::zeros(); strain.len()];
        let carried = Carried { stress: &guess, tension: &[] };
        kinetic + moving(&self.rod).strain_energy(strain, carried, &mut self.scratch.compliance)
    }

    /// Angular momentum about the origin and linear momentum, world axes.
    fn momentum(&self) -> Vector6<f64> {
        let points = self.step.points.iter().zip(&self.step.start.points);
        points
            .map(|(point, shape)| shape.pose.inverse().coadjoint_wrench(&point.start_momentum.wrench()).to_vector())
            .sum()
    }
}

#[test]
fn free_flight_keeps_momentum() {
    for (seed, model) in moving_models().iter().enumerate() {
        for scheme in [Scheme::Averaging, Scheme::Euler] {
            let mut flight = Flight::new(model, &mut Random(1100 + seed as u64));
            let before = flight.momentum();
            (0..10).for_each(|_| flight.advance(scheme, 0.01));
            let apart = (flight.momentum() - before).amax() / before.amax();
            // Ten steps, each with the square of the last Newton step and round-off left.
            assert!(apart < 1e-11, "{}: {apart:e}", model.name);
        }
    }
}

/// The error of the energy after a given time is of second order.
#[test]
fn averaging_keeps_energy_to_second_order() {
    for (seed, model) in moving_models().iter().enumerate() {
        let error = |steps: u32| {
            let mut flight = Flight::new(model, &mut Random(1200 + seed as u64));
            let before = flight.energy();
            (0..steps).for_each(|_| flight.advance(Scheme::Averaging, 0.04 / f64::from(steps)));
            (flight.energy() - before).abs() / before
        };
        let (coarse, fine) = (error(10), error(20));
        let order = (coarse / fine).log2();
        assert!(order > 1.7 || coarse < 1e-11, "{}: order {order}, {coarse:e}, {fine:e}", model.name);
    }
}

#[test]
fn backward_euler_only_loses_energy() {
    for (seed, model) in moving_models().iter().enumerate() {
        let mut flight = Flight::new(model, &mut Random(1300 + seed as u64));
        let mut before = flight.energy();
        for _ in 0..10 {
            flight.advance(Scheme::Euler, 0.01);
            let after = flight.energy();
            assert!(after < before, "{}: {before} to {after}", model.name);
            before = after;
        }
    }
}
