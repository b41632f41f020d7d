//! Where curves come close, against a search over fine grids.
#![allow(clippy::unwrap_used)]

mod support;

use lissome_geometry::curve::nearest_on;
use lissome_geometry::line_contact::line_contact;
use lissome_geometry::*;
use lissome_lie::Pose;
use nalgebra::Vector3;
use support::*;

/// A straight line.
#[derive(Clone, Copy, Debug)]
struct Straight {
    from: Vector3<f64>,
    to: Vector3<f64>,
}

impl Curve for Straight {
    fn range(&self) -> [f64; 2] {
        [0.0, 1.0]
    }
    fn cells(&self) -> usize {
        3
    }
    fn at(&self, s: f64) -> CurvePoint {
        let first = self.to - self.from;
        CurvePoint { position: self.from + first * s, first, second: Vector3::zeros() }
    }
    fn largest_second(&self, _: f64, _: f64) -> f64 {
        0.0
    }
}

/// How far a minimum on a grid must be the lowest, in places of the grid.
const WINDOW: usize = 8;

/// Local minima of the distance on a grid of places.
fn minima_on_a_grid(a: &impl Curve, b: &impl Curve, n: usize, apart: f64) -> Vec<([f64; 2], f64)> {
    let place = |curve: &[f64; 2], i: usize| curve[0] + (curve[1] - curve[0]) * i as f64 / n as f64;
    let (ra, rb) = (a.range(), b.range());
    let pa: Vec<Vector3<f64>> = (0..=n).map(|i| a.at(place(&ra, i)).position).collect();
    let pb: Vec<Vector3<f64>> = (0..=n).map(|i| b.at(place(&rb, i)).position).collect();
    let distance = |i: usize, j: usize| (pa[i] - pb[j]).norm();
    let mut minima = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            let own = distance(i, j);
            // Not just the eight neighbours: a narrow valley askew to the grid looks like a row of minima.
            let around = |k: usize| k.saturating_sub(WINDOW)..=(k + WINDOW).min(n);
            let lowest = around(i).all(|k| around(j).all(|l| (k, l) == (i, j) || distance(k, l) > own));
            if lowest && (apart == 0.0 || place(&rb, j) - place(&ra, i) > apart) {
                minima.push(([place(&ra, i), place(&rb, j)], own));
            }
        }
    }
    minima
}

#[test]
fn the_nearest_place_of_a_curve() {
    let curve = Helix { end: 20.0, ..Helix::default() };
    let mut random = Random(11);
    for _ in 0..500 {
        let x = random.vector(1.0) + Vector3::z() * 0.8;
        let foot = nearest_on(&curve, &x);
        let sampled = (0..=4000).map(|i| (curve.at(20.0 * i as f64 / 4000.0).position - x).norm());
        let sampled = sampled.fold(f64::INFINITY, f64::min);
        assert!(foot.distance <= sampled + 1e-12, "{} {sampled}", foot.distance);
        assert!(sampled - foot.distance < 3e-3);
        if !foot.at_end {
            assert!((foot.point.position - x).dot(&foot.point.first).abs() < 1e-12);
        }
    }
}

/// Less than the radii of curvature.
const REACH: f64 = 0.4;

#[test]
fn every_minimum_of_two_curves_is_found() {
    let mut random = Random(12);
    let mut count = 0;
    for case in 0..30 {
        let a = Helix { end: 12.0, ..Helix::default() };
        let pose = Pose::exp(&random.twist(0.8));
        let b = Helix { radius: random.between(0.45, 0.7), rise: random.between(-0.1, 0.1), end: 9.0, pose };
        let mut found = Vec::new();
        closest_pairs(&a, &b, REACH, &mut found);
        for (at, distance) in minima_on_a_grid(&a, &b, 400, 0.0).into_iter().filter(|(_, distance)| *distance < REACH) {
            let hit = found.iter().any(|own| {
                (own.at[0] - at[0]).abs() < 0.25 && (own.at[1] - at[1]).abs() < 0.25 && own.distance <= distance + 1e-12
            });
            assert!(hit, "{case}: nothing near {at:?} at {distance}; {found:?}");
            count += 1;
        }
        for own in &found {
            let (p, q) = (a.at(own.at[0]), b.at(own.at[1]));
            let off = p.position - q.position;
            assert!((off.norm() - own.distance).abs() < 1e-12);
            for (k, (slope, range)) in
                [(off.dot(&p.first), a.range()), (-off.dot(&q.first), b.range())].iter().enumerate()
            {
                let at_start = own.at[k] == range[0] && *slope >= 0.0;
                let at_end = own.at[k] == range[1] && *slope <= 0.0;
                assert!(slope.abs() < 1e-10 || at_start || at_end, "{case}: {own:?} {slope}");
            }
        }
    }
    assert!(count > 40, "{count}");
}

