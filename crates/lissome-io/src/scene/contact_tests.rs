//! Obstacles and how things touch: what they lower to, and what is refused.

#![allow(clippy::unwrap_used)]

use super::*;
use lissome_model::{BorePiece, FrameOf, ObstacleShape, Stretch, Toucher};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// An arm over a floor, a wire in a vessel, a ball on a slope, and pins.
const CONTACT: &str = r#"
schema = 1
[material.rubber]
young = "1 MPa"
poisson = 0.45
[rod.arm]
material = "rubber"
length = "1 m"
section = { shape = "circle", radius = "20 mm" }
base = {}
surface = { coated = { from = "60 cm" }, grip = { from = "10 cm", to = 0.3 } }
[rod.wire]
material = "rubber"
length = "10 cm"
section = { shape = "circle", radius = "1 mm" }
base = { position = [0, "1 m", 0] }
[joint.lift]
kind = "prismatic"
parent = { tangent = [0, 0, 1] }
travel = "1 cm"
[body.ball]
mass = "50 g"
shape = { sphere = { radius = "1 cm" } }
mount = { position = [0, 0, "2 m"] }
[obstacle.floor]
plane = {}
position = [0, 0, "-5 cm"]
[obstacle.slope]
plane = { normal = [0, -1, 1], point = [0, 0, "-1 m"] }
fixed_to = "lift"
[obstacle.pin]
cylinder = { radius = "5 mm", length = "10 cm" }
position = ["50 cm", 0, "-4 cm"]
tangent = [0, 1, 0]
[obstacle.short]
like = "pin"
cylinder = { length = "2 cm" }
[obstacle.rounded]
like = "pin"
capsule = { radius = "5 mm", length = "4 cm" }
[obstacle.stone]
sphere = { radius = "3 cm" }
fixed_to = "wire"
at = "5 cm"
[obstacle.block]
box = ["10 cm", "20 cm", 0.05]
position = [0, 0, "-1 m"]
[obstacle.vessel]
bore = { radius = "3 mm", axis = [{ straight = "50 mm" }, { arc = "90 deg", radius = "2 cm", toward = "180 deg" }] }
position = [0, "1 m", 0]
[contact]
friction = 0.2
restitution = 0.5
pairs = [
    { of = ["arm", "floor"], friction = 0.4 },
    { of = ["vessel", "arm"], touches = false },
    { of = ["ball", "vessel"], touches = false },
    { of = ["slope", "arm.coated"], friction = 0.05 },
]
"#;

fn load(overrides: &[&str]) -> LoadedScene {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    parse("contact.toml", CONTACT.to_owned(), &overrides).unwrap()
}

#[test]
fn obstacles_lower() {
    let loaded = load(&[]);
    let codes: Vec<&str> = loaded.warnings.iter().map(|warning| warning.fault.code()).collect();
    assert_eq!(codes, ["W0411"], "rods do not bounce by a restitution");
    assert_eq!(load(&["contact.restitution=0"]).warnings, []);
    let [floor, slope, pin, short, rounded, stone, block, vessel] = &loaded.scene.obstacles[..] else {
        panic!("eight obstacles")
    };
    assert_eq!((&floor.shape, floor.frame.of), (&ObstacleShape::Plane, FrameOf::World));
    assert_eq!(floor.frame.pose.position, Vector3::new(0.0, 0.0, -0.05));
    assert_eq!((&slope.shape, slope.frame.of), (&ObstacleShape::Plane, FrameOf::Joint(0)));
    let normal = slope.frame.pose.rotation.rotate(&Vector3::z());
    assert!((normal - Vector3::new(0.0, -1.0, 1.0).normalize()).norm() < 1e-15, "{normal}");
    assert_eq!(slope.frame.pose.position, Vector3::new(0.0, 0.0, -1.0));
    assert_eq!(pin.shape, ObstacleShape::Cylinder { radius: 0.005, length: 0.1 });
    assert_eq!(short.shape, ObstacleShape::Cylinder { radius: 0.005, length: 0.02 });
    assert_eq!(rounded.shape, ObstacleShape::Capsule { radius: 0.005, length: 0.04 });
    assert_eq!((pin.frame, short.frame), (rounded.frame, rounded.frame));
    assert!((pin.frame.pose.rotation.rotate(&Vector3::x()) - Vector3::y()).norm() < 1e-15);
    assert_eq!(stone.shape, ObstacleShape::Sphere { radius: 0.03 });
    assert_eq!(stone.frame.of, FrameOf::Rod { rod: 1, s: 0.05 });
    assert_eq!(block.shape, ObstacleShape::Box { size: Vector3::new(0.1, 0.2, 0.05) });
    let ObstacleShape::Bore { axis, radius } = &vessel.shape else { panic!("a bore") };
    assert_eq!(*radius, 0.003);
    let arc = BorePiece::Arc { radius: 0.02, angle: PI / 2.0, toward: PI };
    assert_eq!(axis.pieces, [BorePiece::Straight { length: 0.05 }, arc]);
}

