//! Cumulative curves of every degree on both groups with both retractions, against differences of poses.
#![allow(clippy::unwrap_used)]

mod oracle;

use lissome_lie::{
    Cayley, CubicHermite, CumulativeCurve, CurveError, Exponential, KnotVector, LieGroup, MAX_DEGREE, Pose, Retraction,
    Rotation, Strain, Twist,
};
use nalgebra::Vector3;
use oracle::{MatrixMap, Probe, assert_close, bend, slope};
use proptest::prelude::*;

/// Identities hold to rounding: products of up to five transports and increments of size one.
const IDENTITY: f64 = 1e-12;
/// Differences of fourth order with the steps below; also the rounding 1e-15/h² of the second ones, times 10² for
/// the inverse tangents of increments near π.
const DIFFERENCE: f64 = 1e-7;
/// Step along s: a span of 0.2 turns up to p·3.1 rad, ω ≈ 80 per unit of s, and (ωh)⁴/30 = 2e-9.
const STEP_ALONG: f64 = 2e-4;
/// Step of poses and of time, which move increments by O(1): h⁴/30 = 3e-14.
const STEP_POSE: f64 = 1e-3;

/// Increment angles: tiny, both sides of the switch at 0.01, moderate, near a half turn.
const TURNS: [f64; 4] = [1e-9, 0.01, 0.6, 3.1];

/// Non-uniform open knots with a doubled interior knot where the degree allows it, 4 spans on [0, 1].
fn knots(degree: usize) -> Vec<f64> {
    let mut u = vec![0.0; degree + 1];
    u.extend([0.2, 0.45]);
    u.extend(std::iter::repeat_n(0.7, degree.min(2)));
    u.extend(vec![1.0; degree + 1]);
    u
}

/// Control poses a `turn` apart (times 1 ± a little), so that neither retraction leaves its range.
fn poses<G: Probe, R: Retraction<G>>(count: usize, turn: f64) -> Vec<G> {
    let mut g = R::retract(&G::sample(0.8, 7));
    (0..count)
        .map(|i| {
            let here = g;
            g = R::plus(&g, &G::sample(turn * (1.0 - 0.1 * (i as f64).sin().abs()), i + 3));
            here
        })
        .collect()
}

struct Case<G> {
    knots: Vec<f64>,
    degree: usize,
    poses: Vec<G>,
}

impl<G: Probe> Case<G> {
    fn new<R: Retraction<G>>(degree: usize, turn: f64) -> Self {
        let knots = knots(degree);
        let count = KnotVector::new(degree, &knots).unwrap().control_count();
        Self { knots, degree, poses: poses::<G, R>(count, turn) }
    }

    fn curve<'a, R: Retraction<G>>(&'a self, poses: &'a [G]) -> CumulativeCurve<'a, G, R> {
        CumulativeCurve::new(KnotVector::new(self.degree, &self.knots).unwrap(), poses).unwrap()
    }
}

/// Inside each span and away from its ends, so that differences along s stay in it.
const PLACES: [f64; 5] = [0.05, 0.1301, 0.33, 0.61, 0.93];

fn every_case<G: Probe, R: MatrixMap<G>>(check: impl Fn(&Case<G>, &CumulativeCurve<G, R>, f64)) {
    for degree in 1..=MAX_DEGREE {
        for turn in TURNS {
            let case = Case::<G>::new::<R>(degree, turn);
            let curve = case.curve::<R>(&case.poses);
            for s in PLACES {
                check(&case, &curve, s);
            }
        }
    }
}

/// Body coordinates of `h` seen from `g`, whose first derivative is the body velocity and the second its rate.
fn seen_from<G: Probe>(g: &G, h: &G) -> Vec<f64>
where
    Exponential: Retraction<G>,
{
    G::components(&<Exponential as Retraction<G>>::minus(h, g).unwrap())
}

