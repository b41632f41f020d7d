//! glTF 2.0 in its binary form: a motion or a path as an animation that any viewer plays, a single equilibrium as it stands.
//!
//! A rod is a skinned tube: each ring of its skin belongs to one joint, and the joints move as the stations do. Its corners
//! are written where they are in the first frame, so that readers that know no skins see it there too. Bodies are nodes with their solids as meshes; a stretch of cable is a unit cylinder that is moved, turned and stretched. The
//! world's z axis is up here and y is up in glTF, so everything hangs on a node that turns by −90° about x.

use crate::surfaces::{Mesh, disks, mesh, obstacle};
use lissome_lie::{Pose, Rotation};
use lissome_model::Scene;
use lissome_solve::{CableFrame, MotionFrame};
use nalgebra::Vector3;
use serde_json::{Value as Json, json};
use std::f64::consts::FRAC_PI_2;

/// Component types and buffer targets by the numbers that glTF gives them.
const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;
/// Colours of rods, bodies, cables and obstacles, in the order of the materials.
const COLOURS: [[f64; 3]; 4] = [[0.10, 0.40, 0.70], [0.75, 0.76, 0.78], [0.76, 0.31, 0.04], [0.62, 0.65, 0.60]];
const ROD: usize = 0;
const BODY: usize = 1;
const CABLE: usize = 2;
const OBSTACLE: usize = 3;
/// Radius of a cable as drawn, of the size of the scene.
const CABLE_RADIUS: f64 = 2e-3;

/// A cable of a frame, or after the cables a tendon.
fn thread(frame: &MotionFrame, index: usize) -> Option<&CableFrame> {
    frame.cables.iter().chain(&frame.tendons).nth(index)
}

/// The file.
pub fn bytes(scene: &Scene, frames: &[&MotionFrame]) -> Vec<u8> {
    let mut out = Gltf::new(frames);
    for (i, rod) in scene.rods.iter().enumerate() {
        let stations = frames.first().and_then(|frame| frame.rods.get(i)).map_or(0, |rod| rod.poses.len());
        if stations > 1 {
            let (skin, owner) = mesh::tube(rod, stations);
            // Stations are as many in every frame of a run; the last stands for what is missing.
            let at = |frame: &MotionFrame, station: usize| {
                let poses = frame.rods.get(i).map_or(&[][..], |rod| &rod.poses);
                poses.get(station).or(poses.last()).copied().unwrap_or(Pose::identity())
            };
            out.rod(&rod.name, skin, &owner, at);
        }
    }
    for (i, body) in scene.bodies.iter().enumerate() {
        let mut all = Mesh::default();
        body.solids.iter().for_each(|solid| all.append(&mesh::solid(&solid.outline).placed(&solid.pose)));
        let mesh = (!all.points.is_empty()).then(|| out.mesh(&body.name, &all, None, BODY));
        let node = out.node(json!({ "name": body.name }), mesh);
        out.animate(node, |frame| frame.bodies[i], None::<fn(&MotionFrame) -> Vector3<f64>>);
    }
    for (name, surface, at) in disks::all(scene) {
        let mesh = out.mesh(name, &surface, None, BODY);
        let node = out.node(json!({ "name": name }), Some(mesh));
        out.animate(node, |frame| obstacle::pose(scene, frame, &at), None::<fn(&MotionFrame) -> Vector3<f64>>);
    }
    for obstacle in &scene.obstacles {
        let Some(first) = frames.first() else { continue };
        let mesh = out.mesh(&obstacle.name, &obstacle::surface(scene, obstacle, first), None, OBSTACLE);
        let node = out.node(json!({ "name": obstacle.name }), Some(mesh));
        let place = |frame: &MotionFrame| obstacle::pose(scene, frame, &obstacle.frame);
        out.animate(node, place, None::<fn(&MotionFrame) -> Vector3<f64>>);
    }
    let radius = CABLE_RADIUS * extent(frames);
    let names = scene.cables.iter().map(|cable| &cable.name).chain(scene.tendons.iter().map(|tendon| &tendon.name));
    for (i, name) in names.enumerate() {
        let points = frames.first().and_then(|frame| thread(frame, i)).map_or(0, |thread| thread.points.len());
        if points < 2 {
            continue;
        }
        let mesh = out.mesh(name, &mesh::cylinder(radius, 1.0), None, CABLE);
        for k in 0..points - 1 {
            let node = out.node(json!({ "name": format!("{name}.{k}") }), Some(mesh));
            let ends = move |frame: &MotionFrame| {
                let points = thread(frame, i).map_or(&[][..], |thread| &thread.points);
                (points[k], points[k + 1])
            };
            let place = move |frame: &MotionFrame| {
                let (a, b) = ends(frame);
                Pose::new(Rotation::from_tangent(&(b - a)).unwrap_or_default(), 0.5 * (a + b))
            };
            let stretch = move |frame: &MotionFrame| {
                let (a, b) = ends(frame);
                Vector3::new((b - a).norm(), 1.0, 1.0)
            };
            out.animate(node, place, Some(stretch));
        }
    }
    out.finish(&scene.title)
}

