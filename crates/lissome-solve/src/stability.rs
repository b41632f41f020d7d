//! Is an equilibrium a minimum? The inertia of its tangent, and its smallest eigenvalue.
//!
//! Eigenvalues are those of K x = λ K_mat x, K the tangent and K_mat the stiffness of the same poses without stress and
//! load: λ = 1 without load, 0 at a fold, whatever the units.

use crate::divergence;
use crate::lowest::{self, Pair, Pencil};
use crate::newton::NEUTRAL_SHIFT;
use crate::outcome::Stability;
use lissome_mech::index::{RodIndex, Slot};
use lissome_mech::{CurvatureOf, Inputs, State, Step, System, Workspace};

/// The lowest mode of an equilibrium.
pub struct LowestMode {
    /// Its eigenvalue λ.
    pub eigenvalue: f64,
    /// Its direction, block by block as the unknowns, largest scaled displacement one.
    pub direction: Vec<f64>,
}

/// Relative residual of the eigenvector that ends the iteration; the error of the eigenvalue is its square.
const VECTOR_TOLERANCE: f64 = 1e-6;
/// Where several modes are asked for: how many beside the negative ones (two neutral turns, and what matters), a shift that
/// keeps neutral turns from outweighing the rest, and the residual of the vectors.
const CROWD: usize = 3;
const CROWD_SHIFT: f64 = 1e-3;
const CROWD_TOLERANCE: f64 = 1e-5;
/// Eigenvalues nearer to zero are neutral turns of round rods.
const NEUTRAL: f64 = 1e-6;

