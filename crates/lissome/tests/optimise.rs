//! Optimisations whose ends are known, what stands in their way, and jobs that are refused.

#![allow(clippy::unwrap_used)]

use lissome::io::scene::parse;
use lissome::io::{Diagnostic, LoadedScene};
use lissome::solve::optimise::OptimumEnd;
use lissome::solve::{Equilibrium, OptimumRecord};
use lissome::{Answer, Progress, Unobserved};
use std::ops::ControlFlow;

/// A cantilever with a force across its tip: it sinks by F L³/3EI, the stress at its base is F L r/I.
const BEAM: &str = r#"
schema = 1
[material.alloy]
young   = "70 GPa"
poisson = 0.33
density = 2700
[rod.beam]
material = "alloy"
length   = "500 mm"
section  = { shape = "circle", radius = "8 mm" }
base     = { fixed_to = "world" }
model    = { spline = { degree = 3, spans = 4 } }
[load.tip]
rod   = "beam"
at    = "tip"
force = [0, 0, "-1 N"]
[free]
"rod.beam.section.radius" = { min = "1 mm", max = "20 mm" }
[job]
kind        = "optimise"
minimise    = "beam.mass"
constraints = ["beam.tip.position.z >= -1 mm"]
"#;

fn read(text: &str, overrides: &[&str]) -> Result<LoadedScene, Vec<Diagnostic>> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    parse("t.toml", text.to_owned(), &overrides)
}

fn run(text: &str, overrides: &[&str]) -> Equilibrium {
    let loaded = read(text, overrides).unwrap_or_else(|told| panic!("{}", told[0]));
    let answer = lissome::run_file(&loaded, &mut Unobserved).unwrap_or_else(|told| panic!("{}", told[0]));
    let Answer::Statics(equilibrium) = answer else { panic!("an equilibrium") };
    equilibrium
}

fn record(text: &str, overrides: &[&str]) -> OptimumRecord {
    *run(text, overrides).optimum.unwrap()
}

#[test]
fn the_lightest_beam_sinks_as_far_as_it_may() {
    let found = record(BEAM, &[]);
    assert_eq!(found.end, OptimumEnd::Converged);
    // r⁴ = 4 F L³/(3π E w); shear adds 3 EI/(GA L²) = 2 (1 + ν) r²/(4 L²) · 3/… < 1e-4 of the sinking, bending the length 1e-5.
    let expected = (4.0 * 0.125 / (3.0 * std::f64::consts::PI * 70e9 * 1e-3)).powf(0.25);
    let radius = found.free[0].value;
    assert!((radius / expected - 1.0).abs() < 1e-4, "{radius} {expected}");
    assert!(found.kkt <= 1e-6 && found.violation <= 1e-7);
    // m ∝ r² ∝ w^(-1/2): the price of the limit -w is dm/d(-w) = m/(2w).
    let price = found.constraints[0].price;
    assert!((price / (found.objective / (2.0 * 1e-3)) - 1.0).abs() < 1e-3, "{price} {}", found.objective);
    assert!(found.rounds.len() < 15, "{}", found.rounds.len());
}

#[test]
fn stress_that_is_bounded_is_the_stress_of_the_section() {
    let found = record(BEAM, &["job.constraints=[\"beam.peak_stress <= 20 MPa\"]"]);
    assert_eq!(found.end, OptimumEnd::Converged);
    // 4 F L/(π r³) at the base; the mean of power 64 of 21 places lies above the largest by Σ (1 - k/20)^64 alone, 0.06 % here.
    let expected = (4.0 * 0.5 / (std::f64::consts::PI * 20e6f64)).cbrt();
    let radius = found.free[0].value;
    assert!((radius / expected - 1.0).abs() < 1e-3, "{radius} {expected}");
}

#[test]
fn a_limit_holds_a_number_and_has_a_price() {
    let found = record(BEAM, &["job.constraints=[]"]);
    assert_eq!((found.end, found.free[0].at_limit, found.free[0].value), (OptimumEnd::Converged, -1, 1e-3));
    // m = ρπr²L: 2ρπrL more for a metre of radius.
    let slope = 2.0 * 2700.0 * std::f64::consts::PI * 1e-3 * 0.5;
    assert!((found.free[0].price / slope - 1.0).abs() < 1e-6, "{}", found.free[0].price);
}

#[test]
fn what_was_found_is_a_scene_again() {
    let loaded = read(BEAM, &[]).unwrap();
    let found = run(BEAM, &[]);
    let again = loaded.at_optimum(Some(&found)).to_toml();
    let radius = found.optimum.as_ref().unwrap().free[0].value;
    let next = record(&again, &[]);
    assert_eq!(next.rounds[0].values[0], radius, "to the bit");
    assert!(next.rounds.len() <= 2 && next.end == OptimumEnd::Converged, "{}", next.rounds.len());
    // As an equilibrium alone it is the one that was recorded.
    let rest = run(&again, &["job.kind=statics"]);
    let apart = (rest.rods[0].tip.position - found.rods[0].tip.position).norm();
    assert!(apart < 1e-9, "{apart}");
}

