//! What derivatives are of: the numbers of an equilibrium by the names that results have, read from any state of any neighbour of
//! the robot.
//!
//! | name | rows | unit, axes |
//! |---|---|---|
//! | `ROD.tip`, `BODY`, `JOINT.frame` | turn, then shift | rad, m; world |
//! | the same with `.position` | x, y, z | m; world |
//! | the same with `.rotation` | x, y, z | rad; of the part (left-trivialised) |
//! | `ROD.at(S).FIELD`, S in m | position, rotation, curvature, stretch, moment, force | as in samples.csv |
//! | `ROD.base`, `ROD.tip` with `.moment`, `.force` | what the end exerts on what holds it | N·m, N; world |
//! | `JOINT.COORDINATE`, `CABLE` and `TENDON` with `.tension`, `.length`, … | as in path.csv | |

use crate::contact_record;
use lissome_io::columns;
use lissome_io::nearest::nearest;
use lissome_io::scene::dimension::Dimension;
use lissome_io::{DerivativeFault, Diagnostic, Fault};
use lissome_lie::{Pose, Wrench};
use lissome_mech::index::RodIndex;
use lissome_mech::{State, Step, System, Workspace};
use lissome_model::{Coordinate, Scene};
use lissome_solve::derivative::View;
use lissome_solve::{dynamics, stability};
use nalgebra::Vector3;

/// Families that a name may be written with.
pub(super) const FAMILIES: [&str; 8] = ["rod", "body", "joint", "cable", "tendon", "spring", "tubes", "closure"];
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];
/// Eigenvalues and frequencies nearer than this part of themselves are the same: those of round rods differ by rounding.
const SAME: f64 = 1e-6;
/// A place this near the tip, of the length, is the tip.
const AT_THE_TIP: f64 = 1e-9;

/// What of a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OfPose {
    /// Turn and shift, world axes.
    Motion,
    Position,
    Rotation,
}

/// What of a place along a rod.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OfPlace {
    Position,
    Rotation,
    Curvature,
    Stretch,
    Moment,
    Force,
}

/// Fields of places along a rod by their names.
const PLACE: [(&str, OfPlace); 6] = [
    ("position", OfPlace::Position),
    ("rotation", OfPlace::Rotation),
    ("curvature", OfPlace::Curvature),
    ("stretch", OfPlace::Stretch),
    ("moment", OfPlace::Moment),
    ("force", OfPlace::Force),
];

/// One output.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Pose {
        slot: usize,
        of: OfPose,
    },
    Place {
        rod: usize,
        s: f64,
        of: OfPlace,
    },
    Reaction {
        rod: usize,
        at_base: bool,
        moment: bool,
    },
    Joint {
        joint: usize,
        coordinate: usize,
    },
    CableTension(usize),
    CableLength(usize),
    CablePoint {
        cable: usize,
        point: usize,
    },
    TendonTension(usize),
    TendonLength(usize),
    TendonPulled(usize),
    SpringLength(usize),
    SpringPull(usize),
    SpringMoment(usize),
    SpringForce(usize),
    ElasticEnergy,
    GravityEnergy,
    LoadEnergy,
    ContactForce(usize),
    /// The smallest eigenvalue of the tangent.
    Eigenvalue,
    /// A natural frequency by its number from 0.
    Frequency(usize),
}

/// An output, or one component of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    kind: Kind,
    /// Names of its rows.
    pub names: Vec<String>,
    /// The component that is wanted; all if none is.
    component: Option<usize>,
    /// Pose that turns and shifts count from.
    from: Pose,
}

