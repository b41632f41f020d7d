//! Inertia and the balance of a time step against finite differences, for every model that moves and kind of impulse.

use crate::models::{DIFFERENCES, Dense, H, Model, OwnNodes, Random, moved, moving, moving_models, poses, twists};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Wrench};
use lissome_mech::impulse::{Impulse, StepRule, momentum};
use lissome_mech::load::SectionLoad;
use lissome_mech::rod::{Carried, EndLoads, PoseMap, Rod, RodInertia, RodScratch, RodShape, RodStep, StepPoint};
use nalgebra::{DVector, Matrix6, Vector6};

#[test]
fn jacobians_of_points_and_strains_are_derivatives() {
    for (seed, model) in moving_models().iter().enumerate() {
        let random = &mut Random(1 + seed as u64);
        let rod = model.rod(3, random);
        let curve = rod.curve();
        let at = poses(&rod, random);
        let n = 6 * at.len();
        let [mut shape, mut plus, mut minus] = [RodShape::new(curve), RodShape::new(curve), RodShape::new(curve)];
        let x = DVector::from_fn(n, |_, _| random.next());
        moving(&rod).fill_shape(&at, &mut shape);
        moving(&rod).fill_shape(&moved(&at, &x, H), &mut plus);
        moving(&rod).fill_shape(&moved(&at, &x, -H), &mut minus);
        let mut eta = vec![DualVector::zero(); curve.point_count()];
        curve.velocities_at_points(&shape.points, &twists(&x), |q, found| eta[q] = found);
        for q in 0..eta.len() {
            let finite = plus.points[q].pose.boxminus(&minus.points[q].pose) * (0.5 / H);
            let error = (finite - eta[q].twist()).to_vector().amax();
            assert!(error < DIFFERENCES, "{}, point {q}: {error:e}", model.name);
        }
        let mut rate = vec![Vector6::zeros(); curve.increments()];
        moving(&rod).strain_rate(&shape, &twists(&x), &mut rate);
        for (a, rate) in rate.iter().enumerate() {
            let finite = (plus.strain[a] - minus.strain[a]) * (0.5 / H);
            assert!((finite - rate).amax() < DIFFERENCES, "{}, stress {a}", model.name);
        }
        // β·ḃ is the power of what stresses exert on the poses.
        let stress: Vec<Vector6<f64>> = rate.iter().map(|_| random.twist(1.0).to_vector()).collect();
        let mut on = vec![DualVector::zero(); at.len()];
        moving(&rod).add_stress_gradient(&shape, &stress, 2.0, &mut on);
        let power: f64 = on.iter().zip(twists(&x)).map(|(on, v)| on.dot(&v.into()).du).sum();
        let expected: f64 = stress.iter().zip(&rate).map(|(stress, rate)| 2.0 * stress.dot(rate)).sum();
        assert!((power - expected).abs() < 1e-12 * expected.abs().max(1.0), "{}", model.name);
    }
}

#[test]
fn mass_is_that_of_the_kinetic_energy() {
    for (seed, model) in moving_models().iter().enumerate() {
        let random = &mut Random(40 + seed as u64);
        let rod = model.rod(3, random);
        let curve = rod.curve();
        let inertia = RodInertia::new(curve);
        let mut shape = RodShape::new(curve);
        let at = poses(&rod, random);
        moving(&rod).fill_shape(&at, &mut shape);
        let nodes = OwnNodes::new(&rod);
        let n = 6 * at.len();
        let mut mass = Dense::new(n);
        curve.add_mass(&inertia, &shape.points, nodes.view().pose, &mut mass);
        let v = DVector::from_fn(n, |_, _| random.next());
        let mut eta = vec![DualVector::zero(); curve.point_count()];
        curve.velocities_at_points(&shape.points, &twists(&v), |q, found| eta[q] = found);
        let twice: f64 = (0..eta.len()).map(|q| momentum(&inertia.mass[q], &eta[q]).dot(&eta[q]).du).sum();
        assert!((v.dot(&(&mass.0 * &v)) - twice).abs() < 1e-12 * twice);
        // What points pull is Mv where they carry the momentum of v.
        let mut on = vec![DualVector::zero(); at.len()];
        curve.add_pulled(&shape.points, |q| momentum(&inertia.mass[q], &eta[q]), &mut on);
        let pulled = DVector::from_iterator(n, on.iter().flat_map(|on| on.wrench().to_vector().as_slice().to_vec()));
        assert!((pulled - &mass.0 * &v).amax() < 1e-12 * twice, "{}", model.name);
        // A rigid motion moves every section as itself, whatever the curve.
        let c = random.twist(1.0);
        let rigid = DVector::from_iterator(
            n,
            at.iter().flat_map(|g| g.inverse().adjoint_twist(&c).to_vector().as_slice().to_vec()),
        );
        let expected: f64 = (0..eta.len())
            .map(|q| {
                let eta = shape.points[q].pose.inverse().adjoint_twist(&c).to_vector();
                eta.dot(&(inertia.mass[q] * eta))
            })
            .sum();
        assert!((rigid.dot(&(&mass.0 * &rigid)) - expected).abs() < 1e-12 * expected, "{}", model.name);
    }
}

