//! Triangles for what a scene is made of: tubes around rods, boxes, cylinders and balls.

use lissome_lie::Pose;
use lissome_model::{Outline, Rod, Section, Shape};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// Corners of a circle.
const AROUND: usize = 16;
/// Rings of a ball from pole to pole.
const RINGS: usize = 8;

/// Triangles with a normal at each corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners.
    pub points: Vec<Vector3<f64>>,
    /// Outward normals, one a corner.
    pub normals: Vec<Vector3<f64>>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    fn corner(&mut self, point: Vector3<f64>, normal: Vector3<f64>) -> u32 {
        self.points.push(point);
        self.normals.push(normal);
        (self.points.len() - 1) as u32
    }

    /// A flat polygon, corners counter-clockwise seen from outside.
    fn polygon(&mut self, corners: &[Vector3<f64>], normal: Vector3<f64>) {
        let all: Vec<u32> = corners.iter().map(|p| self.corner(*p, normal)).collect();
        for i in 1..all.len().saturating_sub(1) {
            self.triangles.push([all[0], all[i], all[i + 1]]);
        }
    }

    /// A triangle with corners of its own; nothing if it has no area.
    pub fn flat(&mut self, corners: [Vector3<f64>; 3]) {
        let [a, b, c] = corners;
        if let Some(normal) = (b - a).cross(&(c - a)).try_normalize(0.0) {
            self.polygon(&corners, normal);
        }
    }

    /// Moves everything.
    pub fn placed(mut self, pose: &Pose) -> Self {
        self.points.iter_mut().for_each(|p| *p = pose.transform(p));
        self.normals.iter_mut().for_each(|n| *n = pose.rotation.rotate(n));
        self
    }

    /// Adds another.
    pub fn append(&mut self, other: &Self) {
        let first = self.points.len() as u32;
        self.points.extend(&other.points);
        self.normals.extend(&other.normals);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|i| i + first)));
    }
}

/// One corner of a section's outline in its y–z plane, with its normal; corners come in pairs that an edge joins.
struct Edge {
    from: [Vector3<f64>; 2],
    to: [Vector3<f64>; 2],
}

fn edges(section: &Section) -> Vec<Edge> {
    let round = |radius: f64| {
        let at = |i: usize| {
            let (sin, cos) = (TAU * i as f64 / AROUND as f64).sin_cos();
            let normal = Vector3::new(0.0, cos, sin);
            [normal * radius, normal]
        };
        (0..AROUND).map(|i| Edge { from: at(i), to: at((i + 1) % AROUND) }).collect()
    };
    match section {
        Section::Given { .. } => round(section.outer_radius()),
        Section::Layers { layers, .. } => match layers.iter().map(|layer| layer.shape).next_back() {
            Some(Shape::Rectangle { width, height }) => {
                let (y, z) = (0.5 * width, 0.5 * height);
                let corners = [[y, -z], [y, z], [-y, z], [-y, -z]].map(|[y, z]| Vector3::new(0.0, y, z));
                let normals = [Vector3::y(), Vector3::z(), -Vector3::y(), -Vector3::z()];
                let side = |i: usize| Edge { from: [corners[i], normals[i]], to: [corners[(i + 1) % 4], normals[i]] };
                (0..4).map(side).collect()
            }
            Some(_) => round(section.outer_radius()),
            None => Vec::new(),
        },
    }
}

/// The skin of a rod: at each station of its own frame, and which station each corner belongs to.
pub fn tube(rod: &Rod, stations: usize) -> (Mesh, Vec<u16>) {
    let (mut mesh, mut owner) = (Mesh::default(), Vec::new());
    let last = stations.saturating_sub(1).max(1);
    let outlines: Vec<Vec<Edge>> =
        (0..stations).map(|i| edges(&rod.profile.at(rod.length * i as f64 / last as f64))).collect();
    for (i, pair) in outlines.windows(2).enumerate() {
        for (near, far) in pair[0].iter().zip(&pair[1]) {
            let quad = [near.from, near.to, far.to, far.from].map(|[point, normal]| mesh.corner(point, normal));
            owner.extend([i, i, i + 1, i + 1].map(|station| station as u16));
            mesh.triangles.push([quad[0], quad[1], quad[2]]);
            mesh.triangles.push([quad[0], quad[2], quad[3]]);
        }
    }
    for (station, normal) in [(0, -Vector3::x()), (stations.saturating_sub(1), Vector3::x())] {
        let Some(outline) = outlines.get(station) else { continue };
        let mut corners: Vec<Vector3<f64>> = outline.iter().map(|edge| edge.from[0]).collect();
        if station == 0 {
            corners.reverse();
        }
        mesh.polygon(&corners, normal);
        owner.resize(mesh.points.len(), station as u16);
    }
    (mesh, owner)
}

