//! Closed forms and small solvers of textbook problems: each shares no code with what it checks.
//!
//! | problem | module | method |
//! |---|---|---|
//! | elastica, circle | [`elastica`] | elliptic integrals |
//! | columns, lateral buckling | [`critical_load`] | closed forms, series |
//! | follower load on a cantilever | [`beck`] | characteristic equation |
//! | vibration of a cantilever | [`vibration`] | frequency equations |
//! | strip that snaps between clamps | [`snap`] | closed form, and shooting on a planar rod |
//! | arch under a force at its crown | [`arch`] | shooting, followed through its folds |
//! | straight rod wound into a helix | [`helix`] | closed form with stretch and shear |
//! | two pre-curved tubes that snap | [`tube_pair`] | pendulum by elliptic functions |
//! | twisted ring, ring folded in three | [`ring`] | linearised helix without pitch |
//! | long twisted rod with one loop | [`writhe`] | homoclinic orbit |
//!
//! [`root`], [`newton`], [`continuation`], [`elliptic`], [`jacobi`] and [`planar`] are the tools they share.
//!
//! No part of the program calls them. They are what the oracles of this crate, the shapes of `lissome-shape` and the cases
//! are tested against: a method that checks others must itself agree with something that is no discretisation.

pub mod arch;
pub mod beck;
pub mod continuation;
pub mod critical_load;
pub mod elastica;
pub mod elliptic;
pub mod frame;
pub mod helix;
pub mod jacobi;
pub mod newton;
pub mod planar;
pub mod ring;
pub mod root;
pub mod snap;
pub mod tube_pair;
pub mod vibration;
pub mod writhe;
