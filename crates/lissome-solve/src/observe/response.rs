//! How measured numbers, and whatever is read from a state, answer to forces at the markers and to inputs: one solve for each.

use super::probe::Row;
use lissome_mech::{CurvatureOf, Input, Inputs, State, Step, System, Workspace};
use nalgebra::DMatrix;

/// Largest motion of a pose by which readings are differenced: rad, or lengths of the robot. The error of the difference goes with
/// its fourth power, and rounding leaves 1e-16 over it.
const DIFFERENCE: f64 = 1e-4;
/// Places and weights of a difference that is exact for polynomials of the fourth degree.
const STENCIL: [(f64, f64); 4] = [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)];

/// Answers to several causes, a column for each.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// Of the measured numbers.
    pub rows: DMatrix<f64>,
    /// Of the readings; no rows where none were asked for.
    pub readings: DMatrix<f64>,
}

/// Numbers read from a state.
pub type Reading<'r> = dyn Fn(&State) -> Vec<f64> + 'r;

/// Answers to a unit of force along each measured number; `None` where the tangent is singular.
pub fn by_wrenches(
    system: &System,
    state: &State,
    inputs: &Inputs,
    rows: &[Row],
    read: Option<&Reading<'_>>,
    work: &mut Workspace,
) -> Option<Columns> {
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    system.factor(work).ok()?;
    let mut found = Vec::with_capacity(rows.len());
    for cause in rows {
        let step = system.answer_wrench(cause.slot, &cause.covector, state, work);
        let readings = read.map_or(Vec::new(), |read| {
            difference(system, &step, |by, moved| system.retract_increments(state, by, work, moved), state, read)
        });
        found.push((along(rows, &step), readings));
    }
    columns(&found, rows.len())
}

/// Answers to a unit of each input; `None` where the tangent is singular.
pub fn by_inputs(
    system: &System,
    state: &State,
    inputs: &Inputs,
    rows: &[Row],
    causes: &[Input],
    read: Option<&Reading<'_>>,
    work: &mut Workspace,
) -> Option<Columns> {
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    system.factor(work).ok()?;
    let mut found = Vec::with_capacity(causes.len());
    for cause in causes {
        system.assemble_input_column(state, inputs, *cause, work);
        let step = system.solve_input_column(state, work);
        let readings = read.map_or(Vec::new(), |read| {
            let driven = |by: f64, moved: &mut State| {
                let mut there = inputs.clone();
                there.set(*cause, there.get(*cause) + by);
                let mut from = state.clone();
                system.drive(&there, &mut from);
                system.retract_increments(&from, by, work, moved);
            };
            difference(system, &step, driven, state, read)
        });
        found.push((along(rows, &step), readings));
    }
    columns(&found, rows.len())
}

fn along(rows: &[Row], step: &Step) -> Vec<f64> {
    rows.iter().map(|row| row.covector.to_vector().dot(&step.poses[row.slot].to_vector())).collect()
}

/// How readings change along a step.
fn difference(
    system: &System,
    step: &Step,
    retract: impl Fn(f64, &mut State),
    state: &State,
    read: &Reading<'_>,
) -> Vec<f64> {
    let length = system.scales().length;
    let sizes = step.poses.iter().map(|own| own.angular.norm().max(own.linear.norm() / length));
    let size = sizes.fold(0.0, f64::max);
    let by = if size > 0.0 && size.is_finite() { DIFFERENCE / size } else { 1.0 };
    let mut memory = system.workspace();
    let mut moved = state.clone();
    let mut sum: Vec<f64> = Vec::new();
    for (place, weight) in STENCIL {
        retract(place * by, &mut moved);
        system.refresh_dependent_stress(&mut moved, &mut memory);
        let values = read(&moved);
        sum.resize(values.len(), 0.0);
        sum.iter_mut().zip(&values).for_each(|(sum, value)| *sum += weight * value / by);
    }
    sum
}

fn columns(found: &[(Vec<f64>, Vec<f64>)], rows: usize) -> Option<Columns> {
    let readings = found.first().map_or(0, |(_, readings)| readings.len());
    let all = Columns {
        rows: DMatrix::from_fn(rows, found.len(), |row, column| found[column].0[row]),
        readings: DMatrix::from_fn(readings, found.len(), |row, column| found[column].1[row]),
    };
    (all.rows.iter().all(|x| x.is_finite())).then_some(all)
}
