//! Joints in absolute coordinates: what each forbids, and along what its reaction does no work.
//!
//! | symbol | meaning | code | axes |
//! |---|---|---|---|
//! | R, p | rotation and origin of the child's frame | `seen` | parent_from_child |
//! | q | coordinates | `coordinates` | – |
//! | a, b | axes: a of the parent, b of the child | | own |
//! | m, f | reaction of the parent on the child, about the child's origin | `moment`, `force` | parent |
//!
//! Each kind has 6 − d equations for (R, p) and d equations for (m, f): the part of the reaction that works on q̇ is what
//! spring and effort leave. The coordinates of the planar and the free joint are the rotation vector θ, R = exp θ, and the
//! position p. The angular velocity is Vᵀ θ̇ in the child's axes, so that the efforts are V Rᵀ m on θ̇ and f on ṗ.

use super::exponential::mean_turn;
use super::place::Place;
use crate::quaternion::Quaternion;
use nalgebra::Vector3;

/// What a joint allows. Axes are unit vectors of the joint's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Nothing.
    Fixed,
    /// A turn about an axis; angles are taken in (−π, π].
    Revolute(Vector3<f64>),
    /// A shift along an axis.
    Prismatic(Vector3<f64>),
    /// A turn about an axis and a shift along it.
    Cylindrical(Vector3<f64>),
    /// A turn about the first axis, fixed in the parent, then about the second, fixed in the child.
    Universal(Vector3<f64>, Vector3<f64>),
    /// Any turn; its coordinates are the rotation vector, in [−π, π].
    Spherical,
    /// A turn about the normal x × y, and the position along x and y.
    Planar(Vector3<f64>, Vector3<f64>),
    /// Anything: the rotation vector, and the position. With a spring, an elastic bushing.
    Free,
}

/// Whether a coordinate is an angle or a length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coordinate {
    Angle,
    Shift,
}

impl JointKind {
    /// Number of coordinates.
    pub fn freedoms(&self) -> usize {
        self.measures().len()
    }

    pub(crate) fn measures(&self) -> &'static [Coordinate] {
        use Coordinate::{Angle, Shift};
        match self {
            Self::Fixed => &[],
            Self::Revolute(_) => &[Angle],
            Self::Prismatic(_) => &[Shift],
            Self::Cylindrical(_) => &[Angle, Shift],
            Self::Universal(..) => &[Angle, Angle],
            Self::Spherical => &[Angle, Angle, Angle],
            Self::Planar(..) => &[Angle, Shift, Shift],
            Self::Free => &[Angle, Angle, Angle, Shift, Shift, Shift],
        }
    }

    /// The child as seen from the parent at given coordinates.
    pub(crate) fn placed(&self, q: &[f64]) -> Place {
        let about = |axis: &Vector3<f64>, angle: f64| Quaternion::from_rotation_vector(&(axis * angle));
        let turned = |q: Quaternion| Place { q, p: Vector3::zeros() };
        match self {
            Self::Fixed => Place::origin(),
            Self::Revolute(a) => turned(about(a, q[0])),
            Self::Prismatic(a) => Place { q: Quaternion::identity(), p: a * q[0] },
            Self::Cylindrical(a) => Place { q: about(a, q[0]), p: a * q[1] },
            Self::Universal(a, b) => turned(about(a, q[0]).times(about(b, q[1]))),
            Self::Spherical => turned(about(&Vector3::new(q[0], q[1], q[2]), 1.0)),
            Self::Planar(x, y) => Place { q: about(&x.cross(y), q[0]), p: x * q[1] + y * q[2] },
            Self::Free => Place { q: about(&Vector3::new(q[0], q[1], q[2]), 1.0), p: Vector3::new(q[3], q[4], q[5]) },
        }
    }

    /// The coordinates of a child as seen from its parent.
    pub(crate) fn coordinates(&self, seen: &Place) -> Vec<f64> {
        let r = seen.q.matrix();
        let turn_about = |axis: &Vector3<f64>| angle_about(axis, &across(axis).0, &(r * across(axis).0));
        match self {
            Self::Fixed => Vec::new(),
            Self::Revolute(a) => vec![turn_about(a)],
            Self::Prismatic(a) => vec![a.dot(&seen.p)],
            Self::Cylindrical(a) => vec![turn_about(a), a.dot(&seen.p)],
            // R b has turned about a alone, Rᵀ a about b alone (backwards).
            Self::Universal(a, b) => {
                vec![angle_about(a, b, &(r * b)), -angle_about(b, a, &(r.transpose() * a))]
            }
            Self::Spherical => seen.q.rotation_vector().as_slice().to_vec(),
            Self::Planar(x, y) => {
                vec![turn_about(&x.cross(y)), x.dot(&seen.p), y.dot(&seen.p)]
            }
            Self::Free => seen.q.rotation_vector().iter().chain(seen.p.iter()).copied().collect(),
        }
    }

    /// What the joint forbids: 6 − d numbers that must vanish.
    pub(crate) fn forbidden(&self, seen: &Place) -> Vec<f64> {
        let r = seen.q.matrix();
        let all_turns = || seen.q.rotation_vector().as_slice().to_vec();
        let all_shifts = || seen.p.as_slice().to_vec();
        // The two components of a vector across an axis.
        let off = |axis: &Vector3<f64>, v: Vector3<f64>| {
            let (x, y) = across(axis);
            vec![x.dot(&v), y.dot(&v)]
        };
        match self {
            Self::Fixed => [all_turns(), all_shifts()].concat(),
            Self::Revolute(a) => [off(a, r * a), all_shifts()].concat(),
            Self::Prismatic(a) => [all_turns(), off(a, seen.p)].concat(),
            Self::Cylindrical(a) => [off(a, r * a), off(a, seen.p)].concat(),
            Self::Universal(a, b) => [vec![a.dot(&(r * b)) - a.dot(b)], all_shifts()].concat(),
            Self::Spherical => all_shifts(),
            Self::Planar(x, y) => {
                let normal = x.cross(y);
                [off(&normal, r * normal), vec![normal.dot(&seen.p)]].concat()
            }
            Self::Free => Vec::new(),
        }
    }

    /// The part of the reaction along each freedom, conjugate to its coordinate.
    pub(crate) fn efforts(&self, seen: &Place, moment: &Vector3<f64>, force: &Vector3<f64>) -> Vec<f64> {
        let r = seen.q.matrix();
        let on_turn = || mean_turn(&seen.q.rotation_vector()) * (r.transpose() * moment);
        match self {
            Self::Fixed => Vec::new(),
            Self::Revolute(a) => vec![a.dot(moment)],
            Self::Prismatic(a) => vec![a.dot(force)],
            Self::Cylindrical(a) => vec![a.dot(moment), a.dot(force)],
            Self::Universal(a, b) => vec![a.dot(moment), (r * b).dot(moment)],
            Self::Spherical => on_turn().as_slice().to_vec(),
            Self::Planar(x, y) => {
                vec![x.cross(y).dot(moment), x.dot(force), y.dot(force)]
            }
            Self::Free => on_turn().iter().chain(force.iter()).copied().collect(),
        }
    }
}

