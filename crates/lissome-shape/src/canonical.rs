//! Rotations by their canonical coordinates: R = exp(x~), its curvature, its tangent e₁, and their derivatives.
//!
//! With t = x·x and c_m(t) = Σⱼ (−t)ʲ/(2j+m)! everything is a polynomial in x with coefficients c_m, and
//! dc_m/dt = ½(m c_{m+2} − c_{m+1}), so first and second derivatives are closed forms too.
//!
//! | symbol | meaning | code | frame |
//! |---|---|---|---|
//! | x, y | canonical coordinates and their rate x′ | `x`, `y` | segment start |
//! | κ = dexp_x y | c₁ y − c₂ x×y + c₃ x (x·y): equation (2) of \[muller2025cfk\] inverted | [`Canonical::rate`] | section |
//! | v = exp(x~) e₁ | c₀ e₁ + c₁ x×e₁ + c₂ x (x·e₁): equation (3) | [`Canonical::tangent`] | segment start |
//! | D, P | ∂κ/∂y = dexp_x, ∂κ/∂x | [`Canonical::dexp`], [`Canonical::rate_slope`] | |
//! | V | ∂v/∂x = −R e₁~ dexp_x | [`Canonical::tangent_slope`] | |
//! | ν, f | a moment (section), a force (segment start) contracted with κ and v | `nu`, `f` | |

use lissome_lie::dual::Coefficients;
use lissome_lie::skew;
use nalgebra::{Matrix3, Vector3};

/// Everything one rotation vector contributes.
#[derive(Clone, Copy, Debug)]
pub struct Canonical {
    x: Vector3<f64>,
    c: Coefficients,
}

/// Second derivatives of a scalar with respect to (x, y); the yy block is zero.
#[derive(Clone, Copy, Debug)]
pub struct RateHessian {
    /// ∂²/∂x².
    pub xx: Matrix3<f64>,
    /// ∂²/∂x∂y, rows x.
    pub xy: Matrix3<f64>,
}

impl Canonical {
    /// At the rotation vector x; any length.
    #[inline(always)]
    pub fn at(x: Vector3<f64>) -> Self {
        Self { x, c: Coefficients::at(x.norm_squared()) }
    }

    /// dc_m/dt for m = 1, 2, 3.
    #[inline(always)]
    fn slopes(&self) -> (f64, f64, f64) {
        let c = &self.c;
        (0.5 * (c.c3 - c.c2), 0.5 * (2.0 * c.c4 - c.c3), 0.5 * (3.0 * c.c5 - c.c4))
    }

    /// d²c_m/dt² for m = 1, 2, 3.
    #[inline(always)]
    fn curvatures(&self) -> (f64, f64, f64) {
        let c = &self.c;
        (
            0.25 * (3.0 * c.c5 - 3.0 * c.c4 + c.c3),
            0.25 * (8.0 * c.c6 - 5.0 * c.c5 + c.c4),
            0.25 * (15.0 * c.c7 - 7.0 * c.c6 + c.c5),
        )
    }

    /// The rotation matrix exp(x~) = c₀ I + c₁ x~ + c₂ x xᵀ.
    #[inline(always)]
    pub fn matrix(&self) -> Matrix3<f64> {
        let (x, c) = (&self.x, &self.c);
        let mut m = x * (x * c.c2).transpose() + skew(x) * c.c1;
        m[(0, 0)] += c.c0;
        m[(1, 1)] += c.c0;
        m[(2, 2)] += c.c0;
        m
    }

    /// κ = dexp_x y.
    #[inline(always)]
    pub fn rate(&self, y: &Vector3<f64>) -> Vector3<f64> {
        let (x, c) = (&self.x, &self.c);
        y * c.c1 - x.cross(y) * c.c2 + x * (c.c3 * x.dot(y))
    }

    /// D = dexp_x = ∂κ/∂y.
    #[inline(always)]
    pub fn dexp(&self) -> Matrix3<f64> {
        let (x, c) = (&self.x, &self.c);
        let mut m = x * (x * c.c3).transpose() - skew(x) * c.c2;
        m[(0, 0)] += c.c1;
        m[(1, 1)] += c.c1;
        m[(2, 2)] += c.c1;
        m
    }