struct Setting {
    rod: Rod,
    inertia: RodInertia,
    loads: Vec<SectionLoad>,
    start: Vec<Pose>,
    end: Vec<Pose>,
    stress: Vec<Vector6<f64>>,
    step: RodStep,
}

fn setting(model: &Model, motion: f64, random: &mut Random) -> Setting {
    let rod = model.rod(3, random);
    let points = rod.curve().point_count();
    let inertia = RodInertia::new(rod.curve());
    let wrench = |random: &mut Random| Wrench::new(random.vector() * 0.0, random.vector());
    let loads = (0..points)
        .map(|_| SectionLoad { dead: wrench(random), follower: Wrench::new(random.vector(), random.vector()) })
        .collect();
    let start = poses(&rod, random);
    let common = random.twist(motion);
    let end: Vec<Pose> = start.iter().map(|g| g.boxplus(&(common + random.twist(0.3 * motion)))).collect();
    let stress = (0..rod.stress_count()).map(|_| random.twist(1.0).to_vector()).collect();
    let mut step = RodStep::new(&rod);
    moving(&rod).fill_shape(&start, &mut step.start);
    for q in 0..points {
        let point = &mut step.points[q];
        point.start_momentum = momentum(&inertia.mass[q], &random.twist(1.0).into());
        point.start_load = Wrench::from_vector(&random.twist(1.0).to_vector()).into();
        point.known_velocity = random.twist(1.0).into();
        let earlier = step.start.points[q].pose.boxplus(&random.twist(motion));
        point.earlier = (earlier, momentum(&inertia.mass[q], &random.twist(1.0).into()));
    }
    for known in &mut step.known_strain {
        *known = random.twist(0.1).to_vector();
    }
    step.gain = inertia.relaxation.iter().map(|theta| theta * 3.0 + Matrix6::identity() * 0.7).collect();
    Setting { rod, inertia, loads, start, end, stress, step }
}

fn rule(impulse: Impulse, inertia: [f64; 2], force: [f64; 2]) -> StepRule {
    StepRule { step: 0.3, duration: 0.3, inertia, force, rate: 5.0, impulse, strain: 0.7, correction: 0.02 }
}

impl Setting {
    /// (balance, misfit) at the end poses moved by x and the stress moved likewise.
    fn residual(&mut self, rule: &StepRule, x: &DVector<f64>, h: f64) -> DVector<f64> {
        let n = 6 * self.start.len();
        let end = moved(&self.end, &x.rows(0, n).into_owned(), h);
        let rest = twists(&x.rows(n, x.len() - n).into_owned());
        let stress: Vec<_> = self.stress.iter().zip(rest).map(|(s, x)| s + x.to_vector() * h).collect();
        let loads = EndLoads { at_points: &self.loads, factor: 0.8 };
        let at = StepPoint { start: &self.start, end: &end, carried: Carried::of(&stress), loads };
        moving(&self.rod).step_residual(rule, &self.inertia, &at, &mut self.step);
        let balance = self.step.balance.iter().map(|r| r.wrench().to_vector());
        let rows: Vec<f64> =
            balance.chain(self.step.misfit.iter().copied()).flat_map(|v| v.as_slice().to_vec()).collect();
        DVector::from_vec(rows)
    }

