//! Distances of solids against sampled surfaces, derivatives against differences, and no dependence on where it all stands.
#![allow(clippy::unwrap_used)]

mod support;

use lissome_geometry::*;
use lissome_lie::Pose;
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use support::*;

/// A wavy surface.
#[derive(Clone, Copy)]
struct Waves;

impl Graph for Waves {
    fn at(&self, x: f64, y: f64) -> GraphPoint {
        let (sx, cx) = (2.0 * x).sin_cos();
        let (sy, cy) = (1.5 * y + 0.4).sin_cos();
        let size = 0.2;
        GraphPoint {
            value: size * sx * sy,
            slope: Vector2::new(2.0 * size * cx * sy, 1.5 * size * sx * cy),
            bend: Matrix2::new(-4.0 * sx * sy, 3.0 * cx * cy, 3.0 * cx * cy, -2.25 * sx * sy) * size,
        }
    }
    fn range(&self) -> [f64; 2] {
        [-0.2, 0.2]
    }
    fn spacing(&self) -> f64 {
        0.2
    }
}

fn hills() -> HeightField {
    let mut random = Random(5);
    let heights = (0..9 * 7).map(|_| random.between(-0.1, 0.1)).collect();
    HeightField::new(Vector2::new(-1.6, -1.2), Vector2::new(0.4, 0.4), 9, heights).unwrap()
}

/// Points of a circle around a direction.
fn ring(centre: Vector3<f64>, along: Vector3<f64>, radius: f64) -> impl Iterator<Item = Vector3<f64>> {
    let across = along.cross(&Vector3::new(0.3, -0.5, 0.8)).normalize();
    let other = along.normalize().cross(&across);
    (0..90).map(move |k| {
        let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / 90.0).sin_cos();
        centre + (across * cos + other * sin) * radius
    })
}

/// Runs a check on every solid, with points of its surface for comparison.
fn each_solid(mut check: impl FnMut(&str, &dyn Fn(&Vector3<f64>) -> Nearest, &[Vector3<f64>], f64)) {
    let mut run = |name: &str, solid: &dyn Fn(&Vector3<f64>) -> Nearest, surface: Vec<Vector3<f64>>, spacing: f64| {
        check(name, solid, &surface, spacing);
    };
    let grid = |n: usize| (0..=n).map(move |i| i as f64 / n as f64);
    let turns = |n: usize| grid(n).map(|x| x * std::f64::consts::TAU);
    let sphere = Sphere { radius: 0.7 };
    let directions: Vec<Vector3<f64>> =
        turns(120).flat_map(|a| grid(60).map(move |b| ball(a, (b - 0.5) * std::f64::consts::PI))).collect();
    run("sphere", &|x| sphere.nearest(x), directions.iter().map(|d| d * 0.7).collect(), 0.04);
    let capsule = Capsule { ends: [Vector3::new(-0.4, 0.1, 0.0), Vector3::new(0.5, 0.2, 0.3)], radius: 0.3 };
    let [a, b] = capsule.ends;
    let mut surface: Vec<Vector3<f64>> = grid(60).flat_map(|t| ring(a + (b - a) * t, b - a, 0.3)).collect();
    surface.extend(directions.iter().flat_map(|d| [a + d * 0.3, b + d * 0.3]));
    // Points of a ball at an end that lie within the rest.
    surface.retain(|x| capsule.nearest(x).distance > -1e-9);
    run("capsule", &|x| capsule.nearest(x), surface, 0.03);
    let cylinder = Cylinder { radius: 0.5, half_length: 0.6 };
    let mut surface: Vec<Vector3<f64>> = Vec::new();
    for angle in turns(160) {
        let out = Vector3::new(angle.cos(), angle.sin(), 0.0);
        surface.extend(grid(60).map(|t| out * 0.5 + Vector3::z() * (1.2 * t - 0.6)));
        surface.extend(grid(30).flat_map(|t| [0.6, -0.6].map(|z| out * (0.5 * t) + Vector3::z() * z)));
    }
    run("cylinder", &|x| cylinder.nearest(x), surface, 0.02);
    let cuboid = Cuboid { half: Vector3::new(0.5, 0.3, 0.7) };
    let mut surface = Vec::new();
    for axis in 0..3 {
        for (u, v) in grid(50).flat_map(|u| grid(50).map(move |v| (2.0 * u - 1.0, 2.0 * v - 1.0))) {
            for side in [-1.0, 1.0] {
                let mut point = Vector3::zeros();
                (point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3]) = (side, u, v);
                surface.push(point.component_mul(&cuboid.half));
            }
        }
    }
    run("box", &|x| cuboid.nearest(x), surface, 0.03);
    let plane = |n: usize| grid(n).flat_map(move |u| grid(n).map(move |v| (4.0 * u - 2.0, 4.0 * v - 2.0)));
    run("plane", &|x| HalfSpace.nearest(x), plane(130).map(|(u, v)| Vector3::new(u, v, 0.0)).collect(), 0.032);
    let waves = UnderGraph(Waves);
    run(
        "waves",
        &|x| waves.nearest(x),
        plane(200).map(|(u, v)| Vector3::new(u, v, Waves.at(u, v).value)).collect(),
        0.03,
    );
    let field = UnderGraph(hills());
    let surface = plane(200).map(|(u, v)| Vector3::new(u, v, field.0.at(u, v).value)).collect();
    run("height field", &|x| field.nearest(x), surface, 0.03);
    let tube = Tube { curve: Helix::default(), radius: 0.15 };
    let mut surface = Vec::new();
    for t in grid(400) {
        let place = tube.curve.at(tube.curve.range()[1] * t);
        surface.extend(ring(place.position, place.first, 0.15));
    }
    let ends = tube.curve.range().map(|s| tube.curve.at(s).position);
    surface.extend(directions.iter().flat_map(|d| ends.map(|end| end + d * 0.15)));
    surface.retain(|x| tube.nearest(x).distance > -1e-9);
    run("tube", &|x| tube.nearest(x), surface, 0.02);
    let mesh = star();
    run("mesh", &|x| mesh.nearest(x), sampled(&mesh, 12), 0.05);
}

