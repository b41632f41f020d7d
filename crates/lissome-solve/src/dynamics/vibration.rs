//! Complex modes: (λ²M + λC + K) x = 0 with K not symmetric, or with damping, by shifted Arnoldi.
//!
//! Without damping −λ² is an eigenvalue of K x = −λ²M x, and (K + σ²M)⁻¹M has the eigenvalues 1/(σ² − λ²). With damping the
//! velocity v = λx joins the unknowns, and (x, v) ↦ (x′, v′) with
//!
//! ```text
//! (σ²M + σC + K) x′ = −(M v + C x + σM x),    v′ = x + σx′
//! ```
//!
//! has the eigenvalues 1/(λ − σ): one factor of the size of statics, no matrix of twice the size. Modes near the real number
//! σ > 0 converge first: of motions that swing, those of the lowest frequency.

use super::small_motions::{MOST_SHIFTS, ModesError, Rest, SHIFT_GROWTH, Solution};
use crate::arnoldi;
use crate::krylov::{self, Operator, Reach};
use lissome_mech::{MotionWorkspace, System, Workspace};
use lissome_sparse::kkt::KktMatrix;
use nalgebra::Complex;

/// Eigenvalues smaller than this part of the largest belong to motions that constraints forbid: the modes that are asked
/// for are no million times apart.
const FORBIDDEN: f64 = 1e-6;
/// Vectors beside four times the eigenvalues asked for.
const SPARE_VECTORS: usize = 60;
/// How often the number of vectors is doubled where it is not enough, the first time included.
const DOUBLINGS: usize = 3;
/// Error at which an eigenvalue has converged.
const TOLERANCE: f64 = 1e-12;
/// Without damping, growth below this part of |λ| is the square root of a rounding error: two frequencies that nearly meet.
const SPLIT: f64 = 1e-6;

/// The solutions without damping.
pub(super) fn undamped(rest: &mut Rest<'_>, mut square: f64, count: usize) -> Result<Vec<Solution>, ModesError> {
    let mut tangent = factored(rest, &mut square, false)?;
    let (system, mass) = (rest.system, &rest.mass);
    let starts = starts(system, |x| x);
    let mut operator = Undamped { system, tangent: &mut tangent, mass };
    let found = nearest(&mut operator, &starts, count, |found| found.complete);
    let pairs = found.filter(|found| found.complete).ok_or(ModesError::NotConverged)?.pairs;
    let mut solutions = Vec::new();
    for pair in pairs {
        // The root that does not decay.
        let root = (Complex::from(square) - pair.value.inv()).sqrt();
        let conjugate = |x: Vec<f64>| x.into_iter().map(|x| -x).collect::<Vec<f64>>();
        let of = |lambda: Complex<f64>, real: Vec<f64>, imaginary: Vec<f64>| {
            // Motions are told with a frequency that is not negative.
            let imaginary = if lambda.im < 0.0 { conjugate(imaginary) } else { imaginary };
            let lambda = Complex::new(lambda.re, lambda.im.abs());
            Solution { lambda, order: lambda.norm(), real, imaginary, error: pair.error }
        };
        if pair.value.im == 0.0 {
            solutions.push(of(root, pair.real, pair.imaginary));
        } else if root.re < SPLIT * root.norm() {
            // Two swings that are nearly one.
            let lasting = Complex::new(0.0, root.norm());
            let imaginary = vec![0.0; pair.imaginary.len()];
            solutions.push(of(lasting, pair.real.clone(), imaginary.clone()));
            solutions.push(of(lasting, pair.imaginary, imaginary));
        } else {
            // λ and −λ̄: with the growing motion goes one that dies out as fast.
            let dying = Complex::new(-root.re, root.im);
            solutions.push(of(root, pair.real.clone(), pair.imaginary.clone()));
            solutions.push(of(dying, pair.real, conjugate(pair.imaginary)));
        }
    }
    Ok(solutions)
}

/// The solutions with damping.
pub(super) fn damped(rest: &mut Rest<'_>, square: f64, count: usize) -> Result<Vec<Solution>, ModesError> {
    let mut square = square;
    let mut tangent = factored(rest, &mut square, true)?;
    let (system, sigma) = (rest.system, square.sqrt());
    let n = system.unknowns();
    let starts = starts(system, |mut x| {
        x.resize(2 * n, 0.0);
        let (displacement, velocity) = x.split_at_mut(n);
        velocity.copy_from_slice(displacement);
        velocity.iter_mut().for_each(|v| *v *= sigma);
        x
    });
    let mut operator = Damped { system, tangent: &mut tangent, mass: &rest.mass, work: &rest.work, sigma };
    // Over-damped motions gather at a point: not all of them converge, and those that swing do before.
    let enough = |found: &arnoldi::Found| found.complete || found.pairs.len() >= count;
    let found = nearest(&mut operator, &starts, 2 * count, enough);
    let mut pairs = found.filter(enough).ok_or(ModesError::NotConverged)?.pairs;
    drop_forbidden(&mut pairs);
    let mut plain = system.workspace();
    rest.assemble(&mut plain);
    let mut solution = |mut pair: arnoldi::Eigenpair| {
        let lambda = pair.value.inv() + sigma;
        pair.real.truncate(n);
        pair.imaginary.truncate(n);
        if lambda.im < 0.0 {
            pair.imaginary.iter_mut().for_each(|x| *x = -*x);
        }
        let (real, imaginary) = in_phase(pair.real, pair.imaginary, &rest.mass);
        let stiffness = square_sum([&real, &imaginary], |x, y| system.stiffness_times(x, y, &mut plain));
        let order = (stiffness.abs() / square_sum([&real, &imaginary], |x, y| rest.mass.multiply(x, y))).sqrt();
        Solution { lambda: Complex::new(lambda.re, lambda.im.abs()), real, imaginary, error: pair.error, order }
    };
    Ok(pairs.into_iter().map(&mut solution).collect())
}