    /// Largest relative difference between the tangent and central differences of the residual.
    fn tangent_error(&mut self, rule: &StepRule, random: &mut Random) -> f64 {
        let nodes = OwnNodes::new(&self.rod);
        let n = nodes.rows();
        self.residual(rule, &DVector::zeros(n), 0.0);
        let mut dense = Dense::new(n);
        let mut scratch = RodScratch::new(&self.rod);
        let mut map = PoseMap::new(self.rod.curve().increments());
        let loads = EndLoads { at_points: &self.loads, factor: 0.8 };
        let at = StepPoint { start: &self.start, end: &self.end, carried: Carried::of(&self.stress), loads };
        let (inertia, step) = (&self.inertia, &mut self.step);
        moving(&self.rod).add_step_tangent(rule, inertia, &at, step, &mut scratch, &mut map, &nodes.view(), &mut dense);
        let mut worst: f64 = 0.0;
        for _ in 0..4 {
            let x = DVector::from_fn(n, |_, _| random.next());
            let finite = (self.residual(rule, &x, H) - self.residual(rule, &x, -H)) / (2.0 * H);
            let exact = &dense.0 * &x;
            worst = worst.max((finite - &exact).amax() / exact.amax());
        }
        worst
    }
}

#[test]
fn step_tangent_is_the_derivative_of_the_step() {
    let rules = [
        rule(Impulse::Difference, [0.0, 1.0], [0.0, 0.3]),
        rule(Impulse::Variational, [1.0, 0.0], [0.15, 0.0]),
        rule(Impulse::TwoPast { earlier_rate: -1.3 }, [0.0, 1.0], [0.0, 0.2]),
    ];
    for (seed, model) in moving_models().iter().enumerate() {
        for rule in &rules {
            let random = &mut Random(90 + seed as u64);
            let mut rule = *rule;
            let mut setting = setting(model, 0.2, random);
            if rule.impulse == Impulse::Variational {
                setting.step.points.iter_mut().for_each(|point| point.known_velocity = DualVector::zero());
            }
            rule.rate = 4.0;
            let error = setting.tangent_error(&rule, random);
            assert!(error < DIFFERENCES, "{}, {:?}: {error:e}", model.name, rule.impulse);
        }
    }
}

/// Where both ends of the step share the balance, the tangent leaves out ½θ⁰θ¹(Ĵ⁰ − J¹)ᵀMx(Φ)J¹, which vanishes with the
/// relative motion in the step; without it the tangent is exact.
#[test]
fn shared_tangent_leaves_out_what_it_says() {
    for (seed, model) in moving_models().iter().enumerate() {
        let rule = rule(Impulse::Difference, [0.5, 0.5], [0.15, 0.15]);
        let error = |motion: f64| {
            let random = &mut Random(7 * (1 + seed as u64));
            setting(model, motion, random).tangent_error(&rule, random)
        };
        let (large, small) = (error(0.2), error(0.02));
        assert!(large < 2e-2 && small < 0.15 * large + 1e-8, "{}: {large:e}, {small:e}", model.name);
    }
}

/// A rigid test motion sees only the spatial impulses and loads, so that internal forces carry no momentum.
#[test]
fn rigid_test_motions_see_only_impulses_and_loads() {
    for (seed, model) in moving_models().iter().enumerate() {
        let random = &mut Random(300 + seed as u64);
        let mut setting = setting(model, 0.3, random);
        for rule in
            [rule(Impulse::Difference, [0.5, 0.5], [0.15, 0.15]), rule(Impulse::Variational, [1.0, 0.0], [0.15, 0.0])]
        {
            setting.residual(&rule, &DVector::zeros(6 * (setting.start.len() + setting.stress.len())), 0.0);
            let spatial = |g: &Pose, mu: &DualVector| g.inverse().coadjoint_wrench(&mu.wrench()).to_vector();
            let step = &setting.step;
            let balance: Vector6<f64> = setting.end.iter().zip(&step.balance).map(|(g, r)| spatial(g, r)).sum();
            let mut expected = Vector6::zeros();
            for q in 0..setting.rod.curve().point_count() {
                let (before, after) = (&step.start.points[q].pose, &step.end.points[q].pose);
                let load: DualVector = setting.loads[q].evaluate(&after.rotation, 0.8).wrench.into();
                expected += spatial(after, &step.points[q].impulse)
                    - spatial(before, &step.points[q].start_load) * rule.force[0]
                    - spatial(after, &load) * rule.force[1];
            }
            let apart = (balance - expected).amax();
            assert!(apart < 1e-12 * expected.amax(), "{}: {apart:e}", model.name);
        }
    }
}