#[test]
fn distances_agree_with_sampled_surfaces() {
    each_solid(|name, nearest, surface, spacing| {
        let mut random = Random(1);
        for _ in 0..120 {
            let x = random.vector(1.0);
            let own = nearest(&x);
            let sampled = surface.iter().map(|y| (x - y).norm()).fold(f64::INFINITY, f64::min);
            // Samples are on the surface, so none is nearer; and one is within the spacing of the nearest point.
            let off = sampled - own.distance.abs();
            assert!(off > -1e-9, "{name} at {x:?}: {} but a sample at {sampled}", own.distance);
            assert!(off < spacing, "{name} at {x:?}: {} but the nearest sample at {sampled}", own.distance);
            // The nearest point is on the surface, and the normal is a unit vector.
            assert!(nearest(&own.point(&x)).distance.abs() < 1e-9, "{name} at {x:?}");
            assert!((own.normal.norm() - 1.0).abs() < 1e-9, "{name} at {x:?}");
        }
    });
}

#[test]
fn derivatives_agree_with_differences() {
    each_solid(|name, nearest, _, _| {
        let mut random = Random(2);
        let h = 1e-5;
        let mut seen = 0;
        for _ in 0..200 {
            let x = random.vector(1.0);
            let own = nearest(&x);
            let beside = |i: usize, by: f64| nearest(&(x + Vector3::from_fn(|k, _| if k == i { by } else { 0.0 })));
            let ahead: [Nearest; 3] = std::array::from_fn(|i| beside(i, h));
            let behind: [Nearest; 3] = std::array::from_fn(|i| beside(i, -h));
            // Where the nearest feature changes between the two, or the point is next to an edge or a centre, nothing is
            // smooth.
            let apart = ahead.iter().chain(&behind).any(|other| (other.normal - own.normal).norm() > 1e-3);
            let kink = ahead.iter().chain(&behind).any(|other| (other.curvature - own.curvature).amax() > 1e-2);
            if apart || kink {
                continue;
            }
            seen += 1;
            for i in 0..3 {
                let slope = (ahead[i].distance - behind[i].distance) / (2.0 * h);
                // Second order: h²/6 of a third derivative, which goes with the square of the curvature.
                assert!((slope - own.normal[i]).abs() < 1e-6, "{name} {x:?}: {slope} {:?}", own.normal);
                let bend = (ahead[i].normal - behind[i].normal) / (2.0 * h);
                let off = (bend - own.curvature.column(i)).amax();
                assert!(
                    off < 1e-5 * (1.0 + own.curvature.amax().powi(3)),
                    "{name} {x:?} {i}: {off:e} {}",
                    own.curvature
                );
            }
            assert!((own.curvature - own.curvature.transpose()).amax() < 1e-9 * (1.0 + own.curvature.amax()), "{name}");
        }
        assert!(seen > 100, "{name}: {seen}");
    });
}

#[test]
fn distances_do_not_depend_on_where_it_all_stands() {
    let mut random = Random(3);
    for _ in 0..200 {
        let (pose, x) = (Pose::exp(&random.twist(2.0)), random.vector(1.0));
        let solid = Cylinder { radius: 0.4, half_length: 0.3 };
        let (own, moved) = (solid.nearest(&x), Placed { pose, solid }.nearest(&pose.transform(&x)));
        let turn = pose.rotation.matrix();
        assert!((own.distance - moved.distance).abs() < 1e-12);
        assert!((turn * own.normal - moved.normal).norm() < 1e-9);
        let curved: Matrix3<f64> = turn * own.curvature * turn.transpose();
        assert!((curved - moved.curvature).amax() < 1e-9 * (1.0 + curved.amax()));
        assert!((own.point(&x) - pose.inverse().transform(&moved.point(&pose.transform(&x)))).norm() < 1e-12);
        // A mesh whose corners were moved is the mesh moved.
        let (mesh, there) = (star(), star_at(&pose));
        let (own, moved) = (mesh.nearest(&x), there.nearest(&pose.transform(&x)));
        assert!((own.distance - moved.distance).abs() < 1e-12);
        let bounds = Placed { pose, solid: mesh }.bounds();
        assert!(there.triangles().flatten().all(|corner| bounds.grown(1e-12).holds(&corner)));
    }
}

