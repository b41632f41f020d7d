//! The exact derivative of a shape with respect to the poses of its two ends.
//!
//! Motions are body twists: an end moves by g ← g exp(η~), angular part first, rad and m. The linearised equilibrium
//! ([`crate::exact::march`]) is solved once with the base moved by each of six unit motions and once with the tip; every
//! point of the rod and both end wrenches follow from that one factorisation.

use crate::error::ShapeError;
use crate::exact::ExactCurve;
use crate::exact::march::{Columns, March};
use crate::exact::shooting::invert;
use crate::options::Method;
use crate::shape::{Curve, Shape};
use nalgebra::Matrix6;

/// Derivative of a 6-vector by the motions of the two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByEnds {
    /// By the base's body twist.
    pub base: Matrix6<f64>,
    /// By the tip's body twist.
    pub tip: Matrix6<f64>,
}

/// The linearised shape.
#[derive(Clone, Debug)]
pub struct ShapeJacobian<'a> {
    shape: &'a Shape,
    curve: &'a ExactCurve,
    march: March<6>,
    base: Vec<Columns<6>>,
    tip: Vec<Columns<6>>,
}

impl Shape {
    /// The derivative of this shape by its end poses. Only an equilibrium has one: polynomial shapes are refused, and so
    /// is a fold, where the derivative is infinite.
    pub fn jacobian(&self) -> Result<ShapeJacobian<'_>, ShapeError> {
        let curve = match &self.curve {
            Curve::Exact(curve) => curve,
            // The straight rod between ends its whole length apart.
            Curve::Polynomial { .. } if self.method == Method::Exact => {
                return Err(ShapeError::Taut { length: self.rod.length(), misalignment: 0.0 });
            }
            Curve::Polynomial { .. } => return Err(ShapeError::NotAnEquilibrium { method: self.method }),
        };
        let march = curve.march(&self.rod, Columns::<6>::identity());
        let inverse = invert(&march.tip().x).ok_or(ShapeError::NearFold { margin: 0.0, residual: self.residual })?;
        let base = march.coefficients(-inverse * march.tip().y);
        let tip = march.homogeneous_coefficients(inverse);
        Ok(ShapeJacobian { shape: self, curve, march, base, tip })
    }
}

impl ShapeJacobian<'_> {
    /// Body twist of the section at τ per body twist of the ends, rad and m.
    pub fn pose(&self, tau: f64) -> ByEnds {
        let (k, part) = self.curve.locate(tau.clamp(0.0, 1.0));
        let family = self.march.family(k).over(&self.curve.link(&self.shape.rod, k, &part), &Columns::zeros());
        let base = family.motion(&self.base);
        let tip = family.x * self.tip[family.block];
        ByEnds { base: self.motion_in_si(&base), tip: self.motion_in_si(&tip) }
    }

    /// Change of what the rod exerts on the base's holder, in the base's own (moving) axes, per body twist of the ends.
    pub fn wrench_on_base(&self) -> ByEnds {
        ByEnds { base: self.wrench_in_si(&self.base[0], 1.0), tip: self.wrench_in_si(&self.tip[0], 1.0) }
    }

    /// Change of what the rod exerts on the tip's holder, in the tip's own (moving) axes, per body twist of the ends.
    pub fn wrench_on_tip(&self) -> ByEnds {
        let family = self.march.tip();
        let base = family.wrench_change(&self.base);
        let tip = family.w * self.tip[family.block];
        ByEnds { base: self.wrench_in_si(&base, -1.0), tip: self.wrench_in_si(&tip, -1.0) }
    }

    fn motion_in_si(&self, m: &Matrix6<f64>) -> Matrix6<f64> {
        // Positions are over L on both sides.
        let length = self.shape.rod.length();
        Matrix6::from_fn(|i, j| m[(i, j)] * scale(i, length) / scale(j, length))
    }

    fn wrench_in_si(&self, m: &Matrix6<f64>, sign: f64) -> Matrix6<f64> {
        let length = self.shape.rod.length();
        let moment = self.shape.rod.energy_in_si(1.0);
        Matrix6::from_fn(|i, j| sign * m[(i, j)] * moment / (scale(i, length) * scale(j, length)))
    }
}

fn scale(component: usize, length: f64) -> f64 {
    if component < 3 { 1.0 } else { length }
}
