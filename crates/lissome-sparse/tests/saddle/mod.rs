//! A symmetric sparse matrix and its dense copy.

use lissome_sparse::kkt::{Group, KktMatrix, Pattern, Slot};
use nalgebra::DMatrix;

/// A matrix next to the dense copy that is written with it.
pub struct System {
    pub pattern: Pattern,
    pub slots: Vec<(Group, Group, Slot, DMatrix<f64>)>,
}

impl System {
    pub fn new() -> Self {
        Self { pattern: Pattern::new(), slots: Vec::new() }
    }

    pub fn block(&mut self, row: Group, col: Group, values: DMatrix<f64>) {
        let slot = self.pattern.couple(row, col);
        self.slots.push((row, col, slot, values));
    }

    pub fn matrices(&self) -> (KktMatrix, DMatrix<f64>) {
        let mut sparse = KktMatrix::new(&self.pattern);
        let mut dense = DMatrix::zeros(self.pattern.rows(), self.pattern.rows());
        for (row, col, slot, values) in &self.slots {
            sparse.add(*slot, values);
            let (rows, cols) = (self.pattern.rows_of(*row), self.pattern.rows_of(*col));
            let mut target = dense.view_mut((rows.start, cols.start), (rows.len(), cols.len()));
            target += values;
            if row != col {
                let mut target = dense.view_mut((cols.start, rows.start), (cols.len(), rows.len()));
                target += values.transpose();
            }
        }
        (sparse, dense)
    }
}
