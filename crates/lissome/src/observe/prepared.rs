//! The scene of an observation: a spring on every marker, and a load of unit size for every unknown.

use super::Refused;
use crate::robot::standing::with_drives;
use lissome_io::nearest::nearest;
use lissome_io::observe::place::{self, NoPlace};
use lissome_io::observe::{MarkerTable, ObserveFault};
use lissome_io::scene::{drivable, drive_target};
use lissome_lie::{Pose, Rotation, Wrench};
use lissome_mech::Input;
use lissome_model::{
    CableDrive, Drive, DriveTarget, Frame, FrameLoad, FrameLoadKind, FrameOf, Invalid, JointMotion, Load, LoadFrame,
    LoadKind, Problem, Scene, Signal, Spring, SpringLaw,
};
use nalgebra::{Matrix6, Vector3};

const AXES: [&str; 3] = ["x", "y", "z"];

/// The springs of a marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Springs {
    /// Of its position.
    pub position: Option<usize>,
    /// Of its rotation.
    pub rotation: Option<usize>,
}

/// Something that acts on the robot and is not known.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unknown {
    /// Its dotted path.
    pub path: String,
    /// What it is of the inputs.
    pub input: Input,
    /// Its unit.
    pub unit: &'static str,
    /// Where the search begins.
    pub start: f64,
    /// Smallest value that it may have.
    pub least: f64,
}

/// A scene with springs and unknown loads.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// The scene; springs pull with nothing yet.
    pub scene: Scene,
    /// The springs of every marker.
    pub springs: Vec<Springs>,
    /// The unknowns.
    pub unknowns: Vec<Unknown>,
    /// True if no noise was stated.
    pub exact: bool,
}

impl Prepared {
    pub fn new(scene: &Scene, table: &MarkerTable, unknown: &[String]) -> Result<Self, Refused> {
        crate::check(scene).map_err(|crate::SimulateError::Invalid(invalid)| invalid)?;
        let scene = with_drives(scene, &[]).map_err(|told| Refused::Told(vec![*told]))?;
        let exact = table.markers.iter().all(|own| {
            let zero = |noise: Option<f64>| noise.is_none_or(|sigma| sigma == 0.0);
            (!own.has_position || zero(own.noise)) && (!own.has_rotation || zero(own.turn_noise))
        });
        let mut prepared = Self { scene, springs: Vec::new(), unknowns: Vec::new(), exact };
        for path in unknown {
            let loads = prepared.add_unknown(path.trim())?;
            let own = |target: &DriveTarget| {
                loads == Some(*target) || prepared.unknowns.iter().any(|unknown| unknown.input == (*target).into())
            };
            if let Some((column, _)) = table.drives.iter().find(|(_, target)| own(target)) {
                let (path, column) = (path.trim().to_owned(), column.clone());
                return Err(ObserveFault::GivenUnknown { path, column }.into());
            }
        }
        for (index, marker) in table.markers.iter().enumerate() {
            if prepared.stands_still(&marker.frame) {
                prepared.springs.push(Springs { position: None, rotation: None });
                continue;
            }
            let mut add = |law: SpringLaw, a: Pose| {
                let name = format!("marker {} of {}", prepared.scene.springs.len(), marker.name);
                prepared.scene.springs.push(Spring { name, a: Frame::world(a), b: marker.frame, law });
                prepared.scene.springs.len() - 1
            };
            let position = marker.has_position.then(|| {
                let law = SpringLaw::Axes { stiffness: Vector3::zeros() };
                add(law, anchor(index, &Vector3::zeros()))
            });
            let rotation = marker.has_rotation.then(|| {
                let law = SpringLaw::Bushing { stiffness: Matrix6::zeros(), damping: Matrix6::zeros() };
                add(law, turned_anchor(index, &Rotation::identity()))
            });
            prepared.springs.push(Springs { position, rotation });
        }
        if prepared.springs.iter().all(|own| own.position.is_none() && own.rotation.is_none()) {
            let names = table.markers.iter().map(|marker| marker.name.clone()).take(5).collect();
            return Err(ObserveFault::NothingMoves { names }.into());
        }
        prepared.scene.validate()?;
        Ok(prepared)
    }

    /// True if a place belongs to the world: a marker there, as on a clamped base, tells nothing.
    fn stands_still(&self, frame: &Frame) -> bool {
        let inside = match frame.of {
            FrameOf::Rod { rod, s } => s > 0.0 && s < self.scene.rods[rod].length,
            _ => false,
        };
        if inside {
            return false;
        }
        // The scene knows what a spring cannot stretch.
        let law = SpringLaw::Axes { stiffness: Vector3::repeat(1.0) };
        let spring = Spring { name: "marker".into(), a: Frame::world(Pose::identity()), b: *frame, law };
        let alone = Scene { springs: vec![spring], ..self.scene.clone() };
        matches!(alone.validate(), Err(Invalid { problem: Problem::NothingToStretch { .. }, .. }))
    }

