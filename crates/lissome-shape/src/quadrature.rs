//! Gauss–Legendre quadrature on [0, 1], the tables computed by the compiler.
//!
//! A rule of n points integrates polynomials of degree 2n − 1 exactly. The integrands here turn with the rod; for a
//! plane arc of angle θ the relative error of n points is about (θ/2)^{2n} / ((2n)! · 2^{2n−1}).

/// Nodes and weights of one rule on [0, 1].
#[derive(Clone, Copy, Debug)]
pub struct Rule<const N: usize> {
    nodes: [f64; N],
    weights: [f64; N],
}

const fn cosine(x: f64) -> f64 {
    // Taylor series; |x| ≤ π, 16 terms leave less than 1e-17.
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1);
    while k <= 16 {
        term *= -x * x / ((2 * k - 1) as f64 * (2 * k) as f64);
        sum += term;
        k += 1;
    }
    sum
}

const fn gauss_legendre<const N: usize>() -> Rule<N> {
    let (mut nodes, mut weights) = ([0.0; N], [0.0; N]);
    let n = N as f64;
    let mut i = 0;
    while i < N {
        // Tricomi's first guess, then Newton on P_N(x) with the three-term recurrence.
        let mut x = -cosine(core::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
        let mut slope = 1.0;
        let mut iteration = 0;
        while iteration < 8 {
            let (mut p0, mut p1, mut k) = (1.0, x, 2);
            while k <= N {
                let kf = k as f64;
                let p2 = ((2.0 * kf - 1.0) * x * p1 - (kf - 1.0) * p0) / kf;
                (p0, p1) = (p1, p2);
                k += 1;
            }
            slope = n * (p0 - x * p1) / (1.0 - x * x);
            x -= p1 / slope;
            iteration += 1;
        }
        nodes[i] = 0.5 * (1.0 + x);
        weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
        i += 1;
    }
    Rule { nodes, weights }
}

static RULE_3: Rule<3> = gauss_legendre();
static RULE_5: Rule<5> = gauss_legendre();
static RULE_8: Rule<8> = gauss_legendre();
static RULE_12: Rule<12> = gauss_legendre();
static RULE_16: Rule<16> = gauss_legendre();

/// Most points of any rule offered.
pub const MAX_POINTS: usize = 16;

/// A rule as two slices of equal length: nodes in (0, 1) and weights that sum to one.
pub fn rule(points: usize) -> (&'static [f64], &'static [f64]) {
    match points {
        0..=3 => (&RULE_3.nodes, &RULE_3.weights),
        4..=5 => (&RULE_5.nodes, &RULE_5.weights),
        6..=8 => (&RULE_8.nodes, &RULE_8.weights),
        9..=12 => (&RULE_12.nodes, &RULE_12.weights),
        _ => (&RULE_16.nodes, &RULE_16.weights),
    }
}

/// How many points a segment needs whose frames turn by `angle` (rad, at its fastest rate over its whole length), for
/// positions to 2e-9 of its length: the printed three leave 7e-6 at 90°, 4e-4 at 180° and 2e-2 at 360°.
pub fn points_for_rotation(angle: f64) -> usize {
    if angle <= 2.1 {
        5
    } else if angle <= 7.0 {
        8
    } else if angle <= 14.0 {
        12
    } else {
        16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_exact_to_degree_2n_minus_1() {
        for points in [3, 5, 8, 12, 16] {
            let (nodes, weights) = rule(points);
            assert_eq!(nodes.len(), points);
            for degree in 0..2 * points {
                let sum: f64 = nodes.iter().zip(weights).map(|(t, w)| w * t.powi(degree as i32)).sum();
                let exact = 1.0 / (degree as f64 + 1.0);
                assert!((sum - exact).abs() < 4e-16, "{points} points, degree {degree}: {sum} against {exact}");
            }
        }
    }

    #[test]
    fn chosen_order_integrates_an_arc() {
        for degrees in [30.0_f64, 80.0, 120.0, 180.0, 270.0, 360.0, 400.0, 500.0, 800.0] {
            let angle = degrees.to_radians();
            let (nodes, weights) = rule(points_for_rotation(angle));
            let (mut x, mut y) = (0.0, 0.0);
            for (t, w) in nodes.iter().zip(weights) {
                x += w * (angle * t).cos();
                y += w * (angle * t).sin();
            }
            let error = (x - angle.sin() / angle).hypot(y - (1.0 - angle.cos()) / angle);
            assert!(error < 2e-9, "{degrees}°: {error:e}");
        }
    }
}
