//! Tendons through the whole program: what is recorded of them, and the classical methods beside the program's own.
#![allow(clippy::unwrap_used)]

use lissome::model::{CableDrive, Job, Scene, StaticsJob, TendonMethod};
use lissome::solve::Equilibrium;
use lissome::{Answer, SimulateError, Unobserved};

const ARM: &str = r#"
schema = 1
[material.steel]
young = "210 GPa"
poisson = 0.3125
density = "7800 kg/m^3"
[rod.arm]
material = "steel"
length = "240 mm"
section = { shape = "circle", radius = "0.4 mm" }
base = { fixed_to = "world", tangent = [0, 0, 1] }
[tendon.pull]
rod = "arm"
radius = "8 mm"
tension = "2 N"
disks = 10
[job]
kind = "statics"
"#;

fn scene(text: &str) -> Scene {
    lissome::io::scene::parse("arm.toml", text.to_owned(), &[]).unwrap().scene
}

fn equilibrium(scene: &Scene) -> Equilibrium {
    match lissome::run(scene, &mut Unobserved).unwrap() {
        Answer::Statics(equilibrium) if equilibrium.outcome.converged() => equilibrium,
        other => panic!("{other:?}"),
    }
}

fn by(scene: &Scene, method: TendonMethod) -> Equilibrium {
    let job = Job::Statics(StaticsJob { method: Some(method), ..StaticsJob::default() });
    equilibrium(&Scene { job, ..scene.clone() })
}

#[test]
fn a_bent_rod_is_pressed_with_the_tension_times_its_curvature() {
    let found = equilibrium(&scene(ARM));
    let tendon = found.tendon("pull").unwrap();
    assert!((tendon.tension - 2.0).abs() < 1e-12);
    // Without loads the rod is an arc of a circle, and a parallel tendon turns as the rod does.
    let curvature = found.rods[0].samples[50].strain.curvature.norm();
    assert!(curvature > 3.0, "{curvature}");
    let run = &tendon.runs[0];
    assert!(run.s.len() > 90 && run.s.windows(2).all(|pair| pair[0] < pair[1]));
    for pressure in &run.pressure {
        // The curvature of the rod is as even as its tolerance of 1e-5 lets it be.
        assert!((pressure / (2.0 * curvature) - 1.0).abs() < 1e-3, "{pressure} {curvature}");
    }
    // An arc at distance d inside: its length is (1 − κ d) of the rod's, but for what the rod is shortened.
    let shorter = 0.24 * curvature * 8e-3;
    assert!((tendon.pulled - shorter).abs() < 1e-3 * shorter, "{} {shorter}", tendon.pulled);
    assert!((tendon.length + tendon.pulled - 0.24).abs() < 1e-12);
    // It lies 8 mm beside the rod all along.
    for (point, s) in run.points.iter().zip(&run.s) {
        let near = found.rods[0].samples.iter().map(|sample| (sample.pose.position - point).norm());
        assert!((near.fold(f64::INFINITY, f64::min) - 8e-3).abs() < 1e-4, "{s}");
    }
}

