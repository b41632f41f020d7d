//! lissome-reference.
