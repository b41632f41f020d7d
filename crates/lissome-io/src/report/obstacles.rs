//! Obstacles as they are seen: solids as pale outlines, a plane as a hatched patch (a hatched line seen edge-on), a bore as
//! its two walls and its rims.
//!
//! Obstacles may be far larger than the robot. Only what lies near it counts for the frame of a view, and what reaches
//! beyond the frame is cut off.

use super::bodies::ProjectedBody;
use super::clip::Clip;
use super::plane::Plane;
use super::svg::{Point, Svg};
use super::window::{Bounds, Window};
use crate::bore_frames;
use lissome_lie::Pose;
use lissome_model::{BoreAxis, Frame, ObstacleShape, Outline, Scene};
use nalgebra::Vector3;

/// How much larger than the robot the patch of a plane is.
const PATCH: f64 = 1.25;
/// Lines of hatching across a patch.
const HATCHES: usize = 16;
/// A plane whose normal points at the reader by less than this is seen edge-on.
const EDGE_ON: f64 = 0.02;
/// Length of the strokes under a plane seen edge-on, and their distance, px.
const STROKE: f64 = 8.0;
/// Room beside the robot in which obstacles count for the frame of a view, in its sizes.
const NEAR: f64 = 0.2;
/// Triangles of a mesh that are drawn one by one; larger ones are drawn by their outline.
const MOST_TRIANGLES: usize = 400;
/// Lines along and across a grid of heights.
const MOST_LINES: usize = 24;
/// Corners of a rim.
const CORNERS: usize = 40;

type Flat = (f64, f64);

/// The box around the robot, world axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Extent {
    /// Around points; `None` without any that is finite.
    pub(super) fn of(points: impl Iterator<Item = Vector3<f64>>) -> Option<Self> {
        let finite = points.filter(|p| p.iter().all(|x| x.is_finite()));
        finite
            .map(|p| Self { low: p, high: p })
            .reduce(|a, b| Self { low: a.low.inf(&b.low), high: a.high.sup(&b.high) })
    }

    fn centre(&self) -> Vector3<f64> {
        (self.low + self.high) * 0.5
    }

    fn size(&self) -> f64 {
        (self.high - self.low).amax().max(f64::MIN_POSITIVE)
    }
}

/// What is seen of an obstacle, in metres on the page.
#[derive(Clone, Debug)]
pub(super) struct SeenObstacle {
    name: String,
    /// Outlines, to be filled.
    filled: Vec<Vec<Flat>>,
    /// Lines upon them.
    lines: Vec<Vec<Flat>>,
    /// A plane seen edge-on: its two ends, and the direction into it.
    edge: Option<([Flat; 2], Flat)>,
}

/// Every obstacle near the robot; `at` says where frames are.
pub(super) fn seen(
    scene: &Scene,
    extent: Option<Extent>,
    plane: Plane,
    at: impl Fn(&Frame) -> Option<Pose>,
) -> Vec<SeenObstacle> {
    let Some(extent) = extent else { return Vec::new() };
    let see = |obstacle: &lissome_model::Obstacle| {
        let pose = at(&obstacle.frame)?;
        let mut found = SeenObstacle { name: obstacle.name.clone(), filled: vec![], lines: vec![], edge: None };
        found.add(&obstacle.shape, &pose, &extent, plane);
        Some(found)
    };
    scene.obstacles.iter().filter_map(see).collect()
}

impl SeenObstacle {
    fn add(&mut self, shape: &ObstacleShape, pose: &Pose, extent: &Extent, plane: Plane) {
        match shape {
            ObstacleShape::Plane => self.add_plane(pose, extent, plane),
            ObstacleShape::Sphere { radius } => self.add_solid(Outline::Sphere { radius: *radius }, pose, plane),
            ObstacleShape::Cylinder { radius, length } => {
                self.add_solid(Outline::Cylinder { radius: *radius, length: *length }, pose, plane);
            }
            ObstacleShape::Box { size } => self.add_solid(Outline::Box { size: *size }, pose, plane),
            ObstacleShape::Capsule { radius, length } => {
                let ends = [-0.5, 0.5].map(|end| pose.transform(&(Vector3::x() * (end * length))));
                let balls = ends.iter().flat_map(|end| disc(plane.project(end), *radius));
                self.filled.push(super::bodies::hull(balls.collect()));
            }
            ObstacleShape::Bore { axis, radius } => self.add_bore(axis, *radius, pose, plane),
            ObstacleShape::Mesh { corners, triangles } => {
                let at: Vec<Flat> = corners.iter().map(|corner| plane.project(&pose.transform(corner))).collect();
                if triangles.len() <= MOST_TRIANGLES {
                    let outline = |triangle: &[u32; 3]| triangle.map(|corner| at[corner as usize]).to_vec();
                    self.lines.extend(triangles.iter().map(|triangle| closed(outline(triangle))));
                }
                self.filled.push(super::bodies::hull(at));
            }
            ObstacleShape::Heights { origin, spacing, columns, heights } => {
                let point = |column: usize, row: usize| {
                    let (x, y) = (origin[0] + spacing[0] * column as f64, origin[1] + spacing[1] * row as f64);
                    plane.project(&pose.transform(&Vector3::new(x, y, heights[row * columns + column])))
                };
                let rows = heights.len() / columns;
                // Every so many lines where there are more than a picture shows.
                let step = |count: usize| (count / MOST_LINES).max(1);
                let along = (0..rows).step_by(step(rows)).map(|row| (0..*columns).map(|i| point(i, row)).collect());
                self.lines.extend(along);
                let across = (0..*columns).step_by(step(*columns));
                self.lines.extend(across.map(|column| (0..rows).map(|row| point(column, row)).collect()));
            }
        }
    }

