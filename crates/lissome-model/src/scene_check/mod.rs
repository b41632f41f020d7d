//! Whether the parts of a scene fit together, where that takes more than a few lines: a file for each kind.
//! [`Scene::validate`](crate::Scene::validate) is the door that calls them.

mod contacts;
mod inverse;
mod tendon_method;
mod tendons;
