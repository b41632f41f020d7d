//! Measured values beside those of the model: residuals and their derivatives.
//!
//! An attitude, of which all three components were measured, is compared as such: its residual is log(Rₘᵀ R), the turn from what was
//! measured to what the model has, in the axes of the part. Where a component is missing the others are compared with those of the
//! model's rotation vector. Either way ω, the derivative of the turn in the axes of the part, becomes dexp⁻¹ ω.

use super::columns::{Columns, Measured};
use lissome_io::Diagnostic;
use lissome_io::fit::{DataTable, FitFault};
use lissome_lie::Rotation;
use lissome_lie::retraction::{Exponential, Retraction};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// A measured value.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// Row of the data, from 0.
    pub row: usize,
    /// Which measured column.
    pub output: usize,
    pub measured: f64,
    /// Noise; unknown where it is neither stated nor estimated yet.
    pub sigma: Option<f64>,
    /// The whole attitude that it is a component of.
    pub attitude: Option<Vector3<f64>>,
}

/// All measured values of a row.
pub(super) fn of_row(data: &DataTable, columns: &Columns, row: usize) -> Result<Vec<Reading>, Box<Diagnostic>> {
    let mut readings = Vec::new();
    for (output, own) in columns.measured.iter().enumerate() {
        let Some(measured) = data.number(row, own.column, own.dimension)? else { continue };
        let mut sigma = own.stated;
        if let Some(column) = own.sigma
            && let Some(value) = data.number(row, column, own.dimension)?
        {
            if value <= 0.0 {
                return Err(data.refuse_cell(row, column, "noise must be positive".into()));
            }
            sigma = Some(value);
        }
        let attitude = if own.is_rotation { attitude(data, columns, row, own)? } else { None };
        readings.push(Reading { row, output, measured, sigma, attitude });
    }
    Ok(readings)
}

/// The rotation vector of an attitude of which all components were measured in a row.
fn attitude(
    data: &DataTable,
    columns: &Columns,
    row: usize,
    own: &Measured,
) -> Result<Option<Vector3<f64>>, Box<Diagnostic>> {
    let mut whole = Vector3::zeros();
    for component in 0..3 {
        let other = columns
            .measured
            .iter()
            .find(|other| other.is_rotation && other.first == own.first && other.component == component);
        let Some(other) = other else { return Ok(None) };
        let Some(value) = data.number(row, other.column, other.dimension)? else { return Ok(None) };
        whole[component] = value;
    }
    Ok(Some(whole))
}

fn turn(values: &[f64], own: &Measured) -> Vector3<f64> {
    Vector3::from_column_slice(&values[own.first..own.first + 3])
}

impl Reading {
    /// The turn whose component the residual is, but for what was measured.
    fn rotation_vector(&self, values: &[f64], own: &Measured) -> Vector3<f64> {
        let model = turn(values, own);
        match &self.attitude {
            Some(measured) => (Rotation::exp(measured).inverse() * Rotation::exp(&model)).log(),
            None => model,
        }
    }

    /// Model less measured.
    pub fn residual(&self, values: &[f64], own: &Measured) -> f64 {
        match (own.is_rotation, &self.attitude) {
            (false, _) => values[own.first + own.component] - self.measured,
            (true, Some(_)) => self.rotation_vector(values, own)[own.component],
            (true, None) => values[own.first + own.component] - self.measured,
        }
    }

    /// Its derivatives, from those of the model.
    pub fn row(&self, values: &[f64], rates: &DMatrix<f64>, own: &Measured) -> Vec<f64> {
        if !own.is_rotation {
            return rates.row(own.first + own.component).iter().copied().collect();
        }
        let x = self.rotation_vector(values, own);
        let map: Matrix3<f64> = <Exponential as Retraction<Rotation>>::tangent_inverse(&x);
        let line = map.row(own.component);
        (0..rates.ncols()).map(|column| (0..3).map(|i| line[i] * rates[(own.first + i, column)]).sum()).collect()
    }
}

/// Refuses noise that is stated for a part of the data; true if it is stated.
pub(super) fn is_noise_stated(
    data: &DataTable,
    columns: &Columns,
    readings: &[Reading],
) -> Result<bool, Box<Diagnostic>> {
    let stated = readings.iter().filter(|reading| reading.sigma.is_some()).count();
    if stated == 0 || stated == readings.len() {
        return Ok(stated > 0);
    }
    let without = readings.iter().find(|reading| reading.sigma.is_none());
    let (name, row) = without.map_or(("", 0), |own| (columns.measured[own.output].name.as_str(), own.row));
    let column = without.map_or(0, |own| columns.measured[own.output].column);
    let line = data.line(row);
    let reason =
        format!("it is stated for some values, and not for `{name}` in line {line}: state it for all or for none");
    Err(data.refuse_column(column, FitFault::BadNoise { reason }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_io::scene::dimension::Dimension;

    /// Against central differences of the residual along R exp(h ω): their error is h² of the third derivative.
    #[test]
    fn rows_of_attitudes_are_derivatives_of_their_residuals() {
        let own = |component| Measured {
            column: 0,
            name: String::new(),
            dimension: Dimension::ANGLE,
            first: 1,
            component,
            is_rotation: true,
            sigma: None,
            stated: None,
        };
        let model = Vector3::new(0.4, -1.1, 0.7);
        let omega = Vector3::new(0.3, 0.8, -0.5);
        let rates = DMatrix::from_column_slice(4, 1, &[0.0, omega.x, omega.y, omega.z]);
        let at = |h: f64| {
            let there = (Rotation::exp(&model) * Rotation::exp(&(omega * h))).log();
            [9.0, there.x, there.y, there.z]
        };
        for attitude in [None, Some(Vector3::new(0.5, -0.9, 0.6))] {
            for component in 0..3 {
                let reading = Reading { row: 0, output: 0, measured: 0.1, sigma: None, attitude };
                let h = 1e-4;
                let own = own(component);
                let slope = (reading.residual(&at(h), &own) - reading.residual(&at(-h), &own)) / (2.0 * h);
                let row = reading.row(&at(0.0), &rates, &own);
                assert!((row[0] - slope).abs() < 1e-7, "{attitude:?} {component}: {} {slope}", row[0]);
            }
        }
    }
}