/// Size of the box around everything at the first time.
fn extent(frames: &[&MotionFrame]) -> f64 {
    let points = frames.first().into_iter().flat_map(|frame| {
        let rods = frame.rods.iter().flat_map(|rod| rod.poses.iter().map(|pose| pose.position));
        rods.chain(frame.cables.iter().chain(&frame.tendons).flat_map(|cable| cable.points.iter().copied()))
    });
    let none = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    let (low, high) = points.fold(none, |(low, high), p| (low.inf(&p), high.sup(&p)));
    let size = (high - low).amax();
    if size.is_finite() && size > 0.0 { size } else { 1.0 }
}

/// Turns the world, whose z axis is up, to that of glTF, whose y axis is.
fn upright() -> Pose {
    Pose::new(Rotation::exp(&(Vector3::x() * -FRAC_PI_2)), Vector3::zeros())
}

/// The matrix of a pose, column by column.
fn columns(pose: &Pose) -> [f64; 16] {
    let (turn, at) = (pose.rotation.matrix(), pose.position);
    std::array::from_fn(|i| match (i % 4, i / 4) {
        (3, 3) => 1.0,
        (3, _) => 0.0,
        (row, 3) => at[row],
        (row, column) => turn[(row, column)],
    })
}

struct Gltf<'a> {
    frames: &'a [&'a MotionFrame],
    buffer: Vec<u8>,
    views: Vec<Json>,
    accessors: Vec<Json>,
    meshes: Vec<Json>,
    nodes: Vec<Json>,
    skins: Vec<Json>,
    /// Which of the colours are used, in the order of the file's materials.
    materials: Vec<usize>,
    samplers: Vec<Json>,
    channels: Vec<Json>,
    /// Children of the node that turns z up, and nodes beside it.
    upright: Vec<usize>,
    roots: Vec<usize>,
    times: usize,
}

