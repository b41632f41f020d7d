//! Springs, restitution, initial velocities, smooth drives, rotation vectors and the warning of twisted rods: what they lower
//! to, and what is refused.

#![allow(clippy::unwrap_used)]

use super::*;
use lissome_model::{CubicTable, FrameOf, InitialVelocity, Mount, Signal, SpringLaw};
use nalgebra::{Matrix6, Vector3, Vector6};

/// A rod that a spring pulls up, a slide with stops, a body on a bushing and one that flies.
const SPRINGS: &str = r#"
schema = 1
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
[rod.arm]
material = "rubber"
length = "1 m"
section = { shape = "circle", radius = "20 mm" }
base = { fixed_to = "world", rotvec = [0, "-90 deg", 0] }
[joint.slide]
kind = "prismatic"
parent = "world"
start = "10 mm"
rate = "0.2 m/s"
limits = ["-1 m", "1 m"]
restitution = 0.5
[body.cart]
mass = "1 kg"
mount = "slide"
[body.engine]
mass = "2 kg"
start = { position = [0, 0, "1 m"] }
[body.ball]
mass = "50 g"
start = {}
velocity = ["1 m/s", 0, 2]
spin = "[0, 0, 180] deg/s"
[rod.thrown]
like = "arm"
base = { fixed_to = "ball" }
spin = [0, "1 rad/s", 0]
[spring.return]
a = { fixed_to = "world", position = [0, "1 m", 0] }
b = { fixed_to = "arm", at = "40 cm" }
stiffness = "0.2 N/mm"
rest_length = "50 mm"
damping = "2 N*s/m"
[spring.stop]
like = "return"
b = "cart"
rest_length = 0
[spring.buffer]
a = "world"
b = "cart"
damping = 3
[spring.mount]
a = { fixed_to = "world", position = [0, 0, "1 m"] }
b = "engine"
bushing = { turn = "5 N*m/rad", shift = ["10 kN/m", 2, 3], shift_damping = "20 N*s/m" }
[spring.softer]
like = "mount"
bushing = { turn = [1, 2, 3] }
[spring.whole]
like = "mount"
bushing = { stiffness_matrix = [[2, 0, 0, 0, 0, "1 N"], [0, 2, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 2, 0, 0], [0, 0, 0, 0, 2, 0], [1, 0, 0, 0, 0, "2 N/m"]], turn_damping = 0.1 }
[drive]
"world.gravity" = { ramp = [0, 1], start = "0.5 s", over = "1 s", smooth = true }
[job]
kind = "dynamics"
duration = "2 s"
start = "natural"
"#;

fn with(text: &str, old: &str, new: &str) -> Result<LoadedScene, Vec<Diagnostic>> {
    assert_eq!(text.matches(old).count(), 1, "`{old}` must stand once in the scene");
    parse("springs.toml", text.replace(old, new), &[])
}

fn load(text: &str, overrides: &[&str]) -> LoadedScene {
    let overrides: Vec<String> = overrides.iter().map(|x| (*x).to_owned()).collect();
    parse("springs.toml", text.to_owned(), &overrides)
        .unwrap_or_else(|d| panic!("{}", d.iter().map(ToString::to_string).collect::<String>()))
}

#[test]
fn springs_lower() {
    let loaded = load(SPRINGS, &[]);
    assert_eq!(loaded.warnings, []);
    let scene = loaded.scene;
    let [back, stop, buffer, mount, softer, whole] = &scene.springs[..] else { panic!("six springs") };
    assert_eq!((back.name.as_str(), back.a.of, back.b.of), ("return", FrameOf::World, FrameOf::Rod { rod: 0, s: 0.4 }));
    assert_eq!(back.a.pose.position, Vector3::y());
    assert_eq!(back.law, SpringLaw::Line { stiffness: 200.0, rest_length: Some(0.05), damping: 2.0 });
    assert_eq!(stop.law, SpringLaw::Line { stiffness: 200.0, rest_length: Some(0.0), damping: 2.0 });
    assert_eq!(buffer.law, SpringLaw::Line { stiffness: 0.0, rest_length: None, damping: 3.0 });
    let diagonal = |x: [f64; 6]| Matrix6::from_diagonal(&Vector6::from(x));
    let damping = diagonal([0.0, 0.0, 0.0, 20.0, 20.0, 20.0]);
    assert_eq!(mount.law, SpringLaw::Bushing { stiffness: diagonal([5.0, 5.0, 5.0, 1e4, 2.0, 3.0]), damping });
    assert_eq!(softer.law, SpringLaw::Bushing { stiffness: diagonal([1.0, 2.0, 3.0, 1e4, 2.0, 3.0]), damping });
    let SpringLaw::Bushing { stiffness, damping } = whole.law else { panic!("a bushing") };
    assert_eq!((stiffness[(0, 5)], stiffness[(5, 5)], stiffness[(2, 2)]), (1.0, 2.0, 0.0));
    assert_eq!(damping.diagonal(), Vector6::new(0.1, 0.1, 0.1, 20.0, 20.0, 20.0));
    assert_eq!(scene.stations(0), [0.4], "a spring divides the rod that it pulls");
}

