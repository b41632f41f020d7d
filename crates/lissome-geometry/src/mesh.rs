//! Solids bounded by triangles.
//!
//! A mesh must be closed: every edge belongs to two triangles, which run along it in opposite directions. The sign of the
//! distance is that of (x − y)·ν̄ with the nearest point y and the pseudonormal ν̄ of the face, edge or corner that it lies
//! on: the sum of the normals of the triangles around it, weighted by their angles, which is right for every closed mesh
//! \[baerentzen2005\]; the normal of the nearest triangle alone is not.

use crate::tree::Tree;
use crate::triangle::{Feature, nearest_on_triangle};
use crate::{Bounds, Nearest, Ridge, Solid};
use nalgebra::{Matrix3, Vector3};
use std::collections::HashMap;
use std::fmt;

/// A triangle narrower than this part of its longest edge has no normal to speak of.
const THINNEST: f64 = 1e-9;
/// Sine of the angle by which what is next to an edge or a corner that stands out falls off.
const SHARP: f64 = 1e-3;
/// Triangles and corners at most: their numbers have 32 bits.
const MOST: usize = 1 << 30;

/// What is wrong with a mesh; numbers count from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFault {
    /// It has no triangles.
    Empty,
    /// It has more triangles or corners than can be numbered.
    TooLarge,
    /// A corner is not a point.
    NotFinite {
        /// Its number.
        corner: usize,
    },
    /// A triangle names a corner that does not exist.
    NoSuchCorner {
        /// The triangle.
        triangle: usize,
    },
    /// A triangle has no area.
    Degenerate {
        /// The triangle.
        triangle: usize,
    },
    /// An edge belongs to one triangle only: there is a hole.
    Open {
        /// Ends of the edge.
        edge: [u32; 2],
    },
    /// Triangles on both sides of an edge run along it in the same direction, or more than two meet there.
    Twisted {
        /// Ends of the edge.
        edge: [u32; 2],
    },
    /// Its triangles face inward, or it encloses nothing.
    InsideOut,
}

impl fmt::Display for MeshFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "the mesh has no triangles"),
            Self::TooLarge => write!(f, "the mesh has more than {MOST} triangles or corners"),
            Self::NotFinite { corner } => write!(f, "corner {corner} is not a point"),
            Self::NoSuchCorner { triangle } => write!(f, "triangle {triangle} names a corner that does not exist"),
            Self::Degenerate { triangle } => write!(f, "triangle {triangle} has no area"),
            Self::Open { edge: [a, b] } => write!(f, "the edge from corner {a} to {b} belongs to one triangle only"),
            Self::Twisted { edge: [a, b] } => {
                write!(f, "more than two triangles, or two of opposite sense, meet at the edge from corner {a} to {b}")
            }
            Self::InsideOut => {
                write!(f, "the triangles face inward: their corners must run counterclockwise seen from outside")
            }
        }
    }
}

impl std::error::Error for MeshFault {}

/// A closed mesh.
#[derive(Clone, Debug)]
pub struct Mesh {
    corners: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    faces: Vec<Vector3<f64>>,
    /// Pseudonormals of each triangle's edges, and of the corners.
    edges: Vec<[Vector3<f64>; 3]>,
    corner_normals: Vec<Vector3<f64>>,
    boxes: Vec<Bounds>,
    tree: Tree,
}

