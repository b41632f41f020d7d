//! Which of the rotations from base to tip the rod makes: the shortest, or the other way round.
//!
//! The frames of a rod from base to tip are a path in SO(3), and there are two kinds that cannot be deformed into each
//! other. The print takes the logarithm of at most 180° and fails beyond; here the cheaper of the two kinds is found.

use crate::elastic::ElasticRod;
use crate::error::ShapeError;
use crate::options::Winding;
use lissome_lie::dual::Coefficients;
use lissome_lie::{Pose, Rotation};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// How far exp of a given winding may be from the relative rotation, rad.
const WINDING_TOLERANCE: f64 = 1e-6;

/// The rotations to try: the one expected to cost least, and the other if it may cost less yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windings {
    /// Tried first.
    pub first: Vector3<f64>,
    other: Option<Expected>,
}

/// A rotation and what a rod that makes it may be expected to store, over B/L.
#[derive(Clone, Copy, Debug)]
struct Expected {
    total: Vector3<f64>,
    energy: f64,
}

/// Energy of the helix that turns as wanted about its softer axis, plus that of shifting its tip to where it must be at
/// the transverse stiffness 12 B/L³ of a clamped rod. No estimate for a pre-curved rod: zero.
fn expect(rod: &ElasticRod, tip: &Pose, total: Vector3<f64>) -> Expected {
    if !rod.is_naturally_straight() {
        return Expected { total, energy: 0.0 };
    }
    let k = rod.bending_at(0.5).0.stiffness;
    let soft = k[(1, 1)].min(k[(2, 2)]);
    let turning = 0.5 * (k[(0, 0)] * total.x * total.x + soft * (total.y * total.y + total.z * total.z));
    let c = Coefficients::at(total.norm_squared());
    let reach = Vector3::x() * c.c1 + total.cross(&Vector3::x()) * c.c2 + total * (c.c3 * total.x);
    Expected { total, energy: turning + 6.0 * soft * (reach - tip.position).norm_squared() }
}

/// The other winding is tried only if its expected energy is below this many times the energy found.
const WORTH_TRYING: f64 = 1.6;

impl Windings {
    /// The other winding, if it can and may well cost less than a shape of the given energy (none: if there is one).
    pub fn second(&self, rod: &ElasticRod, found: Option<f64>) -> Option<Vector3<f64>> {
        let other = self.other?;
        let promising =
            found.is_none_or(|energy| energy > energy_floor(rod, &other.total) && other.energy < WORTH_TRYING * energy);
        promising.then_some(other.total)
    }
}

/// The same rotation the other way round; for no rotation at all, a full turn in the plane of bending.
pub(crate) fn unwrapped(x: &Vector3<f64>) -> Vector3<f64> {
    let angle = x.norm();
    if angle < 1e-9 { Vector3::z() * (2.0 * PI) } else { x * (1.0 - 2.0 * PI / angle) }
}

/// The rotations to try for a choice of winding.
pub(crate) fn windings(rod: &ElasticRod, tip: &Pose, winding: Winding) -> Result<Windings, ShapeError> {
    let shortest = tip.rotation.log();
    Ok(match winding {
        Winding::Least => {
            let (a, b) = (expect(rod, tip, shortest), expect(rod, tip, unwrapped(&shortest)));
            let (first, other) = if a.energy <= b.energy { (a, b) } else { (b, a) };
            Windings { first: first.total, other: Some(other) }
        }
        Winding::Shortest => Windings { first: shortest, other: None },
        Winding::Unwrapped => Windings { first: unwrapped(&shortest), other: None },
        Winding::Given(x) => {
            let angle = (Rotation::exp(&x).inverse() * tip.rotation).angle();
            // `<=` is false for NaN.
            if angle <= WINDING_TOLERANCE {
                Windings { first: x, other: None }
            } else {
                return Err(ShapeError::WindingMismatch { angle });
            }
        }
    })
}

/// No rod turns by an angle θ for less than ½ K_min θ² (over B/L): its frames travel at least that far.
fn energy_floor(rod: &ElasticRod, total: &Vector3<f64>) -> f64 {
    if rod.is_naturally_straight() { 0.5 * rod.least_stiffness() * total.norm_squared() } else { 0.0 }
}
