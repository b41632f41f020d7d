//! One step of any scheme: first guess, Newton iteration on the end of the step, velocities at its end.
//!
//! A step is first attempted, which changes nothing in the [`Motion`], and then taken. Whoever controls the step looks at
//! the [`StepReport`] in between.

use super::closing;
use super::contact_events::{self, ContactWatch};
use super::course::{Course, SceneCourse, SystemOf};
use super::kept_tangent::KeptTangent;
use super::missed::Missed;
use super::motion::{Counts, Motion};
use super::scheme::{BackwardStage, Scheme, TR_FRACTION};
use super::step_report::{StepFailure, StepReport};
use lissome_lie::Twist;
use lissome_lie::dual::DualVector;
use lissome_mech::impulse::StepRule;
use lissome_mech::motion::impact::Contact;
use lissome_mech::motion::{Pace, Rates, Velocities};
use lissome_mech::passing::Strands;
use lissome_mech::{Inputs, MechanicalState, MotionWorkspace, State};
use nalgebra::Vector6;

/// Scaled Newton step (rad, m over the rod's length) whose remaining error is accepted. What is missing in the balance
/// of momentum goes into the velocities, so momentum is exact all the same.
pub const STEP_TOLERANCE: f64 = 1e-8;
/// The same where energy is to be kept.
pub const FINE_TOLERANCE: f64 = 1e-11;
/// The same where things touch: what is left of a gap, times the force that will press there, is energy.
const CONTACT_TOLERANCE: f64 = 3e-10;
/// Part of the largest force that a force may be off by where nothing else is; what is missing in the balance goes into the velocities.
const FORCE_TOLERANCE: f64 = 1e-6;
/// Two steps in a row below this, where things touch: nothing moves any more.
const STILL: f64 = 1e-10;
/// Part of the energy that its sum is not exact to.
const ROUNDED_ENERGY: f64 = 64.0 * f64::EPSILON;
/// No step is asked for that rounding does not allow.
const ROUNDING: f64 = 1e-13;
/// More iterations than this: the step is too long.
const MOST_ITERATIONS: usize = 12;
const MOST_WITH_CONTACTS: usize = 25;
const MOST_WITH_FRICTION: usize = 60;
/// From this iteration on a step longer than this part of the last but one tells of a cycle: contacts that stick in one
/// iteration and slide in the next. Part of a step leads out of most; the rest want a shorter time step.
const CYCLES_AFTER: usize = 5;
const PROGRESS: f64 = 0.5;
const DAMPED: f64 = 0.5;
/// Iterations with friction without progress before that is said.
const PATIENCE: usize = 12;
/// A tangent that shrinks the error by less than this factor is renewed.
const RENEW_ABOVE: f64 = 0.1;
/// No Newton step turns a pose farther than this, rad.
const LARGEST_TURN: f64 = 0.5;
/// μ stays within this: beyond it the correction would be no correction.
const LARGEST_CORRECTION: f64 = 0.05;
/// Rates of drives are differences over this part of a step.
pub(super) const RATE_WINDOW: f64 = 1e-3;

