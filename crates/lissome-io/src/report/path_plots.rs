//! The pictures of a path: what changes over its parameter, drives against responses, and ways through space.

use super::column_scale::{labelled, scaling};
use super::course::{self, Column, Driven, Place, Unit};
use super::derivative_course::{self, Axis};
use super::diagram;
use super::picture::Picture;
use super::plane::Plane;
use super::plot::{Curve, Plot, flush};
use super::style::SERIES;
use super::svg::{Anchor, Point, Svg};
use super::window::{BOTTOM, Bounds, LEFT, TOP, WIDTH, Window};
use crate::number;
use crate::summary::Summary;
use lissome_solve::{DerivativeCourse, PathSample};

/// Places whose displacement is plotted over the parameter, and that have a picture of their way.
const PLACES: usize = 3;
const WAYS: usize = 2;
/// Drives that are plotted against responses, and responses for each.
const DRIVES: usize = 4;
const RESPONSES: usize = 2;
/// Smaller turns are rounding, rad.
const STANDS_STILL: f64 = 1e-9;
/// What runs to the right in plots over the parameter.
const AXIS: Option<&str> = Some("parameter");
/// A response that moves less than this part of the largest is not worth a plot.
const WORTH_A_PLOT: f64 = 0.05;

/// Every picture of the path; none if there is none.
pub fn pictures(summary: &Summary<'_>) -> Vec<Picture> {
    let mut all = diagram::pictures(summary);
    all.extend(responses(summary));
    all.extend(over_parameter(summary));
    all
}

/// The samples of the path; where it has branches, those of the first.
fn first_branch<'a>(summary: &Summary<'a>) -> &'a [PathSample] {
    let end = summary.branches.first().map_or(summary.path.len(), |branch| branch.samples.end);
    &summary.path[..end.min(summary.path.len())]
}

/// Drives against responses, and ways through space.
pub fn responses(summary: &Summary<'_>) -> Vec<Picture> {
    let (scene, path) = (summary.scene, first_branch(summary));
    if path.len() < 2 {
        return Vec::new();
    }
    let places = course::moving_places(scene, path, PLACES);
    let mut pictures = ways(&places);
    let mut drives: Vec<Driven> = course::drives(scene, path);
    drives.retain(|drive| drive.column.range() > 0.0);
    let mut shown: Vec<&Driven> = Vec::new();
    for drive in &drives {
        // Drives in step with each other give the same curve.
        if !shown.iter().any(|other| in_step(&other.column, &drive.column)) {
            shown.push(drive);
        }
    }
    let moved: Vec<(String, Column)> = places
        .iter()
        .flat_map(|place| place.displacement().map(|column| (format!("{} along {}", place.name, column.name), column)))
        .collect();
    let most = moved.iter().map(|(_, column)| column.range()).fold(0.0, f64::max);
    let mut worth: Vec<&(String, Column)> = moved.iter().filter(|(_, c)| c.range() > WORTH_A_PLOT * most).collect();
    worth.sort_by(|a, b| b.1.range().total_cmp(&a.1.range()));
    for drive in shown.into_iter().take(DRIVES) {
        for (name, response) in worth.iter().take(RESPONSES) {
            pictures.push(against(drive, name, response));
        }
    }
    pictures
}

/// True if one column is a multiple of the other but for a constant.
fn in_step(a: &Column, b: &Column) -> bool {
    let start = |c: &Column| c.values.first().copied().unwrap_or(0.0);
    let (a0, b0, ra, rb) = (start(a), start(b), a.range(), b.range());
    let same =
        |sign: f64| a.values.iter().zip(&b.values).all(|(x, y)| ((x - a0) / ra - sign * (y - b0) / rb).abs() < 1e-9);
    a.unit == b.unit && (same(1.0) || same(-1.0))
}

