//! Flutter: a motion about an equilibrium that loads without a potential feed.
//!
//! [`crate::divergence`] sees when a load leaves nothing that resists a motion. A follower load may do so earlier by a motion
//! that swings: two frequencies meet, or damping turns negative, and the swing grows. That depends on the masses, so it is
//! examined on the modes about the equilibrium, the lowest of them.

use crate::branch::Branch;
use crate::dynamics::{Mode, ModesError, modes};
use lissome_mech::{Inputs, State, System};
use std::fmt;

/// The lowest modes that are examined.
pub const EXAMINED: usize = 12;
/// Parts of the way to the largest load at which the modes are looked at before the onset is narrowed down.
const STEPS: usize = 16;
/// Width of the bracket around the onset, relative.
const WIDTH: f64 = 1e-5;

/// What the modes say of an equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// None of the lowest modes grows.
    Stable {
        /// How many were examined.
        modes: usize,
    },
    /// A swing grows.
    Flutters {
        /// Its rate, 1/s.
        growth: f64,
        /// Its frequency, Hz.
        frequency: f64,
    },
    /// A motion grows without swinging.
    Diverges {
        /// Its rate, 1/s.
        growth: f64,
    },
    /// The modes are not known, so flutter is not examined.
    NotExamined(ModesError),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stable { modes } => write!(f, "no flutter among the lowest {modes} modes"),
            Self::Flutters { growth, frequency } => {
                write!(f, "flutters at {frequency:.4} Hz, growing by a factor of e in {:.4} s", 1.0 / growth)
            }
            Self::Diverges { growth } => write!(f, "diverges by a factor of e in {:.4} s", 1.0 / growth),
            Self::NotExamined(reason) => write!(f, "flutter is not examined: {reason}"),
        }
    }
}

/// Whether an equilibrium flutters under its loads, or diverges.
pub fn examine(system: &System, state: &State, inputs: &Inputs) -> Verdict {
    match modes(system, state, inputs, EXAMINED) {
        Err(error) => Verdict::NotExamined(error),
        Ok(found) => match fastest(&found) {
            None => Verdict::Stable { modes: found.len() },
            Some(Mode { growth, frequency, .. }) if *frequency > 0.0 => {
                Verdict::Flutters { growth: *growth, frequency: *frequency }
            }
            Some(mode) => Verdict::Diverges { growth: mode.growth },
        },
    }
}

/// The mode that grows fastest, if one does.
fn fastest(found: &[Mode]) -> Option<&Mode> {
    found.iter().filter(|mode| mode.grows()).max_by(|a, b| a.growth.total_cmp(&b.growth))
}

/// What is known of the flutter of an equilibrium whose loads have no potential.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Examination {
    /// What the modes say under the whole loads.
    pub verdict: Verdict,
    /// Load factor from which a motion grows, if one does under the whole loads and the branch begins without loads.
    pub onset: Option<f64>,
}

impl Examination {
    /// True if a motion was found to grow.
    pub fn grows(&self) -> bool {
        matches!(self.verdict, Verdict::Flutters { .. } | Verdict::Diverges { .. })
    }
}

impl fmt::Display for Examination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.verdict, self.onset) {
            (Verdict::Flutters { .. }, Some(factor)) => write!(f, "flutters from load factor {factor:.5}"),
            (Verdict::Diverges { .. }, Some(factor)) => write!(f, "runs away from load factor {factor:.5}"),
            (verdict, _) => write!(f, "{verdict}"),
        }
    }
}

/// Examines an equilibrium for flutter; `None` if its loads have a potential, since no motion is fed then: a minimum of the
/// potential is stable whatever damps it (Kelvin, Tait and Chetaev), friction too, though the forces of what is about to slide follow it.
pub fn examine_loads(system: &System, state: &State, inputs: &Inputs) -> Option<Examination> {
    if system.loads_have_potential() {
        return None;
    }
    let mut found = Examination { verdict: examine(system, state, inputs), onset: None };
    if found.grows()
        && let Ok(search) = onset(system, inputs, 1.0)
    {
        found.onset = search.onset.map(|onset| onset.factor);
    }
    Some(found)
}

/// Where stability is lost as the loads grow.
#[derive(Clone, Debug, PartialEq)]
pub struct Onset {
    /// Load factor at which a motion begins to grow.
    pub factor: f64,
    /// The motion that grows just above it; it swings (flutter) or does not (divergence).
    pub mode: Mode,
}

impl fmt::Display for Onset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (factor, frequency) = (self.factor, self.mode.frequency);
        match frequency > 0.0 {
            true => write!(f, "stable against divergence, flutters from load factor {factor:.5} at {frequency:.4} Hz"),
            false => write!(f, "diverges from load factor {factor:.5}"),
        }
    }
}

/// What was found on the way to a largest load.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Where stability is lost; `None` if it is not on the way.
    pub onset: Option<Onset>,
    /// Load factor up to which the branch was followed.
    pub reached: f64,
}

/// Follows the equilibria from no load to `up_to` times the loads of the inputs and finds where a motion begins to grow.
/// Modes are looked at in sixteen steps: what grows and calms down again within one of them is not seen.
pub fn onset(system: &System, inputs: &Inputs, up_to: f64) -> Result<Search, ModesError> {
    match Branch::unloaded(system, inputs) {
        Some(branch) => onset_on(system, branch, up_to),
        None => Ok(Search { onset: None, reached: 0.0 }),
    }
}

/// The same on a branch that begins without loads; where its watcher asks to stop, nothing was found.
pub fn onset_on(system: &System, mut calm: Branch<'_>, up_to: f64) -> Result<Search, ModesError> {
    let growing = |branch: &Branch<'_>| -> Result<Option<Mode>, ModesError> {
        Ok(fastest(&modes(system, branch.state(), branch.inputs(), EXAMINED)?).cloned())
    };
    if let Some(mode) = growing(&calm)? {
        return Ok(Search { onset: Some(Onset { factor: 0.0, mode }), reached: 0.0 });
    }
    for step in 1..=STEPS {
        let mut ahead = calm.clone();
        let whole = ahead.advance(up_to * step as f64 / STEPS as f64);
        if calm.is_stopped() {
            break;
        }
        if let Some(mut mode) = growing(&ahead)? {
            let mut high = ahead.factor();
            while high - calm.factor() > WIDTH * high && !calm.is_stopped() {
                let mut middle = calm.clone();
                middle.advance(0.5 * (calm.factor() + high));
                match growing(&middle)? {
                    Some(earlier) => (high, mode) = (middle.factor(), earlier),
                    // A branch that does not lead on has nothing to halve.
                    None if middle.factor() <= calm.factor() => break,
                    None => calm = middle,
                }
            }
            let factor = 0.5 * (calm.factor() + high);
            return Ok(Search { onset: Some(Onset { factor, mode }), reached: ahead.factor() });
        }
        calm = ahead;
        if !whole {
            break;
        }
    }
    Ok(Search { onset: None, reached: calm.factor() })
}
