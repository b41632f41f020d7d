//! Derivatives of motions carried back along them, against those carried along.
#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome::derivatives::{Mode, of_motion_by, vjp_of_motion};
use lissome::io::LoadedScene;
use lissome::io::scene::parse;

const SWING: &str = include_str!("../../../examples/scenes/swing.toml");

/// A plate on a rod pulled by a cable whose tension rises, and stays from one moment on.
const CABLE: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "2 ms"
[rod.arm]
material = "rubber"
length = "40 cm"
section = { shape = "circle", radius = "12 mm" }
base = { fixed_to = "world", tangent = [0, 0, -1] }
model = { spline = { degree = 3, spans = 6 } }
[body.plate]
mass = "50 g"
shape = { cylinder = { radius = "30 mm", length = "4 mm" } }
frames = { hole = { position = [0, 0, "30 mm"] } }
mount = { fixed_to = "arm", at = "tip" }
[cable.flexor]
points = [{ position = ["-30 mm", 0, 0] }, "plate.hole"]
tension = "0 N"
[drive]
"flexor.tension" = { ramp = ["0.2 N", "1 N"], over = "0.1 s" }
[job]
kind = "dynamics"
duration = "1 s"
output_rate = "20 Hz"
step = "5 ms"
"#;

/// A pendulum on a hinge with a damper that begins to move.
const PENDULUM: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[joint.hinge]
kind = "revolute"
parent = "world"
axis = [0, 1, 0]
start = "1 rad"
rate = "2 rad/s"
damping = "1e-3 N*m*s/rad"
[body.bob]
mass = "0.2 kg"
shape = { box = ["20 mm", "20 mm", "0.2 m"] }
mount = { fixed_to = "hinge", position = [0, 0, "-0.1 m"] }
[job]
kind = "dynamics"
duration = "1 s"
output_rate = "20 Hz"
step = "5 ms"
start = "natural"
"#;

/// A rod between two walls, pulled aside and let go.
const BRIDGE: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young = "2 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "3 ms"
[rod.bridge]
material = "rubber"
length = "0.6 m"
section = { shape = "circle", radius = "10 mm" }
base = { fixed_to = "world", position = [0, "1 m", 0], tangent = [1, 0, 0] }
tip = { fixed_to = "world", position = ["0.6 m", "1 m", "0.05 m"], tangent = [1, 0, 0] }
model = { spline = { degree = 3, spans = 6 } }
[load.pull]
rod = "bridge"
at = "0.2 m"
force = [0, "1 N", 0]
[job]
kind = "dynamics"
duration = "1 s"
output_rate = "20 Hz"
step = "5 ms"
release = ["pull"]
"#;

fn load(text: &str, overrides: &[&str]) -> LoadedScene {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    parse("scene.toml", text.to_owned(), &overrides)
        .unwrap_or_else(|all| panic!("{}", all.iter().map(ToString::to_string).collect::<String>()))
}

/// Both ways tell the same: what forward differences leave is 1e-9 of a step, over up to 40 of them, and what rounding leaves of numbers that
/// hardly act is larger (`bar`).
fn compare(name: &str, file: &LoadedScene, of: &[&str], wrt: &[&str], times: &[f64], bar: f64) {
    let by = |mode| {
        of_motion_by(mode, file, of, wrt, Some(times), &mut Unobserved)
            .unwrap_or_else(|all| panic!("{name}: {}", all.iter().map(ToString::to_string).collect::<String>()))
            .1
    };
    let (forward, back) = (by(Mode::Forward), by(Mode::Adjoint));
    assert!(back.adjoint && !forward.adjoint);
    assert_eq!(forward.times, back.times, "{name}");
    for (a, b) in forward.values.iter().flatten().zip(back.values.iter().flatten()) {
        // Corners of drives are met to a billionth of the time.
        assert!((a - b).abs() <= 1e-8 * (1.0 + a.abs()), "{name}: {a} and {b}");
    }
    let mut worst = 0.0f64;
    for (a, b) in forward.jacobians.iter().zip(&back.jacobians) {
        for column in 0..a.ncols() {
            // At its largest: what a number has hardly begun to do is lost in rounding.
            let size = forward.jacobians.iter().map(|all| all.column(column).amax()).fold(0.0, f64::max);
            let apart = (a.column(column) - b.column(column)).amax();
            // A number that does not act yet.
            if apart > 1e-20 {
                worst = worst.max(apart / size);
                assert!(apart <= bar * size, "{name}: by {}: {apart:e} of {size:e}", forward.wrt[column]);
            }
        }
    }
    println!("{name}: {worst:.1e}");
}

