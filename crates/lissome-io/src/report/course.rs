//! What changes along a path, as columns of numbers: drives, places that move, joints, cables, energies.

use lissome_lie::Pose;
use lissome_model::{CableDrive, Coordinate, DriveTarget, FrameLoadKind, JointMotion, LoadKind, Scene};
use lissome_solve::{Equilibrium, PathSample};
use nalgebra::Vector3;

/// Motions below this part of the largest are rounding.
const STANDS_STILL: f64 = 1e-6;

/// What a column measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Angle,
    Length,
    Force,
    Moment,
    Factor,
}

/// A quantity along the path.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) unit: Unit,
    pub(super) values: Vec<f64>,
}

impl Column {
    /// How far it goes.
    pub(super) fn range(&self) -> f64 {
        let finite = || self.values.iter().copied().filter(|x| x.is_finite());
        (finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min)).max(0.0)
    }
}

/// A driven quantity along the path.
#[derive(Clone, Debug)]
pub(super) struct Driven {
    pub(super) column: Column,
    /// True for loads and tensions, which stand on the vertical axis of a force–displacement curve.
    pub(super) is_effort: bool,
}

/// The drives; a factor on a load is shown as the load itself.
pub(super) fn drives(scene: &Scene, path: &[PathSample]) -> Vec<Driven> {
    let of = |index: usize| {
        let drive = &scene.drives[index];
        let (unit, size) = measure(scene, drive.target);
        let name = drive.path.strip_suffix(".factor").unwrap_or(&drive.path).to_owned();
        let values = path.iter().map(|sample| size * sample.drives.get(index).copied().unwrap_or(f64::NAN)).collect();
        let is_effort = matches!(unit, Unit::Force | Unit::Moment | Unit::Factor);
        Driven { column: Column { name, unit, values }, is_effort }
    };
    (0..scene.drives.len()).map(of).collect()
}

/// Unit of a driven quantity, and what its value is a multiple of.
pub(super) fn measure(scene: &Scene, target: DriveTarget) -> (Unit, f64) {
    let coordinate = |joint: usize, index: usize| scene.joints[joint].kind.coordinates()[index].1;
    let of_wrench = |wrench: &lissome_lie::Wrench| match wrench.force.norm() {
        size if size > 0.0 => (Unit::Force, size),
        _ if wrench.moment.norm() > 0.0 => (Unit::Moment, wrench.moment.norm()),
        _ => (Unit::Factor, 1.0),
    };
    let of_thread = |drive: CableDrive| match drive {
        CableDrive::Tension(_) => (Unit::Force, 1.0),
        CableDrive::Length(_) | CableDrive::Pull(_) => (Unit::Length, 1.0),
    };
    match target {
        DriveTarget::JointValue { joint, coordinate: index } => match coordinate(joint, index) {
            Coordinate::Angle => (Unit::Angle, 1.0),
            Coordinate::Distance => (Unit::Length, 1.0),
        },
        DriveTarget::JointEffort { joint, coordinate: index } => match coordinate(joint, index) {
            Coordinate::Angle => (Unit::Moment, 1.0),
            Coordinate::Distance => (Unit::Force, 1.0),
        },
        DriveTarget::Cable(cable) => of_thread(scene.cables[cable].drive),
        DriveTarget::Tendon(tendon) => of_thread(scene.tendons[tendon].drive),
        DriveTarget::Load(load) => match &scene.loads[load].kind {
            LoadKind::Point { wrench, .. } => of_wrench(wrench),
            LoadKind::Distributed { .. } => (Unit::Factor, 1.0),
        },
        DriveTarget::FrameLoad(load) => match &scene.frame_loads[load].kind {
            FrameLoadKind::Wrench { wrench, .. } => of_wrench(wrench),
            FrameLoadKind::Toward { size, .. } => (Unit::Force, *size),
        },
        DriveTarget::Gravity => (Unit::Factor, 1.0),
        DriveTarget::TubeRotation { .. } => (Unit::Angle, 1.0),
        DriveTarget::TubeInsertion { .. } => (Unit::Length, 1.0),
    }
}

/// A place whose motion is worth a curve: a free end of a rod, or a body.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) poses: Vec<Pose>,
    /// Whether its turning is of interest too.
    pub(super) is_body: bool,
}

impl Place {
    fn travel(&self) -> f64 {
        let (low, high) = self
            .poses
            .iter()
            .map(|pose| pose.position)
            .filter(|p| p.iter().all(|x| x.is_finite()))
            .fold((Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)), |(low, high), p| {
                (low.inf(&p), high.sup(&p))
            });
        let travel = (high - low).norm();
        if travel.is_finite() { travel } else { 0.0 }
    }

    /// Displacement from the first sample, along each world axis.
    pub(super) fn displacement(&self) -> [Column; 3] {
        let start = self.poses.first().map_or(Vector3::zeros(), |pose| pose.position);
        std::array::from_fn(|axis| Column {
            name: ["x", "y", "z"][axis].into(),
            unit: Unit::Length,
            values: self.poses.iter().map(|pose| pose.position[axis] - start[axis]).collect(),
        })
    }

    /// Rotation vector from the first sample, about each world axis.
    pub(super) fn rotation(&self) -> [Column; 3] {
        let start = self.poses.first().map_or(Pose::identity(), |pose| *pose).rotation;
        std::array::from_fn(|axis| Column {
            name: ["about x", "about y", "about z"][axis].into(),
            unit: Unit::Angle,
            values: self.poses.iter().map(|pose| (pose.rotation * start.inverse()).log()[axis]).collect(),
        })
    }
}

