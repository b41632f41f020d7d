//! How a motion changes with numbers of its scene: carried along with it, step by step.
//!
//! ```text
//! b(x¹; x⁰, v⁰, m⁰, p) = 0          a step: its end x¹ from state, velocities and memory at its start
//! K dx¹/dp = db/dp                  K the tangent of the step at its end, factored once for all numbers
//! v¹, m¹ = V(x¹; x⁰, v⁰, m⁰, p)     velocities and memory at its end, explicit once x¹ is known
//! ```
//!
//! Beside the motion go those of neighbouring scenes, in which the number is a little different: each is the motion plus its change
//! times that difference, a straight line through the motion that is drawn anew after every step. What the balance of a step asks of its end
//! there, starting from the neighbour's start, is differenced; so are velocities and memory at the neighbour's end. Nothing is iterated, and
//! the error is of the fourth order of the difference. The steps are those that the motion took, whatever chose them.

use super::integrator::{FINE_TOLERANCE, Integrator};
use super::motion::Motion;
use super::scheme::Scheme;
use super::step_report::StepFailure;
use lissome_lie::Twist;
use lissome_mech::impulse::StepRule;
use lissome_mech::{Demand, Inputs, State, Step, System};
use nalgebra::{DMatrix, Vector6};
use std::ops::{Add, Mul, Sub};

/// The change of an end is answered again for what the first answer leaves, until that is this part of it: the tangent of a step is as
/// exact as its iteration needs.
const LEFT: f64 = 1e-9;
const MOST_ROUNDS: usize = 6;

/// A motion of a scene in which a number is a little different.
pub struct Neighbour<'a> {
    pub(super) integrator: Integrator<'a>,
    /// How much larger the number is.
    by: f64,
    /// Weight of its difference from the motion in the derivative.
    pub(super) weight: f64,
    pub(super) motion: Motion,
    /// True if its equations are those of the motion, and only what acts is not.
    pub(super) is_driven: bool,
}

/// A moving robot at a moment, for whoever reads outputs from it.
pub struct Moment<'m> {
    /// Its equations.
    pub system: &'m System,
    /// Where it is, with the stress of the moment.
    pub state: &'m State,
    /// What acts.
    pub inputs: &'m Inputs,
    /// Body velocity of every slot.
    pub velocity: &'m [Twist],
    /// Rates of the joints' coordinates.
    pub joint_rates: &'m [Vector6<f64>],
    /// Kinetic energy, J.
    pub kinetic: f64,
}

impl<'a> Neighbour<'a> {
    /// From where its motion begins, velocities as the scene gives them.
    pub fn new(integrator: Integrator<'a>, motion: Motion, by: f64, weight: f64) -> Self {
        Self { integrator, by, weight, motion, is_driven: false }
    }

    /// Says that its equations are those of the motion, and that only what acts is another: where that is the same, so is all else.
    pub fn driven(self) -> Self {
        Self { is_driven: true, ..self }
    }

    fn start(&mut self) -> Result<(), StepFailure> {
        self.integrator.reset();
        self.integrator.make_consistent(&mut self.motion)?;
        self.integrator.reset();
        Ok(())
    }

    /// Begins a step that ends at a time.
    pub(super) fn begin(&mut self, until: f64, h: f64, acted: Scheme) {
        self.motion.time = until - h;
        let integrator = &mut self.integrator;
        integrator.reset();
        (integrator.scheme, integrator.filter_part) = (acted, 1.0);
        (integrator.lands, integrator.begins) = (false, false);
        integrator.prepare(&self.motion);
        integrator.begin(&self.motion, h, &acted.rule(h));
    }

    /// What the step asks of an end.
    pub(super) fn demand(&mut self, rule: &StepRule, end: &State) -> Demand {
        let Integrator { system, end: own, inputs, work, .. } = &mut self.integrator;
        own.copy_from(end);
        system.place_stage_tensions(rule, inputs, own, work);
        system.step_demand(rule, own, inputs, work)
    }

    /// The end of the motion's step as this scene takes it over.
    pub(super) fn adapted(&self, before: &System, end: &State) -> State {
        self.integrator.system.adapted_shape(before, end, &self.integrator.inputs)
    }

