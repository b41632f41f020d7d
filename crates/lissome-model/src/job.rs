//! Jobs: what to compute.

use crate::arclength::{FoldCurveJob, Follow};
use crate::invalid::{Invalid, Problem, check};
use crate::{InverseJob, LoopWinding, OptimiseJob, ShapeJob, TendonMethod};

/// What to compute.
#[derive(Clone, Debug, PartialEq)]
pub enum Job {
    /// The equilibrium.
    Statics(StaticsJob),
    /// Equilibria along the drives.
    Path(PathJob),
    /// The motion in time.
    Dynamics(DynamicsJob),
    /// Natural frequencies and modes about the equilibrium.
    Modes(ModesJob),
    /// Critical loads: how many times the loads may act before the robot gives way.
    Buckling(BucklingJob),
    /// The shape of every rod from the poses of its two ends.
    Shape(ShapeJob),
    /// Curves of folds over two drives.
    FoldCurve(FoldCurveJob),
    /// Drives that bring outputs to their targets.
    Inverse(InverseJob),
    /// Numbers of the scene that make a formula of outputs least.
    Optimise(OptimiseJob),
}

/// How hard to look for the equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticsJob {
    /// Newton iterations in all, over every attempt and load step.
    pub max_iterations: usize,
    /// Which way round a single rod that is held at both ends turns.
    pub winding: LoopWinding,
    /// A classical method for one clamped rod with tendons in place of the program's own.
    pub method: Option<TendonMethod>,
}

/// Equilibria at evenly spaced values of the parameter that the drives are functions of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathJob {
    /// Number of equilibria, both ends included.
    pub samples: usize,
    /// The parameter runs from 0 to this.
    pub end: f64,
    /// Newton iterations for one of them.
    pub max_iterations: usize,
    /// Which way round a single rod that is held at both ends turns at the start.
    pub winding: LoopWinding,
    /// What to do where a branch of equilibria ends or loses its stability.
    pub on_event: OnEvent,
    /// What the path goes along. By arclength it chooses its samples itself, and events are points like any other.
    pub follow: Follow,
}

/// What a path does where its branch of equilibria ends or loses its stability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnEvent {
    /// The robot moves to the equilibrium that it falls to, and the path goes on from there.
    #[default]
    Jump,
    /// The path ends there.
    Stop,
    /// The branch is followed around its fold, against the drives: refused, for that is what [`Follow::Arclength`] does.
    Follow,
}

/// Natural frequencies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModesJob {
    /// How many, from the lowest.
    pub count: usize,
    /// Newton iterations for the equilibrium.
    pub max_iterations: usize,
}

/// Critical loads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucklingJob {
    /// How many, from the lowest.
    pub count: usize,
    /// The equilibrium that the search begins with.
    pub from: BucklingStart,
    /// Newton iterations for that equilibrium.
    pub max_iterations: usize,
}

/// Where the search for critical loads begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BucklingStart {
    /// Without loads, tensions and efforts.
    #[default]
    Unloaded,
    /// In the equilibrium that carries them.
    Loaded,
}

/// A motion in time.
#[derive(Clone, Debug, PartialEq)]
pub struct DynamicsJob {
    /// From 0 to this, s.
    pub duration: f64,
    /// Recorded states a second, Hz.
    pub output_rate: f64,
    /// Time integrator.
    pub scheme: Scheme,
    /// How its steps are chosen.
    pub step: StepControl,
    /// Where the motion begins.
    pub start: Start,
    /// Loads that hold the start and are gone at once: indices of the scene's loads, then of its frame loads.
    pub release: Vec<usize>,
}

/// Time integrators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Energy–momentum with the third-difference filter: holds at any step.
    #[default]
    Robust,
    /// Energy–momentum without filter: conserves.
    Conserving,
    /// Variational with averaged strain: symplectic, for small steps.
    Symplectic,
    /// The paper's variational scheme, explicit in the potential; refused beyond its step limit.
    Explicit,
    /// Implicit Euler: damps everything.
    Euler,
    /// Trapezoidal rule and backward differences: second order, damps what is fast.
    TrBdf2,
}

impl Scheme {
    /// True if tubes may be pushed in and out between its steps.
    pub fn takes_pushed_tubes(self) -> bool {
        matches!(self, Self::Robust | Self::Euler | Self::TrBdf2)
    }
}

