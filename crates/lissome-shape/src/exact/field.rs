//! The rod as a differential equation on SE(3), and its variation with the wrench at the start.
//!
//! Without distributed loads the wrench is constant in the world, so the pose alone is the state. In the frame of
//! the start of a step, with the wrench (m₀, n₀) there:
//!
//! | symbol | meaning | code | frame |
//! |---|---|---|---|
//! | R, r | rotation and position | `state[0..9]` (columns), `state[9..12]` | start |
//! | n = Rᵀn₀, m = Rᵀ(m₀ − r×n₀) | force and moment; \[muller2025cfk, eq. (6)\] with f′ + κ×f = 0, integrated | `n`, `m` | section |
//! | κ, ε | κ̂ = K⁻¹m + κ̄, ε = e₁ (Kirchhoff); (κ̂, ε) = C(m, n) + (κ̄, e₁) (Cosserat) | [`Law::strain`] | section |
//! | R′ = Rκ~, r′ = Rε | equations (1)–(3), length one | [`rates`] | |
//! | P, Q | rotation and position part of η = (g⁻¹δg)ᵛ, one column per component of (m₀, n₀) | `state[12..48]` | section |
//! | P′ = δκ − κ×P, Q′ = δε − ε×P − κ×Q | variation, η′ = δξ − ad_ξ η | [`rates_with_variation`] | |
//! | δm = m×P + n×Q + Rᵀ(δm₀ − r×δn₀) | and δn = n×P + Rᵀδn₀ | | section |

use crate::elastic::ElasticRod;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// Numbers in a pose: nine of the rotation, three of the position.
pub const POSE: usize = 12;
/// A pose and the energy stored so far.
pub const POSE_AND_ENERGY: usize = 13;
/// A pose and its derivative by the six components of the wrench.
pub const POSE_AND_VARIATION: usize = 48;

/// How the section answers a wrench.
pub trait Law: Copy {
    /// Curvature κ̂ and stretch ε under (m, n).
    fn strain(&self, m: &Vector3<f64>, n: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>);
    /// Their change under (δm, δn).
    fn variation(&self, dm: &Vector3<f64>, dn: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>);
    /// The law at τ within a piece of the rod.
    fn at(rod: &ElasticRod, piece: usize, tau: f64) -> Self;
    /// True if the law does not change along the piece, so that one evaluation serves a whole step.
    fn uniform(rod: &ElasticRod, piece: usize) -> bool;
}

/// Neither stretch nor shear.
#[derive(Clone, Copy, Debug)]
pub struct Kirchhoff {
    compliance: Matrix3<f64>,
    natural: Vector3<f64>,
}

/// With stretch and shear.
#[derive(Clone, Copy, Debug)]
pub struct Cosserat {
    compliance: Matrix6<f64>,
    natural: Vector3<f64>,
}

impl Law for Kirchhoff {
    #[inline(always)]
    fn strain(&self, m: &Vector3<f64>, _: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        (self.compliance * m + self.natural, Vector3::x())
    }
    #[inline(always)]
    fn variation(&self, dm: &Vector3<f64>, _: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        (self.compliance * dm, Vector3::zeros())
    }
    #[inline(always)]
    fn at(rod: &ElasticRod, piece: usize, tau: f64) -> Self {
        let (bending, natural) = rod.bending_in(piece, tau);
        Self { compliance: bending.compliance, natural }
    }
    fn uniform(rod: &ElasticRod, piece: usize) -> bool {
        rod.is_uniform_in(piece)
    }
}

impl Law for Cosserat {
    #[inline(always)]
    fn strain(&self, m: &Vector3<f64>, n: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let (dk, de) = self.variation(m, n);
        (dk + self.natural, de + Vector3::x())
    }
    #[inline(always)]
    fn variation(&self, dm: &Vector3<f64>, dn: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        let v = self.compliance * Vector6::new(dm.x, dm.y, dm.z, dn.x, dn.y, dn.z);
        (Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]))
    }
    #[inline(always)]
    fn at(rod: &ElasticRod, piece: usize, tau: f64) -> Self {
        let (compliance, natural) = rod.compliance_in(piece, tau);
        Self { compliance, natural }
    }
    fn uniform(rod: &ElasticRod, piece: usize) -> bool {
        rod.is_uniform_in(piece)
    }
}

