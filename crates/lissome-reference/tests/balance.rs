//! What must hold for any equilibrium: global balance of forces and moments, objectivity, independence of units and
//! of the end that is held.
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::{Load, LoadFrame, LoadKind, Material, NaturalShape, Profile, Scene, Section, Shape, Station};
use lissome_reference::network::{self, SceneNetwork};
use lissome_reference::{CosseratSolution, solve_cantilever};
use nalgebra::Vector3;
use proptest::prelude::*;
use scenes::{cantilever, with_load};

/// A strip that goes over into a tapered round rod, curved and twisted by nature, heavy, with every kind of load on it.
fn everything() -> Scene {
    let material = Material::from_poisson(3e6, 0.4).with_density(1100.0);
    let strip = Section::plain(Shape::Rectangle { width: 0.03, height: 0.01 }, material);
    let round = |radius: f64| Section::circle(radius, material);
    let station = |s: f64, section: Section| Station { s, section };
    let profile = Profile {
        stations: vec![
            station(0.0, strip.clone()),
            station(0.25, strip),
            station(0.25, round(0.008)),
            station(0.6, round(0.005)),
        ],
    };
    let mut scene = cantilever(0.6, profile);
    scene.gravity = Vector3::new(0.3, -0.5, -9.81);
    scene.rods[0].natural = NaturalShape::Curvature(vec![
        (0.0, Vector3::new(2.0, -1.0, 0.5)),
        (0.2, Vector3::new(0.0, 1.5, -2.0)),
        (0.4, Vector3::new(-1.0, 1.0, 2.0)),
        (0.4, Vector3::new(1.0, 0.0, 0.0)),
    ]);
    let wrench = |a: [f64; 3], b: [f64; 3]| Wrench::new(a.into(), b.into());
    let point = |at: f64, wrench: Wrench| LoadKind::Point { at, wrench };
    for (frame, kind) in [
        (LoadFrame::World, point(0.6, wrench([1e-3, 2e-3, -1e-3], [0.02, 0.03, 0.05]))),
        (LoadFrame::Body, point(0.6, wrench([-2e-3, 1e-3, 2e-3], [-0.03, 0.02, 0.02]))),
        (LoadFrame::World, point(0.31, wrench([2e-3, 0.0, 1e-3], [0.0, -0.08, 0.1]))),
        (LoadFrame::Body, point(0.17, wrench([0.0, 3e-3, 0.0], [0.0, 0.1, 0.05]))),
        (
            LoadFrame::World,
            LoadKind::Distributed { from: 0.1, to: 0.45, per_length: wrench([3e-3, 1e-3, 0.0], [0.1, 0.2, 0.1]) },
        ),
        (
            LoadFrame::Body,
            LoadKind::Distributed { from: 0.3, to: 0.6, per_length: wrench([0.0, -3e-3, 2e-3], [0.0, 0.15, -0.1]) },
        ),
    ] {
        scene = with_load(scene, frame, kind);
    }
    scene
}

/// Nodes and weights of the five-point Gauss rule on [0, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.046910077030668, 0.118463442528095),
    (0.230765344947158, 0.239314335249683),
    (0.5, 0.284444444444444),
    (0.769234655052842, 0.239314335249683),
    (0.953089922969332, 0.118463442528095),
];

/// Everything that acts, summed about `origin`, from the solved shape and the scene alone.
fn total_load(scene: &Scene, solution: &CosseratSolution, origin: &Vector3<f64>) -> Wrench {
    let rod = &scene.rods[0];
    let mut sum = Wrench::zero();
    let mut add = |s: f64, frame: LoadFrame, w: Wrench, weight: f64| {
        let pose = solution.pose(s);
        let turned = match frame {
            LoadFrame::World => w,
            LoadFrame::Body => Wrench::new(pose.rotation.rotate(&w.moment), pose.rotation.rotate(&w.force)),
        };
        let moment = turned.moment + (pose.position - origin).cross(&turned.force);
        sum += Wrench::new(moment, turned.force) * weight;
    };
    // The strain jumps where a point load acts, too.
    let breaks = [0.0, 0.1, 0.17, 0.2, 0.25, 0.3, 0.31, 0.4, 0.45, rod.length];
    let mut integrate = |from: f64, to: f64, per_length: &dyn Fn(f64) -> (LoadFrame, Wrench)| {
        for w in breaks.windows(2).filter(|w| w[0] >= from && w[1] <= to) {
            // Eight panels of the tenth-order rule between breaks: far below the balance asked for.
            let panel = (w[1] - w[0]) / 8.0;
            for i in 0..8 {
                for (x, weight) in GAUSS {
                    let s = w[0] + panel * (f64::from(i) + x);
                    let (frame, load) = per_length(s);
                    add(s, frame, load, weight * panel);
                }
            }
        }
    };
    integrate(0.0, rod.length, &|s| {
        let mass = rod.profile.at(s).mass()[(3, 3)];
        (LoadFrame::World, Wrench::new(Vector3::zeros(), scene.gravity * mass))
    });
    for Load { frame, kind, .. } in &scene.loads {
        if let LoadKind::Distributed { from, to, per_length } = *kind {
            integrate(from, to, &|_| (*frame, per_length));
        }
    }
    for Load { frame, kind, .. } in &scene.loads {
        if let LoadKind::Point { at, wrench } = *kind {
            add(at, *frame, wrench, 1.0);
        }
    }
    sum
}

