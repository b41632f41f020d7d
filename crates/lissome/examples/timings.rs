//! What the calls of a robot cost in Rust alone: `cargo xtask bench-python` sets them beside the same calls from Python.
//!
//! Prints one line for each: a name, and the median of its time in seconds.

use lissome::robot::{Hand, Judgement, Robot, solve, with_drives};
use lissome::{Unobserved, io};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// How often each call is timed.
const ROUNDS: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let text = |name: &str| std::fs::read_to_string(format!("examples/scenes/{name}.toml"));
    let rod = read(text("rod")?)?;
    told("solve", || {
        let held = with_drives(&rod, &[]).map_err(|diagnostic| diagnostic.to_string())?;
        black_box(solve(&held, Judgement::Sign, &mut Unobserved)?);
        Ok(())
    })?;
    let mut robot = Robot::new(&rod, &mut Unobserved)?;
    let mut turn = 0;
    told("settle", || {
        turn += 1;
        robot.set("tip.scale", if turn % 2 == 0 { 1.0 } else { 0.98 }).map_err(|diagnostic| diagnostic.to_string())?;
        black_box(robot.settle(&mut Unobserved)?);
        Ok(())
    })?;
    let swing = read(text("swing")?)?;
    let mut hand = Hand::start(&swing, &mut Unobserved).map_err(|halt| format!("{halt:?}"))?;
    told("step", || Ok(hand.step(1e-3, &[], &mut Unobserved).map_err(|halt| format!("{halt:?}"))?))
}

fn read(text: String) -> Result<lissome::model::Scene, Box<dyn Error>> {
    let loaded = io::scene::parse("scene.toml", text, &[]);
    Ok(loaded.map_err(|told| told.iter().map(ToString::to_string).collect::<String>())?.scene)
}

fn told(name: &str, mut work: impl FnMut() -> Result<(), Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        work()?;
        times.push(begun.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    println!("{name} {:e}", times[ROUNDS / 2]);
    Ok(())
}
