//! A motion by hand.

use crate::arrays::{self, Named};
use crate::faults;
use crate::robot::Lists;
use crate::watch::Watch;
use lissome::Snapshot;
use lissome::io::run_folder::motion::columns::Columns;
use lissome::io::{Ending, LoadedScene, MotionSummary};
use lissome::robot::Hand;
use lissome::robot::by_hand::Halt;
use lissome::solve::{MotionAnswer, MotionRecord};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::Arc;

/// A robot that moves as far as it is told.
#[pyclass(module = "lissome._lissome")]
pub struct Motion {
    loaded: Arc<LoadedScene>,
    hand: Hand,
}

/// Why it does not go on, as an exception.
fn halted(py: Python<'_>, loaded: &LoadedScene, halt: Halt) -> PyErr {
    match halt {
        Halt::Refused(error) => faults::simulate(py, loaded, &error),
        Halt::Drive(diagnostic) => faults::refused(py, &[*diagnostic]),
        Halt::Stopped => PyKeyboardInterrupt::new_err(()),
        Halt::Ended(end) => {
            let record = MotionRecord::of(&loaded.scene);
            let motion = MotionAnswer { start: None, record, end: *end };
            let summary =
                MotionSummary { scene: &loaded.scene, motion: &motion, ending: Ending::Finished, wall_seconds: 0.0 };
            match summary.complaint() {
                Some(complaint) => faults::halted(py, &complaint),
                None => faults::no_start(py),
            }
        }
    }
}

impl Motion {
    /// Begins.
    pub fn of(py: Python<'_>, loaded: &Arc<LoadedScene>) -> PyResult<Self> {
        let mut watch = Watch::silent();
        let hand = py.detach(|| Hand::start(&loaded.scene, &mut watch));
        watch.result()?;
        let hand = hand.map_err(|halt| halted(py, loaded, halt))?;
        Ok(Self { loaded: loaded.clone(), hand })
    }
}

#[pymethods]
impl Motion {
    #[getter]
    fn time(&self) -> f64 {
        self.hand.time()
    }

    /// Goes on by a time.
    fn step(&mut self, py: Python<'_>, h: f64, drives: Vec<(String, f64)>) -> PyResult<()> {
        let mut watch = Watch::silent();
        let drives: Vec<(&str, f64)> = drives.iter().map(|(path, value)| (path.as_str(), *value)).collect();
        let hand = &mut self.hand;
        let stepped = py.detach(|| hand.step(h, &drives, &mut watch));
        watch.result()?;
        stepped.map_err(|halt| halted(py, &self.loaded, halt))
    }

    /// The columns of a motion at this moment, each with one row.
    fn arrays<'py>(&self, py: Python<'py>) -> Vec<Named<'py>> {
        let mut columns = Columns::default();
        columns.push(self.hand.scene(), self.hand.frame());
        arrays::named(py, columns.arrays())
    }

    fn snapshot(&self) -> Lists {
        self.hand.snapshot().lists
    }

    fn restore(&mut self, py: Python<'_>, lists: Lists) -> PyResult<()> {
        let mut watch = Watch::silent();
        let (loaded, snapshot) = (self.loaded.clone(), Snapshot { lists });
        let hand = py.detach(|| Hand::restore(&loaded.scene, &snapshot, &mut watch));
        watch.result()?;
        self.hand = hand.map_err(|halt| halted(py, &loaded, halt))?;
        Ok(())
    }
}