    /// Ends the step where the balance was last asked for.
    pub(super) fn finish(&mut self, h: f64) -> Result<(), StepFailure> {
        let (integrator, motion) = (&mut self.integrator, &mut self.motion);
        let until = motion.time + h;
        integrator.find_velocities(integrator.scheme().kick(h), until, h)?;
        let Integrator { system, end, work, inputs, end_velocity, end_joint_rates, .. } = integrator;
        system.tell_contacts(h, end, inputs, work);
        let start = (motion.velocity.as_slice(), motion.joint_rates.as_slice());
        system.remember_step(h, &motion.state, start, end, &mut motion.memory, work);
        motion.state.copy_from(end);
        system.keep_tensions(&mut motion.state);
        motion.velocity.copy_from_slice(end_velocity);
        motion.joint_rates.copy_from_slice(end_joint_rates);
        motion.time = until;
        Ok(())
    }

    /// Forgets the last steps and begins anew where a drive changes its rate at once.
    pub(super) fn restart(&mut self, time: f64) -> Result<(), StepFailure> {
        self.motion.time = time;
        self.integrator.system.forget_steps(&mut self.motion.memory);
        self.start()
    }

    pub(super) fn read(&mut self, time: f64, read: &mut dyn FnMut(&Moment<'_>) -> Vec<f64>) -> Vec<f64> {
        self.motion.time = time;
        self.integrator.reset();
        let state = self.integrator.state_now(&self.motion);
        let inputs = self.integrator.inputs_at(time);
        let kinetic = self.integrator.energies(&self.motion).kinetic;
        let Motion { velocity, joint_rates, .. } = &self.motion;
        let system = &*self.integrator.system;
        read(&Moment { system, state: &state, inputs: &inputs, velocity, joint_rates, kinetic })
    }
}

impl Integrator<'_> {
    /// With steps that are iterated as far as where energy is to be kept: what an iteration leaves depends on the numbers too, and goes
    /// into the velocities over the length of the step.
    pub fn sharp(mut self) -> Self {
        (self.tolerance, self.coarsest_tolerance) = (FINE_TOLERANCE, FINE_TOLERANCE);
        self
    }
}

/// A motion with its changes by numbers.
pub struct MotionTangent<'a> {
    pub(super) own: Neighbour<'a>,
    pub(super) columns: Vec<Vec<Neighbour<'a>>>,
}

impl<'a> MotionTangent<'a> {
    /// From where the motion begins, by no number yet. The integrator is one of its own.
    pub fn new(integrator: Integrator<'a>, start: Motion) -> Self {
        Self { own: Neighbour::new(integrator, start, 0.0, 0.0), columns: Vec::new() }
    }

    /// True if motions of this scheme can be followed.
    pub fn knows(scheme: Scheme) -> bool {
        matches!(scheme, Scheme::Robust { .. } | Scheme::Symplectic | Scheme::ImplicitEuler)
    }

    /// Adds a number by the neighbours that it is differenced over.
    pub fn add(&mut self, neighbours: Vec<Neighbour<'a>>) {
        self.columns.push(neighbours);
    }

    /// Number of numbers.
    pub fn numbers(&self) -> usize {
        self.columns.len()
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Neighbour<'a>> {
        std::iter::once(&mut self.own).chain(self.columns.iter_mut().flatten())
    }

    /// Brings the velocities that all begin with into line with constraints and drives.
    pub fn start(&mut self) -> Result<(), StepFailure> {
        self.all().try_for_each(Neighbour::start)
    }

    /// Follows the motion over a step of length h that brought it here.
    pub fn step(&mut self, here: &Motion, h: f64, acted: Scheme) -> Result<(), StepFailure> {
        let rule = acted.rule(h);
        let Self { own, columns } = self;
        own.begin(here.time, h, acted);
        let system = own.integrator.system.clone();
        let still = system.zero_step();
        // Taken over as neighbours take it over, so that what does not depend on a number changes by nothing at all.
        let end = moved(&system, &own.adapted(&system, &here.state), 0.0, &still);
        let asked = own.demand(&rule, &end);
        {
            let Integrator { end, inputs, work, .. } = &mut own.integrator;
            system.factor_step(&rule, end, inputs, work).map_err(|_| StepFailure::Singular)?;
        }
        for column in columns.iter_mut() {
            column.iter_mut().for_each(|neighbour| neighbour.begin(here.time, h, acted));
            let ends: Vec<State> = column.iter().map(|own| own.adapted(&system, &here.state)).collect();
            let mut step = still.clone();
            for _ in 0..MOST_ROUNDS {
                let mut change = system.no_demand();
                for (neighbour, end) in column.iter_mut().zip(&ends) {
                    let end = moved(&neighbour.integrator.system, end, neighbour.by, &step);
                    let mut other = neighbour.demand(&rule, &end);
                    other.add_scaled(-1.0, &asked);
                    change.add_scaled(neighbour.weight, &other);
                }
                let Integrator { end, inputs, work, .. } = &mut own.integrator;
                let left = system.answer_step_demand(&rule, end, inputs, &mut change, work);
                let (size, rest) = (size_of(&step), size_of(&left));
                if rest <= LEFT * size || rest == 0.0 {
                    break;
                }
                add(&mut step, &left);
            }
            column.iter_mut().try_for_each(|neighbour| neighbour.finish(h))?;
        }
        own.demand(&rule, &end);
        own.finish(h)?;
        self.straighten(here);
        Ok(())
    }

