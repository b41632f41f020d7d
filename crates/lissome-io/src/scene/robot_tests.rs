//! The scene format for robots: what bodies, joints, closures, cables, drives and jobs lower to, and what is refused.

#![allow(clippy::unwrap_used)]

use super::*;
use lissome_model::{
    CableDrive, Coordinate, DriveTarget, FrameLoadKind, FrameOf, Job, JointKind, JointMotion, LoopMethod, Mount,
    Outline, Scheme, Signal, Start, StepControl,
};
use nalgebra::Vector3;

/// A rod with ten plates and a cable through their holes, section 8.1 of \[xun2025\] in short.
const CABLE_ARM: &str = r#"
schema = 1
title = "cable-driven arm"
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "rubber"
length = "1 m"
section = { shape = "circle", radius = "20 mm" }
base = { fixed_to = "world", tangent = [1, 0, 0] }
[body]
plate_1 = { mass = "20 g", shape = { cylinder = { radius = "60 mm", length = "4 mm" } }, frames = { hole = { position = [0, 0, "60 mm"] } }, mount = { fixed_to = "arm", at = "0.5 m" } }
plate_2 = { like = "plate_1", mount = { fixed_to = "arm", at = "tip" } }
[cable.flexor]
points = [{ position = [0, 0, "60 mm"] }, "plate_1.hole", "plate_2.hole"]
tension = "5 N"
[load.hook]
on = "plate_2"
force = [0, 0, "-1 N"]
[drive]
"flexor.tension" = { ramp = ["0 N", "20 N"] }
[job]
kind = "path"
samples = 5
"#;

/// Three motors, six rods and a platform \[cfpr2025\].
const SIX_ROD: &str = r#"
schema = 1
title = "six-rod parallel robot"
[world]
loops = "embedding"
[material.glass-fibre]
young = "11.3 GPa"
poisson = 0.3
[joint.motor_1]
kind = "revolute"
parent = { position = ["50 mm", 0, 0] }
axis = [0, 1, 0]
angle = 0
[joint.motor_2]
like = "motor_1"
parent = { position = [-0.025, 0.04330127018922193, 0], quat_wxyz = [0.5, 0, 0, 0.8660254037844387] }
[joint.motor_3]
like = "motor_1"
parent = { position = [-0.025, -0.04330127018922193, 0], quat_wxyz = [0.5, 0, 0, -0.8660254037844387] }
[body.platform]
start = { position = [0, 0, "200 mm"] }
shape = { cylinder = { radius = "55 mm", length = "2 mm" }, tangent = [0, 0, 1] }
frames = { hook = { position = [0, 0, 0] } }
[rod.leg_1]
material = "glass-fibre"
length = "200 mm"
section = { shape = "circle", diameter = "1 mm" }
base = { fixed_to = "motor_1", position = [0, "15 mm", 0], tangent = [0, 0, 1] }
tip = { fixed_to = "platform", position = ["50 mm", "15 mm", 0], tangent = [0, 0, 1] }
[rod]
leg_2 = { like = "leg_1", base = { position = [0, "-15 mm", 0] }, tip = { position = ["50 mm", "-15 mm", 0] } }
leg_3 = { like = "leg_1", base = { fixed_to = "motor_2" }, tip = { position = [-0.03799038105676658, 0.03580127018922193, 0] } }
leg_4 = { like = "leg_2", base = { fixed_to = "motor_2" }, tip = { position = [-0.01200961894323342, 0.05080127018922193, 0] } }
leg_5 = { like = "leg_1", base = { fixed_to = "motor_3" }, tip = { position = [-0.01200961894323342, -0.05080127018922193, 0] } }
leg_6 = { like = "leg_2", base = { fixed_to = "motor_3" }, tip = { position = [-0.03799038105676658, -0.03580127018922193, 0] } }
[load.pulley]
on = "platform.hook"
toward = ["100 mm", 0, "600 mm"]
size = "0.5 N"
[drive]
"motor_1.angle" = { values = [0, "-10 deg", "-20 deg"] }
"motor_2.angle" = { ramp = [0, "-20 deg"] }
[job]
kind = "path"
samples = 3
"#;

