//! What an observation leaves behind: plain numbers, ready to be written or drawn. Bands are half widths of 95 %.

use lissome_lie::{Pose, Wrench};
use lissome_mech::Sample;
use nalgebra::Vector3;

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The shape was found.
    Found,
    /// No equilibrium that the markers agree with was found.
    NotConverged,
    /// No marker was measured.
    Nothing,
    /// The observer asked to stop before it was found.
    Stopped,
}

impl Seen {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NotConverged => "not_converged",
            Self::Nothing => "nothing_measured",
            Self::Stopped => "stopped",
        }
    }
}

/// The robot in every frame that was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// In the order of the table.
    pub frames: Vec<ObservedFrame>,
    /// True if every force on a marker was unknown, false if only the unknowns that were named.
    pub marker_forces: bool,
    /// True if markers were taken as exact.
    pub exact: bool,
    /// True if the noise was not stated, and is what the residuals show.
    pub noise_from_residuals: bool,
}

impl Observation {
    /// True if the shape was found in every frame with a marker in it.
    pub fn succeeded(&self) -> bool {
        self.frames.iter().all(|frame| matches!(frame.seen, Seen::Found | Seen::Nothing))
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedFrame {
    /// Its time, s, or its number.
    pub time: f64,
    /// What became of it.
    pub seen: Seen,
    /// True if the shape is one of least energy: no direction lowers it.
    pub least: bool,
    /// T, J; zero where the forces on markers were not unknown or the markers exact.
    pub energy: f64,
    /// Σ r² over the markers that count, and the numbers that they have more than the data decided.
    pub misfit: f64,
    /// Degrees of freedom of the misfit.
    pub freedom: f64,
    /// What the residuals of exact or unstated noise show, m; NaN otherwise.
    pub noise: f64,
    /// Equilibria that were solved for.
    pub solves: usize,
    /// Of each rod of the scene.
    pub rods: Vec<ObservedRod>,
    /// Of each body of the scene.
    pub bodies: Vec<ObservedBody>,
    /// Of each marker of the table.
    pub markers: Vec<ObservedMarker>,
    /// Of each unknown.
    pub unknowns: Vec<ObservedUnknown>,
    /// Combinations of unknowns that the markers cannot tell, each with its part of every unknown.
    pub blind: Vec<Vec<f64>>,
}

/// A rod in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedRod {
    /// Its name.
    pub name: String,
    /// Along it.
    pub samples: Vec<ObservedSample>,
    /// Estimated error of the division into spans, of the length or in rad; NaN where there is no estimate.
    pub discretisation_error: f64,
}

/// A place along a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservedSample {
    /// The numbers.
    pub sample: Sample,
    /// How far they can be trusted.
    pub band: SampleBand,
}

/// Half widths of 95 % at a place along a rod.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleBand {
    /// m, world axes.
    pub position: Vector3<f64>,
    /// rad, axes of the section.
    pub rotation: Vector3<f64>,
    /// 1/m.
    pub curvature: Vector3<f64>,
    /// Of stretch and shears.
    pub stretch: Vector3<f64>,
    /// N·m.
    pub moment: Vector3<f64>,
    /// N.
    pub force: Vector3<f64>,
}

impl SampleBand {
    /// Numbers of a sample, and of a band.
    pub const SIZE: usize = 18;

    /// From numbers in the order of the fields.
    pub fn from_slice(all: &[f64]) -> Self {
        let three = |at: usize| Vector3::new(all[at], all[at + 1], all[at + 2]);
        Self {
            position: three(0),
            rotation: three(3),
            curvature: three(6),
            stretch: three(9),
            moment: three(12),
            force: three(15),
        }
    }

    /// The fields with their names in files.
    pub fn fields(&self) -> [(&'static str, Vector3<f64>); 6] {
        [
            ("position", self.position),
            ("rotation", self.rotation),
            ("curvature", self.curvature),
            ("stretch", self.stretch),
            ("moment", self.moment),
            ("force", self.force),
        ]
    }
}

/// A body in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedBody {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub pose: Pose,
    /// Band of its position, m, world axes.
    pub position_band: Vector3<f64>,
    /// Band of its rotation, rad, its own axes.
    pub rotation_band: Vector3<f64>,
}

/// A marker in a frame. What was not measured is NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedMarker {
    /// Its name: the place that it is on.
    pub name: String,
    /// Where it is on the robot as it was found, world.
    pub place: Pose,
    /// Where it was measured, m.
    pub measured: Vector3<f64>,
    /// Measured less found, m, world axes.
    pub residual: Vector3<f64>,
    /// The same of its rotation, rad.
    pub turn_residual: Vector3<f64>,
    /// Numbers measured.
    pub numbers: usize,
    /// χ² of the marker against what all others say, with as many degrees of freedom as it has numbers; NaN where the others say
    /// nothing or the noise is not known.
    pub surprise: f64,
    /// Probability of a larger one; NaN with it.
    pub probability: f64,
    /// It contradicts the others and was left out.
    pub outlier: bool,
    /// What it implies: the moment on the robot, axes of the section, and the force on it, world axes; zero where forces on
    /// markers are not unknown.
    pub wrench: Wrench,
    /// Bands of moment and force; infinite where the marker sits on what cannot move.
    pub wrench_band: Wrench,
}

/// An unknown in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedUnknown {
    /// Its dotted path.
    pub path: String,
    /// Unit of its value.
    pub unit: &'static str,
    /// What it is.
    pub value: f64,
    /// Its standard error; infinite if it cannot be told.
    pub standard_error: f64,
    /// Half width of 95 %.
    pub band: f64,
}
