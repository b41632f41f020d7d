//! Loads as arrows: straight for forces, bent for moments about the line of sight, doubled for moments across it.

use super::plane::Plane;
use super::svg::{Anchor, Point, Svg};
use crate::number;
use crate::places;
use crate::summary::Summary;
use lissome_lie::{Pose, Wrench};
use lissome_model::{DriveTarget, Frame, FrameLoad, FrameLoadKind, Load, LoadFrame, LoadKind, Scene};
use lissome_solve::{RodRecord, Sample};
use nalgebra::Vector3;
use std::fmt::Write as _;

/// Arrows along a distributed load.
const ALONG: usize = 7;
/// Below this part in the plane of the view a vector points at the reader, or away.
const TOWARDS_READER: f64 = 0.08;
/// Radius of the bent arrow, px.
const BEND: f64 = 17.0;

/// How an arrow is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Force,
    /// Force at the reader (true) or away.
    Point(bool),
    /// Moment across the line of sight.
    Double,
    /// Moment about it, against the clock (true) or with it.
    Bent(bool),
}

/// One arrow, in metres in the plane of the view.
#[derive(Clone, Debug)]
pub struct Arrow {
    /// Where the load acts.
    pub from: (f64, f64),
    /// Where the arrow ends.
    pub to: (f64, f64),
    kind: Kind,
    label: String,
}

/// A force or a moment where it acts, in world axes.
pub(super) struct Acting {
    pub(super) at: Vector3<f64>,
    pub(super) vector: Vector3<f64>,
    pub(super) is_moment: bool,
    pub(super) label: String,
}

/// Every load of a scene: where sections of rods and frames are, and the factor on each load, is told by the caller.
pub(super) fn acting(
    scene: &Scene,
    on_rod: impl Fn(usize, f64) -> Option<Pose>,
    on_frame: impl Fn(&Frame) -> Option<Pose>,
    factor: impl Fn(DriveTarget) -> f64,
) -> Vec<Acting> {
    let mut all = Vec::new();
    for (index, load) in scene.loads.iter().enumerate() {
        all.extend(of_load(load, |s| on_rod(load.rod, s), factor(DriveTarget::Load(index))));
    }
    for (index, load) in scene.frame_loads.iter().enumerate() {
        if let Some(pose) = on_frame(&load.on) {
            all.extend(of_frame_load(load, &pose, factor(DriveTarget::FrameLoad(index))));
        }
    }
    all
}

/// The arrows of every load; the largest force, and the largest moment, is `longest` metres long.
pub fn of(summary: &Summary<'_>, plane: Plane, longest: f64) -> Vec<Arrow> {
    let (scene, equilibrium) = (summary.scene, summary.equilibrium);
    let on_rod = |rod: usize, s: f64| nearest_sample(equilibrium.rods.get(rod)?, s).map(|sample| sample.pose);
    let on_frame = |frame: &Frame| places::of_frame(equilibrium, frame);
    let acting = acting(scene, on_rod, on_frame, |target| driven(summary, target));
    let largest = |moment: bool| {
        let sizes = acting.iter().filter(|a| a.is_moment == moment).map(|a| a.vector.norm());
        sizes.fold(0.0, f64::max).max(f64::MIN_POSITIVE)
    };
    let (force, moment) = (largest(false), largest(true));
    acting
        .iter()
        .map(|Acting { at, vector, is_moment, label }| {
            let from = plane.project(at);
            let scaled = vector * (longest / if *is_moment { moment } else { force });
            let seen = plane.project(&scaled);
            let towards = plane.towards(&scaled);
            let in_plane = seen.0.hypot(seen.1);
            let kind = match (*is_moment, in_plane < TOWARDS_READER * scaled.norm()) {
                (false, false) => Kind::Force,
                (false, true) => Kind::Point(towards > 0.0),
                (true, _) if towards.abs() >= in_plane => Kind::Bent(towards > 0.0),
                (true, _) => Kind::Double,
            };
            let to = match kind {
                Kind::Force | Kind::Double => (from.0 + seen.0, from.1 + seen.1),
                Kind::Point(_) | Kind::Bent(_) => from,
            };
            Arrow { from, to, kind, label: label.clone() }
        })
        .collect()
}

/// Factor on a load at the end of a path, or where a single answer stands.
fn driven(summary: &Summary<'_>, target: DriveTarget) -> f64 {
    let at = summary.path.last().map_or(0.0, |sample| sample.at);
    summary.scene.drives.iter().find(|drive| drive.target == target).map_or(1.0, |drive| drive.signal.at(at))
}

/// What a load does along its rod.
fn of_load(load: &Load, at: impl Fn(f64) -> Option<Pose>, factor: f64) -> Vec<Acting> {
    let (places, wrench, units) = match load.kind {
        LoadKind::Point { at, wrench } => (vec![at], wrench, ["N", "N·m"]),
        LoadKind::Distributed { from, to, per_length } => {
            let step = (to - from) / (ALONG - 1) as f64;
            ((0..ALONG).map(|i| from + step * i as f64).collect(), per_length, ["N/m", "N"])
        }
    };
    let mut found = Vec::new();
    for (index, s) in places.iter().enumerate() {
        let Some(pose) = at(*s) else { continue };
        let labelled = index == places.len() / 2;
        found.extend(of_wrench(&wrench, load.frame, factor, &pose, labelled.then_some(units)));
    }
    found
}

