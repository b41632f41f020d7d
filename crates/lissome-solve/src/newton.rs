//! Newton on the mixed functional in the increments: the iteration that statics rests on.
//!
//! Unknowns are the increments Ψ between control poses and, independently, the stresses β. In these coordinates the
//! strain is nearly linear and a stress is never a difference of large numbers, so the iteration does not feel how
//! slender the rod is: it takes the same steps at L/r = 10 and 10⁴. What remains nonlinear is the work of the loads.
//! A step is therefore judged by ½ βᵀMβ − W along it, stresses moving linearly: the misfit between strain and stress,
//! which is second order and huge when multiplied by EA, stays out of the judgement and is removed by the next step.

use lissome_mech::{CurvatureOf, Inputs, State, System, Workspace};

/// Whether the stiffness is shifted when its symmetric part is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// Until it is: for loads with a potential, whose equilibria are minima.
    UntilDefinite,
    /// Until it is, unless the plain step is short: far from equilibrium a guide, near it no judge.
    WhenFar,
    /// Never: follower forces and moments make a tangent that no energy judges.
    Never,
}

/// One Newton iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iteration {
    /// Fraction of the load being solved for.
    pub load_factor: f64,
    /// Scaled residual before the step (see `docs/theory`): largest unbalanced force over the force scale.
    pub residual: f64,
    /// Scaled length of the full Newton step (rotations in rad, translations over the rod's length).
    pub step: f64,
    /// Fraction of it that was taken.
    pub fraction: f64,
    /// Multiple of the elastic stiffness added to make the tangent positive definite; zero for a plain Newton step.
    pub shift: f64,
}

/// How a run of Newton iterations ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A stationary point; `definite` if its tangent was seen to be positive definite.
    Converged {
        /// False if nothing judged the tangent (follower loads, moments).
        definite: bool,
    },
    /// A stationary point whose tangent is not positive definite.
    Saddle,
    /// Neither within the iterations allowed.
    Failed,
    /// The observer asked to stop.
    Stopped,
}

/// Scaled residual of an equilibrium.
pub(crate) const AT_REST: f64 = 1e-6;

/// Scaled step below which a full Newton step ends the run; the error after it is its square.
pub const STEP_TOLERANCE: f64 = 1e-9;
/// Round rods turn about themselves for free under dead loads: a tangent counts as definite with this much of the
/// elastic stiffness added.
pub const NEUTRAL_SHIFT: f64 = 1e-7;

/// Steps shorter than this are taken without a search: the quadratic region.
const SEARCH_ABOVE: f64 = 0.1;
/// Armijo's fraction of the predicted decrease.
const ARMIJO: f64 = 1e-4;
/// Largest turn of one increment in one step, rad.
pub(crate) const LARGEST_TURN: f64 = 1.5;
/// No increment may turn farther than this, rad: its logarithm ends at π.
pub(crate) const LARGEST_INCREMENT: f64 = 3.0;
/// Under [`Shift::WhenFar`], an unshifted step shorter than this is taken whatever the inertia.
const PLAIN_STEP: f64 = 0.3;
/// First shift, and the factor by which it grows.
const FIRST_SHIFT: f64 = 0.3;
const SHIFT_GROWTH: f64 = 3.0;
/// A step is bent by shifts from the first of these if less than this fraction of it could be taken.
const SHORT_FRACTION: f64 = 0.3;
const BENDING_SHIFT: f64 = 1e-3;
const BENDING_GROWTH: f64 = 4.0;
/// Growth of the small shifts near equilibrium: a neutral direction is as negative there as the residual is large.
const NEUTRAL_GROWTH: f64 = 100.0;
const LARGEST_SHIFT: f64 = 1e6;
/// Shifted steps that would be below this without the shift mean that the iteration settles where the tangent is not
/// positive definite: nothing pushes it along the directions that lead away.
pub const SADDLE_STEP: f64 = 0.03;
/// A step this small that no longer shrinks is round-off: the iteration has arrived.
pub(crate) const ROUND_OFF_STEP: f64 = 1e-6;

/// [`Newton::settled`] of an answer.
pub const NOTHING_LEFT: f64 = 1e-3 * STEP_TOLERANCE;

