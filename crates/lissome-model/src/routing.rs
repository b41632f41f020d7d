//! Where a tendon runs in the sections of a rod: the position D(s) of its hole, with the derivatives by s.
//!
//! D = (0, D_y, D_z) in section axes; the tangent is the section's x axis. Angles count from y towards z.
//!
//! | path | D |
//! |---|---|
//! | parallel | constant |
//! | linear | from one place to another in a straight line |
//! | helix | r(s) (cos θ, sin θ), radius and angle linear in s |
//! | table | a natural cubic spline through points, twice continuously differentiable |
//!
//! Pieces follow each other; D goes on from one to the next, D′ may jump there: a kink.

use crate::CubicTable;
use crate::invalid::{Invalid, Problem, check};
use nalgebra::{Vector2, Vector3};
use std::f64::consts::TAU;

/// Arc lengths and places that differ by less than this part are the same.
pub(crate) const SAME_PLACE: f64 = 1e-9;

/// A hole that a tendon runs through, in section axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole {
    /// D, m.
    pub position: Vector3<f64>,
    /// D′.
    pub slope: Vector3<f64>,
    /// D″, 1/m.
    pub curvature: Vector3<f64>,
}

/// How the hole moves in the section along a piece.
#[derive(Clone, Debug, PartialEq)]
pub enum HolePath {
    /// It stays where it is.
    Parallel {
        /// Its place (y, z), m.
        position: Vector2<f64>,
    },
    /// It moves in a straight line; convergent if it ends nearer to the axis.
    Linear {
        /// Where the piece begins, (y, z), m.
        start: Vector2<f64>,
        /// Where it ends, m.
        end: Vector2<f64>,
    },
    /// It turns about the axis, from y towards z for positive turns.
    Helix {
        /// Distance from the axis where the piece begins and where it ends, m.
        radius: [f64; 2],
        /// Angle from y where the piece begins, rad.
        angle: f64,
        /// Turns over the piece.
        turns: f64,
    },
    /// It goes through points.
    Table {
        /// D_y over the arc length.
        y: CubicTable,
        /// D_z over the arc length.
        z: CubicTable,
    },
}

/// A smooth piece of a routing.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutingPiece {
    /// Arc length of the rod where it begins, m.
    pub from: f64,
    /// Where it ends, m.
    pub to: f64,
    /// What the hole does in between.
    pub path: HolePath,
}

/// Pieces in the order of s, without gaps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Routing {
    /// The pieces.
    pub pieces: Vec<RoutingPiece>,
}

impl HolePath {
    fn through(points: &[(f64, Vector2<f64>)]) -> Self {
        let table = |axis: usize| CubicTable::natural(points.iter().map(|(s, place)| (*s, place[axis])).collect());
        Self::Table { y: table(0), z: table(1) }
    }

    /// The same path turned about the axis, as the holes of a family are.
    pub fn turned(&self, angle: f64) -> Self {
        let turn = |v: &Vector2<f64>| {
            let (sine, cosine) = angle.sin_cos();
            Vector2::new(cosine * v.x - sine * v.y, sine * v.x + cosine * v.y)
        };
        match self {
            Self::Parallel { position } => Self::Parallel { position: turn(position) },
            Self::Linear { start, end } => Self::Linear { start: turn(start), end: turn(end) },
            Self::Helix { radius, angle: first, turns } => {
                Self::Helix { radius: *radius, angle: first + angle, turns: *turns }
            }
            Self::Table { y, z } => {
                let both = y.points().iter().zip(z.points());
                let points: Vec<_> = both.map(|(y, z)| (y.0, turn(&Vector2::new(y.1, z.1)))).collect();
                Self::through(&points)
            }
        }
    }
}