/// Number of negative directions of the tangent at a state, neutral turns not counted.
pub fn negative_directions(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> usize {
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    system.shift_to(NEUTRAL_SHIFT, work);
    match system.symmetric_inertia(work) {
        Ok(inertia) => inertia.negative.saturating_sub(system.negative_pivots()) + inertia.zero,
        // A pivot vanished: singular is not stable.
        Err(_) => 1,
    }
}

/// Stability of an equilibrium: a minimum of the potential, or without one, free of divergence.
pub fn examine(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Stability {
    let nonconservative = !system.is_conservative();
    if nonconservative
        && system.has_separate_elasticity()
        && let Some(real) = divergence::eigenvalues(system, state, inputs, work)
    {
        let negative_directions = divergence::diverging(&real);
        return Stability {
            stable: negative_directions == 0,
            negative_directions,
            smallest_eigenvalue: real.first().copied().unwrap_or(1.0),
            nonconservative,
        };
    }
    let Some((mode, definite)) = judged_mode(system, state, inputs, work) else {
        let negative_directions = negative_directions(system, state, inputs, work);
        let stable = negative_directions == 0;
        return Stability { stable, negative_directions, smallest_eigenvalue: f64::NAN, nonconservative };
    };
    let negative_directions = if definite { 0 } else { negative_directions(system, state, inputs, work) };
    let (stable, smallest_eigenvalue) = (negative_directions == 0, mode.eigenvalue);
    Stability { stable, negative_directions, smallest_eigenvalue, nonconservative }
}

/// The lowest mode by Lanczos' iteration on (K + μ K_mat)⁻¹ K_mat, μ just large enough to make K + μ K_mat positive
/// definite. `None` if no shift does.
pub fn lowest_mode(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Option<LowestMode> {
    Some(judged_mode(system, state, inputs, work)?.0)
}

/// The two eigenvalues nearest to zero of a stable equilibrium, neutral turns left out, to 1e-10; fewer if there are not as many.
pub fn nearest_eigenvalues(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Vec<f64> {
    critical_modes(system, state, inputs, 0, 2, work).iter().map(|mode| mode.eigenvalue).collect()
}

/// The mode whose eigenvalue is nearest to zero, neutral turns left out, where `negative` eigenvalues are below zero.
pub(crate) fn critical_mode(
    system: &System,
    state: &State,
    inputs: &Inputs,
    negative: usize,
    work: &mut Workspace,
) -> Option<LowestMode> {
    critical_modes(system, state, inputs, negative, 1, work).into_iter().next()
}

/// Several of them, the nearest first; where a column is round, two have the same eigenvalue.
pub(crate) fn critical_modes(
    system: &System,
    state: &State,
    inputs: &Inputs,
    negative: usize,
    count: usize,
    work: &mut Workspace,
) -> Vec<LowestMode> {
    let asked = (negative + CROWD + count - 1, CROWD_SHIFT, CROWD_TOLERANCE);
    let Some((modes, _)) = modes(system, state, inputs, asked, work) else { return Vec::new() };
    let mut lasting: Vec<LowestMode> = modes.into_iter().filter(|mode| mode.eigenvalue.abs() > NEUTRAL).collect();
    lasting.sort_by(|a, b| a.eigenvalue.abs().total_cmp(&b.eigenvalue.abs()));
    lasting.truncate(count);
    lasting
}

/// True if a motion exists that nothing resists, such as the turn of a buckled round column about its thrust: the tangent
/// is singular, and the equilibrium one of a family.
pub(crate) fn is_neutral(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> bool {
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    let mut count = |shift: f64| {
        system.shift_to(shift, work);
        system.symmetric_inertia(work).ok().map(|inertia| inertia.negative + inertia.zero)
    };
    let (above, below) = (count(NEUTRAL_SHIFT), count(-NEUTRAL_SHIFT));
    above != below
}

/// The lowest mode, and whether the tangent is positive definite but for neutral turns.
fn judged_mode(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Option<(LowestMode, bool)> {
    let (modes, mu) = modes(system, state, inputs, (1, NEUTRAL_SHIFT, VECTOR_TOLERANCE), work)?;
    Some((modes.into_iter().next()?, mu == NEUTRAL_SHIFT))
}

/// A number of the lowest modes with a shift that is at least given, to a tolerance; and the shift that was taken.
fn modes(
    system: &System,
    state: &State,
    inputs: &Inputs,
    (count, least_shift, tolerance): (usize, f64, f64),
    work: &mut Workspace,
) -> Option<(Vec<LowestMode>, f64)> {
    // The displacement form condenses its stress, so its material stiffness is its tangent without stress and load.
    let material = (!system.has_separate_elasticity()).then(|| {
        let mut bare = state.clone();
        bare.linear.iter_mut().for_each(|block| block.fill(0.0));
        let mut work = system.workspace();
        system.assemble(&bare, &inputs.with_factor(0.0), CurvatureOf::Poses, &mut work);
        work
    });
    let mu = definite_shift(system, state, inputs, least_shift, work)?;
    let mut pencil = Tangent { system, work, material };
    // A start that is not orthogonal to anything: pose blocks with slowly varying entries.
    let mut x = vec![0.0; system.unknowns()];
    for (i, rows) in system.displacement_rows().enumerate() {
        for (c, row) in rows.enumerate() {
            x[row] = (1.0 + i as f64).sqrt() * (1.0 + 0.37 * c as f64).sin();
        }
    }
    // Motions that closures, cables and limits forbid are taken out of it.
    let mut image = vec![0.0; x.len()];
    let mut start = vec![0.0; x.len()];
    pencil.material(&x, &mut image);
    pencil.solve(&image, &mut start);
    let found = lowest::largest(&mut pencil, start, count, tolerance);
    let mode = |pair: &Pair| {
        let scale = 1.0 / pair.vector.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let direction = pair.vector.iter().map(|x| x * scale).collect();
        LowestMode { eigenvalue: 1.0 / pair.value - mu, direction }
    };
    Some((found.iter().map(mode).collect(), mu))
}

/// (K + μ K_mat)⁻¹ K_mat in the inner product of K_mat.
struct Tangent<'a> {
    system: &'a System,
    work: &'a mut Workspace,
    material: Option<Workspace>,
}

impl Pencil for Tangent<'_> {
    fn material(&mut self, x: &[f64], y: &mut [f64]) {
        match &mut self.material {
            Some(bare) => bare.multiply(x, y),
            None => self.system.material_times(x, y, self.work),
        }
    }

    fn solve(&mut self, m: &[f64], y: &mut [f64]) {
        y.copy_from_slice(m);
        self.system.solve_symmetric(y, self.work);
    }
}

/// The shift that makes the tangent positive definite, its factor left in the workspace.
fn definite_shift(system: &System, state: &State, inputs: &Inputs, least: f64, work: &mut Workspace) -> Option<f64> {
    let definite_at = system.negative_pivots();
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    let mut mu = least;
    while mu < 1e8 {
        system.shift_to(mu, work);
        if let Ok(inertia) = system.symmetric_inertia(work)
            && inertia.negative == definite_at
            && inertia.zero == 0
        {
            return Some(mu);
        }
        mu = if mu == NEUTRAL_SHIFT { CROWD_SHIFT } else { mu * 3.0 };
    }
    None
}

/// Rod and arc length where a mode moves most; `work` was assembled where it was found.
pub fn largest_motion(system: &System, direction: &[f64], work: &Workspace) -> Option<(usize, f64)> {
    let layout = system.layout();
    largest_on_rods(system, |slot| {
        if let Some(group) = layout.own_group(slot.node()) {
            return Some(direction[layout.rows(group)][3..].iter().map(|x| x * x).sum::<f64>());
        }
        // Poses on a strain basis follow.
        let (rod, _) = layout.rod_of(slot)?;
        system.rods()[rod].strain_basis()?;
        Some(system.motion_of(slot, direction, work).linear.norm_squared())
    })
}

/// The same of a step.
pub(crate) fn largest_motion_of(system: &System, step: &Step) -> Option<(usize, f64)> {
    largest_on_rods(system, |slot| Some(step.pose(slot).linear.norm_squared()))
}

fn largest_on_rods(system: &System, size: impl Fn(Slot) -> Option<f64>) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64, f64)> = None;
    for (index, rod) in system.rods().iter().enumerate() {
        let knots = rod.curve().knot_vector();
        for (i, slot) in system.layout().rod(RodIndex::new(index)).poses().map(Slot::new).enumerate() {
            let Some(size) = size(slot) else { continue };
            if best.is_none_or(|(_, _, largest)| size > largest) {
                best = Some((index, knots.greville(i), size));
            }
        }
    }
    best.map(|(rod, s, _)| (rod, s))
}

/// Cosine of the angle between a step and a mode, of the poses and strain coordinates that both move; lengths count relative to
/// the longest rod.
pub(crate) fn alignment(system: &System, step: &Step, direction: &[f64]) -> f64 {
    let layout = system.layout();
    let length = system.scales().length;
    let (mut product, mut of_step, mut of_mode) = (0.0, 0.0, 0.0);
    let mut add = |a: f64, b: f64, turns: bool| {
        let unit = if turns { 1.0 } else { 1.0 / length };
        let (a, b) = (a * unit, b * unit);
        product += a * b;
        of_step += a * a;
        of_mode += b * b;
    };
    for (slot, own) in step.poses.iter().enumerate() {
        let Some(group) = layout.own_group(Slot::new(slot).node()) else { continue };
        for (i, (a, b)) in own.to_vector().iter().zip(&direction[layout.rows(group)]).enumerate() {
            add(*a, *b, i < 3);
        }
    }
    for (joint, own) in system.joints().iter().zip(&step.joints).filter(|(joint, _)| joint.strain_of.is_some()) {
        let Some(group) = layout.own_group(joint.node) else { continue };
        for (i, (a, b)) in own.iter().zip(&direction[layout.rows(group)]).enumerate() {
            add(*a, *b, joint.subgroup.turns(i));
        }
    }
    product / (of_step * of_mode).sqrt().max(f64::MIN_POSITIVE)
}
