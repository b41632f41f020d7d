//! Searches whose minima are known.

#![allow(clippy::unwrap_used)]
use super::super::{Design, Limits, Obstacle, OptimumEnd, Round, Slopes, Values};
use super::search;
use nalgebra::{DMatrix, DVector};

type Function = fn(&DVector<f64>) -> f64;

/// Functions, differenced; beyond a border there is nothing.
struct Known {
    objective: Function,
    constraints: Vec<Function>,
    squares: Vec<Function>,
    border: fn(&DVector<f64>) -> bool,
    at: DVector<f64>,
    looked: DVector<f64>,
    rounds: usize,
}

impl Known {
    fn new(objective: Function, constraints: Vec<Function>, start: &[f64]) -> Self {
        let at = DVector::from_column_slice(start);
        let border = |_: &DVector<f64>| false;
        Self { objective, constraints, squares: Vec::new(), border, looked: at.clone(), at, rounds: 0 }
    }

    fn slope(&self, of: Function) -> DVector<f64> {
        const H: f64 = 1e-4;
        DVector::from_fn(self.at.len(), |i, _| {
            let at = |by: f64| {
                let mut x = self.at.clone();
                x[i] += by;
                of(&x)
            };
            (at(-2.0 * H) - 8.0 * at(-H) + 8.0 * at(H) - at(2.0 * H)) / (12.0 * H)
        })
    }

    fn values(&self, x: &DVector<f64>) -> Values {
        Values { objective: (self.objective)(x), constraints: self.constraints.iter().map(|own| own(x)).collect() }
    }

    fn solve(&mut self, lower: f64, upper: f64, equal: bool) -> super::super::Optimum {
        let n = self.at.len();
        let limits = Limits {
            lower: DVector::repeat(n, lower),
            upper: DVector::repeat(n, upper),
            equal: vec![equal; self.constraints.len()],
            rounds: 200,
        };
        let (start, values) = (self.at.clone(), self.values(&self.at));
        search(self, start, values, &limits)
    }
}

impl Design for Known {
    fn probe(&mut self, x: &DVector<f64>) -> Result<Values, Obstacle> {
        if (self.border)(x) {
            return Err(Obstacle::NoEquilibrium);
        }
        self.looked.clone_from(x);
        Ok(self.values(x))
    }

    fn accept(&mut self) {
        self.at.clone_from(&self.looked);
    }

    fn slopes(&mut self) -> Result<Slopes, Obstacle> {
        let mut constraints = DMatrix::zeros(self.constraints.len(), self.at.len());
        for (row, own) in self.constraints.iter().enumerate() {
            constraints.row_mut(row).copy_from(&self.slope(*own).transpose());
        }
        let squares = (!self.squares.is_empty()).then(|| {
            let n = self.at.len();
            self.squares.iter().fold(DMatrix::zeros(n, n), |sum, own| {
                let slope = self.slope(*own);
                sum + 2.0 * &slope * slope.transpose()
            })
        });
        Ok(Slopes { objective: self.slope(self.objective), constraints, squares })
    }

    fn stopped(&self) -> bool {
        false
    }

    fn see(&mut self, _: &Round) {
        self.rounds += 1;
    }
}

fn valley(x: &DVector<f64>) -> f64 {
    (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2)
}

#[test]
fn a_curved_valley_is_followed_to_its_end() {
    let mut known = Known::new(valley, Vec::new(), &[-1.2, 1.0]);
    let found = known.solve(-5.0, 5.0, false);
    assert_eq!(found.end, OptimumEnd::Converged);
    assert!((found.last.x[0] - 1.0).abs() < 1e-5 && (found.last.x[1] - 1.0).abs() < 1e-5, "{:?}", found.last.x);
    assert!(found.rounds < 60, "{}", found.rounds);
    // As a sum of squares it takes few rounds.
    let mut known = Known::new(valley, Vec::new(), &[-1.2, 1.0]);
    known.squares = vec![|x| 1.0 - x[0], |x| 10.0 * (x[1] - x[0] * x[0])];
    let found = known.solve(-5.0, 5.0, false);
    assert_eq!(found.end, OptimumEnd::Converged);
    assert!((found.last.x[0] - 1.0).abs() < 1e-6 && found.rounds < 30, "{}", found.rounds);
}

