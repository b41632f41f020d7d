//! What lies under a surface z = f(x, y): one given by a function, or by heights on a grid.
//!
//! The foot of a point x is where x − r(u, v) stands on the surface r = (u, v, f). With E = [r_u, r_v], the first form
//! EᵀE, the unit normal ν and the second form B = ν·∂²r, Newton's method on ½|x − r|² has the matrix EᵀE − δB, and the
//! distance δ the second derivative −E (EᵀE)⁻¹ B (EᵀE − δB)⁻¹ Eᵀ. The iteration only ever comes nearer. Near the surface it
//! starts straight below; elsewhere from several places no farther aside than the surface is below.

use crate::{Bounds, Nearest, Solid};
use nalgebra::{Matrix2, Matrix3, Matrix3x2, Vector2, Vector3};
use std::fmt;

/// A function of the plane with its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphPoint {
    /// f.
    pub value: f64,
    /// ∂f.
    pub slope: Vector2<f64>,
    /// ∂²f.
    pub bend: Matrix2<f64>,
}

/// A smooth surface over the plane.
pub trait Graph {
    /// f and its derivatives.
    fn at(&self, x: f64, y: f64) -> GraphPoint;

    /// Least and largest value.
    fn range(&self) -> [f64; 2];

    /// A distance over which it changes its slope little: how closely places are tried.
    fn spacing(&self) -> f64;
}

/// Everything under a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnderGraph<G>(pub G);

/// Places tried in each direction to either side at most.
const MOST_TRIED: f64 = 24.0;
/// Places tried within the spacing of a surface.
const TRIED_PER_SPACING: f64 = 4.0;
/// Steps of the iteration, and halvings of one.
const MOST_STEPS: usize = 60;
const MOST_HALVINGS: usize = 40;
/// Steps below this part of the spacing are those of Newton's method as they are.
const NEAR: f64 = 1e-4;
/// A step this small beside the distance from the origin of the plane is round-off.
const ROUND_OFF: f64 = 1e-15;

/// Part of the range of heights that counts as none.
const FALLS: f64 = 1e-12;

/// The surface at one place.
struct Place {
    at: Vector2<f64>,
    graph: GraphPoint,
    off: Vector3<f64>,
}

impl Place {
    fn new(graph: &impl Graph, at: Vector2<f64>, from: &Vector3<f64>) -> Self {
        let own = graph.at(at.x, at.y);
        Self { at, graph: own, off: from - Vector3::new(at.x, at.y, own.value) }
    }

    fn square(&self) -> f64 {
        self.off.norm_squared()
    }

    /// E.
    fn along(&self) -> Matrix3x2<f64> {
        let slope = &self.graph.slope;
        Matrix3x2::new(1.0, 0.0, 0.0, 1.0, slope.x, slope.y)
    }
}

impl<G: Graph> UnderGraph<G> {
    /// The foot of a point: from the place straight below if the surface is near, else the best that comes of the nearest
    /// places tried in each of nine squares around it.
    fn foot(&self, at: &Vector3<f64>) -> Place {
        let below = Place::new(&self.0, at.xy(), at);
        let reach = below.square().sqrt();
        let count = (TRIED_PER_SPACING * reach / self.0.spacing()).ceil().min(MOST_TRIED) as i32;
        if count <= 1 {
            return self.descend(below, at);
        }
        let pace = reach / f64::from(count);
        let mut nearest: [Option<Place>; 9] = Default::default();
        for i in -count..=count {
            for j in -count..=count {
                let off = Vector2::new(f64::from(i), f64::from(j)) * pace;
                // Farther aside than the surface is below, nothing is nearer.
                if off.norm_squared() <= reach * reach {
                    let other = Place::new(&self.0, at.xy() + off, at);
                    let third = |k: i32| ((k + count) * 3 / (2 * count + 1)) as usize;
                    let best = &mut nearest[3 * third(i) + third(j)];
                    if best.as_ref().is_none_or(|best| other.square() < best.square()) {
                        *best = Some(other);
                    }
                }
            }
        }
        let ends = nearest.into_iter().flatten().map(|start| self.descend(start, at));
        ends.fold(below, |best, next| if next.square() < best.square() { next } else { best })
    }

