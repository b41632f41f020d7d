//! What one column of derivatives by a number of the file costs, of a whole solve: the table of `docs/theory/derivatives.md`.
//!
//! `cargo run --release -p lissome --example derivative_cost`
#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome::derivatives::Source;
use lissome::io::scene;
use lissome::robot::{Judgement, solve, with_drives};

/// Times that everything is done.
const REPEATS: u32 = 100;

fn main() {
    // Time on the processor where the system tells it, so that a busy machine does not count.
    let clock = || {
        let own = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
        own.and_then(|text| text.split(' ').next()?.parse::<f64>().ok()).map(|nanoseconds| 1e-9 * nanoseconds)
    };
    let begin = std::time::Instant::now();
    let now = || clock().unwrap_or_else(|| begin.elapsed().as_secs_f64());
    let mean = |work: &mut dyn FnMut()| {
        let begin = now();
        (0..REPEATS).for_each(|_| work());
        (now() - begin) / f64::from(REPEATS)
    };
    for (name, tip, path) in [
        ("rod", "arm.tip.position", "material.silicone.young"),
        ("tendon-arm", "backbone.tip.position", "rod.backbone.section.radius"),
        ("sprung-arm", "arm.tip.position", "spring.lift.stiffness"),
        ("cable-arm", "backbone.tip.position", "material.nitinol.young"),
        ("concentric-tubes", "robot.tip.position", "tubes.robot.tube.inner.curvature"),
        ("six-rod-robot", "platform.position", "material.nitinol.young"),
    ] {
        let path_of_file = format!("{}/../../examples/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let file = scene::load(path_of_file.as_ref(), &[]).unwrap_or_else(|faults| panic!("{name}: {}", faults[0]));
        let paths = file.number_paths();
        let path = match file.numbers(path) {
            Ok(_) => path.to_owned(),
            Err(_) => paths.iter().find(|path| path.ends_with("young")).unwrap().clone(),
        };
        let at = solve(&with_drives(&file.scene, &[]).unwrap(), Judgement::Sign, &mut Unobserved).unwrap();
        let source = Source { file: Some(&file), drives: &[] };
        let tip = match at.outputs(&[tip], None) {
            Ok(_) => tip.to_owned(),
            Err(_) => at.output_names().into_iter().find(|name| name.ends_with("tip.position")).unwrap(),
        };
        let held = with_drives(&file.scene, &[]).unwrap();
        let solved = mean(&mut || drop(solve(&held, Judgement::Eigenvalue, &mut Unobserved)));
        let found = mean(&mut || drop(solve(&held, Judgement::Sign, &mut Unobserved)));
        let number = file.numbers(&path).unwrap()[0].path.clone();
        let one = mean(&mut || drop(at.derivatives(source, &[&tip], &[&number]).unwrap()));
        let nine = mean(&mut || drop(at.derivatives(source, &[&tip], &[number.as_str(); 9]).unwrap()));
        let column = (nine - one) / 8.0;
        let own = &file.numbers(&path).unwrap()[0];
        let changed = file.with_number(own, own.value * 1.0001).unwrap();
        let read = mean(&mut || drop(file.with_number(own, own.value * 1.0001).unwrap()));
        let mut system = lissome::mech::System::compile(&changed).unwrap();
        let compiled = mean(&mut || system.set_values(&changed).unwrap());
        let (state, inputs, mut work) = (system.natural_state(), system.inputs_at(0.0), system.workspace());
        let asked = mean(&mut || drop(system.demand(&state, &inputs, &mut work)));
        println!(
            "  reading {:.3} ms, compiling {:.3} ms, a residual {:.3} ms",
            1e3 * read,
            1e3 * compiled,
            1e3 * asked
        );
        println!(
            "{name}: {tip} by {number}: solve {:.2} ms ({:.2} ms judged by signs), one column {:.3} ms and {:.3} ms for each further: {:.1} % ({:.1} %)",
            1e3 * solved,
            1e3 * found,
            1e3 * one,
            1e3 * column,
            100.0 * column / solved,
            100.0 * column / found
        );
    }
}
