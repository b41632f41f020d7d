//! What can be wrong with an inverse job, and what is to be told of its targets, with codes and words.

use crate::fault_text::{FaultText, did_you_mean, list, words};
use crate::number::{significant, with_unit};
use lissome_solve::EventKind;
use lissome_solve::inverse::End;

/// What is wrong with an inverse job, or worth telling of it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum InverseFault {
    UnknownOutput {
        name: String,
        known: Vec<String>,
    },
    StandsStill {
        name: String,
    },
    NoTargets,
    NothingFree {
        known: Vec<String>,
    },
    MoreTargets {
        numbers: usize,
        drives: usize,
    },
    Missed {
        name: String,
        gap: f64,
        unit: &'static str,
        at: f64,
        count: usize,
        end: End,
        event: Option<EventKind>,
        limits: Vec<String>,
    },
    Unmoved {
        name: String,
    },
    NotSought {
        kind: &'static str,
    },
}

impl InverseFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownOutput { .. } => "E0731",
            Self::StandsStill { .. } => "E0732",
            Self::NoTargets => "E0733",
            Self::NothingFree { .. } => "E0734",
            Self::MoreTargets { .. } => "W0731",
            Self::Missed { .. } => "W0732",
            Self::Unmoved { .. } => "W0733",
            Self::NotSought { .. } => "W0734",
        }
    }

    /// The words for people.
    pub(crate) fn text(&self) -> FaultText {
        match self {
            Self::UnknownOutput { name, known } => words(
                format!("nothing here is called `{name}`"),
                format!("this target can be of: {}", list(known)),
                did_you_mean(name, known, || {
                    "name a tendon, cable or spring, or `ROD.base` and `ROD.tip` for a force".into()
                }),
            ),
            Self::StandsStill { name } => words(
                format!("target `{name}` is of the world, which stands still"),
                "no drive moves it",
                "name a rod, a body or a joint in `of`",
            ),
            Self::NoTargets => words(
                "an inverse job needs something to aim at",
                "the scene has no [target.NAME]",
                "write [target.tip] with `of = \"ROD\"` and `position = [x, y, z]`",
            ),
            Self::NothingFree { known } => words(
                "an inverse job needs drives that it may change",
                format!("[free] is missing or empty; what can be driven: {}", list(known)),
                "write [free] with a line such as \"arm.tension\" = { max = \"20 N\" }",
            ),
            Self::MoreTargets { numbers, drives } => words(
                format!("the targets ask for {numbers} numbers, and {drives} drives are free"),
                "in general not all of them can be met; the nearest point is looked for",
                "give `weight` to what matters more, leave axes open with \"any\", or free more drives",
            ),
            Self::Missed { name, gap, unit, at, count, end, event, limits } => {
                let gap = if *unit == "1" { significant(*gap, 4) } else { with_unit(*gap, unit) };
                let more = match count {
                    1 => String::new(),
                    count => format!("; {count} samples miss a target"),
                };
                let reason = match end {
                    End::BranchEnds => match event {
                        Some(EventKind::Fold) => {
                            "on the way there is a fold: the equilibrium ends, and the robot would snap"
                        }
                        Some(EventKind::Bifurcation) => {
                            "on the way the equilibrium loses its stability at a bifurcation"
                        }
                        _ => "on the way the equilibrium ends or loses its stability: the robot would snap",
                    },
                    End::Unfinished => "the rounds allowed were used up before it was met",
                    End::Stopped => "the search was stopped",
                    _ => "no change of the free drives brings the robot nearer",
                };
                let held = match limits.is_empty() {
                    true => String::new(),
                    false => format!("; at their limits: {}", list(limits)),
                };
                let help = match end {
                    End::Unfinished => "raise `job.max_iterations`, or begin nearer with a value in [drive]",
                    _ => "the answer is the nearest point found; move the target, widen limits, or free more drives",
                };
                words(
                    format!("target `{name}` is missed by {gap} at {}{more}", significant(*at, 6)),
                    format!("{reason}{held}"),
                    help,
                )
            }
            Self::Unmoved { name } => words(
                format!("no free drive moves target `{name}`"),
                "its derivatives by all of them are zero there",
                "free a drive that acts on it, or remove the target",
            ),
            Self::NotSought { kind } => words(
                "targets and free drives play no part",
                format!("`kind = \"{kind}\"` takes the drives as they are given"),
                "write `kind = \"inverse\"` to look for drives",
            ),
        }
    }
}
