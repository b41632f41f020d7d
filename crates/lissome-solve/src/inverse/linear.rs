//! What one factorisation says of a state and its drives: the step to equilibrium, how the state answers each drive, and
//! what both do to the gaps.

use super::quantity::At;
use super::{Goal, Posture, Problem};
use crate::newton::NEUTRAL_SHIFT;
use lissome_mech::{CurvatureOf, KeptStep, Step, System, Workspace};
use nalgebra::{DMatrix, DVector};
use std::sync::Arc;

/// The equations linearised at a posture, which need not be an equilibrium.
#[derive(Clone)]
pub(super) struct Linear {
    pub posture: Posture,
    /// The step to equilibrium, and its size.
    pub plain: KeptStep,
    pub plain_size: f64,
    /// How the state answers each drive.
    pub columns: Vec<KeptStep>,
    /// The motion of all poses that goes with each.
    pub motions: Vec<Step>,
    /// Weighted gaps, extrapolated to equilibrium.
    pub gap: DVector<f64>,
    /// Their derivatives by the drives, in the units of the drives.
    pub jacobian: DMatrix<f64>,
    /// Negative directions; `None` without a potential.
    pub negative: Option<usize>,
    /// Scaled residual of the equations.
    pub residual: f64,
}

/// Memory that belongs to one system.
pub struct Memory {
    /// Whose layout it has.
    system: Arc<System>,
    pub(super) work: Workspace,
    /// For evaluations beside the factor at hand.
    pub(super) beside: Workspace,
}

/// Memory of a search: where it stands, and for trials; and where the last search ended, whose factor the first stands for.
pub struct Memories {
    pub(super) here: Memory,
    pub(super) there: Memory,
    pub(super) ended: Option<Box<Ended>>,
}

/// Where a search ended, and the last factor on its way.
pub(super) struct Ended {
    pub posture: Posture,
    pub near: Linear,
    /// The way from there to the end.
    pub way: Way,
}

/// A way from where equations were linearised, in what the factor answered.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Changes of the drives, in their units.
    pub drives: DVector<f64>,
    /// Steps to equilibrium beside the first one.
    pub plains: Vec<KeptStep>,
    /// True if the first one is on it.
    pub moves: bool,
}

impl Way {
    /// A change of the drives with the step to equilibrium that goes with it.
    pub fn of(drives: DVector<f64>) -> Self {
        Self { drives, plains: Vec::new(), moves: true }
    }

    /// No way at all.
    pub fn none(count: usize) -> Self {
        Self { moves: false, ..Self::of(DVector::zeros(count)) }
    }
}

impl Memories {
    /// For searches that begin with these equations.
    pub fn of(posture: &Posture) -> Self {
        Self { here: Memory::of(posture), there: Memory::of(posture), ended: None }
    }
}

impl Memory {
    pub(super) fn of(posture: &Posture) -> Self {
        let system = posture.system.clone();
        Self { work: system.workspace(), beside: system.workspace(), system }
    }

    /// Made anew where the equations of a posture have another layout: tubes passed each other.
    pub(super) fn fit(&mut self, posture: &Posture) {
        if !self.system.shares_layout(&posture.system) {
            *self = Self::of(posture);
        }
    }
}

/// Linearises. `None` where the tangent is singular or a number is not finite.
pub(super) fn linearise(mut posture: Posture, problem: &Problem<'_>, memory: &mut Memory) -> Option<Linear> {
    let Memory { work, beside, .. } = memory;
    let Posture { system, state, inputs } = &mut posture;
    system.refresh_dependent_stress(state, work);
    let residual = system.assemble(state, inputs, CurvatureOf::Increments, work);
    system.shift_to(NEUTRAL_SHIFT, work);
    let inertia = system.factor(work).ok()?;
    let negative = inertia
        .filter(|_| system.is_conservative())
        .map(|own| own.negative.saturating_sub(system.negative_pivots()) + own.zero);
    system.solve(state, work);
    let plain_size = system.step_size(work);
    if !plain_size.is_finite() {
        return None;
    }
    let at = At { system, state, inputs };
    let mut gap = gaps(at, problem.goals, beside);
    let mut rates = Vec::with_capacity(gap.len());
    for goal in problem.goals {
        let first = rates.len();
        goal.quantity.rate(at, work.step(), None, beside, &mut rates);
        rates[first..].iter_mut().for_each(|own| *own *= goal.weight);
    }
    gap.iter_mut().zip(&rates).for_each(|(own, rate)| *own += rate);
    let plain = KeptStep::of(work);
    let (mut columns, mut motions) = (Vec::new(), Vec::new());
    let mut jacobian = DMatrix::zeros(gap.len(), problem.unknowns.len());
    for (j, unknown) in problem.unknowns.iter().enumerate() {
        system.assemble_input_column(state, inputs, unknown.input, work);
        system.solve_input_change(state, work);
        let at = At { system, state, inputs };
        let mut row = 0;
        for goal in problem.goals {
            rates.clear();
            goal.quantity.rate(at, work.step(), Some(unknown.input), beside, &mut rates);
            for own in &rates {
                jacobian[(row, j)] = own * goal.weight * unknown.unit;
                row += 1;
            }
        }
        columns.push(KeptStep::of(work));
        motions.push(work.step().clone());
    }
    let residual = residual.balance.max(residual.misfit);
    let finite = gap.iter().chain(&jacobian).all(|own| own.is_finite());
    finite.then_some(Linear { plain, plain_size, columns, motions, gap, jacobian, negative, residual, posture })
}

/// Derivatives of the weighted gaps at a posture by the drives, from how the state answers them nearby.
pub(super) fn aimed(near: &Linear, posture: &Posture, problem: &Problem<'_>, beside: &mut Workspace) -> DMatrix<f64> {
    let Posture { system, state, inputs } = posture;
    let at = At { system, state, inputs };
    let rows = problem.goals.iter().map(|goal| goal.quantity.size()).sum();
    let mut jacobian = DMatrix::zeros(rows, problem.unknowns.len());
    let mut rates = Vec::new();
    for (j, (unknown, motion)) in problem.unknowns.iter().zip(&near.motions).enumerate() {
        let mut row = 0;
        for goal in problem.goals {
            rates.clear();
            goal.quantity.rate(at, motion, Some(unknown.input), beside, &mut rates);
            for own in &rates {
                jacobian[(row, j)] = own * goal.weight * unknown.unit;
                row += 1;
            }
        }
    }
    jacobian
}

/// Weighted gaps of a state.
pub(super) fn gaps(at: At<'_>, goals: &[Goal], work: &mut Workspace) -> DVector<f64> {
    let mut all = Vec::new();
    for goal in goals {
        let first = all.len();
        goal.quantity.gap(at, work, &mut all);
        all[first..].iter_mut().for_each(|own| *own *= goal.weight);
    }
    DVector::from_vec(all)
}
