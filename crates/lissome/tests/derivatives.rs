//! Derivatives of every output by every number of scene files, against differences of whole solves.

#![allow(clippy::unwrap_used)]

use lissome::derivatives::Source;
use lissome::io::scene::{self, SceneNumber};
use lissome::io::{DerivativeFault, Fault, LoadedScene};
use lissome::robot::{Judgement, Solved, solve, with_drives};
use lissome::{Unobserved, model::Scene};

/// Relative change of a number between the solves that are differenced.
const CHANGE: f64 = 1e-4;

fn load(name: &str, overrides: &[&str]) -> LoadedScene {
    let path = format!("{}/../../examples/scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    scene::load(path.as_ref(), &overrides).unwrap_or_else(|faults| panic!("{name}: {}", faults[0]))
}

fn settled(scene: &Scene) -> Option<Solved> {
    let held = with_drives(scene, &[]).unwrap();
    let found = solve(&held, Judgement::Sign, &mut Unobserved).ok()?;
    found.equilibrium.outcome.converged().then_some(found)
}

/// Differences of whole solves over some distance, of the fourth order.
fn differences(file: &LoadedScene, number: &SceneNumber, at: &Solved, of: &[&str], h: f64) -> Option<Vec<f64>> {
    let mut sum: Vec<f64> = Vec::new();
    for (place, weight) in [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)] {
        let scene = with_drives(&file.with_number(number, number.value + place * h).ok()?, &[]).ok()?;
        let found = at.settled_anew(&scene).ok()??.outputs(of, Some(at)).unwrap();
        sum.resize(found.len(), 0.0);
        sum.iter_mut().zip(&found).for_each(|(sum, (_, value))| *sum += weight * value / h);
    }
    Some(sum)
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

/// Every output by every `stride`-th number of a file. A derivative agrees with differences to 1e-6 of the vector that it belongs to
/// and what differences over half the distance differ by, which tells what the solves' rounding leaves of them. Forces count at
/// least as `weakest`, N.
fn check(name: &str, overrides: &[&str], stride: usize, weakest: f64) {
    let file = load(name, overrides);
    let at = settled(&file.scene).unwrap_or_else(|| panic!("{name} has an equilibrium"));
    let mut of: Vec<String> = at.output_names();
    of.retain(|name| name != "smallest_eigenvalue");
    for rod in &file.scene.rods {
        for field in ["position", "rotation", "curvature", "stretch", "moment", "force"] {
            of.push(format!("{}.at({}).{field}", rod.name, 0.37 * rod.length));
        }
    }
    let of: Vec<&str> = of.iter().map(String::as_str).collect();
    let source = Source::of(&file);
    let longest = file.scene.rods.iter().map(|rod| rod.length).fold(0.0, f64::max);
    let values = at.outputs(&of, None).unwrap();
    let forces = values.iter().filter(|(name, _)| name.contains("force") || name.contains("tension"));
    let moments = values.iter().filter(|(name, _)| name.contains("moment")).map(|(_, value)| value.abs() / longest);
    let strongest = forces.map(|(_, value)| value.abs()).chain(moments).fold(weakest, f64::max);
    let (mut pairs, mut sharp, mut worst, mut refused) = (0, 0, 0.0f64, Vec::new());
    let paths = file.number_paths();
    let numbers = paths.iter().filter(|path| !path.starts_with("job") && !path.contains("model"));
    let numbers: Vec<SceneNumber> = numbers.flat_map(|path| file.numbers(path).unwrap()).collect();
    for number in numbers.iter().step_by(stride) {
        let found = match at.derivatives(source, &of, &[&number.path]) {
            Ok(found) => found,
            Err(fault) => {
                refused.push(format!("{}: {fault}", number.path));
                continue;
            }
        };
        let size = match number.value == 0.0 || number.is_component {
            true => number.beside.max(if number.path.contains("position") { 0.1 * longest } else { 0.01 }),
            false => number.value.abs(),
        };
        let fine = differences(&file, number, &at, &of, CHANGE * size);
        let coarse = differences(&file, number, &at, &of, 2.0 * CHANGE * size);
        let (Some(fine), Some(coarse)) = (fine, coarse) else {
            refused.push(format!("{}: no solves to compare with", number.path));
            continue;
        };
        let got: Vec<f64> = found.values.column(0).iter().copied().collect();
        let beside = of_vectors(&found.of, &got);
        let unit = |name: &str| {
            let is = |words: &[&str]| words.iter().any(|word| name.split('.').any(|part| part == *word));
            match () {
                () if is(&["rotation", "turn", "stretch"]) => 1.0,
                () if is(&["position", "shift", "length", "points", "pulled"]) => longest,
                () if is(&["curvature"]) => 1.0 / longest,
                () if is(&["moment", "energy"]) => strongest * longest,
                () => strongest,
            }
        };
        let apart: Vec<f64> = fine.iter().zip(&coarse).map(|(fine, coarse)| (fine - coarse).abs()).collect();
        let unsure = of_vectors(&found.of, &apart);
        for row in 0..got.len() {
            let error = (got[row] - fine[row]).abs();
            // Solves agree to about 1e-13 of the size of what they tell.
            let rounding = 1e-13 * unit(&found.of[row]) / (CHANGE * size);
            let allowed = 1e-6 * beside[row] + 4.0 * unsure[row];
            pairs += 1;
            if unsure[row].max(rounding) < 0.25e-6 * beside[row] {
                sharp += 1;
                worst = worst.max(error / beside[row]);
            }
            assert!(
                error <= allowed + rounding,
                "{name}: {} by {}: {:e}, differences {:e} and {:e}, roughness {:.1e}",
                found.of[row],
                number.path,
                got[row],
                fine[row],
                coarse[row],
                found.roughness[0]
            );
        }
    }
    println!(
        "{name}: {} numbers, {pairs} pairs, {sharp} told by differences to 1e-6, there off by {worst:.1e}",
        numbers.len() / stride
    );
    println!("refused: {refused:#?}");
    assert!(sharp > pairs / 12, "differences tell {sharp} of {pairs} pairs");
}

#[test]
fn a_tapered_rod() {
    check("rod", &[], 1, 0.0);
}

/// What touches without friction goes on touching: rows that share what they carry give way in the factor, not in the answer.
#[test]
fn a_rod_that_lies_on_a_floor() {
    check("rod-on-floor", &["rod.arm.model.spline.spans=12"], 5, 0.0);
}

#[test]
fn a_tendon_arm() {
    check("tendon-arm", &["rod.backbone.model={spline={spans=8}}"], 1, 0.0);
}

#[test]
fn a_sprung_arm() {
    check("sprung-arm", &[], 1, 0.0);
}

#[test]
fn a_cable_arm() {
    check("cable-arm", &["drive.\"a.tension\"=2"], 5, 0.0);
}

/// Plates along an arm at rest ask of it what rounding leaves, which neither grows nor bends: no more neighbours are asked for its sake.
#[test]
fn what_rounding_leaves_is_no_bend() {
    let file = load("cable-arm", &[]);
    let at = settled(&file.scene).unwrap();
    let numbers = ["body.plate_3.mount.at", "rod.arm.length", "rod.arm.section.taper"];
    let found = at.derivatives(Source::of(&file), &["rod.arm.tip.position"], &numbers).unwrap();
    // Of two neighbours at 2⁻¹⁴ of a number nothing bends more than by the eighth power of it.
    let most = 8.0 / f64::from(1 << 14);
    assert!(found.roughness.iter().all(|own| *own <= most), "{:?}", found.roughness);
}

#[test]
fn concentric_tubes() {
    check("concentric-tubes", &[], 1, 1.0);
}

#[test]
fn six_rods() {
    check("six-rod-robot", &[], 7, 0.0);
}

#[test]
fn what_cannot_be_is_told() {
    let file = load("rod", &[]);
    let at = settled(&file.scene).unwrap();
    let source = Source::of(&file);
    let fault = |of: &str, wrt: &str| match at.derivatives(source, &[of], &[wrt]) {
        Err(diagnostic) => diagnostic.fault,
        Ok(_) => panic!("{of} by {wrt} has a derivative"),
    };
    let tip = "rod.arm.tip.position";
    let near = |fault: Fault| match fault {
        Fault::Derivative(
            DerivativeFault::UnknownInput { nearest, .. } | DerivativeFault::UnknownOutput { nearest, .. },
        ) => nearest,
        other => panic!("{other:?}"),
    };
    assert_eq!(near(fault(tip, "material.silicone.yung")).as_deref(), Some("material.silicone.young"));
    assert_eq!(near(fault("arm.tip.positon", "load.tip.force")).as_deref(), Some("arm.tip.position"));
    assert_eq!(fault(tip, "rod.arm.model.spline.degree").code(), "E0723");
    assert_eq!(fault(tip, "rod.arm.material").code(), "E0723");
    // Without gravity nothing depends on it.
    let file = load("rod", &["material.silicone.density=1000", "rod.arm.section.shear_factor=1.0"]);
    let at = settled(&file.scene).unwrap();
    let source = Source::of(&file);
    let found = at.derivatives(source, &[tip], &["material.silicone.density"]).unwrap();
    assert_eq!(found.independent().len(), 3);
}

/// Against differences of whole solves with their eigenvalues, bar 1e-5.
#[test]
fn eigenvalues_and_frequencies() {
    for (name, overrides, wrt) in [
        ("strip", vec![], vec!["material", "section", "length"]),
        ("sprung-arm", vec!["rod.arm.model={spline={spans=6}}"], vec!["young", "lift.stiffness", "weight.mass"]),
    ] {
        let file = load(name, &overrides);
        let at = settled(&file.scene).unwrap();
        let source = Source::of(&file);
        let mut compared = 0;
        for path in file.number_paths().iter().filter(|path| wrt.iter().any(|word| path.contains(word))) {
            for of in ["smallest_eigenvalue", "mode.1.frequency"] {
                let Ok(found) = at.derivatives(source, &[of], &[path]) else { continue };
                for (column, number) in file.numbers(path).unwrap().iter().enumerate() {
                    let h = 3e-4 * number.value.abs().max(1e-3);
                    let Some(expected) = differences(&file, number, &at, &[of], h) else { continue };
                    let got = found.values[(0, column)];
                    let value = at.outputs(&[of], None).unwrap()[0].1;
                    let scale = got.abs().max(1e-3 * value.abs() / number.value.abs().max(1e-3));
                    let error = (got - expected[0]).abs() / scale;
                    println!("{name}: {of} by {}: {got:e}, off by {error:.1e}", number.path);
                    assert!(error < 1e-5, "{name}: {of} by {}: {got:e}, differences {:e}", number.path, expected[0]);
                    compared += 1;
                }
            }
        }
        assert!(compared >= 4, "{name}: {compared}");
    }
}

#[test]
fn double_ones_are_recognised() {
    // A square rod swings alike in two planes, and does not once it is wider than high.
    let square = "rod.arm.section={ shape = \"rectangle\", width = 0.03, height = 0.03 }";
    let file = load("rod", &["material.silicone.density=1000", "load.tip.force=[0.1, 0, 0]", square]);
    let at = settled(&file.scene).unwrap();
    let source = Source::of(&file);
    let refused = at.derivatives(source, &["mode.1.frequency"], &["rod.arm.section.width"]).unwrap_err();
    assert_eq!(refused.fault.code(), "E0726", "{refused}");
    // Under another density both stay together: f ∝ ρ^(-1/2), eigenvalues to 1e-12 over a distance of 8/16384.
    let found = at.derivatives(source, &["mode.1.frequency"], &["material.silicone.density"]).unwrap();
    let frequency = at.outputs(&["mode.1.frequency"], None).unwrap()[0].1;
    assert!((found.values[(0, 0)] * 2000.0 / frequency + 1.0).abs() < 1e-6, "{}", found.values[(0, 0)]);
}

/// Without friction what lies on a floor has derivatives; with it, where it lies came about on the way there.
#[test]
fn what_rubs_is_told() {
    let derivatives = |friction: &str| {
        let file = load("rod-on-floor", &[friction]);
        let at = settled(&file.scene).unwrap();
        at.derivatives(Source::of(&file), &["arm.tip.position"], &["material.rubber.young"])
    };
    assert!(derivatives("contact.friction=0").is_ok());
    let told = derivatives("contact.friction=0.3").unwrap_err();
    assert_eq!(told.fault.code(), "E0727", "{told}");
}

/// A joint that nothing drives keeps its coordinates while its axis turns, at rest on a spring or at a stop: against differences of whole solves,
/// whose error over the distance goes with its fourth power.
#[test]
fn by_the_axis_of_a_joint_that_is_not_driven() {
    for held in ["", "limits = [\"-0.2 rad\", \"0.3 rad\"]"] {
        let text = format!(
            "schema = 1\n[material.p]\nyoung = \"2 GPa\"\npoisson = 0.35\n[joint.j]\nkind = \"revolute\"\nparent = {{}}\n\
             axis = [0.1, 1, 0]\nstiffness = \"1 N*m/rad\"\n{held}\n[rod.c]\nmaterial = \"p\"\nlength = \"0.6 m\"\n\
             section = {{ shape = \"circle\", radius = \"4 mm\" }}\nbase = \"j\"\nmodel = {{ spline = {{ spans = 5 }} }}\n\
             [load.push]\nrod = \"c\"\nat = \"tip\"\nforce = [0, 0.3, -2]\n"
        );
        let file = scene::parse("joint.toml", text, &[]).unwrap();
        let at = settled(&file.scene).unwrap();
        let of = ["c.tip.position", "energy.elastic"];
        for number in file.numbers("joint.j.axis").unwrap() {
            let found = at.derivatives(Source::of(&file), &of, &[&number.path]).unwrap();
            let told = differences(&file, &number, &at, &of, 1e-3).unwrap();
            let size = told.iter().fold(0.0f64, |most, own| most.max(own.abs()));
            for (own, told) in found.values.iter().zip(&told) {
                assert!((own - told).abs() < 1e-6 * size.max(0.01), "{}: {} {told:?}", number.path, found.values);
            }
        }
    }
}

/// What friction leaves of tensions is held: by the coefficient itself everything would be told as zero.
#[test]
fn by_the_friction_of_a_tendon_is_refused() {
    let file = load("tendon-arm", &["tendon.lower.friction=0.1"]);
    let at = settled(&file.scene).unwrap();
    let told = at.derivatives(Source::of(&file), &["backbone.tip.position"], &["tendon.lower.friction"]).unwrap_err();
    assert_eq!(told.fault.code(), "E0727", "{told}");
}
