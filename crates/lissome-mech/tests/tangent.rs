//! Residual and tangent of the assembled system against finite differences, for every form, degree and load.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Twist, Wrench};
use lissome_mech::{CurvatureOf, State, System};
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
}

fn scene(degree: usize, form: StrainForm, conservative: bool, closed: bool, random: &mut Random) -> Scene {
    // A full, coupled stiffness: no formula may rely on a diagonal one.
    let mut stiffness = Matrix6::from_diagonal(&Vector6::new(1.3, 2.0, 3.0, 50.0, 30.0, 20.0));
    let skew = Matrix6::from_fn(|_, _| 0.2 * random.next());
    stiffness += skew * skew.transpose();
    let mut mass = Matrix6::zeros();
    mass.fixed_view_mut::<3, 3>(3, 3).fill_with_identity();
    let section = Section::Given { stiffness, mass, damping: 0.0, radius: 0.01 };
    let rod = Rod {
        name: "rod".into(),
        length: 1.7,
        profile: Profile::uniform(section),
        natural: NaturalShape::curved(random.vector()),
        base: Some(Pose::new(Rotation::exp(&random.vector()), random.vector()).into()),
        tip: closed.then(|| Pose::new(Rotation::exp(&random.vector()), random.vector()).into()),
        discretization: Discretization::Spline { degree, resolution: Resolution::Spans(4), form },
    };
    let wrench = |random: &mut Random, moment: f64| Wrench::new(random.vector() * moment, random.vector());
    let m = if conservative { 0.0 } else { 1.0 };
    let mut loads = vec![
        Load {
            name: "tip".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Point { at: 1.7, wrench: wrench(random, m) },
        },
        Load {
            name: "mid".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Point { at: 0.6, wrench: wrench(random, m) },
        },
        Load {
            name: "line".into(),
            rod: 0,
            frame: LoadFrame::World,
            kind: LoadKind::Distributed { from: 0.2, to: 1.1, per_length: wrench(random, m) },
        },
    ];
    if !conservative {
        loads.push(Load {
            name: "follow".into(),
            rod: 0,
            frame: LoadFrame::Body,
            kind: LoadKind::Point { at: 1.7, wrench: wrench(random, 1.0) },
        });
        loads.push(Load {
            name: "pressure".into(),
            rod: 0,
            frame: LoadFrame::Body,
            kind: LoadKind::Distributed { from: 0.0, to: 1.7, per_length: wrench(random, 1.0) },
        });
    }
    Scene { title: String::new(), gravity: random.vector(), rods: vec![rod], loads, ..Scene::default() }
}

fn perturbed(system: &System, random: &mut Random) -> State {
    let mut state = system.natural_state();
    for (pose, block) in state.poses.iter_mut().zip(&system.pose_block) {
        if block.is_some() {
            *pose = pose.boxplus(&random.twist(0.3));
        }
    }
    for free in state.stress.iter_mut().chain(&mut state.reactions) {
        *free = random.twist(1.0).to_vector();
    }
    state
}

fn moved(system: &System, state: &State, x: &DVector<f64>, h: f64) -> State {
    let mut out = state.clone();
    for (pose, block) in out.poses.iter_mut().zip(&system.pose_block) {
        if let Some(block) = block {
            let d = Vector6::from_column_slice(&x.as_slice()[6 * block..][..6]);
            *pose = pose.boxplus(&Twist::from_vector(&(d * h)));
        }
    }
    for rod in &system.rods {
        if rod.form == StrainForm::Mixed {
            for a in rod.first_stress..rod.first_stress + rod.stress_count() {
                let block = system.stress_block[a];
                out.stress[a] += Vector6::from_column_slice(&x.as_slice()[6 * block..][..6]) * h;
            }
        }
    }
    for (reaction, closure) in out.reactions.iter_mut().zip(&system.closures) {
        *reaction += Vector6::from_column_slice(&x.as_slice()[6 * closure.block..][..6]) * h;
    }
    out
}

/// The tangent in exponential coordinates differs from the derivative of the left-trivialised residual by
/// ½Mx(r) on the diagonal, so add that before comparing.
#[test]
fn tangent_is_the_derivative_of_the_residual() {
    for form in [StrainForm::Mixed, StrainForm::Printed] {
        for degree in 1..=5 {
            for (conservative, closed) in [(true, false), (false, false), (true, true), (false, true)] {
                let mut random = Random(degree as u64 * 7 + conservative as u64);
                let scene = scene(degree, form, conservative, closed, &mut random);
                scene.validate().unwrap();
                let system = System::compile(&scene).unwrap();
                assert_eq!(system.is_conservative(), conservative);
                let mut work = system.workspace();
                let mut state = perturbed(&system, &mut random);
                if form == StrainForm::Printed {
                    system.make_stress_consistent(&mut state, &mut work);
                }
                let n = system.unknowns();
                let residual = |state: &State, work: &mut lissome_mech::Workspace| {
                    let mut state = state.clone();
                    if form == StrainForm::Printed {
                        system.make_stress_consistent(&mut state, work);
                    }
                    system.assemble(&state, 0.7, CurvatureOf::Poses, work);
                    -DVector::from_column_slice(work.right_hand_side())
                };
                let mut dense = DMatrix::zeros(n, n);
                let at = residual(&state, &mut work);
                for c in 0..n {
                    let mut x = vec![0.0; n];
                    x[c] = 1.0;
                    let mut y = vec![0.0; n];
                    work.multiply(&x, &mut y);
                    dense.set_column(c, &DVector::from_vec(y));
                }
                for block in system.pose_block.iter().flatten() {
                    let r = Vector6::from_column_slice(&at.as_slice()[6 * block..][..6]);
                    let w = Wrench::from_vector(&r);
                    let mx = lissome_lie::dual::DualVector::from(w).skew().covector_map();
                    let mut view = dense.fixed_view_mut::<6, 6>(6 * block, 6 * block);
                    view += mx * 0.5;
                }
                let h = 1e-5;
                let mut worst: f64 = 0.0;
                for _ in 0..6 {
                    let x = DVector::from_fn(n, |_, _| random.next());
                    let plus = residual(&moved(&system, &state, &x, h), &mut work);
                    let minus = residual(&moved(&system, &state, &x, -h), &mut work);
                    let finite = (plus - minus) / (2.0 * h);
                    let exact = &dense * &x;
                    worst = worst.max((finite - &exact).amax() / exact.amax());
                }
                // Central differences: h² truncation and 1e-16/h round-off leave about 1e-9.
                assert!(
                    worst < 1e-7,
                    "{form:?} degree {degree} conservative {conservative} closed {closed}: {worst:e}"
                );
            }
        }
    }
}
