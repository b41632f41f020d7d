//! Springs: zigzags between their two ends, and their table.

use super::plane::Plane;
use super::svg::{Point, Svg};
use super::tables::{frame_words, titled};
use super::window::Window;
use crate::number;
use crate::places;
use crate::summary::Summary;
use lissome_model::{Frame, Scene, Spring, SpringLaw};
use lissome_solve::Equilibrium;
use nalgebra::Vector3;

/// Teeth of a zigzag.
const TEETH: usize = 7;
/// Half its width, px; narrower where the spring is short.
const HALF_WIDTH: f64 = 5.0;
/// Part of its length at each end that is straight.
const LEAD: f64 = 0.15;

/// World positions of the two ends of a spring.
pub(super) type Ends = (Vector3<f64>, Vector3<f64>);

/// The ends of every spring of an answer; `None` where a carrier is not in it.
pub(super) fn ends(scene: &Scene, recording: &Equilibrium) -> Vec<Option<Ends>> {
    let at = |frame: &Frame| places::of_frame(recording, frame).map(|pose| pose.position);
    scene.springs.iter().map(|spring| at(&spring.a).zip(at(&spring.b))).collect()
}

/// Draws the springs of an answer.
pub(super) fn draw(svg: &mut Svg, scene: &Scene, recording: &Equilibrium, plane: Plane, window: &Window) {
    for (spring, ends) in scene.springs.iter().zip(ends(scene, recording)) {
        let Some((a, b)) = ends else { continue };
        svg.open(&format!("{}: {}, {}", spring.name, law_words(spring), number::length((b - a).norm())));
        draw_one(svg, window.at(plane.project(&a)), window.at(plane.project(&b)));
        svg.close();
    }
}

/// A zigzag between two points of the page, with a dot at each.
pub(super) fn draw_one(svg: &mut Svg, a: Point, b: Point) {
    svg.polyline("spring", &zigzag(a, b));
    svg.circle("spring-end", a, 1.8);
    svg.circle("spring-end", b, 1.8);
}

/// Corners of the zigzag: straight, teeth to both sides, straight.
fn zigzag(a: Point, b: Point) -> Vec<Point> {
    let (x, y) = (b.0 - a.0, b.1 - a.1);
    let length = x.hypot(y);
    let half = HALF_WIDTH.min(0.15 * length);
    let aside = if length > 0.0 { (-y / length * half, x / length * half) } else { (0.0, 0.0) };
    let at = |part: f64, side: f64| (a.0 + part * x + side * aside.0, a.1 + part * y + side * aside.1);
    let tooth = |i: usize| {
        let part = LEAD + (1.0 - 2.0 * LEAD) * (i as f64 + 0.5) / TEETH as f64;
        at(part, if i.is_multiple_of(2) { 1.0 } else { -1.0 })
    };
    [a, at(LEAD, 0.0)].into_iter().chain((0..TEETH).map(tooth)).chain([at(1.0 - LEAD, 0.0), b]).collect()
}

/// What a spring is, such as `200 N/m`.
fn law_words(spring: &Spring) -> String {
    match spring.law {
        SpringLaw::Line { stiffness: 0.0, damping, .. } => {
            format!("damper, {}", number::with_unit(damping, "N·s/m"))
        }
        SpringLaw::Line { stiffness, .. } => number::with_unit(stiffness, "N/m"),
        SpringLaw::Bushing { .. } => "bushing".into(),
        SpringLaw::Axes { stiffness } => number::vector(stiffness.as_slice(), "N/m"),
    }
}

/// The table of springs; empty if the scene has none.
pub(super) fn table(summary: &Summary<'_>) -> String {
    let scene = summary.scene;
    let rows = scene.springs.iter().zip(ends(scene, summary.equilibrium)).map(|(spring, ends)| {
        let pull = summary.equilibrium.spring(&spring.name).map(|record| number::with_unit(record.pull, "N"));
        let length = ends.map_or("–".into(), |(a, b)| number::length((b - a).norm()));
        let between = format!("{} – {}", frame_words(scene, &spring.a), frame_words(scene, &spring.b));
        vec![spring.name.clone(), law_words(spring), length, pull.unwrap_or("–".into()), between]
    });
    titled("Springs", &["spring", "stiffness", "distance of its ends", "pull", "between"], rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zigzag_goes_from_end_to_end_and_to_both_sides() {
        let (a, b) = ((10.0, 20.0), (110.0, 20.0));
        let corners = zigzag(a, b);
        assert_eq!((corners[0], corners[corners.len() - 1]), (a, b));
        assert!(corners.windows(2).all(|w| w[1].0 > w[0].0), "it never turns back");
        let sides: Vec<f64> = corners.iter().map(|p| p.1 - 20.0).filter(|y| *y != 0.0).collect();
        assert_eq!(sides.len(), TEETH);
        assert!(sides.windows(2).all(|w| w[0] == -w[1] && w[0].abs() == HALF_WIDTH));
        // Ends that are one, as those of a bushing at rest.
        assert!(zigzag(a, a).iter().all(|p| *p == a));
    }
}
