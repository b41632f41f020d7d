//! Whether a motion knows how far its rods are divided too coarsely.

use lissome::io::{self, Ending, MotionSummary};
use lissome::model::{Job, Scene};
use lissome::solve::MotionAnswer;
use lissome::{Answer, Unobserved};

/// A straight wire between two pins, one of which is driven away: in the end it is taut by 1 % of its length.
const WIRE: &str = r#"
schema = 1

[material.nitinol]
young   = "58 GPa"
poisson = 0.3
density = "6450 kg/m^3"
damping = "2 ms"

[joint.pin]
kind   = "revolute"
axis   = [0, 1, 0]
parent = "world"

[joint.slide]
kind   = "prismatic"
axis   = [1, 0, 0]
parent = { position = ["300 mm", 0, 0] }

[joint.far]
kind   = "revolute"
axis   = [0, 1, 0]
parent = "slide"

[rod.wire]
material = "nitinol"
length   = "300 mm"
section  = { shape = "circle", radius = "0.5 mm" }
base     = { fixed_to = "pin" }
tip      = { fixed_to = "far" }

[load.side]
rod   = "wire"
at    = "100 mm"
force = [0, 0, "20 mN"]

[drive]
"slide.travel" = { ramp = [0, "3 mm"], over = "40 ms", smooth = true }

[job]
kind        = "dynamics"
duration    = "60 ms"
output_rate = "200 Hz"
step        = "1 ms"
"#;

fn read(text: &str, settings: &[&str]) -> Scene {
    let settings: Vec<String> = settings.iter().map(|text| (*text).to_owned()).collect();
    io::scene::parse("inline", text.to_owned(), &settings).expect("the scene is sound").scene
}

fn moved(scene: &Scene) -> MotionAnswer {
    let answer = lissome::run(scene, &mut Unobserved).expect("the scene is sound");
    assert!(answer.succeeded());
    let Answer::Dynamics(motion) = answer else { panic!("a motion") };
    motion
}

/// Codes of the warnings, and the estimate.
fn told(scene: &Scene, motion: &MotionAnswer) -> (Vec<&'static str>, f64) {
    let summary = MotionSummary { scene, motion, ending: Ending::Finished, wall_seconds: 0.0 };
    let codes = summary.warnings().iter().map(|warning| warning.fault.code()).collect();
    (codes, motion.record.coarsest[0].0)
}

/// Tension at the end of a motion of the wire.
fn tension(motion: &MotionAnswer) -> f64 {
    let last = motion.record.last.as_ref().expect("frames");
    last.rods[0].stress[16].force.norm()
}

/// EA times the strain of 1 %; what the side load adds is (P/4T)² of it.
fn pulled() -> f64 {
    58e9 * std::f64::consts::PI * 0.25e-6 * 0.01
}

#[test]
fn a_taut_wire_is_right_on_splines() {
    for model in ["{ spline = {} }", "{ spline = { degree = 1, tolerance = 1e-4 } }", "{ spline = { spans = 12 } }"] {
        let scene = read(WIRE, &[&format!("rod.wire.model={model}")]);
        let motion = moved(&scene);
        let (_, error) = told(&scene, &motion);
        // What rings on about the end is damped; the wire weighs next to nothing beside its tension.
        let off = tension(&motion) / pulled() - 1.0;
        assert!(off.abs() < 0.01, "{model}: {off}");
        // Its ends ring in bending within √(EI/T) = 2.5 mm of the pins, a tenth of a span: a turn there, not the tension, is what errs.
        assert!(error < 3e-3, "{model}: {error:e}");
    }
}

#[test]
fn a_motion_on_too_few_spans_is_not_silent() {
    // Elements longer than √12 √(EI/T) fold up under tension.
    for model in
        ["{ linear_strain = {} }", "{ linear_strain = { elements = 12 } }", "{ linear_strain = { elements = 24 } }"]
    {
        let scene = read(WIRE, &[&format!("rod.wire.model={model}")]);
        let motion = moved(&scene);
        let (codes, error) = told(&scene, &motion);
        let right = (tension(&motion) / pulled() - 1.0).abs() < 0.01;
        assert!(right || codes.contains(&"W0507"), "{model}: {error:e}, {} N", tension(&motion));
    }
}

/// A soft rod let go from a bend.
const ARM: &str = r#"
schema = 1

[material.rubber]
young   = "2 MPa"
poisson = 0.45
density = "1100 kg/m^3"
damping = "5 ms"

