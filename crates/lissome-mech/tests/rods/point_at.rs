//! Any point of a rod against finite differences.

use crate::models::{DIFFERENCES, Random, all_models, moved, poses, twists};
use lissome_lie::{Pose, Wrench};
use lissome_mech::rod::curve::course::Course;
use lissome_mech::rod::{Rod, RodScratch};
use nalgebra::{DVector, Matrix3x6, Vector6};

/// Motion of the point at s when the control poses move along x.
fn motion(rod: &Rod, at: &[Pose], s: f64, x: &DVector<f64>, h: f64) -> Vector6<f64> {
    let rest = rod.point_at(s, at).pose;
    rod.point_at(s, &moved(at, x, h)).pose.boxminus(&rest).to_vector()
}

#[test]
fn jacobian_and_second_order_term_are_derivatives() {
    for (seed, model) in all_models().iter().enumerate() {
        let random = &mut Random(500 + seed as u64);
        let rod = model.rod(4, random);
        let at = poses(&rod, random);
        let n = 6 * at.len();
        for _ in 0..100 {
            let s = rod.curve().length() * 0.5 * (1.0 + random.next());
            let point = rod.point_at(s, &at);
            let x = DVector::from_fn(n, |_, _| random.next());
            let own = x.rows(6 * point.poses().start(), 6 * point.poses().clone().count()).into_owned();
            // ζ(x) = J x + ½ x·∂²ζ·x + …; the sum of both signs leaves the second order, the difference the first.
            let (h1, h2) = (1e-5, 1e-3);
            let first = (motion(&rod, &at, s, &x, h1) - motion(&rod, &at, s, &x, -h1)) / (2.0 * h1);
            let velocity = point.velocity(&twists(&x)).to_vector();
            let apart = (first - velocity).amax();
            assert!(apart < DIFFERENCES, "{}: Jacobian off by {apart:e} at {s}", model.name);

            let (wrench, moves) = (Wrench::new(random.vector(), random.vector()), point.motion());
            let pulled: f64 =
                (0..=model.degree).map(|m| moves.pulled(m, &wrench).to_vector().dot(&own.fixed_rows::<6>(6 * m))).sum();
            assert!((pulled - wrench.to_vector().dot(&velocity)).abs() < 1e-12);
            let rows = Matrix3x6::from_fn(|_, _| random.next());
            point.visit_rows(&rows, &mut |m, pulled| {
                let apart = (pulled - rows * moves.jacobian(m)).amax();
                assert!(apart < 1e-13, "{}: rows of pose {m} off by {apart:e} at {s}", model.name);
            });

            let second = point.second_order(&wrench);
            let mut exact = 0.0;
            for l in 0..=model.degree {
                for m in 0..=model.degree {
                    let block = second.block(l, m);
                    let asymmetry = (block - second.block(m, l).transpose()).amax();
                    assert!(asymmetry < 1e-13, "{}: blocks {l}, {m} differ by {asymmetry:e}", model.name);
                    exact += own.fixed_rows::<6>(6 * l).dot(&(block * own.fixed_rows::<6>(6 * m)));
                }
            }
            // Two widths, so that the error of h² drops out (Richardson): round-off 1e-16/h² ≈ 1e-9 is left.
            let curve = |h: f64| {
                let both = motion(&rod, &at, s, &x, h) + motion(&rod, &at, s, &x, -h);
                wrench.to_vector().dot(&both) / (h * h)
            };
            let finite = (4.0 * curve(h2) - curve(2.0 * h2)) / 3.0;
            let apart = (finite - exact).abs();
            assert!(apart < DIFFERENCES, "{}: second order off by {apart:e} at {s}", model.name);
        }
    }
}

/// At the quadrature points it is the curve of inertia and line loads; at the ends it is the first and the last pose.
#[test]
fn points_lie_on_the_curve_of_inertia() {
    for (seed, model) in all_models().iter().enumerate() {
        let random = &mut Random(700 + seed as u64);
        let rod = model.rod(4, random);
        let at = poses(&rod, random);
        let mut scratch = RodScratch::new(&rod);
        rod.fill_increments(&at, &mut scratch);
        for q in 0..rod.curve().point_count() {
            let own = rod.curve().point_pose(q, &at, &scratch.psi);
            let apart = rod.point_at(rod.curve().point_place(q), &at).pose.boxminus(&own).to_vector().amax();
            assert!(apart < 1e-14, "{}: {apart:e} at point {q}", model.name);
        }
        let ends = [(0.0, at[0]), (rod.curve().length(), at[at.len() - 1])];
        for (s, pose) in ends {
            assert!(rod.point_at(s, &at).pose.boxminus(&pose).to_vector().amax() < 1e-14, "{}: end {s}", model.name);
        }
    }
}

#[test]
fn tangent_of_a_course_and_its_change_are_derivatives() {
    for (seed, model) in all_models().iter().enumerate() {
        let random = &mut Random(700 + seed as u64);
        let rod = model.rod(4, random);
        let at = poses(&rod, random);
        let mut course = Course::new(rod.curve(), &at);
        for _ in 0..100 {
            let knots = rod.curve().knot_vector();
            let span = knots.find_span(rod.curve().length() * 0.5 * (1.0 + random.next()));
            let (from, to) = (knots.knots()[span], knots.knots()[span + 1]);
            // Inside a span, beyond whose ends derivatives may step.
            let (h, middle) = (1e-4 * (to - from), 0.5 * (from + to));
            let s = middle + 0.49 * (to - from) * random.next();
            let (here, before, after) = (course.at(s), course.at(s - h), course.at(s + h));
            assert!((here.position - rod.point_at(s, &at).pose.position).amax() < 1e-13, "{}", model.name);
            let first = (after.position - before.position) / (2.0 * h);
            let second = (after.first - before.first) / (2.0 * h);
            // h² times the third derivative, which is of the order of the second by the length of a span.
            let scale = here.first.amax().max(1.0) + here.second.amax() * (to - from);
            let (off, bends) = ((first - here.first).amax(), (second - here.second).amax() * (to - from));
            assert!(off < 1e-6 * scale && bends < 1e-6 * scale, "{}: {off:e}, {bends:e} at {s}", model.name);
        }
    }
}
