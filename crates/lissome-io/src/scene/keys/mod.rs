//! Every key a scene may hold, once: the reader refuses others, messages and the JSON Schema are made from it.

mod job;
mod obstacle;
mod place;
mod target;
mod tendon;

pub use job::{
    BRANCHES, BUCKLING_STARTS, DERIVATIVE, DIRECTIONS, FOLLOW, JOB, JOBS, METHODS, ON_EVENT, SCHEMES, STARTS,
    TENDON_METHODS, WINDINGS,
};
pub use obstacle::{
    BORE, BORE_PIECE, CONTACT, CONTACT_PAIR, FAMILIES, HEIGHTS, MESH, OBSTACLE, OBSTACLE_SHAPES, PLANE, SMOOTHING,
    STRETCH,
};
pub use place::{AXES, CONTROL_POSE, CYLINDER, EULER, EULER_SEQUENCES, FRAME, PATTERN, SOLID, SPHERE, TURNED};
pub use target::{FREE, ROTATION, TARGET};
pub use tendon::{HOLE, PIECE, ROUTINGS, RUN, SLIDINGS, TENDON};

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
    /// The same, or one for each member of a family.
    Several(Dimension),
    /// `"base"`, `"tip"` or an arc length.
    Station,
    /// Three components.
    Vector(Dimension),
    /// `[w, x, y, z]`.
    Quaternion,
    /// Six diagonal entries, or six rows of six.
    Stiffness,
    /// A number or a string with a unit for all three axes, or an array with one for each.
    Each(Dimension),
    /// Six rows of six.
    Matrix,
    /// Rows of quantities, all of the same length.
    Grid(Dimension),
    /// A whole number from 0 up for all six strains, or an array with one for each.
    OneOrSix,
    /// One of these words, or a whole number from 0 up.
    WordOrCount(&'static [&'static str]),
    /// A table with these keys.
    Table(&'static [Key]),
    /// Tables with these keys, each under a name of its own.
    Family(&'static [Key]),
    /// An array of tables with these keys.
    List(&'static [Key]),
    /// One word instead of a table with these keys.
    WordOrTable(&'static [&'static str], &'static [Key]),
    /// The name of a body, `BODY.FRAME`, a joint, a rod or the world; or a table that also says where on it.
    Frame,
    /// An array of those.
    Frames,
    /// One table with these keys, or an array of them.
    OneOrList(&'static [Key]),
    /// Three principal values, or three rows of three.
    Inertia,
    /// A number or a string with a unit for a joint's only coordinate, or an array with one for each.
    Coordinates,
    /// `[low, high]` for a joint's only coordinate, or an array with one (or `"none"`) for each.
    Limits,
    /// Two vectors.
    Axes,
    /// An array of names of that family.
    Names(&'static str),
    /// A quantity in the unit of what is driven.
    Driven,
    /// An array of those, this many (0: any number).
    DrivenList(usize),
    /// An array of `[time, value]`.
    DrivenTable,
    /// The name of a file, or arrays of values under dotted paths.
    Cases,
    /// Courses of driven quantities: a value, or a table with these keys, each under a dotted path.
    Drives(&'static [Key]),
    /// Tables with these keys, each under a dotted path.
    Paths(&'static [Key]),
    /// A course: a value, or a table with these keys.
    Course(&'static [Key]),
    /// Three of those, along the axes of the world; one may be open.
    Courses(&'static [Key]),
}

const fn key(name: &'static str, kind: Kind, example: &'static str, doc: &'static str) -> Key {
    Key { name, kind, example, doc }
}

/// Outlines of a section.
pub const SHAPES: &[&str] = &["circle", "annulus", "rectangle"];
/// How tubes move against each other.
pub const RELATIVE: &[&str] = &["torsion", "general"];
/// Axes of a load.
pub const FRAMES: &[&str] = &["world", "body"];
/// Where the stress of a spline lives.
pub const FORMS: &[&str] = &["mixed", "printed"];
/// What the strains of a basis are sums of.
pub const STRAIN_FUNCTIONS: &[&str] = &["constant", "linear", "legendre"];
/// How rods held at both ends close their loops.
pub const LOOPS: &[&str] = &["auto", "embedding", "constraints"];
/// How a joint can move.
pub const JOINTS: &[&str] =
    &["fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "planar", "free"];

/// The whole scene.
pub const SCENE: &[Key] = &[
    key("schema", Kind::Count, "1", "version of this format; always 1"),
    key("title", Kind::Text, "\"a bent rod\"", "one line for people"),
    key("world", Kind::Table(WORLD), "{ gravity = [0, 0, -9.81] }", "what surrounds the robot"),
    key("material", Kind::Family(MATERIAL), "{ young = \"60 GPa\", poisson = 0.33 }", "materials by name"),
    key("rod", Kind::Family(ROD), "{ … }", "rods by name"),
    key("tubes", Kind::Family(TUBES), "{ … }", "sets of concentric tubes by name"),
    key("body", Kind::Family(BODY), "{ … }", "rigid bodies by name"),
    key("joint", Kind::Family(JOINT), "{ … }", "joints by name"),
    key("closure", Kind::Family(CLOSURE), "{ … }", "what closes loops, by name"),
    key("cable", Kind::Family(CABLE), "{ … }", "cables by name"),
    key("tendon", Kind::Family(TENDON), "{ … }", "tendons inside rods by name"),
    key("spring", Kind::Family(SPRING), "{ … }", "springs by name"),
    key("obstacle", Kind::Family(OBSTACLE), "{ … }", "what rods and bodies may touch, by name"),
    key("contact", Kind::Table(CONTACT), "{ friction = 0.2 }", "how things touch"),
    key("load", Kind::Family(LOAD), "{ … }", "loads by name"),
    key("drive", Kind::Drives(SIGNAL), "{ \"motor.angle\" = { ramp = [0, \"30 deg\"] } }", "what changes, by path"),
    key(
        "free",
        Kind::Paths(FREE),
        "{ \"motor.angle\" = { max = \"30 deg\" } }",
        "what an inverse job or an optimisation may change, by path",
    ),
    key("target", Kind::Family(TARGET), "{ … }", "what an inverse job aims at, by name"),
    key("cases", Kind::Cases, "\"cases.csv\"", "what `lissome sweep` solves it for: a file, or an array for each path"),
    key("job", Kind::Table(JOB), "{ kind = \"statics\" }", "what to compute"),
];

/// `[world]`.
pub const WORLD: &[Key] = &[
    key("gravity", Kind::Vector(Dimension::ACCELERATION), "[0, 0, -9.81]", "gravity, world axes; none by default"),
    key("loops", Kind::Choice(LOOPS), "\"auto\"", "how rods held at both ends close their loops"),
];

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
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key("like", Kind::Name("rod"), "\"leg_1\"", "another rod, whose keys it takes where it has none of its own"),
    key("material", Kind::Name("material"), "\"nitinol\"", "what it is made of"),
    key("length", Kind::Quantity(Dimension::LENGTH), "\"240 mm\"", "natural length"),
    key("section", Kind::Table(SECTION), "{ shape = \"circle\", radius = \"0.5 mm\" }", "cross-section"),
    key("base", Kind::Frame, "{ fixed_to = \"world\" }", "holds s = 0; free if absent"),
    key("tip", Kind::Frame, "{ fixed_to = \"world\" }", "holds s = length; free if absent"),
    key("shape", Kind::WordOrTable(&["straight"], NATURAL), "\"straight\"", "shape without stress"),
    key(
        "turns",
        Kind::Vector(Dimension::NONE),
        "[3, 0, 0]",
        "full turns given before its ends were held: twist, about y, z",
    ),
    key(
        "laid",
        Kind::Grid(Dimension::LENGTH),
        "[[\"10 mm\", 0, 0], …]",
        "points of the line it begins along, seen from its base",
    ),
    key("model", Kind::Table(MODEL), "{ spline = { degree = 3, spans = 12 } }", "how it becomes unknowns"),
    key(
        "surface",
        Kind::Family(STRETCH),
        "{ coated = { from = \"20 mm\", to = \"50 mm\" } }",
        "stretches by name, to which pairs of [contact] may give friction of their own",
    ),
    key(
        "velocity",
        Kind::Vector(Dimension::VELOCITY),
        "[\"1 m/s\", 0, 0]",
        "of s = 0 when a motion begins, world axes",
    ),
    key(
        "spin",
        Kind::Vector(Dimension::SPIN),
        "[0, 0, \"2 rad/s\"]",
        "of the whole rod when a motion begins, world axes",
    ),
];

/// `[tubes.NAME]`.
pub const TUBES: &[Key] = &[
    key("tube", Kind::Family(TUBE), "{ … }", "the tubes by name, from the innermost outward"),
    key(
        "entry",
        Kind::Frame,
        "{ fixed_to = \"world\" }",
        "where the tubes leave their guide; the world's origin by default",
    ),
    key("tip", Kind::Frame, "{ fixed_to = \"world\" }", "holds the tip of the innermost tube; free if absent"),
    key("material", Kind::Name("material"), "\"nitinol\"", "of tubes that name none"),
    key("model", Kind::Table(MODEL), "{ spline = { degree = 3, spans = 12 } }", "how it becomes unknowns"),
    key(
        "relative",
        Kind::Choice(RELATIVE),
        "\"torsion\"",
        "how tubes move against each other: about the tangent, or tilting too",
    ),
];

/// `[tubes.NAME.tube.TUBE]`.
pub const TUBE: &[Key] = &[
    key("material", Kind::Name("material"), "\"nitinol\"", "what it is made of; the set's by default"),
    key("inner_diameter", Kind::Quantity(Dimension::LENGTH), "\"1.0 mm\"", "zero for a wire"),
    key("outer_diameter", Kind::Quantity(Dimension::LENGTH), "\"1.2 mm\"", "must fit into the next tube"),
    key("bending_stiffness", Kind::Quantity(Dimension::BENDING_STIFFNESS), "\"0.01 N*m^2\"", "EI, if measured"),
    key("torsion_stiffness", Kind::Quantity(Dimension::BENDING_STIFFNESS), "\"0.01 N*m^2\"", "GJ, if measured"),
    key("length", Kind::Quantity(Dimension::LENGTH), "\"440 mm\"", "from its base to its tip"),
    key(
        "curved_length",
        Kind::Quantity(Dimension::LENGTH),
        "\"100 mm\"",
        "of the pre-curved part at its tip; 0 by default",
    ),
    key(
        "curvature",
        Kind::Pair(Dimension::CURVATURE),
        "[0, \"10 1/m\"]",
        "of the curved part, about y and z of the tube",
    ),
    key(
        "curvature_table",
        Kind::List(TUBE_BEND),
        "[{ at = 0, curvature = [0, 5] }, …]",
        "curvature along the curved part",
    ),
    key(
        "insertion",
        Kind::Quantity(Dimension::LENGTH),
        "\"230 mm\"",
        "how far it reaches beyond the entry; may be driven",
    ),
    key("rotation", Kind::Quantity(Dimension::ANGLE), "\"90 deg\"", "turn of its base; 0 by default, may be driven"),
];

/// One entry of `curvature_table`.
pub const TUBE_BEND: &[Key] = &[
    key("at", Kind::Station, "\"10 mm\"", "arc length from where the curved part begins; twice the same makes a step"),
    key("curvature", Kind::Pair(Dimension::CURVATURE), "[0, \"10 1/m\"]", "about y and z of the tube"),
];

/// `section = { … }`.
pub const SECTION: &[Key] = &[
    key("shape", Kind::Choice(SHAPES), "\"circle\"", "outline"),
    key("radius", Kind::Tapered(Dimension::LENGTH), "\"0.5 mm\"", "of a circle; optional with a given stiffness"),
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
    key(
        "rotary_inertia",
        Kind::Vector(Dimension::ROTARY_MASS),
        "[2e-9, 1e-9, 1e-9]",
        "with a given stiffness, for motions",
    ),
    key("damping", Kind::Quantity(Dimension::TIME), "\"0.5 ms\"", "with a given stiffness"),
    key("shear_factor", Kind::Quantity(Dimension::NONE), "0.9", "factor on GA; 1 by default"),
];

/// One entry of `section.table`.
pub const STATION: &[Key] = &[
    key("at", Kind::Station, "\"10 mm\"", "arc length; twice the same makes a step"),
    key("shape", Kind::Choice(SHAPES), "\"circle\"", "outline; the section's by default"),
    key("material", Kind::Name("material"), "\"nitinol\"", "material; the rod's by default"),
    key("radius", Kind::Quantity(Dimension::LENGTH), "\"0.5 mm\"", "of a circle; optional with a given stiffness"),
    key("diameter", Kind::Quantity(Dimension::LENGTH), "\"1 mm\"", "of a circle, instead of radius"),
    key("inner", Kind::Quantity(Dimension::LENGTH), "\"0.4 mm\"", "inner radius of an annulus"),
    key("outer", Kind::Quantity(Dimension::LENGTH), "\"0.5 mm\"", "outer radius of an annulus"),
    key("width", Kind::Quantity(Dimension::LENGTH), "\"10 mm\"", "of a rectangle, along the section's y"),
    key("height", Kind::Quantity(Dimension::LENGTH), "\"1 mm\"", "of a rectangle, along the section's z"),
    key("sheath", Kind::Table(SHEATH), "{ outer = \"2 mm\", material = \"silicone\" }", "a ring round the core"),
    key("stiffness", Kind::Stiffness, "[GJ, EI_y, EI_z, EA, GA_y, GA_z]", "given stiffness instead of an outline"),
    key("mass_per_length", Kind::Quantity(Dimension::MASS_PER_LENGTH), "\"5 g/m\"", "with a given stiffness"),
    key(
        "rotary_inertia",
        Kind::Vector(Dimension::ROTARY_MASS),
        "[2e-9, 1e-9, 1e-9]",
        "with a given stiffness, for motions",
    ),
    key("damping", Kind::Quantity(Dimension::TIME), "\"0.5 ms\"", "with a given stiffness"),
    key("shear_factor", Kind::Quantity(Dimension::NONE), "0.9", "factor on GA; 1 by default"),
];

/// `sheath = { … }`.
pub const SHEATH: &[Key] = &[
    key("outer", Kind::Tapered(Dimension::LENGTH), "\"2 mm\"", "outer radius; the core fills the inside"),
    key("material", Kind::Name("material"), "\"silicone\"", "what it is made of"),
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

/// `model = { … }`.
pub const MODEL: &[Key] = &[
    key("spline", Kind::Table(SPLINE), "{ degree = 3, spans = 12 }", "cumulative B-spline of poses"),
    key("linear_strain", Kind::Table(LINEAR_STRAIN), "{ elements = 16 }", "chain of elements with linear strain"),
    key(
        "strain_basis",
        Kind::Table(STRAIN_BASIS),
        "{ functions = \"legendre\", order = 5, segments = 2 }",
        "strains as sums of functions",
    ),
];

/// `model.strain_basis = { … }`.
pub const STRAIN_BASIS: &[Key] = &[
    key("functions", Kind::Choice(STRAIN_FUNCTIONS), "\"legendre\"", "what the strains are sums of on each segment"),
    key("segments", Kind::Count, "4", "how many, instead of a tolerance"),
    key("tolerance", Kind::Quantity(Dimension::NONE), "1e-6", "of the length; 1e-5 by default"),
    key("order", Kind::Count, "5", "number of Legendre polynomials of every strain; 4 by default"),
    key(
        "orders",
        Kind::Table(STRAIN_ORDERS),
        "{ stretch = 2, shear_y = 0, shear_z = 0 }",
        "the same of one strain; 0 is off",
    ),
];

/// `model.strain_basis.orders = { … }`, in the order of a strain vector.
pub const STRAIN_ORDERS: &[Key] = &[
    key("twist", Kind::Count, "4", "torsion"),
    key("bending_y", Kind::Count, "4", "bending about y"),
    key("bending_z", Kind::Count, "4", "bending about z"),
    key("stretch", Kind::Count, "2", "along the rod"),
    key("shear_y", Kind::Count, "0", "shear along y"),
    key("shear_z", Kind::Count, "0", "shear along z"),
];

/// `model.linear_strain = { … }`.
pub const LINEAR_STRAIN: &[Key] = &[
    key("elements", Kind::Count, "16", "how many, instead of a tolerance"),
    key("tolerance", Kind::Quantity(Dimension::NONE), "1e-6", "of the length; 1e-5 by default"),
];

/// `model.spline = { … }`.
pub const SPLINE: &[Key] = &[
    key("degree", Kind::Count, "3", "polynomial degree, 1 to 5"),
    key("spans", Kind::Count, "12", "pieces, instead of a tolerance"),
    key("control_poses", Kind::Count, "15", "spans + degree, instead of spans"),
    key("tolerance", Kind::Quantity(Dimension::NONE), "1e-6", "of the length; 1e-5 by default"),
    key("form", Kind::Choice(FORMS), "\"mixed\"", "mixed does not lock; printed is the paper's"),
];

/// `[body.NAME]`.
pub const BODY: &[Key] = &[
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key("like", Kind::Name("body"), "\"plate_1\"", "another body, whose keys it takes where it has none of its own"),
    key("mass", Kind::Quantity(Dimension::MASS), "\"50 g\"", "mass; none by default"),
    key("density", Kind::Quantity(Dimension::DENSITY), "\"1200 kg/m^3\"", "of its shape, instead of mass"),
    key("centre", Kind::Vector(Dimension::LENGTH), "[0, 0, 0]", "centre of mass; its shape's by default"),
    key("inertia", Kind::Inertia, "[2e-5, 1e-5, 1e-5]", "about the centre of mass; its shape's by default"),
    key("shape", Kind::OneOrList(SOLID), "{ sphere = { radius = \"5 mm\" } }", "what it looks like"),
    key("frames", Kind::Family(CONTROL_POSE), "{ hole = { position = [0, 0, \"6 cm\"] } }", "named places on it"),
    key("mount", Kind::Frame, "{ fixed_to = \"arm\", at = \"tip\" }", "what carries it"),
    key(
        "start",
        Kind::Table(CONTROL_POSE),
        "{ position = [0, 0, \"20 cm\"] }",
        "where it begins, if nothing carries it",
    ),
    key(
        "velocity",
        Kind::Vector(Dimension::VELOCITY),
        "[\"1 m/s\", 0, 0]",
        "of its frame when a motion begins, world axes",
    ),
    key("spin", Kind::Vector(Dimension::SPIN), "[0, 0, \"2 rad/s\"]", "when a motion begins, world axes"),
];

/// `[joint.NAME]`.
pub const JOINT: &[Key] = &[
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key("like", Kind::Name("joint"), "\"motor_1\"", "another joint, whose keys it takes where it has none of its own"),
    key("kind", Kind::Choice(JOINTS), "\"revolute\"", "how it can move"),
    key("parent", Kind::Frame, "{ fixed_to = \"world\" }", "where it sits"),
    key("axis", Kind::Vector(Dimension::NONE), "[0, 0, 1]", "it turns about or slides along; the normal of a plane"),
    key("axes", Kind::Axes, "[[1, 0, 0], [0, 1, 0]]", "of a universal joint: the first, and the one it carries"),
    key("angle", Kind::Quantity(Dimension::ANGLE), "\"10 deg\"", "prescribed"),
    key("travel", Kind::Quantity(Dimension::LENGTH), "\"5 mm\"", "prescribed"),
    key("value", Kind::Coordinates, "[0, 0, \"10 deg\"]", "prescribed, every coordinate"),
    key("torque", Kind::Quantity(Dimension::MOMENT), "\"0.1 N*m\"", "acts on its angle"),
    key("force", Kind::Quantity(Dimension::FORCE), "\"2 N\"", "acts on its travel"),
    key("effort", Kind::Coordinates, "[0, \"0.1 N*m\"]", "acts, on every coordinate"),
    key("start", Kind::Coordinates, "\"5 deg\"", "where it begins; 0 by default"),
    key("stiffness", Kind::Coordinates, "\"0.2 N*m/rad\"", "of its spring; none by default"),
    key("rest", Kind::Coordinates, "\"10 deg\"", "where the spring is at rest; 0 by default"),
    key("damping", Kind::Coordinates, "\"1e-3 N*m*s/rad\"", "viscous; none by default"),
    key("limits", Kind::Limits, "[\"-60 deg\", \"60 deg\"]", "range; none by default"),
    key(
        "restitution",
        Kind::Quantity(Dimension::NONE),
        "0.5",
        "part of its speed kept at a limit, 0 to 1; 0 by default",
    ),
    key("rate", Kind::Coordinates, "\"2 rad/s\"", "with which a motion begins; 0 by default"),
];

/// `[closure.NAME]`.
pub const CLOSURE: &[Key] = &[
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key("like", Kind::Name("closure"), "\"pin_1\"", "another closure, whose keys it takes where it has none"),
    key("a", Kind::Frame, "{ fixed_to = \"arm\", at = \"tip\" }", "one side, on which the joint sits"),
    key("b", Kind::Frame, "{ fixed_to = \"platform\" }", "the other side"),
    key("kind", Kind::Choice(JOINTS), "\"revolute\"", "how the sides can still move; fixed by default"),
    key("axis", Kind::Vector(Dimension::NONE), "[0, 0, 1]", "as of a joint"),
    key("axes", Kind::Axes, "[[1, 0, 0], [0, 1, 0]]", "as of a joint"),
    key("angle", Kind::Quantity(Dimension::ANGLE), "\"10 deg\"", "as of a joint"),
    key("travel", Kind::Quantity(Dimension::LENGTH), "\"5 mm\"", "as of a joint"),
    key("value", Kind::Coordinates, "[0, 0, \"10 deg\"]", "as of a joint"),
    key("torque", Kind::Quantity(Dimension::MOMENT), "\"0.1 N*m\"", "as of a joint"),
    key("force", Kind::Quantity(Dimension::FORCE), "\"2 N\"", "as of a joint"),
    key("effort", Kind::Coordinates, "[0, \"0.1 N*m\"]", "as of a joint"),
    key("start", Kind::Coordinates, "\"5 deg\"", "as of a joint"),
    key("stiffness", Kind::Coordinates, "\"0.2 N*m/rad\"", "as of a joint"),
    key("rest", Kind::Coordinates, "\"10 deg\"", "as of a joint"),
    key("damping", Kind::Coordinates, "\"1e-3 N*m*s/rad\"", "as of a joint"),
    key("limits", Kind::Limits, "[\"-60 deg\", \"60 deg\"]", "as of a joint"),
    key("restitution", Kind::Quantity(Dimension::NONE), "0.5", "as of a joint"),
    key("rate", Kind::Coordinates, "\"2 rad/s\"", "as of a joint"),
];

/// `[cable.NAME]`.
pub const CABLE: &[Key] = &[
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key("like", Kind::Name("cable"), "\"flexor_1\"", "another cable, whose keys it takes where it has none of its own"),
    key("points", Kind::Frames, "[\"base.hole\", \"plate.hole\"]", "what it runs through, in order; two or more"),
    key("tension", Kind::Quantity(Dimension::FORCE), "\"5 N\"", "prescribed"),
    key("length", Kind::Quantity(Dimension::LENGTH), "\"30 cm\"", "prescribed, without tension"),
    key("pull", Kind::Quantity(Dimension::LENGTH), "\"5 mm\"", "how much shorter than its path in the beginning"),
    key("stiffness", Kind::Quantity(Dimension::FORCE), "\"20 kN\"", "axial stiffness EA; does not stretch by default"),
];

/// `[spring.NAME]`.
pub const SPRING: &[Key] = &[
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key(
        "like",
        Kind::Name("spring"),
        "\"return_1\"",
        "another spring, whose keys it takes where it has none of its own",
    ),
    key("a", Kind::Frame, "\"frame.hook\"", "one end; a bushing acts in its axes"),
    key("b", Kind::Frame, "{ fixed_to = \"arm\", at = \"tip\" }", "the other end"),
    key("stiffness", Kind::Quantity(Dimension::FORCE_PER_LENGTH), "\"200 N/m\"", "along the line between its ends"),
    key("rest_length", Kind::Quantity(Dimension::LENGTH), "\"50 mm\"", "without force; as in the beginning by default"),
    key("damping", Kind::Quantity(Dimension::LINEAR_DAMPING), "\"2 N*s/m\"", "along the same line; none by default"),
    key("bushing", Kind::Table(BUSHING), "{ turn = \"5 N*m/rad\", shift = \"10 kN/m\" }", "in all directions, instead"),
];

/// `bushing = { … }`.
pub const BUSHING: &[Key] = &[
    key(
        "turn",
        Kind::Each(Dimension::ROTARY_STIFFNESS),
        "\"5 N*m/rad\"",
        "against turns about the axes of a; or three",
    ),
    key(
        "shift",
        Kind::Each(Dimension::FORCE_PER_LENGTH),
        "\"10 kN/m\"",
        "against shifts along the axes of a; or three",
    ),
    key("turn_damping", Kind::Each(Dimension::ROTARY_DAMPING), "\"0.01 N*m*s/rad\"", "of turns; none by default"),
    key("shift_damping", Kind::Each(Dimension::LINEAR_DAMPING), "\"20 N*s/m\"", "of shifts; none by default"),
    key("stiffness_matrix", Kind::Matrix, "[[5, 0, 0, 0, 0, 0], …]", "6×6, turns first, instead of turn and shift"),
    key("damping_matrix", Kind::Matrix, "[[0.1, 0, 0, 0, 0, 0], …]", "6×6, instead of turn_damping and shift_damping"),
];

/// One entry of `[drive]`.
pub const SIGNAL: &[Key] = &[
    key("ramp", Kind::DrivenList(2), "[0, \"30 deg\"]", "from one value to another"),
    key("start", Kind::Quantity(Dimension::TIME), "\"0 s\"", "of the ramp; 0 by default"),
    key("over", Kind::Quantity(Dimension::TIME), "\"1 s\"", "how long the ramp takes; to the end by default"),
    key("sine", Kind::Table(SINE), "{ amplitude = \"3 N\", frequency = \"0.5 Hz\" }", "an oscillation"),
    key("table", Kind::DrivenTable, "[[\"0 s\", 0], [\"1 s\", \"5 N\"]]", "values at times, linear between"),
    key("smooth", Kind::Flag, "true", "ramp or table without jumps of rate and acceleration; false by default"),
    key("values", Kind::DrivenList(0), "[0, \"1 N\", \"2 N\"]", "one for each sample of a path"),
];

/// `sine = { … }`.
pub const SINE: &[Key] = &[
    key("mean", Kind::Driven, "\"4 N\"", "mean; 0 by default"),
    key("amplitude", Kind::Driven, "\"3 N\"", "amplitude"),
    key("frequency", Kind::Quantity(Dimension::FREQUENCY), "\"0.5 Hz\"", "turns a second"),
    key("phase", Kind::Quantity(Dimension::ANGLE), "\"90 deg\"", "at time 0; 0 by default"),
];

/// `[load.NAME]`.
pub const LOAD: &[Key] = &[
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key("rod", Kind::Name("rod"), "\"arm\"", "the rod it acts on"),
    key("on", Kind::Frame, "\"platform.hook\"", "the frame it acts on, instead of a rod"),
    key("at", Kind::Station, "\"tip\"", "where a point load acts"),
    key("force", Kind::Vector(Dimension::FORCE), "[0, 0, \"0.25 N\"]", "at a point"),
    key("moment", Kind::Vector(Dimension::MOMENT), "[0, \"0.1 N*m\", 0]", "at a point"),
    key("from", Kind::Station, "\"base\"", "where a distributed load begins; the base by default"),
    key("to", Kind::Station, "\"tip\"", "where it ends; the tip by default"),
    key("force_per_length", Kind::Vector(Dimension::FORCE_PER_LENGTH), "[0, 0, \"1 N/m\"]", "distributed"),
    key("moment_per_length", Kind::Vector(Dimension::MOMENT_PER_LENGTH), "[0, 0, \"1 N\"]", "distributed"),
    key("frame", Kind::Choice(FRAMES), "\"world\"", "world keeps its direction, body turns with the section"),
    key(
        "toward",
        Kind::Vector(Dimension::LENGTH),
        "[\"10 cm\", 0, \"60 cm\"]",
        "a point that pulls: rope over a pulley",
    ),
    key("size", Kind::Quantity(Dimension::FORCE), "\"0.5 N\"", "of the pull toward that point"),
];

/// The key of that name in a table.
pub fn find(keys: &'static [Key], name: &str) -> Option<&'static Key> {
    keys.iter().find(|k| k.name == name)
}
