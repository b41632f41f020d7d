//! Edges, rims and axes that cross: their signed distance against that of the solids, found by sampling.
#![allow(clippy::unwrap_used)]

use lissome_geometry::ridge::{crossing, edges_of_box, joined};
use lissome_geometry::{Cuboid, HeightField, Mesh, Ridge, Solid};
use lissome_lie::{Pose, Rotation};
use nalgebra::{Vector2, Vector3};
use std::collections::BTreeSet;

/// Small deterministic generator: tests must not depend on a library's stream.
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
}

fn rim(radius: f64, height: f64) -> Ridge {
    Ridge::Rim { centre: Vector3::z() * height, axis: Vector3::z(), start: Vector3::x(), radius }
}

/// The twelve edges, and no two of a group on one side of the box.
#[test]
fn edges_of_a_group_share_no_side() {
    let half = Vector3::new(1.0, 2.0, 3.0);
    let groups = edges_of_box(&half);
    let mut middles = BTreeSet::new();
    for group in &groups {
        let mut sides = BTreeSet::new();
        for edge in group {
            let Ridge::Line { middle, faces: Some(faces), .. } = edge else { panic!("{edge:?}") };
            middles.insert(format!("{middle:?}"));
            faces.iter().for_each(|face| assert!((face.dot(middle) - face.abs().dot(&half)).abs() < 1e-15));
            assert!(faces.iter().all(|face| sides.insert(format!("{face:?}"))), "{group:?}");
        }
    }
    assert_eq!((groups.len(), middles.len()), (4, 12));
}

/// Lifted along the normal of a crossing, what overlaps comes apart: the distance grows by as much, through zero without a kink, and
/// is that of the nearest two points.
#[test]
fn the_distance_of_a_crossing_goes_through_zero() {
    let random = &mut Random(3);
    let edges: Vec<Ridge> = edges_of_box(&Vector3::new(0.5, 0.4, 0.3)).concat();
    let others: Vec<Ridge> = edges_of_box(&Vector3::new(0.3, 0.6, 0.4)).concat();
    let mut found = [0; 2];
    for k in 0..80_000 {
        let pose = Pose::new(Rotation::exp(&(random.vector() * 2.0)), random.vector().normalize() * 0.8);
        let one = edges[k % 12].moved(&pose);
        let (kind, two) = if k % 2 == 0 { (0, others[k / 12 % 12]) } else { (1, rim(0.5, 0.3)) };
        let Some(first) = crossing(&one, &two, k / 3 % (1 + kind)) else { continue };
        if first.distance.abs() > 0.1 {
            continue;
        }
        let lift = |by: f64| one.moved(&Pose::at(first.normal * by));
        for by in [-0.01, 0.01, 0.02] {
            let Some(next) = crossing(&lift(by), &two, k / 3 % (1 + kind)) else { continue };
            found[kind] += 1;
            let (rise, feet) = (next.distance - first.distance, next.feet[0] - next.feet[1]);
            // The normal of lines stays what it is; on a rim it turns, which is of second order.
            let bar = if kind == 0 { 1e-12 } else { 0.2 * by * by / 0.3 };
            assert!((rise - by).abs() < bar, "{k} {kind}: {rise} for {by}");
            assert!(
                (feet - next.normal * next.distance).norm() < 1e-10,
                "{k}: the way between the feet is along the normal"
            );
        }
    }
    assert!(found[0] > 30 && found[1] > 30, "{found:?}");
}

/// A side that is divided divides its edges; those of a box are twelve all the same, whatever the order and the direction of their parts.
#[test]
fn parts_of_an_edge_are_joined() {
    let whole = edges_of_box(&Vector3::new(0.5, 0.4, 0.3)).concat();
    let mut parts = Vec::new();
    for k in [2, 0, 3, 1] {
        for edge in &whole {
            let Ridge::Line { middle, along, half, radius, faces: Some([one, two]) } = *edge else {
                panic!("{edge:?}")
            };
            let middle = middle + along * (half * (0.5 * k as f64 - 0.75));
            let (along, faces) = if k == 0 { (-along, [two, one]) } else { (along, [one, two]) };
            parts.push(Ridge::Line { middle, along, half: 0.25 * half, radius, faces: Some(faces) });
        }
    }
    let joined = joined(parts);
    assert_eq!(joined.len(), 12);
    for edge in &whole {
        let same = |other: &&Ridge| {
            (other.ball().0 - edge.ball().0).norm() < 1e-14 && (other.ball().1 - edge.ball().1).abs() < 1e-14
        };
        assert_eq!(joined.iter().filter(same).count(), 1);
    }
}