[rod.arm]
material = "rubber"
length   = "400 mm"
section  = { shape = "circle", radius = "8 mm" }
base     = {}

[load.pull]
rod    = "arm"
at     = "tip"
force  = [0, 0, "0.3 N"]
moment = [0, "20 N*mm", 0]

[job]
kind        = "dynamics"
duration    = "0.1 s"
output_rate = "100 Hz"
release     = ["pull"]
"#;

/// The estimate is that of the shape at a few moments: others may be off by more, and phases add to errors in time.
#[test]
fn estimates_are_as_large_as_errors_whatever_the_model() {
    let models = [
        ("{ spline = { spans = 2 } }", "{ spline = { spans = 8 } }"),
        ("{ spline = { degree = 1, spans = 6 } }", "{ spline = { degree = 1, spans = 24 } }"),
        ("{ linear_strain = { elements = 4 } }", "{ linear_strain = { elements = 16 } }"),
        ("{ strain_basis = { segments = 1, order = 3 } }", "{ strain_basis = { segments = 4, order = 4 } }"),
    ];
    for (few, many) in models {
        let of = |model: &str| {
            let scene = read(ARM, &[&format!("rod.arm.model={model}")]);
            let motion = moved(&scene);
            let (_, error) = told(&scene, &motion);
            (motion, error)
        };
        let ((coarse, estimate), (fine, left)) = (of(few), of(many));
        let mut far = 0.0f64;
        for (a, b) in coarse.record.frames.iter().zip(&fine.record.frames) {
            for (a, b) in a.rods[0].poses.iter().zip(&b.rods[0].poses) {
                let turn = (a.rotation.inverse() * b.rotation).angle();
                far = far.max(turn).max((a.position - b.position).norm() / 0.4);
            }
        }
        assert!((0.03..30.0).contains(&(estimate / far)), "{few}: {estimate:e} of {far:e}");
        assert!(left < 0.2 * estimate, "{many}: {left:e}, {few}: {estimate:e}");
    }
}

#[test]
fn templates_in_motion_are_not_warned_of() {
    for name in ["swing", "whip", "wrecking-ball", "knot"] {
        let template = lissome::templates::find(name).expect("a template");
        let settings: &[&str] = if name == "knot" { &[] } else { &["job.duration=0.5 s"] };
        let scene = read(template.text, settings);
        assert!(matches!(scene.job, Job::Dynamics(_)), "{name}");
        let motion = moved(&scene);
        let (codes, error) = told(&scene, &motion);
        assert!(!codes.contains(&"W0507"), "{name}: {codes:?} {error:e}");
    }
}

/// A rod that slides down a slope, faster than any error of its shape could carry it.
const LOG: &str = r#"
schema = 1

[world]
gravity = [0, 0, -9.81]

[material.rubber]
young   = "1 MPa"
poisson = 0.45
density = "3000 kg/m^3"
damping = "5 ms"

[joint.free]
kind   = "free"
parent = { position = [0, 0, "9.238 mm"], tangent = [0.8660254037844387, 0, -0.5] }

[rod.log]
material = "rubber"
length   = "30 cm"
section  = { shape = "circle", radius = "8 mm" }
base     = { fixed_to = "free" }

[obstacle.slope]
plane   = {}
rotvec  = [0, "30 deg", 0]

[contact]
friction = 0.3

[job]
kind        = "dynamics"
start       = "natural"
duration    = "0.3 s"
step        = "10 ms"
output_rate = 10
"#;

#[test]
fn what_slides_freely_is_not_told_to_be_elsewhere() {
    for model in ["spline", "linear_strain"] {
        let [coarse, fine] = [12, 24].map(|count| {
            let divided = if model == "spline" { "spans" } else { "elements" };
            let scene = read(LOG, &[&format!("rod.log.model={{ {model} = {{ {divided} = {count} }} }}")]);
            let motion = moved(&scene);
            let (codes, error) = told(&scene, &motion);
            let last = motion.record.last.as_ref().expect("frames").rods[0].poses.clone();
            (last, codes, error)
        });
        let apart =
            coarse.0.iter().zip(&fine.0).map(|(a, b)| (a.position - b.position).norm() / 0.3).fold(0.0, f64::max);
        // Twice as many spans lead to the same place, and both say so.
        assert!(apart < 1e-4, "{model}: {apart:e}");
        for (_, codes, error) in [coarse, fine] {
            assert!(!codes.contains(&"W0507"), "{model}: {error:e}");
        }
    }
}
