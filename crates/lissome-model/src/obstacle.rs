//! Obstacles: solids that rods and bodies may touch and cannot enter, and walls of bores that they cannot leave.

use crate::Frame;
use crate::invalid::{Invalid, Problem, check};
use nalgebra::Vector3;

/// Something to touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Unique name.
    pub name: String,
    /// What it looks like, in axes of its own.
    pub shape: ObstacleShape,
    /// Where it is; it moves with what carries it.
    pub frame: Frame,
}

/// What an obstacle looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum ObstacleShape {
    /// Everything below z = 0.
    Plane,
    /// A ball around the origin.
    Sphere {
        /// m.
        radius: f64,
    },
    /// All that is within a radius of a piece of the x axis, whose middle is the origin.
    Capsule {
        /// m.
        radius: f64,
        /// Length of the piece, m.
        length: f64,
    },
    /// A cylinder about x.
    Cylinder {
        /// m.
        radius: f64,
        /// m.
        length: f64,
    },
    /// A box with edges along the axes.
    Box {
        /// Lengths of its edges, m.
        size: Vector3<f64>,
    },
    /// The inside of a tube: what is in it stays in it, but for its open ends.
    Bore {
        /// Where its axis runs.
        axis: BoreAxis,
        /// Inner radius, m.
        radius: f64,
    },
    /// What a closed surface of triangles encloses. That it is closed is checked where distances from it are computed.
    Mesh {
        /// Corners, m.
        corners: Vec<Vector3<f64>>,
        /// Corners of each triangle, counterclockwise seen from outside.
        triangles: Vec<[u32; 3]>,
    },
    /// Everything below a surface z = f(x, y) through heights on a grid; beyond its border it is level.
    Heights {
        /// Where the first height stands, x and y, m.
        origin: [f64; 2],
        /// Distance of neighbours along x and y, m.
        spacing: [f64; 2],
        /// Heights in a row.
        columns: usize,
        /// Rows of constant y, one after the other, each in the order of x, m.
        heights: Vec<f64>,
    },
}

/// The axis of a bore: pieces one after the other, each going on where and as the last one ended. It begins at the origin,
/// along x.
#[derive(Clone, Debug, PartialEq)]
pub struct BoreAxis {
    /// In order.
    pub pieces: Vec<BorePiece>,
}

/// A piece of the axis of a bore.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BorePiece {
    /// Straight on.
    Straight {
        /// m.
        length: f64,
    },
    /// A part of a circle.
    Arc {
        /// Radius of the circle, m.
        radius: f64,
        /// How far it turns, rad.
        angle: f64,
        /// Direction toward the centre of the circle: the angle from the y axis about the tangent, rad. The axes go with the
        /// tangent without turning about it.
        toward: f64,
    },
}

impl BorePiece {
    /// m.
    pub fn length(&self) -> f64 {
        match *self {
            Self::Straight { length } => length,
            Self::Arc { radius, angle, .. } => radius * angle,
        }
    }
}

/// A bore may be so many times as long as the radius of its sharpest bend: the search for the nearest place of its axis
/// looks at pieces as short as that.
const LONGEST_BORE: f64 = 1e4;

impl BoreAxis {
    /// Refuses arcs that run into themselves, and axes whose bends are lost in their length.
    fn validate(&self, path: &str) -> Result<(), Invalid> {
        let mut sharpest = f64::INFINITY;
        for piece in &self.pieces {
            let BorePiece::Arc { radius, angle, .. } = *piece else { continue };
            sharpest = sharpest.min(radius);
            if angle > std::f64::consts::TAU {
                let interval = "(0, 6.2832] rad: an arc of more than a turn runs into itself".into();
                return Err(Invalid::new(format!("{path}.arc"), Problem::OutOfRange { value: angle, interval }));
            }
        }
        let (length, longest) = (self.length(), LONGEST_BORE * sharpest);
        if length > longest {
            let interval = format!("(0, {longest}] m: {LONGEST_BORE} times the radius of its sharpest bend");
            return Err(Invalid::new(path, Problem::OutOfRange { value: length, interval }));
        }
        Ok(())
    }

    /// m.
    pub fn length(&self) -> f64 {
        self.pieces.iter().map(BorePiece::length).sum()
    }
}