impl RoutingPiece {
    /// D, D′ and D″ at s; outside the piece its formula goes on.
    pub fn at(&self, s: f64) -> Hole {
        let length = self.to - self.from;
        let part = (s - self.from) / length;
        let [position, slope, curvature] = match &self.path {
            HolePath::Parallel { position } => [*position, Vector2::zeros(), Vector2::zeros()],
            HolePath::Linear { start, end } => [start + (end - start) * part, (end - start) / length, Vector2::zeros()],
            HolePath::Helix { radius: [first, last], angle, turns } => {
                let (rate, growth) = (TAU * turns / length, (last - first) / length);
                let (sine, cosine) = (angle + TAU * turns * part).sin_cos();
                let (outward, around) = (Vector2::new(cosine, sine), Vector2::new(-sine, cosine));
                let radius = first + (last - first) * part;
                [
                    outward * radius,
                    outward * growth + around * (radius * rate),
                    around * (2.0 * growth * rate) - outward * (radius * rate * rate),
                ]
            }
            HolePath::Table { y, z } => {
                let (y, z) = (y.derivatives(s), z.derivatives(s));
                [0, 1, 2].map(|order| Vector2::new(y[order], z[order]))
            }
        };
        let in_section = |v: Vector2<f64>| Vector3::new(0.0, v.x, v.y);
        Hole { position: in_section(position), slope: in_section(slope), curvature: in_section(curvature) }
    }

    fn validate(&self, path: &str) -> Result<(), Invalid> {
        check::finite(format_args!("{path}.from"), self.from)?;
        check::finite(format_args!("{path}.to"), self.to)?;
        if self.to <= self.from {
            let reason = format!("ends at {} m, where it begins or before ({} m)", self.to, self.from);
            return Err(Invalid::new(format!("{path}.to"), Problem::Contradiction { reason }));
        }
        match &self.path {
            HolePath::Helix { radius, angle, turns } => {
                radius.iter().try_for_each(|radius| check::not_negative(format_args!("{path}.radius"), *radius))?;
                if radius[0].max(radius[1]) == 0.0 {
                    return Err(Invalid::new(format!("{path}.radius"), Problem::NotPositive { value: 0.0 }));
                }
                check::finite(format_args!("{path}.angle"), *angle)?;
                check::finite(format_args!("{path}.turns"), *turns)?;
            }
            HolePath::Table { y, z } => {
                let [y, z] = [y, z].map(|table| table.points());
                if y.len() < 2 || z.len() != y.len() {
                    let need = "a table of holes needs two or more between kinks".into();
                    let problem = Problem::Count { found: y.len().min(z.len()), need };
                    return Err(Invalid::new(format!("{path}.table"), problem));
                }
                if let Some(pair) = y.windows(2).find(|pair| pair[1].0 <= pair[0].0) {
                    let reason = format!("has arc length {} m after {} m", pair[1].0, pair[0].0);
                    return Err(Invalid::new(format!("{path}.table"), Problem::Contradiction { reason }));
                }
            }
            HolePath::Parallel { .. } | HolePath::Linear { .. } => {}
        }
        let finite =
            |hole: &Hole| [hole.position, hole.slope, hole.curvature].iter().all(|v| v.iter().all(|x| x.is_finite()));
        match [self.from, self.to].iter().all(|s| finite(&self.at(*s))) {
            true => Ok(()),
            false => Err(Invalid::new(path, Problem::NotFinite)),
        }
    }
}

impl Routing {
    fn single(from: f64, to: f64, path: HolePath) -> Self {
        Self { pieces: vec![RoutingPiece { from, to, path }] }
    }

    /// At one place (y, z) of the section.
    pub fn parallel(position: Vector2<f64>, from: f64, to: f64) -> Self {
        Self::single(from, to, HolePath::Parallel { position })
    }

    /// In a straight line from one place of the section to another.
    pub fn linear(start: Vector2<f64>, end: Vector2<f64>, from: f64, to: f64) -> Self {
        Self::single(from, to, HolePath::Linear { start, end })
    }

    /// About the axis, with a radius that goes from the first to the second.
    pub fn helix(radius: [f64; 2], angle: f64, turns: f64, from: f64, to: f64) -> Self {
        Self::single(from, to, HolePath::Helix { radius, angle, turns })
    }

    /// Through places of the section at rising arc lengths; where an arc length stands twice there is a kink.
    pub fn table(points: &[(f64, Vector2<f64>)]) -> Self {
        let pieces = points.chunk_by(|a, b| a.0 != b.0).map(|smooth| RoutingPiece {
            from: smooth[0].0,
            to: smooth[smooth.len() - 1].0,
            path: HolePath::through(smooth),
        });
        Self { pieces: pieces.collect() }
    }

