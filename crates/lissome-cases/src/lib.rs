//! lissome-cases.
