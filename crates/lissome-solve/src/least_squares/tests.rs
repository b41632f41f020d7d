//! Fits with known answers.
#![allow(clippy::unwrap_used)]

use super::*;

/// A value and its slopes, at a place and for given numbers.
type Formula = dyn Fn(f64, &[f64]) -> (f64, Vec<f64>);

/// y = f(t, x) with derivatives.
struct Curve<'a> {
    t: Vec<f64>,
    y: Vec<f64>,
    of: &'a Formula,
}

impl Problem for Curve<'_> {
    fn residuals(&mut self, x: &[f64]) -> Option<DVector<f64>> {
        let each = self.t.iter().zip(&self.y).map(|(t, y)| (self.of)(*t, x).0 - y);
        Some(DVector::from_iterator(self.t.len(), each))
    }

    fn jacobian(&mut self, x: &[f64]) -> Option<DMatrix<f64>> {
        Some(DMatrix::from_fn(self.t.len(), x.len(), |row, column| (self.of)(self.t[row], x).1[column]))
    }
}

/// Misra1a of NIST's Statistical Reference Datasets: y = b1 (1 - exp(-b2 x)), certified to 11 digits.
#[test]
fn misra1a_has_the_certified_values_and_errors() {
    let t = [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0];
    let y = [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78];
    let of = |t: f64, b: &[f64]| {
        let e = (-b[1] * t).exp();
        (b[0] * (1.0 - e), vec![1.0 - e, b[0] * t * e])
    };
    for start in [[500.0, 1e-4], [250.0, 5e-4]] {
        let variables = start.map(Variable::free);
        let mut curve = Curve { t: t.to_vec(), y: y.to_vec(), of: &of };
        let found = solve(&mut curve, &variables, &Options::default());
        assert_eq!(found.end, End::Converged);
        let told = estimate(&found, &variables, Loss::Square, Noise::Estimated, 1e-12);
        // OFFSET is 1e-6 of the standard error, which is 1.1 % of b1 and 1.3 % of b2.
        let certified = [(238.942_129_18, 2.707_007_527_0), (5.501_564_318_1e-4, 7.266_868_845_3e-6)];
        for (index, (value, error)) in certified.into_iter().enumerate() {
            assert!((found.x[index] - value).abs() < 2e-6 * error, "{} {value}", found.x[index]);
            assert!((told.standard_errors[index] - error).abs() < 1e-6 * error);
        }
        assert!((told.chi_squared - 0.124_551_388_94).abs() < 1e-10);
        assert_eq!((told.rank, told.degrees), (2, 12));
        assert!(told.untold.is_empty());
        // Student's t of 12 degrees of freedom at 97.5 %.
        assert!((told.half_widths[0] / told.standard_errors[0] - 2.178_812_830).abs() < 1e-8);
    }
}

/// A straight line, by the closed form: slope Σ(t-t̄)(y-ȳ)/Σ(t-t̄)², its variance σ²/Σ(t-t̄)².
#[test]
fn a_line_has_the_errors_of_the_closed_form_and_its_leverages_sum_to_its_numbers() {
    let of = |t: f64, x: &[f64]| (x[0] + x[1] * t, vec![1.0, t]);
    let t: Vec<f64> = (0..9).map(f64::from).collect();
    let y: Vec<f64> = t.iter().map(|t| 1.0 + 2.0 * t + 0.1 * (7.0 * t).sin()).collect();
    let variables = [Variable::free(0.0); 2];
    let found = solve(&mut Curve { t, y, of: &of }, &variables, &Options::default());
    let told = estimate(&found, &variables, Loss::Square, Noise::Stated, 1e-12);
    // Σ(t-t̄)² = 60, t̄ = 4.
    assert!((told.standard_errors[1] - (1.0f64 / 60.0).sqrt()).abs() < 1e-12);
    assert!((told.standard_errors[0] - (1.0f64 / 9.0 + 16.0 / 60.0).sqrt()).abs() < 1e-12);
    assert!((told.correlations[(0, 1)] + 4.0 / (60.0f64 / 9.0 + 16.0).sqrt()).abs() < 1e-12);
    assert!((told.leverages.iter().sum::<f64>() - 2.0).abs() < 1e-12);
}

#[test]
fn a_product_that_alone_is_told_is_named() {
    // Only a b⁴ is seen, as of a modulus and a radius; c is not seen at all.
    let of = |t: f64, x: &[f64]| {
        let v = x[0] * x[1].powi(4) * t;
        (v, vec![v / x[0], 4.0 * v / x[1], 0.0])
    };
    let t: Vec<f64> = (1..6).map(f64::from).collect();
    let y: Vec<f64> = t.iter().map(|t| 32.0 * t).collect();
    let variables = [Variable::free(3.0), Variable::free(2.0), Variable::free(7.0)];
    let found = solve(&mut Curve { t, y, of: &of }, &variables, &Options::default());
    assert_eq!(found.end, End::Converged);
    assert!((found.x[0] * found.x[1].powi(4) - 32.0).abs() < 1e-9);
    assert_eq!(found.x[2], 7.0);
    let told = estimate(&found, &variables, Loss::Square, Noise::Stated, 1e-10);
    assert_eq!((told.rank, told.untold.len()), (1, 2));
    assert!(told.standard_errors.iter().all(|error| error.is_infinite()));
    // Together with c's own direction: what of it is of a and b keeps the product.
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    for direction in &told.untold {
        let change = direction.parts[0] * 3.0 / found.x[0] + 4.0 * direction.parts[1] * 2.0 / found.x[1];
        assert!(near(change, 0.0), "{direction:?}");
    }
}

