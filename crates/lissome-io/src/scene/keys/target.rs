//! Keys of `[target.NAME]` and `[free]`: what an inverse job aims at, and what it may change.

use super::place::EULER;
use super::{Key, Kind, SIGNAL, key};
use crate::scene::dimension::Dimension;

/// `[target.NAME]`.
pub const TARGET: &[Key] = &[
    key("of", Kind::Frame, "\"arm\"", "whose: a rod (its tip), body, joint or frame; tendon, cable, spring, ROD.base"),
    key(
        "position",
        Kind::Courses(SIGNAL),
        "[\"10 cm\", 0, \"any\"]",
        "where it is to be, world axes; \"any\" leaves one open",
    ),
    key("rotation", Kind::Table(ROTATION), "{ tangent = [0, 0, 1] }", "how it is to be turned, in the world"),
    key(
        "rotvec",
        Kind::Courses(SIGNAL),
        "[0, 0, { ramp = [0, \"30 deg\"] }]",
        "the same as axis times angle, which may change",
    ),
    key("direction", Kind::Courses(SIGNAL), "[0, 0, 1]", "where its x axis is to point; a turn about it stays open"),
    key("tension", Kind::Course(SIGNAL), "\"5 N\"", "of a tendon or cable"),
    key("length", Kind::Course(SIGNAL), "\"20 cm\"", "of a tendon or cable"),
    key("pull", Kind::Course(SIGNAL), "\"2 N\"", "of a spring"),
    key(
        "force",
        Kind::Courses(SIGNAL),
        "[0, 0, \"-1 N\"]",
        "of a rod on what holds `ROD.base` or `ROD.tip`, world axes",
    ),
    key("weight", Kind::Quantity(Dimension::NONE), "1", "how much it counts beside other targets; 1 by default"),
];

/// `rotation = { … }`.
pub const ROTATION: &[Key] = &[
    key("tangent", Kind::Vector(Dimension::NONE), "[0, 0, 1]", "direction of its x axis"),
    key("quat_wxyz", Kind::Quaternion, "[1, 0, 0, 0]", "full orientation, instead of tangent"),
    key(
        "rotvec",
        Kind::Vector(Dimension::ANGLE),
        "[0, 0, \"30 deg\"]",
        "full orientation as axis times angle, instead",
    ),
    key(
        "euler",
        Kind::Table(EULER),
        "{ sequence = \"ZYX\", angles = [\"30 deg\", 0, 0] }",
        "full orientation as three turns, instead",
    ),
    key("roll", Kind::Quantity(Dimension::ANGLE), "\"30 deg\"", "turn about its own x axis"),
];

/// A drive in `[free]`.
pub const FREE: &[Key] = &[
    key("min", Kind::Driven, "0", "least value; for a tension 0 by default, for joints their limits, else none"),
    key("max", Kind::Driven, "\"20 N\"", "greatest value; for joints their limits by default, else none"),
    key("start", Kind::Quantity(Dimension::NONE), "1", "optimise: where a number of the formulas alone begins"),
    key("rest", Kind::Driven, "\"1 N\"", "where it costs no effort; 0 for tensions and efforts, else where it begins"),
    key("weight", Kind::Quantity(Dimension::NONE), "1", "what effort costs, among equals; 1 by default, may be 0"),
];