    /// Adds what a path names; returns what scales the load that it is a part of, if it is.
    fn add_unknown(&mut self, path: &str) -> Result<Option<DriveTarget>, Refused> {
        let (whole, axis) = match path.rsplit_once('.') {
            Some((whole, axis)) if AXES.contains(&axis) => (whole, AXES.iter().position(|own| *own == axis)),
            _ => (path, None),
        };
        let axes: Vec<usize> = axis.map_or(vec![0, 1, 2], |axis| vec![axis]);
        if let Some((of, kind @ ("force" | "moment"))) = whole.rsplit_once('.')
            && self.add_components(of, kind == "moment", &axes)?
        {
            return Ok(self.scaled_by(of.strip_prefix("load.").unwrap_or(of)));
        }
        if self.add_drive(path) {
            return Ok(None);
        }
        let loads =
            self.scene.loads.iter().map(|own| &own.name).chain(self.scene.frame_loads.iter().map(|own| &own.name));
        let mut known: Vec<String> = loads.map(|name| format!("load.{name}.force")).collect();
        known.extend(self.scene.rods.iter().map(|rod| format!("{}.tip.force", rod.name)));
        known.extend(drivable(&self.scene));
        let nearest = nearest(path, known.iter().map(String::as_str)).map(str::to_owned);
        Err(ObserveFault::UnknownUnknown { path: path.chars().take(80).collect(), nearest }.into())
    }

    /// What scales the load of a name, if there is one.
    fn scaled_by(&self, name: &str) -> Option<DriveTarget> {
        let own = self.scene.loads.iter().position(|own| own.name == name).map(DriveTarget::Load);
        own.or_else(|| self.scene.frame_loads.iter().position(|own| own.name == name).map(DriveTarget::FrameLoad))
    }

    /// Unit loads in the place of the components of a load, or at a place; false if neither is meant.
    fn add_components(&mut self, of: &str, is_moment: bool, axes: &[usize]) -> Result<bool, Refused> {
        let load_name = of.strip_prefix("load.").unwrap_or(of);
        let kind = if is_moment { "moment" } else { "force" };
        let part = |wrench: &mut Wrench, axis: usize| {
            let vector = if is_moment { &mut wrench.moment } else { &mut wrench.force };
            std::mem::replace(&mut vector[axis], 0.0)
        };
        let unit = |axis: usize| {
            let along = Vector3::ith(axis, 1.0);
            if is_moment { Wrench::new(along, Vector3::zeros()) } else { Wrench::new(Vector3::zeros(), along) }
        };
        let named = |axis: usize| format!("{of}.{kind}.{}", AXES[axis]);
        if let Some(index) = self.scene.loads.iter().position(|own| own.name == load_name) {
            let factor = self.factor(DriveTarget::Load(index));
            for axis in axes {
                let own = &mut self.scene.loads[index];
                let (start, per_length) = match &mut own.kind {
                    LoadKind::Point { wrench, .. } => (part(wrench, *axis), false),
                    LoadKind::Distributed { per_length, .. } => (part(per_length, *axis), true),
                };
                let unit_kind = match own.kind {
                    LoadKind::Point { at, .. } => LoadKind::Point { at, wrench: unit(*axis) },
                    LoadKind::Distributed { from, to, .. } => {
                        LoadKind::Distributed { from, to, per_length: unit(*axis) }
                    }
                };
                let load = Load { name: named(*axis), rod: own.rod, frame: own.frame, kind: unit_kind };
                self.push_load(load, start * factor, is_moment, per_length);
            }
            return Ok(true);
        }
        if let Some(index) = self.scene.frame_loads.iter().position(|own| own.name == load_name) {
            let factor = self.factor(DriveTarget::FrameLoad(index));
            let (on, kind) = (self.scene.frame_loads[index].on, self.scene.frame_loads[index].kind);
            let FrameLoadKind::Wrench { axes: frame, .. } = kind else { return Ok(false) };
            for axis in axes {
                let FrameLoadKind::Wrench { wrench, .. } = &mut self.scene.frame_loads[index].kind else { continue };
                let start = part(wrench, *axis) * factor;
                self.push_frame_load(on, frame, unit(*axis), named(*axis), start, is_moment);
            }
            return Ok(true);
        }
        let frame = match place::find(&self.scene, of) {
            Ok(frame) => frame,
            Err(NoPlace::Unknown(_)) => return Ok(false),
            Err(NoPlace::Wrong(reason)) => {
                let path = format!("{of}.{kind}: {reason}");
                return Err(ObserveFault::UnknownUnknown { path, nearest: None }.into());
            }
        };
        for axis in axes {
            match frame.of {
                FrameOf::Rod { rod, s } if frame.pose == Pose::identity() => {
                    let kind = LoadKind::Point { at: s, wrench: unit(*axis) };
                    let load = Load { name: named(*axis), rod, frame: LoadFrame::World, kind };
                    self.push_load(load, 0.0, is_moment, false);
                }
                _ => self.push_frame_load(frame, LoadFrame::World, unit(*axis), named(*axis), 0.0, is_moment),
            }
        }
        Ok(true)
    }