/// Effort over displacement, or displacement over a driven motion.
fn against(drive: &Driven, name: &str, response: &Column) -> Picture {
    let (x, x_name, y, y_name) = match drive.is_effort {
        true => (response, name, &drive.column, drive.column.name.as_str()),
        false => (&drive.column, drive.column.name.as_str(), response, name),
    };
    let (of_x, of_y) = (scaling(&[x]), scaling(&[y]));
    let points = x.values.iter().zip(&y.values).map(|(x, y)| (x * of_x.factor, y * of_y.factor)).collect();
    let plot = Plot {
        title: format!("{} against {}", y_name, x_name),
        x_label: labelled(x_name, &of_x),
        y_label: labelled(y_name, &of_y),
        curves: vec![Curve { name: String::new(), points }],
        dotted: true,
        tracked: true,
        ..Plot::default()
    };
    Picture { name: format!("path-{}-{}", file_name(&drive.column.name), file_name(name)), svg: plot.draw() }
}

/// Letters, digits and hyphens of a name.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// What changes over the parameter.
pub fn over_parameter(summary: &Summary<'_>) -> Vec<Picture> {
    let (scene, path) = (summary.scene, first_branch(summary));
    if path.len() < 2 {
        return Vec::new();
    }
    let mut pictures = Vec::new();
    let drives: Vec<Column> = course::drives(scene, path).into_iter().map(|drive| drive.column).collect();
    add(&mut pictures, path, "drives", "Drives", drives);
    for place in course::moving_places(scene, path, PLACES) {
        let file = file_name(&place.name);
        let title = |word: &str| format!("{} {word}", capital(&place.name));
        add(&mut pictures, path, &format!("{file}-moved"), &title("moved"), place.displacement().into());
        if place.is_body {
            add(&mut pictures, path, &format!("{file}-turned"), &title("turned"), place.rotation().into());
        }
    }
    add(&mut pictures, path, "joints", "Joints", course::joints(scene, path));
    let (tensions, lengths) = course::threads(scene, path);
    add(&mut pictures, path, "tensions", "Tensions of cables and tendons", tensions);
    add(&mut pictures, path, "cable-lengths", "Change of the lengths of cables and tendons", lengths);
    let (forces, gaps) = course::contacts(path);
    add(&mut pictures, path, "contact-forces", "Contact forces", forces);
    add(&mut pictures, path, "contact-gaps", "Least gaps", gaps);
    pictures.push(energy(path));
    pictures.extend(derivative_course::pictures(&DerivativeCourse::of_path(path), &Axis::PARAMETER));
    pictures.extend(effort(path));
    pictures
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// One plot for each unit and each handful of columns; none for what is zero throughout.
fn add(pictures: &mut Vec<Picture>, path: &[PathSample], file: &str, title: &str, columns: Vec<Column>) {
    for unit in [Unit::Angle, Unit::Length, Unit::Force, Unit::Moment, Unit::Factor] {
        let of_unit: Vec<&Column> = columns.iter().filter(|column| column.unit == unit).collect();
        let largest = of_unit.iter().map(|column| column.range()).fold(0.0, f64::max);
        // Angles of rounding are none, whatever turns.
        if largest == 0.0 || unit == Unit::Angle && largest < STANDS_STILL {
            continue;
        }
        let scaled = scaling(&of_unit);
        for (part, handful) in of_unit.chunks(SERIES.len()).enumerate() {
            let curves = handful.iter().map(|column| Curve {
                name: column.name.clone(),
                points: path
                    .iter()
                    .zip(&column.values)
                    .map(|(s, y)| (s.at, flush(*y, largest) * scaled.factor))
                    .collect(),
            });
            let plot = Plot {
                title: title.into(),
                x_label: "parameter".into(),
                y_label: scaled.unit.clone(),
                curves: curves.collect(),
                verticals: event_places(path),
                axis: AXIS,
                ..Plot::default()
            };
            let number = if part == 0 { String::new() } else { format!("-{}", part + 1) };
            let unit = format!("{unit:?}").to_lowercase();
            pictures.push(Picture { name: format!("path-{file}-{unit}{number}"), svg: plot.draw() });
        }
    }
}

/// Where events interrupt the path.
fn event_places(path: &[PathSample]) -> Vec<f64> {
    path.iter().skip(1).flat_map(|sample| &sample.equilibrium.outcome.events).map(|event| event.at).collect()
}

fn energy(path: &[PathSample]) -> Picture {
    let of = |sample: &PathSample| {
        let energy = sample.equilibrium.outcome.energy;
        [energy.elastic, energy.gravity, energy.loads, energy.total()]
    };
    let largest = path.iter().flat_map(of).filter(|x| x.is_finite()).fold(0.0_f64, |m, x| m.max(x.abs()));
    let scaled = number::scale(largest, "J");
    let shown = |index: usize| path.iter().any(|sample| of(sample)[index].abs() > 1e-12 * largest);
    let names = ["elastic", "gravity", "loads", "total"];
    let only_elastic = !shown(1) && !shown(2);
    let curves = (0..4).filter(|index| if only_elastic { *index == 0 } else { shown(*index) }).map(|index| Curve {
        name: names[index].into(),
        points: path.iter().map(|sample| (sample.at, of(sample)[index] * scaled.factor)).collect(),
    });
    let plot = Plot {
        title: "Energies".into(),
        x_label: "parameter".into(),
        y_label: scaled.unit.clone(),
        curves: curves.collect(),
        verticals: event_places(path),
        axis: AXIS,
        ..Plot::default()
    };
    Picture { name: "path-energy".into(), svg: plot.draw() }
}

/// How hard each sample was to find, and how stable it is.
fn effort(path: &[PathSample]) -> Vec<Picture> {
    let draw = |name: &str, title: &str, of: &dyn Fn(&PathSample) -> f64| {
        let points: Vec<(f64, f64)> = path.iter().map(|sample| (sample.at, of(sample))).collect();
        let plot = Plot {
            title: title.into(),
            x_label: "parameter".into(),
            curves: vec![Curve { name: String::new(), points }],
            dotted: true,
            verticals: event_places(path),
            axis: AXIS,
            ..Plot::default()
        };
        Picture { name: format!("path-{name}"), svg: plot.draw() }
    };
    let mut pictures =
        vec![draw("iterations", "Newton iterations of each sample", &|s| s.equilibrium.outcome.iterations() as f64)];
    let eigenvalue = |s: &PathSample| s.equilibrium.outcome.stability.map_or(f64::NAN, |s| s.smallest_eigenvalue);
    if path.iter().any(|sample| eigenvalue(sample).is_finite()) {
        pictures.push(draw("stability", "Smallest relative stiffness (0 at a fold)", &eigenvalue));
    }
    pictures
}

/// The way of each place that moves most, in the planes that show it.
fn ways(places: &[Place]) -> Vec<Picture> {
    places.iter().take(WAYS).flat_map(|place| planes_of(place).into_iter().map(|plane| way(place, plane))).collect()
}

/// The planes in which a place moves both ways, the best two first.
fn planes_of(place: &Place) -> Vec<Plane> {
    let [x, y, z] = place.displacement().map(|column| column.range());
    let most = x.max(y).max(z);
    let mut planes = [(Plane::Side, x.min(z)), (Plane::Top, x.min(y)), (Plane::Front, y.min(z))];
    planes.sort_by(|a, b| b.1.total_cmp(&a.1));
    planes.into_iter().filter(|(_, less)| *less > WORTH_A_PLOT * most).take(2).map(|(plane, _)| plane).collect()
}

fn way(place: &Place, plane: Plane) -> Picture {
    let curve: Vec<(f64, f64)> = place.poses.iter().map(|pose| plane.project(&pose.position)).collect();
    let mut bounds = Bounds::default();
    curve.iter().for_each(|point| bounds.include(*point));
    let window = Window::around(&bounds);
    let (_, horizontal, vertical) = plane.labels();
    let title = format!("Way of {} in the {horizontal}–{vertical} plane", place.name);
    let mut svg = Svg::new(WIDTH, TOP + window.height + BOTTOM, &title);
    svg.text("title", (LEFT, 20.0), Anchor::Start, &title);
    svg.set_track();
    window.draw_frame(&mut svg, plane);
    let points: Vec<Point> = curve.iter().map(|point| window.at(*point)).collect();
    svg.polyline(&format!("curve {}", SERIES[0]), &points);
    points.iter().for_each(|point| svg.circle("mark f0", *point, 3.0));
    if let Some(start) = points.first() {
        svg.text("label", (start.0 + 7.0, start.1 - 6.0), Anchor::Start, "start");
    }
    Picture { name: format!("path-way-{}-{}", file_name(&place.name), plane.file()), svg }
}
