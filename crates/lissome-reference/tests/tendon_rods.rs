//! Tendon-driven rods: three methods against each other and against the reference of the paper's scenarios.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation};
use lissome_reference::tendons::lagrangian::{self, Reduction};
use lissome_reference::tendons::newtonian::{self, Jump};
use lissome_reference::tendons::scenarios::Scenario;
use lissome_reference::tendons::solution::pose_difference;
use lissome_reference::tendons::{comparison, total_stress};
use nalgebra::Vector3;

const MM: f64 = 1e-3;

/// Tensions in N, tip in mm, quaternion w first: three methods that agree to 6e-8 mm.
struct Case(Scenario, &'static [f64], [f64; 3], [f64; 4]);

const CASES: [Case; 13] = [
    Case(
        Scenario::A,
        &[5.0, 0.0, 0.0],
        [47.13904666038831, 177.56775618264638, 0.0],
        [0.311052340503313, 0.0, 0.0, 0.9503927827311044],
    ),
    Case(
        Scenario::A,
        &[3.0, 1.0, 0.0],
        [166.8567333164675, 140.17276968415044, 48.55727076119026],
        [0.771114040583015, -8.661295036391696e-09, -0.20840803112937756, 0.6016221646320286],
    ),
    Case(
        Scenario::A,
        &[1.0, 0.0, 0.0],
        [229.801499625313, 66.24412338341143, 0.0],
        [0.9649110276067397, 0.0, 0.0, 0.2625770530775815],
    ),
    Case(
        Scenario::B,
        &[8.0, 0.0],
        [29.28094514325191, 197.27799083278535, 0.0],
        [0.5121231421573078, 0.0, 0.0, 0.858912036978748],
    ),
    Case(
        Scenario::B,
        &[4.0, 0.0],
        [168.7714362752319, 155.29651914397135, 0.0],
        [0.853772345466496, 0.0, 0.0, 0.5206465039896729],
    ),
    Case(
        Scenario::C,
        &[10.0, 0.0],
        [125.09926835517251, -3.7102379633671387, -128.35995227921345],
        [0.9635567430576031, 0.17558105383938827, 0.087431438366909, -0.18189403515765798],
    ),
    Case(
        Scenario::C,
        &[5.0, 0.0],
        [196.387336351914, -2.6896071587194763, -106.33735692197908],
        [0.9934267055628495, -0.08110809366110949, 0.07234274880614651, 0.03593583882932539],
    ),
    Case(
        Scenario::C,
        &[1.0, 0.0],
        [240.13972606018427, -0.5309165701327307, -23.475158690508945],
        [0.9984694966375034, -0.052830627257725214, 0.01580667121789075, 0.004211680545029605],
    ),
    Case(
        Scenario::D,
        &[5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [116.36337096957745, 251.3747812060198, 0.0],
        [0.7652637553608547, 0.0, 0.0, 0.643716851364826],
    ),
    Case(
        Scenario::D,
        &[5.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 5.0],
        [179.92722440851554, -156.83205101772617, -42.04581298790264],
        [0.5886244817806627, 0.2127948833427593, 0.33815220172366617, -0.7027749608097029],
    ),
    Case(
        Scenario::E,
        &[4.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [254.9487058847502, -150.63494383463546, 0.0],
        [0.9483585791497849, 0.0, 0.0, -0.3172002606446094],
    ),
    Case(
        Scenario::E,
        &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0],
        [32.18192539799233, 113.1489802126522, 195.97978255291898],
        [0.40206182374771005, -2.1001926478940243e-16, -0.7929437038110075, 0.457806260847504],
    ),
    Case(
        Scenario::E,
        &[4.0, 0.0, 0.0, 4.0, 0.0, 4.0],
        [-20.933498622023617, -223.6388529683942, -57.02314500925923],
        [0.3648157262533748, 0.22081546611601593, 0.2101641383487498, -0.8797619284524288],
    ),
];

impl Case {
    fn tip(&self) -> Pose {
        Pose::new(Rotation::from_quat_wxyz(self.3).unwrap(), Vector3::from(self.2) * 1e-3)
    }
}

#[test]
fn both_shooting_methods_meet_the_reference_and_each_other() {
    for case in &CASES {
        let rod = case.0.robot(case.1);
        let total = total_stress::solve(&rod).unwrap();
        let newton = newtonian::solve(&rod, Jump::Exact).unwrap();
        for solution in [&total, &newton] {
            let (distance, angle) = pose_difference(&solution.tip(), &case.tip());
            assert!(distance < 1e-6 * MM && angle < 1e-7, "{:?} {:?}: {distance:e} m, {angle:e}", case.0, case.1);
        }
        let (distance, _) = total.tip_difference(&newton);
        assert!(distance < 1e-6 * MM, "{:?} {:?}: {distance:e} m", case.0, case.1);
        for (a, b) in total.tendon_lengths.iter().zip(&newton.tendon_lengths) {
            assert!((a - b).abs() < 1e-6 * MM, "{:?} {:?}: {a} and {b} m", case.0, case.1);
        }
        for (a, b) in total.samples.iter().zip(&newton.samples) {
            assert_eq!(a.s, b.s);
            // Stress in N and N·m; 1e-8 of the tensions, which are some newtons.
            assert!((a.total_stress - b.total_stress).amax() < 1e-8);
            assert!((a.rod_stress - b.rod_stress).amax() < 1e-8);
        }
    }
}

#[test]
fn lagrangian_method_with_the_papers_functions_and_nodes() {
    for case in &CASES {
        let bar = match case.0 {
            Scenario::A | Scenario::B => 0.01,
            Scenario::C => 0.7,
            Scenario::D | Scenario::E => 1e-4,
        };
        let solution = lagrangian::solve(&case.0.robot(case.1), &Reduction::of_the_paper()).unwrap();
        let (distance, _) = pose_difference(&solution.tip(), &case.tip());
        assert!(distance < bar * MM, "{:?} {:?}: {distance:e} m", case.0, case.1);
        assert_eq!(solution.load_steps, 1);
    }
}

#[test]
fn lagrangian_method_converges_to_the_same_helical_robot() {
    let case = CASES.iter().find(|case| case.0 == Scenario::C).unwrap();
    let solution = lagrangian::solve(&case.0.robot(case.1), &Reduction::equal(12, 26)).unwrap();
    let (distance, _) = pose_difference(&solution.tip(), &case.tip());
    // The design's figure for 12 polynomials and 26 nodes, with the factor of two of a printed digit.
    assert!(distance < 2e-6 * MM, "{distance:e} m");
}

#[test]
fn neglecting_the_active_tangent_finds_the_same_root_more_slowly() {
    let rod = Scenario::C.robot(&[10.0, 0.0]);
    let exact = lagrangian::solve(&rod, &Reduction::of_the_paper()).unwrap();
    let printed = Reduction { active_tangent: false, ..Reduction::of_the_paper() };
    let slow = lagrangian::solve(&rod, &printed).unwrap();
    assert!(exact.tip_difference(&slow).0 < 1e-6 * MM);
    assert!(slow.iterations > 2 * exact.iterations, "{} and {}", slow.iterations, exact.iterations);
}

#[test]
fn without_the_slope_jump_the_convergent_robot_is_wrong_by_half_its_length() {
    let length = 0.3;
    let worst = |jump| {
        let convergent = CASES.iter().filter(|case| case.0 == Scenario::E);
        let miss = convergent.map(|case| {
            let solution = newtonian::solve(&case.0.robot(case.1), jump).unwrap();
            pose_difference(&solution.tip(), &case.tip()).0
        });
        miss.fold(0.0, f64::max)
    };
    let ignored = worst(Jump::Ignored) / length;
    assert!((0.35..0.65).contains(&ignored), "{ignored}");
    // The printed jump is linearised: some millimetres remain.
    let linearised = worst(Jump::Linearised);
    assert!((1.0 * MM..10.0 * MM).contains(&linearised), "{linearised}");
}

#[test]
fn table_three_on_a_thinned_set() {
    // Upper bounds in mm as for single cases; thinning so that some twenty to thirty cases remain.
    let rows = [
        (Scenario::A, 216, 9, 0.01),
        (Scenario::B, 81, 4, 0.01),
        (Scenario::C, 100, 5, 0.7),
        (Scenario::D, 505, 25, 1e-4),
        (Scenario::E, 343, 17, 1e-4),
    ];
    for (scenario, count, thinning, bar) in rows {
        assert_eq!(scenario.table3_cases(2).len(), count);
        let result = comparison::table3(scenario, 2, thinning, &Reduction::of_the_paper()).unwrap();
        assert!(result.distance.upper < bar * MM, "{scenario:?}: {:?}", result.distance);
        assert_eq!(result.lagrangian_in_one_step, 1.0, "{scenario:?}");
    }
}
