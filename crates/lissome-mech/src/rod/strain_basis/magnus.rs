//! One step of g′ = g ξ(s) of sixth order, with its derivatives: the step of [`crate::field::magnus_step`] as a function of
//! the three moments α of the strain over the step [blanes2009, eq. (254)].
//!
//! ```text
//! c₁ = [α₂, α₁]      c₂ = −[2α₃ + c₁, α₁]/60      X = −20α₁ − α₃ + c₁      Y = α₂ + c₂
//! Ω = α₁ + α₃/12 + [Y, X]/240
//! ```
//!
//! All of it is built from brackets, so that first and second derivatives are as well.
//!
//! | symbol | meaning | code | unit |
//! |---|---|---|---|
//! | α_k | h ξ(s₂), h √15/3 (ξ(s₃) − ξ(s₁)), h 10/3 (ξ(s₃) − 2ξ(s₂) + ξ(s₁)) | [`MOMENTS`] | rad, m |
//! | Ω | g(s + h) = g(s) exp(Ω) | `MagnusStep::increment` | rad, m |
//! | D_k | ∂Ω/∂α_k | `MagnusStep::derivative` | |
//! | λ | covector (moment, force) dual to Ω | `lambda` | N·m, N |
//! | L(λ) | aᵀ L b = λ·[a, b], antisymmetric | `bracket_form` | |

use lissome_lie::{Twist, skew};
use nalgebra::{Matrix6, Vector3, Vector6};

/// Places of the three Gauss points of a step, as parts of its length.
pub const PLACES: [f64; 3] = [0.5 - ROOT_15 / 10.0, 0.5, 0.5 + ROOT_15 / 10.0];
/// Weights of h ξ at the three points in each moment.
pub const MOMENTS: [[f64; 3]; 3] =
    [[0.0, 1.0, 0.0], [-ROOT_15 / 3.0, 0.0, ROOT_15 / 3.0], [10.0 / 3.0, -20.0 / 3.0, 10.0 / 3.0]];
const ROOT_15: f64 = 3.872_983_346_207_417;

/// A step and its first derivatives.
#[derive(Clone, Copy, Debug)]
pub struct MagnusStep {
    /// Ω.
    pub increment: Vector6<f64>,
    /// D_k.
    pub derivative: [Matrix6<f64>; 3],
    alpha: [Vector6<f64>; 3],
    /// X and Y.
    x: Vector6<f64>,
    y: Vector6<f64>,
    /// ∂c₁/∂α_k, ∂X/∂α_k and ∂Y/∂α_k.
    c1_by: [Matrix6<f64>; 3],
    x_by: [Matrix6<f64>; 3],
    y_by: [Matrix6<f64>; 3],
}

/// Ω alone.
pub fn increment(alpha: &[Vector6<f64>; 3]) -> Vector6<f64> {
    let (_, x, y) = parts(alpha);
    alpha[0] + alpha[2] / 12.0 + bracket(&y, &x) / 240.0
}

/// c₁, X and Y.
fn parts(alpha: &[Vector6<f64>; 3]) -> (Vector6<f64>, Vector6<f64>, Vector6<f64>) {
    let c1 = bracket(&alpha[1], &alpha[0]);
    let c2 = bracket(&(alpha[2] * 2.0 + c1), &alpha[0]) * (-1.0 / 60.0);
    (c1, alpha[0] * -20.0 - alpha[2] + c1, alpha[1] + c2)
}

impl MagnusStep {
    /// At these moments.
    pub fn at(alpha: &[Vector6<f64>; 3]) -> Self {
        let (c1, x, y) = parts(alpha);
        let one = Matrix6::identity();
        let ad_first = ad(&alpha[0]);
        let c1_by = [ad(&alpha[1]), -ad_first, Matrix6::zeros()];
        // [u, α₁] = −ad_α₁ u
        let c2_by =
            [(ad_first * c1_by[0] - ad(&(alpha[2] * 2.0 + c1))) / 60.0, ad_first * c1_by[1] / 60.0, ad_first / 30.0];
        let x_by = [c1_by[0] - one * 20.0, c1_by[1], -one];
        let y_by = [c2_by[0], c2_by[1] + one, c2_by[2]];
        let (ad_x, ad_y) = (ad(&x), ad(&y));
        let mut derivative: [Matrix6<f64>; 3] = std::array::from_fn(|k| (ad_y * x_by[k] - ad_x * y_by[k]) / 240.0);
        derivative[0] += one;
        derivative[2] += one / 12.0;
        let increment = alpha[0] + alpha[2] / 12.0 + bracket(&y, &x) / 240.0;
        Self { increment, derivative, alpha: *alpha, x, y, c1_by, x_by, y_by }
    }

    /// λ·∂²Ω/∂α_k∂α_l.
    pub fn curvature(&self, lambda: &Vector6<f64>) -> [[Matrix6<f64>; 3]; 3] {
        let form = bracket_form(lambda);
        // λ·[d²c₂, X] = μ·d²c₂ and μ·[d²c₁, α₁] = ν·d²c₁, and λ·[Y, d²c₁] = −(L Y)·d²c₁.
        let mu = form * self.x;
        let (form_mu, nu) = (bracket_form(&mu), bracket_form(&mu) * self.alpha[0]);
        // d²c₁ = 2 [δ₂, δ₁], d²c₂ = −([d²c₁, α₁] + 2 [2δ₃ + dc₁, δ₁])/60
        let mut sum: [[Matrix6<f64>; 3]; 3] =
            std::array::from_fn(|k| std::array::from_fn(|l| self.y_by[k].tr_mul(&(form * self.x_by[l])) / 120.0));
        sum[1][0] += bracket_form(&(nu * (-1.0 / 60.0) - form * self.y)) / 120.0;
        for k in 0..2 {
            sum[k][0] -= self.c1_by[k].tr_mul(&form_mu) / 7200.0;
        }
        sum[2][0] -= form_mu / 3600.0;
        std::array::from_fn(|k| std::array::from_fn(|l| (sum[k][l] + sum[l][k].transpose()) * 0.5))
    }
}

/// L(λ) = −[[m~, f~], [f~, 0]].
fn bracket_form(lambda: &Vector6<f64>) -> Matrix6<f64> {
    let (m, f) = (skew(&part(lambda, 0)), skew(&part(lambda, 3)));
    let mut form = Matrix6::zeros();
    form.fixed_view_mut::<3, 3>(0, 0).copy_from(&-m);
    form.fixed_view_mut::<3, 3>(0, 3).copy_from(&-f);
    form.fixed_view_mut::<3, 3>(3, 0).copy_from(&-f);
    form
}

fn part(v: &Vector6<f64>, from: usize) -> Vector3<f64> {
    Vector3::new(v[from], v[from + 1], v[from + 2])
}

fn ad(x: &Vector6<f64>) -> Matrix6<f64> {
    Twist::from_vector(x).ad()
}

/// [a, b] of se(3).
fn bracket(a: &Vector6<f64>, b: &Vector6<f64>) -> Vector6<f64> {
    let (wa, va, wb, vb) = (part(a, 0), part(a, 3), part(b, 0), part(b, 3));
    let (turn, shift) = (wa.cross(&wb), wa.cross(&vb) + va.cross(&wb));
    Vector6::new(turn.x, turn.y, turn.z, shift.x, shift.y, shift.z)
}
