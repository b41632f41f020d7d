//! Table III of \[tendon2025\]: how far the Lagrangian and the Newtonian method differ on many load cases.

use super::lagrangian::{self, Reduction};
use super::newtonian::{self, Jump};
use super::scenarios::Scenario;
use crate::OracleError;

/// Median and the bounds that hold 95 % of the values between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Half of the values are below.
    pub median: f64,
    /// 2.5 % of the values are below.
    pub lower: f64,
    /// 2.5 % of the values are above.
    pub upper: f64,
}

impl Spread {
    /// Of some values; quantiles between two values are interpolated. `None` without values.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let quantile = |part: f64| {
            let (place, below) = (part * last as f64, (part * last as f64).floor());
            let (a, b) = (sorted[below as usize], sorted[(below as usize + 1).min(last)]);
            a + (b - a) * (place - below)
        };
        Some(Self { median: quantile(0.5), lower: quantile(0.025), upper: quantile(0.975) })
    }
}

/// The two methods on a set of load cases.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Distance between the tips of each case, in m.
    pub distances: Vec<f64>,
    /// Angle between the tips of each case, in rad.
    pub angles: Vec<f64>,
    /// The distances in short.
    pub distance: Spread,
    /// The angles in short.
    pub angle: Spread,
    /// Part of the cases that the Newtonian method solved in one load step.
    pub newtonian_in_one_step: f64,
    /// The same for the Lagrangian method.
    pub lagrangian_in_one_step: f64,
}

/// Solves every case by both methods.
pub fn compare(scenario: Scenario, cases: &[Vec<f64>], reduction: &Reduction) -> Result<Comparison, OracleError> {
    let (mut distances, mut angles) = (Vec::with_capacity(cases.len()), Vec::with_capacity(cases.len()));
    let (mut newtonian_single, mut lagrangian_single) = (0, 0);
    for tensions in cases {
        let rod = scenario.robot(tensions);
        let by_newton = newtonian::solve(&rod, Jump::Exact)?;
        let by_lagrange = lagrangian::solve(&rod, reduction)?;
        let (distance, angle) = by_newton.tip_difference(&by_lagrange);
        distances.push(distance);
        angles.push(angle);
        newtonian_single += usize::from(by_newton.load_steps == 1);
        lagrangian_single += usize::from(by_lagrange.load_steps == 1);
    }
    let nothing = OracleError::OutOfDomain { quantity: "number of load cases", value: 0.0 };
    let distance = Spread::of(&distances).ok_or_else(|| nothing.clone())?;
    let angle = Spread::of(&angles).ok_or(nothing)?;
    let part = |number: usize| number as f64 / cases.len() as f64;
    Ok(Comparison {
        distances,
        angles,
        distance,
        angle,
        newtonian_in_one_step: part(newtonian_single),
        lagrangian_in_one_step: part(lagrangian_single),
    })
}

/// The comparison on every `thinning`-th case of table III.
pub fn table3(
    scenario: Scenario,
    seed: u64,
    thinning: usize,
    reduction: &Reduction,
) -> Result<Comparison, OracleError> {
    let cases: Vec<_> = scenario.table3_cases(seed).into_iter().step_by(thinning.max(1)).collect();
    compare(scenario, &cases, reduction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_of_a_ramp() {
        let ramp: Vec<f64> = (0..=200).rev().map(f64::from).collect();
        assert_eq!(Spread::of(&ramp), Some(Spread { median: 100.0, lower: 5.0, upper: 195.0 }));
        assert_eq!(Spread::of(&[3.0]), Some(Spread { median: 3.0, lower: 3.0, upper: 3.0 }));
        assert_eq!(Spread::of(&[]), None);
    }
}
