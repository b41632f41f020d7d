//! Natural modes about an equilibrium at rest: motions x e^{λt} with (λ²M + λC + K) x = 0.
//!
//! K is the tangent of statics with its stresses and multipliers, so that prestress, loads and constraints count; C is the
//! damping of materials and joints. With a potential and without damping λ² is real and K is symmetric: shifted Lanczos.
//! Otherwise λ is complex, growth + i 2π frequency, and is found by shifted Arnoldi (`vibration`): follower loads that feed
//! a motion make it flutter. Gyroscopic terms are absent: the modes are those of small motions about rest.

use super::lanczos;
use super::small_motions::{MOST_SHIFTS, ModesError, Rest, SHIFT_GROWTH, Solution};
use super::vibration;
use crate::krylov::{self, Operator, Reach};
use lissome_lie::Twist;
use lissome_mech::{Inputs, State, System, Workspace};
use lissome_sparse::kkt::KktMatrix;
use nalgebra::Complex;
use std::f64::consts::TAU;

/// A natural mode: a motion that goes as e^{growth t}, swinging with its frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// Re λ, 1/s: negative if the motion dies out, positive if it grows.
    pub growth: f64,
    /// Im λ/2π, Hz; 0 if it does not swing.
    pub frequency: f64,
    /// Estimated relative error of λ (without damping: of λ²), measured from the shift.
    pub error: f64,
    /// Motion of every slot at the moment of the swing when it is largest. Both parts together have unit mass.
    pub shape: Vec<Twist>,
    /// Motion a quarter of a swing before; zero where everything moves in step.
    pub quadrature: Vec<Twist>,
}

impl Mode {
    /// |λ|, rad/s: of a damped oscillation, the frequency that it would have without damping.
    pub fn rate(&self) -> f64 {
        self.growth.hypot(TAU * self.frequency)
    }

    /// −Re λ/|λ|: 0 for a lasting swing, 1 for a motion that dies out without swinging, −1 for one that runs away.
    pub fn damping_ratio(&self) -> f64 {
        let rate = self.rate();
        if rate > 0.0 { -self.growth / rate } else { 0.0 }
    }

    /// True if the motion grows beyond what rounding explains.
    pub fn grows(&self) -> bool {
        self.growth > GROWS * self.rate()
    }
}

/// Growth over |λ| beyond which a mode grows: well above the errors of λ where it is no multiple root.
const GROWS: f64 = 1e-8;
/// |λ|² below this part of the shift is rounding: a motion that nothing resists.
const NEUTRAL: f64 = 1e-9;
/// What goes into closed stops by more than this part of its motion is what rounding lets them give, no mode.
const INTO_STOPS: f64 = 1e-3;
/// A shift is chosen anew if the lowest |λ|² is farther from it than this factor; so many times.
const FAR_SHIFT: f64 = 100.0;
const SHIFTS: usize = 4;
/// Lanczos vectors beside three times the number of modes asked for.
const SPARE_VECTORS: usize = 50;
/// How often the number of vectors is doubled where it is not enough, the first time included.
const DOUBLINGS: usize = 5;
/// Relative error of λ² that ends the iteration, and one that is good enough at its end.
const TOLERANCE: f64 = 1e-12;
const CONVERGED: f64 = 1e-8;
/// Modes are counted this part of λ² below the highest.
const JUST_BELOW: f64 = 1e-6;
impl Rest<'_> {
    /// Solutions near the shift σ = √`square`.
    fn solve(&mut self, square: f64, count: usize) -> Result<Vec<Solution>, ModesError> {
        let damped = self.system.is_damped(&self.work);
        match (damped, self.system.is_conservative()) {
            (false, true) => lanczos_modes(self, square, count),
            (false, false) => vibration::undamped(self, square, count),
            (true, _) if self.system.has_separate_elasticity() => vibration::damped(self, square, count),
            (true, _) => Err(ModesError::DisplacementForm),
        }
    }

    /// How many negative directions K + `square` M has; `None` if it cannot be factored.
    fn negative(&mut self, square: f64, tangent: &mut Workspace) -> Option<usize> {
        self.assemble(tangent);
        let inertia = self.system.factor_shifted(square, tangent, &mut self.work).ok()?;
        (inertia.zero == 0).then(|| inertia.negative.saturating_sub(self.system.negative_pivots()))
    }

    /// True if no mode below the last of `count` was missed: as many directions of K − λ²M are negative just below it as
    /// there are modes (Sylvester).
    fn counts(&mut self, last: &lanczos::Eigenpair, square: f64, count: usize) -> bool {
        let below = (1.0 / last.value) * (1.0 - JUST_BELOW) - square;
        let mut tangent = self.system.workspace();
        self.negative(-below, &mut tangent).is_none_or(|found| found < count)
    }

    /// The motion over the slots, of unit mass.
    fn mode(&self, solution: &Solution) -> Mode {
        let mut image = vec![0.0; solution.real.len()];
        let mut weight = 0.0;
        for part in [&solution.real, &solution.imaginary] {
            self.mass.multiply(part, &mut image);
            weight += part.iter().zip(&image).map(|(a, b)| a * b).sum::<f64>();
        }
        // Motions of massless parts keep the length they have.
        let scale = if weight > f64::MIN_POSITIVE { weight.sqrt().recip() } else { 1.0 };
        let motions = |x: &[f64]| {
            let mut slots = self.system.slot_motions(x, &self.work);
            slots.iter_mut().for_each(|twist| *twist = *twist * scale);
            slots
        };
        Mode {
            growth: solution.lambda.re,
            frequency: solution.lambda.im / TAU,
            error: solution.error,
            shape: motions(&solution.real),
            quadrature: motions(&solution.imaginary),
        }
    }
}

