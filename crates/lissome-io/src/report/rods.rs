//! Rods as they are seen: with their true width, and what the world holds of them.

use super::plane::Plane;
use super::stage::evenly;
use super::svg::{Point, Svg};
use super::window::Window;
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, Rod, Section, Shape};
use nalgebra::Vector3;
use std::fmt::Write as _;

/// A rod is drawn at least this wide to each side of its axis, px.
const LEAST_HALF_WIDTH: f64 = 1.2;
/// Below this part of a tangent in the plane of the view, a section is seen from its end.
const END_ON: f64 = 0.3;

/// One section as it is seen: centre, direction across the rod, half width, and whether it is seen from its end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) centre: (f64, f64),
    pub(super) across: (f64, f64),
    pub(super) half: f64,
    pub(super) end_on: bool,
}

/// Sections that all rods of a view have together, and the least of one rod.
const MOST_CUTS: usize = 3000;
const LEAST_CUTS: usize = 9;

/// Of the poses of one of so many rods those that a view shows, both ends included.
pub(super) fn shown<T: Copy>(poses: Vec<T>, rods: usize) -> Vec<T> {
    let count = (MOST_CUTS / rods.max(1)).max(LEAST_CUTS);
    evenly(poses.len(), count).into_iter().map(|index| poses[index]).collect()
}

/// Sections of a rod at these poses.
pub(super) fn cuts(rod: &Rod, poses: &[(f64, Pose)], plane: Plane) -> Vec<Cut> {
    poses
        .iter()
        .map(|(s, pose)| {
            let tangent = plane.project(&pose.rotation.rotate(&Vector3::x()));
            let length = tangent.0.hypot(tangent.1);
            let across = if length > 1e-9 { (-tangent.1 / length, tangent.0 / length) } else { (0.0, 1.0) };
            let section = rod.profile.at(*s);
            let half = half_width(&section, &pose.rotation.inverse_rotate(&plane.lift(across)));
            Cut { centre: plane.project(&pose.position), across, half, end_on: length < END_ON && is_round(&section) }
        })
        .collect()
}

/// False for strips, whose end is no disc.
fn is_round(section: &Section) -> bool {
    match section {
        Section::Layers { layers, .. } => !layers.iter().any(|layer| matches!(layer.shape, Shape::Rectangle { .. })),
        Section::Given { .. } => true,
    }
}

/// How far the section reaches in a direction given in its own axes.
fn half_width(section: &Section, direction: &Vector3<f64>) -> f64 {
    let of_shape = |shape: &Shape| match *shape {
        Shape::Rectangle { width, height } => 0.5 * (width * direction.y.abs() + height * direction.z.abs()),
        _ => shape.outer_radius() * direction.y.hypot(direction.z),
    };
    match section {
        Section::Layers { layers, .. } => layers.iter().map(|l| of_shape(&l.shape)).fold(0.0, f64::max),
        Section::Given { .. } => section.outer_radius(),
    }
}

/// The point at a distance across the rod.
pub(super) fn offset(cut: &Cut, distance: f64) -> (f64, f64) {
    (cut.centre.0 + distance * cut.across.0, cut.centre.1 + distance * cut.across.1)
}

/// A side of the rod on the page.
pub(super) fn edge(cut: &Cut, side: f64, window: &Window) -> Point {
    window.at(offset(cut, side * cut.half.max(LEAST_HALF_WIDTH / window.scale)))
}

/// The rod as one path: a quadrilateral between neighbouring sections, a disc where it is seen from its end. All
/// pieces turn the same way, so that the nonzero rule fills their union.
pub(super) fn outline(cuts: &[Cut], window: &Window) -> String {
    let mut data = String::new();
    let edge = |cut: &Cut, side: f64| edge(cut, side, window);
    for pair in cuts.windows(2) {
        let mut corners = [edge(&pair[0], -1.0), edge(&pair[1], -1.0), edge(&pair[1], 1.0), edge(&pair[0], 1.0)];
        if corners.iter().any(|(x, y)| !(x.is_finite() && y.is_finite())) {
            continue;
        }
        let area: f64 = (0..4).map(|i| (corners[i], corners[(i + 1) % 4])).map(|(a, b)| a.0 * b.1 - b.0 * a.1).sum();
        if area < 0.0 {
            corners.reverse();
        }
        let [a, b, c, d] = corners;
        // Writing to a String cannot fail.
        let _ =
            write!(data, "M{:.2} {:.2}L{:.2} {:.2}L{:.2} {:.2}L{:.2} {:.2}Z", a.0, a.1, b.0, b.1, c.0, c.1, d.0, d.1);
    }
    for cut in cuts.iter().filter(|cut| cut.end_on) {
        let (x, y) = window.at(cut.centre);
        let r = (cut.half * window.scale).max(LEAST_HALF_WIDTH);
        if x.is_finite() && y.is_finite() && r.is_finite() {
            let _ = write!(
                data,
                "M{:.2} {y:.2}a{r:.2} {r:.2} 0 1 1 {:.2} 0a{r:.2} {r:.2} 0 1 1 {:.2} 0Z",
                x - r,
                2.0 * r,
                -2.0 * r
            );
        }
    }
    data
}

/// A wall with hatching across each end that the world holds.
pub(super) fn draw_holds(svg: &mut Svg, rod: &Rod, cuts: &[Cut], window: &Window) {
    const BEYOND: f64 = 7.0;
    const HATCHES: usize = 6;
    let in_world = |frame: &Option<Frame>| frame.is_some_and(|frame| frame.of == FrameOf::World);
    for (held, cut, outward) in [(in_world(&rod.base), cuts.first(), 1.0), (in_world(&rod.tip), cuts.last(), -1.0)] {
        let Some(cut) = cut.filter(|_| held) else { continue };
        let (x, y) = window.at(cut.centre);
        let reach = cut.half * window.scale + BEYOND;
        // Screen y points down, so `across` turns over.
        let across = (cut.across.0, -cut.across.1);
        if cut.end_on {
            svg.rectangle("held", (x - reach, y - reach), 2.0 * reach, 2.0 * reach);
            continue;
        }
        // Away from the rod: the rod runs along `across` turned by a quarter.
        let away = (across.1 * outward, -across.0 * outward);
        let at = |along: f64, out: f64| (x + along * across.0 + out * away.0, y + along * across.1 + out * away.1);
        svg.line("held", at(-reach, 0.0), at(reach, 0.0));
        for i in 0..HATCHES {
            let along = reach * (2.0 * i as f64 / (HATCHES - 1) as f64 - 1.0);
            svg.line("held", at(along, 0.0), at(along - 5.0, 6.0));
        }
    }
}