/// Of motions without noise.
const BAR: f64 = 1e-7;

/// A steel arm on a spring and a rubber mount, both with dampers, and a weight that is let go.
const SPRUNG: &str = include_str!("../../../examples/scenes/sprung-arm.toml");
const SIX_RODS: &str = include_str!("../../../examples/scenes/six-rod-robot.toml");
const TENDONS: &str = include_str!("../../../examples/scenes/tendon-arm.toml");

/// A double pendulum: a ball joint with a spring and a damper, and a hinge that is driven by a table, with a rod behind it.
const BALL: &str = r#"
schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "2 ms"
[joint.ball]
kind = "spherical"
parent = "world"
stiffness = "0.1 N*m/rad"
damping = "1e-3 N*m*s/rad"
start = ["0.2 rad", "0.4 rad", "-0.3 rad"]
rate = ["1 rad/s", "-2 rad/s", "3 rad/s"]
[body.bob]
mass = "0.2 kg"
shape = { box = ["20 mm", "30 mm", "0.2 m"] }
mount = { fixed_to = "ball", position = [0, 0, "-0.1 m"] }
[joint.motor]
kind = "revolute"
axis = [0, 1, 0]
parent = { fixed_to = "bob", position = [0, 0, "-0.1 m"] }
[rod.arm]
material = "rubber"
length = "20 cm"
section = { shape = "circle", radius = "10 mm" }
base = { fixed_to = "motor", tangent = [0, 0, -1] }
model = { spline = { degree = 3, spans = 4 } }
[load.wind]
rod = "arm"
force_per_length = [0, "0.3 N/m", 0]
[load.jet]
rod = "arm"
at = "tip"
frame = "body"
force = [0, 0, "0.05 N"]
[drive]
"motor.angle" = { table = [["0 s", 0], ["0.05 s", 0.3], ["0.12 s", -0.2], ["1 s", 0.5]] }
[job]
kind = "dynamics"
duration = "0.2 s"
output_rate = "20 Hz"
step = "5 ms"
start = "natural"
"#;

#[test]
fn every_rod_model_and_scheme() {
    let wrt = ["material.silicone.young", "material.silicone.density", "load.pull.force.z", "load.pull.force.x"];
    let models = ["{spline={degree=3,spans=5}}", "{linear_strain={elements=6}}", "{strain_basis={segments=2,order=3}}"];
    for model in models {
        for scheme in ["job.scheme=euler", "job.scheme=robust"] {
            let model = format!("rod.arm.model={model}");
            let file = load(SWING, &[scheme, &model, "job.duration=0.3 s", "material.silicone.damping=5 ms"]);
            compare(&model, &file, &["arm.tip.position", "arm.tip.velocity"], &wrt, &[0.01, 0.3], BAR);
        }
    }
}

#[test]
fn bodies_joints_and_drives_with_corners() {
    let hinge = ["joint.hinge.rate", "joint.hinge.damping", "joint.hinge.start"];
    compare("pendulum", &load(PENDULUM, &[]), &["bob.position", "hinge.angle.rate"], &hinge, &[0.01, 0.2], BAR);
    // A rod on joints that move by themselves is carried along.
    let told = of_motion_by(Mode::Adjoint, &load(BALL, &[]), &[], &[], Some(&[0.02]), &mut Unobserved);
    assert_eq!(told.map(|_| ()).unwrap_err()[0].fault.code(), "E0727");
    let basis = load(BALL, &["rod.arm.model={strain_basis={segments=1,order=2}}"]);
    let wrt = ["joint.ball.rate", "joint.ball.damping", "drive.motor.angle.table.1.1", "load.jet.force.z"];
    compare("ball", &basis, &["arm.tip.position", "ball.rx.rate"], &wrt, &[0.2], 1e-6);
}

