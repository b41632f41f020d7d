//! Bodies that stand in each other: what a path without contact between them may end with.

use lissome_lie::Pose;
use lissome_model::{Body, FrameOf, Mount, Outline, Scene, Solid};
use lissome_solve::BodyRecord;
use nalgebra::Vector3;

/// Solids are compared a little smaller than they are: what only touches does not overlap.
const SHRUNK: f64 = 0.98;
/// Steps of the search for a point that two solids share.
const STEPS: usize = 64;
/// Beyond so many bodies pairs are not looked at.
const MOST_BODIES: usize = 500;

/// Pairs of bodies that overlap in the one record and not in the other. Bodies that carry each other, rigidly or through a joint,
/// are made to meet.
pub fn new_pairs(scene: &Scene, before: &[BodyRecord], after: &[BodyRecord]) -> Vec<(usize, usize)> {
    let count = scene.bodies.len();
    if count > MOST_BODIES || before.len() != count || after.len() != count {
        return Vec::new();
    }
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let overlap = |records: &[BodyRecord], (a, b): (usize, usize)| {
        overlaps((&scene.bodies[a], &records[a].pose), (&scene.bodies[b], &records[b].pose))
    };
    pairs.filter(|pair| !are_joined(scene, *pair) && overlap(after, *pair) && !overlap(before, *pair)).collect()
}

/// True if one of two bodies stands on the other.
fn are_joined(scene: &Scene, (a, b): (usize, usize)) -> bool {
    let carrier = |body: usize| {
        let Mount::On(frame) = scene.bodies[body].mount else { return None };
        match frame.of {
            FrameOf::Body(other) => Some(other),
            FrameOf::Joint(joint) => match scene.joints[joint].parent.of {
                FrameOf::Body(other) => Some(other),
                _ => None,
            },
            _ => None,
        }
    };
    carrier(a) == Some(b) || carrier(b) == Some(a)
}

fn overlaps((a, at): (&Body, &Pose), (b, bt): (&Body, &Pose)) -> bool {
    let pairs = a.solids.iter().flat_map(|first| b.solids.iter().map(move |second| (first, second)));
    pairs.map(|(first, second)| (placed(first, at), placed(second, bt))).any(|(first, second)| meet(&first, &second))
}

/// A solid in the world.
struct Placed {
    pose: Pose,
    outline: Outline,
    /// Radius of a ball around it.
    reach: f64,
}

fn placed(solid: &Solid, body: &Pose) -> Placed {
    let reach = match solid.outline {
        Outline::Box { size } => 0.5 * size.norm(),
        Outline::Cylinder { radius, length } => radius.hypot(0.5 * length),
        Outline::Sphere { radius } => radius,
    };
    Placed { pose: *body * solid.pose, outline: solid.outline, reach }
}

impl Placed {
    /// The farthest point along a direction.
    fn support(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let d = self.pose.rotation.inverse_rotate(direction);
        let own = match self.outline {
            Outline::Box { size } => size.component_mul(&d.map(f64::signum)) * 0.5,
            Outline::Cylinder { radius, length } => {
                let across = Vector3::new(0.0, d.y, d.z).try_normalize(0.0).unwrap_or(Vector3::zeros());
                Vector3::x() * (0.5 * length * d.x.signum()) + across * radius
            }
            Outline::Sphere { radius } => d.try_normalize(0.0).unwrap_or(Vector3::x()) * radius,
        };
        self.pose.transform(&(own * SHRUNK))
    }
}

/// Do two convex solids share a point? A simplex of points of their difference is led towards zero, until it holds zero or no
/// point lies beyond it (Gilbert, Johnson and Keerthi).
fn meet(a: &Placed, b: &Placed) -> bool {
    let apart = a.pose.position - b.pose.position;
    if apart.norm() > a.reach + b.reach {
        return false;
    }
    let support = |direction: &Vector3<f64>| a.support(direction) - b.support(&-direction);
    let first = support(&if apart == Vector3::zeros() { Vector3::x() } else { apart });
    let (mut simplex, mut direction) = (vec![first], -first);
    for _ in 0..STEPS {
        let next = support(&direction);
        if next.dot(&direction) <= 0.0 {
            return false;
        }
        simplex.insert(0, next);
        match toward_zero(&simplex) {
            Some((smaller, ahead)) => (simplex, direction) = (smaller, ahead),
            None => return true,
        }
    }
    false
}

