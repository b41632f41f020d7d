//! One experiment in motion: outputs at measured moments for any values of the numbers.
//!
//! Values are those of the job's own steps. Derivatives are fourth-order differences of neighbouring motions that all take the same
//! steps, those of the motion between them: what a control chooses anew would jump.

use crate::derivatives::motion_output::MotionOutput;
use crate::motion_course::{SteadySteps, Stepper, beginning, corners, course, scheme, slack, step_choice};
use crate::observer::{Progress, Watch};
use lissome_io::scene::Variants;
use lissome_lie::Rotation;
use lissome_mech::System;
use lissome_model::{DynamicsJob, Job, Scene};
use lissome_solve::MotionEventKind;
use lissome_solve::accuracy::survey;
use lissome_solve::dynamics::{Integrator, Moment, Motion, Run, Scheme, StepChoice, Stop, SystemOf};
use nalgebra::{DMatrix, Vector3};

/// Distance of neighbours, of the size of a number: the error of the difference goes with its fourth power, and what an iteration
/// leaves is divided by it.
const DISTANCE: f64 = 1e-3;
/// Where neighbours lie, in distances, with their weights.
const CENTRAL: [(f64, f64); 4] = [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)];
/// The same on one side, where there are none on the other.
const UPWARD: [(f64, f64); 5] = [(0.0, -25.0 / 12.0), (1.0, 4.0), (2.0, -3.0), (3.0, 4.0 / 3.0), (4.0, -0.25)];

/// How a motion is divided, in space and in time.
#[derive(Clone, Debug)]
pub(super) struct Division {
    scene: Scene,
}

/// Outputs at the moments, and the ends of the steps that led there.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub values: Vec<Vec<f64>>,
    steps: Vec<f64>,
}

/// What is asked of a motion.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub outputs: &'a [&'a str],
    /// Rows of the outputs at which turns begin.
    pub turns: &'a [usize],
    /// In order, s.
    pub times: &'a [f64],
}

impl Division {
    /// The knots that the motion for these values needs.
    pub fn of(variants: &Variants, x: &[f64], watch: &Watch<'_>) -> Result<Self, String> {
        let scene = variants.scene(x).map_err(|refused| format!("the scene is refused: {}", refused.message()))?;
        crate::check(&scene).map_err(|error| format!("the scene is refused: {error}"))?;
        let scene = survey::for_course(&scene, &mut |i| watch.iteration(i));
        Ok(Self { scene: scene.map_err(|invalid| format!("the scene is refused: {invalid}"))? })
    }

    /// The motion for these values.
    pub fn run(&self, variants: &Variants, x: &[f64], asked: &Asked<'_>, watch: &Watch<'_>) -> Option<Course> {
        self.run_in(variants, x, asked, None, watch)
    }

    fn run_in(
        &self,
        variants: &Variants,
        x: &[f64],
        asked: &Asked<'_>,
        steps: Option<&[f64]>,
        watch: &Watch<'_>,
    ) -> Option<Course> {
        let mut scene = variants.scene(x).ok()?;
        scene.validate().ok()?;
        let Job::Dynamics(job) = scene.job.clone() else { return None };
        scene.divide_like(&self.scene).then(|| follow(&scene, &job, asked, steps, watch)).flatten()
    }

    /// How outputs change with the numbers, moment after moment; turns in the axes of the part.
    pub fn rates(
        &self,
        variants: &Variants,
        (x, sizes): (&[f64], &[f64]),
        asked: &Asked<'_>,
        here: &Course,
        watch: &Watch<'_>,
    ) -> Option<Vec<DMatrix<f64>>> {
        let rows = here.values.first().map_or(0, Vec::len);
        let mut rates = vec![DMatrix::zeros(rows, x.len()); here.values.len()];
        for (column, size) in sizes.iter().enumerate() {
            let sided = |stencil: &[(f64, f64)], distance: f64| {
                let runs = stencil.iter().map(|(place, weight)| {
                    let mut moved = x.to_vec();
                    moved[column] += place * distance;
                    Some((*weight, self.run_in(variants, &moved, asked, Some(&here.steps), watch)?))
                });
                Some((distance, runs.collect::<Option<Vec<_>>>()?))
            };
            let distance = DISTANCE * size;
            let found =
                sided(&CENTRAL, distance).or_else(|| sided(&UPWARD, distance)).or_else(|| sided(&UPWARD, -distance));
            let (distance, runs) = found?;
            for (weight, run) in runs {
                for (moment, values) in run.values.iter().enumerate() {
                    let change = change(&here.values[moment], values, asked.turns);
                    for (row, change) in change.iter().enumerate() {
                        rates[moment][(row, column)] += weight * change / distance;
                    }
                }
            }
        }
        Some(rates)
    }
}

