//! What derivatives of motions are of: outputs that need no balance at rest, and velocities.
//!
//! | name | rows | unit, axes |
//! |---|---|---|
//! | `ROD.tip`, `ROD.at(S)`, `BODY`, `JOINT.frame` with `.velocity`, `.angular_velocity` | x, y, z | m/s, rad/s; world |
//! | `JOINT.COORDINATE.rate` | one | rad/s, m/s |
//! | `energy.kinetic` | one | J |

use super::Described;
use super::output::{self, AXES, FAMILIES, Output};
use lissome_io::nearest::nearest;
use lissome_io::scene::dimension::Dimension;
use lissome_io::{DerivativeFault, Diagnostic, Fault, columns};
use lissome_mech::index::{RodIndex, Slot};
use lissome_mech::{System, Workspace};
use lissome_model::{Coordinate, Scene};
use lissome_solve::Velocity;
use lissome_solve::derivative::View;
use lissome_solve::dynamics::Moment;
use nalgebra::Vector3;

/// What moves.
#[derive(Clone, Copy, Debug)]
enum Moving {
    Slot(Slot),
    Place { rod: RodIndex, s: f64 },
}

#[derive(Clone, Debug)]
enum Kind {
    /// Known of a state.
    Still(Output),
    Velocity {
        of: Moving,
        angular: bool,
        component: Option<usize>,
    },
    Rate {
        joint: usize,
        coordinate: usize,
    },
    Kinetic,
}

/// An output of a motion.
#[derive(Clone, Debug)]
pub(crate) struct MotionOutput {
    kind: Kind,
    /// Names of its rows.
    pub names: Vec<String>,
}

/// Every velocity of a robot but those of places along rods, by its name.
fn velocities(scene: &Scene, system: &System) -> Vec<(String, Kind)> {
    let rods = scene.rods.iter().enumerate();
    let rods = rods.map(|(index, rod)| (format!("{}.tip", rod.name), system.tip(RodIndex::new(index))));
    let bodies = scene.bodies.iter().zip(system.bodies()).map(|(body, own)| (body.name.clone(), own.slot));
    let joints = scene.joints.iter().enumerate();
    let joints = joints.map(|(index, joint)| (format!("{}.frame", joint.name), system.joint_slot(index)));
    let mut all = Vec::new();
    for (name, slot) in rods.chain(bodies).chain(joints) {
        for (field, angular) in [("velocity", false), ("angular_velocity", true)] {
            let kind = Kind::Velocity { of: Moving::Slot(slot), angular, component: None };
            all.push((columns::array(&name, field), kind));
        }
    }
    for (index, joint) in scene.joints.iter().enumerate() {
        for (coordinate, (of, _)) in joint.kind.coordinates().iter().enumerate() {
            let name = columns::array(&columns::array(&joint.name, of), "rate");
            all.push((name, Kind::Rate { joint: index, coordinate }));
        }
    }
    all.push(("energy.kinetic".into(), Kind::Kinetic));
    all
}

/// `ROD.at(S).velocity` and `ROD.at(S).angular_velocity`.
fn of_place(scene: &Scene, path: &str) -> Option<(String, Kind)> {
    let (name, rest) = path.split_once(".at(")?;
    let (s, field) = rest.split_once(").")?;
    let rod = scene.rods.iter().position(|rod| rod.name == name)?;
    let s: f64 = s.trim().parse().ok()?;
    let field = field.split('.').next()?;
    let angular = match field {
        "velocity" => false,
        "angular_velocity" => true,
        _ => return None,
    };
    let inside = (0.0..=scene.rods[rod].length).contains(&s);
    let kind = Kind::Velocity { of: Moving::Place { rod: RodIndex::new(rod), s }, angular, component: None };
    inside.then(|| (format!("{name}.at({s}).{field}"), kind))
}

impl MotionOutput {
    /// The output that a path names.
    pub fn find(scene: &Scene, system: &System, path: &str) -> Result<Self, Box<Diagnostic>> {
        let path = path.trim();
        let family = FAMILIES.iter().find_map(|family| path.strip_prefix(family)?.strip_prefix('.'));
        let mut known = velocities(scene, system);
        for plain in [Some(path), family].into_iter().flatten() {
            known.extend(of_place(scene, plain));
            let found = known.iter().find_map(|(name, kind)| {
                let rest = plain.strip_prefix(name.as_str())?;
                let axis = if rest.is_empty() { None } else { Some(rest.strip_prefix('.')?) };
                Self::of_kind(name, kind, axis)
            });
            if let Some(found) = found {
                return Ok(found);
            }
        }
        match Output::find(scene, system, path) {
            Ok(output) if output.is_of_tangent() || output.is_of_balance() => {
                let reason = match output.is_of_tangent() {
                    true => "it is a number of an equilibrium",
                    false => "what holds a moving robot also bears its inertia, which outputs at rest do not know",
                };
                let fault = DerivativeFault::NotOfMotion { path: path.to_owned(), reason: reason.to_owned() };
                Err(Box::new(Diagnostic::new(Fault::Derivative(fault))))
            }
            Ok(output) => Ok(Self { names: output.names.clone(), kind: Kind::Still(output) }),
            Err(told) => {
                let plain = family.unwrap_or(path);
                match nearest(plain, known.iter().map(|(name, _)| name.as_str())) {
                    Some(near) if plain.contains("velocity") || plain.contains("rate") => {
                        let (path, nearest) = (path.chars().take(80).collect(), Some(near.to_owned()));
                        let fault = DerivativeFault::UnknownOutput { path, nearest };
                        Err(Box::new(Diagnostic::new(Fault::Derivative(fault))))
                    }
                    _ => Err(told),
                }
            }
        }
    }

