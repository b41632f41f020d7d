//! Closed forms: the elastica, the circle, critical loads.
//!
//! No part of the program calls them. They are what the oracles of this crate and the shapes of `lissome-shape` are tested
//! against: a method that checks others must itself agree with something that is no discretisation.

pub mod critical_load;
pub mod elastica;
pub mod elliptic;
pub mod root;