/// How steps are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepControl {
    /// By an estimate of the error of one step, relative to the amplitude of the motion.
    Tolerance(f64),
    /// Always this, s.
    Fixed(f64),
}

/// Where a motion begins; at rest, but for the initial velocities of bodies, joints and rods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// In the equilibrium of the drives at time zero.
    #[default]
    Equilibrium,
    /// Without stress.
    Natural,
}

/// Largest number of samples or recorded states that is not taken for a mistake.
const MOST_SAMPLES: f64 = 1e7;

impl Default for StaticsJob {
    fn default() -> Self {
        Self { max_iterations: 2000, winding: LoopWinding::Least, method: None }
    }
}

impl Default for PathJob {
    fn default() -> Self {
        Self {
            samples: 11,
            end: 1.0,
            max_iterations: 2000,
            on_event: OnEvent::default(),
            winding: LoopWinding::Least,
            follow: Follow::Drives,
        }
    }
}

impl Default for ModesJob {
    fn default() -> Self {
        Self { count: 6, max_iterations: 2000 }
    }
}

impl Default for BucklingJob {
    fn default() -> Self {
        Self { count: 3, from: BucklingStart::Unloaded, max_iterations: 2000 }
    }
}

impl Default for DynamicsJob {
    fn default() -> Self {
        Self {
            duration: 1.0,
            output_rate: 100.0,
            scheme: Scheme::default(),
            step: StepControl::Tolerance(1e-4),
            start: Start::default(),
            release: Vec::new(),
        }
    }
}

impl Job {
    /// What it is called in a scene file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Statics(_) => "statics",
            Self::Path(_) => "path",
            Self::Dynamics(_) => "dynamics",
            Self::Modes(_) => "modes",
            Self::Buckling(_) => "buckling",
            Self::FoldCurve(_) => "fold-curve",
            Self::Shape(_) => "shape",
            Self::Inverse(_) => "inverse",
            Self::Optimise(_) => "optimise",
        }
    }

    /// End of the parameter that drives are functions of; 0 where nothing moves.
    pub fn end(&self) -> f64 {
        match self {
            Self::Path(job) => job.end,
            Self::FoldCurve(job) => job.end,
            Self::Inverse(job) => job.end,
            Self::Dynamics(job) => job.duration,
            Self::Statics(_) | Self::Modes(_) | Self::Buckling(_) | Self::Shape(_) | Self::Optimise(_) => 0.0,
        }
    }

    pub(crate) fn validate(&self) -> Result<(), Invalid> {
        match self {
            Self::Path(job) => {
                if job.samples < 2 || job.samples as f64 > MOST_SAMPLES {
                    let need = "a path has at least two samples and at most ten million".into();
                    return Err(Invalid::new("job.samples", Problem::Count { found: job.samples, need }));
                }
                if job.on_event == OnEvent::Follow {
                    let reason = "a path of samples cannot follow a branch that turns back against its drives: \
                                  write `follow = \"arclength\"` in place of `on_event`";
                    return Err(Invalid::new("job.on_event", Problem::Contradiction { reason: reason.into() }));
                }
                check::positive("job.end", job.end)?;
                match &job.follow {
                    Follow::Arclength(how) => how.validate(job.end),
                    Follow::Drives => Ok(()),
                }
            }
            Self::FoldCurve(job) => job.validate(),
            Self::Inverse(job) => job.validate(),
            Self::Optimise(job) => job.validate(),
            Self::Modes(ModesJob { count: 0, .. }) | Self::Buckling(BucklingJob { count: 0, .. }) => {
                Err(Invalid::new("job.count", Problem::Count { found: 0, need: "ask for at least one".into() }))
            }
            Self::Dynamics(job) => {
                check::positive("job.duration", job.duration)?;
                check::positive("job.output_rate", job.output_rate)?;
                let states = job.duration * job.output_rate;
                if states > MOST_SAMPLES {
                    let interval = format!("{MOST_SAMPLES:.0} recorded states at most");
                    return Err(Invalid::new("job.output_rate", Problem::OutOfRange { value: states, interval }));
                }
                match job.step {
                    StepControl::Fixed(step) => check::positive("job.step", step),
                    StepControl::Tolerance(tolerance) => check::positive("job.tolerance", tolerance),
                }
            }
            Self::Statics(_) | Self::Modes(_) | Self::Buckling(_) | Self::Shape(_) => Ok(()),
        }
    }
}
