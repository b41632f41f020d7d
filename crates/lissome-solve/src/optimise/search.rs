//! The rounds of a search: steps of quadratic problems, judged by a merit function within a region of trust.

use super::quadratic::{Quadratic, Step};
use super::{
    CONSTRAINT_TOLERANCE, Design, KKT_TOLERANCE, Limits, Obstacle, Optimum, OptimumEnd, Round, Slopes, Values,
};
use nalgebra::{DMatrix, DVector};

/// The region of trust in the beginning, at most, and where a search gives up.
const FIRST_REGION: f64 = 0.25;
const LARGEST_REGION: f64 = 2.0;
const SMALLEST_REGION: f64 = 1e-9;
/// A step is taken if the merit falls by this part of what the model says, and the region grows or shrinks beyond these parts.
const ACCEPTED: f64 = 1e-3;
const GOOD: f64 = 0.75;
const POOR: f64 = 0.25;
/// Falls of the merit below this are rounding.
const ROUNDING: f64 = 1e-13;
/// The penalty: in the beginning, at least this many times the largest multiplier, and at most.
const FIRST_PENALTY: f64 = 1.0;
const ABOVE_MULTIPLIERS: f64 = 2.0;
const LARGEST_PENALTY: f64 = 1e8;
const RAISED: f64 = 10.0;
/// Powell's part of the curvature that a damped update keeps.
const DAMPED: f64 = 0.2;
/// Where no step is better any more, conditions of a minimum that hold to so many tolerances are told as found: what is left is the
/// rounding of values and derivatives.
const NEARLY: f64 = 100.0;
/// Distance from a limit that is at it.
const AT_LIMIT: f64 = 1e-9;

/// Looks for a minimum from a place with these values.
pub fn search(design: &mut dyn Design, start: DVector<f64>, values: Values, limits: &Limits) -> Optimum {
    let n = start.len();
    let search = Search {
        limits,
        region: FIRST_REGION,
        penalty: FIRST_PENALTY,
        curvature: DMatrix::identity(n, n),
        updates: 0,
        restoring: false,
        restored: false,
        nothing: DVector::zeros(n),
        multipliers: vec![0.0; values.constraints.len()],
        obstacle: None,
    };
    search.run(design, start, values)
}

struct Search<'a> {
    limits: &'a Limits,
    region: f64,
    penalty: f64,
    curvature: DMatrix<f64>,
    updates: usize,
    /// True while violations alone are made less: the objective, whatever its penalty, would hold the search short of the least of them.
    restoring: bool,
    /// True once that was begun.
    restored: bool,
    /// The slope of an objective that does not count.
    nothing: DVector<f64>,
    multipliers: Vec<f64>,
    obstacle: Option<Obstacle>,
}

/// How a round went.
enum Taken {
    Moved { d: DVector<f64>, values: Values, tries: usize },
    Ended(OptimumEnd),
}

