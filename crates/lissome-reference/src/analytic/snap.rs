//! The strip of Gomez, Moulton and Vella: buckled between clamps, one of which is turned until the strip snaps
//! \[gomez2017\].
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | d | distance of the clamps | `distance` | L |
//! | α | angle of the turned clamp | `angle` | rad |
//! | ε = 1 − d | shortening | – | – |
//! | μ = α/√ε | the one parameter of the shallow theory | `mu` | – |
//! | τ² | compression P L²/EI | `tau`, `load` | – |
//! | U | elastic energy | `energy` | EI/L; shallow: EI ε/L |
//!
//! *Shallow*: W⁗ + τ² W″ = 0, W(0) = W(1) = W′(1) = 0, W′(0) = μ, ∫W′² = 2, so that W = μ w(x; τ) and
//! μ(τ) = √(2/∫w′²). At μ = 0 there are two arches, τ = 2π: the *natural* branch τ < 2π, bent the way the clamp turns, and
//! the *inverted* one τ > 2π, which ends in a fold where μ is greatest, μ = 1.7818.
//!
//! *Exact*: the planar rod of [`PlanarRod`] by shooting, with or without stretch and shear.

use super::newton::{self, Root};
use super::planar::{PlanarRod, Station};
use super::root::{bisect, bisect_fallible};
use crate::OracleError;
use nalgebra::DVector;
use std::f64::consts::TAU;

/// Largest gap at the far clamp, in L and rad.
const CLOSED: f64 = 1e-12;

/// A state of the shallow strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shallow {
    /// τ, the square root of P L²/EI.
    pub tau: f64,
    /// α/√ε.
    pub mu: f64,
    /// Elastic energy ½∫W″², in EI ε/L.
    pub energy: f64,
    /// W″(0): curvature at the turned clamp, in √ε/L.
    pub curvature: f64,
    /// Transverse force, −τ² times the mean slope of W's linear part, in √ε EI/L².
    pub transverse: f64,
}

/// The state of the shallow strip at the compression τ², 0 < τ < 4π except 2π.
pub fn shallow(tau: f64) -> Shallow {
    // w = C (cos τx − 1) + D sin τx + (1 − Dτ) x has w(0) = 0 and w′(0) = 1; two equations remain at x = 1.
    let (s, c) = tau.sin_cos();
    let (a11, a12, a21, a22) = (c - 1.0, s - tau, -tau * s, tau * (c - 1.0));
    let determinant = a11 * a22 - a12 * a21;
    let (cc, dd) = ((a12 - a22) / determinant, (a21 - a11) / determinant);
    let slope = 1.0 - dd * tau;
    let (sin2, product) = ((2.0 * tau).sin() / (4.0 * tau), 0.5 * s * s / tau);
    let (sines, cosines) = (0.5 - sin2, 0.5 + sin2);
    // Integrals of w′² and w″².
    let square = slope * slope
        + tau * tau * (cc * cc * sines + dd * dd * cosines - 2.0 * cc * dd * product)
        + 2.0 * slope * (cc * (c - 1.0) + dd * s);
    let bent = tau.powi(4) * (cc * cc * cosines + dd * dd * sines + 2.0 * cc * dd * product);
    let mu = (2.0 / square).sqrt();
    Shallow {
        tau,
        mu,
        energy: 0.5 * mu * mu * bent,
        curvature: -mu * cc * tau * tau,
        transverse: -mu * slope * tau * tau,
    }
}

/// The fold of the shallow strip and where it lands: the inverted state at the greatest μ, and the natural state there.
pub fn shallow_fold() -> Result<[Shallow; 2], OracleError> {
    // ∂μ/∂τ by a difference whose error moves τ by its square, and μ by the fourth power.
    let h = 1e-4;
    let tau = bisect(6.8, 8.2, |tau| shallow(tau + h).mu - shallow(tau - h).mu)?;
    let before = shallow(tau);
    let after = bisect(4.0, 6.2, |tau| shallow(tau).mu - before.mu)?;
    Ok([before, shallow(after)])
}

/// The strip itself, of unit length and EI = 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strip {
    /// Distance of the clamps over the length, 0.8 < d < 1.
    pub distance: f64,
    /// EI/(EA L²); zero for an inextensible strip.
    pub axial_compliance: f64,
    /// EI/(kGA L²); zero for an unshearable strip.
    pub shear_compliance: f64,
}

