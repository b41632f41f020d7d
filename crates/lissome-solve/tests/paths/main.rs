//! Paths and loads are followed continuously; what interrupts them is named.
#![allow(clippy::unwrap_used)]

mod arclength;
mod buckling;
mod cables;
mod helix;
mod strip;
mod tangent;
