//! Curves, meshes and numbers that these tests share.
#![allow(dead_code, clippy::unwrap_used)]

use lissome_geometry::*;
use lissome_lie::{Pose, Twist};
use nalgebra::Vector3;

/// Numbers that look random.
pub struct Random(pub u64);

impl Random {
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
    pub fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }
    pub fn twist(&mut self, size: f64) -> Twist {
        Twist { angular: self.vector(size), linear: self.vector(size) }
    }
}

pub fn ball(longitude: f64, latitude: f64) -> Vector3<f64> {
    Vector3::new(longitude.cos() * latitude.cos(), longitude.sin() * latitude.cos(), latitude.sin())
}

/// A screw about the z axis, not by its length, so that |p′| is no unit.
#[derive(Clone, Copy, Debug)]
pub struct Helix {
    pub radius: f64,
    pub rise: f64,
    pub end: f64,
    pub pose: Pose,
}

impl Default for Helix {
    fn default() -> Self {
        Self { radius: 0.5, rise: 0.08, end: 6.0, pose: Pose::identity() }
    }
}

impl Curve for Helix {
    fn range(&self) -> [f64; 2] {
        [0.0, self.end]
    }
    fn cells(&self) -> usize {
        (self.end / 0.8).ceil() as usize
    }
    fn at(&self, s: f64) -> CurvePoint {
        let (sin, cos) = s.sin_cos();
        let turn = |v: Vector3<f64>| self.pose.rotation.rotate(&v);
        CurvePoint {
            position: self.pose.transform(&Vector3::new(self.radius * cos, self.radius * sin, self.rise * s)),
            first: turn(Vector3::new(-self.radius * sin, self.radius * cos, self.rise)),
            second: turn(Vector3::new(-self.radius * cos, -self.radius * sin, 0.0)),
        }
    }
    fn largest_second(&self, _: f64, _: f64) -> f64 {
        self.radius
    }
}

/// A closed mesh with spikes and hollows: a sphere of triangles with radii that alternate.
pub fn star() -> Mesh {
    star_at(&Pose::identity())
}

pub fn star_at(pose: &Pose) -> Mesh {
    let (meridians, rings) = (12u32, 7u32);
    let mut corners = vec![Vector3::new(0.0, 0.0, -0.7)];
    for ring in 1..=rings {
        let latitude = (f64::from(ring) / f64::from(rings + 1) - 0.5) * std::f64::consts::PI;
        for k in 0..meridians {
            let radius = if (ring + k) % 2 == 0 { 0.8 } else { 0.45 };
            corners.push(ball(f64::from(k) * std::f64::consts::TAU / f64::from(meridians), latitude) * radius);
        }
    }
    corners.push(Vector3::new(0.0, 0.0, 0.7));
    let at = |ring: u32, k: u32| 1 + (ring - 1) * meridians + k % meridians;
    let mut triangles = Vec::new();
    for k in 0..meridians {
        triangles.push([0, at(1, k + 1), at(1, k)]);
        triangles.push([at(rings, k), at(rings, k + 1), corners.len() as u32 - 1]);
        for ring in 1..rings {
            triangles.push([at(ring, k), at(ring, k + 1), at(ring + 1, k)]);
            triangles.push([at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)]);
        }
    }
    Mesh::new(corners.iter().map(|corner| pose.transform(corner)).collect(), triangles).unwrap()
}

/// Points of the triangles.
pub fn sampled(mesh: &Mesh, n: usize) -> Vec<Vector3<f64>> {
    let mut points = Vec::new();
    for [a, b, c] in mesh.triangles() {
        for i in 0..=n {
            for j in 0..=n - i {
                let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                points.push(a + (b - a) * u + (c - a) * v);
            }
        }
    }
    points
}

/// Solid angle of a triangle seen from a point.
pub fn solid_angle(at: &Vector3<f64>, corners: &[Vector3<f64>; 3]) -> f64 {
    let [a, b, c] = corners.map(|corner| corner - at);
    let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
    let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
    2.0 * a.dot(&b.cross(&c)).atan2(below)
}
