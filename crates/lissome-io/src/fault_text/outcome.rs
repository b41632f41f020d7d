//! The text of what comes of the work: outcomes of solves and motions, files, warnings.

use super::{FaultText, did_you_mean, list, words};
use crate::fault::Fault;
use crate::files::FOLDER_OF_RUN;
use crate::number::{length, significant, with_unit};

impl Fault {
    pub(super) fn text_of_work(&self) -> FaultText {
        match self {
            Self::NotConverged { load_factor, residual, iterations } => words(
                format!("statics found no equilibrium (reached load {load_factor:.2} of 1.00)"),
                match *load_factor > 0.0 {
                    true => format!(
                        "{iterations} iterations; the shape written is the last equilibrium, at that part of the load"
                    ),
                    false => {
                        format!("residual {residual:.1e} after {iterations} iterations; the shape written is the start")
                    }
                },
                "try more spans, a smaller load, or a larger `job.max_iterations`",
            ),
            Self::NoShape { residual } => words(
                "found no shape between these ends",
                format!("where the search stood, the ends were missed by {} of the length", significant(*residual, 2)),
                "try `method = \"exact\"`, more `segments`, another `winding` or `stretching = true`; near a fold move an end a little",
            ),
            Self::Fold { load_factor, rod, s } => words(
                format!(
                    "statics stopped at load {load_factor:.2} of 1.00: fold (tangent stiffness lost rank at s = {} of `{rod}`)",
                    length(*s)
                ),
                "this is physics: the rod snaps or buckles here",
                "reduce the load below this fraction, or stiffen the rod",
            ),
            Self::TimeLimit { seconds, load_factor } => words(
                format!("stopped by the limit of {seconds} s at load {load_factor:.2} of 1.00"),
                "the last iterate is kept",
                "give a larger --limit, or fewer spans",
            ),
            Self::Interrupted { load_factor } => words(
                format!("interrupted at load {load_factor:.2} of 1.00"),
                "the last iterate is kept",
                "run again to finish",
            ),
            Self::PathNotConverged { at, done, of, residual } => words(
                format!("the path stopped at {} with {done} of {of} samples: no equilibrium found", parameter(*at)),
                format!("the last sample written is the equilibrium there, residual {residual:.1e}"),
                "try more samples, more spans, or a larger `job.max_iterations`",
            ),
            Self::PathFold { at, done, of, rod, s } => {
                let place = match rod.is_empty() {
                    true => String::new(),
                    false => format!(" (the motion grows at s = {} of `{rod}`)", length(*s)),
                };
                words(
                    format!("the path stopped at {} with {done} of {of} samples: fold{place}", parameter(*at)),
                    "this is physics: the robot snaps or buckles here",
                    "end the drives before this, or stiffen the robot",
                )
            }
            Self::PathTimeLimit { seconds, at, done, of } => words(
                format!("the path was stopped by the limit of {seconds} s at {}", parameter(*at)),
                format!("{done} of {of} samples are kept"),
                "give a larger --limit, or fewer samples",
            ),
            Self::PathInterrupted { at, done, of } => words(
                format!("the path was interrupted at {}", parameter(*at)),
                format!("{done} of {of} samples are kept"),
                "run again to finish",
            ),
            Self::Loose { parts } => words(
                format!("nothing resists a motion of {}", quoted(parts)),
                "so there is no single equilibrium to find; the shape written is the last iterate",
                "hold it, give its joint a stiffness, or drive it",
            ),
            Self::Redundant { parts } => words(
                format!("{} say the same twice", quoted(parts)),
                "what each of them carries cannot be known; the shape written is the last iterate",
                "take one of them out, or give it a joint that leaves the freedom",
            ),
            Self::Contradictory { parts } => words(
                format!("{} cannot all be met", quoted(parts)),
                "the loops that they close do not fit together; the shape written is the last iterate",
                "check the frames of both sides, the lengths, or give one a joint",
            ),
            Self::PointsMeet { parts, load_factor } => words(
                format!("the points that {} draws together meet at load {load_factor:.3} of 1.000", quoted(parts)),
                "a tension between points that have met has no direction; the shape written is the last equilibrium before",
                "reduce the tension below this part, or let it pull elsewhere",
            ),
            Self::TendonClosed { tendon, rod, s } => words(
                format!("`{tendon}` closes up at {} along `{rod}`", with_unit(*s, "m")),
                "on the inside of the bend its holes have met: T d² is more than the bending stiffness there, and no smooth \
                 shape is left; the shape written is the last iterate",
                "reduce the tension, bring the tendon nearer to the axis, or give the rod more bending stiffness",
            ),
            Self::MotionStopped { massless, .. } if !massless.is_empty() => words(
                "the motion cannot begin",
                format!("{} without mass: no force tells how fast it moves", quoted(massless)),
                "give it `mass` and `inertia`, or a `density` and a `shape`; mount it on something that has them",
            ),
            Self::MotionStopped { time, step, place, reason, .. } => words(
                format!("the motion stopped at {time:.6} s{}", at_place(place)),
                format!("{reason}; the shortest step tried was {step:.2e} s. Everything until then is kept"),
                "look at the report just before that time; a finer `tolerance`, more spans or some damping may help",
            ),
            Self::BalanceBroken { time, missing, allowed } => words(
                format!("the motion gained {} from nowhere", with_unit(*missing, "J")),
                format!(
                    "its energy balance rose most by {}; {} would be allowed. The states written are not to be trusted",
                    with_unit(*time, "s"),
                    with_unit(*allowed, "J")
                ),
                "look at the energies in the report; try a shorter step, a smaller `tolerance`, or `scheme = \"robust\"`",
            ),
            Self::RanThrough { time, pair, depth } => words(
                format!("at {time:.6} s {} ran through each other", pair.replace(' ', " and ")),
                format!(
                    "{} deep, between two of the points that keep them apart; what came after that is not to be trusted",
                    with_unit(*depth, "m")
                ),
                "give the rod spans no longer than what it touches is thick, or lay a thin `capsule` along what it meets: what is round, and \
                 straight edges at which sides turn by 30 degrees, hold a rod wherever it crosses them",
            ),
            Self::MotionLimit { seconds, time, duration } => words(
                format!("stopped by the limit of {seconds} s at {time:.6} s of {duration} s"),
                "everything until then is kept",
                "go on with `lissome run --resume` and the run's folder",
            ),
            Self::MotionInterrupted { time, duration } => words(
                format!("interrupted at {time:.6} s of {duration} s"),
                "everything until then is kept",
                "go on with `lissome run --resume` and the run's folder",
            ),
            Self::CutShort { seconds } => words(
                format!("stopped after {seconds:.1} s in the middle of one step of the work"),
                "there was nothing to keep yet, and nothing was written",
                "run again with more time; `lissome check` tells how large the scene is",
            ),
            Self::CannotResume { path, reason } => words(
                format!("cannot go on with `{path}`"),
                *reason,
                "run the scene again from the beginning, or resume a run without changing it",
            ),
            Self::NothingToShow { path, format } => words(
                format!("`{path}` holds no shape to turn into {format}"),
                "there is no equilibrium in it, or its numbers are not finite",
                "export csv or npz to see what was found, and mend the scene",
            ),
            Self::BadMesh { path, line, reason } => words(
                match line {
                    Some(line) => format!("`{path}` is no usable mesh: line {line}"),
                    None => format!("`{path}` is no usable mesh"),
                },
                reason,
                "give a closed surface of triangles that face outward, as STL or OBJ",
            ),
            Self::NotFound { path, nearest } => words(
                format!("there is no file `{path}`"),
                "",
                match nearest {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "check the path; `lissome new rod FILE` writes a scene to start from".into(),
                },
            ),
            Self::CannotRead { path, reason } if reason == FOLDER_OF_RUN => words(
                format!("cannot read `{path}`"),
                reason,
                format!(
                    "`lissome run {path}/scene.toml` runs its scene again; `lissome run --resume {path}` goes on with a motion"
                ),
            ),
            Self::CannotRead { path, reason } => {
                words(format!("cannot read `{path}`"), reason, "check that it is a file you may read")
            }
            Self::CannotWrite { path, reason } => words(
                format!("cannot write `{path}`"),
                reason,
                "check the folder, its permissions and the space left; nothing was left half-written",
            ),
            Self::AlreadyThere { path } => words(
                format!("`{path}` is already there and is not a lissome run"),
                "",
                "choose another name, or remove it first",
            ),
            Self::NotARun { path } => words(
                format!("`{path}` is not a run folder"),
                "it has no readable manifest.json of a run; the rows of a sweep are in its table.csv",
                "give the folder that `lissome run` wrote, such as arm.run",
            ),
            Self::DamagedRun { path, reason } => {
                words(format!("`{path}` is damaged"), reason, "run the scene again; its scene.toml is in the folder")
            }
            Self::UnknownTemplate { name, known } => words(
                format!("no scene is called `{name}`"),
                format!("there are: {}", list(known)),
                did_you_mean(name, known, || "see `lissome new --list`".into()),
            ),
            Self::UnknownCase { pattern, known } => words(
                format!("no case matches `{pattern}`"),
                format!("there are: {}", list(known)),
                did_you_mean(pattern, known, || "give part of a case's name".into()),
            ),
            Self::NotOurs { path, names, more } => words(
                format!("`{path}` holds files that lissome did not write, or that were changed since"),
                format!("{}{}", quoted(names), if *more > 0 { format!(" and {more} more") } else { String::new() }),
                "move them elsewhere, or choose another folder with --out; `export` replaces them with --force",
            ),
            Self::FileThere { path } => {
                words(format!("`{path}` is already there"), "", "choose another name; nothing is written over a file")
            }
            Self::UnknownFormat { name, known } => {
                let known: Vec<String> = known.iter().map(|k| (*k).to_owned()).collect();
                words(
                    format!("cannot export to `{name}`"),
                    format!("formats: {}", list(&known)),
                    did_you_mean(name, &known, || "write for instance --to csv,npz,svg".into()),
                )
            }
            Self::Sweep(fault) => fault.text(),
            Self::Derivative(fault) => fault.text(),
            Self::Inverse(fault) => fault.text(),
            Self::Fit(fault) => fault.text(),
            Self::Observe(fault) => fault.text(),
            Self::Optimise(fault) => fault.text(),
            _ => self.text_of_warnings(),
        }
    }
}

/// `, at …` if the place is known.
fn at_place(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(", at {place}") }
}

/// Names in a row.
fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A value of the parameter of a path.
pub(super) fn parameter(at: f64) -> String {
    format!("parameter {}", significant(at, 4))
}
