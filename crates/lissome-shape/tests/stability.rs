//! Stability, folds and the search for all equilibria, against closed forms and against each other.
#![allow(clippy::unwrap_used)]

mod rods;

use lissome_lie::Pose;
use lissome_reference::analytic::elastica::clamped_buckled;
use lissome_shape::{ElasticRod, Ends, Followed, Follower, Options, Search, Verdict, Winding, equilibria, solve};
use nalgebra::Vector3;
use rods::{Random, TestRod, about, fibreglass, reachable_tip, section};

/// EI of the fibreglass rod, N·m².
const EI: f64 = 0.027488935718910694;

#[test]
fn a_round_rod_pushed_together_is_eulers_and_turns_freely() {
    let rod = ElasticRod::round(1.0, 1e-3, fibreglass()).unwrap();
    for distance in [0.95, 0.8, 0.6] {
        let ends = Ends::relative(Pose::at(Vector3::new(distance, 0.0, 0.0))).unwrap();
        // Pushed further, a full loop would cost less than the arch.
        let options = Options { winding: Winding::Shortest, ..Options::default() };
        let shape = solve(&rod, &ends, &options).unwrap();
        let exact = clamped_buckled(distance).unwrap();
        let wrench = shape.wrench_on_base();
        assert!((wrench.force.x / EI + exact.load).abs() < 1e-8 * exact.load, "{wrench:?} {exact:?}");
        assert!(wrench.force.yz().norm() < 1e-9 * exact.load * EI);
        let middle = shape.pose(0.5).position;
        assert!((middle.yz().norm() - exact.deflection).abs() < 1e-9);
        assert_eq!(shape.stability().verdict, Verdict::Neutral, "turning about the ends costs nothing");
        assert!(shape.stability().conjugate_points.is_empty());
    }
}

#[test]
fn pushed_further_the_arch_leaves_its_plane() {
    // So soft in torsion (GJ/EI = 0.17), the plane arch is unstable at this distance: energy falls to a shape in space.
    let rod = ElasticRod::round(1.0, 1e-3, fibreglass()).unwrap();
    let ends = Ends::relative(Pose::at(Vector3::new(0.3, 0.0, 0.0))).unwrap();
    let found = equilibria(&rod, &ends, &Search { twists: 0, ..Search::default() }).unwrap();
    let load = clamped_buckled(0.3).unwrap().load * EI;
    let arch = found.iter().find(|f| (f.shape.wrench_on_base().force.x + load).abs() < 1e-8 * load).unwrap();
    assert_eq!(arch.stability.verdict, Verdict::Unstable);
    let options = Options { winding: Winding::Shortest, ..Options::default() };
    let shape = solve(&rod, &ends, &options).unwrap();
    assert_eq!(shape.stability().verdict, Verdict::Neutral);
    assert!(shape.energy < 0.8 * arch.shape.energy);
}

#[test]
fn a_strip_pushed_together_has_two_stable_sides() {
    // Wider than thick, it bends about its soft axis only, to either side; to turn it over costs energy.
    let test = TestRod::strip();
    let ends = Ends::relative(Pose::at(Vector3::new(0.8 * test.length, 0.0, 0.0))).unwrap();
    let found = equilibria(&test.rod, &ends, &Search { twists: 0, ..Search::default() }).unwrap();
    let stable: Vec<_> = found.iter().filter(|f| f.stability.verdict == Verdict::Stable).collect();
    let low = stable[0].shape.energy;
    let pair: Vec<_> = stable.iter().filter(|f| (f.shape.energy / low - 1.0).abs() < 1e-9).collect();
    assert_eq!(pair.len(), 2);
    let middle = |i: usize| pair[i].shape.pose(0.5).position;
    assert!((middle(0).z + middle(1).z).abs() < 1e-9 && middle(0).z.abs() > 0.1 * test.length);
    let stiffness = section(lissome_model::Shape::Rectangle { width: 3e-3, height: 1e-3 }).stiffness();
    let load = clamped_buckled(0.8).unwrap().load * stiffness[(1, 1)] / (test.length * test.length);
    assert!((pair[0].shape.wrench_on_base().force.x + load).abs() < 1e-8 * load);
    // The S between them is an equilibrium, and unstable.
    assert!(found.iter().any(|f| f.stability.verdict == Verdict::Unstable));
}

