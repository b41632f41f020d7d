//! Derivatives on random robots of all kinds: every output by numbers of every kind, against differences of whole solves.

#![allow(clippy::unwrap_used)]

use lissome::lie::{Pose, Rotation, Twist, Wrench};
use lissome::model::*;
use lissome::robot::{Judgement, Solved, solve};
use lissome::{Unobserved, derivatives::Source};
use lissome_cases::random_scene::RandomScene;
use nalgebra::Vector3;

/// Robots that stand in a stable equilibrium, and how many are drawn for it.
const ROBOTS: usize = 60;
const DRAWN: usize = 90;
/// Relative change between the solves that are differenced.
const CHANGE: f64 = 1e-4;

/// A number of a scene: its name, what counts as a large change, and the scene with it changed.
type Family = (&'static str, f64, Box<dyn Fn(&Scene, f64) -> Scene>);

fn scaled_material(section: &Section, factor: f64) -> Section {
    let stiffer = |material: &Material| Material { young: material.young * factor, ..*material };
    match section {
        Section::Layers { layers, shear_factor } => {
            let layers = layers.iter().map(|layer| Layer { material: stiffer(&layer.material), ..*layer });
            Section::Layers { layers: layers.collect(), shear_factor: *shear_factor }
        }
        Section::Given { stiffness, mass, damping, radius } => {
            Section::Given { stiffness: stiffness * factor, mass: *mass, damping: *damping, radius: *radius }
        }
    }
}

fn scaled_size(section: &Section, factor: f64) -> Section {
    let larger = |shape: &Shape| match *shape {
        Shape::Circle { radius } => Shape::Circle { radius: radius * factor },
        Shape::Annulus { inner, outer } => Shape::Annulus { inner: inner * factor, outer: outer * factor },
        Shape::Rectangle { width, height } => Shape::Rectangle { width: width * factor, height: height * factor },
    };
    match section {
        Section::Layers { layers, shear_factor } => {
            let layers = layers.iter().map(|layer| Layer { shape: larger(&layer.shape), ..*layer });
            Section::Layers { layers: layers.collect(), shear_factor: *shear_factor }
        }
        given => given.clone(),
    }
}

/// A rod with all that stands on it, longer by a factor.
fn longer(scene: &Scene, rod: usize, factor: f64) -> Scene {
    let mut scene = scene.clone();
    let own = &mut scene.rods[rod];
    own.length *= factor;
    own.profile.stations.iter_mut().for_each(|station| station.s *= factor);
    if let NaturalShape::Curvature(table) = &mut own.natural {
        table.iter_mut().for_each(|(s, _)| *s *= factor);
    }
    for load in scene.loads.iter_mut().filter(|load| load.rod == rod) {
        match &mut load.kind {
            LoadKind::Point { at, .. } => *at *= factor,
            LoadKind::Distributed { from, to, .. } => (*from, *to) = (*from * factor, *to * factor),
        }
    }
    let move_frame = |frame: &mut Frame| {
        if let FrameOf::Rod { rod: on, s } = &mut frame.of
            && *on == rod
        {
            *s *= factor;
        }
    };
    scene.rods.iter_mut().flat_map(|rod| [&mut rod.base, &mut rod.tip]).flatten().for_each(move_frame);
    for body in &mut scene.bodies {
        if let Mount::On(frame) = &mut body.mount {
            move_frame(frame);
        }
    }
    scene.joints.iter_mut().for_each(|joint| move_frame(&mut joint.parent));
    scene.cables.iter_mut().flat_map(|cable| &mut cable.points).for_each(move_frame);
    scene.springs.iter_mut().flat_map(|spring| [&mut spring.a, &mut spring.b]).for_each(move_frame);
    scene.frame_loads.iter_mut().for_each(|load| move_frame(&mut load.on));
    scene
}

fn turned(frame: &mut Frame, turn: Vector3<f64>) {
    frame.pose = frame.pose * Pose::new(Rotation::exp(&turn), Vector3::zeros());
}

fn shifted(frame: &mut Frame, shift: Vector3<f64>) {
    frame.pose = Pose::at(shift) * frame.pose;
}

/// The numbers of a scene that are tried: one of each kind that it has, of its last parts.
fn families(scene: &Scene) -> Vec<Family> {
    let mut all: Vec<Family> = Vec::new();
    let rod = scene.rods.len() - 1;
    let length = scene.rods[rod].length;
    let sections = |change: fn(&Section, f64) -> Section| {
        move |scene: &Scene, by: f64| {
            let mut scene = scene.clone();
            for station in &mut scene.rods[rod].profile.stations {
                station.section = change(&station.section, 1.0 + by);
            }
            scene
        }
    };
    all.push(("young", 1.0, Box::new(sections(scaled_material))));
    all.push(("section size", 1.0, Box::new(sections(scaled_size))));
    all.push(("length", 1.0, Box::new(move |scene, by| longer(scene, rod, 1.0 + by))));
    all.push((
        "natural curvature",
        1.0 / length,
        Box::new(move |scene, by| {
            let mut scene = scene.clone();
            let bent = Vector3::new(0.3, 1.0, -0.5) * by;
            let natural = &mut scene.rods[rod].natural;
            *natural = match &*natural {
                NaturalShape::Curvature(table) => {
                    NaturalShape::Curvature(table.iter().map(|(s, kappa)| (*s, kappa + bent)).collect())
                }
                _ => NaturalShape::curved(bent),
            };
            scene
        }),
    ));
    all.push((
        "turn of the base",
        1.0,
        Box::new(|scene, by| {
            let mut scene = scene.clone();
            turned(scene.rods[0].base.as_mut().unwrap(), Vector3::new(0.4, -0.7, 0.5) * by);
            scene
        }),
    ));
    all.push((
        "place of the base",
        length,
        Box::new(move |scene, by| {
            let mut scene = scene.clone();
            shifted(scene.rods[rod].base.as_mut().unwrap(), Vector3::new(0.5, 0.2, -0.6) * by);
            scene
        }),
    ));
    if scene.gravity.norm() > 0.0 {
        all.push((
            "gravity",
            9.81,
            Box::new(|scene, by| {
                let gravity = scene.gravity + Vector3::new(0.3, 0.2, 0.9) * by;
                Scene { gravity, ..scene.clone() }
            }),
        ));
    }
    if scene.rods[0].tip.is_some() {
        all.push((
            "place and turn of the held tip",
            0.1,
            Box::new(move |scene, by| {
                let mut scene = scene.clone();
                let tip = scene.rods[0].tip.as_mut().unwrap();
                tip.pose = tip.pose.boxplus(&Twist::new(
                    Vector3::new(0.5, 0.2, 0.1) * by,
                    Vector3::new(-0.2, 0.3, 0.1) * (by * length),
                ));
                scene
            }),
        ));
    }
    if let Some(load) = scene.loads.last() {
        let size = match load.kind {
            LoadKind::Point { wrench, .. } => wrench.force.norm().max(wrench.moment.norm() / length),
            LoadKind::Distributed { per_length, .. } => per_length.force.norm(),
        };
        all.push((
            "load",
            size,
            Box::new(move |scene, by| {
                let mut scene = scene.clone();
                let more = Wrench::new(Vector3::zeros(), Vector3::new(0.5, -0.6, 0.4) * by);
                match &mut scene.loads.last_mut().unwrap().kind {
                    LoadKind::Point { wrench, .. } => *wrench += more,
                    LoadKind::Distributed { per_length, .. } => *per_length += more,
                }
                scene
            }),
        ));
    }
    if !scene.joints.is_empty() {
        all.push((
            "stiffness of a joint",
            1.0,
            Box::new(|scene, by| {
                let mut scene = scene.clone();
                scene.joints[0].stiffness.iter_mut().for_each(|k| *k *= 1.0 + by);
                scene
            }),
        ));
        all.push((
            "frame of a joint",
            1.0,
            Box::new(|scene, by| {
                let mut scene = scene.clone();
                turned(&mut scene.joints[0].parent, Vector3::new(0.3, 0.4, -0.5) * by);
                scene
            }),
        ));
    }
    if !scene.bodies.is_empty() {
        all.push((
            "mass and centre of a body",
            1.0,
            Box::new(move |scene, by| {
                let mut scene = scene.clone();
                scene.bodies[0].inertia.mass *= 1.0 + by;
                scene.bodies[0].inertia.centre.x += 0.02 * length * by;
                scene
            }),
        ));
    }
    if !scene.cables.is_empty() {
        let size = scene.cables[0].drive.value().abs();
        all.push((
            "drive of a cable",
            size,
            Box::new(|scene, by| {
                let mut scene = scene.clone();
                scene.cables[0].drive = match scene.cables[0].drive {
                    CableDrive::Tension(value) => CableDrive::Tension(value + by),
                    CableDrive::Length(value) => CableDrive::Length(value + by),
                    CableDrive::Pull(value) => CableDrive::Pull(value + by),
                };
                scene
            }),
        ));
        all.push((
            "eye of a cable",
            0.08 * length,
            Box::new(|scene, by| {
                let mut scene = scene.clone();
                shifted(scene.cables[0].points.last_mut().unwrap(), Vector3::new(0.1, 0.8, 0.3) * by);
                scene
            }),
        ));
    }
    if !scene.springs.is_empty() {
        all.push((
            "stiffness of a spring",
            1.0,
            Box::new(|scene, by| {
                let mut scene = scene.clone();
                scene.springs[0].law = match scene.springs[0].law {
                    SpringLaw::Line { stiffness, rest_length, damping } => {
                        SpringLaw::Line { stiffness: stiffness * (1.0 + by), rest_length, damping }
                    }
                    SpringLaw::Bushing { stiffness, damping } => {
                        SpringLaw::Bushing { stiffness: stiffness * (1.0 + by), damping }
                    }
                    SpringLaw::Axes { stiffness } => SpringLaw::Axes { stiffness: stiffness * (1.0 + by) },
                };
                scene
            }),
        ));
    }
    all
}

fn differences(scene: &Scene, family: &Family, at: &Solved, of: &[&str], h: f64) -> Option<Vec<f64>> {
    let mut sum: Vec<f64> = Vec::new();
    for (place, weight) in [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)] {
        let found = at.settled_anew(&family.2(scene, place * h)).ok()??.outputs(of, Some(at)).unwrap();
        sum.resize(found.len(), 0.0);
        sum.iter_mut().zip(&found).for_each(|(sum, (_, value))| *sum += weight * value / h);
    }
    Some(sum)
}

