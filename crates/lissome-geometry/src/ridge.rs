//! Edges, rims and axes of convex solids, and the signed distance of two of them.
//!
//! Where two solids touch edge on edge the distance of a point from a solid has no normal of its own. The normal is that of
//! the two curves: n = t_A × t_B, out of the second solid. With the feet, where the way between the curves stands on both of
//! them, the distance is n·(p_A − p_B), which goes through zero as smoothly as anything: it is the stationary value of
//!
//! ```text
//! L(n, s_A, s_B) = n·(p_A(s_A) − p_B(s_B)),    |n| = 1
//! ```
//!
//! so that its gradient by the motion of the solids is that at the feet, and its second derivative takes −c L_yy⁻¹ cᵀ of the
//! four unknowns y. Two curves count where n lies in the normal cones of both: between the faces that meet in a sharp edge.

use crate::solid::Nearest;
use lissome_lie::Pose;
use nalgebra::{Matrix2, Matrix3, Matrix4, Vector2, Vector3};

/// Sine of the angle of two curves below which they are parallel.
const PARALLEL: f64 = 1e-3;
/// How far beyond a face a normal may point: where faces lie on each other it points along the border of both cones.
const BESIDE: f64 = 0.05;
/// Steps of the search for feet, and the part of a length that it ends with.
const MOST_STEPS: usize = 20;
const SAME: f64 = 1e-14;
/// Lines whose directions, and sides whose normals, differ by less than this go on in each other.
const STRAIGHT: f64 = 1e-6;
/// Places of a rim and another curve, one over the other, that are farther apart than this part of the smaller one are far.
const CLOSE: f64 = 0.25;
/// How far the way between feet may lean toward their curves, of the size of both.
const LEVEL: f64 = 1e-10;

/// A curve on which a solid may be touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ridge {
    /// A straight one: an edge, or the axis of something round.
    Line {
        /// Its middle, m.
        middle: Vector3<f64>,
        /// Its direction.
        along: Vector3<f64>,
        /// Half of its length, m.
        half: f64,
        /// Radius of the round around it, m; zero for an edge.
        radius: f64,
        /// Outward normals of the two faces that meet in an edge.
        faces: Option<[Vector3<f64>; 2]>,
    },
    /// A circle in which a flat end and a round side meet.
    Rim {
        /// Its centre, m.
        centre: Vector3<f64>,
        /// Outward normal of the end.
        axis: Vector3<f64>,
        /// A direction across the axis, where its length is counted from.
        start: Vector3<f64>,
        /// m.
        radius: f64,
    },
}

/// A place of a ridge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RidgePoint {
    /// m.
    pub position: Vector3<f64>,
    /// Unit tangent.
    pub first: Vector3<f64>,
    /// Change of the tangent by length, 1/m.
    pub second: Vector3<f64>,
    /// Outward normals of the faces that meet there.
    pub faces: Option<[Vector3<f64>; 2]>,
}

/// How a point is to an edge that stands out of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leaning {
    /// Distance from the edge with its derivatives, negative behind it.
    pub near: Nearest,
    /// Length along the edge of the nearest place, m.
    pub at: f64,
    /// True if that is an end of the edge.
    pub ends: bool,
}

/// Where two ridges cross.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Lengths along both, m.
    pub at: [f64; 2],
    /// The feet, m.
    pub feet: [Vector3<f64>; 2],
    /// Signed distance of the surfaces, m.
    pub distance: f64,
    /// Normal, from the second to the first.
    pub normal: Vector3<f64>,
    /// Tangents of both.
    pub tangents: [Vector3<f64>; 2],
    /// Two directions across the normal.
    pub across: [Vector3<f64>; 2],
    /// Second derivative of L by the turn of n toward both directions and by both lengths.
    pub second: Matrix4<f64>,
}

impl Ridge {
    /// Of a solid that is moved.
    pub fn moved(&self, pose: &Pose) -> Self {
        let turn = |v: &Vector3<f64>| pose.rotation.rotate(v);
        match self {
            Self::Line { middle, along, half, radius, faces } => Self::Line {
                middle: pose.transform(middle),
                along: turn(along),
                half: *half,
                radius: *radius,
                faces: faces.map(|faces| faces.map(|face| turn(&face))),
            },
            Self::Rim { centre, axis, start, radius } => {
                Self::Rim { centre: pose.transform(centre), axis: turn(axis), start: turn(start), radius: *radius }
            }
        }
    }

