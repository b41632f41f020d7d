//! Where a tendon runs: its position D(s) = (0, D_y, D_z) in the section, piece by piece.

use super::spline::CubicSpline;
use crate::OracleError;
use nalgebra::{Vector2, Vector3};
use std::f64::consts::TAU;

/// A smooth stretch of a tendon.
#[derive(Clone, Debug, PartialEq)]
pub enum Path {
    /// D does not change.
    Parallel {
        /// Position in the section, in m.
        offset: Vector2<f64>,
    },
    /// D changes linearly; convergent if it ends nearer to the axis.
    Linear {
        /// Where the piece begins, in m.
        start: Vector2<f64>,
        /// Where it ends, in m.
        end: Vector2<f64>,
    },
    /// D turns about the axis, from y towards z for positive turns.
    Helix {
        /// Distance from the axis, in m.
        radius: f64,
        /// Angle from the y axis where the piece begins, in rad.
        phase: f64,
        /// Turns over the piece.
        turns: f64,
    },
    /// The same with a distance from the axis that changes linearly.
    Spiral {
        /// Distance from the axis where the piece begins and where it ends, in m.
        radii: [f64; 2],
        /// Angle from the y axis where the piece begins, in rad.
        phase: f64,
        /// Turns over the piece.
        turns: f64,
    },
    /// Through given points.
    Table(CubicSpline),
}

/// A path between two arc lengths.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Arc length where it begins, in m.
    pub from: f64,
    /// Arc length where it ends, in m.
    pub to: f64,
    /// What D does in between.
    pub path: Path,
}

/// Position of a tendon in the section and its derivatives by s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// D.
    pub position: Vector3<f64>,
    /// D′.
    pub slope: Vector3<f64>,
    /// D″.
    pub bend: Vector3<f64>,
}

impl Piece {
    /// D, D′ and D″ at s.
    pub fn offset(&self, s: f64) -> Offset {
        let length = self.to - self.from;
        let [position, slope, bend] = match &self.path {
            Path::Parallel { offset } => [*offset, Vector2::zeros(), Vector2::zeros()],
            Path::Linear { start, end } => {
                let slope = (end - start) / length;
                [start + slope * (s - self.from), slope, Vector2::zeros()]
            }
            Path::Helix { radius, phase, turns } => {
                let rate = TAU * turns / length;
                let (sine, cosine) = (phase + rate * (s - self.from)).sin_cos();
                let position = Vector2::new(cosine, sine) * *radius;
                [position, Vector2::new(-sine, cosine) * (radius * rate), -position * (rate * rate)]
            }
            Path::Spiral { radii, phase, turns } => {
                // D = r e^{iθ}, D′ = (r′ + iω r) e^{iθ}, D″ = (2iω r′ − ω² r) e^{iθ}.
                let (rate, growth) = (TAU * turns / length, (radii[1] - radii[0]) / length);
                let radius = radii[0] + growth * (s - self.from);
                let (sine, cosine) = (phase + rate * (s - self.from)).sin_cos();
                let times = |re: f64, im: f64| Vector2::new(re * cosine - im * sine, re * sine + im * cosine);
                [times(radius, 0.0), times(growth, rate * radius), times(-rate * rate * radius, 2.0 * rate * growth)]
            }
            Path::Table(spline) => spline.at(s),
        };
        let in_section = |v: Vector2<f64>| Vector3::new(0.0, v.x, v.y);
        Offset { position: in_section(position), slope: in_section(slope), bend: in_section(bend) }
    }

    fn validate(&self) -> Result<(), OracleError> {
        let refuse = |quantity, value| Err(OracleError::OutOfDomain { quantity, value });
        let rises = self.from >= 0.0 && self.to > self.from && self.to.is_finite();
        if !rises {
            return refuse("end of a piece of a tendon", self.to);
        }
        match &self.path {
            // `is_none_or` also refuses NaN, which compares to nothing.
            Path::Helix { radius, .. } if radius.partial_cmp(&0.0).is_none_or(|order| order.is_le()) => {
                return refuse("radius of a helical tendon", *radius);
            }
            Path::Spiral { radii, .. }
                if radii.iter().any(|r| r.partial_cmp(&0.0).is_none_or(|order| order.is_lt()))
                    || radii[0].max(radii[1]) == 0.0 =>
            {
                return refuse("radius of a helical tendon", radii[0].min(radii[1]));
            }
            Path::Table(spline) => {
                let knots = spline.knots();
                if knots[0] != self.from || knots[knots.len() - 1] != self.to {
                    return refuse("arc length in a tendon's table", knots[knots.len() - 1]);
                }
            }
            _ => {}
        }
        let (first, last) = (self.offset(self.from), self.offset(self.to));
        let size = first.position.amax() + first.slope.amax() + last.position.amax() + last.slope.amax();
        if size.is_finite() { Ok(()) } else { refuse("position of a tendon", size) }
    }
}

/// Pieces in a row; D is continuous, D′ may jump from one to the next (a kink).
#[derive(Clone, Debug, PartialEq)]
pub struct Routing {
    /// In the order of s, without gaps.
    pub pieces: Vec<Piece>,
}

