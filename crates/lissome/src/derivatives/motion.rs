//! Derivatives of a motion: how outputs at its times change with numbers of the scene file.
//!
//! The motion is computed as ever; beside it go motions of neighbouring scenes as straight lines through it, drawn anew after every step
//! (`lissome_solve::dynamics::change`). Where it begins at an equilibrium, they begin with the derivative of that.

use super::along_motion::{MotionJacobian, Sensitive};
use super::input::{Changed, Number, Refused, Source};
use super::motion_adjoint::{self, Backward, Weights, Witness};
use super::motion_output::MotionOutput;
use super::no_tangent;
use crate::door::check;
use crate::error::SimulateError;
use crate::motion_course::{
    OutputTimes, Recorded, SteadySteps, beginning, course, follow, scheme, step_choice, stopped,
};
use crate::observer::{Observer, Watch};
use crate::robot::standing::Standing;
use lissome_io::{DerivativeFault, Diagnostic, Fault, LoadedScene};
use lissome_mech::{Input, Inputs, State, System};
use lissome_model::{DynamicsJob, Job, Scene, Start};
use lissome_solve::accuracy::survey;
use lissome_solve::derivative::{Side, Tangent};
use lissome_solve::dynamics::{
    Course, Integrator, Motion, MotionAdjoint, MotionTangent, Neighbour, Run, Stop, StopReason, SystemOf,
};
use lissome_solve::{DerivativeCourse, MotionAnswer, MotionEnd};
use nalgebra::DMatrix;
use std::ops::Range;
use std::sync::Arc;

/// Which way derivatives go along a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Neighbours of the motion go along with it, those of each number.
    #[default]
    Forward,
    /// Each output at each time is carried back along the motion. Motions that this cannot be done for are refused.
    Adjoint,
    /// Back where outputs are far fewer than numbers and it can be done, else along.
    Cheaper,
}

/// The gradient of a sum of outputs of a motion by numbers of its scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionGradient {
    /// Names of the outputs.
    pub of: Vec<String>,
    /// Dotted paths of the numbers.
    pub wrt: Vec<String>,
    /// Times, s.
    pub times: Vec<f64>,
    /// The outputs at each time.
    pub values: Vec<Vec<f64>>,
    /// The derivative of their weighted sum by each number, SI.
    pub gradient: Vec<f64>,
    /// True if the sum was carried back along the motion instead of numbers along with it.
    pub adjoint: bool,
}

/// Computes the motion of a scene file and how outputs change with numbers, both by their dotted paths, at given times (in increasing
/// order, from 0 on), or at the output times of the job. What was reached is told if the observer stops it, or if the motion does.
pub fn of_motion(
    file: &LoadedScene,
    of: &[&str],
    wrt: &[&str],
    times: Option<&[f64]>,
    observer: &mut dyn Observer,
) -> Result<(MotionAnswer, MotionJacobian), Vec<Diagnostic>> {
    of_motion_by(Mode::Forward, file, of, wrt, times, observer)
}

/// The same in a mode of one's own.
pub fn of_motion_by(
    mode: Mode,
    file: &LoadedScene,
    of: &[&str],
    wrt: &[&str],
    times: Option<&[f64]>,
    observer: &mut dyn Observer,
) -> Result<(MotionAnswer, MotionJacobian), Vec<Diagnostic>> {
    let request = Request { of, wrt, times, mode, weights: None };
    compute(file, &request, observer).map(|(answer, found, _)| (answer, found))
}

/// Computes the motion of a scene file and the gradient of a sum of outputs over given times by numbers of the scene. `weights` makes the
/// weights of the outputs at a time from their number and values there: one sweep back along the motion serves all numbers, where they are many
/// ([`Mode::Cheaper`]).
pub fn vjp_of_motion(
    file: &LoadedScene,
    of: &[&str],
    wrt: &[&str],
    times: &[f64],
    weights: &dyn Fn(usize, &[f64]) -> Vec<f64>,
    observer: &mut dyn Observer,
) -> Result<(MotionAnswer, MotionGradient), Vec<Diagnostic>> {
    let request = Request { of, wrt, times: Some(times), mode: Mode::Cheaper, weights: Some(weights) };
    let (answer, found, _) = compute(file, &request, observer)?;
    let MotionJacobian { of, wrt, times, values, jacobians, adjoint } = found;
    let mut gradient = vec![0.0; wrt.len()];
    for (index, (jacobian, values)) in jacobians.iter().zip(&values).enumerate() {
        // Carried back, there is one row, and it belongs to the whole sum.
        let own = if adjoint { vec![1.0] } else { weights(index, values) };
        for (row, weight) in own.iter().enumerate().take(jacobian.nrows()) {
            gradient.iter_mut().enumerate().for_each(|(column, sum)| *sum += weight * jacobian[(row, column)]);
        }
    }
    Ok((answer, MotionGradient { of, wrt, times, values, gradient, adjoint }))
}

