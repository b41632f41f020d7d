//! How far an answer lies from that of infinitely many spans, and how to come near enough.
//!
//! A rod is divided again, every span in two, and Newton's method goes on from the answer. The distance between the two
//! answers is the error of the coarser one, and a known part of it that of the finer one. Where the strain of the finer
//! answer is not what a span of the coarser one can follow, the span is divided.
//!
//! - `division`: scenes with knots in place of tolerances, divided in two, or where it is needed.
//! - `difference`: how far two answers lie apart along a rod, and which span they owe it to.
//! - `finer`: the same robot on twice as many spans, and its answer near one that is known.
//! - `statics`: the equilibrium of a scene within its tolerances.
//! - `modes`: the natural modes of a scene within its tolerances.
//! - `motion`: a state of a motion on halved spans, under the forces of inertia that hold it.
//! - `survey`: the divisions that a path or a motion needs, chosen before it begins.

pub mod difference;
pub mod division;
pub mod finer;
pub mod modes;
pub mod motion;
pub mod statics;
pub mod survey;

pub use difference::Difference;
pub use finer::Finer;
pub use modes::AccurateModes;
pub use motion::MotionFiner;
pub use statics::{Accurate, solve};

/// An answer whose error is estimated beyond this, of the length or in rad, is warned about even where the number of spans
/// was asked for.
pub const COARSE: f64 = 1e-3;
