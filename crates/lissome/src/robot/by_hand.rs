//! A motion by hand: a robot that is moved on in time, step by step, with drives that are set on the way.

use super::standing::hold;
use crate::error::SimulateError;
use crate::motion_course::{Earlier, course};
use crate::motion_course::{SteadySteps, Stepper, beginning, restored, scheme, step_choice, stopped};
use crate::observer::{Observer, Progress, Watch};
use lissome_io::scene::drive_target;
use lissome_io::{Diagnostic, Fault};
use lissome_mech::{Input, Inputs, System};
use lissome_model::{DynamicsJob, Invalid, Job, Problem, Scene};
use lissome_solve::accuracy::survey;
use lissome_solve::dynamics::{Integrator, Motion, Run, Snapshot, SystemOf};
use lissome_solve::{MotionEnd, MotionFrame, MotionRecord};
use std::sync::{Arc, Mutex, PoisonError};

/// A robot that moves as far as it is told.
pub struct Hand {
    scene: Scene,
    job: DynamicsJob,
    system: Arc<System>,
    /// What takes the steps: its memory is laid out once, not in every step.
    run: Run<'static>,
    /// What it is told of the step under way.
    way: Arc<Mutex<Way>>,
    motion: Motion,
    pause: [f64; 3],
    /// What was set on the way, from one value to another within a step.
    held: Vec<Held>,
    frame: MotionFrame,
}

/// A quantity that is set by hand.
#[derive(Clone, Debug)]
struct Held {
    path: String,
    input: Input,
    from: f64,
    to: f64,
    /// Its rate in the last step, per s.
    rate: f64,
}

/// What is set by hand within a step that begins at a time.
#[derive(Clone, Debug)]
struct Way {
    held: Vec<Held>,
    begin: f64,
    h: f64,
}

impl Default for Way {
    fn default() -> Self {
        Self { held: Vec::new(), begin: 0.0, h: 1.0 }
    }
}

/// Why a motion by hand does not begin or go on.
#[derive(Clone, Debug)]
pub enum Halt {
    /// The scene is refused.
    Refused(SimulateError),
    /// What was set is refused.
    Drive(Box<Diagnostic>),
    /// The observer asked to stop; the motion stands where it stood.
    Stopped,
    /// It cannot go on, or found no equilibrium to begin with.
    Ended(Box<MotionEnd>),
}

impl From<SimulateError> for Halt {
    fn from(error: SimulateError) -> Self {
        Self::Refused(error)
    }
}

impl From<Invalid> for Halt {
    fn from(invalid: Invalid) -> Self {
        Self::Refused(invalid.into())
    }
}

impl Hand {
    /// Begins where the job of the scene begins, or in its equilibrium if that is no motion.
    pub fn start(scene: &Scene, observer: &mut dyn Observer) -> Result<Self, Halt> {
        crate::check(scene)?;
        let (scene, job) = of_motion(scene)?;
        let watch = Watch::new(observer);
        let scene = survey::for_course(&scene, &mut |i| watch.iteration(i))?;
        let system = Arc::new(System::compile(&scene)?);
        let (motion, _) = beginning(&scene, &system, &job, &watch)?;
        if watch.stopped() {
            return Err(Halt::Stopped);
        }
        let mut motion = motion.ok_or_else(|| Halt::Ended(Box::new(MotionEnd::NoStart)))?;
        let way = Arc::new(Mutex::new(Way::default()));
        let mut run = run(&scene, &system, &job, &way);
        if run.integrator.make_consistent(&mut motion).is_err() {
            return Err(Halt::Ended(Box::new(MotionEnd::NoStart)));
        }
        let (frame, pause) = SteadySteps::new(&scene, &system, &mut run).pause(&motion);
        Ok(Self { scene, job, system, run, way, motion, pause, held: Vec::new(), frame })
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.motion.time
    }

    /// The scene as it was divided, with everything that was set among its drives.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The numbers of this moment.
    pub fn frame(&self) -> &MotionFrame {
        &self.frame
    }

    /// Goes on by a time, s. Each drive (SI, by its dotted path) goes evenly from where it is to its value, so that nothing
    /// jumps; those that are not named stay where they are, or follow the scene. If it cannot go on, it stands where it stood.
    pub fn step(&mut self, h: f64, drives: &[(&str, f64)], observer: &mut dyn Observer) -> Result<(), Halt> {
        if !h.is_finite() || h <= 0.0 {
            let problem = if h.is_finite() { Problem::NotPositive { value: h } } else { Problem::NotFinite };
            return Err(Invalid::new("step", problem).into());
        }
        let (held, with_new) = self.aims(drives).map_err(Halt::Drive)?;
        if let Some(scene) = &with_new {
            // How long its steps may be depends on the drives.
            self.run = run(scene, &self.system, &self.job, &self.way);
        }
        let scene = with_new.as_ref().unwrap_or(&self.scene);
        let watch = Watch::new(observer);
        let (begin, until) = (self.motion.time, self.motion.time + h);
        let corner = held.iter().any(|own| rate(own, h) != own.rate);
        let mut motion = self.motion.clone();
        set(&self.way, Way { held: held.clone(), begin, h });
        self.run.resume(self.pause);
        if corner && let Err(stop) = self.run.restart(&mut motion, &self.system) {
            return Err(self.ended(&motion, &stop));
        }
        let mut steps = SteadySteps::new(scene, &self.system, &mut self.run);
        let reached = steps.reach(&mut motion, until, &mut |motion| watch.show(&Progress::Step { time: motion.time }));
        if watch.stopped() {
            return Err(Halt::Stopped);
        }
        if let Err(stop) = reached {
            return Err(self.ended(&motion, &stop));
        }
        let (mut frame, pause) = steps.pause(&motion);
        motion.events.clear();
        if let Some(scene) = with_new {
            self.scene = scene;
        }
        (self.motion, self.pause) = (motion, pause);
        self.held = held.into_iter().map(|own| Held { rate: rate(&own, h), from: own.to, ..own }).collect();
        self.note(&mut frame);
        self.frame = frame;
        Ok(())
    }