/// A cylinder about x, from −length/2 to length/2.
pub fn cylinder(radius: f64, length: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let ring = |x: f64| {
        (0..AROUND).map(move |i| {
            let (sin, cos) = (TAU * i as f64 / AROUND as f64).sin_cos();
            (Vector3::new(x, radius * cos, radius * sin), Vector3::new(0.0, cos, sin))
        })
    };
    let (low, high): (Vec<_>, Vec<_>) = (ring(-0.5 * length).collect(), ring(0.5 * length).collect());
    for i in 0..AROUND {
        let j = (i + 1) % AROUND;
        let quad = [low[i], high[i], high[j], low[j]].map(|(p, n)| mesh.corner(p, n));
        mesh.triangles.push([quad[0], quad[2], quad[1]]);
        mesh.triangles.push([quad[0], quad[3], quad[2]]);
    }
    mesh.polygon(&high.iter().map(|c| c.0).collect::<Vec<_>>(), Vector3::x());
    mesh.polygon(&low.iter().rev().map(|c| c.0).collect::<Vec<_>>(), -Vector3::x());
    mesh
}

/// A solid of a body, in its own frame.
pub fn solid(outline: &Outline) -> Mesh {
    match *outline {
        Outline::Cylinder { radius, length } => cylinder(radius, length),
        Outline::Box { size } => cuboid(&size),
        Outline::Sphere { radius } => ball(radius),
    }
}

/// A square across z that looks along it.
pub fn square(centre: &Vector3<f64>, edge: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let corner = |x: f64, y: f64| centre + Vector3::new(x, y, 0.0) * (0.5 * edge);
    mesh.polygon(&[corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], Vector3::z());
    mesh
}

/// The wall of a bore around these sections, whose x axes run along it; it looks inward.
pub fn wall(sections: &[Pose], radius: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for section in sections {
        for i in 0..AROUND {
            let (sin, cos) = (TAU * i as f64 / AROUND as f64).sin_cos();
            let outward = Vector3::new(0.0, cos, sin);
            mesh.corner(section.transform(&(outward * radius)), section.rotation.rotate(&-outward));
        }
    }
    let at = |ring: usize, i: usize| (ring * AROUND + i % AROUND) as u32;
    for ring in 1..sections.len() {
        for i in 0..AROUND {
            mesh.triangles.push([at(ring - 1, i), at(ring, i), at(ring, i + 1)]);
            mesh.triangles.push([at(ring - 1, i), at(ring, i + 1), at(ring - 1, i + 1)]);
        }
    }
    mesh
}

fn cuboid(size: &Vector3<f64>) -> Mesh {
    let mut mesh = Mesh::default();
    let half = size * 0.5;
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let normal = Vector3::ith(axis, sign);
            let (u, v) = (Vector3::ith((axis + 1) % 3, 1.0), Vector3::ith((axis + 2) % 3, sign));
            let corner = |a: f64, b: f64| (normal + u * a + v * b).component_mul(&half);
            mesh.polygon(&[corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], normal);
        }
    }
    mesh
}

