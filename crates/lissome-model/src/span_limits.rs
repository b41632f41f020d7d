//! How many spans fit into memory.

/// Most spans of a rod. One costs about [`SPAN_BYTES`] in the largest job, so that a rod of so many takes 400 MB.
pub const MAX_SPANS: usize = 20_000;
/// Most spans of all rods of a scene: 4 GB.
pub const MAX_SCENE_SPANS: usize = 200_000;
/// Memory that a span costs, bytes, measured on cubic splines: its blocks of the matrix and of its factor, quadrature points
/// and the finer twin that its error is judged by.
pub const SPAN_BYTES: usize = 19_000;