    /// What each drive that was ever set goes to in a step, and the scene with all of them among its drives, if there are new
    /// ones.
    fn aims(&self, drives: &[(&str, f64)]) -> Result<(Vec<Held>, Option<Scene>), Box<Diagnostic>> {
        let (mut held, mut with_new) = (self.held.clone(), None);
        for (path, value) in drives {
            let input = Input::from(drive_target(&self.scene, path, Some(*value))?);
            if let Some(own) = held.iter_mut().find(|own| own.input == input) {
                own.to = *value;
                continue;
            }
            if matches!(input, Input::TubeInsertion { .. }) {
                let reason = "tubes are not pushed by hand".to_owned();
                let help = "write the insertion as a drive of a dynamics job";
                let path = Some((*path).to_owned());
                return Err(Box::new(Diagnostic { path, ..Diagnostic::new(Fault::Contradiction { reason, help }) }));
            }
            hold(with_new.get_or_insert_with(|| self.scene.clone()), path, *value)?;
            let mut now = self.system.nominal_inputs().clone();
            now.drive(self.system.drives(), self.motion.time);
            held.push(Held { path: (*path).to_owned(), input, from: now.get(input), to: *value, rate: 0.0 });
        }
        Ok((held, with_new))
    }

    /// The frame with the drives as they were set.
    fn note(&self, frame: &mut MotionFrame) {
        for (drive, value) in self.scene.drives.iter().zip(&mut frame.drives) {
            if let Some(own) = self.held.iter().find(|own| Input::from(drive.target) == own.input) {
                *value = own.from;
            }
        }
    }

    fn ended(&self, motion: &Motion, stop: &lissome_solve::dynamics::Stop) -> Halt {
        Halt::Ended(Box::new(stopped(&self.scene, &self.system, motion, stop)))
    }

    /// Everything that the next step depends on, to the bit.
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::take(&self.motion, self.pause);
        for own in &self.held {
            snapshot.lists.push((format!("hand.{}", own.path), vec![own.to, own.rate]));
        }
        snapshot
    }

    /// Goes on from a snapshot of a motion of the same scene.
    pub fn restore(scene: &Scene, snapshot: &Snapshot, observer: &mut dyn Observer) -> Result<Self, Halt> {
        let mut fresh = Self::start(scene, observer)?;
        let mut held = Vec::new();
        for (name, numbers) in &snapshot.lists {
            if let (Some(path), [to, rate]) = (name.strip_prefix("hand."), numbers.as_slice()) {
                let input = hold(&mut fresh.scene, path, *to).map_err(Halt::Drive)?;
                held.push(Held { path: path.to_owned(), input, from: *to, to: *to, rate: *rate });
            }
        }
        let earlier = Earlier { snapshot, record: MotionRecord::of(&fresh.scene) };
        let (motion, pause, _) = restored(&fresh.system, earlier)?;
        fresh.run = run(&fresh.scene, &fresh.system, &fresh.job, &fresh.way);
        set(&fresh.way, Way { held: held.clone(), begin: motion.time, h: 1.0 });
        fresh.run.resume(pause);
        let mut steps = SteadySteps::new(&fresh.scene, &fresh.system, &mut fresh.run);
        let (mut frame, pause) = steps.pause(&motion);
        (fresh.motion, fresh.pause, fresh.held) = (motion, pause, held);
        fresh.note(&mut frame);
        fresh.frame = frame;
        Ok(fresh)
    }
}

/// The scene with a motion as its job.
fn of_motion(scene: &Scene) -> Result<(Scene, DynamicsJob), Halt> {
    if scene.moves_tubes() {
        let reason = "tubes that are pushed move by a dynamics job alone, not by hand".into();
        return Err(Invalid::new("drive", Problem::Contradiction { reason }).into());
    }
    let mut scene = scene.clone();
    if !matches!(scene.job, Job::Dynamics(_)) {
        scene.job = Job::Dynamics(DynamicsJob::default());
        scene.validate()?;
    }
    let Job::Dynamics(job) = scene.job.clone() else { unreachable!("the job was made a motion") };
    Ok((scene, job))
}

fn rate(own: &Held, h: f64) -> f64 {
    (own.to - own.from) / h
}

fn set(way: &Mutex<Way>, now: Way) {
    *way.lock().unwrap_or_else(PoisonError::into_inner) = now;
}

/// What takes the steps: the drives of the scene, and over them what is held.
fn run(scene: &Scene, system: &Arc<System>, job: &DynamicsJob, way: &Arc<Mutex<Way>>) -> Run<'static> {
    let of_scene = course(SystemOf::Shared(system.clone()), scene, job);
    let way = way.clone();
    let all = move |time: f64, inputs: &mut Inputs| {
        of_scene(time, inputs);
        let way = way.lock().unwrap_or_else(PoisonError::into_inner);
        for own in &way.held {
            // Rates of drives are differences around a time: beyond its ends the way goes straight on.
            inputs.set(own.input, own.from + (own.to - own.from) * (time - way.begin) / way.h);
        }
    };
    let integrator = Integrator::with_course(system.clone(), scheme(job), Box::new(all));
    Run::new(integrator, step_choice(scene, job))
}
