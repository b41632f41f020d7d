//! The text of every [`Fault`] for people: what is wrong, why (beside the caret), and how to mend it.

mod outcome;
mod readable;
mod warnings;
mod words;

use self::readable::readable;
pub use self::words::FaultText;
pub(crate) use self::words::{did_you_mean, list, words};
use crate::fault::{Fault, PathReason};
use crate::number::{vector, with_unit};
use crate::scene::dimension::Dimension;
use lissome_model::Bounds;
use lissome_model::span_limits::SPAN_BYTES;

/// Memory that reading a value takes: 200 bytes for a number of an array, 700 for one in a table of its own.
const VALUE_BYTES: f64 = 400.0;

fn unit_help(expected: Dimension) -> String {
    if expected == Dimension::NONE {
        "write a plain number, such as 0.3".into()
    } else {
        format!("write a number in SI, or with a unit such as {}", expected.example())
    }
}

impl Fault {
    /// The words for people: short, with numbers of few digits.
    pub fn text(&self) -> FaultText {
        let FaultText { message, reason, help } = self.full_text();
        FaultText { message: readable(&message), reason: readable(&reason), help: readable(&help) }
    }

    fn full_text(&self) -> FaultText {
        match self {
            Self::Usage { message } => words(message, "", "see `lissome --help` or docs/reference/cli.md"),
            Self::Syntax { message } => words(
                "this is not TOML",
                message,
                "values look like `key = 1.5`, `key = \"8 mm\"`, `key = [0, 0, 1]`; tables like `[rod.arm]`",
            ),
            Self::NotUtf8 { byte } => {
                words("the file is not text in UTF-8", format!("byte {byte} begins no character"), "save it as UTF-8")
            }
            Self::TooLarge { bytes, limit } => words(
                format!("the file has {bytes} bytes; a scene has at most {limit}"),
                "",
                "long tables are better given by fewer stations; dimensions are linear between them",
            ),
            Self::DuplicateKey => words("this key is given twice", "second time here", "remove one of the two"),
            Self::TooDeep => words("tables or arrays are nested too deeply", "", "a scene needs at most six levels"),
            _ => self.text_of_keys(),
        }
    }

