//! Exports of a motion, read back as another program would.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::run_folder::motion::tests::{frame, scene};
use lissome_solve::MotionFrame;
use serde_json::Value as Json;

/// The two chunks of a `.glb`.
pub(super) fn chunks(bytes: &[u8]) -> (Json, &[u8]) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!((word(4), word(8)), (2, bytes.len()));
    let json = word(12);
    assert_eq!(&bytes[16..20], b"JSON");
    let binary = 20 + json;
    assert_eq!(&bytes[binary + 4..binary + 8], b"BIN\0");
    assert_eq!(binary + 8 + word(binary), bytes.len());
    (serde_json::from_slice(&bytes[20..binary]).unwrap(), &bytes[binary + 8..])
}

/// Rows of an accessor, whatever its numbers are.
pub(super) fn rows(json: &Json, binary: &[u8], accessor: usize) -> Vec<Vec<f64>> {
    let accessor = &json["accessors"][accessor];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let width = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        "VEC4" => 4,
        "MAT4" => 16,
        other => panic!("{other}"),
    };
    let (offset, length) =
        (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
    let (size, read): (usize, fn(&[u8]) -> f64) = match accessor["componentType"].as_u64().unwrap() {
        5126 => (4, |b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))),
        5125 => (4, |b| f64::from(u32::from_le_bytes(b.try_into().unwrap()))),
        5123 => (2, |b| f64::from(u16::from_le_bytes(b.try_into().unwrap()))),
        other => panic!("{other}"),
    };
    assert_eq!(offset % 4, 0);
    assert_eq!(length, size * width * accessor["count"].as_u64().unwrap() as usize);
    let numbers: Vec<f64> = binary[offset..offset + length].chunks_exact(size).map(read).collect();
    numbers.chunks_exact(width).map(<[f64]>::to_vec).collect()
}

#[test]
fn a_glb_holds_the_motion() {
    let loaded = scene();
    let frames: Vec<MotionFrame> = (0..40).map(frame).collect();
    let bytes = glb::bytes(&loaded.scene, &frames.iter().collect::<Vec<_>>());
    let (json, binary) = chunks(&bytes);
    assert_eq!(json["asset"]["version"], "2.0");
    assert_eq!(json["buffers"][0]["byteLength"].as_u64().unwrap() as usize, binary.len());

    // Bounds of every accessor that has them hold its numbers, tightly.
    for (index, accessor) in json["accessors"].as_array().unwrap().iter().enumerate() {
        let rows = rows(&json, binary, index);
        let Some(low) = accessor["min"].as_array() else { continue };
        for (i, (low, high)) in low.iter().zip(accessor["max"].as_array().unwrap()).enumerate() {
            let column = || rows.iter().map(|row| row[i]);
            assert_eq!(column().fold(f64::INFINITY, f64::min) as f32, low.as_f64().unwrap() as f32);
            assert_eq!(column().fold(f64::NEG_INFINITY, f64::max) as f32, high.as_f64().unwrap() as f32);
        }
    }
    // Indices stay within their meshes, joints within their skins.
    for mesh in json["meshes"].as_array().unwrap() {
        let primitive = &mesh["primitives"][0];
        let points = rows(&json, binary, primitive["attributes"]["POSITION"].as_u64().unwrap() as usize).len();
        let indices = rows(&json, binary, primitive["indices"].as_u64().unwrap() as usize);
        assert!(indices.iter().all(|i| (i[0] as usize) < points));
        if let Some(joints) = primitive["attributes"]["JOINTS_0"].as_u64() {
            assert!(rows(&json, binary, joints as usize).iter().all(|row| row[0] < 9.0));
        }
    }
    // The last joint of the rod moves as its tip does, at the times of the frames.
    let joint = json["skins"][0]["joints"][8].as_u64().unwrap();
    let animation = &json["animations"][0];
    let output = |path: &str| {
        let channel = animation["channels"].as_array().unwrap().iter();
        let mut of_joint =
            channel.filter(|c| c["target"]["node"].as_u64() == Some(joint) && c["target"]["path"] == path);
        let sampler = &animation["samplers"][of_joint.next().unwrap()["sampler"].as_u64().unwrap() as usize];
        let at = |key: &str| rows(&json, binary, sampler[key].as_u64().unwrap() as usize);
        (at("input"), at("output"))
    };
    let (times, positions) = output("translation");
    let (_, turns) = output("rotation");
    assert_eq!(times.len(), 40);
    for (i, frame) in frames.iter().enumerate() {
        let tip = &frame.rods[0].poses[8];
        assert_eq!(times[i][0] as f32, frame.time as f32);
        for k in 0..3 {
            assert_eq!(positions[i][k] as f32, tip.position[k] as f32);
        }
        let [w, x, y, z] = tip.rotation.stored();
        let dot: f64 = [x, y, z, w].iter().zip(&turns[i]).map(|(a, b)| a * b).sum();
        assert!((dot.abs() - 1.0).abs() < 1e-6, "the same turn, up to single precision");
        if i > 0 {
            assert!(turns[i].iter().zip(&turns[i - 1]).map(|(a, b)| a * b).sum::<f64>() > 0.0, "no jump of sign");
        }
    }
    assert!(times.windows(2).all(|w| w[0][0] < w[1][0]), "times rise");
    let names: Vec<&str> = json["nodes"].as_array().unwrap().iter().filter_map(|n| n["name"].as_str()).collect();
    assert!(names.contains(&"plate") && names.contains(&"flexor.0") && names.contains(&"arm"));
}

