//! Tendon-driven rods beyond the paper's: closed forms, balance, rigid motions, general routings, refusals.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Pose, Rotation, Wrench};
use lissome_reference::OracleError;
use lissome_reference::tendons::lagrangian::{self, Reduction};
use lissome_reference::tendons::newtonian::{self, Jump};
use lissome_reference::tendons::scenarios::Scenario;
use lissome_reference::tendons::{Path, Routing, Segment, Tendon, TendonRod, TendonSolution, total_stress};
use nalgebra::{Vector2, Vector3, Vector6};

fn all_methods(rod: &TendonRod, reduction: &Reduction) -> [TendonSolution; 3] {
    [
        total_stress::solve(rod).unwrap(),
        newtonian::solve(rod, Jump::Exact).unwrap(),
        lagrangian::solve(rod, reduction).unwrap(),
    ]
}

#[test]
fn one_parallel_tendon_without_weight_bends_a_circle() {
    let (tension, offset, length) = (4.0, 8e-3, 0.242);
    let mut rod = Scenario::A.robot(&[tension, 0.0, 0.0]);
    rod.segments[0].line_load = Vector3::zeros();
    let stiffness = rod.segments[0].stiffness;
    let (curvature, stretch) = (tension * offset / stiffness[2], 1.0 - tension / stiffness[3]);
    let (angle, radius) = (curvature * length, stretch / curvature);
    let tip = Vector3::new(radius * angle.sin(), radius * (1.0 - angle.cos()), 0.0);
    for solution in all_methods(&rod, &Reduction::equal(3, 16)) {
        assert!((solution.tip().position - tip).norm() < 1e-11);
        assert!((solution.tip().rotation.angle() - angle).abs() < 1e-10);
        assert!((solution.tendon_lengths[0] - length * (stretch - curvature * offset)).abs() < 1e-11);
        for section in &solution.samples {
            assert!((section.rod_stress - Vector6::new(0.0, 0.0, tension * offset, -tension, 0.0, 0.0)).amax() < 1e-9);
            assert!(section.total_stress.amax() < 1e-9);
        }
    }
}

/// Two unlike segments, the second curved by nature; a table, a helix that enters late, a kinked tendon; tip loads.
fn general_robot() -> TendonRod {
    let segment = |length, scale: f64, curvature| Segment {
        length,
        stiffness: Vector6::new(3.2e-3, 4.2e-3, 6e-3, 1e5, 4e4, 3e4) * scale,
        natural: Vector6::new(0.0, curvature, -curvature, 1.0, 0.0, 0.0),
        line_load: Vector3::new(-0.4, 0.1, 0.0) * scale,
    };
    let points = [Vector2::new(7e-3, 0.0), Vector2::new(5e-3, 4e-3), Vector2::new(1e-3, 6e-3), Vector2::new(0.0, 8e-3)];
    let mut late = Routing::helical(6e-3, 1.0, 0.4, 0.25);
    late.pieces[0].from = 0.08;
    let kinked = Routing::parallel(Vector2::new(-8e-3, 0.0), 0.09)
        .then(0.2, Path::Linear { start: Vector2::new(-8e-3, 0.0), end: Vector2::new(0.0, -5e-3) });
    let tendon = |routing, tension| Tendon { routing, tension };
    TendonRod {
        base: Pose::at(Vector3::new(0.1, -0.2, 0.3)),
        segments: vec![segment(0.12, 1.0, 0.0), segment(0.13, 0.6, 2.0)],
        tendons: vec![
            tendon(Routing::table(&[0.0, 0.06, 0.12, 0.18], &points).unwrap(), 3.0),
            tendon(late, 2.0),
            tendon(kinked, 4.0),
        ],
        tip_load: Wrench::new(Vector3::new(1e-3, 2e-3, -1e-3), Vector3::new(0.02, -0.05, 0.03)),
    }
}

