//! Around a curve: the outside of a tube with round ends, and the bore inside one.
//!
//! With the foot p(s) of a point x and d = x − p, the foot follows by ds = p′·dx/(|p′|² − d·p″), so that
//! ∂d/∂x = 1 − p′p′ᵀ/(|p′|² − d·p″). Outside, δ = |d| − R. Inside a bore the distance from the wall has no gradient on the
//! axis; δ = (a² − |d|²)/(2a), a the radius of the bore, has, and is the distance to first order where it counts.

use crate::curve::{Foot, nearest_on};
use crate::solid::{across, around};
use crate::{Bounds, Curve, Nearest, Solid};
use nalgebra::{Matrix3, Vector3};

/// Everything within a radius of a curve, its ends round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tube<C> {
    /// Centreline.
    pub curve: C,
    /// m.
    pub radius: f64,
}

/// The wall of a tube seen from inside; beyond its open ends there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bore<C> {
    /// Centreline.
    pub curve: C,
    /// m.
    pub radius: f64,
}

impl<C: Curve> Solid for Tube<C> {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        let foot = nearest_on(&self.curve, at);
        let off = at - foot.point.position;
        around(&off, self.radius, &follow(&foot, &off), &across(&foot.point.first))
    }

    fn bounds(&self) -> Bounds {
        curve_bounds(&self.curve).grown(self.radius)
    }
}

impl<C: Curve> Bore<C> {
    /// The gap between a point inside and the wall; `None` beyond the ends of the tube.
    pub fn gap(&self, at: &Vector3<f64>) -> Option<Nearest> {
        self.gap_at(&nearest_on(&self.curve, at), at)
    }

    /// The same where the nearest place of the axis is known.
    pub fn gap_at(&self, foot: &Foot, at: &Vector3<f64>) -> Option<Nearest> {
        if foot.at_end {
            return None;
        }
        let off = at - foot.point.position;
        let a = self.radius;
        Some(Nearest {
            distance: (a * a - off.norm_squared()) / (2.0 * a),
            normal: -off / a,
            curvature: -follow(foot, &off) / a,
        })
    }

    /// A box around the bore.
    pub fn bounds(&self) -> Bounds {
        curve_bounds(&self.curve).grown(self.radius)
    }
}

/// ∂d/∂x.
fn follow(foot: &Foot, off: &Vector3<f64>) -> Matrix3<f64> {
    let first = &foot.point.first;
    let rise = first.norm_squared() - off.dot(&foot.point.second);
    match foot.at_end || rise <= 0.0 {
        true => Matrix3::identity(),
        false => Matrix3::identity() - first * first.transpose() / rise,
    }
}

fn curve_bounds(curve: &impl Curve) -> Bounds {
    (0..curve.cells()).fold(Bounds::empty(), |sum, index| {
        let [from, to] = curve.cell(index);
        sum.with(&curve.stretch_bounds(from, to))
    })
}
