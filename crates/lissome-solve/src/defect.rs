//! What is wrong with a robot that has no equilibrium to find: parts that nothing holds, closures that say the same twice
//! or contradict each other.
//!
//! Asked only after a solve has failed. The saddle matrix of the start tells: a pivot that vanishes in a closure's rows
//! means that the other closures decide about them already; one in a body's or joint's rows, that nothing resists it.

use lissome_mech::{CurvatureOf, Inputs, State, System, Workspace};

/// A defect of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Defect {
    /// What it is.
    pub kind: DefectKind,
    /// Dotted paths of the parts that take part, the one to mend first.
    pub paths: Vec<String>,
}

/// Kinds of defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefectKind {
    /// Nothing resists a motion of these parts.
    Loose,
    /// These closures say the same twice: what each carries cannot be known.
    Redundant,
    /// These closures cannot all be met.
    Contradictory,
}

/// A pivot that lost more than this factor is taken for zero.
const VANISHED: f64 = 1e10;
/// A gap that cannot be closed of more than this, rad or m, is a contradiction.
const OPEN: f64 = 1e-6;

/// Looks for a defect at the start of a solve that failed.
pub fn diagnose(system: &System, start: &State, inputs: &Inputs, work: &mut Workspace) -> Option<Defect> {
    system.assemble(start, inputs, CurvatureOf::Increments, work);
    let found = system.undetermined(VANISHED, work);
    let paths: Vec<String> = found.parts.iter().map(|part| system.path_of(*part)).collect();
    if paths.is_empty() {
        return None;
    }
    let kind = match found.reaction {
        true if found.missed > OPEN => DefectKind::Contradictory,
        true => DefectKind::Redundant,
        false => DefectKind::Loose,
    };
    Some(Defect { kind, paths })
}
