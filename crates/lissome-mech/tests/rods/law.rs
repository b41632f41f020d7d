//! A law that is not linear goes through the whole mixed rod: residual, tangent, consistent stress, energy, field.

use crate::models::{DIFFERENCES, Dense, H, OwnNodes, Random, models, moved, poses, twists};
use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Strain, Wrench};
use lissome_mech::index::Node;
use lissome_mech::load::SectionLoad;
use lissome_mech::rod::law::Law;
use lissome_mech::rod::section::SectionAt;
use lissome_mech::rod::{Carried, PoseMap, Rod, RodNodes, RodScratch};
use lissome_mech::sink::BlockSink;
use lissome_model::*;
use nalgebra::{DVector, Matrix6, Vector3, Vector6};

/// α in the tests: the stress at q = eᵀKe = 2.5 J/m is twice that of the linear law.
const STIFFENING: f64 = 0.4;
const LENGTH: f64 = 1.5;

fn scene_rod(degree: usize, spans: usize, random: &mut Random) -> lissome_model::Rod {
    let stiffness = random.definite([1.3, 2.0, 3.0, 50.0, 30.0, 20.0]);
    lissome_model::Rod {
        name: "rod".into(),
        length: LENGTH,
        profile: Profile::uniform(Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 0.01 }),
        natural: NaturalShape::curved(Vector3::new(0.3, -0.4, 0.2)),
        base: Some(Pose::identity().into()),
        tip: None,
        turns: Vector3::zeros(),
        laid: Vec::new(),
        initial_velocity: None,
        tubes: None,
        discretization: Discretization::Spline {
            degree,
            resolution: Resolution::Spans(spans),
            form: StrainForm::Mixed,
        },
    }
}

fn stiffened(model: &lissome_model::Rod) -> Rod {
    let Rod::Mixed(rod) = Rod::compile(model, "rod.rod", &[], Vec::new()).unwrap() else { panic!("a mixed rod") };
    Rod::Mixed(rod.stiffened(STIFFENING).unwrap())
}

fn law(model: &lissome_model::Rod) -> Law {
    Law::of(&SectionAt::read(&model.profile, 0.0).elastic(), STIFFENING)
}

/// Rows of the poses, then those of the stresses, at poses and stresses moved along x.
fn residual(rod: &Rod, at: &[Pose], stress: &[Vector6<f64>], x: &DVector<f64>, h: f64) -> DVector<f64> {
    let n = 6 * at.len();
    let at = moved(at, &x.rows(0, n).into_owned(), h);
    let rest = if rod.has_independent_stress() { twists(&x.rows(n, x.len() - n).into_owned()) } else { Vec::new() };
    let mut stress = stress.to_vec();
    stress.iter_mut().zip(rest).for_each(|(s, z)| *s += z.to_vector() * h);
    let mut scratch = RodScratch::new(rod);
    let mut map = PoseMap::new(rod.curve().increments());
    rod.fill_increments(&at, &mut scratch);
    if !rod.has_independent_stress() {
        rod.fill_strain(&mut scratch);
        rod.consistent_stress(&mut scratch, &[], &mut stress).unwrap();
    }
    rod.fill_gradient(Carried::of(&stress), &mut scratch);
    map.fill(&scratch.psi);
    let pulled = (0..at.len()).map(|l| map.pull_back(&scratch.gradient, l).wrench().to_vector());
    DVector::from_vec(pulled.chain(scratch.misfit.iter().copied()).flat_map(|v| v.as_slice().to_vec()).collect())
}

/// Every model by itself, the stiffening one among them.
#[test]
fn tangent_of_a_rod_is_symmetric_and_the_derivative_of_its_residual() {
    for (seed, model) in models().iter().enumerate() {
        let random = &mut Random(2000 + seed as u64);
        let rod = model.rod(3, random);
        let at = poses(&rod, random);
        let nodes = OwnNodes::new(&rod);
        let n = nodes.rows();
        let mut scratch = RodScratch::new(&rod);
        let mut map = PoseMap::new(rod.curve().increments());
        let mut stress: Vec<Vector6<f64>> = (0..rod.stress_count()).map(|_| random.twist(1.0).to_vector()).collect();
        rod.fill_increments(&at, &mut scratch);
        if !rod.has_independent_stress() {
            rod.fill_strain(&mut scratch);
            rod.consistent_stress(&mut scratch, &[], &mut stress).unwrap();
        }
        rod.fill_tangent(Carried::of(&stress), &mut scratch);
        map.fill(&scratch.psi);
        let mut dense = Dense::new(n);
        rod.add_tangent(&scratch, &map, &scratch.gradient, &nodes.view(), &mut dense);
        rod.add_compliance(&scratch, -1.0, &nodes.view(), &mut dense);
        let asymmetry = (&dense.0 - dense.0.transpose()).amax();
        assert!(asymmetry < 1e-13 * dense.0.amax(), "{}: {asymmetry:e}", model.name);
        // The residual is left-trivialised, the tangent in exponential coordinates: ½Mx(r) apart on the diagonal.
        for l in 0..at.len() {
            let r = map.pull_back(&scratch.gradient, l);
            dense.add_general(Node::new(l), Node::new(l), &(r.skew().covector_map() * 0.5));
        }
        for _ in 0..4 {
            let x = DVector::from_fn(n, |_, _| random.next());
            let (plus, minus) = (residual(&rod, &at, &stress, &x, H), residual(&rod, &at, &stress, &x, -H));
            let exact = &dense.0 * &x;
            let apart = ((plus - minus) / (2.0 * H) - &exact).amax() / exact.amax();
            assert!(apart < DIFFERENCES, "{}: {apart:e}", model.name);
        }
    }
}

