//! The finished table: `table.csv` from its rows, and the same numbers for NumPy.

use super::csv;
use super::row::Sweep;
use crate::run_folder::npz::Array;
use std::collections::BTreeMap;

/// A finished table, by columns.
#[derive(Clone, Debug)]
pub struct SweepTable {
    /// Names of all columns.
    pub columns: Vec<String>,
    /// Numbers of each column that holds numbers.
    pub numbers: Vec<Option<Vec<f64>>>,
    /// How each case ended.
    pub status: Vec<String>,
    /// Cases of each way to end.
    pub counts: BTreeMap<String, usize>,
}

/// `table.csv`.
pub fn csv(sweep: &Sweep, lines: &[&str]) -> String {
    let mut text = sweep.header();
    text.push('\n');
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text
}

impl SweepTable {
    /// From the lines of all cases; `None` if one of them is no row of the sweep.
    pub fn read(sweep: &Sweep, lines: &[&str]) -> Option<Self> {
        let (columns, numeric) = (sweep.columns(), sweep.are_numbers());
        let mut numbers: Vec<Option<Vec<f64>>> =
            numeric.iter().map(|numeric| numeric.then(|| Vec::with_capacity(lines.len()))).collect();
        let (mut status, mut counts) = (Vec::with_capacity(lines.len()), BTreeMap::new());
        for line in lines {
            let fields = csv::fields(line, 0).ok().filter(|fields| fields.len() == columns.len())?;
            for (column, field) in numbers.iter_mut().zip(&fields) {
                if let Some(column) = column {
                    column.push(field.text.parse().ok()?);
                }
            }
            let ended = fields[columns.len() - 2].text.clone();
            *counts.entry(ended.clone()).or_insert(0) += 1;
            status.push(ended);
        }
        Some(Self { columns, numbers, status, counts })
    }

    /// The arrays of `table.npz`: every column of numbers by its name.
    pub fn arrays(&self) -> Vec<Array> {
        let named = self.columns.iter().zip(&self.numbers);
        named
            .filter_map(|(name, numbers)| {
                let values = numbers.clone()?;
                Some(Array { name: name.clone(), shape: vec![values.len()], values })
            })
            .collect()
    }

    /// Cases that have an answer.
    pub fn answered(&self) -> usize {
        ["converged", "finished"].iter().filter_map(|status| self.counts.get(*status)).sum()
    }
}
