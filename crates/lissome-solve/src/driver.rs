//! The search for an equilibrium under given inputs, from a start: attempts of Newton's method, and ways out of saddles.

use crate::energy::Energy;
use crate::newton::{End, Iteration, Newton, SADDLE_STEP, Shift};
use crate::stability;
use crate::static_options::StaticOptions;
use lissome_mech::{CurvatureOf, Inputs, Potentials, State, System, Workspace};

/// Iterations of an attempt.
pub(crate) const ATTEMPT: usize = 40;
/// Without a potential most problems take the plain iteration or none: it gets fewer.
const PLAIN_ATTEMPT: usize = 20;
/// How often a saddle is left, and how far along its lowest mode (scaled displacement).
const SADDLES: usize = 4;
const LEAVE_BY: f64 = 0.1;
/// Sides of a saddle whose loads differ by less than this, in units of force and length, are alike; a component of a mode is
/// the largest so far if it is so much larger.
const ALIKE: f64 = 1e-12;
const ABOVE: f64 = 1.0 + 1e-6;
/// On the way out of a saddle short steps are no sign of another one.
const DEPARTING_STEP: f64 = 1e-5;

/// What came of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// An equilibrium that is stable, or the first one if any will do.
    Found {
        /// True if an unstable one was left for it.
        left_saddle: bool,
    },
    /// Only one that is unstable.
    Unstable,
    /// None.
    Nothing,
    /// The observer asked to stop.
    Stopped,
}

pub(crate) struct Driver<'a> {
    pub system: &'a System,
    pub work: &'a mut Workspace,
    pub options: &'a StaticOptions,
    pub history: Vec<Iteration>,
    /// How many of the last iterations only checked what had been found.
    pub checks: usize,
    /// The last equilibrium is known to be a minimum.
    pub definite: bool,
    pub observer: &'a mut dyn FnMut(&Iteration) -> bool,
}

impl Driver<'_> {
    /// True if the iterations allowed are used up.
    pub fn spent(&self) -> bool {
        self.history.len() >= self.options.max_iterations
    }

    /// Looks for an equilibrium under `inputs` from `start`.
    pub fn settle(&mut self, start: &State, inputs: &Inputs, state: &mut State) -> Settled {
        let mut unstable: Option<State> = None;
        for (policy, limit) in self.attempts() {
            state.clone_from(start);
            match self.newton(state, inputs, *limit, *policy) {
                End::Converged { definite } => {
                    self.definite = definite;
                    if definite || !self.options.leave_saddles || self.is_stable(state, inputs) {
                        return Settled::Found { left_saddle: false };
                    }
                    unstable.get_or_insert_with(|| state.clone());
                }
                End::Saddle if !self.options.leave_saddles => return Settled::Found { left_saddle: false },
                End::Saddle if self.leave_saddle(state, inputs, *policy) => {
                    return Settled::Found { left_saddle: true };
                }
                End::Saddle => {
                    unstable.get_or_insert_with(|| state.clone());
                }
                End::Stopped => return Settled::Stopped,
                End::Failed => {}
            }
        }
        match unstable {
            Some(found) => {
                *state = found;
                self.definite = false;
                Settled::Unstable
            }
            None => Settled::Nothing,
        }
    }

    /// What to try on the whole load, in order. Without a potential: dead forces, which dominate the energy, gain from
    /// shifting while far; moments and follower forces alone are nearly linear in the increments and lose by it.
    pub fn attempts(&self) -> &'static [(Shift, usize)] {
        if self.system.is_conservative() {
            &[(Shift::UntilDefinite, ATTEMPT)]
        } else if self.system.has_dead_forces() {
            &[(Shift::WhenFar, ATTEMPT), (Shift::Never, PLAIN_ATTEMPT)]
        } else {
            &[(Shift::Never, PLAIN_ATTEMPT), (Shift::WhenFar, ATTEMPT)]
        }
    }

    /// The equilibrium near a state in which friction was held; false if there is none.
    pub fn renew_friction(&mut self, state: &mut State, inputs: &Inputs) -> bool {
        let (policy, limit) = self.attempts()[0];
        matches!(self.newton(state, inputs, limit, policy), End::Converged { .. } | End::Saddle)
    }

    fn is_stable(&mut self, state: &State, inputs: &Inputs) -> bool {
        stability::examine(self.system, state, inputs, self.work).stable
    }

    pub fn newton(&mut self, state: &mut State, inputs: &Inputs, limit: usize, shift: Shift) -> End {
        self.newton_with_saddle_step(state, inputs, limit, shift, SADDLE_STEP)
    }

    fn newton_with_saddle_step(
        &mut self,
        state: &mut State,
        inputs: &Inputs,
        limit: usize,
        shift: Shift,
        saddle_step: f64,
    ) -> End {
        let limit = limit.min(self.options.max_iterations.saturating_sub(self.history.len()));
        let mut newton = Newton {
            system: self.system,
            settled: self.options.settled,
            saddle_step,
            begins_near: !self.options.load_steps,
            work: self.work,
            history: &mut self.history,
            observer: self.observer,
        };
        newton.run(state, inputs, limit, shift)
    }

    /// Moves down the lowest mode and starts again, as often as it takes. True if that ends on a minimum; otherwise the
    /// saddle is left as it was.
    pub fn leave_saddle(&mut self, state: &mut State, inputs: &Inputs, policy: Shift) -> bool {
        if !self.options.leave_saddles {
            return false;
        }
        let found = state.clone();
        for _ in 0..SADDLES {
            let saddle = state.clone();
            let Some(mode) = stability::lowest_mode(self.system, &saddle, inputs, self.work) else { break };
            self.system.assemble(&saddle, inputs, CurvatureOf::Increments, self.work);
            self.system.set_pose_step(&mode.direction, self.work);
            let by = self.downhill(&saddle, &mode.direction);
            self.system.retract_increments(&saddle, by, self.work, state);
            match self.newton_with_saddle_step(state, inputs, ATTEMPT, policy, DEPARTING_STEP) {
                End::Converged { definite } => {
                    self.definite = definite;
                    return true;
                }
                End::Saddle => {}
                End::Failed | End::Stopped => break,
            }
        }
        state.clone_from(&found);
        false
    }

    /// How far and to which side of a saddle to go along the mode that is the last step: to where the loads fall. Where
    /// both sides are alike, as those of a perfect column, the mode's largest component decides, so that neither rounding
    /// nor the division of the rods does.
    fn downhill(&mut self, saddle: &State, mode: &[f64]) -> f64 {
        let by = LEAVE_BY / self.system.step_size(self.work);
        let mut trial = saddle.clone();
        let mut side = |by: f64| {
            self.system.retract_increments(saddle, by, self.work, &mut trial);
            self.system.force_potential(saddle, &trial, self.work)
        };
        let (plus, minus) = (side(by), side(-by));
        let scale = self.system.scales();
        if (plus - minus).abs() > ALIKE * scale.force * scale.length {
            return if plus < minus { by } else { -by };
        }
        let largest =
            mode.iter().fold(0.0_f64, |largest, x| if x.abs() > largest.abs() * ABOVE { *x } else { largest });
        if largest < 0.0 { -by } else { by }
    }

    /// Energies at a state.
    pub fn energy(&mut self, state: &State, inputs: &Inputs) -> Energy {
        let Potentials { elastic, gravity, applied } = self.system.potentials(state, inputs, self.work);
        Energy { elastic, gravity, loads: applied }
    }
}
