//! Fits: numbers of a scene from measurements. The table of data, what is wrong with one, the answer, and its folder. The work itself
//! is the façade's.
//!
//! ```text
//! data.csv ──▶ table ──▶ (fitted) ──▶ answer ──▶ folder: fit.json, residuals.csv, fitted.toml, report.html
//! ```

mod answer;
mod fault;
pub mod folder;
mod table;

pub use answer::{FitAnswer, FitEnd, FittedNumber, FittedOutput, FittedPoint, Untold};
pub use fault::FitFault;
pub use table::{DataColumn, DataTable, Mark};
