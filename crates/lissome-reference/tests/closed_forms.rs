//! Closed forms against the shooting code: helices, a localised loop, a snapping strip, a twisted ring.
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_model::{Profile, Scene, Section};
use lissome_reference::analytic::helix::{RoundRod, Winding};
use lissome_reference::analytic::snap::{Equilibrium, Strip};
use lissome_reference::analytic::writhe::LongRod;
use lissome_reference::analytic::{planar, ring};
use lissome_reference::extrapolation::integrate;
use lissome_reference::quaternion::Quaternion;
use lissome_reference::{Guess, negative_directions, solve_clamped, verify};
use nalgebra::{Matrix6, SVector, Vector3, Vector4, Vector6};
use scenes::{cantilever, with_tip_load};
use std::f64::consts::TAU;

fn rod_of(rod: &RoundRod, length: f64) -> Scene {
    let stiffness =
        Matrix6::from_diagonal(&Vector6::new(rod.torsion, rod.bending, rod.bending, rod.axial, rod.shear, rod.shear));
    cantilever(
        length,
        Profile::uniform(Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 0.01 }),
    )
}

fn clamped(mut scene: Scene, base: Pose, tip: Pose) -> Scene {
    scene.rods[0].base = Some(base.into());
    scene.rods[0].tip = Some(tip.into());
    scene
}

#[test]
fn a_quarter_turn_of_a_helix_is_stable() {
    let rod = RoundRod { torsion: 0.8, bending: 1.0, axial: 4e3, shear: 1.5e3 };
    let helix = rod.wound(Winding { radius: 0.1, pitch: 0.3, torsion: 5.0 }).unwrap();
    let length = helix.length_of_turns(0.25);
    let load = helix.wrench(length);
    let scene = with_tip_load(rod_of(&rod, length), load.moment, load.force);
    assert_eq!(negative_directions(&verify(&scene, 0, &|s| helix.wrench(s)).unwrap()).unwrap(), 0);
}

#[test]
fn helices_are_equilibria_under_their_tip_wrench() {
    let rod = RoundRod { torsion: 0.8, bending: 1.0, axial: 4e3, shear: 1.5e3 };
    for turns in [1.0, 3.0, 5.0] {
        for (radius, pitch, torsion) in [(0.1, 0.2, 1.0), (0.15, 0.1, -0.5), (0.05, 0.3, 4.0), (0.2, -0.3, 0.0)] {
            let helix = rod.wound(Winding { radius, pitch, torsion }).unwrap();
            let length = helix.length_of_turns(turns);
            let load = helix.wrench(length);
            let scene = with_tip_load(rod_of(&rod, length), load.moment, load.force);
            let found = verify(&scene, 0, &|s| helix.wrench(s)).unwrap();
            let (tip, exact) = (found.tip(), helix.pose(length));
            assert!((tip.position - exact.position).amax() < 1e-9 * length, "{tip:?} {exact:?}");
            assert!((exact.rotation.inverse() * tip.rotation).angle() < 1e-9);
            let energy = length * helix.energy_per_length();
            assert!((found.elastic_energy - energy).abs() < 1e-10 * energy);
            // By the symmetric part of its stiffness no full turn is stable under a dead wrench.
            assert!(negative_directions(&found).unwrap() > 0);
        }
    }
}

/// The loop of an infinite rod as poses and stresses, carried from its middle by the equilibrium of an inextensible rod.
fn loop_pose(rod: &LongRod, moment: f64, tension: f64, tilt: f64, s: f64) -> (Pose, Wrench) {
    let e = Vector3::x();
    let stress = |p: &Vector3<f64>| e * moment + e.cross(p) * tension;
    let rate = |_: f64, y: &SVector<f64, 7>| {
        let q = Quaternion::from_vector(&Vector4::new(y[0], y[1], y[2], y[3])).normalized();
        let turn = q.matrix();
        let m = turn.transpose() * stress(&Vector3::new(y[4], y[5], y[6]));
        let spin = q.rate(&Vector3::new(m.x / rod.torsion, m.y / rod.bending, m.z / rod.bending)).to_vector();
        SVector::from([spin[0], spin[1], spin[2], spin[3], turn[(0, 0)], turn[(1, 0)], turn[(2, 0)]])
    };
    let q = Quaternion::from_rotation_vector(&(Vector3::z() * tilt)).to_vector();
    let offset = -(moment / tension) * (0.5 * tilt).tan();
    let start = SVector::from([q[0], q[1], q[2], q[3], 0.0, 0.0, offset]);
    let y = integrate(rate, 0.0, s, start, 1e-13).unwrap();
    let p = Vector3::new(y[4], y[5], y[6]);
    let q = Quaternion::from_vector(&Vector4::new(y[0], y[1], y[2], y[3])).normalized();
    (Pose::new(q.to_rotation(), p), Wrench::new(stress(&p), e * tension))
}

