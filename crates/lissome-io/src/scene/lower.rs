//! From the document to the model: reads every table, collecting mistakes, then passes the scene through the
//! model's own door.

use super::dimension::Dimension;
use super::document::{Document, Table, Value};
use super::drive::{Drivable, Driven};
use super::findings::Findings;
use super::frame::Carriers;
use super::load::ReadLoad;
use super::names::{check_shared, family};
use super::reader::{Reader, clip, clip_to};
use super::section::Materials;
use super::{
    body, cable, contact, drive, free, job, joint, keys, load, material, obstacle, rod, spring, surface, target,
    tendon, tubes, twisted,
};
use crate::fault::Fault;
use crate::inverse_fault::InverseFault;
use crate::source::Span;
use lissome_model::{
    Closure, Drive, DriveTarget, DynamicsJob, Frame, FrameLoad, Invalid, Job, JointMotion, Load, LoadKind, LoopMethod,
    NaturalShape, Problem, Rod, Scene, ScenePart, Start,
};
use nalgebra::Vector3;
use std::collections::HashSet;
use std::path::Path;

/// Characters of a title that are kept.
const TITLE: usize = 200;
/// Strongest gravity that is not taken for a slip of the unit, m/s².
const PLAUSIBLE_GRAVITY: f64 = 100.0;

/// A member of a family, with its name.
type Member<'d> = (&'d str, Reader<'d>);

/// Lowers a document in which every `like` is carried out; `None` if errors were found.
pub fn lower(document: &Document, findings: &mut Findings) -> Option<Scene> {
    let top = Span::new(0, 0..0);
    let file = Reader::open(&document.root, keys::SCENE, "", Some(top), findings);
    check_schema(&file, findings);
    check_shared(&document.root, findings);
    if !file.has("rod") && !file.has("tubes") && !file.has("body") {
        findings.add::<()>(Fault::NoRod, "rod", Some(top));
    }
    let title = file.text("title", findings).map(|title| clip_to(title, TITLE)).unwrap_or_default();
    let world = read_world(&file, findings);
    let materials = read_materials(&file, findings);
    let (carriers, scene) = read_parts(&file, &materials, &document.folder(), findings);
    let loads = read_loads(&file, &carriers, findings);
    let (rod_loads, frame_loads) = loads.as_ref().map_or((&[][..], &[][..]), |(a, b)| (&a[..], &b[..]));
    let known = rod_loads.iter().map(|load| load.name.as_str());
    let names = job::LoadNames { known: known.chain(frame_loads.iter().map(|load| load.name.as_str())).collect() };
    let job = job::read(&file, &names, findings);

    let (loads, frame_loads) = loads?;
    let (gravity, loops) = world?;
    let mut scene = Scene { title, gravity, loops, loads, frame_loads, job: job?, ..scene? };
    let Scene { rods, joints, cables, tendons, loads, frame_loads, .. } = &scene;
    let things = Drivable { rods, joints, cables, tendons, loads, frame_loads };
    scene.drives = drive::read(&file, &things, &scene.job, findings)?;
    read_inverse(&file, &mut scene, &carriers, findings)?;
    begin_where_driven(&mut scene);
    if findings.has_errors() {
        return None;
    }
    check(&scene, document, findings)?;
    Some(scene)
}

/// What is possible in a scene but hardly meant, as far as it takes the whole of it to see that.
pub(super) fn warn(scene: &Scene, document: &Document, findings: &mut Findings) {
    warn_unused_materials(document, findings);
    warn_unused_velocities(scene, document, findings);
    twisted::warn(scene, document, findings);
    warn_of_tendons(scene, document, findings);
}

/// The model's own door, and what a file must keep to beside it; `None` if it does not.
pub(super) fn check(scene: &Scene, document: &Document, findings: &mut Findings) -> Option<()> {
    check_passed(scene, scene.validate(), None, document, findings)
}

