//! Paths and loads are followed continuously; what interrupts them is named.
#![allow(clippy::unwrap_used)]

mod strip;
