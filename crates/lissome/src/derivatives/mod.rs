//! Derivatives of any output of an equilibrium by any number of its scene, both named by their dotted paths; and of a motion ([`of_motion`]).
//!
//! One solve with the factor of the equilibrium for each number (forward), or for each output (adjoint), whichever are fewer;
//! `docs/theory/derivatives.md` tells what is exact and what is differenced.

mod along_motion;
mod input;
mod motion;
mod motion_adjoint;
pub(crate) mod motion_output;
mod neighbours;
mod output;
mod requests;

pub use along_motion::MotionJacobian;
pub use input::Source;
pub(crate) use motion::motion_with_derivatives;
pub use motion::{Mode, MotionGradient, of_motion, of_motion_by, vjp_of_motion};
pub(crate) use neighbours::{Neighbours, Place};
pub(crate) use requests::requested;

use crate::robot::standing::Standing;
use input::{Number, Refused};
use lissome_io::scene::dimension::Dimension;
use lissome_io::scene::{Beside, Variants};
use lissome_io::{DerivativeFault, Diagnostic, Fault};
use lissome_lie::Wrench;
use lissome_mech::{Covector, System, Workspace};
use lissome_model::Scene;
use lissome_solve::derivative::{CHANGE, Moved, Rate, Side, Spacing, Tangent, View};
use nalgebra::DMatrix;
use output::Output;
use std::sync::Arc;

/// Eigenvalues are known to 1e-12: neighbours lie so many times as far apart for them.
const WIDER: f64 = 8.0;

/// Derivatives of outputs by numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// Names of the rows.
    pub of: Vec<String>,
    /// Dotted paths of the columns.
    pub wrt: Vec<String>,
    /// The derivatives, SI.
    pub values: DMatrix<f64>,
    /// Largest part by which differences of the equations of the fourth and of the second order differ, of each column. The error of
    /// the derivative is of the order of its square.
    pub roughness: Vec<f64>,
    /// True if one solve for each row was made instead of one for each column.
    pub adjoint: bool,
}

impl Jacobian {
    /// Rows and columns of which nothing depends on anything: every derivative is exactly zero.
    pub fn independent(&self) -> Vec<(&str, &str)> {
        let mut pairs = Vec::new();
        for (column, wrt) in self.wrt.iter().enumerate() {
            for (row, of) in self.of.iter().enumerate() {
                if self.values[(row, column)] == 0.0 {
                    pairs.push((of.as_str(), wrt.as_str()));
                }
            }
        }
        pairs
    }
}

fn no_tangent(reason: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Fault::Derivative(DerivativeFault::NoTangent { reason: reason.to_owned() })))
}

/// Names of all outputs of a robot, but those of places along its rods.
pub(crate) fn output_names(standing: &Standing<'_>) -> Vec<String> {
    output::names(standing.scene, standing.system)
}

/// Work at one equilibrium.
struct Work<'a> {
    standing: Standing<'a>,
    source: Source<'a>,
    /// Scenes beside that of the file.
    beside: Option<Beside<'a>>,
    tangent: Tangent<'a>,
    outputs: Vec<Output>,
    numbers: Vec<Number>,
    /// Of each output that is double: itself and the other.
    doubles: Vec<Option<[f64; 2]>>,
}

impl<'a> Work<'a> {
    fn new(standing: Standing<'a>, source: Source<'a>, of: &[&str], wrt: &[&str]) -> Result<Self, Box<Diagnostic>> {
        let numbers = wrt.iter().map(|path| Number::find(&standing, &source, path)).collect::<Result<Vec<_>, _>>()?;
        Self::by(standing, source, of, numbers.concat())
    }