fn load(text: &str) -> LoadedScene {
    parse("robot.toml", text.to_owned(), &[])
        .unwrap_or_else(|d| panic!("{}", d.iter().map(ToString::to_string).collect::<String>()))
}

fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "`{old}` must stand once in the scene");
    text.replace(old, new)
}

#[test]
fn the_cable_arm_lowers() {
    let loaded = load(CABLE_ARM);
    assert_eq!(loaded.warnings, []);
    let scene = loaded.scene;
    let arm = |s: f64| FrameOf::Rod { rod: 0, s };
    let Mount::On(mount) = scene.bodies[0].mount else { panic!("mounted") };
    assert_eq!((mount.of, scene.stations(0)), (arm(0.5), vec![0.5, 1.0]));
    let Mount::On(mount) = scene.bodies[1].mount else { panic!("mounted") };
    assert_eq!(mount.of, arm(1.0));
    let cable = &scene.cables[0];
    assert_eq!(
        cable.points.iter().map(|p| p.of).collect::<Vec<_>>(),
        [FrameOf::World, FrameOf::Body(0), FrameOf::Body(1)]
    );
    assert!(cable.points.iter().all(|p| (p.pose.position - Vector3::z() * 0.06).norm() < 1e-15));
    assert_eq!(cable.drive, CableDrive::Tension(0.0), "begins where its drive does");
    assert_eq!(scene.drives[0].target, DriveTarget::Cable(0));
    assert_eq!(scene.drives[0].signal, Signal::Ramp { from: 0.0, to: 20.0, start: 0.0, over: 1.0 });
    let inertia = &scene.bodies[0].inertia;
    assert!((inertia.mass - 0.02).abs() < 1e-17);
    assert!((inertia.about_centre[(0, 0)] - 0.5 * 0.02 * 0.06 * 0.06).abs() < 1e-12, "of an even disc");
    let FrameLoadKind::Wrench { wrench, .. } = scene.frame_loads[0].kind else { panic!("wrench") };
    assert_eq!((scene.frame_loads[0].on.of, wrench.force), (FrameOf::Body(1), -Vector3::z()));
}

#[test]
fn the_six_rod_robot_lowers() {
    let scene = load(SIX_ROD).scene;
    assert_eq!((scene.rods.len(), scene.joints.len(), scene.loops), (6, 3, LoopMethod::Embedding));
    let bases: Vec<_> = scene.rods.iter().map(|rod| rod.base.unwrap().of).collect();
    assert_eq!(bases, [0, 0, 1, 1, 2, 2].map(FrameOf::Joint));
    assert!(scene.rods.iter().all(|rod| rod.tip.unwrap().of == FrameOf::Body(0) && rod.length == 0.2));
    assert!(scene.joints.iter().all(|joint| joint.kind == JointKind::Revolute { axis: Vector3::y() }));
    let FrameLoadKind::Toward { point, size } = scene.frame_loads[0].kind else { panic!("toward") };
    assert_eq!((point, size), (Vector3::new(0.1, 0.0, 0.6), 0.5));
    // Bases and tips are vertically above each other: the robot is drawn without stress.
    for rod in &scene.rods {
        let FrameOf::Joint(motor) = rod.base.unwrap().of else { panic!("on a motor") };
        let base = scene.joints[motor].parent.pose * rod.base.unwrap().pose;
        let Mount::Free(start) = scene.bodies[0].mount else { panic!("free") };
        let tip = start * rod.tip.unwrap().pose;
        assert!((tip.position - base.position - Vector3::z() * 0.2).norm() < 1e-12, "{}", rod.name);
    }
    let values = scene.drives.iter().map(|drive| drive.signal.at(0.5).to_degrees()).collect::<Vec<_>>();
    assert!(values.iter().all(|angle| (angle + 10.0).abs() < 1e-12), "{values:?}");
}

