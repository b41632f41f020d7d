//! Whether an equilibrium is a minimum of the energy, and how far it is from ceasing to be one.
//!
//! Two tests that share no code:
//!
//! 1. **Conjugate points.** With the base held, X(τ) = ∂η(τ)/∂μ₀ maps a change of the base wrench to the motion at τ.
//!    Where det X(τ) = 0 a neighbouring equilibrium touches this one at both 0 and τ. A clamped rod is a minimum if and
//!    only if there is no such τ in (0, 1); each counts one direction in which the energy falls (Jacobi's condition,
//!    for rods in \[bretl2014\]). A zero at τ = 1 itself is a fold: an end pose with no unique neighbouring shape.
//!    Two zeros between the same nodes leave the sign of det X alone; they show in the stiffness of the part before τ,
//!    sym(W X⁻¹), whose eigenvalues only fall with τ and leave through −∞ at a conjugate point.
//! 2. **Second variation.** The least eigenvalue of the energy's Hessian relative to its elastic part, over quintics that
//!    keep the tip in place: 1 for an unstressed rod, 0 at a fold, negative beyond.

use crate::elastic::ElasticRod;
use crate::energy::chain::System;
use crate::energy::{Chain, ladder};
use crate::exact::ExactCurve;
use crate::exact::march::{Columns, Family};
use crate::exact::step::Stretch;
use crate::options::Mechanics;
use crate::shape::{Curve, Shape};
use nalgebra::{DMatrix, Vector3};

/// What a small disturbance does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every small motion costs energy.
    Stable,
    /// Some motion costs none: a fold, or a round rod that turns freely about its coaxial ends.
    Neutral,
    /// Some motion sets energy free: the rod would snap away.
    Unstable,
}

/// Stability of an equilibrium with both ends held.
#[derive(Clone, Debug, PartialEq)]
pub struct Stability {
    /// In a word.
    pub verdict: Verdict,
    /// τ of the conjugate points inside the rod, in order; their number is that of falling directions.
    pub conjugate_points: Vec<f64>,
    /// Least eigenvalue of the second variation relative to the elastic stiffness; `None` for a rod that stretches.
    pub fold_margin: Option<f64>,
}

/// Below this margin (and above minus this) an equilibrium counts as neutral.
const NEUTRAL: f64 = 1e-7;
/// Conjugate points nearer to the tip than this belong to the tip.
const AT_TIP: f64 = 1e-6;
/// Phase (rad) up to which a stretch from the base can have no conjugate point: a clamped rod buckles at 2π.
const SAFE_PHASE: f64 = 1.0;

impl Shape {
    /// Stability with both ends held. Polynomial shapes are judged by their second variation alone.
    pub fn stability(&self) -> Stability {
        match &self.curve {
            Curve::Polynomial { chain, .. } => {
                let margin = second_variation(&self.rod, chain, &self.wrench.force);
                Stability { verdict: verdict(0, margin), conjugate_points: Vec::new(), fold_margin: Some(margin) }
            }
            Curve::Exact(curve) => {
                let conjugate_points = conjugate_points(&self.rod, curve);
                let fold_margin = (curve.mechanics == Mechanics::Kirchhoff).then(|| {
                    let cuts = ladder::cuts(&self.rod, segments_for(&self.rod, curve));
                    let chain = Chain::interpolating(&cuts, |tau| curve.pose(&self.rod, tau).rotation.matrix());
                    second_variation(&self.rod, &chain, &curve.wrench.force)
                });
                let margin = fold_margin.unwrap_or(if conjugate_points.is_empty() { 1.0 } else { -1.0 });
                Stability { verdict: verdict(conjugate_points.len(), margin), conjugate_points, fold_margin }
            }
        }
    }
}

fn verdict(conjugate_points: usize, margin: f64) -> Verdict {
    if conjugate_points > 0 || margin < -NEUTRAL {
        Verdict::Unstable
    } else if margin < NEUTRAL {
        Verdict::Neutral
    } else {
        Verdict::Stable
    }
}

/// Quintic segments that turn by about one radian each.
fn segments_for(rod: &ElasticRod, curve: &ExactCurve) -> usize {
    let fastest = curve
        .stretches
        .iter()
        .zip(&curve.nodes)
        .map(|(stretch, node)| curve.strain(rod, stretch.from, node).curvature.norm())
        .fold(0.0, f64::max);
    (fastest as usize).clamp(4, 16)
}