#[test]
fn limits_hold_and_what_is_held_has_no_error() {
    let of = |t: f64, x: &[f64]| (x[0] * (-x[1] * t).exp(), vec![(-x[1] * t).exp(), -x[0] * t * (-x[1] * t).exp()]);
    let t: Vec<f64> = (0..20).map(|i| 0.1 * f64::from(i)).collect();
    let y: Vec<f64> = t.iter().map(|t| 3.0 * (-1.5 * t).exp()).collect();
    let mut variables = [Variable::free(1.0), Variable::free(0.5)];
    let free = solve(&mut Curve { t: t.clone(), y: y.clone(), of: &of }, &variables, &Options::default());
    assert!((free.x[0] - 3.0).abs() < 1e-8 && (free.x[1] - 1.5).abs() < 1e-8, "{:?}", free.x);
    variables[1].limits = (0.0, 1.0);
    let bound = solve(&mut Curve { t: t.clone(), y: y.clone(), of: &of }, &variables, &Options::default());
    assert_eq!((bound.end, bound.x[1]), (End::Converged, 1.0));
    assert_eq!(bound.at_limit, [false, true]);
    // The best factor of exp(-t) is a ratio of sums.
    let e = |t: &f64| (-t).exp();
    let best = t.iter().zip(&y).map(|(t, y)| e(t) * y).sum::<f64>() / t.iter().map(|t| e(t).powi(2)).sum::<f64>();
    let told = estimate(&bound, &variables, Loss::Square, Noise::Estimated, 1e-10);
    // A search is over when its step is OFFSET of the standard error.
    assert!((bound.x[0] - best).abs() < 2e-6 * told.standard_errors[0], "{} {best}", bound.x[0]);
    assert_eq!((told.standard_errors[1], told.rank), (0.0, 1));
}

#[test]
fn outliers_hardly_pull_a_robust_fit() {
    let of = |t: f64, x: &[f64]| (x[0] + x[1] * t, vec![1.0, t]);
    let t: Vec<f64> = (0..41).map(|i| 0.05 * f64::from(i)).collect();
    // In units of noise: a wiggle of one, and five readings that are off by a hundred.
    let y = |i: usize, t: f64| 10.0 + 20.0 * t + (5.0 * i as f64).sin() + if i % 9 == 4 { 100.0 } else { 0.0 };
    let y: Vec<f64> = t.iter().enumerate().map(|(i, t)| y(i, *t)).collect();
    let variables = [Variable::free(1.0); 2];
    let of_loss = |loss: Loss| {
        let options = Options { loss, ..Options::default() };
        let found = solve(&mut Curve { t: t.clone(), y: y.clone(), of: &of }, &variables, &options);
        assert_eq!(found.end, End::Converged, "{loss:?}");
        // The gradient of the loss is zero: Σ ψ ∂r, beside the size of what is summed.
        let psi = found.residuals.map(|r| loss.influence(r));
        let gradient = found.jacobian.tr_mul(&psi);
        assert!(gradient.amax() < 1e-4 * psi.norm(), "{loss:?} {gradient}");
        let told = estimate(&found, &variables, loss, Noise::Stated, 1e-10);
        ((found.x[0] - 10.0).abs(), told.standard_errors[0])
    };
    let (square, _) = of_loss(Loss::Square);
    let (huber, huber_error) = of_loss(Loss::HUBER);
    let (cauchy, cauchy_error) = of_loss(Loss::CAUCHY);
    // 5 of 41 readings pull by 100: the plain mean by 12; each of Huber's by 1.345 at most, of Cauchy's by 2.385²/100.
    assert!(square > 5.0 && huber < 1.0 && cauchy < 0.5, "{square} {huber} {cauchy}");
    assert!(huber < 3.0 * huber_error && cauchy < 3.0 * cauchy_error, "{huber_error} {cauchy_error}");
}

#[test]
fn a_point_without_residuals_shortens_the_step_and_the_end_tells() {
    struct Hole;
    impl Problem for Hole {
        fn residuals(&mut self, x: &[f64]) -> Option<DVector<f64>> {
            (x[0] > 0.0).then(|| DVector::from_vec(vec![x[0].ln() - 1.0]))
        }
        fn jacobian(&mut self, x: &[f64]) -> Option<DMatrix<f64>> {
            Some(DMatrix::from_element(1, 1, 1.0 / x[0]))
        }
    }
    // From 30 the first step leads below zero.
    let found = solve(&mut Hole, &[Variable::free(30.0)], &Options::default());
    assert_eq!(found.end, End::Converged);
    assert!((found.x[0] - std::f64::consts::E).abs() < 1e-8);
    assert_eq!(solve(&mut Hole, &[Variable::free(-1.0)], &Options::default()).end, End::NoStart);
    let few = solve(&mut Hole, &[Variable::free(30.0)], &Options { max_rounds: 1, ..Options::default() });
    assert_eq!((few.end, few.rounds), (End::Unfinished, 1));
}