#[test]
fn springs_read_back_the_same_and_take_overrides() {
    let overrides = [
        "spring.return.stiffness=\"1 kN/m\"",
        "stop.rest_length=\"2 cm\"",
        "mount.bushing.shift.0=7",
        "joint.slide.restitution=0.25",
        "ball.spin=[1, 2, 3]",
    ];
    let first = load(SPRINGS, &overrides);
    let SpringLaw::Line { stiffness, rest_length, .. } = first.scene.springs[1].law else { panic!("a line") };
    assert_eq!((stiffness, rest_length), (1e3, Some(0.02)), "like follows");
    assert_eq!(first.scene.joints[0].restitution, 0.25);
    assert_eq!(first.scene.bodies[2].initial_velocity.spin, Vector3::new(1.0, 2.0, 3.0));
    let second = load(&first.to_toml(), &[]);
    assert_eq!((&first.scene, first.to_toml()), (&second.scene, second.to_toml()));
}

#[test]
fn velocities_rates_and_restitution_lower() {
    let scene = load(SPRINGS, &[]).scene;
    let slide = &scene.joints[0];
    assert_eq!((slide.restitution, &slide.initial_rate[..]), (0.5, &[0.2][..]));
    let InitialVelocity { velocity, spin } = scene.bodies[2].initial_velocity;
    assert_eq!(velocity, Vector3::new(1.0, 0.0, 2.0));
    assert!((spin - Vector3::z() * std::f64::consts::PI).norm() < 1e-15);
    assert!(scene.bodies[..2].iter().all(|body| body.initial_velocity.is_zero()));
    assert_eq!(scene.rods[0].initial_velocity, None);
    let thrown = InitialVelocity { velocity: Vector3::zeros(), spin: Vector3::y() };
    assert_eq!(scene.rods[1].initial_velocity, Some(thrown));
}

#[test]
fn velocities_in_statics_are_set_aside_aloud() {
    let floating = ["ball.mount=world", "ball.start=0"];
    assert!(parse("a", SPRINGS.into(), &floating.map(str::to_owned)).is_err(), "mount and start exclude each other");
    let text = SPRINGS.replace("start = {}\n", "mount = \"slide\"\n");
    let text = text.replace("velocity = [\"1 m/s\", 0, 2]\nspin = \"[0, 0, 180] deg/s\"\n", "");
    let text = text.replace("kind = \"dynamics\"\nduration = \"2 s\"\nstart = \"natural\"", "kind = \"statics\"");
    let warnings = load(&text, &["drive.world.gravity=1"]).warnings;
    let told: Vec<_> = warnings.iter().map(|w| (w.fault.code(), w.path.clone().unwrap())).collect();
    assert_eq!(told, [("W0203", "joint.slide.rate".to_owned()), ("W0203", "rod.thrown.velocity".into())]);
}

#[test]
fn what_hangs_on_a_spring_does_not_float() {
    let text = r#"
schema = 1
[body.ball]
mass = "1 kg"
start = {}
[spring.thread]
a = { position = [0, 0, "1 m"] }
b = "ball"
stiffness = 3
"#;
    assert!(matches!(load(text, &[]).scene.bodies[0].mount, Mount::Free(_)));
    let damper = with(text, "stiffness = 3", "damping = 3").unwrap_err();
    assert_eq!(damper[0].fault.code(), "E0416", "a damper carries nothing");
    let idle = with(text, "stiffness = 3", "stiffness = 0").unwrap_err();
    assert_eq!(idle.iter().map(|d| d.fault.code()).collect::<Vec<_>>(), ["E0416", "W0407"]);
}

