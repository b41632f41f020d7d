//! Inertia and the balance of a time step against finite differences, for every degree and kind of impulse.
#![allow(clippy::unwrap_used)]

use lissome_lie::dual::DualVector;
use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_mech::element::spline::SplineRod;
use lissome_mech::element::spline::inertia::{RodInertia, RodShape};
use lissome_mech::element::spline::pose_map::{PoseMap, RodBlocks};
use lissome_mech::element::spline::step::{EndLoads, RodStep};
use lissome_mech::element::spline::step_tangent::StepPoint;
use lissome_mech::element::spline::tangent::RodScratch;
use lissome_mech::impulse::{Impulse, StepRule, momentum};
use lissome_mech::index::Node;
use lissome_mech::load::SectionLoad;
use lissome_mech::sink::BlockSink;
use lissome_model::*;
use nalgebra::{DMatrix, DVector, Matrix6, Vector3, Vector6};

/// Small deterministic generator: tests must not depend on a library's stream.
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
    fn twist(&mut self, size: f64) -> Twist {
        Twist::new(self.vector(), self.vector()) * size
    }
    /// Symmetric positive definite, nothing zero: no formula may rely on a diagonal matrix.
    fn definite(&mut self, diagonal: [f64; 6]) -> Matrix6<f64> {
        let x = Matrix6::from_fn(|_, _| 0.2 * self.next());
        Matrix6::from_diagonal(&Vector6::from(diagonal)) + x * x.transpose()
    }
}

fn rod(degree: usize, random: &mut Random) -> SplineRod {
    let section = Section::Given {
        stiffness: random.definite([1.3, 2.0, 3.0, 50.0, 30.0, 20.0]),
        mass: random.definite([0.3, 0.2, 0.25, 1.0, 1.0, 1.0]),
        damping: 0.1,
        radius: 0.01,
    };
    let model = Rod {
        name: "rod".into(),
        length: 1.7,
        profile: Profile::uniform(section),
        natural: NaturalShape::curved(random.vector()),
        base: Some(Pose::new(Rotation::exp(&random.vector()), random.vector()).into()),
        tip: None,
        discretization: Discretization::Spline { degree, resolution: Resolution::Spans(3), form: StrainForm::Mixed },
        ..Rod::default()
    };
    SplineRod::compile(&model, "rod", &[]).unwrap()
}

fn poses(rod: &SplineRod, random: &mut Random) -> Vec<Pose> {
    let knots = rod.knot_vector();
    let bend = lissome_lie::Strain::new(random.vector(), Vector3::x() + random.vector() * 0.1);
    let base = Pose::new(Rotation::exp(&random.vector()), random.vector());
    (0..rod.pose_count).map(|i| base.advance(&bend, knots.greville(i)).boxplus(&random.twist(0.1))).collect()
}

fn moved(poses: &[Pose], x: &DVector<f64>, h: f64) -> Vec<Pose> {
    let step = |m: usize| Twist::from_vector(&Vector6::from_column_slice(&x.as_slice()[6 * m..][..6])) * h;
    poses.iter().enumerate().map(|(m, g)| g.boxplus(&step(m))).collect()
}

fn twists(x: &DVector<f64>) -> Vec<Twist> {
    x.as_slice().chunks_exact(6).map(|c| Twist::from_vector(&Vector6::from_column_slice(c))).collect()
}

#[test]
fn jacobians_of_points_and_strains_are_derivatives() {
    for degree in 1..=5 {
        let random = &mut Random(degree as u64);
        let rod = rod(degree, random);
        let at = poses(&rod, random);
        let n = 6 * rod.pose_count;
        let [mut shape, mut plus, mut minus] = [RodShape::new(&rod), RodShape::new(&rod), RodShape::new(&rod)];
        rod.fill_shape(&at, &mut shape);
        let x = DVector::from_fn(n, |_, _| random.next());
        let h = 1e-5;
        rod.fill_shape(&moved(&at, &x, h), &mut plus);
        rod.fill_shape(&moved(&at, &x, -h), &mut minus);
        let mut eta = vec![DualVector::zero(); rod.points.len()];
        rod.velocities_at_points(&shape, &twists(&x), |q, found| eta[q] = found);
        for q in 0..rod.points.len() {
            let finite = plus.points[q].pose.boxminus(&minus.points[q].pose) * (0.5 / h);
            let error = (finite - eta[q].twist()).to_vector().amax();
            // Central differences: h² truncation and 1e-16/h round-off leave about 1e-9.
            assert!(error < 1e-7, "degree {degree}, point {q}: {error:e}");
        }
        let mut rate = vec![Vector6::zeros(); rod.increments()];
        rod.strain_rate(&shape, &twists(&x), &mut rate);
        for a in 0..rod.increments() {
            let finite = (plus.strain[a] - minus.strain[a]) * (0.5 / h);
            assert!((finite - rate[a]).amax() < 1e-7, "degree {degree}, stress {a}");
        }
    }
}

