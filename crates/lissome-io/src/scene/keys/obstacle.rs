//! Keys of `[obstacle.NAME]` and `[contact]`.

use super::place::{
    AT_KEY, BOX_KEY, CYLINDER_KEY, EULER_KEY, FIXED_TO_KEY, POSITION_KEY, QUATERNION_KEY, ROTVEC_KEY, SPHERE_KEY,
    TURNED_KEY,
};
use super::{CYLINDER, Key, Kind, PATTERN, key};
use crate::scene::dimension::Dimension;

/// Keys of which one says what an obstacle looks like.
pub const OBSTACLE_SHAPES: &[&str] = &["plane", "sphere", "capsule", "cylinder", "box", "bore", "mesh", "heights"];

/// `[obstacle.NAME]`.
pub const OBSTACLE: &[Key] = &[
    key("pattern", Kind::Table(PATTERN), "{ count = 6, about = \"z\" }", "copies around an axis of what carries it"),
    key(
        "like",
        Kind::Name("obstacle"),
        "\"pin_1\"",
        "another obstacle, whose keys it takes where it has none of its own",
    ),
    key("plane", Kind::Table(PLANE), "{ normal = [0, 0, 1] }", "everything below a plane"),
    SPHERE_KEY,
    key("capsule", Kind::Table(CYLINDER), "{ radius = \"5 mm\", length = \"2 cm\" }", "a cylinder with round ends"),
    CYLINDER_KEY,
    BOX_KEY,
    key(
        "bore",
        Kind::Table(BORE),
        "{ radius = \"3 mm\", axis = [{ straight = \"5 cm\" }] }",
        "the inside of a tube, with open ends",
    ),
    key("mesh", Kind::Table(MESH), "{ file = \"bone.stl\", unit = \"1 mm\" }", "what triangles of a file enclose"),
    key(
        "heights",
        Kind::Table(HEIGHTS),
        "{ spacing = [\"1 cm\", \"1 cm\"], rows = [[0, 0], [0, \"2 mm\"]] }",
        "everything below a surface through heights on a grid",
    ),
    FIXED_TO_KEY,
    AT_KEY,
    POSITION_KEY,
    key("tangent", Kind::Vector(Dimension::NONE), "[1, 0, 0]", "direction of its x axis"),
    QUATERNION_KEY,
    ROTVEC_KEY,
    EULER_KEY,
    key("roll", Kind::Quantity(Dimension::ANGLE), "\"30 deg\"", "turn about its own x axis"),
    TURNED_KEY,
];

/// `plane = { … }`.
pub const PLANE: &[Key] = &[
    key("normal", Kind::Vector(Dimension::NONE), "[0, 0, 1]", "points away from the solid side; z by default"),
    key("point", Kind::Vector(Dimension::LENGTH), "[0, 0, \"-5 cm\"]", "a point of the plane; the origin by default"),
];

/// `bore = { … }`.
pub const BORE: &[Key] = &[
    key("radius", Kind::Quantity(Dimension::LENGTH), "\"3 mm\"", "inner radius"),
    key(
        "axis",
        Kind::List(BORE_PIECE),
        "[{ straight = \"5 cm\" }, { arc = \"90 deg\", radius = \"2 cm\" }]",
        "pieces, each going on where the last one ended; from the origin along x",
    ),
];

/// One piece of `bore.axis`.
pub const BORE_PIECE: &[Key] = &[
    key("straight", Kind::Quantity(Dimension::LENGTH), "\"5 cm\"", "a straight piece of this length"),
    key("arc", Kind::Quantity(Dimension::ANGLE), "\"90 deg\"", "a part of a circle that turns by this angle"),
    key("radius", Kind::Quantity(Dimension::LENGTH), "\"2 cm\"", "of the circle"),
    key("toward", Kind::Quantity(Dimension::ANGLE), "\"90 deg\"", "side of its centre, from y to z; 0 by default"),
];

/// `mesh = { … }`.
pub const MESH: &[Key] = &[
    key(
        "file",
        Kind::Text,
        "\"bone.stl\"",
        "STL or OBJ, beside the scene; closed, corners counterclockwise from outside",
    ),
    key("unit", Kind::Quantity(Dimension::LENGTH), "\"1 mm\"", "what one unit of the file is"),
];

/// `heights = { … }`.
pub const HEIGHTS: &[Key] = &[
    key("spacing", Kind::Pair(Dimension::LENGTH), "[\"1 cm\", \"1 cm\"]", "distance of neighbours along x and y"),
    key("rows", Kind::Grid(Dimension::LENGTH), "[[0, 0], [0, \"2 mm\"]]", "rows of constant y, each in the order of x"),
    key("origin", Kind::Pair(Dimension::LENGTH), "[0, 0]", "where the first height stands; 0, 0 by default"),
];

/// `[contact]`.
pub const CONTACT: &[Key] = &[
    key("friction", Kind::Quantity(Dimension::NONE), "0.2", "Coulomb's coefficient; 0 by default"),
    key("among", Kind::Flag, "true", "parts of the robot touch each other too, and rods themselves; false by default"),
    key("restitution", Kind::Quantity(Dimension::NONE), "0.5", "part of its speed a body leaves with; 0 by default"),
    key(
        "smoothing",
        Kind::Table(SMOOTHING),
        "{ family = \"sigmoid\", force = \"1 mN\", ratio = 0.01 }",
        "a smooth law in motion; the exact one by default",
    ),
    key(
        "pairs",
        Kind::List(CONTACT_PAIR),
        "[{ of = [\"arm\", \"floor\"], friction = 0.3 }]",
        "pairs with laws of their own",
    ),
];

/// `contact.smoothing`.
pub const SMOOTHING: &[Key] = &[
    key("family", Kind::Choice(FAMILIES), "\"sigmoid\"", "what max(u, 0) becomes; the first two are the exact law"),
    key("force", Kind::Quantity(Dimension::FORCE), "\"1 mN\"", "forces below this are not told from none"),
    key(
        "ratio",
        Kind::Quantity(Dimension::NONE),
        "0.01",
        "the same of friction, as a part of its bound; 0.01 by default",
    ),
];

/// Families of `contact.smoothing`. A trigonometric one changes the way to the answer, not the answer.
pub const FAMILIES: &[&str] = &["heaviside", "trigonometric", "sigmoid", "chks", "softplus"];

/// `[rod.NAME.surface.STRETCH]`.
pub const STRETCH: &[Key] = &[
    key("from", Kind::Station, "\"20 mm\"", "where it begins; the base by default"),
    key("to", Kind::Station, "\"50 mm\"", "where it ends; the tip by default"),
];

/// One entry of `contact.pairs`.
pub const CONTACT_PAIR: &[Key] = &[
    key("of", Kind::Names("rod"), "[\"arm\", \"floor\"]", "two rods, bodies or obstacles, or stretches of rods"),
    key("friction", Kind::Quantity(Dimension::NONE), "0.3", "of this pair; that of all by default"),
    key("touches", Kind::Flag, "false", "false if they pass through each other; true by default"),
    key(
        "bore",
        Kind::Quantity(Dimension::LENGTH),
        "\"0.6 mm\"",
        "the first is a rod that runs in a bore of this radius along the second",
    ),
];
