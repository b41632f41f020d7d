//! Drives that bring outputs to their targets.
#![allow(clippy::unwrap_used)]

mod reach;
mod robots;
