//! Simo and Vu-Quoc's spin-up: a straight arm is turned about its root by a given angle ψ(t), lags behind, and ends up
//! stretched by its rotation \[simo1986\].
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | ψ(t) | angle of the root | `drive` | rad |
//! | ω_s, T_s | speed at the end, duration | `speed`, `duration` | rad/s, s |
//! | θ(s, t) | angle of the section against the root | – | rad |
//! | q_i | θ = Σ q_i φ_i(s), φ_i = P_i(2s/L − 1) − P_i(−1) | – | rad |
//!
//! ψ = ω_s/T_s (t²/2 + (T_s/2π)² (cos(2πt/T_s) − 1)) up to T_s, then ω_s (t − T_s/2).
//!
//! *Motion.* The arm is taken as inextensible and unshearable, p = ∫(cos, sin)(ψ + θ) ds; Lagrange's equations of the q_i are
//! integrated. Stretch and shear change the lag by the order of EI/(GA L²) and of the stretch, 1e-5 and 5e-5 here.
//!
//! *Steady stretch.* At constant speed the arm is a rotating bar, EA u″ + ρA ω² (s + u) = 0 with u(0) = 0 and u′(L) = 0, so
//! that s + u = sin(ks)/(k cos(kL)) with k² = ρA ω²/EA; to first order the tip moves by ρA ω² L³/(3 EA).

use super::legendre::{Points, legendre, legendre_slopes};
use crate::OracleError;
use crate::extrapolation::integrate;
use nalgebra::{DMatrix, DVector, SVector};
use std::f64::consts::TAU;

/// Polynomials of the bending angle. With six the largest lag changes by 5e-8 of itself.
const MODES: usize = 5;
/// Gauss points along the arm, for cosines of polynomials of degree five.
const POINTS: usize = 16;
/// Relative tolerance of an integration step.
const TOLERANCE: f64 = 1e-11;

/// The arm and its manoeuvre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpinUp {
    /// Length, m.
    pub length: f64,
    /// EA, N.
    pub axial: f64,
    /// kGA, N; used by nothing here, part of the data.
    pub shear: f64,
    /// EI, N·m².
    pub bending: f64,
    /// ρA, kg/m.
    pub mass: f64,
    /// ρI, kg·m.
    pub rotary: f64,
    /// ω_s, rad/s.
    pub speed: f64,
    /// T_s, s.
    pub duration: f64,
}

/// The data of \[simo1986, Part II\].
pub const SIMO_VU_QUOC: SpinUp = SpinUp {
    length: 10.0,
    axial: 2.8e7,
    shear: 1e7,
    bending: 1.4e4,
    mass: 1.2,
    rotary: 6e-4,
    speed: 6.0,
    duration: 15.0,
};

/// The tip seen from the turning root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TipMotion {
    /// Time, s.
    pub time: f64,
    /// Displacement along the turning arm, m; negative, as the arm bends.
    pub along: f64,
    /// Displacement across it, in the direction of the rotation, m; negative when it lags.
    pub across: f64,
    /// Angle of the tip's section against the root, rad.
    pub angle: f64,
}

/// q and its rate.
type State = SVector<f64, { 2 * MODES }>;

impl SpinUp {
    /// ψ, its rate and its acceleration at time t.
    pub fn drive(&self, t: f64) -> [f64; 3] {
        let (speed, duration) = (self.speed, self.duration);
        if t < duration {
            let (rate, phase) = (speed / duration, TAU * t / duration);
            let turn = duration / TAU;
            [
                rate * (0.5 * t * t + turn * turn * (phase.cos() - 1.0)),
                rate * (t - turn * phase.sin()),
                rate * (1.0 - phase.cos()),
            ]
        } else {
            [speed * (t - 0.5 * duration), speed, 0.0]
        }
    }

    /// Elongation of the arm at the steady speed, m: L (tan(kL)/(kL) − 1).
    pub fn steady_stretch(&self) -> Result<f64, OracleError> {
        let x = self.length * self.speed * (self.mass / self.axial).sqrt();
        // At kL = π/2 the bar flies apart.
        if !(0.0..1.5).contains(&x) {
            return Err(OracleError::OutOfDomain { quantity: "ω L √(ρA/EA)", value: x });
        }
        // tan x/x − 1 by its series where it would cancel.
        let x2 = x * x;
        let excess = if x < 0.05 { x2 / 3.0 * (1.0 + x2 * (2.0 / 5.0 + x2 * 17.0 / 105.0)) } else { x.tan() / x - 1.0 };
        Ok(self.length * excess)
    }

    /// The same to first order in the stretch, m: ρA ω² L³/(3 EA).
    pub fn steady_stretch_first_order(&self) -> f64 {
        self.mass * self.speed.powi(2) * self.length.powi(3) / (3.0 * self.axial)
    }

