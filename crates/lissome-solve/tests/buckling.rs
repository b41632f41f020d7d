//! Critical loads against closed forms.
#![allow(clippy::unwrap_used)]

mod motion_scenes;

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_mech::System;
use lissome_model::*;
use lissome_reference::analytic::arch::{Arch, Foot};
use lissome_reference::analytic::critical_load::{self, Ends};
use lissome_solve::buckling::{self, Buckling, BucklingError, CriticalKind};
use motion_scenes::*;
use nalgebra::{Matrix6, Vector3, Vector6};
use std::f64::consts::PI;

/// A column along x with EI = L = 1 in the weak plane (y), four times as much in the other; EA and GA of L/r = 1000.
fn column() -> Rod {
    let mut model = rod(1.0, Profile::uniform(section([1.0, 4.0, 1.0])), 16);
    model.name = "column".into();
    model
}

fn section(bending: [f64; 3]) -> Section {
    let [torsion, y, z] = bending;
    let stiffness = Matrix6::from_diagonal(&Vector6::new(torsion, y, z, 4e6, 4e6, 4e6));
    Section::Given { stiffness, mass: Matrix6::zeros(), radius: 1e-3, damping: 0.0 }
}

fn tip_load(frame: LoadFrame, force: Vector3<f64>) -> Load {
    let kind = LoadKind::Point { at: 1.0, wrench: Wrench::new(Vector3::zeros(), force) };
    Load { name: "tip".into(), rod: 0, frame, kind }
}

fn joint(name: &str, kind: JointKind, parent: Frame) -> Joint {
    let start = vec![0.0; kind.coordinates().len()];
    Joint { name: name.into(), kind, parent, motion: JointMotion::Free { start }, ..Joint::default() }
}

/// A column under a unit thrust at its tip, held as Euler's four are. The tip slides along x on a rail.
fn euler(ends: Ends) -> Scene {
    let mut model = column();
    let mut scene = scene_of(model.clone());
    let tip = Pose::at(Vector3::x());
    let (pinned, held) = match ends {
        Ends::ClampedFree => (false, false),
        Ends::PinnedPinned => (true, true),
        Ends::ClampedClamped => (false, true),
        Ends::ClampedPinned => (false, true),
    };
    let hinge = |parent: Frame, name: &str| joint(name, JointKind::Revolute { axis: Vector3::z() }, parent);
    if held {
        scene.joints.push(joint("rail", JointKind::Prismatic { axis: Vector3::x() }, Frame::world(tip)));
        let mut carries = 0;
        if ends != Ends::ClampedClamped {
            scene.joints.push(hinge(Frame::joint(0), "tip hinge"));
            carries = 1;
        }
        model.tip = Some(Frame::joint(carries));
    }
    if pinned {
        scene.joints.push(hinge(Frame::world(Pose::identity()), "base hinge"));
        model.base = Some(Frame::joint(2));
    }
    scene.rods = vec![model];
    scene.loads = vec![tip_load(LoadFrame::World, -Vector3::x())];
    scene
}

fn found(scene: &Scene, count: usize) -> (System, Buckling) {
    scene.validate().unwrap();
    let system = System::compile(scene).unwrap();
    let found = buckling::from_unloaded(&system, system.nominal_inputs(), count).unwrap();
    (system, found)
}

/// Euler's four columns: the lowest load within 1e-5, of which stretch and shear take 1e-6 to 1e-5.
#[test]
fn four_columns_of_euler() {
    for ends in [Ends::ClampedFree, Ends::PinnedPinned, Ends::ClampedPinned, Ends::ClampedClamped] {
        for loops in [LoopMethod::Embedding, LoopMethod::Constraints] {
            let (_, buckling) = found(&Scene { loops, ..euler(ends) }, 2);
            let first = &buckling.loads[0];
            let exact = critical_load::euler(1.0, 1.0, ends);
            println!(
                "{ends:?}, {loops:?}: {} for {exact}, estimate {}, {:?}",
                first.factor, first.estimate, first.kind
            );
            assert!((first.factor / exact - 1.0).abs() < 2e-5, "{ends:?}: {}", first.factor);
            assert!((first.estimate / exact - 1.0).abs() < 1e-3, "{ends:?}: {}", first.estimate);
            assert_eq!((first.kind, buckling.missed), (CriticalKind::Bifurcation, 0), "{ends:?}");
            assert!(first.uncertainty < 1e-6 * exact);
        }
    }
}

