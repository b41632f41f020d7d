//! Two pre-curved tubes in each other, without loads: how far the inner ends turn, and when they snap.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | θ(s) | angle between the tubes' planes of curvature | – | rad |
//! | λ | coupling of bending and torsion | `coupling` | 1/m² |
//! | l | length over which both are curved, from the entry at s = 0 | `overlap` | m |
//! | T = −β | straight length behind the entry, where both are held | `transmission` | m |
//! | u | √λ (l − s) | – | – |
//!
//! θ″ = λ sin θ, θ(β) = θ(0) − T θ′(0), θ′(l) = 0 \[xun2025, eq. (56)\]. θ − π swings as a pendulum that is at rest at s = l, so that
//! with k = cos ½θ(l) and k′ = sin ½θ(l)
//!
//! cos ½θ = k cn u/dn u,  sin ½θ = k′/dn u,  θ′ = −2 √λ k k′ sn u/dn u:
//!
//! θ(β) follows from θ(l) without a search. It has a fold where ∂θ(β)/∂θ(l) = 0, with δθ″ = λ cos θ δθ from δθ(l) = 1 and
//! δθ′(l) = 0. At θ = π, equal and opposite tubes, δθ = cos u: they stay as they are until T √λ tan(√λ l) = 1.

use super::jacobi::jacobi;
use super::root::{bisect, bisect_fallible};
use crate::OracleError;
use crate::extrapolation::integrate;
use nalgebra::Vector4;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const TOLERANCE: f64 = 1e-13;
/// Places where a sign is looked at before a root is bracketed.
const SAMPLES: usize = 400;

/// Two tubes curved over a common length and held behind a straight one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TubePair {
    /// λ, 1/m².
    pub coupling: f64,
    /// l, m.
    pub overlap: f64,
    /// T, m.
    pub transmission: f64,
}

/// One tube of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedTube {
    /// EI, N·m².
    pub bending: f64,
    /// GJ, N·m².
    pub torsion: f64,
    /// Pre-curvature, 1/m.
    pub curvature: f64,
}

/// An equilibrium of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairState {
    /// θ(l), rad.
    pub tip: f64,
    /// θ(0), rad.
    pub entry: f64,
    /// θ′(0), rad/m.
    pub entry_slope: f64,
    /// θ(β), the angle between the plates that hold the tubes, rad.
    pub plates: f64,
}

/// λ = κ₁κ₂ (1/GJ₁ + 1/GJ₂)/(1/EI₁ + 1/EI₂): the tubes share one curve, and each keeps its torque.
pub fn coupling(tubes: &[PairedTube; 2]) -> f64 {
    let [a, b] = tubes;
    a.curvature * b.curvature * (1.0 / a.torsion + 1.0 / b.torsion) / (1.0 / a.bending + 1.0 / b.bending)
}

impl TubePair {
    /// The equilibrium whose tubes are at the angle `tip` in [0, 2π] at the end of the overlap.
    pub fn state(&self, tip: f64) -> PairState {
        let root = self.coupling.sqrt();
        let (complement, k) = (0.5 * tip).sin_cos();
        // Equal tubes in parallel: no torque.
        if complement <= 0.0 || tip >= TAU {
            return PairState { tip, entry: tip, entry_slope: 0.0, plates: tip };
        }
        let at = jacobi(root * self.overlap, k.abs(), complement);
        let entry = 2.0 * (complement / at.dn).atan2(k * at.cn / at.dn);
        let entry_slope = -2.0 * root * k * complement * at.sn / at.dn;
        PairState { tip, entry, entry_slope, plates: entry - self.transmission * entry_slope }
    }

    /// ∂θ(β)/∂θ(l): positive on stable branches near θ = 0 and 2π, zero at folds.
    pub fn slope(&self, tip: f64) -> Result<f64, OracleError> {
        let rate = |_: f64, y: &Vector4<f64>| {
            Vector4::new(y[1], self.coupling * y[0].sin(), y[3], self.coupling * y[0].cos() * y[2])
        };
        let y = integrate(rate, self.overlap, 0.0, Vector4::new(tip, 0.0, 1.0, 0.0), TOLERANCE)?;
        Ok(y[2] - self.transmission * y[3])
    }

    /// The fold at which tubes turned from θ = 0 snap, if they do; those turned back from 2π snap at 2π minus its angles.
    pub fn fold(&self) -> Result<Option<PairState>, OracleError> {
        let place = |i: usize| PI * i as f64 / SAMPLES as f64;
        for i in 1..=SAMPLES {
            if self.slope(place(i))? < 0.0 {
                let tip = bisect_fallible(place(i - 1), place(i), |tip| self.slope(tip))?;
                return Ok(Some(self.state(tip)));
            }
        }
        Ok(None)
    }

    /// All θ(l) with the plates at the angle `plates`, in ascending order: one, or three where tubes can snap.
    pub fn tips(&self, plates: f64) -> Result<Vec<f64>, OracleError> {
        let off = |tip: f64| self.state(tip).plates - plates;
        let place = |i: usize| TAU * i as f64 / SAMPLES as f64;
        let mut found = Vec::new();
        for i in 1..=SAMPLES {
            let (low, high) = (place(i - 1), place(i));
            if off(low) == 0.0 {
                found.push(low);
            } else if off(low) * off(high) < 0.0 {
                found.push(bisect(low, high, off)?);
            }
        }
        Ok(found)
    }

    /// Whether equal and opposite tubes (θ = π everywhere) stay as they are: T √λ tan(√λ l) < 1 before the first pole.
    pub fn opposite_is_stable(&self) -> bool {
        let turn = self.coupling.sqrt() * self.overlap;
        turn < FRAC_PI_2 && self.transmission * self.coupling.sqrt() * turn.tan() < 1.0
    }
}

