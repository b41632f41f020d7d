//! lissome-io.