/// The largest of each vector, for each of its rows.
fn of_vectors(names: &[String], values: &[f64]) -> Vec<f64> {
    let stem = |name: &String| name.rsplit_once('.').map(|(stem, _)| stem.to_owned());
    let largest = |row: usize| {
        let own = names.iter().zip(values).filter(|(name, _)| stem(name) == stem(&names[row]));
        own.map(|(_, value)| value.abs()).fold(0.0, f64::max)
    };
    (0..names.len()).map(largest).collect()
}

/// What an output of this name counts in.
fn unit(name: &str, longest: f64, strongest: f64) -> f64 {
    let is = |words: &[&str]| words.iter().any(|word| name.split('.').any(|part| part == *word));
    match () {
        () if is(&["rotation", "turn", "stretch"]) => 1.0,
        () if is(&["position", "shift", "length", "points"]) => longest,
        () if is(&["curvature"]) => 1.0 / longest,
        () if is(&["moment", "energy"]) => strongest * longest,
        () if is(&["force", "tension", "pull"]) => strongest,
        // Coordinates of joints.
        () => longest.max(1.0),
    }
}

#[test]
fn every_output_by_every_kind_of_number_on_random_robots() {
    let (mut robots, mut pairs, mut sharp, mut worst) = (0, 0, 0, 0.0f64);
    let (mut off, mut largest) = (Vec::new(), 0.0f64);
    for index in 0..DRAWN {
        if robots == ROBOTS {
            break;
        }
        let RandomScene { words, mut scene } = RandomScene::draw(16, index);
        for rod in &mut scene.rods {
            *rod.discretization.resolution_mut() = Resolution::Spans(6);
        }
        let Ok(at) = solve(&scene, Judgement::Sign, &mut Unobserved) else { continue };
        if !at.equilibrium.outcome.converged() || at.equilibrium.is_stable() != Some(true) {
            continue;
        }
        robots += 1;
        let mut of = at.output_names();
        of.retain(|name| name != "smallest_eigenvalue");
        for rod in &scene.rods {
            for field in ["position", "rotation", "curvature", "stretch", "moment", "force"] {
                of.push(format!("{}.at({}).{field}", rod.name, 0.37 * rod.length));
            }
        }
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        let longest = scene.rods.iter().map(|rod| rod.length).fold(0.0, f64::max);
        let values = at.outputs(&of, None).unwrap();
        let stiffness = scene.rods.iter().map(|rod| rod.profile.stations[0].section.stiffness()[(1, 1)]);
        let strongest = stiffness.fold(0.0, f64::max) / longest.powi(2);
        let forces = values.iter().filter(|(name, _)| name.contains("force") || name.contains("tension"));
        let strongest = forces.map(|(_, value)| value.abs()).fold(strongest, f64::max);
        // Every other kind of number, those in between on the next robot of the kind.
        for family in families(&scene).into_iter().skip(index / 10 % 2).step_by(2) {
            let (what, size, scene_at) = &family;
            let found = match at.derivatives_along(&of, *size, &mut |by| scene_at(&scene, by)) {
                Ok(found) => found,
                Err(fault) => panic!("{words}: {what}: {fault}"),
            };
            let fine = differences(&scene, &family, &at, &of, CHANGE * size);
            let coarse = differences(&scene, &family, &at, &of, 2.0 * CHANGE * size);
            let (Some(fine), Some(coarse)) = (fine, coarse) else { continue };
            let (names, got): (Vec<String>, Vec<f64>) = found.into_iter().unzip();
            let beside = of_vectors(&names, &got);
            let apart: Vec<f64> = fine.iter().zip(&coarse).map(|(fine, coarse)| (fine - coarse).abs()).collect();
            let unsure = of_vectors(&names, &apart);
            for row in 0..got.len() {
                let error = (got[row] - fine[row]).abs();
                // Solves agree to about 1e-13 of the size of what they tell.
                let rounding = 1e-13 * unit(&names[row], longest, strongest) / (CHANGE * size);
                pairs += 1;
                if unsure[row].max(rounding) < 0.25e-6 * beside[row] {
                    sharp += 1;
                    worst = worst.max(error / beside[row]);
                }
                largest = largest.max(error / (1e-6 * beside[row] + 4.0 * unsure[row] + 4.0 * rounding));
                if error > 1e-6 * beside[row] + 4.0 * unsure[row] + 4.0 * rounding {
                    let (got, fine, coarse) = (got[row], fine[row], coarse[row]);
                    off.push(format!(
                        "{words}: {} by {what}: {got:e}, differences {fine:e} and {coarse:e}",
                        names[row]
                    ));
                }
            }
        }
    }
    println!(
        "{robots} robots, {pairs} pairs, {sharp} told by differences to 1e-6, there off by {worst:.1e}; {largest:.1e} of what is allowed"
    );
    assert!(off.is_empty(), "{} pairs are off:\n{}", off.len(), off[..off.len().min(40)].join("\n"));
    assert!(robots == ROBOTS && sharp > pairs / 12, "{robots} robots, differences tell {sharp} of {pairs} pairs");
}

