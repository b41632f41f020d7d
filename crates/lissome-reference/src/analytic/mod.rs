//! Closed forms: the elastica, the circle, critical loads.

pub mod critical_load;
pub mod elastica;
pub mod elliptic;
pub mod root;