#[test]
fn a_curve_meets_itself_beyond_its_neighbourhood() {
    // Neighbouring turns of a screw are about 2π·rise apart, and every place of one turn is opposite to one of the next, Δ
    // farther on: r² sin Δ + rise² Δ = 0.
    let ratio = (0.02f64 / 0.5).powi(2);
    let pitch = (0..50).fold(std::f64::consts::TAU, |pitch, _| std::f64::consts::TAU - (ratio * pitch).asin());
    let curve = Helix { radius: 0.5, rise: 0.02, end: 11.0, pose: Pose::identity() };
    let mut found = Vec::new();
    closest_pairs_with_itself(&curve, 3.0, 0.2, &mut found);
    assert!(!found.is_empty());
    for own in &found {
        assert!(own.at[1] - own.at[0] >= 3.0);
        assert!((own.at[1] - own.at[0] - pitch).abs() < 1e-6, "{own:?}");
        let stretch = line_contact(&curve, &curve, own, 0.2, 3.0).unwrap();
        assert!(stretch.first[0] < 1e-9 && (stretch.first[1] - (11.0 - pitch)).abs() < 1e-6, "{stretch:?}");
    }
    // Nothing within a reach that is less than the pitch.
    found.clear();
    closest_pairs_with_itself(&curve, 3.0, 0.1, &mut found);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn curves_side_by_side_touch_along_a_stretch() {
    let a = Straight { from: Vector3::new(-1.0, 0.0, 0.0), to: Vector3::new(1.0, 0.0, 0.0) };
    let opposite = Straight { from: Vector3::new(0.5, 0.0, 0.1), to: Vector3::new(-0.7, 0.0, 0.1) };
    let mut found = Vec::new();
    closest_pairs(&a, &opposite, 0.15, &mut found);
    assert!(!found.is_empty());
    for own in &found {
        assert!((own.distance - 0.1).abs() < 1e-12 && (own.cosine + 1.0).abs() < 1e-12);
        let stretch = line_contact(&a, &opposite, own, 0.15, 0.0).unwrap();
        let wanted = [(-0.7 + 1.0) / 2.0, (0.5 + 1.0) / 2.0];
        for k in 0..2 {
            assert!((stretch.first[k] - wanted[k]).abs() < 1e-9, "{stretch:?}");
            assert!((stretch.second[k] - [1.0, 0.0][k]).abs() < 1e-9, "{stretch:?}");
        }
    }
    // Slightly askew: from where they come within the reach to where they leave it.
    let askew = Straight { from: Vector3::new(-1.0, -0.1, 0.1), to: Vector3::new(1.0, 0.1, 0.1) };
    found.clear();
    closest_pairs(&a, &askew, 0.11, &mut found);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!((found[0].distance - 0.1).abs() < 1e-12 && (found[0].at[0] - 0.5).abs() < 1e-9);
    let stretch = line_contact(&a, &askew, &found[0], 0.11, 0.0).unwrap();
    for s in stretch.first {
        let place = a.at(s).position;
        let off = nearest_on(&askew, &place).distance;
        assert!((off - 0.11).abs() < 1e-9, "{off}");
    }
    // Across each other they touch in a point.
    let across = Straight { from: Vector3::new(0.0, -1.0, 0.1), to: Vector3::new(0.1, 1.0, 0.1) };
    found.clear();
    closest_pairs(&a, &across, 0.2, &mut found);
    assert_eq!(found.len(), 1);
    assert_eq!(line_contact(&a, &across, &found[0], 0.2, 0.0), None);
}

#[test]
fn a_broad_phase_finds_just_the_boxes_that_meet() {
    let mut random = Random(13);
    let mut sweep = broad::Sweep::default();
    let mut boxes: Vec<Bounds> = (0..150)
        .map(|_| {
            let (centre, half) = (random.vector(1.0), random.vector(0.1).abs());
            Bounds { low: centre - half, high: centre + half }
        })
        .collect();
    boxes.push(Bounds::everything());
    for _ in 0..5 {
        let mut found = Vec::new();
        sweep.pairs(&boxes, |a, b| found.push((a, b)));
        found.sort_unstable();
        let every = (0..boxes.len()).flat_map(|i| (i + 1..151).map(move |j| (i, j)));
        let wanted: Vec<(usize, usize)> = every.filter(|(i, j)| boxes[*i].meets(&boxes[*j])).collect();
        assert_eq!(found, wanted);
        let tree = tree::Tree::new(&boxes);
        let mut seen = Vec::new();
        tree.meeting(&boxes[3], &boxes, |i| seen.push(i));
        seen.sort_unstable();
        assert_eq!(seen, (0..151).filter(|i| boxes[*i].meets(&boxes[3])).collect::<Vec<usize>>());
        for own in &mut boxes {
            let by = random.vector(0.05);
            (own.low, own.high) = (own.low + by, own.high + by);
        }
    }
}
