//! A curve of equilibria followed through its folds, and what happens along it.
//!
//! f(x) = 0 with n conditions on n + 1 unknowns, of which the last is the load. From each point a step along the tangent,
//! then Newton's method in the plane across it. Where the load's part of the tangent changes sign there is a *fold*; where
//! the determinant of the other columns changes sign without a fold, a *bifurcation*.

use super::newton::{self, jacobian};
use super::root::bisect_fallible;
use crate::OracleError;
use nalgebra::{DMatrix, DVector};

/// What happens on a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The load is extreme.
    Fold,
    /// Another curve crosses.
    Bifurcation,
}

/// Where it happens.
#[derive(Clone, Debug)]
pub struct Event {
    /// Which of the two.
    pub kind: EventKind,
    /// All unknowns there, the load last.
    pub point: DVector<f64>,
}

impl Event {
    /// The load.
    pub fn load(&self) -> f64 {
        self.point[self.point.len() - 1]
    }
}

/// Residual at which a point lies on the curve.
const ON_CURVE: f64 = 1e-11;

/// Neighbouring tangents differ by less than 0.45 rad, cos 0.45 = 0.9: a step that turns further may have jumped.
const LEAST_COSINE: f64 = 0.9;
/// Steps below this fraction of the longest mean that the curve ends.
const SHORTEST: f64 = 1e-6;

/// Follows the curve from `start`, which lies on it, over the arc length `reach` in the space of all unknowns, in steps no
/// longer than `step`, first towards larger loads.
pub fn follow(
    start: DVector<f64>,
    step: f64,
    reach: f64,
    mut function: impl FnMut(&DVector<f64>) -> Result<DVector<f64>, OracleError>,
) -> Result<Vec<Event>, OracleError> {
    let n = start.len();
    let mut towards = DVector::zeros(n);
    towards[n - 1] = 1.0;
    let mut here = Place::at(start, &towards, &mut function)?;
    let mut events = Vec::new();
    let (mut gone, mut length) = (0.0, step);
    while gone < reach {
        let next = match here.advance(length, &mut function) {
            Ok(next) if next.tangent.dot(&here.tangent) > LEAST_COSINE => next,
            Err(error) if length < SHORTEST * step => return Err(error),
            _ if length < SHORTEST * step => return Err(OracleError::StepTooSmall { s: gone, step: length }),
            _ => {
                length *= 0.5;
                continue;
            }
        };
        let fold = (here.tangent[n - 1] > 0.0) != (next.tangent[n - 1] > 0.0);
        let crossing = (here.determinant > 0.0) != (next.determinant > 0.0);
        if fold || crossing {
            let kind = if fold { EventKind::Fold } else { EventKind::Bifurcation };
            let part = bisect_fallible(0.0, length, |part| {
                let place = here.advance(part, &mut function)?;
                Ok(if fold { place.tangent[n - 1] } else { place.determinant })
            })?;
            events.push(Event { kind, point: here.advance(part, &mut function)?.point });
        }
        here = next;
        gone += length;
        length = (1.5 * length).min(step);
    }
    Ok(events)
}

struct Place {
    point: DVector<f64>,
    tangent: DVector<f64>,
    /// Of ∂f/∂(all unknowns but the load).
    determinant: f64,
}

impl Place {
    fn at(
        point: DVector<f64>,
        towards: &DVector<f64>,
        function: &mut impl FnMut(&DVector<f64>) -> Result<DVector<f64>, OracleError>,
    ) -> Result<Self, OracleError> {
        let n = point.len();
        let slope = jacobian(&point, function)?;
        let mut bordered = DMatrix::zeros(n, n);
        bordered.rows_mut(0, n - 1).copy_from(&slope);
        bordered.row_mut(n - 1).copy_from(&towards.transpose());
        let mut one = DVector::zeros(n);
        one[n - 1] = 1.0;
        let tangent = bordered.lu().solve(&one).ok_or(OracleError::SingularCut { cut: 0 })?.normalize();
        let determinant = slope.columns(0, n - 1).into_owned().determinant();
        Ok(Self { point, tangent, determinant })
    }

    fn advance(
        &self,
        step: f64,
        function: &mut impl FnMut(&DVector<f64>) -> Result<DVector<f64>, OracleError>,
    ) -> Result<Self, OracleError> {
        let n = self.point.len();
        let predicted = &self.point + &self.tangent * step;
        let root = newton::solve(predicted.clone(), ON_CURVE, |x| {
            let mut value = function(x)?.resize_vertically(n, 0.0);
            value[n - 1] = self.tangent.dot(&(x - &predicted));
            Ok(value)
        })?;
        Self::at(root.x, &self.tangent, function)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn folds_of_a_cubic() {
        // λ = x³ − 3x from x = −2.5 has extremes 2 at −1 and −2 at 1.
        let start = -2.5f64;
        let point = DVector::from_vec(vec![start, start.powi(3) - 3.0 * start]);
        let events =
            follow(point, 0.2, 20.0, |x| Ok(DVector::from_element(1, x[0].powi(3) - 3.0 * x[0] - x[1]))).unwrap();
        let loads: Vec<f64> = events.iter().map(Event::load).collect();
        assert_eq!(loads.len(), 2);
        assert!((loads[0] - 2.0).abs() < 1e-10 && (loads[1] + 2.0).abs() < 1e-10, "{loads:?}");
        assert!(events.iter().all(|event| event.kind == EventKind::Fold));
    }

    #[test]
    fn bifurcation_of_a_pitchfork() {
        // y (λ − 1 − y²) = 0 on y = 0, beside x = λ.
        let events = follow(DVector::zeros(3), 0.3, 3.0, |x| {
            Ok(DVector::from_vec(vec![x[0] - x[2], x[1] * (x[2] - 1.0 - x[1] * x[1])]))
        });
        let events = events.unwrap();
        assert!(events.len() == 1 && events[0].kind == EventKind::Bifurcation);
        assert!((events[0].load() - 1.0).abs() < 1e-8, "{events:?}");
    }
}
