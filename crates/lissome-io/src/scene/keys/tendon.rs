//! Keys of `[tendon.NAME]`, and the words that they take.

use super::{Key, Kind, key};
use crate::scene::dimension::Dimension;

/// How a tendon goes from disk to disk.
pub const ROUTINGS: &[&str] = &["continuous", "disks"];
/// Which way a tendon slides.
pub const SLIDINGS: &[&str] = &["pulled", "released"];

// Keys that a tendon, its runs and its pieces have in common.
const RADIUS: Key = key(
    "radius",
    Kind::Tapered(Dimension::LENGTH),
    "\"8 mm\"",
    "distance from the axis; two: where it begins and ends",
);
const ANGLE: Key = key(
    "angle",
    Kind::Quantity(Dimension::ANGLE),
    "\"90 deg\"",
    "turn of its holes about the axis, from y towards z; 0 by default",
);
const TURNS: Key = key("turns", Kind::Quantity(Dimension::NONE), "1", "about the axis on the way: a helix");
const PITCH: Key =
    key("pitch", Kind::Quantity(Dimension::LENGTH), "\"120 mm\"", "length of one turn, instead of turns");
const POSITION: Key =
    key("position", Kind::Pair(Dimension::LENGTH), "[\"8 mm\", 0]", "y and z in the section, instead of radius");
const TABLE: Key =
    key("table", Kind::List(HOLE), "[{ at = \"base\", radius = \"8 mm\" }, …]", "a smooth curve through these holes");
const PIECES: Key = key(
    "pieces",
    Kind::List(PIECE),
    "[{ to = \"10 cm\", radius = \"8 mm\" }, …]",
    "one after the other, with kinks between",
);
const ROD: Key = key("rod", Kind::Name("rod"), "\"arm\"", "the rod it runs along");

/// `[tendon.NAME]`.
pub const TENDON: &[Key] = &[
    key("like", Kind::Name("tendon"), "\"pull_1\"", "another tendon, whose keys it takes where it has none of its own"),
    ROD,
    key("count", Kind::Count, "3", "a family, evenly round the axis: NAME.1, NAME.2, …"),
    key("from", Kind::Station, "\"base\"", "where it enters the rod, from its motor; the base by default"),
    key("to", Kind::Station, "\"tip\"", "where it is tied to the rod; the tip by default"),
    RADIUS,
    ANGLE,
    TURNS,
    PITCH,
    POSITION,
    TABLE,
    PIECES,
    key("runs", Kind::List(RUN), "[{ rod = \"upper\" }, { rod = \"lower\" }]", "along several rods in a row"),
    key(
        "tension",
        Kind::Several(Dimension::FORCE),
        "\"5 N\"",
        "prescribed at its motor; of a family one, or one for each",
    ),
    key("length", Kind::Several(Dimension::LENGTH), "\"24 cm\"", "prescribed, without tension"),
    key("pull", Kind::Several(Dimension::LENGTH), "\"5 mm\"", "how much shorter than in the beginning"),
    key("stiffness", Kind::Quantity(Dimension::FORCE), "\"20 kN\"", "axial stiffness EA; does not stretch by default"),
    key("friction", Kind::Quantity(Dimension::NONE), "0.1", "Coulomb's coefficient along it; none by default"),
    key("sliding", Kind::Choice(SLIDINGS), "\"pulled\"", "which way it slides, with friction; pulled by default"),
    key("routing", Kind::Choice(ROUTINGS), "\"continuous\"", "along its curve, or straight from disk to disk"),
    key("disks", Kind::Count, "10", "disks along each run that guide it; drawn"),
    key("disk_radius", Kind::Quantity(Dimension::LENGTH), "\"10 mm\"", "their radius; 1.25 times the farthest hole"),
];

/// One entry of `runs`.
pub const RUN: &[Key] = &[
    ROD,
    key("from", Kind::Station, "\"base\"", "where it enters the rod; the base by default"),
    key("to", Kind::Station, "\"tip\"", "where it leaves it or is tied to it; the tip by default"),
    RADIUS,
    ANGLE,
    TURNS,
    PITCH,
    POSITION,
    TABLE,
    PIECES,
];

/// One entry of `pieces`.
pub const PIECE: &[Key] = &[
    key("to", Kind::Station, "\"10 cm\"", "where it ends; the last ends with the run by default"),
    key("radius", Kind::Tapered(Dimension::LENGTH), "\"8 mm\"", "that of the piece before by default"),
    key("angle", Kind::Quantity(Dimension::ANGLE), "\"90 deg\"", "that of the piece before by default"),
    TURNS,
    PITCH,
    POSITION,
];

/// One entry of `table`.
pub const HOLE: &[Key] = &[
    key("at", Kind::Station, "\"10 mm\"", "arc length; twice the same makes a kink"),
    key("radius", Kind::Quantity(Dimension::LENGTH), "\"8 mm\"", "distance from the axis"),
    key("angle", Kind::Quantity(Dimension::ANGLE), "\"90 deg\"", "in the section, from y towards z; 0 by default"),
    POSITION,
];