/// The product over *all* increments with the cumulative sums of the textbook, (12) of the paper.
fn product_is_the_definition<G: Probe, R: MatrixMap<G>>() {
    every_case::<G, R>(|case, curve, s| {
        let k = curve.knots();
        let span = k.find_span(s);
        let local = k.basis(span, s);
        let weight =
            |i: usize| if (span - case.degree..=span).contains(&i) { local[i + case.degree - span] } else { 0.0 };
        let mut g = case.poses[0].matrix();
        for i in 1..case.poses.len() {
            let cumulative: f64 = (i..case.poses.len()).map(weight).sum();
            let psi = R::minus(&case.poses[i], &case.poses[i - 1]).unwrap();
            g *= R::map(&G::hat(&(psi * cumulative)));
        }
        assert_close("pose", curve.pose(s).matrix().as_slice(), g.as_slice(), IDENTITY);
    });
}

fn strains_are_derivatives<G: Probe, R: MatrixMap<G>>()
where
    Exponential: Retraction<G>,
{
    every_case::<G, R>(|_, curve, s| {
        let here = curve.pose(s);
        let strain = G::components(&curve.strain(s));
        let first = slope(STEP_ALONG, |h| seen_from(&here, &curve.pose(s + h)));
        assert_close("strain", &strain, &first, DIFFERENCE);
        let (segment, basis) = curve.at(s);
        let second = slope(STEP_ALONG, |h| G::components(&curve.strain(s + h)));
        assert_close("strain slope", &G::components(&segment.strain_slope(&basis)), &second, DIFFERENCE);
    });
}

fn motion_is_the_derivative_by_time<G: Probe, R: MatrixMap<G>>()
where
    Exponential: Retraction<G>,
{
    every_case::<G, R>(|case, curve, s| {
        let count = case.poses.len();
        let velocities: Vec<_> = (0..count).map(|i| G::sample(0.7, i + 11)).collect();
        let accelerations: Vec<_> = (0..count).map(|i| G::sample(1.1, i + 31)).collect();
        let here = curve.pose(s);
        // exp(tη + t²a/2) has body velocity η and body acceleration a at t = 0.
        let moved = |t: f64| {
            let poses: Vec<G> = (0..count)
                .map(|i| {
                    let x = velocities[i] * t + accelerations[i] * (0.5 * t * t);
                    <Exponential as Retraction<G>>::plus(&case.poses[i], &x)
                })
                .collect();
            seen_from(&here, &case.curve::<R>(&poses).pose(s))
        };
        let velocity = G::components(&curve.velocity(s, &velocities));
        assert_close("velocity", &velocity, &slope(STEP_POSE, moved), DIFFERENCE);
        let acceleration = G::components(&curve.acceleration(s, &velocities, &accelerations));
        assert_close("acceleration", &acceleration, &bend(2.0 * STEP_POSE, moved), DIFFERENCE);
        // Linear in the velocities, by the same Jacobian.
        let j = curve.jacobian(s);
        let sum = (0..j.count).fold(G::Tangent::default(), |v, k| v + G::apply(&j.value[k], &velocities[j.first + k]));
        assert_close("η = Σ J η", &G::components(&sum), &velocity, IDENTITY);
    });
}

fn jacobians_are_derivatives_by_the_poses<G: Probe, R: MatrixMap<G>>()
where
    Exponential: Retraction<G>,
{
    every_case::<G, R>(|case, curve, s| {
        let j = curve.jacobian(s);
        assert_eq!(j.count, case.degree + 1);
        let here = curve.pose(s);
        for k in 0..case.poses.len() {
            for i in 0..G::DIMENSION {
                let unit = G::unit_tangent(i);
                let with = |h: f64| {
                    let mut poses = case.poses.clone();
                    poses[k] = <Exponential as Retraction<G>>::plus(&poses[k], &(unit * h));
                    poses
                };
                let pose = slope(STEP_POSE, |h| seen_from(&here, &case.curve::<R>(&with(h)).pose(s)));
                let strain = slope(STEP_POSE, |h| G::components(&case.curve::<R>(&with(h)).strain(s)));
                let block = k.checked_sub(j.first).filter(|&l| l < j.count);
                let column = |blocks: &[G::Operator]| {
                    G::components(&block.map_or(G::Tangent::default(), |l| G::apply(&blocks[l], &unit)))
                };
                assert_close("J", &column(&j.value), &pose, DIFFERENCE);
                assert_close("B", &column(&j.strain), &strain, DIFFERENCE);
            }
        }
        for k in 0..j.count {
            let numeric = slope(STEP_ALONG, |h| G::entries(&curve.jacobian(s + h).value[k]));
            assert_close("J′", &G::entries(&j.slope[k]), &numeric, DIFFERENCE);
        }
    });
}

