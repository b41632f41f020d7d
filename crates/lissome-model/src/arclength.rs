//! How a path follows its branches by their own length.

use crate::invalid::{Invalid, Problem, check};

/// What a path goes along.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Follow {
    /// The drives: from sample to sample, over whatever happens on the way.
    #[default]
    Drives,
    /// The branches of equilibria, by their own length: through folds, against the drives where the branch turns back.
    Arclength(Arclength),
}

/// A path along branches of equilibria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arclength {
    /// Parameter at which the first equilibrium is looked for; the path keeps within 0 and the job's end.
    pub start_at: f64,
    /// Which way from there.
    pub direction: ArcDirection,
    /// Branches that are followed beside the one through the first equilibrium.
    pub branches: usize,
    /// Steps along each branch.
    pub max_steps: usize,
    /// Longest step: parts of the range of the parameter, and rad and parts of the robot's length in the mean of all poses.
    pub longest_step: f64,
}

/// Which way a branch is followed at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArcDirection {
    /// With the parameter.
    #[default]
    Forward,
    /// Against it.
    Backward,
    /// One after the other.
    Both,
}

/// Branches that "all" stands for: beyond them a diagram says nothing to anybody.
pub const MOST_BRANCHES: usize = 40;
/// More steps than this are taken for a mistake.
const MOST_STEPS: usize = 1_000_000;
/// A longer step cannot see what it passes.
const LONGEST_STEP: f64 = 0.5;

/// Curves of folds: the folds of a path by arclength, followed over a second drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldCurveJob {
    /// The second drive, by its index in the scene; all others are those of the path.
    pub over: usize,
    /// The parameter of either runs from 0 to this.
    pub end: f64,
    /// Parameter of the path's drives at which the first equilibrium is looked for.
    pub start_at: f64,
    /// Steps along the path, and along each curve.
    pub max_steps: usize,
    /// Longest step along a curve: parts of the range of the second drive, rad and parts of the robot's length.
    pub longest_step: f64,
    /// Newton iterations for the first equilibrium.
    pub max_iterations: usize,
}

impl FoldCurveJob {
    /// Over a drive, with what else is usual.
    pub fn over(over: usize) -> Self {
        Self { over, end: 1.0, start_at: 0.0, max_steps: 400, longest_step: 0.05, max_iterations: 2000 }
    }

    pub(crate) fn validate(&self) -> Result<(), Invalid> {
        check::positive("job.end", self.end)?;
        let Self { start_at, max_steps, longest_step, .. } = *self;
        Arclength { start_at, max_steps, longest_step, ..Arclength::default() }.validate(self.end)
    }
}

impl Default for Arclength {
    fn default() -> Self {
        Self { start_at: 0.0, direction: ArcDirection::Forward, branches: 0, max_steps: 400, longest_step: 0.05 }
    }
}

impl Arclength {
    pub(crate) fn validate(&self, end: f64) -> Result<(), Invalid> {
        check::finite("job.start_at", self.start_at)?;
        if !(0.0..=end).contains(&self.start_at) {
            let interval = format!("[0, {end}], the range of the parameter");
            return Err(Invalid::new("job.start_at", Problem::OutOfRange { value: self.start_at, interval }));
        }
        if self.max_steps == 0 || self.max_steps > MOST_STEPS {
            let need = "a branch has at least one step and at most a million".into();
            return Err(Invalid::new("job.max_steps", Problem::Count { found: self.max_steps, need }));
        }
        if self.branches > MOST_BRANCHES {
            let need = format!("{MOST_BRANCHES} branches at most");
            return Err(Invalid::new("job.branches", Problem::Count { found: self.branches, need }));
        }
        check::positive("job.longest_step", self.longest_step)?;
        if self.longest_step > LONGEST_STEP {
            let interval = format!("(0, {LONGEST_STEP}]");
            return Err(Invalid::new("job.longest_step", Problem::OutOfRange { value: self.longest_step, interval }));
        }
        Ok(())
    }
}