/// What a load does to a frame.
fn of_frame_load(load: &FrameLoad, pose: &Pose, factor: f64) -> Vec<Acting> {
    match load.kind {
        FrameLoadKind::Wrench { axes, wrench } => of_wrench(&wrench, axes, factor, pose, Some(["N", "N·m"])),
        FrameLoadKind::Toward { point, size } => {
            let way = (point - pose.position).try_normalize(0.0).unwrap_or_default();
            of_wrench(&Wrench::new(Vector3::zeros(), way * size), LoadFrame::World, factor, pose, Some(["N", "N·m"]))
        }
    }
}

/// Force and moment of a wrench that are not zero; `units` if they are labelled.
fn of_wrench(wrench: &Wrench, axes: LoadFrame, factor: f64, pose: &Pose, units: Option<[&str; 2]>) -> Vec<Acting> {
    let label = |size: f64, index: usize| units.map_or(String::new(), |u| number::with_unit(size, u[index]));
    let parts = [(wrench.force * factor, false), (wrench.moment * factor, true)].map(|(vector, is_moment)| Acting {
        at: pose.position,
        vector: match axes {
            LoadFrame::World => vector,
            LoadFrame::Body => pose.rotation.rotate(&vector),
        },
        is_moment,
        label: label(vector.norm(), usize::from(is_moment)),
    });
    parts.into_iter().filter(|acting| acting.vector.norm() > 0.0).collect()
}

fn nearest_sample(rod: &RodRecord, s: f64) -> Option<&Sample> {
    rod.samples.iter().min_by(|a, b| (a.s - s).abs().total_cmp(&(b.s - s).abs()))
}

impl Arrow {
    /// Draws it, given the way from metres to the picture.
    pub fn draw(&self, svg: &mut Svg, place: impl Fn((f64, f64)) -> Point) {
        let (from, to) = (place(self.from), place(self.to));
        if [from.0, from.1, to.0, to.1].iter().any(|x| !x.is_finite()) {
            return;
        }
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1e-9);
        let unit = (dx / length, dy / length);
        let label_at = match self.kind {
            Kind::Force | Kind::Double => {
                svg.line("load", from, (to.0 - 6.0 * unit.0, to.1 - 6.0 * unit.1));
                head(svg, to, unit);
                if self.kind == Kind::Double {
                    head(svg, (to.0 - 7.0 * unit.0, to.1 - 7.0 * unit.1), unit);
                }
                // Beyond the head of an upright arrow, above the middle of a lying one.
                if unit.1.abs() > 0.7 {
                    (to.0, to.1 + if unit.1 < 0.0 { -6.0 } else { 15.0 })
                } else {
                    (0.5 * (from.0 + to.0), 0.5 * (from.1 + to.1) - 8.0)
                }
            }
            Kind::Point(at_reader) => {
                svg.circle("load", from, 6.0);
                if at_reader {
                    svg.circle("head", from, 2.4);
                } else {
                    let d = 4.2;
                    svg.line("load", (from.0 - d, from.1 - d), (from.0 + d, from.1 + d));
                    svg.line("load", (from.0 - d, from.1 + d), (from.0 + d, from.1 - d));
                }
                (from.0 + 11.0, from.1 - 8.0)
            }
            Kind::Bent(against_clock) => {
                bent(svg, from, against_clock);
                (from.0 + BEND + 8.0, from.1 - BEND + 2.0)
            }
        };
        if !self.label.is_empty() {
            let anchor = match self.kind {
                Kind::Force | Kind::Double => Anchor::Middle,
                Kind::Point(_) | Kind::Bent(_) => Anchor::Start,
            };
            svg.label("load-name", label_at, anchor, &self.label);
        }
    }
}

/// A triangle with its point at `at`.
fn head(svg: &mut Svg, at: Point, (x, y): (f64, f64)) {
    let (back, side) = (9.0, 4.0);
    let base = (at.0 - back * x, at.1 - back * y);
    let data = format!(
        "M{:.2} {:.2}L{:.2} {:.2}L{:.2} {:.2}Z",
        at.0,
        at.1,
        base.0 - side * y,
        base.1 + side * x,
        base.0 + side * y,
        base.1 - side * x
    );
    svg.path("head", &data);
}

/// Three quarters of a circle with a head.
fn bent(svg: &mut Svg, (x, y): Point, against_clock: bool) {
    // From the right over the top to the bottom, or its mirror image.
    let mirror = if against_clock { 1.0 } else { -1.0 };
    let mut data = String::new();
    let sweep = u8::from(!against_clock);
    // Writing to a String cannot fail.
    let _ = write!(data, "M{:.2} {y:.2}A{BEND} {BEND} 0 1 {sweep} {x:.2} {:.2}", x + mirror * BEND, y + BEND);
    svg.path("load", &data);
    head(svg, (x + mirror * 5.0, y + BEND), (mirror, 0.0));
}