/// A rigid motion of the control poses is one of the curve: nothing strains.
fn rigid_motions_do_not_strain<G: Probe, R: MatrixMap<G>>() {
    every_case::<G, R>(|case, curve, s| {
        let j = curve.jacobian(s);
        let zero = G::Operator::default();
        let (mut moved, mut strained) = (zero, zero);
        for k in 0..j.count {
            let body_from_world = case.poses[j.first + k].inverse().adjoint();
            moved = moved + j.value[k] * body_from_world;
            strained = strained + j.strain[k] * body_from_world;
        }
        // Away from the world origin Ad carries the distance, here up to about 20.
        assert_close("Σ J Ad⁻¹", &G::entries(&moved), &G::entries(&curve.pose(s).inverse().adjoint()), IDENTITY);
        let size = j.strain.iter().flat_map(G::entries).fold(1.0_f64, |m, x| m.max(x.abs()));
        assert_close("Σ B Ad⁻¹", &G::entries(&strained), &G::entries(&zero), IDENTITY * 20.0 * size);

        let shift = R::retract(&G::sample(2.2, 5));
        let shifted: Vec<G> = case.poses.iter().map(|g| shift * *g).collect();
        let other = case.curve::<R>(&shifted);
        assert_close("pose", other.pose(s).matrix().as_slice(), (shift * curve.pose(s)).matrix().as_slice(), IDENTITY);
        assert_close("strain", &G::components(&other.strain(s)), &G::components(&curve.strain(s)), 20.0 * IDENTITY);
    });
}

fn ends_are_the_first_and_last_pose<G: Probe, R: MatrixMap<G>>() {
    for degree in 1..=MAX_DEGREE {
        let case = Case::<G>::new::<R>(degree, 0.9);
        let curve = case.curve::<R>(&case.poses);
        for (s, g) in [(0.0, case.poses[0]), (1.0, *case.poses.last().unwrap())] {
            assert_close("end pose", curve.pose(s).matrix().as_slice(), g.matrix().as_slice(), IDENTITY);
            let j = curve.jacobian(s);
            let end = if s == 0.0 { 0 } else { degree };
            for k in 0..=degree {
                let expected = if k == end { G::identity_operator() } else { G::Operator::default() };
                assert_close("end Jacobian", &G::entries(&j.value[k]), &G::entries(&expected), IDENTITY);
            }
        }
    }
}

/// Runs the conformance suite on a group with a retraction.
macro_rules! conformance {
    ($module:ident, $group:ty, $retraction:ty) => {
        mod $module {
            use super::*;
            #[test]
            fn product_is_the_definition() {
                super::product_is_the_definition::<$group, $retraction>();
            }
            #[test]
            fn strains_are_derivatives() {
                super::strains_are_derivatives::<$group, $retraction>();
            }
            #[test]
            fn motion_is_the_derivative_by_time() {
                super::motion_is_the_derivative_by_time::<$group, $retraction>();
            }
            #[test]
            fn jacobians_are_derivatives_by_the_poses() {
                super::jacobians_are_derivatives_by_the_poses::<$group, $retraction>();
            }
            #[test]
            fn rigid_motions_do_not_strain() {
                super::rigid_motions_do_not_strain::<$group, $retraction>();
            }
            #[test]
            fn ends_are_the_first_and_last_pose() {
                super::ends_are_the_first_and_last_pose::<$group, $retraction>();
            }
            #[test]
            fn hermite_meets_both_ends() {
                super::hermite_meets_both_ends::<$group, $retraction>();
            }
        }
    };
}