    fn by(
        standing: Standing<'a>,
        source: Source<'a>,
        of: &[&str],
        numbers: Vec<Number>,
    ) -> Result<Self, Box<Diagnostic>> {
        let Standing { scene, system, state, inputs } = standing;
        if system.has_contact_friction() && system.rubs(state, inputs) {
            // Where it sticks, and which way it slid, came about under the loads that led here.
            let reason = "something rubs in this equilibrium, which depends on the way that led to it".to_owned();
            return Err(Box::new(Diagnostic::new(Fault::Derivative(DerivativeFault::CourseNotSmooth {
                time: None,
                reason,
            }))));
        }
        if let Some(held) = numbers.iter().find(|number| number.is_held()) {
            let reason = format!(
                "`{}` acts through what it leaves of the tension along a tendon alone, which derivatives hold",
                held.path
            );
            return Err(Box::new(Diagnostic::new(Fault::Derivative(DerivativeFault::CourseNotSmooth {
                time: None,
                reason,
            }))));
        }
        let mut outputs = of.iter().map(|path| Output::find(scene, system, path)).collect::<Result<Vec<_>, _>>()?;
        let tangent = Tangent::at(system, state, inputs);
        let tangent = tangent.ok_or_else(|| no_tangent("the tangent of the equilibrium is singular"))?;
        let tangent = tangent.of_scene(scene);
        outputs.iter_mut().for_each(|output| output.stand(system, tangent.state()));
        let doubles = vec![None; outputs.len()];
        let of_file: Vec<_> = numbers.iter().filter_map(Number::of_file).cloned().collect();
        let beside = source.file.filter(|_| !of_file.is_empty()).map(|file| file.beside(of_file, scene));
        Ok(Self { standing, source, beside, tangent, outputs, numbers, doubles })
    }