/// Where a side of a box is not nearer, its distance is that of the edge, or of the corner at its end; behind the edge it goes on.
#[test]
fn how_a_point_leans_on_an_edge() {
    let random = &mut Random(5);
    let half = Vector3::new(0.5, 0.4, 0.3);
    let edges = edges_of_box(&half).concat();
    let (mut on_edges, mut on_corners) = (0, 0);
    for _ in 0..4000 {
        let at = random.vector();
        let nearest = Cuboid { half }.nearest(&at);
        let beyond = (0..3).filter(|axis| at[*axis].abs() > half[*axis]).count();
        let leaning = edges.iter().map(|edge| edge.leaning(&at).unwrap());
        let best = leaning.filter(|own| own.near.distance >= 0.0);
        let Some(best) = best.min_by(|a, b| a.near.distance.total_cmp(&b.near.distance)) else { continue };
        if beyond < 2 {
            continue;
        }
        assert_eq!(best.ends, beyond == 3);
        if best.ends {
            on_corners += 1
        } else {
            on_edges += 1
        }
        assert!((best.near.distance - nearest.distance).abs() < 1e-15);
        assert!((best.near.normal - nearest.normal).norm() < 1e-14 / nearest.distance);
        assert!((best.near.curvature - nearest.curvature).amax() < 1e-13 / nearest.distance.powi(2));
    }
    assert!(on_edges > 100 && on_corners > 100, "{on_edges} {on_corners}");
    let edge = edges.iter().find(|edge| edge.points_out(&Vector3::new(0.0, 1.0, 1.0), 0.0)).unwrap();
    assert!(
        !edge.points_out(&Vector3::new(0.0, -0.1, 1.0), 0.05) && edge.points_out(&Vector3::new(0.0, -0.04, 1.0), 0.05)
    );
    // Through the edge, and on into the box.
    for height in [0.1, 0.01, 1e-9, -1e-9, -0.01, -0.1] {
        let outward = Vector3::new(0.0, 0.6, 0.8);
        let own = edge.leaning(&(Vector3::new(0.2, 0.4, 0.3) + outward * height)).unwrap();
        assert!((own.near.distance - height).abs() < 1e-15 && (own.near.normal - outward).norm() < 1e-6);
    }
}

/// A rim that lies in the plane of an edge crosses it twice, at the places of the circle.
#[test]
fn a_rim_on_an_edge_crosses_it_twice() {
    let edge = Ridge::Line {
        middle: Vector3::new(0.0, 0.3, 0.0),
        along: Vector3::x(),
        half: 1.0,
        radius: 0.0,
        faces: Some([Vector3::z(), Vector3::y()]),
    };
    let upside_down = Pose::new(Rotation::exp(&(Vector3::x() * std::f64::consts::PI)), Vector3::zeros());
    let end = rim(0.5, 0.0).moved(&upside_down);
    let places: Vec<f64> = (0..2).map(|root| crossing(&end, &edge, root).unwrap().at[1]).collect();
    assert!((places[0] + 0.4).abs() < 1e-12 && (places[1] - 0.4).abs() < 1e-12, "{places:?}");
}

/// What stands out of a mesh and of heights.
#[test]
fn peaks_and_sharp_edges_are_those_that_stand_out() {
    // A cube with diagonals on its sides: those are no edges.
    let corner = |k: usize| Vector3::from_fn(|axis, _| if k >> axis & 1 == 1 { 1.0 } else { 0.0 });
    let corners: Vec<Vector3<f64>> = (0..8).map(corner).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let mesh = Mesh::new(corners, triangles).unwrap();
    assert_eq!((mesh.peaks().len(), mesh.sharp_edges(12).len(), mesh.sharp_edges(11).len()), (8, 12, 0));
    let turned = [1.5, 1.6].map(|angle| mesh.edges_turned(angle, 12).len());
    assert_eq!(turned, [12, 0], "they turn by a right angle");
    let heights = vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let field = HeightField::new(Vector2::new(-1.0, -1.0), Vector2::new(1.0, 1.0), 4, heights).unwrap();
    assert_eq!(field.peaks(), vec![Vector3::new(0.0, 0.0, 1.0)]);
}
