//! `lissome shape FILE`: the scene's rods between their ends, whatever its job says.

use crate::args::RunArgs;
use crate::exit::Exit;

/// Runs the scene as a job for shapes.
pub fn run(mut args: RunArgs) -> Exit {
    args.overrides.push("job.kind=shape".into());
    super::run::run(&args)
}
