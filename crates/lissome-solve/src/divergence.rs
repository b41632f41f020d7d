//! Static stability without a potential: follower forces and moments.
//!
//! The tangent K is then not symmetric, and the sign of its symmetric part is sufficient for stability but far from
//! necessary. What counts is whether an eigenvalue of K x = λ K_mat x has passed to a negative real part: a motion that
//! the rod no longer resists. K_mat⁻¹K is the identity plus what stress and load add, so its eigenvalues gather at one
//! and the few that do not are found by a short Arnoldi iteration on (K + μK_mat)⁻¹K_mat, whose factor knows closures,
//! cables and limits: motions that those forbid do not count. Flutter with all real parts positive depends on the masses:
//! see [`crate::flutter`].

use crate::schur::schur;
use lissome_mech::{CurvatureOf, Inputs, State, System, Workspace};
use nalgebra::{Complex, DMatrix};

/// Krylov vectors: the outlying eigenvalues settle within about twice their number.
const KRYLOV: usize = 48;
/// A new direction shorter than this is round-off: the space is exhausted.
const EXHAUSTED: f64 = 1e-12;
/// Eigenvalues nearer to zero are neutral turns of round rods.
pub(crate) const NEUTRAL: f64 = 1e-6;
/// μ: neutral turns stay finite.
const SHIFT: f64 = 0.1;
/// θ = 1/(λ + μ) below this is a motion that is forbidden, or nearly.
const FORBIDDEN: f64 = 1e-9;

/// Real parts of the outlying eigenvalues of K x = λ K_mat x, in increasing order. Every rod must have independent stresses.
pub fn eigenvalues(system: &System, state: &State, inputs: &Inputs, work: &mut Workspace) -> Option<Vec<f64>> {
    system.assemble(state, inputs, CurvatureOf::Poses, work);
    system.shift_to(SHIFT, work);
    system.factor(work).ok()?;

    let n = system.unknowns();
    let size: usize = system.displacement_rows().map(|rows| rows.len()).sum();
    let most = KRYLOV.min(size);
    // Orthonormal in the inner product of K_mat: directions and their images under K_mat.
    let mut basis: Vec<(Vec<f64>, Vec<f64>)> = Vec::with_capacity(most + 1);
    let first = allowed(system, work, start(system));
    basis.push(normalised(system, work, first)?);
    let mut hessenberg = DMatrix::zeros(most + 1, most);
    let mut columns = 0;
    for j in 0..most {
        let mut next = basis[j].1.clone();
        system.solve_tangent(&mut next, work);
        // Twice is enough.
        for _ in 0..2 {
            for (i, (direction, dual)) in basis.iter().enumerate() {
                let part: f64 = next.iter().zip(dual).map(|(a, b)| a * b).sum();
                hessenberg[(i, j)] += part;
                next.iter_mut().zip(direction).for_each(|(a, b)| *a -= part * b);
            }
        }
        columns = j + 1;
        let mut dual = vec![0.0; n];
        system.material_times(&next, &mut dual, work);
        let norm = next.iter().zip(&dual).map(|(a, b)| a * b).sum::<f64>().max(0.0).sqrt();
        if !norm.is_finite() {
            return None;
        }
        if norm < EXHAUSTED {
            break;
        }
        hessenberg[(j + 1, j)] = norm;
        basis.push((next.iter().map(|a| a / norm).collect(), dual.iter().map(|a| a / norm).collect()));
    }
    let square = hessenberg.view((0, 0), (columns, columns)).map(Complex::from);
    let [_, triangle] = schur(square)?;
    // Re λ of λ = 1/θ − μ.
    let eigenvalues = triangle.diagonal();
    let lasting = eigenvalues.iter().filter(|theta| theta.norm() > FORBIDDEN);
    let mut real: Vec<f64> = lasting.map(|theta| theta.re / theta.norm_sqr() - SHIFT).collect();
    real.sort_by(f64::total_cmp);
    Some(real)
}

/// How many of them have passed through zero.
pub fn diverging(real: &[f64]) -> usize {
    real.iter().filter(|lambda| **lambda < -NEUTRAL).count()
}

fn start(system: &System) -> Vec<f64> {
    let mut x = vec![0.0; system.unknowns()];
    for (i, rows) in system.displacement_rows().enumerate() {
        for (c, row) in rows.enumerate() {
            x[row] = (1.0 + i as f64).sqrt() * (1.0 + 0.37 * (c + i) as f64).sin();
        }
    }
    x
}

/// A direction that closures, cables and limits allow.
fn allowed(system: &System, work: &mut Workspace, x: Vec<f64>) -> Vec<f64> {
    let mut y = vec![0.0; x.len()];
    system.material_times(&x, &mut y, work);
    system.solve_tangent(&mut y, work);
    y
}

fn normalised(system: &System, work: &mut Workspace, x: Vec<f64>) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut dual = vec![0.0; x.len()];
    system.material_times(&x, &mut dual, work);
    let norm = x.iter().zip(&dual).map(|(a, b)| a * b).sum::<f64>().sqrt();
    (norm.is_finite() && norm > 0.0)
        .then(|| (x.iter().map(|a| a / norm).collect(), dual.iter().map(|a| a / norm).collect()))
}
