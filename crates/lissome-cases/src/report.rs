//! What a case or a benchmark has to say.

/// One case and its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseReport {
    /// Name such as `paper0/accuracy`.
    pub case: String,
    /// Its figures.
    pub rows: Vec<Row>,
}

/// One figure: what was expected, what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What is compared.
    pub quantity: String,
    /// The source's value.
    pub expected: f64,
    /// Ours.
    pub measured: f64,
    /// How far apart they are, in the measure the tolerance is given in.
    pub error: f64,
    /// How far apart they may be.
    pub tolerance: f64,
    /// True if they are near enough.
    pub pass: bool,
}

/// One timing.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchReport {
    /// Name such as `statics`.
    pub name: String,
    /// Median time, s.
    pub median_seconds: f64,
    /// Time of one million 6×6 products on the same core, s.
    pub calibration_seconds: f64,
    /// Median time in 6×6 products, or over that of something else.
    pub products: f64,
    /// The most that it may be, if there is a bar.
    pub bar: Option<f64>,
    /// Nothing for products, `×` for a ratio.
    pub unit: &'static str,
    /// What was timed.
    pub note: String,
}

impl Row {
    /// Two numbers that should agree; `error` is their distance in the measure of the tolerance.
    pub fn within(quantity: impl Into<String>, expected: f64, measured: f64, error: f64, tolerance: f64) -> Self {
        Self { quantity: quantity.into(), expected, measured, error, tolerance, pass: error <= tolerance }
    }

    /// A deviation from the truth, which should be zero.
    pub fn deviation(quantity: impl Into<String>, deviation: f64, tolerance: f64) -> Self {
        Self::within(quantity, 0.0, deviation, deviation, tolerance)
    }

    /// A figure with an upper bar: expected is the bar, the error is what exceeds it.
    pub fn at_most(quantity: impl Into<String>, measured: f64, bar: f64) -> Self {
        let error = if measured <= bar { 0.0 } else { measured - bar };
        Self::within(quantity, bar, measured, error, 0.0)
    }

    /// A figure with a lower bar: expected is the bar, the error is what is lacking.
    pub fn at_least(quantity: impl Into<String>, measured: f64, bar: f64) -> Self {
        let error = if measured >= bar { 0.0 } else { bar - measured };
        Self::within(quantity, bar, measured, error, 0.0)
    }

    /// A study that could not be run, which never passes.
    pub fn broken(why: &impl std::fmt::Display) -> Self {
        Self {
            quantity: format!("could not be run: {why}"),
            expected: 0.0,
            measured: 1.0,
            error: 1.0,
            tolerance: 0.0,
            pass: false,
        }
    }
}
