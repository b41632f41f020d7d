//! `[drive]`: what changes along a path or in time, each under its dotted path.

use super::dimension::Dimension;
use super::document::{Entry, Node, Table, Value};
use super::driven_quantity::Quantity;
use super::findings::Findings;
use super::joint_limits;
use super::reader::{Reader, Sign, clip};
use super::signal;
use crate::diagnostic::Diagnostic;
use crate::fault::Fault;
use lissome_model::{
    Cable, CableDrive, Coordinate, Drive, DriveTarget, FrameLoad, Job, Joint, JointMotion, Load, Rod, Scene, Signal,
    Tendon,
};

/// The paths that the scene drives, known before the driven things are read.
#[derive(Debug, Default)]
pub struct Driven {
    paths: Vec<String>,
}

impl Driven {
    /// Looks into the scene.
    pub fn of(scene: &Reader<'_>) -> Self {
        let of = |family: &str| match scene.entry(family).map(|entry| &entry.node.value) {
            Some(Value::Table(drives)) => drives.names().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let mut paths: Vec<String> = of("drive");
        paths.extend(of("free"));
        Self { paths }
    }

    /// True if the scene drives this quantity.
    pub fn has(&self, name: &str, quantity: &str) -> bool {
        let fits = |path: &String| path.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) == Some(quantity);
        self.paths.iter().any(fits)
    }
}

/// What a scene has that can be driven.
pub struct Drivable<'s> {
    /// The rods, of which those of tubes are driven at their bases.
    pub rods: &'s [Rod],
    /// The joints.
    pub joints: &'s [Joint],
    /// The cables.
    pub cables: &'s [Cable],
    /// The tendons.
    pub tendons: &'s [Tendon],
    /// Loads on rods.
    pub loads: &'s [Load],
    /// Loads on frames.
    pub frame_loads: &'s [FrameLoad],
}

impl<'s> Drivable<'s> {
    /// Of a scene that has been read.
    pub(super) fn of(scene: &'s Scene) -> Self {
        Self {
            rods: &scene.rods,
            joints: &scene.joints,
            cables: &scene.cables,
            tendons: &scene.tendons,
            loads: &scene.loads,
            frame_loads: &scene.frame_loads,
        }
    }
}

/// Dotted paths of everything in a scene that can be driven.
pub fn drivable(scene: &Scene) -> Vec<String> {
    let things = Drivable::of(scene);
    things.paths().into_iter().filter(|path| matches!(things.find(path), Found::Quantity(_))).collect()
}

/// What a dotted path drives; `None` if it cannot be driven.
pub fn known_target(scene: &Scene, path: &str) -> Option<DriveTarget> {
    match Drivable::of(scene).find(path) {
        Found::Quantity(quantity) => Some(quantity.target),
        Found::Nothing | Found::Otherwise { .. } => None,
    }
}

/// What a dotted path drives, if it can be driven and may have this value (SI), where one is given.
pub fn target(scene: &Scene, path: &str, value: Option<f64>) -> Result<DriveTarget, Box<Diagnostic>> {
    let things = Drivable::of(scene);
    let refuse = |fault| {
        let path = Some(format!("drive.{}", clip(path)));
        Err(Box::new(Diagnostic { path, ..Diagnostic::new(fault) }))
    };
    let quantity = match things.find(path) {
        Found::Quantity(quantity) => quantity,
        Found::Nothing => return refuse(Fault::NotDrivable { path: clip(path), known: drivable(scene) }),
        Found::Otherwise { owner, key } => return refuse(Fault::NotPrescribed { path: clip(path), owner, key }),
    };
    let Some(value) = value else { return Ok(quantity.target) };
    match quantity.sign {
        _ if !value.is_finite() => return refuse(Fault::NotFinite { value }),
        Sign::Positive if value <= 0.0 => return refuse(Fault::NotPositive { value }),
        Sign::NotNegative if value < 0.0 => return refuse(Fault::Negative { value }),
        _ => {}
    }
    if let Some((_, _, value, (low, high))) = things.outside(quantity.target, &Signal::Constant(value)) {
        return refuse(Fault::OutOfRange { value, interval: format!("[{low}, {high}], the joint's limits") });
    }
    Ok(quantity.target)
}