#[test]
fn robots_read_back_the_same() {
    for (text, overrides) in [
        (CABLE_ARM, vec!["arm.length=2", "flexor.tension=\"3 N\"", "plate_1.mass=1 g", "hook.force=[0, 0, 1]"]),
        (
            SIX_ROD,
            vec!["leg_1.length=\"210 mm\"", "drive.motor_3.angle=0.1", "job.samples=3", "motor_2.angle.ramp.1=0"],
        ),
        (JOINTS, vec!["pin.stiffness=3"]),
    ] {
        let overrides: Vec<String> = overrides.into_iter().map(str::to_owned).collect();
        let first = parse("test.toml", text.to_owned(), &overrides).unwrap();
        let written = first.to_toml();
        let second = load(&written);
        assert_eq!(first.scene, second.scene);
        assert_eq!(written, second.to_toml(), "a fixed point");
        assert_ne!(first.scene, load(text).scene, "the overrides changed something");
    }
}

#[test]
fn overrides_may_leave_the_family_out() {
    let with = |argument: &str| parse("robot.toml", SIX_ROD.to_owned(), &[argument.to_owned()]);
    assert!(with("leg_1.length=\"210 mm\"").unwrap().scene.rods.iter().all(|rod| rod.length == 0.21), "like follows");
    let drive = with("motor_2.angle=-0.5").unwrap().scene;
    assert_eq!(drive.drives[1].signal, Signal::Constant(-0.5));
    assert_eq!(drive.joints[1].motion, JointMotion::Driven { value: vec![-0.5] });
    let value = with("motor_3.angle=\"30 deg\"").unwrap().scene;
    assert!((value.joints[2].start()[0].to_degrees() - 30.0).abs() < 1e-12);
    let fresh = with("drive.motor_3.angle=0.25").unwrap().scene;
    assert_eq!(fresh.drives[2].target, DriveTarget::JointValue { joint: 2, coordinate: 0 });
    let code = |argument: &str| {
        let found = with(argument).map(|_| ()).unwrap_err();
        (found[0].fault.code(), found[0].fault.text().help)
    };
    assert_eq!(code("lge_1.length=1"), ("E0210", "did you mean `leg_1.length`?".into()));
    assert_eq!(code("platform.mas=1").0, "E0203");
    assert_eq!(code("motor_1.angle=\"3 mm\"").0, "E0306");
}

/// Every kind of joint, in a tree, and an articulated closure.
const JOINTS: &str = r#"
schema = 1
[joint]
fixed = { kind = "fixed", parent = "world" }
hinge = { kind = "revolute", parent = "fixed", start = "10 deg", stiffness = "2 N*m/rad", rest = "5 deg", damping = 0.1, limits = ["-90 deg", "90 deg"] }
slide = { kind = "prismatic", parent = "hinge", axis = [2, 0, 0], force = "3 N", stiffness = "10 N/m" }
screw = { kind = "cylindrical", parent = "slide", value = ["30 deg", "2 mm"] }
cross = { kind = "universal", parent = "screw", axes = [[0, 0, 1], [0, 3, 0]], stiffness = 1 }
ball = { kind = "spherical", parent = "cross", stiffness = [1, 2, 3], limits = ["none", ["-1 rad", 1], "none"] }
plane = { kind = "planar", parent = "ball", effort = ["1 N*m", "2 N", 0] }
loose = { kind = "free", parent = "plane", start = [0, 0, 0, "1 mm", 0, 0] }
[body.end]
mass = "1 kg"
centre = [0, 0, 0]
inertia = [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 3]]
shape = [{ box = ["1 cm", "2 cm", "3 cm"], position = ["1 m", 0, 0] }, { sphere = { radius = "1 cm" } }]
mount = "loose"
[closure.pin]
a = "end"
b = { fixed_to = "world", position = [0, 0, "1 mm"] }
kind = "spherical"
stiffness = "2 N*m/rad"
[drive]
"screw.travel" = { sine = { mean = "2 mm", amplitude = "1 mm", frequency = "2 Hz", phase = "90 deg" } }
"plane.effort_u" = { table = [[0, 0], ["2 s", "5 N"]] }
"slide.force" = { ramp = [0, 3], start = "1 s" }
"world.gravity" = 0.5
[job]
kind = "dynamics"
duration = "2 s"
output_rate = "50 Hz"
scheme = "tr-bdf2"
step = "5 ms"
start = "natural"
"#;