#[test]
fn a_clamped_rod_has_the_loop_of_the_infinite_one() {
    let long = LongRod { length: 100.0, bending: 1.345, torsion: 0.789 };
    let exact = long.localised_loop(3.0, 27.0 * TAU).unwrap();
    let at = |s: f64| loop_pose(&long, exact.moment, exact.tension, exact.largest_tilt, s - 50.0);
    // Turned about the axis and shifted so that the base is the world's frame.
    let base = at(0.0).0;
    let y = Quaternion::from_rotation(&base.rotation).matrix() * Vector3::y();
    let back = Rotation::exp(&(Vector3::x() * -y.z.atan2(y.y)));
    let shift = base.position;
    let pose = |s: f64| {
        let there = at(s).0;
        Pose::new(back * there.rotation, back.rotate(&(there.position - shift)))
    };
    let stress = |s: f64| {
        let there = at(s).1;
        Wrench::new(back.rotate(&there.moment), back.rotate(&there.force))
    };
    let rod = RoundRod { torsion: 0.789, bending: 1.345, axial: 1e9, shear: 1e9 };
    let ends = Pose::new(Rotation::identity(), Vector3::new(97.0, 0.0, 0.0));
    let scene = clamped(rod_of(&rod, 100.0), Pose::identity(), ends);
    let found = solve_clamped(&scene, 0, Some(Guess::Shape(&pose, &stress))).unwrap();
    assert_eq!(negative_directions(&found).unwrap(), 0);
    // The clamps cut off tails of relative size exp(−L/2 width) = 2e-5.
    let moment = found.base_wrench.moment.x;
    assert!(
        (moment / exact.moment - 1.0).abs() < 2e-5 && (found.base_wrench.force.x / exact.tension - 1.0).abs() < 2e-5
    );
    let tilt = found.pose(50.0).rotation.rotate(&Vector3::x()).x.acos();
    assert!((tilt - exact.largest_tilt).abs() < 2e-5, "{tilt}");
    assert!((found.elastic_energy / exact.energy - 1.0).abs() < 2e-5);
}

fn strip_in_space(strip: &Strip, at: &Equilibrium) -> usize {
    let (axial, shear) = (1.0 / strip.axial_compliance, 1.0 / strip.shear_compliance);
    // Stiff out of the plane, so that only planar ways are left.
    let stiffness = Matrix6::from_diagonal(&Vector6::new(1e4, 1e4, 1.0, axial, shear, shear));
    let section = Section::Given { stiffness, mass: Matrix6::zeros(), damping: 0.0, radius: 0.01 };
    let turned = Pose::new(Rotation::exp(&(Vector3::z() * at.angle)), Vector3::zeros());
    let far = Pose::new(Rotation::identity(), Vector3::new(strip.distance, 0.0, 0.0));
    let scene = clamped(cantilever(1.0, Profile::uniform(section)), turned, far);
    let planar = planar::PlanarRod {
        natural_curvature: 0.0,
        axial_compliance: strip.axial_compliance,
        shear_compliance: strip.shear_compliance,
    };
    let start = planar::Station { angle: at.angle, x: 0.0, y: 0.0, moment: at.moment, energy: 0.0 };
    let force = [-at.load, at.transverse];
    let stress = |s: f64| {
        let moment = if s > 0.0 { planar.carry(&start, force, s).unwrap().moment } else { at.moment };
        Wrench::new(Vector3::z() * moment, Vector3::new(force[0], force[1], 0.0))
    };
    let found = verify(&scene, 0, &stress).unwrap();
    assert!((found.elastic_energy - at.energy).abs() < 1e-9, "{} {at:?}", found.elastic_energy);
    assert!((found.base_wrench.moment.z - at.moment).abs() < 1e-7);
    negative_directions(&found).unwrap()
}

#[test]
fn the_strip_loses_its_stability_at_the_fold() {
    let strip = Strip { distance: 0.99, axial_compliance: 0.25e-6 / 12.0, shear_compliance: 2.6 * 0.25e-6 / 12.0 };
    let [before, after] = strip.fold().unwrap();
    assert_eq!(strip_in_space(&strip, &after), 0);
    assert_eq!(strip_in_space(&strip, &strip.under_load(before.load - 0.5).unwrap()), 0);
    assert_eq!(strip_in_space(&strip, &strip.under_load(before.load + 0.5).unwrap()), 1);
}

#[test]
fn the_ring_loses_its_stability_at_the_critical_turn() {
    let rod = RoundRod { torsion: 0.8, bending: 1.3, axial: 2.6e4, shear: 1e4 };
    let critical = ring::critical_turn_extensible(&rod, 1.0, 2).unwrap();
    let index = |factor: f64| {
        let plane = ring::plane_ring(&rod, 1.0, factor * critical).unwrap();
        let scene = clamped(rod_of(&rod, 1.0), Pose::identity(), plane.pose(1.0));
        let found = solve_clamped(&scene, 0, Some(Guess::Shape(&|s| plane.pose(s), &|s| plane.wrench(s)))).unwrap();
        negative_directions(&found).unwrap()
    };
    // The glued ring may turn about its tangent there at no cost, which rounding counts or not. Beyond the critical turn the
    // ring leaves its plane in two ways more, which differ by a shift along it.
    let neutral = index(0.998);
    assert!(neutral <= 1 && index(0.9) == neutral);
    assert_eq!(index(1.002), neutral + 2);
    assert_eq!(index(1.1), neutral + 2);
}