#[test]
fn pairs_lower() {
    let scene = load(&[]).scene;
    let touching = &scene.touching;
    assert_eq!((touching.friction, touching.restitution, touching.pairs.len()), (0.2, 0.5, 4));
    let of = |a, obstacle| scene.friction_between(a, Toucher::Obstacle(obstacle));
    assert_eq!(of(Toucher::Rod(0), 0), Some(0.4));
    assert_eq!(of(Toucher::Rod(0), 7), None);
    assert_eq!(of(Toucher::Rod(1), 0), Some(0.2));
    assert_eq!(of(Toucher::Body(0), 1), Some(0.2));
}

#[test]
fn stretches_lower() {
    let scene = load(&[]).scene;
    let stretch = |name: &str, from, to| Stretch { rod: 0, name: name.into(), from, to };
    assert_eq!(scene.touching.stretches, [stretch("coated", 0.6, 1.0), stretch("grip", 0.1, 0.3)]);
    let (arm, slope) = (Toucher::Rod(0), Toucher::Obstacle(1));
    let at = |s: f64| scene.friction_at([arm, slope], [s, 0.0]);
    assert_eq!([at(0.2), at(0.5), at(0.7)], [Some(0.2), Some(0.2), Some(0.05)]);
    // Nothing was said of the coated stretch and the floor: there the pair of the whole arm holds.
    assert_eq!(scene.friction_at([Toucher::Obstacle(0), arm], [0.0, 0.7]), Some(0.4));
    let moved = load(&["rod.arm.surface.coated.from=0.8 m", "contact.pairs.3.friction=0.1"]).scene;
    assert_eq!((moved.touching.stretches[0].from, moved.touching.pairs[3].friction), (0.8, Some(0.1)));
}

#[test]
fn obstacles_read_back_the_same_and_take_overrides() {
    let overrides = [
        "contact.friction=0",
        "obstacle.pin.cylinder.radius=\"7 mm\"",
        "vessel.bore.axis.0.straight=\"1 cm\"",
        "contact.pairs.0.friction=0.3",
        "floor.position=[0, 0, -1]",
    ];
    let first = load(&overrides);
    let scene = &first.scene;
    assert_eq!((scene.touching.friction, scene.touching.pairs[0].friction), (0.0, Some(0.3)));
    assert_eq!(scene.obstacles[3].shape, ObstacleShape::Cylinder { radius: 0.007, length: 0.02 });
    let ObstacleShape::Bore { axis, .. } = &scene.obstacles[7].shape else { panic!("a bore") };
    assert_eq!(axis.pieces[0], BorePiece::Straight { length: 0.01 });
    assert_eq!(scene.obstacles[0].frame.pose.position.z, -1.0);
    let again = parse("again.toml", first.to_toml(), &[]).unwrap();
    assert_eq!(again.scene, first.scene);
}

