//! Every map of the dual-number kernel against power series of the dense 6×6 ad, which share no formula with it.
#![allow(clippy::unwrap_used)]

mod oracle;

use lissome_lie::dual::{Coefficients, Dual, DualMatrix, DualVector, ExpMap, InverseMap, inverse_gamma};
use lissome_lie::{LieGroup, Pose, Twist, Wrench};
use nalgebra::{Matrix6, Vector6};
use oracle::{Probe, assert_close, power_series};
use std::sync::LazyLock;

/// Up to π and, for exp alone, beyond it; √10 = 3.1622776… is where the coefficients switch to sin and cos.
const WITHIN: [f64; 10] = [0.0, 1e-9, 1e-4, 0.0099, 0.0101, 0.05, 0.5, 1.5, 2.5, 3.1];
const BEYOND: [f64; 4] = [3.1622, 3.1623, 4.0, 6.0];

/// Sums of 60 terms with a largest one of e⁶/6 = 67 round off at 67 × 1e-16 per entry, a few of them together.
const SERIES: f64 = 1e-13;

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// dexp_x = Σ (−1)ʲ/(j+1)! adʲ and its derivative along y.
fn dexp(x: &Twist, y: &Twist) -> (Matrix6<f64>, Matrix6<f64>) {
    power_series(&-x.ad(), &-y.ad(), 60, |j| 1.0 / factorial(j + 1))
}

/// B_j/j! by Euler: B_{2k}/(2k)! = (−1)^{k+1} 2ζ(2k)/(2π)^{2k}.
fn bernoulli_over_factorial(j: usize) -> f64 {
    match j {
        0 => 1.0,
        1 => -0.5,
        _ if j % 2 == 1 => 0.0,
        _ => {
            // For 2k = 2 and 4 the sum of ζ is too slow: B₂ = 1/6, B₄ = −1/30.
            let zeta: f64 = match j {
                2 => std::f64::consts::PI.powi(2) / 6.0,
                4 => std::f64::consts::PI.powi(4) / 90.0,
                _ => (1..2000).rev().map(|n| f64::from(n).powi(-(j as i32))).sum(),
            };
            let sign = if j % 4 == 2 { 2.0 } else { -2.0 };
            sign * zeta / std::f64::consts::TAU.powi(j as i32)
        }
    }
}

/// The ratio of successive terms at 4 rad is 4/2π = 0.64, and 0.64¹⁴⁰ = 1e-27.
static BERNOULLI: LazyLock<Vec<f64>> = LazyLock::new(|| (0..140).map(bernoulli_over_factorial).collect());

/// dexp_{±x}⁻¹ = Σ B_j/j! (∓ad)ʲ and its derivative along y.
fn dexp_inverse(sign: f64, x: &Twist, y: &Twist) -> (Matrix6<f64>, Matrix6<f64>) {
    power_series(&(x.ad() * -sign), &(y.ad() * -sign), BERNOULLI.len(), |j| BERNOULLI[j])
}

fn each_angle(angles: &[f64], mut check: impl FnMut(&Twist, &Twist, &Wrench)) {
    for (seed, &angle) in angles.iter().enumerate() {
        for other in 0..3 {
            let x = Pose::sample(angle, 3 * seed + other);
            let y = Pose::sample(0.4 + 0.5 * other as f64, seed + 50);
            let w = Pose::sample(0.9, seed + 80).to_vector();
            check(&x, &y, &Wrench::from(w));
        }
    }
}

fn every_angle(check: impl FnMut(&Twist, &Twist, &Wrench) + Copy) {
    each_angle(&WITHIN, check);
    each_angle(&BEYOND, check);
}

fn close(what: &str, a: &Matrix6<f64>, b: &Matrix6<f64>) {
    assert_close(what, a.as_slice(), b.as_slice(), SERIES);
}

fn close_vector(what: &str, a: Vector6<f64>, b: Vector6<f64>) {
    assert_close(what, a.as_slice(), b.as_slice(), SERIES);
}

