//! Pictures of shapes from end poses: the exact rod in grey with the approximations over it, their errors along the rod,
//! and how the constraint was met \[muller2025cfk, figures 1 to 3\].

use super::picture::Picture;
use super::plane::Plane;
use super::plot::{Curve, Plot};
use super::style::SERIES;
use super::svg::{Anchor, Point, Svg};
use super::tables;
use super::window::{BOTTOM, Bounds, LEFT, RIGHT, TOP, WIDTH, Window};
use crate::number;
use lissome_shape::comparison::{PLACES, distances, largest_distance};
use lissome_shape::{Comparison, RodShapes, Shape, Verdict};

/// Errors below this part of the length (or rad) are rounding, and a logarithm of them says nothing.
const ROUNDING: f64 = 1e-14;

/// Figures 1 to 3 for one rod.
pub fn pictures(rod: &RodShapes) -> Vec<Picture> {
    let comparison = &rod.comparison;
    let name = |what: &str| format!("{}-{what}", rod.rod);
    let length = comparison.exact.rod().length();
    let position = |d: &lissome_shape::comparison::Distance| d.position;
    let rotation = |d: &lissome_shape::comparison::Distance| d.rotation.to_degrees();
    vec![
        Picture { name: name("shape-side"), svg: view(comparison, Plane::Side) },
        Picture { name: name("shape-top"), svg: view(comparison, Plane::Top) },
        Picture {
            name: name("position-error"),
            svg: errors(comparison, "Distance from the exact rod", "m", length, position),
        },
        Picture {
            name: name("rotation-error"),
            svg: errors(comparison, "Rotation against the exact rod", "°", 60.0, rotation),
        },
        Picture { name: name("constraint"), svg: history(comparison) },
    ]
}

/// How the methods compare.
pub fn table(comparison: &Comparison) -> String {
    let exact = &comparison.exact;
    let angle = |x: f64| format!("{}°", number::significant(x.to_degrees(), 3));
    let row = |shape: &Shape| {
        let (error, distance) = (shape.error(), largest_distance(shape, exact));
        let wrench = shape.wrench_on_base();
        vec![
            shape.method.name().to_owned(),
            shape.iterations().to_string(),
            number::with_unit(shape.energy, "J"),
            format!("{}, {}", number::with_unit(error.position, "m"), angle(error.rotation)),
            format!("{}, {}", number::with_unit(distance.position, "m"), angle(distance.rotation)),
            number::vector(wrench.force.as_slice(), "N"),
            number::vector(wrench.moment.as_slice(), "N·m"),
        ]
    };
    let mut rows: Vec<Vec<String>> = comparison.approximations.iter().map(row).collect();
    rows.push(row(exact));
    let head = [
        "method",
        "iterations",
        "energy",
        "estimated error",
        "distance from exact",
        "force on base (its axes)",
        "moment on base (its axes)",
    ];
    let mut text = tables::table(&head, rows);
    if !comparison.all.is_empty() {
        let row = |(i, found): (usize, &lissome_shape::Found)| {
            let margin = found.stability.fold_margin.map_or("–".into(), |m| number::significant(m, 3));
            vec![
                (i + 1).to_string(),
                number::with_unit(found.shape.energy, "J"),
                verdict_words(found.stability.verdict).into(),
                found.stability.conjugate_points.len().to_string(),
                margin,
                number::vector(found.shape.wrench_on_base().force.as_slice(), "N"),
            ]
        };
        let rows = comparison.all.iter().enumerate().map(row).collect();
        let head =
            ["equilibrium", "energy", "stability", "falling directions", "fold margin", "force on base (its axes)"];
        text.push_str(&tables::table(&head, rows));
    }
    text
}

fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "stable",
        Verdict::Neutral => "neutral: a motion costs nothing",
        Verdict::Unstable => "unstable",
    }
}

/// The shapes over each other, the exact one broad and grey beneath.
fn view(comparison: &Comparison, plane: Plane) -> Svg {
    let line = |shape: &Shape| -> Vec<(f64, f64)> {
        shape.samples(PLACES).iter().map(|pose| plane.project(&pose.position)).collect()
    };
    let exact = line(&comparison.exact);
    let others: Vec<Vec<(f64, f64)>> = comparison.approximations.iter().map(line).collect();
    let mut bounds = Bounds::default();
    others.iter().chain(std::iter::once(&exact)).flatten().for_each(|point| bounds.include(*point));
    let frame = Window::around(&bounds);
    let (title, horizontal, vertical) = plane.labels();
    let mut svg = Svg::new(WIDTH, TOP + frame.height + BOTTOM, title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, title);
    frame.draw_grid(&mut svg, horizontal, vertical);
    let on_page = |points: &[(f64, f64)]| points.iter().map(|p| frame.at(*p)).collect::<Vec<Point>>();
    svg.polyline("exact", &on_page(&exact));
    for (index, points) in others.iter().enumerate() {
        svg.polyline(&format!("curve thin {}", SERIES[index % SERIES.len()]), &on_page(points));
    }
    for end in [exact.first(), exact.last()].into_iter().flatten() {
        svg.circle("mark f5", frame.at(*end), 4.0);
    }
    legend(&mut svg, comparison);
    svg
}

fn legend(svg: &mut Svg, comparison: &Comparison) {
    // Right to left; seven pixels a character is the width of 12 px text.
    let mut right = WIDTH - RIGHT;
    let mut entry = |name: &str, class: &str| {
        svg.text("strong", (right, 20.0), Anchor::End, name);
        right -= 7.0 * name.chars().count() as f64 + 6.0;
        svg.line(class, (right - 16.0, 16.0), (right, 16.0));
        right -= 30.0;
    };
    entry("exact", "exact");
    for (index, shape) in comparison.approximations.iter().enumerate().rev() {
        entry(shape.method.name(), &format!("curve {}", SERIES[index % SERIES.len()]));
    }
}

/// A measure of the distance from the exact rod over τ, by powers of ten.
fn errors(
    comparison: &Comparison,
    title: &str,
    unit: &str,
    largest: f64,
    measure: impl Fn(&lissome_shape::comparison::Distance) -> f64,
) -> Svg {
    let curves = comparison
        .approximations
        .iter()
        .map(|shape| {
            let along = distances(shape, &comparison.exact);
            let point = |(i, d): (usize, &lissome_shape::comparison::Distance)| {
                let value = measure(d);
                // The ends fit exactly: a gap in the curve.
                let shown = if value > ROUNDING * largest { value } else { f64::NAN };
                (i as f64 / (PLACES - 1) as f64, shown)
            };
            Curve { name: shape.method.name().into(), points: along.iter().enumerate().map(point).collect() }
        })
        .collect();
    Plot {
        title: title.into(),
        x_label: "τ = s/L".into(),
        y_label: unit.into(),
        curves,
        logarithmic: true,
        ..Plot::default()
    }
    .draw()
}

/// What the tip missed by, iteration by iteration.
fn history(comparison: &Comparison) -> Svg {
    let shapes = comparison.approximations.iter().chain(std::iter::once(&comparison.exact));
    let curves = shapes
        .map(|shape| Curve {
            name: shape.method.name().into(),
            points: shape.history.iter().enumerate().map(|(i, g)| (i as f64, g.max(1e-17))).collect(),
        })
        .collect();
    Plot {
        title: "Constraint".into(),
        x_label: "iteration".into(),
        y_label: "tip misfit / L".into(),
        curves,
        logarithmic: true,
        counted: true,
        ..Plot::default()
    }
    .draw()
}
