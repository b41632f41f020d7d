//! What stands for the shape of a solid where it touches: points, edges, rims and axes, beside its surface.

use super::surface::Surface;
use lissome_geometry::Ridge;
use lissome_geometry::ridge::{edges_of_box, joined};
use lissome_model::ObstacleShape;
use nalgebra::Vector3;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Points on each rim of a cylinder: what it stands on.
const RIM: usize = 8;
/// They are so much nearer to the axis, in radii, so that they are not in the way of what rolls on its rims.
const INSET: f64 = 1e-6;
/// A mesh of more sharp edges touches with its corners and its surface alone.
const MOST_EDGES: usize = 200;
/// Edges of a mesh hold a rod that lies across them where its faces turn by so much, rad; none of more such edges than these do.
const TURNED: f64 = 0.5;
const MOST_UNDER_RODS: usize = 500;
/// Points of the solids that have any, as a rule: each stands for its part of the mass.
pub(super) const POINTS: usize = 8;

/// A solid where it touches, in its own axes.
pub(super) struct Shape {
    /// Points, each with the radius of a ball around it.
    pub points: Vec<(Vector3<f64>, f64)>,
    /// Edges, rims and axes, in groups of which no two lie on the same flat side.
    ridges: Vec<Arc<[Ridge]>>,
    pub surface: Arc<Surface>,
    /// How deep it is before it ends on another side, m.
    pub depth: f64,
}

impl Shape {
    pub fn of(shape: &ObstacleShape) -> Self {
        let surface = Arc::new(Surface::of(shape));
        let depth = surface.depth().unwrap_or(f64::INFINITY);
        Self { points: points_of(shape, &surface), ridges: ridges_of(shape, &surface), surface, depth }
    }

    /// True of a ball.
    pub fn is_ball(&self) -> bool {
        matches!(*self.surface, Surface::Sphere(_))
    }

    fn all(&self) -> impl Iterator<Item = &Ridge> {
        self.ridges.iter().flat_map(|group| group.iter())
    }

    /// Its rims.
    pub fn rims(&self) -> impl Iterator<Item = &Ridge> {
        self.all().filter(|ridge| matches!(ridge, Ridge::Rim { .. }))
    }

    /// Each of its ridges with each group of the other's, and with which of two crossings of a rim.
    pub fn crossings<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Ridge, &'a Arc<[Ridge]>, usize)> {
        let is_rim = |ridge: &Ridge| matches!(ridge, Ridge::Rim { .. });
        self.all().flat_map(move |ridge| {
            other.ridges.iter().flat_map(move |group| {
                let roots = match (is_rim(ridge), group.iter().any(is_rim)) {
                    (false, false) => 1,
                    _ => 2,
                };
                (0..roots).map(move |root| (ridge, group, root))
            })
        })
    }

    /// How many that are.
    pub fn crossings_of(&self, other: &Self) -> usize {
        self.crossings(other).count()
    }
}

/// Points of a solid that stand for it, each with the radius of a ball around it.
pub(super) fn points_of(shape: &ObstacleShape, surface: &Surface) -> Vec<(Vector3<f64>, f64)> {
    match *shape {
        ObstacleShape::Sphere { radius } => vec![(Vector3::zeros(), radius)],
        ObstacleShape::Capsule { radius, length } => {
            [-0.5, 0.5].map(|end| (Vector3::x() * (end * length), radius)).into()
        }
        ObstacleShape::Box { size } => {
            let corner = |k: usize| {
                let sign = |axis: usize| if k >> axis & 1 == 1 { 0.5 } else { -0.5 };
                Vector3::from_fn(|axis, _| sign(axis) * size[axis])
            };
            (0..8).map(|k| (corner(k), 0.0)).collect()
        }
        ObstacleShape::Cylinder { radius, length } => {
            let rim = |k: usize| {
                let angle = TAU * (k % RIM) as f64 / RIM as f64;
                let end = if k < RIM { -0.5 } else { 0.5 };
                let inner = radius * (1.0 - INSET);
                Vector3::new(end * length, inner * angle.cos(), inner * angle.sin())
            };
            (0..2 * RIM).map(|k| (rim(k), 0.0)).collect()
        }
        ObstacleShape::Mesh { .. } | ObstacleShape::Heights { .. } => {
            peaks_of(surface).into_iter().map(|peak| (peak, 0.0)).collect()
        }
        ObstacleShape::Plane | ObstacleShape::Bore { .. } => Vec::new(),
    }
}

/// Corners of a mesh and places of a grid of heights that reach farther out than what is around them.
fn peaks_of(surface: &Surface) -> Vec<Vector3<f64>> {
    match surface {
        Surface::Mesh(mesh) => mesh.peaks(),
        Surface::Heights(heights) => heights.0.peaks(),
        _ => Vec::new(),
    }
}

/// Straight edges that a rod may lie across.
pub(super) fn edges_under_rods(shape: &ObstacleShape, surface: &Surface) -> Vec<Ridge> {
    match (shape, surface) {
        (ObstacleShape::Box { size }, _) => edges_of_box(&(size * 0.5)).into_iter().flatten().collect(),
        (_, Surface::Mesh(mesh)) => joined(mesh.edges_turned(TURNED, MOST_UNDER_RODS)),
        _ => Vec::new(),
    }
}

fn ridges_of(shape: &ObstacleShape, surface: &Surface) -> Vec<Arc<[Ridge]>> {
    let axis = |radius: f64, length: f64| Ridge::Line {
        middle: Vector3::zeros(),
        along: Vector3::x(),
        half: 0.5 * length,
        radius,
        faces: None,
    };
    match *shape {
        ObstacleShape::Capsule { radius, length } => vec![Arc::new([axis(radius, length)])],
        ObstacleShape::Box { size } => edges_of_box(&(size * 0.5)).into_iter().map(Arc::from).collect(),
        ObstacleShape::Cylinder { radius, length } => {
            let rim = |end: f64| Ridge::Rim {
                centre: Vector3::x() * (0.5 * end * length),
                axis: Vector3::x() * end,
                start: Vector3::y(),
                radius,
            };
            vec![Arc::new([axis(radius, length)]), Arc::new([rim(-1.0)]), Arc::new([rim(1.0)])]
        }
        ObstacleShape::Mesh { .. } => match surface {
            Surface::Mesh(mesh) => mesh.sharp_edges(MOST_EDGES).into_iter().map(|edge| Arc::from([edge])).collect(),
            _ => Vec::new(),
        },
        ObstacleShape::Sphere { .. }
        | ObstacleShape::Plane
        | ObstacleShape::Bore { .. }
        | ObstacleShape::Heights { .. } => Vec::new(),
    }
}