/// The same of a scene beside one that has passed, and the parts in which the two may differ, if they are known.
pub(super) fn check_beside(
    scene: &Scene,
    (passed, changed): (&Scene, Option<&[ScenePart]>),
    document: &Document,
    findings: &mut Findings,
) -> Option<()> {
    // Where nothing came to lie elsewhere along rods, only a rod itself tells whether it can be divided.
    let changed_alone = changed.filter(|changed| scene.has_places_of(passed, changed));
    check_passed(scene, scene.validate_beside(passed, changed), changed_alone, document, findings)
}

fn check_passed(
    scene: &Scene,
    passed: Result<(), Invalid>,
    changed_alone: Option<&[ScenePart]>,
    document: &Document,
    findings: &mut Findings,
) -> Option<()> {
    if let Err(invalid) = passed {
        let (fault, span) = fault_of(&invalid, document);
        return findings.add(fault, invalid.path, span);
    }
    refuse_floating_start(scene, document, findings)?;
    if let Some((path, reason)) = fixed_knots_conflict(scene, changed_alone) {
        let help = "move it to an end, make the section even, or give the shape by curvature";
        return findings.add(Fault::Contradiction { reason, help }, path.clone(), document.locate(&path));
    }
    Some(())
}

/// Targets and free drives of an inverse job; a word of warning where they stand in another.
fn read_inverse(file: &Reader<'_>, scene: &mut Scene, carriers: &Carriers, findings: &mut Findings) -> Option<()> {
    let given = ["target", "free"].into_iter().find_map(|family| Some((family, file.entry(family)?.name_span)));
    // Free numbers of an optimisation are read when the scene is whole.
    let given = given.filter(|(family, _)| !(*family == "free" && matches!(scene.job, Job::Optimise(_))));
    if !matches!(scene.job, Job::Inverse(_)) {
        if let Some((family, span)) = given {
            let kind = scene.job.name();
            findings.add::<()>(Fault::Inverse(InverseFault::NotSought { kind }), family, Some(span));
        }
        return Some(());
    }
    let targets = target::read(file, scene, carriers, &scene.job.clone(), findings);
    let free = free::read(file, scene, findings);
    let (targets, free) = (targets?, free?);
    if targets.is_empty() {
        return findings.add(Fault::Inverse(InverseFault::NoTargets), "target", file.span_of("job"));
    }
    let (numbers, drives) = (targets.iter().map(|target| target.output.size()).sum(), free.len());
    if numbers > drives {
        let fault = Fault::Inverse(InverseFault::MoreTargets { numbers, drives });
        findings.add::<()>(fault, "target", file.entry("target").map(|entry| entry.name_span));
    }
    if let Job::Inverse(job) = &mut scene.job {
        (job.targets, job.free) = (targets, free);
    }
    Some(())
}

