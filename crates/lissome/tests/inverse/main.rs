//! Drives that bring outputs to their targets.
#![allow(clippy::unwrap_used)]

mod limits;
mod reach;
mod robots;
