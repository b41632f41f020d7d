//! What rods on strain bases are made of: the step and its derivatives, the quadrature, the basis itself.

use crate::models::{Random, all_models};
use lissome_lie::{Pose, Strain, Twist};
use lissome_mech::field::magnus_step;
use lissome_mech::rod::Carried;
use lissome_mech::rod::strain_basis::basis::gauss;
use lissome_mech::rod::strain_basis::magnus::{MOMENTS, MagnusStep, PLACES, increment};
use lissome_model::NaturalShape;
use nalgebra::{Vector3, Vector6};

fn moments() -> [Vector6<f64>; 3] {
    [
        Vector6::new(0.4, -0.7, 0.3, 0.9, 0.1, -0.2),
        Vector6::new(-0.5, 0.6, 0.8, 0.2, -0.3, 0.4),
        Vector6::new(0.3, 0.2, -0.6, -0.1, 0.5, 0.7),
    ]
}

fn moved(by: &[Vector6<f64>; 3], h: f64) -> [Vector6<f64>; 3] {
    let at = moments();
    std::array::from_fn(|k| at[k] + by[k] * h)
}

fn direction(seed: usize) -> [Vector6<f64>; 3] {
    std::array::from_fn(|k| Vector6::from_fn(|i, _| ((seed + 7 * k + 3 * i) as f64 * 1.7).sin()))
}

#[test]
fn it_is_the_step_of_the_house() {
    let strain = |s: f64| {
        let (k, e) = (Vector3::new(1.0 + s, (2.0 * s).sin(), s * s), Vector3::new(1.0, 0.2 * s, -0.1));
        Strain::new(k, e)
    };
    let (s, h) = (0.2, 0.7);
    let at = PLACES.map(|place| strain(s + place * h).to_vector() * h);
    let alpha = MOMENTS.map(|row| at[0] * row[0] + at[1] * row[1] + at[2] * row[2]);
    let other = magnus_step(Pose::identity(), strain, s, h);
    let own = Pose::exp(&Twist::from_vector(&increment(&alpha)));
    assert!(own.boxminus(&other).to_vector().amax() < 1e-14);
    assert!((MagnusStep::at(&alpha).increment - increment(&alpha)).amax() == 0.0);
}

/// Central differences: h² truncation and 1e-16/h round-off leave about 1e-10.
#[test]
fn derivatives_are_those_of_the_increment() {
    let (h, step) = (1e-5, MagnusStep::at(&moments()));
    let lambda = Vector6::new(0.7, -1.1, 0.4, 0.9, 1.3, -0.6);
    for seed in 0..6 {
        let (a, b) = (direction(seed), direction(seed + 50));
        let finite = (increment(&moved(&a, h)) - increment(&moved(&a, -h))) / (2.0 * h);
        let exact: Vector6<f64> = (0..3).map(|k| step.derivative[k] * a[k]).sum();
        assert!((finite - exact).amax() < 1e-9);
        let slope = |h: f64| {
            let step = MagnusStep::at(&moved(&a, h));
            (0..3).map(|k| lambda.dot(&(step.derivative[k] * b[k]))).sum::<f64>()
        };
        let curvature = step.curvature(&lambda);
        let exact: f64 =
            (0..3).flat_map(|k| (0..3).map(move |l| (k, l))).map(|(k, l)| a[k].dot(&(curvature[k][l] * b[l]))).sum();
        let finite = (slope(h) - slope(-h)) / (2.0 * h);
        assert!((finite - exact).abs() < 1e-9, "{finite} {exact}");
    }
}

/// A rule with n points is exact up to degree 2n − 1.
#[test]
fn gauss_rules_of_any_size_are_exact() {
    for points in 1..=17 {
        let rule = gauss(points);
        assert!(rule.windows(2).all(|pair| pair[0].abscissa < pair[1].abscissa));
        for degree in 0..2 * points as i32 {
            let sum: f64 = rule.iter().map(|point| point.weight * point.abscissa.powi(degree)).sum();
            let exact = 1.0 / f64::from(degree + 1);
            assert!((sum - exact).abs() < 1e-14, "{points} points, degree {degree}: {sum}");
        }
    }
    let table = lissome_lie::quadrature::gauss_legendre(8);
    for (own, other) in gauss(8).iter().zip(table) {
        assert!((own.abscissa - other.abscissa).abs() < 1e-15 && (own.weight - other.weight).abs() < 1e-15);
    }
}

/// The curve of any coordinates passes through the poses that are integrated, and these coordinates are found again in its
/// increments where a basis has as many functions.
#[test]
fn coordinates_make_poses_and_poses_make_coordinates() {
    for (seed, model) in all_models().iter().enumerate() {
        let random = &mut Random(60 + seed as u64);
        let straight = lissome_model::Rod { natural: NaturalShape::Straight, ..model.scene_rod(3, random) };
        let rod = model.compile(&straight);
        let Some(own) = rod.strain_basis() else { continue };
        let blocks = own.basis().blocks.clone();
        // Small ones, so that brackets with each other do not count.
        let size = 1e-4;
        let q: Vec<Vector6<f64>> = blocks
            .iter()
            .map(|block| Vector6::from_fn(|i, _| if i < block.len() { size * random.next() } else { 0.0 }))
            .collect();
        let mut poses = vec![random.pose(); rod.curve().pose_count()];
        own.integrate(&q, &mut poses);
        let arc: Vec<f64> = (0..poses.len()).map(|i| rod.curve().knot_vector().greville(i)).collect();
        for (sample, pose) in rod.sample_at(&poses, Carried::of(&q), &arc).iter().zip(&poses) {
            assert!(sample.pose.boxminus(pose).to_vector().amax() < 1e-14, "{}: at {}", model.name, sample.s);
        }
        for (found, given) in own.coordinates_of_poses(&poses).iter().zip(&q) {
            // An increment is the integral of the strain but for (h³/12)[ξ′, ξ]: of a strain that changes by its own size
            // over a step of at most 0.3 m, less than a hundredth; a few steps add up.
            let apart = (found - given).amax();
            assert!(apart < 0.05 * size, "{}: {apart:e}", model.name);
        }
    }
}