    /// The tip at the given times (increasing, from rest at the first, which is zero).
    pub fn tip_motion(&self, times: &[f64]) -> Result<Vec<TipMotion>, OracleError> {
        let arm = Arm::new(self);
        let mut state = State::zeros();
        let mut motion = Vec::with_capacity(times.len());
        for (i, time) in times.iter().enumerate() {
            if i > 0 {
                // Not across the end of the drive, whose fourth derivative jumps there.
                let from = times[i - 1];
                let through = if from < self.duration && *time > self.duration { self.duration } else { from };
                let rate = |t: f64, y: &State| arm.rate(t, y);
                if through > from {
                    state = integrate(rate, from, through, state, TOLERANCE)?;
                }
                state = integrate(rate, through, *time, state, TOLERANCE)?;
            }
            motion.push(arm.tip(*time, &state));
        }
        Ok(motion)
    }

    /// The moment of the largest lag: time (s) and displacement across (m, negative).
    pub fn largest_lag(&self) -> Result<[f64; 2], OracleError> {
        let count = 400;
        let h = 1.2 * self.duration / f64::from(count);
        let times: Vec<f64> = (0..=count).map(|i| h * f64::from(i)).collect();
        let motion = self.tip_motion(&times)?;
        let least = |i: &usize, j: &usize| motion[*i].across.total_cmp(&motion[*j].across);
        let i = (1..times.len() - 1).min_by(least).unwrap_or(1);
        // The parabola through three neighbours; its error is of fourth order in the step.
        let [a, b, c] = [motion[i - 1].across, motion[i].across, motion[i + 1].across];
        let (slope, bend) = (0.5 * (c - a), a - 2.0 * b + c);
        Ok([times[i] - h * slope / bend, b - 0.5 * slope * slope / bend])
    }
}

/// What does not change during the motion.
struct Arm<'a> {
    data: &'a SpinUp,
    points: Points,
    /// φ_i at the points, a row for each.
    shapes: DMatrix<f64>,
    /// φ_i at the tip.
    at_tip: DVector<f64>,
    stiffness: DMatrix<f64>,
    rotary: DMatrix<f64>,
    rotary_drive: DVector<f64>,
}

impl<'a> Arm<'a> {
    fn new(data: &'a SpinUp) -> Self {
        let points = Points::new(POINTS);
        let shape = |s: f64, i: usize| legendre(MODES, s)[i + 1] - legendre(MODES, 0.0)[i + 1];
        let shapes = DMatrix::from_fn(POINTS, MODES, |j, i| shape(points.at[j], i));
        let slopes = DMatrix::from_fn(POINTS, MODES, |j, i| legendre_slopes(MODES, points.at[j])[i + 1]);
        let weight = DMatrix::from_diagonal(&points.weights);
        let stiffness = slopes.transpose() * &weight * &slopes * (data.bending / data.length);
        let rotary = shapes.transpose() * &weight * &shapes * (data.rotary * data.length);
        let rotary_drive = shapes.transpose() * &points.weights * (data.rotary * data.length);
        let at_tip = DVector::from_fn(MODES, |i, _| shape(1.0, i));
        Self { data, points, shapes, at_tip, stiffness, rotary, rotary_drive }
    }

    fn rate(&self, t: f64, y: &State) -> State {
        let q = DVector::from_column_slice(&y.as_slice()[..MODES]);
        let v = DVector::from_column_slice(&y.as_slice()[MODES..]);
        let [_, speed, acceleration] = self.data.drive(t);
        let angle = &self.shapes * &q;
        let spin = (&self.shapes * &v).add_scalar(speed);
        let (sin, cos) = (angle.map(f64::sin), angle.map(f64::cos));
        // ∂p/∂q_i over L, across and along the turning root: ∫ φ_i (−sin, cos).
        let by = |direction: DVector<f64>| &self.points.integral * DMatrix::from_diagonal(&direction) * &self.shapes;
        let (ux, uy) = (by(-&sin), by(cos.clone()));
        // p̈ over L without q̈: ∫ ψ̈ (−sin, cos) − θ̇² (cos, sin).
        let square = spin.component_mul(&spin);
        let ax = &self.points.integral * (-&sin * acceleration - square.component_mul(&cos));
        let ay = &self.points.integral * (&cos * acceleration - square.component_mul(&sin));
        let weight = DMatrix::from_diagonal(&self.points.weights);
        let inertia = self.data.mass * self.data.length.powi(3);
        let mass = (ux.transpose() * &weight * &ux + uy.transpose() * &weight * &uy) * inertia + &self.rotary;
        let force = -(ux.transpose() * &weight * ax + uy.transpose() * &weight * ay) * inertia
            - &self.rotary_drive * acceleration
            - &self.stiffness * &q;
        // The mass matrix of independent shapes is positive definite.
        let solved = mass.cholesky().map_or(DVector::repeat(MODES, f64::NAN), |factor| factor.solve(&force));
        State::from_fn(|i, _| if i < MODES { y[MODES + i] } else { solved[i - MODES] })
    }