impl Obstacle {
    /// Its place in the scene file.
    pub fn path(&self) -> String {
        format!("obstacle.{}", self.name)
    }

    /// Refuses obstacles of no size. Its frame is checked with the scene.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        let positive = |key: &str, value: f64| check::positive(format_args!("{path}.{key}"), value);
        match &self.shape {
            ObstacleShape::Plane => Ok(()),
            ObstacleShape::Sphere { radius } => positive("sphere.radius", *radius),
            ObstacleShape::Capsule { radius, length } => {
                positive("capsule.radius", *radius)?;
                positive("capsule.length", *length)
            }
            ObstacleShape::Cylinder { radius, length } => {
                positive("cylinder.radius", *radius)?;
                positive("cylinder.length", *length)
            }
            ObstacleShape::Box { size } => size.iter().try_for_each(|edge| positive("box", *edge)),
            ObstacleShape::Mesh { corners, triangles } => {
                let known = |triangle: &[u32; 3]| triangle.iter().all(|corner| (*corner as usize) < corners.len());
                if triangles.is_empty() || !triangles.iter().all(known) {
                    let need = "a mesh needs triangles between corners that it has".into();
                    return Err(Invalid::new(format!("{path}.mesh"), Problem::Count { found: triangles.len(), need }));
                }
                let mut numbers = corners.iter().flat_map(|corner| corner.iter());
                numbers.try_for_each(|x| check::finite(format_args!("{path}.mesh"), *x))
            }
            ObstacleShape::Heights { origin, spacing, columns, heights } => {
                origin.iter().try_for_each(|x| check::finite(format_args!("{path}.heights.origin"), *x))?;
                spacing.iter().try_for_each(|x| positive("heights.spacing", *x))?;
                heights.iter().try_for_each(|x| check::finite(format_args!("{path}.heights.rows"), *x))?;
                if *columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(*columns) {
                    let need = "a grid needs two rows of two heights at least, all rows of the same length".into();
                    let problem = Problem::Count { found: heights.len(), need };
                    return Err(Invalid::new(format!("{path}.heights.rows"), problem));
                }
                Ok(())
            }
            ObstacleShape::Bore { axis, radius } => {
                positive("bore.radius", *radius)?;
                if axis.pieces.is_empty() {
                    let need = "a bore needs at least one straight or curved piece".into();
                    return Err(Invalid::new(format!("{path}.bore.axis"), Problem::Missing { need }));
                }
                axis.validate(&format!("{path}.bore.axis"))?;
                axis.pieces.iter().try_for_each(|piece| match *piece {
                    BorePiece::Straight { length } => positive("bore.axis.straight", length),
                    BorePiece::Arc { radius: bend, angle, toward } => {
                        positive("bore.axis.radius", bend)?;
                        positive("bore.axis.arc", angle)?;
                        check::finite(format_args!("{path}.bore.axis.toward"), toward)?;
                        if bend <= *radius {
                            let interval = format!("({radius}, inf): the inside of the bend would fold over itself");
                            let problem = Problem::OutOfRange { value: bend, interval };
                            return Err(Invalid::new(format!("{path}.bore.axis.radius"), problem));
                        }
                        Ok(())
                    }
                })
            }
        }
    }
}

/// How things touch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Touching {
    /// Coulomb's coefficient of friction of all pairs that have none of their own.
    pub friction: f64,
    /// Part of the approach speed that is given back where bodies hit.
    pub restitution: f64,
    /// True if the parts of the robot touch each other too, and rods themselves; false for those alone that a pair names.
    pub among: bool,
    /// How the law is smoothed in motion; `None` for the exact one.
    pub smoothing: Option<Smoothing>,
    /// Stretches of rods that pairs may name.
    pub stretches: Vec<Stretch>,
    /// Pairs with numbers of their own, or that do not touch.
    pub pairs: Vec<TouchingPair>,
}

/// A smooth law in place of the exact one of contact and friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// What max(u, 0) becomes.
    pub family: SmoothFamily,
    /// Forces below this are not told from none, N.
    pub force: f64,
    /// Friction that is nearer to its bound than this part of it is not told from one that slides.
    pub ratio: f64,
}