/// The numbers between the tags of a named array.
fn numbers(xml: &str, name: &str) -> Vec<f64> {
    let (_, rest) = xml.split_once(&format!("Name=\"{name}\"")).unwrap();
    let (_, rest) = rest.split_once('>').unwrap();
    rest.split_once("</DataArray>").unwrap().0.split_whitespace().map(|n| n.parse().unwrap()).collect()
}

#[test]
fn obstacles_are_shown_where_they_are() {
    let mut loaded = scene();
    let shape = lissome_model::ObstacleShape::Plane;
    let at = lissome_lie::Pose::at(nalgebra::Vector3::new(0.0, 0.0, -0.7));
    let obstacle =
        |name: &str, of| lissome_model::Obstacle { name: name.into(), shape: shape.clone(), frame: at_frame(of, at) };
    let (world, plate) = (lissome_model::FrameOf::World, lissome_model::FrameOf::Body(0));
    let bare = vtk::frame(&loaded.scene, &frame(0), &frame(2));
    loaded.scene.obstacles = vec![obstacle("floor", world), obstacle("shelf", plate)];
    let xml = vtk::frame(&loaded.scene, &frame(0), &frame(2));
    let (before, points) = (numbers(&bare, "Points"), numbers(&xml, "Points"));
    let corners: Vec<_> = points[before.len()..].chunks(3).map(nalgebra::Vector3::from_column_slice).collect();
    assert_eq!(corners.len(), 8, "two squares");
    assert!(corners[..4].iter().all(|corner| corner.z == -0.7), "the floor is level");
    let plate = frame(2).bodies[0].inverse();
    assert!(corners[4..].iter().all(|p| (plate.transform(p).z + 0.7).abs() < 1e-12), "the shelf goes with the plate");
    let bytes = glb::bytes(&loaded.scene, &[&frame(0), &frame(2)]);
    let (json, _) = chunks(&bytes);
    let names: Vec<&str> = json["nodes"].as_array().unwrap().iter().filter_map(|n| n["name"].as_str()).collect();
    assert!(names.contains(&"floor") && names.contains(&"shelf"));
}

fn at_frame(of: lissome_model::FrameOf, pose: lissome_lie::Pose) -> lissome_model::Frame {
    lissome_model::Frame { of, pose }
}