impl<'a> Gltf<'a> {
    fn new(frames: &'a [&'a MotionFrame]) -> Self {
        let mut out = Self {
            frames,
            buffer: Vec::new(),
            views: Vec::new(),
            accessors: Vec::new(),
            meshes: Vec::new(),
            nodes: vec![json!({ "name": "world" })],
            skins: Vec::new(),
            materials: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
            upright: Vec::new(),
            roots: vec![0],
            times: 0,
        };
        let start = frames.first().map_or(0.0, |frame| frame.time);
        // An accessor that nothing uses would be a fault.
        if frames.len() > 1 {
            out.times = out.floats(frames.iter().map(|frame| [frame.time - start]), "SCALAR", None);
        }
        out
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let start = self.buffer.len();
        self.buffer.extend(bytes);
        let length = self.buffer.len() - start;
        // Every accessor begins at a multiple of four.
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": length });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Single precision is what glTF has; bounds are those of the rounded numbers.
    fn floats<const N: usize>(
        &mut self,
        rows: impl Iterator<Item = [f64; N]>,
        kind: &str,
        target: Option<u32>,
    ) -> usize {
        let rows: Vec<[f32; N]> = rows.map(|row| row.map(|x| x as f32)).collect();
        let view = self.view(rows.iter().flatten().flat_map(|x| x.to_le_bytes()), target);
        let bound = |pick: fn(f32, f32) -> f32| {
            (0..N).map(|i| rows.iter().map(|row| row[i]).reduce(pick).unwrap_or(0.0)).collect::<Vec<f32>>()
        };
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": rows.len(), "type": kind,
            "min": bound(f32::min), "max": bound(f32::max),
        }));
        self.accessors.len() - 1
    }

    fn vectors(&mut self, vectors: &[Vector3<f64>]) -> usize {
        self.floats(vectors.iter().map(|v| [v.x, v.y, v.z]), "VEC3", Some(VERTICES))
    }

    fn mesh(&mut self, name: &str, mesh: &Mesh, owner: Option<&[u16]>, material: usize) -> usize {
        let mut attributes = json!({ "POSITION": self.vectors(&mesh.points), "NORMAL": self.vectors(&mesh.normals) });
        if let Some(owner) = owner {
            let joints = owner.iter().flat_map(|joint| [*joint, 0, 0, 0]).flat_map(u16::to_le_bytes);
            let view = self.view(joints, Some(VERTICES));
            let count = owner.len();
            let kind = json!({ "bufferView": view, "componentType": UNSIGNED_SHORT, "count": count, "type": "VEC4" });
            self.accessors.push(kind);
            attributes["JOINTS_0"] = json!(self.accessors.len() - 1);
            let weights = owner.iter().map(|_| [1.0, 0.0, 0.0, 0.0]);
            attributes["WEIGHTS_0"] = json!(self.floats(weights, "VEC4", Some(VERTICES)));
        }
        let view = self.view(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes()), Some(INDICES));
        let count = 3 * mesh.triangles.len();
        let kind = json!({ "bufferView": view, "componentType": UNSIGNED_INT, "count": count, "type": "SCALAR" });
        self.accessors.push(kind);
        let indices = self.accessors.len() - 1;
        let known = self.materials.iter().position(|own| *own == material);
        let material = known.unwrap_or_else(|| {
            self.materials.push(material);
            self.materials.len() - 1
        });
        let primitive = json!({ "attributes": attributes, "indices": indices, "material": material });
        self.meshes.push(json!({ "name": name, "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    fn node(&mut self, mut node: Json, mesh: Option<usize>) -> usize {
        if let Some(mesh) = mesh {
            node["mesh"] = json!(mesh);
        }
        self.nodes.push(node);
        self.upright.push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    fn rod(&mut self, name: &str, mut skin: Mesh, owner: &[u16], at: impl Fn(&MotionFrame, usize) -> Pose) {
        let stations = owner.iter().max().map_or(0, |last| usize::from(*last) + 1);
        let Some(first) = self.frames.first() else { return };
        let upright = upright();
        let rest: Vec<Pose> = (0..stations).map(|station| upright * at(first, station)).collect();
        for (corner, station) in owner.iter().enumerate() {
            let pose = &rest[usize::from(*station)];
            skin.points[corner] = pose.transform(&skin.points[corner]);
            skin.normals[corner] = pose.rotation.rotate(&skin.normals[corner]);
        }
        let mesh = self.mesh(name, &skin, Some(owner), ROD);
        let joints: Vec<usize> = (0..stations)
            .map(|station| {
                let node = self.node(json!({ "name": format!("{name}.{station}") }), None);
                self.animate(node, |frame| at(frame, station), None::<fn(&MotionFrame) -> Vector3<f64>>);
                node
            })
            .collect();
        // What brings a corner from where it is written back to the frame of its station.
        let matrices = self.floats(rest.iter().map(|pose| columns(&pose.inverse())), "MAT4", None);
        self.skins.push(json!({ "name": name, "joints": joints, "inverseBindMatrices": matrices, "skeleton": 0 }));
        self.nodes.push(json!({ "name": name, "mesh": mesh, "skin": self.skins.len() - 1 }));
        self.roots.push(self.nodes.len() - 1);
    }

    fn animate(
        &mut self,
        node: usize,
        pose: impl Fn(&MotionFrame) -> Pose,
        scale: Option<impl Fn(&MotionFrame) -> Vector3<f64>>,
    ) {
        let poses: Vec<Pose> = self.frames.iter().map(|frame| pose(frame)).collect();
        let scales: Option<Vec<[f64; 3]>> =
            scale.map(|scale| self.frames.iter().map(|frame| scale(frame).into()).collect());
        // Where it rests, for readers that play nothing.
        if let Some(rest) = poses.first() {
            let [w, x, y, z] = rest.rotation.stored();
            self.nodes[node]["translation"] = json!([rest.position.x, rest.position.y, rest.position.z]);
            self.nodes[node]["rotation"] = json!([x, y, z, w]);
        }
        if let Some(rest) = scales.as_ref().and_then(|scales| scales.first()) {
            self.nodes[node]["scale"] = json!(rest);
        }
        if poses.len() < 2 {
            return;
        }
        let positions = self.floats(poses.iter().map(|pose| pose.position.into()), "VEC3", None);
        self.channel(node, "translation", positions);
        let mut last = [0.0; 4];
        let turns = poses.iter().map(|pose| {
            let [w, x, y, z] = pose.rotation.stored();
            // Of the two quaternions, the one nearer to the last: viewers interpolate between them.
            let dot = w * last[3] + x * last[0] + y * last[1] + z * last[2];
            last = if dot < 0.0 { [-x, -y, -z, -w] } else { [x, y, z, w] };
            last
        });
        let turns: Vec<[f64; 4]> = turns.collect();
        let turns = self.floats(turns.into_iter(), "VEC4", None);
        self.channel(node, "rotation", turns);
        if let Some(scales) = scales {
            let scales = self.floats(scales.into_iter(), "VEC3", None);
            self.channel(node, "scale", scales);
        }
    }

    fn channel(&mut self, node: usize, path: &str, output: usize) {
        self.samplers.push(json!({ "input": self.times, "output": output, "interpolation": "LINEAR" }));
        let sampler = self.samplers.len() - 1;
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    fn finish(mut self, title: &str) -> Vec<u8> {
        let [w, x, y, z] = upright().rotation.stored();
        self.nodes[0]["rotation"] = json!([x, y, z, w]);
        if !self.upright.is_empty() {
            self.nodes[0]["children"] = json!(self.upright);
        }
        let materials = self.materials.iter().map(|material| {
            let [r, g, b] = COLOURS[*material];
            let surface = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.1, "roughnessFactor": 0.6 });
            json!({ "pbrMetallicRoughness": surface })
        });
        let materials: Vec<Json> = materials.collect();
        let mut json = json!({
            "asset": { "version": "2.0", "generator": format!("lissome {}", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": title, "nodes": self.roots }],
            "nodes": self.nodes,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.buffer.len() }],
        });
        // Empty lists are not allowed.
        for (name, list) in [("meshes", self.meshes), ("skins", self.skins), ("materials", materials)] {
            if !list.is_empty() {
                json[name] = Json::Array(list);
            }
        }
        if !self.channels.is_empty() {
            json["animations"] = json!([{ "name": "motion", "samplers": self.samplers, "channels": self.channels }]);
        }
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        container(&text, &self.buffer)
    }
}

/// Header and two chunks; the lengths of both are multiples of four already.
fn container(json: &[u8], binary: &[u8]) -> Vec<u8> {
    const HEADER: usize = 12;
    const CHUNK: usize = 8;
    let word = |n: usize| (n as u32).to_le_bytes();
    let mut out = b"glTF".to_vec();
    out.extend(word(2));
    out.extend(word(HEADER + 2 * CHUNK + json.len() + binary.len()));
    out.extend(word(json.len()));
    out.extend(b"JSON");
    out.extend(json);
    out.extend(word(binary.len()));
    out.extend(b"BIN\0");
    out.extend(binary);
    out
}
