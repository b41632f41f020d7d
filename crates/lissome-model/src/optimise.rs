//! The optimisation job: which numbers of the scene make a formula of its outputs least, within limits.

use crate::invalid::{Invalid, Problem};
use crate::{Formula, LoopWinding};

/// Numbers that are to be found, and what they are to bring about.
#[derive(Clone, Debug, PartialEq)]
pub struct OptimiseJob {
    /// What is made least, or greatest.
    pub objective: Formula,
    /// True if greatest.
    pub maximise: bool,
    /// What is to hold.
    pub constraints: Vec<Constraint>,
    /// What is to be found.
    pub free: Vec<FreeNumber>,
    /// Rounds at most.
    pub rounds: usize,
    /// Equilibria that are not stable are not gone to.
    pub stable: bool,
    /// Newton iterations for the first equilibrium.
    pub max_iterations: usize,
    /// Which way round a single rod that is held at both ends turns at the start.
    pub winding: LoopWinding,
}

/// Two formulas and how they are to compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// As it was written.
    pub text: String,
    /// The first less the second: at most zero, or zero.
    pub difference: Formula,
    /// The second, which tells what is large.
    pub right: Formula,
    /// True if both are to be equal.
    pub equal: bool,
    /// True if the first was to be at least the second: the difference has the other sign then.
    pub at_least: bool,
}

/// A number of the scene that is to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeNumber {
    /// Its dotted path.
    pub path: String,
    /// What it is a number of.
    pub of: FreeOf,
    /// Where the search begins, SI.
    pub start: f64,
    /// Between these; infinite where nothing limits it.
    pub limits: (f64, f64),
    /// The SI unit.
    pub unit: String,
}

/// What a free number is a number of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeOf {
    /// The file.
    File,
    /// Something that can be driven.
    Drive,
    /// Nothing but the formulas: a bound that several things are to keep below, which is made small.
    Formulas,
}

/// Largest number of rounds that is not taken for a mistake.
const MOST_ROUNDS: usize = 100_000;

impl OptimiseJob {
    pub(crate) fn validate(&self) -> Result<(), Invalid> {
        if self.rounds == 0 || self.rounds > MOST_ROUNDS {
            let need = "from one round to a hundred thousand".into();
            return Err(Invalid::new("job.rounds", Problem::Count { found: self.rounds, need }));
        }
        for free in &self.free {
            let (low, high) = free.limits;
            let path = format!("free.{}", free.path);
            if low >= high || !(low..=high).contains(&free.start) {
                let interval = format!("[{low}, {high}], its limits, where the search begins");
                return Err(Invalid::new(path, Problem::OutOfRange { value: free.start, interval }));
            }
        }
        Ok(())
    }
}
