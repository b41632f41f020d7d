//! Rods for the view: poses at stations, how thick they are there, and what they can be coloured by.

use super::pack;
use super::sequence::Sequence;
use super::thinning::{FIELDS, Thinning, evenly};
use crate::number;
use lissome_lie::{Pose, Wrench};
use lissome_model::{DriveTarget, Rod, Scene, Section, Shape, TubeSet};
use lissome_solve::{MotionFrame, RodFrame};
use nalgebra::Vector3;
use serde_json::{Value as Json, json};

/// Name and unit of each field; strains are told in percent.
const NAMES: [(&str, &str); FIELDS] = [
    ("largest strain", "%"),
    ("largest stress", "Pa"),
    ("curvature", "1/m"),
    ("bending moment", "N·m"),
    ("torque", "N·m"),
    ("axial force", "N"),
    ("shear force", "N"),
];
/// A field is rounding where it is below this part of what it is beside.
const ROUNDING: f64 = 1e-9;

/// Half sizes of a section: along y and z if it is a rectangle, else twice the radius.
fn half_sizes(section: &Section) -> (f64, f64, bool) {
    if let Section::Layers { layers, .. } = section
        && let Some(Shape::Rectangle { width, height }) = layers.last().map(|layer| layer.shape)
    {
        return (0.5 * width, 0.5 * height, true);
    }
    let radius = section.outer_radius();
    (radius, radius, false)
}

/// How far each tube reaches in a frame, as a part of the innermost, which is the longest.
fn reaches(scene: &Scene, rod: usize, set: &TubeSet, frame: &MotionFrame) -> Vec<f64> {
    let insertion = |tube: usize| {
        let target = DriveTarget::TubeInsertion { rod, tube };
        let drive = scene.drives.iter().position(|drive| drive.target == target);
        drive.and_then(|drive| frame.drives.get(drive).copied()).unwrap_or(set.tubes[tube].insertion)
    };
    let whole = insertion(0);
    (0..set.tubes.len()).map(|tube| insertion(tube) / whole).collect()
}

/// Fields at every station of a rod; NaN where they are not known.
fn fields(rod: &Rod, frame: &RodFrame) -> Vec<[f64; FIELDS]> {
    let last = frame.poses.len().saturating_sub(1).max(1);
    let ds = rod.length / last as f64;
    let turn = |i: usize| match (frame.poses.get(i), frame.poses.get(i + 1)) {
        (Some(a), Some(b)) => (a.rotation.inverse() * b.rotation).log().norm() / ds,
        _ => f64::NAN,
    };
    let at = |i: usize| {
        // Between stations, so the mean of both sides inside.
        let (before, after) = (turn(i.saturating_sub(1)), turn(i.min(last - 1)));
        let curvature = 0.5 * (before + after);
        let Some(stress) = frame.stress.get(i) else {
            return std::array::from_fn(|field| if field == 2 { curvature } else { f64::NAN });
        };
        let (strain, young) = match rod.tubes {
            // The tubes of a set bear on each other: the sum does not say what one carries.
            Some(_) => (f64::NAN, f64::NAN),
            None => surface(&rod.profile.at(rod.length * i as f64 / last as f64), stress),
        };
        let Wrench { moment, force } = *stress;
        [strain, strain * young, curvature, moment.y.hypot(moment.z), moment.x, force.x, force.y.hypot(force.z)]
    };
    (0..frame.poses.len()).map(at).collect()
}

/// The largest strain along the rod at the surface of a section, by bending and stretching, and the modulus there.
fn surface(section: &Section, stress: &Wrench) -> (f64, f64) {
    let k = section.stiffness();
    let (y, z, flat) = half_sizes(section);
    let (about_y, about_z) = (stress.moment.y / k[(1, 1)], stress.moment.z / k[(2, 2)]);
    let bent = if flat { about_y.abs() * z + about_z.abs() * y } else { about_y.hypot(about_z) * y };
    let young = match section {
        Section::Layers { layers, .. } => layers.last().map_or(f64::NAN, |layer| layer.material.young),
        Section::Given { .. } => f64::NAN,
    };
    (bent + (stress.force.x / k[(3, 3)]).abs(), young)
}