#[test]
fn every_kind_of_joint_lowers() {
    let scene = load(JOINTS).scene;
    let freedoms: Vec<_> = scene.joints.iter().map(|joint| joint.freedom()).collect();
    assert_eq!(freedoms, [0, 1, 1, 2, 2, 3, 3, 6, 3]);
    let hinge = &scene.joints[1];
    assert_eq!(hinge.parent.of, FrameOf::Joint(0));
    assert_eq!(
        (hinge.kind, &hinge.stiffness[..], &hinge.damping[..]),
        (JointKind::Revolute { axis: Vector3::z() }, &[2.0][..], &[0.1][..])
    );
    let (low, high) = hinge.limits[0].unwrap();
    assert!((low.to_degrees() + 90.0).abs() < 1e-12 && (high.to_degrees() - 90.0).abs() < 1e-12);
    assert_eq!(scene.joints[2].motion, JointMotion::Actuated { effort: vec![0.0], start: vec![0.0] });
    let screw = &scene.joints[3];
    let JointMotion::Driven { value } = &screw.motion else { panic!("driven") };
    assert!((value[0].to_degrees() - 30.0).abs() < 1e-12 && (value[1] - 3e-3).abs() < 1e-15, "{value:?}");
    assert_eq!(scene.joints[4].stiffness, [1.0, 1.0]);
    assert_eq!(scene.joints[4].kind, JointKind::Universal { first: Vector3::z(), second: Vector3::y() });
    assert_eq!(scene.joints[5].limits, [None, Some((-1.0, 1.0)), None]);
    assert_eq!(scene.joints[5].kind.coordinates()[1], ("ry", Coordinate::Angle));
    assert_eq!(scene.joints[7].start()[3], 1e-3);
    // The closure is a ball joint of its name on the body, tied to the world.
    assert_eq!((scene.joints[8].name.as_str(), scene.joints[8].parent.of), ("pin", FrameOf::Body(0)));
    assert_eq!((scene.closures[0].a.of, scene.closures[0].b.of), (FrameOf::Joint(8), FrameOf::World));
    assert_eq!(scene.bodies[0].inertia.about_centre[(1, 0)], 0.1);
    assert_eq!(scene.bodies[0].solids[0].outline, Outline::Box { size: Vector3::new(0.01, 0.02, 0.03) });
    let Job::Dynamics(job) = &scene.job else { panic!("dynamics") };
    assert_eq!((job.duration, job.output_rate, job.scheme), (2.0, 50.0, Scheme::TrBdf2));
    assert_eq!((job.step, job.start), (StepControl::Fixed(5e-3), Start::Natural));
    assert_eq!(scene.drives[2].signal, Signal::Ramp { from: 0.0, to: 3.0, start: 1.0, over: 1.0 });
}

#[test]
fn density_gives_mass_and_inertia() {
    let text = replaced(CABLE_ARM, "mass = \"20 g\",", "density = 1000,");
    let inertia = load(&text).scene.bodies[0].inertia;
    let mass = 1000.0 * std::f64::consts::PI * 0.06 * 0.06 * 0.004;
    assert!((inertia.mass - mass).abs() < 1e-12 * mass);
}

#[test]
fn loads_are_released_by_name() {
    let job = "[job]\nkind = \"path\"\nsamples = 5\n";
    let text = replaced(CABLE_ARM, job, "[job]\nkind = \"dynamics\"\nduration = 1\nrelease = [\"hook\"]\n");
    let Job::Dynamics(job) = load(&text).scene.job else { panic!("dynamics") };
    assert_eq!(job.release, [0]);
    assert_eq!(job.step, StepControl::Tolerance(1e-4));
}

