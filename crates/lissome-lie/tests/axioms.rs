//! One suite of laws, run on every group with every retraction, against 4×4 matrices.
#![allow(clippy::unwrap_used)]

mod oracle;

use lissome_lie::{Cayley, Exponential, Pose, Rotation, Twist};
use nalgebra::Vector3;
use oracle::{ANGLES, MatrixMap, Probe, assert_close, slope};
use proptest::prelude::*;

/// Identities hold to rounding: about ten operations on numbers of size 1 to 10.
const IDENTITY: f64 = 1e-12;
/// Five-point differences with h = 1e-3: truncation 1e-13, rounding 1e-12, times derivatives up to 1e2.
const DIFFERENCE: f64 = 1e-9;

fn same<G: Probe>(what: &str, a: &G, b: &G) {
    assert_close(what, a.matrix().as_slice(), b.matrix().as_slice(), IDENTITY);
}

fn same_operator<G: Probe>(what: &str, a: &G::Operator, b: &G::Operator) {
    assert_close(what, &G::entries(a), &G::entries(b), IDENTITY);
}

fn same_tangent<G: Probe>(what: &str, a: &G::Tangent, b: &G::Tangent) {
    assert_close(what, &G::components(a), &G::components(b), IDENTITY);
}

/// Laws of the group and of its action on tangents.
fn group_laws<G: Probe, R: MatrixMap<G>>(x: &G::Tangent, y: &G::Tangent, z: &G::Tangent) {
    let (a, b, c) = (R::retract(x), R::retract(y), R::retract(z));
    same("associativity", &((a * b) * c), &(a * (b * c)));
    same("inverse", &(a * a.inverse()), &G::identity());
    same("neutral element", &(a * G::identity()), &a);
    assert_close("product", (a * b).matrix().as_slice(), (a.matrix() * b.matrix()).as_slice(), IDENTITY);

    same_operator::<G>("Ad of a product", &(a * b).adjoint(), &(a.adjoint() * b.adjoint()));
    let turned = a.matrix() * G::hat(z) * a.inverse().matrix();
    assert_close("Ad is g x g⁻¹", G::hat(&G::apply(&a.adjoint(), z)).as_slice(), turned.as_slice(), IDENTITY);
    let w = G::covector(&[0.3, -1.2, 0.7, 0.9, 0.2, -0.4]);
    let power = G::pairing(&w, &G::apply(&a.adjoint(), z));
    assert_close("coadjoint", &[G::pairing(&a.coadjoint(&w), z)], &[power], IDENTITY);
    assert_close("transpose", &[G::pairing(&G::apply_transpose(&a.adjoint(), &w), z)], &[power], IDENTITY);

    let (hx, hy) = (G::hat(x), G::hat(y));
    assert_close("ad", G::hat(&G::bracket(x, y)).as_slice(), (hx * hy - hy * hx).as_slice(), IDENTITY);
    same_tangent::<G>("ad as operator", &G::apply(&G::ad(x), y), &G::bracket(x, y));
    let jacobi = G::bracket(x, &G::bracket(y, z)) + G::bracket(y, &G::bracket(z, x)) + G::bracket(z, &G::bracket(x, y));
    same_tangent::<G>("Jacobi", &jacobi, &G::Tangent::default());
}

/// Laws of the retraction and its tangents at x; y is any other tangent.
fn retraction_laws<G: Probe, R: MatrixMap<G>>(x: &G::Tangent, y: &G::Tangent) {
    let g = R::retract(x);
    assert_close("τ as a matrix", g.matrix().as_slice(), R::map(&G::hat(x)).as_slice(), IDENTITY);
    same("τ(−x)", &R::retract(&-*x), &g.inverse());
    same("τ(τ⁻¹(g))", &R::retract(&R::local(&g).unwrap()), &g);
    let angle = G::components(x)[..3].iter().map(|c| c * c).sum::<f64>().sqrt();
    // At π the logarithm jumps to the other side; 1e-3 below it x is still the nearest.
    if R::turn(angle) < std::f64::consts::PI - 1e-3 {
        same_tangent::<G>("τ⁻¹(τ(x))", &R::local(&g).unwrap(), x);
        let h = R::retract(y);
        same_tangent::<G>("(h ⊞ x) ⊟ h", &R::minus(&R::plus(&h, x), &h).unwrap(), x);
        same("g ⊞ (h ⊟ g)", &R::plus(&g, &R::minus(&h, &g).unwrap()), &h);
    }

    let tangent = R::tangent(x);
    for i in 0..G::DIMENSION {
        let unit = G::unit_tangent(i);
        let exact = G::vee(&R::left_tangent(&G::hat(x), &G::hat(&unit)));
        same_tangent::<G>("dτ as matrices", &G::apply(&tangent, &unit), &exact);
    }
    same_operator::<G>("dτ dτ⁻¹", &(tangent * R::tangent_inverse(x)), &G::identity_operator());
    same_operator::<G>("dτ(−x) = Ad dτ(x)", &R::tangent(&-*x), &(g.adjoint() * tangent));

    let numeric = slope(1e-3, |h| G::entries(&R::tangent(&(*x + *y * h))));
    assert_close("rate of dτ", &G::entries(&R::tangent_rate(x, y)), &numeric, DIFFERENCE);
    let along = R::tangent(x) + R::tangent_rate(x, x);
    same_operator::<G>("slope of b dτ", &R::scaled_tangent_slope(x), &along);
    let velocity = G::apply(&tangent, x);
    same_tangent::<G>("velocity along x", &R::velocity_along(1.0, x), &velocity);
}

