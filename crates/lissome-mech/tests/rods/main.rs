//! One suite that every rod model must pass at the level of one rod: what holds for a rod holds however it becomes
//! unknowns. A new model joins by one line in `models`; one whose poses follow, in `all_models`.
//!
//! The assembled system has its own suite over the same models (`tests/tangent.rs`), and so has the whole program
//! (`tests/rod_models.rs` of `lissome-cases`).
#![allow(clippy::unwrap_used)]

mod flight;
mod law;
mod models;
mod point_at;
mod step;
mod strain_basis;
mod values;