    /// A place of it.
    pub fn at(&self, s: f64) -> RidgePoint {
        match self {
            Self::Line { middle, along, faces, .. } => {
                RidgePoint { position: middle + along * s, first: *along, second: Vector3::zeros(), faces: *faces }
            }
            Self::Rim { centre, axis, start, radius } => {
                let (sin, cos) = (s / radius).sin_cos();
                let side = axis.cross(start);
                let outward = start * cos + side * sin;
                RidgePoint {
                    position: centre + outward * *radius,
                    first: side * cos - start * sin,
                    second: -outward / *radius,
                    faces: Some([outward, *axis]),
                }
            }
        }
    }

    /// Radius of the round around it, m.
    pub fn thickness(&self) -> f64 {
        match self {
            Self::Line { radius, .. } => *radius,
            Self::Rim { .. } => 0.0,
        }
    }

    /// Both ends of a straight one.
    pub fn ends(&self) -> Option<[Vector3<f64>; 2]> {
        match self {
            Self::Line { middle, along, half, .. } => Some([middle - along * *half, middle + along * *half]),
            Self::Rim { .. } => None,
        }
    }

    /// A ball around it: centre and radius, m.
    pub fn ball(&self) -> (Vector3<f64>, f64) {
        match self {
            Self::Line { middle, half, radius, .. } => (*middle, half + radius),
            Self::Rim { centre, radius, .. } => (*centre, *radius),
        }
    }

    /// How a point is to a sharp edge; `None` of other ridges. The distance is that from the edge itself, and not from the faces
    /// that meet in it.
    pub fn leaning(&self, at: &Vector3<f64>) -> Option<Leaning> {
        let Self::Line { middle, along, half, faces: Some([one, two]), .. } = self else { return None };
        let off = at - middle;
        let free = off.dot(along);
        let (place, ends) = (free.clamp(-half, *half), free.abs() > *half);
        let way = off - along * place;
        let distance = way.norm();
        let outward = one + two;
        let side = if way.dot(&outward) < 0.0 { -1.0 } else { 1.0 };
        let normal = if distance > 0.0 { way * (side / distance) } else { outward.normalize() };
        let line = if ends { Matrix3::zeros() } else { along * along.transpose() };
        let curvature = (Matrix3::identity() - normal * normal.transpose() - line)
            * (side / distance.max(f64::MIN_POSITIVE.sqrt()));
        Some(Leaning { near: Nearest { distance: side * distance, normal, curvature }, at: place, ends })
    }

    /// True if a direction points out of an edge: between the normals of its faces, or beyond them by a part of the sine of their angle.
    pub fn points_out(&self, direction: &Vector3<f64>, beside: f64) -> bool {
        match self {
            Self::Line { faces, .. } => is_outward(faces, direction, beside),
            Self::Rim { .. } => false,
        }
    }

    /// The sine of the angle between a straight ridge and a direction.
    pub fn sine_to(&self, direction: &Vector3<f64>) -> f64 {
        match self {
            Self::Line { along, .. } => along.cross(direction).norm() / direction.norm(),
            Self::Rim { .. } => 0.0,
        }
    }

    /// True if it ends before a length.
    fn ends_before(&self, s: f64) -> bool {
        matches!(self, Self::Line { half, .. } if s.abs() > *half)
    }

    /// A length that it bends or ends within, m.
    fn scale(&self) -> f64 {
        match self {
            Self::Line { half, .. } => *half,
            Self::Rim { radius, .. } => *radius,
        }
    }

    /// Lengths along another rim and this one where the two would cross if they lay in one plane: one of two.
    fn beside(&self, other: &Self, root: usize) -> Option<[f64; 2]> {
        let (Self::Rim { centre, axis, start, radius }, Self::Rim { centre: middle, radius: wide, .. }) = (self, other)
        else {
            return None;
        };
        let side = axis.cross(start);
        let off = Vector2::new((middle - centre).dot(start), (middle - centre).dot(&side));
        let (square, apart) = (off.norm_squared(), off.norm());
        if apart <= f64::MIN_POSITIVE {
            return None;
        }
        let along = 0.5 * (square + radius * radius - wide * wide) / square;
        let left = radius * radius - along * along * square;
        if left <= 0.0 {
            return None;
        }
        let way = Vector2::new(-off.y, off.x) * (left.sqrt() / apart) * if root == 0 { 1.0 } else { -1.0 };
        let seen = off * along + way;
        let place = centre + start * seen.x + side * seen.y;
        Some([other.near(&place), radius * seen.y.atan2(seen.x)])
    }

