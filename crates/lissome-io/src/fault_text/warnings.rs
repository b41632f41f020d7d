//! The words for warnings: what is possible but hardly meant.

use super::outcome::parameter;
use super::{FaultText, list, words};
use crate::fault::Fault;
use crate::moment::Moment;
use crate::number::{significant, with_unit};
use lissome_solve::EventKind;

impl Fault {
    pub(crate) fn text_of_warnings(&self) -> FaultText {
        match self {
            Self::UnusedMaterial { name } => {
                words(format!("nothing is made of `{name}`"), "not used", "remove it, or name it in a rod")
            }
            Self::DrivesStandStill { kind } => words(
                "the drives stay where they begin",
                format!("`kind = \"{kind}\"` computes one state, at time 0"),
                "write `kind = \"path\"` or `kind = \"dynamics\"` to follow them",
            ),
            Self::KeysSetAside { keys, kind } => words(
                format!("{} set aside", list(keys)),
                format!("`job.kind={kind}` on the command line replaces the file's job, to which they belong"),
                "give keys of the new job on the command line too",
            ),
            Self::UnusedVelocity => words(
                "this velocity plays no part",
                "only a motion begins with a velocity",
                "write `kind = \"dynamics\"` in the job, or remove it",
            ),
            Self::BodiesOverlap { pairs } => words(
                format!("bodies stand in each other at the end of the path: {}", list(pairs)),
                "nothing in the scene keeps them apart, and they did not overlap at its beginning",
                "stop the path earlier, or give the joints limits",
            ),
            Self::IdleSpring { name } => words(
                format!("spring `{name}` does nothing"),
                "its stiffness and damping are zero",
                "give it a stiffness or a damping, or remove it",
            ),
            Self::SharedHole { name, other, s } => words(
                format!("tendons `{name}` and `{other}` run through one hole at {}", with_unit(*s, "m")),
                "their pulls add up there, and what holds them apart is not described",
                "give them different angles, or make them one tendon",
            ),
            Self::UnguidedTendon { name, distance, radius, s } => words(
                format!("nothing guides tendon `{name}` outside its rod"),
                format!(
                    "it runs {} from the axis at {}, where the rod's radius is {}",
                    with_unit(*distance, "m"),
                    with_unit(*s, "m"),
                    with_unit(*radius, "m")
                ),
                "give `disks`, or check the unit of its radius",
            ),
            Self::RestitutionOfRods { rods } => words(
                "rods do not bounce by a restitution",
                format!("it acts on bodies only; rod(s) {} keep what their own elasticity gives back", rods.join(", ")),
                "leave it out if only rods touch something, or give the rods less `damping`",
            ),
            Self::TwistedRod { rod, twist, roll } => words(
                format!("rod `{rod}` is twisted by {:.0}° between its ends at rest", twist.to_degrees().abs()),
                "its ends say where they point, and not how they are rolled about that direction",
                format!(
                    "add `roll = \"{} deg\"` to its tip to align them, or `roll = 0` if the twist is meant",
                    crate::number::significant(roll.to_degrees(), 5)
                ),
            ),
            Self::ImplausibleModulus { value } => words(
                "unusual stiffness for a material",
                format!("{value:.3e} Pa; gels have about 1e3, diamond 1e12"),
                "check the unit",
            ),
            Self::ImplausibleDensity { value } => words(
                "unusual density for a material",
                format!("{value:.3e} kg/m^3; foams have about 10, osmium 22600"),
                "check the unit",
            ),
            Self::ImplausibleGravity { value } => {
                words("unusual gravity", format!("{value:.3e} m/s^2"), "on Earth it is [0, 0, -9.81]")
            }
            Self::StockyRod { length, radius } => words(
                "this rod is hardly slender",
                format!("length {length} m, radius {radius} m: rod theory is doubtful below a ratio of 2"),
                "check the units of length and radius",
            ),
            Self::TightCurvature { curvature, radius } => words(
                "this rod is curved more tightly than its own radius",
                format!("bend radius {:.3e} m, rod radius {radius:.3e} m", 1.0 / curvature),
                "check the unit of the curvature",
            ),
            Self::LargeTurn { angle } => words(
                "two neighbouring control poses turn far",
                format!("by {angle:.2} rad; beyond π/2 the spline between them is coarse"),
                "put a control pose between them",
            ),
            Self::PolygonLength { polygon, length } => words(
                "the control poses do not fit the length",
                format!("their polygon is {polygon:.4} m long, the rod {length:.4} m"),
                "the shape is then stretched all along; make the two agree",
            ),
            Self::NoLoad { name } => {
                words(format!("load `{name}` is zero"), "no effect", "give a force or a moment, or remove it")
            }
            Self::PrintedFormLocks { slenderness } => words(
                "the printed form locks on slender rods",
                format!("length over radius is {slenderness:.0}"),
                "use form = \"mixed\" unless you compare with the paper",
            ),
            Self::Unstable { negative_directions } => words(
                format!("this equilibrium is unstable in {negative_directions} direction(s)"),
                "a real rod would leave it",
                "look for another equilibrium with a small side load",
            ),
            Self::PathUnstable { at, count } => words(
                format!("{count} sample(s) of the path are unstable, the first at {}", parameter(*at)),
                "a real robot would leave such an equilibrium",
                "look for another branch with a small side load",
            ),
            Self::BranchUnfinished { branch, at, lost: true } => words(
                format!("branch {branch} of the path was lost at {}", parameter(*at)),
                "no step along it, however short, led to a neighbouring equilibrium",
                "divide the rods more finely (`tolerance`), or look whether a cable falls slack or a limit is met there",
            ),
            Self::BranchUnfinished { branch, at, lost: false } => words(
                format!("branch {branch} of the path goes on beyond {}", parameter(*at)),
                "it has had as many steps as `max_steps` allows",
                "raise `max_steps` or `longest_step` in the job, or narrow the range of the drives",
            ),
            Self::PathEvent { kind, at, drive, energies, moved } => {
                let place = match drive {
                    Some((path, value)) => format!("{path} = {} ({})", significant(*value, 6), parameter(*at)),
                    None => parameter(*at),
                };
                let what = match kind {
                    EventKind::Fold => "the branch of equilibria ends in a fold",
                    EventKind::Bifurcation => "the equilibrium changes its stability at a bifurcation",
                    EventKind::Snap => "the robot snaps to another equilibrium",
                };
                words(
                    format!("{}: {what} at {place}", kind.name()),
                    match energies.1 {
                        Some(after) => format!(
                            "the path goes on from another equilibrium: energy {} before, {} after; moved by {} of the length or rad",
                            with_unit(energies.0, "J"),
                            with_unit(after, "J"),
                            significant(*moved, 2)
                        ),
                        None => "the path ends there".into(),
                    },
                    "write `on_event = \"stop\"` in the job to end the path there",
                )
            }
            Self::BranchLeft { kind, load_factor, energies } => {
                let part = significant(*load_factor, 6);
                let (message, reason) = match kind {
                    EventKind::Bifurcation => (
                        format!(
                            "the unloaded branch lost its stability at load factor {part}; this is the buckled branch"
                        ),
                        "the robot buckles there, to one side or another: this is one of several equilibria",
                    ),
                    EventKind::Fold => (
                        format!(
                            "the branch from the unloaded robot ends in a fold at load factor {part}; this is another"
                        ),
                        "loaded slowly, the robot snaps there, and may come to rest elsewhere",
                    ),
                    EventKind::Snap => (
                        format!("the branch from the unloaded robot was left at load factor {part}; this is another"),
                        "loaded slowly, the robot may come to rest elsewhere",
                    ),
                };
                let energy = format!("; energy {} there", with_unit(energies.0, "J"));
                words(
                    message,
                    format!("{reason}{energy}"),
                    "follow the load with `kind = \"path\"` to see how it gets there",
                )
            }
            Self::Flutters { words: what } => words(
                format!("this equilibrium is stable against divergence, but {what}"),
                "its loads have no potential: they feed this motion, and a real robot would leave the equilibrium",
                "reduce the loads, or look at the motion with `kind = \"modes\"` or `kind = \"dynamics\"`",
            ),
            Self::CoarseMode { mode, error, open } => words(
                match error.is_finite() {
                    true => format!(
                        "the frequency of mode {mode} may be off by about {} of it",
                        crate::number::significant(*error, 2)
                    ),
                    false => format!("nothing tells how far the frequency of mode {mode} may be off"),
                },
                match error.is_finite() {
                    true => "with twice as many spans it would change that much",
                    false => "with twice as many spans there is no equilibrium near this one, or it has fewer modes",
                },
                match open {
                    true => "look whether the equilibrium is nearly unstable, or give a larger `tolerance`",
                    false => "leave the spans of the rods out for as many as the modes need, or give a `tolerance`",
                },
            ),
            Self::Coarse { rod, error, tolerance, at } => {
                let place = match at {
                    Some(Moment::Parameter(at)) => format!(" at {}", parameter(*at)),
                    Some(Moment::Time(time)) => format!(" at {}", with_unit(*time, "s")),
                    None => String::new(),
                };
                let what = match error.is_finite() {
                    true => {
                        let error = crate::number::significant(*error, 2);
                        format!("rod `{rod}` may be off by about {error} of its length, or rad{place}")
                    }
                    false => format!("nothing tells how far rod `{rod}` may be off{place}"),
                };
                let why = match (error.is_finite(), tolerance) {
                    (false, _) => "with twice as many spans there is no equilibrium near this one".into(),
                    (true, Some(tolerance)) => format!("more spans did not bring it to its tolerance of {tolerance:e}"),
                    (true, None) => "with twice as many spans it would move that far".into(),
                };
                let help = match tolerance {
                    Some(_) => "look whether it is nearly unstable, or give a larger `tolerance`",
                    None => "leave its spans out for as many as 1e-5 needs, or give a `tolerance`",
                };
                words(what, why, help)
            }
            Self::SchemeLoss { loss, part } => words(
                format!("the time scheme has dissipated {}", crate::number::with_unit(*loss, "J")),
                format!("{:.1} % of the energy that was exchanged; the real motion would keep it", 100.0 * part),
                "give a shorter step or a smaller `tolerance`, or `scheme = \"conserving\"`",
            ),
            // Every other variant is worded in one of the functions above.
            other => words(format!("{other:?}"), "", "see docs/reference/errors.md"),
        }
    }
}