/// Every output of a robot but those at places along rods, by its name.
fn catalogue(scene: &Scene, system: &System) -> Vec<(String, Kind)> {
    let mut all = Vec::new();
    for (index, rod) in scene.rods.iter().enumerate() {
        let (name, slot) = (&rod.name, system.tip(RodIndex::new(index)).index());
        push_pose(&mut all, format!("{name}.tip"), slot);
        for (end, at_base) in [("base", true), ("tip", false)] {
            for (field, moment) in [("moment", true), ("force", false)] {
                all.push((format!("{name}.{end}.{field}"), Kind::Reaction { rod: index, at_base, moment }));
            }
        }
    }
    for (body, own) in scene.bodies.iter().zip(system.bodies()) {
        push_pose(&mut all, body.name.clone(), own.slot.index());
    }
    for (index, joint) in scene.joints.iter().enumerate() {
        push_pose(&mut all, format!("{}.frame", joint.name), system.joint_slot(index).index());
        for (coordinate, (of, _)) in joint.kind.coordinates().iter().enumerate() {
            all.push((columns::array(&joint.name, of), Kind::Joint { joint: index, coordinate }));
        }
    }
    for (index, cable) in scene.cables.iter().enumerate() {
        all.push((format!("{}.tension", cable.name), Kind::CableTension(index)));
        all.push((format!("{}.length", cable.name), Kind::CableLength(index)));
        for point in 0..cable.points.len() {
            all.push((format!("{}.points.{point}", cable.name), Kind::CablePoint { cable: index, point }));
        }
    }
    for (index, tendon) in scene.tendons.iter().enumerate() {
        all.push((format!("{}.tension", tendon.name), Kind::TendonTension(index)));
        all.push((format!("{}.length", tendon.name), Kind::TendonLength(index)));
        all.push((format!("{}.pulled", tendon.name), Kind::TendonPulled(index)));
    }
    for (index, spring) in scene.springs.iter().enumerate() {
        all.push((format!("{}.length", spring.name), Kind::SpringLength(index)));
        all.push((format!("{}.pull", spring.name), Kind::SpringPull(index)));
        all.push((format!("{}.moment", spring.name), Kind::SpringMoment(index)));
        all.push((format!("{}.force", spring.name), Kind::SpringForce(index)));
    }
    all.push(("energy.elastic".into(), Kind::ElasticEnergy));
    all.push(("energy.gravity".into(), Kind::GravityEnergy));
    all.push(("energy.loads".into(), Kind::LoadEnergy));
    all.push(("smallest_eigenvalue".into(), Kind::Eigenvalue));
    for (index, (part, touched)) in scene.contact_pairs().enumerate() {
        let pair = columns::pair(part.name(scene), touched.name(scene));
        all.push((format!("{pair}.force"), Kind::ContactForce(index)));
    }
    all
}

fn push_pose(all: &mut Vec<(String, Kind)>, name: String, slot: usize) {
    all.push((format!("{name}.position"), Kind::Pose { slot, of: OfPose::Position }));
    all.push((format!("{name}.rotation"), Kind::Pose { slot, of: OfPose::Rotation }));
    all.push((name, Kind::Pose { slot, of: OfPose::Motion }));
}

/// Names of all outputs of a robot but those at places along its rods.
pub(crate) fn names(scene: &Scene, system: &System) -> Vec<String> {
    catalogue(scene, system).into_iter().map(|(name, _)| name).collect()
}

impl Output {
    /// The output that a path names.
    pub fn find(scene: &Scene, system: &System, path: &str) -> Result<Self, Box<Diagnostic>> {
        let path = path.trim();
        let family = |family: &&str| path.strip_prefix(*family)?.strip_prefix('.');
        let known = catalogue(scene, system);
        for plain in [Some(path), FAMILIES.iter().find_map(family)].into_iter().flatten() {
            if let Some(mode) = of_mode(plain) {
                return Ok(mode);
            }
            if let Some(place) = of_place(scene, plain) {
                return Ok(place);
            }
            for (name, kind) in &known {
                let Some(rest) = plain.strip_prefix(name.as_str()) else { continue };
                let own =
                    Self { names: row_names(name, kind), kind: kind.clone(), component: None, from: Pose::identity() };
                if rest.is_empty() {
                    return Ok(own);
                }
                if let Some(found) = rest.strip_prefix('.').and_then(|axis| own.only(axis)) {
                    return Ok(found);
                }
            }
        }
        let plain = FAMILIES.iter().find_map(family).unwrap_or(path);
        let nearest = nearest(plain, known.iter().map(|(name, _)| name.as_str())).map(str::to_owned);
        let fault = DerivativeFault::UnknownOutput { path: path.chars().take(80).collect(), nearest };
        Err(Box::new(Diagnostic::new(Fault::Derivative(fault))))
    }