conformance!(rotations_exponential, Rotation, Exponential);
conformance!(rotations_cayley, Rotation, Cayley);
conformance!(poses_exponential, Pose, Exponential);
conformance!(poses_cayley, Pose, Cayley);

fn hermite_meets_both_ends<G: Probe, R: MatrixMap<G>>() {
    for length in [0.02, 1.0, 3.0] {
        let strain = |seed| G::sample(0.8 / length, seed);
        let (a, b) = (R::retract(&G::sample(0.3, 1)), R::retract(&G::sample(1.2, 2)));
        let hermite = CubicHermite::<G, R>::new((a, strain(5)), (b, strain(6)), length).unwrap();
        let curve = hermite.curve();
        assert_close("start", curve.pose(0.0).matrix().as_slice(), a.matrix().as_slice(), IDENTITY);
        assert_close("end", curve.pose(length).matrix().as_slice(), b.matrix().as_slice(), IDENTITY);
        assert_close("start strain", &G::components(&curve.strain(0.0)), &G::components(&strain(5)), IDENTITY);
        assert_close("end strain", &G::components(&curve.strain(length)), &G::components(&strain(6)), 10.0 * IDENTITY);
        assert!(matches!(
            CubicHermite::<G, R>::new((a, strain(5)), (b, strain(6)), 0.0),
            Err(CurveError::Length { length: 0.0 })
        ));
    }
}

/// Control poses at the Greville points of a screw motion give its constant strain, at every degree.
#[test]
fn greville_poses_give_the_straight_and_the_helical_rod() {
    let bent = Strain::new(Vector3::new(1.3, -0.7, 0.9), Vector3::new(1.02, 0.1, -0.05));
    for degree in 1..=MAX_DEGREE {
        let u = knots(degree);
        let k = KnotVector::new(degree, &u).unwrap();
        let base = Pose::exp(&Pose::sample(1.0, 9));
        for strain in [Strain::straight(), bent] {
            let poses: Vec<Pose> = (0..k.control_count()).map(|i| base.advance(&strain, k.greville(i))).collect();
            let curve = CumulativeCurve::<Pose>::new(k, &poses).unwrap();
            for s in PLACES {
                let exact = base.advance(&strain, s);
                assert_close("pose", curve.pose(s).matrix().as_slice(), exact.matrix().as_slice(), IDENTITY);
                let found = Strain::from(curve.strain(s)).to_vector();
                assert_close("strain", found.as_slice(), strain.to_vector().as_slice(), IDENTITY);
            }
        }
    }
}

/// Degree 1 is a geodesic between poses: constant strain on each span (remark 2 of [xun2025]).
#[test]
fn degree_one_has_constant_strain() {
    let case = Case::<Pose>::new::<Exponential>(1, 0.8);
    let curve = case.curve::<Exponential>(&case.poses);
    for span in curve.knots().spans() {
        let expected = case.poses[span.index].boxminus(&case.poses[span.index - 1]) * (1.0 / (span.end - span.start));
        for f in [0.0, 0.3, 0.9] {
            let strain = curve.strain(span.start + f * (span.end - span.start));
            assert_close("strain", &Pose::components(&strain), &Pose::components(&expected), IDENTITY);
        }
    }
}

/// On the translations the curve is the ordinary spline Σ B_i q_i.
#[test]
fn translations_give_the_ordinary_spline() {
    for degree in 1..=MAX_DEGREE {
        let u = knots(degree);
        let k = KnotVector::new(degree, &u).unwrap();
        let point = |i: usize| Vector3::new((i as f64).sin(), (2.0 * i as f64).cos(), i as f64 * 0.3);
        let poses: Vec<Pose> = (0..k.control_count()).map(|i| Pose::at(point(i))).collect();
        let curve = CumulativeCurve::<Pose>::new(k, &poses).unwrap();
        for s in PLACES {
            let span = k.find_span(s);
            let basis = k.basis(span, s);
            let sum: Vector3<f64> = (0..=degree).map(|i| point(span - degree + i) * basis[i]).sum();
            assert_close("point", curve.pose(s).position.as_slice(), sum.as_slice(), IDENTITY);
        }
    }
}

