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
    /// Median time in 6×6 products.
    pub products: f64,
    /// The most products it may cost, if there is a bar.
    pub bar: Option<f64>,
    /// What was timed.
    pub note: String,
}
