//! The commands behind a task: one after the other, the first failure ends it with a line on how to mend it.

use crate::{browser, exports, pages};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// One command and what to do if it fails.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// One or two words.
    pub name: &'static str,
    /// Arguments of cargo.
    pub cargo: &'static [&'static str],
    /// Environment variables to set.
    pub environment: &'static [(&'static str, &'static str)],
    /// What to do on failure.
    pub remedy: &'static str,
}

const ARCHITECTURE_STEP: Step = Step {
    name: "architecture",
    cargo: &["test", "--release", "--package", "xtask", "--quiet"],
    environment: &[],
    remedy: "the message names file and line; a new import or module needs its row in ARCHITECTURE.md",
};

/// Everything that must hold before a change lands. All steps share the release artefacts of the program; the fast
/// ones come first.
pub const TEST: &[Step] = &[
    Step { name: "format", cargo: &["fmt", "--all", "--check"], environment: &[], remedy: "run `cargo xtask fix`" },
    ARCHITECTURE_STEP,
    Step {
        name: "clippy",
        cargo: &["clippy", "--workspace", "--all-targets", "--release", "--quiet", "--", "-D", "warnings"],
        environment: &[],
        remedy: "follow the hint under the first warning",
    },
    Step {
        name: "tests",
        // `--all-targets` would run the benchmarks as well.
        cargo: &["test", "--workspace", "--release", "--quiet", "--lib", "--bins", "--tests", "--examples"],
        environment: &[],
        remedy: "repeat one of them with `cargo test --release -p CRATE NAME`",
    },
    Step {
        name: "doc tests",
        cargo: &["test", "--workspace", "--release", "--quiet", "--doc"],
        environment: &[],
        remedy: "the example in the named comment or page no longer runs: mend the example or the code",
    },
    Step {
        name: "documentation",
        cargo: &["doc", "--workspace", "--release", "--no-deps", "--quiet", "--document-private-items"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        remedy: "a link in a comment leads nowhere: mend it",
    },
    Step {
        name: "validate",
        // Every case is a test above; here the program itself is asked for one.
        cargo: &["run", "--release", "--quiet", "--package", "lissome-cli", "--", "validate", "paper0/accuracy"],
        environment: &[],
        remedy: "a figure left its tolerance: `lissome validate CASE` shows the rows of one case",
    },
];

/// Mends what a program can mend.
pub const FIX: &[Step] = &[Step {
    name: "format",
    cargo: &["fmt", "--all"],
    environment: &[],
    remedy: "a file does not parse: see the message",
}];

/// The rules of `ARCHITECTURE.md` alone.
pub const ARCHITECTURE: &[Step] = &[ARCHITECTURE_STEP];

/// Runs the steps in `root`; true if all passed.
pub fn run(root: &Path, steps: &[Step]) -> bool {
    let start = Instant::now();
    let mut times = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        println!("\n== {}/{} {} : cargo {}", index + 1, steps.len(), step.name, step.cargo.join(" "));
        let begin = Instant::now();
        let passed = run_step(root, step);
        let time = begin.elapsed();
        if !passed {
            println!("\nFAILED in step `{}` after {}. {}", step.name, seconds(time), step.remedy);
            return false;
        }
        println!("-- {} ok, {}", step.name, seconds(time));
        times.push((step.name, time));
    }
    println!();
    for (name, time) in times {
        println!("{name:>14}  {:>9}", seconds(time));
    }
    println!("\nok: {} steps passed in {}", steps.len(), seconds(start.elapsed()));
    true
}

/// The pages in a browser; false without one.
pub fn test_page(root: &Path) -> bool {
    let Some(program) = browser::find() else {
        println!("FAILED: {NO_BROWSER}");
        return false;
    };
    println!("\n== pages : {}", program.display());
    let begin = Instant::now();
    match pages::test(root, &program) {
        Ok(()) => {
            println!("-- pages ok, {}", seconds(begin.elapsed()));
            true
        }
        Err(complaint) => {
            println!("\nFAILED in step `pages` after {}: {complaint}", seconds(begin.elapsed()));
            false
        }
    }
}

/// The exports in the hands of other programs; false without them.
pub fn test_exports(root: &Path) -> bool {
    match exports::readers(root) {
        Ok(readers) => exports_read(root, &readers),
        Err(complaint) => {
            println!("FAILED: {NO_READERS} {complaint}");
            false
        }
    }
}

fn exports_read(root: &Path, readers: &exports::Readers) -> bool {
    println!("\n== exports : the glTF validator and pyvista");
    let begin = Instant::now();
    match exports::test(root, readers) {
        Ok(()) => println!("-- exports ok, {}", seconds(begin.elapsed())),
        Err(complaint) => {
            println!("\nFAILED in step `exports` after {}: {complaint}", seconds(begin.elapsed()));
            return false;
        }
    }
    true
}

/// Exports and pages where the machine has what they need; where it has not, the last lines say what was not looked at.
pub fn with_other_programs(root: &Path) -> bool {
    let mut missing = Vec::new();
    match exports::readers(root) {
        Ok(readers) if !exports_read(root, &readers) => return false,
        Ok(_) => {}
        Err(complaint) => missing.push(format!("NOT RUN: the exports were not read. {NO_READERS} {complaint}")),
    }
    match browser::find() {
        Some(_) if !test_page(root) => return false,
        Some(_) => {}
        None => missing.push(format!("NOT RUN: the reports were not looked at. {NO_BROWSER}")),
    }
    missing.iter().for_each(|line| println!("\n{line}"));
    true
}

const NO_READERS: &str = "The glTF validator (npm) or pyvista (python3 with venv and pip) cannot be installed here: mend that, \
    then run `cargo xtask test-exports`.";

const NO_BROWSER: &str = "There is no browser: install Debian's `chromium` or name one in the variable CHROMIUM, \
    then run `cargo xtask test-page`.";

fn run_step(root: &Path, step: &Step) -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(step.cargo).envs(step.environment.iter().copied()).current_dir(root).status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            println!("cargo does not start: {error}");
            false
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