#[test]
fn a_vtk_series_holds_the_motion() {
    let loaded = scene();
    let frames: Vec<MotionFrame> = (0..3).map(frame).collect();
    let pvd = vtk::collection("motion", &frames.iter().collect::<Vec<_>>());
    for (i, frame) in frames.iter().enumerate() {
        assert!(pvd.contains(&format!(
            "timestep=\"{:?}\" part=\"0\" file=\"{}\"",
            frame.time,
            vtk::frame_name("motion", i)
        )));
        let xml = vtk::frame(&loaded.scene, &frames[0], frame);
        let counted = |key: &str| -> usize {
            xml.split_once(&format!("{key}=\"")).unwrap().1.split('"').next().unwrap().parse().unwrap()
        };
        let points = numbers(&xml, "Points");
        assert_eq!(points.len(), 3 * counted("NumberOfPoints"));
        assert_eq!(numbers(&xml, "radius").len(), counted("NumberOfPoints"));
        assert_eq!(numbers(&xml, "force").len(), points.len());
        assert_eq!(counted("NumberOfLines"), 2);
        assert_eq!(numbers(&xml, "part").len(), 2 + counted("NumberOfPolys"));
        // Nine stations, then the cable's two points, bit for bit.
        let tip = frame.rods[0].poses[8].position;
        assert_eq!(&points[24..27], tip.as_slice());
        assert_eq!(numbers(&xml, "radius")[8], 0.02);
        let lines = xml.split_once("<Lines>").unwrap().1;
        assert_eq!(numbers(lines, "connectivity"), (0..11).map(f64::from).collect::<Vec<_>>());
        assert_eq!(numbers(lines, "offsets"), [9.0, 11.0]);
        let polys = xml.split_once("<Polys>").unwrap().1;
        assert!(numbers(polys, "connectivity").iter().all(|i| *i >= 11.0 && (*i as usize) < points.len() / 3));
        // Every tag that opens is closed again, in order.
        let mut open = Vec::new();
        for tag in xml.split('<').skip(1).map(|t| t.split('>').next().unwrap()) {
            let name = tag.trim_start_matches('/').split_whitespace().next().unwrap();
            match tag {
                t if t.starts_with(['?', '!']) || t.ends_with('/') => {}
                t if t.starts_with('/') => assert_eq!(open.pop().as_deref(), Some(name)),
                _ => open.push(name.to_owned()),
            }
        }
        assert!(open.is_empty());
        assert!(!xml[5..].contains("-- with") && xml.contains("&lt;plate&gt;"), "the title is no end of a comment");
    }
}

#[test]
fn a_table_has_a_line_a_state_and_says_the_tips() {
    let loaded = scene();
    let frames: Vec<MotionFrame> = (0..5).map(frame).collect();
    let csv = motion::motion_csv(&loaded.scene, &frames);
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|h| *h == name).unwrap_or_else(|| panic!("{name}: {head:?}"));
    let tip = column("arm.tip.position.z");
    let moment = column("arm.base.moment.y");
    let mut count = 0;
    for (line, frame) in lines.zip(&frames) {
        let numbers: Vec<f64> = line.split(',').map(|n| n.parse().unwrap()).collect();
        assert_eq!(numbers.len(), head.len());
        assert_eq!(numbers[column("time")], frame.time);
        assert_eq!(numbers[tip], frame.rods[0].poses[8].position.z);
        assert_eq!(numbers[moment], frame.rods[0].stress[0].moment.y);
        assert_eq!(numbers[column("flexor.tension")], frame.cables[0].tension);
        count += 1;
    }
    assert_eq!(count, 5);
}

#[test]
fn long_runs_are_thinned_for_animations() {
    let still = MotionFrame::default();
    let run = |count: usize, rate: f64| -> Vec<MotionFrame> {
        (0..count).map(|i| MotionFrame { time: i as f64 / rate, ..still.clone() }).collect()
    };
    assert_eq!(motion::thinned(&run(500, 100.0)).len(), 500);
    // Ten thousand states in a blink: what is wanted is not less than 600.
    let fast = run(10_000, 1e6);
    assert!((400..=600).contains(&motion::thinned(&fast).len()));
    // A minute at 1 kHz: sixty a second at most.
    let long = run(60_001, 1000.0);
    assert!((2400..=3700).contains(&motion::thinned(&long).len()));
    assert!(motion::thinned(&[]).is_empty());
}
