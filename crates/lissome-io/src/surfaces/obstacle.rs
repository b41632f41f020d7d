//! Obstacles as triangles: solids whole, a plane as a square under the robot, a bore as its wall.

use super::mesh::{self, Mesh};
use crate::bore_frames;
use crate::placing::Placing;
use lissome_lie::Pose;
use lissome_model::{Frame, Obstacle, ObstacleShape, Outline, Scene};
use lissome_solve::MotionFrame;
use nalgebra::Vector3;

/// How much larger than the robot the square of a plane is.
const PATCH: f64 = 2.0;

/// The box around the rods and bodies of a frame: its middle and its longest edge.
fn robot(frame: &MotionFrame) -> (Vector3<f64>, f64) {
    let rods = frame.rods.iter().flat_map(|rod| rod.poses.iter().map(|pose| pose.position));
    let points = rods.chain(frame.bodies.iter().map(|pose| pose.position));
    let ends = points.map(|p| (p, p)).reduce(|(low, high), (a, b)| (low.inf(&a), high.sup(&b)));
    let (low, high) = ends.unwrap_or_default();
    let size = (high - low).amax();
    ((low + high) * 0.5, if size.is_finite() && size > 0.0 { size } else { 1.0 })
}

/// Where an obstacle is at a time; the world's origin where that is not known.
pub fn pose(scene: &Scene, frame: &MotionFrame, of: &Frame) -> Pose {
    of.world_pose().or_else(|| Placing::in_motion(scene, frame).frame(of)).unwrap_or(Pose::identity())
}

/// The surface of an obstacle in its own axes; that of a plane where the robot is in `first`.
pub fn surface(scene: &Scene, obstacle: &Obstacle, first: &MotionFrame) -> Mesh {
    match &obstacle.shape {
        ObstacleShape::Plane => {
            let (middle, size) = robot(first);
            let seen = pose(scene, first, &obstacle.frame).inverse().transform(&middle);
            mesh::square(&Vector3::new(seen.x, seen.y, 0.0), PATCH * size)
        }
        ObstacleShape::Sphere { radius } => mesh::solid(&Outline::Sphere { radius: *radius }),
        ObstacleShape::Cylinder { radius, length } => mesh::cylinder(*radius, *length),
        ObstacleShape::Box { size } => mesh::solid(&Outline::Box { size: *size }),
        ObstacleShape::Capsule { radius, length } => {
            let mut all = mesh::cylinder(*radius, *length);
            for end in [-0.5, 0.5] {
                let ball = mesh::solid(&Outline::Sphere { radius: *radius });
                all.append(&ball.placed(&Pose::at(Vector3::x() * (end * length))));
            }
            all
        }
        ObstacleShape::Mesh { corners, triangles } => {
            let mut all = Mesh::default();
            for triangle in triangles {
                all.flat(triangle.map(|corner| corners[corner as usize]));
            }
            all
        }
        ObstacleShape::Heights { origin, spacing, columns, heights } => {
            let at = |column: usize, row: usize| {
                let (x, y) = (origin[0] + spacing[0] * column as f64, origin[1] + spacing[1] * row as f64);
                Vector3::new(x, y, heights[row * columns + column])
            };
            let mut all = Mesh::default();
            for row in 1..heights.len() / columns {
                for column in 1..*columns {
                    let [a, b] = [at(column - 1, row - 1), at(column, row - 1)];
                    let [c, d] = [at(column, row), at(column - 1, row)];
                    all.flat([a, b, c]);
                    all.flat([a, c, d]);
                }
            }
            all
        }
        ObstacleShape::Bore { axis, radius } => mesh::wall(&bore_frames::along(axis), *radius),
    }
}