/// What is replaced in which scene, by what, the code that must answer, and part of the text it must point at.
const REFUSED: &[(&str, &str, &str, &str, &str)] = &[
    // names and frames
    (CABLE_ARM, "\"plate_1.hole\"", "\"plate_1.hol\"", "E0212", "plate_1.hol"),
    (CABLE_ARM, "\"plate_2.hole\"", "\"plat_2.hole\"", "E0212", "plat_2.hole"),
    (CABLE_ARM, "on = \"plate_2\"", "on = \"moon\"", "E0212", "moon"),
    (CABLE_ARM, "on = \"plate_2\"", "on = 3", "E0301", "on = 3"),
    (CABLE_ARM, "at = \"0.5 m\"", "at = \"1.5 m\"", "E0405", "1.5 m"),
    (CABLE_ARM, "{ position = [0, 0, \"60 mm\"] }, \"plate", "{ at = \"tip\" }, \"plate", "E0207", "at ="),
    (JOINTS, "[closure.pin]", "[closure.hinge]", "E0213", "[closure.hinge]"),
    (JOINTS, "[closure.pin]", "[closure.world]", "E0213", "[closure.world]"),
    (CABLE_ARM, "like = \"plate_1\"", "like = \"plate_3\"", "E0205", "plate_3"),
    (CABLE_ARM, "like = \"plate_1\"", "like = \"plate_2\"", "E0214", "plate_2"),
    (SIX_ROD, "[rod.leg_1]", "[rod.leg_1]\nlike = \"leg_4\"", "E0214", "like"),
    (SIX_ROD, "fixed_to = \"motor_1\"", "fixed_to = \"motr_1\"", "E0212", "motr_1"),
    // double parents, circles, floating parts
    (SIX_ROD, "start = { position = [0, 0, \"200 mm\"] }", "start = {}\nmount = \"world\"", "E0207", "start"),
    (SIX_ROD, "start = { position = [0, 0, \"200 mm\"] }", "", "E0208", "[body.platform]"),
    (CABLE_ARM, "base = { fixed_to = \"world\", tangent = [1, 0, 0] }", "base = \"plate_1\"", "E0417", "plate_1"),
    (CABLE_ARM, "tangent = [1, 0, 0] }", "tangent = [1, 0, 0] }\ntip = \"plate_2\"", "E0417", "plate_2"),
    (JOINTS, "parent = \"fixed\"", "parent = \"slide\"", "E0417", "="),
    (CABLE_ARM, "mount = { fixed_to = \"arm\", at = \"tip\" }", "start = {}", "accepted", ""),
    (FLOATING, "[job]", "[job]", "E0416", "raft"),
    (FLOATING, "kind = \"statics\"", "kind = \"dynamics\"\nduration = 1", "E0416", "raft"),
    (FLOATING, "kind = \"statics\"", "kind = \"dynamics\"\nduration = 1\nstart = \"natural\"", "accepted", ""),
    (FLOATING, "stiffness = [0, 0, 0, 0, 0, 0]", "stiffness = [0, 0, 0, 0, 0, 1]", "accepted", ""),
    // joints
    (
        CABLE_ARM,
        "[cable.flexor]",
        "[joint.j]\nkind = \"revolute\"\nparent = \"arm\"\n[cable.flexor]",
        "E0418",
        "joint.j",
    ),
    (SIX_ROD, "kind = \"revolute\"", "kind = \"revolut\"", "E0206", "revolut"),
    (JOINTS, "hinge = { kind = \"revolute\",", "hinge = {", "E0204", "hinge"),
    (SIX_ROD, "axis = [0, 1, 0]", "axis = [0, 0, 0]", "E0312", "axis"),
    (SIX_ROD, "axis = [0, 1, 0]", "axes = [[1, 0, 0], [0, 1, 0]]", "E0207", "axes"),
    (SIX_ROD, "angle = 0\n", "angle = \"3 mm\"\n", "E0306", "3 mm"),
    (SIX_ROD, "angle = 0\n", "travel = 0\n", "E0207", "travel"),
    (SIX_ROD, "angle = 0\n", "angle = 0\ntorque = 1\n", "E0207", "torque"),
    (SIX_ROD, "angle = 0\n", "angle = 0\nstart = 1\n", "E0207", "start"),
    (SIX_ROD, "angle = 0\n", "angle = 0\nstiffness = -1\n", "E0304", "stiffness"),
    (SIX_ROD, "angle = 0\n", "angle = 0\nlimits = [1, -1]\n", "E0401", "limits"),
    (JOINTS, "start = \"10 deg\"", "start = \"100 deg\"", "E0305", "100 deg"),
    (SIX_ROD, "angle = 0\n", "value = [0, 1]\n", "E0310", "value"),
    (JOINTS, "axes = [[0, 0, 1], [0, 3, 0]]", "axes = [[0, 0, 1], [0, 0, 3]]", "E0401", "axes"),
    (JOINTS, "value = [\"30 deg\", \"2 mm\"]", "angle = \"30 deg\"", "E0204", "screw"),
    (JOINTS, "limits = [\"none\", [\"-1 rad\", 1], \"none\"]", "limits = [\"none\"]", "E0310", "limits"),
    // bodies
    (JOINTS, "mass = \"1 kg\"", "mass = \"-1 kg\"", "E0304", "mass"),
    (JOINTS, "mass = \"1 kg\"\n", "", "E0204", "end"),
    (JOINTS, "mass = \"1 kg\"\n", "density = 3\n", "E0207", "centre"),
    (JOINTS, "[0, 0, 3]]", "[0, 0, 30]]", "E0401", "inertia"),
    (JOINTS, "[0, 0, 3]]", "[0, 0]]", "E0310", "inertia"),
    (JOINTS, "sphere = { radius = \"1 cm\" }", "position = [0, 0, 0]", "E0208", "position"),
    (JOINTS, "sphere = { radius = \"1 cm\" }", "sphere = { radius = 0 }", "E0303", "radius = 0"),
    (JOINTS, "box = [\"1 cm\"", "box = [\"-1 cm\"", "E0303", "-1 cm"),
    // closures
    (JOINTS, "kind = \"spherical\"\nstiffness = \"2 N*m/rad\"", "stiffness = 3", "E0207", "stiffness"),
    (JOINTS, "a = \"end\"\n", "", "E0204", "pin"),
    (WELDED, "b = \"two\"", "b = \"one\"", "E0419", "[closure.weld]"),
    (WELDED, "b = \"two\"", "b = \"three\"", "E0419", "[closure.weld]"),
    (WELDED, "a = \"one\"\nb = \"two\"", "a = \"world\"\nb = \"world\"", "E0419", "[closure.weld]"),
    (WELDED, "[closure.weld]", "[closure.again]\na = \"two\"\nb = \"one\"\n[closure.weld]", "E0419", "[closure.weld]"),
    (
        WELDED,
        "[closure.weld]",
        "[closure.pin]\na = \"one\"\nb = \"two\"\nkind = \"revolute\"\n[closure.weld]",
        "accepted",
        "",
    ),
    // cables
    (CABLE_ARM, ", \"plate_1.hole\", \"plate_2.hole\"]", "]", "E0310", "points"),
    (CABLE_ARM, "\"plate_1.hole\", ", "\"plate_2.hole\", ", "E0420", "points"),
    (CABLE_ARM, "tension = \"5 N\"", "tension = \"5 N\"\nlength = 1", "E0207", "length"),
    (CABLE_ARM, "tension = \"5 N\"", "tension = \"-5 N\"", "E0304", "-5 N"),
    (CABLE_ARM, "tension = \"5 N\"", "pull = \"5 N\"", "E0306", "5 N"),
    (CABLE_ARM, "tension = \"5 N\"", "stiffness = 0", "E0303", "stiffness"),
    // drives
    (CABLE_ARM, "\"flexor.tension\" =", "\"flexr.tension\" =", "E0215", "flexr"),
    (CABLE_ARM, "\"flexor.tension\" =", "\"flexor\" =", "E0215", "flexor"),
    (CABLE_ARM, "\"flexor.tension\" =", "\"flexor.length\" =", "E0216", "flexor.length"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "ramp = [\"0 m\", \"20 N\"]", "E0306", "0 m"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "ramp = [\"0 N\"]", "E0310", "ramp"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "ramp = [-1, 0]", "E0304", "-1"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "ramp = [0, 1], start = 2", "E0305", "start = 2"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "ramp = [0, 1], over = -1", "E0304", "over"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "start = 1", "E0204", "start"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "", "E0208", "flexor"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "table = [[0, 1], [0.5, 2]]", "E0421", "table"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "table = [[0.1, 1], [1, 2]]", "E0421", "table"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "table = [[0, 1], [0, 2]]", "E0422", "[0, 2]"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "table = [[0, 1, 2]]", "E0310", "[0, 1, 2]"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "table = []", "E0310", "table"),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "values = [1, 2]", "E0401", "values"),
    (
        CABLE_ARM,
        "ramp = [\"0 N\", \"20 N\"]",
        "sine = { mean = 2, amplitude = 1, frequency = \"2 s\" }",
        "E0306",
        "2 s",
    ),
    (CABLE_ARM, "ramp = [\"0 N\", \"20 N\"]", "sine = { amplitude = 1, frequency = 2 }", "E0304", "amplitude"),
    (SIX_ROD, "\"motor_2.angle\"", "\"motor_1.torque\"", "E0423", "motor_1.torque"),
    (SIX_ROD, "\"motor_2.angle\"", "\"motor_1.angle\"", "E0104", "motor_1.angle"),
    (SIX_ROD, "\"motor_2.angle\"", "\"motor_2.torque\"", "E0216", "motor_2.torque"),
    (SIX_ROD, "\"motor_2.angle\"", "\"motor_2.angel\"", "E0215", "motor_2.angel"),
    (SIX_ROD, "values = [0, \"-10 deg\", \"-20 deg\"]", "values = [0, 1]", "E0401", "values"),
    (SIX_ROD, "values = [0, \"-10 deg\", \"-20 deg\"]", "values = [0, 1, \"2 N\"]", "E0306", "2 N"),
    (JOINTS, "\"2 mm\"] }", "\"2 mm\"], limits = [\"none\", [0, \"2 mm\"]] }", "E0305", "screw.travel"),
    // loads
    (SIX_ROD, "size = \"0.5 N\"\n", "", "E0204", "pulley"),
    (SIX_ROD, "size = \"0.5 N\"\n", "size = \"-0.5 N\"\n", "E0304", "size"),
    (SIX_ROD, "size = \"0.5 N\"\n", "size = 1\nforce = [0, 0, 1]\n", "E0207", "force"),
    (SIX_ROD, "size = \"0.5 N\"\n", "size = 1\nrod = \"leg_1\"\n", "E0207", "rod"),
    (SIX_ROD, "on = \"platform.hook\"\n", "", "E0204", "pulley"),
    // jobs
    (CABLE_ARM, "samples = 5", "samples = 1", "E0305", "samples"),
    (CABLE_ARM, "samples = 5", "end = -1", "E0303", "end"),
    (CABLE_ARM, "samples = 5", "duration = 1", "E0207", "duration"),
    (JOINTS, "step = \"5 ms\"", "step = 0", "E0303", "step"),
    (JOINTS, "step = \"5 ms\"", "step = \"-5 ms\"", "E0303", "step"),
    (JOINTS, "step = \"5 ms\"", "step = \"5 s\"", "E0305", "step"),
    (JOINTS, "step = \"5 ms\"", "step = \"5 ms\"\ntolerance = 1e-3", "E0207", "tolerance"),
    (JOINTS, "step = \"5 ms\"", "tolerance = 0", "E0303", "tolerance"),
    (JOINTS, "output_rate = \"50 Hz\"", "output_rate = 0", "E0303", "output_rate"),
    (JOINTS, "output_rate = \"50 Hz\"", "output_rate = \"-50 Hz\"", "E0303", "output_rate"),
    (JOINTS, "duration = \"2 s\"", "duration = \"-2 s\"", "E0303", "duration"),
    (JOINTS, "duration = \"2 s\"\n", "", "E0204", "job"),
    (JOINTS, "duration = \"2 s\"", "duration = \"3 s\"", "E0421", "table"),
    (JOINTS, "scheme = \"tr-bdf2\"", "scheme = \"rk4\"", "E0206", "rk4"),
    (JOINTS, "start = \"natural\"", "release = [\"x\"]", "E0205", "x"),
    (JOINTS, "kind = \"dynamics\"", "kind = \"dynamcs\"", "E0206", "dynamcs"),
];

