//! The only crate that knows files: scenes in, runs, reports and exports out.
//!
//! - [`scene`]: TOML with units to a checked model, every complaint with file, line, column and help.
//! - [`diagnostic`], [`fault`]: those complaints, for people and for programs.
//! - [`run_folder`]: what a run leaves behind, written whole or not at all, and read back.
//! - [`report`]: pictures and the self-contained page.
//! - [`summary`], [`events`], [`motion_summary`], [`equilibrium_json`], [`places`]: what an answer says in a few numbers, and
//!   where its frames are.
//! - [`sought`], [`inverse_fault`]: what became of the targets of an inverse job, and what can be wrong with one.
//! - [`optimum`], [`optimise_fault`]: the same of an optimisation.
//! - [`columns`]: what numbers are called in every file.
//! - [`export`]: tables and pictures out of a run folder.
//! - [`surfaces`], [`still_frame`]: triangles of what a scene is made of, and equilibria as frames of a motion.
//! - [`sweep`]: many cases of one scene, and the folder of their table.
//! - [`fit`]: numbers of a scene from measurements: the table of data, the answer, its folder.
//! - [`observe`]: tables of markers, and the folder of what they tell.
//! - [`mesh_file`]: closed triangle meshes from STL and OBJ files.

mod bore_frames;
pub mod branches;
mod coarseness;
pub mod columns;
pub mod diagnostic;
pub mod equilibrium_json;
pub mod events;
pub mod export;
pub mod fault;
mod fault_code;
mod fault_derivative;
mod fault_text;
pub mod files;
pub mod fit;
pub mod held_shares;
pub mod inverse_fault;
pub mod mesh_file;
pub mod moment;
pub mod motion_summary;
pub mod nearest;
pub mod number;
pub mod observe;
pub mod optimise_fault;
pub mod optimum;
mod overlap;
pub mod places;
mod placing;
pub mod report;
pub mod run_folder;
pub mod scene;
mod severity;
pub mod size;
pub mod sought;
pub mod source;
pub mod still_frame;
pub mod summary;
pub mod surfaces;
pub mod sweep;

pub use diagnostic::Diagnostic;
pub use fault::{Fault, Severity};
pub use fault_derivative::DerivativeFault;
pub use motion_summary::MotionSummary;
pub use scene::{LoadedScene, load};
pub use summary::{Ending, Summary};