fn ball(radius: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..=RINGS {
        let (sin, cos) = (0.5 * TAU * i as f64 / RINGS as f64).sin_cos();
        for k in 0..AROUND {
            let (s, c) = (TAU * k as f64 / AROUND as f64).sin_cos();
            let normal = Vector3::new(sin * c, sin * s, cos);
            mesh.corner(normal * radius, normal);
        }
    }
    let at = |i: usize, k: usize| (i * AROUND + k % AROUND) as u32;
    for i in 0..RINGS {
        for k in 0..AROUND {
            if i > 0 {
                mesh.triangles.push([at(i, k), at(i + 1, k), at(i, k + 1)]);
            }
            if i + 1 < RINGS {
                mesh.triangles.push([at(i, k + 1), at(i + 1, k), at(i + 1, k + 1)]);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_model::Inertia;

    /// Volume enclosed by triangles that look outwards: a sixth of the sum of their triple products.
    fn volume(mesh: &Mesh) -> f64 {
        let point = |i: u32| mesh.points[i as usize];
        mesh.triangles.iter().map(|[a, b, c]| point(*a).dot(&point(*b).cross(&point(*c))) / 6.0).sum()
    }

    fn normals_look_outwards(mesh: &Mesh) {
        for [a, b, c] in &mesh.triangles {
            let [p, q, r] = [a, b, c].map(|i| mesh.points[*i as usize]);
            let face = (q - p).cross(&(r - p));
            for i in [a, b, c] {
                assert!(face.dot(&mesh.normals[*i as usize]) > 0.0, "{p} {q} {r}");
            }
        }
    }

    #[test]
    fn solids_are_closed_and_as_large_as_they_should_be() {
        // A polygon of n corners inscribed in a circle has sin(2π/n)/(2π/n) of its area.
        let polygon = (TAU / AROUND as f64).sin() / (TAU / AROUND as f64);
        let cylinder = Outline::Cylinder { radius: 0.3, length: 0.8 };
        let cuboid = Outline::Box { size: Vector3::new(0.1, 0.2, 0.5) };
        for (outline, factor) in [(cylinder, polygon), (cuboid, 1.0)] {
            let mesh = solid(&outline);
            assert!((volume(&mesh) - factor * outline.volume()).abs() < 1e-12, "{outline:?}");
            normals_look_outwards(&mesh);
        }
        let ball = Outline::Sphere { radius: 0.2 };
        let (mesh, whole) = (solid(&ball), ball.volume());
        // Inscribed: smaller, and by no more than twice what two such polygons lose.
        assert!(volume(&mesh) < whole && volume(&mesh) > whole * (1.0 - 4.0 * (1.0 - polygon)));
        assert!(Inertia::of_solids(&[], 1.0).mass == 0.0);
    }

    #[test]
    fn planes_look_up_and_bores_inward() {
        normals_look_outwards(&square(&Vector3::new(1.0, 2.0, 0.0), 0.5));
        let sections = [0.0, 0.1, 0.3].map(|x| Pose::at(Vector3::x() * x));
        let wall = wall(&sections, 0.02);
        normals_look_outwards(&wall);
        assert_eq!((wall.points.len(), wall.triangles.len()), (3 * AROUND, 4 * AROUND));
    }

    #[test]
    fn a_straight_tube_holds_the_rods_volume() {
        let text = "schema = 1\n[material.m]\nyoung = 1e6\npoisson = 0.4\n[rod.a]\nmaterial = \"m\"\nlength = 2\n\
            section = SECTION\nbase = {}\n";
        let polygon = (TAU / AROUND as f64).sin() / (TAU / AROUND as f64);
        let round = ("{ shape = \"circle\", radius = 0.1 }", polygon * 0.5 * TAU * 0.01 * 2.0);
        let flat = ("{ shape = \"rectangle\", width = 0.1, height = 0.02 }", 0.1 * 0.02 * 2.0);
        for (section, expected) in [round, flat] {
            let loaded = crate::scene::parse("t", text.replace("SECTION", section), &[]);
            let Ok(loaded) = loaded else { panic!("{loaded:?}") };
            let (mut mesh, owner) = tube(&loaded.scene.rods[0], 5);
            assert_eq!(owner.len(), mesh.points.len());
            for (point, station) in mesh.points.iter_mut().zip(&owner) {
                point.x += 2.0 * f64::from(*station) / 4.0;
            }
            assert!((volume(&mesh) - expected).abs() < 1e-12, "{section}: {} {expected}", volume(&mesh));
            normals_look_outwards(&mesh);
        }
    }
}