/// The motion of a scene file with the derivatives that its job asks for.
pub(crate) fn motion_with_derivatives(
    file: &LoadedScene,
    observer: &mut dyn Observer,
) -> Result<MotionAnswer, Vec<Diagnostic>> {
    let of: Vec<&str> = file.derivatives.iter().map(|request| request.of.as_str()).collect();
    // A number that several ask for is followed once.
    let mut wrt: Vec<&str> = Vec::new();
    for path in file.derivatives.iter().flat_map(|request| &request.wrt) {
        if !wrt.contains(&path.as_str()) {
            wrt.push(path);
        }
    }
    let place = |told: Diagnostic| Diagnostic { path: told.path.or(Some("job.derivatives".into())), ..told };
    let request = Request { of: &of, wrt: &wrt, times: None, mode: Mode::Forward, weights: None };
    let computed = compute(file, &request, observer);
    let (mut answer, found, counts) = computed.map_err(|all| all.into_iter().map(place).collect::<Vec<_>>())?;
    let ranges = |counts: &[usize]| -> Vec<Range<usize>> {
        let ends = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        ends.zip(counts).map(|(end, count)| end - count..end).collect()
    };
    let (rows, columns) = (ranges(&counts.rows), ranges(&counts.columns));
    for (request, rows) in file.derivatives.iter().zip(rows) {
        let own = request.wrt.iter().filter_map(|path| wrt.iter().position(|known| known == path));
        let chosen: Vec<usize> = own.filter_map(|index| columns.get(index).cloned()).flatten().collect();
        let of_time = |jacobian: &DMatrix<f64>| {
            rows.clone().flat_map(|row| chosen.iter().map(move |column| jacobian[(row, *column)])).collect()
        };
        answer.record.derivatives.push(DerivativeCourse {
            of: found.of[rows.clone()].to_vec(),
            wrt: chosen.iter().map(|column| found.wrt[*column].clone()).collect(),
            at: found.times.clone(),
            values: found.jacobians.iter().map(of_time).collect(),
        });
    }
    Ok(answer)
}

/// Rows of each output and columns of each path that was asked for.
#[derive(Default)]
struct Counts {
    rows: Vec<usize>,
    columns: Vec<usize>,
}

/// What is asked of a motion.
struct Request<'r> {
    of: &'r [&'r str],
    wrt: &'r [&'r str],
    times: Option<&'r [f64]>,
    mode: Mode,
    /// Of a sum, if that is all that is asked for.
    weights: Option<&'r Weights<'r>>,
}

