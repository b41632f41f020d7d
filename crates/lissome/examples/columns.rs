//! What a column of derivatives costs beside a solve, to be counted in instructions, which are the same on a busy machine.
//!
//! ```console
//! $ cargo build --release -p lissome --example columns
//! $ valgrind --tool=callgrind --callgrind-out-file=out target/release/examples/columns finger rod.joint_2.tip.position
//! $ callgrind_annotate --inclusive=yes out | grep 'columns::timed'
//! ```
//!
//! A column costs the difference of `timed_columns` and `timed_start` over the number of columns that is printed.

use lissome::Unobserved;
use lissome::derivatives::{Jacobian, Source};
use lissome::io::LoadedScene;
use lissome::robot::{Judgement, Solved, solve};
use std::error::Error;
use std::hint::black_box;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, of, set @ ..] = arguments.as_slice() else {
        return Err("give the name of a scene, an output, and what is set in the scene as `key=value`".into());
    };
    let text = std::fs::read_to_string(format!("examples/scenes/{name}.toml"))?;
    let file = lissome::io::scene::parse(name, text, set)
        .map_err(|told| told.iter().map(ToString::to_string).collect::<String>())?;
    let at = timed_solve(&file)?;
    let paths = file.number_paths();
    let is_smooth = |path: &&str| timed_one(&at, &file, of, path).is_some();
    let mut smooth: Vec<&str> = paths.iter().map(String::as_str).filter(is_smooth).collect();
    smooth.sort_unstable();
    black_box(timed_start(&at, &file, of));
    let columns = timed_columns(&at, &file, of, &smooth).ok_or("there are no derivatives")?;
    println!("{name}: {} columns", columns.wrt.len());
    for (wrt, column) in columns.wrt.iter().zip(columns.values.column_iter()) {
        println!("{wrt} {:?}", column.as_slice());
    }
    Ok(())
}

#[inline(never)]
fn timed_solve(file: &LoadedScene) -> Result<Solved, Box<dyn Error>> {
    Ok(solve(black_box(&file.scene), Judgement::Sign, &mut Unobserved)?)
}

#[inline(never)]
fn timed_one(at: &Solved, file: &LoadedScene, of: &str, path: &str) -> Option<Jacobian> {
    at.derivatives(Source::of(file), &[of], &[path]).ok()
}

#[inline(never)]
fn timed_start(at: &Solved, file: &LoadedScene, of: &str) -> Option<Jacobian> {
    at.derivatives(Source::of(file), &[of], &[]).ok()
}

#[inline(never)]
fn timed_columns(at: &Solved, file: &LoadedScene, of: &str, paths: &[&str]) -> Option<Jacobian> {
    at.derivatives(Source::of(file), &[of], paths).ok()
}