/// Positions that differ by less, relative to their size, are the same place.
const SAME_PLACE: f64 = 1e-9;

impl Routing {
    fn single(end: f64, path: Path) -> Self {
        Self { pieces: vec![Piece { from: 0.0, to: end, path }] }
    }

    /// At one place of the section from the base to `end`.
    pub fn parallel(offset: Vector2<f64>, end: f64) -> Self {
        Self::single(end, Path::Parallel { offset })
    }

    /// From `start` at the base in a straight line to `finish` at arc length `end`.
    pub fn linear(start: Vector2<f64>, finish: Vector2<f64>, end: f64) -> Self {
        Self::single(end, Path::Linear { start, end: finish })
    }

    /// About the axis from the base to `end`.
    pub fn helical(radius: f64, phase: f64, turns: f64, end: f64) -> Self {
        Self::single(end, Path::Helix { radius, phase, turns })
    }

    /// Through points of the section at given arc lengths.
    pub fn table(s: &[f64], points: &[Vector2<f64>]) -> Result<Self, OracleError> {
        let spline = CubicSpline::through(s, points)?;
        Ok(Self { pieces: vec![Piece { from: s[0], to: s[s.len() - 1], path: Path::Table(spline) }] })
    }

    /// Goes on to arc length `to` along another path.
    pub fn then(mut self, to: f64, path: Path) -> Self {
        let from = self.end();
        self.pieces.push(Piece { from, to, path });
        self
    }

    /// Arc length where the tendon enters the rod.
    pub fn start(&self) -> f64 {
        self.pieces.first().map_or(0.0, |piece| piece.from)
    }

    /// Arc length where it is tied to the rod.
    pub fn end(&self) -> f64 {
        self.pieces.last().map_or(0.0, |piece| piece.to)
    }

    /// The piece that holds s in its interior.
    pub fn piece_at(&self, s: f64) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.from < s && s < piece.to)
    }

    pub(super) fn validate(&self, rod_length: f64) -> Result<(), OracleError> {
        if self.pieces.is_empty() {
            return Err(OracleError::OutOfDomain { quantity: "number of pieces of a tendon", value: 0.0 });
        }
        self.pieces.iter().try_for_each(Piece::validate)?;
        for pair in self.pieces.windows(2) {
            let gap = pair[1].from - pair[0].to;
            if gap != 0.0 {
                return Err(OracleError::OutOfDomain { quantity: "gap between pieces of a tendon", value: gap });
            }
            let (before, after) = (pair[0].offset(pair[0].to).position, pair[1].offset(pair[1].from).position);
            let step = (after - before).amax();
            if step > SAME_PLACE * (before.amax() + after.amax()) {
                return Err(OracleError::OutOfDomain { quantity: "sideways step of a tendon", value: step });
            }
        }
        if self.end() > rod_length * (1.0 + SAME_PLACE) {
            return Err(OracleError::OutOfDomain { quantity: "end of a tendon", value: self.end() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn derivatives_of_every_path_agree_with_differences() {
        let points = [Vector2::new(8e-3, 0.0), Vector2::new(2e-3, 5e-3), Vector2::new(0.0, -4e-3)];
        let routings = [
            Routing::parallel(points[0], 0.3),
            Routing::linear(points[0], points[1], 0.3),
            Routing::helical(8e-3, 0.4, 1.5, 0.3),
            Routing::single(0.3, Path::Spiral { radii: [8e-3, 3e-3], phase: 0.4, turns: -0.7 }),
            Routing::table(&[0.0, 0.1, 0.3], &points).unwrap(),
        ];
        for routing in routings {
            let piece = &routing.pieces[0];
            for s in [0.05, 0.15, 0.29] {
                let (below, here, above) = (piece.offset(s - 1e-5), piece.offset(s), piece.offset(s + 1e-5));
                // Central differences err by the square of the step times the third derivative, below 1e3 here.
                assert!(((above.position - below.position) / 2e-5 - here.slope).amax() < 1e-7);
                assert!(((above.slope - below.slope) / 2e-5 - here.bend).amax() < 1e-5);
            }
        }
    }

    #[test]
    fn routings_that_cannot_be_are_refused() {
        let offset = Vector2::new(8e-3, 0.0);
        let jumps = Routing::parallel(offset, 0.1).then(0.2, Path::Parallel { offset: -offset });
        assert!(jumps.validate(0.3).is_err());
        assert!(Routing::parallel(offset, 0.4).validate(0.3).is_err());
        assert!(Routing::helical(0.0, 0.0, 1.0, 0.3).validate(0.3).is_err());
        assert!(Routing::helical(f64::NAN, 0.0, 1.0, 0.3).validate(0.3).is_err());
        let mut gap = Routing::parallel(offset, 0.1).then(0.2, Path::Parallel { offset });
        gap.pieces[1].from = 0.12;
        assert!(gap.validate(0.3).is_err());
        assert!(Routing { pieces: vec![] }.validate(0.3).is_err());
    }
}