    /// Turns and shifts count from where they are in this state.
    pub fn stand(&mut self, system: &System, state: &State) {
        match self.kind {
            Kind::Pose { slot, .. } => self.from = state.poses[slot],
            Kind::Place { rod, s, .. } => {
                if let Some(sample) = system.sample_at(RodIndex::new(rod), state, &[s]).first() {
                    self.from = sample.pose;
                }
            }
            _ => {}
        }
    }

    /// One component of it.
    fn only(&self, axis: &str) -> Option<Self> {
        let component = AXES.iter().position(|own| *own == axis).filter(|_| self.names.len() == 3)?;
        Some(Self { names: vec![self.names[component].clone()], component: Some(component), ..self.clone() })
    }

    /// What its rows measure; `None` of whole poses, whose rows are turns and shifts.
    pub fn dimension(&self, scene: &Scene) -> Option<Dimension> {
        Some(match self.kind {
            Kind::Pose { of: OfPose::Motion, .. } => return None,
            Kind::Pose { of: OfPose::Position, .. } | Kind::Place { of: OfPlace::Position, .. } => Dimension::LENGTH,
            Kind::Pose { of: OfPose::Rotation, .. } | Kind::Place { of: OfPlace::Rotation, .. } => Dimension::ANGLE,
            Kind::Place { of: OfPlace::Curvature, .. } => Dimension::CURVATURE,
            Kind::Place { of: OfPlace::Stretch, .. } | Kind::Eigenvalue => Dimension::NONE,
            Kind::Place { of: OfPlace::Moment, .. } | Kind::Reaction { moment: true, .. } => Dimension::MOMENT,
            Kind::Place { of: OfPlace::Force, .. } | Kind::Reaction { moment: false, .. } => Dimension::FORCE,
            Kind::Joint { joint, coordinate } => match scene.joints[joint].kind.coordinates()[coordinate].1 {
                Coordinate::Angle => Dimension::ANGLE,
                Coordinate::Distance => Dimension::LENGTH,
            },
            Kind::CableTension(_) | Kind::TendonTension(_) | Kind::SpringPull(_) | Kind::SpringForce(_) => {
                Dimension::FORCE
            }
            Kind::ContactForce(_) => Dimension::FORCE,
            Kind::CableLength(_) | Kind::CablePoint { .. } | Kind::SpringLength(_) => Dimension::LENGTH,
            Kind::TendonLength(_) | Kind::TendonPulled(_) => Dimension::LENGTH,
            Kind::SpringMoment(_) | Kind::ElasticEnergy | Kind::GravityEnergy | Kind::LoadEnergy => Dimension::MOMENT,
            Kind::Frequency(_) => Dimension::FREQUENCY,
        })
    }

    /// True if its rows are a turn.
    pub fn is_rotation(&self) -> bool {
        matches!(self.kind, Kind::Pose { of: OfPose::Rotation, .. } | Kind::Place { of: OfPlace::Rotation, .. })
    }

    /// The slot whose pose it is of.
    fn slot(&self) -> Option<(usize, OfPose)> {
        match self.kind {
            Kind::Pose { slot, of } => Some((slot, of)),
            _ => None,
        }
    }

    /// True if it is known of whole tangents alone.
    pub fn is_of_tangent(&self) -> bool {
        matches!(self.kind, Kind::Eigenvalue | Kind::Frequency(_))
    }

    /// True if it is known of the balance at rest.
    pub fn is_of_balance(&self) -> bool {
        matches!(self.kind, Kind::Reaction { .. })
    }

