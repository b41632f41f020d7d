//! The knots of a rod: where its curve is divided, and how many unknowns that makes. Equations and estimates of their
//! size both follow this one rule.

use crate::invalid::{Invalid, Problem};
use crate::{LoadKind, NaturalShape, Rod, Scene};
use lissome_lie::{Break, open_uniform_knots};

/// Jumps nearer than this part of the length to an end or to each other are one.
const COINCIDENT: f64 = 1e-8;

/// How a rod is divided.
#[derive(Clone, Debug, PartialEq)]
pub struct RodKnots {
    /// Polynomial degree of the curve.
    pub degree: usize,
    /// Open knot vector in arc length, m.
    pub knots: Vec<f64>,
}

impl RodKnots {
    /// Number of control poses.
    pub fn poses(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// Number of increments between control poses, and of independent stresses of a mixed form.
    pub fn increments(&self) -> usize {
        self.poses() - 1
    }

    /// Number of spans that are not empty.
    pub fn spans(&self) -> usize {
        self.knots.windows(2).filter(|pair| pair[0] < pair[1]).count()
    }
}

impl Rod {
    /// Arc lengths inside the rod where its stress or strain may jump, in order: these places, steps of the section and of
    /// the natural shape.
    pub fn jumps(&self, places: &[f64]) -> Vec<f64> {
        let mut at: Vec<f64> = places.iter().copied().chain(self.profile.steps()).chain(self.natural.steps()).collect();
        let near = COINCIDENT * self.length;
        at.retain(|s| *s > near && *s < self.length - near);
        at.sort_by(f64::total_cmp);
        at.dedup_by(|a, b| *a - *b < near);
        at
    }

    /// The knots of the rod with loads and attachments at these places: as many spans as its discretization asks for (a
    /// tolerance: as many as its refinement has come to), and a knot of full multiplicity at every jump, so that a control
    /// pose lies there and the stress may jump.
    pub fn knots(&self, places: &[f64]) -> Result<RodKnots, Invalid> {
        let refuse = |key: &str, reason: String| {
            Invalid::new(format!("rod.{}.{key}", self.name), Problem::Contradiction { reason })
        };
        let degree = self.discretization.degree();
        let jumps = self.jumps(places);
        let spans = match &self.natural {
            NaturalShape::ControlPoses(_) if !jumps.is_empty() => {
                let reason = "control poses fix the knots, so loads must sit at the ends and sections must not step";
                return Err(refuse("shape", reason.into()));
            }
            NaturalShape::ControlPoses(poses) => poses.len().saturating_sub(degree),
            _ => self.discretization.resolution().spans(),
        };
        let breaks: Vec<Break> = jumps.into_iter().map(|at| Break { at, multiplicity: degree }).collect();
        let mut knots = Vec::new();
        open_uniform_knots(degree, self.length, spans, &breaks, &mut knots)
            .map_err(|error| refuse("model.spline", error.to_string()))?;
        Ok(RodKnots { degree, knots })
    }
}

impl Scene {
    /// Arc lengths of a rod where loads begin, end or act, and where something is attached.
    fn places_on(&self, rod: usize) -> Vec<f64> {
        let loads = self.loads.iter().filter(|load| load.rod == rod).flat_map(|load| match load.kind {
            LoadKind::Point { at, .. } => vec![at],
            LoadKind::Distributed { from, to, .. } => vec![from, to],
        });
        loads.chain(self.stations(rod)).collect()
    }

    /// Arc lengths inside a rod where its stress or strain may jump, in order.
    pub fn rod_jumps(&self, rod: usize) -> Vec<f64> {
        self.rods[rod].jumps(&self.places_on(rod))
    }

    /// The knots of a rod.
    pub fn rod_knots(&self, rod: usize) -> Result<RodKnots, Invalid> {
        self.rods[rod].knots(&self.places_on(rod))
    }
}
