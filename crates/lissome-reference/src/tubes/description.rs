//! What a robot of nested tubes is, to the oracle: plain numbers in SI.

use crate::OracleError;
use lissome_lie::{Pose, Wrench};
use lissome_model::{LoadFrame, LoadKind};
use nalgebra::{Vector2, Vector3};

/// A part of a tube with pre-curvature, linear in between; a tube is straight where it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvedPart {
    /// Where it starts, from the held end of the tube, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
    /// Curvatures about y and z of the tube at its start, 1/m.
    pub start: Vector2<f64>,
    /// The same at its end.
    pub end: Vector2<f64>,
}

impl CurvedPart {
    /// A part of constant curvature.
    pub fn constant(from: f64, to: f64, curvature: Vector2<f64>) -> Self {
        Self { from, to, start: curvature, end: curvature }
    }
}

/// One tube. Its arc length runs from the plate that holds it to its tip; the entry is at `behind`.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticTube {
    /// Whole length, m.
    pub length: f64,
    /// Length behind the entry, held straight and free to twist, m: −β. Zero: held at the entry itself.
    pub behind: f64,
    /// Angle of the plate about the axis of the entry, rad.
    pub angle: f64,
    /// EI, N·m².
    pub bending: f64,
    /// GJ, N·m².
    pub torsion: f64,
    /// EA, N.
    pub axial: f64,
    /// GA with its shear factor, N.
    pub shear: f64,
    /// Mass per length, kg/m.
    pub mass_per_length: f64,
    /// Where it is curved.
    pub curved: Vec<CurvedPart>,
}

impl ElasticTube {
    /// Length beyond the entry, m.
    pub fn reach(&self) -> f64 {
        self.length - self.behind
    }

    /// Pre-curvature at the place `s` beyond the entry, just inside the part that holds `within`.
    pub(super) fn curvature(&self, s: f64, within: f64) -> Vector2<f64> {
        let (at, inside) = (s + self.behind, within + self.behind);
        let part = self.curved.iter().find(|part| part.from <= inside && inside < part.to);
        part.map_or_else(Vector2::zeros, |part| {
            part.start + (part.end - part.start) * ((at - part.from) / (part.to - part.from))
        })
    }
}

/// What the centre line may do besides bending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    /// Neither stretch nor shear: the classical model of such robots.
    None,
    /// As a rod with the sum of the axial and shear stiffness of the tubes at each place.
    SumOfTubes,
}

/// A load on the centre line. Its moment about the tangent acts on the innermost tube there, whose axes a follower keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TubeLoad {
    /// Axes.
    pub frame: LoadFrame,
    /// Where, from the entry, and how much.
    pub kind: LoadKind,
}

impl TubeLoad {
    /// A dead force at `at`.
    pub fn force(at: f64, force: Vector3<f64>) -> Self {
        let wrench = Wrench::new(Vector3::zeros(), force);
        Self { frame: LoadFrame::World, kind: LoadKind::Point { at, wrench } }
    }
}

/// A robot of nested tubes.
#[derive(Clone, Debug, PartialEq)]
pub struct TubeRobot {
    /// Pose of the entry; its x axis is the direction in which tubes leave it, and angles count from its y axis.
    pub entry: Pose,
    /// Tubes, innermost first.
    pub tubes: Vec<ElasticTube>,
    /// m/s².
    pub gravity: Vector3<f64>,
    /// Loads.
    pub loads: Vec<TubeLoad>,
    /// What the centre line may do besides bending.
    pub stretch: Stretch,
}

impl TubeRobot {
    /// Length beyond the entry, m.
    pub fn length(&self) -> f64 {
        self.tubes.iter().map(ElasticTube::reach).fold(0.0, f64::max)
    }

    /// Places beyond the entry where a tube ends, its curvature jumps or bends, or a load starts or acts, m.
    pub fn breaks(&self) -> Vec<f64> {
        let mut breaks: Vec<f64> = vec![0.0, self.length()];
        for tube in &self.tubes {
            breaks.push(tube.reach());
            breaks.extend(tube.curved.iter().flat_map(|part| [part.from - tube.behind, part.to - tube.behind]));
        }
        for load in &self.loads {
            match load.kind {
                LoadKind::Point { at, .. } => breaks.push(at),
                LoadKind::Distributed { from, to, .. } => breaks.extend([from, to]),
            }
        }
        breaks.retain(|s| (0.0..=self.length()).contains(s));
        breaks.sort_by(f64::total_cmp);
        breaks
    }

    pub(super) fn check(&self) -> Result<(), OracleError> {
        let refuse = |quantity: &'static str, value: f64| Err(OracleError::OutOfDomain { quantity, value });
        if !(self.length() > 0.0 && self.length().is_finite()) {
            return refuse("length of the tubes beyond the entry", self.length());
        }
        for tube in &self.tubes {
            for (quantity, value) in [
                ("bending stiffness of a tube", tube.bending),
                ("torsion stiffness of a tube", tube.torsion),
                ("axial stiffness of a tube", tube.axial),
                ("shear stiffness of a tube", tube.shear),
            ] {
                if value.is_nan() || value <= 0.0 {
                    return refuse(quantity, value);
                }
            }
            if tube.behind.is_nan() || tube.behind < 0.0 {
                return refuse("length of a tube behind the entry", tube.behind);
            }
        }
        Ok(())
    }
}
