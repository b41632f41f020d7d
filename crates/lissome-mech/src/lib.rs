//! How a scene becomes equations.

pub mod field;

pub use field::Sample;
