//! Surfaces of obstacles: how far a ball around a point is from them.

use lissome_geometry::{
    Bore, Capsule, Cuboid, Curve, CurvePoint, Cylinder, Foot, HalfSpace, HeightField, Mesh, Nearest, Placed, Solid,
    Sphere, UnderGraph,
};
use lissome_lie::{Pose, Rotation};
use lissome_model::{BoreAxis, BorePiece, Invalid, Obstacle, ObstacleShape, Problem};
use nalgebra::{Vector2, Vector3};
use std::f64::consts::TAU;

/// The surface of an obstacle, in its own axes.
#[derive(Clone, Debug)]
pub enum Surface {
    /// z = 0.
    Plane(HalfSpace),
    /// Of a ball.
    Sphere(Sphere),
    /// Of a capsule.
    Capsule(Capsule),
    /// Of a cylinder, turned so that it lies along x.
    Cylinder(Placed<Cylinder>),
    /// Of a box.
    Box(Cuboid),
    /// The wall of a bore.
    Bore {
        /// Its axis.
        axis: Axis,
        /// Its radius, m.
        radius: f64,
    },
    /// Triangles.
    Mesh(Box<Mesh>),
    /// Heights on a grid.
    Heights(UnderGraph<HeightField>),
}

/// Refuses meshes that enclose nothing: with holes, degenerate triangles, or turned inside out.
pub fn validate(obstacle: &Obstacle) -> Result<(), Invalid> {
    let ObstacleShape::Mesh { corners, triangles } = &obstacle.shape else { return Ok(()) };
    let refuse = |fault| {
        let reason = format!("is no solid: {fault}");
        Invalid::new(format!("{}.mesh", obstacle.path()), Problem::Contradiction { reason })
    };
    Mesh::new(corners.clone(), triangles.clone()).map(|_| ()).map_err(refuse)
}

impl Surface {
    /// Of a shape.
    pub fn of(shape: &ObstacleShape) -> Self {
        match shape {
            ObstacleShape::Plane => Self::Plane(HalfSpace),
            ObstacleShape::Sphere { radius } => Self::Sphere(Sphere { radius: *radius }),
            ObstacleShape::Capsule { radius, length } => {
                let end = Vector3::x() * (0.5 * length);
                Self::Capsule(Capsule { ends: [-end, end], radius: *radius })
            }
            ObstacleShape::Cylinder { radius, length } => {
                let turn = Rotation::exp(&(Vector3::y() * std::f64::consts::FRAC_PI_2));
                let solid = Cylinder { radius: *radius, half_length: 0.5 * length };
                Self::Cylinder(Placed { pose: Pose::new(turn, Vector3::zeros()), solid })
            }
            ObstacleShape::Box { size } => Self::Box(Cuboid { half: size * 0.5 }),
            ObstacleShape::Bore { axis, radius } => Self::Bore { axis: Axis::of(axis), radius: *radius },
            ObstacleShape::Mesh { corners, triangles } => {
                let mesh = Mesh::new(corners.clone(), triangles.clone());
                Self::Mesh(Box::new(mesh.expect("`validate` has refused meshes that are not closed")))
            }
            ObstacleShape::Heights { origin, spacing, columns, heights } => {
                let (origin, spacing) = (Vector2::from(*origin), Vector2::from(*spacing));
                let field = HeightField::new(origin, spacing, *columns, heights.clone());
                Self::Heights(UnderGraph(field.expect("the scene's door has checked rows, spacing and heights")))
            }
        }
    }

    /// True if it is round and seen from outside: rods touch it at single places as a rule, and what is thin beside a span at one of that.
    pub fn is_round(&self) -> bool {
        matches!(self, Self::Sphere(_) | Self::Capsule(_) | Self::Cylinder(_))
    }

    /// How far what it bounds reaches inward before it ends on another side, m; `None` if it has no other side.
    pub fn depth(&self) -> Option<f64> {
        match self {
            Self::Plane(_) | Self::Bore { .. } | Self::Heights(_) => None,
            Self::Sphere(Sphere { radius }) | Self::Capsule(Capsule { radius, .. }) => Some(*radius),
            Self::Cylinder(Placed { solid, .. }) => Some(solid.radius.min(solid.half_length)),
            Self::Box(Cuboid { half }) => Some(half.min()),
            Self::Mesh(mesh) => Some(0.5 * mesh.bounds().size().min()),
        }
    }

    /// The gap between a ball of a radius around a point and the surface; `None` where there is no surface.
    pub fn gap(&self, at: &Vector3<f64>, radius: f64) -> Option<Nearest> {
        let solid: &dyn Solid = match self {
            Self::Plane(solid) => solid,
            Self::Sphere(solid) => solid,
            Self::Capsule(solid) => solid,
            Self::Cylinder(solid) => solid,
            Self::Box(solid) => solid,
            Self::Mesh(solid) => solid.as_ref(),
            Self::Heights(solid) => solid,
            Self::Bore { axis, radius: inner } => {
                return Bore { curve: axis, radius: inner - radius }.gap_at(&axis.nearest(at), at);
            }
        };
        Some(solid.nearest(at).less(radius))
    }
}

/// The axis of a bore, with where each piece begins.
#[derive(Clone, Debug)]
pub struct Axis {
    pieces: Vec<PlacedPiece>,
    length: f64,
    cells: usize,
    sharpest: f64,
}