#[test]
fn three_methods_and_the_program_tell_the_same() {
    let text = ARM
        .replace("radius = \"8 mm\"", "count = 3\nradius = [\"8 mm\", \"4 mm\"]\nturns = 0.5")
        .replace("tension = \"2 N\"", "tension = [2, 0.5, 0]")
        .replace(
            "[job]",
            "[world]\ngravity = [0, 0, -9.81]\n[load.tip]\nrod = \"arm\"\nat = \"tip\"\nforce = [0, 0.05, 0]\n[job]",
        );
    let scene = scene(&text);
    let ours = equilibrium(&scene);
    for method in [TendonMethod::TotalStress, TendonMethod::Newtonian, TendonMethod::lagrangian()] {
        let other = by(&scene, method);
        assert_eq!(other.method, Some(method));
        // Both are within 1e-5 of the length; the paper's numbers of polynomials do for half a turn.
        let off = (other.rods[0].tip.position - ours.rods[0].tip.position).norm() / 0.24;
        assert!(off < 2e-4, "{method:?}: {off}");
        for (a, b) in ours.tendons.iter().zip(&other.tendons) {
            assert_eq!((&a.name, a.tension), (&b.name, b.tension));
            assert!((a.length - b.length).abs() < 1e-4 * a.length && (a.pulled - b.pulled).abs() < 1e-4 * a.length);
        }
        let (a, b) = (ours.outcome.energy, other.outcome.energy);
        assert!((a.elastic - b.elastic).abs() < 1e-3 * a.elastic, "{a:?} {b:?}");
        assert!((a.gravity - b.gravity).abs() < 1e-3 * a.gravity.abs(), "{a:?} {b:?}");
        let (a, b) = (ours.rods[0].base_wrench, other.rods[0].base_wrench);
        assert!(
            (a.force - b.force).norm() < 1e-6 && (a.moment - b.moment).norm() < 1e-4 * a.moment.norm(),
            "{a:?} {b:?}"
        );
        for (a, b) in ours.rods[0].samples.iter().zip(&other.rods[0].samples) {
            assert_eq!(a.s, b.s);
            let off = (a.stress.moment - b.stress.moment).norm() / 0.016;
            // The ends of an interval are where polynomials err most.
            let bar = if matches!(method, TendonMethod::Lagrangian { .. }) { 1e-2 } else { 1e-3 };
            assert!(off < bar, "{method:?} at {}: {off}", a.s);
        }
    }
}

#[test]
fn what_a_method_cannot_do_is_refused() {
    let mut by_length = scene(ARM);
    by_length.tendons[0].drive = CableDrive::Pull(0.01);
    by_length.job = Job::Statics(StaticsJob { method: Some(TendonMethod::Newtonian), ..StaticsJob::default() });
    let Err(SimulateError::Invalid(invalid)) = lissome::run(&by_length, &mut Unobserved) else { panic!("refused") };
    assert_eq!(invalid.path, "tendon.pull.pull");
}

#[test]
fn friction_takes_from_the_tension_by_the_angle() {
    let found = equilibrium(&scene(&ARM.replace("disks = 10", "disks = 10\nfriction = 0.3")));
    let tendon = &found.tendons[0];
    let samples = &found.rods[0].samples;
    let turned = (samples[0].pose.rotation.inverse() * samples[100].pose.rotation).angle();
    let at_end = tendon.runs[0].tension.last().unwrap() / tendon.tension;
    // The record ends just before the tip, by 1e-4 of the length.
    assert!((at_end - (-0.3 * turned).exp()).abs() < 1e-3, "{at_end} {turned}");
}

/// The classical methods find equilibria alone; silence would read as an answer.
#[test]
fn classical_methods_say_that_stability_is_not_examined() {
    let words = |found: &Equilibrium| lissome::io::equilibrium_json::stability_words(found).unwrap();
    assert_eq!(words(&equilibrium(&scene(ARM))), "stable");
    let found = by(&scene(ARM), TendonMethod::Newtonian);
    assert_eq!(words(&found), "stability not examined by the newtonian method");
}

/// A tendon without friction carries its tension to its end, whatever another one on the same rod does: friction that is almost none leaves the
/// robot where it is without.
#[test]
fn friction_of_one_tendon_is_not_that_of_its_neighbours() {
    let two = ARM.replace(
        "[job]",
        "[tendon.other]\nrod = \"arm\"\nradius = \"6 mm\"\nangle = \"90 deg\"\ntension = \"3 N\"\ndisks = 10\n[job]",
    );
    let tip = |text: &str| equilibrium(&scene(text)).rods[0].tip.position;
    let without = tip(&two);
    let with = tip(&two.replacen("disks = 10", "disks = 10\nfriction = 1e-12", 1));
    // Angles are a few radians: what is left of the tension differs from one by 1e-11.
    assert!((with - without).norm() < 1e-9, "{with} {without}");
}