#[inline(always)]
fn vector(a: &[f64], at: usize) -> Vector3<f64> {
    Vector3::new(a[at], a[at + 1], a[at + 2])
}

#[inline(always)]
fn store(a: &mut [f64], at: usize, v: &Vector3<f64>) {
    a[at] = v.x;
    a[at + 1] = v.y;
    a[at + 2] = v.z;
}

/// Everything the two right-hand sides share.
struct Here {
    r: Matrix3<f64>,
    p: Vector3<f64>,
    m: Vector3<f64>,
    n: Vector3<f64>,
    kappa: Vector3<f64>,
    eps: Vector3<f64>,
}

#[inline(always)]
fn evaluate<L: Law>(law: &L, m0: &Vector3<f64>, n0: &Vector3<f64>, state: &[f64], out: &mut [f64]) -> Here {
    let r = Matrix3::from_columns(&[vector(state, 0), vector(state, 3), vector(state, 6)]);
    let p = vector(state, 9);
    let n = r.tr_mul(n0);
    let m = r.tr_mul(&(m0 - p.cross(n0)));
    let (kappa, eps) = law.strain(&m, &n);
    // R κ~ column by column: (R e_j)′ = R (κ × e_j).
    let (x, y, z) = (r.column(0), r.column(1), r.column(2));
    store(out, 0, &(y * kappa.z - z * kappa.y));
    store(out, 3, &(z * kappa.x - x * kappa.z));
    store(out, 6, &(x * kappa.y - y * kappa.x));
    store(out, 9, &(r * eps));
    Here { r, p, m, n, kappa, eps }
}

/// Rates of the pose.
#[inline(always)]
pub fn rates<L: Law>(law: &L, m0: &Vector3<f64>, n0: &Vector3<f64>, state: &[f64; POSE]) -> [f64; POSE] {
    let mut out = [0.0; POSE];
    evaluate(law, m0, n0, state, &mut out);
    out
}

/// Rates of the pose and of the energy ½(m·(κ̂−κ̄) + n·(ε−e₁)).
#[inline(always)]
pub fn rates_with_energy<L: Law>(
    law: &L,
    m0: &Vector3<f64>,
    n0: &Vector3<f64>,
    state: &[f64; POSE_AND_ENERGY],
) -> [f64; POSE_AND_ENERGY] {
    let mut out = [0.0; POSE_AND_ENERGY];
    let Here { m, n, .. } = evaluate(law, m0, n0, state, &mut out);
    let (bend, stretch) = law.variation(&m, &n);
    out[POSE] = 0.5 * (m.dot(&bend) + n.dot(&stretch));
    out
}

/// Rates of the pose and of its derivative by the wrench.
#[inline(always)]
pub fn rates_with_variation<L: Law>(
    law: &L,
    m0: &Vector3<f64>,
    n0: &Vector3<f64>,
    state: &[f64; POSE_AND_VARIATION],
) -> [f64; POSE_AND_VARIATION] {
    let mut out = [0.0; POSE_AND_VARIATION];
    let Here { r, p, m, n, kappa, eps } = evaluate(law, m0, n0, state, &mut out);
    // Columns of Rᵀ and of −Rᵀ r~, what a unit δm₀ or δn₀ adds to the section's moment.
    let rt = r.transpose();
    let lever = -rt * lissome_lie::skew(&p);
    for j in 0..6 {
        let at = POSE + 6 * j;
        let (rotation, position) = (vector(state, at), vector(state, at + 3));
        let (own_m, own_n): (Vector3<f64>, Vector3<f64>) = if j < 3 {
            (rt.column(j).into(), Vector3::zeros())
        } else {
            (lever.column(j - 3).into(), rt.column(j - 3).into())
        };
        let dm = m.cross(&rotation) + n.cross(&position) + own_m;
        let dn = n.cross(&rotation) + own_n;
        let (dk, de) = law.variation(&dm, &dn);
        store(&mut out, at, &(dk - kappa.cross(&rotation)));
        store(&mut out, at + 3, &(de - eps.cross(&rotation) - kappa.cross(&position)));
    }
    out
}
