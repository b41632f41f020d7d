//! How functionals of a motion change with numbers of its scene: carried back along it, step by step.
//!
//! ```text
//! a¹ = ∂y/∂(x, v, m) at the end                       y a number that is read from the motion
//! a⁰ = a¹ ∂(x¹, v¹, m¹)/∂(x⁰, v⁰, m⁰)                 the transposed tangent of each step, `lissome_mech::motion::adjoint`
//! dy/dp = Σ a¹ ∂(x¹, v¹, m¹)/∂p + a ∂(x, v)/∂p        over all steps, and where the motion begins
//! ```
//!
//! One sweep serves all numbers; those that do not act in a step cost nothing there. Steps are taken again from motions that were kept on the
//! way, about as many as the root of the number of steps, so that memory grows with that root.

use super::change::{Moment, MotionTangent, Neighbour, moved};
use super::integrator::{Integrator, RATE_WINDOW};
use super::motion::{Counts, Motion};
use super::scheme::Scheme;
use super::step_report::StepFailure;
use lissome_mech::motion::adjoint::{MotionCovector, StepTaken};
use lissome_mech::{Inputs, State};
use nalgebra::DMatrix;

/// Places that outputs are differenced over and their weights, of the fourth order.
const PLACES: [(f64, f64); 4] = [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)];
/// Their distance, rad and lengths of the robot: the error goes with its fourth power over 30, and rounding with 1e-16 over it.
const WAY: f64 = 1e-3;
/// The same of velocities, which outputs are polynomials of the second degree of.
const SPEED: f64 = 1e-2;

/// What a motion passed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Passage {
    Step { until: f64, h: f64, acted: Scheme },
    Corner { time: f64 },
}

/// A motion that functionals are carried back along.
pub struct MotionAdjoint<'a> {
    own: Neighbour<'a>,
    columns: Vec<Vec<Neighbour<'a>>>,
    /// Where each neighbour begins.
    first: Vec<Vec<Motion>>,
    /// Takes steps again.
    again: Integrator<'a>,
    passages: Vec<Passage>,
    /// Motions that were kept, each with the number of passages before it.
    kept: Vec<(usize, Motion)>,
    /// Passages between them.
    stride: usize,
}

/// What is pulled back: functionals of outputs at moments.
pub struct Pull<'p> {
    /// For each moment the number of passages before it, as [`MotionAdjoint::reached`] told it.
    pub moments: &'p [usize],
    /// For each moment a row of weights of the outputs for each functional.
    pub weights: &'p [DMatrix<f64>],
    /// Reads the outputs; turns and shifts count from where they are at the moment with `true`.
    pub read: &'p mut dyn FnMut(&Moment<'_>, bool) -> Vec<f64>,
    /// True if they depend on velocities.
    pub of_velocities: bool,
}

impl<'a> MotionAdjoint<'a> {
    /// From where a motion and its neighbours begin. The integrator takes its steps again.
    pub fn new(begun: MotionTangent<'a>, again: Integrator<'a>, start: &Motion) -> Self {
        let MotionTangent { own, columns } = begun;
        let first = columns.iter().map(|column| column.iter().map(|own| own.motion.clone()).collect()).collect();
        let kept = vec![(0, start.clone())];
        Self { own, columns, first, again: again.sharp(), passages: Vec::new(), kept, stride: 1 }
    }

    /// True if functionals can be carried back along steps of this scheme.
    pub fn knows(&self, scheme: Scheme) -> bool {
        MotionTangent::knows(scheme) && self.own.integrator.system.carries_back(&scheme.rule(1.0))
    }

    /// Notes a step of length h that led here.
    pub fn note_step(&mut self, here: &Motion, h: f64, acted: Scheme) {
        self.note(Passage::Step { until: here.time, h, acted }, here);
    }

    /// Notes a moment at which a drive changed its rate at once.
    pub fn note_corner(&mut self, here: &Motion) {
        self.note(Passage::Corner { time: here.time }, here);
    }

    fn note(&mut self, passage: Passage, here: &Motion) {
        self.passages.push(passage);
        if self.passages.len().is_multiple_of(self.stride) {
            let motion = Motion { events: Vec::new(), ..here.clone() };
            self.kept.push((self.passages.len(), motion));
        }
        // As many are kept as lie between two, four times at most.
        if self.kept.len() > 4 * self.stride {
            self.stride *= 2;
            self.kept.retain(|(at, _)| at.is_multiple_of(self.stride));
        }
    }

    /// Number of passages so far.
    pub fn reached(&self) -> usize {
        self.passages.len()
    }

    /// Number of motions that are kept, with those that a sweep keeps between two of them.
    pub fn kept(&self) -> usize {
        self.kept.len() + self.stride
    }