/// Steps one system with one scheme.
pub struct Integrator<'a> {
    pub(super) system: SystemOf<'a>,
    pub(super) scheme: Scheme,
    pub(super) course: Box<dyn Course + 'a>,
    pub(super) work: MotionWorkspace,
    /// The end of the step under way, and the last iterate.
    pub(super) end: State,
    trial: State,
    pub(super) end_velocity: Vec<Twist>,
    pub(super) end_joint_rates: Vec<Vector6<f64>>,
    /// One-sided constraints at the start and at the end of the step under way.
    pub(super) contacts: [Vec<Contact>; 2],
    pub(super) has_contacts: bool,
    /// True if something closed between the stages of the step that was last attempted.
    pub(super) closed_between: bool,
    pub(super) inputs: Inputs,
    /// No rate of a drive is read from what comes after this time, s.
    horizon: f64,
    pub(super) behind: Inputs,
    pub(super) ahead: Inputs,
    /// The workspace stands at the start of the next step of the motion it was last used with.
    pub(super) ready: bool,
    tangent: KeptTangent,
    pub(super) missed: Missed,
    correction: f64,
    /// Part of its strength that the filter acts with.
    pub(super) filter_part: f64,
    /// Scaled Newton step that is accepted at most; the scheme may ask for less.
    pub(super) tolerance: f64,
    pub(super) coarsest_tolerance: f64,
    /// The shortest part of the robot that moves by itself, of its length: steps of the iteration are measured by it.
    shortest: f64,
    /// Energy lost last time when point velocities became pose velocities.
    projection_loss: f64,
    /// Energy at the start of the step under way where things may touch, and what rounding may do to it, J.
    pub(super) start_energy: f64,
    rounding: f64,
    /// True if something may touch something.
    pub(super) has_obstacles: bool,
    /// True if the step under way is one in which something begins or ceases to touch: taken by implicit Euler, which does
    /// not throw back what runs in.
    pub(super) lands: bool,
    /// True if forces act at both ends of such a step, since what lands moves along a curve.
    pub(super) curves: bool,
    /// True if the step under way has none before it that tells of it.
    pub(super) begins: bool,
    /// Who touches at the start and at the end of the step.
    pub(super) touching: [Vec<bool>; 2],
    /// Length of the step that the first of these was found for.
    pub(super) touching_after: Option<f64>,
    watch: ContactWatch,
    pub(super) strands: Strands,
    /// The start of the step under way with the partners that it begins with, and the length of step that these were looked up for.
    pub(super) met: State,
    pub(super) met_for: Option<f64>,
}

impl<'a> Integrator<'a> {
    /// For a system under its own drives.
    pub fn new(system: impl Into<SystemOf<'a>>, scheme: Scheme) -> Self {
        let system = system.into();
        Self::with_course(system.clone(), scheme, Box::new(SceneCourse(system)))
    }

    /// For a system under inputs of one's own.
    pub fn with_course(system: impl Into<SystemOf<'a>>, scheme: Scheme, course: Box<dyn Course + 'a>) -> Self {
        let system = system.into();
        let work = system.motion_workspace();
        let state = system.natural_state();
        // Time passes: what touches does so at points of the material.
        let moving = || Inputs { duration: 1.0, ..system.nominal_inputs().clone() };
        Self {
            scheme,
            course,
            end_velocity: vec![Twist::zero(); state.poses.len()],
            end_joint_rates: vec![Vector6::zeros(); state.joints.len()],
            trial: state.clone(),
            met: state.clone(),
            met_for: None,
            missed: Missed::new(&system),
            end: state,
            work,
            inputs: moving(),
            horizon: f64::INFINITY,
            behind: moving(),
            ahead: moving(),
            start_energy: 0.0,
            rounding: 0.0,
            has_obstacles: system.has_obstacles(),
            lands: false,
            curves: false,
            begins: true,
            touching: [Vec::new(), Vec::new()],
            touching_after: None,
            watch: ContactWatch::default(),
            strands: Strands::of(&system),
            contacts: [Vec::new(), Vec::new()],
            has_contacts: system.has_contacts(),
            closed_between: false,
            ready: false,
            tangent: KeptTangent::default(),
            correction: 0.0,
            filter_part: 1.0,
            tolerance: STEP_TOLERANCE,
            coarsest_tolerance: STEP_TOLERANCE,
            shortest: 1.0,
            projection_loss: 0.0,
            system,
        }
    }

    /// For a robot with parts as short as this part of its length: they strain by as much as the iteration leaves over their
    /// length, and what balance that leaves goes into their velocities.
    pub fn with_shortest(mut self, part: f64) -> Self {
        self.shortest = part.min(1.0);
        self
    }

