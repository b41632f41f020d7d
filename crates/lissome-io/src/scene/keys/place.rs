//! Keys of places: frames, poses, shapes of bodies at them, and copies around an axis.

use super::{Key, Kind, key};
use crate::scene::dimension::Dimension;

/// Three turns about axes: capital letters about the axes that turn with the frame, small ones about those that stay.
pub const EULER_SEQUENCES: &[&str] = &[
    "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ", "xyz", "xzy", "yxz", "yzx",
    "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz",
];
/// Axes of a carrier.
pub const AXES: &[&str] = &["x", "y", "z"];

/// `euler = { … }`.
pub const EULER: &[Key] = &[
    key("sequence", Kind::Choice(EULER_SEQUENCES), "\"ZYX\"", "axes in order; small letters: fixed axes"),
    key("angles", Kind::Vector(Dimension::ANGLE), "[\"30 deg\", \"20 deg\", 0]", "one for each letter"),
];

/// `turned = { … }`.
pub const TURNED: &[Key] = &[
    key("about", Kind::Choice(AXES), "\"z\"", "axis of the carrier, through its origin"),
    key("angle", Kind::Quantity(Dimension::ANGLE), "\"60 deg\"", "by how much"),
];

/// `pattern = { … }`.
pub const PATTERN: &[Key] = &[
    key("count", Kind::Count, "6", "how many there are, NAME_1 to NAME_6"),
    key("about", Kind::Choice(AXES), "\"z\"", "axis of the carriers, through their origins; z by default"),
    key("step", Kind::Quantity(Dimension::ANGLE), "\"60 deg\"", "from one to the next; a full turn over the count"),
];

/// What carries a frame, and where on that it is.
pub(super) const FIXED_TO_KEY: Key =
    key("fixed_to", Kind::Text, "\"world\"", "what carries it: world, BODY, BODY.FRAME, JOINT or ROD");
pub(super) const AT_KEY: Key = key("at", Kind::Station, "\"tip\"", "where on a rod; its tip by default");
pub(super) const POSITION_KEY: Key =
    key("position", Kind::Vector(Dimension::LENGTH), "[0, 0, 0]", "relative to the carrier; its origin by default");
/// Orientations, one instead of another.
pub(super) const QUATERNION_KEY: Key =
    key("quat_wxyz", Kind::Quaternion, "[1, 0, 0, 0]", "full orientation, instead of tangent");
pub(super) const ROTVEC_KEY: Key = key(
    "rotvec",
    Kind::Vector(Dimension::ANGLE),
    "[0, 0, \"30 deg\"]",
    "full orientation as axis times angle, instead",
);
pub(super) const EULER_KEY: Key = key(
    "euler",
    Kind::Table(EULER),
    "{ sequence = \"ZYX\", angles = [\"30 deg\", 0, 0] }",
    "full orientation as three turns, instead",
);
pub(super) const TURNED_KEY: Key = key(
    "turned",
    Kind::Table(TURNED),
    "{ about = \"z\", angle = \"60 deg\" }",
    "the whole frame, about an axis of its carrier",
);
/// Shapes of bodies and of obstacles.
pub(super) const BOX_KEY: Key =
    key("box", Kind::Vector(Dimension::LENGTH), "[\"10 mm\", \"20 mm\", \"5 mm\"]", "edges along x, y and z");
pub(super) const CYLINDER_KEY: Key =
    key("cylinder", Kind::Table(CYLINDER), "{ radius = \"5 mm\", length = \"2 cm\" }", "with its axis along x");
pub(super) const SPHERE_KEY: Key = key("sphere", Kind::Table(SPHERE), "{ radius = \"5 mm\" }", "a ball");

/// A frame: `base`, `tip`, `mount`, `parent`, `a`, `b`, `on`, and the points of a cable.
pub const FRAME: &[Key] = &[
    FIXED_TO_KEY,
    AT_KEY,
    POSITION_KEY,
    key("tangent", Kind::Vector(Dimension::NONE), "[1, 0, 0]", "direction of the frame's x axis"),
    QUATERNION_KEY,
    ROTVEC_KEY,
    EULER_KEY,
    key("roll", Kind::Quantity(Dimension::ANGLE), "\"30 deg\"", "turn about the frame's own x axis"),
    TURNED_KEY,
];

/// One entry of `shape.control_poses`.
pub const CONTROL_POSE: &[Key] = &[
    key("position", Kind::Vector(Dimension::LENGTH), "[0, 0, 0]", "relative to the base"),
    key("tangent", Kind::Vector(Dimension::NONE), "[1, 0, 0]", "direction of the rod; x by default"),
    QUATERNION_KEY,
    ROTVEC_KEY,
    EULER_KEY,
    key("roll", Kind::Quantity(Dimension::ANGLE), "\"30 deg\"", "turn about the rod's own axis"),
    TURNED_KEY,
];

/// One shape of a body.
pub const SOLID: &[Key] = &[
    BOX_KEY,
    CYLINDER_KEY,
    SPHERE_KEY,
    key("position", Kind::Vector(Dimension::LENGTH), "[0, 0, 0]", "of its centre, on the body"),
    key("tangent", Kind::Vector(Dimension::NONE), "[1, 0, 0]", "direction of its x axis"),
    QUATERNION_KEY,
    ROTVEC_KEY,
    EULER_KEY,
    key("roll", Kind::Quantity(Dimension::ANGLE), "\"30 deg\"", "turn about its own x axis"),
];

/// `cylinder = { … }`.
pub const CYLINDER: &[Key] = &[
    key("radius", Kind::Quantity(Dimension::LENGTH), "\"5 mm\"", "radius"),
    key("length", Kind::Quantity(Dimension::LENGTH), "\"20 mm\"", "length along x"),
];

/// `sphere = { … }`.
pub const SPHERE: &[Key] = &[key("radius", Kind::Quantity(Dimension::LENGTH), "\"5 mm\"", "radius")];