#[test]
fn constraints_that_cannot_hold_are_named() {
    let limits = r#"free={ "rod.beam.section.radius" = { min = "1 mm", max = "8 mm" } }"#;
    let both = r#"job.constraints=["beam.tip.position.z >= -0.01 mm", "beam.mass <= 1"]"#;
    let found = record(BEAM, &[limits, both]);
    assert_eq!(found.end, OptimumEnd::Infeasible);
    assert!(found.constraints[0].violation > 1.0 && found.constraints[1].violation == 0.0);
    assert_eq!(found.free[0].at_limit, 1, "as near as it can");
}

#[test]
fn an_objective_that_nothing_moves_is_told() {
    let found = record(BEAM, &["job.minimise=\"beam.tip.position.y\"", "job.constraints=[]"]);
    assert!(found.idle);
}

#[test]
fn stable_equilibria_are_kept_to() {
    // The thrust that a column carries at most: Euler's load π² EI/4L².
    let thrust = ["load.tip.force=[-1, 0, 0]", "job.constraints=[]", "job.minimise=\"-tip.scale\""];
    let free = r#"free={ "tip.scale" = { min = 0, max = 20000 } }"#;
    let found = record(BEAM, &[&thrust[..], &[free]].concat());
    assert_eq!(found.end, OptimumEnd::Blocked);
    let stiffness = 70e9 * std::f64::consts::PI / 4.0 * 8e-3f64.powi(4);
    let euler = std::f64::consts::PI.powi(2) * stiffness / (4.0 * 0.25);
    let reached = found.free[0].value;
    // Shear, compression and four spans: P/GA and P/EA are 1e-3 here.
    assert!((reached / euler - 1.0).abs() < 5e-3, "{reached} {euler}");
    assert!(found.obstacle.as_ref().is_some_and(|words| words.contains("stability")), "{:?}", found.obstacle);
}

#[test]
fn the_larger_of_two_is_made_small_by_a_bound() {
    // Two loads across: the beam turned until both of its tip's coordinates are the same.
    let force = "load.tip.force=[0, 1, -2]";
    let free = "free={ \"load.tip.force.y\" = { min = 0, max = 5 }, \"load.tip.force.z\" = { min = -5, max = 0 }, bound = { start = 1 } }";
    let both = "job.constraints=[\"1e3 * beam.tip.position.y <= bound\", \"-1e3 * beam.tip.position.z <= bound\", \"load.tip.force.y - load.tip.force.z = 3\"]";
    let found = record(BEAM, &[force, free, both, "job.minimise=bound"]);
    assert_eq!(found.end, OptimumEnd::Converged);
    // By symmetry 1.5 N each, exactly at the kink of the larger.
    assert!((found.free[0].value - 1.5).abs() < 1e-5 && (found.free[1].value + 1.5).abs() < 1e-5, "{:?}", found.free);
}

