//! Single faults by the hundred: every quantity of a scene, one at a time, made too large, too small, negative, nothing,
//! infinite, of the wrong dimension and of the wrong type. Each is refused at the door with the code of its class, and
//! what is nonsense but computable is survived: whatever succeeds has only finite numbers.

#![allow(clippy::unwrap_used)]

use lissome::io::{Ending, LoadedScene, Summary, report, scene};
use lissome::{Answer, Progress, SimulateError};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// One of everything that has a number.
const ROBOT: &str = r#"schema = 1
[world]
gravity = [0, 0, -9.81]
[material.rubber]
young = "1 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "1 ms"
[joint.motor]
kind = "revolute"
parent = { position = [0, 0, 0] }
angle = "0 deg"
[joint.slide]
kind = "prismatic"
parent = { position = [0, "1 m", 0] }
start = "1 cm"
stiffness = "10 N/m"
rest = "0 m"
damping = "0.1 N*s/m"
limits = ["-1 m", "1 m"]
rate = "0.1 m/s"
[rod.arm]
material = "rubber"
length = "240 mm"
section = { shape = "circle", radius = "5 mm" }
base = "motor"
model = { spline = { degree = 3, spans = 8 } }
[rod.strip]
length = "100 mm"
section = { stiffness = ["1e-4 N*m^2", 1e-4, 1e-4, "100 N", 100, 100], mass_per_length = "5 g/m", rotary_inertia = ["2e-9 kg*m", 1e-9, 1e-9], radius = "1 mm" }
base = { position = [0, 0, "1 m"] }
shape = { curvature = [0, "1 1/m", 0] }
model = { spline = { degree = 3, spans = 8 } }
[body.plate]
mass = "5 g"
inertia = ["1e-6 kg*m^2", "1e-6 kg*m^2", "1e-6 kg*m^2"]
centre = [0, 0, "1 mm"]
mount = { fixed_to = "arm", at = "tip" }
[body.cart]
mass = "50 g"
inertia = ["1e-5 kg*m^2", "1e-5 kg*m^2", "1e-5 kg*m^2"]
mount = "slide"
[body.ball]
mass = "10 g"
shape = { sphere = { radius = "1 cm" } }
inertia = ["1e-6 kg*m^2", "1e-6 kg*m^2", "1e-6 kg*m^2"]
start = { position = [0, 0, "2 m"] }
velocity = [0, 0, "0.1 m/s"]
spin = [0, "1 rad/s", 0]
[cable.flexor]
points = [{ position = [0, 0, "8 mm"] }, { fixed_to = "plate", position = [0, 0, "8 mm"] }]
tension = "1 N"
[cable.rope]
points = [{ position = [0, "2 m", "8 mm"] }, "cart"]
length = "1.5 m"
stiffness = "100 N"
[spring.return]
a = { position = [0, "1 m", 0] }
b = { fixed_to = "arm", at = "100 mm" }
rest_length = "50 mm"
stiffness = "2 N/m"
damping = "0.1 N*s/m"
[spring.mount]
a = { position = [0, 0, "2 m"] }
b = "ball"
bushing = { turn = "2e-3 N*m/rad", shift = "10 N/m" }
[obstacle.floor]
plane = { normal = [0, 0, 1], point = [0, 0, "-5 m"] }
[obstacle.stone]
sphere = { radius = "3 cm" }
position = ["5 m", 0, 0]
[contact]
friction = 0.2
[load.tip]
rod = "arm"
at = "tip"
force = [0, "0.01 N", 0]
[load.wind]
rod = "arm"
from = "base"
to = "tip"
force_per_length = [0, "0.01 N/m", 0]
[load.wheel]
on = "cart"
moment = [0, 0, "1e-4 N*m"]
[drive]
"motor.angle" = { ramp = ["0 rad", "0.2 rad"], start = "0 s", over = "20 ms" }
"tip.scale" = { sine = { mean = 1.0, amplitude = 0.5, frequency = "10 Hz" } }
[job]
kind = "dynamics"
duration = "30 ms"
output_rate = "100 Hz"
tolerance = 1e-2
"#;