/// τ of all conjugate points in (0, 1), by bisection on the sign of det X.
fn conjugate_points(rod: &ElasticRod, curve: &ExactCurve) -> Vec<f64> {
    let rate = curve.wrench.force.norm().sqrt().max(curve.strain(rod, 0.0, &curve.nodes[0]).curvature.norm());
    let start = (SAFE_PHASE / rate.max(SAFE_PHASE)).min(0.2);
    let mut found = Vec::new();
    let mut previous: Option<(f64, usize)> = None;
    let march = curve.march(rod, Columns::<0>::zeros());
    for k in 0..curve.stretches.len() {
        let stretch = curve.stretches[k];
        let family = *march.family(k + 1);
        let tau = stretch.from + stretch.span;
        let (sign, negative) = (family.x.determinant().signum(), negative_directions(&family));
        if tau < start || sign == 0.0 {
            continue;
        }
        if let Some((before, negative_before)) = previous {
            let changed = before != sign;
            let left = negative_before.saturating_sub(negative);
            let count = if left % 2 == usize::from(changed) { left } else { usize::from(changed) };
            if count > 0 {
                let from = march.family(k);
                let at = if changed { bisect(rod, curve, from, k, before) } else { tau - 0.5 * stretch.span };
                found.extend(std::iter::repeat_n(at, count));
            }
        }
        previous = Some((sign, negative));
    }
    found.retain(|tau| *tau < 1.0 - AT_TIP);
    found
}

/// Negative eigenvalues of sym(W X⁻¹), the stiffness of the part before a node against motion of the node.
fn negative_directions<const M: usize>(family: &Family<M>) -> usize {
    let Some(inverse) = family.x.try_inverse() else { return 0 };
    let stiffness = family.w * inverse;
    let symmetric = (stiffness + stiffness.transpose()) * 0.5;
    if symmetric.iter().any(|x| !x.is_finite()) {
        return 0;
    }
    symmetric.symmetric_eigenvalues().iter().filter(|value| **value < 0.0).count()
}

fn bisect(rod: &ElasticRod, curve: &ExactCurve, from: &Family<0>, k: usize, before: f64) -> f64 {
    let stretch = curve.stretches[k];
    let (mut low, mut high) = (0.0, stretch.span);
    // 40 halvings of a stretch are below the rounding of τ.
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let part = Stretch { span: middle, ..stretch };
        let there = from.over(&curve.link(rod, k, &part), &Columns::zeros());
        if there.x.determinant().signum() == before {
            low = middle;
        } else {
            high = middle;
        }
    }
    stretch.from + high
}

/// Least eigenvalue of the Hessian relative to its elastic part among motions that keep the tip in place.
fn second_variation(rod: &ElasticRod, chain: &Chain, force: &Vector3<f64>) -> f64 {
    let basis = chain.basis();
    let sections = chain.sections(rod, &basis);
    let mut system = System::sized(chain);
    let n = system.n;
    let full = |system: &System| DMatrix::from_fn(n, n, |i, j| system.hessian[i.max(j) * n + i.min(j)]);
    chain.assemble(&basis, &sections, force, 0.0, &mut system);
    let elastic = full(&system);
    let jacobian = DMatrix::from_fn(n, 3, |i, axis| system.reach_slope[i][axis]);
    chain.assemble(&basis, &sections, force, 1.0, &mut system);
    let hessian = full(&system);
    let Some(factor) = elastic.cholesky() else { return f64::NAN };
    let lower = factor.l();
    // A = L⁻¹ H L⁻ᵀ has the wanted quotients; motions with J d = 0 are those orthogonal to L⁻¹Jᵀ.
    let (Some(half), Some(held)) = (lower.solve_lower_triangular(&hessian), lower.solve_lower_triangular(&jacobian))
    else {
        return f64::NAN;
    };
    let Some(a) = lower.solve_lower_triangular(&half.transpose()) else { return f64::NAN };
    let q = held.qr().q();
    let qa = q.transpose() * &a;
    let qaq = &qa * &q;
    // (1 − QQᵀ)A(1 − QQᵀ), with the held directions moved out of the way to the quotient of an unstressed rod.
    let projected = &a - &q * &qa - (&q * &qa).transpose() + &q * qaq * q.transpose() + &q * q.transpose();
    let symmetric = (&projected + projected.transpose()) * 0.5;
    symmetric.symmetric_eigenvalues().min()
}
