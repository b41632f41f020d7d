//! What the columns of the data are: settings, measured outputs, their noise, the time.

use super::noise::Stated;
use crate::derivatives::{self, Described, motion_output};
use lissome_io::fit::{DataTable, FitFault, Mark};
use lissome_io::nearest::nearest;
use lissome_io::scene::dimension::Dimension;
use lissome_io::scene::{drivable, drive_target, identity_holds};
use lissome_io::{DerivativeFault, Diagnostic, Fault, LoadedScene};
use lissome_mech::System;
use lissome_model::{Job, Scene};

/// Name of the column of moments, and the ending of those with noise.
const TIME: &str = "time";
const SIGMA: &str = ".sigma";

/// What an output of the scene's job is: of motions velocities too, and not what only an equilibrium has.
fn describe(scene: &Scene, system: &System, path: &str) -> Result<Described, Box<Diagnostic>> {
    match scene.job {
        Job::Dynamics(_) => motion_output::describe(scene, system, path),
        _ => derivatives::describe(scene, system, path),
    }
}

/// Names of all outputs of the scene's job, but those of places along its rods.
fn names_of(scene: &Scene, system: &System) -> Vec<String> {
    match scene.job {
        Job::Dynamics(_) => motion_output::names_of(scene, system),
        _ => derivatives::names_of(scene, system),
    }
}

/// A column of measured values.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub column: usize,
    pub name: String,
    pub dimension: Dimension,
    /// Row of the model's values at which the output begins that it is of, and its component.
    pub first: usize,
    pub component: usize,
    pub is_rotation: bool,
    /// Column with its noise.
    pub sigma: Option<usize>,
    /// Noise that was stated for all of it.
    pub stated: Option<f64>,
}

/// All columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub time: Option<usize>,
    pub settings: Vec<usize>,
    pub measured: Vec<Measured>,
    /// Outputs that the model is asked for; turns as a whole, so that attitudes can be compared.
    pub asked: Vec<String>,
    /// Rows of all of them.
    pub width: usize,
}

impl Columns {
    /// Finds out what each column is.
    pub fn read(
        base: &LoadedScene,
        text: &str,
        system: &System,
        data: &DataTable,
        noise: &[Stated],
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut own = Self::default();
        let mut wrong: Vec<Diagnostic> = Vec::new();
        for column in 0..data.columns.len() {
            if let Err(complaint) = own.add(base, text, system, data, column) {
                wrong.push(*complaint);
            }
        }
        if wrong.is_empty() && own.measured.is_empty() {
            let reason = "no column is a measured output".to_owned();
            wrong.push(*data.refuse_column(0, FitFault::BadData { reason }));
        }
        for column in 0..data.columns.len() {
            if let Err(complaint) = own.add_sigma(data, column) {
                wrong.push(*complaint);
            }
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        for measured in &mut own.measured {
            measured.stated = Stated::of(noise, &measured.name, measured.dimension)?;
        }
        Stated::check_used(noise, own.measured.iter().map(|measured| measured.name.as_str()))?;
        Ok(own)
    }

    fn add(
        &mut self,
        base: &LoadedScene,
        text: &str,
        system: &System,
        data: &DataTable,
        column: usize,
    ) -> Result<(), Box<Diagnostic>> {
        let own = &data.columns[column];
        let name = own.name.as_str();
        if own.mark.is_none() && name == TIME {
            data.check_unit(column, Dimension::TIME)?;
            self.time = Some(column);
            return Ok(());
        }
        if own.mark != Some(Mark::Set) {
            if self.is_sigma(data, name) {
                return Ok(());
            }
            let described = describe(&base.scene, system, name);
            if let Err(told) = &described
                && matches!(told.fault, Fault::Derivative(DerivativeFault::NotOfMotion { .. }))
            {
                return Err(Box::new(data.place((**told).clone(), 0, column, true)));
            }
            if let Ok(output) = described {
                let settable = base.numbers(name).is_ok() || drive_target(&base.scene, name, None).is_ok();
                if own.mark.is_none() && settable {
                    return Err(data.refuse_column(column, FitFault::Ambiguous { name: name.to_owned() }));
                }
                let (Some(dimension), [_]) = (output.dimension, output.rows.as_slice()) else {
                    let names = output.rows.join(", ");
                    let reason = format!("`{name}` is several numbers: a column each for {names}");
                    return Err(data.refuse_column(column, FitFault::BadData { reason }));
                };
                data.check_unit(column, dimension)?;
                self.measure(base, system, column, name, (dimension, output.is_rotation))?;
                return Ok(());
            }
        }
        let unknown = || {
            let mut known = names_of(&base.scene, system);
            known.extend([TIME.to_owned()]);
            if own.mark != Some(Mark::Measured) {
                known.extend(base.number_paths());
                known.extend(drivable(&base.scene));
            }
            // What is refused for another reason is no hint.
            let others = known.iter().map(String::as_str).filter(|other| *other != name);
            let nearest = nearest(name, others).map(str::to_owned);
            data.refuse_column(column, FitFault::UnknownColumn { name: name.chars().take(80).collect(), nearest })
        };
        if own.mark == Some(Mark::Measured) || data.check_setting(text, 0, column)?.is_none() {
            return Err(unknown());
        }
        let own = base.identity(name);
        let same = |other: &&usize| {
            let other = base.identity(&data.columns[**other].name);
            identity_holds(&other, &own) || identity_holds(&own, &other)
        };
        if let Some(other) = self.settings.iter().find(same) {
            let reason = format!("`{name}` and `{}` set the same number: keep one of them", data.columns[*other].name);
            return Err(data.refuse_column(column, FitFault::BadData { reason }));
        }
        self.settings.push(column);
        Ok(())
    }

    fn is_sigma(&self, data: &DataTable, name: &str) -> bool {
        name.strip_suffix(SIGMA).is_some_and(|of| data.columns.iter().any(|other| other.name == of))
    }

    fn measure(
        &mut self,
        base: &LoadedScene,
        system: &System,
        column: usize,
        name: &str,
        (dimension, is_rotation): (Dimension, bool),
    ) -> Result<(), Box<Diagnostic>> {
        // Of a turn all components are asked for: they change together.
        let (asked, component) = match name.rsplit_once('.') {
            Some((whole, axis)) if is_rotation => {
                (whole, ["x", "y", "z"].iter().position(|own| *own == axis).unwrap_or(0))
            }
            _ => (name, 0),
        };
        let mut first = 0;
        let mut known = false;
        for other in &self.asked {
            if other == asked {
                known = true;
                break;
            }
            first += describe(&base.scene, system, other)?.rows.len();
        }
        if !known {
            self.width += if is_rotation { 3 } else { 1 };
            self.asked.push(asked.to_owned());
        }
        let name = name.to_owned();
        self.measured.push(Measured {
            column,
            name,
            dimension,
            first,
            component,
            is_rotation,
            sigma: None,
            stated: None,
        });
        Ok(())
    }

    fn add_sigma(&mut self, data: &DataTable, column: usize) -> Result<(), Box<Diagnostic>> {
        let own = &data.columns[column];
        let Some(of) = own.name.strip_suffix(SIGMA).filter(|_| own.mark.is_none()) else { return Ok(()) };
        if !self.is_sigma(data, &own.name) {
            return Ok(());
        }
        let Some(measured) = self.measured.iter_mut().find(|measured| measured.name == of) else {
            let reason = format!("it is the noise of `{of}`, which is not measured");
            return Err(data.refuse_column(column, FitFault::BadData { reason }));
        };
        data.check_unit(column, measured.dimension)?;
        measured.sigma = Some(column);
        Ok(())
    }
}