    /// How equations and outputs change with a number.
    fn rate(&mut self, number: usize) -> Result<Rate, Box<Diagnostic>> {
        let Self { standing, source, beside, tangent, outputs, numbers, .. } = self;
        let number = &numbers[number];
        let mut read = |view: &View<'_>, work: &mut Workspace| {
            let read = |output: &Output| match output.is_of_tangent() {
                true => vec![0.0],
                false => output.read(standing.scene, view, work),
            };
            outputs.iter().flat_map(read).collect()
        };
        let mut moved = |by: f64| number.moved(standing, source, by, beside);
        let mut best: Result<Rate, Refused> = Err(Refused::OtherPlaces);
        // At the edge of what a number may be there are neighbours on one side only.
        for side in [Side::Both, Side::Above, Side::Below] {
            let found = tangent.rate(number.spacing(), side, &mut moved, &mut read);
            let done = found.is_ok();
            if done || side == Side::Both {
                best = found;
            }
            if done {
                break;
            }
        }
        best.map_err(|refused| refused.about(&number.path))
    }

    /// Refuses eigenvalues and frequencies that there are not, and notes those that are double.
    fn check_tangent(&mut self) -> Result<(), Box<Diagnostic>> {
        if !self.outputs.iter().any(Output::is_of_tangent) {
            return Ok(());
        }
        let Standing { scene, system, inputs, .. } = self.standing;
        let mut work = system.workspace();
        let view = View { system, state: self.tangent.state(), inputs };
        for (output, double) in self.outputs.iter().zip(&mut self.doubles).filter(|(output, _)| output.is_of_tangent())
        {
            let path = output.names[0].clone();
            *double = output.double(&view, &mut work);
            if output.read(scene, &view, &mut work)[0].is_nan() {
                return Err(no_tangent(&format!(
                    "there is no `{path}`: nothing has mass, or no shift makes the tangent definite"
                )));
            }
        }
        Ok(())
    }

    /// Rows of a column that are known of whole tangents alone.
    fn of_tangents(&mut self, number: usize, rate: &Rate) -> Result<Vec<f64>, Box<Diagnostic>> {
        if !self.outputs.iter().any(Output::is_of_tangent) {
            return Ok(Vec::new());
        }
        let step = self.tangent.answer(rate);
        let Self { standing, source, beside, tangent, outputs, numbers, doubles } = self;
        let number = &numbers[number];
        // Two that stay the same under the change of a number, as those of a round column do, have one derivative.
        let mut parted: Option<(String, [f64; 2])> = None;
        let mut read = |view: &View<'_>, work: &mut Workspace| {
            for (output, values) in outputs.iter().zip(doubles.iter()) {
                if let Some(values) = values
                    && output.double(view, work).is_none()
                {
                    parted = Some((output.names[0].clone(), *values));
                }
            }
            let own = outputs.iter().filter(|output| output.is_of_tangent());
            own.flat_map(|output| output.read(standing.scene, view, work)).collect()
        };
        let mut moved = |by: f64| number.moved(standing, source, by, beside);
        let found = tangent.along_equilibria(WIDER * rate.distance, &step, &mut moved, &mut read);
        let found = found.map_err(|refused: Refused| refused.about(&number.path))?;
        match parted {
            Some((path, values)) => {
                Err(Box::new(Diagnostic::new(Fault::Derivative(DerivativeFault::Double { path, values }))))
            }
            None => Ok(found),
        }
    }

    /// All rows of a column, from one solve; `of_tangents` are those that this solve does not tell.
    fn column(&mut self, rate: &Rate, of_tangents: &[f64]) -> Vec<f64> {
        let step = self.tangent.answer(rate);
        let Self { standing, tangent, outputs, .. } = self;
        let differenced = outputs.iter().any(|output| !output.is_of_pose() && !output.is_of_tangent());
        let mut read = |view: &View<'_>, work: &mut Workspace| {
            let others = outputs.iter().filter(|output| !output.is_of_pose() && !output.is_of_tangent());
            others.flat_map(|output| output.read(standing.scene, view, work)).collect()
        };
        let others = if differenced { tangent.along(rate, &step, &mut read) } else { Vec::new() };
        let mut others = others.into_iter();
        let mut of_tangents = of_tangents.iter().copied();
        let mut rows = Vec::with_capacity(rate.explicit.len());
        for output in outputs.iter() {
            match output.along(tangent.state(), &step) {
                Some(known) => rows.extend(known),
                None if output.is_of_tangent() => rows.extend(of_tangents.next()),
                None => rows.extend(others.by_ref().take(output.names.len())),
            }
        }
        rows.iter_mut().zip(&rate.explicit).for_each(|(row, explicit)| *row += explicit);
        rows
    }

    fn rows(&self) -> usize {
        self.outputs.iter().map(|output| output.names.len()).sum()
    }

    /// Functionals of all rows; `None` if one of them is not of a pose.
    fn covectors(&self) -> Option<Vec<(usize, Wrench)>> {
        let all = self.outputs.iter().map(|output| output.covectors(self.tangent.state()));
        all.collect::<Option<Vec<_>>>().map(|rows| rows.concat())
    }

    fn jacobian(mut self, adjoint: Option<bool>) -> Result<Jacobian, Box<Diagnostic>> {
        self.check_tangent()?;
        let (rows, columns) = (self.rows(), self.numbers.len());
        let covectors = match adjoint {
            Some(false) => None,
            None if rows >= columns => None,
            _ => self.covectors(),
        };
        let adjoints: Option<Vec<_>> =
            covectors.map(|all| all.iter().map(|row| self.tangent.adjoint(std::slice::from_ref(row))).collect());
        let mut values = DMatrix::zeros(rows, columns);
        let mut roughness = Vec::with_capacity(columns);
        for column in 0..columns {
            let rate = self.rate(column)?;
            roughness.push(rate.roughness);
            let found = match &adjoints {
                Some(adjoints) => {
                    let is_felt = !rate.demand.is_nothing();
                    let of = |adjoint: &Covector| if is_felt { adjoint.of(&rate.demand) } else { 0.0 };
                    adjoints.iter().zip(&rate.explicit).map(|(adjoint, explicit)| of(adjoint) + explicit).collect()
                }
                None => {
                    let of_tangents = self.of_tangents(column, &rate)?;
                    self.column(&rate, &of_tangents)
                }
            };
            values.column_mut(column).copy_from_slice(&found);
        }
        Ok(Jacobian {
            of: self.outputs.iter().flat_map(|output| output.names.clone()).collect(),
            wrt: self.numbers.into_iter().map(|number| number.path).collect(),
            values,
            roughness,
            adjoint: adjoints.is_some(),
        })
    }

    /// Σ weight · row of every column: one solve in all where every row is of a pose.
    fn vjp(mut self, weights: &[f64]) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
        if weights.len() != self.rows() {
            let reason = format!("{} weights for {} rows", weights.len(), self.rows());
            return Err(no_tangent(&reason));
        }
        self.check_tangent()?;
        let covectors = self.covectors();
        let adjoint = covectors.map(|all| {
            let weighted = all.iter().zip(weights).map(|((slot, wrench), weight)| (*slot, *wrench * *weight));
            self.tangent.adjoint(&weighted.collect::<Vec<_>>())
        });
        let mut found = Vec::with_capacity(self.numbers.len());
        for column in 0..self.numbers.len() {
            let rate = self.rate(column)?;
            let dot = |rows: &[f64]| rows.iter().zip(weights).map(|(row, weight)| row * weight).sum::<f64>();
            let value = match &adjoint {
                Some(adjoint) => adjoint.of(&rate.demand) + dot(&rate.explicit),
                None => {
                    let of_tangents = self.of_tangents(column, &rate)?;
                    dot(&self.column(&rate, &of_tangents))
                }
            };
            found.push((self.numbers[column].path.clone(), value));
        }
        Ok(found)
    }
}