/// A dense matrix that takes blocks.
struct Dense(DMatrix<f64>);
impl BlockSink for Dense {
    fn add_symmetric(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        self.add_general(row, column, block);
        if row != column {
            self.add_general(column, row, &block.transpose());
        }
    }
    fn add_general(&mut self, row: Node, column: Node, block: &Matrix6<f64>) {
        let mut view = self.0.fixed_view_mut::<6, 6>(6 * row.index(), 6 * column.index());
        view += block;
    }
}

#[test]
fn mass_is_that_of_the_kinetic_energy() {
    for degree in 1..=5 {
        let random = &mut Random(40 + degree as u64);
        let rod = rod(degree, random);
        let inertia = RodInertia::new(&rod);
        let mut shape = RodShape::new(&rod);
        let at = poses(&rod, random);
        rod.fill_shape(&at, &mut shape);
        let n = 6 * rod.pose_count;
        let mut mass = Dense(DMatrix::zeros(n, n));
        let blocks: Vec<Option<Node>> = Node::first(rod.pose_count).map(Some).collect();
        rod.add_mass(&inertia, &shape, &blocks, &mut mass);
        let v = DVector::from_fn(n, |_, _| random.next());
        let mut eta = vec![DualVector::zero(); rod.points.len()];
        rod.velocities_at_points(&shape, &twists(&v), |q, found| eta[q] = found);
        let twice: f64 = (0..eta.len()).map(|q| momentum(&inertia.mass[q], &eta[q]).dot(&eta[q]).du).sum();
        assert!((v.dot(&(&mass.0 * &v)) - twice).abs() < 1e-12 * twice);
        // A rigid motion moves every section as itself, whatever the spline.
        let c = random.twist(1.0);
        let rigid: Vec<f64> =
            at.iter().flat_map(|g| g.inverse().adjoint_twist(&c).to_vector().as_slice().to_vec()).collect();
        let rigid = DVector::from_vec(rigid);
        let expected: f64 = (0..eta.len())
            .map(|q| {
                let eta = shape.points[q].pose.inverse().adjoint_twist(&c).to_vector();
                eta.dot(&(inertia.mass[q] * eta))
            })
            .sum();
        assert!((rigid.dot(&(&mass.0 * &rigid)) - expected).abs() < 1e-12 * expected, "degree {degree}");
    }
}

struct Setting {
    rod: SplineRod,
    inertia: RodInertia,
    loads: Vec<SectionLoad>,
    start: Vec<Pose>,
    end: Vec<Pose>,
    stress: Vec<Vector6<f64>>,
    step: RodStep,
}

