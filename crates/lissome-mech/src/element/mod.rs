//! Rod elements: how a rod's curve depends on its unknowns.

pub mod linear_strain;
pub mod spline;
