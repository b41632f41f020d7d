//! The inverse job: which drives bring named outputs to their targets.

use crate::invalid::{Invalid, Problem, check};
use crate::{Frame, LoopWinding, Scene, Signal};
use nalgebra::Vector3;

/// Drives that are to be found, and what they are to bring about.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseJob {
    /// What is wanted.
    pub targets: Vec<Target>,
    /// What is to be found.
    pub free: Vec<FreeDrive>,
    /// Number of moments at which the targets are to be met, both ends included; one is the end.
    pub samples: usize,
    /// The parameter of the targets' courses runs from 0 to this.
    pub end: f64,
    /// Rounds for one moment.
    pub max_iterations: usize,
    /// Which way round a single rod that is held at both ends turns at the start.
    pub winding: LoopWinding,
}

/// A drive that is to be found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreeDrive {
    /// Index of the scene's drive; the search begins with its value at the beginning.
    pub drive: usize,
    /// Between these; infinite where nothing limits it.
    pub limits: (f64, f64),
    /// What effort costs, relative to the other drives.
    pub weight: f64,
    /// Where there is no effort.
    pub rest: f64,
}

/// An output and what it is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// The output.
    pub output: Wanted,
    /// How much a deviation counts: times the default of one over the robot's length, one over a radian, or one over the force
    /// that bends the softest rod.
    pub weight: f64,
}

/// Outputs with the courses of their targets. Axes without a course are left open.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Wanted {
    /// Where a frame is, m, world axes.
    Position { of: Frame, axes: [Option<Signal>; 3] },
    /// How a frame is turned, as the rotation vector of its orientation in the world, rad.
    Rotation { of: Frame, turn: [Signal; 3] },
    /// Where the x axis of a frame points, world axes; the length does not matter.
    Direction { of: Frame, along: [Signal; 3] },
    /// Tension of a tendon, N.
    TendonTension { tendon: usize, value: Signal },
    /// Length of a tendon, m.
    TendonLength { tendon: usize, value: Signal },
    /// Tension of a cable, N.
    CableTension { cable: usize, value: Signal },
    /// Length of a cable, m.
    CableLength { cable: usize, value: Signal },
    /// Pull of a spring, N.
    SpringPull { spring: usize, value: Signal },
    /// Force of a rod on what holds its base or tip, N, world axes.
    Force { rod: usize, at_base: bool, axes: [Option<Signal>; 3] },
}

/// Largest number of moments that is not taken for a mistake.
const MOST_SAMPLES: usize = 1_000_000;
/// Directions shorter than this are none.
const NO_DIRECTION: f64 = 1e-9;

impl Wanted {
    /// Its courses.
    pub fn courses(&self) -> Vec<&Signal> {
        match self {
            Self::Position { axes, .. } | Self::Force { axes, .. } => axes.iter().flatten().collect(),
            Self::Rotation { turn: three, .. } | Self::Direction { along: three, .. } => three.iter().collect(),
            Self::TendonTension { value, .. }
            | Self::TendonLength { value, .. }
            | Self::CableTension { value, .. }
            | Self::CableLength { value, .. }
            | Self::SpringPull { value, .. } => vec![value],
        }
    }

    /// Numbers that it asks for: a direction has two.
    pub fn size(&self) -> usize {
        match self {
            Self::Direction { .. } => 2,
            _ => self.courses().len(),
        }
    }

    /// The unit of its gap.
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Rotation { .. } => "rad",
            Self::Direction { .. } => "1",
            Self::Position { .. } | Self::TendonLength { .. } | Self::CableLength { .. } => "m",
            _ => "N",
        }
    }

    /// The frame that it is of.
    pub fn frame(&self) -> Option<&Frame> {
        match self {
            Self::Position { of, .. } | Self::Rotation { of, .. } | Self::Direction { of, .. } => Some(of),
            _ => None,
        }
    }

    /// Where a frame is to be at a moment, if all three axes are given.
    pub fn position_at(&self, t: f64) -> Option<Vector3<f64>> {
        let Self::Position { axes: [Some(x), Some(y), Some(z)], .. } = self else { return None };
        Some(Vector3::new(x.at(t), y.at(t), z.at(t)))
    }
}

impl InverseJob {
    /// The parameter at a sample.
    pub fn moment(&self, index: usize) -> f64 {
        match self.samples {
            0 | 1 => self.end,
            samples => self.end * index as f64 / (samples - 1) as f64,
        }
    }

    pub(crate) fn validate(&self) -> Result<(), Invalid> {
        check::positive("job.end", self.end)?;
        if self.samples == 0 || self.samples > MOST_SAMPLES {
            let need = "from one moment to a million".into();
            return Err(Invalid::new("job.samples", Problem::Count { found: self.samples, need }));
        }
        for (path, found) in [("target", self.targets.len()), ("free", self.free.len())] {
            if found == 0 {
                let need = "an inverse job needs targets, and drives to be found".into();
                return Err(Invalid::new(path, Problem::Count { found, need }));
            }
        }
        Ok(())
    }
}

impl Scene {
    /// Everything that targets and free drives name is there, and numbers are in order.
    pub(crate) fn validate_inverse(&self, job: &InverseJob) -> Result<(), Invalid> {
        for target in &job.targets {
            let path = format!("target.{}", target.name);
            check::positive(format_args!("{path}.weight"), target.weight)?;
            for course in target.output.courses() {
                course.validate(&path, job.end)?;
            }
            if let Some(frame) = target.output.frame() {
                self.validate_frame(format_args!("{path}.of"), frame)?;
            }
            let there = match &target.output {
                Wanted::TendonTension { tendon, .. } | Wanted::TendonLength { tendon, .. } => {
                    *tendon < self.tendons.len()
                }
                Wanted::CableTension { cable, .. } | Wanted::CableLength { cable, .. } => *cable < self.cables.len(),
                Wanted::SpringPull { spring, .. } => *spring < self.springs.len(),
                Wanted::Force { rod, .. } => *rod < self.rods.len(),
                _ => true,
            };
            if !there || target.output.courses().is_empty() {
                let reason = "names nothing that can be wanted".into();
                return Err(Invalid::new(path, Problem::Contradiction { reason }));
            }
            if let Wanted::Direction { along, .. } = &target.output {
                let short = |t: f64| along.iter().map(|own| own.at(t).powi(2)).sum::<f64>().sqrt() < NO_DIRECTION;
                if (0..job.samples).any(|index| short(job.moment(index))) {
                    let reason = "a direction has a length above zero at every moment".into();
                    return Err(Invalid::new(path, Problem::Contradiction { reason }));
                }
            }
        }
        for free in &job.free {
            let Some(drive) = self.drives.get(free.drive) else {
                let reason = "a free drive is none of the scene's".into();
                return Err(Invalid::new("free", Problem::Contradiction { reason }));
            };
            let path = format!("free.{}", drive.path);
            if free.weight < 0.0 || free.weight.is_nan() {
                return Err(Invalid::new(format!("{path}.weight"), Problem::Negative { value: free.weight }));
            }
            check::finite(format_args!("{path}.rest"), free.rest)?;
            let (low, high) = free.limits;
            let value = drive.signal.at(0.0);
            if low >= high || !(low..=high).contains(&value) {
                let interval = format!("[{low}, {high}], its limits, where the search begins");
                return Err(Invalid::new(format!("{path}.limits"), Problem::OutOfRange { value, interval }));
            }
        }
        Ok(())
    }
}