    /// P = ∂(dexp_x y)/∂x.
    #[inline(always)]
    pub fn rate_slope(&self, y: &Vector3<f64>) -> Matrix3<f64> {
        let (x, c) = (&self.x, &self.c);
        let (d1, d2, d3) = self.slopes();
        let xy = x.dot(y);
        let radial = (y * d1 - x.cross(y) * d2 + x * (d3 * xy)) * 2.0;
        let mut m = radial * x.transpose() + skew(y) * c.c2 + x * (y * c.c3).transpose();
        let diagonal = c.c3 * xy;
        m[(0, 0)] += diagonal;
        m[(1, 1)] += diagonal;
        m[(2, 2)] += diagonal;
        m
    }

    /// Second derivatives of ν · dexp_x y with respect to (x, y).
    #[inline(always)]
    pub fn rate_hessian(&self, y: &Vector3<f64>, nu: &Vector3<f64>) -> RateHessian {
        let (x, c) = (&self.x, &self.c);
        let (d1, d2, d3) = self.slopes();
        let (h1, h2, h3) = self.curvatures();
        let (xy, xn, yn) = (x.dot(y), x.dot(nu), y.dot(nu));
        let nu_cross_y = nu.cross(y);
        let volume = x.dot(&nu_cross_y);
        let first = d1 * yn + d2 * volume + d3 * xn * xy;
        let second = h1 * yn + h2 * volume + h3 * xn * xy;
        let mixed = nu_cross_y * d2 + (nu * xy + y * xn) * d3;
        let mut xx = Matrix3::zeros();
        for i in 0..3 {
            for j in 0..3 {
                xx[(i, j)] = 4.0 * second * x[i] * x[j]
                    + 2.0 * (x[i] * mixed[j] + mixed[i] * x[j])
                    + c.c3 * (nu[i] * y[j] + y[i] * nu[j]);
            }
            xx[(i, i)] += 2.0 * first;
        }
        let along = (nu * d1 + x.cross(nu) * d2 + x * (d3 * xn)) * 2.0;
        let mut block = x * along.transpose() + skew(nu) * c.c2 + nu * (x * c.c3).transpose();
        for i in 0..3 {
            block[(i, i)] += c.c3 * xn;
        }
        RateHessian { xx, xy: block }
    }

    /// v = exp(x~) e₁.
    #[inline(always)]
    pub fn tangent(&self) -> Vector3<f64> {
        let (x, c) = (&self.x, &self.c);
        let k = c.c2 * x.x;
        Vector3::new(c.c0 + k * x.x, c.c1 * x.z + k * x.y, -c.c1 * x.y + k * x.z)
    }

    /// V = ∂v/∂x.
    #[inline(always)]
    pub fn tangent_slope(&self) -> Matrix3<f64> {
        let (x, c) = (&self.x, &self.c);
        let (d1, d2, _) = self.slopes();
        // Derivative of the coefficients along x, then of the polynomial itself.
        let radial = Vector3::new(-c.c1, 2.0 * d1 * x.z, -2.0 * d1 * x.y) + x * (2.0 * d2 * x.x);
        let mut m = radial * x.transpose();
        let k = c.c2 * x.x;
        m[(0, 0)] += k + c.c2 * x.x;
        m[(1, 1)] += k;
        m[(2, 2)] += k;
        m[(1, 0)] += c.c2 * x.y;
        m[(2, 0)] += c.c2 * x.z;
        m[(1, 2)] += c.c1;
        m[(2, 1)] -= c.c1;
        m
    }

