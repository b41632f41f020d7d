//! A crease: where the derivatives of the outputs by the drives jump.

use super::Unknown;
use nalgebra::DVector;

/// Drives on which Σ part · drive + offset vanishes; derivatives of the outputs may jump there.
#[derive(Clone, Debug, PartialEq)]
pub struct Crease {
    /// Unknowns by their numbers, and their parts.
    pub parts: Vec<(usize, f64)>,
    /// What the sum lacks.
    pub offset: f64,
    /// Closer than this the sides of it cannot be told apart, in the unit of the sum.
    pub width: f64,
}

impl Crease {
    /// On which side drives lie, and how far.
    pub(super) fn value(&self, drives: &[f64]) -> f64 {
        self.parts.iter().map(|(j, part)| part * drives[*j]).sum::<f64>() + self.offset
    }

    /// How the sum grows with each drive, for a unit of it.
    pub(super) fn normal(&self, unknowns: &[Unknown]) -> DVector<f64> {
        let mut normal = DVector::zeros(unknowns.len());
        self.parts.iter().for_each(|(j, part)| normal[*j] += part * unknowns[*j].unit);
        normal
    }

    /// The row that holds drives on it: a direction of length one, and how far they are from it along that, in units of the drives.
    pub(super) fn row(&self, drives: &[f64], unknowns: &[Unknown]) -> (DVector<f64>, f64) {
        let normal = self.normal(unknowns);
        let length = normal.norm().max(f64::MIN_POSITIVE);
        (normal / length, self.value(drives) / length)
    }

    /// Moves drives to a value of the sum by the shortest way, in their units, that their limits leave.
    pub(super) fn bring(&self, drives: &mut [f64], value: f64, unknowns: &[Unknown]) {
        let normal = self.normal(unknowns);
        // A drive that a limit holds leaves its share to the others.
        let mut free: Vec<usize> = self.parts.iter().map(|own| own.0).collect();
        while !free.is_empty() {
            let open = value - self.value(drives);
            let length: f64 = free.iter().map(|j| normal[*j] * normal[*j]).sum();
            let mut held = None;
            for j in &free {
                let own = &unknowns[*j];
                let wanted = drives[*j] + open * normal[*j] / length * own.unit;
                drives[*j] = wanted.clamp(own.limits.0, own.limits.1);
                if drives[*j] != wanted {
                    held = Some(*j);
                }
            }
            match held {
                Some(held) => free.retain(|j| *j != held),
                None => break,
            }
        }
    }
}