    /// Sets the part of its strength that the filter acts with, and the scaled Newton step that is accepted at most.
    pub(super) fn refine(&mut self, filter_part: f64, tolerance: f64) {
        (self.filter_part, self.tolerance) = (filter_part, tolerance.clamp(ROUNDING, self.coarsest_tolerance));
    }

    /// The scheme with its filter as strong as it acts.
    pub(super) fn acting(&self) -> Scheme {
        match self.scheme {
            _ if self.lands => Scheme::ImplicitEuler,
            // A filter of what is not known yet would add energy to what falls or slides.
            Scheme::Robust { .. } if self.begins && self.has_obstacles => Scheme::Robust { filter: 0.0 },
            Scheme::Robust { filter } => Scheme::Robust { filter: filter * self.filter_part },
            scheme => scheme,
        }
    }

    /// Counts the energies of a motion that begins, and takes its velocities for steady ones.
    pub(super) fn begin_scale(&mut self, motion: &mut Motion) {
        let energies = self.energies(motion);
        let scale = &mut motion.scale;
        scale.count(&energies, motion.dissipated, motion.work);
        self.system.set_steady(&self.work, &mut scale.steady);
    }

    /// Length of the robot and a time that tells of its slowest swings, √(m L/F) with its bending force.
    pub fn units(&self) -> (f64, f64) {
        let scales = self.system.scales();
        (scales.length, (self.system.total_mass(&self.work) * scales.length / scales.force).sqrt())
    }

    /// The scheme.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Where things touch, rates of drives at the ends of steps are read from what comes before this time alone: a drive that will change its
    /// rate there has its old one until then, and what it carries is not thrown before.
    pub fn read_rates_before(&mut self, time: f64) {
        if self.has_obstacles {
            self.horizon = time;
        }
    }

    /// Forgets what was prepared: the motion was changed from outside.
    pub fn reset(&mut self) {
        self.ready = false;
        self.forget_tangent();
        self.correction = 0.0;
        self.projection_loss = 0.0;
    }

    /// The next step factors its own tangent, and nothing is known of what its guess will miss: where it begins, a copy of the motion may
    /// go on.
    pub(super) fn forget_tangent(&mut self) {
        self.tangent = KeptTangent::default();
        self.missed.forget();
        self.work.forget_care();
    }

    /// What the next step depends on beside the motion: the correction of energy and its last loss.
    pub(super) fn memory(&self) -> [f64; 2] {
        [self.correction, self.projection_loss]
    }

    /// Forgets what was prepared but not this.
    pub(super) fn remember(&mut self, [correction, projection_loss]: [f64; 2]) {
        self.reset();
        (self.correction, self.projection_loss) = (correction, projection_loss);
    }

    /// The state with the elastic stress of this moment, where a step keeps that of its middle.
    pub fn state_now(&mut self, motion: &Motion) -> State {
        self.prepare(motion);
        let mut state = motion.state.clone();
        self.system.place_tensions(&self.inputs_at(motion.time), &mut state);
        // The strain of a motion under way has a stress; should it have none, that of the step is told.
        let _ = self.system.set_start_stress(&mut state, &mut self.work);
        state
    }

    /// What acts at a time.
    pub fn inputs_at(&self, time: f64) -> Inputs {
        let mut inputs = Inputs { duration: 1.0, ..self.system.nominal_inputs().clone() };
        self.course.at(time, &mut inputs);
        inputs
    }

    /// Energies and momenta of a motion.
    pub fn energies(&mut self, motion: &Motion) -> MechanicalState {
        self.prepare(motion);
        self.system.start_energies(&mut self.work)
    }