fn compute(
    file: &LoadedScene,
    request: &Request<'_>,
    observer: &mut dyn Observer,
) -> Result<(MotionAnswer, MotionJacobian, Counts), Vec<Diagnostic>> {
    let Request { of, wrt, times, mode, weights } = *request;
    let watch = Watch::new(observer);
    let Job::Dynamics(job) = &file.scene.job else {
        return Err(vec![*refused(0.0, "the job of the scene is no motion")]);
    };
    let rises = |times: &[f64]| times.windows(2).all(|pair| pair[0] < pair[1]);
    if times.is_some_and(|times| !rises(times) || times.iter().any(|time| !time.is_finite() || *time < 0.0)) {
        return Err(vec![*refused(0.0, "the times that are asked for do not increase from 0 on")]);
    }
    let invalid = |told: SimulateError| match told {
        SimulateError::Invalid(invalid) => vec![file.diagnose(&invalid)],
    };
    check(&file.scene).map_err(invalid)?;
    can_be_followed(&file.scene, job).map_err(|told| vec![*told])?;
    let scene = survey::for_course(&file.scene, &mut |i| watch.iteration(i));
    let scene = &scene.map_err(|told| invalid(told.into()))?;
    let system = System::compile(scene).map_err(|told| invalid(told.into()))?;
    let mut recorded = Recorded::nothing(scene, &system);
    let (motion, start) = beginning(scene, &system, job, &watch).map_err(invalid)?;
    let Some(mut motion) = motion else {
        // Nothing moves, so nothing is known of what would change.
        return Ok((
            MotionAnswer { start, record: recorded.record, end: MotionEnd::NoStart },
            MotionJacobian::default(),
            Counts::default(),
        ));
    };
    let held = start.is_some().then_some(if job.start == Start::Natural { 0.0 } else { 1.0 });
    let asked = Asked { file, scene, system: &system, job, held };
    let outputs = of.iter().map(|path| MotionOutput::find(scene, &system, path)).collect::<Result<Vec<_>, _>>();
    let outputs = outputs.map_err(|told| vec![*told])?;
    let (tangent, paths) = asked.begin(&motion, wrt).map_err(|told| vec![*told])?;
    let counts = Counts {
        rows: outputs.iter().map(|output| output.names.len()).collect(),
        columns: paths.iter().map(Vec::len).collect(),
    };
    let of = outputs.iter().flat_map(|output| output.names.clone()).collect();
    let found = MotionJacobian { of, wrt: paths.concat(), ..MotionJacobian::default() };
    let integrator =
        Integrator::with_course(&system, scheme(job), Box::new(course(SystemOf::Lent(&system), scene, job)));
    let mut run = Run::new(integrator.sharp(), step_choice(scene, job));
    let end = match run.integrator.make_consistent(&mut motion) {
        Ok(()) => {
            let steps = SteadySteps::new(scene, &system, &mut run);
            let asks = match weights {
                Some(_) => 1,
                None => found.of.len() * times.map_or_else(|| OutputTimes::from_the_start(job).count(), <[f64]>::len),
            };
            let goes_back = match mode {
                Mode::Forward => false,
                Mode::Adjoint => true,
                Mode::Cheaper => motion_adjoint::is_cheaper(asks, &tangent),
            };
            let can = motion_adjoint::can_go_back(&system, scheme(job));
            if mode == Mode::Adjoint
                && let Err(reason) = can
            {
                return Err(vec![*refused(0.0, reason)]);
            }
            if goes_back && can.is_ok() {
                let again = asked.integrator(&SystemOf::Lent(&system), scene, None);
                let adjoint = MotionAdjoint::new(tangent, again, &motion);
                let (first, last) = (0, wrt.len().saturating_sub(1));
                let mut some: Vec<&str> = [first, last / 2, last].iter().filter_map(|k| wrt.get(*k).copied()).collect();
                some.dedup();
                let (along, paths) = asked.begin(&motion, &some).map_err(|told| vec![*told])?;
                let witness = Witness::new(along, &paths.concat(), &found.wrt);
                let mut back = Backward::new(steps, adjoint, witness, outputs, found);
                let end = match times {
                    Some(times) => follow(scene, &mut back, &mut motion, times.iter().copied(), &mut recorded, &watch),
                    None => {
                        let times = OutputTimes::from_the_start(job);
                        follow(scene, &mut back, &mut motion, times, &mut recorded, &watch)
                    }
                };
                let found = back.pull(weights).map_err(|(time, reason)| vec![*refused(time, &reason)])?;
                return Ok((MotionAnswer { start, record: recorded.record, end }, found, counts));
            }
            let mut stepper = Sensitive { steps, tangent, outputs, memory: system.workspace(), found, failure: None };
            let end = match times {
                Some(times) => follow(scene, &mut stepper, &mut motion, times.iter().copied(), &mut recorded, &watch),
                None => {
                    let times = OutputTimes::from_the_start(job);
                    follow(scene, &mut stepper, &mut motion, times, &mut recorded, &watch)
                }
            };
            if let Some((time, reason)) = stepper.failure {
                return Err(vec![*refused(time, &reason)]);
            }
            return Ok((MotionAnswer { start, record: recorded.record, end }, stepper.found, counts));
        }
        Err(failure) => {
            let stop = Stop { time: 0.0, step: 0.0, reason: StopReason::Failed(failure) };
            stopped(scene, &system, &motion, &stop)
        }
    };
    Ok((MotionAnswer { start, record: recorded.record, end }, found, counts))
}

fn refused(time: f64, reason: &str) -> Box<Diagnostic> {
    let fault = DerivativeFault::CourseNotSmooth { time: Some(time), reason: reason.to_owned() };
    Box::new(Diagnostic::new(Fault::Derivative(fault)))
}

