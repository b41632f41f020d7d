//! The way round of a rod that is held at both ends.

/// Which way round a rod that is held at both ends turns from one to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopWinding {
    /// That of least energy.
    #[default]
    Least,
    /// By at most half a turn.
    Shortest,
    /// By its complement to a full turn.
    Longest,
}