/// What a key takes.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// Above zero.
    Positive,
    /// Zero or more.
    NotNegative,
    /// Any sign.
    Any,
}
use Takes::{Any, NotNegative, Positive};

/// An override with `{}` for the number, which numbers it takes, the first that is too large, the first that is too small (0
/// if there is none), and a unit that does not fit.
type Row = (&'static str, Takes, f64, f64, &'static str);

const QUANTITIES: &[Row] = &[
    ("world.gravity=[0, 0, {}]", Any, 2e12, 1e-21, "m"),
    ("material.rubber.young={}", Positive, 2e18, 1e-7, "N"),
    ("material.rubber.density={}", Positive, 2e12, 1e-10, "kg"),
    ("material.rubber.damping={}", NotNegative, 2e12, 1e-16, "m"),
    ("joint.motor.parent.position=[{}, 0, 0]", Any, 2e7, 0.0, "N"),
    ("joint.slide.start={}", Any, 2e7, 0.0, "rad"),
    ("joint.slide.stiffness={}", NotNegative, 2e35, 1e-36, "N*m"),
    ("joint.slide.rest={}", Any, 2e7, 0.0, "kg"),
    ("joint.slide.damping={}", NotNegative, 2e35, 1e-41, "N"),
    ("joint.slide.rate={}", Any, 3e8, 0.0, "m"),
    ("rod.arm.length={}", Positive, 2e6, 1e-13, "kg"),
    ("rod.arm.section.radius={}", Positive, 2e6, 1e-13, "mm^2"),
    ("rod.strip.length={}", Positive, 2e6, 1e-13, "s"),
    ("rod.strip.section.stiffness.1={}", Positive, 2e42, 1e-49, "N"),
    ("rod.strip.section.stiffness.0={}", Positive, 2e42, 1e-49, "N"),
    ("rod.strip.section.stiffness.3={}", Positive, 2e30, 1e-36, "N*m"),
    ("rod.strip.section.stiffness.4={}", Positive, 2e30, 1e-36, "N*m"),
    ("rod.strip.section.mass_per_length={}", NotNegative, 2e25, 1e-31, "kg"),
    ("rod.strip.section.rotary_inertia=[{0}, {0}, {0}]", Positive, 2e35, 1e-56, "kg"),
    ("rod.strip.shape.curvature=[0, {}, 0]", Any, 2e12, 0.0, "m"),
    ("rod.strip.base.position=[0, {}, 0]", Any, 2e7, 0.0, "Pa"),
    ("body.plate.mass={}", NotNegative, 2e25, 1e-31, "N"),
    ("body.plate.inertia=[{0}, {0}, {0}]", Any, 2e40, 1e-51, "kg"),
    ("body.plate.centre=[{}, 0, 0]", Any, 2e7, 0.0, "kg"),
    ("body.ball.start.position=[{}, 0, 0]", Any, 2e7, 0.0, "kg"),
    ("body.ball.velocity=[0, {}, 0]", Any, 3e8, 0.0, "m"),
    ("body.ball.spin=[0, {}, 0]", Any, 2e15, 0.0, "m"),
    ("body.ball.shape.sphere.radius={}", Positive, 2e6, 1e-13, "N"),
    ("cable.flexor.tension={}", NotNegative, 2e30, 1e-36, "m"),
    ("cable.rope.length={}", Positive, 2e6, 1e-13, "N"),
    ("cable.rope.stiffness={}", Positive, 2e30, 1e-36, "N/m"),
    ("spring.return.rest_length={}", NotNegative, 2e7, 1e-13, "N"),
    ("spring.return.stiffness={}", NotNegative, 2e35, 1e-36, "N"),
    ("spring.return.damping={}", NotNegative, 2e35, 1e-41, "N"),
    ("spring.mount.bushing.shift={}", NotNegative, 2e35, 1e-36, "N"),
    ("obstacle.stone.sphere.radius={}", Positive, 2e6, 1e-13, "N"),
    ("obstacle.stone.position=[{}, 0, 0]", Any, 2e7, 0.0, "N"),
    ("load.tip.force=[0, {}, 0]", Any, 2e30, 1e-36, "m"),
    ("load.wind.force_per_length=[0, {}, 0]", Any, 2e35, 1e-36, "N"),
    ("load.wheel.moment=[0, 0, {}]", Any, 2e36, 1e-46, "m"),
    ("job.duration={}", Positive, 2e12, 1e-16, "m"),
    ("job.output_rate={}", Positive, 2e15, 1e-13, "m"),
];