/// The `count` lowest modes about an equilibrium, and any other growing ones that were seen beside them; in the order of
/// their frequencies, then of their growth. Lowest are those whose shapes would swing slowest without damping.
pub fn modes(system: &System, state: &State, inputs: &Inputs, count: usize) -> Result<Vec<Mode>, ModesError> {
    let mut rest = Rest::new(system, state, inputs)?;
    // Of the size of the lowest frequency of the softest rod, with all the mass.
    let mut square = system.scales().force / (system.total_mass(&rest.work) * system.scales().length);
    let mut solutions = rest.solve(square, count)?;
    for _ in 1..SHIFTS {
        let lasting =
            solutions.iter().map(|solution| solution.lambda.norm_sqr()).filter(|rate| *rate > NEUTRAL * square);
        let lowest = lasting.fold(f64::INFINITY, f64::min);
        let near = (square / FAR_SHIFT..square * FAR_SHIFT).contains(&lowest);
        if near || lowest.is_infinite() {
            break;
        }
        let Ok(better) = rest.solve(lowest, count) else { break };
        (solutions, square) = (better, lowest);
    }
    for solution in &mut solutions {
        if solution.lambda.norm_sqr() < NEUTRAL * square {
            solution.lambda = Complex::from(0.0);
        }
    }
    let into = |x: &[f64]| rest.system.part_into_stops(x, rest.state, rest.inputs, &rest.work);
    solutions.retain(|solution| into(&solution.real) < INTO_STOPS && into(&solution.imaginary) < INTO_STOPS);
    if solutions.is_empty() {
        return Err(ModesError::Held);
    }
    solutions.sort_by(|a, b| a.order.total_cmp(&b.order));
    let mut found: Vec<Mode> = solutions
        .iter()
        .map(|solution| rest.mode(solution))
        .enumerate()
        .filter(|(i, mode)| *i < count || mode.grows())
        .map(|(_, mode)| mode)
        .collect();
    found.sort_by(|a, b| a.frequency.total_cmp(&b.frequency).then(b.growth.total_cmp(&a.growth)));
    Ok(found)
}

struct Inverse<'a> {
    system: &'a System,
    tangent: &'a mut Workspace,
    mass: &'a KktMatrix,
}

impl Operator for Inverse<'_> {
    fn mass(&mut self, x: &[f64], y: &mut [f64]) {
        self.mass.multiply(x, y);
    }
    fn apply(&mut self, _: &[f64], mass_x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(mass_x);
        self.system.solve_symmetric(y, self.tangent);
    }
}

/// With a potential and without damping: K x = −λ²M x, λ² real. The shift makes the matrix definite even where a system
/// floats freely or is about to buckle.
fn lanczos_modes(rest: &mut Rest<'_>, mut square: f64, count: usize) -> Result<Vec<Solution>, ModesError> {
    let system = rest.system;
    let mut tangent = system.workspace();
    let mut definite = false;
    for _ in 0..MOST_SHIFTS {
        definite = rest.negative(square, &mut tangent) == Some(0);
        if definite {
            break;
        }
        square *= SHIFT_GROWTH;
    }
    if !definite {
        return Err(ModesError::Indefinite);
    }
    for doubling in 0..DOUBLINGS {
        let most = (3 * count + SPARE_VECTORS) << doubling;
        let mut operator = Inverse { system, tangent: &mut tangent, mass: &rest.mass };
        let starts = krylov::starts(system.unknowns(), system.displacement_rows());
        let pairs = lanczos::largest_from(&mut operator, starts, Reach { wanted: count, most, tolerance: TOLERANCE });
        let converged = pairs.iter().all(|pair| pair.error < CONVERGED);
        let exhausted = pairs.len() < count || most >= system.unknowns();
        if exhausted || (converged && pairs.last().is_none_or(|last| rest.counts(last, square, count))) {
            return Ok(pairs.into_iter().map(|pair| lasting(pair, square)).collect());
        }
    }
    Err(ModesError::NotConverged)
}

fn lasting(pair: lanczos::Eigenpair, square: f64) -> Solution {
    let swing = 1.0 / pair.value - square;
    let lambda = if swing < 0.0 { Complex::new((-swing).sqrt(), 0.0) } else { Complex::new(0.0, swing.sqrt()) };
    let imaginary = vec![0.0; pair.vector.len()];
    Solution { lambda, order: lambda.norm(), real: pair.vector, imaginary, error: pair.error }
}