/// Rows of outputs at an equilibrium, each with its name; turns and shifts count from another one, if one is given.
pub(crate) fn outputs(
    standing: Standing<'_>,
    of: &[&str],
    from: Option<Standing<'_>>,
) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
    let Standing { scene, system, state, inputs } = standing;
    let mut work = system.workspace();
    let mut rows = Vec::new();
    for path in of {
        let mut output = Output::find(scene, system, path)?;
        if let Some(from) = &from {
            output.stand(from.system, from.state);
        }
        let values = output.read(scene, &View { system, state, inputs }, &mut work);
        rows.extend(output.names.into_iter().zip(values));
    }
    Ok(rows)
}

/// How outputs change along a family of scenes that differ in their numbers alone, at its member 0, those of eigenvalues left out.
/// `size` is what counts as a large change.
pub(crate) fn along_family(
    standing: Standing<'_>,
    of: &[&str],
    size: f64,
    scene_at: &mut dyn FnMut(f64) -> Scene,
) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
    let mut work = Work::new(standing, Source::default(), of, &[])?;
    let Work { tangent, outputs, .. } = &mut work;
    outputs.retain(|output| !output.is_of_tangent());
    let mut read = |view: &View<'_>, memory: &mut Workspace| {
        outputs.iter().flat_map(|output| output.read(standing.scene, view, memory)).collect()
    };
    let mut moved = |by: f64| {
        let mut scene = scene_at(by);
        match scene.divide_like(standing.scene) {
            true => Ok(Moved::Scene(Arc::new(scene), 0.0, None)),
            false => Err(Refused::OtherPlaces),
        }
    };
    let spacing = Spacing { value: 0.0, distance: CHANGE * size };
    let rate = tangent.rate(spacing, Side::Both, &mut moved, &mut read);
    let rate = rate.map_err(|refused: Refused| refused.about("the family of scenes"))?;
    let rows = work.column(&rate, &[]);
    Ok(work.outputs.into_iter().flat_map(|output| output.names).zip(rows).collect())
}

/// Derivatives of outputs by numbers at an equilibrium. `adjoint` chooses the way, `None` that with fewer solves.
pub(crate) fn jacobian(
    standing: Standing<'_>,
    source: Source<'_>,
    of: &[&str],
    wrt: &[&str],
    adjoint: Option<bool>,
) -> Result<Jacobian, Box<Diagnostic>> {
    Work::new(standing, source, of, wrt)?.jacobian(adjoint)
}

/// Derivatives of outputs by the numbers of variants of a file, at an equilibrium of the variant with these values; with the equations
/// of neighbours that others ask for too.
pub(crate) fn by_variants(
    standing: Standing<'_>,
    of: &[&str],
    (variants, neighbours): (&Arc<Variants>, Option<&Arc<Neighbours>>),
    values: &[f64],
) -> Result<Jacobian, Box<Diagnostic>> {
    let numbers = Number::varied(&standing, variants, neighbours, values);
    Work::by(standing, Source::default(), of, numbers)?.jacobian(None)
}

/// What an output is: the names of its rows, what they measure (`None` where they differ), and whether they are a turn.
pub(crate) struct Described {
    pub rows: Vec<String>,
    pub dimension: Option<Dimension>,
    pub is_rotation: bool,
}

/// What the output is that a path names.
pub(crate) fn describe(scene: &Scene, system: &System, path: &str) -> Result<Described, Box<Diagnostic>> {
    let output = Output::find(scene, system, path)?;
    let (dimension, is_rotation) = (output.dimension(scene), output.is_rotation());
    Ok(Described { rows: output.names, dimension, is_rotation })
}

/// Names of the rows of all outputs of a robot, but those of places along its rods.
pub(crate) fn names_of(scene: &Scene, system: &System) -> Vec<String> {
    let rows = |name: String| describe(scene, system, &name).map(|output| output.rows).unwrap_or_default();
    output::names(scene, system).into_iter().flat_map(rows).collect()
}

/// Derivatives of Σ weight · row of the outputs by numbers.
pub(crate) fn vjp(
    standing: Standing<'_>,
    source: Source<'_>,
    of: &[&str],
    weights: &[f64],
    wrt: &[&str],
) -> Result<Vec<(String, f64)>, Box<Diagnostic>> {
    Work::new(standing, source, of, wrt)?.vjp(weights)
}
