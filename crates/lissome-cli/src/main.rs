//! The `lissome` program: parses the command line, runs a verb, ends with its exit code.

mod args;
mod canvas;
mod console;
mod exit;
mod interrupt;
mod job;
mod motion_recorder;
mod patience;
mod progress;
mod screen;
mod signal;
mod verbs;

use args::{Cli, Verb};
use clap::Parser;
use clap::error::ErrorKind;
use exit::Exit;
use lissome::io::{Diagnostic, Fault};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error).into(),
    };
    interrupt::watch_interrupts();
    std::panic::set_hook(Box::new(|panic| {
        console::complain(&format!(
            "error: this is a bug in lissome {}: {panic}\n  please report it with the scene and the command line",
            env!("CARGO_PKG_VERSION")
        ));
    }));
    std::panic::catch_unwind(|| dispatch(cli)).unwrap_or(Exit::Bug).into()
}

fn dispatch(cli: Cli) -> Exit {
    match cli.verb.unwrap_or(Verb::Demo(args::DemoArgs::default())) {
        Verb::Demo(args) => verbs::demo::run(&args),
        Verb::New(args) => verbs::new::run(&args),
        Verb::Check(args) => verbs::check::run(&args),
        Verb::Run(args) => verbs::run::run(&args),
        Verb::Sweep(args) => verbs::sweep::run(&args),
        Verb::Fit(args) => verbs::fit::run(&args),
        Verb::Observe(args) => verbs::observe::run(&args),
        Verb::Shape(args) => verbs::shape::run(args),
        Verb::Validate(args) => verbs::validate::run(&args),
        Verb::Bench(args) => verbs::bench::run(&args),
        Verb::Export(args) => verbs::export::run(&args),
        Verb::Schema => verbs::schema::run(),
        Verb::Doctor(args) => verbs::doctor::run(&args),
    }
}

/// Help and version are answers; anything else that clap reports is bad input.
fn usage(error: &clap::Error) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return Exit::Ok;
    }
    let text = error.to_string();
    if std::env::args_os().any(|argument| argument == "--json") {
        let first = text.lines().next().unwrap_or_default();
        let message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
        return console::refuse(&[Diagnostic::new(Fault::Usage { message })], true);
    }
    console::complain(text.replacen("error:", "error[E0001]:", 1).trim_end());
    Exit::BadInput
}