/// Rods, tubes, bodies, joints, closures, cables, tendons, springs and obstacles with how they touch, in a scene that has
/// nothing else; `None` if one of them was refused. Their names come in any case.
fn read_parts(
    file: &Reader<'_>,
    materials: &Materials,
    folder: &Path,
    findings: &mut Findings,
) -> (Carriers, Option<Scene>) {
    let rods = family(file, "rod", keys::ROD, findings);
    let tubes = family(file, "tubes", keys::TUBES, findings);
    let bodies = family(file, "body", keys::BODY, findings);
    let joints = family(file, "joint", keys::JOINT, findings);
    let closures = family(file, "closure", keys::CLOSURE, findings);
    let cables = family(file, "cable", keys::CABLE, findings);
    let tendons = family(file, "tendon", keys::TENDON, findings);
    let springs = family(file, "spring", keys::SPRING, findings);
    let obstacles = family(file, "obstacle", keys::OBSTACLE, findings);
    let driven = Driven::of(file);
    let carriers = carriers_of([&rods, &tubes, &bodies, &joints, &closures], findings);

    let stretches: Vec<_> =
        rods.iter().enumerate().map(|(rod, (_, reader))| surface::read(rod, reader, findings)).collect();
    let stretches: Option<Vec<_>> = stretches.into_iter().collect();
    let stretches = stretches.map(|stretches| stretches.concat());

    // Every table is read before the first that was refused ends it.
    let mut rods: Vec<_> =
        rods.iter().map(|(name, reader)| rod::read(name, reader, materials, &carriers, findings)).collect();
    rods.extend(tubes.iter().map(|(name, reader)| tubes::read(name, reader, materials, &carriers, findings)));
    let bodies: Vec<_> = (bodies.iter().zip(&carriers.bodies))
        .map(|((name, reader), (_, frames))| body::read(name, reader, frames, &carriers, findings))
        .collect();
    let joints: Vec<_> =
        joints.iter().map(|(name, reader)| joint::read(name, reader, &carriers, &driven, findings)).collect();
    let closures: Vec<_> = (closures.iter())
        .map(|(name, reader)| Some((*name, joint::read_closure(name, reader, &carriers, &driven, findings)?)))
        .collect();
    let cables: Vec<_> =
        cables.iter().map(|(name, reader)| cable::read(name, reader, &carriers, &driven, findings)).collect();
    let tendons: Vec<_> =
        tendons.iter().map(|(name, reader)| tendon::read(name, reader, &carriers, &driven, findings)).collect();
    let springs: Vec<_> =
        springs.iter().map(|(name, reader)| spring::read(name, reader, &carriers, findings)).collect();
    let names: Vec<String> = obstacles.iter().map(|(name, _)| (*name).to_owned()).collect();
    let touching = stretches.and_then(|stretches| contact::read(file, &carriers, &names, stretches, findings));
    let obstacles: Vec<_> =
        obstacles.iter().map(|(name, reader)| obstacle::read(name, reader, &carriers, folder, findings)).collect();

    let scene = || {
        let mut scene = Scene {
            rods: rods.into_iter().collect::<Option<_>>()?,
            bodies: bodies.into_iter().collect::<Option<_>>()?,
            joints: joints.into_iter().collect::<Option<_>>()?,
            cables: cables.into_iter().collect::<Option<_>>()?,
            springs: springs.into_iter().collect::<Option<_>>()?,
            obstacles: obstacles.into_iter().collect::<Option<_>>()?,
            touching: touching?,
            ..Scene::default()
        };
        for found in tendons {
            let found = found?;
            scene.tendons.extend(found.tendons);
            scene.cables.extend(found.cables);
            scene.disks.extend(found.disks);
        }
        for (name, (a, b, joint)) in closures.into_iter().collect::<Option<Vec<_>>>()? {
            // An articulated closure is a joint on the first side, welded to the second.
            let articulated = joint.is_some();
            scene.joints.extend(joint);
            let a = if articulated { Frame::joint(scene.joints.len() - 1) } else { a };
            scene.closures.push(Closure { name: name.to_owned(), a, b });
        }
        Some(scene)
    };
    (carriers, scene())
}

/// What can carry a frame in a file.
pub(super) fn carriers(file: &Reader<'_>, findings: &mut Findings) -> Carriers {
    let rods = family(file, "rod", keys::ROD, findings);
    let tubes = family(file, "tubes", keys::TUBES, findings);
    let bodies = family(file, "body", keys::BODY, findings);
    let joints = family(file, "joint", keys::JOINT, findings);
    let closures = family(file, "closure", keys::CLOSURE, findings);
    carriers_of([&rods, &tubes, &bodies, &joints, &closures], findings)
}

