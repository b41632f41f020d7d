//! Concentric tubes as they are seen: one in the other, each cut where it ends; and how they turn and twist along the robot.

use super::picture::Picture;
use super::plot::{Curve, Plot};
use super::rods::{self, Cut};
use super::style::SERIES;
use super::svg::{Point, Svg};
use super::window::Window;
use crate::number;
use lissome_model::Rod;
use lissome_solve::RodRecord;

/// Draws the tubes of a rod of tubes, the outer ones over the inner ones, which show through. False for other rods.
pub(super) fn draw(svg: &mut Svg, rod: &Rod, record: &RodRecord, cuts: &[Cut], window: &Window) -> bool {
    let Some(set) = &rod.tubes else { return false };
    for ((tube, own), colour) in set.tubes.iter().zip(&record.tubes).zip(SERIES.iter().cycle()) {
        let half = 0.5 * tube.outer_diameter;
        let reached = cuts.iter().take(own.angle.len());
        let own: Vec<Cut> = reached.map(|cut| Cut { half, ..*cut }).collect();
        svg.path("tube", &rods::outline(&own, window));
        for side in [-1.0, 1.0] {
            let edge: Vec<Point> = own.iter().map(|cut| rods::edge(cut, side, window)).collect();
            svg.polyline(&format!("tube-edge {colour}"), &edge);
        }
        if let Some(end) = own.last() {
            svg.line(&format!("tube-end {colour}"), rods::edge(end, -1.0, window), rods::edge(end, 1.0, window));
        }
    }
    true
}

/// Angle and torque of every tube along the robot; nothing for other rods.
pub fn along(rod: &RodRecord) -> Vec<Picture> {
    if rod.tubes.is_empty() {
        return Vec::new();
    }
    let length = rod.samples.last().map_or(1.0, |s| s.s);
    let s_unit = number::scale(length, "m");
    let places: Vec<f64> = rod.samples.iter().map(|sample| sample.s * s_unit.factor).collect();
    let largest = rod.tubes.iter().flat_map(|tube| &tube.torque).fold(0.0_f64, |m, x| m.max(x.abs()));
    let torque = number::scale(largest, "N·m");
    let picture = |file: &str, title: &str, y_label: String, values: &dyn Fn(usize) -> Vec<f64>| {
        let curve = |index: usize| Curve {
            name: rod.tubes[index].name.clone(),
            points: places.iter().copied().zip(values(index)).collect(),
        };
        let plot = Plot {
            title: title.into(),
            x_label: format!("s / {}", s_unit.unit),
            y_label,
            curves: (0..rod.tubes.len()).map(curve).collect(),
            ..Plot::default()
        };
        Picture { name: format!("{}-{file}", rod.name), svg: plot.draw() }
    };
    vec![
        picture("angle", "Turn of the tubes against the innermost", "deg".into(), &|index| {
            rod.tubes[index].angle.iter().map(|angle| angle.to_degrees()).collect()
        }),
        picture("torque", "Torque of the tubes", torque.unit.clone(), &|index| {
            rod.tubes[index].torque.iter().map(|value| value * torque.factor).collect()
        }),
    ]
}