fn dual<T: Into<DualVector>>(x: T) -> DualVector {
    x.into()
}

#[test]
fn exp_map_agrees_with_the_series() {
    every_angle(|x, y, w| {
        let map = ExpMap::at(dual(*x));
        let (transport, _) = power_series(&-x.ad(), &Matrix6::zeros(), 60, |j| 1.0 / factorial(j));
        let (tangent, rate) = dexp(x, y);
        close("Ad exp(−x)", &map.ad_exp_neg().twist_map(), &transport);
        close("dexp", &map.dexp().twist_map(), &tangent);
        close("rate of dexp", &map.dexp_rate(&dual(*y)).twist_map(), &rate);

        let (v, wv) = (y.to_vector(), w.to_vector());
        close_vector("transport", map.transport(&dual(*y)).twist().to_vector(), transport * v);
        close_vector(
            "transport transposed",
            map.transport_transpose(&dual(*w)).wrench().to_vector(),
            transport.tr_mul(&wv),
        );
        close_vector("dexp transposed", map.dexp_transpose_apply(&dual(*w)).wrench().to_vector(), tangent.tr_mul(&wv));
    });
}

#[test]
fn derivative_of_the_transposed_tangent() {
    every_angle(|x, _, w| {
        let map = ExpMap::at(dual(*x));
        let s = map.dexp_transpose_derivative(&dual(*w)).covector_map();
        for i in 0..6 {
            let (_, rate) = dexp(x, &Pose::unit_tangent(i));
            close_vector("S", s.column(i).into_owned(), rate.tr_mul(&w.to_vector()));
        }
        let (scalar, vector) = map.symmetric_curvature(&dual(*w));
        let symmetric = DualMatrix::diagonal(scalar) + vector.outer(&dual(*x)).symmetric_part();
        close("sym S", &symmetric.covector_map(), &((s + s.transpose()) * 0.5));
        let (tangent, _) = dexp(x, x);
        let moment = dual(*w).skew().covector_map();
        close("S − Sᵀ", &(s - s.transpose()), &-(tangent.transpose() * moment * tangent));
    });
}

#[test]
fn inverse_map_agrees_with_the_bernoulli_series() {
    each_angle(&[&WITHIN[..], &BEYOND[..3]].concat(), |x, y, w| {
        let map = InverseMap::at(dual(*x));
        let (ahead, _) = dexp_inverse(1.0, x, y);
        let (behind, _) = dexp_inverse(-1.0, x, y);
        close("T₊", &map.plus().twist_map(), &ahead);
        close("T₋", &map.minus().twist_map(), &behind);
        close("T₊ − T₋", &(map.plus() - map.minus()).twist_map(), &x.ad());
        let (n_plus, n_minus) = map.derivatives(&dual(*w));
        for i in 0..6 {
            let unit = Pose::unit_tangent(i);
            for (sign, n) in [(1.0, n_plus), (-1.0, n_minus)] {
                let (_, rate) = dexp_inverse(sign, x, &unit);
                close_vector("N±", n.covector_map().column(i).into_owned(), rate.tr_mul(&w.to_vector()));
            }
        }
        close("N₊ − N₋", &(n_plus - n_minus).covector_map(), &dual(*w).skew().covector_map());
    });
}

/// Up to just below the pole at 2π, where the series no longer converges: the inverse of the series of dexp.
#[test]
fn inverse_map_inverts_dexp_up_to_a_full_turn() {
    each_angle(&[4.0, 5.0, 6.0, 6.2], |x, _, w| {
        let map = InverseMap::at(dual(*x));
        let (tangent, _) = dexp(x, x);
        let inverse = tangent.try_inverse().unwrap();
        // The inverse grows as 1/(2π − θ) and with it the error of either side.
        let condition = inverse.amax().powi(2);
        assert_close("T₊", map.plus().twist_map().as_slice(), inverse.as_slice(), SERIES * condition);
        let (n_plus, _) = map.derivatives(&dual(*w));
        for i in 0..6 {
            let (_, rate) = dexp(x, &Pose::unit_tangent(i));
            let exact = -(inverse * rate * inverse).tr_mul(&w.to_vector());
            let found = n_plus.covector_map().column(i).into_owned();
            assert_close("N₊", found.as_slice(), exact.as_slice(), SERIES * condition * condition);
        }
    });
}

