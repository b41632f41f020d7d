//! Drives: quantities of the scene that change along a path or in time.

use crate::invalid::{Invalid, Problem, check};

/// A driven quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Its dotted path in the scene, such as `motor.angle`.
    pub path: String,
    /// What it is.
    pub target: DriveTarget,
    /// Its course.
    pub signal: Signal,
}

/// A quantity that can be driven. Indices are those of the scene's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum DriveTarget {
    /// A coordinate of a driven joint.
    JointValue { joint: usize, coordinate: usize },
    /// The force or torque along a coordinate of an actuated joint.
    JointEffort { joint: usize, coordinate: usize },
    /// Tension, length or pull of a cable, whichever the cable prescribes.
    Cable(usize),
    /// Factor on a load of a rod.
    Load(usize),
    /// Factor on a load of a frame.
    FrameLoad(usize),
    /// Factor on gravity.
    Gravity,
}

/// A number as a function of time, or of the parameter of a path.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Signal {
    /// Always the same.
    Constant(f64),
    /// From one value to another, constant before and after.
    Ramp { from: f64, to: f64, start: f64, over: f64 },
    /// mean + amplitude sin(2π frequency t + phase).
    Sine { mean: f64, amplitude: f64, frequency: f64, phase: f64 },
    /// Linear between (time, value); must cover the run.
    Table(Vec<(f64, f64)>),
}

impl Signal {
    /// Its value at a time. Tables hold their ends.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Ramp { from, to, start, over } => {
                let part = if *over > 0.0 { ((t - start) / over).clamp(0.0, 1.0) } else { f64::from(t >= *start) };
                from + (to - from) * part
            }
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
        }
    }

    /// Refuses what is not finite, tables that are not in order or do not cover [0, end].
    pub fn validate(&self, path: &str, end: f64) -> Result<(), Invalid> {
        match self {
            Self::Constant(value) => check::finite(path, *value),
            Self::Ramp { from, to, start, over } => {
                [from, to, start, over].into_iter().try_for_each(|value| check::finite(path, *value))?;
                if *over < 0.0 {
                    return Err(Invalid::new(format!("{path}.over"), Problem::Negative { value: *over }));
                }
                Ok(())
            }
            Self::Sine { mean, amplitude, frequency, phase } => {
                [mean, amplitude, frequency, phase].into_iter().try_for_each(|value| check::finite(path, *value))
            }
            Self::Table(table) => {
                if table.is_empty() {
                    let need = "give at least one point".into();
                    return Err(Invalid::new(format!("{path}.table"), Problem::Count { found: 0, need }));
                }
                for (t, value) in table {
                    check::finite(&format!("{path}.table"), *t)?;
                    check::finite(&format!("{path}.table"), *value)?;
                }
                if let Some(w) = table.windows(2).find(|w| w[1].0 <= w[0].0) {
                    let problem = Problem::TimesNotInOrder { before: w[0].0, after: w[1].0 };
                    return Err(Invalid::new(format!("{path}.table"), problem));
                }
                let (first, last) = (table[0].0, table[table.len() - 1].0);
                let slack = 1e-9 * end.abs();
                if first > slack || last < end - slack {
                    return Err(Invalid::new(format!("{path}.table"), Problem::NotCovered { first, last, end }));
                }
                Ok(())
            }
        }
    }
}