#[test]
fn smooth_drives_lower() {
    let scene = load(SPRINGS, &[]).scene;
    assert_eq!(scene.drives[0].signal, Signal::SmoothRamp { from: 0.0, to: 1.0, start: 0.5, over: 1.0 });
    let ramp = "{ ramp = [0, 1], start = \"0.5 s\", over = \"1 s\", smooth = true }";
    let signal = |new: &str| with(SPRINGS, ramp, new).unwrap().scene.drives[0].signal.clone();
    let points = vec![(0.0, 0.0), (0.5, 2.0), (2.0, 1.0)];
    let table = "{ table = [[0, 0], [\"0.5 s\", 2], [2, 1]], smooth = true }";
    assert_eq!(signal(table), Signal::CubicTable(CubicTable::new(points.clone())));
    assert_eq!(signal(&table.replace("true", "false")), Signal::Table(points));
    assert_eq!(signal("{ ramp = [0, 1], smooth = false }"), Signal::Ramp { from: 0.0, to: 1.0, start: 0.0, over: 2.0 });
}

#[test]
fn a_cubic_that_leaves_the_limits_between_its_points_is_refused() {
    // From rest at 0 over 1 to rest at 1: it reaches more than 1 between the last two.
    let drive = "\"world.gravity\" = { ramp = [0, 1], start = \"0.5 s\", over = \"1 s\", smooth = true }";
    let slide = "start = \"10 mm\"\nrate = \"0.2 m/s\"";
    let text = SPRINGS.replace(slide, "travel = 0");
    let table = "\"slide.travel\" = { table = [[0, 0], [1, 1], [2, 1]] }";
    assert!(with(&text, drive, table).is_ok());
    let found = with(&text, drive, &table.replace(" }", ", smooth = true }")).unwrap_err();
    assert_eq!(found[0].fault.code(), "E0305");
    let crate::Fault::OutOfRange { value, .. } = found[0].fault else { panic!("{:?}", found[0]) };
    // Accelerations 4.5, −3, 1.5: y = 1 + 0.75 u − 1.5 u² + 0.75 u³ after t = 1, greatest at u = 1/3.
    assert!((value - (1.0 + 0.25 - 1.5 / 9.0 + 0.75 / 27.0)).abs() < 1e-14, "{value}");
}

#[test]
fn rotation_vectors_turn_frames() {
    let turned = |key: &str| {
        let loaded = with(SPRINGS, "rotvec = [0, \"-90 deg\", 0]", key).unwrap();
        loaded.scene.rods[0].base.unwrap().pose.rotation.matrix()
    };
    let by_vector = turned("rotvec = [0, \"-90 deg\", 0]");
    assert!((by_vector - turned("rotvec = \"[0, -90, 0] deg\"")).amax() < 1e-15);
    assert!((by_vector - turned("rotvec = [0, -1.5707963267948966, 0]")).amax() < 1e-15);
    // The shortest turn from x to z.
    assert!((by_vector - turned("tangent = [0, 0, 1]")).amax() < 1e-15);
    let rolled = turned("rotvec = [0, \"-90 deg\", 0], roll = \"90 deg\"");
    assert!((rolled - turned("tangent = [0, 0, 1], roll = \"90 deg\"")).amax() < 1e-15);
}

