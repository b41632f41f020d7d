//! How a scene becomes equations: compile once into a [`System`], then evaluate it at any [`State`].
//!
//! The unknowns are the free control poses, bodies and joints, the stress coefficients β of the rods and the multipliers
//! of the constraints. The potential is Σ (βᵀ b(g) − ½ βᵀ M β) − W(g); its stationary points are the equilibria.

pub mod assemble;
pub mod attach;
pub mod between;
pub mod body;
pub mod chain;
pub mod columns;
mod compile;
mod complementarity;
pub mod constraints;
pub mod contacts;
pub mod contribution;
pub mod damping;
pub mod energy;
pub mod field;
mod frozen_load;
pub mod hand_on;
pub mod impulse;
pub mod index;
pub mod inputs;
pub mod joint;
pub mod judgement;
pub mod kind;
pub mod layout;
pub mod linear;
pub mod load;
pub mod meetings;
pub mod motion;
pub mod names;
mod near;
pub mod node;
mod numbering;
mod one_sided;
mod one_sided_rows;
pub mod passing;
mod resample;
pub mod rod;
pub mod sink;
pub mod slots;
pub mod state;
pub mod step;
pub mod system;
pub mod tendons;
pub mod tension;
pub mod value_change;
pub mod values;
pub mod workspace;

pub use assemble::{CurvatureOf, Residual};
pub use columns::KeptStep;
pub use contacts::{ContactState, PairState};
pub use contribution::Part;
pub use energy::Potentials;
pub use field::Sample;
pub use inputs::{Input, Inputs};
pub use kind::contact::sunk::Sunk;
pub use motion::{MechanicalState, MotionWorkspace};
pub use rod::{Rod, StressWork, Winding};
pub use state::State;
pub use step::Step;
pub use system::System;
pub use tendons::{TendonPoint, TendonState};
pub use value_change::{Covector, Demand, Neighbourhood, PrescribedColumns};
pub use workspace::Workspace;