/// Motions that constraints forbid have no eigenvalue at all: what round-off leaves of 1/(λ − σ) is none.
fn drop_forbidden(pairs: &mut Vec<arnoldi::Eigenpair>) {
    let largest = pairs.iter().map(|pair| pair.value.norm()).fold(0.0, f64::max);
    pairs.retain(|pair| pair.value.norm() > FORBIDDEN * largest);
}

/// The eigenvalues of largest magnitude, from as many vectors as it takes.
fn nearest(
    operator: &mut impl Operator,
    starts: &[Vec<f64>],
    wanted: usize,
    enough: impl Fn(&arnoldi::Found) -> bool,
) -> Option<arnoldi::Found> {
    let mut found = None;
    for doubling in 0..DOUBLINGS {
        let most = (4 * wanted + SPARE_VECTORS) << doubling;
        found = arnoldi::largest(operator, starts.to_vec(), Reach { wanted, most, tolerance: TOLERANCE });
        if found.as_ref().is_none_or(&enough) {
            break;
        }
    }
    found
}

/// The tangent with σ²M + σC, factored; a shift that meets an eigenvalue grows.
fn factored(rest: &Rest<'_>, square: &mut f64, damped: bool) -> Result<Workspace, ModesError> {
    let mut tangent = rest.system.general_workspace();
    for _ in 0..MOST_SHIFTS {
        rest.assemble(&mut tangent);
        let damping = if damped { square.sqrt() } else { 0.0 };
        if rest.system.factor_vibration(*square, damping, &mut tangent, &rest.work).is_ok() {
            return Ok(tangent);
        }
        *square *= SHIFT_GROWTH;
    }
    Err(ModesError::Indefinite)
}

fn starts(system: &System, full: impl Fn(Vec<f64>) -> Vec<f64>) -> Vec<Vec<f64>> {
    let n = system.unknowns();
    krylov::starts(n, system.displacement_rows()).into_iter().map(full).collect()
}

/// aᵀBa + bᵀBb.
fn square_sum(parts: [&Vec<f64>; 2], mut times: impl FnMut(&[f64], &mut [f64])) -> f64 {
    let square = |x: &Vec<f64>| {
        let mut y = vec![0.0; x.len()];
        times(x, &mut y);
        x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>()
    };
    parts.into_iter().map(square).sum()
}

/// The same motion with its phase turned so that its real part has as much of the mass as it can.
fn in_phase(real: Vec<f64>, imaginary: Vec<f64>, mass: &KktMatrix) -> (Vec<f64>, Vec<f64>) {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (mut of_real, mut of_imaginary) = (vec![0.0; real.len()], vec![0.0; real.len()]);
    mass.multiply(&real, &mut of_real);
    mass.multiply(&imaginary, &mut of_imaginary);
    let square = Complex::new(dot(&real, &of_real) - dot(&imaginary, &of_imaginary), 2.0 * dot(&real, &of_imaginary));
    let turn = Complex::from_polar(1.0, -0.5 * square.arg());
    let turned = |a: &f64, b: &f64| Complex::new(*a, *b) * turn;
    real.iter().zip(&imaginary).map(|(a, b)| turned(a, b)).map(|x| (x.re, x.im)).unzip()
}

struct Undamped<'a> {
    system: &'a System,
    tangent: &'a mut Workspace,
    mass: &'a KktMatrix,
}

impl Operator for Undamped<'_> {
    fn mass(&mut self, x: &[f64], y: &mut [f64]) {
        self.mass.multiply(x, y);
    }
    fn apply(&mut self, _: &[f64], mass_x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(mass_x);
        self.system.solve_tangent(y, self.tangent);
    }
}

struct Damped<'a> {
    system: &'a System,
    tangent: &'a mut Workspace,
    mass: &'a KktMatrix,
    work: &'a MotionWorkspace,
    sigma: f64,
}

impl Operator for Damped<'_> {
    /// Twice the energy: of x in the elastic stiffness and σ²M, of v in the mass. What has no mass but is damped still counts.
    fn mass(&mut self, x: &[f64], y: &mut [f64]) {
        let n = x.len() / 2;
        let mut inertia = vec![0.0; n];
        self.mass.multiply(&x[..n], &mut inertia);
        self.system.material_times(&x[..n], &mut y[..n], self.tangent);
        y[..n].iter_mut().zip(&inertia).for_each(|(y, m)| *y += self.sigma * self.sigma * m);
        self.mass.multiply(&x[n..], &mut y[n..]);
    }

    fn apply(&mut self, x: &[f64], _: &[f64], y: &mut [f64]) {
        let n = x.len() / 2;
        // M (v + σx) + C x.
        let carried: Vec<f64> = x[n..].iter().zip(&x[..n]).map(|(v, x)| v + self.sigma * x).collect();
        let mut resisted = vec![0.0; n];
        self.system.damping_times(&x[..n], &mut resisted, self.tangent, self.work);
        let (displacement, velocity) = y.split_at_mut(n);
        self.mass.multiply(&carried, displacement);
        displacement.iter_mut().zip(&resisted).for_each(|(y, c)| *y = -(*y + c));
        self.system.solve_tangent(displacement, self.tangent);
        for ((v, x), moved) in velocity.iter_mut().zip(&x[..n]).zip(&*displacement) {
            *v = x + self.sigma * moved;
        }
    }
}