#[test]
fn cables_springs_tendons_and_loops() {
    let moves = ["job.kind=dynamics", "job.duration=0.2 s", "job.output_rate=20 Hz", "job.step=5 ms"];
    let with = |more: &[&'static str]| -> Vec<&'static str> { moves.iter().chain(more).copied().collect() };
    let wrt = ["material.rubber.young", "body.plate.mass", "drive.flexor.tension.ramp"];
    compare("cable", &load(CABLE, &[]), &["arm.tip.position"], &wrt, &[0.2], BAR);
    // Steel resists so much that rounding tells in forward differences: whole motions agree with what is carried back to 1e-8.
    let sprung = load(SPRUNG, &with(&["job.start=natural"]));
    let wrt = ["material.steel.young", "spring.lift.stiffness", "spring.lift.damping"];
    compare("sprung", &sprung, &["weight.position"], &wrt, &[0.2], BAR);
    let table = "drive.\"lower.1.tension\"={table=[[0,6],[0.05,7],[0.1,3],[0.2,5]]}";
    let tendons = load(TENDONS, &with(&["job.start=equilibrium", table]));
    let wrt = ["material.nitinol.young", "drive.lower.1.tension.table.0.1", "drive.lower.1.tension.table.2.1"];
    compare("tendons", &tendons, &["backbone.tip.position"], &wrt, &[0.01, 0.2], BAR);
    let motors = [
        "world.loops=constraints",
        "material.fibre.density=1500 kg/m^3",
        "body.platform.mass=50 g",
        "job.start=equilibrium",
        "drive.motor_1.angle={ramp=[0,-0.2],over=\"0.1 s\"}",
        "drive.motor_2.angle=0",
        "drive.motor_3.angle=0",
    ];
    let wrt = ["material.fibre.young", "rod.leg_1.length", "load.rope.size"];
    compare("six rods", &load(SIX_RODS, &with(&motors)), &["platform.position"], &wrt, &[0.2], BAR);
    let bridge = load(BRIDGE, &["world.loops=constraints"]);
    compare("bridge", &bridge, &["bridge.at(0.3).position"], &["material.rubber.young"], &[0.1], BAR);
    // What cannot be carried back is refused if that is asked for, and carried along otherwise.
    for other in [load(BRIDGE, &[]), load(SWING, &["job.scheme=symplectic"])] {
        let told = of_motion_by(Mode::Adjoint, &other, &[], &[], Some(&[0.02]), &mut Unobserved);
        assert_eq!(told.map(|_| ()).unwrap_err()[0].fault.code(), "E0727");
    }
}

/// Many numbers and one output: a table of a tension, of whose values two act in each step.
#[test]
fn a_sum_by_many_numbers_is_carried_back() {
    let count = 41;
    let table: Vec<String> = (0..count)
        .map(|k| format!("[{:.4},{:.4}]", 0.2 * k as f64 / (count - 1) as f64, 0.5 + 0.2 * (0.3 * k as f64).sin()))
        .collect();
    let table = format!("drive.\"flexor.tension\"={{table=[{}]}}", table.join(","));
    let file = load(CABLE, &["job.duration=0.2 s", "job.output_rate=5 Hz", "job.step=5 ms", &table]);
    let paths: Vec<String> = (0..count).map(|k| format!("drive.flexor.tension.table.{k}.1")).collect();
    let wrt: Vec<&str> = paths.iter().map(String::as_str).collect();
    let goal = [0.1, 0.0, -0.3];
    let weights = |_: usize, tip: &[f64]| tip.iter().zip(goal).map(|(tip, goal)| tip - goal).collect();
    let of = ["arm.tip.position"];
    let begun = std::time::Instant::now();
    let (_, found) = vjp_of_motion(&file, &of, &wrt, &[0.2], &weights, &mut Unobserved).unwrap();
    let back = begun.elapsed();
    assert!(found.adjoint && found.gradient.len() == count);
    let begun = std::time::Instant::now();
    let (_, forward) = of_motion_by(Mode::Forward, &file, &of, &wrt, Some(&[0.2]), &mut Unobserved).unwrap();
    println!("{count} numbers: back in {back:.2?}, along in {:.2?}", begun.elapsed());
    let own: Vec<f64> = weights(0, &forward.values[0]);
    let largest = found.gradient.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    for (column, found) in found.gradient.iter().enumerate() {
        let sum: f64 = own.iter().enumerate().map(|(row, w)| w * forward.jacobians[0][(row, column)]).sum();
        assert!((sum - found).abs() <= BAR * largest, "{}: {sum:e} and {found:e}", wrt[column]);
    }
}