/// An equilibrium of the strip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equilibrium {
    /// Angle of the turned clamp, rad.
    pub angle: f64,
    /// Compression P L²/EI along the line of the clamps.
    pub load: f64,
    /// Transverse force, EI/L².
    pub transverse: f64,
    /// Moment at the turned clamp, EI/L.
    pub moment: f64,
    /// Elastic energy, EI/L.
    pub energy: f64,
}

impl Strip {
    fn shortening(&self) -> Result<f64, OracleError> {
        if !(self.distance > 0.8 && self.distance < 1.0) {
            return Err(OracleError::OutOfDomain { quantity: "distance of the clamps", value: self.distance });
        }
        Ok(1.0 - self.distance)
    }

    fn far_end(&self, angle: f64, load: f64, transverse: f64, moment: f64) -> Result<Station, OracleError> {
        let rod = PlanarRod {
            natural_curvature: 0.0,
            axial_compliance: self.axial_compliance,
            shear_compliance: self.shear_compliance,
        };
        let start = Station { angle, x: 0.0, y: 0.0, moment, energy: 0.0 };
        rod.carry(&start, [-load, transverse], 1.0)
    }

    fn gap(&self, end: &Station) -> DVector<f64> {
        DVector::from_vec(vec![end.angle, end.x - self.distance, end.y])
    }

    /// The equilibrium under a given compression, near the shallow one: angle, transverse force and moment are found.
    pub fn under_load(&self, load: f64) -> Result<Equilibrium, OracleError> {
        let root = self.root_under_load(load)?;
        self.equilibrium(root.x[0], load, root.x[1], root.x[2])
    }

    fn root_under_load(&self, load: f64) -> Result<Root, OracleError> {
        let scale = self.shortening()?.sqrt();
        let near = shallow(load.sqrt());
        let start = DVector::from_vec(vec![near.mu * scale, near.transverse * scale, near.curvature * scale]);
        newton::solve(start, CLOSED, |u| Ok(self.gap(&self.far_end(u[0], load, u[1], u[2])?)))
    }

    /// How the angle changes with the compression.
    fn angle_rate(&self, load: f64) -> Result<f64, OracleError> {
        let root = self.root_under_load(load)?;
        let at = |load: f64| Ok::<_, OracleError>(self.gap(&self.far_end(root.x[0], load, root.x[1], root.x[2])?));
        let h = 1e-5 * load;
        let by_load = (at(load + h)? - at(load - h)?) / (2.0 * h);
        let change = root.jacobian.lu().solve(&by_load);
        Ok(-change.ok_or(OracleError::SingularCut { cut: 1 })?[0])
    }

    /// The natural (bent the way the clamp turns) or inverted equilibrium at a given angle. The inverted one must be well
    /// before its fold.
    pub fn at_angle(&self, angle: f64, inverted: bool) -> Result<Equilibrium, OracleError> {
        let scale = self.shortening()?.sqrt();
        let mu = angle / scale;
        let fold = shallow_fold()?[0];
        let bracket = if inverted { (TAU + 1e-6, fold.tau) } else { (1.0, TAU - 1e-6) };
        let near = shallow(bisect(bracket.0, bracket.1, |tau| shallow(tau).mu - mu)?);
        let start = vec![near.tau * near.tau, near.transverse * scale, near.curvature * scale];
        let root =
            newton::solve(DVector::from_vec(start), CLOSED, |u| Ok(self.gap(&self.far_end(angle, u[0], u[1], u[2])?)))?;
        self.equilibrium(angle, root.x[0], root.x[1], root.x[2])
    }

    fn equilibrium(&self, angle: f64, load: f64, transverse: f64, moment: f64) -> Result<Equilibrium, OracleError> {
        let energy = self.far_end(angle, load, transverse, moment)?.energy;
        Ok(Equilibrium { angle, load, transverse, moment, energy })
    }