#[test]
fn a_bore_is_closed_at_its_wall_and_open_at_its_ends() {
    let bore = Bore { curve: Helix::default(), radius: 0.2 };
    let mut random = Random(4);
    for _ in 0..200 {
        let s = random.between(0.3, 5.5);
        let place = bore.curve.at(s);
        let across = place.first.cross(&random.vector(1.0)).normalize();
        let off = random.between(0.0, 0.3);
        let x = place.position + across * off;
        let gap = bore.gap(&x).unwrap();
        assert!((gap.distance - (0.04 - off * off) / 0.4).abs() < 1e-9, "{off} {}", gap.distance);
        let h = 1e-6;
        for i in 0..3 {
            let beside = |by: f64| bore.gap(&(x + Vector3::from_fn(|k, _| if k == i { by } else { 0.0 }))).unwrap();
            let (ahead, behind) = (beside(h), beside(-h));
            assert!(((ahead.distance - behind.distance) / (2.0 * h) - gap.normal[i]).abs() < 1e-7);
            let bend = (ahead.normal - behind.normal) / (2.0 * h);
            assert!((bend - gap.curvature.column(i)).amax() < 1e-5, "{i}");
        }
    }
    let place = bore.curve.at(0.0);
    assert!(bore.gap(&(place.position - place.first * 0.1)).is_none());
    // On the axis there is a gap with a gradient of zero.
    let middle = bore.gap(&bore.curve.at(3.0).position).unwrap();
    assert!((middle.distance - 0.1).abs() < 1e-12 && middle.normal.norm() < 1e-9);
}

#[test]
fn inside_and_outside_of_meshes_agree_with_winding_numbers() {
    let mesh = star();
    let mut random = Random(6);
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..3000 {
        let x = random.vector(1.0);
        let distance = mesh.nearest(&x).distance;
        if distance.abs() < 1e-6 {
            continue;
        }
        let turns: f64 =
            mesh.triangles().map(|corners| solid_angle(&x, &corners)).sum::<f64>() / (4.0 * std::f64::consts::PI);
        assert!((turns - if distance < 0.0 { 1.0 } else { 0.0 }).abs() < 1e-6, "{x:?}: {turns} {distance}");
        if distance < 0.0 { inside += 1 } else { outside += 1 }
    }
    assert!(inside > 100 && outside > 100, "{inside} {outside}");
}

#[test]
fn faulty_meshes_and_fields_are_refused() {
    let corners = || vec![Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
    let whole = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    assert!(Mesh::new(corners(), whole.clone()).is_ok());
    let fault = |corners, triangles| Mesh::new(corners, triangles).unwrap_err();
    assert_eq!(fault(corners(), Vec::new()), MeshFault::Empty);
    assert!(matches!(fault(corners(), whole[..3].to_vec()), MeshFault::Open { .. }));
    let turned: Vec<[u32; 3]> = whole.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    assert_eq!(fault(corners(), turned.clone()), MeshFault::InsideOut);
    let mut mixed = whole.clone();
    mixed[1] = turned[1];
    assert!(matches!(fault(corners(), mixed), MeshFault::Twisted { .. }));
    assert_eq!(fault(corners(), vec![[0, 1, 9]]), MeshFault::NoSuchCorner { triangle: 0 });
    assert_eq!(fault(corners(), vec![[0, 1, 1]]), MeshFault::Degenerate { triangle: 0 });
    let mut far = corners();
    far[2].x = f64::NAN;
    assert_eq!(fault(far, whole), MeshFault::NotFinite { corner: 2 });
    let field = |spacing: f64, columns, heights: Vec<f64>| {
        HeightField::new(Vector2::zeros(), Vector2::new(spacing, 1.0), columns, heights).map(|_| ())
    };
    assert_eq!(field(1.0, 2, vec![0.0; 4]), Ok(()));
    assert_eq!(field(1.0, 2, vec![0.0; 5]), Err(HeightFault::Size));
    assert_eq!(field(1.0, 1, vec![0.0; 5]), Err(HeightFault::Size));
    assert_eq!(field(-1.0, 2, vec![0.0; 4]), Err(HeightFault::Spacing));
    assert_eq!(field(1.0, 2, vec![0.0, f64::NAN, 0.0, 0.0]), Err(HeightFault::NotFinite { index: 1 }));
}
