//! Project tasks (`cargo xtask test`) and the rules of the house, each of which a test enforces.
//!
//! - [`house`]: `ARCHITECTURE.md` against the crates: who may import whom, and the habits of every file.
//! - [`steps`]: the commands behind a task, one after the other, with headings, times and a remedy on failure.
//! - [`browser`]: a browser without a window, found on the machine and driven over a pipe.
//! - [`exports`]: exports read by the programs they are made for.
//! - [`python`]: the Python package with an environment of its own, and its wheel.
//! - [`pages`]: reports opened in it: turned, played, scrubbed, read, and given hostile names.

pub mod browser;
pub mod exports;
pub mod house;
pub mod pages;
pub mod python;
pub mod steps;