/// Faults that no table makes: the override, and the code.
const OTHERS: &[(&str, &str)] = &[
    ("job.tolerance=1e300", "E0314"),
    ("job.tolerance=1e-300", "E0314"),
    ("job.tolerance=2", "E0314"),
    ("contact.friction=1e13", "E0314"),
    ("joint.motor.angle=1e300", "E0314"),
    ("joint.motor.angle=2e9", "E0314"),
    ("drive.\"motor.angle\"={ ramp = [0, 1e300], over = \"1 s\" }", "E0314"),
    ("drive.\"motor.angle\"={ ramp = [0, 1], over = 1e300 }", "E0314"),
    ("drive.\"motor.angle\"={ ramp = [0, 1], over = 1e-300 }", "E0314"),
    ("drive.\"tip.scale\"={ ramp = [0, 1e300], over = 1 }", "E0314"),
    ("drive.\"tip.scale\"={ sine = { mean = 1, amplitude = 1, frequency = 1e200 } }", "E0314"),
    // Derived: each number alone is fine, what follows from them is not.
    ("rod.arm.section.radius=1e-11", "E0314"),
    ("rod.arm.section={ shape = \"circle\", radius = \"10 km\" }", "E0314"),
    ("rod.strip.section.stiffness.1=1e-30", "E0314"),
    ("rod.strip.section.stiffness.3=1e29", "E0314"),
];

/// Numbers that the door takes, and whose answer must be sound or a typed refusal to answer.
const SURVIVED: &[&str] = &[
    "load.tip.force=[0, 1e29, 0]",
    "load.tip.force=[0, 1e12, 0]",
    "load.tip.force=[1e12, 0, 0]",
    "load.tip.force=[0, 1e-34, 0]",
    "load.tip.force=[0, 5e-324, 1]",
    "load.tip.force=[5e-324, 1e-17, 0.01]",
    "world.gravity=[0, 0, 1e11]",
    "world.gravity=[0, 0, 1e-19]",
    "material.rubber.young=1e-5",
    "material.rubber.young=1e17",
    "material.rubber.density=1e-8",
    "material.rubber.density=1e11",
    "rod.strip.length=1e-8",
    "rod.strip.length=1e5",
    "rod.arm.section.radius=1e-7",
    "rod.arm.section.radius=100",
    "body.plate.mass=1e24",
    "body.plate.mass=1e-29",
    "body.ball.velocity=[0, 0, 2e8]",
    "body.ball.spin=[0, 1e14, 0]",
    "cable.flexor.tension=1e29",
    "cable.flexor.tension=1e-34",
    "spring.return.stiffness=1e34",
    "spring.return.stiffness=1e-34",
    "joint.motor.parent.position=[1e7, 0, 0]",
    "obstacle.floor.plane.point=[0, 0, -1e7]",
];

fn read(change: &str) -> Result<LoadedScene, Vec<String>> {
    let codes = |all: Vec<lissome::io::Diagnostic>| {
        // Messages are for people: short, and without floating-point dust.
        for diagnostic in &all {
            let text = diagnostic.to_string();
            assert!(text.len() <= 2000, "{change}: {} bytes", text.len());
            assert!(text.contains("help:"), "{change}: no remedy in\n{text}");
        }
        all.iter().filter(|d| d.fault.code().starts_with('E')).map(|d| d.fault.code().to_owned()).collect()
    };
    let loaded = scene::parse("robot.toml", ROBOT.to_owned(), &[change.to_owned()]).map_err(codes)?;
    match lissome::check(&loaded.scene) {
        Ok(()) => Ok(loaded),
        Err(SimulateError::Invalid(invalid)) => Err(codes(vec![loaded.diagnose(&invalid)])),
    }
}