/// The overlap l at which opposite tubes begin to turn away from each other when tubes of the length L are pushed out of their
/// entry: the least root of tan(√λ l) √λ (L − l) = 1; `None` if they never do.
pub fn bifurcation_on_insertion(coupling: f64, length: f64) -> Option<f64> {
    let root = coupling.sqrt();
    let excess = |l: f64| (root * l).sin() * root * (length - l) - (root * l).cos();
    let last = length.min(FRAC_PI_2 / root);
    let place = |i: usize| last * i as f64 / SAMPLES as f64;
    let i = (1..=SAMPLES).find(|i| excess(place(*i)) > 0.0)?;
    bisect(place(i - 1), place(i), excess).ok()
}

/// The border of snapping when tubes of the length L are pushed out to the given overlaps: the angle of the plates at the fold
/// for each overlap that has one, L − l remaining behind the entry.
pub fn snap_border(coupling: f64, length: f64, overlaps: &[f64]) -> Result<Vec<(f64, f64)>, OracleError> {
    let mut border = Vec::new();
    for overlap in overlaps.iter().copied() {
        let pair = TubePair { coupling, overlap, transmission: length - overlap };
        if let Some(fold) = pair.fold()? {
            border.push((overlap, fold.plates));
        }
    }
    Ok(border)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn printed(coupling: f64) -> TubePair {
        TubePair { coupling, overlap: 0.23, transmission: 0.21 }
    }

    #[test]
    fn equation_56_against_independent_shooting() {
        // θ(l), θ(β), θ(0), θ′(0) for λ = 37.8, found by shooting in another language at a tolerance of 1e-13.
        let table = [
            [0.6283185307179586, 2.622747636160943, 1.2904934512785189, -6.344067547059162],
            [1.2566370614359172, 3.976879377302642, 2.226631060694079, -8.334515793374111],
            [1.8849555921538759, 4.201604600444561, 2.7634784113865756, -6.848219947895169],
            [2.5132741228718345, 3.8036398844206816, 3.0210042344038146, -3.726836428651747],
            [3.7699111843077517, 2.479545422758902, 3.2621810727757703, 3.7268364286517537],
            [4.39822971502571, 2.0815807067350254, 3.5197068957930107, 6.848219947895168],
            [5.654866776461628, 3.6604376710186446, 4.992691855901068, 6.34406754705916],
        ];
        for [tip, plates, entry, slope] in table {
            let state = printed(37.8).state(tip);
            assert!((state.plates - plates).abs() < 1e-11 && (state.entry - entry).abs() < 1e-11, "{state:?}");
            assert!((state.entry_slope - slope).abs() < 1e-10, "{state:?}");
        }
    }

    #[test]
    fn folds_of_the_paper() {
        let fold = printed(37.8).fold().unwrap().unwrap();
        assert!((fold.plates - 4.221464000763397).abs() < 1e-11, "{fold:?}");
        assert!((fold.tip - 1.7330031195605202).abs() < 1e-7, "{fold:?}");
        let fold = printed(34.8).fold().unwrap().unwrap();
        assert!((fold.plates - 4.058564270517113).abs() < 1e-11, "{fold:?}");
        // On the way back it snaps at the mirrored angle, 2.2246 rad.
        assert!((TAU - fold.plates - 2.2246).abs() < 5e-5);
    }

    #[test]
    fn the_far_branch_after_the_snap() {
        let pair = printed(37.8);
        let fold = pair.fold().unwrap().unwrap();
        let tips = pair.tips(fold.plates + 1e-9).unwrap();
        assert!(tips.len() == 1 && (tips[0] - 5.812431671794037).abs() < 1e-7, "{tips:?}");
        assert_eq!(pair.tips(fold.plates - 1e-3).unwrap().len(), 3);
    }

    #[test]
    fn slope_is_the_derivative_of_the_s_curve() {
        let pair = printed(34.8);
        for tip in [0.2, 1.0, 2.0, 3.0, 4.5, 6.0] {
            let h = 1e-5;
            let difference = (pair.state(tip + h).plates - pair.state(tip - h).plates) / (2.0 * h);
            assert!((pair.slope(tip).unwrap() - difference).abs() < 1e-8, "{tip}");
        }
    }

    #[test]
    fn opposite_tubes_turn_away_where_the_fold_is_born() {
        let (coupling, length) = (34.8, 0.44);
        let l = bifurcation_on_insertion(coupling, length).unwrap();
        let root: f64 = coupling.sqrt();
        assert!(((root * l).tan() * root * (length - l) - 1.0).abs() < 1e-12);
        let at = |overlap: f64| TubePair { coupling, overlap, transmission: length - overlap };
        assert!(at(l).slope(PI).unwrap().abs() < 1e-12);
        assert!(at(0.999 * l).opposite_is_stable() && !at(1.001 * l).opposite_is_stable());
        assert!(at(0.99 * l).fold().unwrap().is_none());
        let born = at(1.001 * l).fold().unwrap().unwrap();
        // A cusp: the fold leaves θ = π with the power 3/2 of the overlap.
        assert!(born.plates > PI && born.plates < PI + 1e-3, "{born:?}");
        let border = snap_border(coupling, length, &[0.1, 0.2, 0.3]).unwrap();
        assert!(border.windows(2).all(|w| w[1].1 > w[0].1), "{border:?}");
    }

    #[test]
    fn short_tubes_never_turn_away() {
        assert_eq!(bifurcation_on_insertion(34.8, 0.1), None);
    }
}