/// The same of families that stand open: rods, tubes, bodies, joints and closures.
fn carriers_of([rods, tubes, bodies, joints, closures]: [&[Member<'_>]; 5], findings: &mut Findings) -> Carriers {
    let articulated = closures.iter().filter(|(_, reader)| joint::is_articulated(reader));
    Carriers::new(
        (rods.iter().map(|(name, reader)| ((*name).to_owned(), rod::read_length(reader))))
            .chain(tubes.iter().map(|(name, reader)| ((*name).to_owned(), tubes::read_length(reader))))
            .collect(),
        (bodies.iter()).map(|(name, reader)| ((*name).to_owned(), body::read_frames(reader, findings))).collect(),
        joints.iter().chain(articulated).map(|(name, _)| (*name).to_owned()).collect(),
    )
}

/// Loads on rods and loads on frames.
fn read_loads(file: &Reader<'_>, carriers: &Carriers, findings: &mut Findings) -> Option<(Vec<Load>, Vec<FrameLoad>)> {
    let read: Vec<_> = (family(file, "load", keys::LOAD, findings).iter())
        .map(|(name, reader)| load::read(name, reader, carriers, findings))
        .collect();
    let (mut on_rods, mut on_frames) = (Vec::new(), Vec::new());
    for load in read {
        match load? {
            ReadLoad::Rod(load) => on_rods.push(load),
            ReadLoad::Frame(load) => on_frames.push(load),
        }
    }
    Some((on_rods, on_frames))
}

/// What is driven begins where its drive does.
pub(super) fn begin_where_driven(scene: &mut Scene) {
    let drives = std::mem::take(&mut scene.drives);
    for Drive { target, signal, .. } in &drives {
        if let DriveTarget::TubeInsertion { rod, tube } = *target {
            scene.insert_tube(rod, tube, signal.at(0.0));
        }
    }
    scene.drives = drives;
    for Drive { target, signal, .. } in &scene.drives {
        let value = signal.at(0.0);
        match *target {
            DriveTarget::JointValue { joint, coordinate } => {
                if let JointMotion::Driven { value: values } = &mut scene.joints[joint].motion {
                    values[coordinate] = value;
                }
            }
            DriveTarget::JointEffort { joint, coordinate } => {
                if let JointMotion::Actuated { effort, .. } = &mut scene.joints[joint].motion {
                    effort[coordinate] = value;
                }
            }
            DriveTarget::Cable(cable) => {
                let drive = &mut scene.cables[cable].drive;
                *drive = drive.with(value);
            }
            DriveTarget::Tendon(tendon) => {
                let drive = &mut scene.tendons[tendon].drive;
                *drive = drive.with(value);
            }
            DriveTarget::TubeRotation { rod, tube } => {
                if let Some(tubes) = &mut scene.rods[rod].tubes {
                    tubes.tubes[tube].rotation = value;
                }
            }
            DriveTarget::TubeInsertion { .. } => {}
            DriveTarget::Load(_) | DriveTarget::FrameLoad(_) | DriveTarget::Gravity => {}
        }
    }
}

/// A motion that begins at an equilibrium needs one.
fn refuse_floating_start(scene: &Scene, document: &Document, findings: &mut Findings) -> Option<()> {
    let Job::Dynamics(DynamicsJob { start: Start::Equilibrium, .. }) = scene.job else { return Some(()) };
    let Some(parts) = scene.floating() else { return Some(()) };
    let parts: Vec<String> = parts.into_iter().map(|item| item.path(scene)).collect();
    let place = parts[0].clone();
    findings.add(Fault::Floating { parts }, place.clone(), document.locate(&place))
}

/// Tendons that share a hole, or that nothing guides outside the rod.
fn warn_of_tendons(scene: &Scene, document: &Document, findings: &mut Findings) {
    for (first, second, s) in scene.shared_holes() {
        let path = scene.tendons[second].path();
        let [name, other] = [second, first].map(|index| scene.tendons[index].name.clone());
        let fault = Fault::SharedHole { name, other, s };
        findings.add::<()>(fault, path.clone(), document.locate(&path));
    }
    for (tendon, distance, radius, s) in scene.unguided_tendons() {
        let path = scene.tendons[tendon].path();
        let fault = Fault::UnguidedTendon { name: scene.tendons[tendon].name.clone(), distance, radius, s };
        findings.add::<()>(fault, path.clone(), document.locate(&path));
    }
}

/// Velocities mean something in a motion only.
fn warn_unused_velocities(scene: &Scene, document: &Document, findings: &mut Findings) {
    if matches!(scene.job, Job::Dynamics(_)) {
        return;
    }
    let bodies = scene.bodies.iter().filter(|body| !body.initial_velocity.is_zero());
    let rods = scene.rods.iter().filter(|rod| rod.initial_velocity.is_some_and(|velocity| !velocity.is_zero()));
    let joints = scene.joints.iter().filter(|joint| joint.initial_rate.iter().any(|rate| *rate != 0.0));
    let paths = (bodies.map(|body| format!("body.{}.velocity", body.name)))
        .chain(rods.map(|rod| format!("rod.{}.velocity", rod.name)))
        .chain(joints.map(|joint| format!("joint.{}.rate", joint.name)));
    for path in paths {
        let span = document.locate(&path);
        findings.add::<()>(Fault::UnusedVelocity, path, span);
    }
}

/// Control poses fix a rod's knots, so nothing may make its stress jump inside: the path to blame, and why.
fn fixed_knots_conflict(scene: &Scene, changed_alone: Option<&[ScenePart]>) -> Option<(String, String)> {
    let is_given = |(index, rod): &(usize, &Rod)| {
        matches!(rod.natural, NaturalShape::ControlPoses(_))
            && changed_alone.is_none_or(|changed| changed.contains(&ScenePart::Rod(*index)))
    };
    let mut given = scene.rods.iter().enumerate().filter(is_given).peekable();
    given.peek()?;
    let places = scene.places_by_rod();
    for (index, rod) in given {
        if rod.jumps(&places[index]).is_empty() {
            continue;
        }
        if !rod.profile.steps().is_empty() {
            let reason = "the section steps, but the shape's control poses leave no room for a jump".into();
            return Some((format!("rod.{}.section", rod.name), reason));
        }
        let inside = |load: &&Load| match load.kind {
            LoadKind::Point { at, .. } => {
                load.rod == index && scene.rod_jumps(index).iter().any(|s| (s - at).abs() < 1e-6 * rod.length)
            }
            LoadKind::Distributed { .. } => false,
        };
        if let Some(load) = scene.loads.iter().find(inside) {
            let reason = "a point load inside the rod, but the shape's control poses leave no room for a jump".into();
            return Some((format!("load.{}.at", load.name), reason));
        }
        if scene
            .stations(index)
            .iter()
            .any(|s| scene.rod_jumps(index).iter().any(|at| (at - s).abs() < 1e-6 * rod.length))
        {
            let reason = "something is attached inside the rod, but its control poses leave no room for a jump".into();
            return Some((format!("rod.{}.shape", rod.name), reason));
        }
    }
    None
}

/// The fault and place that a refusal of the model stands for.
pub fn fault_of(invalid: &Invalid, document: &Document) -> (Fault, Option<Span>) {
    let path = &invalid.path;
    let name = || path.split('.').nth(1).unwrap_or_default().to_owned();
    let fault = match &invalid.problem {
        Problem::NotFinite => Fault::NotFinite { value: f64::NAN },
        Problem::NotPositive { value } => Fault::NotPositive { value: *value },
        Problem::Negative { value } => Fault::Negative { value: *value },
        Problem::OutOfRange { value, interval } => Fault::OutOfRange { value: *value, interval: interval.clone() },
        Problem::Magnitude { value, quantity } => Fault::Magnitude { value: *value, bounds: quantity.bounds() },
        Problem::TooManySpans { found, limit } => Fault::TooManySpans { found: *found, limit: *limit },
        Problem::NotPositiveDefinite => Fault::NotPositiveDefinite,
        Problem::NotPositiveSemidefinite => Fault::NotPositiveSemidefinite,
        Problem::NothingToStretch { reason } => Fault::NothingToStretch { reason: reason.clone() },
        Problem::UnknownName { name, known } => {
            Fault::UnknownName { family: "rod", name: name.clone(), known: known.clone() }
        }
        Problem::Missing { .. } if path.ends_with(".material") => Fault::NoDensity { rod: name() },
        Problem::Circle { chain } => Fault::AttachmentCircle { chain: chain.clone() },
        Problem::Floating { parts } if parts.len() == 1 && path.starts_with("rod.") => {
            Fault::NothingHolds { rod: name() }
        }
        Problem::Floating { parts } => Fault::Floating { parts: parts.clone() },
        Problem::NothingHangs => Fault::NothingHangs { joint: name() },
        Problem::RigidAlready { reason } => Fault::RigidAlready { reason: reason.clone() },
        Problem::Coincident { first } => Fault::SamePoint { first: *first },
        Problem::NotCovered { first, last, end } => Fault::RunNotCovered { first: *first, last: *last, end: *end },
        Problem::TimesNotInOrder { before, after } => Fault::TimesNotInOrder { before: *before, after: *after },
        Problem::DrivenTwice { other } => {
            Fault::DrivenTwice { path: path.trim_start_matches("drive.").to_owned(), other: other.clone() }
        }
        Problem::TooThick { part, radius, inner } => {
            Fault::TooThick { part: part.clone(), radius: *radius, inner: *inner }
        }
        Problem::Penetrates { obstacle, s, depth, place } => {
            Fault::Penetrates { part: path.clone(), obstacle: obstacle.clone(), s: *s, depth: *depth, place: *place }
        }
        other => Fault::Contradiction { reason: format!("`{path}` {other}"), help: "see docs/reference/scene.md" },
    };
    (fault, document.locate(path))
}

fn check_schema(scene: &Reader<'_>, findings: &mut Findings) {
    if !scene.has("schema") {
        return scene.fault::<()>("schema", Fault::MissingSchema, findings).unwrap_or_default();
    }
    if let Some(version) = scene.count("schema", findings).filter(|version| *version != 1) {
        scene.fault::<()>("schema", Fault::UnsupportedSchema { found: version.to_string() }, findings);
    }
}

fn read_world(scene: &Reader<'_>, findings: &mut Findings) -> Option<(Vector3<f64>, LoopMethod)> {
    if !scene.has("world") {
        return Some((Vector3::zeros(), LoopMethod::default()));
    }
    let world = scene.table("world", keys::WORLD, findings)?;
    let loops = match world.choice("loops", keys::LOOPS, findings).map(|choice| keys::LOOPS[choice]) {
        Some("embedding") => Some(LoopMethod::Embedding),
        Some("constraints") => Some(LoopMethod::Constraints),
        None if world.has("loops") => None,
        _ => Some(LoopMethod::Auto),
    };
    if !world.has("gravity") {
        return Some((Vector3::zeros(), loops?));
    }
    let gravity = world.vector("gravity", Dimension::ACCELERATION, findings)?;
    if gravity.norm() > PLAUSIBLE_GRAVITY {
        world.fault::<()>("gravity", Fault::ImplausibleGravity { value: gravity.norm() }, findings);
    }
    Some((gravity, loops?))
}

pub(super) fn read_materials(scene: &Reader<'_>, findings: &mut Findings) -> Materials {
    (family(scene, "material", keys::MATERIAL, findings).iter())
        .map(|(name, reader)| ((*name).to_owned(), material::read(reader, findings)))
        .collect()
}

fn warn_unused_materials(document: &Document, findings: &mut Findings) {
    let Some(Value::Table(materials)) = document.root.get("material").map(|node| &node.value) else { return };
    let mut used = HashSet::new();
    collect_materials(&document.root, &mut used);
    for entry in materials.entries.iter().filter(|entry| !used.contains(entry.name.as_str())) {
        let fault = Fault::UnusedMaterial { name: clip(&entry.name) };
        findings.add::<()>(fault, format!("material.{}", clip(&entry.name)), Some(entry.name_span));
    }
}

/// Every text given as `material = "…"` anywhere below a table.
fn collect_materials<'d>(table: &'d Table, used: &mut HashSet<&'d str>) {
    for entry in &table.entries {
        match &entry.node.value {
            Value::Text(text) if entry.name == "material" => {
                used.insert(text.as_str());
            }
            Value::Table(inner) => collect_materials(inner, used),
            Value::Array(items) => {
                for item in items {
                    if let Value::Table(inner) = &item.value {
                        collect_materials(inner, used);
                    }
                }
            }
            _ => {}
        }
    }
}
