//! What acts along rods: weight and distributed loads, at their quadrature points.

use crate::inputs::Input;
use crate::load::SectionLoad;
use crate::rod::{LineLoads, Rod};
use lissome_lie::Wrench;
use lissome_model::{Load, LoadFrame, LoadKind, Scene};
use nalgebra::Vector3;
use std::sync::Arc;

/// Gravity and the loads along the rods, each with the input that scales it.
pub(super) fn line_loads(scene: &Scene, rods: &[Arc<Rod>]) -> Vec<Vec<LineLoads>> {
    let mut lines: Vec<Vec<LineLoads>> = vec![Vec::new(); rods.len()];
    if scene.gravity != Vector3::zeros() {
        for (lines, rod) in lines.iter_mut().zip(rods) {
            let weight = |line_density: f64, weight: f64| {
                let force = scene.gravity * (line_density * weight);
                SectionLoad::on(LoadFrame::World, Wrench::new(Vector3::zeros(), force))
            };
            let curve = rod.curve();
            let points = 0..curve.point_count();
            let at_points = points.map(|q| weight(curve.line_density(q), curve.point_weight(q))).collect();
            lines.push(LineLoads { scaled_by: Input::Gravity, at_points });
        }
    }
    for (number, Load { kind, frame, rod, .. }) in scene.loads.iter().enumerate() {
        if let LoadKind::Distributed { from, to, per_length } = *kind {
            let load = SectionLoad::on(*frame, per_length);
            let part =
                |s: f64, weight: f64| if s > from && s < to { load.scaled(weight) } else { SectionLoad::default() };
            let curve = rods[*rod].curve();
            let points = 0..curve.point_count();
            let at_points = points.map(|q| part(curve.point_place(q), curve.point_weight(q))).collect();
            lines[*rod].push(LineLoads { scaled_by: Input::Load(number), at_points });
        }
    }
    lines
}