    /// Makes the velocities of a motion that is to start consistent with constraints and drives.
    pub fn make_consistent(&mut self, motion: &mut Motion) -> Result<(), StepFailure> {
        self.prepare(motion);
        self.course.at(motion.time, &mut self.inputs);
        // A run has no past: rates ahead only.
        self.course.at(motion.time, &mut self.behind);
        self.course.at(motion.time + RATE_WINDOW * 1e-3, &mut self.ahead);
        let rates = Rates { behind: &self.behind, ahead: &self.ahead, apart: RATE_WINDOW * 1e-3 };
        let mut velocities = Velocities { slots: &mut motion.velocity, joints: &mut motion.joint_rates };
        self.system
            .consistent_velocities(&self.inputs, &rates, &mut velocities, &mut self.work)
            .map_err(|_| StepFailure::Singular)
    }

    pub(super) fn prepare(&mut self, motion: &Motion) {
        if !self.ready {
            self.touching_after = None;
            self.course.at(motion.time, &mut self.inputs);
            self.system.recall_increments(&motion.memory, &mut self.work);
            self.system.start_motion(&motion.state, &motion.velocity, &self.inputs, &mut self.work);
            self.ready = true;
        }
    }

    /// Attempts a step of length h.
    pub fn attempt(&mut self, motion: &Motion, h: f64, counts: &mut Counts) -> Result<StepReport, StepFailure> {
        self.prepare(motion);
        self.lands = false;
        self.met_for = None;
        self.begins = motion.memory.last_step == 0.0;
        if self.has_obstacles {
            let start = self.system.start_energies(&mut self.work);
            self.start_energy = start.energy();
            let over_ways = self.system.contact_forces(&motion.state) * self.system.scales().length;
            self.rounding =
                ROUNDED_ENERGY * (start.kinetic + start.elastic + start.gravity.abs()) + f64::EPSILON * over_ways;
            if self.passes_through(motion, h) {
                return Err(StepFailure::PassesThrough);
            }
        }
        let result = match self.scheme {
            _ if self.has_obstacles => self.stage_among_obstacles(motion, h, counts),
            Scheme::TrBdf2 => self.two_stages(motion, h, counts),
            _ => self.one_stage(motion, h, counts),
        };
        let result = result.and_then(|report| self.stays_outside(motion).map(|()| report));
        if self.scheme == Scheme::TrBdf2 {
            // The workspace stands between the stages until the step is taken.
            self.ready = false;
        }
        result
    }

    pub(super) fn one_stage(
        &mut self,
        motion: &Motion,
        h: f64,
        counts: &mut Counts,
    ) -> Result<StepReport, StepFailure> {
        let rule = self.rule(h);
        self.begin(motion, h, &rule);
        self.go_through(motion, rule, counts)
    }

    /// One stage by its rule, from the guess of its end that was made.
    pub(super) fn go_through(
        &mut self,
        motion: &Motion,
        rule: StepRule,
        counts: &mut Counts,
    ) -> Result<StepReport, StepFailure> {
        let h = rule.step;
        let kept = self.kept_energy(motion);
        let (rule, iterations) = self.settle(motion, rule, kept, counts)?;
        let system = self.system.clone();
        let within = kept.map(|_| system.energy_within_step(&self.end, &self.inputs, &mut self.work));
        let (_, mut dissipated) = system.strain_change_energy(&rule, &self.end, &mut self.work);
        let work = system.work_of_step(&rule, &self.end, &self.inputs, &mut self.work);
        if self.scheme == Scheme::Explicit {
            system.set_consistent_stress(&mut self.end, &mut self.work).map_err(|_| StepFailure::NotFinite)?;
        }
        self.find_velocities(self.scheme.kick(h), motion.time + h, h)?;
        system.tell_contacts(h, &mut self.end, &self.inputs, &self.work);
        let friction = system.friction_loss(&self.end, &self.inputs);
        dissipated += friction;
        let end = system.end_energies(&self.end, &self.inputs, &mut self.work);
        if let Some(within) = within {
            self.projection_loss = within - end.energy();
        }
        self.correction = rule.correction;
        let (error, pace) = self.error(motion, h);
        Ok(StepReport { iterations, error, pace, end, dissipated, friction, work, acted: self.acting() })
    }

