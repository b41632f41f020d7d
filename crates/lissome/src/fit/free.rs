//! Numbers that are to be found: `material.silicone.young`, `rod.arm.length=0.9..1.1 m`.

use lissome_io::fit::{DataTable, FitFault};
use lissome_io::scene::dimension::Dimension;
use lissome_io::scene::{SceneNumber, identity_holds, units};
use lissome_io::sweep::Axis;
use lissome_io::{Diagnostic, Fault, LoadedScene};
use lissome_solve::least_squares::Variable;

/// Angles that are small count as this, rad.
const SMALL_ANGLE: f64 = 0.1;

/// A number that is to be found.
#[derive(Clone, Debug)]
pub(super) struct Free {
    pub number: SceneNumber,
    limits: (f64, f64),
}

fn refuse(reason: String) -> Vec<Diagnostic> {
    vec![Diagnostic::new(Fault::Fit(FitFault::BadFree { reason }))]
}

impl Free {
    /// Reads arguments; a path that names a vector frees its components.
    pub fn read(
        base: &LoadedScene,
        data: &DataTable,
        settings: &[usize],
        arguments: &[String],
    ) -> Result<Vec<Self>, Vec<Diagnostic>> {
        let mut all: Vec<Self> = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let (path, axis) = match argument.split_once('=') {
                None => (argument.trim().to_owned(), None),
                Some(_) if Axis::is_meant(argument) => {
                    let axis = Axis::read(argument, index, false).map_err(|diagnostic| vec![*diagnostic])?;
                    (axis.path.clone(), Some(axis))
                }
                Some((_, value)) => return Err(refuse(format!("`{value}` is no range LOW..HIGH"))),
            };
            for number in base.numbers(&path).map_err(|diagnostic| vec![*diagnostic])? {
                let limits = match &axis {
                    Some(axis) => limits(axis, &number)?,
                    None => (f64::NEG_INFINITY, f64::INFINITY),
                };
                if !(limits.0..=limits.1).contains(&number.value) {
                    let value = number.value;
                    return Err(refuse(format!("`{}` is {value} (SI) in the scene, beyond its limits", number.path)));
                }
                if all.iter().any(|other| other.number.path == number.path) {
                    return Err(refuse(format!("`{}` is free twice", number.path)));
                }
                // A number has many names: components `force.z` and `force.2`, a tension that of its key or of its drive.
                let own = base.identity(&number.path);
                let set = |column: &&usize| {
                    let other = base.identity(&data.columns[**column].name);
                    identity_holds(&own, &other) || identity_holds(&other, &own)
                };
                if let Some(column) = settings.iter().find(set) {
                    let name = &data.columns[*column].name;
                    return Err(refuse(format!("`{}` is free, and column `{name}` sets it", number.path)));
                }
                all.push(Self { number, limits });
            }
        }
        if all.is_empty() {
            return Err(refuse("no number is free".into()));
        }
        Ok(all)
    }

    /// As the search takes it.
    pub fn variable(&self) -> Variable {
        let start = self.number.value;
        Variable { start, limits: self.limits, size: size(&self.number, start) }
    }
}

/// What counts as a large change of a number that has a value.
pub(super) fn size(number: &SceneNumber, value: f64) -> f64 {
    match number.dimension {
        Dimension::ANGLE => value.abs().max(SMALL_ANGLE),
        _ if value != 0.0 => value.abs(),
        _ if number.beside > 0.0 => number.beside,
        _ => 1.0,
    }
}

/// Least and greatest value, SI.
fn limits(axis: &Axis, number: &SceneNumber) -> Result<(f64, f64), Vec<Diagnostic>> {
    let value = |end: f64| {
        let text = axis.text(end);
        let quantity = units::parse(&text).map_err(|_| refuse(format!("`{text}` is no number with a unit")))?;
        // A bare number is in SI; what a key takes without a unit of its own takes any.
        if quantity.has_unit && number.dimension != Dimension::NONE && !number.dimension.accepts(quantity.dimension) {
            let (path, found, wanted) = (&number.path, quantity.dimension.name(), number.dimension.name());
            return Err(refuse(format!("`{path}` is {wanted}, and its limits are {found}")));
        }
        Ok(quantity.value)
    };
    let (a, b) = (value(axis.from)?, value(axis.to)?);
    Ok((a.min(b), a.max(b)))
}
