//! Project tasks: `cargo xtask test`, `test-page`, `test-exports`, `test-python`, `test-ray`, `bench-python`, `wheel`, `fuzz`, `signals`, `kills`, `fix`, `architecture`.

use std::path::Path;
use std::process::{Command, ExitCode};
use xtask::steps::{self, Step};

const USAGE: &str = "\
usage: cargo xtask TASK

  test           everything that must hold before a change lands: format, lints, architecture, tests,
                 documentation, the Python package, validation, exports and pages where the machine can read
                 them; stops at the first failure
  test-page      reports in a browser without a window: turned, played, scrubbed; fails without a browser
  test-exports   glb and vtk read by the glTF validator and by pyvista; fails where they cannot be installed
  test-python    the Python package: its own environment under target/python, pytest, strict types
  test-ray       sweeps on a local Ray cluster of two workers, in an environment of their own (240 MB)
  bench-python   figures: what a call from Python costs, what batches gain by cores, how soon Ctrl-C is heard
  wheel          the wheel of the Python package, installed into an empty environment and tested there
  fix            format the sources
  architecture   only the rules of ARCHITECTURE.md
  fuzz [SCENES [FOLDERS [SEED]]]
                 scenes and run folders changed at random, as many as given (100000, 10000, 1); tells the seed
                 and the text of what was not answered well
  signals [MOMENTS]
                 Ctrl-C, SIGTERM and SIGHUP in every verb at so many moments (20); tells how long each took to end
  kills [KILLS]  motions killed at so many moments (60): each goes on to the same bytes
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = root();
    let steps: &[Step] = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => steps::TEST,
        ["test-page"] => {
            return if steps::test_page(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["test-exports"] => {
            return if steps::test_exports(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["test-python"] => {
            return if steps::test_python(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["test-ray"] => {
            return if steps::test_ray(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["bench-python"] => {
            return if steps::bench_python(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["wheel"] => {
            return if steps::wheel(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["fix"] => steps::FIX,
        ["architecture"] => steps::ARCHITECTURE,
        ["fuzz", ..] if arguments.len() <= 4 && arguments[1..].iter().all(|number| number.parse::<u32>().is_ok()) => {
            return if fuzz(&arguments[1..]) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["signals", ..]
            if arguments.len() <= 2 && arguments[1..].iter().all(|number| number.parse::<u32>().is_ok()) =>
        {
            return if signals(&arguments[1..]) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["kills", ..] if arguments.len() <= 2 && arguments[1..].iter().all(|number| number.parse::<u32>().is_ok()) => {
            return if kills(&arguments[1..]) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let passed = steps::run(root, steps) && (arguments != ["test"] || steps::with_other_programs(root));
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace")
}

/// The test of the same name, made long by its environment.
fn fuzz(numbers: &[String]) -> bool {
    let number = |index: usize, otherwise: &str| numbers.get(index).map_or(otherwise.to_owned(), Clone::clone);
    long_test(
        &["fuzz", "--"],
        &[
            ("LISSOME_FUZZ_SCENES", number(0, "100000")),
            ("LISSOME_FUZZ_FOLDERS", number(1, "10000")),
            ("LISSOME_FUZZ_SEED", number(2, "1")),
        ],
    )
}

/// The test of signals at many moments.
fn signals(numbers: &[String]) -> bool {
    let moments = numbers.first().map_or("20".to_owned(), Clone::clone);
    long_test(&["stops", "--", "every_verb"], &[("LISSOME_SIGNAL_MOMENTS", moments)])
}

/// The test of kills at many moments.
fn kills(numbers: &[String]) -> bool {
    let kills = numbers.first().map_or("60".to_owned(), Clone::clone);
    long_test(&["stops", "--", "killed_at_any_moment"], &[("LISSOME_KILLS", kills)])
}

/// A test of the program that its environment makes long, and that tells what it finds.
fn long_test(test: &[&str], settings: &[(&str, String)]) -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["test", "--release", "--package", "lissome-cli", "--test"]).args(test).arg("--nocapture");
    command.envs(settings.iter().map(|(name, value)| (name, value))).current_dir(root());
    command.status().is_ok_and(|status| status.success())
}