/// Reads every drive. `job` says how long they run.
pub fn read(scene: &Reader<'_>, things: &Drivable<'_>, job: &Job, findings: &mut Findings) -> Option<Vec<Drive>> {
    let Some(entry) = scene.entry("drive") else { return Some(Vec::new()) };
    let Value::Table(table) = &entry.node.value else {
        let example = "[drive]\n\"motor.angle\" = { ramp = [0, \"30 deg\"] }";
        let fault = Fault::WrongType { expected: "a table", found: entry.node.value.kind(), example };
        return scene.fault("drive", fault, findings);
    };
    let drives: Vec<Option<Drive>> =
        table.entries.iter().map(|entry| read_one(scene, entry, table, things, job, findings)).collect();
    let drives: Vec<Drive> = drives.into_iter().collect::<Option<_>>()?;
    for (index, drive) in drives.iter().enumerate() {
        if let Some(other) = drives[..index].iter().find(|other| other.target == drive.target) {
            let fault = Fault::DrivenTwice { path: drive.path.clone(), other: other.path.clone() };
            return findings.add(fault, format!("drive.{}", drive.path), Some(table.entries[index].name_span));
        }
    }
    let kind = match job {
        Job::Statics(_) => Some("statics"),
        Job::Modes(_) => Some("modes"),
        Job::Buckling(_) => Some("buckling"),
        Job::Shape(_) => Some("shape"),
        Job::Optimise(_) => Some("optimise"),
        Job::Path(_) | Job::Dynamics(_) | Job::FoldCurve(_) | Job::Inverse(_) => None,
    };
    let moves = |drive: &Drive| !matches!(drive.signal, Signal::Constant(_));
    if let Some(kind) = kind.filter(|_| drives.iter().any(moves)) {
        findings.add::<()>(Fault::DrivesStandStill { kind }, "drive", Some(entry.name_span));
    }
    Some(drives)
}

fn read_one(
    scene: &Reader<'_>,
    entry: &Entry,
    drives: &Table,
    things: &Drivable<'_>,
    job: &Job,
    findings: &mut Findings,
) -> Option<Drive> {
    let path = entry.name.as_str();
    let place = format!("drive.{}", clip(path));
    match things.find(path) {
        Found::Quantity(quantity) => {
            let signal = signal::read(&entry.node, &place, &quantity, job, findings)?;
            if let Some(fault) = things.beyond_limits(scene, quantity.target, &signal) {
                return findings.add(fault, place, Some(entry.node.span));
            }
            Some(Drive { path: path.to_owned(), target: quantity.target, signal })
        }
        Found::Nothing => {
            let fault = Fault::NotDrivable { path: clip(path), known: things.paths() };
            findings.add(fault, place, Some(entry.name_span))
        }
        Found::Otherwise { owner, key } => {
            // Prescribed in another way: by another drive, or by the thing itself.
            let name = path.split('.').next().unwrap_or_default();
            let same = |other: &&str| {
                let drives = matches!(things.find(other), Found::Quantity(_));
                *other != path && other.split('.').next() == Some(name) && drives
            };
            let fault = match drives.names().find(same) {
                Some(other) => Fault::DrivenTwice { path: clip(path), other: clip(other) },
                None => Fault::NotPrescribed { path: clip(path), owner, key },
            };
            findings.add(fault, place, Some(entry.name_span))
        }
    }
}

pub(super) enum Found {
    Quantity(Quantity),
    /// The thing is there, but this quantity of it is not prescribed; the key that would say so.
    Otherwise {
        owner: String,
        key: &'static str,
    },
    Nothing,
}