fn setting(degree: usize, motion: f64, random: &mut Random) -> Setting {
    let rod = rod(degree, random);
    let inertia = RodInertia::new(&rod);
    let wrench = |random: &mut Random| Wrench::new(random.vector() * 0.0, random.vector());
    let loads = rod
        .points
        .iter()
        .map(|_| SectionLoad { dead: wrench(random), follower: Wrench::new(random.vector(), random.vector()) })
        .collect();
    let start = poses(&rod, random);
    let common = random.twist(motion);
    let end: Vec<Pose> = start.iter().map(|g| g.boxplus(&(common + random.twist(0.3 * motion)))).collect();
    let stress = (0..rod.increments()).map(|_| random.twist(1.0).to_vector()).collect();
    let mut step = RodStep::new(&rod);
    rod.fill_shape(&start, &mut step.start);
    for q in 0..rod.points.len() {
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
        let n = 6 * self.rod.pose_count;
        let end = moved(&self.end, &x.rows(0, n).into_owned(), h);
        let stress: Vec<Vector6<f64>> = self
            .stress
            .iter()
            .enumerate()
            .map(|(a, s)| s + Vector6::from_column_slice(&x.as_slice()[n + 6 * a..][..6]) * h)
            .collect();
        let loads = EndLoads { at_points: &self.loads, factor: 0.8 };
        self.rod.step_residual(rule, &self.inertia, &self.start, &end, &stress, loads, &mut self.step);
        let mut out = Vec::new();
        for r in &self.step.balance {
            out.extend_from_slice(r.wrench().to_vector().as_slice());
        }
        for s in &self.step.misfit {
            out.extend_from_slice(s.as_slice());
        }
        DVector::from_vec(out)
    }

    /// Largest relative difference between the tangent and central differences of the residual.
    fn tangent_error(&mut self, rule: &StepRule, random: &mut Random) -> f64 {
        let (poses, stresses) = (self.rod.pose_count, self.rod.increments());
        let n = 6 * (poses + stresses);
        let zero = DVector::zeros(n);
        self.residual(rule, &zero, 0.0);
        let mut dense = Dense(DMatrix::zeros(n, n));
        let pose: Vec<Option<Node>> = Node::first(poses).map(Some).collect();
        let stress: Vec<Node> = (poses..poses + stresses).map(Node::new).collect();
        let mut scratch = RodScratch::new(&self.rod);
        let mut map = PoseMap::new(stresses);
        let at = StepPoint {
            start: &self.start,
            end: &self.end,
            stress: &self.stress,
            loads: EndLoads { at_points: &self.loads, factor: 0.8 },
        };
        let blocks = RodBlocks { pose: &pose, stress: &stress };
        let (inertia, step) = (&self.inertia, &mut self.step);
        self.rod.add_step_tangent(rule, inertia, &at, step, &mut scratch, &mut map, &blocks, &mut dense);
        let h = 1e-5;
        let mut worst: f64 = 0.0;
        for _ in 0..4 {
            let x = DVector::from_fn(n, |_, _| random.next());
            let finite = (self.residual(rule, &x, h) - self.residual(rule, &x, -h)) / (2.0 * h);
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
    for degree in 1..=5 {
        for rule in &rules {
            let random = &mut Random(90 + degree as u64);
            let mut rule = *rule;
            let mut setting = setting(degree, 0.2, random);
            if rule.impulse == Impulse::Variational {
                setting.step.points.iter_mut().for_each(|point| point.known_velocity = DualVector::zero());
            }
            rule.rate = 4.0;
            let error = setting.tangent_error(&rule, random);
            assert!(error < 1e-7, "degree {degree}, {:?}: {error:e}", rule.impulse);
        }
    }
}

/// Where both ends of the step share the balance, the tangent leaves out ½θ⁰θ¹(Ĵ⁰ − J¹)ᵀMx(Φ)J¹, which vanishes with the
/// relative motion in the step; without it the tangent is exact.
#[test]
fn shared_tangent_leaves_out_what_it_says() {
    for degree in 1..=5 {
        let rule = rule(Impulse::Difference, [0.5, 0.5], [0.15, 0.15]);
        let error = |motion: f64| {
            let random = &mut Random(7 * degree as u64);
            setting(degree, motion, random).tangent_error(&rule, random)
        };
        let (large, small) = (error(0.2), error(0.02));
        assert!(large < 2e-2 && small < 0.15 * large + 1e-8, "degree {degree}: {large:e}, {small:e}");
    }
}

/// A rigid test motion sees only the spatial impulses and loads, so that internal forces carry no momentum.
#[test]
fn rigid_test_motions_see_only_impulses_and_loads() {
    for degree in 1..=5 {
        let random = &mut Random(300 + degree as u64);
        let mut setting = setting(degree, 0.3, random);
        for rule in
            [rule(Impulse::Difference, [0.5, 0.5], [0.15, 0.15]), rule(Impulse::Variational, [1.0, 0.0], [0.15, 0.0])]
        {
            let zero = DVector::zeros(6 * (setting.rod.pose_count + setting.rod.increments()));
            setting.residual(&rule, &zero, 0.0);
            let spatial = |g: &Pose, mu: &DualVector| g.inverse().coadjoint_wrench(&mu.wrench()).to_vector();
            let step = &setting.step;
            let balance: Vector6<f64> = setting.end.iter().zip(&step.balance).map(|(g, r)| spatial(g, r)).sum();
            let mut expected = Vector6::zeros();
            for q in 0..setting.rod.points.len() {
                let (before, after) = (&step.start.points[q].pose, &step.end.points[q].pose);
                let load: DualVector = setting.loads[q].evaluate(&after.rotation, 0.8).wrench.into();
                expected += spatial(after, &step.points[q].impulse)
                    - spatial(before, &step.points[q].start_load) * rule.force[0]
                    - spatial(after, &load) * rule.force[1];
            }
            assert!(
                (balance - expected).amax() < 1e-12 * expected.amax(),
                "degree {degree}: {:e}",
                (balance - expected).amax()
            );
        }
    }
}