/// What is replaced, by what, the code that must answer, and what its place must contain.
const FAULTS: &[(&str, &str, &str, &str)] = &[
    ("stiffness = \"0.2 N/mm\"", "stiffness = \"-2 N/m\"", "E0304", "-2 N/m"),
    ("stiffness = \"0.2 N/mm\"", "stiffness = nan", "E0302", "nan"),
    ("stiffness = \"0.2 N/mm\"", "stiffness = \"2 N\"", "E0306", "2 N"),
    ("stiffness = \"0.2 N/mm\"", "stiffnes = 2", "E0203", "stiffnes"),
    ("rest_length = \"50 mm\"", "rest_length = \"-50 mm\"", "E0304", "-50 mm"),
    (
        "stiffness = \"0.2 N/mm\"\nrest_length = \"50 mm\"\ndamping = \"2 N*s/m\"",
        "rest_length = 1",
        "E0208",
        "[spring.return]",
    ),
    ("stiffness = \"0.2 N/mm\"\nrest_length = \"50 mm\"", "rest_length = 1", "E0204", "[spring.return]"),
    ("b = \"engine\"", "b = \"engin\"", "E0212", "engin"),
    ("b = \"engine\"\n", "", "E0204", "[spring.mount]"),
    ("b = \"engine\"", "b = \"world\"", "E0432", "[spring.mount]"),
    (
        "b = { fixed_to = \"arm\", at = \"40 cm\" }",
        "b = { fixed_to = \"arm\", at = \"base\" }",
        "E0432",
        "[spring.return]",
    ),
    ("a = \"world\"\nb = \"cart\"", "a = \"slide\"\nb = \"cart\"", "E0432", "[spring.buffer]"),
    ("at = \"40 cm\"", "at = \"140 cm\"", "E0405", "140 cm"),
    ("damping = 3", "damping = 3\nbushing = { turn = 1 }", "E0207", "damping"),
    ("damping = 3", "bushing = 3", "E0301", "3"),
    ("damping = 3", "bushing = {}", "E0208", "bushing"),
    ("damping = 3", "bushing = { turn = -1 }", "E0304", "turn"),
    ("damping = 3", "bushing = { turn = [1, 2] }", "E0310", "turn"),
    ("damping = 3", "bushing = { turn = \"1 N\" }", "E0306", "1 N"),
    ("damping = 3", "bushing = { turn = 1, stiffness_matrix = [] }", "E0207", "turn"),
    ("damping = 3", "bushing = { stiffness_matrix = [1, 2] }", "E0310", "stiffness_matrix"),
    ("damping = 3", "bushing = { damping_matrix = 2 }", "E0301", "damping_matrix"),
    ("[1, 0, 0, 0, 0, \"2 N/m\"]", "[2, 0, 0, 0, 0, \"2 N/m\"]", "E0431", "stiffness_matrix"),
    ("[1, 0, 0, 0, 0, \"2 N/m\"]", "[1, 0, 0, 0, 0, \"0.4 N/m\"]", "E0431", "stiffness_matrix"),
    ("[1, 0, 0, 0, 0, \"2 N/m\"]", "[1, 0, 0, 0, 0, \"2 N\"]", "E0306", "2 N"),
    ("[spring.buffer]", "[spring.cart]", "E0213", "[spring.cart]"),
    ("like = \"return\"", "like = \"retrun\"", "E0205", "retrun"),
    ("restitution = 0.5", "restitution = 1.5", "E0305", "1.5"),
    ("restitution = 0.5", "restitution = -0.5", "E0304", "-0.5"),
    ("limits = [\"-1 m\", \"1 m\"]\n", "", "E0204", "[joint.slide]"),
    ("rate = \"0.2 m/s\"", "rate = \"0.2 rad/s\"", "E0306", "0.2 rad/s"),
    ("rate = \"0.2 m/s\"", "rate = [0.1, 0.2]", "E0310", "rate"),
    ("start = \"10 mm\"\nrate", "travel = 0\nrate", "E0207", "rate"),
    ("velocity = [\"1 m/s\", 0, 2]", "velocity = [\"1 m\", 0, 2]", "E0306", "1 m"),
    ("velocity = [\"1 m/s\", 0, 2]", "velocity = [0, inf, 0]", "E0302", "inf"),
    ("mount = \"slide\"", "mount = \"slide\"\nspin = [0, 0, 1]", "E0207", "spin"),
    ("spin = [0, \"1 rad/s\", 0]", "spin = [0, \"1 m/s\", 0]", "E0306", "1 m/s"),
    ("ramp = [0, 1], start = \"0.5 s\", over = \"1 s\", smooth = true", "ramp = [0, 1], smooth = 1", "E0301", "1"),
    (
        "ramp = [0, 1], start = \"0.5 s\", over = \"1 s\", smooth = true",
        "sine = { amplitude = 1, frequency = 1 }, smooth = true",
        "E0207",
        "smooth",
    ),
    ("rotvec = [0, \"-90 deg\", 0]", "rotvec = [0, \"-90 mm\", 0]", "E0306", "-90 mm"),
    ("rotvec = [0, \"-90 deg\", 0]", "rotvec = [0, 1]", "E0310", "rotvec"),
    ("rotvec = [0, \"-90 deg\", 0]", "rotvec = [0, 1, 0], tangent = [1, 0, 0]", "E0207", "rotvec"),
    ("rotvec = [0, \"-90 deg\", 0]", "rotvec = [0, 1, 0], quat_wxyz = [1, 0, 0, 0]", "E0207", "rotvec"),
];

