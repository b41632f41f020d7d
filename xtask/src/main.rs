//! Project tasks: `cargo xtask test`, `test-page`, `test-exports`, `fix`, `architecture`.

use std::path::Path;
use std::process::ExitCode;
use xtask::steps::{self, Step};

const USAGE: &str = "\
usage: cargo xtask TASK

  test           everything that must hold before a change lands: format, lints, architecture, tests,
                 documentation, validation, exports and pages where the machine can read them; stops at the first failure
  test-page      reports in a browser without a window: turned, played, scrubbed; fails without a browser
  test-exports   glb and vtk read by the glTF validator and by pyvista; fails where they cannot be installed
  fix            format the sources
  architecture   only the rules of ARCHITECTURE.md
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let steps: &[Step] = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => steps::TEST,
        ["test-page"] => {
            return if steps::test_page(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["test-exports"] => {
            return if steps::test_exports(root) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        ["fix"] => steps::FIX,
        ["architecture"] => steps::ARCHITECTURE,
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
