//! How long a step of the explicit scheme may be: its highest natural frequency tells.

use super::integrator::Integrator;
use super::lanczos::{self, Operator};
use super::motion::Motion;
use super::step_report::StepFailure;
use lissome_mech::{MotionWorkspace, System};

impl Integrator<'_> {
    /// Square of the highest natural frequency at the start of the step, (rad/s)².
    pub fn highest_square(&mut self, motion: &Motion) -> Result<f64, StepFailure> {
        self.prepare(motion);
        let n = self.system.prepare_mass(&mut self.work).map_err(|_| StepFailure::Singular)?;
        // Alternating signs: the highest frequency has the shortest waves.
        let sign = |i: usize| if (i / 6).is_multiple_of(2) { 1.0 } else { -1.0 };
        let start = (0..n).map(|i| sign(i) * (1.0 + 0.3 * (i as f64).sin())).collect();
        let mut operator = Elasticity { system: &self.system, work: &mut self.work };
        let pairs = lanczos::largest(&mut operator, start, 1, LIMIT_VECTORS, LIMIT_TOLERANCE);
        Ok(pairs.first().map_or(0.0, |pair| pair.value * (1.0 + pair.error)))
    }

    /// Longest stable step of the explicit scheme: 2/ω_max, less with damping.
    pub fn step_limit(&mut self, motion: &Motion) -> Result<f64, StepFailure> {
        let omega = self.highest_square(motion)?.max(0.0).sqrt();
        let time = self.work.longest_relaxation();
        // ζ = ωτ/2 with the viscous stress of the last step: h ω < 2(√(1 + ζ²) − ζ).
        let zeta = 0.5 * omega * time;
        Ok(2.0 * (1.0f64.hypot(zeta) - zeta) / omega)
    }
}

/// Vectors for the highest frequency, and its error: a part in 10⁴ of the square is half that of the step.
const LIMIT_VECTORS: usize = 80;
const LIMIT_TOLERANCE: f64 = 1e-4;

/// AᵀM⁻¹A over the mass: squares of the frequencies without stress.
struct Elasticity<'a> {
    system: &'a System,
    work: &'a mut MotionWorkspace,
}

impl Operator for Elasticity<'_> {
    fn mass(&mut self, x: &[f64], y: &mut [f64]) {
        self.system.mass_times(x, y, self.work);
    }
    fn apply(&mut self, x: &[f64], _: &[f64], y: &mut [f64]) {
        if self.system.elastic_acceleration(x, y, self.work).is_err() {
            // No limit is found then, and no step is taken.
            y.fill(f64::NAN);
        }
    }
}