    /// Follows the motion over a moment at which a drive changes its rate at once.
    pub fn restart(&mut self, here: &Motion) -> Result<(), StepFailure> {
        self.all().try_for_each(|neighbour| neighbour.restart(here.time))?;
        self.straighten(here);
        Ok(())
    }

    /// Draws the lines through the motion anew: velocities and memory of neighbours are those of the motion and their change times the
    /// difference of the number.
    fn straighten(&mut self, here: &Motion) {
        let forgets = here.memory.last_step == 0.0;
        let Self { own, columns } = self;
        let base = &own.motion;
        for column in columns.iter_mut() {
            if forgets {
                column.iter_mut().for_each(|own| own.integrator.system.forget_steps(&mut own.motion.memory));
            }
            straighten(column, |motion| &mut motion.velocity, &base.velocity, &here.velocity);
            straighten(column, |motion| &mut motion.joint_rates, &base.joint_rates, &here.joint_rates);
            let (known, now) = (&base.memory, &here.memory);
            for age in (0..2).filter(|_| !forgets) {
                let (known, now) = (&known.strain_change[age], &now.strain_change[age]);
                straighten(column, |motion| &mut motion.memory.strain_change[age], known, now);
            }
            for age in (0..2).filter(|_| !forgets) {
                let (known, now) = (&known.velocity_change[age], &now.velocity_change[age]);
                straighten(column, |motion| &mut motion.memory.velocity_change[age], known, now);
            }
        }
        // Where it is, is told as neighbours tell it.
        let state = std::mem::replace(&mut own.motion.state, here.state.clone());
        own.motion = Motion { state, ..here.clone() };
    }

    /// Outputs at the time that was reached.
    pub fn look(&mut self, time: f64, read: &mut dyn FnMut(&Moment<'_>) -> Vec<f64>) -> Vec<f64> {
        self.own.read(time, read)
    }

    /// How outputs at the time that was reached change: a row for each output, a column for each number.
    pub fn read(&mut self, time: f64, read: &mut dyn FnMut(&Moment<'_>) -> Vec<f64>) -> DMatrix<f64> {
        let values = self.own.read(time, read);
        let mut changes = DMatrix::zeros(values.len(), self.columns.len());
        for (index, column) in self.columns.iter_mut().enumerate() {
            for neighbour in column {
                let weight = neighbour.weight;
                let others = neighbour.read(time, read);
                for (row, (other, own)) in others.iter().zip(&values).enumerate() {
                    changes[(row, index)] += weight * (other - own);
                }
            }
        }
        changes
    }
}

/// Largest motion of a pose or joint in a step.
fn size_of(step: &Step) -> f64 {
    let poses = step.poses.iter().map(|pose| pose.to_vector().amax());
    poses.chain(step.joints.iter().map(Vector6::amax)).fold(0.0, f64::max)
}

fn add(step: &mut Step, other: &Step) {
    step.poses.iter_mut().zip(&other.poses).for_each(|(own, other)| *own += *other);
    step.joints.iter_mut().zip(&other.joints).for_each(|(own, other)| *own += other);
    step.linear.iter_mut().zip(&other.linear).for_each(|(own, other)| *own += other);
}

/// A state moved along a step.
pub(super) fn moved(system: &System, from: &State, by: f64, step: &Step) -> State {
    let mut to = from.clone();
    system.retract_poses(from, by, step, &mut to);
    to
}

/// Makes a list of every neighbour that of the motion, `now`, and its change times the difference of the number. The change counts from
/// `base`, which was found as those of the neighbours were.
fn straighten<T>(column: &mut [Neighbour<'_>], list: impl Fn(&mut Motion) -> &mut Vec<T>, base: &[T], now: &[T])
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    for (index, (base, now)) in base.iter().zip(now).enumerate() {
        let apart = column.iter_mut().map(|own| (list(&mut own.motion)[index] - *base) * own.weight);
        if let Some(change) = apart.reduce(|sum, part| sum + part) {
            column.iter_mut().for_each(|own| list(&mut own.motion)[index] = *now + change * own.by);
        }
    }
}