#[test]
fn methods_agree_on_a_robot_with_everything() {
    let [total, newton, lagrange] = all_methods(&general_robot(), &Reduction::equal(12, 24));
    assert!(total.tip_difference(&newton).0 < 1e-9, "{:e}", total.tip_difference(&newton).0);
    // The strain has kinks of its second derivative at the knots of the table, which polynomials follow slowly.
    assert!(total.tip_difference(&lagrange).0 < 1e-6, "{:e}", total.tip_difference(&lagrange).0);
    for ((a, b), c) in total.tendon_lengths.iter().zip(&newton.tendon_lengths).zip(&lagrange.tendon_lengths) {
        assert!((a - b).abs() < 1e-9 && (a - c).abs() < 1e-6);
    }
}

#[test]
fn base_carries_all_loads() {
    let rod = general_robot();
    let load: Vector3<f64> = rod.segments.iter().map(|part| part.line_load * part.length).sum();
    for solution in all_methods(&rod, &Reduction::equal(8, 16)) {
        // Body axes that a collocated quaternion has turned: accurate as the nodes are.
        assert!((solution.base_wrench().force - load - rod.tip_load.force).amax() < 1e-7);
    }
}

#[test]
fn a_turned_robot_is_the_robot_turned() {
    let rod = general_robot();
    let turn = Rotation::from_quat_wxyz([0.5, -0.5, 0.7, 0.1]).unwrap();
    let matrix = turn.matrix();
    let mut turned = rod.clone();
    turned.base = Pose::new(turn, matrix * rod.base.position);
    for segment in &mut turned.segments {
        segment.line_load = matrix * segment.line_load;
    }
    turned.tip_load = Wrench::new(matrix * rod.tip_load.moment, matrix * rod.tip_load.force);
    let reduction = Reduction::equal(6, 14);
    for (here, there) in all_methods(&rod, &reduction).iter().zip(all_methods(&turned, &reduction)) {
        assert!((matrix * here.tip().position - there.tip().position).norm() < 1e-10);
    }
}

#[test]
fn total_stress_is_continuous_where_tendons_end_and_kink() {
    let [total, newton, _] =
        all_methods(&Scenario::E.robot(&[4.0, 0.0, 0.0, 4.0, 0.0, 4.0]), &Reduction::of_the_paper());
    for solution in [total, newton] {
        let mut borders = 0;
        for pair in solution.samples.windows(2).filter(|pair| pair[0].s == pair[1].s) {
            assert!((pair[0].total_stress - pair[1].total_stress).amax() < 1e-9);
            assert!((pair[0].strain - pair[1].strain).amax() > 1e-3);
            borders += 1;
        }
        assert_eq!(borders, 2);
    }
}

#[test]
fn what_has_no_meaning_is_refused() {
    let refused = |change: &dyn Fn(&mut TendonRod)| {
        let mut rod = Scenario::A.robot(&[1.0, 2.0, 3.0]);
        change(&mut rod);
        matches!(total_stress::solve(&rod), Err(OracleError::OutOfDomain { .. }))
    };
    assert!(refused(&|rod| rod.tendons[1].tension = -1.0));
    assert!(refused(&|rod| rod.tendons[1].tension = f64::NAN));
    assert!(refused(&|rod| rod.tendons[1].routing = Routing::parallel(Vector2::zeros(), 0.3)));
    assert!(refused(&|rod| rod.segments[0].stiffness[2] = 0.0));
    assert!(refused(&|rod| rod.segments.clear()));
    assert!(refused(&|rod| rod.segments[0].line_load.x = f64::INFINITY));
    let rod = Scenario::A.robot(&[1.0]);
    assert!(lagrangian::solve(&rod, &Reduction::equal(8, 8)).is_err());
    assert!(lagrangian::solve(&rod, &Reduction::equal(0, 8)).is_err());
}

#[test]
fn a_tendon_that_closes_up_is_an_error_and_not_a_shape() {
    // T d²/EI = 1 at 66 N.
    let rod = Scenario::A.robot(&[100.0, 0.0, 0.0]);
    assert!(total_stress::solve(&rod).is_err());
}