/// Two bodies on a free joint without spring.
const FLOATING: &str = r#"
schema = 1
[joint.loose]
kind = "free"
parent = "world"
stiffness = [0, 0, 0, 0, 0, 0]
[body.raft]
mass = 1
mount = "loose"
[job]
kind = "statics"
"#;

/// Three bodies, two of them one piece, and a closure.
const WELDED: &str = r#"
schema = 1
[joint.hinge]
kind = "revolute"
parent = "world"
[body]
one = { mass = 1, mount = "hinge" }
two = { mass = 1, start = {} }
three = { mass = 1, mount = "one" }
[closure.weld]
a = "one"
b = "two"
"#;

/// What is wrong with how the scene is refused.
fn misjudged(text: String, code: &str, place: &str) -> Option<String> {
    let Err(found) = parse("robot.toml", text, &[]).map(|_| ()) else {
        return (code != "accepted").then(|| "accepted".into());
    };
    let shown: String = found.iter().map(ToString::to_string).collect();
    let first = &found[0];
    let words = first.fault.text();
    let points = first.place.as_ref().is_some_and(|at| at.excerpt.contains(place));
    let errors = found.iter().filter(|d| d.severity() == crate::fault::Severity::Error).count();
    // One mistake, one error, with its place and its remedy.
    let good =
        first.fault.code() == code && points && errors == 1 && !words.message.is_empty() && !words.help.is_empty();
    (!good).then_some(shown)
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let wrong: Vec<String> = (REFUSED.iter())
        .filter_map(|(scene, old, new, code, place)| {
            let shown = misjudged(replaced(scene, old, new), code, place)?;
            Some(format!("{old} -> {new}: wanted {code} at {place}\n{shown}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), REFUSED.len(), wrong.join("\n"));
}

/// Pieces that are likely to hurt a robot.
const PIECES: [&str; 22] = [
    "nan",
    "-1e999",
    "0",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "=",
    ".",
    ",",
    "\n",
    "µ",
    "99999999999999999999",
    "\"3 m^9\"",
    "[rod.arm]",
    "\"arm\"",
    "\"plate_1\"",
    "\"motor_1\"",
    "\"world\"",
    "like = \"leg_1\", ",
    "\"pin\"",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(600))]

    /// Whatever is damaged, the reader answers, and what it accepts reads back the same.
    #[test]
    fn damaged_robots_are_answered(
        scene in 0..5usize,
        cuts in proptest::collection::vec((0.0..1.0f64, 0..12usize, proptest::option::of(0..PIECES.len())), 1..4),
    ) {
        let mut text = [CABLE_ARM, SIX_ROD, JOINTS, FLOATING, WELDED][scene].to_owned();
        for (at, length, piece) in cuts {
            let chars: Vec<char> = text.chars().collect();
            let at = (at * chars.len() as f64) as usize;
            let after = (at + length).min(chars.len());
            let before: String = chars[..at].iter().collect();
            let rest: String = chars[after..].iter().collect();
            text = format!("{before}{}{rest}", piece.map_or("", |piece| PIECES[piece]));
        }
        answers(&text)?;
    }

    /// One word of the scene in place of another.
    #[test]
    fn exchanged_words_are_answered(scene in 0..5usize, from in 0..1000usize, to in 0..1000usize) {
        let text = [CABLE_ARM, SIX_ROD, JOINTS, FLOATING, WELDED][scene];
        let words: Vec<&str> = text.split([' ', '\n', ',']).filter(|word| word.len() > 1).collect();
        answers(&text.replace(words[from % words.len()], words[to % words.len()]))?;
    }
}

fn answers(text: &str) -> Result<(), proptest::test_runner::TestCaseError> {
    match parse("damaged.toml", text.to_owned(), &[]) {
        Ok(first) => {
            let second = parse("again.toml", first.to_toml(), &[]).map_err(|d| {
                proptest::test_runner::TestCaseError::fail(format!("{text}\n{}\n{d:?}", first.to_toml()))
            })?;
            proptest::prop_assert_eq!(first.scene, second.scene);
        }
        Err(found) => proptest::prop_assert!(!found.is_empty(), "refused without a word: {}", text),
    }
    Ok(())
}

#[test]
fn drives_without_motion_warn() {
    let text = replaced(CABLE_ARM, "kind = \"path\"\nsamples = 5", "kind = \"statics\"");
    let warnings = load(&text).warnings;
    assert_eq!(warnings.iter().map(|w| w.fault.code()).collect::<Vec<_>>(), ["W0202"]);
}