    /// Itself and its neighbour where it is of a tangent and both are the same: it has no derivative then.
    pub fn double(&self, view: &View<'_>, work: &mut Workspace) -> Option<[f64; 2]> {
        let View { system, state, inputs } = *view;
        let (values, at) = match self.kind {
            Kind::Eigenvalue => (stability::nearest_eigenvalues(system, state, inputs, work), 0),
            Kind::Frequency(mode) => (frequencies(view, mode + 2), mode),
            _ => return None,
        };
        let own = *values.get(at)?;
        let others = values.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, other)| *other);
        others.map(|other| [own, other]).find(|[own, other]| (own - other).abs() <= SAME * own.abs())
    }

    /// True if its change along a step is known without differences.
    pub fn is_of_pose(&self) -> bool {
        self.slot().is_some()
    }

    /// Its rows as functionals of the steps of slots, for those that are of poses.
    pub fn covectors(&self, state: &State) -> Option<Vec<(usize, Wrench)>> {
        let (slot, of) = self.slot()?;
        let axes = state.poses[slot].rotation;
        let rows = (0..if of == OfPose::Motion { 6 } else { 3 }).map(|row| {
            let unit = Vector3::ith(row % 3, 1.0);
            let wrench = match (of, row < 3) {
                (OfPose::Rotation, _) => Wrench::new(unit, Vector3::zeros()),
                (OfPose::Motion, true) => Wrench::new(axes.inverse_rotate(&unit), Vector3::zeros()),
                _ => Wrench::new(Vector3::zeros(), axes.inverse_rotate(&unit)),
            };
            (slot, wrench)
        });
        Some(self.chosen(rows.collect()))
    }

    /// How it changes along a step, for those that are of poses.
    pub fn along(&self, state: &State, step: &Step) -> Option<Vec<f64>> {
        let power = |(slot, wrench): &(usize, Wrench)| wrench.to_vector().dot(&step.poses[*slot].to_vector());
        Some(self.covectors(state)?.iter().map(power).collect())
    }

    fn chosen<T>(&self, mut all: Vec<T>) -> Vec<T> {
        match self.component {
            Some(component) => vec![all.swap_remove(component)],
            None => all,
        }
    }

    /// Its rows at a state of the robot or a neighbour.
    pub fn read(&self, scene: &Scene, view: &View<'_>, work: &mut Workspace) -> Vec<f64> {
        let View { system, state, inputs } = *view;
        let three = |vector: Vector3<f64>| vector.iter().copied().collect::<Vec<f64>>();
        let all = match self.kind {
            Kind::Pose { slot, of } => moved(&self.from, &state.poses[slot], of),
            Kind::Place { rod, s, of } => {
                let index = RodIndex::new(rod);
                let length = system.rods()[index].curve().length();
                let natural = scene.rods[rod].length;
                let s = if (natural - s).abs() <= AT_THE_TIP * natural { length } else { s };
                let samples = system.sample_at(index, state, &[s]);
                let Some(sample) = samples.first() else { return vec![f64::NAN; self.names.len()] };
                match of {
                    OfPlace::Position => three(sample.pose.position - self.from.position),
                    OfPlace::Rotation => three((self.from.rotation.inverse() * sample.pose.rotation).log()),
                    OfPlace::Curvature => three(sample.strain.curvature),
                    OfPlace::Stretch => three(sample.strain.stretch),
                    OfPlace::Moment => three(sample.stress.moment),
                    OfPlace::Force => three(sample.stress.force),
                }
            }
            Kind::Reaction { rod, at_base, moment } => {
                system.evaluate(state, inputs, work);
                let index = RodIndex::new(rod);
                let wrench = system.reaction(index, at_base, state, work);
                let poses = system.rod_poses(index, state);
                let axes = poses[if at_base { 0 } else { poses.len() - 1 }].rotation;
                three(axes.rotate(if moment { &wrench.moment } else { &wrench.force }))
            }
            Kind::Joint { joint, coordinate } => vec![system.joint_values(joint, state)[coordinate]],
            Kind::CableTension(cable) => {
                vec![system.cable(cable, &system.at(state, inputs)).map_or(f64::NAN, |own| own.0)]
            }
            Kind::CableLength(cable) => {
                vec![system.cable(cable, &system.at(state, inputs)).map_or(f64::NAN, |own| own.1)]
            }
            Kind::CablePoint { cable, point } => {
                let found = system.cable(cable, &system.at(state, inputs));
                three(found.map_or(Vector3::repeat(f64::NAN), |own| state.poses[own.2[point]].position))
            }
            Kind::TendonTension(tendon) => vec![system.tendon(tendon, state).tension],
            Kind::TendonLength(tendon) => vec![system.tendon(tendon, state).length],
            Kind::TendonPulled(tendon) => vec![system.tendon(tendon, state).pulled],
            Kind::SpringLength(spring) => vec![system.spring(spring).map_or(f64::NAN, |own| own.length(state))],
            Kind::SpringPull(spring) => vec![system.spring(spring).map_or(f64::NAN, |own| own.pull(state))],
            Kind::SpringMoment(spring) | Kind::SpringForce(spring) => {
                let Some(own) = system.spring(spring) else { return vec![f64::NAN; self.names.len()] };
                let wrench = own.wrench_on_b(state);
                let part = if matches!(self.kind, Kind::SpringMoment(_)) { wrench.moment } else { wrench.force };
                three(state.poses[own.b].rotation.rotate(&part))
            }
            Kind::ElasticEnergy => vec![system.potentials(state, inputs, work).elastic],
            Kind::GravityEnergy => vec![system.potentials(state, inputs, work).gravity],
            Kind::LoadEnergy => vec![system.potentials(state, inputs, work).applied],
            Kind::Eigenvalue => {
                let mode = stability::lowest_mode(system, state, inputs, work);
                vec![mode.map_or(f64::NAN, |mode| mode.eigenvalue)]
            }
            Kind::Frequency(mode) => vec![frequencies(view, mode + 1).get(mode).copied().unwrap_or(f64::NAN)],
            Kind::ContactForce(pair) => {
                let frames = contact_record::frames(scene, system, state, inputs);
                three(frames.get(pair).map_or(Vector3::repeat(f64::NAN), |frame| frame.force()))
            }
        };
        self.chosen(all)
    }
}