#[test]
fn single_faults_are_refused_at_their_place() {
    for (old, new, code, place) in FAULTS {
        let found = with(SPRINGS, old, new).map(|_| ()).unwrap_err();
        let told: String = found.iter().map(ToString::to_string).collect();
        let context = format!("{old} -> {new}\n{told}");
        assert_eq!(found[0].fault.code(), *code, "{context}");
        assert!(found[0].place.as_ref().is_some_and(|at| at.excerpt.contains(place)), "{context}");
        assert!(!found[0].fault.text().help.is_empty(), "{context}");
    }
}

/// Two turned clamps that point the same way, and a rod between them.
const CLAMPED: &str = r#"
schema = 1
[material.steel]
young = "200 GPa"
poisson = 0.3
[joint.motor]
kind = "revolute"
parent = { position = [0, 0, 0] }
angle = 0
[rod.leg]
material = "steel"
length = "20 cm"
section = { shape = "circle", radius = "1 mm" }
base = { fixed_to = "motor", tangent = [0, 0, 1] }
tip = { position = [0, 0, "20 cm"], tangent = [0, 0, 1] }
"#;

fn twists(text: &str) -> Vec<(f64, f64)> {
    let warnings = load(text, &[]).warnings;
    let told = warnings.iter().filter_map(|warning| match warning.fault {
        crate::Fault::TwistedRod { twist, roll, .. } => Some((twist.to_degrees(), roll.to_degrees())),
        _ => None,
    });
    told.collect()
}

#[test]
fn a_rod_that_is_twisted_by_its_frames_is_warned_of() {
    assert_eq!(twists(CLAMPED), []);
    let turned = |angle: &str| CLAMPED.replace("angle = 0", &format!("angle = \"{angle} deg\""));
    assert_eq!(twists(&turned("80")), [], "a little");
    let [(twist, roll)] = twists(&turned("120"))[..] else { panic!("one rod is twisted") };
    assert!((twist + 120.0).abs() < 1e-12 && (roll - 120.0).abs() < 1e-12, "{twist} {roll}");
    // What the warning proposes helps, and is not warned of again; nor is what is meant.
    let tip = "tangent = [0, 0, 1] }\n";
    for (roll, twisted) in [("\"120 deg\"", 0.0), ("0", -120.0)] {
        let mended = turned("120").replacen(
            "\"20 cm\"], tangent = [0, 0, 1] }",
            &format!("\"20 cm\"], roll = {roll}, {tip}"),
            1,
        );
        let scene = load(&mended, &[]);
        assert_eq!(scene.warnings, []);
        let start = crate::placing::Placing::at_start(&scene.scene);
        let rod = &scene.scene.rods[0];
        let [base, tip] = [rod.base, rod.tip].map(|frame| start.frame(&frame.unwrap()).unwrap().rotation);
        let turn = (base.inverse() * tip).log().map(f64::to_degrees);
        assert!((turn - Vector3::x() * twisted).norm() < 1e-9, "{turn}");
    }
    // The place is the tip's frame.
    let warning = &load(&turned("120"), &[]).warnings[0];
    assert_eq!(warning.path.as_deref(), Some("rod.leg.tip"));
    assert!(warning.place.as_ref().unwrap().excerpt.starts_with("tip = "));
}

#[test]
fn a_rod_that_is_twisted_by_nature_is_not_twisted_by_its_frames() {
    let helical = CLAMPED.replace("length = ", "shape = { curvature = [\"-600 deg/m\", 0, 0] }\nlength = ");
    assert_eq!(twists(&helical.replace("angle = 0", "angle = \"120 deg\"")), []);
    assert_eq!(twists(&helical).len(), 1, "now by its nature, which the frames do not follow");
}
