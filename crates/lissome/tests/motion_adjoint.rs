//! Derivatives of motions carried back along them, against those carried along.
#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome::derivatives::{Mode, of_motion_by};
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

fn compare(name: &str, file: &LoadedScene, of: &[&str], wrt: &[&str], times: &[f64]) -> f64 {
    let by = |mode| {
        of_motion_by(mode, file, of, wrt, Some(times), &mut Unobserved)
            .unwrap_or_else(|all| panic!("{name}: {}", all.iter().map(ToString::to_string).collect::<String>()))
            .1
    };
    let (forward, back) = (by(Mode::Forward), by(Mode::Adjoint));
    let mut worst = 0.0f64;
    for (a, b) in forward.jacobians.iter().zip(&back.jacobians) {
        for column in 0..a.ncols() {
            let size = a.column(column).amax();
            let apart = (a.column(column) - b.column(column)).amax();
            if std::env::var("ALL").is_ok() { println!("{name} {}: {:.3e} of {:.3e}: {:.1e}", forward.wrt[column], apart, size, apart / size); }
            worst = worst.max(if apart == 0.0 { 0.0 } else { apart / size });
        }
    }
    worst
}

#[test]
fn probe() {
    let wrt = vec!["material.silicone.young", "material.silicone.density", "load.pull.force"];
    for model in ["{ spline = { degree = 3, spans = 5 } }", "{linear_strain={elements=6}}", "{strain_basis={segments=2,order=3}}"] {
        for scheme in ["job.scheme=euler", "job.scheme=robust"] {
            let model = format!("rod.arm.model={model}");
            let swing = load(SWING, &[scheme, &model, "job.duration=0.3 s", "material.silicone.damping=5 ms"]);
            for times in [vec![0.01], vec![0.3]] {
                for of in ["arm.tip.position", "arm.tip.velocity"] {
                    let worst = compare("swing", &swing, &[of], &wrt, &times);
                    println!("{scheme} {model} {of} {times:?}: {worst:.1e}");
                }
            }
        }
    }
    let tries: Vec<(&str, LoadedScene, Vec<&str>, Vec<&str>, Vec<f64>)> = vec![
        ("pendulum", load(PENDULUM, &[]), vec!["bob.position", "bob.velocity"], vec!["body.bob.mass", "joint.hinge.damping", "joint.hinge.rate"], vec![0.01, 0.2]),
        ("cable", load(CABLE, &[]), vec!["arm.tip.position", "arm.tip.velocity"], vec!["material.rubber.young", "body.plate.mass", "drive.flexor.tension.ramp"], vec![0.01, 0.2]),
        ("bridge", load(BRIDGE, &["world.loops=constraints"]), vec!["bridge.at(0.3).position"], vec!["material.rubber.young", "rod.bridge.section.radius"], vec![0.01, 0.2]),
    ];
    for (name, file, of, wrt, times) in &tries {
        println!("{name}: {:.1e}", compare(name, file, of, wrt, times));
    }
}