#[test]
fn dual_algebra_is_that_of_the_dense_matrices() {
    every_angle(|x, y, w| {
        let (a, b) = (ExpMap::at(dual(*x)).ad_exp_neg(), ExpMap::at(dual(*y)).dexp());
        let (da, db) = (a.twist_map(), b.twist_map());
        close("product", &(a * b).twist_map(), &(da * db));
        close("sum", &(a + b * 2.0).twist_map(), &(da + db * 2.0));
        close_vector("A x", a.apply(&dual(*y)).twist().to_vector(), da * y.to_vector());
        close_vector("Aᵀ w", a.apply_transpose(&dual(*w)).wrench().to_vector(), da.tr_mul(&w.to_vector()));
        close("ad", &dual(*x).skew().twist_map(), &x.ad());
        close_vector("μ × x = adᵀ μ", dual(*w).cross(&dual(*x)).wrench().to_vector(), x.ad().tr_mul(&w.to_vector()));
        let power = dual(*w).dot(&dual(*x)).du;
        assert_close("power", &[power], &[x.to_vector().dot(&w.to_vector())], SERIES);
        // AᵀSA of a map of twists to covectors is the dual product with the dual transpose.
        let s = dual(*w).skew();
        close("AᵀSA", &a.transpose_mul(&(s * b)).covector_map(), &(da.transpose() * s.covector_map() * db));
        let k = Dual::new(1.5, -0.25);
        close("k I", &(DualMatrix::diagonal(k) * a).twist_map(), &(DualMatrix::diagonal(k).twist_map() * da));
    });
}

/// c_m(n/d) in fixed point of 100 binary digits, exact to 1e-28.
fn coefficient(m: usize, numerator: i128, denominator: i128) -> f64 {
    const ONE: i128 = 1 << 100;
    let mut term = ONE / (1..=m as i128).product::<i128>();
    let mut sum = 0;
    for j in 0..60 {
        sum += term;
        let next = (2 * j + m) as i128;
        term = -(term * numerator / (denominator * (next + 1) * (next + 2)));
    }
    sum as f64 / ONE as f64
}

#[test]
fn coefficients_are_exact_on_both_sides_of_their_switch() {
    let places = [(0, 1), (1, 1 << 40), (1, 64), (1, 2), (1, 1), (5, 2), (9, 1), (10, 1), (641, 64), (16, 1), (36, 1)];
    for (n, d) in places {
        let c = Coefficients::at(n as f64 / d as f64);
        for (m, found) in [c.c0, c.c1, c.c2, c.c3, c.c4, c.c5, c.c6, c.c7].into_iter().enumerate() {
            // Each is a difference of numbers of at most 1/m!, up to t c_{m+2} ≤ 2/m!.
            let error = (found - coefficient(m, n, d)).abs() * factorial(m);
            assert!(error <= 4.0 * f64::EPSILON, "c{m}({n}/{d}) is off by {error:e} of 1/{m}!");
        }
    }
}

#[test]
fn gamma_is_the_half_angle_cotangent() {
    assert!((inverse_gamma(0.0) - 1.0 / 12.0).abs() < 1e-16);
    for theta in [0.3_f64, 1.0, 2.0, 3.0, 3.1, 4.0, 6.0] {
        let exact = (1.0 - 0.5 * theta / (0.5 * theta).tan()) / (theta * theta);
        // Either side divides by sin(θ/2)/(θ/2), known to a few 2⁻⁵³; the right one cancels from 1/θ² on top.
        let sinc = (0.5 * theta).sin() / (0.5 * theta);
        let allowed = 1e-15 * (1.0 / (theta * theta) + exact) / sinc;
        assert!((inverse_gamma(theta * theta) - exact).abs() < allowed, "{theta}");
    }
}
