//! One file a verb; each prints its answer and says how the program ends.

pub mod bench;
pub mod check;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod fit;
pub mod new;
pub mod observe;
pub mod run;
pub mod schema;
pub mod shape;
pub mod sweep;
pub mod validate;
