//! The command line.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Statics and motion of soft and continuum robots: scenes in, equilibria and motions out.
#[derive(Debug, Parser)]
#[command(
    name = "lissome",
    version,
    about,
    after_help = "Exit codes: 0 ok, 1 our bug, 2 bad input, 3 ran but found no \
equilibrium (or a case failed), 4 a limit was hit, 130 interrupted with results kept."
)]
pub struct Cli {
    /// What to do; the demo if nothing is said.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a shipped scene and write its results here.
    Demo(DemoArgs),
    /// Write a commented scene to start from.
    New(NewArgs),
    /// Read a scene and say what is wrong with it, without running it.
    Check(CheckArgs),
    /// Do the job of a scene.
    Run(RunArgs),
    /// Solve a scene for many values, and gather one table.
    Sweep(SweepArgs),
    /// Find numbers of a scene from measurements.
    Fit(FitArgs),
    /// Find the shape and strain of a real robot from measured markers.
    Observe(ObserveArgs),
    /// Find the shape of rods from the poses of their two ends.
    Shape(RunArgs),
    /// Run the papers' and textbooks' cases and compare.
    Validate(ValidateArgs),
    /// Time the solver.
    Bench(BenchArgs),
    /// Turn a run into tables, pictures and animations.
    Export(ExportArgs),
    /// Print the JSON Schema of the scene format, for editors.
    Schema,
    /// Look at the machine and try a small solve.
    Doctor(DoctorArgs),
}

/// `demo`.
#[derive(Args, Debug, Default)]
pub struct DemoArgs {
    /// Which scene; the first if none is named.
    pub name: Option<String>,
    /// List the scenes instead.
    #[arg(long)]
    pub list: bool,
    /// Folder to write [default: demo.run].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
}

/// `new`.
#[derive(Args, Debug)]
pub struct NewArgs {
    /// Which scene to copy.
    #[arg(required_unless_present = "list")]
    pub template: Option<String>,
    /// File to write; must not be there yet.
    #[arg(required_unless_present = "list")]
    pub file: Option<PathBuf>,
    /// List the templates instead.
    #[arg(long)]
    pub list: bool,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
}

/// `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The scene.
    pub file: PathBuf,
    /// Values to change first, such as rod.arm.length="240 mm".
    #[arg(value_name = "PATH=VALUE")]
    pub overrides: Vec<String>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
}

/// `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The scene; with --resume, the folder of a motion that was not finished.
    pub file: PathBuf,
    /// Values to change first, such as load.tip.force="[0, 0, 1] N".
    #[arg(value_name = "PATH=VALUE", allow_hyphen_values = false)]
    pub overrides: Vec<String>,
    /// Folder to write [default: the scene's name with .run].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Stop after this time, keeping the last iterate.
    #[arg(long, value_name = "SECONDS")]
    pub limit: Option<f64>,
    /// Go on with a motion where its last checkpoint is; job.duration may be given anew.
    #[arg(long, conflicts_with = "out")]
    pub resume: bool,
    /// Use at most this many threads; results are the same for any number.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but complaints.
    #[arg(long)]
    pub quiet: bool,
}

/// `sweep`.
#[derive(Args, Debug)]
pub struct SweepArgs {
    /// The scene; with --resume, the folder of a sweep that was not finished.
    pub file: PathBuf,
    /// Axes such as rod.arm.length="200..400 mm:21" (with --latin without :21), and values that all cases share.
    #[arg(value_name = "PATH=RANGE", allow_hyphen_values = false)]
    pub arguments: Vec<String>,
    /// Take the cases from a table: the first line names dotted paths, every other is a case.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["latin", "resume"])]
    pub cases: Option<PathBuf>,
    /// Spread this many cases over the axes: a Latin hypercube.
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    pub latin: Option<usize>,
    /// Seed of the Latin hypercube.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// A number to keep, such as arm.tip.position, or `all`; may be given several times.
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    pub output: Vec<String>,
    /// Folder to write [default: the scene's name with .sweep].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Go on with a sweep that was not finished.
    #[arg(long, conflicts_with = "out")]
    pub resume: bool,
    /// Stop after this time, keeping the rows found.
    #[arg(long, value_name = "SECONDS")]
    pub limit: Option<f64>,
    /// Use this many threads [default: all cores]; the table is the same for any number.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but complaints.
    #[arg(long)]
    pub quiet: bool,
}

