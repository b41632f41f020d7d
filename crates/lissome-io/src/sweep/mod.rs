//! Sweeps: one scene, many cases, one table. What is swept over, what each case is, which numbers make its row, and the folder
//! that the rows go to. The cases themselves are solved by the façade.
//!
//! ```text
//! path="200..400 mm:21" …    ──▶ axis ──┐
//! --latin 500 --seed 7       ──▶ latin ─┼─▶ plan ──▶ a case: path=value … ──▶ (solved) ──▶ outputs ──▶ row
//! --cases cases.csv          ──▶ cases ─┘                                                              │
//!                                                        table.csv, table.npz, report.html ◀── folder ◀┘
//! ```

mod axis;
mod cases;
pub(crate) mod csv;
mod door;
pub mod fault;
pub mod folder;
mod latin;
pub mod outputs;
mod plan;
mod row;
pub mod table;

pub use axis::Axis;
pub use cases::CasesTable;
pub use fault::SweepFault;
pub use folder::SweepFolder;
pub use outputs::Extremes;
pub use plan::{MOST_CASES, Plan};
pub use row::{Row, Sweep};