    fn of_kind(name: &str, kind: &Kind, axis: Option<&str>) -> Option<Self> {
        match (kind, axis) {
            (Kind::Velocity { of, angular, .. }, axis) => {
                let component = match axis {
                    Some(axis) => Some(AXES.iter().position(|own| *own == axis)?),
                    None => None,
                };
                let axes = AXES.iter().enumerate().filter(|(index, _)| component.is_none_or(|own| own == *index));
                let names = axes.map(|(_, axis)| format!("{name}.{axis}")).collect();
                Some(Self { kind: Kind::Velocity { of: *of, angular: *angular, component }, names })
            }
            (kind, None) => Some(Self { kind: kind.clone(), names: vec![name.to_owned()] }),
            _ => None,
        }
    }

    /// What it measures; `None` where its rows differ.
    fn dimension(&self, scene: &Scene) -> Option<Dimension> {
        Some(match &self.kind {
            Kind::Still(output) => return output.dimension(scene),
            Kind::Velocity { angular: false, .. } => Dimension::VELOCITY,
            Kind::Velocity { angular: true, .. } => Dimension::SPIN,
            Kind::Rate { joint, coordinate } => match scene.joints[*joint].kind.coordinates()[*coordinate].1 {
                Coordinate::Angle => Dimension::SPIN,
                Coordinate::Distance => Dimension::VELOCITY,
            },
            Kind::Kinetic => Dimension::MOMENT,
        })
    }

    /// True if it depends on velocities.
    pub fn is_of_velocities(&self) -> bool {
        !matches!(self.kind, Kind::Still(_))
    }

    /// Turns and shifts count from where they are at this moment.
    pub fn stand(&mut self, moment: &Moment<'_>) {
        if let Kind::Still(output) = &mut self.kind {
            output.stand(moment.system, moment.state);
        }
    }

    /// Its rows at a moment.
    pub fn read(&self, scene: &Scene, moment: &Moment<'_>, work: &mut Workspace) -> Vec<f64> {
        let Moment { system, state, inputs, velocity, joint_rates, kinetic } = *moment;
        match &self.kind {
            Kind::Still(output) => output.read(scene, &View { system, state, inputs }, work),
            Kind::Velocity { of, angular, component } => {
                let (pose, twist) = match *of {
                    Moving::Slot(slot) => (state.poses[slot], velocity[slot.index()]),
                    Moving::Place { rod, s } => {
                        let samples = system.sample_at(rod, state, &[s]);
                        let Some(sample) = samples.first() else { return vec![f64::NAN; self.names.len()] };
                        (sample.pose, system.rod_velocity(rod, s, state, velocity))
                    }
                };
                let moving = Velocity::of_body(&pose, &twist);
                let vector: Vector3<f64> = if *angular { moving.angular } else { moving.linear };
                match component {
                    Some(component) => vec![vector[*component]],
                    None => vector.iter().copied().collect(),
                }
            }
            Kind::Rate { joint, coordinate } => vec![system.joint_rates(*joint, state, joint_rates)[*coordinate]],
            Kind::Kinetic => vec![kinetic],
        }
    }
}

/// What the output of a motion is that a path names.
pub(crate) fn describe(scene: &Scene, system: &System, path: &str) -> Result<Described, Box<Diagnostic>> {
    let output = MotionOutput::find(scene, system, path)?;
    let is_rotation = matches!(&output.kind, Kind::Still(still) if still.is_rotation());
    Ok(Described { dimension: output.dimension(scene), is_rotation, rows: output.names })
}

/// Names of the rows of all outputs of a motion, but those of places along its rods.
pub(crate) fn names_of(scene: &Scene, system: &System) -> Vec<String> {
    let names = output::names(scene, system).into_iter();
    let names = names.chain(velocities(scene, system).into_iter().map(|(name, _)| name));
    names.flat_map(|name| describe(scene, system, &name).map(|output| output.rows).unwrap_or_default()).collect()
}
