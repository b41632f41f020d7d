//! Rigid bodies as they are seen: their solids as filled outlines with the edges that face the reader; a body without
//! solids as the plate that spans whatever is attached to it, and a small cross.

use super::plane::Plane;
use super::svg::{Point, Svg};
use super::window::Window;
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, Mount, Outline, Scene, Solid};
use nalgebra::Vector3;

/// Corners of the polygon that a circle is drawn as.
const CORNERS: usize = 40;
/// Half length of the cross of a body without solids, px.
const CROSS: f64 = 9.0;

type Flat = (f64, f64);

/// What is seen of a body, in metres on the page.
#[derive(Clone, Debug)]
pub(super) struct ProjectedBody {
    name: String,
    /// Convex outlines, to be filled.
    filled: Vec<Vec<Flat>>,
    /// Edges that face the reader, closed.
    edges: Vec<Vec<Flat>>,
    /// Pose of a body that needs a cross.
    cross: Option<Pose>,
    /// How near to the reader it is.
    depth: f64,
}

/// Every body, the farthest first.
pub(super) fn projected<'a>(scene: &Scene, poses: impl Iterator<Item = &'a Pose>, plane: Plane) -> Vec<ProjectedBody> {
    let mut all: Vec<ProjectedBody> = scene
        .bodies
        .iter()
        .zip(poses)
        .enumerate()
        .map(|(index, (body, pose))| {
            let mut body_view = ProjectedBody {
                name: body.name.clone(),
                filled: Vec::new(),
                edges: Vec::new(),
                cross: body.solids.is_empty().then_some(*pose),
                depth: plane.towards(&pose.position),
            };
            body.solids.iter().for_each(|solid| body_view.add_solid(pose, solid, plane));
            if body.solids.is_empty() {
                let attached = attached_to(scene, index).map(|p| plane.project(&pose.transform(&p)));
                body_view.filled.push(hull(attached.collect()));
            }
            body_view
        })
        .collect();
    all.sort_by(|a, b| a.depth.total_cmp(&b.depth));
    all
}

/// Where the scene attaches something to a body, in its frame.
fn attached_to(scene: &Scene, body: usize) -> impl Iterator<Item = Vector3<f64>> {
    let mounts = scene.bodies.iter().filter_map(|body| match body.mount {
        Mount::On(frame) => Some(frame),
        Mount::Free(_) => None,
    });
    let frames: Vec<Frame> = mounts
        .chain(scene.rods.iter().flat_map(|rod| [rod.base, rod.tip]).flatten())
        .chain(scene.joints.iter().map(|joint| joint.parent))
        .chain(scene.closures.iter().flat_map(|closure| [closure.a, closure.b]))
        .chain(scene.cables.iter().flat_map(|cable| cable.points.iter().copied()))
        .chain(scene.springs.iter().flat_map(|spring| [spring.a, spring.b]))
        .chain(scene.obstacles.iter().map(|obstacle| obstacle.frame))
        .collect();
    frames.into_iter().filter(move |frame| frame.of == FrameOf::Body(body)).map(|frame| frame.pose.position)
}

impl ProjectedBody {
    fn add_solid(&mut self, body: &Pose, solid: &Solid, plane: Plane) {
        let pose = *body * solid.pose;
        let at = |x: f64, y: f64, z: f64| plane.project(&pose.transform(&Vector3::new(x, y, z)));
        let faces = |axis: Vector3<f64>| plane.towards(&pose.rotation.rotate(&axis)) > 0.0;
        match solid.outline {
            Outline::Box { size } => {
                let h = size * 0.5;
                let corner = |i: usize| {
                    let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
                    at(sign(1) * h.x, sign(2) * h.y, sign(4) * h.z)
                };
                self.filled.push(hull((0..8).map(corner).collect()));
                // Corners of each face in order, by the bits of x, y and z.
                let sides: [(Vector3<f64>, [usize; 4]); 6] = [
                    (-Vector3::x(), [0, 2, 6, 4]),
                    (Vector3::x(), [1, 3, 7, 5]),
                    (-Vector3::y(), [0, 1, 5, 4]),
                    (Vector3::y(), [2, 3, 7, 6]),
                    (-Vector3::z(), [0, 1, 3, 2]),
                    (Vector3::z(), [4, 5, 7, 6]),
                ];
                let visible = sides.into_iter().filter(|(normal, _)| faces(*normal));
                self.edges.extend(visible.map(|(_, corners)| corners.map(corner).to_vec()));
            }
            Outline::Cylinder { radius, length } => {
                let cap = |x: f64| turns().map(|(sin, cos)| at(x, radius * cos, radius * sin)).collect::<Vec<Flat>>();
                let (near, far) = (cap(0.5 * length), cap(-0.5 * length));
                self.edges.push(if faces(Vector3::x()) { near.clone() } else { far.clone() });
                self.filled.push(hull(near.into_iter().chain(far).collect()));
            }
            Outline::Sphere { radius } => {
                let (x, y) = plane.project(&pose.position);
                self.filled.push(turns().map(|(sin, cos)| (x + radius * cos, y + radius * sin)).collect());
            }
        }
    }