/// The cantilever buckles at (2k − 1)²π²/4 in its weak plane and at four times that in the other.
#[test]
fn higher_loads_of_a_cantilever() {
    let (_, buckling) = found(&euler(Ends::ClampedFree), 4);
    let unit = PI * PI / 4.0;
    // Weak 1, stiff 1, weak 3, weak 5; the stiff plane's second is 36.
    for (load, multiple) in buckling.loads.iter().zip([1.0, 4.0, 9.0, 25.0]) {
        println!("{} for {}", load.factor, multiple * unit);
        assert!((load.factor / (multiple * unit) - 1.0).abs() < 1e-4, "{} not {}", load.factor, multiple * unit);
    }
    // The first gives way along y, the second along z.
    let tip = |k: usize| buckling.loads[k].shape[18].linear;
    assert!(tip(0).y.abs() > 0.5 && tip(0).z.abs() < 1e-6, "{}", tip(0));
    assert!(tip(1).z.abs() > 0.5 && tip(1).y.abs() < 1e-6, "{}", tip(1));
}

/// A round column gives way to any side: every load twice.
#[test]
fn round_column_buckles_twice() {
    let mut scene = euler(Ends::ClampedFree);
    scene.rods[0].profile = Profile::uniform(section([1.0, 1.0, 1.0]));
    let (_, buckling) = found(&scene, 2);
    for load in &buckling.loads {
        assert!((load.factor / (PI * PI / 4.0) - 1.0).abs() < 1e-5, "{}", load.factor);
    }
    assert_eq!((buckling.loads.len(), buckling.missed), (2, 0));
    let across = |k: usize| buckling.loads[k].shape[18].linear;
    assert!(across(0).cross(&across(1)).norm() > 0.1, "two planes");
}

/// From the loaded state the same loads are found, and one above them is refused.
#[test]
fn from_the_loaded_state() {
    let mut scene = euler(Ends::ClampedFree);
    scene.loads = vec![tip_load(LoadFrame::World, -Vector3::x() * 2.0)];
    let system = System::compile(&scene).unwrap();
    let state = equilibrium(&system);
    let found = buckling::from_equilibrium(&system, &state, system.nominal_inputs(), 2).unwrap();
    assert_eq!(found.from, 1.0);
    for (load, multiple) in found.loads.iter().zip([1.0, 4.0]) {
        assert!((2.0 * load.factor / (multiple * PI * PI / 4.0) - 1.0).abs() < 1e-5, "{}", load.factor);
    }
    let beyond = system.nominal_inputs().with_factor(1.5);
    let mut branch = lissome_solve::branch::Branch::through(&system, &state, system.nominal_inputs());
    assert!(branch.advance(1.5));
    let refused = buckling::from_equilibrium(&system, branch.state(), &beyond, 1);
    assert_eq!(refused.unwrap_err(), BucklingError::Unstable);
}

/// Loads a thousand times too large or too small for one step find the same.
#[test]
fn scale_of_the_load_does_not_matter() {
    for unit in [1e-3, 1e3] {
        let mut scene = euler(Ends::ClampedFree);
        scene.loads = vec![tip_load(LoadFrame::World, -Vector3::x() * unit)];
        let (_, buckling) = found(&scene, 1);
        let load = buckling.loads[0].factor * unit;
        assert!((load / (PI * PI / 4.0) - 1.0).abs() < 1e-5, "{unit}: {load}");
    }
}

/// Lateral buckling of a strip under a tip force in its stiff plane: P L²/√(EI GJ) = 4.0126. The stiff plane is ten thousand
/// times as stiff, so that what it bends before counts for about 1e-4.
#[test]
fn lateral_buckling_of_a_strip() {
    let mut scene = euler(Ends::ClampedFree);
    scene.rods[0].profile = Profile::uniform(section([1.0, 1e4, 1.0]));
    scene.loads = vec![tip_load(LoadFrame::World, Vector3::z())];
    let (_, buckling) = found(&scene, 1);
    let exact = critical_load::lateral_cantilever();
    let first = &buckling.loads[0];
    println!("{} for {exact}, estimate {}, {:?}", first.factor, first.estimate, first.kind);
    assert!((first.factor / exact - 1.0).abs() < 3e-4, "{}", first.factor);
    assert_eq!((first.kind, buckling.missed), (CriticalKind::Bifurcation, 0));
}

/// A strip of moderate stiffness bends before it buckles: the linear estimate is off by what it bends, (1 − EI/EI₂)^½ and more,
/// the refined load is where the inertia of the tangent changes.
#[test]
fn prebuckling_counts() {
    let mut scene = euler(Ends::ClampedFree);
    scene.rods[0].profile = Profile::uniform(section([1.0, 5.0, 1.0]));
    scene.loads = vec![tip_load(LoadFrame::World, Vector3::z())];
    let (system, buckling) = found(&scene, 1);
    let first = &buckling.loads[0];
    println!("{} estimate {}", first.factor, first.estimate);
    let negative = |factor: f64| {
        let mut branch = lissome_solve::branch::Branch::unloaded(&system, system.nominal_inputs()).unwrap();
        assert!(branch.advance(factor));
        let mut work = system.workspace();
        lissome_solve::stability::negative_directions(&system, branch.state(), branch.inputs(), &mut work)
    };
    assert_eq!((negative(first.factor * (1.0 - 1e-5)), negative(first.factor * (1.0 + 1e-5))), (0, 1));
    assert!((first.estimate / first.factor - 1.0).abs() > 0.01);
}

