//! Elastic rods: geometry, material, natural shape, how they are held and how they are discretised.

use crate::invalid::{Invalid, Problem, check};
use crate::{Discretization, Frame, InitialVelocity, Profile, Resolution, TubeSet};
use lissome_lie::{Pose, Strain};
use nalgebra::Vector3;
use std::fmt::Arguments;

/// An elastic rod.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    /// Unique name.
    pub name: String,
    /// Natural arc length, m.
    pub length: f64,
    /// Sections along the rod.
    pub profile: Profile,
    /// Shape without stress.
    pub natural: NaturalShape,
    /// What holds s = 0; `None` if that end is free.
    pub base: Option<Frame>,
    /// What holds s = length; `None` if that end is free. Held at both ends, a rod closes a loop.
    pub tip: Option<Frame>,
    /// Full turns that the rod was given before its ends were held: about its own axis (twist), and about y and z
    /// (bending into rings). They choose among the equilibria of a loop: closures know orientations only up to full turns.
    pub turns: Vector3<f64>,
    /// Points, in the frame of the base, of the line that the rod is laid along in the beginning, under stress if need be: a knot, a
    /// coil. None if it begins in its natural shape.
    pub laid: Vec<Vector3<f64>>,
    /// How the rod becomes unknowns.
    pub discretization: Discretization,
    /// How a motion begins: the whole rod as a rigid one, about its section s = 0; `None` as what carries it. Ends that are
    /// held move as what holds them.
    pub initial_velocity: Option<InitialVelocity>,
    /// The concentric tubes that the rod consists of, if it does; length and profile follow from them, see
    /// [`TubeSet::rod`].
    pub tubes: Option<TubeSet>,
}

impl Default for Rod {
    /// A straight free rod whose name, length and sections are still to be given: [`Rod::validate`] refuses it as it is.
    fn default() -> Self {
        Self {
            name: String::new(),
            length: 0.0,
            profile: Profile { stations: Vec::new() },
            natural: NaturalShape::Straight,
            base: None,
            tip: None,
            turns: Vector3::zeros(),
            laid: Vec::new(),
            discretization: Discretization::default(),
            initial_velocity: None,
            tubes: None,
        }
    }
}

/// The stress-free shape of a rod.
#[derive(Clone, Debug, PartialEq)]
pub enum NaturalShape {
    /// Straight.
    Straight,
    /// Curvature (torsion, about y, about z), 1/m, linear between the given arc lengths; one entry is uniform.
    Curvature(Vec<(f64, Vector3<f64>)>),
    /// The cumulative spline through these control poses (relative to the base; open uniform knots) is the shape.
    /// The rod then has exactly these control poses as its unknowns.
    ControlPoses(Vec<Pose>),
}

impl NaturalShape {
    /// Uniform pre-curvature.
    pub fn curved(curvature: Vector3<f64>) -> Self {
        Self::Curvature(vec![(0.0, curvature)])
    }

    /// Natural strain at s of a straight or tabulated shape; `None` where only the spline itself knows.
    pub fn strain_at(&self, s: f64) -> Option<Strain> {
        match self {
            Self::Straight => Some(Strain::straight()),
            Self::Curvature(table) => {
                let after = table.partition_point(|(at, _)| *at <= s);
                let k = match (after.checked_sub(1).and_then(|i| table.get(i)), table.get(after)) {
                    (Some(a), Some(b)) if b.0 > a.0 => a.1 + (b.1 - a.1) * ((s - a.0) / (b.0 - a.0)),
                    (Some(a), _) => a.1,
                    (None, Some(b)) => b.1,
                    (None, None) => Vector3::zeros(),
                };
                Some(Strain::new(k, Vector3::x()))
            }
            Self::ControlPoses(_) => None,
        }
    }

    /// Arc lengths that its table names, in order: between them it is smooth.
    pub fn places(&self) -> Vec<f64> {
        match self {
            Self::Curvature(table) => table.iter().map(|(s, _)| *s).collect(),
            Self::Straight | Self::ControlPoses(_) => Vec::new(),
        }
    }

