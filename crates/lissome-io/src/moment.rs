//! Where on the way of an answer something happens.

/// Where on the way of an answer something is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// A parameter of a path.
    Parameter(f64),
    /// A time of a motion, s.
    Time(f64),
}
