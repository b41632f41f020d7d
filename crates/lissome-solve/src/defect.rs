//! What is wrong with a robot that has no equilibrium to find: parts that nothing holds, closures that say the same twice
//! or contradict each other.
//!
//! Asked only after a solve has failed. The saddle matrix of the start tells: a pivot that vanishes in a closure's rows
//! means that the other closures decide about them already; one in a body's or joint's rows, that nothing resists it.

use lissome_mech::{CurvatureOf, Input, Inputs, Part, State, System, Workspace};

/// A defect of a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct Defect {
    /// What it is.
    pub kind: DefectKind,
    /// Dotted paths of the parts that take part, the one to mend first.
    pub paths: Vec<String>,
    /// Where it is: a rod by its path, and the arc length, m.
    pub place: Option<(String, f64)>,
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
    /// Two points that these cables or loads draw together meet: a tension between them has no direction any more.
    PointsMeet,
    /// The strands of a tendon on the inside of a bend have met: beyond this tension there is no smooth shape.
    TendonClosed,
}

/// A pivot that lost more than this factor is taken for zero.
const VANISHED: f64 = 1e10;
/// A gap that cannot be closed of more than this, rad or m, is a contradiction.
const OPEN: f64 = 1e-6;

/// A leg of a cable shorter than this part of its natural path has shrunk to nothing.
const SHRUNK: f64 = 0.01;

/// Looks for a defect at the start of a solve that failed. Nothing but the robot itself is to blame, so it is asked without
/// stress and load: a tangent that lost rank under load is no defect. What loads alone hold (a pendulum) is not loose.
pub fn diagnose(system: &System, start: &State, inputs: &Inputs, work: &mut Workspace) -> Option<Defect> {
    system.assemble(start, inputs, CurvatureOf::Increments, work);
    let loaded = system.undetermined(VANISHED, work);
    let mut bare = start.clone();
    bare.linear.iter_mut().for_each(|block| block.fill(0.0));
    system.assemble(&bare, &inputs.with_factor(0.0), CurvatureOf::Increments, work);
    let found = system.undetermined(VANISHED, work);
    let paths: Vec<String> = found.parts.iter().map(|part| system.path_of(*part)).collect();
    if paths.is_empty() || loaded.parts.is_empty() {
        return None;
    }
    let kind = match found.reaction {
        true if found.missed.max(loaded.missed) > OPEN => DefectKind::Contradictory,
        true => DefectKind::Redundant,
        false => DefectKind::Loose,
    };
    Some(Defect { kind, paths, place: None })
}

/// Cables with a leg that has shrunk to nothing, and loads toward a point that they have drawn their frame to, at the last
/// equilibrium of a search that failed.
pub fn points_that_meet(system: &System, last: &State) -> Option<Defect> {
    let kinds = system.kinds();
    let given = kinds.tension_cables.iter().map(|cable| (&cable.path, &cable.law));
    let lengths = kinds.length_cables.iter().map(|cable| (&cable.path, &cable.law));
    let met = given.chain(lengths).filter(|(path, law)| {
        let point = |slot| last.pose(slot).position;
        path.points.windows(2).any(|leg| (point(leg[1]) - point(leg[0])).norm() < SHRUNK * law.natural_length)
    });
    let part = |input| match input {
        Input::Cable(index) => Some(Part::new("cable", index)),
        Input::FrameLoad(index) => Some(Part::new("frame load", index)),
        _ => None,
    };
    let paths: Vec<String> = met.filter_map(|(_, law)| Some(system.path_of(part(law.input)?))).collect();
    (!paths.is_empty()).then_some(Defect { kind: DefectKind::PointsMeet, paths, place: None })
}

/// A tendon that has closed up: its length per length of the rod has shrunk to nothing somewhere.
pub fn closed_tendon(system: &System, state: &State) -> Option<Defect> {
    let (tendon, rod, s) = system.closed_tendon(state)?;
    Some(Defect {
        kind: DefectKind::TendonClosed,
        paths: vec![system.path_of(Part::new("tendon", tendon))],
        place: Some((system.path_of(Part::rod(rod.index())), s)),
    })
}