/// `fit`.
#[derive(Args, Debug)]
pub struct FitArgs {
    /// The scene.
    pub file: PathBuf,
    /// The data: the first line names what each row sets and what was measured, such as "arm.tip.position.x (mm)".
    pub data: PathBuf,
    /// Values to change first, such as load.tip.force="[0, 0, 1] N".
    #[arg(value_name = "PATH=VALUE", allow_hyphen_values = false)]
    pub overrides: Vec<String>,
    /// Numbers to find, separated by commas, each perhaps with limits: rod.arm.length="0.9..1.1 m".
    #[arg(long, value_name = "PATHS", value_delimiter = ',', required = true)]
    pub free: Vec<String>,
    /// Standard deviations of what was measured, such as position=0.1mm,rotation=0.1deg [default: estimated].
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',')]
    pub noise: Vec<String>,
    /// How much values that lie far out count: square, huber or cauchy.
    #[arg(long, value_name = "LOSS", default_value = "square")]
    pub loss: String,
    /// Steps of the search at most.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max_rounds: usize,
    /// Folder to write [default: the scene's name with .fit].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Stop after this time, keeping the best point.
    #[arg(long, value_name = "SECONDS")]
    pub limit: Option<f64>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but complaints.
    #[arg(long)]
    pub quiet: bool,
}

/// `observe`.
#[derive(Args, Debug)]
pub struct ObserveArgs {
    /// The scene.
    pub file: PathBuf,
    /// The table of markers: the first line names places such as arm.at(0.12).position.x (mm), every other is a frame.
    pub markers: PathBuf,
    /// Values to change first, such as load.tip.force="[0, 0, 1] N".
    #[arg(value_name = "PATH=VALUE", allow_hyphen_values = false)]
    pub overrides: Vec<String>,
    /// Standard deviation of the markers: "0.5 mm", "1 deg", "arm.tip=0.2 mm"; may be given several times.
    #[arg(long, value_name = "NOISE")]
    pub noise: Vec<String>,
    /// Something that acts and is not known, such as load.tip.force or arm.at(0.1).force; may be given several times. Without
    /// it, forces on the markers are unknown.
    #[arg(long, value_name = "PATH")]
    pub unknown: Vec<String>,
    /// Energy T that says how far unknown forces bend the robot, such as "2 mJ" [default: from the data].
    #[arg(long, value_name = "ENERGY", conflicts_with = "unknown")]
    pub energy: Option<String>,
    /// Take markers that contradict the others as they are.
    #[arg(long)]
    pub keep_outliers: bool,
    /// Folder to write [default: the scene's name with .observe].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Stop after this time, keeping the frames found.
    #[arg(long, value_name = "SECONDS")]
    pub limit: Option<f64>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but complaints.
    #[arg(long)]
    pub quiet: bool,
}

/// `validate`.
#[derive(Args, Debug)]
pub struct ValidateArgs {
    /// Only cases whose name contains this.
    pub pattern: Option<String>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
}

/// `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// Only benchmarks whose name contains this.
    pub name: Option<String>,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
}

/// `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// The folder that `run` wrote.
    pub run: PathBuf,
    /// Formats, separated by commas: csv, npz, svg, glb, vtk.
    #[arg(long, value_name = "FORMATS", default_value = "csv,npz,svg")]
    pub to: String,
    /// Folder to write [default: the run's name with .export].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace files that are there.
    #[arg(long)]
    pub force: bool,
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
}

/// `doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// Print JSON only.
    #[arg(long)]
    pub json: bool,
}