#[test]
fn a_curved_constraint_holds_with_its_price() {
    // Greatest x + y on the unit disc: both 1/√2, and the radius squared costs 1/√2.
    let mut known = Known::new(|x| -x[0] - x[1], vec![|x| x.norm_squared() - 1.0], &[-0.3, 0.2]);
    let found = known.solve(-5.0, 5.0, false);
    assert_eq!(found.end, OptimumEnd::Converged);
    let half = 0.5f64.sqrt();
    assert!((found.last.x[0] - half).abs() < 1e-6 && (found.last.x[1] - half).abs() < 1e-6);
    assert!((found.multipliers[0] - half).abs() < 1e-5, "{:?}", found.multipliers);
}

#[test]
fn an_equality_and_limits_hold() {
    // Least |x|² on x + y + z = 1; with limits of 0.4 below, the sum is at least 1.2.
    let mut known = Known::new(|x| x.norm_squared(), vec![|x| x.sum() - 1.0], &[0.5, 0.5, 0.5]);
    let found = known.solve(0.1, 2.0, true);
    assert_eq!(found.end, OptimumEnd::Converged);
    assert!(found.last.x.iter().all(|x| (x - 1.0 / 3.0).abs() < 1e-6), "{:?}", found.last.x);
    let mut known = Known::new(|x| x.norm_squared(), vec![|x| x.sum() - 1.0], &[0.5, 0.5, 0.5]);
    let found = known.solve(0.4, 2.0, true);
    assert_eq!(found.end, OptimumEnd::Infeasible);
    assert!((found.last.violation - 0.2).abs() < 1e-6, "{}", found.last.violation);
}

#[test]
fn where_constraints_cannot_hold_their_violation_is_least() {
    // 1 + (x − 1)² + (y − 2)² is at least one, there; the objective pulls to the origin.
    let far = |x: &DVector<f64>| 1.0 + (x[0] - 1.0).powi(2) + (x[1] - 2.0).powi(2);
    let mut known = Known::new(|x| 10.0 * x.norm_squared(), vec![far], &[0.1, -0.2]);
    let found = known.solve(-5.0, 5.0, false);
    assert_eq!(found.end, OptimumEnd::Infeasible);
    // The violation grows with the square of the distance, to which values to 1e-13 tell 1e-6.
    assert!((found.last.violation - 1.0).abs() < 1e-9, "{}", found.last.violation);
    assert!((found.last.x[0] - 1.0).abs() < 1e-4 && (found.last.x[1] - 2.0).abs() < 1e-4, "{:?}", found.last.x);
}

#[test]
fn a_limit_is_met_and_has_a_price() {
    let mut known = Known::new(|x| (x[0] - 3.0).powi(2), Vec::new(), &[0.0]);
    let found = known.solve(-1.0, 1.0, false);
    assert_eq!(found.end, OptimumEnd::Converged);
    assert_eq!(found.last.x[0], 1.0);
    assert!((found.limit_multipliers[0] + 4.0).abs() < 1e-6);
}

#[test]
fn what_stands_in_the_way_is_told() {
    // The minimum at 3 lies beyond a border at 1.
    let mut known = Known::new(|x| (x[0] - 3.0).powi(2), Vec::new(), &[0.0]);
    known.border = |x| x[0] > 1.0;
    let found = known.solve(-5.0, 5.0, false);
    assert_eq!((found.end, found.obstacle), (OptimumEnd::Blocked, Some(Obstacle::NoEquilibrium)));
    assert!((found.last.x[0] - 1.0).abs() < 1e-6, "{}", found.last.x[0]);
}