    /// The last inverted equilibrium, at the greatest angle, and the natural one to which the strip snaps from there.
    pub fn fold(&self) -> Result<[Equilibrium; 2], OracleError> {
        let load = bisect_fallible(50.0, 64.0, |load| self.angle_rate(load))?;
        let before = self.under_load(load)?;
        Ok([before, self.at_angle(before.angle, false)?])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::analytic::elastica::clamped_buckled;

    #[test]
    fn shallow_fold_of_the_paper() {
        let [before, after] = shallow_fold().unwrap();
        // [gomez2017]: the fold is at μ = 1.7818.
        assert!((before.mu - 1.7818).abs() < 5e-5, "{before:?}");
        assert!((after.mu - before.mu).abs() < 1e-12 && after.tau < TAU && before.tau > TAU);
        // Strip of 1 m × 20 mm × 0.5 mm, E = 1 GPa, ends 0.99 m apart: 1.24e-4 J before, 4.6e-5 J after.
        let joule = 1e9 * 0.02 * 0.5e-3f64.powi(3) / 12.0 * 0.01;
        assert!((before.energy * joule - 1.24e-4).abs() < 5e-7, "{}", before.energy * joule);
        assert!((after.energy * joule - 4.6e-5).abs() < 5e-7, "{}", after.energy * joule);
    }

    #[test]
    fn shallow_work_and_energy() {
        // The clamp's moment does the work: dU = −W″(0) dα in shallow units, along either branch.
        for tau in [5.0, 6.9, 7.3] {
            let (a, b, here) = (shallow(tau + 1e-5), shallow(tau - 1e-5), shallow(tau));
            let rate = (a.energy - b.energy) / (a.mu - b.mu);
            assert!((rate + here.curvature).abs() < 1e-6 * rate.abs().max(1.0), "{tau}: {rate} {here:?}");
        }
    }

    #[test]
    fn strips_that_are_nearly_straight_are_shallow() {
        let [shallow_before, shallow_after] = shallow_fold().unwrap();
        let departure = |shortening: f64| {
            let strip = Strip { distance: 1.0 - shortening, axial_compliance: 0.0, shear_compliance: 0.0 };
            let [before, after] = strip.fold().unwrap();
            [
                before.angle / shortening.sqrt() / shallow_before.mu - 1.0,
                before.energy / shortening / shallow_before.energy - 1.0,
                after.energy / shortening / shallow_after.energy - 1.0,
            ]
        };
        // The shallow theory errs by a multiple of ε.
        let (one, ten) = (departure(1e-3), departure(1e-2));
        for (one, ten) in one.into_iter().zip(ten) {
            assert!(ten.abs() < 0.02 && (ten / one / 10.0 - 1.0).abs() < 0.05, "{one} {ten}");
        }
    }

    #[test]
    fn untwisted_clamps_give_the_buckled_elastica() {
        let strip = Strip { distance: 0.9, axial_compliance: 0.0, shear_compliance: 0.0 };
        let arch = clamped_buckled(0.9).unwrap();
        for inverted in [false, true] {
            let nearly = strip.at_angle(1e-3, inverted).unwrap();
            // The load changes linearly with the angle, by opposite amounts on the two branches.
            assert!((nearly.load - arch.load).abs() < 0.1, "{nearly:?} {arch:?}");
        }
        let mean = strip.at_angle(1e-3, false).unwrap().load + strip.at_angle(1e-3, true).unwrap().load;
        assert!((0.5 * mean - arch.load).abs() < 1e-4, "{mean} {arch:?}");
    }

    #[test]
    fn the_exact_fold_is_an_extremum_and_its_energy_is_work() {
        let strip = Strip { distance: 0.99, axial_compliance: 2e-8, shear_compliance: 5e-8 };
        let [before, after] = strip.fold().unwrap();
        for load in [before.load - 1.0, before.load + 1.0] {
            assert!(strip.under_load(load).unwrap().angle < before.angle);
        }
        assert!(after.energy < 0.5 * before.energy);
        let at = |angle: f64| strip.at_angle(angle, true).unwrap();
        let (here, h) = (at(0.1), 1e-4);
        let rate = (at(0.1 + h).energy - at(0.1 - h).energy) / (2.0 * h);
        assert!((rate + here.moment).abs() < 1e-6, "{rate} {here:?}");
    }

    #[test]
    fn figures_of_the_strip_of_one_metre() {
        // 1 m × 20 mm × 0.5 mm with ends 0.99 m apart: EI/(EA L²) = h²/12, EI/(GA L²) = 2(1 + ν) h²/12 with ν = 0.3.
        let strip = Strip { distance: 0.99, axial_compliance: 0.25e-6 / 12.0, shear_compliance: 2.6 * 0.25e-6 / 12.0 };
        let inextensible = Strip { axial_compliance: 0.0, shear_compliance: 0.0, ..strip };
        let [before, _] = strip.fold().unwrap();
        let [rigid, _] = inextensible.fold().unwrap();
        let mu = before.angle / 0.1;
        // Compression takes P/EA = 57 h²/12 L² off the shortening, half of that relative to 0.01 off the angle.
        let expected = -0.5 * before.load * strip.axial_compliance / 0.01;
        assert!(((before.angle / rigid.angle - 1.0) / expected - 1.0).abs() < 0.1, "{mu} {rigid:?}");
        // The exact figure lies within ε = 1 % of the shallow one.
        assert!((mu / 1.7818 - 1.0).abs() < 0.01, "{mu}");
    }
}
