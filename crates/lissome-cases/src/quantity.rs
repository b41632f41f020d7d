//! The figures a case may hold against a number: read off a solved rod, or off its distance to the truth.

use crate::error::CaseError;
use crate::solved::Solved;
use crate::truth::{self, TruePoses};
use lissome::solve::Iteration;
use serde::Deserialize;
use std::cell::OnceCell;
use std::f64::consts::TAU;

/// A figure. Its name in the data is also the column of its expected value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Quantity {
    TipX,
    TipY,
    TipZ,
    /// Angle of the tip's tangent above world x in the x–z plane, rad, modulo a turn.
    TipSlope,
    /// Elastic energy, J.
    Energy,
    /// Moment about world y that the base takes, N·m.
    BaseMomentY,
    /// Distance of the tip from its true place, m.
    TipError,
    /// The same over the rod's length.
    TipErrorPerLength,
    /// Distance of the tip from the base over the rod's length.
    TipFromBase,
    /// Largest e(s) = ‖g(s) ⊟ g_t(s)‖/L against the oracle, evenly along the rod.
    FieldError,
    /// The same at the points of the case's own table.
    PointsError,
    Iterations,
    LoadSteps,
    /// Scaled residual at the end.
    Residual,
    /// Observed order of the last Newton steps.
    NewtonOrder,
    /// One if the answer is an equilibrium, else zero.
    Converged,
}

/// A solved rod with the truth it is held against.
pub struct Measured<'a> {
    /// The rod.
    pub solved: &'a Solved,
    /// Poses that the case's own table gives.
    pub points: Option<TruePoses>,
    oracle: OnceCell<Result<TruePoses, CaseError>>,
}

impl Quantity {
    /// Name in the data.
    pub fn column(self) -> &'static str {
        match self {
            Self::TipX => "tip_x",
            Self::TipY => "tip_y",
            Self::TipZ => "tip_z",
            Self::TipSlope => "tip_slope",
            Self::Energy => "energy",
            Self::BaseMomentY => "base_moment_y",
            Self::TipError => "tip_error",
            Self::TipErrorPerLength => "tip_error_per_length",
            Self::TipFromBase => "tip_from_base",
            Self::FieldError => "field_error",
            Self::PointsError => "points_error",
            Self::Iterations => "iterations",
            Self::LoadSteps => "load_steps",
            Self::Residual => "residual",
            Self::NewtonOrder => "newton_order",
            Self::Converged => "converged",
        }
    }

    /// Words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::TipX => "tip x, m",
            Self::TipY => "tip y, m",
            Self::TipZ => "tip z, m",
            Self::TipSlope => "tip slope, rad",
            Self::Energy => "elastic energy, J",
            Self::BaseMomentY => "base moment about y, N·m",
            Self::TipError => "tip error, m",
            Self::TipErrorPerLength => "tip error / L",
            Self::TipFromBase => "gap between tip and base / L",
            Self::FieldError => "largest e(s) along the rod",
            Self::PointsError => "largest e(s) at the tabulated points",
            Self::Iterations => "Newton iterations",
            Self::LoadSteps => "load steps",
            Self::Residual => "scaled residual",
            Self::NewtonOrder => "order of the last Newton steps",
            Self::Converged => "converged",
        }
    }

    /// True for a figure that is itself a deviation, and is zero for a perfect answer.
    pub fn is_deviation(self) -> bool {
        matches!(
            self,
            Self::TipError
                | Self::TipErrorPerLength
                | Self::TipFromBase
                | Self::FieldError
                | Self::PointsError
                | Self::Residual
        )
    }
}

impl<'a> Measured<'a> {
    /// A rod and, if the case tabulates them, its true poses.
    pub fn new(solved: &'a Solved, points: Option<TruePoses>) -> Self {
        Self { solved, points, oracle: OnceCell::new() }
    }

    /// The figure; `near` tells which of the angles that differ by a turn is meant. `None` if the case has no truth
    /// for it.
    pub fn figure(&self, quantity: Quantity, near: f64) -> Result<Option<f64>, CaseError> {
        let (outcome, length) = (self.solved.outcome(), self.solved.length());
        let tip = self.solved.tip();
        let largest = |truth: &TruePoses| truth.deviations(self.solved).into_iter().fold(0.0, f64::max) / length;
        Ok(Some(match quantity {
            Quantity::TipX => tip.position.x,
            Quantity::TipY => tip.position.y,
            Quantity::TipZ => tip.position.z,
            Quantity::TipSlope => {
                let tangent = tip.rotation.matrix().column(0).into_owned();
                let slope = tangent.z.atan2(tangent.x);
                slope + TAU * ((near - slope) / TAU).round()
            }
            Quantity::Energy => outcome.energy.elastic,
            Quantity::BaseMomentY => self.base_moment_y(),
            Quantity::TipError => self.tip_error()?,
            Quantity::TipErrorPerLength => self.tip_error()? / length,
            Quantity::TipFromBase => (tip.position - self.solved.solution.state.poses[0].position).norm() / length,
            Quantity::FieldError => largest(self.oracle()?),
            Quantity::PointsError => return Ok(self.points.as_ref().map(largest)),
            Quantity::Iterations => outcome.iterations() as f64,
            Quantity::LoadSteps => outcome.load_steps as f64,
            Quantity::Residual => outcome.residual,
            Quantity::NewtonOrder => newton_order(&outcome.history),
            Quantity::Converged => f64::from(u8::from(outcome.converged())),
        }))
    }

    fn base_moment_y(&self) -> f64 {
        self.solved.base_wrench.moment.y
    }

    fn tip_error(&self) -> Result<f64, CaseError> {
        let truth = self.oracle()?.poses.last().copied().unwrap_or_default();
        Ok((self.solved.tip().position - truth.position).norm())
    }

    fn oracle(&self) -> Result<&TruePoses, CaseError> {
        let follow = || {
            let exact = truth::follow_from_natural(&self.solved.scene)?;
            Ok(TruePoses::from_oracle(&exact, self.solved.length()))
        };
        self.oracle.get_or_init(follow).as_ref().map_err(Clone::clone)
    }
}

/// Steps below this are rounding, and say nothing of the order.
const ROUNDING: f64 = 1e-15;

/// Observed order of the iteration, from the last three full steps above rounding:
/// ln(d₃/d₂)/ln(d₂/d₁), which is 2 for a quadratic iteration whatever its constant. Zero if there are fewer.
pub fn newton_order(history: &[Iteration]) -> f64 {
    let steps: Vec<f64> = history.iter().map(|iteration| iteration.step).filter(|step| *step > ROUNDING).collect();
    match steps.as_slice() {
        [.., a, b, c] => (c / b).ln() / (b / a).ln(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(steps: &[f64]) -> Vec<Iteration> {
        let make = |step: &f64| Iteration { load_factor: 1.0, residual: 0.0, step: *step, fraction: 1.0, shift: 0.0 };
        steps.iter().map(make).collect()
    }

    #[test]
    fn order_of_a_quadratic_and_of_a_linear_iteration() {
        // d ← 3 d²: order 2 whatever the constant; a last step of rounding is left out.
        assert!((newton_order(&history(&[0.5, 1e-2, 3e-4, 2.7e-7, 1e-17])) - 2.0).abs() < 1e-12);
        assert!((newton_order(&history(&[1e-2, 1e-3, 1e-4])) - 1.0).abs() < 1e-12);
        assert_eq!(newton_order(&history(&[1e-2, 1e-3])), 0.0);
    }
}