    /// Trapezoidal rule to γh, then backward differentiation to h.
    pub(super) fn two_stages(
        &mut self,
        motion: &Motion,
        h: f64,
        counts: &mut Counts,
    ) -> Result<StepReport, StepFailure> {
        let system = self.system.clone();
        let (near, far) = (h * TR_FRACTION, h * (1.0 - TR_FRACTION));
        let first = self.scheme.rule(near);
        self.begin(motion, near, &first);
        let (first, mut iterations) = self.iterate(first, None, counts)?;
        self.closed_between = self.see_contacts(motion, near) && closing::any_closes(&self.contacts, near);
        self.course.at(motion.time + near, &mut self.inputs);
        let (_, mut dissipated) = system.strain_change_energy(&first, &self.end, &mut self.work);
        let mut work = system.work_of_step(&first, &self.end, &self.inputs, &mut self.work);
        self.find_velocities(0.0, motion.time + near, near)?;

        let stage = BackwardStage::new();
        let rule = stage.rule(h);
        system.begin_backward_stage(&rule, [stage.near, stage.far], &self.end, &self.inputs, &mut self.work);
        self.course.at(motion.time + h, &mut self.inputs);
        system.extrapolate(&self.end_velocity, &self.end_joint_rates, far, &self.inputs, &mut self.end);
        system.place_stage_tensions(&rule, &self.inputs, &mut self.end, &self.work);
        iterations += self.iterate(rule, None, counts)?.1;
        dissipated += system.strain_change_energy(&rule, &self.end, &mut self.work).1;
        work += system.work_of_step(&rule, &self.end, &self.inputs, &mut self.work);
        self.find_velocities(0.0, motion.time + h, h)?;
        let end = system.end_energies(&self.end, &self.inputs, &mut self.work);
        let (error, pace) = self.error(motion, h);
        Ok(StepReport { iterations, error, pace, end, dissipated, friction: 0.0, work, acted: self.acting() })
    }

    /// Takes the step that was last attempted.
    pub fn take(&mut self, motion: &mut Motion, h: f64, report: &StepReport) {
        let system = self.system.clone();
        let Motion { state, velocity, joint_rates, memory, .. } = motion;
        system.remember_step(h, state, (velocity, joint_rates), &self.end, memory, &self.work);
        let size = |way: &[DualVector]| system.mean_square_root(way, &self.work);
        motion.scale.travel(&memory.mean_velocity[0], h, size);
        if let Some(kept) = &mut motion.kept_energy {
            *kept += report.work - report.dissipated;
        }
        motion.time += h;
        if self.has_obstacles {
            let when = (motion.time, motion.counts.steps == 0);
            self.watch.note(&system, (&self.end, &self.inputs, &self.work), when, &mut motion.events);
            contact_events::note_run_through(&system, [state, &self.end], motion.time, &mut motion.events);
            system.touching_at_end(&self.work, &mut self.touching[0]);
            self.touching_after = Some(h);
        }
        motion.dissipated += report.dissipated;
        motion.friction += report.friction;
        motion.work += report.work;
        motion.counts.steps += 1;
        motion.state.copy_from(&self.end);
        system.keep_tensions(&mut motion.state);
        if self.lands {
            // What was remembered of the steps before does not tell of those to come.
            system.forget_steps(memory);
            self.missed.forget();
        } else {
            self.missed.came_to(&motion.state, h);
        }
        motion.velocity.copy_from_slice(&self.end_velocity);
        motion.joint_rates.copy_from_slice(&self.end_joint_rates);
        system.advance_motion(&self.end, &self.inputs, &mut self.work);
        self.ready = true;
    }

    fn kept_energy(&self, motion: &Motion) -> Option<f64> {
        (self.scheme == Scheme::Conserving)
            .then_some(motion.kept_energy)
            .flatten()
            .map(|kept| kept + self.projection_loss)
    }

