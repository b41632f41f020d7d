//! The folder of a motion, which grows while the motion runs.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | versions, scene hash, status (`running` until the end), result, file list with hashes |
//! | `scene.toml` | the scene with its overrides |
//! | `motion-00000.npz`, … | parts of the [`columns`], in order; the last one may grow |
//! | `checkpoint-0.npz`, `checkpoint-1.npz` | by turns: everything the next step depends on, to the bit |
//! | `events.jsonl` | what happened, in order |
//! | `derivatives.csv` | at the end, where the job asks for derivatives: those of every output time |
//! | `report.html` | at the end: pictures and plots |
//!
//! Every file but `events.jsonl` is written under another name and renamed when whole, so that a kill or a full disk
//! costs at most what came after the last checkpoint. The manifest lists every file with its hash before it is written:
//! what is not listed, or not as it was listed, is not lissome's, and is neither read nor replaced. Where parts end depends
//! on the frames alone, so that a motion that was cut and resumed leaves the same bytes as one that was not.

pub mod columns;
mod disk;
mod read;
#[cfg(test)]
pub(crate) mod tests;
mod writer;

pub use disk::Disk;
pub use read::{Resumption, StoredMotion, is_motion, read, resume};
pub use writer::{MotionWriter, Written};

/// What the manifest calls a motion.
pub const KIND: &str = "dynamics";

/// Name of a part.
pub fn part_name(index: usize) -> String {
    format!("motion-{index:05}.npz")
}

/// Name of a checkpoint; two are written by turns.
pub fn checkpoint_name(index: usize) -> String {
    format!("checkpoint-{}.npz", index % 2)
}