    /// Outputs at the time that was reached.
    pub fn look(&mut self, here: &Motion, read: &mut dyn FnMut(&Moment<'_>) -> Vec<f64>) -> Vec<f64> {
        self.stand(here);
        self.own.read(here.time, read)
    }

    /// How the functionals change: a row for each, a column for each number.
    pub fn pull(&mut self, pull: &mut Pull<'_>) -> Result<DMatrix<f64>, StepFailure> {
        let count = pull.weights.first().map_or(0, DMatrix::nrows);
        let mut found = DMatrix::zeros(count, self.columns.len());
        // Of functionals of later moments alone nothing is known before they begin.
        let mut on: Vec<Option<MotionCovector>> = vec![None; count];
        let mut last = self.passages.len();
        for place in (0..self.kept.len()).rev() {
            let (at, ref motion) = self.kept[place];
            let between = self.take_again(motion.clone(), at, last)?;
            for (index, here) in between.iter().enumerate().rev() {
                let passed = at + index;
                if passed < last || place + 1 == self.kept.len() {
                    self.read_moments(passed, here, pull, &mut on, &mut found);
                }
                if index > 0 && on.iter().any(Option::is_some) {
                    let before = &between[index - 1];
                    match self.passages[passed - 1] {
                        Passage::Step { until, h, acted } => {
                            self.back_over_step((before, here), (until, h, acted), &mut on, &mut found)?;
                        }
                        Passage::Corner { time } => self.back_over_corner(before, time, &mut on, &mut found)?,
                    }
                }
            }
            last = at;
        }
        self.add_beginning(&on, &mut found);
        Ok(found)
    }

    /// The motions from one that was kept on to some passage, both with those between.
    fn take_again(&mut self, from: Motion, at: usize, last: usize) -> Result<Vec<Motion>, StepFailure> {
        let mut all = vec![from.clone()];
        let mut motion = from;
        self.again.reset();
        for passage in &self.passages[at..last] {
            match *passage {
                Passage::Step { until, h, acted } => {
                    motion.time = until - h;
                    (self.again.scheme, self.again.filter_part) = (acted, 1.0);
                    let report = self.again.attempt(&motion, h, &mut Counts::default())?;
                    self.again.take(&mut motion, h, &report);
                    motion.time = until;
                }
                Passage::Corner { time } => {
                    motion.time = time;
                    self.again.system.forget_steps(&mut motion.memory);
                    self.again.reset();
                    self.again.make_consistent(&mut motion)?;
                    self.again.reset();
                }
            }
            all.push(motion.clone());
        }
        Ok(all)
    }

    /// The motion as neighbours tell it.
    fn stand(&mut self, here: &Motion) {
        self.own.motion = self.own.beside(&self.own, here);
    }

    fn back_over_step(
        &mut self,
        (before, here): (&Motion, &Motion),
        (until, h, acted): (f64, f64, Scheme),
        on: &mut [Option<MotionCovector>],
        found: &mut DMatrix<f64>,
    ) -> Result<(), StepFailure> {
        let rule = acted.rule(h);
        let start = self.own.beside(&self.own, before);
        self.own.motion = start.clone();
        let Self { own, columns, .. } = self;
        own.begin(until, h, acted);
        let system = own.integrator.system.clone();
        let end = moved(&system, &own.adapted(&system, &here.state), 0.0, &system.zero_step());
        let asked = own.demand(&rule, &end);
        {
            let Integrator { end, inputs, work, .. } = &mut own.integrator;
            system.factor_step(&rule, end, inputs, work).map_err(|_| StepFailure::Singular)?;
        }
        own.end_alone(h)?;
        let mut answers = vec![None; on.len()];
        let old: Vec<Option<MotionCovector>> = on.to_vec();
        for (on, answer) in on.iter_mut().zip(&mut answers) {
            let Some(covector) = on else { continue };
            let Integrator { end, inputs, work, .. } = &mut own.integrator;
            let step = StepTaken {
                rule: &rule,
                recall: &acted.recall(),
                memory: &start.memory,
                velocity: &start.velocity,
                end,
                inputs,
            };
            let (carried, on_demand) = system.carry_back(&step, covector, work);
            (*covector, *answer) = (carried, Some(on_demand));
        }
        let apart = RATE_WINDOW * h;
        let times = [until - h, until, until - apart, until + apart];
        let acting = times.map(|time| own.integrator.inputs_at(time));
        for (index, column) in columns.iter_mut().enumerate() {
            if !acts(column, &times, &acting) {
                continue;
            }
            for neighbour in column {
                neighbour.motion = neighbour.beside(own, before);
                neighbour.begin(until, h, acted);
                let adapted = neighbour.adapted(&system, &here.state);
                let end = moved(&neighbour.integrator.system, &adapted, 0.0, &system.zero_step());
                let mut other = neighbour.demand(&rule, &end);
                other.add_scaled(-1.0, &asked);
                neighbour.end_alone(h)?;
                for (row, (old, answer)) in old.iter().zip(&answers).enumerate() {
                    if let (Some(old), Some(answer)) = (old, answer) {
                        let rates = old.of_rates(neighbour.rates(), &neighbour.motion.memory, own.known_rates());
                        found[(row, index)] += neighbour.weight * (answer.of(&other) + rates);
                    }
                }
            }
        }
        Ok(())
    }

    fn back_over_corner(
        &mut self,
        before: &Motion,
        time: f64,
        on: &mut [Option<MotionCovector>],
        found: &mut DMatrix<f64>,
    ) -> Result<(), StepFailure> {
        let here = Motion { time, ..before.clone() };
        self.stand(&here);
        let Self { own, columns, .. } = self;
        own.restart(time)?;
        let system = own.integrator.system.clone();
        let old: Vec<Option<MotionCovector>> = on.to_vec();
        for covector in on.iter_mut().flatten() {
            let Integrator { inputs, work, .. } = &mut own.integrator;
            *covector = system.carry_back_restart(&own.motion.state, inputs, &before.velocity, covector, work);
        }
        let times = [time, time + RATE_WINDOW * 1e-3];
        let acting = times.map(|time| own.integrator.inputs_at(time));
        for (index, column) in columns.iter_mut().enumerate() {
            if !acts(column, &times, &acting) {
                continue;
            }
            for neighbour in column {
                neighbour.motion = neighbour.beside(own, &here);
                neighbour.restart(time)?;
                for (row, old) in old.iter().enumerate() {
                    if let Some(old) = old {
                        let rates = old.of_rates(neighbour.rates(), &neighbour.motion.memory, own.known_rates());
                        found[(row, index)] += neighbour.weight * rates;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds functionals of outputs at this place of the motion, and what outputs have of the numbers themselves.
    fn read_moments(
        &mut self,
        passed: usize,
        here: &Motion,
        pull: &mut Pull<'_>,
        on: &mut [Option<MotionCovector>],
        found: &mut DMatrix<f64>,
    ) {
        for (moment, weights) in pull.moments.iter().zip(pull.weights).filter(|(moment, _)| **moment == passed) {
            let _ = moment;
            let system = self.own.integrator.system.clone();
            self.stand(here);
            let base = self.own.motion.clone();
            let time = here.time;
            let values = self.own.read(time, &mut |moment| (pull.read)(moment, true));
            let add = |on: &mut [Option<MotionCovector>], rates: &[f64], put: &dyn Fn(&mut MotionCovector, f64)| {
                for (row, on) in on.iter_mut().enumerate() {
                    let sum: f64 = rates.iter().enumerate().map(|(output, rate)| weights[(row, output)] * rate).sum();
                    if sum != 0.0 {
                        put(on.get_or_insert_with(|| system.motion_covector()), sum);
                    }
                }
            };
            let units = system.row_units();
            let every = !system.kinds().length_tendons.is_empty();
            let rows: Vec<usize> = match every {
                true => (0..system.unknowns()).collect(),
                false => system.displacement_rows().flatten().collect(),
            };
            let mut unit = vec![0.0; system.unknowns()];
            for row in rows {
                unit[row] = 1.0;
                let step = system.step_of(&unit);
                unit[row] = 0.0;
                let way = WAY * units[row];
                let rates = differences(&PLACES, way, values.len(), |by| {
                    self.own.motion.state = moved(&system, &base.state, by, &step);
                    self.own.read(time, &mut |moment| (pull.read)(moment, false))
                });
                add(on, &rates, &|covector, sum| covector.state[row] += sum);
            }
            self.own.motion = base.clone();
            if pull.of_velocities {
                self.read_velocities(time, values.len(), pull, &mut |rates, put| add(on, rates, put));
            }
            self.own.motion = base;
            let acting = [self.own.integrator.inputs_at(time)];
            for (index, column) in self.columns.iter_mut().enumerate() {
                if !acts(column, &[time], &acting) {
                    continue;
                }
                for neighbour in column {
                    neighbour.motion = neighbour.beside(&self.own, here);
                    let others = neighbour.read(time, &mut |moment| (pull.read)(moment, false));
                    let own = self.own.read(time, &mut |moment| (pull.read)(moment, false));
                    for row in 0..on.len() {
                        let pairs = others.iter().zip(&own).enumerate();
                        let sum: f64 = pairs.map(|(k, (other, own))| weights[(row, k)] * (other - own)).sum();
                        found[(row, index)] += neighbour.weight * sum;
                    }
                }
            }
        }
    }

    /// Functionals of velocities and joint rates.
    fn read_velocities(&mut self, time: f64, count: usize, pull: &mut Pull<'_>, add: &mut AddRates<'_>) {
        let halves = [(-1.0, -0.5), (1.0, 0.5)];
        let length = self.own.integrator.system.scales().length;
        for slot in 0..self.own.motion.velocity.len() {
            for i in 0..6 {
                let way = if i < 3 { SPEED } else { SPEED * length };
                let mut unit = nalgebra::Vector6::zeros();
                unit[i] = 1.0;
                let unit = lissome_lie::Twist::from_vector(&unit);
                let kept = self.own.motion.velocity[slot];
                let rates = differences(&halves, way, count, |by| {
                    self.own.motion.velocity[slot] = kept + unit * by;
                    self.own.read(time, &mut |moment| (pull.read)(moment, false))
                });
                self.own.motion.velocity[slot] = kept;
                let covector: lissome_lie::dual::DualVector =
                    lissome_lie::Wrench::from_vector(&unit.to_vector()).into();
                add(&rates, &|on, sum| on.velocity[slot] += covector * sum);
            }
        }
        for joint in 0..self.own.motion.joint_rates.len() {
            for i in 0..6 {
                let kept = self.own.motion.joint_rates[joint];
                let rates = differences(&halves, SPEED, count, |by| {
                    self.own.motion.joint_rates[joint][i] = kept[i] + by;
                    self.own.read(time, &mut |moment| (pull.read)(moment, false))
                });
                self.own.motion.joint_rates[joint] = kept;
                add(&rates, &|on, sum| on.joint_rates[joint][i] += sum);
            }
        }
    }

    /// Adds what the motion begins with.
    fn add_beginning(&mut self, on: &[Option<MotionCovector>], found: &mut DMatrix<f64>) {
        let Some((_, start)) = self.kept.first().cloned() else { return };
        self.stand(&start);
        let system = self.own.integrator.system.clone();
        for (index, (column, first)) in self.columns.iter().zip(&self.first).enumerate() {
            for (neighbour, begun) in column.iter().zip(first) {
                let here = neighbour.beside(&self.own, &start);
                let apart = system.apart(&here.state, &begun.state);
                for (row, on) in on.iter().enumerate() {
                    if let Some(on) = on {
                        let place: f64 = on.state.iter().zip(&apart).map(|(a, b)| a * b).sum();
                        let rates = (begun.velocity.as_slice(), begun.joint_rates.as_slice());
                        let rest = on.of_rates(rates, &begun.memory, self.own.known_rates());
                        found[(row, index)] += neighbour.weight * (place + rest);
                    }
                }
            }
        }
    }
}

type AddRates<'r> = dyn FnMut(&[f64], &dyn Fn(&mut MotionCovector, f64)) + 'r;

/// True if a number acts at some of these times: what acts then is not what acts on the motion.
fn acts(column: &mut [Neighbour<'_>], times: &[f64], acting: &[Inputs]) -> bool {
    let Some(neighbour) = column.first_mut().filter(|own| own.is_driven) else { return true };
    times.iter().zip(acting).any(|(time, acting)| neighbour.integrator.inputs_at(*time) != *acting)
}

fn differences(places: &[(f64, f64)], way: f64, count: usize, mut read: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let mut sum = vec![0.0; count];
    for (at, weight) in places {
        let values = read(at * way);
        sum.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value / way);
    }
    sum
}

impl<'a> Neighbour<'a> {
    /// A motion as it is in this scene, shape, velocities and memory as they are.
    fn beside(&self, own: &Neighbour<'a>, here: &Motion) -> Motion {
        let inputs = self.integrator.inputs_at(here.time);
        let state: State = self.integrator.system.adapted_shape(&own.integrator.system, &here.state, &inputs);
        Motion { state, events: Vec::new(), ..here.clone() }
    }

    /// Ends a step whose end is given: velocities and memory that follow from it.
    fn end_alone(&mut self, h: f64) -> Result<(), StepFailure> {
        let Integrator { system, work, .. } = &mut self.integrator;
        system.forget_left(work);
        self.finish(h)
    }

    fn rates(&self) -> (&[lissome_lie::Twist], &[nalgebra::Vector6<f64>]) {
        (&self.motion.velocity, &self.motion.joint_rates)
    }

    fn known_rates(&self) -> (&[lissome_lie::Twist], &[nalgebra::Vector6<f64>], &lissome_mech::motion::StepMemory) {
        (&self.motion.velocity, &self.motion.joint_rates, &self.motion.memory)
    }
}
