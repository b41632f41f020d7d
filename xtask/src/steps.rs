//! The commands behind a task: one after the other, the first failure ends it with a line on how to mend it.

use crate::{browser, exports, pages, python};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// What a step starts.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// Cargo with these arguments.
    Cargo(&'static [&'static str]),
    /// A function of this crate, and a word for what it does.
    Own(fn(&Path) -> Result<(), String>, &'static str),
}

/// One task and what to do if it fails.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// One or two words.
    pub name: &'static str,
    /// What is started.
    pub task: Task,
    /// Environment variables to set.
    pub environment: &'static [(&'static str, &'static str)],
    /// What to do on failure.
    pub remedy: &'static str,
}

const ARCHITECTURE_STEP: Step = Step {
    name: "architecture",
    task: Task::Cargo(&["test", "--release", "--package", "xtask", "--quiet"]),
    environment: &[],
    remedy: "the message names file and line; a new import or module needs its row in ARCHITECTURE.md",
};

/// Everything that must hold before a change lands. All steps share the release artefacts of the program; the fast
/// ones come first.
pub const TEST: &[Step] = &[
    Step {
        name: "format",
        task: Task::Cargo(&["fmt", "--all", "--check"]),
        environment: &[],
        remedy: "run `cargo xtask fix`",
    },
    ARCHITECTURE_STEP,
    Step {
        name: "clippy",
        task: Task::Cargo(&["clippy", "--workspace", "--all-targets", "--release", "--quiet", "--", "-D", "warnings"]),
        environment: &[],
        remedy: "follow the hint under the first warning",
    },
    Step {
        name: "tests",
        // `--all-targets` would run the benchmarks as well. All failures are told at once: they take long to reach.
        task: Task::Cargo(&[
            "test",
            "--workspace",
            "--release",
            "--quiet",
            "--no-fail-fast",
            "--lib",
            "--bins",
            "--tests",
            "--examples",
        ]),
        environment: &[],
        remedy: "repeat one of them with `cargo test --release -p CRATE NAME`",
    },
    Step {
        name: "doc tests",
        task: Task::Cargo(&["test", "--workspace", "--release", "--quiet", "--doc"]),
        environment: &[],
        remedy: "the example in the named comment or page no longer runs: mend the example or the code",
    },
    Step {
        name: "documentation",
        task: Task::Cargo(&["doc", "--workspace", "--release", "--no-deps", "--quiet", "--document-private-items"]),
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
        remedy: "a link in a comment leads nowhere: mend it",
    },
    Step {
        name: "python",
        task: Task::Own(python::test, "pytest and strict types in target/python"),
        environment: &[],
        remedy: "repeat it with `cargo xtask test-python`",
    },
    Step {
        name: "validate",
        task: Task::Own(validate, "lissome validate paper0/accuracy"),
        environment: &[],
        remedy: "a figure left its tolerance: `lissome validate CASE` shows the rows of one case",
    },
];

/// Mends what a program can mend.
pub const FIX: &[Step] = &[Step {
    name: "format",
    task: Task::Cargo(&["fmt", "--all"]),
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
        let told = match step.task {
            Task::Cargo(arguments) => format!("cargo {}", arguments.join(" ")),
            Task::Own(_, told) => told.to_owned(),
        };
        println!("\n== {}/{} {} : {told}", index + 1, steps.len(), step.name);
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
    let arguments = match step.task {
        Task::Cargo(arguments) => arguments,
        Task::Own(own, _) => {
            let done = own(root);
            if let Err(complaint) = &done {
                println!("{complaint}");
            }
            return done.is_ok();
        }
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(arguments).envs(step.environment.iter().copied()).current_dir(root).status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            println!("cargo does not start: {error}");
            false
        }
    }
}

/// Every case is a test; here the program itself, as the workspace was built, is asked for one.
fn validate(root: &Path) -> Result<(), String> {
    pages::build(root)?;
    match pages::lissome(root).args(["validate", "paper0/accuracy"]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("lissome validate: {status}")),
        Err(error) => Err(format!("the program does not start: {error}")),
    }
}

/// The Python package alone; false if its tests fail.
pub fn test_python(root: &Path) -> bool {
    told("python", python::test(root))
}

/// Sweeps on a Ray cluster; false if a test fails or Ray cannot be installed.
pub fn test_ray(root: &Path) -> bool {
    told("ray", python::test_ray(root))
}

/// The wheel of the Python package; false if it does not install or its tests fail.
pub fn wheel(root: &Path) -> bool {
    told("wheel", python::wheel(root))
}

/// Figures of the Python package; false if they could not be taken.
pub fn bench_python(root: &Path) -> bool {
    told("bench-python", python::bench(root))
}

fn told(name: &str, done: Result<(), String>) -> bool {
    match &done {
        Ok(()) => println!("-- {name} ok"),
        Err(complaint) => println!("\nFAILED in step `{name}`: {complaint}"),
    }
    done.is_ok()
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
