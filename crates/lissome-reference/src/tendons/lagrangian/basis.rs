//! Strain modes: Legendre polynomials for each of the six strains, on one segment.

use crate::motion::legendre::legendre;
use nalgebra::{DMatrix, Vector6};

/// Φ at the nodes of a grid.
#[derive(Clone, Debug)]
pub(super) struct StrainBasis {
    /// 6 × count matrices, one for each node.
    pub at: Vec<DMatrix<f64>>,
    /// Number of coordinates of a segment.
    pub count: usize,
}

impl StrainBasis {
    /// `functions[k]` polynomials (degrees 0 to `functions[k]` − 1) for strain k, at nodes on [0, 1].
    pub fn new(functions: &[usize; 6], nodes: &[f64]) -> Self {
        let count = functions.iter().sum();
        let most = functions.iter().copied().max().unwrap_or(0);
        let at = nodes.iter().map(|x| {
            let values = legendre(most, *x);
            let mut phi = DMatrix::zeros(6, count);
            let mut column = 0;
            for (strain, number) in functions.iter().enumerate() {
                for value in &values[..*number] {
                    phi[(strain, column)] = *value;
                    column += 1;
                }
            }
            phi
        });
        Self { at: at.collect(), count }
    }

    /// Φ q at a node.
    pub fn strain(&self, node: usize, coordinates: &[f64]) -> Vector6<f64> {
        let mut strain = Vector6::zeros();
        for (column, q) in self.at[node].column_iter().zip(coordinates) {
            strain += column * *q;
        }
        strain
    }
}
