//! Derivatives along paths against differences of whole paths.

#![allow(clippy::unwrap_used)]

use lissome::derivatives::Source;
use lissome::io::{LoadedScene, scene};
use lissome::robot::{Judgement, solve, with_drives};
use lissome::solve::Answer;
use lissome::{Unobserved, run_file};

const ARM: &str = r#"
schema = 1
[material.soft]
young   = "400 kPa"
poisson = 0.45
density = "1000 kg/m^3"
[world]
gravity = [0, 0, -9.81]
[rod.arm]
material = "soft"
length   = "0.4 m"
section  = { shape = "circle", taper = ["8 mm", "6 mm"] }
base     = { fixed_to = "world" }
model    = { spline = { spans = 6 } }
[load.tip]
rod    = "arm"
at     = "tip"
force  = [0, "20 mN", "50 mN"]
[drive]
"tip.scale" = { ramp = [0.2, 1.5] }
[job]
kind    = "path"
samples = 4
"#;

fn read(text: &str, overrides: &[String]) -> LoadedScene {
    scene::parse("arm.toml", text.into(), overrides).unwrap_or_else(|faults| panic!("{}", faults[0]))
}

/// Positions of the tip at all samples, one after the other.
fn tips(file: &LoadedScene) -> Vec<f64> {
    let Answer::Path(path) = run_file(file, &mut Unobserved).unwrap() else { panic!("a path") };
    let tip = |sample: &lissome::solve::PathSample| sample.equilibrium.rods[0].control_poses.last().unwrap().position;
    path.samples.iter().flat_map(|sample| tip(sample).iter().copied().collect::<Vec<_>>()).collect()
}

/// Every sample by a material, a size, a load, what the drives drive, and how the drives go. Differences of the fourth order over 2⁻⁷ of
/// a number leave 4e-9/30 of its fifth derivative.
#[test]
fn every_sample_of_a_path_agrees_with_differences_of_whole_paths() {
    let wrt = ["material.soft.young", "rod.arm.length", "load.tip.force", "drive.tip.scale.ramp"];
    let names = wrt.map(|path| format!("\"{path}\"")).join(", ");
    let asked = format!("{ARM}derivatives = [{{ of = \"arm.tip.position\", wrt = [{names}, \"tip.scale\"] }}]\n");
    let Answer::Path(path) = run_file(&read(&asked, &[]), &mut Unobserved).unwrap() else { panic!("a path") };
    let file = read(ARM, &[]);
    let numbers: Vec<_> = wrt.iter().flat_map(|path| file.numbers(path).unwrap()).collect();
    assert_eq!(path.samples.len(), 4);
    let all: Vec<_> = path.samples.iter().map(|sample| &sample.equilibrium.derivatives[0]).collect();
    assert_eq!((all[0].of.len(), all[0].wrt.len()), (3, numbers.len() + 1));
    // An equilibrium with the scale held there has the same derivatives, and those are tested to 1e-6 elsewhere.
    for (sample, record) in path.samples.iter().zip(&all) {
        let held = [("tip.scale", sample.drives[0])];
        let at = solve(&with_drives(&file.scene, &held).unwrap(), Judgement::Sign, &mut Unobserved).unwrap();
        let source = Source { drives: &held, ..Source::of(&file) };
        let expected = at.derivatives(source, &["arm.tip.position"], &wrt[..3]).unwrap().values;
        for (row, own) in record.values.iter().enumerate() {
            for (column, found) in own[..expected.ncols()].iter().enumerate() {
                let largest = expected.column(column).amax();
                assert!((found - expected[(row, column)]).abs() < 1e-8 * largest, "column {column}, row {row}");
            }
        }
    }
    for (column, number) in numbers.iter().enumerate() {
        assert_eq!(all[0].wrt[column], number.path);
        let size = number.beside.max(number.value.abs()) / 128.0;
        let mut expected = [0.0; 12];
        for (place, weight) in [(-2.0, 1.0 / 12.0), (-1.0, -2.0 / 3.0), (1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0)] {
            let mut other = file.clone();
            other.scene = file.with_number(number, number.value + place * size).unwrap();
            for (sum, value) in expected.iter_mut().zip(tips(&other)) {
                *sum += weight * value / size;
            }
        }
        let largest = expected.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        for (sample, record) in all.iter().enumerate() {
            for axis in 0..3 {
                let (found, expected) = (record.values[axis][column], expected[3 * sample + axis]);
                let apart = (found - expected).abs();
                assert!(apart < 1e-6 * largest, "{} at sample {sample}: {found:e}, {expected:e}", number.path);
            }
        }
    }
    // The scale at a third of a ramp from a to b is 2/3 a + 1/3 b, so its derivatives are those by the scale in these parts.
    let [first, last, scale] = ["drive.tip.scale.ramp.0", "drive.tip.scale.ramp.1", "tip.scale"]
        .map(|name| all[1].wrt.iter().position(|path| path == name).unwrap());
    for row in &all[1].values {
        assert!((row[first] - 2.0 / 3.0 * row[scale]).abs() <= 1e-7 * row[scale].abs());
        assert!((row[last] - 1.0 / 3.0 * row[scale]).abs() <= 1e-7 * row[scale].abs());
    }
}

#[test]
fn what_depends_on_the_way_is_refused_and_unknown_names_are_told() {
    let with = |of: &str, wrt: &str, more: &str| {
        let asked = format!("{ARM}derivatives = [{{ of = \"{of}\", wrt = [\"{wrt}\"] }}]\n{more}");
        run_file(&read(&asked, &[]), &mut Unobserved).unwrap_err()[0].clone()
    };
    let told = with("arm.tip.position", "material.soft.yung", "");
    assert_eq!((told.fault.code(), told.path.as_deref()), ("E0722", Some("job.derivatives.0")), "{told}");
    let floor = "[obstacle.floor]\nplane = {}\nposition = [0, 0, -1]\n[contact]\nfriction = 0.3\n";
    let told = with("arm.tip.position", "material.soft.young", floor);
    assert_eq!(told.fault.code(), "E0727", "{told}");
    // Nothing has mass, so nothing swings.
    let light = ARM.replace("density = \"1000 kg/m^3\"\n", "").replace("gravity = [0, 0, -9.81]", "");
    let asked = format!("{light}derivatives = [{{ of = \"mode.1.frequency\", wrt = [\"rod.arm.length\"] }}]\n");
    let told = run_file(&read(&asked, &[]), &mut Unobserved).unwrap_err()[0].clone();
    assert_eq!(told.fault.code(), "E0725", "{told}");
}