#[test]
fn whoever_watches_stops_it() {
    let loaded = read(BEAM, &[]).unwrap();
    let mut seen = 0;
    let answer = lissome::run_file(&loaded, &mut |_: &Progress<'_>| {
        seen += 1;
        if seen > 12 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let Ok(Answer::Statics(found)) = answer else { panic!("what there is") };
    assert!(found.optimum.is_none_or(|record| record.end == OptimumEnd::Stopped));
}

#[test]
fn jobs_that_cannot_be_read_are_refused_where_they_are_wrong() {
    for (argument, code) in [
        ("job.minimise=\"beam.mass +\"", "E0761"),
        ("job.minimise=\"beam.mass + (2\"", "E0761"),
        ("job.minimise=\"sqr(beam.mass)\"", "E0761"),
        ("job.minimise=\"3 furlong\"", "E0761"),
        ("job.minimise=5", "E0301"),
        ("job.constraints=[\"beam.mass\"]", "E0761"),
        ("job.constraints=[3]", "E0301"),
        ("job.constraints=\"beam.mass <= 1\"", "E0301"),
        ("job.maximise=\"beam.mass\"", "E0207"),
        ("free={}", "E0763"),
        ("free={ \"rod.beam.section.radios\" = {} }", "E0722"),
        ("free={ \"rod.beam.model.spline.spans\" = {} }", "E0723"),
        ("free={ \"load.tip.force\" = {} }", "E0764"),
        ("free={ \"rod.beam.section.radius\" = { min = \"9 mm\" } }", "E0401"),
        ("free={ \"rod.beam.section.radius\" = { weight = 2 } }", "E0207"),
        ("job.rounds=0", "E0303"),
    ] {
        let told = read(BEAM, &[argument]).err().unwrap_or_else(|| panic!("{argument} is read"));
        println!("{}", told[0]);
        assert!(told[0].place.is_some(), "{argument}: {}", told[0]);
        assert_eq!(told[0].fault.code(), code, "{argument}: {}", told[0]);
    }
    let nothing = BEAM.replace("minimise    = \"beam.mass\"\n", "");
    assert_eq!(read(&nothing, &[]).unwrap_err()[0].fault.code(), "E0762");
}

#[test]
fn names_and_values_are_refused_with_a_caret() {
    for (text, code, word) in [
        ("beam.tip.positon.z", "E0721", "beam.tip.positon.z"),
        ("2 * beam.volum", "E0721", "beam.volum"),
        ("1 + beam.tip.position", "E0765", "beam.tip.position"),
        ("1 / (beam.tip.position.y * 0)", "E0766", "1 / (beam.tip.position.y * 0)"),
        ("sqrt(beam.tip.position.z)", "E0766", "sqrt(beam.tip.position.z)"),
    ] {
        let scene = BEAM.replace("\"beam.mass\"", &format!("\"{text}\""));
        let loaded = read(&scene, &[]).unwrap();
        let told = lissome::run_file(&loaded, &mut Unobserved).err().unwrap();
        println!("{}", told[0]);
        assert_eq!(told[0].fault.code(), code, "{text}: {}", told[0]);
        let place = told[0].place.as_ref().unwrap();
        let marked: String = place.excerpt.chars().skip(place.underline_start).take(place.underline_length).collect();
        assert_eq!(marked, word, "{}", told[0]);
    }
}

#[test]
fn a_scene_without_its_file_is_refused() {
    let loaded = read(BEAM, &[]).unwrap();
    assert!(lissome::run(&loaded.scene, &mut Unobserved).is_err());
}

/// A component by its index is the one by its letter, and what is like another part has its numbers: both are free.
#[test]
fn a_free_number_is_free_by_every_name_of_it() {
    let free = "[free]\n\"load.tip.force.2\" = { min = \"-3 N\", max = \"3 N\" }\n";
    let text = BEAM.split("[free]").next().unwrap().to_owned() + free;
    for name in ["load.tip.force.z", "load.tip.force.2"] {
        let job = format!("[job]\nkind = \"optimise\"\nminimise = \"({name} / (1 N) + 0.7)^2\"\n");
        let force = record(&(text.clone() + &job), &[]).free[0].value;
        assert!((force + 0.7).abs() < 1e-6, "{name}: {force}");
    }
    let free = "[rod.other]\nlike = \"beam\"\nbase = { position = [0, 1, 0] }\n[free]\n\"rod.beam.length\" = { min = 0.2, max = 2 }\n";
    let job = "[job]\nkind = \"optimise\"\nminimise = \"(rod.other.length / (1 m) - 0.9)^2\"\n";
    let found = record(&(BEAM.split("[free]").next().unwrap().to_owned() + free + job), &[]);
    assert!((found.free[0].value - 0.9).abs() < 1e-6, "{:?}", found.free);
}

/// The tension of a tendon that is free under the name of its drive: by its own name it is the same number, and a value that the drive has
/// taken the place of is no number to reckon with.
#[test]
fn a_driven_number_is_not_held_in_silence() {
    let tendon = "[tendon.pull]\nrod = \"beam\"\ncount = 2\nradius = \"20 mm\"\ntension = TENSION\n[free]\n\"pull.1.tension\" = { max = 5 }\n";
    let text = |tension: &str, name: &str| {
        let job = format!("[job]\nkind = \"optimise\"\nminimise = \"({name} / (1 N) - 0.7)^2\"\n");
        BEAM.split("[free]").next().unwrap().to_owned() + &tendon.replace("TENSION", tension) + &job
    };
    for name in ["pull.1.tension", "tendon.pull.tension.0", "drive.pull.1.tension"] {
        let found = record(&text("[\"1 N\", \"1 N\"]", name), &[]).free[0].value;
        assert!((found - 0.7).abs() < 1e-6, "{name}: {found}");
    }
    let driven = text("\"1 N\"", "tendon.pull.tension") + "[drive]\n\"pull.2.tension\" = 2\n";
    let loaded = read(&driven, &[]).unwrap();
    let told = lissome::run_file(&loaded, &mut Unobserved).err().unwrap();
    assert_eq!(told[0].fault.code(), "E0767", "{}", told[0]);
}
