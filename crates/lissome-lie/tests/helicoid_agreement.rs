//! SO(3) and SE(3) against helicoid, a crate by other authors measured against 110-digit references.
#![allow(clippy::unwrap_used)]

mod oracle;

use helicoid::{Jac, LieGroup as _, SE3, SO3, Tangent};
use lissome_lie::{Exponential, LieGroup, Pose, Retraction, Rotation, Twist};
use oracle::{ANGLES, Probe, assert_close};

/// Both sides are within a few roundings of the truth; entries are of size one to ten.
const ROUNDING: f64 = 4e-15;

fn theirs<T: Tangent<f64>>(components: &[f64]) -> T {
    T::read_dense(components)
}

fn dense<T: Tangent<f64>>(x: &T) -> Vec<f64> {
    let mut out = vec![0.0; T::DOF];
    x.write_dense(&mut out);
    out
}

/// The columns of an operator of ours beside those of a Jacobian of theirs.
fn compare<G: Probe, T: Tangent<f64>>(what: &str, ours: &G::Operator, other: &impl Jac<f64, T>) {
    for i in 0..G::DIMENSION {
        let unit = G::unit_tangent(i);
        let column = other.apply(&theirs::<T>(&G::components(&unit)));
        assert_close(what, &G::components(&G::apply(ours, &unit)), &dense(&column), ROUNDING);
    }
}

#[test]
fn poses_agree() {
    for (seed, &angle) in ANGLES.iter().enumerate().filter(|(_, a)| **a < std::f64::consts::PI) {
        let (x, y) = (Pose::sample(angle, seed), Pose::sample(0.7, seed + 30));
        let (hx, hy) = (theirs(&Pose::components(&x)), theirs(&Pose::components(&y)));
        let (g, h) = (Pose::exp(&x), SE3::<f64>::exp(&hx));
        assert_close("position", g.position.as_slice(), &h.translation().0, ROUNDING);
        let (product, their_product) = (g * Pose::exp(&y), h * SE3::exp(&hy));
        assert_close("log", &Pose::components(&product.log()), &dense(&their_product.log()), 4.0 * ROUNDING);
        compare::<Pose, _>("Ad", &product.adjoint(), &their_product.adjoint());
        compare::<Pose, _>("ad", &x.ad(), &SE3::ad(&hx));
        compare::<Pose, _>("dexp", &<Exponential as Retraction<Pose>>::tangent(&x), &SE3::jr(&hx));
        compare::<Pose, _>("dexp⁻¹", &<Exponential as Retraction<Pose>>::tangent_inverse(&x), &SE3::jr_inv(&hx));
        let delta: Twist = product.boxminus(&g);
        assert_close("⊟", &Pose::components(&delta), &dense(&their_product.rminus(&h)), 4.0 * ROUNDING);
    }
}

#[test]
fn rotations_agree() {
    for (seed, &angle) in ANGLES.iter().enumerate().filter(|(_, a)| **a < std::f64::consts::PI) {
        let x = Rotation::sample(angle, seed);
        let hx = theirs(&Rotation::components(&x));
        let (g, h) = (Rotation::exp(&x), SO3::<f64>::exp(&hx));
        assert_close("log", &Rotation::components(&g.log()), &dense(&h.log()), ROUNDING);
        compare::<Rotation, _>("Ad", &g.adjoint(), &h.adjoint());
        compare::<Rotation, _>("dexp", &<Exponential as Retraction<Rotation>>::tangent(&x), &SO3::jr(&hx));
        let inverse = <Exponential as Retraction<Rotation>>::tangent_inverse(&x);
        compare::<Rotation, _>("dexp⁻¹", &inverse, &SO3::jr_inv(&hx));
    }
}