/// A constant stress bends the rod into a helix of the strain that the law gives, in every degree exactly.
#[test]
fn constant_stress_makes_the_helix_of_the_law() {
    for degree in 1..=5 {
        let model = scene_rod(degree, 3, &mut Random(31));
        let rod = stiffened(&model);
        let n = Vector6::new(0.4, 3.0, -1.0, 2.0, 0.0, 1.0);
        let response = law(&model).respond(&n);
        assert!(response.strain.amax() < 0.9 * (SectionAt::read(&model.profile, 0.0).elastic().flexibility * n).amax());
        let natural = model.natural.strain_at(0.0).unwrap().to_vector();
        let strain = Strain::from_vector(&(natural + response.strain));
        let knots = rod.curve().knot_vector();
        let at: Vec<Pose> =
            (0..rod.curve().pose_count()).map(|i| Pose::identity().advance(&strain, knots.greville(i))).collect();
        let stress = vec![n; rod.stress_count()];
        let mut scratch = RodScratch::new(&rod);
        rod.fill_increments(&at, &mut scratch);
        rod.fill_gradient(Carried::of(&stress), &mut scratch);
        let misfit = scratch.misfit.iter().map(|m| m.amax()).fold(0.0, f64::max);
        assert!(misfit < 1e-14, "degree {degree}: {misfit:e}");

        let mut found = vec![Vector6::zeros(); stress.len()];
        rod.consistent_stress(&mut scratch, &[], &mut found).unwrap();
        let apart = found.iter().map(|found| (found - n).amax()).fold(0.0, f64::max);
        // Strains hold 1e-16, the stiffest of them gives 50 N for one.
        assert!(apart < 1e-12, "degree {degree}: stress off by {apart:e}");
        let energy = LENGTH * response.energy;
        for stored in [rod.elastic_energy(&scratch, Carried::of(&found)), rod.stored_energy(Carried::of(&stress))] {
            assert!((stored - energy).abs() < 1e-12 * energy, "degree {degree}: energy {stored} for {energy}");
        }
        for sample in rod.sample(&at, Carried::of(&stress), 11) {
            let pose = Pose::identity().advance(&strain, sample.s);
            assert!(sample.pose.boxminus(&pose).to_vector().amax() < 1e-13);
            assert!((sample.strain.to_vector() - strain.to_vector()).amax() < 1e-14);
        }
    }
}

/// Newton for a dead force on the tip, in steps of the load.
fn solve(rod: &Rod, force: &Vector3<f64>) -> (Vec<Pose>, Vec<Vector6<f64>>) {
    let mut at = rod.curve().starting_poses();
    let mut stress = vec![Vector6::zeros(); rod.stress_count()];
    let (poses, stresses) = (at.len(), stress.len());
    let pose: Vec<Option<Node>> = (0..poses).map(|m| (m > 0).then(|| Node::new(m - 1))).collect();
    let node: Vec<Node> = (0..stresses).map(|a| Node::new(poses - 1 + a)).collect();
    let nodes = RodNodes { pose: &pose, stress: &node };
    let mut scratch = RodScratch::new(rod);
    let mut map = PoseMap::new(rod.curve().increments());
    let tip = SectionLoad::on(LoadFrame::World, Wrench::new(Vector3::zeros(), *force));
    for factor in [0.25, 0.5, 0.75, 1.0] {
        for iteration in 0.. {
            rod.fill_increments(&at, &mut scratch);
            rod.fill_tangent(Carried::of(&stress), &mut scratch);
            map.fill(&scratch.psi);
            let mut dense = Dense::new(6 * (poses - 1 + stresses));
            rod.add_tangent(&scratch, &map, &scratch.gradient, &nodes, &mut dense);
            rod.add_compliance(&scratch, -1.0, &nodes, &mut dense);
            let load = tip.evaluate(&at[poses - 1].rotation, factor);
            let f: DualVector = load.wrench.into();
            let last = Node::new(poses - 2);
            dense.add_general(last, last, &-(load.tangent - f.skew().covector_map() * 0.5));
            let mut rows: Vec<Vector6<f64>> =
                (1..poses).map(|l| map.pull_back(&scratch.gradient, l).wrench().to_vector()).collect();
            rows[poses - 2] -= f.wrench().to_vector();
            rows.extend(&scratch.misfit);
            let right = DVector::from_vec(rows.iter().flat_map(|v| v.as_slice().to_vec()).collect());
            let step = twists(&-dense.0.lu().solve(&right).unwrap());
            for (g, z) in at[1..].iter_mut().zip(&step) {
                *g = g.boxplus(z);
            }
            for (beta, z) in stress.iter_mut().zip(&step[poses - 1..]) {
                *beta += z.to_vector();
            }
            let size = step[..poses - 1].iter().map(|z| z.to_vector().amax()).fold(0.0, f64::max);
            if size < 1e-9 {
                break;
            }
            assert!(iteration < 30, "no convergence at {factor}: {size:e}");
        }
    }
    (at, stress)
}