    /// Interior arc lengths where the natural curvature steps.
    pub fn steps(&self) -> Vec<f64> {
        match self {
            Self::Curvature(table) => table.windows(2).filter(|w| w[0].0 == w[1].0).map(|w| w[0].0).collect(),
            _ => Vec::new(),
        }
    }

    fn validate(&self, path: Arguments<'_>, length: f64) -> Result<(), Invalid> {
        match self {
            Self::Straight => Ok(()),
            Self::Curvature(table) => {
                if table.is_empty() {
                    return Err(Invalid::new(
                        path.to_string(),
                        Problem::Count { found: 0, need: "give at least one curvature".into() },
                    ));
                }
                for (s, k) in table {
                    check::finite(format_args!("{path}.s"), *s)?;
                    if k.iter().any(|x| !x.is_finite()) {
                        return Err(Invalid::new(format!("{path}.curvature"), Problem::NotFinite));
                    }
                    if *s < 0.0 || *s > length * (1.0 + 1e-9) {
                        return Err(Invalid::new(
                            format!("{path}.s"),
                            Problem::OutOfRange { value: *s, interval: format!("[0, {length}] m") },
                        ));
                    }
                }
                if table.windows(2).any(|w| w[1].0 < w[0].0) {
                    return Err(Invalid::new(
                        path.to_string(),
                        Problem::Contradiction { reason: "arc lengths are not in order".into() },
                    ));
                }
                Ok(())
            }
            Self::ControlPoses(poses) => {
                if poses.len() < 2 {
                    return Err(Invalid::new(
                        path.to_string(),
                        Problem::Count { found: poses.len(), need: "a shape needs at least two control poses".into() },
                    ));
                }
                if poses.iter().any(|p| !p.is_finite()) {
                    return Err(Invalid::new(path.to_string(), Problem::NotFinite));
                }
                for w in poses.windows(2) {
                    if w[1].boxminus(&w[0]).angular.norm() > 3.0 {
                        return Err(Invalid::new(
                            path.to_string(),
                            Problem::Contradiction {
                                reason: "turns by more than 3 rad between two control poses: add poses".into(),
                            },
                        ));
                    }
                }
                Ok(())
            }
        }
    }
}

impl Rod {
    /// Its dotted path in a scene: tube sets have a table of their own.
    pub fn path(&self) -> String {
        let table = if self.tubes.is_some() { "tubes" } else { "rod" };
        [table, ".", &self.name].concat()
    }

    /// True if it is known everywhere what it weighs; of tubes, of each.
    pub fn has_mass(&self) -> bool {
        match &self.tubes {
            Some(tubes) => tubes.tubes.iter().all(|tube| tube.material.density.is_some()),
            None => self.profile.has_mass(),
        }
    }