/// Least and greatest of each field; `None` where it is not known, or rounding.
fn ranges(all: &[Vec<Vec<[f64; FIELDS]>>], size: f64) -> [Option<(f64, f64)>; FIELDS] {
    let of = |field: usize| {
        let values = all.iter().flatten().flatten().map(|fields| fields[field]).filter(|x| x.is_finite());
        values.map(|x| (x, x)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    };
    let found: [Option<(f64, f64)>; FIELDS] = std::array::from_fn(of);
    let most = |field: usize| found[field].map_or(0.0, |(low, high)| low.abs().max(high.abs()));
    let moment = most(3).max(most(4));
    let force = most(5).max(most(6)).max(moment / size);
    let moment = moment.max(force * size);
    let beside = [1.0, 0.0, 1.0 / size, moment, moment, force, force];
    let floor = |field: usize| match field {
        // A strain of this size is rounding whatever carries it, and stress goes with strain.
        0 => 1e-12,
        1 if most(0) <= 1e-12 => f64::INFINITY,
        _ => ROUNDING * beside[field],
    };
    // An end that is rounding beside the other is zero.
    let flushed = |x: f64, most: f64| if x.abs() < ROUNDING * most { 0.0 } else { x };
    std::array::from_fn(|field| {
        let ends = found[field].filter(|_| most(field) > floor(field));
        ends.map(|(low, high)| (flushed(low, most(field)), flushed(high, most(field))))
    })
}

fn words(value: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{} %", number::significant(100.0 * value, 3)),
        "1/m" => format!("{} 1/m", number::significant(value, 3)),
        _ => {
            let scaled = number::scale(value.abs(), unit);
            format!("{} {}", number::significant(value * scaled.factor, 3), scaled.unit)
        }
    }
}

/// The rods, and the fields that they can be coloured by.
pub fn json(scene: &Scene, sequence: &Sequence, thinning: &Thinning, size: f64) -> (Vec<Json>, Vec<Json>) {
    let frames = &sequence.frames;
    let shown = scene.rods.len().min(thinning.rods);
    let all: Vec<Vec<Vec<[f64; FIELDS]>>> = scene.rods[..shown]
        .iter()
        .enumerate()
        .map(|(i, rod)| frames.iter().map(|frame| frame.rods.get(i).map_or(Vec::new(), |at| fields(rod, at))).collect())
        .collect();
    let ranges = ranges(&all, size);
    let known: Vec<usize> = (0..FIELDS).filter(|field| ranges[*field].is_some()).collect();
    let rods = scene.rods[..shown].iter().enumerate().filter_map(|(i, rod)| {
        let count = frames.iter().map(|frame| frame.rods.get(i).map_or(0, |at| at.poses.len())).min()?;
        let stations = count.min(thinning.stations);
        if stations < 2 {
            return None;
        }
        let chosen = |frame: &MotionFrame| evenly(frame.rods[i].poses.len(), stations);
        let poses = || frames.iter().flat_map(|frame| chosen(frame).into_iter().map(|k| &frame.rods[i].poses[k]));
        let of_field = |field: usize| {
            let (low, high) = ranges[field].unwrap_or_default();
            let at = frames.iter().zip(&all[i]);
            pack::fractions(at.flat_map(|(frame, own)| chosen(frame).into_iter().map(|k| own[k][field])), low, high)
        };
        let (position, turn) = poses_json(poses());
        let mut json = json!({
            "name": rod.name, "stations": stations, "position": position, "turn": turn,
            "fields": known.iter().map(|field| of_field(*field)).collect::<Vec<_>>(),
        });
        thickness(scene, i, rod, frames, stations, &mut json);
        Some(json)
    });
    let rods = rods.collect();
    let fields = known.iter().filter_map(|field| {
        let ((low, high), (name, unit)) = (ranges[*field]?, NAMES[*field]);
        Some(json!({ "name": name, "low": words(low, unit), "high": words(high, unit) }))
    });
    (rods, fields.collect())
}

/// Positions and turns of poses, frame by frame.
pub fn poses_json<'a>(poses: impl Iterator<Item = &'a Pose> + Clone) -> (String, String) {
    let positions: Vec<Vector3<f64>> = poses.clone().map(|pose| pose.position).collect();
    (pack::vectors(positions.iter()), pack::units(poses.flat_map(|pose| pose.rotation.stored())))
}

/// Half sizes at the stations: once, or for tubes, which slide in each other, in every frame with the outermost tube there.
fn thickness(scene: &Scene, index: usize, rod: &Rod, frames: &[MotionFrame], stations: usize, json: &mut Json) {
    let last = (stations - 1) as f64;
    let Some(set) = &rod.tubes else {
        let sizes: Vec<_> = (0..stations).map(|k| half_sizes(&rod.profile.at(rod.length * k as f64 / last))).collect();
        json["flat"] = json!(sizes.iter().any(|size| size.2));
        json["size"] = json!(pack::floats(sizes.iter().flat_map(|(y, z, _)| [*y, *z])));
        return;
    };
    let (mut sizes, mut tubes) = (Vec::new(), Vec::new());
    for frame in frames {
        let reaches = reaches(scene, index, set, frame);
        for k in 0..stations {
            let reach = |tube: usize| reaches[tube] >= k as f64 / last - 1e-9;
            let outer = (0..set.tubes.len()).rev().find(|tube| reach(*tube)).unwrap_or(0);
            sizes.extend([0.5 * set.tubes[outer].outer_diameter; 2]);
            tubes.push(outer as u8);
        }
    }
    json["size"] = json!(pack::floats(sizes.into_iter()));
    json["tube"] = json!(pack::base64(&tubes));
}
