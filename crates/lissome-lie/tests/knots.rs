//! B-spline functions: partition of unity, derivatives, Greville reproduction, breaks, refused input.
#![allow(clippy::unwrap_used)]

use lissome_lie::{Break, KnotError, KnotVector, MAX_DEGREE, gauss_legendre, open_uniform_knots};

/// Non-uniform spans, every admissible multiplicity, for each degree.
fn sample_knots(degree: usize) -> Vec<f64> {
    let mut knots = vec![-0.5; degree + 1];
    for (k, at) in [0.0, 0.3, 0.35, 1.1].into_iter().enumerate() {
        knots.extend(std::iter::repeat_n(at, 1 + k % degree));
    }
    knots.extend(std::iter::repeat_n(2.0, degree + 1));
    knots
}

/// The textbook recursion with 0/0 = 0, on all functions: shares nothing with the span-local triangle.
fn cox_de_boor(u: &[f64], i: usize, d: usize, s: f64) -> f64 {
    if d == 0 {
        return f64::from(u[i] <= s && s < u[i + 1]);
    }
    let mut sum = 0.0;
    if u[i + d] > u[i] {
        sum += (s - u[i]) / (u[i + d] - u[i]) * cox_de_boor(u, i, d - 1, s);
    }
    if u[i + d + 1] > u[i + 1] {
        sum += (u[i + d + 1] - s) / (u[i + d + 1] - u[i + 1]) * cox_de_boor(u, i + 1, d - 1, s);
    }
    sum
}

fn for_all_points(mut check: impl FnMut(&KnotVector, usize, f64)) {
    for degree in 1..=MAX_DEGREE {
        let u = sample_knots(degree);
        let knots = KnotVector::new(degree, &u).unwrap();
        for span in knots.spans() {
            for f in [0.0, 1e-6, 0.21, 0.5, 0.93] {
                check(&knots, span.index, span.start + f * (span.end - span.start));
            }
        }
    }
}

#[test]
fn functions_agree_with_the_textbook_recursion() {
    for_all_points(|knots, j, s| {
        let (p, u) = (knots.degree(), knots.knots());
        let (basis, cumulative, phi) = (knots.basis(j, s), knots.cumulative(j, s), knots.stress_basis(j, s));
        assert_eq!(cumulative.first, j - p);
        for k in 0..=p {
            assert!((basis[k] - cox_de_boor(u, j - p + k, p, s)).abs() < 1e-14);
        }
        for k in 0..p {
            let i = j - p + 1 + k;
            let tail: f64 = (i..knots.control_count()).map(|l| cox_de_boor(u, l, p, s)).sum();
            assert!((cumulative.value[k] - tail).abs() < 1e-14);
            assert!((phi[k] - cox_de_boor(u, i, p - 1, s)).abs() < 1e-14);
            let slope = p as f64 / (u[i + p] - u[i]) * phi[k];
            assert!((cumulative.slope[k] - slope).abs() < 1e-13 * (1.0 + slope.abs()));
        }
        assert!(basis[p + 1..].iter().chain(&cumulative.value[p..]).chain(&phi[p..]).all(|&x| x == 0.0));
    });
}

#[test]
fn functions_are_a_partition_of_unity() {
    for_all_points(|knots, j, s| {
        assert!((knots.basis(j, s).iter().sum::<f64>() - 1.0).abs() < 1e-15 * 4.0);
        assert!((knots.stress_basis(j, s).iter().sum::<f64>() - 1.0).abs() < 1e-15 * 4.0);
    });
}

#[test]
fn slopes_and_curvatures_are_the_derivatives() {
    // Polynomials on a span, evaluated beyond its ends: the Richardson difference is exact to degree 4 and
    // has an error h⁴ × fifth derivative otherwise, here with spans of 0.05 to 0.9.
    for_all_points(|knots, j, s| {
        let span = knots.knots()[j + 1] - knots.knots()[j];
        let h = 1e-3 * span;
        let at = |x: f64| knots.cumulative(j, x);
        for k in 0..knots.degree() {
            let five =
                |f: &dyn Fn(f64) -> f64| (8.0 * (f(s + h) - f(s - h)) - (f(s + 2.0 * h) - f(s - 2.0 * h))) / (12.0 * h);
            let slope = five(&|x| at(x).value[k]);
            let curvature = five(&|x| at(x).slope[k]);
            assert!((at(s).slope[k] - slope).abs() < 1e-10 / span, "degree {}", knots.degree());
            assert!((at(s).curvature[k] - curvature).abs() < 1e-10 / (span * span));
        }
    });
}

#[test]
fn greville_points_reproduce_the_straight_line() {
    for_all_points(|knots, j, s| {
        let basis = knots.basis(j, s);
        let line: f64 = (0..=knots.degree()).map(|k| basis[k] * knots.greville(j - knots.degree() + k)).sum();
        assert!((line - s).abs() < 1e-15 * 8.0);
    });
    let u = sample_knots(3);
    let knots = KnotVector::new(3, &u).unwrap();
    assert_eq!(knots.greville(0), knots.start());
    assert_eq!(knots.greville(knots.control_count() - 1), knots.end());
}

