//! The scene format end to end.