impl Drivable<'_> {
    pub(super) fn find(&self, path: &str) -> Found {
        let Some((name, what)) = path.split_once('.') else { return Found::Nothing };
        let number = |target| Found::Quantity(Quantity { target, dimension: Dimension::NONE, sign: Sign::Any });
        if path == "world.gravity" {
            return number(DriveTarget::Gravity);
        }
        if let Some(joint) = self.joints.iter().position(|joint| joint.name == name) {
            return of_joint(joint, &self.joints[joint], what);
        }
        // Members of a family have a dot in their name.
        let of = |name: &str| path.strip_prefix(name)?.strip_prefix('.').filter(|what| !what.contains('.'));
        let mut cables = self.cables.iter().enumerate();
        if let Some((index, cable, what)) = cables.find_map(|(i, cable)| Some((i, cable, of(&cable.name)?))) {
            // A tendon that goes from disk to disk is a cable, but is told of as what the file says.
            let family = if cable.name.contains('.') { "tendon" } else { "cable" };
            return of_thread(DriveTarget::Cable(index), cable.drive, format!("{family}.{}", cable.name), what);
        }
        let mut tendons = self.tendons.iter().enumerate();
        if let Some((index, tendon, what)) = tendons.find_map(|(i, tendon)| Some((i, tendon, of(&tendon.name)?))) {
            return of_thread(DriveTarget::Tendon(index), tendon.drive, tendon.path(), what);
        }
        if let Some(rod) = self.rods.iter().position(|rod| rod.name == name) {
            return self.of_tube(rod, what);
        }
        if what != "scale" {
            return Found::Nothing;
        }
        if let Some(load) = self.loads.iter().position(|load| load.name == name) {
            return number(DriveTarget::Load(load));
        }
        match self.frame_loads.iter().position(|load| load.name == name) {
            Some(load) => number(DriveTarget::FrameLoad(load)),
            None => Found::Nothing,
        }
    }

    /// `TUBE.rotation` or `TUBE.insertion` of a rod of tubes.
    fn of_tube(&self, rod: usize, what: &str) -> Found {
        let Some((name, quantity)) = what.split_once('.') else { return Found::Nothing };
        let Some(tube) = self.rods[rod].tubes.as_ref().and_then(|set| set.index_of(name)) else {
            return Found::Nothing;
        };
        let (target, dimension, sign) = match quantity {
            "rotation" => (DriveTarget::TubeRotation { rod, tube }, Dimension::ANGLE, Sign::Any),
            "insertion" => (DriveTarget::TubeInsertion { rod, tube }, Dimension::LENGTH, Sign::Positive),
            _ => return Found::Nothing,
        };
        Found::Quantity(Quantity { target, dimension, sign })
    }

    /// A joint, its coordinate, a value of the signal that it cannot take, and the limits.
    fn outside(&self, target: DriveTarget, signal: &Signal) -> Option<(&Joint, usize, f64, (f64, f64))> {
        let DriveTarget::JointValue { joint, coordinate } = target else { return None };
        let joint = &self.joints[joint];
        let limits = joint.limits.get(coordinate).copied().flatten()?;
        let (least, greatest) = signal.range();
        let value = [least, greatest].into_iter().find(|value| !(limits.0..=limits.1).contains(value))?;
        Some((joint, coordinate, value, limits))
    }

    /// The same as a fault that tells the limits as the file does.
    fn beyond_limits(&self, scene: &Reader<'_>, target: DriveTarget, signal: &Signal) -> Option<Fault> {
        let (joint, coordinate, value, limits) = self.outside(target, signal)?;
        let table = |node: &Node, name: &str| match &node.value {
            Value::Table(table) => table.get(name).cloned(),
            _ => None,
        };
        let written = ["joint", "closure"].into_iter().find_map(|family| {
            let own = table(&scene.entry(family)?.node, &joint.name)?;
            table(&own, "limits")
        });
        let (_, of) = joint.kind.coordinates()[coordinate];
        Some(joint_limits::beyond(&written?, (coordinate, joint.freedom()), of, value, limits))
    }

    /// Everything that can be driven, for hints.
    fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for joint in self.joints {
            for (coordinate, of) in joint.kind.coordinates() {
                let quantity = match (&joint.motion, joint.freedom(), of) {
                    (JointMotion::Actuated { .. }, 1, Coordinate::Angle) => "torque".to_owned(),
                    (JointMotion::Actuated { .. }, 1, Coordinate::Distance) => "force".into(),
                    (JointMotion::Actuated { .. }, ..) => format!("effort_{coordinate}"),
                    _ => (*coordinate).into(),
                };
                paths.push(format!("{}.{quantity}", joint.name));
            }
        }
        let cables = self.cables.iter().map(|cable| (&cable.name, cable.drive));
        let threads = cables.chain(self.tendons.iter().map(|tendon| (&tendon.name, tendon.drive)));
        paths.extend(threads.map(|(name, drive)| format!("{name}.{}", drive.name())));
        paths.extend(self.loads.iter().map(|load| format!("{}.scale", load.name)));
        paths.extend(self.frame_loads.iter().map(|load| format!("{}.scale", load.name)));
        for (rod, tube) in self.rods.iter().flat_map(|rod| {
            let tubes = rod.tubes.iter().flat_map(|set| &set.tubes);
            tubes.map(move |tube| (&rod.name, &tube.name))
        }) {
            paths.extend(["rotation", "insertion"].map(|quantity| format!("{rod}.{tube}.{quantity}")));
        }
        paths.push("world.gravity".into());
        paths
    }
}

