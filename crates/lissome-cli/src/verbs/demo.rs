//! `lissome demo`, which is also what `lissome` alone does.

use super::new;
use crate::args::DemoArgs;
use crate::console::{OutputMode, refuse, say};
use crate::exit::Exit;
use crate::job::{self, Settings};
use lissome::io::run_folder::{self, RunFacts};
use lissome::io::{Diagnostic, scene};
use lissome::model::{Follow, FrameLoadKind, Job, LoadKind, Scene, Signal};
use lissome::templates::{self, TEMPLATES};
use std::path::PathBuf;

/// Solves a shipped scene, draws it, and says what to do next.
pub fn run(args: &DemoArgs) -> Exit {
    if args.list {
        return new::list(args.json);
    }
    match demo(args) {
        Ok(exit) => exit,
        Err(diagnostics) => refuse(&diagnostics, args.json),
    }
}

fn demo(args: &DemoArgs) -> Result<Exit, Vec<Diagnostic>> {
    let name = args.name.as_deref().unwrap_or(TEMPLATES[0].name);
    let template = templates::find(name).map_err(|fault| vec![Diagnostic::new(fault)])?;
    let loaded = scene::parse(&format!("{name}.toml"), template.text.to_owned(), &[])?;
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("demo.run"));
    let mode = OutputMode::of(args.json, false);
    let headline = format!(
        "lissome {}: {}   (demo {} of {}: lissome demo --list)",
        env!("CARGO_PKG_VERSION"),
        template.title(),
        template.number(),
        TEMPLATES.len()
    );
    let settings = Settings { out: &out, limit: None, facts: RunFacts::default(), mode, headline: &headline };
    let exit = job::run(&loaded, settings)?;
    if mode == OutputMode::Screen {
        let file = format!("{name}.toml");
        say(&format!(
            "  next     lissome new {name} {file}      lissome run {file} {}",
            example_override(&loaded.scene)
        ));
        if let Ok(stored) = run_folder::read(&out) {
            let view = crate::canvas::side_view(&stored.loaded.scene, &stored.equilibrium);
            say(&format!("\n{view}"));
        }
    }
    Ok(exit)
}

/// An override that fits the scene, to copy: another method, more samples, the first force doubled, or the Moon's gravity.
fn example_override(scene: &Scene) -> String {
    match scene.job {
        Job::Shape(_) => return "job.all=true".into(),
        Job::Path(job) if job.follow != Follow::Drives => return "job.longest_step=0.05".into(),
        // A table may have one value for each sample.
        Job::Path(job) if !scene.drives.iter().any(|drive| matches!(drive.signal, Signal::Table(_))) => {
            return format!("job.samples={}", 2 * job.samples - 1);
        }
        _ => {}
    }
    let on_rod = scene.loads.iter().find_map(|load| match load.kind {
        LoadKind::Point { wrench, .. } if wrench.force.norm() > 0.0 => {
            let f = wrench.force * 2.0;
            Some(format!("load.{}.force=\"[{}, {}, {}] N\"", load.name, f.x, f.y, f.z))
        }
        _ => None,
    });
    let rope = || {
        scene.frame_loads.iter().find_map(|load| match load.kind {
            FrameLoadKind::Toward { size, .. } => Some(format!("load.{}.size=\"{} N\"", load.name, 2.0 * size)),
            FrameLoadKind::Wrench { .. } => None,
        })
    };
    on_rod.or_else(rope).unwrap_or_else(|| "world.gravity=\"[0, 0, -1.62]\"".into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_said_next_can_be_done() {
        for template in TEMPLATES {
            let parse = |settings: &[String]| scene::parse(template.name, template.text.to_owned(), settings);
            // A shell takes the quotes away.
            let next = example_override(&parse(&[]).unwrap().scene).replace('"', "");
            assert!(parse(std::slice::from_ref(&next)).is_ok(), "{}: {next}", template.name);
        }
    }
}
