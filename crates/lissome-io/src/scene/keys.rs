//! Every key a scene may hold, once: the reader refuses others, messages and the JSON Schema are made from it.

use super::dimension::Dimension;

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// A value to copy.
    pub example: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// What a key takes.
#[derive(Debug)]
pub enum Kind {
    /// Free text.
    Text,
    /// A name of something of that family.
    Name(&'static str),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from 0 up.
    Count,
    /// `true` or `false`.
    Flag,
    /// A number, or a string with a unit.
    Quantity(Dimension),
    /// The same, or two of them: base and tip of the rod.
    Tapered(Dimension),
    /// Two of them: base and tip of the rod.
    Pair(Dimension),
    /// `"base"`, `"tip"` or an arc length.
    Station,
    /// Three components.
    Vector(Dimension),
    /// `[w, x, y, z]`.
    Quaternion,
    /// Six diagonal entries, or six rows of six.
    Stiffness,
    /// A table with these keys.
    Table(&'static [Key]),
    /// Tables with these keys, each under a name of its own.
    Family(&'static [Key]),
    /// An array of tables with these keys.
    List(&'static [Key]),
    /// One word instead of a table with these keys.
    WordOrTable(&'static [&'static str], &'static [Key]),
}

const fn key(name: &'static str, kind: Kind, example: &'static str, doc: &'static str) -> Key {
    Key { name, kind, example, doc }
}

/// Outlines of a section.
pub const SHAPES: &[&str] = &["circle", "annulus", "rectangle"];
/// Axes of a load.
pub const FRAMES: &[&str] = &["world", "body"];
/// Where the stress of a spline lives.
pub const FORMS: &[&str] = &["mixed", "printed"];
/// Jobs this version does.
pub const JOBS: &[&str] = &["statics", "shape"];
/// How a shape from end poses is found.
pub const METHODS: &[&str] = &["printed", "cubic", "quartic", "quintic", "exact"];
/// Which way round a rod goes between its ends.
pub const WINDINGS: &[&str] = &["least", "shortest", "unwrapped"];

/// The whole scene.
pub const SCENE: &[Key] = &[
    key("schema", Kind::Count, "1", "version of this format; always 1"),
    key("title", Kind::Text, "\"a bent rod\"", "one line for people"),
    key("world", Kind::Table(WORLD), "{ gravity = [0, 0, -9.81] }", "what surrounds the rods"),
    key("material", Kind::Family(MATERIAL), "{ young = \"60 GPa\", poisson = 0.33 }", "materials by name"),
    key("rod", Kind::Family(ROD), "{ … }", "rods by name"),
    key("load", Kind::Family(LOAD), "{ … }", "loads by name"),
    key("job", Kind::Table(JOB), "{ kind = \"statics\" }", "what to compute"),
];

/// `[world]`.
pub const WORLD: &[Key] =
    &[key("gravity", Kind::Vector(Dimension::ACCELERATION), "[0, 0, -9.81]", "gravity, world axes; none by default")];

/// `[material.NAME]`.
pub const MATERIAL: &[Key] = &[
    key("young", Kind::Quantity(Dimension::PRESSURE), "\"60 GPa\"", "Young's modulus E"),
    key("poisson", Kind::Quantity(Dimension::NONE), "0.33", "Poisson's ratio, in (-1, 0.5]; G = E/(2(1+ν))"),
    key("shear", Kind::Quantity(Dimension::PRESSURE), "\"23 GPa\"", "shear modulus G, instead of poisson"),
    key("density", Kind::Quantity(Dimension::DENSITY), "\"6450 kg/m^3\"", "density, needed under gravity"),
    key("damping", Kind::Quantity(Dimension::TIME), "\"0.5 ms\"", "Kelvin–Voigt time constant; 0 by default"),
];

/// `[rod.NAME]`.
pub const ROD: &[Key] = &[
    key("material", Kind::Name("material"), "\"nitinol\"", "what it is made of"),
    key("length", Kind::Quantity(Dimension::LENGTH), "\"240 mm\"", "natural length"),
    key("section", Kind::Table(SECTION), "{ shape = \"circle\", radius = \"0.5 mm\" }", "cross-section"),
    key("base", Kind::Table(POSE_HELD), "{ fixed_to = \"world\" }", "holds s = 0; free if absent"),
    key("tip", Kind::Table(POSE_HELD), "{ fixed_to = \"world\" }", "holds s = length; free if absent"),
    key("shape", Kind::WordOrTable(&["straight"], NATURAL), "\"straight\"", "shape without stress"),
    key("model", Kind::Table(MODEL), "{ spline = { degree = 3, spans = 12 } }", "how it becomes unknowns"),
];

/// `section = { … }`.
pub const SECTION: &[Key] = &[
    key("shape", Kind::Choice(SHAPES), "\"circle\"", "outline"),
    key("radius", Kind::Tapered(Dimension::LENGTH), "\"0.5 mm\"", "of a circle; or for drawing a given stiffness"),
    key("diameter", Kind::Tapered(Dimension::LENGTH), "\"1 mm\"", "of a circle, instead of radius"),
    key("taper", Kind::Pair(Dimension::LENGTH), "[\"30 mm\", \"15 mm\"]", "radii of a circle at base and tip"),
    key("inner", Kind::Tapered(Dimension::LENGTH), "\"0.4 mm\"", "inner radius of an annulus"),
    key("outer", Kind::Tapered(Dimension::LENGTH), "\"0.5 mm\"", "outer radius of an annulus"),
    key("width", Kind::Tapered(Dimension::LENGTH), "\"10 mm\"", "of a rectangle, along the section's y"),
    key("height", Kind::Tapered(Dimension::LENGTH), "\"1 mm\"", "of a rectangle, along the section's z"),
    key("table", Kind::List(STATION), "[{ at = \"base\", radius = \"1 mm\" }, …]", "section at places along the rod"),
    key("sheath", Kind::Table(SHEATH), "{ outer = \"2 mm\", material = \"silicone\" }", "a ring round the core"),
    key("stiffness", Kind::Stiffness, "[GJ, EI_y, EI_z, EA, GA_y, GA_z]", "given stiffness instead of an outline"),
    key("mass_per_length", Kind::Quantity(Dimension::MASS_PER_LENGTH), "\"5 g/m\"", "with a given stiffness"),
    key("damping", Kind::Quantity(Dimension::TIME), "\"0.5 ms\"", "with a given stiffness"),
    key("shear_factor", Kind::Quantity(Dimension::NONE), "0.9", "factor on GA; 1 by default"),
];

/// One entry of `section.table`.
pub const STATION: &[Key] = &[
    key("at", Kind::Station, "\"10 mm\"", "arc length; twice the same makes a step"),
    key("shape", Kind::Choice(SHAPES), "\"circle\"", "outline; the section's by default"),
    key("material", Kind::Name("material"), "\"nitinol\"", "material; the rod's by default"),
    key("radius", Kind::Quantity(Dimension::LENGTH), "\"0.5 mm\"", "of a circle; or for drawing a given stiffness"),
    key("diameter", Kind::Quantity(Dimension::LENGTH), "\"1 mm\"", "of a circle, instead of radius"),
    key("inner", Kind::Quantity(Dimension::LENGTH), "\"0.4 mm\"", "inner radius of an annulus"),
    key("outer", Kind::Quantity(Dimension::LENGTH), "\"0.5 mm\"", "outer radius of an annulus"),
    key("width", Kind::Quantity(Dimension::LENGTH), "\"10 mm\"", "of a rectangle, along the section's y"),
    key("height", Kind::Quantity(Dimension::LENGTH), "\"1 mm\"", "of a rectangle, along the section's z"),
    key("sheath", Kind::Table(SHEATH), "{ outer = \"2 mm\", material = \"silicone\" }", "a ring round the core"),
    key("stiffness", Kind::Stiffness, "[GJ, EI_y, EI_z, EA, GA_y, GA_z]", "given stiffness instead of an outline"),
    key("mass_per_length", Kind::Quantity(Dimension::MASS_PER_LENGTH), "\"5 g/m\"", "with a given stiffness"),
    key("damping", Kind::Quantity(Dimension::TIME), "\"0.5 ms\"", "with a given stiffness"),
    key("shear_factor", Kind::Quantity(Dimension::NONE), "0.9", "factor on GA; 1 by default"),
];

/// `sheath = { … }`.
pub const SHEATH: &[Key] = &[
    key("outer", Kind::Tapered(Dimension::LENGTH), "\"2 mm\"", "outer radius; the core fills the inside"),
    key("material", Kind::Name("material"), "\"silicone\"", "what it is made of"),
];

/// `base = { … }` and `tip = { … }`.
pub const POSE_HELD: &[Key] = &[
    key("fixed_to", Kind::Choice(&["world"]), "\"world\"", "what holds it"),
    key("position", Kind::Vector(Dimension::LENGTH), "[0, 0, 0]", "world position; the origin by default"),
    key("tangent", Kind::Vector(Dimension::NONE), "[1, 0, 0]", "direction of the rod; world x by default"),
    key("quat_wxyz", Kind::Quaternion, "[1, 0, 0, 0]", "full orientation, instead of tangent"),
    key("roll", Kind::Quantity(Dimension::ANGLE), "\"30 deg\"", "turn about the rod's own axis"),
];

/// `shape = { … }`.
pub const NATURAL: &[Key] = &[
    key("curvature", Kind::Vector(Dimension::CURVATURE), "[0, 0, \"10 1/m\"]", "torsion, bending about y, about z"),
    key("table", Kind::List(BEND), "[{ at = \"base\", curvature = [0, 0, 5] }, …]", "curvature along the rod"),
    key("control_poses", Kind::List(CONTROL_POSE), "[{ position = [0, 0, 0] }, …]", "relative to the base"),
];

/// One entry of `shape.table`.
pub const BEND: &[Key] = &[
    key("at", Kind::Station, "\"10 mm\"", "arc length; twice the same makes a step"),
    key("curvature", Kind::Vector(Dimension::CURVATURE), "[0, 0, \"10 1/m\"]", "torsion, bending about y, about z"),
];

/// One entry of `shape.control_poses`.
pub const CONTROL_POSE: &[Key] = &[
    key("position", Kind::Vector(Dimension::LENGTH), "[0, 0, 0]", "relative to the base"),
    key("tangent", Kind::Vector(Dimension::NONE), "[1, 0, 0]", "direction of the rod; x by default"),
    key("quat_wxyz", Kind::Quaternion, "[1, 0, 0, 0]", "full orientation, instead of tangent"),
    key("roll", Kind::Quantity(Dimension::ANGLE), "\"30 deg\"", "turn about the rod's own axis"),
];

/// `model = { … }`.
pub const MODEL: &[Key] =
    &[key("spline", Kind::Table(SPLINE), "{ degree = 3, spans = 12 }", "cumulative B-spline of poses")];

/// `model.spline = { … }`.
pub const SPLINE: &[Key] = &[
    key("degree", Kind::Count, "3", "polynomial degree, 1 to 5"),
    key("spans", Kind::Count, "12", "pieces; 12 by default"),
    key("control_poses", Kind::Count, "15", "spans + degree, instead of spans"),
    key("tolerance", Kind::Quantity(Dimension::NONE), "1e-6", "of the length, instead of spans"),
    key("form", Kind::Choice(FORMS), "\"mixed\"", "mixed does not lock; printed is the paper's"),
];

/// `[load.NAME]`.
pub const LOAD: &[Key] = &[
    key("rod", Kind::Name("rod"), "\"arm\"", "the rod it acts on"),
    key("at", Kind::Station, "\"tip\"", "where a point load acts"),
    key("force", Kind::Vector(Dimension::FORCE), "[0, 0, \"0.25 N\"]", "at a point"),
    key("moment", Kind::Vector(Dimension::MOMENT), "[0, \"0.1 N*m\", 0]", "at a point"),
    key("from", Kind::Station, "\"base\"", "where a distributed load begins; the base by default"),
    key("to", Kind::Station, "\"tip\"", "where it ends; the tip by default"),
    key("force_per_length", Kind::Vector(Dimension::FORCE_PER_LENGTH), "[0, 0, \"1 N/m\"]", "distributed"),
    key("moment_per_length", Kind::Vector(Dimension::MOMENT_PER_LENGTH), "[0, 0, \"1 N\"]", "distributed"),
    key("frame", Kind::Choice(FRAMES), "\"world\"", "world keeps its direction, body turns with the section"),
];

/// `[job]`.
pub const JOB: &[Key] = &[
    key("kind", Kind::Choice(JOBS), "\"statics\"", "what to compute"),
    key("max_iterations", Kind::Count, "500", "statics: Newton iterations in all"),
    key("method", Kind::Choice(METHODS), "\"exact\"", "shape: how it is found; exact by default"),
    key("segments", Kind::Count, "4", "shape: polynomial pieces; as few as the section's steps allow by default"),
    key("stretching", Kind::Flag, "true", "shape: may the rod stretch and shear; false by default"),
    key("winding", Kind::Choice(WINDINGS), "\"least\"", "shape: which way round; least energy by default"),
    key("all", Kind::Flag, "true", "shape: look for every equilibrium; false by default"),
];

/// The key of that name in a table.
pub fn find(keys: &'static [Key], name: &str) -> Option<&'static Key> {
    keys.iter().find(|k| k.name == name)
}