/// What is wrong with the answer to a fault, if anything is.
fn wrong(change: &str, code: &str) -> Option<String> {
    match read(change) {
        Ok(_) => Some(format!("{change} was accepted, {code} expected")),
        Err(codes) if codes.iter().any(|found| found == code) => None,
        Err(codes) => Some(format!("{change}: {codes:?}, {code} expected")),
    }
}

#[test]
fn the_robot_itself_is_fine() {
    assert_eq!(read("title=\"fine\"").map(|_| ()), Ok(()));
}

#[test]
fn single_faults_are_refused_with_the_code_of_their_class() {
    let (mut count, mut failures) = (0, Vec::new());
    for (path, takes, large, small, unit) in QUANTITIES {
        let with = |number: &str| path.replace("{0}", number).replace("{}", number);
        let text = |number: f64| with(&format!("{number:e}"));
        let mut is = |change: String, code: &str| {
            count += 1;
            failures.extend(wrong(&change, code));
        };
        for number in [*large, 1e100, 1e300] {
            is(text(number), "E0314");
        }
        if *small > 0.0 {
            for number in [*small, 1e-200, 5e-324] {
                is(text(number), "E0314");
            }
        }
        match takes {
            Positive => {
                is(with("0"), "E0303");
                is(with("-1.5"), "E0303");
            }
            NotNegative => is(with("-1.5"), "E0304"),
            Any => {}
        }
        is(with("nan"), "E0302");
        is(with("-inf"), "E0302");
        is(with(&format!("\"3 {unit}\"")), "E0306");
        is(with("\"3 parsecs\""), "E0308");
        is(with("true"), "E0301");
    }
    for (change, code) in OTHERS {
        count += 1;
        failures.extend(wrong(change, code));
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count >= 400, "{count} faults");
}

/// All numbers of an answer that says that it succeeded.
fn finite(answer: &Answer) -> bool {
    match answer {
        Answer::Dynamics(motion) => motion.record.frames.iter().all(|frame| {
            let rods = frame.rods.iter().flat_map(|rod| &rod.poses).chain(&frame.bodies).all(|pose| pose.is_finite());
            rods && frame.joints.iter().flatten().all(|value| value.is_finite())
        }),
        Answer::Statics(found) => found.rods.iter().flat_map(|rod| &rod.samples).all(|sample| sample.pose.is_finite()),
        _ => true,
    }
}

#[test]
fn nonsense_that_can_be_computed_is_survived() {
    for job in ["job={ kind = \"statics\", max_iterations = 200 }", "title=\"motion\""] {
        for change in SURVIVED {
            let loaded = match scene::parse("robot.toml", ROBOT.to_owned(), &[job.to_owned(), (*change).to_owned()]) {
                Ok(loaded) => loaded,
                Err(diagnostics) => panic!("{change}: {}", diagnostics[0]),
            };
            // One that takes long is cut short, as with --limit: what there is then must be sound too.
            let begun = Instant::now();
            let mut watch = |_: &Progress<'_>| match begun.elapsed() < Duration::from_millis(300) {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            };
            let Ok(answer) = lissome::run(&loaded.scene, &mut watch) else { continue };
            assert!(!answer.succeeded() || finite(&answer), "{job} {change}");
            if let Some(summary) = Summary::of(&loaded.scene, &answer, Ending::Finished) {
                let page = report::page::html(&summary, "");
                assert!(page.ends_with("</html>\n") || page.contains("</html>"), "{job} {change}");
                summary.complaint().into_iter().chain(summary.warnings()).for_each(|told| {
                    assert!(told.to_string().len() <= 2000, "{job} {change}");
                });
            }
        }
    }
}
