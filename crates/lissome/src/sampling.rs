//! How densely shapes are recorded.

/// Samples recorded along each rod.
pub(crate) const SAMPLES: usize = 101;
