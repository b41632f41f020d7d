//! `lissome doctor`.

use crate::args::DoctorArgs;
use crate::console::{say, say_json};
use crate::exit::Exit;
use lissome::io::number;
use lissome::io::{Diagnostic, scene};
use lissome::templates::TEMPLATES;
use lissome::{SimulateError, Unobserved};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// Looks at what a run needs: processors, a place to write, and a solver that answers.
pub fn run(args: &DoctorArgs) -> Exit {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let here = write_test(Path::new("."));
    let temporary = write_test(&std::env::temp_dir());
    let solve = solve_test();
    let well = here.is_ok() && temporary.is_ok() && solve.is_ok();
    if args.json {
        say_json(&json!({
            "status": if well { "ok" } else { "trouble" },
            "version": env!("CARGO_PKG_VERSION"),
            "os": std::env::consts::OS,
            "architecture": std::env::consts::ARCH,
            "threads": threads,
            "write_here": here.as_ref().err(),
            "write_temporary": temporary.as_ref().err(),
            "solve_seconds": solve.as_ref().ok(),
            "solve": solve.as_ref().err(),
        }));
    } else {
        let word = |result: &Result<(), String>| result.as_ref().err().map_or("ok".to_owned(), Clone::clone);
        say(&format!("lissome {} on {} {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH));
        say(&format!("  threads          {threads}"));
        say(&format!("  write here       {}", word(&here)));
        say(&format!("  write temporary  {}", word(&temporary)));
        let solve = match &solve {
            Ok(seconds) => format!("ok, {}", number::with_unit(*seconds, "s")),
            Err(reason) => reason.clone(),
        };
        say(&format!("  solve the demo   {solve}"));
    }
    if well { Exit::Ok } else { Exit::NoAnswer }
}

fn write_test(folder: &Path) -> Result<(), String> {
    let file = folder.join(format!("lissome-doctor-{}.partial", std::process::id()));
    std::fs::write(&file, b"lissome").map_err(|error| error.to_string())?;
    std::fs::remove_file(&file).map_err(|error| error.to_string())
}

fn solve_test() -> Result<f64, String> {
    let first = |diagnostics: Vec<Diagnostic>| diagnostics.first().map_or_else(String::new, |d| d.fault.text().message);
    let loaded = scene::parse("demo", TEMPLATES[0].text.to_owned(), &[]).map_err(first)?;
    let start = Instant::now();
    match lissome::run(&loaded.scene, &mut Unobserved) {
        Ok(answer) if answer.succeeded() => Ok(start.elapsed().as_secs_f64()),
        Ok(_) => Err("found no equilibrium of the demo".into()),
        Err(SimulateError::Invalid(invalid)) => Err(invalid.to_string()),
    }
}