#[test]
fn the_base_carries_everything() {
    let scene = everything();
    let solution = solve_cantilever(&scene, 0, None).unwrap();
    let total = total_load(&scene, &solution, &Vector3::zeros());
    let defect = total - solution.base_wrench;
    assert!(defect.force.amax() < 1e-10 * total.force.norm(), "{defect:?}");
    assert!(defect.moment.amax() < 1e-10 * total.moment.norm(), "{defect:?}");
    // The rod is far from its natural shape, so that the balance says something.
    let mut unloaded = everything();
    unloaded.loads.clear();
    unloaded.gravity = Vector3::zeros();
    let natural = solve_cantilever(&unloaded, 0, None).unwrap();
    assert!((natural.tip().position - solution.tip().position).norm() > 0.1);
}

#[test]
fn a_rod_held_by_its_tip_is_the_same_rod() {
    // The whole rod as a free body: held at the tip where the first solution has it, with the first solution's base
    // reaction as a load at s = 0.
    let scene = everything();
    let by_base = solve_cantilever(&scene, 0, None).unwrap();
    let mut turned = scene.clone();
    turned.rods[0].base = None;
    turned.rods[0].tip = Some(by_base.tip().into());
    turned.loads.push(Load {
        name: "reaction".into(),
        rod: 0,
        frame: LoadFrame::World,
        kind: LoadKind::Point { at: 0.0, wrench: -by_base.base_wrench },
    });
    let by_tip = solve_cantilever(&turned, 0, None).unwrap();
    for s in [0.0, 0.13, 0.25, 0.31, 0.5, 0.6] {
        let (a, b) = (by_base.pose(s), by_tip.pose(s));
        assert!((a.position - b.position).amax() < 1e-10, "{s}");
        assert!((a.rotation.matrix() - b.rotation.matrix()).amax() < 1e-9, "{s}");
        assert!((by_base.stress(s) - by_tip.stress(s)).to_vector().amax() < 1e-10, "{s}");
    }
}

#[test]
fn the_network_of_a_scene_is_the_same_rod() {
    // Other unknowns, other path, a rod in ten pieces; held by its base, then hung by its tip.
    let scene = everything();
    let one = solve_cantilever(&scene, 0, None).unwrap();
    let mut hung = scene.clone();
    hung.rods[0].base = None;
    hung.rods[0].tip = Some(one.tip().into());
    hung.loads.push(Load {
        name: "reaction".into(),
        rod: 0,
        frame: LoadFrame::World,
        kind: LoadKind::Point { at: 0.0, wrench: -one.base_wrench },
    });
    for scene in [scene, hung] {
        let read = SceneNetwork::new(&scene, 0.0).unwrap();
        let solved = network::solve(&read.network).unwrap();
        for s in [0.0, 0.13, 0.25, 0.31, 0.5, 0.6] {
            let (a, b) = (one.pose(s), read.rod_pose(&solved, 0, s));
            assert!((a.position - b.position).amax() < 1e-10, "{s}");
            assert!((a.rotation.matrix() - b.rotation.matrix()).amax() < 1e-9, "{s}");
            let w = read.rod_wrench(&solved, 0, s);
            let world = Wrench::new(a.rotation.rotate(&one.stress(s).moment), a.rotation.rotate(&one.stress(s).force));
            assert!((w - world).to_vector().amax() < 1e-10, "{s}");
        }
    }
}