/// The places that move most, at most `count`, each once however many parts are there.
pub(super) fn moving_places(scene: &Scene, path: &[PathSample], count: usize) -> Vec<Place> {
    let poses = |of: &dyn Fn(&Equilibrium) -> Option<Pose>| path.iter().filter_map(|s| of(&s.equilibrium)).collect();
    let mut places: Vec<Place> = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let of = |answer: &Equilibrium| answer.bodies.get(index).map(|body| body.pose);
        places.push(Place { name: body.name.clone(), poses: poses(&of), is_body: true });
    }
    for (index, rod) in scene.rods.iter().enumerate() {
        if rod.tip.is_none() {
            let of = |answer: &Equilibrium| answer.rods.get(index).map(|rod| rod.tip);
            places.push(Place { name: format!("tip of {}", rod.name), poses: poses(&of), is_body: false });
        } else if rod.base.is_none() {
            let of = |answer: &Equilibrium| answer.rods.get(index)?.control_poses.first().copied();
            places.push(Place { name: format!("base of {}", rod.name), poses: poses(&of), is_body: false });
        }
    }
    places.sort_by(|a, b| b.travel().total_cmp(&a.travel()));
    let most = places.first().map_or(0.0, Place::travel);
    let mut kept: Vec<Place> = Vec::new();
    for place in places {
        let near = |a: &Pose, b: &Pose| (a.position - b.position).norm() <= STANDS_STILL * most;
        let known = |other: &Place| other.poses.iter().zip(&place.poses).all(|(a, b)| near(a, b));
        if most > 0.0 && place.travel() > STANDS_STILL * most && !kept.iter().any(known) {
            kept.push(place);
        }
    }
    kept.truncate(count);
    kept
}

/// Coordinates of the joints that no drive decides.
pub(super) fn joints(scene: &Scene, path: &[PathSample]) -> Vec<Column> {
    let mut columns = Vec::new();
    for (index, joint) in scene.joints.iter().enumerate() {
        if matches!(joint.motion, JointMotion::Driven { .. }) {
            continue;
        }
        for (of, (name, kind)) in joint.kind.coordinates().iter().enumerate() {
            let value = |s: &PathSample| s.equilibrium.joints.get(index).and_then(|j| j.values.get(of)).copied();
            columns.push(Column {
                name: if joint.freedom() == 1 { joint.name.clone() } else { format!("{}.{name}", joint.name) },
                unit: if *kind == Coordinate::Angle { Unit::Angle } else { Unit::Length },
                values: path.iter().map(|sample| value(sample).unwrap_or(f64::NAN)).collect(),
            });
        }
    }
    columns
}

/// Forces and least gaps of the pairs that touch somewhere on the path.
pub(super) fn contacts(path: &[PathSample]) -> (Vec<Column>, Vec<Column>) {
    let count = path.iter().map(|sample| sample.equilibrium.contacts.len()).min().unwrap_or(0);
    let at = |index: usize| path.iter().map(move |sample| &sample.equilibrium.contacts[index]);
    let touched = (0..count).filter(|index| at(*index).any(|pair| !pair.contact.points.is_empty()));
    let columns = touched.map(|index| {
        let first = &path[0].equilibrium.contacts[index];
        let column = |unit: Unit, values: Vec<f64>| Column {
            name: format!("{} – {}", first.part, first.obstacle),
            unit,
            values,
        };
        let forces = at(index).map(|pair| pair.contact.force().norm()).collect();
        let gaps = at(index).map(|pair| pair.contact.least_gap).collect();
        (column(Unit::Force, forces), column(Unit::Length, gaps))
    });
    columns.unzip()
}

/// Tensions of the cables and tendons, and how their lengths change.
pub(super) fn threads(scene: &Scene, path: &[PathSample]) -> (Vec<Column>, Vec<Column>) {
    let cables = scene.cables.len();
    // Cables first, then tendons: tension and length.
    let of = |equilibrium: &Equilibrium, index: usize| match index.checked_sub(cables) {
        None => equilibrium.cables.get(index).map(|cable| [cable.tension, cable.length]),
        Some(tendon) => equilibrium.tendons.get(tendon).map(|tendon| [tendon.tension, tendon.length]),
    };
    let column = |index: usize, unit: Unit, which: usize| {
        let value = |s: &PathSample| of(&s.equilibrium, index).map_or(f64::NAN, |both| both[which]);
        let name = match index.checked_sub(cables) {
            None => scene.cables[index].name.clone(),
            Some(tendon) => scene.tendons[tendon].name.clone(),
        };
        Column { name, unit, values: path.iter().map(value).collect() }
    };
    let all = 0..cables + scene.tendons.len();
    let tensions = all.clone().map(|index| column(index, Unit::Force, 0)).collect();
    let lengths = all
        .map(|index| {
            let mut length = column(index, Unit::Length, 1);
            let first = length.values.first().copied().unwrap_or(0.0);
            length.values.iter_mut().for_each(|value| *value -= first);
            length
        })
        .collect();
    (tensions, lengths)
}