    /// Length of the place that is nearest to a point; on a line no farther than its ends.
    pub fn near(&self, at: &Vector3<f64>) -> f64 {
        match self {
            Self::Line { middle, along, half, .. } => (at - middle).dot(along).clamp(-half, *half),
            Self::Rim { centre, axis, start, radius } => {
                let off = at - centre;
                radius * off.dot(&axis.cross(start)).atan2(off.dot(start))
            }
        }
    }

    /// Lengths along a line and this rim where the line comes over the rim: one of two, in the order of the line.
    fn over(&self, line: &Self, root: usize) -> Option<[f64; 2]> {
        let (Self::Rim { centre, axis, start, radius }, Self::Line { middle, along, .. }) = (self, line) else {
            return None;
        };
        let side = axis.cross(start);
        let seen = |v: &Vector3<f64>| Vector2::new(v.dot(start), v.dot(&side));
        let off = middle - centre;
        let (at, way) = (seen(&off), seen(along));
        let square = way.norm_squared();
        let s = if square > PARALLEL {
            let nearest = -at.dot(&way) / square;
            let left = radius * radius - (at + way * nearest).norm_squared();
            let half = (left.max(0.0) / square).sqrt();
            match (half > 0.0, root) {
                (true, 0) => nearest - half,
                (true, _) => nearest + half,
                (false, 0) => nearest,
                (false, _) => return None,
            }
        } else if root == 0 {
            // It stands on the plane of the rim.
            -off.dot(axis) / along.dot(axis)
        } else {
            return None;
        };
        let place = at + way * s;
        Some([s, radius * place.y.atan2(place.x)])
    }
}

/// Lengths from which feet are looked for; `None` if there is no such start. Two curves of which one is a rim have two.
fn start(a: &Ridge, b: &Ridge, root: usize) -> Option<[f64; 2]> {
    match (a, b) {
        (Ridge::Line { .. }, Ridge::Line { .. }) => (root == 0).then_some([0.0; 2]),
        (Ridge::Line { .. }, Ridge::Rim { .. }) => b.over(a, root),
        (Ridge::Rim { .. }, Ridge::Line { .. }) => a.over(b, root).map(|[line, rim]| [rim, line]),
        (Ridge::Rim { .. }, Ridge::Rim { .. }) => b.beside(a, root),
    }
}

/// True if a direction across an edge points out of it, between the normals of its two faces.
fn is_outward(faces: &Option<[Vector3<f64>; 2]>, direction: &Vector3<f64>, beside: f64) -> bool {
    let Some([one, two]) = faces else { return true };
    let (cosine, by_one, by_two) = (one.dot(two), direction.dot(one), direction.dot(two));
    let least = -beside * (1.0 - cosine * cosine).max(0.0).sqrt();
    by_one + by_two > 0.0 && by_one - cosine * by_two >= least && by_two - cosine * by_one >= least
}

/// Where two ridges, the first at a pose seen from the second, may touch: `None` if they run side by side, or if they cross
/// beyond their ends or inside of one of the solids. `root` is 0, or 1 for the other one of two places of a rim.
pub fn crossing(a: &Ridge, b: &Ridge, root: usize) -> Option<Crossing> {
    let mut at = start(a, b, root)?;
    let (mut one, mut two) = (a.at(at[0]), b.at(at[1]));
    let straight = matches!((a, b), (Ridge::Line { .. }, Ridge::Line { .. }));
    // From far the search on a rim may lead anywhere: what is about to touch begins close.
    let reach = CLOSE * a.scale().min(b.scale()) + a.thickness() + b.thickness();
    if !straight && (one.position - two.position).norm() > reach {
        return None;
    }
    for _ in 0..MOST_STEPS {
        let apart = one.position - two.position;
        let slope = Vector2::new(apart.dot(&one.first), -apart.dot(&two.first));
        let mixed = -one.first.dot(&two.first);
        let second = Matrix2::new(1.0 + apart.dot(&one.second), mixed, mixed, 1.0 - apart.dot(&two.second));
        if second.determinant() < PARALLEL * PARALLEL {
            return None;
        }
        let step = -(second.try_inverse()? * slope);
        at = [at[0] + step[0], at[1] + step[1]];
        (one, two) = (a.at(at[0]), b.at(at[1]));
        if step[0].abs() <= SAME * a.scale() && step[1].abs() <= SAME * b.scale() {
            break;
        }
        if straight {
            break;
        }
    }
    if a.ends_before(at[0]) || b.ends_before(at[1]) {
        return None;
    }
    let apart = one.position - two.position;
    // Of a rim that is far the search may find no feet.
    if apart.dot(&one.first).abs().max(apart.dot(&two.first).abs()) > LEVEL * (a.scale() + b.scale()) {
        return None;
    }
    let cross = one.first.cross(&two.first);
    let sine = cross.norm();
    if sine < PARALLEL {
        return None;
    }
    let way = cross / sine;
    let fits =
        |normal: &Vector3<f64>| is_outward(&two.faces, normal, BESIDE) && is_outward(&one.faces, &-normal, BESIDE);
    let normal = match (one.faces.is_some() || two.faces.is_some(), apart.dot(&way) >= 0.0) {
        (true, _) => [way, -way].into_iter().find(fits)?,
        (false, true) => way,
        (false, false) => -way,
    };
    let first = one.first;
    let across = [first, normal.cross(&first)];
    let distance = apart.dot(&normal);
    let mut second = Matrix4::zeros();
    for (k, e) in across.iter().enumerate() {
        second[(k, k)] = -distance;
        (second[(k, 2)], second[(k, 3)]) = (e.dot(&one.first), -e.dot(&two.first));
        (second[(2, k)], second[(3, k)]) = (second[(k, 2)], second[(k, 3)]);
    }
    second[(2, 2)] = normal.dot(&one.second);
    second[(3, 3)] = -normal.dot(&two.second);
    Some(Crossing {
        at,
        feet: [one.position, two.position],
        distance: distance - a.thickness() - b.thickness(),
        normal,
        tangents: [one.first, two.first],
        across,
        second,
    })
}

