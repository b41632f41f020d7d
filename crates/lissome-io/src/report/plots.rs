//! The pictures of a run: two views, strain and internal force along every rod, the residual history.

use super::picture::Picture;
use super::plane::Plane;
use super::plot::{Curve, Plot, flush};
use super::{contacts, fold_curves, path_plots, tendons, tubes, view};
use crate::number;
use crate::summary::Summary;
use lissome_solve::newton::NEUTRAL_SHIFT;
use lissome_solve::{Iteration, RodRecord, Sample};

/// Every picture of a run.
pub fn pictures(summary: &Summary<'_>) -> Vec<Picture> {
    let mut all = views(summary);
    all.extend(path_plots::pictures(summary));
    all.extend(fold_curves::pictures(summary));
    for (index, rod) in summary.equilibrium.rods.iter().enumerate() {
        all.extend(along(rod));
        all.extend(tendons::along(summary, index));
        all.extend(contacts::along(summary, index));
    }
    all.extend(history(&summary.equilibrium.outcome.history));
    all
}

/// The views.
pub fn views(summary: &Summary<'_>) -> Vec<Picture> {
    let draw = |plane: &Plane| Picture { name: plane.file().into(), svg: view::draw(summary, *plane) };
    view::planes(summary.scene).iter().map(draw).collect()
}

/// The four plots along a rod, and those of its tubes.
pub fn along(rod: &RodRecord) -> Vec<Picture> {
    type Component = fn(&Sample) -> [f64; 3];
    let quantities: [(&str, &str, &str, [&str; 3], Component); 4] = [
        ("curvature", "Curvature", "1/m", ["torsion", "about y", "about z"], |s| s.strain.curvature.into()),
        ("stretch", "Stretch and shear", "", ["stretch − 1", "shear y", "shear z"], |s| {
            let e = s.strain.stretch;
            [e.x - 1.0, e.y, e.z]
        }),
        ("moment", "Internal moment", "N·m", ["torsion", "about y", "about z"], |s| s.stress.moment.into()),
        ("force", "Internal force", "N", ["axial", "shear y", "shear z"], |s| s.stress.force.into()),
    ];
    let length = rod.samples.last().map_or(1.0, |s| s.s);
    let s_unit = number::scale(length, "m");
    let most = |component: Component| rod.samples.iter().flat_map(component).fold(0.0_f64, |m, x| m.max(x.abs()));
    // What a quantity is beside: a force bends over the length of the rod, and a moment there is one.
    let (moment, force) = (most(|s| s.stress.moment.into()), most(|s| s.stress.force.into()));
    let beside = [1.0 / length, 1.0, moment.max(force * length), force.max(moment / length)];
    quantities
        .into_iter()
        .zip(beside)
        .map(|((file, title, unit, names, component), beside)| {
            let largest = flush(most(component), beside);
            let scale = if largest > 0.0 { largest } else { beside / f64::EPSILON };
            let scaled = match unit {
                "" => fraction_scale(largest),
                // A reciprocal takes no prefix.
                "1/m" => number::Scaled { unit: unit.into(), factor: 1.0 },
                _ => number::scale(largest, unit),
            };
            let curves = (0..3)
                .map(|i| Curve {
                    name: names[i].into(),
                    points: rod
                        .samples
                        .iter()
                        .map(|s| (s.s * s_unit.factor, flush(component(s)[i], scale) * scaled.factor))
                        .collect(),
                })
                .collect();
            let plot = Plot {
                title: title.into(),
                x_label: format!("s / {}", s_unit.unit),
                y_label: scaled.unit,
                curves,
                ..Plot::default()
            };
            Picture { name: format!("{}-{file}", rod.name), svg: plot.draw() }
        })
        .chain(tubes::along(rod))
        .collect()
}

/// Strains are shown in percent, thousandths or millionths.
fn fraction_scale(largest: f64) -> number::Scaled {
    let (unit, factor) = match largest {
        x if x >= 0.005 => ("%", 1e2),
        x if x >= 5e-6 => ("10⁻³", 1e3),
        _ => ("10⁻⁶", 1e6),
    };
    number::Scaled { unit: unit.into(), factor }
}

/// Residual of every Newton iteration; nothing if there was none.
pub fn history(history: &[Iteration]) -> Option<Picture> {
    // What the globalisation did: nothing, or it shifted the stiffness or shortened the step.
    let guided = |i: &Iteration| i.fraction < 1.0 || i.shift > NEUTRAL_SHIFT;
    let kinds: Vec<bool> = [false, true].into_iter().filter(|k| history.iter().any(|i| guided(i) == *k)).collect();
    if history.is_empty() {
        return None;
    }
    let points: Vec<(f64, f64)> = history.iter().enumerate().map(|(k, i)| ((k + 1) as f64, i.residual)).collect();
    let marks = points
        .iter()
        .zip(history)
        .map(|((x, y), i)| (*x, *y, kinds.iter().position(|k| *k == guided(i)).unwrap_or(0)))
        .collect();
    let changes = |w: &[Iteration]| w[0].load_factor != w[1].load_factor;
    let verticals = history.windows(2).enumerate().filter(|(_, w)| changes(w)).map(|(k, _)| k as f64 + 1.5).collect();
    let plot = Plot {
        title: "Scaled residual".into(),
        x_label: "Newton iteration".into(),
        y_label: "residual".into(),
        curves: vec![Curve { name: "residual".into(), points }],
        marks,
        mark_names: kinds.iter().map(|k| if *k { "shifted or shortened" } else { "plain Newton" }.to_owned()).collect(),
        verticals,
        logarithmic: true,
        counted: true,
        ..Plot::default()
    };
    Some(Picture { name: "residual".into(), svg: plot.draw() })
}