/// A follower thrust has no critical load: a column under it never diverges.
#[test]
fn follower_thrust_does_not_buckle() {
    let mut scene = euler(Ends::ClampedFree);
    scene.loads = vec![tip_load(LoadFrame::Body, -Vector3::x())];
    let (_, buckling) = found(&scene, 2);
    let low: Vec<f64> = buckling.loads.iter().map(|load| load.factor).filter(|factor| *factor < 100.0).collect();
    assert!(low.is_empty(), "{low:?}");
}

/// A circular arch of radius 1 in the x–y plane, stiff across it, under a unit force on its crown towards the centre.
fn arch(half_angle: f64, [left, right]: [Foot; 2], spans: usize) -> Scene {
    let mut model = rod(2.0 * half_angle, Profile::uniform(section([1e3, 1e3, 1.0])), spans);
    // From the left foot up over the crown: the axis turns clockwise about z.
    model.natural = NaturalShape::curved(-Vector3::z());
    let foot =
        |x: f64, angle: f64| Pose::new(Rotation::exp(&(Vector3::z() * angle)), Vector3::new(x, half_angle.cos(), 0.0));
    let mut scene = scene_of(model);
    let mut held = |foot: Foot, name: &str, at: Pose| {
        if foot == Foot::Pinned {
            scene.joints.push(joint(name, JointKind::Revolute { axis: Vector3::z() }, Frame::world(at)));
            return Some(Frame::joint(scene.joints.len() - 1));
        }
        Some(Frame::world(at))
    };
    let base = held(left, "left", foot(-half_angle.sin(), half_angle));
    let tip = held(right, "right", foot(half_angle.sin(), -half_angle));
    (scene.rods[0].base, scene.rods[0].tip) = (base, tip);
    let kind = LoadKind::Point { at: half_angle, wrench: Wrench::new(Vector3::zeros(), -Vector3::y()) };
    scene.loads = vec![Load { name: "crown".into(), rod: 0, frame: LoadFrame::World, kind }];
    scene
}

/// The deep arch of 215°, clamped and hinged, snaps at 8.97 EI/R²: a limit load, which a linear estimate misses by far.
#[test]
fn deep_arch_snaps() {
    let half_angle = 107.5f64.to_radians();
    let exact =
        Arch { half_angle, left: Foot::Clamped, right: Foot::Pinned, axial_compliance: 0.0 }.events(25.0).unwrap()[0]
            .load();
    let (_, buckling) = found(&arch(half_angle, [Foot::Clamped, Foot::Pinned], 24), 1);
    let first = &buckling.loads[0];
    assert_eq!((first.kind, buckling.missed), (CriticalKind::Limit, 0));
    assert!((first.factor / exact - 1.0).abs() < 1e-3, "{} is not {exact}", first.factor);
}

/// A clamped arch of 120° snaps too, at little more than half of what the linear estimate says.
#[test]
fn clamped_arch_snaps() {
    let half_angle = 60f64.to_radians();
    let ends = [Foot::Clamped, Foot::Clamped];
    let exact =
        Arch { half_angle, left: ends[0], right: ends[1], axial_compliance: 0.0 }.events(60.0).unwrap()[0].load();
    let (_, buckling) = found(&arch(half_angle, ends, 24), 1);
    let first = &buckling.loads[0];
    assert_eq!((first.kind, buckling.missed), (CriticalKind::Limit, 0));
    assert!((first.factor / exact - 1.0).abs() < 1e-3, "{} is not {exact}", first.factor);
    assert!(first.estimate > 1.5 * exact);
}

/// A pinned semicircle sways at 5.86 EI/R² before it snaps: a bifurcation on a branch that bends.
#[test]
fn pinned_semicircle_sways() {
    let half_angle = PI / 2.0;
    let ends = [Foot::Pinned, Foot::Pinned];
    let exact =
        Arch { half_angle, left: ends[0], right: ends[1], axial_compliance: 0.0 }.events(25.0).unwrap()[0].load();
    let (_, buckling) = found(&arch(half_angle, ends, 24), 1);
    let first = &buckling.loads[0];
    assert_eq!((first.kind, buckling.missed), (CriticalKind::Bifurcation, 0));
    assert!((first.factor / exact - 1.0).abs() < 1e-3, "{} is not {exact}", first.factor);
}
