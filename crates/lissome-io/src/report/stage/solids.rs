//! Bodies, obstacles, joints and the disks of tendons as meshes that move, and cables, tendons and springs as threads.

use super::pack;
use super::rods::poses_json;
use super::sequence::Sequence;
use crate::placing::Placing;
use crate::surfaces::{Mesh, disks, mesh, obstacle};
use lissome_lie::Pose;
use lissome_model::{Frame, FrameOf, ObstacleShape, Outline, Scene};
use lissome_solve::MotionFrame;
use nalgebra::Vector3;
use serde_json::{Value as Json, json};
use std::collections::HashMap;

/// Balls for bodies without solids and for joints, of the size of the robot.
const BODY_BALL: f64 = 0.014;
const JOINT_BALL: f64 = 0.009;
/// Triangles of one mesh on a page; finer ones are made coarser.
const MOST_TRIANGLES: usize = 4000;

/// A solid with its place in every frame.
struct Placed<'a> {
    name: &'a str,
    kind: &'static str,
    surface: Mesh,
    poses: Vec<Pose>,
}

/// How many solids a scene has that may move.
pub fn count(scene: &Scene) -> usize {
    scene.bodies.len() + scene.joints.len() + scene.disks.iter().map(|disks| disks.places.len()).sum::<usize>()
}

/// Meshes and the solids that use them.
pub fn json(scene: &Scene, sequence: &Sequence, size: f64) -> (Vec<Json>, Vec<Json>) {
    let frames = &sequence.frames;
    let Some(first) = frames.first() else { return (Vec::new(), Vec::new()) };
    let placings: Vec<Placing> = frames.iter().map(|frame| Placing::in_motion(scene, frame)).collect();
    let at = |of: &Frame| -> Option<Vec<Pose>> { placings.iter().map(|placing| placing.frame(of)).collect() };
    let ball = |part: f64| mesh::solid(&Outline::Sphere { radius: part * size });
    let mut all: Vec<Placed<'_>> = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let mut surface = Mesh::default();
        body.solids.iter().for_each(|solid| surface.append(&mesh::solid(&solid.outline).placed(&solid.pose)));
        let kind = if body.solids.is_empty() { "mark" } else { "body" };
        let surface = if body.solids.is_empty() { ball(BODY_BALL) } else { surface };
        let poses: Option<Vec<Pose>> = frames.iter().map(|frame| frame.bodies.get(index).copied()).collect();
        all.extend(poses.map(|poses| Placed { name: &body.name, kind, surface, poses }));
    }
    for (index, joint) in scene.joints.iter().enumerate() {
        let poses = at(&Frame { of: FrameOf::Joint(index), pose: Pose::identity() });
        let surface = ball(JOINT_BALL);
        all.extend(poses.map(|poses| Placed { name: &joint.name, kind: "joint", surface, poses }));
    }
    for (name, surface, frame) in disks::all(scene) {
        all.extend(at(&frame).map(|poses| Placed { name, kind: "disk", surface, poses }));
    }
    for one in &scene.obstacles {
        let kind = match one.shape {
            ObstacleShape::Plane | ObstacleShape::Heights { .. } => "ground",
            ObstacleShape::Bore { .. } => "bore",
            _ => "obstacle",
        };
        let surface = coarse(obstacle::surface(scene, one, first));
        all.extend(at(&one.frame).map(|poses| Placed { name: &one.name, kind, surface, poses }));
    }
    let (mut meshes, mut known): (Vec<Json>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
    let mut solids = Vec::new();
    for placed in all {
        let mesh = mesh_json(&placed.surface);
        // Balls of joints and disks of tendons are alike.
        let index = *known.entry(mesh.to_string()).or_insert_with(|| {
            meshes.push(mesh);
            meshes.len() - 1
        });
        let moves = placed.poses.iter().any(|pose| *pose != placed.poses[0]);
        let (position, turn) = poses_json(placed.poses.iter().take(if moves { usize::MAX } else { 1 }));
        solids.push(json!({
            "name": placed.name, "kind": placed.kind, "mesh": index, "moves": moves, "position": position, "turn": turn,
        }));
    }
    (meshes, solids)
}