#[test]
fn two_tests_of_stability_agree() {
    // Conjugate points (integration) and second variation (quintics) share no code; both count falling directions.
    let mut random = Random(23);
    let (mut stable, mut unstable) = (0, 0);
    // Ends pushed together have many unstable equilibria, the higher modes; random ones have few.
    let mut cases: Vec<(TestRod, Pose)> = [0.5, 0.7, 0.85]
        .map(|d| (TestRod::strip(), about(Vector3::new(0.1, 0.2, 0.1), Vector3::new(0.4 * d, 0.02, 0.01))))
        .into();
    cases.push((TestRod::round(), Pose::at(Vector3::new(0.18, 0.0, 0.0))));
    cases.extend((0..3).map(|_| (TestRod::round(), reachable_tip(&mut random, 0.6))));
    for (test, tip) in cases {
        let ends = Ends::relative(tip).unwrap();
        for found in equilibria(&test.rod, &ends, &Search::default()).unwrap() {
            let margin = found.stability.fold_margin.unwrap();
            let falling = found.stability.conjugate_points.len();
            if margin.abs() < 1e-4 {
                continue;
            }
            assert_eq!(falling > 0, margin < 0.0, "{:?}", found.stability);
            if falling > 0 { unstable += 1 } else { stable += 1 }
        }
    }
    assert!(stable >= 12 && unstable >= 3, "{stable} stable, {unstable} unstable");
}

#[test]
fn windings_are_distinct_equilibria() {
    let test = TestRod::round();
    let ends = Ends::relative(about(Vector3::new(0.0, 0.0, 1.08), Vector3::new(0.503, 0.271, 0.0))).unwrap();
    let found = equilibria(&test.rod, &ends, &Search::default()).unwrap();
    assert!(found.windows(2).all(|pair| pair[0].shape.energy <= pair[1].shape.energy));
    assert!((found[0].shape.energy - 0.027275753073441718).abs() < 1e-10);
    let stable = found.iter().filter(|f| f.stability.verdict == Verdict::Stable).count();
    assert!(stable >= 3, "the plain one and one with a turn of twist either way; {stable} found");
    for f in &found {
        assert!(rods::misfit(&test.integrate(&f.shape.wrench_on_base()), &ends.base_from_tip(), 0.6) < 1e-9);
    }
}

#[test]
fn a_twisted_ring_snaps_where_michell_says() {
    // A closed ring, its ends held together and turned against each other by a twist θ, stays plane until
    // θ = 2π√3 EI/GJ (Michell, Zajac). The plane ring is followed: its energy is 2π²EI/L + ½GJ/L θ² all along.
    let material = lissome_model::Material::from_moduli(35e9, 35e9);
    let rod = ElasticRod::round(1.0, 1e-3, material).unwrap();
    let (bending, torsion) = (EI, 2.0 * EI);
    let critical = std::f64::consts::TAU * 3f64.sqrt() * bending / torsion;
    let closed = |angle: f64| Ends::relative(about(Vector3::new(angle, 0.0, 0.0), Vector3::zeros())).unwrap();
    let options = Options { winding: Winding::Unwrapped, ..Options::default() };
    let mut follower = Follower::start(&rod, &closed(0.0), &options).unwrap();
    let plane = |angle: f64| 2.0 * std::f64::consts::PI.powi(2) * bending + 0.5 * torsion * angle * angle;
    assert!((follower.shape().energy / plane(0.0) - 1.0).abs() < 1e-4);
    let mut stable_to = 0.0;
    for i in 1..=60 {
        let angle = critical * 1.2 * i as f64 / 60.0;
        match follower.advance(&closed(angle)).unwrap() {
            Followed::Shape { shape, .. } if (shape.energy / plane(angle) - 1.0).abs() < 1e-3 => {
                if shape.stability().verdict != Verdict::Unstable {
                    stable_to = angle;
                }
            }
            _ => break,
        }
    }
    assert!((stable_to / critical - 1.0).abs() < 0.03, "stable to {stable_to}, critical {critical}");
}