/// Two unit vectors that complete a unit vector to right-handed axes.
fn across(axis: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let x = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize();
    (x, axis.cross(&x))
}

/// Angle about `axis` from one vector to another, as seen along it.
fn angle_about(axis: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> f64 {
    axis.dot(&from.cross(to)).atan2(from.dot(to) - axis.dot(from) * axis.dot(to))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn kinds() -> Vec<(JointKind, Vec<f64>)> {
        let a = Vector3::new(0.6, 0.0, 0.8);
        let b = Vector3::new(-0.8, 0.0, 0.6);
        vec![
            (JointKind::Fixed, vec![]),
            (JointKind::Revolute(a), vec![0.7]),
            (JointKind::Prismatic(a), vec![-0.3]),
            (JointKind::Cylindrical(a), vec![-1.1, 0.4]),
            (JointKind::Universal(a, b), vec![0.5, -0.9]),
            (JointKind::Universal(a, Vector3::new(0.8, 0.0, 0.6)), vec![0.5, -0.9]),
            (JointKind::Spherical, vec![0.4, -0.8, 1.1]),
            (JointKind::Planar(a, b), vec![0.6, 0.2, -0.5]),
            (JointKind::Free, vec![0.3, 0.9, -0.4, 0.1, -0.7, 0.2]),
        ]
    }

    #[test]
    fn a_placed_joint_forbids_nothing_and_returns_its_coordinates() {
        for (kind, q) in kinds() {
            let seen = kind.placed(&q);
            let rows = kind.forbidden(&seen);
            assert_eq!(rows.len() + kind.freedoms(), 6);
            assert!(rows.iter().all(|x| x.abs() < 1e-15), "{kind:?} {rows:?}");
            let back = kind.coordinates(&seen);
            assert_eq!(back.len(), q.len());
            assert!(back.iter().zip(&q).all(|(x, y)| (x - y).abs() < 1e-14), "{kind:?} {back:?}");
        }
    }

    #[test]
    fn efforts_do_the_work_of_the_reaction() {
        let (moment, force) = (Vector3::new(0.3, -0.5, 0.9), Vector3::new(-0.7, 0.2, 0.4));
        // Central differences: truncation h² and rounding 1e-16/h, both under 1e-9.
        let h = 1e-5;
        for (kind, q) in kinds() {
            let seen = kind.placed(&q);
            for (i, effort) in kind.efforts(&seen, &moment, &force).into_iter().enumerate() {
                let at = |step: f64| {
                    let mut moved = q.clone();
                    moved[i] += step;
                    kind.placed(&moved)
                };
                let rate = at(-h).gap_to(&at(h)) / (2.0 * h);
                let power = moment.dot(&rate.fixed_rows::<3>(0)) + force.dot(&rate.fixed_rows::<3>(3));
                assert!((effort - power).abs() < 1e-9, "{kind:?} {i}: {effort} {power}");
            }
        }
    }
}