#[derive(Clone, Copy, Debug)]
struct PlacedPiece {
    /// Arc length where it begins, m.
    start: f64,
    origin: Vector3<f64>,
    tangent: Vector3<f64>,
    /// Toward the centre of the circle, and one over its radius, 1/m.
    inward: Vector3<f64>,
    curvature: f64,
    /// m.
    length: f64,
}

impl PlacedPiece {
    /// Arc length from its start to its place nearest to a point, not cut at its ends: beyond them it is negative or longer than
    /// the piece.
    fn along(&self, at: &Vector3<f64>) -> f64 {
        let off = at - self.origin;
        let (x, k) = (off.dot(&self.tangent), self.curvature);
        if k == 0.0 {
            return x;
        }
        // The angle about the centre; what lies opposite to the middle of the arc divides the two ends.
        let angle = (x * k).atan2(1.0 - off.dot(&self.inward) * k);
        let middle = 0.5 * self.length * k;
        let turns = ((angle - middle) / (TAU)).round();
        (angle - TAU * turns) / k
    }

    fn at(&self, along: f64) -> CurvePoint {
        let (t, n, k) = (self.tangent, self.inward, self.curvature);
        if k == 0.0 {
            return CurvePoint { position: self.origin + t * along, first: t, second: Vector3::zeros() };
        }
        let (sin, cos) = (along * k).sin_cos();
        CurvePoint {
            position: self.origin + (t * sin + n * (1.0 - cos)) / k,
            first: t * cos + n * sin,
            second: (n * cos - t * sin) * k,
        }
    }
}

impl Axis {
    fn of(axis: &BoreAxis) -> Self {
        let mut turn = Rotation::identity();
        let (mut origin, mut start) = (Vector3::zeros(), 0.0);
        let mut pieces = Vec::with_capacity(axis.pieces.len());
        let (mut sharpest, mut turned) = (0.0f64, 0.0);
        for piece in &axis.pieces {
            let tangent = turn.rotate(&Vector3::x());
            let (curvature, toward, angle) = match *piece {
                BorePiece::Straight { .. } => (0.0, 0.0, 0.0),
                BorePiece::Arc { radius, angle, toward } => (1.0 / radius, toward, angle),
            };
            let inward = turn.rotate(&Vector3::new(0.0, toward.cos(), toward.sin()));
            let placed = PlacedPiece { start, origin, tangent, inward, curvature, length: piece.length() };
            pieces.push(placed);
            origin = placed.at(piece.length()).position;
            turn = Rotation::exp(&(tangent.cross(&inward) * angle)) * turn;
            start += piece.length();
            sharpest = sharpest.max(curvature);
            turned += angle;
        }
        // Cells are of equal length: each turns by less than a radian.
        let cells = ((sharpest * start).ceil() as usize).max(turned.ceil() as usize).max(1);
        Self { pieces, length: start, cells, sharpest }
    }

    /// The nearest place to a point, piece by piece.
    fn nearest(&self, at: &Vector3<f64>) -> Foot {
        let mut best: Option<Foot> = None;
        for (index, piece) in self.pieces.iter().enumerate() {
            let free = piece.along(at);
            let along = free.clamp(0.0, piece.length);
            let point = piece.at(along);
            let distance = (at - point.position).norm();
            if best.is_none_or(|best| distance < best.distance) {
                let before = index == 0 && free < 0.0;
                let beyond = index + 1 == self.pieces.len() && free > piece.length;
                best = Some(Foot { s: piece.start + along, point, distance, at_end: before || beyond });
            }
        }
        best.expect("the scene's door refuses a bore without pieces")
    }
}

impl Curve for Axis {
    fn range(&self) -> [f64; 2] {
        [0.0, self.length]
    }

    fn cells(&self) -> usize {
        self.cells
    }

    fn at(&self, s: f64) -> CurvePoint {
        let piece = self.pieces.partition_point(|piece| piece.start <= s).max(1) - 1;
        self.pieces[piece].at(s - self.pieces[piece].start)
    }

    fn largest_second(&self, _: f64, _: f64) -> f64 {
        self.sharpest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_place_of_an_axis_is_that_of_the_search_along_it() {
        let arc = |angle: f64, toward: f64| BorePiece::Arc { radius: 0.03, angle, toward };
        let straight = |length: f64| BorePiece::Straight { length };
        let pieces = vec![straight(0.05), arc(3.0, 0.0), straight(0.02), arc(1.0, 2.0), straight(0.01)];
        let axis = Axis::of(&BoreAxis { pieces });
        let bore = Bore { curve: &axis, radius: 0.004 };
        let mut inside = 0;
        for k in 0..400 {
            // Places around the axis, and beyond both of its ends.
            let s = axis.length * (k as f64 / 399.0 * 1.1 - 0.05);
            let (sin, cos) = (k as f64 * 2.4).sin_cos();
            let point = axis.at(s.clamp(0.0, axis.length));
            let beyond = point.first * (s - s.clamp(0.0, axis.length));
            let at = point.position + beyond + Vector3::new(sin, cos, sin * cos) * 0.003;
            let (exact, searched) = (bore.gap_at(&axis.nearest(&at), &at), bore.gap(&at));
            assert_eq!(exact.is_some(), searched.is_some(), "{k}");
            let (Some(exact), Some(searched)) = (exact, searched) else { continue };
            inside += 1;
            assert!((exact.distance - searched.distance).abs() < 1e-12, "{k}");
            assert!((exact.normal - searched.normal).norm() < 1e-6, "{k}");
        }
        assert!(inside > 300, "{inside}");
    }
}
