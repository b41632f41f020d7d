//! Signals: numbers as functions of time, or of the parameter of a path.

use crate::CubicTable;
use crate::invalid::{Invalid, Problem, check};

/// A number as a function of time, or of the parameter of a path.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Signal {
    /// Always the same.
    Constant(f64),
    /// From one value to another at a constant rate, constant before and after.
    Ramp { from: f64, to: f64, start: f64, over: f64 },
    /// The same between the same values, with rate and acceleration zero at both ends:
    /// from + (to − from) (10 u³ − 15 u⁴ + 6 u⁵), u from 0 to 1.
    SmoothRamp { from: f64, to: f64, start: f64, over: f64 },
    /// mean + amplitude sin(2π frequency t + phase).
    Sine { mean: f64, amplitude: f64, frequency: f64, phase: f64 },
    /// Linear between (time, value); must cover the run.
    Table(Vec<(f64, f64)>),
    /// Cubic between (time, value), with continuous rate and acceleration; must cover the run.
    CubicTable(CubicTable),
}

impl Signal {
    /// Its value at a time. Tables hold their ends.
    pub fn at(&self, t: f64) -> f64 {
        let part = |start: f64, over: f64| match over > 0.0 {
            true => ((t - start) / over).clamp(0.0, 1.0),
            false => f64::from(t >= start),
        };
        match self {
            Self::Constant(value) => *value,
            Self::Ramp { from, to, start, over } => from + (to - from) * part(*start, *over),
            Self::SmoothRamp { from, to, start, over } => from + (to - from) * smooth_step(part(*start, *over)),
            Self::Sine { mean, amplitude, frequency, phase } => {
                mean + amplitude * (std::f64::consts::TAU * frequency * t + phase).sin()
            }
            Self::Table(table) => {
                let after = table.partition_point(|(at, _)| *at <= t);
                match (after.checked_sub(1).and_then(|i| table.get(i)), table.get(after)) {
                    (Some(a), Some(b)) => a.1 + (b.1 - a.1) * ((t - a.0) / (b.0 - a.0)),
                    (Some(end), None) | (None, Some(end)) => end.1,
                    (None, None) => 0.0,
                }
            }
            Self::CubicTable(table) => table.at(t),
        }
    }

    /// The least and the greatest value that it takes at any time.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Self::Constant(value) => (*value, *value),
            Self::Ramp { from, to, .. } | Self::SmoothRamp { from, to, .. } => (from.min(*to), from.max(*to)),
            Self::Sine { mean, amplitude, .. } => (mean - amplitude.abs(), mean + amplitude.abs()),
            Self::Table(table) => table.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, value)| {
                (low.min(*value), high.max(*value))
            }),
            Self::CubicTable(table) => table.range(),
        }
    }

    /// Times at which its rate changes at once, or at which it begins and ends to change.
    pub fn corners(&self) -> Vec<f64> {
        match self {
            Self::Constant(_) | Self::Sine { .. } | Self::CubicTable(_) => Vec::new(),
            Self::Ramp { start, over, .. } | Self::SmoothRamp { start, over, .. } => vec![*start, start + over],
            Self::Table(table) => table.iter().map(|(t, _)| *t).collect(),
        }
    }

    /// Longest step in time that sees what it does between its corners, s: a fiftieth of a period, the distance of the
    /// points of a smooth table.
    pub fn longest_step(&self) -> f64 {
        match self {
            Self::Sine { frequency, .. } if *frequency != 0.0 => 0.02 / frequency.abs(),
            Self::SmoothRamp { over, .. } if *over > 0.0 => 0.02 * over,
            Self::CubicTable(table) => table.points().windows(2).map(|w| w[1].0 - w[0].0).fold(f64::INFINITY, f64::min),
            _ => f64::INFINITY,
        }
    }

    /// Refuses what is not finite, tables that are not in order or do not cover [0, end].
    pub fn validate(&self, path: &str, end: f64) -> Result<(), Invalid> {
        match self {
            Self::Constant(value) => check::finite(path, *value),
            Self::Ramp { from, to, start, over } | Self::SmoothRamp { from, to, start, over } => {
                [from, to, start, over].into_iter().try_for_each(|value| check::finite(path, *value))?;
                if *over < 0.0 {
                    return Err(Invalid::new(format!("{path}.over"), Problem::Negative { value: *over }));
                }
                Ok(())
            }
            Self::Sine { mean, amplitude, frequency, phase } => {
                [mean, amplitude, frequency, phase].into_iter().try_for_each(|value| check::finite(path, *value))
            }
            Self::Table(table) => validate_table(table, path, end),
            Self::CubicTable(table) => validate_table(table.points(), path, end),
        }
    }
}