    pub(super) fn find_velocities(&mut self, kick: f64, time: f64, h: f64) -> Result<(), StepFailure> {
        let apart = 2.0 * RATE_WINDOW * h;
        let latest = (time + 0.5 * apart).min(self.horizon.max(time));
        self.course.at(latest - apart, &mut self.behind);
        self.course.at(latest, &mut self.ahead);
        let rates = Rates { behind: &self.behind, ahead: &self.ahead, apart };
        let mut velocities = Velocities { slots: &mut self.end_velocity, joints: &mut self.end_joint_rates };
        self.system
            .end_velocities(kick, &self.end, &self.inputs, &rates, &mut velocities, &mut self.work)
            .map_err(|_| StepFailure::Singular)?;
        if self.end_velocity.iter().all(Twist::is_finite) { Ok(()) } else { Err(StepFailure::NotFinite) }
    }

    /// Newton on the poses at the end of the step and the stress; `kept` is the energy to arrive at.
    pub(super) fn iterate(
        &mut self,
        mut rule: StepRule,
        kept: Option<f64>,
        counts: &mut Counts,
    ) -> Result<(StepRule, usize), StepFailure> {
        let system = self.system.clone();
        let tolerance = match self.scheme {
            // The next step closes what is left of a gap.
            _ if self.has_obstacles && kept.is_none() => CONTACT_TOLERANCE.min(self.tolerance),
            Scheme::Robust { filter } if filter > 0.0 => self.tolerance,
            Scheme::ImplicitEuler | Scheme::TrBdf2 => self.tolerance,
            _ => FINE_TOLERANCE.min(self.tolerance),
        };
        let tolerance = (tolerance * self.shortest).max(ROUNDING);
        // Gaps close with the tangent of the moment.
        let always_renew = system.has_gaps();
        rule.correction = if kept.is_some() { self.correction } else { 0.0 };
        // Elsewhere the iteration ends early, and would leave more behind with the tangent of another step.
        let serves = self.tangent.serves(&rule) && self.has_obstacles;
        let mut renew = always_renew || !serves;
        let mut is_own = renew;
        let (mut last, mut before_last, mut done) = (f64::INFINITY, f64::INFINITY, false);
        let with_friction = system.has_contact_friction();
        let most = if with_friction {
            MOST_WITH_FRICTION
        } else if self.has_obstacles {
            MOST_WITH_CONTACTS
        } else {
            MOST_ITERATIONS
        };
        let (mut shortest_step, mut shortest_at) = (f64::INFINITY, 0);
        for iteration in 1..=most + 1 {
            system.step_residual(&rule, &self.end, &self.inputs, &mut self.work);
            // Whoever begins or ceases to act changes the equations.
            if system.note_active_rows(&self.end, &self.inputs, &mut self.work) {
                // Who touches without a force is a matter of rounding.
                (renew, done) = (true, done && self.has_obstacles && last.max(before_last) < STILL);
            }
            if done {
                // The balance that is left, for the velocities.
                if !renew {
                    self.tangent.keep(&rule);
                }
                return Ok((rule, iteration - 1));
            }
            if let Some(kept) = kept
                && iteration > 1
            {
                self.correct_energy(&mut rule, kept);
            }
            counts.iterations += 1;
            if renew {
                is_own = true;
                counts.factorizations += 1;
                system
                    .factor_step(&rule, &self.end, &self.inputs, &mut self.work)
                    .map_err(|_| StepFailure::Singular)?;
            }
            let step = system.solve_step(&rule, &self.end, &mut self.work);
            if !step.is_finite() {
                return Err(StepFailure::NotFinite);
            }
            if self.has_obstacles
                && kept.is_none()
                && step < tolerance
                && system.force_step(self.missed.blocks(), &self.end, &self.work) < FORCE_TOLERANCE
                && !(with_friction && system.awaits_friction(&self.end, &self.end))
            {
                // Here already: the balance that is left is known.
                self.tangent.keep(&rule);
                return Ok((rule, iteration));
            }
            let clear = if self.has_obstacles { system.step_fraction(&self.end, &self.work) } else { 1.0 };
            let cycles = self.has_obstacles && iteration >= CYCLES_AFTER && step > PROGRESS * before_last;
            let clear = if cycles { DAMPED * clear } else { clear };
            system.move_step(&self.end, (LARGEST_TURN / step).min(clear).min(1.0), &self.work, &mut self.trial);
            std::mem::swap(&mut self.end, &mut self.trial);
            if self.has_obstacles {
                system.remember_slip_of_step(&self.trial, &self.work, &mut self.end);
                system.follow_partners(&mut self.end, &self.inputs);
            }
            // What has begun to press has no friction in its first iteration, and would have none in the step if it ended there.
            let awaits = with_friction && system.awaits_friction(&self.trial, &self.end);
            if step < PROGRESS * shortest_step {
                (shortest_step, shortest_at) = (step, iteration);
            } else if with_friction && iteration - shortest_at >= PATIENCE {
                last = step;
                break;
            }
            let rate = step / last;
            // With a constant tangent the error that is left is a geometric series.
            let left = if iteration > 1 && rate < 0.5 { step * rate / (1.0 - rate) } else { step };
            done = clear == 1.0
                && !awaits
                && (step < tolerance || left < tolerance || self.has_obstacles && step.max(last) < STILL);
            renew = always_renew || awaits || iteration > 1 && rate > RENEW_ABOVE || step > LARGEST_TURN;
            if !is_own && iteration > 1 && !done && left * rate > tolerance {
                // One more iteration would not be the last.
                self.tangent.fail();
                renew = true;
            }
            (before_last, last) = (last, step);
        }
        Err(StepFailure::NotConverged { step: last, slot: system.most_moved(&self.work) })
    }