#[test]
fn stress_jumps_by_a_point_load() {
    let solution = solve_cantilever(&everything(), 0, None).unwrap();
    let (before, after) = (solution.stress(0.31 - 1e-12), solution.stress(0.31));
    let r = solution.pose(0.31).rotation;
    let jump = before - after;
    assert!((r.rotate(&jump.force) - Vector3::new(0.0, -0.08, 0.1)).amax() < 1e-10);
    assert!((r.rotate(&jump.moment) - Vector3::new(2e-3, 0.0, 1e-3)).amax() < 1e-10);
}

/// The scene in SI units of another world: lengths × a, forces × b (time and gravity stay).
fn rescaled(scene: &Scene, a: f64, b: f64) -> Scene {
    let mut scaled = scene.clone();
    scaled.rods[0].length *= a;
    for station in &mut scaled.rods[0].profile.stations {
        station.s *= a;
        if let Section::Layers { layers, .. } = &mut station.section {
            for layer in layers {
                layer.shape = match layer.shape {
                    Shape::Circle { radius } => Shape::Circle { radius: radius * a },
                    Shape::Annulus { inner, outer } => Shape::Annulus { inner: inner * a, outer: outer * a },
                    Shape::Rectangle { width, height } => Shape::Rectangle { width: width * a, height: height * a },
                };
                layer.material.young *= b / (a * a);
                layer.material.shear *= b / (a * a);
                layer.material.density = layer.material.density.map(|x| x * b / a.powi(3));
            }
        }
    }
    if let NaturalShape::Curvature(table) = &mut scaled.rods[0].natural {
        for (s, k) in table {
            *s *= a;
            *k /= a;
        }
    }
    let change = |w: Wrench| Wrench::new(w.moment * (a * b), w.force * b);
    for load in &mut scaled.loads {
        load.kind = match load.kind {
            LoadKind::Point { at, wrench } => LoadKind::Point { at: at * a, wrench: change(wrench) },
            LoadKind::Distributed { from, to, per_length } => {
                LoadKind::Distributed { from: from * a, to: to * a, per_length: change(per_length) * (1.0 / a) }
            }
        };
    }
    scaled
}

#[test]
fn units_do_not_matter() {
    let scene = everything();
    let one = solve_cantilever(&scene, 0, None).unwrap();
    for (a, b) in [(1e-3, 1e-6), (1e3, 1e6)] {
        let other = solve_cantilever(&rescaled(&scene, a, b), 0, None).unwrap();
        assert!((other.tip().position / a - one.tip().position).amax() < 1e-11);
        assert!((other.elastic_energy / (a * b) - one.elastic_energy).abs() < 1e-10 * one.elastic_energy);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn a_rigid_motion_changes_nothing(
        turn in prop::array::uniform3(-3.0..3.0f64),
        shift in prop::array::uniform3(-10.0..10.0f64),
    ) {
        let scene = everything();
        let motion = Pose::new(Rotation::exp(&turn.into()), shift.into());
        let mut moved = scene.clone();
        moved.gravity = motion.rotation.rotate(&scene.gravity);
        moved.rods[0].base = scene.rods[0].base.map(|base| (motion * base.pose).into());
        for load in &mut moved.loads {
            if load.frame == LoadFrame::World {
                let turned = |w: Wrench| {
                    Wrench::new(motion.rotation.rotate(&w.moment), motion.rotation.rotate(&w.force))
                };
                load.kind = match load.kind {
                    LoadKind::Point { at, wrench } => LoadKind::Point { at, wrench: turned(wrench) },
                    LoadKind::Distributed { from, to, per_length } => {
                        LoadKind::Distributed { from, to, per_length: turned(per_length) }
                    }
                };
            }
        }
        let (a, b) = (solve_cantilever(&scene, 0, None).unwrap(), solve_cantilever(&moved, 0, None).unwrap());
        for s in [0.2, 0.45, 0.6] {
            let (expected, found) = (motion * a.pose(s), b.pose(s));
            prop_assert!((expected.position - found.position).amax() < 1e-11);
            prop_assert!((expected.rotation.matrix() - found.rotation.matrix()).amax() < 1e-11);
            prop_assert!((a.stress(s) - b.stress(s)).to_vector().amax() < 1e-11);
        }
        prop_assert!((a.elastic_energy - b.elastic_energy).abs() < 1e-11);
    }
}