    /// Second derivative of f · exp(x~) e₁ with respect to x.
    #[inline(always)]
    pub fn tangent_hessian(&self, f: &Vector3<f64>) -> Matrix3<f64> {
        let (x, c) = (&self.x, &self.c);
        let (d1, d2, _) = self.slopes();
        let (h1, h2, _) = self.curvatures();
        // f·v = c₀ f₁ + c₁ x·a + c₂ (f·x) x₁ with a = e₁ × f.
        let a = Vector3::new(0.0, -f.z, f.y);
        let (xa, xf) = (x.dot(&a), x.dot(f));
        // dc₀/dt = −½c₁, d²c₀/dt² = −½ dc₁/dt.
        let first = -0.5 * c.c1 * f.x + d1 * xa + d2 * xf * x.x;
        let second = -0.5 * d1 * f.x + h1 * xa + h2 * xf * x.x;
        let mixed = a * d1 + f * (d2 * x.x) + Vector3::new(d2 * xf, 0.0, 0.0);
        let mut m = Matrix3::zeros();
        for i in 0..3 {
            for j in 0..3 {
                m[(i, j)] = 4.0 * second * x[i] * x[j] + 2.0 * (x[i] * mixed[j] + mixed[i] * x[j]);
            }
            m[(i, i)] += 2.0 * first;
            m[(i, 0)] += c.c2 * f[i];
            m[(0, i)] += c.c2 * f[i];
        }
        m
    }
}

/// dexp_x⁻¹ = I + ½x~ + γ x~²; singular at |x| = 2π, as the map itself is.
pub fn dexp_inverse(x: &Vector3<f64>) -> Matrix3<f64> {
    let t = x.norm_squared();
    let gamma = lissome_lie::dual::inverse_gamma(t);
    let mut m = x * (x * gamma).transpose() + skew(x) * 0.5;
    for i in 0..3 {
        m[(i, i)] += 1.0 - gamma * t;
    }
    m
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use lissome_lie::Rotation;
    use proptest::prelude::*;

    fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
        [-size..size, -size..size, -size..size].prop_map(Vector3::from)
    }

    /// Central difference of order four: error near 1e-11 for the step below.
    fn slope<const R: usize>(f: impl Fn(f64) -> nalgebra::SVector<f64, R>) -> nalgebra::SVector<f64, R> {
        const H: f64 = 2e-3;
        ((f(H) - f(-H)) * 8.0 - (f(2.0 * H) - f(-2.0 * H))) / (12.0 * H)
    }

    proptest! {
        #[test]
        fn matrix_is_the_exponential(x in vector(5.0)) {
            let want = Rotation::exp(&x).matrix();
            prop_assert!((Canonical::at(x).matrix() - want).amax() < 4e-15);
            prop_assert!((Canonical::at(x).tangent() - want.column(0)).amax() < 4e-15);
        }

        #[test]
        fn rate_is_the_body_curvature(x in vector(4.0), y in vector(3.0)) {
            // κ~ = Rᵀ R′ along x + h y.
            let r = Rotation::exp(&x);
            let numeric = slope::<3>(|h| (r.inverse() * Rotation::exp(&(x + y * h))).log());
            prop_assert!((Canonical::at(x).rate(&y) - numeric).amax() < 1e-8);
            prop_assert!((Canonical::at(x).dexp() * y - Canonical::at(x).rate(&y)).amax() < 1e-13);
        }

        #[test]
        fn slopes_and_hessians_match_differences(
            x in vector(3.5), y in vector(4.0), nu in vector(2.0), f in vector(2.0), d in vector(1.0)
        ) {
            let here = Canonical::at(x);
            let close = |a: Vector3<f64>, b: Vector3<f64>| (a - b).amax() < 2e-8;
            prop_assert!(close(here.rate_slope(&y) * d, slope(|h| Canonical::at(x + d * h).rate(&y))));
            prop_assert!(close(here.tangent_slope() * d, slope(|h| Canonical::at(x + d * h).tangent())));
            let hessian = here.rate_hessian(&y, &nu);
            prop_assert!(close(hessian.xx * d, slope(|h| Canonical::at(x + d * h).rate_slope(&y).tr_mul(&nu))));
            prop_assert!(close(hessian.xy.tr_mul(&d), slope(|h| Canonical::at(x + d * h).dexp().tr_mul(&nu))));
            prop_assert!(close(here.tangent_hessian(&f) * d, slope(|h| Canonical::at(x + d * h).tangent_slope().tr_mul(&f))));
        }

        #[test]
        fn inverse_undoes_dexp(x in vector(3.0)) {
            let product = dexp_inverse(&x) * Canonical::at(x).dexp();
            prop_assert!((product - Matrix3::identity()).amax() < 1e-11);
        }
    }
}
