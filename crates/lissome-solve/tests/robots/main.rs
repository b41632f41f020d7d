//! Robots against closed forms, against the oracle of networks, and against themselves.
#![allow(clippy::unwrap_used)]

mod balance;
mod bench;
mod cables;
mod closures;
mod joints;
mod pulls;
mod random_robots;
mod rigid;
mod symmetry;
mod trees;