/// Refuses motions that there are no derivatives of.
fn can_be_followed(scene: &Scene, job: &DynamicsJob) -> Result<(), Box<Diagnostic>> {
    let refuse = |reason: &str| Err(refused(0.0, reason));
    if scene.moves_tubes() {
        return refuse("tubes are pushed, and the robot has other equations after each step");
    }
    if scene.contact_pairs().next().is_some() {
        return refuse("parts may touch, and what touches when is no smooth matter");
    }
    if scene.tendons.iter().any(|tendon| tendon.friction > 0.0) {
        return refuse("a tendon has friction, which remembers the way that it came");
    }
    if !MotionTangent::knows(scheme(job)) {
        return refuse("derivatives go along the schemes robust, symplectic and euler");
    }
    Ok(())
}

/// A motion whose derivatives are asked for, before it begins.
struct Asked<'a> {
    file: &'a LoadedScene,
    scene: &'a Scene,
    system: &'a System,
    job: &'a DynamicsJob,
    /// The part of the loads that acts at the equilibrium that it begins with; `None` if it begins without stress.
    held: Option<f64>,
}

/// A neighbouring robot.
struct Beside<'a> {
    by: f64,
    weight: f64,
    system: SystemOf<'a>,
    scene: Option<Box<Scene>>,
    offset: Option<(Input, f64)>,
    /// What acts at the beginning.
    inputs: Inputs,
    /// True if only what acts is another.
    is_driven: bool,
}

