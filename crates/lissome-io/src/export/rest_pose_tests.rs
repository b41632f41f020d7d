//! A `.glb` read as another program reads it: with skins and without, everything rests where the first frame has it.
#![allow(clippy::unwrap_used)]

use super::glb;
use super::tests::{chunks, rows};
use crate::run_folder::motion::tests::{frame, scene};
use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3, Vector4};
use serde_json::Value as Json;

/// What single precision leaves of coordinates of a metre.
const SINGLE: f64 = 1e-6;

/// The matrix of a node, by the rules of glTF: scale, then turn, then shift.
fn own_matrix(node: &Json) -> Matrix4<f64> {
    let list = |key: &str, default: &[f64]| -> Vec<f64> {
        node[key].as_array().map_or(default.to_vec(), |list| list.iter().map(|x| x.as_f64().unwrap()).collect())
    };
    let (t, r, s) = (list("translation", &[0.0; 3]), list("rotation", &[0.0, 0.0, 0.0, 1.0]), list("scale", &[1.0; 3]));
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(r[3], r[0], r[1], r[2])).to_homogeneous();
    Matrix4::new_translation(&Vector3::from_column_slice(&t))
        * turn
        * Matrix4::new_nonuniform_scaling(&Vector3::from_column_slice(&s))
}

/// World matrices of all nodes.
fn world_matrices(json: &Json) -> Vec<Matrix4<f64>> {
    let nodes = json["nodes"].as_array().unwrap();
    let mut world = vec![Matrix4::identity(); nodes.len()];
    let mut open: Vec<(usize, Matrix4<f64>)> = json["scenes"][0]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| (n.as_u64().unwrap() as usize, Matrix4::identity()))
        .collect();
    while let Some((index, parent)) = open.pop() {
        world[index] = parent * own_matrix(&nodes[index]);
        let children = nodes[index]["children"].as_array().into_iter().flatten();
        open.extend(children.map(|child| (child.as_u64().unwrap() as usize, world[index])));
    }
    world
}

/// From the world of the scene, z up, to that of glTF, y up.
fn upright(p: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(p.x, p.z, -p.y)
}

#[test]
fn everything_rests_where_the_first_frame_has_it() {
    let loaded = scene();
    for count in [1, 30] {
        let frames: Vec<_> = (7..7 + count).map(frame).collect();
        let bytes = glb::bytes(&loaded.scene, &frames.iter().collect::<Vec<_>>());
        let (json, binary) = chunks(&bytes);
        assert_eq!(json["animations"].is_null(), count == 1, "one state has nothing to play");
        let world = world_matrices(&json);
        let nodes = json["nodes"].as_array().unwrap();
        let rod = nodes.iter().position(|node| node["skin"].is_u64()).unwrap();
        let attributes = &json["meshes"][nodes[rod]["mesh"].as_u64().unwrap() as usize]["primitives"][0]["attributes"];
        let table = |name: &str| rows(&json, binary, attributes[name].as_u64().unwrap() as usize);
        let (points, joints) = (table("POSITION"), table("JOINTS_0"));
        let skin = &json["skins"][nodes[rod]["skin"].as_u64().unwrap() as usize];
        let inverse = rows(&json, binary, skin["inverseBindMatrices"].as_u64().unwrap() as usize);
        let stations = &frames[0].rods[0].poses;
        let mut low = Vector3::repeat(f64::INFINITY);
        let mut high = -low;
        for (point, joint) in points.iter().zip(&joints) {
            let (at, station) = (Vector4::new(point[0], point[1], point[2], 1.0), joint[0] as usize);
            let node = skin["joints"][station].as_u64().unwrap() as usize;
            let skinned = (world[node] * Matrix4::from_column_slice(&inverse[station]) * at).xyz();
            let plain = (world[rod] * at).xyz();
            assert!((skinned - plain).norm() < SINGLE, "{skinned} {plain}");
            // Corners lie on the rod: a radius from the axis, or nearer for the caps.
            let from_axis = (plain - upright(&stations[station].position)).norm();
            assert!((from_axis - 0.02).abs() < SINGLE, "{from_axis}");
            (low, high) = (low.inf(&plain), high.sup(&plain));
        }
        // Bounds that a reader takes from the accessor are those of the rod at rest, which is a metre long.
        let accessor = &json["accessors"][attributes["POSITION"].as_u64().unwrap() as usize];
        for i in 0..3 {
            assert!((accessor["min"][i].as_f64().unwrap() - low[i]).abs() < SINGLE);
            assert!((accessor["max"][i].as_f64().unwrap() - high[i]).abs() < SINGLE);
        }
        assert!(high.x - low.x > 0.9);
        // The plate and the cable.
        let find = |name: &str| nodes.iter().position(|node| node["name"] == name).unwrap();
        let origin = |node: usize| world[node].transform_point(&nalgebra::Point3::origin()).coords;
        assert!((origin(find("plate")) - upright(&frames[0].bodies[0].position)).norm() < SINGLE);
        let cable = &frames[0].cables[0].points;
        let end = world[find("flexor.0")].transform_point(&nalgebra::Point3::new(0.5, 0.0, 0.0)).coords;
        assert!((end - upright(&cable[1])).norm() < SINGLE, "{end}");
    }
}