#[test]
fn spans_are_half_open_and_the_last_is_closed() {
    for degree in 1..=MAX_DEGREE {
        let u = sample_knots(degree);
        let knots = KnotVector::new(degree, &u).unwrap();
        let spans: Vec<_> = knots.spans().collect();
        assert_eq!(spans.len(), 5);
        for span in &spans {
            assert_eq!(knots.find_span(span.start), span.index);
            assert_eq!(knots.find_span(0.5 * (span.start + span.end)), span.index);
            assert_eq!(knots.find_span(span.end.next_down()), span.index);
        }
        assert_eq!(knots.find_span(knots.end()), spans[4].index);
        assert_eq!(knots.find_span(knots.end() + 1.0), spans[4].index);
        assert_eq!(knots.find_span(knots.start() - 1.0), spans[0].index);
    }
}

#[test]
fn figure_3_of_xun2025_has_six_control_poses() {
    let mut u = Vec::new();
    open_uniform_knots(2, 1.0, 4, &[], &mut u).unwrap();
    assert_eq!(u, [0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0, 1.0]);
    assert_eq!(KnotVector::new(2, &u).unwrap().control_count(), 6);
}

#[test]
fn breaks_raise_multiplicity_and_leave_no_sliver() {
    let with = |spans, breaks: &[Break]| {
        let mut u = Vec::new();
        open_uniform_knots(3, 2.0, spans, breaks, &mut u).unwrap();
        KnotVector::new(3, &u).unwrap();
        u[4..u.len() - 4].to_vec()
    };
    assert_eq!(with(4, &[Break { at: 1.0, multiplicity: 3 }]), [0.5, 1.0, 1.0, 1.0, 1.5]);
    // 0.1 + 0.2 misses 0.3 by one ulp: still the uniform knot.
    assert_eq!(with(20, &[Break { at: 0.1 + 0.2, multiplicity: 1 }]).len(), 19);
    // A break inside a span divides it; both sides stay even and no longer than length/spans.
    let u = with(4, &[Break { at: 0.6, multiplicity: 2 }]);
    let expected = [0.3, 0.6, 0.6, 0.6 + 1.4 / 3.0, 0.6 + 2.8 / 3.0];
    assert_eq!(u.len(), expected.len());
    assert!(u.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15 * 2.0));
    // Just one span, with two breaks in it.
    assert_eq!(with(1, &[Break { at: 0.5, multiplicity: 1 }, Break { at: 0.75, multiplicity: 3 }]).len(), 4);
}

#[test]
fn bad_input_is_refused_with_its_numbers() {
    let new = |degree, u: &[f64]| KnotVector::new(degree, u).unwrap_err();
    assert_eq!(new(0, &[0.0, 1.0]), KnotError::Degree { degree: 0 });
    assert_eq!(new(6, &[0.0; 14]), KnotError::Degree { degree: 6 });
    assert_eq!(new(1, &[0.0, 0.0, 1.0]), KnotError::TooFew { count: 3, least: 4 });
    assert_eq!(new(1, &[0.0, 0.0, f64::NAN, 1.0, 1.0]), KnotError::NotFinite { index: 2 });
    let decreasing = new(1, &[0.0, 0.0, 0.7, 0.6, 1.0, 1.0]);
    assert_eq!(decreasing, KnotError::Decreasing { index: 3, before: 0.7, value: 0.6 });
    let open = new(2, &[0.0, 0.0, 0.5, 1.0, 1.0, 1.0]);
    assert_eq!(open, KnotError::NotOpen { knot: 0.0, multiplicity: 2, needed: 3 });
    let equal = new(1, &[1.0; 4]);
    assert_eq!(equal, KnotError::NotOpen { knot: 1.0, multiplicity: 4, needed: 2 });
    let torn = new(1, &[0.0, 0.0, 0.5, 0.5, 1.0, 1.0]);
    assert_eq!(torn, KnotError::Torn { knot: 0.5, multiplicity: 2, degree: 1 });

    let fill = |length, spans, breaks: &[Break]| open_uniform_knots(2, length, spans, breaks, &mut Vec::new());
    assert!(matches!(fill(0.0, 3, &[]), Err(KnotError::Extent { .. })));
    assert!(matches!(fill(f64::NAN, 3, &[]), Err(KnotError::Extent { .. })));
    assert!(matches!(fill(1.0, 0, &[]), Err(KnotError::Extent { .. })));
    let at = |at| Break { at, multiplicity: 1 };
    assert_eq!(fill(1.0, 3, &[at(0.5), at(0.4)]), Err(KnotError::BreakOutOfOrder { index: 1, at: 0.4 }));
    assert_eq!(fill(1.0, 3, &[at(1.0)]), Err(KnotError::BreakOutOfOrder { index: 0, at: 1.0 }));
    assert!(matches!(fill(1.0, 3, &[Break { at: 0.5, multiplicity: 3 }]), Err(KnotError::Torn { .. })));
}

#[test]
fn gauss_rules_are_exact_to_degree_2n_minus_1_and_not_beyond() {
    for n in 1..=8 {
        let integral = |power: i32| gauss_legendre(n).iter().map(|g| g.weight * g.abscissa.powi(power)).sum::<f64>();
        for power in 0..2 * n as i32 {
            assert!((integral(power) * f64::from(power + 1) - 1.0).abs() < 1e-15 * 4.0, "{n} points, power {power}");
        }
        // The error of the next power is (n!)⁴/((2n)!² (2n+1)).
        let squared = (1..=n).fold(1.0, |a, k| a * (k as f64 / (n + k) as f64));
        let error = squared * squared / (2 * n + 1) as f64;
        let miss = 1.0 / (2 * n + 1) as f64 - integral(2 * n as i32);
        assert!((miss / error - 1.0).abs() < 1e-15 / error, "{n} points");
    }
}
