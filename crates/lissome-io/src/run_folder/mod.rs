//! The folder a run leaves behind: written under a temporary name, renamed when whole, read back by `export`.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | versions, scene hash, status, result, file list with hashes |
//! | `scene.toml` | the scene with its overrides; can be run again |
//! | `samples.csv`, `samples.npz` | pose, strain and stress along every rod |
//! | `control_poses.csv` | the unknowns |
//! | `history.csv` | every Newton iteration |
//! | `bodies.csv`, `joints.csv`, `cables.csv`, `tendons.csv`, `tendon_samples.csv`, `springs.csv`, `contacts.csv`, `contact_points.csv`, `ends.csv` | the other parts, where the scene has them |
//! | `path.csv`, `path_samples.csv`, `path_control_poses.csv`, `path.npz` | every sample of a path |
//! | `events.jsonl` | what happened, in order |
//! | `optimised.toml`, `rounds.csv` | the scene with the numbers that an optimisation found, and the way to them |
//! | `modes.csv`, `mode_shapes.csv`, `critical_loads.csv`, `buckling_shapes.csv` | natural modes and critical loads |
//! | `shapes.csv`, `shapes.json` | every shape of a job for shapes, and how they compare |
//! | `motion-*.npz`, `checkpoint-*.npz` | a motion, see [`motion`] |
//! | `report.html` | pictures and plots, self-contained |

mod derivatives;
pub mod modes;
pub mod motion;
pub mod npz;
pub mod ownership;
pub mod path;
mod read;
pub mod robot;
pub mod shapes;
pub mod table;
mod write;

pub use read::{StoredRun, read};
pub use write::{RunFacts, check_target, contents, place, write};

use crate::files::{SCENE_LIMIT, read_limited};
use std::path::Path;

/// Format of the manifest.
pub const MANIFEST_SCHEMA: u32 = 1;
/// Name of the scene with the numbers that an optimisation found.
pub(crate) const OPTIMISED: &str = "optimised.toml";
/// Name of the list of events.
pub(crate) const EVENTS: &str = "events.jsonl";
/// Name by which a run folder is known.
pub const MANIFEST: &str = "manifest.json";

/// True if a folder holds a manifest of this program.
pub fn is_run(folder: &Path) -> bool {
    let manifest = read_limited(&folder.join(MANIFEST), SCENE_LIMIT).ok();
    let json = manifest.and_then(|bytes| serde_json::from_slice::<serde_json::Value>(&bytes).ok());
    json.is_some_and(|json| json["program"] == "lissome")
}
