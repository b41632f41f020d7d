//! Whether a motion knows how far its rods are divided too coarsely, and divides them for where its drives go.

use lissome::io::{self, Ending, MotionSummary};
use lissome::model::{Job, Scene, StaticsJob};
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
fn a_motion_is_divided_for_where_its_drives_go() {
    for model in ["{ spline = {} }", "{ spline = { degree = 1, tolerance = 1e-4 } }", "{ linear_strain = {} }"] {
        let scene = read(WIRE, &[&format!("rod.wire.model={model}")]);
        let motion = moved(&scene);
        let (codes, error) = told(&scene, &motion);
        // What rings on about the end is damped; the wire weighs next to nothing beside its tension.
        let off = tension(&motion) / pulled() - 1.0;
        assert!(off.abs() < 0.01, "{model}: {off}");
        assert!(codes.is_empty(), "{model}: {codes:?}, {error:e}");
    }
}

#[test]
fn a_motion_on_too_few_spans_is_not_silent() {
    for model in ["{ linear_strain = { elements = 12 } }", "{ linear_strain = { elements = 24 } }"] {
        let scene = read(WIRE, &[&format!("rod.wire.model={model}")]);
        let motion = moved(&scene);
        let (codes, error) = told(&scene, &motion);
        assert!(codes.contains(&"W0507"), "{model}: {error:e}, {} N", tension(&motion));
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
        let _: StaticsJob = StaticsJob::default();
    }
}