/// The cubic Bernstein weights B̄ are 1 − (1−s)³, s²(3 − 2s), s³, the cumulative sums of (17) of [xun2025].
#[test]
fn bernstein_curves_have_the_classical_weights() {
    let k = KnotVector::bernstein(3).unwrap();
    for s in [0.0, 0.2, 0.7, 1.0] {
        let basis = k.cumulative(3, s);
        let classical = [1.0 - (1.0_f64 - s).powi(3), s * s * (3.0 - 2.0 * s), s * s * s];
        assert_close("B̄", &basis.value[..3], &classical, IDENTITY);
    }
    for degree in 1..=MAX_DEGREE {
        assert_eq!(KnotVector::bernstein(degree).unwrap().control_count(), degree + 1);
    }
    assert!(KnotVector::bernstein(0).is_err() && KnotVector::bernstein(MAX_DEGREE + 1).is_err());
}

#[test]
fn impossible_curves_are_refused() {
    let k = KnotVector::bernstein(2).unwrap();
    let too_few = CumulativeCurve::<Pose>::new(k, &[Pose::identity(); 2]).unwrap_err();
    assert_eq!(too_few, CurveError::PoseCount { given: 2, needed: 3 });
    let half_turn = Rotation::from_quat_wxyz([0.0, 0.0, 1.0, 0.0]).unwrap();
    let poses = [Rotation::identity(), Rotation::identity(), half_turn];
    let unreachable = CumulativeCurve::<Rotation, Cayley>::new(k, &poses).unwrap_err();
    assert_eq!(unreachable, CurveError::Unreachable { pose: 2 });
    assert!(CumulativeCurve::<Rotation>::new(k, &poses).is_ok());
    let sharp = (Rotation::identity(), Vector3::new(0.0, 0.0, 4.0));
    let refused = CubicHermite::<Rotation, Cayley>::new(sharp, sharp, 1.0).unwrap_err();
    assert_eq!(refused, CurveError::EndStrain { length: 1.0 });
}

proptest! {
    /// Any control poses, any place: rigid motions move the curve rigidly, and η = Σ J η.
    #[test]
    fn any_curve_is_objective(
        components in proptest::array::uniform32(-0.8_f64..0.8),
        shift in proptest::array::uniform6(-3.0_f64..3.0),
        degree in 1..=MAX_DEGREE,
        s in 0.0..1.0,
    ) {
        let k = KnotVector::bernstein(degree).unwrap();
        let shift = Pose::tangent(&shift);
        let mut g = Pose::identity();
        let poses: Vec<Pose> = (0..=degree)
            .map(|i| {
                g = g.boxplus(&Pose::tangent(&components[5 * i..5 * i + 6]));
                g
            })
            .collect();
        let curve = CumulativeCurve::<Pose>::new(k, &poses).unwrap();
        // All poses move with the spatial twist `shift`.
        let velocities: Vec<Twist> = poses.iter().map(|g| g.inverse().adjoint_twist(&shift)).collect();
        let expected = curve.pose(s).inverse().adjoint_twist(&shift);
        let found = curve.velocity(s, &velocities);
        assert_close("velocity", &Pose::components(&found), &Pose::components(&expected), IDENTITY);
        let j = curve.jacobian(s);
        let strain_rate = (0..j.count).fold(Twist::zero(), |x, i| x + Pose::apply(&j.strain[i], &velocities[i]));
        assert_close("strain rate", &Pose::components(&strain_rate), &[0.0; 6], 100.0 * IDENTITY);
    }
}
