//! Equations of a scene beside one whose equations are known: what is filled into the layout that is there is what the compiler makes.

#![allow(clippy::unwrap_used)]

use lissome::Unobserved;
use lissome::derivatives::Source;
use lissome::io::scene::parse;
use lissome::mech::System;
use lissome::robot::{Judgement, solve};
use std::path::Path;

/// More rods make the same again.
const MOST_RODS: usize = 6;
/// Numbers that are looked at in each scene.
const MOST_NUMBERS: usize = 8;

/// Text without the lengths that cables under a given tension have in the natural state: but a size there, which is taken over.
fn without_sizes(text: &str, has_lengths: bool) -> String {
    let number = |own: char| own.is_ascii_digit() || "e.-".contains(own);
    ["smallest: ", "natural_length: "].iter().filter(|_| !has_lengths).fold(text.to_owned(), |text, name| {
        let mut pieces = text.split(name);
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |rest, piece| rest + piece.trim_start_matches(number))
    })
}

#[test]
fn values_filled_in_are_those_of_the_compiler() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/scenes");
    let mut compared = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path.display().to_string();
        let loaded = parse(&name, std::fs::read_to_string(&path).unwrap(), &[]).unwrap();
        let scene = &loaded.scene;
        // Tubes keep what their rods are solved with, which neighbours make when they are.
        if scene.rods.len() > MOST_RODS || scene.rods.iter().any(|rod| rod.tubes.is_some()) {
            continue;
        }
        let known = System::compile(scene).unwrap();
        let kinds = known.kinds();
        let has_lengths = !(kinds.length_cables.is_empty() && kinds.springs.is_empty() && kinds.tendons.is_empty());
        let numbers: Vec<_> = loaded.number_paths().iter().flat_map(|path| loaded.numbers(path)).flatten().collect();
        let mut beside = loaded.beside(numbers.clone(), scene);
        for number in numbers.iter().step_by(numbers.len().div_ceil(MOST_NUMBERS).max(1)) {
            let Ok((moved, changed)) = beside.at(number, number.value * 1.001 + 1e-6) else { continue };
            let mut moved = (**moved).clone();
            if !moved.divide_like(scene) {
                continue;
            }
            let (mut whole, mut filled) = (known.clone(), known.clone());
            let made = whole.set_values(&moved);
            let known_to_differ = filled.set_values_beside(&moved, (scene, &known), changed);
            let path = format!("{name}: {}", number.path);
            match (&made, &known_to_differ) {
                (Ok(()), Ok(same)) => {
                    let unknown = known.clone().set_values_beside(&moved, (scene, &known), None).unwrap();
                    // What differs in how it is held alone need not be told apart.
                    assert!(same.iter().zip(&unknown).all(|(same, really)| !same || *really), "{path}");
                    filled.set_values_to_solve(&moved, (scene, &known)).unwrap();
                    let [whole, filled] =
                        [&whole, &filled].map(|system| without_sizes(&format!("{system:?}"), has_lengths));
                    let first = whole.bytes().zip(filled.bytes()).position(|(own, other)| own != other);
                    let near = |text: &str| {
                        first.map(|at| text[at.saturating_sub(200)..].chars().take(300).collect::<String>())
                    };
                    assert!(whole == filled, "{path}: {:?} {:?}", near(&whole), near(&filled));
                    compared += 1;
                }
                (made, filled) => assert_eq!(made.is_err(), filled.is_err(), "{path}"),
            }
        }
    }
    assert!(compared > 80, "{compared}");
}

/// Frames at one place are one to the equations. Where one of them moves alone there is no neighbour with the same layout, and it is said so.
#[test]
fn frames_that_come_apart_are_told() {
    let text = "schema = 1\n[material.steel]\nyoung = \"200 GPa\"\npoisson = 0.3\n[rod.arm]\nmaterial = \"steel\"\nlength = \"0.2 m\"\n\
        section = { shape = \"circle\", radius = \"0.5 mm\" }\nbase = \"world\"\n[body.a]\nmount = \"arm\"\n\
        frames = { one = { position = [0, 0.01, 0] }, two = { position = [0, 0.01, 0] } }\n\
        [spring.s]\na = \"a.one\"\nb = { fixed_to = \"world\", position = [0.1, 0.06, 0] }\nstiffness = \"50 N/m\"\nrest_length = \"20 mm\"\n\
        [load.l]\non = \"a.two\"\nforce = [0, 0, 0.2]\n[job]\nkind = \"statics\"\n";
    for (two, are_apart) in [("[0, 0.01, 0] } }", false), ("[0, 0.0101, 0] } }", true)] {
        let text = text.replace("[0, 0.01, 0] } }", two);
        let file = parse("apart.toml", text, &[]).unwrap();
        let at = solve(&file.scene, Judgement::Sign, &mut Unobserved).unwrap();
        let by = ["body.a.frames.one.position", "body.a.frames.two.position"];
        let found = at.derivatives(Source::of(&file), &["rod.arm.tip.position"], &by);
        match found {
            Ok(found) => assert!(are_apart && found.wrt.len() == 6),
            Err(told) => assert!(!are_apart && told.to_string().contains("come apart"), "{told}"),
        }
    }
}
