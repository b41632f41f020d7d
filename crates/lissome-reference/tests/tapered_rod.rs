//! Section 7.1 and the start of section 7.4 of [xun2025]: a tapered rod under dead tip loads, against published-grade
//! numbers of an independent shooting code (relative tolerance 1e-13).
#![allow(clippy::unwrap_used)]

mod scenes;

use lissome_reference::{CosseratSolution, solve_cantilever};
use nalgebra::Vector3;
use scenes::{table_4, table_5, with_tip_load};

/// The reference was integrated at 1e-13; its boundary condition is met to about 1e-11.
const AGREEMENT: f64 = 1e-10;

fn check(solution: &CosseratSolution, tip: [f64; 2], angle: f64, base_moment: f64, energy: f64) {
    let pose = solution.tip();
    assert!((pose.position - Vector3::new(tip[0], 0.0, tip[1])).amax() < AGREEMENT, "{:?}", pose.position);
    let r = pose.rotation.matrix();
    assert!((r[(0, 0)] - angle.cos()).abs() < AGREEMENT && (r[(2, 0)] - angle.sin()).abs() < AGREEMENT, "{r}");
    assert!((solution.base_wrench.moment - Vector3::new(0.0, base_moment, 0.0)).amax() < AGREEMENT);
    assert!((solution.elastic_energy - energy).abs() < AGREEMENT, "{}", solution.elastic_energy);
    assert!(solution.residual < 1e-11, "{}", solution.residual);
}

#[test]
fn tip_forces() {
    let cases = [
        (0.25, [0.696697778855305, 0.6069968698439141], 1.2650861372287168, -0.17417444471382637, 0.05055482121860831),
        (0.5, [0.5460431474046517, 0.7191018542836901], 1.4676304702352105, -0.2730215737023254, 0.09021963618073071),
        (1.0, [0.41515476476851776, 0.8007060897714565], 1.5493832297899581, -0.41515476476851565, 0.14809187466646145),
    ];
    for (force, tip, angle, moment, energy) in cases {
        let scene = with_tip_load(table_4(), Vector3::zeros(), Vector3::new(0.0, 0.0, force));
        let solution = solve_cantilever(&scene, 0, None).unwrap();
        check(&solution, tip, angle, moment, energy);
        assert!((solution.base_wrench.force - Vector3::new(0.0, 0.0, force)).amax() < AGREEMENT);
    }
}

#[test]
fn tip_moments() {
    let cases = [
        (0.05, [0.7789799933847525, 0.43021330402131547], 1.8338841179313135, 0.04584710294828284),
        (0.2, [0.26868312931287347, 0.3114232143386054], 7.335536471725245, 0.7335536471725255),
    ];
    for (moment, tip, angle, energy) in cases {
        let scene = with_tip_load(table_4(), Vector3::new(0.0, -moment, 0.0), Vector3::zeros());
        check(&solve_cantilever(&scene, 0, None).unwrap(), tip, angle, -moment, energy);
    }
}

#[test]
fn start_of_the_swing() {
    let scene = with_tip_load(table_5(), Vector3::zeros(), Vector3::new(0.0, 0.0, 10.0));
    let solution = solve_cantilever(&scene, 0, None).unwrap();
    check(
        &solution,
        [0.8679314676822429, 0.429679560308904],
        0.8107717352069552,
        -8.679314676822433,
        1.8599500507108448,
    );
}

#[test]
fn shape_along_the_rod() {
    let points = [
        (0.1, [0.09966891669845496, 0.007091758631199383], 0.14056589237524195),
        (0.3, [0.2906478737953783, 0.06403723744638527], 0.4389379937194679),
        (0.5, [0.45585411439816165, 0.1755167629761481], 0.7438942240365026),
        (0.7, [0.5814843864290382, 0.33046926554808337], 1.024340978939799),
        (0.9, [0.6654416953206241, 0.5118530017843574], 1.2277189062020155),
    ];
    let scene = with_tip_load(table_4(), Vector3::zeros(), Vector3::new(0.0, 0.0, 0.25));
    let solution = solve_cantilever(&scene, 0, None).unwrap();
    for (s, p, angle) in points {
        let pose = solution.pose(s);
        assert!((pose.position - Vector3::new(p[0], 0.0, p[1])).amax() < AGREEMENT, "{s}");
        assert!((pose.rotation.angle() - angle).abs() < AGREEMENT, "{s}");
    }
}
