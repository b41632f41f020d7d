//! What can be wrong with a derivative that is asked for, with codes and words.

use crate::fault_text::{FaultText, words};

/// What is wrong with a derivative.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum DerivativeFault {
    UnknownOutput { path: String, nearest: Option<String> },
    UnknownInput { path: String, nearest: Option<String> },
    NotANumber { path: String, found: String },
    NotSmooth { path: String, reason: String },
    NoTangent { reason: String },
    Double { path: String, values: [f64; 2] },
    CourseNotSmooth { time: Option<f64>, reason: String },
    NotOfMotion { path: String, reason: String },
    NotResumed,
}

impl DerivativeFault {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownOutput { .. } => "E0721",
            Self::UnknownInput { .. } => "E0722",
            Self::NotANumber { .. } => "E0723",
            Self::NotSmooth { .. } => "E0724",
            Self::NoTangent { .. } => "E0725",
            Self::Double { .. } => "E0726",
            Self::CourseNotSmooth { .. } => "E0727",
            Self::NotOfMotion { .. } => "E0728",
            Self::NotResumed => "E0729",
        }
    }

    /// The words for people.
    pub(crate) fn text(&self) -> FaultText {
        let hint = |nearest: &Option<String>, otherwise: &str| match nearest {
            Some(near) => format!("did you mean `{near}`?"),
            None => otherwise.to_owned(),
        };
        match self {
            Self::UnknownOutput { path, nearest } => words(
                format!("no output is called `{path}`"),
                "outputs are called as the columns of path.csv; poses have `position` and `rotation`, places of rods `ROD.at(S).FIELD`",
                hint(
                    nearest,
                    "name an output such as arm.tip.position, arm.at(0.1).curvature, a.tension or energy.elastic",
                ),
            ),
            Self::UnknownInput { path, nearest } => words(
                format!("the scene has no number `{path}`"),
                "inputs are numbers that the scene file writes, and whatever can be driven, by their dotted paths",
                hint(nearest, "name a number as an override does, such as material.silicone.young or load.tip.force.z"),
            ),
            Self::NotANumber { path, found } => words(
                format!("`{path}` cannot change a little"),
                format!("it is {found}"),
                "derivatives are by numbers that change continuously: lengths, moduli, forces, curvatures, positions",
            ),
            Self::NotSmooth { path, reason } => words(
                format!("there is no derivative by `{path}` here"),
                format!("with a slightly other value {reason}"),
                "move it away from the limit, or let what is tied to it follow (`at = \"tip\"`)",
            ),
            Self::Double { path, values: [first, second] } => words(
                format!("`{path}` has no derivative here"),
                format!(
                    "it is double ({first} and {second}): a change of a number may part the two, each in its own way"
                ),
                "break the symmetry of the robot a little, or look at both with a sweep",
            ),
            Self::CourseNotSmooth { time, reason } => words(
                match time {
                    Some(time) => format!("this motion has no derivatives beyond {time} s"),
                    None => "there are no derivatives here".to_owned(),
                },
                reason,
                "derivatives go along motions in which nothing is hit and nothing rubs, and along paths and of equilibria in which nothing rubs; end it before, \
                 or leave out what is not smooth",
            ),
            Self::NotOfMotion { path, reason } => words(
                format!("`{path}` has no part in the derivatives of a motion"),
                reason,
                "outputs of motions are poses, places along rods, velocities, tensions, lengths and energies; inputs numbers of the robot and its drives",
            ),
            Self::NotResumed => words(
                "a motion with derivatives cannot be resumed",
                "a checkpoint holds the motion, not how it changes with numbers",
                "run it from its beginning, or take `derivatives` out of its scene.toml",
            ),
            Self::NoTangent { reason } => words(
                "there are no derivatives here",
                reason,
                "derivatives need a regular equilibrium found by the program's own equations",
            ),
        }
    }
}