    fn text_of_keys(&self) -> FaultText {
        match self {
            Self::MissingSchema => {
                words("the scene does not say its format", "`schema` is missing", "begin the file with `schema = 1`")
            }
            Self::UnsupportedSchema { found } => words(
                format!("schema {found} is not known to this version"),
                "this program reads schema 1",
                "write `schema = 1`, or use a newer lissome",
            ),
            Self::UnknownKey { key, known } => words(
                format!("unknown key `{key}`"),
                format!("expected one of: {}", list(known)),
                did_you_mean(key, known, || "remove it, or see docs/reference/scene.md".into()),
            ),
            Self::MissingKey { owner, key, example } => {
                words(format!("`{owner}` has no `{key}`"), "needed here", format!("add `{key} = {example}`"))
            }
            Self::UnknownName { family, name, known } => words(
                format!("no {family} is called `{name}`"),
                if known.is_empty() {
                    format!("the scene has no {family}")
                } else {
                    format!("the scene has: {}", list(known))
                },
                did_you_mean(name, known, || format!("add a table `[{family}.{name}]`")),
            ),
            Self::UnknownChoice { value, choices } => {
                let known: Vec<String> = choices.iter().map(|c| (*c).to_owned()).collect();
                words(
                    format!("`{value}` is not one of the choices here"),
                    format!("expected one of: {}", list(&known)),
                    did_you_mean(value, &known, || format!("write \"{}\"", choices.first().unwrap_or(&""))),
                )
            }
            Self::Clash { first, second, reason } => words(
                format!("`{first}` cannot stand beside `{second}`"),
                *reason,
                format!("keep `{first}` or `{second}`, not both"),
            ),
            Self::NoneGiven { owner, choices } => words(
                format!("`{owner}` says too little"),
                format!("expected one of: {}", choices.join(", ")),
                format!("add `{} = …`", choices.first().unwrap_or(&"")),
            ),
            Self::GivenTwice { path, other } => words(
                format!("`{path}` is given twice"),
                format!("`{other}` is the same number, or a part of it"),
                "keep one of the two; a path may be written with or without its family, a component by its letter or its index",
            ),
            Self::NotAnAssignment { argument } => words(
                format!("`{argument}` changes nothing"),
                "expected path=value",
                "write for instance rod.arm.length=\"240 mm\"",
            ),
            Self::NoSuchPath { path, nearest, reason } => words(
                format!("`{path}` is not in the scene"),
                match reason {
                    PathReason::NoSuchThing => "nothing has this name".to_owned(),
                    PathReason::BelowAValue => "the path goes on below a plain value".into(),
                    PathReason::NoSuchIndex { length } => format!("the array has entries 0 to {}", length.max(&1) - 1),
                    PathReason::Incomplete => "the path stops too early".into(),
                },
                match nearest {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "a path names one value, such as rod.arm.length or load.tip.force".into(),
                },
            ),
            Self::BadName { name } => words(
                format!("`{name}` cannot be a name"),
                "names make dotted paths and file names",
                "use up to 64 letters, digits, `-` and `_`, beginning with a letter",
            ),
            Self::UnknownCarrier { name, known } => words(
                format!("nothing called `{name}` can carry this"),
                format!("the scene has: {}", list(known)),
                did_you_mean(name, known, || {
                    "write \"world\", or a BODY, BODY.FRAME, JOINT or ROD of the scene".into()
                }),
            ),
            Self::UnknownToucher { name, known } => words(
                format!("nothing called `{name}` can touch or be touched"),
                format!("the scene has: {}", list(known)),
                did_you_mean(name, known, || "name rods, bodies or obstacles".into()),
            ),
            Self::NameTaken { name, other } => words(
                format!("`{name}` is a name already"),
                format!(
                    "it is that of `{other}`; rods, bodies, joints, closures, cables, tendons, springs and obstacles \
                     share one space of names"
                ),
                "give it another name",
            ),
            Self::LikeCircle { chain } => {
                words("`like` goes round in a circle", chain.join(" is like "), "let one of them stand on its own")
            }
            Self::LikeTooLong { limit } => words(
                format!("this is `like` one that is like another, more than {limit} times in a row"),
                "each link is read again for every member of the chain",
                "let all of them be like the first",
            ),
            Self::NotDrivable { path, known } => words(
                format!("`{path}` cannot be driven"),
                if known.is_empty() {
                    "the scene has nothing to drive".into()
                } else {
                    format!("the scene has: {}", list(known))
                },
                did_you_mean(path, known, || {
                    "write JOINT.COORDINATE, JOINT.torque, JOINT.force, CABLE.tension, CABLE.length, CABLE.pull, \
                     LOAD.scale or world.gravity"
                        .into()
                }),
            ),
            Self::NotPrescribed { path, owner, key } => words(
                format!("`{path}` is driven, but `{owner}` does not prescribe it"),
                format!("`{owner}` has no `{key}`"),
                format!("add `{key} = …` to `[{owner}]`, one entry for each coordinate"),
            ),
            _ => self.text_of_values(),
        }
    }

    fn text_of_values(&self) -> FaultText {
        match self {
            Self::WrongType { expected, found, example } => words(
                format!("must be {expected}"),
                format!("this is {found}"),
                format!("write for instance {example}"),
            ),
            Self::NotFinite { value } => words(
                "is not a finite number",
                if value.is_nan() { "NaN means nothing here" } else { "too large or infinite" },
                "give a finite value",
            ),
            Self::NotPositive { value } => {
                words("must be positive", format!("{value} in SI units"), "give a value above zero")
            }
            Self::Negative { value } => {
                words("must not be negative", format!("{value} in SI units"), "give zero or more")
            }
            Self::OutOfRange { value, interval } => words(
                "is outside the possible range",
                format!("{value} does not lie in {interval}"),
                format!("give a value in {interval}"),
            ),
            Self::Magnitude { value, bounds } => magnitude(*value, bounds),
            Self::WrongDimension { text, found, expected } => words(
                format!("`{text}` has the wrong dimension"),
                format!("this is {}, but {} is wanted", found.name(), expected.name()),
                unit_help(*expected),
            ),
            Self::NoUnit { text, expected } => words(
                format!("`{text}` has no unit"),
                format!("a string carries a unit; {} is wanted", expected.name()),
                unit_help(*expected),
            ),
            Self::UnknownUnit { unit, nearest, expected } => words(
                format!("unknown unit `{unit}`"),
                format!("{} is wanted", expected.name()),
                match nearest {
                    Some(unit) => format!("did you mean `{unit}`?"),
                    None => unit_help(*expected),
                },
            ),
            Self::Unreadable { text, found, expected } => words(
                format!("cannot read `{text}` as {}", expected.name()),
                match found {
                    Some(found) if found.is_empty() => "it ends too early".into(),
                    Some(found) => format!("did not expect `{found}`"),
                    None => "it does not begin with a number".to_owned(),
                },
                unit_help(*expected),
            ),
            Self::WrongCount { found, expected } => {
                words(format!("has {found} entries"), format!("expected {expected}"), format!("give {expected}"))
            }
            Self::NotACount { value } => {
                words("must be a whole number", format!("{value} is not one"), "give a whole number such as 12")
            }
            Self::NoDirection { what } => words(
                format!("is a {what} without direction"),
                "its length is zero",
                "give at least one nonzero component",
            ),
            Self::NotUnitQuaternion { norm } => words(
                "is not a unit quaternion",
                format!("its length is {norm}"),
                "order is [w, x, y, z]; no rotation is [1, 0, 0, 0]",
            ),
            _ => self.text_of_model(),
        }
    }