impl Search<'_> {
    fn run(mut self, design: &mut dyn Design, start: DVector<f64>, values: Values) -> Optimum {
        let violation = self.largest_violation(&values);
        let mut now = Round { x: start, values, violation, kkt: f64::INFINITY, tries: 0 };
        let mut slopes = match design.slopes() {
            Ok(slopes) => slopes,
            Err(obstacle) => {
                design.see(&now);
                let end = self.without_slopes(obstacle);
                return self.end(end, now, None, 0);
            }
        };
        let slope = slopes.objective.amax();
        if slope > 0.0 {
            // A step without constraints would go to the border of the region.
            self.curvature *= slope / FIRST_REGION;
        }
        for round in 0.. {
            if let Some(squares) = slopes.squares.as_ref().filter(|_| !self.restoring) {
                self.curvature.clone_from(squares);
            }
            let taken = self.round(design, &mut now, &slopes);
            if round == 0 {
                design.see(&now);
            }
            let (d, values, tries) = match taken {
                Taken::Moved { d, values, tries } => (d, values, tries),
                Taken::Ended(end) => return self.end(end, now, Some(&slopes), round),
            };
            let x = self.within(&(&now.x + d));
            let next = match design.slopes() {
                Ok(next) => next,
                Err(obstacle) => {
                    let violation = self.largest_violation(&values);
                    now = Round { x, values, violation, kkt: f64::NAN, tries };
                    design.see(&now);
                    let end = self.without_slopes(obstacle);
                    return self.end(end, now, None, round + 1);
                }
            };
            self.update(&(&x - &now.x), &slopes, &next);
            let violation = self.largest_violation(&values);
            slopes = next;
            now = Round { x, values, violation, kkt: f64::INFINITY, tries };
            now.kkt = self.kkt(&now, &slopes);
            design.see(&now);
            if design.stopped() {
                return self.end(OptimumEnd::Stopped, now, Some(&slopes), round + 1);
            }
            if round + 1 >= self.limits.rounds {
                let done = now.kkt <= KKT_TOLERANCE && now.violation <= CONSTRAINT_TOLERANCE;
                let end = if done { OptimumEnd::Converged } else { OptimumEnd::Unfinished };
                return self.end(end, now, Some(&slopes), round + 1);
            }
        }
        unreachable!("the rounds end inside")
    }

    /// One step that is better, or why there is none. Multipliers and the conditions of a minimum at `now` come with it.
    fn round(&mut self, design: &mut dyn Design, now: &mut Round, slopes: &Slopes) -> Taken {
        let mut tries = 0;
        loop {
            if design.stopped() {
                return Taken::Ended(OptimumEnd::Stopped);
            }
            if self.restoring && now.violation <= CONSTRAINT_TOLERANCE {
                self.restoring = false;
                self.renew_curvature(slopes);
            }
            let Some(step) = self.step(now, slopes) else {
                match self.given_up(now, slopes) {
                    Some(end) => return Taken::Ended(end),
                    None => continue,
                }
            };
            self.multipliers.clone_from(&step.multipliers);
            now.kkt = self.kkt(now, slopes);
            if now.kkt <= KKT_TOLERANCE && now.violation <= CONSTRAINT_TOLERANCE {
                return Taken::Ended(OptimumEnd::Converged);
            }
            let length = step.d.amax();
            let foretold = self.problem(now, slopes, &now.values.constraints, &self.box_around(now)).decrease(&step.d);
            let merit = self.merit(&now.values);
            if foretold <= ROUNDING * (1.0 + merit.abs()) || length == 0.0 {
                match self.given_up(now, slopes) {
                    Some(end) => return Taken::Ended(end),
                    None => continue,
                }
            }
            tries += 1;
            let found = design.probe(&self.within(&(&now.x + &step.d)));
            let values = match found {
                Ok(values) => values,
                Err(obstacle) => {
                    self.obstacle = Some(obstacle);
                    self.region = POOR * length.min(self.region);
                    if self.region < SMALLEST_REGION {
                        return Taken::Ended(OptimumEnd::Blocked);
                    }
                    continue;
                }
            };
            let ratio = (merit - self.merit(&values)) / foretold;
            if ratio >= ACCEPTED {
                self.judge(ratio, length);
                design.accept();
                return Taken::Moved { d: step.d, values, tries };
            }
            // Curved constraints: the same step, corrected by what they are at its end.
            if !values.constraints.is_empty()
                && let Some(moved) = self.corrected(design, now, slopes, &step, &values, foretold)
            {
                tries += 1;
                let length = moved.0.amax();
                self.judge(moved.2, length);
                return Taken::Moved { d: moved.0, values: moved.1, tries };
            }
            self.region = 0.5 * length.min(self.region);
            if self.region < SMALLEST_REGION
                && let Some(end) = self.given_up(now, slopes)
            {
                return Taken::Ended(end);
            }
        }
    }

    fn judge(&mut self, ratio: f64, length: f64) {
        self.obstacle = None;
        if ratio > GOOD && length > 0.9 * self.region {
            self.region = (2.0 * self.region).min(LARGEST_REGION);
        } else if ratio < POOR {
            self.region = 0.5 * length;
        }
    }

    /// A step with the constraints as they are at its end; what it leads to if that is better.
    fn corrected(
        &self,
        design: &mut dyn Design,
        now: &Round,
        slopes: &Slopes,
        step: &Step,
        at_end: &Values,
        foretold: f64,
    ) -> Option<(DVector<f64>, Values, f64)> {
        let linear = &slopes.constraints * &step.d;
        let values: Vec<f64> =
            at_end.constraints.iter().zip(linear.iter()).map(|(value, moved)| value - moved).collect();
        let again = self.problem(now, slopes, &values, &self.box_around(now)).solve()?;
        let found = design.probe(&self.within(&(&now.x + &again.d))).ok()?;
        let ratio = (self.merit(&now.values) - self.merit(&found)) / foretold;
        if ratio < ACCEPTED {
            return None;
        }
        design.accept();
        Some((again.d, found, ratio))
    }

    /// The step of the quadratic problem, with a penalty that drives violations out where they can be.
    fn step(&mut self, now: &Round, slopes: &Slopes) -> Option<Step> {
        let around = self.box_around(now);
        let values = &now.values.constraints;
        let mut step = self.problem(now, slopes, values, &around).solve()?;
        let mut left = self.problem(now, slopes, values, &around).violation(&step.d);
        while left > CONSTRAINT_TOLERANCE && self.penalty < LARGEST_PENALTY {
            let before = self.penalty;
            self.penalty *= RAISED;
            let Some(next) = self.problem(now, slopes, values, &around).solve() else {
                self.penalty = before;
                break;
            };
            let remains = self.problem(now, slopes, values, &around).violation(&next.d);
            if remains > 0.9 * left {
                self.penalty = before;
                break;
            }
            (step, left) = (next, remains);
        }
        let largest = step.multipliers.iter().fold(0.0f64, |most, own| most.max(own.abs()));
        if left <= CONSTRAINT_TOLERANCE {
            self.penalty = self.penalty.max(ABOVE_MULTIPLIERS * largest).min(LARGEST_PENALTY);
        }
        Some(step)
    }

    fn problem<'p>(
        &'p self,
        now: &'p Round,
        slopes: &'p Slopes,
        values: &'p [f64],
        around: &'p [DVector<f64>; 2],
    ) -> Quadratic<'p> {
        debug_assert_eq!(now.x.len(), around[0].len(), "a box has a side for each variable");
        Quadratic {
            gradient: if self.restoring { &self.nothing } else { &slopes.objective },
            curvature: &self.curvature,
            values,
            slopes: &slopes.constraints,
            equal: &self.limits.equal,
            low: &around[0],
            high: &around[1],
            penalty: self.penalty,
        }
    }

    /// Least and greatest steps: limits and the region of trust.
    fn box_around(&self, now: &Round) -> [DVector<f64>; 2] {
        let low = now.x.zip_map(&self.limits.lower, |x, limit| (limit - x).max(-self.region).min(0.0));
        let high = now.x.zip_map(&self.limits.upper, |x, limit| (limit - x).min(self.region).max(0.0));
        [low, high]
    }

    /// Within the limits; what is at one but for what an interior-point method leaves is at it.
    fn within(&self, x: &DVector<f64>) -> DVector<f64> {
        x.zip_zip_map(&self.limits.lower, &self.limits.upper, |x, low, high| match x {
            near if near - low <= AT_LIMIT => low,
            near if high - near <= AT_LIMIT => high,
            between => between,
        })
    }

    fn violation_of(&self, row: usize, value: f64) -> f64 {
        if self.limits.equal[row] { value.abs() } else { value.max(0.0) }
    }

    fn largest_violation(&self, values: &Values) -> f64 {
        let all = values.constraints.iter().enumerate();
        all.fold(0.0, |most, (row, value)| most.max(self.violation_of(row, *value)))
    }

    fn merit(&self, values: &Values) -> f64 {
        let all = values.constraints.iter().enumerate();
        let objective = if self.restoring { 0.0 } else { values.objective };
        objective + self.penalty * all.map(|(row, value)| self.violation_of(row, *value)).sum::<f64>()
    }

    /// Derivative of objective and priced constraints.
    fn lagrangian(&self, slopes: &Slopes) -> DVector<f64> {
        let multipliers = DVector::from_column_slice(&self.multipliers);
        let own = if self.restoring { &self.nothing } else { &slopes.objective };
        own + slopes.constraints.transpose() * multipliers
    }

    /// Largest violation of the conditions of a minimum, those of the constraints themselves left out.
    fn kkt(&self, now: &Round, slopes: &Slopes) -> f64 {
        let slope = self.lagrangian(slopes);
        let free = |i: usize| {
            let (low, high) = (now.x[i] - self.limits.lower[i], self.limits.upper[i] - now.x[i]);
            // At a limit only the push away from it counts.
            match slope[i] {
                own if own > 0.0 && low <= AT_LIMIT => 0.0,
                own if own < 0.0 && high <= AT_LIMIT => 0.0,
                own => own.abs(),
            }
        };
        let stationary = (0..slope.len()).map(free).fold(0.0, f64::max);
        let slack = |(row, price): (usize, &f64)| match self.limits.equal[row] {
            true => 0.0,
            false => (price * now.values.constraints[row].min(0.0)).abs(),
        };
        self.multipliers.iter().enumerate().map(slack).fold(stationary, f64::max)
    }

    /// How a search ends at a place without derivatives.
    fn without_slopes(&mut self, obstacle: Obstacle) -> OptimumEnd {
        let end = if obstacle == Obstacle::Stopped { OptimumEnd::Stopped } else { OptimumEnd::Blocked };
        self.obstacle = Some(obstacle);
        end
    }

    /// How a search ends that finds no better step. `None` where it goes on: constraints that cannot all hold are first brought as near to it as
    /// they can be.
    fn given_up(&mut self, now: &Round, slopes: &Slopes) -> Option<OptimumEnd> {
        let end = self.no_better(now);
        if end != OptimumEnd::Infeasible || self.restored {
            return Some(end);
        }
        (self.restoring, self.restored, self.penalty) = (true, true, FIRST_PENALTY);
        self.renew_curvature(slopes);
        None
    }

    /// Another function is made less from here: the region of trust and the curvature begin anew.
    fn renew_curvature(&mut self, slopes: &Slopes) {
        let n = self.nothing.len();
        let slope = if self.restoring { self.penalty * slopes.constraints.amax() } else { slopes.objective.amax() };
        let size = if slope > 0.0 { slope / FIRST_REGION } else { 1.0 };
        (self.region, self.updates, self.curvature) = (FIRST_REGION, 0, DMatrix::identity(n, n) * size);
    }

    /// How a search ends where it stands.
    fn no_better(&self, now: &Round) -> OptimumEnd {
        match (now.violation > CONSTRAINT_TOLERANCE, &self.obstacle) {
            (_, Some(_)) => OptimumEnd::Blocked,
            (true, _) => OptimumEnd::Infeasible,
            (false, _) if now.kkt <= NEARLY * KKT_TOLERANCE => OptimumEnd::Converged,
            _ => OptimumEnd::Stalled,
        }
    }

    /// Powell's damped update of the curvature by how the slope of the Lagrangian changed along a step.
    fn update(&mut self, step: &DVector<f64>, before: &Slopes, after: &Slopes) {
        if (after.squares.is_some() && !self.restoring) || step.amax() == 0.0 {
            return;
        }
        let change = self.lagrangian(after) - self.lagrangian(before);
        let along = step.dot(&change);
        if self.updates == 0 && along > 0.0 {
            let n = step.len();
            self.curvature = DMatrix::identity(n, n) * (change.norm_squared() / along);
        }
        self.updates += 1;
        let bent = &self.curvature * step;
        let old = step.dot(&bent);
        if old <= 0.0 || !old.is_finite() {
            return;
        }
        let part = if along >= DAMPED * old { 1.0 } else { (1.0 - DAMPED) * old / (old - along) };
        let change = change * part + &bent * (1.0 - part);
        let along = step.dot(&change);
        self.curvature += &change * change.transpose() / along - &bent * bent.transpose() / old;
    }

    fn end(self, end: OptimumEnd, last: Round, slopes: Option<&Slopes>, rounds: usize) -> Optimum {
        let price = slopes.map_or_else(|| DVector::zeros(last.x.len()), |slopes| self.lagrangian(slopes));
        let at = |i: usize| {
            let held = last.x[i] - self.limits.lower[i] <= AT_LIMIT || self.limits.upper[i] - last.x[i] <= AT_LIMIT;
            if held { price[i] } else { 0.0 }
        };
        let limit_multipliers = (0..last.x.len()).map(at).collect();
        let obstacle = self.obstacle.filter(|_| end == OptimumEnd::Blocked);
        Optimum { end, last, multipliers: self.multipliers, limit_multipliers, obstacle, rounds }
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