/// 10 u³ − 15 u⁴ + 6 u⁵: the polynomial of least degree from 0 to 1 whose first and second derivatives vanish at both ends.
fn smooth_step(u: f64) -> f64 {
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

fn validate_table(table: &[(f64, f64)], path: &str, end: f64) -> Result<(), Invalid> {
    let path = format!("{path}.table");
    let (Some((first, _)), Some((last, _))) = (table.first(), table.last()) else {
        return Err(Invalid::new(path, Problem::Count { found: 0, need: "give at least one point".into() }));
    };
    for (t, value) in table {
        check::finite(&path, *t)?;
        check::finite(&path, *value)?;
    }
    if let Some(w) = table.windows(2).find(|w| w[1].0 <= w[0].0) {
        return Err(Invalid::new(path, Problem::TimesNotInOrder { before: w[0].0, after: w[1].0 }));
    }
    let (first, last, slack) = (*first, *last, 1e-9 * end.abs());
    if first > slack || last < end - slack {
        return Err(Invalid::new(path, Problem::NotCovered { first, last, end }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smooth(over: f64) -> Signal {
        Signal::SmoothRamp { from: 1.0, to: 4.0, start: 0.5, over }
    }

    #[test]
    fn a_smooth_ramp_goes_from_one_value_to_the_other() {
        let ramp = smooth(2.0);
        for (t, value) in [(-1.0, 1.0), (0.5, 1.0), (1.5, 2.5), (2.5, 4.0), (9.0, 4.0)] {
            assert_eq!(ramp.at(t), value, "{t}");
        }
        // u = 1/4: (10·16 − 15·4 + 6)/1024.
        assert_eq!(ramp.at(1.0), 1.0 + 3.0 * 106.0 / 1024.0);
        assert_eq!(ramp.range(), (1.0, 4.0));
        assert_eq!((smooth(0.0).at(0.499), smooth(0.0).at(0.5)), (1.0, 4.0), "a step if it takes no time");
    }

    #[test]
    fn a_smooth_ramp_begins_and_ends_at_rest() {
        // Near its ends it leaves them as 10 u³ and arrives as 1 − 10 (1 − u)³: rate and acceleration are continuous.
        let ramp = smooth(2.0);
        for u in [1e-3, 1e-2] {
            let cube = 3.0 * 10.0 * u * u * u;
            // The next term is 1.5 u of it.
            assert!((ramp.at(0.5 + 2.0 * u) - 1.0 - cube).abs() < 1.6 * u * cube);
            assert!((4.0 - ramp.at(2.5 - 2.0 * u) - cube).abs() < 1.6 * u * cube);
        }
        // It never turns back.
        let values: Vec<f64> = (0..=200).map(|i| ramp.at(0.5 + 0.01 * f64::from(i))).collect();
        assert!(values.windows(2).all(|w| w[1] >= w[0]));
    }

    #[test]
    fn between_corners_a_signal_is_smooth() {
        let ramp = Signal::Ramp { from: 0.0, to: 1.0, start: 0.5, over: 0.25 };
        assert_eq!(ramp.corners(), [0.5, 0.75]);
        assert_eq!(Signal::Table(vec![(0.0, 1.0), (1.0, 2.0), (3.0, 0.0)]).corners(), [0.0, 1.0, 3.0]);
        let sine = Signal::Sine { mean: 0.0, amplitude: 1.0, frequency: -4.0, phase: 0.0 };
        assert_eq!((sine.corners().len(), sine.longest_step(), ramp.longest_step()), (0, 0.005, f64::INFINITY));
    }

    #[test]
    fn ranges_hold_what_is_taken() {
        let sine = Signal::Sine { mean: 1.0, amplitude: -2.0, frequency: 3.0, phase: 0.1 };
        let table = Signal::Table(vec![(0.0, 2.0), (1.0, -1.0), (2.0, 0.5)]);
        let cubic = Signal::CubicTable(CubicTable::new(vec![(0.0, 0.0), (1.0, 1.0), (1.5, 1.0), (3.0, -1.0)]));
        for signal in [sine, table, cubic, smooth(1.0), Signal::Constant(3.0)] {
            let (low, high) = signal.range();
            let values: Vec<f64> = (0..=30_000).map(|i| signal.at(1e-4 * f64::from(i))).collect();
            let (least, most) = (
                values.iter().copied().fold(f64::INFINITY, f64::min),
                values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            );
            // Sampled every 1e-4 s, an extremum of curvature below 1e3 is missed by less than 1e3 (5e-5)²/2.
            assert!(least >= low - 1e-14 && least < low + 2e-6, "{signal:?} {least} {low}");
            assert!(most <= high + 1e-14 && most > high - 2e-6, "{signal:?} {most} {high}");
        }
    }

    #[test]
    fn cubic_tables_are_checked_as_linear_ones() {
        let code = |points: Vec<(f64, f64)>| {
            let cubic = Signal::CubicTable(CubicTable::new(points.clone())).validate("drive.a", 2.0);
            assert_eq!(cubic, Signal::Table(points).validate("drive.a", 2.0));
            cubic.err().map(|invalid| invalid.problem)
        };
        assert_eq!(code(vec![(0.0, 1.0), (2.0, 3.0)]), None);
        assert_eq!(code(vec![(0.0, 1.0), (1.0, 3.0)]), Some(Problem::NotCovered { first: 0.0, last: 1.0, end: 2.0 }));
        assert_eq!(code(vec![(0.0, 1.0), (0.0, 3.0)]), Some(Problem::TimesNotInOrder { before: 0.0, after: 0.0 }));
        assert_eq!(code(vec![(0.0, f64::NAN), (2.0, 3.0)]), Some(Problem::NotFinite));
        assert!(code(vec![]).is_some());
    }
}