    fn tip(&self, time: f64, y: &State) -> TipMotion {
        let q = DVector::from_column_slice(&y.as_slice()[..MODES]);
        let angle = &self.shapes * &q;
        let length = self.data.length;
        TipMotion {
            time,
            along: length * (self.points.weights.dot(&angle.map(f64::cos)) - 1.0),
            across: length * self.points.weights.dot(&angle.map(f64::sin)),
            angle: self.at_tip.dot(&q),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::analytic::vibration::clamped_free_root;

    #[test]
    fn steady_stretch_of_the_paper() {
        let stretch = SIMO_VU_QUOC.steady_stretch().unwrap();
        assert!((stretch - 5.14e-4).abs() < 5e-7, "{stretch}");
        assert!((SIMO_VU_QUOC.steady_stretch_first_order() - 5.142857e-4).abs() < 1e-9);
        // The two differ by 2/5 (kL)².
        let x2 = 1.2 * 36.0 * 100.0 / 2.8e7;
        assert!((stretch / SIMO_VU_QUOC.steady_stretch_first_order() - 1.0 - 0.4 * x2).abs() < x2 * x2);
    }

    #[test]
    fn stretched_bar_meets_its_equation() {
        let soft = SpinUp { axial: 5e3, ..SIMO_VU_QUOC };
        let k2: f64 = 1.2 * 36.0 / 5e3;
        // From r = 0 with the slope 1/cos kL the tip has no strain, and lies at L + u.
        let slope = 1.0 / (k2.sqrt() * 10.0).cos();
        let rate = |_: f64, y: &nalgebra::Vector2<f64>| nalgebra::Vector2::new(y[1], -k2 * y[0]);
        let end = integrate(rate, 0.0, 10.0, nalgebra::Vector2::new(0.0, slope), 1e-13).unwrap();
        assert!((end[1] - 1.0).abs() < 1e-11 && (end[0] - 10.0 - soft.steady_stretch().unwrap()).abs() < 1e-10);
        assert!(SpinUp { axial: 1e3, ..SIMO_VU_QUOC }.steady_stretch().is_err());
    }

    #[test]
    fn largest_lag_of_the_paper() {
        let [time, lag] = SIMO_VU_QUOC.largest_lag().unwrap();
        assert!((lag + 0.574).abs() < 5e-4, "{time} {lag}");
    }

    #[test]
    fn the_drive_is_smooth_and_reaches_its_speed() {
        let drive = |t: f64| SIMO_VU_QUOC.drive(t);
        for t in [1.0, 7.0, 14.0, 16.0] {
            let h = 1e-5;
            let (a, b, here) = (drive(t + h), drive(t - h), drive(t));
            assert!(((a[0] - b[0]) / (2.0 * h) - here[1]).abs() < 1e-8);
            assert!(((a[1] - b[1]) / (2.0 * h) - here[2]).abs() < 1e-8);
        }
        let (before, after) = (drive(15.0 - 1e-9), drive(15.0));
        assert!((before[0] - after[0]).abs() < 1e-7 && (before[1] - 6.0).abs() < 1e-7 && before[2] < 1e-12);
    }

    #[test]
    fn a_small_swing_has_the_frequencies_of_the_cantilever() {
        let still = SpinUp { speed: 0.0, rotary: 0.0, ..SIMO_VU_QUOC };
        let arm = Arm::new(&still);
        let unit = (still.bending / still.mass).sqrt() / 100.0;
        // The accelerations of small coordinates; the eigenvalues are −ω².
        let size = 1e-8;
        let columns = DMatrix::from_fn(MODES, MODES, |i, j| {
            arm.rate(0.0, &State::from_fn(|k, _| if k == j { size } else { 0.0 }))[MODES + i] / size
        });
        let mut squares: Vec<f64> = columns.complex_eigenvalues().iter().map(|square| -square.re).collect();
        squares.sort_by(f64::total_cmp);
        // Ritz's frequencies lie above the exact ones; five polynomials resolve two waves well.
        for (n, tolerance) in [(1, 1e-7), (2, 1e-4)] {
            let exact = clamped_free_root(n).unwrap().powi(2) * unit;
            let error = squares[n - 1].sqrt() / exact - 1.0;
            assert!(error > -1e-8 && error < tolerance, "{n}: {error:e}");
        }
    }
}