/// Against an integration of the rod's own differential equation with the same law, which knows no spline: the stress in
/// a section is the dead force and its moment about it.
#[test]
fn stiffening_rod_bends_as_its_differential_equation_says() {
    let force = Vector3::new(-1.0, 2.0, 5.0);
    let error = |spans: usize| {
        let model = scene_rod(3, spans, &mut Random(37));
        let (at, stress) = solve(&stiffened(&model), &force);
        let tip = at[at.len() - 1];
        let spatial = Wrench::new(tip.position.cross(&force), force);
        let (law, natural) = (law(&model), model.natural.strain_at(0.0).unwrap().to_vector());
        let slope = |g: &Pose| {
            let n = g.coadjoint_wrench(&spatial).to_vector();
            Strain::from_vector(&(natural + law.strain(&n)))
        };
        // Midpoint rule on the group, twice, and extrapolated: fourth order.
        let end = |steps: usize| {
            let h = LENGTH / steps as f64;
            (0..steps).fold(Pose::identity(), |g, _| g.advance(&slope(&g.advance(&slope(&g), 0.5 * h)), h))
        };
        let (rough, fine) = (end(2000).position, end(4000).position);
        let exact = fine + (fine - rough) / 3.0;
        let bent = (exact - rod_tip(&model)).norm();
        assert!(bent > 0.3, "the force bends the rod by {bent} only");
        // The stress at the base is what the base takes.
        let base = (stress[0] - at[0].coadjoint_wrench(&spatial).to_vector()).amax();
        ((tip.position - exact).norm(), base)
    };
    let (coarse, fine) = (error(4), error(8));
    let order = (coarse.0 / fine.0).log2();
    assert!(order > 3.7 && fine.0 < 1e-4, "order {order}: {:e}, {:e}", coarse.0, fine.0);
    assert!(fine.1 < coarse.1, "stress at the base off by {:e} and {:e}", coarse.1, fine.1);
}

fn rod_tip(model: &lissome_model::Rod) -> Vector3<f64> {
    Pose::identity().advance(&model.natural.strain_at(0.0).unwrap(), LENGTH).position
}

/// The stresses found for strain moments have these moments, far beyond the linear range.
#[test]
fn stresses_of_a_strain_have_that_strain() {
    for degree in 1..=5 {
        let random = &mut Random(41 + degree as u64);
        let rod = stiffened(&scene_rod(degree, 4, random));
        let at = poses(&rod, random);
        let mut scratch = RodScratch::new(&rod);
        rod.fill_increments(&at, &mut scratch);
        rod.fill_strain(&mut scratch);
        let mut stress = vec![Vector6::zeros(); rod.stress_count()];
        rod.consistent_stress(&mut scratch, &[], &mut stress).unwrap();
        rod.fill_gradient(Carried::of(&stress), &mut scratch);
        let misfit = scratch.misfit.iter().map(|m| m.amax()).fold(0.0, f64::max);
        assert!(misfit < 1e-12, "degree {degree}: {misfit:e}");
    }
}

/// M of the last assembly: times and solve undo each other, and a step of stresses has the work of the energy's slope.
#[test]
fn compliance_is_solved_and_multiplied_alike() {
    for (seed, model) in models().iter().enumerate() {
        let random = &mut Random(60 + seed as u64);
        let rod = model.rod(3, random);
        if !rod.has_independent_stress() {
            continue;
        }
        let at = poses(&rod, random);
        let mut scratch = RodScratch::new(&rod);
        rod.fill_increments(&at, &mut scratch);
        let list = |random: &mut Random| (0..rod.stress_count()).map(|_| random.twist(1.0).to_vector()).collect();
        let (stress, step): (Vec<Vector6<f64>>, Vec<Vector6<f64>>) = (list(random), list(random));
        rod.fill_tangent(Carried::of(&stress), &mut scratch);
        let mut y = step.clone();
        rod.compliance_times(&mut scratch.compliance, &step, &mut y);
        rod.solve_compliance(&mut scratch.compliance, &mut y).unwrap();
        let apart = y.iter().zip(&step).map(|(y, x)| (y - x).amax()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{}: {apart:e}", model.name);
        let work = rod.stress_work(&mut scratch, &stress, &step);
        let energy = |h: f64| {
            let moved: Vec<_> = stress.iter().zip(&step).map(|(s, x)| s + x * h).collect();
            rod.stored_energy(Carried::of(&moved))
        };
        let slope = (energy(H) - energy(-H)) / (2.0 * H);
        // U = n·e − c and e = ∂c/∂n, so ∂U = n·C ∂n for every law.
        assert!((slope - work.linear).abs() < DIFFERENCES * work.linear.abs().max(1.0), "{}", model.name);
    }
}
