//! What can be wrong with an observation, and what is to be told of it, with codes and words.

use crate::fault_text::{FaultText, words};
use crate::held_shares;
use crate::number::{significant, with_unit};

/// What is wrong with an observation, or worth telling of it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ObserveFault {
    BadTable { reason: String },
    UnknownColumn { name: String, nearest: Option<String> },
    UnknownUnknown { path: String, nearest: Option<String> },
    GivenUnknown { path: String, column: String },
    BadNoise { text: String, reason: String },
    NothingMoves { names: Vec<String> },
    FewerData { numbers: usize, unknowns: usize, time: f64 },
    NotFound { time: f64, count: usize },
    Limit { seconds: f64, done: usize, of: usize },
    Interrupted { done: usize, of: usize },
    Outlier { name: String, time: f64, surprise: f64, count: usize },
    Misfit { misfit: f64, freedom: f64, time: f64, count: usize },
    Blind { directions: Vec<String>, time: f64 },
    NotLeast { time: f64, count: usize },
    Unseen { time: f64, count: usize },
    Coarse { rod: String, error: f64 },
    NeedlessNoise,
    HeldShares { tendons: Vec<String> },
}

const HOW: &str = "columns are `time`, places such as arm.at(0.12).position.x, arm.tip.position.z (mm) or plate.quat_wxyz.w, and drives such as a.tension";

impl ObserveFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadTable { .. } => "E0751",
            Self::UnknownColumn { .. } => "E0752",
            Self::UnknownUnknown { .. } => "E0753",
            Self::GivenUnknown { .. } => "E0750",
            Self::BadNoise { .. } => "E0754",
            Self::NothingMoves { .. } => "E0755",
            Self::FewerData { .. } => "E0756",
            Self::NotFound { .. } => "E0757",
            Self::Limit { .. } => "E0758",
            Self::Interrupted { .. } => "E0759",
            Self::Outlier { .. } => "W0751",
            Self::Misfit { .. } => "W0752",
            Self::Blind { .. } => "W0753",
            Self::NotLeast { .. } => "W0754",
            Self::Unseen { .. } => "W0755",
            Self::Coarse { .. } => "W0756",
            Self::NeedlessNoise => "W0757",
            Self::HeldShares { .. } => "W0758",
        }
    }

    /// The words for people.
    pub(crate) fn text(&self) -> FaultText {
        let at = |time: f64| format!("at {}", significant(time, 6));
        let more = |count: usize| if count > 1 { format!("; {count} in all") } else { String::new() };
        match self {
            Self::BadTable { reason } => words("this is no table of markers", reason, HOW),
            Self::UnknownColumn { name, nearest } => words(
                format!("nothing here is called `{name}`"),
                HOW,
                nearest.as_ref().map_or_else(
                    || "name a rod with its place, a body, or the frame of a joint".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                ),
            ),
            Self::UnknownUnknown { path, nearest } => words(
                format!("`{path}` cannot be unknown"),
                "unknown can be the force or the moment of a load, a force or a moment at a place of a rod, and what drives forces",
                nearest.as_ref().map_or_else(
                    || {
                        "write load.tip.force, load.tip.force.z, arm.at(0.1).force, or a tension such as a.tension"
                            .to_owned()
                    },
                    |near| format!("did you mean `{near}`?"),
                ),
            ),
            Self::GivenUnknown { path, column } => words(
                format!("`{path}` cannot be unknown while the table gives `{column}`"),
                "the column says how large it is in each frame, or how large the load is that it is a part of",
                "leave the column out, or name another unknown",
            ),
            Self::BadNoise { text, reason } => words(
                format!("`{text}` is no noise of markers"),
                reason,
                "write --noise \"0.5 mm\" for positions, --noise \"1 deg\" for rotations, --noise \"arm.tip=0.2 mm\" for one marker",
            ),
            Self::NothingMoves { names } => words(
                "no marker can tell anything of the shape",
                format!("they sit on what cannot move: {}", names.join(", ")),
                "measure places that move when the robot bends",
            ),
            Self::FewerData { numbers, unknowns, time } => words(
                format!("{numbers} measured numbers cannot tell {unknowns} unknowns, {}", at(*time)),
                "each unknown needs a number of its own at least",
                "measure more places or axes, or name fewer unknowns, such as load.tip.force.z alone",
            ),
            Self::NotFound { time, count } => words(
                format!("no shape was found that the markers agree with, {}{}", at(*time), more(*count)),
                "the robot has no equilibrium near them, or they are not where their columns say",
                "look at the units and places of the columns; state the noise with --noise; name loads that bend the robot with --unknown",
            ),
            Self::Limit { seconds, done, of } => words(
                format!("stopped by the limit of {seconds} s after {done} of {of} frames"),
                "the frames until then are kept",
                "allow more time with --limit",
            ),
            Self::Interrupted { done, of } => words(
                format!("interrupted after {done} of {of} frames"),
                "the frames until then are kept",
                "run it again for all",
            ),
            Self::Outlier { name, time, surprise, count } => words(
                format!("marker `{name}` contradicts the others and was left out, {}{}", at(*time), more(*count)),
                format!("χ² {} of its distance from what they say", significant(*surprise, 4)),
                "look at the measurement; --keep-outliers takes it as it is",
            ),
            Self::Misfit { misfit, freedom, time, count } => words(
                format!(
                    "the markers lie farther from the robot than their noise allows, {}{}",
                    at(*time),
                    more(*count)
                ),
                format!("χ² {} with {} degrees of freedom", significant(*misfit, 4), significant(*freedom, 3)),
                "state a larger --noise, name more unknowns, or correct the scene: bands are too narrow otherwise",
            ),
            Self::Blind { directions, time } => words(
                format!("the markers cannot tell {}, {}", directions.join("; "), at(*time)),
                "no marker moves along that direction; it was left at its start",
                "measure places that it moves, or leave it out of --unknown",
            ),
            Self::NotLeast { time, count } => words(
                format!("the shape is in balance but not one of least energy, {}{}", at(*time), more(*count)),
                "a small disturbance would lead to another shape that fits the markers",
                "measure more places where the robot bends, so that they decide which way",
            ),
            Self::Unseen { time, count } => words(
                format!("nothing was measured {}{}", at(*time), more(*count)),
                "every marker is missing there",
                "that frame has no shape",
            ),
            Self::Coarse { rod, error } => words(
                format!("rod `{rod}` is divided too coarsely for its bands"),
                format!("more spans would move it by {} of its length or rad", significant(*error, 3)),
                "give its model more spans, or a tolerance",
            ),
            Self::HeldShares { tendons } => held_shares::text(
                tendons,
                "bands and forces are off by such a part",
                "widen bands by it, or compare with a friction of zero",
            ),
            Self::NeedlessNoise => words(
                "no noise was stated, or none above zero: the markers are taken as exact",
                format!(
                    "the robot goes through every one of them, and bands have no width ({} of noise)",
                    with_unit(0.0, "m")
                ),
                "state it with --noise \"0.5 mm\"",
            ),
        }
    }
}