#[test]
fn heights_lower() {
    let heights = "heights = { spacing = [\"1 cm\", 0.02], origin = [0, 1], rows = [[0, 1, 2], [0, \"5 mm\", 0]] }";
    let text = CONTACT.replacen("sphere = { radius = \"3 cm\" }", heights, 1);
    let scene = parse("heights.toml", text, &[]).unwrap().scene;
    let ObstacleShape::Heights { origin, spacing, columns, heights } = &scene.obstacles[5].shape else {
        panic!("heights")
    };
    assert_eq!((*origin, *spacing, *columns), ([0.0, 1.0], [0.01, 0.02], 3));
    assert_eq!(heights[..], [0.0, 1.0, 2.0, 0.0, 0.005, 0.0]);
}

/// A tetrahedron in units of its own.
const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

#[test]
fn meshes_are_read_from_files_beside_the_scene() {
    let folder = std::env::temp_dir().join(format!("lissome-meshes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("stone.obj"), TETRAHEDRON).unwrap();
    std::fs::write(folder.join("open.obj"), TETRAHEDRON.replace("f 3 1 4\n", "")).unwrap();
    let name = folder.join("scene.toml").display().to_string();
    let with = |mesh: &str| {
        let text = CONTACT.replacen("sphere = { radius = \"3 cm\" }", &format!("mesh = {mesh}"), 1);
        parse(&name, text, &[])
    };
    let loaded = with("{ file = \"stone.obj\", unit = \"1 mm\" }").unwrap();
    let ObstacleShape::Mesh { corners, triangles } = &loaded.scene.obstacles[5].shape else { panic!("a mesh") };
    assert_eq!((corners.len(), triangles.len(), corners[1].x), (4, 4, 1e-3));
    // Written back, it is found from anywhere.
    assert_eq!(parse("elsewhere.toml", loaded.to_toml(), &[]).unwrap().scene, loaded.scene);
    for (mesh, code) in [
        ("{ file = \"open.obj\", unit = 1 }", "E0614"),
        ("{ file = \"none.obj\", unit = 1 }", "E0601"),
        ("{ file = \"stone.obj\" }", "E0204"),
        ("{ unit = 1 }", "E0204"),
        ("{ file = \"stone.obj\", unit = 0 }", "E0303"),
    ] {
        let found = with(mesh).map(|_| ()).unwrap_err();
        assert_eq!(found[0].fault.code(), code, "{mesh}: {}", found[0]);
        assert!(found[0].place.is_some(), "{mesh}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What is replaced, by what, the code that must answer, and what its place must contain.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("plane = {}\n", "", "E0208", "[obstacle.floor]"),
    ("plane = {}", "plane = {}\nsphere = { radius = 1 }", "E0207", "sphere"),
    ("plane = {}", "plane = true", "E0301", "true"),
    ("plane = {}", "plane = {}\nplain = {}", "E0203", "plain"),
    ("plane = {}", "plane = { normal = [0, 0, 0] }", "E0312", "normal"),
    ("plane = {}", "plane = { normal = [0, 0, nan] }", "E0302", "nan"),
    ("plane = {}", "plane = { point = [0, 0, \"1 N\"] }", "E0306", "1 N"),
    ("sphere = { radius = \"3 cm\" }", "sphere = {}", "E0204", "sphere"),
    ("sphere = { radius = \"3 cm\" }", "sphere = { radius = 0 }", "E0303", "radius"),
    ("sphere = { radius = \"3 cm\" }", "sphere = { radius = \"-3 cm\" }", "E0303", "-3 cm"),
    ("cylinder = { radius = \"5 mm\", length = \"10 cm\" }", "cylinder = { radius = \"5 mm\" }", "E0204", "cylinder"),
    ("cylinder = { length = \"2 cm\" }", "cylinder = { length = 0 }", "E0303", "length"),
    ("capsule = { radius = \"5 mm\", length = \"4 cm\" }", "capsule = { radius = 0, length = 1 }", "E0303", "capsule"),
    ("box = [\"10 cm\", \"20 cm\", 0.05]", "box = [1, 0, 1]", "E0303", "box"),
    ("box = [\"10 cm\", \"20 cm\", 0.05]", "box = [1, 1]", "E0310", "box"),
    ("bore = { radius = \"3 mm\", axis", "bore = { radius = \"-3 mm\", axis", "E0303", "-3 mm"),
    ("bore = { radius = \"3 mm\", axis", "bore = { axis", "E0204", "bore"),
    ("bore = { radius = \"3 mm\", axis", "bore = { radius = \"1 mm\", axis", "E0433", "radius = \"1 mm\""),
    ("radius = \"2 cm\", toward", "radius = \"2 mm\", toward", "E0305", "2 mm"),
    ("{ straight = \"50 mm\" }", "{ straight = 0 }", "E0303", "straight"),
    ("{ straight = \"50 mm\" }", "{ straight = 1, toward = 1 }", "E0207", "toward"),
    ("{ straight = \"50 mm\" }", "{}", "E0208", "{}"),
    ("{ arc = \"90 deg\", radius = \"2 cm\"", "{ arc = \"90 deg\"", "E0204", "arc"),
    ("{ arc = \"90 deg\"", "{ arc = \"-90 deg\"", "E0303", "-90 deg"),
    ("{ arc = \"90 deg\"", "{ arc = 1e300", "E0314", "axis"),
    ("{ arc = \"90 deg\"", "{ arc = 1e3", "E0305", "bore"),
    ("{ straight = \"50 mm\" }", "{ straight = 1e5 }", "E0305", "bore"),
    ("sphere = { radius = \"3 cm\" }", "heights = { spacing = [1, 1], rows = [[0, 0]] }", "E0310", "rows"),
    ("sphere = { radius = \"3 cm\" }", "heights = { spacing = [1, 1], rows = [[0, 0], [0]] }", "E0310", "rows"),
    ("sphere = { radius = \"3 cm\" }", "heights = { spacing = [1, 0], rows = [[0, 0], [0, 0]] }", "E0303", "spacing"),
    ("sphere = { radius = \"3 cm\" }", "heights = { rows = [[0, 0], [0, 0]] }", "E0204", "heights"),
    ("fixed_to = \"lift\"", "fixed_to = \"lfit\"", "E0212", "lfit"),
    ("at = \"5 cm\"", "at = \"50 cm\"", "E0405", "50 cm"),
    ("like = \"pin\"\ncylinder", "like = \"pim\"\ncylinder", "E0205", "pim"),
    ("[obstacle.stone]", "[obstacle.arm]", "E0213", "[obstacle.arm]"),
    ("friction = 0.2", "friction = -0.2", "E0304", "-0.2"),
    ("friction = 0.2", "friction = \"2 N\"", "E0306", "2 N"),
    ("restitution = 0.5", "restitution = 1.5", "E0305", "1.5"),
    ("restitution = 0.5", "restitution = -0.5", "E0304", "-0.5"),
    ("restitution = 0.5", "smoothing = { family = \"sigmoyd\" }", "E0206", "sigmoyd"),
    ("restitution = 0.5", "smoothing = { force = \"1 mN\" }", "E0204", "smoothing"),
    ("restitution = 0.5", "smoothing = { family = \"chks\" }", "E0204", "smoothing"),
    ("restitution = 0.5", "smoothing = { family = \"chks\", force = \"0 N\" }", "E0303", "0 N"),
    ("restitution = 0.5", "smoothing = { family = \"chks\", force = 1, ratio = -1 }", "E0303", "-1"),
    ("restitution = 0.5", "smoothing = { family = \"chks\", force = 1, ratio = 1 }", "E0305", "ratio"),
    ("restitution = 0.5", "smoothing = \"chks\"", "E0301", "chks"),
    ("restitution = 0.5", "restitution = 0.5\nsmoothing = { family = \"chks\", force = 1 }", "E0401", "smoothing"),
    ("friction = 0.4", "friction = -0.4", "E0304", "-0.4"),
    ("[\"arm\", \"floor\"]", "[\"arm\", \"flor\"]", "E0217", "flor"),
    ("[\"arm\", \"floor\"]", "[\"arm\"]", "E0310", "of"),
    ("[\"arm\", \"floor\"]", "\"arm\"", "E0301", "of"),
    ("[\"arm\", \"floor\"]", "[\"arm\", 3]", "E0301", "3"),
    ("[\"arm\", \"floor\"]", "[\"pin\", \"floor\"]", "E0401", "of"),
    ("[\"arm\", \"floor\"]", "[\"arm\", \"vessel\"]", "E0401", "of"),
    ("of = [\"arm\", \"floor\"], friction = 0.4", "friction = 0.4", "E0204", "friction"),
    ("{ of = [\"arm\", \"floor\"], friction = 0.4 }", "3", "E0301", "3"),
    ("friction = 0.4", "friction = 0.4, touches = false", "E0207", "friction"),
    ("friction = 0.4", "touches = 1", "E0301", "1"),
    ("\"arm.coated\"", "\"arm.coatde\"", "E0217", "coatde"),
    ("\"arm.coated\"", "\"wire.coated\"", "E0217", "wire.coated"),
    ("\"arm.coated\"", "\"floor.coated\"", "E0217", "floor.coated"),
    ("[\"slope\", \"arm.coated\"]", "[\"wire\", \"arm.coated\"]", "E0401", "of"),
    ("[\"slope\", \"arm.coated\"]", "[\"vessel\", \"arm.coated\"]", "E0401", "of"),
    ("[\"slope\", \"arm.coated\"], friction = 0.05", "[\"slope\", \"arm.coated\"]", "E0204", "coated"),
    ("\"arm.coated\"], friction = 0.05", "\"arm.coated\"], touches = false", "E0207", "touches"),
    ("\"arm.coated\"], friction = 0.05", "\"arm.coated\"], friction = -1", "E0304", "-1"),
    ("\"arm.coated\"], friction = 0.05", "\"arm.coated\"], friction = nan", "E0302", "nan"),
    ("coated = { from = \"60 cm\" }", "coated = { from = \"120 cm\" }", "E0405", "120 cm"),
    ("coated = { from = \"60 cm\" }", "coated = { from = \"-1 cm\" }", "E0405", "-1 cm"),
    ("coated = { from = \"60 cm\" }", "coated = { from = \"tip\" }", "E0305", "tip"),
    ("coated = { from = \"60 cm\" }", "coated = { from = \"60 cm\", to = \"50 cm\" }", "E0305", "50 cm"),
    ("coated = { from = \"60 cm\" }", "coated = { from = \"60 cm\", to = 0.6 }", "E0305", "0.6"),
    ("coated = { from = \"60 cm\" }", "coated = { from = inf }", "E0302", "inf"),
    ("coated = { from = \"60 cm\" }", "coated = { from = \"60 N\" }", "E0306", "60 N"),
    ("coated = { from = \"60 cm\" }", "coated = { form = \"60 cm\" }", "E0203", "form"),
    ("coated = { from = \"60 cm\" }", "coated = \"60 cm\"", "E0301", "60 cm"),
    ("coated = { from = \"60 cm\" }", "coated = { from = \"20 cm\" }", "E0401", "grip"),
    ("coated = { from = \"60 cm\" }, grip", "coated = { from = \"60 cm\" }, \"a b\"", "E0211", "a b"),
    ("surface = { coated", "surface = 3\nlaid = { coated", "E0301", "3"),
];

#[test]
fn single_faults_are_refused_at_their_place() {
    for (old, new, code, place) in FAULTS {
        assert!(CONTACT.contains(old), "{old}");
        let found = parse("contact.toml", CONTACT.replacen(old, new, 1), &[]).map(|_| ()).unwrap_err();
        let told: String = found.iter().map(ToString::to_string).collect();
        let context = format!("{old} -> {new}\n{told}");
        assert_eq!(found[0].fault.code(), *code, "{context}");
        assert!(found[0].place.as_ref().is_some_and(|at| at.excerpt.contains(place)), "{context}");
        assert!(!found[0].fault.text().help.is_empty(), "{context}");
    }
}
