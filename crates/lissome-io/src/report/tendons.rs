//! Tendons and the disks that guide them as they are seen, what they carry, and how they press on their rods.

use super::picture::Picture;
use super::plane::Plane;
use super::plot::{Curve, Plot};
use super::svg::{Point, Svg};
use super::tables::titled;
use super::window::Window;
use crate::number;
use crate::summary::Summary;
use lissome_lie::Pose;
use lissome_model::{Disks, Scene};
use lissome_solve::{Equilibrium, RodRecord, TendonRecord};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// Corners of a disk as drawn.
const CORNERS: usize = 32;

/// Every point of tendons and disks, for the frame of a view.
pub(super) fn points(scene: &Scene, equilibrium: &Equilibrium) -> Vec<Vector3<f64>> {
    let runs = equilibrium.tendons.iter().flat_map(|tendon| &tendon.runs);
    let threads = runs.flat_map(|run| run.points.iter().copied());
    threads.chain(scene.disks.iter().flat_map(|disks| rims(disks, equilibrium)).flatten()).collect()
}

/// Draws disks as their rims, then tendons as thin lines, dashed where they are slack.
pub(super) fn draw(svg: &mut Svg, scene: &Scene, equilibrium: &Equilibrium, plane: Plane, window: &Window) {
    let place = |p: &Vector3<f64>| window.at(plane.project(p));
    for disks in &scene.disks {
        svg.open(&format!("disks of {}", disks.name));
        for rim in rims(disks, equilibrium) {
            svg.polyline("disk", &rim.iter().map(place).collect::<Vec<Point>>());
        }
        svg.close();
    }
    for tendon in &equilibrium.tendons {
        svg.open(&format!("{}: {}, {}", tendon.name, tension_words(tendon), number::length(tendon.length)));
        for run in &tendon.runs {
            let class = if tendon.tension > 0.0 { "cable" } else { "cable slack" };
            svg.polyline(class, &run.points.iter().map(place).collect::<Vec<Point>>());
            if let Some(end) = run.points.last() {
                svg.circle("cable-point", place(end), 1.8);
            }
        }
        svg.close();
    }
}

/// The rims of disks, closed, where their rod is.
fn rims(disks: &Disks, equilibrium: &Equilibrium) -> Vec<Vec<Vector3<f64>>> {
    let Some(rod) = equilibrium.rods.get(disks.rod) else { return Vec::new() };
    let corner = |pose: &Pose, k: usize| {
        let (sine, cosine) = (TAU * k as f64 / CORNERS as f64).sin_cos();
        pose.transform(&(Vector3::new(0.0, cosine, sine) * disks.radius))
    };
    let rim = |pose: Pose| (0..=CORNERS).map(|k| corner(&pose, k)).collect();
    disks.places.iter().filter_map(|s| pose_near(rod, *s)).map(rim).collect()
}

/// The pose of a rod between two of its samples, as near as a picture needs it.
fn pose_near(rod: &RodRecord, s: f64) -> Option<Pose> {
    let after = rod.samples.partition_point(|sample| sample.s < s).clamp(1, rod.samples.len().checked_sub(1)?);
    let (a, b) = (&rod.samples[after - 1], &rod.samples[after]);
    let part = ((s - a.s) / (b.s - a.s)).clamp(0.0, 1.0);
    let turn = (a.pose.rotation.inverse() * b.pose.rotation).log() * part;
    let rotation = a.pose.rotation * lissome_lie::Rotation::exp(&turn);
    Some(Pose::new(rotation, a.pose.position + (b.pose.position - a.pose.position) * part))
}

fn tension_words(tendon: &TendonRecord) -> String {
    if tendon.tension > 0.0 { number::with_unit(tendon.tension, "N") } else { "slack".into() }
}

/// One row a tendon.
pub(super) fn table(summary: &Summary<'_>) -> String {
    let scene = summary.scene;
    let rows = scene.tendons.iter().zip(&summary.equilibrium.tendons).map(|(tendon, record)| {
        let along: Vec<String> = (tendon.runs.iter())
            .map(|run| {
                let rod = scene.rods.get(run.rod).map_or("", |rod| rod.name.as_str());
                format!("{rod} from {} to {}", number::length(run.from), number::length(run.to))
            })
            .collect();
        let pressures = || record.runs.iter().flat_map(|run| &run.pressure).copied();
        let tied = record.runs.last().and_then(|run| run.tension.last()).copied().unwrap_or(record.tension);
        vec![
            tendon.name.clone(),
            tendon.drive.name().into(),
            tension_words(record),
            number::with_unit(tied, "N"),
            number::length(record.length),
            number::length(record.pulled),
            number::with_unit(pressures().fold(0.0, f64::max), "N/m"),
            along.join(", "),
        ]
    });
    let head = [
        "tendon",
        "prescribed",
        "tension",
        "at its end",
        "length",
        "pulled in",
        "largest pressure on the rod",
        "along",
    ];
    titled("Tendons", &head, rows.collect())
}

/// How the tendons of a rod press on it, along the rod; nothing without tendons.
pub(super) fn along(summary: &Summary<'_>, index: usize) -> Vec<Picture> {
    let Some(rod) = summary.equilibrium.rods.get(index) else { return Vec::new() };
    let runs = || {
        let of = |tendon: &'_ TendonRecord| tendon.runs.iter().filter(|run| run.rod == index).count();
        let tendons = summary.equilibrium.tendons.iter().filter(move |tendon| of(tendon) > 0);
        tendons.flat_map(move |tendon| {
            tendon.runs.iter().filter(move |run| run.rod == index).map(move |run| (tendon, run))
        })
    };
    if runs().next().is_none() {
        return Vec::new();
    }
    let s_unit = number::scale(rod.samples.last().map_or(1.0, |s| s.s), "m");
    let picture = |file: &str, title: &str, unit: &str, of: fn(&lissome_solve::TendonRunRecord) -> &Vec<f64>| {
        let largest = runs().flat_map(|(_, run)| of(run)).fold(0.0_f64, |most, x| most.max(x.abs()));
        let scaled = number::scale(largest, unit);
        let curves = runs().map(|(tendon, run)| Curve {
            name: tendon.name.clone(),
            points: run.s.iter().zip(of(run)).map(|(s, x)| (s * s_unit.factor, x * scaled.factor)).collect(),
        });
        let plot = Plot {
            title: title.into(),
            x_label: format!("s / {}", s_unit.unit),
            y_label: scaled.unit.clone(),
            curves: curves.collect(),
            ..Plot::default()
        };
        Picture { name: format!("{}-{file}", rod.name), svg: plot.draw() }
    };
    vec![
        picture("tendon-pressure", "Pressure of the tendons on the rod", "N/m", |run| &run.pressure),
        picture("tendon-tension", "Tension along the tendons", "N", |run| &run.tension),
    ]
}
