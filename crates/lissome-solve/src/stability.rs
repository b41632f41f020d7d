//! Is an equilibrium a minimum? The inertia of its tangent, and its smallest eigenvalue.
//!
//! Eigenvalues are those of K x = λ K_mat x, K the tangent and K_mat the stiffness of the same poses without stress and
//! load: λ = 1 without load, 0 at a fold, whatever the units.

use crate::divergence;
use crate::newton::NEUTRAL_SHIFT;
use crate::outcome::Stability;
use lissome_mech::{CurvatureOf, Inputs, State, System, Workspace};

/// The lowest mode of an equilibrium.
pub struct LowestMode {
    /// Its eigenvalue λ.
    pub eigenvalue: f64,
    /// Its direction, block by block as the unknowns, largest scaled displacement one.
    pub direction: Vec<f64>,
}

/// Inverse iterations at most; the eigenvalue error falls with the square of the eigenvalue ratio at each.
const MOST_ITERATIONS: usize = 60;
/// Relative change of the eigenvalue that ends the iteration.
const EIGENVALUE_TOLERANCE: f64 = 1e-10;

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
        && system.has_independent_stresses()
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
    let negative_directions = negative_directions(system, state, inputs, work);
    let smallest_eigenvalue = lowest_mode(system, state, inputs, work).map_or(f64::NAN, |mode| mode.eigenvalue);
    Stability { stable: negative_directions == 0, negative_directions, smallest_eigenvalue, nonconservative }
}

/// The lowest mode by inverse iteration on K + μ K_mat, μ just large enough to make it positive definite.
/// `None` if no shift does.
pub fn lowest_mode(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Option<LowestMode> {
    // The displacement form condenses its stress, so its material stiffness is its tangent without stress and load.
    let mut material = (!system.has_independent_stresses()).then(|| {
        let mut bare = state.clone();
        bare.linear.iter_mut().for_each(|block| block.fill(0.0));
        let mut work = system.workspace();
        system.assemble(&bare, &inputs.with_factor(0.0), CurvatureOf::Poses, &mut work);
        work
    });
    let mut apply = |x: &[f64], y: &mut [f64], work: &mut Workspace| match &mut material {
        Some(bare) => bare.multiply(x, y),
        None => system.material_times(x, y, work),
    };
    let mu = definite_shift(system, state, inputs, work)?;
    let n = system.unknowns();
    // A start that is not orthogonal to anything: pose blocks with slowly varying entries.
    let mut x = vec![0.0; n];
    for (i, rows) in system.displacement_rows().enumerate() {
        for (c, row) in rows.enumerate() {
            x[row] = (1.0 + i as f64).sqrt() * (1.0 + 0.37 * c as f64).sin();
        }
    }
    let mut y = vec![0.0; n];
    let mut eigenvalue = f64::INFINITY;
    for _ in 0..MOST_ITERATIONS {
        apply(&x, &mut y, work);
        let mut z = y.clone();
        system.solve_symmetric(&mut z, work);
        // Rayleigh quotient of z: zᵀ(K + μK_mat)z = zᵀ y.
        let stiffness = dot(&z, &y);
        apply(&z, &mut y, work);
        let norm = dot(&z, &y);
        let next = stiffness / norm;
        let scale = 1.0 / z.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        x.iter_mut().zip(&z).for_each(|(x, z)| *x = z * scale);
        let done = (next - eigenvalue).abs() <= EIGENVALUE_TOLERANCE * next.abs().max(1e-6);
        eigenvalue = next;
        if done || !next.is_finite() {
            break;
        }
    }
    Some(LowestMode { eigenvalue: eigenvalue - mu, direction: x })
}

/// The shift that makes the tangent positive definite, its factor left in the workspace.
fn definite_shift(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Option<f64> {
    let definite_at = system.negative_pivots();
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    let mut mu = NEUTRAL_SHIFT;
    while mu < 1e8 {
        system.shift_to(mu, work);
        if let Ok(inertia) = system.symmetric_inertia(work)
            && inertia.negative == definite_at
            && inertia.zero == 0
        {
            return Some(mu);
        }
        mu = if mu == NEUTRAL_SHIFT { 1e-3 } else { mu * 3.0 };
    }
    None
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
