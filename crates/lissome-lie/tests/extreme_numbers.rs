//! Numbers that are not finite and numbers at the ends of the range: nothing panics, and what is finite means something.

use lissome_lie::dual::{Coefficients, DualVector, ExpMap, InverseMap, inverse_gamma};
use lissome_lie::{
    Break, Cayley, CubicHermite, CumulativeCurve, Exponential, KnotVector, LieGroup, MAX_DEGREE, Pose, Retraction,
    Rotation, Strain, Twist, Wrench, open_uniform_knots,
};
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

const EXTREME: [f64; 13] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e300,
    f64::MAX,
    1e160,
    1e100,
    1e-100,
    1e-160,
    1e-300,
    5e-324,
    0.0,
];

/// A moderate vector with an extreme number in one place, in each of the halves, or everywhere.
fn six_vectors() -> impl Iterator<Item = Vector6<f64>> {
    let plain = Vector6::new(0.3, -0.7, 0.2, 1.1, 0.4, -0.6);
    EXTREME.into_iter().flat_map(move |extreme| {
        let single = (0..6).map(move |i| Vector6::from_fn(|k, _| if k == i { extreme } else { plain[k] }));
        let halves = (0..2).map(move |half| Vector6::from_fn(|k, _| if k / 3 == half { extreme } else { plain[k] }));
        single.chain(halves).chain([Vector6::from_element(extreme)])
    })
}

/// A rotation is one, or says that it is not finite.
fn check_rotation(rotation: &Rotation) {
    let square: f64 = rotation.stored().iter().map(|x| x * x).sum();
    assert!(!square.is_finite() || (square - 1.0).abs() < 1e-12, "|q|² = {square}");
}

fn check_operator(name: &str, x: &Vector6<f64>, operator: Matrix6<f64>) {
    let finite = x.iter().all(|x| x.is_finite());
    assert!(finite || operator.iter().any(|x| !x.is_finite()), "{name} of {x:?} hides what is not finite");
}

#[test]
fn tangent_maps() {
    let (v, mu) = (DualVector::from(Twist::new(Vector3::x(), Vector3::y())), DualVector::from(Wrench::default()));
    for x in six_vectors() {
        let at = DualVector::from(Twist::from_vector(&x));
        let map = ExpMap::at(at);
        check_operator("dexp", &x, map.dexp().twist_map());
        check_operator("Ad exp(−x)", &x, map.ad_exp_neg().twist_map());
        let inverse = InverseMap::at(at);
        check_operator("dexp⁻¹", &x, inverse.plus().twist_map());
        check_operator("dexp⁻¹ of −x", &x, inverse.minus().twist_map());
        // The others: no more than that they return.
        let _ = (map.transport(&v), map.transport_transpose(&mu), map.dexp_transpose_apply(&mu));
        let _ = (map.symmetric_curvature(&mu), map.dexp_transpose_derivative(&mu), map.dexp_rate(&v));
        let _ = (inverse.derivatives(&mu), ExpMap::at(v).transport(&at));
    }
    for t in EXTREME.into_iter().filter(|t| !t.is_finite()) {
        assert!(!Coefficients::at(t).c0.is_finite() && !inverse_gamma(t).is_finite());
    }
}

#[test]
fn poses_and_their_logarithms() {
    let other = Pose::new(Rotation::exp(&Vector3::new(0.1, 0.2, 0.3)), Vector3::new(1.0, 2.0, 3.0));
    for x in six_vectors() {
        let twist = Twist::from_vector(&x);
        for pose in [Pose::exp(&twist), Pose::cayley(&twist), Pose::at(twist.linear), other.boxplus(&twist)] {
            check_rotation(&pose.rotation);
            check_rotation(&(other * pose).rotation);
            let log = pose.log();
            assert!(!pose.is_finite() || log.angular.norm() <= std::f64::consts::PI * (1.0 + 1e-15));
            let _ =
                (pose.boxminus(&other), other.boxminus(&pose), pose.inverse(), pose.adjoint(), pose.cayley_inverse());
            let _ = (pose.adjoint_twist(&twist), pose.coadjoint_wrench(&Wrench::from_vector(&x)));
            let _ = (pose.rotation.matrix(), pose.rotation.angle(), pose.rotation.quat_wxyz());
        }
        let finite = twist.is_finite();
        assert!(finite || !Pose::exp(&twist).is_finite(), "exp of {x:?} hides what is not finite");
        let _ = other.advance(&Strain::from_vector(&x), f64::MAX);
    }
}