impl<'a> Asked<'a> {
    /// Neighbours of the motion by every number, where they begin.
    fn begin(&self, motion: &Motion, wrt: &[&str]) -> Result<(MotionTangent<'a>, Vec<Vec<String>>), Box<Diagnostic>> {
        let Self { file, scene, system, .. } = *self;
        let inputs = self.first_inputs(system, None);
        let standing = Standing { scene, system, state: &motion.state, inputs: &inputs };
        let source = Source::of(file);
        let numbers = wrt.iter().map(|path| Number::find(&standing, &source, path)).collect::<Result<Vec<_>, _>>()?;
        let mut equilibrium = match self.held {
            Some(_) => {
                let tangent = Tangent::at(system, &motion.state, &inputs);
                Some(tangent.ok_or_else(|| no_tangent("the tangent of the equilibrium at the beginning is singular"))?)
            }
            None => None,
        };
        let own = match &mut equilibrium {
            Some(tangent) => tangent.neighbour_state(system, &inputs, 0.0, &system.zero_step()),
            None => motion.state.clone(),
        };
        let mut all =
            MotionTangent::new(self.integrator(&SystemOf::Lent(system), scene, None), self.moving(system, scene, own));
        for number in numbers.iter().flatten() {
            let beside = self.beside(number, &standing)?;
            let states: Vec<State> = match &mut equilibrium {
                Some(tangent) => {
                    let ready: Vec<(f64, &System, &Inputs)> =
                        beside.iter().map(|own| (own.weight, &*own.system, &own.inputs)).collect();
                    let step = tangent.step_by(&ready);
                    let state = |own: &Beside<'_>| tangent.neighbour_state(&own.system, &own.inputs, own.by, &step);
                    beside.iter().map(state).collect()
                }
                None => {
                    let natural = |own: &Beside<'_>| {
                        let mut state = own.system.natural_state();
                        own.system.drive(&own.inputs, &mut state);
                        state
                    };
                    beside.iter().map(natural).collect()
                }
            };
            let neighbours = beside.into_iter().zip(states).map(|(own, state)| {
                let scene = own.scene.as_deref().unwrap_or(scene);
                let motion = self.moving(&own.system, scene, state);
                let is_driven = own.is_driven;
                let own = Neighbour::new(self.integrator(&own.system, scene, own.offset), motion, own.by, own.weight);
                if is_driven { own.driven() } else { own }
            });
            all.add(neighbours.collect());
        }
        all.start().map_err(|_| refused(0.0, "the velocities at the beginning are not determined"))?;
        let paths = |own: Vec<Number>| own.into_iter().map(|number| number.path).collect();
        Ok((all, numbers.into_iter().map(paths).collect()))
    }

    /// What acts at the beginning.
    fn first_inputs(&self, system: &System, offset: Option<(Input, f64)>) -> Inputs {
        let mut inputs = system.inputs_at(0.0).with_factor(self.held.unwrap_or(1.0));
        if let Some((input, by)) = offset {
            inputs.set(input, inputs.get(input) + by);
        }
        inputs
    }

    fn moving(&self, system: &System, scene: &Scene, state: State) -> Motion {
        let (velocity, rates) = system.initial_velocities(scene, &state);
        let mut motion = Motion::new(system, state, velocity);
        motion.joint_rates = rates;
        motion
    }

    /// Neighbours by a number: on both sides, or on one where there are none on the other.
    fn beside(&self, number: &Number, standing: &Standing<'_>) -> Result<Vec<Beside<'a>>, Box<Diagnostic>> {
        if number.path.starts_with("job.") {
            let reason = "numbers of the job say how the motion is computed and shown, not what moves".to_owned();
            let fault = DerivativeFault::NotOfMotion { path: number.path.clone(), reason };
            return Err(Box::new(Diagnostic::new(Fault::Derivative(fault))));
        }
        let mut first: Option<Refused> = None;
        for side in [Side::Both, Side::Above, Side::Below] {
            let places = side.neighbours(number.distance).into_iter();
            match places.map(|place| self.one_beside(number, standing, place)).collect::<Result<Vec<_>, _>>() {
                Ok(found) => return Ok(found),
                Err(refused) => {
                    first.get_or_insert(refused);
                }
            }
        }
        Err(first.unwrap_or(Refused::OtherPlaces).about(&number.path))
    }

    fn one_beside(
        &self,
        number: &Number,
        standing: &Standing<'_>,
        (by, weight): (f64, f64),
    ) -> Result<Beside<'a>, Refused> {
        match number.changed(standing, Some(self.file), by)? {
            Changed::Offset(input) => {
                let offset = Some((input, by));
                let inputs = self.first_inputs(self.system, offset);
                let system = SystemOf::Lent(self.system);
                Ok(Beside { by, weight, system, scene: None, offset, inputs, is_driven: true })
            }
            Changed::Scene(scene) => {
                let corners = |scene: &Scene| -> Vec<f64> {
                    scene.drives.iter().flat_map(|drive| drive.signal.corners()).collect()
                };
                if corners(&scene) != corners(self.scene) {
                    return Err(Refused::OtherCorners);
                }
                let mut system = self.system.clone();
                system.set_values(&scene)?;
                let inputs = self.first_inputs(&system, None);
                let is_driven = self.differs_in_drives(&scene, &system, &inputs);
                let system = SystemOf::Shared(Arc::new(system));
                Ok(Beside { by, weight, system, scene: Some(scene), offset: None, inputs, is_driven })
            }
        }
    }

    /// True if a scene has the equations of this one and begins as it does, but is driven otherwise later on: lengths at rest are measured
    /// where drives begin.
    fn differs_in_drives(&self, scene: &Scene, system: &System, inputs: &Inputs) -> bool {
        if *inputs != self.first_inputs(self.system, None) || system.nominal_inputs() != self.system.nominal_inputs() {
            return false;
        }
        *self.scene == Scene { drives: self.scene.drives.clone(), ..scene.clone() }
    }

    /// Steps of a neighbour; what is driven may be a little more all along.
    fn integrator(&self, system: &SystemOf<'a>, scene: &Scene, offset: Option<(Input, f64)>) -> Integrator<'a> {
        let base = course(system.clone(), scene, self.job);
        let offset = offset.filter(|(input, _)| !self.is_released(*input));
        let course: Box<dyn Course + 'a> = match offset {
            None => Box::new(base),
            Some((input, by)) => {
                let driven = system.drives().iter().any(|drive| Input::from(drive.target) == input);
                let held = system.nominal_inputs().get(input);
                Box::new(move |time: f64, inputs: &mut Inputs| {
                    base(time, inputs);
                    let value = if driven { inputs.get(input) } else { held };
                    inputs.set(input, value + by);
                })
            }
        };
        Integrator::with_course(system.clone(), scheme(self.job), course)
    }

    /// True for a load that is gone when the motion begins.
    fn is_released(&self, input: Input) -> bool {
        match input {
            Input::Load(load) => self.job.release.contains(&load),
            Input::FrameLoad(load) => self.job.release.contains(&(load + self.scene.loads.len())),
            _ => false,
        }
    }
}