    /// Down to the nearest place around one.
    fn descend(&self, start: Place, at: &Vector3<f64>) -> Place {
        let mut place = start;
        for _ in 0..MOST_STEPS {
            let along = place.along();
            let gradient = along.tr_mul(&place.off);
            let first = along.tr_mul(&along);
            let newton = first - place.graph.bend * place.off.z;
            // Where the full matrix does not lead downhill, that of the tangent plane does.
            let definite = newton.determinant() > 0.0 && newton.trace() > 0.0;
            let step = [newton, first]
                .iter()
                .skip(usize::from(!definite))
                .find_map(|matrix| matrix.try_inverse())
                .map_or(gradient, |inverse| inverse * gradient);
            if definite && step.norm() < NEAR * self.0.spacing() {
                // Distances no longer tell two places apart; the slope does.
                place = Place::new(&self.0, place.at + step, at);
                if step.norm() <= ROUND_OFF * (place.at.norm() + self.0.spacing()) {
                    break;
                }
                continue;
            }
            let mut fraction = 1.0;
            let moved = (0..MOST_HALVINGS).find_map(|_| {
                let next = Place::new(&self.0, place.at + step * fraction, at);
                fraction *= 0.5;
                (next.square() < place.square()).then_some(next)
            });
            let Some(next) = moved else { break };
            place = next;
        }
        place
    }
}

impl<G: Graph> Solid for UnderGraph<G> {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        let place = self.foot(at);
        let slope = &place.graph.slope;
        let normal = Vector3::new(-slope.x, -slope.y, 1.0).normalize();
        let distance = place.square().sqrt() * if at.z < self.0.at(at.x, at.y).value { -1.0 } else { 1.0 };
        let along = place.along();
        let first = along.tr_mul(&along);
        let second = place.graph.bend * normal.z;
        let moved = (first - second * distance).try_inverse();
        let curvature = match (first.try_inverse(), moved) {
            (Some(first), Some(moved)) => -along * (first * second * moved) * along.transpose(),
            _ => Matrix3::zeros(),
        };
        Nearest { distance, normal, curvature }
    }

    fn bounds(&self) -> Bounds {
        Bounds { high: Vector3::new(f64::INFINITY, f64::INFINITY, self.0.range()[1]), ..Bounds::everything() }
    }
}

/// What is wrong with a grid of heights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeightFault {
    /// It has fewer than two rows or columns, or not as many heights as rows times columns.
    Size,
    /// A spacing is not a positive number.
    Spacing,
    /// A height is not a number.
    NotFinite {
        /// Its place in the list.
        index: usize,
    },
}

impl fmt::Display for HeightFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => write!(f, "a grid needs two rows and two columns at least, and a height for each crossing"),
            Self::Spacing => write!(f, "the spacing of a grid must be positive"),
            Self::NotFinite { index } => write!(f, "height {index} is not a number"),
        }
    }
}

impl std::error::Error for HeightFault {}

/// Heights on a grid, between them cubic in each direction with continuous curvature in the cells and slopes across them;
/// beyond its border level, as high as the border.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    origin: Vector2<f64>,
    spacing: Vector2<f64>,
    columns: usize,
    heights: Vec<f64>,
    range: [f64; 2],
}

