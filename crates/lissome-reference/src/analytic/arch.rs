//! A circular arch under a dead force at its crown: the loads at which it snaps through or sways.
//!
//! The arch is unshearable and may stretch, its natural shape a circle of radius R, and it subtends 2α. Loads are in
//! EI/R². Shooting from the left end through the crown, followed by its arc length ([`super::continuation`]).

use super::continuation::{Event, follow};
use super::planar::{PlanarRod, Station};
use crate::OracleError;
use nalgebra::DVector;

/// Longest step along the path; loads are of order ten.
const LONGEST_STEP: f64 = 0.4;

/// How an end of the arch is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foot {
    /// Place and direction.
    Clamped,
    /// Place only.
    Pinned,
}

/// A circular arch of unit radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arch {
    /// Half of the angle that the arch subtends, rad.
    pub half_angle: f64,
    /// Left end.
    pub left: Foot,
    /// Right end.
    pub right: Foot,
    /// EI/(EA R²); zero if it does not stretch.
    pub axial_compliance: f64,
}

impl Arch {
    /// Folds and bifurcations along the path of the arch as the force at its crown, towards the centre, grows from zero.
    /// The path is followed over the arc length `reach` in the space of reactions, moment or turn of the left foot, and load.
    pub fn events(&self, reach: f64) -> Result<Vec<Event>, OracleError> {
        if !(self.half_angle > 0.0 && self.half_angle < std::f64::consts::PI) {
            return Err(OracleError::OutOfDomain { quantity: "half of the arch's angle", value: self.half_angle });
        }
        follow(DVector::zeros(4), LONGEST_STEP, reach, |u| self.gap(u))
    }

    /// What the right foot lacks; unknown: horizontal and vertical reaction, moment or turn at the left, load.
    fn gap(&self, u: &DVector<f64>) -> Result<DVector<f64>, OracleError> {
        let axial_compliance = self.axial_compliance;
        let rod = PlanarRod { natural_curvature: -1.0, axial_compliance, shear_compliance: 0.0 };
        let (turn, moment) = if self.left == Foot::Clamped { (0.0, u[2]) } else { (u[2], 0.0) };
        let span = self.half_angle.sin();
        let start = Station { angle: self.half_angle + turn, x: -span, y: 0.0, moment, energy: 0.0 };
        let crown = rod.carry(&start, [u[0], u[1]], self.half_angle)?;
        // The force (0, −P) at the crown: what lies beyond carries P more upwards on what lies before.
        let end = rod.carry(&crown, [u[0], u[1] + u[3]], self.half_angle)?;
        let last = if self.right == Foot::Clamped { end.angle + self.half_angle } else { end.moment };
        Ok(DVector::from_vec(vec![end.x - span, end.y, last]))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::analytic::continuation::EventKind;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn deep_arch_clamped_at_one_end() {
        // [dadeppo1975]: an arch of 215°, one end clamped and one hinged, snaps at 8.97 EI/R².
        let arch =
            Arch { half_angle: 107.5f64.to_radians(), left: Foot::Clamped, right: Foot::Pinned, axial_compliance: 0.0 };
        let events = arch.events(25.0).unwrap();
        assert!(events[0].kind == EventKind::Fold && (events[0].load() - 8.97).abs() < 5e-3, "{events:?}");
    }

    #[test]
    fn pinned_semicircle_sways_before_it_snaps() {
        // [dadeppo1969]: 5.86 EI/R²; the symmetric path goes on to a fold that a real arch never sees.
        let arch = Arch { half_angle: FRAC_PI_2, left: Foot::Pinned, right: Foot::Pinned, axial_compliance: 0.0 };
        let events = arch.events(25.0).unwrap();
        assert!(events[0].kind == EventKind::Bifurcation && (events[0].load() - 5.86).abs() < 5e-3, "{events:?}");
        assert!(events[1].kind == EventKind::Fold && events[1].load() > events[0].load());
    }

    #[test]
    fn the_direction_in_which_the_arch_is_read_does_not_matter() {
        let arch = Arch { half_angle: 0.6, left: Foot::Clamped, right: Foot::Pinned, axial_compliance: 0.0 };
        let turned = Arch { left: Foot::Pinned, right: Foot::Clamped, ..arch };
        let (a, b) = (arch.events(150.0).unwrap(), turned.events(150.0).unwrap());
        for (a, b) in a.iter().zip(&b).take(2) {
            assert!(a.kind == EventKind::Fold && b.kind == EventKind::Fold);
            assert!((a.load() - b.load()).abs() < 1e-8 * a.load(), "{a:?} {b:?}");
        }
        assert!(a.len() >= 2 && b.len() >= 2);
    }
}