/// By how much outputs differ; turns in the axes of the part.
fn change(from: &[f64], to: &[f64], turns: &[usize]) -> Vec<f64> {
    let mut change: Vec<f64> = to.iter().zip(from).map(|(to, from)| to - from).collect();
    for first in turns {
        let turn = |values: &[f64]| Rotation::exp(&Vector3::from_column_slice(&values[*first..*first + 3]));
        let between = (turn(from).inverse() * turn(to)).log();
        change[*first..*first + 3].copy_from_slice(between.as_slice());
    }
    change
}

/// Computes a motion: with steps of its own, or with given ones. One in which a rod runs through something is none.
fn follow(
    scene: &Scene,
    job: &DynamicsJob,
    asked: &Asked<'_>,
    given: Option<&[f64]>,
    watch: &Watch<'_>,
) -> Option<Course> {
    let system = System::compile(scene).ok()?;
    let drives = Box::new(course(SystemOf::Lent(&system), scene, job));
    let integrator = Integrator::with_course(&system, scheme(job), drives);
    // The explicit scheme has a limit of its own, and steps of its own with it.
    let given = given.filter(|_| scheme(job) != Scheme::Explicit);
    let choice = if given.is_some() { StepChoice::Fixed(job.duration) } else { step_choice(scene, job) };
    let mut run = Run::new(integrator, choice);
    let mut motion = beginning(scene, &system, job, watch).ok()?.0?;
    run.integrator.make_consistent(&mut motion).ok()?;
    let outputs = asked.outputs.iter().map(|path| MotionOutput::find(scene, &system, path));
    let outputs = outputs.collect::<Result<Vec<_>, _>>().ok()?;
    let mut work = system.workspace();
    let mut all = Course { values: Vec::new(), steps: Vec::new() };
    for until in asked.times {
        if *until > motion.time {
            let mut see = |motion: &Motion| {
                all.steps.push(motion.time);
                watch.show(&Progress::Step { time: motion.time })
            };
            match given {
                None => SteadySteps::new(scene, &system, &mut run).reach(&mut motion, *until, &mut see),
                Some(steps) => repeat(scene, &system, &mut run, &mut motion, (steps, *until), &mut see),
            }
            .ok()?;
        }
        let runs_through = motion.events.iter().any(|event| event.kind == MotionEventKind::Through);
        if watch.stopped() || runs_through {
            return None;
        }
        let (state, inputs) = (run.integrator.state_now(&motion), run.integrator.inputs_at(motion.time));
        let kinetic = run.integrator.energies(&motion).kinetic;
        let (velocity, joint_rates) = (motion.velocity.as_slice(), motion.joint_rates.as_slice());
        let moment = Moment { system: &system, state: &state, inputs: &inputs, velocity, joint_rates, kinetic };
        all.values.push(outputs.iter().flat_map(|output| output.read(scene, &moment, &mut work)).collect());
    }
    Some(all)
}

/// Goes on to a time in given steps; where a drive has a corner, it begins anew as any motion does.
fn repeat(
    scene: &Scene,
    system: &System,
    run: &mut Run<'_>,
    motion: &mut Motion,
    (steps, until): (&[f64], f64),
    see: &mut dyn FnMut(&Motion) -> bool,
) -> Result<(), Stop> {
    let mut go = |run: &mut Run<'_>, motion: &mut Motion, to: f64| {
        let near = slack(to.max(until));
        let between: Vec<f64> =
            steps.iter().copied().filter(|step| *step > motion.time + near && *step < to - near).collect();
        for step in between.into_iter().chain([to]) {
            run.advance(motion, step, &mut |motion, _| see(motion))?;
        }
        Ok(())
    };
    for corner in corners(scene, motion.time, until) {
        run.integrator.read_rates_before(corner - slack(until));
        go(run, motion, corner - slack(until))?;
        run.integrator.read_rates_before(f64::INFINITY);
        motion.time = corner;
        run.restart(motion, system)?;
    }
    go(run, motion, until)
}