    fn text_of_model(&self) -> FaultText {
        match self {
            Self::Contradiction { reason, help } => words("this contradicts the rest of the scene", reason, *help),
            Self::NotPositiveDefinite => words(
                "the stiffness is not symmetric positive definite",
                "some deformation would cost no energy, or gain some",
                "check signs and symmetry; order is torsion, bending y, bending z, stretch, shear y, shear z",
            ),
            Self::NothingHolds { rod } => words(
                format!("nothing holds rod `{rod}`, so it has no equilibrium"),
                "neither `base` nor `tip` is given",
                "add `base = { fixed_to = \"world\", position = [0, 0, 0], tangent = [1, 0, 0] }`",
            ),
            Self::NoDensity { rod } => words(
                format!("gravity or motion needs the mass of rod `{rod}`, which has none"),
                "no density here",
                "give the material a `density` (a given stiffness: `mass_per_length`), or set gravity to zero and ask for statics",
            ),
            Self::OffTheRod { s, length } => words(
                "this place is not on the rod",
                format!("s = {s} m, but the rod ends at {length} m"),
                "give \"base\", \"tip\" or an arc length within the rod",
            ),
            Self::NoRod => words(
                "the scene has no rod and no body",
                "",
                "add a table `[rod.arm]`; `lissome new rod FILE` writes one",
            ),
            Self::InnerNotInside { inner, outer } => words(
                "the inner radius is not inside the outer one",
                format!("inner {inner} m, outer {outer} m"),
                "make inner smaller than outer, or use a circle",
            ),
            Self::TableCoverage { first, last, length } => words(
                "the table does not cover the rod",
                format!("it runs from {first} m to {last} m; the rod from 0 to {length} m"),
                "give the first entry `at = \"base\"` and the last `at = \"tip\"`",
            ),
            Self::NotInOrder { before, after } => words(
                "the table is not in order",
                format!("{after} m comes after {before} m"),
                "sort the entries by `at`; two at the same place make a step",
            ),
            Self::ShapeChange { from, to } => words(
                "the section changes its kind along the rod",
                format!("between {from} m and {to} m"),
                "give two entries at the same `at`, one of each kind",
            ),
            Self::TooFewPoses { found, degree } => words(
                "too few control poses",
                format!("{found} here; degree {degree} needs at least {}", degree + 1),
                "give more poses, or a lower `degree`",
            ),
            Self::TurnsTooFar { angle } => words(
                "two neighbouring control poses turn too far",
                format!("by {angle:.3} rad; the shortest way is unique only below π"),
                "put a control pose between them",
            ),
            Self::TooManySpans { found, limit } => words(
                "more spans than can be computed with",
                format!(
                    "{found} would take about {} of memory; the limit is {limit}",
                    with_unit((*found as f64) * SPAN_BYTES as f64, "B")
                ),
                "12 spans serve most rods; leave `spans` out, and a tolerance decides",
            ),
            Self::TooManyValues { found, limit } => words(
                "more values than a scene can have",
                format!(
                    "about {found} would take {} of memory to read; the limit is {limit}",
                    with_unit((*found as f64) * VALUE_BYTES, "B")
                ),
                "surfaces of many points go into a file: `mesh`, or a coarser grid of heights",
            ),
            Self::PosesDisagree { shape, model } => words(
                "`model` and `shape` disagree on the number of control poses",
                format!("{model} here, {shape} in the shape"),
                "leave `spans` and `control_poses` out: the shape decides",
            ),
            Self::RectangleSheath => words(
                "a rectangle cannot be a core",
                "a sheath is a ring round a circle or an annulus",
                "use `shape = \"circle\"` or \"annulus\" for the core",
            ),
            Self::Floating { parts } => words(
                format!("nothing connects {} to the world, so there is no equilibrium", list(parts)),
                "it floats",
                "give one of them `mount`, `base`, `tip` or a closure that leads to the world; or let it move freely: \
                 `kind = \"dynamics\"` with `start = \"natural\"`",
            ),
            Self::AttachmentCircle { chain } => words(
                "parts carry each other in a circle",
                chain.join(" is carried by "),
                "take one attachment out of the circle and close it with a table `[closure.NAME]`, or hold a rod at its tip",
            ),
            Self::NothingHangs { joint } => words(
                format!("nothing hangs on joint `{joint}`"),
                "it carries no body, rod, cable or load",
                format!("write `fixed_to = \"{joint}\"` in what it carries, or remove it"),
            ),
            Self::RigidAlready { reason } => words(
                "this closure ties what cannot move apart",
                reason,
                "remove it, or give the part that should be free no other attachment",
            ),
            Self::SamePoint { first } => words(
                format!("points {first} and {} of this cable are the same", first + 1),
                "a cable has no direction between two points that are one",
                "remove one of the two, or move it",
            ),
            Self::RunNotCovered { first, last, end } => words(
                "the table does not cover the run",
                format!("it goes from {first} s to {last} s; the run from 0 to {end} s"),
                "let the table begin at 0 and end with the run",
            ),
            Self::TimesNotInOrder { before, after } => words(
                "the times are not in order",
                format!("{after} s comes after {before} s"),
                "sort the table by time, each time once",
            ),
            Self::DrivenTwice { path, other } => words(
                format!("`{path}` is driven twice"),
                format!("`{other}` drives the same thing"),
                "keep one of the two",
            ),
            Self::NotPositiveSemidefinite => words(
                "this is no stiffness or damping of a bushing",
                "it must be symmetric and resist in every direction, or not at all",
                "check the signs and the order: three turns, then three shifts, in rows and columns alike",
            ),
            Self::NothingToStretch { reason } => words(
                "this spring has nothing to stretch",
                reason,
                "attach its ends `a` and `b` to parts that can move against each other, or remove it",
            ),
            Self::TooThick { part, radius, inner } => words(
                format!("`{part}` does not fit into this bore"),
                format!("inner radius {inner} m, but its thinnest place has {radius} m"),
                format!(
                    "widen the bore, or let them pass through each other: \
                     `[contact] pairs = [{{ of = [\"{}\", …], touches = false }}]`",
                    part.split('.').next_back().unwrap_or_default()
                ),
            ),
            Self::Penetrates { part, obstacle, s, depth, place } => words(
                match s {
                    Some(s) => format!("`{part}` begins inside `{obstacle}` at s = {}", with_unit(*s, "m")),
                    None => format!("`{part}` begins inside `{obstacle}`"),
                },
                format!("{} deep, near {}", with_unit(*depth, "m"), vector(place, "m")),
                "let it begin outside: move the obstacle or the part, or drive the obstacle in along a path",
            ),
            _ => self.text_of_work(),
        }
    }
}

/// A number beyond the table of magnitudes, and the range that it should be in.
fn magnitude(value: f64, bounds: &Bounds) -> FaultText {
    let Bounds { name, unit, least, most } = *bounds;
    let with_unit = |x: f64| format!("{x:e} {unit}").trim_end().to_owned();
    let (word, remedy) = if value.abs() > most {
        ("large", "check its unit")
    } else {
        ("small", "write 0 if nothing is meant, and check its unit")
    };
    let range = if least > 0.0 {
        format!("from {} to {}", with_unit(least), with_unit(most))
    } else {
        format!("at most {}", with_unit(most))
    };
    words(
        format!("is too {word} to compute with"),
        format!("{} as {name}; lissome takes sizes {range}", with_unit(value)),
        format!("{remedy}; a robot is between a nanometre and a thousand kilometres long"),
    )
}
