//! How the tips of rods, and bodies that rods carry together, move with what drives and loads a robot, exactly, from the factor at an equilibrium.
//!
//! A column of the inputs is one solve (`System::assemble_input_column`), a unit wrench on a tip another. Lengths and tensions
//! of tendons change with the same steps. All of it holds while slack tendons stay slack, and with friction held.

use lissome_lie::{Pose, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{CurvatureOf, Input, Inputs, State, Step, System, Workspace};
use nalgebra::{DMatrix, Matrix6, Vector6};

/// Directions of lengths that change less than this part of the most are not told apart: parallel tendons pull alike.
const SAME_DIRECTION: f64 = 1e-9;

/// More are not looked at: a forest has no tip, and each load costs a solve.
const MOST_TIPS: usize = 6;
const MOST_LOADS: usize = 32;

/// Derivatives at an equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The numbers that it is by: tendons first (tension, length or pull, whichever drives each), then cables, loads of rods and
    /// loads of frames (their factors).
    pub inputs: Vec<Input>,
    /// One for each rod with a free tip (with tendons: of those that they run along), and for each body that nothing else carries.
    pub tips: Vec<TipSensitivity>,
    /// Tensions of the tendons (rows) by the inputs (columns), N per unit.
    pub tensions: DMatrix<f64>,
    /// Lengths of the tendons (rows) by the inputs (columns), m per unit.
    pub lengths: DMatrix<f64>,
}

/// What moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tip {
    /// The tip of a rod.
    Rod(usize),
    /// A body.
    Body(usize),
}

/// How a tip moves. Turns (rad) and shifts (m) in world axes, turns first.
#[derive(Clone, Debug, PartialEq)]
pub struct TipSensitivity {
    /// Of what.
    pub of: Tip,
    /// By each of the inputs.
    pub by_inputs: Vec<Vector6<f64>>,
    /// By the length of each tendon with least change of the tensions: rad/m, and 1. Where lengths cannot be chosen
    /// independently, as near as they can.
    pub by_lengths: Vec<Vector6<f64>>,
    /// By a wrench on the tip, moment first, world axes: symmetric where all loads have a potential.
    pub compliance: Matrix6<f64>,
}

/// Derivatives at an equilibrium; nothing where there is no tip, or the tangent is singular.
pub fn examine(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Option<Sensitivity> {
    let tips = tips(system);
    if tips.is_empty() {
        return None;
    }
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    system.factor(work).ok()?;
    let tendons = system.tendons().len();
    let by = all_inputs(inputs, tendons);
    let mut found = Sensitivity {
        tips: tips
            .iter()
            .map(|(of, _)| TipSensitivity {
                of: *of,
                by_inputs: Vec::with_capacity(by.len()),
                by_lengths: Vec::new(),
                compliance: Matrix6::zeros(),
            })
            .collect(),
        tensions: DMatrix::zeros(tendons, by.len()),
        lengths: DMatrix::zeros(tendons, by.len()),
        inputs: by,
    };
    for (column, input) in found.inputs.iter().enumerate() {
        system.assemble_input_column(state, inputs, *input, work);
        let step = system.solve_input_column(state, work);
        for (tip, (_, last)) in found.tips.iter_mut().zip(&tips) {
            tip.by_inputs.push(in_world(&state.poses[*last], &step, *last));
        }
        for (row, (tension, length)) in system.tendon_rates(state, inputs, *input, &step).into_iter().enumerate() {
            (found.tensions[(row, column)], found.lengths[(row, column)]) = (tension, length);
        }
    }
    for (tip, (_, last)) in found.tips.iter_mut().zip(&tips) {
        let pose = state.poses[*last];
        for c in 0..6 {
            let mut unit = Vector6::zeros();
            unit[c] = 1.0;
            let world = Wrench::from_vector(&unit);
            let body =
                Wrench::new(pose.rotation.inverse_rotate(&world.moment), pose.rotation.inverse_rotate(&world.force));
            let step = system.solve_wrench(*last, &body, state, work);
            tip.compliance.set_column(c, &in_world(&pose, &step, *last));
        }
        tip.by_lengths = by_lengths(&tip.by_inputs[..tendons], &found.lengths.columns(0, tendons).into_owned());
    }
    Some(found)
}

/// Rods whose tip nothing holds, of a robot with tendons those that they run along; and bodies that nothing carries but what is attached
/// to them. Each with the number of its pose.
fn tips(system: &System) -> Vec<(Tip, usize)> {
    let runs = system.tendons().iter().flat_map(|line| &line.runs);
    let mut rods: Vec<usize> = runs.map(|run| run.rod.index()).collect();
    if rods.is_empty() {
        rods = (0..system.rods().len()).collect();
    }
    rods.sort_unstable();
    rods.dedup();
    let tip = |rod: usize| system.free_tip(RodIndex::new(rod)).map(|slot| (Tip::Rod(rod), slot.index()));
    let bodies = system.bodies().iter().enumerate().filter(|(_, body)| body.start.is_some());
    let bodies = bodies.map(|(index, body)| (Tip::Body(index), body.slot.index()));
    rods.into_iter().filter_map(tip).chain(bodies).take(MOST_TIPS).collect()
}

fn all_inputs(inputs: &Inputs, tendons: usize) -> Vec<Input> {
    let cables = (0..inputs.cables.len()).map(Input::Cable);
    let loads = (0..inputs.loads.len()).map(Input::Load);
    let frame_loads = (0..inputs.frame_loads.len()).map(Input::FrameLoad);
    let loads = loads.chain(frame_loads).take(MOST_LOADS);
    (0..tendons).map(Input::Tendon).chain(cables).chain(loads).collect()
}

/// The motion of a pose, in world axes.
fn in_world(pose: &Pose, step: &Step, slot: usize) -> Vector6<f64> {
    let twist = step.poses[slot];
    let (turn, shift) = (pose.rotation.rotate(&twist.angular), pose.rotation.rotate(&twist.linear));
    Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z)
}

/// J (∂ℓ/∂u)⁺: of all changes of the inputs that give a change of the lengths, or come nearest, the least.
fn by_lengths(by_inputs: &[Vector6<f64>], lengths: &DMatrix<f64>) -> Vec<Vector6<f64>> {
    let n = by_inputs.len();
    if n == 0 {
        return Vec::new();
    }
    let decomposed = lengths.clone().svd(true, true);
    let threshold = SAME_DIRECTION * decomposed.singular_values.max();
    let Ok(inverse) = decomposed.pseudo_inverse(threshold) else { return Vec::new() };
    (0..n).map(|column| (0..n).fold(Vector6::zeros(), |sum, k| sum + by_inputs[k] * inverse[(k, column)])).collect()
}