    /// What is seen of one solid: outlines to be filled, and edges that face the reader.
    pub(super) fn of_outline(outline: Outline, pose: &Pose, plane: Plane) -> (Vec<Vec<Flat>>, Vec<Vec<Flat>>) {
        let (name, depth) = (String::new(), plane.towards(&pose.position));
        let mut alone = Self { name, filled: Vec::new(), edges: Vec::new(), cross: None, depth };
        alone.add_solid(pose, &Solid { pose: Pose::identity(), outline }, plane);
        (alone.filled, alone.edges)
    }

    /// Every point of its outlines.
    pub(super) fn points(&self) -> impl Iterator<Item = Flat> {
        self.filled.iter().flatten().copied()
    }

    /// Its outlines as closed curves.
    pub(super) fn outlines(self) -> impl Iterator<Item = Vec<Flat>> {
        self.filled.into_iter().filter(|outline| outline.len() > 1).map(|mut outline| {
            outline.push(outline[0]);
            outline
        })
    }

    /// Draws it.
    pub(super) fn draw(&self, svg: &mut Svg, window: &Window, plane: Plane) {
        svg.open(&self.name);
        let place = |points: &[Flat]| points.iter().map(|p| window.at(*p)).collect::<Vec<Point>>();
        self.filled.iter().for_each(|outline| svg.polygon("solid", &place(outline)));
        self.edges.iter().for_each(|edge| svg.polygon("edge", &place(edge)));
        if let Some(pose) = self.cross {
            let (x, y) = window.at(plane.project(&pose.position));
            for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
                let (right, up) = plane.project(&pose.rotation.rotate(&axis));
                svg.line("held", (x - CROSS * right, y + CROSS * up), (x + CROSS * right, y - CROSS * up));
            }
        }
        svg.close();
    }
}

/// Sine and cosine of angles once round.
fn turns() -> impl Iterator<Item = (f64, f64)> {
    (0..CORNERS).map(|i| (std::f64::consts::TAU * i as f64 / CORNERS as f64).sin_cos())
}

/// The convex hull, against the clock; points that are not finite are left out.
pub(super) fn hull(mut points: Vec<Flat>) -> Vec<Flat> {
    points.retain(|p| p.0.is_finite() && p.1.is_finite());
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |a: Flat, b: Flat, c: Flat| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let half = |points: &mut dyn Iterator<Item = Flat>| {
        let mut chain: Vec<Flat> = Vec::new();
        for point in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(outline: &[Flat]) -> f64 {
        let next = outline.iter().cycle().skip(1);
        0.5 * outline.iter().zip(next).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum::<f64>()
    }

    #[test]
    fn the_hull_of_a_square_and_its_middle_is_the_square() {
        let found = hull(vec![(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (1.0, 0.0), (0.0, 1.0), (f64::NAN, 3.0), (0.5, 0.0)]);
        assert_eq!(found, [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
        assert_eq!(hull(vec![(1.0, 2.0)]).len(), 1);
    }

    #[test]
    fn the_shadow_of_a_box_has_the_area_of_its_faces() {
        // Cauchy: a convex body's shadow is half the sum of the shadows of its faces.
        let size = Vector3::new(0.1, 0.2, 0.3);
        let solid = Solid { pose: Pose::identity(), outline: Outline::Box { size } };
        for plane in [Plane::Side, Plane::Top, Plane::Oblique] {
            let mut body_view =
                ProjectedBody { name: String::new(), filled: vec![], edges: vec![], cross: None, depth: 0.0 };
            body_view.add_solid(&Pose::identity(), &solid, plane);
            let n = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| plane.towards(&axis).abs());
            let expected = n[0] * size.y * size.z + n[1] * size.x * size.z + n[2] * size.x * size.y;
            assert!((area(&body_view.filled[0]) - expected).abs() < 1e-15);
            assert!(body_view.edges.len() == if plane == Plane::Oblique { 3 } else { 1 });
        }
    }
}