impl Mesh {
    /// A mesh of corners and triangles, corners counterclockwise seen from outside.
    pub fn new(corners: Vec<Vector3<f64>>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshFault> {
        if triangles.is_empty() {
            return Err(MeshFault::Empty);
        }
        if triangles.len() > MOST || corners.len() > MOST {
            return Err(MeshFault::TooLarge);
        }
        if let Some(corner) = corners.iter().position(|corner| !corner.iter().all(|x| x.is_finite())) {
            return Err(MeshFault::NotFinite { corner });
        }
        let known = |triangle: &[u32; 3]| triangle.iter().all(|corner| (*corner as usize) < corners.len());
        if let Some(triangle) = triangles.iter().position(|triangle| !known(triangle)) {
            return Err(MeshFault::NoSuchCorner { triangle });
        }
        let mut faces = Vec::with_capacity(triangles.len());
        for (triangle, own) in triangles.iter().enumerate() {
            faces.push(face_normal(&points(&corners, own)).ok_or(MeshFault::Degenerate { triangle })?);
        }
        let neighbours = neighbours(&triangles)?;
        let middle = Bounds::around(corners.iter().copied()).centre();
        let volume: f64 = triangles.iter().map(|own| signed_volume(&points(&corners, own).map(|p| p - middle))).sum();
        // A number that is no number encloses nothing either.
        if volume.is_nan() || volume <= 0.0 {
            return Err(MeshFault::InsideOut);
        }
        let edges = neighbours.iter().zip(&faces).map(|(own, face)| own.map(|other| face + faces[other])).collect();
        let mut corner_normals = vec![Vector3::zeros(); corners.len()];
        for (own, face) in triangles.iter().zip(&faces) {
            let at = points(&corners, own);
            for k in 0..3 {
                let (to, from) = (at[(k + 1) % 3] - at[k], at[(k + 2) % 3] - at[k]);
                corner_normals[own[k] as usize] += face * to.angle(&from);
            }
        }
        let boxes: Vec<Bounds> = triangles.iter().map(|own| Bounds::around(points(&corners, own))).collect();
        let tree = Tree::new(&boxes);
        Ok(Self { corners, triangles, faces, edges, corner_normals, boxes, tree })
    }

    /// Its corners.
    pub fn corners(&self) -> &[Vector3<f64>] {
        &self.corners
    }

    /// Numbers of the corners of each triangle.
    pub fn corner_numbers(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Its triangles as points.
    pub fn triangles(&self) -> impl Iterator<Item = [Vector3<f64>; 3]> + '_ {
        self.triangles.iter().map(|own| points(&self.corners, own))
    }

    /// Shows the number of every triangle whose box meets another.
    pub fn meeting(&self, other: &Bounds, found: impl FnMut(usize)) {
        self.tree.meeting(other, &self.boxes, found);
    }
}

impl Mesh {
    /// Corners that reach farther out, along their normal, than all corners next to them.
    pub fn peaks(&self) -> Vec<Vector3<f64>> {
        let mut reaches = vec![true; self.corners.len()];
        let mut used = vec![false; self.corners.len()];
        for own in &self.triangles {
            for k in 0..3 {
                let (corner, next) = (own[k] as usize, own[(k + 1) % 3] as usize);
                for (one, two) in [(corner, next), (next, corner)] {
                    let way = self.corners[two] - self.corners[one];
                    let normal = self.corner_normals[one].try_normalize(0.0).unwrap_or_default();
                    used[one] = true;
                    reaches[one] &= way.dot(&normal) < -SHARP * way.norm();
                }
            }
        }
        (0..self.corners.len()).filter(|k| used[*k] && reaches[*k]).map(|k| self.corners[k]).collect()
    }

    /// Edges that stand out between their faces; none if there are more than `most`.
    pub fn sharp_edges(&self, most: usize) -> Vec<Ridge> {
        self.edges_turned(0.0, most)
    }