/// Straight edges with those in one that go on in the same line, between sides that go on too, as where a side is divided.
pub fn joined(edges: Vec<Ridge>) -> Vec<Ridge> {
    let mut found: Vec<Ridge> = Vec::new();
    for mut edge in edges {
        while let Some((k, both)) = found.iter().enumerate().find_map(|(k, other)| Some((k, in_one(other, &edge)?))) {
            found.swap_remove(k);
            edge = both;
        }
        found.push(edge);
    }
    found
}

/// Two straight edges as one, if one goes on where the other ends.
fn in_one(a: &Ridge, b: &Ridge) -> Option<Ridge> {
    let (Ridge::Line { along, radius, faces: Some(faces), .. }, Ridge::Line { along: other, faces: Some(others), .. }) =
        (a, b)
    else {
        return None;
    };
    let side = if along.dot(other) > 0.0 { 1.0 } else { -1.0 };
    let others = if side > 0.0 { *others } else { [others[1], others[0]] };
    let straight = (along - other * side).norm() < STRAIGHT;
    if !straight || (0..2).any(|k| (faces[k] - others[k]).norm() > STRAIGHT) {
        return None;
    }
    let ([from, to], [start, end]) = (a.ends()?, b.ends()?);
    let (start, end) = if side > 0.0 { (start, end) } else { (end, start) };
    let close = STRAIGHT * (to - from).norm().min((end - start).norm());
    let [from, to] = match ((to - start).norm() <= close, (end - from).norm() <= close) {
        (true, _) => [from, end],
        (_, true) => [start, to],
        _ => return None,
    };
    let (way, radius) = (to - from, *radius);
    let half = 0.5 * way.norm();
    Some(Ridge::Line { middle: (from + to) * 0.5, along: way / (2.0 * half), half, radius, faces: Some(*faces) })
}

/// Edges of a box of a size around the origin, in four groups of three: no two of a group bound the same face.
pub fn edges_of_box(half: &Vector3<f64>) -> Vec<Vec<Ridge>> {
    let edge = |axis: usize, signs: [f64; 2]| {
        let [j, k] = [(axis + 1) % 3, (axis + 2) % 3];
        let face = |axis: usize, sign: f64| Vector3::ith(axis, sign);
        let faces = [face(j, signs[0]), face(k, signs[1])];
        let middle = faces[0] * half[j] + faces[1] * half[k];
        Ridge::Line { middle, along: face(axis, 1.0), half: half[axis], radius: 0.0, faces: Some(faces) }
    };
    // Three edges across each other that share no face: each face is met by one of them.
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let group = |[p, q]: [f64; 2]| {
        // Along x at (y, z) = (p, q), along y at (z, x) = (−q, r), along z at (x, y) = (−r, −p).
        let r = p * q;
        vec![edge(0, [p, q]), edge(1, [-q, r]), edge(2, [-r, -p])]
    };
    signs.map(group).into()
}
