//! The job that asks for the shape of rods from the poses of their ends.

/// How a shape is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShapeJob {
    /// By which method.
    pub method: ShapeMethod,
    /// Polynomial pieces; 0 takes as few as the steps of the section allow.
    pub segments: usize,
    /// May the rod stretch and shear?
    pub stretching: bool,
    /// Which way round.
    pub winding: ShapeWinding,
    /// Look for other equilibria between the same ends as well.
    pub all: bool,
}

/// By which method a shape is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShapeMethod {
    /// As printed in \[muller2025cfk\], corrected.
    Printed,
    /// Least energy over cubics.
    Cubic,
    /// Least energy over quartics.
    Quartic,
    /// Least energy over quintics.
    Quintic,
    /// The equilibrium itself.
    #[default]
    Exact,
}

/// Which of the rotations from base to tip a rod makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShapeWinding {
    /// The one of least energy.
    #[default]
    Least,
    /// At most 180°.
    Shortest,
    /// The other way round.
    Unwrapped,
}