    /// Those of them in which faces meet at an angle of their normals of at least `least`, rad.
    pub fn edges_turned(&self, least: f64, most: usize) -> Vec<Ridge> {
        let flattest = least.cos();
        let mut owners: HashMap<[u32; 2], usize> = HashMap::with_capacity(3 * self.triangles.len());
        for (index, own) in self.triangles.iter().enumerate() {
            (0..3).for_each(|k| {
                owners.insert([own[k], own[(k + 1) % 3]], index);
            });
        }
        let mut found = Vec::new();
        for (index, own) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let edge = [own[k], own[(k + 1) % 3]];
                let Some(other) = owners.get(&[edge[1], edge[0]]).filter(|_| edge[0] < edge[1]) else { continue };
                let faces = [self.faces[index], self.faces[*other]];
                let [a, b] = edge.map(|corner| self.corners[corner as usize]);
                let (way, half) = (b - a, 0.5 * (b - a).norm());
                let along = way / (2.0 * half);
                // The normals turn the right way about an edge that stands out.
                if faces[0].cross(&faces[1]).dot(&along) > SHARP && faces[0].dot(&faces[1]) <= flattest {
                    let (middle, faces) = ((a + b) * 0.5, Some(faces));
                    found.push(Ridge::Line { middle, along, half, radius: 0.0, faces });
                }
                if found.len() > most {
                    return Vec::new();
                }
            }
        }
        found
    }
}

impl Solid for Mesh {
    fn nearest(&self, at: &Vector3<f64>) -> Nearest {
        let mut least = f64::INFINITY;
        let mut best = (Vector3::zeros(), Feature::Face, 0);
        self.tree.nearest(at, |index| {
            let (point, feature) = nearest_on_triangle(at, &points(&self.corners, &self.triangles[index]));
            let square = (at - point).norm_squared();
            if square < least {
                least = square;
                best = (point, feature, index);
            }
            square
        });
        let (point, feature, index) = best;
        let off = at - point;
        let pseudo = match feature {
            Feature::Face => self.faces[index],
            Feature::Edge(edge) => self.edges[index][edge],
            Feature::Corner(corner) => self.corner_normals[self.triangles[index][corner] as usize],
        };
        let length = off.norm();
        let distance = if off.dot(&pseudo) < 0.0 { -length } else { length };
        // On a face the normal is that of the triangle, which rounding does not touch.
        let curved = match feature {
            Feature::Face => {
                return Nearest { distance, normal: self.faces[index], curvature: Matrix3::zeros() };
            }
            _ if length == 0.0 => {
                let normal = pseudo.try_normalize(0.0).unwrap_or(self.faces[index]);
                return Nearest { distance, normal, curvature: Matrix3::zeros() };
            }
            Feature::Edge(edge) => {
                let own = points(&self.corners, &self.triangles[index]);
                let along = (own[(edge + 1) % 3] - own[edge]).normalize();
                Matrix3::identity() - along * along.transpose()
            }
            Feature::Corner(_) => Matrix3::identity(),
        };
        let normal = off / distance;
        Nearest { distance, normal, curvature: (curved - normal * normal.transpose()) / distance }
    }

    fn bounds(&self) -> Bounds {
        self.tree.bounds()
    }
}

fn points(corners: &[Vector3<f64>], triangle: &[u32; 3]) -> [Vector3<f64>; 3] {
    triangle.map(|corner| corners[corner as usize])
}

fn face_normal([a, b, c]: &[Vector3<f64>; 3]) -> Option<Vector3<f64>> {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    if longest == 0.0 {
        return None;
    }
    let area = ((b - a) / longest).cross(&((c - a) / longest));
    area.try_normalize(THINNEST)
}

fn signed_volume([a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    a.dot(&b.cross(c)) / 6.0
}

/// The triangle across each edge of each triangle.
fn neighbours(triangles: &[[u32; 3]]) -> Result<Vec<[usize; 3]>, MeshFault> {
    let mut owner: HashMap<[u32; 2], usize> = HashMap::with_capacity(3 * triangles.len());
    for (index, own) in triangles.iter().enumerate() {
        for k in 0..3 {
            let edge = [own[k], own[(k + 1) % 3]];
            if owner.insert(edge, index).is_some() {
                return Err(MeshFault::Twisted { edge });
            }
        }
    }
    let across = |own: &[u32; 3], k: usize| {
        let edge = [own[k], own[(k + 1) % 3]];
        owner.get(&[edge[1], edge[0]]).copied().ok_or(MeshFault::Open { edge })
    };
    triangles.iter().map(|own| Ok([across(own, 0)?, across(own, 1)?, across(own, 2)?])).collect()
}