/// The lowest natural frequencies, Hz; none where nothing has mass.
fn frequencies(view: &View<'_>, count: usize) -> Vec<f64> {
    let modes = dynamics::modes(view.system, view.state, view.inputs, count).unwrap_or_default();
    modes.iter().map(|mode| mode.frequency).collect()
}

/// `mode.K.frequency`, counted from 1.
fn of_mode(path: &str) -> Option<Output> {
    let number = path.strip_prefix("mode.")?.strip_suffix(".frequency")?.parse::<usize>().ok()?;
    let kind = Kind::Frequency(number.checked_sub(1)?);
    Some(Output { kind, names: vec![path.to_owned()], component: None, from: Pose::identity() })
}

/// How a pose moved from where it was.
fn moved(base: &Pose, to: &Pose, of: OfPose) -> Vec<f64> {
    let shift = to.position - base.position;
    let turn = (base.rotation.inverse() * to.rotation).log();
    match of {
        OfPose::Position => shift.iter().copied().collect(),
        OfPose::Rotation => turn.iter().copied().collect(),
        OfPose::Motion => base.rotation.rotate(&turn).iter().chain(shift.iter()).copied().collect(),
    }
}

/// `ROD.at(S).FIELD`, perhaps with a component.
fn of_place(scene: &Scene, path: &str) -> Option<Output> {
    let (name, rest) = path.split_once(".at(")?;
    let (s, field) = rest.split_once(").")?;
    let rod = scene.rods.iter().position(|rod| rod.name == name)?;
    let s: f64 = s.trim().parse().ok()?;
    let length = scene.rods[rod].length;
    if !(0.0..=length * (1.0 + AT_THE_TIP)).contains(&s) {
        return None;
    }
    let (field, axis) = field.split_once('.').map_or((field, None), |(field, axis)| (field, Some(axis)));
    let (field, of) = PLACE.iter().find(|(own, _)| *own == field)?;
    let kind = Kind::Place { rod, s: s.min(length), of: *of };
    let names = AXES.map(|axis| format!("{name}.at({s}).{field}.{axis}")).to_vec();
    let whole = Output { kind, names, component: None, from: Pose::identity() };
    match axis {
        Some(axis) => whole.only(axis),
        None => Some(whole),
    }
}

/// Names of the rows of an output.
fn row_names(name: &str, kind: &Kind) -> Vec<String> {
    let three = |field: &str| AXES.map(|axis| format!("{name}{field}.{axis}"));
    match kind {
        Kind::Pose { of: OfPose::Motion, .. } => [three(".turn"), three(".shift")].concat(),
        Kind::Pose { .. }
        | Kind::Place { .. }
        | Kind::Reaction { .. }
        | Kind::CablePoint { .. }
        | Kind::SpringMoment(_)
        | Kind::SpringForce(_)
        | Kind::ContactForce(_) => three("").to_vec(),
        _ => vec![name.to_owned()],
    }
}