#[test]
fn both_ways_agree() {
    let (mut worst, mut compared) = (0.0f64, 0);
    for index in 0..ROBOTS {
        let RandomScene { words, mut scene } = RandomScene::draw(17, index);
        for rod in &mut scene.rods {
            *rod.discretization.resolution_mut() = Resolution::Spans(6);
        }
        let Ok(at) = solve(&scene, Judgement::Sign, &mut Unobserved) else { continue };
        if !at.equilibrium.outcome.converged() || at.equilibrium.is_stable() != Some(true) {
            continue;
        }
        let tip = format!("{}.tip", scene.rods[scene.rods.len() - 1].name);
        let drives: Vec<String> = lissome::io::scene::drivable(&scene);
        let wrt: Vec<&str> = drives.iter().map(String::as_str).collect();
        let source = Source::default();
        let forward = at.derivatives_by(false, source, &[&tip], &wrt).unwrap();
        let adjoint = at.derivatives_by(true, source, &[&tip], &wrt).unwrap();
        let weights: Vec<f64> = (0..6).map(|k| 1.0 + 0.3 * k as f64).collect();
        let weighted = at.vjp(source, &[&tip], &weights, &wrt).unwrap();
        assert!(!forward.adjoint);
        for (column, (path, sum)) in weighted.iter().enumerate() {
            let (rows, other) = (forward.values.column(column), adjoint.values.column(column));
            let scale = rows.amax();
            let expected: f64 = rows.iter().zip(&weights).map(|(row, weight)| row * weight).sum();
            // Of a tip that is held nothing but rounding changes.
            if scale > 1e-9 * scene.rods[0].length.min(1.0) {
                let apart = ((rows - other).amax() / scale).max((sum - expected).abs() / (10.0 * scale));
                assert!(apart < 1e-10, "{words}: {path}: {apart:e}");
                worst = worst.max(apart);
                compared += usize::from(adjoint.adjoint);
            }
        }
    }
    println!("{compared} columns both ways, apart by {worst:.1e}");
    assert!(compared > 40);
}
