//! Derivatives of motions by numbers of scene files, against differences of whole motions.
#![allow(clippy::unwrap_used)]

use lissome::derivatives::of_motion;
use lissome::io::LoadedScene;
use lissome::io::scene::{SceneNumber, parse};
use lissome::{Answer, Unobserved};

/// Tips after this time, s.
const AFTER: f64 = 1.0;
/// Relative change of a number between the motions that are differenced.
const CHANGE: f64 = 3e-4;
/// What the issue asks for.
const BAR: f64 = 1e-5;

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

/// Outputs at the end of a motion.
fn outputs(file: &LoadedScene, of: &[&str]) -> Vec<f64> {
    let (_, found) = of_motion(file, of, &[], Some(&[AFTER]), &mut Unobserved).unwrap();
    found.values[0].clone()
}

/// Differences of whole motions, of the fourth order.
fn differences(file: &LoadedScene, number: &SceneNumber, of: &[&str], h: f64) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    for (place, weight) in [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)] {
        let mut other = file.clone();
        other.scene = file.with_number(number, number.value + place * h).unwrap();
        let found = outputs(&other, of);
        sum.resize(found.len(), 0.0);
        sum.iter_mut().zip(&found).for_each(|(sum, value)| *sum += weight * value / h);
    }
    sum
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

/// Every output by every number: derivative and differences agree to 1e-5 of the vector that the derivative belongs to, and what
/// differences over twice the distance differ by.
fn check(name: &str, text: &str, overrides: &[&str], of: &[&str], wrt: &[&str]) {
    let file = load(text, overrides);
    let (answer, found) =
        of_motion(&file, of, wrt, Some(&[AFTER]), &mut Unobserved).unwrap_or_else(|all| panic!("{name}: {}", all[0]));
    assert!(Answer::Dynamics(answer).succeeded(), "{name}");
    assert_eq!(found.times, [AFTER]);
    let numbers: Vec<SceneNumber> = wrt.iter().flat_map(|path| file.numbers(path).unwrap()).collect();
    assert_eq!(numbers.iter().map(|number| number.path.clone()).collect::<Vec<_>>(), found.wrt);
    let (mut worst, mut sharp, mut pairs) = (0.0f64, 0, 0);
    for (column, number) in numbers.iter().enumerate() {
        let size = match number.value == 0.0 || number.is_component {
            true => number.beside.max(0.1),
            false => number.value.abs(),
        };
        let fine = differences(&file, number, of, CHANGE * size);
        let coarse = differences(&file, number, of, 2.0 * CHANGE * size);
        let got: Vec<f64> = found.jacobians[0].column(column).iter().copied().collect();
        let (beside, apart) = (of_vectors(&found.of, &got), {
            let apart: Vec<f64> = fine.iter().zip(&coarse).map(|(fine, coarse)| (fine - coarse).abs()).collect();
            of_vectors(&found.of, &apart)
        });
        for row in 0..got.len() {
            let error = (got[row] - fine[row]).abs();
            pairs += 1;
            if apart[row] < 0.5 * BAR * beside[row] {
                sharp += 1;
                worst = worst.max(error / beside[row]);
            }
            assert!(
                error <= BAR * beside[row] + 2.0 * apart[row] + 1e-12 / (CHANGE * size),
                "{name}: {} by {}: {:e}, differences {:e} and {:e}",
                found.of[row],
                number.path,
                got[row],
                fine[row],
                coarse[row]
            );
        }
    }
    println!("{name}: {pairs} pairs, {sharp} told by differences to 1e-5, there off by {worst:.1e}");
    assert!(sharp > pairs / 2, "{name}: differences tell {sharp} of {pairs} pairs");
}

const SWUNG: [&str; 6] = [
    "load.pull.force.z",
    "material.silicone.young",
    "material.silicone.density",
    "material.silicone.damping",
    "rod.arm.section.taper",
    "rod.arm.length",
];
const TIP: [&str; 4] = ["arm.tip.position", "arm.tip.velocity", "energy.kinetic", "arm.at(0.5).curvature"];

#[test]
fn a_rod_that_is_let_go() {
    check("swing", SWING, &["material.silicone.damping=10 ms"], &TIP, &SWUNG);
}