fn of_thread(target: DriveTarget, drive: CableDrive, owner: String, what: &str) -> Found {
    let (key, dimension, sign) = match what {
        "tension" => ("tension", Dimension::FORCE, Sign::NotNegative),
        "length" => ("length", Dimension::LENGTH, Sign::Positive),
        "pull" => ("pull", Dimension::LENGTH, Sign::Any),
        _ => return Found::Nothing,
    };
    if drive.name() != key {
        return Found::Otherwise { owner, key };
    }
    Found::Quantity(Quantity { target, dimension, sign })
}

fn of_joint(index: usize, joint: &Joint, what: &str) -> Found {
    let owner = || format!("joint.{}", joint.name);
    let coordinates = joint.kind.coordinates();
    let only = |kind: Coordinate| {
        let mut fitting = coordinates.iter().enumerate().filter(|(_, (_, of))| *of == kind).map(|(i, _)| i);
        fitting.next().filter(|_| fitting.next().is_none())
    };
    if let Some(coordinate) = coordinates.iter().position(|(name, _)| *name == what) {
        let (key, dimension) = match (coordinates[coordinate].1, coordinates.len()) {
            (Coordinate::Angle, 1) => ("angle", Dimension::ANGLE),
            (Coordinate::Distance, 1) => ("travel", Dimension::LENGTH),
            (Coordinate::Angle, _) => ("value", Dimension::ANGLE),
            (Coordinate::Distance, _) => ("value", Dimension::LENGTH),
        };
        if !matches!(joint.motion, JointMotion::Driven { .. }) {
            return Found::Otherwise { owner: owner(), key };
        }
        let target = DriveTarget::JointValue { joint: index, coordinate };
        return Found::Quantity(Quantity { target, dimension, sign: Sign::Any });
    }
    let coordinate = match what {
        "torque" => only(Coordinate::Angle),
        "force" => only(Coordinate::Distance),
        "effort" => (coordinates.len() == 1).then_some(0),
        _ => what
            .strip_prefix("effort_")
            .and_then(|name| coordinates.iter().position(|(coordinate, _)| *coordinate == name)),
    };
    let Some(coordinate) = coordinate else { return Found::Nothing };
    if !matches!(joint.motion, JointMotion::Actuated { .. }) {
        return Found::Otherwise { owner: owner(), key: "effort" };
    }
    let dimension = match coordinates[coordinate].1 {
        Coordinate::Angle => Dimension::MOMENT,
        Coordinate::Distance => Dimension::FORCE,
    };
    let target = DriveTarget::JointEffort { joint: index, coordinate };
    Found::Quantity(Quantity { target, dimension, sign: Sign::Any })
}
