//! Jacobi's elliptic functions by the arithmetic–geometric mean.
//!
//! With a₀ = 1, b₀ = k′, c₀ = k and the mean iterated N times, φ_N = 2^N a_N u and sin(2φ_{n−1} − φ_n) = (c_n/a_n) sin φ_n
//! lead down to the amplitude φ₀ of u, sn u = sin φ₀ and cn u = cos φ₀ [abramowitz1964, 16.4].

/// The mean converges quadratically; more halvings than this never happen for k′ above the smallest double.
const MOST_MEANS: usize = 20;

/// sn, cn and dn of one argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jacobi {
    /// sn u.
    pub sn: f64,
    /// cn u.
    pub cn: f64,
    /// dn u.
    pub dn: f64,
}

/// The functions at `u` for the modulus k and k′ with k² + k′² = 1, k′ > 0.
pub fn jacobi(u: f64, k: f64, complement: f64) -> Jacobi {
    let (mut a, mut b) = (1.0, complement);
    let mut ratios = Vec::with_capacity(MOST_MEANS);
    let mut scale = 1.0;
    for _ in 0..MOST_MEANS {
        let c = 0.5 * (a - b);
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
        scale *= 2.0;
        ratios.push(c / a);
        if c.abs() <= f64::EPSILON * a {
            break;
        }
    }
    let mut phi: f64 = scale * a * u;
    for ratio in ratios.iter().rev() {
        phi = 0.5 * (phi + (ratio * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    Jacobi { sn, cn, dn: (complement * complement + k * k * cn * cn).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytic::elliptic::{Amplitude, first_kind};

    #[test]
    fn the_integral_of_the_first_kind_is_the_inverse() {
        for k in [0.01f64, 0.3, 0.9, 0.999_999] {
            let complement = (1.0 - k * k).sqrt();
            for angle in [0.1, 0.8, 1.5] {
                let u = first_kind(Amplitude::from_angle(angle), complement * complement);
                let found = jacobi(u, k, complement);
                assert!(
                    (found.sn - angle.sin()).abs() < 1e-14 && (found.cn - angle.cos()).abs() < 1e-14,
                    "{k} {angle}"
                );
                assert!((found.dn * found.dn - 1.0 + k * k * found.sn * found.sn).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn circular_and_hyperbolic_limits() {
        let circle = jacobi(0.7, 1e-9, 1.0);
        assert!((circle.sn - 0.7f64.sin()).abs() < 1e-15);
        let front = jacobi(0.7, 1.0, 1e-12);
        assert!((front.sn - 0.7f64.tanh()).abs() < 1e-14 && (front.dn - 1.0 / 0.7f64.cosh()).abs() < 1e-14);
    }
}