    /// Moves μ so that the energy at the end of the step is `kept`.
    fn correct_energy(&mut self, rule: &mut StepRule, kept: f64) {
        let system = self.system.clone();
        let energy = system.energy_within_step(&self.end, &self.inputs, &mut self.work);
        let (square, dissipated) = system.strain_change_energy(rule, &self.end, &mut self.work);
        let work = system.work_of_step(rule, &self.end, &self.inputs, &mut self.work);
        if square > 0.0 {
            let change = (energy + dissipated - work - kept) / square;
            rule.correction = (rule.correction + change).clamp(-LARGEST_CORRECTION, LARGEST_CORRECTION);
        }
        system.step_residual(rule, &self.end, &self.inputs, &mut self.work);
    }

    /// C h³ RMS_M(x‴) with the constant C of the scheme; h²/2 RMS_M(ẍ) for one of first order.
    fn error(&self, motion: &Motion, h: f64) -> (f64, Pace) {
        let mut pace = self.system.pace(h, &motion.scale.steady, &motion.memory, &self.work);
        let error = match self.scheme {
            Scheme::ImplicitEuler => 0.5 * h * h * pace.acceleration,
            scheme => scheme.error_constant() * h.powi(3) * pace.jerk,
        };
        if self.lands {
            // A jolt is as strong as the step is short, and tells nothing of how far things swing.
            pace.acceleration = 0.0;
        }
        (error, pace)
    }

    /// Energy that rounding alone makes, J: of forces over ways and, where things touch and may rest, of the sum itself and of
    /// what presses, over ways that are known to the rounding of places.
    pub fn noise_energy(&self) -> f64 {
        self.system.scales().noise_energy() + self.rounding
    }

    /// True if a gain of energy is a reason to take a step back.
    pub fn watches_energy(&self) -> bool {
        !matches!(self.scheme, Scheme::Explicit | Scheme::Symplectic)
    }
}
