//! How a plucked cantilever swings: frequencies of its first modes, and its energy, from the motion itself.

use crate::error::CaseError;
use crate::report::Row;
use crate::template::{self, exact};
use lissome::model::Scene;
use lissome::solve::MotionFrame;
use lissome_reference::OracleError;
use lissome_reference::analytic::vibration::{Cantilever, clamped_free_root};
use nalgebra::{Complex, DMatrix, DVector};
use serde::Deserialize;
use std::f64::consts::TAU;

/// Recorded states a period.
const STATES: f64 = 20.0;
/// The peak of the transform is looked for this far from the expected frequency, relative.
const REACH: f64 = 0.05;

/// A cantilever along x that is bent into its modes and let go.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vibration {
    scene: String,
    /// Names of the forces that bend it, and where they act, in lengths. There are as many as modes to tell apart.
    loads: Vec<(String, f64)>,
    pluck: Vec<Pluck>,
    /// How long it swings.
    periods: f64,
    /// Of the frequencies, relative.
    within: f64,
    /// Of the mechanical energy at the end, relative.
    energy: f64,
}

/// How far it is bent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pluck {
    /// Deflection of the tip by the linear theory, in lengths.
    size: f64,
    /// The first so many modes.
    modes: usize,
}

impl Vibration {
    pub(super) fn rows(&self, folder: &str) -> Result<Vec<Row>, CaseError> {
        let path = format!("{folder}/{}", self.scene);
        let rod = cantilever(&template::scene(&path, &[])?)?;
        let frequencies = rod.timoshenko(self.loads.len())?;
        let mut rows = Vec::new();
        for Pluck { size, modes } in &self.pluck {
            for (mode, omega) in frequencies.iter().enumerate().take(*modes) {
                let (forces, expected) = (self.forces(mode, *size, &rod)?, omega / TAU);
                let set = self.loads.iter().zip(forces.iter());
                let mut settings: Vec<String> =
                    set.map(|((name, _), force)| format!("load.{name}.force=[0, 0, {}]", exact(*force))).collect();
                settings.push(format!("job.duration={}", exact(self.periods / expected)));
                settings.push(format!("job.output_rate={}", exact(STATES * expected)));
                let what = format!("mode {}, plucked by {size} L", mode + 1);
                let scene = template::scene(&path, &settings)?;
                let frames = super::motion::frames(&scene, &what)?;
                let found = frequency(&frames, expected);
                let error = (found / expected - 1.0).abs();
                rows.push(Row::within(
                    format!("{what}: frequency / Hz, relative"),
                    expected,
                    found,
                    error,
                    self.within,
                ));
                let energy = |frame: &MotionFrame| frame.energy.kinetic + frame.energy.elastic;
                let kept = energy(&frames[frames.len() - 1]) / energy(&frames[0]);
                let title = format!("{what}: energy kept over {} periods", self.periods);
                rows.push(Row::within(title, 1.0, kept, (kept - 1.0).abs(), self.energy));
            }
        }
        Ok(rows)
    }

    /// Forces that excite one mode and none of the others, and deflect the tip by `size` lengths.
    fn forces(&self, mode: usize, size: f64, rod: &Cantilever) -> Result<DVector<f64>, CaseError> {
        let n = self.loads.len();
        let shapes = (1..=n).map(mode_shape).collect::<Result<Vec<_>, OracleError>>()?;
        let matrix = DMatrix::from_fn(n, n, |i, j| shapes[i](self.loads[j].1));
        let mut one = DVector::zeros(n);
        one[mode] = 1.0;
        let few = CaseError::TooFew { what: "places of forces", found: n - 1, need: n };
        let forces = matrix.lu().solve(&one).ok_or(few)?;
        // Deflection of the tip by a force at x: x² (3L − x)/6EI.
        let deflection: f64 = self.loads.iter().zip(forces.iter()).map(|((_, x), f)| f * x * x * (3.0 - x) / 6.0).sum();
        Ok(forces * (size * rod.bending / (rod.length * rod.length) / deflection))
    }
}

/// Mode n of Euler and Bernoulli's cantilever over x in lengths.
fn mode_shape(n: usize) -> Result<impl Fn(f64) -> f64, OracleError> {
    let beta = clamped_free_root(n)?;
    let sigma = (beta.cosh() + beta.cos()) / (beta.sinh() + beta.sin());
    Ok(move |x: f64| {
        let b = beta * x;
        b.cosh() - b.cos() - sigma * (b.sinh() - b.sin())
    })
}

/// The first rod of a scene, which is uniform.
fn cantilever(scene: &Scene) -> Result<Cantilever, CaseError> {
    let rod = scene.rods.first().ok_or(CaseError::TooFew { what: "rods", found: 0, need: 1 })?;
    let (stiffness, mass) = (rod.profile.at(0.0).stiffness(), rod.profile.at(0.0).mass());
    Ok(Cantilever {
        length: rod.length,
        bending: stiffness[(1, 1)],
        shear: stiffness[(5, 5)],
        mass: mass[(3, 3)],
        rotary: mass[(1, 1)],
    })
}

/// Frequency of the strongest swing of the tip near the one that is expected: the peak of its Fourier transform under a
/// Hann window.
fn frequency(frames: &[MotionFrame], expected: f64) -> f64 {
    let tip = |frame: &MotionFrame| frame.rods.first().and_then(|rod| rod.poses.last()).map_or(0.0, |p| p.position.z);
    let end = frames[frames.len() - 1].time;
    let samples: Vec<(f64, f64)> =
        frames.iter().map(|frame| (frame.time, tip(frame) * (1.0 - (TAU * frame.time / end).cos()))).collect();
    let strength =
        |f: f64| samples.iter().map(|(t, z)| Complex::from_polar(*z, TAU * f * t)).sum::<Complex<f64>>().norm();
    // The main lobe is two periods of the whole record wide on either side: a coarse search finds it, thirds narrow it.
    let coarse = (0..=200).map(|i| expected * (1.0 - REACH + 0.01 * REACH * f64::from(i)));
    let start = coarse.max_by(|a, b| strength(*a).total_cmp(&strength(*b))).unwrap_or(expected);
    let (mut low, mut high) = (start * (1.0 - 0.01 * REACH), start * (1.0 + 0.01 * REACH));
    while high - low > 1e-9 * expected {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if strength(a) < strength(b) {
            low = a;
        } else {
            high = b;
        }
    }
    0.5 * (low + high)
}