/// Smooth functions in place of max(u, 0), with a width w.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmoothFamily {
    /// u / (1 + exp(−u/w)): less than nothing below zero, so what is near is drawn a little.
    Sigmoid,
    /// (u + √(u² + 4w²)) / 2, of Chen, Harker, Kanzow and Smale.
    Chks,
    /// w ln(1 + exp(u/w)).
    Softplus,
}

/// A stretch of a rod whose surface has a name, such as a coated one: pairs may say what friction is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// The rod.
    pub rod: usize,
    /// Its name; no two of a rod share one.
    pub name: String,
    /// Arc length where it begins, m.
    pub from: f64,
    /// Arc length where it ends, m.
    pub to: f64,
}

/// One side of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Toucher {
    /// A rod of the scene.
    Rod(usize),
    /// A body.
    Body(usize),
    /// An obstacle.
    Obstacle(usize),
}

/// What holds for one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchingPair {
    /// Both sides, in any order.
    pub of: [Toucher; 2],
    /// The stretch of each that is meant, by its number in [`Touching::stretches`]; `None` for all of it. A pair that names one
    /// says what friction is there, and nothing of who touches whom.
    pub stretches: [Option<usize>; 2],
    /// Coefficient of friction; `None` for that of all.
    pub friction: Option<f64>,
    /// False if they pass through each other.
    pub touches: bool,
    /// The first is a rod that runs in a bore of this radius along the second, m.
    pub bore: Option<f64>,
}

impl TouchingPair {
    /// True if it speaks of a stretch of a rod only.
    pub fn names_stretch(&self) -> bool {
        self.stretches.iter().any(Option::is_some)
    }
}

impl Touching {
    /// What is said of the whole of two things by name.
    pub fn pair(&self, a: Toucher, b: Toucher) -> Option<&TouchingPair> {
        self.pairs.iter().find(|pair| !pair.names_stretch() && (pair.of == [a, b] || pair.of == [b, a]))
    }

    /// Friction that a pair gives to stretches of two things at places of theirs, arc lengths of rods: the one that names two
    /// stretches before those that name one, the first of those that name as many.
    pub fn friction_of_stretches(&self, of: [Toucher; 2], places: [f64; 2]) -> Option<f64> {
        let has = |stretch: usize, s: f64| self.stretches.get(stretch).is_some_and(|own| own.from <= s && s <= own.to);
        let fits = |pair: &TouchingPair, order: [usize; 2]| {
            order.iter().zip(of.iter().zip(places)).all(|(side, (part, s))| {
                pair.of[*side] == *part && pair.stretches[*side].is_none_or(|stretch| has(stretch, s))
            })
        };
        let there = |pair: &&TouchingPair| pair.names_stretch() && (fits(pair, [0, 1]) || fits(pair, [1, 0]));
        // Of several that are largest the last is taken.
        let found = self.pairs.iter().rev().filter(there).max_by_key(|pair| pair.stretches.iter().flatten().count());
        found?.friction
    }

    /// Refuses numbers that no pair has.
    pub fn validate(&self, path: &str) -> Result<(), Invalid> {
        check::not_negative(format_args!("{path}.friction"), self.friction)?;
        check::not_negative(format_args!("{path}.restitution"), self.restitution)?;
        if self.restitution > 1.0 {
            let problem = Problem::OutOfRange { value: self.restitution, interval: "[0, 1]".into() };
            return Err(Invalid::new(format!("{path}.restitution"), problem));
        }
        if let Some(smoothing) = &self.smoothing {
            if self.restitution > 0.0 {
                let reason = "a smooth law knows no moment of impact: restitution wants the exact one".into();
                return Err(Invalid::new(format!("{path}.smoothing"), Problem::Contradiction { reason }));
            }
            check::positive(format_args!("{path}.smoothing.force"), smoothing.force)?;
            check::positive(format_args!("{path}.smoothing.ratio"), smoothing.ratio)?;
            if smoothing.ratio >= 1.0 {
                let problem = Problem::OutOfRange { value: smoothing.ratio, interval: "(0, 1)".into() };
                return Err(Invalid::new(format!("{path}.smoothing.ratio"), problem));
            }
        }
        self.pairs.iter().try_for_each(|pair| match pair.friction {
            Some(friction) => check::not_negative(format_args!("{path}.pairs.friction"), friction),
            None => Ok(()),
        })
    }
}