impl HeightField {
    /// Heights by rows of constant y, each with `columns` values of growing x, from `origin` on.
    pub fn new(
        origin: Vector2<f64>,
        spacing: Vector2<f64>,
        columns: usize,
        heights: Vec<f64>,
    ) -> Result<Self, HeightFault> {
        if columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
            return Err(HeightFault::Size);
        }
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !positive(spacing.x) || !positive(spacing.y) || !origin.iter().all(|x| x.is_finite()) {
            return Err(HeightFault::Spacing);
        }
        if let Some(index) = heights.iter().position(|height| !height.is_finite()) {
            return Err(HeightFault::NotFinite { index });
        }
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // A cubic leaves the range of its heights by an eighth of their difference in each direction at most.
        let beyond = 0.3 * (high - low);
        Ok(Self { origin, spacing, columns, heights, range: [low - beyond, high + beyond] })
    }

    /// Crossings of the grid where the surface falls off to all sides, or lies on a ridge: what flat things rest on.
    pub fn peaks(&self) -> Vec<Vector3<f64>> {
        let least = FALLS * (self.range[1] - self.range[0]);
        let mut found = Vec::new();
        for row in 0..self.rows() as isize {
            for column in 0..self.columns as isize {
                let own = self.height(column, row);
                let drop = |i: isize, j: isize| {
                    2.0 * own - self.height(column + i, row + j) - self.height(column - i, row - j)
                };
                let drops = [drop(1, 0), drop(0, 1), drop(1, 1), drop(1, -1)];
                if drops.iter().all(|drop| *drop >= -least) && drops.iter().any(|drop| *drop > least) {
                    let [x, y] = [(self.origin.x, column, self.spacing.x), (self.origin.y, row, self.spacing.y)]
                        .map(|(origin, count, spacing)| origin + count as f64 * spacing);
                    found.push(Vector3::new(x, y, own));
                }
            }
        }
        found
    }

    fn rows(&self) -> usize {
        self.heights.len() / self.columns
    }

    /// Height of a crossing; beyond the border that of the border.
    fn height(&self, column: isize, row: isize) -> f64 {
        let column = column.clamp(0, self.columns as isize - 1) as usize;
        let row = row.clamp(0, self.rows() as isize - 1) as usize;
        self.heights[row * self.columns + column]
    }
}

/// Weights of four neighbours at a place between the middle two, and their first and second derivatives (Catmull–Rom).
fn weights(t: f64) -> [[f64; 4]; 3] {
    let (t2, t3) = (t * t, t * t * t);
    [
        [
            0.5 * (-t + 2.0 * t2 - t3),
            0.5 * (2.0 - 5.0 * t2 + 3.0 * t3),
            0.5 * (t + 4.0 * t2 - 3.0 * t3),
            0.5 * (t3 - t2),
        ],
        [
            0.5 * (-1.0 + 4.0 * t - 3.0 * t2),
            0.5 * (-10.0 * t + 9.0 * t2),
            0.5 * (1.0 + 8.0 * t - 9.0 * t2),
            0.5 * (3.0 * t2 - 2.0 * t),
        ],
        [0.5 * (4.0 - 6.0 * t), 0.5 * (-10.0 + 18.0 * t), 0.5 * (8.0 - 18.0 * t), 0.5 * (6.0 * t - 2.0)],
    ]
}

/// The cell of a coordinate, counted in spacings, and the place in it; beyond the grid by more than a cell all is level.
fn cell_of(x: f64, count: usize) -> (isize, f64) {
    let x = x.clamp(-2.0, count as f64 + 1.0);
    let cell = x.floor();
    (cell as isize, x - cell)
}

impl Graph for HeightField {
    fn at(&self, x: f64, y: f64) -> GraphPoint {
        let (column, u) = cell_of((x - self.origin.x) / self.spacing.x, self.columns);
        let (row, v) = cell_of((y - self.origin.y) / self.spacing.y, self.rows());
        let (across, along) = (weights(u), weights(v));
        let mut sums = [[0.0; 3]; 3];
        for j in 0..4 {
            for i in 0..4 {
                let height = self.height(column + i as isize - 1, row + j as isize - 1);
                for (a, sums) in sums.iter_mut().enumerate() {
                    for (b, sum) in sums.iter_mut().enumerate() {
                        *sum += across[a][i] * along[b][j] * height;
                    }
                }
            }
        }
        let (dx, dy) = (1.0 / self.spacing.x, 1.0 / self.spacing.y);
        let mixed = sums[1][1] * dx * dy;
        GraphPoint {
            value: sums[0][0],
            slope: Vector2::new(sums[1][0] * dx, sums[0][1] * dy),
            bend: Matrix2::new(sums[2][0] * dx * dx, mixed, mixed, sums[0][2] * dy * dy),
        }
    }

    fn range(&self) -> [f64; 2] {
        self.range
    }

    fn spacing(&self) -> f64 {
        self.spacing.x.min(self.spacing.y)
    }
}