    /// Goes on to arc length `to` along another path.
    pub fn then(mut self, to: f64, path: HolePath) -> Self {
        let from = self.end();
        self.pieces.push(RoutingPiece { from, to, path });
        self
    }

    /// The same routing turned about the axis of the rod.
    pub fn turned(&self, angle: f64) -> Self {
        let turned = |piece: &RoutingPiece| RoutingPiece { path: piece.path.turned(angle), ..piece.clone() };
        Self { pieces: self.pieces.iter().map(turned).collect() }
    }

    /// Arc length where it begins, m.
    pub fn start(&self) -> f64 {
        self.pieces.first().map_or(0.0, |piece| piece.from)
    }

    /// Arc length where it ends, m.
    pub fn end(&self) -> f64 {
        self.pieces.last().map_or(0.0, |piece| piece.to)
    }

    /// The hole at s; at a kink, that behind it (`s` just beside it tells which side). Outside, the first or last piece goes
    /// on; a validated routing has pieces.
    pub fn at(&self, s: f64) -> Hole {
        let after = self.pieces.partition_point(|piece| piece.from <= s);
        let piece = self.pieces.get(after.saturating_sub(1));
        piece.map_or(
            Hole { position: Vector3::zeros(), slope: Vector3::zeros(), curvature: Vector3::zeros() },
            |piece| piece.at(s),
        )
    }

    /// Arc lengths where one piece goes over into the next: D′ or D″ may jump there.
    pub fn kinks(&self) -> Vec<f64> {
        self.pieces.iter().skip(1).map(|piece| piece.from).collect()
    }

    /// Largest distance from the axis between two arc lengths, looked at as finely as its pieces turn.
    pub fn largest_distance(&self, from: f64, to: f64) -> f64 {
        const LOOKS: u32 = 64;
        let inside = |piece: &&RoutingPiece| piece.to > from && piece.from < to;
        let far = |piece: &RoutingPiece| {
            let (a, b) = (piece.from.max(from), piece.to.min(to));
            let at = |k: u32| piece.at(a + (b - a) * f64::from(k) / f64::from(LOOKS)).position.norm();
            (0..=LOOKS).map(at).fold(0.0, f64::max)
        };
        self.pieces.iter().filter(inside).map(far).fold(0.0, f64::max)
    }

    /// Refuses what leaves a part of [from, to] uncovered or jumps sideways.
    pub(crate) fn validate(&self, path: &str, from: f64, to: f64) -> Result<(), Invalid> {
        if self.pieces.is_empty() {
            let need = "say where the tendon runs in the section".into();
            return Err(Invalid::new(path, Problem::Count { found: 0, need }));
        }
        self.pieces.iter().try_for_each(|piece| piece.validate(path))?;
        let near = SAME_PLACE * (to - from).abs();
        let uncovered = |a: f64, b: f64| {
            let reason = format!("says nothing between {a} m and {b} m of the rod, where the tendon runs");
            Err(Invalid::new(path, Problem::Contradiction { reason }))
        };
        if self.start() > from + near {
            return uncovered(from, self.start());
        }
        for pair in self.pieces.windows(2) {
            if pair[1].from > pair[0].to + near {
                return uncovered(pair[0].to, pair[1].from);
            }
            if pair[1].from < pair[0].to - near {
                let reason = format!("has two pieces between {} m and {} m", pair[1].from, pair[0].to);
                return Err(Invalid::new(path, Problem::Contradiction { reason }));
            }
            let (before, after) = (pair[0].at(pair[0].to).position, pair[1].at(pair[1].from).position);
            let step = (after - before).norm();
            if step > SAME_PLACE * (before.norm() + after.norm()) {
                let reason = format!(
                    "jumps sideways by {step} m at {} m: a tendon may kink there, its place goes on",
                    pair[1].from
                );
                return Err(Invalid::new(path, Problem::Contradiction { reason }));
            }
        }
        match self.end() < to - near {
            true => uncovered(self.end(), to),
            false => Ok(()),
        }
    }
}
