//! How long the next step of a search may be: it is damped, or aims at a part of the way to the targets, or takes a share of the way
//! to less effort.

use super::stepping::Refusal;

/// Part of the predicted decrease above which damping is taken back.
const GOOD_GAIN: f64 = 0.5;
/// The same after a longer step was refused.
const BEST_GAIN: f64 = 0.9;
/// The first damping, the factors on it, and where it ends.
pub(super) const FIRST_DAMPING: f64 = 1e-3;
pub(super) const MORE_DAMPING: f64 = 8.0;
/// The first where a step is only too long. Columns grow without bound toward a fold, and damping with them: the least that shortens enough is found
/// without a factor.
const FAINT_DAMPING: f64 = 1e-11;
/// The factor where a step is only too long: that is seen without a factor.
const SHORTER: f64 = 2.0;
const LESS_DAMPING: f64 = 0.1;
const LEAST_DAMPING: f64 = 1e-5;
const MOST_DAMPING: f64 = 1e9;
/// A step that was refused is followed by one of at most this part of its size.
const SHRINK: f64 = 0.35;
/// The same where that was foreseen without a factor.
const FORESEEN_SHRINK: f64 = 0.5;
/// Steps that gain at least this part of what they promise may be followed by one that is longer by this factor; those that gain less than the last part, by
/// none that is longer.
const LONGER_GAIN: f64 = 0.75;
const GROW: f64 = 3.0;
const SHORTER_GAIN: f64 = 0.25;
/// The least part of the way to the targets that a step aims at where all of it is too far. Damping would shorten it in what drives do least, and
/// lead along a curved valley; a part of the way keeps its direction.
const LEAST_PART: f64 = 0.1;
/// Steps in a row that left at least this part of the gaps after which a hasty search ends.
const MOST_STALLS: usize = 3;
const STALLED: f64 = 0.95;
/// The least part of the way to less effort that is taken at once.
const LEAST_SHARE: f64 = 0.03;
/// A step of at least this, in the units of the drives, moves on.
const MOVED_ON: f64 = 1e-3;
/// The secant takes part where a step left more than this part of the gaps.
const SLOW: f64 = 0.5;
/// Gaps this small may grow a little again while effort is made less.
pub(super) const FUNNEL: f64 = 1e-4;

/// What the steps so far say of the next one.
#[derive(Clone, Debug)]
pub(super) struct Pace {
    pub damping: f64,
    /// Part of the way to the targets that is aimed at.
    pub part: f64,
    /// Part of the way to less effort that is taken at once.
    pub share: f64,
    /// No step is tried on which a pose moves farther than this, rad or lengths.
    pub longest: f64,
    /// True if the secant takes part.
    pub slow: bool,
    /// True if the branch was lost since the robot last moved on.
    pub lost: bool,
    /// Steps in a row that gained little.
    stalls: usize,
    /// True if a step was refused since the robot last moved on.
    refused: bool,
    /// Size of the last step that led to less effort.
    last_move: f64,
}

/// A step that was taken.
pub(super) struct Taken {
    /// Norms of the gaps before the step and behind it.
    pub before: f64,
    pub left: f64,
    /// By how much the square of the first should have become less.
    pub promised: f64,
    /// Gaps below this may grow again within bounds.
    pub funnel: f64,
    /// True if the targets leave drives open.
    pub undetermined: bool,
    /// True if the secant foretold the gaps better.
    pub curves: bool,
    /// How far the farthest pose went, rad or lengths.
    pub length: f64,
    /// Largest change of a drive, in the units of the drives, of a whole share.
    pub size: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            damping: 0.0,
            part: 1.0,
            share: 1.0,
            longest: f64::INFINITY,
            slow: false,
            lost: false,
            stalls: 0,
            refused: false,
            last_move: f64::INFINITY,
        }
    }
}

impl Pace {
    /// True if so many steps gained hardly anything that a hasty search ends.
    pub fn is_stalled(&self) -> bool {
        self.stalls >= MOST_STALLS
    }

    /// True if a step may aim at a part of the way, where all targets can be met.
    pub fn goes_in_parts(&self) -> bool {
        self.part >= LEAST_PART && !self.slow
    }

    /// True if there is nothing shorter to try.
    pub fn is_exhausted(&self) -> bool {
        self.damping > MOST_DAMPING
    }

    /// After a step that was taken.
    pub fn after(&mut self, step: &Taken) {
        let Taken { before, left, promised, funnel, undetermined, curves, length, size } = *step;
        let gain = (before * before - left * left) / promised.max(f64::MIN_POSITIVE);
        self.slow = left > SLOW * before && left > FUNNEL && curves;
        if left < funnel {
            // Damping would hold what the targets leave open; there effort is approached by shares. And gaps may grow within
            // bounds: that says nothing against long steps.
            (self.damping, self.longest) = (0.0, f64::INFINITY);
        } else {
            if gain > GOOD_GAIN && (!self.refused || gain > BEST_GAIN) {
                let less = self.damping * LESS_DAMPING;
                self.damping = if less < LEAST_DAMPING { 0.0 } else { less };
            }
            if gain > LONGER_GAIN {
                self.longest = self.longest.max(GROW * length);
            } else if gain < SHORTER_GAIN {
                self.longest = self.longest.min(length);
            }
        }
        (self.refused, self.part) = (false, 1.0);
        self.stalls = if left > STALLED * before && left > funnel { self.stalls + 1 } else { 0 };
        // Effort goes down along a curved valley: shorter steps where they do not shrink by themselves.
        if left < funnel && undetermined {
            self.share =
                if size < self.last_move { 2.0 * self.share } else { 0.5 * self.share }.clamp(LEAST_SHARE, 1.0);
            self.last_move = size;
        }
        self.lost &= size < MOVED_ON;
    }

    /// Takes a smaller share of the way to less effort, if there is one to take.
    pub fn takes_smaller_share(&mut self) -> bool {
        let smaller = self.damping == 0.0 && self.share > LEAST_SHARE;
        if smaller {
            self.share *= 0.5;
        }
        smaller
    }

    /// After the search went back to where a step with that damping had begun, which had left the branch.
    pub fn back(&mut self, damping: f64) {
        (self.damping, self.lost) = (MORE_DAMPING * f64::max(damping, FIRST_DAMPING), true);
    }

    /// After a step of that length, rad or lengths, that was refused.
    pub fn after_refusal(&mut self, refusal: Refusal, in_parts: bool, length: f64) {
        // Seen without a factor.
        let cheap = matches!(refusal, Refusal::TooLong | Refusal::Foreseen);
        self.lost |= refusal == Refusal::Lost;
        if in_parts {
            self.part *= if cheap { 0.5 } else { 0.25 };
            return;
        }
        if refusal == Refusal::Foreseen {
            self.longest = FORESEEN_SHRINK * length;
        } else if !cheap {
            (self.refused, self.longest) = (true, SHRINK * length);
        }
        self.damping = match refusal {
            Refusal::TooLong if self.damping < FIRST_DAMPING => f64::max(self.damping * MORE_DAMPING, FAINT_DAMPING),
            _ if self.damping == 0.0 => FIRST_DAMPING,
            _ => self.damping * if cheap { SHORTER } else { MORE_DAMPING },
        };
    }
}