    fn push_load(&mut self, load: Load, start: f64, is_moment: bool, per_length: bool) {
        let unit = match (is_moment, per_length) {
            (false, false) => "N",
            (true, false) => "N·m",
            (false, true) => "N/m",
            (true, true) => "N·m/m",
        };
        let path = load.name.clone();
        self.scene.loads.push(load);
        self.take(path, DriveTarget::Load(self.scene.loads.len() - 1), unit, start, f64::NEG_INFINITY);
    }

    fn push_frame_load(
        &mut self,
        on: Frame,
        axes: LoadFrame,
        wrench: Wrench,
        name: String,
        start: f64,
        is_moment: bool,
    ) {
        let path = name.clone();
        self.scene.frame_loads.push(FrameLoad { name, on, kind: FrameLoadKind::Wrench { axes, wrench } });
        let target = DriveTarget::FrameLoad(self.scene.frame_loads.len() - 1);
        self.take(path, target, if is_moment { "N·m" } else { "N" }, start, f64::NEG_INFINITY);
    }

    /// Something that drives a force; false if the path is of nothing such.
    fn add_drive(&mut self, path: &str) -> bool {
        let without_family = path.split_once('.').map_or(path, |(_, rest)| rest);
        for name in [path, without_family] {
            let Ok(target) = drive_target(&self.scene, name, None) else { continue };
            let nominal = lissome_mech::Inputs::nominal(&self.scene).get(target.into());
            let (unit, least) = match target {
                DriveTarget::Cable(own) if matches!(self.scene.cables[own].drive, CableDrive::Tension(_)) => ("N", 0.0),
                DriveTarget::Tendon(own) if matches!(self.scene.tendons[own].drive, CableDrive::Tension(_)) => {
                    ("N", 0.0)
                }
                DriveTarget::JointEffort { joint, .. }
                    if matches!(self.scene.joints[joint].motion, JointMotion::Actuated { .. }) =>
                {
                    ("N or N·m", f64::NEG_INFINITY)
                }
                DriveTarget::Load(_) | DriveTarget::FrameLoad(_) | DriveTarget::Gravity => ("", f64::NEG_INFINITY),
                _ => return false,
            };
            let driven = self.scene.drives.iter().find(|drive| drive.target == target);
            let start = driven.map_or(nominal, |drive| drive.signal.at(0.0));
            self.take(name.to_owned(), target, unit, start, least);
            return true;
        }
        false
    }

    /// Notes an unknown, and holds it at its start.
    fn take(&mut self, path: String, target: DriveTarget, unit: &'static str, start: f64, least: f64) {
        self.scene.drives.retain(|drive| drive.target != target);
        self.scene.drives.push(Drive { path: path.clone(), target, signal: Signal::Constant(start) });
        self.unknowns.push(Unknown { path, input: target.into(), unit, start, least });
    }

    /// What a load is multiplied with in the beginning.
    fn factor(&self, target: DriveTarget) -> f64 {
        self.scene.drives.iter().find(|drive| drive.target == target).map_or(1.0, |drive| drive.signal.at(0.0))
    }
}

/// The far end of the spring of a position. Its axes do not matter; they differ from marker to marker, so that no two ends
/// are ever one and the equations keep their layout wherever markers are.
pub(super) fn anchor(marker: usize, position: &Vector3<f64>) -> Pose {
    Pose::new(Rotation::exp(&(Vector3::x() * (1e-4 * (marker + 1) as f64))), *position)
}

/// The far end of the spring of a rotation, whose place does not matter.
pub(super) fn turned_anchor(marker: usize, rotation: &Rotation) -> Pose {
    Pose::new(*rotation, Vector3::new((marker + 1) as f64, 0.0, 0.0))
}