#[test]
fn rotations_from_outside() {
    for extreme in EXTREME {
        for i in 0..9 {
            let mut matrix = Matrix3::identity();
            matrix[i] = extreme;
            let same = matrix == Matrix3::identity() || extreme.abs() < 1e-9 && i % 4 != 0;
            assert_eq!(Rotation::from_matrix(&matrix, 1e-9).is_some(), same, "{matrix}");
        }
        for i in 0..4 {
            let mut q = [0.5; 4];
            q[i] = extreme;
            assert!(
                Rotation::from_quat_wxyz(q).is_none_or(|rotation| { rotation.matrix() }.iter().all(|x| x.is_finite()))
            );
            assert!(Rotation::from_stored(q).is_none());
        }
        // A direction has no size.
        for tangent in
            [Vector3::new(extreme, 0.0, 0.0), Vector3::new(0.0, extreme, 0.0), Vector3::from_element(extreme)]
        {
            match Rotation::from_tangent(&tangent) {
                None => assert!(extreme == 0.0 || !extreme.is_finite(), "{tangent}"),
                Some(rotation) => {
                    let expected = tangent / tangent.amax();
                    let turned = rotation.rotate(&Vector3::x());
                    assert!((turned - expected / expected.norm()).norm() < 1e-15, "{tangent}");
                }
            }
        }
    }
}

fn retractions<G: LieGroup, R: Retraction<G>>(x: &G::Tangent) {
    let g = R::retract(x);
    let _ = (R::local(&g), R::plus(&g, x), R::minus(&g, &G::identity()), g.adjoint(), g.inverse());
    let _ = (R::tangent(x), R::tangent_inverse(x), R::tangent_rate(x, x), R::scaled_tangent_slope(x));
    let _ = (R::velocity_along(0.5, x), R::increment_with_end_velocity(x));
    let still = (G::identity(), G::Tangent::default());
    for length in EXTREME {
        if let Ok(hermite) = CubicHermite::<G, R>::new(still, (g, *x), length) {
            let curve = hermite.curve();
            let _ = (curve.pose(0.3 * length), curve.strain(length), curve.jacobian(f64::NAN));
        }
    }
    let knots = KnotVector::bernstein(2).expect("degree 2 is offered");
    let poses = [G::identity(), g, G::identity()];
    if let Ok(curve) = CumulativeCurve::<G, R>::new(knots, &poses) {
        let rates = [*x; 3];
        for s in [0.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            let _ = (curve.pose(s), curve.strain(s), curve.velocity(s, &rates), curve.acceleration(s, &rates, &rates));
            let (segment, basis) = curve.at(s);
            let _ = (segment.strain_slope(&basis), curve.jacobian(s));
        }
    }
}

#[test]
fn retractions_and_curves() {
    for x in six_vectors() {
        let twist = Twist::from_vector(&x);
        retractions::<Pose, Exponential>(&twist);
        retractions::<Pose, Cayley>(&twist);
        retractions::<Rotation, Exponential>(&twist.angular);
        retractions::<Rotation, Cayley>(&twist.angular);
    }
}

/// Knots that were laid are accepted; lengths that have no room for them are refused.
#[test]
fn knots_on_extreme_lengths() {
    for length in EXTREME.into_iter().chain([1e-320, 1.5e-323, 2e-322, 1e-310]) {
        for degree in 1..=MAX_DEGREE {
            for (spans, breaks) in [(1, vec![]), (4, vec![0.5]), (7, vec![1e-3, 0.5]), (1000, vec![])] {
                let breaks: Vec<Break> = breaks.iter().map(|at| Break { at: at * length, multiplicity: 1 }).collect();
                let mut knots = Vec::new();
                match open_uniform_knots(degree, length, spans, &breaks, &mut knots) {
                    Err(_) => assert!(!(1e-300..=1e300).contains(&length) && knots.is_empty(), "{length:e}"),
                    Ok(()) => {
                        let knots = KnotVector::new(degree, &knots).expect("knots that were laid are accepted");
                        for s in EXTREME {
                            let span = knots.find_span(s);
                            let _ = (knots.cumulative(span, s), knots.stress_basis(span, s), knots.basis(span, s));
                        }
                    }
                }
            }
        }
    }
}