fn suite<G: Probe, R: MatrixMap<G>>() {
    for (seed, &angle) in ANGLES.iter().enumerate() {
        for other in [0.0, 0.3, 2.0] {
            let (x, y, z) = (G::sample(angle, seed), G::sample(other, seed + 20), G::sample(1.1, seed + 40));
            group_laws::<G, R>(&x, &y, &z);
            retraction_laws::<G, R>(&x, &y);
        }
    }
}

#[test]
fn rotations_with_exponential() {
    suite::<Rotation, Exponential>();
}

#[test]
fn rotations_with_cayley() {
    suite::<Rotation, Cayley>();
}

#[test]
fn poses_with_exponential() {
    suite::<Pose, Exponential>();
}

#[test]
fn poses_with_cayley() {
    suite::<Pose, Cayley>();
}

fn any_tangent<G: Probe>() -> impl Strategy<Value = G::Tangent> {
    // Components below 1.7 keep the angle below 3.
    proptest::array::uniform6(-1.7..1.7).prop_map(|c| G::tangent(&c))
}

proptest! {
    #[test]
    fn laws_hold_for_any_pose(x in any_tangent::<Pose>(), y in any_tangent::<Pose>(), z in any_tangent::<Pose>()) {
        group_laws::<Pose, Exponential>(&x, &y, &z);
        retraction_laws::<Pose, Exponential>(&x, &y);
        retraction_laws::<Pose, Cayley>(&x, &y);
    }

    #[test]
    fn laws_hold_for_any_rotation(
        x in any_tangent::<Rotation>(),
        y in any_tangent::<Rotation>(),
        z in any_tangent::<Rotation>(),
    ) {
        group_laws::<Rotation, Exponential>(&x, &y, &z);
        retraction_laws::<Rotation, Exponential>(&x, &y);
        retraction_laws::<Rotation, Cayley>(&x, &y);
    }
}

/// τ with a given dτ_x x, as a Hermite curve needs it; for Cayley it exists up to a right angle.
#[test]
fn increments_with_a_given_end_velocity() {
    fn check<G: Probe, R: MatrixMap<G>>() {
        for seed in 0..8 {
            let x = G::sample(0.25 * seed as f64, seed);
            let velocity = G::apply(&R::tangent(&x), &x);
            same_tangent::<G>("x from dτ_x x", &R::increment_with_end_velocity(&velocity).unwrap(), &x);
        }
    }
    check::<Rotation, Exponential>();
    check::<Rotation, Cayley>();
    check::<Pose, Exponential>();
    check::<Pose, Cayley>();
    use lissome_lie::Retraction;
    assert!(
        <Cayley as Retraction<Rotation>>::increment_with_end_velocity(&nalgebra::Vector3::new(0.0, 1.01, 0.0))
            .is_none()
    );
}

#[test]
fn cayley_does_not_reach_half_turns() {
    let half_turn = Rotation::from_quat_wxyz([0.0, 0.6, 0.0, 0.8]).unwrap();
    assert_eq!(half_turn.cayley_inverse(), None);
    assert_eq!(Pose::new(half_turn, nalgebra::Vector3::x()).cayley_inverse(), None);
    // It agrees with exp to third order: the angle is θ − θ³/12 + θ⁵/80.
    let angle = Rotation::cayley(&nalgebra::Vector3::new(0.0, 1e-2, 0.0)).angle();
    assert!((angle - (1e-2 - 1e-6 / 12.0 + 1e-10 / 80.0)).abs() < 1e-16);
}

/// dexp⁻¹ is singular at a full turn, and errors grow with the inverse of the distance to it.
#[test]
fn a_turn_beyond_half_goes_on_smoothly() {
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let mut near = Vector3::zeros();
    for i in 0..60 {
        let angle = 0.1 * f64::from(i);
        let x = Twist::new(axis * angle, Vector3::new(0.3, -0.2, 0.1));
        let found = Pose::exp(&x).log_near(&near);
        let error = (found.to_vector() - x.to_vector()).norm();
        assert!(error < 1e-13 / (std::f64::consts::TAU - angle), "{angle}: {error}");
        near = found.angular;
    }
}
