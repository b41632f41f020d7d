//! Ordinary things that a user wants to say or to be told, from the text of a scene to its answer.
#![allow(clippy::unwrap_used)]

mod critical_loads;
mod flutter;
mod laid;
mod overrides;
mod sections;
mod springs;
mod turns;

use lissome::io::{Ending, LoadedScene, Summary, scene};
use lissome::{Answer, Unobserved};
use serde_json::Value as Json;

/// A scene from its text, with settings of the command line.
fn loaded(text: &str, settings: &[&str]) -> LoadedScene {
    let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    scene::parse("test.toml", text.to_owned(), &settings)
        .unwrap_or_else(|faults| panic!("{}", faults.iter().map(ToString::to_string).collect::<String>()))
}

/// What is wrong with a scene, in words.
fn refused(text: &str, settings: &[&str]) -> String {
    let settings: Vec<String> = settings.iter().map(|setting| (*setting).to_owned()).collect();
    let faults = scene::parse("test.toml", text.to_owned(), &settings).unwrap_err();
    faults.iter().map(ToString::to_string).collect()
}

fn run(loaded: &LoadedScene) -> Answer {
    lissome::run(&loaded.scene, &mut Unobserved).unwrap()
}

/// The JSON of `lissome run --json`.
fn json(loaded: &LoadedScene, answer: &Answer) -> Json {
    Summary::of(&loaded.scene, answer, Ending::Finished).unwrap().to_full_json()
}
