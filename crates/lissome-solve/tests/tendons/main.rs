//! Tendons inside rods: equilibria against the shooting oracle, derivatives against differences, every rod model.
#![allow(clippy::unwrap_used)]

mod equilibria;
mod friction;
mod lengths;
mod motion;
mod robots;
mod sensitivities;