/// What one run needs and leaves behind.
pub struct Newton<'a> {
    /// The equations.
    pub system: &'a System,
    /// The run ends where the next step would be below this, if steps go on to shrink as they did, or by their squares.
    pub settled: f64,
    /// Shifted steps that would be below this without the shift are taken for a saddle.
    pub saddle_step: f64,
    /// True if it begins at an equilibrium of nearly the same robot: what is neutral stays where it is then.
    pub begins_near: bool,
    /// Memory.
    pub work: &'a mut Workspace,
    /// Every iteration so far.
    pub history: &'a mut Vec<Iteration>,
    /// Called after every iteration; `false` stops the run.
    pub observer: &'a mut dyn FnMut(&Iteration) -> bool,
}

impl Newton<'_> {
    /// Iterates under fixed inputs until a stationary point, at most `limit` times.
    pub fn run(&mut self, state: &mut State, inputs: &Inputs, limit: usize, shift: Shift) -> End {
        let load_factor = inputs.factor;
        self.system.place_tensions(inputs, state);
        self.renew_friction(state);
        self.system.meet(state, 0.0);
        let mut trial = state.clone();
        let mut previous_step = f64::INFINITY;
        let mut policy = shift;
        for iteration in 0..limit {
            self.system.refresh_dependent_stress(state, self.work);
            let near = previous_step < SEARCH_ABOVE || self.begins_near && iteration == 0;
            let Some((residual, mut mu)) = self.factor(state, inputs, policy, near) else {
                return End::Failed;
            };
            self.system.solve(state, self.work);
            let mut step = self.system.step_size(self.work);
            if !step.is_finite() {
                return End::Failed;
            }
            let mut fraction = self.search(state, &mut trial, step);
            if policy == Shift::UntilDefinite && fraction < SHORT_FRACTION {
                (mu, step, fraction) = self.bend(state, &mut trial, (mu, step, fraction));
            }
            self.system.retract_increments(state, fraction, self.work, &mut trial);
            std::mem::swap(state, &mut trial);
            self.renew_friction(state);
            self.system.meet(state, 0.0);
            let iteration = Iteration { load_factor, residual, step, fraction, shift: mu };
            self.history.push(iteration);
            if !(self.observer)(&iteration) {
                return End::Stopped;
            }
            if !state.is_finite() || fraction == 0.0 {
                return End::Failed;
            }
            if mu > NEUTRAL_SHIFT {
                // Short shifted steps: a saddle, which only the plain iteration reaches. A small shift hardly shortens
                // a step, so there the step must be as short as at any other end.
                let short = if mu >= FIRST_SHIFT { self.saddle_step } else { STEP_TOLERANCE };
                if shift == Shift::UntilDefinite && step * (1.0 + mu) < short {
                    policy = Shift::Never;
                }
                previous_step = step;
                continue;
            }
            // An infinite residual: an element is too long for its stress, and only a guide answered.
            let next = step * step.max(step / previous_step);
            let stalled = step < ROUND_OFF_STEP && step > 0.5 * previous_step;
            // What is left of the balance shrinks as the steps do.
            let settled = next < self.settled && residual * (step / previous_step).min(1.0) < AT_REST;
            let arrived = residual.is_finite() && (step < STEP_TOLERANCE || settled || stalled);
            if fraction == 1.0 && arrived {
                self.system.refresh_dependent_stress(state, self.work);
                return match (shift, policy) {
                    (Shift::UntilDefinite, Shift::UntilDefinite) => End::Converged { definite: true },
                    (Shift::UntilDefinite, _) => End::Saddle,
                    _ => End::Converged { definite: false },
                };
            }
            previous_step = step;
        }
        End::Failed
    }

    /// Friction for the shape that the state has: rods whose stress follows from their strain say that first.
    fn renew_friction(&mut self, state: &mut State) {
        if self.system.has_friction() {
            self.system.refresh_dependent_stress(state, self.work);
            self.system.renew_friction(state);
        }
    }

    /// Assembles and factors, shifting as far as needed. Returns the residual and the shift.
    fn factor(&mut self, state: &State, inputs: &Inputs, policy: Shift, near: bool) -> Option<(f64, f64)> {
        let definite_at = self.system.negative_pivots();
        let residual = self.system.assemble(state, inputs, CurvatureOf::Increments, self.work);
        // Near equilibrium a neutral turn would leave the step at the mercy of round-off: a hint of shift from the start.
        let mut mu = if near && policy == Shift::UntilDefinite { NEUTRAL_SHIFT } else { 0.0 };
        self.system.shift_to(mu, self.work);
        while mu <= LARGEST_SHIFT {
            let factored = self.system.factor(self.work);
            let good = match (factored, policy) {
                (Err(_), _) => false,
                (Ok(_), Shift::Never) => true,
                (Ok(_), Shift::WhenFar) if mu == 0.0 && self.plain_step_is_short(state) => true,
                (Ok(Some(inertia)), _) => inertia.negative == definite_at && inertia.zero == 0,
                (Ok(None), _) => matches!(
                    self.system.symmetric_inertia(self.work),
                    Ok(inertia) if inertia.negative == definite_at && inertia.zero == 0
                ),
            };
            if good {
                return Some((residual.balance.max(residual.misfit), mu));
            }
            mu = match mu {
                0.0 => FIRST_SHIFT,
                small if small < FIRST_SHIFT => (small * NEUTRAL_GROWTH).min(FIRST_SHIFT),
                _ => mu * SHIFT_GROWTH,
            };
            self.system.shift_to(mu, self.work);
        }
        None
    }

    /// A step that had to be cut short overshoots along a direction with hardly any stiffness: a shift of that size bends
    /// it instead of stopping everything else. Takes and returns shift, step and fraction.
    fn bend(&mut self, state: &State, trial: &mut State, plain: (f64, f64, f64)) -> (f64, f64, f64) {
        let mut mu = plain.0.max(BENDING_SHIFT);
        while mu < FIRST_SHIFT {
            self.system.shift_to(mu, self.work);
            if self.system.factor(self.work).is_ok() {
                self.system.solve(state, self.work);
                let step = self.system.step_size(self.work);
                let fraction = self.search(state, trial, step);
                if fraction > SHORT_FRACTION {
                    return (mu, step, fraction);
                }
            }
            mu *= BENDING_GROWTH;
        }
        self.system.shift_to(plain.0, self.work);
        if self.system.factor(self.work).is_ok() {
            self.system.solve(state, self.work);
        }
        plain
    }

    fn plain_step_is_short(&mut self, state: &State) -> bool {
        self.system.solve(state, self.work);
        self.system.step_size(self.work) < PLAIN_STEP
    }

    /// The fraction of the step to take.
    fn search(&mut self, state: &State, trial: &mut State, step: f64) -> f64 {
        let system = self.system;
        let turn = system.increment_turn(self.work);
        let mut fraction = (LARGEST_TURN / turn).min(system.longest_fraction(LARGEST_INCREMENT, self.work)).min(1.0);
        if system.has_obstacles() {
            fraction = fraction.min(system.contact_fraction(state, self.work));
        }
        if step < SEARCH_ABOVE {
            return fraction;
        }
        let stress = system.stress_work(state, self.work);
        let strain = system.displacement_energy(state, self.work);
        let loads = system.force_potential(state, state, self.work);
        let open = system.open_merit(state, state, self.work);
        let slope = stress.linear + system.displacement_slope(self.work) - system.force_slope(self.work)
            + system.open_slope(state, self.work);
        if slope >= 0.0 {
            // The misfit dominates: no descent to speak of, and the step is the one that removes it.
            return fraction;
        }
        while fraction > 1e-4 {
            system.retract_increments(state, fraction, self.work, trial);
            let change = stress.linear * fraction
                + 0.5 * stress.quadratic * fraction * fraction
                + (system.displacement_energy(trial, self.work) - strain)
                + (system.force_potential(state, trial, self.work) - loads)
                + (system.open_merit(state, trial, self.work) - open);
            if change <= ARMIJO * fraction * slope {
                break;
            }
            fraction *= 0.5;
        }
        fraction
    }
}