#[test]
fn the_same_on_every_rod_model_and_scheme() {
    let damped = "material.silicone.damping=10 ms";
    let few = &SWUNG[..3];
    for (name, model) in [
        ("linear strain", "rod.arm.model={linear_strain={elements=6}}"),
        ("strain basis", "rod.arm.model={strain_basis={segments=2,order=3}}"),
    ] {
        check(name, SWING, &[damped, model], &TIP[..2], few);
    }
    for scheme in ["job.scheme=symplectic", "job.scheme=euler"] {
        check(scheme, SWING, &[damped, scheme, "job.step=5 ms"], &TIP[..2], few);
    }
}

#[test]
fn a_plate_on_a_cable_whose_tension_rises_at_once() {
    let of = ["plate.position", "plate.angular_velocity", "flexor.length", "energy.elastic"];
    let wrt = [
        "material.rubber.young",
        "body.plate.mass",
        "rod.arm.length",
        "body.plate.frames.hole.position.z",
        "drive.flexor.tension.ramp",
        "world.gravity.z",
    ];
    check("cable", CABLE, &[], &of, &wrt);
}

#[test]
fn a_pendulum_that_begins_to_move() {
    let of = ["hinge.angle", "hinge.angle.rate", "bob.position"];
    let wrt = ["joint.hinge.start", "joint.hinge.rate", "joint.hinge.damping", "body.bob.mass", "world.gravity.z"];
    check("pendulum", PENDULUM, &[], &of, &wrt);
}

#[test]
fn a_rod_between_two_walls() {
    let of = ["bridge.at(0.3).position", "bridge.at(0.3).velocity"];
    let wrt = ["load.pull.force.y", "material.rubber.young", "rod.bridge.tip.position.z"];
    check("bridge", BRIDGE, &[], &of, &wrt[..3]);
    check("bridge by constraints", BRIDGE, &["world.loops=constraints"], &of, &wrt[1..2]);
}

/// What was asked for in the file comes with the answer of the file; what is not smooth is told.
#[test]
fn the_job_of_a_file_asks_for_derivatives() {
    let asked = r#"job.derivatives=[
        {of="arm.tip.position",wrt=["material.silicone.young","load.pull.force"]},
        {of="arm.tip.velocity.z",wrt=["load.pull.force.z"]},
    ]"#;
    let asked = asked.replace('\n', " ").replace(",     ]", "]");
    let short = ["job.duration=0.1 s", asked.as_str()];
    let file = load(SWING, &short);
    let Answer::Dynamics(motion) = lissome::run_file(&file, &mut Unobserved).unwrap() else { panic!("a motion") };
    let [position, velocity] = motion.record.derivatives.as_slice() else { panic!("two requests") };
    assert_eq!((position.of.len(), position.wrt.len(), position.at.len()), (3, 4, 11));
    assert_eq!(velocity.of, ["arm.tip.velocity.z"]);
    assert!(position.values.iter().all(|all| all.len() == 12));
    // At the beginning the tip is where the load holds it, and at rest.
    assert!(position.values[0][11] > 0.0 && velocity.values[0][0] == 0.0);

    let refused = |text: &str, overrides: &[&str], of: &str, wrt: &str| {
        let file = load(text, overrides);
        let told = of_motion(&file, &[of], &[wrt], None, &mut Unobserved);
        told.map(|_| ()).unwrap_err()[0].fault.code()
    };
    let (tip, young) = ("arm.tip.position", "material.silicone.young");
    assert_eq!(refused(SWING, &["job.scheme=explicit"], tip, young), "E0727");
    assert_eq!(refused(SWING, &[], "arm.base.force", young), "E0728");
    assert_eq!(refused(SWING, &[], "smallest_eigenvalue", young), "E0728");
    assert_eq!(refused(SWING, &[], tip, "job.duration"), "E0728");
    assert_eq!(refused(SWING, &[], "arm.tip.velocit", young), "E0721");
    assert_eq!(refused(SWING, &[], tip, "material.silicone.yung"), "E0722");
    let stopped = ["joint.hinge.limits=[\"-0.5 rad\", \"2 rad\"]"];
    assert_eq!(refused(PENDULUM, &stopped, "bob.position", "body.bob.mass"), "E0727");
}