    fn add_solid(&mut self, outline: Outline, pose: &Pose, plane: Plane) {
        let (filled, edges) = ProjectedBody::of_outline(outline, pose, plane);
        self.filled.extend(filled);
        self.lines.extend(edges.into_iter().map(closed));
    }

    /// A square patch of the plane under the robot.
    fn add_plane(&mut self, pose: &Pose, extent: &Extent, plane: Plane) {
        let normal = pose.rotation.rotate(&Vector3::z());
        let middle = extent.centre() - normal * normal.dot(&(extent.centre() - pose.position));
        let half = 0.5 * PATCH * extent.size();
        // Along the world's axes as far as the plane allows, so that it looks level.
        let least = normal.iamax();
        let first = Vector3::from_fn(|i, _| if i == (least + 1) % 3 { 1.0 } else { 0.0 });
        let u = (first - normal * normal.dot(&first)).normalize();
        let v = normal.cross(&u);
        let corner = |a: f64, b: f64| plane.project(&(middle + (u * a + v * b) * half));
        if plane.towards(&normal).abs() < EDGE_ON {
            let (across, up) = plane.project(&normal);
            // The direction of the line on the page, and the part of the patch along it.
            let along = plane.lift((up, -across));
            let reach = half * (along.dot(&u).abs() + along.dot(&v).abs());
            let ends = [-reach, reach].map(|part| plane.project(&(middle + along * part)));
            self.edge = Some((ends, (-across, -up)));
            return;
        }
        self.filled.push(vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
        // Lines a + b = c within the square.
        for k in 1..HATCHES {
            let c = 4.0 * k as f64 / HATCHES as f64 - 2.0;
            let (from, to) = ((c - 1.0).max(-1.0), (c + 1.0).min(1.0));
            self.lines.push(vec![corner(from, c - from), corner(to, c - to)]);
        }
    }

    /// The silhouette of a tube lies at its radius beside the picture of its axis.
    fn add_bore(&mut self, axis: &BoreAxis, radius: f64, pose: &Pose, plane: Plane) {
        let frames: Vec<Pose> = bore_frames::along(axis).into_iter().map(|frame| *pose * frame).collect();
        let mut walls = [Vec::new(), Vec::new()];
        for frame in &frames {
            let (x, y) = plane.project(&frame.position);
            let (dx, dy) = plane.project(&frame.rotation.rotate(&Vector3::x()));
            let length = dx.hypot(dy);
            if length < EDGE_ON {
                continue;
            }
            for (wall, side) in walls.iter_mut().zip([radius / length, -radius / length]) {
                wall.push((x - dy * side, y + dx * side));
            }
        }
        let [left, right] = walls;
        self.filled.push(left.iter().copied().chain(right.iter().rev().copied()).collect());
        self.lines.extend([left, right]);
        for frame in [frames.first(), frames.last()].into_iter().flatten() {
            let rim = turns().map(|(sin, cos)| frame.transform(&(Vector3::new(0.0, cos, sin) * radius)));
            self.lines.push(closed(rim.map(|p| plane.project(&p)).collect()));
        }
    }

    /// Makes room for the parts near the robot.
    pub(super) fn include(obstacles: &[Self], extent: Option<Extent>, plane: Plane, bounds: &mut Bounds) {
        let Some(extent) = extent else { return };
        let (x, y) = plane.project(&extent.centre());
        // The robot as seen, whichever way it is turned, and a rim around it.
        let mut seen = Bounds::default();
        let corners = (0..8).map(|k| {
            let side = |axis: usize| if k >> axis & 1 == 0 { extent.low[axis] } else { extent.high[axis] };
            plane.project(&Vector3::new(side(0), side(1), side(2)))
        });
        corners.for_each(|corner| seen.include(corner));
        let rim = NEAR * extent.size();
        let ((left, low), (right, high)) = seen.corners().unwrap_or(((x, y), (x, y)));
        let near = Clip { low: (left - rim, low - rim), high: (right + rim, high + rim) };
        for obstacle in obstacles {
            let filled = obstacle.filled.iter().flat_map(|outline| near.polygon(outline));
            let lines = obstacle.lines.iter().flat_map(|line| near.polyline(line)).flatten();
            lines.for_each(|point| bounds.include(point));
            let edge = obstacle.edge.iter().filter_map(|(ends, _)| near.segment(ends[0], ends[1]));
            filled.chain(edge.flat_map(|(a, b)| [a, b])).for_each(|point| bounds.include(point));
        }
    }

    /// Draws it.
    pub(super) fn draw(&self, svg: &mut Svg, window: &Window) {
        let frame = window.frame();
        let place = |points: &[Flat]| points.iter().map(|p| window.at(*p)).collect::<Vec<Point>>();
        svg.open(&self.name);
        for outline in &self.filled {
            svg.polygon("obstacle", &frame.polygon(&place(outline)));
        }
        for line in &self.lines {
            frame.polyline(&place(line)).iter().for_each(|piece| svg.polyline("obstacle-line", piece));
        }
        if let Some(([a, b], (x, y))) = self.edge {
            self.draw_edge(svg, &frame, [window.at(a), window.at(b)], (x, -y));
        }
        svg.close();
    }

    /// A line with slanted strokes on its solid side.
    fn draw_edge(&self, svg: &mut Svg, frame: &Clip, [a, b]: [Point; 2], into: Point) {
        let Some((a, b)) = frame.segment(a, b) else { return };
        svg.line("obstacle-edge", a, b);
        let length = (b.0 - a.0).hypot(b.1 - a.1).max(f64::MIN_POSITIVE);
        let along = ((b.0 - a.0) / length, (b.1 - a.1) / length);
        for k in 1..(length / STROKE) as usize {
            let at = (a.0 + along.0 * STROKE * k as f64, a.1 + along.1 * STROKE * k as f64);
            let end = (at.0 + STROKE * (into.0 - 0.7 * along.0), at.1 + STROKE * (into.1 - 0.7 * along.1));
            if let Some((from, to)) = frame.segment(at, end) {
                svg.line("obstacle-line", from, to);
            }
        }
    }
}

fn closed(mut outline: Vec<Flat>) -> Vec<Flat> {
    outline.extend(outline.first().copied());
    outline
}

fn disc((x, y): Flat, radius: f64) -> impl Iterator<Item = Flat> {
    turns().map(move |(sin, cos)| (x + radius * cos, y + radius * sin))
}

/// Sine and cosine of angles once round.
fn turns() -> impl Iterator<Item = (f64, f64)> {
    (0..CORNERS).map(|i| (std::f64::consts::TAU * i as f64 / CORNERS as f64).sin_cos())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_model::{BorePiece, Obstacle};

    fn scene(shape: ObstacleShape) -> Scene {
        let obstacle = Obstacle { name: "o".into(), shape, frame: Frame::world(Pose::identity()) };
        Scene { obstacles: vec![obstacle], ..Scene::default() }
    }

    fn robot() -> Option<Extent> {
        Extent::of([Vector3::new(0.0, -0.1, 0.1), Vector3::new(1.0, 0.1, 0.3)].into_iter())
    }

    fn seen_one(shape: ObstacleShape, plane: Plane) -> SeenObstacle {
        seen(&scene(shape), robot(), plane, |frame| frame.world_pose()).remove(0)
    }

    #[test]
    fn a_floor_is_a_line_from_the_side_and_a_patch_from_above() {
        let ([a, b], into) = seen_one(ObstacleShape::Plane, Plane::Side).edge.expect("seen edge-on");
        assert!((a.1, b.1) == (0.0, 0.0) && into == (0.0, -1.0), "{a:?} {b:?} {into:?}");
        assert!(((a.0 + b.0) * 0.5 - 0.5).abs() < 1e-15 && ((b.0 - a.0).abs() - PATCH).abs() < 1e-12, "{a:?} {b:?}");
        let patch = seen_one(ObstacleShape::Plane, Plane::Top);
        assert!(patch.edge.is_none() && patch.filled[0].len() == 4 && patch.lines.len() == HATCHES - 1);
    }

    #[test]
    fn walls_of_a_bore_are_a_diameter_apart() {
        let axis = BoreAxis { pieces: vec![BorePiece::Arc { radius: 0.5, angle: 1.5, toward: 0.0 }] };
        let bore = seen_one(ObstacleShape::Bore { axis, radius: 0.02 }, Plane::Top);
        for (a, b) in bore.lines[0].iter().zip(&bore.lines[1]) {
            assert!(((a.0 - b.0).hypot(a.1 - b.1) - 0.04).abs() < 1e-12, "{a:?} {b:?}");
            // On the outside and on the inside of the arc about (0, 0.5).
            let mut from_centre = [a, b].map(|p| p.0.hypot(p.1 - 0.5));
            from_centre.sort_by(f64::total_cmp);
            assert!((from_centre[0] - 0.48).abs() < 1e-12 && (from_centre[1] - 0.52).abs() < 1e-12);
        }
    }

    #[test]
    fn a_huge_box_does_not_make_the_robot_small() {
        let shape = ObstacleShape::Box { size: Vector3::new(100.0, 100.0, 0.1) };
        let slab = [seen_one(shape, Plane::Side)];
        let mut bounds = Bounds::default();
        [(0.0, 0.1), (1.0, 0.3)].into_iter().for_each(|p| bounds.include(p));
        SeenObstacle::include(&slab, robot(), Plane::Side, &mut bounds);
        assert!(bounds.size() < 1.0 + 2.0 * NEAR + 1e-12, "{}", bounds.size());
    }
}