/// The part of a simplex, its newest corner first, that is nearest to zero, and the direction to zero from there; `None` if zero
/// is inside.
fn toward_zero(simplex: &[Vector3<f64>]) -> Option<(Vec<Vector3<f64>>, Vector3<f64>)> {
    let a = simplex[0];
    let ahead = |v: &Vector3<f64>| v.dot(&-a) > 0.0;
    match simplex[1..] {
        [b] => {
            let ab = b - a;
            match ahead(&ab) {
                true => across(&ab, &-a).map(|direction| (vec![a, b], direction)),
                false => Some((vec![a], -a)),
            }
        }
        [b, c] => {
            let (ab, ac) = (b - a, c - a);
            let normal = ab.cross(&ac);
            if ahead(&normal.cross(&ac)) && ahead(&ac) {
                across(&ac, &-a).map(|direction| (vec![a, c], direction))
            } else if ahead(&normal.cross(&ac)) || ahead(&ab.cross(&normal)) {
                toward_zero(&[a, b])
            } else if ahead(&normal) {
                Some((vec![a, b, c], normal))
            } else {
                Some((vec![a, c, b], -normal))
            }
        }
        [b, c, d] => {
            let (ab, ac, ad) = (b - a, c - a, d - a);
            let faces = [(ab.cross(&ac), [a, b, c]), (ac.cross(&ad), [a, c, d]), (ad.cross(&ab), [a, d, b])];
            let outside = faces.into_iter().find(|(normal, _)| ahead(normal));
            outside.and_then(|(_, face)| toward_zero(&face))
        }
        _ => Some((vec![a], -a)),
    }
}

/// From a line to zero, across it; `None` if zero lies on it.
fn across(line: &Vector3<f64>, to_zero: &Vector3<f64>) -> Option<Vector3<f64>> {
    let direction = line.cross(to_zero).cross(line);
    (direction.norm_squared() > 0.0).then_some(direction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissome_lie::Rotation;

    fn solid(outline: Outline, pose: Pose) -> Placed {
        placed(&Solid { outline, pose: Pose::identity() }, &pose)
    }

    #[test]
    fn solids_meet_where_they_overlap_and_not_where_they_touch() {
        let cube = Outline::Box { size: Vector3::repeat(2.0) };
        let at = |x: f64| Pose::at(Vector3::new(x, 0.1, -0.2));
        let tilted = Pose::new(Rotation::exp(&(Vector3::z() * 0.785)), Vector3::x() * 2.3);
        let origin = || solid(cube, Pose::identity());
        assert!(meet(&origin(), &solid(cube, at(1.9))));
        assert!(!meet(&origin(), &solid(cube, at(2.0))), "they touch");
        assert!(!meet(&origin(), &solid(cube, at(2.1))));
        // A corner reaches √2 toward the other.
        assert!(meet(&origin(), &solid(cube, tilted)));
        let ball = Outline::Sphere { radius: 0.5 };
        assert!(meet(&origin(), &solid(ball, at(1.4))) && !meet(&origin(), &solid(ball, at(1.55))));
        let pin = Outline::Cylinder { radius: 0.1, length: 4.0 };
        assert!(meet(&origin(), &solid(pin, at(2.8))) && !meet(&origin(), &solid(pin, at(3.1))));
        assert!(!meet(&origin(), &solid(pin, Pose::new(Rotation::exp(&(Vector3::z() * 1.57)), Vector3::x() * 1.2))));
        assert!(meet(&origin(), &solid(ball, Pose::identity())), "one in the other");
    }
}
