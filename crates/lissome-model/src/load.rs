//! Loads on rods and on frames.

use crate::Frame;
use crate::invalid::{Invalid, Problem, check};
use lissome_lie::Wrench;
use nalgebra::Vector3;

/// Which axes a load keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadFrame {
    /// Keeps its direction in the world (dead load).
    World,
    /// Turns with the section it acts on (follower load).
    Body,
}

/// Where and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum LoadKind {
    /// A moment and a force at one section.
    Point { at: f64, wrench: Wrench },
    /// A moment and a force per length on part of the rod.
    Distributed { from: f64, to: f64, per_length: Wrench },
}

/// A load on a rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Unique name.
    pub name: String,
    /// Index of the rod in the scene.
    pub rod: usize,
    /// Axes.
    pub frame: LoadFrame,
    /// Where and how much.
    pub kind: LoadKind,
}

impl Load {
    /// Refuses loads off the rod, or not finite.
    pub fn validate(&self, path: &str, length: f64) -> Result<(), Invalid> {
        let on_rod = |key: &str, s: f64| {
            // `contains` is false for NaN.
            if (-1e-12 * length..=length * (1.0 + 1e-9)).contains(&s) {
                Ok(())
            } else if s.is_finite() {
                Err(Invalid::new(
                    format!("{path}.{key}"),
                    Problem::OutOfRange { value: s, interval: format!("[0, {length}] m") },
                ))
            } else {
                Err(Invalid::new(format!("{path}.{key}"), Problem::NotFinite))
            }
        };
        let wrench = match self.kind {
            LoadKind::Point { at, wrench } => {
                on_rod("at", at)?;
                wrench
            }
            LoadKind::Distributed { from, to, per_length } => {
                on_rod("from", from)?;
                on_rod("to", to)?;
                if from >= to {
                    return Err(Invalid::new(
                        format!("{path}.to"),
                        Problem::Contradiction { reason: format!("is {to} m, not beyond the start at {from} m") },
                    ));
                }
                per_length
            }
        };
        finite_wrench(path, &wrench)
    }
}

/// A load on a frame: of a body, a joint or a section of a rod.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameLoad {
    /// Unique name.
    pub name: String,
    /// Where it acts.
    pub on: Frame,
    /// What acts.
    pub kind: FrameLoadKind,
}

/// What acts on a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum FrameLoadKind {
    /// A moment and a force at the frame's origin.
    Wrench { axes: LoadFrame, wrench: Wrench },
    /// A force of constant size toward a point of the world: a rope over a pulley.
    Toward { point: Vector3<f64>, size: f64 },
}

impl FrameLoad {
    /// Refuses what is not finite. Where it acts is checked with the scene.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        match self.kind {
            FrameLoadKind::Wrench { wrench, .. } => finite_wrench(path, &wrench),
            FrameLoadKind::Toward { point, size } => {
                if point.iter().any(|x| !x.is_finite()) {
                    return Err(Invalid::new(format!("{path}.toward"), Problem::NotFinite));
                }
                check::finite(format_args!("{path}.size"), size)?;
                if size < 0.0 {
                    return Err(Invalid::new(format!("{path}.size"), Problem::Negative { value: size }));
                }
                Ok(())
            }
        }
    }
}

fn finite_wrench(path: &str, wrench: &Wrench) -> Result<(), Invalid> {
    for (key, v) in [("force", wrench.force), ("moment", wrench.moment)] {
        if v.iter().any(|x| !x.is_finite()) {
            return Err(Invalid::new(format!("{path}.{key}"), Problem::NotFinite));
        }
    }
    Ok(())
}