fn mesh_json(mesh: &Mesh) -> Json {
    let bytes = |x: f64| (x.clamp(-1.0, 1.0) * 127.0).round() as i8 as u8;
    let normals: Vec<u8> = mesh.normals.iter().flat_map(|n| n.iter().map(|x| bytes(*x)).collect::<Vec<u8>>()).collect();
    let triangles: Vec<u8> = mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
    json!({
        "points": pack::vectors(mesh.points.iter()), "normals": pack::base64(&normals),
        "triangles": pack::base64(&triangles),
    })
}

/// A mesh with few enough triangles: corners that share a cell of a grid become one, at ever coarser grids.
fn coarse(mesh: Mesh) -> Mesh {
    if mesh.triangles.len() <= MOST_TRIANGLES {
        return mesh;
    }
    let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    let (low, high) = mesh.points.iter().fold(none, |(low, high), p| (low.inf(p), high.sup(p)));
    let mut cells = 64.0;
    loop {
        let edge = ((high - low).amax() / cells).max(f64::MIN_POSITIVE);
        // The first corner of a cell stands for the cell, so that flat sides stay flat.
        let mut first: HashMap<[i64; 3], Vector3<f64>> = HashMap::new();
        let mut snapped = |p: &Vector3<f64>| {
            let cell = ((p - low) / edge).map(|x| x.floor() as i64).into();
            *first.entry(cell).or_insert(*p)
        };
        let mut out = Mesh::default();
        for triangle in &mesh.triangles {
            out.flat(triangle.map(|corner| snapped(&mesh.points[corner as usize])));
        }
        if out.triangles.len() <= MOST_TRIANGLES || cells < 4.0 {
            return out;
        }
        cells *= 0.7;
    }
}

/// Points of a frame that a thread runs through.
fn thread_points(scene: &Scene, frame: &MotionFrame, placing: &Placing, index: usize) -> Vec<Vector3<f64>> {
    let (cables, tendons) = (scene.cables.len(), scene.tendons.len());
    let thread = if index < cables { frame.cables.get(index) } else { frame.tendons.get(index - cables) };
    match scene.springs.get(index.wrapping_sub(cables + tendons)) {
        Some(spring) => [spring.a, spring.b].iter().filter_map(|end| placing.frame(end)).map(|p| p.position).collect(),
        None => thread.map_or(Vec::new(), |thread| thread.points.clone()),
    }
}

/// Points of the threads of a frame.
pub fn thread_count(scene: &Scene, frame: &MotionFrame) -> usize {
    let threads = frame.cables.iter().chain(&frame.tendons).map(|thread| thread.points.len()).sum::<usize>();
    threads + 2 * scene.springs.len()
}

/// Cables, tendons and springs, in this order.
pub fn threads(scene: &Scene, sequence: &Sequence) -> Vec<Json> {
    let frames = &sequence.frames;
    let placings: Vec<Placing> = frames.iter().map(|frame| Placing::in_motion(scene, frame)).collect();
    let cables = scene.cables.iter().map(|cable| (&cable.name, "cable"));
    let tendons = scene.tendons.iter().map(|tendon| (&tendon.name, "tendon"));
    let springs = scene.springs.iter().map(|spring| (&spring.name, "spring"));
    let all = cables.chain(tendons).chain(springs).enumerate();
    all.filter_map(|(index, (name, kind))| {
        let points: Vec<Vec<Vector3<f64>>> =
            frames.iter().zip(&placings).map(|(frame, placing)| thread_points(scene, frame, placing, index)).collect();
        let count = points.first().map_or(0, Vec::len);
        let same = points.iter().all(|points| points.len() == count);
        let points = pack::vectors(points.iter().flatten());
        (count > 1 && same).then(|| json!({ "name": name, "kind": kind, "count": count, "points": points }))
    })
    .collect()
}