    /// Refuses rods that cannot exist or cannot be computed.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        if let Some(tubes) = &self.tubes {
            self.validate_tubes(path, tubes)?;
        }
        check::positive(format_args!("{path}.length"), self.length)?;
        self.profile.validate(format_args!("{path}.section"), self.length)?;
        self.natural.validate(format_args!("{path}.shape"), self.length)?;
        self.discretization.validate(format_args!("{path}.model"))?;
        self.validate_turns(format_args!("{path}.turns"))?;
        self.validate_laid(format_args!("{path}.laid"))?;
        self.initial_velocity.map_or(Ok(()), |velocity| velocity.validate(path))?;
        self.validate_strain_basis(path)?;
        let degree = self.discretization.degree();
        if let NaturalShape::ControlPoses(poses) = &self.natural
            && poses.len() < degree + 1
        {
            return Err(Invalid::new(
                format!("{path}.shape"),
                Problem::Count {
                    found: poses.len(),
                    need: format!("a spline of degree {degree} needs at least {}", degree + 1),
                },
            ));
        }
        Ok(())
    }

    /// Strains that are given as functions need a natural strain to count from, and a loop needs every turn.
    fn validate_strain_basis(&self, path: &str) -> Result<(), Invalid> {
        let Discretization::StrainBasis { functions, .. } = &self.discretization else { return Ok(()) };
        let refuse = |key: &str, reason: &str| {
            Err(Invalid::new(format!("{path}.{key}"), Problem::Contradiction { reason: reason.into() }))
        };
        if matches!(self.natural, NaturalShape::ControlPoses(_)) {
            return refuse(
                "shape",
                "has control poses, which are the unknowns of a spline: use `spline`, or a curvature",
            );
        }
        if self.base.is_some() && self.tip.is_some() && functions.orders()[..3].contains(&0) {
            let reason = "switches a turn off that a rod held at both ends needs: leave twist and bending on";
            return refuse("model.strain_basis.orders", reason);
        }
        Ok(())
    }

    /// The line that a rod is laid along is as long as the rod and leaves its base along the axis.
    fn validate_laid(&self, path: Arguments<'_>) -> Result<(), Invalid> {
        if self.laid.is_empty() {
            return Ok(());
        }
        let refuse = |reason: String| Err(Invalid::new(path.to_string(), Problem::Contradiction { reason }));
        if self.base.is_none() {
            return refuse("counts from the base of the rod: say what holds it".into());
        }
        if self.tubes.is_some() || self.turns.norm() > 0.0 {
            return refuse("gives the whole beginning: leave out `turns`, and tubes where they are".into());
        }
        if matches!(self.discretization, Discretization::StrainBasis { .. }) {
            return refuse(
                "has no control poses to lie along in a strain basis: use `spline` or `linear_strain`".into(),
            );
        }
        let mut polygon = 0.0;
        let mut last = Vector3::zeros();
        for point in &self.laid {
            point.iter().try_for_each(|value| check::finite(path, *value))?;
            let step = (point - last).norm();
            if step < LEAST_STEP * self.length {
                return refuse(
                    "has two points in one place, or begins at the base itself, which counts as its first point".into(),
                );
            }
            (polygon, last) = (polygon + step, *point);
        }
        if self.laid[0].x <= 0.0 {
            return refuse("leaves the base backwards: its first point lies at x ≤ 0 in the frame of the base".into());
        }
        if !LAID_LENGTH.contains(&(polygon / self.length)) {
            let (percent, length) = (100.0 * polygon / self.length, self.length);
            return refuse(format!(
                "is {percent:.1} % as long as the rod of {length} m, point to point: between 90 and 101 % are meant, since a line through \
                 points is a little longer"
            ));
        }
        Ok(())
    }

    /// Turns are whole, so that the ends keep their orientation, and each piece of the rod makes a small part of one.
    fn validate_turns(&self, path: Arguments<'_>) -> Result<(), Invalid> {
        let [twist, bend] = [self.turns.x, self.turns.y.hypot(self.turns.z)];
        for value in [twist, bend] {
            check::finite(path, value)?;
            if (value - value.round()).abs() > WHOLE_TURN {
                let interval = "whole numbers of turns; in bending, √(y² + z²) counts".into();
                return Err(Invalid::new(path.to_string(), Problem::OutOfRange { value, interval }));
            }
        }
        let pieces = match self.discretization.resolution() {
            Resolution::Spans(spans) => *spans as f64,
            Resolution::Knots(inner) => inner.len() as f64 + 1.0,
            // It is divided as finely as the turns need.
            Resolution::Tolerance(_) => return Ok(()),
        };
        let needed = ((twist.abs() + bend) / TURN_PER_PIECE).ceil();
        if needed > pieces {
            let reason = format!("turns too far for {pieces} pieces: give its model at least {needed}");
            return Err(Invalid::new(path.to_string(), Problem::Contradiction { reason }));
        }
        Ok(())
    }
}

/// Points that are laid along lie farther apart than this part of the length.
const LEAST_STEP: f64 = 1e-6;
/// Length of the polygon of points that a rod is laid along, over the rod's.
const LAID_LENGTH: std::ops::RangeInclusive<f64> = 0.9..=1.01;
/// How far from a whole number a number of turns may be that decimal fractions make.
const WHOLE_TURN: f64 = 1e-9;
/// Part of a turn that one piece of a rod may make at the start: beyond half a turn the way round is lost.
const TURN_PER_PIECE: f64 = 0.3;
